"""What no answer tells and no call reaches: files outside the project, credentials, commands."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from harness import Caller, Project, text_of
from server.pipes import Pipes, Serve
from server.pipes import call as tool_call
from server.pipes import text_of as text_on_wire
from server.test_tools import IN_ORDER, MUTATING
from writing import tree

ID = "2026-01-22-001-x7m"
SECRET = "hunter2-correct-horse"

TAKES_ID = [
    tool
    for tool in IN_ORDER
    if tool
    not in ("chant_spec_list", "chant_ready", "chant_status", "chant_search", "chant_add", "chant_work_list")
]

OUTSIDE = [
    "../outside",
    "../../outside",
    "../../../outside",
    "..",
    ".",
    "/etc/passwd",
    "sub/../../../outside",
    "..\\outside",
    "C:\\outside",
    "outside/",
    "./../../outside",
    "%2e%2e/outside",
    "../outside\0",
]


def outside(project: Project) -> Path:
    """Write specs beside the project, under every name that a path from inside may lead to."""
    beside = project.root.parent
    text = f"---\ntype: code\nstatus: failed\n---\n\n# {SECRET}\n"
    for folder in (beside, project.root, project.root / ".chant"):
        (folder / "outside.md").write_text(text, encoding="utf-8")
        (folder / "outside").write_text(SECRET, encoding="utf-8")
    return beside


# Ids


@pytest.mark.anyio
@pytest.mark.requirement("server:security:ids_cannot_leave_the_project")
@pytest.mark.parametrize("tool", TAKES_ID)
async def test_an_id_with_a_path_in_it_is_refused(call: Caller, tool: str) -> None:
    project = call.project
    project.spec(ID, status="failed", body="# One")
    beside = outside(project)
    before = tree(beside)
    for id in OUTSIDE:
        further = {"output": "x", "force": True} if tool == "chant_spec_update" else {}
        told = await call.error(tool, id=id, **further)
        assert SECRET not in told
        assert "Internal error" not in told
    assert tree(beside) == before


@pytest.mark.anyio
@pytest.mark.requirement("server:security:ids_cannot_leave_the_project")
async def test_names_in_other_arguments_lead_nowhere(call: Caller) -> None:
    project = call.project
    project.spec(ID, status="in_progress", body="# One")
    beside = outside(project)
    before = {name: data for name, data in tree(beside).items() if "specs" not in name}
    for name in OUTSIDE:
        for arguments in ({"parent": name}, {"prompt": name}, {"depends_on": [name]}, {"type": name}):
            text = text_of(await call("chant_add", description="x", **arguments))
            assert SECRET not in text
        text_of(await call("chant_spec_update", id=ID, depends_on=[name], force=True))
        assert SECRET not in await call.text("chant_spec_get", id=ID)
        assert SECRET not in text_of(await call("chant_work_list", process_id=name))
    after = {name: data for name, data in tree(beside).items() if "specs" not in name}
    assert after == before
    assert {path.parent for path in project.root.rglob("2026-*.md")} == {project.specs}


# Paths in front matter


@pytest.mark.anyio
async def test_files_named_in_front_matter_are_read_inside_the_project_only(call: Caller) -> None:
    project = call.project
    beside = project.root.parent
    # If one of these were read, its content would show up as what the output lacks.
    schema = f'{{"required": ["{SECRET}"], "title": "{SECRET}"}}'
    (beside / "schema.json").write_text(schema, encoding="utf-8")
    (beside / "folder").mkdir()
    (beside / "folder" / "schema.json").write_text(schema, encoding="utf-8")
    (project.root / "link.json").symlink_to(beside / "schema.json")
    (project.root / "linked").symlink_to(beside / "folder")
    paths = [
        "../schema.json",
        str(beside / "schema.json"),
        "link.json",
        "linked/schema.json",
        ".chant/../../schema.json",
        "/etc/passwd",
        "/proc/self/environ",
    ]
    for number, path in enumerate(paths):
        id = f"2026-01-22-{number:03d}-abc"
        project.spec(id, status="completed", output_schema=f'"{path}"', context=[f'"{path}"'])
        project.log(id, '```json\n{"a": 1}\n```\n')
    project.spec("2026-01-22-900-abc", status="completed", output_schema="inside.json")
    project.log("2026-01-22-900-abc", '```json\n{"a": 1}\n```\n')
    (project.root / "inside.json").write_text('{"required": ["wanted"]}', encoding="utf-8")
    linted = await call.text("chant_lint", limit=1000)
    assert "wanted" in linted
    assert SECRET not in linted
    for number in range(len(paths)):
        for tool in ("chant_spec_get", "chant_diagnose", "chant_verify", "chant_lint", "chant_finalize"):
            assert SECRET not in text_of(await call(tool, id=f"2026-01-22-{number:03d}-abc"))


# Links


@pytest.mark.anyio
async def test_a_spec_that_is_a_link_out_of_the_project_is_a_problem(call: Caller) -> None:
    project = call.project
    project.spec(ID, body="# One")
    beside = outside(project)
    link = "2026-01-22-002-lnk"
    project.path(link).symlink_to(beside / "outside.md")
    before = tree(beside)
    data = await call.data("chant_spec_list")
    assert [spec["id"] for spec in data["specs"]] == [ID]
    assert [problem["path"] for problem in data["problems"]] == [f".chant/specs/{link}.md"]
    assert "project" in data["problems"][0]["message"]
    for tool in TAKES_ID:
        further = {"output": "x", "force": True} if tool == "chant_spec_update" else {}
        result = await call(tool, id=link, **further)
        assert result.is_error or tool in ("chant_lint", "chant_diagnose")
        assert SECRET not in text_of(result)
    assert SECRET not in await call.text("chant_search", query="")
    assert tree(beside) == before
    assert project.path(link).is_symlink()


@pytest.mark.anyio
async def test_folders_that_are_links_out_of_the_project_lead_nowhere(call: Caller) -> None:
    project = call.project
    project.spec(ID, status="completed", body="# One")
    beside = project.root.parent
    away = beside / "away"
    away.mkdir()
    (away / "2026-01-22-003-out.md").write_text(f"# {SECRET}\n", encoding="utf-8")
    (away / f"{ID}.log").write_text(SECRET, encoding="utf-8")
    (project.specs / "group").symlink_to(away)
    for name in ("logs", "archive", "processes"):
        (project.root / ".chant" / name).symlink_to(away)
    before = tree(away)
    for tool in IN_ORDER:
        given = {"id": ID} if tool in TAKES_ID else {"query": "", "description": "x"}
        words = {name: given[name] for name in given if name == "id"}
        words |= {"query": ""} if tool == "chant_search" else {}
        words |= {"description": "x"} if tool == "chant_add" else {}
        assert SECRET not in text_of(await call(tool, **words)), tool
    assert tree(away) == before


# Credentials


@pytest.mark.requirement("server:security:no_credentials_in_answers")
def test_no_answer_holds_credentials(project: Project, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "DB_PASSWORD",
        "MY_SECRET",
        "CHANT_TOKEN",
    ):
        monkeypatch.setenv(name, SECRET)
    user = Path(os.environ["XDG_CONFIG_HOME"]) / "chant"
    user_config = (
        f"---\nproviders:\n  openai:\n    api_key: {SECRET}\ndefaults:\n  model: opus\n---\n{SECRET}\n"
    )
    (user / "config.md").write_text(user_config, encoding="utf-8")
    project.spec(ID, status="in_progress", body="# One")
    project.log(ID, "a\n")
    pipes: Pipes = serve(project.root)
    told: list[str] = []
    for number, tool in enumerate(IN_ORDER):
        given = {"id": ID} if tool in TAKES_ID else {}
        given |= {"query": ""} if tool == "chant_search" else {}
        given |= {"description": "x"} if tool == "chant_add" else {}
        told.append(str(pipes.ask(tool_call(number, tool, **given))))
    (user / "config.md").write_text(f"---\n{SECRET}: [\n---\n", encoding="utf-8")  # broken
    for number, tool in enumerate(("chant_lint", "chant_add", "chant_status", "chant_spec_list"), 100):
        given = {"description": "y"} if tool == "chant_add" else {}
        told.append(str(pipes.ask(tool_call(number, tool, **given))))
    ended = pipes.finish()
    assert SECRET not in "".join(told)
    assert SECRET not in ended.errors


# Commands


def shell_words(marker: Path) -> Iterator[str]:
    """Give texts that run something wherever a shell or an option parser sees them."""
    touch = f"touch {marker}"
    yield from (f"$({touch})", f"`{touch}`", f"; {touch};", f"| {touch}", f"&& {touch} &&", f"\n{touch}\n")
    yield from (
        f"--upload-pack={touch}",
        f"--output={marker}",
        f"-c core.pager={touch}",
        f"ext::sh -c {touch}",
    )


@pytest.mark.anyio
@pytest.mark.parametrize("in_git", [False, True], ids=["no-git", "git"])
async def test_no_text_of_a_spec_is_run(call: Caller, in_git: bool) -> None:
    project = call.project
    marker = project.root.parent / "ran"
    project.spec("2026-01-22-900-abc")
    if in_git:
        project.repository()
    keys = ("branch", "model", "prompt", "output_schema", "completed_at", "schedule", "source_branch")
    for number, text in enumerate(shell_words(marker)):
        id = f"2026-01-22-{number:03d}-abc"
        quoted = "'" + text.replace("'", "''").replace("\n", " ") + "'"
        fenced = f"```sh\n{text}\n```\n\n<!-- check: {text} -->\n<!-- run: {text} -->"
        project.spec(
            id,
            status="in_progress",
            body=f"# {text}\n\n{fenced}\n\n## Acceptance Criteria\n\n- [x] {text}",
            commits=[quoted],
            depends_on=[quoted],
            target_files=[quoted],
            context=[quoted],
            labels=[quoted],
            **dict.fromkeys(keys, quoted),
        )
        project.log(id, f"{text}\n")
        for tool in ("chant_spec_get", "chant_diagnose", "chant_lint", "chant_verify", "chant_log"):
            await call(tool, id=id)
        await call("chant_search", query=text)
        await call("chant_add", description=text, prompt=text, criteria=[text], target_files=[text])
        await call("chant_spec_update", id=id, model=text, output=text, labels=[text])
        for tool in ("chant_finalize", "chant_archive", "chant_reset", "chant_cancel"):
            await call(tool, id=id)
    assert not marker.exists()
    assert not [path for path in project.root.rglob("*") if path.name == "ran"]


# Times


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kolkata"])
def test_times_written_into_files_are_utc(
    project: Project, serve: Serve, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    project.spec(ID, status="in_progress", body="# One\n\n## Acceptance Criteria\n\n- [x] Done")
    project.log(ID, "a\n")
    pipes: Pipes = serve(project.root)
    begun = datetime.now(timezone.utc).replace(microsecond=0)
    assert text_on_wire(pipes.ask(tool_call(1, "chant_finalize", id=ID))).startswith("Finalized spec")
    pipes.ask(tool_call(2, "chant_spec_update", id=ID, output="more"))
    pipes.ask(tool_call(3, "chant_archive", id=ID))
    written = b"\n".join(tree(project.root).values()).decode()
    stamps = re.findall(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*", written)
    assert stamps
    for stamp in stamps:
        stamp = stamp.strip("'\",")
        assert stamp.endswith(("Z", "+00:00")), stamp
        moment = datetime.fromisoformat(stamp.replace("Z", "+00:00"))
        assert begun <= moment <= datetime.now(timezone.utc) + timedelta(seconds=1)


@pytest.mark.anyio
async def test_refused_calls_write_nothing(call: Caller) -> None:
    call.project.spec(ID, status="completed", body="# One")
    before = tree(call.project.root)
    for tool in MUTATING:
        for arguments in ({}, {"id": "nothing"}, {"id": ""}, {"id": ID, "nonsense": 1}, {"description": 5}):
            await call.error(tool, **arguments)
    assert tree(call.project.root) == before
