"""Agents that take turns: who is next, how many specs each works on, and the pause between starts."""

from __future__ import annotations

import os
import signal
from collections import Counter
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest
from chant_mcp.errors import RefusedError
from harness import Caller
from work.kit import FIFTH, FOURTH, ID, OTHER, THIRD, Record, Workshop, lives, wait_for

pytestmark = pytest.mark.anyio

FIVE = [ID, OTHER, THIRD, FOURTH, FIFTH]


def divide(
    shop: Workshop, agents: dict[str, dict[str, Any]], strategy: str = "none", stagger: int = 0
) -> None:
    """Divide work among demo agents."""

    def entry(name: str, keys: dict[str, Any]) -> str:
        settings = "".join(f", {key}: {value}" for key, value in keys.items())
        return f"  - {{name: {name}, command: demo{settings}}}\n"

    entries = "".join(entry(name, keys) for name, keys in agents.items())
    pause = f"  stagger_delay_ms: {stagger}\n  stagger_jitter_ms: 0\n"
    shop.configure(f"  rotation_strategy: {strategy}\nparallel:\n{pause}  agents:\n{entries}")


def agents_of(records: list[Record]) -> list[str]:
    """Name the agents of runs that worked on specs."""
    return [record["agent"]["name"] for record in records if record["mode"] == "single"]


def begun(record: Record) -> datetime:
    """Tell when a run was started."""
    return datetime.fromisoformat(record["started_at"].replace("Z", "+00:00"))


# Rotation


async def test_single_starts_take_the_agents_in_turn_by_weight(shop: Workshop, call: Caller) -> None:
    divide(shop, {"ada": {"weight": 2}, "bob": {"weight": 1}}, "round-robin")
    for id in FIVE:
        shop.spec(id)
    shop.commit()
    for id in FIVE[:4]:
        await call.data("chant_work_start", id=id)
        shop.ended(id)
    assert agents_of([shop.record(id) for id in FIVE[:4]]) == ["ada", "ada", "bob", "ada"]
    # Who names an agent gets it.
    shop.handle().work_start(FIFTH, agent="demo")
    shop.ended(FIFTH)
    assert shop.record(FIFTH)["agent"]["name"] == "demo"


async def test_a_chain_takes_the_agents_in_turn(shop: Workshop, call: Caller) -> None:
    divide(shop, {"ada": {}, "bob": {}}, "round_robin")
    for id in FIVE[:4]:
        shop.spec(id)
    shop.commit()
    started = await call.data("chant_work_start", id=ID, chain=True)
    assert shop.ended(started["process_id"])["reason"] == "4 of 4 specs completed"
    assert agents_of(shop.records()) == ["ada", "bob", "ada", "bob"]


async def test_chance_gives_work_to_agents_of_the_list_alone(shop: Workshop, call: Caller) -> None:
    divide(shop, {"ada": {"max_concurrent": 1}, "bob": {"max_concurrent": 1}}, "random")
    for id in FIVE[:2]:
        shop.spec(id, "wait")
    shop.commit()
    for id in FIVE[:2]:
        await call.data("chant_work_start", id=id)
    assert sorted(agents_of(shop.records())) == ["ada", "bob"], "each has room for one"
    shop.go(*FIVE)
    for id in FIVE[:2]:
        shop.ended(id)


# Capacity


async def test_no_start_gives_an_agent_more_than_it_may_have(shop: Workshop, call: Caller) -> None:
    divide(shop, {"ada": {"max_concurrent": 1}, "bob": {"max_concurrent": 1}}, "round_robin")
    for id in FIVE[:3]:
        shop.spec(id, "wait")
    shop.commit()
    await call.data("chant_work_start", id=ID)
    await call.data("chant_work_start", id=OTHER)
    words = await call.error("chant_work_start", id=THIRD)
    assert words.startswith(
        "The agents of `parallel.agents` work on 2 specs, as many as their `max_concurrent`"
    )
    with pytest.raises(RefusedError, match="Agent 'ada' works on 1 specs, as many as its `max_concurrent`"):
        shop.handle().work_start(THIRD, agent="ada")
    assert shop.project.status(THIRD) == "pending"
    shop.go(*FIVE)
    for id in FIVE[:2]:
        shop.ended(id)
    await call.data("chant_work_start", id=THIRD)
    assert shop.ended(THIRD)["end_state"] == "completed"


async def test_several_at_once_respect_what_other_runs_take(shop: Workshop, call: Caller) -> None:
    """One of two agents is at work already; the other has room for two."""
    divide(shop, {"ada": {"max_concurrent": 1}, "bob": {"max_concurrent": 2}})
    shop.spec(FIFTH, "wait", status="pending")
    shop.commit()
    shop.handle().work_start(FIFTH, agent="ada")
    for id in FIVE[:4]:
        shop.spec(id, "wait")
    started = await call.data("chant_work_start", id=ID, parallel=4)

    def below() -> list[Record]:
        return [record for record in shop.records() if record["parent"] == started["process_id"]]

    wait_for(lambda: len(below()) == 2, "two runs")
    for id in (ID, OTHER):
        shop.said(id, "out waiting")
    assert len(below()) == 2
    assert agents_of(below()) == ["bob", "bob"]
    shop.go(FIFTH)
    shop.ended(FIFTH)
    wait_for(lambda: len(below()) == 3, "a third run, by who became free")
    shop.go(*FIVE)
    assert shop.ended(started["process_id"])["reason"] == "4 of 4 specs completed"
    assert Counter(agents_of(below()))["ada"] >= 1


# The pause between starts


async def test_starts_of_work_in_parallel_keep_their_distance(shop: Workshop, call: Caller) -> None:
    divide(shop, {"ada": {"max_concurrent": 3}}, stagger=600)
    for id in FIVE[:3]:
        shop.spec(id)
    shop.commit()
    started = await call.data("chant_work_start", id=ID, parallel=3)
    assert shop.ended(started["process_id"])["reason"] == "3 of 3 specs completed"
    moments = [begun(record) for record in shop.records() if record["parent"]]
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(moments)]
    assert len(gaps) == 2
    assert min(gaps) >= 0.6


async def test_who_is_told_to_end_does_not_wait_for_the_next_start(shop: Workshop, call: Caller) -> None:
    divide(shop, {"ada": {"max_concurrent": 3}}, stagger=3_000_000)
    for id in FIVE[:2]:
        shop.spec(id)
    shop.commit()
    started = await call.data("chant_work_start", id=ID, parallel=2)
    shop.ended(ID)
    crew = shop.named(started["process_id"])
    assert lives(crew["pid"]), "another spec is ready"
    os.kill(crew["pid"], signal.SIGTERM)
    assert shop.ended(started["process_id"])["reason"] == "It was asked to end"
    assert shop.project.status(OTHER) == "pending"
