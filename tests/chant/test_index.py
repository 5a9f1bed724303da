"""Freshness: whatever another process did to the files before a call, the call sees it."""

from __future__ import annotations

import contextlib
import mmap
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chant.reading import LAW, Reader, drive, ids, listed
from chant_mcp import ChantProject
from harness import Caller, Project
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Generator

pytestmark = pytest.mark.anyio


def elsewhere(code: str, *arguments: object) -> None:
    """Run Python in another process."""
    words = [sys.executable, "-c", code, *map(str, arguments)]
    subprocess.run(words, check=True, capture_output=True)


# Edits by others


async def test_an_edit_by_another_process_is_seen(reader: Reader) -> None:
    path = reader.project.spec("one", body="# before")
    assert await reader.titles() == {"one": "before"}
    elsewhere("import sys; open(sys.argv[1], 'w').write('# other process')", path)
    assert await reader.titles() == {"one": "other process"}
    elsewhere("import sys; open(sys.argv[1], 'a').write('\\n\\nmore')", path)
    assert await reader.titles() == {"one": "other process"}
    replace = "import sys, os; open(sys.argv[1], 'w').write('# two'); os.rename(*sys.argv[1:])"
    elsewhere(replace, reader.project.root / "beside", path)
    assert await reader.titles() == {"one": "two"}


@pytest.mark.parametrize("program", ["sed -i s/before/after/", "perl -pi -e s/before/after/"])
async def test_an_edit_in_place_by_a_program_is_seen(reader: Reader, program: str) -> None:
    path = reader.project.spec("one", body="# before")
    assert await reader.titles() == {"one": "before"}
    subprocess.run([*program.split(), str(path)], check=True)

    assert await reader.titles() == {"one": "after"}


async def test_edits_of_the_same_length_in_quick_succession_are_seen(reader: Reader) -> None:
    path = reader.project.write("one", "# 0000\n")
    for n in range(200):
        path.write_text(f"# {n:04}\n", encoding="utf-8")
        assert await reader.titles() == {"one": f"{n:04}"}


async def test_edits_that_put_the_old_time_back_are_seen(reader: Reader) -> None:
    path = reader.project.write("one", "# 0000\n")
    for n in range(200):
        path.write_text(f"# {n:04}\n", encoding="utf-8")
        os.utime(path, ns=(10**18, 10**18))
        assert await reader.titles() == {"one": f"{n:04}"}


async def test_a_file_replaced_by_one_of_the_same_time_and_size_is_read_again(reader: Reader) -> None:
    path = reader.project.write("one", "# 0000\n")
    os.utime(path, ns=(10**18, 10**18))
    assert await reader.titles() == {"one": "0000"}
    for n in range(1, 50):
        other = path.with_name("other.tmp")
        other.write_text(f"# {n:04}\n", encoding="utf-8")
        os.utime(other, ns=(10**18, 10**18))
        other.replace(path)
        assert await reader.titles() == {"one": f"{n:04}"}


async def test_a_file_written_through_a_descriptor_that_was_open_all_along_is_seen(reader: Reader) -> None:
    path = reader.project.write("one", "# 0000\n")
    with path.open("r+b", buffering=0) as file:
        for n in range(1, 20):
            assert await reader.titles() == {"one": f"{n - 1:04}"}
            file.seek(2)
            file.write(f"{n:04}".encode())
    assert await reader.titles() == {"one": "0019"}


async def test_a_write_through_a_memory_map_is_seen_when_it_is_closed(reader: Reader) -> None:
    path = reader.project.write("one", "# 0000\n")
    assert await reader.titles() == {"one": "0000"}
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[2:6] = b"0001"
        memory.flush()

    assert await reader.titles() == {"one": "0001"}


async def test_a_write_through_another_name_of_the_file_is_seen(reader: Reader) -> None:
    path = reader.project.write("one", "# 0000\n")
    other = reader.project.root / "other-name"
    other.hardlink_to(path)
    for n in range(3):
        assert await reader.titles() == {"one": f"{n:04}"}
        other.write_text(f"# {n + 1:04}\n", encoding="utf-8")


async def test_a_second_name_given_later_is_known_once_the_file_itself_changes(reader: Reader) -> None:
    """The kernel announces neither the new name nor a write through it (README, "Limits")."""
    path = reader.project.write("one", "# 0000\n")
    assert await reader.titles() == {"one": "0000"}
    other = reader.project.root / "other-name"
    other.hardlink_to(path)
    path.write_text("# 0001\n", encoding="utf-8")
    assert await reader.titles() == {"one": "0001"}
    other.write_text("# 0002\n", encoding="utf-8")

    assert await reader.titles() == {"one": "0002"}


