"""A program that is ours, but for its placer: that one has no engine, and does the jobs itself.

`plan.json` in the folder of the certificates says what happens: `mirror`, a repository with the base of
jobs; `workers`, as a status has them; `state`, that of the connection; `leaves`, that a placer ends when it
is asked to stay; `jobs`, how the job of a spec goes; and `results`, what its result has besides: one with
`pushed` waits for a sign. A file `go-SPEC` beside it lets a job go on that waits. What was asked stands in
`asked.jsonl` in the placer's folder.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

Frame = dict[str, Any]

WORKERS = [
    {"name": "build-7", "state": "alive", "agents": {"demo": {"slots": 2, "busy": 0}}},
    {"name": "build-8", "state": "alive", "agents": {"demo": {"slots": 2, "busy": 0}}},
]

STAMP = "2026-01-22T10:00:00.000Z"
"""The stamp of all lines of a worker's log."""


class Connection:
    """The connection of one job client."""

    def __init__(self, placer: StandInPlacer, connected: socket.socket) -> None:
        """Take what has connected."""
        self.placer = placer
        self._socket = connected
        self._read = connected.makefile("rb")
        self._sending = threading.Lock()
        self.stopped = threading.Event()
        self.log = b""
        self.key = ""

    def serve(self) -> None:
        """Do the jobs that come."""
        hello, _ = self.hear() or ({}, b"")
        if hello.get("secret") != self.placer.settings["secret"]:
            self._socket.close()
            return
        while heard := self.hear():
            frame, data = heard
            self.placer.note({name: value for name, value in frame.items() if name != "secret"}, len(data))
            if frame["do"] == "place" and self.key:
                self.send({"is": "refused", "why": "a connection is for one job", "cause": "job"})
            elif frame["do"] == "place":
                self.key = frame["job"]["key"]
                self.send({"is": "accepted"})
                told = (frame["job"], data, frame["avoid"])
                threading.Thread(target=self.work, args=told, daemon=True).start()
            elif frame["do"] == "stay" and self.placer.plan().get("leaves"):
                os._exit(0)
            elif frame["do"] == "stay":
                self.send({"is": "staying"})
            elif frame["do"] == "stop":
                self.stopped.set()
            elif frame["do"] == "read":
                page = self.log[frame["offset"] :][: 256 * 1024]
                self.send({"is": "page", "offset": frame["offset"]}, page)
        self.stopped.set()

    def hear(self) -> tuple[Frame, bytes] | None:
        """Read a frame."""
        line = self._read.readline()
        if not line:
            return None
        frame = json.loads(line)
        return frame, self._read.read(frame.get("bytes", 0))

    def send(self, frame: Frame, data: bytes = b"") -> None:
        """Send a frame; a client that is gone gets nothing."""
        with self._sending, suppress(OSError):
            self._socket.sendall(json.dumps({**frame, "bytes": len(data)}).encode() + b"\n" + data)

    def say(self, text: str) -> None:
        """Write a line into the log of the job."""
        self.log += f"{STAMP} out {text}\n".encode()

    # How a job goes

    def work(self, job: Frame, bundle: bytes, avoid: str | None) -> None:
        """Do a job as the plan has it."""
        way = self.placer.plan().get("jobs", {}).get(job["spec"], "work")
        worker = "build-8" if avoid == "build-7" else "build-7"
        if way == "refuse":
            self.send({"is": "refused", "why": "nobody may do this", "cause": "untrusted"})
            return
        self.placer.job(job, worker, "placed")
        self.send({"is": "placed", "worker": worker, "host": "machine"})
        if way == "lose" or (way == "lose_once" and avoid is None):
            self.placer.job(job, worker, "lost")
            self.send({"is": "lost", "why": "the worker is silent"})
            return
        self.placer.job(job, worker, "working")
        self.send({"is": "started", "confinement": "confined there"})
        self.say(f"Working on {job['spec']}")
        repository = WorkerRepository(self.placer.folder / job["key"], self.placer.plan()["mirror"])
        if not repository.begin(job, bundle):
            self.send({"is": "refused", "why": "no base", "cause": "base_missing"})
            return
        if way == "wait":
            self.wait(job["spec"])
        tip = repository.commit(job)
        self.say("Committed")
        result: Frame = {
            "schema": 1,
            "key": job["key"],
            "state": "paused" if self.stopped.is_set() else "done",
            "reason": None,
            "exit_code": None if self.stopped.is_set() else 0,
            "cause": None,
            "usage": {
                "turns": 2,
                "input_tokens": 11,
                "cached_tokens": 1,
                "output_tokens": 5,
                "cost_usd": 0.25,
            },
            "denials": [],
            "agent": {"name": job["agent"], "model": None, "reported_model": "large", "session": "s-1"},
            "confinement": "confined there",
            "tip": tip,
        }
        if way == "fail":
            denied = [{"tool": "Bash", "message": "refused"}]
            result |= {
                "state": "failed",
                "exit_code": 3,
                "cause": "rate_limit",
                "reason": "429",
                "denials": denied,
            }
        if way == "other_key":
            result["key"] = "another.1.aa"
        result |= self.placer.plan().get("results", {}).get(job["spec"], {})
        data = b""
        if "pushed" in result:
            # Who placed the job pushes for it: this process may not.
            result["pushed"] = result["pushed"] or tip
            self.wait(job["spec"])
        elif "kept" not in result:
            data = repository.bundle(job["start"], job["branch"])
        self.placer.job(job, worker, "ended")
        self.send(
            {"is": "ended", "result": result, "log": len(self.log), "bundle": len(data)}, self.log + data
        )

    def wait(self, spec: str) -> None:
        """Wait until the job may go on, or is to stop."""
        sign = self.placer.certificates / f"go-{spec}"
        while not (sign.exists() or self.stopped.is_set()):
            time.sleep(0.01)


