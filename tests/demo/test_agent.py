"""The demo agent as a run meets it: a process that works in a worktree, well or badly."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from chant_mcp.demo.behaviours import BEFORE, WAYS
from demo.workplace import BODY, ID, OTHER, PATIENCE, TICKED, Workplace, git

SPEC = f".chant/specs/{ID}.md"
ADDED = f"one\ntwo\n# Log in ({ID})\n"
COMMIT = f"chant({ID}): Log in"
WORK = [f"M {SPEC}", "M ferry.txt"]


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    """A checkout that has no worktree yet."""
    return Workplace(tmp_path)


@contextmanager
def running(place: Workplace, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start the agent; it is killed at the end, and when nothing comes of it for too long."""
    with place.start(**environment) as agent:
        patience = threading.Timer(PATIENCE, agent.kill)
        patience.start()
        try:
            yield agent
        finally:
            patience.cancel()
            agent.kill()


def said(agent: subprocess.Popen[bytes]) -> str:
    """Wait for the next line it says."""
    assert agent.stdout
    return agent.stdout.readline().decode().rstrip("\n")


def is_open(output: IO[bytes]) -> bool:
    """Whether somebody may still write to an output that no one writes to now."""
    return not select.select([output], [], [], 0.2)[0]


# The work


def test_it_writes_a_line_ticks_the_criteria_and_commits_both(place: Workplace) -> None:
    place.branched()
    before = place.text()
    assert place.works() == [
        f"Working on {ID}: Log in",
        "Wrote a line into ferry.txt",
        "Ticked the criteria",
        f"Committed {COMMIT}",
    ]
    assert (place.commits(), place.committed(), place.changes()) == ([COMMIT], WORK, [])
    assert place.tip("ferry.txt") == ADDED
    assert place.text() == before.replace(BODY, TICKED) != before
    assert git(place.checkout, "status", "--porcelain") == "", "the user's checkout is not touched"


def test_another_attempt_adds_another_commit(place: Workplace) -> None:
    place.branched().works()
    place.works()
    assert place.commits() == [COMMIT, COMMIT]
    assert place.changes() == []


def test_without_target_files_it_makes_one_and_without_a_title_it_uses_the_id(place: Workplace) -> None:
    place.spec(targets=[], body="No title").branched().works()
    assert place.commits() == [f"chant({ID}): {ID}"]
    assert place.committed() == [f"A demo/{ID}.txt"]
    assert place.read(f"demo/{ID}.txt") == f"# {ID} ({ID})\n"


def test_every_target_file_gets_a_line_whatever_its_name(place: Workplace) -> None:
    names = ["deep/er/new.py", "ferry.txt", "*.txt", ":(top)x", "-dash", "ü b.txt"]
    place.spec(targets=[f"'{name}'" for name in names])
    (place.project.root / "also.txt").write_text("kept\n", encoding="utf-8")
    place.branched()
    (place.root / "also.txt").write_text("not ours\n", encoding="utf-8")
    place.works()
    for name in names:
        assert place.read(name).endswith(f"# Log in ({ID})\n")
    assert len(place.committed()) == len(names) + 1
    assert place.changes() == [" M also.txt"], "no name is a pattern"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"one\r\ntwo\r\n", b"one\r\ntwo\r\n# Log in\r\n"),
        (b"no end", b"no end\n# Log in\n"),
        (b"one\r\nno end", b"one\r\nno end\r\n# Log in\r\n"),
        (b"\xff\x00\n", b"\xff\x00\n# Log in\n"),
        (b"", b"# Log in\n"),
    ],
)
def test_a_line_is_added_in_the_form_of_the_file(place: Workplace, old: bytes, new: bytes) -> None:
    (place.project.root / "ferry.txt").write_bytes(old)
    place.branched().works()
    assert (place.root / "ferry.txt").read_bytes() == new.replace(b"Log in", f"Log in ({ID})".encode())


