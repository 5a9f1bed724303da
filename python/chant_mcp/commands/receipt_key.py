"""`receipt key`: a key of a machine without a person, which signs receipts."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from chant_mcp.user_folders import state_home

_SIGNS = 'namespaces="chant-receipt"'


def key_of_machine(environment: Mapping[str, str]) -> Path:
    """Give the key of this machine, in the user's own state; make it where there is none.

    Raises:
        UsageError: No folder is known for it, or `ssh-keygen` makes none.

    """
    state = state_home(environment)
    if state is None:
        raise click.UsageError("Neither XDG_STATE_HOME nor HOME says where a key may lie. Set HOME.")
    key = Path(state, "chant-mcp", "keys", "receipts")
    if not key.exists():
        key.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        key.parent.chmod(0o700)
        _make(key, environment)
    return key


def line_of_signer(key: Path, environment: Mapping[str, str]) -> str:
    """Give the line by which a list of signers lets a key sign receipts."""
    public = _keygen(["-y", "-f", str(key)], environment).split()
    return f"{socket.gethostname()} {_SIGNS} {' '.join(public[:2])}"


def _make(key: Path, environment: Mapping[str, str]) -> None:
    with TemporaryDirectory(dir=key.parent, prefix=".") as folder:
        new = Path(folder, key.name)
        _keygen(["-q", "-t", "ed25519", "-N", "", "-C", "chant-mcp", "-f", str(new)], environment)
        with new.open("rb") as file:
            os.fsync(file.fileno())
        # A key that another process has made meanwhile stays.
        with suppress(FileExistsError):
            os.link(new, key)
    opened = os.open(key.parent, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _keygen(words: list[str], environment: Mapping[str, str]) -> str:
    try:
        done = subprocess.run(
            ["ssh-keygen", *words],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise click.UsageError(f"`ssh-keygen` could not be run: {error}. It comes with OpenSSH.") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or "nothing"
        raise click.UsageError(f"`ssh-keygen` says: {said}")
    return done.stdout.decode(errors="replace")
