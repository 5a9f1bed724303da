"""The jobs of a worker: a folder and a process each, ended when no one answers for them.

A job's process holds the other end of a pipe, its lifeline: a line on it, its end, or its silence after a
beat asks it to end its agent. So an agent ends with its worker, however that ends, or where it stands still.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import IO, Any, TypedDict

from chant_mcp.cluster.private_files import write_new_file
from chant_mcp.cluster.received import as_table
from chant_mcp.errors import InvalidArgumentError

LARGEST_JOB = 256 * 1024
"""The bytes of a job's description."""
LARGEST_LOG = 16 * 1024 * 1024
"""The bytes of a log that travel; of a longer one the end."""
LARGEST_BUNDLE = 64 * 1024 * 1024
"""The bytes of a bundle that travel, at most."""
LARGEST_RESULT = 1024 * 1024
PAGE = 256 * 1024
"""The bytes of a page of a log."""
ACKNOWLEDGED = "acknowledged"
"""The file by which a job's folder says that its result was taken."""
STOP_SECONDS = 60.0
"""How long a job has to end its agent before it is killed."""

_BEAT_SECONDS = 10.0
"""Seconds between two beats of a lifeline; a job ends a minute after the last one."""
_LONGEST_LINE = 64 * 1024
_KEY = re.compile(r"[A-Za-z0-9%_][A-Za-z0-9._%+@-]{0,199}")
_WHY = re.compile(r"[a-z_-]{1,40}")
_LAST_WORDS = 2000
_LAST_LINES = 2.0
"""Seconds for the last lines of a job that ended."""
_LONGEST_WORDS = 200


class JobResult(TypedDict):
    """What a job left."""

    result: bytes
    """`result.json`."""
    log: bytes
    bundle: bytes
    """Empty when there are no commits, or when they do not fit."""
    left_behind: int
    """The bytes of a bundle that is too large to travel; else 0."""


class LogPage(TypedDict):
    """A piece of a log."""

    offset: int
    data: bytes


Tell = Callable[[dict[str, Any]], None]
JobProgram = Sequence[str] | Callable[[], Sequence[str]]
"""What is started with the folder of a job behind it, or what gives that for each job."""
Sweep = Callable[[Path, str | None], None]


