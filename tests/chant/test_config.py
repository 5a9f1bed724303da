"""Configuration: the user's and the project's, and what it changes (reference 7)."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from chant.reading import DAY, ONE_ERA, listed, reasons
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Place, Session
from chant_mcp.tool_calls import Offer
from harness import Caller
from mcp import Client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    from harness import Project

pytestmark = pytest.mark.anyio

ID = f"{DAY}-001-x7m"


def server(project: Project, user: str = "", environment: dict[str, str] | None = None) -> ChantServer:
    """Make a server with a configuration of the user's and with variables."""
    path = project.root.parent / "user-config.md"
    path.write_text(f"---\n{user}trust: {{roots: [/]}}\n---\n", encoding="utf-8")
    place = Place(project.root, (project.root,))
    session = Session(place, environment=environment or {}, user_config=path)
    return ChantServer(session, Offer(toolsets=["auto"]))


async def with_user(project: Project, user: str, tool: str, **arguments: Any) -> Any:
    """Call a tool with a configuration of the user's."""
    async with Client(server(project, user), mode="2026-07-28") as client:
        return await Caller(client, project).data(tool, **arguments)


async def complexity(project: Project, user: str) -> list[str]:
    found = (await with_user(project, user, "chant_lint", id=ID))["diagnostics"]
    return [f["message"] for f in found if f["rule"] == "complexity"]


async def test_keys_of_defaults_are_merged_one_by_one(project: Project) -> None:
    project.config("defaults:\n  branch_prefix: theirs-\n")
    project.spec(ID, status="in_progress")
    project.git("init", "-q", "-b", "trunk")
    project.git("commit", "-qm", "Begin", "--allow-empty")
    project.git("branch", f"theirs-{ID}")
    user = "defaults:\n  branch_prefix: mine-\n  main_branch: trunk\n"

    data = await with_user(project, user, "chant_diagnose", id=ID)
    assert f"theirs-{ID} is merged" in json.dumps(data)


@pytest.mark.parametrize(
    ("user", "own", "limit"),
    [
        ("", "", 5),
        ("lint:\n  thresholds:\n    complexity_files: 3\n", "", 3),
        (
            "lint:\n  thresholds:\n    complexity_files: 3\n",
            "lint:\n  thresholds:\n    complexity_files: 4\n",
            4,
        ),
        # The whole block is the project's, with defaults for what it leaves out.
        ("lint:\n  thresholds:\n    complexity_files: 3\n", "lint:\n  disable: []\n", 5),
        (
            "lint:\n  thresholds:\n    complexity_files: 3\n",
            "lint:\n  thresholds:\n    complexity_criteria: 1\n",
            5,
        ),
        ("lint:\n  thresholds:\n    complexity_files: 3\n", "enterprise:\n  required: []\n", 3),
    ],
)
async def test_other_blocks_are_taken_whole(project: Project, user: str, own: str, limit: int) -> None:
    project.config(own or "project:\n  name: demo\n")
    for files, is_too_many in [(limit, False), (limit + 1, True)]:
        project.spec(ID, target_files=[f"f{n}" for n in range(files)])
        assert bool(await complexity(project, user)) == is_too_many


@pytest.mark.parametrize(
    ("user", "own", "rules"),
    [
        ("lint:\n  disable: [title]\n", "lint:\n  thresholds:\n    complexity_files: 9\n", ["title"]),
        ("lint:\n  disable: [title]\n", "lint:\n  disable: []\n", ["complexity", "title"]),
        ("lint:\n  disable: [title]\n", "project:\n  name: x\n", ["complexity"]),
        ("lint:\n  disable: []\n", "project:\n  name: x\n", ["complexity", "title"]),
    ],
)
async def test_what_is_disabled_is_part_of_its_block(
    project: Project, user: str, own: str, rules: list[str]
) -> None:
    project.config(own)
    project.spec(ID, body="word " * 300)

    found = (await with_user(project, user, "chant_lint", id=ID))["diagnostics"]
    assert sorted(f["rule"] for f in found) == rules


