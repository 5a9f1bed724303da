"""The script by which Slurm starts workers: one array, a worker in each of its jobs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from chant_mcp.errors import InvalidArgumentError

if TYPE_CHECKING:
    from chant_mcp.cluster.deployers import ClusterPlan

_PLAIN = re.compile(r"[^\x00-\x1f\x7f]*")


def job_script(plan: ClusterPlan, address: str, folder: Path) -> str:
    """Write the script.

    Certificates are read from the same path as here: Slurm's machines share a file system.

    Raises:
        InvalidArgumentError: A setting has a line break.
    """
    options = [
        f"--job-name=chant-{plan.name}",
        f"--array=1-{plan.workers}",
        f"--output={folder / 'slurm-%A-%a.log'}",
        "--ntasks=1",
        f"--cpus-per-task={max(1, sum(plan.slots.values()))}",
        # An agent has time to end when the job is cancelled.
        "--signal=B:TERM@90",
    ]
    options += [f"--partition={plan.queue}"] if plan.queue else []
    options += [f"--time={plan.time}"] if plan.time else []
    options += plan.options
    if not all(_PLAIN.fullmatch(option) for option in options):
        raise InvalidArgumentError(f"cluster.{plan.name}: an option of Slurm has no line break.")
    worker = [plan.program, "worker", address, "--once", "--tls", str(plan.tls), *plan.offer_options()]
    name = f'"{plan.name}-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID"'
    lines = ["#!/bin/sh", *(f"#SBATCH {option}" for option in options)]
    return "\n".join([*lines, f"exec {shlex.join(worker)} --name {name}", ""])
