"""How runs end: what is believed of an agent, and what becomes of a spec when it fails."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from harness import Caller
from work.kit import ID, OTHER, Workshop, processes, wait_for
from writing import git

pytestmark = pytest.mark.anyio

OPEN = "acceptance criteria are open: "


@dataclass(frozen=True)
class End:
    """What a run comes to."""

    state: str
    reason: str
    exit: int | None = 0
    commits: int = 1


ENDS = {
    "fail": End(
        "failed", "The agent ended with exit code 3; its last words:\nThe demo agent was asked to fail", 3, 0
    ),
    "crash": End("failed", "The agent was ended by signal 6", None, 0),
    "nothing": End("failed", f"{OPEN}Works; Tested; the agent made no commit", commits=0),
    "lie": End("failed", "the agent's commits change nothing but the spec's file"),
    "empty": End("failed", f"{OPEN}Works; Tested; the agent's commits change nothing but the spec's file"),
    "unticked": End("failed", f"{OPEN}Works; Tested"),
    "partly": End("failed", f"{OPEN}Tested"),
    "uncommitted": End("failed", f"{OPEN}Works; Tested; the agent made no commit", commits=0),
    "switch": End(
        "failed",
        f"{OPEN}Works; Tested; the agent made no commit; work is on `demo-agent/{ID}` of its folder, "
        f"and only chant/{ID} counts\n"
        f"`demo-agent/{ID}` of its folder is kept as refs/chant/strays/{ID}/1",
        commits=0,
    ),
    "reword": End("needs_attention", "acceptance criteria were removed or reworded: Works"),
    "remove": End("needs_attention", "acceptance criteria were removed or reworded: Tested"),
    "others": End("needs_attention", f"the branch changes other specs: .chant/specs/{OTHER}.md"),
    "delete-others": End("needs_attention", f"the branch changes other specs: .chant/specs/{OTHER}.md"),
}
"""What agents do that cannot be believed, by the demo agent's behaviours."""


@pytest.mark.parametrize("behaviour", ENDS)
async def test_work_that_is_not_proven_is_neither_merged_nor_lost(
    shop: Workshop, call: Caller, behaviour: str
) -> None:
    shop.spec(ID, behaviour)
    shop.spec(OTHER)
    main = shop.commit()
    wanted = ENDS[behaviour]
    started = await call.data("chant_work_start", id=ID)
    record = shop.ended(started["process_id"])
    assert (record["end_state"], record["status"]) == (wanted.state, "failed")
    assert record["reason"] == wanted.reason
    assert (record["exit_code"], len(record["commits"])) == (wanted.exit, wanted.commits)
    assert record["merge"] == {"state": "none", "commit": None, "blocked_by": [], "tried": None, "begun": []}

    assert shop.project.status(ID) == wanted.state
    assert shop.project.text(ID).count("- [ ] ") == 2
    assert git(shop.root, "rev-parse", "main").strip() == main
    assert git(shop.root, "status", "--porcelain") == ""

    assert shop.branches() == [f"chant/{ID}"]
    assert shop.worktrees()
    shown = await call.data("chant_work_list", include_completed=True)
    assert [(run["end_state"], run["reason"]) for run in shown["processes"]] == [
        (wanted.state, wanted.reason)
    ]
    diagnosis = await call.text("chant_diagnose", id=ID)
    assert wanted.reason.splitlines()[0] in diagnosis


async def test_an_agent_that_sets_the_status_itself_is_believed_for_its_work_alone(
    shop: Workshop, call: Caller
) -> None:
    shop.spec(ID, "status")
    shop.commit()
    await call.data("chant_work_start", id=ID)
    record = shop.ended(ID)
    assert record["end_state"] == "completed"
    assert shop.project.status(ID) == "completed"
    assert shop.project.text(ID).count("status:") == 1


async def test_a_status_is_no_evidence(shop: Workshop, call: Caller) -> None:
    """What the agent says in its copy's status counts for nothing when its work is not merged."""
    shop.spec(ID, "status", targets=[f".chant/specs/{ID}.md"])
    shop.commit()
    await call.data("chant_work_start", id=ID)
    record = shop.ended(ID)
    assert record["reason"] == "the agent's commits change nothing but the spec's file"
    assert shop.project.status(ID) == "failed"


