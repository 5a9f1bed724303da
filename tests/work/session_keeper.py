"""An agent that keeps its sessions as Claude Code does, and notes what it finds in its state at each start.

It is a script for a process of its own. Files among the traces say what it does besides: `release` is its
release, `unknown` has it know no session, `first` is a script of its first turn.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any


def _traces() -> Path:
    return Path(os.environ["HOME"]) / ".config" / "traces"


def trace(name: str, text: str) -> None:
    """Have it do something besides."""
    _traces().mkdir(parents=True, exist_ok=True)
    (_traces() / name).write_text(text, encoding="utf-8")


def turns() -> list[dict[str, Any]]:
    """Read what it noted, the oldest first."""
    file = _traces() / "turns.jsonl"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


def _given(option: str) -> str | None:
    return sys.argv[sys.argv.index(option) + 1] if option in sys.argv else None


def _tell(**event: Any) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def _work(prompt: str, is_first: bool) -> None:
    code = Path("code.py")
    if is_first:
        code.write_text("first = 1\nsecond = 2\nthird = 3\n", encoding="utf-8")
        spec = Path(os.environ["CHANT_SPEC_FILE"])
        spec.write_text(spec.read_text("utf-8").replace("[ ]", "[x]"), encoding="utf-8")
        message = ["-m", "Work"]
    else:
        text = code.read_text("utf-8")
        code.write_text(
            re.sub(r"second = (\d+)", lambda n: f"second = {int(n[1]) + 2}", text), encoding="utf-8"
        )
        answered = re.findall(r"^### (c-[0-9a-f]{10})", prompt, re.M)
        message = ["-m", "Fix", "-m", "\n".join(f"Addresses: {id}" for id in answered)]
    subprocess.run(["git", "add", "-A"], check=True)
    subprocess.run(["git", "commit", "-q", *message], check=True)


def _main() -> int:
    release = _traces() / "release"
    if "--version" in sys.argv:
        name = release.read_text("utf-8") if release.exists() else "2.1.330"
        sys.stdout.write(f"{name} (Claude Code)\n")
        return 0
    usual = os.environ.get("CLAUDE_CONFIG_DIR", Path(os.environ["HOME"]) / ".claude")
    state = Path(_given("--state") or usual)
    prompt, asked = sys.stdin.read(), _given("--resume")
    files = sorted(str(path.relative_to(state)) for path in state.rglob("*") if not path.is_dir())
    found = list(state.glob(f"projects/*/{asked}.jsonl"))
    knows = bool(found) and not (_traces() / "unknown").exists()
    number = len(turns())
    note = {
        "argv": sys.argv[1:],
        "prompt": prompt,
        "files": files,
        "resumed": asked,
        "transcript": found[0].read_text("utf-8") if found else None,
        "acted": [name for name in files if name.startswith(("hooks/", "plugins/", "settings"))],
    }
    with (_traces() / "turns.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(note) + "\n")
    if asked is not None and not knows:
        usage = {"input_tokens": 0, "output_tokens": 0}
        errors = [f"No conversation found with session ID: {asked}"]
        _tell(
            type="result",
            subtype="error_during_execution",
            is_error=True,
            num_turns=0,
            usage=usage,
            errors=errors,
            session_id=str(uuid.uuid4()),
        )
        return 1
    session = asked or str(uuid.uuid4())
    _tell(type="system", subtype="init", session_id=session, model="m", mcp_servers=[])
    transcript = found[0] if found else state / "projects" / "-folder" / f"{session}.jsonl"
    transcript.parent.mkdir(parents=True, exist_ok=True)
    with transcript.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"sessionId": session, "said": f"heron-{number}"}) + "\n")
    if number == 0 and (first := _traces() / "first").exists():
        subprocess.run(["sh", str(first), str(state), str(transcript)], check=True)
    _work(prompt, is_first=number == 0)
    usage = {"input_tokens": 10, "output_tokens": 5}
    _tell(type="result", subtype="success", is_error=False, num_turns=1, usage=usage, session_id=session)
    return 0


if __name__ == "__main__":
    sys.exit(_main())
