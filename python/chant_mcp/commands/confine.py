"""`confine`: what runs are held to on this machine, and a command tried like that."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from chant_mcp.commands.answers import exit_code_1, json_option
from chant_mcp.commands.project_options import on_project
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json

if TYPE_CHECKING:
    from chant_mcp.commands.text_layout import Shown

NOT_FOUND = 127
"""The exit code for a command that is not there, as shells have it."""

NOT_STARTED = 126
"""The exit code for a command that cannot be started."""


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--check", "checks", is_flag=True, help="Show which limits this machine can enforce on runs.")
@json_option
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@on_project
@click.pass_context
@exit_code_1("`--check` is given and runs cannot be confined")
def confine(
    context: click.Context, session: Session, checks: bool, as_json: bool, command: tuple[str, ...]
) -> None:
    """Try a command confined as runs are: it writes the current folder, and reads no secrets.

    `chant-mcp confine -- make test` shows whether your tools work in a run; the exit code is the command's.
    `--check` shows which limits hold on this machine.
    """
    session.recovers = False
    if command and command[0].startswith("-"):
        raise click.NoSuchOption(command[0])
    if checks == bool(command):
        raise click.UsageError("Give a command after `--`, or --check.")
    if checks:
        context.exit(_check(session, as_json))
    project = session.chant
    # The process becomes the command, or what starts it in namespaces of its own.
    argv, variables, order, note = project.confine_command(str(context.obj.working_directory), list(command))
    say(note, err=True)
    if order is not None:
        os.execve(argv[0], [*argv, str(readable(order))], variables)
    try:
        os.execvpe(argv[0], argv, {**session.environment, **variables})
    except FileNotFoundError as error:
        say(f"There is no program {command[0]}.", err=True)
        raise SystemExit(NOT_FOUND) from error
    except OSError as error:
        say(f"{command[0]} cannot be started: {error.strerror}", err=True)
        raise SystemExit(NOT_STARTED) from error


def readable(order: bytes) -> int:
    """Put an order where the program reads it that this process becomes."""
    descriptor = os.memfd_create("order", 0)
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(order)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _check(session: Session, as_json: bool) -> int:
    found: Data = session.chant.confine_check().data
    if as_json:
        from chant_mcp.paging import written

        say_json(written(found))
    else:
        from chant_mcp.commands import display

        display.print_parts(_parts(found), soft_wrap=True)
    return 1 if "problem" in found or found["confinement"].startswith("not ") else 0


def _parts(found: Data) -> Iterator[Shown]:
    from chant_mcp.commands.display import plain

    yield plain(found["confinement"], "bold")
    for one in found["held"]:
        mark, style = ("✓ ", "green") if one["holds"] else ("· ", "yellow")
        note = f" ({one['note']})" if "note" in one else ""
        kept = "kept from runs" if one["holds"] else "open to runs"
        yield plain(mark, style) + plain(f"{one['what']}: {kept}") + plain(note, "dim")
    if "problem" in found:
        yield plain("\n✗ ", "red") + plain(found["problem"])
