"""Commands for people: what they print, their JSON, and their exit codes."""

from __future__ import annotations

import pytest
from cli.kit import Cli
from writing import tree

FIRST = "2026-01-22-001-x7m"
SECOND = "2026-01-22-002-k3f"
CRITERIA = "# Log in\n\n## Acceptance Criteria\n\n- [x] Works\n- [ ] Tested"


def test_list_prints_id_status_title_and_labels(cli: Cli) -> None:
    cli.project.spec(FIRST, body="# Log in", status="in_progress", labels=["auth"])
    cli.project.spec(SECOND, body="no title", type="driver")
    text = cli("list")
    assert FIRST in text
    assert "in_progress" in text
    assert "Log in #auth" in text
    assert "(no title) (driver)" in text


def test_list_filters_by_status(cli: Cli) -> None:
    cli.project.spec(FIRST, status="completed")
    cli.project.spec(SECOND, status="cancelled")
    assert SECOND not in cli("list")
    assert [spec["id"] for spec in cli.json("chant", "list", "--status", "cancelled")["specs"]] == [SECOND]
    assert cli("list", "--status", "failed") == "No specs are failed.\n"
    cli.project.spec(FIRST, status="cancelled")
    assert cli("list") == "All specs (2) are cancelled; --status cancelled lists them.\n"


def test_list_without_specs_says_so(cli: Cli) -> None:
    assert cli("list") == "No specs. `chant-mcp add TEXT` creates the first one.\n"


def test_a_list_that_is_cut_says_how_to_see_the_rest(cli: Cli) -> None:
    for number in range(55):
        cli.project.spec(f"2026-01-22-{number:03}-abc")
    assert "50 of 55 specs shown; --all shows the rest." in cli("list")
    assert "1 of 55 specs shown" in cli("list", "--limit", "1")
    everything = cli("list", "--all")
    assert "2026-01-22-054-abc" in everything
    assert "shown" not in everything


def test_all_gathers_more_than_one_answer_holds(cli: Cli) -> None:
    for number in range(60):
        cli.project.spec(f"2026-01-22-{number:03}-abc", labels=["x" * 1_000])
    page = cli.json("chant", "list", "--limit", "60")
    everything = cli.json("chant", "list", "--all")
    for data in (page, everything):
        assert [spec["id"][11:14] for spec in data["specs"]] == [f"{number:03}" for number in range(60)]
        assert (data["total"], data["returned"]) == (60, 60)
        assert "next_offset" not in data
    cut = cli.json("chant", "list", "--limit", "55")
    assert (len(cut["specs"]), cut["next_offset"]) == (55, 55)


def test_ready_prints_what_waits_for_nothing(cli: Cli) -> None:
    cli.project.spec(FIRST)
    cli.project.spec(SECOND, depends_on=[FIRST])
    text = cli("ready")
    assert FIRST in text
    assert SECOND not in text
    cli.project.spec(FIRST, status="in_progress")
    assert cli("ready") == "No specs are ready.\n"


def test_show_prints_fields_and_the_rendered_body(cli: Cli) -> None:
    cli.project.spec(FIRST, status="in_progress")
    body = f"{CRITERIA}\n\nSome *emphasis*."
    cli.project.spec(SECOND, depends_on=[FIRST], labels=["auth", "web"], target_files=["a.py"], body=body)
    text = cli("show", "k3f")
    for line in (
        f"ID            {SECOND}",
        "Status        blocked",
        "Criteria      1 of 2 met",
        f"Waiting for   {FIRST} (dependency, in_progress)",
        "Labels        auth, web",
        "Target files  a.py",
        "Some emphasis.",
    ):
        assert line in text
    assert "Branch" not in text, "absent values are left out"


def test_show_prints_what_else_the_file_says(cli: Cli) -> None:
    keys = {"tracks": ["a.py", "b.py"], "retry_state": "{attempts: 1}", "approval": "{required: true}"}
    cli.project.spec(FIRST, type="documentation", public="false", **keys)
    text = " ".join(cli("show", FIRST).split())
    for part in (
        "tracks a.py b.py",
        'retry_state {"attempts": 1}',
        "Approval required, pending",
        "public false",
    ):
        assert part in text


def test_show_raw_prints_the_body_alone(cli: Cli) -> None:
    cli.project.spec(FIRST, body="# Log in\n\nSome *emphasis*.")
    assert cli("show", "--raw", FIRST) == "# Log in\n\nSome *emphasis*.\n"


