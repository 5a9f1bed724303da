"""Habits of agents that leave things which no commit of the branch has: all of it is kept, and named."""

from __future__ import annotations

from pathlib import Path

import pytest
from work.kit import ID, Record, Workshop
from writing import git

SCRIPT = """\
set -e
{before}
echo round >> done.txt
sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"
git add -A 2>/dev/null
git commit -q -m "Work"
{after}
"""

SCAFFOLD = """
mkdir app; cd app; git init -q; echo precious > app.txt; git add -A; git commit -q -m Scaffold; cd ..
"""


def done(shop: Workshop, *, before: str = "", after: str = "", ignored: str = "results/\n*.log\n") -> Record:
    """Let an agent with a habit work on a spec to its end."""
    folder = shop.root.parent
    (folder / "agent.sh").write_text(SCRIPT.format(before=before, after=after), encoding="utf-8")
    shop.configure(f"agents:\n  habit:\n    command: [sh, {folder}/agent.sh]\n", provider="habit")
    (shop.root / ".gitignore").write_text(ignored, encoding="utf-8")
    (shop.root / "Cargo.toml").write_text("", encoding="utf-8")
    shop.spec(ID)
    shop.commit()
    shop.handle().work_start(ID)
    return shop.ended(ID)


def kept_files(reason: str) -> dict[str, str]:
    """Read the files in the folder that the reason of an end names."""
    place = Path(reason.split("are kept in ", 1)[1].split(": ", 1)[0])
    assert place.is_dir(), reason
    files = sorted(path for path in place.rglob("*") if path.is_file() and ".git" not in str(path))
    return {str(path.relative_to(place)): path.read_text("utf-8") for path in files}


def test_a_repository_inside_that_became_a_commit_alone_does_not_land(shop: Workshop) -> None:
    record = done(shop, before=SCAFFOLD)
    assert record["end_state"] == "needs_attention", record
    assert "app would be a commit of another repository" in record["reason"]
    assert shop.main("done.txt") is None
    assert (Path(record["worktree"]) / "app" / "app.txt").read_text("utf-8") == "precious\n"


def test_a_reset_keeps_repositories_inside(shop: Workshop) -> None:
    record = done(shop, before=SCAFFOLD + "exit 3\n")
    assert record["end_state"] == "failed"
    said = shop.handle().reset(ID).text
    assert "repositories inside its folder are kept in " in said
    assert kept_files(said.replace("\n", ": "))["app/app.txt"] == "precious\n"
    assert not Path(record["worktree"]).exists()


COMMIT = "git add -A; git commit -q -m Other"
ELSEWHERE = [
    (f"git switch -q -c side; echo s > s.txt; {COMMIT}; git switch -q -", "side", "s.txt"),
    ("echo later > later.txt; git add later.txt; git stash -q", "stash@{0}", "later.txt"),
    (
        "b=$(git branch --show-current); git checkout -q --orphan page; echo p > page.txt;"
        f" {COMMIT}; git switch -q -f $b",
        "page",
        "page.txt",
    ),
    (f"echo t > t.txt; {COMMIT}; git tag kept; git reset -q --hard HEAD~", "refs/tags/kept", "t.txt"),
]


@pytest.mark.parametrize(("habit", "was", "file"), ELSEWHERE)
def test_commits_that_are_not_on_the_branch_are_kept_under_a_ref(
    shop: Workshop, habit: str, was: str, file: str
) -> None:
    record = done(shop, after=habit)
    assert record["end_state"] == "completed", record
    name = f"refs/chant/strays/{ID}/1"
    assert f"`{was}` of its folder is kept as {name}" in record["reason"]
    assert git(shop.root, "show", f"{name}:{file}")
    assert not Path(record["worktree"]).exists()


def test_ignored_files_are_kept_and_caches_are_not(shop: Workshop) -> None:
    habit = """
mkdir -p results target node_modules/x __pycache__ .cache-of-tool
echo 1,2 > results/data.csv; echo said > "it said.log"
echo big > target/binary; echo x > node_modules/x/index.js; echo x > __pycache__/a.pyc
echo x > .cache-of-tool/x
printf 'Signature: 8a477f597d28d172789f06886806bc55\\n' > .cache-of-tool/CACHEDIR.TAG
echo '{}' > package.json
"""
    ignored = "results/\n*.log\ntarget/\nnode_modules/\n__pycache__/\n.cache-of-tool/\n"
    record = done(shop, before=habit, ignored=ignored)
    assert record["end_state"] == "completed", record
    assert "files that git ignores are kept in " in record["reason"]
    assert kept_files(record["reason"]) == {"it said.log": "said\n", "results/data.csv": "1,2\n"}
    assert not Path(record["worktree"]).exists()


def test_what_the_checkout_has_too_is_nothing_to_keep(shop: Workshop) -> None:
    (shop.root / "a.log").write_text("same\n", encoding="utf-8")
    record = done(shop, before="echo same > a.log")
    assert (record["end_state"], record["reason"]) == ("completed", None)


def test_the_stash_of_a_failed_run_is_kept_before_its_folder_is_handed_over(shop: Workshop) -> None:
    record = done(shop, before="echo later > later.txt; git add later.txt; git stash -q; exit 3")
    assert record["end_state"] == "failed"
    assert f"is kept as refs/chant/strays/{ID}/1" in record["reason"]
    assert git(shop.root, "show", f"refs/chant/strays/{ID}/1:later.txt") == "later\n"
