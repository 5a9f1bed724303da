"""Two servers on one project: no number twice, no change lost, whole files after a kill; what calls read."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import resource
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from chant_mcp._core import TicketProjects
from tickets.filing import Tickets, refusal_of
from writing import Wire, leftovers, run_python, tree

Run = Callable[..., "subprocess.Popen[bytes]"]
Call = tuple[str, dict[str, Any]]


def each(wires: list[Wire], act: Callable[[int, Wire], object]) -> list[Any]:
    """Let every client act at once."""
    with ThreadPoolExecutor(len(wires)) as pool:
        return list(pool.map(act, range(len(wires)), wires))


def settled(tickets: Tickets) -> Any:
    """Check that nothing but sound tickets is left, and list them."""
    assert leftovers(tickets.root) == []
    listed: Any = tickets.handle().list_crs(limit=1000, fields=["title"]).data
    assert "problems" not in listed
    return listed["crs"]


@pytest.fixture
def two(tickets: Tickets, run_server: Run) -> list[Wire]:
    """Two servers that have read the project."""
    wires = [Wire(run_server(tickets.root)) for _ in range(2)]
    for wire in wires:
        wire.text("list_crs")
    return wires


@pytest.mark.parametrize("title", ["Same title", "Title of {}"], ids=["same", "different"])
def test_twenty_creates_at_once_give_twenty_numbers_and_twenty_files(
    tickets: Tickets, two: list[Wire], title: str
) -> None:
    """With one title for all only the number tells their files apart; with several only the lock helps."""

    def create(number: int, wire: Wire) -> list[str]:
        data = {"title": title.format(number), "content": "x"}
        sent = [wire.send("create_cr", type="Bug Fix", data=data) for _ in range(10)]
        answers = [wire.answer(request) for request in sent]
        assert not any(is_error for is_error, _ in answers), answers
        return [json.loads(text)["cr"]["code"] for _, text in answers]

    codes = [code for of_one in each(two, create) for code in of_one]
    expected = [f"MDT-{number:03}" for number in range(1, 21)]
    assert sorted(codes) == expected
    assert [name[:7] for name in tickets.names()] == expected
    assert sorted(row["code"] for row in settled(tickets)) == expected
    assert (tickets.root / ".mdt-next").read_text(encoding="utf-8").strip() == "21"


@pytest.mark.requirement("tickets:concurrency:edits_of_one_ticket_are_queued")
def test_twenty_appends_to_one_ticket_all_arrive(tickets: Tickets, two: list[Wire]) -> None:
    before = tickets.ticket(1, body="## Log\n\nfirst\n\n## End\n\nlast").read_text(encoding="utf-8")

    def append(number: int, wire: Wire) -> None:
        sent = [
            wire.send(
                "manage_cr_sections",
                key=1,
                operation="update",
                updateMode="append",
                section="## Log",
                content=f"<{number}:{turn}>",
            )
            for turn in range(10)
        ]
        for request in sent:
            is_error, text = wire.answer(request)
            assert not is_error, text

    each(two, append)
    text = re.sub(r"lastModified: .*\n", "", tickets.text("MDT-001-ticket"))
    found = re.findall(r"\n\n(<\d:\d+>)", text)
    assert sorted(found) == sorted(f"<{number}:{turn}>" for number in range(2) for turn in range(10))
    assert "".join(text.split("".join(f"\n\n{word}" for word in found))) == before, "nothing else changed"
    assert two[0].text("get_cr", key=1) == two[1].text("get_cr", key=1), "no server tells an old text"
    settled(tickets)


@pytest.mark.requirement("tickets:concurrency:edits_of_one_ticket_are_queued")
def test_changes_of_different_kinds_do_not_undo_each_other(tickets: Tickets, two: list[Wire]) -> None:
    """Sections by the one, attributes and status by the other; whichever is last keeps the others' work."""
    tickets.ticket(1, body="## Log\n\nfirst")

    def act(number: int, wire: Wire) -> None:
        sent: list[int] = []
        for turn in range(10):
            if number == 0:
                content = f"<{turn}>"
                sent.append(
                    wire.send("manage_cr_sections", key=1, operation="append", section="Log", content=content)
                )
            else:
                sent.append(wire.send("update_cr_attrs", key=1, attributes={"phaseEpic": f"Phase {turn}"}))
        if number == 1:
            statuses = ("Approved", "In Progress", "On Hold")
            sent += [wire.send("update_cr_status", key=1, status=status) for status in statuses]
        for request in sent:
            is_error, text = wire.answer(request)
            assert not is_error, text

    each(two, act)
    text = tickets.text("MDT-001-ticket")
    assert re.findall(r"<(\d)>", text) == [str(turn) for turn in range(10)], "each client's in its order"
    assert "phaseEpic: Phase 9\n" in text
    assert "status: On Hold\n" in text
    settled(tickets)


