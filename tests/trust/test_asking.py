"""A person at a terminal is asked; agents and what lies below a run are not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from trust.kit import ID, Folder
from writing import git, tree

_QUESTION = "Trust this folder? [y/N]"


@pytest.mark.parametrize(
    "words", [("work", ID), ("split", ID), ("merge", ID), ("watch", "--once"), ("trust",)]
)
def test_the_answer_no_changes_nothing(folder: Folder, words: tuple[str, ...]) -> None:
    before = tree(folder.root)
    code, shown = folder.typed("n", *words)
    assert code == 1, shown
    assert "agents.own.command" in shown
    assert _QUESTION in shown
    assert tree(folder.root) == before
    assert not folder.is_trusted()
    assert not folder.mark.exists()


def test_the_answer_yes_is_remembered_and_the_command_goes_on(folder: Folder) -> None:
    folder.feature()
    code, shown = folder.typed("y", "speckit", "complete", "T001")
    assert code == 0, shown
    assert _QUESTION in shown
    assert folder.mark.exists()
    assert folder.is_trusted()
    code, shown = folder.typed("y", "trust")
    assert (code, _QUESTION in shown) == (0, False)


def test_a_change_is_shown_as_a_difference(folder: Folder) -> None:
    folder.trust()
    folder.asks(word="touchy")
    code, shown = folder.typed("n", "work", ID)
    assert code == 1
    assert "changed since you trusted it" in shown
    assert "enterprise.derived" not in shown
    assert "touchy" in shown


def test_without_a_terminal_the_exit_code_is_2(folder: Folder) -> None:
    folder.feature()
    for words in (
        ("work", ID),
        ("split", ID),
        ("merge",),
        ("watch", "--once"),
        ("speckit", "complete", "T001"),
    ):
        done = folder.run(*words)
        assert done.returncode == 2, done
        assert "This folder is not trusted: 1 command, 2 checks, 1 variable" in done.stderr
        assert "`chant-mcp trust --show`, then `chant-mcp trust`" in " ".join(done.stderr.split())
        assert "--yes" not in done.stderr
    assert folder.run("trust").returncode == 2
    assert not folder.mark.exists()


def test_a_script_says_yes_to_the_hash_that_is_shown(folder: Folder) -> None:
    shown = folder.run("trust", "--show").stdout.splitlines()
    assert "1 command, 1 check, 1 variable" in shown[0]
    label, hash = shown[-1].split(" ")
    assert (label, len(hash)) == ("hash:", 64)
    refused = folder.run("trust", "--yes", "0" * 64)
    assert (refused.returncode, folder.is_trusted()) == (1, False)
    assert folder.run("trust", "--yes", hash).returncode == 0
    assert folder.is_trusted()
    assert str(folder.root) in folder.run("trust", "--list").stdout
    assert folder.run("trust", "--revoke").returncode == 0
    assert not folder.is_trusted()
    assert folder.run("trust", "--list").stdout == "No folder is trusted.\n"


_KEPT = [f"{name}={os.environ[name]}" for name in ("PATH", "PYTHONPATH") if name in os.environ]
"""What has to stay of the variables for our program to start at all."""

_MARKS = [
    "CHANT_RUN",
    "CHANT_SPEC_ID",
    "CHANT_WORKTREE",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "GEMINI_CLI",
    "CURSOR_AGENT",
    "OPENCODE",
    "QWEN_CODE",
    "COPILOT_AGENT",
]


@pytest.mark.parametrize("mark", _MARKS)
def test_agents_cannot_say_yes(folder: Folder, mark: str) -> None:
    hash = folder.handle().trust_report()["hash"]
    done = folder.run("trust", "--yes", hash, **{mark: "x"})
    assert done.returncode == 1
    assert f"{mark} is set" in done.stderr
    assert "ask the person" in " ".join(done.stderr.split())
    assert not folder.is_trusted()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there processes above are seen")
def test_taking_the_variable_away_does_not_lead_out_of_a_run(folder: Folder) -> None:
    hash = folder.handle().trust_report()["hash"]
    command = f"env -u CHANT_RUN {sys.executable} -m chant_mcp trust --yes {hash}; true"
    done = subprocess.run(
        ["sh", "-c", f"sh -c '{command}'; true"],
        cwd=folder.root,
        env={**os.environ, "CHANT_RUN": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "CHANT_RUN is set" in done.stderr
    assert not folder.is_trusted()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there processes above are seen")
@pytest.mark.parametrize("words", ["approve", "reject --reason x", "work", "merge"])
def test_what_a_person_decides_is_refused_below_a_run_without_its_variables(
    folder: Folder, words: str
) -> None:
    folder.trust()
    name, *options = words.split()
    command = " ".join(["env -i", *_KEPT, sys.executable, "-m chant_mcp", name, ID, *options])
    done = subprocess.run(
        ["sh", "-c", f"{command}; true"],
        cwd=folder.root,
        env={**os.environ, "CHANT_RUN": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "inside a run (CHANT_RUN is set): a person decides" in " ".join(done.stderr.split())


def test_below_a_run_nobody_is_asked(folder: Folder) -> None:
    code, shown = folder.typed("y", "work", ID, CHANT_RUN="x")
    assert (code, _QUESTION in shown) == (1, False)
    code, shown = folder.typed("y", "trust", CHANT_RUN="x")
    assert (code, _QUESTION in shown) == (1, False)
    assert not folder.is_trusted()


def test_init_trusts_what_it_wrote_in_the_git_folder_too(tmp_path: Path, folder: Folder) -> None:
    new = Folder(type(folder.project)(tmp_path / "new"))
    new.root.mkdir()
    git(new.root, "init", "--quiet")
    assert new.run("init", "--silent").returncode == 0
    assert (new.root / ".git" / "info" / "attributes").exists()
    assert new.is_trusted()


def test_init_trusts_what_it_wrote_and_only_that(tmp_path: Path, folder: Folder) -> None:
    new = Folder(type(folder.project)(tmp_path / "new"))
    new.root.mkdir()
    assert new.run("init", "--agent", "claude", "--provider", "ollama").returncode == 0
    assert new.is_trusted()
    (new.root / ".mcp.json").write_text("{}", encoding="utf-8")
    assert not new.is_trusted()


@pytest.mark.parametrize("below", [False, True])
def test_init_trusts_nothing_that_was_there_and_nothing_below_a_run(
    tmp_path: Path, folder: Folder, below: bool
) -> None:
    new = Folder(type(folder.project)(tmp_path / "new"))
    new.root.mkdir()
    variables = {"CHANT_RUN": "x"} if below else {}
    if not below:
        (new.root / ".mcp.json").write_text("{}", encoding="utf-8")
    assert new.run("init", **variables).returncode == 0
    assert not new.is_trusted()
