"""`list`, `ready`, `show` and `graph` over everything in a project, of whatever dialect.

A project that holds specs alone is shown as `chant-mcp chant` shows it.
"""

from __future__ import annotations

from collections.abc import Callable

import click

from chant_mcp.commands import item_answers
from chant_mcp.commands.answers import (
    all_option,
    format_option,
    json_option,
    limit_option,
    list_all_option,
    picture_option,
)
from chant_mcp.commands.item_answers import ItemFilters
from chant_mcp.commands.project_options import on_project
from chant_mcp.commands.specs import approval_option, held_option
from chant_mcp.formats import format_words
from chant_mcp.session import Session
from chant_mcp.terminal import say_json

DIALECTS = format_words()


label_option = click.option(
    "--label", "labels", multiple=True, metavar="TEXT", help="Only items with this label; repeatable."
)
dialect_option = click.option(
    "--dialect",
    "dialects",
    multiple=True,
    metavar="NAME",
    help=f"Only items of this dialect: {', '.join(DIALECTS)}; repeatable.",
)
status_option = click.option(
    "--status",
    "statuses",
    multiple=True,
    metavar="STATUS",
    help="Only items in this state, in the words of their dialect, such as pending, started or "
    "approved; repeatable.",
)
ready_option = click.option("--ready", is_flag=True, help="Only what can be started now.")


def filters(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that choose items."""
    for option in (ready_option, dialect_option, label_option, status_option):
        command = option(command)
    return command


@click.command("list")
@filters
@approval_option
@limit_option
@list_all_option
@format_option
@json_option
@on_project
def list_items(
    session: Session,
    statuses: tuple[str, ...],
    labels: tuple[str, ...],
    dialects: tuple[str, ...],
    ready: bool,
    approval: str | None,
    limit: int,
    show_all: bool,
    as_json: bool,
) -> None:
    """List specs, tasks and tickets; with `--all` cancelled and archived specs, too."""
    wanted = ItemFilters(statuses, labels, dialects, ready)
    if approval and not wanted.is_of_specs:
        raise click.UsageError("Only specs have an approval: --approval goes with one --status at most.")
    item_answers.show_list(session, wanted, approval, limit, show_all, as_json)


@click.command()
@dialect_option
@label_option
@held_option
@limit_option
@all_option
@format_option
@json_option
@on_project
def ready(
    session: Session,
    labels: tuple[str, ...],
    dialects: tuple[str, ...],
    include_held: bool,
    limit: int,
    show_all: bool,
    as_json: bool,
) -> None:
    """List what can be started now: specs, tasks and tickets that wait for nothing."""
    wanted = ItemFilters((), labels, dialects, True, include_held)
    item_answers.show_ready(session, wanted, limit, show_all, as_json)


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--raw", is_flag=True, help="Print the text alone, as it is written.")
@json_option
@on_project
def show(session: Session, name: str, raw: bool, as_json: bool) -> None:
    """Show one spec, task or ticket.

    NAME is a key as `list` shows it, an ID or a ticket's code; a part of a spec's ID is enough when it
    fits only one.
    """
    item_answers.show_item(session, name, raw, as_json)


@click.command("show")
@click.argument("name", metavar="TASK")
@click.option("--raw", is_flag=True, help="Print the text alone, as it is written.")
@json_option
@on_project
def show_feature_task(session: Session, name: str, raw: bool, as_json: bool) -> None:
    """Show a task or a phase of any feature.

    TASK is a key as `list` shows it, with or without what stands before its colon; an ID is enough when
    only one feature has it.
    """
    prefix = "speckit:"
    item_answers.show_one(session, name if name.startswith(prefix) else prefix + name, raw, as_json)


_whole_option = click.option(
    "--all", "show_all", is_flag=True, help="Draw everything, also what waits for nothing and what is done."
)


@click.command()
@picture_option
@filters
@_whole_option
@json_option
@on_project
def graph(
    session: Session,
    form: str,
    statuses: tuple[str, ...],
    labels: tuple[str, ...],
    dialects: tuple[str, ...],
    ready: bool,
    show_all: bool,
    as_json: bool,
) -> None:
    """Draw the dependencies between items of all dialects.

    What an item waits for stands below it, or where its arrows end; dashed arrows lead over items that
    the filters leave out. With `--json` all items and what leads from one to another are listed.
    """
    _show_graph(session, ItemFilters(statuses, labels, dialects, ready), form, show_all, as_json)


def _graph_of(dialect: str, doc: str) -> click.Command:
    """Make the command that draws the items of one dialect."""

    @click.command("graph", help=doc)
    @picture_option
    @status_option
    @label_option
    @ready_option
    @_whole_option
    @json_option
    @on_project
    def command(
        session: Session,
        form: str,
        statuses: tuple[str, ...],
        labels: tuple[str, ...],
        ready: bool,
        show_all: bool,
        as_json: bool,
    ) -> None:
        _show_graph(session, ItemFilters(statuses, labels, (dialect,), ready), form, show_all, as_json)

    return command


spec_graph = _graph_of("chant", "Draw the dependencies between specs.")
feature_graph = _graph_of("speckit", "Draw the dependencies between tasks and phases of all features.")


@click.command("list")
@status_option
@label_option
@ready_option
@limit_option
@all_option
@format_option
@json_option
@on_project
def list_feature_tasks(
    session: Session,
    statuses: tuple[str, ...],
    labels: tuple[str, ...],
    ready: bool,
    limit: int,
    show_all: bool,
    as_json: bool,
) -> None:
    """List the tasks of all features; stories such as US1 are labels."""
    item_answers.show_items(
        session, ItemFilters(statuses, labels, ("speckit",), ready), limit, show_all, as_json
    )


@click.command("ready")
@label_option
@limit_option
@all_option
@format_option
@json_option
@on_project
def ready_feature_tasks(
    session: Session, labels: tuple[str, ...], limit: int, show_all: bool, as_json: bool
) -> None:
    """List the tasks of all features that can be done now."""
    item_answers.show_items(session, ItemFilters((), labels, ("speckit",), True), limit, show_all, as_json)


def _show_graph(session: Session, wanted: ItemFilters, form: str, show_all: bool, as_json: bool) -> None:
    if as_json and form != "tree":
        raise click.UsageError(f"--json lists items and --format {form} draws them; give one of them.")
    answer = session.workspace.graph("json" if as_json else form, **wanted.words(), all=show_all)
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, workspace_display

    display.show_picture(answer, workspace_display.waits)
