"""Templates of new tickets: built in, of the project, of the user; broken ones (decisions 3)."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import Caller, Project, text_of
from mcp import Client
from tickets.filing import ONE_ERA, TYPES, Tickets, answer, refused, server_of
from writing import tree

pytestmark = pytest.mark.anyio


def put(folder: Path, name: str, text: str | bytes) -> Path:
    """Write a template."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.md"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.requirement("tickets:config:templates", "tickets:create_cr:uses_a_template")
async def test_the_projects_template_goes_before_the_users_and_that_before_ours(
    tickets: Tickets, tmp_path: Path
) -> None:
    of_user = tmp_path / "home" / ".config" / "markdown-ticket" / "templates"
    of_project = tickets.root / ".mdt-templates"
    async with Client(server_of(tickets.root, home=tmp_path / "home")) as client:
        call = Caller(client, Project(tickets.root))

        async def body(kind: str) -> str:
            made = await answer(call, "create_cr", type=kind, data={"title": "Keep $& {title}"})
            assert made["cr"]["title"].endswith("Keep $& {title}")
            return text_of(await call("get_cr", key=made["cr"]["code"]))

        assert "### Root Cause Analysis" in await body("Bug Fix")
        put(of_user, "bug-fix", "# {title}\n\n{type} of the user\n")
        assert await body("bug fix") == "\n# Keep $& {title}\n\nBug Fix of the user\n"
        put(of_project, "bug-fix", "\ufeff# {title}\r\n\r\n## {code} {other} of the project\r\n")
        assert await body("Bug Fix") == "\n# Keep $& {title}\n\n## MDT-003 {other} of the project\n"
        assert "## 2. Research Questions" in await body("Research")
        (of_project / "bug-fix.md").unlink()
        assert "of the user" in await body("Bug Fix"), "templates are read at each call"


@ONE_ERA
@pytest.mark.requirement("tickets:config:templates")
async def test_front_matter_and_heading_have_the_same_title(call: Caller, tickets: Tickets) -> None:
    put(tickets.root / ".mdt-templates", "bug-fix", "# {code}: {title}\n\ntext\n")
    made = await answer(call, "create_cr", type="Bug Fix", data={"title": "New"})
    assert made["cr"]["title"] == "MDT-001: New"
    text = tickets.text("MDT-001-new")
    assert '\ntitle: "MDT-001: New"\n' in text
    assert "\n# MDT-001: New\n" in text


BROKEN: dict[str, tuple[str | bytes, str]] = {
    "no UTF-8": (b"# {title}\n\xff\n", "UTF-8"),
    "no title": ("# Fixed\n\ntext\n", "has no `{title}`; expected `# {title}`"),
    "empty": ("", "it has no heading `# {title}`"),
    "title in code": ("```\n# {title}\n```\n", "it has no heading `# {title}`"),
    "front matter": ("---\ntype: x\n---\n# {title}\n", "it begins with `---`"),
}


@ONE_ERA
@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.requirement("tickets:errors:template_error", "tickets:config:templates")
async def test_a_broken_template_is_told_and_nothing_is_written(
    call: Caller, tickets: Tickets, fault: str
) -> None:
    text, why = BROKEN[fault]
    path = put(tickets.root / ".mdt-templates", "research", text)
    before = tree(tickets.root)
    error = await refused(call, "create_cr", project="MDT", type="Research", data={"title": "T"})
    assert error["code"] == "TEMPLATE_ERROR"
    assert list(error["details"]) == ["template", "reason"]
    assert error["details"]["template"] == str(path)
    assert why in error["details"]["reason"]
    assert str(path) in error["error"]
    assert "Fix or remove it and call again; nothing was written" in error["error"]
    after = tree(tickets.root)
    assert after == before
    for kind in TYPES:
        if kind != "Research":
            await answer(call, "create_cr", type=kind, data={"title": "T"})
    made = await answer(call, "create_cr", type="Research", data={"title": "T", "content": "own"})
    assert made["cr"]["code"] == "MDT-006", "content needs no template, and the refusal cost no number"


@ONE_ERA
@pytest.mark.requirement("tickets:errors:template_error")
async def test_a_template_outside_of_the_project_is_not_read(call: Caller, tickets: Tickets) -> None:
    secret = put(tickets.root.parent, "secret", "# {title}\n\nsecret\n")
    (tickets.root / ".mdt-templates").mkdir()
    (tickets.root / ".mdt-templates" / "bug-fix.md").symlink_to(secret)
    error = await refused(call, "create_cr", type="Bug Fix", data={"title": "T"})
    assert error["code"] == "TEMPLATE_ERROR"
    assert "leads out of the project" in error["details"]["reason"]
