"""The cluster of this machine: a real scheduler and a worker, for `--on local`.

It is made when it is asked for, found by the next command, and ends by itself when no run uses it. Its
certificates are new each time and lie in our own state, which runs cannot read: a confined agent reaches
loopback.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from chant_mcp.cluster.certificates import make_certificates
from chant_mcp.cluster.extra import require_cluster_extra
from chant_mcp.cluster.folder_use import folder_in_use, is_in_use
from chant_mcp.cluster.private_files import replace_file
from chant_mcp.cluster.started_processes import answers, offer_options, start_scheduler, start_worker

IDLE_SECONDS = 60.0
"""How long it waits for a run."""

_FOLDER = "local-cluster"
_WORKER = "local"
_TRUSTED = "trusted"


class ClusterPlace(NamedTuple):
    """Where a cluster is spoken to."""

    address: str
    """The scheduler's, such as `tls://127.0.0.1:41234`."""
    tls: Path
    """The folder of certificates."""


def ensure_local_cluster(
    state_folder: Path,
    program: Sequence[str],
    environment: Mapping[str, str],
    *,
    slots: Mapping[str, int] | None = None,
    trusted: Iterable[str] = (),
    idle_seconds: float = IDLE_SECONDS,
) -> ClusterPlace:
    """Find the cluster of this machine, or start one.

    The engine is not imported here: scheduler and worker are processes of their own.

    Args:
        state_folder: Our own state of the user; `local-cluster/` in it is made.
        program: Our own program, as other processes start it.
        environment: The variables of this process; the worker gets them all, the scheduler few.
        slots: Runs at once by agent; else what the machine has.
        trusted: Hashes of acting configurations that its worker accepts from now on: this user is its owner.
        idle_seconds: How long it waits for a run before it ends.

    Raises:
        RefusedError: The extra `cluster` is missing, or a process ended at once.
    """
    require_cluster_extra()
    folder = state_folder / _FOLDER
    # A scheduler is confined to its part of the folder.
    with folder_in_use(folder / "scheduler", waits=True):
        (folder / "scheduler" / "wanted").touch(mode=0o600)
        place = find_local_cluster(state_folder)
        if place is None:
            place = _started(folder, program, environment, idle_seconds)
        _accept(folder / _TRUSTED, trusted)
        if not is_in_use(folder / "worker"):
            options = [place.address, "--once", "--name", _WORKER, "--tls", str(place.tls)]
            options += ["--folder", str(folder / "worker"), *offer_options(slots or {})]
            options += ["--trust-file", str(folder / _TRUSTED), "--reads-all"]
            start_worker(program, environment, folder / "worker.log", options)
    return place


def _accept(file: Path, hashes: Iterable[str]) -> None:
    """Add hashes to those that a worker accepts."""
    known = file.read_text().split() if file.exists() else []
    if not set(hashes) <= set(known):
        replace_file(file, "\n".join(dict.fromkeys([*known, *hashes])).encode())


def find_local_cluster(state_folder: Path) -> ClusterPlace | None:
    """Find the cluster of this machine, if one is up and answers.

    Args:
        state_folder: Our own state of the user.
    """
    folder = state_folder / _FOLDER
    with suppress(OSError, ValueError, KeyError):
        found = json.loads((folder / "scheduler" / "cluster.json").read_text())
        place = ClusterPlace(str(found["address"]), folder / "tls")
        return place if answers(*place) else None
    return None


def _started(
    folder: Path, program: Sequence[str], environment: Mapping[str, str], idle_seconds: float
) -> ClusterPlace:
    tls = folder / "tls"
    if tls.exists():
        shutil.rmtree(tls)
    make_certificates(tls)
    address = start_scheduler(
        program, environment, folder, "tls://127.0.0.1:0", tls, "--idle-seconds", str(idle_seconds)
    )
    replace_file(folder / "scheduler" / "cluster.json", json.dumps({"address": address}).encode())
    return ClusterPlace(address, tls)
