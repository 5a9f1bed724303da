"""What `init` writes for hosts starts a server where nothing is known of this Python environment."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.init.host_check import check_hosts
from init.kit import Folder

SCRIPTS = Path(sys.executable).parent


def entry(folder: Folder, **ours: Any) -> None:
    folder.write(".mcp.json", json.dumps({"mcpServers": {"chant": {"type": "stdio", **ours}}}))


def test_what_init_writes_answers_without_the_environment(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([str(SCRIPTS), os.environ["PATH"]]))
    folder("--client", "claude", "--this-machine")
    [check] = check_hosts(folder.root, sys.executable, os.environ)
    assert (check.file, check.works) == (".mcp.json", True), check.why


def test_an_entry_that_needs_the_environment_is_reported(folder: Folder) -> None:
    entry(folder, command="chant", args=["mcp"])
    [check] = check_hosts(folder.root, sys.executable, {})
    assert check.works is False or check.why.endswith("was not started")
    entry(folder, command="/no/such/python", args=["-m", "chant_mcp"])
    [check] = check_hosts(folder.root, sys.executable, {})
    assert (check.works, check.why) == (False, "there is no such program")


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


def test_a_name_that_hosts_do_not_find_is_reported_with_what_helps(folder: Folder) -> None:
    folder("--client", "all")
    checks = check_hosts(folder.root, sys.executable, {})
    assert {check.file for check in checks} >= {".mcp.json", ".codex/config.toml", "opencode.json"}
    for check in checks:
        if check.works is None:
            continue  # this machine has another program of that name
        assert check.problem is not None
        assert "`pipx install chant-mcp`" in check.problem
