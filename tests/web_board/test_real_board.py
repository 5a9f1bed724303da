"""The page on the real server of `board --web`, in a real browser, with the files of a project behind it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chant_mcp
import pytest
from board.changing import feature, plan
from cli.ticket_files import ticket_project, write_ticket
from harness import Project
from server.test_web_board import ID, WAITING, project_at
from server.web_board_process import WebBoardProcess, start_web_board
from web_board.conftest import CHROMIUM

pytest.importorskip("playwright", reason="Playwright is not installed")
from playwright.sync_api import Page, sync_playwright

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed: the board's page is not tested"),
    pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal"),
]

PATIENCE = 10_000
"""Milliseconds to wait for something on the page."""


@pytest.fixture
def real_board(tmp_path: Path) -> Iterator[WebBoardProcess]:
    """The command at a terminal, on a project with a spec that waits for approval."""
    project = project_at(tmp_path)
    hostile = "# <b>Bold</b> [x](javascript:alert(1))\n\n## Acceptance Criteria\n\n- [ ] Shown"
    project.spec("2026-01-24-001-lnk", body=hostile)
    board = start_web_board(project.root)
    yield board
    board.discard()


def look(board: WebBoardProcess, use: Callable[[Page], None]) -> list[str]:
    """Open the board in a browser of its own; give what its console said."""
    said: list[str] = []

    def open_and_use() -> None:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
            page = browser.new_page(viewport={"width": 1300, "height": 800})
            page.set_default_timeout(PATIENCE)
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.goto(f"{board.url}/board#once={board.code}")
            use(page)
            browser.close()

    # The browser's loop has a thread of its own, so that other tests may have theirs.
    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(open_and_use).result()
    return said


def test_boxes_of_tickets_and_new_tasks_reach_the_files(real_board: WebBoardProcess) -> None:
    root = real_board.listening.root
    ticket_project(root)
    ticket = write_ticket(root, 1, body="## 4. Acceptance Criteria\n\n- [ ] It is shown\n")
    plan(root, "[whole] All of it (started)\n")
    feature(root)

    def add(page: Page, kind: str, title: str) -> None:
        page.get_by_role("button", name="+ Add").click()
        page.get_by_label("Kind").select_option(label=kind)
        page.get_by_role("textbox", name="Title").fill(title)
        page.keyboard.press("Enter")
        page.get_by_text(title).first.wait_for()

    def use(page: Page) -> None:
        page.get_by_text("DEM-001").first.wait_for()
        page.evaluate("location.hash = 'item/tickets:DEM-001'")
        page.get_by_role("tab", name="Criteria 0/1").click()
        page.get_by_label("It is shown").check()
        page.get_by_role("tab", name="Criteria 1/1").wait_for()
        page.keyboard.press("Escape")
        add(page, "Task of plan.vine", "Büro: paint it")
        add(page, "Task of 060-login", "Sweep the floor")

    assert look(real_board, use) == []
    assert "- [x] It is shown" in ticket.read_text("utf-8")
    assert "-> b-ro-paint-it" in (root / "plan.vine").read_text("utf-8")
    assert "- [ ] T004 Sweep the floor\n" in (root / "specs/060-login/tasks.md").read_text("utf-8")


def test_a_person_acts_on_the_real_board(real_board: WebBoardProcess) -> None:
    root = real_board.listening.root
    waiting = root / ".chant" / "specs" / f"{WAITING}.md"

    def use(page: Page) -> None:
        page.get_by_text("Needs you").wait_for()
        assert "once=" not in page.url
        # Another program's change is seen without a reload.
        text = waiting.read_text("utf-8").replace("# Two", "# Two of them")
        waiting.write_text(text, encoding="utf-8")
        page.get_by_text("Two of them").first.wait_for()
        page.keyboard.press("5")
        page.get_by_role("button", name="Approve").first.click()
        page.get_by_text("Nothing needs you.").wait_for()

    assert look(real_board, use) == []
    assert "status: approved" in waiting.read_text("utf-8")


def test_a_person_reviews_work_on_the_real_board(real_board: WebBoardProcess) -> None:
    project = Project(real_board.listening.root)
    project.git("switch", "-q", "-c", f"chant/{ID}")
    (project.root / "form.py").write_text("name = input()\nprint(name)\n", encoding="utf-8")
    project.git("add", "form.py")
    project.git("commit", "-q", "-m", "Ask for the name")
    project.git("switch", "-q", "-")

    def say(page: Page, text: str) -> None:
        page.get_by_label("Text", exact=True).fill(text)
        page.keyboard.press("Control+Enter")
        page.get_by_role("list", name="Comments").get_by_text(text).wait_for()

    def use(page: Page) -> None:
        page.get_by_text("Needs you").wait_for()
        page.evaluate(f"location.hash = 'item/chant:{ID}'")
        page.get_by_role("tab", name="Review").click()
        page.get_by_role("group", name="form.py").get_by_text("+name = input()").wait_for()
        page.get_by_role("button", name="Comment…").last.click()
        assert page.get_by_label("Lines").input_value() == "form.py:1-2"
        say(page, "Say what is asked for.")
        page.get_by_text("1 comment must be resolved before this lands.").wait_for()
        page.get_by_role("button", name="Reply…").click()
        say(page, "In German, too.")
        page.get_by_role("button", name="All seen").click()
        page.get_by_role("button", name="Since my look").click()
        page.get_by_text("There is nothing new to see.").wait_for()
        page.get_by_role("button", name="All", exact=True).click()
        page.get_by_role("button", name="Resolve").click()
        page.get_by_role("button", name="Resolve").wait_for(state="detached")
        page.get_by_role("button", name="Approve").click()
        page.get_by_role("status").get_by_text("Approved").wait_for()

    assert look(real_board, use) == []
    review = chant_mcp.open(project.root).spec(ID).review()
    (thread,) = review.threads
    assert (thread["state"], thread["weight"], thread["kind"]) == ("resolved", "must", "person")
    assert (thread["place"]["first"], thread["place"]["last"]) == (1, 2)
    assert [reply["text"] for reply in thread["replies"]] == ["In German, too."]
    assert [approval["not_covered"] for approval in review.data["approvals"]] == [0]


def test_a_person_edits_the_attributes_of_items(real_board: WebBoardProcess) -> None:
    root = real_board.listening.root
    spec = root / ".chant" / "specs" / f"{WAITING}.md"
    ticket_project(root)
    ticket = write_ticket(root, 1, title="Sign up", body="# Sign up\n")
    plan(root, "[whole] All of it (started)\n")

    def edit(page: Page, key: str, **fields: str) -> None:
        page.evaluate(f"location.hash = 'item/{key}'")
        page.get_by_role("button", name="Edit…").click()
        for label, text in fields.items():
            page.locator("dialog").get_by_label(label).fill(text)
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Saved.").first.wait_for()
        page.keyboard.press("Escape")

    def use(page: Page) -> None:
        page.get_by_text("DEM-001").first.wait_for()
        title, waits, labels = "Title", "Depends on", "Labels"
        edit(
            page,
            f"chant:{WAITING}",
            **{title: "Two again", labels: "web, ui", "Done when": "It works\nIt is safe"},
        )
        edit(page, "tickets:DEM-001", **{title: "Register", waits: f"chant:{WAITING}"})
        edit(page, "vine:plan.vine#whole", **{title: "All"})
        assert page.locator("link[rel=icon]").count() == 1

    assert look(real_board, use) == []
    text = spec.read_text("utf-8")
    assert "# Two again\n" in text
    assert "- [ ] It works\n- [ ] It is safe\n" in text
    assert "web" in text
    assert "title: Register" in ticket.read_text("utf-8") or "# Register" in ticket.read_text("utf-8")
    assert WAITING in ticket.read_text("utf-8")
    assert "[whole] All (started)" in (root / "plan.vine").read_text("utf-8")


def test_a_person_adds_items_with_labels_and_dependencies(real_board: WebBoardProcess) -> None:
    root = real_board.listening.root
    feature(root)

    def add(page: Page, title: str, waits: str, **more: str) -> None:
        page.get_by_role("button", name="+ Add").click()
        page.locator("dialog").get_by_label("Title").fill(title)
        page.locator("dialog").get_by_label("Depends on").fill(waits)
        for label, text in more.items():
            page.locator("dialog").get_by_label(label).fill(text)
        page.locator("dialog").get_by_role("button", name="Add").click()

    def use(page: Page) -> None:
        page.get_by_text("Needs you").wait_for()
        add(page, "Broken", "nothing-like-this", Labels="web")
        page.locator(".notice.is-error", has_text="nothing-like-this").wait_for()
        add(page, "Ship it", WAITING, Labels="web, ui", **{"Done when": "It floats"})
        page.locator("#drawer-title", has_text="Ship it").wait_for()

    assert [line for line in look(real_board, use) if "400" not in line] == []
    specs = root / ".chant" / "specs"
    texts = [path.read_text("utf-8") for path in specs.glob("*.md")]
    (added,) = [text for text in texts if "# Ship it" in text]
    assert WAITING in added
    assert "- [ ] It floats\n" in added
    assert "web" in added
    assert "ui" in added
    assert not [text for text in texts if "# Broken" in text]
