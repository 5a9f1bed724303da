"""What our templates pass, looked for in the help of the programs as they are installed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from typing import Any

from install import path
from programs import AgentProgram
from trials import AgentVerdict
from world import CLOSED, PROGRAM

FORMS = ("confined", "guarded")


def look_at_flags(program: AgentProgram, verdict: AgentVerdict) -> None:
    """Look for each flag of a template in the program's help."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": path(), "HTTPS_PROXY": CLOSED, "HTTP_PROXY": CLOSED}
        answer = _told([*PROGRAM, "agents", "show", program.name, "--json"], environment)
        template = json.loads(answer)["data"]
        text = _told([program.program, *program.help], environment)
    known = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text))
    unknown = sorted(flags_of(template) - known - set(program.hidden))
    verdict.note("flags", not unknown, f"not in its help: {unknown}", word=f"{len(flags_of(template))} known")


def flags_of(template: dict[str, Any]) -> set[str]:
    """Give the flags of all forms of a template."""
    words = [word for form in FORMS for word in (template.get(form) or {}).get("argv", ())]
    return {word.split("=", 1)[0] for word in words if re.match(r"--?[a-zA-Z]", word)}


def _told(argv: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        argv,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout or done.stderr
