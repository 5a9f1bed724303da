"""A second turn: comments are sent, and the program knows a word that was said in its first turn alone."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from conversation import ModelReply, ModelRequest
from install import cache, path
from model import LoopbackModel
from programs import AgentProgram
from script import STEPS, SpecTask, next_reply
from world import CRITERION, UserWorld, made_world

if TYPE_CHECKING:
    from trials import AgentVerdict

WORD = "heron-of-the-first-turn"
COMMENT = "Why is the ferry not red?"
SECONDS = 120


def second_turn(program: AgentProgram, verdict: AgentVerdict, *, keeps: bool = False) -> None:
    """Have a program do a spec, send a comment, and look whether it goes on in its own session."""
    tasks: list[SpecTask] = []
    texts: list[str] = []

    def reply(request: ModelRequest) -> ModelReply:
        texts.append(request.text)
        if COMMENT in request.text:
            return ModelReply("It is blue.")
        found = next_reply(tasks[0], request)
        return found if found.call else ModelReply(f"Painted the ferry, said the {WORD}.")

    model = LoopbackModel(reply)
    with (
        model.served() as url,
        made_world(cache() / "trials", path(), program.variables(url), keeps=keeps) as world,
    ):
        tasks.append(SpecTask(world.id, CRITERION, "boat.txt", world.outside, program.has_tools, STEPS))
        for name, text in program.files(url).items():
            world.write(name, text)
        settings = f"agents:\n  {program.name}:\n    model: {program.model}\n" if program.model else ""
        own = f"---\n{settings}defaults: {{provider: {program.name}}}\n---\n"
        world.write(".config/chant/config.md", own)
        person = replace(world, variables={})
        said = [person.chant("comment", world.id, "Wait for me.")]
        said.append(world.chant("work", world.id, "--wait", seconds=SECONDS))
        said.append(person.chant("comment", world.id, COMMENT, "--question"))
        said.append(world.chant("review", world.id, "--send", seconds=SECONDS))
        _wait(world)
        batches = (world.asked("review", world.id) or {}).get("batches") or [{}]
        told = [text for text in texts if COMMENT in text]
        is_known = bool(told) and all(WORD in text for text in told)
        holds = is_known and "in its own session" in str(batches[-1].get("to"))
        words = "\n".join(one.text[-800:] for one in said)
        why = f"{len(told)} requests, known: {is_known}, {batches[-1]}\n{words}\n{model.problems[:3]}"
        verdict.note("second turn", holds, why, word="goes on")
        world.chant("pause", world.id)


def _wait(world: UserWorld) -> None:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        answer = world.asked("runs") or {}
        if not answer.get("processes"):
            return
        time.sleep(0.5)
