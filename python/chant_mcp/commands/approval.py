"""`approve` and `reject`: a person decides about a spec, or about the work on it.

There is no tool for that: who asks for approval must not be the one who gives it.
"""

from __future__ import annotations

import click

from chant_mcp.commands.answers import json_option, say_message
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.commands.run_names import run_name
from chant_mcp.session import Session

_by = click.option("--by", metavar="NAME", help="Who decides; git's user unless given.")


@click.command()
@click.argument("id")
@_by
@click.option("--reason", metavar="TEXT", help="What to remember of it.")
@json_option
@on_project
@changes_files
def approve(session: Session, id: str, by: str | None, reason: str | None, as_json: bool) -> None:
    """Approve a spec, so that work may begin; work on it that waits for this is merged."""
    say_message(session.chant.approve(run_name(session, id), by=by, reason=reason).text, as_json)


@click.command()
@click.argument("id")
@_by
@click.option("--reason", metavar="TEXT", required=True, help="What has to change.")
@json_option
@on_project
@changes_files
def reject(session: Session, id: str, by: str | None, reason: str, as_json: bool) -> None:
    """Reject a spec, or the work on it; a start after that goes on with the work.

    `approval.rejection_action` in .chant/config.md says what else happens: nothing (`manual`), a spec for
    what has to be repaired (`dependency`), or a member for each criterion (`group`).
    """
    say_message(session.chant.reject(run_name(session, id), reason, by=by).text, as_json)
