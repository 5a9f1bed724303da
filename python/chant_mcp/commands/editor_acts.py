"""What an editor has done by a command of the language server: runs, their logs, and what they serve."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from chant_mcp.commands.opening import serve_preview
from chant_mcp.commands.persons import agent_above, run_above
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.errors import NotFoundError
from chant_mcp.session import Session

Outcome = tuple[str, str | None]
"""A sentence, and the address of what is to be shown."""


def acts_of(surroundings: Surroundings) -> Callable[[str, Path, str], Outcome] | None:
    """Give what performs acts; nothing where files are only read, below a run and in an agent's shell."""
    environment = surroundings.environment
    if surroundings.read_only or run_above(environment) or agent_above(environment):
        return None

    def perform(act: str, root: Path, name: str) -> Outcome:
        return _ACTS[act](surroundings._replace(project=root).session(), name)

    return perform


def _start(session: Session, name: str) -> Outcome:
    run = session.chant.work_start(name).data
    return f"An agent works on {run['spec_id']} ({run['process_id']}).", None


def _split(session: Session, name: str) -> Outcome:
    session.chant.split(name)
    return f"`chant-mcp split {name}` shows what is proposed, and writes it.", None


def _pause(session: Session, name: str) -> Outcome:
    return session.chant.pause(name).text, None


def _log(session: Session, name: str) -> Outcome:
    file = session.place.root / ".chant" / "logs" / f"{session.chant.run_name(name)}.log"
    if not file.is_file():
        raise NotFoundError(f"There is no log of {name}.")
    return f"The log is {file}", file.as_uri()


def _preview(session: Session, name: str) -> Outcome:
    # It is served until the run or this process ends.
    heard: SimpleQueue[str | Exception] = SimpleQueue()

    def serve() -> None:
        try:
            serve_preview(session, name, None, lambda _, address: heard.put(address))
        except Exception as error:  # else who waits for the address waits for ever
            heard.put(error)

    threading.Thread(target=serve, daemon=True).start()
    address = heard.get()
    if isinstance(address, Exception):
        raise address
    return f"{name}: {address}", address


_ACTS: dict[str, Callable[[Session, str], Outcome]] = {
    "start": _start,
    "split": _split,
    "pause": _pause,
    "log": _log,
    "preview": _preview,
}
