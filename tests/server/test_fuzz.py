"""Laws under arbitrary input: an answer or a tool error, and nothing is harmed that was not meant."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from chant_mcp.toolsets.vine import OPERATIONS
from harness import Project, text_of
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from mcp import Client
from mcp_types import CallToolResult
from server.pipes import Message, Pipes, Serve, encoded, request
from server.test_arguments import SCHEMAS, kind_of
from server.test_tools import MUTATING
from writing import files_below

LAW = law(30, shares=True, derandomize=False)

PENDING, BUSY, DONE, BAD = (
    f"2026-01-22-00{number}-{end}" for number, end in enumerate(["x7m", "b", "c", "d"])
)

SPECS = {
    PENDING: """---
type: code
status: pending
labels:
- a # keep
---

# One

## Acceptance Criteria

- [ ] First
- [x] Second
""",
    BUSY: """---
status: in_progress\r
depends_on: [ 'x' , "y"]
---
# Busy

## Acceptance Criteria
- [x] é
""",
    DONE: """---
# a comment
status: completed
unknown: {a: [1, 2]}
---
# Done

```
---
```""",
    BAD: """---
type: code
status: failed
model: null
---

# Failed

## Output

text
""",
}

ODD = [
    "",
    " ",
    "\0",
    "\r",
    "\x85",
    "\u2028",
    "\ufeff",
    "🙂",
    "é",
    "x" * 300,
    "First",
    "Second",
    "chant:x",
    "../x",
]
ODD += [
    "---",
    "---\n",
    "\n---\n",
    "# x\n",
    "- [ ] x",
    "```",
    "a: b",
    "'",
    '"',
    "[x",
    "{",
    "*a",
    "&a",
    "!t",
    "%",
    "|",
]
ODD += [">", "#", "null", "~", "yes", "1e3", "0x1", "2026-01-22"]
STATUSES = [
    "pending",
    "in_progress",
    "completed",
    "failed",
    "cancelled",
    "needs_attention",
    "paused",
    "ready",
    "blocked",
]
METHODS = ["tools/call", "tools/list", "ping", "initialize", "server/discover", "notifications/x"]

names = st.one_of(st.sampled_from(ODD), st.text(max_size=30))
joined = st.lists(st.sampled_from(ODD), max_size=4).map("".join)
texts = st.one_of(st.sampled_from([*ODD, "\ud800"]), st.text(max_size=30), joined)
known = st.sampled_from([PENDING, BUSY, DONE, BAD, "x7m", "001", "2026", "x"])
floats = st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), floats, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=3)),
    max_leaves=5,
)

OF_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "string": st.one_of(known, st.sampled_from(STATUSES), texts),
    "integer": st.one_of(st.integers(0, 10), st.integers(), st.sampled_from([5.0, 2**53, -1])),
    "boolean": st.booleans(),
    "array": st.lists(st.one_of(known, texts), max_size=4),
    "object": st.dictionaries(st.one_of(st.sampled_from(["title", "status", "content"]), names), values),
    "objects": st.lists(
        st.fixed_dictionaries(
            {"op": st.sampled_from([*OPERATIONS, "x"])}, optional={"id": texts, "name": values}
        ),
        max_size=3,
    ),
}


def of_kind(kind: str | list[str]) -> st.SearchStrategy[Any]:
    """Make values of a type, or of several."""
    return OF_TYPE[kind] if isinstance(kind, str) else st.one_of(*(OF_TYPE[one] for one in kind))


def arguments_of(tool: str) -> st.SearchStrategy[dict[str, Any]]:
    """Make arguments for a tool: mostly of the right types, sometimes anything."""
    schema = SCHEMAS[tool]
    likely = {
        name: st.one_of(of_kind(kind_of(node)), of_kind(kind_of(node)), st.none(), values)
        for name, node in schema["properties"].items()
    }
    if "id" in likely:
        likely["id"] = st.one_of(known, known, known, values)
    must = {name: likely[name] for name in schema.get("required", [])}
    may = {name: likely[name] for name in likely if name not in must}
    shaped = st.fixed_dictionaries(must, optional=may)
    anything = st.dictionaries(st.one_of(st.sampled_from([*likely, "x"]), names), values)
    return st.one_of(shaped, shaped, shaped, anything)


class Subject:
    """A small project and a client of its server, used again by every example."""

    def __init__(self, project: Project, client: Client, portal: BlockingPortal) -> None:
        """Keep the parts."""
        self._project = project
        self._client = client
        self._portal = portal

    def restore(self) -> None:
        """Bring the project back to its beginning."""
        files = {self._project.path(id): text.encode() for id, text in SPECS.items()}
        for path in files_below(self._project.root, but=".chant-mcp"):
            if path not in files:
                path.unlink()
        for path, data in files.items():
            if not path.exists() or path.read_bytes() != data:
                path.write_bytes(data)
        self._project.log(BUSY, "a\né\n")

    def files(self) -> dict[Path, bytes]:
        """Read all files of the project but our own state."""
        return {path: path.read_bytes() for path in files_below(self._project.root, but=".chant-mcp")}

    def call(self, tool: str, given: dict[str, Any]) -> CallToolResult:
        """Call a tool and check what holds for every answer."""
        result = self._portal.call(self._client.call_tool, tool, given)  # raises for a protocol error
        assert isinstance(result, CallToolResult)
        told = text_of(result)
        assert "Internal error" not in told, (tool, given, told)
        assert len(told) < 50_000
        if tool == "rstn_get_context" and not result.is_error:  # its text is the seed's five keys
            context = result.structured_content or {}
            assert json.loads(told) == {key: context[key] for key in json.loads(told)}
        elif result.structured_content is not None:
            assert json.loads(told) == result.structured_content
        return result

    def target(self, given: dict[str, Any]) -> Path | None:
        """Find the file that an id means."""
        found = self.call("chant_spec_get", {"id": given.get("id")})
        if found.is_error:
            return None
        return self._project.root / found.structured_content["path"]

    def check_readable(self) -> None:
        """Check that every spec file is still one."""
        problems = self.call("chant_status", {}).structured_content.get("problems", [])
        assert all(problem["message"].startswith("Invalid spec type") for problem in problems), problems
        assert not list(self._project.root.rglob("*.tmp"))


@pytest.fixture(params=["legacy", "2026-07-28"])
def subject(request: pytest.FixtureRequest, project: Project) -> Iterator[Subject]:
    """A small project and a client of its server."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(project.server(), mode=request.param)) as client,
    ):
        yield Subject(project, client, portal)


