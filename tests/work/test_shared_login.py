"""Runs that work on copies of one login, whose provider makes each token void with the next."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from work.kit import Workshop
from writing import git

IDS = [f"2026-02-02-00{number}-log" for number in range(1, 5)]

AGENT = """\
import fcntl, json, os, pathlib, subprocess, sys, time, uuid

sys.stdin.read()
provider = pathlib.Path(sys.argv[0]).parent / "provider"
login = pathlib.Path(os.environ["CODEX_HOME"]) / "auth.json"

def renew():
    with provider.open("r+") as current:
        fcntl.flock(current, fcntl.LOCK_EX)
        text = json.loads(login.read_text())
        if text["tokens"]["refresh_token"] != current.read():
            return False
        text["tokens"]["refresh_token"] = uuid.uuid4().hex
        text["command"] = "not a token"
        new = login.with_suffix(".new")
        new.write_text(json.dumps(text))
        new.replace(login)
        current.seek(0)
        current.truncate()
        current.write(text["tokens"]["refresh_token"])
        return True

until = time.monotonic() + 60
while not renew():
    if time.monotonic() > until:
        sys.exit("Not logged in")
    time.sleep(0.05)
pathlib.Path("work-" + os.environ["CHANT_SPEC_ID"]).write_text("done")
subprocess.run(["git", "add", "--all"], check=True)
subprocess.run(["git", "commit", "--quiet", "--message", "work"], check=True)
"""


@pytest.mark.requirement("run:login:renewed_tokens_are_shared", "run:login:only_tokens_come_back")
def test_four_runs_that_renew_their_tokens_leave_the_user_logged_in(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = shop.root.parent / "bin"
    programs.mkdir()
    (programs / "agent.py").write_text(AGENT, encoding="utf-8")
    provider = programs / "provider"
    provider.write_text("first", encoding="utf-8")
    codex = programs / "codex"
    codex.write_text(f"#!/bin/sh\nexec {sys.executable} {programs / 'agent.py'}\n", encoding="utf-8")
    codex.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    login = Path(os.environ["HOME"]) / ".codex" / "auth.json"
    login.parent.mkdir()
    before = {"auth_mode": "x", "tokens": {"account_id": "a", "refresh_token": "first"}, "mine": [1, "é"]}
    login.write_text(json.dumps(before, indent=2), encoding="utf-8")
    login.chmod(0o600)
    shop.configure(provider="codex")
    for id in IDS:
        shop.spec(id, criteria=[])
    shop.commit()
    handle = shop.handle()
    for id in IDS:
        handle.work_start(id, skip_criteria=True)
    for id in IDS:
        record = shop.ended(id)
        assert record["end_state"] == "completed", record["reason"]
    after = json.loads(login.read_text(encoding="utf-8"))
    assert after["tokens"]["refresh_token"] == provider.read_text(encoding="utf-8") != "first"
    after["tokens"]["refresh_token"] = "first"
    assert after == before, "nothing but the token came back"
    assert login.stat().st_mode & 0o777 == 0o600
    assert len(git(shop.root, "ls-files", "work-*").split()) == len(IDS)
