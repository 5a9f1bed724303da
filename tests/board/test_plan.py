"""What a project holds, on the board: columns, one item, what is looked for, and what others change."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from board import scene
from board.showing import WIDE, Board, shown
from chant_mcp.board.listing import Listing
from harness import Project
from writing import tree

pytestmark = pytest.mark.anyio


def keys(board: Board) -> str:
    """Read the foot."""
    return board.text.splitlines()[-1]


async def test_items_stand_in_columns_with_counts_and_the_keys_at_the_foot(
    root: Path, size: tuple[int, int]
) -> None:
    scene.everything(root)
    async with shown(root, size) as board:
        await board.sees(
            "Can begin 3", "Being worked on 2", "Needs you 2", "2/7", "Cache the feed", "tickets"
        )
        await board.until(lambda: "Column" in keys(board))
        for key in ("Open", "/ Filter", "s Search", "? Keys", "d Dialect", "q Quit"):
            assert key in keys(board), keys(board)
        await board.press("right", "right", "right", "right")
        await board.sees("Done 6", "Store crossings")


async def test_the_chosen_item_is_shown_with_what_it_waits_for_and_what_waits_for_it(
    root: Path, size: tuple[int, int]
) -> None:
    scene.everything(root)
    async with shown(root, size) as board:
        await board.sees("Being worked on 2")
        await board.press("right", "enter")
        await board.sees("Depends on", "Store crossings", "Read the timetable", "Needed by", "as passengers")
        assert "Tell passengers about delays" in board.text, "what waits for that is shown, too"
        assert ("Cache the feed" in board.text) is (size == WIDE)
        await board.press("escape")
        await board.sees("Can begin 3")


async def test_a_filter_looks_at_titles_and_a_search_at_texts(root: Path) -> None:
    scene.everything(root)
    async with shown(root) as board:
        await board.sees("Can begin 3")
        await board.press("slash")
        await board.type("NAÏVE")
        await board.sees("Print tickets")
        await board.sees_no("Cache the feed")
        await board.press("escape")
        await board.sees("Cache the feed")
        await board.press("slash")
        await board.type("passengers asked")
        await board.sees("Nothing matches.")
        await board.press("ctrl+t")
        await board.sees("Print tickets", "texts with “passengers asked”")
        await board.press("enter", "q")
        await board.until(lambda: not board.app.is_running or board.app._exit, "q quits again")


async def test_letters_typed_into_the_filter_are_no_keys(root: Path) -> None:
    scene.everything(root)
    async with shown(root) as board:
        await board.press("slash")
        await board.type("qd2sa/")
        await board.sees("“qd2sa/”")


async def test_a_change_by_another_process_is_seen_within_a_second(root: Path) -> None:
    scene.specs(root)
    path = Project(root).path("2026-02-09-002-s4p")
    program = (
        "import pathlib, sys; path = pathlib.Path(sys.argv[1]); text = path.read_text(encoding='utf-8'); "
    )
    program += "path.write_text(text.replace(sys.argv[2], sys.argv[3]), encoding='utf-8')"
    took: list[float] = []
    async with shown(root) as board:
        await board.sees("Cache the feed")
        for old, new in (("Cache the", "Drop the"), ("Drop the", "Burn the"), ("Burn the", "Keep the")):
            subprocess.run([sys.executable, "-c", program, path, old, new], check=True)
            took.append(await board.sees(new))
    assert min(took) < 1, took


async def test_what_is_chosen_stays_chosen_and_in_sight(root: Path) -> None:
    project = Project(root)
    for number in range(30):
        project.spec(f"2026-02-02-{number:03}-abc", body=f"# Spec number {number}.")
    async with shown(root) as board:
        await board.sees("Can begin 30")
        await board.press(*["j"] * 20)
        await board.sees("Spec number 20.")
        project.spec("2026-01-01-001-aaa", body="# An earlier one.")
        await board.sees("Can begin 31")
        await board.press("enter")
        await board.sees("chant:2026-02-02-020-abc")


async def test_cards_of_a_large_project_are_loaded_as_they_come_into_sight(root: Path) -> None:
    project = Project(root)
    for number in range(450):
        project.spec(f"2026-02-02-{number:03}-abc", body=f"# Spec number {number}.")
    async with shown(root) as board:
        await board.sees("Can begin 450")
        cards = board.app.query(Listing).first()
        assert cards.option_count == 100
        for count in (200, 300, 400, 450):
            await board.press("end")
            await board.until(lambda count=count: cards.option_count == count, f"{count} cards")
        await board.press("end")
        await board.sees("Spec number 449.")


async def test_lists_are_left_alone_while_nothing_changes(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.everything(root)
    async with shown(root) as board:
        await board.sees("Can begin 3")
        looks: list[bool] = []
        drawn: list[str] = []
        look = board.app._feed.look
        monkeypatch.setattr(
            board.app._feed,
            "look",
            lambda wanted, **how: (looks.append(how["is_changed"]), look(wanted, **how))[1],
        )
        for name in ("set_options", "add_options", "replace_option_prompt_at_index"):
            monkeypatch.setattr(Listing, name, lambda *_, name=name: drawn.append(name))
        await board.until(lambda: len(looks) > 1)
        assert (drawn, any(looks)) == ([], False), "no look at the columns without a change"


async def test_an_empty_folder_says_how_to_begin_and_shows_what_comes(root: Path) -> None:
    async with shown(root) as board:
        await board.sees("There is nothing to show", "chant-mcp init")
        scene.specs(root)
        await board.sees("Can begin 1")


@pytest.mark.parametrize(
    ("write", "texts"),
    [
        (scene.specs, ["Can begin 1", "Cache the feed"]),
        (scene.plan, ["Being worked on 1", "Map of the harbour"]),
        (scene.tickets, ["Needs you 1", "Pay by card"]),
        (scene.feature, ["Phase 1: Setup", "T003", "2/5"]),
    ],
    ids=["chant", "vine", "tickets", "speckit"],
)
async def test_each_dialect_alone(root: Path, write: Callable[[Path], None], texts: list[str]) -> None:
    write(root)
    async with shown(root) as board:
        if write is scene.feature:
            await board.press("2")
        await board.sees(*texts)


async def test_all_dialects_together_and_one_after_the_other(root: Path) -> None:
    scene.everything(root)
    async with shown(root) as board:
        await board.sees("Cache the feed", "Show departures", "Pay by card", "Can begin 3")
        for texts in (
            ["Begin 1 ", "Print tickets"],
            ["Begin 0 ", "Map of the harbour"],
            ["T003"],
            ["Pay by"],
        ):
            await board.press("d")
            await board.sees(*[text.replace("Begin", "Can begin") for text in texts])
            await board.until(lambda: "Needs you 2" not in board.text, "one dialect alone")
        await board.press("d")
        await board.sees("Can begin 3")


async def test_a_file_that_cannot_be_read_is_a_problem_and_no_crash(root: Path) -> None:
    scene.specs(root)
    Project(root).write("2026-02-05-003-u0x", b"---\nstatus: [\n---\n")
    (root / "bad.vine").write_text("no plan", encoding="utf-8")
    async with shown(root) as board:
        await board.sees("5 Problems 2")
        await board.press("5")
        await board.sees("2026-02-05-003-u0x.md", "bad.vine")


async def test_looking_at_everything_changes_no_file(root: Path) -> None:
    scene.everything(root)
    before = tree(root)
    async with shown(root, is_read_only=True) as board:
        for view in ("board", "tasks", "agents", "questions", "problems"):
            board.app.action_view(view)
            await board.pilot.pause()
        await board.press("1", "right", "enter", "escape", "d")
        await board.sees("Show departures")
    assert tree(root) == before


@pytest.mark.parametrize("size", [(60, 24), (80, 24), (100, 30), (140, 45), (200, 45)])
async def test_titles_end_at_words_in_columns_of_each_width(root: Path, size: tuple[int, int]) -> None:
    title = "Passengers reserve internationally comfortable accommodations everywhere"
    project = Project(root)
    for number, status in enumerate(["pending", "in_progress", "completed", "failed", *["pending"] * 30]):
        project.spec(f"2026-02-02-{number:03}-abc", body=f"# {title}", status=status)
    async with shown(root, size) as board:
        await board.sees("Passengers")
        lines = [line for line in board.text.splitlines() if "Passengers" in line]
        parts = [part for line in lines for part in re.split(r" [○◑⊘●] ", line)[1:]]
        # Behind a title may be the bar that scrolls, or the item beside the columns.
        cards = [re.split(r"  | ?[│▁-█▉-▏]", part)[0].strip() for part in parts]
        assert len(cards) > 2
        for card in cards:
            assert card.endswith("…"), board.text
            words = card.rstrip("…").split()
            assert words == title.split()[: len(words)], board.text
        strip = next(line for line in board.text.splitlines() if "▸" in line and "✓" in line)
        assert strip.endswith("1"), "the number of the last column is seen"
