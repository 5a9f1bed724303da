"""Checks that criteria name, and outputs that specs ask for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import Caller
from work.kit import ID, OTHER, Record, Workshop, processes
from writing import git

pytestmark = pytest.mark.anyio

UNIT = "Works <!-- check: unit -->"


async def checked(
    shop: Workshop, call: Caller, script: str, *behaviours: str, criteria: tuple[str, ...] = (UNIT,)
) -> Record:
    """Have a spec worked on whose criteria name a check that is a script, and give the record."""
    shop.configure(f"checks:\n  unit: [sh, -c, '{script}']\n")
    shop.spec(ID, *behaviours, criteria=criteria)
    shop.commit()
    started = await call.data("chant_work_start", id=ID)
    return shop.ended(started["process_id"])


async def test_a_check_that_passes_is_recorded_with_what_it_looked_at(shop: Workshop, call: Caller) -> None:
    script = f"echo Looking in $PWD; test -s work/{ID}.txt && git diff --quiet HEAD"
    record = await checked(shop, call, script)
    assert record["end_state"] == "completed"
    (check,) = record["checks"]
    assert list(check) == ["name", "command", "exit", "ms", "tree", "proof"]
    assert (check["name"], check["exit"]) == ("unit", 0)
    assert 0 <= check["ms"] < 30_000
    (work,) = record["commits"]
    assert check["tree"] == git(shop.root, "rev-parse", f"{work}^{{tree}}").strip()
    assert record["criteria_at_start"] == [{"text": UNIT, "checked": False, "checks": ["unit"]}]
    assert f" out Looking in {record['worktree']}.checks\n" in shop.log(ID)


async def test_a_check_that_fails_fails_the_run(shop: Workshop, call: Caller) -> None:
    record = await checked(shop, call, "echo Two tests fail >&2; exit 4")
    assert (record["end_state"], record["reason"]) == (
        "failed",
        "check 'unit' failed with exit code 4",
    )
    assert [(check["name"], check["exit"]) for check in record["checks"]] == [("unit", 4)]
    assert " err Two tests fail\n" in shop.log(ID)
    assert git(shop.root, "for-each-ref", "refs/chant/receipts") == ""
    assert shop.project.status(ID) == "failed"
    assert shop.main(f"work/{ID}.txt") is None


async def test_a_check_that_cannot_be_run_needs_attention(shop: Workshop, call: Caller) -> None:
    shop.configure("checks:\n  unit: [no-such-program-of-chant]\n")
    shop.spec(ID, criteria=[UNIT])
    shop.commit()
    await call.data("chant_work_start", id=ID)
    record = shop.ended(ID)
    assert (record["end_state"], record["reason"]) == (
        "needs_attention",
        "check 'unit' did not run to its end",
    )
    assert [check["exit"] for check in record["checks"]] == [None]
    assert shop.main(f"work/{ID}.txt") is None


async def test_nothing_is_checked_beside_changes_that_are_not_committed(shop: Workshop, call: Caller) -> None:
    record = await checked(shop, call, "echo checked", "dirty")
    assert record["end_state"] == "needs_attention"
    why = "the worktree has uncommitted changes, which checks would not see: "
    assert f"{why}work/{ID}.txt" in record["reason"]
    assert record["checks"] == []
    assert "checked" not in shop.log(ID)


async def test_work_that_lacks_other_evidence_is_not_checked(shop: Workshop, call: Caller) -> None:
    record = await checked(shop, call, "echo checked", "unticked")
    assert (record["end_state"], record["checks"]) == ("failed", [])
    assert "checked" not in shop.log(ID)


async def test_a_check_that_two_criteria_name_is_run_once(shop: Workshop, call: Caller) -> None:
    record = await checked(shop, call, "echo checked", criteria=(UNIT, "Tested <!-- check: unit -->"))
    assert record["end_state"] == "completed"
    assert [check["name"] for check in record["checks"]] == ["unit"]
    assert shop.log(ID).count(" out checked\n") == 1


async def test_an_agent_does_not_get_rid_of_a_check(shop: Workshop, call: Caller) -> None:
    """It takes the mark out of its criterion and ticks that."""
    script = shop.root.parent / "agent.sh"
    script.write_text(
        'sed -i "s/ <!-- check: unit -->//; s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"; echo x > x.txt\n'
        "git add -A; git commit -qm Work\n",
        encoding="utf-8",
    )
    shop.configure(
        f"checks:\n  unit: ['false']\nagents:\n  sly:\n    command: [sh, {script}]\n", provider="sly"
    )
    shop.spec(ID, criteria=[UNIT])
    shop.commit()
    await call.data("chant_work_start", id=ID)
    record = shop.ended(ID)
    assert record["end_state"] in ("failed", "needs_attention")
    assert shop.main("x.txt") is None


async def test_an_agent_does_not_change_what_a_check_is(shop: Workshop, call: Caller) -> None:
    """The configuration is that of the user's checkout, not that of the branch."""
    script = shop.root.parent / "agent.sh"
    script.write_text(
        "sed -i \"s/'false'/'true'/\" .chant/config.md\n"
        'sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"; git add -A; git commit -qm Work\n',
        encoding="utf-8",
    )
    shop.configure(
        f"checks:\n  unit: ['false']\nagents:\n  sly:\n    command: [sh, {script}]\n", provider="sly"
    )
    shop.spec(ID, criteria=[UNIT])
    shop.commit()
    await call.data("chant_work_start", id=ID)
    record = shop.ended(ID)
    assert (record["end_state"], record["reason"]) == ("failed", "check 'unit' failed with exit code 1")