def test_a_scan_sees_writes_through_a_second_name_given_later(project: Project) -> None:
    path = project.write("one", "# 0000\n")
    handle = ChantProject(project.root, events=False)
    assert handle.spec_get("one").data["title"] == "0000"
    other = project.root / "other-name"
    other.hardlink_to(path)
    other.write_text("# 0001\n", encoding="utf-8")

    assert handle.spec_get("one").data["title"] == "0001"


# Files that come and go


async def test_a_deleted_spec_is_gone(reader: Reader) -> None:
    for id in ("one", "two"):
        reader.project.spec(id, depends_on=["base"])
    base = reader.project.spec("base", status="completed")
    assert await reader.statuses() == {"base": "completed", "one": "pending", "two": "pending"}
    base.unlink()
    assert await reader.statuses() == {"one": "blocked", "two": "blocked"}
    reader.project.path("one").unlink()
    assert await reader.statuses() == {"two": "blocked"}
    reader.project.spec("base", status="completed")
    assert await reader.statuses() == {"base": "completed", "two": "pending"}


async def test_a_spec_deleted_and_written_again_at_once_is_read(reader: Reader) -> None:
    path = reader.project.write("one", "# 0000\n")
    for n in range(100):
        path.unlink()
        reader.project.write("one", f"# {n:04}\n")
        assert await reader.titles() == {"one": f"{n:04}"}


async def test_a_renamed_spec_has_its_new_id_only(reader: Reader) -> None:
    path = reader.project.spec("old", body="# T")
    reader.project.spec("waits", depends_on=["new"], body="# W")
    assert await reader.titles() == {"old": "T", "waits": "W"}
    path.rename(path.with_name("new.md"))
    assert await reader.titles() == {"new": "T", "waits": "W"}
    path.with_name("new.md").rename(path.with_name("new.txt"))
    assert await reader.titles() == {"waits": "W"}
    path.with_name("new.txt").rename(path.with_name("new.md"))
    assert await reader.titles() == {"new": "T", "waits": "W"}


async def test_two_specs_that_change_places_are_told_apart(reader: Reader) -> None:
    one, two = reader.project.write("one", "# A\n"), reader.project.write("two", "# B\n")
    for path in (one, two):
        os.utime(path, ns=(10**18, 10**18))
    assert await reader.titles() == {"one": "A", "two": "B"}
    spare = one.with_name("spare")
    one.rename(spare)
    two.rename(one)
    spare.rename(two)

    assert await reader.titles() == {"one": "B", "two": "A"}


async def test_a_truncated_file_is_answered_as_it_is(reader: Reader) -> None:
    text = "---\nstatus: completed\n---\n# Title\n\ntext\n"
    path = reader.project.write("one", text)
    assert await reader.statuses() == {"one": "completed"}
    for length in range(len(text), -1, -1):
        os.truncate(path, length)
        data = await reader.list()
        shown = len(data["specs"]) + len(data.get("problems", []))
        assert shown == 1
        if length >= text.index("# Title"):
            assert data["specs"][0]["status"] == "completed"
    assert await reader.titles() == {}, "an empty file is a problem"
    path.write_text(text, encoding="utf-8")
    assert await reader.titles() == {"one": "Title"}


# Unreadable ones


@pytest.mark.parametrize("kind", ["folder", "dangling", "loop", "outside", "pipe", "not text", "huge"])
async def test_what_cannot_be_read_is_a_problem_and_then_a_spec_again(reader: Reader, kind: str) -> None:
    path = reader.project.write("one", "# One\n")
    reader.project.spec("two", body="# Two", depends_on=["one"])
    assert await reader.titles() == {"one": "One", "two": "Two"}
    path.unlink()
    make_unreadable(path, kind)

    for _ in range(2):
        assert await reader.titles() == {"two": "Two"}
        found = await reader.problems()
        assert list(found) == [".chant/specs/one.md"]
        assert "secret" not in found[".chant/specs/one.md"]
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink()
    assert await reader.problems() == {}
    path.write_text("# Again\n", encoding="utf-8")
    assert await reader.titles() == {"one": "Again", "two": "Two"}
    assert await reader.problems() == {}


