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
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chant.reading import LAW, archive, drive, ids, listed
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
from harness import Caller, Project
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client

if TYPE_CHECKING:
    from collections.abc import Generator

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Reader:
    """A project and a way to list its specs that lives through the whole test."""

    project: Project
    list: Callable[[], Awaitable[Any]]

    async def titles(self) -> dict[str, str | None]:
        """List the specs and give their titles."""
        return {spec["id"]: spec["title"] for spec in (await self.list())["specs"]}

    async def statuses(self) -> dict[str, str]:
        """List the specs and give their statuses."""
        return {spec["id"]: spec["status"] for spec in (await self.list())["specs"]}

    async def problems(self) -> dict[str, str]:
        """List the specs and give what is wrong with files, by path."""
        return {problem["path"]: problem["message"] for problem in (await self.list()).get("problems", [])}


@pytest.fixture(params=["client", "scan"])
async def reader(request: pytest.FixtureRequest, project: Project) -> AsyncIterator[Reader]:
    """A client of a server that hears of changes; and a handle that compares stamps only."""
    if request.param == "scan":
        handle = ChantProject(project.root, events=False)

        async def scan() -> Any:
            return handle.spec_list(limit=1000).data

        yield Reader(project, scan)
        return
    async with Client(project.server(), mode="2026-07-28") as client:
        call = Caller(client, project)

        async def ask() -> Any:
            return await call.data("chant_spec_list", limit=1000)

        yield Reader(project, ask)


def elsewhere(code: str, *arguments: object) -> None:
    """Run Python in another process."""
    words = [sys.executable, "-c", code, *map(str, arguments)]
    subprocess.run(words, check=True, capture_output=True)


# Edits by others


@pytest.mark.requirement(
    "store:index:write_before_the_call_is_seen", "store:index:untrusted_file_systems_are_scanned"
)
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


@pytest.mark.requirement("store:index:write_before_the_call_is_seen")
@pytest.mark.parametrize("program", ["sed -i s/before/after/", "perl -pi -e s/before/after/"])
async def test_an_edit_in_place_by_a_program_is_seen(reader: Reader, program: str) -> None:
    path = reader.project.spec("one", body="# before")
    assert await reader.titles() == {"one": "before"}
    subprocess.run([*program.split(), str(path)], check=True)

    assert await reader.titles() == {"one": "after"}


@pytest.mark.requirement("store:index:same_size_edit_at_once_is_seen")
async def test_edits_of_the_same_length_in_quick_succession_are_seen(reader: Reader) -> None:
    path = reader.project.write("one", "# 0000\n")
    for n in range(200):
        path.write_text(f"# {n:04}\n", encoding="utf-8")
        assert await reader.titles() == {"one": f"{n:04}"}


@pytest.mark.requirement("store:index:same_size_edit_at_once_is_seen")
async def test_edits_that_put_the_old_time_back_are_seen(reader: Reader) -> None:
    path = reader.project.write("one", "# 0000\n")
    for n in range(200):
        path.write_text(f"# {n:04}\n", encoding="utf-8")
        os.utime(path, ns=(10**18, 10**18))
        assert await reader.titles() == {"one": f"{n:04}"}


@pytest.mark.requirement("store:index:replaced_file_is_read_again")
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


@pytest.mark.requirement("store:index:write_before_the_call_is_seen")
async def test_a_file_written_through_a_descriptor_that_was_open_all_along_is_seen(reader: Reader) -> None:
    path = reader.project.write("one", "# 0000\n")
    with path.open("r+b", buffering=0) as file:
        for n in range(1, 20):
            assert await reader.titles() == {"one": f"{n - 1:04}"}
            file.seek(2)
            file.write(f"{n:04}".encode())
    assert await reader.titles() == {"one": "0019"}


@pytest.mark.requirement("store:index:write_before_the_call_is_seen")
async def test_a_write_through_a_memory_map_is_seen_when_it_is_closed(reader: Reader) -> None:
    path = reader.project.write("one", "# 0000\n")
    assert await reader.titles() == {"one": "0000"}
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[2:6] = b"0001"
        memory.flush()

    assert await reader.titles() == {"one": "0001"}


