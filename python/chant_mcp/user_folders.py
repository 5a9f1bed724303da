"""Where a user's own files lie, as variables say; no project can write them."""

from __future__ import annotations

from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def home_folder() -> Path | None:
    """The user's home; `None` where nobody says where that is."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def config_folder(environment: Mapping[str, str], home: Path | None) -> Path | None:
    """The folder of the user's configuration files, of whatever program; it may not exist."""
    named = Path(environment.get("XDG_CONFIG_HOME", ""))
    return named if named.is_absolute() else home and home / ".config"


def state_home(environment: Mapping[str, str]) -> Path | None:
    """The user's folder for the states of programs, as variables say; no project can write it."""
    named = Path(environment.get("XDG_STATE_HOME", ""))
    home = Path(environment.get("HOME") or environment.get("USERPROFILE", ""))
    if named.is_absolute():
        return named
    return home / ".local" / "state" if home.is_absolute() else None


def user_config_file(environment: Mapping[str, str], home: Path | None) -> Path | None:
    """The user's own configuration of this program; it may not exist."""
    folder = config_folder(environment, home)
    return folder and folder / "chant" / "config.md"
