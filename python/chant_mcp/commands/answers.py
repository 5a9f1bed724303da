"""How much of an answer commands show, and as what."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from chant_mcp.output_mode import MODE
from chant_mcp.paging import USUAL_LIMIT, written
from chant_mcp.terminal import say, say_json

Run = TypeVar("Run", bound=Callable[..., None])


def _note_json(context: click.Context, parameter: click.Parameter, value: bool) -> bool:
    """Remember that a command answers as JSON, for errors that are known outside of it."""
    if value:
        # The name of the program has blanks itself where Python was told to run the package.
        MODE.print_json(context.command_path.removeprefix(context.find_root().command_path).strip())
    return value


json_option = click.option(
    "--json", "as_json", is_flag=True, callback=_note_json, help="Print the answer as JSON."
)


def _note_format(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is not None and value not in ("table", "tsv") and "{" not in value:
        raise click.BadParameter(f"'{value}' is neither table nor tsv, and names no field such as {{id}}.")
    if value is not None:
        MODE.line_format = value


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


limit_option = limited_to(USUAL_LIMIT, "entries")
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
