"""Filters of git, programs that change what is committed, in the folders of runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from harness import user_config
from work.kit import ID, Workshop
from work.test_landing_style import check_sound, done, prepared, work
from writing import git

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")

STRIPPING = "#!/bin/sh\nexec grep -v '^secret'\n"
"""A filter as nbstripout is: what it takes out is in no commit."""

WRITES = """\
set -e
printf 'kept\\nsecret 1\\n' > notes.nb
git add -A; git commit -q -m "feat: notes"
sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"; git commit -q -a -m "docs: tick"
"""


@pytest.fixture(autouse=True)
def _nothing_is_open(shop: Workshop) -> None:
    """The user's configuration opens nothing but the script of the agent."""
    code = shop.root.parent / "agent.sh"
    text = f"---\ntrust: {{roots: ['{shop.root.parent}']}}\nconfine: {{read: ['{code}']}}\n---\n"
    user_config().write_text(text, encoding="utf-8")


def filtered(shop: Workshop, command: str, more: str = "") -> None:
    """Make a project with files that go through a filter."""
    (shop.root / ".gitattributes").write_text("*.nb filter=strip\n", encoding="utf-8")
    (shop.root / "first.nb").write_text("kept\n", encoding="utf-8")
    prepared(shop, "merge", WRITES, more)
    git(shop.root, "config", "filter.strip.clean", command)
    git(shop.root, "config", "filter.strip.smudge", "cat")
    git(shop.root, "config", "filter.strip.required", "true")


def program(path: Path) -> Path:
    """Write the filter's program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(STRIPPING, encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("absolute", [True, False])
def test_a_filter_in_the_environment_of_the_checkout_works_in_that_of_the_run(
    shop: Workshop, absolute: bool
) -> None:
    """As `nbstripout --install` writes it: the program by its whole path in the project's own environment."""
    strip = STRIPPING.replace("\n", "\\n").replace("'", "'\\''")
    recipe = f"""\
environment:
  recipes:
    tools:
      inputs: [.gitattributes]
      steps:
        - [sh, -c, "mkdir -p .venv/bin && printf '{strip.replace(chr(92), chr(92) * 2)}' > .venv/bin/strip"]
        - [chmod, +x, .venv/bin/strip]
      outputs: [.venv]
"""
    own = program(shop.root / ".venv" / "bin" / "strip")
    (shop.root / ".gitignore").write_text(".venv\n", encoding="utf-8")
    filtered(shop, f'"{own}"' if absolute else ".venv/bin/strip", recipe)
    record = done(shop)
    assert record["end_state"] == "completed", record
    assert git(shop.root, "show", "main:notes.nb") == "kept\n"
    check_sound(shop)


def test_a_filter_that_fails_in_the_folder_is_named_before_the_agent_starts(shop: Workshop) -> None:
    own = program(shop.root / "tools" / "strip")
    (shop.root / ".gitignore").write_text("tools\n", encoding="utf-8")
    filtered(shop, f'"{own}"')
    started = work(shop, "work", ID, "--wait")
    assert started.returncode != 0
    said = " ".join(started.stderr.split())
    assert "The agent could not commit `first.nb`: git's filter `strip`" in said
    assert "Install the filter's program by a recipe (`environment.recipes`)" in said
    assert shop.record(ID)["agent"] is None
    git(shop.root, "config", "filter.strip.clean", "cat")
    assert done(shop)["end_state"] == "completed"


def test_a_filter_that_cannot_write_files_is_named_with_the_way(shop: Workshop) -> None:
    filtered(shop, "cat")
    git(shop.root, "config", "filter.strip.smudge", f'"{program(shop.root.parent / "strip")}"')
    started = work(shop, "work", ID, "--wait")
    said = " ".join(started.stderr.split())
    assert "first.nb: smudge filter strip failed" in said
    assert "`confine.read` in your own configuration" in said


@pytest.mark.skipif(shutil.which("git-crypt") is None, reason="git-crypt is not installed")
def test_an_unlocked_checkout_of_git_crypt_is_worked_on_and_lands_encrypted(shop: Workshop) -> None:
    script = WRITES.replace("notes.nb", "more.key").replace("set -e\n", "set -e\ngrep -q plain first.key\n")
    prepared(shop, "merge", script)
    subprocess.run(["git-crypt", "init"], cwd=shop.root, check=True, capture_output=True)
    (shop.root / ".gitattributes").write_text("*.key filter=git-crypt diff=git-crypt\n", encoding="utf-8")
    (shop.root / "first.key").write_text("plain\n", encoding="utf-8")
    shop.commit()
    record = done(shop)
    assert record["end_state"] == "completed", record
    stored = subprocess.run(
        ["git", "cat-file", "blob", "main:more.key"], cwd=shop.root, check=True, capture_output=True
    ).stdout
    assert stored.startswith(b"\0GITCRYPT\0")
    assert (shop.root / "more.key").read_text("utf-8") == "kept\nsecret 1\n"
    check_sound(shop)
