"""Submodules: runs and checks have what the checkout has, and what is committed in one comes back to it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from work.kit import ID, Record, Workshop
from writing import git

ADD = ("-c", "protocol.file.allow=always", "submodule", "-q", "add")


def library(shop: Workshop, name: str, text: str) -> Path:
    """Make a repository that others have as a submodule."""
    place = shop.root.parent / name
    place.mkdir()
    git(place, "init", "-q", "-b", "main")
    (place / "lib.txt").write_text(text, encoding="utf-8")
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", f"First of {name}")
    return place


def with_submodules(shop: Workshop) -> None:
    """Give a project a submodule that has one itself, and take both origins away."""
    inner = library(shop, "inner", "inner\n")
    outer = library(shop, "outer", "outer\n")
    git(outer, *ADD, str(inner), "deep")
    git(outer, "commit", "-q", "-m", "Has a submodule")
    shop.spec(ID, criteria=["Works <!-- check: libs -->"])
    shop.commit()
    git(shop.root, *ADD, str(outer), "libs/outer")
    update = ("-c", "protocol.file.allow=always", "submodule", "-q", "update", "--init", "--recursive")
    git(shop.root, *update)
    shop.commit("Has a submodule")
    inner.rename(inner.with_name("inner-gone"))
    outer.rename(outer.with_name("outer-gone"))


def done(shop: Workshop, script: str, checks: str = "checks:\n  libs: ['true']\n") -> Record:
    """Let an agent work by a script, and then commit and tick."""
    prepare(shop, script, checks)
    shop.handle().work_start(ID)
    return shop.ended(ID)


def prepare(shop: Workshop, script: str, checks: str = "checks:\n  libs: ['true']\n") -> None:
    """Configure an agent that works by a script, and then commits and ticks."""
    place = shop.root.parent / "agent.sh"
    tick = 'sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"'
    end = f"{tick}; echo x >> done.txt\ngit add -A; git commit -q -m Work\n"
    place.write_text(f"set -e\n{script}\n{end}", encoding="utf-8")
    shop.configure(f"agents:\n  habit:\n    command: [sh, {place}]\n{checks}", provider="habit")
    git(shop.root, "commit", "-q", "-am", "Configuration")


def test_submodules_are_there_for_agents_and_checks_without_their_origins(shop: Workshop) -> None:
    with_submodules(shop)
    read = "grep -q outer libs/outer/lib.txt && grep -q inner libs/outer/deep/lib.txt"
    checks = f"checks:\n  libs: [sh, -c, '{read}']\n"
    record = done(shop, f'{read}; test -z "$(git status --porcelain)"', checks)
    assert record["end_state"] == "completed", record
    assert [check["exit"] for check in record["checks"]] == [0]
    assert not Path(record["worktree"]).exists()
    assert record["reason"] is None
    assert git(shop.root, "status", "--porcelain") == ""


def test_commits_in_a_submodule_come_back_as_a_branch_of_it(shop: Workshop) -> None:
    with_submodules(shop)
    work = (
        "cd libs/outer/deep; echo more >> lib.txt; git commit -q -am Deep; cd ..;"
        " echo more >> lib.txt; git add -A; git commit -q -m Outer; cd ../.."
    )
    record = done(shop, work)
    assert record["end_state"] == "completed", record
    assert not Path(record["worktree"]).exists()
    outer = shop.root / "libs" / "outer"
    assert git(outer, "log", "-1", "--format=%s", f"chant/{ID}").strip() == "Outer"
    assert git(outer / "deep", "log", "-1", "--format=%s", f"chant/{ID}").strip() == "Deep"
    landed = git(shop.root, "rev-parse", "HEAD:libs/outer").strip()
    assert landed == git(outer, "rev-parse", f"chant/{ID}").strip()
    git(shop.root, "submodule", "-q", "update", "--recursive")
    assert (outer / "deep" / "lib.txt").read_text("utf-8") == "inner\nmore\n"
    git(shop.root, "fsck", "--strict")


def test_what_an_agent_leaves_in_a_submodule_is_kept_and_named(shop: Workshop) -> None:
    with_submodules(shop)
    work = (
        "cd libs/outer; echo lost > lost.txt; git add -A; git commit -q -m Lost; git reset -q --hard HEAD~; "
    )
    record = done(shop, f"{work}git branch side ORIG_HEAD; cd ../..")
    assert record["end_state"] == "completed", record
    assert "libs/outer" in record["reason"]
    place = Path(record["reason"].split("are kept in ", 1)[1].split(": ", 1)[0])
    assert git(place / "libs" / "outer", "log", "-1", "--format=%s", "side").strip() == "Lost"


def test_the_folder_of_a_failed_run_has_its_submodules(shop: Workshop) -> None:
    with_submodules(shop)
    work = "cd libs/outer; echo more >> lib.txt; git commit -q -am Outer; cd ../.."
    record = done(shop, f"{work}; git commit -q -am Half; exit 3")
    assert record["end_state"] == "failed", record
    folder = Path(record["worktree"])
    assert git(folder, "status", "--porcelain", "--ignore-submodules=none") == ""
    assert git(folder / "libs" / "outer", "log", "-1", "--format=%s").strip() == "Outer"
    assert git(folder / "libs" / "outer" / "deep", "log", "-1", "--format=%s").strip() == "First of inner"


COMMITS_IN_BOTH = (
    "cd libs/outer/deep; echo more >> lib.txt; git commit -q -am Deep; cd ..;"
    " echo more >> lib.txt; git add -A; git commit -q -m Outer; cd ../.."
)
# Settings of git that name a program, and hooks that git runs at what a run does to a repository.
PROGRAMS = [
    "core.fsmonitor",
    "filter.x.smudge",
    "filter.x.clean",
    "core.pager",
    "uploadpack.packObjectsHook",
    "diff.external",
    "core.sshCommand",
    "credential.helper",
    "gpg.program",
    "core.alternateRefsCommand",
]
HOOKS = [
    "reference-transaction",
    "post-checkout",
    "post-index-change",
    "post-merge",
    "pre-auto-gc",
    "post-update",
    "pre-push",
    "update",
]


def test_no_program_of_a_submodules_settings_is_run(shop: Workshop) -> None:
    with_submodules(shop)
    prepare(shop, COMMITS_IN_BOTH)
    outer = shop.root / ".git" / "modules" / "libs" / "outer"
    marks = shop.root.parent / "marks"
    for module in (outer, outer / "modules" / "deep"):
        programs = module / "programs"
        programs.mkdir()
        for name in [*HOOKS, *PROGRAMS]:
            program = programs / name
            program.write_text(f"#!/bin/sh\necho {name} >> {marks}\ncat\n", encoding="utf-8")
            program.chmod(0o755)
        settings = {name: programs / name for name in PROGRAMS} | {"core.hooksPath": programs}
        for name, value in settings.items():
            git(shop.root, "config", "--file", str(module / "config"), name, str(value))
        (module / "info").mkdir(exist_ok=True)
        (module / "info" / "attributes").write_text("* filter=x\n", encoding="utf-8")
    git(outer, "update-ref", "refs/heads/tried", "HEAD")
    assert marks.read_text("utf-8").split() == ["reference-transaction"] * 2
    marks.unlink()

    shop.handle().work_start(ID)
    record = shop.ended(ID)
    assert record["end_state"] == "completed", record
    assert not marks.exists(), marks.read_text("utf-8")


def test_work_that_changes_what_acts_in_a_submodule_waits(shop: Workshop) -> None:
    with_submodules(shop)
    hooks = "mkdir .claude; echo '{}' > .claude/settings.json; git add -A; git commit -q -m Hooks"
    tasks = "mkdir .vscode; echo '{}' > .vscode/tasks.json; git add -A; git commit -q -m Tasks"
    record = done(shop, f"cd libs/outer/deep; {hooks}; cd ..; {tasks}; cd ../..")
    assert record["end_state"] == "needs_attention", record
    for file in ("libs/outer/deep/.claude/settings.json", "libs/outer/.vscode/tasks.json"):
        assert file in record["reason"]
    assert "Hooks" not in git(shop.root, "log", "--all", "--format=%s", "main")


def test_what_acts_in_a_submodule_is_shown_before_it_is_trusted(shop: Workshop) -> None:
    outer = library(shop, "outer", "outer\n")
    (outer / ".claude").mkdir()
    (outer / ".claude" / "settings.json").write_text("{}", encoding="utf-8")
    git(outer, "add", "-A")
    git(outer, "commit", "-q", "-m", "Settings of an agent")
    shop.spec(ID, criteria=["Works"])
    shop.commit()
    git(shop.root, *ADD, str(outer), "libs/outer")
    shop.commit("Has a submodule")
    show = [sys.executable, "-P", "-m", "chant_mcp", "trust", "--show"]
    shown = subprocess.run(show, cwd=shop.root, capture_output=True, text=True, check=True).stdout
    assert "agent file in main:libs/outer/.claude/settings.json" in shown
