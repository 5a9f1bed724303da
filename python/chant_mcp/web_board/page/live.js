// What changes elsewhere is seen here: a stream of versions over HTTP, looks at set times in a host.

const live = { timer: 0, last: 0, isLooking: false, isWanted: false };

/** Looks once, at most every 100 ms, and not at all while the page is hidden. */
function lookSoon() {
  live.isWanted = true;
  if (live.timer || live.isLooking || document.hidden) return;
  live.timer = setTimeout(look, live.last + 100 - performance.now());
}

async function look() {
  Object.assign(live, { timer: 0, isWanted: false, isLooking: true, last: performance.now() });
  await refreshAll().catch(report);
  live.isLooking = false;
  if (live.isWanted) lookSoon();
}

function followChanges() {
  document.addEventListener("visibilitychange", () => (live.isWanted || host.isThere) && lookSoon());
  if (host.isThere) setInterval(lookSoon, 5000);
  else followStream();
}

async function followStream() {
  while (person.key) {
    // A server that is gone or busy is tried again in the next turn.
    await readStream().catch(() => {});
    showLive(false);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** Reads the stream with `fetch`: an EventSource can send no header. */
async function readStream() {
  const headers = { "X-Chant-Person": person.key };
  const response = await fetch("/board/events", { headers, cache: "no-store", credentials: "omit" });
  if (response.status === 401) return endSession();
  showLive(response.ok);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) return undefined;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    // The stream counts what it announces, and not the versions of the looks: each number is news.
    if (lines.some((line) => line.startsWith("data:"))) lookSoon();
  }
}

function showLive(isLive) {
  byId("live").classList.toggle("is-off", !isLive);
  fill(byId("live"), isLive ? "● live" : "○ not connected");
}
