"""Plans beside the programs of their formats: `python -m bench.torture.plan_programs`; see README.md.

Edits by us and by Backlog.md take turns on the same tasks, then go on at once; after edits of ours
`openspec validate` finds what it found before. Installs both programs from npm into the user's caches.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import chant_mcp
from rich.console import Console

from bench.npm_packages import install_packages

_PACKAGES = {"backlog.md": "1.52.0", "@fission-ai/openspec": "1.13.2"}
_TASKS = 12
_NEW_BY_US, _NEW_BY_THEM = 80, 20
_STATES = ("To Do", "In Progress", "Done")

_WRITER = """
import sys, chant_mcp
ws = chant_mcp.open(sys.argv[1])
for number in range(int(sys.argv[3])):
    ws.add_item(f"Task {number} of {sys.argv[2]}", parent="backlog")
"""

_TICKER = """
import sys, chant_mcp
ws = chant_mcp.open(sys.argv[1])
for number in range(1, int(sys.argv[2]) + 1):
    for criterion in (1, 2, 3):
        ws[f"backlog:TASK-{number}"].tick(criterion)
"""


@dataclass(slots=True)
class _Programs:
    """The programs of the formats, and what was found with them."""

    node: str
    folder: Path
    done: Counter[str] = field(default_factory=Counter[str])
    wrong: list[str] = field(default_factory=list[str])

    def run(self, root: Path, name: str, *words: str) -> str:
        """Run one of them; give what it prints."""
        environment = {**os.environ, "PATH": f"{Path(self.node).parent}:{os.environ['PATH']}"}
        program = self.folder / "node_modules" / ".bin" / name
        done = subprocess.run(
            [str(program), *words], cwd=root, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode and name == "backlog":
            self.wrong.append(f"{name} {' '.join(words)}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def expect(self, what: str, ours: object, theirs: object) -> None:
        """Compare what both read."""
        self.done[what] += 1
        if ours != theirs:
            self.wrong.append(f"{what}: we read {ours!r}, the program {theirs!r}")


def _git(root: Path, *words: str) -> None:
    names = ("-c", "user.name=Trial", "-c", "user.email=trial@example.invalid")
    subprocess.run(["git", *names, *words], cwd=root, check=True, capture_output=True)


def _backlog(root: Path) -> None:
    tasks = root / "backlog" / "tasks"
    tasks.mkdir(parents=True)
    config = 'project_name: "Ferry"\nstatuses: ["To Do", "In Progress", "Done"]\nlabels: []\n'
    (root / "backlog" / "config.yml").write_text(config, encoding="utf-8")
    for number in range(1, _TASKS + 1):
        boxes = "\n".join(f"- [ ] #{one} Criterion {one}" for one in (1, 2, 3))
        text = (
            f"---\nid: TASK-{number}\ntitle: Task {number}\nstatus: To Do\nassignee: []\n"
            f"created_date: '2026-01-01'\nlabels: [a, 'b c']\ndependencies: []\n---\n\n## Description\n\n"
            f"Words.\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n{boxes}\n<!-- AC:END -->\n"
        )
        (tasks / f"task-{number} - Task-{number}.md").write_text(text, encoding="utf-8")


def _item(ws: chant_mcp.Workspace, key: str) -> chant_mcp.PlanItem:
    found = ws[key]
    if not isinstance(found, chant_mcp.PlanItem):
        raise TypeError(f"{key} is no item of a plan")
    return found


def _turns(programs: _Programs, root: Path, edits: int, chance: random.Random) -> None:
    """Edit in turns; after each edit both read the same."""
    ws = chant_mcp.open(root)
    for turn in range(edits):
        number = chance.randint(1, _TASKS)
        item = _item(ws, f"backlog:TASK-{number}")
        box = chance.randint(1, 3)
        kind = chance.choice(["status", "tick", "untick", "labels", "notes"])
        if turn % 4 == 3:
            words = {
                "status": ["-s", chance.choice(_STATES)],
                "tick": ["--check-ac", str(box)],
                "untick": ["--uncheck-ac", str(box)],
                "labels": ["--add-label", f"label-{turn}"],
                "notes": ["--append-notes", f"Note {turn} of theirs"],
            }
            programs.run(root, "backlog", "task", "edit", str(number), *words[kind], "--plain")
        elif kind == "status":
            item.set_status(chance.choice(_STATES))
        elif kind == "labels":
            item.set("labels", [f"label-{turn}", "b c"])
        elif kind == "notes":
            item.section("Description", f"Words of turn {turn}.\n")
        else:
            (item.tick if kind == "tick" else item.untick)(box)
        item = _item(ws, f"backlog:TASK-{number}")
        said = programs.run(root, "backlog", "task", str(number), "--plain")
        state = re.search(r"^Status: \S+ (.+)$", said, re.MULTILINE)
        programs.expect("status", item.status, state and state[1])
        boxes = [sign == "x" for sign in re.findall(r"^- \[([ x])\] #\d", said, re.MULTILINE)]
        programs.expect("criteria", [one.is_ticked for one in item.criteria], boxes)
        labels = re.search(r"^Labels: (.+)$", said, re.MULTILINE)
        programs.expect("labels", sorted(item.labels), sorted(labels[1].split(", ")) if labels else [])


def _at_once(programs: _Programs, root: Path) -> None:
    """Add and tick while their program adds and edits: no number comes twice, no tick is lost."""
    half = str(_NEW_BY_US // 2)
    ours = [
        subprocess.Popen([sys.executable, "-P", "-c", _WRITER, str(root), name, half]) for name in ("a", "b")
    ]
    ours.append(subprocess.Popen([sys.executable, "-P", "-c", _TICKER, str(root), str(_TASKS)]))
    for number in range(_NEW_BY_THEM):
        programs.run(root, "backlog", "task", "create", f"Theirs {number}")
        task = str(number % _TASKS + 1)
        # Its edits give up at once while a lock is taken, which is no fault.
        before = len(programs.wrong)
        programs.run(root, "backlog", "task", "edit", task, "--append-notes", f"At once {number}")
        del programs.wrong[before:]
    for writer in ours:
        if writer.wait():
            programs.wrong.append("a writer of ours was refused")
    names = [path.name for path in (root / "backlog" / "tasks").iterdir()]
    numbers = [found[1] for name in names if (found := re.match(r"task-(\d+) - ", name))]
    programs.expect("numbers", len(set(numbers)), _TASKS + _NEW_BY_US + _NEW_BY_THEM)
    ws = chant_mcp.open(root)
    for number in range(1, _TASKS + 1):
        boxes = [one.is_ticked for one in _item(ws, f"backlog:TASK-{number}").criteria]
        programs.expect("ticks at once", boxes, [True] * 3)


def _openspec(root: Path) -> None:
    for number in range(1, 5):
        change = root / "openspec" / "changes" / f"change-{number}"
        (change / "specs" / "auth").mkdir(parents=True)
        why = "People come back, again and again, and have to type everything once more each time."
        proposal = f"# Change: {number}\n\n## Why\n\n{why}\n\n## What Changes\n\n- A form\n"
        (change / "proposal.md").write_text(proposal, encoding="utf-8")
        tasks = "".join(f"- [ ] 1.{one} Step {one}\n" for one in range(1, 9))
        (change / "tasks.md").write_text(f"## 1. All\n\n{tasks}", encoding="utf-8")
        delta = (
            "## ADDED Requirements\n\n### Requirement: Log in\nThe system SHALL let people log in.\n\n"
            "#### Scenario: Right password\n- **WHEN** the password is right\n- **THEN** the person is in\n"
        )
        delta = delta.replace("SHALL ", "") if number == 4 else delta
        (change / "specs" / "auth" / "spec.md").write_text(delta, encoding="utf-8")


def _validated(programs: _Programs, root: Path) -> list[tuple[str, str]]:
    said = json.loads(programs.run(root, "openspec", "validate", "--all", "--strict", "--json"))
    return sorted((item["id"], json.dumps(item["issues"], sort_keys=True)) for item in said["items"])


def _edit_openspec(programs: _Programs, root: Path, edits: int, chance: random.Random) -> None:
    ws = chant_mcp.open(root)
    before = _validated(programs, root)
    for turn in range(1, edits + 1):
        change = f"openspec:change-{chance.randint(1, 4)}"
        kind = chance.choice(["tick", "untick", "add", "section"])
        if kind == "section":
            _item(ws, change).section("What Changes", f"- Part {turn}\n", append=True)
        elif kind == "add":
            ws.add_item(f"Step of turn {turn}", parent=f"{change}#1. All")
        else:
            item = _item(ws, f"{change}#1.{chance.randint(1, 8)}")
            (item.tick if kind == "tick" else item.untick)()
        if turn % 10 == 0 or turn == edits:
            programs.expect("openspec validate", before, _validated(programs, root))


def main() -> None:
    """Try both, and exit with 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "chant-mcp-bench" / "plans"
    programs = _Programs(install_packages(cache, _PACKAGES), cache)
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        backlog, openspec = Path(folder, "backlog-project"), Path(folder, "openspec-project")
        for root, fill in ((backlog, _backlog), (openspec, _openspec)):
            root.mkdir()
            fill(root)
            _git(root, "init", "-q", "-b", "main")
            _git(root, "add", "-A")
            _git(root, "commit", "-qm", "Plans")
        _turns(programs, backlog, given.edits, chance)
        _at_once(programs, backlog)
        _edit_openspec(programs, openspec, given.edits, chance)
    out = Console(soft_wrap=True)
    for what, count in programs.done.items():
        out.print(f"{what}: compared {count} times")
    for line in programs.wrong[:20]:
        out.print(line, style="red")
    out.print(f"{sum(programs.done.values())} compared, {len(programs.wrong)} wrong")
    sys.exit(1 if programs.wrong else 0)


if __name__ == "__main__":
    main()
