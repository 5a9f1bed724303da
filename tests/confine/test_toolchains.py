"""What developers do works where runs are held."""

from __future__ import annotations

import json
import os
import pwd
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from confine import steps
from confine.world import World, configured, made
from harness import user_config
from laws import TRIALS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")

HALVES = {
    "git": [name for name in steps.STEPS if name.startswith("git")],
    "others": [name for name in steps.STEPS if not name.startswith("git")],
}


PLACES = {
    "HOME": "home",
    "XDG_CONFIG_HOME": "home/.config",
    "GIT_CONFIG_GLOBAL": "home/.gitconfig",
}
"""What the user has, and where."""


def taken(world: World, names: list[str], **variables: str) -> dict[str, str]:
    """Have a confined process take steps, and give what went wrong."""
    (world.run / "steps.py").write_bytes(Path(steps.__file__).read_bytes())
    done = world.confine("--", sys.executable, "steps.py", json.dumps(names), variables=variables)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def rust_toolchains() -> Path:
    """Say where the user keeps them; a user may have no entry in the system's list."""
    if named := os.environ.get("RUSTUP_HOME"):
        return Path(named)
    with suppress(KeyError):
        return Path(pwd.getpwuid(os.getuid()).pw_dir) / ".rustup"
    return Path("/nonexistent")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A world on a disk, as homes are: a folder in memory that is opened closes the place of semaphores."""
    with tempfile.TemporaryDirectory(prefix="chant-test-", ignore_cleanup_errors=True) as folder:
        place = Path(folder).resolve()
        settings = Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes()
        for name, value in PLACES.items():
            monkeypatch.setenv(name, str(place / value))
        user_config().parent.mkdir(parents=True)
        (place / PLACES["GIT_CONFIG_GLOBAL"]).write_bytes(settings)
        rust = rust_toolchains()
        if rust.is_dir():
            monkeypatch.setenv("RUSTUP_HOME", str(rust))
        monkeypatch.delenv("PYTEST_DEBUG_TEMPROOT", raising=False)
        world = made(place)
        # The tests' libraries lie where this machine has them.
        code = [folder for folder in sys.path if Path(folder).is_absolute()]
        configured(f"confine: {{read: {code}}}\n")
        # Folders of others, of which a machine's memory is full, are in no way.
        with tempfile.TemporaryDirectory(prefix="chant-test-", dir="/dev/shm"):
            yield world


@pytest.mark.parametrize("half", HALVES)
def test_the_usual_steps_work(world: World, half: str) -> None:
    if "no namespaces" in world.confine("--", "true").stderr:
        pytest.skip("without namespaces semaphores need the whole of /dev/shm")
    assert taken(world, HALVES[half]) == {}


def test_processes_of_python_work_without_namespaces_where_the_user_opens_memory(world: World) -> None:
    text = user_config().read_text(encoding="utf-8").replace("}", ", write: [/dev/shm]}")
    user_config().write_text(text, encoding="utf-8")
    assert taken(world, ["python multiprocessing"], CHANT_CONFINE_NO_NAMESPACES="1") == {}


@pytest.mark.skipif(TRIALS == 1, reason="takes long; `make trials` runs it")
def test_heavy_steps_work(world: World) -> None:
    assert taken(world, list(steps.HEAVY)) == {}
