"""How the demo agent answers when it is asked to divide a spec: well, and as agents do on bad days."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

from chant_mcp.demo.task import DemoTask, Halt, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

Answer = Callable[[DemoTask], None]
Member: TypeAlias = "dict[str, Any]"

_SIZE = 3
"""Criteria of a member."""


def _propose(task: DemoTask) -> None:
    """Give each few criteria a member, each but the first after the first."""
    _say_json(_members(task, _SIZE))


def _coarse(task: DemoTask) -> None:
    """Divide into two, however large they are."""
    _say_json(_members(task, -(-len(task.document.criteria) // 2)))


def _markdown(task: DemoTask) -> None:
    """Answer in the form of earlier programs."""
    say("# Dependency Analysis\n")
    for number, member in enumerate(_members(task, _SIZE), start=1):
        say(f"## Member {number}: {member['title']}\n\n{member['description']}\n")
        say("### Acceptance Criteria\n")
        say("".join(f"- [ ] {text}\n" for text in member["criteria"]))
        say("**Affected Files:**")
        say("".join(f"- {name} (changed)\n" for name in member["target_files"]))
        names = ", ".join(f"Member {number}" for number in member["depends_on"])
        say(f"**Dependencies:** {names or 'None'}\n")


def _cycle(task: DemoTask) -> None:
    """Have members wait for themselves, for each other, and for none that is there."""
    members = _members(task, _SIZE)
    for number, member in enumerate(members, start=1):
        member["depends_on"] = [number, number % len(members) + 1, len(members) + 7]
    _say_json(members)


def _garbage(_: DemoTask) -> None:
    """Talk, and propose nothing."""
    say("I would divide this into a front and a back.\n\n```json\n{not even JSON\n```")


def _form(task: DemoTask) -> None:
    """Answer with JSON of another form."""
    _say_json([{"name": member["title"], "criteria": 3} for member in _members(task, _SIZE)])


def _single(task: DemoTask) -> None:
    """Propose one member that does it all."""
    _say_json(_members(task, len(task.document.criteria)))


def _stub(task: DemoTask) -> None:
    """Propose members that say nothing."""
    members = _members(task, _SIZE)
    for member in members:
        member["description"] = "To do."
    _say_json(members)


def _bare(task: DemoTask) -> None:
    """Forget the criteria."""
    members = _members(task, _SIZE)
    for member in members:
        member["criteria"] = []
    _say_json(members)


def _meddle(task: DemoTask) -> None:
    """Change whatever can be found, commit it, and propose."""
    for path in sorted(task.root.rglob("*")):
        if path.is_file():
            path.write_bytes(b"meddled with\n")
    task.change(task.root / "meddled.txt", b"Changed by an agent that was asked to look.")
    for words in (["add", "-A"], ["commit", "-q", "--allow-empty", "-m", "Meddled"]):
        subprocess.run(["git", *words], cwd=task.root, check=False, capture_output=True)
    _propose(task)


SPLITS: dict[str, Answer] = {
    "split": _propose,
    "split-coarse": _coarse,
    "split-markdown": _markdown,
    "split-cycle": _cycle,
    "split-garbage": _garbage,
    "split-form": _form,
    "split-single": _single,
    "split-stub": _stub,
    "split-bare": _bare,
    "split-meddle": _meddle,
}
"""The answers, of which one is chosen."""


def _members(task: DemoTask, size: int) -> list[Member]:
    texts = task.document.criteria_texts
    if len(texts) < 2:
        raise Halt(f"{task.id} has fewer than two acceptance criteria, so there is nothing to divide.", 1)
    parts = [texts[at : at + size] for at in range(0, len(texts), size)]
    names = [task.shown(path) for path in task.targets]
    return [
        {
            "title": f"{task.title}: part {number}",
            "description": _description(task, number, len(parts)),
            "criteria": criteria,
            "target_files": names[number - 1 :: len(parts)],
            "depends_on": [1] if number > 1 else [],
        }
        for number, criteria in enumerate(parts, start=1)
    ]


def _description(task: DemoTask, number: int, count: int) -> str:
    order = "It comes first, and the other parts build on it." if number == 1 else "Part 1 comes before it."
    return (
        f"This is part {number} of {count} of what `{task.id}` asks for. {order}\n\n"
        "- Read the criteria below: they are the whole of this part, in the words of the original.\n"
        "- Change the files that are named, and no others unless a criterion cannot be met without.\n"
        "- Leave the criteria of the other parts alone, for they belong to members of their own.\n"
        "- Test what was changed before ticking a criterion."
    )


def _say_json(members: list[Member]) -> None:
    say(f"Divided into {len(members)}:\n")
    say(f"```json\n{json.dumps({'members': members}, indent=2, ensure_ascii=False)}\n```")