@pytest.mark.requirement("store:index:write_before_the_call_is_seen")
async def test_a_write_through_another_name_of_the_file_is_seen(reader: Reader) -> None:
    path = reader.project.write("one", "# 0000\n")
    other = reader.project.root / "other-name"
    other.hardlink_to(path)
    for n in range(3):
        assert await reader.titles() == {"one": f"{n:04}"}
        other.write_text(f"# {n + 1:04}\n", encoding="utf-8")


@pytest.mark.requirement("store:index:write_before_the_call_is_seen")
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


@pytest.mark.requirement("store:index:untrusted_file_systems_are_scanned")
def test_a_scan_sees_writes_through_a_second_name_given_later(project: Project) -> None:
    path = project.write("one", "# 0000\n")
    handle = ChantProject(project.root, events=False)
    assert handle.spec_get("one").data["title"] == "0000"
    other = project.root / "other-name"
    other.hardlink_to(path)
    other.write_text("# 0001\n", encoding="utf-8")

    assert handle.spec_get("one").data["title"] == "0001"


# Files that come and go


@pytest.mark.requirement("store:index:deleted_file_is_gone")
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


@pytest.mark.requirement("store:index:deleted_file_is_gone")
async def test_a_spec_deleted_and_written_again_at_once_is_read(reader: Reader) -> None:
    path = reader.project.write("one", "# 0000\n")
    for n in range(100):
        path.unlink()
        reader.project.write("one", f"# {n:04}\n")
        assert await reader.titles() == {"one": f"{n:04}"}


@pytest.mark.requirement("store:index:renamed_file_has_its_new_id")
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


@pytest.mark.requirement("store:index:renamed_file_has_its_new_id")
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


@pytest.mark.requirement("store:index:truncated_file_is_survived")
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
    assert await reader.titles() == {"one": None}
    path.write_text(text, encoding="utf-8")
    assert await reader.titles() == {"one": "Title"}


# Unreadable ones


@pytest.mark.requirement(
    "store:index:unreadable_file_becomes_a_problem",
    "store:bad_input:folder_named_like_a_spec",
    "store:bad_input:dangling_link",
)
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


@pytest.mark.requirement("store:index:unreadable_file_becomes_a_problem")
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


@pytest.mark.requirement("store:index:unreadable_file_becomes_a_problem")
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


@pytest.mark.requirement("store:index:unreadable_file_becomes_a_problem")
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


@pytest.mark.requirement("store:index:unreadable_file_becomes_a_problem")
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


@pytest.mark.requirement("store:index:write_before_the_call_is_seen", "chant:loading:sub_folders_are_read")
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


@pytest.mark.requirement("store:index:write_before_the_call_is_seen")
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


@pytest.mark.requirement("store:index:deleted_file_is_gone")
async def test_a_specs_folder_that_vanishes_and_comes_back(call: Caller) -> None:
    call.project.spec("one")
    assert list(await listed(call)) == ["one"]
    shutil.rmtree(call.project.specs)
    assert (await call.error("chant_spec_list")).startswith("Chant not initialized. Run `chant init` first.")
    call.project.specs.mkdir()
    assert await listed(call) == {}
    call.project.spec("two")
    assert list(await listed(call)) == ["two"]


# Links


@pytest.mark.requirement("store:index:write_before_the_call_is_seen")
async def test_a_link_to_a_file_of_the_project_is_followed(reader: Reader) -> None:
    notes = reader.project.root / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# 0000\n", encoding="utf-8")
    reader.project.path("one").symlink_to("../../notes/a.md")
    for n in range(1, 30):
        assert await reader.titles() == {"one": f"{n - 1:04}"}
        (notes / "a.md").write_text(f"# {n:04}\n", encoding="utf-8")
    (notes / "b.md").write_text("# 9999\n", encoding="utf-8")
    reader.project.path("one").unlink()
    reader.project.path("one").symlink_to("../../notes/b.md")
    assert await reader.titles() == {"one": "9999"}
    (notes / "b.md").unlink()
    assert list(await reader.problems()) == [".chant/specs/one.md"]
    (notes / "b.md").write_text("# Back\n", encoding="utf-8")
    assert await reader.titles() == {"one": "Back"}


