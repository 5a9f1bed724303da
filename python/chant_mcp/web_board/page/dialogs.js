// Small forms and notices. The forms are no `<form>`: the policy and a host's sandbox let none be sent.

/** Asks for some fields; gives their values by name, or null where the person left. */
function askForm(title, fields, actLabel, ...more) {
  return new Promise((resolve) => {
    const inputs = fields.map(({ name, label, options, value, isLong, isNeeded }) => {
      const input = options ? choice(label, options, value) : make(isLong ? "textarea" : "input", { rows: 4, required: isNeeded, value });
      return { name, input, label: make("label", label, input) };
    });
    const submit = () => {
      const missing = inputs.find(({ input }) => !input.checkValidity() || (input.required && !input.value.trim()));
      if (missing) return missing.input.focus();
      resolve(Object.fromEntries(inputs.map(({ name, input }) => [name, input.value.trim()])));
      return dialog.close();
    };
    const dialog = openDialog(title, more, inputs.map(({ label }) => label),
      buttons(button("Cancel", () => dialog.close()), button(actLabel, submit, { look: ".main" })));
    dialog.addEventListener("keydown", (event) => isSubmit(event) && (event.preventDefault(), submit()));
    dialog.addEventListener("close", () => resolve(null));
  });
}

const isSubmit = (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey || event.target.localName === "input");

function openDialog(title, ...children) {
  const before = document.activeElement;
  const dialog = make("dialog", { aria: title }, make("h2", title), children);
  dialog.addEventListener("close", () => (dialog.remove(), before.isConnected && before.focus(QUIETLY)));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks for a new item; where one is open, its plan or feature is the first choice. */
async function addItem() {
  if (!canAct()) return;
  const has = (...names) => board.look?.dialects.some(({ dialect }) => names.includes(dialect));
  const { plans = [], features = [] } = (has("vine", "speckit") && (await call("board_places").catch(report))) || {};
  const tasks = [...plans.map(({ file }) => [`vine:${file}`, file]), ...(canDecide() ? features : []).map((name) => [`speckit:${name}`, name])];
  const kinds = [["chant", "Spec"], ...(has("tickets") ? [["tickets", "Ticket"]] : []), ...tasks.map(([kind, name]) => [kind, `Task of ${name}`])];
  const value = drawer.key?.split("#")[0];
  const given = await askForm("Add", [
    ...(kinds.length > 1 ? [{ name: "kind", label: "Kind", options: kinds, value }] : []),
    { name: "title", label: "Title", isNeeded: true },
    { name: "criteria", label: "Done when (one line each)", isLong: true },
  ], "Add");
  if (!given) return;
  const { kind = "chant", title, criteria } = given;
  const file = idOf(kind);
  const plan = plans.find((one) => kind === `vine:${one.file}`);
  const lines = criteria.split("\n").filter((line) => line.trim());
  await perform(() => {
    if (plan) return addPlanTask(plan, title, criteria);
    if (kind.startsWith("speckit:")) return decide("add_task", { feature: file, title: [title, ...lines].join("; ") });
    return (kind === "tickets" ? addTicket : addSpec)(title, lines);
  });
}

/** Adds a task to a plan: the open one of its tasks waits for it, else the root. */
async function addPlanTask({ file, root }, name, description) {
  const [place, open] = (drawer.key ?? "").split("#");
  const taskId = place === `vine:${file}` && drawer.item?.meaning !== "done" ? open : root;
  const word = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 40) || "task";
  const isTaken = (id) => call("board_item", { key: `vine:${file}#${id}` }).then(() => true, () => false);
  let id = word;
  for (let number = 2; await isTaken(id); number += 1) id = `${word}-${number}`;
  const write = (...operations) => call("vine_write", { file, operations });
  await write({ op: "add_task", id, name, description }, { op: "add_dep", taskId, depId: id });
  return { text: `Added “${name}”.`, undo: () => write({ op: "remove_task", id }) };
}

async function addSpec(title, criteria) {
  const { id } = await call("chant_add", { description: title, criteria });
  if (id) go(`item/chant:${id}`);
  return `Added “${title}”.`;
}

async function addTicket(title, criteria) {
  const boxes = criteria.map((line) => `- [ ] ${line}\n`).join("");
  const content = boxes && `## Acceptance Criteria\n\n${boxes}`;
  await call("create_cr", { type: "Feature Enhancement", data: { title, ...(content && { content }) } });
  return `Added “${title}”.`;
}

const KEYS = {
  "j k ↑ ↓": "next, previous row", "h l ← →": "column to the left, to the right", "g G Home End": "first, last row",
  "PgUp PgDn": "a page up, down", Enter: "open", Esc: "back to where you were", "/": "search",
  "1 … 6": "board, graph, timeline, agents, inbox, problems", a: "inbox", n: "add", u: "undo",
  "+ − 0 arrows": "in the graph: larger, smaller, all of it, move", "Ctrl Enter": "save or send", "?": "these keys",
};

function showKeys() {
  const isOn = make("input", { type: "checkbox", checked: keys.hasLetters, onchange: () => switchLetters(isOn.checked) });
  const dialog = openDialog("Keys",
    make("dl", Object.entries(KEYS).map(([key, text]) => [make("dt", make("kbd", key)), make("dd", text)])),
    make("label.check", isOn, "Single letters are keys"), buttons(button("Close", () => dialog.close(), { look: ".main" })));
}

const report = (error) => notify(error?.message ?? error, null, ".is-error");

/** Shows a notice, also to people who listen; one about an error stays until it is closed. */
function notify(text, act, look = "") {
  const line = String(text).slice(0, 600);
  fill(byId("status"), line);
  const notice = make(`div.notice${look}`, make("p", line), act && button(act.label, () => (notice.remove(), act.run())),
    button("✕", () => notice.remove(), { aria: "Close notice" }));
  const place = byId("notices");
  if (place.children.length > 2) place.firstChild.remove();
  place.append(notice);
  if (!look) setTimeout(() => notice.matches(":hover, :focus-within") || notice.remove(), act ? 12_000 : 5000);
}
