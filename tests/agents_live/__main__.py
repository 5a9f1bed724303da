"""Try the published programs of agents with a model on this machine: `make test-agents`.

Each does a whole spec, confined, and meets what can go wrong. Only installing them reaches beyond this
machine. Needs Linux with Landlock, npm and strace.
"""

from __future__ import annotations

import argparse
import sys
import time

import drift
from host_trials import HOSTS, try_host
from host_trials import STEPS as HOST_STEPS
from install import install, installed
from model import FAULTS
from programs import PROGRAMS, AgentProgram
from second_turn import second_turn
from trials import ITEMS, AgentVerdict, faulty_spec, refused_spec, searched_files, whole_items, whole_spec

STEPS = (
    "flags",
    "whole spec",
    "confined",
    "edit",
    "outside",
    "commit",
    "our tool",
    "tokens",
    "money",
    *ITEMS,
    "second turn",
    "refused tool",
    "files",
)


def _main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("agents", nargs="*", metavar="AGENT", help="those to try; all of them without")
    reader.add_argument("--no-faults", action="store_true", help="only the whole spec")
    reader.add_argument("--files", action="store_true", help="only the files that are looked for")
    reader.add_argument("--second-turn", action="store_true", help="only comments that follow the work")
    reader.add_argument("--hosts", action="store_true", help="only what `init` and the plugin give to hosts")
    reader.add_argument("--fault", choices=[fault.name for fault in FAULTS], help="this fault alone")
    reader.add_argument("--keep", action="store_true", help="keep homes and projects, to look at them")
    asked = reader.parse_args()
    install()
    if asked.hosts:
        return _try_hosts(asked.agents, keeps=asked.keep)
    chosen = [program for program in PROGRAMS if not asked.agents or program.name in asked.agents]
    faults = [fault for fault in FAULTS if asked.fault in (None, fault.name)]
    faults = [] if asked.no_faults or asked.files or asked.second_turn else faults
    verdicts: list[AgentVerdict] = []
    start = time.monotonic()
    for program in chosen:
        verdict = AgentVerdict(program)
        _try_program(program, verdict, asked)
        for fault in faults:
            faulty_spec(program, fault, verdict, keeps=asked.keep)
        verdicts.append(verdict)
        _say(f"{program.name} {installed(program)}: {verdict.words}")
        for problem in verdict.faults:
            _say(f"\n{problem}\n")
    _print_table(verdicts)
    problems = [fault for verdict in verdicts for fault in verdict.faults]
    _say(f"\n{len(chosen)} agents, {len(problems)} problems, {time.monotonic() - start:.0f} s")
    return 1 if problems else 0


def _try_program(program: AgentProgram, verdict: AgentVerdict, asked: argparse.Namespace) -> None:
    if asked.fault:
        return
    if asked.second_turn:
        if program.goes_on:
            second_turn(program, verdict, keeps=asked.keep)
        return
    drift.look_at_flags(program, verdict)
    if not asked.files:
        whole_spec(program, verdict, keeps=asked.keep)
        whole_items(program, verdict, keeps=asked.keep)
        if program.goes_on:
            second_turn(program, verdict, keeps=asked.keep)
    searched_files(program, verdict, keeps=asked.keep)
    if program.is_guarded and not asked.files:
        refused_spec(program, verdict, keeps=asked.keep)


def _try_hosts(names: list[str], *, keeps: bool) -> int:
    _say(f"| host | {' | '.join(HOST_STEPS)} |")
    _say(f"|---|{'---|' * len(HOST_STEPS)}")
    misses = 0
    for trial in HOSTS:
        if names and trial.name not in names:
            continue
        words = try_host(trial, keeps=keeps)
        misses += sum(word == "NO" for word in words.values())
        _say(f"| {trial.name} | {' | '.join(words[step] for step in HOST_STEPS)} |")
    return 1 if misses else 0


def _print_table(verdicts: list[AgentVerdict]) -> None:
    steps = [*STEPS, *(fault.name for fault in FAULTS)]
    steps = [step for step in steps if any(step in verdict.words for verdict in verdicts)]
    _say(f"\n| agent | version | {' | '.join(steps)} |")
    _say(f"|---|---|{'---|' * len(steps)}")
    for verdict in verdicts:
        words = " | ".join(verdict.words.get(step, "–") for step in steps)
        _say(f"| {verdict.program.name} | {verdict.program.version} | {words} |")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(_main())
