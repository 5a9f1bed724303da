"""`demo`: a sample project, and agents at work on it; `demo-agent`: an agent for runs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click

from chant_mcp._core import ChantProject
from chant_mcp.commands.answers import exit_code_1
from chant_mcp.commands.project_options import changes_files
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.terminal import say


@click.command()
@click.option("--keep", is_flag=True, help="Keep the sample project.")
@click.option("--sample", metavar="FOLDER", help="Only write the sample project, into this new folder.")
@click.pass_obj
@exit_code_1("an answer is not the expected one")
def demo(surroundings: Surroundings, keep: bool, sample: str | None) -> None:
    """Build a sample project and let agents work on it."""
    if sample is not None:
        _write_sample(surroundings, surroundings.working_directory / sample)
        return
    from chant_mcp.commands import display
    from chant_mcp.demo.run import run
    from chant_mcp.demo.sample import SampleProject
    from chant_mcp.demo.specs import FAILING
    from chant_mcp.init import hosts
    from chant_mcp.init.console_script import programs

    out = display.console()
    folder = Path(tempfile.mkdtemp(prefix="chant-demo-"))
    root = folder / "ferry"
    try:
        root.mkdir()
        out.print(display.plain("A sample project: the specs of a booking site for ferries, in git.", "bold"))
        # Runs and worktrees are removed with everything else, or kept where you will look for them.
        state = {} if keep else {"XDG_STATE_HOME": str(folder / "state")}
        project = SampleProject(root, {**surroundings.environment, **state})
        project.build(surroundings.interpreter)
        _trust(root, project.environment)
        out.print(
            display.plain("An agent's host starts the server and talks to it over pipes; so does this.")
        )
        run(out, project, surroundings.interpreter)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    found = programs(surroundings.environment)
    by_name = hosts.start_by_name(found.is_ours_everywhere)
    words = by_name if found.is_named_everywhere else hosts.start_by_interpreter(surroundings.interpreter)
    out.print()
    out.print(display.plain("All answers were as they should be.", "bold green"))
    if keep:
        out.print(display.plain(f"The sample project stays in {root}", "bold"), soft_wrap=True)
        out.print(f"There, `chant-mcp work {FAILING} --wait` tries again what failed.")
    out.print(
        "\nNext: in a project of yours, `chant-mcp init --agent claude`, or give your agent's host this:\n"
    )
    out.print(hosts.block(hosts.entry(words)), soft_wrap=True)
    out.print("\nThen ask the agent what it could work on. `chant-mcp --help` lists all commands.")


def _write_sample(surroundings: Surroundings, root: Path) -> None:
    """Write the sample project into a folder that is not there yet, and trust it."""
    from chant_mcp.demo.sample import SampleProject

    try:
        root.mkdir()
    except OSError as error:
        raise click.ClickException(
            f"The folder {root} cannot be created ({error.strerror}). Name a folder that does not exist yet."
        ) from error
    SampleProject(root, surroundings.environment).build(surroundings.interpreter)
    _trust(root, surroundings.environment)
    say(f"The sample project is in {root}")


def _trust(root: Path, environment: Mapping[str, str]) -> None:
    """Trust the sample project, of which every file was just written here."""
    project = ChantProject(root, environment=dict(environment))
    project.give_trust(project.trust_report()["hash"])


@click.command(name="demo-agent", hidden=True)
@click.pass_obj
@changes_files
def demo_agent(surroundings: Surroundings) -> None:
    """Work as an agent on the spec that CHANT_SPEC_FILE names, in the current folder.

    Runs start it; labels such as `demo:fail` on the spec say how it behaves.
    """
    from chant_mcp.demo.agent import play

    raise SystemExit(play(surroundings.environment, surroundings.working_directory))
