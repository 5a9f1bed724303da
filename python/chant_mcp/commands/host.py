"""`host export`: the plugin folder for agents' hosts."""

from __future__ import annotations

from pathlib import Path

import click

from chant_mcp.commands.project_options import changes_files
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.terminal import counted, say


@click.group()
def host() -> None:
    """Write the plugin folder for agents' hosts."""


@host.command()
@click.argument("folder", metavar="FOLDER", type=click.Path(file_okay=False, path_type=Path))
@click.pass_obj
@changes_files
def export(surroundings: Surroundings, folder: Path) -> None:
    """Write the plugin folder: skills, commands, hooks and the server for several hosts.

    FOLDER is new, empty, or one that this command wrote; it lies outside of every checkout, where work that
    lands would change what hosts have installed.
    """
    from chant_mcp.init.plugin_folder import write_plugin

    target = (surroundings.working_directory / folder).resolve()
    changed = write_plugin(target)
    say(f"Wrote {counted(len(changed), 'file')} into {target}" if changed else f"{target} is up to date.")
    say("\nInstall it:")
    for line in (
        f"claude plugin marketplace add {target} && claude plugin install chant@chant-mcp",
        f"codex plugin marketplace add {target} && codex plugin add chant@chant-mcp",
        f"copilot plugin install {target / 'chant'}",
        f"gemini extensions install {target / 'chant'}",
        f"qwen extensions install {target / 'chant'}",
    ):
        say(f"  {line}")
    say(f'  OpenCode: "plugin": ["file://{target / "chant/opencode/chant.js"}"] in opencode.json')
