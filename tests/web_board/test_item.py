"""The drawer of an item, the graph, the timeline and the agents."""

from __future__ import annotations

import pytest
from web_board.fake_server import FakeBoard
from web_board.looking import OpenBoard, comes_to, until

BOOK = "chant:2026-11-20-002-boo"


def test_an_item_shows_its_text_criteria_log_and_diff(opened: OpenBoard, board: FakeBoard) -> None:
    page = opened.page(f"item/{BOOK}")
    text = page.locator(".document")
    text.wait_for()
    comes_to(page, lambda: text.locator("strong").inner_text(), "ten minutes")
    comes_to(page, lambda: text.locator("table td").all_inner_texts(), ["Foot", "12.00", "Car", "48.50"])
    outside = text.locator("a", has_text="the prices")
    assert outside.get_attribute("rel") == "noopener noreferrer"

    page.get_by_role("tab", name="Criteria 2/3").click()
    page.get_by_label("The price does not change").check()
    page.get_by_role("button", name="Undo").wait_for()
    page.keyboard.press("u")
    page.get_by_text("Undone.").first.wait_for()
    third = "The price does not change while a place is held"
    comes_to(
        page,
        lambda: [{**given, "id": "boo"} for given in board.asked("chant_spec_update")],
        [{"id": "boo", "check": [third]}, {"id": "boo", "uncheck": [third]}],
    )

    page.get_by_role("tab", name="Dependencies").click()
    comes_to(
        page,
        lambda: page.locator(".tree").first.locator("a").all_inner_texts()[0],
        "Log in with a password or a key",
    )
    page.get_by_role("tab", name="Log").click()
    until(page, "document.querySelector('.log')?.textContent === 'Reading the spec\\n12 passed\\n'")
    board.log += "more\n"
    until(page, "document.querySelector('.log').textContent.endsWith('more\\n')")
    page.get_by_role("tab", name="Diff").click()
    comes_to(page, lambda: page.locator(".file").first.locator(".hunks .plus").count(), 4)


def test_a_box_of_a_ticket_and_a_status_of_a_plan_are_changed_and_taken_back(
    opened: OpenBoard, board: FakeBoard
) -> None:
    board.details["tickets:FER-014"] = {"criteria": [{"text": "It floats", "done": False, "line": 9}]}
    page = opened.page("item/tickets:FER-014")
    page.get_by_role("tab", name="Criteria 0/1").click()
    page.get_by_label("It floats").check()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Undone.").first.wait_for()
    box = {"key": "FER-014", "content": "It floats"}
    ticks = [{**box, "operation": "check"}, {**box, "operation": "uncheck"}]
    comes_to(page, lambda: board.asked("manage_cr_sections"), ticks)

    page.evaluate("location.hash = 'item/vine:plans/release.vine#notes'")
    page.get_by_role("heading", name="Write the release notes").wait_for()
    page.get_by_label("Status").select_option("complete")
    page.get_by_text("Status: complete.").first.wait_for()
    page.keyboard.press("u")
    until(page, "document.querySelector('#notices').textContent.includes('Undone.')")
    comes_to(
        page,
        lambda: [given["operations"][0]["status"] for given in board.asked("vine_write")],
        ["complete", "notstarted"],
    )


def test_when_somebody_was_faster_both_texts_are_shown(opened: OpenBoard, board: FakeBoard) -> None:
    page = opened.page(f"item/{BOOK}")
    page.get_by_role("button", name="Edit Rules").click()
    field = page.get_by_label("Rules", exact=True)
    mine, theirs, seen = "- mine", "- theirs", board.section
    field.fill(mine)
    board.section = theirs
    # What others change does not take the text away that is being typed.
    board.change()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Somebody changed this section first").wait_for()
    comes_to(page, lambda: page.get_by_label("What the file says now").inner_text(), theirs)
    assert (field.input_value(), board.section) == (mine, theirs)
    page.get_by_role("button", name="Keep mine").click()
    page.keyboard.press("Control+Enter")
    page.get_by_text("Saved.").first.wait_for()
    sent = [(given["seen"], given["text"]) for given in board.acts]
    assert sent == [(seen, mine), (theirs, mine)]
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Undone.").first.wait_for()
    assert board.section == theirs


def test_the_graph_moves_zooms_and_leads_to_items(opened: OpenBoard, board: FakeBoard) -> None:
    page = opened.page("graph")
    page.wait_for_selector("svg")

    def view() -> list[float]:
        return [float(part) for part in page.locator("svg").get_attribute("viewBox").split()]  # pyright: ignore[reportOptionalMemberAccess]

    at_first = view()
    picture = page.locator(".picture")
    picture.focus()
    page.keyboard.press("+")
    assert view()[2] == pytest.approx(at_first[2] * 0.8)
    page.keyboard.press("ArrowRight")
    assert view()[0] > at_first[0] + at_first[2] * 0.1
    page.keyboard.press("0")
    assert view() == at_first
    box = picture.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + 20
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 100, y, steps=3)
    page.mouse.up()
    assert view()[0] < at_first[0]
    page.mouse.wheel(0, -100)
    until(page, f"document.querySelector('svg').viewBox.baseVal.width < {at_first[2]}")

    page.locator(".graph-list li", has_text="Cancel a booking").hover()
    near = page.locator("g.is-near title").all_text_contents()
    assert set(near) == {"Cancel a booking", "Book a crossing", "Release to the first port"}
    assert "4 h 30 min slack" in page.locator(".graph-list").inner_text()
    page.get_by_role("button", name="Critical path").click()
    until(page, "document.querySelectorAll('.graph-list li').length === 6")
    page.locator(f"g[data-key='{BOOK}'] rect").click()
    page.wait_for_selector("#drawer-title")
    comes_to(page, lambda: page.locator("#drawer-title").inner_text(), "Book a crossing")
    page.get_by_role("tab", name="Dependencies").click()
    page.get_by_role("button", name="Show in the graph").click()
    until(page, "document.querySelector('[aria-label=Steps]')")
    comes_to(page, lambda: board.asked("board_graph")[-1]["key"], BOOK)


def test_the_timeline_and_the_agents(opened: OpenBoard, board: FakeBoard) -> None:
    page = opened.page("timeline")
    rows = page.locator(".timeline .row")
    rows.first.wait_for()
    comes_to(page, lambda: rows.count(), 7)
    comes_to(page, lambda: page.locator(".past.is-failed").count(), 1)
    comes_to(page, lambda: page.locator(".planned.is-critical").count(), 3)
    now, start = (
        page.locator(".now-line").nth(3).bounding_box(),
        page.locator(".planned").first.bounding_box(),
    )
    assert now
    assert start
    assert start["x"] == pytest.approx(now["x"], abs=2)

    page.keyboard.press("4")
    first = page.locator(".entry", has_text="Book a crossing")
    first.wait_for()
    for text in ("claude", "12 min", "$0.42", "48,210 tokens", "2/3", "Editing places.py"):
        assert text in first.inner_text()
    assert "2 of 4 at work" in page.locator(".load").inner_text()
    assert "Cluster rack: build-7 3/4" in page.locator(".page").inner_text()
    first.get_by_role("button", name="Pause").click()
    page.get_by_text("Pause: Book a crossing").first.wait_for()
    comes_to(page, lambda: board.asked("chant_pause"), [{"id": BOOK.removeprefix("chant:")}])
