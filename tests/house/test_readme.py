"""The generated parts of the documents say what the product says; UPDATE_SNAPS=1 writes them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from chant_mcp.toolsets import toolsets
from harness import Caller

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
TOOLS = ROOT / "docs" / "guide" / "tools.md"


def _part(page: Path, name: str) -> str:
    found = re.search(f"<!-- {name}:begin -->\n(.*?)<!-- {name}:end -->", page.read_text("utf-8"), re.S)
    assert found, f"{page.name} has no part {name!r}"
    return found.group(1)


def _check(page: Path, name: str, expected: str) -> None:
    if os.environ.get("UPDATE_SNAPS"):
        text = page.read_text("utf-8")
        begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        head, rest = text.split(begin)
        page.write_text(head + begin + expected + end + rest.split(end)[1], "utf-8")
    assert _part(page, name) == expected


def test_the_tool_table_lists_every_tool_with_its_description() -> None:
    lines = ["| Tool | Does | Changes files |", "|---|---|---|"]
    for tools in toolsets().values():
        for entry in tools:
            mark = "" if entry.hints.read_only else "yes"
            does = (entry.run.__doc__ or "").partition("\n")[0]
            lines.append(f"| `{entry.name}` | {does} | {mark} |")
    _check(TOOLS, "tools", "\n".join(lines) + "\n")


@pytest.mark.anyio
async def test_the_example_is_a_real_answer(call: Caller) -> None:
    call.project.spec(
        "2026-01-22-001-x7m", status="in_progress", body="# Add user authentication", labels=["auth"]
    )
    call.project.spec("2026-01-22-002-k3f", body="# Remember logins", depends_on=["2026-01-22-001-x7m"])
    arguments = {"id": "k3f"}
    text = await call.text("chant_spec_get", **arguments)
    shown = {key: value for key, value in json.loads(text).items() if value is not None}
    request = json.dumps({"name": "chant_spec_get", "arguments": arguments})
    answer = json.dumps(shown, indent=2)
    _check(
        README,
        "example",
        f"`tools/call` with `{request}` on a spec that waits for another (keys that are null left out):\n\n"
        f"```json\n{answer}\n```\n",
    )


def test_the_limits_of_other_platforms_are_stated() -> None:
    text = " ".join(README.read_text("utf-8").split())
    assert "macOS and Windows are built and tested in the workflow files only" in text


def test_the_site_has_every_page_of_the_guide() -> None:
    site = (ROOT / "mkdocs.yml").read_text("utf-8")
    pages = sorted((ROOT / "docs" / "guide").glob("*.md"))
    assert len(pages) > 20
    assert [page.name for page in pages if f"guide/{page.name}\n" not in site] == []
    named = re.findall(r"(?:guide|internals)/[\w-]+\.md", site)
    assert [name for name in named if not (ROOT / "docs" / name).is_file()] == []
