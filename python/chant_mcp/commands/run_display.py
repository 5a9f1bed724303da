"""How runs of agents look to people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from chant_mcp.commands import display
from chant_mcp.commands.display import plain, status_style
from chant_mcp.commands.text_layout import Group, Shown, Table, Text
from chant_mcp.commands.watch import WatchedRun, agent_of, local_time, seconds_between, state_of
from chant_mcp.paging import Data
from chant_mcp.terminal import counted

_MARK = {"completed": "✓", "failed": "✗", "lost": "✗", "cancelled": "✗"}
"""What stands before a run that ended so; before any other a dot."""

_NEXT = {
    "failed": "`chant-mcp log {id}` shows what its agent wrote.\n"
    "`chant-mcp work {id}` goes on with the work.",
    "lost": "`chant-mcp work {id}` goes on with the work.",
    "needs_attention": "Fix it in {worktree}, then `chant-mcp merge {id}`.\n"
    "`chant-mcp work {id}` has an agent go on.",
    "awaiting_merge": "When nothing is in its way any more: `chant-mcp merge {id}`.",
    "awaiting_approval": "`chant-mcp approve {id}` merges it, `chant-mcp reject {id}` sends it back.",
    "paused": "`chant-mcp work {id}` goes on with the work.",
    "taken_over": "Go on in {worktree}, then `chant-mcp merge {id}`.",
}
"""What can be done after an end, a line for each way."""


_NEXT_WITHOUT_FOLDER = (
    "Its folder was removed; its commits are on {branch}.\n"
    "`chant-mcp work {id}` has an agent go on there, in a new folder."
)
"""What can be done instead where a way leads through a folder that somebody removed."""

_AGAIN = "`chant-mcp log {id}` shows what its agent wrote.\n`chant-mcp split {id}` asks again."

_NEXT_OF_SPLIT = {"failed": _AGAIN, "lost": _AGAIN}
"""The same for a split."""

_TOKENS = ("input_tokens", "cached_tokens", "output_tokens")
"""Keys of what was used that are tokens, none counted twice."""


def words(state: str) -> Text:
    """Make a cell of where a run stands."""
    return plain(state.replace("_", " "), status_style(state))


def clock(seconds: int) -> str:
    """Write a length of time as a clock shows it."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def age(seconds: int) -> str:
    """Write roughly how long ago something was."""
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def runs_table(runs: Sequence[Data]) -> Shown:
    """Make a table of runs; reasons are long and stand below."""
    table = Table()
    display.id_column(table, "Spec", (run["spec_id"] for run in runs))
    table.add_column("State", no_wrap=True)
    has_usage = any(run.get("usage") for run in runs)
    for heading in ("Mode", "Agent", "Since"):
        table.add_column(heading, no_wrap=True)
    for heading in ("Tokens", "Cost") if has_usage else ():
        table.add_column(heading, no_wrap=True, justify="right")
    for run in runs:
        usage: Data = run.get("usage") or {}
        used = [tokens_words(usage), dollars(usage.get("cost_usd"))] if has_usage else []
        table.add_row(
            plain(run["spec_id"], "bold"),
            words(state_of(run)),
            plain(run["mode"]),
            plain(_agent_words(run)),
            plain(age(seconds_between(run["started_at"], None))),
            *map(plain, used),
        )
    foreseen = [plain(_foreseen_words(run), "dim") for run in runs if run.get("foreseen_conflicts")]
    reasons = [_reason(run) for run in runs if run.get("reason")]
    networks = [
        plain(f"{run['spec_id']}: network: {run['network']}", "dim") for run in runs if run.get("network")
    ]
    waiting = [said for run in runs if (said := provider_wait(run)) is not None]
    return Group(
        table,
        *waiting,
        *_targets(runs),
        *foreseen,
        *networks,
        *([plain("\nReasons", "bold"), *reasons] if reasons else []),
    )


def _targets(runs: Sequence[Data]) -> list[Text]:
    """Say on which branches the work lands, a line for each."""
    specs: dict[str, list[str]] = {}
    for run in runs:
        if target := run.get("target"):
            specs.setdefault(target, []).append(run["spec_id"])
    if len(specs) == 1:
        return [plain(f"Starts from and lands on {next(iter(specs))}.", "dim")]
    return [
        plain(f"Lands on {target}: {', '.join(dict.fromkeys(ids))}", "dim") for target, ids in specs.items()
    ]


def _agent_words(run: Data) -> str:
    agent, account = agent_of(run), run.get("account")
    return f"{agent} ({account})" if account else agent


def _foreseen_words(run: Data) -> str:
    count = run["foreseen_conflicts"]
    pairs = "1 conflict was" if count == 1 else f"{count} conflicts were"
    return f"{run['mode']} from {run['spec_id']}: {pairs} foreseen."


