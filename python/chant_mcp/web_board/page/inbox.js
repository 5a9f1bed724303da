// What waits for a person, and what is wrong with files.

const ENTRY_SYMBOLS = { question: "?", approval: "✓", conflict: "!", failure: "✗", merge: "⇥", pause: "⏸", trust: "⚑" };
const ENTRY_ACTS = { question: questionActs, approval: approvalActs, conflict: mergeActs, merge: mergeActs, failure: haltedActs("Start again", startAgain), pause: haltedActs("Go on", (entry) => toolAct("Go on", "chant_work_start", entry)[1]()), trust: trustActs };

const inboxScreen = listScreen("Inbox", () => call("board_inbox"), ({ entries: list, total }) => [
  !canDecide() && list.length > 0 && note("Only a person decides these: open “chant-mcp board --web”, or the board in the terminal."),
  entries(list, entryNode, "Nothing needs you."),
  total > list.length && note(`${numberWord(total - list.length)} more come when these are done.`),
]);

function entryNode(entry) {
  const { kind, key, title, text, since, listing } = entry;
  entry.at = `${kind} ${entry.id ?? key ?? entry.hash}`;
  return make("li.entry",
    make("p.entry-kind", make("span", { "aria-hidden": true }, ENTRY_SYMBOLS[kind]), make("b", kind), since && muted(sinceWord(since))),
    make("h3", key ? itemLink(key, title, { at: entry.at }) : make("span.stop", { tabIndex: -1, at: entry.at }, title)),
    make("p.entry-text", text), listing && listingNode(listing), buttons(ENTRY_ACTS[kind]?.(entry)));
}

/** The same listing as the command shows before a folder is trusted. */
const listingNode = (listing) => make("ul.listing", listing.map((line) => make("li", Object(line) !== line ? line
  : Object.entries(line).map(([name, value]) => [make("b", `${name}: `), make("code", typeof value === "string" ? value : JSON.stringify(value)), " "]))));

const entryAct = (entry, label, run, look) => actButton(label, run, { at: `${entry.at} ${label}`, look });

function questionActs(entry) {
  const { id, title, options = [] } = entry;
  const answer = async (text) => {
    if (!text) return input.focus();
    const said = await decide("answer", { id, answer: text });
    input.value = "";
    return said;
  };
  const input = make("input", { aria: `Answer to: ${title}`, placeholder: options.length ? "another answer" : "answer", at: `${entry.at} input`, onkeydown: (event) => event.key === "Enter" && sendIt.click() });
  const sendIt = entryAct(entry, "Send", () => answer(input.value.trim()));
  return canDecide() && [options.map((option) => entryAct(entry, option, () => answer(option), ".main")), input, sendIt];
}

function approvalActs(entry) {
  // Without a version nothing says which text the person has seen: it is decided where the text stands.
  if (!entry.version) return tabButton(entry.key, "Text");
  return canDecide() && [entryAct(entry, "Approve", () => decideOn("approve", entry), ".main"), entryAct(entry, "Reject…", () => rejectItem(entry))];
}

function mergeActs(entry) {
  return [canDecide() && entryAct(entry, "Merge", () => mergeItem(entry), ".main"), tabButton(entry.key, "Diff")];
}

function haltedActs(label, act) {
  return (entry) => [canAct() && entryAct(entry, label, () => act(entry)), tabButton(entry.key, "Log")];
}

function trustActs(entry) {
  return canDecide() && entryAct(entry, "Trust this folder", () => decide("trust", { hash: entry.hash }), ".main");
}

const problemsScreen = listScreen("Problems", loadProblems, ({ problems, next_offset: next }) => [
  entries(problems, problemNode, "All files can be read, and nothing is wrong."),
  next && button("More", () => ((problemsShown += PAGE), lookSoon()), { at: "more" }),
]);

let problemsShown = PAGE;

async function loadProblems() {
  const problems = [];
  let next = 0;
  while (next !== undefined && next !== null && problems.length < problemsShown) {
    const found = await call("board_problems", { offset: next });
    problems.push(...found.problems);
    next = found.next_offset;
  }
  return { problems, next_offset: next };
}

const problemNode = ({ path, line, message, fix }) => make("li.entry",
  make("h3", make("code.stop", { tabIndex: -1, at: `${path} ${line} ${message}` }, path, line && `:${line}`)), make("p.entry-text", message), fix && make("p.muted", fix));
