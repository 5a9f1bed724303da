"""`cluster`: certificates, and the clusters of the user's configuration."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from chant_mcp.cluster.extra import require_cluster_extra
from chant_mcp.commands.answers import exit_code_1, json_option
from chant_mcp.commands.groups import SentenceGroup
from chant_mcp.commands.project_options import changes_files
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.commands.worker import default_tls
from chant_mcp.errors import InvalidArgumentError, NotFoundError, RefusedError
from chant_mcp.program import own_program
from chant_mcp.release import release
from chant_mcp.terminal import say, say_json
from chant_mcp.user_folders import state_home

if TYPE_CHECKING:
    from chant_mcp.cluster.arrivals import ProjectNeeds
    from chant_mcp.cluster.deployers import ClusterPlan, Deployer, DeployPlace

_AUTOMATIC = "local"
"""The cluster that a start with `--on local` makes, where the configuration says nothing of one."""
_PATH = click.Path(file_okay=False, path_type=Path)


@click.group(cls=SentenceGroup)
def cluster() -> None:
    """Start, see and end the clusters of your configuration."""


@cluster.command()
@click.argument("folder", type=_PATH)
@changes_files
def certs(folder: Path) -> None:
    """Make certificates for a cluster: an authority, the head's, and the workers'.

    Workers need ca.pem, worker.pem and worker-key.pem alone. Who has one of the keys runs code on the
    cluster.
    """
    from chant_mcp.cluster.certificates import VALID, make_certificates

    for path in make_certificates(folder):
        say(str(path))
    say(
        f"They hold for {VALID.days} days. Copy ca.pem, worker.pem and worker-key.pem to the workers.",
        err=True,
    )


@cluster.command()
@click.argument("name")
@click.option(
    "--wait",
    "seconds",
    type=click.FloatRange(min=0),
    default=30,
    show_default=True,
    help="Seconds to wait for workers.",
)
@click.pass_context
@changes_files
@exit_code_1("a worker did not come in that time, or cannot work")
def up(context: click.Context, name: str, seconds: float) -> None:
    """Start a cluster, and wait until its workers have come.

    Those that did not, or that cannot work, are named with the reason. In a folder with a project they are
    looked at for what that needs. What has come stays up; `cluster down` ends it.
    """
    from chant_mcp.cluster.deployers import deployer
    from chant_mcp.cluster.folder_use import folder_in_use

    surroundings: Surroundings = context.obj
    plan, place = _known(surroundings, name)
    with folder_in_use(place.folder, waits=True):
        started = deployer(plan, place)
        say(started.up())
        faults = _faults(surroundings, plan, place, started, seconds)
    for fault in faults:
        say(fault, err=True)
    context.exit(1 if faults else 0)


def _faults(
    surroundings: Surroundings, plan: ClusterPlan, place: DeployPlace, started: Deployer, seconds: float
) -> list[str]:
    """Wait for the workers of a cluster, and say what is wrong with them, a sentence each."""
    from chant_mcp.cluster.arrivals import faults_of, last_lines, wait_for_workers
    from chant_mcp.cluster.deployers import count_workers, known_address

    address = known_address(plan, place.folder)
    expected = started.expected()
    if address is None:
        return []

    def ask() -> list[dict[str, Any]]:
        return _ask(surroundings, address, plan.tls, "workers")

    try:
        workers = wait_for_workers(expected, ask, seconds, started.ended)
    except RefusedError as error:
        return [f"Its scheduler cannot be asked for workers: {error.message}"]
    missing = expected.missing(workers)
    faults = [
        f"{worker} did not come: {last_lines(started.last_words(worker)) or 'it said nothing'}"
        for worker in missing
    ]
    needs = _needs(surroundings)
    for worker in workers:
        faults += [f"{worker['name']}: {fault}." for fault in faults_of(worker, release(), needs)]
    if not faults and workers:
        said = "said hello" if needs is None else "said hello and can work on this project"
        say(f"{count_workers(len(workers))} {said}.")
    return faults


def _needs(surroundings: Surroundings) -> ProjectNeeds | None:
    """Say what the project in whose folder this is called needs; None where there is none."""
    from chant_mcp.cluster.arrivals import ProjectNeeds

    session = surroundings.session()
    session.recovers = False
    if not (session.place.root / ".chant").is_dir():
        return None
    report = session.chant.trust_report()
    sources: list[str] = report["sources"]
    # The settings and hooks of this clone's git reach no worker.
    acts = any(not source.startswith(("git configuration", ".git/")) for source in sources)
    acting: str | None = report["hash_of_commits"] if acts else None
    return ProjectNeeds(acting=acting)


@cluster.command()
@click.argument("name")
@json_option
@click.pass_obj
def status(surroundings: Surroundings, name: str, as_json: bool) -> None:
    """Show a cluster's workers, and how busy they and their accounts are."""
    from chant_mcp.cluster.deployers import count_workers

    address, tls, words = _automatic(surroundings, name) or _deployed(surroundings, name)
    workers: list[dict[str, Any]] = _ask(surroundings, address, tls, "workers")
    if as_json:
        say_json(json.dumps({"name": name, "address": address, "deployed": words, "workers": workers}))
        return
    say(f"{name}: {address}, {count_workers(len(workers))}. {words}".strip())
    for worker in workers:
        agents = ", ".join(f"{one} {has['busy']}/{has['slots']}" for one, has in worker["agents"].items())
        say(f"  {worker['name']} on {worker['host']}: {agents}" + (", silent" if worker["silent"] else ""))
    busy: Counter[str] = Counter()
    for worker in workers:
        busy.update(worker["accounts"])
    if busy:
        say("  Accounts: " + "; ".join(f"{name} {count}" for name, count in sorted(busy.items())))


