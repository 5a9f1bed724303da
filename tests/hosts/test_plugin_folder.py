"""The plugin for hosts: one folder, made from one source, whose manifests agree."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from chant_mcp._core import VERSION
from chant_mcp.init.plugin_folder import SKILLS, plugin_files
from cli.kit import Cli
from harness import Caller, Project

tomllib: Any = pytest.importorskip("tomllib")


def _read(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text("utf-8"))


@pytest.fixture
def exported(project: Project, tmp_path: Path) -> Path:
    """The folder as the command writes it."""
    folder = tmp_path / "market"
    Cli(project)("host", "export", str(folder))
    return folder


def test_the_folder_is_the_same_after_it_is_made_again(exported: Path, project: Project) -> None:
    texts = plugin_files()
    found = {path.relative_to(exported).as_posix(): path for path in exported.rglob("*") if path.is_file()}
    assert {name: path.read_text("utf-8") for name, path in found.items()} == texts
    assert "is up to date." in Cli(project)("host", "export", str(exported))
    (exported / "chant/mcp.json").unlink()
    assert "Wrote 1 file into" in Cli(project)("host", "export", str(exported))


def test_manifests_agree_in_name_version_description_and_licence(exported: Path) -> None:
    names = ("plugin.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json")
    extensions = ("gemini-extension.json", "qwen-extension.json")
    manifests = [_read(exported, f"chant/{name}") for name in (*names, *extensions)]
    keys = ("name", "version", "description", "license")
    assert len({tuple(manifest[key] for key in keys) for manifest in manifests}) == 1
    assert (manifests[0]["name"], manifests[0]["version"]) == ("chant", VERSION)
    for manifest in manifests[1:3]:
        assert manifest["mcpServers"] == "./mcp.json"
    for market in (".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"):
        [listed] = _read(exported, market)["plugins"]
        path = listed["source"] if isinstance(listed["source"], str) else listed["source"]["path"]
        assert (exported / path / "plugin.json").is_file()


def test_the_server_is_named_without_a_path_or_a_version(exported: Path) -> None:
    wanted = {"chant": {"command": "chant-mcp", "args": ["mcp"]}}
    for name in ("mcp.json", "gemini-extension.json", "qwen-extension.json"):
        assert _read(exported, f"chant/{name}")["mcpServers"] == wanted


def test_hooks_print_prime_at_the_start_and_before_a_compaction(exported: Path) -> None:
    hooks = _read(exported, "chant/hooks/hooks.json")["hooks"]
    assert set(hooks) == {"SessionStart", "PreCompact", "PreCompress"}
    for event, [group] in hooks.items():
        assert group["hooks"] == [{"type": "command", "command": f"chant-mcp prime --hook {event}"}]


def test_each_command_is_there_in_both_forms(exported: Path) -> None:
    folder = exported / "chant" / "commands"
    names = {"prime", "next", "plan", "work", "review", "unblock"}
    assert {path.name for path in folder.iterdir()} == {
        f"{name}.{end}" for name in names for end in ("md", "toml")
    }
    for name in names:
        head, text = (folder / f"{name}.md").read_text("utf-8").removeprefix("---\n").split("---\n\n")
        table = tomllib.loads((folder / f"{name}.toml").read_text("utf-8"))
        assert f"description: {table['description']}\n" in head
        assert table["prompt"].replace("{{args}}", "$ARGUMENTS") == text.strip()


def test_a_checkout_or_a_folder_of_others_is_refused(project: Project, tmp_path: Path) -> None:
    project.repository()
    cli = Cli(project)
    assert "lies in the checkout" in cli.error("host", "export", str(project.root / "plugin"))
    assert not (project.root / "plugin").exists()
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine", encoding="utf-8")
    assert "holds something else" in cli.error("host", "export", str(other))
    assert [path.name for path in other.iterdir()] == ["mine.txt"]


@pytest.mark.anyio
async def test_skills_are_short_and_their_examples_are_calls(call: Caller) -> None:
    texts = {name: plugin_files()[f"chant/skills/{name}/SKILL.md"] for name in SKILLS}
    assert sum(len(text.splitlines()) for text in texts.values()) <= 500
    call.project.spec("2026-01-22-001-x7m", body="# Log in\n\n## Acceptance Criteria\n\n- [ ] Works\n")
    call.project.log("2026-01-22-001-x7m", "done\n")
    for name, text in texts.items():
        assert re.match(rf"---\nname: {name}\ndescription: .{{40,}}\n---\n", text)
        examples = [json.loads(line) for line in re.findall(r'^\{"tool".*\}$', text, re.MULTILINE)]
        assert len(examples) == 3, name
        for example in examples:
            await call(example["tool"], **example["arguments"])
