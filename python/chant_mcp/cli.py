"""The entry: reads arguments, environment and working directory, and serves or runs a command.

Nothing else in the package looks at them. Commands for people are imported when one is run, so that
serving starts without them.
"""

from __future__ import annotations

import difflib
import importlib
import io
import logging
import sys
from dataclasses import replace
from os import environ
from pathlib import Path
from typing import Any

import click

from chant_mcp.commands.surroundings import Surroundings, project_option
from chant_mcp.errors import ChantError

_HINT = """\
{program} is an MCP server: it is waiting for a client's messages on standard input.
An agent's host starts it by itself; `{program} init` sets a host up.
To look at the specs yourself: `{program} list`, `{program} --help`.
Stop with Ctrl-C, or Ctrl-D for the end of the input."""

_COMMANDS = {
    "list": "chant_mcp.commands.specs:list_specs",
    "ready": "chant_mcp.commands.specs:ready",
    "show": "chant_mcp.commands.specs:show",
    "status": "chant_mcp.commands.specs:status",
    "search": "chant_mcp.commands.specs:search",
    "add": "chant_mcp.commands.specs:add",
    "lint": "chant_mcp.commands.checks:lint",
    "verify": "chant_mcp.commands.checks:verify",
    "diagnose": "chant_mcp.commands.checks:diagnose",
    "log": "chant_mcp.commands.log:log",
    "work": "chant_mcp.commands.work:work",
    "watch": "chant_mcp.commands.daemon:watch",
    "runs": "chant_mcp.commands.work:runs",
    "pause": "chant_mcp.commands.work:pause",
    "takeover": "chant_mcp.commands.work:takeover",
    "merge": "chant_mcp.commands.work:merge",
    "worktree": "chant_mcp.commands.worktrees:worktree",
    "finalize": "chant_mcp.commands.states:finalize",
    "cancel": "chant_mcp.commands.states:cancel",
    "reset": "chant_mcp.commands.states:reset",
    "archive": "chant_mcp.commands.states:archive",
}
"""The commands on specs, by name, and where each is found."""

_VINE_COMMANDS = {
    "show": "chant_mcp.commands.vine:show",
    "list": "chant_mcp.commands.vine:list_tasks",
    "next": "chant_mcp.commands.vine:next_tasks",
    "graph": "chant_mcp.commands.vine:graph",
    "validate": "chant_mcp.commands.vine_checks:validate",
    "set": "chant_mcp.commands.vine_changes:set_statuses",
    "claim": "chant_mcp.commands.vine_changes:claim",
    "expand": "chant_mcp.commands.vine_changes:expand",
    "spec": "chant_mcp.commands.vine:spec",
}
"""The commands on task graphs."""

_SPECKIT_COMMANDS = {
    "context": "chant_mcp.commands.speckit:context",
    "features": "chant_mcp.commands.speckit:features",
    "tasks": "chant_mcp.commands.speckit:tasks",
    "next": "chant_mcp.commands.speckit:next_tasks",
    "read": "chant_mcp.commands.speckit:read",
    "complete": "chant_mcp.commands.speckit:complete",
    "questions": "chant_mcp.commands.speckit:questions",
    "events": "chant_mcp.commands.speckit:events",
}
"""The commands on spec-kit features, and on what agents report."""

_TICKETS_COMMANDS = {
    "list": "chant_mcp.commands.tickets:list_tickets",
    "ready": "chant_mcp.commands.tickets:ready",
    "show": "chant_mcp.commands.tickets:show",
    "sections": "chant_mcp.commands.tickets:sections",
    "graph": "chant_mcp.commands.tickets:graph",
    "advice": "chant_mcp.commands.tickets:advice",
    "projects": "chant_mcp.commands.tickets:projects",
    "add": "chant_mcp.commands.ticket_changes:add",
    "set": "chant_mcp.commands.ticket_changes:set_attributes",
    "status": "chant_mcp.commands.ticket_changes:status",
    "delete": "chant_mcp.commands.ticket_changes:delete",
}
"""The commands on tickets."""


class Failure(click.ClickException):
    """An error of the package, told in its own words."""

    def show(self, file: Any = None) -> None:
        """Print the sentences to standard error; texts of documents in them do not steer the terminal."""
        from chant_mcp.commands import display

        click.echo(display.harmless(self.message), file=file, err=True)