@cluster.command()
@click.argument("name")
@click.pass_obj
@changes_files
def down(surroundings: Surroundings, name: str) -> None:
    """End a cluster; runs on it end, and their commits stay on the workers."""
    from chant_mcp.cluster.deployers import deployer, known_address
    from chant_mcp.cluster.folder_use import folder_in_use

    if (found := _automatic(surroundings, name)) is not None:
        _ask(surroundings, found.address, found.tls, "end")
        say("The cluster that `--on local` started is ended.")
        return
    plan, place = _known(surroundings, name)
    with folder_in_use(place.folder, waits=True):
        address = known_address(plan, place.folder)
        if address is not None and plan.kind != "address":
            try:
                _ask(surroundings, address, plan.tls, "end")
            except RefusedError as error:
                say(error.message, err=True)
        say(deployer(plan, place).down())


@cluster.command(hidden=True)
@click.argument("address")
@click.option("--tls", type=_PATH, required=True)
@click.option("--folder", type=_PATH, help="Its own; else a temporary one.")
@click.option("--idle-seconds", type=float, help="End after that time without a placer.")
@click.pass_obj
def scheduler(
    surroundings: Surroundings, address: str, tls: Path, folder: Path | None, idle_seconds: float | None
) -> None:
    """Run a scheduler until it is ended.

    What it reads from connections runs as code, so that it is confined.
    """
    require_cluster_extra()
    folder = folder or Path(tempfile.mkdtemp(prefix="chant-scheduler-"))
    _confine(surroundings, tls, folder)
    from chant_mcp.cluster.scheduler import run_scheduler

    run_scheduler(address, tls, folder, idle_seconds=idle_seconds)


@cluster.command(hidden=True)
@click.argument("what", type=click.Choice(["workers", "end"]))
@click.argument("address")
@click.option("--tls", type=_PATH, required=True)
@click.option("--folder", type=_PATH, required=True)
@click.pass_obj
def ask(surroundings: Surroundings, what: str, address: str, tls: Path, folder: Path) -> None:
    """Ask a scheduler, confined: its answer is unpickled."""
    require_cluster_extra()
    _confine(surroundings, tls, folder)
    from chant_mcp.cluster.cluster_report import end_scheduler, list_workers

    if what == "end":
        end_scheduler(address, tls)
        say("[]")
    else:
        say(json.dumps(list_workers(address, tls)))


@cluster.command(hidden=True)
@click.argument("address")
@click.option("--tls", type=_PATH, required=True)
@click.option("--folder", type=_PATH, required=True)
@click.pass_obj
def read(surroundings: Surroundings, address: str, tls: Path, folder: Path) -> None:
    """Have workers read repositories, confined: what they send is unpickled."""
    require_cluster_extra()
    _confine(surroundings, tls, folder)
    from chant_mcp.cluster.fleet_reads import serve_fleet

    serve_fleet(address, tls, sys.stdin, sys.stdout)


