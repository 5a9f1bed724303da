"""Items of other formats that two clones want to have worked on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import chant_mcp
import pytest
from chant_mcp._core import ChantProject
from chant_mcp.errors import ChantError
from harness import user_config
from laws import TRIALS
from leases.clones import LEASES, QUICK_TTL, LeaseClone, SharedProject
from leases.remotes import Remote, run_git
from plans.projects import PROJECTS
from work.item_kit import COMMIT, TOOL_PLANS, WORK
from work.kit import PROGRAM, Record, wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="agents are shell scripts")

CHANGE = "openspec:add-login"
FORM, SESSION = f"{CHANGE}#1.1", f"{CHANGE}#2.1"
LIST = "openspec/changes/add-login/tasks.md"


class SharedPlans(SharedProject):
    """Clones with plans of one format; their agents work until a file is there."""

    def __init__(self, folder: Path, remote: Remote, settings: str = LEASES, word: str = "openspec") -> None:
        """Publish the plans; `settings` are lines of the configuration."""
        super().__init__(folder, remote, settings)
        self.sign = folder / "go"
        program = folder / "agent.sh"
        wait = f"while [ ! -e {self.sign} ]; do sleep 0.05; done"
        program.write_text(f"#!/bin/sh\nset -e\n{wait}\n{WORK}{COMMIT}", "utf-8")
        program.chmod(0o755)
        text = user_config().read_text("utf-8")
        agents = f"---\nagents:\n  scripted: {{command: [{program}]}}\n"
        user_config().write_text(text.replace("---\n", agents, 1), "utf-8")
        self.author.configure(settings, provider="scripted")
        for name, content in {**PROJECTS, **TOOL_PLANS}[word].items():
            path = self.author.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, "utf-8")
        self.publish([])

    def target(self, name: str) -> str:
        """Read a file as the remote's target has it."""
        return self.shown("refs/heads/main", name)


def newest(clone: LeaseClone, key: str) -> Record:
    """Give the newest record of a run on an item."""
    own = [record for record in clone.records() if (record.get("item") or {}).get("key") == key]
    return max(own, key=lambda record: record["token"])


def end(clone: LeaseClone, key: str) -> Record:
    """Wait until the newest run on an item has ended, and give its record."""
    wait_for(lambda: newest(clone, key)["status"] != "running", lambda: f"the end of work on {key}")
    return newest(clone, key)


def refusal(handle: ChantProject, key: str) -> str | None:
    """Start work; give the words of a refusal."""
    try:
        handle.work_start(key)
    except ChantError as error:
        return str(error)
    return None


def test_an_item_that_one_clone_works_on_is_refused_to_the_other_with_its_parts_and_holder(
    tmp_path: Path, make_remote: Callable[..., Remote]
) -> None:
    shared = SharedPlans(tmp_path, make_remote())
    first, second = shared.clone(), shared.clone()
    first.handle().work_start(FORM)
    for key in (FORM, CHANGE):
        words = refusal(second.handle(), key)
        assert words is not None
        assert FORM in words
        assert "is worked on by" in words
    assert second.records() == []

    held = {row["spec_id"] for row in second.handle().leases().data["leases"]}
    assert held == {FORM}
    ready = {item.key for item in chant_mcp.open(second.root).ready}
    assert FORM not in ready
    assert CHANGE not in ready

    second.handle().work_start(SESSION)
    shared.sign.touch()
    for clone, key in ((first, FORM), (second, SESSION)):
        record = end(clone, key)
        assert (record["end_state"], record["reason"]) == ("completed", None)
    landed = shared.target(LIST)
    assert "- [x] 1.1 " in landed
    assert "- [x] 2.1 " in landed


def test_a_holder_keeps_its_parts_from_other_clones(
    tmp_path: Path, make_remote: Callable[..., Remote]
) -> None:
    shared = SharedPlans(tmp_path, make_remote())
    first, second = shared.clone(), shared.clone()
    first.handle().work_start(CHANGE)
    words = refusal(second.handle(), SESSION)
    assert words is not None
    assert f"{SESSION} cannot be worked on now, since {CHANGE} belongs to it or holds it" in words
    shared.sign.touch()
    assert end(first, CHANGE)["end_state"] == "completed"
    words = refusal(second.handle(), SESSION)
    assert words is not None
    assert "is completed on the remote already" in words


@pytest.mark.parametrize("word", ["openspec", "backlog", "feature", "ticket"])
def test_an_item_that_another_clone_completed_is_not_ready_here(
    tmp_path: Path, make_remote: Callable[..., Remote], word: str
) -> None:
    shared = SharedPlans(tmp_path, make_remote(), word=word)
    first, second = shared.clone(), shared.clone()
    workspace = chant_mcp.open(second.root)
    key = next(item.key for item in workspace.ready)
    first.handle().work_start(key)
    shared.sign.touch()
    assert end(first, key)["end_state"] == "completed"
    second.handle().look_at_leases()
    assert key not in {item.key for item in workspace.ready}
    command = [*PROGRAM, "--project", str(second.root), "list", "--json"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True)
    (row,) = (row for row in json.loads(shown.stdout)["data"]["items"] if row["key"] == key)
    assert row["on_remote"] == "completed"


def test_a_lease_that_nobody_can_read_keeps_items_of_its_format(
    tmp_path: Path, make_remote: Callable[..., Remote]
) -> None:
    shared = SharedPlans(tmp_path, make_remote())
    first, second = shared.clone(), shared.clone()
    first.handle().work_start(FORM)
    run_id = newest(first, FORM)["spec_id"]
    shared.sign.touch()
    end(first, FORM)
    shared.write_lease(run_id, schema=99, token=41)
    words = refusal(second.handle(), SESSION)
    assert words is not None
    assert f"The lease of spec '{run_id}' on the remote cannot be read" in words
    second.handle().free_lease(run_id)
    second.handle().work_start(SESSION)
    assert end(second, SESSION)["end_state"] == "completed"


