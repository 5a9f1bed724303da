"""`chant_work_list`: the runs that the records tell of."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chant.reading import ONE_ERA, record, snapshot
from harness import Caller, Project
from mcp import Client
from state_folder import log_file, part, record_file
from writing import answer_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

pytestmark = pytest.mark.anyio

linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="identifies processes by /proc")

SEVEN = ["process_id", "spec_id", "pid", "status", "started_at", "completed_at", "mode"]


@pytest.fixture(params=["handshake", "modern"])
async def call(request: pytest.FixtureRequest, project: Project) -> AsyncIterator[Caller]:
    """A client of a server that only looks: it neither recovers dead runs nor prunes old ones."""
    mode = {"handshake": "legacy", "modern": "2026-07-28"}[request.param]
    async with Client(project.server(recovers=False), mode=mode) as client:
        yield Caller(client, project)


def started(pid: int) -> str:
    """Give the start of a process in ticks since boot, as records keep it."""
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    return stat.rsplit(")", 1)[1].split()[19]


def boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()


@pytest.fixture
def living() -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits until the test is over."""
    process = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    yield process
    process.communicate()


def running(call: Caller, process: subprocess.Popen[bytes], spec: str = "one", **keys: object) -> str:
    name = f"{spec}-{process.pid}"
    start = {"pid_start": started(process.pid), "boot_id": boot()}
    record(
        call.project, name, **{"status": "running", "end_state": None, "completed_at": None, **start, **keys}
    )
    return name


@pytest.mark.requirement("chant:work_list:answer_has_processes_and_summary")
@ONE_ERA
@pytest.mark.parametrize("folder", [True, False])
async def test_without_any_run_everything_is_empty(call: Caller, folder: bool) -> None:
    if folder:
        (call.project.root / ".chant" / "processes").mkdir()

    expected: dict[str, Any] = {"processes": [], "summary": {"running": 0, "completed": 0, "failed": 0}}
    for arguments in ({}, {"include_completed": True}, {"process_id": "x"}):
        assert await call.data("chant_work_list", **arguments) == expected
    assert await call.text("chant_work_list") == answer_text(expected)


@linux
@pytest.mark.requirement(
    "chant:work_list:process_has_seven_keys", "chant:work_list:completed_at_is_null_while_running"
)
async def test_a_running_process_is_listed(call: Caller, living: subprocess.Popen[bytes]) -> None:
    call.project.spec("one", status="in_progress")
    name = running(call, living)
    log = log_file(call.project.root, "one")
    log.write_text("line\n", encoding="utf-8")
    os.utime(log, (1_769_092_500, 1_769_092_500))  # 2026-01-22T14:35:00Z

    data = await call.data("chant_work_list")
    (process,) = data["processes"]
    assert list(process)[:7] == SEVEN
    assert {key: process[key] for key in SEVEN} == {
        "process_id": name,
        "spec_id": "one",
        "pid": living.pid,
        "status": "running",
        "started_at": "2026-02-02T10:30:00Z",
        "completed_at": None,
        "mode": "single",
    }
    assert data["summary"] == {"running": 1, "completed": 0, "failed": 0}
    assert (process["stale"], process["branch"]) == (False, "chant/one")
    assert process["log_modified"] == "2026-01-22T14:35:00Z"


async def test_without_a_log_there_is_no_time_of_it(call: Caller) -> None:
    record(call.project, "one-11")

    record(call.project, "two-12", branch=None)

    for process in (await call.data("chant_work_list", include_completed=True))["processes"]:
        assert process["log_modified"] is None
        assert process["stale"] is False
        assert process["branch"] == ("chant/one" if process["spec_id"] == "one" else None)


