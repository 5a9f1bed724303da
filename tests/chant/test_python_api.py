"""The same answers from Python: one typed call a tool; and from any folder of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from chant.reading import criteria, ids, problem_of
from chant_mcp import Answer, ChantProject, errors
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Session, find_place
from chant_mcp.tool_calls import Offer
from harness import Caller
from mcp import Client
from stub import stub_methods

if TYPE_CHECKING:
    from harness import Project

pytestmark = pytest.mark.anyio

READING: list[tuple[str, dict[str, Any]]] = [
    ("chant_spec_list", {"status": "pending", "limit": 2, "offset": 1}),
    ("chant_spec_get", {"id": "one", "offset": 2, "max_chars": 5}),
    ("chant_ready", {"limit": 1}),
    ("chant_status", {"include_activity": True}),
    ("chant_status", {"brief": True}),
    ("chant_log", {"id": "one", "lines": 1, "offset": 2}),
    ("chant_search", {"query": "spec", "status": "pending"}),
    ("chant_diagnose", {"id": "one"}),
    ("chant_lint", {"id": "one"}),
    ("chant_lint", {}),
    ("chant_verify", {"id": "one"}),
    ("chant_work_list", {"process_id": "x", "include_completed": True}),
]


FOR_PEOPLE = {
    "finalize": {"already_done"},
    "spec_list": {"approval"},
    "add": {"needs_approval", "refuse_broken"},
    "spec_update": {
        "expect_body",
        "from_run",
        "seen_lists",
        "refuse_broken",
        "title",
        "type",
        "assignee",
        "priority",
        "add_criteria",
        "remove_criteria",
    },
    "lint": {"plugins", "places"},
    "ready": {"include_held"},
    "split": {"fresh", "progress", "agreed"},
    "takeover": {"from_clone"},
    "work_start": {"takes_any", "fresh", "base", "agent", "prompt", "offline", "bare", "progress"},
}
"""Parameters that methods have for scripts and commands beside the tool's own."""


OF_ANSWERS = {name: {"max_tokens"} for name in ("spec_list", "spec_get", "ready", "search")} | {
    "status": {"since"}
}
"""Parameters of tools that shorten an answer, whatever it says."""


def fill(project: Project) -> None:
    for id in ("one", "two", "three"):
        project.spec(id, body=criteria("- [ ] a", title=f"Spec {id}"))
    project.spec("running", status="in_progress")
    project.write("broken", "---\nstatus: [\n---\n")
    project.log("one", "first\nsecond\n")
    project.repository()


async def test_a_call_from_python_gives_what_the_tool_gives(call: Caller) -> None:
    fill(call.project)
    handle = ChantProject(call.project.root)

    for tool, arguments in READING:
        answer = getattr(handle, tool.removeprefix("chant_"))(**arguments)
        assert isinstance(answer, Answer)
        result = await call(tool, **arguments)
        assert answer.data == result.structured_content
        assert answer.text == await call.text(tool, **arguments)


async def test_every_tool_has_its_method(call: Caller) -> None:
    methods = {one.name: one for one in stub_methods() if one.owner == "ChantProject"}
    for tool in (await call.client.list_tools()).tools:
        name = tool.name.removeprefix("chant_")
        method = methods["reset" if name == "resume" else name]
        taken = set(tool.input_schema.get("properties", {})) - OF_ANSWERS.get(name, set())
        assert method.names - FOR_PEOPLE.get(name, set()) == taken


def test_unreadable_files_are_listed(project: Project) -> None:
    fill(project)
    handle = ChantProject(project.root)

    for answer in (handle.spec_list(), handle.ready(), handle.status(), handle.search("")):
        assert problem_of(answer.data, "broken")["path"] == ".chant/specs/broken.md"
    assert "broken" not in ids(handle.spec_list().data)


@pytest.mark.parametrize(
    ("work", "kind"),
    [
        (lambda p: p.spec_get("nothing"), errors.NotFoundError),
        (lambda p: p.spec_get("t"), errors.AmbiguousIdError),
        (lambda p: p.spec_get(""), errors.InvalidArgumentError),
        (lambda p: p.spec_get("broken"), errors.InvalidDocumentError),
        (lambda p: p.spec_list("done"), errors.InvalidArgumentError),
        (lambda p: p.search("x", "done"), errors.InvalidArgumentError),
        (lambda p: p.log("two"), errors.NotFoundError),
        (lambda p: p.log("one", since="never"), errors.InvalidArgumentError),
    ],
)
def test_errors_are_of_their_kind(project: Project, work: Any, kind: type[errors.ChantError]) -> None:
    fill(project)

    with pytest.raises(kind) as raised:
        work(ChantProject(project.root))
    assert isinstance(raised.value, errors.ChantError)


def test_a_folder_without_a_project_is_told(project: Project) -> None:
    project.specs.rmdir()

    with pytest.raises(errors.NotInitializedError, match="Chant not initialized"):
        ChantProject(project.root).spec_list()


@pytest.mark.parametrize("below", ["src/deep", ".chant", ".chant/specs"])
async def test_a_server_started_in_a_sub_folder_gives_the_same(
    project: Project, below: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(project)
    project.config("lint:\n  thresholds:\n    complexity_criteria: 0\n")
    folder = project.root / below
    folder.mkdir(parents=True, exist_ok=True)
    answers: list[list[Any]] = []
    for start in (project.root, folder):
        monkeypatch.chdir(start)
        session = Session(find_place(start), environment={})
        async with Client(ChantServer(session, Offer(toolsets=["auto"])), mode="2026-07-28") as client:
            call = Caller(client, project)
            answers.append([(await call(tool, **arguments)).content for tool, arguments in READING])

    assert answers[0] == answers[1]
