"""How well the definitions of tools tell an agent what they do, by a linter that others wrote."""

from __future__ import annotations

import pytest
from harness import Project
from mcp import Client

pytestmark = pytest.mark.anyio

tdqs = pytest.importorskip("tdqs", reason="not run: the linter `tdqs` is not installed")

SHADOWED = {"vine_write", "create_cr", "update_cr_attrs"}
"""Tools whose required arguments are nested as the seeds say. The linter compares the work to fill them in
with that of tools of other formats, and leaves the question whether these do the same to a model."""


async def test_no_definition_of_a_tool_has_a_warning(project: Project) -> None:
    async with Client(project.server(toolsets=["all"]), mode="legacy") as client:
        listed = (await client.list_tools()).tools
    assert len(listed) == 42
    given = [one.model_dump(by_alias=True, exclude_none=True, mode="json") for one in listed]
    report = tdqs.lint_server(server_name="chant", tools=tdqs.parse_tool_definitions(given).tools)
    warned = {(one.tool, one.rule): one.message for one in report.findings if one.severity != "info"}
    assert set(warned) == {(name, "shadow-candidate") for name in SHADOWED}, warned
    coverage = {one.name: one.context_signals.schema_description_coverage for one in report.tools}
    described = {name for name, percent in coverage.items() if percent == 100}
    without = {one.name for one in report.tools if not one.context_signals.param_count}
    assert set(coverage) == described | without
