"""`serve`: serves MCP over HTTP, and tells hosts where."""

from __future__ import annotations

import os
import re
import secrets
import stat
from pathlib import Path

import click

from chant_mcp.commands import serving
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.errors import InvalidArgumentError, RefusedError, StorageError
from chant_mcp.init import hosts
from chant_mcp.init.discovery import Presence
from chant_mcp.init.repository import Repository
from chant_mcp.server.http.address import PORT, Address, Listener, address, listen, names

_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,512}")
"""What a token may be: what fits into the header, and is not guessed."""


@click.command()
@click.option(
    "--http",
    "at",
    is_flag=False,
    flag_value="",
    metavar="[HOST:]PORT",
    help="Serve over HTTP. Without an address at 127.0.0.1:19560, or a free port when that is taken; port 0 "
    "is a free one.",
)
@click.option(
    "--register",
    "clients",
    multiple=True,
    type=click.Choice(hosts.CLIENTS),
    help="Write the server into this host's file in the project, until the server ends; repeatable.",
)
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The token to ask for; a file that does not exist is made. Else each start makes a new one.",
)
@click.option("--no-auth", is_flag=True, help="Ask for no token; on this machine alone.")
@click.option(
    "--allow-host",
    "allowed",
    multiple=True,
    metavar="NAME",
    help="Another name, such as that of a proxy, that the server is called by; repeatable.",
)
@serving.with_options
def serve(
    surroundings: Surroundings,
    at: str | None,
    clients: tuple[str, ...],
    token_file: Path | None,
    no_auth: bool,
    allowed: tuple[str, ...],
) -> None:
    """Serve MCP over HTTP; without --http on standard input and output.

    Streamable HTTP is at /mcp, the older SSE transport at / and /sse. Ctrl-C or SIGTERM ends the server.
    """
    if at is None:
        if clients or token_file or no_auth or allowed:
            raise click.UsageError("These options are for a server over HTTP: add --http.")
        serving.on_stdio(surroundings)
        return
    serving.set_up_log(surroundings)
    import anyio

    from chant_mcp.server.app import ChantServer
    from chant_mcp.server.http import app

    wanted = address(at)
    on_offer = serving.offer(surroundings)
    token = None if no_auth else _token(token_file)
    listener = listen(wanted)
    if no_auth and not listener.is_loopback:
        listener.socket.close()
        raise RefusedError(
            f"--no-auth is for this machine alone, and {wanted.host} is reached from others.\n"
            "Leave --no-auth out, or listen at 127.0.0.1."
        )
    session = surroundings.session(may_leave=False)
    server = ChantServer(session, on_offer, many_clients=True)
    presence = None
    if clients or (token is not None and token_file is None):
        url = listener.url + app.PATH
        presence = Presence(_records(surroundings), session.place.root, url, token)

    def start() -> None:
        _tell(wanted, listener, session.place.root)
        if presence is not None:
            _register(presence, clients, surroundings)

    def end() -> None:
        for problem in presence.withdraw() if presence is not None else ():
            click.echo(problem, err=True)

    service = app.Service(listener, names(listener, wanted.host, allowed), token, start, end)
    try:
        anyio.run(server.serve_http, service)
    finally:
        end()


def _token(file: Path | None) -> str:
    """Give the token of a file, which is made if it is not there; without a file a new one.

    Raises:
        InvalidArgumentError: When the file holds no token.
        RefusedError: When others may read it.
        StorageError: When it cannot be read or made.
    """
    if file is None:
        return secrets.token_urlsafe(32)
    try:
        if not file.exists():
            _write_token(file, secrets.token_urlsafe(32))
        rights = stat.S_IMODE(file.stat().st_mode)
        token = file.read_text("ascii", "replace").strip()
    except OSError as error:
        raise StorageError(f"Cannot read `{file}`: {error.strerror}") from error
    if os.name == "posix" and rights & 0o077:
        raise RefusedError(f"`{file}` is open to other users.\nRun `chmod 600 {file}`, and start again.")
    if not _TOKEN.fullmatch(token):
        raise InvalidArgumentError(
            f"`{file}` holds no token. Expected one line of 16 to 512 letters, digits and `._~+/=-`.\n"
            "Name a file that does not exist: it is made."
        )
    return token


def _write_token(file: Path, token: str) -> None:
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as out:
        out.write(f"{token}\n")


def _records(surroundings: Surroundings) -> Path:
    """Say where the user's servers have their records.

    Raises:
        RefusedError: When nothing says where such files lie.
    """
    named = Path(surroundings.environment.get("XDG_STATE_HOME", ""))
    home = surroundings.home
    state = named if named.is_absolute() else home and home / ".local" / "state"
    if state is None:
        raise RefusedError(
            "Neither XDG_STATE_HOME nor HOME says where the server's token may be kept.\n"
            "Set XDG_STATE_HOME, or use --token-file without --register."
        )
    return state / "chant-mcp" / "servers"


def _tell(wanted: Address, listener: Listener, root: Path) -> None:
    if wanted.port is None and listener.port != PORT:
        click.echo(f"Port {PORT} is taken, so this server has another one.", err=True)
    url = listener.url
    click.echo(f"Serving {root} at {url}/mcp (SSE: {url}/sse)", err=True)


def _register(presence: Presence, clients: tuple[str, ...], surroundings: Surroundings) -> None:
    listed = presence.register(clients)
    for one in listed:
        click.echo(f"Listed as `{one.name}` in {one.file} until the server ends", err=True)
    if presence.token is None:
        return
    click.echo(f"Token: in {presence.path}", err=True)
    repository = Repository(presence.root, surroundings.environment, wanted_by="--register")
    for file in dict.fromkeys(one.file for one in listed):
        if repository.exists and repository.run("check-ignore", "-q", file).returncode:
            click.echo(f"Warning: {file} holds the token, and git does not ignore it.", err=True)
