"""What each of our processes does first with its descriptors, streams and variables."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import MutableMapping


def prepare_process(environment: MutableMapping[str, str]) -> None:
    """Make the streams and search paths of this process those of a program that people start."""
    # Texts of specs may hold any character, whatever the terminal's locale says.
    speak_utf8()
    _search_absolute_folders(environment)


def inherit_nothing() -> None:
    """Keep from programs what this process inherited, but for standard streams."""
    opened = os.listdir("/dev/fd") if os.path.isdir("/dev/fd") else []
    for number in map(int, opened):
        if number > 2:
            _keep(number)


def _keep(descriptor: int) -> None:
    try:
        os.set_inheritable(descriptor, False)
    except OSError:
        # That of the listing is closed by now.
        return


def _search_absolute_folders(environment: MutableMapping[str, str]) -> None:
    """Drop empty and relative folders from lists such as `PYTHONPATH`, for whatever this process starts.

    They stand for folders in the working directory, which is somebody else's project.
    """
    from chant_mcp._core import absolute_searches

    # What is no text is no list of folders that we know.
    known = {name: value for name, value in environment.items() if f"{name}{value}".isprintable()}
    for name, value in absolute_searches(known).items():
        if value is None:
            del environment[name]
        else:
            environment[name] = value


def speak_utf8() -> None:
    """Write UTF-8, and what it cannot write as escapes."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
