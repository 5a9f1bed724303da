"""Several servers on one plan: no write is lost, one claim wins, a crash leaves all or nothing (W2 to W4)."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from chant_mcp._core import VineFiles
from store.test_writers import Waiting, each, held, replace
from vine.planning import SMALL, Plans, claim, plan_of, status, task, update, wide
from writing import Wire, git, leftovers, run_python, tree

Run = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def two(plans: Plans, run_server: Run) -> list[Wire]:
    """Two servers on one folder."""
    return [Wire(run_server(plans.root)) for _ in range(2)]


# Writers


@pytest.mark.requirement("vine:server:speaks_json_rpc_on_stdio")
def test_two_servers_with_sixty_writes_each_lose_none(plans: Plans, two: list[Wire]) -> None:
    """Meanwhile every reading of the file gives a whole text, and so does every question."""
    path = plans.write("wide", wide(120, description="x" * 200))
    done = threading.Event()
    torn: list[str] = []

    def look() -> None:
        reader = VineFiles(plans.root)
        while not done.wait(0.002):
            text = path.read_text(encoding="utf-8")
            if text.count("\n---\n") != 121 or not text.endswith("x\n"):
                torn.append(text)
            reader.read("wide", "validate")

    def change(number: int, wire: Wire) -> None:
        tasks = range(number * 60, number * 60 + 60)
        sent = [wire.send("vine_write", file="wide", operations=[status(f"t{n}", "complete")]) for n in tasks]
        for n, request in zip(tasks, sent, strict=True):
            is_error, text = wire.answer(request)
            assert not is_error, text
            assert json.loads(text)["summary"] == f'1 operation(s) applied: set "t{n}" → complete.'

    reading = threading.Thread(target=look)
    reading.start()
    try:
        each(two, change)
    finally:
        done.set()
        reading.join()
    assert torn == []
    expected = wide(120, "complete", description="x" * 200)
    assert plans.text("wide") == expected
    assert leftovers(plans.root) == []


def test_decisions_of_two_servers_on_one_task_are_all_kept(plans: Plans, two: list[Wire]) -> None:
    plans.write("small", SMALL)

    def change(number: int, wire: Wire) -> None:
        for turn in range(30):
            wire.text(
                "vine_write", file="small", operations=[update("mid", addDecisions=[f"{number}:{turn}"])]
            )

    each(two, change)
    found = re.findall(r"^> (\d):(\d+)$", plans.text("small"), re.MULTILINE)
    assert sorted(found) == sorted((str(n), str(turn)) for n in range(2) for turn in range(30))
    for number in "01":
        turns = [int(turn) for of, turn in found if of == number]
        assert turns == list(range(30)), "each server's own in its order"


def test_of_two_claims_of_one_task_exactly_one_succeeds(plans: Plans, two: list[Wire]) -> None:
    """Twenty times, both at once."""
    plans.write("wide", wide(20))
    begin = threading.Barrier(2)

    def take(number: int, wire: Wire) -> list[tuple[bool, str]]:
        answers: list[tuple[bool, str]] = []
        for turn in range(20):
            begin.wait(30)
            operations = [claim(f"t{turn}", owner=f"agent-{number}")]
            answers.append(wire.call("vine_write", file="wide", operations=operations))
        return answers

    both = each(two, take)
    for turn, pair in enumerate(zip(*both, strict=True)):
        winner = [is_error for is_error, _ in pair].index(False)
        (_, won), (is_refused, lost) = pair[winner], pair[1 - winner]
        assert is_refused, "both were answered that it is theirs"
        [mine] = json.loads(won)["claimed"]
        assert (mine["id"], mine["annotations"]) == (f"t{turn}", {"owner": [f"agent-{winner}"]})
        held = f'Cannot claim "t{turn}": it is started, held by agent-{winner}.'
        assert lost.startswith(held)
        assert f"[t{turn}] Leaf {turn} (started) @owner(agent-{winner})\n" in plans.text("wide")


@pytest.mark.parametrize("claimed", ["mid", "leaf"])
def test_what_is_true_under_the_lock_decides(plans: Plans, claimed: str) -> None:
    """A claim waits for the lock, and sees what was written meanwhile."""
    free = plan_of("root:planning>mid,leaf mid:notstarted leaf:planning")
    path = plans.write("plan", free)
    files = VineFiles(plans.root)
    files.next("plan")
    taken = free.replace("LEAF (planning)", "LEAF (started) @owner(ada)")
    with held(path):
        waiting = Waiting(lambda: files.write("plan", [claim(claimed)]))
        assert files.next("plan").data["in_progress"] == [], "readers do not wait"
        replace(path, taken)
    refusal = waiting.end()
    if claimed == "leaf":
        assert refusal is not None
        assert refusal.startswith('Cannot claim "leaf": it is started, held by ada.')
        assert plans.text("plan") == taken
    else:
        assert refusal is None
        assert plans.text("plan") == taken.replace("MID (notstarted)", "MID (started)")


@pytest.mark.requirement("vine:write:create")
def test_of_two_servers_that_create_one_file_exactly_one_does(plans: Plans, two: list[Wire]) -> None:
    begin = threading.Barrier(2)

    def create(number: int, wire: Wire) -> list[tuple[bool, str]]:
        answers: list[tuple[bool, str]] = []
        for turn in range(20):
            begin.wait(30)
            operations = [{"op": "create"}, task("r", f"By {number}")]
            answers.append(wire.call("vine_write", file=f"new/plan{turn}", operations=operations))
        return answers

    both = each(two, create)
    for turn, pair in enumerate(zip(*both, strict=True)):
        assert sorted(is_error for is_error, _ in pair) == [False, True]
        winner = [is_error for is_error, _ in pair].index(False)
        path = plans.path(f"new/plan{turn}")
        assert pair[1 - winner][1] == f"File already exists: {path}"
        assert f"[r] By {winner} " in path.read_text(encoding="utf-8")
    assert leftovers(plans.root) == []


def test_a_file_reached_by_different_names_is_one_file(plans: Plans, run_server: Run, tmp_path: Path) -> None:
    """One server knows it by a link, another by an absolute path from a folder of its own."""
    plans.write("wide", wide(40))
    (plans.root / "alias.vine").symlink_to("wide.vine")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    names = ["alias", str(plans.path("wide"))]
    wires = [Wire(run_server(folder)) for folder in (plans.root, elsewhere)]

    def change(number: int, wire: Wire) -> None:
        for n in range(number * 20, number * 20 + 20):
            wire.text("vine_write", file=names[number], operations=[status(f"t{n}", "complete")])

    each(wires, change)
    assert plans.text("wide") == wide(40, "complete")
    assert (plans.root / "alias.vine").is_symlink()
    assert list(elsewhere.iterdir()) == []


def test_a_server_that_is_killed_leaves_what_it_had_answered(plans: Plans, two: list[Wire]) -> None:
    plans.write("wide", wide(60, description="x" * 500))
    killed, other = two
    sent = [
        killed.send("vine_write", file="wide", operations=[status(f"t{n}", "complete")]) for n in range(60)
    ]
    for request in sent[:9]:
        assert not killed.answer(request)[0]
    killed.process.kill()
    killed.process.wait()
    other.text("vine_write", file="wide", operations=[status("root", "started")])
    after = plans.text("wide")
    done = {int(n) for n in re.findall(r"^\[t(\d+)\] Leaf \d+ \(complete\)$", after, re.MULTILINE)}
    assert done >= set(range(9))
    expected = wide(60, description="x" * 500).replace("Root (planning)", "Root (started)")
    for n in done:
        expected = expected.replace(f"Leaf {n} (notstarted)", f"Leaf {n} (complete)")
    assert after == expected


# Crashes between two files

MOMENTS = ("journal-staged", "journal-intent", "journal-step", "journal-done")

CRASH = """\
import json, resource, sys
from chant_mcp._core import VineFiles
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
folder, root, moment, file, operations = sys.argv[1:]
VineFiles(folder, roots=[root], stop_at=moment).write(file, json.loads(operations))
"""

EXTRACT = [claim("mid"), {"op": "extract_to_ref", "id": "mid", "vine": "./new/mid.vine"}]

EXTRACTED = SMALL.replace("[mid] Mid (notstarted)", "ref [mid] Mid (./new/mid.vine)")

CHILD = "vine 1.2.0\ntitle: Mid\n---\n[mid] Mid (started)\n"


def crash(folder: Path, root: Path, moment: str, file: str, operations: object) -> None:
    done = run_python(CRASH, folder, root, moment, file, json.dumps(operations))
    assert done.returncode == -signal.SIGABRT, done.stderr


def files_of(root: Path) -> dict[str, str]:
    """Read the plans below a folder."""
    return {name: data.decode() for name, data in tree(root).items() if name.endswith(".vine")}


@pytest.mark.parametrize("in_git", [True, False], ids=["git", "no git"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_crash_between_two_files_leaves_both_changed_or_none(
    plans: Plans, moment: str, in_git: bool
) -> None:
    """The file is in a sub-folder, where the dying process began; the next one begins at the top."""
    plans.write("sub/plan", SMALL)
    if in_git:
        git(plans.root, "init", "-q")
        git(plans.root, "add", "-A")
    crash(plans.root / "sub", plans.root, moment, "plan", EXTRACT)
    reader = VineFiles(plans.root, roots=[plans.root])
    total = reader.next("sub/plan").data["progress"]["total"]
    found = files_of(plans.root)
    if moment != "journal-done":
        assert found == {"sub/plan.vine": SMALL}
        reader.write("sub/plan", EXTRACT)
        found = files_of(plans.root)
    assert total == 4
    assert found == {"sub/plan.vine": EXTRACTED, "sub/new/mid.vine": CHILD}
    assert leftovers(plans.root) == []
    if in_git:
        assert git(plans.root, "status", "--porcelain", "-uall").split() == [
            "AM",
            "sub/plan.vine",
            "??",
            "sub/new/mid.vine",
        ]
        assert not (plans.root / ".chant-mcp").exists()
    assert reader.expand("sub/plan", "mid").text == 'Ref "mid" expanded.'
    assert files_of(plans.root)["sub/plan.vine"] == SMALL.replace("Mid (notstarted)", "Mid (started)")


@pytest.mark.parametrize("moment", ["journal-staged", "journal-step", "journal-done"])
def test_a_new_plan_of_two_files_comes_whole_or_not_at_all(plans: Plans, moment: str) -> None:
    operations = [
        {"op": "create"},
        task("r", "R", dependsOn=["a"]),
        task("a", "A"),
        {"op": "extract_to_ref", "id": "a", "vine": "a"},
    ]
    crash(plans.root, plans.root, moment, "plan", operations)
    plans.write("other", plan_of("r:planning"))
    VineFiles(plans.root).read("other", "validate")
    found = set(files_of(plans.root))
    assert found == {"other.vine"} | ({"plan.vine", "a.vine"} if moment == "journal-done" else set())


@pytest.mark.requirement("vine:paths:absolute_path_first")
def test_a_crash_on_a_file_of_elsewhere_is_taken_back_when_it_is_next_asked_for(
    plans: Plans, tmp_path: Path
) -> None:
    path = tmp_path / "elsewhere" / "plan.vine"
    path.parent.mkdir()
    path.write_text(SMALL, encoding="utf-8")
    crash(plans.root, plans.root, "journal-step", str(path), EXTRACT)
    assert "[mid] Mid (./new/mid.vine)" in path.read_text(encoding="utf-8")
    assert set(files_of(path.parent)) == {"plan.vine"}, "the crash was between the two"
    VineFiles(plans.root).read(str(path), "validate")
    assert files_of(path.parent) == {"plan.vine": SMALL}
    assert files_of(plans.root) == {}


def test_the_next_server_takes_back_what_a_server_began(
    plans: Plans, run_server: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The crash is that of a real server, whose environment says where to die."""
    plans.write("plan", SMALL)
    monkeypatch.setenv("CHANT_STOP_AT", "journal-step")
    dying = Wire(run_server(plans.root))
    monkeypatch.delenv("CHANT_STOP_AT")
    with pytest.raises(AssertionError, match="ended without an answer"):
        dying.call("vine_write", file="plan", operations=EXTRACT)
    assert dying.process.wait(30) == -signal.SIGABRT
    assert files_of(plans.root) == {"plan.vine": EXTRACTED}, "the crash was between the two"
    wire = Wire(run_server(plans.root))
    found = json.loads(wire.text("vine_next", file="plan"))
    assert [ref["id"] for ref in found["needs_expansion"]] == ["ext"]
    assert files_of(plans.root) == {"plan.vine": SMALL}


def test_the_moments_of_a_crash_are_the_ones_there_are(plans: Plans) -> None:
    """A name that is never reached would prove nothing."""
    plans.write("plan", SMALL)
    arguments = (plans.root, plans.root, "no-such-moment", "plan", json.dumps(EXTRACT))
    done = run_python(CRASH, *arguments)
    assert done.returncode == 0, done.stderr
    assert plans.text("plan") == EXTRACTED