@linux
@pytest.mark.requirement("chant:work_list:completed_ones_only_on_request")
async def test_ended_processes_are_listed_only_on_request(
    call: Caller, living: subprocess.Popen[bytes]
) -> None:
    name = running(call, living)
    record(call.project, "done-11", mode="chain")
    record(call.project, "lost-12", status="failed", end_state="failed", mode="parallel(3)")

    summary = {"running": 1, "completed": 1, "failed": 1}
    data = await call.data("chant_work_list")
    assert ([p["process_id"] for p in data["processes"]], data["summary"]) == ([name], summary)
    data = await call.data("chant_work_list", include_completed=False)
    assert [p["process_id"] for p in data["processes"]] == [name]
    data = await call.data("chant_work_list", include_completed=True)
    assert {p["process_id"]: p["status"] for p in data["processes"]} == {
        name: "running",
        "done-11": "completed",
        "lost-12": "failed",
    }
    assert data["summary"] == summary
    assert {p["mode"] for p in data["processes"]} == {"single", "chain", "parallel(3)"}
    done = next(p for p in data["processes"] if p["process_id"] == "done-11")
    assert done["completed_at"] == "2026-02-02T10:45:00Z"


@pytest.mark.requirement("chant:work_list:process_id_filters_by_substring")
@ONE_ERA
@pytest.mark.parametrize(
    ("piece", "found"),
    [
        ("001", ["2026-02-02-001-xyz-11", "2026-02-02-001-xyz-12"]),
        ("-12", ["2026-02-02-001-xyz-12"]),
        ("2026-02-02-002-abc-13", ["2026-02-02-002-abc-13"]),
        ("XYZ", []),
        ("nothing", []),
        ("", ["2026-02-02-001-xyz-11", "2026-02-02-001-xyz-12", "2026-02-02-002-abc-13"]),
    ],
)
async def test_process_id_picks_by_a_part_of_the_name(call: Caller, piece: str, found: list[str]) -> None:
    for name in ("2026-02-02-001-xyz-11", "2026-02-02-001-xyz-12", "2026-02-02-002-abc-13"):
        record(call.project, name)

    data = await call.data("chant_work_list", process_id=piece, include_completed=True)
    assert [p["process_id"] for p in data["processes"]] == found
    assert data["summary"] == {"running": 0, "completed": 3, "failed": 0}
    data = await call.data("chant_work_list", process_id=piece)
    assert data["processes"] == []
    assert data["summary"]["completed"] == 3


@ONE_ERA
@pytest.mark.parametrize("mode", ["single", "chain", "split"])
@pytest.mark.parametrize("alive", [True, False])
async def test_records_of_chant_0_23_are_failed_and_stale(
    call: Caller, mode: str, alive: bool, living: subprocess.Popen[bytes]
) -> None:
    pid = living.pid if alive else 999_999_999
    path = call.project.root / ".chant" / "processes" / f"one-{pid}.json"
    path.parent.mkdir()
    old = {
        "process_id": f"one-{pid}",
        "spec_id": "one",
        "pid": pid,
        "started_at": "2026-02-02T11:30:00+01:00",
        "mode": mode,
        "started": True,
        "monitor": {"instruction": "…", "poll_interval_seconds": 60},
    }
    path.write_text(json.dumps(old), encoding="utf-8")

    assert (await call.data("chant_work_list"))["processes"] == []
    data = await call.data("chant_work_list", include_completed=True)
    (process,) = data["processes"]
    assert (process["status"], process["stale"], process["pid"]) == ("failed", True, pid)
    assert data["summary"] == {"running": 0, "completed": 0, "failed": 1}


@linux
@ONE_ERA
@pytest.mark.parametrize("wrong", ["pid_start", "boot_id", "no start", "no such process"])
async def test_a_reused_pid_does_not_look_alive(
    call: Caller, wrong: str, living: subprocess.Popen[bytes]
) -> None:
    keys: dict[str, Any] = {
        "pid_start": {"pid_start": str(int(started(living.pid)) - 1)},
        "boot_id": {"boot_id": "00000000-0000-0000-0000-000000000000"},
        "no start": {"pid_start": None},
        "no such process": {"pid": 4_000_000_000},
    }[wrong]
    running(call, living, **keys)

    assert (await call.data("chant_work_list"))["processes"] == []
    data = await call.data("chant_work_list", include_completed=True)
    (process,) = data["processes"]
    assert (process["status"], process["stale"]) == ("failed", True)
    assert data["summary"] == {"running": 0, "completed": 0, "failed": 1}


