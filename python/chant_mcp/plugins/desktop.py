"""The ready-made notifier `desktop`: a note on the screen of the machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from chant_mcp.terminal import harmless

_SHOWN = 4
"""Changes that a note names."""


def notify_desktop(changes: Sequence[Mapping[str, Any]], options: Mapping[str, str]) -> None:
    """Show what changed with `notify-send`, or on macOS with `osascript`.

    Raises:
        FileNotFoundError: That program is not there.
        subprocess.CalledProcessError: It could not show anything.
    """
    title = f"{changes[0]['project']}: {len(changes)} {'change' if len(changes) == 1 else 'changes'}"
    lines = [harmless(_line(change)) for change in changes[:_SHOWN]]
    subprocess.run(_command(harmless(title), "\n".join(lines)), check=True, stdin=subprocess.DEVNULL)


def _line(change: Mapping[str, Any]) -> str:
    return f"{change['title'] or change['key']}: {change['state'] or change['what']}"


def _command(title: str, text: str) -> list[str]:
    program = "osascript" if sys.platform == "darwin" else "notify-send"
    path = shutil.which(program)
    if path is None:
        raise FileNotFoundError(f"`{program}` is not on the PATH; it shows notes on the desktop")
    if program == "notify-send":
        return [path, "--app-name=chant-mcp", "--", title, _without_markup(text)]
    # Texts are arguments of the script, never a part of it.
    script = "on run {text, title}\ndisplay notification text with title title\nend run"
    return [path, "-e", script, text, title]


def _without_markup(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
