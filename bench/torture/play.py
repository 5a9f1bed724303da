"""The torture itself: agents at work, people who change their minds, processes that die."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.torture.checker import RECORDS, Scene, folders, git, living
from bench.torture.item_plans import KEYS, write_plans
from bench.torture.servers import Servers
from bench.torture.together import Together
from bench.torture.trouble import Trouble

_WAYS = ("work",) * 6 + (
    "slow",
    "fail",
    "nothing",
    "lie",
    "unticked",
    "dirty",
    "grandchildren",
    "hang",
    "conflict",
)
"""How the agents of new specs work."""

_MOMENTS = (
    "after-lock",
    "after-branch",
    "after-worktree",
    "after-status",
    "before-handshake",
    "after-agent-exit",
    "after-evidence",
    "index-locked",
    "mid-files",
    "after-files",
    "index-written",
    "after-index",
    "after-ref",
    "after-merge",
    "before-end-record",
)
"""Where runners stop as by a crash."""

_PATIENCE = 90
"""Seconds that one command may take."""

_SPEC = """---
type: code
status: pending
labels: [demo:{way}, "demo:seconds=0.3"]
target_files:
  - {target}
---

# Make the change number {number}

It has to be there for those who come after.

## Acceptance Criteria

- [ ] The change is there
- [ ] It says who made it
"""


_HOUR = 3600
_LENGTH_OF_A_HASH = 40

_KINDS = {
    " --runner ": "runner",
    "demo-agent": "agent",
    " watch": "watch",
    " mcp": "server",
    "git": "git",
    "chant_mcp": "command",
}
"""What a process is, by what its command holds; the first that fits."""


@dataclass(frozen=True, slots=True)
class Modes:
    """What goes on besides runs and their deaths."""

    servers: bool = True
    disk: bool = True
    """Whether writes fail."""
    clock: bool = True
    """Whether the calendar jumps."""


class Play:
    """A project under torture."""

    def __init__(self, folder: Path, seed: int, modes: Modes) -> None:
        """Make the project in a folder that is not there yet, or empty."""
        self.root = folder / "project"
        self.deeds: Counter[str] = Counter()
        self.kills: Counter[str] = Counter()
        self.failed = 0
        """How many writes failed."""
        self._modes = modes
        self._chance = random.Random(seed)
        self._home = folder / "home"
        self._ids: list[str] = []
        self._mine: dict[str, bytes] = {}
        self._tips: list[str] = []
        self._seen: list[tuple[str, str]] = []
        self._waiting: list[subprocess.Popen[bytes]] = []
        for place in (self._home, self.root / ".chant" / "specs", self.root / "work"):
            place.mkdir(parents=True)
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "CHANT_"))},
            "HOME": str(self._home),
            "XDG_STATE_HOME": str(self._home / "state"),
            "XDG_CONFIG_HOME": str(self._home / "config"),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        (self._home / ".gitconfig").write_text(
            "[user]\n\tname = Somebody\n\temail = somebody@localhost\n", encoding="utf-8"
        )
        settings = self._home / "config" / "chant" / "config.md"
        settings.parent.mkdir(parents=True)
        # The person trusts the project, and opens nothing to its runs.
        settings.write_text(f"---\ntrust: {{roots: ['{self.root}']}}\n---\n", encoding="utf-8")
        (self.root / ".chant" / "config.md").write_text(
            "---\nproject: {name: Torture}\ndefaults: {provider: demo, main_branch: main}\n"
            "watch: {poll_interval_ms: 500}\n---\n",
            encoding="utf-8",
        )
        (self.root / ".chant" / ".gitignore").write_text(
            "logs/\nprocesses/\n.locks/\nwatch.pid\n", encoding="utf-8"
        )
        (self.root / "work" / "shared.txt").write_text("first\nsecond\nthird\n", encoding="utf-8")
        write_plans(self.root)
        for _ in range(8):
            self._add()
        self._noted = self._ids[:2]
        """Specs that no editor without a lock touches."""
        troubled = modes.disk or modes.clock
        self._trouble = Trouble(folder / "trouble", folder) if troubled else None
        ours = {**self._environment, **(self._trouble.environment if self._trouble else {})}
        self._ours = ours
        """The environment of our own program; a person's git knows no trouble."""
        self.servers = Servers(self.root, ours, self._chance)
        trouble = self._trouble.environment if self._trouble else {}
        self.together = Together(self.root, self._environment, trouble, self._chance)
        self._git("init", "-q", "-b", "main")
        self._git("add", "-A")
        self._git("commit", "-q", "-m", "First")

    def deed(self) -> None:
        """Do one thing, chosen by chance."""
        deeds: list[tuple[int, Callable[[], None]]] = [
            (6, self._start),
            (3, self._start_several),
            (3, self._start_and_crash),
            (3, self._kill),
            (2, self._stop_work),
            (2, self._edit),
            (2, self._commit),
            (1, self._edit_spec),
            (1, self._add),
            (1, self._watch),
            (1, self._look),
            (3, self._change_together),
        ]
        if self._modes.servers:
            deeds += [(6, self._ask), (3, self._kill_server)]
        if self._modes.disk:
            deeds += [(3, self._fail_writes)]
        if self._modes.clock:
            deeds += [(2, self._jump)]
        [(_, chosen)] = self._chance.choices(deeds, [weight for weight, _ in deeds])
        self.deeds[chosen.__name__.strip("_").replace("_", " ")] += 1
        chosen()
        self._tips.append(self._git("rev-parse", "main").strip())
        self._look_into_folders()

    def end(self) -> None:
        """Stop what goes on, and look after the rest once; the disk is well then, and the clock is right."""
        self._heal()
        self.servers.close()
        for process in self._waiting:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)
        self._run("watch", "--stop")
        self.together.settle()
        # What one round leaves, because it was just about to begin, the next one ends.
        for _ in range(3):
            for id in self._running():
                self._run("pause", id)
        for _ in range(2):
            self._run("watch", "--once", "--quiet")
            if self._trouble is not None:
                self._trouble.jump(0)

    def ends(self) -> Counter[str]:
        """Count how runs ended."""
        return Counter(str(record["end_state"]) for record in self._records())

    def _running(self) -> list[str]:
        """Name the specs of runs whose runner lives."""
        runners = {pid for pid, command in living(self._home) if " --runner " in command}
        records = [record for record in self._records() if record["pid"] in runners]
        named = {record["item"]["key"] if record.get("item") else record["spec_id"] for record in records}
        return sorted(named)

    def _records(self) -> list[dict[str, Any]]:
        return [json.loads(path.read_text("utf-8")) for path in (self.root / RECORDS).glob("*.json")]

    def scene(self) -> Scene:
        """What a checker has to know."""
        return Scene(
            self.root,
            self._home,
            self._environment,
            dict(self._mine),
            list(self._tips),
            list(self.servers.kept),
            list(self._seen),
            has_one_clock=not self._modes.clock,
        )

    # Work

    def _any_work(self) -> str:
        """A spec, or an item of another format."""
        return self._chance.choice(self._ids if self._chance.random() < 0.5 else KEYS)

    def _start(self) -> None:
        self._begin("work", self._any_work())

    def _start_several(self) -> None:
        how = self._chance.choice((["--chain"], ["--parallel", "3"]))
        self._begin("work", self._any_work(), *how)

    def _start_and_crash(self) -> None:
        self._begin("work", self._any_work(), CHANT_STOP_AT=self._chance.choice(_MOMENTS))

    def _stop_work(self) -> None:
        how = self._chance.choice(("pause", "takeover", "cancel", "reset", "reset"))
        running = self._running()
        self._run(
            how, self._chance.choice(running) if self._chance.random() < 0.5 and running else self._any_work()
        )

    def _watch(self) -> None:
        self._run("watch", self._chance.choice(("--background", "--stop")))

    def _look(self) -> None:
        self._run(*self._chance.choice((["runs", "--all"], ["list"], ["worktree", "list"], ["merge"])))

    def _kill(self) -> None:
        """Kill one process, whatever it is."""
        found = living(self._home)
        if found:
            pid, command = self._chance.choice(found)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                kind = next((kind for part, kind in _KINDS.items() if part in command), "other")
                self.kills[kind] += 1

    def _change_together(self) -> None:
        self.together.change()

    # Servers

    def _ask(self) -> None:
        self.servers.ask(self._ids, self._noted)

    def _kill_server(self) -> None:
        """Kill a server a moment after it was asked something."""
        self._ask()
        time.sleep(self._chance.random() * 0.1)
        self.servers.kill()
        self.kills["server"] += 1

    # Trouble

    def _fail_writes(self) -> None:
        """Have some writes fail, some time from now."""
        self._heal()
        assert self._trouble is not None
        first = self._chance.randrange(1, 300)
        self._trouble.fail(first, first + self._chance.choice((0, 0, 0, 3, 30)))

    def _heal(self) -> None:
        if self._trouble is not None:
            self._trouble.heal()
            self.failed += self._trouble.failed
            self._trouble.fail(1, 0)

    def _jump(self) -> None:
        """Set the calendar hours or days ahead or back."""
        assert self._trouble is not None
        hours = self._chance.choice((1, 5, 24, 24 * 8, 24 * 40))
        self._trouble.jump(self._chance.choice((-1, 0, 1)) * hours * _HOUR)

    def _look_into_folders(self) -> None:
        """Remember the newest commits in the folders of runs, as their files tell them."""
        for id, folder in folders(self._home).items():
            with suppress(OSError):
                commit = (folder / ".git" / "refs" / "heads" / "chant" / id).read_text("ascii").strip()
                # A write that failed while the folder was made leaves a part of the hash.
                if len(commit) == _LENGTH_OF_A_HASH:
                    self._seen.append((id, commit))

    # A person

    def _add(self) -> None:
        number = len(self._ids) + 1
        id = f"2026-02-02-{number:03}-tor"
        way = self._chance.choice(_WAYS)
        target = "work/shared.txt" if way == "conflict" else f"work/{id}.txt"
        text = _SPEC.format(way=way, target=target, number=number)
        (self.root / ".chant" / "specs" / f"{id}.md").write_text(text, encoding="utf-8")
        self._ids.append(id)

    def _edit(self) -> None:
        """Write a file that no one else writes; sometimes it is staged."""
        name = f"mine/{self._chance.randrange(5)}.txt"
        text = f"{self._chance.random()}\n".encode()
        (self.root / "mine").mkdir(exist_ok=True)
        (self.root / name).write_bytes(text)
        self._mine[name] = text
        if self._chance.random() < 0.3:
            self._git("add", "--", name, check=False)

    def _commit(self) -> None:
        """Commit what is staged, and something new."""
        self._edit()
        self._git("add", "--", "mine", check=False)
        self._git("commit", "-q", "-m", "Mine", check=False)

    def _edit_spec(self) -> None:
        """Change the words of a spec, as an editor without a lock does."""
        path = self.root / ".chant" / "specs" / f"{self._chance.choice(self._ids[2:])}.md"
        old = path.read_text("utf-8")
        new = old.replace("It has to be there", f"It has to be there ({self._chance.randrange(100)})", 1)
        beside = path.with_suffix(".edited")
        beside.write_text(new, encoding="utf-8")
        if path.read_text("utf-8") == old:
            beside.replace(path)
        else:
            beside.unlink()

    # Means

    def _begin(self, *words: str, **variables: str) -> None:
        """Start a command; some are waited for, others meet what comes next."""
        # Tasks of graphs have no boxes.
        words += ("--skip-criteria",) if words[1].startswith("vine:") else ()
        process = subprocess.Popen(
            self._command(*words),
            env={**self._ours, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if self._chance.random() < 0.6:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)
        self._waiting = [one for one in [*self._waiting, process] if one.poll() is None]

    def _run(self, *words: str) -> None:
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(
                self._command(*words),
                env=self._ours,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
            )

    def _command(self, *words: str) -> list[str]:
        command, *rest = words
        return [sys.executable, "-m", "chant_mcp", command, "--project", str(self.root), *rest]

    def _git(self, *words: str, check: bool = True) -> str:
        return git(self.root, self._environment, *words, check=check)
