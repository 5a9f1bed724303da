"""How work is started and watched, whatever was asked for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import click

from chant_mcp._core import Answer
from chant_mcp.commands.watch import Watch
from chant_mcp.errors import IllegalTransitionError, InvalidArgumentError, RefusedError
from chant_mcp.paging import Data, written
from chant_mcp.parameters import StartRequestOfPerson
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json

_SHOWN = 20
"""Refusals that are listed."""


@dataclass(frozen=True, slots=True)
class StartOptions:
    """How work is started, and what is shown of it."""

    request: StartRequestOfPerson
    waits: bool
    takes_all: bool
    """Whether nobody is asked before all that is ready is worked on."""
    is_trial: bool
    """Whether only a forecast is wanted."""
    as_json: bool


def start_work(session: Session, ids: Sequence[str], options: StartOptions) -> int:
    """Start work on the first of several items that can be started, and follow it if that is wanted.

    Returns:
        The exit code.
    """
    start, as_json = options.request, options.as_json
    if options.is_trial:
        _say_forecast(session.chant.work_forecast(ids[0], **start), as_json)
        return 0
    if on := start.get("on"):
        session.prepare_cluster(on)
    try:
        started = begin_first(session, ids, start)
    except IllegalTransitionError as error:
        if not options.waits or error.details.get("status") != "completed":
            raise
        # What is waited for is so: work that waited for its merge is merged by the look that a start takes.
        _say_completed(error.details["id"], as_json)
        return 0
    if warning := started.data.get("quality_warning"):
        say(warning["message"], err=True)
    if note := started.data.get("login_note"):
        say(note, err=True)
    if options.waits:
        if not as_json:
            say(_start_text(started.data), err=True)
        watch = Watch(session.chant, [started.data["process_id"]])
        return watched(watch, started.data["spec_id"], as_json)
    if as_json:
        say_json(started.text)
        return 0
    from chant_mcp.commands import display, run_display

    display.console().print(run_display.started(started.data), soft_wrap=True)
    return 0


def begin_first(session: Session, ids: Sequence[str], start: StartRequestOfPerson) -> Answer:
    """Start the first of several specs that can be started, which goes on with the others."""
    refusals: list[str] = []
    with steps() as step:
        for id in ids[:-1]:
            with _suppress_refusal(refusals):
                return session.chant.work_start(id, progress=step, **start)
        try:
            return session.chant.work_start(ids[-1], progress=step, **start)
        except RefusedError as error:
            if not refusals:
                raise
            reasons = [*refusals, str(error)]
            more = [f"and {len(reasons) - _SHOWN} more"] if len(reasons) > _SHOWN else []
            shown = "\n".join([*reasons[:_SHOWN], *more])
            raise click.ClickException(f"None of {len(ids)} ready items can be started:\n{shown}") from None


@contextmanager
def _suppress_refusal(refusals: list[str]) -> Generator[None]:
    """Go on when a spec cannot be started for a reason of its own, and keep the reason."""
    try:
        yield
    except (RefusedError, InvalidArgumentError, IllegalTransitionError) as error:
        refusals.append(str(error))


def _say_forecast(answer: Answer, as_json: bool) -> None:
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, run_display

    display.console().print(run_display.forecast(answer.data), soft_wrap=True)


def _start_text(started: Data) -> str:
    """Say what holds the agent, the branch that the work starts from and lands on, and how."""
    from chant_mcp.commands import run_display

    target = run_display.target_text(started)
    said = started["confinement"] + (f"; starts from and lands on {target}" if target else "")
    note = started.get("landing_note")
    return f"{said}\n{note}" if note else said


def _say_completed(id: str, as_json: bool) -> None:
    if as_json:
        say_json(written({"processes": []}))
    say(f"Spec '{id}' is completed already; nothing was started.", err=True)


@contextmanager
def steps() -> Generator[Callable[[str], object]]:
    """Show at a terminal what is being done, in a line that vanishes."""
    from chant_mcp.commands import display

    err = display.console(for_errors=True)
    if not err.is_terminal:
        yield lambda _: None
        return
    with err.terminal.status("…") as status:
        yield lambda step: status.update(display.plain(f"{step} …"))


def watched(watch: Watch, id: str | None, as_json: bool) -> int:
    """Watch runs until they have ended, report those that did not complete, and give the exit code."""
    from chant_mcp.commands import display, run_display
    from chant_mcp.commands.live import follow

    try:
        if as_json:
            seen = deque(watch.moments(), maxlen=1).pop()
            say_json(written({"processes": [one.run for one in seen]}))
            ended = watch.named(seen)
        else:
            ended = follow(watch, display.console())
    except KeyboardInterrupt:
        named = f" {id}" if id is not None else ""
        stop = f"`chant-mcp pause{named or ' ID'}`"
        say(f"The work goes on. `chant-mcp runs{named} -f` shows it again; {stop} stops it.", err=True)
        return 1
    err = display.console(for_errors=True)
    short = [one for one in ended if one.state != "completed"]
    for one in short:
        err.print(run_display.ended(one), soft_wrap=True)
    # Where work lands by requests, an open one is what was asked for.
    return 1 if any(not one.run.get("proposed") for one in short) else 0
