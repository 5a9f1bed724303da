"""Hands a run to a placer in place of its agent, and brings the work back.

A runner starts it as `python -I -S job_client.py` in the folder of a run, confined as an agent, with the
standard library only. Standard input is one line of JSON: `socket`, `secret`, `job`, `folder`, `first` (the
first commit of the work), `watched` (a file that readers of the log touch) and `avoid` (a worker that lost
the job before, or null). Standard output has lines of the agent's log behind `log `, and events as JSON
objects with a `type`; the last one says how it ended. What comes from the placer is data: bounded, and
checked before it is used.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NoReturn, cast

MAX_LINE = 1024 * 1024
"""Bytes of a frame's line."""

MAX_RESULT = 256 * 1024
"""Bytes of a result."""

MAX_BUNDLE = 64 * 1024 * 1024
"""Bytes of a bundle, here or there."""

MAX_BYTES = MAX_BUNDLE + 16 * 1024 * 1024
"""Bytes behind a frame's line: a bundle and a log."""

MAX_UNPACKED = 1024 * 1024 * 1024
"""Bytes that the objects of a bundle may have together."""

FRESH = 5.0
"""Seconds for which a reader of the log counts."""

LOOK = 0.5
"""Seconds between two looks for a reader, and between two pages of the log."""

STOPPING = 15.0
"""Seconds that a worker gets to answer a stop."""

MAX_KNOWN = 64
"""Commits of a machine that are looked at."""

_BASE_MISSING = "base_missing"
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_TAKEN = "refs/chant/job"
_TYPES_OF_DELTAS = (6, 7)

_SETTINGS = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "fetch.fsckObjects=true")
"""Those of a git of ours: it runs nothing that lies in the folder of the run, and checks what it takes in."""

PlacerFrame = dict[str, Any]


class PlacementRefused(Exception):
    """The job is not placed; its text says why."""


class WorkRejected(Exception):
    """What came back is not taken over; its text says why."""


class WorkKept(Exception):
    """The work stays on the machine that did it; its text says why."""


class JobLost(Exception):
    """No machine answers for the job any more; its text says why."""


# What the runner reads


def write_event(kind: str, **values: Any) -> None:
    """Write an event."""
    _write(json.dumps({"type": kind, **values}).encode())


def log(line: bytes) -> None:
    """Write a line of the agent's log; lines without a stamp are not those of an agent."""
    if line and not line.startswith(b"#"):
        _write(b"log " + line)


