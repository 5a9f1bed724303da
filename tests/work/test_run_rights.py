"""What each tool does for an agent inside a run: a table over all, with project and folder compared."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from api.projects import FIRST, PLAN, SECOND, fill
from chant_mcp.run_rights import RunRights
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Place, Session
from chant_mcp.tool_calls import Offer
from chant_mcp.toolsets import toolsets
from harness import Caller, Project, text_of, user_config
from mcp import Client
from plans.projects import make
from writing import tree

pytestmark = pytest.mark.anyio

FOLDER = "folder"
PROJECT = "project"


@dataclass(frozen=True)
class Call:
    """A call, and where it writes; nowhere for one that reads, and refused when it is never done."""

    arguments: dict[str, Any] = field(default_factory=dict)
    writes: str | None = None
    never: bool = False


OPERATION = {"op": "set_status", "id": "log", "status": "started"}
TICKET = {"type": "Feature Enhancement", "data": {"title": "Ferries at night"}}

CALLS = {
    "chant_spec_list": Call(),
    "chant_spec_get": Call({"id": FIRST}),
    "chant_ready": Call(),
    "chant_status": Call(),
    "chant_log": Call({"id": FIRST}),
    "chant_search": Call({"query": "First"}),
    "chant_diagnose": Call({"id": FIRST}),
    "chant_lint": Call(),
    "chant_verify": Call({"id": FIRST}),
    "chant_spec_update": Call({"id": FIRST, "check": ["Tests added"]}, FOLDER),
    "chant_add": Call({"description": "More to do"}, PROJECT),
    "chant_finalize": Call({"id": SECOND}, never=True),
    "chant_reset": Call({"id": SECOND}, never=True),
    "chant_resume": Call({"id": SECOND}, never=True),
    "chant_cancel": Call({"id": SECOND}, never=True),
    "chant_archive": Call({"id": SECOND}, never=True),
    "chant_work_start": Call({"id": SECOND}, never=True),
    "chant_work_list": Call(),
    "chant_pause": Call({"id": SECOND}, never=True),
    "chant_takeover": Call({"id": SECOND}, never=True),
    "chant_watch_status": Call(),
    "chant_watch_start": Call(never=True),
    "chant_watch_stop": Call(never=True),
    "chant_split": Call({"id": SECOND}, never=True),
    "vine_read": Call({"file": "plan.vine", "action": "summary"}),
    "vine_next": Call({"file": "plan.vine"}),
    "vine_write": Call({"file": "plan.vine", "operations": [OPERATION]}, FOLDER),
    "vine_expand": Call({"file": "both.vine", "ref_id": "all"}, FOLDER),
    "rstn_report_status": Call({"status": "completed"}, PROJECT),
    "rstn_read_spec": Call({"artifact": "tasks"}),
    "rstn_get_context": Call(),
    "rstn_complete_task": Call({"task_id": "T001"}, FOLDER),
    "list_projects": Call(),
    "get_project_info": Call({"key": "DEM"}),
    "list_crs": Call({"project": "DEM"}),
    "get_cr": Call({"key": "DEM-007"}),
    "create_cr": Call({"project": "DEM", **TICKET}, FOLDER),
    "update_cr_attrs": Call({"key": "DEM-007", "attributes": {"priority": "High"}}, FOLDER),
    "update_cr_status": Call({"key": "DEM-007", "status": "In Progress"}, FOLDER),
    "delete_cr": Call({"key": "DEM-007"}, never=True),
    "manage_cr_sections": Call(
        {"key": "DEM-007", "operation": "append", "section": "Plan", "content": "More."}, FOLDER
    ),
    "suggest_cr_improvements": Call({"key": "DEM-007"}),
    "item_list": Call(),
    "item_get": Call({"id": "openspec:add-login#1.1"}),
    "item_next": Call(),
    "item_update": Call({"id": "openspec:add-login#1.1", "tick": ["self"]}, FOLDER),
    "item_add": Call({"title": "More"}, never=True),
}
"""A call of each tool."""


@dataclass(frozen=True)
class Run:
    """A project, and the folder of a run in it."""

    project: Project
    folder: Path

    def server(self) -> ChantServer:
        """Make the server of the run, in this process."""
        told = {"CHANT_SPEC_ID": FIRST, "CHANT_WORKTREE": str(self.folder)}
        place = Place(self.project.root, (self.project.root,), is_given=True)
        session = Session(place, environment={**os.environ, **told}, user_config=user_config())
        rights = RunRights(session, FIRST, self.folder)
        return ChantServer(rights.project, Offer(["all", "items"]), rights=rights)

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Caller]:
        """Connect a client to it."""
        async with Client(self.server(), mode="2026-07-28") as client:
            yield Caller(client, self.project)

    def changed(self, before: dict[str, dict[str, Any]]) -> list[str]:
        """Name what was changed: `project`, `folder`, or both."""
        now = self.files()
        return [name for name in now if now[name] != before[name]]

    def files(self) -> dict[str, dict[str, Any]]:
        """Read all files, with what reports leave in the repository; the run's own git is left out."""

        def kept(root: Path) -> dict[str, Any]:
            found = {name: data for name, data in tree(root).items() if not name.startswith(".git")}
            events = root / ".git" / "chant-mcp" / "speckit" / "events.jsonl"
            # That a task was completed is reported to the project, too.
            told = (
                events.read_bytes().count(b'"completed"') if events.is_file() and root != self.folder else 0
            )
            return {**found, "events": told}

        return {"folder": kept(self.folder), "project": kept(self.project.root)}


