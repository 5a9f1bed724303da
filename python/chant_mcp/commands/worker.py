"""`worker`: this machine as a place for runs of a cluster."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import click

from chant_mcp._core import WorkerMachine
from chant_mcp.cluster.extra import require_cluster_extra
from chant_mcp.cluster.folder_use import folder_in_use
from chant_mcp.cluster.job_table import LARGEST_BUNDLE
from chant_mcp.cluster.read_offer import read_offer
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.commands.worker_job import worker_machine
from chant_mcp.errors import ConflictError, NotFoundError, RefusedError
from chant_mcp.paging import Data
from chant_mcp.program import own_program
from chant_mcp.terminal import say
from chant_mcp.user_folders import data_home

_PATH = click.Path(file_okay=False, path_type=Path)


class _Slots(click.ParamType[tuple[str, int]]):
    """An agent's name and a number, as `claude=4`."""

    name = "agent=number"

    def convert(
        self, value: str | tuple[str, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """Return the two."""
        if isinstance(value, tuple):
            return value
        agent, _, number = value.partition("=")
        if not agent or not number.isascii() or not number.isdigit() or not 0 < int(number) <= 1000:
            self.fail(f"'{value}' is not an agent and a number from 1 to 1000, such as claude=4.", param, ctx)
        return agent, int(number)


@click.command()
@click.argument("url", required=False)
@click.option("--slots", multiple=True, type=_Slots(), help="Runs of an agent at once; may be repeated.")
@click.option("--name", metavar="NAME", help="The name of this machine in the cluster; else its host name.")
@click.option("--label", "labels", multiple=True, metavar="TEXT", help="What this machine is good for.")
@click.option("--remote", "remotes", multiple=True, metavar="URL", help="A repository it may fetch and push.")
@click.option("--trust", "trusted", multiple=True, metavar="HASH", help="A configuration that may act here.")
@click.option(
    "--account", "accounts", multiple=True, metavar="NAME", help="An account it offers; else all here."
)
@click.option(
    "--largest-bundle",
    type=click.IntRange(1, LARGEST_BUNDLE),
    default=LARGEST_BUNDLE,
    metavar="BYTES",
    help="Commits that need more are pushed to the repository; 64 MiB at most.",
)
@click.option("--reads", "reads", multiple=True, metavar="PLACE", help="Repositories it reads for fleets.")
@click.option("--tls", type=_PATH, help="The folder of certificates.")
@click.option("--once", is_flag=True, help="End when the scheduler ends, rather than wait for it.")
@click.option("--kept", is_flag=True, help="List the work of runs that was not taken back.")
@click.option("--folder", type=_PATH, hidden=True)
@click.option("--reads-all", is_flag=True, hidden=True)
@click.option("--trust-file", type=click.Path(dir_okay=False, path_type=Path), hidden=True)
@click.pass_obj
def worker(
    surroundings: Surroundings,
    url: str | None,
    slots: tuple[tuple[str, int], ...],
    name: str | None,
    labels: tuple[str, ...],
    remotes: tuple[str, ...],
    trusted: tuple[str, ...],
    accounts: tuple[str, ...],
    largest_bundle: int,
    reads: tuple[str, ...],
    tls: Path | None,
    once: bool,
    kept: bool,
    folder: Path | None,
    reads_all: bool,
    trust_file: Path | None,
) -> None:
    """Offer this machine to a cluster until Ctrl-C: runs of others' projects, with this machine's agents.

    URL is the address of its scheduler, such as tls://head:8786. Jobs use the agents, accounts and variables
    of this machine; none of them travels. Without --slots all agents that are here are offered. Repositories
    are read for others only where --reads names them: a folder with all below it, an address, or the
    beginning of addresses, such as https://host/team/.
    """
    name = name or socket.gethostname()
    folder = folder or worker_folder(surroundings, name)
    if kept:
        _list_kept(folder)
        return
    if url is None:
        raise click.UsageError("Name the scheduler, such as tls://head:8786.")
    require_cluster_extra()
    offered_reads = read_offer(reads, is_all=reads_all)
    agents = tuple(agent for agent, _ in slots)
    machine = worker_machine(
        surroundings.environment,
        home=surroundings.home,
        trusted=trusted,
        remotes=remotes,
        agents=agents,
        largest_bundle=largest_bundle,
    )
    try:
        with folder_in_use(folder, waits=False):
            # The cluster of this machine is for trying, too: the demo agent is part of it.
            found: Data = machine.offer(folder, built_in=trust_file is not None).data
            from chant_mcp.cluster.worker import AgentOffer, WorkerOffer, WorkerPlan, run_worker

            def sweep(worker: Path, only: str | None) -> None:
                machine.sweep(worker, only=only)

            offered = {
                agent: AgentOffer(slots=number, version=found["agents"][agent]["version"])
                for agent, number in _rooms(slots, found, is_needed=not offered_reads.at_once)
            }
            offered_accounts = _accounts(accounts, found)
            plan = WorkerPlan(
                address=url,
                tls=tls or default_tls(surroundings),
                name=name,
                folder=folder,
                offer=WorkerOffer(
                    offered, offered_accounts, labels, remotes, trusted, offered_reads, trust_file is not None
                ),
                program=lambda: (
                    *_job_program(surroundings, remotes, (*trusted, *_hashes(trust_file)), agents),
                    *("--largest-bundle", str(largest_bundle)),
                ),
                environment=surroundings.environment,
                sweep=sweep,
                largest_bundle=largest_bundle,
                returns=not once,
            )
            run_worker(plan, say=lambda sentence: say(sentence, err=True))
    except BlockingIOError as error:
        raise ConflictError(
            f"A worker named {name} runs on this machine already. Give this one another --name."
        ) from error


def _rooms(slots: tuple[tuple[str, int], ...], found: Data, *, is_needed: bool) -> list[tuple[str, int]]:
    """Give the slots of the agents that are here: as many as were said, else one for each core.

    Raises:
        RefusedError: There is none, and one is needed as nothing else is offered.
    """
    for agent in found["missing"]:
        say(f'There is no agent "{agent}" on this machine; it is not offered.', err=True)
    rooms = slots or tuple((agent, os.cpu_count() or 1) for agent in found["agents"])
    here = [(agent, number) for agent, number in rooms if agent in found["agents"]]
    if not here and is_needed:
        why = "The disk is nearly full" if found["disk"]["is_full"] else "No agent was found here"
        raise RefusedError(f"{why}, so that there is nothing to offer. See `chant-mcp agents`.")
    return here


def _accounts(named: tuple[str, ...], found: Data) -> tuple[str, ...]:
    """Give the accounts that are offered: those that were named as far as they are here, else all."""
    here = tuple(str(account) for account in found["accounts"])
    for account in named:
        if account not in here:
            say(f'There is no account "{account}" on this machine; it is not offered.', err=True)
    return tuple(account for account in here if account in named) if named else here


def _job_program(
    surroundings: Surroundings, remotes: tuple[str, ...], trusted: tuple[str, ...], agents: tuple[str, ...]
) -> tuple[str, ...]:
    """Give what is started with the folder of a job behind it: our program, with what the owner accepts."""
    accepted = [word for url in remotes for word in ("--remote", url)]
    accepted += [word for one in trusted for word in ("--trust", one)]
    accepted += [word for agent in agents for word in ("--agent", agent)]
    return (*own_program(surroundings.interpreter), "job", *accepted)


def _hashes(file: Path | None) -> list[str]:
    """Read the hashes that a local cluster accepts: each of its commands may add one."""
    return file.read_text().split() if file is not None and file.exists() else []


def _list_kept(folder: Path) -> None:
    found: Data = WorkerMachine.kept_work(folder).data
    for one in found["kept"]:
        tip = str(one["tip"] or "no commits")[:12]
        say(f"{one['spec']} (token {one['token']}): {one['state']}, {tip}, {one['folder']}")
    if not found["kept"]:
        say(f"Nothing is kept in {found['folder']}.")


def worker_folder(surroundings: Surroundings, name: str) -> Path:
    """The folder of a worker of this user, by its name."""
    top = data_home(surroundings.environment, surroundings.home)
    if top is None or "/" in name or name.startswith("."):
        raise NotFoundError(f"There is no folder for a worker named {name}. Give it a plain --name.")
    return Path(top) / "chant-mcp" / "worker" / name


def default_tls(surroundings: Surroundings) -> Path:
    """The usual folder of certificates, beside the user's configuration."""
    if surroundings.config_home is None:
        raise NotFoundError("There is no home folder with certificates. Name their folder: --tls DIR")
    return surroundings.config_home / "chant-mcp" / "tls"
