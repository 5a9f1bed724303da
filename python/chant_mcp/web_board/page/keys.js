// The keyboard. Single letters count outside of fields only, and can be switched off.

const LETTERS_OFF = "chant-letters-off";
const keys = { hasLetters: true };

function listenToKeys() {
  // A host's frame has no storage: there the choice holds until the frame is closed.
  if (!host.isThere) keys.hasLetters = !localStorage.getItem(LETTERS_OFF);
  document.addEventListener("keydown", pressKey);
}

function switchLetters(isOn) {
  keys.hasLetters = isOn;
  if (!host.isThere) localStorage.setItem(LETTERS_OFF, isOn ? "" : "1");
}

function pressKey(event) {
  const { key, target } = event;
  const isChord = event.ctrlKey || event.metaKey;
  if (event.defaultPrevented || event.altKey || document.querySelector("dialog[open]")) return;
  if (isChord && key === "k") event.preventDefault(), runLater("openPalette");
  if (isChord) return;
  const isField = target.matches("input:not([type=checkbox]), textarea, select");
  const isLetter = key.length === 1 && key !== " ";
  if (key === "Escape" ? pressEscape(target, isField) : !isField && (keys.hasLetters || !isLetter) && (pressInScreen(key, target) || pressAnywhere(key))) event.preventDefault();
}

function pressEscape(target, isField) {
  if (drawer.key !== null) go(route.screen);
  else if (target.id === "search" && target.value) (target.value = ""), setFilter({ search: "" });
  else if (isField) focusScreen();
  else return false;
  return true;
}

/** Keys of lists: of the one with the focus, else of the first one of the screen. */
function pressInScreen(key, target) {
  if (drawer.element?.contains(target)) return false;
  const sideways = { h: -1, ArrowLeft: -1, l: 1, ArrowRight: 1 }[key];
  if (target.rows && sideways && route.screen === "board") return moveColumn(sideways), true;
  if (target.rows) return target.rows.press(key);
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[key];
  if (!step) return false;
  const list = board.columns[board.current]?.rows.element;
  const rows = list?.isConnected ? list : document.querySelector("#screen .rows");
  rows?.focus(QUIETLY);
  return Boolean(rows) || moveAmongStops(step);
}

/** Moves among the entries of a list that has a node for each. */
function moveAmongStops(step) {
  const stops = [...document.querySelectorAll("#screen .stop")];
  const holder = document.activeElement.closest("li, button");
  const at = stops.findIndex((stop) => holder?.contains(stop));
  const next = stops[Math.max(0, at + step)] ?? stops.at(-1);
  next?.focus();
  return Boolean(next);
}

function pressAnywhere(key) {
  const acts = { a: () => go("inbox"), "/": startSearch, "?": showKeys, n: addItem, u: undoLast };
  const screen = /^\d$/.test(key) && Object.keys(SCREENS)[key - 1];
  if (screen) go(screen);
  else if (acts[key]) acts[key]();
  else return false;
  return true;
}

async function startSearch() {
  await go("board");
  byId("search")?.select();
}
