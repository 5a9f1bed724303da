"""Completion in real shells, `help`, and the manual page."""

from __future__ import annotations

import os
import re
import resource
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from chant_mcp.cli import program
from chant_mcp.command_table import TABLE_FILE, command_at, make_table, read_table, render_table
from chant_mcp.completion import complete
from cli.kit import Cli
from cli.plans import write_plan
from cli.ticket_files import ticket_project, write_ticket
from click.testing import CliRunner
from harness import Project, seconds_here

FIRST, SECOND = "2026-01-22-001-aaa", "2026-01-22-002-bbb"
PATIENCE = 30.0


@pytest.fixture
def filled(cli: Cli) -> Cli:
    project = cli.project
    project.spec(FIRST, body="# Log in\n", labels=["web"])
    project.spec(SECOND, body="# Log\tout \x1b[31m\n", labels=["$(touch pwned)", "ui"])
    (project.root / ".chant/specs/2026-01-22-003-$(touch pwned).md").write_text("# x\n", encoding="utf-8")
    write_plan(project, "vine 1.2.0\n---\n[ship] Ship it (notstarted)\n-> T001\n---\n[T001] Two (complete)\n")
    folder = project.root / "specs" / "060-login"
    folder.mkdir(parents=True)
    (folder / "tasks.md").write_text("- [ ] T001 Make it\n- [ ] T002 Fill it\n", encoding="utf-8")
    ticket_project(project.root)
    write_ticket(project, 7, title="Sign up")
    old = project.root / ".chant/archive/2026-01-20"
    old.mkdir(parents=True)
    (old / "2026-01-20-001-old.md").write_text("---\nstatus: completed\n---\n# Old\n", encoding="utf-8")
    return cli


def _words(*typed: str) -> list[str]:
    return [word for word, _ in complete(list(typed))]


def test_commands_options_names_states_and_labels_are_completed(filled: Cli) -> None:
    assert _words("unt") == ["untick"]
    assert _words("vine", "cl") == ["claim"]
    assert "--depends-on" in _words("add", "--")
    assert dict(complete(["tick", ""])) == {
        FIRST: "Log in",
        SECOND: "Log out  [31m",
        "DEM-007": "Sign up",
        "vine:plan.vine#ship": "Ship it",
        "vine:plan.vine#T001": "Two",
        "speckit:060-login#T001": "Make it",
        "speckit:060-login#T002": "Fill it",
    }
    assert _words("tick", "bbb") == [SECOND]
    assert _words("tick", "chant:2026-01-22-001") == [f"chant:{FIRST}"]
    assert _words("tick", "dem") == ["DEM-007"]
    # An ID that two tasks have is completed by their keys.
    assert _words("show", "T0") == ["T002", "speckit:060-login#T001", "vine:plan.vine#T001"]
    assert _words("unarchive", "") == ["2026-01-20-001-old"]
    assert _words("label", FIRST, "") == ["ui", "web"]
    assert _words("list", "--label", "w") == ["web"]
    assert _words("list", "--label=w") == ["--label=web"]
    assert "in_progress" in _words("list", "--status", "in")
    assert _words("graph", "--format", "me") == ["mermaid"]
    assert _words("edit", "--body", "") == [":file"]
    assert _words("--project", "") == [":folder"]
    assert _words("add", "text", "--parent", "2026-01-22-002") == [SECOND]
    assert _words("archive", "--", "--") == []
    assert _words("no-such-command", "") == _words("")
    elsewhere = Project(filled.project.root.parent / "elsewhere")
    elsewhere.root.mkdir()
    assert _words("--project", str(elsewhere.root), "tick", "") == []


def test_the_table_is_the_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    # A command that was called without the program above it keeps its own words for help.
    serve = program.get_command(click.Context(program), "serve")
    assert serve is not None
    assert CliRunner().invoke(serve, ["--help"]).exit_code == 0
    table = make_table()
    written = render_table(table)
    if os.environ.get("UPDATE_SNAPS"):
        Path(TABLE_FILE).write_text(written, encoding="utf-8")
    assert Path(TABLE_FILE).read_text("utf-8") == written, "python -P -m chant_mcp.command_table writes it"
    tick = command_at(read_table(), ["tick"])
    assert tick is not None
    assert tick["arguments"][0]["kind"] == "item"
    assert "complete-words" not in table["commands"]
    assert set(program.commands) <= set(table["commands"])


