"""Commands."""
from __future__ import annotations
import os, sys, logging
from pathlib import Path

def main() -> None:
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    from chant_mcp.server.app import ChantServer, Offer
    from chant_mcp.session import Session, find_place
    place = find_place(Path.cwd())
    server = ChantServer(Session(place, environment=os.environ), Offer(["auto"]))
    server.run("stdio")
