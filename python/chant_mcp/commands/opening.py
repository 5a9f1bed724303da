"""`open`: an item's file in the editor that the user has chosen."""

from __future__ import annotations

import contextlib
import functools
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from chant_mcp.api.features import FeatureTask
from chant_mcp.api.vines import Task
from chant_mcp.commands.answers import json_option
from chant_mcp.commands.edits import Item, find_item
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.errors import RefusedError
from chant_mcp.paging import Data, written
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json

_PLUS_LINE = {"vi", "vim", "nvim", "view", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "ed"}
"""Editors that take `+LINE` before a file."""
_GOTO = {"code", "codium", "cursor"}
"""Editors that take `--goto FILE:LINE`."""


@click.command("open")
@click.argument("name", metavar="NAME")
@click.option("--print", "print_only", is_flag=True, help="Print the file and the line; open nothing.")
@click.option("--preview", is_flag=True, help="Show what the server of its run answers, until Ctrl-C.")
@click.option("--port", metavar="NAME", help="With --preview: the name of the port; the first if left out.")
@json_option
@on_project
@changes_files
def open_item(
    session: Session, name: str, print_only: bool, preview: bool, port: str | None, as_json: bool
) -> None:
    """Open the file of an item in your editor: VISUAL, else EDITOR; with --preview, what its run serves."""
    if port is not None and not preview:
        raise click.UsageError("--port goes with --preview.")
    if preview:
        _preview(session, name, port, opens=not print_only, as_json=as_json)
        return
    item = find_item(session, name)
    path, line = session.place.root / item.path, _line(session, item)
    if not print_only:
        _run(_command(session.environment, path, line), path)
    if as_json:
        say_json(written({"key": item.key, "path": item.path, "line": line, "opened": not print_only}))
    elif print_only:
        say(f"{item.path}:{line}")


def _preview(session: Session, name: str, port: str | None, *, opens: bool, as_json: bool) -> None:
    """Serve the preview of a run until it ends; Ctrl-C ends it, too."""

    def started(asked: Data, address: str) -> None:
        if as_json:
            say_json(written({**asked, "url": address}))
        else:
            say(f"{asked['spec_id']}, port {asked['port']}: {address}")
            say("Ctrl-C ends it.", err=True)
        if opens:
            import webbrowser

            webbrowser.open(address)

    with contextlib.suppress(KeyboardInterrupt):
        serve_preview(session, name, port, started)
        say("The run has ended.", err=True)


def serve_preview(
    session: Session, name: str, port: str | None, started: Callable[[Data, str], None]
) -> None:
    """Serve the preview of a run until it ends; `started` hears of what, and the address.

    Raises:
        RefusedError: The run has no such port, or nothing listens on it.
    """
    import asyncio

    from chant_mcp.preview import Preview

    found = session.chant.environment_ports(name).data
    spec_id, ports = found["spec_id"], found["ports"]
    asked = next((one for one in ports if port in (None, one["name"])), None)
    if asked is None:
        known = ", ".join(one["name"] for one in ports)
        raise RefusedError(f"The run of '{spec_id}' has no port {port}. It has: {known}.")
    if not asked["is_listening"]:
        raise RefusedError(
            f"Nothing listens on port {asked['name']} of the run of '{spec_id}' yet. A server of "
            f"the run has to listen on 127.0.0.1:{asked['port']} (CHANT_PORT_{asked['name'].upper()})."
        )

    def goes_on() -> bool:
        try:
            return session.chant.environment_ports(name).data["process_id"] == found["process_id"]
        except RefusedError:
            return False

    # A host name has at most 63 letters in a part.
    label = spec_id.replace(".", "-")[-60:].strip("-")
    network = session.chant.environment_network(name)
    heard = functools.partial(started, {"spec_id": spec_id, "port": asked["name"]})
    asyncio.run(Preview(label, asked["port"], network.connect).serve(heard, goes_on))


def _line(session: Session, item: Item) -> int:
    if isinstance(item, FeatureTask):
        return item.line
    if isinstance(item, Task):
        lines = (session.place.root / item.path).read_text(encoding="utf-8").splitlines()
        starts = (
            number for number, text in enumerate(lines, 1) if text.split(maxsplit=1)[:1] == [f"[{item.id}]"]
        )
        return next(starts, 1)
    return 1


def _command(environment: Mapping[str, str], path: Path, line: int) -> list[str]:
    named = environment.get("VISUAL") or environment.get("EDITOR")
    if not named or not named.strip():
        raise RefusedError(
            f"No editor is set. Set EDITOR, for example `export EDITOR=nano`, or edit {path} yourself."
        )
    try:
        words = shlex.split(named)
    except ValueError as error:
        raise RefusedError(f"VISUAL or EDITOR cannot be read as a command: {error}.") from error
    program = Path(words[0]).name
    if program in _GOTO:
        return [*words, "--wait", "--goto", f"{path}:{line}"]
    if program in _PLUS_LINE and line > 1:
        return [*words, f"+{line}", str(path)]
    return [*words, str(path)]


def _run(command: list[str], path: Path) -> None:
    if shutil.which(command[0]) is None:
        raise RefusedError(
            f"There is no program `{command[0]}`. Set EDITOR to an editor, or edit {path} yourself."
        )
    code = subprocess.run(command, check=False).returncode
    if code:
        raise RefusedError(f"`{command[0]}` ended with exit code {code}; the file may be unchanged: {path}")
