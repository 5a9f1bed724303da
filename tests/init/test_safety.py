"""`init` writes inside the project only, whole files, and nothing at all when it refuses."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from chant_mcp.errors import StorageError
from chant_mcp.init.files import FileChange, write
from init.kit import Folder, tree


def test_nothing_outside_the_project_is_touched(folder: Folder, home: Path, tmp_path: Path) -> None:
    for name in (".claude/settings.json", ".config/chant/config.md", ".gitconfig", ".cursor/mcp.json"):
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine", encoding="utf-8")
    before = tree(home)
    folder("--agent", "all", "--client", "all", "--provider", "ollama", "--model", "x")
    folder("--force-overwrite", "--agent", "all", "--name", "y")
    folder("prompts")
    kept = {name: data for name, data in tree(home).items() if not name.startswith(".local")}
    assert kept == before
    # That what was written is trusted is remembered where the user's own state lies.
    state = [path for path in (home / ".local").rglob("*") if path.is_file()]
    ours = home / ".local/state/chant-mcp"
    assert {path.parent for path in state} == {ours / "trust", ours / "init"}
    assert {path.name for path in tmp_path.iterdir()} == {"my-app", "programs"}
    assert not folder.has(".claude/settings.json")


@pytest.mark.parametrize(
    ("link", "is_folder"),
    [
        (".chant", True),
        (".chant/specs", True),
        (".chant/prompts", True),
        (".chant/config.md", False),
        (".chant/.gitignore", False),
        ("CLAUDE.md", False),
        (".mcp.json", False),
        (".claude", True),
    ],
)
def test_a_link_that_leads_outside_is_refused(
    folder: Folder, tmp_path: Path, link: str, is_folder: bool
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("{}", encoding="utf-8")
    path = folder.root / link
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(outside if is_folder else outside / "file")
    before = tree(outside)
    said = folder.refused("--agent", "claude", "--force-overwrite", "--name", "x")
    assert "leads out of the project" in said
    assert tree(outside) == before


def test_a_link_to_itself_is_refused(folder: Folder) -> None:
    (folder.root / "CLAUDE.md").symlink_to("CLAUDE.md")
    result = folder.run("--agent", "claude")
    assert result.exit_code == 1
    assert "`CLAUDE.md`" in result.stderr
    assert not folder.has(".chant")


def test_a_project_reached_through_a_link_is_the_project(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(folder.root)
    monkeypatch.chdir(tmp_path / "link")
    folder("--agent", "claude")
    assert folder.has("AGENTS.md")


def test_what_is_in_the_way_is_named(folder: Folder) -> None:
    folder.write(".chant", "a file")
    assert ".chant" in folder.run().stderr
    (folder.root / ".chant").unlink()
    (folder.root / "CLAUDE.md").mkdir()
    assert "Cannot read `CLAUDE.md`" in folder.refused("--agent", "claude")


def test_a_file_is_replaced_whole_and_keeps_its_rights(folder: Folder) -> None:
    path = folder.write("CLAUDE.md", "mine\n")
    path.chmod(0o600)
    before = path.stat()
    folder("--agent", "claude")
    assert path.stat().st_ino != before.st_ino, "a new file took the place of the old one"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not list(folder.root.glob("**/.chant-*.tmp"))


def test_when_the_disk_refuses_the_old_file_stands(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder.write("CLAUDE.md", "mine\n")

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(StorageError, match=r"Cannot write `CLAUDE\.md`: No space left on device"):
        write(folder.root, FileChange("CLAUDE.md", b"mine\n", b"new"))
    assert path.read_text() == "mine\n"
    assert [entry.name for entry in folder.root.iterdir()] == ["CLAUDE.md"]


def _git(*words: str, cwd: Path | None = None) -> str:
    done = subprocess.run(["git", *words], check=True, capture_output=True, text=True, cwd=cwd)
    return done.stdout


def test_silent_excludes_the_folder_in_this_checkout(folder: Folder) -> None:
    _git("init", "-q")
    exclude = folder.root / ".git" / "info" / "exclude"
    exclude.write_text("# mine\nbuild", encoding="utf-8")
    folder("--silent")
    assert exclude.read_text() == "# mine\nbuild\n.chant/\n"
    assert _git("status", "--porcelain") == ""
    folder("--silent")
    assert exclude.read_text() == "# mine\nbuild\n.chant/\n"


def test_silent_works_in_a_linked_worktree_and_below_the_top(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _git("init", "-q", "-b", "main")
    _git("commit", "-qm", "Begin", "--allow-empty")
    _git("worktree", "add", "-q", str(tmp_path / "linked"))
    below = tmp_path / "linked" / "sub"
    below.mkdir()
    monkeypatch.chdir(below)
    (folder.root / ".git" / "info" / "exclude").unlink(missing_ok=True)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "another"))
    folder("--silent")
    monkeypatch.delenv("GIT_DIR")
    assert (folder.root / ".git" / "info" / "exclude").read_text() == ".chant/\n"
    assert (below / ".chant" / "config.md").is_file()
    assert _git("status", "--porcelain") == ""


def test_silent_is_refused_when_git_tracks_the_folder(folder: Folder) -> None:
    _git("init", "-q")
    folder()
    _git("add", ".chant/config.md")
    _git("commit", "-qm", "Begin")
    before = (folder.root / ".git" / "info" / "exclude").read_bytes()
    assert "git tracks `.chant/config.md`" in folder.refused("--silent", "--agent", "claude")
    assert (folder.root / ".git" / "info" / "exclude").read_bytes() == before


def test_silent_without_a_repository_is_refused(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--silent needs a git repository" in folder.refused("--silent")
    monkeypatch.setenv("PATH", "")
    if sys.platform != "win32":
        assert "git cannot be run" in folder.refused("--silent")
