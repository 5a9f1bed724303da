"""`vine show`, `list`, `next` and `spec`: what people see of a task graph."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from chant_mcp import resources
from chant_mcp._core import VineFiles
from chant_mcp.commands import vine_display
from cli.kit import Cli, Start
from cli.plans import PLAN, plan_of, write_plan
from rich.console import Console

STEERING = "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b1m \u202egnorw"


def _rows(text: str) -> list[list[str]]:
    """Split a table's lines into cells; two blanks lie between cells at least."""
    lines = [line for line in text.splitlines() if "──" not in line]
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines]


def test_show_prints_how_far_a_plan_is_and_its_tasks(cli: Cli) -> None:
    write_plan(cli.project, PLAN.replace("(blocked)", "(complete)"))
    head, table = cli("vine", "show", "plan.vine").split("\n\n")
    assert _rows(head) == [
        ["Title", "Release 2.0"],
        ["Root", "ship: Ship the release (planning)"],
        ["Total tasks", "6"],
        ["Leaf tasks", "2"],
        ["Progress", "███░░░░░░░░░░░░░░░░░ 1 of 6 complete (17 %)"],
        ["Statuses", "1 complete, 1 started, 1 reviewing, 1 planning, 1 notstarted, 1"],
        ["ref"],
    ]
    assert _rows(table) == [
        ["ID", "NAME", "STATUS"],
        ["ship", "Ship the release", "planning"],
        ["changelog", "Write the changelog", "notstarted"],
        ["docs", "Update the manual (./parts/docs.vine)", "ref"],
        ["site", "Renew the web site @bob", "started"],
        ["texts", "Collect texts", "complete"],
        ["freeze", "Freeze features @ada", "reviewing"],
    ]


def test_show_leaves_out_what_there_is_not(cli: Cli) -> None:
    write_plan(cli.project, plan_of("r:complete"))
    text = cli("vine", "show", "plan")
    assert "Title" not in text
    assert "████████████████████ 1 of 1 complete (100 %)" in text
    assert "Statuses     1 complete " in text


def test_show_prints_everything_of_one_task(cli: Cli) -> None:
    write_plan(cli.project)
    text = cli("vine", "show", "plan", "--task", "freeze")
    assert _rows(text) == [
        ["ID", "freeze"],
        ["Name", "Freeze features"],
        ["Status", "reviewing"],
        ["Annotations", "@owner(ada)"],
        ["@tags(a, b)"],
        ["Decisions", "Only fixes of reported faults go in"],
        ["Attachments", "@artifact text/markdown ./freeze-list.md"],
        ["Needed by", "changelog (notstarted): Write the changelog"],
        ["docs (ref): Update the manual"],
    ]
    root = cli("vine", "show", "plan", "--task", "ship")
    assert "Publish the package and announce it." in root, "Markdown is rendered"
    for line in (
        "changelog (notstarted): Write the changelog",
        "docs (ref): Update the manual (./parts/docs.vine)",
    ):
        assert line in root
    reference = cli("vine", "show", "plan", "--task", "docs")
    assert "Status      ref" in reference
    assert "File        ./parts/docs.vine" in reference
    assert "\n              > Only fixes of reported faults go in" in reference
    assert "\n              @artifact text/markdown ./freeze-list.md" in reference


def test_show_has_the_whole_of_a_task_that_one_answer_cannot_hold(cli: Cli) -> None:
    ids = [f"t{number}" for number in range(900)]
    write_plan(cli.project, plan_of(f"r:planning>{','.join(ids)}", *(f"{id}:notstarted" for id in ids)))
    text = cli("vine", "show", "plan", "--task", "r")
    assert all(f"{id} (notstarted): {id.upper()}" in text for id in ids)
    data = cli.json("vine", "show", "plan", "--task", "r")
    assert [node["id"] for node in data["resolved_dependencies"]] == ids


def test_list_chooses_by_status_and_text(cli: Cli) -> None:
    write_plan(cli.project)

    def listed(*words: str) -> list[str]:
        text = cli("vine", "list", "plan", *words)
        ids = [row[0] for row in _rows(text)[1:]]
        assert ids == [node["id"] for node in cli.json("vine", "list", "plan", *words)]
        return ids

    assert listed() == ["ship", "changelog", "docs", "site", "texts", "freeze"]
    assert listed("--status", "started") == ["site"]
    assert listed("-s", "started", "-s", "ref") == ["docs", "site"]
    assert listed("--query", "THE RELEASE") == ["ship"]
    assert listed("-q", "the", "-s", "notstarted") == ["changelog"]
    assert cli("vine", "list", "plan", "-q", "zebra") == "No tasks found.\n"
    assert cli.json("vine", "list", "plan", "-q", "zebra") == []


