"""The parts of a cluster that need none: certificates, addresses, the choice of a worker, bounds."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.cluster import extra, job_table
from chant_mcp.cluster.certificates import make_certificates
from chant_mcp.cluster.job_table import JobTable
from chant_mcp.cluster.placement import JobNeeds, WorkerView, choose_worker, worker_view
from chant_mcp.cluster.placer_frames import LONGEST_LINE, MAX_BYTES, FrameError, read_frame
from chant_mcp.cluster.placer_jobs import KeptResults, read_job, read_result
from chant_mcp.cluster.placer_status import LARGEST, write_status
from chant_mcp.cluster.private_files import LARGEST_LOG, bound_log
from chant_mcp.cluster.security import check_address, head_security
from chant_mcp.errors import ConflictError, InvalidArgumentError, NotFoundError, RefusedError
from cluster.engine_kit import certificates, job
from work.kit import wait_for


def test_certificates_are_for_their_owner_and_never_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "tls"
    files = make_certificates(folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        *("ca.pem", "head-key.pem", "head.pem", "worker-key.pem", "worker.pem")
    ]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    before = [path.read_bytes() for path in files]
    with pytest.raises(ConflictError, match="never overwritten"):
        make_certificates(folder)
    (folder / "ca.pem").unlink()
    with pytest.raises(ConflictError):
        make_certificates(folder)
    assert [path.read_bytes() for path in files[1:]] == before[1:]
    context = ssl.create_default_context(cadata=before[0].decode())
    context.load_cert_chain(folder / "head.pem", folder / "head-key.pem")


def test_what_is_not_tls_is_refused(tmp_path: Path) -> None:
    for address in ("tcp://head:8786", "head:8786", "ws://head:8786", "inproc://x", "ucx://head:1"):
        with pytest.raises(RefusedError, match="does not speak TLS"):
            check_address(address)
    for address in ("tls://head", "tls://:8786", "tls://head:x", "tls://head:1/x"):
        with pytest.raises(InvalidArgumentError, match="Expected host and port"):
            check_address(address)
    with pytest.raises(NotFoundError, match="cluster certs"):
        head_security(tmp_path)
    tls = certificates(tmp_path / "tls")
    assert head_security(tls).tls_min_version is ssl.TLSVersion.TLSv1_3
    (tls / "head-key.pem").chmod(0o640)
    with pytest.raises(RefusedError, match="chmod 600"):
        head_security(tls)


def view(name: str, **more: Any) -> WorkerView:
    """A worker with two slots of `demo`."""
    known = {"agents": {"demo": {"slots": 2, "version": "1"}}, "accounts": ["team-a"]}
    told = {"address": f"tls://{name}:1", "name": name, "host": name, "offer": {**known, **more}, "silent": 0}
    found = worker_view({**told, "taken": more.get("taken", {})})
    assert found is not None
    return found


def test_a_job_goes_where_it_is_known_and_where_there_is_room() -> None:
    busy = view("a", taken={"1": ("agent-demo", "account-team-a"), "2": ("agent-demo",)})
    assert dict(busy.charged) == {"team-a": 1}
    half, free = view("b", taken={"1": ["agent-demo"]}), view("c")
    needs = JobNeeds("demo")
    chosen = choose_worker([busy, half, free], needs)
    assert isinstance(chosen, WorkerView)
    assert chosen.name == "c"
    known = view("d", remotes=["https://h/x"], trusted=["ff"], taken={"1": ("agent-demo",)})
    for wanted in (JobNeeds("demo", remote="https://h/x"), JobNeeds("demo", acting="ff")):
        chosen = choose_worker([free, known], wanted)
        assert isinstance(chosen, WorkerView)
        assert chosen.name == "d"
    other = choose_worker([free, half], JobNeeds("demo", avoid="c"))
    assert isinstance(other, WorkerView)
    assert other.name == "b"
    assert choose_worker([busy], needs) == 'All 2 slots of agent "demo" are taken.'
    assert choose_worker([free], JobNeeds("claude")) == (
        'No worker offers agent "claude" (1 worker, 2 slots of demo).'
    )
    assert choose_worker([free], JobNeeds("demo", account="b")) == (
        'No worker with agent "demo" has account "b" (1 worker).'
    )
    assert choose_worker([], needs) == "No worker has joined the cluster."


def test_a_worker_takes_no_job_of_a_project_that_its_owner_does_not_trust() -> None:
    needs = JobNeeds("demo", acting="ff")
    full = view("b", trusted=["ff"], taken={"1": ("agent-demo",), "2": ("agent-demo",)})
    # It waits for the one that does.
    assert choose_worker([view("a"), full], needs) == 'All 2 slots of agent "demo" are taken.'
    none = choose_worker([view("a"), view("c", trusted=["00"])], needs)
    assert str(none).startswith("No worker accepts what acts in this project (2 workers)")
    assert "--trust ff" in str(none)
    own = choose_worker([view("a"), view("d", trusts_any=True)], needs)
    assert isinstance(own, WorkerView)
    assert own.name == "d"


def test_what_workers_say_is_read_as_data() -> None:
    assert worker_view({"offer": "exec"}) is None
    odd = view("x" * 1000, agents={"demo": {"slots": 10**9}, "b": {"slots": True}, "c": 1}, labels="text")
    assert (len(odd.name), odd.slots, odd.labels) == (200, {"demo": 10_000, "b": 0}, ())
    fine = {"result": b"{}", "log": b"", "bundle": b"", "left_behind": 0}
    assert read_result(fine) == fine
    for wrong in ({"log": "text"}, {"result": b"[]"}, {"result": b"x"}, {"bundle": b"x" * (64 * 2**20 + 1)}):
        assert read_result({**fine, **wrong}) is None


def test_frames_and_jobs_have_their_bounds(tmp_path: Path) -> None:
    async def read(data: bytes) -> object:
        reader = asyncio.StreamReader(limit=LONGEST_LINE)
        reader.feed_data(data)
        reader.feed_eof()
        return await read_frame(reader)

    assert asyncio.run(read(b'{"do":"x","bytes":2}\nab')) == ({"do": "x", "bytes": 2}, b"ab")
    assert asyncio.run(read(b"")) is None
    too_many = b'{"bytes":%d}\n' % (MAX_BYTES + 1)
    for data in (b"[]\n", b"x\n", b'{"bytes":-1}\n', b'{"bytes":true}\n', too_many, b'{"bytes":3}\na', b"{"):
        with pytest.raises(FrameError):
            asyncio.run(read(data))
    for wrong in (None, {}, job(key="../x"), job(token="1"), job(agent=None), job(prompt="x" * 300_000)):
        with pytest.raises(InvalidArgumentError):
            read_job(wrong, tmp_path, b"")


def test_status_and_kept_results_have_their_bounds(tmp_path: Path) -> None:
    path = tmp_path / "status.json"
    jobs = {str(n): {"state": "ended" if n % 2 else "working", "why": "x" * 200} for n in range(6000)}
    write_status(path, {"jobs": jobs, "workers": [], "kept": []})
    assert path.stat().st_size <= LARGEST
    told = json.loads(path.read_text())
    assert told["shortened"]
    assert {one["state"] for one in told["jobs"].values()} == {"working"}
    kept = KeptResults(tmp_path / "kept")
    for number in range(70):
        one = read_job(job(number), tmp_path, b"")
        kept.add(one, {"result": b"{}", "log": b"", "bundle": b"", "left_behind": 0}, "orphaned")
    assert len(kept.listed()) == len(list((tmp_path / "kept").iterdir())) == 64


LIFELINE = """
import os, sys
from pathlib import Path
from chant_mcp.cluster.job_table import JobTable
table = JobTable(Path(sys.argv[1]), sys.argv[3:], dict(os.environ))
def tell(message):
    print(message["is"], flush=True)