@pytest.mark.parametrize("name", ["../ferry.txt", "a/../../x", "out/x", "out", "{checkout}/x", ".."])
def test_a_target_file_outside_is_refused_before_anything_is_done(place: Workplace, name: str) -> None:
    name = name.format(checkout=place.checkout)
    place.spec(targets=["ferry.txt", name])
    (place.checkout / "out").symlink_to(place.checkout.parent)
    place.branched()
    before = sorted(place.checkout.parent.iterdir())
    assert place.refused() == f"The target file {name} leads out of the project. Name one inside it.\n"
    assert sorted(place.checkout.parent.iterdir()) == before


@pytest.mark.parametrize("name", [".git", ".git/hooks/x", "sub/.GIT/config"])
def test_a_target_file_of_git_is_refused(place: Workplace, name: str) -> None:
    place.spec(targets=[name]).branched()
    assert place.refused() == f"The target file {name} is git's own. Name one of the project.\n"


def test_a_link_inside_is_followed(place: Workplace) -> None:
    place.spec(targets=["link.txt"])
    (place.project.root / "link.txt").symlink_to("ferry.txt")
    place.branched().works()
    assert (place.committed(), place.read()) == (WORK, ADDED)
    assert (place.root / "link.txt").is_symlink()


def test_a_target_that_cannot_be_written_is_named(place: Workplace) -> None:
    place.spec(targets=["folder"])
    (place.project.root / "folder").mkdir()
    (place.project.root / "folder" / "x").touch()
    _, err = place.branched().run(code=1)
    assert err == f"{place.root / 'folder'} cannot be read: Is a directory\n"
    assert place.commits() == []


# The spec


@pytest.mark.parametrize("ignored", [True, False])
def test_a_spec_that_git_does_not_track_is_ticked_and_not_committed(place: Workplace, ignored: bool) -> None:
    text = place.project.text(ID)
    place.project.path(ID).unlink()
    if ignored:
        (place.checkout / ".gitignore").write_text(f"{SPEC}\n", encoding="utf-8")
    place.branched()
    place.spec_file.write_text(text, encoding="utf-8")
    place.works()
    assert place.committed() == ["M ferry.txt"]
    assert place.text() == text.replace(BODY, TICKED)
    assert place.changes() == ([] if ignored else [f"?? {SPEC}"])


def test_an_ignored_spec_that_git_tracks_is_committed(place: Workplace) -> None:
    place.branched()
    (place.checkout / ".git" / "info" / "exclude").write_text(".chant/\n", encoding="utf-8")
    place.works()
    assert place.committed() == WORK


@pytest.mark.parametrize("starts_in", ["", "apps/ferry"])
def test_a_project_in_a_sub_folder_keeps_its_files_there(tmp_path: Path, starts_in: str) -> None:
    place = Workplace(tmp_path, "apps/ferry")
    place.spec(targets=["ferry.txt", "new.txt"]).branched().works(place.tree / starts_in)
    assert place.committed() == [
        f"M apps/ferry/{SPEC}",
        "M apps/ferry/ferry.txt",
        "A apps/ferry/new.txt",
    ]
    assert place.changes() == []


def test_a_project_in_a_sub_folder_confines_its_target_files(tmp_path: Path) -> None:
    place = Workplace(tmp_path, "apps/ferry").spec(targets=["../x"]).branched()
    assert "leads out of the project" in place.refused()


def test_a_spec_elsewhere_does_not_lead_the_work_there(place: Workplace) -> None:
    place.branched().works(CHANT_SPEC_FILE=str(place.project.path(ID)))
    assert place.read() == ADDED
    assert place.committed() == ["M ferry.txt"]
    assert git(place.checkout, "status", "--porcelain") == f" M {SPEC}\n"


# Git


def test_the_users_identity_is_used(place: Workplace) -> None:
    place.branched().works()
    assert git(place.tree, "log", "-1", "--format=%an %ae %cn") == "Ada ada@example.org Ada\n"