async def test_boxes_that_were_ticked_before_are_recorded_as_such(shop: Workshop, call: Caller) -> None:
    body = "# Work\n\n## Acceptance Criteria\n\n- [x] Add a\n- [ ] Add b\n"
    shop.spec(ID, body=body)
    shop.commit()
    await call.data("chant_work_start", id=ID)
    record = shop.ended(ID)
    assert record["end_state"] == "completed"
    assert record["criteria_at_start"] == [
        {"text": "Add a", "checked": True},
        {"text": "Add b", "checked": False},
    ]


async def test_what_the_agent_left_uncommitted_is_kept_where_it_is(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "dirty")
    shop.commit()
    started = await call.data("chant_work_start", id=ID)
    record = shop.ended(ID)
    assert (record["end_state"], record["merge"]["state"]) == ("completed", "merged")
    assert "worktree was kept" in record["reason"]
    (worktree,) = shop.worktrees()
    assert str(worktree) == started["worktree"]
    line = f"# Spec {ID} ({ID})\n"
    assert (worktree / "work" / f"{ID}.txt").read_text(encoding="utf-8") == 2 * line
    assert shop.main(f"work/{ID}.txt") == line


# Limits and outputs


async def test_an_agent_that_writes_without_end_is_ended(shop: Workshop, call: Caller) -> None:
    shop.configure("limits:\n  output_megabytes: 1\n")
    shop.spec(ID, "flood")
    shop.commit()
    await call.data("chant_work_start", id=ID)
    record = shop.ended(ID)
    assert record["end_state"] == "failed"
    assert record["reason"].startswith("The agent wrote more than 1000000 bytes")
    assert shop.project.status(ID) == "failed"
    log = shop.root / ".chant" / "logs" / f"{ID}.log"
    assert log.stat().st_size < 3_500_000


@pytest.mark.requirement("chant:provider:output_is_captured")
async def test_a_log_has_a_header_and_stamped_lines_whatever_an_agent_writes(
    shop: Workshop, call: Caller
) -> None:
    shop.spec(ID, "binary")
    shop.commit()
    await call.data("chant_work_start", id=ID)
    assert shop.ended(ID)["end_state"] == "completed"
    lines = shop.log(ID).splitlines()
    assert lines[0] == f"# Agent Log: {ID}"
    assert lines[1].startswith("# Started: ")
    assert lines[2:4] == ["# Prompt: standard", ""]
    for line in lines[4:]:
        stamp, stream, _ = line.split(" ", 2)
        assert (len(stamp), stamp[-1], stream) == (24, "Z", "out")
    stamps = [line.split(" ", 1)[0] for line in lines[4:]]
    assert stamps == sorted(stamps)
    assert max(map(len, lines)) < 20_000
    assert "".join(line.split(" ", 2)[2] for line in lines[4:]).count("long ") == 200_001, (
        "the last line says it once more"
    )
    assert any(line.endswith("Wrote bytes that are no text, and a long line") for line in lines)


async def test_both_outputs_are_in_the_log(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "fail")
    shop.commit()
    await call.data("chant_work_start", id=ID)
    shop.ended(ID)
    told = [line.split(" ", 2)[1:] for line in shop.log(ID).splitlines()[4:]]
    assert ["err", "The demo agent was asked to fail"] in told
    assert ["out", f"Working on {ID}: Spec {ID}"] in told


