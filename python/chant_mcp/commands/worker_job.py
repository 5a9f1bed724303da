"""`job`: does one run that another machine placed here. A worker starts it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from chant_mcp import resources
from chant_mcp._core import WorkerMachine
from chant_mcp.cluster.job_table import LARGEST_BUNDLE
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.errors import ChantError
from chant_mcp.program import own_program
from chant_mcp.terminal import say
from chant_mcp.user_folders import text_variables, user_config_file


@click.command(hidden=True)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--trust", "trusted", multiple=True, metavar="HASH", help="What may act in projects.")
@click.option("--remote", "remotes", multiple=True, metavar="URL", help="What may be fetched from.")
@click.option("--agent", "agents", multiple=True, metavar="NAME", help="What is offered; by default all.")
@click.option("--largest-bundle", type=int, default=LARGEST_BUNDLE, help="What needs more bytes is pushed.")
@click.pass_obj
def job(
    surroundings: Surroundings,
    folder: Path,
    trusted: tuple[str, ...],
    remotes: tuple[str, ...],
    agents: tuple[str, ...],
    largest_bundle: int,
) -> None:
    """Do the job in a folder; standard input is its lifeline, standard output says how it goes.

    The exit code is 0 if there is a result, whatever it says.
    """
    machine = worker_machine(
        surroundings.environment,
        home=surroundings.home,
        trusted=trusted,
        remotes=remotes,
        agents=agents,
        largest_bundle=largest_bundle,
    )
    try:
        machine.run_job(folder, _tell)
    except ChantError as error:
        say(f"Error: {error.describe()}", err=True)
        raise SystemExit(1) from error


def worker_machine(
    environment: Mapping[str, str],
    *,
    home: Path | None,
    trusted: tuple[str, ...] = (),
    remotes: tuple[str, ...] = (),
    agents: tuple[str, ...] = (),
    largest_bundle: int = LARGEST_BUNDLE,
) -> WorkerMachine:
    """Describe this machine as one that does jobs of others.

    Args:
        environment: The environment of its processes, with the keys of its accounts.
        home: The user's home.
        trusted: Hashes of what may act in projects.
        remotes: Remotes that may be fetched from, and pushed to where commits are too large to be sent back.
        agents: The agents that are offered; all where it is empty.
        largest_bundle: The bytes of commits that are sent back; what needs more is pushed.
    """
    return WorkerMachine(
        user_config=user_config_file(environment, home),
        environment=text_variables(environment),
        program=list(own_program(sys.executable)),
        prompts=Path(resources.__file__).parent / "prompts",
        trusted=list(trusted),
        remotes=list(remotes),
        agents=list(agents),
        largest_bundle=largest_bundle,
        stop_at=environment.get("CHANT_STOP_AT"),
    )


def _tell(news: str) -> None:
    sys.stdout.write(f"{news}\n")
    sys.stdout.flush()
