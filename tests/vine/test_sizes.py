"""Long plans: lists of 50, pages, answers that stay short, and what was left out (decisions 3, W5, W11)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from harness import Caller, text_of
from vine.planning import LISTS, ONE_ERA, Plans, claim, ids, plan_of, status, texts_of, wide, write

pytestmark = pytest.mark.anyio

MOST = 50_000


async def test_frontier_lists_show_fifty_and_count_all(call: Caller, plans: Plans) -> None:
    plans.write("wide", wide(130))
    found = await call.data("vine_next", file="wide")
    assert ids(found["ready_to_start"]) == [f"t{n}" for n in range(50)]
    assert found["ready_to_start_total"] == found["progress"]["ready_count"] == 130
    assert not any(f"{key}_total" in found for key in (*LISTS[1:], "in_progress"))
    keys = list(found)
    assert keys[:3] == ["ready_to_start", "ready_to_start_total", "ready_to_complete"]
    answer = await write(call, "wide", status("t0", "complete"))
    assert ids(answer["ready_to_start"]) == [f"t{n}" for n in range(1, 51)]
    assert answer["ready_to_start_total"] == answer["progress"]["ready_count"] == 129
    answer = await write(call, "wide", status("t0", "complete"), limit=1000)
    assert len(answer["ready_to_start"]) == 129
    assert "ready_to_start_total" not in answer


@ONE_ERA
async def test_pages_of_the_frontier_put_together_are_all_of_it(call: Caller, plans: Plans) -> None:
    plans.write("wide", wide(23))
    found: list[str] = []
    for offset in range(0, 30, 7):
        page = await call.data("vine_next", file="wide", limit=7, offset=offset)
        assert page["ready_to_start_total"] == 23
        found += ids(page["ready_to_start"])
    assert found == [f"t{n}" for n in range(23)]
    assert (await call.data("vine_next", file="wide", limit=0))["ready_to_start"] == []


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("planning", "ready_to_start"),
        ("reviewing", "ready_to_complete"),
        ("ref", "needs_expansion"),
        ("blocked", "blocked"),
        ("started", "in_progress"),
    ],
)
@ONE_ERA
async def test_each_list_of_the_frontier_has_a_count_when_it_is_cut(
    call: Caller, plans: Plans, words: str, key: str
) -> None:
    below = ",".join(f"t{n}" for n in range(60))
    plans.write("plan", plan_of(f"r:started>{below} " + " ".join(f"t{n}:{words}" for n in range(60))))
    found = await call.data("vine_next", file="plan")
    total = 61 if key == "in_progress" else 60
    assert (len(found[key]), found[f"{key}_total"]) == (50, total)
    if key != "in_progress":
        answer = await write(call, "plan", status("r", "planning"), status("r", "started"))
        assert (len(answer[key]), answer[f"{key}_total"]) == (50, 60)


@ONE_ERA
async def test_what_waits_is_counted_when_it_is_cut(call: Caller, plans: Plans) -> None:
    names = [f"t{n}" for n in range(60)]
    words = " ".join(f"{name}:planning>z" for name in names)
    plans.write("plan", plan_of(f"r:planning>{','.join(names)} {words} z:started"))
    found = await call.data("vine_next", file="plan")
    assert (len(found["waiting"]), found["waiting_total"]) == (50, 61)
    rest = await call.data("vine_next", file="plan", offset=50)
    assert ids(rest["waiting"]) == names[49:]


async def test_a_page_of_a_list_says_that_it_is_one(call: Caller, plans: Plans) -> None:
    plans.write("wide", wide(9))
    for action, arguments in (
        ("list", {}),
        ("search", {"query": "leaf"}),
        ("descendants", {"id": "t3"}),
        ("dependencies", {"id": "root"}),
    ):
        whole = await call("vine_read", file="wide", action=action, **arguments)
        entries = json.loads(text_of(whole))
        total = len(entries)
        page = await call("vine_read", file="wide", action=action, limit=2, offset=1, **arguments)
        shown = entries[1:3]
        assert json.loads(text_of(page)) == shown
        assert page.structured_content == {"result": shown, "total": total, "returned": len(shown)}
        more = "; offset=3 gives the next ones" if total > 3 else ""
        assert texts_of(page)[1:] == [f"{len(shown)} of {total} entries, from 1 on{more}."], action
    last = await call("vine_read", file="wide", action="list", offset=9)
    assert texts_of(last)[1] == "1 of 10 entries, from 9 on."


@ONE_ERA
async def test_a_list_that_would_be_too_long_ends_early_and_can_be_paged(call: Caller, plans: Plans) -> None:
    plans.write("wide", wide(300, description="x" * 700))
    found: list[str] = []
    pages = 0
    while len(found) < 301:
        page = await call("vine_read", file="wide", action="list", offset=len(found))
        texts = texts_of(page)
        assert sum(map(len, texts)) < MOST
        shown = json.loads(texts[0])
        assert page.structured_content["result"] == shown
        assert shown
        found += ids(shown)
        pages += 1
    assert found == ["root", *(f"t{n}" for n in range(300))]
    assert pages > 3


@ONE_ERA
async def test_no_answer_is_too_long(call: Caller, plans: Plans) -> None:
    plans.write("wide", wide(400, description="x" * 4000))
    results = [
        await call("vine_next", file="wide"),
        await call("vine_next", file="wide", limit=400),
        await call("vine_write", file="wide", operations=[claim("t0")], limit=400),
        await call("vine_read", file="wide", action="context", id="root"),
        await call("vine_read", file="wide", action="task", id="t0"),
        await call(
            "vine_write", file="wide", operations=[claim(f"t{n}") for n in range(1, 300)], dry_run=True
        ),
    ]
    for result in results:
        assert not result.is_error, text_of(result)
        assert sum(map(len, texts_of(result))) < MOST
        assert json.loads(text_of(result)) == result.structured_content


@ONE_ERA
async def test_a_chain_of_a_hundred_thousand_tasks(call: Caller, plans: Plans) -> None:
    """No question recurses, none takes time that grows with the square."""
    last = 100_000
    blocks = [f"[t{n}] T (notstarted)\n-> t{n + 1}\n" for n in range(last)]
    plans.write("chain", "vine 1.2.0\n---\n" + "---\n".join([*blocks, f"[t{last}] T (notstarted)\n"]))
    assert await call.text("vine_read", file="chain", action="validate") == f"Valid — {last + 1} task(s)."
    found = await call.data("vine_next", file="chain")
    assert ids(found["ready_to_start"]) == [f"t{last}"]
    for action, id in (("descendants", f"t{last}"), ("dependencies", "t0")):
        result = await call("vine_read", file="chain", action=action, id=id, limit=3)
        assert result.structured_content["total"] == last
    answer: dict[str, Any] = await write(call, "chain", claim(f"t{last}"), status(f"t{last}", "reviewing"))
    assert ids(answer["ready_to_start"]) == [f"t{last - 1}"]
    error = await call.error(
        "vine_write", file="chain", operations=[{"op": "add_dep", "taskId": f"t{last}", "depId": "t0"}]
    )
    assert error.startswith("Validation error [no-cycles]: Cycle detected: t0 → t1 → t2 → ")
    assert len(error) < MOST


@ONE_ERA
async def test_a_page_of_a_list_is_as_large_as_its_text_may_be(call: Caller, plans: Plans) -> None:
    plans.write("wide", wide(1_000))
    result = await call("vine_read", file="wide", action="list", limit=1_000)
    text, page = text_of(result), result.structured_content
    assert page is not None
    assert json.loads(text) == page["result"]
    assert page["returned"] > 250
    assert MOST - 3_000 < len(text) < MOST
    assert len(text.splitlines()) == page["returned"] + 2
    brief = await call.data(
        "vine_read", file="wide", action="list", fields=["shortName", "status"], limit=700, offset=9
    )
    assert [list(task) for task in brief["result"][:2]] == [["id", "shortName", "status"]] * 2
    assert (brief["returned"], brief["result"][0]["id"]) == (700, page["result"][9]["id"])
    found = await call.data("vine_read", file="wide", action="list", query="t99")
    assert len(found["result"]) == 11
    refusal = await call.error("vine_read", file="wide", action="list", fields=["stat"])
    assert refusal.startswith('Invalid field "stat". Valid values: id, kind, shortName, status')
