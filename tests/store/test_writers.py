"""Many processes on one spec and on one folder: nothing is lost, nothing is made twice (issue: Store)."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
from writing import ID, OTHER, Wire, changed, commit, leftovers, tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness import Project

    Run = Callable[..., subprocess.Popen[bytes]]

HEAD = "---\n# kept\ntype: code\nstatus: in_progress\nowner: &o {name: ada}\n---\n\n"


def each(wires: list[Wire], act: Callable[[int, Wire], object]) -> list[Any]:
    """Let every client act at once."""
    with ThreadPoolExecutor(len(wires)) as pool:
        return list(pool.map(act, range(len(wires)), wires))


def settled(project: Project) -> None:
    """Check that only specs are in the folder, all readable."""
    assert leftovers(project.root) == []
    assert not ChantProject(project.root).spec_list().data.get("problems")


def test_six_servers_append_to_one_spec(project: Project, run_server: Run) -> None:
    before = project.write(ID, f"{HEAD}# Work\n").read_text(encoding="utf-8")
    wires = [Wire(run_server(project.root)) for _ in range(6)]

    def append(number: int, wire: Wire) -> None:
        sent = [wire.send("chant_spec_update", id=ID, output=f"<{number}:{turn}>") for turn in range(20)]
        for request in sent:
            assert wire.answer(request) == (False, f"Updated spec: {ID}")

    each(wires, append)
    text = project.text(ID)
    assert text.startswith(before)
    expected = {f"<{number}:{turn}>" for number in range(6) for turn in range(20)}
    found = re.findall(r"\n## Output\n\n(<\d:\d+>)\n", text)
    assert len(found) == 120
    assert set(found) == expected
    assert len(text) == len(before) + sum(len(f"\n## Output\n\n{word}\n") for word in found)
    settled(project)


def test_two_servers_add_thirty_specs_each(project: Project, run_server: Run) -> None:
    wires = [Wire(run_server(project.root)) for _ in range(2)]

    def add(number: int, wire: Wire) -> list[str]:
        sent = [wire.send("chant_add", description=f"Spec {number}.{turn}") for turn in range(30)]
        answers = [wire.answer(request) for request in sent]
        assert not any(is_error for is_error, _ in answers)
        return [text.splitlines()[0].removeprefix("Created spec: ") for _, text in answers]

    ids = [id for of_one in each(wires, add) for id in of_one]
    assert len(set(ids)) == 60
    assert {path.stem for path in project.specs.iterdir()} == set(ids)
    assert len({id.rsplit("-", 1)[0] for id in ids}) == 60, "sequence numbers recur"
    titles = {project.text(id).split("# ")[1].splitlines()[0] for id in ids}
    assert titles == {f"Spec {number}.{turn}" for number in range(2) for turn in range(30)}
    settled(project)


def test_two_servers_add_members_of_one_driver(project: Project, run_server: Run) -> None:
    project.spec(ID, type="driver")
    wires = [Wire(run_server(project.root)) for _ in range(2)]

    def add(number: int, wire: Wire) -> list[str]:
        sent = [wire.send("chant_add", description=f"Part {number}", parent=ID) for _ in range(15)]
        return [wire.answer(request)[1].splitlines()[0].split()[-1] for request in sent]

    ids = [id for of_one in each(wires, add) for id in of_one]
    assert sorted(ids) == sorted(f"{ID}.{number}" for number in range(1, 31))


def test_servers_that_change_different_things_leave_all_of_them(project: Project, run_server: Run) -> None:
    boxes = "".join(f"- [ ] item {number}\n" for number in range(30))
    project.write(ID, f"{HEAD}# Work\n\n## Acceptance Criteria\n\n{boxes}")
    edits: list[list[dict[str, Any]]] = [
        [{"check": [f"item {number}"]} for number in range(15)],
        [{"check": [f"item {number}"]} for number in range(15, 30)],
        [{"labels": [f"l{turn}"], "output": f"<out {turn}>"} for turn in range(15)],
        [{"target_files": [f"f{turn}"], "model": f"m{turn}"} for turn in range(15)],
    ]
    wires = [Wire(run_server(project.root)) for _ in edits]

    def change(number: int, wire: Wire) -> None:
        for arguments in edits[number]:
            wire.text("chant_spec_update", id=ID, **arguments)

    each(wires, change)
    chant = ChantProject(project.root)
    assert chant.verify(ID).data["criteria"] == {"total": 30, "checked": 30, "unchecked": 0}
    spec = chant.spec_get(ID).data
    assert (spec["labels"], spec["target_files"], spec["model"]) == (["l14"], ["f14"], "m14")
    assert re.findall(r"<out (\d+)>", spec["body"]) == [str(turn) for turn in range(15)]
    assert "# kept\n" in project.text(ID)
    assert "owner: &o {name: ada}\n" in project.text(ID)
    settled(project)


def test_servers_that_reach_one_file_by_different_roots_exclude_each_other(
    project: Project, run_server: Run
) -> None:
    """One root is a link to the other; a third project holds the file as a link into a project inside it."""
    project.write(ID, f"{HEAD}# Work\n")
    alias = project.root.parent / "alias"
    alias.symlink_to(project.root)
    outer = project.root.parent / ".chant" / "specs"
    outer.mkdir(parents=True)
    (outer / f"{OTHER}.md").symlink_to(Path("../../project/.chant/specs") / f"{ID}.md")
    places = [(project.root, ID), (alias, ID), (outer.parent.parent, OTHER)]
    wires = [Wire(run_server(root, "--project", str(root))) for root, _ in places]

    def append(number: int, wire: Wire) -> None:
        for turn in range(20):
            id = places[number][1]
            assert wire.text("chant_spec_update", id=id, output=f"<{number}:{turn}>").endswith(id)

    each(wires, append)
    found = re.findall(r"<\d:\d+>", project.text(ID))
    assert sorted(found) == sorted(f"<{number}:{turn}>" for number in range(3) for turn in range(20))
    assert (outer / f"{OTHER}.md").is_symlink()


EDITOR = """\
import os, re, sys, time
path, stop = sys.argv[1:]
turn = 0
def look():
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return text, int(re.search(r"<editor (\\d+)>", text)[1])
while not os.path.exists(stop):
    text, found = look()
    end = time.monotonic() + 2
    while found != turn and time.monotonic() < end:
        text, found = look()  # for a moment the two files have changed places, then back
    if found != turn:
        sys.exit(f"version {turn} was overwritten by one with version {found}")
    turn += 1
    with open(path + ".editor", "w", encoding="utf-8") as file:
        file.write(text.replace(f"<editor {found}>", f"<editor {turn}>"))
    os.replace(path + ".editor", path)
    if turn == 1:
        print("writing", flush=True)
    time.sleep(0.002)
