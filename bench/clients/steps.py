"""What each client is asked to do, and what has to come of it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from bench.clients.client_program import NotSupportedError, StepFailedError
from bench.clients.sample_project import (
    COMPLETIONS,
    DOCUMENTS,
    FURTHER_URIS,
    NEW_SPEC_URI,
    SPEC,
    SPEC_URI,
    SampleProject,
)

COLUMNS = ("initialize", "list", "read", "complete", "call", "subscribe", "updates", "list changes")

EVENTS = ("changed file", "new file", "format gone")
"""What is timed, in the order in which it happens."""

_ROUNDS = 7
"""Changes of the file that is subscribed to."""

_SOONEST = 0.05
"""Seconds; the server gathers changes for longer, so what comes sooner is of the change before."""


class StepClient(Protocol):
    """A client that can be asked for steps, until it is ended."""

    def ask(self, request: Mapping[str, Any]) -> Any:
        """As `ClientProgram.ask`."""
        ...

    def end(self) -> None:
        """End it, and the server that it started."""
        ...


@dataclass(slots=True)
class Trial:
    """How a client did over one transport in one era."""

    words: dict[str, str] = field(default_factory=dict[str, str])
    """By column: `ok`, `not supported` or `failed`; the worst of its steps."""
    notes: list[str] = field(default_factory=list[str])
    """What failed or is not supported, and why."""
    seconds: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    """By event, from the change to the client's word that it was notified."""

    @property
    def failed(self) -> bool:
        """Whether a step failed that the client supports."""
        return "failed" in self.words.values()

    def milliseconds(self, event: str) -> str:
        """Give the median time of an event, and the longest where there are several."""
        if not (taken := self.seconds.get(event)):
            return "–"
        median, longest = (f"{seconds * 1_000:.0f}" for seconds in (statistics.median(taken), max(taken)))
        return median if len(taken) == 1 else f"{median} / {longest}"

    def note(self, column: str, word: str, why: str) -> None:
        """Note what came of a step."""
        if _WORDS.index(word) > _WORDS.index(self.words.get(column, "ok")):
            self.words[column] = word
        if (line := f"{column}: {word}: {why}") not in self.notes:
            self.notes.append(line)


_WORDS = ("ok", "not supported", "failed")

_TOLD = ("do", "uri", "template", "value", "event", "name")


@dataclass(frozen=True, slots=True)
class _Step:
    """A request, and what is expected of its answer."""

    column: str
    request: Mapping[str, Any]
    expected: str
    fits: Callable[[Any], bool]


def tried(client: StepClient, connect: Mapping[str, Any], revision: str, project: SampleProject) -> Trial:
    """Have a client take all steps; one that fails does not keep it from the next, but for the first.

    Args:
        client: The client, which has not connected yet.
        connect: How it reaches the server.
        revision: That of the protocol on which it has to agree with the server.
        project: What the server serves.
    """
    trial = Trial()
    if not _taken(trial, client, _contains("initialize", {"do": "connect", **connect}, revision)):
        return trial
    for step in _questions():
        _taken(trial, client, step)
    if _taken(trial, client, _contains("subscribe", {"do": "subscribe", "uri": SPEC_URI})):
        _follow_changes(trial, client, project)
    return trial


def _follow_changes(trial: Trial, client: StepClient, project: SampleProject) -> None:
    """Change files; after each kind of event the client sees what it is about."""
    for number in range(_ROUNDS):
        change = partial(project.change_spec, f"Round {number}.")
        _notified(trial, client, "updates", "changed file", SPEC_URI, change)
    _taken(trial, client, _contains("updates", {"do": "read", "uri": SPEC_URI}, f"Round {_ROUNDS - 1}."))
    if _notified(trial, client, "list changes", "new file", "resources", project.add_spec):
        _taken(trial, client, _contains("list changes", {"do": "resources"}, NEW_SPEC_URI))
    if _notified(trial, client, "list changes", "format gone", "tools", project.remove_plan):
        gone = _Step("list changes", {"do": "tools"}, "no vine_read", lambda got: "vine_read" not in got)
        _taken(trial, client, gone)


def _taken(trial: Trial, client: StepClient, step: _Step) -> bool:
    """Have a client take a step; say whether what came of it is right."""
    trial.words.setdefault(step.column, "ok")
    try:
        got = client.ask(step.request)
    except NotSupportedError as error:
        trial.note(step.column, "not supported", str(error))
        return False
    except StepFailedError as error:
        trial.note(step.column, "failed", f"{_shown(step)}: {error}")
        return False
    if not step.fits(got):
        why = f"{_shown(step)} gave {str(got)[:300]}, expected {step.expected[:300]}"
        trial.note(step.column, "failed", why)
        return False
    return True


def _shown(step: _Step) -> str:
    """Name a step by what it asks; how a client connects is said in the table."""
    return " ".join(str(value) for key, value in step.request.items() if key in _TOLD)


def _notified(
    trial: Trial, client: StepClient, column: str, event: str, word: str, change: Callable[[], None]
) -> bool:
    """Change something and wait until the client has heard of it."""
    begin = time.monotonic()
    change()
    heard = _taken(trial, client, _contains(column, {"do": "hear", "event": word}, word))
    seconds = time.monotonic() - begin
    if heard:
        trial.seconds.setdefault(event, []).append(seconds)
    if heard and seconds < _SOONEST:
        trial.note(column, "failed", f"hear {word}: the change before was announced twice")
    return heard


def _questions() -> Iterator[_Step]:
    yield _contains("list", {"do": "tools"}, "chant_status", "vine_read", "rstn_read_spec", "get_cr")
    yield _contains("list", {"do": "resources"}, SPEC_URI, "ticket://MDT/MDT-001", *FURTHER_URIS)
    yield _contains("list", {"do": "templates"}, *(template for template, _ in COMPLETIONS))
    yield _contains("list", {"do": "prompts"}, "work", "standup")
    for uri, text in DOCUMENTS.items():
        yield _contains("read", {"do": "read", "uri": uri}, text)
    for (template, argument), cases in COMPLETIONS.items():
        for value, whole in cases.items():
            request = {"do": "complete", "template": template, "argument": argument, "value": value}
            yield _Step("complete", request, f"{whole} alone", lambda got, whole=whole: got == [whole])
    yield _contains("call", {"do": "call", "name": "chant_status", "arguments": {}}, "pending")
    yield _contains("call", {"do": "call", "name": "chant_spec_get", "arguments": {"id": SPEC}}, "Ships sail")


def _contains(column: str, request: Mapping[str, Any], *words: str) -> _Step:
    """Make a step whose answer, a text or a list, contains all of these."""
    return _Step(column, request, ", ".join(words), lambda got: all(word in got for word in words))
