"""Conflicts from end to end: written down as a spec, settled by an agent or by hand, then gone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chant_mcp._core import ChantProject
from chant_mcp.errors import RefusedError
from harness import Caller
from work.kit import FOURTH, ID, OTHER, THIRD, Record, Workshop, lives, wait_for
from writing import git

pytestmark = pytest.mark.anyio

FILE = "ferry.txt"


def line(id: str) -> str:
    """Give the line that the agent of a spec writes."""
    return f"# Spec {id} ({id})\n"


def conflict_specs(shop: Workshop) -> list[str]:
    """Name the conflict specs there are."""
    found = [path for path in shop.project.specs.glob("*.md") if "type: conflict" in path.read_text("utf-8")]
    return sorted(path.stem for path in found)


def conflict_of(shop: Workshop, id: str) -> str:
    """Name the open conflict spec of a spec."""
    (found,) = (
        name
        for name in conflict_specs(shop)
        if f"original_spec: {id}\n" in shop.project.text(name) and shop.project.status(name) == "pending"
    )
    return found


def started(shop: Workshop, *ids: str) -> ChantProject:
    """Have agents begin on specs that change the same line, and wait."""
    for id in ids:
        shop.spec(id, "wait", "conflict", targets=[FILE])
    shop.commit()
    chant = shop.handle()
    for id in ids:
        chant.work_start(id)
        shop.said(id, "out waiting")
    return chant


def finished(shop: Workshop, *ids: str) -> list[Record]:
    """Let agents go on, one after the other, and give the records of their runs."""
    records: list[Record] = []
    for id in ids:
        shop.go(id)
        records.append(shop.ended(id))
    return records


def check_nothing_is_left(shop: Workshop) -> None:
    """Check that no branch, worktree or uncommitted change is left over."""
    assert (shop.branches(), shop.worktrees()) == ([], [])
    assert git(shop.root, "status", "--porcelain", "--untracked-files=no") == ""
    assert "<<<<<<<" not in (shop.root / FILE).read_text("utf-8")


async def test_an_agent_settles_it_and_both_are_completed(shop: Workshop, call: Caller) -> None:
    shop.spec(THIRD, depends_on=[OTHER])
    started(shop, ID, OTHER)
    first, second = finished(shop, ID, OTHER)
    assert (first["end_state"], second["end_state"]) == ("completed", "awaiting_merge")
    assert THIRD not in [spec["id"] for spec in (await call.data("chant_ready"))["specs"]]
    conflict = conflict_of(shop, OTHER)
    run = await call.data("chant_work_start", id=conflict)
    record = shop.ended(run["process_id"])
    assert (record["end_state"], record["reason"]) == ("completed", None)
    original = shop.record(OTHER)
    assert (original["end_state"], original["merge"]["state"]) == ("completed", "merged")
    assert (
        original["merge"]["commit"]
        == record["merge"]["commit"]
        == git(shop.root, "rev-parse", "main").strip()
    )
    assert [shop.project.status(id) for id in (ID, OTHER, conflict)] == ["completed"] * 3
    assert sorted((shop.main(FILE) or "").splitlines()[:2]) == [line(ID).strip(), line(OTHER).strip()]
    settled = shop.main(f".chant/specs/{OTHER}.md") or ""
    assert settled == shop.project.text(OTHER)
    assert settled.count("- [x]") == 2
    short = [commit[:7] for commit in original["commits"]]
    assert re.findall(r"""^- ["']?([0-9a-f]{7})["']?$""", settled, re.MULTILINE) == short
    assert not set(record["commits"]) & set(original["commits"])
    assert THIRD in [spec["id"] for spec in (await call.data("chant_ready"))["specs"]]
    check_nothing_is_left(shop)


async def test_it_names_files_branches_and_the_specs_of_both_sides(shop: Workshop, call: Caller) -> None:
    shop.spec(THIRD, targets=[FILE, "else.txt"])
    shop.spec(FOURTH, targets=["else.txt"])
    started(shop, ID, OTHER)
    _, second = finished(shop, ID, OTHER)
    conflict = conflict_of(shop, OTHER)
    text = shop.project.text(conflict)
    for words in (
        f"source_branch: chant/{OTHER}",
        "target_branch: main",
        f"conflicting_files:\n- {FILE}",
        f"blocked_specs:\n- {THIRD}\n",
        f"- `chant/{OTHER}`: spec `{OTHER}` (Spec {OTHER})",
        f"- `main`: spec `{ID}`, commit ",
        f"git merge chant/{OTHER}",
        f"chant-mcp merge {OTHER}",
        second["worktree"],
    ):
        assert words in text
    assert text.count("- [ ] ") == 3
    found = (await call.data("chant_lint", id=conflict))["diagnostics"]
    assert [finding for finding in found if finding["severity"] == "error"] == []


def test_a_commit_of_a_person_is_the_other_side(shop: Workshop) -> None:
    chant = started(shop, ID)
    (shop.root / FILE).write_text("by hand\ntwo\n", encoding="utf-8")
    git(shop.root, "commit", "-qam", "Ferry by hand")
    finished(shop, ID)
    conflict = conflict_of(shop, ID)
    short = git(shop.root, "rev-parse", "HEAD")[:7]
    assert f"- `main`: commit {short}: Ferry by hand\n" in shop.project.text(conflict)
    chant.work_start(conflict)
    assert shop.ended(conflict)["end_state"] == "completed"
    assert shop.project.status(ID) == "completed"
    assert {"by hand", line(ID).strip()} <= set((shop.main(FILE) or "").splitlines())
    check_nothing_is_left(shop)


def test_three_in_a_row_are_settled_one_after_the_other(shop: Workshop) -> None:
    chant = started(shop, ID, OTHER, THIRD)
    finished(shop, ID, OTHER, THIRD)
    two, three = conflict_of(shop, OTHER), conflict_of(shop, THIRD)
    assert chant.work_start(two)
    assert shop.ended(two)["end_state"] == "completed"
    chant.work_start(three)
    assert shop.ended(three)["end_state"] == "completed"
    assert [shop.project.status(id) for id in (ID, OTHER, THIRD, two, three)] == ["completed"] * 5
    assert {line(id).strip() for id in (ID, OTHER, THIRD)} <= set((shop.main(FILE) or "").splitlines())
    check_nothing_is_left(shop)


def test_a_target_that_moves_on_meanwhile_is_merged_by_the_next_start(shop: Workshop) -> None:
    chant = started(shop, ID, OTHER)
    finished(shop, ID, OTHER)
    conflict = conflict_of(shop, OTHER)
    chant.spec_update(conflict, labels=["demo:wait"])
    chant.work_start(conflict)
    shop.said(conflict, "out waiting")
    (shop.root / FILE).write_text("by hand\ntwo\n", encoding="utf-8")
    git(shop.root, "commit", "-qam", "Ferry by hand")
    # The agent merges the newest target, too; so the target moves when it has done that.
    chant.pause(conflict)
    worktree = Path(shop.record(conflict)["worktree"])
    git(worktree, "merge", "-q", "-X", "theirs", "--no-edit", f"chant/{OTHER}")
    text = Path(worktree / f".chant/specs/{conflict}.md")
    text.write_text(text.read_text("utf-8").replace("- [ ]", "- [x]"), encoding="utf-8")
    with pytest.raises(
        RefusedError, match=r"needs_attention.*main moved on and is in conflict again in ferry\.txt"
    ):
        chant.merge(conflict)
    assert len(conflict_specs(shop)) == 1, "no conflict of a conflict"
    shop.go(conflict)
    chant.work_start(conflict)
    assert shop.ended(conflict)["end_state"] == "completed"
    assert [shop.project.status(id) for id in (OTHER, conflict)] == ["completed"] * 2
    assert {"by hand", line(OTHER).strip()} <= set((shop.main(FILE) or "").splitlines())


# Settled in another way


def settled_in_the_worktree(shop: Workshop, chant: ChantProject) -> None:
    """Settle it in the waiting worktree, and have the work merged."""
    worktree = Path(shop.record(OTHER)["worktree"])
    git(worktree, "merge", "-q", "-X", "ours", "--no-edit", "main")
    chant.merge(OTHER)


def settled_on_main(shop: Workshop, chant: ChantProject) -> None:
    """Merge the branch with git, as somebody does who has not read the spec."""
    # What the runtime says in the spec is not committed, and would be in git's way.
    text = shop.project.text(OTHER)
    git(shop.root, "checkout", "-q", "--", f".chant/specs/{OTHER}.md")
    git(shop.root, "merge", "-q", "-X", "theirs", "--no-edit", f"chant/{OTHER}")
    shop.project.write(OTHER, text)
    assert chant.recover() == []


def settled_on_main_and_watched(shop: Workshop, chant: ChantProject) -> None:
    """The same, and the daemon sees it."""
    text = shop.project.text(OTHER)
    git(shop.root, "checkout", "-q", "--", f".chant/specs/{OTHER}.md")
    git(shop.root, "merge", "-q", "-X", "theirs", "--no-edit", f"chant/{OTHER}")
    shop.project.write(OTHER, text)
    chant.watch(once=True)


@pytest.mark.parametrize("settle", [settled_in_the_worktree, settled_on_main, settled_on_main_and_watched])
def test_it_is_closed_when_the_work_is_merged_in_another_way(shop: Workshop, settle: object) -> None:
    chant = started(shop, ID, OTHER)
    finished(shop, ID, OTHER)
    conflict = conflict_of(shop, OTHER)
    assert callable(settle)
    settle(shop, chant)
    assert shop.project.status(OTHER) == "completed"
    assert shop.record(OTHER)["end_state"] == "completed"
    text = shop.project.text(conflict)
    assert shop.project.status(conflict) == "cancelled", "nobody ticked its criteria"
    assert f"## Outcome\n\nSpec `{OTHER}` is completed: its work is merged." in text
    assert text.count("- [ ] ") == 3
    assert (shop.branches(), shop.worktrees()) == ([], [])
    assert chant.recover() == []
    assert shop.project.text(conflict) == text, "closed once"


def test_it_is_completed_when_somebody_ticked_its_criteria(shop: Workshop) -> None:
    chant = started(shop, ID, OTHER)
    finished(shop, ID, OTHER)
    conflict = conflict_of(shop, OTHER)
    text = shop.project.text(conflict).replace("- [ ]", "- [x]")
    shop.project.write(conflict, text)
    settled_in_the_worktree(shop, chant)
    assert shop.project.status(conflict) == "completed"
    assert "completed_at: " in shop.project.text(conflict)
    assert "## Outcome" not in shop.project.text(conflict)


@pytest.mark.parametrize("word", ["cancel", "reset"])
def test_it_is_closed_with_work_that_is_given_up(shop: Workshop, word: str) -> None:
    chant = started(shop, ID, OTHER)
    finished(shop, ID, OTHER)
    conflict = conflict_of(shop, OTHER)
    getattr(chant, word)(OTHER)
    assert shop.project.status(conflict) == "cancelled"
    what = "was cancelled" if word == "cancel" else "was made pending again"
    assert f"## Outcome\n\nSpec `{OTHER}` {what}" in shop.project.text(conflict)


def test_work_that_is_given_up_meanwhile_is_not_merged_by_the_conflict(shop: Workshop) -> None:
    chant = started(shop, ID, OTHER)
    finished(shop, ID, OTHER)
    conflict = conflict_of(shop, OTHER)
    chant.spec_update(conflict, labels=["demo:wait"])
    chant.work_start(conflict)
    shop.said(conflict, "out waiting")
    main = git(shop.root, "rev-parse", "main")
    chant.cancel(OTHER)
    assert shop.project.status(conflict) == "in_progress", "an agent is at work on it"
    (record,) = finished(shop, conflict)
    assert record["end_state"] == "needs_attention"
    assert f"the work on spec '{OTHER}'" in record["reason"]
    assert "(the spec is cancelled); nothing was merged" in record["reason"]
    assert git(shop.root, "rev-parse", "main") == main
    assert chant.recover() == []
    assert shop.project.status(conflict) == "cancelled"


def test_a_branch_without_the_waiting_work_settles_nothing(shop: Workshop) -> None:
    chant = started(shop, ID, OTHER)
    finished(shop, ID, OTHER)
    conflict = conflict_of(shop, OTHER)
    chant.spec_update(conflict, labels=["demo:work"])
    chant.work_start(conflict)
    record = shop.ended(conflict)
    assert record["end_state"] == "failed"
    assert f"chant/{conflict} does not contain chant/{OTHER}" in record["reason"]
    assert shop.record(OTHER)["end_state"] == "awaiting_merge"
    chant.spec_update(conflict, labels=[])
    chant.work_start(conflict)
    assert shop.ended(conflict)["end_state"] == "completed"
    assert shop.project.status(OTHER) == "completed"


def test_finalizing_it_by_hand_merges_what_waited(shop: Workshop) -> None:
    chant = started(shop, ID, OTHER)
    finished(shop, ID, OTHER)
    conflict = conflict_of(shop, OTHER)
    worktree = Path(shop.record(OTHER)["worktree"])
    git(worktree, "merge", "-q", "-X", "ours", "--no-edit", "main")
    text = (
        shop.project.text(conflict)
        .replace("- [ ]", "- [x]")
        .replace("status: pending", "status: in_progress")
    )
    shop.project.write(conflict, text)
    chant.finalize(conflict)
    assert [shop.project.status(id) for id in (OTHER, conflict)] == ["completed"] * 2
    assert shop.record(OTHER)["end_state"] == "completed"


MOMENTS = ["mid-files", "index-written", "after-ref", "after-merge", "before-end-record"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_crash_in_the_merge_loses_neither_of_both(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    chant = started(shop, ID, OTHER)
    finished(shop, ID, OTHER)
    conflict = conflict_of(shop, OTHER)
    with monkeypatch.context() as crashing:
        crashing.setenv("CHANT_STOP_AT", moment)
        shop.handle().work_start(conflict)
        wait_for(lambda: not lives(shop.record(conflict)["pid"]), "the crash of the runner")

    # Who started it looks after it, too; the second one leaves it alone.
    def ends() -> list[str]:
        assert chant.recover() == []
        return [shop.record(id)["end_state"] for id in (OTHER, conflict)]

    wait_for(lambda: ends() == ["completed"] * 2, lambda: f"the recovery: {ends()}")
    assert chant.recover() == []
    assert [shop.project.status(id) for id in (OTHER, conflict)] == ["completed"] * 2
    verdicts = [one["verdict"] for one in chant.receipt_verify().data["specs"]]
    assert verdicts == ["consistent"] * len(verdicts), verdicts
    check_nothing_is_left(shop)


def test_specs_that_git_does_not_track_are_settled_as_well(shop: Workshop) -> None:
    git(shop.root, "init", "-q", "-b", "main")
    exclude = shop.root / ".git" / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_text("/.chant/\n", encoding="utf-8")
    chant = started(shop, ID, OTHER)
    finished(shop, ID, OTHER)
    conflict = conflict_of(shop, OTHER)
    chant.work_start(conflict)
    assert shop.ended(conflict)["end_state"] == "completed"
    assert [shop.project.status(id) for id in (OTHER, conflict)] == ["completed"] * 2
    assert shop.project.text(OTHER).count("- [x]") == 2
    assert shop.main(f".chant/specs/{OTHER}.md") is None
    check_nothing_is_left(shop)
