"""`Workspace.network`: the graph of all dialects for scripts, now and as of a commit."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from chant_mcp._core import ChantProject, Columns, SpeckitFeatures, TicketProjects, VineFiles, Workspace
from chant_mcp.errors import GitError
from chant_mcp.graph import Graph
from chant_mcp.graph_answers import Attributes
from cli.ticket_files import ticket_project, write_ticket
from harness import Caller, Project

SPEC = "2026-01-22-001-x7m"
OTHER = "2026-01-22-002-k3f"


def opened(root: Path) -> Workspace:
    """Everything in a folder."""
    return Workspace(
        root,
        chant=ChantProject(root),
        vine=VineFiles(root),
        speckit=SpeckitFeatures(root),
        tickets=TicketProjects(root),
    )


def write(root: Path, name: str, text: str) -> None:
    """Write a file of the project."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def commit(project: Project, message: str = "Change") -> None:
    """Commit everything."""
    project.git("add", "--all", "--force")
    project.git("commit", "--quiet", "--allow-empty", "--message", message)


def told(laid: tuple[Any, Columns, dict[str, Any]]) -> dict[str, Any]:
    """What a network says, as plain values."""
    network, columns, learned = laid
    return {
        "keys": list(network.nodes()),
        "done": list(network.done()),
        "edges": sorted(network.edges()),
        "columns": dict(Attributes(columns)),
        "learned": learned,
    }


def mixed(project: Project) -> None:
    """Files of all dialects that wait for one another."""
    project.spec(SPEC, depends_on=["speckit:060-login#T001", "tickets:DEM-7"])
    project.spec(OTHER, depends_on=["vine:plan.vine#build"])
    write(project.root, "plan.vine", f"vine 1.2.0\n---\n[build] Build (started) @needs(chant:{SPEC})\n")
    write(
        project.root, "specs/060-login/tasks.md", "## Phase 1: A\n- [x] T001 a\n## Phase 2: B\n- [ ] T002 b\n"
    )
    ticket_project(project.root)
    write_ticket(project, 7, status="Approved", dependsOn="speckit:060-login#T002")


def test_a_script_gets_a_graph_with_columns(project: Project) -> None:
    mixed(project)
    network, found, learned = opened(project.root).network()
    columns = Attributes(found)
    assert {len(values) for values in columns.values()} == {len(network)} == {8}
    assert list(columns) == [
        *("repo", "dialect", "title", "status", "path", "kind", "ready"),
        *("priority", "assignee", "weight", "duration", "expected", "tone"),
    ]
    assert learned == {"runs": 0, "median": None, "spread": None, "ratios": []}
    graph = Graph(network, columns)
    assert graph.attribute("speckit:060-login#T002", "status") == "open"
    assert list(graph.critical_path("weight")) == [
        "speckit:060-login#T002",
        "tickets:DEM-007",
        f"chant:{SPEC}",
        "vine:plan.vine#build",
        f"chant:{OTHER}",
    ]
    assert list(graph.frontier()) == ["speckit:060-login#T002"]


def test_the_past_is_read_from_git(project: Project) -> None:
    mixed(project)
    project.repository()
    commit(project)
    first = told(opened(project.root).network())
    project.git("tag", "start")
    project.spec(SPEC, status="completed")
    project.path(OTHER).unlink()
    write(project.root, "specs/061-more/tasks.md", "- [ ] T001 a\n")
    commit(project)
    second = told(opened(project.root).network())
    write(project.root, "plan.vine", "vine 1.2.0\n---\n[other] Other (notstarted)\n")
    workspace = opened(project.root)
    assert second != first
    whole = project.git("rev-parse", "start").strip()
    for revision in ("HEAD~1", "start", whole, whole[:9]):
        assert told(workspace.network_at(revision)) == first, revision
    for revision in ("HEAD", "main", "HEAD~0"):
        assert told(workspace.network_at(revision)) == second, revision
    assert "vine:plan.vine#other" in workspace.network()[0]


@pytest.mark.parametrize("revision", ["HEAD~20", "no-such-branch", "-x", "", "HEAD:plan.vine"])
def test_a_revision_that_is_no_commit_is_refused(project: Project, revision: str) -> None:
    mixed(project)
    project.repository()
    commit(project)
    with pytest.raises(GitError) as refused:
        opened(project.root).network_at(revision)
    assert f"`{revision}`" in str(refused.value)


def test_a_folder_without_git_has_no_past(project: Project) -> None:
    with pytest.raises(GitError, match=r"'HEAD' cannot be read: .* is not in a git checkout"):
        opened(project.root).network_at("HEAD")


