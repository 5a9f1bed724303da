"""`work`, `runs`, `pause`, `takeover` and `merge`: agents begin, are watched and stopped."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress

import click

from chant_mcp._core import Answer
from chant_mcp.commands.answers import exit_code_1, json_option, say_message
from chant_mcp.commands.asking import asks_for_trust, is_person
from chant_mcp.commands.follow_ready import follow_ready
from chant_mcp.commands.surroundings import changes_files, on_project
from chant_mcp.commands.watch import Watch, listed
from chant_mcp.errors import (
    ChantError,
    IllegalTransitionError,
    InvalidArgumentError,
    NotInitializedError,
    NotTrustedError,
    RefusedError,
)
from chant_mcp.paging import EVERYTHING, Data, gathered, written
from chant_mcp.parameters import StartRequestOfPerson, Unpack
from chant_mcp.session import Session, dialects_in
from chant_mcp.terminal import say, say_json

_SHOWN = 20
"""Refusals that are listed."""


@click.command()
@click.argument("id", required=False)
@click.option("-w", "--wait", "waits", is_flag=True, help="Wait until the work has ended.")
@click.option("--all", "takes_all", is_flag=True, help="Work on all that is ready, without asking.")
@click.option(
    "--follow", "follows", is_flag=True, help="With --all: go on with what becomes ready, until Ctrl-C."
)
@click.option("--dialect", metavar="NAME", help="Without ID: only what is ready of one format.")
@click.option("--chain", is_flag=True, help="Continue with the specs that become ready after it.")
@click.option("--parallel", type=click.IntRange(min=1), metavar="N", help="Run N agents at a time.")
@click.option("--skip-criteria", is_flag=True, help="Start without criteria, or with a red quality gate.")
@click.option(
    "--fresh",
    is_flag=True,
    help="Start again; earlier work is kept under refs/chant/backup.",
)
@click.option(
    "--base", metavar="BRANCH", help="The branch to start from and land on, instead of the current one."
)
@click.option("--agent", metavar="NAME", help="The agent, instead of the configured one.")
@click.option("--prompt", metavar="NAME", help="The prompt, whatever the spec says.")
@click.option("--offline", is_flag=True, help="Claim it on no remote; it lands here only.")
@click.option("--bare", is_flag=True, help="Start without what the environment's recipes install.")
@click.option("--on", metavar="TARGET", help="Run the agents on a cluster: a name, or tls://HOST:PORT.")
@click.option(
    "--dry-run", "is_trial", is_flag=True, help="Show only the expected time and cost, from earlier runs."
)
@click.option(
    "--say", "words", metavar="TEXT", help="Say this of its work, and have the agent go on with it."
)
@click.option("--runner", is_flag=True, hidden=True)
@click.option("--trusted", metavar="HASH", hidden=True)
@json_option
@on_project
@changes_files
@asks_for_trust
@click.pass_context
@exit_code_1("`--wait` is given and the work was neither completed nor, with `landing: pr`, proposed")
def work(
    context: click.Context,
    session: Session,
    id: str | None,
    waits: bool,
    takes_all: bool,
    follows: bool,
    dialect: str | None,
    is_trial: bool,
    words: str | None,
    runner: bool,
    trusted: str | None,
    as_json: bool,
    **start: Unpack[StartRequestOfPerson],
) -> None:
    """Start an agent on a spec or another item, in a separate folder. Without ID, agents on all ready ones.

    An item of another format is named by its key, such as `list` prints.

    Without `--wait` the command returns at once. Follow the run with `runs` and `log`, stop it with `pause`.
    """
    if runner:
        session.trust_named(trusted)
        run(session)
        return
    if words is not None:
        is_alone = not (waits or follows or is_trial or any(start.values()))
        _say_and_go_on(session, id, words, as_json, is_alone=is_alone)
        return
    _refuse_both(id, takes_all=takes_all, dialect=dialect)
    if follows:
        _refuse_to_follow(takes_all=takes_all, others=waits or is_trial or as_json or dialect is not None)
        context.exit(follow_ready(session, start))
    if id is None:
        context.exit(_work_on_ready(session, start, dialect, (takes_all, is_trial), (waits, as_json)))
    if is_trial:
        _say_forecast(session.chant.work_forecast(id, **start), as_json)
    else:
        context.exit(_work_on(session, [id], start, waits, as_json))


def _work_on_ready(
    session: Session,
    start: StartRequestOfPerson,
    dialect: str | None,
    how: tuple[bool, bool],
    shown: tuple[bool, bool],
) -> int:
    """Work on all that is ready, or show what that would cost; give the exit code."""
    (takes_all, is_trial), (waits, as_json) = how, shown
    ready = _ready_items(session, dialect)
    if set(ready) - {"chant"}:
        if is_trial:
            first = next(iter(ready.values()))[0]
            _say_forecast(session.chant.work_forecast(first, **start), as_json)
            return 0
        if not takes_all:
            _confirm_items(session, ready)
        return _work_on_all(session, ready, start, waits, as_json)
    # A folder without specs has nothing else to begin; one without anything says so.
    has_specs = dialect in (None, "chant") and ("chant" in ready or not _work_formats(session))
    ids = _all_ready(session, start, asks=not (takes_all or is_trial)) if has_specs else []
    if not ids:
        if as_json:
            say_json(written({"processes": []}))
        what = "spec" if dialect in (None, "chant") and has_specs else "item"
        say(f"No {what} is ready; nothing was started.", err=True)
        _name_others(session, dialect)
        return 0
    if is_trial:
        _say_forecast(session.chant.work_forecast(ids[0], **start), as_json)
        return 0
    return _work_on(session, ids, start, waits, as_json)


def _refuse_to_follow(*, takes_all: bool, others: bool) -> None:
    """Refuse what does not go together with `--follow`."""
    if not takes_all:
        raise click.UsageError("`--follow` goes on with all that becomes ready; add `--all`.")
    if others:
        raise click.UsageError(
            "`--follow` works on specs until you end it, and shows them. "
            "Leave `--wait`, `--dry-run`, `--json` and `--dialect` out."
        )


def _refuse_both(id: str | None, *, takes_all: bool, dialect: str | None) -> None:
    """Refuse an ID beside what chooses among all that is ready."""
    if id is not None and takes_all:
        raise click.UsageError("`--all` means all that is ready; leave the ID or `--all` out.")
    if id is not None and dialect is not None:
        raise click.UsageError(
            "`--dialect` chooses among all that is ready; leave the ID or `--dialect` out."
        )


def _say_and_go_on(session: Session, id: str | None, words: str, as_json: bool, *, is_alone: bool) -> None:
    """Say something of the work on a spec, and have its agent go on with that."""
    if id is None or not is_alone:
        raise click.UsageError("`--say` goes with the ID of a spec alone.")
    from chant_mcp.commands.review import send_words

    send_words(session, id, words, as_json)


def _work_on(
    session: Session, ids: Sequence[str], start: StartRequestOfPerson, waits: bool, as_json: bool
) -> int:
    """Start work, and follow it if that is wanted; give the exit code."""
    if on := start.get("on"):
        session.prepare_cluster(on)
    try:
        started = _started(session, ids, start)
    except IllegalTransitionError as error:
        if not waits or error.details.get("status") != "completed":
            raise
        # What is waited for is so: work that waited for its merge is merged by the look that a start takes.
        _say_completed(error.details["id"], as_json)
        return 0
    if warning := started.data.get("quality_warning"):
        say(warning["message"], err=True)
    if note := started.data.get("login_note"):
        say(note, err=True)
    if waits:
        if not as_json:
            say(_start_text(started.data), err=True)
        watch = Watch(session.chant, [started.data["process_id"]])
        return watched(watch, started.data["spec_id"], as_json)
    if as_json:
        say_json(started.text)
        return 0
    from chant_mcp.commands import display, run_display

    display.console().print(run_display.started(started.data), soft_wrap=True)
    return 0


def _all_ready(session: Session, start: StartRequestOfPerson, *, asks: bool) -> list[str]:
    """Give the IDs of all specs that are ready, and have them worked on at once as far as is allowed."""
    chant = session.chant
    _, data = gathered(lambda limit, offset: chant.ready(limit=limit, offset=offset), EVERYTHING, "specs")
    ready: list[Data] = data["specs"]
    if ready and asks:
        _confirm_all(session, ready)
    # The core lowers the number to the configured limit.
    start["parallel"] = start.get("parallel") or max(1, len(ready))
    return [spec["id"] for spec in ready]


def _ready_items(session: Session, dialect: str | None) -> dict[str, list[str]]:
    """Give the names of all that is ready by format.

    Args:
        session: The project.
        dialect: The one format that is meant.
    """
    here = _work_formats(session)
    if dialect is not None and dialect not in ("chant", *here):
        words = ", ".join(("chant", *here))
        raise click.UsageError(
            f"`--dialect` names one of {words}; no other format here has items to work on."
        )
    words = here if dialect is None else [word for word in here if word == dialect]
    ready = {word: keys for word in words if (keys := session.chant.ready_items(word))}
    if dialect not in (None, "chant"):
        return ready
    with suppress(NotInitializedError):
        specs = session.chant.ready(limit=EVERYTHING).data["specs"]
        if specs:
            ready = {"chant": [spec["id"] for spec in specs], **ready}
    return ready


def _name_others(session: Session, dialect: str | None) -> None:
    """Say how what is ready and has no box is begun."""
    found: Data = session.workspace.ready(limit=1, dialects=[dialect] if dialect else []).data
    if items := found["items"]:
        count = f"{found['total']} item{'s are' if found['total'] > 1 else ' is'} ready"
        key = items[0]["key"]
        say(f"{count} that you name one by one, such as `chant-mcp work {key} --skip-criteria`.", err=True)


def _work_formats(session: Session) -> list[str]:
    """Name the formats here, besides specs, of whose items agents can be given some."""
    return [word for word in dialects_in(session.place.root) if word != "chant"]


def _confirm_items(session: Session, ready: dict[str, list[str]]) -> None:
    """Name what would be worked on, and ask once; a script has to say `--all`."""
    keys = [key for keys in ready.values() for key in keys]
    count = f"{len(keys)} item{'s are' if len(keys) > 1 else ' is'} ready"
    if not is_person(session):
        raise click.UsageError(f"{count}. Name one of them, or add `--all` to work on all that are ready.")
    for key in keys:
        say(key, err=True)
    if not click.confirm(f"{count}. Start agents on all of them?", err=True):
        raise click.ClickException("Nothing was started.")


def _work_on_all(
    session: Session, ready: dict[str, list[str]], start: StartRequestOfPerson, waits: bool, as_json: bool
) -> int:
    """Start work on all that is ready, each format below a run of its own; give the exit code."""
    started: list[Data] = []
    refused: list[ChantError | click.ClickException] = []
    for names in ready.values():
        request: StartRequestOfPerson = {**start, "parallel": start.get("parallel") or len(names)}
        try:
            started.append(_started(session, names, request).data)
        except (RefusedError, click.ClickException) as error:
            # What one format cannot begin keeps none of the others from it.
            refused.append(error)
    if not started:
        raise refused[0]
    for error in refused:
        say(str(error), err=True)
    if waits:
        return watched(Watch(session.chant, [run["process_id"] for run in started]), None, as_json)
    if as_json:
        say_json(written({"processes": started}))
        return 0
    from chant_mcp.commands import display, run_display

    for run in started:
        display.console().print(run_display.started(run), soft_wrap=True)
    return 0


def _confirm_all(session: Session, ready: list[Data]) -> None:
    """Show what would be worked on, and ask once; a script has to say `--all`."""
    count = f"{len(ready)} spec{'s are' if len(ready) > 1 else ' is'} ready"
    if not is_person(session):
        raise click.UsageError(f"{count}. Name one of them, or add `--all` to work on all that are ready.")
    from chant_mcp.commands import display

    display.console(for_errors=True).print(display.spec_table(ready))
    if not click.confirm(f"{count}. Start agents on all of them?", err=True):
        raise click.ClickException("Nothing was started.")


def _started(session: Session, ids: Sequence[str], start: StartRequestOfPerson) -> Answer:
    """Start the first of several specs that can be started, which goes on with the others."""
    refusals: list[str] = []
    with steps() as step:
        for id in ids[:-1]:
            with suppress_refusal(refusals):
                return session.chant.work_start(id, progress=step, **start)
        try:
            return session.chant.work_start(ids[-1], progress=step, **start)
        except RefusedError as error:
            if not refusals:
                raise
            reasons = [*refusals, str(error)]
            more = [f"and {len(reasons) - _SHOWN} more"] if len(reasons) > _SHOWN else []
            shown = "\n".join([*reasons[:_SHOWN], *more])
            raise click.ClickException(f"None of {len(ids)} ready items can be started:\n{shown}") from None


@contextmanager
def suppress_refusal(refusals: list[str]) -> Generator[None]:
    """Go on when a spec cannot be started for a reason of its own, and keep the reason."""
    try:
        yield
    except (RefusedError, InvalidArgumentError, IllegalTransitionError) as error:
        refusals.append(str(error))


def _say_forecast(answer: Answer, as_json: bool) -> None:
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, run_display

    display.console().print(run_display.forecast(answer.data), soft_wrap=True)


def _start_text(started: Data) -> str:
    """Say what holds the agent, the branch that the work starts from and lands on, and how."""
    from chant_mcp.commands import run_display

    target = run_display.target_text(started)
    said = started["confinement"] + (f"; starts from and lands on {target}" if target else "")
    note = started.get("landing_note")
    return f"{said}\n{note}" if note else said


def _say_completed(id: str, as_json: bool) -> None:
    if as_json:
        say_json(written({"processes": []}))
    say(f"Spec '{id}' is completed already; nothing was started.", err=True)


def run(session: Session) -> None:
    """Be the runner of the run that standard input names."""
    session.recovers = False  # who started this has just done so
    session.chant.run_work()


@contextmanager
def steps() -> Generator[Callable[[str], object]]:
    """Show at a terminal what is being done, in a line that vanishes."""
    from chant_mcp.commands import display

    err = display.console(for_errors=True)
    if not err.is_terminal:
        yield lambda _: None
        return
    with err.status("…") as status:
        yield lambda step: status.update(display.plain(f"{step} …"))


@click.command()
@click.argument("id", required=False)
@click.option("--all", "shows_ended", is_flag=True, help="Also show runs that ended.")
@click.option("-f", "--follow", is_flag=True, help="Watch running agents until they end.")
@json_option
@on_project
@click.pass_context
@exit_code_1("`-f` is given and not all that is watched was completed")
def runs(
    context: click.Context, session: Session, id: str | None, shows_ended: bool, follow: bool, as_json: bool
) -> None:
    """List the running agents, all or those of one spec."""
    chant = session.chant
    text, data = _listed_runs(session, ended=shows_ended or (follow and id is not None))
    found: list[Data] = data["processes"]
    if id is not None:
        id = chant.run_name(id)
        found = data["processes"] = [run for run in found if run["spec_id"] == id]
        text = written(data)
    if follow and found:
        names = [run["process_id"] for run in found if run["status"] == "running"]
        newest = max(found, key=lambda run: run["started_at"] or "")["process_id"]
        context.exit(watched(Watch(chant, names or [newest]), id, as_json))
    if as_json:
        say_json(text)
        return
    from chant_mcp.commands import display, run_display

    out = display.console()
    if found:
        newest_first = sorted(found, key=lambda run: run["started_at"] or "", reverse=True)
        out.print(run_display.runs_table(sorted(newest_first, key=lambda run: run["status"] != "running")))
    else:
        out.print("No agent is at work." if not shows_ended else "No runs.")
    if load := run_display.load_text(data):
        out.print(load)
    elsewhere = [held for held in data.get("elsewhere", ()) if id is None or held["spec_id"] == id]
    if elsewhere:
        out.print("\nIn other clones:")
        out.print(run_display.leases_table(elsewhere))
        if "looked_seconds_ago" in data:
            out.print(run_display.look_words(data), style="dim")
    if (problems := display.problems_block(data)) is not None:
        out.print(problems)


def _listed_runs(session: Session, *, ended: bool) -> tuple[str, Data]:
    try:
        return listed(session.chant, ended=ended)
    except NotInitializedError:
        # A project of other formats needs nothing of ours; it has no runs yet.
        if not dialects_in(session.place.root):
            raise
        none: Data = {"processes": [], "summary": dict.fromkeys(("running", "completed", "failed"), 0)}
        return written(none), none


def watched(watch: Watch, id: str | None, as_json: bool) -> int:
    """Watch runs until they have ended, report those that did not complete, and give the exit code."""
    from chant_mcp.commands import display, run_display
    from chant_mcp.commands.live import follow

    try:
        if as_json:
            seen = deque(watch.moments(), maxlen=1).pop()
            say_json(written({"processes": [one.run for one in seen]}))
            ended = watch.named(seen)
        else:
            ended = follow(watch, display.console())
    except KeyboardInterrupt:
        named = f" {id}" if id is not None else ""
        stop = f"`chant-mcp pause{named or ' ID'}`"
        say(f"The work goes on. `chant-mcp runs{named} -f` shows it again; {stop} stops it.", err=True)
        return 1
    err = display.console(for_errors=True)
    short = [one for one in ended if one.state != "completed"]
    for one in short:
        err.print(run_display.ended(one), soft_wrap=True)
    # Where work lands by requests, an open one is what was asked for.
    return 1 if any(not one.run.get("proposed") for one in short) else 0


@click.command()
@click.argument("id")
@json_option
@on_project
@changes_files
def pause(session: Session, id: str, as_json: bool) -> None:
    """Stop the work on a spec; `work ID` continues it later."""
    say_message(session.chant.pause(id).text, as_json)


@click.command()
@click.argument("id")
@click.option(
    "--force",
    is_flag=True,
    help="Take it from another clone at once; else show its progress even if no agent runs.",
)
@json_option
@on_project
@changes_files
def takeover(session: Session, id: str, force: bool, as_json: bool) -> None:
    """Stop the agent on a spec so that you can continue by hand, and show its progress.

    Another clone that works on it is asked to stop.
    """
    answer = session.chant.takeover(id, force=force, from_clone=force)
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, run_display

    display.console().print(run_display.takeover(answer.data), soft_wrap=True)


@click.command()
@click.argument("id", required=False)
@json_option
@on_project
@changes_files
@asks_for_trust
def merge(session: Session, id: str | None, as_json: bool) -> None:
    """Check and merge the work on a spec. Without ID, merge all work that waits for its merge.

    Work that changes what runs by itself is shown at a terminal, and merged when you say yes.
    """
    session.recovers = False  # merging does so itself, and says what it merged
    try:
        say_message(session.chant.merge(id).text, as_json)
    except NotTrustedError as error:
        if "agreement" not in error.details or not is_person(session):
            raise
        _merge_agreed(session, error, as_json)


def _merge_agreed(session: Session, error: NotTrustedError, as_json: bool) -> None:
    """Show what work changes of what runs here, ask, and merge exactly that."""
    id: str = error.details["id"]
    say(f"The work on {id} changes what runs by itself:", err=True)
    for line in error.lines_to_review:
        say(f"  {line}", err=True)
    if not click.confirm("Merge it, and trust this folder with it?", err=True):
        raise click.ClickException("Nothing was merged.")
    say_message(session.chant.merge(id, agreed=error.details["agreement"]).text, as_json)
