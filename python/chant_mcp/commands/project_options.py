"""The options that choose a project, and commands that run on it."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import click

from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.session import Session

P = ParamSpec("P")

_FOLDER = click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path)


class _CodeOrFolder(click.ParamType[Any]):
    """The code of a ticket project, or a folder: what has a slash in it, or is `.` or `..`."""

    name = "code or folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | Path:
        """Return which of them it is."""
        is_folder = value in (".", "..") or "/" in value or os.sep in value
        return _FOLDER.convert(value, param, ctx) if is_folder else value


project_option = click.option(
    "--project",
    "--cwd",
    "project",
    metavar="DIR",
    type=_FOLDER,
    help="The project's folder; else the nearest one upwards that is a project. Also CHANT_PROJECT.",
)


def on_project(run: Callable[Concatenate[Session, P], None]) -> Callable[..., None]:
    """Give a command the session on the project, and the option that chooses the project."""

    @project_option
    @click.pass_obj
    @functools.wraps(run)
    def with_session(
        surroundings: Surroundings, project: Path | None, *args: P.args, **kwargs: P.kwargs
    ) -> None:
        if project is not None:
            surroundings = surroundings._replace(project=project)
        run(surroundings.session(), *args, **kwargs)

    return with_session


def on_tickets(run: Callable[Concatenate[Session, str | None, P], None]) -> Callable[..., None]:
    """Give a command the session and the code of the ticket project, and the options that choose them."""

    @click.option(
        "--project",
        "project",
        metavar="CODE|DIR",
        type=_CodeOrFolder(),
        help="Code of the project, such as MDT; else what the key says, or where you are. Or a folder, "
        "such as ./app, to begin in.",
    )
    @click.option("--cwd", "folder", metavar="DIR", type=_FOLDER, help="The folder to begin in.")
    @click.pass_obj
    @functools.wraps(run)
    def with_session(
        surroundings: Surroundings,
        project: str | Path | None,
        folder: Path | None,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        if isinstance(project, Path):
            folder, project = project, None
        if folder is not None:
            surroundings = surroundings._replace(project=folder)
        run(surroundings.session(), project, *args, **kwargs)

    return with_session


def changes_files(run: Callable[P, None]) -> Callable[P, None]:
    """Refuse a command when the program was started with `--read-only`."""

    @functools.wraps(run)
    def checked(*args: P.args, **kwargs: P.kwargs) -> None:
        refuse_read_only(click.get_current_context())
        run(*args, **kwargs)

    return checked


def refuse_read_only(context: click.Context) -> None:
    """Refuse what changes files when the program was started with `--read-only`."""
    surroundings = context.find_object(Surroundings)
    if surroundings is not None and surroundings.read_only:
        raise click.UsageError(f"`{context.info_name}` changes files, and --read-only was given.")
