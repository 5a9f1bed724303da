"""The demo agent asked to divide a spec: what it answers, and that it changes nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from demo.workplace import Workplace
from writing import tree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="agents run on Linux")

BODY = "# Log in\n\n## Acceptance Criteria\n\n- [ ] Form\n- [ ] Name\n- [x] Password\n- [ ] Answer"


def answer(place: Workplace, *behaviours: str, body: str = BODY, code: int = 0) -> str:
    """Have it look at a spec, and give what it says; nothing may change."""
    place.spec(*behaviours, body=body).branched()
    before = tree(place.tree)
    with place.start(CHANT_PROMPT="split") as agent:
        out, err = agent.communicate(timeout=60)
    assert agent.returncode == code, err
    assert tree(place.tree) == before
    return (out + err).decode()


def test_it_makes_members_of_the_criteria(tmp_path: Path) -> None:
    said = answer(Workplace(tmp_path))
    assert said.startswith("Looking at 2026-01-22-001-x7m: Log in\nDivided into 2:\n")
    first, second = json.loads(said.partition("```json")[2].partition("```")[0])["members"]
    assert first["criteria"] == ["Form", "Name", "Password"]
    assert (second["title"], second["criteria"]) == ("Log in: part 2", ["Answer"])
    assert (first["depends_on"], second["depends_on"]) == ([], [1])
    assert len(first["description"].split()) >= 50


def test_labels_make_it_answer_badly_and_those_of_work_do_not_matter(tmp_path: Path) -> None:
    said = answer(Workplace(tmp_path), "lie", "split-markdown")
    assert "## Member 2: Log in: part 2\n" in said
    assert "**Dependencies:** Member 1\n" in said


def test_one_criterion_cannot_be_divided(tmp_path: Path) -> None:
    said = answer(Workplace(tmp_path), body="# Log in\n\n## Acceptance Criteria\n\n- [ ] Form", code=1)
    assert "fewer than two acceptance criteria" in said


def test_labels_of_splits_do_not_matter_for_work(tmp_path: Path) -> None:
    place = Workplace(tmp_path).spec("split-garbage").branched()
    assert place.works()[0].startswith("Working on ")
    assert len(place.commits()) == 1
