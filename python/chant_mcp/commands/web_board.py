"""`board --web`: serves the board to a browser on this machine, for the person at this terminal."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import threading
import webbrowser
from collections.abc import Callable, Generator
from pathlib import Path

from chant_mcp.commands import serving
from chant_mcp.commands.asking import is_person
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.errors import RefusedError
from chant_mcp.server.http.address import HOST, Address, Listener, listen, names
from chant_mcp.server.http.board import PATH, WebBoard
from chant_mcp.session import Session
from chant_mcp.terminal import say
from chant_mcp.web_board.access import CODE_SECONDS, PersonAccess

_REDIRECT = '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">\
<meta http-equiv="refresh" content="0;url={}">\n'


def serve_board(surroundings: Surroundings, port: int | None, *, opens: bool) -> None:
    """Serve until Ctrl-C; the address on the terminal opens the board once.

    Raises:
        RefusedError: When no person sits at a terminal here.
    """
    import anyio

    from chant_mcp.server.app import ChantServer
    from chant_mcp.server.http.app import Service

    serving.set_up_log(surroundings)
    session = surroundings.session(may_leave=False)
    if not is_person(session):
        raise RefusedError(
            "`board --web` gives the one who opens it the rights of a person, so it starts at a "
            "terminal only, and not below a run. For agents, use `chant-mcp serve --http`."
        )
    listener = listen(Address(HOST, port))
    access = PersonAccess(on_reuse=_report_reuse)
    board = WebBoard(session, _terminal_name(), surroundings.read_only, access)
    server = ChantServer(session, serving.offer(surroundings), many_clients=True)

    def start() -> None:
        say(f"The board of {session.place.root} is at {listener.url}{PATH}. Ctrl-C ends it.", err=True)
        _offer_address(listener, access, session, opens=opens)
        _offer_again_on_enter(lambda: _offer_address(listener, access, session, opens=opens))

    # No agent knows this token: tools are for the page alone, which shows the person's key.
    token = secrets.token_urlsafe(32)
    service = Service(listener, names(listener, HOST, ()), token, start, lambda: None, board)
    anyio.run(server.serve_http, service)


def _offer_address(listener: Listener, access: PersonAccess, session: Session, *, opens: bool) -> None:
    address = f"{listener.url}{PATH}#once={access.issue_code()}"
    if not opens:
        say(f"Open {address}", err=True)
        say(f"It opens the board once, within {CODE_SECONDS:.0f} s. Press Enter for another.", err=True)
        return
    with _redirect_file(session, address) as file:
        if webbrowser.open(file.as_uri()):
            say("The browser was asked to open the board. Press Enter to open it again.", err=True)
        else:
            say("No browser was found. Leave --open out to get an address.", err=True)


@contextlib.contextmanager
def _redirect_file(session: Session, address: str) -> Generator[Path]:
    """Write a file that leads a browser to an address: other processes can read command lines.

    It lies where runs cannot read, and is removed when the code in it is too old to open anything.
    """
    folder = session.chant.state_part("board")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = folder / f"open-{secrets.token_hex(8)}.html"
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as out:
        out.write(_REDIRECT.format(address))
    timer = threading.Timer(CODE_SECONDS, _remove, [file])
    timer.daemon = True
    timer.start()
    yield file


def _remove(file: Path) -> None:
    with contextlib.suppress(OSError):
        file.unlink()


def _offer_again_on_enter(offer: Callable[[], None]) -> None:
    """Make another address for each line from the terminal."""

    def read() -> None:
        for _ in sys.stdin:
            offer()

    threading.Thread(target=read, name="board-terminal", daemon=True).start()


def _report_reuse() -> None:
    say(
        "The address was opened a second time, so someone else may know it. The session that it opened "
        "has ended. Press Enter for another address.",
        err=True,
    )


def _terminal_name() -> str:
    try:
        return os.ttyname(sys.stdin.fileno())
    except (OSError, AttributeError):
        return "this terminal"
