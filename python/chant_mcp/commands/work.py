"""`work`, `runs`, `pause`, `takeover` and `merge`: agents begin, are watched and stopped."""

from __future__ import annotations

import click

from chant_mcp.commands.answers import exit_code_1, json_option, say_message
from chant_mcp.commands.asking import asks_for_trust, is_person
from chant_mcp.commands.follow_ready import follow_ready
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.commands.run_names import run_name
from chant_mcp.commands.watch import Watch, listed
from chant_mcp.commands.work_ready import work_on_ready
from chant_mcp.commands.work_start import StartOptions, start_work, watched
from chant_mcp.errors import NotInitializedError, NotTrustedError
from chant_mcp.paging import Data, written
from chant_mcp.parameters import StartRequestOfPerson, Unpack
from chant_mcp.session import Session, dialects_in
from chant_mcp.terminal import say, say_json


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
@click.option("--fresh", is_flag=True, help="Start again; earlier work is kept under refs/chant/backup.")
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
    options = StartOptions(start, waits, takes_all, is_trial, as_json)
    if id is None:
        context.exit(work_on_ready(session, dialect, options))
    context.exit(start_work(session, [run_name(session, id)], options))


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

    send_words(session, run_name(session, id), words, as_json)


def run(session: Session) -> None:
    """Be the runner of the run that standard input names."""
    session.recovers = False  # who started this has just done so
    session.chant.run_work()


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
        id = chant.run_name(run_name(session, id))
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
    if load := display.load_text(data):
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


@click.command()
@click.argument("id")
@json_option
@on_project
@changes_files
def pause(session: Session, id: str, as_json: bool) -> None:
    """Stop the work on a spec; `work ID` continues it later."""
    say_message(session.chant.pause(run_name(session, id)).text, as_json)


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
    answer = session.chant.takeover(run_name(session, id), force=force, from_clone=force)
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
        say_message(session.chant.merge(id and run_name(session, id)).text, as_json)
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