@pytest.mark.parametrize(
    ("settings", "environment", "author"),
    [
        ({}, {}, "Demo agent <demo-agent@localhost>"),
        ({"user.name": "Bo"}, {}, "Demo agent <demo-agent@localhost>"),
        ({"user.name": "Bo", "user.email": "bo@example.org"}, {}, "Bo <bo@example.org>"),
        ({"user.name": "Bo"}, {"EMAIL": "bo@example.org"}, "Bo <bo@example.org>"),
    ],
)
def test_it_names_itself_where_nobody_is_configured(
    place: Workplace, settings: dict[str, str], environment: dict[str, str], author: str
) -> None:
    place.branched()
    for name, value in settings.items():
        git(place.checkout, "config", name, value)
    people = [f"GIT_{role}_{what}" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]
    place.works(**{"EMAIL": "", **dict.fromkeys(people, ""), **environment})
    assert git(place.tree, "log", "-1", "--format=%an <%ae>|%cn <%ce>") == f"{author}|{author}\n"


def test_a_hook_that_refuses_ends_the_agent(place: Workplace) -> None:
    place.branched()
    hook = place.checkout / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\necho "never on $(git branch --show-current)"; exit 1\n', "utf-8")
    hook.chmod(0o755)
    _, err = place.run(code=1)
    assert err.startswith(f"never on chant/{ID}\n")
    assert err.endswith("ended with exit code 1.\n")
    assert place.commits() == []


def test_an_ignored_target_file_is_not_forced_into_git(place: Workplace) -> None:
    (place.checkout / ".gitignore").write_text("*.log\n", encoding="utf-8")
    _, err = place.spec(targets=["ferry.log"]).branched().run(code=1)
    assert "ferry.log" in err
    assert err.endswith("ended with exit code 1.\n")
    assert place.commits() == []


def test_without_git_it_says_so(place: Workplace, tmp_path: Path) -> None:
    place.branched()
    _, err = place.run(code=1, PATH=str(tmp_path))
    assert err == "git cannot be run: No such file or directory\n"


# The command


def test_a_prompt_that_nobody_reads_or_ends_does_not_hold_it_up(place: Workplace) -> None:
    with running(place.branched()) as agent:
        assert agent.stdin
        os.set_blocking(agent.stdin.fileno(), False)
        os.write(agent.stdin.fileno(), b"x" * 1_000_000)
        assert agent.wait(PATIENCE) == 0
    assert place.commits() == [COMMIT]


def test_a_program_that_git_starts_does_not_wait_for_the_prompt(place: Workplace, tmp_path: Path) -> None:
    reader = tmp_path / "reader"
    reader.write_text("#!/bin/sh\ncat >/dev/null\nexit 1\n", encoding="utf-8")
    reader.chmod(0o755)
    place.branched()
    git(place.checkout, "config", "core.fsmonitor", str(reader))
    place.run()


def test_it_imports_only_what_it_needs(place: Workplace) -> None:
    code = (
        "import sys; from chant_mcp.cli import main\n"
        "try: main('demo-agent')\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=place.checkout, capture_output=True, check=True)
    modules = set(done.stderr.decode().split())
    assert "chant_mcp.demo.agent" in modules
    assert not modules & {"mcp", "mcp_types", "pydantic", "rich", "anyio", "markdown_it", "yaml"}


def test_the_command_is_hidden_and_obeys_read_only(place: Workplace) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "chant_mcp", *words]
        return subprocess.run(command, cwd=place.checkout, capture_output=True, encoding="utf-8", check=False)

    assert "demo-agent" not in run("--help").stdout
    assert "demo:fail" in run("demo-agent", "--help").stdout
    refusal = run("--read-only", "demo-agent")
    assert (refusal.returncode, refusal.stdout) == (2, "")
    assert "`demo-agent` changes files, and --read-only was given." in refusal.stderr


@pytest.mark.parametrize("name", ["CHANT_SPEC_ID", "CHANT_SPEC_FILE"])
def test_without_a_run_it_says_what_is_missing(place: Workplace, name: str) -> None:
    error = place.branched().refused(**{name: ""})
    assert error == f"{name} is not set. Start the demo agent by a run, which sets it.\n"


