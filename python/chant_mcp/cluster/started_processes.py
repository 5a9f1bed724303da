"""Schedulers and workers as processes of their own, which outlive the command that starts them."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from chant_mcp.cluster.certificates import TlsFiles, head_files
from chant_mcp.errors import RefusedError

_CONNECT_SECONDS = 5
PASSED = ("PATH", "LANG", "LC_ALL", "TZ", "PYTHONPATH", "HOME")
"""Variables that a process gets that speaks to the engine: none is a secret."""
_LAST_WORDS = 1000


def start_scheduler(
    program: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    address: str,
    tls: Path,
    *arguments: str,
) -> str:
    """Start a scheduler, and return the address at which it listens.

    It gets no variable that may be a secret: what it reads from a connection runs as code.

    Args:
        program: Our own program.
        environment: The variables of this process.
        folder: For its log; it is confined to `scheduler/` in it.
        address: Where it is to listen.
        tls: The folder of certificates.
        arguments: Further options.

    Raises:
        RefusedError: It ended at once; the message has its last words.
    """
    own = folder / "scheduler"
    own.mkdir(mode=0o700, parents=True, exist_ok=True)
    kept = {name: environment[name] for name in PASSED if name in environment}
    argv = [*program, "cluster", "scheduler", address, "--tls", str(tls), "--folder", str(own), *arguments]
    return str(_first_line(argv, kept, folder / "scheduler.log")["address"])


def start_worker(
    program: Sequence[str], environment: Mapping[str, str], log: Path, arguments: Iterable[str]
) -> None:
    """Start a worker on this machine, and wait until it has joined.

    Raises:
        RefusedError: It ended at once; the message has its last words.
    """
    _first_line([*program, "worker", *arguments], environment, log)


def offer_options(slots: Mapping[str, int], reads: Iterable[str] = ()) -> list[str]:
    """Give slots, and repositories that are read for fleets, as options of `worker`."""
    options = [word for name, number in slots.items() for word in ("--slots", f"{name}={number}")]
    return options + [word for place in reads for word in ("--reads", place)]


def answers(address: str, tls: Path) -> bool:
    """Say whether a scheduler with the certificates of a folder listens at an address."""
    files = head_files(tls)
    parts = urlsplit(address)
    try:
        context = _context(files)
        where = (str(parts.hostname), int(parts.port or 0))
        with (
            socket.create_connection(where, timeout=_CONNECT_SECONDS) as plain,
            context.wrap_socket(plain) as connection,
        ):
            return connection.version() is not None
    except (OSError, ValueError):
        return False


def _context(files: TlsFiles) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=files.authority)
    context.check_hostname = False  # its own authority signed nothing else
    context.load_cert_chain(files.certificate, files.key)
    return context


def _first_line(argv: Sequence[str], environment: Mapping[str, str], log: Path) -> dict[str, Any]:
    """Start a process in a session of its own, and read the line in which it says that it is ready."""
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with log.open("wb") as errors:
        process = subprocess.Popen(
            argv,
            env=dict(environment),
            cwd=log.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    assert process.stdout is not None
    with process.stdout as lines:
        line = lines.readline()
    try:
        found: dict[str, Any] = json.loads(line)
    except ValueError:
        process.wait()
        words = log.read_bytes()[-_LAST_WORDS:].decode(errors="replace").strip()
        raise RefusedError(f"`{' '.join(argv[-3:])}` ended at once. {words or 'It said nothing.'}") from None
    # It outlives this process, or is reaped by it.
    threading.Thread(target=process.wait, daemon=True).start()
    return found
