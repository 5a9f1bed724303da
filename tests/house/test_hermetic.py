"""What tests see of the machine they run on: nothing, at no time."""

from __future__ import annotations

import os
import pwd
import re
import subprocess
import sys
import time
from pathlib import Path

import hermetic
import pytest

ROOT = Path(__file__).parents[2]

AT_IMPORT = dict(os.environ)


@pytest.fixture(scope="session")
def seen_early() -> dict[str, str]:
    """What a fixture sees that is there before those of a test."""
    return dict(os.environ)


@pytest.mark.skipif(sys.platform == "win32", reason="homes have other variables")
def test_nothing_of_the_machine_is_seen_at_any_time(seen_early: dict[str, str]) -> None:
    for seen in (AT_IMPORT, seen_early, dict(os.environ)):
        assert seen["HOME"] not in ("/root", pwd.getpwuid(os.getuid()).pw_dir)
        assert seen["XDG_CONFIG_HOME"].startswith(seen["HOME"])
        words = ("git", "var", "GIT_COMMITTER_IDENT")
        said = subprocess.run(words, env=seen, check=True, capture_output=True, text=True, cwd="/").stdout
        assert said.startswith("Ada <ada@example.org> ")
        assert not [name for name in seen if name.startswith(("LC_", "CHANT_", "XDG_STATE", "GIT_DIR"))]
        assert (seen["LANG"], seen["TZ"]) == (hermetic.LANGUAGE, hermetic.ZONE)
    assert time.localtime().tm_gmtoff == 45_900


def test_all_checks_run_the_tests_as_on_a_machine_that_has_nothing() -> None:
    stage = (ROOT / ".ci" / "run").read_text("utf-8").partition("\nstage_test() (\n")[2].partition("\n)\n")[0]
    assert re.search(
        r"^    HOME=\$machine/home LC_ALL=\S+ LANGUAGE=\S+ TZ=\S+ make test$", stage, re.MULTILINE
    )
