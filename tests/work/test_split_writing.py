"""Members written: which files, under which IDs, all or none, and only what was proposed."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from chant_mcp.errors import ChantError
from work.kit import ID, OTHER, Record, Workshop
from writing import git, run_python, tree

EIGHT = [f"Part {letter} answers" for letter in "abcdefgh"]
"""Enough for three members."""

MEMBERS = [f"{ID}.{number}" for number in (1, 2, 3)]


def split(shop: Workshop, id: str = ID, **options: Any) -> Record:
    """Ask for a split and wait for the end of its run."""
    started = shop.handle().split(id, **options).data
    return shop.ended(started["process_id"])


def proposed(shop: Workshop, *behaviours: str, **keys: Any) -> Record:
    """Have a proposal made for a new spec."""
    shop.spec(ID, *behaviours, **{"criteria": EIGHT, **keys})
    shop.commit()
    return split(shop)


def specs(shop: Workshop) -> dict[str, bytes]:
    """Read all specs."""
    return tree(shop.root / ".chant" / "specs")


@pytest.mark.requirement("chant:split:makes_member_specs", "chant:split:force_skips_questions")
def test_force_writes_the_proposal_that_waits(shop: Workshop) -> None:
    shop.spec(OTHER, status="completed")
    record = proposed(shop, targets=["a.txt", "b.txt", "c.txt"], depends_on=[OTHER])
    before = shop.project.text(ID)
    written = shop.handle().split(ID, force=True).data
    assert written["process_id"] == record["process_id"], "no agent is asked again"
    assert written["proposal"]["written"] == MEMBERS
    assert written["reason"] == f"Split '{ID}' into 3 members: {', '.join(MEMBERS)}"
    assert len(shop.records()) == 1
    first, second, _ = (shop.project.text(id) for id in MEMBERS)
    assert first.startswith(
        "---\ntype: code\nstatus: pending\ndepends_on: []\ntarget_files:\n- a.txt\n---\n\n"
        f"# Spec {ID}: part 1\n"
    )
    assert first.endswith(
        "\n## Acceptance Criteria\n\n- [ ] Part a answers\n- [ ] Part b answers\n- [ ] Part c answers\n"
    )
    assert f"depends_on:\n- {MEMBERS[0]}\n" in second
    added = [line for line in shop.project.text(ID).splitlines() if line not in before.splitlines()]
    assert added == ["type: group", "members:", *(f"- {id}" for id in MEMBERS)]
    chant = shop.handle()
    assert [spec["id"] for spec in chant.ready().data["specs"]] == MEMBERS[:1]
    assert chant.verify(MEMBERS[0]).data["criteria"]["total"] == 3, "gates see the criteria"
    with pytest.raises(ChantError, match=r"^Spec is already split\n"):
        chant.split(ID, force=True)


@pytest.mark.requirement("chant:split:makes_member_specs")
def test_members_can_be_worked_at_once(shop: Workshop) -> None:
    proposed(shop)
    chant = shop.handle()
    chant.split(ID, force=True)
    shop.commit("Split")
    started = chant.work_start(ID).data
    record = shop.ended(started["process_id"])
    assert record["end_state"] == "needs_attention", "criteria of the spec itself are open"
    assert {shop.project.status(id) for id in MEMBERS} == {"completed"}


@pytest.mark.requirement("chant:split:force_skips_questions")
def test_force_without_a_proposal_asks_and_writes(shop: Workshop) -> None:
    shop.spec(ID, criteria=EIGHT)
    shop.commit()
    record = split(shop, force=True)
    assert (record["end_state"], record["proposal"]["written"]) == ("completed", MEMBERS)
    assert record["reason"].startswith(f"Split '{ID}' into 3 members: ")
    assert shop.project.path(MEMBERS[2]).exists()
    status = git(shop.root, "status", "--porcelain").splitlines()
    assert sorted(status) == [f" M .chant/specs/{ID}.md", *(f"?? .chant/specs/{id}.md" for id in MEMBERS)]


def test_a_proposal_for_another_text_is_not_written(shop: Workshop) -> None:
    record = proposed(shop)
    path = shop.project.path(ID)
    path.write_text(path.read_text("utf-8") + "- [ ] Part i answers\n", encoding="utf-8")
    before = specs(shop)
    chant = shop.handle()
    with pytest.raises(ChantError) as refused:
        chant.split(ID, force=True)
    assert str(refused.value) == (
        f"Spec '{ID}' changed since run '{record['process_id']}' looked at it; nothing was written. "
        "Split it again with `spec.split()`, without force."
    )
    assert specs(shop) == before
    anew = split(shop)
    assert anew["process_id"] != record["process_id"]
    assert chant.split(ID, force=True).data["process_id"] == anew["process_id"]
    assert shop.project.path(MEMBERS[2]).exists()


def test_a_proposal_that_waits_can_be_passed_over(shop: Workshop) -> None:
    first = proposed(shop)
    second = split(shop, fresh=True)
    assert second["process_id"] != first["process_id"]
    assert shop.handle().split(ID).data["process_id"] == second["process_id"]


_SPLIT = """
import os, resource, sys
from pathlib import Path
from chant_mcp import ChantProject

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
root, moment, id = sys.argv[1:]
user_config = Path(os.environ["XDG_CONFIG_HOME"], "chant", "config.md")
ChantProject(root, user_config=user_config, stop_at=moment).split(id, force=True)
"""


@pytest.mark.parametrize("moment", ["journal-staged", "journal-intent", "journal-step", "journal-done"])
def test_a_crash_leaves_all_members_or_none(shop: Workshop, moment: str) -> None:
    proposed(shop)
    before = specs(shop)
    crashed = run_python(_SPLIT, shop.root, moment, ID)
    assert crashed.returncode == -signal.SIGABRT
    if moment != "journal-done":
        handle = shop.handle()
        assert specs(shop) == before
        assert handle.split(ID, force=True).data["proposal"]["written"] == MEMBERS
        return
    with pytest.raises(ChantError, match=r"^Spec is already split"):
        shop.handle().split(ID, force=True)
    assert sorted(specs(shop)) == sorted(f"{id}.md" for id in (ID, *MEMBERS))
    assert shop.project.text(ID).startswith("---\ntype: group\n")


def test_numbers_of_members_that_are_or_were_there_are_not_taken(shop: Workshop) -> None:
    shop.spec(f"{ID}.1", status="completed")
    archive = shop.root / ".chant" / "archive" / ID[:10]
    archive.mkdir(parents=True)
    (archive / f"{ID}.4.md").write_text("---\nstatus: completed\n---\n# Old\n", encoding="utf-8")
    proposed(shop, members=[f"{ID}.1"])
    written = shop.handle().split(ID, force=True).data["proposal"]["written"]
    assert written == [f"{ID}.{number}" for number in (5, 6, 7)]
    assert f"members:\n- {ID}.1\n- {ID}.5\n- {ID}.6\n- {ID}.7\n" in shop.project.text(ID)
    assert f"depends_on:\n- {ID}.5\n" in shop.project.text(f"{ID}.6")


# Members of members


MANY = [f"Part {number} answers" for number in range(20)]
"""So many that half of them are too many for one member."""


@pytest.mark.requirement("chant:split:recursive_goes_deeper")
def test_members_that_are_still_too_complex_are_split_in_the_same_run(shop: Workshop) -> None:
    shop.spec(ID, "split-coarse", criteria=MANY)
    shop.commit()
    record = split(shop, recursive=True)
    first, second = record["proposal"]["members"]
    assert [len(member["members"]) for member in (first, second)] == [4, 4]
    assert [text for member in second["members"] for text in member["criteria"]] == MANY[10:]
    assert list(specs(shop)) == [f"{ID}.md"], "still one proposal, and nothing of it is written"
    assert len(shop.records()) == 1
    written = shop.handle().split(ID, force=True).data
    assert written["reason"].startswith(f"Split '{ID}' into 10 members: {ID}.1, {ID}.2")
    group = shop.project.text(f"{ID}.2")
    assert group.startswith(f"---\ntype: group\nstatus: pending\ndepends_on:\n- {ID}.1\n")
    assert f"members:\n- {ID}.2.1\n- {ID}.2.2\n" in group
    assert "- [ ]" not in group, "its criteria are those of its members now"
    assert f"depends_on:\n- {ID}.2.1\n" in shop.project.text(f"{ID}.2.4")
    assert [spec["id"] for spec in shop.handle().ready().data["specs"]] == [f"{ID}.1.1"]


@pytest.mark.requirement("chant:split:max_depth_is_3")
def test_depth_is_bounded(shop: Workshop) -> None:
    shop.spec(ID, "split-coarse", criteria=MANY)
    shop.commit()
    flat = split(shop, recursive=True, max_depth=1)
    assert all("members" not in member for member in flat["proposal"]["members"])
    assert flat["asked"]["split"] == {"force": False, "recursive": True, "max_depth": 1}
    deep = split(shop, recursive=True)
    assert deep["asked"]["split"]["max_depth"] == 3
    assert deep["process_id"] != flat["process_id"], "another depth is another question"


@pytest.mark.requirement("chant:split:recursive_goes_deeper")
def test_a_member_that_cannot_be_split_stays_whole(shop: Workshop) -> None:
    """The members of a coarse split have no labels; their agent is another one here, that only talks."""
    shop.spec(ID, "split-coarse", criteria=MANY)
    script = shop.root / "once.py"
    script.write_text(
        "import os, pathlib, subprocess, sys\n"
        "if os.environ['CHANT_SPEC_ID'].count('.'):\n"
        "    sys.exit(print('I would rather not'))\n"
        "subprocess.run([sys.executable, '-m', 'chant_mcp', 'demo-agent'], check=True)\n",
        encoding="utf-8",
    )
    shop.configure(f"agents:\n  once:\n    command: [{sys.executable}, {script}]\n", provider="once")
    shop.commit()
    record = split(shop, recursive=True)
    assert record["proposal"]["warnings"] == [
        f"`Spec {ID}: part {number}` is complex and stays whole: No member specs found in agent output"
        for number in (1, 2)
    ]
    assert record["end_state"] == "completed"


# Ways out


def test_a_blocked_spec_that_changed_is_split_anew_as_the_refusal_says(shop: Workshop) -> None:
    record = proposed(shop)
    shop.spec(ID, criteria=EIGHT, depends_on=["nothing"])
    chant = shop.handle()
    with pytest.raises(ChantError, match="`force=True` splits it anyway"):
        chant.split(ID)
    with pytest.raises(ChantError) as refused:
        chant.split(ID, force=True)
    assert str(refused.value).endswith(
        "Split it again with `spec.split()`, with `force=True` and `fresh=True`."
    )
    anew = split(shop, force=True, fresh=True)
    assert anew["process_id"] != record["process_id"]
    assert anew["proposal"]["written"] == MEMBERS


def test_a_proposal_that_cannot_be_written_at_once_waits(shop: Workshop) -> None:
    shop.spec(ID, "wait", criteria=EIGHT)
    shop.commit()
    chant = shop.handle()
    started = chant.split(ID, force=True).data
    shop.said(ID, "out waiting")
    path = shop.project.path(ID)
    text = path.read_text("utf-8")
    path.write_text(text + "- [ ] Part i answers\n", encoding="utf-8")
    sign = Path(shop.named(started["process_id"])["worktree"]) / ".chant" / "demo-go" / ID
    sign.parent.mkdir(parents=True, exist_ok=True)
    sign.touch()
    record = shop.ended(started["process_id"])
    assert record["end_state"] == "completed"
    assert record["reason"].startswith(f"Proposes 3 members of '{ID}'. The proposal waits")
    assert "It could not be written at once: Spec" in record["reason"]
    path.write_text(text, encoding="utf-8")
    written = chant.split(ID, force=True).data
    assert (written["process_id"], written["proposal"]["written"]) == (record["process_id"], MEMBERS)


def test_what_a_log_holds_from_before_is_no_obstacle(shop: Workshop) -> None:
    log = shop.root / ".chant" / "logs" / f"{ID}.log"
    log.parent.mkdir(parents=True)
    log.write_text("x" * 1023 + "\n", encoding="utf-8")
    os.truncate(log, 33 * 1024 * 1024)
    record = proposed(shop)
    assert record["end_state"] == "completed", record["reason"]
    assert len(record["proposal"]["members"]) == 3


def test_a_copy_in_a_folder_that_is_not_ours_any_more_stays(shop: Workshop, tmp_path: Path) -> None:
    before = tmp_path / "before"
    shop.configure(f"  worktree_root: {before}\n")
    shop.spec(ID, "wait", criteria=EIGHT)
    shop.commit()
    started = shop.handle().split(ID).data
    shop.said(ID, "out waiting")
    worktree = Path(shop.named(started["process_id"])["worktree"])
    assert worktree.is_relative_to(before)
    shop.configure(f"  worktree_root: {tmp_path / 'after'}\n")
    shop.handle().pause(ID)
    # What a record says is no reason to remove a folder.
    assert worktree.exists()


def test_two_splits_at_once_take_one_place_once(shop: Workshop) -> None:
    shop.configure("limits:\n  agents_at_once: 1\n")
    for id in (ID, OTHER):
        shop.spec(id, "wait", criteria=EIGHT)
    shop.commit()
    both = Barrier(2)

    def begin(id: str) -> str:
        chant = shop.handle()
        both.wait()
        try:
            return chant.split(id).data["process_id"]
        except ChantError as refused:
            return str(refused)

    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(begin, (ID, OTHER)))
    assert sum(words.startswith("1 agents are at work") for words in said) == 1, said
    chant = shop.handle()
    for record in shop.records():
        chant.pause(record["spec_id"])