def test_a_project_below_the_top_is_read_by_its_own_paths(tmp_path: Path) -> None:
    inner = Project(tmp_path / "packages" / "inner")
    inner.specs.mkdir(parents=True)
    mixed(inner)
    write(inner.root, "drafts/skipped.vine", "vine 1.2.0\n---\n[skipped] Skipped (notstarted)\n")
    write(inner.root, "a/b/c/deep.vine", "vine 1.2.0\n---\n[deep] Deep (notstarted)\n")
    write(inner.root, "a/b/c/d/deeper.vine", "vine 1.2.0\n---\n[deeper] Deeper (notstarted)\n")
    write(tmp_path, ".gitignore", "drafts/\n")
    write(inner.root, "kept/.ignore", "*.vine\n!kept.vine\n")
    write(inner.root, "kept/kept.vine", "vine 1.2.0\n---\n[kept] Kept (notstarted)\n")
    write(inner.root, "kept/left.vine", "vine 1.2.0\n---\n[left] Left (notstarted)\n")
    write(tmp_path, ".chant/specs/2026-01-22-009-top.md", "---\nstatus: pending\n---\n\n# Top\n")
    outer = Project(tmp_path)
    outer.repository()
    commit(outer)
    workspace = opened(inner.root)
    now = told(workspace.network())
    assert told(workspace.network_at("HEAD")) == now
    assert {"vine:a/b/c/deep.vine#deep", "vine:kept/kept.vine#kept"} < set(now["keys"])
    assert "chant:2026-01-22-009-top" not in now["keys"]
    assert not [key for key in now["keys"] if "skipped" in key or "left" in key or "deeper" in key]


def test_archived_specs_and_the_configuration_are_those_of_the_commit(project: Project) -> None:
    project.spec(SPEC, depends_on=[OTHER, "chant:gone"])
    archive = f".chant/archive/2026-01-22/{OTHER}.md"
    write(project.root, archive, "---\nstatus: completed\n---\n\n# Old\n")
    write(project.root, ".mdt-config.toml", '[project]\ncode = "OLD"\nticketsPath = "tickets/"\n')
    write(project.root, "tickets/OLD-001.md", "---\ncode: OLD-001\nstatus: Approved\n---\n\n# One\n")
    project.repository()
    commit(project)
    then = told(opened(project.root).network())
    assert f"chant:{OTHER}" in then["done"]
    (project.root / archive).unlink()
    (project.root / "tickets/OLD-001.md").unlink()
    ticket_project(project.root)
    write_ticket(project, 7)
    commit(project)
    workspace = opened(project.root)
    assert "tickets:DEM-007" in workspace.network()[0]
    assert told(workspace.network_at("HEAD~1")) == then


def test_repositories_that_only_the_git_program_reads_have_a_past_too(project: Project) -> None:
    mixed(project)
    for number in range(250):
        project.spec(f"2026-01-23-{number:03}-abc")
    project.git("init", "--quiet", "--object-format=sha256", "--initial-branch=main")
    commit(project)
    workspace = opened(project.root)
    assert told(workspace.network_at("HEAD")) == told(workspace.network())
    with pytest.raises(GitError, match="names no commit here"):
        workspace.network_at("HEAD~1")


