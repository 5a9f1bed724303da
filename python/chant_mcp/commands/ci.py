"""`ci`: the checks of a request, with annotations, by the policy of its target."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from chant_mcp.commands.answers import exit_code_1
from chant_mcp.commands.project_options import project_option
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.errors import RefusedError
from chant_mcp.program import own_program
from chant_mcp.request_check import CHECKS, check_request, report, summary
from chant_mcp.terminal import say


@click.command()
@click.option("--target", metavar="BRANCH", required=True, help="The branch that the request is for.")
@click.option(
    "--check",
    "checks",
    multiple=True,
    type=click.Choice(CHECKS),
    help="Run this check alone; repeatable. All of them without.",
)
@project_option
@click.pass_context
@exit_code_1("a check finds something")
def ci(context: click.Context, target: str, checks: tuple[str, ...], project: Path | None) -> None:
    """Check a request in CI: fence, receipts and lint, with annotations.

    What is checked out is checked in a folder of its own, with the configuration of the target branch: a
    request changes no policy by which it is judged. It runs nothing of the project, and is refused for events
    that give a stranger's commit the rights of the repository.
    """
    surroundings: Surroundings = context.obj
    environment = surroundings.environment
    if environment.get("GITHUB_EVENT_NAME") == "pull_request_target":
        raise RefusedError("`ci` is not for the event pull_request_target: use pull_request or merge_group.")
    root = project or surroundings.project or surroundings.working_directory
    with tempfile.TemporaryDirectory() as folder:
        program = own_program(surroundings.interpreter)
        results = check_request(root, target, checks or CHECKS, program, environment, Path(folder).resolve())
    say(report(results))
    page = environment.get("GITHUB_STEP_SUMMARY")
    if page:
        with Path(page).open("a", encoding="utf-8") as file:
            file.write(summary(results))
    context.exit(1 if any(result.code for result in results) else 0)
