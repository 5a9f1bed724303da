"""The other side of a call: the process in which a plugin's function is imported and run.

It reads a request, an object in a line, and prints objects, one a line: answers, then `end` or a `failure`.
What the plugin itself prints goes nowhere.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from chant_mcp.api.specs import Spec
from chant_mcp.api.workspace import Workspace
from chant_mcp.errors import ChantError
from chant_mcp.plugins import EvidenceVerdict, RuleFinding, RunEvidence
from chant_mcp.plugins.event_stream import GarbageReport, read_reports
from chant_mcp.plugins.installed import InstalledPlugin, drop_folders_in, plugins_of_kind
from chant_mcp.plugins.quiet_output import failure_in_words

_LONGEST = 500
"""Characters of a sentence of a plugin that are shown."""

_Answers = Iterator[dict[str, Any]]


class GarbageAnswer(Exception):
    """A plugin's function gave something else than was expected; the words continue its name."""


def serve_call(workspace: Workspace, answers: BinaryIO, read: BinaryIO) -> None:
    """Answer the request that `read` holds."""
    request: dict[str, Any] = json.loads(read.readline())
    lines = AnswerLines(answers)

    def end_in_time() -> None:
        threading.Thread(target=_end_after, args=(request["seconds"], lines), daemon=True).start()

    if request["kind"] == "event_readers":
        # An agent may work for hours: the time counts from the end of its output.
        request |= {"stream": read, "note_end": end_in_time}
    else:
        # The time is the plugin's, that this process needed to start is not; and nothing is left behind when
        # who asked is gone.
        end_in_time()
    try:
        for answer in _answers(workspace, request):
            lines.put(answer)
    except (GarbageAnswer, GarbageReport) as error:
        lines.put_failure(_subject(request) + str(error))
    except BaseException as error:
        lines.put_failure(_subject(request) + failure_in_words(error))
    else:
        lines.put({"type": "end", "end": True})


def _subject(request: dict[str, Any]) -> str:
    """Name an event reader: who logs its failure knows no plugins. Others are named by who asks."""
    if request["kind"] != "event_readers":
        return ""
    name = request["name"]
    called = [str(one) for one in plugins_of_kind("event_readers") if one.name == name]
    return f"{called[0] if called else f'event reader `{name}`'} "


class AnswerLines:
    """What this process answers, an object a line; several threads may."""

    def __init__(self, stream: BinaryIO) -> None:
        """Take the stream that leads to who asked."""
        self._stream = stream
        self._lock = threading.Lock()

    def put_failure(self, why: str) -> None:
        """Print why there is no answer, or no more."""
        self.put({"type": "failure", "failure": why})

    def put(self, answer: Mapping[str, Any]) -> None:
        """Print a line."""
        line = json.dumps(answer).encode() + b"\n"
        with self._lock:
            self._stream.write(line)
            self._stream.flush()


def _end_after(seconds: float, lines: AnswerLines) -> None:
    threading.Event().wait(seconds)
    lines.put_failure(f"did not answer within {seconds:g} seconds")
    os._exit(1)


def _answers(workspace: Workspace, request: dict[str, Any]) -> _Answers:
    if request.get("is_off"):
        raise GarbageAnswer("is off: your configuration has its name under `plugins.off`")
    # A folder never chooses what is imported.
    drop_folders_in(workspace.root)
    for plugin in plugins_of_kind(request["kind"]):
        if plugin.name == request["name"] and plugin.taken_by is None:
            return _CALLS[plugin.kind](_function(plugin, workspace.root), workspace, request)
    raise GarbageAnswer("is not installed here")


def _function(plugin: InstalledPlugin, root: Path) -> Callable[..., Any]:
    from importlib.metadata import EntryPoint

    if plugin.lies_in(root):
        raise GarbageAnswer("lies in the project's folder, and a folder never chooses what runs")
    function = EntryPoint(plugin.name, plugin.place, "").load()
    if not callable(function):
        raise GarbageAnswer(f"names `{plugin.place}`, which is no function")
    return function


