"""Editing one section of a spec or a ticket from the board, against the text that the person saw."""

from __future__ import annotations

import re
from typing import Any

from chant_mcp._core import body_section
from chant_mcp.errors import ConflictError, RefusedError
from chant_mcp.session import Session


def read_section(session: Session, key: str, section: str) -> str:
    """Give the text of a section, without its heading."""
    found: dict[str, Any] = session.workspace.show(key).data
    return body_section(found["body"], section, found["id"])[1]


def write_section(session: Session, key: str, section: str, seen: str, text: str) -> None:
    """Put a text in the place of a section that still says what was seen.

    Raises:
        ConflictError: It says something else by now; nothing is written, the details have both texts.
        RefusedError: The item has no sections that can be edited here.
    """
    now = read_section(session, key, section)
    if now != seen:
        raise _conflict(text, now)
    try:
        _write(session, key, section, seen, text)
    except ConflictError as error:
        # Between the look and the edit somebody was faster.
        raise _conflict(text, read_section(session, key, section)) from error


def _write(session: Session, key: str, section: str, seen: str, text: str) -> None:
    dialect, _, id = key.partition(":")
    if dialect == "tickets":
        session.tickets.manage_cr_sections(None, id, "replace", section=section, content=text, expect=seen)
    elif dialect == "chant":
        body: str = session.workspace.show(key).data["body"]
        output = _with_section(body, section, id, seen, text)
        session.chant.spec_update(id, output=output, replace_body=True, expect_body=body)
    else:
        raise RefusedError(f"`{key}` cannot be edited here. Edit its file.")


def _with_section(body: str, section: str, id: str, seen: str, text: str) -> str:
    heading, found = body_section(body, section, id)
    if found != seen:
        raise _conflict(text, found)
    places = list(
        re.finditer(rf"^{re.escape(heading)}[ \t#]*\n\s*?(?={re.escape(found)})", body, re.MULTILINE)
    )
    if len(places) != 1:
        raise RefusedError(f"`{heading}` occurs more than once. Edit the file.")
    at = places[0].end()
    return body[:at].rstrip("\n") + "\n\n" + text.strip("\n") + body[at + len(found) :]


def _conflict(yours: str, theirs: str) -> ConflictError:
    error = ConflictError("The section changed after you opened it. Nothing was written.")
    error.details = {**error.details, "conflict": {"yours": yours, "theirs": theirs}}
    return error
