"""Full disks, missing rights, crashes: a clear error, nothing lost, all or nothing (issue: Bad input)."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
from state_folder import state_folder
from writing import ID, OTHER, Wire, changed, commit, git, leftovers, run_python, tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness import Project

    Run = Callable[..., subprocess.Popen[bytes]]

LIMIT = 64 * 1024


def limited() -> None:
    """Let every write beyond a size fail, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))


def test_a_server_that_cannot_write_so_much_says_so_and_goes_on(project: Project, run_server: Run) -> None:
    project.spec(ID, status="in_progress")
    wire = Wire(run_server(project.root, preexec_fn=limited))
    before = tree(project.root)
    text = "x" * LIMIT
    for tool, arguments in [
        ("chant_spec_update", {"id": ID, "output": text}),
        ("chant_spec_update", {"id": ID, "output": text, "replace_body": True, "status": "completed"}),
        ("chant_spec_update", {"id": ID, "labels": [text]}),
    ]:
        error = wire.error(tool, **arguments)
        assert error.startswith("Failed to update spec: ")
        assert f"{ID}.md" in error
        assert os.strerror(errno.EFBIG).lower() in error.lower()
    error = wire.error("chant_add", description=f"Title\n\n{text}")
    assert error.startswith("Failed to create spec: ")
    assert tree(project.root) == before
    assert wire.text("chant_spec_update", id=ID, output="short") == f"Updated spec: {ID}"
    assert wire.text("chant_add", description="Short").startswith("Created spec: ")


def test_a_change_of_two_files_is_whole_when_one_is_too_large(project: Project, run_server: Run) -> None:
    """Finalizing the last member writes it and its driver; only the driver is beyond the limit."""
    project.spec(ID, type="driver", status="in_progress", body="# Driver\n\n" + "x" * LIMIT)
    project.spec(f"{ID}.1", status="in_progress")
    wire = Wire(run_server(project.root, preexec_fn=limited))
    before = tree(project.specs)
    error = wire.error("chant_finalize", id=f"{ID}.1")
    assert error.startswith("Failed to finalize spec: ")
    assert tree(project.specs) == before
    assert leftovers(project.root) == []
    assert ChantProject(project.root).finalize(f"{ID}.1").text.endswith(f"Completed driver: {ID}")


FULL = """\
import json, os, subprocess, sys
from pathlib import Path
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
folder, options = Path(sys.argv[1]), sys.argv[2]
subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=True)
specs = folder / ".chant" / "specs"
specs.mkdir(parents=True)
ID = "2026-01-22-001-x7m"
body = "---\\nstatus: in_progress\\n---\\n\\n# Work\\n\\n" + "x" * 3000 + "\\n"
for name in (ID, ID + ".1"):
    (specs / f"{name}.md").write_text(body, encoding="utf-8")
for name in ("2026-01-22-002-drv", "2026-01-22-002-drv.1", "2026-01-22-002-drv.2"):
    (specs / f"{name}.md").write_text(body.replace("in_progress", "completed"), encoding="utf-8")
chant = ChantProject(folder)
chant.spec_list()
def tree():
    return {str(p.relative_to(folder)): p.read_bytes() for p in specs.rglob("*") if p.is_file()}
def archived():
    return [str(p) for p in (folder / ".chant").glob("archive/*/*")]
before = tree()
fill = []
number = 0
while True:
    path = folder / f"fill-{number}"
    try:
        with path.open("wb") as file:
            fill.append(path)
            number += 1
            while True:
                file.write(b"x" * 4096)
                file.flush()
                if "nr_inodes" in options:
                    break
    except OSError:
        break
errors = {}
def attempt(name, act):
    try:
        act()
        errors[name] = None
    except ChantError as error:
        errors[name] = str(error)
attempt("update", lambda: chant.spec_update(ID, output="y" * 5000))
attempt("add", lambda: chant.add("New one"))
attempt("cancel", lambda: chant.cancel(ID))
attempt("finalize", lambda: chant.finalize(ID + ".1"))
kept = tree() == before
attempt("archive driver", lambda: chant.archive("2026-01-22-002-drv"))
kept = kept and len(archived()) in (0, 3) and len(tree()) + len(archived()) == len(before)
attempt("archive", lambda: chant.archive("2026-01-22-002-drv.1"))
tmp = [p.name for p in folder.rglob("*.tmp")]
read = chant.spec_get(ID).data["status"]
for path in fill:
    path.unlink(missing_ok=True)
later = {}
for name, act in (
    ("update", lambda: chant.spec_update(ID, output="y" * 5000)),
    ("finalize", lambda: chant.finalize(ID + ".1")),
    ("archive", lambda: None if len(archived()) == 3 else chant.archive("2026-01-22-002-drv")),
):
    answer = act()
    later[name] = answer and answer.text.splitlines()[0]
print(json.dumps({"errors": errors, "kept": kept, "tmp": tmp, "read": read, "later": later,
                  "archived": len(archived())}))
"""


