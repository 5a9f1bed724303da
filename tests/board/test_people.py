"""Agents and people on the board: logs that grow, questions and their answers, tasks that are ticked."""

from __future__ import annotations

from pathlib import Path

import pytest
from board import scene
from board.showing import Board, shown
from chant.reading import record
from chant_mcp._core import SpeckitFeatures
from chant_mcp.board.questions import AnswerDialog, AnswerField
from click.testing import CliRunner
from harness import Project, user_config
from steering import FORBIDDEN, STEERING
from textual.widgets import TabbedContent
from writing import tree

pytestmark = pytest.mark.anyio

SPEC = "2026-02-05-001-s6e"
PROMPT = "Which harbour comes first?"


@pytest.fixture
def features(root: Path) -> SpeckitFeatures:
    """A feature that is being implemented, as an agent's server has it."""
    scene.feature(root)
    return scene.session(root).speckit


def asked(features: SpeckitFeatures, prompt: str = PROMPT) -> str:
    return features.ask(prompt, agent="claude").data["id"]


def outcome(features: SpeckitFeatures, question: str) -> tuple[str, str | None]:
    """Read how a question ended, and by whom."""
    found = next(one for one in features.questions(all=True).data if one["id"] == question)
    return found["state"], found["closed_by"]


async def asks(board: Board) -> None:
    await board.until(lambda: isinstance(board.app.focused, AnswerField))
    await board.sees("Your answer")


# Agents


async def test_a_log_is_shown_as_it_grows(root: Path, size: tuple[int, int]) -> None:
    scene.specs(root)
    scene.run(root)
    async with shown(root, size) as board:
        await board.press("3")
        await board.sees("failed", SPEC, "4:10", "exit code 3", "Reading ferry/feed.py")
        with (root / f".chant/logs/{SPEC}.log").open("a", encoding="utf-8") as log:
            log.write("2026-02-10T08:00:02Z out naïve 日本 is read\n")
        await board.sees("naïve 日本 is read")
        assert board.text.count("Reading ferry") == 1
        Project(root).log(SPEC, "2026-02-10T09:00:00Z out Anew\n")
        await board.sees("Anew")
        await board.sees_no("Reading ferry")


async def test_texts_of_others_do_nothing_to_the_terminal(root: Path, features: SpeckitFeatures) -> None:
    steering = " ".join(STEERING.splitlines())
    scene.specs(root)
    Project(root).spec("2026-02-09-001-hos", body=f"# Hostile {steering} end")
    scene.run(root)
    with (root / f".chant/logs/{SPEC}.log").open("a", encoding="utf-8") as log:
        log.write(f"2026-02-10T08:00:02Z out loud {steering} end\n")
    async with shown(root, (200, 45)) as board:
        await board.sees("Hostile")
        _assert_harmless(board)
        await board.press("3")
        await board.sees("loud")
        _assert_harmless(board)
        asked(features, f"Which {steering} one?")
        await board.sees("Which")
        _assert_harmless(board)


def _assert_harmless(board: Board) -> None:
    found = FORBIDDEN.findall(board.text.replace("\n", ""))
    assert found == [], board.text


async def test_logs_follow_the_run_that_is_chosen(root: Path) -> None:
    scene.specs(root)
    scene.run(root)
    other = "2026-02-10-001-z3b"
    record(Project(root), f"{other}-2", started_at="2026-02-10T11:00:00Z")
    Project(root).log(other, "2026-02-10T11:00:01Z out Printed\n")
    async with shown(root) as board:
        await board.press("3")
        await board.sees(f"{other} ", f"{SPEC} ")
        for _ in range(2):
            await board.press("down")
            await board.until(lambda: "Printed" in board.text or "Reading" in board.text)
        await board.press("up", "up")
        await board.sees("Log of")


async def test_agents_stand_below_how_busy_their_accounts_are(root: Path) -> None:
    scene.specs(root)
    scene.run(root)
    async with shown(root) as board:
        await board.press("3")
        await board.sees("failed", SPEC)
        assert not board.app.query_one("#load").display
    settings = user_config()
    text = settings.read_text(encoding="utf-8").removeprefix("---\n")
    settings.write_text(f"---\naccounts: {{team-a: {{max: 20}}}}\n{text}", encoding="utf-8")
    async with shown(root) as board:
        await board.press("3")
        await board.sees("Accounts: team-a 0 of 20", SPEC)


# Questions


async def test_a_question_opens_a_dialog_that_answers_it(
    root: Path, features: SpeckitFeatures, size: tuple[int, int]
) -> None:
    async with shown(root, size) as board:
        await board.press("2")
        question = asked(features)
        await asks(board)
        await board.sees("Question 1 of 1", PROMPT, "claude")
        await board.press("enter")
        await board.sees("Type an answer")
        await board.type("q naïve 日本")
        await board.press("enter")
        await board.until(lambda: outcome(features, question) == ("answered", "board"))
        assert features.ask(PROMPT, agent="claude").data["state"] == "answered"
        told = features.report_status("needs_input", question=question)
        assert told.text == "User response: q naïve 日本"
        await board.press("4")
        await board.sees("No agent waits", "What agents reported", "closed")


async def test_escape_leaves_a_question_and_a_key_cancels_it(root: Path, features: SpeckitFeatures) -> None:
    first, second = asked(features), asked(features, "And then?")
    async with shown(root) as board:
        await board.sees("4 Questions 2", "2 waiting for an answer")
        await board.press("a")
        await asks(board)
        await board.sees("Question 1 of 2", PROMPT)
        await board.press("escape")
        await board.until(lambda: not isinstance(board.app.screen, AnswerDialog))
        assert outcome(features, first) == ("open", None)
        await board.press("4", "down", "enter")
        await asks(board)
        await board.sees("And then?")
        await board.press("ctrl+x")
        await board.until(lambda: outcome(features, second) == ("cancelled", "board"))
        await board.sees("4 Questions 1")


