"""Where a user's own files lie, as variables say; no project can write them.

Places are texts here: a background program starts without `pathlib`.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def home_folder() -> str | None:
    """The user's home; `None` where no one says where that is."""
    home = os.path.expanduser("~")
    return home if os.path.isabs(home) else None


def config_folder(environment: Mapping[str, str], home: str | os.PathLike[str] | None) -> str | None:
    """The folder of the user's configuration files, of whatever program; it may not exist."""
    named = environment.get("XDG_CONFIG_HOME", "")
    if os.path.isabs(named):
        return named
    return None if home is None else os.path.join(home, ".config")


def state_home(environment: Mapping[str, str]) -> str | None:
    """The user's folder for the states of programs, as variables say; no project can write it."""
    named = environment.get("XDG_STATE_HOME", "")
    home = environment.get("HOME") or environment.get("USERPROFILE", "")
    if os.path.isabs(named):
        return named
    return os.path.join(home, ".local", "state") if os.path.isabs(home) else None


def data_home(environment: Mapping[str, str], home: str | os.PathLike[str] | None) -> str | None:
    """The user's folder for the data of programs; it may not exist."""
    named = environment.get("XDG_DATA_HOME", "")
    if os.path.isabs(named):
        return named
    return None if home is None else os.path.join(home, ".local", "share")


def cache_home(environment: Mapping[str, str]) -> str | None:
    """The user's folder for what programs can make again, as variables say; it may not exist."""
    named = environment.get("XDG_CACHE_HOME", "")
    home = environment.get("HOME") or environment.get("USERPROFILE", "")
    if os.path.isabs(named):
        return named
    return os.path.join(home, ".cache") if os.path.isabs(home) else None


def user_config_file(environment: Mapping[str, str], home: str | os.PathLike[str] | None) -> str | None:
    """The user's own configuration of this program; it may not exist."""
    folder = config_folder(environment, home)
    return folder and os.path.join(folder, "chant", "config.md")


def text_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that are text, as the core takes them: others are kept in halves of characters."""
    return {name: text for name, text in environment.items() if _kept(name + text) == name + text}


def _kept(text: str) -> str:
    return text.encode("utf-8", "ignore").decode()


def names_formats(user_config: str | os.PathLike[str] | None) -> bool:
    """Say whether a user's configuration may name formats of plugins; who asks further reads it in full."""
    if user_config is None:
        return False
    try:
        with open(user_config, "rb") as file:
            return b"formats:" in file.read()
    except OSError:
        return False
