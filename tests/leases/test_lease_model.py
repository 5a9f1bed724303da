"""The protocol of leases, every order of events: nothing lands twice or late, nothing gets stuck."""

from __future__ import annotations

import pytest
from laws import TRIALS
from leases.lease_model import Bounds, Rules, explore

BOUNDS = [Bounds(halves=0), Bounds(tokens=4, halves=2, forged=1)]
"""A server that does all of a push or nothing, and one that may die between two refs, twice."""

WIDE = [Bounds(workers=3, halves=1), Bounds(workers=3, crashes=2, halves=2, forged=1)]
"""For trials: some 350,000 states, half a minute."""

WITHOUT_A_RULE = {
    "target, then lease": (Rules(landing="target first"), 0, "I2: a stale landing"),
    "lease, then target": (Rules(landing="lease first"), 0, "I2: a stale landing"),
    "no look at the target": (Rules(looks_at_target=False), 0, "I1: a second landing"),
    "completing leaves the lease": (Rules(completion_moves_lease=False), 0, "I2: a stale landing"),
    "observers complete": (Rules(observers_complete=True), 1, "D1: a landing under a forged lease"),
}
"""The rules, how many leases are forged, and the invariant that breaks."""


@pytest.mark.parametrize("bounds", BOUNDS + (WIDE if TRIALS > 1 else []), ids=str)
def test_invariants_hold_in_every_state(bounds: Bounds) -> None:
    finding = explore(Rules(), bounds)
    assert (finding.violation, finding.trace, finding.stuck) == (None, (), 0)
    assert finding.states > 1_500, "the search did not get far"


@pytest.mark.parametrize("name", WITHOUT_A_RULE)
def test_search_finds_what_a_missing_rule_breaks(name: str) -> None:
    rules, forged, violation = WITHOUT_A_RULE[name]
    finding = explore(rules, Bounds(forged=forged))
    assert finding.violation == violation
    assert len(finding.trace) < 12


@pytest.mark.parametrize("landing", ["target first", "lease first"])
def test_two_pushes_are_wrong_even_where_no_server_dies(landing: str) -> None:
    rules = Rules(landing=landing)  # pyright: ignore[reportArgumentType]
    assert explore(rules, Bounds(crashes=0, foreign=0, halves=0)).violation == "I2: a stale landing"


def test_half_landings_that_are_not_completed_stay() -> None:
    uncompleted = explore(Rules(holder_completes=False, others_claim_halves=False), Bounds())
    by_holder_alone = explore(Rules(others_claim_halves=False), Bounds())
    assert (uncompleted.violation, by_holder_alone.violation) == (None, None)
    assert uncompleted.stuck > by_holder_alone.stuck > 0