async def test_secrets_are_neither_in_the_log_nor_in_the_record(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {
        "SHIP_API_KEY": "salt-4711-water",
        "SHIP_TOKEN": "pier-0815-north",
        "SHIP_PASSWORD": "rope-2342-knot",
        "ship_secret": "tide-1999-high",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    shop.configure(f"env:\n  pass: [{', '.join(secrets)}]\n")
    shop.spec(ID, "secret", "fail")
    shop.commit()
    async with shop.client() as call:
        await call.data("chant_work_start", id=ID)
        record = shop.ended(ID)
        answers = [
            await call.text("chant_work_list", include_completed=True),
            await call.text("chant_log", id=ID),
            await call.text("chant_diagnose", id=ID),
        ]
    log = shop.log(ID)
    for name, value in secrets.items():
        assert f"{name}=***" in log
        assert not [text for text in [log, json.dumps(record), *answers] if value in text], name


async def test_a_secret_among_an_agents_last_words_is_masked_in_the_reason(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHIP_TOKEN", "pier-0815-north")
    shop.configure(
        'agents:\n  leaky:\n    command: [sh, -c, "echo $SHIP_TOKEN >&2; exit 7", pier-0815-north]\n'
        "env:\n  pass: [SHIP_TOKEN]\n",
        provider="leaky",
    )
    shop.spec(ID)
    shop.commit()
    async with shop.client() as call:
        await call.data("chant_work_start", id=ID)
    record = shop.ended(ID)
    assert record["reason"].endswith("its last words:\n***")
    assert record["agent"]["argv"][-1] == "***"
    assert "0815" not in json.dumps(record) + shop.log(ID)


async def test_what_an_agent_leaves_behind_is_ended(shop: Workshop, call: Caller) -> None:
    """One process in a session of its own, and one that is deaf to SIGTERM."""
    shop.spec(ID, "grandchildren")
    shop.commit()
    await call.data("chant_work_start", id=ID)
    record = shop.ended(ID)
    assert record["end_state"] == "completed"
    left = [line.split("process ")[1].split(" ")[0] for line in shop.log(ID).splitlines() if "Left" in line]
    assert len(left) == 2
    wait_for(lambda: not processes(), lambda: f"the end of {processes()}")


# Trying again


async def test_a_failed_spec_is_gone_on_with_in_its_branch(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "unticked")
    shop.commit()
    first = await call.data("chant_work_start", id=ID)
    (kept,) = shop.ended(ID)["commits"]
    shop.spec(ID, "work", status="failed", branch=f"chant/{ID}")
    second = await call.data("chant_work_start", id=ID)
    record = shop.ended(second["process_id"])
    assert (record["attempt"], record["token"], record["end_state"]) == (2, 2, "completed")
    assert {key: second[key] for key in ("branch", "worktree")} == {
        key: first[key] for key in ("branch", "worktree")
    }
    assert kept in record["commits"]
    assert git(shop.root, "merge-base", "--is-ancestor", kept, "main") == ""
    logged = shop.log(ID)
    assert logged.count("# Agent Log: ") == logged.count("# New Run: ") == 1
    assert len(shop.records()) == 2, "the earlier record stays"


def test_a_fresh_start_keeps_earlier_commits_under_a_backup(shop: Workshop) -> None:
    shop.spec(ID, "unticked")
    shop.commit()
    project = shop.handle()
    project.work_start(ID)
    (kept,) = shop.ended(ID)["commits"]
    shop.spec(ID, "work", status="failed", branch=f"chant/{ID}")
    project.work_start(ID, fresh=True)
    record = shop.ended(ID)
    assert record["end_state"] == "completed"
    assert kept not in record["commits"]
    backups = git(shop.root, "for-each-ref", "--format=%(objectname) %(refname)", "refs/chant/backup").split()
    assert backups == [kept, f"refs/chant/backup/{ID}/1"]
    assert shop.main(f"work/{ID}.txt") == f"# Spec {ID} ({ID})\n"


async def test_a_server_inside_a_hook_has_its_agent_work_in_the_worktree(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git tells its hooks by variables which repository and index they are about."""
    shop.spec(ID)
    shop.commit()
    elsewhere = shop.root.parent / "elsewhere"
    elsewhere.mkdir()
    git(elsewhere, "init", "-q", "-b", "main")
    monkeypatch.setenv("GIT_DIR", str(elsewhere / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(elsewhere))
    monkeypatch.setenv("GIT_INDEX_FILE", str(elsewhere / ".git" / "other-index"))
    async with shop.client() as call:
        await call.data("chant_work_start", id=ID)
    assert shop.ended(ID)["end_state"] == "completed"
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name)
    assert shop.main(f"work/{ID}.txt")
    assert [path.name for path in elsewhere.iterdir()] == [".git"]
    assert git(elsewhere, "for-each-ref") == ""
