"""Changes of several files on a disk that becomes full at each of their writes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.torture.trial import Trial
from bench.torture.trouble import Trouble

_DRIVER, _DONE = "2026-01-22-001-x7m", "2026-01-22-002-drv"

_PLAN = """vine 1.2.0
---
[root] Root (planning)
-> mid
---
[mid] Mid (notstarted)
-> leaf
---
[leaf] Leaf (complete)
"""

_TICKET = "---\ncode: MDT-001\ntitle: One\nstatus: Proposed\ntype: Bug Fix\npriority: High\n---\n\n# One\n"

_TASKS = "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Make the folder\n"

_CHANGES = {
    "a transaction of four formats": f"""
with ws.transaction():
    ws.spec("{_DRIVER}").update(labels=["mine"])
    ws.ticket("MDT-1").update(assignee="ada")
    ws.vine("plan").set({{"mid": "started"}})
    ws.feature("060-login").complete("T001")
""",
    "the last member is finalized, and its driver": f'ChantProject(root).finalize("{_DRIVER}.1")',
    "a driver is archived, and its members": f'ChantProject(root).archive("{_DONE}")',
    "a plan is extracted": """
VineFiles(root).write("plan.vine", [
    {"op": "claim", "id": "mid"}, {"op": "extract_to_ref", "id": "mid", "vine": "./mid.vine"}])
""",
}

_SCRIPT = """
import sys, chant_mcp
from chant_mcp import ChantProject
from chant_mcp._core import VineFiles
from chant_mcp.errors import ChantError
root = sys.argv[1]
for word in sys.stdin:
    try:
        ws = chant_mcp.open(root)
        if word.strip() == "change":
{change}
        print(f"problems: {ws.problems}" if ws.problems else "made", flush=True)
    except ChantError as error:
        print("refused:", str(error).replace(chr(10), " "), flush=True)
"""


def full_disk(folder: Path, step: int = 1) -> Iterator[Trial]:
    """Let each write of each change fail, or each so many-th, once and for good.

    Wrong is a refusal that changed something, at once or after the next opening, and a change half made.
    """
    for number, (name, change) in enumerate(_CHANGES.items()):
        trial = Trial(f"a full disk: {name}")
        for lasts in (False, True):
            _at_each_write(folder / f"{number}-{lasts}", change, trial, lasts=lasts, step=step)
        yield trial


def _at_each_write(folder: Path, change: str, trial: Trial, *, lasts: bool, step: int) -> None:
    root = folder / "project"
    _fill(root)
    trouble = Trouble(folder / "trouble", root)
    environment = {**os.environ, **trouble.environment, "XDG_STATE_HOME": str(folder / "state")}
    indented = "\n".join(f"            {line}" for line in change.strip().splitlines())
    command = [sys.executable, "-c", _SCRIPT.replace("{change}", indented), str(root)]
    before = _tree(root)
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        after: dict[str, bytes] | None = None

        def ask(word: str) -> str:
            print(word, file=writer.stdin, flush=True)
            return writer.stdout.readline().strip() if writer.stdout else ""

        for number in range(0, 400, step):
            # The first time nothing fails, so that it is known what a whole change is.
            if number:
                trouble.fail(number, 1 << 62 if lasts else number)
            said = ask("change")
            is_over = number > 0 and not trouble.failed
            trouble.heal()
            found = [_tree(root)]
            looked = ask("look")
            found.append(_tree(root))
            after = after or found[0]
            trial.tries += 1
            trial.notes[said.partition(":")[0]] += 1
            expected = after if said == "made" else before
            if looked != "made" or found != [expected, expected]:
                trial.wrong.append(f"write {number}: {said}; then: {looked}")
            _restore(root, before)
            if is_over:
                break
        writer.stdin.close()
    trial.wrong.extend(f"{path} is left" for path in root.rglob("*.tmp"))


def _fill(root: Path) -> None:
    texts = {
        "plan.vine": _PLAN,
        ".mdt-config.toml": '[project]\nname = "Ferry"\ncode = "MDT"\npath = "docs"\n',
        "docs/MDT-001-one.md": _TICKET,
        ".specify/note": "",
        "specs/060-login/spec.md": "# Login\n",
        "specs/060-login/plan.md": "# Plan\n",
        "specs/060-login/tasks.md": _TASKS,
    }
    for id, status in ((_DRIVER, "in_progress"), (_DONE, "completed")):
        texts[f".chant/specs/{id}.md"] = f"---\ntype: driver\nstatus: {status}\n---\n\n# Driver\n"
        texts[f".chant/specs/{id}.1.md"] = f"---\nstatus: {status}\n---\n\n# Member\n"
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "Begin")):
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *who, *words], cwd=root, check=True)


def _tree(root: Path) -> dict[str, bytes]:
    """The documents; moments that are written down are all one."""
    files = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(root).as_posix(): _timeless(path.read_bytes()) for path in files}


def _timeless(text: bytes) -> bytes:
    lines = text.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith((b"completed_at:", b"lastModified:")))


def _restore(root: Path, before: dict[str, bytes]) -> None:
    for path in list(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and ".git" not in path.parts and name not in before:
            path.unlink()
    for name, text in before.items():
        path = root / name
        if not path.exists() or path.read_bytes() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
