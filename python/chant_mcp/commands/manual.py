"""`help` and `man`: the help of a command, and the manual of all, from the table that completion reads."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click

from chant_mcp._core import VERSION
from chant_mcp.command_table import command_at, make_table
from chant_mcp.terminal import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from chant_mcp.command_table import TableCommand


@click.command("help")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.option("--schema", "as_schema", is_flag=True, help="Print the JSON Schema of its answers with --json.")
@click.pass_context
def help_of(context: click.Context, words: tuple[str, ...], as_schema: bool) -> None:
    """Print the help of a command, as `COMMAND --help` does."""
    if as_schema:
        _print_schema(" ".join(words))
        return
    root = context.find_root()
    at, command = root, root.command
    for word in words:
        inner = command.get_command(at, word) if isinstance(command, click.Group) else None
        if inner is None:
            raise click.UsageError(f"No such command '{' '.join(words)}'.")
        at, command = click.Context(inner, info_name=word, parent=at), inner
    say(command.get_help(at))


def _print_schema(command: str) -> None:
    from chant_mcp.json_schemas import schema_of

    schema = schema_of(command)
    if schema is None:
        raise click.UsageError(f"There is no command '{command}' that has --json.")
    say(json.dumps(schema, indent=2))


@click.command()
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
def man(words: tuple[str, ...]) -> None:
    """Print the manual page: `chant-mcp man | man -l -`."""
    table = make_table()
    found = command_at(table, list(words))
    if found is None:
        raise click.UsageError(f"No such command '{' '.join(words)}'.")
    say("\n".join(_page(found, ["chant-mcp", *words])))


def _page(command: TableCommand, words: list[str]) -> Iterator[str]:
    name = "-".join(words)
    yield f'.TH "{name.upper()}" "1" "" "chant-mcp {VERSION}" "User Commands"'
    yield ".SH NAME"
    yield f"{_roff(name)} \\- {_roff(command['line'].rstrip('.'))}"
    yield ".SH SYNOPSIS"
    yield _synopsis(command, words)
    yield ".SH DESCRIPTION"
    yield from _paragraphs(command["help"])
    if command["options"]:
        yield ".SH OPTIONS"
        yield from _options(command)
    if command["commands"]:
        yield ".SH COMMANDS"
        yield from _commands(command, words)
    if len(words) == 1:
        yield ".SH EXIT STATUS"
        yield "0: the command did what was asked. 1: it refused, or found what its help names. 2: the"
        yield "command line is wrong, or a person has to trust the folder first."


def _commands(command: TableCommand, words: list[str]) -> Iterator[str]:
    for name, inner in command["commands"].items():
        yield f".SS {_roff(' '.join([*words[1:], name]))}"
        yield _synopsis(inner, [*words, name])
        yield from _paragraphs(inner["help"])
        yield from _options(inner)
        yield from _commands(inner, [*words, name])


def _synopsis(command: TableCommand, words: list[str]) -> str:
    parts = [f"\\fB{_roff(' '.join(words))}\\fR"]
    if command["options"]:
        parts.append("[OPTIONS]")
    if command["commands"]:
        parts.append("COMMAND [ARGS]...")
    parts += [_roff(argument["metavar"]) for argument in command["arguments"]]
    return " ".join(parts)


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield ".PP"
        yield _roff(paragraph)


def _options(command: TableCommand) -> Iterator[str]:
    for option in command["options"]:
        names = ", ".join(f"\\fB{_roff(name)}\\fR" for name in option["names"])
        value = f" \\fI{_roff(option['metavar'])}\\fR" if option["metavar"] else ""
        yield ".TP"
        yield names + value
        yield _roff(option["help"])


def _roff(text: str) -> str:
    """Write a text so that nothing in it is a request or an escape."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
