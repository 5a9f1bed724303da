"""What a placer says of its cluster, as a file that others read as data."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chant_mcp.cluster.private_files import replace_file

if TYPE_CHECKING:
    from chant_mcp.cluster.placement import WorkerView
    from chant_mcp.cluster.placer_jobs import PlacedJob

LARGEST = 1024 * 1024
"""The bytes of the file."""
SILENT_SECONDS = 10.0
"""Seconds after which a worker counts as silent."""


def status_data(
    *,
    state: str,
    why: str | None,
    scheduler: str,
    workers: Iterable[WorkerView],
    jobs: Iterable[PlacedJob],
    kept: Iterable[dict[str, Any]],
) -> dict[str, Any]:
    """Give the status as data: `connecting`, `connected` or `gone`, with workers and jobs."""
    return {
        "schema": 1,
        "at": now(),
        "state": state,
        "why": why,
        "scheduler": scheduler,
        "dashboard": None,
        "workers": [_worker(worker) for worker in workers],
        "jobs": {job.process_id: _job(job) for job in jobs},
        "kept": list(kept),
    }


def write_status(path: Path, status: dict[str, Any]) -> None:
    """Write the status in one step; what has ended is left out first when it is too large.

    Raises:
        OSError: The folder cannot be written.
    """
    data = json.dumps(status).encode()
    for left_out in ("ended", "lost", "waiting"):
        if len(data) <= LARGEST:
            break
        jobs = {name: job for name, job in status["jobs"].items() if job["state"] != left_out}
        status = {**status, "jobs": jobs, "shortened": True}
        data = json.dumps(status).encode()
    if len(data) > LARGEST:
        data = json.dumps({**status, "jobs": {}, "workers": [], "kept": [], "shortened": True}).encode()
    replace_file(path, data)


def now() -> str:
    """The time, as records have it."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _worker(worker: WorkerView) -> dict[str, Any]:
    return {
        "name": worker.name,
        "host": worker.host,
        "agents": {
            name: {"slots": slots, "busy": worker.busy(name), "version": worker.versions.get(name)}
            for name, slots in worker.slots.items()
        },
        "accounts": list(worker.accounts),
        "labels": list(worker.labels),
        "remotes": list(worker.remotes),
        "trusted": list(worker.trusted),
        "trusts_any": worker.trusts_any,
        "state": "silent" if worker.silent > SILENT_SECONDS else "alive",
    }


def _job(job: PlacedJob) -> dict[str, Any]:
    return {
        "key": job.key,
        "worker": job.worker_name,
        "state": job.state,
        "since": job.since,
        "agent": job.needs.agent,
        "account": job.needs.account,
    }
