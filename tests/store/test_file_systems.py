"""File systems without rights, or whose numbers of files are the mount's; see bench.torture.file_systems."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.torture.file_systems import FILE_SYSTEMS, CannotMount, Mounted, mounted


@contextmanager
def mounted_or_skipped(name: str, folder: Path) -> Generator[Mounted]:
    """Mount a file system with a project on it, or skip the test with the reason."""
    (kind,) = (kind for kind in FILE_SYSTEMS if kind.name == name)
    if why := kind.why_not():
        pytest.skip(why)
    try:
        with mounted(kind, folder) as made:
            yield made
    except CannotMount as error:
        pytest.skip(str(error))


def file_system_line(made: Mounted) -> str:
    """Read what `doctor` says of the file system, and hold that `status` says the same."""
    data = json.loads(made.ours("doctor", "--json").stdout)["data"]
    line: str = data["file_system"]
    assert line in made.ours("status").stdout
    return line


def test_state_lies_with_the_user_where_files_have_no_rights(tmp_path: Path) -> None:
    with mounted_or_skipped("bindfs 777", tmp_path) as made:
        made.try_all(("transaction", "crash in it", "remount"))
        assert made.said == {"transaction": "holds", "crash in it": "holds", "remount": "holds"}
        state = made.home / ".local" / "state" / "chant-mcp" / "projects"
        line = file_system_line(made)
        assert f"no rights of files (our own state lies in {state}" in line
        assert "no lasting numbers of files" in line
        assert not (made.root / ".git" / "chant-mcp").exists()


def test_without_a_place_that_has_rights_nothing_changes_and_the_reason_is_said(tmp_path: Path) -> None:
    with mounted_or_skipped("bindfs 777", tmp_path) as made:
        made.home = made.top / "home"
        made.home.mkdir()
        made.try_all(("edit", "transaction"))
        assert made.said["edit"] == "holds"
        assert made.said["transaction"].startswith("refused: ")
        assert "keeps no rights of files" in made.said["transaction"].replace("\n", " ")
        assert list(made.home.rglob("key")) == []


def test_state_is_known_after_a_remount_that_gives_files_other_numbers(tmp_path: Path) -> None:
    with mounted_or_skipped("sshfs", tmp_path) as made:
        made.try_all(("transaction",))
        state = made.root / ".git" / "chant-mcp"
        before = (state / "owner.json").read_text("utf-8")
        made.try_all(("remount", "transaction"))
        assert made.said == {"transaction": "holds", "remount": "holds"}
        assert (state / "owner.json").read_text("utf-8") == before
        assert "no lasting numbers of files" in file_system_line(made)
        # At another path it would be that of a copy.
        moved = made.top / "moved"
        made.root.rename(moved)
        made.root.mkdir()
        status = made.ours("--project", str(moved), "status").stdout
        assert "is not believed: it was made at another path" in status
