"""A script opens a folder and finds what it holds."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import chant_mcp
import pytest
from api.projects import FIRST, SECOND
from chant_mcp import Feature, FeatureTask, Spec, Task, Ticket, Vine, Workspace, errors
from harness import Project


def test_a_folder_inside_the_project_opens_the_project(ws: Workspace) -> None:
    inside = ws.root / "src" / "deep"
    inside.mkdir(parents=True)
    found = chant_mcp.open(inside)
    assert found == ws
    assert found.dialects == ("chant", "vine", "speckit", "tickets")
    assert [spec.id for spec in found.specs] == [FIRST, SECOND]
    assert [vine.path for vine in found.vines] == ["plan.vine"]
    assert [ticket.id for ticket in found.tickets] == ["DEM-007"]
    assert [feature.id for feature in found.features] == ["060-login"]
    assert len(chant_mcp.open(inside, exactly=True)) == 0


def test_an_empty_folder_holds_nothing_and_a_missing_one_is_refused(tmp_path: Path) -> None:
    ws = chant_mcp.open(tmp_path)
    assert (list(ws.specs), list(ws.vines), list(ws.tickets), list(ws.features)) == ([], [], [], [])
    with pytest.raises(errors.NotInitializedError):
        ws.add("Anything")
    with pytest.raises(errors.NotFoundError, match="There is no folder"):
        chant_mcp.open(tmp_path / "none")


def test_items_are_found_by_any_name_that_means_only_one(ws: Workspace) -> None:
    for name in (FIRST, f"chant:{FIRST}", "aaa"):
        assert ws[name] == ws.spec(FIRST)
    assert isinstance(ws["DEM-7"], Ticket)
    assert isinstance(ws["vine:plan.vine#log"], Task)
    assert isinstance(ws["vine:plan"], Vine)
    assert isinstance(ws["speckit:060-login"], Feature)
    assert isinstance(ws["speckit:060-login#T002"], FeatureTask)
    assert FIRST in ws
    assert "nothing" not in ws
    with pytest.raises(errors.AmbiguousIdError):
        ws["2026-01-22"]
    for name in ("nothing", "vine:nothing", "speckit:nothing", "speckit:060-login#T009"):
        with pytest.raises(errors.NotFoundError):
            ws[name]


def test_a_handle_says_what_its_document_says(ws: Workspace) -> None:
    spec, ticket, task = ws.spec("aaa"), ws.ticket("DEM-7"), ws.vine("plan").task("ship")
    assert [(one.text, one.checked) for one in spec.criteria] == [
        ("Tests added", False),
        ("Written down", True),
    ]
    assert (spec.title, spec.status, spec.labels, spec.type) == ("First", "pending", ("api",), "code")
    assert spec.path == f".chant/specs/{FIRST}.md"
    assert spec.body in (ws.root / spec.path).read_text(encoding="utf-8")
    assert [section.title for section in spec.sections] == ["First", "Acceptance Criteria"]
    assert spec.section_text("Acceptance Criteria").startswith("- [ ] Tests added")
    second = ws.spec("bbb")
    assert (second.depends_on, second.waits_for, second.status) == ((spec.key,), (spec.key,), "blocked")
    assert (ticket.title, ticket.status, ticket.section("Plan").text) == ("Log in", "Approved", "")
    assert ticket.section("Problem").text.startswith("Nobody *knows*")
    assert (task.is_root, task.depends_on, task.vine.title) == (True, ("vine:plan.vine#log",), "Release")
    first = ws.feature("060-login").tasks[0]
    assert (first.id, first.status, first.is_ready, first.phase) == ("T001", "open", True, "Phase 1: Setup")
    assert ws.feature("060-login").read("spec") == "# Login\n"


def test_lists_have_filters_and_are_as_of_their_first_look(ws: Workspace, project: Project) -> None:
    assert [spec.id for spec in ws.specs.where(ready=True)] == [FIRST]
    assert [spec.id for spec in ws.specs.where(status="blocked")] == [SECOND]
    assert [spec.id for spec in ws.specs.where(status=["pending", "blocked"], label="api")] == [FIRST]
    assert [task.id for task in ws.vine("plan").tasks.where(status="notstarted")] == ["ship", "log"]
    assert ws.ready.keys() == [
        f"chant:{FIRST}",
        "vine:plan.vine#log",
        "speckit:060-login#T001",
        "tickets:DEM-007",
    ]
    specs = ws.specs
    assert len(specs) == 2
    project.path(FIRST).unlink()
    assert [spec.title for spec in specs[:]] == ["First", "Second"]
    assert specs[-1] in specs
    assert f"chant:{FIRST}" in specs
    with pytest.raises(IndexError):
        specs[2]
    assert len(ws.specs) == 1
    with pytest.raises(errors.InvalidArgumentError, match="nonsense"):
        len(ws.specs.where(status="nonsense"))


def test_cancelled_specs_are_listed_when_asked_for(ws: Workspace) -> None:
    ws.spec("aaa").cancel()
    assert [spec.id for spec in ws.specs] == [SECOND]
    assert [spec.id for spec in ws.specs.where(status="cancelled")] == [FIRST]


def test_lists_and_texts_are_whole_however_long(ws: Workspace, project: Project) -> None:
    for number in range(600):
        project.spec(f"2026-01-23-{number:03}-ccc", body=f"# {'long ' * 100}{number}")
    project.spec("2026-01-24-001-ddd", body="# Big\n\n" + "word " * 40_000)
    assert len(list(ws.specs)) == 603
    assert len(ws.spec("ddd").body) > 200_000
    assert len(ws.spec("2026-01-23-599-ccc").title) > 400


def test_handles_are_hashable_comparable_and_read_anew_when_unpickled(ws: Workspace) -> None:
    spec = ws.spec("aaa")
    later = spec.check("Tests added")
    assert later == spec
    assert len({spec, later, ws.spec("bbb")}) == 2
    assert sorted([ws.spec("bbb"), spec]) == [spec, ws.spec("bbb")]
    items = [spec, ws["DEM-7"], ws["vine:plan#log"], ws["vine:plan"], ws["speckit:060-login#T001"]]
    again = pickle.loads(pickle.dumps(items))
    assert again == items
    assert again[0].criteria[0].checked
    assert again[0].workspace == ws
    assert repr(spec) == f"<Spec {FIRST} pending: First>"
    with pytest.raises(AttributeError):
        spec.workspace = ws  # pyright: ignore[reportAttributeAccessIssue]


def test_what_cannot_be_read_is_a_problem_and_hides_nothing(ws: Workspace, project: Project) -> None:
    project.write("2026-01-22-003-ccc", "---\nstatus: [\n---\n")
    project.spec("2026-01-22-004-ddd", labels="{a: b}")
    (project.root / "broken.vine").write_text("nonsense", encoding="utf-8")
    paths = [problem.path for problem in ws.problems]
    assert sorted(paths) == [
        ".chant/specs/2026-01-22-003-ccc.md",
        ".chant/specs/2026-01-22-004-ddd.md",
        "broken.vine",
    ]
    assert [problem.path for problem in ws.spec("ddd").problems] == [paths[1]]
    assert len(ws.specs) == 3
    assert [vine.path for vine in ws.vines] == ["plan.vine"]


def test_importing_the_package_imports_neither_the_sdk_nor_the_commands() -> None:
    heavy = {"mcp", "mcp_types", "pydantic", "click", "rich", "starlette", "anyio", "networkx"}
    code = f"import sys, chant_mcp; print({heavy!r} & {{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_nothing_is_printed(ws: Workspace, capfd: pytest.CaptureFixture[str]) -> None:
    ws.spec("aaa").check("Tests added").update(status="in_progress").finalize()
    ws.add("More").lint()
    ws.graph().schedule()
    list(ws.specs)
    assert capfd.readouterr() == ("", "")


def test_a_spec_search_gives_handles(ws: Workspace) -> None:
    found = ws.search("what it is")
    assert [type(one) for one in found] == [Spec]
    assert found == [ws.spec("aaa")]


def test_the_example_runs(ws: Workspace) -> None:
    example = Path(__file__).parents[2] / "examples" / "standup.py"
    done = subprocess.run([sys.executable, example, ws.root], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:3] == [
        "Ready now: 4 items",
        f"  chant:{FIRST}  First",
        "  vine:plan.vine#log  Write it",
    ]
    assert "Blocked: chant:" in done.stdout
