"""What the four tools say of themselves, and where they are listed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Session, dialects_in, find_place
from chant_mcp.tool_calls import Offer
from speckit.features import Features, made

pytestmark = pytest.mark.anyio

SEED: dict[str, tuple[str, dict[str, str], list[str]]] = {
    "rstn_report_status": (
        "Report current task status to rstn control plane",
        {
            "status": "Current task status",
            "prompt": "Prompt to show user (for needs_input)",
            "message": "Error message (for error status)",
        },
        ["status"],
    ),
    "rstn_read_spec": (
        "Read a spec artifact for the current feature",
        {"artifact": "Artifact to read"},
        ["artifact"],
    ),
    "rstn_get_context": ("Get current feature context and metadata", {}, []),
    "rstn_complete_task": (
        "Mark a task as complete with validation",
        {"task_id": "Task ID (e.g., T001, T002)", "skip_validation": "Skip validation checks"},
        ["task_id"],
    ),
}
"""Descriptions, parameters with theirs, and required ones, as the seed has them."""


def server(root: Path, *names: str, read_only: bool = False) -> ChantServer:
    """Make a server on a folder."""
    return ChantServer(Session(find_place(root), environment={}), Offer(names or ["auto"], read_only))


@pytest.mark.requirement("speckit:tools:four_exist", "speckit:tools:are_those_of_the_seed")
async def test_the_tools_are_those_of_the_seed(features: Features) -> None:
    tools = await server(features.root).list_tools()
    assert [tool.name for tool in tools] == list(SEED)
    for tool in tools:
        description, parameters, required = SEED[tool.name]
        schema: dict[str, Any] = tool.input_schema
        assert (tool.description or "").partition("\n\n")[0] == description
        assert schema.get("required", []) == required
        found = {name: node.get("description") for name, node in schema["properties"].items()}
        assert {name: found[name] for name in parameters} == parameters
        assert list(found)[: len(parameters)] == list(parameters)
    status = tools[0].input_schema["properties"]["status"]
    assert status["enum"] == ["needs_input", "completed", "error"]
    artifact = tools[1].input_schema["properties"]["artifact"]
    assert artifact["enum"] == ["spec", "plan", "tasks", "checklist", "analysis"]


async def test_the_dialects_come_in_their_order(features: Features) -> None:
    features.write("plan.vine", "vine 1.2.0\n---\n[a] A (planning)\n")
    features.write(".chant/specs/.keep", "")
    features.write("docs/CRs/.keep", "")
    assert dialects_in(features.root) == ("chant", "vine", "speckit", "tickets")
    names = [tool.name for tool in await server(features.root).list_tools()]
    firsts = [names.index(name) for name in ("chant_ready", "vine_read", "rstn_get_context", "list_crs")]
    assert firsts == sorted(firsts)
    assert names == [tool.name for tool in await server(features.root, "all").list_tools()]


async def test_specify_or_a_numbered_folder_in_specs_is_enough(tmp_path: Path) -> None:
    for name in (".specify", "specs/1000-x", "specs/20260319-143022-x"):
        root = tmp_path / name.replace("/", "_")
        (root / name).mkdir(parents=True)
        assert dialects_in(root) == ("speckit",)
    (tmp_path / "other" / "specs" / "notes").mkdir(parents=True)
    assert dialects_in(tmp_path / "other") == ()


async def test_a_read_only_server_offers_what_reads(features: Features) -> None:
    names = [tool.name for tool in await server(features.root, read_only=True).list_tools()]
    assert names == ["rstn_read_spec", "rstn_get_context"]


async def test_a_model_is_told_of_them(features: Features, tmp_path: Path) -> None:
    assert "rstn_get_context" in (server(features.root).instructions or "")
    other = tmp_path / "tickets"
    (other / "docs" / "CRs").mkdir(parents=True)
    assert "rstn_get_context" not in (server(other).instructions or "")


def test_scripts_ask_the_same_core(tmp_path: Path) -> None:
    root = tmp_path / "kit"
    root.mkdir()
    core = made(root).core
    assert core.context().data["spec_dir"] == "specs/060-mcp"
    assert [task["id"] for task in core.next().data["ready"]] == ["T001"]
