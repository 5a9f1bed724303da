"""Runs the protocol's conformance suites on our server: `python -m bench.conformance`; see README.md.

The suites are an npm package, installed into a folder of the user's caches and never committed. Scenarios
that ask for tools, prompts and resources of the suites' own example server cannot pass on another one.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.npm_packages import install_packages
from bench.serving import served_over_http

SUITES = "@modelcontextprotocol/conformance"

RELEASE = "0.2.0-alpha.12"
"""The one that knows both eras of the protocol."""

REVISIONS = ("2025-11-25", "2026-07-28")

EXAMPLE_ONLY = {
    "completion-complete": ("a prompt", 1),
    "elicitation-sep": ("tools", 1),
    "http-custom-header-server-validation": ("a tool", 5),
    "input-required-result-": ("tools", 1),
    "json-schema-2020-12": ("a tool", 1),
    "prompts-get-": ("prompts", 1),
    "resources-read-": ("resources", 1),
    "resources-subscribe": ("a resource", 1),
    "resources-templates-read": ("a resource template", 1),
    "resources-unsubscribe": ("a resource", 1),
    "server-sse-polling": ("a tool", 1),
    "server-stateless": ("a tool", 2),
    "tools-call-": ("tools", 1),
}
"""By the beginning of a scenario's name, what of the example server it asks for, and in how many checks."""

NOT_SERVED = {"logging-set-level": "deprecated by the protocol; we log to standard error"}
"""Scenarios of what we do not serve, and why."""


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """How a scenario ended."""

    name: str
    passed: int
    failed: int

    @property
    def excuse(self) -> str | None:
        """Why its failures say nothing about our server, if they do not."""
        for begin, (what, checks) in EXAMPLE_ONLY.items():
            if self.name.startswith(begin) and self.failed <= checks:
                return f"asks for {what} of the suites' example server"
        return NOT_SERVED.get(self.name)


def main() -> None:
    """Install the suites if they are not there, run them in both eras, and print a table."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "chant-mcp-conformance")
    cache: Path = asked.parse_args().cache
    command = _suites(cache)
    unexpected = 0
    with _served() as url:
        for revision in REVISIONS:
            results = _run(command, url, revision)
            unexpected += _print(revision, results)
    sys.exit(1 if unexpected else 0)


def _suites(cache: Path) -> list[str]:
    """Give the command of the suites, installed in a folder."""
    node = install_packages(cache, {SUITES: RELEASE})
    return [node, str(cache / "node_modules" / SUITES / "dist" / "index.js")]


@contextmanager
def _served() -> Generator[str]:
    """Serve a project of one spec on a free port."""
    with tempfile.TemporaryDirectory() as folder:
        specs = Path(folder) / ".chant" / "specs"
        specs.mkdir(parents=True)
        text = "---\ntype: code\nstatus: pending\n---\n\n# One\n"
        (specs / "2026-01-22-001-x7m.md").write_text(text, encoding="utf-8")
        with served_over_http(Path(folder), "--toolsets", "all") as url:
            yield url


def _run(command: list[str], url: str, revision: str) -> list[ScenarioResult]:
    """Run all scenarios of a revision; what the suites write is read, what they print is not."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["server", "--url", url, "--suite", "all", "--spec-version", revision, "-o", folder]
        subprocess.run([*command, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        results: list[ScenarioResult] = []
        for path in sorted(Path(folder).glob("*/checks.json")):
            name = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", path.parent.name)
            states = [check["status"] for check in json.loads(path.read_text("utf-8"))]
            results.append(ScenarioResult(name, states.count("SUCCESS"), states.count("FAILURE")))
        if not results:
            sys.exit(f"The suites wrote no results for {revision}.")
        return results


def _print(revision: str, results: list[ScenarioResult]) -> int:
    """Print a table; give the number of scenarios that failed without an excuse."""
    unexpected = 0
    sys.stdout.write(f"\n{revision}\n\n| Scenario | Passed | Failed | |\n|---|---|---|---|\n")
    for result in results:
        note = "" if not result.failed else result.excuse or "**unexpected**"
        unexpected += bool(result.failed and result.excuse is None)
        sys.stdout.write(f"| {result.name} | {result.passed} | {result.failed} | {note} |\n")
    passed = sum(not result.failed for result in results)
    sys.stdout.write(
        f"\n{len(results)} scenarios: {passed} passed whole, "
        f"{len(results) - passed - unexpected} cannot pass here, {unexpected} failed unexpectedly\n"
    )
    return unexpected


if __name__ == "__main__":
    main()