def test_a_spec_that_is_not_there_is_named(place: Workplace, tmp_path: Path) -> None:
    gone = tmp_path / "gone.md"
    error = place.branched().refused(1, CHANT_SPEC_FILE=str(gone))
    assert error == f"{gone} cannot be read: No such file or directory\n"


# Labels


def test_a_behaviour_it_does_not_know_is_refused_with_those_it_knows(place: Workplace) -> None:
    error = place.spec("slow", "sleep").branched().refused()
    assert error.startswith("The demo agent does not know the label demo:sleep. It knows demo:slow, ")
    for name in (*BEFORE, *WAYS):
        assert f"demo:{name}" in error


def test_two_ways_of_working_are_refused(place: Workplace) -> None:
    error = place.spec("lie", "secret", "fail").branched().refused()
    assert error == "The labels demo:lie and demo:fail exclude each other. Keep one of them.\n"


def test_words_elsewhere_in_the_spec_choose_nothing(place: Workplace) -> None:
    body = BODY.replace("Log in", "Log in with demo:fail") + "\n\nlabels: [demo:fail]\n"
    place.spec("work", body=body).branched().works()
    assert place.commits() == [f"{COMMIT} with demo:fail"]


def test_what_comes_before_the_work_is_done_in_the_order_of_labels(place: Workplace) -> None:
    place.spec("seconds=0", "fail", "secret").branched()
    out, _ = place.run(code=3, PIER_TOKEN="abc")
    assert out.splitlines()[1:] == ["Thinking", "PIER_TOKEN=abc"]


# Behaviours before the work


@pytest.mark.parametrize("by_label", [True, False])
def test_slow_takes_its_time_and_says_something_now_and_then(place: Workplace, by_label: bool) -> None:
    place.spec("slow", *(["seconds=1.2"] if by_label else [])).branched()
    begin = time.monotonic()
    lines = place.works(DEMO_SECONDS="0" if by_label else "1.2")
    assert time.monotonic() - begin >= 1.2
    assert lines[1:4] == ["Thinking", "Still thinking", "Wrote a line into ferry.txt"]
    assert place.committed() == WORK


def test_slow_refuses_what_is_no_number(place: Workplace) -> None:
    place.spec("seconds=soon").branched()
    _, err = place.run(code=2)
    assert err == "soon is not a number of seconds. Give one such as 2 or 0.5.\n"


def test_wait_goes_on_when_the_file_appears(place: Workplace) -> None:
    with running(place.spec("wait").branched()) as agent:
        assert said(agent) == f"Working on {ID}: Log in"
        assert said(agent) == "waiting"
        go = place.project.root / ".chant" / "demo-go"
        go.mkdir()
        (go / OTHER).touch()
        with pytest.raises(subprocess.TimeoutExpired):
            agent.wait(0.3)
        assert place.changes() == []
        (go / ID).touch()
        assert agent.wait(PATIENCE) == 0
    assert place.committed() == WORK


def test_grandchildren_stay_with_the_output_open(place: Workplace) -> None:
    with running(place.spec("grandchildren").branched()) as agent:
        assert agent.stdout
        lines = [said(agent) for _ in range(6)]
        far, deaf = (int(line.split()[2]) for line in lines[1:3])
        try:
            assert agent.wait(PATIENCE) == 0
            assert (os.getsid(far), os.getsid(deaf)) == (far, os.getsid(0))
            os.kill(deaf, signal.SIGTERM)
            assert is_open(agent.stdout), "both hold the output"
        finally:
            os.kill(far, signal.SIGKILL)
            remaining = is_open(agent.stdout)
            os.kill(deaf, signal.SIGKILL)
        assert remaining, "the deaf one holds it alone"
        assert agent.stdout.read() == b""
    assert lines[5] == f"Committed {COMMIT}"


