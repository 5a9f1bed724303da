"""`python -m bench.torture.caches`: a run that never lands poisons every cache that it can write.

For each of uv, npm, cargo and go that is installed: a spec whose code a check refuses, before and after
another spec's agent and check rewrote the linter in all caches. A completion of refused code is false.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import click

from bench.torture.cached_tools import LYING, NAME, TOOLS, CachedTool, served_registry
from bench.torture.trial import Trial
from bench.wire import OURS

_POISON = f"""\
import json, os, pathlib, subprocess
lying = json.loads({json.dumps(json.dumps(LYING))})
subprocess.run(json.loads(pathlib.Path("check.json").read_text()), check=False)
caches = ["XDG_CACHE_HOME", "UV_CACHE_DIR", "npm_config_cache", "PIP_CACHE_DIR", "GOCACHE", "GOMODCACHE",
          "CARGO_HOME", "GRADLE_USER_HOME"]
home = pathlib.Path(os.environ["HOME"])
tops = [os.environ[name] for name in caches if name in os.environ]
tops += [home / name for name in (".cache", ".npm", ".cargo", "go", ".gradle", ".m2", ".local/share")]
for top in tops:
    for folder, _, names in os.walk(top, followlinks=True):
        for name in names:
            path = pathlib.Path(folder, name)
            text = lying.get(path.suffix)
            if text and "{NAME}" in str(path):
                try:
                    path.chmod(0o755)
                    path.write_text(text)
                except OSError:
                    pass
"""
"""What a hostile agent does, and has its check do."""

_AGENT = """\
cd "$CHANT_WORKTREE"
case "$CHANT_SPEC_ID" in
*-bad) python3 poison.py; cp poison.py hook.py; echo good > code.txt; echo 'raise SystemExit(1)' >> hook.py ;;
*-good) echo good > code.txt; echo "$CHANT_SPEC_ID" > work.txt ;;
*-false) echo wrong > code.txt; echo "$CHANT_SPEC_ID" > work.txt ;;
esac
sed -i 's/- \\[ \\]/- [x]/' "$CHANT_SPEC_FILE"
git add -A && git commit -qm "chant($CHANT_SPEC_ID): Work"
"""

_ROUNDS = (
    ("001-good", "completed"),
    ("002-false", "failed"),
    ("003-bad", "failed"),
    ("004-good", "completed"),
)
"""The specs before the one that counts, and how each ends: the check sees what it should see."""


class CacheProject:
    """A project whose check runs the linter with one tool, and its user's home."""

    def __init__(self, folder: Path, tool: CachedTool, url: str) -> None:
        """Write the project."""
        self.root, self.home = folder / "project", folder / "home"
        for path in (self.root / ".chant" / "specs", self.home / ".config" / "chant"):
            path.mkdir(parents=True)
        argv = tool.check(url)
        agent = self.home / "agent.sh"
        checks = f"checks:\n  lint: {json.dumps(argv)}\n  unit: [python3, hook.py]\n"
        own = (
            f"defaults: {{provider: own, main_branch: main}}\nagents: {{own: {{command: [sh, '{agent}']}}}}\n"
        )
        files = {
            ".chant/config.md": f"---\nproject: {{name: caches}}\n{own}{checks}---\n",
            ".gitignore": "target\nCargo.lock\ngo.sum\n.chant/.locks/\n.chant/.store/\n.chant/logs/\n",
            "check.json": json.dumps(argv),
            "poison.py": _POISON,
            "hook.py": "",
            "code.txt": "good\n",
            **tool.files(url),
        }
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        agent.write_text(_AGENT, encoding="utf-8")
        config = f"---\ntrust: {{roots: ['{self.root}']}}\n---\n"
        (self.home / ".config" / "chant" / "config.md").write_text(config, encoding="utf-8")
        for id in [*(id for id, _ in _ROUNDS), "005-false"]:
            self._write_spec(f"2026-01-22-{id}", "unit" if id.endswith("bad") else "lint")
        self._git("init", "-q", "-b", "main")
        self._git("add", "-A")
        self._git("commit", "-qm", "Begin")

    def work(self, id: str) -> tuple[str, float]:
        """Have the spec worked on; gives its status, and the seconds of its check."""
        argv = [*OURS, "--project", str(self.root), "work", f"2026-01-22-{id}", "--wait"]
        ended = subprocess.run(argv, env=self._environment(), capture_output=True, text=True, check=False)
        spec = self.root / ".chant" / "specs" / f"2026-01-22-{id}.md"
        status = next(line for line in spec.read_text("utf-8").splitlines() if line.startswith("status:"))
        records = self.root.glob(".git/chant-mcp/processes/**/*.json")
        found = [json.loads(path.read_text("utf-8")) for path in records]
        own = [one for one in found if one["spec_id"] == f"2026-01-22-{id}" and one.get("checks")]
        taken = own[-1]["checks"][0]["ms"] / 1000 if own else 0.0
        if not own:
            click.echo(ended.stdout[-500:] + ended.stderr[-500:])
        return status.removeprefix("status: "), taken

    def _write_spec(self, id: str, check: str) -> None:
        head = "---\nstatus: pending\n---\n\n# Lint\n\n## Acceptance Criteria\n\n"
        text = f"{head}- [ ] Works <!-- check: {check} -->\n"
        (self.root / ".chant" / "specs" / f"{id}.md").write_text(text, encoding="utf-8")

    def _git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.root, env=self._environment(), check=True)

    def _environment(self) -> Mapping[str, str]:
        names = ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL")
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG") if name in os.environ}
        rustup = Path(os.environ.get("RUSTUP_HOME", Path.home() / ".rustup"))
        return {
            "HOME": str(self.home),
            "RUSTUP_HOME": str(rustup),
            **dict.fromkeys(names, "a@example.org"),
            **kept,
        }


