"""`list_projects` and `get_project_info`, and which project a call means (seed tickets 17-73)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import Caller, Project
from mcp import Client
from tickets.filing import ONE_ERA, Tickets, answer, codes, invalid, refused, server_of
from writing import tree

pytestmark = pytest.mark.anyio

SEEDS_RECORD = """\
[project]
path = "{path}"
active = true

[metadata]
dateRegistered = "2025-10-02"
lastAccessed = "2025-10-02"
version = "1.0.0"
"""


@pytest.mark.requirement("tickets:list_projects:answer_has_projects", "tickets:list_projects:metadata")
async def test_a_registered_project_is_listed_as_in_the_seed(tmp_path: Path) -> None:
    project = Tickets(tmp_path / "project-id", "PROJ")
    project.defines(name="Project Name", path="docs/CRs", description="Project description")
    registry = tmp_path / "home" / ".config" / "markdown-ticket" / "projects"
    registry.mkdir(parents=True)
    record = SEEDS_RECORD.format(path=project.root)
    (registry / "project-id.toml").write_text(record, encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    server = server_of(tmp_path / "elsewhere", home=tmp_path / "home")
    async with Client(server) as client:
        call = Caller(client, Project(tmp_path))
        assert await answer(call, "list_projects") == {
            "projects": [
                {
                    "id": "project-id",
                    "project": {
                        "name": "Project Name",
                        "code": "PROJ",
                        "path": "docs/CRs",
                        "active": True,
                        "description": "Project description",
                    },
                    "metadata": {
                        "dateRegistered": "2025-10-02",
                        "lastAccessed": "2025-10-02",
                        "version": "1.0.0",
                    },
                }
            ]
        }


@pytest.mark.requirement("tickets:list_projects:answer_has_projects", "tickets:list_projects:metadata")
async def test_a_found_project_has_all_keys_in_the_order_of_the_seed(call: Caller, tickets: Tickets) -> None:
    tickets.defines(name="Board", description="For all", ticketsPath="work/tickets")
    (listed,) = (await answer(call, "list_projects"))["projects"]
    assert list(listed) == ["id", "project", "metadata"]
    assert listed["id"] == tickets.root.name
    assert listed["project"] == {
        "name": "Board",
        "code": "MDT",
        "path": "work/tickets",
        "active": True,
        "description": "For all",
    }
    assert list(listed["project"]) == ["name", "code", "path", "active", "description"]
    assert list(listed["metadata"]) == ["dateRegistered", "lastAccessed", "version"]
    assert all(len(listed["metadata"][key]) == 10 for key in ("dateRegistered", "lastAccessed"))


@pytest.mark.requirement("tickets:list_projects:takes_no_parameters")
async def test_listing_projects_takes_nothing(call: Caller) -> None:
    (tool,) = [tool for tool in (await call.client.list_tools()).tools if tool.name == "list_projects"]
    assert tool.input_schema["properties"] == {}
    assert await invalid(call, "list_projects", project="MDT") == {
        "project": "Unknown parameter: project. This tool takes no parameters."
    }


@pytest.mark.requirement("tickets:get_project_info:answer_has_project_and_stats")
async def test_a_project_is_told_as_in_the_seed(tmp_path: Path) -> None:
    tickets = Tickets(tmp_path / "mdt")
    tickets.defines(name="Markdown Ticket Board")
    counts = {"Proposed": 8, "Approved": 5, "In Progress": 7, "Implemented": 5}
    statuses = [status for status, count in counts.items() for _ in range(count)]
    for number, status in enumerate(reversed(statuses), 1):
        tickets.ticket(number, status=status)
    async with Client(tickets.server()) as client:
        found = await answer(Caller(client, Project(tmp_path)), "get_project_info", key="MDT")
    info = found["project"]
    assert list(info) == ["id", "project", "stats"]
    assert info["id"] == "mdt"
    assert list(info["project"].items())[:4] == [
        ("name", "Markdown Ticket Board"),
        ("code", "MDT"),
        ("path", "docs/CRs"),
        ("active", True),
    ]
    assert info["stats"] == {"totalCRs": 25, "byStatus": counts}
    assert list(info["stats"]["byStatus"]) == list(counts)


@pytest.mark.requirement("tickets:get_project_info:answer_has_project_and_stats")
async def test_a_project_tells_what_its_configuration_says(call: Caller, tickets: Tickets) -> None:
    tickets.defines(
        name="N", description="D", repository="R", startNumber=7, counterFile=".next", active=False
    )
    tickets.ticket(7, status="Odd one")
    tickets.ticket(8, status="on hold")
    info = (await answer(call, "get_project_info", key="MDT"))["project"]
    assert info["project"] == {
        "name": "N",
        "code": "MDT",
        "path": "docs/CRs",
        "active": False,
        "description": "D",
        "repository": "R",
        "root": str(tickets.root),
        "startNumber": 7,
        "counterFile": ".next",
    }
    assert info["stats"] == {"totalCRs": 2, "byStatus": {"On Hold": 1, "Odd one": 1}}


@pytest.mark.requirement("tickets:get_project_info:key_is_required", "tickets:errors:project_not_found")
async def test_a_project_is_asked_for_by_its_key(call: Caller) -> None:
    assert await invalid(call, "get_project_info") == {"key": "Missing required parameter: key"}
    assert await invalid(call, "get_project_info", key=None) == {"key": "Missing required parameter: key"}
    assert await refused(call, "get_project_info", key="NOPE") == {
        "error": "Project not found",
        "code": "PROJECT_NOT_FOUND",
        "details": {"project": "NOPE", "availableProjects": ["MDT"]},
    }


# Which project a call means


@pytest.fixture
def others(tickets: Tickets, tmp_path: Path) -> Path:
    """Four projects: the one of the server with one ticket, and three of the registry; gives the home."""
    tickets.ticket(1, "Home ground")
    registry = tmp_path / "home" / ".config" / "markdown-ticket" / "projects"
    registry.mkdir(parents=True)
    for code, name in (("P2", "second"), ("longcode", "third"), ("ПР", "fourth")):
        other = Tickets(tmp_path / name, code)
        other.defines()
        other.ticket(1, f"Of {name}")
        (registry / f"{name}.toml").write_text(f'[project]\npath = "{other.root}"\n', encoding="utf-8")
    return tmp_path / "home"


MEANT = [
    ({"project": "MDT", "key": "1"}, "Home ground"),
    ({"project": " mdt ", "key": 1}, "Home ground"),
    ({"project": "board", "key": 1}, "Home ground"),
    ({"project": "p2", "key": "P2-1"}, "Of second"),
    ({"project": "second", "key": "001"}, "Of second"),
    ({"project": "LONGCODE", "key": 1}, "Of third"),
    ({"project": "пр", "key": 1}, "Of fourth"),
    ({"key": "p2-1"}, "Of second"),
    ({"key": "P2-001"}, "Of second"),
    ({"key": "LongCode-1"}, "Of third"),
    ({"key": "ПР-1"}, "Of fourth"),
    ({"key": "MDT-1"}, "Home ground"),
    ({"key": 1}, "Home ground"),
    ({"project": None, "key": "1"}, "Home ground"),
]
"""What names a project, and the ticket that is meant."""


@ONE_ERA
@pytest.mark.parametrize(("given", "title"), MEANT)
@pytest.mark.requirement("tickets:get_cr:project_and_key_are_required")
async def test_the_project_is_the_one_that_is_named(
    call: Caller, tickets: Tickets, others: Path, given: dict[str, Any], title: str
) -> None:
    async with Client(server_of(tickets.root, home=others)) as client:
        found = await answer(Caller(client, call.project), "get_cr", mode="metadata", **given)
    assert found["title"] == title


@pytest.mark.requirement("tickets:list_crs:project_is_required", "tickets:errors:validation_error")
async def test_where_nothing_says_which_project_is_meant_the_codes_are_listed(
    tickets: Tickets, others: Path, tmp_path: Path
) -> None:
    """The server's own folder is no project, and there are several others."""
    (tmp_path / "nowhere").mkdir()
    async with Client(server_of(tmp_path / "nowhere", home=others)) as client:
        call = Caller(client, Project(tmp_path))
        why = (
            "Project is required where nothing else says which is meant. Available projects: P2, longcode, ПР"
        )
        for tool, arguments in EVERY_CALL.items():
            asked = {name: value for name, value in arguments.items() if name != "project"}
            if tool not in ("list_projects", "get_project_info"):
                assert await invalid(call, tool, **asked) == {"project": why}, tool
        for code in ("P2", "longcode", "ПР"):
            assert codes(await answer(call, "list_crs", project=code)) == [f"{code.upper()}-001"]


