// Screens, addresses, and the start.

const SCREENS = { board: boardScreen, graph: graphScreen, timeline: timelineScreen, agents: agentsScreen, inbox: inboxScreen, problems: problemsScreen };
const route = { screen: "", key: null };

/** Goes to a screen (`inbox`), to a part of the graph (`graph/KEY`), or opens an item (`item/KEY`). */
async function go(address) {
  try {
    // In a host the address is not ours to change.
    if (!host.isThere && addressNow() !== address) history.pushState(null, "", `#${encodeURI(address)}`);
    await showAddress(address);
  } catch (error) {
    report(error);
  }
}

function addressNow() {
  try {
    return decodeURI(location.hash.slice(1));
  } catch {
    return "";
  }
}

async function showAddress(address) {
  const [, name, key = null] = /^(\w+)\/?(.+)?$/.exec(address) ?? [];
  if (name === "item" && key) return openItem(key);
  if (drawer.key !== null) closeItem();
  return showScreen(SCREENS[name] ? name : "board", key);
}

async function showScreen(name, key) {
  const isSame = route.screen === name;
  if (isSame && route.key === key) return;
  Object.assign(route, { screen: name, key });
  if (!isSame) {
    SCREENS[name].show(byId("screen"));
    document.title = `${SCREENS[name].title} – chant`;
    fill(byId("screens"), Object.keys(SCREENS).map(screenLink));
    focusScreen();
  }
  await refreshAll();
}

const screenLink = (name) => make("a.screen-link", { href: `#${name}`, "aria-current": name === route.screen ? "page" : undefined }, SCREENS[name].title, make("span.count", { id: `count-${name}` }));
const focusScreen = () => byId("screen").focus(QUIETLY);

/** Looks again at all that is shown: the counts, the screen, the open item. */
async function refreshAll() {
  const { screen } = route;
  await takeLook();
  if (screen === route.screen) await SCREENS[screen].refresh(byId("screen"));
  await refreshItem();
}

function showCounts(look) {
  const count = (name) => look.columns.find(({ meaning }) => meaning === name)?.count;
  const counts = { agents: look.runs_total ?? count("being_worked_on"), inbox: look.inbox_total ?? count("waits_for_you"), problems: look.problems_total };
  // A filter counts what it lets through; the tabs keep what is true of all.
  for (const [name, total] of Object.entries(isFiltered() ? {} : counts)) fill(byId(`count-${name}`), total > 0 && numberWord(total));
}

function followLinks(event) {
  const href = event.target.closest("a[href]")?.getAttribute("href");
  if (!href || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (href === "#screen") focusScreen();
  else if (href.startsWith("#")) go(href.slice(1));
  // A sandboxed frame opens no window: the host does, and may ask.
  else if (host.isThere) ask("ui/open-link", { url: href }).catch(report);
  else return;
  event.preventDefault();
}

const THEME = "chant-theme";
const THEMES = { "": "System theme", light: "Light theme", dark: "Dark theme" };
const showTheme = () => (document.documentElement.style.colorScheme = localStorage.getItem(THEME) ?? "");

/** Keeps the theme that a person chose in this browser. */
function setTheme(theme) {
  localStorage.setItem(THEME, theme);
  showTheme();
  showTools();
}

function showTools() {
  fill(byId("tools"), canAct() && button("+ Add", addItem, { look: ".main" }),
    host.isThere && button("⤢", () => ask("ui/request-display-mode", { mode: "fullscreen" }).catch(report), { aria: "Full screen" }),
    !host.isThere && choice("Theme", Object.entries(THEMES), localStorage.getItem(THEME) ?? "", setTheme),
    button("?", showKeys, { aria: "Keys" }));
  const hints = { "j k": "move", Enter: "open", "/": "search", "⌘K": "find", a: "inbox", "?": "keys" };
  fill(byId("hints"), Object.entries(hints).map(([key, word]) => make("span", make("kbd", key), ` ${word}`)));
  // Several boards may be open: the name of the folder says which one this is.
  if (person.folder) fill(document.querySelector("h1"), person.folder.split(/[\\/]/).pop()).title = person.folder;
}

function showStop(text) {
  ["drawer-place", "screens", "tools", "hints"].forEach((id) => fill(byId(id)));
  byId("screen").inert = false;
  fill(byId("screen"), make("section.first", make("h2", "This board is closed"), make("p", text)));
}

async function start() {
  // A host that shows this page answers; else the page's own server is asked, with a person's key.
  const isHosted = parent !== window && (await joinHost());
  if (!isHosted) showTheme(), await findPerson();
  document.addEventListener("click", followLinks);
  addEventListener("popstate", () => showAddress(addressNow()).catch(report));
  addEventListener("resize", holdBehind);
  listenToKeys();
  showTools();
  const address = isHosted ? "" : addressNow();
  const isItem = address.startsWith("item/");
  await showAddress(isItem ? "" : address).catch(report);
  if (isItem) await openItem(address.slice(5));
  followChanges();
}

start().catch((error) => showStop(error.message));
