"""Editors as they are, without a screen, with the lines that the guide gives them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "your-editor.md"
LIBRARY = Path(__file__).parents[2] / "editors" / "vscode"
"""The extension, whose packages hold the protocol of VS Code."""
SPEC = ".chant/specs/2026-01-22-001-x7m.md"
OTHER_SPEC = ".chant/specs/2026-01-22-002-abc.md"
TEXTS = {
    SPEC: "---\ntype: code\nstatus: pending\ndepends_on: [2026-01-22-002-abc]\n---\n# Log in\n\nText.\n\n"
    "## Acceptance Criteria\n\n- [ ] It works\n",
    OTHER_SPEC: "---\ntype: code\nstatus: pending\n---\n# Open the door\n\n## Acceptance Criteria\n\n"
    "- [ ] It opens\n",
    "plan.vine": "vine 1.0.0\ntitle: Shop\n---\n[root] The shop (planning)\n-> build\n---\n"
    "[build] Build it (notstarted)\n",
}


def snippet(name: str) -> str:
    """Give a block of the guide."""
    found = re.search(rf"```\w+ file={re.escape(name)}\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert found, name
    return found[1]


def release_of(program: str) -> tuple[int, ...]:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"(\d+)\.(\d+)", said)
    assert found, said
    return tuple(map(int, found.groups()))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with plans."""
    root = tmp_path / "work"
    for path, text in TEXTS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    (root / ".git").mkdir()
    return root


def results_of(root: Path, words: list[str], **variables: str) -> Any:
    """Run an editor that writes down what came of its tasks."""
    results = root.parent / "results.json"
    # The program as a person has it on the path.
    program = root.parent / "bin" / "chant-mcp"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m chant_mcp "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(program.parent), os.environ["PATH"]]),
        "TASKS": str(results),
        "SPEC": SPEC,
        "OTHER": "plan.vine",
        **variables,
    }
    done = subprocess.run(
        words, cwd=root, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert results.is_file(), done.stdout + done.stderr
    return json.loads(results.read_text("utf-8"))


def test_neovim_does_ten_tasks_with_the_lines_of_the_guide(root: Path) -> None:
    if shutil.which("nvim") is None:
        pytest.skip("not run: Neovim is not installed")
    is_new = release_of("nvim") >= (0, 11)
    lines = root.parent / "init.lua"
    lines.write_text(snippet("nvim/init.lua" if is_new else "nvim/older.lua"), encoding="utf-8")
    tasks = Path(__file__).with_name("neovim_tasks.lua")
    done = results_of(root, ["nvim", "--headless", "-n", "-u", str(lines), "-c", f"luafile {tasks}"])
    assert 2 in done["findings"]
    assert done["action"] == "status: pending"
    assert "Open the door" in done["hover"]
    assert done["definition"] == (root / OTHER_SPEC).as_uri()
    assert done["references"] == 1
    assert "2026-01-22-002-abc" in done["completion"]
    assert done["symbols"] >= 1
    assert done["workspace_symbols"] >= 1
    assert done["lens"].startswith("waits for 1")
    assert done["inlay"] >= 1
    assert done["renamed"][4:7] == ["-> make", "---", "[make] Build it (notstarted)"]
    assert done["servers"] == 1
    assert done["undone"] == TEXTS["plan.vine"].splitlines()
    assert {path: (root / path).read_text("utf-8") for path in TEXTS} == TEXTS, "nothing was saved"


def test_emacs_shows_findings_and_answers(root: Path) -> None:
    if shutil.which("emacs") is None:
        pytest.skip("not run: Emacs is not installed")
    if subprocess.run(["emacs", "--batch", "-l", "eglot"], capture_output=True, check=False).returncode:
        pytest.skip("not run: Emacs has no eglot")
    lines = root.parent / "init.el"
    lines.write_text(snippet("emacs/init.el"), encoding="utf-8")
    tasks = Path(__file__).with_name("eglot_tasks.el")
    done = results_of(root, ["emacs", "--batch", "-l", str(lines), "-l", str(tasks)])
    assert done["findings"] is True
    assert "Build it" in done["hover"]
    assert done["definition"] == (root / "plan.vine").as_uri()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_protocol_library_of_vs_code_gets_what_it_asks_for(root: Path, encoding: str) -> None:
    library = LIBRARY / "node_modules" / "vscode-languageserver-protocol"
    if shutil.which("node") is None or not library.is_dir():
        pytest.skip("not run: needs node, and `npm install --no-package-lock` in editors/vscode")
    tasks = Path(__file__).with_name("protocol_tasks.js")
    server = [sys.executable, "-P", "-m", "chant_mcp", "lsp"]
    words = ["node", str(tasks), str(LIBRARY), str(root), encoding, *server]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["encoding"], found["ended"]) == (encoding, 0)
    assert found["findings"] >= 1
    assert "Open the door" in found["hover"]
    assert found["definition"] == (root / OTHER_SPEC).as_uri()
    assert "2026-01-22-002-abc" in found["completion"]
    assert [found["references"], found["symbols"], found["found"]] == [1, 1, 1]
    assert found["lenses"][0].startswith("waits for 1")
    assert found["fixed"]["newText"] == "pending"
    assert "New spec from the selection" in found["actions"]
    assert found["renamed"] == 2
    assert {path: (root / path).read_text("utf-8") for path in TEXTS} == TEXTS, "nothing was written"


def test_the_lines_for_helix_are_a_language_with_its_server() -> None:
    toml = pytest.importorskip("tomllib", reason="not run: no reader of TOML")
    read = toml.loads(snippet("helix/languages.toml"))
    [name] = read["language-server"]
    assert {"command", "args"} <= set(read["language-server"][name])
    for language in read["language"]:
        assert language["language-servers"] == [name]
        assert language["name"] == "markdown" or {"scope", "file-types"} <= set(language)
