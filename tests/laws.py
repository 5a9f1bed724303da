"""How many cases a law is tried on: few in the tests, many in `make trials`."""

from __future__ import annotations

import os
from collections.abc import Sequence

from hypothesis import HealthCheck, settings

TRIALS = int(os.environ.get("CHANT_TRIALS", "1"))
"""How many times the usual number of cases is tried; `make trials` sets it."""

SHARED = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)
"""For examples that share one project and one server, so that its index lives through all of them."""


def law(examples: int, *, shares: bool = False, derandomize: bool = True) -> settings:
    """Make the settings of a law.

    Args:
        examples: How many cases the tests try.
        shares: Whether the examples share what fixtures made.
        derandomize: Whether every run tries the same cases; trials never do.
    """
    suppressed: Sequence[HealthCheck] = SHARED if shares else ()
    return settings(
        max_examples=examples * TRIALS,
        deadline=None,
        derandomize=derandomize and TRIALS == 1,
        database=None,
        suppress_health_check=suppressed,
    )
