"""Every screen of the page on the real server, in each state of a project, in each browser that is here."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from board.changing import feature, plan
from chant_mcp._core import SpeckitFeatures
from cli.at_work import FIRST, SECOND, THIRD, AtWork, nothing_left
from cli.ticket_files import ticket_project, write_ticket
from harness import Project
from server.web_board_process import WebBoardProcess, start_web_board
from state_folder import state_folder
from web_board.conftest import CHROMIUM

pytest.importorskip("playwright", reason="Playwright is not installed")
from playwright.sync_api import Browser, Page, Playwright, Request, sync_playwright

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")

SCREENS = ("board", "graph", "timeline", "agents", "inbox", "problems")
ARCHIVED, BEHIND = "2026-01-21-001-old", "2026-01-22-009-new"
WRONG = re.compile(r"\b(?:undefined|null|NaN|Infinity|0 h)\b|\[object|Invalid Date")
"""What no person should read."""

QUIET = 0.06
"""Seconds without a request after which a screen is drawn."""


class Pages:
    """The page in a browser, and what is wrong with it in any state."""

    def __init__(self, page: Page, url: str) -> None:
        """Watch a page that is not open yet."""
        self.page = page
        self.url = url
        self.wrong: list[str] = []
        self.state = ""
        self._pending: set[Request] = set()
        self._changed = time.monotonic()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: self._found(f"console: {message.text}"))
        page.on("pageerror", lambda error: self._found(f"error: {error}"))
        page.on("request", lambda request: self._count(request, is_new=True))
        for event in ("requestfinished", "requestfailed"):
            page.on(event, lambda request: self._count(request, is_new=False))

    def _found(self, what: str) -> None:
        self.wrong.append(f"{self.state}: {what}")

    def _count(self, request: Request, *, is_new: bool) -> None:
        # One request stays open: by it the server says what changed.
        if request.url.endswith("/board/events"):
            return
        (self._pending.add if is_new else self._pending.discard)(request)
        self._changed = time.monotonic()

    def settled(self) -> None:
        """Wait until nothing is on its way."""
        until = time.monotonic() + 15
        self._changed = time.monotonic()
        while self._pending or time.monotonic() - self._changed < QUIET:
            assert time.monotonic() < until, f"{self.state}: requests without an end: {self._pending}"
            self.page.wait_for_timeout(20)

    def go(self, address: str) -> None:
        """Go to an address of the page, and read all that is seen there."""
        self.page.evaluate("address => { location.hash = address }", address)
        self.settled()
        self._read(address)

    def _read(self, where: str) -> None:
        text = self.page.locator("body").inner_text()
        for found in WRONG.finditer(text):
            around = text[max(0, found.start() - 60) : found.end() + 40]
            self._found(f"{where} shows {found[0]!r}: {around!r}")

    def look_around(self, state: str, keys: tuple[str, ...]) -> None:
        """Read all screens, and all parts of some items."""
        self.state = state
        for screen in SCREENS:
            self.go(screen)
        for key in keys:
            self.go(f"item/{key}")
            tabs = self.page.get_by_role("tab")
            for number in range(tabs.count()):
                tabs.nth(number).click()
                self.settled()
                self._read(f"{key}, part {number}")
        self.go("board")


@contextmanager
def browser_of(name: str, playwright: Playwright) -> Iterator[Browser]:
    """Start a browser, if it is installed."""
    if name == "chromium":
        if CHROMIUM is None:
            pytest.skip("no Chromium is installed: the board's page is not tested")
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
    else:
        if not Path(playwright.firefox.executable_path).exists():
            pytest.skip("Playwright's Firefox is not installed")
        browser = playwright.firefox.launch()
    yield browser
    browser.close()


def _fill(project: Project) -> None:
    """Write items of all formats: new ones, and such as have nothing of what others have."""
    root = project.root
    ticket_project(root)
    write_ticket(root, 1, body="# Bare\n")
    write_ticket(root, 2, status="Implemented", body="# Done\n\n- [x] Shown\n")
    plan(root, "[whole] All of it (started)\n-> part\n", "[part] Part of it (notstarted)\n")
    feature(root)
    project.spec("2026-01-22-008-txt", body="No title")


def _archived(root: Path) -> None:
    archive = root / ".chant" / "archive" / "2026-01-21"
    archive.mkdir(parents=True)
    text = "---\ntype: code\nstatus: completed\n---\n\n# Old\n\n## Acceptance Criteria\n\n- [x] Done\n"
    (archive / f"{ARCHIVED}.md").write_text(text, encoding="utf-8")
    behind = (
        f"---\ntype: code\nstatus: pending\ndepends_on:\n- {ARCHIVED}\n---\n\n# Behind the archived one\n"
    )
    (root / ".chant" / "specs" / f"{BEHIND}.md").write_text(behind, encoding="utf-8")


KEYS = (f"chant:{FIRST}", f"chant:{SECOND}", "tickets:DEM-001", "vine:plan.vine#part")


def _all_states(agents: AtWork, board: WebBoardProcess, pages: Pages) -> None:
    root = agents.project.root
    pages.look_around("no run", KEYS)
    agents("work", FIRST)
    agents.until_waiting(FIRST)
    pages.look_around("live", KEYS[:1])
    pages.go("agents")
    assert pages.page.get_by_text("1 at work").count(), "the run that goes on is shown"
    agents.go(FIRST)
    agents.until(FIRST, "completed")
    agents("work", SECOND, "--wait", code=1)
    pages.look_around("ended and failed", KEYS[:2])
    _archived(root)
    SpeckitFeatures(root).ask("Which database?")
    pages.look_around("archived dependencies and questions", (f"chant:{BEHIND}",))
    pages.go("inbox")
    assert pages.page.get_by_text("Which database?").count()
    # The records are gone, their copies for other programs are there.
    shutil.rmtree(state_folder(root))
    pages.look_around("history only", KEYS[:1])


@pytest.mark.parametrize("name", ["chromium", "firefox"])
@pytest.mark.requirement("web_page:real:every_screen_in_every_state")
def test_no_screen_shows_what_is_no_word(name: str, tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    agents = AtWork(project)
    _fill(project)
    agents.spec(FIRST, "Log in", "wait")
    agents.spec(SECOND, "Log out", "fail")
    agents.spec(THIRD, "Sign up", depends_on=[SECOND])
    agents.begin()
    with pytest.MonkeyPatch.context() as patch, nothing_left_but_the_board(project.root) as board:
        patch.chdir(project.root)

        def look() -> list[str]:
            with sync_playwright() as playwright, browser_of(name, playwright) as browser:
                page = browser.new_page(viewport={"width": 1300, "height": 800})
                pages = Pages(page, board.url)
                page.goto(f"{board.url}/board#once={board.code}")
                page.get_by_text("Log in").first.wait_for()
                _all_states(agents, board, pages)
                return pages.wrong

        # The browser's loop has a thread of its own, so that other tests may have theirs.
        with ThreadPoolExecutor(max_workers=1) as thread:
            wrong = thread.submit(look).result()
    assert not wrong, "\n".join(wrong)


@contextmanager
def nothing_left_but_the_board(root: Path) -> Iterator[WebBoardProcess]:
    """Start the board, end it, and look that no agent outlives it."""
    with nothing_left(os.environ["HOME"]):
        board = start_web_board(root)
        try:
            yield board
        finally:
            board.discard()
