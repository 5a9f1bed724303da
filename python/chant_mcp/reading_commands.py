"""Commands that only read, run without click: importing it takes longer than they do.

What is not plain here, such as an unknown option, a refusal of an argument or a template of `--format`, is
left to the same commands in `commands/`, which say everything that there is to say.
"""

from __future__ import annotations

import os
import sys

from chant_mcp.paging import USUAL_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from chant_mcp.session import Session


class ReadingCommand:
    """The options of a command, with what its function calls them."""

    def __init__(
        self,
        flags: dict[str, str],
        values: dict[str, str],
        lists: dict[str, str],
        argument: str | None,
        run: Callable[[Session, dict[str, Any]], None],
    ) -> None:
        self.flags = flags
        """Options without a value."""
        self.values = values
        """Options with a value, of which the last one counts."""
        self.lists = lists
        """Options with a value that may be repeated."""
        self.argument = argument
        """Its one argument."""
        self.run = run


_JSON = {"--json": "as_json"}
_LIST_FLAGS = {"--all": "show_all", **_JSON}
_LIST_VALUES = {"--limit": "limit", "--format": "line_format"}


def _list(session: Session, given: dict[str, Any]) -> None:
    from chant_mcp.commands.item_answers import ItemFilters, show_list

    wanted = ItemFilters(given["statuses"], given["labels"], given["dialects"], given["ready"])
    show_list(session, wanted, None, given["limit"], given["show_all"], given["as_json"])


def _ready(session: Session, given: dict[str, Any]) -> None:
    from chant_mcp.commands.item_answers import ItemFilters, show_ready

    wanted = ItemFilters((), given["labels"], given["dialects"], True, given["include_held"])
    show_ready(session, wanted, given["limit"], given["show_all"], given["as_json"])


def _search(session: Session, given: dict[str, Any]) -> None:
    from chant_mcp.commands.item_answers import show_found

    show_found(
        session, given["query"], given["statuses"], given["limit"], given["show_all"], given["as_json"]
    )


def _show(session: Session, given: dict[str, Any]) -> None:
    from chant_mcp.commands.item_answers import show_item

    show_item(session, given["name"], given["raw"], given["as_json"])


def _status(session: Session, given: dict[str, Any]) -> None:
    from chant_mcp.commands.item_answers import show_status

    show_status(session, given["activity"], given["as_json"])


_FILTERS = {"--label": "labels", "--dialect": "dialects"}
COMMANDS = {
    "list": ReadingCommand(
        {"--ready": "ready", **_LIST_FLAGS}, _LIST_VALUES, {"--status": "statuses", **_FILTERS}, None, _list
    ),
    "ready": ReadingCommand({"--held": "include_held", **_LIST_FLAGS}, _LIST_VALUES, _FILTERS, None, _ready),
    "search": ReadingCommand(_LIST_FLAGS, _LIST_VALUES, {"--status": "statuses"}, "query", _search),
    "show": ReadingCommand({"--raw": "raw", **_JSON}, {}, {}, "name", _show),
    "status": ReadingCommand({"--activity": "activity", **_JSON}, {}, {}, None, _status),
}
"""The commands by name; a test compares their options with those of `commands/`."""


def read(words: list[str], environment: Mapping[str, str]) -> int | None:
    """Run the command that the arguments name.

    Args:
        words: The arguments of the program.
        environment: The variables of this process.

    Returns:
        Its exit code; nothing when the arguments are for click.
    """
    if not words or words[0] not in COMMANDS or environment.get("CHANT_PROJECT"):
        return None
    given = _options(COMMANDS[words[0]], words[1:])
    if given is None:
        return None
    try:
        working_directory = os.getcwd()
    except OSError:
        return None
    return _run(words[0], given, environment, working_directory)


def _options(command: ReadingCommand, words: list[str]) -> dict[str, Any] | None:
    """Read the options of a command; nothing where one is unknown or wrong."""
    given: dict[str, Any] = dict.fromkeys(command.flags.values(), False)
    given.update(dict.fromkeys(command.lists.values(), ()))
    given.update({"line_format": None, "limit": USUAL_LIMIT})
    arguments: list[str] = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if word in command.flags:
            given[command.flags[word]] = True
        elif name in command.values or name in command.lists:
            value = value if equals else next(rest, None)
            if value is None or (value.startswith("-") and not equals):
                return None
            if name in command.lists:
                given[command.lists[name]] = (*given[command.lists[name]], value)
            else:
                given[command.values[name]] = value
        elif word.startswith("-"):
            return None
        else:
            arguments.append(word)
    if len(arguments) != (command.argument is not None):
        return None
    if command.argument is not None:
        given[command.argument] = arguments[0]
    return given if _is_plain(given) else None


def _is_plain(given: dict[str, Any]) -> bool:
    """Return whether values are what they have to be, and the limit is made a number."""
    limit = str(given["limit"])
    if not (limit.isascii() and limit.isdigit()):
        return False
    given["limit"] = int(limit)
    return given["line_format"] in (None, "table", "tsv")


def _run(name: str, given: dict[str, Any], environment: Mapping[str, str], working_directory: str) -> int:
    from chant_mcp.commands.persons import with_run_above
    from chant_mcp.errors import ChantError, NotTrustedError
    from chant_mcp.output_mode import MODE
    from chant_mcp.session import Session, find_place
    from chant_mcp.terminal import say, say_json_error
    from chant_mcp.user_folders import home_folder

    MODE.begin(has_width="COLUMNS" in environment)
    MODE.line_format = given.pop("line_format")
    if given.get("as_json"):
        MODE.print_json(name)
    if sys.stderr is not None and sys.stderr.isatty():
        from chant_mcp import progress

        progress.report_on(sys.stderr)
    try:
        place = find_place(working_directory)
        session = Session.of_process(place, with_run_above(environment), home_folder())
        COMMANDS[name].run(session, given)
    except ChantError as error:
        from chant_mcp.commands.wrapping import wrapped

        say_json_error(error)
        say(wrapped(error.describe()), err=True)
        return 2 if isinstance(error, NotTrustedError) else 1
    except BrokenPipeError:
        # Who read the output has enough; what is left in the stream is for nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        say("\nAborted!", err=True)
        return 1
    return 0
