// The graph: a picture that the core laid out, and beside it the same items as a list.

const graph = { depth: 2, isCritical: false };

const graphScreen = {
  title: "Graph",
  show(place) {
    graph.frame = new PictureFrame("Picture of the graph", (key) => go(`item/${key}`));
    graph.list = make("div.graph-list");
    graph.bar = make("div.filters");
    fill(place, make("div.graph", graph.bar, graph.frame.place, graph.list));
  },
  async refresh() {
    const { dialect, label } = board;
    const { key } = route;
    const found = await call("board_graph", { key, depth: key ? graph.depth : undefined, label, dialect });
    const { scene, items, total, shown } = found;
    showFilters(graph.bar, false, key && [
      choice("Steps", [1, 2, 3, 4].map((depth) => [depth, counted(depth, "step")]), graph.depth, (depth) => ((graph.depth = Number(depth)), lookSoon())),
      button("Whole graph", () => go("graph"))],
    button("Critical path", () => toggleCritical(items), { ...pressed(graph.isCritical), at: "critical" }),
    button("−", () => graph.frame.zoomBy("-"), { aria: "Smaller", at: "-" }), button("+", () => graph.frame.zoomBy("+"), { aria: "Larger", at: "+" }), button("All", () => graph.frame.zoomBy("0"), { at: "0" }),
    muted(`${numberWord(shown)} of ${counted(total, "item")}`));
    redraw(graph.frame.place, [scene, key], () => graph.frame.draw(shown ? scene : null));
    showGraphList(items);
  },
};

function toggleCritical(items) {
  graph.isCritical = !graph.isCritical;
  graph.frame.place.classList.toggle("only-critical", graph.isCritical);
  showGraphList(items);
  lookSoon();
}

function showGraphList(items) {
  const rows = items.filter(({ critical }) => critical || !graph.isCritical);
  redraw(graph.list, [rows], () => [
    make("h2", graph.isCritical ? "Critical path" : "Items"),
    make("ul", rows.map(({ key, title, meaning, critical, slack }) => make("li", { onpointerenter: () => graph.frame.showNear(key), onpointerleave: () => graph.frame.showNear() },
      meaningMark(meaning), itemLink(key, title, { onfocus: () => graph.frame.showNear(key), onblur: () => graph.frame.showNear() }),
      critical ? make("span.chip.is-critical", "critical") : slack > 0 && meaning !== "done" && make("span.muted", { title: "May be this much later" }, `${durationWord(slack)} slack`)))),
  ]);
}
