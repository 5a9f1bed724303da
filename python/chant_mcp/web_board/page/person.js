// The person at the board: a single-use code in the address becomes a key, which lies in this tab's session
// storage alone. No cookies: those are sent to every port of this machine.

const person = { key: null, folder: "", isReader: false };
const STORED = "chant-person";
const HOW_TO_OPEN = "Run “chant-mcp board --web” in a terminal and open the address it prints.";

/** What only a person may do is shown where there is a person's key, and nowhere else. */
const canDecide = () => person.key !== null && !person.isReader;
const canAct = () => !person.isReader;

async function findPerson() {
  const code = /^#once=([\w-]+)$/.exec(location.hash)?.[1];
  // Out of the address bar before anything else happens.
  if (code) history.replaceState(null, "", location.pathname);
  const found = code ? await exchange(code) : (JSON.parse(sessionStorage.getItem(STORED)) ?? (await askOtherTab()));
  if (!found) throw new Refusal({ message: `This tab has no session. ${HOW_TO_OPEN}` });
  sessionStorage.setItem(STORED, JSON.stringify(found));
  Object.assign(person, { key: found.key, folder: found.folder, isReader: found.read_only });
  answerOtherTabs(found);
}

async function exchange(code) {
  const { status, data } = await post("/board/session", { code });
  if (status !== 200) throw new Refusal(data?.error ?? { message: `This address was used already, or is too old. ${HOW_TO_OPEN}` });
  return data;
}

/** Asks another tab of this board for the session; a channel reaches this origin only, with its port. */
function askOtherTab() {
  const channel = new BroadcastChannel(STORED);
  return new Promise((resolve) => {
    channel.onmessage = ({ data }) => data.key && resolve(data);
    channel.postMessage({});
    setTimeout(resolve, 400, null);
  }).finally(() => channel.close());
}

function answerOtherTabs(found) {
  const channel = new BroadcastChannel(STORED);
  channel.onmessage = ({ data }) => !data.key && person.key && channel.postMessage(found);
}

/** A refusal, as it is shown. */
class Refusal extends Error {
  constructor(error) {
    const { message = "The server did not answer.", hint } = error ?? {};
    super(hint && !message.includes(hint) ? `${message} ${hint}` : message);
    this.details = error ?? {};
  }
}

/** Does what only a person may do: approve, reject, answer, trust, merge, finish. */
async function decide(act, details) {
  const { status, data } = await post("/board/person", { act, ...details }, {});
  if (status !== 200) throw new Refusal(data?.error);
  return data;
}

async function post(path, body, headers) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(headers && { "X-Chant-Person": person.key, ...headers }) },
    body: JSON.stringify(body),
    credentials: "omit",
  });
  if (headers && response.status === 401) endSession();
  return { status: response.status, data: await response.json().catch(() => null) };
}

/** Takes everything off the page: there is nothing more that it may show. */
function endSession() {
  person.key = null;
  sessionStorage.removeItem(STORED);
  showStop(`The session has ended. ${HOW_TO_OPEN}`);
}
