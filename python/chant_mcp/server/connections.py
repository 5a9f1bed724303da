"""The server of a run: outside of what holds the run, one process for all connections of its agent.

The runner hands the names of connections to it, one a line of standard input; each name is a pair of named
pipes in the folder of the run, which the agent can write in. So nothing there is opened through a link, or if
it is no pipe of this user's. When the input ends the run is over, or its runner died: then this process ends,
whatever is under way.
"""

from __future__ import annotations

import logging
import os
import re
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import anyio
import anyio.from_thread
import anyio.lowlevel

from chant_mcp.server.app import ChantServer
from chant_mcp.server.wire import PipeIn, PipeOut

_MOST = 16
"""Connections of one run at a time."""

_NAME = re.compile(rb"[0-9a-f]{32}")

logger = logging.getLogger("chant_mcp.server")


async def serve_connections(folder: Path, make: Callable[[], ChantServer]) -> None:
    """Serve the connections of a run until standard input ends; then end the process.

    Args:
        folder: Where the pipes lie.
        make: Makes the server of one connection.
    """
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    open_ones = 0

    async def serve(name: str) -> None:
        nonlocal open_ones
        if (pipes := _opened(place, name)) is None:
            return
        read, write = pipes
        has_ended = True
        try:
            if open_ones >= _MOST:
                _tell(write, f"-This run has {_MOST} connections already; end one of them.")
                return
            open_ones += 1
            has_ended = False
            try:
                _tell(write, "+")
                await make().serve_pipes(PipeIn(read), PipeOut(write))
                has_ended = True
            finally:
                open_ones -= 1
        except Exception:  # the others go on
            logger.exception("a connection broke")
        finally:
            os.close(write)
            if has_ended:  # else a thread still reads
                os.close(read)

    async with anyio.create_task_group() as tasks:
        loop = anyio.lowlevel.current_token()

        def hear() -> None:
            for line in sys.stdin.buffer:
                if _NAME.fullmatch(line.strip()):
                    anyio.from_thread.run_sync(tasks.start_soon, serve, line.strip().decode(), token=loop)
            # No call that is under way can matter to a run that is over.
            logging.shutdown()
            os._exit(0)

        threading.Thread(target=hear, name="connections", daemon=True).start()
        await anyio.sleep_forever()


def _opened(place: int, name: str) -> tuple[int, int] | None:
    """Open both pipes of a connection; `None` for what is none, or nobody's any more."""
    flags = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    opened: list[int] = []
    try:
        opened.append(os.open(f"{name}.in", os.O_RDONLY | flags, dir_fd=place))
        opened.append(os.open(f"{name}.out", os.O_WRONLY | flags, dir_fd=place))
        if all(map(_is_own_pipe, opened)):
            # Read by a thread of its own, which may wait.
            os.set_blocking(opened[0], True)
            return opened[0], opened[1]
    except OSError:
        pass
    for fd in opened:
        os.close(fd)
    return None


def _is_own_pipe(fd: int) -> bool:
    found = os.fstat(fd)
    return stat.S_ISFIFO(found.st_mode) and found.st_uid == os.geteuid()


def _tell(write: int, line: str) -> None:
    with suppress(OSError):
        os.write(write, f"{line}\n".encode())
