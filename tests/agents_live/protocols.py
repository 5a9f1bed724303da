"""Four protocols of models: how requests are read, and replies and refusals are written."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import gemini
from conversation import Json, ModelReply, ModelRequest, ToolCall, ToolResult, offered, step_of, text_of

_ANSWERS = itertools.count(1)

USED = {"input": 1200, "cached": 200, "output": 40}
"""Tokens that each reply is said to have taken."""

Event = tuple[str, Json | str]
"""An event of a stream: its name, empty where a protocol names none, and its data."""


def protocol_of(path: str) -> str | None:
    """Say which protocol is spoken at a path."""
    path = path.split("?", 1)[0].rstrip("/")
    endings = {
        "/messages": "messages",
        "/messages/count_tokens": "count",
        "/responses": "responses",
        "/chat/completions": "chat",
        "/models": "models",
    }
    for ending, protocol in endings.items():
        if path.endswith(ending):
            return protocol
    return "gemini" if gemini.is_asked(path) else None


def read_request(protocol: str, path: str, body: Json) -> ModelRequest:
    """Read a request."""
    readers = {"messages": _read_messages, "responses": _read_responses, "chat": _read_chat}
    if protocol == "gemini":
        return gemini.read_request(path, body)
    return readers[protocol](body)


def _read_messages(body: Json) -> ModelRequest:
    results: list[ToolResult] = []
    texts = [text_of(body.get("system") or "")]
    for message in body.get("messages") or []:
        texts.append(text_of(message["content"]))
        parts = message["content"] if isinstance(message["content"], list) else []
        results += [
            ToolResult(step_of(part["tool_use_id"]), text_of(part), bool(part.get("is_error")))
            for part in parts
            if part.get("type") == "tool_result"
        ]
    tools = [offered(tool["name"], tool.get("input_schema")) for tool in body.get("tools") or []]
    return ModelRequest(
        "messages",
        str(body.get("model")),
        tuple(tools),
        "\n".join(texts),
        tuple(results),
        bool(body.get("stream")),
    )


def _read_chat(body: Json) -> ModelRequest:
    messages = body.get("messages") or []
    results = [
        ToolResult(step_of(message.get("tool_call_id")), text_of(message.get("content")))
        for message in messages
        if message.get("role") == "tool"
    ]
    functions = [tool["function"] for tool in body.get("tools") or [] if tool.get("type") == "function"]
    tools = [offered(function["name"], function.get("parameters")) for function in functions]
    text = "\n".join(text_of(message.get("content")) for message in messages)
    return ModelRequest(
        "chat", str(body.get("model")), tuple(tools), text, tuple(results), bool(body.get("stream"))
    )


def _read_responses(body: Json) -> ModelRequest:
    given = body.get("input") or []
    items = given if isinstance(given, list) else [{"content": given}]
    ends = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
    results = [
        ToolResult(step_of(item["call_id"]), text_of(item.get("output")))
        for item in items
        if item.get("type") in ends
    ]
    texts = [str(body.get("instructions") or ""), *(text_of(item) for item in items)]
    tools = []
    for tool in body.get("tools") or []:
        inner = tool.get("tools") if tool.get("type") == "namespace" else None
        for one in inner or [tool]:
            space = tool["name"] if inner else None
            if one.get("name"):
                is_freeform = one.get("type") == "custom"
                tools.append(
                    offered(one["name"], one.get("parameters"), space=space, is_freeform=is_freeform)
                )
    return ModelRequest(
        "responses",
        str(body.get("model")),
        tuple(tools),
        "\n".join(texts),
        tuple(results),
        bool(body.get("stream")),
    )


def whole_reply(request: ModelRequest, reply: ModelReply) -> Json:
    """Write a reply in one piece."""
    writers = {"messages": _whole_message, "responses": _whole_response, "chat": _whole_chat}
    if request.protocol == "gemini":
        return gemini.written_reply(reply)
    return writers[request.protocol](request, reply)


def streamed_reply(request: ModelRequest, reply: ModelReply) -> Iterator[bytes]:
    """Write a reply as server-sent events, one piece of bytes an event."""
    writers = {"messages": _message_events, "responses": _response_events, "chat": _chat_events}
    if request.protocol == "gemini":
        events: Iterator[Event] = iter([("", gemini.written_reply(reply))])
    else:
        events = writers[request.protocol](request, reply)
    for name, data in events:
        text = data if isinstance(data, str) else json.dumps(data)
        yield (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def _new_id(kind: str) -> str:
    """Name an answer: agents count the usage of two messages with one name once."""
    return f"{kind}_{next(_ANSWERS)}"


def _call_input(call: ToolCall) -> Json:
    assert isinstance(call.arguments, dict)
    return call.arguments


# Messages


def _message_usage() -> Json:
    return {
        "input_tokens": USED["input"] - USED["cached"],
        "cache_read_input_tokens": USED["cached"],
        "cache_creation_input_tokens": 0,
        "output_tokens": USED["output"],
    }


def _message_block(reply: ModelReply) -> Json:
    if reply.call:
        call = reply.call
        return {"type": "tool_use", "id": call.id, "name": call.tool.name, "input": _call_input(call)}
    return {"type": "text", "text": reply.text}


def _message_stop(reply: ModelReply) -> str:
    if reply.is_refusal:
        return "refusal"
    return "tool_use" if reply.call else "end_turn"


def _whole_message(request: ModelRequest, reply: ModelReply) -> Json:
    return {
        "id": _new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": [_message_block(reply)],
        "stop_reason": _message_stop(reply),
        "stop_sequence": None,
        "usage": _message_usage(),
    }


def _message_events(request: ModelRequest, reply: ModelReply) -> Iterator[Event]:
    start = {**_whole_message(request, reply), "content": [], "stop_reason": None}
    yield "message_start", {"type": "message_start", "message": start}
    block = _message_block(reply)
    if reply.call:
        piece = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        block = {**block, "input": {}}
    else:
        piece = {"type": "text_delta", "text": reply.text}
        block = {**block, "text": ""}
    yield "content_block_start", {"type": "content_block_start", "index": 0, "content_block": block}
    yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": piece}
    yield "content_block_stop", {"type": "content_block_stop", "index": 0}
    end = {"stop_reason": _message_stop(reply), "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": end, "usage": _message_usage()}
    yield "message_stop", {"type": "message_stop"}


# Chat completions


def _chat_usage() -> Json:
    return {
        "prompt_tokens": USED["input"],
        "completion_tokens": USED["output"],
        "total_tokens": USED["input"] + USED["output"],
        "prompt_tokens_details": {"cached_tokens": USED["cached"]},
    }


def _chat_message(reply: ModelReply) -> Json:
    if reply.call:
        call = reply.call
        function = {"name": call.tool.name, "arguments": json.dumps(call.arguments)}
        called = [{"index": 0, "id": call.id, "type": "function", "function": function}]
        return {"role": "assistant", "content": None, "tool_calls": called}
    return {"role": "assistant", "content": reply.text}


def _chat_stop(reply: ModelReply) -> str:
    if reply.is_refusal:
        return "content_filter"
    return "tool_calls" if reply.call else "stop"


def _whole_chat(request: ModelRequest, reply: ModelReply) -> Json:
    choice = {"index": 0, "message": _chat_message(reply), "finish_reason": _chat_stop(reply)}
    return {
        "id": _new_id("chatcmpl"),
        "object": "chat.completion",
        "created": 1,
        "model": request.model,
        "choices": [choice],
        "usage": _chat_usage(),
    }


def _chat_events(request: ModelRequest, reply: ModelReply) -> Iterator[Event]:
    chunk = {"id": _new_id("chatcmpl"), "object": "chat.completion.chunk"}
    common = {**chunk, "created": 1, "model": request.model}
    first = {"index": 0, "delta": _chat_message(reply), "finish_reason": None}
    yield "", {**common, "choices": [first]}
    last = {"index": 0, "delta": {}, "finish_reason": _chat_stop(reply)}
    yield "", {**common, "choices": [last]}
    yield "", {**common, "choices": [], "usage": _chat_usage()}
    yield "", "[DONE]"


# Responses


def _response_usage() -> Json:
    return {
        "input_tokens": USED["input"],
        "input_tokens_details": {"cached_tokens": USED["cached"]},
        "output_tokens": USED["output"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": USED["input"] + USED["output"],
    }


def _response_item(reply: ModelReply) -> Json:
    call = reply.call
    if not call:
        kind = "refusal" if reply.is_refusal else "text"
        content: Json = {"type": "output_text", "text": reply.text, "annotations": []}
        if reply.is_refusal:
            content = {"type": "refusal", kind: reply.text}
        return {
            "type": "message",
            "id": _new_id("msg"),
            "role": "assistant",
            "status": "completed",
            "content": [content],
        }
    common: dict[str, Any] = {"id": f"item_{call.step}", "call_id": call.id, "name": call.tool.name}
    if call.tool.space:
        common["namespace"] = call.tool.space
    if isinstance(call.arguments, str):
        return {"type": "custom_tool_call", "input": call.arguments, "status": "completed", **common}
    return {
        "type": "function_call",
        "arguments": json.dumps(call.arguments),
        "status": "completed",
        **common,
    }


def _whole_response(request: ModelRequest, reply: ModelReply) -> Json:
    return {
        "id": _new_id("resp"),
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": request.model,
        "output": [_response_item(reply)],
        "usage": _response_usage(),
        "error": None,
    }


def _response_events(request: ModelRequest, reply: ModelReply) -> Iterator[Event]:
    whole = _whole_response(request, reply)
    item = whole["output"][0]
    start = {**whole, "status": "in_progress", "output": [], "usage": None}
    yield "response.created", {"type": "response.created", "response": start}
    place = {"output_index": 0, "item_id": item["id"]}
    empty = {**item, "status": "in_progress"}
    for key in ("arguments", "input", "content"):
        if key in empty:
            empty[key] = [] if key == "content" else ""
    yield (
        "response.output_item.added",
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": empty,
        },
    )
    if reply.call is None:
        name = "response.output_text.delta"
        yield name, {"type": name, "content_index": 0, "delta": reply.text, **place}
    elif item["type"] == "function_call":
        for name, key in (("delta", "delta"), ("done", "arguments")):
            name = f"response.function_call_arguments.{name}"
            yield name, {"type": name, key: item["arguments"], "name": item["name"], **place}
    yield "response.output_item.done", {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield "response.completed", {"type": "response.completed", "response": whole}
