"""`speckit …` and `answer`: what people see of features and of questions of agents."""

from __future__ import annotations

import json

import pytest
from cli.kit import Cli
from speckit.features import Features, made


@pytest.fixture(autouse=True)
def features(cli: Cli) -> Features:
    """A feature in the project."""
    return made(cli.project.root)


def test_context_shows_the_feature_and_what_decided(cli: Cli) -> None:
    shown = cli("speckit", "context")
    assert "specs/060-mcp" in shown
    assert "Found by   branch" in shown
    assert cli.json("speckit", "context")["why"]["feature"] == "branch"


def test_features_are_listed_and_another_one_can_be_meant(cli: Cli, features: Features) -> None:
    features.write("specs/061-next/tasks.md", "- [ ] T001 Other\n")
    assert [one["spec_dir"] for one in cli.json("speckit", "features")] == [
        "specs/060-mcp",
        "specs/061-next",
    ]
    assert "▶" in cli("speckit", "features")
    assert "T001 Other" in cli("speckit", "tasks", "--feature", "061")
    assert "Feature '099' not found" in cli.error("speckit", "tasks", "--feature", "099")


def test_next_lists_what_can_be_done_at_once(cli: Cli) -> None:
    assert [task["id"] for task in cli.json("speckit", "next")["ready"]] == ["T001"]
    assert "waits for T001" in cli("speckit", "next")
    cli("speckit", "complete", "T001")
    assert [task["id"] for task in cli.json("speckit", "next")["ready"]] == ["T002", "T003"]


def test_complete_ticks_and_says_what_is_next(cli: Cli, features: Features) -> None:
    assert cli("speckit", "complete", "t001").splitlines()[:2] == [
        "Task T001 is complete.",
        "1/3 tasks complete",
    ]
    assert "- [x] T001" in features.folder.joinpath("tasks.md").read_text("utf-8")
    assert "[x] T001" in cli("speckit", "tasks")
    assert cli.error("speckit", "complete", "T009").startswith("Task T009 not found\nNearest: ")
    assert "--read-only" in cli.error("--read-only", "speckit", "complete", "T002", code=2)
    assert "task=T001" in cli("speckit", "events")


def test_read_prints_a_document_whole(cli: Cli, features: Features) -> None:
    text = "line\n" * 20_000
    features.write("specs/060-mcp/spec.md", text)
    assert cli("speckit", "read", "spec") == f"{text}\n"


def test_an_answer_to_a_question_that_expired_is_refused(cli: Cli, features: Features) -> None:
    features.write(".specify/chant-mcp.yml", "questions: {wait_secs: 0, expire_hours: 0.0000001}\n")
    id = json.loads(features.core.ask("Which database?").text)["id"]
    assert cli("speckit", "questions") == "No questions.\n"
    assert "is expired already" in cli.error("answer", id, "late")


def test_answer_answers_or_cancels_a_question(cli: Cli, features: Features) -> None:
    assert cli("speckit", "questions") == "No questions.\n"
    agent = features.core
    first = json.loads(agent.ask("Which\x1b[2J database?").text)["id"]
    second = json.loads(agent.ask("Go on?").text)["id"]
    shown = cli("speckit", "questions")
    assert shown.index(first) < shown.index(second)
    assert "\x1b[2J" not in shown
    assert cli("answer", first, "naïve", "日本") == f"Answered question {first}\n"
    assert cli("answer", "--cancel", second) == f"Cancelled question {second}\n"
    assert "Give either an answer or --cancel." in cli.error("answer", second, code=2)
    assert "is answered already" in cli.error("answer", first, "again")
    assert agent.report_status("needs_input", question=first).text == "User response: naïve 日本"
    assert {one["state"] for one in cli.json("speckit", "questions", "--all")} == {"answered", "cancelled"}