@pytest.mark.requirement("store:index:write_before_the_call_is_seen")
async def test_a_link_to_a_folder_of_the_project_is_followed(reader: Reader) -> None:
    area = reader.project.root / "area"
    area.mkdir()
    (area / "one.md").write_text("# One\n", encoding="utf-8")
    (reader.project.specs / "linked").symlink_to("../../area")
    assert await reader.titles() == {"one": "One"}
    (area / "one.md").write_text("# Two\n", encoding="utf-8")
    assert await reader.titles() == {"one": "Two"}
    (area / "deeper").mkdir()
    (area / "deeper" / "two.md").write_text("# Deep\n", encoding="utf-8")
    assert await reader.titles() == {"one": "Two", "two": "Deep"}
    (reader.project.specs / "linked").unlink()
    assert await reader.titles() == {}


@pytest.mark.requirement("store:index:write_before_the_call_is_seen")
@pytest.mark.parametrize("how", ["parent replaced", "link in between switched"])
async def test_what_a_linked_folder_means_may_change_above_it(reader: Reader, how: str) -> None:
    root = reader.project.root
    for version in ("v1", "v2"):
        (root / version / "area").mkdir(parents=True)
        (root / version / "area" / "one.md").write_text(f"# {version}\n", encoding="utf-8")
    current = root / "current"
    if how == "parent replaced":
        (root / "v1").rename(current)
    else:
        current.symlink_to("v1")
    (reader.project.specs / "linked").symlink_to("../../current/area")
    assert await reader.titles() == {"one": "v1"}
    if how == "parent replaced":
        current.rename(root / "v1")
        (root / "v2").rename(current)
    else:
        current.unlink()
        current.symlink_to("v2")

    assert await reader.titles() == {"one": "v2"}


@pytest.mark.requirement("store:index:write_before_the_call_is_seen")
@pytest.mark.parametrize("how", ["parent replaced", "link in between switched", "led outside"])
async def test_the_specs_folder_itself_may_be_a_link(reader: Reader, how: str) -> None:
    root, specs = reader.project.root, reader.project.specs
    for version in ("v1", "v2"):
        (root / version / "specs").mkdir(parents=True)
        (root / version / "specs" / "one.md").write_text(f"# {version}\n", encoding="utf-8")
    current = root / "current"
    current.symlink_to("v1")
    specs.rmdir()
    specs.symlink_to("../current/specs")
    assert await reader.titles() == {"one": "v1"}
    if how == "parent replaced":
        (root / "v1").rename(root / "v0")
        (root / "v2").rename(root / "v1")
    elif how == "link in between switched":
        current.unlink()
        current.symlink_to("v2")
    else:
        (root / "v1").rename(root.parent / "outside")
        current.unlink()
        current.symlink_to(root.parent / "outside")
        with pytest.raises((AssertionError, ChantError), match="leads out of the project"):
            await reader.titles()
        current.unlink()
        current.symlink_to("v2")

    assert await reader.titles() == {"one": "v2"}


@pytest.mark.requirement(
    "store:index:write_before_the_call_is_seen", "store:index:unreadable_file_becomes_a_problem"
)
async def test_a_link_that_comes_to_lead_outside_hides_what_it_held(reader: Reader) -> None:
    root = reader.project.root
    for place in (root / "inside", root.parent / "outside"):
        place.mkdir()
        (place / "one.md").write_text(f"# {place.name}\n", encoding="utf-8")
    current = root / "current"
    current.symlink_to("inside")
    (reader.project.specs / "linked").symlink_to("../../current")
    for _ in range(2):
        assert await reader.titles() == {"one": "inside"}
        current.unlink()
        current.symlink_to("../outside")
        for _ in range(2):
            assert await reader.titles() == {}
            assert list(await reader.problems()) == [".chant/specs/linked"]
        current.unlink()
        current.symlink_to("inside")
    assert await reader.titles() == {"one": "inside"}
    assert await reader.problems() == {}


