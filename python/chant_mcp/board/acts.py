"""What can be done to an item, as data; knows nothing of a screen.

An act is offered where the item's state allows it. What only a person may decide goes the way of the board in
a browser, which refuses it when the document is another by now than the one that was looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal

from chant_mcp.session import Session
from chant_mcp.web_board.acts import perform

Data = dict[str, Any]

_BY = "board"
"""Who acts, in the records."""

_PRIORITIES = ("Low", "Medium", "High", "Critical")

_TASK_STATUSES = ("notstarted", "planning", "started", "reviewing", "blocked", "complete")

_TO_DECIDE = ("approve", "rejected", "merge", "conflict")
"""Why work that has ended waits for a person's decision."""

_HALTED = ("failed", "attention")
"""Why work that ended without success waits for a person."""


@dataclass(frozen=True, slots=True)
class ActOutcome:
    """What an act did."""

    text: str
    undo: Callable[[], ActOutcome] | None = None
    """The way back, where there is one."""


@dataclass(frozen=True, slots=True)
class ItemAct:
    """Something that can be done to an item."""

    key: str
    label: str
    offers: Callable[[Data], bool]
    """Whether the state of the item allows it."""
    run: Callable[[Session, Data, str], ActOutcome]
    """Takes what was asked for: a reason, a choice, what was agreed to."""
    asks: Literal["nothing", "consent", "reason", "choice"] = "nothing"
    choices: Callable[[Data], list[tuple[str, str]]] = lambda _: []
    """Values and their texts."""
    is_of_person: bool = False
    """Whether only a person may do it."""


def offered(item: Data, *, is_person: bool) -> Iterator[ItemAct]:
    """Give the acts that an item's state allows, one for each key."""
    keys: set[str] = set()
    for act in _ACTS:
        if act.key not in keys and (is_person or not act.is_of_person) and act.offers(item):
            keys.add(act.key)
            yield act


def add_spec(session: Session, text: str) -> ActOutcome:
    """Add a spec that says this."""
    return ActOutcome(session.chant.add(text).text)


def _is_spec(item: Data) -> bool:
    return item["dialect"] == "chant"


def _can_be_worked_on(item: Data) -> bool:
    return item["meaning"] == "can_begin"


def _is_at_work(item: Data) -> bool:
    return item.get("work") == "in_progress" and item.get("why") not in _TO_DECIDE


def _waits_by(*reasons: str) -> Callable[[Data], bool]:
    """Return whether work on an item waits for a person for one of these reasons."""
    return lambda item: "work" in item and item.get("why") in reasons


def _has_work(item: Data) -> bool:
    """Return whether an agent worked on it, and a person is to read what it did."""
    return _waits_by("approve", "merge", "conflict", *_HALTED)(item) and item["work"] != "pending"


def _may_end(item: Data) -> bool:
    return _is_spec(item) and (_is_at_work(item) or _waits_by(*_HALTED)(item))


def _name(item: Data) -> str:
    """Give the name that runs on an item have."""
    return item["id"] if _is_spec(item) else item["key"]


def _has_open(item: Data) -> bool:
    return any(not row["done"] for row in item["criteria"])


def _start(session: Session, item: Data, _: str) -> ActOutcome:
    return ActOutcome(session.chant.work_start(_name(item)).text)


def _start_again(session: Session, item: Data, _: str) -> ActOutcome:
    session.chant.reset(_name(item))
    return _start(session, item, "")


def _pause(session: Session, item: Data, _: str) -> ActOutcome:
    return ActOutcome(session.chant.pause(_name(item)).text)


def _take_over(session: Session, item: Data, _: str) -> ActOutcome:
    return ActOutcome(session.chant.takeover(_name(item)).text)


def _finish(session: Session, item: Data, _: str) -> ActOutcome:
    return ActOutcome(session.chant.finalize(item["id"]).text)


def _decide(name: str, given_as: str = "") -> Callable[[Session, Data, str], ActOutcome]:
    def run(session: Session, item: Data, given: str) -> ActOutcome:
        body: Data = {"act": name, "key": item["key"], "version": item["version"]}
        if given_as and given:
            body[given_as] = given
        return ActOutcome(perform(session, body)["text"])

    return run


def _tick(session: Session, item: Data, line: str) -> ActOutcome:
    row = next(row for row in item["criteria"] if str(row["line"]) == line)

    def write(is_done: bool) -> ActOutcome:
        act = "check" if is_done else "uncheck"
        if _is_spec(item):
            change: Any = {act: [row["text"]]}
            session.chant.spec_update(item["id"], **change)
        else:
            session.tickets.manage_cr_sections(None, item["id"], act, content=row["text"])
        return ActOutcome("Ticked." if is_done else "Tick taken back.", lambda: write(not is_done))

    return write(not row["done"])


def _boxes(item: Data) -> list[tuple[str, str]]:
    return [(str(row["line"]), f"[{'x' if row['done'] else ' '}] {row['text']}") for row in item["criteria"]]


