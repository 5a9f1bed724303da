"""`vine_next`: what can be acted on now (seed vine, reference vine 5.2 and 12.2).

Changed on purpose against the vectors: 199 of 200 is 99 % (W17), and where the four lists are empty
`in_progress` and `waiting` say why (W6).
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from harness import Caller, text_of
from vine.planning import DEMO, LISTS, ONE_ERA, TASK, Plans, ids, plan_of

pytestmark = pytest.mark.anyio

VECTORS = {
    # the plan: lists that are not empty
    "r:notstarted": {"ready_to_start": "r"},
    "r:reviewing": {"ready_to_complete": "r"},
    "r:reviewing>a a:reviewing": {"ready_to_complete": "a r"},
    "r:reviewing>a,b a:reviewing>b b:reviewing": {"ready_to_complete": "a b r"},
    "r:reviewing>a,e a:complete e:ref": {"needs_expansion": "e"},
    "r:started>a a:reviewing>b b:started": {"in_progress": "r b"},
    "r:planning>a a:reviewing": {"ready_to_start": "r"},
    "r:blocked>a a:reviewing": {"blocked": "r"},
    "r:blocked>a a:started": {"in_progress": "a"},
    "r:planning>e e:ref>a a:reviewing": {"needs_expansion": "e"},
    "r:planning>e e:ref>a a:started": {"in_progress": "a"},
    "r:ref": {"needs_expansion": "r"},
    "r:complete>a a:complete": {},
    # a reference that waits does not use what it waits for; a reviewing one that waits is not listed
    "r:planning>e e:ref>a,b a:reviewing b:notstarted": {"ready_to_start": "b"},
    "r:started>b b:reviewing>a a:blocked": {"blocked": "a", "in_progress": "r"},
}


@pytest.mark.requirement(
    "vine:next:ready_to_start",
    "vine:next:ready_to_complete",
    "vine:next:needs_expansion",
    "vine:next:blocked",
)
@ONE_ERA
async def test_the_frontier_is_that_of_the_vectors(call: Caller, plans: Plans) -> None:
    for words, expected in VECTORS.items():
        plans.write("plan", plan_of(words))
        found = await call.data("vine_next", file="plan")
        shown = {key: " ".join(ids(found[key])) for key in (*LISTS, "in_progress") if found[key]}
        assert shown == expected, words


@pytest.mark.requirement("vine:next:progress", "vine:next:needs_expansion")
async def test_the_answer_has_the_keys_of_the_seed_in_their_order(call: Caller, plans: Plans) -> None:
    plans.write("demo", DEMO)
    result = await call("vine_next", file="demo")
    found = json.loads(text_of(result))
    assert text_of(result).replace("\n", "") == json.dumps(
        result.structured_content, separators=(",", ":"), ensure_ascii=False
    )
    assert list(found) == [*LISTS, "progress", "in_progress"]
    assert found["needs_expansion"] == [
        {"id": "ext", "shortName": "External", "vine": "./child.vine", "dependencies": ["leaf"]}
    ]
    assert [list(node) for node in found["in_progress"]] == [TASK]
    progress: dict[str, Any] = {
        "total": 5,
        "complete": 1,
        "percentage": 20,
        "ready_count": 0,
        "root_id": "root",
        "root_status": "planning",
    }
    statuses = {"complete": 1, "notstarted": 0, "planning": 1, "blocked": 0, "started": 1, "reviewing": 1}
    assert json.dumps(found["progress"]) == json.dumps({**progress, "by_status": statuses})


async def test_when_nothing_can_be_done_it_says_what_is_waited_for(call: Caller, plans: Plans) -> None:
    plans.write("stuck", plan_of("r:planning>b,e b:notstarted>a a:started e:ref>a"))
    found = await call.data("vine_next", file="stuck")
    assert ids(found["in_progress"]) == ["a"]
    assert found["waiting"] == [
        {"id": "r", "waits_for": ["b", "e"]},
        {"id": "b", "waits_for": ["a"]},
        {"id": "e", "waits_for": ["a"]},
    ]
    plans.write("going", plan_of("r:planning>b,c b:notstarted>a a:started c:notstarted"))
    assert "waiting" not in await call.data("vine_next", file="going")
    plans.write("done", plan_of("r:complete>a a:complete"))
    assert "waiting" not in await call.data("vine_next", file="done")


@pytest.mark.requirement("vine:next:progress")
@ONE_ERA
async def test_percentages_are_rounded_and_100_means_all(call: Caller, plans: Plans) -> None:
    for complete, total, expected in ((0, 1, 0), (1, 3, 33), (1, 8, 13), (199, 200, 99), (200, 200, 100)):
        leaves = [f"t{n}" for n in range(1, total)]
        statuses = ["complete"] * complete + ["notstarted"] * (total - complete)
        root = f"r:{statuses[-1]}>{','.join(leaves)}"
        words = " ".join([root, *(f"{id}:{word}" for id, word in zip(leaves, statuses, strict=False))])
        plans.write("plan", plan_of(words))
        progress = (await call.data("vine_next", file="plan"))["progress"]
        assert (progress["complete"], progress["total"]) == (complete, total)
        assert progress["percentage"] == expected


@pytest.mark.requirement("vine:next:progress")
@ONE_ERA
async def test_references_count_and_keep_from_the_end(call: Caller, plans: Plans) -> None:
    plans.write("refs", plan_of("r:ref>a a:complete"))
    progress = (await call.data("vine_next", file="refs"))["progress"]
    assert (progress["total"], progress["percentage"], progress["root_status"]) == (2, 50, "ref")
    assert sum(progress["by_status"].values()) == 1


@pytest.mark.requirement("vine:next:ready_to_complete")
@ONE_ERA
async def test_only_a_task_that_has_begun_uses_what_it_depends_on(call: Caller, plans: Plans) -> None:
    for of, expected in (
        ("started", ["a"]),
        ("reviewing", ["a", "r"]),
        ("complete", ["a"]),
        ("planning", []),
        ("notstarted", []),
        ("blocked", []),
        ("ref", []),
    ):
        plans.write("plan", plan_of(f"r:{of}>a a:reviewing"))
        found = await call.data("vine_next", file="plan")
        assert ids(found["ready_to_complete"]) == expected, of


async def test_an_edit_by_hand_is_seen_at_once(call: Caller, plans: Plans) -> None:
    """Also one that leaves size and time of the file as they were."""
    plans.write("plan", plan_of("r:planning>aa,bb aa:planning bb:blocked"))
    assert ids((await call.data("vine_next", file="plan"))["ready_to_start"]) == ["aa"]
    for turn in range(20):
        first, second = ("blocked", "planning") if turn % 2 == 0 else ("planning", "blocked")
        os.utime(plans.write("plan", plan_of(f"r:planning>aa,bb aa:{first} bb:{second}")), (1e9, 1e9))
        ready = ids((await call.data("vine_next", file="plan"))["ready_to_start"])
        assert ready == (["bb"] if turn % 2 == 0 else ["aa"])