class WorkerRepository:
    """The repository of a job on its worker."""

    def __init__(self, folder: Path, mirror: str) -> None:
        """Take where it lies, and what it may borrow from."""
        self.folder = folder
        self._mirror = mirror

    def git(self, *words: str) -> str:
        """Run git there."""
        author = ("-c", "user.name=Worker", "-c", "user.email=worker@example.org")
        argv = ("git", *author, *words)
        return subprocess.run(
            argv, cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout.strip()

    def begin(self, job: Frame, bundle: bytes) -> bool:
        """Check out where the job starts; give false if the base of the bundle is missing."""
        self.folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "nothing")
        (self.folder / ".git/objects/info/alternates").write_text(
            f"{self._mirror}/objects\n", encoding="utf-8"
        )
        (self.folder / ".git/start").write_bytes(bundle)
        try:
            self.git("fetch", "-q", ".git/start", "+refs/heads/*:refs/start/*")
        except subprocess.CalledProcessError:
            return False
        self.git("checkout", "-q", "-b", job["branch"], job["start"])
        return True

    def commit(self, job: Frame) -> str:
        """Tick all criteria, write a file, and commit both; give the commit."""
        spec = self.folder / job["inside"] / f".chant/specs/{job['spec']}.md"
        spec.write_text(re.sub(r"^- \[ \]", "- [x]", spec.read_text("utf-8"), flags=re.M), encoding="utf-8")
        done = self.folder / job["inside"] / f"work/{job['spec']}.txt"
        done.parent.mkdir(exist_ok=True)
        done.write_text(f"by token {job['token']}\n", encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"chant({job['spec']}): done elsewhere")
        return self.git("rev-parse", "HEAD")

    def bundle(self, start: str, branch: str) -> bytes:
        """Pack what was done."""
        self.git("bundle", "create", "-q", ".git/result", f"refs/heads/{branch}", f"^{start}")
        return (self.folder / ".git/result").read_bytes()


class StandInPlacer:
    """A placer whose jobs are done here."""

    def __init__(self, settings: Frame) -> None:
        """Take what a placer is started with."""
        self.settings = settings
        self.folder = Path(settings["folder"])
        self.certificates = Path(settings["tls"])
        self._jobs: dict[str, Frame] = {}
        self._turn = threading.RLock()

    def plan(self) -> Frame:
        """Read what happens."""
        return json.loads((self.certificates / "plan.json").read_text(encoding="utf-8"))

    def probe(self) -> None:
        """Try to read what the plan names, and say what this process has."""
        probes = [Path(path) for path in self.plan().get("probes", ())]
        told = {"read": [str(path) for path in probes if _can_read(path)], "variables": sorted(os.environ)}
        (self.folder / "probed.json").write_text(json.dumps(told), encoding="utf-8")

    def note(self, frame: Frame, size: int) -> None:
        """Note what was asked."""
        with self._turn, (self.folder / "asked.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({**frame, "bytes": size}) + "\n")

    def job(self, job: Frame, worker: str, state: str) -> None:
        """Note where a job stands."""
        with self._turn:
            facts = {
                "key": job["key"],
                "worker": worker,
                "state": state,
                "since": STAMP,
                "agent": job["agent"],
            }
            self._jobs[job["process_id"]] = facts
        self.write_status()

    def write_status(self) -> None:
        """Write the status as the plan has it."""
        plan = self.plan()
        with self._turn:
            status = {
                "schema": 1,
                "at": STAMP,
                "state": plan.get("state", "connected"),
                "why": plan.get("why"),
                "scheduler": self.settings["address"],
                "dashboard": None,
                "workers": plan.get("workers", WORKERS),
                "jobs": self._jobs,
                "kept": [],
            }
            new = self.folder / "status.new"
            new.write_text(json.dumps(status), encoding="utf-8")
            new.chmod(0o600)
            new.replace(self.folder / "status.json")

    def serve(self, listening: socket.socket) -> None:
        """Serve all that connect."""
        self.write_status()
        while True:
            connected, _ = listening.accept()
            connection = Connection(self, connected)
            threading.Thread(target=connection.serve, daemon=True).start()


def _can_read(path: Path) -> bool:
    try:
        return bool(path.read_bytes()) or True
    except PermissionError:
        return False


def run_placer(settings: Frame) -> None:
    """Be a placer until the process is killed."""
    placer = StandInPlacer(settings)
    if words := placer.plan().get("dies"):
        sys.exit(words)
    placer.probe()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(Path(settings["socket_folder"]) / "s"))
    listening.listen()
    placer.serve(listening)


def main() -> None:
    """Be a placer where that is asked for, else our own program."""
    if sys.argv[-1] == "placer":
        os.environ["GIT_CONFIG_GLOBAL"] = os.environ["GIT_CONFIG_SYSTEM"] = os.devnull
        run_placer(json.loads(sys.stdin.readline()))
    from chant_mcp.cli import main as own_main

    own_main()


if __name__ == "__main__":
    main()