def test_numbers_do_not_come_again_whichever_server_deletes(tickets: Tickets, two: list[Wire]) -> None:
    seen: list[str] = []

    def turn(_: int, wire: Wire) -> None:
        for _ in range(5):
            made = json.loads(wire.text("create_cr", type="Bug Fix", data={"title": "T", "content": "x"}))
            seen.append(made["cr"]["code"])
            wire.text("delete_cr", key=made["cr"]["code"])

    each(two, turn)
    assert len(seen) == len(set(seen)) == 10
    made = json.loads(two[0].text("create_cr", type="Bug Fix", data={"title": "T"}))
    assert made["cr"]["code"] == "MDT-011"
    assert [row["code"] for row in settled(tickets)] == ["MDT-011"]


@pytest.mark.requirement("tickets:errors:cr_not_found")
def test_of_two_deletes_one_succeeds_and_the_other_finds_nothing(tickets: Tickets, two: list[Wire]) -> None:
    for number in range(1, 11):
        tickets.ticket(number)

    def delete(_: int, wire: Wire) -> list[tuple[bool, str]]:
        sent = [wire.send("delete_cr", key=number) for number in range(1, 11)]
        return [wire.answer(request) for request in sent]

    for (failed, text), (other_failed, other_text) in zip(*each(two, delete), strict=True):
        assert failed != other_failed
        error = json.loads(text if failed else other_text)
        assert error["code"] == "CR_NOT_FOUND"
    assert settled(tickets) == []


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock that our writers take, as another of them would."""
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def waiting(act: Callable[[], object]) -> tuple[threading.Thread, list[Any]]:
    """Begin a call that has to wait for a lock; the list holds its refusal when the thread has ended."""
    refusals: list[Any] = []
    thread = threading.Thread(target=lambda: refusals.append(refusal_of(act)))
    thread.start()
    return thread, refusals


MEANWHILE: dict[str, tuple[Callable[[TicketProjects], object], dict[str, str], str | None]] = {
    "the status is another one by now": (
        lambda handle: handle.update_cr_status(None, "1", "In Progress"),
        {"status: Approved": "status: Rejected"},
        "INVALID_TRANSITION",
    ),
    "the section is gone by now": (
        lambda handle: handle.manage_cr_sections(None, "1", "append", section="Log", content="x"),
        {"## Log": "## Diary"},
        "SECTION_NOT_FOUND",
    ),
    "another key was changed by hand": (
        lambda handle: handle.update_cr_attrs(None, "1", {"priority": "High"}),
        {"zone: a": "zone: b", "first": "second"},
        None,
    ),
}


@pytest.mark.parametrize("name", MEANWHILE)
def test_what_is_true_under_the_lock_decides(tickets: Tickets, name: str) -> None:
    act, changes, code = MEANWHILE[name]
    path = tickets.ticket(1, status="Approved", zone="a", body="## Log\n\nfirst")
    handle = tickets.handle()
    handle.list_crs()
    with held(path):
        thread, refusals = waiting(lambda: act(handle))
        text = path.read_text(encoding="utf-8")
        for old, new in changes.items():
            text = text.replace(old, new)
        other = path.with_name("other")
        other.write_text(text, encoding="utf-8")
        other.replace(path)
    thread.join()
    assert [refusal and refusal["code"] for refusal in refusals] == [code]
    after = path.read_text(encoding="utf-8")
    assert all(new in after for new in changes.values())
    assert (after == text) == (code is not None)


def test_two_updates_that_together_close_a_loop_do_not_both_succeed(tickets: Tickets) -> None:
    """The first waits for its file; by then the second has made what it was about to do wrong."""
    path = tickets.ticket(1)
    tickets.ticket(2)
    handle = tickets.handle()
    with held(path):
        thread, refusals = waiting(lambda: handle.update_cr_attrs(None, "1", {"dependsOn": "MDT-2"}))
        tickets.handle().update_cr_attrs(None, "2", {"dependsOn": "MDT-1"})
    thread.join()
    assert [list(refusal["details"]) for refusal in refusals] == [["dependsOn"]]
    assert "dependsOn" not in path.read_text(encoding="utf-8")


@pytest.mark.requirement("tickets:concurrency:edits_of_one_ticket_are_queued")
def test_all_changes_of_a_project_wait_for_its_lock(tickets: Tickets) -> None:
    """What a change decides on, numbers and other tickets, stays true until it is done."""
    for number in (1, 2):
        tickets.ticket(number, body="## Log\n\nfirst")
    tickets.ticket(3)
    handle = tickets.handle()
    changes: list[Callable[[], object]] = [
        lambda: handle.create_cr(None, "Bug Fix", {"title": "New"}),
        lambda: handle.update_cr_attrs(None, "1", {"priority": "High"}),
        lambda: handle.manage_cr_sections(None, "2", "append", section="Log", content="x"),
        lambda: handle.delete_cr(None, "3"),
    ]
    before = tree(tickets.root)
    with held(tickets.root / tickets.folder):
        calls = [waiting(change) for change in changes]
        for thread, _ in calls:
            thread.join(0.1)
            assert thread.is_alive(), "it did not wait"
        assert tree(tickets.root) == before
    for thread, refusals in calls:
        thread.join()
        assert refusals == [None]
    assert [row["code"] for row in settled(tickets)] == ["MDT-004", "MDT-002", "MDT-001"]


def test_readers_do_not_wait_and_see_whole_files(tickets: Tickets, two: list[Wire]) -> None:
    path = tickets.ticket(1, body="## Log\n\nfirst")
    with held(path), held(path.parent):
        sent = two[0].send("update_cr_status", key=1, status="Approved")
        assert json.loads(two[1].text("get_cr", key=1, mode="attributes"))["status"] == "Proposed"
    assert two[0].answer(sent)[0] is False
    assert json.loads(two[1].text("get_cr", key=1, mode="attributes"))["status"] == "Approved"


@pytest.mark.parametrize("answers", [1, 9])
def test_a_server_that_is_killed_leaves_whole_files(tickets: Tickets, two: list[Wire], answers: int) -> None:
    """What it had answered is there, what it was doing is there or not, nothing is half; others go on."""
    filler = "x" * 3_000
    tickets.ticket(1, body="## Log\n\nfirst")
    killed, other = two
    calls: list[Call] = []
    for turn in range(15):
        content = f"<{turn}>{filler}</{turn}>"
        calls += [
            ("manage_cr_sections", {"key": 1, "operation": "append", "section": "Log", "content": content}),
            ("create_cr", {"type": "Bug Fix", "data": {"title": f"T {turn}", "content": filler}}),
        ]
    sent = [killed.send(tool, **arguments) for tool, arguments in calls]
    for request in sent[:answers]:
        assert killed.answer(request)[0] is False
    killed.process.send_signal(signal.SIGKILL)
    killed.process.wait()
    made = json.loads(other.text("create_cr", type="Bug Fix", data={"title": "After"}))
    other.text("manage_cr_sections", key=1, operation="append", section="Log", content="after")
    text = tickets.text("MDT-001-ticket")
    turns = [int(turn) for turn in re.findall(rf"\n\n<(\d+)>{filler}</\1>", text)]
    assert turns == list(range(len(turns))), "all of the first ones, in their order"
    assert len(turns) >= (answers + 1) // 2
    assert text.count(filler) == len(turns)
    assert text.endswith("\n\nafter\n")
    listed: Any = tickets.handle().list_crs(limit=100, fields=["title"]).data
    assert "problems" not in listed
    numbers = sorted(int(row["code"][4:]) for row in listed["crs"])
    assert numbers == list(range(1, len(numbers) + 1)), "no number is used twice or left out"
    assert made["cr"]["code"] == f"MDT-{numbers[-1]:03}"
    assert len(numbers) >= 2 + answers // 2


@pytest.mark.requirement("tickets:concurrency:edits_of_one_ticket_are_queued")
def test_no_call_is_turned_away_for_being_one_of_many(tickets: Tickets, two: list[Wire]) -> None:
    """The seed's later server refused the 101st call of a tool in a minute."""
    tickets.ticket(1)
    sent = [
        two[0].send("update_cr_attrs", key=1, attributes={"phaseEpic": f"P{turn}"}) for turn in range(150)
    ]
    assert [two[0].answer(request)[0] for request in sent] == [False] * 150
    assert "phaseEpic: P149\n" in tickets.text("MDT-001-ticket")


