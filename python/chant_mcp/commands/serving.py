"""What starting a server takes, over whichever transport: options, log, tools on offer."""

from __future__ import annotations

import functools
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import click

from chant_mcp.commands.project_options import project_option
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.terminal import harmless, say

if TYPE_CHECKING:
    from chant_mcp.tool_calls import Offer

P = ParamSpec("P")

_HINT = """\
{program} is an MCP server: it is waiting for a client's messages on standard input.
An agent's host starts it by itself; `{program} init` sets a host up.
To look at the specs yourself: `{program} list`, `{program} --help`.
Stop with Ctrl-C, or Ctrl-D for the end of the input."""

_toolsets = click.option(
    "--toolsets",
    metavar="NAMES",
    help="Tools to list: `auto` for the dialects found in the project (the default), `all`, or dialects "
    "by name, separated by commas. Also CHANT_MCP_TOOLSETS.",
)
_read_only = click.option("--read-only", is_flag=True, help="Neither list nor run tools that change files.")
_verbose = click.option("--verbose", is_flag=True, help="Log to standard error what the server does.")


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say what is served."""
    return _toolsets(_read_only(_verbose(command)))


def with_options(run: Callable[Concatenate[Surroundings, P], None]) -> Callable[..., None]:
    """Give a command the surroundings, with what its own options say of them."""

    @project_option
    @options
    @click.pass_obj
    @functools.wraps(run)
    def with_surroundings(
        surroundings: Surroundings,
        project: Path | None,
        toolsets: str | None,
        read_only: bool,
        verbose: bool,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        given = surroundings._replace(
            project=project or surroundings.project,
            toolsets=toolsets or surroundings.toolsets,
            read_only=read_only or surroundings.read_only,
            verbose=verbose or surroundings.verbose,
        )
        run(given, *args, **kwargs)

    return with_surroundings


def on_stdio(surroundings: Surroundings) -> None:
    """Serve standard input and output."""
    set_up_log(surroundings)
    if sys.stdin is not None and sys.stdin.isatty():
        context = click.get_current_context()
        say(_HINT.format(program=context.find_root().info_name), err=True)
    from chant_mcp.server.app import ChantServer

    on_offer = offer(surroundings)
    session = surroundings.session(door="agents")
    server = ChantServer(session, on_offer)
    logging.getLogger("chant_mcp").info("serving %s on standard input and output", session.place.root)
    server.run("stdio")


class _Harmless(logging.Formatter):
    """Writes what is logged, tracebacks included, without what would steer a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return harmless(super().format(record))


def set_up_log(surroundings: Surroundings) -> None:
    """Log to standard error, as much as `--verbose` or MCP_LOG_LEVEL says (seed tickets:501)."""
    named = surroundings.environment.get("MCP_LOG_LEVEL", "").upper()
    known = {name: getattr(logging, name) for name in ("ERROR", "WARN", "INFO", "DEBUG")}
    level = logging.INFO if surroundings.verbose else known.get(named, logging.WARNING)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Harmless(logging.BASIC_FORMAT))
    logging.basicConfig(level=level, handlers=[handler])


def offer(surroundings: Surroundings) -> Offer:
    """Say which tools are listed.

    Raises:
        click.UsageError: When a toolset is named that there is none of.
    """
    from chant_mcp.tool_calls import Offer

    given = surroundings.toolsets or surroundings.environment.get("CHANT_MCP_TOOLSETS") or "auto"
    source = "--toolsets" if surroundings.toolsets else "CHANT_MCP_TOOLSETS"
    try:
        return Offer.named(given, source, read_only=surroundings.read_only)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
