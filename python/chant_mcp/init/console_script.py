"""Which program `chant` names on this machine: our console script or another one."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

_OURS = b"chant_mcp"
"""What our script says inside."""


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs of our names on the search path."""

    found: tuple[Path, ...]
    ours: frozenset[Path]
    """Those of them that are this installation's."""
    script: Path | None = None
    """The script `chant-mcp` of this installation, on the search path or not."""
    own_folder: Path | None = None
    """Where this installation's environment keeps its scripts; `None` where that is no environment's own."""
    long_names: tuple[Path, ...] = ()
    """The programs named `chant-mcp` on the search path, in its order."""

    @property
    def is_ours(self) -> bool:
        """Whether `chant`, typed or started by a host, is this installation."""
        return bool(self.found) and self.found[0] in self.ours

    @property
    def is_ours_everywhere(self) -> bool:
        """Whether `chant` is this installation also for who knows nothing of its environment."""
        return self._is_ours_elsewhere(self.found)

    @property
    def is_long_name_ours_everywhere(self) -> bool:
        """Whether `chant-mcp` is this installation also for who knows nothing of its environment."""
        return self._is_ours_elsewhere(self.long_names)

    @property
    def is_named_everywhere(self) -> bool:
        """Whether hosts find this installation by one of its names."""
        return self.is_ours_everywhere or self.is_long_name_ours_everywhere

    def _is_ours_elsewhere(self, found: tuple[Path, ...]) -> bool:
        elsewhere = [path for path in found if path.parent.resolve() != self.own_folder]
        return bool(elsewhere) and elsewhere[0] in self.ours

    @property
    def warning(self) -> str | None:
        """What to say when another program has the same name."""
        foreign = [path for path in self.found if path not in self.ours]
        if not foreign:
            return None
        if not self.is_ours:
            return (
                f"`chant` on PATH is another program: {foreign[0]}\n"
                "Use `chant-mcp` on the command line; hosts are given the interpreter instead."
            )
        return (
            f"`chant` of this installation stands over another program of that name: {foreign[0]}\n"
            "Use `chant-mcp` for this one where both are needed."
        )


def programs(environment: Mapping[str, str]) -> Programs:
    """Look for `chant` and `chant-mcp` on the search path.

    Args:
        environment: Where `PATH` is looked up.
    """
    found, long_names = (_on_path(name, environment) for name in ("chant", "chant-mcp"))
    scripts = {name: _scripts(name) for name in ("chant", "chant-mcp")}
    ours = [path for path in found if _is_one_of(path, scripts["chant"])]
    ours += [path for path in long_names if _is_one_of(path, scripts["chant-mcp"])]
    script = next((path for one in scripts["chant-mcp"] if _is_ours(path := one.resolve())), None)
    own = Path(sysconfig.get_path("scripts")).resolve() if sys.prefix != sys.base_prefix else None
    return Programs(found, frozenset(ours), script, own, long_names)


def _on_path(name: str, environment: Mapping[str, str]) -> tuple[Path, ...]:
    folders = [folder for folder in environment.get("PATH", "").split(os.pathsep) if folder]
    names = [f"{name}.exe", f"{name}.cmd", f"{name}.bat"] if sys.platform == "win32" else [name]
    places = (Path(folder) / name for folder in folders for name in names)
    return tuple(dict.fromkeys(place for place in places if place.is_file() and os.access(place, os.X_OK)))


def is_script_of_ours(path: Path) -> bool:
    """Whether a program is this installation's script, `chant` or `chant-mcp`."""
    return _is_one_of(path, [*_scripts("chant"), *_scripts("chant-mcp")])


def _scripts(name: str) -> list[Path]:
    """Find where this installation put a script."""
    try:
        listed = distribution("chant-mcp").files or []
    except PackageNotFoundError:
        listed = []
    named = [Path(str(file.locate())) for file in listed if file.name in (name, f"{name}.exe")]
    return [*named, Path(sysconfig.get_path("scripts")) / name]


def _is_one_of(path: Path, scripts: list[Path]) -> bool:
    real = path.resolve()
    return real in (script.resolve() for script in scripts) and _is_ours(real)


def _is_ours(path: Path) -> bool:
    """Whether another package did not put its own program in the place of ours."""
    if not path.is_file():
        return False
    return path.suffix == ".exe" or _OURS in path.read_bytes()
