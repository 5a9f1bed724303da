"""Attacks by the trust that something else has."""

from __future__ import annotations

import shutil

from chant_mcp._core import ChantProject
from harness import user_config
from trust.attacks.configuration import commands_and_checks
from trust.attacks.repository import hooks_in_an_archive
from trust.attacks.table import attack
from trust.clones import Clone
from writing import git


@attack(dangerous=True)
def a_branch_switched_to(clone: Clone) -> None:
    """A person trusts one branch; the other, hostile, one is checked out then."""
    clone.config("limits: {run_minutes: 5}\n")
    clone.commit()
    project = ChantProject(
        clone.root, user_config=user_config(), environment=clone.environment, program=["chant-mcp"]
    )
    project.give_trust(project.trust_report()["hash"])
    git(clone.root, "switch", "-qc", "hostile")
    commands_and_checks(clone)
    git(clone.root, "switch", "-q", "main")
    git(clone.root, "switch", "-q", "hostile")


@attack()
def a_repository_put_in_the_place_of_a_trusted_one(clone: Clone) -> None:
    """A person trusts the folder; its repository and configuration are others afterwards."""
    project = ChantProject(
        clone.root, user_config=user_config(), environment=clone.environment, program=["chant-mcp"]
    )
    project.give_trust(project.trust_report()["hash"])
    shutil.rmtree(clone.root / ".git")
    git(clone.root, "init", "-q", "-b", "main", "--template=")
    clone.commit()
    hooks_in_an_archive(clone)


@attack()
def a_trusted_parent(clone: Clone) -> None:
    """Roots that look like the clone's place are trusted: a sibling whose name begins alike, and a link."""
    (clone.place / "clo").mkdir()
    roots = [str(clone.neighbour), str(clone.place / "clo"), str(clone.root / "deep" / "er")]
    user_config().write_text(f"---\ntrust: {{roots: {roots}}}\n---\n", encoding="utf-8")
    commands_and_checks(clone)
