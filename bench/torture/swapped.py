"""Folders of documents that change places with links out of the project, while our writers work in them."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import random
import time
from collections.abc import Callable
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from chant_mcp import ChantProject
from chant_mcp._core import TicketProjects, VineFiles
from chant_mcp.errors import ChantError

from bench.torture.trial import Trial

_SPECS = 40
"""Specs that are there to be edited and archived."""

_FOLDERS = (".chant/specs", ".chant/archive", "docs/CRs", "plans")
_EXCHANGE = 2
_HERE = -100

_PLAN = "vine 1.2.0\n---\n[root] Root (planning)\n-> mid\n---\n[mid] Mid (notstarted)\n"
_TICKET = "---\ncode: MDT-{0:03}\ntitle: One\nstatus: Proposed\ntype: Bug Fix\npriority: High\n---\n\n# One\n"


def swapped(folder: Path, seconds: float, seed: int = 1) -> Trial:
    """Write while folders and links change places; wrong is what is no longer as it was outside."""
    root, outside = folder / "project", folder / "outside"
    for top in (root, outside):
        _fill(top)
    for name in _FOLDERS:
        (root / f"{name}-link").symlink_to(outside / name)
    before = _facts(outside)
    trial = Trial("folders that change places with links")
    stop = multiprocessing.Event()
    process = multiprocessing.Process(target=_swap, args=(root, stop), daemon=True)
    process.start()
    try:
        _write(root, seconds, random.Random(seed), trial)
    finally:
        stop.set()
        process.join()
    after = _facts(outside)
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            trial.wrong.append(f"{name} outside of the project was touched")
    return trial


def is_possible() -> bool:
    """Return whether the system lets a folder and a link change places at once."""
    return hasattr(ctypes.CDLL(None), "renameat2")


def _fill(top: Path) -> None:
    for name in _FOLDERS:
        (top / name).mkdir(parents=True)
    for number in range(_SPECS):
        status = "completed" if number % 2 else "in_progress"
        path = top / ".chant" / "specs" / f"{_id(number)}.md"
        path.write_text(f"---\nstatus: {status}\n---\n\n# Work\n", encoding="utf-8")
        ticket = top / "docs" / "CRs" / f"MDT-{number + 1:03}-one.md"
        ticket.write_text(_TICKET.format(number + 1), encoding="utf-8")
    (top / "plans" / "plan.vine").write_text(_PLAN, encoding="utf-8")
    (top / ".mdt-config.toml").write_text(
        '[project]\nname = "Ferry"\ncode = "MDT"\npath = "docs/CRs"\n', encoding="utf-8"
    )


def _id(number: int) -> str:
    return f"2026-01-22-{number:03}-x7m"


def _facts(top: Path) -> dict[str, tuple[int, int, bytes]]:
    facts: dict[str, tuple[int, int, bytes]] = {}
    for path in top.rglob("*"):
        about = path.lstat()
        text = path.read_bytes() if path.is_file() else b""
        facts[path.relative_to(top).as_posix()] = (about.st_ino, about.st_mode, text)
    return facts


def _swap(root: Path, stop: Event) -> None:
    """Let each folder and its link change places, and back, after moments by chance."""
    library = ctypes.CDLL(None)
    pairs = [(os.fsencode(root / name), os.fsencode(root / f"{name}-link")) for name in _FOLDERS]
    chance = random.Random(0)
    while not stop.is_set():
        for one, other in pairs:
            library.renameat2(_HERE, one, _HERE, other, _EXCHANGE)
        time.sleep(chance.random() * 0.0005)
        for one, other in pairs:
            library.renameat2(_HERE, one, _HERE, other, _EXCHANGE)
        time.sleep(chance.random() * 0.004)


def _write(root: Path, seconds: float, chance: random.Random, trial: Trial) -> None:
    def tickets() -> TicketProjects:
        return TicketProjects(root, variables={})

    def write_plan() -> object:
        title = {"op": "set_meta", "title": str(chance.random())}
        return VineFiles(root).write("plans/plan.vine", [title])

    deeds: dict[str, Callable[[], Any]] = {
        "add": lambda: ChantProject(root).add("Something new"),
        "edit": lambda: ChantProject(root).spec_update(_id(chance.randrange(_SPECS)), output="more"),
        "archive": lambda: ChantProject(root).archive(_id(chance.randrange(1, _SPECS, 2))),
        "create a ticket": lambda: tickets().create_cr(None, "Bug Fix", {"title": "New"}),
        "delete a ticket": lambda: tickets().delete_cr(None, str(chance.randrange(1, _SPECS))),
        "change a plan": write_plan,
    }
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        name = chance.choice(list(deeds))
        trial.tries += 1
        try:
            deeds[name]()
            trial.notes[f"{name}: done"] += 1
        except ChantError:
            trial.notes[f"{name}: refused"] += 1
