// Adding: a spec, a ticket, a task of a plan or of a feature, with labels, dependencies and criteria.

/** Takes what it needs of the page, and gives the form. */
function makeAdding({ askForm, board, call, canDecide, decide, drawer, go, idOf, perform, report }) {
  const LABELS = "Labels, with commas";
  const listOf = (text, separator) => text.split(separator).map((part) => part.trim()).filter(Boolean);

  /** Asks for a new item; where one is open, its plan or feature is the first choice. */
  async function addItem() {
    const has = (...names) => board.look?.dialects.some(({ dialect }) => names.includes(dialect));
    const { plans = [], features = [] } = (has("vine", "speckit") && (await call("board_places").catch(report))) || {};
    const tasks = [...plans.map(({ file }) => [`vine:${file}`, file]), ...(canDecide() ? features : []).map((name) => [`speckit:${name}`, name])];
    const kinds = [["chant", "Spec"], ...(has("tickets") ? [["tickets", "Ticket"]] : []), ...tasks.map(([kind, name]) => [kind, `Task of ${name}`])];
    const value = drawer.key?.split("#")[0];
    const asked = askForm("Add", [
      ...(kinds.length > 1 ? [{ name: "kind", label: "Kind", options: kinds, value }] : []),
      { name: "title", label: "Title", isNeeded: true },
      { name: "criteria", label: "Done when (one line each)", isLong: true },
      { name: "labels", label: LABELS },
      { name: "waits", label: "Depends on: IDs, with commas" },
    ], "Add");
    hideLabels();
    const given = await asked;
    return given && perform(() => addGiven(given, plans));
  }

  /** Only specs have labels: the field is there while a spec is chosen. */
  function hideLabels() {
    const dialog = document.querySelector("dialog[open]");
    const kind = dialog.querySelector("select");
    const labels = [...dialog.querySelectorAll("label")].find((label) => label.textContent === LABELS);
    const show = () => (labels.hidden = Boolean(kind) && kind.value !== "chant");
    kind?.addEventListener("change", show);
    show();
  }

  function addGiven({ kind = "chant", title, labels, waits, criteria }, plans) {
    const plan = plans.find(({ file }) => kind === `vine:${file}`);
    const lines = listOf(criteria, "\n");
    const names = listOf(waits, ",");
    if (plan) return addPlanTask(plan, title, criteria, names);
    if (kind === "tickets") return addTicket(title, lines, names);
    if (kind === "chant") return canDecide() ? addSpec({ title, labels, depends_on: waits, criteria }) : proposeSpec(title, lines, listOf(labels, ","), names);
    const needs = names.length ? ` (depends on ${names.join(", ")})` : "";
    return decide("add_task", { feature: idOf(kind), title: [title, ...lines].join("; ") + needs });
  }

  /** Adds a task to a plan: the open one of its tasks waits for it, else the root. */
  async function addPlanTask({ file, root }, name, description, dependsOn) {
    const [place, open] = (drawer.key ?? "").split("#");
    const taskId = place === `vine:${file}` && drawer.item?.meaning !== "done" ? open : root;
    const word = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 40) || "task";
    const isTaken = (id) => call("board_item", { key: `vine:${file}#${id}` }).then(() => true, () => false);
    let id = word;
    for (let number = 2; await isTaken(id); number += 1) id = `${word}-${number}`;
    const write = (...operations) => call("vine_write", { file, operations });
    const needs = dependsOn.length ? { dependsOn } : {};
    await write({ op: "add_task", id, name, description, ...needs }, { op: "add_dep", taskId, depId: id });
    return { text: `Added “${name}”.`, undo: () => write({ op: "remove_task", id }) };
  }

  /** Adds what a person wrote: a dependency or label that cannot be is refused. */
  async function addSpec(details) {
    const { text, key } = await decide("add", details);
    if (key) go(`item/${key}`);
    return text;
  }

  async function proposeSpec(description, criteria, labels, waits) {
    const { id } = await call("chant_add", { description, criteria, labels, depends_on: waits });
    if (id) go(`item/chant:${id}`);
    return `Added “${description}”.`;
  }

  async function addTicket(title, criteria, waits) {
    const boxes = criteria.map((line) => `- [ ] ${line}\n`).join("");
    const content = boxes && `## Acceptance Criteria\n\n${boxes}`;
    await call("create_cr", { type: "Feature Enhancement", data: { title, ...(content && { content }), ...(waits.length && { dependsOn: waits.join(", ") }) } });
    return `Added “${title}”.`;
  }

  return { addItem };
}
