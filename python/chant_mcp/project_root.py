"""The root of a project, found without what takes long to import: shells ask at every press of a key."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MARKERS = (".chant", ".specify", ".mdt-config.toml", os.path.join("docs", "CRs"))


def find_root(
    folder: str, holds_plans: Callable[[str], bool] | None = None
) -> tuple[str, tuple[str, ...], bool]:
    """Find the project's root (decisions 3, "Which project").

    Args:
        folder: Where to begin.
        holds_plans: Says whether a folder holds plans of another format; no folder does if it is left out.

    Returns:
        The nearest folder upwards with work files in it, else the nearest one with plans of another format,
        else the top of the git checkout, else `folder`; the folders that were searched (one where it was
        found); whether there is none of these.
        The folders above the checkout are another project: a worktree, a submodule or a nested repository has
        its own files.
    """
    searched: list[str] = []
    is_checkout = False
    for above in _upwards(folder):
        if holds_work_files(above):
            return above, (above,), False
        searched.append(above)
        is_checkout = os.path.exists(os.path.join(above, ".git"))
        if is_checkout:
            break
    plans = next((above for above in searched if holds_plans is not None and holds_plans(above)), None)
    if plans is not None:
        return plans, (plans,), False
    return (searched[-1] if is_checkout else folder), tuple(searched), not is_checkout


def _upwards(folder: str) -> Iterator[str]:
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder or not above:
            return
        folder = above


def holds_work_files(folder: str) -> bool:
    """Return whether a folder is the root of a project."""
    if os.path.basename(folder) == ".chant":
        return False  # its `specs` are no features
    return any(os.path.exists(os.path.join(folder, name)) for name in _MARKERS) or has_features(folder)


def has_features(folder: str) -> bool:
    """Return whether a folder has features of spec-kit."""
    try:
        with os.scandir(os.path.join(folder, "specs")) as entries:
            return any(_is_feature(entry.name) and entry.is_dir() for entry in entries)
    except OSError:
        return False


def _is_feature(name: str) -> bool:
    """Return whether a name begins with three digits or more and a hyphen or underscore: `001-login`."""
    rest = name.lstrip("0123456789")
    return len(name) - len(rest) >= 3 and rest[:1] in ("-", "_") and len(rest) > 1
