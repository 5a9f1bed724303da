// Runs: the log of one as it grows, what its branch changes, and the screen of agents at work.

const LOG_KEPT = 200_000;

function logNodes(item) {
  const reading = { key: item.key, offset: null, isDone: item.meaning === "done", text: make("pre.log", { aria: "Log" }), state: note("…") };
  followLog(reading);
  return [reading.state, reading.text];
}

/** Reads on from where the log was read to, while it is shown. */
async function followLog(reading) {
  const found = await call("board_log", { key: reading.key, offset: reading.offset }).catch((error) => void fill(reading.state, error.message));
  if (!found || !reading.text.isConnected) return;
  showMoreLog(reading, found);
  const again = () => (document.hidden ? setTimeout(again, 1000) : followLog(reading));
  if (!reading.isDone) setTimeout(again, 1000);
}

/** Adds what the log has more; `is_new` says that it is another log by now. */
function showMoreLog(reading, { text, byte_offset: offset, is_new: isNew }) {
  const { panel } = drawer;
  const isAtEnd = reading.offset === null || panel.scrollTop + panel.clientHeight > panel.scrollHeight - 40;
  reading.offset = offset;
  if (isNew) fill(reading.text);
  append(reading.text, [text]);
  while (reading.text.childNodes.length > 1 && reading.text.textContent.length > LOG_KEPT) reading.text.firstChild.remove();
  fill(reading.state, offset ? `${numberWord(offset)} bytes` : "Nothing is logged yet.");
  if (text && isAtEnd) panel.scrollTop = panel.scrollHeight;
}

function diffPlace({ key }) {
  const place = make("div", note("…"));
  call("board_diff", { key }).then((diff) => fill(place, diffNodes(diff)), (error) => fill(place, note(error.message)));
  return place;
}

function diffNodes({ base, files, cut }) {
  if (!files.length) return note("The branch changes no file yet.");
  return [note(counted(files.length, "file"), base && ` against ${base}`), files.map((file) => fileNode(file, files.length < 12)), cut && note("There is more than is shown here.")];
}

const fileNode = ({ path, added, removed, hunks = [] }, open) => make("details.file", { open },
  make("summary", make("code", path), make("span.plus", ` +${added}`), make("span.minus", ` −${removed}`)),
  make("div.hunks", { tabIndex: 0, role: "group", aria: path }, hunks.map(({ head, lines }) => make("pre", make("span.hunk-head", head),
    lines.map(([sign, text]) => make(`span${{ "+": ".plus", "-": ".minus" }[sign] ?? ""}`, sign, text)))), !hunks.length && note("Not a text.")));

/** Makes a screen that is a list of entries. */
const listScreen = (title, load, draw) => ({
  title,
  show: (place) => fill(place, make("div.page", { tabIndex: -1 }, note("…"))),
  async refresh(place) {
    const found = await load();
    const { activeElement: focused } = document;
    // An answer that is being typed is not drawn over.
    if (!(place.contains(focused) && focused.value && focused.matches("input"))) redraw(place.firstChild, found, () => [make("h2", title), draw(found)]);
  },
});

const entries = (list, show, emptyWords) => (list.length ? make("ul", list.map(show)) : note(emptyWords));

const agentsScreen = listScreen("Agents", () => call("board_runs"), ({ runs, running, busy = [], load = { running } }) => [
  make("p.load", make("meter", { max: load.limit ?? Math.max(1, load.running), value: load.running, aria: "Agents at work" }),
    `${load.running} ${load.limit ? "of" : ""} ${load.limit ?? ""} at work`),
  busy.map((line) => note(line)),
  entries(runs, runNode, "No agent is at work."),
]);

const RUN_ACTS = { pause: ["Pause", "chant_pause"], takeover: ["Take over", "chant_takeover"], start: ["Start", "chant_work_start"] };

function runNode(run) {
  const key = run.id.includes(":") ? run.id : `chant:${run.id}`;
  const can = run.can ?? (run.state === "running" ? ["pause", "takeover"] : []);
  const acts = can.map((name) => (RUN_ACTS[name] ? canAct() && toolAct(...RUN_ACTS[name], { ...run, key }) : name === "merge" && canDecide() && ["Merge", () => mergeItem({ key })]));
  return make("li.entry",
    make("h3", itemLink(key, run.title)),
    make("p.facts", make("span.chip.pill", stateWord(run.state)), run.agent, " ", muted(durationWord(run.age_s)), progressNode(run.criteria),
      run.cost && muted(typeof run.cost === "number" ? `$${run.cost.toFixed(2)}` : run.cost), run.tokens && muted(`${numberWord(run.tokens)} tokens`),
      run.branch && make("code", run.branch), run.target && muted(` → ${run.target}`)),
    run.tail?.length > 0 && make("pre.tail", run.tail.join("\n")),
    buttons(acts.filter(Boolean).map(([label, act]) => actButton(label, act, { at: `${key} ${label}` })), tabButton(key, "Log")));
}

const tabButton = (key, tab) => button(tab, () => openItem(key, tab), { look: ".quiet", at: `${key} ${tab}` });
