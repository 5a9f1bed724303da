"""How much of an answer commands show, and as what."""

from __future__ import annotations

import click

from chant_mcp.paging import Data

json_option = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
limit_option = click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    help="Show at most this many entries.",
)
all_option = click.option("--all", "show_all", is_flag=True, help="Show all entries, however many.")


def left_out(data: Data, noun: str, shown: int) -> str | None:
    """Say what a list does not show and how to get it."""
    total = data.get("total", shown)
    return f"{shown} of {total} {noun} shown; --all shows the rest." if shown < total else None
