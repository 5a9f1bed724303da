"""What people type: certificates, workers, and clusters that are started and ended."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from chant_mcp._core import ChantProject
from chant_mcp.cluster import local_cluster
from chant_mcp.cluster.deployers import ClusterPlan, DeployPlace, deployer, read_plan
from chant_mcp.cluster.folder_use import folder_in_use, is_in_use
from chant_mcp.cluster.local_cluster import ensure_local_cluster
from chant_mcp.errors import InvalidArgumentError, RefusedError
from chant_mcp.program import own_program
from chant_mcp.user_folders import state_home
from cli.kit import read_data
from cluster.engine_kit import certificates
from harness import user_config
from work.kit import wait_for

PROGRAM = own_program(sys.executable)

STAND_IN = """#!/bin/sh
printf '%s\\n' "$(basename "$0") $*" >> "$CALLS"
[ "$(basename "$0")" = ssh ] || cat >> "$CALLS.in"
case "$(basename "$0")" in
sbatch) echo 4711 ;;
squeue) printf 'RUNNING\\nRUNNING\\nPENDING\\n' ;;
kubectl) case "$*" in *get*) echo "Running Pending" ;; esac ;;
esac
"""


def run(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the program."""
    environment = {**os.environ, **variables}
    argv = [*PROGRAM, *words]
    return subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def stand_ins(folder: Path) -> Mapping[str, str]:
    """Programs of others that say what they were asked for."""
    programs = folder / "bin"
    programs.mkdir()
    for name in ("ssh", "sbatch", "squeue", "scancel", "kubectl"):
        (programs / name).write_text(STAND_IN)
        (programs / name).chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "CALLS": str(folder / "calls"), "TMPDIR": str(folder)}


def test_commands_say_what_is_missing(tmp_path: Path) -> None:
    made = run(tmp_path, "cluster", "certs", "tls")
    assert made.returncode == 0
    assert made.stdout.split() == [
        f"tls/{name}" for name in ("ca.pem", "head.pem", "head-key.pem", "worker.pem", "worker-key.pem")
    ]
    again = run(tmp_path, "cluster", "certs", "tls")
    assert (again.returncode, "never overwritten" in again.stderr) == (1, True)
    plain = run(tmp_path, "worker", "tcp://127.0.0.1:1", "--slots", "demo=1", "--tls", "tls")
    assert "does not speak TLS" in " ".join(plain.stderr.split())
    wrong = run(tmp_path, "worker", "tls://127.0.0.1:1", "--slots", "demo=0", "--tls", "tls")
    assert wrong.returncode == 2
    unknown = run(tmp_path, "cluster", "up", "big")
    assert "'big' is no cluster" in unknown.stderr


def test_the_local_cluster_is_found_again_and_ends_when_idle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its processes are not the test's own: they have another home.
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    state = tmp_path / "state"
    folder = state / "local-cluster" / "worker"
    scheduler = state / "local-cluster" / "scheduler"
    # Its scheduler does not end while somebody asks for it, however long that takes on a busy machine.
    with folder_in_use(scheduler, waits=True):
        monkeypatch.setattr(local_cluster, "folder_in_use", lambda *_, **__: nullcontext())
        place = ensure_local_cluster(state, PROGRAM, environment, slots={"demo": 2}, idle_seconds=0.5)
        assert place.address.startswith("tls://127.0.0.1:")
        more = {"slots": {"demo": 2}, "trusted": ["ab" * 32], "idle_seconds": 0.5}
        assert ensure_local_cluster(state, PROGRAM, environment, **more) == place
        assert (state / "local-cluster" / "trusted").read_text() == "ab" * 32
        second = [*PROGRAM, "worker", place.address, "--tls", str(place.tls), "--slots", "demo=1"]
        told = subprocess.run(
            [*second, "--folder", str(folder)], env=environment, capture_output=True, text=True, check=False
        )
        assert "runs on this machine already" in " ".join(told.stderr.split())
    wait_for(lambda: not (scheduler / "cluster.json").exists() and not is_in_use(folder), "its end")


def test_the_automatic_cluster_is_shown_and_ended(tmp_path: Path) -> None:
    nothing = run(tmp_path, "cluster", "status", "local")
    assert "chant-mcp work --on local" in " ".join(nothing.stderr.split())
    state = Path(state_home(os.environ) or "") / "chant-mcp"
    ensure_local_cluster(state, PROGRAM, os.environ, slots={"demo": 2})
    folder = state / "local-cluster" / "worker"
    shown = run(tmp_path, "cluster", "status", "local")
    assert "1 worker. It ends by itself when no run uses it." in shown.stdout, shown.stderr
    assert "local on " in shown.stdout
    assert "is ended" in run(tmp_path, "cluster", "down", "local").stdout
    wait_for(lambda: not is_in_use(folder), lambda: "its end")
    assert run(tmp_path, "cluster", "down", "local").returncode == 1


