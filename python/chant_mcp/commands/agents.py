"""`agents`: which are known, which are here, and how each is started."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from chant_mcp.commands.answers import json_option
from chant_mcp.commands.groups import SentenceGroup
from chant_mcp.commands.project_options import on_project
from chant_mcp.paging import Data, written
from chant_mcp.session import Session
from chant_mcp.terminal import say_json

if TYPE_CHECKING:
    from chant_mcp.commands.text_layout import Shown


@click.group(cls=SentenceGroup)
def agents() -> None:
    """Show which agents are known, which are here, and how each is started."""


@agents.command("list")
@json_option
@on_project
def list_agents(session: Session, as_json: bool) -> None:
    """List the agents that are known, with release and login of those that are installed.

    Installed agents are asked for that (`--version`, and who is logged in); no model is asked.
    """
    session.recovers = False
    found: Data = session.chant.agents_list().data
    if as_json:
        say_json(written(found))
        return
    from chant_mcp.commands import display
    from chant_mcp.commands.text_layout import Table

    table = Table()
    for title in ("Agent", "Installed", "Login", "Template", "Unconfined"):
        table.add_column(title, overflow="fold")
    for one in found["agents"]:
        table.add_row(*_row(one))
    out = display.console()
    out.print(table)
    chosen = found["chosen"]
    text = f"`{chosen}` works when no agent is named." if chosen else "No agent works when none is named."
    out.print(display.plain(text, "dim"), soft_wrap=True)


def _row(one: Data) -> Iterator[Shown]:
    from chant_mcp.commands.display import plain

    yield plain(one["name"], "bold" if one["path"] else "dim")
    is_here = one["path"] is not None
    yield plain(one["version"] or ("yes" if is_here else "no"), "" if is_here else "dim")
    login = {True: "yes", False: "no", None: "not known"}[one["logged_in"]] if is_here else ""
    yield plain(login, "red" if one["logged_in"] is False else "")
    tested = one["tested_release"]
    yield plain(f"run: {tested}" if tested else "untested", "" if tested else "yellow")
    yield plain("bounds itself" if one["can_be_guarded"] else "refused", "dim")


def _login(one: Data) -> str:
    if one["logged_in"] is None:
        return "not known"
    return f"by {one['login']}" if one["logged_in"] else "none"


@agents.command("show")
@click.argument("name")
@json_option
@on_project
def show_agent(session: Session, name: str, as_json: bool) -> None:
    """Show how an agent is started, confined and not, what it is given and where its state lies."""
    session.recovers = False
    found: Data = session.chant.agent_show(name).data
    if as_json:
        say_json(written(found))
        return
    from chant_mcp.commands import display

    display.console().print(display.fields_table(_fields(found)), soft_wrap=True)


def _fields(one: Data) -> Iterator[tuple[str, Shown]]:
    from chant_mcp.commands.display import plain

    yield "Agent", plain(f"{one['title']} ({', '.join([one['name'], *one['aliases']])})", "bold")
    yield "Program", plain(one["path"] or f"not installed: {one['install']}")
    yield "Release", plain(one["version"] or "not known")
    tested = one["tested_release"]
    untested = "untested: its template comes from documents alone"
    yield "Template", plain(f"run by us with {tested}" if tested else untested, "" if tested else "yellow")
    yield "Login", plain(f"{_login(one)}; to log in, {one['log_in']}" if one["log_in"] else _login(one))
    yield "Confined", plain("\n".join(_command(one["confined"])))
    guarded = one["guarded"]
    text = "\n".join(_command(guarded)) if guarded else f"refused: {one['guarded_refusal']}"
    yield "Unconfined", plain(text)
    yield "Given", plain(", ".join(one["passed"]) or "only what every agent gets")
    yield "Takes", plain(", ".join(one["accepted"]) or "nothing else")
    copied = f"; copied into it: {', '.join(one['copied'])}" if one["copied"] else ""
    yield "State", plain(one["state"] + copied)
    yield "Limits", plain(", ".join(one["limits"]) or "none of its own")
    if one["resume"]:
        yield "Goes on by", plain(one["resume"])
    if one["note"]:
        yield "Note", plain(one["note"])


def _command(shown: Data) -> Iterator[str]:
    yield " ".join(shown["argv"]) + (" < prompt" if shown["prompt_on_stdin"] else "")
    for name, value in shown["variables"].items():
        yield f"{name}={value}"
    for name, text in shown["files"].items():
        yield f"~/{name}: {text}"