def leases_table(leases: Sequence[Data]) -> Shown:
    """Make a table of which clone has which spec; the last lines of logs are long and stand below."""
    table = Table()
    display.id_column(table, "Spec", (lease["spec_id"] for lease in leases))
    table.add_column("State", no_wrap=True)
    table.add_column("Token", no_wrap=True, justify="right")
    for heading in ("Clone", "Since"):
        table.add_column(heading, overflow="fold")
    for lease in leases:
        holder = "this one" if lease.get("here") else f"{lease['orchestrator']} on {lease['host']}"
        table.add_row(
            plain(lease["spec_id"], "bold"),
            words(lease["state"]),
            plain(lease["token"]),
            plain(holder),
            plain(lease["since"]),
        )
    lines = [plain(f"{lease['spec_id']}: {lease['line']}", "dim") for lease in leases if lease.get("line")]
    return Group(table, *([plain("\nLast lines", "bold"), *lines] if lines else []))


def look_words(found: Data) -> str:
    """Say how old the look at the remote is that an answer rests on."""
    remote = found.get("remote", "The remote")
    match found.get("looked_seconds_ago"):
        case None:
            return f"{remote} was not read yet; `chant-mcp leases --look` reads it."
        case seconds:
            return f"{remote} was read {age(seconds)} ago."


def _reason(run: Data) -> Text:
    who = run["spec_id"] if run["mode"] == "single" else f"{run['mode']} from {run['spec_id']}"
    said = plain(who) + plain(_below(run["reason"], "  "))
    step = next_step(run)
    return said if step is None else said + plain(_below(step, "  → "), "dim")


def next_step(run: Data) -> str | None:
    """Say what can be done about the cause that a run failed for, where one is known."""
    return run.get("next_step") or None


def used_words(usage: Data | None) -> str:
    """Write what an agent used up, as far as it reported."""
    if not usage:
        return ""
    said: list[str] = []
    if "turns" in usage:
        said.append(counted(usage["turns"], "turn"))
    if tokens := tokens_words(usage):
        said.append(f"{tokens} tokens")
    if "cost_usd" in usage:
        said.append(dollars(usage["cost_usd"]))
    return ", ".join(said)


def tokens_words(usage: Data) -> str:
    """Write how many tokens were used, if that was reported."""
    return shortened(sum(usage.get(key, 0) for key in _TOKENS)) if "input_tokens" in usage else ""


def shortened(number: float) -> str:
    """Write a large number with its first digits."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return f"{number:.0f}"


def dollars(amount: float | None) -> str:
    """Write an amount of money, if there is one; a small one keeps what it is about."""
    if amount is None:
        return ""
    return f"${amount:.4f}" if 0 < amount < 0.1 else f"${amount:.2f}"


def _rounded_clock(seconds: float) -> str:
    return clock(round(seconds))


def forecast(found: Data) -> Text:
    """Show what work would take and cost before it is started."""
    specs = found["specs"]
    said = [
        plain(f"{counted(len(specs), 'spec')} by {counted(found['agents'], 'agent')}: nothing is started.")
    ]
    said += [plain(f"  {id}", "dim") for id in specs]
    if (target := target_text(found)) is not None:
        said.append(plain(f"{'Target':<8}", "dim") + plain(target))
    if landing := found.get("landing_note"):
        said.append(plain(f"{'Landing':<8}", "dim") + plain(landing))
    amounts = (
        ("Time", found["duration_seconds"], _rounded_clock),
        ("Tokens", found["tokens"], shortened),
        ("Cost", found["cost_usd"], dollars),
    )
    for name, amount, written in amounts:
        if amount is None:
            expected = "too few completed runs to say"
        else:
            runs = counted(amount["known_runs"], "run")
            expected = f"{written(amount['p50'])} (P50), {written(amount['p90'])} (P90), by {runs}"
        said.append(plain(f"{name:<8}", "dim") + plain(expected))
    if note := found.get("note"):
        said.append(plain(f"→ {note}.", "dim"))
    return Text("\n").join(said)


def started(run: Data) -> Text:
    """Say of a run that has started what it is and where it works, a line for each, and what can be done."""
    id = run["spec_id"]
    fields = _fields(
        [
            ("Spec", id),
            ("Run", run["process_id"]),
            ("Mode", run["mode"]),
            ("Branch", run.get("branch")),
            ("Target", target_text(run)),
            ("Landing", run.get("landing_note")),
            ("Worktree", run.get("worktree")),
            ("Agent", run.get("confinement")),
            ("Log", run.get("log")),
        ]
    )
    advice = plain(f"→ `chant-mcp runs {id} -f` shows it, `chant-mcp pause {id}` stops it.", "dim")
    return Text("\n").join([plain("An agent is at work.", "green"), *fields, advice])


def target_text(started: Data) -> str | None:
    """Name the branch that work starts from and lands on, and say if it is behind the remote's."""
    branch, commit = started.get("target"), started.get("target_commit")
    if not branch:
        return None
    text = f"{branch} ({commit[:7]})" if commit else str(branch)
    if behind := started.get("behind"):
        text += f", {counted(behind['commits'], 'commit')} behind {behind['upstream']} as last fetched"
    return text


