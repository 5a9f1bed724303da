"""`init`: makes a project of a folder, and sets up agents and hosts."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import click

from chant_mcp._core import ChantProject
from chant_mcp.commands.persons import run_above
from chant_mcp.commands.project_options import changes_files, project_option
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.errors import ChantError
from chant_mcp.formats import plan_formats_in, title_of
from chant_mcp.init import agents, config_text, hosts, layout, recipes
from chant_mcp.init.console_script import Programs, programs
from chant_mcp.init.installed_agents import InstalledAgent, installed_agents
from chant_mcp.init.plan import Machine, Plan, Wishes, plan, plan_prompts
from chant_mcp.init.repository import Repository
from chant_mcp.init.undo import undo as take_back
from chant_mcp.terminal import harmless, say


def _provider(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Give the name under which a provider is stored, whichever way it is spelled."""
    if value is None:
        return None
    stored = layout.PROVIDERS.get(value.strip().lower())
    if stored is None:
        raise click.BadParameter(f"{value!r} is not one of {', '.join(layout.PROVIDERS)}.")
    return stored


def _line(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Give a text of one line without blanks around it."""
    if value is None:
        return None
    text = value.strip()
    if not text or not text.isprintable():
        raise click.BadParameter(f"{value!r} is not a line of text.")
    return text


@click.command()
@click.argument("what", required=False, type=click.Choice(["prompts"]), metavar="[prompts]")
@project_option
@click.option("--name", callback=_line, metavar="NAME", help="Name of the project; else it is looked for.")
@click.option(
    "--provider",
    callback=_provider,
    metavar="NAME",
    help="The agent that works on specs, as `agents list` names it; else one that is installed.",
)
@click.option("--model", callback=_line, metavar="NAME", help="Model to work with.")
@click.option(
    "--agent",
    "agent_names",
    multiple=True,
    type=click.Choice(agents.AGENTS),
    help="Write our section of AGENTS.md and this agent's skill; for claude .mcp.json, too. Repeatable.",
)
@click.option(
    "--client",
    "clients",
    multiple=True,
    type=click.Choice(hosts.CLIENTS),
    help="Write this host's configuration and nothing else; repeatable.",
)
@click.option(
    "--chant", "with_chant", is_flag=True, help="Make .chant/ also where plans of another format are."
)
@click.option("--silent", is_flag=True, help="Keep .chant/ out of git, for this checkout only.")
@click.option(
    "--merge-driver/--no-merge-driver",
    "merge_driver",
    default=None,
    help="Let git merge specs by their meaning: .gitattributes and the clone's git configuration. The "
    "default for new projects in git, and in clones whose .gitattributes asks for it.",
)
@click.option(
    "--uvx",
    "start",
    flag_value="uvx",
    help="Have hosts start this release by `uvx`, which installs it for each start.",
)
@click.option(
    "--this-machine",
    "start",
    flag_value="interpreter",
    help="Have hosts start this Python, by its path; their files are kept out of git.",
)
@click.option("--minimal", is_flag=True, help="Write no prompt files.")
@click.option(
    "--force-overwrite",
    is_flag=True,
    help="Restore what is missing and replace our section and skills; other files stay.",
)
@click.option("--undo", is_flag=True, help="Take back what `init` wrote, and nothing else.")
@click.pass_obj
@changes_files
def init(
    surroundings: Surroundings,
    what: str | None,
    project: Path | None,
    name: str | None,
    provider: str | None,
    model: str | None,
    agent_names: tuple[str, ...],
    clients: tuple[str, ...],
    with_chant: bool,
    silent: bool,
    merge_driver: bool | None,
    start: str | None,
    minimal: bool,
    force_overwrite: bool,
    undo: bool,
) -> None:
    """Make the working directory a project; set up agents and hosts.

    With `prompts`, only add the bundled prompt templates that are missing. On a project that is
    initialized already, only what the options ask for is done. Where plans of another format are and no
    `.chant/`, nothing is written without an option: what can be done with them is said. Everything is
    written inside the project and its git folder; that you trust what was written is remembered in your
    own state folder. In files of others a section or an entry of ours is added, and no other byte changes.
    With `--undo` each file says again what it said before `init`; of one that was changed since, our section
    or entry is taken out.
    """
    root = project or surroundings.project or _root(surroundings.working_directory)
    if what == "prompts":
        _report(plan_prompts(root), "No prompts are missing.", surroundings.environment)
        return
    wishes = Wishes(
        name,
        provider,
        model,
        agent_names,
        clients,
        silent,
        minimal,
        force_overwrite,
        merge_driver,
        start or "name",
    )
    if undo:
        if wishes != Wishes() or with_chant:
            raise click.UsageError("--undo goes without other options but --project.")
        _undo(root, surroundings.environment)
        return
    if wishes == Wishes() and not with_chant and _say_what_is_here(root):
        return
    found = programs(surroundings.environment)
    machine = Machine(surroundings.interpreter, found, surroundings.environment, date.today())
    nothing = "Chant already initialized."
    opened = ChantProject(root, environment=dict(surroundings.environment))
    looks_for_agent = _looks_for_agent(root, wishes)
    installed = installed_agents(opened) if looks_for_agent else []
    is_asked = wishes == Wishes() and _is_terminal()
    if is_asked:
        from chant_mcp.commands.wizard import ask

        repository = Repository(root, surroundings.environment, wanted_by="--merge-driver")
        wishes, nothing = ask(root, repository, wishes, installed), "Nothing was added."
    elif installed:
        wishes = replace(wishes, provider=installed[0].name)
    planned = plan(root, wishes, machine)
    before = opened.trust_report()
    _report(planned, nothing, surroundings.environment)
    if looks_for_agent:
        _say_agent(installed, wishes.provider)
    if before["trusted"] or not before["listing"]:
        _trust_own(opened, planned, before, surroundings.environment)
    _warn(found)
    if not planned.was_initialized:
        _say_what_next(wishes, planned, surroundings, opened.trust_report())


def _say_what_is_here(root: Path) -> bool:
    """Say what can be done with the plans that a folder holds, if they need no set-up."""
    words = plan_formats_in(root)
    if not words or (root / ".chant").exists():
        return False
    *first, last = map(title_of, words)
    titles = f"{', '.join(first)} and {last}" if first else last
    found = f"{titles} found in {root}: nothing has to be set up, and nothing was written."
    click.secho(harmless(found), bold=True)
    click.echo("\nNext:")
    click.echo("  chant-mcp list                     all items; `ready` lists what can be done now")
    click.echo("  chant-mcp board                    the same on a board")
    click.echo("  chant-mcp tick ITEM                ticks a task where it lies")
    click.echo("  chant-mcp init --client all        configuration of hosts, for agents")
    click.echo("  chant-mcp init --chant             makes .chant/ for specs and runs beside them")
    return True


def _looks_for_agent(root: Path, wishes: Wishes) -> bool:
    """Whether neither the wishes nor a configuration that is there say which agent works."""
    implied = wishes.provider or agents.provider(wishes.agents)
    return implied is None and not (root / config_text.FILE).is_file()


def _say_agent(installed: list[InstalledAgent], chosen: str | None) -> None:
    """Say which agent works and why, or how to get one."""
    own = next((agent for agent in installed if agent.name == chosen), None)
    if own is not None:
        login = {True: f"logged in by {own.login}", False: f"not logged in: {own.log_in}"}
        _say("Agent", f"{own.title} ({own.name}), {login.get(own.logged_in or False, '')}")
        others = ", ".join(agent.name for agent in installed if agent is not own)
        if others:
            _say("Also here", f"{others}; `defaults.provider` in {config_text.FILE} chooses")
    elif chosen is None:
        click.echo("No known agent is on the PATH. `chant-mcp agents list` shows them; one is installed by")
        click.echo("  npm install -g @anthropic-ai/claude-code")
        click.echo("Without one, `chant-mcp work ID --agent demo --wait` shows what a run does.")


def _trust_own(
    project: ChantProject, planned: Plan, before: Mapping[str, Any], environment: Mapping[str, str]
) -> None:
    """Trust a folder that asks for nothing new but what was just written.

    Before it asked for nothing, or was trusted. A process below a run, or one that finds something else
    there, leaves that to a person.
    """
    if planned.is_empty or run_above(environment) is not None:
        return
    report = project.trust_report()
    settings = {f"git configuration {setting.name.lower()}" for setting in planned.settings}
    # What lies in the git folder is named by where it usually is.
    own = {change.name if base == planned.root else f".git/{change.name}" for base, change in planned.changes}
    own |= settings
    asked = zip(report["listing"], report["sources"], strict=False)
    if all(source in own for line, source in asked if line not in before["listing"]):
        with suppress(ChantError):  # then `work` asks
            project.give_trust(report["hash"])


def _root(working_directory: Path) -> Path:
    """Find the project that a folder of a git checkout belongs to; else the folder itself becomes one.

    Above the checkout, or without one, nothing is looked for: a project there is somebody else's.
    """
    upwards = (working_directory, *working_directory.parents)
    top = next((at for at, folder in enumerate(upwards) if (folder / ".git").exists()), 0)
    inside = upwards[: top + 1]
    own = (folder for folder in inside if (folder / ".chant").is_dir())
    plans = (folder for folder in inside if plan_formats_in(folder))
    return next(own, None) or next(plans, working_directory)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _undo(root: Path, environment: Mapping[str, str]) -> None:
    undone = take_back(root, environment)
    if not undone.said:
        say("Nothing that `init` wrote is here.")
    for verb, what in undone.said:
        _say(verb, what)


def _report(planned: Plan, nothing: str, environment: Mapping[str, str]) -> None:
    """Write what is planned and say what was written."""
    planned.carry_out(environment)
    if planned.is_empty:
        say(nothing)
    elif not planned.was_initialized:
        click.secho(harmless(f"Chant initialized in {planned.root}"), bold=True)
    for folder in planned.folders:
        _say("Created", f"{folder}/")
    for base, change in planned.changes:
        _say(change.verb, change.name if base == planned.root else str(base / change.name))
    for setting in planned.settings:
        _say("Set", f"{setting.name} in the git configuration of this clone")
    for what in planned.kept:
        _say("Kept", what)
    for what in planned.notes:
        _say("Note", what)


def _say(verb: str, what: str) -> None:
    click.echo(
        click.style(f"  {verb} ", fg="yellow" if verb in ("Kept", "Note") else "green") + harmless(what)
    )


def _warn(found: Programs) -> None:
    if found.warning is not None:
        click.secho(harmless(f"Warning: {found.warning}"), fg="yellow", err=True)


def _say_what_next(
    wishes: Wishes, planned: Plan, surroundings: Surroundings, trust: Mapping[str, Any]
) -> None:
    click.echo("\nNext:")
    click.echo('  chant-mcp add "What is to be done" --criterion "How to see that it is done"')
    repository = Repository(planned.root, surroundings.environment, wanted_by="init")
    if names := planned.names_to_stage(surroundings.environment):
        commands = [f"git add {shlex.join(names)}", 'git commit -m "Set chant up"']
        if not repository.exists:
            commands.insert(0, "git init")
        if planned.root != surroundings.working_directory:
            commands.insert(0, f"cd {shlex.quote(str(planned.root))}")
        click.echo(harmless(f"  {' && '.join(commands)}"))
    if not trust["trusted"]:
        click.echo(harmless(f"  chant-mcp trust                       you look at {trust['summary']}"))
    if recipes.proposals(planned.root, repository):
        click.echo(
            "  chant-mcp env propose                 what runs need installed, and which tests check them"
        )
    click.echo("  chant-mcp work 001 --wait             the agent works on it")
    if not wishes.agents and not wishes.clients:
        click.echo("  chant-mcp init --agent claude      instructions and .mcp.json for an agent")
        click.echo("  chant-mcp init --client all        configuration of hosts alone")
