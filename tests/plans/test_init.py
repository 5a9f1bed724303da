"""`init` where plans of another format are, and which folder is their root."""

from __future__ import annotations

from pathlib import Path

import pytest
from chant_mcp.cli import program
from chant_mcp.project_place import find_place
from click.testing import CliRunner
from plans.projects import PROJECTS, make, tree


def test_nothing_is_written_unless_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make("openspec", tmp_path)
    inside = tmp_path / "src"
    inside.mkdir()
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(inside)
    before = tree(tmp_path)
    done = CliRunner().invoke(program, ["init"], prog_name="chant-mcp")
    assert done.exit_code == 0, done.output
    out = done.stdout
    assert "OpenSpec found in" in out
    assert "chant-mcp list" in out
    assert "--chant" in out
    assert tree(tmp_path) == before
    assert not (tmp_path / ".chant").exists()
    assert not (inside / ".chant").exists()


@pytest.mark.parametrize("word", PROJECTS)
def test_plans_below_the_top_of_a_checkout_are_found_from_a_folder_inside(tmp_path: Path, word: str) -> None:
    (tmp_path / ".git").mkdir()
    app = make(word, tmp_path / "packages" / "app")
    inside = app / "src"
    inside.mkdir()
    assert find_place(inside).root == app
    assert find_place(tmp_path / "packages").root == tmp_path