def _fields(fields: Iterable[tuple[str, str | None]]) -> list[Text]:
    """Make a line of each named value: unlike in a table, long paths stay whole."""
    return [plain(f"{name:<13}", "dim") + plain(value) for name, value in fields if value]


def is_known(one: WatchedRun) -> bool:
    """Return whether a run is far enough to be reported: its agent is there, or it needs none."""
    return one.is_of_several or not one.is_under_way or bool(one.run.get("agent"))


def describe_start(one: WatchedRun) -> Text:
    """Say that a run has started."""
    run = one.run
    if one.is_of_several:
        return plain(f"{run['mode']} from {one.spec_id}: started")
    agent = f" by {agent_of(run)}" if run.get("agent") else ""
    branch = f" on {run['branch']}" if run["branch"] else ""
    return plain(f"{one.spec_id} {one.title}: started{agent}{branch}")


def ticked(one: WatchedRun) -> Text | None:
    """Say how many criteria are ticked; nothing where that is not known."""
    criteria = one.criteria
    if not criteria:
        return None
    return plain(f"{one.spec_id}: {criteria['checked']} of {criteria['total']} criteria ticked")


def provider_wait(run: Data) -> Text | None:
    """Say until when an agent, or its next try, waits for its provider; nothing if it does not."""
    if not (until := run.get("waits_until") or run.get("next_try_at")):
        return None
    why = f": {because}" if (because := run.get("waits_because")) else ""
    return plain(f"{run['spec_id']} is waiting until {local_time(until)}{why}.", "yellow")


def ended(one: WatchedRun) -> Text:
    """Say how a run ended, why, and what can be done now."""
    run, state = one.run, one.state
    mark = plain(_MARK.get(state, "•") + " ", status_style(state))
    who = one.spec_id if run["mode"] == "single" else f"{run['mode']} from {one.spec_id}"
    title = "" if one.is_of_several or not one.title else f" {one.title}"
    parts = [
        mark,
        plain(who, "bold"),
        plain(f"{title}: "),
        words(state),
        plain(f" after {clock(one.seconds)}"),
    ]
    if commits := run.get("commits"):
        hashes = ", ".join(hash[:7] for hash in commits)
        landed = f" on {run['target']}" if state == "completed" and run.get("target") else ""
        parts.append(plain(f", {counted(len(commits), 'commit')} ({hashes}{landed})"))
    if state == "completed" and run.get("checks_passed") == 0:
        parts.append(plain(", without any check"))
    if run.get("reason"):
        parts.append(plain(_below(run["reason"], "  ")))
    if used := used_words(run.get("usage")):
        parts.append(plain(_below(f"used {used}", "  "), "dim"))
    ways = _NEXT if run["mode"] == "single" else _NEXT_OF_SPLIT
    if (step := next_step(run)) is not None:
        parts.append(plain(_below(step, "  → "), "dim"))
    elif state in ways and not one.is_of_several:
        advice = ways[state]
        folder = run.get("worktree")
        if "{worktree}" in advice and not (folder and Path(folder).exists()):
            advice = _NEXT_WITHOUT_FOLDER
        branch = run.get("branch") or "its branch"
        advice = advice.format(id=one.spec_id, worktree=folder, branch=branch)
        parts.append(plain(_below(advice, "  → "), "dim"))
    return Text().join(parts)


def _below(text: str, before: str) -> str:
    return "".join(f"\n{before}{line}" for line in text.splitlines())


def takeover(found: Data) -> Text:
    """Show how far work is that somebody else goes on with."""
    diff = found["diff"]
    said = [plain(found["spec_id"], "bold"), plain(found["analysis"])]
    if found["log_tail"]:
        said += [plain("The end of its log:", "bold") + plain(_below(found["log_tail"], "  "), "dim")]
    said += _fields(
        [
            ("Worktree", found["worktree_path"]),
            ("Branch", found["branch"]),
            *(("Commit", commit) for commit in found["commits"]),
            ("Changes", _changes(diff) if diff and diff["files"] else None),
            *(("Uncommitted", path) for path in found["uncommitted"]),
        ]
    )
    said += [plain(f"→ {line}") for line in found["suggestion"].splitlines()]
    return Text("\n").join(said)


def _changes(diff: Data) -> str:
    return f"{counted(diff['files'], 'file')}, +{diff['insertions']} -{diff['deletions']}"


def worktrees(trees: Sequence[Data]) -> Text:
    """Show the worktrees of runs, each with its folder below."""
    said: list[Text] = []
    for tree in trees:
        kept = "can go" if tree["kept"] is None else f"kept: {tree['kept']}"
        name = plain(tree["spec_id"] or tree["branch"] or "(no branch)", "bold")
        state = Text("") if tree["state"] is None else plain(" ") + words(tree["state"])
        said += [name + state + plain(f", {kept}"), plain(f"  {tree['path']}", "dim")]
    return Text("\n").join(said)


def made_in_advance(made: Data) -> Text:
    """Count the folders that no run has yet."""
    size = f"{made['bytes'] / 1_000_000:.0f} MB"
    return plain(f"{counted(made['folders'], 'folder')} made in advance for the next runs, {size}")
