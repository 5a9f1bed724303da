"""What dead processes left goes wherever it lies, and a crash leaves nothing that git shows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import chant_mcp
from api.projects import fill
from api.test_crashes import SCRIPT
from harness import Project, started_process
from writing import commit

PLACES = (
    "",
    ".chant",
    ".chant/specs",
    ".chant/logs",
    ".chant/processes",
    ".chant/archive/2026-01-22",
    "plans",
    "docs/CRs",
    "specs/060-login",
    ".specify",
    ".git/chant-mcp/staged",
    ".git/chant-mcp/journal",
    ".git/chant-mcp/processes/main/_",
    ".git/chant-mcp/tokens/_",
)

LOOKS = """
import sys
from chant_mcp import ChantProject
from chant_mcp._core import SpeckitFeatures, TicketProjects, VineFiles
root = sys.argv[1]
ChantProject(root).spec_list()
VineFiles(root).next("plans/plan.vine")
TicketProjects(root).get_cr(None, "DEM-7")
SpeckitFeatures(root).context("060-login")
"""
"""A process that looks at one thing of each dialect."""

LEFT = ".chant-4000000-7.tmp"
OTHERS = (".chant-notes.tmp", ".chant-4000000-7.tmp.md", f".chant-{os.getpid()}-1.tmp", "notes.tmp")
"""Files of other names, and one of a process that lives."""


def repository(project: Project) -> Path:
    """A project of all dialects in git."""
    fill(project).repository()
    (project.root / "plans").mkdir()
    (project.root / "plan.vine").rename(project.root / "plans" / "plan.vine")
    commit(project.root, "Begin")
    return project.root


def test_what_a_dead_process_left_goes_wherever_it_lies(project: Project) -> None:
    root = repository(project)
    # A change of several files makes the state folder.
    ws = chant_mcp.open(root)
    with ws.transaction():
        for spec in ws.specs:
            spec.update(labels=["x"])
    for place in PLACES:
        for folder in (root / place, *(root / place).relative_to(root).parents):
            (root / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in (LEFT, *OTHERS):
            (root / place / name).write_text("half", encoding="utf-8")
            os.utime(root / place / name, (1, 1))
    # This process looked through the folders when it filled them, and on a busy machine it rests a while.
    looking = started_process([sys.executable, "-c", LOOKS, str(root)], root)
    _, complaint = looking.communicate(timeout=60)
    assert looking.returncode == 0, complaint
    assert [place for place in PLACES if (root / place / LEFT).exists()] == []
    gone = [(place, name) for place in PLACES for name in OTHERS if not (root / place / name).exists()]
    assert gone == []


def test_a_crash_leaves_nothing_that_git_shows(project: Project) -> None:
    fill(project).repository()
    commit(project.root, "Begin")
    for moment in ("journal-staged", "journal-step"):
        environment = {**os.environ, "CHANT_STOP_AT": moment}
        done = subprocess.run([sys.executable, "-c", SCRIPT, project.root], env=environment, check=False)
        assert done.returncode == -signal.SIGABRT
        shown = project.git("status", "--porcelain", "-uall").splitlines()
        assert [line for line in shown if ".chant-" in line] == []
        assert len(chant_mcp.open(project.root).specs) == 2
        assert project.git("status", "--porcelain", "-uall") == ""
