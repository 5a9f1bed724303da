"""Attacks by other state in the work tree: locks, journals, state folders."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import state_folder
from trust.attacks.records import forged, living, record
from trust.attacks.table import attack
from trust.clones import NEXT, SPEC, Clone, now


@attack(forged=True, dangerous=True)
def locks_and_process_numbers(clone: Clone) -> None:
    """Locks, process numbers and the watch name a process that has nothing to do with it."""
    for name in (f".locks/{SPEC}.lock", f"pids/{SPEC}.pid", f"pids/{SPEC}", "watch.pid", "watch.lock"):
        clone.write(f".chant/{name}", f"{clone.innocent}\n")
    record(clone, **living(clone))


@attack(forged=True)
def a_watch_that_is_innocent(clone: Clone) -> None:
    """The watch's state names a process that has nothing to do with it."""
    state = {"schema": 1, **living(clone), "started_at": now()}
    for name in (".chant/watch.json", ".chant/.store/watch.json", ".chant/processes/watch.json"):
        clone.write(name, json.dumps(state))
    clone.commit()


@attack(forged=True)
def locks_that_lead_out(clone: Clone) -> None:
    """The folders of locks, logs and the store are links to the user's documents."""
    for name in (".locks", "logs", ".store", "pids", "tmp"):
        clone.link(f".chant/{name}", "../../Documents")
    clone.commit()


@attack(forged=True)
def a_log_that_leads_out(clone: Clone) -> None:
    """The log of a spec is a link to a letter of the user."""
    clone.link(f".chant/logs/{SPEC}.log", "../../../Documents/letter.txt")
    record(clone, **living(clone))


def _intent(folder: Path, *steps: dict[str, str], root: str | None = "../..") -> None:
    """Write a change that a crash left, as the journal has it."""
    change = folder / "journal" / "1-1"
    change.mkdir(parents=True)
    intent = {"schema": 1, "root": root, "steps": list(steps)}
    (change / "intent.json").write_text(json.dumps(intent), encoding="utf-8")
    for number in range(len(steps)):
        (change / f"{number}.new").write_text("#!/bin/sh\necho owned\n", encoding="utf-8")
        (change / f"{number}.old").write_text("", encoding="utf-8")
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)


_STEPS = (
    {"op": "create", "path": "../Documents/new.txt"},
    {"op": "create", "path": ".git/hooks/post-checkout"},
    {"op": "move", "from": f".chant/specs/{NEXT}.md", "to": "../Documents/moved.md"},
    {"op": "move", "from": "../Documents/letter.txt", "to": ".chant/letter.txt"},
    {"op": "create", "path": ".chant/config.md"},
    {"op": "create", "path": ".chant/specs/2026-01-22-666-owned.md"},
)


@attack(forged=True, dangerous=True)
def a_journal_in_the_tree(clone: Clone) -> None:
    """A committed folder has a change to finish that writes outside, into git's folder, and takes away."""
    for name in (".chant-mcp", ".chant/.store", ".chant", "chant-mcp", ".chant/chant-mcp"):
        _intent(clone.root / name, *_STEPS, root=None)
    clone.commit()


@attack(forged=True, dangerous=True)
def a_journal_in_an_archive(clone: Clone) -> None:
    """An archive's git folder has a change to finish, of no known owner."""
    clone.commit()
    _intent(clone.root / ".git" / "chant-mcp", *_STEPS)


@attack(forged=True)
def a_journal_that_creates_a_spec(clone: Clone) -> None:
    """An archive's git folder has a change to finish, of documents alone."""
    clone.commit()
    for root in ("../..", None):
        shutil.rmtree(clone.root / ".git" / "chant-mcp", ignore_errors=True)
        _intent(clone.root / ".git" / "chant-mcp", _STEPS[-1], root=root)


def _state_of_the_neighbour(clone: Clone) -> Path:
    """Fill the state of the user's other repository, as the product does, and say where it lies."""
    state_folder.put_record(clone.neighbour, forged(clone, worktree=str(clone.documents), end_state="lost"))
    state_folder.put_token(clone.neighbour, SPEC, 1)
    folder = clone.neighbour / ".git" / "chant-mcp"
    assert (folder / "owner.json").exists()
    return folder


@attack(forged=True, dangerous=True)
def a_state_of_this_very_user(clone: Clone) -> None:
    """The clone's git folder holds the state of the user's other repository, with the user's signature."""
    shutil.copytree(_state_of_the_neighbour(clone), clone.root / ".git" / "chant-mcp")


@attack(forged=True)
def a_state_of_this_very_user_and_a_journal(clone: Clone) -> None:
    """The same with a change to finish in it."""
    folder = clone.root / ".git" / "chant-mcp"
    shutil.copytree(_state_of_the_neighbour(clone), folder)
    _intent(folder, *_STEPS)


@attack(forged=True)
def a_state_behind_a_link(clone: Clone) -> None:
    """The clone's state folder is a link to that of the user's other repository."""
    clone.link(".git/chant-mcp", _state_of_the_neighbour(clone))


@attack(forged=True)
def a_state_that_was_moved(clone: Clone) -> None:
    """The state of the user's other repository was moved here, so that no file of it is a copy."""
    shutil.move(_state_of_the_neighbour(clone), clone.root / ".git" / "chant-mcp")


@attack(forged=True)
def a_state_without_an_owner(clone: Clone) -> None:
    """The state is of a release that signed nothing: records, tokens, locks, the watch."""
    folder = clone.root / ".git" / "chant-mcp"
    shutil.copytree(_state_of_the_neighbour(clone), folder)
    (folder / "owner.json").unlink()
    (folder / "watch.json").write_text(json.dumps(living(clone)), encoding="utf-8")


@attack(dangerous=True)
def a_copied_checkout(clone: Clone) -> None:
    """The clone is a copy of the user's other, trusted, repository, with all its state."""
    _state_of_the_neighbour(clone)
    shutil.rmtree(clone.root)
    shutil.copytree(clone.neighbour, clone.root, symlinks=True)


@attack(forged=True)
def a_folder_without_git(clone: Clone) -> None:
    """There is no repository, but state as one of this user's would have."""
    folder = _state_of_the_neighbour(clone)
    for name in (".chant-mcp", ".chant/.store", "chant-mcp"):
        shutil.copytree(folder, clone.root / name)
    record(clone, end_state="lost")
    shutil.rmtree(clone.root / ".git")