def test_show_has_the_whole_of_a_body_that_one_answer_cannot_hold(cli: Cli) -> None:
    body = "# Long\n\n" + "\n".join(f"Line {number} of the body" for number in range(6_000))
    cli.project.spec(FIRST, body=body)
    assert cli("show", "--raw", FIRST) == f"{body}\n"
    data = cli.json("show", FIRST)
    assert data["body"] == body
    assert "next_offset" not in data


def test_status_prints_counts_and_activity(cli: Cli) -> None:
    cli.project.spec(FIRST, status="in_progress", body="# Log in")
    cli.project.spec(SECOND)
    counts = {
        line.split()[0]: line.split()[1] for line in cli("status").splitlines() if len(line.split()) == 2
    }
    assert (counts["in_progress"], counts["pending"], counts["failed"], counts["total"]) == (
        "1",
        "1",
        "0",
        "2",
    )
    activity = cli("status", "--activity")
    assert "no log" in activity
    assert "Log in" in activity


def test_lint_prints_findings_and_scores(cli: Cli) -> None:
    cli.project.spec(FIRST, depends_on=["2026-01-22-009-zzz"], body="no title")
    text = cli("lint", code=1)
    whole = " ".join(text.split())
    lines = cli.project.path(FIRST).read_text("utf-8").splitlines()
    ((line, column),) = [(at, text.index("2026")) for at, text in enumerate(lines, 1) if "009-zzz" in text]
    place = f".chant/specs/{FIRST}.md:{line}:{column + 1}: "
    assert f"{place}error dependency: Unknown dependency '2026-01-22-009-zzz'" in whole
    assert f".chant/specs/{FIRST}.md:{lines.index('no title') + 1}:1: error title: Missing title" in whole
    (found, _) = cli.json("lint", code=1)["diagnostics"]
    assert [found[key] for key in ("path", "line", "column", "end_line", "end_column")] == [
        f".chant/specs/{FIRST}.md",
        line,
        column + 1,
        line,
        column + 1 + len("2026-01-22-009-zzz"),
    ]
    assert "Complexity" in text
    assert "red" in text
    assert "1 checked: 2 errors, 0 warnings; 0 green, 0 yellow, 1 red." in text
    assert "→ Add at least 1 acceptance criteria checkbox" in cli("lint", "x7m", code=1)


def test_lint_all_shows_what_a_page_leaves_out(cli: Cli) -> None:
    for number in range(55):
        cli.project.spec(f"2026-01-22-{number:03}-abc")
    page = cli.json("lint")
    assert len(page["scores"]) == 50
    assert "--all shows the rest" in cli("lint")
    assert len(cli.json("lint", "--all")["scores"]) == 55


def test_search_prints_matches_with_the_line_found(cli: Cli) -> None:
    cli.project.spec(FIRST, body="# Log in\n\nUse the harbour's key.")
    cli.project.spec(SECOND, status="completed", body="# Other\n\nThe harbour again.")
    text = cli("search", "HARBOUR", "--status", "pending")
    assert FIRST in text
    assert "the harbour's key" in text
    assert SECOND not in text
    assert cli("search", "nothing like it") == "No specs match.\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--type", "cod"], "Invalid parameter 'type': expected one of code, task, driver"),
        (["--depends-on", "99"], "Invalid parameter 'depends_on': no spec is called '99'"),
        (["--prompt", "nope"], "Invalid parameter 'prompt': there is no .chant/prompts/nope.md"),
    ],
)
def test_add_refuses_what_would_be_broken(cli: Cli, words: list[str], said: str) -> None:
    before = tree(cli.project.root)
    error = " ".join(cli.error("add", "Log out", *words).split())
    assert error.startswith(said)
    assert error.endswith("`--force` writes it all the same.")
    assert tree(cli.project.root) == before
    assert cli("add", "Log out", *words, "--force").startswith("Created spec: ")


def test_add_prints_the_path(cli: Cli) -> None:
    first, second = cli("add", "Log out").splitlines()[:2]
    path = second.removeprefix("File: ")
    assert path == f".chant/specs/{first.removeprefix('Created spec: ')}.md"
    assert (cli.project.root / path).is_file()
    assert (cli.project.root / cli.json("add", "Log in")["path"]).is_file()