table.run(sys.argv[2], b"", tell)
"""


def test_a_job_ends_when_its_worker_is_killed(tmp_path: Path) -> None:
    from cluster.engine_kit import JOB

    told = json.dumps(job(prompt="wait"))
    worker = subprocess.Popen(
        [sys.executable, "-c", LIFELINE, str(tmp_path), told, *JOB], stdout=subprocess.PIPE, text=True
    )
    assert worker.stdout is not None
    with worker.stdout as lines:
        assert [lines.readline().strip() for _ in range(2)] == ["placed", "started"]
        worker.kill()
        worker.wait()
    folder = tmp_path / "jobs" / "ferry-1.1.aa"
    wait_for((folder / "result.json").exists, lambda: "the result")
    assert json.loads((folder / "result.json").read_text())["reason"] == ""
    JobTable(tmp_path, (), {})
    assert (tmp_path / "kept" / "ferry-1.1.aa").is_dir(), "the next worker keeps what was left"


def test_a_job_hears_that_its_worker_answers_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cluster.engine_kit import JOB

    monkeypatch.setattr(job_table, "_BEAT_SECONDS", 0.02)
    table = JobTable(tmp_path, JOB, dict(os.environ))
    given = table.run(json.dumps(job(prompt="hear")), b"", lambda _: None)
    assert json.loads(given["result"])["heard"] == 2 * ["beat\n"]


def test_without_the_extra_its_name_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "find_spec", lambda name: None)
    with pytest.raises(RefusedError) as caught:
        extra.require_cluster_extra()
    assert caught.value.message == ("This needs the extra \"cluster\": pip install 'chant_mcp[cluster]'")


def test_the_engine_is_imported_by_its_own_processes_alone() -> None:
    code = (
        "import sys, importlib; sys.argv = ['chant-mcp', '--help']\n"
        "import chant_mcp.cli, chant_mcp.commands.cluster, chant_mcp.commands.worker\n"
        "import chant_mcp.commands.placer\n"
        "import chant_mcp.cluster.local_cluster, chant_mcp.cluster.deployers\n"
        "print(sorted({'dask', 'distributed', 'cryptography', 'tornado'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_log_keeps_its_end_and_grows_on(tmp_path: Path) -> None:
    path = tmp_path / "placer.log"
    with path.open("wb") as log:
        log.write(b"first\n")
        log.flush()
        bound_log(path, log.fileno())
        assert path.read_bytes() == b"first\n"
        log.write(b"line\n" * LARGEST_LOG + b"last\n")
        log.flush()
        (tmp_path / "other").write_bytes(b"other")
        bound_log(tmp_path / "other", log.fileno())
        assert path.stat().st_size > LARGEST_LOG
        bound_log(path, log.fileno())
        os.write(log.fileno(), b"after\n")
    text = path.read_bytes()
    assert len(text) < LARGEST_LOG / 2
    assert text.startswith(b"line\n")
    assert text.endswith(b"line\nlast\nafter\n")
