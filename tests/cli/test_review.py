"""`comment`, `review` and `work --say`, as people type them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.at_work import FIRST, SECOND, AtWork, nothing_left
from harness import Project


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AtWork]:
    """A project with two specs, of which the second waits for the first."""
    monkeypatch.setenv("COLUMNS", "100")
    with nothing_left(os.environ["HOME"]):
        project = Project(tmp_path / "project")
        project.root.mkdir()
        monkeypatch.chdir(project.root)
        agents = AtWork(project)
        agents.spec(FIRST, "Log in", target_files=["form.py"])
        agents.spec(SECOND, "Log out", depends_on=[FIRST])
        agents.begin()
        yield agents


def waiting(agents: AtWork) -> str:
    """Have work wait for a comment, and give the comment's ID."""
    said = agents("comment", FIRST, "Say who logs in.")
    found = re.search(r"c-[0-9a-f]{10}", said)
    assert found, said
    assert "does not land before a person resolves this" in said
    assert agents.run("work", FIRST, "--wait").exit_code == 1
    return found[0]


def test_the_loop_as_a_person_types_it(agents: AtWork, tmp_path: Path) -> None:
    thread = waiting(agents)
    (entry,) = agents.json("review")["entries"]
    counts = [entry[key] for key in ("hunks", "new", "open", "stops", "holds_up")]
    assert (entry["spec_id"], entry["risk"]["band"], counts) == (FIRST, "low", [2, 2, 1, 1, 1])
    queue = agents("review")
    assert re.search(rf"{FIRST} +low +1 comment to be done", queue), queue
    assert "2 hunks to read." in queue
    agents("comment", FIRST, "form.py:1", "Why this line?", "--question")
    agents("comment", FIRST, "--criterion", "1", "Where?", "--note")
    agents("comment", FIRST, thread, "And when.")
    shown = agents("review", FIRST)
    for words in ("Criteria", "form.py:1", "Say who logs in.", "And when.", "1 comment stops the landing"):
        assert words in shown, shown
    (line,) = agents("review", FIRST, "--format", "quickfix").splitlines()[:1]
    assert re.fullmatch(r"form\.py:1:1: \[question c-[0-9a-f]{10}\] Why this line\?", line)
    agents("review", FIRST, "--export", str(tmp_path / "review.md"))
    assert "> Say who logs in." in (tmp_path / "review.md").read_text("utf-8")
    entries = agents.json("inbox")["entries"]
    assert [one["command"] for one in entries if FIRST in (one.get("key") or "")] == [
        f"chant-mcp review {FIRST}"
    ]
    assert "is completed" in agents("review", FIRST, "--resolve", thread)
    assert agents("review") == "Nothing waits to be read.\n"


def test_the_short_form_comments_and_sends(agents: AtWork) -> None:
    waiting(agents)
    said = agents("work", FIRST, "--say", "Use one query.")
    assert "Sent 2 comments to the agent" in said
    assert "Started run" in said
    # This agent says nothing to comments.
    ended = agents.until(FIRST, "needs_attention")
    assert "2 comments have no answer" in str(ended)
    assert "must open, sent" in agents("review", FIRST)


def test_what_cannot_be_meant_is_refused(agents: AtWork) -> None:
    agents.run("review", "--send")
    for words, said in {
        ("review", "--send"): "Name the spec",
        ("comment", FIRST, "a", "b", "c"): "in quotes",
        ("work", "--say", "Go on"): "goes with the ID",
    }.items():
        done = agents.run(*words)
        assert done.exit_code == 2, words
        assert said in done.stderr, done.stderr
    refused = agents.run("review", FIRST, "--send")
    assert refused.exit_code != 0
    assert "Nothing to send" in refused.stderr
    read_only = agents.run("--read-only", "comment", FIRST, "No")
    assert "--read-only was given" in read_only.stderr