@pytest.mark.requirement("store:index:write_before_the_call_is_seen")
async def test_a_linked_folder_is_listed_once_and_loops_end(reader: Reader) -> None:
    reader.project.write("area/one", "# One\n")
    (reader.project.specs / "again").symlink_to("area")
    (reader.project.specs / "area" / "loop").symlink_to("..")
    (reader.project.specs / "self").symlink_to(".")

    assert await reader.titles() == {"one": "One"}


@pytest.mark.requirement("store:index:unreadable_file_becomes_a_problem")
async def test_a_link_to_a_folder_outside_is_not_followed(reader: Reader) -> None:
    outside = reader.project.root.parent / "outside"
    outside.mkdir()
    (outside / "one.md").write_text("# secret\n", encoding="utf-8")
    (reader.project.specs / "linked").symlink_to(outside)
    reader.project.spec("two", body="# Two")

    assert await reader.titles() == {"two": "Two"}
    assert "secret" not in str(await reader.list())


@pytest.mark.requirement("store:index:write_before_the_call_is_seen")
async def test_specs_that_stand_twice_are_told(reader: Reader) -> None:
    reader.project.write("one", "# A\n")
    reader.project.write("area/one", "# B\n")

    data = await reader.list()
    assert len(ids(data)) <= 1
    told = str(data["problems"])
    assert "specs/one.md" in told
    assert "area/one.md" in told
    (reader.project.specs / "one.md").unlink()
    assert await reader.titles() == {"one": "B"}
    assert await reader.problems() == {}


# The archive and other repositories


@pytest.mark.requirement("graph:blocked:archived_dependency_satisfies", "store:index:deleted_file_is_gone")
async def test_the_archive_is_as_fresh_as_the_specs(reader: Reader) -> None:
    reader.project.spec("one", depends_on=["old"])
    assert await reader.statuses() == {"one": "blocked"}
    path = archive(reader.project, "old")
    assert await reader.statuses() == {"one": "pending"}
    archive(reader.project, "old", status="'pending'")
    assert await reader.statuses() == {"one": "blocked"}
    archive(reader.project, "old")
    assert await reader.statuses() == {"one": "pending"}
    path.unlink()
    assert await reader.statuses() == {"one": "blocked"}


@pytest.mark.requirement("graph:blocked:archived_dependency_satisfies", "store:index:deleted_file_is_gone")
async def test_an_archive_that_vanishes_as_a_whole_is_gone(reader: Reader) -> None:
    reader.project.spec("one", depends_on=["old"])
    for _ in range(2):
        archive(reader.project, "old")
        assert await reader.statuses() == {"one": "pending"}
        shutil.rmtree(reader.project.root / ".chant" / "archive")
        assert await reader.statuses() == {"one": "blocked"}


@pytest.mark.requirement("graph:blocked:archived_dependency_satisfies", "store:index:deleted_file_is_gone")
@pytest.mark.parametrize("days", [("2026-01-21", "2026-01-22"), ("2026-01-22", "2026-01-21")])
async def test_one_of_two_archived_copies_may_go(reader: Reader, days: tuple[str, str]) -> None:
    reader.project.spec("one", depends_on=["old"])
    first, second = (archive(reader.project, "old", day=day) for day in days)
    for path in (first, second):
        os.utime(path, (10**9, 10**9))
    assert await reader.statuses() == {"one": "pending"}
    first.unlink()
    assert await reader.statuses() == {"one": "pending"}, "the other copy is still there"
    second.unlink()
    assert await reader.statuses() == {"one": "blocked"}


