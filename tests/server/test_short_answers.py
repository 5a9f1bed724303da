"""Answers that are shorter because a client says what it knows, or how much it wants to read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from api.projects import SECOND, TASKS, fill
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Place, Session
from chant_mcp.tool_calls import Offer
from cli.ticket_files import write_ticket
from harness import Caller, Project, text_of, user_config
from mcp import Client
from mcp_types import CallToolResult, TextContent

pytestmark = pytest.mark.anyio

PARTS = ["## Acceptance Criteria\n\n- [ ] Done", "## Design", "## Notes", "## Output"]

LONG = "# Long\n\nWhat it is.\n\n" + "\n\n".join(f"{part}\n\n" + 'Some "words".\n' * 40 for part in PARTS)

LONG_ID = "2026-01-23-000-lng"

READING: list[tuple[str, dict[str, Any]]] = [
    ("chant_spec_get", {"id": LONG_ID}),
    ("chant_log", {"id": LONG_ID}),
    ("chant_spec_list", {}),
    ("chant_ready", {}),
    ("chant_search", {"query": "Spec"}),
    ("vine_read", {"file": "big", "action": "list"}),
    ("vine_read", {"file": "big", "action": "context", "id": "t1"}),
    ("vine_read", {"file": "big", "action": "summary"}),
    ("get_cr", {"key": "DEM-7"}),
    ("get_cr", {"key": "DEM-7", "mode": "attributes"}),
    ("list_crs", {}),
    ("rstn_read_spec", {"artifact": "spec"}),
]
"""A call of each reading tool that takes `max_tokens`."""


@pytest.fixture
def full(project: Project) -> Project:
    """A project whose answers are long."""
    fill(project)
    project.spec(LONG_ID, body=LONG)
    project.log(LONG_ID, "".join(f"line {number}\n" for number in range(300)))
    for number in range(30):
        project.spec(f"2026-01-24-{number:03}-abc")
        write_ticket(project, 10 + number, "# A ticket\n\nWords.")
    write_ticket(project, 7, LONG)
    tasks = [f"[t{number}] Task {number} (notstarted)\n{'Words. ' * 30}\n" for number in range(30)]
    whole = "".join(f"-> t{number}\n" for number in range(30))
    lines = ["vine 1.2.0\n", f"[ship] Ship it (notstarted)\n{whole}", *tasks]
    (project.root / "big.vine").write_text("---\n".join(lines), encoding="utf-8")
    (project.root / "specs" / "060-login" / "spec.md").write_text(LONG, encoding="utf-8")
    return project


def server_of(project: Project) -> ChantServer:
    """Make a server on a project in which a feature is worked on."""
    place = Place(project.root, (project.root,))
    session = Session(place, environment={"SPECIFY_FEATURE": "060-login"}, user_config=user_config())
    return ChantServer(session, Offer(["all"]))


def bytes_of(result: CallToolResult) -> tuple[int, int]:
    """Count the bytes of the text, and of the structured part."""
    texts = [block.text for block in result.content if isinstance(block, TextContent)]
    data = result.structured_content
    structured = "" if data is None else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return len("".join(texts).encode()), len(structured.encode())


async def test_every_reading_tool_is_held_to_its_tokens(full: Project) -> None:
    async with Client(server_of(full), mode="2026-07-28") as client:
        call = Caller(client, full)
        for tool, arguments in READING:
            whole = await call(tool, **arguments)
            assert not whole.is_error, (tool, text_of(whole))
            for tokens in (100, 300):
                shorter = await call(tool, **arguments, max_tokens=tokens)
                assert not shorter.is_error, text_of(shorter)
                assert max(bytes_of(shorter)) <= 4 * tokens, (tool, arguments, bytes_of(shorter))
                assert max(bytes_of(shorter)) > 100, (tool, arguments, text_of(shorter))
            same = await call(tool, **arguments, max_tokens=100_000)
            assert same.content == whole.content, tool
            assert same.structured_content == whole.structured_content, tool


async def test_what_is_left_out_is_got_as_the_answer_says(full: Project) -> None:
    async with Client(server_of(full), mode="2026-07-28") as client:
        call = Caller(client, full)
        spec = await call.data("chant_spec_get", id=LONG_ID, max_tokens=600)
        assert spec["body"].startswith("# Long")
        assert "## Acceptance Criteria" in spec["body"]
        for missing in spec["dropped_sections"]:
            arguments = {name: missing[name] for name in ("offset", "max_chars")}
            part = await call.data("chant_spec_get", id=LONG_ID, **arguments)
            assert part["body"].startswith(f"## {missing['section']}\n")
        shown: list[str] = []
        offset: int | None = 0
        while offset is not None:
            page = await call.data("chant_spec_list", max_tokens=300, offset=offset)
            shown += [spec["id"] for spec in page["specs"]]
            offset = page.get("next_offset")
        assert shown == [spec["id"] for spec in (await call.data("chant_spec_list"))["specs"]]
        log = await call.data("chant_log", id=LONG_ID, max_tokens=120)
        assert log["content"].endswith("line 299")
        assert log["dropped_lines"] == 100 - log["line_count"]
        assert (await call.error("chant_ready", max_tokens=99)).startswith("Invalid parameter 'max_tokens'")


ASKING: list[tuple[str, dict[str, Any]]] = [
    ("chant_status", {}),
    ("vine_next", {"file": "plan"}),
    ("rstn_get_context", {}),
    ("list_crs", {}),
]
"""A call of each tool that takes `since`."""


async def test_since_a_cursor_only_what_is_new_is_reported(full: Project) -> None:
    async with Client(server_of(full), mode="2026-07-28") as client:
        call = Caller(client, full)
        cursors: dict[str, str] = {}
        for tool, arguments in ASKING:
            whole = await call.data(tool, **arguments)
            first = await call.data(tool, **arguments, since="")
            assert first.pop("reset") is True, tool
            cursors[tool] = first.pop("cursor")
            assert first == whole, tool
            nothing = await call.data(tool, **arguments, since=cursors[tool])
            assert nothing == {"cursor": cursors[tool], "changed": []}, tool
        full.spec(SECOND, status="completed")
        (full.root / "plan.vine").write_text("vine 1.2.0\n---\n[ship] Ship it (started)\n", encoding="utf-8")
        tasks = full.root / "specs" / "060-login" / "tasks.md"
        tasks.write_text(TASKS.replace("[ ] T001", "[x] T001"), encoding="utf-8")
        write_ticket(full, 99, "# New")
        expected = {
            "chant_status": {(f"chant:{SECOND}", "changed", "completed")},
            "vine_next": {
                ("vine:plan.vine#ship", "changed", "started"),
                ("vine:plan.vine#log", "removed", None),
            },
            "rstn_get_context": {("speckit:060-login#T001", "changed", "done")},
            "list_crs": {("tickets:DEM-099", "added", "Approved")},
        }
        for tool, arguments in ASKING:
            found = await call.data(tool, **arguments, since=cursors[tool])
            named = {(one["key"], one["what"], one.get("state")) for one in found["changed"]}
            assert expected[tool] <= named, (tool, named)
            dialects = {key.partition(":")[0] for key, _, _ in named}
            assert len(dialects) == 1, (tool, named)
            assert found["cursor"] != cursors[tool]


async def test_a_cursor_of_another_process_or_about_other_files_is_reset(full: Project) -> None:
    cursors: list[str] = []
    for _ in range(2):
        async with Client(server_of(full), mode="2026-07-28") as client:
            call = Caller(client, full)
            found: dict[str, Any] = {}
            for since in ("x", *cursors):
                found = await call.data("chant_status", since=since)
                assert found["reset"] is True, since
            cursors.append(found["cursor"])
            assert "changed" in await call.data("chant_status", since=cursors[-1])
            brief = await call("chant_status", brief=True, since="")
            note = brief.content[1]
            assert isinstance(note, TextContent)
            assert note.text == f"reset: true, cursor: {cursors[-1]}"
            outside = full.root.parent / "outside.vine"
            outside.write_text("vine 1.2.0\n---\n[a] A (notstarted)\n", encoding="utf-8")
            found = await call.data("vine_next", file=str(outside), since=cursors[-1])
            assert found["reset"] is True
            assert "no .vine" not in await call.error("vine_next", file="none", since=cursors[-1])
