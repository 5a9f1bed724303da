// The palette, which finds screens, acts and items by a few letters; and the list of keys.

const KEYS = {
  "Ctrl K, ⌘ K": "find a screen, an act or an item", "j k ↑ ↓": "next, previous row",
  "h l ← →": "column to the left, to the right", "g G Home End": "first, last row",
  "PgUp PgDn": "a page up, down", Enter: "open", Esc: "back to where you were", "/": "search",
  "1 … 6": "board, graph, timeline, agents, inbox, problems", a: "inbox", n: "add", u: "undo",
  "+ − 0 arrows": "in the graph: larger, smaller, all of it, move", "Ctrl Enter": "save or send", "?": "these keys",
};

/** Takes what it needs of the page, and gives the palette and the list of keys. */
function makePalette({ SCREENS, THEMES, actsOf, button, buttons, call, canAct, drawer, fill, go, host, keys, make, meaningMark, openDialog, perform, report, setTheme, shortId, startSearch, switchLetters, undoLast }, addItem) {
  function showKeys() {
    const isOn = make("input", { type: "checkbox", checked: keys.hasLetters, onchange: () => switchLetters(isOn.checked) });
    const dialog = openDialog("Keys",
      make("dl", Object.entries(KEYS).map(([key, text]) => [make("dt", make("kbd", key)), make("dd", text)])),
      make("label.check", isOn, "Single letters are keys"), buttons(button("Close", () => dialog.close(), { look: ".main" })));
  }

  /** Gives what can be done from anywhere, as words and function; acts of the open item come first. */
  function commands() {
    const acts = drawer.item ? actsOf(drawer.item).map(([label, run]) => [`${label} ${shortId(drawer.item.id ?? "")}`, () => perform(run)]) : [];
    const screens = Object.entries(SCREENS).map(([name, { title }]) => [`Go to ${title}`, () => go(name)]);
    const themes = host.isThere ? [] : Object.entries(THEMES).map(([theme, label]) => [`Use the ${label.toLowerCase()}`, () => setTheme(theme)]);
    return [...acts, ...screens, ...(canAct() ? [["Add…", addItem], ["Undo the last act", undoLast]] : []),
      ["Search the board", startSearch], ["Show the keys", showKeys], ...themes];
  }

  /** Whether all letters of what was typed come in a text, in this order. */
  function matches(text, typed) {
    let at = 0;
    for (const letter of text.toLowerCase()) if (letter === typed[at]) at += 1;
    return at >= typed.length;
  }

  async function findItems(search) {
    const { columns } = await call("board_look", { search, limit: 8 });
    return columns.flatMap(({ meaning, items }) => items.map(({ key, id, title }) => [[meaningMark(meaning), " ", title || id, make("span.muted", ` ${shortId(id)}`)], () => go(`item/${key}`)]));
  }

  function openPalette() {
    const all = commands();
    let shown = [];
    let chosen = 0;
    const list = make("ul.found", { id: "found", role: "listbox", aria: "Matches" });
    const input = make("input", { role: "combobox", aria: "Find a screen, an act or an item", "aria-controls": "found", "aria-expanded": "true", oninput: () => find().catch(report) });
    const choose = (place) => {
      chosen = Math.max(0, Math.min(place, shown.length - 1));
      [...list.children].forEach((entry, at) => entry.setAttribute("aria-selected", at === chosen));
      list.children[chosen]?.scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", shown.length ? `found-${chosen}` : "");
    };
    const use = (place) => {
      const entry = shown[place];
      if (!entry) return;
      dialog.close();
      entry[1]();
    };
    const show = (entries) => {
      shown = entries;
      fill(list, entries.map(([words], place) => make("li", { id: `found-${place}`, role: "option", onclick: () => use(place) }, words)), !entries.length && "No match.");
      choose(0);
    };
    async function find() {
      const typed = input.value.trim().toLowerCase();
      const found = all.filter(([text]) => matches(text, typed.replaceAll(" ", "")));
      show(found);
      if (!typed) return;
      const items = await findItems(input.value.trim());
      // What was typed since is asked for by itself.
      if (typed === input.value.trim().toLowerCase()) show([...items, ...found]);
    }
    const dialog = openDialog("Find", input, list);
    dialog.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) choose(chosen + step);
      else if (event.key === "Enter") use(chosen);
      else return;
      event.preventDefault();
    });
    input.focus();
    show(all);
  }

  return { openPalette, showKeys };
}

/** Gives all that is loaded on demand, for the page whose functions these are. */
export function makeLater(page) {
  const adding = makeAdding(page);
  return { ...makeEditor(page), ...adding, ...makeReview(page), ...makePalette(page, adding.addItem) };
}
