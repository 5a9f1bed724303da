"""The programs that are tried: pinned releases, installed outside of the repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from programs import PROGRAMS, AgentProgram


def cache() -> Path:
    """Say where they are installed: `CHANT_AGENTS_CACHE`, else below the user's caches."""
    own = os.environ.get("CHANT_AGENTS_CACHE")
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(own) if own else caches / "chant-mcp-agents"


def installed(program: AgentProgram) -> str | None:
    """Give the version that is installed; `None` when there is none."""
    manifest = cache() / "node_modules" / program.package / "package.json"
    if not manifest.is_file():
        return None
    return str(json.loads(manifest.read_text(encoding="utf-8"))["version"])


def install() -> None:
    """Install what is missing or of another release; takes minutes and two gigabytes the first time."""
    if all(installed(program) == program.version for program in PROGRAMS):
        return
    folder = cache()
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {program.package: program.version for program in PROGRAMS}
    manifest = {"name": "chant-mcp-agents", "private": True, "dependencies": wanted}
    (folder / "package.json").write_text(json.dumps(manifest, indent=2), encoding="utf-8")
    sys.stdout.write(f"Installing {len(wanted)} agents into {folder} …\n")
    sys.stdout.flush()
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder, check=True)


def path() -> str:
    """Give a PATH with the programs and the system's."""
    return f"{cache() / 'node_modules' / '.bin'}:/usr/local/bin:/usr/bin:/bin"
