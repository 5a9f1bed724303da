"""`python -m bench.torture.control_groups`: agents that fork without end, or take all memory.

Few machines that build software pass limits of processes and memory on to control groups. So each case starts
a kernel of its own as a program (`user-mode-linux`), which sees the files of this machine. A person at work
there starts a program again and again while the agent does its worst. Needs root and some minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import psutil

from bench.torture import other_kernel
from bench.torture.sample_project import SPEC
from bench.torture.trial import Trial

_ID = "2026-01-22-001-x7m"
_GROUPS = Path("/sys/fs/cgroup")
_LIMIT = 300
_MEGABYTES = 300
_MOST_SECONDS = 240
_MOST_WAIT = 5.0
"""The most seconds that a program of the person's may take to start, on one slow processor."""

_DEEDS = {
    "bomb": "bomb() { bomb | bomb & }; bomb; sleep 600",
    "sessions": 'while :; do setsid bash "$0" & done',
    "memory": "python3 -c 'kept = []\nwhile True: kept.append(b\"x\" * 10**7)'; exit 7",
}
_TOLD = {
    "bomb": "`limits.processes`",
    "sessions": "`limits.processes`",
    "memory": "`limits.memory_megabytes`",
}


@dataclass(frozen=True)
class GroupCase:
    """What an agent does, and what the kernel passes on to groups where it does it."""

    deed: str
    controllers: tuple[str, ...]
    is_delegated: bool = False
    """Whether groups belong to a user without rights, as in a desktop session; else root starts the run."""
    is_confined: bool = True

    @property
    def name(self) -> str:
        """The case, for people."""
        who = "user" if self.is_delegated else "root"
        held = "" if self.is_confined else ", not confined"
        return f"{self.deed}, {who}, {' '.join(self.controllers) or 'no groups'}{held}"


CASES = (
    GroupCase("bomb", ("cpu", "memory", "pids")),
    GroupCase("bomb", ("memory", "pids")),
    GroupCase("bomb", ("cpu", "memory", "pids"), is_delegated=True),
    GroupCase("bomb", ()),
    GroupCase("bomb", (), is_confined=False),
    GroupCase("sessions", (), is_confined=False),
    GroupCase("memory", ("memory", "pids")),
)


@dataclass
class GroupReport:
    """What was seen during a run."""

    status: str = ""
    reason: str = ""
    slowest: float = 0.0
    """Seconds that the slowest start of a program took."""
    processes: int = 0
    """The most processes at once."""
    left: int = 0
    """Groups of runs after its end."""


