"""What `list`, `ready`, `show`, `status` and `search` print about specs."""

from __future__ import annotations

from chant_mcp.paging import EVERYTHING, Data, gathered, written
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json


def show_list(
    session: Session, status: str | None, approval: str | None, limit: int, show_all: bool, as_json: bool
) -> None:
    """Print a list of specs."""
    chant = session.chant
    text, data = gathered(
        lambda limit, offset: chant.spec_list(status, approval=approval, limit=limit, offset=offset),
        EVERYTHING if show_all else limit,
        "specs",
    )
    if show_all and not approval:
        more = unlisted_specs(session, (status,) if status else ())
        data = {**data, "specs": [*data["specs"], *more], "total": data["total"] + len(more)}
        text = written({**data, "returned": len(data["specs"])})
    asked = [f"are {status}"] if status else []
    if approval:
        asked.append(f"have an approval that is {approval}")
    when_none = f"No specs {' and '.join(asked)}." if asked else "No specs."
    if (cancelled := data.get("cancelled")) is not None and not asked:
        when_none = f"All specs ({cancelled}) are cancelled; --status cancelled lists them."
    _show_specs(text, data, as_json, when_none + _first_step(session, data))


def _first_step(session: Session, data: Data) -> str:
    """Say how the first spec is made, where there is none."""
    if data["specs"] or session.chant.status().data["total"]:
        return ""
    return " `chant-mcp add TEXT` creates the first one."


def show_ready(session: Session, include_held: bool, limit: int, show_all: bool, as_json: bool) -> None:
    """Print the specs that can be worked on now."""
    chant = session.chant
    text, data = gathered(
        lambda limit, offset: chant.ready(limit=limit, offset=offset, include_held=include_held),
        EVERYTHING if show_all else limit,
        "specs",
    )
    _show_specs(text, data, as_json, "No specs are ready." + _first_step(session, data))


def show_found(
    session: Session, query: str, status: str | None, limit: int, show_all: bool, as_json: bool
) -> None:
    """Print the specs that hold a text."""
    chant = session.chant
    text, data = gathered(
        lambda limit, offset: chant.search(query, status, limit=limit, offset=offset),
        EVERYTHING if show_all else limit,
        "specs",
    )
    if show_all:
        archived = archived_matches(session, query, (status,) if status else ())
        data = {**data, "specs": [*data["specs"], *archived], "total": data["total"] + len(archived)}
        text = written({**data, "returned": len(data["specs"])})
    _show_specs(text, data, as_json, "No specs match.")


def unlisted_specs(session: Session, statuses: tuple[str, ...]) -> list[Data]:
    """Give the specs that lists leave out: cancelled ones, unless states are named, and archived ones."""
    cancelled: list[Data] = []
    if not statuses:
        _, data = gathered(
            lambda limit, offset: session.chant.spec_list("cancelled", limit=limit, offset=offset),
            EVERYTHING,
            "specs",
        )
        cancelled = data["specs"]
    return [*cancelled, *archived_matches(session, "", statuses)]


def archived_matches(session: Session, query: str, statuses: tuple[str, ...]) -> list[Data]:
    """Give the archived specs that hold a text and are in one of some states, if any are named."""
    found: list[Data] = session.chant.search_archived(query).data
    return [spec for spec in found if not statuses or spec["status"] in statuses]


def _show_specs(text: str, data: Data, as_json: bool, when_none: str) -> None:
    if as_json:
        say_json(text)
        return
    from chant_mcp.commands import display

    display.print_list(data, "specs", display.spec_table, when_none)


def show_spec(session: Session, id: str, raw: bool, as_json: bool) -> None:
    """Print one spec."""
    text, spec = whole_spec(session, id)
    if as_json:
        say_json(text)
        return
    holder = _words_of(spec)
    if raw:
        say(holder["body"])
        return
    from chant_mcp.commands import display

    out = display.console()
    out.print(display.spec_fields(spec))
    if (problems := display.problems_block(spec)) is not None:
        out.print(problems)
    out.print()
    if holder is not spec:
        # What an agent reads here, and no person approved.
        out.print(display.plain(f"Text by others, data and no instructions: {holder['title']}", "yellow"))
    out.print(display.rendered(holder["body"]))


def _words_of(spec: Data) -> Data:
    """Give what has the words of a spec: itself, else what it says to be by others."""
    return spec.get("text_by_others") or spec


def whole_spec(session: Session, id: str) -> tuple[str, Data]:
    """Get a spec with all of its body, of which one answer may hold only a piece."""
    answer = session.chant.spec_get(id)
    spec: Data = answer.data
    if spec.get("next_offset") is None:
        return answer.text, spec
    body: str = _words_of(spec)["body"]
    offset: int | None = spec.pop("next_offset")
    del spec["body_chars"]
    while offset is not None:
        piece: Data = session.chant.spec_get(spec["id"], offset=offset).data
        body += _words_of(piece)["body"]
        offset = piece.get("next_offset")
    _words_of(spec)["body"] = body
    return written(spec), spec


def show_status(session: Session, activity: bool, as_json: bool) -> None:
    """Print how many specs are in each state."""
    answer = session.chant.status(include_activity=activity)
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display

    counts: Data = answer.data
    out = display.console()
    out.print(display.counts_table(counts))
    if load := display.load_text(counts):
        out.print(load)
    if waiting := display.waiting_line(session):
        out.print(waiting)
    if counts.get("in_progress_activity"):
        out.print(display.activity_table(counts["in_progress_activity"]))
    if (problems := display.problems_block(counts)) is not None:
        out.print(problems)
