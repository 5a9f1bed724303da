"""`checks`: the tests of checks that failed and passed on the same files."""

from __future__ import annotations

import click

from chant_mcp.commands.answers import json_option, say_message
from chant_mcp.commands.groups import SentenceGroup
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import say_json


@click.group(cls=SentenceGroup)
def checks() -> None:
    """See and forget which tests of the checks are flaky."""


@checks.command()
@json_option
@on_project
def flaky(session: Session, as_json: bool) -> None:
    """List the tests that failed and passed on the same files; they prove nothing."""
    answer = session.chant.flaky()
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display
    from chant_mcp.commands.text_layout import Table

    found: list[Data] = answer.data["tests"]
    out = display.console()
    if not found:
        out.print("No test is known to be flaky.")
        return
    table = Table()
    for name in ("Check", "Test", "Failed", "Passed", "Last"):
        table.add_column(name, overflow="fold")
    for one in found:
        row = (one["check"], one["test"] or "(reports no tests)", one["failed"], one["passed"], one["last"])
        table.add_row(*(display.plain(str(text)) for text in row))
    out.print(table)


@checks.command()
@click.argument("check", required=False)
@json_option
@on_project
@changes_files
def forget(session: Session, check: str | None, as_json: bool) -> None:
    """Forget the flaky tests of a check, or all of them: they count again."""
    say_message(session.chant.forget_flaky(check).text, as_json)
