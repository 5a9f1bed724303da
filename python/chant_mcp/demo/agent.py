"""The demo agent: works on a spec in the plainest way, without a network and without a key.

It writes a line into every target file, ticks the criteria and commits. Asked to divide a spec, it makes
members of the criteria and changes nothing. Labels of the spec such as
`demo:fail` make it behave as agents do on bad days, so that everybody can see what becomes of such work.

It and what it imports need only the standard library, and little of it: it has to start at once.
"""

from __future__ import annotations

import sys

from chant_mcp.demo.behaviours import ANYWHERE, BEFORE, WAYS
from chant_mcp.demo.splits import SPLITS
from chant_mcp.demo.task import DemoTask, Halt, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from chant_mcp.demo.behaviours import Behaviour


def play(environment: Mapping[str, str], folder: Path) -> int:
    """Work in a folder on the spec that the environment names, and give the exit code.

    Standard input, which may hold a prompt, is not read: the spec says everything.
    """
    try:
        task = DemoTask.given(environment, folder)
        is_split = environment.get("CHANT_PROMPT") == "split"
        behaviours = _chosen(task, is_split=is_split)
        say(f"{'Looking at' if is_split else 'Working on'} {task.id}: {task.title}")
        for behave in behaviours:
            behave(task)
    except Halt as halt:
        sys.stderr.write(f"{halt}\n")
        return halt.code
    return 0


def _chosen(task: DemoTask, *, is_split: bool) -> list[Behaviour]:
    """Choose by the labels what comes before the work, and the way of working or of answering."""
    labels = task.document.values("labels")
    wanted = [label.removeprefix("demo:") for label in labels if label.startswith("demo:")]
    names = dict.fromkeys("slow" if name.startswith("seconds=") else name for name in wanted)
    for name in names:
        if name not in BEFORE and name not in WAYS and name not in SPLITS:
            known = ", ".join(f"demo:{known}" for known in (*BEFORE, *WAYS, *SPLITS))
            raise Halt(f"The demo agent does not know the label demo:{name}. It knows {known}.", 2)
    possible = {**SPLITS, **{name: WAYS[name] for name in ANYWHERE}} if is_split else WAYS
    usual = "resolve" if task.document.value("type") == "conflict" else "work"
    ways = [name for name in names if name in possible] or ["split" if is_split else usual]
    if len(ways) > 1:
        both = " and ".join(f"demo:{name}" for name in ways)
        raise Halt(f"The labels {both} exclude each other. Keep one of them.", 2)
    return [*(BEFORE[name] for name in names if name in BEFORE), possible[ways[0]]]
