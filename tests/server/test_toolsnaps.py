"""Each tool's entry of `tools/list` is a committed file: clients depend on it, so a diff must show it.

`UPDATE_SNAPS=1 pytest tests/server/test_toolsnaps.py` accepts what the tools say now.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from chant_mcp.toolsets import toolsets
from harness import Project

pytestmark = pytest.mark.anyio

SNAPS = Path(__file__).parents[1] / "toolsnaps"

MOST = {"chant": 480, "vine": 1490, "speckit": 480, "tickets": 750, "items": 640}
"""Bytes that an entry may take on average, by dialect (decisions 3 and 6; vine's share of the whole)."""

MAX_OF_ONE = {"vine_write": 3072}
"""Bytes that single entries may take (decisions 3)."""


async def test_tools_are_as_their_snapshots(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    tools = await project.server(toolsets=["all", "items"]).list_tools()
    entries = {tool.name: tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools}
    sizes = {name: len(json.dumps(entry, separators=(",", ":")).encode()) for name, entry in entries.items()}
    with capsys.disabled():
        for dialect, found in toolsets().items():
            total = sum(sizes[tool.name] for tool in found)
            assert total <= MOST[dialect] * len(found), total
            sys.stdout.write(
                f"\n{dialect}: {len(found)} tools, {total} bytes, {total // len(found)} a tool\n"
            )
        assert all(sizes[name] <= most for name, most in MAX_OF_ONE.items()), sizes
        assert "oneOf" not in json.dumps(entries["vine_write"])
        of_items = sum(sizes[tool.name] for tool in toolsets()["items"])
        assert sum(sizes.values()) - of_items <= 26_000
        sys.stdout.write(f"all: {len(sizes)} tools, {sum(sizes.values())} bytes\n")
    written = {
        f"{name}.json": json.dumps(entry, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
        for name, entry in entries.items()
    }
    if os.environ.get("UPDATE_SNAPS"):
        SNAPS.mkdir(exist_ok=True)
        for path in SNAPS.iterdir():
            path.unlink()
        for name, text in written.items():
            (SNAPS / name).write_text(text, encoding="utf-8")
    assert {path.name: path.read_text("utf-8") for path in SNAPS.iterdir()} == written


async def test_every_parameter_of_every_tool_says_what_it_is(project: Project) -> None:
    tools = await project.server(toolsets=["all", "items"]).list_tools()
    assert len(tools) == 47
    silent = [
        f"{tool.name}.{name}"
        for tool in tools
        for name, node in tool.input_schema["properties"].items()
        if not node.get("description", "").strip()
    ]
    assert silent == []