def _confine(surroundings: Surroundings, tls: Path, folder: Path) -> None:
    """Confine this process, which has not imported the engine yet, to what it needs."""
    session = surroundings.session()
    session.recovers = False
    session.chant.confine_engine([str(folder), str(folder)], str(tls))


def _ask(surroundings: Surroundings, address: str, tls: Path, what: str) -> Any:
    """Have a process of its own speak to a scheduler, whose answers are not unpickled here."""
    with tempfile.TemporaryDirectory(prefix="chant-ask-") as folder:
        argv = [*own_program(surroundings.interpreter), "cluster", "ask", what, address]
        done = subprocess.run(
            [*argv, "--tls", str(tls), "--folder", folder],
            env={**surroundings.environment, "TMPDIR": folder},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        words = " ".join(done.stderr.rpartition("Error: ")[2].split())[-500:]
        raise RefusedError(words or f"The scheduler at {address} does not answer.")
    try:
        return json.loads(done.stdout)
    except ValueError as error:
        raise RefusedError(f"The scheduler at {address} gave no answer that can be read.") from error


class _ReachedCluster(NamedTuple):
    """A cluster that is up."""

    address: str
    tls: Path
    words: str
    """What those who run it say of it."""


def _automatic(surroundings: Surroundings, name: str) -> _ReachedCluster | None:
    """Find the cluster that `--on local` started, unless the configuration has one of that name."""
    if name != _AUTOMATIC or name in _configured(surroundings):
        return None
    from chant_mcp.cluster.local_cluster import find_local_cluster

    place = find_local_cluster(_state_folder(surroundings))
    if place is None:
        raise NotFoundError(
            "The cluster of this machine is not up. A run starts it: chant-mcp work --on local"
        )
    return _ReachedCluster(*place, words="It ends by itself when no run uses it.")


def _deployed(surroundings: Surroundings, name: str) -> _ReachedCluster:
    """Find a cluster of the configuration that is up."""
    from chant_mcp.cluster.deployers import deployer, known_address

    plan, place = _known(surroundings, name)
    address = known_address(plan, place.folder)
    if address is None:
        raise NotFoundError(f"The cluster {name} is not up. Start it: chant-mcp cluster up {name}")
    return _ReachedCluster(address, plan.tls, deployer(plan, place).status())


def _configured(surroundings: Surroundings) -> dict[str, Any]:
    """Return the clusters of the configuration."""
    require_cluster_extra()
    session = surroundings.session()
    session.recovers = False
    return session.chant.clusters().data


def _state_folder(surroundings: Surroundings) -> Path:
    """Return the folder of our own state."""
    state = state_home(surroundings.environment)
    if state is None:
        raise NotFoundError("There is no home folder for the state of clusters. Set HOME.")
    return Path(state) / "chant-mcp"


def _known(surroundings: Surroundings, name: str) -> tuple[ClusterPlan, DeployPlace]:
    """Find a cluster of the configuration, and where it is started from."""
    clusters = _configured(surroundings)
    from chant_mcp.cluster.deployers import DeployPlace, read_plan

    if name not in clusters:
        known = ", ".join(sorted(clusters)) or "there is none"
        raise InvalidArgumentError(
            f"'{name}' is no cluster. Expected one below `cluster` in your configuration ({known})."
        )
    if "/" in name or name.startswith("."):
        raise InvalidArgumentError(f"A cluster's name is plain, and '{name}' is not.")
    tls = clusters[name].get("tls")
    folder = _state_folder(surroundings) / "deployed" / name
    place = DeployPlace(folder, own_program(surroundings.interpreter), surroundings.environment)
    where = default_tls(surroundings) if tls is None else _at_home(surroundings, tls)
    return read_plan(name, clusters[name], where), place


def _at_home(surroundings: Surroundings, path: str) -> Path:
    if path.startswith("~/") and surroundings.home is not None:
        return surroundings.home / path.removeprefix("~/")
    return Path(path)
