// The board: five columns by what an item means to a person, in every dialect.

const board = { search: "", bodies: "", dialect: "", label: "", lanes: "", look: null, columns: {}, current: "can_begin" };
const boardFilter = () => ({ search: board.search, bodies: (board.search && board.bodies) || undefined, dialect: board.dialect, label: board.label });
const isFiltered = () => Boolean(board.search || board.dialect || board.label);

/** What a look asks for, as screen and filters are now. */
function lookQuestion() {
  const isBoard = route.screen === "board";
  return { ...(isBoard && boardFilter()), limit: !isBoard ? 1 : board.lanes ? LANE_ROWS : PAGE };
}

/** Takes one look for the whole page: counts for the tabs, and the first rows of each column that is another by now. */
async function takeLook() {
  const asked = lookQuestion();
  const question = JSON.stringify(asked);
  const before = board.question === question ? board.look : null;
  const look = await call("board_look", { ...asked, since: before?.cursor });
  look.columns.forEach((column, place) => (column.items ??= before.columns[place].items));
  Object.assign(board, { look, question });
  showCounts(board.look);
}

const boardScreen = {
  title: "Board",
  show(place) {
    board.columns = {};
    board.bar = make("div.filters", { role: "search" });
    board.body = make("div.board-body");
    fill(place, board.bar, board.body);
  },
  async refresh() {
    const { look, body, question } = board;
    // A filter changed while the answer came: under the new one it would say what is not so.
    if (question !== JSON.stringify(lookQuestion())) return lookSoon();
    if (!look.dialects.length && !isFiltered()) return redraw(body, "first", firstPage);
    showFilters(board.bar, true);
    if (board.lanes) return showLanes(body, look);
    const isNew = !body.firstChild;
    redraw(body, "columns", columnNodes);
    redraw(body.firstChild, [look.columns.map(({ count }) => count), board.current], () => look.columns.map(pickerButton));
    await Promise.all(look.columns.map(refreshColumn));
    // Where one column is seen at a time, the first that holds something is.
    if (isNew) showColumn((look.columns.find(({ count }) => count) ?? look.columns[0]).meaning);
  },
};

function columnNodes() {
  const names = Object.keys(MEANINGS);
  // A swipe on a narrow screen brings another column into sight.
  const noteColumn = ({ currentTarget: strip }) => {
    const place = Math.round((strip.scrollLeft / strip.scrollWidth) * names.length);
    if (strip.scrollWidth > strip.clientWidth * 2) setCurrent(names[place]);
  };
  return [make("div.picker", { role: "group", aria: "Columns" }), make("div.columns", { onscroll: noteColumn }, names.map(columnNode))];
}

function columnNode(meaning) {
  const rows = new WindowedRows({
    label: meaningWord(meaning),
    height: 78,
    keyOf: ({ key }) => key,
    load: async (offset) => (await call("board_rows", { ...boardFilter(), meaning, offset, limit: PAGE })).items,
    show: cardNodes,
    open: ({ key }) => go(`item/${key}`),
  });
  rows.element.addEventListener("focus", () => setCurrent(meaning));
  const column = { rows, count: make("span.count"), empty: make("p.empty") };
  column.element = make(`section.column.${meaning}`, { aria: meaningWord(meaning) }, make("h2", meaningMark(meaning), meaningWord(meaning), column.count), column.empty, rows.element);
  board.columns[meaning] = column;
  return column.element;
}

function refreshColumn({ meaning, count, items }) {
  const column = board.columns[meaning];
  fill(column.count, numberWord(count));
  fill(column.empty, !count && (isFiltered() ? "No match." : "Nothing here."));
  // What stands there already is not loaded again.
  return column.rows.seen === items ? undefined : column.rows.refresh(count, items);
}

/** On a narrow screen one column is seen at a time: buttons with the counts lead to the others. */
const pickerButton = ({ meaning, count }) =>
  button([meaningMark(meaning), " ", numberWord(count)], () => showColumn(meaning), { ...pressed(meaning === board.current), at: meaning, aria: `${meaningWord(meaning)}: ${count}` });

function setCurrent(meaning) {
  if (!meaning || meaning === board.current) return;
  board.current = meaning;
  redraw(board.body.firstChild, meaning, () => board.look.columns.map(pickerButton));
}

function showColumn(meaning) {
  const { element } = board.columns[meaning];
  setCurrent(meaning);
  element.parentElement.scrollTo({ left: element.offsetLeft - element.parentElement.offsetLeft });
}

function moveColumn(step) {
  const names = Object.keys(MEANINGS);
  const meaning = names[names.indexOf(board.current) + step];
  if (!meaning) return;
  showColumn(meaning);
  board.columns[meaning].rows.element.focus(QUIETLY);
}

const cardNodes = (card) => [
  make("span.card-title", { title: plain(card.title) }, card.title || card.id),
  // What does not fit on the line is not shown: labels come last.
  make("span.card-line", whyNode(card), progressNode(card.criteria), card.waits > 0 && `${card.waits} before`,
    make("span.card-id", shortId(card.id)), mention(card.assignee), chip(card.priority), (card.labels ?? []).slice(0, 3).map(chip)),
];

/** The first page of an empty project, where the first item is made. */
const firstPage = () => make("section.first", make("h2", "What is to be done first?"),
  make("p", "This folder has no plans yet. A spec is a file that says what is wanted, and when it is done; people and agents work on it."),
  canAct() && buttons(button("Make the first spec", addItem, { look: ".main" })));
