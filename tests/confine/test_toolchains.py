"""What developers do works where runs are held."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from confine import steps
from confine.world import World, configured, made
from laws import TRIALS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")

HALVES = {
    "git": [name for name in steps.STEPS if name.startswith("git")],
    "others": [name for name in steps.STEPS if not name.startswith("git")],
}


def taken(world: World, names: list[str]) -> dict[str, str]:
    """Have a confined process take steps, and give what went wrong."""
    (world.run / "steps.py").write_bytes(Path(steps.__file__).read_bytes())
    done = world.confine("--", sys.executable, "steps.py", json.dumps(names))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _opened() -> None:
    # The tests' libraries lie where this machine has them, and its tests may have folders where semaphores are.
    code = [folder for folder in sys.path if os.path.isabs(folder)]
    configured(f"confine: {{read: {code}, write: [/dev/shm]}}\n")


@pytest.mark.requirement("confine:run:toolchains")
@pytest.mark.parametrize("half", HALVES)
def test_the_usual_steps_work(tmp_path: Path, half: str) -> None:
    world = made(tmp_path)
    _opened()
    assert taken(world, HALVES[half]) == {}


@pytest.mark.requirement("confine:run:toolchains")
@pytest.mark.skipif(TRIALS == 1, reason="takes long; `make trials` runs it")
def test_heavy_steps_work(tmp_path: Path) -> None:
    world = made(tmp_path)
    _opened()
    assert taken(world, list(steps.HEAVY)) == {}
