"""`work`: an agent begins to work on a spec; watched when wanted."""

from __future__ import annotations

import click

from chant_mcp.commands.answers import json_option
from chant_mcp.commands.surroundings import changes_files, on_project
from chant_mcp.session import Session


@click.command()
@click.argument("id")
@click.option("--chain", is_flag=True, help="Go on with what is ready after it.")
@click.option("--parallel", type=click.IntRange(min=1), metavar="N", help="Keep N agents at work.")
@click.option("--skip-criteria", is_flag=True, help="Start without criteria, or with a red quality gate.")
@click.option("--fresh", is_flag=True, help="Begin anew; earlier work is kept under refs/chant/backup.")
@click.option("--agent", metavar="NAME", help="The agent, when not the configured one.")
@click.option("--prompt", metavar="NAME", help="The prompt, whatever the spec says.")
@click.option("--runner", is_flag=True, hidden=True)
@json_option
@on_project
@changes_files
def work(
    session: Session,
    id: str,
    chain: bool,
    parallel: int | None,
    skip_criteria: bool,
    fresh: bool,
    agent: str | None,
    prompt: str | None,
    runner: bool,
    as_json: bool,
) -> None:
    """Have an agent work on a spec, in a git worktree of its own."""
    if runner:
        run(session)
        return
    answer = session.chant.work_start(
        id,
        chain=chain,
        parallel=parallel,
        skip_criteria=skip_criteria,
        fresh=fresh,
        agent=agent,
        prompt=prompt,
        progress=lambda step: click.echo(f"{step} …", err=True),
    )
    click.echo(answer.text)


def run(session: Session) -> None:
    """Be the runner of the run that standard input names."""
    session.recovers = False  # who started this has just done so
    session.chant.run_work()
