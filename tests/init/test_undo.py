"""`init --undo` takes back what `init` wrote, and nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from init.kit import Folder, tree


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


def test_all_that_was_written_is_taken_back(folder: Folder) -> None:
    _git("init", "-q")
    folder.write(".gitattributes", "*.txt text")
    folder.write(".mcp.json", '{"mcpServers": {"a": {"command": "x"}}}')
    before, settings = tree(folder.root), _git("config", "--local", "--list")
    folder("--agent", "all", "--client", "all", "--merge-driver")
    folder("--provider", "ollama")
    folder("--silent")
    said = folder("--undo")
    assert "Took back .mcp.json" in said
    assert "Removed .chant/config.md" in said
    assert tree(folder.root) == before
    assert _git("config", "--local", "--list") == settings
    assert ".chant/" not in folder.read(".git/info/exclude")
    assert "Nothing that `init` wrote is here." in folder("--undo")


def test_what_was_changed_since_loses_our_part_alone(folder: Folder) -> None:
    folder.write("CLAUDE.md", "# Mine\n")
    folder("--agent", "claude", "--client", "all")
    for name in ("AGENTS.md", "CLAUDE.md", ".codex/config.toml"):
        path = folder.root / name
        path.write_bytes(path.read_bytes() + b"\n# added later\n")
    document = json.loads(folder.read(".mcp.json"))
    document["mcpServers"]["later"] = {"command": "y"}
    folder.write(".mcp.json", json.dumps(document))
    folder.write(".chant/prompts/standard.md", "my prompt")
    said = folder("--undo")
    assert folder.read("AGENTS.md").strip() == "# added later"
    assert folder.read("CLAUDE.md") == "# Mine\n\n# added later\n"
    assert folder.read(".codex/config.toml").strip() == "# added later"
    assert json.loads(folder.read(".mcp.json")) == {"mcpServers": {"later": {"command": "y"}}}
    assert "Kept .chant/prompts/standard.md, which was changed since" in said
    assert folder.read(".chant/prompts/standard.md") == "my prompt"


def test_a_section_or_entry_that_was_changed_stays(folder: Folder) -> None:
    folder("--agent", "claude")
    text = folder.read("AGENTS.md").replace("## Chant specs", "## Our way")
    folder.write("AGENTS.md", text)
    entry = json.loads(folder.read(".mcp.json"))
    entry["mcpServers"]["chant"]["env"] = {"X": "1"}
    folder.write(".mcp.json", json.dumps(entry))
    said = folder("--undo")
    assert "Kept AGENTS.md, which was changed since" in said
    assert folder.read("AGENTS.md") == text
    assert json.loads(folder.read(".mcp.json")) == entry


def test_specs_and_their_project_stay(folder: Folder) -> None:
    folder("--agent", "claude")
    spec = folder.write(".chant/specs/2026-01-22-001-x7m.md", "---\ntype: code\n---\n\n# Mine\n")
    said = folder("--undo")
    assert "Kept .chant/, which holds specs" in said
    assert spec.exists()
    assert folder.has(".chant/config.md")
    assert not folder.has("AGENTS.md")
    assert not folder.has(".claude")


def test_in_a_clone_it_takes_out_what_is_ours(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("AGENTS.md", "# Ours\n")
    folder.write(".zed/settings.json", '{\n  "a": 1 // one\n}\n')
    before = tree(folder.root)
    folder("--agent", "all", "--client", "all")
    shutil.rmtree(folder.root / ".chant")
    shutil.copytree(folder.root, tmp_path / "clone")
    monkeypatch.chdir(tmp_path / "clone")
    clone = Folder(tmp_path / "clone")
    clone("--undo")
    left = {name: content for name, content in tree(clone.root).items() if content is not None}
    assert left == {name: content for name, content in before.items() if content is not None} | {
        ".zed/settings.json": b'{\n  "a": 1,\n  "context_servers": {}\n // one\n}\n'.replace(b"{}\n ", b"{} ")
    }


def test_it_goes_with_no_other_option(folder: Folder) -> None:
    folder("--agent", "claude")
    assert "--undo goes without other options" in folder.refused("--undo", "--agent", "claude", code=2)


def test_a_record_of_another_release_is_not_followed(folder: Folder, home: Path) -> None:
    folder("--agent", "claude")
    [record] = (home / ".local/state/chant-mcp/init").iterdir()
    assert record.stat().st_mode & 0o077 == 0, "for its owner alone"
    record.write_text('{"version": 2}', encoding="utf-8")
    folder("--undo")
    assert not folder.has("AGENTS.md")
    assert folder.has(".chant/config.md"), "whose it is, no one knows then"
