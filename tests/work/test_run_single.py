"""One run of one spec that goes well, from the call to the merge."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest
from harness import Caller
from mcp import Client
from work.kit import ID, OTHER, THIRD, Workshop, lives, processes, worktree_root
from writing import git, untouched

pytestmark = pytest.mark.anyio

RECORD_KEYS = [
    "schema",
    "process_id",
    "spec_id",
    "parent",
    "pid",
    "pid_start",
    "boot_id",
    "status",
    "end_state",
    "reason",
    "exit_code",
    "mode",
    "attempt",
    "generation",
    "token",
    "started_at",
    "updated_at",
    "completed_at",
    "adopted_at",
    "stop_requested",
    "agent",
    "process_tree",
    "branch",
    "base",
    "worktree",
    "confinement",
    "log",
    "target",
    "criteria_at_start",
    "hooks_at_start",
    "checks",
    "commits",
    "merge",
    "asked",
    "settled_at",
    "uncommitted",
]


@pytest.mark.requirement(
    "chant:work_start:returns_immediately",
    "chant:work_start:answer_has_five_keys",
    "chant:work_start:mode_names_the_kind",
    "chant:work_start:record_is_stored",
)
async def test_a_start_answers_when_the_agent_is_at_work(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "wait")
    main = shop.commit()
    started = await call.data("chant_work_start", id="x7m")
    record = shop.named(started["process_id"])
    assert list(started)[:5] == ["process_id", "spec_id", "pid", "started_at", "mode"]
    assert started["process_id"] == f"{ID}-{started['pid']}"
    assert (started["spec_id"], started["mode"], started["branch"]) == (ID, "single", f"chant/{ID}")
    # The record keeps the branch that the work lands on; the commit is that of the moment.
    assert started.pop("target_commit") == main
    assert {key: record[key] for key in started} == started
    assert datetime.fromisoformat(started["started_at"]).utcoffset() is not None

    assert list(record) == RECORD_KEYS
    assert (record["schema"], record["status"], record["end_state"]) == (1, "running", None)
    assert (record["attempt"], record["token"], record["parent"]) == (1, 1, None)
    assert record["adopted_at"] >= record["started_at"]
    assert record["target"] == "main"
    assert git(shop.root, "rev-parse", f"{record['base']}^").strip() == main
    assert record["criteria_at_start"] == [{"text": text, "checked": False} for text in ("Works", "Tested")]
    assert record["agent"]["name"] == "demo"
    assert [record[key] for key in ("completed_at", "exit_code", "stop_requested", "commits")] == [
        None,
        None,
        None,
        [],
    ]
    for process in (record, record["agent"]):
        stat = Path(f"/proc/{process['pid']}/stat").read_text(encoding="utf-8")
        assert stat.rsplit(")", 1)[1].split()[19] == process["pid_start"]
    shop.go(ID)
    shop.ended(ID)


@pytest.mark.requirement("chant:work_start:schema_has_five_parameters")
async def test_the_tool_takes_an_id_and_four_more_parameters(call: Caller) -> None:
    listed = await call.client.list_tools()
    (schema,) = [tool.input_schema for tool in listed.tools if tool.name == "chant_work_start"]
    assert schema["required"] == ["id"]
    assert {name: entry["type"] for name, entry in schema["properties"].items()} == {
        "id": "string",
        "chain": "boolean",
        "parallel": "integer",
        "skip_criteria": "boolean",
        "on": "string",
    }


async def test_runner_and_agent_have_sessions_and_groups_of_their_own(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    await call.data("chant_work_start", id=ID)
    record = shop.record(ID)
    runner, agent = record["pid"], record["agent"]["pid"]
    assert os.getsid(runner) == os.getpgid(runner) == runner != os.getsid(0)
    assert os.getpgid(agent) == agent
    (program,) = [process.pid for process in processes() if process.command.endswith("demo-agent")]
    assert Path(f"/proc/{program}/cwd").resolve() == Path(record["worktree"])
    shop.go(ID)
    shop.ended(ID)


async def test_work_that_is_done_reaches_main_and_leaves_nothing_else(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    other = shop.spec(OTHER, "wait", body="# Other  \n\n## Acceptance Criteria\n\n* [ ] Odd\n").read_bytes()
    before = shop.commit()
    started = await call.data("chant_work_start", id=ID)
    record = shop.ended(started["process_id"])
    assert (record["status"], record["end_state"], record["exit_code"]) == ("completed", "completed", 0)
    assert record["reason"] is None
    assert record["merge"]["state"] == "merged"
    assert record["completed_at"] >= record["started_at"]

    (work,) = record["commits"]
    merge = git(shop.root, "rev-parse", "main").strip()
    assert record["merge"]["commit"] == merge
    assert git(shop.root, "rev-parse", f"{merge}^1", f"{merge}^2").split() == [before, work]
    changed = git(shop.root, "diff", "--name-status", before, merge).splitlines()
    assert changed == [f"M\t.chant/specs/{ID}.md", f"A\twork/{ID}.txt"]
    assert shop.project.path(OTHER).read_bytes() == other

    text = shop.project.text(ID)
    assert shop.main(f".chant/specs/{ID}.md") == text
    assert text.count("- [x] ") == 2
    # A name that reads as a number is quoted: `1234567`, `1234e56`.
    text = text.replace(f'- "{work[:7]}"', f"- {work[:7]}")
    for line in ("status: completed", f"branch: chant/{ID}", f"- {work[:7]}", "completed_at: "):
        assert line in text
    assert git(shop.root, "status", "--porcelain") == ""
    assert (shop.branches(), shop.worktrees()) == ([], [])
    assert [path for path in worktree_root().rglob("*") if path.is_file()] == []


@pytest.mark.requirement("chant:work_start:status_shows_the_run", "chant:work_start:progress_is_in_the_log")
async def test_the_tools_tell_of_a_run_while_it_lasts_and_after(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    started = await call.data("chant_work_start", id=ID)
    shop.said(ID, "out waiting")
    (run,) = (await call.data("chant_work_list"))["processes"]
    assert {key: run[key] for key in list(started)[:5]} == {key: started[key] for key in list(started)[:5]}
    assert (run["status"], run["completed_at"], run["stale"]) == ("running", None, False)
    assert run["branch"] == f"chant/{ID}"
    assert run["log_modified"]

    (found,) = (await call.data("chant_status", include_activity=True))["in_progress_activity"]
    assert (found["id"], found["has_log"]) == (ID, True)
    log = await call.data("chant_log", id=ID)
    assert log["content"].endswith(" out waiting")
    shop.go(ID)
    shop.ended(ID)
    more = await call.data("chant_log", id=ID, offset=log["byte_offset"])
    assert [line.split(" ", 2)[2] for line in more["content"].splitlines()] == [
        "Going on",
        f"Wrote a line into work/{ID}.txt",
        "Ticked the criteria",
        f"Committed chant({ID}): Spec {ID}",
    ]
    later = await call.data("chant_log", id=ID, since=more["content"].split(" ")[0])
    stamped = [line for line in later["content"].splitlines() if line.startswith("20")]
    first = more["content"].split(" ")[0]
    assert stamped == [line for line in more["content"].splitlines() if line.split(" ")[0] > first]

    listed = await call.data("chant_work_list")
    assert (listed["processes"], listed["summary"]) == ([], {"running": 0, "completed": 1, "failed": 0})
    everything = await call.data("chant_work_list", include_completed=True)
    assert [run["status"] for run in everything["processes"]] == ["completed"]
    none = await call.data("chant_work_list", include_completed=True, process_id="nope")
    assert none["processes"] == []


async def test_the_users_changes_survive_a_run_byte_for_byte(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "wait")
    shop.spec(OTHER)
    (shop.root / "both.txt").write_text("base\n", encoding="utf-8")
    shop.commit()
    (shop.root / "ferry.txt").write_bytes(b"changed\r\n\xff")
    (shop.root / "both.txt").write_text("staged\n", encoding="utf-8")
    git(shop.root, "add", "both.txt")
    (shop.root / "both.txt").write_text("staged, and more\n", encoding="utf-8")
    (shop.root / "new.txt").write_text("new\n", encoding="utf-8")
    shop.project.path(OTHER).write_text("---\nstatus: [broken\n", encoding="utf-8")
    status = git(shop.root, "status", "--porcelain")
    index = git(shop.root, "ls-files", "--stage", "both.txt", "ferry.txt", f".chant/specs/{OTHER}.md")
    files = {name: (shop.root / name).read_bytes() for name in ("ferry.txt", "both.txt", "new.txt")}
    other = shop.project.path(OTHER).read_bytes()
    await call.data("chant_work_start", id=ID)
    shop.go(ID)
    assert shop.ended(ID)["end_state"] == "completed"
    assert git(shop.root, "status", "--porcelain") == status
    assert git(shop.root, "ls-files", "--stage", "both.txt", "ferry.txt", f".chant/specs/{OTHER}.md") == index
    assert {name: (shop.root / name).read_bytes() for name in files} == files
    assert shop.project.path(OTHER).read_bytes() == other


async def test_a_run_on_another_branch_touches_nothing_of_the_users(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    shop.commit()
    git(shop.root, "switch", "-q", "-c", "feature")
    (shop.root / "ferry.txt").write_text("mine\n", encoding="utf-8")
    await call.data("chant_work_start", id=ID)
    shop.ended(ID)
    assert git(shop.root, "symbolic-ref", "--short", "HEAD").strip() == "feature"
    assert not (shop.root / "work").exists()
    assert (shop.root / "ferry.txt").read_text(encoding="utf-8") == "mine\n"
    assert shop.main(f"work/{ID}.txt")


async def test_a_completed_dependency_in_the_archive_is_none_to_wait_for(
    shop: Workshop, call: Caller
) -> None:
    shop.spec(OTHER, status="completed")
    shop.spec(ID, depends_on=[OTHER])
    archive = shop.root / ".chant" / "archive" / "2026-01-22"
    archive.mkdir(parents=True)
    shop.project.path(OTHER).rename(archive / f"{OTHER}.md")
    shop.commit()
    await call.data("chant_work_start", id=ID)
    assert shop.ended(ID)["end_state"] == "completed"
    assert (archive / f"{OTHER}.md").exists()


async def test_a_malformed_spec_beside_it_is_no_obstacle(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    broken = shop.project.write(THIRD, "---\nstatus: [\n---\n")
    shop.commit()
    await call.data("chant_work_start", id=ID)
    assert shop.ended(ID)["end_state"] == "completed"
    assert broken.read_text(encoding="utf-8") == "---\nstatus: [\n---\n"


async def test_a_run_changes_only_the_keys_it_has_to_say(shop: Workshop, call: Caller) -> None:
    """A comment, an unknown key, odd quotes and odd order are the user's."""
    front = "# mine\nstatus: 'pending'  # soon\nowner: \"Ada\"\ntype: code\n"
    front = f"---\n{front}target_files: [work/{ID}.txt]\n---\n"
    body = "\n# Work\n\n## Acceptance Criteria\n\n* [ ] Add a   \n\n\n## Notes\n\ntext without an end"
    shop.project.write(ID, front + body)
    shop.commit()
    await call.data("chant_work_start", id=ID)
    assert shop.ended(ID)["end_state"] == "completed"
    lines = shop.project.text(ID).split("\n")
    kept = ["# mine", 'owner: "Ada"', "type: code", f"target_files: [work/{ID}.txt]"]
    assert [line for line in lines if line in kept] == kept
    assert "\n".join(lines).endswith(body.replace("[ ]", "[x]"))


