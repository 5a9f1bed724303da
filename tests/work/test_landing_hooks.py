"""The person's hooks look at what lands, confined as checks are where no person asked for the landing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from harness import user_config
from work.kit import ID, Workshop, wait_for
from work.test_landing_style import REWRITING, SCRIPT, STYLES, check_sound, done, log, prepared, work
from writing import git


def hook(shop: Workshop, name: str, text: str) -> None:
    """Put a hook into the checkout."""
    path = shop.root / ".git" / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


CONVENTIONAL = """\
head -n 1 "$1" | grep -qE "^[a-z]+: " && exit 0
echo "found 1 problem"; echo "type may not be empty"; exit 1"""


@pytest.mark.parametrize("style", STYLES)
def test_a_hook_that_refuses_a_message_is_heard_and_the_landing_waits(shop: Workshop, style: str) -> None:
    before = prepared(shop, style)
    hook(shop, "commit-msg", CONVENTIONAL)
    record = done(shop)
    assert record["end_state"] == "needs_attention", record
    said = "your hook `commit-msg` refused what was to land: found 1 problem\ntype may not be empty"
    assert said in record["reason"]
    assert f"`chant-mcp merge {ID}` lands it" in record["reason"]
    assert git(shop.root, "rev-parse", "main").strip() == before
    assert shop.branches() == [f"chant/{ID}"]
    text = (shop.root / ".chant" / "config.md").read_text("utf-8")
    text = text.replace("landing:\n", "landing:\n  message: 'chore: {title}'\n")
    (shop.root / ".chant" / "config.md").write_text(text, encoding="utf-8")
    git(shop.root, "commit", "-q", "-m", "chore: a message", "--", ".chant/config.md")
    merged = work(shop, "merge", ID)
    assert merged.returncode == 0, merged.stderr
    assert log(shop, "%s")[-1] == f"chore: Spec {ID}"
    check_sound(shop)


def test_rewritten_messages_are_looked_at_one_by_one(shop: Workshop) -> None:
    before = prepared(
        shop, "rebase", SCRIPT.replace("feat: second", "Second"), "  message: 'chore: {title}'\n"
    )
    hook(shop, "commit-msg", f'echo "$(head -n 1 "$1")" >> {shop.root.parent}/seen\n{CONVENTIONAL}')
    record = done(shop)
    assert record["end_state"] == "needs_attention", record
    assert "type may not be empty" in record["reason"]
    assert (shop.root.parent / "seen").read_text("utf-8").splitlines() == ["feat: first", "Second"]
    assert git(shop.root, "rev-parse", "main").strip() == before
    hook(shop, "commit-msg", 'echo "Reviewed-by: me" >> "$1"')
    merged = work(shop, "merge", ID)
    assert merged.returncode == 0, merged.stderr
    bodies = git(shop.root, "log", "--format=%B", f"{before}..main")
    assert bodies.count("Reviewed-by: me") == 3
    check_sound(shop)


@pytest.mark.parametrize(
    ("style", "name", "looks"),
    [
        ("merge", "pre-merge-commit", True),
        ("merge", "pre-commit", False),
        ("squash", "pre-commit", True),
        ("rebase", "pre-commit", True),
        ("squash", "pre-merge-commit", False),
    ],
)
def test_hooks_look_at_the_files_that_land(shop: Workshop, style: str, name: str, looks: bool) -> None:
    before = prepared(shop, style)
    hook(shop, name, "test ! -e b.txt || { echo 'b.txt is not formatted'; exit 1; }")
    done_by = work(shop, "work", ID, "--wait")
    said = done_by.stderr
    looking = f"At the landing your hook {name} looks at what lands, confined as checks are;"
    note = f"{looking} the agent's own commits run no hook."
    not_seen = f"At the landing none of your hooks looks at what lands ({name} does not: git runs it at no "
    assert (note in said, not_seen in said) == (looks, not looks)
    record = shop.record(ID)
    if not looks:
        assert record["end_state"] == "completed", record
        check_sound(shop)
        return
    assert done_by.returncode != 0
    assert record["end_state"] == "needs_attention", record
    assert f"your hook `{name}` refused what was to land: b.txt is not formatted" in record["reason"]
    assert git(shop.root, "rev-parse", "main").strip() == before


def test_hooks_of_a_merge_find_what_they_find_in_git(shop: Workshop) -> None:
    """As pre-commit, which looks at staged files unless a merge with conflicts is under way."""
    prepared(shop, "merge")
    hook(
        shop,
        "pre-merge-commit",
        "test ! -e .git/MERGE_HEAD && git diff --cached --name-only > seen; git add seen",
    )
    hook(shop, "commit-msg", 'test -e .git/MERGE_HEAD && grep -q "^Merge" "$1"')
    record = done(shop)
    assert record["end_state"] == "completed", record
    assert (shop.main("seen") or "").split() == [f".chant/specs/{ID}.md", "a.txt", "b.txt"]
    check_sound(shop)


@pytest.mark.parametrize("style", REWRITING)
def test_what_a_hook_changes_lands(shop: Workshop, style: str) -> None:
    prepared(shop, style)
    hook(shop, "pre-commit", "echo formatted > b.txt; git add b.txt")
    record = done(shop)
    assert record["end_state"] == "completed", record
    assert shop.main("b.txt") == "formatted\n"
    check_sound(shop)


@pytest.fixture
def user(shop: Workshop) -> Any:
    """The user's configuration, which opens nothing to runs, and more."""

    def write(more: str = "") -> None:
        roots = [str(shop.root.parent)]
        code = str(shop.root.parent / "agent.sh")
        text = f"---\ntrust: {{roots: {roots}}}\nconfine: {{read: [{code}]}}\n{more}---\n"
        user_config().write_text(text, encoding="utf-8")

    write()
    return write


