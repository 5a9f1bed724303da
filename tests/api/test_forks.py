"""Processes that split off while a project is open."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from api.projects import FIRST
from harness import Project

FORKS = """
import os, sys, warnings
from pathlib import Path

from chant_mcp import ChantProject

warnings.simplefilter("ignore", DeprecationWarning)
root = Path(sys.argv[1])
specs = root / ".chant" / "specs"
text = (specs / f"{sys.argv[2]}.md").read_text(encoding="utf-8")
project = ChantProject(root)


def shown():
    print([spec["id"][-3:] for spec in project.spec_list().data["specs"]], flush=True)


def write(name):
    (specs / f"2026-01-22-{name}.md").write_text(text, encoding="utf-8")


def in_child(act):
    if not (child := os.fork()):
        act()
        shown()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


shown()
write("005-eee")
in_child(lambda: None)  # it looks at what its parent has not seen yet
shown()
write("006-fff")
in_child(lambda: project.search("work"))
shown()

dropped = ChantProject(root)
dropped.spec_list()
del dropped  # its watch is kept for the next project: for that of one of both
(looked, looks), (written, writes) = os.pipe(), os.pipe()
if not (child := os.fork()):
    another = ChantProject(root)
    another.spec_list()
    os.write(looks, b".")
    os.read(written, 1)
    another.spec_list()
    os._exit(0)
os.read(looked, 1)
before, project = project, ChantProject(root)
shown()
write("007-ggg")
os.write(writes, b".")
os.waitpid(child, 0)
shown()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process splits off here")
def test_a_process_that_was_split_off_answers_and_hides_no_change(project: Project) -> None:
    project.spec(FIRST)
    command = [sys.executable, "-c", FORKS, str(project.root), FIRST]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    end = FIRST[-3:]
    one, two, three = [end], [end, "eee"], [end, "eee", "fff"]
    shown = [str(ids) for ids in (one, two, two, three, three, three, [*three, "ggg"])]
    assert (done.stdout.splitlines(), done.stderr) == (shown, "")
