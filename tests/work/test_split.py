"""Splits through the Python handle: what an agent proposes, what is kept of it, and what is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.errors import ChantError
from work.kit import ID, Record, Workshop, wait_for, worktree_root
from writing import git, tree

EIGHT = [f"Part {letter} answers" for letter in "abcdefgh"]


def split(shop: Workshop, id: str = ID, **options: Any) -> Record:
    """Ask for a split and wait for the end of its run."""
    started = shop.handle().split(id, **options).data
    return shop.ended(started["process_id"])


def parts(record: Record) -> list[str]:
    """Name the proposed members."""
    return [member["title"] for member in record["proposal"]["members"]]


@pytest.mark.requirement("chant:split:returns_its_record", "chant:split:nothing_before_consent")
def test_a_split_answers_at_once_and_keeps_its_proposal(shop: Workshop) -> None:
    shop.spec(ID, "wait", criteria=EIGHT)
    shop.commit()
    before = tree(shop.root / ".chant" / "specs")
    chant = shop.handle()
    started = chant.split(ID).data
    assert started["mode"] == "split"
    assert started["status"] == "running"
    assert started["options"] == {"force": False, "recursive": False, "max_depth": 3}
    assert started["process_id"] == f"{ID}-{started['pid']}"
    [listed] = chant.work_list().data["processes"]
    assert listed["process_id"] == started["process_id"]
    assert listed["mode"] == "split"
    go(shop, started["process_id"])
    record = shop.ended(started["process_id"])
    assert record["status"] == "completed"
    assert "The proposal waits" in record["reason"]
    assert parts(record) == [f"Spec {ID}: part {number}" for number in (1, 2, 3)]
    assert tree(shop.root / ".chant" / "specs") == before
    assert '"members"' in shop.log(ID)
    again = chant.split(ID).data
    assert again["process_id"] == started["process_id"], "nobody is asked twice"
    assert again["proposal"] == record["proposal"]


def go(shop: Workshop, process_id: str) -> None:
    """Let the agent of a split go on; it waits in its copy of the project."""
    sign = Path(shop.named(process_id)["worktree"]) / ".chant" / "demo-go" / shop.named(process_id)["spec_id"]
    sign.parent.mkdir(parents=True, exist_ok=True)
    sign.touch()
