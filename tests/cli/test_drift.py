"""`verify --drift`: whether the lines of completed work still stand at the target's tip."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from cli.kit import Cli
from cli.test_receipts import CONFIG, canonical
from harness import Project
from writing import git

ONE, TWO = "2026-01-22-001-x7m", "2026-01-22-002-abc"
SHOP = "def price(count):\n    return count * 30\n\n\ndef name():\n    return 'shop'\n"
TOTAL = "\n\ndef total(prices):\n    net = sum(prices)\n    return round(net * 1.19, 2)\n"
TEST = "from shop import total\n\n\ndef test_total():\n    assert total([1]) == 1.19\n"


class Shop:
    """A project with landed work, whose receipts are written by hand."""

    def __init__(self, project: Project, form: str = "files") -> None:
        self.project, self.root, self.cli = project, project.root, Cli(project)
        project.config(CONFIG)
        for id in (ONE, TWO):
            project.spec(id, body="# Sum\n\n- [x] Works", status="completed")
        self.git("init", "-q", "-b", "main", f"--ref-format={form}")
        self.commit({"shop.py": SHOP})

    def git(self, *words: str) -> str:
        """Run git in the project."""
        return git(self.root, *words).strip()

    def write(self, files: Mapping[str, str | None]) -> None:
        """Write files, or remove those without a text."""
        for name, text in files.items():
            file = self.root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                file.unlink()
            else:
                file.write_bytes(text.encode())

    def commit(self, files: Mapping[str, str | None], message: str = "Change") -> str:
        """Commit files; give the commit."""
        self.write(files)
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def land(self, files: dict[str, str], spec: str = ONE, style: str = "merge", **said: Any) -> str:
        """Land work on two commits, the second one of its last file, and keep its receipt."""
        base = self.git("rev-parse", "main")
        self.git("switch", "-qc", "work")
        *first, last = files.items()
        commits = [self.commit(dict(part)) for part in (first, [last]) if part]
        self.git("switch", "-q", "main")
        if style == "merge":
            self.git("merge", "-q", "--no-ff", "-m", "Merge work", "work")
        elif style == "squash":
            self.git("merge", "-q", "--squash", "work")
            self.git("commit", "-qm", "All of it")
            commits = [self.git("rev-parse", "main")]
        else:
            self.git("merge", "-q", "--ff-only", "work")
        self.git("branch", "-qD", "work")
        commit = self.git("rev-parse", "main")
        self.keep(spec, **{"commit": commit, "base": base, "commits": commits, **said})
        return commit

    def keep(self, spec: str, commit: str, tree: str | None = None, **said: Any) -> None:
        """Keep a receipt."""
        receipt = {
            "format": 1,
            "spec": spec,
            "completed": "run",
            "token": "1",
            "criteria": {"hash": "c" * 64, "count": 1, "ticked": 1},
            "commit": commit,
            "tree": tree or self.git("rev-parse", f"{commit}^{{tree}}"),
            "target": "main",
            "checks": [],
            "started_at": "2026-01-22T10:00:00.000Z",
            "ended_at": "2026-01-22T10:05:00Z",
            **{key: value for key, value in said.items() if value is not None},
        }
        file = self.root.parent / "receipt"
        file.write_text(canonical(receipt), encoding="utf-8")
        blob = self.git("hash-object", "-w", "--no-filters", str(file))
        self.git("update-ref", f"refs/chant/receipts/{spec}/{receipt['token']}", blob)

    def drift(self, id: str = ONE) -> Any:
        """Give what became of a spec's lines."""
        report = self.cli.json("verify", "--drift", id)
        (spec,) = report["specs"]
        assert report["hold"] + report["stale"] + report["not_known"] == 1
        return spec

    def states(self, id: str = ONE) -> list[str]:
        """Give the states of a spec's lines, by their places."""
        return [hunk["state"] for hunk in self.drift(id)["hunks"]]


