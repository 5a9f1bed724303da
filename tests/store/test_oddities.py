"""Odd links, editors and file systems, for moments; see bench.torture.oddities."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.torture import swapped
from bench.torture.oddities import SAVES, edited, unlocked
from bench.torture.trouble import is_possible

troubled = pytest.mark.skipif(not is_possible(), reason="Linux only, with a C compiler")


@pytest.mark.skipif(not swapped.is_possible(), reason="folders and links change places at once on Linux only")
def test_a_folder_that_changes_places_with_a_link_leads_no_write_out(tmp_path: Path) -> None:
    trial = swapped.swapped(tmp_path, 1.5)
    assert trial.wrong == []
    assert sum(times for note, times in trial.notes.items() if note.endswith("done")) > 5


@troubled
@pytest.mark.parametrize("how", SAVES[:2])
def test_no_save_of_an_editor_without_locks_is_lost_on_a_coarse_clock(tmp_path: Path, how: str) -> None:
    trial = edited(tmp_path, 0.5, how, appends=4)
    assert trial.wrong == []


@troubled
def test_writers_lose_nothing_where_a_file_system_lacks_almost_all(tmp_path: Path) -> None:
    trial = unlocked(tmp_path, 4)
    assert trial.wrong == []
    assert trial.tries == 12