@pytest.mark.parametrize("options", ["size=256k", "nr_inodes=24"], ids=["no space", "no inodes"])
def test_on_a_full_disk_nothing_is_lost(tmp_path: Path, options: str) -> None:
    """A file system of its own, full to the last byte or inode, mounted for one process only."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not here: a full file system cannot be made")
    enter = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    probe = [*enter, "mount", "-t", "tmpfs", "-o", options, "tmpfs", str(tmp_path)]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not allowed here: a full file system cannot be made")
    command = [*enter, sys.executable, "-c", FULL, str(tmp_path), options]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["kept"], "specs are as they were"
    assert told["tmp"] == []
    assert told["read"] == "in_progress"
    no_space = os.strerror(errno.ENOSPC).lower()
    for name, words in told["errors"].items():
        if words is None:
            assert name.startswith("archive"), "only a rename needs no room"
        elif "not found" not in words:
            assert no_space in words.lower()
    assert told["errors"]["update"].startswith("Failed to update spec: ")
    assert told["errors"]["add"].startswith("Failed to create spec: ")
    assert told["errors"]["finalize"].startswith("Failed to finalize spec: ")
    assert told["later"]["update"] == f"Updated spec: {ID}"
    assert told["archived"] == 3


def without_privilege() -> None:
    """Drop what lets root write where rights forbid it; nothing to do for other users."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (1, 2, 3):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def is_bound_by_rights(tmp_path: Path) -> bool:
    """Return whether a child without privilege cannot write into a read-only folder."""
    folder = tmp_path / "probe"
    folder.mkdir()
    folder.chmod(0o555)
    script = "import sys; open(sys.argv[1] + '/x', 'w')"
    done = run_python(script, folder, preexec_fn=without_privilege)
    return done.returncode != 0


@pytest.mark.parametrize("what", ["specs", "archive", "everything"])
def test_in_a_read_only_folder_nothing_changes_and_readers_work(
    project: Project, run_server: Run, tmp_path: Path, what: str
) -> None:
    if not is_bound_by_rights(tmp_path):
        pytest.skip("this process writes into read-only folders (root whose rights cannot be dropped)")
    project.spec(ID, status="in_progress")
    project.spec(OTHER, status="completed")
    (project.root / ".chant" / "archive").mkdir()
    folders = {"specs": [project.specs], "archive": [project.root / ".chant" / "archive"]}
    chosen = folders.get(
        what, [project.specs, project.root / ".chant" / "archive", project.specs.parent, project.root]
    )
    for folder in chosen:
        folder.chmod(0o555)
    before = tree(project.root)
    wire = Wire(run_server(project.root, preexec_fn=without_privilege))
    try:
        denied = os.strerror(errno.EACCES).lower()
        archived = wire.error("chant_archive", id=OTHER)
        assert denied in archived.lower()
        if what != "archive":
            for tool, arguments, prefix in [
                ("chant_spec_update", {"id": ID, "output": "x"}, "Failed to update spec: "),
                ("chant_spec_update", {"id": ID, "status": "completed"}, "Failed to update spec: "),
                ("chant_add", {"description": "New one"}, "Failed to create spec: "),
                ("chant_finalize", {"id": ID}, "Failed to finalize spec: "),
                ("chant_cancel", {"id": ID}, ""),
                ("chant_reset", {"id": ID}, "Failed to reset spec: "),
            ]:
                error = wire.error(tool, **arguments)
                assert error.startswith(prefix)
                assert denied in error.lower()
        assert tree(project.root) == before
        assert json.loads(wire.text("chant_spec_get", id=ID))["status"] == "in_progress"
        assert json.loads(wire.text("chant_spec_list"))["total"] == 2
    finally:
        for folder in chosen:
            folder.chmod(0o755)


