"""What a program looks for in a project, as `strace` recorded it.

What the table of files that act does not know of that is found here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from chant_mcp._core import acting_kind, acting_places

DECOYS = {
    **dict.fromkeys(
        (
            ".claude/settings.json", ".mcp.json", ".lsp.json", ".codex/hooks.json", ".github/hooks/a.json",
            ".github/mcp.json", ".github/lsp.json", ".github/copilot/settings.json", ".gemini/settings.json",
            ".qwen/settings.json", "opencode.json", ".opencode/opencode.json", ".cursor/mcp.json",
            ".cursor/hooks.json", ".vscode/mcp.json", ".vscode/settings.json", ".vscode/tasks.json",
            ".devcontainer.json", ".pi/settings.json", ".zed/settings.json", "package.json",
        ),
        "{}\n",
    ),
    **dict.fromkeys(
        (
            "AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md",
            "CONTEXT.md", ".claude/CLAUDE.md", ".claude/rules/a.md", ".github/copilot-instructions.md",
            ".cursorrules", ".github/instructions/a.instructions.md", ".cursor/rules/a.mdc",
            ".clinerules/a.md", ".rules", ".qwen/rules/a.md", ".pi/SYSTEM.md",
        ),
        "Be kind.\n",
    ),
    **dict.fromkeys(
        (
            ".claude/skills/a/SKILL.md", ".claude/agents/a.md", ".claude/commands/a.md",
            ".agents/skills/a/SKILL.md", ".github/agents/a.agent.md", ".github/skills/a/SKILL.md",
            ".gemini/skills/a/SKILL.md", ".qwen/skills/a/SKILL.md", ".opencode/command/a.md",
            ".opencode/agent/a.md", ".cline/skills/a/SKILL.md",
        ),
        "---\nname: a\ndescription: Nothing\n---\nBe kind.\n",
    ),
    ".codex/config.toml": "\n",
    ".gitattributes": "* text=auto\n",
    ".gitignore": "none\n",
    ".env": "NOTHING=1\n",
}  # fmt: skip
"""Files of the table that a project is given, so that a program looks into them and beside them."""

OWN = (".chant", ".chant-mcp", "ferry.txt", "boat.txt")
"""What a project of a trial has besides."""

VERSION_CONTROL = {".git", ".hg", ".jj", ".svn"}
"""Folders that bound a search in any folder; a commit holds no `.git`."""

_CALL = re.compile(r"(?P<pid>\d+) +(?P<name>\w+)\((?P<rest>.*)")
_PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<(?P<folder>[^>]*)>, )?"(?P<path>(?:[^"\\]|\\.)*)"')
_CHILD = re.compile(
    r"(?P<pid>\d+) +(?:<\.\.\. )?(?:clone3?|v?fork)\b.*= (?:\d+ /\* )?(?P<child>\d+)(?: in strace's PID NS|$)"
)
"""In a run's own namespace a child has another number than in the trace, which stands behind it."""
_PROGRAM = re.compile(r"(?P<pid>\d+) +execve\(\"(?P<path>[^\"]*)\"")
_CONFIGURES = re.compile(r"(?:^|/)\.[^/]|\.(?:md|mdc|jsonc?|ya?ml|toml|[cm]?[jt]s)$", re.IGNORECASE)
"""Names by which a program may be configured; of other files it reads the content alone."""


def recorder(out: Path) -> tuple[str, ...]:
    """Give the words that stand before a command whose files are to be recorded."""
    calls = "trace=%file,clone,clone3,fork,vfork"
    return (
        "strace", "-f", "--seccomp-bpf", "--pidns-translation", "-qq", "-y", "-s", "4096", "-e", calls,
        "-o", str(out),
    )  # fmt: skip


def looked_for(trace: str, program: str, folder: str) -> set[str]:
    """Give the paths in a run's folder that a program and its children opened, ran or looked for.

    What git reads for them is left out: a commit reads all files.

    Args:
        trace: What `recorder` wrote.
        program: The folder that the program is installed in.
        folder: A pattern of the run's folder.
    """
    lines = trace.splitlines()
    within = re.compile(rf"(?:{folder})/(?P<path>.+)")
    begun = {match["pid"]: at for at, match in _matches(_PROGRAM, lines) if match["path"].startswith(program)}
    children = [(match["pid"], match["child"]) for _, match in _matches(_CHILD, lines)]
    is_growing = True
    while is_growing:
        new = {child for parent, child in children if parent in begun and child not in begun}
        begun |= dict.fromkeys(new, 0)
        is_growing = bool(new)
    found: set[str] = set()
    in_git: set[str] = set()
    for at, match in _matches(_CALL, lines):
        started = _PROGRAM.match(lines[at])
        if started and "ENOENT" not in lines[at]:
            is_git = started["path"].rsplit("/", 1)[-1].startswith("git")
            (in_git.add if is_git else in_git.discard)(match["pid"])
        if match["pid"] in in_git:
            continue
        named = _PATH.match(match["rest"])
        if named and match["pid"] in begun and at >= begun[match["pid"]]:
            path = named["path"] if named["path"].startswith("/") else f"{named['folder']}/{named['path']}"
            inside = within.search(path)
            if inside:
                found.add(inside["path"].strip("/"))
    return found


def configuring(paths: Iterable[str]) -> list[str]:
    """Give the paths by which a program may be configured, but those that every trial has."""

    def is_own(path: str) -> bool:
        parts = path.split("/")
        return parts[0] in OWN or not VERSION_CONTROL.isdisjoint(parts)

    return sorted(path for path in paths if _CONFIGURES.search(path) and not is_own(path))


def unknown(paths: Iterable[str]) -> list[str]:
    """Give the paths by which a program may be configured and that the table does not know."""
    places = [place for _, _, places in acting_places() for place in places]

    def is_known(path: str) -> bool:
        is_above = any(place.startswith(f"{path.lower()}/") for place in places)
        return is_above or acting_kind(path) is not None

    return [path for path in configuring(paths) if not is_known(path)]


def _matches(pattern: re.Pattern[str], lines: list[str]) -> Iterable[tuple[int, re.Match[str]]]:
    return ((at, match) for at, line in enumerate(lines) if (match := pattern.match(line)))
