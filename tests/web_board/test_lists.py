"""The columns of the board, its keys, its search and its lanes."""

from __future__ import annotations

from web_board.fake_server import FakeBoard
from web_board.items import card, many
from web_board.looking import OpenBoard, active_row, comes_to, focused, until


def test_of_twenty_thousand_items_only_those_in_sight_have_nodes(opened: OpenBoard, board: FakeBoard) -> None:
    board.reset(many(20_000))
    page = opened.page()
    counts = page.locator(".column .count").all_inner_texts()
    assert counts == ["10,000", "0", "0", "6,000", "4,000"]
    assert page.evaluate("document.querySelectorAll('*').length") < 900
    ready = page.locator(".column.can_begin .rows")
    assert ready.locator(".row").first.get_attribute("aria-setsize") == "10000"

    ready.evaluate("list => { list.focus(); list.scrollTop = 9132 * 78 }")
    row = page.locator("[aria-posinset='9133']")
    # Five of ten specs are ready: the 9,133rd is number 18,262.
    until(page, "document.querySelector('[aria-posinset=\"9133\"]')?.textContent.includes('Item 18262')")
    assert row.is_visible()
    assert page.evaluate("document.querySelectorAll('*').length") < 900
    assert len(board.asked("board_rows")) < 6

    page.keyboard.press("j")
    page.keyboard.press("k")
    row.click()
    page.keyboard.press("Escape")
    page.wait_for_selector(".drawer", state="detached")
    assert "Item 18262" in active_row(page)
    above = row.bounding_box()
    board.items.insert(0, card("can_begin", "chant:first", "One more", "pending", {}))
    board.change()
    until(page, "document.querySelector('[aria-posinset=\"9134\"]')?.textContent.includes('Item 18262')")
    assert "Item 18262" in active_row(page)
    assert page.locator("[aria-posinset='9134']").bounding_box() == above
    comes_to(page, lambda: page.locator(".column .count").first.inner_text(), "10,001")
    assert board.asked("board_look")[-1]["since"], "only what changed was asked for"

    page.keyboard.press("End")
    until(page, "document.querySelector('[aria-posinset=\"10001\"]')?.textContent.includes('Item 19994')")
    assert page.locator("[aria-posinset='10001']").is_visible()


def test_everything_is_reached_by_keys(opened: OpenBoard, board: FakeBoard) -> None:
    page = opened.page()
    press = page.keyboard.press
    press("j")
    assert "Log in" in active_row(page)
    press("j")
    press("ArrowDown")
    assert "Write the release notes" in active_row(page)
    press("l")
    assert focused(page) == "Being worked on"
    assert "Book a crossing" in active_row(page)
    press("Enter")
    page.wait_for_selector(".drawer")
    until(page, "document.activeElement.id === 'drawer-title'")
    press("Escape")
    page.wait_for_selector(".drawer", state="detached")
    assert focused(page) == "Being worked on"
    press("h")
    press("G")
    assert "T007" in active_row(page)
    press("g")
    assert "Log in" in active_row(page)

    for key, name in zip("23456", ["Graph", "Timeline", "Agents", "Inbox", "Problems"], strict=True):
        press(key)
        is_loaded = "document.querySelector('.page .note')?.textContent !== '…'"
        until(page, f"document.title.startsWith('{name}') && {is_loaded}")
    press("5")
    page.wait_for_selector(".entry")
    press("j")
    press("j")
    assert page.evaluate("document.activeElement.textContent") == "Timetable with tides"
    press("1")
    page.wait_for_selector(".row")

    press("/")
    page.keyboard.type("book")
    until(page, "document.querySelectorAll('.row').length === 2")
    comes_to(page, lambda: board.asked("board_look")[-1]["search"], "book")
    press("Escape")
    until(page, "document.querySelectorAll('.row').length === 16")
    press("Escape")

    press("?")
    page.wait_for_selector("dialog")
    page.get_by_label("Single letters are keys").uncheck()
    press("Escape")
    press("a")
    press("4")
    assert page.title().startswith("Board")
    press("Tab")
    page.reload()
    page.wait_for_selector(".row")
    press("a")
    assert page.title().startswith("Board")


