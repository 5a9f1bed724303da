"""What `list`, `ready`, `show` and `status` print about items of whatever format.

Nothing here needs click: these commands are started often, and importing it takes as long as they do.
"""

from __future__ import annotations

from chant_mcp.commands import spec_answers
from chant_mcp.errors import ChantError, NotFoundError
from chant_mcp.formats import FIRST_ITEM, plan_formats_in, title_of
from chant_mcp.paging import EVERYTHING, Data, gathered, written
from chant_mcp.session import Session, dialects_in
from chant_mcp.terminal import say, say_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ItemFilters:
    """Which items are meant: values of one kind are alternatives, different kinds all have to fit."""

    def __init__(
        self,
        statuses: tuple[str, ...] = (),
        labels: tuple[str, ...] = (),
        dialects: tuple[str, ...] = (),
        ready: bool = False,
        include_held: bool = False,
    ) -> None:
        self.statuses = statuses
        self.labels = labels
        self.dialects = dialects
        self.ready = ready
        self.include_held = include_held

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


def holds_specs_alone(session: Session) -> bool:
    """Return whether a project holds specs and nothing else."""
    return set(dialects_in(session.place.folder)) <= {"chant"}


def show_list(
    session: Session, wanted: ItemFilters, approval: str | None, limit: int, show_all: bool, as_json: bool
) -> None:
    """Print the items that fit."""
    if wanted.is_of_specs and (approval or (holds_specs_alone(session) and not as_json)):
        status = wanted.statuses[0] if wanted.statuses else None
        spec_answers.show_list(session, status, approval, limit, show_all, as_json)
        return
    show_items(session, wanted, limit, show_all, as_json, with_unlisted=show_all and not wanted.ready)


def show_ready(session: Session, wanted: ItemFilters, limit: int, show_all: bool, as_json: bool) -> None:
    """Print what can be started now."""
    if not (wanted.labels or wanted.dialects or as_json) and holds_specs_alone(session):
        spec_answers.show_ready(session, wanted.include_held, limit, show_all, as_json)
        return
    show_items(session, wanted, limit, show_all, as_json)


def show_items(
    session: Session,
    wanted: ItemFilters,
    limit: int,
    show_all: bool,
    as_json: bool,
    *,
    with_unlisted: bool = False,
) -> None:
    """Print items as lists give them."""
    workspace = session.workspace
    text, data = gathered(
        lambda limit, offset: workspace.list(**wanted.words(), limit=limit, offset=offset),
        EVERYTHING if show_all else limit,
        "items",
    )
    if with_unlisted:
        text, data = with_more(data, _unlisted(session, wanted))
    # Why nothing is there is a further question to all documents.
    show_page(text, data, "" if data["total"] else _when_none(session, wanted), as_json)


def _unlisted(session: Session, wanted: ItemFilters) -> list[Data]:
    """Give the specs that lists leave out and a filter wants."""
    asks_for_specs = not wanted.dialects or "chant" in wanted.dialects
    if not asks_for_specs or "chant" not in dialects_in(session.place.folder):
        return []
    found = map(spec_as_item, spec_answers.unlisted_specs(session, wanted.statuses))
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
    here = dialects_in(session.place.folder)
    ways = [way for word, way in FIRST_ITEM.items() if word in (wanted.dialects or here or FIRST_ITEM)]
    if plans := plan_formats_in(session.place.folder):
        ways.extend(f"`chant-mcp add TEXT --to {word}` ({title_of(word)})" for word in plans)
    return f"{said} There is nothing yet; {' or '.join(ways)} creates the first item."


def show_page(text: str, data: Data, when_none: str, as_json: bool) -> None:
    """Print items as lists give them."""
    if as_json:
        say_json(text)
        return
    from chant_mcp.commands import display, workspace_display

    display.print_list(data, "items", workspace_display.item_table, when_none)


def show_item(session: Session, name: str, raw: bool, as_json: bool) -> None:
    """Print one item, by a part of its ID where there are specs alone."""
    if holds_specs_alone(session) and not as_json:
        spec_answers.show_spec(session, name, raw, as_json)
        return
    show_one(session, name, raw, as_json)


def show_one(session: Session, name: str, raw: bool, as_json: bool) -> None:
    """Print one item, by its key or an ID."""
    try:
        answer = session.workspace.show(name)
    except NotFoundError:
        if not is_archived(session, name):
            raise
        spec_answers.show_spec(session, name, raw, as_json)
        return
    item: Data = answer.data
    if item["dialect"] == "chant" and (as_json or raw):
        # One answer may hold only a piece of a long text.
        item = {**item, "body": spec_answers.whole_spec(session, item["id"])[1]["body"]}
    if as_json:
        say_json(written(item))
        return
    body: str = item["body"]
    if raw:
        say(body, nl=not body.endswith("\n"))
        return
    if item["dialect"] == "chant":
        spec_answers.show_spec(session, item["id"], raw, as_json)
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


def show_status(session: Session, activity: bool, as_json: bool) -> None:
    """Print how many items are in each state."""
    if activity or (holds_specs_alone(session) and not as_json):
        spec_answers.show_status(session, activity, as_json)
        return
    answer = session.workspace.board()
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, workspace_display
    from chant_mcp.commands.plan_findings import findings_line, plan_findings

    counts: Data = answer.data
    out = display.console()
    out.print(workspace_display.states_table(counts["dialects"]))
    if waiting := display.waiting_line(session):
        out.print(waiting)
    if (problems := display.problems_block(counts)) is not None:
        out.print(problems)
    if line := findings_line(plan_findings(session)):
        out.print(line)


def show_found(
    session: Session, query: str, statuses: tuple[str, ...], limit: int, show_all: bool, as_json: bool
) -> None:
    """Print the items that hold a text."""
    if len(statuses) <= 1 and holds_specs_alone(session) and not as_json:
        spec_answers.show_found(session, query, statuses[0] if statuses else None, limit, show_all, as_json)
        return
    workspace = session.workspace
    text, data = gathered(
        lambda limit, offset: workspace.search(query, statuses=list(statuses), limit=limit, offset=offset),
        EVERYTHING if show_all else limit,
        "items",
    )
    if show_all and "chant" in dialects_in(session.place.folder):
        archived = spec_answers.archived_matches(session, query, statuses)
        text, data = with_more(data, [spec_as_item(spec) for spec in archived])
    show_page(text, data, "Nothing matches.", as_json)
