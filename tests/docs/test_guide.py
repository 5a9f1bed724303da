"""The guide does what it says; UPDATE_SNAPS=1 accepts what its blocks print."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from chant_mcp.init import hosts
from docs.pages import Reader, accept, blocks, environment

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "guide").glob("*.md"))


@pytest.mark.skipif(sys.platform == "win32", reason="its blocks are for a Unix shell")
@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *PAGES], ids=lambda page: f"{page.parent.name}-{page.stem}"
)
def test_a_page_does_what_it_says(
    page: Path, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = environment(Path(os.environ["HOME"]), Path(sys.executable).parent)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "empty"
    folder.mkdir()
    wrong = Reader(folder, variables, sample=sample).follow(page)
    if os.environ.get("UPDATE_SNAPS"):
        accept(page, wrong)
    else:
        assert not wrong, "\n".join(f"{page.name}:{line} prints\n{text}" for line, text in wrong.items())


def test_the_readme_can_be_read_in_a_few_minutes() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= 2_000


def test_a_page_that_says_something_else_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(6 * 7)\n```\n\n```text\n43\n```\n", "utf-8")
    assert Reader(tmp_path, {}).follow(page) == {5: "42\n"}
    accept(page, {5: "42\n"})
    assert Reader(tmp_path, {}).follow(page) == {}


def test_the_entry_by_hand_is_the_one_that_is_registered() -> None:
    page = ROOT / "docs" / "guide" / "mcp-hosts.md"
    (entry,) = (json.loads(block.text) for block in blocks(page) if "entry" in block.marks)
    reference = hosts.token_reference(".mcp.json", "chant-mcp")
    assert entry == {"chant-mcp": hosts.entry_over_http("http://127.0.0.1:19560/mcp", reference)}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.stem)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    links = re.findall(r"\]\((?!\w+:)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_first_page_leads_to_all_others() -> None:
    first = (ROOT / "docs" / "guide" / "README.md").read_text("utf-8")
    others = [page.name for page in PAGES if page.name != "README.md"]
    assert [name for name in others if f"({name})" not in first] == []
    assert all(blocks(page) for page in PAGES if page.name != "README.md")


def test_keys_of_everyday_tasks_are_counted() -> None:
    page = (ROOT / "docs" / "guide" / "everyday.md").read_text("utf-8")
    rows = [
        line.strip("|\n").split(" | ") for line in page.splitlines() if line.startswith("| ") and "`" in line
    ]
    assert len(rows) == 10
    for row in rows:
        for at in (1, 3):
            command = row[at].split("`")[1]
            assert int(row[at + 1]) == len(command) + 1, command
    examples = page.partition("```bash")[2]
    for row in rows:
        words = row[1].split("`")[1].split()
        assert f"\n{words[0]} {words[1]}" in examples
