// Search, filters and swim lanes of the board.

const LANE_ROWS = 300;
const LANE_CARDS = 8;
let filterTimer = 0;

/** Applies a filter; while a person types, only when they rest. */
function setFilter(change, wait = 0) {
  Object.assign(board, change);
  clearTimeout(filterTimer);
  filterTimer = setTimeout(() => {
    Object.values(board.columns).forEach(({ rows }) => (rows.element.scrollTop = 0));
    lookSoon();
  }, wait);
}

/** Shows the filters that board and graph share, and with `hasSearch` the search. */
function showFilters(place, hasSearch, ...more) {
  const { dialects, labels } = board.look;
  const options = (all, list) => [["", all], ...list];
  const known = labels.map(({ label, count }) => [label, `${label} (${count})`]);
  // A label that is no longer there is still the filter that holds.
  if (board.label && !labels.some(({ label }) => label === board.label)) known.push([board.label, board.label]);
  redraw(place, [dialects, known, board.dialect, board.label, board.lanes, more.length && Math.random()], () => [
    hasSearch && searchNodes(),
    choice("Format", options("All formats", dialects.map(({ dialect }) => [dialect, dialectWord(dialect)])), board.dialect, (dialect) => setFilter({ dialect })),
    choice("Label", options("All labels", known), board.label, (label) => setFilter({ label })),
    hasSearch && choice("Lanes", options("No lanes", [["label", "Lanes by label"], ["parent", "Lanes by parent"]]), board.lanes, (lanes) => setFilter({ lanes })),
    hasSearch && make("div.dialects", dialects.map(({ dialect, total, done }) =>
      make("span", { title: `${done} of ${total} done` }, dialectWord(dialect), " ", make("b", `${Math.floor((100 * done) / (total || 1))} %`)))),
    more,
  ]);
}

function searchNodes() {
  const search = make("input", {
    id: "search", at: "search", type: "search", placeholder: "Search", value: board.search, aria: "Search titles and IDs",
    oninput: () => setFilter({ search: search.value.trim() }, 120),
  });
  const bodies = make("input", { at: "bodies", type: "checkbox", checked: board.bodies, onchange: () => setFilter({ bodies: bodies.checked }) });
  return [search, make("label.check", bodies, "texts, too")];
}

/** Shows a lane for each label or parent, each with the five columns. */
function showLanes(place, look) {
  const top = place.firstChild?.scrollTop ?? 0;
  const isCut = look.columns.some(({ count, items }) => count > items.length);
  redraw(place, [board.lanes, look.columns], () => make("div.lanes", { tabIndex: -1 },
    isCut && note(`Lanes show the first ${LANE_ROWS} items of each column.`), [...lanesOf(look)].sort(byCount).map(laneNode)));
  place.firstChild.scrollTop = top;
}

const byCount = ([, one], [, other]) => other.count - one.count;

function lanesOf({ columns }) {
  const titles = new Map(columns.flatMap(({ items }) => items.map(({ key, title }) => [key, title])));
  const namesOf = ({ labels, parent }) => (board.lanes === "parent" ? [titles.get(parent) ?? parent ?? "no parent"] : labels?.length ? labels : ["no label"]);
  const lanes = new Map();
  for (const { meaning, items } of columns) {
    for (const card of items) for (const name of namesOf(card)) {
      const lane = lanes.get(name) ?? { count: 0, cells: {} };
      lanes.set(name, lane);
      lane.count += 1;
      (lane.cells[meaning] ??= []).push(card);
    }
  }
  return lanes;
}

function laneNode([name, { count, cells }], place) {
  const body = make("div.lane-cells");
  // Far lanes are built when they are opened.
  const build = () => lane.open && !body.firstChild && append(body, Object.keys(MEANINGS).map((meaning) => laneCell(meaning, cells[meaning] ?? [])));
  const lane = make("details.lane", { open: place < 8, ontoggle: build }, make("summary", make("b", name), make("span.count", numberWord(count))), body);
  build();
  return lane;
}

function laneCell(meaning, cards, most = LANE_CARDS) {
  const cell = make(`div.lane-cell.${meaning}`, { role: "group", aria: meaningWord(meaning) }, make("h2", meaningMark(meaning), meaningWord(meaning)),
    cards.slice(0, most).map((card) => button(cardNodes(card), () => go(`item/${card.key}`), { look: ".card.stop", at: card.key })),
    cards.length > most && button(`${cards.length - most} more`, () => cell.replaceWith(laneCell(meaning, cards, LANE_ROWS)), { look: ".quiet" }));
  return cell;
}
