"""`list`, `ready`, `show` and `graph` over everything in a project, of whatever dialect.

A project that holds specs alone is shown as `chant-mcp chant` shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from chant_mcp.commands import specs
from chant_mcp.commands.answers import (
    all_option,
    format_option,
    json_option,
    limit_option,
    list_all_option,
    picture_option,
)
from chant_mcp.commands.surroundings import on_project
from chant_mcp.errors import ChantError, NotFoundError
from chant_mcp.formats import format_words, plan_formats_in, title_of
from chant_mcp.paging import EVERYTHING, Data, gathered, written
from chant_mcp.session import Session, dialects_in
from chant_mcp.terminal import say, say_json

DIALECTS = format_words()


@dataclass(frozen=True, slots=True)
class ItemFilters:
    """Which items are meant: values of one kind are alternatives, different kinds all have to fit."""

    statuses: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    ready: bool = False
    include_held: bool = False

    def words(self) -> dict[str, Any]:
        """Give the filters as the core takes them."""
        return {
            "statuses": list(self.statuses),
            "labels": list(self.labels),
            "dialects": list(self.dialects),
            "ready": self.ready,
            "include_held": self.include_held,
        }

    @property
    def is_of_specs(self) -> bool:
        """Whether the list of specs knows such filters, too."""
        return len(self.statuses) <= 1 and not (self.labels or self.dialects or self.ready)


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


def holds_specs_alone(session: Session) -> bool:
    """Return whether a project holds specs and nothing else."""
    return set(dialects_in(session.place.root)) <= {"chant"}


@click.command("list")
@filters
@specs.approval_option
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
    if wanted.is_of_specs and (approval or (holds_specs_alone(session) and not as_json)):
        status = statuses[0] if statuses else None
        specs.show_list(session, status, approval, limit, show_all, as_json)
        return
    _show_items(session, wanted, limit, show_all, as_json, with_unlisted=show_all and not ready)


@click.command()
@dialect_option
@label_option
@specs.held_option
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
    if not (labels or dialects or as_json) and holds_specs_alone(session):
        specs.show_ready(session, include_held, limit, show_all, as_json)
        return
    _show_items(session, ItemFilters((), labels, dialects, True, include_held), limit, show_all, as_json)


def _show_items(
    session: Session,
    wanted: ItemFilters,
    limit: int,
    show_all: bool,
    as_json: bool,
    *,
    with_unlisted: bool = False,
) -> None:
    workspace = session.workspace
    text, data = gathered(
        lambda limit, offset: workspace.list(**wanted.words(), limit=limit, offset=offset),
        EVERYTHING if show_all else limit,
        "items",
    )
    if with_unlisted:
        text, data = with_more(data, _unlisted(session, wanted))
    show_page(text, data, _when_none(session, wanted), as_json)


def _unlisted(session: Session, wanted: ItemFilters) -> list[Data]:
    """Give the specs that lists leave out and a filter wants."""
    asks_for_specs = not wanted.dialects or "chant" in wanted.dialects
    if not asks_for_specs or "chant" not in dialects_in(session.place.root):
        return []
    found = map(spec_as_item, specs.unlisted_specs(session, wanted.statuses))
    return [one for one in found if not wanted.labels or set(wanted.labels) & set(one["labels"])]


def with_more(data: Data, more: list[Data]) -> tuple[str, Data]:
    """Add items to a list, and write it."""
    items = [*data["items"], *more]
    data = {**data, "items": items, "total": data["total"] + len(more), "returned": len(items)}
    return written(data), data


def spec_as_item(spec: Data) -> Data:
    """Make the row of a spec that lists of specs have into that of an item."""
    id: str = spec["id"]
    depends_on = [one if ":" in one else f"chant:{one}" for one in spec["depends_on"] or ()]
    return {
        "key": f"chant:{id}",
        "dialect": "chant",
        "id": id,
        "title": spec["title"] or "",
        "status": spec["status"],
        "done": spec["status"] in ("completed", "cancelled"),
        "ready": False,
        "type": spec["type"],
        "labels": spec["labels"] or [],
        "assignee": None,
        "depends_on": depends_on,
        "waits_for": [],
        "path": spec.get("path", f".chant/specs/{id}.md"),
        "weight": 1.0,
    }


def _when_none(session: Session, wanted: ItemFilters) -> str:
    """Say why a list is empty, and how the first item is made where there is none."""
    said = "Nothing is ready." if wanted.ready else "Nothing matches."
    if session.workspace.dialects():
        return said
    first = {
        "chant": "`chant-mcp add TEXT`",
        "vine": "`chant-mcp vine new plan.vine`",
        "tickets": "`chant-mcp tickets add TITLE`",
        "speckit": "spec-kit's `specify` command",
    }
    here = dialects_in(session.place.root)
    ways = [way for dialect, way in first.items() if dialect in (wanted.dialects or here or first)]
    if plans := plan_formats_in(session.place.root):
        ways.extend(f"`chant-mcp add TEXT --to {word}` ({title_of(word)})" for word in plans)
    return f"{said} There is nothing yet; {' or '.join(ways)} creates the first item."


def show_page(text: str, data: Data, when_none: str, as_json: bool) -> None:
    """Print items as lists give them."""
    if as_json:
        say_json(text)
        return
    from chant_mcp.commands import display, workspace_display

    display.print_list(data, "items", workspace_display.item_table, when_none)


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
    if holds_specs_alone(session) and not as_json:
        specs.show_spec(session, name, raw, as_json)
        return
    _show_item(session, name, raw, as_json)


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
    _show_item(session, name if name.startswith(prefix) else prefix + name, raw, as_json)


def _show_item(session: Session, name: str, raw: bool, as_json: bool) -> None:
    try:
        answer = session.workspace.show(name)
    except NotFoundError:
        if not is_archived(session, name):
            raise
        specs.show_spec(session, name, raw, as_json)
        return
    item: Data = answer.data
    if item["dialect"] == "chant" and (as_json or raw):
        # One answer may hold only a piece of a long text.
        item = {**item, "body": specs.whole_spec(session, item["id"])[1]["body"]}
    if as_json:
        say_json(written(item))
        return
    body: str = item["body"]
    if raw:
        say(body, nl=not body.endswith("\n"))
        return
    if item["dialect"] == "chant":
        specs.show_spec(session, item["id"], raw, as_json)
        return
    from chant_mcp.commands import display, workspace_display

    out = display.console()
    out.print(workspace_display.item_fields(item))
    out.print()
    out.print(display.rendered(body))


def is_archived(session: Session, name: str) -> bool:
    """Return whether a name that no active item has is one of an archived spec."""
    try:
        session.chant.spec_get(name, max_chars=1)
    except ChantError:
        return False
    return True


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
    _show_items(session, ItemFilters(statuses, labels, ("speckit",), ready), limit, show_all, as_json)


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
    _show_items(session, ItemFilters((), labels, ("speckit",), True), limit, show_all, as_json)


def _show_graph(session: Session, wanted: ItemFilters, form: str, show_all: bool, as_json: bool) -> None:
    if as_json and form != "tree":
        raise click.UsageError(f"--json lists items and --format {form} draws them; give one of them.")
    answer = session.workspace.graph("json" if as_json else form, **wanted.words(), all=show_all)
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, workspace_display

    display.show_picture(answer, workspace_display.waits)
