"""What hostile runs try, and what the kernel does about it at each version of Landlock."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from confine.attempts import ATTEMPTS, NEVER
from confine.world import configured, made

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")


def expected(abi: int) -> dict[str, str]:
    """Say how each attempt goes where Landlock has a version."""
    return {name: "refused" if one.since <= abi else "possible" for name, one in ATTEMPTS.items()}


@pytest.mark.requirement("confine:run:expected_by_version")
def test_enough_is_tried() -> None:
    assert len(ATTEMPTS) >= 64
    assert sum(one.since < NEVER for one in ATTEMPTS.values()) >= 64


@pytest.mark.requirement(
    "confine:run:writes_only_its_folder",
    "confine:run:reads_no_secrets",
    "confine:run:reaches_no_process_outside",
    "confine:run:system_calls",
    "confine:run:terminals",
    "confine:run:expected_by_version",
)
@pytest.mark.parametrize("abi", [7, 5, 3])
def test_what_runs_try_changes_nothing_outside(tmp_path: Path, abi: int) -> None:
    world = made(tmp_path)
    before = world.outside()
    found = world.try_all(CHANT_CONFINE_ABI=str(abi))
    wanted = expected(abi)
    assert {name: how for name, how in found.items() if how != wanted[name]} == {}
    assert world.outside() == before


@pytest.mark.requirement("confine:config:unix_sockets")
@pytest.mark.parametrize(("abi", "abstract"), [(7, "refused"), (5, "possible")])
def test_sockets_with_names_are_opened_by_the_user(tmp_path: Path, abi: int, abstract: str) -> None:
    world = made(tmp_path)
    configured("confine: {unix_sockets: true}\n")
    names = ["connect_to_named_socket", "connect_to_abstract_socket", "make_socket_of_ciphers"]
    found = world.try_all(names, CHANT_CONFINE_ABI=str(abi))
    assert found == dict(zip(names, ["possible", abstract, "refused"], strict=True))


@pytest.mark.requirement("confine:config:network", "confine:config:pty")
def test_the_network_is_closed_and_terminals_are_opened_by_the_user(tmp_path: Path) -> None:
    world = made(tmp_path)
    configured("confine: {network: none, pty: true}\n")
    names = ["serve_here", "make_pair_of_sockets", "make_terminal"]
    assert world.try_all(names) == dict(zip(names, ["refused", "possible", "possible"], strict=True))


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
@pytest.mark.requirement("confine:config:backend")
def test_bubblewrap_holds_rights_of_files_too(tmp_path: Path) -> None:
    world = made(tmp_path)
    configured("confine: {backend: bubblewrap}\n")
    before = world.outside()
    found = world.try_all()
    # In its own view of the system much can be made that nothing outside sees.
    kept = {
        name for name in found if name.startswith(("read_", "kill", "stop", "limit_", "slow_", "change_"))
    }
    assert {name for name in kept if found[name] == "possible"} == set()
    assert world.outside() == before
