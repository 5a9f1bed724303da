"""The machine around a measurement: the client kept out of the way, others waited for and reported."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_TICK = 1 / os.sysconf("SC_CLK_TCK")
_BUSY = 0.1
"""Share of all cores from which on other programs spoil a measurement."""
_PATIENCE = 120.0
"""Seconds for which other programs are waited for."""


@contextmanager
def quiet() -> Generator[None]:
    """Keep the client out of the way: no garbage collection, and one core that it does not leave.

    Servers were started before and may use all cores; the client sleeps while they work.
    """
    cores = os.sched_getaffinity(0)
    gc.collect()
    gc.disable()
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
        gc.enable()


@dataclass(slots=True)
class Bystanders:
    """How much of the machine other programs took while something was measured."""

    shares: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def during(self, what: str) -> Generator[None]:
        """Wait until the machine is quiet, then note what others take until the end."""
        _settle()
        begin = _others()
        start = time.monotonic()
        yield
        elapsed = (time.monotonic() - start) * (os.cpu_count() or 1)
        self.shares[what] = max(_others() - begin, 0.0) / elapsed

    def complaints(self) -> list[str]:
        """Name the measurements that should be made again."""
        return [
            f"other programs took {share:.0%} of the machine during: {what}"
            for what, share in self.shares.items()
            if share > _BUSY
        ]


def _settle() -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        begin = _others()
        time.sleep(1)
        if (_others() - begin) / (os.cpu_count() or 1) < _BUSY:
            return


def _others() -> float:
    """Seconds of all cores that neither this process nor its finished children used.

    Children that still run count as others, so it is asked when there are none.
    """
    fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _iowait, irq, softirq, steal = (int(text) * _TICK for text in fields[:8])
    own = sum(os.times()[:4])
    return user + nice + system + irq + softirq + steal - own
