"""`vine validate`: every problem at its place, as compilers tell it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.kit import Cli
from cli.plans import PLAN, plan_of, write_plan

BROKEN = """\
vine 1.2.0
---
[a] A (complete)
-> zz
->   b
---
[b] B (complete)
-> c
---
[c] C (complete)
-> b
---
[isle] I (started)
"""


def test_a_valid_file_is_said_to_be_so(cli: Cli) -> None:
    write_plan(cli.project)
    assert cli("vine", "validate", "plan.vine") == "✓ Valid — 6 task(s).\n"
    write_plan(cli.project, plan_of("r:complete>a", "a:started"))
    result = cli.run("vine", "validate", "plan")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == '✓ Valid — 2 task(s).\nWarning: the root "r" is complete, 1 other(s) are not.\n'


def test_each_violation_is_told_with_its_line(cli: Cli) -> None:
    write_plan(cli.project, BROKEN)
    assert cli.error("vine", "validate", "plan") == (
        'plan.vine:4:4: error[valid-dependency-refs]: Task "a" references unknown dependency "zz".\n'
        "    4 │ -> zz\n"
        "      │    ^^\n"
        "plan.vine:8:4: error[no-cycles]: Cycle detected: b → c → b.\n"
        "    8 │ -> c\n"
        "      │    ^\n"
        "plan.vine:13:2: error[no-islands]: Found 1 island task(s) not reachable from root: isle.\n"
        "   13 │ [isle] I (started)\n"
        "      │  ^^^^\n"
        "3 problems in 1 of 1 file.\n"
    )


def test_a_parse_error_is_told_with_its_line(cli: Cli) -> None:
    write_plan(cli.project, "vine 1.2.0\r\n---\r\n  [名]\u3000Näme (done)\t\r\n")
    assert cli.error("vine", "validate", "plan") == (
        'plan.vine:3:3: error[parse]: Invalid task header: "[名]\u3000Näme (done)"\n'
        "    3 │   [名]\u3000Näme (done) \n"
        "      │   ^^^^^^^^^^^^^^^^^\n"
        "1 problem in 1 of 1 file.\n"
    )
    write_plan(cli.project, "vine 1.2.0\n---\n[a] A (started)\n-> \u3000zz\n")
    marks = cli.error("vine", "validate", "plan").splitlines()[2]
    assert marks == "      │      ^^", "a wide character takes two columns"


def test_of_a_long_line_the_piece_that_is_meant_is_shown(cli: Cli) -> None:
    blanks = " " * 300
    write_plan(cli.project, f"vine 1.2.0\n---\n{blanks}[名前] A (done) {'x' * 300}\n")
    lines = cli.error("vine", "validate", "plan").splitlines()
    assert lines[0].startswith("plan.vine:3:301: error[parse]: ")
    shown, marks = lines[1], lines[2]
    assert "[名前] A (done) xxx" in shown
    assert shown.endswith("…")
    assert marks.index("^") == shown.index("[")
    assert max(map(len, lines[1:])) <= 80
    write_plan(cli.project, f"vine 1.2.0\n---\n[a] A (complete)\n-> {'long ' * 60}\n")
    lines = cli.error("vine", "validate", "plan").splitlines()
    assert lines[1].startswith("    4 │ -> long long")
    assert lines[2] == f"      │    {'^' * 69}"


def test_what_cannot_be_read_is_told_without_a_line(cli: Cli) -> None:
    nowhere = cli.project.root / "nope"
    assert cli.error("vine", "validate", "nope") == (
        f"nope: error[not-found]: File not found: nope (resolved to {nowhere})\n1 problem in 1 of 1 file.\n"
    )
    (cli.project.root / "bytes.vine").write_bytes(b"\xff\xfe")
    assert cli.error("vine", "validate", "bytes").startswith(
        "bytes.vine: error[invalid-document]: `bytes` cannot be read: it is not UTF-8 text"
    )


def test_several_files_are_checked_to_the_end(cli: Cli) -> None:
    write_plan(cli.project)
    write_plan(cli.project, plan_of("r:started>x"), "bad.vine")
    write_plan(cli.project, plan_of("r:started"), "sub/other.vine")
    result = cli.run("vine", "validate", "bad", "nope", "plan", "sub/other")
    assert result.exit_code == 1
    assert result.stdout == "✓ plan.vine: Valid — 6 task(s).\n✓ sub/other.vine: Valid — 1 task(s).\n"
    assert "bad.vine:4:4: error[valid-dependency-refs]" in result.stderr
    assert "nope: error[not-found]" in result.stderr
    assert result.stderr.endswith("\n2 problems in 2 of 4 files.\n")


def test_a_folder_stands_for_all_files_below_it(cli: Cli) -> None:
    deep = "a/b/c/d/e/f/deep.vine"
    write_plan(cli.project, plan_of("r:started>x"), f"plans/{deep}")
    write_plan(cli.project, name="plans/one.vine")
    write_plan(cli.project, "no plan at all", "plans/one.md")
    write_plan(cli.project, "broken", "plans/build/made.vine")
    write_plan(cli.project, "build/\n", "plans/.gitignore")
    for folder in ("plans", "plans/", "./plans", str(cli.project.root / "plans")):
        result = cli.run("vine", "validate", folder)
        assert result.stdout == "✓ plans/one.vine: Valid — 6 task(s).\n"
        assert f"plans/{deep}:4:4: error" in result.stderr
        assert result.stderr.endswith("\n1 problem in 1 of 2 files.\n")
    (cli.project.root / "empty").mkdir()
    assert cli.error("vine", "validate", "plans", "empty") == (
        "No .vine file below empty. Name a file, or a folder that holds some.\n"
    )


def test_a_file_is_preferred_to_a_folder_of_its_name(cli: Cli) -> None:
    write_plan(cli.project, name="plan.vine")
    write_plan(cli.project, "broken", "plan/part.vine")
    assert cli("vine", "validate", "plan") == "✓ Valid — 6 task(s).\n"
    assert "plan/part.vine:1:1: error[parse]" in cli.error("vine", "validate", "plan/")


def test_json_has_the_problems_of_all_files(cli: Cli) -> None:
    write_plan(cli.project, BROKEN)
    write_plan(cli.project, PLAN, "good.vine")
    found = cli.json("vine", "validate", "plan", "good", "nope", code=1)
    assert found["valid"] is False
    assert found["files"] == [
        {"file": "plan.vine", "valid": False, "message": None},
        {"file": "good.vine", "valid": True, "message": "Valid — 6 task(s)."},
        {"file": "nope", "valid": False, "message": None},
    ]
    places = [(problem["file"], problem["line"], problem["constraint"]) for problem in found["problems"]]
    assert places == [
        ("plan.vine", 4, "valid-dependency-refs"),
        ("plan.vine", 8, "no-cycles"),
        ("plan.vine", 13, "no-islands"),
        ("nope", None, "not-found"),
    ]
    assert found["problems"][1] == {
        "file": "plan.vine",
        "constraint": "no-cycles",
        "message": "Cycle detected: b → c → b.",
        "line": 8,
        "column": 4,
        "length": 1,
        "source": "-> c",
    }
    assert cli.json("vine", "validate", "good") == {
        "valid": True,
        "files": [{"file": "good.vine", "valid": True, "message": "Valid — 6 task(s)."}],
        "problems": [],
    }


def test_files_are_shown_as_the_terminal_finds_them(cli: Cli, tmp_path: Path) -> None:
    write_plan(cli.project, "broken")
    (cli.project.root / "sub").mkdir()
    path = (cli.project.root / "plan.vine").resolve()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cli.project.root / "sub")
        assert cli.error("vine", "validate", "plan").startswith(f"{path}:1:1: error[parse]")
        patch.chdir(tmp_path)
        assert cli.error("vine", "validate", str(path)).startswith("project/plan.vine:1:1: error[parse]")
