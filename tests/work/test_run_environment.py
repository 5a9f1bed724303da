"""What agents and checks find in their environment: what is named, and nothing else of ours."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from harness import text_of, user_config
from work import scribe
from work.kit import ID, Workshop
from writing import git

pytestmark = pytest.mark.anyio

SECRETS = {
    "AWS_SECRET_ACCESS_KEY": "salt-4711",
    "ANTHROPIC_API_KEY": "pier-0815",
    "OPENAI_API_KEY": "rope-2342",
    "CODEX_API_KEY": "tide-1999",
    "DATABASE_PASSWORD": "crab-1234",
}
OTHERS = {
    "SSH_AUTH_SOCK": "/run/agent",
    "LD_LIBRARY_PATH": "/nowhere",
    "NODE_OPTIONS": "--no-warnings",
    "DOCKER_HOST": "tcp://10.0.0.1",
    "GIT_DIR_OF_MINE": "x",
    "GIT_SSH_COMMAND": "false",
    "SHIP": "Ada",
}
PASSED = {"LC_MESSAGES": "C", "JAVA_HOME": "/java", "HTTPS_PROXY": "", "NO_COLOR": "1", "CC": "cc"}


@pytest.fixture
def surrounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment with what should be passed, and with what should not."""
    for name, value in {**SECRETS, **OTHERS, **PASSED}.items():
        monkeypatch.setenv(name, value)


async def found(shop: Workshop, more: str = "") -> dict[str, str]:
    """Have an agent work, and give its environment."""
    shop.configure(f"agents:\n  scribe:\n    command: [{scribe.agent()}]\n{more}", provider="scribe")
    shop.spec(ID)
    shop.commit()
    async with shop.client() as call:
        await call.data("chant_work_start", id=ID)
        assert shop.ended(ID)["end_state"] == "completed", shop.log(ID)
    return scribe.received()["environment"]


@pytest.mark.usefixtures("surrounded")
async def test_an_agent_with_a_command_of_its_own_gets_what_is_always_passed(shop: Workshop) -> None:
    environment = await found(shop)
    assert not {*SECRETS, *OTHERS} & environment.keys()
    assert {name: environment.get(name) for name in PASSED} == PASSED
    assert environment["PATH"] == os.environ["PATH"]
    assert environment["HOME"] == os.environ["HOME"]
    listed = [line for line in shop.log(ID).splitlines() if line.startswith("# Not passed: ")]
    assert listed == [
        f"# Not passed: {', '.join(sorted(SECRETS))}; `env.pass` in the configuration passes more"
    ]


@pytest.mark.usefixtures("surrounded")
async def test_the_configuration_passes_more(shop: Workshop) -> None:
    environment = await found(shop, "env:\n  pass: [SHIP, DATABASE_PASSWORD, NOT_SET]\n")
    assert environment["SHIP"] == "Ada"
    assert environment["DATABASE_PASSWORD"] == SECRETS["DATABASE_PASSWORD"]
    assert "NOT_SET" not in environment
    assert "AWS_SECRET_ACCESS_KEY" not in environment


