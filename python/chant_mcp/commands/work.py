"""`work`, `runs`, `pause`, `takeover` and `merge`: agents begin, are watched and stopped."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager

import click

from chant_mcp._core import Answer
from chant_mcp.commands.answers import json_option
from chant_mcp.commands.asking import asks_for_trust, is_person
from chant_mcp.commands.surroundings import changes_files, on_project
from chant_mcp.commands.watch import Watch, listed
from chant_mcp.errors import IllegalTransitionError, NotTrustedError
from chant_mcp.paging import Data, written
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json


@click.command()
@click.argument("id")
@click.option(
    "-w", "--wait", "waits", is_flag=True, help="Wait until the work has ended; exit code 0 if completed."
)
@click.option("--chain", is_flag=True, help="Go on with what is ready after it.")
@click.option("--parallel", type=click.IntRange(min=1), metavar="N", help="Keep N agents at work.")
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
@click.option("--on", metavar="TARGET", help="Have agents work on a cluster: a name, or tls://HOST:PORT.")
@click.option(
    "--dry-run", "is_trial", is_flag=True, help="Only show what it would take and cost, by earlier runs."
)
@click.option("--runner", is_flag=True, hidden=True)
@click.option("--trusted", metavar="HASH", hidden=True)
@json_option
@on_project
@changes_files
@asks_for_trust
@click.pass_context
def work(
    context: click.Context,
    session: Session,
    id: str,
    waits: bool,
    chain: bool,
    parallel: int | None,
    skip_criteria: bool,
    fresh: bool,
    base: str | None,
    agent: str | None,
    prompt: str | None,
    offline: bool,
    on: str | None,
    is_trial: bool,
    runner: bool,
    trusted: str | None,
    as_json: bool,
) -> None:
    """Have an agent work on a spec, in a git worktree of its own.

    Without `--wait` the work goes on by itself; `runs`, `log` and `pause` are for it.
    """
    if runner:
        session.trust_named(trusted)
        run(session)
        return
    if is_trial:
        answer = session.chant.work_forecast(
            id, chain=chain, parallel=parallel, skip_criteria=skip_criteria, base=base, agent=agent
        )
        _say_forecast(answer, as_json)
        return
    try:
        with steps() as step:
            if on:
                session.prepare_cluster(on)
            answer = session.chant.work_start(
                id,
                chain=chain,
                parallel=parallel,
                skip_criteria=skip_criteria,
                fresh=fresh,
                base=base,
                agent=agent,
                prompt=prompt,
                offline=offline,
                on=on,
                progress=step,
            )
    except IllegalTransitionError as error:
        if not waits or error.details.get("status") != "completed":
            raise
        # What is waited for is so: work that waited for its merge is merged by the look that a start takes.
        _say_completed(error.details["id"], as_json)
        return
    started: Data = answer.data
    if warning := started.get("quality_warning"):
        say(warning["message"], err=True)
    if waits:
        if not as_json:
            say(started["confinement"], err=True)
            _say_target(started)
        context.exit(watched(Watch(session.chant, [started["process_id"]]), started["spec_id"], as_json))
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, run_display

    display.console().print(run_display.started(started), soft_wrap=True)


def _say_forecast(answer: Answer, as_json: bool) -> None:
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, run_display

    display.console().print(run_display.forecast(answer.data), soft_wrap=True)


def _say_target(started: Data) -> None:
    from chant_mcp.commands import run_display

    if (target := run_display.target_text(started)) is not None:
        say(f"starts from and lands on {target}", err=True)


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
@click.option("--all", "shows_ended", is_flag=True, help="Show runs that ended, too.")
@click.option("-f", "--follow", is_flag=True, help="Watch those at work until they have ended.")
@json_option
@on_project
@click.pass_context
def runs(
    context: click.Context, session: Session, id: str | None, shows_ended: bool, follow: bool, as_json: bool
) -> None:
    """List the agents at work, or those at work on one spec.

    With `-f` the exit code is 0 if all that is watched was completed.
    """
    chant = session.chant
    text, data = listed(chant, ended=shows_ended or (follow and id is not None))
    found: list[Data] = data["processes"]
    if id is not None:
        id = chant.spec_get(id, max_chars=1).data["id"]
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
    failed = [one for one in ended if one.state != "completed"]
    for one in failed:
        err.print(run_display.ended(one), soft_wrap=True)
    return 1 if failed else 0


@click.command()
@click.argument("id")
@on_project
@changes_files
def pause(session: Session, id: str) -> None:
    """Stop the work on a spec so that it can go on later: `work ID` does so."""
    say(session.chant.pause(id).text)


@click.command()
@click.argument("id")
@click.option(
    "--force",
    is_flag=True,
    help="Take it at once from another clone that works on it; else show how far it is even if no one does.",
)
@json_option
@on_project
@changes_files
def takeover(session: Session, id: str, force: bool, as_json: bool) -> None:
    """Stop the work on a spec to go on by hand, and show how far it is.

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
@on_project
@changes_files
@asks_for_trust
def merge(session: Session, id: str | None) -> None:
    """Judge and merge the work on a spec; without ID all work that waits for its merge.

    Work that changes what runs by itself is shown at a terminal, and merged when you say yes.
    """
    try:
        say(session.chant.merge(id).text)
    except NotTrustedError as error:
        if "agreement" not in error.details or not is_person(session):
            raise
        _merge_agreed(session, error)


def _merge_agreed(session: Session, error: NotTrustedError) -> None:
    """Show what work changes of what runs here, ask, and merge exactly that."""
    id: str = error.details["id"]
    say(f"The work on {id} changes what runs by itself:", err=True)
    for line in error.lines_to_review:
        say(f"  {line}", err=True)
    if not click.confirm("Merge it, and trust this folder with it?", err=True):
        raise click.ClickException("Nothing was merged.")
    say(session.chant.merge(id, agreed=error.details["agreement"]).text)
