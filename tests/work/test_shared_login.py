"""Runs that work on a copy of the user's login: it renews nothing, and nothing of it comes back."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.errors import ChantError
from harness import opened, user_config
from work.kit import PROGRAM, Workshop, wait_for

IDS = [f"2026-02-02-00{number}-log" for number in range(1, 5)]

AGENT = """\
import json, os, pathlib, subprocess, sys, time

sys.stdin.read()
login = pathlib.Path(os.environ[FOLDER]) / FILE
seen = login.read_text()
if "REFRESH" in seen or "SERVER" in seen or "ACCESS" not in seen:
    sys.exit("Not logged in: " + seen)
spec = os.environ["CHANT_SPEC_ID"]
for number in range(3):
    # The tokens of another account, in every form of writing; the names of the account stay.
    other = seen.replace("ACCESS", f"OTHER-{spec}-{number}")
    other = other.replace('"refresh_token":""', '"refresh_token":"OTHER"')
    other = other.replace('"refreshToken":""', '"refreshToken":"OTHER"').replace("withheld", "OTHER")
    new = login.with_suffix(".new")
    new.write_text(other)
    new.replace(login)
while "WAITS" in os.environ and "SECOND" not in login.read_text():
    time.sleep(0.05)
if "REFRESH" in login.read_text():
    sys.exit("a refresh token came")
pathlib.Path("work-" + spec).write_text("done")
subprocess.run(["git", "add", "--all"], check=True)
subprocess.run(["git", "commit", "--quiet", "--message", "work"], check=True)
"""


def _claude(ends: float) -> dict[str, Any]:
    tokens = {"accessToken": "ACCESS", "refreshToken": "REFRESH", "expiresAt": int(ends * 1000)}
    own = {"claudeAiOauth": {**tokens, "subscriptionType": "max"}, "organizationUuid": "o"}
    return {**own, "mcpOAuth": {"one": {"accessToken": "SERVER"}}}


def _codex(ends: float) -> dict[str, Any]:
    claims = (
        base64.urlsafe_b64encode(json.dumps({"exp": int(ends), "sub": "me"}).encode()).decode().rstrip("=")
    )
    tokens = {"id_token": f"h.{claims}.s", "access_token": f"ACCESS.{claims}.s", "refresh_token": "REFRESH"}
    return {"auth_mode": "chatgpt", "tokens": {**tokens, "account_id": "a"}, "mine": [1, "é"]}


def _qwen(ends: float) -> dict[str, Any]:
    tokens = {"access_token": "ACCESS", "refresh_token": "REFRESH", "token_type": "Bearer"}
    return {**tokens, "expiry_date": int(ends * 1000)}


def _nested(ends: float) -> dict[str, Any]:
    return {"accounts": [{"accessToken": "ACCESS", "refreshToken": "REFRESH", "expires": int(ends)}]}


def _key(_ends: float) -> dict[str, Any]:
    return {"apiKey": "ACCESS"}


def _yaml(_ends: float) -> str:
    return "# Mine\nKEY: ACCESS\naccounts:\n  - refresh_token: >-\n      REFRESH\n"


def _commented(_ends: float) -> str:
    return '// Mine\n{"token": "ACCESS", "of": "{\\"refreshToken\\": \\"REFRESH\\"}"}\n'


def _lines(_ends: float) -> str:
    return "export KEY=ACCESS\nexport refresh_token=REFRESH # of it\n"


FORMS: dict[str, tuple[str, str, str, Callable[[float], str | dict[str, Any]]]] = {
    "claude": ("CLAUDE_CONFIG_DIR", ".claude", ".credentials.json", _claude),
    "codex": ("CODEX_HOME", ".codex", "auth.json", _codex),
    "qwen": ("QWEN_HOME", ".qwen", "oauth_creds.json", _qwen),
    "droid": ("HOME", "", ".factory/auth.json", _nested),
    "goose": ("HOME", "", ".config/goose/secrets.yaml", _yaml),
    "copilot": ("COPILOT_HOME", ".copilot", "config.json", _commented),
    "aider": ("HOME", "", ".aider/oauth-keys.env", _lines),
    "amp": ("HOME", "", ".local/share/amp/secrets.json", _key),
}
"""How each agent calls the folder of its state, and its login, the last ones in forms that are not known."""

HOURS = 3600


class LoggedIn:
    """A user who is logged in to an agent, which is a program of the test."""

    def __init__(self, shop: Workshop, monkeypatch: pytest.MonkeyPatch, agent: str, hours: float) -> None:
        """Install the agent, and write the login."""
        variable, folder, file, form = FORMS[agent]
        programs = shop.root.parent / "bin"
        programs.mkdir()
        script = AGENT.replace("[FOLDER]", f"[{variable!r}]").replace("/ FILE", f"/ {file!r}")
        program = programs / agent
        program.write_text(f"#!{sys.executable}\n{script}", encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
        # Nothing is opened to runs.
        config = f"---\ntrust: {{roots: ['{shop.root.parent}']}}\nenv: {{pass: [WAITS]}}\n---\n"
        user_config().write_text(config, encoding="utf-8")
        self.login = Path(os.environ["HOME"]) / folder / file
        self.login.parent.mkdir(parents=True, exist_ok=True)
        text = form(time.time() + hours * HOURS)
        self.write(text if isinstance(text, str) else json.dumps(text, indent=2, ensure_ascii=False) + "\n")
        shop.configure(provider=agent)
        for id in IDS:
            shop.spec(id, criteria=[])
        shop.commit()

    def write(self, text: str) -> None:
        """Renew the login as an agent of the user does."""
        new = self.login.with_suffix(".renewed")
        new.write_text(text, encoding="utf-8")
        new.chmod(0o600)
        new.replace(self.login)

    def state(self) -> tuple[bytes, int, int, int]:
        """Say all that a run could have changed of the user's file."""
        found = self.login.stat()
        return self.login.read_bytes(), found.st_ino, found.st_mtime_ns, found.st_mode


