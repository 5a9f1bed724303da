"""`verify --drift`: whether the lines of completed work still stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from chant_mcp.commands.run_names import run_name
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import say_json

if TYPE_CHECKING:
    from chant_mcp.commands.text_layout import Shown

_STYLES = {"untouched": "dim", "moved": "dim"}
"""Styles of states; all others speak against the work."""


def show_drift(session: Session, id: str | None, target: str | None, as_json: bool) -> bool:
    """Print what became of the lines of one spec, or of all; say whether any spec is stale."""
    answer = session.chant.receipt_drift(id and run_name(session, id), target=target)
    found: Data = answer.data
    if as_json:
        say_json(answer.text)
        return found["stale"] > 0
    from chant_mcp.commands import display

    out = display.console()
    for spec in found["specs"]:
        if id is not None or spec["verdict"] != "holds" or "why" in spec:
            for line in _of_spec(spec):
                out.print(line, soft_wrap=True)
    not_known = f", {found['not_known']} not known" if found["not_known"] else ""
    counts = f"{found['hold']} hold, {found['stale']} stale{not_known}"
    out.print(
        display.plain(f"{counts}; compared with {found['target']} at {found['tip'][:10]}."), soft_wrap=True
    )
    return found["stale"] > 0


def _of_spec(spec: Data) -> Iterator[Shown]:
    from chant_mcp.commands.display import plain

    style = {"holds": "green", "stale": "red"}.get(spec["verdict"], "yellow")
    why = f" ({spec['why']})" if "why" in spec else ""
    yield plain(f"{spec['spec_id']}: ", "bold") + plain(spec["verdict"], style) + plain(why)
    for hunk in spec.get("hunks", ()):
        where = f"  {hunk['path']}:{hunk['first']}-{hunk['last']}: "
        yield plain(where) + plain(hunk["state"] + _beside(hunk), _STYLES.get(hunk["state"], "red"))
    if spec["hunks_more"]:
        yield plain(f"  and {spec['hunks_more']} places more", "dim")
    if spec["not_compared"]:
        yield plain(f"  not compared, as no text or too large: {spec['not_compared']}", "dim")


def _beside(hunk: Data) -> str:
    """Say where lines stand now, or which commit changed them."""
    if (now := hunk.get("now")) is not None:
        return f" to {now['path']}:{now['first']}-{now['last']}"
    if "by" not in hunk:
        return ""
    specs = f" (spec {', '.join(hunk['by_specs'])})" if "by_specs" in hunk else ""
    return f" by {hunk['by'][:10]}{specs}"
