"""`split`: an agent proposes members of a spec, and a person decides whether they are written."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Sequence

import click

from chant_mcp.commands.answers import exit_code_1, json_option
from chant_mcp.commands.asking import asks_for_trust
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.commands.run_names import spec_name
from chant_mcp.commands.text_layout import Text
from chant_mcp.commands.watch import Watch, listed
from chant_mcp.commands.work_start import steps, watched
from chant_mcp.paging import Data, written
from chant_mcp.session import Session
from chant_mcp.terminal import say_json


@click.command()
@click.argument("id")
@click.option("--force", is_flag=True, help="Write what is proposed without asking.")
@click.option("--recursive", is_flag=True, help="Split members that are still too complex, too.")
@click.option("--max-depth", type=click.IntRange(min=1), metavar="N", help="Levels of members (default: 3).")
@click.option("--fresh", is_flag=True, help="Ask the agent again, even if a proposal waits.")
@click.option("-w", "--wait", "waits", is_flag=True, help="Watch until the proposal is there, and show it.")
@json_option
@on_project
@changes_files
@asks_for_trust
@click.pass_context
@exit_code_1("`--wait` is given and the split failed")
def split(
    context: click.Context,
    session: Session,
    id: str,
    force: bool,
    recursive: bool,
    max_depth: int | None,
    fresh: bool,
    waits: bool,
    as_json: bool,
) -> None:
    """Ask an agent to propose members of a spec that is too large.

    The agent works on a copy and nothing is written at first. The same command shows the proposal when it
    is there; at a terminal it asks whether to write it, elsewhere `--force` does.
    """
    id = spec_name(session, id, "is divided in its own document", "`chant-mcp open {key}` opens it.")
    chant = session.chant
    with steps() as step:
        answer = chant.split(
            id, force=force, recursive=recursive, max_depth=max_depth, fresh=fresh, progress=step
        )
    run: Data = answer.data
    if waits and run["status"] == "running":
        watch = Watch(chant, [run["process_id"]])
        if as_json:
            deque(watch.moments(), maxlen=1)
        elif code := watched(watch, run["spec_id"], as_json=False):
            context.exit(code)
        run = _ended(session, run, recursive, max_depth)
    if as_json:
        say_json(written(run))
        context.exit(1 if run["status"] == "failed" else 0)
    _show(session, run, force)


def _ended(session: Session, run: Data, recursive: bool, max_depth: int | None) -> Data:
    """Give the run as it is after its end, with its proposal where one waits."""
    _, data = listed(session.chant, ended=True, process_id=run["process_id"])
    [entry] = [one for one in data["processes"] if one["process_id"] == run["process_id"]]
    if entry["status"] == "completed" and not run["options"]["force"]:
        return session.chant.split(run["spec_id"], recursive=recursive, max_depth=max_depth).data
    return {**run, "status": entry["status"], "reason": entry.get("reason")}


def _show(session: Session, run: Data, force: bool) -> None:
    from chant_mcp.commands import display, run_display

    out = display.console()
    id = run["spec_id"]
    if run["status"] == "running":
        out.print(run_display.started(run), soft_wrap=True)
        out.print(display.plain(f"→ `chant-mcp split {id}` shows what it proposes.", "dim"), soft_wrap=True)
        return
    proposal: Data | None = run.get("proposal")
    if force or proposal is None:
        out.print(display.plain(run["reason"] or ""), soft_wrap=True)
        return
    out.print(_proposal(id, proposal), soft_wrap=True)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        out.print(display.plain(f"→ `chant-mcp split {id} --force` writes them.", "dim"), soft_wrap=True)
    elif click.confirm("Write these members?", err=True):
        # What was shown is what is written: another proposal, or a spec that changed meanwhile, is refused.
        done: Data = session.chant.split(id, force=True, agreed=run["process_id"]).data
        out.print(display.plain(done["reason"]), soft_wrap=True)
    else:
        out.print(display.plain("Nothing was written; the proposal waits.", "dim"))


def _proposal(id: str, proposal: Data) -> Text:
    """Show members with their criteria, each below what it belongs to."""
    from chant_mcp.commands.display import plain

    lines = [plain(f"Proposed members of {id}", "bold"), *_members(proposal["members"], "")]
    lines += [plain(f"Note: {note}", "yellow") for note in proposal.get("warnings", [])]
    return Text("\n").join(lines)


def _members(members: Sequence[Data], outer: str) -> Iterator[Text]:
    from chant_mcp.commands.display import plain

    blanks = "  " * outer.count(".")
    for number, member in enumerate(members, start=1):
        after = ", ".join(f"{outer}{on}" for on in member["depends_on"])
        yield plain(f"{blanks}{outer}{number}. {member['title']}", "bold") + plain(
            f" (after {after})" if after else "", "dim"
        )
        yield from (plain(f"{blanks}   - {criterion}") for criterion in member["criteria"])
        if member["target_files"]:
            yield plain(f"{blanks}   {', '.join(member['target_files'])}", "dim")
        yield from _members(member.get("members", []), f"{outer}{number}.")
