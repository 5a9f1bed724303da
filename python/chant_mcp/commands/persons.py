"""Whether a person may be the one who asks: no process below a run, and no agent's shell."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping

from chant_mcp._core import sign_of_agent
from chant_mcp.user_folders import text_variables

_OF_RUNS = ("CHANT_RUN", "CHANT_SPEC_ID", "CHANT_WORKTREE")
"""Variables that a run gives to whatever it starts."""

_OF_RUNNERS = "runner"
"""The value of the first of them in processes of our own, which are no run's agent."""

_FURTHEST = 64
"""Processes above this one that are looked at."""


def run_above(environment: Mapping[str, str]) -> str | None:
    """Say what shows that this process lies below a run; `None` when nothing does.

    Args:
        environment: The variables of this process. Those of the processes above it are looked at where the
            system shows them: a process does not get out from below by removing a variable.
    """
    for name in _OF_RUNS:
        if environment.get(name):
            return f"{name} is set"
    for process in _processes_above():
        names = sorted(_run_of(process))
        if names:
            what = "`--runner`" if _is_runner(process) else names[0]
            return f"{what} in process {os.path.basename(process)} above this one"
    return None


def with_run_above(environment: Mapping[str, str]) -> dict[str, str]:
    """Give the variables of this process, with those of the run that it lies below, if they were taken away.

    What only a person may do is refused by these variables, in the core and for all commands at once.
    """
    if any(environment.get(name, "") not in ("", _OF_RUNNERS) for name in _OF_RUNS):
        return dict(environment)
    runs = (run for process in _processes_above() if (run := _run_of(process)))
    nothing: dict[str, str] = {}
    return {**environment, **next(runs, nothing)}


def agent_above(environment: Mapping[str, str]) -> str | None:
    """Say which variable shows that an agent runs this command; `None` when there is none."""
    name = sign_of_agent(text_variables(environment))
    return name and f"{name} is set"


def _processes_above() -> Iterator[str]:
    """Give the folders in which the system shows them."""
    if not sys.platform.startswith("linux"):
        return
    number = os.getppid()
    for _ in range(_FURTHEST):
        if number <= 1:
            return
        process = f"/proc/{number}"
        yield process
        try:
            # The name in parentheses may hold anything; the parent is the second word behind it.
            with open(f"{process}/stat", "rb") as file:
                number = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return


def _run_of(process: str) -> dict[str, str]:
    """Give the variables of the run that a process shows, or the mark of one where it is a runner."""
    variables = (variable.partition("=") for variable in _fields(f"{process}/environ"))
    found = {name: value for name, _, value in variables if name in _OF_RUNS and value}
    if found == {"CHANT_RUN": _OF_RUNNERS}:
        return {"CHANT_RUN": "above"}
    return found or ({"CHANT_RUN": "above"} if _is_runner(process) else {})


def _is_runner(process: str) -> bool:
    words = list(_fields(f"{process}/cmdline"))
    return "--runner" in words and any("chant" in os.path.basename(word.rstrip("/")) for word in words[:4])


def _fields(path: str) -> Iterable[str]:
    try:
        with open(path, "rb") as file:
            return file.read().decode(errors="replace").split("\0")
    except OSError:  # of another user, or gone
        return ()
