"""What an agent says last where its work is not done: a question, or that there is nothing to do."""

from __future__ import annotations

import pytest
from work.kit import ID, Record, Workshop
from writing import git

COMMIT = "echo x > done.txt; git add -A; git commit -q -m Half"


def said(shop: Workshop, line: str, work: str = "") -> Record:
    """Let an agent say a last line, and end as if all were well."""
    place = shop.root.parent / "agent.sh"
    place.write_text(f"{work}\ncat <<'END'\nI looked around.\n{line}\n\nEND\n", encoding="utf-8")
    shop.configure(f"agents:\n  talker:\n    command: [sh, {place}]\n", provider="talker")
    shop.spec(ID)
    shop.commit()
    shop.handle().work_start(ID)
    return shop.ended(ID)


@pytest.mark.parametrize(
    ("line", "work"),
    [
        ("Which of the two ferries do you mean?", ""),
        ("**Should I also rename the column?**", COMMIT),
    ],
)
def test_a_question_as_last_words_is_a_question(shop: Workshop, line: str, work: str) -> None:
    record = said(shop, line, work)
    assert (record["end_state"], record["cause"]) == ("needs_attention", "asked_question")
    assert record["reason"].startswith(f"The agent asked a question instead of finishing: {line} (")
    assert shop.project.status(ID) == "needs_attention"
    assert "Answer it in the spec" in shop.handle().diagnose(ID).text


def test_work_that_is_done_is_done_whatever_is_asked_last(shop: Workshop) -> None:
    tick = 'sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"'
    record = said(shop, "Anything else?", f"{tick}; {COMMIT}")
    assert record["end_state"] == "completed"
    assert "cause" not in record


def test_an_agent_may_find_nothing_to_change_and_a_person_accepts_it(shop: Workshop) -> None:
    record = said(shop, "Nothing to change: the ferry sails on Mondays since May.")
    assert (record["end_state"], record["cause"]) == ("needs_attention", "nothing_to_change")
    assert "the ferry sails on Mondays since May." in record["reason"]
    chant = shop.handle()
    assert "--already-done" in chant.diagnose(ID).text
    chant.finalize(ID, already_done=True)
    assert shop.project.status(ID) == "completed"
    assert "- [ ]" not in shop.project.text(ID)
    (receipt,) = git(shop.root, "for-each-ref", "--format=%(objectname)", "refs/chant/receipts").split()
    assert "the ferry sails on Mondays since May." in git(shop.root, "cat-file", "blob", receipt)
    assert "consistent" in chant.receipt_verify(ID).text


def test_who_commits_does_not_find_nothing_to_change(shop: Workshop) -> None:
    record = said(shop, "Nothing to change: it is fine.", COMMIT)
    assert record["end_state"] == "failed"
    assert "cause" not in record
