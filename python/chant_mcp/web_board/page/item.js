// The drawer of an item: its text, criteria, what it waits for and holds up, its run, and what can be done.

const drawer = { key: null, item: null, tab: "Text", opener: null, element: null, isEditing: false };

const TABS = {
  Text: { show: textNodes },
  Criteria: { show: criteriaNodes, isFor: ({ criteria }) => criteria?.length, count: ({ criteria }) => `${criteria.filter(({ done }) => done).length}/${criteria.length}` },
  Dependencies: { show: waitNodes, count: ({ around }) => around?.waits_for?.length || "" },
  Log: { show: logNodes, isFor: ({ work }) => work },
  Diff: { show: diffPlace, isFor: ({ work }) => work },
  Review: { show: reviewPlace, isFor: ({ work }) => work && canDecide() },
};
const tabsOf = (item) => Object.keys(TABS).filter((name) => TABS[name].isFor?.(item) ?? true);

async function openItem(key, tab) {
  if (drawer.key === null) drawer.opener = document.activeElement;
  const isOther = drawer.key !== key;
  Object.assign(drawer, { key, isEditing: isOther ? false : drawer.isEditing, tab: tab ?? drawer.tab });
  await refreshItem();
  // It may have been closed while it was on its way.
  if (drawer.key !== key) return;
  if (drawer.item?.key === key) drawer.element.querySelector("h2").focus(QUIETLY);
  else closeItem();
}

/** Shows what changed in the open item; a text that is being edited stays as it is. */
async function refreshItem() {
  const { key } = drawer;
  if (key === null) return;
  const item = await call("board_item", { key }).catch(report);
  if (item && key === drawer.key) showItem(item);
}

function closeItem() {
  const { opener } = drawer;
  Object.assign(drawer, { key: null, item: null, element: null, opener: null, isEditing: false });
  fill(byId("drawer-place"));
  holdBehind();
  if (opener?.isConnected && opener !== document.body) opener.focus(QUIETLY);
  else focusScreen();
}

/** Where the drawer covers the screen, what lies behind it cannot be reached. */
function holdBehind() {
  byId("screen").inert = drawer.element !== null && matchMedia("(max-width: 900px)").matches;
}

function showItem(item) {
  drawer.item = item;
  if (drawer.element === null) buildDrawer();
  if (!tabsOf(item).includes(drawer.tab)) drawer.tab = "Text";
  redraw(drawer.head, item, () => headNodes(item));
  showTabs(item);
  if (!drawer.isEditing) showTab();
}

function buildDrawer() {
  drawer.head = make("div.drawer-head");
  drawer.tabs = make("div.drawer-tabs", { role: "tablist", aria: "Parts of the item", onkeydown: pressTab });
  drawer.panel = make("div.drawer-panel", { role: "tabpanel", id: "panel", tabIndex: 0 });
  drawer.element = make("section.drawer", { role: "dialog", "aria-labelledby": "drawer-title" }, drawer.head, drawer.tabs, drawer.panel);
  fill(byId("drawer-place"), drawer.element);
  holdBehind();
}

const headNodes = (item) => [
  make("div.title-line", meaningMark(item.meaning), make("h2", { id: "drawer-title", tabIndex: -1, at: "title" }, item.title || item.id),
    button("✕", () => go(route.screen), { aria: "Close", look: ".quiet", at: "close" })),
  make("p.facts", make(`span.chip.pill.${item.meaning}`, stateWord(item.status)), whyNode(item), chip(item.priority), mention(item.assignee),
    (item.labels ?? []).map(chip), make("code", item.key)),
  buttons(actsOf(item).map(([label, run], place) => actButton(label, run, { look: place || label === "Pause" ? "" : ".main" })), choicesOf(item)),
];

function showTabs(item) {
  redraw(drawer.tabs, [item, drawer.tab], () => tabsOf(item).map((name) => button([name, " ", TABS[name].count?.(item)], () => chooseTab(name), {
    role: "tab", at: name, id: `tab-${name}`, "aria-selected": name === drawer.tab, "aria-controls": "panel", tabIndex: name === drawer.tab ? 0 : -1,
  })));
  setProperties(drawer.panel, { "aria-labelledby": `tab-${drawer.tab}` });
}

function chooseTab(name) {
  Object.assign(drawer, { tab: name, isEditing: false });
  showTabs(drawer.item);
  showTab();
}

function showTab() {
  const top = drawer.panel.scrollTop;
  const isSame = drawer.panel.dataset.tab === drawer.tab;
  drawer.panel.dataset.tab = drawer.tab;
  redraw(drawer.panel, [drawer.tab, drawer.item], () => TABS[drawer.tab].show(drawer.item));
  drawer.panel.scrollTop = isSame ? top : 0;
}

function pressTab(event) {
  const names = tabsOf(drawer.item);
  const step = { ArrowRight: 1, ArrowLeft: names.length - 1 }[event.key];
  if (!step) return;
  event.preventDefault();
  chooseTab(names[(names.indexOf(drawer.tab) + step) % names.length]);
  byId(`tab-${drawer.tab}`).focus();
}

function textNodes(item) {
  const sections = canEdit(item) ? [...item.sections] : [];
  // Headings and sections come in the same order.
  const decorate = (heading, text) => {
    const place = sections.findIndex(({ name }) => headingText(name) === text);
    if (place >= 0) append(heading, [editButton(item, sections.splice(0, place + 1).pop().name)]);
  };
  const headings = { last: 2, decorate };
  const blocks = item.document ?? [];
  return [
    make("div.document", blocks.map((block) => documentNode(block, headings)), !blocks.length && note("There is no text.")),
    item.cut && note(`The text goes on in ${item.path}.`), make("p.path", item.path),
  ];
}

function criteriaNodes(item) {
  const disabled = !canAct() || !(item.edits || TICKS[item.dialect]) || item.meaning === "done";
  return make("ul.criteria", item.criteria.map((criterion, number) => {
    const { text, done: checked } = criterion;
    // The box follows the file: a tick that is refused does not stay.
    const onchange = async () => (await tick(item, criterion)) || (box.checked = checked);
    const box = make("input", { type: "checkbox", at: `${number}`, checked, disabled, onchange });
    return make("li", make("label", box, make("span", text)));
  }));
}

function waitNodes({ key, around = {}, parent, children = [] }) {
  return [
    make("h3", "Depends on"), treeNode(around.waits_for, "It depends on nothing.", around.waits_for_more),
    make("h3", "Holds up"), treeNode(around.needed_by, "Nothing waits for it.", around.needed_by_more),
    parent && [make("h3", "Part of"), make("p", itemLink(parent))],
    children.length > 0 && [make("h3", "Parts"), make("ul.tree", children.map((child) => make("li", meaningMark(child.meaning), itemLink(child.key, child.title))))],
    make("p", button("Show in the graph", () => go(`graph/${key}`))),
  ];
}

function treeNode(rows = [], emptyWords, isCut) {
  if (!rows.length) return note(emptyWords);
  return make("ul.tree", rows.map((row) => {
    const line = make("li", make("span.symbol", row.symbol), itemLink(row.key, row.title), muted(stateWord(row.status), row.leads === "above" && " (see above)"));
    line.style.marginInlineStart = `${Math.min(row.depth, 8) * 16}px`;
    return line;
  }), isCut && make("li", muted("and more")));
}
