"""`receipt` and `verify --all`: what completions leave, in the repository and in other clones of it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chant_mcp
import pytest
from chant_mcp._core import ChantProject
from chant_mcp.errors import NotTrustedError, RefusedError
from cli.at_work import FIRST, AtWork
from cli.kit import Cli
from harness import Project, opened, user_config
from writing import git

CONFIG = "defaults:\n  provider: demo\n  main_branch: main\n"
SCRIPT = f"git diff --quiet HEAD && test -s {FIRST}.txt"
UNIT = f"checks:\n  unit: [sh, -c, '{SCRIPT}']\n"
REQUIRED = "receipts: required\n"
DONE = "# Log in\n\n## Acceptance Criteria\n\n- [x] Works\n- [x] Tested"
REF = f"refs/chant/receipts/{FIRST}"


def canonical(value: object) -> str:
    """Write a value as receipts are written."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


class Landed:
    """A project whose one spec is completed on the main branch by a merge, with a receipt made by hand."""

    def __init__(self, project: Project, base: str) -> None:
        self.project, self.root, self.base = project, project.root, base
        self.receipt: dict[str, Any] = {
            "format": 1,
            "spec": FIRST,
            "completed": "run",
            "token": "1",
            "criteria": {
                "hash": hashlib.sha256(canonical(["Works", "Tested"]).encode()).hexdigest(),
                "count": 2,
                "ticked": 2,
                "items": [{"text": text, "ticked": True} for text in ("Works", "Tested")],
            },
            "commit": self.git("rev-parse", "main"),
            "tree": self.git("rev-parse", "main^{tree}"),
            "target": "main",
            "base": base,
            "checks": [
                {"name": "unit", "exit": 0, "ms": 5, "tree": self.git("rev-parse", "main^2^{tree}")},
            ],
            "agent": "claude",
            "started_at": "2026-01-22T10:00:00.000Z",
            "ended_at": "2026-01-22T10:05:00Z",
        }

    @classmethod
    def made(cls, project: Project) -> Landed:
        """Make the project: a branch with two commits is merged, and the merge completes the spec."""
        root = project.root
        project.config(CONFIG + UNIT)
        project.spec(FIRST, body=DONE.replace("[x]", "[ ]"), status="pending")
        project.repository()
        base = git(root, "rev-parse", "HEAD").strip()
        git(root, "switch", "-qc", "work")
        for name in ("work.txt", "more.txt"):
            (root / name).write_text(f"{name}\n", encoding="utf-8")
            git(root, "add", "-A")
            git(root, "commit", "-qm", name)
        git(root, "switch", "-q", "main")
        git(root, "merge", "-q", "--no-ff", "--no-commit", "work")
        project.spec(FIRST, body=DONE, status="completed")
        git(root, "commit", "-qam", "Merge work")
        git(root, "branch", "-qD", "work")
        return cls(project, base)

    def git(self, *words: str) -> str:
        """Run git in the project."""
        return git(self.root, *words).strip()

    def commit(self, message: str, name: str, text: str) -> None:
        """Commit everything, a file with a text among it."""
        (self.root / name).write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-qm", message)

    def keep(self, text: str | None = None, token: str = "1", **changes: Any) -> None:
        """Keep the receipt, or a text in place of it, under a ref."""
        keep(self.root, canonical({**self.receipt, **changes}) if text is None else text, token)

    def verified(self) -> Any:
        """Give what is said of the spec."""
        return opened(self.root).receipt_verify(FIRST).data["specs"][0]


def keep(root: Path, text: str, token: str = "1") -> None:
    """Keep a text as a receipt, whatever is there."""
    file = root.parent / "receipt"
    file.write_text(text, encoding="utf-8")
    blob = git(root, "hash-object", "-w", "--no-filters", str(file)).strip()
    git(root, "update-ref", f"{REF}/{token}", blob)


_made: dict[Path, Landed] = {}
"""The project of this process that is copied for each test."""


