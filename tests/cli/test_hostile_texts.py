"""Texts that others wrote do nothing to a terminal, whichever command prints them, and wherever to."""

from __future__ import annotations

import ast
import logging
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import chant_mcp
import pytest
from chant_mcp import terminal
from chant_mcp.commands import serving
from cli.kit import Cli, read_data
from harness import Project
from steering import FORBIDDEN, STEERING

FIRST = "2026-01-22-001-x7m"
SECOND = "2026-01-22-002-k3f"
OWN_COLOURS = re.compile(r"\x1b\[(?!5;47;30m)[0-9;]*m")

READING = [
    ["list"],
    ["list", "--all", "--json"],
    ["ready"],
    ["show", f"chant:{FIRST}"],
    ["chant", "list"],
    ["chant", "list", "--json"],
    ["chant", "show", FIRST],
    ["chant", "show", FIRST, "--json"],
    ["chant", "show", FIRST, "--raw"],
    ["chant", "ready"],
    ["chant", "status", "--activity"],
    ["chant", "search", "needle"],
    ["chant", "search", "needle", "--json"],
    ["lint"],
    ["lint", "--json"],
    ["verify", FIRST],
    ["diagnose", FIRST],
    ["diagnose", SECOND],
    ["log", FIRST],
    ["log", FIRST, "--json"],
    ["graph"],
    ["graph", "--json"],
    ["graph", "--format", "mermaid"],
    ["graph", "--format", "dot"],
    ["export"],
    ["runs", "--all"],
    ["worktree", "list"],
    ["doctor"],
    ["doctor", "--json"],
    ["finalize", FIRST],
    ["merge", FIRST],
    ["pause", FIRST],
    ["chant", "show", STEERING.replace("\x00", "")],
    ["vine", "show", "plan.vine"],
    ["vine", "list", "plan.vine"],
    ["vine", "next", "plan.vine"],
    ["vine", "graph", "plan.vine"],
    ["vine", "validate", "broken.vine"],
    ["speckit", "context"],
    ["speckit", "features"],
    ["speckit", "tasks"],
    ["speckit", "next"],
    ["speckit", "list"],
    ["speckit", "read", "spec"],
    ["speckit", "read", "tasks"],
    ["speckit", "complete", "T001"],
    ["speckit", "questions"],
    ["speckit", "events"],
    ["tickets", "list"],
    ["tickets", "list", "--json"],
    ["tickets", "show", "MDT-001"],
    ["tickets", "sections", "MDT-001"],
    ["tickets", "graph"],
    ["tickets", "advice", "MDT-001"],
    ["tickets", "projects"],
]


OTHERS = [
    ["export", "--format", "csv", "--fields", "key,title,labels,body"],
    ["export", "--format", "markdown", "--fields", "key,title,labels,body"],
    ["import", "plan.vine", "--dry-run"],
    ["import", "plan.vine", "--dry-run", "--json"],
    ["receipt", "list"],
    ["receipt", "show", FIRST],
    ["receipt", "verify", FIRST],
    ["agents", "list"],
    ["agents", "show", "claude"],
    ["trust", "--show"],
    ["confine", "--check"],
    ["work", FIRST],
    ["work", FIRST, "--dry-run"],
    ["split", FIRST],
    ["takeover", FIRST],
    ["approve", FIRST],
    ["reset", FIRST],
    ["archive", FIRST],
    ["cancel", FIRST],
    ["watch", "--status"],
    ["vine", "set", "plan.vine", "a=complete", "--dry-run"],
    ["vine", "claim", "plan.vine", "b"],
    ["vine", "set", "broken.vine", "a=complete"],
    ["tickets", "set", "MDT-001", "priority=x"],
    ["tickets", "status", "MDT-001", "Nonsense"],
    ["tickets", "status", "MDT-001", "Approved"],
    ["tickets", "delete", "MDT-002", "--force"],
    ["answer", "q-none", "x"],
]
"""Commands that change something, or need another world than a project; they are tried into a pipe alone."""


