// Small forms and notices. The forms are no `<form>`: the policy and a host's sandbox let none be sent.

/** Asks for some fields; gives their values by name, or null where the person left. */
function askForm(title, fields, actLabel, ...more) {
  return new Promise((resolve) => {
    const inputs = fields.map(({ name, label, options, isLong, isNeeded }) => {
      const input = options ? choice(label, options.map((each) => [each, each])) : make(isLong ? "textarea" : "input", { rows: 4, required: isNeeded });
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

async function addItem() {
  if (!canAct()) return;
  const hasTickets = board.look?.dialects.some(({ dialect }) => dialect === "tickets");
  const given = await askForm("Add", [
    ...(hasTickets ? [{ name: "kind", label: "Kind", options: ["Spec", "Ticket"] }] : []),
    { name: "title", label: "Title", isNeeded: true },
    { name: "criteria", label: "Done when (one line each)", isLong: true },
  ], "Add");
  if (given) await perform(() => (given.kind === "Ticket" ? addTicket : addSpec)(given.title, given.criteria.split("\n").filter((line) => line.trim())));
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
