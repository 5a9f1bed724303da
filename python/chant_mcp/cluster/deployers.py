"""How a named cluster of the user's configuration is started, looked at and ended.

A scheduler runs as a process of this machine, for Kubernetes as a pod. Workers end when their scheduler
ends, so that `down` has to reach it alone; Slurm and Kubernetes are asked, too. The programs `ssh`,
`sbatch`, `squeue`, `scancel` and `kubectl` are those of the user.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from chant_mcp.cluster.arrivals import ExpectedWorkers, twice_named
from chant_mcp.cluster.certificates import make_certificates
from chant_mcp.cluster.kubernetes_manifests import cluster_manifests
from chant_mcp.cluster.private_files import replace_file
from chant_mcp.cluster.slurm_script import job_script
from chant_mcp.cluster.started_processes import answers, offer_options, start_scheduler, start_worker
from chant_mcp.errors import ConflictError, InvalidArgumentError, RefusedError

COMMAND_SECONDS = 120
"""How long a program of others has."""

_LAST_WORDS = 1000
_LOOK_SECONDS = 2.0
"""Seconds between two looks at whether workers on hosts have ended."""
_LOOKS_AT_ONCE = 16
_LOGS = '"$HOME"/.cache/chant-mcp/workers'
"""The folder of the logs of workers on hosts, for a shell there."""


@dataclass(frozen=True)
class ClusterPlan:
    """A cluster of the configuration."""

    name: str
    kind: str
    """`address`, `local`, `ssh`, `slurm` or `kubernetes`."""
    tls: Path
    address: str | None = None
    workers: int = 1
    slots: Mapping[str, int] = field(default_factory=dict[str, int])
    reads: tuple[str, ...] = ()
    """Repositories that its workers read for fleets."""
    trust: tuple[str, ...] = ()
    """What its workers accept to act, by hash."""
    remote: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    largest_bundle: int | None = None
    hosts: tuple[str, ...] = ()
    queue: str | None = None
    time: str | None = None
    options: tuple[str, ...] = ()
    namespace: str = "default"
    image: str | None = None
    service: str = "ClusterIP"
    program: str = "chant-mcp"
    """This program as workers start it."""

    def offer_options(self) -> list[str]:
        """Give what its workers offer, as options of `worker`."""
        repeated = {
            "--trust": self.trust,
            "--remote": self.remote,
            "--label": self.labels,
            "--account": self.accounts,
        }
        options = offer_options(self.slots, self.reads)
        options += [word for name, values in repeated.items() for value in values for word in (name, value)]
        if self.largest_bundle is not None:
            options += ["--largest-bundle", str(self.largest_bundle)]
        return options


@dataclass(frozen=True)
class DeployPlace:
    """Where a cluster is started from."""

    folder: Path
    """For what is known of it, and for logs."""
    program: tuple[str, ...]
    """Our own program on this machine."""
    environment: Mapping[str, str]


_LISTS = ("reads", "trust", "remote", "labels", "accounts", "hosts", "options")
"""Settings that are lists of texts."""


def read_plan(name: str, settings: Mapping[str, Any], tls: Path) -> ClusterPlan:
    """Read the settings of a cluster, as the core gives them.

    Args:
        name: The cluster's name.
        settings: Its table.
        tls: The folder of its certificates, with the home folder in place of `~`.
    """
    given = {key: value for key, value in settings.items() if value is not None}
    texts = ("address", "queue", "time", "namespace", "image", "service", "program")
    return ClusterPlan(
        name=name,
        kind=settings["kind"],
        tls=tls,
        workers=given.get("workers", 1),
        slots=given.get("slots", {}),
        largest_bundle=given.get("largest_bundle"),
        **{key: tuple(given[key]) for key in _LISTS if key in given},
        **{key: given[key] for key in texts if key in given},
    )


class Deployer(ABC):
    """Starts and ends the workers of a kind of cluster."""

    def __init__(self, plan: ClusterPlan, place: DeployPlace) -> None:
        """Take what is started, and where from."""
        self._plan = plan
        self._place = place

    @property
    def _address(self) -> str:
        if self._plan.address is None:
            raise InvalidArgumentError(
                f"cluster.{self._plan.name} names no `address`, such as tls://head:8786: workers elsewhere "
                "need one that leads to its scheduler."
            )
        return self._plan.address

    @abstractmethod
    def up(self) -> str:
        """Start it, and say in a sentence what was started."""

    @abstractmethod
    def down(self) -> str:
        """End it, and say in a sentence what was ended."""

    @abstractmethod
    def expected(self) -> ExpectedWorkers:
        """Say which workers were started."""

    def ended(self) -> set[str]:
        """Say which of them are known not to come any more."""
        return set()

    def last_words(self, name: str) -> str:
        """Give the last lines that a worker printed; empty where they cannot be read."""
        return ""

    def status(self) -> str:
        """Say in a sentence what those who run its workers say of them; empty for nothing."""
        return ""

    def _write_known(self, **known: Any) -> None:
        replace_file(self._place.folder / "cluster.json", json.dumps(known).encode())

    def _known(self) -> dict[str, Any]:
        try:
            return json.loads((self._place.folder / "cluster.json").read_text())
        except (OSError, ValueError):
            return {}

    def _forget(self) -> None:
        (self._place.folder / "cluster.json").unlink(missing_ok=True)

    def _run(self, *argv: str, data: str | None = None) -> str:
        """Run a program of others, and return what it prints."""
        try:
            done = subprocess.run(
                argv,
                input=data,
                capture_output=True,
                text=True,
                timeout=COMMAND_SECONDS,
                env=dict(self._place.environment),
                check=False,
            )
        except FileNotFoundError as error:
            raise RefusedError(f"There is no program `{argv[0]}`, which {self._plan.kind} needs.") from error
        except subprocess.TimeoutExpired as error:
            raise RefusedError(f"`{argv[0]}` did not end in {COMMAND_SECONDS} seconds.") from error
        if done.returncode != 0:
            words = (done.stderr or done.stdout).strip()[-_LAST_WORDS:]
            raise RefusedError(f"`{' '.join(argv[:3])}` failed with exit code {done.returncode}: {words}")
        return done.stdout

    def _start_scheduler(self) -> str:
        """Start the scheduler on this machine, and return where it is spoken to."""
        known = self._known()
        if known and answers(known["address"], self._plan.tls):
            raise ConflictError(
                f"The cluster {self._plan.name} is up already, at {known['address']}. End it first: "
                f"chant-mcp cluster down {self._plan.name}"
            )
        address = self._plan.address or "tls://127.0.0.1:0"
        is_here = urlsplit(address).hostname in ("127.0.0.1", "localhost")
        listen = address if is_here else f"tls://0.0.0.0:{address.rpartition(':')[2]}"
        actual = start_scheduler(
            self._place.program, self._place.environment, self._place.folder, listen, self._plan.tls
        )
        where = self._plan.address or actual
        self._write_known(address=where)
        return where

    def _worker_options(self, name: str) -> list[str]:
        return ["--once", "--name", name, "--tls", str(self._plan.tls), *self._plan.offer_options()]


class AddressDeployer(Deployer):
    """A cluster that somebody else started."""

    def up(self) -> str:
        """Refuse: it is not started from here."""
        raise RefusedError(f"The cluster {self._plan.name} is only an address: it is started elsewhere.")

    def expected(self) -> ExpectedWorkers:
        """Expect nothing: who started it knows."""
        return ExpectedWorkers()

    def down(self) -> str:
        """Refuse: it is not ended from here."""
        raise RefusedError(f"The cluster {self._plan.name} is only an address: it is ended elsewhere.")


class LocalDeployer(Deployer):
    """Scheduler and workers on this machine."""

    def up(self) -> str:
        """Make certificates if there are none, and start scheduler and workers."""
        if not self._plan.tls.exists():
            make_certificates(self._plan.tls)
        address = self._start_scheduler()
        for number in range(1, self._plan.workers + 1):
            name = f"{self._plan.name}-{number}"
            folder = self._place.folder / name
            options = [address, *self._worker_options(name), "--folder", str(folder)]
            log = self._place.folder / f"{name}.log"
            start_worker(self._place.program, self._place.environment, log, options)
        return f"Scheduler at {address}, {count_workers(self._plan.workers)} on this machine."

    def expected(self) -> ExpectedWorkers:
        """Expect the workers of this machine."""
        names = (f"{self._plan.name}-{number}" for number in range(1, self._plan.workers + 1))
        return ExpectedWorkers(tuple(names))

    def last_words(self, name: str) -> str:
        """Read its log."""
        return _read_end(self._place.folder / f"{name}.log")

    def down(self) -> str:
        """Say what ends with the scheduler."""
        self._forget()
        return "Its workers end with their scheduler."


class SshDeployer(Deployer):
    """A scheduler here, and a worker on each host."""

    def __init__(self, plan: ClusterPlan, place: DeployPlace) -> None:
        """Take what is started, and where from."""
        super().__init__(plan, place)
        self._failed: dict[str, str] = {}
        self._processes: dict[str, str] = {}
        self._gone: set[str] = set()
        self._looked = 0.0

    def up(self) -> str:
        """Start the scheduler, and a worker on each host, which reads its certificates there."""
        if not self._plan.hosts:
            raise InvalidArgumentError(f"cluster.{self._plan.name} names no `hosts`.")
        for host in self._plan.hosts:
            if host.startswith("-"):
                raise InvalidArgumentError(f"cluster.{self._plan.name}.hosts: `{host}` is no host.")
        if twice := twice_named(self._plan.hosts):
            raise InvalidArgumentError(
                f"cluster.{self._plan.name}.hosts names {', '.join(twice)} more than once. "
                "A host has one worker, with as many slots as it can bear."
            )
        address = self._address
        self._start_scheduler()
        for host in self._plan.hosts:
            command = shlex.join([self._plan.program, "worker", address, *self._worker_options(host)])
            log = self._log(host)
            # It outlives the connection; its scheduler ends it.
            start = f"mkdir -p {_LOGS}; nohup setsid {command} >{log} 2>&1 </dev/null & echo $!"
            try:
                self._processes[host] = self._run("ssh", "--", host, start).strip()
            except RefusedError as error:
                # The others may come all the same.
                self._failed[host] = error.message
        return f"Scheduler at {address}, workers on {', '.join(self._plan.hosts)}."

    def expected(self) -> ExpectedWorkers:
        """Expect a worker of each host."""
        return ExpectedWorkers(self._plan.hosts)

    def ended(self) -> set[str]:
        """Say which hosts could not be spoken to, and on which the worker has ended."""
        if time.monotonic() - self._looked >= _LOOK_SECONDS:
            with ThreadPoolExecutor(_LOOKS_AT_ONCE) as pool:
                over = pool.map(self._has_ended, self._processes)
                gone = {host for host, is_over in zip(self._processes, over, strict=True) if is_over}
            self._processes = {host: pid for host, pid in self._processes.items() if host not in gone}
            self._gone |= gone
            self._looked = time.monotonic()
        return {*self._failed, *self._gone}

    def _has_ended(self, host: str) -> bool:
        pid = self._processes[host]
        if not pid.isdigit():
            return False
        try:
            return "ended" in self._run("ssh", "--", host, f"kill -0 {pid} 2>/dev/null || echo ended")
        except RefusedError:
            return False  # nothing is known of it

    def last_words(self, name: str) -> str:
        """Read its log on its host."""
        if name in self._failed:
            return self._failed[name]
        try:
            return self._run("ssh", "--", name, f"tail -n 20 {self._log(name)}")
        except RefusedError as error:
            return error.message

    def _log(self, host: str) -> str:
        """Give the file of a worker's words on its host, for a shell."""
        return f"{_LOGS}/{shlex.quote(f'{self._plan.name}-{host}.log'.replace('/', '_'))}"

    def down(self) -> str:
        """Say what ends with the scheduler."""
        self._forget()
        return "Its workers end with their scheduler."


