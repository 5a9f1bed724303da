"""The commands and options of the program as one table, from which completion and the manual are made.

It is kept as a file, because a shell asks at every press of a key and importing all commands takes longer
than a person waits. `python -P -m chant_mcp.command_table` writes it; a test compares.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypedDict

    import click

    class TableOption(TypedDict):
        """An option."""

        names: list[str]
        metavar: str
        """What its value is called; empty for one without a value."""
        help: str
        words: list[str]
        """The words it may have; else what `kind` says."""
        kind: str
        """`item`, `archived`, `label`, `status`, `file`, `folder`, or empty."""

    class TableArgument(TypedDict):
        """An argument."""

        metavar: str
        words: list[str]
        kind: str
        repeats: bool

    class TableCommand(TypedDict):
        """A command; a group has `commands`."""

        line: str
        """Its first sentence."""
        help: str
        """The whole text; not in the file."""
        options: list[TableOption]
        arguments: list[TableArgument]
        commands: dict[str, TableCommand]

else:
    Any = object

TABLE_FILE = os.path.join(os.path.dirname(__file__), "resources", "commands.json")

_KINDS = {
    "--depends-on": "item",
    "--parent": "item",
    "--label": "label",
    "--status": "status",
}
"""What the values of options are, by their names."""
_ITEM_ARGUMENTS = {"id", "ids", "name", "key", "dependencies", "tasks"}
"""Arguments that name items."""


def read_table() -> TableCommand:
    """Read the table as it was written."""
    with open(TABLE_FILE, encoding="utf-8") as file:
        return json.load(file)


def command_at(table: TableCommand, words: list[str]) -> TableCommand | None:
    """Find a command by the words that lead to it."""
    for word in words:
        found = table["commands"].get(word)
        if found is None:
            return None
        table = found
    return table


def make_table() -> TableCommand:
    """Make the table from the commands themselves."""
    import click

    from chant_mcp.cli import program

    return _command(program, click.Context(program, info_name="chant-mcp", **program.context_settings))


def _command(command: click.Command, context: click.Context) -> TableCommand:
    import click

    doc = click.unstyle(command.help or "").strip()
    paragraphs = [" ".join(part.split()) for part in doc.split("\n\n")]
    commands: dict[str, TableCommand] = {}
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is None or inner.hidden or name in _unlisted(command):
                continue
            commands[name] = _command(inner, click.Context(inner, info_name=name, parent=context))
    params = command.get_params(context)
    return {
        "line": paragraphs[0],
        "help": "\n\n".join(paragraphs),
        "options": [
            _option(command, one, context)
            for one in params
            if isinstance(one, click.Option) and not one.hidden
        ],
        "arguments": [_argument(command, one, context) for one in params if isinstance(one, click.Argument)],
        "commands": commands,
    }


def _unlisted(group: click.Group) -> set[str]:
    listing: dict[str, dict[str, Any]] = getattr(group, "listing", {})
    return set(listing.get("", {}))


def _option(command: click.Command, option: click.Option, context: click.Context) -> TableOption:
    names = [*option.opts, *option.secondary_opts]
    if option is command.get_help_option(context):
        # A command keeps this one of the context that asked first, perhaps without the program above it.
        names = list(context.help_option_names)
    words, kind = _values(option)
    takes_value = not option.is_flag and not option.count
    return {
        "names": names,
        "metavar": (option.metavar or option.type.name.upper()) if takes_value else "",
        "help": " ".join((option.help or "").split()),
        "words": words if takes_value else [],
        "kind": next((_KINDS[name] for name in names if name in _KINDS), kind) if takes_value else "",
    }


def _argument(command: click.Command, argument: click.Argument, context: click.Context) -> TableArgument:
    words, kind = _values(argument)
    if argument.name in _ITEM_ARGUMENTS and not words:
        kind = "archived" if command.name == "unarchive" else "item"
    if argument.name == "labels":
        kind = "label"
    return {
        "metavar": argument.make_metavar(context),
        "words": words,
        "kind": kind,
        "repeats": argument.nargs == -1,
    }


def _values(parameter: click.Parameter) -> tuple[list[str], str]:
    import click

    if isinstance(parameter.type, click.Choice):
        return [str(choice) for choice in parameter.type.choices], ""
    if isinstance(parameter.type, click.File):
        return [], "file"
    if isinstance(parameter.type, click.Path):
        return [], "file" if parameter.type.file_okay else "folder"
    return [], ""


def render_table(table: TableCommand) -> str:
    """Write the table as the file holds it: a line for each command, without the texts of help."""
    commands = table["commands"].items()
    lines = [f"{json.dumps(name)}: {json.dumps(_without_help(one))}" for name, one in commands]
    rest = json.dumps({**_without_help(table), "commands": None})
    return rest.replace("null", "{\n" + ",\n".join(lines) + "\n}") + "\n"


def _without_help(command: TableCommand) -> dict[str, Any]:
    commands = {name: _without_help(one) for name, one in command["commands"].items()}
    return {**{key: value for key, value in command.items() if key != "help"}, "commands": commands}


if __name__ == "__main__":
    with open(TABLE_FILE, "w", encoding="utf-8") as file:
        file.write(render_table(make_table()))
