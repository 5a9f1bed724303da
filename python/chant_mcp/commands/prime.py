"""`prime`: what an agent's session should know when it begins; hooks of hosts print it."""

from __future__ import annotations

from pathlib import Path

import click

from chant_mcp.commands.project_options import project_option
from chant_mcp.commands.surroundings import Surroundings


@click.command()
@click.option(
    "--hook", metavar="EVENT", help="Print it as a hook of this event does: within a second or not at all."
)
@project_option
@click.pass_obj
def prime(surroundings: Surroundings, project: Path | None, hook: str | None) -> None:
    """Print what an agent should know at its start: at most 1,500 characters.

    Where it is, what it works on, what runs, what waits for a person, what is ready, and the tools to go
    on with. In a folder that is not trusted it counts, and shows no text of others. It edits and starts
    nothing, and its exit code is 0 whatever happens.
    """
    from chant_mcp.prime import print_prime

    folder = project or surroundings.project
    words = [*(["--hook", hook] if hook is not None else []), *(["--project", str(folder)] if folder else [])]
    print_prime(words, surroundings.environment)