async def test_without_any_project_the_way_to_one_is_told(tmp_path: Path) -> None:
    async with Client(server_of(tmp_path)) as client:
        call = Caller(client, Project(tmp_path))
        assert await answer(call, "list_projects") == {"projects": []}
        (why,) = (await invalid(call, "list_crs")).values()
    assert ".mdt-config.toml" in why
    assert "docs/CRs" in why


async def test_a_configuration_that_cannot_be_read_is_not_said_to_be_missing(tmp_path: Path) -> None:
    (tmp_path / ".mdt-config.toml").write_text("CODE=DEM\n", encoding="utf-8")
    async with Client(server_of(tmp_path)) as client:
        (why,) = (await invalid(Caller(client, Project(tmp_path)), "list_crs")).values()
    assert why.startswith("Project is required, and none can be used. ")
    assert ".mdt-config.toml`: line 1 is not TOML: " in why


EVERY_CALL: dict[str, dict[str, Any]] = {
    "list_projects": {},
    "get_project_info": {"key": "MDT"},
    "list_crs": {"project": "MDT"},
    "get_cr": {"project": "MDT", "key": "1"},
    "create_cr": {"project": "MDT", "type": "Bug Fix", "data": {"title": "New"}},
    "update_cr_attrs": {"project": "MDT", "key": "1", "attributes": {"priority": "High"}},
    "update_cr_status": {"project": "MDT", "key": "1", "status": "Approved"},
    "delete_cr": {"project": "MDT", "key": "1"},
    "manage_cr_sections": {"project": "MDT", "key": "1", "operation": "list"},
    "suggest_cr_improvements": {"project": "MDT", "key": "1"},
}
"""A call of every tool that would succeed."""


