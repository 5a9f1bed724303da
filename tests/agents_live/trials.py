"""One program at a whole spec, and at each fault: what is looked at, and what is to be seen."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from install import cache, path
from model import BROKEN_STREAM, LoopbackModel, ModelFault
from programs import AgentProgram
from script import ATTEMPTS, ITEM_STEPS, STEPS, SpecTask, next_reply
from traces import DECOYS, configuring, looked_for, recorder, unknown
from world import CRITERION, PROGRAM, Ended, UserWorld, made_world

WRONG_KEY_SECONDS = 30
"""A wrong key is reported within this, once the provider said so."""

RUN_SECONDS = 120

ITEMS = {
    "Kiro task": (
        "kiro:ferry#1",
        ".kiro/specs/ferry/tasks.md",
        {
            ".kiro/specs/ferry/requirements.md": "# Requirements\n\n### Requirement 1\n\n"
            "#### Acceptance Criteria\n\n1. WHEN it is seen THEN the ferry SHALL be blue\n",
            ".kiro/specs/ferry/tasks.md": "# Implementation Plan\n\n- [ ] 1. Paint the ferry\n",
        },
    ),
    "OpenSpec change": (
        "openspec:paint-ferry",
        "openspec/changes/paint-ferry/tasks.md",
        {
            "openspec/changes/paint-ferry/proposal.md": "# Change: Paint the ferry\n\n## Why\n\nIt is old.\n",
            "openspec/changes/paint-ferry/tasks.md": "## 1. Paint\n\n- [ ] 1.1 Paint the ferry\n",
        },
    ),
}
"""Items of other formats: key, document and project files of each."""


@dataclass
class AgentVerdict:
    """What became of a program: a word a step, and what was wrong."""

    program: AgentProgram
    words: dict[str, str] = field(default_factory=dict[str, str])
    faults: list[str] = field(default_factory=list[str])

    def note(self, step: str, holds: bool, why: str = "", *, word: str = "yes") -> None:
        """Write down whether something holds."""
        self.words[step] = word if holds else "NO"
        if not holds:
            self.faults.append(f"{self.program.name}, {step}: {why}")


@dataclass(frozen=True)
class Trial:
    """A program's run, and the model that it asked."""

    world: UserWorld
    model: LoopbackModel
    ended: Ended
    told_at: float
    """When our program had reported how the run ended."""

    @property
    def record(self) -> Mapping[str, Any]:
        """Give the record of the run; empty where there is none."""
        answer = self.world.asked("runs", "--all") or {}
        runs = answer.get("runs") or answer.get("processes") or [] if isinstance(answer, dict) else answer
        return runs[0] if runs else {}

    @property
    def status(self) -> str:
        """Give the status that the spec has in the end."""
        answer = self.world.asked("show", self.world.id)
        return str(answer["status"]) if answer else "unknown"

    def said(self, pattern: str) -> bool:
        """Say whether our program reported something, while it waited or in the log."""
        told = self.ended.text + self.world.chant("log", self.world.id).text
        return re.search(pattern, told, re.IGNORECASE | re.MULTILINE) is not None


@contextmanager
def tried(
    program: AgentProgram,
    fault: ModelFault | None = None,
    *,
    steps: tuple[str, ...] = STEPS,
    config: str = "",
    keeps: bool = False,
    files: Mapping[str, str] | None = None,
    before: tuple[str, ...] = (),
    item: tuple[str, str] | None = None,
) -> Iterator[Trial]:
    """Have a program work on the spec of a user of its own, or on an item: its key and its document.

    `config` adds to its configuration, `files` to the project; the words `before` start our program.
    """
    key, document = item or ("", "")
    holder: dict[str, SpecTask] = {}
    model = LoopbackModel(lambda request: next_reply(holder["task"], request), fault)
    with (
        model.served() as url,
        made_world(cache() / "trials", path(), program.variables(url), keeps=keeps) as world,
    ):
        id = run_id_of(key) if key else world.id
        task = SpecTask(id, CRITERION, "boat.txt", world.outside, program.has_tools, steps, document)
        holder["task"] = task
        for name, text in program.files(url).items():
            world.write(name, text)
        settings = f"agents:\n  {program.name}:\n    model: {program.model}\n" if program.model else ""
        world.write(".config/chant/config.md", f"---\n{settings}{config}---\n")
        if files:
            world.add(files)
        name = key or world.id
        words = ("work", name, "--wait", "--agent", program.name)
        ended = world.run(*before, *PROGRAM, *words, seconds=RUN_SECONDS)
        try:
            yield Trial(replace(world, id=name), model, ended, time.monotonic())
        finally:
            # Who is killed while waiting leaves a run that goes on.
            world.chant("pause", name)


def run_id_of(key: str) -> str:
    """Give the ID of the runs on an item, in which the folder of a run ends."""
    return f"item.{re.sub('[:#/]', '.', key)}.{hashlib.sha256(key.encode()).hexdigest()[:32]}"


def whole_spec(program: AgentProgram, verdict: AgentVerdict, *, keeps: bool = False) -> None:
    """Have a program do all of a spec, and look at what it left."""
    with tried(program, keeps=keeps) as trial:
        world, results = trial.world, trial.model.results()
        why = f"{trial.ended.text[-1500:]}\n{trial.model.problems[:3]}"
        is_done = trial.ended.code == 0 and trial.status == "completed"
        verdict.note("whole spec", is_done, why, word=f"{trial.ended.seconds:.0f} s")
        verdict.note("confined", trial.said("^confined: "), trial.ended.text[:300])
        verdict.note("edit", world.git("show", "main:boat.txt") == "blue\n", "boat.txt is not on main")
        outside = [file.name for file in world.outside.iterdir()]
        attempts = ("outside" in results, "shell_outside" in results)
        verdict.note("outside", not outside and all(attempts), f"{outside}, {attempts}", word="refused")
        log = world.git("log", "--format=%s", "main")
        verdict.note("commit", f"chant({world.id}): Paint the ferry" in log, log)
        if program.has_tools:
            verdict.note("our tool", "Updated spec" in results.get("ours", ""), str(results.get("ours")))
        else:
            verdict.words["our tool"] = "no MCP"
        _look_at_cost(program, verdict, trial)


