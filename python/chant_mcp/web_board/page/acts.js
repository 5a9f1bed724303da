// What a person can do to an item, and how it is undone. Tools do no more here than they do for an agent; what only
// a person may decide goes another way (`decide`), and is offered only where there is a person's key.

const STATUSES = {
  vine: ["notstarted", "planning", "started", "reviewing", "blocked", "complete"],
  tickets: ["Proposed", "Approved", "In Progress", "Implemented", "Partially Implemented", "On Hold", "Rejected"],
};
const PRIORITIES = ["Low", "Medium", "High", "Critical"];

/** The way back from the last act; there is one, as in a text field. */
let lastUndo = null;

/** Does an act and reports it; `act` gives a text or `{text, undo}`, nothing where the person left. */
async function perform(act) {
  try {
    const found = await act();
    if (!found) return false;
    const { text = found, undo = null } = found;
    lastUndo = undo;
    notify(text, undo && { label: "Undo", run: undoLast });
    return true;
  } catch (error) {
    report(error);
    return false;
  } finally {
    lookSoon();
  }
}

const undoLast = () => perform(async () => {
  const undo = lastUndo;
  lastUndo = null;
  await undo?.();
  return undo ? "Undone." : "There is nothing to undo.";
});

/** Makes the button of an act; it cannot be pressed twice while the act is under way. */
function actButton(label, run, { at = label, look } = {}) {
  const made = button(label, async () => {
    made.disabled = true;
    await perform(run);
    made.disabled = false;
  }, { at, look });
  return made;
}

/** Gives the acts of an item as pairs of words and function, the most likely one first. */
function actsOf(item) {
  const ownActs = item.edits ? planActs : { speckit: featureActs }[item.dialect];
  return [...(canAct() ? [...workActs(item), ...(ownActs?.(item) ?? [])] : []), ...(canDecide() && !item.edits && item.dialect !== "speckit" ? [editAct(item)] : [])];
}

const toolAct = (label, name, item) => [label, async () => {
  await call(name, { id: workName(item.key) });
  return `${label}: ${item.title}`;
}];

/** Gives the name that runs on an item have: a spec's ID, else the key. */
const workName = (key) => (key.startsWith("chant:") ? idOf(key) : key);

/** What can be done about work on an item; `work` is its state, where some has begun, and always that of a spec. */
function workActs(item) {
  const { meaning, dialect, work } = item;
  const why = work && item.why;
  const isSpec = dialect === "chant";
  const isOpen = item.criteria?.some(({ done }) => !done);
  const isAtWork = work === "in_progress" && !["approve", "rejected", "merge", "conflict"].includes(why);
  const takeOver = toolAct("Take over", "chant_takeover", item);
  const can = canDecide();
  return [
    can && ["approve", "rejected"].includes(why) && ["Approve", () => decideOn("approve", item)],
    can && why === "approve" && ["Reject…", () => rejectItem(item)],
    can && ["merge", "conflict"].includes(why) && ["Merge", () => mergeItem(item)],
    meaning === "can_begin" && toolAct("Start", "chant_work_start", item),
    why === "paused" && toolAct("Go on", "chant_work_start", item),
    ["failed", "attention"].includes(why) && ["Start again", () => startAgain(item)],
    isAtWork && why !== "paused" && toolAct("Pause", "chant_pause", item),
    (isAtWork || why === "paused") && takeOver,
    isSpec && isAtWork && !isOpen && toolAct("Finish", "chant_finalize", item),
    can && isSpec && isOpen && (isAtWork || ["failed", "attention"].includes(why)) && ["Finish as it is…", () => finishItem(item)],
  ].filter(Boolean);
}

const decideOn = (act, { key, version }, more) => decide(act, { key, version, ...more });

async function startAgain(item) {
  await call("chant_reset", { id: workName(item.key) });
  return toolAct("Start again", "chant_work_start", item)[1]();
}

async function rejectItem(item) {
  const given = await askForm("Reject", [{ name: "reason", label: "Reason", isNeeded: true }], "Reject");
  return given && decideOn("reject", item, given);
}

async function finishItem(item) {
  const open = item.criteria.filter(({ done }) => !done);
  return (await askForm(`Finish with ${counted(open.length, "open box", "open boxes")}?`, [], "Finish")) && decideOn("finish", item);
}

/** Merges; where the work changes what runs by itself, the person sees that and agrees to the very same. */
async function mergeItem(item) {
  try {
    return await decideOn("merge", item);
  } catch (error) {
    const { agreement, shown } = error.details ?? {};
    if (!agreement) throw error;
    const given = await askForm("Merge this?", [], "Merge", make("p", error.message), listingNode([shown ?? []].flat()));
    return given && decideOn("merge", item, { agreement });
  }
}

/** Completes a task only where its feature is the current one: the tool knows tasks of that feature alone. */
const featureActs = (item) => (item.meaning === "done" ? [] : [["Complete", async () => {
  const [feature, task] = idOf(item.key).split("#");
  const { spec_dir: folder } = await call("rstn_get_context");
  if (folder?.split("/").pop() !== feature) throw new Refusal({ message: `The task belongs to ${feature}, which is not the current feature. Switch to its branch first.` });
  await call("rstn_complete_task", { task_id: task });
  return `Completed ${task}.`;
}]]);

const writePlan = ({ key }, edits) => call("item_update", { id: key, ...edits });
const planActs = (item) => (item.box ? [[item.done ? "Untick" : "Tick", async () => {
  await writePlan(item, { [item.done ? "untick" : "tick"]: ["self"] });
  return "Saved.";
}]] : []);

const TICKS = {
  chant: (id, act, text) => call("chant_spec_update", { id, [act]: [text] }),
  tickets: (key, operation, content) => call("manage_cr_sections", { key, operation, content }),
};

/** Ticks a criterion by hand, or takes the tick back. */
const tick = (item, { text, done, name }) => perform(async () => {
  const write = (isDone) => name ? writePlan(item, { [isDone ? "tick" : "untick"]: [name] }) : TICKS[item.dialect](idOf(item.key), isDone ? "check" : "uncheck", text);
  await write(!done);
  return { text: done ? "Tick taken back." : "Ticked.", undo: () => write(done) };
});

/** Gives the fields of an item that are chosen from a list. */
function choicesOf(item) {
  const { dialect, key, status, priority } = item;
  const isSame = (name) => stateWord(name).toLowerCase() === stateWord(status).toLowerCase();
  const field = (label, options, value, set) =>
    choice(label, [...(value ? [] : [["", `${label}…`]]), ...options.map((name) => [name, stateWord(name)])], value, (name) => choose(label, value, name, set));
  const statuses = (set) => field("Status", STATUSES[dialect], STATUSES[dialect].find(isSame), set);
  if (!canAct()) return [];
  if (item.edits?.includes("status") && !item.group) return [field("Status", item.statuses, status, (name) => writePlan(item, { status: name }))];
  if (dialect === "vine") {
    const [file, id] = idOf(key).split("#");
    return [statuses((name) => call("vine_write", { file, operations: [{ op: "set_status", id, status: name }] }))];
  }
  if (dialect !== "tickets") return [];
  return [statuses((name) => call("update_cr_status", { key: idOf(key), status: name })),
    field("Priority", PRIORITIES, priority, (name) => call("update_cr_attrs", { key: idOf(key), attributes: { priority: name } }))];
}

const choose = (label, before, name, set) => perform(async () => {
  await set(name);
  return { text: `${label}: ${stateWord(name)}.`, undo: before && (() => set(before)) };
});
