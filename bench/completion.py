"""Times of completions by IDs and titles: `python -m bench.completion [SPECS …]`; see README.md."""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console

from bench.corpus import ABSENT_WORD, Corpus, kept
from bench.quiet import quiet
from bench.rows import Row
from bench.run import table
from bench.wire import OURS, PLAIN, Call, Server

_ROUNDS = 100

_MOST = 0.05
"""Seconds that a completion may take at 20,000 specs."""

_SPEC = {"type": "ref/resource", "uri": "chant://spec/{id}"}
_PROMPT = {"type": "ref/prompt", "name": "work"}

_ASKED: dict[str, tuple[dict[str, str], str]] = {
    "ID of a template, nothing typed": (_SPEC, ""),
    "ID of a template, beginning of an ID": (_SPEC, "2025-01"),
    "ID of a template, word of titles": (_SPEC, "parser"),
    "ID of a prompt, two words": (_PROMPT, "add retries"),
    "ID of a prompt, no hit": (_PROMPT, ABSENT_WORD),
}
"""By the name of the row what is completed, and the text."""


def completions(corpus: Corpus, rounds: int) -> list[Row]:
    """Warm completions between plain calls."""
    plain_samples: list[float] = []
    samples: dict[str, list[float]] = {name: [] for name in _ASKED}
    with Server(OURS, corpus.root) as ours, Server(PLAIN, corpus.root) as plain:
        for reference, text in _ASKED.values():
            ours.ask("completion/complete", _params(reference, text))
            plain.call(Call("noop", {}))
        with quiet():
            for _ in range(rounds):
                for name, (reference, text) in _ASKED.items():
                    plain_samples.append(plain.call(Call("noop", {})).seconds)
                    reply = ours.ask("completion/complete", _params(reference, text))
                    samples[name].append(reply.seconds)
    base, size = statistics.median(plain_samples), corpus.specs
    rows = [Row("plain call", size, plain_samples, plain=base)]
    return rows + [Row(name, size, samples[name], "seconds", base, "≤ 50 ms", _MOST) for name in _ASKED]


def _params(reference: dict[str, str], text: str) -> dict[str, Any]:
    return {"ref": reference, "argument": {"name": "id", "value": text}}


def main() -> None:
    """Measure at each size, in the projects that `bench.run` keeps."""
    folder = Path(tempfile.gettempdir()) / "chant-mcp-bench"
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    for specs in map(int, sys.argv[1:] or ("20000",)):
        rows += completions(kept(folder, specs), _ROUNDS)
    Console(width=140).print(table(rows, markdown=True))


if __name__ == "__main__":
    main()
