"""Arguments of tools that make answers shorter: what is new since a cursor, and so many tokens at most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from chant_mcp._core import Answer
from chant_mcp.parameters import ToolParameter
from chant_mcp.session import Session

_FEWEST_TOKENS = 100
"""An answer with less room would say no more than what it leaves out."""

Since = Annotated[str | None, ToolParameter(description="Cursor ('' first): changes only")]
MaxTokens = Annotated[int | None, ToolParameter(minimum=_FEWEST_TOKENS, description="Most tokens")]


def within(answer: Answer, max_tokens: int | None, offset: int = 0) -> Answer:
    """Hold an answer to a number of tokens, if there is one."""
    return answer if max_tokens is None else answer.within(max_tokens, offset=offset)


def since_cursor(
    session: Session, since: str | None, dialect: str, whole: Callable[[], Answer], place: str | None = None
) -> Answer:
    """Answer with what changed since a cursor, or with the whole where that is not asked for or not known."""
    if since is None:
        return whole()
    # The cursor comes first: what changes meanwhile is reported twice rather than not at all.
    changed, cursor = session.workspace.since(since, dialect, place)
    return changed or whole().with_cursor(cursor)