async def test_a_pause_ends_a_check(shop: Workshop, call: Caller) -> None:
    shop.configure("checks:\n  unit: [sh, -c, 'echo checking; sleep 600 & sleep 600']\n")
    shop.spec(ID, criteria=[UNIT])
    main = shop.commit()
    started = await call.data("chant_work_start", id=ID)
    shop.said(ID, " out checking")
    assert await call.text("chant_pause", id=ID) == f"Successfully paused work for spec '{ID}'"
    assert not processes()
    assert shop.named(started["process_id"])["end_state"] == "paused"
    assert shop.project.status(ID) == "in_progress"
    assert git(shop.root, "rev-parse", "main").strip() == main


# Outputs


SCHEMA = {
    "type": "object",
    "required": ["spec_id", "files"],
    "properties": {"criteria": {"type": "integer", "minimum": 2}},
}


def with_schema(shop: Workshop, *behaviours: str, **keys: Any) -> None:
    """Write a spec whose output has a schema."""
    (shop.root / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    shop.spec(ID, *behaviours, output_schema="schema.json", **keys)


async def test_an_output_that_fits_its_schema_is_accepted(shop: Workshop, call: Caller) -> None:
    with_schema(shop, "output")
    shop.commit()
    await call.data("chant_work_start", id=ID)
    assert shop.ended(ID)["end_state"] == "completed"


@pytest.mark.parametrize(
    ("behaviour", "why"),
    [
        ("output", "1 is less than the minimum of 2"),
        ("work", "Failed to validate output: the log holds no JSON"),
    ],
)
async def test_an_output_that_does_not_fit_needs_attention(
    shop: Workshop, call: Caller, behaviour: str, why: str
) -> None:
    with_schema(shop, behaviour, criteria=["Works"])
    shop.commit()
    await call.data("chant_work_start", id=ID)
    record = shop.ended(ID)
    assert record["end_state"] == "needs_attention"
    assert record["reason"].startswith("the output does not match its schema: ")
    assert why in record["reason"]
    assert shop.main(f"work/{ID}.txt") is None


async def test_what_a_check_says_is_not_the_output(shop: Workshop, call: Caller) -> None:
    """A person repairs what the check complained of; the agent's output is still there."""
    shop.configure("checks:\n  unit: [sh, -c, 'echo checked; test -e mended.txt']\n")
    with_schema(shop, "output", criteria=[UNIT, "Tested"])
    shop.commit()
    await call.data("chant_work_start", id=ID)
    record = shop.ended(ID)
    assert record["reason"] == "check 'unit' failed with exit code 1"
    worktree = Path(record["worktree"])
    (worktree / "mended.txt").write_text("mended\n", encoding="utf-8")
    git(worktree, "add", "mended.txt")
    git(worktree, "commit", "-qm", "Mend it")
    shop.handle().merge(ID)
    assert (shop.record(ID)["end_state"], shop.record(ID)["reason"]) == ("completed", None)
    assert shop.main("mended.txt") == "mended\n"


async def test_commands_in_the_text_of_a_spec_stay_text(shop: Workshop, call: Caller) -> None:
    mark = shop.root.parent / "run"
    words = f"$(touch {mark}) `touch {mark}`; touch {mark}"
    shop.spec(ID, criteria=[f"Works {words}"], targets=["work/$(touch run).txt"], labels=[words, "demo:work"])
    shop.commit()
    started = await call.data("chant_work_start", id=ID)
    assert shop.ended(started["process_id"])["end_state"] == "completed"
    await call.data("chant_verify", id=ID)
    await call.data("chant_diagnose", id=ID)
    assert not mark.exists()
    shop.spec(OTHER, criteria=[f"Tested <!-- check: {words} -->"])
    refused = await call.error("chant_work_start", id=OTHER)
    assert "check" in refused
    assert not mark.exists()
