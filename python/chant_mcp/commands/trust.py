"""`trust`: a person looks at what a folder asks for, and says whether it may."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from chant_mcp._core import trusted_folders
from chant_mcp.commands.answers import json_option
from chant_mcp.commands.asking import show
from chant_mcp.commands.persons import agent_above, run_above
from chant_mcp.commands.project_options import on_project
from chant_mcp.errors import RefusedError
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json


@click.command()
@click.option("--show", "only_shows", is_flag=True, help="Show only what it asks for, and its hash.")
@click.option("--yes", "hash", metavar="HASH", help="Trust the content with this hash, without a question.")
@click.option("--revoke", is_flag=True, help="Forget the decision about this folder.")
@click.option("--list", "lists", is_flag=True, help="List the folders that are trusted.")
@json_option
@on_project
def trust(
    session: Session, only_shows: bool, hash: str | None, revoke: bool, lists: bool, as_json: bool
) -> None:
    """Review what this folder wants to run, send and read, and allow or refuse it.

    What is remembered lies outside of the folder and holds for this very content: another command, check,
    endpoint or variable is asked for again. Reading and editing documents never needs it.
    """
    if sum((only_shows, hash is not None, revoke, lists)) > 1:
        raise click.UsageError("Give one of --show, --yes, --revoke and --list.")
    if lists:
        _list(session, as_json=as_json)
    elif revoke:
        _revoke(session, as_json=as_json)
    elif only_shows:
        report = session.project_in(session.place.root.resolve()).trust_report()
        if as_json:
            say_json(json.dumps(report))
        else:
            _print(report)
    elif hash is not None:
        _say_yes(session, hash, as_json=as_json)
    elif as_json:
        raise click.UsageError(
            "Give --show, --yes, --revoke or --list with --json: a question needs a terminal."
        )
    else:
        _ask(session)


def _print(report: dict[str, Any]) -> None:
    """Print totals first, then every line, and the hash as the last one."""
    say(f"{_ascii(report['folder'])}: {report['summary']}")
    for line in report["listing"]:
        say(f"  {line}")
    if report["instructions"]:
        say("Instructions for agents in this folder, which the hash does not cover:")
        for line in report["instructions"]:
            say(f"  {line}")
    if report["difference"] is not None:
        say("Changed since you trusted it:")
        for line in report["difference"] or ["nothing in the list"]:
            say(f"  {line}")
    say(_standing(report))
    if report["hash_of_commits"] != report["hash"]:
        say(f"hash without the settings of this clone's git, for workers: {report['hash_of_commits']}")
    say(f"hash: {report['hash']}")


def _standing(report: dict[str, Any]) -> str:
    if report["by"] == "roots":
        return "It is trusted: your own configuration names it, or a folder above it, under `trust.roots`."
    if report["trusted"]:
        return "It is trusted."
    if report["gaps"]:
        return (
            "It is not trusted, and cannot be by a hash, because not all of it can be looked through; "
            "`trust.roots` in your own configuration trusts whole folders."
        )
    return "It is not trusted."


def _say_yes(session: Session, hash: str, *, as_json: bool) -> None:
    why = run_above(session.environment) or agent_above(session.environment)
    if why is not None:
        raise RefusedError(f"Only a person can trust a folder, and {why}: ask the person to do it.")
    project = session.project_in(session.place.root.resolve())
    report = project.trust_report()
    if report["hash"] != hash.strip().lower():
        raise RefusedError(
            "The hash does not match what this folder asks for now; nothing was changed. "
            "`chant-mcp trust --show` prints the hash and what it covers."
        )
    project.give_trust(report["hash"])
    if as_json:
        say_json(json.dumps({"folder": report["folder"], "trusted": True}))
        return
    say(f"Trusted: {_ascii(report['folder'])}")


def _ask(session: Session) -> None:
    project = session.project_in(session.place.root.resolve())
    report = project.trust_report()
    if report["trusted"]:
        say(f"{_ascii(report['folder'])}: {report['summary']}")
        say(_standing(report))
        return
    why = run_above(session.environment)
    if why is not None:
        raise RefusedError(f"Only a person can trust a folder, and {why}: ask the person to do it.")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError(
            f"This folder is not trusted: {report['summary']}. A person says yes at a terminal; "
            "`chant-mcp trust --show` shows what it asks for."
        )
    difference = report["difference"]
    shown = [*report["listing"], *report["instructions"]] if difference is None else difference
    say(f"{report['summary']}", err=True)
    show(shown, report["folder"], is_difference=difference is not None)
    if not click.confirm("Trust this folder?", err=True):
        raise RefusedError("The folder is not trusted; nothing was changed.")
    project.give_trust(report["hash"])
    say(f"Trusted: {_ascii(report['folder'])}")


def _revoke(session: Session, *, as_json: bool) -> None:
    project = session.project_in(session.place.root.resolve())
    was_there = project.revoke_trust()
    if as_json:
        say_json(json.dumps({"forgotten": was_there}))
        return
    say("Forgotten: it is asked for again." if was_there else "Nothing was remembered of this folder.")


def _list(session: Session, *, as_json: bool) -> None:
    folders = trusted_folders(dict(session.environment))
    if as_json:
        listed = [
            {"folder": folder, "hashes": [{"hash": hash, "given_at": at} for hash, at in hashes]}
            for folder, hashes in folders
        ]
        say_json(json.dumps({"folders": listed}))
        return
    for folder, hashes in folders:
        say(_ascii(folder))
        for hash, given_at in hashes:
            say(f"  {_ascii(given_at)}  {_ascii(hash)}")
    if not folders:
        say("No folder is trusted.")


def _ascii(text: str) -> str:
    """Show a text in plain ASCII, so that it steers no terminal and looks like nothing else."""
    return "".join(c if " " <= c <= "~" else c.encode("unicode_escape").decode() for c in text)
