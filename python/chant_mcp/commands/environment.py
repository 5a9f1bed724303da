"""`env`: what recipes install in the folders of runs and checks."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

import click

from chant_mcp.commands.answers import json_option, say_message
from chant_mcp.commands.asking import asks_for_trust
from chant_mcp.commands.confine import NOT_FOUND, NOT_STARTED, readable
from chant_mcp.commands.groups import SentenceGroup
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.init import files, foreign_setup, recipes
from chant_mcp.init.proposed_checks import proposed_checks
from chant_mcp.init.repository import Repository
from chant_mcp.session import Session
from chant_mcp.terminal import counted, say, say_json

_SHOWN = 5
"""Files that are left out and shown."""

SIGNALLED = 128
"""What shells add to the number of the signal that ended a command."""


class _CommandGroup(SentenceGroup):
    """A group that takes a command of the user's behind `--`, for its own `run`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Lead `env -- COMMAND` to `env run -- COMMAND`."""
        return super().parse_args(ctx, ["run", *args] if args[:1] == ["--"] else args)


@click.group(cls=_CommandGroup)
def env() -> None:
    """See and build what recipes install in the folders of runs and checks."""


@env.command(context_settings={"ignore_unknown_options": True})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@on_project
@changes_files
@asks_for_trust
@click.pass_context
def run(context: click.Context, session: Session, command: tuple[str, ...]) -> None:
    """Run a command as an agent would; also `env -- COMMAND`.

    It gets a new folder with the files that a run from the present branch would have, what recipes
    install, ports, services and lent files, and is confined. The folder goes with the command, whose exit
    code this is.
    """
    if command[0].startswith("-"):
        raise click.NoSuchOption(command[0])
    code = session.chant.environment_enter(list(command), _started, progress=lambda step: say(step, err=True))
    context.exit(code)


def _started(argv: list[str], variables: dict[str, str], order: bytes | None, folder: Path, note: str) -> int:
    """Start a command at this terminal, wait for its end, and give its exit code."""
    say(note, err=True)
    passed: tuple[int, ...] = ()
    if order is not None:
        passed = (readable(order),)
        argv = [*argv, str(passed[0])]
    try:
        with subprocess.Popen(argv, env=variables, cwd=folder, pass_fds=passed) as started:
            while True:
                # Ctrl-C reaches the command, too, which decides what it means.
                with contextlib.suppress(KeyboardInterrupt):
                    code = started.wait()
                    break
    except FileNotFoundError:
        say(f"There is no program {argv[0]}.", err=True)
        return NOT_FOUND
    except OSError as error:
        say(f"{argv[0]} cannot be started: {error.strerror}", err=True)
        return NOT_STARTED
    finally:
        for descriptor in passed:
            os.close(descriptor)
    return code if code >= 0 else SIGNALLED - code


@env.command()
@json_option
@on_project
def show(session: Session, as_json: bool) -> None:
    """Show the recipes of the project and the layers that they have."""
    answer = session.chant.environment_show()
    if as_json:
        say_json(answer.text)
        return
    found = answer.data
    if not found["recipes"]:
        say("There are no recipes. `chant-mcp env propose` shows those that fit this project.")
    for recipe in found["recipes"]:
        built = "built" if recipe["layers"] else "not built yet"
        made = ", ".join([*recipe["outputs"], *(f"cache {name}" for name in recipe["caches"])])
        say(f"{recipe['name']}: {'; '.join(recipe['steps'])} → {made} ({built})")
    if found["recipes"]:
        how = "Large ones are mounted." if found["view"] == "mounted" else "They are copied into each folder."
        say(how)
    if found["services"]:
        say(f"services: {', '.join(found['services'])}")
    for layer in found["layers"]:
        megabytes = -(-layer["bytes"] // 1_000_000)
        say(
            f"  {layer['recipe']} {layer['key']}: {layer['files']} files, {megabytes} MB, {layer['built_at']}"
        )


@env.command()
@click.argument("recipe", required=False)
@json_option
@on_project
@changes_files
@asks_for_trust
def build(session: Session, recipe: str | None, as_json: bool) -> None:
    """Build what runs from the present branch need; of RECIPE alone, or of all."""
    done = session.chant.environment_build(recipe, progress=lambda step: say(step, err=True))
    say_message(done.text, as_json)


@env.command()
@json_option
@on_project
def verify(session: Session, as_json: bool) -> None:
    """Compare all layers with what they were when they were sealed."""
    say_message(session.chant.environment_verify().text, as_json)


@env.command()
@on_project
def log(session: Session) -> None:
    """Print what the steps of recipes wrote that `env build` ran."""
    say(session.chant.environment_log().text)


@env.command()
@click.option("--all", "takes_all", is_flag=True, help="Remove all, also those that are used.")
@json_option
@on_project
@changes_files
@asks_for_trust
def prune(session: Session, takes_all: bool, as_json: bool) -> None:
    """Remove layers that no recipe needs any more."""
    say_message(session.chant.environment_prune(all=takes_all).text, as_json)


@env.command()
@click.option("--write", "writes", is_flag=True, help="Write them into `.chant/config.md`.")
@on_project
@changes_files
def propose(session: Session, writes: bool) -> None:
    """Show the recipes and checks that fit the files of this project; nothing is run."""
    root = session.place.root
    repository = Repository(root, session.environment, wanted_by="env propose")
    found = recipes.proposals(root, repository)
    checks = proposed_checks(root, found)
    if foreign := foreign_setup.settings(root):
        say(
            "# Files of other tools ask for this. Take over what a run needs as a step of a recipe:", err=True
        )
        for setting in foreign:
            say(f"#   {setting.text()}", err=True)
    if samples := recipes.left_out(repository):
        some = ", ".join(samples[:_SHOWN]) + (" and more" if len(samples) > _SHOWN else "")
        say(f"# Left out, as files of samples or tests: {some}", err=True)
    if not found:
        say("No file here says what to install. The guide lists the files that are known.")
        return
    for proposal in found:
        say(f"# {proposal.name}, because of {proposal.because}", err=True)
    if not writes:
        say(recipes.block(found, checks), nl=False)
        return
    change = recipes.written(root, found, checks)
    files.write(root, change)
    say(f"Wrote {counted(len(found), 'recipe')} into {change.name}. Trust the folder again.")
    for name in checks:
        say(f"Wrote the check `{name}`, which a criterion names: chant-mcp add TITLE --check {name}")
