"""What is refused: sentences on standard error, exit code 1, and 2 for wrong usage."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from cli.kit import Cli, Start

FIRST = "2026-01-22-001-x7m"


def test_an_unknown_id_is_a_sentence_and_exit_code_1(cli: Cli) -> None:
    for command in ("show", "verify", "diagnose", "log", "lint"):
        assert cli.error(command, "nope").startswith("Spec not found: nope\n")


def test_an_ambiguous_id_lists_what_matches(cli: Cli) -> None:
    for number in (1, 2):
        cli.project.spec(f"2026-01-22-00{number}-abc")
    assert "Matches: 2026-01-22-001-abc, 2026-01-22-002-abc" in cli.error("show", "abc")


def test_a_folder_without_specs_says_what_to_run(cli: Cli, tmp_path: Path) -> None:
    text = cli.error("list", "--project", str(tmp_path))
    assert text.startswith("Chant not initialized. Run `chant-mcp init` first.\n")
    assert str(tmp_path) in text


def test_a_status_that_is_none_is_refused(cli: Cli) -> None:
    assert "Must be one of: pending" in cli.error("list", "--status", "done")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lst"], "No such command 'lst'. Did you mean 'list'?"),
        (["chant", "lst"], "No such command 'lst'. Did you mean 'list'?"),
        (["show"], "Missing argument 'NAME'."),
        (["list", "--limit", "many"], "'many' is not a valid integer"),
        (["list", "--limit", "-1"], "-1 is not in the range x>=0"),
        (["list", "--project", "nowhere"], "Directory 'nowhere' does not exist."),
        (["--read-only", "add", "Log out"], "`add` changes files, and --read-only was given."),
        (["--read-only", "init"], "`init` changes files, and --read-only was given."),
        (["--read-only", "chant", "add", "Log out"], "`add` changes files, and --read-only was given."),
    ],
)
def test_wrong_usage_is_exit_code_2(cli: Cli, words: list[str], said: str) -> None:
    assert said in cli.error(*words, code=2)


def test_the_project_may_be_named_before_or_behind_the_command(cli: Cli, tmp_path: Path) -> None:
    cli.project.spec(FIRST)
    root = str(cli.project.root)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        for words in (
            ["--project", root, "list"],
            ["list", "--project", root],
            ["chant", "list", "--cwd", root],
        ):
            assert FIRST in cli(*words)
        patch.setenv("CHANT_PROJECT", root)
        assert FIRST in cli("list")
        patch.setenv("CHANT_PROJECT", f"{root}/nowhere")
        assert "CHANT_PROJECT names no folder" in cli.error("list", code=2)


def test_a_sub_folder_belongs_to_the_project(cli: Cli) -> None:
    cli.project.spec(FIRST)
    (cli.project.root / "src" / "deep").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cli.project.root / "src" / "deep")
        assert FIRST in cli("list")


def test_the_users_own_configuration_is_read(cli: Cli, tmp_path: Path) -> None:
    cli.project.spec(FIRST, body="# Many\n\n## Acceptance Criteria\n\n" + "- [ ] One\n" * 4)
    (tmp_path / "settings" / "chant").mkdir(parents=True)
    settings = "---\nlint:\n  thresholds:\n    complexity_criteria: 3\n---\n"
    (tmp_path / "settings" / "chant" / "config.md").write_text(settings, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
        assert "(threshold: 3)" in cli("lint")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps folders that are in use")
def test_a_working_directory_that_is_gone_is_said(tmp_path: Path, start: Start) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    running = start(gone, "list", preexec_fn=gone.rmdir)
    assert "The working directory cannot be read" in running.end(2)[1]


def test_version_and_help_need_no_project(cli: Cli, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert cli("--version").startswith("chant-mcp, version ")
        for name in ("list", "ready", "show", "init", "demo", "mcp", "chant"):
            assert f"\n  {name} " in cli("--help")
