"""What waits for a person: one list for the command, the count of `status` and the board in the browser."""

from __future__ import annotations

from chant_mcp.errors import NotInitializedError
from chant_mcp.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from chant_mcp.paging import Data

_COMMANDS = {
    "question": "chant-mcp answer {id} TEXT",
    "trust": "chant-mcp trust",
    "approval": "chant-mcp approve {item}",
    "rejected": "chant-mcp show {item}",
    "ticket": "chant-mcp tickets status {item} Approved",
    "conflict": "chant-mcp merge {item}",
    "merge": "chant-mcp merge {item}",
    "review": "chant-mcp review {item}",
    "failure": "chant-mcp work {item}",
    "pause": "chant-mcp work {item}",
}
"""The command for each kind of entry."""


def waiting_for_person(session: Session) -> Data:
    """List what waits for a person, each with the command to type.

    Returns:
        `entries`, each with `kind`, `title`, `text` and `command`, and their `total`.
    """
    waiting: Data = session.workspace.board_waiting().data
    first = [*_trust(session), *_questions(session)]
    entries = [*first, *waiting["entries"]]
    for entry in entries:
        entry["command"] = _command(entry)
    return {"entries": entries, "total": len(first) + waiting["total"]}


def count_waiting(session: Session) -> int:
    """Count what waits for a person."""
    return len(_trust(session)) + len(_questions(session)) + session.workspace.board_waiting().data["total"]


def _command(entry: Data) -> str:
    kind: str = entry["kind"]
    key = entry.get("key") or ""
    dialect, _, name = key.partition(":")
    item = name
    if dialect not in ("chant", "tickets"):
        import shlex  # a command that only counts what waits needs none

        item = shlex.quote(key)
    if kind == "approval" and entry["why"] == "rejected":
        kind = "rejected"
    elif kind == "approval" and dialect == "tickets":
        kind = "ticket"
    elif kind == "merge" and (entry["text"] or "").startswith("awaiting review"):
        kind = "review"
    return _COMMANDS[kind].format(id=entry.get("id"), item=item)


def _trust(session: Session) -> list[Data]:
    try:
        if session.chant.untrusted_line() is None:
            return []
    except NotInitializedError:
        return []
    report = session.project_in(session.place.root.resolve()).trust_report()
    if report["trusted"] or not report["listing"]:
        return []
    return [
        {
            "kind": "trust",
            "title": "This folder asks for something that only a person may allow",
            "text": report["summary"],
            "listing": [*report["listing"], *report["instructions"]],
            "difference": report["difference"],
            "gaps": report["gaps"],
            "hash": report["hash"],
        }
    ]


def _questions(session: Session) -> list[Data]:
    try:
        asked: list[Data] = session.speckit.questions().data
    except NotInitializedError:
        return []
    return [
        {
            "kind": "question",
            "id": one["id"],
            "title": one.get("agent") or "An agent",
            "text": one["prompt"],
            "since": one.get("asked_at"),
            "key": session.chant.key_of_run(one["run"]) if one.get("run") else None,
        }
        for one in asked
    ]