def planting(outside: Path) -> str:
    """A script of an agent whose test does something outside of its folder."""
    test = f"touch {outside} 2>/dev/null; echo ran > test-output.txt"
    return SCRIPT.replace("echo a > a.txt;", f"echo '{test}' > test.sh; echo a > a.txt;")


NAMES = {"merge": "pre-merge-commit", "squash": "pre-commit", "rebase": "pre-commit"}


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("confined", [True, False])
def test_a_hook_that_runs_the_tests_does_not_free_the_agent(
    shop: Workshop, user: Any, style: str, confined: bool
) -> None:
    user("" if confined else "landing: {hooks: user}\n")
    outside = shop.root.parent / "outside.txt"
    prepared(shop, style, planting(outside))
    hook(shop, NAMES[style], "sh test.sh; test -e b.txt && git add test-output.txt")
    record = done(shop)
    assert record["end_state"] == "completed", record
    assert outside.exists() is not confined
    assert shop.main("test-output.txt") == "ran\n"
    check_sound(shop)


def test_a_comment_that_comes_while_hooks_look_stops_the_landing(shop: Workshop, user: Any) -> None:
    user("landing: {hooks: user}\n")
    before = prepared(shop, "merge")
    here, go = shop.root.parent / "here", shop.root.parent / "go"
    hook(shop, "pre-merge-commit", f"touch {here}; while [ ! -e {go} ]; do sleep 0.05; done")
    shop.handle().work_start(ID)
    wait_for(here.exists, "the hook")
    shop.handle().comment(ID, "Not like this.")
    go.touch()
    record = shop.ended(ID)
    assert record["end_state"] == "awaiting_merge", record
    assert "awaiting review: 1 comment" in record["reason"]
    assert git(shop.root, "rev-parse", "main").strip() == before


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")
def test_what_a_hook_ran_leads_nobody_out_of_its_folder(shop: Workshop, user: Any) -> None:
    """The agent's test puts the person's git folder where the next message is written."""
    user()
    move = f"mv .git aside; ln -s {shop.root}/.git .git"
    script = SCRIPT.replace("echo a > a.txt;", f"echo '{move}' > test.sh; echo a > a.txt;")
    before = prepared(shop, "rebase", script)
    hook(shop, "commit-msg", "sh test.sh")
    message = shop.root / ".git" / "COMMIT_EDITMSG"
    message.write_text("of the person\n", encoding="utf-8")
    record = done(shop)
    assert record["end_state"] == "needs_attention", record
    assert message.read_text("utf-8") == "of the person\n"
    assert "its `.git` is no folder any more" in record["reason"]
    assert git(shop.root, "rev-parse", "main").strip() == before


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")
def test_a_hook_that_needs_more_waits_for_the_person_who_merges(shop: Workshop, user: Any) -> None:
    user()
    state = shop.root.parent / "hook-state"
    before = prepared(shop, "merge")
    hook(shop, "pre-merge-commit", f"echo x > {state} || exit 3")
    record = done(shop)
    assert record["end_state"] == "needs_attention", record
    assert "your hook `pre-merge-commit` refused what was to land:" in record["reason"]
    assert f"the run may not write {state}" in record["reason"]
    assert "your hooks have your own rights then, and were confined as checks are before" in record["reason"]
    assert (state.exists(), git(shop.root, "rev-parse", "main").strip()) == (False, before)
    merged = work(shop, "merge", ID)
    assert merged.returncode == 0, merged.stderr
    assert state.exists()
    check_sound(shop)


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")
def test_a_folder_cannot_free_hooks(shop: Workshop, user: Any) -> None:
    user()
    outside = shop.root.parent / "outside.txt"
    prepared(shop, "merge", planting(outside), "  hooks: user\n")
    hook(shop, "pre-merge-commit", "sh test.sh")
    assert done(shop)["end_state"] == "completed"
    assert not outside.exists()


