"""The name under which runs work on an item: the ID of a spec, or the key of another format's item."""

from __future__ import annotations

from chant_mcp.errors import NotFoundError, NotInitializedError
from chant_mcp.formats import is_item_key
from chant_mcp.session import Session, dialects_in


def run_name(session: Session, name: str) -> str:
    """Give the name under which runs work on an item: the ID of a spec as given, else the item's key.

    Raises:
        NotFoundError: Nothing here is called so.
        AmbiguousIdError: Several are called so.
    """
    if is_item_key(name):
        return name
    name = name.removeprefix("chant:")
    try:
        session.chant.run_name(name)
    except (NotFoundError, NotInitializedError) as unknown:
        return _key_of_other_format(session, name, unknown)
    return name


def _key_of_other_format(session: Session, name: str, unknown: NotFoundError | NotInitializedError) -> str:
    """Give the key of what is no active spec; an archived one keeps its name."""
    try:
        key: str = session.workspace.handle(name)["key"]
    except NotFoundError as missing:
        if isinstance(unknown, NotInitializedError) and dialects_in(session.place.root):
            raise missing from None
        raise unknown from None
    return key if is_item_key(key) else name


def spec_name(session: Session, name: str, what: str, instead: str) -> str:
    """Give the name of a spec, for what only specs have.

    Args:
        session: The project.
        name: What was given.
        what: What other items do instead, behind "which".
        instead: A sentence about what to do; `{key}` stands for the item's key.

    Raises:
        RefusedError: It is an item of another format.
        NotFoundError: Nothing here is called so.
    """
    key = run_name(session, name)
    if not is_item_key(key):
        return key
    from chant_mcp.commands.edits import find_item, refused

    raise refused(find_item(session, key), what, instead.format(key=key))
