"""The example notebooks give what they show; UPDATE_SNAPS=1 stores what they give."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from chant_mcp.demo.history import HistoryProject
from chant_mcp.demo.specs import ARCHIVED, SPECS
from docs.pages import environment
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
PATIENCE = 120

KNOWN = {sample.id for sample in (ARCHIVED, *SPECS, *HistoryProject(Path(), {}).specs)}


def _shown(notebook: Any) -> list[list[dict[str, Any]]]:
    """What the cells show, without what is another each time."""
    return [
        [_masked(output) for output in cell.outputs] for cell in notebook.cells if cell.cell_type == "code"
    ]


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _masked(part) for key, part in value.items() if key != "execution_count"}
    if isinstance(value, list):
        return [_masked(part) for part in value]
    if isinstance(value, str):
        # New specs have an ID of the day.
        return re.sub(r"\d{4}-\d\d-\d\d-\d{3}-[a-z0-9]{3}", _only_known, value)
    return value


def _only_known(id: re.Match[str]) -> str:
    return id[0] if id[0] in KNOWN else "<a new spec>"


def _notebooks() -> list[Path]:
    return sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning:zmq", "ignore::DeprecationWarning:jupyter_client")
@pytest.mark.skipif(sys.platform == "win32", reason="the stored pictures are of a Unix machine")
@pytest.mark.parametrize("path", _notebooks(), ids=lambda path: path.stem)
def test_a_notebook_gives_what_it_shows(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment(tmp_path, Path(sys.executable).parent).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    stored = nbformat.read(path, as_version=4)
    again = nbformat.read(path, as_version=4)
    client = NotebookClient(again, timeout=PATIENCE, kernel_name="python3", coalesce_streams=True)
    client.execute(cwd=str(tmp_path))
    if os.environ.get("UPDATE_SNAPS"):
        for cell in again.cells:
            cell.metadata.pop("execution", None)
        nbformat.write(again, path)
    else:
        assert _shown(again) == _shown(stored)


@pytest.mark.parametrize("path", _notebooks(), ids=lambda path: path.stem)
def test_a_notebook_is_stored_with_static_pictures(path: Path) -> None:
    kinds = [
        set(output.get("data", {}))
        for outputs in _shown(nbformat.read(path, as_version=4))
        for output in outputs
    ]
    assert any("image/svg+xml" in kind for kind in kinds)
    assert not any("javascript" in name for kind in kinds for name in kind)
    assert str(Path.home()) not in path.read_text("utf-8")