print(turn)
"""


def test_an_editor_that_takes_no_lock_is_never_overwritten(project: Project, tmp_path: Path) -> None:
    """It reads, writes a new file and renames it; what it wrote must be there when it looks again."""
    path = project.write(ID, f"{HEAD}# Work <editor 0>\n")
    stop = tmp_path / "stop"
    command = [sys.executable, "-c", EDITOR, str(path), str(stop)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    with subprocess.Popen(command, **pipes) as editor:
        assert editor.stdout is not None
        assert editor.stdout.readline() == "writing\n"
        chant = ChantProject(project.root)
        try:
            for turn in range(200):
                chant.spec_update(ID, labels=[f"l{turn}"])
        finally:
            stop.touch()
        rest, errors = editor.communicate(timeout=60)
    assert editor.returncode == 0, errors
    assert f"<editor {rest.strip()}>" in project.text(ID)
    assert project.text(ID).startswith("---\n# kept\n")
    settled(project)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock of a document, as any writer does that plays by the rules."""
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def replace(path: Path, text: str) -> None:
    """Replace a file by a rename."""
    new = path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


class Waiting:
    """A call in a thread of its own that has started and waits for a lock."""

    def __init__(self, act: Callable[[], object]) -> None:
        """Begin, and see that it does not end while the lock is held."""
        self._error: ChantError | None = None
        self._act = act
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self._thread.join(0.15)
        assert self._thread.is_alive(), "it did not wait for the lock"

    def _run(self) -> None:
        try:
            self._act()
        except ChantError as error:
            self._error = error

    def end(self) -> str | None:
        """Wait for its end; give the words of its refusal."""
        self._thread.join(30)
        assert not self._thread.is_alive()
        return None if self._error is None else str(self._error)


