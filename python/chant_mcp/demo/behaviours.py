"""The ways in which the demo agent works: as asked, and as agents do on bad days."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable

from chant_mcp.demo.task import DemoTask, Halt, first_line_changed, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

Behaviour = Callable[[DemoTask], None]

_LONG = 3600
"""Seconds that stand for ever: what no one ends is gone after that."""

_SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD")
"""Pieces of the names of variables whose values are secret."""


# Before the work


def _slow(task: DemoTask) -> None:
    """Take DEMO_SECONDS, or those of the label `demo:seconds=N`."""
    end = time.monotonic() + _seconds(task)
    say("Thinking")
    while (left := end - time.monotonic()) > 1:
        time.sleep(1)
        say("Still thinking")
    time.sleep(max(left, 0))


def _seconds(task: DemoTask) -> float:
    labels = [label for label in task.document.values("labels") if label.startswith("demo:seconds=")]
    said = labels[0].partition("=")[2] if labels else task.environment.get("DEMO_SECONDS", "3")
    if not re.fullmatch(r"\d+(\.\d+)?", said):
        raise Halt(f"{said} is not a number of seconds. Give one such as 2 or 0.5.", 2)
    return float(said)


def _wait(task: DemoTask) -> None:
    """Go on as soon as a file of the spec's name appears in `.chant/demo-go` of the user's checkout."""
    go = task.go_file
    say("waiting")
    signal.alarm(_LONG)
    while not go.exists():
        time.sleep(0.02)
    signal.alarm(0)
    say("Going on")


def _grandchildren(_: DemoTask) -> None:
    """Leave two processes behind that keep the output open."""
    command = ["sleep", str(_LONG)]
    far = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    say(f"Left process {far.pid} behind, in a session of its own")
    # What is ignored here when it starts, it ignores.
    usual = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    deaf = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    signal.signal(signal.SIGTERM, usual)
    say(f"Left process {deaf.pid} behind, deaf to SIGTERM")


def _binary(_: DemoTask) -> None:
    """Write what is no text, and a line of a million characters."""
    sys.stdout.buffer.write(b"\xff\xfe\x00 \xe2\x82 \x80\n" + b"long " * 200_000 + b"\n")
    say("Wrote bytes that are no text, and a long line")


def _secret(task: DemoTask) -> None:
    """Print the secrets in the environment."""
    for name, value in task.environment.items():
        if any(piece in name.upper() for piece in _SECRET):
            say(f"{name}={value}")


BEFORE: dict[str, Behaviour] = {
    "slow": _slow,
    "wait": _wait,
    "grandchildren": _grandchildren,
    "binary": _binary,
    "secret": _secret,
}
"""What may come before any way of working."""


# Ways of working


def _work(task: DemoTask) -> None:
    """Do what is asked."""
    task.commit([*task.edit(), *task.tick()])


def _fail(_: DemoTask) -> None:
    raise Halt("The demo agent was asked to fail", 3)


def _crash(_: DemoTask) -> None:
    import resource

    # The memory would become a file in the folder.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    say("About to crash")
    os.abort()


def _hang(_: DemoTask) -> NoReturn:
    say("Thinking")
    signal.alarm(_LONG)
    while True:
        signal.pause()


def _stubborn(task: DemoTask) -> NoReturn:
    """Hang so that only SIGKILL helps."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _hang(task)


def _nothing(_: DemoTask) -> None:
    say("Nothing to do")


def _lie(task: DemoTask) -> None:
    """Claim that everything is done."""
    task.commit(task.tick())
    say("All done, all tests pass!")


def _empty(task: DemoTask) -> None:
    """Make a commit with nothing in it."""
    task.commit([], "--allow-empty")


def _unticked(task: DemoTask) -> None:
    """Forget the criteria."""
    task.commit(task.edit())


def _partly(task: DemoTask) -> None:
    """Tick only the first criterion."""
    task.need_criterion()
    task.commit([*task.edit(), *task.tick(1)])


def _reword(task: DemoTask) -> None:
    """Make a criterion easier, and tick all."""
    task.need_criterion()
    changed = [*task.edit(), *task.rewrite(task.document.ticked().reworded())]
    say("Reworded a criterion and ticked all")
    task.commit(changed)


def _remove(task: DemoTask) -> None:
    """Delete a criterion, and tick the others."""
    task.need_criterion()
    changed = [*task.edit(), *task.rewrite(task.document.ticked().without_last_criterion())]
    say("Deleted a criterion and ticked the others")
    task.commit(changed)


def _others(task: DemoTask) -> None:
    """Change another spec, too."""
    other = task.other_specs()[0]
    task.change(other, b"Changed by the agent of another spec.")
    task.commit([other, *task.edit(), *task.tick()])


def _delete_others(task: DemoTask) -> None:
    """Delete all other specs, as if they blocked the work."""
    task.remove(task.other_specs())
    task.commit([*task.edit(), *task.tick()])


def _flood(_: DemoTask) -> NoReturn:
    """Write without end."""
    signal.alarm(_LONG)
    while True:
        sys.stdout.write("All work and no play\n" * 1000)


def _uncommitted(task: DemoTask) -> None:
    """Forget the commit."""
    task.edit()
    task.tick()


def _dirty(task: DemoTask) -> None:
    """Leave a change that is not committed, beside the work that is."""
    _work(task)
    task.edit()


def _switch(task: DemoTask) -> None:
    """Work on another branch."""
    branch = f"demo-agent/{task.id}"
    task.git("switch", "-q", "-C", branch)
    say(f"Switched to the branch {branch}")
    _work(task)


def _status(task: DemoTask) -> None:
    """Say in the spec that it is completed."""
    changed = [*task.edit(), *task.rewrite(task.document.ticked().with_status("completed"))]
    say("Ticked the criteria and set the status to completed")
    task.commit(changed)


def _conflict(task: DemoTask) -> None:
    """Change what other such agents change, too: the first line of the files."""
    task.commit([*task.edit(first_line_changed), *task.tick()])


def _resolve(task: DemoTask) -> None:
    """Merge what a conflict spec names, keeping both sides."""
    branches = [task.document.value("source_branch"), task.document.value("target_branch")]
    for branch in branches:
        if branch is None:
            raise Halt(f"{task.shown(task.spec)} names no branches. It is not a conflict spec.", 2)
        task.commit(task.merge(branch))
    task.commit(task.tick())


def _output(task: DemoTask) -> None:
    """Print the result as JSON."""
    _work(task)
    files = [task.shown(path) for path in task.targets]
    say(json.dumps({"spec_id": task.id, "files": files, "criteria": len(task.document.criteria)}))


WAYS: dict[str, Behaviour] = {
    "work": _work,
    "fail": _fail,
    "crash": _crash,
    "hang": _hang,
    "stubborn": _stubborn,
    "nothing": _nothing,
    "lie": _lie,
    "empty": _empty,
    "unticked": _unticked,
    "partly": _partly,
    "reword": _reword,
    "remove": _remove,
    "others": _others,
    "delete-others": _delete_others,
    "flood": _flood,
    "uncommitted": _uncommitted,
    "dirty": _dirty,
    "switch": _switch,
    "status": _status,
    "conflict": _conflict,
    "resolve": _resolve,
    "output": _output,
}
"""The ways of working, of which one is chosen."""

ANYWHERE = ("fail", "crash", "hang", "stubborn", "nothing", "flood")
"""Those of them that need nothing of the work, so that an agent that only looks may have them, too."""