@pytest.mark.requirement("graph:blocked:archived_dependency_satisfies")
@pytest.mark.parametrize("broken", ["2026-01-21", "2026-01-22"])
async def test_a_broken_archived_copy_does_not_hide_the_other(reader: Reader, broken: str) -> None:
    reader.project.spec("one", depends_on=["old"])
    for day in ("2026-01-21", "2026-01-22"):
        archive(reader.project, "old", day=day, status="[" if day == broken else "completed")

    assert await reader.statuses() == {"one": "pending"}


@pytest.mark.requirement(
    "graph:blocked:archived_dependency_satisfies", "store:index:write_before_the_call_is_seen"
)
async def test_the_archive_may_be_a_link_that_is_switched(reader: Reader) -> None:
    reader.project.spec("one", depends_on=["old"])
    root = reader.project.root
    archive(reader.project, "old")
    (root / ".chant" / "archive").rename(root / "v1")
    (root / "v2").mkdir()
    (root / "current").symlink_to("v1")
    (root / ".chant" / "archive").symlink_to("../current")
    for _ in range(2):
        assert await reader.statuses() == {"one": "pending"}
        (root / "current").unlink()
        (root / "current").symlink_to("v2")
        assert await reader.statuses() == {"one": "blocked"}
        (root / "current").unlink()
        (root / "current").symlink_to("v1")


@pytest.mark.requirement(
    "graph:repos:completed_elsewhere_satisfies", "store:index:same_size_edit_at_once_is_seen"
)
async def test_another_repository_is_as_fresh_as_the_specs(reader: Reader) -> None:
    far = reader.project.root.parent / "other" / ".chant" / "specs" / "far.md"
    far.parent.mkdir(parents=True)
    reader.project.config("repos:\n- name: other\n  path: ../other\n")
    reader.project.spec("one", depends_on=['"other:far"'])
    for _ in range(100):
        for status, expected in [("completed", "pending"), ("'pending'", "blocked")]:
            far.write_text(f"---\nstatus: {status}\n---\n", encoding="utf-8")
            assert await reader.statuses() == {"one": expected}


@pytest.mark.requirement(
    "chant:config:lint_thresholds_are_honoured", "store:index:same_size_edit_at_once_is_seen"
)
@pytest.mark.parametrize("back", [True, False])
def test_the_configuration_is_as_fresh_as_the_specs(project: Project, back: bool) -> None:
    project.spec("one", target_files=["a", "b", "c"])
    handle = ChantProject(project.root)
    for n in range(200):
        project.config(f"lint:\n  thresholds:\n    complexity_files: {n % 2 + 2}\n")
        if back:
            os.utime(project.root / ".chant" / "config.md", ns=(10**18, 10**18))
        assert len(handle.lint("one").data["diagnostics"]) == (n + 1) % 2


# Cost and size


@pytest.mark.requirement("store:index:only_changed_files_are_read")
@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="counts what the kernel counted")
@pytest.mark.parametrize("events", [True, False])
def test_a_repeated_call_reads_only_what_changed(project: Project, events: bool) -> None:
    size, count = 20_000, 200
    for n in range(count):
        project.spec(f"s{n:03}", body=f"# T {n}\n\n" + "x" * size)
    os.utime(project.path("s000"), (10**9, 10**9))
    for path in project.specs.iterdir():
        os.utime(path, (10**9, 10**9))
    handle = ChantProject(project.root, events=events)

    def cost(work: Callable[[], object]) -> int:
        def counted() -> int:
            lines = Path("/proc/self/io").read_text(encoding="utf-8").splitlines()
            return int(next(line for line in lines if line.startswith("rchar:")).split()[1])

        before = counted()
        work()
        return counted() - before

    def everything() -> None:
        for look in (handle.spec_list, handle.ready, handle.status, handle.work_list):
            look()
        handle.spec_get("s001")
        handle.verify("s001")
        handle.search("nothing")
        handle.lint("s001")

    assert cost(everything) > size * count
    assert cost(everything) < size * count / 20
    project.spec("s007", body="# Changed\n\n" + "y" * size)
    spent = cost(everything)
    assert size <= spent < size * count / 20
    assert handle.spec_get("s007").data["title"] == "Changed"


