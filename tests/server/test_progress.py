"""How far long work is, reported while it is under way."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable

import pytest
from chant_mcp import progress
from harness import Project
from mcp import Client

Report = Callable[[str, int, int], object]


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_reports_of_the_core_reach_the_client_from_any_thread(
    project: Project, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    project.spec("2026-01-22-001-x7m")

    def report_to(report: Report | None) -> None:
        if report is not None:
            thread = threading.Thread(target=report, args=("Linting specs", 500, 2_000))
            thread.start()
            thread.join()

    monkeypatch.setattr(progress, "report_progress_to", report_to)
    heard: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))

    async with Client(project.server(), mode=mode) as client:
        await client.call_tool("chant_lint", {}, progress_callback=hear)
        assert heard == [(1, "Linting specs: 500 of 2000")]


def test_a_line_of_a_terminal_says_how_far_work_is_and_is_empty_at_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reports: list[Report] = []
    monkeypatch.setattr(progress, "report_progress_to", reports.append)
    terminal = io.StringIO()
    progress.report_on(terminal)
    reports[0]("Reading files", 1_000, 20_000)
    assert terminal.getvalue().strip() == "Reading files: 1,000 of 20,000"
    reports[0]("Reading files", 20_000, 20_000)
    assert terminal.getvalue().endswith("\r" + " " * 60 + "\r")
