"""The entry: reads arguments, environment and working directory, and serves or runs a command.

Only `api/workspace.py`, the entry of scripts, looks at environment and working directory, too. Commands
for people are imported when one is run, so that serving starts without them.
"""

from __future__ import annotations

import difflib
import importlib
import io
import sys
from os import environ
from pathlib import Path
from typing import Any

import click

from chant_mcp.commands import serving
from chant_mcp.commands.persons import with_run_above
from chant_mcp.commands.surroundings import Surroundings, project_option
from chant_mcp.errors import ChantError, NotTrustedError
from chant_mcp.terminal import harmless
from chant_mcp.user_folders import config_folder, home_folder

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
    "split": "chant_mcp.commands.split:split",
    "watch": "chant_mcp.commands.daemon:watch",
    "runs": "chant_mcp.commands.work:runs",
    "pause": "chant_mcp.commands.work:pause",
    "takeover": "chant_mcp.commands.work:takeover",
    "merge": "chant_mcp.commands.work:merge",
    "worktree": "chant_mcp.commands.worktrees:worktree",
    "receipt": "chant_mcp.commands.receipt:receipt",
    "finalize": "chant_mcp.commands.states:finalize",
    "cancel": "chant_mcp.commands.states:cancel",
    "reset": "chant_mcp.commands.states:reset",
    "approve": "chant_mcp.commands.approval:approve",
    "reject": "chant_mcp.commands.approval:reject",
    "archive": "chant_mcp.commands.states:archive",
}
"""The commands on specs, by name, and where each is found."""

_SPECS_ALONE = {**_COMMANDS, "graph": "chant_mcp.commands.workspace:spec_graph"}
"""The commands below `chant`."""

_WORKSPACE_COMMANDS = {
    **_COMMANDS,
    "list": "chant_mcp.commands.workspace:list_items",
    "ready": "chant_mcp.commands.workspace:ready",
    "show": "chant_mcp.commands.workspace:show",
    "graph": "chant_mcp.commands.workspace:graph",
    "export": "chant_mcp.commands.export:export",
    "import": "chant_mcp.commands.imports:import_specs",
}
"""The commands on whatever a project holds, and those on specs that need no name before them."""

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
    "list": "chant_mcp.commands.workspace:list_feature_tasks",
    "ready": "chant_mcp.commands.workspace:ready_feature_tasks",
    "show": "chant_mcp.commands.workspace:show_feature_task",
    "graph": "chant_mcp.commands.workspace:feature_graph",
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
        click.echo(harmless(self.message), file=file, err=True)


class Refusal(Failure):
    """What needs a person's trust first."""

    exit_code = 2


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
        except NotTrustedError as error:
            raise Refusal(error.told()) from error
        except ChantError as error:
            raise Failure(error.told()) from error
        except click.ClickException as error:
            # What was typed may have come from a list of files.
            vars(error)["message"] = harmless(error.message)
            raise


@click.group(
    cls=Commands,
    later={
        **_WORKSPACE_COMMANDS,
        "answer": "chant_mcp.commands.speckit:answer",
        "board": "chant_mcp.commands.board:board",
        "serve": "chant_mcp.commands.serve:serve",
        "config": "chant_mcp.commands.config:config",
        "doctor": "chant_mcp.commands.doctor:doctor",
        "agents": "chant_mcp.commands.agents:agents",
        "confine": "chant_mcp.commands.confine:confine",
        "trust": "chant_mcp.commands.trust:trust",
        "init": "chant_mcp.commands.init:init",
        "demo": "chant_mcp.commands.demo:demo",
        "merge-driver": "chant_mcp.commands.merge_driver:merge_driver",
        "connect": "chant_mcp.commands.connect:connect",
        "serve-run": "chant_mcp.commands.connect:serve_run",
        "demo-agent": "chant_mcp.commands.demo:demo_agent",
        "http-agent": "chant_mcp.commands.http_agent:http_agent",
    },
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@project_option
@serving.options
@click.version_option(package_name="chant-mcp", prog_name="chant-mcp")
@click.pass_context
def program(
    context: click.Context, project: Path | None, toolsets: str | None, read_only: bool, verbose: bool
) -> None:
    """Plain-text specs: for agents over MCP, for people on the command line.

    Without a command, or with `mcp`, it serves MCP on standard input and output.
    """
    home = home_folder()
    config_home = config_folder(environ, home)
    context.obj = Surroundings(
        environment=with_run_above(environ),
        working_directory=_working_directory(context),
        interpreter=sys.executable,
        config_home=Path(config_home) if config_home else None,
        home=Path(home) if home else None,
        project=project or _folder_in_environment(context),
        toolsets=toolsets,
        read_only=read_only,
        verbose=verbose,
    )
    if context.invoked_subcommand is None:
        serving.on_stdio(context.obj)


@program.command()
@serving.with_options
def mcp(surroundings: Surroundings) -> None:
    """Serve MCP on standard input and output."""
    serving.on_stdio(surroundings)


@program.group(cls=Commands, later=_SPECS_ALONE)
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


def _folder_in_environment(context: click.Context) -> Path | None:
    given = environ.get("CHANT_PROJECT")
    if not given:
        return None
    if not Path(given).is_dir():
        context.fail(f"CHANT_PROJECT names no folder: {given}")
    return Path(given).resolve()


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