def test_binary_writes_bytes_and_a_long_line(place: Workplace) -> None:
    with running(place.spec("binary").branched()) as agent:
        out, _ = agent.communicate(timeout=PATIENCE)
    with pytest.raises(UnicodeDecodeError):
        out.decode()
    lines = out.split(b"\n")
    assert b"\0" in lines[1]
    assert len(lines[2]) == 1_000_000
    assert lines[-2] == f"Committed {COMMIT}".encode()


def test_secret_prints_what_variables_of_such_names_hold(place: Workplace) -> None:
    secrets = {"PIER_API_KEY": "k-1", "my_token": "t-2", "SECRETS": "s-3", "DB_PASSWORD": "p-4"}
    lines = place.spec("secret").branched().works(**secrets, PIER="open")
    assert {f"{name}={value}" for name, value in secrets.items()} <= set(lines)
    assert "PIER=open" not in lines
    assert place.committed() == WORK


# Ways of working


def test_fail_complains_and_exits_with_3(place: Workplace) -> None:
    out, err = place.spec("fail").branched().run(code=3)
    assert (out, err) == (f"Working on {ID}: Log in\n", "The demo agent was asked to fail\n")
    assert (place.commits(), place.changes()) == ([], [])


def test_crash_ends_by_sigabrt_and_leaves_no_file(place: Workplace) -> None:
    usual = resource.getrlimit(resource.RLIMIT_CORE)
    # As on machines where a crash writes the memory into the working folder.
    resource.setrlimit(resource.RLIMIT_CORE, (usual[1], usual[1]))
    try:
        place.spec("crash").branched().run(code=-signal.SIGABRT)
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, usual)
    assert (place.commits(), place.changes()) == ([], [])


def test_hang_ends_only_when_it_is_told(place: Workplace) -> None:
    with running(place.spec("hang").branched()) as agent:
        assert [said(agent), said(agent)][1] == "Thinking"
        with pytest.raises(subprocess.TimeoutExpired):
            agent.wait(0.3)
        agent.terminate()
        assert agent.wait(PATIENCE) == -signal.SIGTERM


def test_stubborn_ends_only_when_it_is_killed(place: Workplace) -> None:
    with running(place.spec("stubborn").branched()) as agent:
        assert [said(agent), said(agent)][1] == "Thinking"
        agent.terminate()
        with pytest.raises(subprocess.TimeoutExpired):
            agent.wait(0.3)
        agent.kill()
        assert agent.wait(PATIENCE) == -signal.SIGKILL


def test_flood_writes_without_end(place: Workplace) -> None:
    with running(place.spec("flood").branched()) as agent:
        assert agent.stdout
        assert len(agent.stdout.read(5_000_000)) == 5_000_000
        assert agent.poll() is None


def test_nothing_succeeds_without_a_change(place: Workplace) -> None:
    assert place.spec("nothing").branched().works()[1:] == ["Nothing to do"]
    assert (place.commits(), place.changes()) == ([], [])


def test_lie_commits_ticks_and_no_work(place: Workplace) -> None:
    assert place.spec("lie").branched().works()[-1] == "All done, all tests pass!"
    assert (place.committed(), place.changes()) == ([f"M {SPEC}"], [])
    assert TICKED in place.text()


def test_lie_has_nothing_to_commit_the_second_time(place: Workplace) -> None:
    place.spec("lie").branched().works()
    assert place.works()[2:] == ["Nothing to commit", "All done, all tests pass!"]
    assert place.commits() == [COMMIT]


def test_empty_makes_an_empty_commit(place: Workplace) -> None:
    place.spec("empty").branched().works()
    assert (place.commits(), place.committed(), place.changes()) == ([COMMIT], [], [])


def test_unticked_works_and_ticks_nothing(place: Workplace) -> None:
    place.spec("unticked").branched().works()
    assert (place.committed(), place.changes()) == (["M ferry.txt"], [])


def test_partly_ticks_the_first_criterion(place: Workplace) -> None:
    place.spec("partly").branched().works()
    assert (place.committed(), place.changes()) == (WORK, [])
    assert BODY.replace("[ ]", "[x]", 1) in place.text()


