"""Splits: what an agent proposes, what is kept of it, and what is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chant_mcp.errors import ChantError
from work import scribe
from work.kit import ID, OTHER, Record, Workshop, kill, lives, processes, wait_for, worktree_root
from writing import git, tree

EIGHT = [f"Part {letter} answers" for letter in "abcdefgh"]
"""Enough for three members."""


def split(shop: Workshop, id: str = ID, **options: Any) -> Record:
    """Ask for a split and wait for the end of its run."""
    started = shop.handle().split(id, **options).data
    return shop.ended(started["process_id"])


def proposed(shop: Workshop, *behaviours: str, **keys: Any) -> Record:
    """Have a proposal made for a new spec."""
    shop.spec(ID, *behaviours, **{"criteria": EIGHT, **keys})
    shop.commit()
    return split(shop)


def waiting(shop: Workshop) -> Record:
    """Have an agent look at a new spec that says nothing yet."""
    shop.spec(ID, "wait", criteria=EIGHT)
    shop.commit()
    started = shop.handle().split(ID).data
    shop.said(ID, "out waiting")
    return shop.named(started["process_id"])


def go(record: Record) -> None:
    """Let the agent of a split go on; it waits in its copy of the project."""
    sign = Path(record["worktree"]) / ".chant" / "demo-go" / record["spec_id"]
    sign.parent.mkdir(parents=True, exist_ok=True)
    sign.touch()


def specs(shop: Workshop) -> dict[str, bytes]:
    """Read all specs."""
    return tree(shop.root / ".chant" / "specs")


def copies() -> list[Path]:
    """Find what splits left of their copies."""
    return list(worktree_root().glob("*/.split/*"))


# The proposal


def test_a_split_answers_at_once_and_keeps_its_proposal(shop: Workshop) -> None:
    chant = shop.handle()
    running = waiting(shop)
    before = specs(shop)
    again = chant.split(ID).data
    assert again["process_id"] == running["process_id"], "the same question is not asked twice"
    assert (again["mode"], again["status"]) == ("split", "running")
    assert again["options"] == {"force": False, "recursive": False, "max_depth": 3}
    [listed] = chant.work_list().data["processes"]
    assert (listed["mode"], listed["status"], listed["agent"]) == ("split", "running", "demo")
    go(running)
    record = shop.ended(running["process_id"])
    assert record["end_state"] == "completed"
    assert record["reason"].startswith(f"Proposes 3 members of '{ID}'. The proposal waits.")
    assert specs(shop) == before
    assert '"members"' in shop.log(ID), "the whole answer is in the log"
    told = chant.split(ID).data
    assert (told["process_id"], told["status"]) == (record["process_id"], "completed")
    assert told["proposal"] == record["proposal"]
    assert [member["depends_on"] for member in told["proposal"]["members"]] == [[], [1], [1]]
    assert len(shop.records()) == 1
    assert copies() == []


def test_the_markdown_of_earlier_programs_is_understood(shop: Workshop) -> None:
    record = proposed(shop, "split-markdown", targets=["a.txt", "b.txt"])
    first, second, third = record["proposal"]["members"]
    assert first["title"] == f"Spec {ID}: part 1"
    assert first["criteria"] == EIGHT[:3]
    assert first["target_files"] == ["a.txt"]
    assert second["target_files"] == ["b.txt"]
    assert third["depends_on"] == [1]


def test_dependencies_that_cannot_be_are_left_out_and_told(shop: Workshop) -> None:
    record = proposed(shop, "split-cycle")
    assert [member["depends_on"] for member in record["proposal"]["members"]] == [[2], [3], []]
    warnings = record["proposal"]["warnings"]
    assert len(warnings) == 7
    assert "Left out the dependency of member 3 on member 1: it would close a circle" in warnings
    assert "(7 notes)" in record["reason"]


BAD = {
    "split-garbage": "No member specs found in agent output",
    "nothing": "No member specs found in agent output",
    "split-form": "The agent's JSON does not have the requested form: at /members/0",
    "split-single": "it has one member, and a split needs 2",
    "split-stub": "member 1 is a stub: it says",
    "split-bare": "member 1 has no acceptance criteria; member 2 has no acceptance criteria",
    "fail": "The agent ended with exit code 3",
}


@pytest.mark.parametrize("behaviour", BAD)
def test_a_bad_answer_fails_the_run_and_nothing_else(shop: Workshop, behaviour: str) -> None:
    shop.spec(ID, behaviour, criteria=EIGHT)
    shop.commit()
    before = specs(shop)
    record = split(shop, force=True)
    assert record["end_state"] == "failed"
    assert BAD[behaviour] in record["reason"]
    assert specs(shop) == before
    assert copies() == []
    assert shop.project.status(ID) == "pending"


# Where the agent looks


def test_an_agent_that_meddles_meddles_with_a_copy(shop: Workshop) -> None:
    shop.spec(ID, "split-meddle", criteria=EIGHT)
    shop.commit()
    (shop.root / "ferry.txt").write_text("not committed\n", encoding="utf-8")
    (shop.root / "loose.txt").write_text("loose\n", encoding="utf-8")
    before, refs = tree(shop.root), git(shop.root, "for-each-ref")
    record = split(shop)
    assert "Wrote a line into meddled.txt" in shop.log(ID)
    assert record["end_state"] == "completed"
    after = tree(shop.root)
    own = (".chant/processes/", ".chant/logs/", ".chant/.locks/", ".chant/.store/")
    assert {name: after[name] for name in after if not name.startswith(own)} == before
    assert git(shop.root, "for-each-ref") == refs
    assert shop.branches() == shop.worktrees() == copies() == []


def test_the_copy_is_the_project_as_it_is_committed(shop: Workshop) -> None:
    record = waiting(shop)
    copy = Path(record["worktree"])
    assert (copy / "ferry.txt").read_text("utf-8") == "one\ntwo\n"
    assert (copy / ".chant" / "specs" / f"{ID}.md").exists()
    assert not (copy / ".git").exists()
    assert not copy.is_relative_to(shop.root)
    go(record)
    shop.ended(record["process_id"])


def test_without_a_repository_the_copy_is_empty(shop: Workshop) -> None:
    shop.spec(ID, "wait", criteria=EIGHT)
    started = shop.handle().split(ID).data
    record = shop.named(started["process_id"])
    assert list(Path(record["worktree"]).iterdir()) == []
    go(record)
    assert shop.ended(record["process_id"])["end_state"] == "completed"
    written = shop.handle().split(ID, force=True).data
    assert written["proposal"]["written"] == [f"{ID}.{number}" for number in (1, 2, 3)]


MODELS: dict[str, tuple[dict[str, str], str, str]] = {
    "nothing": ({}, "", "sonnet"),
    "the usual one": ({"CHANT_MODEL": "opus"}, "", "opus"),
    "configured": ({"CHANT_MODEL": "opus"}, "  split_model: haiku\n", "haiku"),
    "told": ({"CHANT_SPLIT_MODEL": "fable"}, "  split_model: haiku\n", "fable"),
}


@pytest.mark.parametrize("said", MODELS)
def test_the_agent_gets_the_prompt_and_the_model_of_splits(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    variables, yaml, expected = MODELS[said]
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    command = f'[{scribe.agent()}, "{{model}}", "{{mcp_config}}"]'
    shop.configure(f"{yaml}agents:\n  scribe:\n    command: {command}\n", provider="scribe")
    shop.spec(ID, criteria=EIGHT)
    shop.commit()
    record = split(shop)
    assert (record["end_state"], record["agent"]["model"]) == ("completed", expected)
    found = scribe.received()
    assert found["argv"] == [expected]
    assert f"# Divide {ID} into smaller specs" in found["stdin"]
    assert "- [ ] Part h answers" in found["stdin"]
    assert "commit your work" not in found["stdin"].lower()
    assert str(shop.root) not in [found["environment"].get(name) for name in ("CHANT_PROJECT", "PWD")]
    assert found["environment"]["CHANT_PROMPT"] == "split"


def test_the_projects_own_prompt_comes_first(shop: Workshop) -> None:
    shop.configure(f"agents:\n  scribe:\n    command: [{scribe.agent()}]\n", provider="scribe")
    prompts = shop.root / ".chant" / "prompts"
    prompts.mkdir()
    (prompts / "split.md").write_text("Cut {{spec.id}} up.\n", encoding="utf-8")
    shop.spec(ID, output_schema="missing.json", criteria=EIGHT)
    shop.commit()
    split(shop)
    assert scribe.received()["stdin"] == f"Cut {ID} up.\n"


# Stopping


@pytest.mark.parametrize("how", ["pause", "cancel"])
def test_a_split_can_be_stopped(shop: Workshop, how: str) -> None:
    record = waiting(shop)
    getattr(shop.handle(), how)(ID)
    assert not lives(record["pid"])
    assert not lives(record["agent"]["pid"])
    after = shop.named(record["process_id"])
    assert after["end_state"] == {"pause": "paused", "cancel": "cancelled"}[how]
    assert shop.project.status(ID) == {"pause": "pending", "cancel": "cancelled"}[how]
    assert copies() == []


def test_a_split_whose_runner_dies_is_lost_and_leaves_nothing(shop: Workshop) -> None:
    before = waiting(shop)
    kill(before["pid"])
    shop.handle().recover()
    wait_for(lambda: not processes(), lambda: f"the end of {processes()}")
    assert shop.ended(before["process_id"])["end_state"] == "lost"
    wait_for(lambda: shop.named(before["process_id"])["settled_at"], "somebody to look after it")
    assert shop.project.status(ID) == "pending", "its spec is as it was"
    assert copies() == []
    again = shop.handle().split(ID).data
    assert again["process_id"] != before["process_id"]
    go(shop.named(again["process_id"]))
    assert shop.ended(again["process_id"])["end_state"] == "completed"


def test_work_and_a_split_of_one_spec_exclude_each_other(shop: Workshop) -> None:
    record = waiting(shop)
    chant = shop.handle()
    name = record["process_id"]
    with pytest.raises(ChantError, match=f"Run '{name}' .* is working on spec"):
        chant.work_start(ID)
    with pytest.raises(ChantError, match=f"Run '{name}' .* is working on spec"):
        chant.split(ID, force=True)
    go(record)
    shop.ended(name)
    shop.spec(OTHER, "wait")
    shop.commit()
    chant.work_start(OTHER)
    with pytest.raises(ChantError, match=f"is working on spec '{OTHER}'"):
        chant.split(OTHER)
    shop.go(OTHER)
    shop.ended(OTHER)


def test_a_split_counts_as_an_agent_at_work(shop: Workshop) -> None:
    shop.configure("limits:\n  agents_at_once: 1\n")
    shop.spec(OTHER)
    record = waiting(shop)
    with pytest.raises(ChantError, match="1 agents are at work"):
        shop.handle().work_start(OTHER)
    go(record)
    shop.ended(record["process_id"])


# Refusals


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "group": ({"type": "group"}, "Spec is already split"),
    "completed": ({"status": "completed"}, "must be in pending status to split. Current status: completed"),
    "in progress": (
        {"status": "in_progress"},
        "Current status: in_progress\n`spec.reset()` makes it pending",
    ),
    "blocked": ({"depends_on": ["nothing"]}, "Current status: blocked\n`force=True` splits it anyway."),
    "unapproved": ({"approval": "{required: true, status: pending}"}, "requires approval before work can"),
    "coupled": (
        {
            "body": "# T\n\n## A\n\nTightly coupled.\n\n## B\n\n## Acceptance Criteria\n\n- [ ] a\n- [ ] b",
            "targets": ["a", "b", "c"],
        },
        "(splittability D)",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_says_why_and_starts_nothing(shop: Workshop, what: str) -> None:
    keys, words = REFUSED[what]
    shop.spec(ID, **keys)
    shop.commit()
    with shop.nothing_begins(), pytest.raises(ChantError) as refused:
        shop.handle().split(ID)
    assert words in str(refused.value)


def test_what_cannot_run_is_refused_before_anything_begins(shop: Workshop) -> None:
    shop.spec(ID, criteria=EIGHT)
    shop.configure(provider="nobody")
    shop.commit()
    with shop.nothing_begins():
        with pytest.raises(ChantError, match="Unknown agent 'nobody'"):
            shop.handle().split(ID)
        with pytest.raises(ChantError, match="Invalid parameter 'max_depth': expected a number of levels"):
            shop.handle().split(ID, max_depth=0)
