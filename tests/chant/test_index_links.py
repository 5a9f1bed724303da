"""Freshness through links, in the archive and in other repositories."""

from __future__ import annotations

import os
import shutil

import pytest
from chant.reading import Reader, archive, ids
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
from harness import Project

pytestmark = pytest.mark.anyio


# Links


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


async def test_a_linked_folder_is_listed_once_and_loops_end(reader: Reader) -> None:
    reader.project.write("area/one", "# One\n")
    (reader.project.specs / "again").symlink_to("area")
    (reader.project.specs / "area" / "loop").symlink_to("..")
    (reader.project.specs / "self").symlink_to(".")

    assert await reader.titles() == {"one": "One"}


async def test_a_link_to_a_folder_outside_is_not_followed(reader: Reader) -> None:
    outside = reader.project.root.parent / "outside"
    outside.mkdir()
    (outside / "one.md").write_text("# secret\n", encoding="utf-8")
    (reader.project.specs / "linked").symlink_to(outside)
    reader.project.spec("two", body="# Two")

    assert await reader.titles() == {"two": "Two"}
    assert "secret" not in str(await reader.list())


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


async def test_an_archive_that_vanishes_as_a_whole_is_gone(reader: Reader) -> None:
    reader.project.spec("one", depends_on=["old"])
    for _ in range(2):
        archive(reader.project, "old")
        assert await reader.statuses() == {"one": "pending"}
        shutil.rmtree(reader.project.root / ".chant" / "archive")
        assert await reader.statuses() == {"one": "blocked"}


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


@pytest.mark.parametrize("broken", ["2026-01-21", "2026-01-22"])
async def test_a_broken_archived_copy_does_not_hide_the_other(reader: Reader, broken: str) -> None:
    reader.project.spec("one", depends_on=["old"])
    for day in ("2026-01-21", "2026-01-22"):
        archive(reader.project, "old", day=day, status="[" if day == broken else "completed")

    assert await reader.statuses() == {"one": "pending"}


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


async def test_another_repository_is_as_fresh_as_the_specs(reader: Reader) -> None:
    far = reader.project.root.parent / "other" / ".chant" / "specs" / "far.md"
    far.parent.mkdir(parents=True)
    reader.project.config("repos:\n- name: other\n  path: ../other\n")
    reader.project.spec("one", depends_on=['"other:far"'])
    for _ in range(100):
        for status, expected in [("completed", "pending"), ("'pending'", "blocked")]:
            far.write_text(f"---\nstatus: {status}\n---\n", encoding="utf-8")
            assert await reader.statuses() == {"one": expected}


@pytest.mark.parametrize("back", [True, False])
def test_the_configuration_is_as_fresh_as_the_specs(project: Project, back: bool) -> None:
    project.spec("one", target_files=["a", "b", "c"])
    handle = ChantProject(project.root)
    for n in range(200):
        project.config(f"lint:\n  thresholds:\n    complexity_files: {n % 2 + 2}\n")
        if back:
            os.utime(project.root / ".chant" / "config.md", ns=(10**18, 10**18))
        assert len(handle.lint("one").data["diagnostics"]) == (n + 1) % 2
