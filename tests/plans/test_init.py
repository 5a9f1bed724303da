"""`init` where plans of another format are."""

from __future__ import annotations

from pathlib import Path

import pytest
from chant_mcp import cli
from plans.projects import make, tree


@pytest.mark.requirement("plans:init:needs_none")
def test_nothing_is_written_unless_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make("openspec", tmp_path)
    inside = tmp_path / "src"
    inside.mkdir()
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(inside)
    before = tree(tmp_path)
    with pytest.raises(SystemExit) as ended:
        cli.main(["init"])
    out = capsys.readouterr().out
    assert not ended.value.code
    assert "OpenSpec found in" in out and "chant-mcp list" in out and "--chant" in out
    assert tree(tmp_path) == before
    assert not (tmp_path / ".chant").exists() and not (inside / ".chant").exists()
