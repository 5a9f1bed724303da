"""A crash in the middle of a transaction leaves all of it or nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import chant_mcp
import pytest
from api.projects import FIRST, fill
from harness import Project

SCRIPT = f"""
import resource, sys, chant_mcp
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
ws = chant_mcp.open(sys.argv[1])
with ws.transaction():
    ws.spec("{FIRST}").check("Tests added")
    ws.spec("bbb").update(labels=["mine"])
    ws.add("Third")
"""


@pytest.mark.requirement("api:transaction:crash_leaves_all_or_none")
@pytest.mark.parametrize(
    ("moment", "is_made"), [("journal-staged", False), ("journal-intent", True), ("journal-step", True)]
)
def test_a_crash_leaves_all_edits_or_none(project: Project, moment: str, is_made: bool) -> None:
    fill(project)
    environment = {**os.environ, "CHANT_STOP_AT": moment}
    done = subprocess.run([sys.executable, "-c", SCRIPT, project.root], env=environment, check=False)
    assert done.returncode == -signal.SIGABRT
    ws = chant_mcp.open(project.root)
    assert ws.spec(FIRST).criteria[0].checked == is_made
    assert (ws.spec("bbb").labels == ("mine",)) == is_made
    assert len(ws.specs) == (3 if is_made else 2)
