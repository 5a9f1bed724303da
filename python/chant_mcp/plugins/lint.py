"""Lint as all doors ask for it: by our own rules, and by those of plugins where there are some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chant_mcp.plugins.installed import plugins_of_kind

if TYPE_CHECKING:
    from chant_mcp._core import Answer
    from chant_mcp.session import Session


def lint_specs(
    session: Session, id: str | None, *, limit: int = 50, offset: int = 0, places: bool = False
) -> Answer:
    """Look for what is wrong with one spec or all (`chant_lint`); with `places` each finding says where.

    Errors:
        Those of `ChantProject.lint`. A plugin that fails is a sentence in `plugins` of the answer.
    """
    # An agent in a run asks no plugin: what it asks for would run outside of what holds it.
    if session.is_of_run or not plugins_of_kind("lint_rules"):
        return session.chant.lint(id, places=places, limit=limit, offset=offset)
    from chant_mcp.plugins.lint_rules import lint_with_rules

    return lint_with_rules(session, id, limit=limit, offset=offset, places=places)