def _take_terminal() -> None:
    """Make standard input the terminal that the process is controlled from."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Shell:
    """A shell at a terminal."""

    def __init__(self, words: list[str], folder: Path, home: Path) -> None:
        pty = pytest.importorskip("pty", reason="Windows has no such terminals")
        self._master, slave = pty.openpty()
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        variables = {"PATH": path, "HOME": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        self._process = subprocess.Popen(
            words,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=variables,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(slave)

    def type(self, keys: str, expected: str) -> str:
        """Press keys, and wait for a text on the terminal."""
        os.write(self._master, keys.encode())
        until, shown = time.monotonic() + PATIENCE, b""
        while expected.encode() not in shown:
            ready, _, _ = select.select([self._master], [], [], until - time.monotonic())
            assert ready, f"{expected!r} was not shown, only {shown.decode()!r}"
            shown += os.read(self._master, 65536)
        return shown.decode()

    def end(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait(PATIENCE)
        os.close(self._master)


SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source <(chant-mcp completion bash)"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "autoload -Uz compinit; compinit -u -D; source <(chant-mcp completion zsh)",
    ),
    "fish": (["fish", "--no-config", "-i"], "chant-mcp completion fish | source"),
}


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, filled: Cli, tmp_path: Path) -> Iterator[Shell]:
    words, setup = SHELLS[request.param]
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    shell = Shell(words, filled.project.root, tmp_path)
    try:
        shell.type(f"{setup}; echo re''ady\n", "ready\r\n")
        yield shell
    finally:
        shell.end()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_real_shells_complete_commands_and_names(shell: Shell, filled: Cli) -> None:
    shell.type("chant-mcp unt\t", "untick")
    shell.type("\x15echo a; chant-mcp tick 2026-01-22-002\t", "002-bbb")
    shell.type("\x15chant-mcp show vine:plan.vine#s\t", "hip")
    shell.type("\x15chant-mcp tick 2026-01-2\t\t\t", "Log in")
    assert not list(filled.project.root.rglob("pwned"))


def test_completion_takes_little_at_ten_thousand_items(project: Project) -> None:
    folder = project.root / ".chant" / "specs"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(10_000):
        name = f"2026-{1 + number // 1000:02}-01-{number % 1000:03}-{number:05x}.md"
        (folder / name).write_text(f"---\nlabels: [l{number % 9}]\n---\n# Item {number}\n", encoding="utf-8")
    program = str(Path(sys.executable).with_name("chant-mcp"))
    for typed in (["tick", ""], ["tick", "2026-04-01-04"], ["list", "--label", "l"], ["li"]):
        taken: list[float] = []
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(
                [program, "complete-words", *typed], cwd=project.root, capture_output=True, check=True
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            assert done.stdout
        assert min(taken) < seconds_here(0.08), (typed, taken)


def test_completion_and_the_version_import_little(filled: Cli) -> None:
    program = str(Path(sys.executable).with_name("chant-mcp"))

    def imported(*words: str) -> set[str]:
        command = [sys.executable, "-X", "importtime", program, *words]
        done = subprocess.run(
            command, cwd=filled.project.root, capture_output=True, encoding="utf-8", check=True
        )
        return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}

    for_items = imported("complete-words", "tick", "")
    assert "chant_mcp._core" in for_items
    assert not {"click", "dataclasses", "inspect", "logging", "pathlib", "typing"} & for_items
    assert not {"click", "rich", "logging", "typing"} & imported("--version")
    assert not {"difflib", "email", "importlib.metadata"} & imported("completion", "bash")


def test_help_and_the_manual_have_every_command(cli: Cli) -> None:
    assert cli("help", "tickets", "set") == cli("tickets", "set", "--help")
    assert "No such command 'nothing'" in cli.error("help", "nothing", code=2)
    page = cli("man")
    for name in program.list_commands(program.make_context("chant-mcp", ["help"])):
        if name in read_table()["commands"]:
            assert f"\n.SS {name}\n".replace("-", "\\-") in page, name
    assert "\n.SS vine claim\n" in page
    if shutil.which("groff"):
        groff = ["groff", "-man", "-Tutf8", "-ww"]
        shown = subprocess.run(groff, input=page, capture_output=True, text=True, check=True)
        assert shown.stderr == ""
        assert "--depends-on ID" in re.sub(".\b", "", shown.stdout)
