"""No measure of the sources falls back: `python tests/house` prints them."""

from __future__ import annotations

import runpy
from pathlib import Path

MEASURES = runpy.run_path(str(Path(__file__).with_name("measures.py")))


def test_no_measure_falls_back() -> None:
    assert [one.name for one in MEASURES["MEASURES"] if not one.holds()] == [], MEASURES["table"]()


def test_a_worse_value_is_found() -> None:
    one = MEASURES["MEASURES"][0]
    worse = MEASURES["Measure"](one.name, lambda: one.limit + 1, one.limit, one.goal)
    assert not worse.holds()
