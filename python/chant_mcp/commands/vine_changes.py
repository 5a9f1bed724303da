"""`vine set`, `claim` and `expand`."""

from __future__ import annotations

import click

from chant_mcp._core import Answer, VineFiles
from chant_mcp.commands.answers import json_option
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.errors import ConflictError
from chant_mcp.paging import Data, written
from chant_mcp.session import Session
from chant_mcp.terminal import say_json

_TRIES = 20
"""How often a change is tried when others write to the file meanwhile."""


@click.command("set")
@click.argument("file")
@click.argument("words", nargs=-1, required=True, metavar="ID STATUS [ID STATUS]...")
@click.option("--dry-run", is_flag=True, help="Write nothing; show what would change in the file.")
@json_option
@on_project
@changes_files
def set_statuses(session: Session, file: str, words: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Set the status of tasks: of all that are named, or of none.

    A status is one of notstarted, planning, started, reviewing, complete, blocked.
    """
    if len(words) % 2:
        raise click.UsageError(f"Each ID needs a status behind it; '{words[-1]}' has none.")
    changes = list(zip(words[::2], words[1::2], strict=True))
    if as_json:
        operations = _operations(changes)
        say_json(session.vine.write(file, operations, dry_run=dry_run).text)
        return
    statuses, answer = _set(session.vine, file, changes, dry_run)
    from chant_mcp.commands import display, vine_display

    out = display.console()
    for id, status in changes:
        mark = display.plain("" if dry_run else "✓ ", "green")
        out.print(mark + vine_display.change_text(id, statuses[id], status))
        statuses[id] = status
    if dry_run:
        found: Data = answer.data
        out.print(vine_display.diff_text(found["diff"]), soft_wrap=True)
        out.print("Nothing was written.")


def _operations(changes: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"op": "set_status", "id": id, "status": status} for id, status in changes]


def _set(
    vine: VineFiles, file: str, changes: list[tuple[str, str]], dry_run: bool
) -> tuple[dict[str, str], Answer]:
    """Set statuses; give those that the tasks had in the very text that was changed, and the answer."""
    tries = 0
    while True:
        plan: Data = vine.plan(file).data
        statuses = {node["id"]: node["status"] for node in plan["nodes"] if "status" in node}
        try:
            answer = vine.write(file, _operations(changes), dry_run=dry_run, expect=plan["blob"], limit=0)
        except ConflictError as error:
            tries += 1
            if tries == _TRIES or "expected" not in error.details:
                raise
        else:
            return statuses, answer


@click.command()
@click.argument("file")
@click.argument("id")
@click.option("--owner", metavar="NAME", help="Who works on it; kept with the task as @owner(NAME).")
@click.option("--force", is_flag=True, help="Take it even if it has an owner or has to wait.")
@json_option
@on_project
@changes_files
def claim(session: Session, file: str, id: str, owner: str | None, force: bool, as_json: bool) -> None:
    """Claim a task, and show it with its dependencies."""
    named = {} if owner is None else {"owner": owner}
    answer = session.vine.write(file, [{"op": "claim", "id": id, "force": force, **named}])
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, vine_display

    out = display.console()
    task: Data = answer.data["claimed"][0]
    out.print(display.plain("✓ ", "green") + display.plain(f"{id} is claimed."))
    vine_display.show_task(out, task)


@click.command()
@click.argument("file")
@click.argument("ref_id")
@click.argument("child", required=False)
@json_option
@on_project
@changes_files
def expand(session: Session, file: str, ref_id: str, child: str | None, as_json: bool) -> None:
    """Replace a reference with the tasks of the file that it names.

    The other file is the one that the reference names, unless CHILD names one.
    """
    answer = session.vine.expand(file, ref_id, child)
    if as_json:
        say_json(written({"ref_id": ref_id, "message": answer.text}))
        return
    from chant_mcp.commands import display

    done, _, warning = answer.text.partition("\n")
    out = display.console()
    out.print(display.plain("✓ ", "green") + display.plain(done))
    if warning:
        out.print(display.plain(warning, "yellow"))
