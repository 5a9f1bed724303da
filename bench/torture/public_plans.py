"""Plans of other people, read and imported: `python -m bench.torture.public_plans FOLDER`; see README.md.

The folder holds clones, such as of public repositories with `openspec/`, `.kiro/specs/` or `backlog/`;
nothing is downloaded. What we read is compared with counts by patterns that know nothing of our readers.
Backlog tasks are imported, twice: the second time nothing may come.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import chant_mcp
from rich.console import Console

_KIRO_BOX = re.compile(r"^\s*[-*+]\s*\[([ xX~-])\]")
_OPENSPEC_BOX = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])\s*\[([ xX])\]")
_BACKLOG_FILE = re.compile(r"(?i)^task-\d+(\.\d+)* - .*\.md$")
_TOTAL = re.compile(r"^(\d[\d,]*) imported", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Count:
    """What there is of one format in one repository."""

    all: int
    done: int


def _boxes(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    is_fenced = False
    for line in text.splitlines():
        if re.match(r"^\s*(```|~~~)", line):
            is_fenced = not is_fenced
        elif not is_fenced and (box := pattern.match(line)):
            yield box[1]


def _kiro(root: Path) -> _Count:
    texts = [path.read_text("utf-8", "replace") for path in root.glob(".kiro/specs/*/tasks.md")]
    boxes = [box for text in texts for box in _boxes(text, _KIRO_BOX)]
    return _Count(len(boxes), sum(box in "xX" for box in boxes))


def _openspec(root: Path) -> _Count:
    lists = [path for path in root.glob("openspec/changes/*/tasks.md") if path.parent.name != "archive"]
    boxes = [box for path in lists for box in _boxes(path.read_text("utf-8", "replace"), _OPENSPEC_BOX)]
    return _Count(len(boxes), sum(box in "xX" for box in boxes))


def _backlog(root: Path) -> _Count:
    found, done = 0, 0
    for folder in ("tasks", "completed"):
        for path in (root / "backlog" / folder).glob("*.md"):
            text = path.read_text("utf-8", "replace")
            if _BACKLOG_FILE.match(path.name) and text.startswith("---"):
                found += 1
                status = re.search(r"^status:\s*(.*?)\s*$", text, re.MULTILINE)
                done += folder == "completed" or (status is not None and "done" in status[1].lower())
    return _Count(found, done)


_COUNTS: dict[str, Callable[[Path], _Count]] = {"kiro": _kiro, "openspec": _openspec, "backlog": _backlog}


def _ours(root: Path, word: str) -> _Count:
    items = [
        item for item in chant_mcp.open(root).plans(word) if item.type == "task" and item.status != "Draft"
    ]
    # A tick is compared with a tick: a parent counts as done by its parts.
    ticked = {"kiro": "completed", "openspec": "done"}
    done = [item for item in items if (item.status == ticked[word] if word in ticked else item.is_done)]
    return _Count(len(items), len(done))


def _program(*words: str, folder: Path) -> str:
    command = [sys.executable, "-P", "-m", "chant_mcp", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _imported(root: Path, folder: Path) -> tuple[int, int, int]:
    """Import the tasks of a repository twice; say how many came, came again, and are done."""
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    _program("init", "--chant", folder=folder)
    times = [
        _TOTAL.search(_program("import", str(root), "--from", "backlog", folder=folder)) for _ in range(2)
    ]
    first, again = (int(total[1].replace(",", "")) if total else -1 for total in times)
    done = sum(spec.is_done for spec in chant_mcp.open(folder).specs)
    return first, again, done


def _looked_at(root: Path) -> Iterator[str]:
    """Compare one repository; give a line for each format."""
    for word, counted in _COUNTS.items():
        expected = counted(root)
        if expected.all == 0:
            continue
        ours = _ours(root, word)
        verdict = "equal" if ours == expected else "DIFFERENT"
        yield f"{root.name} {word}: {ours.all} tasks, {ours.done} done; by patterns {expected}: {verdict}"
        if word == "backlog":
            with tempfile.TemporaryDirectory() as folder:
                first, again, done = _imported(root, Path(folder))
            yield f"{root.name} import: {first} came, {again} the second time, {done} are done"


def main() -> None:
    """Compare all repositories of a folder."""
    parser = argparse.ArgumentParser(prog="python -m bench.torture.public_plans", description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    different = 0
    console = Console(highlight=False)
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HOME=home, XDG_STATE_HOME=f"{home}/state", XDG_CONFIG_HOME=f"{home}/config")
        for root in sorted(path for path in folder.iterdir() if path.is_dir()):
            with tempfile.TemporaryDirectory() as copy:
                # Nothing of ours is left in other people's folders.
                place = Path(copy) / root.name
                shutil.copytree(root, place, symlinks=True, ignore=shutil.ignore_patterns("node_modules"))
                for line in _looked_at(place):
                    different += "DIFFERENT" in line
                    console.print(line)
    sys.exit(f"{different} different" if different else 0)


if __name__ == "__main__":
    main()
