// Words, symbols, times and numbers as people read them.

// A shape beside each colour: a state is never said by colour alone.
const MEANINGS = {
  can_begin: ["▸", "Can begin"],
  being_worked_on: ["◐", "Being worked on"],
  waits_for_you: ["!", "Needs you"],
  waits: ["⋯", "Blocked"],
  done: ["✓", "Done"],
};
const meaningWord = (meaning) => MEANINGS[meaning]?.[1] ?? meaning;
const meaningMark = (meaning) => make(`span.mark.${meaning}`, { "aria-hidden": true }, MEANINGS[meaning]?.[0] ?? "·");

const WHY_WORDS = { approve: "approve?", attention: "needs attention", merge: "ready to merge", question: "asks" };
const whyNode = ({ why }) => why && make("span.chip.why", WHY_WORDS[why] ?? why);

const DIALECT_WORDS = { chant: "Specs", vine: "Task graphs", speckit: "Features", tickets: "Tickets" };
const dialectWord = (dialect) => DIALECT_WORDS[dialect] ?? dialect;
const mention = (name) => name && `@${String(name).replace(/^@/, "")}`;
const stateWord = (status) => String(status ?? "").replaceAll("_", " ");
const numberWord = (number) => Number(number).toLocaleString("en");
const counted = (count, one, many = `${one}s`) => `${numberWord(count)} ${count === 1 ? one : many}`;
const sinceWord = (iso) => `${durationWord((Date.now() - Date.parse(iso)) / 1000)} ago`;

function durationWord(seconds) {
  const whole = Math.max(0, Math.round(seconds) || 0);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 1440 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : counted(Math.floor(minutes / 1440), "day");
}

/** Gives a text without what is no text: colours of terminals, moves of the cursor, turns of the direction. */
function plain(text) {
  return String(text)
    .replace(/\u001b(\][^\u0007\u001b]*\u0007?|\[[0-?]*[ -/]*[@-~]?)/g, "")
    .replace(/\r\n?/g, "\n")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "·");
}

/** Gives the end of an ID, which is what distinguishes it: without the day, without the folder. */
const shortId = (id) => id.replace(/^.*\/|^\d{4}-\d\d-\d\d-/, "");
const idOf = (key) => key.replace(/^\w+:/, "");

/** Draws how many criteria are met; nothing is drawn for what has none, or whose are not known. */
function progressNode(criteria) {
  const { done, total } = criteria ?? {};
  if (!total) return null;
  const bar = make("span.bar", make("span"));
  bar.firstChild.style.width = `${(100 * done) / total}%`;
  return make("span.progress", { role: "img", aria: `${done} of ${total} criteria` }, bar, `${done}/${total}`);
}
