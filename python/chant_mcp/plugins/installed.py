"""Which plugins are installed: read from what packages say of themselves, once a process."""

from __future__ import annotations

import functools
import os
import site
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from chant_mcp.plugins import PLUGIN_KINDS, PluginKind

_PREFIX = "chant_mcp."
"""What stands before the kind in the name of a group."""

_GROUP = b"[chant_mcp."
"""What the files with entry points of plugins have."""

_OWN = "chant-mcp"
"""The package of what is ready-made."""

READY_MADE = {
    "webhook": "chant_mcp.plugins.webhook:notify_webhook",
    "desktop": "chant_mcp.plugins.desktop:notify_desktop",
}
"""Our own notifiers."""


@dataclass(frozen=True, slots=True)
class InstalledPlugin:
    """A function that a package names."""

    kind: PluginKind
    name: str
    package: str
    version: str
    place: str
    """Its `module:attribute`."""
    folder: Path
    """Where its package is installed."""
    taken_by: str | None = None
    """The package whose plugin of that kind and name is asked in its place."""

    def __str__(self) -> str:
        """Name it in a sentence."""
        return f"{PLUGIN_KINDS[self.kind]} `{self.name}` of {self.package} {self.version}"

    def lies_in(self, root: Path) -> bool:
        """Say whether the folder of a project brings it along, and no person installed it."""
        return _lies_in(self.folder, root)


def forget_plugins() -> None:
    """Look again: for who installs a package while this process runs."""
    installed_plugins.cache_clear()
    _is_any_named.cache_clear()


@functools.cache
def installed_plugins() -> tuple[InstalledPlugin, ...]:
    """List all plugins in the order of kinds, names and packages; the ready-made ones keep their names."""
    from importlib.metadata import distributions

    found, seen = _ready_made(), set[str]()
    for distribution in distributions():
        entries = distribution.read_text("entry_points.txt")
        if entries is None or _PREFIX not in entries or distribution.name in seen:
            continue
        seen.add(distribution.name)
        folder = Path(str(distribution.locate_file(""))).resolve()
        for entry in distribution.entry_points:
            kind = entry.group.removeprefix(_PREFIX)
            if kind != entry.group and kind in PLUGIN_KINDS:
                named = (cast("PluginKind", kind), entry.name, distribution.name, distribution.version)
                found.append(InstalledPlugin(*named, entry.value, folder))
    kinds = list(PLUGIN_KINDS)
    found.sort(key=lambda one: (kinds.index(one.kind), one.name, one.package != _OWN, one.package))
    return tuple(_marked(found))


def plugins_of_kind(kind: PluginKind) -> list[InstalledPlugin]:
    """List those of one kind; only our own notifiers are there without a package that names some."""
    if kind != "notifiers" and not _is_any_named():
        return []
    return [plugin for plugin in installed_plugins() if plugin.kind == kind]


@functools.cache
def _is_any_named() -> bool:
    """Look for our groups in what packages say of themselves, without the library that reads it.

    Importing that library takes longer than the look, and most people have no plugin.
    """
    return any(map(_names_any, sys.path))


def _names_any(folder: str) -> bool:
    try:
        with os.scandir(folder or ".") as entries:
            infos = [entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return False
    for info in infos:
        with suppress(OSError), open(f"{info}/entry_points.txt", "rb") as file:  # noqa: PTH123
            if _GROUP in file.read():
                return True
    return False


def drop_folders_in(root: Path) -> None:
    """Take the folders that lie in a project out of the path of modules, unless a person installed them."""
    sys.path[:] = [entry for entry in sys.path if not _lies_in(Path(entry), root)]


def _ready_made() -> list[InstalledPlugin]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        own = version(_OWN)
    except PackageNotFoundError:  # it runs from its sources
        own = "of this checkout"
    here = Path(__file__).parent
    places = READY_MADE.items()
    return [InstalledPlugin("notifiers", name, _OWN, own, place, here) for name, place in places]


def _marked(plugins: Iterable[InstalledPlugin]) -> Iterable[InstalledPlugin]:
    first: dict[tuple[str, str], str] = {}
    for plugin in plugins:
        owner = first.setdefault((plugin.kind, plugin.name), plugin.package)
        yield plugin if owner == plugin.package else replace(plugin, taken_by=owner)


def _lies_in(folder: Path, root: Path) -> bool:
    folder, root = folder.resolve(), root.resolve()
    return folder.is_relative_to(root) and not any(map(folder.is_relative_to, _environments()))


@functools.cache
def _environments() -> Sequence[Path]:
    """The folders that the interpreter takes packages from; it may lie in a project, as `.venv` does."""
    places = [sys.prefix, sys.base_prefix]
    if site.ENABLE_USER_SITE:
        places.append(site.getusersitepackages())
    return [Path(place).resolve() for place in places]
