"""Runs on items of other formats: from the command to the landed commit."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from harness import user_config
from laws import TRIALS
from plans.projects import PROJECTS, TICKED
from work import caller
from work.item_kit import COMMIT, TOOL_PLANS, WORK, Plans, ended, waiting
from work.kit import PROGRAM, wait_for
from writing import git

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")


LIST = "openspec/changes/add-login/tasks.md"
KIRO = ".kiro/specs/user-auth/tasks.md"
BACKLOG = "backlog/tasks/task-1 - Draw-the-form.md"


def _ticked(*lines: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        for line in lines:
            assert f"[ ] {line}" in text
            text = text.replace(f"[ ] {line}", f"[x] {line}")
        return text

    return change


def _done(text: str) -> str:
    text = _ticked("#1 It has", "#2 It has")(text)
    return text.replace("status: To Do", "status: Done")


KINDS: dict[str, tuple[str, str, str, Callable[[str], str]]] = {
    "task of a change": ("openspec", "openspec:add-login#1.1", LIST, _ticked("1.1 Draw")),
    "change": ("openspec", "openspec:add-login", LIST, _ticked("1.1 Draw", "2.1 Keep")),
    "leaf": ("kiro", "kiro:user-auth#2", KIRO, _ticked("2. Keep")),
    "last leaf of a holder": ("kiro", "kiro:user-auth#1.1", KIRO, _ticked("1. Build", "1.1 Draw")),
    "parent": ("kiro", "kiro:user-auth#1", KIRO, _ticked("1. Build", "1.1 Draw")),
    "task in a file": ("backlog", "backlog:TASK-1", BACKLOG, _done),
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_item_is_worked_on_from_its_key_to_a_landed_commit(plans: Plans, kind: str) -> None:
    word, key, document, change = KINDS[kind]
    plans.begin(PROJECTS[word])
    before = plans.read(document)
    plans("work", key, "--wait")
    after = plans.landed(document)
    stamps = [line for line in after.splitlines(keepends=True) if line.startswith("updated_date:")]
    assert after.replace("".join(stamps), "") == change(before)
    assert plans.read(document) == after
    changed = git(plans.root, "diff", "--name-only", "HEAD~1", "--", ".").splitlines()
    assert sorted(name for name in changed if not name.startswith("demo/")) == [document]
    assert any(name.startswith("demo/") for name in changed)
    assert git(plans.root, "log", "-1", "--format=%s").startswith(f"Merge {key}: ")
    assert not (plans.root / ".chant").exists()
    assert git(plans.root, "status", "--short") == ""
    assert git(plans.root, "branch", "--format=%(refname:short)").split() == ["main"]
    assert plans.json("receipt", "verify", key)["holds"]
    (drift,) = plans.json("verify", "--drift")["specs"]
    # Neither the item's own document nor what its agent wrote for people can go stale.
    assert (drift["spec_id"], drift["verdict"]) == (key, "holds")
    assert all(hunk["path"].startswith("demo/") for hunk in drift.get("hunks", ()))
    assert plans.end(key)["end_state"] == "completed"
    name = next((plans.root / ".git" / "chant-mcp" / "processes").rglob("*.json")).name.rpartition("-")[0]
    assert plans("log", name) == plans("log", key), "an item is named by what `runs` prints, too"


TOOL_FORMATS = {
    "task of a feature": (
        TOOL_PLANS["feature"],
        "speckit:001-login#T001",
        "specs/001-login/tasks.md",
        _ticked("T001 [US1]"),
        (),
    ),
    "task of a graph": (
        TOOL_PLANS["graph"],
        "vine:plan.vine#form",
        "plan.vine",
        lambda text: text.replace("[form] Draw the form (notstarted)", "[form] Draw the form (reviewing)"),
        ("--skip-criteria",),
    ),
    "ticket": (
        TOOL_PLANS["ticket"],
        "tickets:FER-001",
        "docs/CRs/FER-001-draw-the-form.md",
        lambda text: _ticked("It has two", "It has a b")(text).replace("Approved", "Implemented"),
        (),
    ),
}


@pytest.mark.parametrize("kind", TOOL_FORMATS)
def test_items_of_formats_with_tools_are_worked_on_too(plans: Plans, kind: str) -> None:
    files, key, document, change, options = TOOL_FORMATS[kind]
    plans.begin(files)
    plans("work", key, "--wait", *options)
    after = plans.landed(document)
    stamps = [line for line in after.splitlines(keepends=True) if line.startswith("lastModified:")]
    assert after.replace("".join(stamps), "") == change(files[document])
    assert plans.read(document) == after
    assert git(plans.root, "status", "--short") == ""
    assert plans.json("receipt", "verify", key)["holds"]


HOSTILE: dict[str, tuple[str, str]] = {
    "ticks other tasks": (f"sed -i 's/- \\[ \\]/- [x]/' {LIST}", "changes more of openspec/"),
    "rewords its task": (f"sed -i 's/1.1 Draw the form/1.1 Draw/' {LIST}", "rewords"),
    "renumbers the list": (f"sed -i 's/1.1 Draw/1.3 Draw/' {LIST}", "openspec/changes/add-login/tasks.md"),
    "deletes the list": (f"git rm -q {LIST}", "takes openspec:add-login#1.1 out of"),
    "makes the list a link": (f"rm {LIST}; ln -s proposal.md {LIST}", "takes openspec:add-login#1.1 out of"),
    "rewrites the proposal": ("echo more >> openspec/changes/add-login/proposal.md", "changes openspec/"),
    "adds another change": (
        "mkdir openspec/changes/evil; echo x > openspec/changes/evil/tasks.md",
        "changes openspec/changes/evil/tasks.md",
    ),
    "edits the configuration": ("echo 'a: 1' > openspec/config.yaml", "changes openspec/config.yaml"),
    "archives the change": (
        "mkdir -p openspec/changes/archive; git mv openspec/changes/add-login openspec/changes/archive/x",
        "takes openspec:add-login#1.1 out of",
    ),
    "writes ten thousand boxes": (
        f"i=0; while [ $i -lt 10000 ]; do echo '- [x] 9.9 more'; i=$((i+1)); done >> {LIST}",
        "changes more of openspec/",
    ),
    "edits plans of another format": (
        "mkdir -p .kiro/specs/a; echo '- [x] 1. Evil' > .kiro/specs/a/tasks.md",
        "changes .kiro/specs/a/tasks.md",
    ),
    "commits its order": ('git add -f "$CHANT_SPEC_FILE"', "commits the run's own order"),
    "does no work": (f"git reset -q; rm -r src; sed -i 's/- \\[ \\] 1.1/- [x] 1.1/' {LIST}", "nothing but"),
    "ticks nothing": ('sed -i "s/- \\[x\\]/- [ ]/" "$CHANT_SPEC_FILE"', "criteria are open"),
}


@pytest.mark.parametrize("move", HOSTILE)
def test_work_that_changes_other_plans_does_not_land(plans: Plans, move: str) -> None:
    script, reason = HOSTILE[move]
    plans.begin(PROJECTS["openspec"])
    before = git(plans.root, "rev-parse", "main")
    plans.agent(f"{WORK}{script}\n{COMMIT}")
    plans.run("work", "openspec:add-login#1.1", "--wait")
    end = plans.end("openspec:add-login#1.1")
    assert reason in end["reason"], end["reason"]
    assert end["end_state"] in ("needs_attention", "failed")
    assert git(plans.root, "rev-parse", "main") == before
    assert git(plans.root, "status", "--short") == ""


def test_plans_are_found_where_their_settings_say(plans: Plans) -> None:
    tasks = {name.replace("backlog/", "plan/"): text for name, text in PROJECTS["backlog"].items()}
    tasks["backlog.config.yml"] = "backlog_directory: plan\n" + tasks.pop("plan/config.yml")
    plans.begin(tasks)
    plans.agent(f"{WORK}echo Evil >> plan/tasks/task-2*.md\n{COMMIT}")
    plans.run("work", "backlog:TASK-1", "--wait")
    assert "changes plan/tasks/task-2" in plans.end("backlog:TASK-1")["reason"]


@pytest.mark.parametrize("is_allowed", [True, False])
def test_a_tick_in_the_document_lands_and_a_design_where_the_user_lets_it(
    plans: Plans, is_allowed: bool
) -> None:
    plans.begin(PROJECTS["openspec"])
    plans.agent(
        'mkdir src && echo 1 > src/a.py && echo "A form." > openspec/changes/add-login/design.md\n'
        f"sed -i 's/- \\[ \\] 1.1/- [x] 1.1/' {LIST}\n{COMMIT}"
    )
    if is_allowed:
        settings = user_config()
        text = settings.read_text("utf-8")
        settings.write_text(text.replace("---\n", "---\nlanding: {allow: [design.md]}\n", 1), "utf-8")
    plans.run("work", "openspec:add-login#1.1", "--wait")
    if is_allowed:
        assert plans.landed(LIST) == _ticked("1.1 Draw")(PROJECTS["openspec"][LIST])
    else:
        waits = "changes what agents are told: openspec/changes/add-login/design.md"
        assert plans.end("openspec:add-login#1.1")["reason"] == waits


REFUSED: dict[str, tuple[str, str, Callable[[Plans], object]]] = {
    "unknown": ("openspec:add-logout#1.1", "Nothing is called 'openspec:add-logout#1.1'", lambda _: None),
    "done": ("openspec:add-login#1.2", "openspec:add-login#1.2 is done", lambda _: None),
    "not committed": (
        "openspec:add-login#1.1",
        "Commit its documents, then start again",
        lambda plans: plans.write(LIST, plans.read(LIST).replace("1.1 Draw", "1.1 Paint")),
    ),
}


@pytest.mark.parametrize("why", REFUSED)
def test_work_that_cannot_begin_is_refused(plans: Plans, why: str) -> None:
    key, reason, change = REFUSED[why]
    plans.begin(PROJECTS["openspec"])
    change(plans)
    assert reason in plans.error("work", key)
    assert plans.json("runs", "--all")["processes"] == []
    assert git(plans.root, "branch", "--format=%(refname:short)").split() == ["main"]


def test_an_item_that_waits_or_says_nothing_of_its_end_is_refused(plans: Plans) -> None:
    plans.begin(PROJECTS["backlog"] | {"plan.vine": TOOL_PLANS["graph"]["plan.vine"]})
    assert "is blocked; it waits for TASK-1" in plans.error("work", "backlog:TASK-2")
    assert "has no box or criterion" in plans.error("work", "vine:plan.vine#form")


def test_an_item_its_holder_and_its_parts_have_one_run_at_a_time(plans: Plans) -> None:
    plans.begin(PROJECTS["kiro"])
    sign = waiting(plans, "kiro:user-auth#1.1")
    assert "kiro:user-auth#1 cannot be worked on now" in plans.error("work", "kiro:user-auth#1")
    assert "kiro:user-auth#1.1" in plans.error("work", "kiro:user-auth#1.1")
    sign.touch()
    assert ended(plans, "kiro:user-auth#1.1")["end_state"] == "completed"


def test_of_many_starts_at_once_one_begins(plans: Plans) -> None:
    plans.begin(PROJECTS["openspec"])
    sign = plans.root.parent / "go"
    plans.agent(f"{WORK}{COMMIT}while [ ! -e {sign} ]; do sleep 0.05; done")
    keys = ["openspec:add-login#1.1", "openspec:add-login"] * 2
    started = [
        subprocess.Popen(
            [*PROGRAM, "work", key], cwd=plans.root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        for key in keys
    ]
    said = [process.communicate()[1] for process in started]
    assert sorted(process.returncode for process in started) == [0, 1, 1, 1], said
    sign.touch()
    running = [run["spec_id"] for run in plans.json("runs", "--all")["processes"]]
    assert len(running) == 1
    assert ended(plans, running[0])["end_state"] == "completed"


@pytest.mark.parametrize("round", range(TRIALS))
def test_agents_on_one_list_land_in_any_order(plans: Plans, round: int) -> None:
    count = 5 if TRIALS == 1 else 10
    numbers = range(1, count + 1)
    tasks = "".join(f"- [ ] 1.{number} Do part {number}\n" for number in numbers)
    files = PROJECTS["openspec"] | {LIST: f"## 1. Parts\n\n{tasks}\n## 2. Notes\n\nKept.\n"}
    plans.begin(files)
    settings = user_config()
    text = settings.read_text("utf-8")
    settings.write_text(text.replace("---\n", f"---\nlimits: {{agents_at_once: {count}}}\n", 1), "utf-8")
    keys = [f"openspec:add-login#1.{number}" for number in numbers]
    random.Random(round).shuffle(keys)
    started = [
        subprocess.Popen(
            [*PROGRAM, "work", key, "--wait"],
            cwd=plans.root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for key in keys
    ]
    said = [process.communicate()[1] for process in started]
    assert [process.returncode for process in started] == [0] * count, said
    assert plans.landed(LIST) == files[LIST].replace("[ ]", "[x]")
    assert plans.read(LIST) == plans.landed(LIST)
    assert git(plans.root, "status", "--short") == ""


PEOPLE: dict[str, tuple[Callable[[str], str], str, Callable[[str], str] | None]] = {
    "ticks another task": (_ticked("2.1 Keep"), "completed", _ticked("1.1 Draw")),
    "adds a task": (lambda text: f"{text}- [ ] 2.2 More\n", "completed", _ticked("1.1 Draw")),
    "unticks another task": (
        lambda text: text.replace("[x] 1.2", "[ ] 1.2"),
        "completed",
        _ticked("1.1 Draw"),
    ),
    "ticks the task": (_ticked("1.1 Draw"), "completed", lambda text: text),
    "rewords the task": (lambda text: text.replace("Draw the form", "Paint"), "needs_attention", None),
    "renumbers the task": (lambda text: text.replace("1.1 Draw", "1.3 Draw"), "needs_attention", None),
    "deletes the task": (lambda text: text.replace("- [ ] 1.1 Draw the form\n", ""), "needs_attention", None),
}


@pytest.mark.parametrize("act", PEOPLE)
@pytest.mark.parametrize("is_committed", [True, False])
def test_what_a_person_does_meanwhile_stays(plans: Plans, act: str, is_committed: bool) -> None:
    change, state, landed = PEOPLE[act]
    plans.begin(PROJECTS["openspec"])
    sign = waiting(plans, "openspec:add-login#1.1")
    before = plans.read(LIST)
    plans.write(LIST, change(before))
    if is_committed:
        plans.commit()
    sign.touch()
    end = ended(plans, "openspec:add-login#1.1")
    if not is_committed:
        # Drafts decide nothing: the task is marked on the branch, and on disk where it is still there.
        assert end["end_state"] == "completed"
        assert plans.landed(LIST) == _ticked("1.1 Draw")(before)
        assert plans.read(LIST) == (landed or (lambda text: text))(change(before))
        return
    assert end["end_state"] == state, end
    assert plans.read(LIST) == (landed or (lambda text: text))(change(before))
    assert plans.landed(LIST) == plans.read(LIST)
    assert landed or "openspec:add-login#1.1" in end["reason"]


def test_a_change_that_a_person_archives_meanwhile_stays_as_it_is(plans: Plans) -> None:
    plans.begin(PROJECTS["openspec"])
    sign = waiting(plans, "openspec:add-login#1.1")
    before = plans.read(LIST)
    archive = "openspec/changes/archive"
    (plans.root / archive).mkdir()
    git(plans.root, "mv", "openspec/changes/add-login", f"{archive}/2026-01-22-add-login")
    plans.commit()
    main = git(plans.root, "rev-parse", "main")
    sign.touch()
    end = ended(plans, "openspec:add-login#1.1")
    assert end["end_state"] == "needs_attention"
    assert "openspec:add-login#1.1 is not there any more" in end["reason"]
    assert git(plans.root, "rev-parse", "main") == main
    assert plans.read(f"{archive}/2026-01-22-add-login/tasks.md") == before
    assert not (plans.root / "openspec/changes/add-login").exists()


def test_a_run_is_followed_and_stopped_by_the_key_of_its_item(plans: Plans) -> None:
    key = "openspec:add-login#1.1"
    plans.begin(PROJECTS["openspec"])
    sign = waiting(plans, key, tail="echo is at it\n")
    assert [run["spec_id"] for run in plans.json("runs", key)["processes"]] == [key]
    wait_for(lambda: "is at it" in plans.run("log", key).stdout, "a line of the agent")
    assert "paused" in plans("pause", key)
    assert plans.end(key)["end_state"] == "paused"
    assert plans.json("diagnose", key)["spec_id"] == key
    sign.touch()
    plans("work", key, "--wait")
    assert plans.landed(LIST) == _ticked("1.1 Draw")(PROJECTS["openspec"][LIST])


@pytest.mark.parametrize("options", [(), ("--parallel", "2")])
def test_the_tasks_of_a_spec_are_worked_on_one_by_one_or_several_at_once(
    plans: Plans, options: tuple[str, ...]
) -> None:
    plans.begin(PROJECTS["kiro"] | {KIRO: PROJECTS["kiro"][KIRO] + "- [ ]* 3. Polish it\n"})
    settings = user_config()
    hurry = "parallel:\n  stagger_delay_ms: 0\n  stagger_jitter_ms: 0\n"
    settings.write_text(settings.read_text("utf-8").replace("---\n", f"---\n{hurry}", 1), "utf-8")
    plans("work", "kiro:user-auth", *options, "--wait")
    # What is optional is left to people.
    done = _ticked("1. Build", "1.1 Draw", "2. Keep")(PROJECTS["kiro"][KIRO])
    assert plans.landed(KIRO) == done + "- [ ]* 3. Polish it\n"
    worked = [run["spec_id"] for run in plans.json("runs", "--all")["processes"] if run["mode"] == "single"]
    assert sorted(worked) == ["kiro:user-auth#1.1", "kiro:user-auth#2"]
    assert git(plans.root, "status", "--short") == ""


def test_all_that_is_ready_is_worked_on(plans: Plans) -> None:
    plans.begin(PROJECTS["openspec"] | PROJECTS["backlog"])
    assert "items are ready" in plans.error("work", code=2)
    assert "names one of chant, openspec, backlog" in plans.error("work", "--dialect", "kiro", code=2)
    plans("work", "--all", "--dialect", "openspec", "--wait")
    assert plans.landed(LIST) == PROJECTS["openspec"][LIST].replace("[ ]", "[x]")
    assert plans.landed(BACKLOG) == PROJECTS["backlog"][BACKLOG]
    plans("work", "--all", "--wait")
    assert "status: Done" in plans.landed(BACKLOG)
    # What it waited for is done now, and nothing says when it is done itself.
    assert "backlog:TASK-2 has no box or criterion" in plans.error("work", "--all")


def test_all_that_is_ready_of_formats_with_tools_of_their_own_is_worked_on(plans: Plans) -> None:
    feature, ticket = TOOL_FORMATS["task of a feature"], TOOL_FORMATS["ticket"]
    plans.begin(feature[0] | ticket[0] | {"plan.vine": TOOL_PLANS["graph"]["plan.vine"]})
    assert "No item is ready" in (said := plans.run("work", "--all", "--dialect", "vine").stderr)
    assert "`chant-mcp work vine:plan.vine#form --skip-criteria`" in said
    plans("work", "--all", "--wait")
    assert plans.landed(feature[2]) == TOOL_PLANS["feature"]["specs/001-login/tasks.md"].replace("[ ]", "[x]")
    assert "status: Implemented" in plans.landed(ticket[2])
    # Nothing says when a task of a graph is done, so that a person names it.
    assert plans.landed("plan.vine") == TOOL_PLANS["graph"]["plan.vine"]
    assert not (plans.root / ".chant").exists()


def test_one_format_that_is_meant_begins_no_other(plans: Plans) -> None:
    plans.begin(PROJECTS["openspec"] | {"plan.vine": TOOL_PLANS["graph"]["plan.vine"]})
    plans.project.spec("2026-01-24-001-abc", body="# One\n\n## Acceptance Criteria\n\n- [ ] Done")
    plans.commit()
    assert "nothing was started" in plans.run("work", "--all", "--dialect", "vine", "--wait").stderr
    assert plans.json("runs", "--all")["processes"] == []


def test_a_forecast_says_what_a_start_would_work_on(plans: Plans) -> None:
    plans.begin(PROJECTS["kiro"])
    forecast = plans.json("work", "kiro:user-auth", "--dry-run")
    assert (forecast["target"], len(forecast["specs"])) == ("main", 2), forecast
    assert plans.json("runs", "--all")["processes"] == []


NO_RUN = ["log", "pause", "cancel", "reset", "approve", "takeover", "diagnose", "review", "receipt show"]
OF_SPECS = ["finalize", "split", "verify"]
RUN_ID = re.compile(r"(?<![/\w.-])item\.[a-z0-9.-]+\.[0-9a-f]{32}(?![/\w-])")
"""Our own name for the runs of an item, where it is no part of a branch, a file or the name of one run."""


@pytest.mark.parametrize("word", TICKED)
def test_commands_take_an_item_by_its_bare_name(plans: Plans, word: str) -> None:
    plans.begin(PROJECTS[word])
    key, _ = TICKED[word]
    name = key.partition(":")[2]
    for command in NO_RUN:
        said = unfolded(plans.error(*command.split(), name))
        assert said == f"No run has worked on {key} yet. `chant-mcp work {key}` starts one.\n", command
    for command in OF_SPECS:
        assert unfolded(plans.error(command, name)).startswith(f"{key} is an item of a plan, which "), command
    assert plans("lint", name) == "Plans checked: 0 errors, 0 warnings.\n"
    for command in (*NO_RUN, *OF_SPECS, "archive", "unarchive", "lint", "merge", "work"):
        said = unfolded(plans.error(*command.split(), "NOPE-1"))
        assert said == "Nothing is called 'NOPE-1' here. `chant-mcp list` lists all items.\n", command
    assert not (plans.root / ".chant").exists()


def test_a_forecast_is_no_work_that_a_person_could_reject(plans: Plans) -> None:
    plans.begin(PROJECTS["backlog"])
    assert "backlog:TASK-1" in plans("work", "TASK-1", "--dry-run")
    for words in (["reject", "TASK-1", "--reason", "No"], ["work", "TASK-1", "--say", "Go on"]):
        assert "No run has worked on backlog:TASK-1 yet." in plans.error(*words)


def test_people_and_programs_read_the_key_of_an_item_and_never_our_name_for_its_runs(plans: Plans) -> None:
    plans.begin(PROJECTS["backlog"])
    plans.agent("echo text > code.txt; git add -A; git commit -qm 'Part of it'; exit 3")
    plans("work", "TASK-1", "--wait", code=1)
    commands = (
        ["runs", "--all"],
        ["runs", "TASK-1", "--all"],
        ["log", "TASK-1"],
        ["diagnose", "TASK-1"],
        ["comment", "TASK-1", "Do it again"],
        ["review", "TASK-1"],
        ["review"],
        ["inbox"],
        ["status"],
        ["takeover", "TASK-1", "--force"],
        ["reject", "TASK-1", "--reason", "No"],
        ["work", "TASK-1", "--say", "Once more"],
        ["pause", "TASK-1"],
        ["reset", "TASK-1"],
        ["worktree", "list"],
        ["receipt", "show", "TASK-1"],
        ["cancel", "TASK-1"],
        ["reset", "TASK-1"],
    )
    for words in commands:
        for flags in ([], ["--json"]):
            done = plans.run(*words, *flags)
            assert not RUN_ID.search(done.output), (words, done.output)
            assert "Spec not found" not in done.output, words
    assert plans("diagnose", "TASK-1").startswith("backlog:TASK-1 cancelled")


def test_what_is_done_is_archived_where_its_format_keeps_it(plans: Plans) -> None:
    plans.begin(PROJECTS["backlog"])
    assert "backlog:TASK-1 is not done (To Do)" in unfolded(plans.error("archive", "TASK-1"))
    plans("edit", "TASK-1", "--status", "Done")
    assert plans("archive", "--completed").startswith("Archived backlog:TASK-1: backlog/completed/task-1")
    assert plans("archive", "--completed") == "Nothing was archived.\n"
    assert plans("unarchive", "TASK-1").startswith("Unarchived backlog:TASK-1 (Done)")
    assert plans("archive", "TASK-1").startswith("Archived backlog:TASK-1 (Done)")
    assert (plans.root / "backlog/completed/task-1 - Draw-the-form.md").exists()
    assert (plans.root / "backlog/tasks/task-2 - Keep-the-session.md").exists()


def test_an_archive_of_another_program_is_left_to_it(plans: Plans) -> None:
    files = PROJECTS["openspec"]
    plans.begin({name: text.replace("[ ]", "[x]") for name, text in files.items()})
    assert "openspec archive add-login" in unfolded(plans.error("archive", "add-login"))
    assert plans("archive", "--completed") == "Nothing was archived.\n"


def unfolded(text: str) -> str:
    """Give a message in one line, as it was before it was folded."""
    return " ".join(text.split()) + "\n"


def test_an_agent_on_an_item_reads_and_ticks_it_by_tools_and_reads_its_own_log_alone(plans: Plans) -> None:
    plans.begin(PROJECTS["kiro"])
    plans.agent(f"exec {sys.executable} {caller.__file__}")
    key, other = "kiro:user-auth#1.1", "kiro:user-auth#2"
    caller.plan(
        {"do": "mkdir src && echo 1 > src/form.py"},
        {"tool": "item_get", "arguments": {"id": key}},
        {"tool": "item_update", "arguments": {"id": key, "tick": ["self"]}},
        {"tool": "chant_log", "arguments": {"id": key}},
        {"tool": "chant_log", "arguments": {"id": other}},
        {"tool": "chant_pause", "arguments": {"id": key}},
        {"do": f"{' '.join(PROGRAM)} prime && git add -A && git commit -qm Work"},
    )
    plans("work", key, "--wait")
    _, got, ticked, own, of_other, pause, prime, _ = caller.answers()
    assert key in got
    assert not ticked.startswith("!"), ticked
    assert not own.startswith("!"), own
    assert of_other.startswith("!"), of_other
    assert f"you work on {key}" in pause
    assert f"You work on {key}: Draw the form." in prime
    assert plans.landed(KIRO) == _ticked("1. Build", "1.1 Draw")(PROJECTS["kiro"][KIRO])
