"""The questions at a terminal."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from chant_mcp._core import ChantProject
from chant_mcp.commands.wizard import ask
from chant_mcp.init.installed_agents import installed_agents
from chant_mcp.init.plan import Wishes
from chant_mcp.init.repository import Repository
from init.kit import Folder, tree
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

ENTER, DOWN, SPACE, BACKWARDS, CTRL_C = "\r", "\x1b[B", " ", "\x7f", "\x03"
PATIENCE = 60.0


def answered(root: Path, keys: str) -> Wishes:
    """Answer the questions by keys, and give what they come to."""
    installed = installed_agents(ChantProject(root, environment=dict(os.environ)))
    with create_pipe_input() as typed, create_app_session(input=typed, output=DummyOutput()):
        typed.send_text(keys)
        return ask(root, Repository(root, os.environ, wanted_by="--merge-driver"), Wishes(), installed)


def test_enter_takes_what_is_proposed(folder: Folder) -> None:
    assert answered(folder.root, ENTER * 4) == Wishes(name="my-app", provider="claude")


def test_arrows_and_blanks_choose(folder: Folder) -> None:
    name = BACKWARDS * 3 + "boat" + ENTER
    provider = DOWN + ENTER
    agents = SPACE + DOWN + DOWN + SPACE + ENTER
    clients = DOWN + DOWN + SPACE + ENTER
    chosen = Wishes(name="my-boat", provider="ollama", agents=("claude", "kiro"), clients=("vscode",))
    assert answered(folder.root, name + provider + agents + clients) == chosen


def test_a_project_that_exists_is_asked_only_what_can_be_added(folder: Folder) -> None:
    folder()
    assert answered(folder.root, SPACE + ENTER + ENTER) == Wishes(agents=("claude",))


def test_breaking_off_writes_nothing(folder: Folder) -> None:
    before = tree(folder.root)
    for keys in (CTRL_C, ENTER + CTRL_C, ENTER * 3 + CTRL_C):
        with pytest.raises(click.Abort):
            answered(folder.root, keys)
    assert tree(folder.root) == before


class Terminal:
    """`init` at a terminal of its own, seen from where a person sits."""

    def __init__(self, root: Path, *words: str) -> None:
        pty = pytest.importorskip("pty", reason="Windows has no such terminals")
        self._master, slave = pty.openpty()
        self._unread = b""
        # The terminal is asked nothing that only a person's terminal answers.
        environment = {**os.environ, "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm"}
        command = [sys.executable, "-m", "chant_mcp", "init", *words]
        ends = dict.fromkeys(("stdin", "stdout", "stderr"), slave)
        self.process = subprocess.Popen(command, cwd=root, env=environment, start_new_session=True, **ends)
        os.close(slave)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._master, keys.encode())

    def shows(self, words: str) -> str:
        """Wait until the terminal shows some words, and give what it showed up to them."""
        until = time.monotonic() + PATIENCE
        while words.encode() not in self._unread:
            ready, _, _ = select.select([self._master], [], [], until - time.monotonic())
            assert ready, f"{words!r} was not shown, only {self._unread!r}"
            try:
                piece = os.read(self._master, 4096)
            except OSError:  # how Linux tells that no one has the other end open
                piece = b""
            assert piece, f"{words!r} was not shown, only {self._unread!r}"
            self._unread += piece
        shown, _, self._unread = self._unread.partition(words.encode())
        return shown.decode(errors="replace")

    def close(self) -> None:
        """End what still runs."""
        self.process.kill()
        self.process.wait()
        os.close(self._master)


@pytest.fixture
def init_at_terminal(folder: Folder) -> Iterator[Callable[..., Terminal]]:
    """Type `init` at a terminal; it is ended with the test."""
    opened: list[Terminal] = []

    def init(*words: str) -> Terminal:
        opened.append(Terminal(folder.root, *words))
        return opened[-1]

    yield init
    for terminal in opened:
        terminal.close()


@pytest.mark.requirement("init:wizard:choosing_claude_writes_mcp_json")
def test_choosing_claude_at_a_terminal_writes_mcp_json(
    folder: Folder, init_at_terminal: Callable[..., Terminal]
) -> None:
    terminal = init_at_terminal()
    for question, keys in (
        ("Name of the project:", ENTER),
        ("Who works on specs?", ENTER),
        ("Write instructions for which agents?", SPACE + ENTER),
        ("Which other hosts should be configured?", ENTER),
    ):
        terminal.shows(question)
        terminal.type(keys)
    terminal.shows("Chant initialized in")
    terminal.shows("Next:")
    assert terminal.process.wait(PATIENCE) == 0
    entry = json.loads(folder.read(".mcp.json"))["mcpServers"]["chant"]
    assert (entry["type"], entry["args"][-1]) == ("stdio", "mcp")
    assert "chant:begin" in folder.read("AGENTS.md")
    assert re.search(r"  name: my-app\n.*  provider: claude\n", folder.read(".chant/config.md"), re.S)


def test_at_a_terminal_ctrl_c_ends_the_questions(
    folder: Folder, init_at_terminal: Callable[..., Terminal]
) -> None:
    terminal = init_at_terminal()
    terminal.shows("Name of the project:")
    terminal.type(CTRL_C)
    terminal.shows("Aborted!")
    assert terminal.process.wait(PATIENCE) == 1
    assert tree(folder.root) == {}


@pytest.mark.requirement("init:agent:claude_needs_no_questions")
def test_a_flag_asks_nothing_at_a_terminal(folder: Folder, init_at_terminal: Callable[..., Terminal]) -> None:
    terminal = init_at_terminal("--agent", "claude")
    assert "?" not in terminal.shows("Next:")
    assert terminal.process.wait(PATIENCE) == 0
    assert folder.has(".mcp.json")


def test_a_second_time_at_a_terminal_it_asks_what_to_add(
    folder: Folder, init_at_terminal: Callable[..., Terminal]
) -> None:
    folder()
    before = tree(folder.root)
    terminal = init_at_terminal()
    terminal.shows("Chant already initialized.")
    for question in ("Write instructions for which agents?", "Which other hosts should be configured?"):
        terminal.shows(question)
        terminal.type(ENTER)
    terminal.shows("Nothing was added.")
    assert terminal.process.wait(PATIENCE) == 0
    assert tree(folder.root) == before
