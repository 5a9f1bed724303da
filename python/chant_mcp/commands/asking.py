"""A person at a terminal is asked whether a folder may do what it asks for."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import click

from chant_mcp.commands.persons import run_above
from chant_mcp.errors import NotTrustedError
from chant_mcp.session import Session
from chant_mcp.terminal import say

P = ParamSpec("P")
R = TypeVar("R")


def asks_for_trust(run: Callable[Concatenate[Session, P], R]) -> Callable[Concatenate[Session, P], R]:
    """Have a command that is refused for want of trust ask a person, and go on when they say yes."""

    @functools.wraps(run)
    def asked(session: Session, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return run(session, *args, **kwargs)
        except NotTrustedError as error:
            if "folder" not in error.details or not is_person(session):
                raise
            trust_or_leave(session, error.details)
        return run(session, *args, **kwargs)

    return asked


def is_person(session: Session) -> bool:
    """Return whether a person sits at a terminal here, as far as that can be known."""
    has_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    return has_terminal and run_above(session.environment) is None


def trust_or_leave(session: Session, details: dict[str, Any]) -> None:
    """Show what a folder asks for and ask; a yes is remembered.

    Raises:
        click.ClickException: When the answer is no; nothing was changed.
    """
    show(details["shown"], details["folder"], is_difference=details["is_difference"])
    if not click.confirm("Trust this folder?", err=True):
        raise click.ClickException("The folder is not trusted; nothing was changed.")
    # What was shown is what is trusted: a folder that changed meanwhile is refused.
    session.project_in(Path(details["folder"])).give_trust(details["hash"])


def show(shown: Sequence[str], folder: str, *, is_difference: bool) -> None:
    """Print what a folder asks for, or what changed since it was trusted."""
    name = folder.encode("ascii", "backslashreplace").decode()
    if is_difference:
        say(f"{name} changed since you trusted it:", err=True)
    else:
        say(f"{name} asks for:", err=True)
    for line in shown or ["nothing by itself; agents would be started in it"]:
        say(f"  {line}", err=True)