def test_a_cluster_of_the_configuration_is_started_shown_and_ended(tmp_path: Path) -> None:
    tls = tmp_path / "tls"
    cluster = f"{{big: {{kind: local, workers: 1, slots: {{demo: 3}}, tls: {tls}}}}}"
    user_config().write_text(f"---\ncluster: {cluster}\naccounts: {{team-a: {{}}}}\n---\n")
    started = run(tmp_path, "cluster", "up", "big")
    try:
        assert started.returncode == 0, started.stderr
        assert "1 worker on this machine" in started.stdout
        shown = run(tmp_path, "cluster", "status", "big", "--json")
        assert shown.returncode == 0, shown.stderr
        (worker,) = read_data(shown.stdout)["workers"]
        assert (worker["name"], worker["agents"]) == ("big-1", {"demo": {"slots": 3, "busy": 0}})
        assert worker["accounts"] == {"team-a": 0}
        assert "  Accounts: team-a 0\n" in run(tmp_path, "cluster", "status", "big").stdout
    finally:
        ended = run(tmp_path, "cluster", "down", "big")
    assert ended.returncode == 0, ended.stderr
    assert "is not up" in run(tmp_path, "cluster", "status", "big").stderr


def plan(kind: str, tls: Path, **more: Any) -> ClusterPlan:
    """A cluster with four slots a worker."""
    return ClusterPlan("big", kind, tls, slots={"claude": 3, "codex": 1}, **more)


def test_slurm_gets_one_array_of_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chant_mcp.cluster.deployers.start_scheduler", lambda *_: "tls://0.0.0.0:8786")
    place = DeployPlace(tmp_path / "known", PROGRAM, stand_ins(tmp_path))
    place.folder.mkdir()
    tls = certificates(tmp_path / "tls")
    options = ("--account=x",)
    settings = {"address": "tls://head:8786", "workers": 40, "queue": "cpu", "time": "12:00:00"}
    slurm = deployer(plan("slurm", tls, options=options, **settings), place)
    assert slurm.up() == "Scheduler at tls://head:8786, Slurm job 4711 with 40 workers."
    assert slurm.status() == "Slurm job 4711: 1 pending, 2 running."
    assert slurm.down() == "Slurm job 4711 is cancelled."
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[0] == "sbatch --parsable"
    assert calls[1] == "squeue --noheader --array --format=%T --jobs 4711"
    assert calls[2] == "scancel 4711"
    script = (tmp_path / "calls.in").read_text().splitlines()
    assert script[0] == "#!/bin/sh"
    assert {"#SBATCH --array=1-40", "#SBATCH --partition=cpu", "#SBATCH --cpus-per-task=4"} <= set(script)
    assert {"#SBATCH --time=12:00:00", "#SBATCH --account=x"} <= set(script)
    assert script[-1] == (
        f"exec chant-mcp worker tls://head:8786 --once --tls {tls} --slots claude=3 --slots codex=1 "
        '--name "big-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID"'
    )
    subprocess.run(["sh", "-n"], input="\n".join(script), text=True, check=True)
    hostile = deployer(plan("slurm", tls, address="tls://head:1", queue="x\nrm -rf /"), place)
    with pytest.raises(InvalidArgumentError, match="line break"):
        hostile.up()


def test_ssh_starts_a_worker_on_each_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chant_mcp.cluster.deployers.start_scheduler", lambda *_: "tls://0.0.0.0:8786")
    place = DeployPlace(tmp_path / "known", PROGRAM, stand_ins(tmp_path))
    place.folder.mkdir()
    hosts, address = ("ada@one", "two"), "tls://head:8786"
    ssh = deployer(plan("ssh", tmp_path / "tls dir", hosts=hosts, address=address), place)
    assert ssh.up() == "Scheduler at tls://head:8786, workers on ada@one, two."
    first, second = (tmp_path / "calls").read_text().splitlines()
    assert first == (
        'ssh -- ada@one mkdir -p "$HOME"/.cache/chant-mcp/workers; '
        "nohup setsid chant-mcp worker tls://head:8786 --once --name ada@one --tls "
        f"'{tmp_path}/tls dir' --slots claude=3 --slots codex=1 "
        '>"$HOME"/.cache/chant-mcp/workers/big-ada@one.log 2>&1 </dev/null & echo $!'
    )
    assert second.startswith("ssh -- two ")
    option = {"hosts": ("-oProxyCommand=x",), "address": address}
    for wrong in (option, {"hosts": hosts}, {"address": address}):
        with pytest.raises(InvalidArgumentError):
            deployer(plan("ssh", tmp_path, **wrong), place).up()


