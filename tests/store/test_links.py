"""Links: followed inside the project and kept, never followed out of it (decisions 2, 4)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
from writing import ID, OTHER, changed, leftovers, tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness import Caller, Project

TEXT = (
    "---\nstatus: in_progress  # so far\nowner: ada\n---\n\n# Work\n\n## Acceptance Criteria\n\n- [ ] one\n"
)

EDITS: dict[str, Callable[[ChantProject], object]] = {
    "status": lambda chant: chant.spec_update(ID, status="failed"),
    "check": lambda chant: chant.spec_update(ID, check=["one"]),
    "output": lambda chant: chant.spec_update(ID, output="x"),
    "body": lambda chant: chant.spec_update(ID, output="# New", replace_body=True),
    "labels": lambda chant: chant.spec_update(ID, labels=["a"]),
    "cancel": lambda chant: chant.cancel(ID),
    "reset": lambda chant: chant.reset(ID),
}

TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("chant_spec_update", {"status": "failed", "force": True}),
    ("chant_spec_update", {"output": "x"}),
    ("chant_spec_update", {"check": ["one"]}),
    ("chant_finalize", {}),
    ("chant_cancel", {}),
    ("chant_reset", {}),
    ("chant_archive", {}),
]


def outside(project: Project, name: str = "outside", text: str = TEXT) -> Path:
    """Write a file that is not in the project."""
    path = project.root.parent / name / f"{ID}.md"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("kind", ["relative", "absolute", "chain", "through a linked folder"])
def test_a_link_inside_the_project_stays_and_its_target_changes(
    project: Project, edit: str, kind: str
) -> None:
    target = project.root / "docs" / "real.md"
    target.parent.mkdir()
    target.write_text(TEXT, encoding="utf-8")
    link = project.path(ID)
    if kind == "relative":
        link.symlink_to("../../docs/real.md")
    elif kind == "absolute":
        link.symlink_to(target)
    elif kind == "chain":
        (project.root / "hop.md").symlink_to("docs/real.md")
        link.symlink_to(project.root / "hop.md")
    else:
        (project.root / "linked").symlink_to("docs")
        link.symlink_to("../../linked/real.md")
    where = link.readlink()
    identity = target.stat().st_ino
    EDITS[edit](ChantProject(project.root))
    assert link.is_symlink()
    assert link.readlink() == where
    assert not target.is_symlink()
    assert target.read_text(encoding="utf-8") != TEXT
    assert target.stat().st_ino != identity, "the target is replaced"
    assert "owner: ada" in target.read_text(encoding="utf-8")
    assert leftovers(project.root) == []


def test_a_change_of_two_files_follows_links_too(project: Project) -> None:
    docs = project.root / "docs"
    docs.mkdir()
    for name, id in (("driver.md", ID), ("member.md", f"{ID}.1")):
        (docs / name).write_text("---\nstatus: in_progress\n---\n\n# Work\n", encoding="utf-8")
        project.path(id).symlink_to(f"../../docs/{name}")
    ChantProject(project.root).finalize(f"{ID}.1")
    for name, id in (("driver.md", ID), ("member.md", f"{ID}.1")):
        assert project.path(id).is_symlink()
        assert "status: completed" in (docs / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["relative", "absolute"])
@pytest.mark.requirement("chant:archive:moves_a_completed_spec")
def test_an_archived_link_still_leads_to_its_spec(project: Project, kind: str) -> None:
    target = project.root / "docs" / "real.md"
    target.parent.mkdir()
    target.write_text("---\nstatus: completed\n---\n\n# Work\n", encoding="utf-8")
    project.path(ID).symlink_to("../../docs/real.md" if kind == "relative" else target)
    project.spec(OTHER, depends_on=[ID])
    ChantProject(project.root).archive(ID)
    place = project.root / ".chant" / "archive" / "2026-01-22" / f"{ID}.md"
    assert place.read_text(encoding="utf-8") == "---\nstatus: completed\n---\n\n# Work\n"
    assert not project.path(ID).is_symlink()
    assert ChantProject(project.root).spec_get(OTHER).data["status"] == "pending"


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["file", "chain", "parent of the link", "completed"])
async def test_a_spec_that_leads_out_of_the_project_is_not_touched(call: Caller, kind: str) -> None:
    project = call.project
    text = TEXT.replace("in_progress", "completed") if kind == "completed" else TEXT
    target = outside(project, text=text)
    link = project.path(ID)
    if kind == "chain":
        (project.root / "hop.md").symlink_to(target)
        link.symlink_to("../../hop.md")
    elif kind == "parent of the link":
        (project.root / "far").symlink_to(target.parent)
        link.symlink_to(f"../../far/{ID}.md")
    else:
        link.symlink_to(target)
    project.spec(OTHER)
    before = tree(project.root.parent)
    for tool, arguments in TOOLS:
        error = await call.error(tool, id=ID, **arguments)
        assert ID in error
        assert "out of the project" in error
    assert tree(project.root.parent) == before
    listed = await call.data("chant_spec_list")
    assert [spec["id"] for spec in listed["specs"]] == [OTHER]
    assert ID in str(listed["problems"])


@pytest.mark.parametrize("where", [".chant/specs", ".chant", ".chant/specs/later"])
def test_a_folder_that_leads_out_of_the_project_is_not_written(project: Project, where: str) -> None:
    away = project.root.parent / "away"
    (away / "specs").mkdir(parents=True)
    for folder in (away, away / "specs"):
        (folder / f"{ID}.md").write_text(TEXT, encoding="utf-8")
    path = project.root / where
    if where != ".chant/specs/later":
        path.rename(path.with_name("aside"))
    path.symlink_to(away)
    before = tree(project.root.parent)
    acts: list[Callable[[ChantProject], object]] = [*EDITS.values()]
    if where != ".chant/specs/later":
        acts.append(lambda chant: chant.add("New one"))
    for act in acts:
        with pytest.raises(ChantError):
            act(ChantProject(project.root))
    assert tree(project.root.parent) == before


def test_a_specs_folder_that_is_a_link_inside_the_project_works(project: Project) -> None:
    project.specs.rmdir()
    (project.root / "plans").mkdir()
    project.specs.symlink_to("../plans")
    (project.root / "plans" / f"{ID}.md").write_text(TEXT, encoding="utf-8")
    chant = ChantProject(project.root)
    before = project.path(ID).read_bytes()
    chant.spec_update(ID, status="failed")
    assert changed(before, project.path(ID).read_bytes()) == [
        "-status: in_progress  # so far",
        "+status: failed  # so far",
    ]
    chant.add("New one")
    assert len(list((project.root / "plans").iterdir())) == 2
    assert project.specs.is_symlink()


@pytest.mark.parametrize("where", [".chant/archive", ".chant/archive/2026-01-22"])
def test_nothing_is_archived_out_of_the_project(project: Project, where: str) -> None:
    away = project.root.parent / "away"
    away.mkdir()
    link = project.root / where
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(away)
    project.spec(ID, type="driver", status="completed")
    project.spec(f"{ID}.1", status="completed")
    before = tree(project.specs)
    for id in (f"{ID}.1", ID):
        with pytest.raises(ChantError, match="out of the project"):
            ChantProject(project.root).archive(id)
    assert tree(project.specs) == before
    assert list(away.iterdir()) == []


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["nowhere", "itself", "loop", "to a folder"])
async def test_a_link_that_leads_nowhere_is_a_problem_and_disturbs_nobody(call: Caller, kind: str) -> None:
    project = call.project
    link = project.path(ID)
    if kind == "loop":
        link.symlink_to("second.lnk")
        (project.specs / "second.lnk").symlink_to(link.name)
    elif kind == "to a folder":
        (project.root / "folder").mkdir()
        link.symlink_to("../../folder")
    else:
        link.symlink_to("nowhere" if kind == "nowhere" else link.name)
    project.spec(OTHER)
    before = tree(project.root)
    for tool, arguments in TOOLS:
        assert ID in await call.error(tool, id=ID, **arguments)
    listed = await call.data("chant_spec_list")
    assert [spec["id"] for spec in listed["specs"]] == [OTHER]
    assert ID in str(listed["problems"])
    assert tree(project.root) == before
    assert not (project.specs / "nowhere").exists(), "the target is not made"
    await call.text("chant_spec_update", id=OTHER, status="in_progress")
    text = await call.text("chant_add", description="New one")
    assert text.startswith("Created spec: ")


def test_an_id_is_never_a_path(project: Project) -> None:
    project.spec(ID)
    target = outside(project, text=TEXT)
    names = [
        f"../../../outside/{ID}",
        str(target),
        str(target.with_suffix("")),
        "..",
        "../specs/" + ID,
        "/",
        "\\",
    ]
    names += [f"./{ID}", f"{ID}.md", f"{ID}\0", "\0", "a\nb", "%2e%2e/x", "~", f"{ID}/"]
    before = tree(project.root.parent)
    chant = ChantProject(project.root)
    for name in names:
        for act in (chant.cancel, chant.finalize, chant.reset, chant.archive):
            with pytest.raises(ChantError):
                act(name)
        with pytest.raises(ChantError):
            chant.spec_update(name, output="x")
        with pytest.raises(ChantError):
            chant.add("New one", parent=name)
    assert tree(project.root.parent) == before


def test_a_second_name_of_the_file_is_told_or_kept(project: Project) -> None:
    """A hard link cannot survive a replacement; its text must at least not be half of anything."""
    path = project.spec(ID)
    before = path.read_bytes()
    second = project.root / "second.md"
    os.link(path, second)
    ChantProject(project.root).spec_update(ID, status="in_progress")
    assert project.status(ID) == "in_progress"
    assert second.read_bytes() in (before, path.read_bytes())