@pytest.fixture
def hostile(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which every text that somebody can write is hostile."""
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("COLUMNS", "80")
    quoted = in_quotes(STEERING)
    entities = "".join(f"&#{ord(letter)};" for letter in "\x1b]0;t\x07\u202e")
    text = f"# {STEERING}\n\nneedle {STEERING} {entities}\n\n```\n{STEERING}\n```\n\n## {STEERING}\n\n"
    keys = {
        "labels": [quoted],
        "target_files": [quoted],
        "context": [quoted],
        "branch": quoted,
        "model": quoted,
    }
    criteria = f"## Acceptance Criteria\n\n- [ ] {STEERING}\n"
    project.spec(FIRST, body=text + criteria, depends_on=[SECOND, quoted], further=quoted, **keys)
    project.spec(SECOND, status="in_progress", body=text + criteria, prompt=quoted)
    project.write("2026-01-22-003-bad", f"---\nlabels: [{STEERING}\n---\n")
    project.config(f"project:\n  name: {quoted}\ndefaults:\n  provider: demo\n")
    project.log(FIRST, f"# {STEERING}\n2026-01-22T10:00:00.000Z out {STEERING}\n")
    root = project.root
    named = STEERING.replace("\n", " ").replace('"', "")
    (root / "plan.vine").write_text(
        f"vine 1.0.0\ntitle: {named}\n---\n[a] {named} (started)\n{named}\n---\n"
        f"[b] {named} (notstarted)\n{named}\n-> a\n",
        encoding="utf-8",
    )
    (root / "broken.vine").write_text(f"vine 1.0.0\n---\n[{named}] x (odd{named})\n", encoding="utf-8")
    feature = root / "specs" / "001-hostile"
    feature.mkdir(parents=True)
    (root / ".specify").mkdir()
    (root / ".specify" / "feature.json").write_text('{"feature_directory": "specs/001-hostile"}')
    (feature / "spec.md").write_text(text, encoding="utf-8")
    tasks = f"# Tasks\n\n## Phase 1: {named}\n\n- [ ] T001 {named} in src/{named}\n- [ ] T002 [US1] {named}\n"
    (feature / "tasks.md").write_text(tasks, encoding="utf-8")
    (root / ".mdt-config.toml").write_text(
        f'[project]\ncode = "MDT"\nname = {quoted}\ndescription = {quoted}\n'
    )
    (root / "docs" / "CRs").mkdir(parents=True)
    front = "".join(f"{key}: {quoted}\n" for key in ("assignee", "phaseEpic", "type", "priority"))
    ticket = f"---\ncode: MDT-001\nstatus: Proposed\n{front}dependsOn: {quoted}\n---\n\n{text}"
    (root / "docs" / "CRs" / "MDT-001-hostile.md").write_text(ticket, encoding="utf-8")
    (root / "docs" / "CRs" / "MDT-002-bad.md").write_text(f"---\ncode: [{STEERING}\n---\n", encoding="utf-8")
    project.repository()
    return root


def in_quotes(text: str) -> str:
    """Write a text as YAML and TOML both read it."""
    letters = (c if c.isascii() and c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{"".join(letters)}"'


def names(words: list[str]) -> str:
    """Name a command for the report."""
    return " ".join(word for word in words if "\x1b" not in word)


@pytest.mark.parametrize("words", [*READING, *OTHERS], ids=names)
def test_nothing_that_steers_is_printed_into_a_pipe(
    hostile: Path, project: Project, words: list[str]
) -> None:
    result = Cli(project).run(*words)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    printed = result.stdout + result.stderr
    assert printed.strip()
    assert FORBIDDEN.search(printed) is None, printed[max(0, FORBIDDEN.search(printed).start() - 80) :][:160]  # pyright: ignore[reportOptionalMemberAccess]


@pytest.mark.parametrize("words", [words for words in READING if "--json" not in words], ids=names)
def test_nothing_that_steers_is_printed_at_a_terminal(hostile: Path, words: list[str]) -> None:
    printed = at_a_terminal(hostile, *words)
    left = OWN_COLOURS.sub("", printed).replace("\r\n", "\n")
    found = FORBIDDEN.search(left)
    assert found is None, left[max(0, found.start() - 80) :][:160]


def test_no_character_steers_that_is_looked_at_alone() -> None:
    # A quick look passes over most texts; a control in JSON is layout.
    every = list(map(chr, range(sys.maxunicode + 1)))
    assert not [one for one in every if FORBIDDEN.search(terminal.harmless(one))]
    assert not [one for one in every[32:] if FORBIDDEN.search(terminal.harmless_json(one))]


def test_what_scripts_show_of_items_does_nothing(hostile: Path) -> None:
    workspace = chant_mcp.open(hostile)
    shown = [repr(one) for one in (workspace, *workspace, *workspace.vines, *workspace.features)]
    shown += [workspace.spec(FIRST)._repr_mimebundle_()["text/plain"]]
    assert len(shown) > 6
    assert [text for text in shown if FORBIDDEN.search(text)] == []


def test_what_is_logged_does_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    handlers, logging.root.handlers = logging.root.handlers, []
    try:
        serving.set_up_log(cast(Any, SimpleNamespace(environment={}, verbose=False)))
        logging.getLogger("chant_mcp.server").warning("refused: %s", STEERING)
        told = capsys.readouterr().err
    finally:
        logging.root.handlers = handlers
    assert "refused: " in told
    assert FORBIDDEN.search(told) is None


def at_a_terminal(folder: Path, *words: str) -> str:
    """Run a command in a terminal of its own and give all that comes to it."""
    pty = pytest.importorskip("pty", reason="Windows has no such terminals")
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "chant_mcp", *words]
    environment = {**os.environ, "TERM": "xterm-256color"}
    process = subprocess.Popen(command, cwd=folder, stdin=slave, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    printed = b""
    while True:
        try:
            piece = os.read(master, 65_536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        printed += piece
    os.close(master)
    process.wait(60)
    return printed.decode()


def test_json_loses_nothing(cli: Cli) -> None:
    cli.project.spec(FIRST, body=f"# {STEERING}")
    told = cli.json("chant", "show", FIRST)
    assert told["title"] == read_data(Cli(cli.project).run("chant", "show", FIRST, "--json").stdout)["title"]
    assert "\u202e" in told["title"]
    assert "\U000e0041" in told["title"]


def test_a_log_keeps_colours_that_hide_nothing() -> None:
    assert terminal.coloured("\x1b[1;31mred\x1b[0m") == "\x1b[1;31mred\x1b[0m\x1b[0m"
    for hidden in ("\x1b[8mgone", "\x1b[30;40mgone", "\x1b[5mgone", "\x1b[38;5;1;8mgone"):
        assert "\x1b[" not in terminal.coloured(hidden), hidden


def test_commands_print_through_one_module() -> None:
    allowed = {"terminal.py", "cli.py", "log.py", "init.py", "export.py"}
    package = Path(terminal.__file__).parent
    for path in [package / "cli.py", *(package / "commands").glob("*.py"), *(package / "board").glob("*.py")]:
        calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        prints = {ast.unparse(call) for call in calls} & {"click.echo", "click.secho", "print", "Console"}
        assert not prints or path.name in allowed, f"{path.name} prints by {prints}: use chant_mcp.terminal"
