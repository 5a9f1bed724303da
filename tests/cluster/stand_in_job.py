"""Stands in for `chant-mcp job FOLDER`: it does what the job's `prompt` says."""

import json
import os
import sys
import time
from pathlib import Path

folder = Path(sys.argv[1])
job = json.loads((folder / "job.json").read_text())
deed = job.get("prompt")


def say(**message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def end(state: str, **more: object) -> None:
    result = {"schema": 1, "key": job["key"], "state": state, "tip": None, **more}
    (folder / "result.json").write_text(json.dumps(result))


(folder / "log").write_text("2026-01-22T10:00:00Z out one\n")
(folder / "pid").write_text(str(os.getpid()))
if deed == "crash":
    sys.exit("The disk is full.")
sys.stdout.write("no JSON\n")
say(**{"is": "started", "confinement": "by the kernel"})
if deed == "wait":
    while (why := sys.stdin.readline()) == "beat\n":
        pass
    end("paused", reason=why.strip())
elif deed == "hear":
    end("done", heard=[sys.stdin.readline() for _ in range(2)])
elif deed == "stubborn":
    while True:
        time.sleep(60)
elif deed == "sleep":
    time.sleep(float(job["model"]))
    end("done")
else:
    (folder / "result.bundle").write_bytes((folder / "start.bundle").read_bytes()[::-1])
    end("done", said=job.get("model"))