def whole_items(program: AgentProgram, verdict: AgentVerdict, *, keeps: bool = False) -> None:
    """Have a program do items of other formats, and look at what landed."""
    for name, (key, document, files) in ITEMS.items():
        with tried(program, steps=ITEM_STEPS, files=files, item=(key, document), keeps=keeps) as trial:
            world = trial.world
            boxes = world.git("show", f"main:{document}")
            receipt = world.asked("receipt", "verify", key) or {}
            holds = world.git("show", "main:boat.txt") == "blue\n" and "- [ ]" not in boxes
            holds = holds and trial.ended.code == 0 and bool(receipt.get("holds"))
            said = trial.model.results().get("boxes")
            why = f"{boxes}\n{receipt}\n{said}\n{trial.ended.text[-1500:]}\n{trial.model.problems[:3]}"
            verdict.note(name, holds, why, word=f"{trial.ended.seconds:.0f} s")


def refused_spec(program: AgentProgram, verdict: AgentVerdict, *, keeps: bool = False) -> None:
    """Have a program do only what it may not, guarded by itself, and look whether the refusal is named."""
    config = "confine:\n  mode: off\n"
    with tried(program, steps=ATTEMPTS, config=config, keeps=keeps) as trial:
        text = trial.ended.text
        outside = [file.name for file in trial.world.outside.iterdir()]
        is_named = trial.record.get("cause") == "permission_denied" and trial.said("refused")
        # Of what its own sandbox refuses it may say nothing at all, in no event and in no line.
        is_named |= not program.tells_denials
        holds = trial.ended.code != 0 and is_named and not outside
        why = f"{outside}, {trial.record.get('cause')}, {trial.record.get('denials')}\n{text[-1500:]}"
        verdict.note("refused tool", holds, why, word="named" if program.tells_denials else "silent")


def searched_files(program: AgentProgram, verdict: AgentVerdict, *, keeps: bool = False) -> None:
    """Have a program work among decoys, and look whether the table knows every file that it looks for.

    The list is kept beside this file, where `make test` compares it with the table, too.
    """
    recorded = cache() / f"{program.name}.strace"
    with tried(program, files=DECOYS, before=recorder(recorded), keeps=keeps) as trial:
        text = recorded.read_text(encoding="utf-8", errors="replace")
        folder = rf"/worktrees/[^/]+/{trial.world.id}"
        found = looked_for(text, str(cache() / "node_modules"), folder)
        new = unknown(found)
        kept = Path(__file__).parent / "recorded" / f"{program.name}.txt"
        kept.write_text("".join(f"{path}\n" for path in configuring(found)), encoding="utf-8")
        why = f"looked for and not in the table: {new}\n{'' if found else trial.ended.text[-1500:]}"
        verdict.note("files", bool(found) and not new, why, word=f"{len(found)} known")


def _look_at_cost(program: AgentProgram, verdict: AgentVerdict, trial: Trial) -> None:
    usage: Mapping[str, Any] = trial.record.get("usage") or {}
    tokens = sum(int(usage.get(f"{kind}_tokens") or 0) for kind in ("input", "cached", "output"))
    money = usage.get("cost_usd")
    if program.tells_tokens:
        verdict.note("tokens", tokens > 0, f"the record says {sorted(trial.record)}", word=str(tokens))
    if program.tells_money:
        verdict.note("money", bool(money), f"the record says {money}", word=f"{money or 0:.4f} $")


def faulty_spec(
    program: AgentProgram, fault: ModelFault, verdict: AgentVerdict, *, keeps: bool = False
) -> None:
    """Have a program meet a fault, and look at what is reported of it."""
    with tried(program, fault, keeps=keeps) as trial:
        text = trial.ended.text
        seconds = trial.ended.seconds
        why = f"after {seconds:.0f} s, {trial.model.failures} times:\n{text[-1500:]}"
        is_silent = fault.name in program.silent_about
        is_done = trial.ended.code == 0 and trial.status == "completed"
        if fault.name in CAUSES:
            is_told = trial.record.get("cause") == CAUSES[fault.name]
            holds = not is_done and trial.ended.code != 0
        else:
            is_told = trial.said(TOLD[fault.name])
            holds = is_done or fault is BROKEN_STREAM
        holds = holds and trial.model.failures > 0 and (is_told or is_silent)
        if fault.name == "wrong key":
            seconds = trial.told_at - (trial.model.failed_at or 0)
            holds = holds and seconds <= WRONG_KEY_SECONDS
        word = "completed" if is_done else "failed" if is_silent else "named"
        verdict.note(fault.name, holds, why, word=f"{word}, {seconds:.0f} s")


CAUSES = {"wrong key": "not_logged_in", "refusal": "model_refused", "unknown model": "model_unknown"}
"""The causes that records name, of faults that end a run."""

TOLD = {
    "rate limit": r"rate.limit|429|too many requests|\[retry\]",
    "overload": r"overload|503|529|unavailable|\[retry\]",
    "broken stream": r"stream|terminated|network|^✓",
}
"""What is reported of faults that pass; of a broken stream a program may also die."""
