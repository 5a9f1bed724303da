// The graph: a picture that the core laid out, with pan, zoom and hover, and beside it the same items as a list.

const graph = { depth: 2, view: null, home: null, svg: null, drag: null, isCritical: false, isMoved: false };

const graphScreen = {
  title: "Graph",
  show(place) {
    graph.picture = make("div.picture", {
      tabIndex: 0, role: "group", aria: "Picture of the graph: arrow keys move, plus and minus zoom, 0 shows all",
      onpointerdown: startDrag, onpointermove: moveDrag, onpointerup: endDrag, onpointercancel: endDrag, onclick: clickFigure,
      onpointerover: (event) => showNear(keyOfFigure(event)), onpointerout: () => showNear(), onkeydown: pressInGraph,
    });
    graph.picture.addEventListener("wheel", zoomAtPointer, { passive: false });
    graph.list = make("div.graph-list");
    graph.bar = make("div.filters");
    fill(place, make("div.graph", graph.bar, graph.picture, graph.list));
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
    button("−", () => zoomBy("-"), { aria: "Smaller", at: "-" }), button("+", () => zoomBy("+"), { aria: "Larger", at: "+" }), button("All", () => zoomBy("0"), { at: "0" }),
    muted(`${numberWord(shown)} of ${counted(total, "item")}`));
    redraw(graph.picture, [scene, key], () => pictureNodes(scene, shown));
    showGraphList(items);
  },
};

function toggleCritical(items) {
  graph.isCritical = !graph.isCritical;
  graph.picture.classList.toggle("only-critical", graph.isCritical);
  showGraphList(items);
  lookSoon();
}

function pictureNodes(scene, shown) {
  graph.svg = shown ? sceneNode(scene) : null;
  if (!shown) return note("There is nothing to draw.");
  const { svg } = graph;
  // The list beside it says the same to a screen reader, in an order that can be followed.
  svg.setAttribute("aria-hidden", "true");
  const old = String(graph.home);
  graph.home = (svg.getAttribute("viewBox") ?? "").split(/[ ,]+/).map(Number);
  if (graph.home.length < 4) graph.home = [0, 0, Number(svg.getAttribute("width")), Number(svg.getAttribute("height"))];
  ["width", "height"].forEach((name) => svg.removeAttribute(name));
  setView(old === String(graph.home) ? graph.view : openingView());
  return svg;
}

/** A graph too wide to be read begins with its left part. */
function openingView() {
  const [x, y, width, height] = graph.home;
  const { clientWidth, clientHeight } = graph.picture;
  return Math.max(width / clientWidth, height / clientHeight) < 1.6 ? graph.home : [x, y, clientWidth * 1.4, clientHeight * 1.4];
}

function setView(view) {
  graph.view = view;
  graph.svg?.setAttribute("viewBox", view.map((number) => number.toFixed(1)).join(" "));
}

function zoomBy(name) {
  if (name === "0") setView(graph.home);
  else zoom(name === "+" ? 0.8 : 1.25);
}

/** Zooms so that the point at these parts of width and height stays where it is. */
function zoom(factor, atX = 0.5, atY = 0.5) {
  const [x, y, width, height] = graph.view;
  const ratio = Math.min(Math.max(width * factor, 80), graph.home[2] * 4) / width;
  setView([x + width * atX * (1 - ratio), y + height * atY * (1 - ratio), width * ratio, height * ratio]);
}

function zoomAtPointer(event) {
  event.preventDefault();
  const { left, top, width, height } = graph.picture.getBoundingClientRect();
  if (graph.svg) zoom(event.deltaY < 0 ? 0.86 : 1.16, (event.clientX - left) / width, (event.clientY - top) / height);
}

function pan(dx, dy) {
  const [x, y, width, height] = graph.view;
  const scale = Math.max(width / graph.picture.clientWidth, height / graph.picture.clientHeight);
  setView([x - dx * scale, y - dy * scale, width, height]);
}

function startDrag({ button: pressedButton, clientX: x, clientY: y }) {
  graph.isMoved = false;
  if (!pressedButton && graph.svg) graph.drag = { x, y };
}

function moveDrag({ clientX: x, clientY: y, pointerId }) {
  const { drag } = graph;
  if (!drag || (!graph.isMoved && Math.hypot(x - drag.x, y - drag.y) < 4)) return;
  // Captured only now: captured on press, each click would land on the picture instead of the figure.
  if (!graph.isMoved) graph.picture.setPointerCapture(pointerId);
  graph.isMoved = true;
  pan(x - drag.x, y - drag.y);
  graph.drag = { x, y };
}

const endDrag = () => (graph.drag = null);
const keyOfFigure = ({ target }) => target.closest("[data-key]")?.dataset.key;

function clickFigure(event) {
  const key = keyOfFigure(event);
  if (key && !graph.isMoved) go(`item/${key}`);
}

/** Brings out an item, its arrows, and what they lead to. */
function showNear(key) {
  const near = new Set([key]);
  for (const edge of graph.svg?.querySelectorAll("[data-from]") ?? []) {
    const { from, to } = edge.dataset;
    const isNear = from === key || to === key;
    edge.classList.toggle("is-near", isNear);
    if (isNear) near.add(from).add(to);
  }
  for (const figure of graph.svg?.querySelectorAll("[data-key]") ?? []) figure.classList.toggle("is-near", near.has(figure.dataset.key));
  graph.picture.classList.toggle("has-near", key !== undefined);
}

function pressInGraph(event) {
  const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  const { key } = event;
  if (!graph.svg || event.ctrlKey || event.metaKey) return;
  if (moves[key]) pan(...moves[key]);
  else if ("+-0".includes(key)) zoomBy(key);
  else return;
  event.preventDefault();
}

function showGraphList(items) {
  const rows = items.filter(({ critical }) => critical || !graph.isCritical);
  redraw(graph.list, [rows], () => [
    make("h2", graph.isCritical ? "Critical path" : "Items"),
    make("ul", rows.map(({ key, title, meaning, critical, slack }) => make("li", { onpointerenter: () => showNear(key), onpointerleave: () => showNear() },
      meaningMark(meaning), itemLink(key, title, { onfocus: () => showNear(key), onblur: () => showNear() }),
      critical ? make("span.chip.is-critical", "critical") : slack >= 0 && meaning !== "done" && make("span.muted", { title: "So much later it can be done without delaying the whole" }, `${hoursWord(slack / 3600)} slack`)))),
  ]);
}
