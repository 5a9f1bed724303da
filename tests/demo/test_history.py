"""The sample project with a past, and the charts of its notebooks."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import chant_mcp
import pytest
import state_folder
from chant_mcp import Workspace
from chant_mcp.demo.history import TODAY, HistoryProject
from chant_mcp.demo.line_chart import LineChart
from chant_mcp.demo.sample import SampleProject

_SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    """The project without a user's configuration: where it is trusted, old records of runs are removed."""
    HistoryProject(tmp_path / "harbour", os.environ).build()
    return chant_mcp.open(tmp_path / "harbour", environment={})


def test_the_project_is_the_same_each_time(ws: Workspace, tmp_path: Path) -> None:
    HistoryProject(tmp_path / "again", os.environ).build()
    again = chant_mcp.open(tmp_path / "again", environment={})
    assert again.recent_commits(1) == ws.recent_commits(1)
    assert state_folder.records(again.root) == state_folder.records(ws.root)


def test_the_project_has_weeks_of_real_work(ws: Workspace) -> None:
    graph, runs = ws.graph(), ws.graph().runs.table()
    assert not ws.problems
    assert ws.dialects == ("chant", "vine", "speckit")
    assert len(graph) > 300
    assert len(graph.edges) > len(graph)
    assert len({label for spec in ws.specs for label in spec.labels}) == 5
    assert [commit.subject for commit in ws.recent_commits(200)] == [f"Day {TODAY - n}" for n in range(64)]
    assert Counter(graph.attribute_column("status"))["in_progress"] == 3
    assert set(runs.column("end_state")) == {"completed", "failed", "paused"}
    assert set(runs.column("agent")) == {"steady", "swift"}
    assert min(runs.column("cost_usd")) > 0
    assert graph.learned["runs"] == Counter(graph.attribute_column("status"))["completed"]


def test_states_change_over_the_commits(ws: Workspace) -> None:
    words = ("log", "--format=", "--unified=0", "--patch", "--", ".chant/specs")
    changes = SampleProject(ws.root, os.environ).git("2025-11-03", *words)
    seen = Counter(re.findall(r"^\+status: (\w+)$", changes, re.M))
    assert set(seen) == {"pending", "in_progress", "failed", "paused", "completed"}
    assert seen["completed"] == sum(spec.status == "completed" for spec in ws.specs)


def test_lines_lie_between_the_axes() -> None:
    chart = LineChart(
        "Open <items>", "day", {"all": [(0, 100), (10, 100)], "open": [(0, 100), (10, 0)]}, {"now": 5}
    )
    root = ElementTree.fromstring(chart.svg)
    texts = [text.text for text in root.iter(f"{_SVG}text")]
    assert {"Open <items>", "day", "all", "open", "now", "0", "100", "10"} <= set(texts)
    lines = [line.attrib["points"].split() for line in root.iter(f"{_SVG}polyline")]
    starts, ends = zip(*((points[0], points[-1]) for points in lines), strict=True)
    assert starts[0] == starts[1]
    (left, top), (right, bottom) = (map(float, ends[n].split(",")) for n in (0, 1))
    assert (left, bottom > top) == (right, True)
    (mark,) = (line for line in root.iter(f"{_SVG}line") if "stroke-dasharray" in line.attrib)
    assert float(mark.attrib["x1"]) == pytest.approx((float(starts[0].split(",")[0]) + right) / 2, abs=0.1)
    assert set(chart._repr_mimebundle_()) == {"image/svg+xml", "text/plain"}


def test_names_of_lines_do_not_cover_one_another() -> None:
    chart = LineChart("Ends", "day", {name: [(0, 1), (1, 1)] for name in "abc"})
    places = {
        text.text: float(text.attrib["y"]) for text in ElementTree.fromstring(chart.svg).iter(f"{_SVG}text")
    }
    assert places["b"] - places["a"] == places["c"] - places["b"] == 14