@pytest.fixture
def run(project: Project, tmp_path: Path) -> Run:
    """A run of the first spec, with a repository of its own in its folder."""
    fill(project)
    make("openspec", project.root)
    project.config("{}\n")
    project.log(FIRST, "Begun\n")
    (project.root / ".specify" / "feature.json").write_text(
        '{"feature_directory": "specs/060-login"}', encoding="utf-8"
    )
    (project.root / "both.vine").write_text(
        "vine 1.2.0\ntitle: Both\n---\nref [all] All of it (./plan.vine)\n", encoding="utf-8"
    )
    project.repository()
    folder = tmp_path / "run"
    shutil.copytree(project.root, folder)
    return Run(project, folder)


def test_every_tool_is_in_the_table() -> None:
    assert list(CALLS) == [entry.name for tools in toolsets().values() for entry in tools]


async def test_each_tool_acts_where_the_table_says(run: Run) -> None:
    async with run.client() as call:
        listed = {tool.name for tool in (await call.client.list_tools()).tools}
        assert listed == {name for name, one in CALLS.items() if not one.never}
        for name, one in CALLS.items():
            before = run.files()
            if one.never:
                why = await call.error(name, **one.arguments)
                assert why.startswith(f"{name} is not for an agent inside a run (you work on {FIRST})"), name
                assert "chant_" in why or "rstn_" in why, name
            else:
                await call.text(name, **one.arguments)
            assert run.changed(before) == ([one.writes] if one.writes else []), name


async def test_own_changes_are_seen_and_others_are_the_projects(run: Run) -> None:
    async with run.client() as call:
        await call.text("chant_spec_update", id=FIRST, check=["Tests added"])
        assert "- [x] Tests added" in (await call.data("chant_spec_get", id=FIRST))["body"]
        run.project.spec(SECOND, body="# Second, as it is by now")
        assert (await call.data("chant_spec_get", id=SECOND))["title"] == "Second, as it is by now"
        (run.project.root / "new.vine").write_text(PLAN.replace("Ship it", "Only there"), encoding="utf-8")
        assert "Only there" in await call.text("vine_read", file="new.vine", action="summary")
        await call.error("vine_write", file="new.vine", operations=[OPERATION])
        added = (await call.text("chant_add", description="Found")).splitlines()[0].split()[-1]
        assert f"found_by: {FIRST}\n" in run.project.text(added)


async def test_other_specs_keep_status_and_criteria(run: Run) -> None:
    copy = run.folder / ".chant" / "specs" / f"{SECOND}.md"
    async with run.client() as call:
        for changes in ({"status": "completed"}, {"check": ["x"]}, {"uncheck": ["x"]}):
            why = await call.error("chant_spec_update", id=SECOND, force=True, **changes)
            assert "cannot be changed" in why
        assert "chant_spec_update(check=" in await call.error(
            "chant_spec_update", id=FIRST, status="completed"
        )
        assert "commit it" in await call.text("chant_spec_update", id=SECOND, output="Seen.")
        assert "Seen." in copy.read_text(encoding="utf-8")
        assert "Seen." not in run.project.text(SECOND)
        copy.unlink()
        assert "is not in your folder" in await call.error("chant_spec_update", id=SECOND, output="Seen.")


async def test_checks_of_features_are_the_agents_to_run(run: Run) -> None:
    ran = run.folder / "ran"
    config = f"checks:\n  unit: [touch, {ran}]\n"
    (run.folder / ".specify" / "chant-mcp.yml").write_text(config, encoding="utf-8")
    async with run.client() as call:
        why = await call.error("rstn_complete_task", task_id="T001")
        assert "its checks (unit) are yours to run" in why
        assert "- [ ] T001" in (run.folder / "specs/060-login/tasks.md").read_text(encoding="utf-8")
        await call.text("rstn_complete_task", task_id="T001", skip_validation=True)
    assert not ran.exists()