def test_filters_and_lanes(opened: OpenBoard, board: FakeBoard) -> None:
    page = opened.page()
    titles = page.locator(".row .card-title")

    def only(label: str, choice: str, titles_then: set[str]) -> None:
        page.get_by_label(label, exact=True).select_option(choice)
        comes_to(page, lambda: set(titles.all_inner_texts()), titles_then)

    everything = set(titles.all_inner_texts())
    only("Format", "tickets", {one["title"] for one in board.items if one["dialect"] == "tickets"})
    only("Format", "", everything)
    only("Label", "booking", {one["title"] for one in board.items if "booking" in one["labels"]})
    only("Label", "", everything)

    page.get_by_label("Lanes").select_option("label")
    page.wait_for_selector(".lane")
    lanes = page.locator(".lane summary b").all_inner_texts()
    assert lanes[0] == "no label"
    assert {"booking", "ui", "release"} <= set(lanes)
    booking = page.locator(".lane", has_text="booking").filter(has=page.locator("b", has_text="booking"))
    comes_to(page, lambda: booking.locator(".being_worked_on .card").count(), 2)
    page.get_by_label("Lanes").select_option("parent")
    page.locator(".lane summary", has_text="Season of 2027").wait_for()
    assert "Release 1.0" in page.locator(".lane summary b").all_inner_texts()


def test_an_answer_to_a_filter_that_holds_no_more_is_not_shown(opened: OpenBoard, board: FakeBoard) -> None:
    page = opened.page()
    page.evaluate("""() => {
        const first = () => document.querySelector(".lane summary b")?.textContent;
        window.firsts = new Set();
        new MutationObserver(() => first() && window.firsts.add(first())).observe(
            document.getElementById("screen"), { childList: true, subtree: true });
    }""")
    board.held_label = "booking"
    page.get_by_label("Label", exact=True).select_option("booking")
    comes_to(page, lambda: board.asked("board_look")[-1]["label"], "booking")
    page.get_by_label("Label", exact=True).select_option("")
    page.get_by_label("Lanes").select_option("label")
    board.held_label = None
    page.wait_for_selector(".lane")
    assert page.evaluate("[...window.firsts]") == ["no label"]


def test_an_empty_project_makes_its_first_item(opened: OpenBoard, board: FakeBoard) -> None:
    board.reset([])
    page = opened.page()
    page.get_by_role("button", name="Make the first spec").click()
    page.locator("dialog").wait_for()
    page.keyboard.type("Log in")
    page.keyboard.press("Tab")
    page.keyboard.type("Wrong passwords are refused\n\nTests pass")
    page.keyboard.press("Tab")
    page.keyboard.type("web, ui")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".drawer")
    criteria = "Wrong passwords are refused\n\nTests pass"
    wanted = {"act": "add", "title": "Log in", "labels": "web, ui", "depends_on": "", "criteria": criteria}
    comes_to(page, lambda: board.acts, [wanted])
    comes_to(page, lambda: page.locator(".row").count(), 1)


def test_a_task_is_added_to_a_plan_and_to_a_feature(opened: OpenBoard, board: FakeBoard) -> None:
    page = opened.page("item/vine:plans/release.vine#notes")
    page.get_by_role("heading", name="Write the release notes").wait_for()

    def add(title: str, kind: str | None = None) -> None:
        page.get_by_role("button", name="+ Add").click()
        kinds = page.get_by_label("Kind")
        kinds.wait_for()
        names = kinds.locator("option").all_inner_texts()
        assert names == ["Spec", "Ticket", "Task of plans/release.vine", "Task of 060-seats"]
        if kind is None:
            assert kinds.input_value() == "vine:plans/release.vine", "the plan of the open item"
        else:
            kinds.select_option(label=kind)
        is_of_spec = page.get_by_label("Labels, with commas").is_visible()
        assert is_of_spec == (kinds.input_value() == "chant")
        page.get_by_role("textbox", name="Title").fill(title)
        page.keyboard.press("Enter")

    add("Notes!")  # there is a task `notes`
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("Undone.").first.wait_for()
    added, removed = board.asked("vine_write")
    task = {"op": "add_task", "id": "notes-2", "name": "Notes!", "description": ""}
    wait = {"op": "add_dep", "taskId": "notes", "depId": "notes-2"}
    assert added == {"file": "plans/release.vine", "operations": [task, wait]}
    assert removed["operations"] == [{"op": "remove_task", "id": "notes-2"}]

    add("Draw the bow", "Task of 060-seats")
    page.get_by_text("add_task: done").first.wait_for()
    assert board.acts[-1] == {"act": "add_task", "feature": "060-seats", "title": "Draw the bow"}


