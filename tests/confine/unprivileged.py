"""Has a confined process of a user without rights try the attempts, and prints how each went."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from confine.world import made


def main() -> None:
    """Make a world in a folder, and try."""
    folder = Path(sys.argv[1])
    home = folder / "home"
    os.environ |= {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
    }
    (home / ".config" / "chant").mkdir(parents=True)
    (home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
    world = made(folder)
    # What is known of the machine is kept in the user's state.
    confinement = world.confine("--", "true").stderr
    before = world.outside()
    found = {
        "confinement": confinement,
        "attempts": world.try_all(),
        "unchanged": world.outside() == before,
    }
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
