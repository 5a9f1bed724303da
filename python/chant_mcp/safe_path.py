"""Keeps modules of the working folder out of our programs: each calls this before it imports anything else.

Hosts start us in projects, and the files of a project are not ours to run. What this imports is loaded before
any program begins.
"""

from __future__ import annotations

import os
import sys


def leave_out_working_folder(*, is_module: bool) -> None:
    """Take the places off the search path of modules that depend on the folder in which this was started.

    Args:
        is_module: Whether this was started by `python -m`, which puts that folder first.
    """
    try:
        here = os.getcwd()
    except OSError:
        here = ""  # it was removed, and nothing is found in it
    unwanted = _named_relatively(here) - _named_absolutely()
    if is_module and not getattr(sys.flags, "safe_path", False) and sys.path[:1] == [here]:
        # Even where the variable names it, too: it then comes once more.
        del sys.path[0]
    sys.path[:] = [place for place in sys.path if place and place not in unwanted]


def relative_elements(variable: str) -> list[str]:
    """Give the elements of PYTHONPATH that are empty or relative: their folders depend on where one is."""
    return [place for place in variable.split(os.pathsep) if not os.path.isabs(place)] if variable else []


def _variable() -> str:
    return "" if sys.flags.ignore_environment else os.environ.get("PYTHONPATH", "")


def _named_relatively(here: str) -> set[str]:
    # Python has made whole paths of them.
    return {os.path.normpath(os.path.join(here, place)) for place in relative_elements(_variable())}


def _named_absolutely() -> set[str]:
    return {os.path.normpath(place) for place in _variable().split(os.pathsep) if os.path.isabs(place)}
