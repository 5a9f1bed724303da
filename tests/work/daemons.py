"""Ways by which processes of an agent try to outlive its run, each in the words of a shell."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

LOOP = 'sh -c "trap : HUP INT; while :; do sleep 0.05; done" "$TOKEN"'
"""A process that goes on, and that is found by a word of its command line."""

DEAF = """sh -c "trap '' HUP INT TERM; while :; do sleep 0.05; done" "$TOKEN" """

NAPS = "while :; do sleep 0.05; done"

PYTHON = """
import os, sys, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.chdir("/")
os.closerange(0, 64)
while True: time.sleep(0.05)
"""

GROUP = """
import os, sys, time
if os.fork(): os._exit(0)
try: os.setpgid(0, int(sys.argv[2]))
except OSError: pass
if len(sys.argv) > 3: os.execve("/bin/sh", ["sh", "-c", "while :; do sleep 0.05; done", sys.argv[1]], {})
while True: time.sleep(0.05)
"""

HOPS = 'setsid -f sh -c "$HOP" "$TOKEN" "$HOP"'

WAYS = {
    "other_mark": f"CHANT_RUN=x setsid -f {LOOP}",
    "mark_of_runners": f"CHANT_RUN=runner setsid -f {LOOP}",
    "mark_like_another": f"CHANT_RUN=other@1.1 setsid -f {LOOP}",
    "no_mark": f"env -u CHANT_RUN setsid -f {LOOP}",
    "empty_mark": f"CHANT_RUN= setsid -f {LOOP}",
    "no_environment": f"env -i setsid -f {LOOP}",
    "own_session": f"setsid -f {LOOP}",
    "two_sessions": f"setsid -f setsid -f {LOOP}",
    "nohup": f"nohup {LOOP} > /dev/null 2>&1 &",
    "double_fork": f"( ( {LOOP} & ) & )",
    "double_fork_other_mark": f"( ( CHANT_RUN=x {LOOP} & ) & )",
    "own_group": f"bash -c 'set -m; {LOOP} &'",
    "own_group_other_mark": f"bash -c 'set -m; CHANT_RUN=x {LOOP} &'",
    "closed_descriptors": f"CHANT_RUN=x setsid -f {LOOP} <&- >&- 2>&-",
    "keeps_pipes": f"CHANT_RUN=x setsid -f {LOOP} &",
    "other_name": f'bash -c \'export CHANT_RUN=x; exec -a kworker/0:1 sh -c "{NAPS}" "$0"\' "$TOKEN" &',
    "deaf": f"CHANT_RUN=x setsid -f {DEAF}",
    "deaf_without_environment": f"env -i setsid -f {DEAF}",
    "stops_itself": 'CHANT_RUN=x setsid -f sh -c "kill -STOP \\$\\$; while :; do sleep 0.05; done" "$TOKEN"',
    "python_daemon": f"CHANT_RUN=x python3 -c '{PYTHON}' \"$TOKEN\"",
    "python_daemon_without_environment": f"env -i $(command -v python3) -c '{PYTHON}' \"$TOKEN\"",
    "group_of_runner": f'CHANT_RUN=x python3 -c \'{GROUP}\' "$TOKEN" "$PPID"',
    "group_of_runner_without_environment": f'python3 -c \'{GROUP}\' "$TOKEN" "$PPID" bare',
    "low_priority": f"CHANT_RUN=x nice -n 19 setsid -f {LOOP}",
    "by_timeout": f"CHANT_RUN=x timeout 600 {LOOP} &",
    "by_xargs": f"echo one | CHANT_RUN=x xargs -I@ setsid -f {LOOP}",
    "by_find": f"CHANT_RUN=x find . -maxdepth 0 -exec setsid -f {LOOP} \\;",
    "by_git": "CHANT_RUN=x git -c 'alias.x=!f() { setsid -f sh -c \"" + NAPS + '" "$1"; }; f\' x "$TOKEN"',
    "hops": 'HOP=\'sleep 0.02; CHANT_RUN=x setsid -f sh -c "$1" "$0" "$1"\'; ' + HOPS,
    "hops_without_environment": 'HOP=\'sleep 0.02; env -i setsid -f sh -c "$1" "$0" "$1"\'; ' + HOPS,
    "family": 'CHANT_RUN=x setsid -f sh -c "while :; do sleep 0.3 & sleep 0.1; done" "$TOKEN"',
}
"""Each way by its name; `$TOKEN` is a word of its own in the command line of what it starts."""

USUAL = (
    "other_mark", "mark_of_runners", "no_environment", "double_fork_other_mark", "own_group_other_mark",
    "closed_descriptors", "other_name", "deaf", "stops_itself", "group_of_runner_without_environment", "hops",
)  # fmt: skip
"""Those that are tried each time; trials try all."""


def script(ways: tuple[str, ...], token: str) -> str:
    """Write what an agent runs to start processes in several ways."""
    lines = [f"TOKEN={token}-{way}; export TOKEN\n{WAYS[way]}" for way in ways]
    return "\n".join(lines) + "\nsleep 0.2\n"


def alive(token: str) -> list[str]:
    """Name the ways whose processes live: a process that goes on as another one is not seen by each look."""
    return sorted({way for _ in range(5) for way in _seen(token)})


def _seen(token: str) -> set[str]:
    found: set[str] = set()
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            state = (folder / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
            if state not in "ZX":
                found |= {word.removeprefix(f"{token}-") for word in words if word.startswith(f"{token}-")}
    return found


def alive_after(token: str, seconds: float) -> list[str]:
    """Name the ways whose processes live so long after now; at once when none does."""
    until = time.monotonic() + seconds
    while (found := alive(token)) and time.monotonic() < until:
        time.sleep(0.02)
    return found


def end(token: str) -> None:
    """Kill what lives all the same, so that a failure leaves nothing."""
    for _ in range(50):
        if not alive(token):
            return
        for folder in Path("/proc").iterdir():
            with suppress(OSError):
                if f"\0{token}-".encode() in (folder / "cmdline").read_bytes():
                    os.kill(int(folder.name), 9)