@pytest.mark.parametrize("kind", ["file", "folder", "pipe", "giant"])
async def test_what_is_put_in_the_place_of_a_file_is_not_followed(
    run: Run, tmp_path: Path, kind: str
) -> None:
    """The link of the folder leads to the project's own specs, which the server itself may write."""
    outside = tmp_path / "outside.vine"
    outside.write_text("vine 1.2.0\ntitle: Secret\n---\n[log] Write it (notstarted)\n", encoding="utf-8")
    place = run.folder / "plan.vine"
    place.unlink()
    if kind == "file":
        place.symlink_to(outside)
    elif kind == "folder":
        (run.folder / "sub").symlink_to(run.project.root)
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        with place.open("wb") as file:
            file.truncate(1 << 30)
    name = "sub/plan.vine" if kind == "folder" else "plan.vine"
    before = outside.read_text(encoding="utf-8"), tree(run.project.root)
    async with run.client() as call:
        if kind != "folder":  # what is no file of the folder's is read from the project
            assert "Secret" not in await read(call, name)
        await call.error("vine_write", file=name, operations=[OPERATION])
    assert (outside.read_text(encoding="utf-8"), tree(run.project.root)) == before


async def test_an_added_spec_hangs_on_nothing_but_the_runs_own(run: Run) -> None:
    approved = run.project.spec("2026-03-01-001-app", found_by=FIRST)
    async with run.client() as call:
        before = await call.text("chant_ready"), run.files()
        for given in (
            {"parent": SECOND},
            {"depends_on": [SECOND]},
            {"depends_on": [FIRST, "vine:plan#log"]},
            {"depends_on": ["no-such-spec"]},
            {"parent": approved.stem},
        ):
            why = await call.error("chant_add", description="In the way", **given)
            assert f"expected '{FIRST}' or a spec that it added" in why, given
            assert "Write in the description" in why
        assert (await call.text("chant_ready"), run.files()) == before
        added = (await call.text("chant_add", description="More", depends_on=[FIRST])).split()[2]
        part = (await call.text("chant_add", description="Part", parent=added)).split()[2]
        await call.text("chant_add", description="Then", depends_on=[added, part])
        assert part == f"{added}.1"


@pytest.mark.parametrize(
    ("limits", "words", "most"),
    [
        ("added_specs: 3", "as many as `limits.added_specs` allows", 3),
        ("added_kilobytes: 5", "`limits.added_kilobytes` allows 5000", 4),
        # A project does not raise what its user set.
        (None, "as many as `limits.added_specs` allows", 2),
    ],
)
async def test_connections_together_add_so_much_and_no_more(
    run: Run, limits: str | None, words: str, most: int
) -> None:
    run.project.config(f"limits: {{{limits or 'added_specs: 30'}}}\n")
    if limits is None:
        user_config().write_text("---\nlimits: {added_specs: 2}\n---\n", encoding="utf-8")
    said: list[str] = []

    async def add(call: Caller) -> None:
        result = await call("chant_add", description="x" * 900)
        said.append(text_of(result))

    for _ in range(2):  # connections end and come again, and the limit stays
        async with run.client() as one, run.client() as two, anyio.create_task_group() as tasks:
            for call in (one, two) * 4:
                tasks.start_soon(add, call)
    refused = [text for text in said if text.startswith("Failed to create spec")]
    assert len(said) - len(refused) == most, said
    assert all(words in text and "chant_spec_update(output=" in text for text in refused), refused
    assert len(list((run.project.root / ".chant" / "specs").glob("*.md"))) == 2 + most


async def test_reports_and_questions_of_a_run_are_bounded(run: Run) -> None:
    config = "questions:\n  wait_secs: 0\n"
    (run.project.root / ".specify" / "chant-mcp.yml").write_text(config, encoding="utf-8")
    events = run.project.root / ".git" / "chant-mcp" / "speckit" / "events.jsonl"
    async with run.client() as call:
        report = {"status": "error", "message": "x" * 300_000}
        said = [(await call("rstn_report_status", **report)).is_error for _ in range(5)]
        assert said == [False, False, False, True, True]
        why = str((await call("rstn_report_status", **report)).content)
        assert "more than one run may report" in why
        assert "Go on with the work" in why
        assert events.stat().st_size < 1024 * 1024
        asked = [
            await call("rstn_report_status", status="needs_input", prompt=f"Which of {n}?") for n in range(12)
        ]
        assert [one.is_error for one in asked] == [False] * 10 + [True] * 2
        assert "10 questions of this run wait for an answer already" in str(asked[10].content)
        assert "at most 32768" in await call.error(
            "rstn_report_status", status="needs_input", prompt="x" * 40_000
        )


async def read(call: Caller, name: str) -> str:
    """Give the answer, or the refusal."""
    result = await call("vine_read", file=name, action="summary")
    return str(result.content)


async def test_a_folder_that_changes_places_while_it_is_written_leads_nowhere(run: Run) -> None:
    """Where the kernel can hold a thread, no order of events lets a write out of the folder."""
    from chant_mcp._core import write_only_in
    from chant_mcp.tool_calls import call_in_folders

    outside = run.project.root / "outside.txt"

    def write() -> Any:
        (run.folder / "inside.txt").write_text("x", encoding="utf-8")
        with pytest.raises(PermissionError):
            outside.write_text("x", encoding="utf-8")
        return write_only_in([run.folder])

    assert call_in_folders([run.folder], write)
    assert not outside.exists()
    outside.write_text("this thread is as it was", encoding="utf-8")
