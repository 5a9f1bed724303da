"""An agent's session on the sample project.

Each step says what it is for, calls the real server, which runs as a subprocess, shows what came back,
and looks whether that is right.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, TextContent
from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule

from chant_mcp.commands import display
from chant_mcp.commands.answers import Data
from chant_mcp.demo.sample import SampleProject
from chant_mcp.demo.specs import CHOSEN, READY, SPECS, UNREADABLE, WAITING
from chant_mcp.errors import ChantError

_PATIENCE = 120.0
"""Seconds for the whole session."""

_PART = CHOSEN.rsplit("-", 1)[1]
"""A part of an ID that means only one spec."""


class UnexpectedAnswerError(ChantError):
    """The server answered something else than the demo knows to be right."""

    code = "UNEXPECTED_ANSWER"


def run(out: Console, project: SampleProject, interpreter: str, environment: Mapping[str, str]) -> None:
    """Play the session on a sample project.

    Raises:
        UnexpectedAnswerError: When an answer is not what it should be.
    """
    server = StdioServerParameters(
        command=interpreter,
        args=["-m", "chant_mcp", "--project", str(project.root)],
        env={name: value for name, value in environment.items() if not name.startswith(("CHANT_", "GIT_"))},
        cwd=project.root,
    )
    anyio.run(_play, out, project, server)


async def _play(out: Console, project: SampleProject, server: StdioServerParameters) -> None:
    failure: ChantError | None = None
    with anyio.fail_after(_PATIENCE):
        async with Client(server) as client:
            session = _Session(out, client)
            # An error that left the client's context would come out as a group of errors.
            try:
                await _look_around(session)
                await _choose(session)
                await _work(session, project)
                await _complete(session)
            except ChantError as error:
                failure = error
    if failure is not None:
        raise failure


async def _look_around(session: _Session) -> None:
    session.step("What is there?", "An agent that is new here looks at all specs first.")
    specs = await session.data("chant_spec_list")
    shown = [sample for sample in SPECS if sample.status != "cancelled"]
    session.expect([spec["id"] for spec in specs["specs"]], [sample.id for sample in shown], "specs")
    session.expect(len(specs["problems"]), 1, "number of problems")
    session.show(display.spec_table(specs["specs"]))
    session.show(display.problems_block(specs))
    session.say("One file cannot be read. It is named, and hides no other.")

    session.step("What can be begun now?", "Not what is pending, but what nothing stands in the way of.")
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
    session.show(display.findings_table(report["diagnostics"]))


async def _work(session: _Session, project: SampleProject) -> None:
    file = project.root / f".chant/specs/{CHOSEN}.md"
    before = file.read_text(encoding="utf-8")
    session.step("Begin.", "The status says that somebody is on it.")
    session.show(display.plain(await session.text("chant_spec_update", id=_PART, status="in_progress")))

    session.step("Can it be called done already?", "An agent in a hurry tries. The server counts boxes.")
    refusal = await session.refusal("chant_finalize", id=_PART)
    session.expect("4 unchecked acceptance criteria" in refusal, True, "refusal")
    session.show(display.plain(refusal, "red"))

    session.step("Tick what is met.", "Code was written and tested. Each criterion is ticked by its text.")
    criteria = list(next(sample for sample in SPECS if sample.id == CHOSEN).criteria)
    session.show(display.plain(await session.text("chant_spec_update", id=_PART, check=criteria)))
    after = file.read_text(encoding="utf-8")
    wanted = before.replace("status: pending", "status: in_progress").replace("- [ ]", "- [x]")
    session.expect(after, wanted, "text of the spec's file")
    changed = [line for line in after.splitlines() if line not in before.splitlines()]
    session.say("In the file, these lines changed and not a byte beside them:")
    session.show(display.plain(textwrap.indent("\n".join(changed), "  "), "green"))
    session.say("The agent commits code and spec together, tagged with the ID:")
    session.show(display.plain(f"  {project.work_on(CHOSEN)}"))


async def _complete(session: _Session) -> None:
    session.step("Complete it.", "All criteria are met, so the spec may be completed.")
    found = await session.data("chant_verify", id=_PART)
    session.expect(found["verified"], True, "verification")
    session.show(display.plain(f"{found['verification_notes']}: ") + display.criteria_text(found["criteria"]))
    text = await session.text("chant_finalize", id=_PART)
    session.expect(text.splitlines()[0], f"Finalized spec: {CHOSEN}", "answer")
    session.expect("Commits: none" in text, False, "absence of commits")
    session.show(display.plain(text, "green"))

    session.step("What can be begun now?", "What waited for it has become ready.")
    ready = await session.data("chant_ready")
    wanted = sorted([*(id for id in READY if id != CHOSEN), WAITING])
    session.expect([spec["id"] for spec in ready["specs"]], wanted, "ready specs")
    session.show(display.spec_table(ready["specs"]))

    session.step("How far is the project?", "The sums, for whoever asks.")
    counts = await session.data("chant_status")
    session.expect(counts["total"], len(SPECS), "number of specs")
    session.show(display.counts_table(counts))


@dataclass(slots=True)
class _Session:
    """A client of the server that shows what it does."""

    out: Console
    client: Client
    steps: int = 0

    def step(self, title: str, why: str) -> None:
        """Begin a step, saying what an agent wants here."""
        self.steps += 1
        self.out.print()
        self.out.print(Rule(display.plain(f"{self.steps}. {title}", "bold"), align="left", style="dim"))
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