@pytest.mark.requirement("tickets:errors:project_not_found", "tickets:errors:object_has_three_keys")
async def test_every_tool_tells_of_an_unknown_project_as_the_seed_does(
    tickets: Tickets, others: Path
) -> None:
    before = tree(tickets.root.parent)
    known = ["P2", "longcode", "ПР", "MDT"]
    async with Client(server_of(tickets.root, home=others)) as client:
        call = Caller(client, Project(tickets.root))
        for tool, arguments in EVERY_CALL.items():
            name = {"list_projects": None, "get_project_info": "key"}.get(tool, "project")
            for unknown in ("INVALID", "../MDT", "", "MD"):
                if name is not None:
                    error = await refused(call, tool, **{**arguments, name: unknown})
                    assert error == {
                        "error": "Project not found",
                        "code": "PROJECT_NOT_FOUND",
                        "details": {"project": unknown, "availableProjects": known},
                    }, tool
        for code in known:
            assert (await answer(call, "get_project_info", key=code))["project"]["project"]["code"] == code
    assert tree(tickets.root.parent) == before


@ONE_ERA
@pytest.mark.requirement("tickets:tools:work_with_seeds_arguments")
async def test_every_tool_is_served_with_and_without_its_project(call: Caller, tickets: Tickets) -> None:
    for tool, arguments in EVERY_CALL.items():
        for named in (True, False):
            tickets.ticket(1)
            kept = {name: value for name, value in arguments.items() if named or name != "project"}
            result = await call(tool, **kept)
            assert not result.is_error, (tool, result.content)


@pytest.mark.requirement("tickets:tools:parameters_are_the_seeds")
async def test_the_tools_take_the_parameters_of_the_seed(call: Caller) -> None:
    """`project` need not be given here, which is the only difference."""
    listed = {tool.name: tool.input_schema for tool in (await call.client.list_tools()).tools}
    assert list(listed) == list(EVERY_CALL)
    required = {name: schema.get("required", []) for name, schema in listed.items()}
    assert required == {
        "list_projects": [],
        "get_project_info": ["key"],
        "list_crs": [],
        "get_cr": ["key"],
        "create_cr": ["type", "data"],
        "update_cr_attrs": ["key", "attributes"],
        "update_cr_status": ["key", "status"],
        "delete_cr": ["key"],
        "manage_cr_sections": ["key", "operation"],
        "suggest_cr_improvements": ["key"],
    }
    properties = {name: set(schema["properties"]) for name, schema in listed.items()}
    assert all("project" in properties[name] for name in list(EVERY_CALL)[2:])
    assert {"filters"} < properties["list_crs"]
    assert {"mode"} < properties["get_cr"]
    assert {"section", "updateMode", "content"} < properties["manage_cr_sections"]
    data = listed["create_cr"]["properties"]["data"]
    attributes = listed["update_cr_attrs"]["properties"]["attributes"]
    of_both = {"title", "priority", "phaseEpic", "assignee", "relatedTickets", "dependsOn", "blocks"}
    assert data["required"] == ["title"]
    assert set(data["properties"]) == {*of_both, "content"}
    assert of_both < set(attributes["properties"])
    assert set(listed["list_crs"]["properties"]["filters"]["properties"]) == {"status", "type", "priority"}