@pytest.fixture
def shop(project: Project, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A project in which a spec landed: code in a file that was there, and a test."""
    monkeypatch.chdir(project.root)
    shop = Shop(project)
    shop.land({"shop.py": SHOP + TOTAL, "tests/test_shop.py": TEST})
    return shop


def test_lines_around_which_others_are_written_are_untouched(shop: Shop) -> None:
    shop.commit({"shop.py": "import sys\n\n" + SHOP.replace("30", "40") + TOTAL + "\n\nX = 1\n"})
    found = shop.drift()
    assert (found["verdict"], found["counts"]["untouched"]) == ("holds", 2)
    assert [(hunk["path"], hunk["first"], hunk["last"]) for hunk in found["hunks"]] == [
        ("shop.py", 9, 11),
        ("tests/test_shop.py", 1, 5),
    ]
    assert "1 hold, 0 stale, 1 not known; compared with main at" in shop.cli("verify", "--drift", "--all")


def test_a_landing_that_changes_lines_is_named_with_its_spec(shop: Shop) -> None:
    changed = SHOP + TOTAL.replace("1.19", "1.07")
    landing = shop.land({"shop.py": changed, "more.py": "more = compute()\n"}, spec=TWO)
    shop.commit({"later.txt": "later\n"})
    found = shop.drift()
    assert (found["verdict"], found["counts"]["changed"]) == ("stale", 1)
    code, test = found["hunks"]
    assert (code["state"], code["by"], code["by_specs"]) == ("changed", landing, [TWO])
    assert test["state"] == "untouched"
    assert shop.drift(TWO)["verdict"] == "holds"
    said = shop.cli("verify", "--drift")
    assert f"{ONE}: stale\n  shop.py:9-11: changed by {landing[:10]} (spec {TWO})\n" in said
    assert "\n1 hold, 1 stale; compared" in said
    assert (shop.project.status(ONE), shop.project.status(TWO)) == ("completed", "completed")
    shop.cli("verify", "--drift", "--exit", code=1)
    shop.cli("verify", "--drift", TWO, "--exit")
    assert shop.cli.json("verify", "--drift", "--exit", code=1)["stale"] == 1


def _moved(text: str) -> str:
    return TOTAL.lstrip("\n") + "\n\n" + SHOP + text


@pytest.mark.parametrize(
    ("files", "states"),
    [
        pytest.param({"shop.py": _moved("")}, ["moved", "untouched"], id="moved in its file"),
        pytest.param({"shop.py": SHOP}, ["removed", "untouched"], id="removed"),
        pytest.param({"shop.py": None}, ["removed", "untouched"], id="its file removed"),
        pytest.param(
            {"shop.py": SHOP + TOTAL.replace("    return", "    net += 1\n    return")},
            ["changed", "untouched"],
            id="a line in their midst",
        ),
        pytest.param(
            {"tests/test_shop.py": TEST.replace("1.19", "1.2")}, ["untouched", "tests changed"], id="tests"
        ),
        pytest.param({"tests/test_shop.py": None}, ["untouched", "tests changed"], id="tests removed"),
        pytest.param(
            {
                "shop.py": (SHOP + TOTAL).replace("\n", "\r\n"),
                "tests/test_shop.py": TEST.replace("\n", "\r\n"),
            },
            ["untouched", "untouched"],
            id="ends of lines",
        ),
        pytest.param(
            {"shop.py": None, "core/shop.py": SHOP.replace("30", "40") + TOTAL},
            ["moved", "untouched"],
            id="file renamed",
        ),
        pytest.param(
            {"shop.py": SHOP, "sums.py": "# Sums\n" + TOTAL},
            ["moved", "untouched"],
            id="moved to another file",
        ),
        pytest.param(
            {"shop.py": None, "core.py": SHOP + TOTAL.replace("1.19", "1.07")},
            ["changed", "untouched"],
            id="file renamed and lines changed",
        ),
    ],
)
@pytest.mark.parametrize("comes_back", [False, True], ids=["", "and back"])
def test_each_place_has_one_state(
    files: dict[str, str | None], states: list[str], comes_back: bool, shop: Shop
) -> None:
    commit = shop.commit(files)
    shop.commit({"later.txt": "later\n"})
    if comes_back:
        removed = {name: None for name, text in files.items() if text is not None}
        shop.commit({**removed, "shop.py": SHOP + TOTAL, "tests/test_shop.py": TEST})
        states = ["untouched", "untouched"]
    found = shop.drift()
    assert [hunk["state"] for hunk in found["hunks"]] == states
    is_stale = bool({"changed", "removed", "tests changed"} & set(states))
    assert found["verdict"] == ("stale" if is_stale else "holds")
    assert [hunk["by"] for hunk in found["hunks"] if "by" in hunk] == [commit] * is_stale


@pytest.mark.parametrize("base", ["said", "gone", "not said"])
@pytest.mark.parametrize("style", ["merge", "squash", "forward"])
def test_what_landed_follows_from_the_commits(
    style: str, base: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    shop = Shop(project)
    said: dict[str, Any] = {} if base == "said" else {"base": "a" * 40 if base == "gone" else None}
    shop.land({"shop.py": SHOP + TOTAL, "tests/test_shop.py": TEST}, style=style, **said)
    assert shop.states() == ["untouched", "untouched"]
    shop.commit({"shop.py": SHOP + TOTAL.replace("1.19", "1.07")})
    assert shop.states() == ["changed", "untouched"]


def test_a_branch_that_is_merged_later_brings_landed_work_along(shop: Shop) -> None:
    shop.git("switch", "-qc", "develop")
    base = shop.git("rev-parse", "HEAD")
    commit = shop.commit({"extra.py": "def extra(value):\n    return value + 1\n"})
    shop.keep(TWO, commit=commit, base=base)
    assert shop.drift(TWO)["verdict"] == "not known"
    shop.git("switch", "-q", "main")
    shop.commit({"other.txt": "other\n"})
    shop.git("merge", "-q", "--no-ff", "-m", "Merge develop", "develop")
    assert shop.states(TWO) == ["untouched"]
    last = shop.commit({"extra.py": "def extra(value):\n    return value + 2\n"})
    assert [hunk["by"] for hunk in shop.drift(TWO)["hunks"]] == [last]


def test_a_rewritten_history_is_known_by_its_tree_and_a_lost_one_is_not_known(shop: Shop) -> None:
    shop.git("commit", "-q", "--amend", "-m", "Other words")
    assert shop.states() == ["untouched", "untouched"]
    shop.keep(TWO, commit="b" * 40, tree="d" * 40, base="e" * 40)
    found = shop.drift(TWO)
    assert (found["verdict"], "hunks" in found) == ("not known", False)
    assert "neither the commit that landed nor its tree is in the history of the target" in found["why"]
    report = shop.cli.json("verify", "--drift")
    assert (report["hold"], report["stale"], report["not_known"]) == (1, 0, 1)


def test_documentation_has_nothing_that_goes_stale(shop: Shop) -> None:
    shop.land({"docs/sums.md": "# Sums\n", "README.md": "Shop\n"}, spec=TWO)
    shop.commit({"README.md": "Other words\n"})
    found = shop.drift(TWO)
    assert (found["verdict"], found["counts"]["changed"]) == ("holds", 0)
    assert found["why"] == "its work wrote no lines of code or tests: nothing of it can go stale"


def test_work_by_hand_is_what_its_commits_wrote(shop: Shop) -> None:
    first = shop.commit({"tax.py": "rate_of_tax = 1.19\nname_of_tax = 'VAT'\n"})
    shop.commit({"tax.py": "import math\nrate_of_tax = 1.19\nname_of_tax = 'VAT'\nothers_line = math.pi\n"})
    text = "import math\nrate_of_tax = 1.07\nname_of_tax = 'VAT'\nothers_line = math.pi\n"
    second = shop.commit({"tax.py": text})
    head = shop.commit({"later.txt": "later\n"})
    said: dict[str, Any] = {"completed": "hand", "started_at": None, "token": "hand-1", "target": None}
    shop.keep(TWO, commit=head, commits=[first, second], **said)
    # The work's own second commit makes nothing stale, and the lines of others are no part of it.
    found = shop.drift(TWO)
    assert [(hunk["first"], hunk["last"], hunk["state"]) for hunk in found["hunks"]] == [(2, 3, "untouched")]
    shop.commit({"tax.py": text.replace("math.pi", "math.e")})
    assert shop.states(TWO) == ["untouched"]
    shop.commit({"tax.py": text.replace("VAT", "GST")})
    assert shop.states(TWO) == ["changed"]
    shop.keep(TWO, commit=head, **said)
    assert "names no commit" in shop.drift(TWO)["why"]


def test_the_projects_own_patterns_say_what_judges(shop: Shop) -> None:
    shop.project.config(CONFIG + "proof:\n  tests: [checks/**]\n")
    shop.land({"checks/total.txt": "total of one is 1.19\n", "checks/a.rules": "x = 1.19\n"}, spec=TWO)
    shop.commit({"checks/a.rules": "x = 1.07\n"})
    assert shop.states(TWO) == ["tests changed", "untouched"]


def test_a_target_that_is_not_there_and_wrong_words_are_refused(shop: Shop) -> None:
    assert "nowhere" in shop.cli.error("verify", "--drift", "--target", "nowhere")
    assert "--exit stands beside --drift" in shop.cli.error("verify", ONE, "--exit", code=2)
    assert "or --all" in shop.cli.error("verify", "--drift", ONE, "--all", code=2)
    shop.git("update-ref", "refs/remotes/hub/main", "main")
    assert "Which branch is the target?" in shop.cli.error("verify", "--drift")
    assert "1 hold" in shop.cli("verify", "--drift", "--target", "main")


def test_a_shallow_history_says_that_it_is_not_there(shop: Shop, tmp_path: Path) -> None:
    shop.commit({"later.txt": "later\n"})
    bare = tmp_path / "clone"
    git(shop.root, "clone", "-q", "--depth=1", shop.root.as_uri(), str(bare))
    git(bare, "fetch", "-q", "origin", "refs/chant/*:refs/chant/*")
    os.chdir(bare)
    found = Cli(shop.project).json("verify", "--drift", ONE)
    assert found["not_known"] == 1


def _counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Put a git into the path that notes what it is asked for."""
    real = shutil.which("git")
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "git").write_text(f'#!/bin/sh\necho "$*" >> {folder}/log\nexec {real} "$@"\n', encoding="utf-8")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return lambda: (folder / "log").read_text("utf-8").splitlines()


