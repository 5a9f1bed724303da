"""Checks of a request in CI: annotations with file and line, by the policy of the target alone."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from cli.kit import Cli
from harness import Project

ACTION = Path(__file__).parents[2] / "action.yml"

GOOD = "# Good\n\n## Acceptance Criteria\n\n- [ ] It works\n"

ID = "2026-01-22-001-x7m"

HEAD = "---\ntype: code\nstatus: pending\n"

FAULTS = {
    "broken front matter": "---\ntype: [code\n---\n\n# Title\n",
    "unknown dependency": f"{HEAD}depends_on: [2026-01-22-404-zzz]\n---\n\n{GOOD}",
    "unknown status": f"---\ntype: code\nstatus: flying\n---\n\n{GOOD}",
    "unknown type": f"---\ntype: poem\nstatus: pending\n---\n\n{GOOD}",
    "no title": f"{HEAD}---\n\nText without a title.\n",
    "many criteria": f"{HEAD}---\n\n# T\n\n## Acceptance Criteria\n\n"
    + "".join(f"- [ ] Number {number}\n" for number in range(12)),
    "many files": f"{HEAD}target_files: [a, b, c, d, e, f, g]\n---\n\n{GOOD}",
    "names another": f"{HEAD}---\n\nSee 2026-01-22-002-abc.\n\n{GOOD}",
    "conflict marks": f"{HEAD}---\n\n{GOOD}\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n",
    "list for a text": f"---\ntype: code\nstatus: [pending]\n---\n\n{GOOD}",
}


@pytest.fixture
def request_of(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A checkout of a request whose target is a branch of the remote."""
    project.config("project:\n  name: ferry\n")
    project.spec("2026-01-22-002-abc", body=GOOD)
    project.repository()
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "remote")], check=True)
    project.git("remote", "add", "origin", str(tmp_path / "remote"))
    project.git("push", "-q", "origin", "main")
    project.git("fetch", "-q", "origin")
    project.git("switch", "-qc", "request")
    monkeypatch.chdir(project.root)
    monkeypatch.delenv("GITHUB_EVENT_NAME", raising=False)
    return project


def commit(project: Project) -> None:
    project.git("add", "-A")
    project.git("commit", "-qm", "Change", "--allow-empty")


def test_each_fault_is_annotated_with_file_and_line(request_of: Project) -> None:
    for at, text in enumerate(FAULTS.values()):
        request_of.write(f"2026-01-23-{at:03}-bad", text)
    commit(request_of)
    result = Cli(request_of).run("ci", "--target", "main", "--check", "lint")
    assert result.exit_code == 1
    missing: list[str] = []
    for at, name in enumerate(FAULTS):
        file = f".chant/specs/2026-01-23-{at:03}-bad.md"
        found = re.findall(
            rf"^::(?:error|warning) file={file},line=(\d+),(?:\w+=\d+,)+title=lint%3A ", result.stdout, re.M
        )
        missing += [] if found else [name]
        lines = len((request_of.root / file).read_text("utf-8").splitlines())
        assert all(1 <= int(line) <= lines for line in found), name
    assert not missing, result.stdout
    dependency = "2026-01-23-001-bad.md,line=4,col=14,endColumn=32,title=lint%3A dependency::"
    assert f"::error file=.chant/specs/{dependency}" in result.stdout


def test_the_policy_of_the_request_is_not_asked(request_of: Project) -> None:
    request_of.write(ID, FAULTS["many criteria"])
    request_of.config("project:\n  name: ferry\nlint:\n  thresholds:\n    complexity_criteria: 100\n")
    commit(request_of)
    cli = Cli(request_of)
    assert "12 acceptance criteria" not in cli.run("lint").stdout, "it would pass by its own"
    result = cli.run("ci", "--target", "main", "--check", "lint")
    assert "12 acceptance criteria" in result.stdout
    assert (request_of.root / ".chant/config.md").read_text().count("100") == 1, "the checkout stays as it is"
    assert len(request_of.git("worktree", "list").splitlines()) == 1


def test_a_text_of_the_request_is_no_command_of_the_runner(request_of: Project) -> None:
    evil = "x%0A::add-mask::y\\n::set-output name=a::b"
    request_of.write(ID, f'---\ntype: code\nstatus: pending\ndepends_on: ["{evil}"]\n---\n\n{GOOD}')
    commit(request_of)
    lines = Cli(request_of).run("ci", "--target", "main", "--check", "lint").stdout.splitlines()
    commands = [line for line in lines if line.startswith("::")]
    assert commands
    assert all(re.match(r"::(error|warning|stop-commands|[0-9a-f]{32})", line) for line in commands)


def test_exit_codes_summary_and_events(
    request_of: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli = Cli(request_of)
    page = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    said = cli("ci", "--target", "main", "--check", "lint", "--check", "receipts")
    assert "lint: passes" in said
    assert "| receipts | passes | 0 |" in page.read_text("utf-8")
    request_of.spec(ID, body="# Old\n", status="completed")
    commit(request_of)
    failed = cli.run("ci", "--target", "main", "--check", "receipts")
    assert failed.exit_code == 1
    assert f"::error file=.chant/specs/{ID}.md,line=1,title=receipt%3A no receipt::" in failed.stdout
    assert "is not here" in cli.error("ci", "--target", "nowhere")
    assert "is no name of a branch" in cli.error("ci", "--target", "--upload-pack=x")
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request_target")
    assert "is not for the event" in cli.error("ci", "--target", "main")


def test_the_action_puts_no_input_into_a_script(tmp_path: Path) -> None:
    text = ACTION.read_text("utf-8")
    scripts = re.findall(r"run: \|\n((?: {8}.*\n|\n)+)", text)
    assert len(scripts) == 2
    assert not any("${{" in script for script in scripts)
    assert "--require-hashes" in scripts[0]
    program = tmp_path / "chant-mcp"
    program.write_text('#!/bin/sh\necho "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "git").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "git").chmod(0o755)

    def run(checks: str, target: str) -> subprocess.CompletedProcess[str]:
        path = f"{tmp_path}:{os.environ['PATH']}"
        variables = {"CHECKS": checks, "TARGET": target, "CHANT_MCP_PROGRAM": str(program), "PATH": path}
        script = "\n".join(line[8:] for line in scripts[1].splitlines())
        return subprocess.run(
            ["bash", "-c", script], env=variables, capture_output=True, text=True, check=False
        )

    assert run("fence lint", "main").stdout == "ci --target main --check fence --check lint\n"
    for checks, target in (
        ("lint rm", "main"),
        ("lint", "main; touch x"),
        ("lint", "--x"),
        ("$(id)", "main"),
    ):
        assert run(checks, target).returncode == 2
