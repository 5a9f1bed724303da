"""The server of a run: outside of what holds the run, one process for all connections of its agent.

The runner hands the names of connections to it, one a line of standard input; each name is a pair of named
pipes in the folder of the run, which the agent can write in. So nothing there is opened through a link, or if
it is no pipe of this user's. When the input ends the run is over, or its runner died: then this process ends,
whatever is under way.

The protocol's library takes longer to import than most runs last. So this module, which needs none, answers
what agents usually send: the handshake, the list of tools and plain calls. With the first message that is
anything else the library takes the connection over, for good.
"""

from __future__ import annotations

import json
import logging
import os
import re
import select
import stat
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from chant_mcp import progress
from chant_mcp._core import VERSION
from chant_mcp.errors import ChantError
from chant_mcp.icon import ICON
from chant_mcp.message_lines import LONGEST_MESSAGE, LONGEST_TEXT, lines_of
from chant_mcp.tool_calls import (
    OfferedTools,
    RefusedCall,
    ToolResult,
    answer_result,
    call_in_folders,
    call_shape,
    crash_text,
    refusal_result,
    schema_for,
)
from chant_mcp.toolsets.schemas import published

if TYPE_CHECKING:
    from chant_mcp.toolsets import ToolEntry

_MOST = 16
"""Connections of one run at a time."""

_NAME = re.compile(rb"[0-9a-f]{32}")

_REVISIONS = ("2025-06-18", "2025-11-25")
"""Revisions of the protocol in which results look as they are written here."""

_REVISION_IN_META = "io.modelcontextprotocol/protocolVersion"
"""What a message of the later protocol, which has no handshake, carries."""

_CAPABILITIES = {
    "completions": {},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}

logger = logging.getLogger("chant_mcp.server")


class RunServer:
    """Serves the connections of one run."""

    def __init__(self, folder: str, offered: OfferedTools) -> None:
        """Take the folder where the pipes lie, and the tools.

        Raises:
            OSError: When the folder cannot be opened.
        """
        self._place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        self._offered = offered
        self._free = threading.Semaphore(_MOST)

    def serve(self) -> None:
        """Serve until standard input ends; then end the process."""
        for line in sys.stdin.buffer:
            if _NAME.fullmatch(name := line.strip()):
                threading.Thread(target=self._serve_one, args=(name.decode(),), daemon=True).start()
        # No call that is under way can matter to a run that is over.
        logging.shutdown()
        os._exit(0)

    def _serve_one(self, name: str) -> None:
        if (pipes := _opened(self._place, name)) is None:
            return
        read, write = pipes
        has_ended = True
        try:
            if not self._free.acquire(blocking=False):
                _write(write, f"-This run has {_MOST} connections already; end one of them.\n".encode())
                return
            has_ended = False
            try:
                _write(write, b"+\n")
                PlainConnection(self._offered, read, write).serve()
                has_ended = True
            finally:
                self._free.release()
        except Exception:  # the others go on
            logger.exception("a connection broke")
        finally:
            os.close(write)
            if has_ended:  # else a thread may still read
                os.close(read)


