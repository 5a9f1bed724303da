"""What only a person may do, done in their name: approve, reject, answer, trust, merge, finish, edit.

Each act names the very thing that the person looked at: if that is another by now, the act is refused and
nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from chant_mcp.api.specs import Spec
from chant_mcp.api.tickets import Ticket
from chant_mcp.api.vines import Task
from chant_mcp.api.workspace import Workspace
from chant_mcp.errors import ChantError, ConflictError, InvalidArgumentError, RefusedError
from chant_mcp.formats import is_item_key
from chant_mcp.parameters import ReviewAct
from chant_mcp.session import Session
from chant_mcp.web_board.sections import write_section

Data = dict[str, Any]

_BY = "board"
"""Who answers a question, in the records."""


def perform(session: Session, body: Mapping[str, Any]) -> Data:
    """Do what a person at the board asks for.

    Args:
        session: The project.
        body: `act`, and what that act takes.

    Returns:
        `{"done": true, "text": …}`, and the `key` of an item that was added.

    Raises:
        InvalidArgumentError: When there is no such act, or something is missing.
        ConflictError: When the item is another by now than the one the person looked at.
        ChantError: As the core refuses it.
    """
    name = _text(body, "act")
    act = _ACTS.get(name)
    if act is None:
        raise InvalidArgumentError(f"There is no act `{name}`. Expected one of {', '.join(_ACTS)}.")
    reported = act(session, body)
    return {"done": True, **({"text": reported} if isinstance(reported, str) else reported)}


def as_refusal(error: ChantError) -> Data:
    """Give a refusal as the page shows it: kind, message, what may help, and both texts of a conflict."""
    shown: Data = {"kind": error.code, "message": error.message}
    if hint := error.hint_at("people").strip():
        shown["hint"] = hint
    for name in ("conflict", "shown", "agreement", "folder", "hash"):
        if name in error.details:
            shown[name] = error.details[name]
    return {"error": shown}


def _approve(session: Session, body: Mapping[str, Any]) -> str:
    return session.chant.approve(_seen(session, body)).text


def _reject(session: Session, body: Mapping[str, Any]) -> str:
    reason = _text(body, "reason").strip()
    if not reason:
        raise InvalidArgumentError("A rejection needs a reason. Say what has to change.")
    return session.chant.reject(_seen(session, body), reason).text


def _comment(session: Session, body: Mapping[str, Any]) -> str:
    """Say something of lines such as `src/mail.py:88`, in reply to a comment, or of all of the work."""
    about, weight = (_text(body, name) if name in body else None for name in ("about", "weight"))
    return session.chant.comment(_worked_on(body), _text(body, "text"), about=about, weight=weight).text


def _review(session: Session, body: Mapping[str, Any]) -> str:
    """Close a comment, mark hunks as seen, send, or approve, if the work is still what the person saw."""
    act: ReviewAct = {"tip": _text(body, "tip") if body.get("tip") else None}
    if "resolve" in body:
        act["resolve"] = [_text(body, "resolve")]
    if "seen" in body:
        act["seen"] = [_text(body, "seen")]
    act["send"], act["approve"] = body.get("send") is True, body.get("approve") is True
    act["unseen"] = body.get("unseen") is True
    return session.chant.review_act(_worked_on(body), **act).text


def _answer(session: Session, body: Mapping[str, Any]) -> str:
    return session.speckit.answer(_text(body, "id"), _text(body, "answer"), by=_BY).text


def _close_question(session: Session, body: Mapping[str, Any]) -> str:
    return session.speckit.answer(_text(body, "id"), None, by=_BY).text


def _trust(session: Session, body: Mapping[str, Any]) -> str:
    # The hash stands for what was shown; the core refuses it if the folder asks for something else by now.
    folder = session.place.root.resolve()
    session.project_in(Path(folder)).give_trust(_text(body, "hash"))
    return "This folder is trusted for what was shown."


def _merge(session: Session, body: Mapping[str, Any]) -> str:
    agreed = body.get("agreement")
    if agreed is not None and not isinstance(agreed, str):
        raise InvalidArgumentError("`agreement` has to be a text.")
    return session.chant.merge(_worked_on(body), agreed=agreed).text


def _finish(session: Session, body: Mapping[str, Any]) -> str:
    spec = _spec(body)
    _refuse_other_version(session, f"chant:{spec}", _text(body, "version"))
    return session.chant.finalize(spec, force=True, already_done=True).text


def _add(session: Session, body: Mapping[str, Any]) -> Data:
    title = _text(body, "title")
    spec = Workspace(session).add(
        title,
        labels=_parts(body, "labels", ","),
        depends_on=_parts(body, "depends_on", ",") or None,
        criteria=_parts(body, "criteria", "\n"),
        refuse_broken=True,
    )
    return {"text": f"Added “{title}”.", "key": spec.key}


def _add_task(session: Session, body: Mapping[str, Any]) -> str:
    feature, title = _text(body, "feature"), _text(body, "title")
    return session.speckit.add_task(title, feature=feature).text


def _edit(session: Session, body: Mapping[str, Any]) -> str:
    key, section, seen, text = (_text(body, name) for name in ("key", "section", "seen", "text"))
    write_section(session, key, section, seen, text)
    return "Saved."


def _change(session: Session, body: Mapping[str, Any]) -> str:
    """Change the attributes that are given: title, labels, what is waited for, and criteria."""
    _refuse_other_version(session, _text(body, "key"), _text(body, "version"))
    item: Any = Workspace(session)[_text(body, "key")]
    title, waits = _text(body, "title").strip(), _parts(body, "depends_on", ",")
    if isinstance(item, Spec):
        now = [criterion.text for criterion in item.criteria]
        lines = _parts(body, "criteria", "\n")
        item.update(
            title=None if title == item.title else title,
            labels=_parts(body, "labels", ","),
            depends_on=waits,
            add_criteria=[line for line in lines if line not in now],
            remove_criteria=[text for text in now if text not in lines],
            refuse_broken=True,
        )
    elif isinstance(item, Ticket):
        item.update(title=title, depends_on=waits)
    elif isinstance(item, Task):
        own = [key.rpartition("#")[2] for key in item.depends_on]
        item.update(
            name=title,
            add_dependencies=[one for one in waits if one not in own],
            remove_dependencies=[one for one in own if one not in waits],
        )
    else:
        raise RefusedError(f"`{item.key}` has no attributes that can be edited here. Edit its file.")
    return "Saved."


def _parts(body: Mapping[str, Any], name: str, separator: str) -> list[str]:
    parts = (part.strip() for part in str(body.get(name, "")).split(separator))
    return list(dict.fromkeys(part for part in parts if part))


_ACTS: dict[str, Callable[[Session, Mapping[str, Any]], str | Data]] = {
    "approve": _approve,
    "reject": _reject,
    "comment": _comment,
    "review": _review,
    "answer": _answer,
    "close_question": _close_question,
    "trust": _trust,
    "merge": _merge,
    "finish": _finish,
    "add": _add,
    "add_task": _add_task,
    "edit": _edit,
    "change": _change,
}


def _seen(session: Session, body: Mapping[str, Any]) -> str:
    """Give the name of the item that is meant, if its document is still the one that the person looked at."""
    _refuse_other_version(session, _text(body, "key"), _text(body, "version"))
    return _worked_on(body)


def _refuse_other_version(session: Session, key: str, seen: str) -> None:
    now = session.workspace.board_document(key).data
    if now["version"] != seen:
        _, _, name = key.partition(":")
        raise ConflictError(
            f"'{name}' changed after you opened it; nothing was written. "
            "Read the new version, then decide again."
        )


def _worked_on(body: Mapping[str, Any]) -> str:
    """Give the name that runs on an item have: a spec's ID, else its key."""
    key = _text(body, "key")
    return key if is_item_key(key) else _spec(body)


def _spec(body: Mapping[str, Any]) -> str:
    key = _text(body, "key")
    dialect, _, id = key.partition(":")
    if dialect != "chant" or not id:
        raise RefusedError(f"`{key}` is no spec. This can be done for specs only.")
    return id


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str):
        raise InvalidArgumentError(f"`{name}` is missing, or is no text.")
    return value
