"""`python -m bench.torture.oddities`: odd file systems, editors without locks, full disks; see README.md."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import click

from bench.torture import changes, swapped
from bench.torture.together import Together
from bench.torture.trial import Trial
from bench.torture.trouble import Trouble, is_possible

SAVES = ("in place", "in place and of the same size", "by rename")
"""How editors save."""

LACKING = "locks,folder-flushes,links,kinds-of-renames"

_ID = "2026-01-22-001-x7m"
_HEAD = "---\nstatus: in_progress\n---\n\n# Work\n\neditor: {0:08}\n\n"
_LAST_LINE = "\nThe last line.\n"
_BODY = "Words that fill some pages.\n" * 800 + _LAST_LINE
_PAUSE = 0.02
"""Seconds within which an editor saves a text in place, unless the machine stops it meanwhile."""

_SETTLED = 5
"""Seconds after which a change that comes too late has gone back, on a busy machine."""

_WRITER = """
import itertools, sys
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
root, id, name, most = sys.argv[1:]
for number in range(int(most)):
    try:
        ChantProject(root).spec_update(id, output=f"<{name}:{number}>")
        print(f"<{name}:{number}>", flush=True)
    except ChantError as error:
        print("refused:", str(error).replace(chr(10), " "), flush=True)
"""


def edited(
    folder: Path, seconds: float, how: str, lacks: str = "fine-stamps", seed: int = 1, appends: int = 0
) -> Trial:
    """Save without locks while two writers append; wrong is a save of the editor that is lost.

    It lasts so many seconds, and on a busy machine until the writers have appended so often.
    """
    trial = Trial(f"an editor saves {how}, stamps of 10 ms" if lacks else f"an editor saves {how}")
    chance = random.Random(seed)
    path = _spec(folder / "project")
    with _writers(folder, lacks, 2, 1 << 30) as writers:
        for writer in writers:
            _line(writer)
        end = time.monotonic() + seconds
        while time.monotonic() < end or trial.notes["appended"] < appends:
            # Most saves come while something else was written in the same tick of the clock.
            for _ in range(chance.randrange(1, 40)):
                trial.tries += 1
                _save(path, how, trial.tries, chance)
                time.sleep(chance.random() * 0.004)
            for writer in writers:
                trial.notes["refused" if _line(writer).startswith("refused") else "appended"] += 1
            trial.wrong.extend(_lost(path, trial.tries))
            if trial.wrong:
                break
    return trial


def _lost(path: Path, number: int) -> list[str]:
    """Say what of the last save is lost.

    A change that comes too late is seen for a moment before it goes back, so that one look proves no loss.
    What is lost stays lost: nobody saves meanwhile.
    """
    until = time.monotonic() + _SETTLED
    while True:
        text = path.read_text("utf-8")
        wrong = [] if f"editor: {number:08}" in text else [f"save {number} is lost"]
        wrong += [] if _LAST_LINE in text else [f"the body is cut after save {number}"]
        if not wrong or time.monotonic() > until:
            return wrong
        time.sleep(0.01)


def unlocked(folder: Path, most: int, lacks: str = LACKING) -> Trial:
    """Append by three writers where the file system lacks something; wrong is what is lost or there twice."""
    trial = Trial("no locks, links, flushes of folders or kinds of renames")
    path = _spec(folder / "project")
    with _writers(folder, lacks, 3, most) as writers:
        said = [line.strip() for writer in writers for line in _stream(writer)]
    text = path.read_text("utf-8")
    trial.tries = len(said)
    for word in said:
        if word.startswith("refused"):
            trial.wrong.append(word)
        elif text.count(f"{word}\n") != 1:
            trial.wrong.append(f"{word} stands there {text.count(word)} times")
    trial.wrong.extend(f"{left} is left" for left in path.parent.glob(".chant*"))
    return trial


def crashed(folder: Path, seconds: float, seed: int = 1) -> Trial:
    """Let writers of several files die and people edit behind them; wrong is what is half made or lost."""
    trial = Trial("a crash followed by an edit")
    root = folder / "project"
    root.mkdir(parents=True)
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    together = Together(root, environment, {}, random.Random(seed))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        together.change()
    together.settle()
    trial.tries = together.ends.total()
    trial.notes.update(together.ends)
    trial.wrong.extend(together.wrong)
    return trial


def all_trials(folder: Path, seconds: float, seed: int) -> Iterator[Trial]:
    """Try everything, in about so many seconds."""
    part = seconds / 8
    if swapped.is_possible():
        yield swapped.swapped(folder / "swapped", 2 * part, seed)
    for number, how in enumerate(SAVES):
        yield edited(folder / f"edited-{number}", part, how, seed=seed)
    yield unlocked(folder / "unlocked", round(10 * part))
    yield crashed(folder / "crashed", part, seed)
    yield from changes.full_disk(folder / "full")


def _spec(root: Path) -> Path:
    path = root / ".chant" / "specs" / f"{_ID}.md"
    path.parent.mkdir(parents=True)
    path.write_text(_HEAD.format(0) + _BODY, encoding="utf-8")
    return path


def _save(path: Path, how: str, number: int, chance: random.Random) -> None:
    """Change the editor's own line in the text as it is now.

    A writer takes what an editor wrote before a pause for the whole text, and what comes after the pause goes
    to a file that has no name any more. Where a busy machine makes such a pause, the editor saves once more.
    """
    text = path.read_text("utf-8")
    # A writer that saw half of the last save shows that half for a moment.
    until = time.monotonic() + _SETTLED
    while _LAST_LINE not in text:
        assert time.monotonic() < until, f"the body is cut before save {number}"
        text = path.read_text("utf-8")
    begin = text.index("editor: ")
    text = text[:begin] + f"editor: {number:08}" + text[begin + 16 :]
    data = text.encode()
    if how == "by rename":
        beside = path.with_name("editor.tmp")
        beside.write_bytes(data)
        beside.replace(path)
    elif how == "in place":
        begun, half = time.monotonic(), chance.randrange(len(data))
        with path.open("wb", buffering=0) as file:
            file.write(data[:half])
            file.write(data[half:])
        if time.monotonic() - begun > _PAUSE:
            beside = path.with_name("editor.tmp")
            beside.write_bytes(data)
            beside.replace(path)
    else:
        with path.open("r+b", buffering=0) as file:
            file.seek(begin)
            file.write(f"editor: {number:08}".encode())


@contextmanager
def _writers(folder: Path, lacks: str, count: int, most: int) -> Generator[list[subprocess.Popen[str]]]:
    root = folder / "project"
    trouble = Trouble(folder / "trouble", root, lacks)
    environment = {**os.environ, **trouble.environment, "XDG_STATE_HOME": str(folder / "state")}
    command = [sys.executable, "-c", _WRITER, str(root), _ID]
    started = [_started([*command, str(name), str(most)], environment) for name in range(count)]
    try:
        yield started
    finally:
        for writer in started:
            writer.kill()
            writer.wait()
            _stream(writer).close()


def _started(command: list[str], environment: Mapping[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, env=dict(environment), stdout=subprocess.PIPE, text=True)


def _stream(writer: subprocess.Popen[str]) -> IO[str]:
    assert writer.stdout is not None
    return writer.stdout


def _line(writer: subprocess.Popen[str]) -> str:
    return _stream(writer).readline()


def main() -> None:
    """Try everything; print a row for each trial, and end with 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m bench.torture.oddities", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the same seed asks for the same deeds")
    parser.add_argument("--seconds", type=float, default=120, help="about how long (default: two minutes)")
    given = parser.parse_args()
    if not is_possible():
        click.echo("Processes are troubled on Linux only, with a C compiler.")
        return
    folder = Path(tempfile.mkdtemp(prefix="chant-oddities-"))
    wrong = 0
    for trial in all_trials(folder, cast(float, given.seconds), cast(int, given.seed)):
        notes = ", ".join(f"{note} {times}" for note, times in sorted(trial.notes.items()))
        click.echo(f"| {trial.name} | {trial.tries:,} | {notes} | {len(trial.wrong)} |")
        for line in trial.wrong[:20]:
            click.echo(f"WRONG {line}")
        wrong += len(trial.wrong)
    shutil.rmtree(folder)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
