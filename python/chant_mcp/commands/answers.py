"""How much of an answer commands show, and as what."""

from __future__ import annotations

from collections.abc import Iterator

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


def left_out(data: Data, noun: str, shown: int) -> Iterator[str]:
    """Say what a list does not show and how to get it."""
    if shown < (total := data.get("total", shown)):
        yield f"{shown} of {total} {noun} shown; --all shows the rest."
    if held := data.get("held_elsewhere"):
        yield f"Other clones work on {held} more; `--held` shows them, `chant-mcp leases` says who."