RACES = {
    "a task twice": ("openspec", FORM, FORM),
    "a change and its task": ("openspec", CHANGE, FORM),
    "a parent and its leaf": ("kiro", "kiro:user-auth#1", "kiro:user-auth#1.1"),
}


@pytest.mark.parametrize("is_shared", [False, True], ids=["two clones", "one clone"])
@pytest.mark.parametrize("race", RACES)
def test_of_items_that_overlap_and_are_started_at_once_one_is_worked_on(
    tmp_path: Path, make_remote: Callable[..., Remote], race: str, is_shared: bool
) -> None:
    word, *keys = RACES[race]
    shared = SharedPlans(tmp_path, make_remote(), word=word)
    first = shared.clone()
    clones = [first, first if is_shared else shared.clone()]
    for round in range(TRIALS):
        together = Barrier(2)

        def started(clone: LeaseClone, key: str, together: Barrier = together) -> str | None:
            handle = clone.handle()
            together.wait()
            return refusal(handle, key)

        pairs = [*zip(clones, keys if round % 2 else reversed(keys), strict=True)]
        with ThreadPoolExecutor(2) as pool:
            words = list(pool.map(started, *zip(*pairs, strict=True)))
        assert words.count(None) == 1, words
        clone, key = pairs[words.index(None)]
        clone.handle().cancel(key)
        end(clone, key)


def test_a_silent_clone_loses_the_parts_that_another_one_takes_with_their_holder(
    tmp_path: Path, make_remote: Callable[..., Remote]
) -> None:
    shared = SharedPlans(tmp_path, make_remote(), QUICK_TTL)
    first, second = shared.clone(), shared.clone()
    first.handle().work_start(FORM)
    first.handle().cancel(FORM)
    id = end(first, FORM)["spec_id"]
    wait_for(lambda: shared.lease(id)["state"] == "free", "the end of the lease")
    shared.write_lease(id, token=5, orchestrator="o-other", state="held")

    def is_taken() -> bool:
        words = refusal(second.handle(), CHANGE)
        assert words is None or f"Spec '{FORM}' is worked on by o-other" in words, words
        return words is None

    assert not is_taken()
    wait_for(is_taken, "the end of the patience with a silent clone")
    lease = shared.lease(id)
    assert (lease["state"], lease["token"], lease["item"]["key"]) == ("free", 6, FORM)
    shared.sign.touch()
    assert end(second, CHANGE)["end_state"] == "completed"


def test_a_run_of_another_clone_is_paused_by_the_key_of_its_item(
    tmp_path: Path, make_remote: Callable[..., Remote]
) -> None:
    shared = SharedPlans(tmp_path, make_remote())
    first, second = shared.clone(), shared.clone()
    first.handle().work_start(FORM)
    second.handle().look_at_leases()
    said = second.handle().pause(FORM).text
    assert FORM in said
    assert "Asked that clone to pause it" in said
    assert end(first, FORM)["end_state"] == "paused"


def test_items_do_not_land_by_requests(tmp_path: Path, make_remote: Callable[..., Remote]) -> None:
    settings = LEASES.replace("}", ", landing: pr, propose: ['true']}")
    shared = SharedPlans(tmp_path, make_remote(), settings)
    clone = shared.clone()
    words = refusal(clone.handle(), FORM)
    assert words is not None
    assert "cannot land by requests" in words
    assert clone.records() == []


def test_clones_that_work_on_all_that_is_ready_share_the_tasks_of_a_list(
    tmp_path: Path, make_remote: Callable[..., Remote]
) -> None:
    count = 6
    shared = SharedPlans(tmp_path, make_remote())
    (shared.author.root / LIST).write_text(
        "## 1. Boats\n\n"
        + "".join(f"- [ ] 1.{number} Build boat {number}\n" for number in range(1, count + 1)),
        "utf-8",
    )
    shared.publish([])
    shared.sign.touch()
    clones = [shared.clone(), shared.clone()]
    words = ("work", "--all", "--parallel", "2", "--wait")
    started = [
        subprocess.Popen([*PROGRAM, *words], cwd=clone.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for clone in clones
    ]
    said = [process.communicate()[0].decode() for process in started]
    landed = shared.target(LIST)
    assert landed.count("- [x] ") == count, said
    keys = {f"{CHANGE}#1.{number}" for number in range(1, count + 1)}
    done = [
        record["item"]["key"]
        for clone in clones
        for record in clone.records()
        if record.get("item") and record["mode"] == "single" and record["end_state"] == "completed"
    ]
    assert sorted(done) == sorted(keys), said


def test_clones_of_a_project_without_a_folder_of_ours_share_its_items(
    tmp_path: Path, make_remote: Callable[..., Remote]
) -> None:
    shared = SharedPlans(tmp_path, make_remote())
    run_git(shared.author.root, "rm", "-rq", ".chant")
    shared.publish([])
    own = f"---\n{LEASES}defaults: {{provider: scripted, main_branch: main}}\n"
    user_config().write_text(user_config().read_text("utf-8").replace("---\n", own, 1), "utf-8")
    first, second = shared.clone(), shared.clone()
    first.handle().work_start(FORM)
    assert FORM in (refusal(second.handle(), CHANGE) or "")
    assert [row["spec_id"] for row in second.handle().leases().data["leases"]] == [FORM]
    shared.sign.touch()
    assert end(first, FORM)["end_state"] == "completed"
    second.handle().follow_remote()
    assert "- [x] 1.1 " in (second.root / LIST).read_text("utf-8")
    assert not (second.root / ".chant").exists()
