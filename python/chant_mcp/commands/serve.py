"""`serve`: serves MCP over HTTP, and writes its address for hosts."""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from chant_mcp.commands import serving
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.errors import InvalidArgumentError, RefusedError, StorageError
from chant_mcp.init import hosts
from chant_mcp.init.discovery import HostEntry, Presence, tidy_up
from chant_mcp.server.http.address import PORT, Address, Listener, address, listen, names
from chant_mcp.terminal import say

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
    type=click.Choice(hosts.REGISTERED),
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
    _over_http(surroundings, address(at), _Wishes(clients, token_file, no_auth, allowed))


@dataclass(frozen=True, slots=True)
class _Wishes:
    """What the user asked for beside an address."""

    clients: tuple[str, ...]
    token_file: Path | None
    no_auth: bool
    allowed: tuple[str, ...]


def _over_http(surroundings: Surroundings, wanted: Address, wishes: _Wishes) -> None:
    import anyio

    from chant_mcp.server.app import ChantServer
    from chant_mcp.server.http import app

    on_offer = serving.offer(surroundings)
    _refuse_misspelled(surroundings)
    token = None if wishes.no_auth else _token(wishes.token_file)
    listener = _listener(wanted, wishes)
    session = surroundings.session(may_leave=False, door="agents")
    server = ChantServer(session, on_offer, many_clients=True)
    root, url = session.place.root, listener.url
    presence = None
    if wishes.clients or (token is not None and wishes.token_file is None):
        presence = Presence(_records_for_token(surroundings), root, url + app.PATH, token)

    def start() -> None:
        listed, left = _found(presence, wishes.clients, surroundings, root)
        if wanted.port is None and listener.port != PORT:
            say(f"Port {PORT} is taken, so this server has another one.", err=True)
        say(f"Serving {root} at {url}{app.PATH} (SSE: {url}/sse)", err=True)
        for problem in left:
            say(f"Warning: the entry of a stopped server is still there. {problem}", err=True)
        for one in listed:
            say(f"Listed as `{one.name}` in {one.file} until the server ends", err=True)
        if token is not None:
            _tell_of_token(wishes.token_file or (presence and presence.path), listed)

    def end() -> None:
        for problem in presence.withdraw() if presence is not None else ():
            say(problem, err=True)

    service = app.Service(listener, names(listener, wanted.host, wishes.allowed), token, start, end)
    try:
        anyio.run(server.serve_http, service)
    finally:
        end()


def _refuse_misspelled(surroundings: Surroundings) -> None:
    """Refuse to serve by a configuration in which a key is nearly a known one, before anything is opened.

    Raises:
        ConfigError: With the key, its file and what may have been meant.
    """
    session = surroundings.session(may_leave=False)
    session.recovers = False
    session.workspace.refuse_misspelled()


def _listener(wanted: Address, wishes: _Wishes) -> Listener:
    listener = listen(wanted)
    if wishes.no_auth and not listener.is_loopback:
        listener.socket.close()
        raise RefusedError(
            f"--no-auth works only on this machine, and other machines reach {wanted.host}.\n"
            "Omit --no-auth, or listen at 127.0.0.1."
        )
    return listener


def _token(file: Path | None) -> str:
    """Give the token of a file, which is made if it is not there; without a file a new one.

    Raises:
        InvalidArgumentError: When the file holds no token.
        RefusedError: When others may read it.
        StorageError: When it cannot be read or made.
    """
    if file is None:
        return secrets.token_urlsafe(32)
    if not file.exists():
        _make_token(file)
    try:
        is_open = _is_open(file)
        token = file.read_text("ascii", "replace").strip()
    except OSError as error:
        raise StorageError(f"Cannot read `{file}`: {error.strerror}") from error
    if is_open:
        raise RefusedError(f"`{file}` is open to other users.\nRun `chmod 600 {file}`, and start again.")
    if not _TOKEN.fullmatch(token):
        raise InvalidArgumentError(
            f"`{file}` holds no token. Expected one line of 16 to 512 letters, digits and `._~+/=-`.\n"
            "Name a file that does not exist; it is created."
        )
    return token


def _make_token(file: Path) -> None:
    try:
        _write_token(file, secrets.token_urlsafe(32))
    except OSError as error:
        raise StorageError(
            f"Cannot make `{file}`: {error.strerror}\nMake its folder first, or name another file."
        ) from error


def _is_open(file: Path) -> bool:
    """Return whether its rights let other users at a file."""
    return os.name == "posix" and bool(stat.S_IMODE(file.stat().st_mode) & 0o077)


def _write_token(file: Path, token: str) -> None:
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as out:
        out.write(f"{token}\n")


def _found(
    presence: Presence | None, clients: tuple[str, ...], surroundings: Surroundings, root: Path
) -> tuple[Sequence[HostEntry], Sequence[str]]:
    """Let hosts find this server and none that is dead: give its entries, and what is left of others."""
    if presence is not None:
        return presence.register(clients), presence.left
    records = _records(surroundings)
    return (), [] if records is None else tidy_up(records, root)


def _records_for_token(surroundings: Surroundings) -> Path:
    """Say where this server has its record.

    Raises:
        RefusedError: When nothing says where such files lie.
    """
    records = _records(surroundings)
    if records is None:
        raise RefusedError(
            "There is no folder for the server's token: neither XDG_STATE_HOME nor HOME is set.\n"
            "Set XDG_STATE_HOME, or use --token-file without --register."
        )
    return records


def _records(surroundings: Surroundings) -> Path | None:
    """Say where the user's servers have their records, where anything says that."""
    named = Path(surroundings.environment.get("XDG_STATE_HOME", ""))
    home = surroundings.home
    state = named if named.is_absolute() else home and home / ".local" / "state"
    return None if state is None else state / "chant-mcp" / "servers"


def _tell_of_token(place: Path | None, listed: Sequence[HostEntry]) -> None:
    """Say where the token is and how a host gets it; the token itself is never shown."""
    say(f"Token: in {place}", err=True)
    if listed:
        say(
            f"No file of the project holds it: set {hosts.TOKEN_VARIABLE} to it before you start the host "
            "(VS Code asks for it).",
            err=True,
        )
