"""The project's own part: folders, settings, prompts, ignore file, and its name."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
from datetime import date
from pathlib import Path

import pytest
from chant_mcp import ChantProject
from chant_mcp.init import layout
from init.kit import Folder, tree


def git(root: Path, *words: str) -> str:
    """Run git in a folder, and give what it prints."""
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout


def test_a_new_project_has_six_folders_and_works_at_once(folder: Folder) -> None:
    said = folder()
    assert said.startswith(f"Chant initialized in {folder.root}\n")
    folders = {path.name for path in (folder.root / ".chant").iterdir() if path.is_dir()}
    assert folders == {"specs", "prompts", "logs", "processes", ".locks", ".store"}
    project = ChantProject(folder.root)
    assert project.add("Log in").text.startswith("Created spec: ")
    assert project.lint().data["specs_checked"] == 1, "the configuration can be read"


def test_the_new_configuration(folder: Folder) -> None:
    before = date.today()
    folder("--name", "Harbour")
    front, body = re.fullmatch(r"---\n(.*?)---\n(.*)", folder.read(".chant/config.md"), re.S).groups()  # type: ignore[union-attr]
    assert front == "project:\n  name: Harbour\ndefaults:\n  prompt: standard\n"
    assert {before.isoformat(), date.today().isoformat()} & set(re.findall(r"\d{4}-\d\d-\d\d", body))


def test_provider_and_model_reach_the_configuration(folder: Folder) -> None:
    folder("--provider", "ollama", "--model", "qwen3:8b")
    assert 'defaults:\n  prompt: standard\n  provider: ollama\n  model: "qwen3:8b"\n' in folder.read(
        ".chant/config.md"
    )


@pytest.mark.parametrize(
    ("spelled", "stored"),
    [
        ("claude", "claude"),
        ("claude-cli", "claude"),
        ("ollama", "ollama"),
        ("local", "ollama"),
        ("openai", "openai"),
        ("GPT", "openai"),
        ("kirocli", "kirocli"),
        ("kiro-cli-chat", "kirocli"),
        ("kiro", "kirocli"),
        ("codex", "codex"),
        ("gemini", "gemini"),
        ("opencode", "opencode"),
        ("Cursor", "cursor-agent"),
        ("demo", "demo"),
    ],
)
def test_spellings_of_providers(folder: Folder, spelled: str, stored: str) -> None:
    folder("--provider", spelled)
    assert f"  provider: {stored}\n" in folder.read(".chant/config.md")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--provider", "nobody"], "'nobody' is not one of claude, claude-cli"),
        (["--name", "two\nlines"], "is not a line of text"),
        (["--name", " "], "is not a line of text"),
        (["--model", ""], "is not a line of text"),
        (["templates"], "'templates' is not 'prompts'"),
    ],
)
def test_wrong_values_are_refused_before_anything_is_written(
    folder: Folder, words: list[str], said: str
) -> None:
    assert said in folder.refused(*words, code=2)


def test_five_prompts_are_written(folder: Folder) -> None:
    folder()
    names = sorted(path.stem for path in (folder.root / ".chant/prompts").iterdir())
    assert names == ["merge-conflict", "ollama", "split", "standard", "verify"]
    for name in names:
        text = folder.read(f".chant/prompts/{name}.md")
        assert re.match(rf"---\nname: {name}\npurpose: .+\n---\n", text)
        known = r"\{\{(project\.name|spec(\.(id|path|title|description|target_files|context))?)\}\}"
        assert len(re.findall(r"\{\{", text)) == len(re.findall(known, text)) > 0


def test_prompts_say_what_their_purpose_asks_for(folder: Folder) -> None:
    folder()
    standard = folder.read(".chant/prompts/standard.md")
    for word in (
        "Read",
        "Plan",
        "Implement",
        "Format",
        "lint",
        "Test",
        "Tick",
        "chant({{spec.id}}):",
        "commit your work",
    ):
        assert word in standard
    verify = folder.read(".chant/prompts/verify.md")
    assert "- [x] <criterion>: PASS — " in verify
    assert "Overall status: " in verify
    split = folder.read(".chant/prompts/split.md")
    for key in ("```json", '"members"', '"title"', '"description"', '"criteria"', '"depends_on"'):
        assert key in split
    ollama = folder.read(".chant/prompts/ollama.md")
    for tool in ("read_file", "write_file", "run_command", "list_files", "task_complete"):
        assert f"`{tool}`" in ollama


def test_existing_prompts_are_kept(folder: Folder) -> None:
    own = folder.write(".chant/prompts/standard.md", "my own")
    folder()
    folder("prompts")
    folder("--force-overwrite")
    assert own.read_text() == "my own"
    assert folder.has(".chant/prompts/split.md")


def test_minimal_writes_no_prompts(folder: Folder) -> None:
    folder("--minimal")
    assert list((folder.root / ".chant/prompts").iterdir()) == []


def test_init_prompts_adds_missing_ones_only(folder: Folder) -> None:
    assert "Chant not initialized. Run `chant init` first." in folder.refused("prompts")
    folder("--minimal")
    folder.write(".chant/prompts/verify.md", "my own")
    (folder.root / ".chant/.gitignore").unlink()
    before = tree(folder.root)
    assert "Created .chant/prompts/standard.md" in folder("prompts")
    after = tree(folder.root)
    added = {f".chant/prompts/{name}.md" for name in layout.PROMPTS if name != "verify"}
    assert after.keys() - before.keys() == added
    assert {name: after[name] for name in before} == before
    assert folder("prompts") == "No prompts are missing.\n"


def test_git_does_not_see_local_state(folder: Folder) -> None:
    folder()
    text = folder.read(".chant/.gitignore")
    assert text.startswith("# ")
    lines = text.splitlines()
    local = [".locks/", ".store/", "store/", "logs/", "processes/", "agents.md", "pids/", "tmp/", "watch.pid"]
    assert set(local) < set(lines)
    subprocess.run(["git", "init", "-q"], check=True)
    hidden = [
        *(f"{name}x" if name.endswith("/") else name for name in local),
        ".chant-status.json",
        "specs/.chant-status-2026-01-22-001-x7m.json",
        ".locks.db",
        "locks.db-wal",
        "specs/.chant-0123.tmp",
    ]
    for name in hidden:
        folder.write(f".chant/{name}", "x")
    shown = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True
    )
    prompts = [f"prompts/{name}.md" for name in sorted(layout.PROMPTS)]
    assert shown.stdout.split()[1::2] == [f".chant/{name}" for name in (".gitignore", "config.md", *prompts)]


def test_an_ignore_file_keeps_its_own_lines(folder: Folder) -> None:
    folder.write(".chant/.gitignore", "mine/\nlogs/\nlast")
    folder()
    lines = folder.read(".chant/.gitignore").splitlines()
    assert lines[:3] == ["mine/", "logs/", "last"]
    assert lines.count("logs/") == 1
    assert "pids/" in lines


def test_the_name_is_found_in_the_documented_order(folder: Folder) -> None:
    def name(*words: str) -> str:
        folder(*words)
        found = re.search(r"  name: (.*)\n", folder.read(".chant/config.md"))
        (folder.root / ".chant/config.md").unlink()
        assert found
        return found[1]

    assert name() == "my-app"
    folder.write("go.mod", "// comment\nmodule example.org/team/gondola\n\ngo 1.22\n")
    assert name() == "gondola"
    folder.write("Cargo.toml", '[package]\nname = "canoe"\n[[bin]]\nname = "other"\n')
    assert name() == "canoe"
    folder.write("package.json", '{"name": "@team/punt", "version": "1"}')
    assert name() == '"@team/punt"'
    assert name("--name", "ferry") == "ferry"
    folder.write("package.json", "{ not json")
    assert name() == "canoe", "a file that cannot be read is passed over"
    folder.write("package.json", '{"name": 5}')
    assert name() == "canoe"


@pytest.mark.parametrize(
    "name", ["a: b", "- x", "'q'", "yes", "1.5", "#1", "naïve 🛳", 'say "hi" \\ there', "[a"]
)
def test_any_name_survives_the_configuration(folder: Folder, name: str) -> None:
    folder("--name", name)
    written = re.search(r"  name: (.*)\n", folder.read(".chant/config.md"))
    assert written
    assert (json.loads(written[1]) if written[1].startswith('"') else written[1]) == name
    ChantProject(folder.root).lint()


def test_running_it_again_changes_nothing(folder: Folder) -> None:
    folder("--agent", "all", "--client", "all")
    before = tree(folder.root)
    times = {path: path.stat().st_mtime_ns for path in folder.root.rglob("*")}
    assert folder() == "Chant already initialized.\n"
    assert folder("--agent", "all", "--client", "all") == "Chant already initialized.\n"
    assert tree(folder.root) == before
    assert {path: path.stat().st_mtime_ns for path in folder.root.rglob("*")} == times


def test_a_fresh_clone_gets_back_the_folders_that_git_does_not_keep(folder: Folder) -> None:
    folder.write(".chant/config.md", "---\nproject:\n  name: kept\n---\n")
    said = folder()
    assert "Created .chant/specs/" in said
    assert folder.read(".chant/config.md") == "---\nproject:\n  name: kept\n---\n"
    ChantProject(folder.root).status()


def test_force_overwrite_keeps_what_people_made(folder: Folder) -> None:
    folder()
    made = {
        name: folder.write(f".chant/{name}", f"---\n# {name}\n---\n").read_bytes()
        for name in (
            "specs/2026-01-22-001-x7m.md",
            "archive/2026-01-12/2026-01-12-001-a2c.md",
            "config.md",
            "prompts/standard.md",
            "prompts/extensions/house.md",
            "templates/bug.md",
            "schemas/out.json",
            "logs/2026-01-22-001-x7m.log",
            ".locks/2026-01-22-001-x7m.lock",
            "processes/one.json",
            ".store/x",
            "agents.md",
            "watch.pid",
        )
    }
    (folder.root / ".chant/prompts/split.md").unlink()
    folder("--force-overwrite")
    assert {name: (folder.root / ".chant" / name).read_bytes() for name in made} == made
    assert folder.has(".chant/prompts/split.md"), "what is missing is restored"


def test_a_sub_folder_of_a_checkout_belongs_to_its_project(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    folder()
    below = folder.root / "src"
    below.mkdir()
    monkeypatch.chdir(below)
    assert folder() == "Chant already initialized.\n"
    assert list(below.iterdir()) == []
    folder("--project", ".")
    assert (below / ".chant" / "config.md").is_file()


def test_a_project_above_the_checkout_is_somebody_elses(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".chant" / "specs").mkdir(parents=True)
    before = tree(tmp_path / ".chant")
    folder("--agent", "claude")
    assert folder.has(".chant/config.md")
    assert tree(tmp_path / ".chant") == before
    assert not (tmp_path / "CLAUDE.md").exists()


def test_new_files_have_the_rights_that_new_files_have(folder: Folder) -> None:
    umask = os.umask(0o022)
    try:
        folder()
    finally:
        os.umask(umask)
    assert stat.S_IMODE((folder.root / ".chant/config.md").stat().st_mode) == 0o644


@pytest.mark.parametrize(
    "words", [[], ["--agent", "claude"], ["--client", "all"], ["--silent"], ["--minimal"]]
)
def test_the_proposed_commit_has_all_that_was_written(
    folder: Folder, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.root)
    git(folder.root, "init", "-q")
    out = folder(*words)
    written = set(re.findall(r"^  Created (\S+[^/\n])$", out, re.MULTILINE))
    line = next((line for line in out.splitlines() if line.startswith("  git add ")), None)
    if "--silent" in words:
        assert line is None
        return
    assert line is not None
    subprocess.run(line.partition(" && ")[0], shell=True, cwd=folder.root, check=True)  # what a person types
    assert set(git(folder.root, "diff", "--cached", "--name-only").split()) == written
    assert git(folder.root, "status", "--porcelain", "-uall").count("??") == 0


def test_a_folder_that_becomes_a_repository_stays_trusted(
    folder: Folder, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.root)
    shutil.rmtree(home / ".config", ignore_errors=True)  # where the tests' user trusts everything

    def is_trusted() -> bool:
        return ChantProject(folder.root, environment=dict(os.environ)).trust_report()["trusted"]

    out = folder()
    assert "  git init && git add .chant && git commit" in out
    assert is_trusted()
    git(folder.root, "init", "-q")
    assert is_trusted()
    # A hook is something that nobody said yes to.
    folder.write(".git/hooks/pre-commit", "#!/bin/sh\n").chmod(0o755)
    assert not is_trusted()


def test_what_a_person_has_to_look_at_first_is_named(
    folder: Folder, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other programs' files are there: the agent would be refused until a person trusts them."""
    (folder.root / ".env").write_text("A=b\n", encoding="utf-8")
    (folder.root / "package-lock.json").write_text("{}", encoding="utf-8")
    monkeypatch.chdir(folder.root)
    shutil.rmtree(home / ".config", ignore_errors=True)  # where the tests' user trusts everything
    said = folder()
    assert "chant-mcp trust                       you look at 5 prompts, 1 agent file, 1 setting" in said
    assert "chant-mcp env propose" in said
    assert said.index("chant-mcp trust ") < said.index("chant-mcp work 001")
