"""`init` proposes an agent that is here, and says why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from init.kit import Folder
from init.test_wizard import ENTER, answered

CLAUDE = """\
#!/bin/sh
case "$*" in
  "auth status") exit ${LOGGED_OUT:-0};;
esac
"""


def install(*names: str) -> None:
    """Put programs on the `PATH`."""
    for name in names:
        file = Path(os.environ["PATH"]) / name
        file.write_text(CLAUDE if name == "claude" else "#!/bin/sh\nexit 1\n", encoding="utf-8")
        file.chmod(0o755)


@pytest.fixture(autouse=True)
def _without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "CODEX_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_the_first_that_is_logged_in_is_taken_and_told(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("claude", "codex")
    monkeypatch.setenv("CODEX_API_KEY", "key-of-codex")
    told = folder()
    assert "  provider: codex\n" in folder.read(".chant/config.md")
    assert "Agent OpenAI Codex (codex), logged in by CODEX_API_KEY" in told
    assert "Also here claude; `defaults.provider` in .chant/config.md chooses" in told


def test_where_nothing_says_so_the_agents_are_asked_who_is_logged_in(folder: Folder) -> None:
    install("codex", "claude")
    assert "Agent Claude Code (claude), logged in by `claude auth status`" in folder()


def test_a_program_in_the_folder_itself_is_no_agent(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    own = folder.write("bin/claude", CLAUDE)
    own.chmod(0o755)
    monkeypatch.setenv("PATH", f"{own.parent}{os.pathsep}{os.environ['PATH']}")
    told = folder()
    assert "provider" not in folder.read(".chant/config.md")
    assert "No known agent is on the PATH." in told
    assert "npm install -g" in told
    assert "--agent demo" in told


def test_what_is_asked_for_wins(folder: Folder) -> None:
    install("claude")
    assert "Agent Claude" not in folder("--provider", "ollama")
    assert "  provider: ollama\n" in folder.read(".chant/config.md")


def test_at_a_terminal_the_agents_that_are_here_come_first(folder: Folder) -> None:
    install("codex")
    assert answered(folder.root, ENTER * 4).provider == "codex"
