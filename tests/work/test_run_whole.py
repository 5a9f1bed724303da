"""A run ends whole: whatever its agent and its checks started has ended with it, by every end."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from harness import Caller, user_config
from laws import TRIALS
from work import daemons
from work.kit import ID, Record, Workshop, kill, processes, wait_for

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who is whose child"),
]

WAYS = tuple(daemons.WAYS) if TRIALS > 1 else daemons.USUAL

MEANS = {"usual": "auto", "bare": "off"}
"""What keeps a run together: what this system has, or the parent relation alone."""


@dataclass
class Agent:
    """An agent that leaves processes in all ways, and what it does then."""

    shop: Workshop
    token: str = field(default_factory=lambda: f"token{uuid.uuid4().hex[:12]}")

    def give(self, then: str = "exit 3", *, checks: str = "", limits: str = "", criteria: str = "Works") -> None:
        """Write its script, its configuration and its spec."""
        path = self.shop.root / "agent.sh"
        path.write_text(daemons.script(WAYS, self.token) + f"echo waiting\n{then}\n", encoding="utf-8")
        self.shop.configure(f"agents:\n  bad:\n    command: [sh, '{path}']\n{checks}{limits}", provider="bad")
        self.shop.spec(ID, criteria=[criteria])
        self.shop.commit()

    def left(self) -> list[str]:
        """Name the ways that live one second after the end."""
        return daemons.alive_after(self.token, 1)


@pytest.fixture(params=MEANS)
def means(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Take away what keeps a run together, but for the parent relation."""
    name: str = request.param
    if name == "bare":
        monkeypatch.setenv("CHANT_CGROUPS", "off")
    return name


@pytest.fixture
def agent(shop: Workshop, means: str) -> Iterator[Agent]:
    """An agent of a person who trusts the project."""
    user_config().write_text(
        f"---\ntrust: {{roots: ['{shop.root}']}}\nconfine: {{mode: {MEANS[means]}}}\n---\n", encoding="utf-8"
    )
    agent = Agent(shop)
    yield agent
    daemons.end(agent.token)


@pytest.fixture
async def call(agent: Agent) -> Iterator[Caller]:
    """A client of a server that has the means of the test."""
    async with agent.shop.client() as call:
        yield call


async def begun(agent: Agent, call: Caller) -> Record:
    """Start a run and wait until its agent has started all processes."""
    started = await call.data("chant_work_start", id=ID)
    agent.shop.said(ID, "waiting")
    return agent.shop.named(started["process_id"])


@pytest.mark.requirement("chant:run:ends_whole")
async def test_nothing_lives_after_an_agent_that_failed(agent: Agent, call: Caller) -> None:
    agent.give()
    record = agent.shop.ended((await call.data("chant_work_start", id=ID))["process_id"])
    assert agent.left() == []
    assert (record["end_state"], record["exit_code"]) == ("failed", 3)
    assert record.get("process_tree") is None
    assert "not certain" not in record["reason"]


@pytest.mark.requirement("chant:run:ends_whole")
@pytest.mark.parametrize("tool", ["chant_pause", "chant_takeover", "chant_cancel"])
async def test_nothing_lives_after_a_stop(agent: Agent, call: Caller, tool: str) -> None:
    agent.give("exec sleep 600")
    record = await begun(agent, call)
    seen: set[str] = set()
    wait_for(lambda: seen.update(daemons.alive(agent.token)) or seen >= set(WAYS), lambda: f"{set(WAYS) - seen}")
    await call.text(tool, id=ID)
    assert agent.left() == []
    assert not agent.shop.named(record["process_id"]).get("may_have_processes")