def test_keys_of_a_cluster_are_options_of_its_workers(tmp_path: Path) -> None:
    hash = "ab" * 32
    keys = (
        f"kind: local, tls: {tmp_path}, slots: {{demo: 1}}, trust: [{hash}], remote: ['https://h/x'], "
        "labels: [gpu], accounts: [team-a], largest_bundle: 1000"
    )
    user_config().write_text(f"---\ncluster: {{big: {{{keys}}}}}\n---\n")
    project = ChantProject(
        tmp_path, environment=dict(os.environ), user_config=user_config(), program=[*PROGRAM]
    )
    known = read_plan("big", project.clusters().data["big"], tmp_path)
    assert known.offer_options() == [
        *("--slots", "demo=1", "--trust", hash, "--remote", "https://h/x"),
        *("--label", "gpu", "--account", "team-a", "--largest-bundle", "1000"),
    ]
    user_config().write_text(f"---\ncluster: {{big: {{{keys.replace(hash, 'all')}}}}}\n---\n")
    refused = run(tmp_path, "cluster", "status", "big")
    assert "cluster.big.trust: expected hashes" in " ".join(refused.stderr.split())


def test_kubernetes_gets_secrets_and_a_cluster(tmp_path: Path) -> None:
    import yaml

    place = DeployPlace(tmp_path / "known", PROGRAM, stand_ins(tmp_path))
    place.folder.mkdir()
    tls = certificates(tmp_path / "tls")
    settings = {"address": "tls://lb:8786", "image": "registry/agents:1", "namespace": "runs", "workers": 5}
    cluster = deployer(plan("kubernetes", tls, **settings), place)
    assert cluster.up() == "Dask cluster big in namespace runs."
    assert cluster.status() == "Pods: 1 pending, 1 running."
    assert cluster.down() == "Dask cluster big is deleted."
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[0] == "kubectl --namespace runs apply -f -"
    assert calls[2].startswith("kubectl --namespace runs delete --ignore-not-found daskclusters")
    items = yaml.safe_load((tmp_path / "calls.in").read_text())["items"]
    assert [one["kind"] for one in items] == ["Secret", "Secret", "DaskCluster"]
    assert {one["metadata"]["namespace"] for one in items} == {"runs"}
    assert "head-key.pem" not in items[1]["data"]
    spec = items[2]["spec"]
    assert items[2]["apiVersion"] == "kubernetes.dask.org/v1"
    assert spec["worker"]["replicas"] == 5
    worker = spec["worker"]["spec"]["containers"][0]
    assert worker["args"][:2] == ["worker", "tls://big-scheduler.runs.svc:8786"]
    assert spec["worker"]["spec"]["volumes"][0]["secret"]["secretName"] == "big-worker"
    scheduler = spec["scheduler"]["spec"]["containers"][0]
    assert scheduler["args"][:3] == ["cluster", "scheduler", "tls://0.0.0.0:8786"]
    assert [port["port"] for port in spec["scheduler"]["service"]["ports"]] == [8786]
    with pytest.raises(InvalidArgumentError, match="image"):
        deployer(plan("kubernetes", tls, address="tls://lb:1"), place).up()


def test_a_program_that_is_missing_or_fails_is_named(tmp_path: Path) -> None:
    programs = stand_ins(tmp_path)
    (tmp_path / "bin" / "kubectl").write_text("#!/bin/sh\necho 'no such namespace' >&2\nexit 3\n")
    place = DeployPlace(tmp_path, PROGRAM, programs)
    tls = certificates(tmp_path / "tls")
    cluster = deployer(plan("kubernetes", tls, address="tls://lb:1", image="x"), place)
    with pytest.raises(RefusedError, match="exit code 3: no such namespace"):
        cluster.up()
    nothing = DeployPlace(tmp_path, PROGRAM, {"PATH": str(tmp_path)})
    with pytest.raises(RefusedError, match="no program `kubectl`"):
        deployer(plan("kubernetes", tls, address="tls://lb:1", image="x"), nothing).up()
    with pytest.raises(RefusedError, match="started elsewhere"):
        deployer(plan("address", tls), place).up()


def test_clusters_are_the_users_own(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".chant" / "specs").mkdir(parents=True)
    cluster = "cluster: {big: {kind: address, address: tls://evil:8786, slots: {a: 1}}}"
    (project / ".chant" / "config.md").write_text(f"---\n{cluster}\n---\n")
    assert "'big' is no cluster" in run(project, "cluster", "status", "big").stderr
    found = run(project, "config", "check")
    assert "only your own configuration can say this" in " ".join(found.stdout.split())
    user_config().write_text("---\ncluster: {big: {address: tcp://head:8786}}\n---\n")
    refused = run(tmp_path, "cluster", "status", "big")
    assert "cluster.big.address" in " ".join(refused.stderr.split())
