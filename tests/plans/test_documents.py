"""Items and documents of plans as resources, in prompts, completed and announced."""

from __future__ import annotations

from typing import Any

import pytest
from chant_mcp.server.uris import uri_of
from harness import Project
from mcp import Client, MCPError
from mcp_types import PromptReference, ResourceTemplateReference
from plans.projects import PROJECTS, TICKED, make

pytestmark = pytest.mark.anyio

TEMPLATE = "plan://{format}/{+path}"


async def text(client: Client, uri: str) -> str:
    contents: Any = (await client.read_resource(uri)).contents[0]
    return contents.text


@pytest.mark.parametrize("word", PROJECTS)
async def test_items_and_documents_are_resources(project: Project, word: str) -> None:
    make(word, project.root)
    key, _ = TICKED[word]
    async with Client(project.server(toolsets=["items"])) as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == [TEMPLATE]
        listed = [one.uri for one in (await client.list_resources()).resources]
        assert uri_of(key) in listed
        shown = await text(client, uri_of(key))
        assert "Draw the form" in shown.splitlines()[0]
        paths = [line.partition("(")[2].rstrip(")") for line in shown.splitlines() if "](plan://" in line]
        assert paths, shown
        for path in paths:
            file = next(name for name in PROJECTS[word] if path.endswith(name.replace(" ", "%20")))
            assert await text(client, path) == PROJECTS[word][file]
        reference = ResourceTemplateReference(uri=TEMPLATE)
        found = (await client.complete(reference, {"name": "format", "value": ""})).completion.values
        assert found == [word]
        argument = {"name": "path", "value": "draw"}
        given = {"format": word}
        found = (await client.complete(reference, argument, context_arguments=given)).completion.values
        assert key.partition(":")[2] in found


async def test_only_documents_of_the_format_are_read(project: Project) -> None:
    make("kiro", project.root)
    (project.root / ".kiro" / "secret.md").write_text("Secret", encoding="utf-8")
    (project.root / "README.md").write_text("Secret", encoding="utf-8")
    (project.root / ".kiro/specs/user-auth/design.md").symlink_to(project.root / ".kiro" / "secret.md")
    tasks = ".kiro/specs/user-auth/tasks.md"
    async with Client(project.server(toolsets=["items"])) as client:
        assert await text(client, f"plan://kiro/{tasks}")
        for uri in (
            "plan://kiro/.kiro/secret.md",
            "plan://kiro/./README.md",
            "plan://kiro/.kiro/specs/user-auth/../../secret.md",
            "plan://kiro/%2e%2e/secret.md",
            f"plan://openspec/{tasks}",
            f"plan://kiro/{project.root}/{tasks}",
            "plan://kiro/nothing",
        ):
            with pytest.raises(MCPError) as error:
                await client.read_resource(uri)
            assert "Secret" not in str(error.value)


@pytest.mark.parametrize("word", PROJECTS)
async def test_prompts_take_items_of_plans(project: Project, word: str) -> None:
    make(word, project.root)
    key, _ = TICKED[word]
    async with Client(project.server(toolsets=["items"])) as client:
        for name in ("work", "review", "unblock"):
            written = (await client.get_prompt(name, {"id": key})).model_dump_json()
            assert uri_of(key) in written
            assert "Draw the form" in written
        assert "item_update" in (await client.get_prompt("work", {"id": key})).model_dump_json()
        found = await client.complete(PromptReference(name="work"), {"name": "id", "value": "draw"})
        assert key in found.completion.values
