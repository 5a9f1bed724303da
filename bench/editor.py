"""Another program that edits files: `python -m bench.editor WORD < PATHS`.

Adds a line with the word to the end of every file named on standard input, by plain writes, as an editor
or a script would that knows nothing of us.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    """Edit the files."""
    line = f"Edited by hand: {sys.argv[1]}\n".encode()
    for name in sys.stdin.read().splitlines():
        path = Path(name)
        path.write_bytes(path.read_bytes() + line)


if __name__ == "__main__":
    main()
