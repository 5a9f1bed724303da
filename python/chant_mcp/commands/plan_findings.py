"""Findings of the formats' own rules in plans, for `lint`, `status` and `doctor`."""

from __future__ import annotations

from chant_mcp.formats import plan_formats_in
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import counted


def plan_findings(session: Session) -> list[Data]:
    """Check the plans of the formats without tools of their own that the project has."""
    if not plan_formats_in(session.place.folder):
        return []
    return session.workspace.plan_findings()["findings"]


def has_error(findings: list[Data]) -> bool:
    """Return true if one of some findings is an error."""
    return any(one["severity"] == "error" for one in findings)


def findings_line(findings: list[Data]) -> str | None:
    """Say in a line that there is something to look at; `None` where only hints were found."""
    wrong = [one for one in findings if one["severity"] != "hint"]
    return f"{counted(len(wrong), 'finding')} in plans; `chant-mcp lint` lists them." if wrong else None


def say_findings(findings: list[Data]) -> None:
    """Print findings, each behind its place."""
    from chant_mcp.commands import display

    for one in findings:
        display.console().print(display.finding_text(one))


def show_findings(findings: list[Data]) -> None:
    """Print findings, and how many there are."""
    from chant_mcp.commands import display

    say_findings(findings)
    counts = [sum(one["severity"] == name for one in findings) for name in ("error", "warning")]
    display.console().print(f"Plans checked: {counted(counts[0], 'error')}, {counted(counts[1], 'warning')}.")