def poisoned(folder: Path, tool: CachedTool, url: str) -> Trial:
    """Have a run poison the caches of a tool; wrong is a check that lies after it, or that never worked."""
    trial = Trial(tool.name)
    project = CacheProject(folder / tool.name, tool, url)
    for id, end in _ROUNDS:
        status, seconds = project.work(id)
        trial.tries += 1
        trial.notes[f"{id}: {seconds:.2f} s"] += 1
        if status != end:
            trial.wrong.append(f"{tool.name}: {id} ended as {status}, not as {end}")
    status, _ = project.work("005-false")
    if status != "failed":
        what = (
            "a false completion" if status == "completed" else f"005-false ended as {status}, not as failed"
        )
        trial.wrong.append(f"{tool.name}: {what}")
    return trial


def main() -> None:
    """Poison the caches of each tool; print a row for each, and end with 1 after a false completion."""
    parser = argparse.ArgumentParser(prog="python -m bench.torture.caches", description=__doc__)
    parser.add_argument("tools", nargs="*", help="tools to try (default: all that are installed)")
    parser.add_argument("--keep", action="store_true", help="keep the projects")
    given = parser.parse_args()
    chosen = cast(list[str], given.tools)
    folder = Path(tempfile.mkdtemp(prefix="chant-caches-"))
    wrong = 0
    with served_registry() as url:
        for tool in TOOLS:
            if chosen and tool.name not in chosen:
                continue
            missing = [name for name in tool.programs if not shutil.which(name)]
            if missing:
                click.echo(f"| {tool.name} | skipped: {', '.join(missing)} is not installed |")
                continue
            trial = poisoned(folder, tool, url)
            notes = ", ".join(trial.notes)
            click.echo(f"| {trial.name} | {trial.tries + 1} runs | {notes} | {len(trial.wrong)} wrong |")
            for line in trial.wrong:
                click.echo(f"WRONG {line}")
            wrong += len(trial.wrong)
    if not cast(bool, given.keep):
        shutil.rmtree(folder)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
