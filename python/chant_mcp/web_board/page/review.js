// The review of a spec's work: what was said of it, its hunks, and what a person decides.

const SCOPES = { all: "All", look: "Since my look", turn: "Since the last turn" };
const WEIGHTS = [["must", "Must be done"], ["should", "Should be done"], ["question", "Question"], ["note", "Note"]];

/** Takes what it needs of the page, and gives the way to show a review. */
function makeReview({ actButton, askForm, button, buttons, call, chip, counted, decide, fill, make, muted, note, pressed, stateWord }) {
  async function showReview(key, place, scope = "all") {
    const review = await call("board_review", { key, scope });
    // Another tab may be shown by now.
    if (!place.isConnected) return;
    const again = (other = scope) => showReview(key, place, other);
    const send = async (act, details) => {
      const said = await decide(act, { key, ...details });
      await again();
      return said;
    };
    // What is decided is decided on the commit that is shown.
    const act = (details) => () => send("review", { tip: review.tip, ...details });
    fill(place, reviewNodes(review, { act, scope, again, comment: (given) => askComment(given, send) }));
  }

  async function askComment({ about, isReply }, send) {
    const given = await askForm(isReply ? "Reply" : "Comment", [
      about && !isReply && { name: "about", label: "Lines, such as src/mail.py:88-90", value: about, isNeeded: true },
      !isReply && { name: "weight", label: "Weight", options: WEIGHTS, value: "must" },
      { name: "text", label: "Text", isLong: true, isNeeded: true },
    ].filter(Boolean), isReply ? "Reply" : "Comment");
    return given && send("comment", { ...(isReply && { about }), ...given });
  }

  function reviewNodes(review, { act, scope, again, comment }) {
    const { threads, hunks, risk, stops, tip, folded, gone, unreadable } = review;
    const isUnsent = ({ state, sent, kind }) => state === "open" && !sent && kind === "person";
    return [
      make("div.buttons", { role: "group", aria: "Hunks that are shown" },
        Object.entries(SCOPES).map(([name, words]) => button(words, () => again(name), { ...pressed(name === scope), at: name }))),
      note(`Risk ${risk.band} (${risk.points})`, risk.reasons.length > 0 && `: ${risk.reasons.map(({ text }) => text).join("; ")}`),
      stops.length > 0 && note(`${counted(stops.length, "comment")} must be resolved before this lands.`),
      buttons(actButton("Comment…", () => comment({})), (threads.some(isUnsent) || review.drafts.length > 0) && actButton("Send", act({ send: true })),
        tip && hunks.length > 0 && actButton("All seen", act({ seen: "all" })), tip && actButton("Approve", () => approve(hunks, act))),
      threads.length > 0 && make("ul.threads", { aria: "Comments" }, threads.map((thread) => threadNode(thread, act, comment))),
      hunks.map((hunk) => hunkNode(hunk, act, comment)),
      !hunks.length && note(tip ? "There is nothing new to see." : "There is no work yet."),
      folded > 0 && note(`${counted(folded, "hunk")} not shown here.`),
      gone > 0 && note(`${counted(gone, "hunk")} that you saw, and that are gone.`),
      unreadable.map((path) => note(`${path} has no lines to show.`)),
    ];
  }

  async function approve(hunks, act) {
    const unseen = hunks.filter(({ seen }) => !seen).length;
    if (!unseen) return act({ approve: true })();
    const given = await askForm(`Approve without having marked ${counted(unseen, "hunk")} as seen?`, [], "Approve");
    return given && act({ approve: true, unseen: true })();
  }

  function threadNode({ id, weight, state, author, origin, text, place, outdated, commented, replies, claims }, act, comment) {
    const isOpen = ["open", "claimed"].includes(state);
    const lines = place && `${place.path}:${place.first}${place.last > place.first ? `-${place.last}` : ""}`;
    return make("li.entry",
      make("p.facts", chip(weight), stateWord(state), " ", muted(author), origin && muted(` from ${origin}`), lines && make("code", lines), place?.mark && muted(` ${place.mark}`)),
      make("p", text),
      outdated && [note(`Outdated: ${outdated}`), make("pre", commented.join("\n"))],
      replies.map((reply) => make("p", muted(`${reply.author}: `), reply.answer && chip(reply.answer), reply.text)),
      claims.map(({ commit, shown }) => make("p", make("code", commit.slice(0, 10)), ` ${shown}`)),
      isOpen && buttons(actButton("Resolve", act({ resolve: id }), { at: `resolve ${id}` }), actButton("Reply…", () => comment({ about: id, isReply: true }), { at: `reply ${id}` })));
  }

  const hunkNode = ({ number, path, head, first, length, seen, lines }, act, comment) => make("details.file", { open: !seen },
    make("summary", make("code", path), muted(` ${head}`), seen && muted(" seen")),
    make("div.hunks", { tabIndex: 0, role: "group", aria: `${path} ${head}` },
      make("pre", lines.map((line) => make(`span${{ "+": ".plus", "-": ".minus" }[line[0]] ?? ""}`, line)))),
    buttons(!seen && actButton("Seen", act({ seen: `${number}` }), { at: `seen ${number}` }),
      actButton("Comment…", () => comment({ about: `${path}:${first}${length > 1 ? `-${first + length - 1}` : ""}` }), { at: `comment ${number}` })));

  return { showReview };
}