class Commands(click.Group):
    """A group whose commands are imported when they are needed."""

    def __init__(self, *args: Any, later: dict[str, str], **kwargs: Any) -> None:
        """Take the commands by name, each as `module:attribute`."""
        super().__init__(*args, **kwargs)
        self._later = later

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all commands, those of the specs first."""
        return [*self._later, *self.commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a command and import it."""
        if (place := self._later.get(cmd_name)) is not None:
            module, name = place.split(":")
            return getattr(importlib.import_module(module), name)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command meant, or name the nearest one."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            nearest = difflib.get_close_matches(name, self.list_commands(ctx), n=1)
            ctx.fail(f"No such command '{name}'." + (f" Did you mean '{nearest[0]}'?" if nearest else ""))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what the package refuses becomes a sentence and exit code 1."""
        try:
            return super().invoke(ctx)
        except ChantError as error:
            hint = error.details.get("hint")
            raise Failure(str(error) if hint is None else f"{error}\n{hint}") from error


_toolsets = click.option(
    "--toolsets",
    metavar="NAMES",
    help="Tools to list: `auto` for the dialects found in the project (the default), `all`, or dialects "
    "by name, separated by commas. Also CHANT_MCP_TOOLSETS.",
)
_read_only = click.option("--read-only", is_flag=True, help="Neither list nor run tools that change files.")
_verbose = click.option("--verbose", is_flag=True, help="Log to standard error what the server does.")


@click.group(
    cls=Commands,
    later={
        **_COMMANDS,
        "answer": "chant_mcp.commands.speckit:answer",
        "init": "chant_mcp.commands.init:init",
        "demo": "chant_mcp.commands.demo:demo",
        "merge-driver": "chant_mcp.commands.merge_driver:merge_driver",
        "demo-agent": "chant_mcp.commands.demo:demo_agent",
    },
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@project_option
@_toolsets
@_read_only
@_verbose
@click.version_option(package_name="chant-mcp", prog_name="chant-mcp")
@click.pass_context
def program(
    context: click.Context, project: Path | None, toolsets: str | None, read_only: bool, verbose: bool
) -> None:
    """Plain-text specs: for agents over MCP, for people on the command line.

    Without a command, or with `mcp`, it serves MCP on standard input and output.
    """
    context.obj = Surroundings(
        environment=dict(environ),
        working_directory=_working_directory(context),
        interpreter=sys.executable,
        config_home=_config_home(),
        home=_home(),
        project=project or _folder_in_environment(context),
        toolsets=toolsets,
        read_only=read_only,
        verbose=verbose,
    )
    if context.invoked_subcommand is None:
        _serve(context.obj)


@program.command()
@project_option
@_toolsets
@_read_only
@_verbose
@click.pass_obj
def mcp(
    surroundings: Surroundings, project: Path | None, toolsets: str | None, read_only: bool, verbose: bool
) -> None:
    """Serve MCP on standard input and output."""
    _serve(
        replace(
            surroundings,
            project=project or surroundings.project,
            toolsets=toolsets or surroundings.toolsets,
            read_only=read_only or surroundings.read_only,
            verbose=verbose or surroundings.verbose,
        )
    )


@program.group(cls=Commands, later=_COMMANDS)
def chant() -> None:
    """Work with chant specs alone."""


@program.group(cls=Commands, later=_VINE_COMMANDS)
def vine() -> None:
    """Work with task graphs in .vine files."""


@program.group(cls=Commands, later=_SPECKIT_COMMANDS)
def speckit() -> None:
    """Work with spec-kit features and with questions of agents."""


@program.group(cls=Commands, later=_TICKETS_COMMANDS)
def tickets() -> None:
    """Work with change-request tickets."""


def _working_directory(context: click.Context) -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        context.fail(f"The working directory cannot be read: {error.strerror}")


def _config_home() -> Path | None:
    named = Path(environ.get("XDG_CONFIG_HOME", ""))
    home = _home()
    return named if named.is_absolute() else home and home / ".config"


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:  # nobody says where that is
        return None


def _folder_in_environment(context: click.Context) -> Path | None:
    given = environ.get("CHANT_PROJECT")
    if not given:
        return None
    if not Path(given).is_dir():
        context.fail(f"CHANT_PROJECT names no folder: {given}")
    return Path(given).resolve()


def _serve(surroundings: Surroundings) -> None:
    logging.basicConfig(level=_log_level(surroundings), stream=sys.stderr)
    if sys.stdin is not None and sys.stdin.isatty():
        context = click.get_current_context()
        click.echo(_HINT.format(program=context.find_root().info_name), err=True)
    from chant_mcp.server.app import ChantServer, Offer

    offer = Offer(_toolset_names(surroundings), surroundings.read_only)
    session = surroundings.session()
    server = ChantServer(session, offer)
    logging.getLogger("chant_mcp").info("serving %s on standard input and output", session.place.root)
    server.run("stdio")


def _log_level(surroundings: Surroundings) -> int:
    """What is logged: as `--verbose` or MCP_LOG_LEVEL say (seed tickets, environment variables)."""
    if surroundings.verbose:
        return logging.INFO
    named = surroundings.environment.get("MCP_LOG_LEVEL", "").upper()
    known = {name: getattr(logging, name) for name in ("ERROR", "WARN", "INFO", "DEBUG")}
    return known.get(named, logging.WARNING)


def _toolset_names(surroundings: Surroundings) -> list[str]:
    from chant_mcp.toolsets import toolsets

    given = surroundings.toolsets or environ.get("CHANT_MCP_TOOLSETS") or "auto"
    source = "--toolsets" if surroundings.toolsets else "CHANT_MCP_TOOLSETS"
    known = ["auto", "all", *toolsets()]
    names = [name for part in given.split(",") if (name := part.strip())]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        what = (
            f"Unknown toolset in {source}: {', '.join(unknown)}" if unknown else f"{source} names no toolset"
        )
        raise click.UsageError(f"{what}\nToolsets are: {', '.join(known)}")
    return names


def main(command: str | None = None) -> None:
    """Run the program.

    Args:
        command: A command to run with the arguments given, in place of one named by them.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Texts of specs may hold any character, whatever the terminal's locale says.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    program(args=None if command is None else [command, *sys.argv[1:]])
