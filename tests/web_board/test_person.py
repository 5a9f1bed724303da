"""What only a person may do, and the session that lets them."""

from __future__ import annotations

from web_board.fake_server import KEY, FakeBoard
from web_board.looking import OpenBoard, until


def test_a_person_answers_approves_rejects_merges_and_trusts(opened: OpenBoard, board: FakeBoard) -> None:
    page = opened.page("inbox")
    page.get_by_role("button", name="DKK").click()
    until(page, "document.querySelectorAll('.entry').length === 4")
    tides = page.locator(".entry", has_text="Timetable with tides")
    board.refusal = {
        "kind": "conflict",
        "message": "The spec was changed since you looked.",
        "hint": "Look again.",
    }
    tides.get_by_role("button", name="Approve").click()
    page.locator(".notice.is-error", has_text="changed since you looked. Look again.").wait_for()
    board.refusal = None
    tides.get_by_role("button", name="Reject…").click()
    page.keyboard.press("Enter")
    assert page.locator("dialog").count() == 1, "a reason is needed"
    page.keyboard.type("The tides are wrong")
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('.entry').length === 3")
    page.get_by_role("button", name="Merge").click()
    until(page, "document.querySelectorAll('.entry').length === 2")
    assert "make test" in page.locator(".listing").inner_text()
    page.get_by_role("button", name="Trust this folder").click()
    until(page, "document.querySelectorAll('.entry').length === 1")
    tides_key = {"key": "chant:2026-11-20-004-tim", "version": "v1"}
    assert board.acts == [
        {"act": "answer", "id": "q1", "answer": "DKK"},
        {"act": "approve", **tides_key},
        {"act": "reject", **tides_key, "reason": "The tides are wrong"},
        {"act": "merge", "key": "chant:2026-11-20-006-mai", "version": "v1"},
        {"act": "trust", "hash": "h1"},
    ]


def test_a_merge_that_changes_what_runs_is_shown_first(opened: OpenBoard, board: FakeBoard) -> None:
    page = opened.page("item/chant:2026-11-20-006-mai")
    board.refusal = {"message": "It changes what runs by itself.", "agreement": "a1", "shown": [".envrc"]}
    page.get_by_role("button", name="Merge", exact=True).click()
    dialog = page.locator("dialog")
    dialog.wait_for()
    assert ".envrc" in dialog.inner_text()
    board.refusal = None
    dialog.get_by_role("button", name="Merge").click()
    page.get_by_text("merge: done").first.wait_for()
    assert [given.get("agreement") for given in board.acts] == [None, "a1"]


def test_the_code_leaves_the_address_and_other_tabs_ask_the_first(
    opened: OpenBoard, board: FakeBoard
) -> None:
    page = opened.page()
    assert page.url == f"{opened.url}/board"
    assert page.context.cookies() == []
    page.reload()
    page.wait_for_selector(".row")
    second = opened.tab("/board#item/chant:2026-11-20-002-boo")
    second.wait_for_selector(".drawer")
    late = opened.goto("/board", opened.stranger())
    late.get_by_text("This tab has no session.").wait_for()
    late.goto(f"{opened.url}/board#once=old")
    late.reload()
    late.get_by_text("This code was used already.").wait_for()
    assert KEY not in late.content()

    # A server that does not know the key any more ends the session here.
    second.evaluate("sessionStorage.setItem('chant-person', JSON.stringify({ key: 'other' }))")
    second.reload()
    second.get_by_text("The session has ended.").wait_for()
    assert second.evaluate("sessionStorage.length") == 0
    assert second.locator(".drawer, .row, .screen-link").count() == 0


def test_a_board_for_reading_offers_no_act(opened: OpenBoard, board: FakeBoard) -> None:
    board.read_only = True
    page = opened.page("item/chant:2026-11-20-002-boo")
    page.get_by_role("tab", name="Criteria").click()
    assert page.locator("input[type=checkbox]:enabled").count() == 1, "`texts, too` alone"
    page.evaluate("location.hash = 'inbox'")
    page.wait_for_selector(".entry")
    names = set(page.locator("button").all_inner_texts())
    assert names == {"Diff", "Log", "?"}
