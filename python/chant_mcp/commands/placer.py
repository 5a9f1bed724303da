"""`placer`: the process of a head that speaks to a cluster."""

from __future__ import annotations

import sys

import click

from chant_mcp.cluster.extra import require_cluster_extra


@click.command(hidden=True)
def placer() -> None:
    """Place the jobs of a project on a cluster; settings come as a line of JSON on standard input.

    Runs start it, confined: what workers send is unpickled here.
    """
    require_cluster_extra()
    from chant_mcp.cluster.placer import run_placer

    run_placer(sys.stdin)
