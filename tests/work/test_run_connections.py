"""An agent in a real run calls our tools by the MCP configuration that it was given."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from work import caller
from work.kit import ID, OTHER, Workshop, kill, lives, processes, wait_for
from writing import git

PLAN = "vine 1.2.0\ntitle: Release\n---\n[log] Write it (notstarted)\nWords.\n"
OPERATION = {"op": "set_status", "id": "log", "status": "started"}


def begin(shop: Workshop, *steps: caller.Step, id: str = ID) -> dict[str, Any]:
    """Start a run whose agent takes these steps."""
    caller.plan(*steps)
    return json.loads(shop.handle().work_start(id).text)


@pytest.fixture
def calls(shop: Workshop) -> Workshop:
    """A workshop whose agent calls tools; it has two specs and a plan."""
    shop.configure(f"agents:\n  caller:\n    command: {caller.agent()}\n", provider="caller")
    shop.spec(ID, criteria=["Works"])
    shop.spec(OTHER)
    (shop.root / "plan.vine").write_text(PLAN, encoding="utf-8")
    shop.commit()
    return shop


def server_of(folder: Path) -> list[int]:
    """Find the servers of a run."""
    return [one.pid for one in processes() if "serve-run" in one.command and str(folder) in one.command]


def connection(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `connect` from outside, with one request."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    call = {"name": "chant_spec_update", "arguments": {"id": OTHER, "check": ["Works"]}}
    return subprocess.run(
        [sys.executable, "-m", "chant_mcp", "connect", str(folder)],
        input=json.dumps({**request, "params": call}) + "\n",
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_an_agent_reads_ticks_adds_and_plans_and_its_branch_lands(calls: Workshop) -> None:
    shop = calls
    go = shop.root / ".chant" / "go"
    begin(
        shop,
        {"do": "cat $CHANT_MCP_CONFIG"},
        {"tool": "chant_spec_get", "arguments": {"id": ID}},
        {"tool": "vine_write", "arguments": {"file": "plan.vine", "operations": [OPERATION]}, "on": "other"},
        {"tool": "chant_spec_update", "arguments": {"id": ID, "check": ["Works"]}},
        {"tool": "chant_add", "arguments": {"description": "More to do"}},
        *({"tool": f"chant_{name}", "arguments": {"id": OTHER}} for name in ("finalize", "work_start")),
        {"tool": "vine_next", "arguments": {"file": "plan.vine"}},
        {"do": "ls $CHANT_WORKTREE.connect"},
        {"until": str(go)},
        {"end": True, "on": "other"},
        {"tool": "chant_status", "arguments": {"brief": True}},
        {"do": "git commit -qam work"},
    )
    wait_for(caller.waits, "an agent that waits")
    servers = server_of(Path(f"{shop.record(ID)['worktree']}.connect"))
    go.touch()
    record = shop.ended(ID)
    config, spec, planned, ticked, added, *refused, again, listing, first, status, _, last = caller.answers()
    assert record["end_state"] == "completed", (record["reason"], planned, ticked)
    (entry,) = json.loads(config)["mcpServers"].values()
    assert entry["args"][-2:] == ["connect", f"{record['worktree']}.connect"]
    assert set(entry) == {"command", "args"}
    assert "- [ ] Works" in spec
    assert "Updated spec" in ticked
    assert all(why.startswith("!chant_") and "a person decides" in why for why in refused)
    assert len(refused) == 2
    # One process for both connections, and nothing of theirs is left in the folder.
    assert listing.split() == ["requests"]
    assert len(servers) == 1
    assert (first, last) == (0, 0)
    assert "pending" in status
    # What was seen, and what landed.
    assert '"log"' in planned + again
    assert "(started)" in (shop.main("plan.vine") or "")
    assert "- [x] Works" in shop.project.text(ID)
    new = re.findall(r"Created spec: (\S+)", added)[0]
    assert f"found_by: {ID}\n" in shop.project.text(new)
    assert shop.project.status(OTHER) == "pending"
    assert not Path(f"{record['worktree']}.connect").exists()


def test_a_connection_ends_with_its_runner_and_does_what_its_own_run_may(calls: Workshop) -> None:
    shop = calls
    go = shop.root / ".chant" / "go"
    begin(shop, {"tool": "chant_ready"}, {"until": str(go)})
    record = shop.record(ID)
    folder = Path(f"{record['worktree']}.connect")
    wait_for(lambda: server_of(folder), "the server of the run")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700

    # Whatever variables say, the folder decides for which run it is done.
    reached = connection(folder, CHANT_SPEC_ID=OTHER, CHANT_WORKTREE=str(shop.root))
    assert reached.returncode == 0, reached.stderr
    assert "is not the one you work on" in reached.stdout
    assert shop.project.text(OTHER).count("- [x]") == 0

    # What is no pipe, or a link to one, is not opened: no one is greeted there.
    file, link = "f" * 32, "e" * 32
    for name in (f"{file}.in", f"{file}.out"):
        (folder / name).touch()
    os.mkfifo(folder / "elsewhere")
    (folder / f"{link}.in").symlink_to("elsewhere")
    os.mkfifo(folder / f"{link}.out")
    hears = os.open(folder / f"{link}.out", os.O_RDONLY | os.O_NONBLOCK)
    with (folder / "requests").open("w", encoding="utf-8") as requests:
        requests.write(f"{file}\n{link}\n../{link}\nnonsense\n")
    reached = connection(folder)  # asked later, and served
    assert reached.returncode == 0, reached.stderr
    assert (folder / f"{file}.out").read_text(encoding="utf-8") == ""
    assert os.read(hears, 10) == b""
    os.close(hears)

    (server,) = server_of(folder)
    kill(record["pid"])
    wait_for(lambda: not lives(server), "the end of the server")
    over = connection(folder)
    assert (over.returncode, over.stdout) == (1, "")
    assert over.stderr == "Error: The run is over, and its tools with it.\n"
    shop.handle().recover()
    shop.ended(ID)
    nowhere = connection(shop.root / "nowhere")
    assert nowhere.returncode == 1
    assert nowhere.stderr.startswith("Error: There is no run at ")
    assert nowhere.stderr.count("\n") == 1


def test_a_run_has_sixteen_connections_at_most(calls: Workshop) -> None:
    """One more is refused, and when one has ended there is room again."""
    shop = calls
    steps = [{"tool": "chant_status", "arguments": {"brief": True}, "on": f"c{n}"} for n in range(17)]
    again = {"tool": "chant_status", "arguments": {"brief": True}, "on": "again"}
    begin(shop, *steps, {"end": True, "on": "c0"}, again)
    shop.ended(ID)
    *first, seventeenth, ended, last = caller.answers()[:19]
    assert all("pending" in text for text in [*first, last])
    assert seventeenth == "!the server has ended"
    assert ended == 0
    assert "has 16 connections already" in shop.log(ID)
    assert git(shop.root, "status", "--porcelain") == ""


def test_an_agent_that_floods_the_project_is_stopped_on_all_its_connections(calls: Workshop) -> None:
    shop = calls
    adds = [
        {"tool": "chant_add", "arguments": {"description": "x" * 100_000}, "on": f"c{n % 2}"}
        for n in range(12)
    ]
    member = {"tool": "chant_add", "arguments": {"description": "In the way", "parent": OTHER}}
    begin(shop, *adds[:8], {"end": True, "on": "c0"}, *adds[8:], member, {"tool": "chant_ready"})
    shop.ended(ID)
    said = [text for text in caller.answers() if isinstance(text, str)]
    *added, member_said, ready = said
    assert sum(text.startswith("Created spec") for text in added) == 9
    assert all("`limits.added_kilobytes` allows" in text for text in added[9:])
    assert "is not the run's own" in member_said
    assert OTHER in ready
    assert len(list((shop.root / ".chant" / "specs").glob("*.md"))) == 11