BODY = "# Work\n\n## Acceptance Criteria\n\n- [{0}] one\n"
FRESH: dict[str, tuple[Callable[[ChantProject], object], tuple[str, str], tuple[str, str], str]] = {
    # what is called, the file when it is called, the file when it gets the lock, the refusal
    "update to completed, then cancelled": (
        lambda chant: chant.spec_update(ID, status="completed"),
        ("in_progress", "x"),
        ("cancelled", "x"),
        "Invalid transition from Cancelled to Completed",
    ),
    "update to completed, then a criterion opened": (
        lambda chant: chant.spec_update(ID, status="completed"),
        ("in_progress", "x"),
        ("in_progress", " "),
        "criteria must be checked",
    ),
    "finalize, then a criterion opened": (
        lambda chant: chant.finalize(ID),
        ("in_progress", "x"),
        ("in_progress", " "),
        "1 unchecked acceptance criteria",
    ),
    "finalize, then cancelled": (
        lambda chant: chant.finalize(ID),
        ("in_progress", "x"),
        ("cancelled", "x"),
        "Current status: Cancelled",
    ),
    "cancel, then completed": (
        lambda chant: chant.cancel(ID),
        ("in_progress", "x"),
        ("completed", "x"),
        "Invalid transition from Completed to Cancelled",
    ),
    "reset, then completed": (
        lambda chant: chant.reset(ID),
        ("failed", "x"),
        ("completed", "x"),
        "not in failed or in_progress state",
    ),
    "archive, then reopened": (
        lambda chant: chant.archive(ID),
        ("completed", "x"),
        ("in_progress", "x"),
        "must be completed to archive",
    ),
}


@pytest.mark.parametrize("name", FRESH)
def test_what_is_true_under_the_lock_decides(project: Project, name: str) -> None:
    act, (status, mark), (then_status, then_mark), words = FRESH[name]
    path = project.spec(ID, status=status, body=BODY.format(mark))
    project.spec(OTHER)
    chant = ChantProject(project.root)
    chant.spec_list()
    with held(path):
        call = Waiting(lambda: act(chant))
        other = project.spec(OTHER, status=then_status, body=BODY.format(then_mark)).read_text(
            encoding="utf-8"
        )
        replace(path, other)
    refusal = call.end()
    assert project.path(ID).exists(), "it was moved away"
    assert project.text(ID) == other
    assert refusal is not None
    assert words in refusal


def test_an_edit_is_made_on_what_others_wrote_while_it_waited(project: Project) -> None:
    path = project.spec(ID, status="in_progress", body=BODY.format(" "))
    chant = ChantProject(project.root)
    with held(path):
        call = Waiting(lambda: chant.spec_update(ID, check=["one"], output="from the tool"))
        replace(path, project.text(ID).replace("# Work", "# Renamed") + "\nadded by hand\n")
    assert call.end() is None
    body = ChantProject(project.root).spec_get(ID).data["body"]
    assert "# Renamed" in body
    assert "added by hand" in body
    assert "- [x] one" in body
    assert "from the tool" in body


