"""What the tests cost: `pytest --times` prints the slowest ones and the sum a folder.

The figures are seconds of waiting, added over all workers, so they mean something only on a machine that
does nothing else. `make test-times` writes them for the whole suite; CONTRIBUTING.md has the budget.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

import pytest

SLOWEST = 25
"""So many tests are listed."""


def cost_report(reports: Iterable[pytest.TestReport]) -> list[str]:
    """Write the lines of the report: the sum a folder, then the slowest tests, parameters added up.

    Args:
        reports: What pytest reports of the phases of tests.
    """
    folders: defaultdict[str, float] = defaultdict(float)
    tests: defaultdict[str, float] = defaultdict(float)
    cases: Counter[str] = Counter()
    for report in reports:
        file = report.nodeid.partition("::")[0]
        test = report.nodeid.partition("[")[0]
        folders[file.rpartition("/")[0]] += report.duration
        tests[test] += report.duration
        cases[test] += report.when == "call"
    lines = [f"{seconds:8.1f} s  {folder}/" for folder, seconds in _dearest(folders)]
    lines.append(f"{sum(folders.values()):8.1f} s  in all")
    lines.append("")
    for test, seconds in _dearest(tests)[:SLOWEST]:
        lines.append(f"{seconds:8.1f} s  {cases[test]:4} ×  {test}")
    return lines


def _dearest(costs: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(costs.items(), key=lambda item: item[1], reverse=True)