HUSKY = """#!/usr/bin/env sh
hook="$(dirname "$(dirname "$0")")/$(basename "$0")"
[ -f "$hook" ] || exit 0
sh -e "$hook" "$@"
"""


@pytest.mark.parametrize("style", STYLES)
def test_a_manager_with_a_relative_folder_finds_its_hooks(shop: Workshop, user: Any, style: str) -> None:
    """As husky does: `core.hooksPath` is an ignored folder of the checkout, which calls those beside it."""
    user()
    own = shop.root / ".husky" / "_"
    own.mkdir(parents=True)
    for name in ("pre-commit", "pre-merge-commit", "commit-msg"):
        (own / name).write_text(HUSKY, encoding="utf-8")
        (own / name).chmod(0o755)
    (own / ".gitignore").write_text("*\n", encoding="utf-8")
    (shop.root / ".husky" / "commit-msg").write_text('echo "Checked: yes" >> "$1"\n', encoding="utf-8")
    (shop.root / ".husky" / NAMES[style]).write_text(
        "pwd -P > where.txt; git add where.txt\n", encoding="utf-8"
    )
    prepared(shop, style)
    git(shop.root, "config", "core.hooksPath", ".husky/_")
    record = done(shop)
    assert record["end_state"] == "completed", record
    assert "Checked: yes" in git(shop.root, "log", "-1", "--format=%B", "main")
    assert (shop.main("where.txt") or "").strip() not in ("", str(shop.root))
    check_sound(shop)


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")
@pytest.mark.parametrize("needs", ["installed", "named"])
def test_a_hook_sees_what_recipes_install(shop: Workshop, user: Any, needs: str) -> None:
    """As pre-commit, whose hook names the program in the environment of the checkout by its whole path."""
    user()
    recipe = """\
environment:
  recipes:
    tools:
      inputs: [tools.txt]
      steps:
        - [sh, -c, "mkdir -p vendor && echo '#!/bin/sh' > vendor/lint && chmod +x vendor/lint"]
      outputs: [vendor]
"""
    (shop.root / "tools.txt").write_text("lint\n", encoding="utf-8")
    prepared(shop, "merge", more=recipe)
    hook(
        shop,
        "pre-merge-commit",
        "exec vendor/lint" if needs == "installed" else f"exec {shop.root}/vendor/lint",
    )
    record = done(shop)
    assert record["end_state"] == "completed", record
    check_sound(shop)
