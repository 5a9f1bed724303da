"""The pipe to who asked a plugin, and sentences about what it raised; this imports little."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import BinaryIO

_LONGEST = 500
"""Characters of a sentence of a plugin that are shown."""


def silence_output() -> BinaryIO:
    """Send all that this process prints nowhere; give the stream that still leads to who asked."""
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    sys.stdout.flush()
    return answers


def failure_in_words(error: BaseException) -> str:
    """Say what was raised, and where in the plugin's own code."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not _is_ours(frame.filename)]
    place = f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else ""
    text = " ".join(str(error).split())
    return f"raised {type(error).__name__}{f': {text}' if text else ''}{place}"[:_LONGEST]


def _is_ours(file: str) -> bool:
    return "importlib" in file or Path(file).is_relative_to(Path(__file__).parent)