@pytest.mark.parametrize(
    ("own", "expected"), [("", "pending"), ("repos: []\n", "blocked"), ("lint: {}\n", "pending")]
)
async def test_repositories_of_the_user_hold_unless_the_project_has_its_own(
    project: Project, own: str, expected: str
) -> None:
    far = project.root.parent / "other" / ".chant" / "specs" / "far.md"
    far.parent.mkdir(parents=True)
    far.write_text("---\nstatus: completed\n---\n# Far\n", encoding="utf-8")
    project.config(own or "project: {}\n")
    project.spec("one", depends_on=['"other:far"'])

    user = f"repos:\n- name: other\n  path: {far.parents[2]}\n"
    data = await with_user(project, user, "chant_spec_list")
    assert data["specs"][0]["status"] == expected


async def test_unknown_keys_are_ignored(call: Caller) -> None:
    call.project.config(
        "schema: {x: 1}\nlifecycle: [a]\nproject:\n  name: demo\n  colour: red\n"
        "defaults:\n  create_branch: true\nparallel:\n  cleanup: never\nlint:\n  taste: good\n"
        "  thresholds:\n    complexity_files: 1\n    complexity_mood: 7\n"
    )
    call.project.spec(ID, target_files=["a", "b"])

    found = (await call.data("chant_lint"))["diagnostics"]
    assert [f["rule"] for f in found] == ["complexity"]


@ONE_ERA
@pytest.mark.parametrize(
    "text",
    [None, "", "# Only a body\n", "---\n---\n", "---\n# nothing\n---\nbody\n", "\ufeff---\nx: 1\n---\n"],
)
async def test_an_empty_configuration_means_the_defaults(call: Caller, text: str | None) -> None:
    if text is not None:
        (call.project.root / ".chant" / "config.md").write_text(text, encoding="utf-8")
    call.project.spec(ID, target_files=[f"f{n}" for n in range(6)])

    found = (await call.data("chant_lint"))["diagnostics"]
    assert [f["rule"] for f in found] == ["complexity"]


def test_a_default_configuration_prints_nothing(project: Project) -> None:
    project.config("project:\n  name: demo\ndefaults:\n  prompt: standard\n")
    project.spec(ID, status="in_progress")
    project.repository()
    script = (
        "import sys; from chant_mcp import ChantProject; p = ChantProject(sys.argv[1]);"
        "[p.spec_list(), p.ready(), p.status(), p.lint(), p.diagnose('001'), p.verify('001'), p.work_list()]"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, str(project.root)], capture_output=True, check=True
    )

    assert (done.stdout, done.stderr) == (b"", b"")


async def test_a_change_of_the_configuration_is_seen(call: Caller) -> None:
    call.project.spec(ID, target_files=["a", "b", "c"])
    for limit in (2, 3, 1, 9, 2):
        call.project.config(f"lint:\n  thresholds:\n    complexity_files: {limit}\n")
        found = (await call.data("chant_lint"))["diagnostics"]
        assert bool(found) == (limit < 3)
    (call.project.root / ".chant" / "config.md").unlink()
    assert (await call.data("chant_lint"))["diagnostics"] == []


async def test_the_prefix_is_used_where_branches_are_looked_at(call: Caller) -> None:
    call.project.config("defaults:\n  branch_prefix: wip/\n")
    call.project.spec(ID, status="in_progress", body="# On main")
    call.project.repository()
    for branch, title in [(f"chant/{ID}", "By default"), (f"wip/{ID}", "By config")]:
        call.project.git("checkout", "-q", "-b", branch, "main")
        call.project.spec(ID, status="in_progress", body=f"# {title}")
        call.project.git("commit", "-qam", title)
    call.project.git("checkout", "-q", "main")

    assert (await call.data("chant_spec_get", id=ID))["body"] == "# By config"
    assert f"wip/{ID} is not merged" in json.dumps(await call.data("chant_diagnose", id=ID))


async def test_a_broken_configuration_is_the_reason_told(call: Caller) -> None:
    call.project.config("repos: [\n")
    call.project.spec("one", depends_on=['"other:far"'])

    assert await listed(call) == {"one": "blocked"}
    (reason,) = await reasons(call, "one")
    assert "no repository" not in reason
    assert "config" in reason


# Derivation


