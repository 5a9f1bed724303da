"""`fence`: a required check for requests of `leases.landing: pr`."""

from __future__ import annotations

import click

from chant_mcp.commands.answers import exit_code_1, json_option
from chant_mcp.commands.project_options import on_project
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import say_json


@click.command()
@click.argument("ref", default="HEAD")
@click.option("--remote", metavar="NAME", help="The remote; else the only one, or origin.")
@click.option(
    "--target",
    metavar="BRANCH",
    help="The protected branch there; else the one that the remote's configuration names.",
)
@click.option("--merge-group", is_flag=True, help="REF is of a merge queue: compare files, not commits.")
@json_option
@on_project
@click.pass_context
@exit_code_1("REF completes a spec that it has no newest work of")
def fence(
    context: click.Context,
    session: Session,
    ref: str,
    remote: str | None,
    target: str | None,
    merge_group: bool,
    as_json: bool,
) -> None:
    """Check that each spec that REF completes is the work of its newest lease.

    REF is the newest commit of a request, or with --merge-group that of a merge queue. Remote and leases
    are those that the protected branch names, never those of REF. Fetches refs, runs nothing of the
    project, and works in shallow clones.
    """
    session.recovers = False
    answer = session.chant.fence(ref, remote=remote, target=target, merge_group=merge_group)
    report: Data = answer.data
    if as_json:
        say_json(answer.text)
    else:
        _show(report)
    context.exit(0 if report["passes"] else 1)


def _show(report: Data) -> None:
    from chant_mcp.commands import display

    out = display.console()
    for spec in report["specs"]:
        sign, style = ("✓", "green") if spec["passes"] else ("✗", "red")
        line = display.plain(f"{sign} {spec['spec_id']}: ", style) + display.plain(spec["why"])
        out.print(line, soft_wrap=True)
    if not report["specs"]:
        completes = f"{report['ref']} completes no spec that {report['target']} does not have completed."
        out.print(display.plain(completes), soft_wrap=True)
