"""What sharing specs over a remote costs: `python -m bench.leases [AGENTS …]`.

Each row is one `work --parallel N` on N specs with an agent that works for a second, on a bare repository by
path and by `git://` on loopback: the same with and without `leases`. The remote counts the pushes.
The last figures are those of one landing: from the remote's target to the answer in another clone.
"""

from __future__ import annotations

import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench.wire import OURS

_AGENTS = (1, 20)
_ROUNDS = 5

_COUNTING = "#!/bin/sh\ncat > /dev/null\ndate +%s.%N >> pushes\n"

_CONFIG = """---
project: {{name: shared}}
defaults: {{provider: demo, main_branch: main}}
limits: {{agents_at_once: 256}}
{leases}
---
"""

_SPEC = """---
type: code
status: pending
labels: [demo:slow, demo:seconds=1]
target_files: [{name}.md]
---
# Write {name}

Write one line about {name} into the file {name}.md, so that it is there.

## Acceptance Criteria

- [ ] The file {name}.md is there
"""


def write(line: str) -> None:
    """Print a row at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Measure, and print the rows."""
    agents = [int(word) for word in sys.argv[1:]] or list(_AGENTS)
    write(f"{'remote':8} {'agents':>6} {'leases':>8} {'seconds':>8} {'pushes':>7} {'a minute':>9}")
    for remote in ("path", "git"):
        for number in agents:
            for leases in ("", "leases: {remote: origin}"):
                _print_row(remote, number, leases)
    for remote in ("path", "git"):
        _print_news(remote)


def _print_row(remote: str, number: int, leases: str) -> None:
    with shared_project(remote, number, leases) as (clone, bare, environment):
        begun = time.monotonic()
        _ours(clone, environment, "work", _ids(clone)[0], "--parallel", str(number), "--wait")
        took = time.monotonic() - begun
        pushes = _pushes(bare)
        landed = _git(bare, "rev-list", "--merges", "--count", "main").strip() if leases else str(number)
        assert landed == str(number), f"{landed} of {number} landed"
        rate = f"{60 * pushes / max(took, 60):9.1f}" if leases else " " * 9
        write(f"{remote:8} {number:6} {'yes' if leases else 'no':>8} {took:8.1f} {pushes:7} {rate}")


def _print_news(remote: str) -> None:
    """Print how long another clone needs to look."""
    times: list[float] = []
    with shared_project(remote, 1, "leases: {remote: origin}") as (clone, _bare, environment):
        _ours(clone, environment, "work", _ids(clone)[0], "--wait")
        other = clone.parent / "other"
        _git(clone.parent, "clone", "--quiet", _git(clone, "remote", "get-url", "origin").strip(), str(other))
        _trust(other, environment)
        for _ in range(_ROUNDS):
            begun = time.monotonic()
            _ours(other, environment, "leases", "--look")
            times.append(time.monotonic() - begun)
    write(f"{remote:8} a look of another clone, with its process: {statistics.median(times):.2f} s")


@contextmanager
def shared_project(
    remote: str, number: int, leases: str, config: str = _CONFIG
) -> Generator[tuple[Path, Path, dict[str, str]]]:
    """Give a clone with some specs of a second each, its remote and the environment."""
    with tempfile.TemporaryDirectory() as folder, _home(Path(folder)) as environment:
        root = Path(folder)
        bare = root / "bare.git"
        _git(root, "init", "--quiet", "--bare", "--initial-branch=main", str(bare))
        hook = bare / "hooks" / "pre-receive"
        hook.write_text(_COUNTING)
        hook.chmod(0o755)
        with _served(root, bare, remote) as url:
            clone = root / "clone"
            _git(root, "clone", "--quiet", url, str(clone))
            specs = clone / ".chant" / "specs"
            specs.mkdir(parents=True)
            (clone / ".chant" / "config.md").write_text(config.format(leases=leases))
            for at in range(number):
                name = f"2026-01-22-{at + 1:03}-abc"
                (specs / f"{name}.md").write_text(_SPEC.format(name=f"note{at + 1:03}"))
            _git(clone, "add", "--all")
            _git(clone, "commit", "--quiet", "--message", "Specs")
            _git(clone, "push", "--quiet", "origin", "HEAD:main")
            (bare / "pushes").unlink()
            _trust(clone, environment)
            yield clone, bare, environment


@contextmanager
def _home(folder: Path) -> Generator[dict[str, str]]:
    """Keep everything of a trial in its own folder."""
    home = folder / "home"
    home.mkdir()
    before = dict(os.environ)
    os.environ.update(
        HOME=str(home), XDG_STATE_HOME=str(home / "state"), XDG_CONFIG_HOME=str(home / "config")
    )
    try:
        for key, value in {"user.name": "Bench", "user.email": "bench@example.com"}.items():
            _git(folder, "config", "--global", key, value)
        yield dict(os.environ)
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _served(root: Path, bare: Path, remote: str) -> Generator[str]:
    if remote == "path":
        yield str(bare)
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    daemon = subprocess.Popen(
        [
            *("git", "daemon", "--reuseaddr", "--listen=127.0.0.1", f"--port={port}", "--export-all"),
            *("--enable=receive-pack", f"--base-path={root}", str(root)),
        ],
        stderr=subprocess.DEVNULL,
    )
    url = f"git://127.0.0.1:{port}/{bare.name}"
    try:
        while subprocess.run(["git", "ls-remote", url], capture_output=True, check=False).returncode:
            time.sleep(0.05)
        yield url
    finally:
        daemon.terminate()
        daemon.wait()


def _trust(clone: Path, environment: Mapping[str, str]) -> None:
    shown = _ours(clone, environment, "trust", "--show")
    hash = re.findall(r"\b[0-9a-f]{16,64}\b", shown)[-1]
    _ours(clone, environment, "trust", "--yes", hash)


def _ids(clone: Path) -> list[str]:
    return sorted(path.stem for path in (clone / ".chant" / "specs").glob("*.md"))


def _pushes(bare: Path) -> int:
    file = bare / "pushes"
    return len(file.read_text().splitlines()) if file.exists() else 0


def _ours(clone: Path, environment: Mapping[str, str], *words: str) -> str:
    done = subprocess.run(
        [*OURS, *words], cwd=clone, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{json.dumps(words)} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
