"""The message of the commit by which work lands: a template, else the form that the history has."""

from __future__ import annotations

import pytest
from work.kit import ID, Workshop
from writing import git


def landed(shop: Workshop) -> str:
    """Have a spec worked on, and give the first line of the commit by which it landed."""
    shop.handle().work_start(ID)
    assert shop.ended(ID)["end_state"] == "completed"
    return git(shop.root, "log", "-1", "--format=%s", "main").strip()


@pytest.mark.parametrize(
    ("subjects", "style", "message"),
    [
        (["feat: one", "fix(api): two", "Three"], "merge", f"chore: merge chant/{ID}: Spec {ID}"),
        (["feat: one", "fix(api): two", "Three"], "squash", f"chore: spec {ID} (chant/{ID})"),
        (["feat: one", "Two", "Three"], "merge", f"Merge chant/{ID}: Spec {ID}"),
        (["feat: one", "Two", "Three"], "squash", f"Spec {ID} (chant/{ID})"),
    ],
)
def test_a_conventional_history_gets_a_conventional_message(
    shop: Workshop, subjects: list[str], style: str, message: str
) -> None:
    shop.configure(f"landing: {{style: {style}}}\n")
    shop.spec(ID)
    for subject in subjects:
        shop.commit(subject)
    assert landed(shop) == message


def test_the_projects_template_wins(shop: Workshop) -> None:
    shop.configure("landing:\n  message: 'ref({spec}): {title} to {target}'\n  allow: [AGENTS.md]\n")
    shop.spec(ID)
    shop.commit("feat: one")
    assert landed(shop) == f"ref({ID}): Spec {ID} to main"
