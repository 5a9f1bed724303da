"""The short form of the torture: everything dies at random moments, and nothing is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).parent.parent.parent


def test_nothing_is_lost_when_anything_dies() -> None:
    command = [sys.executable, "-m", "bench.torture", "--seed", "7", "--seconds", "8"]
    done = subprocess.run(command, cwd=HOUSE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("seed 7: 0 violations")
