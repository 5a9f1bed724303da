"""Settings of the tests' own: no home, git identity, locale or time zone of the machine they run on.

`python tests/hermetic.py COMMAND…` runs a command, the tests in Rust, that sees no identity of git either.

To import this seals the process, which `conftest.py` does before all else: no fixture of any scope and no
module of tests sees the machine's. Each test gets a home of its own on top of that.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from memory_folder import memory_folder

_GIT = {
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-01-22T10:00:00Z",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": "2026-01-22T10:00:00Z",
}

_SETTINGS_OF_GIT = "[maintenance]\nauto = false\n"
"""Repositories of tests are small and many: no commit starts a process that looks after one."""

LANGUAGE = "C.UTF-8"

ZONE = "<+1245>-12:45"
"""A time zone that no machine has: what takes the local time for UTC fails everywhere."""

_HIDDEN = ("GIT_", "CHANT_", "ANTHROPIC_", "MCP_", "CONFIG_DIR", "SPECIFY_", "XDG_", "LC_", "LANGUAGE")
"""How the names of variables begin that tests may not see."""

_KEPT = "CHANT_TRIALS"
"""What the tests themselves are asked for."""

RUST = ("CARGO_HOME", "RUSTUP_HOME")
"""Where the machine keeps its tools of Rust: what builds with them, outside of a test, still finds them."""


def _seal() -> None:
    """Hide the machine's settings from this process and all that it starts; its home goes when it ends."""
    for name in RUST:
        usual = Path.home() / f".{name.partition('_')[0].lower()}"
        if name not in os.environ and usual.is_dir():
            os.environ[name] = str(usual)
    for name in hidden():
        del os.environ[name]
    folder = Path(tempfile.mkdtemp(prefix="chant-tests-", dir=memory_folder()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ.update(settings_at(folder))
    time.tzset()


def hidden() -> list[str]:
    """Name the variables that are set and that tests may not see."""
    return [name for name in os.environ if name.startswith(_HIDDEN) and name != _KEPT]


def settings_at(folder: Path) -> dict[str, str]:
    """Make an empty home in a folder, and give the variables that lead there."""
    home = folder / "home"
    (home / ".config").mkdir(parents=True)
    # A file of its own, beside the home: to write settings as root would replace an empty device.
    settings_of_git = folder / "gitconfig"
    settings_of_git.write_text(_SETTINGS_OF_GIT, encoding="utf-8")
    places = {"HOME": home, "XDG_CONFIG_HOME": home / ".config", "GIT_CONFIG_GLOBAL": settings_of_git}
    return {**_GIT, "LANG": LANGUAGE, "TZ": ZONE, **{name: str(place) for name, place in places.items()}}


_seal()

if __name__ == "__main__":
    for name in hidden():
        del os.environ[name]
    sys.exit(subprocess.run(sys.argv[1:], check=False).returncode)
