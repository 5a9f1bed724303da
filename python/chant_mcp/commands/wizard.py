"""The questions of `init` at a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
import questionary

from chant_mcp.init import layout, merge_driver
from chant_mcp.init.installed_agents import InstalledAgent
from chant_mcp.init.plan import Wishes
from chant_mcp.init.repository import Repository
from chant_mcp.terminal import harmless, say

_PROVIDERS = {
    "claude": "Claude",
    "ollama": "Ollama (local models)",
    "openai": "OpenAI, or what speaks its protocol",
    "kirocli": "Kiro",
}

_AGENTS = {
    "claude": "Claude Code: AGENTS.md, a skill, and .mcp.json",
    "cursor": "Cursor: AGENTS.md and a skill",
    "kiro": "Kiro: AGENTS.md and a skill",
    "codex": "Codex: AGENTS.md and a skill",
    "copilot": "GitHub Copilot: AGENTS.md and a skill",
    "gemini": "Gemini CLI: AGENTS.md, a skill, and .gemini/settings.json",
    "qwen": "Qwen Code: AGENTS.md and a skill",
    "opencode": "OpenCode: AGENTS.md and a skill",
    "generic": "Others: AGENTS.md",
}

_CLIENTS = {
    "claude": "Claude Code: .mcp.json",
    "cursor": "Cursor: .cursor/mcp.json",
    "vscode": "VS Code: .vscode/mcp.json",
    "codex": "Codex: .codex/config.toml",
    "copilot": "Copilot CLI: .github/mcp.json",
    "gemini": "Gemini CLI: .gemini/settings.json",
    "qwen": "Qwen Code: .qwen/settings.json",
    "opencode": "OpenCode: opencode.json",
    "zed": "Zed: .zed/settings.json",
}


def ask(
    root: Path, repository: Repository, wishes: Wishes, installed: Sequence[InstalledAgent] = ()
) -> Wishes:
    """Ask for what flags would have said; of a project that exists only what can be added.

    Args:
        root: The project's folder.
        repository: The git repository around it, which need not exist.
        wishes: What is asked for already.
        installed: The agents that are here, the one first that is proposed.

    Raises:
        click.Abort: When the user breaks off; nothing is written then.
    """
    try:
        is_new = not layout.is_initialized(root)
        if is_new:
            wishes = replace(wishes, name=_name(root), provider=_provider(installed))
        else:
            say("Chant already initialized.")
        return replace(
            wishes,
            agents=_several("Write instructions for which agents?", _AGENTS),
            clients=_several("Which other hosts should be configured?", _CLIENTS),
            merge_driver=_merge_driver(repository, is_new),
        )
    except KeyboardInterrupt as interrupt:
        raise click.Abort from interrupt


def _name(root: Path) -> str:
    def is_name(text: str) -> bool | str:
        return bool(text.strip()) or "A project needs a name."

    proposed = harmless(layout.name(root))
    answer: str = questionary.text("Name of the project:", proposed, validate=is_name).unsafe_ask()
    return answer.strip()


def _provider(installed: Sequence[InstalledAgent]) -> str:
    login = {True: "logged in", False: "not logged in", None: "installed"}
    here = {agent.name: f"{agent.title} ({login[agent.logged_in]})" for agent in installed}
    titles = here | {name: title for name, title in _PROVIDERS.items() if name not in here}
    return questionary.select("Who works on specs?", _choices(titles)).unsafe_ask()


def _several(question: str, titles: dict[str, str]) -> tuple[str, ...]:
    return tuple(questionary.checkbox(question, _choices(titles)).unsafe_ask())


def _merge_driver(repository: Repository, is_new: bool) -> bool | None:
    found = merge_driver.look(repository) if repository.exists else None
    if found is None or not found.can_be_added:
        return None
    proposed = is_new or found.is_unregistered
    return questionary.confirm("Should git merge specs by their meaning?", proposed).unsafe_ask()


def _choices(titles: dict[str, str]) -> list[questionary.Choice]:
    return [questionary.Choice(title, value) for value, title in titles.items()]
