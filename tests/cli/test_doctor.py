"""`doctor` shows what agents would find, and nothing that is secret."""

from __future__ import annotations

import json

import pytest
from cli.kit import Cli

FIRST = "2026-01-22-001-x7m"
CONFIG = "defaults:\n  provider: {}\nenv:\n  pass: [DATABASE_URL]\n"


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Secrets around us."""
    found = {
        "AWS_SECRET_ACCESS_KEY": "salt-4711-salt",
        "ANTHROPIC_API_KEY": "pier-0815-pier",
        "OPENAI_API_KEY": "rope-2342-rope",
        "DATABASE_URL": "postgres://ada:tide-1999@host/db",
        "HTTPS_PROXY": "http://ada:crab-1234@proxy:3128",
    }
    for name, value in found.items():
        monkeypatch.setenv(name, value)
    return found


def test_what_an_agent_would_get_is_shown_with_secrets_masked(cli: Cli, secrets: dict[str, str]) -> None:
    cli.project.spec(FIRST)
    cli.project.config(CONFIG.format("demo"))
    cli.project.repository()
    found = cli.json("doctor")
    passed = {one["name"]: one["shown"] for one in found["environment"]["passed"]}
    assert passed["DATABASE_URL"] == f"…({len(secrets['DATABASE_URL'])} characters)"
    assert "/" in passed["PATH"]
    assert found["environment"]["withheld"] == [
        "ANTHROPIC_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "OPENAI_API_KEY",
    ]
    assert found["problems"] == []
    assert found["git"]["commits_by"] == "Ada <ada@example.org>"
    assert found["dialects"] == ["chant"]
    assert found["trust"] == "trusted: `trust.roots` of your own configuration names it"
    for printed in (cli("doctor"), json.dumps(found)):
        assert not [value for value in secrets.values() if value in printed]
        assert "AWS_SECRET_ACCESS_KEY" in printed


def test_the_configured_agent_gets_its_credentials(cli: Cli, secrets: dict[str, str]) -> None:
    cli.project.spec(FIRST)
    cli.project.config(CONFIG.format("openai"))
    cli.project.repository()
    found = cli.json("doctor", code=1)
    passed = {one["name"] for one in found["environment"]["passed"]}
    assert "OPENAI_API_KEY" in passed
    assert "ANTHROPIC_API_KEY" not in passed
    assert any("no model is named" in problem for problem in found["problems"])


def test_what_is_wrong_is_said_and_ends_with_exit_code_one(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.project.spec(FIRST)
    cli.project.config("defaults:\n  provider: own\nagents:\n  own:\n    command: [no-such-program]\n")
    monkeypatch.delenv("GIT_AUTHOR_NAME")
    text = " ".join(cli("doctor", code=1).split())
    assert "there is no program `no-such-program` on the PATH" in text
    assert "in no git repository" in text
    cli.project.git("init", "-q")
    assert "Git does not know by whom commits are" in " ".join(cli("doctor", code=1).split())


def test_a_folder_without_specs_is_no_problem(cli: Cli) -> None:
    for entry in (cli.project.root / ".chant" / "specs", cli.project.root / ".chant"):
        entry.rmdir()
    found = cli.json("doctor")
    assert found["has_specs"] is False
    assert "PATH" in {one["name"] for one in found["environment"]["passed"]}
