"""A run ends whole: whatever its agent and its checks started has ended with it, by every end."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field

import pytest
from harness import Caller, user_config
from laws import TRIALS
from work import daemons
from work.hostile import WORK
from work.kit import ID, Record, Workshop, kill, processes, wait_for

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who is whose child"),
]

WAYS = tuple(daemons.WAYS) if TRIALS > 1 else daemons.USUAL

NO_NAMESPACES = {"CHANT_CONFINE_NO_NAMESPACES": "1"}
NO_GROUPS = {"CHANT_CGROUPS": "off"}

MEANS: dict[str, tuple[str, dict[str, str]]] = {
    "usual": ("auto", {}),
    "groups": ("auto", NO_NAMESPACES),
    "parents": ("auto", NO_NAMESPACES | NO_GROUPS),
    "bare": ("off", NO_GROUPS),
}
"""What keeps a run together: all that the system has; control groups; the parents, confined or not."""


def by(*usual: str) -> pytest.MarkDecorator:
    """Try a test with some means each time, and with all in trials."""
    return pytest.mark.parametrize("means", list(MEANS) if TRIALS > 1 else usual, indirect=True)


@dataclass
class Agent:
    """An agent that leaves processes in all ways, and what it does then."""

    shop: Workshop
    token: str = field(default_factory=lambda: f"token{uuid.uuid4().hex[:12]}")

    def give(
        self, then: str = "exit 3", *, checks: str = "", limits: str = "", criteria: str = "Works"
    ) -> None:
        """Write its script, its configuration and its spec."""
        path = self.shop.root / "agent.sh"
        path.write_text(daemons.script(WAYS, self.token) + f"echo waiting\n{then}\n", encoding="utf-8")
        self.shop.configure(f"agents:\n  bad:\n    command: [sh, '{path}']\n{checks}{limits}", provider="bad")
        self.shop.spec(ID, criteria=[criteria])
        self.shop.commit()

    def left(self) -> list[str]:
        """Name the ways that live one second after the end."""
        return daemons.alive_after(self.token, 1)


@pytest.fixture
def means(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Take away what keeps a run together, but for what a test names."""
    name: str = request.param
    for variable, value in MEANS[name][1].items():
        monkeypatch.setenv(variable, value)
    return name


@pytest.fixture
def agent(shop: Workshop, means: str) -> Iterator[Agent]:
    """An agent of a person who trusts the project."""
    user_config().write_text(
        f"---\ntrust: {{roots: ['{shop.root}']}}\nconfine: {{mode: {MEANS[means][0]}}}\n---\n",
        encoding="utf-8",
    )
    agent = Agent(shop)
    yield agent
    daemons.end(agent.token)


@pytest.fixture
async def call(agent: Agent) -> AsyncIterator[Caller]:
    """A client of a server that has the means of the test."""
    async with agent.shop.client() as call:
        yield call


async def begun(agent: Agent, call: Caller) -> Record:
    """Start a run and wait until its agent has started all processes."""
    started = await call.data("chant_work_start", id=ID)
    agent.shop.said(ID, "waiting")
    return agent.shop.named(started["process_id"])


@by("usual", "parents", "bare")
async def test_nothing_lives_after_an_agent_that_failed(agent: Agent, call: Caller) -> None:
    agent.give()
    record = agent.shop.ended((await call.data("chant_work_start", id=ID))["process_id"])
    assert agent.left() == []
    assert (record["end_state"], record["exit_code"]) == ("failed", 3)
    assert record.get("process_tree") is None
    assert "not certain" not in record["reason"]


@by("bare")
@pytest.mark.parametrize("tool", ["chant_pause", "chant_takeover", "chant_cancel"])
async def test_nothing_lives_after_a_stop(agent: Agent, call: Caller, tool: str) -> None:
    agent.give("exec sleep 600")
    record = await begun(agent, call)
    seen: set[str] = set()
    # One that is another process at each moment may not be seen on a busy machine.
    steady = {way for way in WAYS if "hops" not in way}
    wait_for(lambda: seen.update(daemons.alive(agent.token)) or seen >= steady, lambda: f"{steady - seen}")
    await call.text(tool, id=ID)
    assert agent.left() == []
    assert not agent.shop.named(record["process_id"]).get("may_have_processes")


