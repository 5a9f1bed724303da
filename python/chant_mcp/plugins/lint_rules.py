"""Lint rules of plugins, whose findings stand beside our own."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from chant_mcp._core import Answer
from chant_mcp.plugins.installed import InstalledPlugin, plugins_of_kind
from chant_mcp.plugins.plugin_desk import UNTRUSTED, PluginDesk
from chant_mcp.plugins.plugin_process import PluginFailure
from chant_mcp.session import Session

_AT_ONCE = 4
"""Rules that are asked at the same time, each in a process of its own."""


@dataclass(slots=True)
class FoundByRules:
    """What lint rules of plugins found, in the shape that the core takes."""

    diagnostics: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    failures: list[str] = field(default_factory=list[str])

    def data(self) -> dict[str, Any]:
        """Give it to the core."""
        return {"diagnostics": self.diagnostics, "failures": self.failures}


def lint_with_rules(session: Session, id: str | None, *, limit: int, offset: int, places: bool) -> Answer:
    """Look for what is wrong with one spec or all: our own rules, and those of plugins."""
    asked = (session.place, id)
    kept = session.found_by_rules
    # Pages of one list have to fit together.
    is_known = offset and kept is not None and kept[0] == asked
    found = kept[1] if is_known and kept is not None else _found(PluginDesk(session), id)
    session.found_by_rules = asked, found
    return session.chant.lint(id, plugins=found, places=places, limit=limit, offset=offset)


def _found(desk: PluginDesk, id: str | None) -> dict[str, Any]:
    rules = desk.usable("lint_rules")
    whole = FoundByRules()
    if not rules and any(desk.why_off(rule) == UNTRUSTED for rule in plugins_of_kind("lint_rules")):
        whole.failures.append(f"Lint rules of plugins were not asked: {UNTRUSTED}.")
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="chant-plugins") as threads:
        for part in threads.map(partial(_found_by, desk, id), rules):
            whole.diagnostics += part.diagnostics
            whole.failures += part.failures
    return whole.data()


def _found_by(desk: PluginDesk, id: str | None, rule: InstalledPlugin) -> FoundByRules:
    """Ask one rule; what it found before it failed is kept."""
    found, errors = FoundByRules(), list[tuple[str, str]]()
    try:
        for answer in desk.ask(rule, id=id):
            spec_id = answer["spec_id"]
            found.diagnostics += _diagnostics(rule, spec_id, answer["findings"])
            if answer["error"] is not None:
                errors.append((spec_id, answer["error"]))
    except PluginFailure as failure:
        found.failures.append(str(failure))
    if errors:
        (spec_id, error), others = errors[0], len(errors) - 1
        more = f", and failed at {others} more" if others else ""
        found.failures.append(f"The {rule} {error} at {spec_id}{more}.")
    return found


def _diagnostics(rule: InstalledPlugin, spec_id: str, rows: Iterable[Any]) -> Iterable[dict[str, Any]]:
    for message, severity, suggestion in rows:
        yield {
            "spec_id": spec_id,
            "rule": rule.name,
            "severity": severity,
            "message": message,
            "suggestion": suggestion,
        }
