"""A worker machine, and the proof that no test leaves a process behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from cluster.jobs import Worker
from work.conftest import _nothing_is_left as _nothing_is_left


@pytest.fixture
def make_worker(tmp_path: Path) -> Iterator[Callable[..., Worker]]:
    """Make worker machines, whose jobs end with the test."""
    with ExitStack() as stack:

        def make(**options: Any) -> Worker:
            worker = Worker(tmp_path / f"machine-{len(list(tmp_path.glob('machine-*')))}", **options)
            stack.callback(worker.close)
            return worker

        yield make


@pytest.fixture
def worker(make_worker: Callable[..., Worker]) -> Worker:
    """A worker machine whose owner accepted nothing in particular."""
    return make_worker()
