"""What agents tell of themselves: why they failed, what they cost, and which limits hold them."""

from __future__ import annotations

import json
import time

import pytest
from harness import Caller
from work import teller
from work.kit import FIFTH, FOURTH, ID, OTHER, THIRD, Record, Workshop
from writing import git

pytestmark = pytest.mark.anyio

_RETRIES = "watch: {failure: {max_retries: 2, retry_delay_ms: 300, retryable_patterns: [API Error]}}\n"


def _configure(shop: Workshop, limits: str = "") -> None:
    shop.configure(f"{teller.agents()}{_RETRIES}{limits}", provider="claude-works")


def _started(shop: Workshop, scenes: dict[str, str]) -> None:
    for id in scenes:
        shop.spec(id)
    shop.commit()
    handle = shop.handle()
    for id, scene in scenes.items():
        handle.work_start(id, agent=f"claude-{scene}")


def _entry(shown: dict[str, list[Record]], id: str) -> Record:
    [entry] = [run for run in shown["processes"] if run["spec_id"] == id]
    return entry


@pytest.mark.requirement(
    "chant:events:wrong_key_ends_the_run_at_once",
    "chant:events:passing_trouble_is_waited_for",
    "chant:events:denials_are_named",
    "chant:events:cause_has_a_next_step",
    "chant:costs:usage_is_recorded_and_listed",
    "chant:costs:limits_end_a_run",
    "chant:events:repeating_causes_are_not_retried",
)
async def test_agents_are_understood_by_what_they_tell(shop: Workshop, call: Caller) -> None:
    _configure(shop, "limits: {tokens: 1000, cost_usd: 0.5}\n")
    began = time.monotonic()
    _started(
        shop,
        {ID: "wrong-key", OTHER: "busy-once", THIRD: "denied", FOURTH: "works", FIFTH: "spends"},
    )
    refused = shop.ended(ID)
    assert time.monotonic() - began < 15
    records = {id: shop.ended(id) for id in (OTHER, THIRD, FOURTH, FIFTH)}
    shown = await call.data("chant_work_list", include_completed=True)

    assert (refused["end_state"], refused["cause"]) == ("failed", "not_logged_in")
    assert refused["reason"].startswith(
        "The agent is not logged in, or its key is wrong or expired (401 authentication_failed). "
    )
    print(json.dumps(shown, indent=1))
    print(json.dumps(records, indent=1))
