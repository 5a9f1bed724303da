"""Folders for runs that are made before they are asked for."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from harness import user_config
from work.kit import ID, OTHER, PROGRAM, THIRD, Record, Workshop, processes, wait_for, worktree_root
from writing import git, tree

WORK = r"""
cat "$POOL"/*/ferry.txt && touch "$TRACES/read"
for place in "$POOL" "$POOL"/*; do touch "$place/mine" && touch "$TRACES/wrote"; done
cp -r . "$TRACES/$CHANT_SPEC_ID"; git status --porcelain --ignored > "$TRACES/$CHANT_SPEC_ID.status"
touch left-behind "$TMPDIR/left-behind"; git config alias.st "!touch $TRACES/planted"
while ! test -e "$TRACES/go"; do sleep 0.05; done
sed -i 's/- \[ \]/- [x]/' "$CHANT_SPEC_FILE"
mkdir -p work && echo done > "work/$CHANT_SPEC_ID.txt"
git add "$CHANT_SPEC_FILE" work && git commit -qm "chant($CHANT_SPEC_ID): Work" && rm left-behind
"""
"""An agent that tries to get at the pool, copies what it was given, and leaves things."""


class Yard:
    """A project with room for one folder in advance, and an agent that waits for a sign."""

    def __init__(self, shop: Workshop, folder: Path, *, confine: str = "auto") -> None:
        """Take a project, a folder for traces, and what the user's configuration says."""
        self.shop = shop
        self.traces = folder
        script = folder / "agent.sh"
        names = f"TRACES='{folder}'; POOL=$(echo '{worktree_root()}'/*/.pool)\n"
        script.write_text(names + WORK, encoding="utf-8")
        shop.configure(f"agents:\n  hand:\n    command: [sh, '{script}']\n", provider="hand")
        config = user_config()
        text = config.read_text(encoding="utf-8").replace("---\n", "---\nruns: {pool: {files: 1}}\n", 1)
        config.write_text(text.replace("confine: {", f"confine: {{mode: {confine}, "), encoding="utf-8")
        for id in (ID, OTHER, THIRD):
            shop.spec(id)
        shop.commit()

    def start(self, id: str) -> Record:
        """Start a run."""
        (self.traces / "go").unlink(missing_ok=True)
        return self.shop.named(self.shop.handle().work_start(id).data["process_id"])

    def end(self, id: str) -> Record:
        """Let the agent work to its end, as soon as it has looked around."""
        wait_for(lambda: (self.traces / f"{id}.status").exists(), "the agent's look")
        (self.traces / "go").touch()
        record = self.shop.ended(id)
        assert record["reason"] is None, record["reason"]
        return record

    def pool(self) -> list[Path]:
        """Find the folders that were made in advance."""
        found = worktree_root().glob("*/.pool/*")
        return [path for path in found if re.fullmatch("[0-9a-f]{16}", path.name)]

    def filled(self) -> Path:
        """Wait until there is one, and who made it is gone."""
        wait_for(
            lambda: len(self.pool()) == 1, lambda: f"a folder in {list(worktree_root().rglob('.pool/*'))}"
        )
        wait_for(
            lambda: not [one for one in processes() if "prepare" in one.command], "the end of who made it"
        )
        return self.pool()[0]


def test_the_next_run_takes_a_folder_that_no_agent_touched(shop: Workshop, tmp_path: Path) -> None:
    yard = Yard(shop, tmp_path)
    shop.handle().recover()
    assert shop.handle().worktrees().data["made_in_advance"] == {"folders": 0, "bytes": 0}
    assert not list(worktree_root().rglob(".pool"))
    assert "made_in_advance" not in yard.start(ID)
    made = yard.filled()
    seen = made.stat().st_ino, tree(made)
    listed = shop.handle().worktrees().data["made_in_advance"]
    assert listed["folders"] == 1
    assert listed["bytes"] > 4096
    assert "Kept 1 made in advance" in shop.handle().prune_worktrees().text
    yard.end(ID)
    assert (made.stat().st_ino, tree(made)) == seen
    assert yard.start(OTHER)["made_in_advance"] is True
    (folder,) = shop.worktrees()
    assert folder.stat().st_ino == seen[0]
    assert yard.filled() != made
    yard.end(OTHER)
    # As a folder that is made when it is asked for: what the first run did is there, what it left is not.
    assert {path.name for path in tmp_path.iterdir()} & {"read", "wrote", "planted"} == set()
    assert (tmp_path / f"{OTHER}.status").read_text(encoding="utf-8") == ""
    given = {name: data for name, data in tree(tmp_path / OTHER).items() if not name.startswith(".git/")}
    begun = git(shop.root, "log", "--format=%H", "--grep", f"Work on {OTHER} begins", "main").strip()
    assert sorted(given) == git(shop.root, "ls-tree", "-r", "--name-only", begun).splitlines()
    for name, data in given.items():
        assert data.decode() == git(shop.root, "show", f"{begun}:{name}"), name
    assert yard.start(THIRD)["made_in_advance"] is True
    # Nothing is left to be worked on, so nothing is made.
    yard.end(THIRD)
    assert (yard.pool(), shop.worktrees()) == ([], [])


def test_no_folder_is_made_in_advance_where_nothing_holds_runs(shop: Workshop, tmp_path: Path) -> None:
    yard = Yard(shop, tmp_path, confine="off")
    yard.start(ID)
    yard.end(ID)
    subprocess.run([*PROGRAM, "--project", str(shop.root), "worktree", "prepare"], check=True)
    assert list(worktree_root().rglob(".pool")) == []
