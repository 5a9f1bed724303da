"""Three agents, each with a server of its own, carry out a nested plan by the loop of the brief."""

from __future__ import annotations

import json
import random
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from vine.planning import Plans, claim, status, update
from writing import Wire

Run = Callable[..., "subprocess.Popen[bytes]"]

BOAT = """\
vine 1.1.0
title: The boat sails again
---
[sail] Sail to the island (notstarted)
-> hull
-> rig
-> engine
-> papers
---
ref [papers] Papers (./parts/papers.vine)
-> engine
---
ref [engine] Engine (./parts/engine.vine) @owner(yard)
Out of the boat first.
-> lift
---
ref [rig] Rigging (./parts/rig.vine)
-> hull
---
ref [hull] Hull (./parts/hull.vine)
-> lift
> Epoxy, not polyester
---
[lift] Lift the boat out (notstarted)
"""

PARTS = {
    "parts/hull": """\
vine 1.2.0
prefix: h
---
[hull] The hull is tight (notstarted)
-> paint
---
[paint] Paint it (planning)
-> sand
-> fill
---
[fill] Fill the holes (notstarted)
-> sand
---
[sand] Sand it (notstarted)
""",
    "parts/rig": """\
vine 1.0.0
---
[mast] The mast stands (notstarted)
-> shrouds
-> sails
---
[shrouds] Shrouds (notstarted)
---
[sails] Sails (notstarted)
@guidance text/plain ./sailmaker.txt
""",
    "parts/engine": """\
vine 1.2.0
---
[run] The engine runs (notstarted)
-> fuel
-> electrics
---
[fuel] New fuel lines (notstarted)
---
ref [electrics] Electrics (./deep/electrics.vine)
-> fuel
""",
    "parts/deep/electrics": """\
vine 1.2.0
prefix: e
---
[live] Everything has current (notstarted)
-> wires
-> battery
---
[wires] Pull the wires (notstarted)
-> battery
---
[battery] A new battery (complete)
> Lithium, 100 Ah
""",
    "parts/papers": """\
vine 1.2.0
---
[papers] Insured (notstarted)
""",
}

TASKS = 15
"""Tasks that are to be done in all files together; one is complete already."""