@pytest.mark.requirement("git:reads:need_no_git_program_per_spec")
async def test_specs_in_progress_cost_no_git_process(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for n in range(20):
        project.spec(f"s{n:02}", status="in_progress", branch=f"chant/s{n:02}" if n % 2 else None)
    project.repository()
    for n in range(20):
        project.git("branch", f"chant/s{n:02}")
    real = shutil.which("git")
    calls = tmp_path / "calls"
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\necho "$@" >> {calls}\nexec {real} "$@"\n', encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    async with Client(project.server(), mode="2026-07-28") as client:
        call = Caller(client, project)
        for tool in ("chant_spec_list", "chant_ready", "chant_status", "chant_lint"):
            await call.data(tool)
        await call.data("chant_search", query="spec")
        await call.data("chant_spec_get", id="s01")
        await call.data("chant_verify", id="s01")
        await call.data("chant_status", include_activity=True)

    made = calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []
    assert made == []


@pytest.mark.requirement("store:index:overflow_is_survived")
@pytest.mark.skipif(
    not Path("/proc/sys/fs/inotify/max_queued_events").exists(), reason="the queue is that of Linux"
)
async def test_more_changes_than_the_queue_holds_are_survived(project: Project) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text(encoding="ascii"))
    paths = [project.write(f"s{n}", "# 000000\n") for n in range(2)]
    handle = ChantProject(project.root)
    assert ids(handle.spec_list().data) == ["s0", "s1"]
    files = [path.open("r+b", buffering=0) for path in paths]
    for n in range(most + 100):
        os.pwrite(files[n % 2].fileno(), f"{n:06}".encode(), 2)
    for file in files:
        file.close()
    project.write("s2", "# Last\n")

    titles = {spec["id"]: spec["title"] for spec in handle.spec_list().data["specs"]}
    last = {f"s{n % 2}": f"{n:06}" for n in range(most + 98, most + 100)}
    assert titles == {**last, "s2": "Last"}
    project.write("s2", "# More\n")
    assert handle.spec_get("s2").data["title"] == "More"


@pytest.mark.requirement("store:index:holds_at_100000_specs")
def test_it_holds_at_a_hundred_thousand_specs(project: Project) -> None:
    count = 100_000
    folder = os.open(project.specs, os.O_RDONLY)
    text = b"---\ntype: code\nstatus: completed\n---\n# Old\n"
    for n in range(count):
        file = os.open(f"s{n:06}.md", os.O_CREAT | os.O_WRONLY, dir_fd=folder)
        os.write(file, text)
        os.close(file)
    os.close(folder)
    handle = ChantProject(project.root)
    assert handle.status().data["completed"] == count
    project.write("s000000", "# First\n")
    project.path("s050000").unlink()
    project.path("s050001").rename(project.path("renamed"))
    project.spec("s099999", depends_on=["s050000"])
    project.path("s000002").write_bytes(b"\xff")
    os.truncate(project.path("s000003"), 0)

    data = handle.status().data
    assert (data["total"], data["completed"]) == (count - 2, count - 5)
    assert (data["pending"], data["blocked"], len(data["problems"])) == (2, 1, 1)
    assert ids(handle.ready().data) == ["s000000", "s000003"]
    assert handle.spec_list(limit=1).data["total"] == count - 2
    assert ids(handle.spec_list(limit=1, offset=0).data) == ["renamed"]
    assert handle.spec_get("s000000").data["title"] == "First"


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


@pytest.mark.requirement(
    "store:index:write_before_the_call_is_seen",
    "store:index:deleted_file_is_gone",
    "store:index:renamed_file_has_its_new_id",
    "store:index:replaced_file_is_read_again",
    "store:index:untrusted_file_systems_are_scanned",
)
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
