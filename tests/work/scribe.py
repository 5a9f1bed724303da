"""An agent that writes down how it was started, and then works as the demo agent does.

It is a script for a process of its own; `agent` gives the words of its command.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def agent() -> str:
    """Give its command as the beginning of a YAML list of words."""
    return f"{sys.executable}, {Path(__file__).resolve()}"


def received() -> dict[str, Any]:
    """Read what it wrote down last."""
    return json.loads(_notes().read_text(encoding="utf-8"))


def _notes() -> Path:
    return Path(os.environ["HOME"]) / ".config" / "traces" / "received.json"


def _main() -> None:
    notes = {
        "argv": sys.argv[1:],
        "stdin": sys.stdin.read(),
        "folder": str(Path.cwd()),
        "environment": dict(os.environ),
        "files": {
            word: Path(word).read_text(encoding="utf-8") for word in sys.argv[1:] if Path(word).is_file()
        },
    }
    _notes().write_text(json.dumps(notes), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "chant_mcp", "demo-agent"], stdin=subprocess.DEVNULL, check=False
    )
    sys.exit(done.returncode)


if __name__ == "__main__":
    _main()
