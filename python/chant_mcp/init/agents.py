"""Instructions for agents: a section of `AGENTS.md`, and a skill where an agent looks for skills."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.resources import files as resources
from pathlib import Path

from chant_mcp.init import files
from chant_mcp.init.marked_section import (
    appended,
    find_section,
    line_end_of,
    lines_outside_of_code,
    section_bytes,
    without_addition,
)

INSTRUCTIONS = "AGENTS.md"
"""The file that nearly all agents read."""

_CLAUDE_FILES = {"CLAUDE.md": b"@AGENTS.md", ".claude/CLAUDE.md": b"@../AGENTS.md"}
"""Files with which Claude Code does not look for `AGENTS.md`, each with the line that brings it back."""

_IMPORT = re.compile(rb"(?:^|\s)@(?:\.{1,2}/)?AGENTS\.md(?![\w./-])")


@dataclass(frozen=True, slots=True)
class _Agent:
    skill: str | None
    provider: str | None
    client: str | None = None
    """The host whose file has to be written, too."""


_AGENTS = {
    "claude": _Agent(".claude/skills/chant/SKILL.md", "claude", "claude"),
    "codex": _Agent(".agents/skills/chant/SKILL.md", "codex"),
    "copilot": _Agent(".agents/skills/chant/SKILL.md", "copilot"),
    "cursor": _Agent(".cursor/skills/chant/SKILL.md", None),
    # It reads `AGENTS.md` where a setting says so.
    "gemini": _Agent(".agents/skills/chant/SKILL.md", "gemini", "gemini"),
    "qwen": _Agent(".qwen/skills/chant/SKILL.md", "qwen"),
    "opencode": _Agent(".agents/skills/chant/SKILL.md", "opencode"),
    "zed": _Agent(None, None),
    "windsurf": _Agent(None, None),
    "kiro": _Agent(".kiro/skills/chant/SKILL.md", "kirocli"),
    "generic": _Agent(None, None),
}

AGENTS = (*_AGENTS, "all")
"""What `--agent` takes."""


@dataclass(slots=True)
class InstructionPlan:
    """What becomes of the files with instructions."""

    changes: list[files.FileChange] = field(default_factory=list[files.FileChange])
    kept: list[str] = field(default_factory=list[str])
    """What stays although ours would say something else, and what to do about it."""
    notes: list[str] = field(default_factory=list[str])


def named(agents: tuple[str, ...]) -> list[str]:
    """Name each agent meant, once, in a fixed order."""
    return [name for name in _AGENTS if name in agents or "all" in agents]


def provider(agents: tuple[str, ...]) -> str | None:
    """Give the provider that the agents imply: that of the first that has one."""
    implied = (_AGENTS[name].provider for name in named(agents))
    return next((provider for provider in implied if provider), None)


def clients(agents: tuple[str, ...]) -> tuple[str, ...]:
    """Name the hosts whose files agents need."""
    implied = (_AGENTS[name].client for name in named(agents))
    return tuple(client for client in implied if client)


def changes(root: Path, agents: tuple[str, ...], force: bool) -> InstructionPlan:
    """Plan instructions and skills of agents.

    No file but `AGENTS.md` and skills is created, and what others wrote stays byte for byte.

    Raises:
        RefusedError: When a link leads out of the project.
        StorageError: When a file cannot be read.
    """
    planned = InstructionPlan()
    names = named(agents)
    if not names:
        return planned
    _plan_section(planned, root, force)
    if "claude" in names:
        _plan_import(planned, root)
    skill = text("SKILL.md")
    for file in dict.fromkeys(_AGENTS[name].skill for name in names):
        if file is None:
            continue
        before = files.read(root, file)
        if before is None or force or before == skill:
            planned.changes.append(files.FileChange(file, before, skill))
        else:
            planned.kept.append(f"{file}, which differs from ours; --force-overwrite replaces it")
    return planned


def skills() -> list[str]:
    """Name each file of a skill that is written for an agent."""
    return list(dict.fromkeys(agent.skill for agent in _AGENTS.values() if agent.skill))


def text(name: str) -> bytes:
    """Give a text that is written for agents."""
    return (resources("chant_mcp") / "resources" / "host" / name).read_bytes()


def without_section(content: bytes) -> bytes | None:
    """Give a file without our section; none where there is none, or somebody changed it."""
    try:
        found = find_section(content)
    except ValueError:
        return None
    return without_addition(content, found.start, found.end) if found and found.is_ours else None


def without_import(name: str, content: bytes) -> bytes | None:
    """Give a file of Claude Code's without the line that imports `AGENTS.md`; none without just one."""
    wanted = _CLAUDE_FILES.get(name)
    places = [start for start, line in lines_outside_of_code(content) if line.strip() == wanted]
    if wanted is None or len(places) != 1:
        return None
    return without_addition(content, places[0], places[0] + len(wanted))


def _plan_section(planned: InstructionPlan, root: Path, force: bool) -> None:
    before = files.read(root, INSTRUCTIONS)
    content = before or b""
    ours = section_bytes(text("instructions.md"), line_end_of(content))
    try:
        found = find_section(content)
    except ValueError:
        planned.kept.append(
            f"{INSTRUCTIONS}, whose marks do not enclose one section. Take them out and run this again, or "
            f"add these lines by hand:\n{ours.decode()}"
        )
        return
    if found is None:
        after = appended(content, ours)
    elif found.is_ours or force:
        after = content[: found.start] + ours + content[found.end :]
    else:
        planned.kept.append(
            f"{INSTRUCTIONS}, whose section of ours was changed; --force-overwrite replaces that section. "
            f"Ours says:\n{ours.decode()}"
        )
        return
    planned.changes.append(files.FileChange(INSTRUCTIONS, before, after))


def _plan_import(planned: InstructionPlan, root: Path) -> None:
    """Have Claude Code read `AGENTS.md`: with a file of its own it looks for no other."""
    target = files.place(root, INSTRUCTIONS)
    own = {name: content for name in _CLAUDE_FILES if (content := files.read(root, name)) is not None}
    if any(files.place(root, name) == target or _imports(content) for name, content in own.items()):
        return
    for name, content in own.items():
        planned.changes.append(files.FileChange(name, content, appended(content, _CLAUDE_FILES[name])))
        return
    above = next((folder / "CLAUDE.md" for folder in root.parents if (folder / "CLAUDE.md").is_file()), None)
    if above is not None:
        planned.notes.append(
            f"Claude Code reads {above} and then no {INSTRUCTIONS} below it, unless that file has the line "
            f"`@{root / INSTRUCTIONS}`"
        )


def _imports(content: bytes) -> bool:
    return any(_IMPORT.search(line) for _, line in lines_outside_of_code(content))
