"""The folder that a run works in: a repository of its own, of which only commits come back."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.errors import ChantError
from work.kit import ID, Record, Workshop, kill, processes, wait_for
from writing import git, tree

WORK = r"""
mkdir -p work && echo "by $CHANT_SPEC_ID" >> work/agent.txt
sed -i 's/- \[ \]/- [x]/' "$CHANT_SPEC_FILE"
git add -A && git commit -qm "chant($CHANT_SPEC_ID): Work"
"""
"""What an honest agent does, in the words of a shell."""


class Hand:
    """A project whose agent is a script of the shell."""

    def __init__(self, shop: Workshop, folder: Path) -> None:
        """Take a project, and a folder for the script."""
        self.shop = shop
        self.script = folder / "agent.sh"
        self.does(WORK)
        shop.configure(f"agents:\n  hand:\n    command: [sh, '{self.script}']\n", provider="hand")

    def does(self, words: str) -> None:
        """Say what the agent does from now on."""
        self.script.write_text(words, encoding="utf-8")

    def run(self, **wish: Any) -> Record:
        """Have a run begin, and give its record when it has ended."""
        started = self.shop.handle().work_start(ID, **wish).data
        return self.shop.ended(started["process_id"])

    def folder(self) -> Path:
        """Give the one folder of a run."""
        (folder,) = self.shop.worktrees()
        return folder


@pytest.fixture
def hand(shop: Workshop, tmp_path: Path) -> Hand:
    """A project with one spec, committed."""
    shop.spec(ID)
    hand = Hand(shop, tmp_path)
    shop.commit()
    return hand


def kept(root: Path) -> dict[str, bytes]:
    """Look at what of a repository says what git does: all but objects, logs, refs and our own state."""
    ours = ("chant-mcp/", "chant-mcp-flush.config")
    changing = (*ours, "objects/", "logs/", "refs/", "packed-refs", "index", "ORIG_HEAD", "FETCH_HEAD")
    return {name: data for name, data in tree(root / ".git").items() if not name.startswith(changing)}


MISCHIEF = r"""
git config core.fsmonitor "touch $MARK"
git config core.hooksPath .evil ; git config alias.status "!touch $MARK"
mkdir -p .git/hooks .evil ; printf '#!/bin/sh\ntouch $MARK\n' | tee .git/hooks/post-commit > .evil/pre-commit
chmod +x .git/hooks/* .evil/*
git branch -f main HEAD ; git tag -f v1 HEAD ; git branch evil ; git update-ref refs/chant/base/x HEAD
echo junk > junk && git add junk && git stash -q ; git gc -q --prune=now ; git pack-refs --all
echo "gitdir: $PROJECT/.git" > .git/worktrees-x
"""


def test_what_an_agent_does_to_its_repository_stays_there(hand: Hand, tmp_path: Path) -> None:
    root = hand.shop.root
    git(root, "tag", "v1")
    mark = tmp_path / "mark"
    names = f"MARK='{mark}' PROJECT='{root}'\n"
    hand.does(
        names
        + MISCHIEF
        + "git config core.hooksPath /dev/null; git config --unset core.fsmonitor\n"
        + WORK
        + f"rm -f '{mark}'\n"
    )
    before, tag = kept(root), git(root, "rev-parse", "v1")
    record = hand.run()
    stash = f"refs/chant/strays/{ID}/1"
    kept_stash = f"`stash@{{0}}` of its folder is kept as {stash}"
    assert (record["end_state"], record["reason"]) == ("completed", kept_stash)
    assert kept(root) == before
    assert git(root, "rev-parse", "v1") == tag
    assert git(root, "stash", "list") == ""
    receipt = f"refs/chant/receipts/{ID}/1"
    refs = git(root, "for-each-ref", "--format=%(refname)").split()
    assert refs == [receipt, stash, "refs/heads/main", "refs/tags/v1"]
    assert hand.shop.main("work/agent.txt") == f"by {ID}\n"
    assert not mark.exists()
    assert hand.shop.worktrees() == []


def test_the_branch_in_the_project_follows_a_live_run(hand: Hand) -> None:
    hand.does("git commit -q --allow-empty -m First; while ! test -e go; do sleep 0.05; done\n" + WORK)
    hand.shop.handle().work_start(ID)

    def newest() -> str:
        return git(hand.shop.root, "log", "-1", "--format=%s", f"chant/{ID}").strip()

    wait_for(lambda: newest() == "First", newest)
    assert hand.shop.record(ID)["status"] == "running"
    (hand.folder() / "go").touch()
    assert hand.shop.ended(ID)["end_state"] == "completed"


PLANTED = r"""
git commit -q --allow-empty -m "Before"
git config core.fsmonitor "touch $MARK"; git config filter.evil.clean "touch $MARK; cat"
git config alias.st "!touch $MARK"; git config core.hooksPath "$PWD/.hooks"
mkdir -p .hooks sub/deep; printf '#!/bin/sh\ntouch $MARK\n' > .hooks/post-index-change; chmod +x .hooks/*
git init -q sub/deep; git -C sub/deep config core.fsmonitor "touch $MARK"
echo "changed" > ferry.txt; echo "new" > new.txt; touch .git/index.lock
"""


@pytest.mark.parametrize("end", ["fail", "takeover"])
def test_a_folder_is_a_persons_when_it_is_given_to_one(hand: Hand, tmp_path: Path, end: str) -> None:
    mark = tmp_path / "mark"
    waits = "touch planted; while :; do sleep 0.05; done" if end == "takeover" else "exit 3"
    hand.does(f"MARK='{mark}'\n{PLANTED}\nrm -f '{mark}'\n{waits}\n")
    if end == "takeover":
        hand.shop.handle().work_start(ID)
        wait_for((hand.folder() / "planted").exists, "what the agent plants")
        answer = hand.shop.handle().takeover(ID).data
        assert Path(answer["worktree_path"]) == hand.folder()
        (hand.folder() / "planted").unlink()
    else:
        assert hand.run()["end_state"] == "failed"
    folder = hand.folder()
    mark.unlink(missing_ok=True)
    status = git(folder, "status", "--porcelain").splitlines()
    assert sorted(line[3:] for line in status) == [".hooks/", "ferry.txt", "new.txt", "sub/"]
    git(folder / "sub" / "deep", "status")
    git(folder, "st", check=False)
    assert not mark.exists()
    assert (folder / "ferry.txt").read_text("utf-8") == "changed\n"
    assert git(folder, "log", "-1", "--format=%s").strip() == "Before"
    assert git(hand.shop.root, "log", "-1", "--format=%s", f"chant/{ID}").strip() == "Before"

    hand.does(WORK)
    assert hand.run()["end_state"] == "completed"


@pytest.mark.parametrize(
    ("move", "where"),
    [
        ("git switch -qc other", "on `other`"),
        ("git checkout -q --detach", "on no branch ("),
        (f"git branch -qm chant/{ID} renamed", "on `renamed`"),
    ],
)
def test_the_end_of_a_run_names_where_the_work_is(hand: Hand, move: str, where: str) -> None:
    hand.does(f"{move}\n{WORK}")
    record = hand.run()
    assert record["end_state"] == "failed"
    assert where in record["reason"]


@pytest.mark.parametrize(
    "move", ["rm -rf .git", 'rm -rf "$PWD" 2>/dev/null; true', "rm -rf .git; ln -s / .git"]
)
def test_a_run_that_removes_its_repository_ends_truly(hand: Hand, move: str) -> None:
    before = kept(hand.shop.root)
    hand.does(f"{move}\n")
    record = hand.run()
    assert record["end_state"] in ("failed", "needs_attention")
    assert "no commit" in record["reason"]
    assert kept(hand.shop.root) == before
    hand.does(WORK)
    assert hand.run()["end_state"] == "completed"


@pytest.mark.parametrize("how", [["--depth=1"], ["--filter=blob:none"]], ids=["shallow", "partial"])
def test_work_in_a_clone_that_lacks_objects_lands(shop: Workshop, tmp_path: Path, how: list[str]) -> None:
    shop.spec(ID)
    Hand(shop, tmp_path)
    for text in ("one\n", "two\n", "three\n"):
        (shop.root / "long.txt").write_text(text, encoding="utf-8")
        shop.commit()
    git(shop.root, "config", "uploadpack.allowFilter", "true")
    origin = tmp_path / "origin"
    shop.root.rename(origin)
    git(tmp_path, "clone", "-q", *how, f"file://{origin}", str(shop.root))
    hand = Hand(shop, tmp_path)
    shop.commit()
    record = hand.run()
    assert (record["end_state"], record["reason"]) == ("completed", None)
    assert shop.main("work/agent.txt") == f"by {ID}\n"


@pytest.mark.parametrize("is_whole", [True, False])
def test_files_of_git_lfs_come_back_when_they_are_what_is_named(hand: Hand, is_whole: bool) -> None:
    content = b"x" * 5000
    name = hashlib.sha256(content).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{name}\nsize {len(content)}\n"
    place = f"lfs/objects/{name[:2]}/{name[2:4]}"
    wrong = "" if is_whole else f"; printf y | dd of=.git/{place}/{name} conv=notrunc 2>/dev/null"
    hand.does(
        f"printf '{pointer}' > big.bin; mkdir -p .git/{place}\n"
        f"head -c {len(content)} /dev/zero | tr '\\0' x > .git/{place}/{name}{wrong}\n{WORK}"
    )
    assert hand.run()["end_state"] == "completed"
    kept = hand.shop.root / ".git" / place / name
    assert (kept.read_bytes() if kept.exists() else None) == (content if is_whole else None)


def test_a_retry_goes_on_where_a_person_moved_the_branch(hand: Hand, tmp_path: Path) -> None:
    hand.does("git commit -q --allow-empty -m Half; exit 3\n")
    hand.run()
    mine = tmp_path / "mine"
    git(hand.shop.root, "worktree", "add", "-q", str(mine), f"chant/{ID}")
    (mine / "mine.txt").write_text("mine\n", encoding="utf-8")
    git(mine, "add", "mine.txt")
    git(mine, "commit", "-qm", "Mine")
    with pytest.raises(ChantError, match="is checked out in"):
        hand.shop.handle().work_start(ID)
    git(hand.shop.root, "worktree", "remove", str(mine))
    hand.does("test -e mine.txt || exit 4\n" + WORK)
    assert hand.run()["end_state"] == "completed"
    assert hand.shop.main("mine.txt") == "mine\n"


@pytest.mark.parametrize("place", ["trees", "."])
def test_folders_of_runs_do_not_lie_in_the_checkout(hand: Hand, place: str) -> None:
    config = hand.shop.root / ".chant" / "config.md"
    text = config.read_text("utf-8")
    config.write_text(text.replace("defaults:\n", f"defaults:\n  worktree_root: {place}\n"), encoding="utf-8")
    hand.shop.commit()
    with pytest.raises(ChantError, match="lies in the checkout"):
        hand.shop.handle().work_start(ID)
    assert hand.shop.worktrees() == []
    assert hand.shop.project.status(ID) == "pending"


def test_checks_see_nothing_but_the_judged_commit(shop: Workshop, tmp_path: Path) -> None:
    hand = Hand(shop, tmp_path)
    mark = tmp_path / "seen.txt"
    checks = f"checks:\n  fine: [sh, -c, 'ls -A > {mark}; test -e hidden']\n"
    shop.configure(f"agents:\n  hand:\n    command: [sh, '{hand.script}']\n{checks}", provider="hand")
    shop.spec(ID, body=f"# Spec {ID}\n\n## Acceptance Criteria\n\n- [ ] Works <!-- check: fine -->\n")
    shop.commit()
    hand.does("echo hidden >> .git/info/exclude; touch hidden; mkdir -p .git/info\n" + WORK)
    record = hand.run()
    assert record["end_state"] == "failed"
    seen = mark.read_text("utf-8").split()
    assert "hidden" not in seen
    assert {"work", "ferry.txt", ".git"} <= set(seen)
    assert not list(hand.folder().parent.glob("*.checks*"))


def test_a_folder_whose_making_was_cut_off_is_made_from_the_beginning(hand: Hand) -> None:
    root = hand.shop.root
    for number in range(5):
        (root / f"file-{number}.txt").write_text("kept\n", encoding="utf-8")
    (root / ".gitattributes").write_text("file-2.txt filter=held\n", encoding="utf-8")
    hand.shop.commit()
    reached = root / ".git" / "reached"
    git(root, "config", "filter.held.smudge", f"cat; touch {reached}; sleep 60")
    started = ThreadPoolExecutor(1).submit(hand.shop.handle().work_start, ID)
    wait_for(reached.exists, "a check-out that is half done")
    kill(*(process.pid for process in processes()))
    assert isinstance(started.exception(), ChantError)
    git(root, "config", "--unset", "filter.held.smudge")
    assert hand.run()["end_state"] == "completed"
    files = git(root, "ls-tree", "--name-only", "main").split()
    assert {f"file-{number}.txt" for number in range(5)} <= set(files)


def test_a_repository_whose_making_was_cut_off_is_made_from_the_beginning(hand: Hand) -> None:
    hand.does("exit 3\n")
    hand.run()
    repository = hand.folder() / ".git"
    for name in ("HEAD", "config", "index"):
        (repository / name).unlink()
    hand.does(WORK)
    assert hand.run()["end_state"] == "completed"
    assert hand.shop.main("ferry.txt") == "one\ntwo\n"


@pytest.mark.parametrize("name", ["HEAD", "config", f"refs/heads/chant/{ID}"])
def test_what_git_would_wait_for_is_refused_at_once(hand: Hand, name: str) -> None:
    hand.does(f"{WORK}\nrm .git/{name}; mkfifo .git/{name}\n")
    record = hand.run()
    assert record["end_state"] == "needs_attention"
    assert f"`.git/{name}` is no regular file" in record["reason"]
    hand.does("true\n")
    assert hand.run()["end_state"] in ("completed", "failed")


@pytest.mark.parametrize("deed", ["mkfifo", "mkdir", "ln -s /etc/passwd"])
def test_what_is_no_copy_of_a_spec_is_named_with_the_way_on(hand: Hand, deed: str) -> None:
    hand.does(f'rm "$CHANT_SPEC_FILE"; {deed} "$CHANT_SPEC_FILE"; exit 3\n')
    assert hand.run()["end_state"] == "failed"
    with pytest.raises(ChantError, match=f"`chant-mcp work {ID} --fresh` begins from the start"):
        hand.run()
    hand.does(WORK)
    assert hand.run(fresh=True)["end_state"] == "completed"
