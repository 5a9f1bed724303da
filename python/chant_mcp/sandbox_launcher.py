"""Starts a confined process; the core starts this file as a program of its own, without the package.

It has one thread and imports next to nothing, so that it can enter namespaces and copy itself: the core
cannot, as a copy of a process is safe only where nothing else goes on in it. `rust/confine/src/sandbox` says
what happens; this file lends it `fork`, and ends each copy as the core says.

Usage: `python -I -S sandbox_launcher.py [DESCRIPTOR]`. The order is read from that descriptor, or comes over
the socket that is standard input.
"""

from __future__ import annotations

import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, NoReturn

# The module `signal` would import more than all the rest.
signal: Any = __import__("_signal")

FIRST = 3
"""The first descriptor behind the standard streams."""

MOST = 1 << 20
"""More descriptors than a process has."""

NOT_FOUND = 127
"""The exit code for a command that is not there, as shells have it."""

NOT_STARTED = 126
"""The exit code for a command that cannot be started."""


def main() -> NoReturn:
    """Do what was ordered, and end as the confined process ended."""
    order = _order(int(sys.argv[1])) if len(sys.argv) > 1 else None
    posix.closerange(FIRST, MOST)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        code, number = _core().launch_sandbox(posix.fork, _restore_signals, order)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        sys.stderr.write(f"The command cannot be started: {error.strerror or error}\n")
        sys.stderr.flush()
        code, number = NOT_FOUND if missing else NOT_STARTED, None
    if number is not None:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
        posix.kill(posix.getpid(), number)
    posix._exit(code)  # pyright: ignore[reportPrivateUsage]


def _restore_signals() -> None:
    """Stop ignoring what Python ignores: the confined process would inherit that."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


def _order(descriptor: int) -> bytes:
    parts: list[bytes] = []
    while part := posix.read(descriptor, 1 << 16):
        parts.append(part)
    return b"".join(parts)


def _core() -> ModuleType:
    """Load the core from the folder of this file; the package would import more than is needed."""
    import _frozen_importlib_external as files

    # Type stubs lack the function that loads.
    bootstrap: Any = __import__("_frozen_importlib")

    folder = __file__.rpartition("/")[0]
    names = posix.listdir(folder)
    suffix = next(suffix for suffix in files.EXTENSION_SUFFIXES if f"_core{suffix}" in names)
    loader = files.ExtensionFileLoader("_core", f"{folder}/_core{suffix}")
    spec = bootstrap.ModuleSpec("_core", loader, origin=loader.path)
    return bootstrap._load(spec)


if __name__ == "__main__":
    main()
