"""Real git merges of spec files, with the merge driver as `init` registers it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from chant_mcp.cli import program
from chant_mcp.init.merge_driver import command
from click.testing import CliRunner
from harness import Project

ID = "2026-01-22-001-x7m"
FILE = f".chant/specs/{ID}.md"
BASE = """\
---
type: code # what it is
status: pending
labels: [a, b]
---

# Log in

Text.

## Acceptance Criteria

- [ ] one
- [ ] two

## Notes

End.
"""


def _with(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


class Repository(Project):
    """A repository with the driver, a spec on `main`, and a branch `topic`."""

    def commit(self, text: str | bytes, file: str = FILE, message: str = "Change") -> None:
        """Write the spec and commit everything."""
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        self.git("add", "-A")
        self.git("commit", "-qm", message)

    def branches(self, ours: str | bytes, theirs: str | bytes, base: str | bytes = BASE) -> None:
        """Change the spec on `main` and on `topic`."""
        self.commit(base)
        self.git("switch", "-qc", "topic")
        self.commit(theirs, message="Theirs")
        self.git("switch", "-q", "main")
        self.commit(ours, message="Ours")

    def merge(self, *words: str) -> str:
        """Run git, which succeeds, and give the spec."""
        done = self.run(*(words or ("merge", "-q", "topic")))
        assert done.returncode == 0, done.stderr
        assert not self.git("status", "--porcelain")
        return (self.root / FILE).read_bytes().decode()

    def conflict(self, *words: str) -> tuple[str, str]:
        """Run git, which finds a conflict, and give the spec and what is said on standard error."""
        done = self.run(*(words or ("merge", "-q", "topic")))
        assert done.returncode == 1, done.stderr
        assert "UU " in self.git("status", "--porcelain") or "AA " in self.git("status", "--porcelain")
        assert not list(self.root.glob(".merge_file_*"))
        assert not list(self.root.glob(".chant-*"))
        return (self.root / FILE).read_bytes().decode(errors="surrogateescape"), done.stderr

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run git, whatever comes of it."""
        return subprocess.run(
            ["git", *words], cwd=self.root, capture_output=True, text=True, encoding="utf-8", check=False
        )

    def driver(self, line: str) -> None:
        """Register another command line."""
        self.git("config", "merge.chant-spec.driver", line)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository in which `init` was run."""
    root = tmp_path / "a project"
    root.mkdir()
    there = Repository(root)
    there.git("init", "-q", "-b", "main")
    words = ["init", "--project", str(root), "--minimal"]
    result = CliRunner().invoke(program, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return there


OURS = _with(BASE, ("pending", "in_progress"), ("[a, b]", "[a, b, c]"), ("[ ] one", "[x] one"))
THEIRS = _with(BASE, ("pending", "completed"), ("[a, b]", "[b, d]\ncommits: [1a2b]"), ("[ ] two", "[x] two"))
BOTH = _with(
    BASE,
    ("pending", "completed"),
    ("[a, b]", "[b, c, d]\ncommits: [1a2b]"),
    ("[ ] one", "[x] one"),
    ("[ ] two", "[x] two"),
)


def test_status_lists_and_ticks_of_both_branches_are_merged(repository: Repository) -> None:
    repository.branches(OURS, THEIRS)
    assert repository.merge() == BOTH


def test_the_more_advanced_status_is_taken_also_where_only_the_other_side_changed_it(
    repository: Repository,
) -> None:
    base = _with(BASE, ("pending", "in_progress"))
    ours = _with(base, ("# Log in", "# Sign in"))
    repository.branches(ours, _with(base, ("in_progress", "failed")), base)
    assert repository.merge() == ours


def test_edits_of_both_bodies_are_merged(repository: Repository) -> None:
    repository.branches(
        _with(OURS, ("Text.", "Ours.")), _with(THEIRS, ("End.", "The end."), ("# Log in", "# Sign in"))
    )
    expected = _with(BOTH, ("Text.", "Ours."), ("End.", "The end."), ("# Log in", "# Sign in"))
    assert repository.merge() == expected


def test_what_both_changed_is_left_between_markers_and_told(repository: Repository) -> None:
    repository.branches(_with(OURS, ("Text.", "Ours.")), _with(THEIRS, ("Text.", "Theirs.")))
    text, said = repository.conflict()
    marked = "<<<<<<< HEAD\nOurs.\n=======\nTheirs.\n>>>>>>> topic"
    assert text == _with(BOTH, ("Text.", marked))
    assert said == f"{FILE}: the body was changed in both: 'Ours.' in HEAD and 'Theirs.' in topic\n"
    stages = repository.git("ls-files", "--unmerged").splitlines()
    assert len(stages) == 3, "git still has all three versions"
    repository.commit(_with(text, (marked, "Ours and theirs.")))
    assert not repository.git("status", "--porcelain")


def test_markers_have_the_length_that_attributes_ask_for(repository: Repository) -> None:
    attributes = repository.root / ".gitattributes"
    attributes.write_text(attributes.read_text() + "*.md conflict-marker-size=12\n", encoding="utf-8")
    repository.branches(_with(BASE, ("Text.", "Ours.")), _with(BASE, ("Text.", "Theirs.")))
    text, _ = repository.conflict()
    assert f"{'<' * 12} HEAD\nOurs.\n{'=' * 12}\nTheirs.\n{'>' * 12} topic\n" in text


def test_a_git_that_does_not_name_the_sides_is_understood(repository: Repository) -> None:
    line = repository.git("config", "merge.chant-spec.driver").rstrip("\n")
    # As an older git does: it hands on what it does not know.
    repository.driver(line.replace("%X", "%%X").replace("%Y", "%%Y"))
    repository.branches(_with(BASE, ("Text.", "Ours.")), _with(BASE, ("Text.", "Theirs.")))
    text, said = repository.conflict()
    assert "<<<<<<< ours\nOurs.\n=======\nTheirs.\n>>>>>>> theirs\n" in text
    assert "'Ours.' in ours and 'Theirs.' in theirs" in said


def test_a_spec_that_both_branches_made(repository: Repository) -> None:
    repository.commit("", file="readme")
    repository.git("switch", "-qc", "topic")
    repository.commit(THEIRS)
    repository.git("switch", "-q", "main")
    repository.commit(_with(OURS, ("Text.", "Ours.")))
    text, _ = repository.conflict()
    assert "status: completed\n" in text
    assert "\n<<<<<<< HEAD\nOurs.\n=======\nText.\n>>>>>>> topic\n" in text
    assert "- [x] one\n- [x] two\n" in text


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("is_whole", [True, False])
def test_line_ends_byte_order_mark_and_final_newline_are_kept(
    repository: Repository, mark: str, is_whole: bool
) -> None:
    def written(text: str) -> bytes:
        text = mark + text.replace("\n", "\r\n")
        return (text if is_whole else text.rstrip()).encode()

    repository.branches(written(OURS), written(THEIRS), base=written(BASE))
    assert repository.merge().encode() == written(BOTH)


def test_a_spec_that_one_side_archived_is_merged_where_it_is_now(repository: Repository) -> None:
    archived = f".chant/archive/2026-01-23/{ID}.md"
    repository.commit(BASE)
    repository.git("switch", "-qc", "topic")
    (repository.root / archived).parent.mkdir(parents=True)
    repository.git("mv", FILE, archived)
    repository.commit(_with(THEIRS, ("Text.", "Theirs.")), file=archived)
    repository.git("switch", "-q", "main")
    repository.commit(OURS)
    assert repository.run("merge", "-q", "topic").returncode == 0
    assert not (repository.root / FILE).exists()
    assert (repository.root / archived).read_text() == _with(BOTH, ("Text.", "Theirs."))


def test_rebase_cherry_pick_and_stash_use_it(repository: Repository) -> None:
    repository.branches(OURS, THEIRS)
    start = repository.git("rev-parse", "HEAD").strip()
    assert repository.merge("cherry-pick", "topic") == BOTH
    repository.git("reset", "-q", "--hard", start)
    assert repository.merge("rebase", "-q", "topic") == _with(BOTH, ("[b, c, d]", "[b, d, c]"))
    repository.git("reset", "-q", "--hard", start)
    (repository.root / FILE).write_text(_with(OURS, ("[ ] two", "[x] two")), encoding="utf-8")
    repository.git("stash", "-q")
    repository.merge()
    repository.git("stash", "pop", "-q")
    assert (repository.root / FILE).read_text() == BOTH


def test_linked_worktrees_use_it(repository: Repository, tmp_path: Path) -> None:
    repository.branches(OURS, THEIRS)
    linked = tmp_path / "linked"
    repository.git("worktree", "add", "-q", str(linked), "topic")
    assert Repository(linked).merge("merge", "-q", "main") == _with(BOTH, ("[b, c, d]", "[b, d, c]"))


def test_branches_that_were_merged_both_ways_are_merged_again(repository: Repository) -> None:
    repository.branches(_with(OURS, ("Text.", "Ours.")), _with(THEIRS, ("Text.", "Theirs.")))
    ours, theirs = (repository.git("rev-parse", name).strip() for name in ("main", "topic"))
    settled = _with(BOTH, ("Text.", "Both."))
    for branch, other in (("main", theirs), ("topic", ours)):
        repository.git("switch", "-q", branch)
        repository.conflict("merge", "-q", other)
        repository.commit(settled)
    repository.commit(_with(settled, ("[1a2b]", "[1a2b]\nmodel: opus")))
    repository.git("switch", "-q", "main")
    repository.commit(_with(settled, ("End.", "The end.")))
    expected = _with(settled, ("[1a2b]", "[1a2b]\nmodel: opus"), ("End.", "The end."))
    assert repository.merge() == expected


def test_a_project_below_the_top_with_any_name(repository: Repository) -> None:
    below = Repository(repository.root / "it's a 100% $(touch x) project")
    below.root.mkdir()
    words = ["init", "--project", str(below.root), "--minimal"]
    assert CliRunner().invoke(program, words, catch_exceptions=False).exit_code == 0
    below.branches(OURS, THEIRS)
    assert below.merge() == BOTH
    below.git("reset", "-q", "--hard", "HEAD^")
    below.commit(_with(OURS, ("End.", "Ours.")))
    below.git("switch", "-q", "topic")
    below.commit(_with(THEIRS, ("End.", "Theirs.")))
    text, said = below.conflict("merge", "-q", "main")
    assert "<<<<<<< HEAD\nTheirs.\n=======\nOurs.\n>>>>>>> main\n" in text
    assert said.startswith(f"{below.root.name}/{FILE}: ")
    assert not (repository.root / "x").exists()


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (_with(BASE, ("[a, b]", "[[a")), _with(BASE, ("[a, b]", "[b]"))),
        (BASE.replace("Text.", "\xff").encode("latin-1"), _with(BASE, ("Text.", "Theirs."))),
    ],
)
def test_what_is_no_spec_is_merged_as_git_merges_it(
    repository: Repository, ours: str | bytes, theirs: str
) -> None:
    repository.branches(ours, theirs)
    text, said = repository.conflict()
    assert f"{FILE}: the spec cannot be read in HEAD: " in said
    repository.git("merge", "--abort")
    repository.git("config", "--remove-section", "merge.chant-spec")
    assert repository.conflict()[0] == text


def test_what_is_no_spec_is_a_conflict_even_where_lines_agree(repository: Repository) -> None:
    ours, theirs = _with(BASE, ("[a, b]", "[[a")), _with(BASE, ("End.", "The end."))
    repository.branches(ours, theirs)
    assert repository.conflict()[0] == _with(ours, ("End.", "The end."))


def test_what_is_no_text_stays_as_ours_until_a_person_decides(repository: Repository) -> None:
    repository.branches(OURS, b"\0" + THEIRS.encode())
    text, said = repository.conflict()
    assert text == OURS
    assert said == f"{FILE}: the spec cannot be read in topic: it is no text; HEAD stays as it is\n"


def test_without_the_driver_git_merges_line_by_line(repository: Repository) -> None:
    repository.git("config", "--remove-section", "merge.chant-spec")
    repository.branches(OURS, THEIRS)
    assert "<<<<<<< HEAD\nstatus: in_progress\n" in repository.conflict()[0]


@pytest.mark.parametrize("broken", ["gone", "no interpreter", "another release", "killed"])
def test_when_the_program_does_not_run_git_merges_line_by_line(
    repository: Repository, tmp_path: Path, broken: str
) -> None:
    script = tmp_path / "50% of my tools" / "chant-mcp"
    script.parent.mkdir()
    if broken != "gone":
        first = {"no interpreter": "#!/nowhere/python", "another release": "#!/bin/sh\nexit 2"}
        script.write_text(first.get(broken, "#!/bin/sh\nkill -9 $$"), encoding="utf-8")
        script.chmod(0o755)
    repository.driver(command(sys.executable, script))
    repository.branches(OURS, THEIRS)
    text, said = repository.conflict()
    assert "<<<<<<< ours\nstatus: in_progress\n" in text
    assert "status: completed\n" in text, "theirs is not lost"
    assert f"chant-mcp did not run, so git merges line by line: {FILE}\n" in said
    repository.git("merge", "--abort")
    repository.git("reset", "-q", "--hard", "main^")
    repository.commit(_with(BASE, ("End.", "The end.")))
    assert repository.merge() == _with(THEIRS, ("End.", "The end."))


def test_the_program_may_lie_in_a_folder_of_any_name(repository: Repository, tmp_path: Path) -> None:
    script = tmp_path / "it's 100%A $HOME; exit 1" / "chant-mcp"
    script.parent.mkdir()
    main = f"#!{sys.executable}\nfrom chant_mcp.cli import main\nmain()\n"
    script.write_text(main, encoding="utf-8")
    script.chmod(0o755)
    repository.driver(command(sys.executable, script))
    repository.branches(OURS, THEIRS)
    assert repository.merge() == BOTH


@pytest.mark.parametrize("has_script", [True, False])
def test_modules_of_the_checkout_are_not_run(repository: Repository, has_script: bool) -> None:
    if not has_script:
        repository.driver(command(sys.executable, None))
    for name in ("chant_mcp/__init__.py", "chant_mcp/cli.py", "click.py", "sys.py", "json.py"):
        path = repository.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("raise SystemExit('the checkout ran')\n", encoding="utf-8")
    repository.branches(OURS, THEIRS)
    assert repository.merge() == BOTH


def _driven(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "chant_mcp", "merge-driver", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders refuse nothing on Windows")
def test_when_it_cannot_run_the_file_stays_and_git_is_told(tmp_path: Path) -> None:
    for name, text in (("base", BASE), ("ours", OURS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = _driven("base", "ours", "theirs", FILE, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (129, "")
    assert done.stderr == f"Cannot merge {FILE}: theirs: No such file or directory\n"
    assert (tmp_path / "ours").read_text() == OURS


def test_it_loads_neither_server_nor_project(tmp_path: Path) -> None:
    for name, text in (("base", BASE), ("ours", OURS), ("theirs", THEIRS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    code = (
        "import sys; from chant_mcp.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "print(*sys.modules)"
    )
    words = [sys.executable, "-c", code, "merge-driver", "base", "ours", "theirs"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=True, text=True, encoding="utf-8")
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"mcp", "mcp_types", "anyio", "pydantic", "rich", "questionary", "asyncio"}
    assert (tmp_path / "ours").read_text() == BOTH
    assert sorted(path.name for path in tmp_path.iterdir()) == ["base", "ours", "theirs"]


def test_texts_of_specs_do_not_steer_the_terminal(tmp_path: Path) -> None:
    for name, text in (("base", "a\n"), ("ours", "\x1b[31mb\n"), ("theirs", "c\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = _driven("base", "ours", "theirs", cwd=tmp_path)
    assert done.returncode == 1
    assert "\x1b" not in done.stderr


def test_it_is_not_listed_among_the_commands() -> None:
    assert "merge-driver" not in CliRunner().invoke(program, ["--help"]).output
    assert "merge-driver" in CliRunner().invoke(program, ["merge-driver", "--help"]).output
