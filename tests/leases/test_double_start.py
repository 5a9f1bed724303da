"""Two clones that start the same spec at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from chant_mcp.errors import ChantError
from laws import TRIALS
from leases.clones import LEASES, LeaseClone, SharedProject
from leases.remotes import Remote
from work.kit import wait_for

GROUPS = (1, 1, 4, 4) * TRIALS
"""How many specs both clones start at once, one group after the other."""


def spec_name(number: int) -> str:
    """Name one of many specs."""
    return f"2026-01-22-{number:03}-x7m"


def started(clone: LeaseClone, id: str, together: Barrier) -> str | None:
    """Start work with others at once; give the words of a refusal."""
    handle = clone.handle()
    together.wait()
    try:
        handle.work_start(id)
    except ChantError as error:
        return str(error)
    return None


def test_of_two_clones_that_start_a_spec_one_works_and_the_other_is_refused(
    tmp_path: Path, make_remote: Callable[..., Remote]
) -> None:
    shared = SharedProject(tmp_path, make_remote("git"), f"{LEASES}limits: {{agents_at_once: 20}}\n")
    names = (spec_name(number) for number in itertools.count())
    groups = [list(itertools.islice(names, size)) for size in GROUPS]
    shared.publish([id for ids in groups for id in ids])
    clones = [shared.clone(), shared.clone()]
    workers = {id: worker for ids in groups for id, worker in start_in_both(shared, clones, ids).items()}
    for id, worker in workers.items():
        assert worker.ended(id)["end_state"] == "completed"
        assert [clone.agents_started(id) for clone in clones] == [int(clone is worker) for clone in clones]
        assert (shared.completions(id), shared.tokens(id)) == (1, [1])


def start_in_both(shared: SharedProject, clones: list[LeaseClone], ids: list[str]) -> dict[str, LeaseClone]:
    """Start some specs in all clones at once; give the clone that works on each of them."""
    together = Barrier(len(clones) * len(ids))
    with ThreadPoolExecutor(len(clones) * len(ids)) as pool:
        starts = {id: [pool.submit(started, clone, id, together) for clone in clones] for id in ids}
    workers: dict[str, LeaseClone] = {}
    for id, futures in starts.items():
        words = [future.result() for future in futures]
        assert words.count(None) == 1, words
        workers[id] = clones[words.index(None)]
        check_refusal(shared, id, next(filter(None, words)))
    return workers


def check_refusal(shared: SharedProject, id: str, words: str) -> None:
    """Check that a refusal names who has the spec, or that it is done, if the agent was that quick."""
    if "is completed on the remote already" in words:
        return
    lease = shared.lease(id)
    holder = f"is worked on by {lease['orchestrator']} on {lease['host']} (token {lease['token']}, since 20"
    assert holder in words, words
    assert words.endswith(f"take it over with `chant-mcp takeover {id} --force`."), words


def test_parallel_work_leaves_out_what_another_clone_holds(
    tmp_path: Path, make_remote: Callable[..., Remote]
) -> None:
    shared = SharedProject(tmp_path, make_remote(), LEASES)
    held, asked, other = (spec_name(number) for number in range(3))
    shared.publish([held], "wait")
    shared.publish([asked, other])
    first, second = shared.clone(), shared.clone()
    first.start(held)
    second.handle().work_start(asked, parallel=3)
    for id in (asked, other):
        wait_for(lambda id=id: shared.completions(id) == 1, f"the landing of {id}")
    (above,) = [record for record in second.records() if record["mode"] != "single"]
    reason = second.ended(above["process_id"])["reason"]
    assert reason.startswith("2 of 2 specs completed"), reason
    assert "; left out: " in reason
    assert f"'{held}'" in reason
    assert held not in [record["spec_id"] for record in second.records()]
    first.go(held)
    assert first.ended(held)["end_state"] == "completed"
