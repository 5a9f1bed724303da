"""`mcp` and `lsp`: serve agents and editors on standard input and output."""

from __future__ import annotations

import signal

import click

from chant_mcp.commands import serving
from chant_mcp.commands.answers import exit_code_1
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.user_folders import text_variables, user_config_file


@click.command()
@serving.with_options
def mcp(surroundings: Surroundings) -> None:
    """Serve MCP on standard input and output."""
    serving.on_stdio(surroundings)


@click.command()
@click.pass_obj
@exit_code_1("the input ends before the editor says `exit`")
def lsp(surroundings: Surroundings) -> None:
    """Answer an editor about plans by the Language Server Protocol, on standard input and output."""
    from chant_mcp._core import serve_language
    from chant_mcp.commands.editor_acts import acts_of

    # The core waits without the interpreter, which would note Ctrl-C alone.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    variables = text_variables(surroundings.environment)
    user_config = user_config_file(variables, surroundings.home)
    is_orderly = serve_language(user_config=user_config, environment=variables, perform=acts_of(surroundings))
    click.get_current_context().exit(0 if is_orderly else 1)
