"""Formats of plans that plugins of the user bring: found, started, and taken by the core."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from chant_mcp import _core
from chant_mcp.errors import ChantError
from chant_mcp.formats import forget_formats
from chant_mcp.plugins.installed import InstalledPlugin
from chant_mcp.plugins.plugin_desk import PluginDesk
from chant_mcp.program import own_module

if TYPE_CHECKING:
    from chant_mcp.session import Session

logger = logging.getLogger(__name__)

_HOST = "chant_mcp.plugins.format_host"

_ADMITTED: set[tuple[str, str]] = set()
"""The plugins whose formats this process has asked for, by package and name: a format is described once."""


def admit_formats(session: Session) -> None:
    """Have the core read and edit the formats of the plugins that the user's configuration names.

    A plugin whose format cannot be taken is reported in the log; the others are taken all the same.
    """
    other = session.elsewhere(session.place)
    other.recovers, other.looks = False, None
    for plugin in PluginDesk(other).usable("formats"):
        if (plugin.package, plugin.name) in _ADMITTED:
            continue
        _ADMITTED.add((plugin.package, plugin.name))
        root = session.place.root.resolve()
        argv = [*own_module(sys.executable, _HOST), plugin.place, str(root)]
        try:
            _core.admit_plugin_format(str(plugin), argv, _environment(session), "/", _packages(plugin, root))
        except ChantError as error:
            logger.warning("The %s %s.", plugin, error)
        forget_formats()


def _environment(session: Session) -> list[tuple[str, str]]:
    """What an interpreter needs to start; nothing of the user's own is in it."""
    names = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH")
    found = [(name, session.environment[name]) for name in names if name in session.environment]
    return [*found, ("PYTHONDONTWRITEBYTECODE", "1")]


def _packages(plugin: InstalledPlugin, root: Path) -> list[Path]:
    """The folders that packages are read from; a project's own folder and a home as a whole are none."""
    places = [sys.prefix, sys.base_prefix, os.path.realpath(sys.executable), *sys.path, str(plugin.folder)]
    folders = {Path(place).resolve() for place in places if place}
    closed = (root, Path.home().resolve())
    return sorted(folder for folder in folders if not any(one.is_relative_to(folder) for one in closed))
