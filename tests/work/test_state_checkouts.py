"""Runs in every state that a user's checkout can be in: all that is the user's stays as it was."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
from chant_mcp.errors import ChantError
from laws import TRIALS
from work.checkouts import ID, TARGET, Checkout, made
from work.kit import kill, wait_for
from work.states import (
    FREE,
    STOPPED,
    WAITING,
    State,
    filtered,
    hooked,
    signing,
)


def in_states(*states: State) -> pytest.MarkDecorator:
    """Have a test run in each of these states."""
    return pytest.mark.parametrize("state", states, ids=lambda state: state.__name__)


def differing(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """Name what differs."""
    return sorted(name for name in {*before, *after} if before.get(name) != after.get(name))


@in_states(*FREE)
def test_merge_changes_only_what_the_work_changed(state: State, tmp_path: Path) -> None:
    checkout = state(tmp_path)
    before, others, old = checkout.seen(), checkout.others(), checkout.tip()
    record = checkout.run()
    assert (record["end_state"], record["reason"]) == ("completed", None)
    after, new = checkout.seen(), checkout.tip()
    assert checkout.project.status(ID) == "completed"
    assert checkout.others() == others

    target = checkout.inside(checkout.target)
    touched = {target, checkout.spec} if checkout.is_tracked else {target}
    old_files, new_files = checkout.tree_files(old), checkout.tree_files(new)
    assert set(differing(old_files, new_files)) == touched
    assert checkout.git("rev-list", "--parents", "-1", new).split()[1] == old
    assert len(checkout.git("rev-list", "--parents", "-1", new).split()) == 3

    on_main = checkout.stood_on_main()
    for top in (checkout.top, *checkout.elsewhere):
        for kind in ("files", "index"):
            name = f"{kind} of {top.name}"
            expected = {target} if top in on_main else set()
            assert set(differing(before.pop(name), after.pop(name))) == expected, name
    assert after == before
    assert checkout.worktrees() == []
    ours = checkout.git("for-each-ref", "--format=%(refname)", "refs/heads/chant", "refs/chant").split()
    assert ours == [f"refs/chant/receipts/{ID}/1"]
    checkout.check_sound()


def pause(checkout: Checkout) -> None:
    checkout.start()
    checkout.chant().pause(ID)


def take_over(checkout: Checkout) -> None:
    checkout.start()
    checkout.chant().takeover(ID)


def kill_the_runner(checkout: Checkout) -> None:
    chant = checkout.chant()
    kill(checkout.start()["pid"])
    assert chant.recover() == []
    # The process that started it may look after it, too.
    wait_for(lambda: checkout.record()["settled_at"], "the end of the recovery")


def reset(checkout: Checkout) -> None:
    checkout.start()
    checkout.chant().reset(ID)


def fail(checkout: Checkout) -> None:
    checkout.label("fail")
    checkout.run()
    checkout.label("wait")


def cancel(checkout: Checkout) -> None:
    checkout.start()
    checkout.chant().cancel(ID)


ENDS = (
    ((pause, "in_progress", "paused"), (take_over, "in_progress", "taken_over")),
    ((kill_the_runner, "failed", "lost"), (reset, "pending", "cancelled")),
    ((fail, "failed", "failed"), (cancel, "cancelled", "cancelled")),
)
"""Ends of work, with the status of the spec and the state of the run behind them."""

ENDS_BY_STATE = [
    pytest.param(state, ends, id=f"{state.__name__}-{number % len(ENDS)}")
    for place, state in enumerate(STOPPED)
    for number, ends in enumerate((ENDS * 2)[place % 3 :][: min(TRIALS, len(ENDS))], place)
]
"""Each end in a third of the states; `make trials` tries all in all."""


@pytest.mark.parametrize(("state", "ends"), ENDS_BY_STATE)
def test_work_that_ends_otherwise_changes_nothing_but_its_spec(
    state: State, ends: Iterable[tuple[Callable[[Checkout], None], str, str]], tmp_path: Path
) -> None:
    checkout = state(tmp_path)
    checkout.label("wait")
    before, others, old = checkout.seen(), checkout.others(), checkout.tip()
    for end_work, status, end in ends:
        end_work(checkout)
        record = checkout.ended()
        assert (checkout.project.status(ID), record["end_state"]) == (status, end), record
        assert (checkout.seen(), checkout.others(), checkout.tip()) == (before, others, old)
        checkout.check_sound()
    kept = checkout.git("for-each-ref", "--format=%(refname)", "refs/chant/backup").split()
    assert kept == [f"refs/chant/backup/{ID}/1" for end_work, *_ in ends if end_work is reset]


@in_states(*WAITING)
def test_merge_waits_and_touches_nothing(state: State, tmp_path: Path) -> None:
    checkout = state(tmp_path)
    before, others, old = checkout.seen(), checkout.others(), checkout.tip()
    record = checkout.run()
    assert record["end_state"] == "awaiting_merge", record["reason"]
    assert checkout.waits
    assert checkout.waits in record["reason"]
    assert record["merge"]["blocked_by"] == list(checkout.blocked_by)
    assert checkout.project.status(ID) == "in_progress"
    assert checkout.chant().recover() == []
    assert (checkout.seen(), checkout.others(), checkout.tip()) == (before, others, old)
    assert checkout.record()["end_state"] == "awaiting_merge"
    checkout.check_sound()


def test_hooks_look_at_the_merge_and_none_runs_in_the_users_checkout(tmp_path: Path) -> None:
    checkout = hooked(tmp_path)
    assert checkout.run()["end_state"] == "completed"
    ran = [line.split(" ", 1) for line in (tmp_path / "hooks.txt").read_text("utf-8").splitlines()]
    assert {hook for hook, _ in ran} == {"commit-msg"}, "an agent's commits are in a repository of their own"
    assert str(checkout.top) not in {folder for _, folder in ran}
    assert checkout.git("log", "-1", "--format=%B", "main").splitlines()[1] == "Ticket: 7"


def test_merge_is_signed_where_the_user_signs(tmp_path: Path) -> None:
    checkout = signing(tmp_path)
    assert checkout.run()["end_state"] == "completed"
    assert "gpgsig a signature of Ada" in checkout.git("cat-file", "commit", "main")


def test_merged_file_passes_the_users_filters(tmp_path: Path) -> None:
    checkout = filtered(tmp_path)
    assert checkout.run()["end_state"] == "completed"
    line = f"# Row across ({ID})\n"
    assert (checkout.top / TARGET).read_text("utf-8") == f"ONE\nTWO\nTHREE\n{line.upper()}"
    assert checkout.git("show", f"main:{TARGET}") == f"one\ntwo\nthree\n{line.lower()}"


@pytest.mark.parametrize("is_begun", [False, True])
def test_start_is_refused_where_there_is_no_commit_to_start_from(is_begun: bool, tmp_path: Path) -> None:
    checkout = made(tmp_path)
    if is_begun:
        checkout.git("branch", "-m", "trunk")
    else:
        shutil.rmtree(checkout.top / ".git")
        checkout.git("init", "-q", "-b", "main")
        checkout.git("add", "kept.txt")
    before, spec = checkout.files(checkout.top), checkout.project.text(ID)
    index, refs = checkout.index(checkout.top), checkout.git("for-each-ref")
    with pytest.raises(
        ChantError, match="branch `main` has no commit, or does not exist" if is_begun else "commit"
    ):
        checkout.start()
    assert (checkout.files(checkout.top), checkout.project.text(ID)) == (before, spec)
    assert (checkout.index(checkout.top), checkout.git("for-each-ref")) == (index, refs)
    assert checkout.records() == []