def make_unreadable(path: Path, kind: str) -> None:
    if kind == "folder":
        path.mkdir()
    elif kind == "dangling":
        path.symlink_to("nowhere.md")
    elif kind == "loop":
        path.symlink_to(path.name)
    elif kind == "outside":
        outside = path.parents[3] / "outside.md"
        outside.write_text("# secret\n", encoding="utf-8")
        path.symlink_to(outside)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "huge":
        with path.open("wb") as file:
            file.truncate(100 * 1024 * 1024)
    else:
        path.write_bytes(b"\xff\xfe")


@pytest.fixture
def unprivileged() -> Generator[Project, None, None]:
    """A project whose reader has no rights beyond those of the files, even when root runs the tests."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    root = folder / "project"
    (root / ".chant" / "specs").mkdir(parents=True)
    is_root = os.geteuid() == 0
    if is_root:
        for path in (root, root / ".chant", root / ".chant" / "specs"):
            os.chown(path, 65534, 65534)
        os.seteuid(65534)
    try:
        yield Project(root)
    finally:
        if is_root:
            os.seteuid(0)
        shutil.rmtree(folder)


@pytest.mark.parametrize("events", [True, False])
def test_a_file_without_rights_is_a_problem_until_they_are_back(unprivileged: Project, events: bool) -> None:
    one = unprivileged.write("one", "# One\n")
    unprivileged.write("two", "# Two\n")
    handle = ChantProject(unprivileged.root, events=events)
    assert ids(handle.spec_list().data) == ["one", "two"]
    for _ in range(2):
        one.chmod(0)
        for _ in range(2):
            data = handle.spec_list().data
            assert ids(data) == ["two"]
            assert [problem["path"] for problem in data["problems"]] == [".chant/specs/one.md"]
        one.chmod(0o644)
        data = handle.spec_list().data
        assert (ids(data), data.get("problems", [])) == (["one", "two"], [])


@pytest.mark.parametrize("events", [True, False])
@pytest.mark.parametrize("mode", [0, stat.S_IRUSR, stat.S_IXUSR])
def test_a_folder_without_rights_hides_no_other(unprivileged: Project, events: bool, mode: int) -> None:
    unprivileged.write("one", "# One\n")
    unprivileged.write("area/two", "# Two\n")
    handle = ChantProject(unprivileged.root, events=events)
    assert ids(handle.spec_list().data) == ["one", "two"]
    area = unprivileged.specs / "area"
    area.chmod(mode)
    try:
        for _ in range(2):
            data = handle.spec_list().data
            assert "one" in ids(data)
            assert "two" in ids(data) or "area" in str(data["problems"])
    finally:
        area.chmod(0o755)
    data = handle.spec_list().data
    assert (ids(data), data.get("problems", [])) == (["one", "two"], [])


@pytest.mark.parametrize("name", [b"bad-\xff.md", b"b\xe9.md"])
async def test_a_file_whose_name_is_no_text_disturbs_nothing(reader: Reader, name: bytes) -> None:
    reader.project.spec("one", body="# One")
    assert await reader.titles() == {"one": "One"}
    path = reader.project.specs / os.fsdecode(name)
    path.write_bytes(b"# Odd\n")

    assert "one" in await reader.titles()
    assert len(await reader.problems()) == 1
    reader.project.spec("one", body="# Changed")
    assert await reader.titles() == {"one": "Changed"}
    assert len(await reader.problems()) == 1
    path.unlink()
    assert await reader.problems() == {}


@pytest.mark.parametrize("name", [".hidden.md", ".#one.md", "._one.md", ".one.md.swp", "one.md~", "#one.md#"])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_what_editors_leave_beside_a_spec_is_neither_spec_nor_problem(
    reader: Reader, name: str, when: str
) -> None:
    reader.project.spec("one", body="# One")
    if when == "after":
        assert await reader.titles() == {"one": "One"}
    if name == ".#one.md":
        (reader.project.specs / name).symlink_to("ada@host.123:456")
    else:
        (reader.project.specs / name).write_text("# Not\n", encoding="utf-8")

    assert await reader.titles() == {"one": "One"}
    assert await reader.problems() == {}


# Folders


async def test_folders_made_moved_and_removed_are_followed(reader: Reader) -> None:
    specs = reader.project.specs
    reader.project.spec("top", body="# Top")
    assert await reader.titles() == {"top": "Top"}
    reader.project.write("a/b/c/deep", "# Deep\n")
    assert await reader.titles() == {"deep": "Deep", "top": "Top"}
    reader.project.write("a/b/c/deep", "# Deepest\n")
    assert await reader.titles() == {"deep": "Deepest", "top": "Top"}
    (specs / "a").rename(specs / "z")
    assert await reader.titles() == {"deep": "Deepest", "top": "Top"}
    reader.project.write("z/b/c/deep", "# Moved\n")
    assert await reader.titles() == {"deep": "Moved", "top": "Top"}
    (specs / "z" / "b").rename(reader.project.root / "out")
    assert await reader.titles() == {"top": "Top"}
    (reader.project.root / "out" / "c" / "deep.md").write_text("# Back\n", encoding="utf-8")
    (reader.project.root / "out").rename(specs / "back")
    assert await reader.titles() == {"deep": "Back", "top": "Top"}
    shutil.rmtree(specs / "back")
    assert await reader.titles() == {"top": "Top"}


@pytest.mark.parametrize("above", ["specs", ".chant", "project"])
async def test_a_tree_put_in_the_place_of_another_is_read(reader: Reader, above: str) -> None:
    reader.project.spec("one", body="# Before")
    assert await reader.titles() == {"one": "Before"}
    specs = reader.project.specs
    place = {"specs": specs, ".chant": specs.parent, "project": reader.project.root}[above]
    aside = place.with_name(f"{place.name}-aside")
    for n in range(3):
        place.rename(aside)
        specs.mkdir(parents=True)
        (specs / "one.md").write_text(f"# After {n}\n", encoding="utf-8")
        assert await reader.titles() == {"one": f"After {n}"}
        (specs / "one.md").write_text(f"# Again {n}\n", encoding="utf-8")
        assert await reader.titles() == {"one": f"Again {n}"}
        shutil.rmtree(place)
        aside.rename(place)
        assert await reader.titles() == {"one": "Before"}


async def test_a_specs_folder_that_vanishes_and_comes_back(call: Caller) -> None:
    call.project.spec("one")
    assert list(await listed(call)) == ["one"]
    shutil.rmtree(call.project.specs)
    assert "`.chant/specs`, is gone: it was there a moment ago" in await call.error("chant_spec_list")
    call.project.specs.mkdir()
    assert await listed(call) == {}
    call.project.spec("two")
    assert list(await listed(call)) == ["two"]


# Any sequence of changes


@dataclass(frozen=True)
class Change:
    """What another program does to one file."""

    name: str
    what: str


_CHANGE = st.builds(
    Change,
    st.sampled_from(["a", "b", "area/c", "area/deep/d"]),
    st.sampled_from(
        ["write", "write", "append", "replace", "delete", "swap", "break", "folder", "link", "rmtree"]
    ),
)


def _apply(project: Project, change: Change, n: int) -> None:
    path = project.path(change.name)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        if change.what in ("write", "append"):
            with path.open("w" if change.what == "write" else "a", encoding="utf-8") as file:
                file.write(f"# {n:03}\n")
        elif change.what == "replace":
            other = path.with_name("tmp")
            other.write_text(f"# {n:03}\n", encoding="utf-8")
            other.replace(path)
        elif change.what == "delete":
            path.unlink()
        elif change.what == "swap":
            path.rename(project.path("b"))
        elif change.what == "break":
            path.write_bytes(b"\xff")
        elif change.what == "folder":
            (project.specs / "area").rename(project.specs / f"area-{n}")
        elif change.what == "link":
            path.symlink_to(project.path("a"))
        else:
            shutil.rmtree(project.specs / "area")


def test_a_handle_always_says_what_a_new_one_says(project: Project) -> None:
    server = project.server()
    scan = ChantProject(project.root, events=False)

    @LAW
    @given(changes=st.lists(st.lists(_CHANGE, max_size=3), max_size=8))
    def law(changes: list[list[Change]]) -> None:
        shutil.rmtree(project.specs)
        project.specs.mkdir()

        async def example(call: Caller) -> None:
            n = 0
            for step in changes:
                for change in step:
                    n += 1
                    _apply(project, change, n)
                new = ChantProject(project.root).spec_list(limit=1000).data
                assert await call.data("chant_spec_list", limit=1000) == new
                assert scan.spec_list(limit=1000).data == new

        drive(project, server, example)

    law()