def _complete(session: Session, item: Data, _: str) -> ActOutcome:
    task = item["id"].rpartition("#")[2]
    feature = PurePath(item["path"]).parent.as_posix()
    return ActOutcome(session.speckit.complete(task, feature=feature, agent=_BY).text)


def _set_status(session: Session, item: Data, status: str) -> ActOutcome:
    id = item["key"].rpartition("#")[2]

    def write(value: str, previous: str) -> ActOutcome:
        change: Any = [{"op": "set_status", "id": id, "status": value}]
        session.vine.write(item["path"], change)
        return ActOutcome(f"Status: {value}.", lambda: write(previous, value))

    return write(status, item["status"])


def _set_priority(session: Session, item: Data, priority: str) -> ActOutcome:
    before = item["priority"]

    def write(value: str, previous: str | None) -> ActOutcome:
        session.tickets.update_cr_attrs(None, item["id"], {"priority": value})
        undo = (lambda: write(previous, value)) if previous else None
        return ActOutcome(f"Priority: {value}.", undo)

    return write(priority, before)


def _takes(intent: str) -> Callable[[Data], bool]:
    return lambda item: intent in item.get("edits", ()) and not item.get("group")


def _plan_boxes(item: Data) -> list[tuple[str, str]]:
    own = [("self", f"[{'x' if item['done'] else ' '}] {item['title']}")] if item["box"] else []
    return [*own, *_boxes(item)]


def _plan_statuses(item: Data) -> list[tuple[str, str]]:
    return [(name, name) for name in item["statuses"]]


def _tick_plan_item(session: Session, item: Data, given: str) -> ActOutcome:
    if given == "self":
        name, is_ticked = given, item["done"]
    else:
        row = next(row for row in item["criteria"] if str(row["line"]) == given)
        name, is_ticked = row["name"], row["done"]

    def write(is_done: bool) -> ActOutcome:
        edits: Any = {"tick" if is_done else "untick": [name]}
        session.workspace.item_update(item["key"], **edits)
        return ActOutcome("Ticked." if is_done else "Tick taken back.", lambda: write(not is_done))

    return write(not is_ticked)


def _set_plan_status(session: Session, item: Data, status: str) -> ActOutcome:
    def write(value: str, previous: str) -> ActOutcome:
        session.workspace.item_update(item["key"], status=value)
        return ActOutcome(f"Status: {value}.", lambda: write(previous, value))

    return write(status, item["status"])


_ACTS = (
    ItemAct(
        "y", "Approve", _waits_by("approve", "rejected"), _decide("approve"), "consent", is_of_person=True
    ),
    ItemAct("n", "Reject", _waits_by("approve"), _decide("reject", "reason"), "reason", is_of_person=True),
    ItemAct(
        "m",
        "Merge",
        _waits_by("merge", "conflict"),
        _decide("merge", "agreement"),
        "consent",
        is_of_person=True,
    ),
    ItemAct("c", "Comment", _has_work, _decide("comment", "text"), "reason", is_of_person=True),
    ItemAct("C", "Send comments", _has_work, _decide("send"), "consent", is_of_person=True),
    ItemAct("w", "Start", _can_be_worked_on, _start, "consent"),
    ItemAct("w", "Go on", _waits_by("paused"), _start, "consent"),
    ItemAct("w", "Start again", _waits_by(*_HALTED), _start_again, "consent"),
    ItemAct("p", "Pause", lambda item: _is_at_work(item) and item.get("why") != "paused", _pause),
    ItemAct(
        "t", "Take over", lambda item: _is_at_work(item) or _waits_by("paused")(item), _take_over, "consent"
    ),
    ItemAct(
        "F",
        "Finish",
        lambda item: _is_spec(item) and _is_at_work(item) and not _has_open(item),
        _finish,
        "consent",
    ),
    ItemAct(
        "F",
        "Finish as it is",
        lambda item: _may_end(item) and _has_open(item),
        _decide("finish"),
        "consent",
        is_of_person=True,
    ),
    ItemAct(
        "x",
        "Tick",
        lambda item: item["dialect"] in ("chant", "tickets") and bool(item["criteria"]),
        _tick,
        "choice",
        choices=_boxes,
    ),
    ItemAct(
        "x", "Complete", lambda item: item["dialect"] == "speckit" and item["meaning"] != "done", _complete
    ),
    ItemAct("x", "Tick", _takes("tick"), _tick_plan_item, "choice", choices=_plan_boxes),
    ItemAct("S", "Status", _takes("status"), _set_plan_status, "choice", choices=_plan_statuses),
    ItemAct(
        "S",
        "Status",
        lambda item: item["dialect"] == "vine" and item["type"] == "task",
        _set_status,
        "choice",
        choices=lambda _: [(name, name) for name in _TASK_STATUSES],
    ),
    ItemAct(
        "P",
        "Priority",
        lambda item: item["dialect"] == "tickets",
        _set_priority,
        "choice",
        choices=lambda _: [(name, name) for name in _PRIORITIES],
    ),
)
"""All of them; of those with one key the first that is offered counts."""
