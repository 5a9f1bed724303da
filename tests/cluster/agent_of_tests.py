"""An agent of the worker machine's own configuration, by scenes: it works, waits, tells and reaches out.

It is a script for a process of its own; `configured` gives the configuration.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SCENES = ("commit", "wait", "tell", "fail", "reach", "long")


def configured() -> str:
    """Give YAML that makes each scene an agent of its own, by its name."""
    words = f"{sys.executable}, {Path(__file__).resolve()}"
    return "agents:\n" + "".join(f"  {scene}: {{command: [{words}, {scene}]}}\n" for scene in SCENES)


def _commit() -> None:
    Path("work.txt").write_text("done\n", encoding="utf-8")
    subprocess.run(["git", "add", "work.txt"], check=True)
    subprocess.run(["git", "commit", "-qm", "Work"], check=True)


def _reach() -> None:
    """Try to write wherever else a job lies, and tell what came of it."""
    project = Path(os.environ["CHANT_PROJECT"])
    job = project.parent
    worker = job.parent.parent
    mirror = next((worker / "mirrors").glob("*.git"))
    places = {
        "mirror": mirror / "objects" / "mine",
        "mirror's refs": mirror / "refs" / "mine",
        "checkout": project / "mine",
        "checkout's git": project / ".git" / "config",
        "job": job / "result.json",
        "other job": worker / "jobs" / "other" / "mine",
        "worker": worker / "mine",
    }
    for name, place in places.items():
        _tell_of(name, lambda place=place: place.open("a", encoding="utf-8").close())
    _tell_of("another's secret", (worker / "jobs" / "other" / "secret").read_text)


def _tell_of(name: str, act: Callable[[], object]) -> None:
    try:
        act()
        _say(f"REACHED {name}")
    except OSError as error:
        _say(f"held: {name}: {error.strerror}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(scene: str) -> int:
    """Play a scene, and give the exit code."""
    if scene == "fail":
        return 3
    if scene == "tell":
        told = {name: os.environ.get(name) for name in ("TELL_PLAIN", "TEAM_API_KEY", "MACHINES_KEY")}
        _say(json.dumps({name: value and len(value) for name, value in told.items()}))
        _say(f"key: {os.environ.get('TEAM_API_KEY')}")
    if scene == "reach":
        _reach()
    if scene == "long":
        for number in range(90_000):
            sys.stdout.write(f"{number} {'x' * 200}\n")
    _commit()
    _say("committed")
    while scene == "wait":
        time.sleep(3600)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
