"""What a hostile run tries: a package that runs confined and tries each move in a process of its own.

It is given the paths and processes of a world outside as JSON (`World` in `world.py`). For each attempt it
prints `refused` when the system refused it, `unseen` when it found nothing of that name, `possible` when it
was done, or what else happened.
"""

from . import files, ipc, processes, system
from .table import ATTEMPTS, NEVER

__all__ = ["ATTEMPTS", "NEVER", "files", "ipc", "processes", "system"]
