"""The words that a shell may offer while a command is typed, each with what it stands for.

A shell asks at every press of a key: what this imports is little, and no item is read that need not be.
"""

from __future__ import annotations

import os
import sys

from chant_mcp.command_table import read_table
from chant_mcp.errors import ChantError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from chant_mcp._core import Workspace
    from chant_mcp.command_table import TableCommand, TableOption

Word = tuple[str, str]
"""A word and what it stands for; that may be empty."""

FILES, FOLDERS = ":file", ":folder"
"""Lines that say: the shell offers files, or folders."""


def print_words(words: list[str], environment: Mapping[str, str]) -> None:
    """Print what may come in place of the last of these words, a line each: word, tab, what it stands for.

    Args:
        words: What was typed behind the name of the program, up to the cursor.
        environment: Where `CHANT_PROJECT` may name the project.
    """
    try:
        found = list(complete(words, environment.get("CHANT_PROJECT")))
    except (OSError, ChantError):
        found = []  # what goes wrong must not write into the line that is being typed
    text = "".join(f"{word}\t{' '.join(said.split())}\n" for word, said in found)
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))


def complete(words: list[str], folder: str | None = None) -> Iterator[Word]:
    """Give what may come in place of the last of these words.

    Args:
        words: What was typed.
        folder: The project, unless an option among the words names another one.
    """
    *before, typed = words or [""]
    command, state = read_table(), _TypedLine(folder)
    for word in before:
        command = state.take(command, word)
    option = state.wants_value
    if option is None and typed.startswith("--") and "=" in typed and not state.is_literal:
        name, _, value = typed.partition("=")
        if (named := find_option(command, name)) is not None:
            for word, said in _values(named["words"], named["kind"], value, state):
                yield (word if word.startswith(":") else f"{name}={word}"), said
        return
    if option is not None:
        yield from _values(option["words"], option["kind"], typed, state)
        return
    if typed.startswith("-") and not state.is_literal:
        yield from _options(command, typed)
        return
    if command["commands"]:
        inner = command["commands"].items()
        yield from ((name, one["line"]) for name, one in inner if name.startswith(typed))
        return
    arguments = command["arguments"]
    at = min(state.arguments, len(arguments) - 1)
    if at >= 0 and (state.arguments == at or arguments[at]["repeats"]):
        yield from _values(arguments[at]["words"], arguments[at]["kind"], typed, state)


class _TypedLine:
    """What the words before the cursor say."""

    def __init__(self, folder: str | None) -> None:
        self.arguments = 0
        self.is_literal = False
        self.wants_value: TableOption | None = None
        self.folder = folder

    def take(self, command: TableCommand, word: str) -> TableCommand:
        """Take one more word; gives the command that is meant then."""
        if self.wants_value is not None:
            if "--project" in self.wants_value["names"]:
                self.folder = word
            self.wants_value = None
        elif self.is_literal or not word.startswith("-") or word == "-":
            if (inner := command["commands"].get(word)) is not None:
                return inner
            self.arguments += 1
        elif word == "--":
            self.is_literal = True
        elif "=" not in word:
            option = find_option(command, word)
            self.wants_value = option if option is not None and option["metavar"] else None
        elif word.startswith("--project="):
            self.folder = word.partition("=")[2]
        return command


def find_option(command: TableCommand, name: str) -> TableOption | None:
    """Find an option of a command by one of its names."""
    return next((option for option in command["options"] if name in option["names"]), None)


def _options(command: TableCommand, typed: str) -> Iterator[Word]:
    for option in command["options"]:
        longest = max(option["names"], key=len)
        fits = [name for name in option["names"] if name.startswith(typed)]
        if fits:
            yield (longest if longest in fits else fits[0]), option["help"]


def _values(words: list[str], kind: str, typed: str, state: _TypedLine) -> Iterator[Word]:
    if words:
        yield from ((word, "") for word in words if word.startswith(typed))
    elif kind == "file":
        yield FILES, ""
    elif kind == "folder":
        yield FOLDERS, ""
    elif kind:
        workspace = _workspace(state.folder)
        if kind == "status":
            yield from ((word, "") for word in workspace.status_words() if word.startswith(typed))
        elif kind == "label":
            yield from ((word, "") for word in workspace.complete_labels(typed))
        else:
            yield from workspace.complete_items(typed, archived=kind == "archived")


def _workspace(folder: str | None) -> Workspace:
    from chant_mcp._core import ChantProject, SpeckitFeatures, TicketProjects, VineFiles, Workspace
    from chant_mcp.project_root import find_root

    root = os.path.join(os.getcwd(), folder) if folder else find_root(os.getcwd())[0]
    return Workspace(
        root,
        chant=ChantProject(root),
        vine=VineFiles(root),
        speckit=SpeckitFeatures(root),
        tickets=TicketProjects(root),
    )
