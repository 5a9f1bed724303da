"""Which plugins may be asked in a project, and the way to ask them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from chant_mcp.plugins import PluginKind
from chant_mcp.plugins.installed import InstalledPlugin, installed_plugins, plugins_of_kind
from chant_mcp.plugins.plugin_process import PluginFailure, call_plugin
from chant_mcp.program import own_program
from chant_mcp.session import Session

UNTRUSTED = "no person trusts this folder, and plugins never run in such a one"
"""Why none is asked there."""

_NAMED_FIRST: dict[PluginKind, str] = {
    "formats": "formats",
    "evidence_checks": "evidence_checks",
    "notifiers": "notifiers",
}
"""Kinds of which only those are asked that the user's own configuration names, with the key that does."""


@dataclass(frozen=True, slots=True)
class ListedPlugin:
    """A plugin, or the name of one that is not installed, and whether it is asked."""

    kind: PluginKind
    name: str
    package: str | None
    version: str | None
    why_off: str | None
    """Why it is not asked; `None` for one that is."""

    def data(self) -> dict[str, Any]:
        """Give it as the answer of a command."""
        return {
            "name": self.name,
            "kind": self.kind,
            "package": self.package,
            "version": self.version,
            "on": self.why_off is None,
            "why_off": self.why_off,
        }


class PluginDesk:
    """The plugins of one project as of one moment. To look at them runs none."""

    def __init__(self, session: Session) -> None:
        """Take the project; nothing is looked for yet."""
        self._session = session

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What the user's own configuration says of plugins."""
        return self._session.chant.plugin_settings()

    @cached_property
    def _is_trusted(self) -> bool:
        return self._session.chant.is_trusted()

    def usable(self, kind: PluginKind) -> list[InstalledPlugin]:
        """List the plugins of a kind that may be asked now."""
        return [plugin for plugin in plugins_of_kind(kind) if self.why_off(plugin) is None]

    def listed(self) -> list[ListedPlugin]:
        """List all plugins, and the names in the configuration that none has."""
        found = [
            ListedPlugin(one.kind, one.name, one.package, one.version, self.why_off(one))
            for one in installed_plugins()
        ]
        known = {(one.kind, one.name) for one in found}
        missing = [
            ListedPlugin(kind, name, None, None, "no package that is installed here has it")
            for kind, key in _NAMED_FIRST.items()
            for name in self.settings[key]
            if (kind, name) not in known
        ]
        return found + missing

    def why_off(self, plugin: InstalledPlugin) -> str | None:
        """Say why a plugin is not asked; `None` for one that is."""
        if plugin.taken_by is not None:
            return f"{plugin.taken_by} has a plugin of that name"
        if plugin.lies_in(self._session.place.root):
            return "the project's folder brings it along; install it outside of the folder"
        if plugin.name in self.settings["off"]:
            return "your configuration has its name under `plugins.off`"
        key = _NAMED_FIRST.get(plugin.kind)
        if key is not None and plugin.name not in self.settings[key]:
            return f"your own configuration does not name it under `plugins.{key}`"
        return None if self._is_trusted else UNTRUSTED

    def find(self, kind: PluginKind, name: str) -> InstalledPlugin:
        """Find a plugin that may be asked.

        Raises:
            PluginFailure: There is none of that name, or it may not be asked.
        """
        for plugin in plugins_of_kind(kind):
            if plugin.name == name and plugin.taken_by is None:
                if (why := self.why_off(plugin)) is not None:
                    raise PluginFailure(f"The {plugin} is off: {why}.")
                return plugin
        raise PluginFailure(f"There is no plugin `{name}` here.")

    def ask(self, plugin: InstalledPlugin, **request: Any) -> Iterator[dict[str, Any]]:
        """Call a plugin's function; give what it answers, as it comes.

        Raises:
            PluginFailure: What went wrong, in a sentence that names the plugin.
        """
        seconds: float = self.settings["seconds"]
        whole = {"kind": plugin.kind, "name": plugin.name, "seconds": seconds, **request}
        root = str(self._session.place.root.resolve())
        try:
            yield from call_plugin(own_program(sys.executable), root, whole, seconds)
        except PluginFailure as failure:
            raise PluginFailure(f"The {plugin} {failure}.") from failure
