"""The plugin for agents' hosts: one folder that serves several, made from the texts of this package."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import metadata
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

from chant_mcp._core import VERSION
from chant_mcp.errors import RefusedError
from chant_mcp.init import files
from chant_mcp.init.hosts import NAME

SKILLS = ("work", "plan", "review", "verify")

_DESCRIPTION = "Plan, pick up, carry out and complete work that is kept as plain-text specs and plans."

_MARKET = "chant-mcp"

_PORTABLE_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"

_START = {"command": "chant-mcp", "args": ["mcp"]}

_EVENTS = ("SessionStart", "PreCompact")
"""Hooks that print what a session should know: at its start, also after a compaction, and before one."""

_GEMINI_EVENTS = ("SessionStart", "PreCompress")


def plugin_files() -> dict[str, str]:
    """Give the texts of the folder by their paths: two lists of a market, and the plugin below them."""
    manifest = {
        "name": NAME,
        "version": VERSION,
        "description": _DESCRIPTION,
        "license": metadata("chant-mcp")["License-Expression"],
    }
    listed = {"name": NAME, "description": _DESCRIPTION}
    owner = {"name": "chant-mcp"}
    servers = {"mcpServers": {NAME: _START}}
    extension = {**manifest, **servers, "contextFileName": "AGENTS.md"}
    found: dict[str, str] = {
        ".claude-plugin/marketplace.json": _json(
            {
                "name": _MARKET,
                "owner": owner,
                "metadata": {"description": _DESCRIPTION},
                "plugins": [{**listed, "version": VERSION, "source": f"./{NAME}"}],
            }
        ),
        ".agents/plugins/marketplace.json": _json(
            {
                "name": _MARKET,
                "interface": {"displayName": _MARKET},
                "plugins": [
                    {
                        "name": NAME,
                        "source": {"source": "local", "path": f"./{NAME}"},
                        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                        "category": "Productivity",
                    }
                ],
            }
        ),
    }
    plugin: dict[str, str] = {
        "plugin.json": _json({"$schema": _PORTABLE_SCHEMA, **manifest}),
        "mcp.json": _json(servers),
        ".claude-plugin/plugin.json": _json({**manifest, "author": owner, "mcpServers": "./mcp.json"}),
        ".codex-plugin/plugin.json": _json(
            {**manifest, "skills": "./skills/", "mcpServers": "./mcp.json", "hooks": "./hooks/hooks.json"}
        ),
        "gemini-extension.json": _json(extension),
        "qwen-extension.json": _json(extension),
        "AGENTS.md": _text("instructions.md"),
        "hooks/hooks.json": _json(_hooks()),
        ".lsp.json": _text("lsp.json"),
        "opencode/chant.js": _text("opencode/chant.js"),
    }
    for skill in SKILLS:
        plugin[f"skills/{skill}/SKILL.md"] = _text(f"skills/{skill}/SKILL.md")
    for name, command in json.loads(_text("commands.json")).items():
        plugin[f"commands/{name}.md"] = _command(command)
        plugin[f"commands/{name}.toml"] = _toml_command(command)
    return found | {f"{NAME}/{name}": text for name, text in plugin.items()}


def write_plugin(folder: Path) -> list[str]:
    """Write the folder; one that was written before is brought up to date.

    Returns:
        What was written, in order.

    Raises:
        RefusedError: Where the folder holds something else, or lies in a checkout, where a landing could
            change what hosts have installed.
        StorageError: When the disk refuses.
    """
    folder = folder.resolve()
    above = next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)
    if above is not None:
        raise RefusedError(
            f"{folder} lies in the checkout {above}: what lands there would change the plugin that hosts "
            "have installed. Name a folder outside of every checkout."
        )
    texts = {name: text.encode() for name, text in plugin_files().items()}
    present = {name: files.read(folder, name) for name in texts} if folder.exists() else {}
    manifest = present.get(f"{NAME}/plugin.json")
    is_ours = manifest is not None and f'"name": "{NAME}"'.encode() in manifest
    if folder.exists() and any(folder.iterdir()) and not is_ours:
        raise RefusedError(f"{folder} holds something else. Name a new or empty folder.")
    changed = [name for name, text in texts.items() if present.get(name) != text]
    folder.mkdir(parents=True, exist_ok=True)
    for name in changed:
        files.write(folder, files.FileChange(name, present.get(name), texts[name]))
    return changed


def _hooks() -> dict[str, Any]:
    # No time limit: hosts count it in different units, and the command ends within a second by itself.
    events = dict.fromkeys((*_EVENTS, *_GEMINI_EVENTS))
    return {
        "hooks": {
            event: [{"hooks": [{"type": "command", "command": f"chant-mcp prime --hook {event}"}]}]
            for event in events
        }
    }


def _command(command: Mapping[str, str]) -> str:
    hint = f"argument-hint: {command['argument']}\n" if "argument" in command else ""
    text = command["text"].replace("{argument}", "$ARGUMENTS")
    return f"---\ndescription: {command['description']}\n{hint}---\n\n{text}\n"


def _toml_command(command: Mapping[str, str]) -> str:
    # A text of JSON is a text of TOML, too, where it holds no half of a character.
    text = command["text"].replace("{argument}", "{{args}}")
    lines = {"description": command["description"], "prompt": text}
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2) + "\n"


def _text(name: str) -> str:
    folder = resources("chant_mcp") / "resources" / "host"
    return folder.joinpath(*name.split("/")).read_text("utf-8")
