"""`mcp`: serves MCP on standard input and output."""

from __future__ import annotations

import click

from chant_mcp.commands import serving
from chant_mcp.commands.surroundings import Surroundings


@click.command()
@serving.with_options
def mcp(surroundings: Surroundings) -> None:
    """Serve MCP on standard input and output."""
    serving.on_stdio(surroundings)
