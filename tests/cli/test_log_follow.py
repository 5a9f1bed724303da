"""`log -f`: lines are printed as they are written, until Ctrl-C."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.kit import Running, Start, read_data
from steering import FORBIDDEN, STEERING

FIRST = "2026-01-22-001-x7m"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")


def _interruptible() -> None:
    # A test run in the background ignores the signal, and its children would too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _follow(start: Start, root: Path, *words: str) -> Running:
    return start(root, "log", *words, "-f", "x7m", preexec_fn=_interruptible)


def _append(path: Path, text: str | bytes) -> None:
    with path.open("ab") as file:
        file.write(text.encode() if isinstance(text, str) else text)


def _interrupt(running: Running) -> Any:
    running.process.send_signal(signal.SIGINT)
    return running.end()


def test_lines_are_printed_as_they_are_written(project: Any, start: Start) -> None:
    project.spec(FIRST)
    log = project.log(FIRST, "old\nlast\n")
    running = _follow(start, project.root, "-n", "1")
    assert running.line() == "last\n"
    _append(log, "one\ntw")
    assert running.line() == "one\n"
    _append(log, "o\n\nthree\n")
    assert [running.line() for _ in range(3)] == ["two\n", "\n", "three\n"]
    assert _interrupt(running) == ("", "")


def test_more_lines_than_one_answer_holds_all_come_in_order(project: Any, start: Start) -> None:
    project.spec(FIRST)
    log = project.log(FIRST, "begin\n")
    running = _follow(start, project.root)
    assert running.line() == "begin\n"
    _append(log, "".join(f"{number} {'x' * 80}\n" for number in range(3_000)))
    for number in range(3_000):
        assert running.line().startswith(f"{number} ")
    assert _interrupt(running) == ("", "")


def test_a_log_that_is_not_there_yet_is_waited_for(project: Any, start: Start) -> None:
    project.spec(FIRST)
    running = _follow(start, project.root)
    assert running.error_line() == f"No log for {FIRST} yet; waiting for one.\n"
    project.log(FIRST, "first\n")
    assert running.line() == "first\n"
    assert _interrupt(running) == ("", "")


def test_a_log_that_begins_anew_is_printed_from_its_beginning(project: Any, start: Start) -> None:
    project.spec(FIRST)
    project.log(FIRST, "a long line of the first run\n")
    running = _follow(start, project.root)
    assert running.line() == "a long line of the first run\n"
    project.log(FIRST, "again\n")
    assert running.line() == "again\n"
    assert _interrupt(running) == ("", "")


def test_with_json_each_answer_is_a_line(project: Any, start: Start) -> None:
    project.spec(FIRST)
    log = project.log(FIRST, "one\n")
    running = _follow(start, project.root, "--json")
    assert read_data(running.line())["content"] == "one"
    _append(log, "two\n")
    page = read_data(running.line())
    assert (page["content"], page["byte_offset"]) == ("two", 8)
    assert _interrupt(running) == ("", "")


def test_it_ends_when_the_spec_is_gone(project: Any, start: Start) -> None:
    project.spec(FIRST)
    log = project.log(FIRST, "one\n")
    running = _follow(start, project.root)
    assert running.line() == "one\n"
    project.path(FIRST).unlink()
    log.unlink()
    _, err = running.end(1)
    assert err.startswith(f"Spec not found: {FIRST}")


def test_an_unknown_spec_is_not_waited_for(project: Any, start: Start) -> None:
    _, err = _follow(start, project.root).end(1)
    assert err.startswith("Spec not found: x7m")


def test_what_is_followed_does_nothing_to_a_terminal(project: Any, start: Start) -> None:
    project.spec(FIRST)
    log = project.log(FIRST, "begin\n")
    running = _follow(start, project.root)
    assert running.line() == "begin\n"
    _append(log, f"one {STEERING.replace(chr(0x2028), '').replace(chr(0x2029), '')} two\n")
    line = running.line()
    assert line.startswith("one ")
    assert line.endswith(" two\n")
    assert FORBIDDEN.search(line) is None, line
    _interrupt(running)
