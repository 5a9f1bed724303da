"""Damage as a loss of power, a killed git or a hand leaves it: named, with one repair each, and repaired."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import chant_mcp
import pytest
from work.kit import ID, OTHER, PROGRAM, THIRD, Workshop
from writing import git

Damage = Callable[[Workshop], object]

LONG_AGO = (1_700_000_000, 1_700_000_000)


def _emptied(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(b"")
    os.utime(path, LONG_AGO)


def _old(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, LONG_AGO)


def _dot_git(shop: Workshop) -> Path:
    return shop.root / ".git"


def _state(shop: Workshop) -> Path:
    return _dot_git(shop) / "chant-mcp"


def _object(shop: Workshop, name: str) -> Path:
    id = git(shop.root, "rev-parse", name).strip()
    return _dot_git(shop) / "objects" / id[:2] / id[2:]


def _receipt(shop: Workshop) -> str:
    return git(shop.root, "for-each-ref", "--format=%(refname)", f"refs/chant/receipts/{ID}").split()[0]


def _record(shop: Workshop) -> Path:
    return next(_state(shop).glob("processes/**/*.json"))


def _gone_receipt(shop: Workshop) -> None:
    _object(shop, _receipt(shop)).unlink()


def _other_receipt(shop: Workshop) -> None:
    blob = git(shop.root, "hash-object", "-w", "ferry.txt").strip()
    git(shop.root, "update-ref", _receipt(shop), blob)


def _pack_without_index(shop: Workshop) -> None:
    git(shop.root, "repack", "-q", "-a", "-d")
    index = next((_dot_git(shop) / "objects" / "pack").glob("*.idx"))
    for rest in index.parent.glob("*.rev"):
        rest.unlink()
    index.unlink()


def _behind(shop: Workshop, **changes: object) -> None:
    """Let the record of the run say what it said before its end."""
    path = _record(shop)
    record = json.loads(path.read_text(encoding="utf-8"))
    record.update(status="running", end_state=None, completed_at=None, pid=2**22 - 1, **changes)
    text = json.dumps(record)
    path.write_text(text, encoding="utf-8")


def _landing_left(shop: Workshop) -> None:
    folder = _dot_git(shop) / "chant-mcp-landing"
    folder.mkdir()
    os.utime(folder, LONG_AGO)


def _kept(shop: Workshop) -> None:
    """Leave a change that recovery set aside."""
    folder = _state(shop) / "journal" / "kept-1700000000-4194303-0"
    folder.mkdir(parents=True)
    (folder / "kept.json").write_text("{}", encoding="utf-8")


def _twice(shop: Workshop) -> None:
    spec = shop.root / ".chant" / "specs" / f"{THIRD}.md"
    archived = shop.root / ".chant" / "archive" / "2026-01-22" / spec.name
    archived.parent.mkdir(parents=True)
    shutil.copy(spec, archived)


def _lost_commit(shop: Workshop) -> None:
    path = shop.root / ".chant" / "specs" / f"{OTHER}.md"
    text = path.read_text(encoding="utf-8")
    text = text.replace(
        "status: pending", "status: completed\ncommits:\n- 0123456789abcdef0123456789abcdef01234567"
    )
    path.write_text(text, encoding="utf-8")


DAMAGES: dict[str, tuple[Damage, bool]] = {
    "head": (lambda shop: _emptied(_dot_git(shop) / "HEAD"), True),
    "index": (lambda shop: _emptied(_dot_git(shop) / "index"), True),
    "ref": (lambda shop: _emptied(_dot_git(shop) / "refs" / "heads" / "main"), True),
    "ref-without-object": (
        lambda shop: _old(_dot_git(shop) / "refs" / "chant" / "base" / "x", "0123456789" * 4),
        True,
    ),
    "receipt-without-object": (_gone_receipt, True),
    "receipt-unreadable": (_other_receipt, True),
    "receipt-missing": (lambda shop: git(shop.root, "update-ref", "-d", _receipt(shop)), True),
    "empty-object": (lambda shop: _emptied(_object(shop, "HEAD:ferry.txt")), True),
    "pack-without-index": (_pack_without_index, True),
    "index-lock": (lambda shop: _old(_dot_git(shop) / "index.lock"), True),
    "ref-lock": (lambda shop: _old(_dot_git(shop) / "refs" / "heads" / "main.lock"), True),
    "landing-left": (_landing_left, True),
    "part-of-object": (lambda shop: _old(_dot_git(shop) / "objects" / "pack" / "tmp_pack_x"), True),
    "emptied-spec": (lambda shop: _emptied(shop.root / ".chant" / "specs" / f"{ID}.md"), True),
    "emptied-configuration": (lambda shop: _emptied(shop.root / ".chant" / "config.md"), True),
    "emptied-spec-without-commit": (
        lambda shop: _old(shop.root / ".chant" / "specs" / "2026-01-23-009-zzz.md"),
        False,
    ),
    "completed-without-commit": (_lost_commit, False),
    "record": (lambda shop: _record(shop).write_text("", encoding="utf-8"), True),
    "run-behind-spec": (_behind, True),
    "token": (lambda shop: next(_state(shop).glob(f"tokens/**/{ID}*")).unlink(), True),
    "change-kept": (_kept, False),
    "archived-twice": (_twice, True),
}
"""What is done, and whether the damage is repaired here."""


def _doctor(shop: Workshop, *words: str) -> tuple[int, list[dict[str, object]]]:
    command = [*PROGRAM, "doctor", "--deep", "--json", *words]
    done = subprocess.run(command, cwd=shop.root, capture_output=True, text=True, check=False)
    assert '"damages"' in done.stdout, done.stdout + done.stderr
    return done.returncode, json.loads(done.stdout)["data"]["damages"]


@pytest.fixture
def landed(shop: Workshop) -> Workshop:
    """A project in which one run landed."""
    for id in (ID, OTHER, THIRD):
        shop.spec(id)
    shop.commit()
    subprocess.run([*PROGRAM, "work", ID, "--wait"], cwd=shop.root, check=True, capture_output=True)
    assert _doctor(shop) == (0, [])
    return shop


TOGETHER = (
    ("head",),
    ("index-lock", "ref-lock", "part-of-object", "receipt-missing", "emptied-spec"),
    ("landing-left", "index", "ref-without-object", "receipt-unreadable", "emptied-configuration"),
    ("empty-object", "receipt-without-object", "token", "completed-without-commit", "ref"),
    ("record", "archived-twice", "change-kept", "emptied-spec-without-commit"),
    ("pack-without-index",),
    ("run-behind-spec",),
)
"""What is done to one project at once: each of these leaves the others as they are."""


@pytest.mark.parametrize("kinds", TOGETHER, ids=lambda kinds: kinds[0])
def test_damage_is_named_with_its_repair_and_repaired(landed: Workshop, kinds: tuple[str, ...]) -> None:
    for kind in kinds:
        DAMAGES[kind][0](landed)
    code, found = _doctor(landed)
    assert code == 1
    repaired = {str(one["kind"]): one for one in _doctor(landed, "--repair")[1]}
    assert repaired.keys() >= set(kinds)
    _, left = _doctor(landed)
    assert sorted(str(one["kind"]) for one in left) == sorted(k for k in kinds if not DAMAGES[k][1])
    for kind in kinds:
        assert repaired[kind]["repair"]
        assert repaired[kind]["repaired"] == DAMAGES[kind][1], repaired[kind]
    assert {str(one["kind"]) for one in found} >= set(kinds)
    assert git(landed.root, "fsck", "--no-dangling", "--no-progress").strip() == ""
    assert len(git(landed.root, "rev-parse", "main", "HEAD").split()) == 2


def test_most_of_twenty_kinds_of_damage_are_repaired() -> None:
    assert sorted(kind for kinds in TOGETHER for kind in kinds) == sorted(DAMAGES)
    assert len(DAMAGES) >= 20
    assert sum(not is_repaired for _, is_repaired in DAMAGES.values()) * 10 <= len(DAMAGES) * 2


def _only_a_plan(shop: Workshop) -> None:
    shutil.rmtree(shop.root / ".chant")
    (shop.root / "plan.vine").write_text(
        "vine 1.2.0\ntitle: Ferry\n---\n[ship] Ship it (notstarted)\n", "utf-8"
    )
    shop.commit()


def _changed_without_a_run(shop: Workshop) -> None:
    shop.spec(ID)
    shop.spec(OTHER)
    shop.commit()
    project = chant_mcp.open(shop.root)
    with project.transaction():
        for id in (ID, OTHER):
            project.spec(id).update(labels=["quay"])
    assert (_state(shop) / "journal").is_dir()
    # Where the file system keeps an open file that was removed, the folder of a change stays as long.
    (_state(shop) / "journal" / "18ecb75b4efebcfc-4194303-0").mkdir()


def _refs_in_tables(shop: Workshop) -> None:
    git(shop.root, "init", "-q", "-b", "main", "--ref-format=reftable")
    shop.spec(ID)
    shop.commit()


@pytest.mark.parametrize("made", [_only_a_plan, _changed_without_a_run, _refs_in_tables])
def test_what_is_whole_is_not_called_damaged(shop: Workshop, made: Callable[[Workshop], None]) -> None:
    made(shop)
    assert _doctor(shop) == (0, [])


def test_the_lock_of_a_runner_that_lives_is_not_called_left(shop: Workshop) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    shop.handle().work_start(ID)
    try:
        (lock,) = _state(shop).glob(f"locks/**/{ID}.lock")
        # So it looks through another mount of a file system whose locks are those of each mount alone.
        text = lock.read_bytes()
        lock.unlink()
        lock.write_bytes(text)
        assert "spec-lock" not in [one["kind"] for one in _doctor(shop)[1]]
    finally:
        shop.handle().reset(ID)
