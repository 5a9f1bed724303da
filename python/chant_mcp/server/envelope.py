"""What is let in as a message: every request that can be read gets one answer, under its own ID.

The SDK drops what its models do not take, answers deep nesting under no ID, and cannot write back half of a
surrogate pair. So each message is looked at here before it sees any, in both eras and on every transport. IDs
are strings or integers (`1.0` is one); texts are Unicode; what an error would quote is short.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

import mcp_types as t
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from chant_mcp.message_lines import LONGEST_MESSAGE, LONGEST_TEXT

_MOST_LEVELS = 200
"""Levels of nesting that the library reads."""

_DEEPEST = 100_000
"""Levels that are followed to find an ID; beyond there is no message."""

_LIMITS = {
    "recursion": f"it is nested deeper than {_MOST_LEVELS} levels",
    "number out of range": "a number in it has too many digits",
}
"""What the library's errors say of JSON that it does not read all the same, and how that is reported."""

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]', re.DOTALL)

Item = SessionMessage | t.JSONRPCError
"""A message, or the error owed for one that is not let in."""


def admit(line: bytes) -> Item:
    """Read a message, or give the error that answers it."""
    if len(line) > LONGEST_MESSAGE:
        return _invalid(f"the message is longer than {LONGEST_MESSAGE} bytes", _own_id(line))
    try:
        message = t.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        return _unusual(line, error)
    if isinstance(message, t.JSONRPCNotification) and b'"id"' in line:
        return _unusual(line, None)
    if isinstance(message, t.JSONRPCRequest):
        refused = _bad_token(message) or (_short(message) if len(line) > LONGEST_TEXT else None)
        return refused or SessionMessage(message)
    return SessionMessage(message)


def unreadable_by_library(message: t.JSONRPCMessage) -> t.JSONRPCError:
    """Refuse a message that was let in and that the library's own reader of bytes does not take."""
    id = message.id if isinstance(message, t.JSONRPCRequest) else None
    return _invalid("a text in it has half of a surrogate pair", id)


def _unusual(line: bytes, error: ValidationError | None) -> Item:
    problem = error.errors(include_url=False)[0] if error else None
    is_json_error = problem is not None and problem["type"] == "json_invalid"
    why = str(problem.get("ctx", {}).get("error", "")) if problem and is_json_error else ""
    for sign, limit in _LIMITS.items():
        if sign in why and (id := _own_id(line)) is not None:
            return _invalid(limit, id)
    try:
        frame = json.loads(line.decode())
    except (ValueError, RecursionError):
        return _error(t.PARSE_ERROR, f"Parse error: {why or 'it cannot be read'}")
    if why and "hex escape" not in why:
        return _error(t.PARSE_ERROR, f"Parse error: {why}")
    if not isinstance(frame, dict):
        return _error(t.INVALID_REQUEST, "Invalid Request")
    return _of_frame(cast(dict[str, Any], frame))


def _of_frame(frame: dict[str, Any]) -> Item:
    """Read a message whose JSON was read in the lenient way."""
    if "id" in frame and isinstance(frame.get("method"), str) and frame.get("jsonrpc") == "2.0":
        id = frame["id"]
        if isinstance(id, float) and id.is_integer():
            frame["id"] = int(id)
        elif isinstance(id, float):
            return _invalid("its ID has a fraction", id)
        elif not isinstance(id, (str, int)) or isinstance(id, bool):
            return _invalid("its ID has to be a string or an integer", None)
    try:
        message = t.jsonrpc_message_adapter.validate_python(frame, by_name=False)
    except ValidationError:
        return _rejection(frame)
    if isinstance(message, t.JSONRPCRequest):
        return _bad_token(message) or _short(message) or SessionMessage(message)
    return SessionMessage(message)


def _bad_token(request: t.JSONRPCRequest) -> t.JSONRPCError | None:
    """Refuse a request whose progress could not be reported: the library takes `true` for the number 1."""
    meta = (request.params or {}).get("_meta")
    token = cast(dict[str, Any], meta).get("progressToken") if isinstance(meta, dict) else None
    if isinstance(token, bool):
        why = "Invalid params: its progressToken has to be a string or an integer"
        return _error(t.INVALID_PARAMS, why, request.id)
    return None


def _short(request: t.JSONRPCRequest) -> t.JSONRPCError | None:
    """Refuse a request with a text that an error could not quote, or could not write at all."""
    id = request.id
    if isinstance(id, str) and len(id) > LONGEST_TEXT:
        return _invalid(f"its ID is longer than {LONGEST_TEXT} characters", None)
    if len(request.method) > LONGEST_TEXT:
        return _error(t.METHOD_NOT_FOUND, "Method not found", id)
    params = dict(request.params or {})
    if request.method == "tools/call":
        # The tool's own check names what is wrong with these, where a model sees it.
        params.pop("name", None)
        params.pop("arguments", None)
    for name, text in (("id", id), ("method", request.method), *_texts("params", params)):
        if not isinstance(text, str):
            continue
        if len(text) > LONGEST_TEXT:
            return _invalid(f"{name} is longer than {LONGEST_TEXT} characters", id)
        if not _is_unicode(text):
            return _invalid(f"{name} is no Unicode text, it has half of a surrogate pair", id)
    return None


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Give each text in a value, keys included, with the name of its place."""
    waiting = [(name, value)]
    while waiting:
        place, found = waiting.pop()
        if isinstance(found, str):
            yield place, found
        elif isinstance(found, list):
            waiting += [(place, item) for item in cast(list[Any], found)]
        elif isinstance(found, dict):
            for key, item in cast(dict[str, Any], found).items():
                yield f"a name in {place}", key
                waiting.append((f"{place}.{key}" if len(place) + len(key) < 100 else place, item))


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _own_id(line: bytes) -> str | int | float | None:
    """Find the ID of an object that is too long or too deep to be read; `None` where it has none."""
    depth = 0
    key = value_from = None
    id: Any = None
    for token in _TOKEN.finditer(line):
        word = token.group()[:4]
        if word in (b"{", b"["):
            depth += 1
            if depth > _DEEPEST or (depth == 1 and word == b"["):
                return None
        elif depth == 1 and word == b":":
            value_from = token.end() if key == b'"id"' else None
        elif depth == 1 and word in (b",", b"}") and value_from is not None:
            id, value_from = _number_or_text(line[value_from : token.start()]), None
        key = word if depth == 1 else None
        if word in (b"}", b"]"):
            depth -= 1
            if depth == 0:
                return id
    return id if len(line) > LONGEST_MESSAGE else None


def _number_or_text(text: bytes) -> str | int | float | None:
    try:
        value = json.loads(text) if len(text) <= LONGEST_TEXT else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None


def _rejection(frame: dict[str, Any]) -> t.JSONRPCError:
    """Give the error owed for JSON that is no message (seed chant, errors)."""
    given = frame.get("id")
    id = given if isinstance(given, (str, int)) and not isinstance(given, bool) else None
    is_other_version = frame.get("jsonrpc") != "2.0"
    return _error(
        t.INVALID_REQUEST, "Invalid JSON-RPC version" if is_other_version else "Invalid Request", id
    )


def _invalid(why: str, id: str | int | float | None) -> t.JSONRPCError:
    return _error(t.INVALID_REQUEST, f"Invalid Request: {why}", id)


def _error(code: int, message: str, id: str | int | float | None = None) -> t.JSONRPCError:
    # An ID with a fraction is echoed, although the library's models have none.
    return t.JSONRPCError.model_construct(
        jsonrpc="2.0", id=cast(Any, id), error=t.ErrorData(code=code, message=message)
    )