def _lint(rule: Callable[[Spec], Any], workspace: Workspace, request: dict[str, Any]) -> _Answers:
    for spec in _specs(workspace, request["id"]):
        found, wrong = list[tuple[str, str, str | None]](), None
        try:
            # What a rule found before it failed is kept.
            for one in _listed(rule(spec), "findings"):
                found.append(_finding(one))
        except GarbageAnswer as error:
            wrong = str(error)
        except Exception as error:
            wrong = failure_in_words(error)
        yield {"spec_id": spec.id, "findings": found, "error": wrong}


def _specs(workspace: Workspace, id: str | None) -> Iterable[Spec]:
    if id is None:
        return workspace.specs
    try:
        return [workspace.spec(id)]
    except ChantError:  # it cannot be read, which is a finding of our own
        return []


def _finding(given: Any) -> tuple[str, str, str | None]:
    finding = RuleFinding(given) if isinstance(given, str) else given
    match finding:
        case (str(message), "error" | "warning" as severity, str() | None as suggestion):
            return message[:_LONGEST], severity, suggestion and suggestion[:_LONGEST]
        case _:
            raise GarbageAnswer(f"gave {_kind(given)} where a `RuleFinding` or a text was expected")


def _check(check: Callable[[RunEvidence], Any], workspace: Workspace, request: dict[str, Any]) -> _Answers:
    given = dict(request["evidence"])
    log = given.pop("log")
    spec = workspace.spec(given.pop("spec_id"))
    verdict = check(RunEvidence(spec=spec, log=log and Path(log), **given))
    match verdict:
        case (bool(holds), str(reason)):
            yield EvidenceVerdict(holds, reason)._asdict()
        case bool(holds):
            yield EvidenceVerdict(holds, "it says no, without a reason")._asdict()
        case _:
            raise GarbageAnswer(f"gave {_kind(verdict)} where an `EvidenceVerdict` was expected")


def _export(write: Callable[[Any], Any], workspace: Workspace, request: dict[str, Any]) -> _Answers:
    from chant_mcp.tables import make_handle_table

    found = workspace.core.select(**request["filter"])
    text = write(make_handle_table(map(found.at, range(len(found))), workspace.repo))
    if not isinstance(text, str):
        raise GarbageAnswer(f"gave {_kind(text)} where a text was expected")
    yield {"text": text}


def _import(read: Callable[[Path], Any], workspace: Workspace, request: dict[str, Any]) -> _Answers:
    for row in _listed(_rows(read(Path(request["path"]))), "rows"):
        if not isinstance(row, Mapping):
            raise GarbageAnswer(f"gave {_kind(row)} where a row was expected, a mapping of columns")
        cells = cast("Mapping[Any, Any]", row).items()
        yield {"row": {str(name): _cell(value) for name, value in cells}}


def _rows(given: Any) -> Any:
    """Take a table of whatever library by its rows."""
    for method in ("to_pylist", "to_dicts"):
        if hasattr(given, method):
            return getattr(given, method)()
    if hasattr(given, "to_dict"):
        return given.to_dict("records")
    return given


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "; ".join(map(str, cast("Iterable[Any]", value)))
    return str(value)


def _read_events(read: Callable[..., Any], workspace: Workspace, request: dict[str, Any]) -> _Answers:
    yield from read_reports(read, request["stream"], request["note_end"])


def _notify(notify: Callable[..., Any], workspace: Workspace, request: dict[str, Any]) -> _Answers:
    notify(request["changes"], request["options"])
    yield {"heard": len(request["changes"])}


_CALLS: dict[str, Callable[[Callable[..., Any], Workspace, dict[str, Any]], _Answers]] = {
    "lint_rules": _lint,
    "evidence_checks": _check,
    "event_readers": _read_events,
    "exporters": _export,
    "importers": _import,
    "notifiers": _notify,
}


def _listed(given: Any, what: str) -> Iterable[Any]:
    if given is None:
        return ()
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise GarbageAnswer(f"gave {_kind(given)} where a list of {what} was expected")
    return cast("Iterable[Any]", given)


def _kind(value: Any) -> str:
    return f"`{type(value).__name__}`"