CHANGES = """\
import sys
from chant_mcp._core import TicketProjects
for number, moment in enumerate(sys.argv[2:], 1):
    tickets = TicketProjects(sys.argv[1], stop_at=moment)
    tickets.create_cr(None, "Bug Fix", {"title": "T"})
    tickets.update_cr_attrs(None, str(number), {"title": "U", "priority": "High"})
    tickets.manage_cr_sections(None, str(number), "append", section="References", content="x")
    tickets.delete_cr(None, str(number))
"""


def test_no_change_of_a_ticket_is_one_of_several_files(tickets: Tickets) -> None:
    """A process that is to crash at the moments of such changes, where only a journal helps, never does."""
    moments = ("journal-staged", "journal-intent", "journal-step", "journal-done")
    done = run_python(CHANGES, tickets.root, *moments)
    assert (done.returncode, done.stderr) == (0, "")
    assert set(tree(tickets.root)) == {".mdt-config.toml", ".mdt-next"}


LIMIT = 64 * 1024


def limited() -> None:
    """Let every write beyond a size fail, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))


@pytest.mark.requirement("tickets:errors:file_system_error")
def test_a_server_that_cannot_write_so_much_says_so_and_goes_on(tickets: Tickets, run_server: Run) -> None:
    tickets.ticket(1, body="## Log\n\nfirst")
    wire = Wire(run_server(tickets.root, preexec_fn=limited))
    before = tree(tickets.root)
    text = "x" * LIMIT
    calls: list[Call] = [
        ("manage_cr_sections", {"key": 1, "operation": "append", "section": "Log", "content": text}),
        ("manage_cr_sections", {"key": 1, "operation": "replace", "section": "Log", "content": text}),
        ("create_cr", {"type": "Bug Fix", "data": {"title": "Large", "content": text}}),
    ]
    for tool, arguments in calls:
        error = json.loads(wire.error(tool, **arguments))
        assert (error["error"], error["code"]) == ("File operation failed", "FILE_SYSTEM_ERROR")
        assert os.strerror(errno.EFBIG).lower() in error["details"]["reason"].lower()
    assert tree(tickets.root) == before
    made = json.loads(wire.text("create_cr", type="Bug Fix", data={"title": "Small"}))
    assert made["cr"]["code"] == "MDT-002", "what failed took no number"
    wire.text("manage_cr_sections", key=1, operation="append", section="Log", content="short")
    assert tickets.text("MDT-001-ticket").endswith("first\n\nshort\n")


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="counts what the kernel counted")
def test_a_repeated_call_reads_only_what_changed(tickets: Tickets) -> None:
    size, count = 20_000, 100
    for number in range(1, count + 1):
        path = tickets.ticket(number, status="Approved", body="## Log\n\n" + "x" * size)
        os.utime(path, (10**9, 10**9))
    handle = tickets.handle()

    def cost(work: Callable[[], object]) -> int:
        def counted() -> int:
            lines = Path("/proc/self/io").read_text(encoding="utf-8").splitlines()
            return int(next(line for line in lines if line.startswith("rchar:")).split()[1])

        before = counted()
        work()
        return counted() - before

    def everything() -> None:
        handle.list_crs()
        handle.get_cr(None, "7", mode="attributes")
        handle.get_project_info("MDT")
        handle.manage_cr_sections(None, "7", "list")
        handle.suggest_cr_improvements(None, "7")

    assert cost(everything) > size * count
    assert cost(everything) < size * count / 20
    assert cost(lambda: handle.update_cr_attrs(None, "7", {"priority": "High"})) < size * count / 20
    tickets.ticket(8, "Ticket", status="Approved", body="## Log\n\n" + "y" * size)
    spent = cost(everything)
    assert size <= spent < size * count / 20
    assert "y" * size in handle.get_cr(None, "8").text