def why_not() -> str | None:
    """Say why such a kernel cannot be started here; `None` where it can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "only root on Linux may give another kernel all files"
    return None if other_kernel.is_possible() else "there is no user-mode-linux, or no C compiler"


_START = """#!/bin/sh
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
mount -t proc proc /proc; mount -t sysfs sysfs /sys
mkdir -p /dev/shm /dev/pts; mount -t tmpfs tmpfs /dev/shm; mount -t devpts devpts /dev/pts
mount -t cgroup2 cgroup2 /sys/fs/cgroup; mount -t tmpfs tmpfs /run; ip link set lo up
cd {code}; PYTHONPATH={paths} {python} -m bench.torture.control_groups --inside {number} > {out} 2> {out}.err
echo o > /proc/sysrq-trigger; sleep 9
"""


def _tried(case: GroupCase, folder: Path) -> GroupReport:
    """Start a kernel for a case and read what was seen in it."""
    out, start = folder / "report.json", folder / "start.sh"
    code = Path(__file__).parents[2]
    words = {"code": code, "paths": os.pathsep.join(path for path in sys.path if path), "out": out}
    start.write_text(_START.format(python=sys.executable, number=CASES.index(case), **words), "utf-8")
    start.chmod(0o755)
    with suppress(subprocess.TimeoutExpired):
        other_kernel.booted(folder, start, "3G", _MOST_SECONDS)
    text = out.read_text("utf-8")
    return GroupReport(**json.loads(text)) if text else GroupReport("nothing", Path(f"{out}.err").read_text())


def _inside(case: GroupCase) -> GroupReport:
    """Work in the kernel of a case."""
    own, above = _groups(case)
    home = Path(tempfile.mkdtemp(dir="/run"))
    root = home / "ferry"
    (root / ".chant" / "specs").mkdir(parents=True)
    (home / ".config" / "chant").mkdir(parents=True)
    mode = "auto" if case.is_confined else "off"
    (home / ".config" / "chant" / "config.md").write_text(
        f"---\ntrust: {{roots: ['{root}']}}\nconfine: {{mode: {mode}}}\n---\n"
    )
    agent = home / "agent.sh"
    agent.write_text(f"{_DEEDS[case.deed]}\n")
    (root / ".chant" / "config.md").write_text(
        f"---\nagents: {{own: {{command: [bash, '{agent}']}}}}\n"
        f"defaults: {{provider: own, main_branch: main}}\n"
        f"limits: {{processes: {_LIMIT}, memory_megabytes: {_MEGABYTES}}}\n---\n"
    )
    (root / ".chant" / "specs" / f"{_ID}.md").write_text(SPEC)
    names = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONPATH": os.environ["PYTHONPATH"],
        **names,
    }
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "Begin"]):
        subprocess.run(["git", *words], cwd=root, env=environment, check=True)
    becomes: list[str] = []
    python = sys.executable
    if case.is_delegated:
        subprocess.run(["chown", "-R", "1000:1000", home, above], check=True)
        becomes = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups"]
        # Nobody else runs a program below the superuser's home.
        python = "/usr/bin/python3"
    joins = f'echo $$ > {own}/cgroup.procs; exec "$@"' if case.controllers else 'exec "$@"'
    argv = [*becomes, python, "-P", "-m", "chant_mcp", "work", _ID, "--wait"]
    report = GroupReport()
    with subprocess.Popen(
        ["sh", "-c", joins, "sh", *argv], cwd=root, env=environment, stdout=sys.stderr
    ) as work:
        while work.poll() is None:
            began = time.monotonic()
            subprocess.run(["true"], check=True)
            report.slowest = round(max(report.slowest, time.monotonic() - began), 2)
            report.processes = max(report.processes, len(psutil.pids()))
            time.sleep(0.05)
    record = next(root.glob(".git/chant-mcp/processes/**/*.json"))
    told = json.loads(record.read_text())
    report.status, report.reason = told["end_state"], told["reason"]
    report.left = len(list(_GROUPS.rglob("chant-run-*")))
    return report


def _groups(case: GroupCase) -> tuple[Path, Path]:
    """Make groups as a session has them; gives that of the person's programs and the one above."""
    if not case.controllers:
        subprocess.run(["umount", _GROUPS], check=True)
        return _GROUPS, _GROUPS
    passed = " ".join(f"+{name}" for name in case.controllers)
    above = _GROUPS / "session"
    own = above / "shell"
    (_GROUPS / "cgroup.subtree_control").write_text(passed)
    own.mkdir(parents=True)
    (above / "cgroup.subtree_control").write_text(passed)
    (own / "cgroup.procs").write_text(str(os.getpid()))
    return own, above


def _judged(case: GroupCase) -> Trial:
    """Try a case; wrong is an end without the limit's name, a group that stays, and a long wait."""
    trial = Trial(case.name, tries=1)
    with tempfile.TemporaryDirectory(prefix="chant-groups-", dir="/var/tmp") as folder:
        report = _tried(case, Path(folder))
    trial.notes[f"slowest start {report.slowest:.2f} s, {report.processes} processes"] += 1
    if report.status != "failed" or _TOLD.get(case.deed, "`limits.processes`") not in report.reason:
        trial.wrong.append(f"it ended as {report.status}: {report.reason}")
    if report.left:
        trial.wrong.append(f"{report.left} groups are left")
    if report.slowest > _MOST_WAIT:
        trial.wrong.append(f"a program took {report.slowest} s to start")
    return trial


def _main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--inside", type=int, help=argparse.SUPPRESS)
    asked = reader.parse_args()
    number: int | None = asked.inside
    if number is not None:
        click.echo(json.dumps(asdict(_inside(CASES[number]))))
        return 0
    if why := why_not():
        click.echo(f"Control groups were not tried: {why}.")
        return 0
    is_wrong = False
    for case in CASES:
        trial = _judged(case)
        is_wrong |= bool(trial.wrong)
        click.echo(
            f"| {trial.name} | {', '.join(trial.notes)} | {'; '.join(trial.wrong) or 'as it should be'} |"
        )
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(_main())
