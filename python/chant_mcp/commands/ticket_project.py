"""`tickets init`: makes a folder a project of tickets."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import click

from chant_mcp.commands.answers import json_option
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.errors import ConflictError
from chant_mcp.init import files
from chant_mcp.paging import written
from chant_mcp.session import Session
from chant_mcp.terminal import harmless, say, say_json

_CONFIGURATION = ".mdt-config.toml"
_TICKETS = "docs/CRs"
_CODE = re.compile(r"[A-Z][A-Z0-9]{1,9}")


def _code(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and not _CODE.fullmatch(value):
        raise click.BadParameter("expected 2 to 10 capital letters or digits that begin with a letter.")
    return value


@click.command()
@click.option("--code", metavar="CODE", callback=_code, help="What keys of tickets begin with, such as SHOP.")
@click.option("--name", metavar="TEXT", help="The project's name; else the folder's.")
@json_option
@on_project
@changes_files
def init(session: Session, code: str | None, name: str | None, as_json: bool) -> None:
    """Make this folder a project of tickets; what is there is left as it is."""
    place = session.place
    root = Path(place.folder if place.is_given else place.start or place.folder).resolve()
    if os.path.lexists(root / _CONFIGURATION):
        raise ConflictError(
            f"`{_CONFIGURATION}` exists already and was left as it is. "
            "`chant-mcp tickets list` lists its tickets."
        )
    code = code or _code_of(root)
    # A text of JSON without escapes beyond ASCII is one of TOML, too.
    title = harmless(name or root.name or code).encode(errors="replace").decode()
    lines = {"name": title, "code": code, "path": _TICKETS}
    text = "[project]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())
    files.make_folder(root, _TICKETS)
    files.write(root, files.FileChange(_CONFIGURATION, None, text.encode()))
    if as_json:
        say_json(written({"root": str(root), "code": code, "tickets": _TICKETS}))
        return
    say(f"This folder is the ticket project {code}; its tickets are in {_TICKETS}.")
    say("`chant-mcp tickets add TITLE` creates the first one.")


def _code_of(root: Path) -> str:
    letters = re.sub("[^A-Z0-9]", "", root.name.upper().encode("ascii", "ignore").decode()).lstrip(
        "0123456789"
    )
    return letters[:6] if len(letters) > 1 else "CR"
