"""Tries published clients on our server: `python -m bench.clients [NAME …]`; see bench/README.md.

They are installed below the user's caches the first time. A step that a client supports and that fails ends
the command with 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.clients.releases import CLIENTS, REVISIONS, OutsideClient
from bench.clients.sample_project import SampleProject
from bench.clients.steps import COLUMNS, EVENTS, Trial, tried
from bench.serving import served_over_http
from bench.wire import OURS

_TRANSPORTS = ("stdio", "HTTP")


def main() -> None:
    """Try the clients and print a table, and below it what failed or is not supported."""
    names = [client.name for client in CLIENTS]
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all by default")
    asked.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "chant-mcp-clients")
    given = asked.parse_args()
    if unknown := sorted({*given.names} - {*names}):
        asked.error(f"unknown client: {unknown[0]}. Expected {', '.join(names)}")
    wanted = [client for client in CLIENTS if not given.names or client.name in given.names]
    titles = ("Client", "Release", "Transport", "Era", *COLUMNS, *(f"{event}, ms" for event in EVENTS))
    _say(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    notes: dict[str, list[str]] = {}
    failed = False
    for client in wanted:
        for transport in _TRANSPORTS:
            for era in client.eras:
                trial = _trial(client, given.cache, transport, era)
                failed |= trial.failed
                _say(_row(client, transport, era, trial))
                for note in trial.notes:
                    notes.setdefault(f"{client.package}: {note}", []).append(f"{transport} {era}")
    _say("")
    for note, where in notes.items():
        _say(f"- {note} ({', '.join(where)})")
    sys.exit(1 if failed else 0)


def _trial(client: OutsideClient, cache: Path, transport: str, era: str) -> Trial:
    with tempfile.TemporaryDirectory() as folder:
        root, home = Path(folder) / "project", Path(folder) / "home"
        home.mkdir()
        project = SampleProject(root)
        with _server(root, transport) as server:
            started = client.start(cache, home)
            try:
                return tried(started, {"era": era, **server}, REVISIONS[era], project)
            finally:
                started.end()


@contextmanager
def _server(root: Path, transport: str) -> Generator[dict[str, Any]]:
    """Say how the server is reached: a command that the client starts, or an address."""
    if transport == "stdio":
        yield {"command": OURS, "cwd": str(root)}
        return
    with served_over_http(root) as url:
        yield {"url": url}


def _row(client: OutsideClient, transport: str, era: str, trial: Trial) -> str:
    words = [trial.words.get(column, "–") for column in COLUMNS]
    times = [trial.milliseconds(event) for event in EVENTS]
    return f"| {' | '.join([client.package, client.version, transport, era, *words, *times])} |"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
