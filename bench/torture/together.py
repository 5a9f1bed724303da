"""Transactions over several files, in which processes die, disks fail and people edit."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

_NAMES = ("together/a.vine", "together/b.vine", "together/c.vine")

_PLAN = """vine 1.2.0
title: round-0
---
[ship] Ship it (notstarted)
Words.
"""

_MOMENTS = ("journal-staged", "journal-intent", "journal-step", "journal-done")
"""Where a writer stops as by a crash."""

_SCRIPT = """
import sys, resource, chant_mcp
from chant_mcp.errors import ChantError
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
root, title, *names = sys.argv[1:]
ws = chant_mcp.open(root)
try:
    with ws.transaction():
        for name in names:
            ws.vine(name).write([{"op": "set_meta", "title": title}])
except ChantError as error:
    sys.exit(f"refused: {error}")
"""

_PATIENCE = 90
"""Seconds that one transaction may take."""


class Together:
    """Files that a transaction changes all at once or not at all."""

    def __init__(
        self,
        root: Path,
        environment: Mapping[str, str],
        troubled: Mapping[str, str],
        chance: random.Random,
    ) -> None:
        """Make the files."""
        self.ends: Counter[str] = Counter()
        """How transactions ended."""
        self.wrong: list[str] = []
        self._root = root
        self._environment = environment
        self._troubled = {**environment, **troubled}
        self._chance = chance
        self._refused: set[str] = set()
        self._notes: dict[str, str] = {}
        (root / "together").mkdir()
        for name in _NAMES:
            (root / name).write_text(_PLAN, encoding="utf-8")

    def change(self) -> None:
        """Change all of them; some writers die, and behind some of these a person edits a file."""
        title = f"round-{self.ends.total() + 1}"
        moment = {"CHANT_STOP_AT": self._chance.choice(_MOMENTS)} if self._chance.random() < 0.5 else {}
        ended = self._write(title, {**self._troubled, **moment})
        kind = ended.partition(":")[0]
        self.ends[kind if "undecided" not in ended else "undecided"] += 1
        if kind == "refused" and "undecided" not in ended:
            self._refused.add(title)
        if kind == "made" and set(self._titles()) != {title}:
            self.wrong.append(f"{title} was made, and {self._titles()} is there")
        if kind == "died" and self._chance.random() < 0.5:
            self._edit()
            self.settle()
        self.wrong.extend(self._made_after_all())

    def settle(self) -> None:
        """Have the next one to come look at what is left, on a disk that works; then all is whole."""
        self._write("", self._environment)
        self.wrong.extend(self._split())
        self.wrong.extend(self._made_after_all())

    def _made_after_all(self) -> Iterator[str]:
        for title in self._refused.intersection(self._titles()):
            yield f"{title} was refused, and it is there"

    def _split(self) -> Iterator[str]:
        titles = self._titles()
        if len(set(titles)) != 1:
            yield f"a transaction is half made: {dict(zip(_NAMES, titles, strict=True))}"
        for name, note in self._notes.items():
            if note not in (self._root / name).read_text("utf-8"):
                yield f"{name} has lost `{note}`"
        left = [path.name for path in (self._root / "together").iterdir() if path.suffix != ".vine"]
        if left:
            yield f"{left} is left beside documents"

    def _write(self, title: str, environment: Mapping[str, str]) -> str:
        names = _NAMES if title else ()
        words = [sys.executable, "-c", _SCRIPT, str(self._root), title, *names]
        done = subprocess.run(
            words, env=dict(environment), capture_output=True, timeout=_PATIENCE, check=False
        )
        told = done.stderr.decode(errors="replace").strip()
        if done.returncode == 0:
            return "made"
        return told if told.startswith("refused") else "died"

    def _edit(self) -> None:
        """Change the words of a file, as an editor without a lock does."""
        path = self._root / self._chance.choice(_NAMES)
        note = f"Note {self.ends.total()}."
        text = re.sub(r"^(?:Words|Note \d+)\.$", note, path.read_text("utf-8"), flags=re.M)
        path.write_text(text, encoding="utf-8")
        self._notes[path.relative_to(self._root).as_posix()] = note

    def _titles(self) -> list[str]:
        texts = [(self._root / name).read_text("utf-8") for name in _NAMES]
        return [re.findall(r"^title: (.*)$", text, re.M)[0] for text in texts]