class SlurmDeployer(Deployer):
    """A scheduler here, and workers as one array of Slurm jobs."""

    def up(self) -> str:
        """Start the scheduler, and hand the workers to Slurm."""
        address = self._address
        self._start_scheduler()
        script = job_script(self._plan, address, self._place.folder)
        job = self._run("sbatch", "--parsable", data=script).strip().partition(";")[0]
        self._write_known(address=address, slurm_job=job)
        return f"Scheduler at {address}, Slurm job {job} with {count_workers(self._plan.workers)}."

    def expected(self) -> ExpectedWorkers:
        """Expect a worker of each job of the array."""
        job = self._known().get("slurm_job")
        names = (f"{self._plan.name}-{job}-{number}" for number in range(1, self._plan.workers + 1))
        return ExpectedWorkers(tuple(names))

    def last_words(self, name: str) -> str:
        """Read its log, which lies on the shared file system; before that ask Slurm."""
        log = self._place.folder / f"slurm-{name.removeprefix(f'{self._plan.name}-')}.log"
        if words := _read_end(log):
            return words
        try:
            return self.status()
        except RefusedError as error:
            return error.message

    def down(self) -> str:
        """Cancel the job."""
        job = self._known().get("slurm_job")
        self._forget()
        if job is None:
            return "No Slurm job of it is known."
        self._run("scancel", str(job))
        return f"Slurm job {job} is cancelled."

    def status(self) -> str:
        """Ask Slurm for its queue."""
        job = self._known().get("slurm_job")
        if job is None:
            return "No Slurm job of it is known."
        states = self._run("squeue", "--noheader", "--array", "--format=%T", "--jobs", str(job)).split()
        counted = ", ".join(f"{states.count(state)} {state.lower()}" for state in sorted(set(states)))
        return f"Slurm job {job}: {counted or 'none left'}."