@pytest.mark.parametrize(
    ("program", "own"),
    [
        ("claude", {"ANTHROPIC_API_KEY"}),
        ("codex", {"CODEX_API_KEY", "OPENAI_API_KEY"}),
        ("gemini", set[str]()),
    ],
)
@pytest.mark.usefixtures("surrounded")
async def test_an_agent_gets_its_own_credentials(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch, program: str, own: set[str]
) -> None:
    kept = shop.root.parent / "environment"
    programs = shop.root.parent / "bin"
    programs.mkdir()
    (programs / program).write_text(f"#!/bin/sh\ncat > /dev/null\nenv -0 > {kept}\n")
    (programs / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    shop.configure(provider=program)
    shop.spec(ID)
    shop.commit()
    async with shop.client() as call:
        await call.data("chant_work_start", id=ID)
    shop.ended(ID)
    names = {pair.partition("=")[0] for pair in kept.read_text().split("\0")}
    assert names & SECRETS.keys() == own


@pytest.mark.usefixtures("surrounded")
async def test_a_check_gets_no_credentials(shop: Workshop) -> None:
    kept = shop.root.parent / "environment"
    check = json.dumps(["sh", "-c", f"env -0 > {kept}"])
    shop.configure(f"checks:\n  tests: {check}\nenv:\n  pass: [SHIP]\n")
    shop.spec(ID, criteria=("Works <!-- check: tests -->",))
    shop.commit()
    async with shop.client() as call:
        await call.data("chant_work_start", id=ID)
    shop.ended(ID)
    pairs = (pair.partition("=") for pair in kept.read_text().split("\0"))
    environment = {name: value for name, _, value in pairs}
    assert not SECRETS.keys() & environment.keys()
    assert environment["SHIP"] == "Ada"
    assert environment["CHANT_SPEC_ID"] == ID


@pytest.mark.parametrize(
    "name", ["SSH_AUTH_SOCK", "LD_PRELOAD", "NODE_OPTIONS", "GIT_SSH_COMMAND", "DOCKER_HOST", "'AWS_*'"]
)
async def test_a_project_may_not_ask_for_the_users_keys(shop: Workshop, name: str) -> None:
    shop.spec(ID)
    shop.commit()
    shop.configure(f"env:\n  pass: [{name}]\n")
    async with shop.client() as call:
        refused = text_of(await call("chant_work_start", id=ID))
    assert "env.pass: " in refused
    assert not shop.records()


@pytest.mark.usefixtures("surrounded")
async def test_the_users_own_configuration_passes_them(shop: Workshop) -> None:
    kept = shop.root.parent / "environment"
    user = shop.root.parent / "config.md"
    user.write_text(
        "---\ntrust: {roots: [/]}\nenv:\n  pass: [SSH_AUTH_SOCK]\n"
        f"confine: {{write: [{shop.root.parent}]}}\n---\n"
    )
    command = json.dumps(["sh", "-c", f"cat > /dev/null; env -0 > {kept}"])
    shop.configure(f"agents:\n  own:\n    command: {command}\n    prompt: stdin\n", provider="own")
    shop.spec(ID)
    shop.commit()
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "chant" / "config.md"
    config.write_bytes(user.read_bytes())
    shop.started_before(ID)
    shop.ended(ID)
    assert "SSH_AUTH_SOCK=/run/agent" in kept.read_text().split("\0")


async def test_an_agent_commits_as_the_configuration_of_git_says(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.spec(ID)
    shop.commit()
    git(shop.root, "config", "user.name", "Grace")
    git(shop.root, "config", "user.email", "grace@example.org")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.delenv(f"GIT_{role}_NAME")
        monkeypatch.delenv(f"GIT_{role}_EMAIL")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.bare")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    async with shop.client() as call:
        await call.data("chant_work_start", id=ID)
    assert shop.ended(ID)["end_state"] == "completed", shop.log(ID)
    authors = git(shop.root, "log", "--format=%an %ae %cn %ce", f"--grep=chant({ID})").splitlines()
    assert "Grace grace@example.org Grace grace@example.org" in authors


async def test_without_an_identity_nothing_starts(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.spec(ID)
    shop.commit()
    monkeypatch.delenv("GIT_AUTHOR_NAME")
    async with shop.client() as call:
        with shop.nothing_begins():
            refused: Any = text_of(await call("chant_work_start", id=ID))
    assert "git has no author for the commits" in refused
    assert "git config --global user.name" in refused


async def test_folders_of_the_project_are_not_searched(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = str(Path(scribe.__file__).parent.parent)
    monkeypatch.setenv("PYTHONPATH", f":{modules}:lib:.")
    monkeypatch.setenv("PATH", f"bin:{os.environ['PATH']}:")
    sign = shop.root.parent / "sign"
    for place in ("sitecustomize.py", "lib/sitecustomize.py"):
        (shop.root / place).parent.mkdir(exist_ok=True)
        (shop.root / place).write_text(f"open({str(sign)!r}, 'w')\n")
    settings = user_config().read_text(encoding="utf-8")
    settings = settings.replace("confine:", "env: {pass: [PYTHONPATH]}\nconfine:", 1)
    user_config().write_text(settings, encoding="utf-8")
    environment = await found(shop)
    assert not sign.exists()
    assert environment["PYTHONPATH"] == modules
    assert environment["PATH"] == os.environ["PATH"].removeprefix("bin:").removesuffix(":")