def test_a_status_that_is_none_is_refused_with_those_there_are(cli: Cli) -> None:
    write_plan(cli.project)
    valid = "complete, started, reviewing, planning, notstarted, blocked, ref"
    said = f'Invalid status "done". Valid values: {valid}\n'
    for command in ("list", "graph"):
        assert cli.error("vine", command, "plan", "--status", "done").split() == said.split()


def test_next_says_what_can_be_done_and_how(cli: Cli) -> None:
    write_plan(cli.project, name="my plan.vine")
    assert cli("vine", "set", "my plan", "changelog", "started")
    text = "\n".join(line.rstrip() for line in cli("vine", "next", "my plan").splitlines())
    assert text == (
        "Needs expansion: chant-mcp vine expand 'my plan' ID\n"
        "  docs  Update the manual (./parts/docs.vine)\n"
        "\n"
        "Ready to complete: check, then chant-mcp vine set 'my plan' ID complete\n"
        "  freeze  Freeze features @ada\n"
        "\n"
        "Blocked: get help, then chant-mcp vine set 'my plan' ID notstarted\n"
        "  texts  Collect texts\n"
        "\n"
        "In progress: leave it to those at work\n"
        "  changelog  Write the changelog\n"
        "  site       Renew the web site @bob\n"
        "\n"
        "░░░░░░░░░░░░░░░░░░░░ 0 of 6 complete (0 %)"
    )


def test_next_says_how_many_entries_it_leaves_out(cli: Cli) -> None:
    ids = [f"t{number}" for number in range(60)]
    write_plan(cli.project, plan_of(f"r:planning>{','.join(ids)}", *(f"{id}:notstarted" for id in ids)))
    text = cli("vine", "next", "plan")
    assert "Ready to start: chant-mcp vine claim plan ID" in text
    assert "t49" in text
    assert "t50" not in text
    assert "  … 10 more; --limit 60 shows them.\n" in text
    everything = cli("vine", "next", "plan", "--limit", "60")
    assert "t59" in everything
    assert "more" not in everything
    assert len(cli.json("vine", "next", "plan", "--limit", "3")["ready_to_start"]) == 3


def test_next_says_what_is_waited_for_when_nothing_can_be_done(cli: Cli) -> None:
    write_plan(cli.project, plan_of("r:reviewing>a,e", "a:reviewing>b", "b:started", "e:ref>b"))
    text = [line.rstrip() for line in cli("vine", "next", "plan").splitlines()]
    assert text[0] == "Nothing can be done now but what is in progress."
    assert text[2:5] == ["In progress: leave it to those at work", "  b  B", ""]
    assert text[5:10] == [
        "Waiting: until that is in review or complete",
        "  r  for e",
        "  a  for b",
        "  e  for b",
        "",
    ]
    write_plan(cli.project, plan_of("r:complete>a", "a:complete"))
    assert cli("vine", "next", "plan").startswith("Nothing is left to do: all is complete.\n████")


def test_spec_prints_what_agents_read(cli: Cli) -> None:
    assert cli("vine", "spec") == resources.text("vine/brief.md")
    assert cli("vine", "spec", "--full") == resources.text("vine/full.md")


def test_json_is_what_the_core_and_the_tools_answer(cli: Cli) -> None:
    write_plan(cli.project)
    vine = VineFiles(cli.project.root)
    for words, text in (
        (["show", "plan"], vine.plan("plan").text),
        (["show", "plan", "--task", "docs"], vine.read("plan", "context", id="docs").text),
        (["list", "plan"], vine.read("plan", "list").text),
        (["list", "plan", "-s", "started"], vine.read("plan", "list", status="started").text),
        (["next", "plan"], vine.next("plan").text),
    ):
        assert cli.json("vine", *words) == json.loads(text), words
    data = cli.json("vine", "show", "plan")
    assert (data["title"], data["progress"]["total"], data["leaves"]) == ("Release 2.0", 6, 2)
    assert data["needs_expansion"] == ["docs"]


def test_names_start_in_the_working_folder_then_the_project(cli: Cli, tmp_path: Path) -> None:
    write_plan(cli.project)
    write_plan(cli.project, plan_of("here:started"), "sub/plan.vine")
    write_plan(cli.project, plan_of("other:started"), "other.vine")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cli.project.root / "sub")
        assert "here" in cli("vine", "list", "plan")
        assert "here" in cli("vine", "list", "./plan.vine")
        assert "other" in cli("vine", "list", "other")
        assert "changelog" in cli("vine", "list", "../plan")
        assert "changelog" in cli("vine", "list", "plan", "--project", str(cli.project.root))
        patch.chdir(tmp_path)
        assert "changelog" in cli("vine", "list", str(cli.project.root / "plan.vine"))
        said = cli.error("vine", "list", "plan").split()
        assert " ".join(said) == (
            f"File not found: plan (resolved to {tmp_path / 'plan'}) `chant-mcp vine new plan` makes it."
        )


