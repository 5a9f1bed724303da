"""The jobs of a placer: read from a frame, followed to their end, kept where their result is not taken."""

from __future__ import annotations

import contextlib
import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chant_mcp.cluster.job_table import LARGEST_BUNDLE, LARGEST_LOG, LARGEST_RESULT, JobResult, key_of
from chant_mcp.cluster.placement import JobNeeds
from chant_mcp.cluster.placer_status import now
from chant_mcp.cluster.received import as_table, as_text
from chant_mcp.errors import InvalidArgumentError

MAX_KEPT = 64
"""Results that are kept for clients that have gone."""
MAX_KEPT_BYTES = 1024 * 1024 * 1024


@dataclass(slots=True, eq=False)
class PlacedJob:
    """A job between its client and its worker."""

    key: str
    process_id: str
    spec: str
    token: int
    needs: JobNeeds
    text: str
    """The job as it travels."""
    start: Path
    """The file with the commits that it begins at."""
    state: str = "waiting"
    since: str = field(default_factory=now)
    worker: str | None = None
    """The worker's address."""
    worker_name: str | None = None
    future: Any = None
    why_waiting: str | None = None
    stopped: str | None = None
    """Why it was asked to end."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more is heard of it."""
        return self.state in ("ended", "lost")

    def move(self, state: str) -> None:
        """Take a state."""
        if state != self.state:
            self.state, self.since = state, now()


def read_job(value: Any, folder: Path, bundle: bytes, avoid: Any = None) -> PlacedJob:
    """Read a job as a client gives it, and lay its commits aside.

    Raises:
        InvalidArgumentError: It is none.
        OSError: The folder cannot be written.
    """
    sent = as_table(value)
    if sent is None:
        raise InvalidArgumentError("A job is a table.")
    text = json.dumps(sent)
    key = key_of(text)
    for name, kind in (("process_id", str), ("spec", str), ("token", int), ("agent", str)):
        if not isinstance(sent.get(name), kind):
            raise InvalidArgumentError(f"A job needs `{name}`.")
    if len(bundle) > LARGEST_BUNDLE:
        raise InvalidArgumentError(f"The commits of a job have at most {LARGEST_BUNDLE} bytes.")
    needs = JobNeeds(
        agent=sent["agent"],
        account=as_text(sent.get("account")),
        remote=as_text(sent.get("remote")),
        acting=as_text(sent.get("acting")),
        avoid=as_text(avoid),
    )
    start = folder / "starts" / key
    start.parent.mkdir(mode=0o700, exist_ok=True)
    start.write_bytes(bundle)
    return PlacedJob(key, sent["process_id"], sent["spec"], sent["token"], needs, text, start)


def read_result(value: Any) -> JobResult | None:
    """Read what a worker sent; `None` where it is not what was agreed."""
    sent = as_table(value)
    if sent is None:
        return None
    parts = [sent.get(name) for name in ("result", "log", "bundle")]
    if not all(isinstance(part, bytes) for part in parts):
        return None
    result, log, bundle = (bytes(part) for part in parts if isinstance(part, bytes))
    if len(result) > LARGEST_RESULT or len(log) > LARGEST_LOG or len(bundle) > LARGEST_BUNDLE:
        return None
    try:
        data = as_table(json.loads(result))
    except (ValueError, RecursionError):
        return None
    left_behind = sent.get("left_behind")
    if data is None or not isinstance(left_behind, int):
        return None
    return JobResult(result=result, log=log, bundle=bundle, left_behind=left_behind)


class KeptResults:
    """Results that were not taken, in a folder: the newest, within bounds."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; what an earlier placer kept is listed, too."""
        self._folder = folder
        folder.mkdir(mode=0o700, exist_ok=True)
        self._listed = self._read()

    def add(self, job: PlacedJob, result: JobResult, why: str) -> None:
        """Keep a result; the oldest goes where there are too many.

        Raises:
            OSError: The folder cannot be written.
        """
        place = self._folder / job.key
        place.mkdir(mode=0o700, exist_ok=True)
        entry = {"spec": job.spec, "token": job.token, "worker": job.worker_name, "why": why}
        (place / "result.json").write_bytes(result["result"])
        (place / "log").write_bytes(result["log"])
        (place / "result.bundle").write_bytes(result["bundle"])
        (place / "kept.json").write_text(json.dumps(entry))
        self._listed[job.key] = entry
        self._drop_oldest()

    def listed(self) -> list[dict[str, Any]]:
        """List what is kept: spec, token, worker and why."""
        return list(self._listed.values())

    def _read(self) -> dict[str, dict[str, Any]]:
        listed: dict[str, dict[str, Any]] = {}
        for place in sorted(self._folder.iterdir(), key=_age):
            with contextlib.suppress(OSError, ValueError):
                listed[place.name] = json.loads((place / "kept.json").read_text())
        return listed

    def _drop_oldest(self) -> None:
        while len(self._listed) > MAX_KEPT or (len(self._listed) > 1 and self._bytes() > MAX_KEPT_BYTES):
            oldest = next(iter(self._listed))
            del self._listed[oldest]
            shutil.rmtree(self._folder / oldest, ignore_errors=True)

    def _bytes(self) -> int:
        return sum(file.stat().st_size for place in self._folder.iterdir() for file in place.iterdir())


def _age(place: Path) -> float:
    return place.stat().st_mtime
