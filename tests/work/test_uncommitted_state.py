"""The state of a run in its spec's file: readers see it, and it is in nobody's way in git."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from work.kit import ID, OTHER, Record, Workshop
from writing import git

Act = Callable[[Path], None]


def with_remote(shop: Workshop) -> Path:
    """Give the project a remote, on which somebody else commits later."""
    away = shop.root.parent / "away"
    git(shop.root, "clone", "-q", "--bare", ".", str(away))
    git(shop.root, "remote", "add", "origin", str(away))
    git(shop.root, "fetch", "-q", "origin")
    git(shop.root, "branch", "-q", "-u", "origin/main")
    return away


def pushed_by_another(shop: Workshop, name: str, text: str) -> None:
    """Have another clone change a file on the remote."""
    clone = shop.root.parent / "other"
    git(shop.root.parent, "clone", "-q", str(shop.root.parent / "away"), str(clone))
    (clone / name).write_text(text, encoding="utf-8")
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "Theirs")
    git(clone, "push", "-q", "origin", "HEAD:main")


def status(shop: Workshop, id: str = ID) -> str:
    """Read the status in a spec's file."""
    text = (shop.root / ".chant" / "specs" / f"{id}.md").read_text("utf-8")
    return text.split("status: ", 1)[1].split("\n", 1)[0]


SIGNING = """\
echo x > done.txt
sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"
git add -A
git commit -q -m "Work" -m "Co-Authored-By: Claude <noreply@anthropic.com>"
"""

STATES = {
    "working": ["wait"],
    "failed": ["fail"],
    "needs attention": ["reword"],
    "awaiting approval": [],
}
SHOWN = {
    "working": "in_progress",
    "failed": "failed",
    "needs attention": "needs_attention",
    "awaiting approval": "needs_attention",
}


@pytest.mark.parametrize("state", STATES)
def test_pull_rebase_switch_and_merge_go_on_in_all_states_of_a_run(shop: Workshop, state: str) -> None:
    if state == "awaiting approval":
        script = shop.root.parent / "agent.sh"
        script.write_text(SIGNING, encoding="utf-8")
        approval = "approval:\n  require_approval_for_agent_work: true\n"
        shop.configure(f"agents:\n  signing:\n    command: [sh, {script}]\n{approval}", provider="signing")
    shop.commit("Before the spec")
    with_remote(shop)
    shop.spec(ID, *STATES[state])
    shop.commit("The spec, here alone")
    pushed_by_another(shop, "theirs.txt", "theirs\n")
    shop.handle().work_start(ID)
    if state == "working":
        shop.said(ID, "waiting")
    else:
        shop.ended(ID)
    assert status(shop) == SHOWN[state]
    assert git(shop.root, "status", "--porcelain") == ""

    git(shop.root, "pull", "-q", "--rebase")
    assert (shop.root / "theirs.txt").exists()
    shop.handle().recover()
    assert status(shop) == SHOWN[state]
    assert git(shop.root, "status", "--porcelain") == ""

    git(shop.root, "switch", "-q", "-c", "side")
    git(shop.root, "commit", "-q", "--allow-empty", "-m", "Side")
    git(shop.root, "switch", "-q", "main")
    git(shop.root, "merge", "-q", "--no-ff", "-m", "Side", "side")
    git(shop.root, "switch", "-q", "--detach", "HEAD~2")
    git(shop.root, "switch", "-q", "main")
    shop.handle().recover()
    assert status(shop) == SHOWN[state]
    assert git(shop.root, "status", "--porcelain") == ""
    if state == "working":
        shop.go(ID)
        record: Record = shop.ended(ID)
        assert record["end_state"] == "completed", record
        assert status(shop) == "completed"
        assert git(shop.root, "status", "--porcelain") == ""
    if state == "awaiting approval":
        shop.handle().approve(ID, by="Ada")
        assert status(shop) == "completed"


def test_what_a_person_writes_into_the_spec_is_seen_and_stays(shop: Workshop) -> None:
    path = shop.spec(ID, "fail")
    shop.commit()
    shop.handle().work_start(ID)
    shop.ended(ID)
    assert git(shop.root, "status", "--porcelain") == ""
    path.write_text(path.read_text("utf-8") + "\nA remark.\n", encoding="utf-8")
    assert git(shop.root, "diff", "--name-only").strip().endswith(f"{ID}.md")
    shop.handle().recover()
    git(shop.root, "commit", "-q", "-am", "A remark")
    assert "status: failed" in git(shop.root, "show", f"HEAD:.chant/specs/{ID}.md")


def test_a_persons_decision_is_not_taken_back(shop: Workshop) -> None:
    shop.spec(ID, "fail")
    shop.spec(OTHER, "fail")
    shop.commit()
    for id in (ID, OTHER):
        shop.handle().work_start(id)
        shop.ended(id)
    shop.handle().reset(ID)
    path = shop.root / ".chant" / "specs" / f"{OTHER}.md"
    path.write_text(path.read_text("utf-8").replace("status: failed", "status: pending"), encoding="utf-8")
    shop.handle().recover()
    git(shop.root, "commit", "-q", "--allow-empty", "-m", "On")
    shop.handle().recover()
    assert (status(shop), status(shop, OTHER)) == ("pending", "pending")


def test_a_final_state_is_to_be_committed(shop: Workshop) -> None:
    shop.spec(ID, "fail")
    shop.commit()
    shop.handle().work_start(ID)
    shop.ended(ID)
    shop.handle().cancel(ID)
    assert git(shop.root, "diff", "--name-only").strip().endswith(f"{ID}.md")