@by("parents")
async def test_nothing_lives_after_a_check(agent: Agent, call: Caller) -> None:
    work = WORK.replace("$CHANT_SPEC_ID", ID)
    checks = f"checks:\n  unit: [sh, '{agent.shop.root / 'check.sh'}']\n"
    (agent.shop.root / "check.sh").write_text(daemons.script(WAYS, agent.token), encoding="utf-8")
    agent.give(work, checks=checks, criteria="Works <!-- check: unit -->")
    path = agent.shop.root / "agent.sh"
    path.write_text(work + "\n", encoding="utf-8")
    agent.shop.commit()
    record = agent.shop.ended((await call.data("chant_work_start", id=ID))["process_id"])
    assert agent.left() == []
    assert [check["exit"] for check in record["checks"]] == [0], record["reason"]


@by("usual", "groups", "bare")
async def test_a_recovery_ends_all_or_says_that_it_cannot_be_sure(
    agent: Agent, call: Caller, means: str
) -> None:
    agent.give("exec sleep 600")
    record = await begun(agent, call)
    tree = record["process_tree"]
    is_kept = tree["ends_with_leader"] or (tree["is_confined"] and "cgroup" in tree)
    assert not (is_kept and means in {"parents", "bare"})
    kill(record["pid"])
    wait_for(lambda: agent.shop.named(record["process_id"])["settled_at"], "the recovery")
    ended = agent.shop.named(record["process_id"])
    assert ended["status"] == "failed"
    is_warned = "not certain that all of its processes have ended" in ended["reason"]
    assert is_warned == (not is_kept)
    if is_kept:
        assert agent.left() == []
    else:
        assert "not certain" in await call.text("chant_takeover", id=ID, force=True)
    daemons.end(agent.token)
    kill(*(process.pid for process in processes()))


@by("usual")
async def test_a_recovery_runs_nothing_that_the_agent_prepared(agent: Agent, call: Caller) -> None:
    agent.give()
    late = f"setsid -f sh -c 'while :; do sleep 0.05; done' {agent.token}-late > /dev/null 2>&1"
    (agent.shop.root / "agent.sh").write_text(
        f"""{WORK.replace("$CHANT_SPEC_ID", ID)}
printf '#!/bin/sh\n%s\nexec cat\n' "{late}" > .git/filter; chmod +x .git/filter
git config filter.x.clean "$PWD/.git/filter"; echo '* filter=x' > .git/info/attributes; touch work/*
echo waiting; exec sleep 600
""",
        encoding="utf-8",
    )
    agent.shop.commit()
    record = await begun(agent, call)
    kill(record["pid"])
    wait_for(lambda: agent.shop.named(record["process_id"])["settled_at"], "the recovery")
    assert agent.left() == []


@by("usual", "bare")
async def test_an_agent_with_too_many_processes_ends_with_the_name_of_the_limit(
    agent: Agent, call: Caller
) -> None:
    one = f"CHANT_RUN=x setsid -f sh -c 'sleep 600; :' {agent.token}-bomb"
    bomb = f"i=0; while [ $i -lt 400 ]; do {one}; i=$((i+1)); done"
    agent.give(f"{bomb}; sleep 600", limits="limits:\n  processes: 150\n")
    record = agent.shop.ended((await call.data("chant_work_start", id=ID))["process_id"])
    assert record["end_state"] == "failed"
    assert (
        "more than 150 processes and threads at once, which is the limit `limits.processes`"
        in record["reason"]
    )
    assert agent.left() == []


@by("bare")
async def test_what_bounds_an_agent_does_so_before_its_first_command(agent: Agent, call: Caller) -> None:
    agent.give()
    (agent.shop.root / "agent.sh").write_text(
        "grep processes /proc/self/limits\necho nice $(nice)\n", "utf-8"
    )
    agent.shop.commit()
    agent.shop.ended((await call.data("chant_work_start", id=ID))["process_id"])
    log = agent.shop.log(ID)
    if os.geteuid() == 0:
        assert f"nice {max(10, os.nice(0))}" in log
    else:
        assert "unlimited" not in log


@by("parents")
async def test_a_limit_of_memory_that_nothing_enforces_is_named_at_the_start(
    agent: Agent, call: Caller
) -> None:
    agent.give("exit 3", limits="limits:\n  memory_megabytes: 100000\n")
    record = agent.shop.ended((await call.data("chant_work_start", id=ID))["process_id"])
    assert "`limits.memory_megabytes` has no effect here" in record["confinement"]
