"""An agent that tells what it does as Claude Code tells it: events as lines of JSON, by a named scene.

It is a script for a process of its own; `agents` gives the configuration of one for each scene.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

SESSION = "teller-session"
MODEL = "teller-model"

_INIT: dict[str, Any] = {
    "type": "system",
    "subtype": "init",
    "session_id": SESSION,
    "model": MODEL,
    "mcp_servers": [{"name": "chant", "status": "connected"}],
}
_WORKED: dict[str, Any] = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "num_turns": 3,
    "total_cost_usd": 0.25,
    "usage": {"input_tokens": 100, "cache_read_input_tokens": 300, "output_tokens": 50},
}


def agents() -> str:
    """Give YAML that makes each scene an agent of its own, called `claude-` and the scene."""
    words = f"{sys.executable}, {Path(__file__).resolve()}"
    return "agents:\n" + "".join(f"  claude-{scene}: {{command: [{words}, {scene}]}}\n" for scene in _SCENES)


def _tell(**event: Any) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def _work() -> None:
    demo = [sys.executable, "-m", "chant_mcp", "demo-agent"]
    subprocess.run(demo, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)


def _works() -> int:
    _tell(**_INIT)
    _work()
    _tell(**_WORKED)
    return 0


def _wrong_key() -> int:
    _tell(**_INIT)
    _tell(type="system", subtype="api_retry", attempt=1, error_status=401, error="authentication_failed")
    time.sleep(300)
    return 1


def _busy_once() -> int:
    """Meet a limit the first time, and work the second."""
    mark = Path(os.environ["HOME"]) / ".config" / "traces" / "was-busy"
    if mark.exists():
        return _works()
    mark.touch()
    _tell(**_INIT)
    _tell(
        type="result",
        subtype="success",
        is_error=True,
        api_error_status=429,
        result="API Error: 429",
        total_cost_usd=0.125,
        usage={"input_tokens": 40, "output_tokens": 10},
        num_turns=1,
    )
    return 1


def _denied() -> int:
    _tell(**_INIT)
    denials = [{"tool_name": "Bash", "tool_input": {"command": "touch \x1b[31mwork.txt"}}]
    _tell(**{**_WORKED, "permission_denials": denials})
    return 0


def _spends() -> int:
    """Use 600 tokens a turn and go on for ever."""
    _tell(**_INIT)
    for number in range(300):
        usage = {"input_tokens": 500, "output_tokens": 100}
        _tell(type="assistant", message={"id": f"m{number}", "usage": usage, "content": []})
        time.sleep(0.2)
    return 0


def _limited() -> int:
    """Wait for the end of a limit, until the person's hint is there."""
    _tell(**_INIT)
    _tell(
        type="system",
        subtype="api_retry",
        attempt=1,
        retry_delay_ms=1_800_000,
        error_status=429,
        error="rate_limit",
    )
    hint = Path(os.environ["HOME"]) / ".config" / "traces" / "limit-is-over"
    while not hint.exists():
        time.sleep(0.05)
    return _works()


_SCENES = {
    "limited": _limited,
    "works": _works,
    "wrong-key": _wrong_key,
    "busy-once": _busy_once,
    "denied": _denied,
    "spends": _spends,
}


if __name__ == "__main__":
    sys.exit(_SCENES[sys.argv[1]]())