@pytest.mark.requirement("chant:run:ends_whole")
async def test_nothing_lives_after_a_check(agent: Agent, call: Caller) -> None:
    work = (
        'cd "$CHANT_WORKTREE" && mkdir -p work && echo x > work/x.txt && sed -i "s/- \\[ \\]/- [x]/" "$CHANT_SPEC_FILE"'
        f' && git add -A . && git commit -qm "chant({ID}): Work"'
    )
    checks = f"checks:\n  unit: [sh, '{agent.shop.root / 'check.sh'}']\n"
    (agent.shop.root / "check.sh").write_text(daemons.script(WAYS, agent.token), encoding="utf-8")
    agent.give(work, checks=checks, criteria="Works <!-- check: unit -->")
    path = agent.shop.root / "agent.sh"
    path.write_text(work + "\n", encoding="utf-8")
    agent.shop.commit()
    record = agent.shop.ended((await call.data("chant_work_start", id=ID))["process_id"])
    assert agent.left() == []
    assert [check["exit"] for check in record["checks"]] == [0], record["reason"]


@pytest.mark.requirement("chant:run:ends_whole", "chant:run:says_that_it_cannot_be_sure")
async def test_a_recovery_ends_all_or_says_that_it_cannot_be_sure(
    agent: Agent, call: Caller, means: str
) -> None:
    agent.give("exec sleep 600")
    record = await begun(agent, call)
    kill(record["pid"])
    await call.data("chant_work_list", include_completed=True)
    ended = agent.shop.named(record["process_id"])
    assert ended["end_state"] == "failed" or ended["status"] == "failed"
    left, warned = agent.left(), "not certain that all of its processes have ended" in (ended["reason"] or "")
    tree = record["process_tree"]
    is_kept = tree["ends_with_leader"] or (tree["is_confined"] and "cgroup" in tree)
    assert is_kept == (means == "usual") or not _has_means()
    assert (left, warned) == ([], False) if is_kept else warned
    if not is_kept:
        takeover = await call.text("chant_takeover", id=ID, force=True)
        assert "not certain" in takeover
    daemons.end(agent.token)
    kill(*(process.pid for process in processes()))


def _has_means() -> bool:
    """Whether this system has control groups that may be made, or namespaces."""
    return os.geteuid() == 0


@pytest.mark.requirement("chant:run:limit_of_processes")
async def test_an_agent_with_too_many_processes_ends_with_the_name_of_the_limit(
    agent: Agent, call: Caller
) -> None:
    bomb = f'i=0; while [ $i -lt 400 ]; do CHANT_RUN=x setsid -f sleep 600 {agent.token}-bomb; i=$((i+1)); done; sleep 600'
    bomb = bomb.replace(f"sleep 600 {agent.token}-bomb", f'sh -c "sleep 600" {agent.token}-bomb')
    agent.give(bomb, limits="limits:\n  processes: 150\n")
    record = agent.shop.ended((await call.data("chant_work_start", id=ID))["process_id"])
    assert record["end_state"] == "failed"
    assert "more than 150 processes and threads at once, which is the limit `limits.processes`" in record["reason"]
    assert agent.left() == []


@pytest.mark.requirement("chant:run:limit_of_memory")
async def test_a_limit_of_memory_that_nothing_enforces_is_named_at_the_start(agent: Agent, call: Caller) -> None:
    agent.give("exit 3", limits="limits:\n  memory_megabytes: 100000\n")
    record = agent.shop.ended((await call.data("chant_work_start", id=ID))["process_id"])
    said = "`limits.memory_megabytes` has no effect here" in record["confinement"]
    assert said != _limits_memory()


def _limits_memory() -> bool:
    """Whether control groups of this system pass limits of memory on; only then the limit is enforced."""
    if os.environ.get("CHANT_CGROUPS") == "off":
        return False
    try:
        with open("/proc/self/mountinfo", encoding="utf-8") as table:
            mounts = [line.split()[4] for line in table if " - cgroup2 " in line]
        with open("/proc/self/cgroup", encoding="utf-8") as table:
            own = next(line[3:].strip() for line in table if line.startswith("0::"))
    except (OSError, StopIteration):
        return False
    for mount in mounts:
        path = f"{mount}{own}".rstrip("/")
        while path.startswith(mount) and os.access(path, os.W_OK):
            try:
                with open(f"{path}/cgroup.subtree_control", encoding="utf-8") as passed:
                    if {"memory", "pids"} <= set(passed.read().split()):
                        return True
            except OSError:
                return False
            path = path.rsplit("/", 1)[0]
    return False
