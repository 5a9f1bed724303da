"""A placer that confines itself as the head starts it; the line on standard input is the placer's."""

import io
import json
import os
import sys
from pathlib import Path

from chant_mcp._core import ChantProject

line = sys.stdin.readline()
settings = json.loads(line)
config = Path(os.environ["XDG_CONFIG_HOME"]) / "chant" / "config.md"
project = ChantProject(
    settings["project"],
    user_config=config,
    environment=dict(os.environ),
    program=[sys.executable, "-m", "chant_mcp"],
    prompts=str(Path(sys.argv[1]) / "resources" / "prompts"),
)
project.confine_engine([settings["folder"], settings["socket_folder"]], settings["tls"])

from chant_mcp.cluster.placer import run_placer  # noqa: E402 - the engine is imported confined

run_placer(io.StringIO(line))
