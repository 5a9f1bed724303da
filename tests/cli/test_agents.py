"""`agents` and what `doctor` says of those that are installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.kit import Cli

FIRST = "2026-01-22-001-x7m"

CODEX = """\
#!/bin/sh
case "$*" in
  --version) echo "warning: 3 files" >&2; echo "codex-cli 9.9.1";;
  "exec --help") echo "  --json --cd --skip-git-repo-check -m, --model -c, --config --sandbox";;
  "login status") echo "Not logged in"; exit 1;;
  *) touch "{mark}"; cat; echo OK;;
esac
"""


@pytest.fixture
def mark(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A project whose agent is a codex that forgot a flag; the file shows that its model was asked."""
    mark = tmp_path / "asked"
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "codex").write_text(CODEX.replace("{mark}", str(mark)), encoding="utf-8")
    (programs / "codex").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    for name in ("CODEX_API_KEY", "CODEX_ACCESS_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    cli.project.spec(FIRST)
    cli.project.config("defaults:\n  provider: codex\n")
    cli.project.repository()
    return mark


def test_agents_are_listed_with_release_and_login(cli: Cli, mark: Path) -> None:
    found = cli.json("agents", "list")
    agents = {one["name"]: one for one in found["agents"]}
    assert found["chosen"] == "codex"
    codex = agents["codex"]
    assert (codex["version"], codex["logged_in"], codex["login"]) == (
        "codex-cli 9.9.1",
        False,
        "`codex login status`",
    )
    assert agents["goose"]["path"] is None
    assert [agents[name]["is_tested"] for name in ("codex", "goose")] == [True, False]
    assert "codex-cli 9.9.1" in cli("agents", "list")
    assert not mark.exists()


def test_an_agent_is_shown_with_both_ways_to_start_it(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURSOR_API_KEY", "tide-1999-tide")
    shown = cli.json("agents", "show", "cursor")
    assert shown["name"] == "cursor-agent"
    assert "--force" in shown["confined"]["argv"]
    assert shown["guarded"] is None
    assert shown["guarded_refusal"]
    assert shown["passed"] == ["CURSOR_API_KEY"]
    claude = cli.json("agents", "show", "claude")
    assert "dontAsk" in claude["guarded"]["argv"]
    assert claude["limits"] == ["turns", "cost_usd"]
    text = cli("agents", "show", "cursor")
    assert "untested" in text
    assert "tide-1999-tide" not in text
    assert "Unknown agent 'nobody'" in cli.error("agents", "show", "nobody")


def test_the_doctor_tells_login_drift_and_whether_the_agent_starts_where_runs_work(
    cli: Cli, mark: Path
) -> None:
    found = cli.json("doctor", code=1)
    codex = found["agents"][0]
    assert codex["version"] == "codex-cli 9.9.1"
    assert codex["tested_release"] not in (None, codex["version"])
    assert codex["unknown_flags"] == ["--dangerously-bypass-approvals-and-sandbox"]
    assert codex["logged_in"] is False
    assert codex["hello"]["works"] is True, codex["hello"]
    problems = " ".join(found["problems"])
    assert "Agent 'codex' is not logged in: run `codex login`" in problems
    assert "but the help of the installed release does not list that" in problems
    assert not mark.exists(), "no model is asked without --live"


@pytest.mark.parametrize(("release", "is_told"), [("2.1.276", True), ("2.1.277", False), ("3.0.0", False)])
def test_the_doctor_names_an_agent_that_is_too_old_for_agents_md(
    cli: Cli, mark: Path, release: str, is_told: bool
) -> None:
    program = mark.parent / "bin" / "claude"
    program.write_text(f'#!/bin/sh\necho "{release} (Claude Code)"\n', encoding="utf-8")
    program.chmod(0o755)
    cli.project.config("defaults:\n  provider: claude\n")
    told = f"Agent 'claude' {release} does not read AGENTS.md: install 2.1.277 or later."
    assert (told in cli.json("doctor", code=int(is_told))["problems"]) is is_told


def test_the_doctor_asks_a_model_only_after_it_asked_a_person(cli: Cli, mark: Path) -> None:
    refused = cli.run("doctor", "--live")
    assert refused.exit_code == 1
    assert "which costs" in refused.stderr
    found = cli.json("doctor", "--live", "--yes", code=1)
    hello = found["agents"][0]["hello"]
    assert (hello["is_live"], hello["works"]) == (True, True), hello
    assert "single word OK" in hello["told"]


def test_the_table_of_agents_says_what_we_ran(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    text = (Path(__file__).parents[2] / "docs/guide/agents.md").read_text(encoding="utf-8")
    for one in cli.json("agents", "list")["agents"]:
        bounds = "bounds itself" if one["can_be_guarded"] else "refused"
        row = f"| {one['title']} | `{one['name']}` | {one['tested_release'] or 'untested'} | {bounds} |"
        assert row in text.splitlines(), row
