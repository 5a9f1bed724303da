"""`config check`: what is wrong with the keys of configuration files."""

from __future__ import annotations

import click

from chant_mcp.commands.answers import exit_code_1, json_option
from chant_mcp.commands.groups import SentenceGroup
from chant_mcp.commands.project_options import on_project
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import counted, say_json


@click.group(cls=SentenceGroup)
def config() -> None:
    """See the configuration files that apply here."""


@config.command()
@json_option
@on_project
@click.pass_context
@exit_code_1("it finds a mistake")
def check(context: click.Context, session: Session, as_json: bool) -> None:
    """Check the keys of every configuration file that applies.

    A mistake is a key that is not known, a value that a key cannot have, or a file that cannot be read. Keys
    that are known and have no effect are notes. Nothing is changed.
    """
    session.recovers = False
    answer = session.workspace.config_check()
    found: Data = answer.data
    if as_json:
        say_json(answer.text)
    else:
        _show(found)
    context.exit(1 if found["mistakes"] else 0)


def _show(found: Data) -> None:
    from chant_mcp.commands.display import console, plain

    out = console()
    for file in found["files"]:
        count = file["findings"]
        out.print(
            plain(file["file"], "bold")
            + plain(f": {count or 'no'} {'finding' if count == 1 else 'findings'}"),
            soft_wrap=True,
        )
    if not found["files"]:
        out.print("No configuration file: defaults apply.")
    for finding in found["findings"]:
        is_note = finding["kind"] == "no_effect"
        place = finding["file"] if finding["line"] is None else f"{finding['file']}:{finding['line']}"
        word = plain("note", "dim") if is_note else plain("error", "red")
        line = plain(f"{place}: ") + word + plain(f": {finding['message']}")
        if finding["blocks"]:
            line.append_text(plain("\n  → Nothing is started or completed until this is corrected.", "dim"))
        out.print(line, soft_wrap=True)
    notes = len(found["findings"]) - found["mistakes"]
    out.print(f"{counted(found['mistakes'], 'mistake')}, {counted(notes, 'note')}.")