class KubernetesDeployer(Deployer):
    """Scheduler and workers as pods, which Dask's operator starts."""

    def up(self) -> str:
        """Apply the manifests: secrets with certificates, and the cluster."""
        manifests = cluster_manifests(self._plan)
        self._kubectl("apply", "-f", "-", data=json.dumps(manifests))
        self._write_known(address=self._address)
        return f"Dask cluster {self._plan.name} in namespace {self._plan.namespace}."

    def expected(self) -> ExpectedWorkers:
        """Expect as many workers as there are replicas."""
        return ExpectedWorkers(count=self._plan.workers, prefix="")

    def last_words(self, name: str) -> str:
        """Ask Kubernetes for the pods and their logs; which one a worker would have been is not known."""
        selector = f"--selector=dask.org/cluster-name={self._plan.name},dask.org/component=worker"
        try:
            return f"{self.status()} {self._kubectl('logs', '--tail=3', '--prefix', selector)}"
        except RefusedError as error:
            return error.message

    def down(self) -> str:
        """Delete what was applied."""
        secrets = [f"secret/{self._plan.name}-{side}" for side in ("head", "worker")]
        what = [f"daskclusters.kubernetes.dask.org/{self._plan.name}", *secrets]
        self._kubectl("delete", "--ignore-not-found", *what)
        self._forget()
        return f"Dask cluster {self._plan.name} is deleted."

    def status(self) -> str:
        """Ask Kubernetes for its pods."""
        selector = f"--selector=dask.org/cluster-name={self._plan.name}"
        form = "--output=jsonpath={.items[*].status.phase}"
        phases = self._kubectl("get", "pods", selector, form).split()
        counted = ", ".join(f"{phases.count(one)} {one.lower()}" for one in sorted(set(phases)))
        return f"Pods: {counted or 'none'}."

    def _kubectl(self, *arguments: str, data: str | None = None) -> str:
        return self._run("kubectl", "--namespace", self._plan.namespace, *arguments, data=data)


_DEPLOYERS: dict[str, type[Deployer]] = {
    "address": AddressDeployer,
    "local": LocalDeployer,
    "ssh": SshDeployer,
    "slurm": SlurmDeployer,
    "kubernetes": KubernetesDeployer,
}


def deployer(plan: ClusterPlan, place: DeployPlace) -> Deployer:
    """Choose the deployer of a cluster's kind."""
    return _DEPLOYERS[plan.kind](plan, place)


def _read_end(file: Path) -> str:
    """Read the end of a log; empty where there is none."""
    try:
        return file.read_bytes()[-_LAST_WORDS * 4 :].decode(errors="replace")
    except OSError:
        return ""


def count_workers(number: int) -> str:
    """Say how many workers there are."""
    return f"{number} worker" + ("" if number == 1 else "s")


def known_address(plan: ClusterPlan, folder: Path) -> str | None:
    """Return where a cluster's scheduler is spoken to: as it was started, else as configured."""
    try:
        return str(json.loads((folder / "cluster.json").read_text())["address"])
    except (OSError, ValueError, KeyError):
        return plan.address
