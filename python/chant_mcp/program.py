"""Our own program, as other processes start it."""

from __future__ import annotations

import os
import sys

# Python 3.10 has no option that leaves the working folder out of the search path.
_MAIN = "import sys; sys.path[:] = filter(None, sys.path); from chant_mcp.cli import main; main()"

_INSTALLED = (".dist-info", ".egg-info")
"""How the names end that tell of a package which is installed in a folder."""


def own_program(interpreter: str) -> tuple[str, ...]:
    """Give our own program, started in folders of others: nothing that lies there is a part of it.

    `-P` leaves out the working folder, `-E` the variables of Python: an empty element of PYTHONPATH stands
    for the working folder, too. `-I` would not find what is installed for one user.

    Args:
        interpreter: The Python that runs this.
    """
    options = () if _needs_variables() else ("-E",)
    if sys.version_info >= (3, 11):
        return (interpreter, *options, "-P", "-m", "chant_mcp")
    return (interpreter, *options, "-c", _MAIN)


def own_module(interpreter: str, module: str) -> tuple[str, ...]:
    """Give one of our modules as a program of its own, started as `own_program` is."""
    *options, last = own_program(interpreter)
    if options[-1] == "-m":
        return (*options, module)
    return (*options, last.replace("chant_mcp.cli", module))


def _needs_variables() -> bool:
    """Whether Python finds its library, or what is installed, by its variables alone."""
    if sys.flags.ignore_environment:
        return False
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return "PYTHONHOME" in os.environ or any(map(_holds_packages, filter(os.path.isabs, folders)))


def _holds_packages(folder: str) -> bool:
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    return "chant_mcp" in names or any(name.endswith(_INSTALLED) for name in names)
