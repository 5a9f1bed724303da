"""The settings of the engine that hold in all our processes, whatever its configuration files say."""

from __future__ import annotations

import logging
import resource
from importlib.metadata import version

import dask.config

WORKER_TTL = 30
"""Seconds of silence after which a scheduler gives a worker up."""

_MOST_FILES = 65_536

_SETTINGS: dict[str, object] = {
    # Attempts are counted by leases: the engine repeats nothing, and moves nothing that it gave away.
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.worker-ttl": f"{WORKER_TTL}s",
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.events-cleanup-delay": "1m",
    "distributed.scheduler.preload": [],
    "distributed.scheduler.http.routes": [],
    "distributed.worker.preload": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.client.preload": [],
    "distributed.client.security-loader": None,
    "distributed.client.direct-to-workers": False,
    "distributed.comm.require-encryption": True,
    "distributed.comm.timeouts.connect": "10s",
    "distributed.admin.large-graph-warning-threshold": "1GB",
    "distributed.admin.log-length": 1000,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.system-monitor.disk": False,
    "distributed.diagnostics.nvml": False,
}


def configure_engine() -> str:
    """Set what holds for every process of a cluster.

    Returns:
        The engine's version.
    """
    dask.config.set(_SETTINGS)
    # Of each job it would write several lines.
    logging.getLogger("distributed").setLevel(logging.WARNING)
    _allow_connections()
    return version("distributed")


def _allow_connections() -> None:
    """Allow as many open files as the system lets: each worker, and each run, is a connection."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if most == resource.RLIM_INFINITY else min(most, _MOST_FILES)
    if allowed != resource.RLIM_INFINITY and allowed < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