@linux
async def test_a_process_that_ended_without_being_waited_for_is_dead(call: Caller) -> None:
    process = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    running(call, process)
    assert (await call.data("chant_work_list"))["summary"]["running"] == 1
    process.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # a zombie now
    assert (await call.data("chant_work_list"))["summary"]["running"] == 0
    process.communicate()
    assert (await call.data("chant_work_list"))["summary"]["running"] == 0


@linux
async def test_listing_signals_and_deletes_nothing(call: Caller) -> None:
    script = (
        "import signal, sys\n"
        "for s in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD, signal.SIGPIPE}:\n"
        "    signal.signal(s, lambda *_: print('signalled', flush=True))\n"
        "print('up', flush=True)\n"
        "sys.stdin.read()"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    running(call, process)
    running(call, process, "reused", pid_start="1")
    record(call.project, "done-11")
    record(call.project, "ancient-12", started_at="2001-01-01T00:00:00Z", completed_at="2001-01-01T00:01:00Z")
    (call.project.root / ".chant" / "processes").mkdir()
    (call.project.root / ".chant" / "processes" / "old-13.json").write_text(
        json.dumps({"spec_id": "old", "pid": process.pid, "process_id": f"old-{process.pid}"}),
        encoding="utf-8",
    )
    before = snapshot(call.project.root)
    for arguments in ({}, {"include_completed": True}, {"process_id": "one"}):
        await call.data("chant_work_list", **arguments)

    assert snapshot(call.project.root) == before
    rest, _ = process.communicate()
    assert rest == b""


@pytest.mark.requirement("chant:work_list:answer_has_processes_and_summary")
@ONE_ERA
@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"pid": "x"}', "{}", '"text"', "\x00"])
async def test_a_broken_record_hides_no_other(call: Caller, text: str) -> None:
    record(call.project, "one-11")
    broken = record_file(call.project.root, "broken-12")
    broken.write_text(text, encoding="utf-8")

    data = await call.data("chant_work_list", include_completed=True)
    assert [p["process_id"] for p in data["processes"]] == ["one-11"]
    assert data["summary"] == {"running": 0, "completed": 1, "failed": 0}
    assert "broken-12.json" in str(data["problems"])


@pytest.mark.requirement("chant:work_list:answer_has_processes_and_summary")
async def test_other_files_in_the_folder_are_no_records(call: Caller) -> None:
    record(call.project, "one-11")
    folder = part(call.project.root, "processes")
    (folder / "note.txt").write_text("x", encoding="utf-8")
    (folder / "folder.json").mkdir()
    (folder / ".tmp-123").write_text("{", encoding="utf-8")

    data = await call.data("chant_work_list", include_completed=True)
    assert [p["process_id"] for p in data["processes"]] == ["one-11"]


async def test_many_records_fit_an_answer_and_are_all_counted(call: Caller) -> None:
    for n in range(200):
        record(call.project, f"spec-{n:03}-{n + 10}", reason="x" * 500)

    text = await call.text("chant_work_list", include_completed=True)
    data = json.loads(text)
    assert len(text) < 50_000
    assert data["summary"] == {"running": 0, "completed": 200, "failed": 0}
    shown = len(data["processes"])
    assert shown == 200 or "200" in text.replace(json.dumps(data["summary"]), "")


@pytest.mark.requirement("chant:work_list:process_id_filters_by_substring")
async def test_unknown_arguments_are_refused(call: Caller) -> None:
    error = await call.error("chant_work_list", include_complete=True)
    assert "include_completed" in error
