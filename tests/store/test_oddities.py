"""Links, editors, clocks and file systems that do not keep to what one hopes; `bench.torture.oddities` is the long form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from chant_mcp import ChantProject
from chant_mcp._core import SpeckitFeatures, TicketProjects, VineFiles
from chant_mcp.api import workspace
from harness import Project
from writing import ID, commit

from bench.torture import changes, swapped
from bench.torture.oddities import SAVES, edited, unlocked
from bench.torture.trouble import is_possible

troubled = pytest.mark.skipif(not is_possible(), reason="Linux only, with a C compiler")


@pytest.mark.skipif(not swapped.is_possible(), reason="folders and links change places at once on Linux only")
@pytest.mark.requirement("store:write:nothing_outside_the_root")
def test_a_folder_that_changes_places_with_a_link_leads_no_write_out(tmp_path: Path) -> None:
    trial = swapped.swapped(tmp_path, 1.5)
    assert trial.wrong == []
    assert sum(times for note, times in trial.notes.items() if note.endswith("done")) > 5


@troubled
@pytest.mark.parametrize("how", SAVES)
@pytest.mark.requirement("store:write:foreign_edit_is_never_overwritten")
def test_no_save_of_an_editor_without_locks_is_lost_on_a_coarse_clock(tmp_path: Path, how: str) -> None:
    trial = edited(tmp_path, 0.4, how)
    assert trial.wrong == []
    assert trial.notes["appended"] > 5


@troubled
@pytest.mark.requirement("store:poor:writers_take_turns", "store:poor:every_write_is_done")
def test_writers_lose_nothing_where_a_file_system_lacks_almost_all(tmp_path: Path) -> None:
    trial = unlocked(tmp_path, 4)
    assert trial.wrong == []
    assert trial.tries == 12


@troubled
@pytest.mark.requirement("store:write:every_failing_write_is_survived", "store:write:a_refusal_is_final")
def test_a_disk_that_is_full_at_any_write_makes_all_or_nothing(tmp_path: Path) -> None:
    for trial in changes.full_disk(tmp_path, step=9):
        assert trial.wrong == [], trial.name
        assert trial.notes["refused"] > 1, trial.name


def kept(root: Path) -> Path:
    """Leave a change in the journal that recovery set aside."""
    folder = root / ".git" / "chant-mcp" / "journal" / "kept-1"
    folder.mkdir(parents=True)
    (folder / "kept.json").write_text('{"schema": 2, "steps": []}', encoding="utf-8")
    (folder / "reason.json").write_text(
        '{"paths": ["plan.vine"], "why": "this file was edited since"}', encoding="utf-8"
    )
    return folder


READERS: dict[str, Callable[[Path], object]] = {
    "vine": lambda root: VineFiles(root).read("plan.vine", "validate").note,
    "tickets": lambda root: TicketProjects(root, variables={}).list_crs().data.get("problems"),
    "features": lambda root: SpeckitFeatures(root, variables={}).current(None).data,
    "status": lambda root: ChantProject(root).status().data,
    "doctor": lambda root: ChantProject(root).doctor().data["problems"],
    "workspace": lambda root: workspace.open(root, exactly=True).problems,
}
