"""An ordinary home: programs of all kinds run from it, and none of its secrets is read."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from confine import secret_places
from confine.secret_places import MARK, SECRETS, TOOLS
from confine.test_toolchains import rust_toolchains
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


def test_the_table_is_whole() -> None:
    paths = [place.path for place in SECRETS]
    assert len(paths) >= 60
    assert len(set(paths)) == len(paths)
    assert all(place.program and place.source for place in SECRETS)


def test_no_secret_is_read_where_all_programs_run(world: World) -> None:
    told = {
        "mark": MARK,
        "paths": [str(world.home / place.path) for place in SECRETS],
        "tools": sorted(TOOLS),
    }
    done = world.confine(
        "--",
        "python3",
        "-c",
        READER,
        json.dumps(told),
        variables=secret_places.variables(world.home),
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["readable"] == []
    assert found["tools"] == {tool: tool for tool in TOOLS}


GIT = """
git config user.name && git config http.sslVerify && git status --short -uno
! git config --get-regexp extraheader
"""


def test_tools_read_copies_of_settings_without_their_secrets(world: World) -> None:
    included = world.home / "more.conf"
    (world.home / ".gitconfig").write_text(
        f"[user]\n\tname = Ada\n[include]\n\tpath = {included.name}\n[core]\n\tpager = cat\n"
    )
    included.write_text(f"[http]\n\tsslVerify = true\n\textraHeader = Authorization: {MARK}\n")
    settings = world.home / ".cargo/config.toml"
    settings.write_text(f'[net]\nretry = 7\n[registries.inner]\ntoken = "{MARK}"\n')
    cargo = "cat $CARGO_HOME/config.toml && ! grep -rs SECRET ~/.cargo ~/.gitconfig ~/more.conf $CARGO_HOME"
    done = world.confine("--", "sh", "-ec", f"{GIT}\n{cargo}")
    assert (done.returncode, done.stdout.splitlines()[:4]) == (0, ["Ada", "true", "[net]", "retry = 7"]), done


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_cargo_builds_below_settings_that_are_closed(world: World) -> None:
    run = world.home / "run"
    (run / "src").mkdir(parents=True)
    (run / "Cargo.toml").write_text('[package]\nname = "one"\nversion = "0.1.0"\nedition = "2021"\n')
    (run / "src/lib.rs").write_text("")
    done = replace(world, run=run).confine(
        "--", "cargo", "check", "--offline", variables={"RUSTUP_HOME": str(rust_toolchains())}
    )
    assert done.returncode == 0, done.stderr


def test_programs_beside_work_or_data_open_neither(world: World) -> None:
    beside = world.home.parent
    for name in ("srv/work/.git/config", "srv/work/lib/code", "srv/data/books/one", "srv/tool/lib/code"):
        (beside / name).parent.mkdir(parents=True)
        (beside / name).write_text(MARK)
    for name in ("work", "data", "tool"):
        program = beside / "srv" / name / "bin" / f"of-{name}"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    path = os.pathsep.join([*(str(folder) for folder in beside.glob("srv/*/bin")), os.environ["PATH"]])
    script = f"cd {beside}/srv; of-work && of-data && of-tool; grep -rls {MARK} . || true"
    done = world.confine("--", "sh", "-ec", script, variables={"PATH": path})
    assert done.stdout.split() == ["./tool/lib/code"], done