@pytest.fixture
def add(project: Project) -> Callable[..., AbstractAsyncContextManager[Caller]]:
    """Give a client of a server with variables."""

    @asynccontextmanager
    async def open(**environment: str) -> AsyncIterator[Caller]:
        async with Client(server(project, "", environment), mode="2026-07-28") as client:
            yield Caller(client, project)

    return open


async def added(call: Caller) -> dict[str, Any]:
    text = await call.text("chant_add", description="Add a thing")
    id = text.splitlines()[0].removeprefix("Created spec: ")
    return await call.data("chant_spec_get", id=id)


def derive(project: Project, yaml: str) -> None:
    project.config("enterprise:\n  derived:\n" + "".join(f"    {line}\n" for line in yaml.splitlines()))


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("{from: branch, pattern: 'feature/([A-Z]+-[0-9]+)'}", "AB-12"),
        ("{from: branch, pattern: '([a-z]+)/'}", "feature"),
        ("{from: path, pattern: '/(project)\\b'}", "project"),
        ("{from: env, pattern: TEAM}", "core"),
        ("{from: git_user, pattern: name}", "Grace"),
        ("{from: git_user, pattern: email}", "grace@example.org"),
        ("{from: branch, pattern: 'release/(.*)'}", None),
        ("{from: env, pattern: ABSENT}", None),
    ],
)
@pytest.mark.parametrize("key", ["labels", "context", "team"])
async def test_a_derived_value_comes_from_where_the_rule_says(
    project: Project,
    add: Callable[..., AbstractAsyncContextManager[Caller]],
    rule: str,
    value: str | None,
    key: str,
) -> None:
    derive(project, f"{key}: {rule}")
    project.git("init", "-q", "-b", "feature/AB-12-things")
    project.git("config", "user.name", "Grace")
    project.git("config", "user.email", "grace@example.org")
    project.git("commit", "-qm", "Begin", "--allow-empty")
    async with add(TEAM="core") as call:
        data = await added(call)

    if value is None:
        assert not data["labels"]
        assert not data["context"]
    elif key == "team":
        assert data["context"] == [f"derived_team={value}"]
        assert not data["labels"]
    else:
        assert data[key] == [value]


async def test_a_variable_that_is_no_text_counts_as_absent(
    project: Project, add: Callable[..., AbstractAsyncContextManager[Caller]]
) -> None:
    derive(project, "labels: {from: env, pattern: TEAM}\ncontext: {from: env, pattern: SIDE}")
    async with add(TEAM="\udcff", SIDE="left") as call:
        data = await added(call)

    assert (data["labels"], data["context"]) == (None, ["left"])


async def test_several_rules_work_together(
    project: Project, add: Callable[..., AbstractAsyncContextManager[Caller]]
) -> None:
    derive(
        project,
        "labels: {from: env, pattern: TEAM}\nowner: {from: env, pattern: OWNER}\n"
        "side: {from: env, pattern: S}",
    )
    async with add(TEAM="a: b", OWNER="Ada #1", S="'q'") as call:
        data = await added(call)

    assert data["labels"] == ["a: b"]
    assert sorted(data["context"]) == ["derived_owner=Ada #1", "derived_side='q'"]


@pytest.mark.parametrize(("team", "is_known"), [("core", True), ("other", False)])
async def test_a_value_outside_its_enum_only_warns(
    project: Project,
    add: Callable[..., AbstractAsyncContextManager[Caller]],
    team: str,
    is_known: bool,
) -> None:
    derive(project, "labels: {from: env, pattern: TEAM, validate: {type: enum, values: [core, web]}}")
    async with add(TEAM=team) as call:
        text = await call.text("chant_add", description="Add a thing")
        id = text.splitlines()[0].removeprefix("Created spec: ")
        data = await call.data("chant_spec_get", id=id)

    assert data["labels"] == [team]
    assert ("other" in text) == (not is_known)


@pytest.mark.parametrize("rule", ["{from: branch, pattern: '('}", "{from: moon, pattern: x}"])
async def test_a_rule_that_cannot_work_is_told(
    project: Project, add: Callable[..., AbstractAsyncContextManager[Caller]], rule: str
) -> None:
    derive(project, f"labels: {rule}")
    project.repository()
    async with add() as call:
        result = await call("chant_add", description="Add a thing")

    assert "labels" in result.content[0].model_dump_json()
