"""Models over HTTP as agents: whole runs against a server on this machine."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from chant_mcp import resources
from chant_mcp._core import ChantProject
from harness import Caller
from work.kit import ID, PROGRAM, Workshop, lives, processes, wait_for
from work.models import Model, Refuses, Says, Stalls, calls, done, working

pytestmark = pytest.mark.anyio

KEY = "sk-of-nobody-1234"
PROVIDERS = ["ollama", "openai"]
FILE = f"work/{ID}.txt"


def configure(shop: Workshop, model: Model, provider: str, more: str = "") -> None:
    """Have a provider at a model's address, which is tried twice at once."""
    settings = f"endpoint: '{model.url}/v1', max_retries: 2, retry_delay_ms: 1"
    shop.configure(f"  model: small\n{more}providers:\n  {provider}: {{{settings}}}\n", provider=provider)
    shop.spec(ID)
    shop.commit()


@pytest.fixture(autouse=True)
def _no_key_of_the_machine(_sealed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the machine's own key and authorities."""
    for name in ("OPENAI_API_KEY", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)


# From beginning to end


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_model_reads_writes_ticks_commits_and_its_work_is_merged(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Model(*working(ID, FILE)).served() as model:
        configure(shop, model, provider)
        async with shop.client() as client:
            await client.data("chant_work_start", id=ID)
            record = shop.ended(ID)
    assert (record["end_state"], record["reason"]) == ("completed", None)
    assert shop.main(FILE) == "blue\n"
    assert shop.project.status(ID) == "completed"
    assert "- [x] Works\n- [x] Tested\n" in shop.project.text(ID)
    assert record["agent"]["model"] == "small"
    path = {"ollama": "/api/chat", "openai": "/v1/chat/completions"}[provider]
    assert set(model.paths) == {path}
    assert {request["model"] for request in model.requests} == {"small"}
    assert set(model.keys) == {None if provider == "ollama" else f"Bearer {KEY}"}
    system, user = model.requests[0]["messages"]
    assert "commit your work with git" in system["content"]
    assert f"Spec {ID}" in user["content"]
    told = [line.split(" ", 2)[2] for line in shop.log(ID).splitlines() if " out " in line]
    assert told[:3] == ["I look around.", "Then I write.", "[list_files] {}"]
    assert f"[write_file] {FILE}" in told
    assert "[result] one two" in told
    assert told[-2:] == ["Painted the ferry.", "Nothing is open."]


async def test_a_model_that_only_says_that_it_is_done_is_not_believed(shop: Workshop, call: Caller) -> None:
    with Model(done()).served() as model:
        configure(shop, model, "ollama")
        await call.data("chant_work_start", id=ID)
        record = shop.ended(ID)
    assert record["end_state"] in ("failed", "needs_attention")
    assert shop.main(FILE) is None


async def test_the_key_reaches_neither_commands_nor_the_log_nor_the_record(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Model(calls("run_command", command="env; env >&2"), Says(f"It is {KEY}."), Says()).served() as model:
        configure(shop, model, "openai")
        async with shop.client() as client:
            await client.data("chant_work_start", id=ID)
            shop.ended(ID)
    (environment,) = set(model.results())
    assert "CHANT_SPEC_ID=" in environment
    assert KEY not in environment
    assert "It is ***." in shop.log(ID)
    assert KEY not in shop.log(ID)
    assert KEY not in str(shop.records())


# Trouble


async def test_configured_tries_are_followed(shop: Workshop, call: Caller) -> None:
    with Model(
        Refuses(503), Refuses(429, headers={"Retry-After": "0"}), *working(ID, FILE)
    ).served() as model:
        configure(shop, model, "openai")
        await call.data("chant_work_start", id=ID)
        assert shop.ended(ID)["end_state"] == "completed"
    assert shop.log(ID).count(" out [retry] ") == 2
    assert len(model.requests) == 8


async def test_a_refusal_is_the_reason_of_the_failure(shop: Workshop, call: Caller) -> None:
    with Model(Refuses(404, "model 'small' not found")).served() as model:
        configure(shop, model, "ollama")
        await call.data("chant_work_start", id=ID)
        record = shop.ended(ID)
        assert record["end_state"] == "failed"
        wanted = f"{model.url}/api/chat gave no answer: 404 Not Found: model 'small' not found"
        assert wanted in record["reason"]
        diagnosis = await call.data("chant_diagnose", id=ID)
        assert wanted in diagnosis["diagnosis"]
    assert len(model.requests) == 1
    assert shop.project.status(ID) == "failed"


async def test_a_server_that_is_not_there_fails_the_run(shop: Workshop, call: Caller) -> None:
    with Model().served() as model:
        pass
    configure(shop, model, "ollama")
    await call.data("chant_work_start", id=ID)
    assert "(tried 3 times)" in shop.ended(ID)["reason"]


# Stopping


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_pause_in_the_middle_of_an_answer_ends_the_agent_and_keeps_the_work(
    shop: Workshop, call: Caller, provider: str
) -> None:
    write = calls("write_file", path="half.txt", content="half\n")
    with Model(write, Stalls("I am about to\n")).served() as model:
        configure(shop, model, provider)
        await call.data("chant_work_start", id=ID)
        shop.said(ID, "out I am about to")
        agent = shop.record(ID)["agent"]["pid"]
        await call.text("chant_pause", id=ID)
        assert not lives(agent)
        record = shop.ended(ID)
        assert record["end_state"] == "paused"
        assert (Path(record["worktree"]) / "half.txt").read_text("utf-8") == "half\n"
        model.answers = list(working(ID, FILE))
        await call.data("chant_work_start", id=ID)
        assert shop.ended(ID)["end_state"] == "completed"
    assert shop.main("half.txt") == "half\n"


async def test_a_pause_ends_the_command_that_a_model_runs(shop: Workshop, call: Caller) -> None:
    with Model(calls("run_command", command="touch begun; sleep 600; true")).served() as model:
        configure(shop, model, "ollama")
        await call.data("chant_work_start", id=ID)
        worktree = Path(shop.record(ID)["worktree"])
        wait_for((worktree / "begun").exists, "the command")
        await call.text("chant_pause", id=ID)
        assert shop.ended(ID)["end_state"] == "paused"
        wait_for(lambda: not processes(), lambda: f"the end of {processes()}")


# Before a start


async def test_what_is_missing_is_told_by_the_start_and_by_the_diagnosis(
    shop: Workshop, call: Caller
) -> None:
    shop.spec(ID)
    shop.configure("", provider="ollama")
    shop.commit()
    sentences = {
        "ollama": "no model is named. Set `defaults.model` in .chant/config.md",
        "openai": "needs a key. Set OPENAI_API_KEY in the environment",
        "wrong": "`nowhere` is not a valid endpoint",
    }
    for name, sentence in sentences.items():
        provider = "ollama" if name == "wrong" else name
        model = "" if name == "ollama" else "  model: small\n"
        wrong = "providers:\n  ollama: {endpoint: nowhere}\n" if name == "wrong" else ""
        shop.configure(model + wrong, provider=provider)
        with shop.nothing_begins():
            words = await call.error("chant_work_start", id=ID)
        assert sentence in words
        diagnosis = await call.data("chant_diagnose", id=ID)
        check = diagnosis["checks"][-1]
        assert (check["name"], check["passed"]) == ("Agent", False)
        assert sentence in check["details"]
        assert sentence in diagnosis["suggestion"]
    shop.configure("  model: small\n", provider="ollama")
    diagnosis = await call.data("chant_diagnose", id=ID)
    assert diagnosis["checks"][-1] == {
        "name": "Agent",
        "passed": True,
        "details": "ollama asks small at http://localhost:11434/v1",
    }


@pytest.mark.parametrize(("spelled", "stored"), [("local", "ollama"), ("gpt", "openai")])
async def test_a_provider_that_init_sets_up_works(shop: Workshop, spelled: str, stored: str) -> None:
    with Model(*working(ID, FILE)).served() as model:
        shop.configure(f"providers:\n  {stored}:\n    endpoint: {model.url}/v1\n")
        words = [*PROGRAM, "init", "--provider", spelled, "--model", "small", "--no-merge-driver"]
        subprocess.run(words, cwd=shop.root, check=True, capture_output=True)
        shop.spec(ID)
        shop.commit()
        async with shop.client() as client:
            await client.data("chant_work_start", id=ID)
        record = shop.ended(ID)
    assert (record["agent"]["name"], record["end_state"]) == (stored, "completed")


MODELS = {
    "of-spec": {"CHANT_MODEL": "of-chant"},
    "of-chant": {"CHANT_MODEL": "of-chant", "ANTHROPIC_MODEL": "of-maker"},
    "of-maker": {"ANTHROPIC_MODEL": "of-maker"},
    "of-agent": {},
    "of-defaults": {},
}
"""Models that are asked, and the variables that are set."""


@pytest.mark.parametrize("wanted", MODELS)
async def test_the_server_is_asked_for_the_model_that_was_chosen(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    for name, value in MODELS[wanted].items():
        monkeypatch.setenv(name, value)
    with Model(Refuses(400)).served() as model:
        own = "" if wanted == "of-defaults" else "agents:\n  ollama: {model: of-agent}\n"
        settings = f"providers:\n  ollama: {{endpoint: '{model.url}'}}\n"
        shop.configure(f"  model: of-defaults\n{own}{settings}", provider="local")
        shop.spec(ID, model="of-spec" if wanted == "of-spec" else None)
        shop.commit()
        async with shop.client() as client:
            await client.data("chant_work_start", id=ID)
            shop.ended(ID)
    assert [request["model"] for request in model.requests] == [wanted]


async def test_the_users_endpoint_is_used_where_the_project_names_none(shop: Workshop) -> None:
    with Model(Refuses(400)).served() as model:
        config = Path.home() / ".config" / "chant" / "config.md"
        endpoint = f"providers: {{ollama: {{endpoint: '{model.url}', max_retries: 7}}}}"
        config.write_text(f"---\ntrust: {{roots: [/]}}\n{endpoint}\n---\n", encoding="utf-8")
        shop.configure("  model: m\nproviders: {ollama: {max_retries: 0}}\n", provider="ollama")
        shop.spec(ID)
        shop.commit()
        ChantProject(
            shop.root,
            user_config=config,
            environment=dict(os.environ),
            program=PROGRAM,
            prompts=Path(resources.__file__).parent / "prompts",
        ).work_start(ID)
        argv = shop.ended(ID)["agent"]["argv"]
    assert len(model.requests) == 1
    assert argv[argv.index("--endpoint") + 1] == model.url
    assert argv[argv.index("--retries") + 1] == "0"


# Questions


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_model_that_is_asked_to_split_answers_with_text(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    members = [
        {
            "title": f"Paint the {side}",
            "description": f"Paint the {side} of the ferry. " + "It has to be dry before the next trip. " * 4,
            "criteria": [f"The {side} is blue", f"The {side} is dry"],
            "target_files": [f"work/{side}.txt"],
            "depends_on": [],
        }
        for side in ("bow", "stern")
    ]
    answer = f"Two members.\n\n```json\n{json.dumps({'members': members}, indent=1)}\n```\n"
    with Model(calls("read_file", path="ferry.txt"), Says(answer)).served() as model:
        configure(shop, model, provider)
        started = shop.handle(OPENAI_API_KEY=KEY).split(ID).data
        record = shop.ended(started["process_id"])
    assert record["end_state"] == "completed", record["reason"]
    assert [member["title"] for member in record["proposal"]["members"]] == [
        "Paint the bow",
        "Paint the stern",
    ]
    assert "change nothing" in model.requests[0]["messages"][0]["content"]
    assert model.results() == ["one\ntwo\n"]
    assert not (shop.root / ".chant" / "specs" / f"{ID}.1.md").exists()
