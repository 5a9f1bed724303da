"""`http-agent`: an agent for runs that has a model work over HTTP."""

from __future__ import annotations

import sys

import click

from chant_mcp._core import work_over_http
from chant_mcp.commands.project_options import changes_files
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.errors import ChantError
from chant_mcp.terminal import harmless_json, say


@click.command(name="http-agent", hidden=True)
@click.option("--provider", required=True, type=click.Choice(["ollama", "openai"]), help="Its protocol.")
@click.option("--endpoint", required=True, metavar="URL")
@click.option("--model", required=True, metavar="NAME")
@click.option("--question", is_flag=True, help="An answer is wanted, not work.")
@click.option("--retries", type=click.IntRange(min=0), default=3, show_default=True)
@click.option("--retry-delay-ms", type=click.IntRange(min=0), default=1000, show_default=True)
@click.pass_obj
@changes_files
def http_agent(
    surroundings: Surroundings,
    provider: str,
    endpoint: str,
    model: str,
    question: bool,
    retries: int,
    retry_delay_ms: int,
) -> None:
    """Have a model work in the current folder on the prompt that standard input gives.

    Runs start it for the providers `ollama` and `openai`.
    """
    try:
        work_over_http(
            sys.stdin.buffer.read().decode(errors="replace"),
            is_question=question,
            provider=provider,
            endpoint=endpoint,
            model=model,
            folder=surroundings.working_directory,
            environment=surroundings.environment,
            retries=retries,
            retry_delay_ms=retry_delay_ms,
            # Lines of JSON, which lose nothing, and others.
            tell=lambda line: say(harmless_json(line)),
        )
    except ChantError as error:
        # A runner keeps the last line as the reason: it stays one line.
        say(error.describe(), err=True)
        sys.exit(1)
