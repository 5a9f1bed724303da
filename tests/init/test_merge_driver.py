"""The merge driver: the lines in `.gitattributes` and the command in git's configuration."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from chant_mcp.commands.wizard import ask
from chant_mcp.init.plan import Wishes
from chant_mcp.init.repository import Repository
from init.kit import Folder, tree
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

LINES = ".chant/specs/*.md merge=chant-spec\n.chant/archive/**/*.md merge=chant-spec\n"
ENTER = "\r"


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], check=True, capture_output=True, text=True)
    return done.stdout


def _driver() -> str | None:
    done = subprocess.run(
        ["git", "config", "merge.chant-spec.driver"], check=False, capture_output=True, text=True
    )
    return done.stdout.rstrip("\n") or None


@pytest.fixture
def repository(folder: Folder) -> Folder:
    """The folder, inside git."""
    _git("init", "-q", "-b", "main")
    return folder


def _configuration(folder: Folder) -> str:
    return folder.read(".git/config")


def test_a_new_project_in_git_gets_the_driver(repository: Folder) -> None:
    said = repository()
    assert "  Created .gitattributes\n" in said
    assert "  Set merge.chant-spec.driver in the git configuration of this clone\n" in said
    assert repository.read(".gitattributes") == LINES
    driver = _driver()
    assert driver is not None
    assert "/chant-mcp merge-driver --ours %X --theirs %Y --marker-size %L -- %O %A %B %P; " in driver
    assert _git("config", "merge.chant-spec.name") == "chant specs, merged by what they mean\n"
    named = _git("check-attr", "merge", ".chant/specs/a.md", ".chant/archive/b.md", ".chant/archive/c/d.md")
    assert named.count(" merge: chant-spec\n") == 3
    assert "unspecified" in _git("check-attr", "merge", ".chant/config.md", "README.md")


def test_again_it_changes_nothing(repository: Folder) -> None:
    repository()
    before, settings = tree(repository.root), _configuration(repository)
    for words in ([], ["--merge-driver"], ["--force-overwrite", "--merge-driver"]):
        assert repository(*words) == "Chant already initialized.\n"
    assert (tree(repository.root), _configuration(repository)) == (before, settings)


def test_it_can_be_declined_and_asked_for_later(repository: Folder) -> None:
    settings = _configuration(repository)
    repository("--no-merge-driver")
    assert not repository.has(".gitattributes")
    assert repository() == "Chant already initialized.\n", "what was declined does not come by itself"
    assert _configuration(repository) == settings
    repository("--merge-driver")
    assert repository.read(".gitattributes") == LINES
    assert _driver()


def test_without_git_it_is_left_out_or_refused(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--merge-driver needs a git repository" in folder.refused("--merge-driver")
    monkeypatch.setenv("PATH", "")
    assert "git cannot be run" in folder.refused("--merge-driver")
    folder()
    assert not folder.has(".gitattributes")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("* text=auto\n", "* text=auto\n" + LINES),
        ("* text=auto", "* text=auto\n" + LINES.rstrip("\n")),
        ("\ufeff# ours\r\n*.png -diff\r\n", "\ufeff# ours\r\n*.png -diff\r\n" + LINES.replace("\n", "\r\n")),
        ("*.png -diff\r\n#", "*.png -diff\r\n#\r\n" + LINES.replace("\n", "\r\n").rstrip()),
        ("", LINES),
        (".chant/specs/*.md merge=chant-spec\n", LINES),
        ('".chant/archive/**" merge=chant-spec text\n', None),
        (LINES + "*.md diff\n", LINES + "*.md diff\n"),
    ],
)
def test_other_lines_stay_byte_for_byte(repository: Folder, before: str, after: str | None) -> None:
    repository.write(".gitattributes", before)
    repository()
    expected = before + LINES.splitlines(keepends=True)[0] if after is None else after
    assert repository.read(".gitattributes") == expected
    repository("--merge-driver")
    assert repository.read(".gitattributes") == expected


def test_an_attribute_that_somebody_chose_is_kept_and_told(repository: Folder) -> None:
    repository.write(".gitattributes", ".chant/specs/* merge=union\n")
    said = repository()
    assert "  Kept what git's attributes say of .chant/specs/*.md: merge is union\n" in said
    assert "`.chant/specs/*.md merge=chant-spec`" in said
    expected = ".chant/specs/* merge=union\n.chant/archive/**/*.md merge=chant-spec\n"
    assert repository.read(".gitattributes") == expected
    repository.write(".gitattributes", "*.md -merge\n")
    before = _configuration(repository)
    assert "merge is unset\n" in repository("--merge-driver")
    assert repository.read(".gitattributes") == "*.md -merge\n"
    assert _configuration(repository) == before


def test_attributes_that_are_no_text_are_refused(repository: Folder) -> None:
    repository.write(".gitattributes", "*.md text\n".encode("utf-16"))
    assert "`.gitattributes` is not text that git can read" in repository.refused()
    repository("--no-merge-driver")


@pytest.mark.parametrize("scope", ["--local", "--global"])
def test_a_driver_of_that_name_that_is_not_ours_is_kept_and_told(
    repository: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: str
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    _git("config", scope, "merge.chant-spec.driver", "chant merge-driver %O %A %B")
    before = _configuration(repository)
    for words in ([], ["--merge-driver"], ["--merge-driver", "--force-overwrite"]):
        said = repository(*words)
        assert "another program: chant merge-driver %O %A %B\n" in said
        assert "take it out there and run `init --merge-driver`" in said
    assert _configuration(repository) == before
    assert not repository.has(".gitattributes")


@pytest.mark.parametrize(
    "old",
    [
        "/old/bin/chant-mcp merge-driver %O %A %B %P",
        "'C:\\old\\chant-mcp.exe' merge-driver %O %A %B %P",
        "python -c 'from chant_mcp.cli import main; main()' merge-driver %O %A %B",
    ],
)
def test_a_driver_of_another_installation_of_ours_is_replaced_when_asked(
    repository: Folder, old: str
) -> None:
    repository()
    ours = _driver()
    _git("config", "merge.chant-spec.driver", old)
    repository()
    assert _driver() == old
    assert "Set merge.chant-spec.driver" in repository("--merge-driver")
    assert _driver() == ours


def test_a_fresh_clone_registers_the_driver_that_its_attributes_ask_for(
    repository: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository()
    repository.write(".chant/specs/2026-01-22-001-x7m.md", "# T\n")
    repository.write(".gitattributes", LINES.splitlines(keepends=True)[0])
    _git("add", "-A")
    _git("commit", "-qm", "Begin")
    clone = Folder(tmp_path / "clone")
    _git("clone", "-q", str(repository.root), str(clone.root))
    monkeypatch.chdir(clone.root)
    clone("--no-merge-driver")
    assert _driver() is None
    before = tree(clone.root)
    said = clone()
    assert "Set merge.chant-spec.driver" in said
    assert tree(clone.root) == before, "files of the project stay as the team has them"
    assert _driver()
    assert clone() == "Chant already initialized.\n"


@pytest.mark.parametrize("below", ["", "a b/c"])
def test_silent_writes_the_clones_own_attributes(
    repository: Folder, below: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository.root / below).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(repository.root / below)
    repository.write(".git/info/attributes", "*.png -diff")
    repository("--silent")
    monkeypatch.chdir(repository.root)
    assert _git("status", "--porcelain") == ""
    assert repository.read(".git/info/attributes").startswith("*.png -diff\n")
    named = _git("check-attr", "merge", f"{below}/.chant/specs/a.md".lstrip("/"))
    assert named.endswith(" merge: chant-spec\n")
    before = repository.read(".git/info/attributes")
    monkeypatch.chdir(repository.root / below)
    repository("--silent", "--merge-driver")
    assert repository.read(".git/info/attributes") == before


def test_attributes_that_lie_elsewhere_are_refused(repository: Folder, tmp_path: Path) -> None:
    outside = tmp_path / "attributes"
    outside.write_text("* text\n", encoding="utf-8")
    (repository.root / ".gitattributes").symlink_to(outside)
    assert "leads out of the project" in repository.refused("--merge-driver")
    assert outside.read_text() == "* text\n"


def _asked(root: Path, keys: str) -> Wishes:
    with create_pipe_input() as typed, create_app_session(input=typed, output=DummyOutput()):
        typed.send_text(keys)
        return ask(root, Repository(root, os.environ, wanted_by="--merge-driver"), Wishes())


def test_the_wizard_proposes_it_for_new_projects_and_offers_it_to_others(repository: Folder) -> None:
    root = repository.root
    assert _asked(root, ENTER * 5).merge_driver is True
    assert _asked(root, ENTER * 4 + "n").merge_driver is False
    repository("--no-merge-driver")
    assert _asked(root, ENTER * 3).merge_driver is False
    assert _asked(root, ENTER * 2 + "y").merge_driver is True
    repository("--merge-driver")
    assert _asked(root, ENTER * 2).merge_driver is None
    _git("config", "--remove-section", "merge.chant-spec")
    assert _asked(root, ENTER * 3).merge_driver is True, "the attributes ask for it"
