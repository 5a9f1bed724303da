"""A crash in the middle of a transaction leaves all of it or nothing; and what must not crash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import chant_mcp
import pytest
from api.projects import FIRST, fill
from chant_mcp._core import SpeckitFeatures, TicketProjects, VineFiles
from harness import Project

SCRIPT = f"""
import resource, sys, chant_mcp
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
ws = chant_mcp.open(sys.argv[1])
with ws.transaction():
    ws.spec("{FIRST}").check("Tests added")
    ws.spec("bbb").update(labels=["mine"])
    ws.add("Third")
    ws.ticket("DEM-7").update(assignee="ada")
    ws.add_ticket("Log out")
    ws.vine("plan").set({{"log": "started"}})
    ws.feature("060-login").complete("T001")
"""

CHANGED_ENVIRONMENT = """
import os, sys, threading, chant_mcp

def ask():
    project = chant_mcp.ChantProject(sys.argv[1], environment=dict(os.environ))
    for _ in range(40):
        project.doctor()

threads = [threading.Thread(target=ask) for _ in range(2)]
for thread in threads:
    thread.start()
names = [f"VARIABLE_{number}" for number in range(400)]
while any(thread.is_alive() for thread in threads):
    for name in names:
        os.environ[name] = "value" * 10
    for name in names:
        del os.environ[name]
"""

MOMENTS = [
    ("journal-staged", False),
    ("journal-intent", False),
    ("journal-step", False),
    ("journal-done", True),
]


def crash(project: Project, moment: str) -> None:
    """Let a process die while it writes a transaction."""
    fill(project)
    environment = {**os.environ, "CHANT_STOP_AT": moment}
    done = subprocess.run([sys.executable, "-c", SCRIPT, project.root], env=environment, check=False)
    assert done.returncode == -signal.SIGABRT


@pytest.mark.parametrize(("moment", "is_made"), MOMENTS)
def test_a_crash_leaves_all_edits_or_none(project: Project, moment: str, is_made: bool) -> None:
    crash(project, moment)
    ws = chant_mcp.open(project.root)
    assert ws.spec(FIRST).criteria[0].checked == is_made
    assert (ws.spec("bbb").labels == ("mine",)) == is_made
    assert len(ws.specs) == (3 if is_made else 2)
    assert (ws.ticket("DEM-7").assignee == "ada") == is_made
    assert len(ws.tickets) == (2 if is_made else 1)
    assert (ws.vine("plan").task("log").status == "started") == is_made
    assert ws.feature("060-login").task("T001").is_done == is_made
    # Whatever was lost with the process, no number comes twice.
    assert ws.add_ticket("Next").id == ("DEM-009" if is_made else "DEM-008")


@pytest.mark.parametrize(("moment", "is_made"), MOMENTS)
@pytest.mark.parametrize("dialect", ["vine", "tickets", "speckit"])
def test_the_next_one_to_come_settles_it(project: Project, dialect: str, moment: str, is_made: bool) -> None:
    crash(project, moment)
    if dialect == "vine":
        VineFiles(project.root).next("plan.vine")
    elif dialect == "tickets":
        TicketProjects(project.root).get_cr(None, "DEM-7")
    else:
        SpeckitFeatures(project.root).context("060-login")
    texts = [
        project.text(FIRST),
        (project.root / "plan.vine").read_text("utf-8"),
        (project.root / "specs" / "060-login" / "tasks.md").read_text("utf-8"),
        next((project.root / "docs" / "CRs").glob("DEM-007*")).read_text("utf-8"),
    ]
    signs = ["- [x] Tests added", "(started)", "- [x] T001", "assignee: ada"]
    assert [sign in text for sign, text in zip(signs, texts, strict=True)] == [is_made] * 4


def test_variables_may_change_while_programs_are_started(project: Project) -> None:
    project.git("init", "--quiet")
    command = [sys.executable, "-c", CHANGED_ENVIRONMENT, project.root]
    assert subprocess.run(command, check=False).returncode == 0