@pytest.mark.parametrize("tool", ["finalize", "update"])
def test_two_last_members_that_end_at_once_complete_their_driver(project: Project, tool: str) -> None:
    """Each sees the other open when it begins; whichever is written last completes the driver."""
    project.spec(ID, type="driver", status="in_progress")
    first, second = f"{ID}.1", f"{ID}.2"
    project.spec(first, status="in_progress")
    project.spec(second, status="in_progress")

    def complete(id: str) -> None:
        chant = ChantProject(project.root)
        if tool == "finalize":
            chant.finalize(id)
        else:
            chant.spec_update(id, status="completed")

    with held(project.path(first)):
        call = Waiting(lambda: complete(first))
        complete(second)
        assert project.status(ID) == "in_progress"
    assert call.end() is None
    assert [project.status(id) for id in (first, second, ID)] == ["completed"] * 3


def test_a_driver_is_not_completed_when_a_member_was_reopened_meanwhile(project: Project) -> None:
    project.spec(ID, type="driver", status="in_progress")
    first, second = f"{ID}.1", f"{ID}.2"
    project.spec(first, status="in_progress")
    project.spec(second, status="completed")
    with held(project.path(first)):
        call = Waiting(lambda: ChantProject(project.root).finalize(first))
        ChantProject(project.root).spec_update(second, status="pending")
    call.end()
    assert project.status(ID) == "in_progress"


def test_two_updates_that_together_close_a_loop_do_not_both_succeed(project: Project) -> None:
    project.spec(ID)
    project.spec(OTHER)
    with held(project.path(ID)):
        call = Waiting(lambda: ChantProject(project.root).spec_update(ID, depends_on=[OTHER]))
        ChantProject(project.root).spec_update(OTHER, depends_on=[ID])
    refusal = call.end()
    assert refusal is not None
    assert "Circular dependency" in refusal
    assert "depends_on" not in project.text(ID)


def test_a_driver_does_not_leave_a_member_behind_that_was_reopened_meanwhile(project: Project) -> None:
    project.spec(ID, type="driver", status="completed")
    member = project.spec(f"{ID}.1", status="completed")
    with held(member):
        call = Waiting(lambda: ChantProject(project.root).archive(ID))
        replace(member, project.text(f"{ID}.1").replace("completed", "in_progress"))
    assert call.end() is not None
    assert project.path(ID).exists()
    assert project.status(f"{ID}.1") == "in_progress"


