"""The worktrees of runs, and the server that an agent has in its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from work.checkouts import ID, TARGET, Checkout, made
from work.kit import THIRD
from writing import Wire, git

# Which there are, and which can go


def test_list_of_worktrees_tells_whose_they_are_and_why_they_are_kept(tmp_path: Path) -> None:
    checkout = made(tmp_path)
    checkout.label("dirty")
    checkout.write(TARGET, "changed by the user\n")
    record = checkout.run()
    (entry,) = checkout.chant().worktrees().data["worktrees"]
    assert entry == {
        "path": record["worktree"],
        "spec_id": ID,
        "branch": f"chant/{ID}",
        "run": record["process_id"],
        "state": "awaiting_merge",
        "uncommitted": 1,
        "merged": False,
        "kept": "its run is awaiting_merge",
    }


@pytest.mark.parametrize(
    ("behaviour", "why"),
    [
        ("unticked", "its commits are not on main"),
        ("uncommitted", "2 files are not committed"),
    ],
)
def test_prune_keeps_what_is_nowhere_else(behaviour: str, why: str, tmp_path: Path) -> None:
    checkout = made(tmp_path)
    checkout.label(behaviour)
    record = checkout.run()
    assert record["end_state"] in ("failed", "needs_attention")
    tree = Path(record["worktree"])
    # Given up, so that nothing but the work itself speaks for it.
    checkout.chant().cancel(ID)
    tip = checkout.git("rev-parse", f"chant/{ID}")
    told = checkout.chant().prune_worktrees().text
    assert told.startswith(f"Kept {tree}: ")
    assert tree.is_dir()
    assert checkout.git("rev-parse", f"chant/{ID}") == tip
    if record["end_state"] == "failed":
        assert told.endswith(why)


def test_prune_keeps_the_worktree_of_a_run_under_way_and_of_a_paused_one(tmp_path: Path) -> None:
    checkout = made(tmp_path)
    checkout.label("wait")
    tree = checkout.start()["worktree"]
    chant = checkout.chant()
    assert chant.prune_worktrees().text == f"Kept {tree}: a run is under way"
    chant.pause(ID)
    assert chant.prune_worktrees().text == f"Kept {tree}: its run is paused"
    assert Path(tree).is_dir()


def test_prune_removes_what_holds_nothing_of_its_own(tmp_path: Path) -> None:
    checkout = made(tmp_path)
    checkout.label("fail")
    record = checkout.run()
    tree = Path(record["worktree"])
    beside = sorted(path.name for path in tree.parent.iterdir())
    assert beside == [ID, f"{ID}.git-1", f"{ID}.mcp.json", f"{ID}.prompt.md", f"{ID}.run.json"]
    before, old = checkout.seen(), checkout.tip()
    assert checkout.chant().prune_worktrees().text == f"Removed {tree}"
    assert list(tree.parent.iterdir()) == []
    assert checkout.git("for-each-ref", "refs/heads/chant") == ""
    assert (checkout.seen(), checkout.tip()) == (before, old)
    assert checkout.chant().prune_worktrees().text == "There are no worktrees of runs."
    checkout.check_sound()


def test_worktrees_of_the_users_own_are_neither_listed_nor_removed(tmp_path: Path) -> None:
    checkout = made(tmp_path)
    checkout.git("worktree", "add", "-q", str(tmp_path / "mine"), "-b", "chant/mine")
    assert checkout.chant().worktrees().data["worktrees"] == []
    assert checkout.chant().prune_worktrees().text == "There are no worktrees of runs."
    assert (tmp_path / "mine" / TARGET).exists()


def test_retry_goes_on_and_a_fresh_start_keeps_what_was_there(tmp_path: Path) -> None:
    checkout = made(tmp_path)
    checkout.label("unticked")
    first = checkout.run()
    tip = checkout.git("rev-parse", f"chant/{ID}").strip()
    second = checkout.run()
    assert (second["attempt"], second["base"], second["worktree"]) == (
        2,
        first["base"],
        first["worktree"],
    )
    assert git(checkout.top, "merge-base", "--is-ancestor", tip, f"chant/{ID}") == ""
    tip = checkout.git("rev-parse", f"chant/{ID}").strip()
    third = checkout.run(fresh=True)
    assert third["base"] != first["base"]
    assert checkout.git("rev-parse", f"refs/chant/backup/{ID}/1").strip() == tip


@pytest.mark.parametrize("is_tracked", [True, False])
def test_fresh_start_keeps_work_that_was_not_committed(is_tracked: bool, tmp_path: Path) -> None:
    checkout = made(tmp_path, is_tracked=is_tracked)
    checkout.label("uncommitted")
    tree = Path(checkout.run()["worktree"])
    work, spec = (tree / TARGET).read_text("utf-8"), (tree / checkout.spec).read_text("utf-8")
    checkout.label("work")
    assert checkout.run(fresh=True)["end_state"] == "completed"
    kept = f"refs/chant/backup/{ID}/1"
    assert checkout.git("show", f"{kept}:{TARGET}") == work
    assert checkout.git("show", f"{kept}:{checkout.spec}") == spec
    assert "- [x]" in spec
    checkout.check_sound()


# The server that the host of an agent starts, as the file beside the worktree says


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    """A checkout in which an agent works in a project below the top, until the end of the test."""
    checkout = made(tmp_path, below="app")
    checkout.project.spec(THIRD, body="# Third\n\n## Acceptance Criteria\n\n- [ ] Third is done")
    checkout.label("wait")
    checkout.start()
    yield checkout
    checkout.go()


@pytest.fixture
def agent(checkout: Checkout) -> Iterator[Wire]:
    """A client of the run's own server, reached as the agent's host would."""
    tree = Path(checkout.record()["worktree"])
    config = tree.with_name(f"{tree.name}.mcp.json")
    said = json.loads(config.read_text("utf-8"))["mcpServers"]["chant"]
    assert set(said) == {"command", "args"}, "the folder of the connections says which run asks"
    process = subprocess.Popen(
        [said["command"], *said["args"]],
        cwd=tree,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Wire(process)
    finally:
        process.kill()
        process.communicate()


def test_agents_own_spec_is_that_of_the_worktree_and_others_are_the_projects(
    agent: Wire, checkout: Checkout
) -> None:
    tree = Path(checkout.record()["worktree"])
    copy = tree / checkout.spec
    main = checkout.project.text(ID)
    agent.text("chant_spec_update", id=ID, check=["Boat floats"])
    assert "- [x] Boat floats" in copy.read_text("utf-8")
    assert "- [x] Boat floats" in agent.text("chant_spec_get", id=ID)
    assert checkout.project.text(ID) == main
    assert "is not the one you work on" in agent.error("chant_spec_update", id=THIRD, check=["Third is done"])
    assert "- [ ] Third is done" in checkout.project.text(THIRD)
    assert not (tree / "app/.chant/specs" / f"{THIRD}.md").exists()
    added = agent.text("chant_add", description="Found on the way").splitlines()[0].split(": ")[1]
    text = checkout.project.text(added)
    assert "approval:\n  required: true\n  status: pending\n" in text, "a person looks at what an agent adds"
    assert "names no prompt" in agent.error("chant_add", description="Mine", prompt="mine")


def test_agent_is_refused_what_is_for_others_to_do_with_its_own_spec(agent: Wire, checkout: Checkout) -> None:
    spec, record = checkout.project.text(ID), checkout.record()
    copy = (Path(record["worktree"]) / checkout.spec).read_bytes()
    for tool in ("finalize", "reset", "cancel", "work_start", "pause", "takeover", "archive"):
        assert "a person decides" in agent.error(f"chant_{tool}", id=ID), tool
    for how in ({}, {"force": True}):
        said = agent.error("chant_spec_update", id=ID, status="completed", **how)
        assert f"Spec '{ID}' is the one you work on. It cannot be" in said
    assert checkout.project.text(ID) == spec
    assert (Path(record["worktree"]) / checkout.spec).read_bytes() == copy
    assert checkout.record() == record


def test_configuration_of_an_agents_server_lies_beside_the_worktree_and_is_never_committed(
    checkout: Checkout,
) -> None:
    tree = Path(checkout.record()["worktree"])
    assert git(tree, "status", "--porcelain", "--untracked-files=all", "--ignored") == ""
    assert checkout.go()["end_state"] == "completed"
    assert "mcp.json" not in checkout.git("log", "--all", "--name-only")
    assert not tree.with_name(f"{tree.name}.mcp.json").exists()
