"""How providers say no, in the words of each: a status, a body and headers."""

from __future__ import annotations

from dataclasses import dataclass, field

from conversation import Json


@dataclass(frozen=True)
class ProviderRefusal:
    """An answer over HTTP that is no reply."""

    status: int
    body: Json
    headers: dict[str, str] = field(default_factory=dict[str, str])


def _messages(status: int, kind: str, message: str) -> ProviderRefusal:
    error = {"type": kind, "message": message}
    return ProviderRefusal(status, {"type": "error", "error": error, "request_id": "req_1"})


def _openai(status: int, kind: str, code: str | None, message: str) -> ProviderRefusal:
    return ProviderRefusal(status, {"error": {"message": message, "type": kind, "param": None, "code": code}})


def _gemini(status: int, name: str, message: str) -> ProviderRefusal:
    return ProviderRefusal(status, {"error": {"code": status, "message": message, "status": name}})


def refusal_of(fault: str, protocol: str, model: str) -> ProviderRefusal:
    """Give what a provider answers, whose protocol that is, when this goes wrong.

    Raises:
        KeyError: When it is no fault of which a provider says anything.
    """
    kind = protocol if protocol in ("messages", "gemini") else "openai"
    refusal = _known(model)[fault][kind]
    if fault == "rate limit":
        return ProviderRefusal(refusal.status, refusal.body, {"retry-after": "1"})
    return refusal


def _known(model: str) -> dict[str, dict[str, ProviderRefusal]]:
    key = (
        "Incorrect API key provided: sk-proj-****BBBB. You can find your API key in your account's settings."
    )
    limit = f"Rate limit reached for {model} on requests per min (RPM): Limit 3, Used 3, Requested 1."
    absent = f"The model `{model}` does not exist or you do not have access to it."
    return {
        "wrong key": {
            "messages": _messages(401, "authentication_error", "invalid x-api-key"),
            "openai": _openai(401, "invalid_request_error", "invalid_api_key", key),
            "gemini": _gemini(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
        },
        "rate limit": {
            "messages": _messages(
                429, "rate_limit_error", "This request would exceed your account's rate limit."
            ),
            "openai": _openai(429, "requests", "rate_limit_exceeded", limit),
            "gemini": _gemini(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
        },
        "overload": {
            "messages": _messages(529, "overloaded_error", "Overloaded"),
            "openai": _openai(503, "server_error", None, "The engine is currently overloaded."),
            "gemini": _gemini(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
        },
        "unknown model": {
            "messages": _messages(404, "not_found_error", f"model: {model}"),
            "openai": _openai(404, "invalid_request_error", "model_not_found", absent),
            "gemini": _gemini(404, "NOT_FOUND", f"models/{model} is not found for API version v1beta."),
        },
    }
