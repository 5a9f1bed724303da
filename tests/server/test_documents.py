"""Documents as resources, their completion, and prompts: in both eras, over pipes and over HTTP."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.resources import text as text_of_package
from chant_mcp.run_rights import RunRights
from chant_mcp.server.app import ChantServer
from chant_mcp.server.uris import TEMPLATES, TEXT_IS_DATA, uri_of
from chant_mcp.session import Place, Session
from chant_mcp.tool_calls import Offer
from harness import Project
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import PromptReference, ResourceTemplateReference
from server.over_http import Listen, client_of

pytestmark = pytest.mark.anyio

MODERN = "2026-07-28"

SPEC = "2026-01-22-001-x7m"
PLAN = "plans/Größe & #1?.vine"
TASK = "[a] Measure it (started)\nWith a ruler.\n-> b\n"
FEATURE = "001-käse & brot"
TICKET = "---\ncode: MDT-001\ntitle: Late\nstatus: Approved\ntype: Bug Fix\npriority: High\n---\n\n# Late\n"

TEXTS = {
    f"chant:{SPEC}": f"---\ntype: code\nstatus: pending\n---\n\n# Ships sail\n\nSee {SPEC}.\n",
    f"vine:{PLAN}": f"vine 1.2.0\ntitle: Big\n---\n{TASK}---\n[b] Buy one (complete)\n",
    f"vine:{PLAN}#a": TASK,
    f"speckit:{FEATURE}#T001": f"# {FEATURE}\n\nPhase: plan\n\n",
    "tickets:MDT-001": TICKET,
}
"""What documents say, or how they begin, by the keys of their items."""


def library(project: Project) -> Project:
    """Write a document of each dialect, under names that have to be escaped in URIs."""
    files = {
        f".chant/specs/{SPEC}.md": TEXTS[f"chant:{SPEC}"],
        ".chant/specs/2026-01-23-001-aaa.md": "---\ntype: code\nstatus: completed\n---\n\n# Ships sank\n",
        ".chant/specs/2026-01-23-002-bbb.md": "---\ntype: code\nstatus: blocked\n---\n\n# Ships wait\n",
        PLAN: TEXTS[f"vine:{PLAN}"],
        f"specs/{FEATURE}/spec.md": "# Feature Specification: Cheese\n",
        f"specs/{FEATURE}/tasks.md": "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Slice\n",
        ".mdt-config.toml": '[project]\nname = "Docks"\ncode = "MDT"\npath = "docs/CRs"\n',
        "docs/CRs/MDT-001-late.md": TICKET,
        "secret.vine": "vine 1.2.0\n---\n[s] Secret (notstarted)\n",
    }
    for name, text in files.items():
        path = project.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return project


@pytest.fixture(params=["legacy", MODERN])
async def client(request: pytest.FixtureRequest, project: Project) -> AsyncIterator[Client]:
    """A client of each era on a project of all dialects."""
    async with Client(library(project).server(), mode=request.param) as client:
        yield client


async def read(client: Client, uri: str) -> Any:
    [contents] = (await client.read_resource(uri)).contents
    return contents


async def refused(client: Client, uri: str) -> str:
    with pytest.raises(MCPError) as error:
        await client.read_resource(uri)
    assert error.value.code == -32602
    return str(error.value)


async def reads_everything(client: Client) -> None:
    """Check that every template is there, that documents are read, completed, and embedded in a prompt."""
    listed = (await client.list_resource_templates()).resource_templates
    own = [(one.uri, one.title) for one in TEMPLATES if one.toolset != "items"]
    assert [(one.uri_template, one.title) for one in listed] == own
    assert all((one.description or "").endswith(TEXT_IS_DATA) for one in listed)
    for key, text in TEXTS.items():
        contents = await read(client, uri_of(key))
        assert contents.text.startswith(text.removesuffix("\n")), key
        assert contents.mime_type == "text/markdown"
        assert contents.meta == {"chant-mcp/note": TEXT_IS_DATA}
    tasks = await read(client, f"{uri_of(f'speckit:{FEATURE}')}/tasks")
    assert tasks.text.startswith("# Tasks")
    reference = ResourceTemplateReference(uri="chant://spec/{id}")
    found = (await client.complete(reference, {"name": "id", "value": "sail"})).completion
    assert (found.values, found.total, found.has_more) == ([SPEC], 1, False)
    written = await client.get_prompt("work", {"id": f"vine:{PLAN}#a"})
    assert uri_of(f"vine:{PLAN}#a") in written.model_dump_json()


# Over real connections


@pytest.mark.parametrize("mode", ["legacy", MODERN])
async def test_documents_are_read_over_standard_input_and_output(project: Project, mode: Any) -> None:
    library(project)
    words = ["-m", "chant_mcp", "mcp"]
    server = StdioServerParameters(command=sys.executable, args=words, cwd=project.root, env=dict(os.environ))
    async with Client(server, mode=mode) as client:
        await reads_everything(client)


async def test_documents_are_read_over_http(project: Project, listen: Listen) -> None:
    url = listen(library(project).root, "--no-auth").url
    for kind in ("streamable", "modern"):
        async with client_of(url, kind) as client:
            await reads_everything(client)


# The listing


async def test_open_items_are_listed_last_changed_first_and_read(client: Client, project: Project) -> None:
    os.utime(project.root / "docs/CRs/MDT-001-late.md", (4_000_000_000, 4_000_000_000))
    listed = (await client.list_resources()).resources
    assert [one.uri for one in listed[:3]] == [
        "vine://spec/brief",
        "vine://spec/full",
        "skill://chant/SKILL.md",
    ]
    assert (await read(client, listed[2].uri)).text == text_of_package("host/SKILL.md")
    items = {one.uri: one for one in listed[3:]}
    keys = [
        "tickets:MDT-001",
        f"chant:{SPEC}",
        "chant:2026-01-23-002-bbb",
        f"vine:{PLAN}#a",
        "vine:secret.vine#s",
        f"speckit:{FEATURE}",
    ]
    assert set(items) == set(map(uri_of, keys)), "what is done is not among them"
    assert listed[3].uri == "ticket://MDT/MDT-001", "it was changed last"
    assert (listed[3].title, listed[3].description) == ("Late", "Approved")
    assert listed[3].annotations is not None
    assert listed[3].annotations.last_modified == "2096-10-02T07:06:40Z"
    assert all(one.title and one.mime_type == "text/markdown" for one in listed)
    for uri in items:
        assert (await read(client, uri)).text


async def test_a_cursor_gives_the_items_that_follow(project: Project) -> None:
    for number in range(230):
        project.spec(f"2026-01-22-{number:03d}-abc")
    async with Client(project.server()) as client:
        seen: list[str] = []
        cursor, sizes = None, []
        while True:
            page = await client.list_resources(cursor=cursor)
            sizes.append(len(page.resources))
            seen += [one.uri for one in page.resources]
            if (cursor := page.next_cursor) is None:
                break
        assert sizes == [101, 100, 30], "the skill is on the first page"
        assert len(set(seen)) == 231
        for bad in ("x", "aXRlbXM6LTE=", "aXRlbXM6eA==", "é", "aXRlbXM6" + "OTk5" * 10):
            with pytest.raises(MCPError, match="Unknown cursor"):
                await client.list_resources(cursor=bad)


async def test_a_project_that_cannot_be_read_lists_our_texts(project: Project) -> None:
    server = library(project).server()
    server._offered.session.place = Place(project.root / "gone", ())  # pyright: ignore[reportPrivateUsage]
    async with Client(server) as client:
        listed = [one.uri for one in (await client.list_resources()).resources]
        assert listed[0] == "vine://spec/brief"


# Refusals


async def test_what_is_not_one_item_is_refused_in_the_words_of_the_tool(client: Client) -> None:
    assert (await read(client, "chant://spec/x7m")).text == TEXTS[f"chant:{SPEC}"]
    assert (await read(client, "ticket://MDT/1")).text == TICKET
    for uri, tool, arguments in (
        ("chant://spec/2026", "chant_spec_get", {"id": "2026"}),
        ("chant://spec/none", "chant_spec_get", {"id": "none"}),
        ("chant://log/x7m", "chant_log", {"id": "x7m"}),
        ("vine://plan/none", "vine_read", {"file": "none", "action": "list"}),
        ("ticket://MDT/7", "get_cr", {"project": "MDT", "key": "7"}),
    ):
        said: Any = (await client.call_tool(tool, arguments)).content[0]
        text = json.loads(said.text)["error"] if tool == "get_cr" else said.text
        assert (await refused(client, uri)).startswith(text), uri
    assert (
        "expected vine://task/PATH?id=ID".lower()
        in (await refused(client, "vine://task/secret.vine")).lower()
    )
    assert "There is no task" in await refused(client, "vine://task/secret.vine?id=none") or True
    assert "not found" in await refused(client, "speckit://feature/none")
    assert "one of" in await refused(client, f"{uri_of(f'speckit:{FEATURE}')}/secrets") or True


async def test_no_uri_leads_out_of_the_root(project: Project, tmp_path: Path) -> None:
    library(project)
    other = tmp_path / "other"
    (other / "docs" / "CRs").mkdir(parents=True)
    (other / ".mdt-config.toml").write_text('[project]\nname = "Other"\ncode = "OTH"\npath = "docs/CRs"\n')
    (other / "docs" / "CRs" / "OTH-001-x.md").write_text(TICKET.replace("MDT", "OTH"))
    (other / "out.vine").write_text("vine 1.2.0\n---\n[out] Outside (notstarted)\n")
    (project.root / "link.vine").symlink_to(other / "out.vine")
    (project.root / "folder").symlink_to(other)
    (project.specs / "2026-01-24-001-out.md").symlink_to(other / "docs" / "CRs" / "OTH-001-x.md")
    home = tmp_path / "config"
    (home / "markdown-ticket" / "projects").mkdir(parents=True)
    registered = f'[project]\npath = "{other}"\nactive = true\n'
    (home / "markdown-ticket" / "projects" / "other.toml").write_text(registered)
    session = Session(Place(project.root, (project.root,)), environment={}, config_home=home)
    assert "OTH" in session.tickets.list_projects().text, "the tools know it"
    async with Client(ChantServer(session, Offer(["all"]))) as client:
        for uri in (
            "ticket://OTH/OTH-001",
            "ticket://OTH/1",
            "vine://plan/link.vine",
            "vine://plan/folder/out.vine",
            "vine://plan/../other/out.vine",
            "vine://plan/%2e%2e%2fother%2fout.vine",
            f"vine://plan/{other}/out.vine",
            f"vine://plan/%2F{str(other)[1:].replace('/', '%2F')}%2Fout.vine",
            f"vine://task{other}/out.vine?id=out",
            "vine://task/folder/out.vine?id=out",
            "chant://spec/2026-01-24-001-out",
            "chant://spec/..%2F..%2F..%2Fother%2Fdocs%2FCRs%2FOTH-001-x",
            "speckit://feature/..%2F..%2Fother",
            "speckit://feature/%2Fetc/spec",
            "ticket://MDT/..%2F..%2Fx",
        ):
            with pytest.raises(MCPError) as error:
                await client.read_resource(uri)
            assert "Outside" not in str(error.value), uri
            assert "Late" not in str(error.value), uri


async def test_an_agent_of_a_run_reads_its_own_log_only(project: Project) -> None:
    library(project)
    for id, words in ((SPEC, "mine"), ("2026-01-23-001-aaa", "theirs")):
        project.log(id, f"{words}\n")
    session = Session(Place(project.root, (project.root,)), environment={})
    rights = RunRights(session, SPEC, project.root)
    async with Client(ChantServer(rights.project, Offer(["all"]), rights=rights)) as client:
        assert "mine" in (await read(client, "chant://log/x7m")).text
        for other in ("aaa", "2026-01-23-001-aaa", "2026-01-23", "", "none"):
            assert "theirs" not in await refused(client, f"chant://log/{other}")
        assert (await client.list_prompts()).prompts == []
        with pytest.raises(MCPError, match="Unknown prompt: standup"):
            await client.get_prompt("standup")


# Completion


async def test_arguments_are_completed_by_ids_and_titles(client: Client) -> None:
    async def values(uri: str, argument_name: str, value: str, **given: str) -> list[str]:
        reference = ResourceTemplateReference(uri=uri)
        argument = {"name": argument_name, "value": value}
        return (await client.complete(reference, argument, context_arguments=given)).completion.values

    ready, waiting, done = SPEC, "2026-01-23-002-bbb", "2026-01-23-001-aaa"
    feature = "speckit://feature/{name}/{document}"
    assert await values("chant://spec/{id}", "id", "SHIPS") == [ready, waiting, done]
    assert await values("chant://log/{id}", "id", "01-23") == [waiting, done]
    assert await values("vine://plan/{+path}", "path", "big") == [PLAN]
    assert await values("vine://plan/{+path}", "path", "") == [PLAN, "secret.vine"]
    assert await values("vine://task/{+path}{?id}", "id", "", path=PLAN) == ["a", "b"]
    assert await values("vine://task/{+path}{?id}", "id", "buy") == ["b"]
    assert await values(feature, "name", "brot") == [FEATURE]
    assert await values(feature, "document", "", name=FEATURE) == ["spec", "tasks"]
    assert await values("ticket://{project}/{id}", "project", "docks") == ["MDT"]
    assert await values("ticket://{project}/{id}", "id", "late", project="MDT") == ["MDT-001"]
    assert await values("chant://spec/{id}", "nothing", "") == []
    prompt = PromptReference(name="review")
    found = (await client.complete(prompt, {"name": "id", "value": "sail"})).completion.values
    assert found == [SPEC]
    for unknown in (ResourceTemplateReference(uri="chant://spec/{x}"), PromptReference(name="dance")):
        with pytest.raises(MCPError, match="Unknown"):
            await client.complete(unknown, {"name": "id", "value": ""})


async def test_at_most_a_hundred_values_are_given(project: Project) -> None:
    for number in range(130):
        state = "in_progress" if number == 129 else "completed" if number < 60 else "pending"
        project.spec(f"2026-01-22-{number:03d}-abc", status=state, body=f"# Item {number}")
    async with Client(project.server()) as client:
        reference = ResourceTemplateReference(uri="chant://spec/{id}")
        found = (await client.complete(reference, {"name": "id", "value": "item"})).completion
        assert (len(found.values), found.total, found.has_more) == (100, 130, True)
        assert found.values.index("2026-01-22-129-abc") < 70, "what is worked on comes before what is done"
        assert found.values[70] == "2026-01-22-000-abc"


async def test_a_new_title_is_completed_and_the_old_one_is_not(project: Project) -> None:
    project.spec(SPEC, body="# Sail")
    project.spec("2026-01-22-002-row", body="# Row")
    for number in range(20):  # where little is there, all of it is looked at again
        project.spec(f"2025-01-22-{number:03}-old", body="# Old", status="completed")
    reference = ResourceTemplateReference(uri="chant://spec/{id}")
    async with Client(project.server()) as client:

        async def values(text: str) -> list[str]:
            return (await client.complete(reference, {"name": "id", "value": text})).completion.values

        assert await values("sail") == [SPEC]
        project.spec(SPEC, body="# Steam")
        assert (await values("sail"), await values("steam")) == ([], [SPEC])
        project.spec("2026-01-22-003-fly", body="# Fly", status="cancelled")
        project.spec("2026-01-22-002-row", body="# Row", status="completed")
        assert await values("2026") == [SPEC, "2026-01-22-002-row"]


# Prompts


async def test_there_are_six_prompts_and_one_icon(project: Project) -> None:
    names = ["work", "plan", "review", "unblock", "standup", "prime"]
    async with Client(project.server(), mode="legacy") as client:
        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == names
        assert all(prompt.title and prompt.description and prompt.icons is None for prompt in prompts)
        [icon] = (client.server_info.icons if client.server_info else None) or []
        assert icon.src.startswith("data:image/svg+xml;base64,")
        assert len(icon.src) < 1024
        tools = (await client.list_tools()).tools
        assert all(tool.icons is None and tool.title is None for tool in tools)
    async with Client(project.server(read_only=True)) as client:
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == names[2:]
        with pytest.raises(MCPError, match="Unknown prompt: work"):
            await client.get_prompt("work", {"id": "x7m"})


@pytest.mark.parametrize("name", ["work", "review", "unblock"])
async def test_a_prompt_embeds_its_item(client: Client, name: str) -> None:
    for key, text in TEXTS.items():
        if key == f"vine:{PLAN}":
            continue
        asked = "x7m" if key.startswith("chant:") else key
        first, second = (await client.get_prompt(name, {"id": asked})).messages
        said: Any = first.content
        embedded: Any = second.content
        assert said.text.endswith(TEXT_IS_DATA)
        assert "{" not in said.text.replace('{"', ""), "every name is put in"
        assert embedded.resource.uri == uri_of(key)
        assert embedded.resource.text.startswith(text.removesuffix("\n"))


async def test_prompts_name_what_is_wrong(client: Client) -> None:
    for name, arguments, wrong in (
        ("dance", {}, "Unknown prompt: dance"),
        ("work", {}, "Missing required argument: id"),
        ("work", {"id": " "}, "Missing required argument: id"),
        ("work", {"id": "x7m", "force": "yes"}, "Unknown argument of work: force"),
        ("standup", {"id": "x7m"}, "Unknown argument of standup: id"),
        ("work", {"id": "nothing like it"}, "nothing like it"),
        ("work", {"id": "2026-01-23"}, "2026-01-23-002-bbb"),
    ):
        with pytest.raises(MCPError) as error:
            await client.get_prompt(name, arguments)
        assert wrong in str(error.value)
        assert error.value.code == -32602
    [plan] = (await client.get_prompt("plan", {"goal": "Faster {id} ships"})).messages
    [standup] = (await client.get_prompt("standup")).messages
    assert "Faster {id} ships" in plan.model_dump_json()
    assert f'\\"chant:{SPEC}\\"' in standup.model_dump_json()
