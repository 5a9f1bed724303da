"""`chant-mcp confine`: what a machine can do, and commands tried as runs are held."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import read_data
from confine.world import World, configured, made

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")

SIGNALS = "signals to processes outside"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world whose user opens nothing."""
    return made(tmp_path)


@pytest.mark.parametrize(
    ("abi", "line", "signals", "code"),
    [
        (6, "confined: writes only its folder (Landlock ABI 6, no namespaces)", True, 0),
        (5, "confined (weak: signals): writes only its folder (Landlock ABI 5, no namespaces)", False, 0),
        (2, "not confined: this kernel's Landlock has version 2", False, 1),
    ],
)
def test_what_a_machine_can_do_is_shown(world: World, abi: int, line: str, signals: bool, code: int) -> None:
    assumed = {"CHANT_CONFINE_ABI": str(abi), "CHANT_CONFINE_NO_NAMESPACES": "1"}
    done = world.confine("--check", "--json", variables=assumed)
    found = read_data(done.stdout)
    assert done.returncode == code
    assert found["confinement"].startswith(line)
    assert {one["what"]: one["holds"] for one in found["held"]}[SIGNALS] == signals


def test_it_is_shown_in_words_too(world: World) -> None:
    shown = world.confine("--check").stdout
    assert f"{SIGNALS}: kept from runs" in shown
    assert "chmod" in shown


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


def test_a_project_closes_what_its_user_opens(world: World) -> None:
    (world.run / ".chant/specs").mkdir(parents=True)
    shared = world.home / "shared"
    shared.mkdir()
    for name in ("open", "closed"):
        (shared / name).write_text(f"{name}\n")
    configured(f"confine: {{read: [{shared}]}}\n")
    script = f"cat {shared}/*; exec 3<>/dev/tcp/127.0.0.1/1"
    for denied, read, why in (("", "closed\nopen\n", "refused"), (f"{shared}/closed", "open\n", "permitted")):
        network = "none" if denied else "open"
        (world.run / ".chant/config.md").write_text(
            f"---\nconfine: {{deny: ['{denied or world.project}'], network: {network}}}\n---\n"
        )
        done = world.confine("--", "bash", "-c", script)
        assert (done.stdout, why in done.stderr) == (read, True), done


def test_a_command_that_cannot_be_started_or_held_is_not(world: World) -> None:
    assert world.confine("--", "no-such-program-of-chant").returncode == 127
    assert world.confine().returncode == 2
    configured("confine: {mode: required}\n")
    done = world.confine("--", "touch", "started", variables={"CHANT_CONFINE_ABI": "0"})
    assert done.returncode == 1
    assert "cannot be confined" in done.stderr
    assert not (world.run / "started").exists()


@pytest.fixture
def sandboxed(world: World) -> World:
    """A world on a machine that gives runs namespaces."""
    if "no namespaces" in world.confine("--", "true").stderr:
        pytest.skip("this machine gives no namespaces")
    return world


def started(world: World, script: str) -> subprocess.Popen[str]:
    """Start a confined shell in a session of its own, and wait for its first line."""
    command = [sys.executable, "-m", "chant_mcp", "confine", "--", "sh", "-c", script]
    process = subprocess.Popen(
        command, cwd=world.run, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_the_end_of_a_command_is_that_of_the_program(sandboxed: World) -> None:
    assert sandboxed.confine("--", "sh", "-c", "kill -9 $$").returncode == -signal.SIGKILL
    # What it leaves would keep the output open.
    left = "setsid -f sleep 600; sleep 600 & exit 3"
    assert sandboxed.confine("--", "sh", "-c", left).returncode == 3


@pytest.mark.parametrize("target", [os.kill, os.killpg])
def test_a_signal_reaches_a_command_once(sandboxed: World, target: Callable[[int, int], None]) -> None:
    script = "trap 'echo asked' TERM; trap 'exit 5' USR1; echo ready; while :; do sleep 600 & wait; done"
    process = started(sandboxed, script)
    target(process.pid, signal.SIGTERM)
    assert process.stdout is not None
    assert process.stdout.readline() == "asked\n"
    os.kill(process.pid, signal.SIGUSR1)
    assert process.communicate() == ("", None)
    assert process.returncode == 5


def test_what_is_killed_ends_whole(sandboxed: World) -> None:
    process = started(sandboxed, "setsid -f sleep 600; echo ready; sleep 600")
    process.kill()
    # The output ends with the last process that has it.
    assert process.communicate() == ("", None)
    assert process.returncode == -signal.SIGKILL


def test_memory_that_is_shared_is_a_commands_own_and_bounded(sandboxed: World) -> None:
    mine = Path(tempfile.mkdtemp(dir="/dev/shm", prefix="chant-test-"))
    script = f"test -e {mine} || df -Pk /dev/shm | tail -n 1; cat /proc/sys/user/max_user_namespaces"
    done = sandboxed.confine("--", "sh", "-c", script)
    mine.rmdir()
    size, namespaces = done.stdout.splitlines()
    assert size.split()[1] == str(1 << 20), done.stdout
    # The superuser's limit is that of the system: the call is refused anyway.
    assert os.geteuid() == 0 or namespaces == "0"


FORKS = """
import os, signal
count = 0
try:
    while count < 2000:
        os.fork() or signal.pause()
        count += 1
except OSError:
    pass
print(count)
os.kill(0, signal.SIGKILL)
"""


def test_a_command_has_no_more_processes_than_a_run(sandboxed: World) -> None:
    (sandboxed.run / ".chant/specs").mkdir(parents=True)
    (sandboxed.run / ".chant/config.md").write_text("---\nlimits: {processes: 64}\n---\n")
    done = sandboxed.confine("--", sys.executable, "-uc", FORKS)
    assert 64 < int(done.stdout) < 1000, done.stderr


def test_a_command_without_namespaces_is_bounded_as_far_as_its_user_is(world: World) -> None:
    without = {"CHANT_CONFINE_NO_NAMESPACES": "1", "CHANT_CGROUPS": "off"}
    done = world.confine("--", "sh", "-c", "nice; grep processes /proc/self/limits", variables=without)
    nice, limit = done.stdout.split("\n", 1)
    assert int(nice) >= 10 if os.geteuid() == 0 else "unlimited" not in limit, done.stdout


def test_signals_that_python_ignores_are_not_ignored_in_a_command(world: World) -> None:
    done = world.confine("--", "grep", "SigIgn", "/proc/self/status")
    ignored = int(done.stdout.split()[1], base=16)
    assert not ignored & (1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1)), done.stdout
