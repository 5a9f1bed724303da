"""Instructions for agents: how to work with specs, in the file that each agent reads."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files as resources
from pathlib import Path

from chant_mcp.errors import InvalidDocumentError
from chant_mcp.init import files

BEGIN = b"<!-- chant:begin -->"
END = b"<!-- chant:end -->"


@dataclass(frozen=True, slots=True)
class _Agent:
    instructions: str
    skill: str | None
    provider: str | None


_AGENTS = {
    "claude": _Agent("CLAUDE.md", ".claude/skills/chant/SKILL.md", "claude"),
    "cursor": _Agent(".cursorrules", ".cursor/skills/chant/SKILL.md", None),
    "kiro": _Agent(".kiro/rules.md", ".kiro/skills/chant/SKILL.md", "kirocli"),
    "generic": _Agent(".ai-instructions", None, None),
}

AGENTS = (*_AGENTS, "all")
"""What `--agent` takes."""


def named(agents: tuple[str, ...]) -> list[str]:
    """Name each agent meant, once, in a fixed order."""
    return [name for name in _AGENTS if name in agents or "all" in agents]


def provider(agents: tuple[str, ...]) -> str | None:
    """Give the provider that the agents imply: that of the first that has one."""
    implied = (_AGENTS[name].provider for name in named(agents))
    return next((provider for provider in implied if provider), None)


def changes(root: Path, agents: tuple[str, ...], force: bool) -> tuple[list[files.FileChange], list[str]]:
    """Plan the instruction and skill files of agents.

    Returns:
        The changes, and the names of files that are kept as they are although they differ.

    Raises:
        InvalidDocumentError: When the markers in `CLAUDE.md` do not enclose one section.
    """
    planned: list[files.FileChange] = []
    kept: list[str] = []
    instructions = _text("instructions.md")
    for name in named(agents):
        agent = _AGENTS[name]
        whole = {agent.skill: _text("SKILL.md")} if agent.skill else {}
        if name == "claude":
            before = files.read(root, agent.instructions)
            after = with_section(before or b"", instructions)
            planned.append(files.FileChange(agent.instructions, before, after))
        else:
            whole[agent.instructions] = instructions
        for file, text in whole.items():
            before = files.read(root, file)
            if before is None or force or before == text:
                planned.append(files.FileChange(file, before, text))
            else:
                kept.append(file)
    return planned, kept


def with_section(before: bytes, text: bytes) -> bytes:
    """Give a file with our section in it: in the place of an earlier one, else at the end.

    Raises:
        InvalidDocumentError: When the markers do not enclose one section.
    """
    line_end = b"\r\n" if before.count(b"\r\n") * 2 > before.count(b"\n") else b"\n"
    section = line_end.join([BEGIN, *text.strip().splitlines(), END])
    if BEGIN not in before and END not in before:
        if not before:
            return section + line_end
        gap = line_end if before.endswith(b"\n") else line_end * 2
        return before + gap + section + line_end
    start, end = before.find(BEGIN), before.find(END)
    if before.count(BEGIN) != 1 or before.count(END) != 1 or end < start:
        raise InvalidDocumentError(
            f"`CLAUDE.md` needs exactly one `{BEGIN.decode()}` and after it one `{END.decode()}`. "
            "Nothing was changed.\nFix the markers and run this again."
        )
    return before[:start] + section + before[end + len(END) :]


def _text(name: str) -> bytes:
    return (resources("chant_mcp") / "resources" / "agents" / name).read_bytes()
