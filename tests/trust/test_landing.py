"""Work that changes what runs by itself lands by a person only."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from chant_mcp import errors
from trust.kit import Folder
from work.conftest import _nothing_is_left as _nothing_is_left
from work.conftest import shop as shop
from work.kit import ID, OTHER, Workshop
from writing import git

_CHECKED = "checks:\n  fine: ['true']\n"


def _folder(shop: Workshop) -> Folder:
    return Folder(shop.project)


def _changing(shop: Workshop) -> Folder:
    """Commit a spec whose agent changes the project's configuration, and trust the folder."""
    shop.configure(_CHECKED)
    shop.spec(ID, targets=[".chant/config.md"])
    shop.commit()
    folder = _folder(shop)
    folder.trust()
    return folder


def _worked(shop: Workshop) -> dict[str, object]:
    shop.handle().work_start(ID)
    return shop.ended(ID)


@pytest.fixture
def changed(shop: Workshop) -> Workshop:
    """A run whose agent has changed the project's configuration on its branch."""
    shop.configure(_CHECKED)
    shop.spec(ID, "wait")
    shop.commit()
    _folder(shop).trust()
    shop.handle().work_start(ID)
    (tree,) = shop.worktrees()
    config = tree / ".chant" / "config.md"
    text = config.read_text("utf-8")
    config.write_text(text.replace("['true']", "['touch', 'x']"), encoding="utf-8")
    git(tree, "commit", "-qam", f"chant({ID}): Checks of mine")
    shop.go(ID)
    shop.ended(ID)
    return shop


@pytest.mark.requirement("trust:landing:a_change_of_what_acts_waits")
def test_work_that_changes_what_runs_here_does_not_land(changed: Workshop) -> None:
    record = changed.record(ID)
    assert record["end_state"] == "needs_attention", record
    assert record["reason"] == "changes what runs by itself"
    assert [line[:2] for line in record["acting_change"]] == ["- ", "+ "]
    assert "touch" in record["acting_change"][1]
    assert changed.project.status(ID) == "needs_attention"
    assert "touch" not in (changed.main(".chant/config.md") or "")
    assert _folder(changed).is_trusted()


@pytest.mark.requirement("trust:landing:other_doors_refuse")
def test_other_doors_refuse_it_and_name_the_command(changed: Workshop) -> None:
    with pytest.raises(errors.NotTrustedError, match=f"chant-mcp merge {ID}` at a terminal") as refused:
        changed.handle().merge(ID)
    assert refused.value.lines_to_review == changed.record(ID)["acting_change"]
    done = _folder(changed).run("merge", ID)
    assert (done.returncode, "changes what runs by itself" in done.stderr) == (2, True)
    with pytest.raises(errors.NotTrustedError):
        changed.handle().merge(ID, agreed="0" * 64)
    assert "touch" not in (changed.main(".chant/config.md") or "")


@pytest.mark.requirement("trust:landing:a_person_lands_it_and_trusts")
def test_a_person_lands_it_and_trusts_in_one_step(changed: Workshop) -> None:
    folder = _folder(changed)
    code, shown = folder.typed("n", "merge", ID)
    assert code == 1, shown
    assert "touch" in shown
    assert "touch" not in (changed.main(".chant/config.md") or "")
    code, shown = folder.typed("y", "merge", ID)
    assert code == 0, shown
    assert "touch" in (changed.main(".chant/config.md") or "")
    assert "touch" in (changed.root / ".chant" / "config.md").read_text("utf-8")
    assert folder.is_trusted()
    assert changed.project.status(ID) == "completed"


@pytest.mark.requirement("trust:landing:a_change_of_what_acts_waits")
@pytest.mark.parametrize(
    "name",
    [
        ".claude/settings.json",
        ".chant/prompts/standard.md",
        ".specify/chant-mcp.yml",
        ".github/workflows/ci.yml",
        ".Claude/settings.json",
        ".chant/Prompts/standard.md",
        "deep/.gitattributes",
    ],
)
def test_new_files_that_act_do_not_land(shop: Workshop, name: str) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    _folder(shop).trust()
    shop.handle().work_start(ID)
    (tree,) = shop.worktrees()
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text("checks: {a: [touch, x]}\n", encoding="utf-8")
    git(tree, "add", "-f", name)
    git(tree, "commit", "-qm", f"chant({ID}): Mine")
    shop.go(ID)
    record = shop.ended(ID)
    assert record["reason"] == "changes what runs by itself"
    assert shop.main(name) is None


@pytest.mark.requirement("trust:landing:a_chain_stops")
def test_a_chain_stops_at_such_work(shop: Workshop) -> None:
    shop.spec(ID, "wait")
    shop.spec(OTHER)
    shop.commit()
    _folder(shop).trust()
    shop.handle().work_start(ID, chain=True)
    deadline = time.monotonic() + 30
    while not shop.worktrees() and time.monotonic() < deadline:
        time.sleep(0.05)
    (tree,) = shop.worktrees()
    (tree / ".mcp.json").write_text("{}", encoding="utf-8")
    git(tree, "add", ".mcp.json")
    git(tree, "commit", "-qm", f"chant({ID}): Servers")
    shop.go(ID)
    shop.ended(next(record["process_id"] for record in shop.records() if record["mode"] != "single"))
    assert shop.record(ID)["end_state"] == "needs_attention"
    assert shop.project.status(OTHER) == "pending"


@pytest.mark.requirement("trust:landing:checks_are_those_of_the_start")
def test_a_live_run_is_judged_by_the_checks_of_its_start(shop: Workshop, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    shop.configure(_CHECKED)
    shop.spec(ID, "wait", body=f"# Spec {ID}\n\n## Acceptance Criteria\n\n- [ ] Works <!-- check: fine -->\n")
    shop.commit()
    _folder(shop).trust()
    shop.handle().work_start(ID)
    shop.configure(f"checks:\n  fine: [touch, '{mark}']\n")
    shop.go(ID)
    record = shop.ended(ID)
    assert not mark.exists()
    assert [check["exit"] for check in record["checks"]] == [0], record
    assert os.environ["HOME"]
