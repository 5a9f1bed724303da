"""An ordinary home: programs of all kinds run from it, and none of its secrets is read."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from confine import secret_places
from confine.secret_places import MARK, SECRETS, TOOLS
from confine.world import World, configured, made
from harness import user_config

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")

READER = """
import json, subprocess, sys
told = json.loads(sys.argv[1])

def holds(path):
    try:
        with open(path, errors="replace") as file:
            return told["mark"] in file.read()
    except OSError:
        return False

def says(tool):
    try:
        done = subprocess.run([tool], capture_output=True, text=True)
        return done.stdout.strip() or done.stderr
    except OSError as error:
        return str(error)

found = {"readable": [path for path in told["paths"] if holds(path)]}
found["tools"] = {tool: says(tool) for tool in told["tools"]}
print(json.dumps(found))
"""


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """An ordinary home, on a disk as homes are, whose user opens nothing."""
    with tempfile.TemporaryDirectory(prefix="chant-test-", ignore_cleanup_errors=True) as folder:
        place = Path(folder).resolve()
        home = place / "home"
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
        monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
        monkeypatch.delenv("PYTEST_DEBUG_TEMPROOT", raising=False)
        user_config().parent.mkdir(parents=True)
        world = made(place)
        secret_places.fill(home)
        configured()
        yield world


@pytest.mark.requirement("confine:run:secret_places")
def test_the_table_is_whole() -> None:
    paths = [place.path for place in SECRETS]
    assert len(paths) >= 60
    assert len(set(paths)) == len(paths)
    assert all(place.program and place.source for place in SECRETS)


@pytest.mark.requirement("confine:run:secret_places", "confine:run:toolchains")
def test_no_secret_is_read_where_all_programs_run(world: World) -> None:
    told = {
        "mark": MARK,
        "paths": [str(world.home / place.path) for place in SECRETS],
        "tools": sorted(TOOLS),
    }
    done = world.confine(
        "--", "python3", "-c", READER, json.dumps(told), **secret_places.variables(world.home)
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    print(len(found["readable"]), "\n".join(found["readable"]), found["tools"])
    assert found["readable"] == []
    assert found["tools"] == {tool: _words(tool) for tool in TOOLS}


def _words(tool: str) -> str:
    return "dotnet" if tool == "dotnet" else tool
