"""What hostile runs try, and what the kernel does about it at each version of Landlock."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import pytest
from confine.attempts import ATTEMPTS, NEVER
from confine.world import World, configured, made

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")


WITHOUT = {"CHANT_CONFINE_NO_NAMESPACES": "1"}
"""What keeps runs out of namespaces."""

NO_CONNECTION = "connect_to_abstract_socket"
"""What namespaces of processes and mounts do not refuse."""


def expected(abi: int, namespaces: bool) -> dict[str, set[str]]:
    """Say how each attempt goes where Landlock has a version, with namespaces or without."""

    def one(name: str, since: int) -> set[str]:
        if namespaces and since < NEVER and name != NO_CONNECTION:
            return {"refused", "unseen"}
        return {"refused" if since <= abi else "possible"}

    return {name: one(name, attempt.since) for name, attempt in ATTEMPTS.items()}


def has_namespaces(world: World) -> bool:
    """Say whether this machine gives runs namespaces."""
    return "no namespaces" not in world.confine("--", "true").stderr


def test_enough_is_tried() -> None:
    assert len(ATTEMPTS) >= 64
    assert sum(one.since < NEVER for one in ATTEMPTS.values()) >= 64


@pytest.mark.parametrize(("abi", "namespaces"), [(7, True), (5, True), (7, False), (5, False), (3, False)])
def test_what_runs_try_changes_nothing_outside(tmp_path: Path, abi: int, namespaces: bool) -> None:
    world = made(tmp_path)
    if namespaces and not has_namespaces(world):
        pytest.skip("this machine gives no namespaces")
    before = world.outside()
    without = {} if namespaces else WITHOUT
    found = world.try_all(variables={"CHANT_CONFINE_ABI": str(abi), **without})
    wanted = expected(abi, namespaces)
    assert {name: how for name, how in found.items() if how not in wanted[name]} == {}
    assert world.outside() == before


NOBODY = 65534
"""The user without rights on all systems."""

APT = "import subprocess, sys, click, chant_mcp._core; subprocess.run([sys.executable, '-c', ''], check=True)"
"""A program that tells whether the user may run ours."""


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests are run by a user without rights already")
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="there is no setpriv")
def test_a_user_without_rights_is_held_as_well() -> None:
    becomes = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}
    runs = partial(subprocess.run, env=environment, cwd="/", capture_output=True, text=True, check=False)
    # Below the superuser's home nobody else runs a program.
    interpreters = [sys.executable, "/usr/bin/python3"]
    found = [one for one in interpreters if runs([*becomes, one, "-c", APT]).returncode == 0]
    if not found:
        pytest.skip("such a user may not run what the tests consist of")
    with tempfile.TemporaryDirectory(prefix="chant-test-", dir="/tmp") as folder:
        os.chown(folder, NOBODY, NOBODY)
        done = runs([*becomes, found[0], "-m", "confine.unprivileged", folder])
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    wanted = expected(7, "no namespaces" not in told["confinement"])
    assert {name: how for name, how in told["attempts"].items() if how not in wanted[name]} == {}
    assert told["unchanged"]


@pytest.mark.parametrize(("abi", "abstract"), [(7, "refused"), (5, "possible")])
def test_sockets_with_names_are_opened_by_the_user(tmp_path: Path, abi: int, abstract: str) -> None:
    world = made(tmp_path)
    configured("confine: {unix_sockets: true}\n")
    names = ["connect_to_named_socket", "connect_to_abstract_socket", "make_socket_of_ciphers"]
    found = world.try_all(names, {"CHANT_CONFINE_ABI": str(abi)})
    assert found == dict(zip(names, ["possible", abstract, "refused"], strict=True))


def test_the_network_is_closed_and_terminals_are_opened_by_the_user(tmp_path: Path) -> None:
    world = made(tmp_path)
    configured("confine: {network: none, pty: true}\n")
    names = ["serve_here", "make_pair_of_sockets", "make_terminal"]
    assert world.try_all(names) == dict(zip(names, ["refused", "possible", "possible"], strict=True))


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_bubblewrap_holds_rights_of_files_too(tmp_path: Path) -> None:
    world = made(tmp_path)
    configured("confine: {backend: bubblewrap}\n")
    # The first call notes in our own state whether there are namespaces.
    world.confine("--", "true")
    before = world.outside()
    found = world.try_all()
    # In its own view of the system much can be made that nothing outside sees.
    kept = {
        name for name in found if name.startswith(("read_", "kill", "stop", "limit_", "slow_", "change_"))
    }
    assert {name for name in kept if found[name] == "possible"} == set()
    assert world.outside() == before
