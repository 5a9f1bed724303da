"""What workers read for a fleet, as bounded data from the confined process that speaks to the engine."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from chant_mcp.cluster.read_offer import LARGEST_ITEMS
from chant_mcp.cluster.received import as_table
from chant_mcp.cluster.started_processes import PASSED, answers
from chant_mcp.errors import RefusedError

LONGEST_LINE = 2 * LARGEST_ITEMS
"""The bytes of a line: JSON within JSON has its quotes twice."""
MAX_BYTES = 1024 * 1024 * 1024
"""The bytes of all lines together."""

_LONGEST_WORDS = 500
_LAST_WORDS = 1000

PlaceAnswer = tuple[int, str, str, str, str | None]
"""The number of a place, the worker, its commit, the name of the result, and what it holds."""


@dataclass
class FleetAnswers:
    """What was heard of places, by their numbers."""

    read: list[PlaceAnswer] = field(default_factory=list[PlaceAnswer])
    failed: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])


def ask_workers(
    place: tuple[str, Path],
    asked: Sequence[tuple[int, str, str]],
    known: Sequence[str],
    *,
    program: Sequence[str],
    environment: Mapping[str, str],
) -> FleetAnswers:
    """Have the workers of a cluster read places.

    Args:
        place: The address of its scheduler, and the folder of certificates.
        asked: The number, the kind and the text of each place.
        known: Names of results that need not be sent.
        program: Our own program.
        environment: The variables of this process, of which few are handed on.

    Raises:
        RefusedError: The scheduler does not answer, or the process ended early; the message has its last
            words.
    """
    address, tls = place
    if not answers(address, tls):
        raise RefusedError(
            f"The scheduler at {address} does not answer, or the files in {tls} are not those of its cluster."
        )
    kept = {name: environment[name] for name in PASSED if name in environment}
    with tempfile.TemporaryDirectory(prefix="chant-fleet-") as folder, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [*program, "cluster", "read", address, "--tls", str(tls), "--folder", folder],
            env={**kept, "TMPDIR": folder},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        assert process.stdout is not None
        try:
            with process.stdout as stream:
                _ask(process.stdin, json.dumps({"asked": list(asked), "known": list(known)}))
                heard, is_whole = read_answers(stream, {number for number, _, _ in asked})
        finally:
            process.kill()
            process.wait()
        if not is_whole:
            raise RefusedError(_last_words(errors) or f"The scheduler at {address} does not answer.")
    return heard


def _ask(pipe: IO[bytes] | None, question: str) -> None:
    assert pipe is not None
    try:
        with pipe:
            pipe.write(question.encode() + b"\n")
    except BrokenPipeError:
        return  # it ended, and its last words say why


def read_answers(stream: IO[bytes], expected: set[int]) -> tuple[FleetAnswers, bool]:
    """Read the lines of that process, each place once; say whether the last one came.

    A line that is no answer ends the reading, as one does that is longer than agreed.
    """
    heard, left = FleetAnswers(), set(expected)
    for line in _lines(stream):
        if line.get("done") is True:
            return heard, True
        at = line.get("at")
        if not isinstance(at, int) or isinstance(at, bool) or at not in left:
            break
        left.remove(at)
        if (why := line.get("why")) is not None:
            heard.failed.append((at, _plain(why)))
        elif (answer := _answer(at, line)) is not None:
            heard.read.append(answer)
        else:
            heard.failed.append((at, f"worker {_plain(line.get('worker'))} sent no answer that can be read"))
    return heard, False


def _lines(stream: IO[bytes]) -> Iterator[dict[str, Any]]:
    left = MAX_BYTES
    while (line := stream.readline(min(LONGEST_LINE, left) + 1)).endswith(b"\n"):
        left -= len(line)
        try:
            table = as_table(json.loads(line))
        except (ValueError, RecursionError):
            return
        if table is None or left < 0:
            return
        yield table


def _answer(at: int, line: Mapping[str, Any]) -> PlaceAnswer | None:
    texts = [line.get(name) for name in ("commit", "result")]
    items = line.get("items")
    is_sound = all(isinstance(text, str) and len(text) <= _LONGEST_WORDS for text in texts)
    if not is_sound or not isinstance(items, str | None) or len(items or "") > LARGEST_ITEMS:
        return None
    commit, result = cast("list[str]", texts)
    try:
        for text in (commit, result, items or ""):
            text.encode()
    except UnicodeEncodeError:
        return None
    return at, _plain(line.get("worker")), commit, result, items


def _plain(value: object) -> str:
    """Give words of others for a person: one line, bounded."""
    return "".join(c if c.isprintable() else " " for c in str(value)[:_LONGEST_WORDS])


def _last_words(errors: IO[bytes]) -> str:
    size = errors.seek(0, 2)
    errors.seek(max(0, size - _LAST_WORDS))
    words = errors.read().decode(errors="replace")
    return _plain(" ".join(words.rpartition("Error: ")[2].split()))