def test_history_is_walked_once_for_all_specs(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    # A repository that the git program reads: each walk is a call that can be counted.
    shop = Shop(project, form="reftable")
    shop.land({"shop.py": SHOP + TOTAL, "tests/test_shop.py": TEST})
    shop.land({"shop.py": SHOP + TOTAL.replace("1.19", "1.07"), "x.py": "x = first_value\n"}, spec=TWO)
    shop.commit({"x.py": "x = second_value\n", "shop.py": None, "core.py": SHOP + TOTAL})
    calls = _counted(tmp_path, monkeypatch)
    report = shop.cli.json("verify", "--drift")
    walks = [call for call in calls() if " log " in call]
    assert len([call for call in walks if "--raw" not in call]) == 1, walks
    assert len(walks) == 2, walks
    assert [(spec["verdict"], spec["counts"]["changed"]) for spec in report["specs"]] == [
        ("holds", 0),
        ("stale", 2),
    ]


def test_plans_are_no_code(shop: Shop) -> None:
    plan = "vine 1.1.0\ntitle: Ship\n---\n[ship] Ship it (started)\nIt goes out.\n"
    shop.land({"plan.vine": plan}, spec=TWO)
    shop.commit({"plan.vine": plan.replace("started", "complete")})
    assert shop.drift(TWO)["why"].startswith("its work wrote no lines of code or tests")