def test_what_the_core_refuses_is_a_sentence(cli: Cli) -> None:
    write_plan(cli.project)
    assert cli.error("vine", "show", "plan", "--task", "nope") == "Task not found: nope\n"
    write_plan(cli.project, "vine 1.2.0\n")
    for command in ("show", "list", "next", "graph"):
        assert cli.error("vine", command, "plan").startswith(
            "Parse error (line 1): Missing preamble terminator"
        )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["lst"], "No such command 'lst'. Did you mean 'list'?"),
        (["show"], "`chant-mcp vine new plan.vine` makes the first one."),
        (["validate"], "Missing argument 'FILE...'."),
        (["set", "plan"], "Missing argument 'ID STATUS [ID STATUS]...'."),
        (["set", "plan", "a", "started", "b"], "Each ID needs a status behind it; 'b' has none."),
        (["graph", "plan", "--format", "svg"], "'svg' is not one of 'tree', 'mermaid', 'dot'."),
        (["next", "plan", "--limit", "-1"], "-1 is not in the range x>=0"),
    ],
)
def test_wrong_usage_is_exit_code_2(cli: Cli, words: list[str], said: str) -> None:
    assert said in cli.error("vine", *words, code=2)


def test_lines_stay_within_eighty_columns_and_ids_are_whole(cli: Cli) -> None:
    long = "a-rather/long/identifier-of-a-task"
    plan = PLAN.replace("[texts] Collect texts", f"[{long}] {'many words ' * 20}").replace(
        "-> texts", f"-> {long}"
    )
    write_plan(cli.project, plan + "".join(f"> {'x' * 200}\n" for _ in range(2)))
    for words in (
        ["show", "plan"],
        ["show", "plan", "--task", "site"],
        ["show", "plan", "--task", "freeze"],
        ["list", "plan"],
        ["next", "plan"],
        ["graph", "plan"],
    ):
        lines = cli("vine", *words).splitlines()
        assert max(map(len, lines)) <= 80, words
        assert any(long in line for line in lines) or "freeze" in words, words


def test_texts_of_plans_do_not_steer_the_terminal_and_are_no_markup(cli: Cli) -> None:
    name = f"{STEERING} [bold]x[/bold] :smile:"
    write_plan(
        cli.project,
        f"vine 1.2.0\ntitle: {name}\n---\n[r] {name} (blocked) @owner({STEERING})\n{STEERING}\n-> e\n"
        f"> {name}\n@file a/b {name}\n---\nref [e] {name} (./e.vine)\n> {name}\n",
    )
    write_plan(cli.project, f"vine 1.2.0\n---\n[r] R (started)\n-> {name}\n", "bad.vine")
    for words in (
        ["show", "plan"],
        ["show", "plan", "--task", "r"],
        ["list", "plan"],
        ["next", "plan"],
        ["graph", "plan"],
        ["graph", "plan", "--format", "dot"],
        ["graph", "plan", "--format", "mermaid"],
        ["set", "plan", "r", "started", "--dry-run"],
        ["claim", "plan", "r", "--force"],
        ["validate", "bad"],
        ["show", "bad"],
    ):
        result = cli.run("vine", *words)
        assert result.output
        assert not any(character in result.output for character in "\x1b\x07\x9b\u202e"), words
    assert "[bold]x[/bold] :smile:" in " ".join(cli("vine", "list", "plan").split())


def test_statuses_are_coloured_at_a_terminal_alone(cli: Cli) -> None:
    write_plan(cli.project)
    for words in (
        ["show", "plan"],
        ["next", "plan"],
        ["graph", "plan"],
        ["set", "plan", "site", "started", "--dry-run"],
    ):
        assert "\x1b" not in cli("vine", *words)
    out = Console(force_terminal=True, color_system="standard", width=80)
    with out.capture() as printed:
        out.print(vine_display.task_table([{"id": "a", "shortName": "A", "status": "complete"}]))
        out.print(vine_display.diff_text("-[a] A (started)\n+[a] A (complete)"))
    assert "\x1b[32mcomplete" in printed.get()
    assert "\x1b[31m-[a] A (started)" in printed.get()


def test_output_is_utf8_and_a_closed_pipe_is_no_trouble(
    cli: Cli, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [f"t{number}" for number in range(3_000)]
    write_plan(cli.project, plan_of(f"r:planning>{','.join(ids)}", *(f"{id}:notstarted" for id in ids)))
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    out, err = start(cli.project.root, "vine", "next", "plan").end()
    assert "░░░" in out
    assert err == ""
    for words in (["list", "plan"], ["list", "plan", "--json"], ["graph", "plan"]):
        running = start(cli.project.root, "vine", *words)
        assert running.line()
        assert running.stop_reading() == "", words


def test_the_commands_are_listed(cli: Cli) -> None:
    text = cli("vine", "--help")
    for name in ("show", "list", "next", "graph", "validate", "set", "claim", "expand", "spec"):
        assert f"\n  {name} " in text
        assert "Usage: chant-mcp vine" in cli("vine", name, "--help")
