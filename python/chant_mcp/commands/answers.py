"""How much of an answer commands show, and as what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import click

from chant_mcp.commands.groups import AS_JSON
from chant_mcp.paging import Data, written
from chant_mcp.terminal import say, say_json

Run = TypeVar("Run", bound=Callable[..., None])


def _note_json(context: click.Context, parameter: click.Parameter, value: bool) -> bool:
    """Remember that a command answers as JSON, for errors that are known outside of it."""
    if value:
        context.meta.setdefault(AS_JSON, []).append(context)
    return value


json_option = click.option(
    "--json", "as_json", is_flag=True, callback=_note_json, help="Print the answer as JSON."
)
LINE_FORMAT = "chant_mcp.line_format"
"""The place in a context's notes for what `--format` of a list says."""


def _note_format(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None and value not in ("table", "tsv") and "{" not in value:
        raise click.BadParameter(f"'{value}' is neither table nor tsv, and names no field such as {{id}}.")
    if value is not None:
        context.meta[LINE_FORMAT] = value


format_option = click.option(
    "--format",
    "line_format",
    metavar="FORMAT",
    expose_value=False,
    callback=_note_format,
    help="How a list is printed: table, tsv (a line for each item, its columns parted by tabs; the usual for "
    "pipes), or fields in braces, such as '{id} {title}'; `--json` shows which there are.",
)
picture_option = click.option(
    "--format",
    "form",
    type=click.Choice(["tree", "mermaid", "dot"]),
    default="tree",
    show_default=True,
    help="What to draw: a tree for the terminal, or a text for Mermaid or Graphviz.",
)


def limited_to(most: int, entries: str) -> Callable[[Run], Run]:
    """Make the option that limits how many entries a command shows."""
    help = f"Show at most this many {entries}."
    return click.option("--limit", type=click.IntRange(min=0), default=most, show_default=True, help=help)


limit_option = limited_to(50, "entries")
all_option = click.option("--all", "show_all", is_flag=True, help="Show all entries, however many.")


def exit_code_1(reason: str) -> Callable[[Run], Run]:
    """Say in a command's help when it ends with exit code 1 although nothing was refused.

    Args:
        reason: What follows "if"; the guide's table of exit codes has the same words.
    """

    def with_reason(run: Run) -> Run:
        doc = (run.__doc__ or "").rstrip()
        run.__doc__ = f"{doc}\n\n    {EXIT_CODE_1}{reason}.\n"
        return run

    return with_reason


EXIT_CODE_1 = "Exit code 1 if "
"""The beginning of the sentence that help has about exit code 1."""


list_all_option = click.option(
    "--all", "show_all", is_flag=True, help="Show all entries, cancelled and archived specs, too."
)
search_all_option = click.option(
    "--all", "show_all", is_flag=True, help="Show all entries, and look through archived specs, too."
)


def say_message(text: str, as_json: bool) -> None:
    """Print what a command did, whose tool answers in words."""
    if as_json:
        say_json(written({"message": text}))
    else:
        say(text)


def left_out(data: Data, noun: str, shown: int) -> Iterator[str]:
    """Say what a list does not show and how to get it."""
    if shown < (total := data.get("total", shown)):
        yield f"{shown} of {total} {noun} shown; --all shows the rest."
    yield from left_to_others(data)


def left_to_others(data: Data) -> Iterator[str]:
    """Say what a list leaves out because of the remote that clones share."""
    if held := data.get("held_elsewhere"):
        yield f"Other clones work on {held} more; `--held` shows them, `chant-mcp leases` says who."
    if completed := data.get("completed_on_remote"):
        yield f"Other clones completed {completed} more; `chant-mcp leases --pull` brings them here."
    if doubtful := data.get("doubtful_leases"):
        yield f"The leases of {doubtful} more cannot be read or believed; `chant-mcp leases` says why."
