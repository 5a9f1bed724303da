"""Instruction files of agents, and the provider that an agent implies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chant_mcp.init.marked_section import END, appended, find_section, section_bytes, without_addition
from hypothesis import given
from hypothesis import strategies as st
from init.kit import Folder, tree

SKILLS = {
    "claude": ".claude/skills/chant/SKILL.md",
    "codex": ".agents/skills/chant/SKILL.md",
    "copilot": ".agents/skills/chant/SKILL.md",
    "cursor": ".cursor/skills/chant/SKILL.md",
    "gemini": ".agents/skills/chant/SKILL.md",
    "qwen": ".qwen/skills/chant/SKILL.md",
    "opencode": ".agents/skills/chant/SKILL.md",
    "kiro": ".kiro/skills/chant/SKILL.md",
}
AGENTS = [*SKILLS, "zed", "windsurf", "generic"]
HOST_FILES = {"claude": ".mcp.json", "gemini": ".gemini/settings.json"}


def _files(folder: Folder) -> set[str]:
    written = {name for name, content in tree(folder.root).items() if content is not None}
    return {name for name in written if not name.startswith(".chant/")}


@pytest.mark.requirement("init:agent:claude_needs_no_questions")
@pytest.mark.parametrize("agent", [*AGENTS, "all"])
def test_agent_writes_agents_md_a_skill_and_for_claude_the_host(folder: Folder, agent: str) -> None:
    folder("--agent", agent)
    names = AGENTS if agent == "all" else [agent]
    wanted = {"AGENTS.md", *(SKILLS[name] for name in names if name in SKILLS)}
    assert _files(folder) == wanted | {HOST_FILES[name] for name in names if name in HOST_FILES}
    for name in wanted:
        text = folder.read(name)
        for tool in ("chant_ready", "chant_spec_update", "chant_finalize"):
            assert tool in text
    for name in wanted & set(SKILLS.values()):
        assert re.match(r"---\nname: chant\ndescription: .{40,}\n---\n", folder.read(name))
    assert len(folder.read("AGENTS.md").splitlines()) <= 40


def test_agent_is_repeatable_and_refuses_other_names(folder: Folder) -> None:
    assert "'emacs' is not one of" in folder.refused("--agent", "emacs", code=2)
    folder("--agent", "generic", "--agent", "cursor", "--agent", "generic")
    assert _files(folder) == {"AGENTS.md", SKILLS["cursor"]}


def test_an_agent_implies_a_provider_when_none_is_given(folder: Folder) -> None:
    def provider(*words: str) -> str | None:
        folder(*words)
        found = re.search(r"  provider: (.*)\n", folder.read(".chant/config.md"))
        (folder.root / ".chant/config.md").unlink()
        return found and found[1]

    assert provider("--agent", "claude") == "claude"
    assert provider("--agent", "kiro") == "kirocli"
    assert provider("--agent", "generic", "--agent", "kiro") == "kirocli"
    assert provider("--agent", "cursor") is None
    assert provider("--agent", "kiro", "--provider", "gpt") == "openai"


def test_on_a_project_that_exists_an_agent_fills_in_a_provider_but_changes_none(folder: Folder) -> None:
    folder()
    assert "provider" not in folder.read(".chant/config.md"), "no agent is installed here"
    folder("--agent", "claude")
    assert "  provider: claude\n" in folder.read(".chant/config.md")
    folder("--provider", "ollama")
    folder("--agent", "kiro")
    assert "  provider: ollama\n" in folder.read(".chant/config.md")


OLD = section_bytes(b"old")
"""A section of an earlier release of ours."""

RULES = {
    "no": None,
    "own": b"# Ours\n\nUse tabs.\n",
    "ours": OLD + b"\n",
    "both": b"# Ours\n\n" + OLD + b"\n\nEnd",
}

CLAUDE = {"no": None, "own": b"# For Claude\n", "imports": b"# For Claude\n\n@AGENTS.md\n"}


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("claude", CLAUDE)
@pytest.mark.parametrize("rules", RULES)
def test_each_starting_state_keeps_its_bytes_and_comes_back(
    folder: Folder, rules: str, claude: str, line_end: bytes
) -> None:
    for name, content in (("AGENTS.md", RULES[rules]), ("CLAUDE.md", CLAUDE[claude])):
        if content is not None:
            folder.write(name, content.replace(b"\n", line_end))
    before = tree(folder.root)
    folder("--agent", "all")
    after = tree(folder.root)
    section = find_section(after["AGENTS.md"] or b"")
    assert section is not None
    assert section.is_ours
    outside = without_addition(after["AGENTS.md"] or b"", section.start, section.end)
    old = before.get("AGENTS.md") or b""
    old_section = find_section(old)
    kept = without_addition(old, old_section.start, old_section.end) if old_section else old
    assert outside == kept
    assert b"\nold" not in (after["AGENTS.md"] or b"")
    assert ("CLAUDE.md" in after) == (claude != "no")
    if claude == "own":
        assert after["CLAUDE.md"] == b"# For Claude" + line_end * 2 + b"@AGENTS.md" + line_end
    if claude == "imports":
        assert after["CLAUDE.md"] == before["CLAUDE.md"]
    folder("--agent", "all")
    assert tree(folder.root) == after, "twice is once"
    folder("--undo")
    assert tree(folder.root) == before


@pytest.mark.parametrize(
    "before",
    [
        OLD.replace(b"old", b"our own words"),
        b"<!-- chant:begin -->\nno hash\n<!-- chant:end -->\n",
        OLD + b"\n" + OLD,
        END + b"\n",
        OLD.partition(END)[0],
        END + b"\n" + OLD.partition(END)[0],
    ],
)
def test_a_section_that_is_not_as_we_wrote_it_is_kept_and_the_lines_are_printed(
    folder: Folder, before: bytes
) -> None:
    folder.write("AGENTS.md", before)
    said = folder("--agent", "generic")
    assert "Kept AGENTS.md" in said
    assert "## Chant specs" in said
    assert (folder.root / "AGENTS.md").read_bytes() == before
    folder("--undo")
    assert (folder.root / "AGENTS.md").read_bytes() == before


def test_a_changed_section_is_replaced_when_that_is_asked_for(folder: Folder) -> None:
    folder.write("AGENTS.md", b"# Ours\n\n" + OLD.replace(b"old", b"our own words") + b"\nEnd\n")
    folder("--agent", "generic", "--force-overwrite")
    text = folder.read("AGENTS.md")
    assert text.startswith("# Ours\n\n<!-- chant:begin sha256=")
    assert text.endswith("<!-- chant:end -->\nEnd\n")
    assert "our own words" not in text


def test_marks_in_a_block_of_code_are_no_marks(folder: Folder) -> None:
    quoted = b"```text\n" + OLD + b"\n```\n~~~\n" + END + b"\n~~~\n"
    folder.write("AGENTS.md", quoted)
    folder("--agent", "generic")
    assert (folder.root / "AGENTS.md").read_bytes().startswith(quoted + b"\n<!-- chant:begin sha256=")


@given(st.binary(max_size=60), st.sampled_from([b"\n", b"\r\n"]))
def test_bytes_around_the_section_survive(head: bytes, line_end: bytes) -> None:
    # Fences and marks mean something.
    head = head.translate(None, b"`~<") + line_end
    whole = appended(head, section_bytes(b"new", line_end))
    assert whole.startswith(head)
    found = find_section(whole)
    assert found is not None
    assert found.is_ours
    assert without_addition(whole, found.start, found.end) == head


def test_a_link_to_agents_md_is_an_import(folder: Folder) -> None:
    folder.write("AGENTS.md", "# Ours\n")
    (folder.root / "CLAUDE.md").symlink_to("AGENTS.md")
    folder("--agent", "claude")
    assert (folder.root / "CLAUDE.md").is_symlink()
    assert "@AGENTS.md" not in folder.read("AGENTS.md")
    folder("--undo")
    assert folder.read("AGENTS.md") == "# Ours\n"


def test_a_file_of_claude_codes_folder_gets_its_own_path(folder: Folder) -> None:
    folder.write(".claude/CLAUDE.md", "# Mine\n")
    folder("--agent", "claude")
    assert folder.read(".claude/CLAUDE.md") == "# Mine\n\n@../AGENTS.md\n"
    assert not folder.has("CLAUDE.md")


def test_a_file_above_the_project_is_named(folder: Folder) -> None:
    (folder.root.parent / "CLAUDE.md").write_text("# Above\n", encoding="utf-8")
    said = " ".join(folder("--agent", "claude").split())
    assert f"Claude Code reads {folder.root.parent}/CLAUDE.md and then no AGENTS.md below it" in said
    assert (folder.root.parent / "CLAUDE.md").read_text() == "# Above\n"


def test_a_skill_that_was_changed_is_kept(folder: Folder) -> None:
    own = folder.write(SKILLS["claude"], "my skill")
    said = folder("--agent", "claude")
    assert f"Kept {SKILLS['claude']}, which differs from ours; --force-overwrite replaces it" in said
    assert own.read_text() == "my skill"
    folder("--agent", "claude", "--force-overwrite")
    assert "chant_ready" in own.read_text()
    folder("--undo")
    assert own.read_text() == "my skill"


def test_a_linked_instruction_file_is_followed_inside_the_project(folder: Folder) -> None:
    folder.write("docs/rules.md", "# Agents\n")
    (folder.root / "AGENTS.md").symlink_to(Path("docs") / "rules.md")
    folder("--agent", "claude")
    assert (folder.root / "AGENTS.md").is_symlink()
    assert folder.read("docs/rules.md").startswith("# Agents\n\n<!-- chant:begin sha256=")
