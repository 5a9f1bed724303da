"""`runs`, `pause`, `takeover`, `merge`, `worktree`, `finalize`, `cancel`, `reset` and `archive`."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from cli.at_work import CONFIG, FIRST, SECOND, AtWork

CONFIGURATION = Path(__file__).parents[2] / "docs" / "guide" / "configuration.md"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")

TICKED = "# Log in\n\n## Acceptance Criteria\n\n- [x] Works"


def _waiting(agents: AtWork) -> None:
    """Have an agent at work that waits."""
    agents.spec(FIRST, "Log in", "wait")
    agents.begin()
    agents("work", FIRST)
    agents.until_waiting(FIRST)


def test_runs_are_listed_those_at_work_first(agents: AtWork) -> None:
    agents.spec(SECOND, "Log out", "fail")
    _waiting(agents)
    agents.run("work", SECOND, "--wait")
    assert SECOND not in agents("runs")
    headings, _, first, *rest = agents("runs", "--all").splitlines()
    assert headings.split() == ["Spec", "State", "Mode", "Agent", "Since"]
    assert first.split()[:4] == [FIRST, "running", "single", "demo"]
    assert rest[0].split()[:4] == [SECOND, "failed", "single", "demo"]
    assert rest[1:5] == ["Starts from and lands on main.", "", "Reasons", SECOND]
    assert rest[-1] == "  The demo agent was asked to fail"
    assert agents("runs", SECOND) == "No agent is at work.\n"
    assert [run["spec_id"] for run in agents.json("runs", "k3f", "--all")["processes"]] == [SECOND]
    agents("pause", FIRST)
    assert agents("runs") == "No agent is at work.\n"


def test_following_what_has_ended_says_how(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in")
    agents.begin()
    assert agents("runs", FIRST, "-f") == "No agent is at work.\n"
    agents("work", FIRST, "--wait")
    assert f"✓ {FIRST} Log in: completed" in agents("runs", FIRST, "-f")
    assert agents("runs", "-f") == "No agent is at work.\n"


def test_a_run_at_work_tells_its_agent_worktree_and_criteria(agents: AtWork) -> None:
    _waiting(agents)
    (run,) = agents.json("runs")["processes"]
    assert run["agent"] == "demo"
    assert run["criteria"] == {"total": 2, "checked": 0, "unchecked": 2}
    copy = Path(run["worktree"]) / ".chant" / "specs" / f"{FIRST}.md"
    copy.write_text(copy.read_text("utf-8").replace("- [ ] Works", "- [x] Works"), "utf-8")
    (run,) = agents.json("runs")["processes"]
    assert run["criteria"] == {"total": 2, "checked": 1, "unchecked": 1}
    assert "commits" not in run
    agents.go(FIRST)
    ended = agents.until(FIRST, "completed")
    assert (len(ended["commits"]), "criteria" in ended) == (1, False)


def test_a_chain_tells_its_runs_and_how_many_specs_it_has(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in")
    agents.spec(SECOND, "Log out", "wait")
    agents.begin()
    chain = agents.json("work", FIRST, "--chain")["process_id"]
    agents.until_waiting(SECOND)
    runs = {run["process_id"]: run for run in agents.json("runs", "--all")["processes"]}
    assert runs[chain]["specs"] == {"total": 2, "completed": 1, "ended": 0}
    assert {run.get("parent") for name, run in runs.items() if name != chain} == {chain}
    agents.go(SECOND)
    agents("runs", FIRST, "-f")


def test_work_that_was_paused_goes_on(agents: AtWork) -> None:
    _waiting(agents)
    assert agents("pause", "x7m") == f"Successfully paused work for spec '{FIRST}'\n"
    assert agents.until(FIRST, "paused")["spec_id"] == FIRST
    agents.go(FIRST)
    assert "completed" in agents("work", FIRST, "--wait")
    assert "No running process found" in agents.error("pause", FIRST)
    agents.error("--read-only", "pause", FIRST, code=2)


def test_commits_of_a_persons_own_messages_are_found(agents: AtWork) -> None:
    _waiting(agents)
    worktree = Path(agents.json("takeover", FIRST)["worktree_path"])
    (worktree / "login.txt").write_text("done\n", "utf-8")
    copy = worktree / ".chant" / "specs" / f"{FIRST}.md"
    copy.write_text(copy.read_text("utf-8").replace("[ ]", "[x]"), "utf-8")
    agents.project.git("-C", str(worktree), "add", "-A")
    agents.project.git("-C", str(worktree), "commit", "-qm", "feat: let people log in")
    short = agents.project.git("-C", str(worktree), "log", "-1", "--format=%h").strip()
    assert f"Found: {short}" in agents("diagnose", FIRST)
    own = agents.project.root / ".chant" / "specs" / f"{FIRST}.md"
    own.write_text(own.read_text("utf-8").replace("[ ]", "[x]"), "utf-8")
    assert f"Commits: {short}" in agents("finalize", FIRST)


def test_work_is_taken_over_and_merged_by_hand(agents: AtWork) -> None:
    _waiting(agents)
    text = agents("takeover", FIRST)
    assert "0 of 2 acceptance criteria are ticked" in text
    assert "\n  " in text.split("The end of its log:")[1]
    assert f"\nBranch       chant/{FIRST}\n" in text
    found = agents.json("takeover", FIRST, "--force")
    assert f"\nWorktree     {found['worktree_path']}\n" in text
    assert "Spec not currently being worked" in agents.error("takeover", FIRST)
    assert "was not merged" in agents.error("merge", FIRST)
    worktree = Path(found["worktree_path"])
    copy = worktree / ".chant" / "specs" / f"{FIRST}.md"
    copy.write_text(copy.read_text("utf-8").replace("[ ]", "[x]"), "utf-8")
    (worktree / "login.txt").write_text("done\n", "utf-8")
    agents.project.git("-C", str(worktree), "add", "-A")
    agents.project.git("-C", str(worktree), "commit", "-qm", "Log in")
    assert agents("merge", FIRST).startswith(f"Merged the work on '{FIRST}'")
    assert (agents.project.root / "login.txt").read_text("utf-8") == "done\n"
    assert agents("merge") == "Nothing waits for a merge.\n"
    assert agents("merge", FIRST) == f"The work on spec '{FIRST}' is merged already.\n"


def test_a_merge_that_waits_is_made_when_nothing_is_in_its_way(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in", target_files=["login.txt"])
    agents.begin()
    (agents.project.root / "login.txt").write_text("mine\n", "utf-8")
    result = agents.run("work", FIRST, "--wait")
    assert result.exit_code == 1
    assert f"• {FIRST} Log in: awaiting merge" in result.stderr
    assert "login.txt" in result.stderr
    assert agents("merge").startswith(f"{FIRST}: awaiting_merge")
    (agents.project.root / "login.txt").unlink()
    assert agents("merge") == f"{FIRST}: completed\n"
    assert agents("merge") == "Nothing waits for a merge.\n"
    assert agents.until(FIRST, "completed")["spec_id"] == FIRST


@pytest.mark.parametrize("words", [("merge", FIRST), ("work", FIRST, "--wait")], ids=str)
def test_what_the_look_before_a_command_merged_is_no_failure(agents: AtWork, words: tuple[str, ...]) -> None:
    agents.spec(FIRST, "Log in", target_files=["login.txt"])
    agents.begin()
    (agents.project.root / "login.txt").write_text("mine\n", "utf-8")
    agents.run("work", FIRST, "--wait")
    (agents.project.root / "login.txt").unlink()
    result = agents.run(*words)
    assert (result.exit_code, agents.project.status(FIRST)) == (0, "completed"), result.output
    assert "already" in result.output or "it is completed" in result.output
    assert agents.run("work", FIRST).exit_code == 1, "what starts nothing says so"


def test_worktrees_are_listed_and_pruned(agents: AtWork) -> None:
    agents.spec(SECOND, "Log out", "fail")
    _waiting(agents)
    agents.run("work", SECOND, "--wait")
    trees = {tree["spec_id"]: tree for tree in agents.json("worktree", "list")["worktrees"]}
    text = agents("worktree", "list")
    assert f"{FIRST} running, kept: a run is under way\n  {trees[FIRST]['path']}\n" in text
    assert f"{SECOND} failed, can go\n  {trees[SECOND]['path']}\n" in text
    pruned = agents("chant", "worktree", "prune")
    assert f"Kept {trees[FIRST]['path']}: a run is under way\n" in pruned
    assert f"Removed {trees[SECOND]['path']}\n" in pruned
    assert not Path(trees[SECOND]["path"]).exists()
    agents.go(FIRST)
    agents.until(FIRST, "completed")
    assert agents("worktree", "list") == "No worktrees.\n"
    agents.error("--read-only", "worktree", "prune", code=2)


def test_a_spec_is_completed_and_archived(agents: AtWork) -> None:
    agents.project.spec(FIRST, body=TICKED, type="task", status="in_progress")
    agents.project.spec(SECOND)
    agents.begin()
    agents.error("archive", FIRST)
    assert agents.project.path(FIRST).exists()
    assert agents("finalize", "x7m").startswith(f"Finalized spec: {FIRST}\n")
    assert agents.project.status(FIRST) == "completed"
    assert FIRST in agents("archive", FIRST)
    assert not agents.project.path(FIRST).exists()
    for command in ("finalize", "archive", "cancel", "reset"):
        assert agents.error(command, "zzz").startswith("Spec not found: zzz")
        agents.error("--read-only", command, SECOND, code=2)


def test_cancel_and_reset_stop_the_work(agents: AtWork) -> None:
    agents.spec(SECOND, "Log out", "wait")
    _waiting(agents)
    agents("work", SECOND)
    assert agents("cancel", FIRST).startswith(f"Cancelled spec: {FIRST}")
    assert agents("reset", SECOND).startswith(f"Reset spec '{SECOND}' to pending")
    assert (agents.project.status(FIRST), agents.project.status(SECOND)) == ("cancelled", "pending")
    assert agents("runs") == "No agent is at work.\n"
    assert "Only failed or in_progress specs can be reset" in agents.error("reset", SECOND)


def test_the_configuration_in_the_guide_is_one(agents: AtWork) -> None:
    guide = CONFIGURATION.read_text("utf-8")
    agents.spec(FIRST, "Log in")
    agents.begin()
    agents.project.config(guide.split("file=.chant/config.md\n---\n")[1].split("---\n```")[0])
    assert "my-agent" in agents.error("work", FIRST, "--agent", "mine")
    agents.project.config('agents: {mine: {command: [echo, "{prompt}"], skip_permissions: maybe}}\n')
    assert "skip_permissions" in agents.error("work", FIRST)


def test_every_placeholder_in_the_guide_is_filled_in(agents: AtWork) -> None:
    guide = CONFIGURATION.read_text("utf-8")
    names = [line.split("`")[1] for line in guide.splitlines() if line.startswith("| `{")]
    assert len(names) == 10
    words = [name for name in names if name != "{chant}"]
    echo = "import sys; print([word for word in sys.argv[1:] if word[:1] == '{' or not word])"
    agents.spec(FIRST, "Log in", model="opus")
    agents.begin()
    command = [sys.executable, "-c", echo, *words]
    agents.project.config(f"{CONFIG}agents: {{mine: {{command: {json.dumps(command)}}}}}\n")
    agents.run("work", FIRST, "--agent", "mine", "--wait")
    assert agents("log", FIRST).splitlines()[4].endswith(" out []")


def test_what_is_said_of_work_whose_folder_is_gone_can_be_done(agents: AtWork) -> None:
    _waiting(agents)
    agents("takeover", FIRST)
    (run,) = agents.json("runs", FIRST, "--all")["processes"]
    assert f"Go on in {run['worktree']}" in agents.run("runs", FIRST, "-f").stderr
    shutil.rmtree(run["worktree"])
    told = agents.run("runs", FIRST, "-f").stderr
    assert run["worktree"] not in told
    assert f"→ `chant-mcp work {FIRST}` has an agent go on there, in a new folder." in told
    told = agents("takeover", FIRST, "--force")
    assert f"→ Its folder is gone; `chant-mcp work {FIRST}` makes a new one on its branch" in told
    agents.go(FIRST)
    agents("work", FIRST, "--wait")
    assert "nothing is left to do" in agents("takeover", FIRST, "--force")


def test_advice_names_commands_to_people(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in", status="in_progress")
    agents.spec(SECOND, "Log out", body="# Log out")
    agents.begin()
    words = " ".join(agents.error("work", FIRST).split())
    assert (
        f"`chant-mcp runs` shows whether an agent works on it; `chant-mcp takeover {FIRST}` stops that"
        in words
    )
    assert "or start with `--skip-criteria`" in agents.error("work", SECOND)
