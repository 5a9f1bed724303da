"""Remotes for the tests of leases; what serves them ends with the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from leases.remotes import TRANSPORTS, RefFormat, Remote, Transport, open_remote
from leases.tcp_proxy import TcpProxy
from work.conftest import _nothing_is_left as _nothing_is_left


@pytest.fixture
def make_remote(tmp_path: Path) -> Iterator[Callable[..., Remote]]:
    """Make remotes, each in a folder of its own."""
    with ExitStack() as stack:

        def make(transport: Transport = "path", ref_format: RefFormat = "files") -> Remote:
            folder = tmp_path / f"remote-{len(list(tmp_path.glob('remote-*')))}"
            folder.mkdir()
            return stack.enter_context(open_remote(folder, transport, ref_format))

        yield make


@pytest.fixture(params=TRANSPORTS)
def remote(request: pytest.FixtureRequest, make_remote: Callable[..., Remote]) -> Remote:
    """A remote by each transport."""
    return make_remote(request.param)


@pytest.fixture
def make_proxy() -> Iterator[Callable[[Remote], TcpProxy]]:
    """Make proxies before remotes that have a port."""
    with ExitStack() as stack:
        yield lambda remote: stack.enter_context(TcpProxy(remote.port))