def note(text: str) -> None:
    """Write a line of our own into the log."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    plain = "".join(c if c.isprintable() else " " for c in text)[:500]
    log(f"{now} run {plain}".encode())


def _write(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


# The folder of the run


class RunFolder:
    """The repository of the run, which is not trusted: no hook and no program of its settings is run."""

    def __init__(self, folder: Path, branch: str, order: Path | None = None) -> None:
        """Take the folder whose work is on a branch; the order of an item in it is no part of that."""
        self.folder = folder
        self.branch = f"refs/heads/{branch}"
        self.order = order

    def git(self, *words: str) -> str:
        """Run git in the folder.

        Raises:
            WorkRejected: It refused, with its words.
        """
        argv = ("git", *(word for setting in _SETTINGS for word in ("-c", setting)), *words)
        done = subprocess.run(
            argv, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"]
            first = next((line for line in said if line.startswith(("error:", "fatal:"))), said[-1])
            raise WorkRejected(f"git {words[0]}: {first[:300]}")
        return done.stdout.decode(errors="replace").strip()

    def commits(self, first: str) -> tuple[str, str]:
        """Give the commit below the work and its newest one; what is not committed is committed first."""
        if self.git("symbolic-ref", "-q", "HEAD") != self.branch:
            raise WorkRejected(f"the folder of the run is not on {self.branch}")
        work = ("--", ".", *([f":(exclude,top,literal){self.order.as_posix()}"] if self.order else ()))
        if self.git("status", "--porcelain", "--untracked-files=all", *work):
            self.git("add", "-A", *work)
            self.git("commit", "-q", "-m", "Changes from before the work went on elsewhere")
        return self.git("rev-parse", f"{first}^1"), self.git("rev-parse", self.branch)

    def newest_below(self, commits: object, start: str) -> str | None:
        """Give the first of some commits that the work continues; a machine named them, the newest first."""
        for commit in cast("list[object]", commits)[:MAX_KNOWN] if isinstance(commits, list) else []:
            if isinstance(commit, str) and _COMMIT.fullmatch(commit):
                with suppress(WorkRejected):
                    self.git("merge-base", "--is-ancestor", commit, start)
                    return commit
        return None

    def bundle(self, below: str | None) -> bytes:
        """Pack the work above a commit, or its whole history.

        Raises:
            PlacementRefused: It is too large to be sent.
        """
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "start.bundle"
            above = (f"^{below}",) if below else ()
            self.git("bundle", "create", "--quiet", str(file), self.branch, *above)
            if file.stat().st_size > MAX_BUNDLE:
                hint = "its machines have to be allowed to fetch from the remote"
                raise PlacementRefused(f"the history is larger than {MAX_BUNDLE} bytes: {hint}")
            return file.read_bytes()

    def put_order(self, text: object) -> None:
        """Put the order of an item as the agent left it where an agent here would have left it."""
        if self.order is not None and isinstance(text, str):
            (path := self.folder / self.order).parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            path.write_text(text, "utf-8")

    def take(self, bundle: bytes, start: str, tip: str) -> None:
        """Take the commits of a bundle over: its one ref is `tip`, which continues `start`.

        Raises:
            WorkRejected: It is not what it should be.
        """
        if len(bundle) > MAX_BUNDLE:
            raise WorkRejected(f"its bundle is larger than {MAX_BUNDLE} bytes")
        check_size(bundle)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "result.bundle"
            file.write_bytes(bundle)
            heads = self.git("bundle", "list-heads", str(file)).splitlines()
            if len(heads) != 1:
                raise WorkRejected(f"its bundle has {len(heads)} refs, and one was expected")
            oid, ref = heads[0].split(" ", 1)
            if oid != tip:
                raise WorkRejected("its bundle has another commit than its result names")
            options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")
            self.git("fetch", *options, str(file), f"+{ref}:{_TAKEN}")
        try:
            self.git("merge-base", "--is-ancestor", start, tip)
        except WorkRejected:
            raise WorkRejected("its commits do not continue those that were sent") from None
        self.git("merge", "--ff-only", "--quiet", "--no-verify", tip)
        self.git("update-ref", "-d", _TAKEN)


def check_pushed(result: PlacerFrame) -> None:
    """Check what a result says of a push: it names its newest commit, and chooses nothing.

    The runner fetches them: this process reaches no remote.

    Raises:
        WorkRejected: It is not what was agreed.
    """
    pushed = result["pushed"]
    if not isinstance(pushed, str) or not _COMMIT.fullmatch(pushed):
        raise WorkRejected("its result says that it pushed what is no commit")
    if pushed != result.get("tip"):
        raise WorkRejected("its result says that it pushed another commit than its newest one")


# The size of a bundle's objects


def check_size(bundle: bytes) -> None:
    """Read the pack of a bundle without keeping its objects.

    Raises:
        WorkRejected: It is no bundle, or its objects are too large together.
    """
    head = bundle.find(b"\n\n")
    pack = memoryview(bundle)[head + 2 :]
    if head < 0 or bytes(pack[:4]) != b"PACK":
        raise WorkRejected("it is no bundle of git")
    count = int.from_bytes(pack[8:12], "big")
    hash_size = 32 if b"@object-format=sha256" in bundle[:head] else 20
    at, total = 12, 0
    try:
        for _ in range(count):
            size, at = _object_size(pack, at, hash_size)
            total += size
            if total > MAX_UNPACKED:
                raise WorkRejected(f"the objects of its bundle are larger than {MAX_UNPACKED} bytes together")
    except (IndexError, zlib.error):
        raise WorkRejected("the pack of its bundle is broken") from None


def _object_size(pack: memoryview, at: int, hash_size: int) -> tuple[int, int]:
    """Give the size of the object that begins at a place, deltas applied, and where the next one begins."""
    kind = pack[at] >> 4 & 7
    size, shift = pack[at] & 15, 4
    while pack[at] & 128:
        at += 1
        size |= (pack[at] & 127) << shift
        shift += 7
    at += 1
    if kind == _TYPES_OF_DELTAS[0]:
        while pack[at] & 128:
            at += 1
        at += 1
    elif kind == _TYPES_OF_DELTAS[1]:
        at += hash_size
    inflater, seen, start = zlib.decompressobj(), 0, b""
    while not inflater.eof:
        rest = inflater.unconsumed_tail or bytes(pack[at : at + 65536])
        if not rest:
            raise IndexError
        if not inflater.unconsumed_tail:
            at += len(rest)
        found = inflater.decompress(rest, 65536)
        start = start or found[:32]
        seen += len(found)
        if seen > size:
            raise zlib.error
    at -= len(inflater.unused_data)
    return (max(size, _result_size(start)) if kind in _TYPES_OF_DELTAS else size), at


def _result_size(delta: bytes) -> int:
    """Give the size of what a delta makes: the second number in it."""
    at = 0
    while delta[at] & 128:
        at += 1
    size, shift = 0, 0
    for byte in delta[at + 1 :]:
        size |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            break
    return size


# The placer


class PlacerSocket:
    """The connection to a placer. While it is open, the placer works for us; when it closes, it stops."""

    def __init__(self, connected: socket.socket) -> None:
        """Take a connection on which nothing was said."""
        self._socket = connected
        self._heard = bytearray()

    @classmethod
    def at(cls, path: str, secret: str) -> PlacerSocket:
        """Connect to the placer at a socket, and say who we are.

        Raises:
            JobLost: No placer is there.
        """
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connected.connect(path)
        except OSError as error:
            raise JobLost(f"the placer does not answer ({error.strerror})") from None
        placer = cls(connected)
        placer.send({"hello": 1, "secret": secret})
        return placer

    def send(self, frame: PlacerFrame, data: bytes = b"") -> None:
        """Send a frame, with bytes behind it."""
        size = {"bytes": len(data)} if data else {}
        try:
            self._socket.sendall(json.dumps({**frame, **size}).encode() + b"\n" + data)
        except OSError:
            # What it said before it went says more.
            return

    def close(self) -> None:
        """Leave the placer."""
        self._socket.close()

    def fileno(self) -> int:
        """Give the descriptor that is readable when there is something to hear."""
        return self._socket.fileno()

    def hear(self) -> Iterator[tuple[PlacerFrame, bytes]]:
        """Read what has arrived, and give the frames that are whole.

        Raises:
            JobLost: The placer has gone, or does not keep to the protocol.
        """
        try:
            heard = self._socket.recv(1024 * 1024)
        except OSError:
            heard = b""
        if not heard:
            raise JobLost("the placer has ended")
        self._heard += heard
        while frame := self._next():
            yield frame

    def _next(self) -> tuple[PlacerFrame, bytes] | None:
        end = self._heard.find(b"\n")
        if max(end, len(self._heard) if end < 0 else 0) > MAX_LINE:
            raise JobLost("the placer sent a line that is too long")
        if end < 0:
            return None
        try:
            frame = json.loads(self._heard[:end])
            size = frame.get("bytes", 0)
        except (ValueError, RecursionError, AttributeError):
            raise JobLost("the placer sent what is no frame") from None
        if not isinstance(size, int) or not 0 <= size <= MAX_BYTES:
            raise JobLost("the placer sent more than it may")
        if len(self._heard) < end + 1 + size:
            return None
        data = bytes(self._heard[end + 1 : end + 1 + size])
        del self._heard[: end + 1 + size]
        return frame, data


# The job


class SentJob:
    """A job on its way: what was said of it so far."""

    def __init__(self, settings: PlacerFrame) -> None:
        """Take what the runner says."""
        self.job: PlacerFrame = settings["job"]
        order = Path(self.job["inside"], ".chant", "specs", f"{self.job['spec']}.md")
        orders = (order,) if "order" in self.job else ()
        self.run_folder = RunFolder(Path(settings["folder"]), self.job["branch"], *orders)
        self.first: str = settings["first"]
        self.watched = Path(settings["watched"])
        self.avoid: str | None = settings.get("avoid")
        self._way = (settings["socket"], settings["secret"])
        self.placer = PlacerSocket.at(*self._way)
        self.is_whole = False
        self._sent_more = False
        self.stop_by: float | None = None
        self.shown = 0
        self._line = b""
        self._is_asked = False
        self._next_page = 0.0
        self._why = ""

    def place(self) -> None:
        """Hand the job over, with the work so far."""
        base, start = self.run_folder.commits(self.first)
        self.job.update(base=base, start=start)
        self._send(self.run_folder.bundle(base))

    def _send(self, bundle: bytes) -> None:
        self.placer.send({"do": "place", "job": self.job, "avoid": self.avoid}, bundle)

    def stop(self) -> None:
        """Ask for the end; the answer has to come within a while."""
        if self.stop_by is None:
            self.stop_by = time.monotonic() + STOPPING
            self.placer.send({"do": "stop", "why": "pause"})

    def turn(self) -> float:
        """Do what is due, and give the seconds until something is due again.

        Raises:
            JobLost: The worker did not answer a stop.
        """
        now = time.monotonic()
        if self.stop_by is not None and now > self.stop_by:
            raise JobLost(f"the worker did not answer a stop within {STOPPING:.0f} s")
        if now >= self._next_page:
            self._next_page = now + LOOK
            if not self._is_asked and self._is_watched():
                self._is_asked = True
                self.placer.send({"do": "read", "offset": self.shown + len(self._line)})
        return max(0.0, self._next_page - now)

    def _is_watched(self) -> bool:
        try:
            return time.time() - self.watched.stat().st_mtime < FRESH
        except OSError:
            return False

    def heard(self, frame: PlacerFrame, data: bytes) -> bool:
        """Go by a frame; give true if it was the last one.

        Raises:
            PlacementRefused: The job was not taken.
            WorkRejected: Its work is not taken over.
            WorkKept: Its work could not come back.
            JobLost: Its worker is gone.
        """
        kind, why = frame.get("is"), str(frame.get("why") or "")
        if kind == "waiting" and why != self._why:
            self._why = why
            write_event("waiting", why=why)
            note(f"Waiting for a machine: {why}")
        elif kind == "placed":
            worker = str(frame.get("worker") or "")
            write_event("placed", worker=worker)
            note(f"Placed on {worker} ({frame.get('host')})")
        elif kind == "started":
            confinement = str(frame.get("confinement") or "")
            write_event("started", confinement=confinement)
            note(f"Started there: {confinement}")
        elif kind == "page":
            self._show_page(frame.get("offset"), data)
        elif kind == "ended":
            return self._end(frame, data)
        elif kind == "lost":
            raise JobLost(why)
        elif kind == "refused":
            self._place_more(frame, why)
        return False

    def _place_more(self, refusal: PlacerFrame, why: str) -> None:
        """Hand the job over again with what the machine lacks, if that is what was missing.

        That is the work above the newest commit that it has of ours, and if that was not enough, all of it.

        Raises:
            PlacementRefused: It was another reason, or all of it was sent.
        """
        if refusal.get("cause") != _BASE_MISSING or self.is_whole:
            raise PlacementRefused(why)
        below = None
        if not self._sent_more:
            below = self.run_folder.newest_below(refusal.get("known"), self.job["start"])
        self._sent_more, self.is_whole = True, below is None
        what = "the whole history" if below is None else f"what came after {below[:10]}"
        note(f"The machine lacks the commit below the work: {what} is sent")
        # It is another attempt, on a connection of its own: what still comes of the first one is not meant.
        self.placer.close()
        self.placer = PlacerSocket.at(*self._way)
        self.job["key"] = f"{self.job['key'].rpartition('.')[0]}.{os.urandom(8).hex()}"
        self._send(self.run_folder.bundle(below))

    def _show_page(self, offset: object, page: bytes) -> None:
        self._is_asked = False
        if offset != self.shown + len(self._line):
            return
        self._show(page)
        if page:
            self._next_page = 0.0

    def _show(self, text: bytes) -> None:
        """Show the whole lines of what follows in the log."""
        *lines, self._line = (self._line + text).split(b"\n")
        for line in lines:
            self.shown += len(line) + 1
            log(line)

    def _end(self, frame: PlacerFrame, data: bytes) -> bool:
        answer, size = frame.get("result"), frame.get("log")
        if not isinstance(answer, dict) or not isinstance(size, int) or not 0 <= size <= len(data):
            raise WorkRejected("its result is none")
        result = cast("PlacerFrame", answer)
        if len(json.dumps(result)) > MAX_RESULT:
            raise WorkRejected(f"its result is larger than {MAX_RESULT} bytes")
        if result.get("key") != self.job["key"]:
            raise WorkRejected("its result is of another job")
        if result.get("state") == "refused" and result.get("cause") == _BASE_MISSING and not self.is_whole:
            self._place_more(result, "")
            return False
        self._show(data[self.shown + len(self._line) : size])
        self._show(b"\n" if self._line else b"")
        if len(data) > size:
            self.run_folder.take(data[size:], self.job["start"], str(result.get("tip")))
        elif result.get("kept") is True:
            raise WorkKept(str(result.get("reason")))
        elif "pushed" in result:
            check_pushed(result)
        elif result.get("tip") not in (None, self.job["start"]):
            raise WorkRejected("its result names a commit that did not come along")
        self.run_folder.put_order(result.pop("order", None))
        self.placer.send({"do": "got"})
        write_event("ended", result=result)
        return True


def follow(job: SentJob, stops: int) -> None:
    """Hear the placer until the job has ended; `stops` is readable when we are asked to end."""
    while True:
        ready, _, _ = select.select([job.placer, stops], [], [], job.turn())
        if stops in ready:
            os.read(stops, 64)
            job.stop()
        if job.placer in ready:
            for frame, data in job.placer.hear():
                if job.heard(frame, data):
                    return


def _wake(_number: int, _frame: object) -> None:
    """Let a signal only wake what waits."""


def main() -> NoReturn:
    """Do the job that standard input names."""
    stops, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes)
    signal.signal(signal.SIGTERM, _wake)
    try:
        job = SentJob(json.loads(sys.stdin.readline()))
        job.place()
        follow(job, stops)
    except PlacementRefused as error:
        write_event("refused", why=str(error))
    except WorkRejected as error:
        write_event("rejected", why=str(error))
    except WorkKept as error:
        write_event("kept", why=str(error))
    except JobLost as error:
        write_event("lost", why=str(error))
    sys.exit(0)


if __name__ == "__main__":
    main()
