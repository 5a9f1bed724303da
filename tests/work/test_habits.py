"""Thirty habits of agents that leave bytes in odd places: none is lost, whatever a person does next."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from chant_mcp.errors import ChantError
from work.kit import ID, Workshop
from writing import git

PRECIOUS = "precious-bytes"

ADDED = "echo {it} > a.txt; git add -f a.txt; git commit -qm a"
INSIDE = "mkdir app; cd app; git init -q; echo {it} > a.txt; git add -A; git commit -qm a; cd .."
ASIDE = "git switch -qc side HEAD~1; echo {it} > done.txt; git add done.txt; git commit -qm a"
RESULTS = "mkdir results; echo {it} > results/data.csv"

HABITS = {
    "commits": ADDED,
    "commits on another branch": f"git switch -qc other; {ADDED}; git switch -q -",
    "commits on an orphan branch": f"git switch -q --orphan lone; {ADDED}; git switch -q -",
    "commits on a detached HEAD": f"git checkout -q --detach; {ADDED}; git checkout -q -",
    "ends on a detached HEAD": f"git checkout -q --detach; {ADDED}",
    "tags what no branch has": f"git checkout -q --detach; {ADDED}; git tag kept; git checkout -q -",
    "renames its branch": f"{ADDED}; git branch -m elsewhere",
    "moves main": (
        f"git switch -qc side; {ADDED}; git update-ref refs/heads/main HEAD; git switch -q -;"
        " git branch -qD side"
    ),
    "stashes": "echo {it} >> done.txt; git stash -q",
    "stashes untracked files": "echo {it} > a.txt; git stash -qu",
    "writes notes": "git notes add -m {it}",
    "leaves a file untracked": "echo {it} > a.txt",
    "leaves a file staged": "echo {it} > a.txt; git add a.txt",
    "leaves a file to be added": "echo {it} > a.txt; git add -N a.txt",
    "leaves a change": "echo {it} >> done.txt",
    "hides a change from git": "echo {it} >> done.txt; git update-index --assume-unchanged done.txt",
    "skips a file of the index": "echo {it} >> done.txt; git update-index --skip-worktree done.txt",
    "writes ignored results": RESULTS,
    "ignores its own folder": "mkdir out; echo '*' > out/.gitignore; echo {it} > out/data.csv",
    "ignores by its own list": "echo a.txt >> .git/info/exclude; echo {it} > a.txt",
    "ignores by its own setting": (
        "echo a.txt > .git/more; git config core.excludesFile .git/more; echo {it} > a.txt"
    ),
    "closes what it ignored": f"{RESULTS}; chmod 000 results/data.csv",
    "closes a folder": f"{RESULTS}; chmod 000 results",
    "makes a repository inside": INSIDE,
    "adds a repository inside": f"{INSIDE}; git add app 2>/dev/null; git commit -qm app",
    "makes a bare repository": (
        "git init -q --bare store.git; git -C store.git config core.compression 0; git switch -qc side;"
        f" {ADDED}; git push -q store.git side; git switch -q -; git branch -qD side"
    ),
    "has a worktree inside": "git worktree add -q -b tree results/tree; echo {it} > results/tree/a.txt",
    "stops in a merge": f"{ASIDE}; git switch -q -; git merge side >/dev/null 2>&1 || true",
    "stops in a rebase": f"{ASIDE}; git rebase -q - >/dev/null 2>&1 || true",
    "begins its repository again": f"rm -rf .git; git init -q; {ADDED}",
    "names a file oddly": "echo {it} > \"$(printf 'a\\nb\\tc ü')\"",
}

SCRIPT = """\
set -e
echo round >> done.txt
sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"
git add -A
git commit -q -m "Work"
{habit}
exit {code}
"""


def worked(shop: Workshop, habit: str, code: int) -> str:
    """Let an agent with a habit work on a spec to its end, and give what the end says."""
    folder = shop.root.parent
    script = SCRIPT.format(habit=habit.format(it=PRECIOUS), code=code)
    (folder / "agent.sh").write_text(script, encoding="utf-8")
    shop.configure(f"agents:\n  habit:\n    command: [sh, {folder}/agent.sh]\n", provider="habit")
    (shop.root / ".gitignore").write_text("results/\n", encoding="utf-8")
    (shop.root / "done.txt").write_text("begun\n", encoding="utf-8")
    shop.spec(ID)
    shop.commit()
    shop.handle().work_start(ID)
    return shop.ended(ID)["reason"] or ""


def is_in_a_ref(repository: Path) -> bool:
    """Whether a ref, or an entry of the stash, leads to the precious bytes."""
    listed = git(repository, "rev-list", "--all", "--reflog", "--objects").split("\n")
    names = "".join(f"{line.split(' ')[0]}\n" for line in listed if line)
    command = ["git", "cat-file", "--batch"]
    found = subprocess.run(command, cwd=repository, input=names.encode(), capture_output=True, check=True)
    return PRECIOUS.encode() in found.stdout


def is_in_a_file(folder: Path) -> bool:
    """Whether a file, or a repository, below a folder has the precious bytes."""
    for place, folders, files in os.walk(folder):
        for name in folders:
            (Path(place) / name).chmod(0o700)
        if {"HEAD", "objects"} <= {*folders, *files} and is_in_a_ref(Path(place)):
            return True
        for name in files:
            path = Path(place) / name
            if path.is_file() and not path.is_symlink():
                path.chmod(0o600)
                if PRECIOUS.encode() in path.read_bytes():
                    return True
    return False


@pytest.mark.parametrize("code", [0, 3], ids=["works", "fails"])
@pytest.mark.parametrize("habit", HABITS)
def test_no_byte_is_lost(shop: Workshop, habit: str, code: int) -> None:
    said = worked(shop, HABITS[habit], code)
    state = (
        Path.home() / ".local" / "state" if "XDG_STATE_HOME" in os.environ else Path.home() / ".local/state"
    )
    assert is_in_a_ref(shop.root) or is_in_a_file(state), said
    try:
        said += "\n" + shop.handle().reset(ID).text
    except ChantError as error:  # it is completed
        said += f"\n{error}"
    assert is_in_a_ref(shop.root) or is_in_a_file(state), said