class PlainConnection:
    """A connection that is served without the protocol's library for as long as that is possible."""

    def __init__(self, offered: OfferedTools, read: int, write: int) -> None:
        """Take the tools and both pipes."""
        self._offered = offered
        self._lines = os.fdopen(read, "rb", closefd=False)
        self._out = write
        self._opening: bytes | None = None
        self._agent: str | None = None

    def serve(self) -> None:
        """Serve until the input ends, or no one reads the answers."""
        for line in lines_of(self._lines):
            if not line.strip():
                continue
            answer = self._answer(line)
            if answer is None:
                self._hand_over(line)
                return
            try:
                _write(self._out, answer)
            except OSError:
                return

    def _hand_over(self, line: bytes) -> None:
        from chant_mcp.server.connections import take_over

        take_over(self._offered, self._lines, self._out, self._opening, [line])

    def _answer(self, line: bytes) -> bytes | None:
        """Give the answer to a message, which may be empty; `None` where the library has to give it."""
        if len(line) > LONGEST_MESSAGE:
            return None
        try:
            message = json.loads(line.decode())
        except (ValueError, RecursionError):
            return None
        if not isinstance(message, dict):
            return None
        members = cast(dict[str, Any], message)
        params = members.get("params", {})
        if members.get("jsonrpc") != "2.0" or not isinstance(params, dict) or not _is_early(members):
            return None
        if "id" not in members:
            return self._take_notice(members)
        if not _is_plain(members["id"]) or not members.keys() <= {"jsonrpc", "id", "method", "params"}:
            return None
        given = cast(dict[str, Any], params)
        method = members.get("method")
        if method == "initialize":
            result = self._open(given, line)
        elif self._opening is None:
            return None
        else:
            result = self._result(method, given)
        if result is None:
            return None
        return f'{{"jsonrpc":"2.0","id":{_json(members["id"])},"result":{result}}}\n'.encode()

    def _take_notice(self, message: dict[str, Any]) -> bytes | None:
        """Calls are answered one after the other, so a cancelled one is over already."""
        is_usual = message.get("method") in ("notifications/initialized", "notifications/cancelled")
        return b"" if is_usual and self._opening is not None else None

    def _open(self, params: dict[str, Any], line: bytes) -> str | None:
        revision, client = params.get("protocolVersion"), params.get("clientInfo")
        if self._opening is not None or revision not in _REVISIONS or not isinstance(client, dict):
            return None
        name = cast(dict[str, Any], client).get("name")
        is_client = isinstance(name, str) and isinstance(cast(dict[str, Any], client).get("version"), str)
        if not is_client or not isinstance(params.get("capabilities"), dict):
            return None
        self._opening, self._agent = line, name
        return _json(
            {
                "capabilities": _CAPABILITIES,
                "instructions": self._offered.instructions(),
                "protocolVersion": revision,
                "serverInfo": {"icons": [ICON], "name": "chant", "version": VERSION},
            }
        )

    def _result(self, method: object, params: dict[str, Any]) -> str | None:
        names = params.keys() - {"_meta"}
        if method == "ping" and not names:
            return "{}"
        if method == "tools/list" and not names:
            return _json({"tools": [listed(entry) for entry in self._offered.offered()]})
        if method == "tools/call" and names <= {"name", "arguments"}:
            return self._call(params)
        return None

    def _call(self, params: dict[str, Any]) -> str | None:
        shaped = call_shape(params)
        name: str = shaped["name"]
        arguments: dict[str, Any] = shaped.get("arguments") or {}
        try:
            checked = self._offered.checked(name, arguments)
            entry = self._offered.entries[name]
            if entry.asks is not None or entry.asks_people:
                return None
            return _shown(self._called(entry, checked))
        except RefusedCall as error:
            return _shown(error.result)
        except ChantError as error:
            return _shown(refusal_result(error))
        except BaseException as error:  # a panic of the core, too, ends the call and not the server
            return _shown(ToolResult((crash_text(name, error),), is_error=True))

    def _called(self, entry: ToolEntry, arguments: dict[str, Any]) -> ToolResult:
        rights = self._offered.rights
        session, writes_in = self._offered.session, None
        if rights is not None:
            session, writes_in = rights.meant(entry, arguments)
        before = progress.agent.set(self._agent)
        try:
            return answer_result(call_in_folders(writes_in, lambda: entry.run(session, **arguments)))
        finally:
            progress.agent.reset(before)


def _is_early(message: dict[str, Any]) -> bool:
    """Return whether a message is of the protocol that begins with a handshake."""
    meta: Any = message.get("params", {}).get("_meta", {})
    return isinstance(meta, dict) and _REVISION_IN_META not in meta


def _is_plain(id: object) -> bool:
    """Return whether an ID can be written as it was read."""
    if isinstance(id, str):
        return id.isascii() and len(id) <= LONGEST_TEXT
    return isinstance(id, int) and not isinstance(id, bool)


def listed(entry: ToolEntry) -> dict[str, Any]:
    """Show a tool as a list of tools has it."""
    import inspect

    return {
        "annotations": entry.hints.published(),
        "description": inspect.cleandoc(entry.run.__doc__ or ""),
        "inputSchema": published(schema_for(entry)),
        "name": entry.name,
    }


def _shown(result: ToolResult) -> str:
    content = _json([{"text": text, "type": "text"} for text in result.texts])
    structured = "" if result.json is None else f',"structuredContent":{result.json}'
    return f'{{"content":{content},"isError":{_json(result.is_error)}{structured}}}'


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _write(fd: int, data: bytes) -> None:
    """Write all of it to a pipe that takes what it has room for.

    Raises:
        OSError: When no one reads any more.
    """
    waits = select.poll()
    waits.register(fd, select.POLLOUT)
    while data:
        waits.poll()
        with suppress(BlockingIOError):
            data = data[os.write(fd, data) :]


def _opened(place: int, name: str) -> tuple[int, int] | None:
    """Open both pipes of a connection; `None` for what is none, or what has no other end any more."""
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
