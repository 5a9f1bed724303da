"""`vine set`, `claim` and `expand`: what they write and what they say of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from chant_mcp._core import Answer, VineFiles
from chant_mcp.session import Session
from cli.kit import Cli
from cli.plans import DOCS, PLAN, write_plan


def test_set_writes_statuses_and_says_what_they_were(cli: Cli) -> None:
    path = write_plan(cli.project)
    assert cli("vine", "set", "plan", "changelog", "started") == "✓ changelog: notstarted → started\n"
    assert path.read_text("utf-8") == PLAN.replace("changelog (notstarted)", "changelog (started)")
    path.write_text(PLAN, encoding="utf-8")
    said = cli("vine", "set", "plan", "texts", "planning", "site", "reviewing", "texts", "complete")
    assert said == "✓ texts: blocked → planning\n✓ site: started → reviewing\n✓ texts: planning → complete\n"
    expected = PLAN.replace("texts (blocked)", "texts (complete)").replace(
        "site (started)", "site (reviewing)"
    )
    assert path.read_text("utf-8") == expected


def test_set_writes_all_statuses_or_none(cli: Cli) -> None:
    path = write_plan(cli.project)
    for words, said in (
        (["site", "complete", "nope", "started"], "Task not found: nope\n"),
        (["site", "complete", "docs", "started"], 'Cannot set status on reference node "docs".\n'),
        (
            ["site", "complete", "texts", "done"],
            'Operation 1: invalid status "done". Valid: complete, started,',
        ),
    ):
        assert cli.error("vine", "set", "plan", *words).startswith(said)
        assert path.read_text("utf-8") == PLAN


def test_a_dry_run_shows_the_diff_and_writes_nothing(cli: Cli) -> None:
    path = write_plan(cli.project)
    said = cli("vine", "set", "plan", "site", "reviewing", "--dry-run")
    assert said.startswith("site: started → reviewing\n--- plan\n+++ plan\n@@ ")
    assert "\n-[site] Renew the web site (started) @owner(bob)\n" in said
    assert "\n+[site] Renew the web site (reviewing) @owner(bob)\n" in said
    assert said.endswith("\nNothing was written.\n")
    assert cli("vine", "set", "plan", "site", "started", "--dry-run").count("\n") == 3, "there is no diff"
    assert "+[site] Renew" in cli.json("vine", "set", "plan", "site", "reviewing", "--dry-run")["diff"]
    assert path.read_text("utf-8") == PLAN


class _Meddling:
    """Task graphs that somebody else writes to just before we do, so many times."""

    def __init__(self, vine: VineFiles, times: int) -> None:
        self._vine = vine
        self._times = times

    def __getattr__(self, name: str) -> Any:
        return getattr(self._vine, name)

    def write(self, file: str, operations: list[dict[str, str]], **options: Any) -> Answer:
        if self._times:
            self._times -= 1
            status = ("complete", "planning")[self._times % 2]
            self._vine.write(file, [{"op": "set_status", "id": "site", "status": status}])
        return self._vine.write(file, operations, **options)


def test_the_old_status_is_that_of_the_text_that_was_changed(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_plan(cli.project)
    vine = VineFiles(cli.project.root)

    def meddle(times: int) -> None:
        meddling = _Meddling(vine, times)
        monkeypatch.setattr(Session, "vine", property(lambda _: meddling))

    meddle(3)
    assert cli("vine", "set", "plan", "site", "reviewing") == "✓ site: complete → reviewing\n"
    assert "site (reviewing)" in path.read_text("utf-8").replace("Renew the web site", "site")
    meddle(1_000)
    assert cli.error("vine", "set", "plan", "site", "reviewing").startswith(
        "The file changed since it was read"
    )


def test_claim_shows_the_task_with_what_it_builds_on(cli: Cli) -> None:
    path = write_plan(cli.project)
    text = [
        line.rstrip() for line in cli("vine", "claim", "plan", "changelog", "--owner", "eve").splitlines()
    ]
    assert text == [
        "✓ changelog is claimed.",
        "ID           changelog",
        "Name         Write the changelog",
        "Status       started",
        "Annotations  @owner(eve)",
        "Depends on   freeze (reviewing): Freeze features",
        "               > Only fixes of reported faults go in",
        "               @artifact text/markdown ./freeze-list.md",
    ]
    written = path.read_text("utf-8")
    assert "[changelog] Write the changelog (started) @owner(eve)\n" in written
    refused = cli.error("vine", "claim", "plan", "changelog")
    assert refused.startswith('Cannot claim "changelog": it is started')
    assert path.read_text("utf-8") == written
    assert cli.error("vine", "claim", "plan", "ship").startswith('Cannot claim "ship": it depends on')
    assert "✓ ship is claimed." in cli("vine", "claim", "plan", "ship", "--force")
    assert "announce" in cli("vine", "claim", "plan", "ship", "--force"), "the description is shown"


def test_expand_puts_the_other_file_in_the_place_of_the_reference(cli: Cli) -> None:
    path = write_plan(cli.project)
    write_plan(cli.project, DOCS, "parts/docs.vine")
    assert cli("vine", "expand", "plan", "docs") == '✓ Ref "docs" expanded.\n'
    expanded = path.read_text("utf-8")
    assert "[docs] Manual (notstarted)\n" in expanded
    assert "[d/index] Index (notstarted)" in expanded
    path.write_text(PLAN, encoding="utf-8")
    write_plan(cli.project, DOCS.replace("Manual", "Handbook"), "other.vine")
    assert cli("vine", "expand", "plan", "docs", "other") == '✓ Ref "docs" expanded.\n'
    assert "[docs] Handbook (notstarted)" in path.read_text("utf-8")
    assert cli.error("vine", "expand", "plan", "docs") == 'Task "docs" is not a reference node.\n'


def test_expand_warns_of_a_reference_that_still_waits(cli: Cli) -> None:
    write_plan(cli.project, PLAN.replace("(reviewing)", "(started)"))
    write_plan(cli.project, DOCS, "parts/docs.vine")
    said = cli("vine", "expand", "plan", "docs")
    assert said.startswith('✓ Ref "docs" expanded.\nIt still waited for freeze; tasks that came in')


def test_nothing_is_written_with_read_only(cli: Cli) -> None:
    path = write_plan(cli.project)
    write_plan(cli.project, DOCS, "parts/docs.vine")
    for name, words in (
        ("set", ["site", "reviewing"]),
        ("claim", ["changelog"]),
        ("expand", ["docs"]),
    ):
        said = cli.error("--read-only", "vine", name, "plan", *words, code=2)
        assert f"`{name}` changes files, and --read-only was given." in said
    assert path.read_text("utf-8") == PLAN
    for name in ("show", "list", "next", "graph", "validate"):
        assert cli("--read-only", "vine", name, "plan")


def test_json_of_changes_is_what_the_tool_answers(cli: Cli) -> None:
    path = write_plan(cli.project)
    write_plan(cli.project, DOCS, "parts/docs.vine")
    vine = VineFiles(cli.project.root)
    for words, operation in (
        (["set", "plan", "site", "reviewing"], {"op": "set_status", "id": "site", "status": "reviewing"}),
        (["claim", "plan", "changelog"], {"op": "claim", "id": "changelog"}),
    ):
        said = cli.json("vine", *words)
        path.write_text(PLAN, encoding="utf-8")
        assert said == json.loads(vine.write("plan", [operation]).text)
        path.write_text(PLAN, encoding="utf-8")
    expanded = cli.json("vine", "expand", "plan", "docs")
    assert expanded == {"ref_id": "docs", "message": 'Ref "docs" expanded.'}