async def test_a_server_started_in_a_sub_folder_behaves_the_same(shop: Workshop) -> None:
    shop.spec(ID)
    folder = shop.root / "src" / "deep"
    folder.mkdir(parents=True)
    (folder / "x.txt").write_text("x\n", encoding="utf-8")
    shop.commit()
    async with Client(shop.server(folder), mode="2026-07-28") as client:
        call = Caller(client, shop.project)
        await call.data("chant_work_start", id=ID)
        record = shop.ended(ID)
        assert "Working on" in await call.text("chant_log", id=ID)
    assert record["end_state"] == "completed"
    assert [path.name for path in folder.iterdir()] == ["x.txt"]


async def test_a_project_below_the_top_of_its_repository_is_worked_on(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    top = shop.root.parent
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "project")
    git(top, "commit", "-qm", "Begin")
    await call.data("chant_work_start", id=ID)
    assert shop.ended(ID)["end_state"] == "completed"
    assert git(top, "show", f"main:project/work/{ID}.txt")


async def test_remote_branches_are_not_touched(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    shop.commit()
    remote = shop.root.parent / "remote.git"
    git(shop.root, "clone", "-q", "--bare", str(shop.root), str(remote))
    git(shop.root, "remote", "add", "origin", str(remote))
    git(shop.root, "push", "-qu", "origin", "main")
    git(remote, "branch", f"chant/{ID}", "main")
    git(shop.root, "fetch", "-q")
    before = git(remote, "for-each-ref")
    await call.data("chant_work_start", id=ID)
    assert shop.ended(ID)["end_state"] == "completed"
    assert git(remote, "for-each-ref") == before


async def test_work_of_an_agent_can_need_approval(shop: Workshop, call: Caller) -> None:
    trailer = "Co-Authored-By: Claude <noreply@anthropic.com>"
    script = (
        'echo x > done.txt; sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"; git add -A; '
        f'git commit -q -m "Work" -m "{trailer}"'
    )
    (shop.root / "agent.sh").write_text(script, encoding="utf-8")
    shop.configure(
        f"agents:\n  signing:\n    command: [sh, {shop.root}/agent.sh]\n"
        "approval:\n  require_approval_for_agent_work: true\n",
        provider="signing",
    )
    shop.spec(ID)
    main = shop.commit()
    await call.data("chant_work_start", id=ID)
    record = shop.ended(ID)
    assert (record["end_state"], record["reason"]) == ("awaiting_approval", "awaiting_approval")
    assert shop.project.status(ID) == "needs_attention"
    assert git(shop.root, "rev-parse", "main").strip() == main
    assert shop.branches() == [f"chant/{ID}"]


async def test_a_runner_that_ended_leaves_no_zombie_to_its_server(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    shop.commit()
    started = await call.data("chant_work_start", id=ID)
    shop.ended(ID)
    assert not lives(started["pid"])
    assert [
        run["status"] for run in (await call.data("chant_work_list", include_completed=True))["processes"]
    ] == ["completed"]
    with untouched(shop.root):
        await call.data("chant_work_list")


async def test_a_run_writes_into_the_project_and_its_worktree_and_hides_what_is_its_own(
    shop: Workshop, call: Caller, tmp_path: Path
) -> None:
    (shop.root / ".chant" / ".gitignore").write_text("", encoding="utf-8")
    shop.spec(ID)
    shop.commit()

    def outside() -> set[Path]:
        ours = (shop.root, worktree_root())
        return {path for path in tmp_path.rglob("*") if not any(path.is_relative_to(one) for one in ours)}

    before = outside()
    started = await call.data("chant_work_start", id=ID)
    assert shop.ended(started["process_id"])["end_state"] == "completed"
    assert outside() - before <= {*worktree_root().parents}
    assert shop.log(ID)
    assert git(shop.root, "status", "--porcelain") == ""
