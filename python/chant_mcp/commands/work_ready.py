"""`work` without an ID: agents on all that is ready, of all formats or of one."""

from __future__ import annotations

from dataclasses import replace

import click

from chant_mcp.commands.asking import is_person
from chant_mcp.commands.watch import Watch
from chant_mcp.commands.work_start import StartOptions, begin_first, start_work, watched
from chant_mcp.errors import ChantError, NotInitializedError, RefusedError
from chant_mcp.paging import EVERYTHING, Data, gathered, written
from chant_mcp.parameters import StartRequestOfPerson
from chant_mcp.session import Session, dialects_in
from chant_mcp.terminal import say, say_json


def work_on_ready(session: Session, dialect: str | None, options: StartOptions) -> int:
    """Work on all that is ready, or show what that would cost; give the exit code.

    Args:
        session: The project.
        dialect: The one format that is meant.
        options: How work is started.
    """
    formats = [word for word in dialects_in(session.place.root) if word != "chant"]
    _refuse_other_format(dialect, formats)
    words = formats if dialect is None else [word for word in formats if word == dialect]
    items = {word: keys for word in words if (keys := session.chant.ready_items(word))}
    wants_specs = dialect in (None, "chant")
    specs = _ready_specs(session, is_optional=bool(formats)) if wants_specs else []
    ids = [spec["id"] for spec in specs]
    if items:
        return _work_on_formats(session, {"chant": ids, **items} if ids else items, options)
    if not ids:
        if options.as_json:
            say_json(written({"processes": []}))
        what = "spec" if wants_specs and not formats else "item"
        say(f"No {what} is ready; nothing was started.", err=True)
        _name_others(session, dialect)
        return 0
    if not (options.takes_all or options.is_trial):
        _confirm_specs(session, specs)
    # The core lowers the number to the configured limit.
    request: StartRequestOfPerson = {
        **options.request,
        "parallel": options.request.get("parallel") or len(ids),
    }
    return start_work(session, ids, replace(options, request=request))


def _refuse_other_format(dialect: str | None, formats: list[str]) -> None:
    if dialect is not None and dialect not in ("chant", *formats):
        words = ", ".join(("chant", *formats))
        raise click.UsageError(
            f"`--dialect` names one of {words}; no other format here has items to work on."
        )


def _ready_specs(session: Session, *, is_optional: bool) -> list[Data]:
    chant = session.chant
    try:
        _, data = gathered(lambda limit, offset: chant.ready(limit=limit, offset=offset), EVERYTHING, "specs")
    except NotInitializedError:
        if not is_optional:
            raise
        return []
    specs: list[Data] = data["specs"]
    return specs


def _work_on_formats(session: Session, ready: dict[str, list[str]], options: StartOptions) -> int:
    """Start work on all that is ready, each format below a run of its own; give the exit code."""
    start = options.request
    if options.is_trial:
        return start_work(session, next(iter(ready.values())), options)
    if not options.takes_all:
        _confirm_items(session, ready)
    started: list[Data] = []
    refused: list[ChantError | click.ClickException] = []
    for names in ready.values():
        request: StartRequestOfPerson = {**start, "parallel": start.get("parallel") or len(names)}
        try:
            started.append(begin_first(session, names, request).data)
        except (RefusedError, click.ClickException) as error:
            # What one format cannot begin keeps none of the others from it.
            refused.append(error)
    if not started:
        raise refused[0]
    for error in refused:
        say(str(error), err=True)
    if options.waits:
        return watched(Watch(session.chant, [run["process_id"] for run in started]), None, options.as_json)
    if options.as_json:
        say_json(written({"processes": started}))
        return 0
    from chant_mcp.commands import display, run_display

    for run in started:
        display.console().print(run_display.started(run), soft_wrap=True)
    return 0


def _name_others(session: Session, dialect: str | None) -> None:
    """Say how what is ready and has no box is begun."""
    found: Data = session.workspace.ready(limit=1, dialects=[dialect] if dialect else []).data
    if items := found["items"]:
        count = f"{found['total']} item{'s are' if found['total'] > 1 else ' is'} ready"
        key = items[0]["key"]
        say(f"{count} that you name one by one, such as `chant-mcp work {key} --skip-criteria`.", err=True)


def _confirm_items(session: Session, ready: dict[str, list[str]]) -> None:
    """Name what would be worked on, and ask once; a script has to say `--all`."""
    keys = [key for keys in ready.values() for key in keys]
    count = f"{len(keys)} item{'s are' if len(keys) > 1 else ' is'} ready"
    if not is_person(session):
        raise click.UsageError(f"{count}. Name one of them, or add `--all` to work on all that are ready.")
    for key in keys:
        say(key, err=True)
    if not click.confirm(f"{count}. Start agents on all of them?", err=True):
        raise click.ClickException("Nothing was started.")


def _confirm_specs(session: Session, ready: list[Data]) -> None:
    """Show what would be worked on, and ask once; a script has to say `--all`."""
    count = f"{len(ready)} spec{'s are' if len(ready) > 1 else ' is'} ready"
    if not is_person(session):
        raise click.UsageError(f"{count}. Name one of them, or add `--all` to work on all that are ready.")
    from chant_mcp.commands import display

    display.console(for_errors=True).print(display.spec_table(ready))
    if not click.confirm(f"{count}. Start agents on all of them?", err=True):
        raise click.ClickException("Nothing was started.")
