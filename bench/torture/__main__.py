"""`python -m bench.torture`: torture a scratch project for a while, then have it checked; see README.md."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import cast

import click

from bench.torture.checker import check
from bench.torture.play import Modes, Play
from bench.torture.trouble import is_possible


def main() -> None:
    """Torture and check; print what is wrong, and end with 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m bench.torture", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the same seed asks for the same deeds")
    parser.add_argument("--seconds", type=float, default=120, help="how long (default: two minutes)")
    parser.add_argument("--kills", type=int, default=0, help="go on until so many processes were killed")
    parser.add_argument("--keep", action="store_true", help="leave the project in place")
    switch = argparse.BooleanOptionalAction
    parser.add_argument("--servers", action=switch, default=True, help="two servers among the victims")
    parser.add_argument("--disk", action=switch, default=is_possible(), help="writes that fail")
    parser.add_argument("--clock", action=switch, default=is_possible(), help="a calendar that jumps")
    given = parser.parse_args()
    modes = Modes(cast(bool, given.servers), cast(bool, given.disk), cast(bool, given.clock))
    folder = Path(tempfile.mkdtemp(prefix="chant-torture-"))
    play = Play(folder, cast(int, given.seed), modes)
    end = time.monotonic() + cast(float, given.seconds)
    while time.monotonic() < end or play.kills.total() < cast(int, given.kills):
        play.deed()
    play.end()
    wrong = [*play.together.wrong, *check(play.scene())]
    for deed, times in sorted(play.deeds.items()):
        click.echo(f"{times:5} × {deed}")
    for kind, times in sorted(play.kills.items()):
        click.echo(f"{times:5} × killed: {kind}")
    for answer, times in sorted(play.servers.answers.items()):
        click.echo(f"{times:5} × answered: {answer}")
    for state, times in sorted(play.ends().items()):
        click.echo(f"{times:5} × ended: {state}")
    for end, times in sorted(play.together.ends.items()):
        click.echo(f"{times:5} × together: {end}")
    click.echo(f"{play.failed:5} × a write failed")
    for line in wrong:
        click.echo(f"WRONG {line}")
    click.echo(f"seed {given.seed}: {len(wrong)} violations")
    if given.keep or wrong:
        click.echo(f"The project lies in {play.root}")
    else:
        shutil.rmtree(folder)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