@pytest.mark.parametrize("tool", SCHEMAS)
def test_whatever_a_tool_is_given_it_answers_and_spares_other_files(subject: Subject, tool: str) -> None:
    @LAW
    @given(arguments_of(tool))
    def holds(given: dict[str, Any]) -> None:
        subject.restore()
        target = subject.target(given) if tool in MUTATING and "id" in given else None
        makes_files = tool in MUTATING or not tool.startswith("chant_")
        before = subject.files()
        result = subject.call(tool, given)
        after = subject.files()
        changed = {path for path in before if after.get(path) != before[path]}
        added = set(after) - set(before)
        if tool not in MUTATING or result.is_error:
            assert not changed, (changed, text_of(result))
            assert not added or (makes_files and not result.is_error)
        elif tool == "chant_add":
            assert not changed
            assert len(added) == 1
        else:
            assert changed <= {target}
            assert {path.name for path in added} <= {target.name if target else ""}  # archived
        subject.check_readable()

    holds()


def test_any_run_of_calls_leaves_a_project_that_can_be_read(subject: Subject) -> None:
    steps = st.sampled_from(MUTATING).flatmap(lambda tool: st.tuples(st.just(tool), arguments_of(tool)))

    @LAW
    @given(st.lists(steps, min_size=2, max_size=8))
    def holds(calls: list[tuple[str, dict[str, Any]]]) -> None:
        subject.restore()
        for tool, arguments in calls:
            subject.call(tool, arguments)
            subject.check_readable()
        total = subject.call("chant_status", {}).structured_content["total"]
        listed = subject.call("chant_spec_list", {"limit": 1000}).structured_content
        assert listed["total"] <= total  # cancelled ones are not listed

    holds()


# Lines

messages: st.SearchStrategy[Message] = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.one_of(st.just("2.0"), values),
        "id": st.one_of(st.integers(1, 9), values),
        "method": st.one_of(st.sampled_from(METHODS), values),
        "params": st.one_of(
            st.fixed_dictionaries({}, optional={"name": values, "arguments": values, "_meta": values}), values
        ),
        "result": values,
        "error": values,
    },
)
lines = st.one_of(
    messages.map(lambda message: json.dumps(message).encode()),
    messages.map(lambda message: json.dumps(message)[:-1].encode()),
    values.map(lambda value: json.dumps(value).encode()),
    st.binary(max_size=60),
    st.text(string.printable, max_size=60).map(str.encode),
)


@pytest.mark.requirement(
    "protocol:errors:invalid_json_is_32700", "protocol:errors:object_has_code_and_message"
)
def test_whatever_comes_on_a_line_the_server_answers_the_next_one(project: Project, serve: Serve) -> None:
    pipes: Pipes = serve(project.root)
    asked = 0

    @law(60, shares=True, derandomize=False)
    @given(st.lists(lines, min_size=1, max_size=5))
    def holds(batch: list[bytes]) -> None:
        nonlocal asked
        asked += 1
        sent = b"".join(line.replace(b"\n", b" ") + b"\n" for line in batch)
        pipes.send(sent, encoded(request(f"ping {asked}", "ping")))
        while (message := pipes.receive()).get("id") != f"ping {asked}":
            if "error" in message:
                assert isinstance(message["error"]["code"], int)
                assert isinstance(message["error"]["message"], str)
        assert message["result"] == {}

    holds()
    ended = pipes.finish()
    assert ended.code == 0
    assert "Traceback" not in ended.errors
