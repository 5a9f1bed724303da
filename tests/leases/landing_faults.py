"""Checks the landings of specs by what lies on the remote, and by nothing else."""

from __future__ import annotations

import re

from leases.clones import TARGET, SharedProject

_RUN_TOKEN = re.compile(r'^run_token: "?(\d+)', re.MULTILINE)


def faults_of(shared: SharedProject, ids: list[str]) -> list[str]:
    """Say what is wrong with the landings of specs; nothing where all landed once and in time."""
    return [f"{id}: {fault}" for id in ids for fault in faults_of_spec(shared, id)]


def faults_of_spec(shared: SharedProject, id: str) -> list[str]:
    """Say what is wrong with the landing of one spec."""
    faults: list[str] = []
    history = shared.history(id)
    tokens = [lease["token"] for lease in history]
    if tokens != sorted(tokens):
        faults.append(f"tokens {tokens}")
    if (shared.completions(id), len(shared.landings(id))) != (1, 1):
        faults.append(f"{shared.completions(id)} completions, {shared.landings(id)}")
    found = _RUN_TOKEN.search(shared.shown(TARGET, f".chant/specs/{id}.md"))
    landed = int(found[1]) if found else 0
    if tokens and landed != tokens[-1]:
        faults.append(f"stale: token {landed} landed, the newest claim is {tokens[-1]}")
    if shared.lease(id)["state"] != "landed":
        faults.append(f"{shared.lease(id)}")
    return faults
