"""What a whole run costs in time, here and on a local cluster: `python -m bench.cluster_runs [RUNS]`.

From the call to the agent's start, and from the agent's end to the landing. The agent prints both times.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import psutil
from chant_mcp.program import own_program
from chant_mcp.session import Place, Session

_RUNS = 10
_AGENT = (
    'echo "begins $(date +%s.%N)"; echo "$CHANT_SPEC_ID" > "$CHANT_SPEC_ID.txt"; '
    'sed -i "s/- \\[ \\]/- [x]/" .chant/specs/*"$CHANT_SPEC_ID"*; '
    'git add -A; git commit -qm "chant($CHANT_SPEC_ID): Work"; echo "ends $(date +%s.%N)"\n'
)


def main() -> None:
    """Print the rows."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else _RUNS
    with tempfile.TemporaryDirectory(prefix="chant-bench-") as name:
        home = Path(name).resolve()
        _make_home(home)
        folder = _make_project(home, 2 * runs + 1)
        session = Session(
            Place(folder, (folder,)),
            environment=dict(os.environ),
            user_config=home / "config" / "chant" / "config.md",
            program=own_program(sys.executable),
        )
        try:
            _write(f"here: {_measure(session, folder, range(runs), None)}")
            session.prepare_cluster("local")
            _run(session, folder, _id(2 * runs), "local")  # starts the placer, and fills the worker's mirror
            _write(f"local cluster: {_measure(session, folder, range(runs, 2 * runs), 'local')}")
        finally:
            _end_all(home)


def _id(number: int) -> str:
    return f"2026-01-22-{number + 1:03}-abc"


def _make_home(home: Path) -> None:
    places = {"HOME": home, "XDG_STATE_HOME": home / "state", "XDG_CONFIG_HOME": home / "config"}
    os.environ.update({name: str(place) for name, place in places.items()})
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n", encoding="utf-8")
    (home / "agent.sh").write_text(_AGENT, encoding="utf-8")
    settings = home / "config" / "chant" / "config.md"
    settings.parent.mkdir(parents=True)
    agent = f"agents: {{sh: {{command: [sh, '{home}/agent.sh']}}}}\ndefaults: {{provider: sh}}\n"
    confine = f"confine: {{read: ['{home}/agent.sh']}}\n"
    settings.write_text(f"---\ntrust: {{roots: [{home}]}}\n{confine}{agent}---\n", encoding="utf-8")


def _make_project(home: Path, specs: int) -> Path:
    folder = home / "project"
    place = folder / ".chant" / "specs"
    place.mkdir(parents=True)
    (folder / ".chant" / "config.md").write_text("---\nproject:\n  name: ferries\n---\n", encoding="utf-8")
    for id in map(_id, range(specs)):
        text = f"# Spec {id}\n\n## Acceptance Criteria\n\n- [ ] Works\n"
        (place / f"{id}.md").write_text(f"---\ntype: code\nstatus: pending\n---\n\n{text}", encoding="utf-8")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "Specs"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


def _measure(session: Session, folder: Path, numbers: range, on: str | None) -> str:
    times = [_run(session, folder, _id(number), on) for number in numbers]
    begin, land = (statistics.median(column) for column in zip(*times, strict=True))
    return f"agent started after {1000 * begin:.0f} ms, landed {1000 * land:.0f} ms after its end"


def _run(session: Session, folder: Path, id: str, on: str | None) -> tuple[float, float]:
    """Run a spec, and give the seconds before and behind its agent."""
    called = time.time()
    started: dict[str, Any] = session.chant.work_start(id, on=on).data
    [file] = (folder / ".git").glob(f"**/processes/**/{started['process_id']}.json")
    while (record := json.loads(file.read_text(encoding="utf-8")))["status"] == "running":
        time.sleep(0.02)
    if record["end_state"] != "completed":
        raise RuntimeError(record["reason"])
    said = (folder / ".chant" / "logs" / f"{id}.log").read_text(encoding="utf-8")
    begins, ends = (float(said.split(f"out {word} ")[1].split()[0]) for word in ("begins", "ends"))
    landed = datetime.fromisoformat(record["completed_at"].replace("Z", "+00:00")).timestamp()
    return begins - called, landed - ends


def _end_all(home: Path) -> None:
    """End the cluster, and the placer: those of our processes that live in this home."""
    ours: list[psutil.Process] = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.pid != os.getpid() and str(home) in (process.environ().get("HOME"), process.cwd()):
                ours.append(process)
    for file in home.glob("project/.git/**/clusters/**/placer.json"):
        with suppress(psutil.Error):
            ours.append(psutil.Process(json.loads(file.read_text(encoding="utf-8"))["pid"]))
    for process in ours:
        with suppress(psutil.Error):
            process.terminate()
    psutil.wait_procs(ours, timeout=10)


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
