"""A git that lands with two pushes instead of one: the protocol without its fence."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

# Everything but a push of several refs is git's own, also where python cannot start.
_WRAPPER = """\
#!/bin/sh
case " $* " in
    *" --atomic "*" "*":{target} "*) exec {python} -I "$0.py" "$@";;
esac
exec {git} "$@"
"""

_SPLIT = """\
import subprocess, sys

LEASE = "--force-with-lease="


def of_target(word):
    return word.startswith(LEASE + {target!r} + ":") or word.endswith(":" + {target!r})


def is_of_ref(word):
    return word.startswith(LEASE) or ":refs/" in word


for takes in (of_target, lambda word: not of_target(word)):
    part = [word for word in sys.argv[1:] if not is_of_ref(word) or takes(word)]
    done = subprocess.run([{git!r}, *part]).returncode
    if done:
        sys.exit(done)
"""


def split_pushes(folder: Path, target: str) -> str:
    """Make a `git` in a folder that pushes the target first, then the rest; give a PATH that finds it."""
    git = shutil.which("git")
    folder.mkdir()
    wrapper = folder / "git"
    wrapper.write_text(_WRAPPER.format(python=sys.executable, git=git, target=target), encoding="utf-8")
    wrapper.chmod(0o755)
    (folder / "git.py").write_text(_SPLIT.format(git=git, target=target), encoding="utf-8")
    return f"{folder}{os.pathsep}{os.environ['PATH']}"