@pytest.mark.parametrize("act", ["update", "finalize", "cancel", "reset"])
def test_a_read_only_file_is_told_and_stays(project: Project, act: str) -> None:
    """Also for root: who takes the write right away means it."""
    path = project.spec(ID, status="in_progress")
    before = path.read_bytes()
    path.chmod(0o444)
    chant = ChantProject(project.root)
    acts = {"update": lambda: chant.spec_update(ID, output="x"), "finalize": lambda: chant.finalize(ID)}
    acts |= {"cancel": lambda: chant.cancel(ID), "reset": lambda: chant.reset(ID)}
    with pytest.raises(ChantError) as error:
        acts[act]()
    assert "read-only" in str(error.value)
    assert f"{ID}.md" in str(error.value)
    assert path.read_bytes() == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    assert leftovers(project.root) == []


def test_a_spec_that_may_not_be_read_is_not_edited(project: Project, run_server: Run, tmp_path: Path) -> None:
    if not is_bound_by_rights(tmp_path):
        pytest.skip("this process reads what rights forbid (root whose rights cannot be dropped)")
    path = project.spec(ID)
    project.spec(OTHER)
    path.chmod(0)
    wire = Wire(run_server(project.root, preexec_fn=without_privilege))
    for tool in ("chant_spec_update", "chant_cancel"):
        arguments = {"output": "x"} if tool == "chant_spec_update" else {}
        assert ID in wire.error(tool, id=ID, **arguments)
    listed = json.loads(wire.text("chant_spec_list"))
    assert [spec["id"] for spec in listed["specs"]] == [OTHER]
    assert ID in str(listed["problems"])
    assert (
        wire.text("chant_spec_update", id=ID[:14].replace("001", "002"), output="x")
        == f"Updated spec: {OTHER}"
    )
    path.chmod(0o644)
    assert wire.text("chant_spec_update", id=ID, output="x") == f"Updated spec: {ID}"


# Crashes at named moments of a change of several files.

MOMENTS = ("journal-staged", "journal-intent", "journal-step", "journal-done")

CRASH = """\
import resource, sys
from chant_mcp import ChantProject
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
root, moment, tool, id = sys.argv[1:]
getattr(ChantProject(root, stop_at=moment), tool)(id)
"""

CHANGES: dict[str, tuple[str, str]] = {
    "finalize the last member": ("finalize", f"{ID}.2"),
    "archive a driver": ("archive", OTHER),
}


def prepared(project: Project, git_: bool) -> None:
    project.spec(ID, type="driver", status="in_progress", owner="ada")
    project.spec(f"{ID}.1", status="completed")
    project.spec(f"{ID}.2", status="in_progress")
    project.spec(OTHER, type="driver", status="completed")
    for number in range(1, 4):
        project.spec(f"{OTHER}.{number}", status="completed")
    if git_:
        project.repository()


