"""What runs inside of a worker for a placer: the task, and what is said to tasks that run.

Results are plain bytes in a table. Who reads them unpickles what a worker sent, so that only the confined
placer does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distributed import get_worker

from chant_mcp.cluster.job_table import JobResult, LogPage
from chant_mcp.cluster.read_offer import PlaceKind
from chant_mcp.cluster.repository_reads import RepositoryAnswer

if TYPE_CHECKING:
    from chant_mcp.cluster.worker import ClusterWorker

TOPIC = "chant-jobs"
"""Where workers say how their jobs go."""
READ = "fleet-read-"
"""The beginning of the keys of tasks that read repositories."""
READS = "reads"
"""What the engine counts so that a worker reads few repositories at once."""


def run_job(job: str, bundle: bytes) -> JobResult:
    """Run a job on this worker, to its end.

    Args:
        job: Its description, JSON of at most 256 KiB.
        bundle: The commits that it begins at.

    Raises:
        InvalidArgumentError: It is no job, or one of that name has been here.
    """
    worker: Any = get_worker()

    def tell(message: dict[str, Any]) -> None:
        worker.log_event(TOPIC, message)

    return worker.jobs.run(job, bundle, tell)


def read_repository(kind: PlaceKind, place: str, with_items: bool) -> RepositoryAnswer:
    """Read a repository on this worker, if its owner offers that.

    Raises:
        RefusedError: It is not offered, or cannot be read.
    """
    worker: Any = get_worker()
    return worker.reads.read(kind, place, with_items=with_items)


def stop_job(key: str, why: str, dask_worker: ClusterWorker) -> bool:
    """Ask a job to end; say whether it runs here."""
    return dask_worker.jobs.stop(key, why)


def read_log(key: str, offset: int, dask_worker: ClusterWorker) -> LogPage:
    """Read a page of a job's log, at most 256 KiB."""
    return dask_worker.jobs.read_log(key, offset)


def accept_result(key: str, dask_worker: ClusterWorker) -> None:
    """Say that the result of a job lies where it was wanted: its folder goes."""
    dask_worker.run_aside(dask_worker.jobs.accept_result, key)
