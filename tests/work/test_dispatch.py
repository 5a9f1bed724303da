"""Which spec an orchestrator starts next, and how many run at once, as people see it."""

from __future__ import annotations

import pytest
from harness import Caller
from work.kit import ID, OTHER, THIRD, Record, Workshop, wait_for

pytestmark = pytest.mark.anyio


def below(shop: Workshop, parent: str) -> list[str]:
    """Give the specs of the runs below another run, in the order in which they began."""
    return [record["spec_id"] for record in shop.records() if record["parent"] == parent]


async def started(shop: Workshop, call: Caller, number: int, parallel: int) -> tuple[Record, list[str]]:
    """Work on the first spec and others, and give the run and the specs that are at work at once."""
    run = await call.data("chant_work_start", id=ID, parallel=parallel)
    wait_for(lambda: len(below(shop, run["process_id"])) == number, lambda: f"{shop.records()}")
    return run, below(shop, run["process_id"])


@pytest.mark.requirement("cluster:dispatch:shares_least_comes_next", "cluster:dispatch:report_says_foreseen")
async def test_what_shares_a_file_comes_later_and_is_counted(shop: Workshop, call: Caller) -> None:
    for id, targets in ((ID, ["a.txt"]), (OTHER, ["a.txt"]), (THIRD, ["b.txt"])):
        shop.spec(id, "wait", targets=targets)
    shop.commit()
    run, specs = await started(shop, call, 2, parallel=2)
    assert specs == [ID, THIRD]
    shop.go(THIRD)
    wait_for(lambda: len(below(shop, run["process_id"])) == 3, "the third start")
    shop.said(OTHER, "out waiting")
    listed = await call.data("chant_work_list", process_id=run["process_id"])
    [entry] = [entry for entry in listed["processes"] if entry["process_id"] == run["process_id"]]
    assert entry["foreseen_conflicts"] == 1
    shop.go(ID)
    shop.ended(ID)
    shop.go(OTHER)
    reason = shop.ended(run["process_id"])["reason"]
    assert "; 1 conflict was foreseen: a pair of specs at work at once" in reason


@pytest.mark.requirement("cluster:dispatch:spare_holds_back")
async def test_spare_waits_while_anything_else_runs(shop: Workshop, call: Caller) -> None:
    shop.configure("dispatch: spare\n")
    same = ["a.txt", "b.txt", "c.txt"]
    for id, targets in ((ID, same), (OTHER, same), (THIRD, ["d.txt"])):
        shop.spec(id, "wait", targets=targets)
    shop.commit()
    run, specs = await started(shop, call, 2, parallel=3)
    assert specs == [ID, THIRD]
    shop.go(THIRD)
    shop.ended(THIRD)
    assert below(shop, run["process_id"]) == [ID, THIRD]
    shop.go(ID, OTHER)
    assert shop.ended(run["process_id"])["reason"] == "3 of 3 specs completed"
    assert below(shop, run["process_id"]) == [ID, THIRD, OTHER]
