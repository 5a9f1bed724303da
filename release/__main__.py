"""`python -m release`: writes `server.json` and a bundle; `--check` says what is in the way of both."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from release.bundle import write_bundle
from release.registry import blockers, write_entry
from release.settings import ROOT, read_settings


def main() -> None:
    """Write the files, or check them."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--check", action="store_true", help="write nothing; say what is in the way")
    asked.add_argument("--out", type=Path, default=ROOT / "dist", help="where the bundle goes")
    options = asked.parse_args()
    settings = read_settings()
    if options.check:
        found = blockers(settings, ROOT)
        sys.stdout.write("".join(f"{line}\n" for line in found))
        sys.exit(1 if found else 0)
    for path in (write_entry(settings, ROOT), write_bundle(settings, options.out)):
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
