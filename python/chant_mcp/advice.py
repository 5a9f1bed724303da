"""Advice as people follow it: commands and flags in place of tools and their arguments."""

from __future__ import annotations

import re

_COMMANDS = {
    "spec_list": "list",
    "spec_get": "show",
    "work_start": "work",
    "work_list": "runs",
    "watch_start": "watch",
    **{
        name: name
        for name in (
            *("add", "archive", "cancel", "diagnose", "finalize", "lint", "log", "pause", "ready", "reset"),
            *("search", "split", "status", "takeover", "verify"),
        )
    },
}
"""The command for each tool that has one, without what stands before both."""

_TOOL = re.compile(r"(?P<tick>`?)\bchant_(?P<name>[a-z_]+)\b(?P=tick)")
_WITH_AN_EDIT = re.compile(r" with chant_spec_update\b(?: \(`\w+`\))?")
_FLAG = re.compile(r"\b(skip_criteria|force): true\b")


def in_commands(text: str) -> str:
    """Reword advice that names tools: what has no command is done in the spec's file."""
    text = _WITH_AN_EDIT.sub(" in its file", text)
    text = text.replace("chant_spec_update", "an edit of its file")
    text = _TOOL.sub(_command, text)
    return _FLAG.sub(lambda found: f"--{found[1].replace('_', '-')}", text)


def _command(found: re.Match[str]) -> str:
    command = _COMMANDS.get(found["name"])
    return found[0] if command is None else f"`chant-mcp {command}`"
