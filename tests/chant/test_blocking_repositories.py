"""Dependencies in other repositories: what satisfies them, and why they block (reference 4, 10.7)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from chant.reading import DAY, ONE_ERA, listed, reasons

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Caller, Project

pytestmark = pytest.mark.anyio


def repository(project: Project, name: str = "other") -> Path:
    """Make another project beside this one."""
    root = project.root.parent / name
    (root / ".chant" / "specs").mkdir(parents=True, exist_ok=True)
    return root


def foreign(root: Path, id: str, status: str, folder: str = "specs") -> Path:
    path = root / ".chant" / folder / f"{id}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\ntype: code\nstatus: {status}\n---\n# Foreign\n", encoding="utf-8")
    return path


@ONE_ERA
@pytest.mark.parametrize("folder", ["specs", f"archive/{DAY}"])
@pytest.mark.parametrize("form", ["absolute", "relative"])
@pytest.mark.parametrize(
    ("status", "expected"), [("completed", "pending"), ("cancelled", "pending"), ("in_progress", "blocked")]
)
async def test_a_dependency_in_another_repository(
    call: Caller, folder: str, form: str, status: str, expected: str
) -> None:
    root = repository(call.project)
    foreign(root, f"{DAY}-001-far", status, folder)
    path = root if form == "absolute" else "../other"
    call.project.config(f"repos:\n- name: other\n  path: {path}\n")
    call.project.spec("one", depends_on=[f'"other:{DAY}-001-far"'])

    assert await listed(call) == {"one": expected}
    if expected == "blocked":
        (reason,) = await reasons(call, "one")
        assert f"other:{DAY}-001-far" in reason
        assert "in_progress" in reason


async def test_a_change_in_another_repository_is_seen(call: Caller) -> None:
    root, far = repository(call.project), f"{DAY}-001-far"
    path = foreign(root, far, "in_progress")
    call.project.config(f"repos:\n- name: other\n  path: {root}\n")
    call.project.spec("one", depends_on=[f'"other:{far}"'])
    for status, expected in [("completed", "pending"), ("in_review", "blocked"), ("cancelled", "pending")]:
        foreign(root, far, status)
        assert await listed(call) == {"one": expected}
    path.unlink()
    assert await listed(call) == {"one": "blocked"}
    foreign(root, far, "completed", f"archive/{DAY}")
    assert await listed(call) == {"one": "pending"}


@ONE_ERA
@pytest.mark.parametrize("case", ["unknown", "no folder", "a file", "no chant", "no spec", "broken spec"])
async def test_what_cannot_be_found_elsewhere_blocks_with_a_reason(call: Caller, case: str) -> None:
    root = repository(call.project)
    (call.project.root.parent / "file").write_text("x", encoding="utf-8")
    (call.project.root.parent / "bare").mkdir()
    foreign(root, "broken", "[")
    path = {"no folder": "../nowhere", "a file": "../file", "no chant": "../bare"}.get(case, root)
    call.project.config(f"repos:\n- name: other\n  path: {path}\n")
    dependency = {"unknown": "elsewhere:far", "broken spec": "other:broken"}.get(case, "other:far")
    call.project.spec("one", depends_on=[f'"{dependency}"'])
    call.project.spec("two")

    assert await listed(call) == {"one": "blocked", "two": "pending"}
    (reason,) = await reasons(call, "one")
    assert dependency.split(":")[0] in reason
    assert re.search(r'"note": "\w+', reason), "the reason says nothing"


@ONE_ERA
@pytest.mark.parametrize(
    "id", ["../../secret", "..", "../specs/far", "/etc/passwd", "sub/../far", "\\\\far", ""]
)
async def test_an_id_elsewhere_never_leads_out_of_its_folder(call: Caller, id: str) -> None:
    root = repository(call.project)
    foreign(root, "far", "completed")
    (root / "secret.md").write_text("---\nstatus: completed\n---\n", encoding="utf-8")
    call.project.config(f"repos:\n- name: other\n  path: {root}\n")
    call.project.spec("one", depends_on=[f'"other:{id}"'])

    assert await listed(call) == {"one": "blocked"}


async def test_repositories_come_from_the_configuration_as_it_is_now(call: Caller) -> None:
    root = repository(call.project)
    foreign(root, "far", "completed")
    call.project.spec("one", depends_on=['"other:far"'])
    assert await listed(call) == {"one": "blocked"}
    call.project.config(f"repos:\n- name: other\n  path: {root}\n")
    assert await listed(call) == {"one": "pending"}
    call.project.config("repos: []\n")
    assert await listed(call) == {"one": "blocked"}


async def test_the_prefix_of_the_dialect_means_this_project(call: Caller) -> None:
    root = repository(call.project)
    foreign(root, "base", "completed")
    call.project.config(f"repos:\n- name: chant\n  path: {root}\n")
    call.project.spec("base", status="in_progress")
    call.project.spec("one", depends_on=['"chant:base"'])

    assert (await listed(call))["one"] == "blocked"
    call.project.spec("base", status="completed")
    (root / ".chant" / "specs" / "base.md").unlink()
    assert (await listed(call))["one"] == "pending"


@ONE_ERA
async def test_an_unreadable_spec_of_another_repository_is_told_as_such(call: Caller) -> None:
    root, far = repository(call.project), f"{DAY}-001-far"
    foreign(root, far, "nonsense")
    call.project.config("repos:\n- name: other\n  path: ../other\n")
    call.project.spec("one", depends_on=[f'"other:{far}"'])
    (reason,) = await reasons(call, "one")
    assert "cannot be read in repository `other`" in reason
    assert "nonsense" in reason
