"""An agent's session on the sample project.

Each step says what it is for, calls the real server, which runs as a subprocess, shows what came back,
and looks whether that is right.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.to_thread
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, TextContent
from rich.padding import Padding
from rich.rule import Rule

from chant_mcp._core import ChantProject
from chant_mcp.commands import display, live, run_display
from chant_mcp.commands.rich_console import plain
from chant_mcp.commands.watch import Watch
from chant_mcp.demo.sample import SampleProject
from chant_mcp.demo.specs import CHOSEN, FAILING, READY, SPECS, UNREADABLE, WORKED
from chant_mcp.errors import ChantError, RefusedError
from chant_mcp.paging import Data
from chant_mcp.program import own_program

_TIMEOUT = 120.0
"""Seconds for the whole session."""

_AT_ONCE = 3
"""Agents at work at the same time."""

_COMMITS = 12
"""Commits of the main branch that are shown."""

_PART = CHOSEN.rsplit("-", 1)[1]
"""A part of an ID that means only one spec."""


class UnexpectedAnswerError(ChantError):
    """The server answered something else than the demo knows to be right."""

    code = "UNEXPECTED_ANSWER"


def run(out: display.Output, project: SampleProject, interpreter: str) -> None:
    """Play the session on a sample project.

    Raises:
        UnexpectedAnswerError: When an answer is not what it should be.
    """
    command, *words = own_program(interpreter)
    server = StdioServerParameters(
        command=command,
        args=[*words, "--project", str(project.root)],
        env=dict(project.environment),
        cwd=project.root,
    )
    chant = ChantProject(project.root, environment=dict(project.environment))
    try:
        anyio.run(_play, out, project, chant, server)
    finally:
        _stop_agents(chant)


async def _play(
    out: display.Output, project: SampleProject, chant: ChantProject, server: StdioServerParameters
) -> None:
    failure: ChantError | None = None
    with anyio.fail_after(_TIMEOUT):
        async with Client(server) as client:
            session = _Session(out, client)
            # An error that left the client's context would come out as a group of errors.
            try:
                await _look_around(session)
                await _choose(session)
                await _work(session, chant)
                await _look_back(session, project)
            except ChantError as error:
                failure = error
    if failure is not None:
        raise failure


def _stop_agents(chant: ChantProject) -> None:
    """Leave no one at work when the session broke off."""
    runs: list[Data] = chant.work_list().data["processes"]
    for id in {run["spec_id"] for run in runs}:
        # Stopping one may have stopped others.
        with suppress(RefusedError):
            chant.pause(id)


async def _look_around(session: _Session) -> None:
    session.step("What is there?", "An agent that is new here looks at all specs first.")
    specs = await session.data("chant_spec_list")
    shown = [sample for sample in SPECS if sample.status != "cancelled"]
    session.expect([spec["id"] for spec in specs["specs"]], [sample.id for sample in shown], "specs")
    session.expect(len(specs["problems"]), 1, "number of problems")
    session.show(display.spec_table(specs["specs"]))
    session.show(display.problems_block(specs))
    session.say("One file cannot be read. It is named, and hides no other.")

    session.step("What can be started now?", "Not what is pending, but what nothing blocks.")
    ready = await session.data("chant_ready")
    session.expect(tuple(spec["id"] for spec in ready["specs"]), READY, "ready specs")
    session.show(display.spec_table(ready["specs"]))


async def _choose(session: _Session) -> None:
    session.step(
        "What is to be done?", f"The agent picks one and reads it; a part of the ID, `{_PART}`, is enough."
    )
    spec = await session.data("chant_spec_get", id=_PART)
    session.expect(spec["id"], CHOSEN, "ID")
    session.expect(spec["waiting_for"], [], "dependencies it waits for")
    session.show(display.spec_fields(spec))
    session.show(Padding(display.plain(spec["body"]), (1, 0, 0, 2)))

    session.step("Are the specs good tasks?", "Before it begins, it looks for what would leave it guessing.")
    report = await session.data("chant_lint")
    rules = {(found["spec_id"], found["rule"]) for found in report["diagnostics"]}
    session.expect((UNREADABLE, "parse") in rules, True, "finding about the unreadable file")
    session.expect((report["errors"], report["warnings"]), (2, 3), "errors and warnings")
    for found in report["diagnostics"]:
        session.show(display.finding_text(found))


async def _work(session: _Session, chant: ChantProject) -> None:
    session.step(
        "Can it be called done already?", "An agent in a hurry tries. Only what is proven is completed."
    )
    refusal = await session.refusal("chant_finalize", id=_PART)
    session.expect("Current status: Pending" in refusal, True, "refusal")
    session.show(display.plain(refusal, "red"))

    session.step(
        "Have agents work on it.",
        f"{_AT_ONCE} at once, each in a git worktree of its own, and on whatever becomes ready. They are the "
        "built-in demo agent: no model, no network, no key.",
    )
    started = await session.data("chant_work_start", id=_PART, parallel=_AT_ONCE)
    session.show(run_display.started(started))
    session.say("The call has returned; this is how people watch:\n")
    watch = Watch(chant, [started["process_id"]])
    (ended,) = await anyio.to_thread.run_sync(live.follow, watch, session.out)
    # The run above the others failed, because one of them did.
    session.expect(ended.state, "failed", "end of the work")
    session.show(run_display.ended(ended))


async def _look_back(session: _Session, project: SampleProject) -> None:
    session.step("What became of it?", "Each run has a record; the reason stands in it.")
    data = await session.data("chant_work_list", include_completed=True)
    runs = sorted((run for run in data["processes"] if "parent" in run), key=lambda run: run["spec_id"])
    wanted = {**dict.fromkeys(WORKED, "completed"), FAILING: "failed"}
    ends = {run["spec_id"]: _end(run, wanted.get(run["spec_id"])) for run in runs}
    session.expect(ends, wanted, "ends of runs")
    session.show(run_display.runs_table(runs))

    session.step("Why did one fail?", "Its label `demo:fail` asks the agent to; the log says what happened.")
    log = await session.data("chant_log", id=FAILING, lines=3)
    session.expect("asked to fail" in log["content"], True, "log")
    session.show(display.plain(log["content"]))

    session.step("Is the work what was asked for?", "Criteria were ticked by the agent, commits are its own.")
    found = await session.data("chant_verify", id=_PART)
    session.expect(found["verified"], True, "verification")
    session.show(display.plain(f"{found['verification_notes']}: ") + display.criteria_text(found["criteria"]))
    history = project.history()
    session.expect([id for id in WORKED if f"chant({id})" not in history], [], "specs without a commit")
    session.say("\nThe main branch, which was merged into without disturbing a checkout:")
    for line in history.splitlines()[:_COMMITS]:
        session.out.terminal.print(display.plain(line), no_wrap=True, overflow="ellipsis")

    session.step(
        "What can be started now?", "What waited has been worked on, too; the failed one can be tried again."
    )
    ready = await session.data("chant_ready")
    session.expect([spec["id"] for spec in ready["specs"]], [FAILING], "ready specs")
    session.show(display.spec_table(ready["specs"]))

    session.step("How far is the project?", "The sums.")
    counts = await session.data("chant_status")
    session.expect(counts["total"], len(SPECS), "number of specs")
    session.show(display.counts_table(counts))


def _end(run: Data, wanted: str | None) -> str:
    """Say how a run ended, with the reason where that is not what was wanted."""
    state: str = run["end_state"]
    return state if state == wanted else f"{state}: {run.get('reason')}"


@dataclass(slots=True)
class _Session:
    """A client of the server that shows what it does."""

    out: display.Output
    client: Client
    steps: int = 0

    def step(self, title: str, why: str) -> None:
        """Begin a step, saying what an agent wants here."""
        self.steps += 1
        self.out.print()
        heading = plain(f"{self.steps}. {title}", "bold")
        self.out.print(Rule(heading, align="left", style="dim"))
        self.say(why)

    def say(self, text: str) -> None:
        """Print a remark."""
        self.out.print(display.plain(text, "italic"))

    def show(self, what: Any) -> None:
        """Print what came back, if there is something."""
        if what is not None:
            self.out.print(what)

    async def data(self, tool: str, **arguments: Any) -> Data:
        """Call a tool that answers with data."""
        result = await self._call(tool, arguments)
        self.expect(result.is_error, False, f"error of {tool}: {_text(result)}")
        self.expect(json.loads(_text(result)), result.structured_content, f"structured content of {tool}")
        return json.loads(_text(result))

    async def text(self, tool: str, **arguments: Any) -> str:
        """Call a tool that answers in words."""
        result = await self._call(tool, arguments)
        self.expect(result.is_error, False, f"error of {tool}: {_text(result)}")
        return _text(result)

    async def refusal(self, tool: str, **arguments: Any) -> str:
        """Call a tool that refuses."""
        result = await self._call(tool, arguments)
        self.expect(result.is_error, True, f"refusal by {tool}")
        return _text(result)

    async def _call(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        self.out.print(display.plain(f"→ {tool} {json.dumps(arguments)}\n", "bold cyan"))
        return await self.client.call_tool(tool, arguments)

    def expect(self, found: object, wanted: object, what: str) -> None:
        """Go on only when something is as it should be.

        Raises:
            UnexpectedAnswerError: When it is not.
        """
        if found != wanted:
            raise UnexpectedAnswerError(f"Unexpected {what}:\n  {found!r}\nnot\n  {wanted!r}")


def _text(result: CallToolResult) -> str:
    block = result.content[0]
    return block.text if isinstance(block, TextContent) else ""