HOLDER = """\
import fcntl, sys
file = open(sys.argv[1], "rb")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def test_a_lock_is_free_when_its_holder_is_killed(project: Project, run_server: Run) -> None:
    path = project.spec(ID)
    wire = Wire(run_server(project.root))
    wire.text("chant_spec_list")
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        sent = wire.send("chant_spec_update", id=ID, status="in_progress")
        assert wire.text("chant_status", brief=True) == "1 pending", "readers do not wait"
        holder.kill()
        assert wire.answer(sent) == (False, f"Updated spec: {ID}")
    assert project.status(ID) == "in_progress"


@pytest.mark.parametrize("answers", [1, 7, 23])
def test_a_server_that_is_killed_leaves_whole_files(project: Project, run_server: Run, answers: int) -> None:
    """What it had answered is there, what it was doing is there or not, nothing is half."""
    before = project.write(ID, f"{HEAD}# Work\n").read_text(encoding="utf-8")
    killed, other = Wire(run_server(project.root)), Wire(run_server(project.root))
    other.text("chant_spec_list")
    text = "x" * 2000
    sent = [killed.send("chant_spec_update", id=ID, output=f"<{turn}>{text}</{turn}>") for turn in range(60)]
    for request in sent[:answers]:
        assert killed.answer(request) == (False, f"Updated spec: {ID}")
    killed.process.kill()
    killed.process.wait()
    assert other.text("chant_spec_update", id=ID, output="after") == f"Updated spec: {ID}"
    after = project.text(ID)
    assert after.startswith(before)
    sections = after.removeprefix(before).split("\n## Output\n\n")[1:]
    turns = {int(section[1 : section.index(">")]) for section in sections[:-1]}
    assert sections[-1] == "after\n"
    assert all(re.fullmatch(rf"<(\d+)>{text}</\1>\n", section) for section in sections[:-1])
    assert len(turns) == len(sections) - 1
    assert len(turns) >= answers
    listed = ChantProject(project.root).spec_list().data
    assert listed["total"] == 1
    assert not listed.get("problems")


def test_a_server_started_in_a_sub_folder_writes_to_the_same_places(
    project: Project, run_server: Run
) -> None:
    trees = []
    for place in ("", "src/deep/er"):
        root = project.root.parent / f"of-{len(trees)}"
        (root / ".chant" / "specs").mkdir(parents=True)
        (root / "src" / "deep" / "er").mkdir(parents=True)
        there = type(project)(root)
        there.config("defaults:\n  model: gpt-5\n  main_branch: trunk\n")
        there.spec(ID, status="in_progress")
        there.spec(OTHER, status="failed")
        there.spec("2026-01-22-003-drv", type="driver", status="completed")
        there.spec("2026-01-22-003-drv.1", status="completed")
        there.git("init", "-q", "-b", "trunk")
        commit(root, f"chant({ID}): work")
        wire = Wire(run_server(root / place))
        wire.text("chant_spec_update", id=ID, output="x", labels=["a"])
        wire.text("chant_finalize", id=ID)
        wire.text("chant_archive", id=ID)
        wire.text("chant_archive", id="drv")
        wire.text("chant_reset", id=OTHER)
        wire.text("chant_cancel", id=OTHER)
        new = wire.text("chant_add", description="New one").split()[2]
        stamp = re.compile(rb"\d{4}-\d\d-\d\dT[\d:]+Z|- [0-9a-f]{7}\n")
        trees.append({name.replace(new, "new"): stamp.sub(b"", data) for name, data in tree(root).items()})
    assert trees[0] == trees[1]
    assert f".chant/archive/2026-01-22/{ID}.md" in trees[0]
    assert b"model: gpt-5" in trees[0][f".chant/archive/2026-01-22/{ID}.md"]


def test_hidden_files_of_others_in_the_folder_are_left_alone(project: Project) -> None:
    """Only what we made is tidied up, however old it is (decisions 4)."""
    project.spec(ID)
    names = (
        ".chant-notes.tmp",
        ".chant-1-2.tmp.md",
        ".swp",
        ".x.md",
        ".chant-.tmp",
        "notes.tmp",
        ".chant-a-b.tmp",
    )

    for name in names:
        path = project.specs / name
        path.write_text("mine\n", encoding="utf-8")
        os.utime(path, (1, 1))
    chant = ChantProject(project.root)
    chant.spec_list()
    chant.spec_update(ID, output="x")
    ChantProject(project.root).add("Another")
    assert set(names) <= {path.name for path in project.specs.iterdir()}


def test_a_reader_never_sees_a_part_of_a_file(project: Project) -> None:
    """While updates run, every reading of the path gives a whole text."""
    filler = "y" * 300_000
    path = project.write(ID, f"{HEAD}# Work\n\n{filler}\nend\n")
    chant = ChantProject(project.root)
    done = threading.Event()

    def update() -> None:
        for turn in range(60):
            chant.spec_update(ID, status=("failed", "in_progress")[turn % 2], force=True)
        done.set()

    thread = threading.Thread(target=update)
    thread.start()
    seen = set()
    while not done.is_set():
        text = path.read_text(encoding="utf-8")
        assert text.startswith("---\n# kept\n")
        assert text.endswith(f"{filler}\nend\n")
        seen.add(path.stat().st_ino)
    thread.join()
    assert len(seen) > 1, "the file is replaced, not written over"


def test_an_update_that_changes_nothing_writes_nothing(project: Project) -> None:
    path = project.spec(ID, status="in_progress", labels=["a"])
    before = path.stat()
    data = path.read_bytes()
    ChantProject(project.root).spec_update(ID, status="in_progress", labels=["a"])
    assert changed(data, path.read_bytes()) == []
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
