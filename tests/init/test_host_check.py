"""What `init` writes for hosts starts a server where nothing is known of this Python environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.init.host_check import check_hosts
from init.kit import Folder

SCRIPTS = Path(sys.executable).parent


def entry(folder: Folder, **ours: Any) -> None:
    folder.write(".mcp.json", json.dumps({"mcpServers": {"chant": {"type": "stdio", **ours}}}))


@pytest.mark.requirement("doors:init:works_outside_the_environment")
def test_what_init_writes_answers_without_the_environment(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([str(SCRIPTS), os.environ["PATH"]]))
    folder("--client", "claude")
    [check] = check_hosts(folder.root, sys.executable, os.environ)
    assert (check.file, check.works) == (".mcp.json", True), check.why


@pytest.mark.requirement("doors:init:works_outside_the_environment")
def test_an_entry_that_needs_the_environment_is_reported(folder: Folder) -> None:
    entry(folder, command="chant", args=["mcp"])
    [check] = check_hosts(folder.root, sys.executable, {})
    assert check.works is False or check.why.endswith("was not started")
    entry(folder, command="/no/such/python", args=["-m", "chant_mcp"])
    [check] = check_hosts(folder.root, sys.executable, {})
    assert (check.works, check.why) == (False, "there is no such program")


@pytest.mark.requirement("doors:init:works_outside_the_environment")
def test_a_file_of_a_project_chooses_nothing_that_is_run(folder: Folder, tmp_path: Path) -> None:
    program, mark = tmp_path / "server", tmp_path / "mark"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n", encoding="utf-8")
    program.chmod(0o755)
    for args in (["-m", "chant_mcp"], []):
        entry(folder, command=str(program), args=args)
        [check] = check_hosts(folder.root, sys.executable, os.environ)
        assert check.works is None
    entry(folder, command=sys.executable, args=["-c", f"open({str(mark)!r}, 'w')"])
    [check] = check_hosts(folder.root, sys.executable, os.environ)
    assert check.works is None
    assert not mark.exists()


@pytest.mark.requirement("doors:init:works_outside_the_environment")
def test_a_path_of_this_machine_in_a_file_that_git_tracks_is_said(folder: Folder) -> None:
    folder.write(".mcp.json", "{}")
    for words in (["init", "-q"], ["add", ".mcp.json"]):
        subprocess.run(["git", *words], cwd=folder.root, check=True, capture_output=True)
    said = " ".join(folder("--client", "claude", "--client", "cursor").split())
    assert "git tracks `.mcp.json`, which now names this machine's Python" in said
    assert "git tracks `.cursor" not in said
