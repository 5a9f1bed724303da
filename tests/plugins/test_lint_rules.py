"""Lint rules of packages, beside our own: in the tool, the command and the Python API."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import chant_mcp
import pytest
from cli.kit import Cli
from harness import Caller, Project
from mcp import Client
from plugins.conftest import Install

A, B = "2026-01-22-001-aaa", "2026-01-22-002-bbb"
RULES = """
import os, time
from chant_mcp.plugins import RuleFinding

def full_stop(spec):
    print("noise on standard output")
    if spec.title.endswith("."):
        yield RuleFinding("The title ends with a full stop.", "error", "Leave it out.")

def raises(spec):
    yield "Found before it raised"
    raise ValueError("no such harbour")

def hangs(spec):
    while True:
        time.sleep(1)

def garbage(spec):
    return 7

def dies(spec):
    os._exit(3)
"""
BROKEN = ["raises", "hangs", "garbage", "dies", "is-not-there"]


def _found(report: dict[str, object], rule: str) -> list[tuple[str, str, str]]:
    rows: list[dict[str, str]] = report["diagnostics"]  # type: ignore[assignment]
    return [(row["spec_id"], row["severity"], row["message"]) for row in rows if row["rule"] == rule]


@pytest.mark.anyio
async def test_findings_of_a_rule_stand_beside_our_own_at_every_door(
    project: Project, cli: Cli, install: Install
) -> None:
    install(RULES, lint_rules=["full-stop"])
    project.spec(A, body="# Sail.")
    project.spec(B, body="# Sail", type="wrong")
    expected = [(A, "error", "The title ends with a full stop.")]
    async with Client(project.server(), mode="2026-07-28") as client:
        report = await Caller(client, project).data("chant_lint")
    assert _found(report, "full-stop") == expected
    assert _found(report, "type") != []
    assert report["errors"] == 2
    assert "plugins" not in report
    assert _found(cli.json("lint", "aaa", code=1), "full-stop") == expected
    assert _found(chant_mcp.open(project.root).spec("bbb").lint(), "full-stop") == []
    assert "Leave it out." in cli("lint", code=1)


def test_what_goes_wrong_with_a_rule_is_said_and_hides_nothing(
    project: Project, cli: Cli, install: Install, choose: Callable[[str], None]
) -> None:
    install(RULES, lint_rules=["full-stop", *BROKEN])
    choose("{seconds: 1.5}")
    project.spec(A, body="# Sail.")
    project.spec(B, body="# Sail.")
    report = cli.json("lint", code=1)
    assert [id for id, *_ in _found(report, "full-stop")] == [A, B]
    assert [id for id, *_ in _found(report, "raises")] == [A, B]
    assert report["plugins"] == [
        "The lint rule `dies` of ferry-rules 1.0 ended its process with exit code 3 before it answered.",
        "The lint rule `garbage` of ferry-rules 1.0 gave `int` where a list of findings was expected at "
        f"{A}, and failed at 1 more.",
        "The lint rule `hangs` of ferry-rules 1.0 did not answer within 1.5 seconds.",
        "The lint rule `is-not-there` of ferry-rules 1.0 raised AttributeError: module 'ferry_rules' has no "
        "attribute 'is_not_there'.",
        "The lint rule `raises` of ferry-rules 1.0 raised ValueError: no such harbour (ferry_rules.py:12) at "
        f"{A}, and failed at 1 more.",
    ]


def test_a_project_switches_a_rule_off_by_its_name(project: Project, cli: Cli, install: Install) -> None:
    install(RULES, lint_rules=["full-stop"])
    project.spec(A, body="# Sail.")
    assert cli.json("lint", code=1)["errors"] == 1
    project.config("lint: {disable: [full-stop]}\n")
    assert cli.json("lint")["errors"] == 0


def test_pages_fit_together(project: Project, install: Install, tmp_path: Path) -> None:
    trace = str(tmp_path / "trace")
    code = (
        f"import os\nis_first = not os.path.exists({trace!r})\nopen({trace!r}, 'w')\n"
        "def once(spec): return ['Found the first time alone'] if is_first else []\n"
    )
    install(code, lint_rules=["once"])
    ids = [f"2026-01-22-{number:03}-abc" for number in range(1, 8)]
    for id in ids:
        project.spec(id, body="# Sail.\n\n- [ ] It sails\n- [ ] It lands")
    from chant_mcp.plugins.lint import lint_specs

    session = chant_mcp.open(project.root).session
    offset, found = 0, list[str]()
    while offset is not None:
        page = lint_specs(session, None, limit=3, offset=offset).data
        found += [row["spec_id"] for row in page["diagnostics"] if row["rule"] == "once"]
        offset = page.get("next_offset")
    assert found == ids


@pytest.mark.usefixtures("distrust")
def test_nothing_is_imported_in_a_folder_that_no_person_trusts(
    project: Project, cli: Cli, install: Install, tmp_path: Path
) -> None:
    trace = tmp_path / "trace"
    install(f"open({str(trace)!r}, 'w')\n{RULES}", lint_rules=["full-stop"], exporters=["garbage"])
    project.spec(A, body="# Sail.")
    report = cli.json("lint")
    assert _found(report, "full-stop") == []
    assert report["plugins"] == [
        "Lint rules of plugins were not asked: no person trusts this folder, and plugins never run in such a "
        "one."
    ]
    refused = "of ferry-rules 1.0 is off: no person trusts this folder"
    assert refused in cli.error("export", "--format", "garbage").replace("\n", " ")
    assert cli.json("plugins")["plugins"][0]["on"] is False
    assert not trace.exists()


def test_a_folder_brings_no_plugin_along(
    project: Project, cli: Cli, install: Install, tmp_path: Path
) -> None:
    trace = tmp_path / "trace"
    install(f"open({str(trace)!r}, 'w')\n{RULES}", project.root / "site", lint_rules=["full-stop"])
    project.config("plugins: {off: [], evidence_checks: [full-stop]}\n")
    project.spec(A, body="# Sail.")
    assert _found(cli.json("lint"), "full-stop") == []
    (rule, *_) = cli.json("plugins")["plugins"]
    assert rule["why_off"] == "the project's folder brings it along; install it outside of the folder"
    assert not trace.exists()


def test_all_are_listed_with_what_is_asked(cli: Cli, install: Install, choose: Callable[[str], None]) -> None:
    install(RULES, lint_rules=["full-stop", "garbage"], evidence_checks=["dies"])
    install(RULES, package="a-second", lint_rules=["garbage"])
    choose("{off: [full-stop], notifiers: {desktop: {}, pigeon: {}}}")
    rows = cli.json("plugins")["plugins"]
    assert {(row["kind"], row["name"], row["package"]): row["why_off"] for row in rows} == {
        ("lint_rules", "full-stop", "ferry-rules"): "your configuration has its name under `plugins.off`",
        ("lint_rules", "garbage", "a-second"): None,
        ("lint_rules", "garbage", "ferry-rules"): "a-second has a plugin of that name",
        ("evidence_checks", "dies", "ferry-rules"): "your own configuration does not name it under "
        "`plugins.evidence_checks`",
        ("notifiers", "desktop", "chant-mcp"): None,
        (
            "notifiers",
            "webhook",
            "chant-mcp",
        ): "your own configuration does not name it under `plugins.notifiers`",
        ("notifiers", "pigeon", None): "no package that is installed here has it",
    }
    assert "a-second has a plugin of that name" in " ".join(cli("plugins").split())


def test_without_plugins_no_process_is_started(
    project: Project,
) -> None:
    project.spec(A, body="# Sail.")
    code = (
        "import sys, chant_mcp\n"
        f"assert chant_mcp.open({str(project.root)!r}).lint()['specs_checked'] == 1\n"
        "late = {'importlib.metadata', 'chant_mcp.plugins.plugin_process'}\n"
        "print(sorted(late & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