class Plan:
    """One plan that agents share, and how they hear of each other's changes."""

    def __init__(self, file: str) -> None:
        """Begin."""
        self.file = file
        self._changes = 0
        self._changed = threading.Condition()

    @property
    def changes(self) -> int:
        """How many there were."""
        with self._changed:
            return self._changes

    def tell(self) -> None:
        """Tell the others that something changed."""
        with self._changed:
            self._changes += 1
            self._changed.notify_all()

    def wait(self, seen: int) -> None:
        """Wait for a change after those that were seen."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._changes > seen, 30), "nobody has anything to do"


@dataclass
class Agent:
    """A worker with a server of its own, as the brief describes it."""

    name: str
    wire: Wire
    choose: random.Random
    done: list[str] = field(default_factory=list)

    def work(self, plan: Plan) -> None:
        """Carry out tasks until the root is complete."""
        while True:
            seen = plan.changes
            now = self.next(plan)
            if now["progress"]["root_status"] == "complete":
                return
            if not (self.tidied_up(plan, now) or self.did_a_task(plan, now)):
                plan.wait(seen)

    def next(self, plan: Plan) -> dict[str, Any]:
        """Ask what can be acted on."""
        return json.loads(self.wire.text("vine_next", file=plan.file))

    def tidied_up(self, plan: Plan, now: dict[str, Any]) -> bool:
        """Expand references and complete what is in use."""
        for reference in now["needs_expansion"]:
            is_error, text = self.wire.call("vine_expand", file=plan.file, ref_id=reference["id"])
            # Somebody may have been faster; nothing else may go wrong.
            assert text in (
                f'Ref "{reference["id"]}" expanded.',
                f'Task "{reference["id"]}" is not a reference node.',
            )
            if not is_error:
                plan.tell()
        for node in now["ready_to_complete"]:
            self.write(plan, status(node["id"], "complete"))
        return bool(now["needs_expansion"] or now["ready_to_complete"])

    def did_a_task(self, plan: Plan, now: dict[str, Any]) -> bool:
        """Take one task, work, record, hand over."""
        for node in self.choose.sample(now["ready_to_start"], len(now["ready_to_start"])):
            arguments = {"file": plan.file, "operations": [claim(node["id"], owner=self.name)]}
            is_error, text = self.wire.call("vine_write", **arguments)
            if is_error:
                assert text.startswith(f'Cannot claim "{node["id"]}": it is ')
                continue
            plan.tell()
            [mine] = json.loads(text)["claimed"]
            needs = mine["resolved_dependencies"]
            assert all(need["status"] in ("complete", "reviewing") for need in needs), "it began too early"
            around = json.loads(self.wire.text("vine_read", file=plan.file, action="context", id=node["id"]))
            assert around["annotations"]["owner"] == [self.name]
            artifact = {"class": "artifact", "mime": "text/plain", "uri": f"./out/{node['id']}.txt"}
            report = self.write(
                plan,
                update(node["id"], addDecisions=[f"Done by {self.name}"], addAttachments=[artifact]),
                status(node["id"], "reviewing"),
            )
            assert report["progress"]["ready_count"] == len(report["ready_to_start"])
            self.done.append(node["id"])
            return True
        return False

    def write(self, plan: Plan, *operations: dict[str, Any]) -> dict[str, Any]:
        """Carry out operations and tell the others."""
        answer = json.loads(self.wire.text("vine_write", file=plan.file, operations=list(operations)))
        plan.tell()
        return answer


def test_three_agents_end_at_a_hundred_per_cent_every_time(plans: Plans, run_server: Run) -> None:
    wires = [Wire(run_server(plans.root)) for _ in range(3)]
    for turn in range(5):
        plans.write(f"{turn}/boat", BOAT)
        for name, text in PARTS.items():
            plans.write(f"{turn}/{name}", text)
        plan = Plan(f"{turn}/boat")
        agents = [Agent(f"agent-{n}", wire, random.Random(turn * 3 + n)) for n, wire in enumerate(wires)]
        with ThreadPoolExecutor(len(agents)) as pool:
            for ended in [pool.submit(agent.work, plan) for agent in agents]:
                ended.result(60)
        end = agents[0].next(plan)
        assert end["progress"]["root_status"] == "complete"
        assert (end["progress"]["percentage"], end["progress"]["complete"]) == (100, TASKS)
        done = [id for agent in agents for id in agent.done]
        assert len(done) == len(set(done)) == TASKS - 1, "each task was done by one agent"
        text = plans.text(f"{turn}/boat")
        assert text.count("> Done by agent-") == TASKS - 1
        assert "@guidance text/plain ./parts/sailmaker.txt\n" in text
        assert "[engine/electrics] Everything has current (complete)" in text
        assert "ref [" not in text
        assert {name: plans.text(f"{turn}/{name}") for name in PARTS} == PARTS, "children are only read"


def test_an_agent_that_dies_leaves_a_task_that_is_seen_and_can_be_taken_over(
    plans: Plans, run_server: Run
) -> None:
    """What somebody began is listed with its owner, so the loop does not stand still for good."""
    plans.write("plan", "vine 1.2.0\n---\n[goal] Goal (notstarted)\n-> part\n---\n[part] Part (notstarted)\n")
    first, second = (Wire(run_server(plans.root)) for _ in range(2))
    first.text("vine_write", file="plan", operations=[claim("part", owner="ada")])
    first.process.kill()
    first.process.wait()
    bo = Agent("bo", second, random.Random(0))
    plan = Plan("plan")
    now = bo.next(plan)
    assert (now["ready_to_start"], now["waiting"]) == ([], [{"id": "goal", "waits_for": ["part"]}])
    [left] = now["in_progress"]
    assert (left["id"], left["annotations"]) == ("part", {"owner": ["ada"]})
    bo.write(plan, claim("part", owner="bo", force=True), status("part", "reviewing"))
    bo.work(plan)
    end = bo.next(plan)["progress"]
    assert (end["root_status"], end["percentage"]) == ("complete", 100)