def test_add_creates_a_spec_and_prints_its_id(cli: Cli) -> None:
    cli.project.spec(FIRST)
    cli.project.spec(SECOND, type="driver")
    words = ["--prompt", "standard", "--criterion", "Works", "--criterion", "Tested", "--depends-on", "x7m"]
    words += [
        "--label",
        "auth",
        "--label",
        "web",
        "--target-file",
        "a.py",
        "--type",
        "task",
        "--parent",
        "k3f",
    ]
    text = cli("add", "Log out", *words)
    assert text.startswith(f"Created spec: {SECOND}.1\n")
    written = cli.project.text(f"{SECOND}.1")
    for part in ("type: task", "prompt: standard", f"- {FIRST}", "- auth", "- web", "- a.py", "# Log out"):
        assert part in written
    assert "- [ ] Works\n- [ ] Tested" in written


def test_verify_prints_criteria_and_exits_with_1_until_all_are_met(cli: Cli) -> None:
    cli.project.spec(FIRST, body=CRITERIA)
    text = cli("verify", "x7m", code=1)
    assert "not verified" in text
    assert "1 of 2 met" in text
    assert "- [ ] Tested" in text
    cli.project.spec(FIRST, body=CRITERIA.replace("[ ]", "[x]"))
    assert "All acceptance criteria met" in cli("verify", "x7m")


def test_log_prints_the_last_lines(cli: Cli) -> None:
    cli.project.spec(FIRST)
    cli.project.log(FIRST, "2026-02-02T10:00:00Z one\n2026-02-02T10:00:05Z two\n2026-02-02T10:00:09Z three\n")
    assert cli("log", "x7m", "-n", "2") == "2026-02-02T10:00:05Z two\n2026-02-02T10:00:09Z three\n"
    assert cli("log", "x7m", "--since", "2026-02-02T10:00:06Z") == "2026-02-02T10:00:09Z three\n"
    assert cli("log", "x7m", "-n", "0") == ""
    cli.project.spec(SECOND)
    assert cli.error("log", SECOND).startswith(f"No log file found for spec '{SECOND}'.")


def test_diagnose_prints_checks_and_exits_with_1_when_one_fails(cli: Cli) -> None:
    cli.project.spec(FIRST)
    text = cli("diagnose", "x7m")
    assert "Spec file" in text
    assert "All checks passed. Spec appears healthy." in text
    cli.project.spec(FIRST, status="completed", body=CRITERIA)
    failed = cli("diagnose", "x7m", code=1)
    assert "failed" in failed
    assert "Status is completed but acceptance criteria unchecked" in " ".join(failed.split())


def test_json_is_the_answer_of_the_tool(cli: Cli) -> None:
    cli.project.spec(FIRST, body=CRITERIA)
    cli.project.log(FIRST, "line\n")
    chant = cli.project.server()._offered.session.chant  # pyright: ignore[reportPrivateUsage]
    for words, code, core in (
        (["list"], 0, chant.spec_list()),
        (["ready"], 0, chant.ready()),
        (["show", FIRST], 0, chant.spec_get(FIRST)),
        (["status"], 0, chant.status()),
        (["status", "--activity"], 0, chant.status(include_activity=True)),
        (["lint"], 0, chant.lint()),
        (["search", "log"], 0, chant.search("log")),
        (["verify", FIRST], 1, chant.verify(FIRST)),
        (["log", FIRST], 0, chant.log(FIRST)),
        (["diagnose", FIRST], 0, chant.diagnose(FIRST)),
    ):
        assert cli.json("chant", *words, code=code) == core.data, words
    added = cli.json("add", "Log out")
    assert added["message"].startswith(f"Created spec: {added['spec_id']}")
    assert cli.project.path(added["spec_id"]).is_file()


def test_the_same_commands_stand_under_chant(cli: Cli) -> None:
    cli.project.spec(FIRST, body=CRITERIA)
    for words in (["list"], ["ready"], ["show", FIRST], ["status"], ["search", "log"], ["lint"]):
        assert cli("chant", *words) == cli(*words)
    assert cli("chant", "verify", FIRST, code=1) == cli("verify", FIRST, code=1)
    assert "Created spec: " in cli("chant", "add", "Log out")
    for name in ("log", "diagnose"):
        assert name in cli("chant", "--help")


def test_problems_are_told_below_the_table(cli: Cli) -> None:
    cli.project.spec(FIRST)
    cli.project.write("2026-01-22-003-bad", "---\nlabels: [a\n---\n")
    for command in ("list", "ready", "status"):
        table, problems = cli(command).split("Problems:")
        assert "003-bad" not in table
        assert ".chant/specs/2026-01-22-003-bad.md:" in problems
    assert cli.json("list")["problems"]
