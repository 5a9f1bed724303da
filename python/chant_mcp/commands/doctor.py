"""`doctor`: what runs of agents would find here, and what they would be given."""

from __future__ import annotations

from collections.abc import Iterator

import click
from rich.console import RenderableType

from chant_mcp.commands.answers import json_option
from chant_mcp.commands.surroundings import on_project
from chant_mcp.paging import Data
from chant_mcp.session import Session, dialects_in
from chant_mcp.terminal import say_json


@click.command()
@json_option
@on_project
@click.pass_context
def doctor(context: click.Context, session: Session, as_json: bool) -> None:
    """Show what agents would find here: git, their programs, their environment; exit code 1 on a problem.

    Values that may be secrets are not shown. Nothing is started and nothing is changed.
    """
    session.recovers = False
    found: Data = session.chant.doctor().data
    found["dialects"] = list(dialects_in(session.chant.root))
    if as_json:
        from chant_mcp.paging import written

        say_json(written(found))
    else:
        from chant_mcp.commands import display

        out = display.console()
        for part in _parts(found):
            out.print(part, soft_wrap=True)
    context.exit(1 if found["problems"] else 0)


def _parts(found: Data) -> Iterator[RenderableType]:
    from chant_mcp.commands.display import fields_table, lines, plain

    git, environment = found["git"], found["environment"]
    agents = (f"{one['name']}: {one['path'] or one['program'] + ' (not found)'}" for one in found["agents"])
    yield fields_table(
        [
            ("Version", plain(found["version"])),
            ("Project", plain(found["root"], "bold")),
            ("Trust", plain(found["trust"])),
            ("Runs", plain(found["confinement"])),
            ("Holds", plain(", ".join(found["dialects"]) or "nothing yet")),
            ("Git", plain(git["program"] or "not found", "" if git["program"] else "red")),
            ("Repository", plain(git["common_dir"] or "none")),
            ("Commits by", plain(git["commits_by"] or "nobody")),
            ("Agents", lines(agents)),
        ]
    )
    yield plain("\nAn agent would get these variables:", "bold")
    yield fields_table((one["name"], plain(one["shown"])) for one in environment["passed"])
    if environment["withheld"]:
        yield plain("\nNot passed, though they look like secrets:", "bold")
        yield plain(", ".join(environment["withheld"]))
        yield plain("→ `env: {pass: [NAME]}` in the configuration passes one to agents and checks.", "dim")
    for problem in found["problems"]:
        yield plain("\n✗ ", "red") + plain(problem)