class JobTable:
    """The jobs that run on this machine."""

    def __init__(
        self,
        folder: Path,
        program: JobProgram,
        environment: Mapping[str, str],
        sweep: Sweep | None = None,
        largest_bundle: int = LARGEST_BUNDLE,
    ) -> None:
        """Take what jobs run with.

        Args:
            folder: The worker's own; `jobs/` and `kept/` lie in it.
            program: What is started with the folder of a job behind it.
            environment: The variables of jobs: those of this machine.
            sweep: Called with the worker's folder and the key of a job, or none for all, that does not run:
                removes what is acknowledged, and keeps what else there is.
            largest_bundle: The bytes of a bundle that travel; a larger one stays.
        """
        self._folder = folder
        self._program = program
        self._environment = dict(environment)
        self._stop_seconds = STOP_SECONDS
        self._largest_bundle = largest_bundle
        self._sweep = sweep or sweep_folders
        self._lock = threading.Lock()
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._closed = False
        for name in ("jobs", "kept"):
            (folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        self._sweep(folder, None)

    def run(self, job: str, bundle: bytes, tell: Tell) -> JobResult:
        """Run a job to its end; that its agent has started is handed on.

        Args:
            job: Its description, JSON.
            bundle: The commits that it begins at.
            tell: Called with a table with `key` and `is`: `placed`, then `started` with `confinement`.

        Raises:
            InvalidArgumentError: It is no job, or one of that name has been here.
        """
        key = key_of(job)
        folder = self._new_folder(key, job, bundle)
        tell({"is": "placed", "key": key})
        process = self._start(key, folder)
        # What it started may hold its output open: its own end counts.
        reader = threading.Thread(target=_hand_on, args=(process, key, tell), daemon=True)
        reader.start()
        over = threading.Event()
        threading.Thread(target=self._beat, args=(process, over), daemon=True).start()
        try:
            process.wait()
            reader.join(_LAST_LINES)
        finally:
            over.set()
            with self._lock:
                del self._running[key]
                _close(process.stdin)
        return self._result(key, process.returncode)

    def stop(self, key: str, why: str) -> bool:
        """Ask a job to end; one that does not is killed after a while. Says whether it ran."""
        with self._lock:
            process = self._running.get(key)
            if process is None:
                return False
            _say(process, f"stop {why if _WHY.fullmatch(why) else 'stop'}")
        self._kill_later(process)
        return True

    def let_go(self, key: str) -> None:
        """End the lifeline of a job whose result is not taken: it ends its agent and keeps the work here."""
        with self._lock:
            process = self._running.get(key)
            if process is None:
                return
            _close(process.stdin)
        self._kill_later(process)

    def close(self) -> None:
        """Start no more jobs, and let those go that run."""
        with self._lock:
            self._closed = True
        for key in self.running():
            self.let_go(key)

    def running(self) -> list[str]:
        """Name the jobs that run."""
        with self._lock:
            return list(self._running)

    def read_log(self, key: str, offset: int) -> LogPage:
        """Read a page of a job's log; empty where it has not grown."""
        folder = self._place_of(key)
        if folder is None:
            return LogPage(offset=offset, data=b"")
        try:
            with (folder / "log").open("rb") as file:
                file.seek(max(0, offset))
                return LogPage(offset=offset, data=file.read(PAGE))
        except OSError:
            return LogPage(offset=offset, data=b"")

    def accept_result(self, key: str) -> None:
        """Note that who asked for a job has its result: its folder goes."""
        if key not in self.running() and (folder := self._place_of(key)) is not None:
            (folder / ACKNOWLEDGED).touch()
            self._sweep(self._folder, key)

    def keep(self, key: str) -> None:
        """Keep the folder of a job that ended and whose result was not taken."""
        folder = self._folder / "jobs" / key
        if key not in self.running() and folder.is_dir():
            folder.rename(self._folder / "kept" / key)

    def _beat(self, process: subprocess.Popen[bytes], over: threading.Event) -> None:
        """Say again and again that this process answers for a job."""
        is_over = False
        while not is_over:
            with self._lock:
                _say(process, "beat")
            is_over = over.wait(_BEAT_SECONDS)

    def _kill_later(self, process: subprocess.Popen[bytes]) -> None:
        later = threading.Timer(self._stop_seconds, _kill, (process,))
        later.daemon = True
        later.start()

    def _place_of(self, key: str) -> Path | None:
        """Find a job's folder: a job that was stopped moves its own among those that are kept."""
        if not _KEY.fullmatch(key):
            return None
        places = (self._folder / "jobs" / key, self._folder / "kept" / key)
        return next((place for place in places if place.is_dir()), None)

    def _new_folder(self, key: str, job: str, bundle: bytes) -> Path:
        if self._place_of(key) is not None:
            raise InvalidArgumentError(f"A job {key} has been on this worker. It is not run twice.")
        folder = self._folder / "jobs" / key
        folder.mkdir(mode=0o700)
        for name, data in (("job.json", job.encode()), ("start.bundle", bundle)):
            write_new_file(folder / name, data)
        return folder

    def _start(self, key: str, folder: Path) -> subprocess.Popen[bytes]:
        with self._lock, (folder / "errors").open("wb") as errors:
            if self._closed:
                raise InvalidArgumentError("This worker is closing.")
            program = self._program() if callable(self._program) else self._program
            process = subprocess.Popen(
                [*program, str(folder)],
                cwd=folder,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
            self._running[key] = process
        return process

    def _result(self, key: str, code: int) -> JobResult:
        folder = self._place_of(key)
        if folder is None:
            return _empty_result(key, "The job's folder is gone.")
        result = _beginning(folder / "result.json", LARGEST_RESULT)
        if not result:
            # A job that was killed left its agent: that ends now, and what it committed comes along.
            self._sweep(self._folder, key)
            folder = self._place_of(key) or folder
            result = _beginning(folder / "result.json", LARGEST_RESULT)
        if not result:
            words = _end(folder / "errors", _LAST_WORDS).decode(errors="replace").strip()
            return _empty_result(key, f"The job ended without a result (exit code {code}). {words}".strip())
        path = folder / "result.bundle"
        size = path.stat().st_size if path.is_file() else 0
        fits = size <= self._largest_bundle
        return JobResult(
            result=result,
            log=_end(folder / "log", LARGEST_LOG),
            bundle=_beginning(path, self._largest_bundle) if fits else b"",
            left_behind=0 if fits else size,
        )


def key_of(job: str) -> str:
    """Return the key of a job's description.

    Raises:
        InvalidArgumentError: It is no job.
    """
    if len(job) > LARGEST_JOB:
        raise InvalidArgumentError(f"A job has at most {LARGEST_JOB} bytes, and this one {len(job)}.")
    try:
        key = json.loads(job)["key"]
    except (ValueError, TypeError, KeyError):
        key = None
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise InvalidArgumentError("A job needs a `key` of letters, digits, dots and dashes.")
    return key


def sweep_folders(worker: Path, only: str | None) -> None:
    """Remove the folders of acknowledged jobs, and keep the others: of one job, or of all.

    None of them runs.
    """
    for folder in [*(worker / "jobs").iterdir(), *(worker / "kept").iterdir()]:
        if only in (None, folder.name):
            if (folder / ACKNOWLEDGED).exists():
                shutil.rmtree(folder, ignore_errors=True)
            elif folder.parent.name == "jobs":
                folder.rename(worker / "kept" / folder.name)


def _hand_on(process: subprocess.Popen[bytes], key: str, tell: Tell) -> None:
    assert process.stdout is not None
    with process.stdout as lines:
        while line := lines.readline(_LONGEST_LINE):
            # What else it says may be the agent's words, and stays here.
            if (message := _message(line)).get("is") == "started":
                confinement = str(message.get("confinement"))[:_LONGEST_WORDS]
                tell({"is": "started", "key": key, "confinement": confinement})


def _message(line: bytes) -> dict[str, Any]:
    try:
        return as_table(json.loads(line)) or {}
    except ValueError:
        return {}


def _say(process: subprocess.Popen[bytes], line: str) -> None:
    lifeline = process.stdin
    if lifeline is not None and not lifeline.closed:
        with suppress(OSError):  # it has ended
            lifeline.write(f"{line}\n".encode())
            lifeline.flush()


def _close(lifeline: IO[bytes] | None) -> None:
    if lifeline is not None:
        with suppress(OSError):  # what could not be written is written again at the end
            lifeline.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def _empty_result(key: str, reason: str) -> JobResult:
    now = datetime.now(timezone.utc).isoformat()
    result: dict[str, Any] = {
        "schema": 1,
        "key": key,
        "state": "failed",
        "reason": reason,
        "exit_code": None,
        "cause": None,
        "usage": {},
        "denials": [],
        "tip": None,
        "ended_at": now,
    }
    return JobResult(result=json.dumps(result).encode(), log=b"", bundle=b"", left_behind=0)


def _beginning(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError:
        return b""
    return data if len(data) <= most else b""


def _end(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - most))
            data = file.read(most)
    except OSError:
        return b""
    return data if size <= most else data.partition(b"\n")[2]
