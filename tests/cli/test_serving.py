"""Serving: which tools, which project, what a person at a terminal sees."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.entry import main
from cli.kit import PATIENCE, Start, call_text, tool_names

FIRST = "2026-01-22-001-x7m"


def test_both_console_scripts_are_the_same_program() -> None:
    scripts = {script.name: script for script in entry_points(group="console_scripts")}
    assert scripts["chant-mcp"].load() is main
    assert scripts["chant"].load() is main
    folder = Path(sys.executable).parent
    for name in ("chant", "chant-mcp"):
        if not (folder / name).exists():
            pytest.skip("the package is not installed with its scripts")
        done = subprocess.run([folder / name, "--version"], capture_output=True, check=True)
        assert done.stdout.startswith(b"chant-mcp, version ")


@pytest.mark.requirement("cli:serve:chant_mcp_starts_the_server")
def test_it_serves_with_mcp_and_without_a_command(project: Any, start: Start) -> None:
    bare = tool_names(start(project.root))
    assert "chant_spec_list" in bare
    assert tool_names(start(project.root, "mcp")) == bare


def test_at_a_terminal_it_explains_itself_and_ends_at_ctrl_d(
    project: Any, start: Start, terminal: tuple[int, int]
) -> None:
    master, slave = terminal
    running = start(project.root, stdin=slave)
    hint = [running.error_line() for _ in range(4)]
    assert "is an MCP server" in hint[0]
    assert "standard input" in hint[0]
    assert "init" in hint[1]
    assert "Ctrl-C" in hint[3]
    os.write(master, b"\x04")
    assert running.end() == ("", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_at_a_terminal_ctrl_c_ends_it(project: Any, start: Start, terminal: tuple[int, int]) -> None:
    running = start(project.root, "mcp", "--verbose", stdin=terminal[1])
    while "Ctrl-C" not in running.error_line():
        pass
    request = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    os.write(terminal[0], request)
    assert '"chant_ready"' in running.line()
    running.process.send_signal(signal.SIGINT)
    out, _ = running.end()
    assert out == ""


def test_without_a_terminal_it_says_nothing(project: Any, start: Start) -> None:
    running = start(project.root)
    running.process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
    running.process.stdin = None
    assert running.end() == ("", "")


@pytest.mark.parametrize(
    ("before", "behind", "environment"),
    [
        (["--toolsets", "chant"], [], None),
        ([], ["--toolsets", "auto, chant"], "nonsense"),
        (["--toolsets", "nonsense"], ["--toolsets", "all"], None),
        ([], [], "chant,all"),
    ],
)
def test_toolsets_come_from_the_flag_or_the_environment(
    project: Any,
    start: Start,
    monkeypatch: pytest.MonkeyPatch,
    before: list[str],
    behind: list[str],
    environment: str | None,
) -> None:
    if environment:
        monkeypatch.setenv("CHANT_MCP_TOOLSETS", environment)
    assert "chant_add" in tool_names(start(project.root, *before, "mcp", *behind))


def test_an_unknown_toolset_is_refused_with_the_names_there_are(
    project: Any, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, err = start(project.root, "--toolsets", "chant,chnt").end(2)
    assert out == ""
    assert "Unknown toolset in --toolsets: chnt\nToolsets are: auto, all, chant" in err
    monkeypatch.setenv("CHANT_MCP_TOOLSETS", "chnt")
    assert "Unknown toolset in CHANT_MCP_TOOLSETS: chnt" in start(project.root, "mcp").end(2)[1]
    assert "--toolsets names no toolset" in start(project.root, "mcp", "--toolsets", ",").end(2)[1]


@pytest.mark.parametrize(
    "words", [["--read-only", "mcp"], ["mcp", "--read-only", "--toolsets", "all"], ["--read-only"]]
)
def test_read_only_offers_and_runs_no_tool_that_changes_files(
    project: Any, start: Start, words: list[str]
) -> None:
    names = tool_names(start(project.root, *words))
    assert "chant_ready" in names
    assert "chant_add" not in names
    if words == ["--read-only"]:
        assert "--read-only" in call_text(start(project.root, *words), "chant_add", description="Log out")
        assert list(project.specs.iterdir()) == []


def _titles(project: Any, title: str) -> Any:
    project.spec(FIRST, body=f"# {title}")
    return project


def test_the_flag_wins_over_the_environment_and_that_over_the_folder(
    project: Any, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, other, third = (
        _titles(type(project)(tmp_path / name), name) for name in ("here", "other", "third")
    )

    def served(*words: str) -> str:
        return call_text(start(here.root, *words), "chant_spec_list")

    assert '"here"' in served()
    for words in (["--project", str(other.root)], ["mcp", "--cwd", str(other.root)]):
        assert '"other"' in served(*words)
    monkeypatch.setenv("CHANT_PROJECT", str(third.root))
    assert '"third"' in served()
    assert '"other"' in served("--project", "../other", "mcp")
    assert '"other"' in served("--project", str(here.root), "mcp", "--project", str(other.root))


def test_a_server_started_in_a_sub_folder_serves_the_project(
    project: Any, start: Start, tmp_path: Path
) -> None:
    _titles(project, "above")
    below = project.root / "src"
    below.mkdir()
    assert '"above"' in call_text(start(below), "chant_spec_list")
    checkout = tmp_path / "checkout"
    (checkout / "src").mkdir(parents=True)
    (checkout / ".git").mkdir()
    assert call_text(start(checkout / "src"), "chant_spec_list").startswith("Chant not initialized.")
    (checkout / ".chant" / "specs").mkdir(parents=True)
    assert '"specs":[]' in call_text(start(checkout / "src"), "chant_spec_list")


def test_verbose_logs_to_standard_error(project: Any, start: Start) -> None:
    def logged(*words: str) -> str:
        running = start(project.root, *words)
        request = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chant_ready"}}\n'
        out, err = running.process.communicate(request, timeout=PATIENCE)
        assert out.count(b"\n") == 1
        return err.decode()

    assert logged("mcp") == ""
    assert "INFO" in logged("mcp", "--verbose")
    assert "INFO" in logged("--verbose")


@pytest.mark.skipif(sys.platform == "win32", reason="the process ends by a signal")
def test_a_crash_on_demand_reaches_the_core(
    project: Any, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.spec(FIRST, type="driver")
    project.spec(f"{FIRST}.1", status="in_progress")
    monkeypatch.setenv("CHANT_STOP_AT", "journal-intent")
    running = start(project.root)
    params = {"name": "chant_finalize", "arguments": {"id": f"{FIRST}.1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    running.process.communicate(json.dumps(request).encode() + b"\n", timeout=PATIENCE)
    assert running.process.returncode == -signal.SIGABRT


def test_serving_imports_nothing_that_only_people_need(project: Any) -> None:
    code = (
        "import sys; from chant_mcp.cli import main\n"
        "try: main('mcp')\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=project.root, input=b"", capture_output=True, check=True
    )
    modules = set(done.stderr.decode().split())
    assert "chant_mcp.server.app" in modules
    unwanted: set[Any] = {
        "questionary",
        "prompt_toolkit",
        "chant_mcp.commands.specs",
        "chant_mcp.commands.display",
        "chant_mcp.commands.serve",
        "chant_mcp.server.http.app",
    }
    assert not modules & unwanted
