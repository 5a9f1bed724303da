"""Times what a process pays before its first answer: `python -m bench.index_probe ROOT`.

Writes a JSON list of seconds: for a project opened and asked for its status for the first time in this
process, then for the same done once more with memory that the process already has, then for joining it with
the other dialects of the folder.
"""

from __future__ import annotations

import json
import sys
import time

from chant_mcp._core import ChantProject, SpeckitFeatures, TicketProjects, VineFiles, Workspace


def main() -> None:
    """Open the project twice and join it once."""
    seconds: list[float] = []
    for _ in range(2):
        begin = time.perf_counter()
        project = ChantProject(sys.argv[1])
        project.status()
        seconds.append(time.perf_counter() - begin)
        del project
    root = sys.argv[1]
    project = ChantProject(root)
    project.status()
    plans, features, tickets = VineFiles(root), SpeckitFeatures(root), TicketProjects(root)
    begin = time.perf_counter()
    Workspace(root, chant=project, vine=plans, speckit=features, tickets=tickets).list(limit=10)
    seconds.append(time.perf_counter() - begin)
    sys.stdout.write(json.dumps(seconds) + "\n")


if __name__ == "__main__":
    main()