def test_reword_makes_a_criterion_easier(place: Workplace) -> None:
    place.spec("reword").branched().works()
    assert (place.committed(), place.changes()) == (WORK, [])
    assert TICKED.replace("Works", "Nearly: Works") in place.text()


def test_remove_deletes_a_criterion(place: Workplace) -> None:
    place.spec("remove").branched().works()
    assert (place.committed(), place.changes()) == (WORK, [])
    assert TICKED.replace("- [x] Tested\n", "") in place.text()


@pytest.mark.parametrize("name", ["partly", "reword", "remove"])
def test_what_changes_a_criterion_needs_one(place: Workplace, name: str) -> None:
    _, err = place.spec(name, body="# Log in").branched().run(code=2)
    assert err == f"{SPEC} has no acceptance criterion. Add one.\n"
    assert place.changes() == []


def test_others_changes_another_spec_too(place: Workplace) -> None:
    place.spec("others").branched().works()
    assert place.committed() == [f"M {SPEC}", f"M .chant/specs/{OTHER}.md", "M ferry.txt"]
    assert place.changes() == []


def test_delete_others_removes_all_other_specs(place: Workplace) -> None:
    place.project.spec(f"{OTHER}.1")
    place.spec("delete-others").branched().works()
    deleted = [f"D .chant/specs/{OTHER}.1.md", f"D .chant/specs/{OTHER}.md"]
    assert sorted(place.committed()) == [*deleted, *WORK]
    assert place.changes() == []


@pytest.mark.parametrize("name", ["others", "delete-others"])
def test_what_changes_other_specs_needs_one(place: Workplace, name: str) -> None:
    place.project.path(OTHER).unlink()
    _, err = place.spec(name).branched().run(code=2)
    assert err == "Git tracks no other spec in .chant/specs. Commit one.\n"
    assert place.changes() == []


def test_uncommitted_works_and_commits_nothing(place: Workplace) -> None:
    place.spec("uncommitted").branched().works()
    assert (place.commits(), place.changes()) == ([], [f" M {SPEC}", " M ferry.txt"])
    assert place.read() == ADDED
    assert TICKED in place.text()


def test_dirty_leaves_a_change_beside_its_commit(place: Workplace) -> None:
    place.spec("dirty").branched().works()
    assert (place.committed(), place.changes()) == (WORK, [" M ferry.txt"])


def test_switch_works_on_another_branch(place: Workplace) -> None:
    place.spec("switch").branched().works()
    assert (place.commits(), place.changes()) == ([], [])
    branch = git(place.tree, "branch", "--show-current").strip()
    assert branch == f"demo-agent/{ID}"
    assert git(place.tree, "log", "--format=%s", f"main..{branch}") == f"{COMMIT}\n"


def test_status_completes_its_own_spec(place: Workplace) -> None:
    before = place.spec("status").branched().text()
    place.works()
    assert (place.committed(), place.changes()) == (WORK, [])
    assert place.text() == before.replace("in_progress", "completed").replace(BODY, TICKED)


def test_two_that_conflict_cannot_be_merged(place: Workplace) -> None:
    place.spec("conflict")
    labels = ["demo:conflict"]
    place.project.spec(OTHER, body="# Log out", labels=labels, target_files=["ferry.txt"])
    place.branched().works()
    assert place.read() == f"# Log in ({ID})\ntwo\n"
    git(place.tree, "switch", "-q", "-c", "second", "main")
    file = place.spec_file.with_name(f"{OTHER}.md")
    place.works(CHANT_SPEC_ID=OTHER, CHANT_SPEC_FILE=str(file))
    with pytest.raises(subprocess.CalledProcessError):
        git(place.tree, "merge", "-q", f"chant/{ID}")
    assert place.changes()[-1] == "UU ferry.txt"


def test_output_ends_in_a_json_object(place: Workplace) -> None:
    lines = place.spec("output", targets=["ferry.txt", "new.txt"]).branched().works()
    assert json.loads(lines[-1]) == {"spec_id": ID, "files": ["ferry.txt", "new.txt"], "criteria": 2}
    assert len(place.committed()) == 3
