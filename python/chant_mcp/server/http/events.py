"""What was sent to a client lately, so that one whose connection broke gets what it missed."""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass

from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import JSONRPCMessage

_MOST_EVENTS = 256
"""Events that are kept of a session."""

_MOST_BYTES = 4_000_000
"""About how long they may be together; the newest is kept however long it is."""


@dataclass(frozen=True, slots=True)
class _Event:
    number: int
    stream: str
    message: JSONRPCMessage | None
    size: int


class Events(EventStore):
    """The latest events of one session, in memory."""

    def __init__(self) -> None:
        """Begin with none."""
        self._numbers = itertools.count(1)
        self._events: deque[_Event] = deque()
        self._size = 0

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        """Keep an event; the oldest ones make room."""
        size = 0 if message is None else len(message.model_dump_json(by_alias=True, exclude_unset=True))
        event = _Event(next(self._numbers), stream_id, message, size)
        self._events.append(event)
        self._size += size
        while len(self._events) > 1 and (len(self._events) > _MOST_EVENTS or self._size > _MOST_BYTES):
            self._size -= self._events.popleft().size
        return str(event.number)

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        """Send what came after an event on its stream.

        Returns:
            The stream; none when the event is not known, or not any more.
        """
        stream = next((event.stream for event in self._events if str(event.number) == last_event_id), None)
        if stream is None:
            return None
        later = [
            event for event in self._events if event.stream == stream and event.number > int(last_event_id)
        ]
        for event in later:
            if event.message is not None:
                await send_callback(EventMessage(event.message, str(event.number)))
        return stream


class Sessions(StreamableHTTPSessionManager):
    """The SDK's sessions, each with events of its own.

    The SDK would share one store among all; streams are named after requests there, and clients give
    their requests the same names.
    """

    @property
    def count(self) -> int:
        """How many sessions are open."""
        return len(self._server_instances)

    @property
    def event_store(self) -> EventStore:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Give a new session its store; the SDK asks once for each."""
        return Events()

    @event_store.setter
    def event_store(self, store: EventStore | None) -> None:
        """Take what the constructor would share among all, and leave it."""