@pytest.mark.parametrize("seed", range(8))
def test_a_clean_checkout_is_as_its_commit(project: Project, seed: int) -> None:
    draw = random.Random(seed)
    ids = [f"2026-01-22-{number:03}-a" for number in range(6)]
    ids += [f"{ids[0]}.1", f"{ids[0]}.2", f"{ids[1]}.1"]
    keys = [
        *ids,
        *("vine:plan.vine#a", "vine:sub/more#b", "vine:.hidden/x.vine#h", "vine:sub/gone.vine#a"),
        *("speckit:060-login#T001", "speckit:060-login#phase-2", "speckit:061-x#T001", "tickets:DEM-1"),
        *("tickets:dem-2", "elsewhere:2026-01-22-001-a", "no such spec"),
    ]
    outside = [key for key in keys if ":" in key and not key.startswith("elsewhere")]
    some = lambda names: draw.sample(names, draw.randrange(3))  # noqa: E731
    for id in ids:
        if draw.random() < 0.8:
            project.spec(
                id,
                status=draw.choice(["pending", "completed", "cancelled", "in_progress", "failed"]),
                type=draw.choice(["code", "driver", "task"]),
                depends_on=some(keys),
            )
    write(project.root, f".chant/archive/2026-01-22/{ids[3]}.md", "---\nstatus: completed\n---\n\n# Old\n")
    if draw.random() < 0.5:
        project.write("2026-01-22-077-bad", "---\nlabels: [a\n---\n")
    for name in ("plan.vine", "sub/more.vine", ".hidden/x.vine"):
        tasks = [
            f"[{id}] {id} ({draw.choice(['notstarted', 'complete', 'reviewing'])}) "
            + "".join(f"@needs({key})" for key in some(outside)[:1])
            for id in "abh"
        ]
        write(
            project.root,
            name,
            "vine 1.2.0\n---\n[r] R (notstarted)\n-> a\n-> b\n-> h\n---\n" + "\n---\n".join(tasks) + "\n",
        )
    if draw.random() < 0.5:
        write(project.root, ".gitignore", draw.choice(["sub/\n", "*.vine\n!plan.vine\n", "/plan.vine\n"]))
    for name in ("060-login", "061-x"):
        lines = [
            f"- [{draw.choice(' x-~')}] T{number:03} {draw.choice(['', '[P] '])}Do "
            + "".join(f"(depends on {key})" for key in some([*outside, "T001", "T009"])[:1])
            for number in range(1, 6)
        ]
        text = "## Phase 1: A\n" + "\n".join(lines[:3]) + "\n## Phase 2: B\n" + "\n".join(lines[3:]) + "\n"
        write(project.root, f"specs/{name}/tasks.md", text)
    ticket_project(project.root)
    for number in (1, 2, 3):
        depends = ", ".join(some([*outside, "DEM-3"]))
        write_ticket(
            project, number, status=draw.choice(["Approved", "Implemented", "Proposed"]), dependsOn=depends
        )
    project.repository()
    commit(project)
    workspace = opened(project.root)
    now = told(workspace.network())
    assert told(workspace.network_at("HEAD")) == now
    assert len(now["keys"]) > 15


@pytest.mark.anyio
async def test_tools_see_tasks_of_features(call: Caller) -> None:
    project = call.project
    project.spec(SPEC, depends_on=["speckit:060-login#T001"])
    write(
        project.root, "plan.vine", "vine 1.2.0\n---\n[a] A (notstarted) @needs(speckit:060-login#phase-1)\n"
    )
    write(project.root, "specs/060-login/tasks.md", "## Phase 1: A\n- [ ] T001 a\n")
    waits = (await call.data("chant_spec_get", id=SPEC))["waiting_for"]
    assert [(wait["id"], wait["status"], wait["note"]) for wait in waits] == [
        ("speckit:060-login#T001", "open", "task in specs/060-login/tasks.md")
    ]
    assert (await call.data("chant_ready"))["specs"] == []
    assert (await call.data("vine_next", file="plan.vine"))["ready_to_start"] == []
    write(project.root, "specs/060-login/tasks.md", "## Phase 1: A\n- [x] T001 a\n")
    assert [spec["id"] for spec in (await call.data("chant_ready"))["specs"]] == [SPEC]
    found = await call.data("vine_next", file="plan.vine")
    assert [task["id"] for task in found["ready_to_start"]] == ["a"]


@pytest.mark.anyio
async def test_completing_a_task_waits_for_a_spec(call: Caller) -> None:
    project = call.project
    project.spec(SPEC)
    write(project.root, ".specify/feature.json", '{"feature_directory": "specs/060-login"}')
    write(project.root, "specs/060-login/tasks.md", f"- [ ] T001 a (depends on chant:{SPEC})\n")
    refusal = await call.error("rstn_complete_task", task_id="T001")
    assert f"it depends on what is not done: chant:{SPEC} (pending)" in refusal
    project.spec(SPEC, status="completed")
    await call.text("rstn_complete_task", task_id="T001")


def test_a_network_stays_as_it_was_and_the_next_one_is_as_of_now(project: Project) -> None:
    mixed(project)
    workspace = opened(project.root)
    before = workspace.network()
    first = told(before)
    assert told(workspace.network()) == first
    write(
        project.root, "specs/060-login/tasks.md", "## Phase 1: A\n- [x] T001 a\n## Phase 2: B\n- [x] T002 b\n"
    )
    project.path(OTHER).unlink()
    after = told(workspace.network())
    assert told(before) == first
    assert "speckit:060-login#T002" in after["done"]
    assert f"chant:{OTHER}" not in after["keys"]
    assert after == told(opened(project.root).network())