@pytest.fixture
def landed(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Landed:
    """A completed spec, as a run leaves it."""
    top = tmp_path_factory.getbasetemp()
    shutil.rmtree(project.root)
    if top in _made:
        shutil.copytree(_made[top].root, project.root)
        return Landed(project, _made[top].base)
    template = Project(tmp_path_factory.mktemp("landed") / "project")
    template.specs.mkdir(parents=True)
    _made[top] = Landed.made(template)
    shutil.copytree(template.root, project.root)
    return Landed(project, _made[top].base)


def _squash(landed: Landed) -> None:
    landed.git("reset", "-q", "--soft", landed.base)
    landed.git("commit", "-qm", "Squashed")


def _rebase(landed: Landed) -> None:
    landed.git("reset", "-q", "--hard", landed.base)
    landed.git("commit", "-q", "--amend", "-m", "Another base")
    landed.git("cherry-pick", "-m", "1", landed.receipt["commit"])


def _reword_commit(landed: Landed) -> None:
    landed.git("commit", "-q", "--amend", "-m", "Other words")


def _later_work(landed: Landed) -> None:
    landed.commit("Later", "work.txt", "later\n")


def _amend(landed: Landed) -> None:
    (landed.root / "work.txt").write_text("smuggled in\n", encoding="utf-8")
    landed.git("commit", "-qa", "--amend", "-m", "Merge work")


def _take_back(landed: Landed) -> None:
    landed.git("reset", "-q", "--hard", landed.base)
    landed.project.spec(FIRST, body=DONE, status="completed")


def _reword(landed: Landed) -> None:
    landed.project.spec(FIRST, body=DONE.replace("Tested", "Tested a bit"), status="completed")


def _reopen(landed: Landed) -> None:
    landed.project.spec(FIRST, body=DONE.replace("[x] Works", "[ ] Works"), status="in_progress")


def _name_another_check(landed: Landed) -> None:
    landed.project.spec(FIRST, body=DONE + "\n<!-- check: lint -->", status="completed")


def _drop_check(landed: Landed) -> None:
    landed.project.config(CONFIG)
    landed.commit("No checks", "later.txt", "later\n")


@pytest.mark.parametrize("change", [_squash, _rebase, _reword_commit, _later_work])
def test_what_keeps_the_files_keeps_the_receipt(change: Callable[[Landed], None], landed: Landed) -> None:
    landed.keep()
    change(landed)
    spec = landed.verified()
    assert (spec["verdict"], spec["holds"]) == ("consistent", True), spec
    (receipt,) = spec["receipts"]
    is_there = landed.receipt["commit"] in landed.git("rev-list", "main").splitlines()
    word = "is in the history of main" if is_there else "in the history of main has the same tree"
    assert word in receipt["derived"][0]


@pytest.mark.parametrize(
    ("change", "kinds"),
    [
        (_amend, ["not_in_history"]),
        (_take_back, ["not_in_history"]),
        (_reword, ["criteria_changed"]),
        (_reopen, ["not_completed", "not_ticked"]),
        (_name_another_check, ["check_not_run"]),
        (_drop_check, ["check_gone"]),
    ],
)
def test_what_does_not_hold_is_named(
    change: Callable[[Landed], None], kinds: list[str], landed: Landed
) -> None:
    landed.keep()
    change(landed)
    spec = landed.verified()
    assert (spec["verdict"], spec["holds"]) == ("does not hold", False), spec
    (receipt,) = spec["receipts"]
    assert [finding["kind"] for finding in receipt["findings"]] == kinds, receipt


def test_forged_receipts_do_not_hold(landed: Landed) -> None:
    easy = {"hash": "c" * 64, "count": 1, "ticked": 1, "items": [{"text": "Easy", "ticked": True}]}
    failed = {"name": "unit", "exit": 1, "ms": 1, "tree": "d" * 40}
    changes: list[tuple[dict[str, Any], list[str]]] = [
        ({}, []),
        ({"tree": "a" * 40}, ["tree_differs"]),
        ({"commit": "a" * 40, "tree": "b" * 40}, ["not_in_history"]),
        ({"spec": "another"}, ["wrong_name"]),
        ({"format": 2}, ["unreadable"]),
        ({"commit": "HEAD"}, ["unreadable"]),
        ({"criteria": easy}, ["criteria_changed", "criteria_of_tree"]),
        ({"checks": [failed]}, ["check_failed", "check_tree"]),
    ]
    texts = [(canonical({**landed.receipt, **change}), kinds) for change, kinds in changes]
    texts += [(text, ["unreadable"]) for text in (json.dumps(landed.receipt), "x" * 70_000, "")]
    for text, kinds in texts:
        landed.keep(text)
        (receipt,) = landed.verified()["receipts"]
        assert [finding["kind"] for finding in receipt["findings"]] == kinds, text[:2000]
    landed.git("update-ref", f"{REF}/1", "main")
    (receipt,) = landed.verified()["receipts"]
    assert receipt["findings"] == [
        {"kind": "unreadable", "text": "it cannot be read as a receipt: it is a commit, not a file"}
    ]


def test_receipts_are_verified_without_trust_and_nothing_is_run(
    landed: Landed, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = landed.root.parent / "ran"
    landed.keep()
    landed.git("config", "core.fsmonitor", f"touch {mark}")
    landed.git("config", "core.hooksPath", str(landed.root))
    landed.git("config", "remote.origin.url", f"ext::touch {mark}")
    hook = landed.root / "reference-transaction"
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n", encoding="utf-8")
    hook.chmod(0o755)
    user_config().write_text("---\n---\n", encoding="utf-8")
    monkeypatch.chdir(landed.root)
    cli = Cli(landed.project)
    said = cli("receipt", "verify", "x7m")
    assert f"{FIRST}: consistent\n" in said
    assert "✓ the spec's criteria (2) are word for word those that were judged" in said
    assert "? claimed: check 'unit': exit code 0 after 5 ms" in said
    assert "? claimed: agent: claude" in said
    assert "valid" not in said
    chant = opened(landed.root)
    # What was completed by hand is written down here, too, and runs nothing for it.
    landed.project.spec(FIRST, body=DONE, status="in_progress")
    chant.finalize(FIRST)
    assert len(chant.receipt_show(FIRST).data["receipts"]) == 2
    assert not mark.exists()
    for act in (
        chant.receipt_push,
        chant.receipt_fetch,
        lambda: chant.receipt_verify(FIRST, reruns=True),
    ):
        with pytest.raises(NotTrustedError):
            act()
    assert not mark.exists()


@pytest.mark.parametrize("form", ["files", "reftable"])
def test_a_completion_by_hand_says_that_no_check_was_run(form: str, project: Project) -> None:
    project.config(CONFIG)
    project.spec(FIRST, body=DONE, status="in_progress")
    chant = opened(project.root)
    git(project.root, "init", "-q", "-b", "main", f"--ref-format={form}")
    # Without a commit there is nothing to tell of.
    assert "receipt" not in chant.spec_update(FIRST, status="completed").text
    assert chant.receipt_show().data["receipts"] == []
    project.spec(FIRST, body=DONE, status="in_progress")
    project.git("add", "-A")
    project.git("commit", "-qm", "Begin")
    chant = opened(project.root)
    chant.finalize(FIRST)
    # Once is enough for one completion.
    chant.finalize(FIRST)
    (entry,) = chant.receipt_show("x7m").data["receipts"]
    receipt = entry["receipt"]
    assert entry["ref"] == f"{REF}/{receipt['token']}"
    assert receipt["token"].startswith("hand-2")
    assert (receipt["completed"], receipt["checks"], receipt["target"]) == ("hand", [], "main")
    assert receipt["commit"] == project.git("rev-parse", "HEAD").strip()
    assert project.git("cat-file", "blob", entry["ref"]) == canonical(receipt)
    project.git("add", "-A")
    project.git("commit", "-qm", "Done")
    (spec,) = chant.receipt_verify(FIRST).data["specs"]
    assert spec["verdict"] == "consistent"
    assert "completed by hand: no check was run" in spec["receipts"][0]["claimed"]
    chant.archive(FIRST)
    report = chant.receipt_verify().data
    assert [(spec["spec_id"], spec["holds"]) for spec in report["specs"]] == [(FIRST, True)]
    assert len(chant.receipt_show(FIRST).data["receipts"]) == 1


def test_a_receipt_that_cannot_be_written_is_reported_and_left_later(project: Project) -> None:
    project.config(CONFIG)
    project.spec(FIRST, body=DONE, status="in_progress")
    project.repository()
    blocked = project.root / ".git" / "refs" / "chant"
    blocked.write_text("in the way", encoding="utf-8")
    said = opened(project.root).finalize(FIRST).text
    assert said.startswith(f"Finalized spec: {FIRST}\n")
    assert "\nNo receipt could be left: " in said
    assert project.status(FIRST) == "completed"
    blocked.unlink()
    (spec,) = opened(project.root).receipt_verify().data["specs"]
    assert (spec["verdict"], [one["kind"] for one in spec["findings"]]) == ("no receipt", ["no_receipt"])
    opened(project.root).finalize(FIRST)
    assert opened(project.root).receipt_verify().data["holds"]


def test_the_target_says_whether_receipts_are_asked_for(
    landed: Landed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(landed.root)
    cli = Cli(landed.project)
    assert "no receipt" in cli("verify", "--all")
    cli("receipt", "verify", "--all", code=1)
    # What is not committed on the target asks for nothing, and takes nothing away.
    landed.project.config(CONFIG + UNIT + REQUIRED)
    assert "main does not ask for receipts" in cli("verify", "--all")
    landed.commit("Ask for receipts", "later.txt", "later\n")
    landed.git("switch", "-qc", "sly")
    landed.project.config(CONFIG.replace("main_branch: main", "main_branch: sly") + UNIT)
    landed.commit("Ask for none", "later.txt", "sly\n")
    other = landed.root.parent / "clone"
    git(landed.root.parent, "clone", "-q", str(landed.root), str(other))
    git(other, "remote", "set-head", "origin", "main")
    monkeypatch.chdir(other)
    said = cli("verify", "--all", code=1)
    assert "1 checked, 1 without a receipt that holds; main asks for receipts." in said
    cli("verify", "--all", "--target", "origin/main", code=1)
    cli("verify", "--all", "--target", "origin/sly")
    # A checkout of a job need not know where the remote begins: the branch under test does not say.
    git(other, "remote", "set-head", "origin", "--delete")
    assert "--target origin/main" in cli.error("verify", "--all")
    keep(other, canonical(landed.receipt))
    assert "main asks for receipts" in cli("verify", "--all", "--target", "origin/main")
    # A target whose configuration cannot be read is no leave to ask for nothing.
    git(other, "switch", "-qc", "broken")
    (other / ".chant" / "config.md").write_text("---\nreceipts: perhaps\n---\n", encoding="utf-8")
    git(other, "commit", "-qam", "Broken")
    assert "Failed to load config" in cli.error("verify", "--all", "--target", "broken")


def test_a_driver_is_judged_by_its_members(landed: Landed) -> None:
    landed.project.config(CONFIG + UNIT + REQUIRED)
    landed.project.path(FIRST).unlink()
    landed.project.spec("2026-01-22-002-k3f", type="driver", status="completed", body="# All")
    member = "2026-01-22-002-k3f.1"
    landed.project.spec(member, body=DONE, status="in_progress")
    landed.commit("Members", "later.txt", "later\n")
    chant = opened(landed.root)
    chant.finalize(member)
    landed.commit("Done", "later.txt", "done\n")
    report = chant.receipt_verify().data
    assert report["required"]
    assert [spec["verdict"] for spec in report["specs"]] == ["by its members", "consistent"]
    landed.project.spec(member, body=DONE.replace("Tested", "Guessed"), status="completed")
    report = chant.receipt_verify().data
    assert [spec["verdict"] for spec in report["specs"]] == ["no receipt", "does not hold"]


def test_receipts_are_exchanged_and_never_replaced(landed: Landed, monkeypatch: pytest.MonkeyPatch) -> None:
    top = landed.root.parent
    landed.keep()
    git(top, "clone", "-q", "--bare", str(landed.root), "bare")
    landed.git("remote", "add", "origin", str(top / "bare"))
    git(top, "clone", "-q", "bare", "other")
    other = top / "other"
    monkeypatch.chdir(landed.root)
    cli = Cli(landed.project)
    assert "`elsewhere` is not a remote" in cli.error("receipt", "push", "elsewhere")
    said = cli.error("receipt", "push", str(top / "bare"))
    assert f"`{top}/bare` is not a remote" in " ".join(said.split())
    assert cli("receipt", "push") == "Receipts brought to origin: 1 new, 0 there already.\n"
    assert cli.json("receipt", "push")["known"] == 1
    monkeypatch.chdir(other)
    keep(other, "mine", "2")
    assert cli("receipt", "fetch") == "Receipts taken from origin: 1 new, 0 there already.\n"
    assert "origin: 0 new, 1 there" in cli("receipt", "fetch")
    # What is another one on the two sides stays as it is on both, and is reported.
    landed.keep(token="2", agent="another")
    keep(landed.root, "x" * 70_000, "3")
    landed.git("update-ref", "refs/chant/receipts/Odd/1", f"{REF}/1")
    landed.git("push", "-q", "origin", "refs/chant/receipts/*:refs/chant/receipts/*")
    said = cli.json("receipt", "fetch", code=1)
    assert (said["new"], said["known"]) == ([], 1)
    whys = {one["ref"].removeprefix("refs/chant/receipts/"): one["why"] for one in said["refused"]}
    assert whys[f"{FIRST}/2"].startswith("it is another one here")
    assert "70000 bytes" in whys[f"{FIRST}/3"]
    assert "name" in whys["Odd/1"]
    refs = git(other, "for-each-ref", "--format=%(refname)", "refs/chant/receipts")
    assert refs.split() == [f"{REF}/1", f"{REF}/2"]
    assert git(other, "cat-file", "blob", f"{REF}/2") == "mine"
    said = cli.json("receipt", "push", code=1)
    assert [one["ref"] for one in said["refused"]] == [f"{REF}/2"]
    assert "another" in git(top / "bare", "cat-file", "blob", f"{REF}/2")


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
def test_a_run_leaves_a_receipt_that_others_verify(agents: AtWork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", f"{os.environ['HOME']}/.local/state")
    agents.spec(FIRST, "Log in")
    path = agents.project.path(FIRST)
    path.write_text(path.read_text("utf-8").replace("Works", "Works <!-- check: unit -->"), encoding="utf-8")
    agents.begin()
    root = agents.project.root
    agents.project.config(CONFIG + UNIT + REQUIRED)
    git(root, "commit", "-qam", "Ask for receipts")
    base = git(root, "rev-parse", "main").strip()
    agents("work", FIRST, "--wait")
    (entry,) = agents.json("receipt", "show", "x7m")["receipts"]
    receipt = entry["receipt"]
    assert entry["ref"] == f"{REF}/1"
    assert git(root, "cat-file", "blob", entry["ref"]) == canonical(receipt)
    assert receipt["commit"] == git(root, "rev-parse", "main").strip()
    assert receipt["tree"] == git(root, "rev-parse", "main^{tree}").strip()
    assert (receipt["base"], receipt["target"], receipt["token"]) == (base, "main", "1")
    (check,) = receipt["checks"]
    assert (check["name"], check["exit"]) == ("unit", 0)
    assert check["command"] == ["sh", "-c", SCRIPT]
    assert check["tree"] == git(root, "rev-parse", "main^2^{tree}").strip()
    assert receipt["criteria"]["items"] == [
        {"text": "Works <!-- check: unit -->", "ticked": True, "checks": ["unit"], "word": "regression"},
        {"text": "Tested", "ticked": True, "word": "no check"},
    ]
    assert (receipt["agent"], receipt["completed"]) == ("demo", "run")
    assert receipt["confinement"]
    assert receipt["started_at"] < receipt["ended_at"]
    assert chant_mcp.open(root).spec(FIRST).receipts() == [entry]
    said = agents("receipt", "verify", "x7m", "--rerun")
    assert f"{FIRST}: run again and held\n" in said
    assert "↻ run again now: check 'unit' ended with exit code 0" in said
    assert not [*Path(os.environ["XDG_STATE_HOME"]).glob("chant-mcp/worktrees/*/.rerun*")]
    # A check that is another by now is run on what landed, too.
    agents.project.config(CONFIG + UNIT.replace("&& test -s", "&& test ! -s") + REQUIRED)
    said = agents("receipt", "verify", "x7m", "--rerun", code=1)
    assert f"{FIRST}: does not hold\n" in said
    assert "✗ run again now, check 'unit' ended with exit code 1" in said
    agents.project.config(CONFIG + UNIT + REQUIRED)
    # Others need neither the remote nor trust.
    top = root.parent
    git(top, "init", "-q", "--bare", "-b", "main", "bare")
    git(root, "remote", "add", "origin", str(top / "bare"))
    git(root, "push", "-q", "origin", "main")
    agents("receipt", "push")
    git(top, "clone", "-q", "bare", "other")
    monkeypatch.chdir(top / "other")
    agents("verify", "--all", code=1)
    agents("receipt", "fetch")
    (top / "bare").rename(top / "gone")
    user_config().write_text("---\n---\n", encoding="utf-8")
    agents("verify", "--all")
    assert f"{FIRST}: consistent" in agents("receipt", "verify", "--all")


def test_receipts_need_a_repository(project: Project) -> None:
    project.spec(FIRST, body=DONE, status="in_progress")
    chant: ChantProject = opened(project.root)
    assert "receipt" not in chant.finalize(FIRST).text
    with pytest.raises(RefusedError, match="not in a git repository"):
        chant.receipt_verify()