def test_the_palette_finds_screens_acts_and_items(opened: OpenBoard, board: FakeBoard) -> None:
    page = opened.page()
    field = page.get_by_role("combobox", name="Find a screen, an act or an item")

    def choose(typed: str, expected: str) -> None:
        page.keyboard.press("Control+k")
        field.fill(typed)
        comes_to(page, lambda: page.locator(".found [aria-selected=true]").inner_text(), expected)
        page.keyboard.press("Enter")
        page.locator("dialog").wait_for(state="detached")

    choose("goti", "Go to Timeline")
    comes_to(page, lambda: page.evaluate("location.hash"), "#timeline")
    item = next(one for one in board.items if one["dialect"] == "chant")
    page.keyboard.press("Meta+k")
    field.fill(item["title"])
    option = page.locator("#found").get_by_role("option", name=item["title"]).first
    option.wait_for()
    option.click()
    page.locator("#drawer-title", has_text=item["title"]).wait_for()
    page.keyboard.press("Control+k")
    page.locator(".found li", has_text="Edit…").wait_for()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    chosen = page.locator(".found li").nth(1)
    assert chosen.get_attribute("aria-selected") == "true"
    assert field.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    field.fill("no such thing at all")
    comes_to(page, lambda: page.locator(".found").inner_text(), "No match.")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")


def test_the_theme_that_is_chosen_stays(opened: OpenBoard) -> None:
    page = opened.page(theme="light")
    page.get_by_label("Theme").select_option(label="Dark theme")
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(background) == "rgb(21, 24, 27)"
    page = opened.page(theme="light")
    assert page.evaluate(background) == "rgb(21, 24, 27)"
    page.get_by_label("Theme").select_option(label="System theme")
    assert page.evaluate(background) == "rgb(245, 246, 244)"
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Find").fill("dark")
    page.keyboard.press("Enter")
    assert page.evaluate(background) == "rgb(21, 24, 27)"


def test_on_a_narrow_dark_screen_nothing_scrolls_sideways(opened: OpenBoard) -> None:
    page = opened.page(width=360, theme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 27)"
    for name in ("Needs you: 3", "Done: 3"):
        page.get_by_role("button", name=name).click()
        until(
            page, f"document.querySelector('[aria-label=\"{name}\"]').getAttribute('aria-pressed') === 'true'"
        )
    addresses = ["graph", "timeline", "agents", "inbox", "problems", "item/chant:2026-11-20-002-boo"]
    for address in addresses:
        page.evaluate("address => { location.hash = address }", address)
        page.wait_for_selector("#drawer-title" if "/" in address else f"[href='#{address}'][aria-current]")
        assert page.evaluate("document.documentElement.scrollWidth") == 360, address
    # What the drawer covers cannot be reached.
    assert page.evaluate("document.getElementById('screen').inert")


def test_cards_say_who_is_on_them_and_a_phone_opens_where_something_is(
    opened: OpenBoard, board: FakeBoard
) -> None:
    board.reset(
        [
            {**card("waits", "chant:a", "Only one", "blocked", {}), "assignee": "ada"},
            {**card("waits", "chant:b", "Another", "blocked", {}), "assignee": "@eve"},
        ]
    )
    page = opened.page(width=400)
    until(page, "document.querySelector('.picker [aria-pressed=true]')?.dataset.at === 'waits'")
    rows = page.locator(".column.waits .row").all_inner_texts()
    for name, text in zip(("ada", "eve"), rows, strict=True):
        assert f"@{name}" in text
        assert f"@@{name}" not in text
    # The column comes into sight by a movement.
    until(page, "document.querySelector('.column.waits').getBoundingClientRect().left < 400")