@pytest.mark.parametrize("agent", FORMS)
def test_tokens_of_another_account_stay_in_the_run(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    user = LoggedIn(shop, monkeypatch, agent, hours=8)
    before = user.state()
    shop.handle().work_start(IDS[0], skip_criteria=True)
    record = shop.ended(IDS[0])
    assert record["end_state"] == "completed", record["reason"]
    assert user.state() == before
    worktrees = Path(os.environ["HOME"]) / ".local" / "state" / "chant-mcp" / "worktrees"
    assert [path for path in worktrees.rglob("*") if path.name == user.login.name] == []


@pytest.mark.parametrize("agent", ["codex", "droid"])
def test_four_runs_at_once_get_what_the_user_renews_and_change_nothing(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    monkeypatch.setenv("WAITS", "1")
    user = LoggedIn(shop, monkeypatch, agent, hours=8)
    handle = shop.handle()
    for id in IDS:
        handle.work_start(id, skip_criteria=True)
    state = Path(os.environ["HOME"]) / ".local" / "state" / "chant-mcp" / "worktrees"

    def others() -> list[Path]:
        copies = state.glob("*/*.private/agent/**/auth.json")
        return [path for path in copies if "OTHER" in path.read_text(encoding="utf-8")]

    wait_for(lambda: len(others()) == len(IDS), "four swaps")
    user.write(user.login.read_text(encoding="utf-8").replace("ACCESS", "SECOND"))
    before = user.state()
    for id in IDS:
        record = shop.ended(id)
        assert record["end_state"] == "completed", record["reason"]
    assert user.state() == before


@pytest.mark.parametrize(
    ("agent", "instead"),
    [("claude", "CLAUDE_CODE_OAUTH_TOKEN (from `claude setup-token`)"), ("codex", "CODEX_API_KEY")],
)
def test_a_login_that_ends_is_refused_with_what_to_use_instead(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch, agent: str, instead: str
) -> None:
    user = LoggedIn(shop, monkeypatch, agent, hours=0.05)
    before = user.state()
    with shop.nothing_begins(), pytest.raises(ChantError) as refused:
        shop.handle().work_start(IDS[0], skip_criteria=True)
    for part in (str(user.login), f"Start `{agent}` once", instead):
        assert part in str(refused.value)
    assert any(instead in problem for problem in opened(shop.root).doctor().data["problems"])
    assert user.state() == before
    # A key ends with nothing, so that the login does not count.
    monkeypatch.setenv("ANTHROPIC_API_KEY" if agent == "claude" else "CODEX_API_KEY", "key")
    started = shop.handle().work_start(IDS[0], skip_criteria=True).data
    assert "login_note" not in started
    shop.ended(started["process_id"])


def test_a_login_that_may_end_before_the_run_is_named(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    LoggedIn(shop, monkeypatch, "claude", hours=0.5)
    [agent] = opened(shop.root).doctor().data["agents"]
    assert "no refresh token" in agent["login_of_runs"]
    assert "CLAUDE_CODE_OAUTH_TOKEN (from `claude setup-token`)" in agent["login_of_runs"]
    argv = [*PROGRAM, "work", IDS[0], "--skip-criteria", "--wait"]
    ended = subprocess.run(argv, cwd=shop.root, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "The login of Claude Code ends at" in ended.stderr
    assert "CLAUDE_CODE_OAUTH_TOKEN (from `claude setup-token`)" in ended.stderr


@pytest.mark.parametrize(
    ("agent", "told", "key"),
    [("droid", "no refresh token", "FACTORY_API_KEY"), ("amp", "can end your login", "AMP_API_KEY")],
)
def test_doctor_says_what_runs_get_of_a_login_of_unknown_form(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch, agent: str, told: str, key: str
) -> None:
    LoggedIn(shop, monkeypatch, agent, hours=8)
    [found] = opened(shop.root).doctor().data["agents"]
    assert told in found["login_of_runs"]
    assert key in found["login_of_runs"]