async def test_a_question_that_somebody_else_answers_closes_the_dialog(
    root: Path, features: SpeckitFeatures
) -> None:
    question = asked(features)
    async with shown(root) as board:
        await board.sees("4 Questions 1")
        await board.press("a")
        await asks(board)
        features.answer(question, "Here.")
        await board.until(lambda: not isinstance(board.app.screen, AnswerDialog))
        await board.sees("Somebody else closed")


async def test_a_question_does_not_interrupt_typing(root: Path, features: SpeckitFeatures) -> None:
    scene.specs(root)
    async with shown(root) as board:
        await board.sees("Can begin 3")
        await board.press("slash", "f", "e")
        asked(features)
        await board.sees("An agent asks", "4 Questions 1")
        await board.press("e", "d")
        await board.sees("“feed”")


async def test_a_board_started_late_shows_what_it_missed(root: Path, features: SpeckitFeatures) -> None:
    features.report_status("error", message="The mail server is gone")
    features.complete("T003", agent="claude")
    async with shown(root) as board:
        await board.press("4")
        await board.sees("The mail server is gone", "task=T003")


# Tasks


async def test_a_task_is_ticked_in_one_character(
    root: Path, features: SpeckitFeatures, size: tuple[int, int]
) -> None:
    path = root / "specs/001-booking/tasks.md"
    before = path.read_bytes()
    async with shown(root, size) as board:
        await board.press("2")
        await board.sees("2/5", "can be done now: T003, T004", "[ ] T003")
        await board.press("x")
        await board.sees("[x] T003", "3/5", "2 Tasks 3/5")
        features.complete("T004", agent="claude")
        await board.sees("[x] T004", "4/5")
    old = before.decode().replace("[ ] T003", "[x] T003").replace("[ ] T004", "[x] T004")
    assert path.read_text(encoding="utf-8") == old


async def test_the_board_says_that_a_folder_is_not_trusted_and_runs_no_check(
    root: Path, tmp_path: Path
) -> None:
    scene.feature(root)
    mark = tmp_path / "ran"
    (root / ".specify/chant-mcp.yml").write_text(f"checks: {{unit: [touch, '{mark}']}}\n", encoding="utf-8")
    user_config().unlink()
    async with shown(root) as board:
        await board.sees("not trusted")
        await board.press("2")
        await board.sees("[ ] T003")
        await board.press("x")
        await board.sees("This folder is not")
    assert not mark.exists()


async def test_what_the_core_refuses_is_told(root: Path, features: SpeckitFeatures) -> None:
    path = root / "specs/001-booking/tasks.md"
    before = path.read_bytes()
    async with shown(root) as board:
        await board.press("2")
        await board.sees("[ ] T005")
        await board.press("down", "down", "x")
        await board.sees("T005", "T003, T004", "2/5")
        await board.until(lambda: any(n.severity == "error" for n in board.app._notifications))
    assert path.read_bytes() == before


async def test_without_a_feature_the_board_says_where_it_looked(root: Path) -> None:
    scene.specs(root)
    folder = root / "specs" / "060-login"
    folder.mkdir(parents=True)
    (folder / "tasks.md").write_text("- [ ] T001 Begin\n", encoding="utf-8")
    async with shown(root) as board:
        await board.press("2")
        await board.sees("No feature is current here.", "Looked for one in")


async def test_without_features_there_is_no_screen_of_tasks(root: Path) -> None:
    scene.specs(root)
    async with shown(root) as board:
        await board.sees("1 Board", "3 Agents")
        assert "2 Tasks" not in board.text
        await board.press("2")
        await board.pilot.pause()
        assert board.app.query_one(TabbedContent).active == "board"
        scene.feature(root)
        await board.sees("2 Tasks")


async def test_a_board_that_only_reads_offers_no_changes(root: Path, features: SpeckitFeatures) -> None:
    asked(features)
    before = tree(root)
    async with shown(root, is_read_only=True) as board:
        await board.sees("read only", "4 Questions 1")
        await board.press("2", "x", "a")
        await board.pilot.pause()
        assert "Complete" not in board.text
        assert "Answer" not in board.text
        await board.press("4", "enter")
        await board.pilot.pause()
        assert not isinstance(board.app.screen, AnswerDialog)
        asked(features, "More?")
        await board.sees("4 Questions 2")
        assert not isinstance(board.app.screen, AnswerDialog)
    state = ".chant-mcp/"  # the agent writes there
    after = tree(root)
    assert {name: after[name] for name in after if not name.startswith(state)} == {
        name: before[name] for name in before if not name.startswith(state)
    }


# The command


def test_without_textual_the_command_names_its_extra(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from chant_mcp.cli import program

    monkeypatch.setattr("chant_mcp.commands.board.find_spec", lambda _: None)
    result = CliRunner().invoke(program, ["--project", str(root), "board"])
    assert (result.exit_code, "chant-mcp[board]" in result.output) == (1, True)


def test_without_a_terminal_the_command_says_so(root: Path) -> None:
    from chant_mcp.cli import program

    result = CliRunner().invoke(program, ["--project", str(root), "board"])
    assert (result.exit_code, "needs a terminal" in result.output) == (1, True)
