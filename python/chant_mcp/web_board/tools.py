"""The questions that the board's page asks: read-only tools for the page alone, which models do not see.

What the core answers is handed on; what is made of several of its answers is made here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated, Any

from chant_mcp.commands.watch import agent_of, seconds_between, state_of, without_stamps
from chant_mcp.errors import NotFoundError, NotInitializedError
from chant_mcp.formats import key_of_work
from chant_mcp.inbox import waiting_for_person
from chant_mcp.load_words import load_lines
from chant_mcp.parameters import ToolParameter
from chant_mcp.session import Session
from chant_mcp.web_board.sections import read_section

Data = dict[str, Any]

_MEANINGS = ["can_begin", "being_worked_on", "waits_for_you", "waits", "done"]

Meaning = Annotated[str, ToolParameter(schema={"enum": _MEANINGS})]
"""What an item means to a person: the column it stands in."""

ReviewScope = Annotated[str, ToolParameter(schema={"enum": ["all", "look", "turn"]})]
"""Which hunks of a review are shown: all, those not seen yet, or those of the last turn."""

_TAIL = 3
"""Lines of an agent's log on its card."""

_LOG_LINES = 500
"""Lines of a log that are read when it is opened."""


_PLACES = 50
"""Plans, and features, that a new task is offered for."""


@dataclass(frozen=True, slots=True)
class BoardTool:
    """A tool for the page."""

    run: Callable[..., str]
    """Takes the session and the arguments; gives JSON."""

    @property
    def name(self) -> str:
        """Its name on the wire."""
        return self.run.__name__


def board_look(
    session: Session,
    search: str = "",
    bodies: bool = False,
    dialect: str | None = None,
    label: str | None = None,
    limit: int = 100,
    since: str | None = None,
) -> str:
    """Count all columns and give the first rows of each, but of those that are as they were at `since`."""
    look = session.workspace.board_look(
        search, bodies=bodies, dialect=dialect, label=label, limit=limit, since=since
    )
    return _json(look)


def board_rows(
    session: Session,
    meaning: Meaning,
    offset: int = 0,
    limit: int = 100,
    search: str = "",
    bodies: bool = False,
    dialect: str | None = None,
    label: str | None = None,
) -> str:
    """Give further rows of a column."""
    rows = session.workspace.board_rows(
        meaning, search, bodies=bodies, dialect=dialect, label=label, limit=limit, offset=offset
    )
    return _json(rows)


def board_item(session: Session, key: str) -> str:
    """Give all that is known of an item, with its text as a tree."""
    return _json(session.workspace.board_item(key))


def board_section(session: Session, key: str, section: str) -> str:
    """Give the text of a section, to edit it."""
    return json.dumps({"text": read_section(session, key, section)})


def board_places(session: Session) -> str:
    """List the plans and features that a task can be added to."""
    plans: Data = session.workspace.mention_plans("", limit=_PLACES).data
    try:
        features: list[Data] = session.speckit.features().data
    except NotInitializedError:
        features = []
    return json.dumps(
        {
            "plans": [{"file": plan["path"], "root": plan["root"]} for plan in plans["items"]],
            "features": [PurePath(feature["spec_dir"]).name for feature in features[:_PLACES]],
        }
    )


def board_graph(
    session: Session,
    key: str | None = None,
    depth: int | None = None,
    label: str | None = None,
    dialect: str | None = None,
) -> str:
    """Draw what waits for what, at most sixty figures."""
    return _json(session.workspace.board_graph(key, depth=depth, label=label, dialect=dialect))


def board_timeline(session: Session) -> str:
    """Give past work and the plan of what is left."""
    return _json(session.workspace.board_timeline())


def board_problems(session: Session, offset: int = 0) -> str:
    """List files that cannot be read as they should be."""
    return _json(session.workspace.board_problems(offset=offset))


def board_diff(session: Session, key: str) -> str:
    """Give the changes of the branch of a spec's run."""
    return _json(session.workspace.board_diff(key))


def board_review(session: Session, key: str, scope: ReviewScope = "all") -> str:
    """Give the hunks of a spec's work, and what was said of it."""
    return _json(session.chant.review_show(key.removeprefix("chant:"), since=scope))


def board_runs(session: Session) -> str:
    """List runs with the last lines of their logs, those at work first, and how busy their machines are."""
    try:
        listed: Data = session.chant.work_list(include_completed=True).data
    except NotInitializedError:
        return json.dumps({"runs": [], "running": 0})
    titles: dict[str, str] = {}
    runs = [_run(session, run, titles) for run in listed["processes"]]
    runs.sort(key=lambda run: run["state"] != "running")
    running = sum(run["state"] == "running" for run in runs)
    return json.dumps({"runs": runs, "running": running, "busy": load_lines(listed)})


def board_log(session: Session, key: str, offset: int | None = None) -> str:
    """Read the log of a spec's run, from an offset on."""
    try:
        page: Data = session.chant.log(key.removeprefix("chant:"), lines=_LOG_LINES, offset=offset).data
    except (NotFoundError, NotInitializedError):  # its agent has written nothing yet
        return json.dumps({"text": "", "byte_offset": 0, "is_new": True})
    is_new = offset is None or page["byte_offset"] < offset
    return json.dumps(
        {"text": without_stamps(page["content"]), "byte_offset": page["byte_offset"], "is_new": is_new}
    )


def board_inbox(session: Session) -> str:
    """List what waits for a person: questions, approvals, conflicts, failures, paused work, trust."""
    return json.dumps(waiting_for_person(session))


BOARD_TOOLS = tuple(
    BoardTool(run)
    for run in (
        board_look,
        board_rows,
        board_item,
        board_section,
        board_places,
        board_graph,
        board_runs,
        board_log,
        board_diff,
        board_review,
        board_inbox,
        board_timeline,
        board_problems,
    )
)
"""All of them, in the order in which they are listed to hosts that show the board."""


def _json(answer: Any) -> str:
    return answer.json or "{}"


def _run(session: Session, run: Data, titles: dict[str, str]) -> Data:
    spec, state = run["spec_id"], state_of(run)
    if spec not in titles:
        titles[spec] = _title(session, spec)
    usage: Data = run.get("usage") or {}
    counts: Data | None = run.get("criteria")
    return {
        "id": key_of_work(spec),
        "run": run["process_id"],
        "title": titles[spec],
        "agent": agent_of(run) or None,
        "state": state,
        "mode": run["mode"],
        "started": run["started_at"],
        "age_s": seconds_between(run["started_at"], run["completed_at"]),
        "criteria": counts and {"done": counts["checked"], "total": counts["total"]},
        "cost": usage.get("cost_usd"),
        "tokens": sum(usage.get(name, 0) for name in ("input_tokens", "output_tokens")) or None,
        "branch": run.get("branch"),
        "target": run.get("target"),
        "reason": run.get("reason"),
        "next_step": run.get("next_step"),
        "tail": _tail(session, spec) if state == "running" else [],
    }


def _title(session: Session, spec: str) -> str:
    try:
        return session.workspace.show(key_of_work(spec)).data["title"]
    except NotFoundError:  # it was removed since
        return ""


def _tail(session: Session, spec: str) -> list[str]:
    try:
        page: Data = session.chant.log(spec, lines=_TAIL).data
    except (NotFoundError, NotInitializedError):
        return []
    return without_stamps(page["content"]).splitlines()[-_TAIL:]
