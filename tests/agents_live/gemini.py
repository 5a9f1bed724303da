"""Google's protocol: `generateContent` and its stream."""

from __future__ import annotations

from conversation import Json, ModelReply, ModelRequest, ToolResult, offered, step_of, text_of


def is_asked(path: str) -> bool:
    """Say whether a path is one of this protocol."""
    return path.endswith((":generateContent", ":streamGenerateContent", ":countTokens"))


def read_request(path: str, body: Json) -> ModelRequest:
    """Read a request."""
    path = path.split("?", 1)[0]
    model, _, deed = path.rsplit("/", 1)[-1].partition(":")
    contents = body.get("contents") or []
    parts = [part for content in contents for part in content.get("parts") or []]
    answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
    results = tuple(ToolResult(step_of(answer.get("id")), str(answer.get("response"))) for answer in answers)
    declared = [one for tool in body.get("tools") or [] for one in tool.get("functionDeclarations") or []]
    tools = [
        offered(one["name"], one.get("parametersJsonSchema") or one.get("parameters")) for one in declared
    ]
    system = (body.get("systemInstruction") or {}).get("parts") or []
    text = "\n".join(text_of(part) for part in [*system, *parts])
    return ModelRequest("gemini", model, tuple(tools), text, results, deed.startswith("stream"))


def written_reply(reply: ModelReply) -> Json:
    """Write a reply; a stream has it as its one event."""
    part: Json = {"text": reply.text}
    if reply.call:
        call = reply.call
        part = {"functionCall": {"id": call.id, "name": call.tool.name, "args": call.arguments}}
    content = {"role": "model", "parts": [part]}
    stop = "SAFETY" if reply.is_refusal else "STOP"
    usage = {
        "promptTokenCount": 1200,
        "cachedContentTokenCount": 200,
        "candidatesTokenCount": 40,
        "totalTokenCount": 1240,
    }
    candidate = {"index": 0, "content": content, "finishReason": stop}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "loopback"}
