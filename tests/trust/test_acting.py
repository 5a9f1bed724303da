"""What a folder asks for: what counts, what does not, and what another byte means."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from trust.kit import Folder
from writing import git


def _config(folder: Folder, old: str, new: str) -> None:
    path = folder.root / ".chant" / "config.md"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_comments_order_and_harmless_keys_leave_a_folder_trusted(folder: Folder) -> None:
    folder.trust()
    _config(folder, "checks:\n", "# what is run\nchecks:\n")
    _config(folder, "---\ndefaults", "---\nproject: {name: ferry}\nlint: {disable: [title]}\ndefaults")
    _config(folder, "    prompt: stdin\n", "")
    _config(folder, "  own:\n", "  own:\n    prompt: stdin\n")
    assert folder.is_trusted()


def test_one_byte_of_a_command_is_refused_with_the_difference(folder: Folder) -> None:
    folder.trust()
    _config(folder, "tests: [touch", "tests: [touchy")
    done = folder.run("work", "2026-01-22-001-x7m")
    assert done.returncode == 2
    assert done.stderr.startswith("This folder is not trusted: 1 command, 1 check, 1 variable")
    report = folder.handle().trust_report()
    assert [line[:2] for line in report["difference"]] == ["- ", "+ "]
    assert "touchy" in report["difference"][1]


_CHANGES: dict[str, Callable[[Path], object]] = {
    "an endpoint": lambda root: (root / ".chant" / "agents.md").write_text(
        "---\nproviders: {openai: {endpoint: http://x}}\n---\n"
    ),
    "an agent in git's shadow": lambda root: (root / ".chant" / "agents.md").write_text(
        "---\nparallel: {agents: [{name: a, command: evil}]}\n---\n"
    ),
    "an unknown key": lambda root: (root / ".chant" / "agents.md").write_text("---\nnew: 1\n---\n"),
    "a check of spec-kit": lambda root: _write(root / ".specify/chant-mcp.yml", "checks: {a: [touch, x]}\n"),
    "a prompt": lambda root: _write(root / ".chant/prompts/standard.md", "Do evil.\n"),
    "a text behind all prompts": lambda root: _write(
        root / ".chant/prompts/extensions/short.md", "Be evil.\n"
    ),
    "settings of claude": lambda root: _write(root / ".claude/settings.json", "{}"),
    "settings of codex": lambda root: _write(root / ".codex/config.toml", ""),
    "hooks of cursor": lambda root: _write(root / ".cursor/hooks.json", "{}"),
    "servers of agents": lambda root: _write(root / ".mcp.json", "{}"),
    "hooks of copilot": lambda root: _write(root / ".github/hooks/h.json", "{}"),
    "settings of copilot": lambda root: _write(root / ".github/copilot/settings.json", "{}"),
    "skills of all": lambda root: _write(root / ".agents/skills/a/SKILL.md", "Do evil.\n"),
    "an extension of pi": lambda root: _write(root / ".pi/extensions/a.ts", ""),
    "a model's settings of aider": lambda root: _write(root / ".aider.model.settings.yml", ""),
    "variables of agents": lambda root: _write(root / ".env", "OPENAI_BASE_URL=http://x\n"),
    "a monitor of git": lambda root: git(root, "config", "core.fsmonitor", "evil"),
    "hooks elsewhere": lambda root: git(root, "config", "core.hooksPath", "hooks"),
    "a filter": lambda root: git(root, "config", "filter.x.clean", "evil"),
    "an include": lambda root: git(root, "config", "include.path", "more"),
    "a helper of a remote": lambda root: git(root, "config", "remote.origin.url", "ext::sh -c evil"),
    "a hook": lambda root: _write(root / ".git/hooks/pre-merge-commit", "#!/bin/sh\n", mode=0o755),
    "attributes of git": lambda root: _write(root / ".git/info/attributes", "* filter=x\n"),
}


def _write(path: Path, text: str, *, mode: int | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if mode is not None:
        path.chmod(mode)


@pytest.mark.parametrize("change", _CHANGES)
def test_whatever_may_act_makes_a_folder_untrusted(folder: Folder, change: str) -> None:
    folder.trust()
    before = folder.handle().trust_report()
    _CHANGES[change](folder.root)
    now = folder.handle().trust_report()
    assert now["trusted"] is False
    assert now["hash"] != before["hash"]
    assert now["difference"]


def test_what_hides_behind_a_condition_of_an_include_counts(folder: Folder) -> None:
    git(folder.root, "config", "includeIf.onbranch:nowhere.path", "more")
    more = folder.root / ".git" / "more"
    more.write_text("[core]\n\tpager = less\n", encoding="utf-8")
    folder.trust()
    more.write_text("[core]\n\tfsmonitor = evil\n", encoding="utf-8")
    assert "fsmonitor" in "\n".join(folder.handle().trust_report()["difference"])


def test_everyday_settings_of_git_do_not_count(folder: Folder) -> None:
    folder.trust()
    git(folder.root, "config", "user.email", "ada@example.org")
    git(folder.root, "remote", "add", "origin", "https://example.org/a.git")
    git(folder.root, "config", "branch.main.remote", "origin")
    assert folder.is_trusted()


def test_files_of_agents_count_as_the_main_branch_has_them(folder: Folder) -> None:
    # Without this the branch that is checked out is the one at which runs start.
    _config(folder, "defaults:\n", "defaults:\n  main_branch: main\n")
    _write(folder.root / ".mcp.json", "{}")
    git(folder.root, "add", "-A")
    git(folder.root, "commit", "-qm", "Servers")
    git(folder.root, "switch", "-qc", "feature")
    folder.trust()
    git(folder.root, "switch", "-q", "main")
    _write(folder.root / ".mcp.json", '{"mcpServers": {}}')
    git(folder.root, "commit", "-qam", "Others")
    git(folder.root, "switch", "-q", "feature")
    report = folder.handle().trust_report()
    assert not report["trusted"]
    assert any("main:.mcp.json" in line for line in report["difference"])


def test_files_of_agents_count_in_any_folder_that_a_run_gets(folder: Folder) -> None:
    _write(folder.root / "tools" / "hooks" / "h.json", "{}")
    _write(folder.root / "packages" / "a" / ".mcp.json", "{}")
    (folder.root / "packages" / ".github").symlink_to("../tools")
    folder.trust()
    git(folder.root, "add", "-A")
    git(folder.root, "commit", "-qm", "Servers")
    difference = folder.handle().trust_report()["difference"]
    found = [line.partition(" = ")[0] for line in difference]
    assert found == [
        "+ agent file in main:packages/.github/hooks/h.json:",
        "+ agent file in main:packages/a/.mcp.json:",
    ]


def test_instructions_are_shown_and_are_no_part_of_the_hash(folder: Folder) -> None:
    hash = folder.trust()
    _write(folder.root / "CLAUDE.md", "Be kind.\n")
    _write(folder.root / ".cursor" / "rules" / "a.mdc", "Be kind.\n")
    report = folder.handle().trust_report()
    assert (report["hash"], report["trusted"]) == (hash, True)
    done = folder.run("trust", "--show")
    names = ("instruction file in .cursor/rules/a.mdc:", "instruction file in CLAUDE.md:")
    assert [any(line.strip().startswith(name) for line in done.stdout.splitlines()) for name in names] == [
        True,
        True,
    ]
    assert "2 instruction files" in done.stdout
    _write(folder.root / ".mcp.json", "{}")
    assert any("CLAUDE.md" in line for line in folder.handle().trust_report()["difference"])


def test_links_are_named_and_what_is_behind_them_counts(folder: Folder) -> None:
    _write(folder.root / "tools" / "settings.json", "{}")
    (folder.root / ".claude").symlink_to("tools")
    folder.trust()
    _write(folder.root / "tools" / "settings.json", '{"hooks": {}}')
    assert not folder.is_trusted()


def test_a_listing_steers_no_terminal(folder: Folder) -> None:
    folder.asks('  # more\nproviders:\n  openai:\n    endpoint: "http://x/\\e[2J\\u202e"\n')
    done = folder.run("trust", "--show")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "\x1b" not in done.stdout
    assert "\\u{202e}" in done.stdout or "\\\\u202e" in done.stdout or "202e" in done.stdout


def test_the_record_of_trust_is_private_and_a_damaged_one_is_no_trust(folder: Folder) -> None:
    folder.trust()
    (record,) = (Path(os.environ["HOME"]) / ".local/state/chant-mcp/trust").iterdir()
    assert (record.stat().st_mode & 0o777, record.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    record.chmod(0o644)
    assert not folder.is_trusted()
    record.chmod(0o600)
    assert folder.is_trusted()
    record.write_text("{}", encoding="utf-8")
    assert not folder.is_trusted()
