"""One rule says which project is meant, for lists and for edits, in checkouts of every kind."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import Cli
from harness import Project
from speckit.features import Features

TASKS = "# Tasks\n\n- [ ] T001 {}\n"
FILE = "specs/{}/tasks.md"


def _git(folder: Path, *words: str) -> None:
    trusted = ["-c", "protocol.file.allow=always", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", *trusted, *words], cwd=folder, check=True, capture_output=True)


def _repository(root: Path, name: str, specify: str) -> None:
    """Make a repository on the branch of its one feature."""
    root.mkdir(parents=True, exist_ok=True)
    _git(root, "init", "-q", "-b", name)
    _feature(root, name)
    if specify != "absent":
        (root / ".specify").mkdir()
        (root / ".specify" / "notes.md").write_text("# Notes\n", encoding="utf-8")
    if specify == "ignored":
        (root / ".gitignore").write_text(".specify/\n", encoding="utf-8")
    _git(root, "add", "-A")
    _git(root, "commit", "-qm", "Begin")


def _feature(root: Path, name: str) -> None:
    file = root / FILE.format(name)
    file.parent.mkdir(parents=True)
    file.write_text(TASKS.format(f"In {name}"), encoding="utf-8")


def _worktree(main: Path, specify: str) -> Path:
    _feature(main, "002-y")
    _git(main, "add", "-A")
    _git(main, "commit", "-qm", "More")
    _git(main, "worktree", "add", "-qb", "002-y", "trees/y")
    return main / "trees" / "y"


def _submodule(main: Path, specify: str) -> Path:
    other = main.parent / "other"
    _repository(other, "002-y", specify)
    _git(main, "submodule", "add", "-q", str(other), "parts/y")
    _git(main / "parts" / "y", "switch", "-q", "002-y")
    return main / "parts" / "y"


def _nested(main: Path, specify: str) -> Path:
    _repository(main / "parts" / "y", "002-y", "absent")
    return main / "parts" / "y"


def _monorepo(main: Path, specify: str) -> Path:
    _feature(main / "parts" / "y", "002-y")
    _git(main, "add", "-A")
    _git(main, "commit", "-qm", "More")
    _git(main, "switch", "-qc", "feature/002-y")
    return main / "parts" / "y"


@pytest.mark.parametrize("specify", ["tracked", "ignored", "absent"])
@pytest.mark.parametrize("make", [_worktree, _submodule, _nested, _monorepo])
@pytest.mark.anyio
async def test_what_is_edited_is_what_is_listed(
    make: Callable[[Path, str], Path], specify: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = tmp_path / "main"
    _repository(main, "001-x", specify)
    inner = make(main, specify)
    before = {path: path.read_bytes() for path in main.rglob("tasks.md")}
    monkeypatch.chdir(inner)
    cli = Cli(Project(inner))
    (key,) = [row["key"] for row in cli.json("speckit", "list")["items"] if "002-y" in row["key"]]
    assert key == "speckit:002-y#T001"
    cli("speckit", "complete", "T001")
    # The door of agents means the same.
    async with Features(inner).seen(inner) as call:
        context = await call.data("rstn_get_context")
        assert (context["root"], context["spec_dir"]) == (str(inner.resolve()), "specs/002-y")
        assert "T001" in await call.text("rstn_read_spec", artifact="tasks")
    changed = {path for path in before if path.read_bytes() != before[path]}
    assert changed == {inner / FILE.format("002-y")}


@pytest.mark.parametrize("make", [_worktree, _submodule, _nested])
def test_a_checkout_without_work_files_is_not_the_project_above_it(
    make: Callable[[Path, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = tmp_path / "main"
    _repository(main, "001-x", "ignored")
    inner = make(main, "absent")
    subprocess.run(["rm", "-r", str(inner / "specs")], check=True)
    before = {path: path.read_bytes() for path in main.rglob("tasks.md")}
    monkeypatch.chdir(inner)
    cli = Cli(Project(inner))
    assert cli.json("speckit", "list")["items"] == []
    assert cli.run("speckit", "complete", "T001").exit_code == 1
    assert {path: path.read_bytes() for path in main.rglob("tasks.md")} == before


@pytest.mark.parametrize(
    ("branch", "means"),
    [
        ("feature/001-auth", None),
        ("001-bill", None),
        ("feature/001-billing", "specs/001-billing"),
        ("ada/001_billing", "specs/001-billing"),
        ("001-billing-again", "specs/001-billing"),
    ],
)
def test_a_branch_of_another_name_means_no_feature_of_its_number(
    branch: str, means: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _repository(tmp_path / "main", "003-other", "absent")
    project = tmp_path / "main" / "apps" / "billing"
    _feature(project, "001-billing")
    _git(tmp_path / "main", "switch", "-qC", branch)
    monkeypatch.chdir(project)
    cli = Cli(Project(project))
    assert cli.json("speckit", "context")["spec_dir"] == means
    done = cli.run("speckit", "complete", "T001", "--feature", branch.rpartition("/")[2])
    assert done.exit_code == (0 if means else 1), done.output
