"""The entry: reads arguments, environment and working directory, and serves or runs a command.

Only `api/workspace.py`, the entry of scripts, looks at environment and working directory, too. Commands
for people are imported when one is run, so that serving starts without them.
"""

from __future__ import annotations

from chant_mcp.safe_path import leave_out_working_folder

leave_out_working_folder(is_module=False)

import sys
from os import environ
from pathlib import Path

import click

from chant_mcp import progress
from chant_mcp._core import VERSION
from chant_mcp.commands import serving
from chant_mcp.commands.catalogue import PROGRAM, SPECKIT, SPECS, TICKETS, VINE
from chant_mcp.commands.groups import Commands
from chant_mcp.commands.project_options import project_option
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.output_mode import MODE
from chant_mcp.process_setup import inherit_nothing, prepare_process


@click.group(
    cls=Commands,
    listing=PROGRAM,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@project_option
@serving.options
@click.version_option(version=VERSION, prog_name="chant-mcp")
@click.pass_context
def program(
    context: click.Context, project: Path | None, toolsets: str | None, read_only: bool, verbose: bool
) -> None:
    """Plain-text specs: for agents over MCP, for people on the command line.

    Without a command, or with `mcp`, it serves MCP on standard input and output.
    """
    MODE.begin(has_width="COLUMNS" in environ)
    context.obj = Surroundings.of_process(
        environ,
        _working_directory(context),
        project=project or _folder_in_environment(context),
        toolsets=toolsets,
        read_only=read_only,
        verbose=verbose,
    )
    if context.invoked_subcommand is None:
        serving.on_stdio(context.obj)
    elif sys.stderr is not None and sys.stderr.isatty():
        progress.report_on(sys.stderr)


@program.group(cls=Commands, listing=SPECS)
def chant() -> None:
    """Work with chant specs alone."""


@program.group(cls=Commands, listing=VINE)
def vine() -> None:
    """Work with task graphs in .vine files."""


@program.group(cls=Commands, listing=SPECKIT)
def speckit() -> None:
    """Work with spec-kit features and with questions of agents."""


@program.group(cls=Commands, listing=TICKETS)
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
    inherit_nothing()
    prepare_process(environ)
    program(args=None if command is None else [command, *sys.argv[1:]])
