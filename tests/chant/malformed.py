"""What the tests of malformed files share: every tool tells of the file, and none lets it hide another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chant.reading import ids, listed, problem_of

if TYPE_CHECKING:
    from harness import Caller

LISTING: list[tuple[str, dict[str, Any]]] = [
    ("chant_spec_list", {}),
    ("chant_status", {}),
    ("chant_ready", {}),
    ("chant_search", {"query": ""}),
]


async def problem(call: Caller, text: str | bytes, *words: str) -> str:
    """Check that a file has a problem record for every tool, and hides no other; give its message."""
    call.project.spec("good")
    path = call.project.write("bad", text)
    before = path.read_bytes()
    message = ""
    for tool, arguments in LISTING:
        data = await call.data(tool, **arguments)
        message = problem_of(data, "bad.md")["message"]
        assert all(word in message for word in words), message
        assert tool == "chant_status" or "good" in ids(data)
    assert (await call.data("chant_spec_get", id="good"))["id"] == "good"
    assert path.read_bytes() == before
    return message


async def refused(call: Caller, text: str | bytes, *words: str) -> str:
    """Check that a file has a problem record and is not served as a spec; give the message."""
    message = await problem(call, text, *words)
    before = call.project.path("bad").read_bytes()
    assert "bad" not in await listed(call)
    found = (await call.data("chant_lint"))["diagnostics"]
    assert [d["severity"] for d in found if d["spec_id"] == "bad" and d["rule"] == "parse"] == ["error"]
    for tool, arguments in (
        ("chant_spec_get", {}),
        ("chant_verify", {}),
        ("chant_spec_update", {"labels": ["x"]}),
    ):
        assert ".chant/specs/bad.md" in await call.error(tool, id="bad", **arguments)
    assert call.project.path("bad").read_bytes() == before
    return message
