"""Commands that only read start without click and rich, and print the same as with them."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest
from chant_mcp import reading_commands
from chant_mcp.cli import program
from cli.kit import Cli
from cli.plans import write_plan

FIRST = "2026-01-22-001-x7m"
UNREADABLE = "2026-01-22-003-bad"
LEFT_TO_CLICK = {"--help", "-h", "--project", "--cwd", "--approval"}

SPECS_ALONE = [
    ("list",),
    ("list", "--all", "--limit", "1"),
    ("list", "--status=pending", "--format", "table"),
    ("list", "--ready", "--json"),
    ("list", "--label", "ui", "--label", "none"),
    ("ready",),
    ("ready", "--held", "--limit=1"),
    ("ready", "--json"),
    ("search", "needle", "--all"),
    ("search", "needle", "--json"),
    ("show", FIRST),
    ("show", "x7m", "--raw"),
    ("show", FIRST, "--json"),
    ("show", "no-such-spec"),
    ("show", "no-such-spec", "--json"),
    ("status",),
    ("status", "--activity"),
    ("status", "--json"),
]


def _words_of(command: str) -> set[str]:
    found = program.get_command(click.Context(program), command)
    assert found is not None
    options = (one for one in found.params if isinstance(one, click.Option))
    return {name for option in options for name in (*option.opts, *option.secondary_opts)}


@pytest.mark.parametrize("name", reading_commands.COMMANDS)
def test_they_know_the_options_of_the_commands_themselves(name: str) -> None:
    command = reading_commands.COMMANDS[name]
    known = {*command.flags, *command.values, *command.lists}
    assert known == _words_of(name) - LEFT_TO_CLICK


def _read(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str, int | None]:
    """Run a command in this process; give what it prints to standard output and error, and its exit code."""
    code = reading_commands.read(list(words), os.environ)
    printed = capsys.readouterr()
    return printed.out, printed.err, code


@pytest.fixture(params=["for a terminal", "for a pipe"])
def reader(request: pytest.FixtureRequest, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Print for a terminal of eighty columns, or for another program."""
    if request.param == "for a pipe":
        monkeypatch.delenv("COLUMNS")


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("words", SPECS_ALONE, ids=" ".join)
def test_they_print_what_the_commands_print(
    cli: Cli, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    cli.project.spec(FIRST, body="# A needle\n\n- [ ] **One**\tof two", labels=["ui"])
    cli.project.spec("2026-01-22-002-b2c", status="cancelled", body="# Another needle")
    cli.project.write(UNREADABLE, "---\nlabels: [\n---\n")
    wanted = cli.run(*words)
    assert _read(capsys, *words) == (wanted.stdout, wanted.stderr, wanted.exit_code)


@pytest.mark.parametrize(
    "words",
    [("list",), ("list", "--dialect", "vine"), ("ready",), ("show", "texts"), ("status",), ("search", "o")],
    ids=" ".join,
)
@pytest.mark.usefixtures("reader")
def test_they_print_the_same_of_several_formats(
    cli: Cli, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    cli.project.spec(FIRST)
    write_plan(cli.project)
    wanted = cli.run(*words)
    assert _read(capsys, *words) == (wanted.stdout, wanted.stderr, wanted.exit_code)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("list", "--limit", "many"), 2),
        (("list", "--format", "{nothing}"), 2),
        (("list", "--unknown"), 2),
        (("show",), 2),
        (("ready", "--help"), 0),
        (("list", "--approval", "pending"), 0),
    ],
)
def test_what_is_not_plain_is_left_to_the_commands(
    cli: Cli, words: tuple[str, ...], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.project.spec(FIRST)
    assert _read(capsys, *words) == ("", "", None)
    assert cli.run(*words).exit_code == code
    command = [sys.executable, "-P", "-m", "chant_mcp", *words]
    assert subprocess.run(command, cwd=cli.project.root, capture_output=True).returncode == code


def test_a_list_asks_why_nothing_is_there_only_where_nothing_is(
    cli: Cli, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a further question to all documents."""
    cli.project.spec(FIRST)
    write_plan(cli.project)
    asked: list[object] = []
    monkeypatch.setattr("chant_mcp.commands.item_answers._when_none", lambda *of: asked.append(of) or "None.")
    assert FIRST in _read(capsys, "list")[0]
    assert not asked
    _read(capsys, "list", "--label", "nowhere")
    assert asked


SLOW_TO_IMPORT = {
    *("click", "rich", "inspect", "logging", "dataclasses", "importlib.metadata", "pathlib", "typing"),
    *("re", "enum", "json", "copy", "contextlib", "shlex", "subprocess", "importlib", "unicodedata"),
}


@pytest.mark.parametrize("words", [("list",), ("ready",), ("status",), ("show", FIRST), ("search", "Work")])
@pytest.mark.parametrize("is_mixed", [False, True], ids=["specs alone", "several formats"])
def test_a_pipe_gets_their_output_without_what_takes_long_to_import(
    cli: Cli, words: tuple[str, ...], is_mixed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    cli.project.spec(FIRST)
    if is_mixed:
        write_plan(cli.project)
    imported = _imported(cli, *words)
    assert not imported & SLOW_TO_IMPORT
    assert "chant_mcp.commands.item_answers" in imported
    assert len(imported) <= 44


def test_the_version_is_told_without_anything_but_the_core(cli: Cli) -> None:
    ours = {name for name in _imported(cli, "--version") if name.startswith("chant_mcp.")}
    assert ours == {"chant_mcp.entry", "chant_mcp.safe_path", "chant_mcp.process_setup", "chant_mcp._core"}


def _imported(cli: Cli, *words: str) -> set[str]:
    """Run the program; give the modules that it imported beyond those that Python itself begins with."""
    code = (
        "import os, sys\n"
        "begun = set(sys.modules)\n"
        "os._exit = sys.exit\n"
        "from chant_mcp.entry import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*set(sys.modules) - begun, file=sys.stderr)"
    )
    command = [sys.executable, "-P", "-c", code, *words]
    found = subprocess.run(command, cwd=cli.project.root, capture_output=True, check=True)
    return set(found.stderr.decode().splitlines()[-1].split())
