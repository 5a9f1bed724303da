"""chant_spec_update: a cycle is refused with its path, unknown names reported (reference chant 5.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
from writing import ID, OTHER, tree

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio


def write_graph(project: Project, graph: str) -> None:
    """Write specs named by one letter: `a<-b,c` waits for both, a lone letter for nothing."""
    for word in graph.split():
        name, _, waits = word.partition("<-")
        project.spec(name, depends_on=waits.split(",") if waits else None)


CYCLES = [
    ("a", "a", "a", ["a"]),
    ("a b<-a", "a", "b", ["a", "b"]),
    ("a b<-a c<-b", "a", "c", ["a", "c", "b"]),
    ("a d.1<-d.2 d.2 d", "d.2", "d.1", ["d.2", "d.1"]),
]


@pytest.mark.parametrize(("graph", "edited", "names", "path"), CYCLES)
async def test_a_loop_through_the_spec_is_refused_with_its_path(
    call: Caller, graph: str, edited: str, names: str, path: list[str]
) -> None:
    write_graph(call.project, graph)
    before = tree(call.project.root)
    error = await call.error("chant_spec_update", id=edited, depends_on=names.split(","))
    words = error.splitlines()[0].removeprefix("Failed to update spec: Circular dependency detected: ")
    assert words != error.splitlines()[0]
    assert words == " -> ".join(path)
    assert tree(call.project.root) == before


IMPLIED = {
    "a member waits for its lower sibling": ("d d.1 d.2", "d.1", "d.2"),
    "a member waits for what its driver waits for": ("d<-x d.1 x", "x", "d.1"),
    "a driver waits for its members": ("d d.1 x<-d", "d.1", "x"),
    "a member cannot wait for its own driver": ("d d.1", "d.1", "d"),
}


@pytest.mark.parametrize("why", IMPLIED)
def test_a_loop_through_an_implied_edge_is_refused(project: Project, why: str) -> None:
    graph, edited, names = IMPLIED[why]
    write_graph(project, graph)
    before = tree(project.root)
    with pytest.raises(ChantError, match=r"^Failed to update spec: Circular dependency detected: "):
        ChantProject(project.root).spec_update(edited, depends_on=[names])
    assert tree(project.root) == before


@pytest.mark.parametrize("names", [["e"], ["a"], ["d.1", "e"]])
def test_a_loop_elsewhere_stops_nobody(project: Project, names: list[str]) -> None:
    write_graph(project, "a<-b b<-a c e d d.1")
    text = ChantProject(project.root).spec_update("c", depends_on=names).text
    assert text == "Updated spec: c"
    assert ChantProject(project.root).spec_get("c").data["depends_on"] == names


def test_a_driver_may_name_its_own_members(project: Project) -> None:
    write_graph(project, "d d.1 d.2")
    assert ChantProject(project.root).spec_update("d", depends_on=["d.1", "d.2"]).text == "Updated spec: d"


async def test_unknown_dependencies_are_told_and_known_ones_are_not(call: Caller) -> None:
    call.project.spec(ID)
    call.project.spec(OTHER)
    archive = call.project.root / ".chant" / "archive" / "2026-01-01"
    archive.mkdir(parents=True)
    old = "2026-01-01-001-old"
    (archive / f"{old}.md").write_text("---\nstatus: completed\n---\n\n# Old\n", encoding="utf-8")
    text = await call.text("chant_spec_update", id=ID, depends_on=[OTHER, "2026-01-22-0zz-zzz", old])
    first, *told = text.splitlines()
    assert first == f"Updated spec: {ID}"
    assert "2026-01-22-0zz-zzz" in "\n".join(told)
    assert OTHER not in "\n".join(told)
    assert old not in "\n".join(told)
    assert len(told) == 1


@pytest.mark.requirement("chant:spec_update:front_matter_keys_are_set")
def test_a_name_that_is_an_id_in_full_is_stored_as_it_is(project: Project) -> None:
    """An archived spec `auth` is meant by `auth`, not the active `auth-ui`."""
    project.spec(ID)
    project.spec("auth-ui")
    archive = project.root / ".chant" / "archive" / "auth"
    archive.mkdir(parents=True)
    (archive / "auth.md").write_text("---\nstatus: completed\n---\n\n# Auth\n", encoding="utf-8")
    ChantProject(project.root).spec_update(ID, depends_on=["auth"])
    assert ChantProject(project.root).spec_get(ID).data["depends_on"] == ["auth"]
