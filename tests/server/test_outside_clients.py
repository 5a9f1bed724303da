"""What the trials of outside clients see: they judge clients that are none, one fault at a time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.clients import steps
from bench.clients.client_program import NotSupportedError, StepFailedError
from bench.clients.sample_project import (
    COMPLETIONS,
    DOCUMENTS,
    FURTHER_URIS,
    NEW_SPEC_URI,
    PLAN,
    SPEC,
    SampleProject,
)
from bench.clients.steps import COLUMNS, Trial, tried

REVISION = "2026-07-28"

COLUMN_OF = {
    "connect": "initialize",
    "tools": "list",
    "read": "read",
    "complete": "complete",
    "call": "call",
    "hear": "updates",
}
"""By step, the column that tells of it."""


class FakeClient:
    """A client that gives the right answers, but for one step."""

    def __init__(self, project: SampleProject, step: str = "", fault: Exception | None = None) -> None:
        self._root = project.root
        self._step = step
        self._fault = fault

    def ask(self, request: Mapping[str, Any]) -> Any:
        """Give the right answer, or the fault; without a fault a wrong answer."""
        if request["do"] != self._step:
            return self._right(request)
        if self._fault is not None:
            raise self._fault
        return ["something else"]

    def end(self) -> None:
        """Nothing runs."""

    def _right(self, request: Mapping[str, Any]) -> Any:
        match request["do"]:
            case "connect":
                return REVISION
            case "tools":
                plans = ["vine_read"] if (self._root / PLAN).exists() else []
                return ["chant_status", "rstn_read_spec", "get_cr", *plans]
            case "resources":
                return [*DOCUMENTS, *FURTHER_URIS, NEW_SPEC_URI]
            case "templates":
                return [template for template, _ in COMPLETIONS]
            case "prompts":
                return ["work", "standup"]
            case "read":
                spec = (self._root / f".chant/specs/{SPEC}.md").read_text("utf-8")
                return DOCUMENTS[request["uri"]] + spec
            case "complete":
                return [COMPLETIONS[request["template"], request["argument"]][request["value"]]]
            case "call":
                return "pending: Ships sail"
            case _:
                return request.get("event", "")


def judged(client: FakeClient, project: SampleProject) -> Trial:
    return tried(client, {"era": "modern"}, REVISION, project)


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SampleProject:
    """The project of the trials, for clients that hear of a change at once."""
    monkeypatch.setattr(steps, "_SOONEST", 0.0)
    return SampleProject(tmp_path)


def test_a_client_that_is_right_is_ok(sample: SampleProject) -> None:
    trial = judged(FakeClient(sample), sample)
    assert (trial.words, trial.notes) == (dict.fromkeys(COLUMNS, "ok"), [])


@pytest.mark.parametrize("fault", [None, StepFailedError("it broke")])
@pytest.mark.parametrize(("step", "column"), COLUMN_OF.items())
def test_a_step_that_fails_is_named(
    sample: SampleProject, step: str, column: str, fault: Exception | None
) -> None:
    trial = judged(FakeClient(sample, step, fault), sample)
    assert trial.failed
    assert trial.words[column] == "failed"
    assert any(note.startswith(f"{column}: failed: {step}") for note in trial.notes)


def test_what_a_client_cannot_is_no_failure(sample: SampleProject) -> None:
    trial = judged(FakeClient(sample, "complete", NotSupportedError("it completes nothing")), sample)
    assert not trial.failed
    assert trial.words["complete"] == "not supported"
    assert trial.notes == ["complete: not supported: it completes nothing"]


def test_an_event_of_the_change_before_is_seen(tmp_path: Path) -> None:
    sample = SampleProject(tmp_path)
    trial = judged(FakeClient(sample), sample)
    assert trial.words["updates"] == "failed"
    assert "announced twice" in trial.notes[0]