def specs_of(project: Project) -> dict[str, bytes]:
    """Read active and archived specs, what the clock wrote left out."""
    files = tree(project.root / ".chant")
    return {name: re.sub(rb"\d{4}-\d\d-\d\dT[\d:]+Z", b"", data) for name, data in files.items()}


def crashed(project: Project, moment: str, change: str) -> None:
    tool, id = CHANGES[change]
    done = run_python(CRASH, project.root, moment, tool, id)
    assert done.returncode == -signal.SIGABRT, done.stderr


@pytest.mark.parametrize("git_", [True, False], ids=["git", "no git"])
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("change", CHANGES)
def test_a_crash_leaves_all_of_a_change_or_nothing(
    project: Project, change: str, moment: str, git_: bool
) -> None:
    prepared(project, git_)
    before = specs_of(project)
    crashed(project, moment, change)
    chant = ChantProject(project.root)
    listed = chant.spec_list().data
    assert not listed.get("problems")
    after = specs_of(project)
    tool, id = CHANGES[change]
    if after == before:
        assert moment != "journal-done", "what was made final stays"
        getattr(chant, tool)(id)
        after = specs_of(project)
    if tool == "finalize":
        assert project.status(ID) == "completed"
        assert project.status(f"{ID}.2") == "completed"
        assert {name for name in before if before[name] != after.get(name)} == {
            f"specs/{ID}.md",
            f"specs/{ID}.2.md",
        }
    else:
        moved = [OTHER, *(f"{OTHER}.{number}" for number in range(1, 4))]
        for name in moved:
            assert after[f"archive/2026-01-22/{name}.md"] == before[f"specs/{name}.md"]
            assert f"specs/{name}.md" not in after
    assert leftovers(project.root / ".chant") == []
    if git_:
        lines = project.git("status", "--porcelain", "-uall").splitlines()
        assert all(".chant/specs/" in line or ".chant/archive/" in line for line in lines)
        assert git(project.root, "fsck") == ""
    else:
        assert not (project.root / ".chant-mcp").exists()
    assert specs_of(project) == after


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_server_finds_a_crashed_change_finished_when_it_opens(
    project: Project, run_server: Run, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The crash is that of a real server, whose environment says where to die."""
    prepared(project, git_=True)
    before = specs_of(project)
    monkeypatch.setenv("CHANT_STOP_AT", moment)
    dying = Wire(run_server(project.root))
    monkeypatch.delenv("CHANT_STOP_AT")
    with pytest.raises(AssertionError, match="ended without an answer"):
        dying.call("chant_finalize", id=f"{ID}.2")
    assert dying.process.wait(30) != 0
    wire = Wire(run_server(project.root))
    statuses = {json.loads(wire.text("chant_spec_get", id=id))["status"] for id in (ID, f"{ID}.2")}
    if moment != "journal-done":
        assert specs_of(project) == before
        wire.text("chant_finalize", id=f"{ID}.2")
    else:
        assert statuses == {"completed"}
    assert project.status(ID) == "completed"


@pytest.mark.parametrize("moment", ["journal-intent", "journal-step"])
@pytest.mark.parametrize("edited", [ID, f"{ID}.2"], ids=["driver", "member"])
@pytest.mark.parametrize("how", ["changed", "removed"])
def test_an_edit_after_the_crash_is_not_undone_by_recovery(
    project: Project, moment: str, edited: str, how: str
) -> None:
    prepared(project, git_=False)
    crashed(project, moment, "finalize the last member")
    path = project.path(edited)
    if how == "changed":
        path.write_text(path.read_text(encoding="utf-8") + "\nadded by hand\n", encoding="utf-8")
    else:
        path.unlink()
    left = path.read_bytes() if path.exists() else None
    chant = ChantProject(project.root)
    listed = chant.spec_list().data
    assert edited in str(listed["problems"]), "the interrupted change is told"
    assert (path.read_bytes() if path.exists() else None) == left
    assert ChantProject(project.root).spec_list().data["total"] >= 6
    if how == "changed":
        chant.spec_update(edited, output="goes on")
        assert "goes on" in path.read_text(encoding="utf-8")


def test_two_crashes_are_both_taken_back(project: Project) -> None:
    prepared(project, git_=True)
    crashed(project, "journal-intent", "finalize the last member")
    crashed_again = run_python(CRASH, project.root, "journal-intent", "archive", OTHER)
    assert crashed_again.returncode == -signal.SIGABRT, crashed_again.stderr
    ChantProject(project.root)
    assert project.status(ID) == "in_progress"
    assert project.path(OTHER).exists()


@pytest.mark.parametrize(
    "damage",
    ["intent is not json", "intent is empty", "intent is of a later release", "a staged text is gone"],
)
def test_a_damaged_journal_does_not_close_the_project(project: Project, damage: str) -> None:
    prepared(project, git_=False)
    # Opening the project would finish what is left.
    journal = state_folder(project.root) / "journal"
    crashed(project, "journal-intent", "finalize the last member")
    (folder,) = journal.iterdir()
    intent = folder / "intent.json"
    if damage == "intent is not json":
        intent.write_text("{", encoding="utf-8")
    elif damage == "intent is empty":
        intent.write_bytes(b"")
    elif damage == "intent is of a later release":
        intent.write_text(json.dumps({"schema": 99, "steps": "?"}), encoding="utf-8")
    else:
        beside = project.specs.glob(".chant-*-1.tmp")
        next(path for path in (folder / "1.text", *beside) if path.exists()).unlink()
    before = specs_of(project)
    chant = ChantProject(project.root)
    assert chant.spec_list().data["total"] == 7
    chant.spec_update(f"{ID}.1", labels=["x"])
    after = specs_of(project)
    after.pop(f"specs/{ID}.1.md")
    before.pop(f"specs/{ID}.1.md")
    changed_ = {name for name in before if name.endswith(".md") and before[name] != after.get(name)}
    assert changed_ in (set(), {f"specs/{ID}.md", f"specs/{ID}.2.md"}), "all or nothing"


def test_the_state_of_a_change_is_never_seen_by_git(project: Project) -> None:
    prepared(project, git_=True)
    (project.root / "sub").mkdir()
    commit(project.root, "One more")
    other = project.root.parent / "worktree"
    project.git("worktree", "add", "-q", str(other))
    ChantProject(other).finalize(f"{ID}.2")
    ChantProject(project.root).finalize(f"{ID}.2")
    for root in (project.root, other):
        names = set(git(root, "status", "--porcelain", "-uall").split()[1::2])
        assert names == {f".chant/specs/{ID}.md", f".chant/specs/{ID}.2.md"}
    assert not (project.root / ".chant-mcp").exists()
    assert (project.root / ".git" / "chant-mcp").is_dir()


def test_what_a_crash_left_is_no_spec_and_is_tidied_up_later(project: Project) -> None:
    project.spec(ID)
    old = project.specs / ".chant-4000000-7.tmp"
    new = project.specs / ".chant-4000000-8.tmp"
    for path in (old, new):
        path.write_text("---\nstatus: [half", encoding="utf-8")
    os.utime(old, (1, 1))
    chant = ChantProject(project.root)
    listed = chant.spec_list().data
    assert listed["total"] == 1
    assert not listed.get("problems")
    before = project.path(ID).read_bytes()
    chant.spec_update(ID, status="in_progress")
    assert changed(before, project.path(ID).read_bytes()) == ["-status: pending", "+status: in_progress"]
    assert not old.exists()
    assert new.exists(), "another process may be about to rename it"


def test_the_moments_are_the_ones_there_are(project: Project) -> None:
    """A name that is never reached would prove nothing."""
    prepared(project, git_=False)
    done = run_python(CRASH, project.root, "no-such-moment", "finalize", f"{ID}.2")
    assert done.returncode == 0, done.stderr
    assert project.status(ID) == "completed"
