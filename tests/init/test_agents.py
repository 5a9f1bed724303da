"""Instruction files of agents, and the provider that an agent implies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chant_mcp.init.agents import BEGIN, END, with_section
from hypothesis import assume, given
from hypothesis import strategies as st
from init.kit import Folder, tree

INSTRUCTIONS = {
    "claude": "CLAUDE.md",
    "cursor": ".cursorrules",
    "kiro": ".kiro/rules.md",
    "generic": ".ai-instructions",
}
SKILLS = {name: f".{name}/skills/chant/SKILL.md" for name in ("claude", "cursor", "kiro")}


def _files(folder: Folder) -> set[str]:
    written = {name for name, content in tree(folder.root).items() if content is not None}
    return {name for name in written if not name.startswith(".chant/")}


@pytest.mark.requirement(
    "init:agent:writes_instruction_files",
    "init:agent:accepts_five_values",
    "init:agent:skill_file_per_agent",
    "init:agent:claude_needs_no_questions",
)
@pytest.mark.parametrize("agent", [*INSTRUCTIONS, "all"])
def test_agent_writes_instructions_a_skill_and_for_claude_the_host(folder: Folder, agent: str) -> None:
    folder("--agent", agent)
    names = list(INSTRUCTIONS) if agent == "all" else [agent]
    wanted = {INSTRUCTIONS[name] for name in names} | {SKILLS[name] for name in names if name in SKILLS}
    assert _files(folder) == wanted | ({".mcp.json"} if "claude" in names else set())
    for name in wanted:
        text = folder.read(name)
        for tool in ("chant_ready", "chant_spec_update", "chant_finalize"):
            assert tool in text
    for name in wanted & set(SKILLS.values()):
        assert re.match(r"---\nname: chant\ndescription: .{40,}\n---\n", folder.read(name))


@pytest.mark.requirement("init:agent:accepts_five_values")
def test_agent_is_repeatable_and_refuses_other_names(folder: Folder) -> None:
    assert "'emacs' is not one of" in folder.refused("--agent", "emacs", code=2)
    folder("--agent", "generic", "--agent", "cursor", "--agent", "generic")
    assert _files(folder) == {".ai-instructions", ".cursorrules", SKILLS["cursor"]}


@pytest.mark.requirement("init:agent:implies_a_provider")
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


@pytest.mark.requirement("init:agent:implies_a_provider")
def test_on_a_project_that_exists_an_agent_fills_in_a_provider_but_changes_none(folder: Folder) -> None:
    folder()
    assert "provider" not in folder.read(".chant/config.md"), "no agent is installed here"
    folder("--agent", "claude")
    assert "  provider: claude\n" in folder.read(".chant/config.md")
    folder("--provider", "ollama")
    folder("--agent", "kiro")
    assert "  provider: ollama\n" in folder.read(".chant/config.md")


@pytest.mark.requirement("init:agent:claude_md_section_is_replaced_in_place")
def test_the_section_is_replaced_in_place(folder: Folder) -> None:
    head, tail = b"# Ours \xff\r\n\r\ntext", b"\r\n\r\nmore text without an end"
    folder.write("CLAUDE.md", head + BEGIN + b"\r\nold\r\n" + END + tail)
    folder("--agent", "claude")
    after = (folder.root / "CLAUDE.md").read_bytes()
    assert after.startswith(head + BEGIN + b"\r\n## Chant specs\r\n")
    assert after.endswith(b"\r\n" + END + tail)
    assert b"old" not in after
    folder("--agent", "claude")
    assert (folder.root / "CLAUDE.md").read_bytes() == after


@pytest.mark.requirement("init:agent:claude_md_section_is_appended_when_absent")
@pytest.mark.parametrize("before", ["# Ours\n", "# Ours", "# Ours\r\n", ""])
def test_the_section_is_appended_when_absent(folder: Folder, before: str) -> None:
    folder.write("CLAUDE.md", before)
    folder("--agent", "claude")
    after = folder.read("CLAUDE.md")
    line_end = "\r\n" if "\r\n" in before else "\n"
    gap = "" if not before else line_end if before.endswith("\n") else line_end * 2
    assert after.startswith(f"{before}{gap}{BEGIN.decode()}{line_end}")
    assert after.endswith(f"{line_end}{END.decode()}{line_end}")
    folder("--agent", "claude")
    assert folder.read("CLAUDE.md") == after


@pytest.mark.parametrize("text", [BEGIN, END, END + BEGIN, BEGIN + END + BEGIN + END, BEGIN + BEGIN + END])
@pytest.mark.requirement("init:refusals:nothing_is_written")
def test_markers_that_enclose_no_section_are_refused(folder: Folder, text: bytes) -> None:
    folder.write("CLAUDE.md", text)
    assert "needs exactly one" in folder.refused("--agent", "claude")


@given(st.binary(max_size=60), st.binary(max_size=60), st.sampled_from([b"old", b""]))
@pytest.mark.requirement(
    "init:agent:claude_md_section_is_replaced_in_place",
    "init:agent:claude_md_section_is_appended_when_absent",
)
def test_bytes_around_the_section_survive(head: bytes, tail: bytes, old: bytes) -> None:
    assume(not any(marker in part for marker in (BEGIN, END) for part in (head, tail)))
    before = head + BEGIN + old + END + tail
    after = with_section(before, b"new")
    assert after.startswith(head + BEGIN)
    assert after.endswith(END + tail)
    assert with_section(after, b"new") == after
    appended = with_section(head, b"new")
    assert appended.startswith(head)
    assert with_section(appended, b"new") == appended


@pytest.mark.requirement("init:agent:whole_files_only_when_absent_or_forced")
@pytest.mark.parametrize("agent", ["cursor", "kiro", "generic"])
def test_whole_files_are_written_only_when_absent_or_forced(folder: Folder, agent: str) -> None:
    own = folder.write(INSTRUCTIONS[agent], "my rules")
    said = folder("--agent", agent)
    assert f"Kept {INSTRUCTIONS[agent]}, which differs from ours; --force-overwrite replaces it" in said
    assert own.read_text() == "my rules"
    folder("--agent", agent, "--force-overwrite")
    assert "chant_ready" in own.read_text()


@pytest.mark.requirement("init:agent:changed_skill_is_kept")
def test_a_skill_that_was_changed_is_kept(folder: Folder) -> None:
    own = folder.write(SKILLS["claude"], "my skill")
    folder("--agent", "claude")
    assert own.read_text() == "my skill"


@pytest.mark.requirement("init:files:links_inside_are_followed")
def test_a_linked_instruction_file_is_followed_inside_the_project(folder: Folder) -> None:
    folder.write("docs/AGENTS.md", "# Agents\n")
    (folder.root / "CLAUDE.md").symlink_to(Path("docs") / "AGENTS.md")
    folder("--agent", "claude")
    assert (folder.root / "CLAUDE.md").is_symlink()
    assert folder.read("docs/AGENTS.md").startswith("# Agents\n\n<!-- chant:begin -->")
