"""`work`: an agent begins, and with `--wait` is watched until its work has ended."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import pytest
from cli.at_work import FIRST, SECOND, THIRD, AtWork
from cli.kit import Running, Start, read_data

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")


def _interruptible() -> None:
    # A test run in the background ignores the signal, and its children would too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _wait(start: Start, agents: AtWork, *words: str) -> Running:
    return start(agents.project.root, "work", "--wait", *words, preexec_fn=_interruptible)


def test_work_says_what_began_and_does_not_wait(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in", "wait")
    agents.begin()
    text = agents("work", "x7m")
    assert text.startswith("An agent is at work.\n")
    assert f"Branch       chant/{FIRST}\n" in text
    assert f"`chant-mcp runs {FIRST} -f` shows it, `chant-mcp pause {FIRST}` stops it." in text
    (run,) = agents.json("runs")["processes"]
    assert f"Worktree     {run['worktree']}\n" in text, "long paths stay on one line"
    agents.go(FIRST)
    agents.until(FIRST, "completed")
    assert agents.project.status(FIRST) == "completed"


def test_with_json_it_prints_the_answer(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in")
    agents.begin()
    started = agents.json("chant", "work", FIRST)
    assert list(started)[:5] == ["process_id", "spec_id", "pid", "started_at", "mode"]
    assert agents.until(FIRST, "completed")["process_id"] == started["process_id"]


def test_a_refusal_says_why_and_starts_nothing(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in")
    agents.spec(SECOND, "Log out", depends_on=[FIRST])
    agents.begin()
    assert "is blocked by dependencies" in agents.error("work", SECOND)
    assert agents.error("work", FIRST, "--agent", "nobody").startswith("Unknown agent 'nobody'.")
    assert agents.error("work", FIRST, "--prompt", "nothing").startswith("Prompt not found: nothing")
    assert agents.error("work", "zzz", "--wait").startswith("Spec not found: zzz")
    assert "--read-only was given" in agents.error("--read-only", "work", FIRST, code=2)
    assert agents("runs", "--all") == "No runs.\n"


def test_skip_criteria_waives_them(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in", body="# Log in\n\nA form with a name and a password.")
    agents.begin()
    assert "criteria" in agents.error("work", FIRST)
    assert "completed" in agents("work", FIRST, "--skip-criteria", "--wait")


def test_without_a_terminal_each_change_is_a_line(agents: AtWork, start: Start) -> None:
    agents.spec(FIRST, "Log in", "wait")
    agents.begin()
    running = _wait(start, agents, FIRST)
    assert running.line() == f"{FIRST} Log in: started by demo on chant/{FIRST}\n"
    assert running.line() == f"{FIRST}: 0 of 2 criteria ticked\n"
    agents.go(FIRST)
    out, err = running.end(0)
    commit = agents.until(FIRST, "completed")["commits"][0][:7]
    last = out.splitlines()[-1]
    assert last.startswith(f"✓ {FIRST} Log in: completed after 0:0")
    assert last.endswith(f", 1 commit ({commit} on main), without any check")
    assert set(out.splitlines()[:-1]) <= {f"{FIRST}: {ticked} of 2 criteria ticked" for ticked in (1, 2)}
    assert err.startswith("confined: "), "how it is held is told at the start"
    assert (len(err.splitlines()), "\x1b" in out) == (1, False)


def test_what_did_not_complete_is_told_on_standard_error(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in", "fail")
    agents.begin()
    result = agents.run("work", FIRST, "--wait")
    assert result.exit_code == 1
    held, headline, *rest = result.stderr.splitlines()
    assert held.startswith("confined: ")
    assert headline.startswith(f"✗ {FIRST} Log in: failed after 0:0")
    assert "  The demo agent was asked to fail" in rest
    assert f"  → `chant-mcp log {FIRST}` shows what its agent wrote." in rest
    assert "failed" not in result.stdout


def test_work_that_is_not_proven_says_where_to_mend_it(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in", "partly")
    agents.begin()
    result = agents.run("work", FIRST, "--wait")
    assert result.exit_code == 1
    run = agents.until(FIRST, agents.json("runs", FIRST, "--all")["processes"][0]["end_state"])
    assert run["reason"].splitlines()[0] in result.stderr
    assert f"`chant-mcp work {FIRST}`" in result.stderr


def test_waiting_with_json_prints_how_the_runs_ended(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in")
    agents.spec(SECOND, "Log out", "fail")
    agents.begin()
    (run,) = agents.json("work", FIRST, "--wait")["processes"]
    assert (run["spec_id"], run["end_state"]) == (FIRST, "completed")
    result = agents.run("work", SECOND, "--wait", "--json")
    assert result.exit_code == 1
    assert read_data(result.stdout)["processes"][0]["end_state"] == "failed"
    assert "asked to fail" in result.stderr


def test_a_chain_tells_of_every_spec(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in")
    agents.spec(SECOND, "Log out", depends_on=[FIRST])
    agents.begin()
    text = agents("work", FIRST, "--chain", "--wait")
    assert text.startswith(f"chain from {FIRST}: started\n")
    ends = [line for line in text.splitlines() if line.startswith("✓")]
    assert [end.split(":")[0] for end in ends] == [
        f"✓ {FIRST} Log in",
        f"✓ {SECOND} Log out",
        f"✓ chain from {FIRST}",
    ]
    assert text.endswith("  2 of 2 specs completed\n")


def test_work_in_parallel_of_which_some_fails_did_not_complete(agents: AtWork) -> None:
    for id, behaviour in ((FIRST, "work"), (SECOND, "fail"), (THIRD, "work")):
        agents.spec(id, "Log in", behaviour)
    agents.begin()
    result = agents.run("work", FIRST, "--parallel", "2", "--wait")
    assert result.exit_code == 1
    assert result.stdout.count("✓ ") == 2
    assert f"✗ {SECOND} Log in: failed" in result.stdout
    assert result.stderr.splitlines()[1].startswith(f"✗ parallel(2) from {FIRST}: failed")
    assert "2 of 3 specs completed" in result.stderr


def test_ctrl_c_ends_the_watching_and_not_the_work(agents: AtWork, start: Start) -> None:
    agents.spec(FIRST, "Log in", "wait")
    agents.begin()
    running = _wait(start, agents, FIRST)
    running.line()
    running.process.send_signal(signal.SIGINT)
    _, err = running.end(1)
    again, stop = f"`chant-mcp runs {FIRST} -f`", f"`chant-mcp pause {FIRST}`"
    told = f"The work goes on. {again} shows it again; {stop} stops it."
    assert err.splitlines()[1:] == [told], "after how it is held"
    assert agents.until(FIRST, "running")["stale"] is False
    agents.go(FIRST)
    assert "completed" in agents("runs", FIRST, "-f")


def test_somebody_who_pauses_the_work_ends_the_waiting(agents: AtWork, start: Start) -> None:
    agents.spec(FIRST, "Log in", "wait")
    agents.begin()
    running = _wait(start, agents, FIRST)
    running.line()
    agents("pause", FIRST)
    _, err = running.end(1)
    assert f"{FIRST} Log in: paused after" in err
    assert f"→ `chant-mcp work {FIRST}` goes on with the work." in err


def test_a_runner_that_dies_ends_the_waiting(agents: AtWork, start: Start) -> None:
    agents.spec(FIRST, "Log in", "wait")
    agents.begin()
    running = _wait(start, agents, FIRST)
    running.line()
    agents.until_waiting(FIRST)
    os.kill(agents.until(FIRST, "running")["pid"], signal.SIGKILL)
    _, err = running.end(1)
    assert err.splitlines()[1].startswith(f"✗ {FIRST} Log in: lost after")


def test_a_log_is_followed_from_before_the_run_to_its_end(agents: AtWork, start: Start) -> None:
    agents.spec(FIRST, "Log in")
    agents.begin()
    following = start(agents.project.root, "log", "-f", FIRST, preexec_fn=_interruptible)
    assert following.error_line() == f"No log for {FIRST} yet; waiting for one.\n"
    agents("work", FIRST, "--wait")
    line: Any = ""
    while "Committed chant(" not in line:
        line = following.line()
    following.process.send_signal(signal.SIGINT)
    following.end()
