"""`chant-mcp confine`: what a machine can do, and commands tried as runs are held."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from confine.world import World, configured, made

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")

SIGNALS = "signals to processes outside"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world whose user opens nothing."""
    return made(tmp_path)


@pytest.mark.requirement("confine:command:check", "confine:run:told")
@pytest.mark.parametrize(
    ("abi", "line", "signals", "code"),
    [
        (6, "confined: writes only its folder (Landlock ABI 6)", True, 0),
        (5, "confined (weak: signals): writes only its folder (Landlock ABI 5)", False, 0),
        (2, "not confined: this kernel's Landlock has version 2", False, 1),
    ],
)
def test_what_a_machine_can_do_is_shown(world: World, abi: int, line: str, signals: bool, code: int) -> None:
    done = world.confine("--check", "--json", CHANT_CONFINE_ABI=str(abi))
    found = json.loads(done.stdout)
    assert done.returncode == code
    assert found["confinement"].startswith(line)
    assert {one["what"]: one["holds"] for one in found["held"]}[SIGNALS] == signals


@pytest.mark.requirement("confine:command:check")
def test_it_is_shown_in_words_too(world: World) -> None:
    shown = world.confine("--check").stdout
    assert f"{SIGNALS}: kept from runs" in shown
    assert "chmod" in shown


@pytest.mark.requirement("confine:command:try", "confine:config:project_only_closes")
def test_a_command_is_tried_with_its_exit_code(world: World) -> None:
    (world.run / ".chant/specs").mkdir(parents=True)
    (world.run / ".chant/config.md").write_text(
        f"---\nconfine: {{mode: off, read: [{world.home}], write: [{world.home}], pty: true}}\n---\n"
    )
    script = f"echo a > a.txt; cat {world.home}/.bashrc; echo b > {world.home}/b.txt; exit 7"
    done = world.confine("--", "sh", "-c", script)
    assert done.returncode == 7
    assert done.stderr.startswith("confined: ")
    assert done.stderr.count("ermission denied") == 2
    assert (world.run / "a.txt").exists()
    assert not (world.home / "b.txt").exists()


@pytest.mark.requirement("confine:command:try", "confine:run:fails_closed")
def test_a_command_that_cannot_be_started_or_held_is_not(world: World) -> None:
    assert world.confine("--", "no-such-program-of-chant").returncode == 127
    assert world.confine().returncode == 2
    configured("confine: {mode: required}\n")
    done = world.confine("--", "touch", "started", CHANT_CONFINE_ABI="0")
    assert done.returncode == 1
    assert "cannot be confined" in done.stderr
    assert not (world.run / "started").exists()
