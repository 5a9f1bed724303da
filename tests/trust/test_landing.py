"""Work that changes what runs by itself lands by a person only."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from chant_mcp import errors
from harness import user_config
from trust.acting_names import ACTS, HARMLESS, INSTRUCTS, JUDGES, content, planted
from trust.kit import Folder
from work.conftest import _nothing_is_left as _nothing_is_left
from work.conftest import shop as shop
from work.kit import ID, OTHER, Workshop
from writing import git

Record = Mapping[str, Any]

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


def test_work_that_changes_what_runs_here_does_not_land(changed: Workshop) -> None:
    record = changed.record(ID)
    assert record["end_state"] == "needs_attention", record
    assert record["reason"] == "changes what runs by itself: .chant/config.md"
    assert [line[:2] for line in record["acting_change"]] == ["- ", "+ "]
    assert "touch" in record["acting_change"][1]
    assert changed.project.status(ID) == "needs_attention"
    assert "touch" not in (changed.main(".chant/config.md") or "")
    assert _folder(changed).is_trusted()


def test_other_doors_refuse_it_and_name_the_command(changed: Workshop) -> None:
    with pytest.raises(errors.NotTrustedError, match=f"chant-mcp merge {ID}` at a terminal") as refused:
        changed.handle().merge(ID)
    assert refused.value.lines_to_review == changed.record(ID)["acting_change"]
    done = _folder(changed).run("merge", ID)
    assert (done.returncode, "changes what runs by itself" in done.stderr) == (2, True)
    with pytest.raises(errors.NotTrustedError):
        changed.handle().merge(ID, agreed="0" * 64)
    assert "touch" not in (changed.main(".chant/config.md") or "")


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


def _landed(shop: Workshop, change: Callable[[Path], None]) -> Record:
    """Have a run commit a change, and give how it ended."""
    shop.spec(ID, "wait")
    shop.commit()
    _folder(shop).trust()
    shop.handle().work_start(ID)
    (tree,) = shop.worktrees()
    change(tree)
    git(tree, "commit", "-qm", f"chant({ID}): Mine")
    shop.go(ID)
    return shop.ended(ID)


def _planting(*names: str) -> Callable[[Path], None]:
    def plant(tree: Path) -> None:
        for name in names:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(content(name), encoding="utf-8")
        git(tree, "add", "-f", *names)

    return plant


def _named(record: Record) -> set[str]:
    """Give the files that a person has to agree to."""
    found = (re.match(r"[+-] [a-z ]+ in (.*?):(?: \S+)? = ", line) for line in record["acting_change"])
    return {one.group(1) for one in found if one}


@pytest.mark.parametrize(
    "name",
    [
        ".chant/prompts/standard.md",
        ".specify/chant-mcp.yml",
        ".Claude/settings.json",
        ".chant/Prompts/standard.md",
        "packages/a/.cla\u200dude/\u017fettings.json",
        "packages/a/.chant/config.md",
        "packages/a/.Chant/prompts/split.md",
    ],
)
def test_new_files_that_act_do_not_land(shop: Workshop, name: str) -> None:
    record = _landed(shop, _planting(name))
    assert record["reason"].startswith("changes what runs by itself: ")
    assert shop.main(name) is None


def test_what_acts_or_instructs_waits_in_any_folder_and_case(shop: Workshop) -> None:
    names = planted(ACTS + INSTRUCTS)
    record = _landed(shop, _planting(*names))
    assert set(names) - _named(record) == set()
    assert shop.main(names[0]) is None
    assert record["reason"].endswith(f"and {len(_named(record)) - 3} more")


def test_all_below_a_folder_with_a_manifest_waits_at_any_depth(shop: Workshop) -> None:
    for name in ("tools/Plugin.json", "a/b/.claude-plugin/plugin.json", "a/b/lib/run.sh"):
        (shop.root / name).parent.mkdir(parents=True, exist_ok=True)
        (shop.root / name).write_text('{"skills": "./s"}\n', encoding="utf-8")
    below = ("tools/deep/er/run.py", "a/b/lib/run.sh", "a/b/read.me", "new/run.py")
    record = _landed(shop, _planting(*below, "new/gemini-extension.json", "a/beside.py"))
    assert {*_named(record)} == {*below, "new/gemini-extension.json"}
    assert shop.main("a/beside.py") is None


PANEL = '{"type": "panel", "id": "ferry", "name": "Ferry", "dependencies": {}}\n'
"""The manifest of a plugin of another program."""


def test_a_plugin_of_another_program_is_code_until_a_host_would_take_something_from_it(
    shop: Workshop,
) -> None:
    for name, text in {
        "src/plugin.json": PANEL,
        "old/plugin.json": PANEL,
        "old/skills/sail/SKILL.md": "Sail.\n",
        "named/plugin.json": PANEL.replace("{}", '{}, "mcpServers": "./m.json"'),
    }.items():
        (shop.root / name).parent.mkdir(parents=True, exist_ok=True)
        (shop.root / name).write_text(text, encoding="utf-8")
    record = _landed(shop, _planting("src/deep/a.ts", "old/a.ts", "named/a.ts", "new/commands/go.md"))
    assert {*_named(record)} == {"old/a.ts", "named/a.ts"}


def test_a_component_that_comes_makes_its_folder_a_plugin(shop: Workshop) -> None:
    (shop.root / "src").mkdir()
    (shop.root / "src" / "plugin.json").write_text(PANEL, encoding="utf-8")
    record = _landed(shop, _planting("src/a.ts", "src/commands/go.md", "b.ts"))
    assert {*_named(record)} == {"src/a.ts", "src/commands/go.md"}


def test_a_plugin_of_another_program_lands_with_its_manifest(shop: Workshop) -> None:
    (shop.root / "src").mkdir()
    (shop.root / "src" / "plugin.json").write_text(PANEL, encoding="utf-8")

    def change(tree: Path) -> None:
        (tree / "src" / "plugin.json").write_text(PANEL.replace("Ferry", "Boat"), encoding="utf-8")
        (tree / "src" / "a.ts").write_text("a\n", encoding="utf-8")
        git(tree, "add", "src")

    record = _landed(shop, change)
    assert (record["end_state"], record.get("acting_change")) == ("completed", None)


def test_the_user_lets_files_of_a_plugin_land(shop: Workshop) -> None:
    (shop.root / "plugin.json").write_text("{}\n", encoding="utf-8")
    (shop.root / "skills").mkdir()
    (shop.root / "skills" / "a.md").write_text("a\n", encoding="utf-8")
    user_config().write_text("---\nlanding:\n  allow: [src, work, .chant/specs]\n---\n", encoding="utf-8")
    record = _landed(shop, _planting("src/a.py"))
    assert (record["end_state"], record.get("acting_change")) == ("completed", None)


def test_harmless_neighbours_land(shop: Workshop) -> None:
    names = planted(tuple(name for name in HARMLESS if name not in JUDGES))
    record = _landed(shop, _planting(*names))
    assert ("acting_change" in record, record["end_state"]) == (False, "completed")
    assert all(shop.main(name) for name in names)


def test_what_configures_tests_waits_in_any_folder_and_case(shop: Workshop) -> None:
    names = planted(JUDGES)
    record = _landed(shop, _planting(*names))
    assert record["reason"].startswith("changes what judges it: ")
    assert [line.partition(":")[0] for line in record["acting_change"]] == sorted(names)
    assert shop.main(names[0]) is None


def test_modes_links_and_other_repositories_wait_and_keys_that_run_nothing_do_not(shop: Workshop) -> None:
    def write(name: str, text: str) -> None:
        (shop.root / name).parent.mkdir(parents=True, exist_ok=True)
        (shop.root / name).write_text(text, encoding="utf-8")

    for name in (".githooks/pre-push", "gone/.envrc", "tools/settings.json", "tools/hooks/a.json"):
        write(name, "a\n")
    for name in ("package.json", "b/package.json"):
        write(name, '{"scripts": {"test": "a", "prepare": "a"}}')
    (shop.root / "packages").mkdir()
    (shop.root / "packages" / ".claude").symlink_to("../tools")
    (shop.root / "packages" / ".github").symlink_to("../tools")

    def change(tree: Path) -> None:
        (tree / ".githooks" / "pre-push").chmod(0o755)
        (tree / "gone" / ".envrc").rename(tree / "gone" / "envrc")
        (tree / "tools" / "settings.json").write_text("b\n", encoding="utf-8")
        (tree / "tools" / "hooks" / "b.json").write_text("b\n", encoding="utf-8")
        (tree / "package.json").write_text('{"scripts": {"test": "b", "prepare": "a"}, "version": "2"}')
        (tree / "b" / "package.json").write_text('{"scripts": {"test": "a", "prepare": "b"}}')
        (tree / "new").mkdir()
        (tree / "new" / ".vscode").symlink_to("../tools")
        (tree / "AGENTS.md").symlink_to("tools/settings.json")
        git(tree, "add", "-A")
        git(tree, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},c/.github")

    user_config().write_text("---\nlanding:\n  allow: [AGENTS.md]\n---\n", encoding="utf-8")
    waiting = {".githooks/pre-push", "gone/.envrc", "tools/settings.json", "tools/hooks/b.json"}
    waiting |= {"b/package.json", "new/.vscode", "AGENTS.md", "c/.github"}
    assert _named(_landed(shop, change)) == waiting


def test_the_user_lets_instructions_land_and_nothing_that_acts(shop: Workshop) -> None:
    shop.configure("landing:\n  allow: [CLAUDE.md]\n")
    allowed = "---\nlanding:\n  allow: [AGENTS.md, .mcp.json, /openspec/]\n---\n"
    user_config().write_text(allowed, encoding="utf-8")
    plans = [".kiro/specs/a/tasks.md", "backlog/config.yml"]
    free = ["AGENTS.md", "a/AGENTS.md", "openspec/changes/a/proposal.md", "docs/CRs/A-1.md", "a.vine"]
    record = _landed(shop, _planting(*free, "CLAUDE.md", "a/.mcp.json", *plans))
    assert _named(record) == {"CLAUDE.md", "a/.mcp.json", *plans}


@pytest.mark.parametrize("name", ["AGENTS.md", "CLAUDE.md"])
def test_instructions_that_the_user_allows_land_and_leave_trust(shop: Workshop, name: str) -> None:
    user_config().write_text("---\nlanding:\n  allow: [AGENTS.md]\n---\n", encoding="utf-8")
    record = _landed(shop, _planting(name))
    if name == "AGENTS.md":
        assert (record["end_state"], _folder(shop).is_trusted()) == ("completed", True)
    else:
        assert record["reason"] == "changes what agents are told: CLAUDE.md"


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
