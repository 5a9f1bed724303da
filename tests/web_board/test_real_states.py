"""Every screen of the page on the real server, in each state of a project, in each browser that is here."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest
from board.changing import feature, plan
from chant_mcp._core import SpeckitFeatures
from cli.at_work import FIRST, SECOND, THIRD, AtWork, nothing_left
from cli.ticket_files import ticket_project, write_ticket
from harness import Project
from plans.projects import PROJECTS, TICKED, make
from server.web_board_process import WebBoardProcess, start_web_board
from state_folder import state_folder
from web_board.conftest import CHROMIUM
from web_board.firefox import FIREFOX, started_firefox

pytest.importorskip("playwright", reason="Playwright is not installed")
from playwright.sync_api import Page, sync_playwright

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")

SCREENS = ("board", "graph", "timeline", "agents", "inbox", "problems")
ARCHIVED, BEHIND = "2026-01-21-001-old", "2026-01-22-009-new"
WRONG = re.compile(r"\b(?:undefined|null|NaN|Infinity|0 h)\b|\[object|Invalid Date")
"""What no person should read."""

QUIET = 0.06
"""Seconds without a request after which a screen is drawn."""


_COUNT_REQUESTS = """
const count = (window.requests = { pending: 0, changed: performance.now() });
const fetch = window.fetch.bind(window);
window.fetch = async (path, options) => {
  // One request stays open: by it the server says what changed.
  if (path === "/board/events") return fetch(path, options);
  count.pending += 1;
  try { return await fetch(path, options); }
  finally { count.pending -= 1; count.changed = performance.now(); }
};
"""
_IS_QUIET = """
const { pending, changed } = window.requests;
return pending === 0 && performance.now() - changed > arguments[0] * 1000;
"""


class BrowserPage(Protocol):
    """A page in some browser."""

    def open(self, url: str) -> None:
        """Load a page."""
        ...

    def run(self, script: str, *given: Any) -> Any:
        """Run the body of a function in the page."""
        ...

    def errors(self) -> list[str]:
        """Give what the console says, errors of the page among it."""
        ...


class ChromiumPage:
    """A page in Chromium."""

    def __init__(self, page: Page) -> None:
        """Watch a page that is not open yet."""
        self._page = page
        self._errors: list[str] = []
        page.on("console", lambda message: self._errors.append(message.text))
        page.on("pageerror", lambda error: self._errors.append(str(error)))

    def open(self, url: str) -> None:
        """Load a page."""
        self._page.goto(url)

    def run(self, script: str, *given: Any) -> Any:
        """Run the body of a function in the page."""
        return self._page.evaluate(f"given => (function () {{ {script} }}).apply(null, given)", list(given))

    def errors(self) -> list[str]:
        """Give what the console says, errors of the page among it."""
        return self._errors


class Pages:
    """The page in a browser, and what is wrong with it in any state."""

    def __init__(self, page: BrowserPage) -> None:
        """Take the page, which is not open yet."""
        self.page = page
        self.wrong: list[str] = []
        self.state = ""

    def open(self, url: str, text: str) -> None:
        """Load the board, and wait for a text."""
        self.page.open(url)
        self.page.run(_COUNT_REQUESTS)
        self.until(lambda: text in self.text())

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        until = time.monotonic() + 15
        while not holds():
            assert time.monotonic() < until, f"{self.state}: {self.text()}"
            time.sleep(0.02)

    def settled(self) -> None:
        """Wait until nothing is on its way."""
        self.page.run("window.requests.changed = performance.now()")
        self.until(lambda: self.page.run(_IS_QUIET, QUIET))

    def text(self) -> str:
        """Give all that is seen."""
        return self.page.run("return document.body.innerText")

    def go(self, address: str) -> None:
        """Go to an address of the page, and read all that is seen there."""
        self.page.run("location.hash = arguments[0]", address)
        self.settled()
        self._read(address)

    def _read(self, where: str) -> None:
        text = self.text()
        for found in WRONG.finditer(text):
            around = text[max(0, found.start() - 60) : found.end() + 40]
            self.wrong.append(f"{self.state}: {where} shows {found[0]!r}: {around!r}")

    def look_around(self, state: str, keys: tuple[str, ...]) -> None:
        """Read all screens, and all parts of some items."""
        self.state = state
        for screen in SCREENS:
            self.go(screen)
        for key in keys:
            self.go(f"item/{key}")
            for number in range(self.page.run("return document.querySelectorAll('[role=tab]').length")):
                self.page.run("document.querySelectorAll('[role=tab]')[arguments[0]].click()", number)
                self.settled()
                self._read(f"{key}, part {number}")
        self.go("board")
        self.wrong += [f"{state}: console: {text}" for text in self.page.errors()]


@contextmanager
def page_in(name: str, folder: Path) -> Iterator[BrowserPage]:
    """Open a page in a browser, if it is installed."""
    if name == "firefox":
        if FIREFOX is None:
            pytest.skip("no Firefox is installed: the board's page is tested in Chromium alone")
        with started_firefox(FIREFOX, folder / "profile") as page:
            yield page
        return
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: the board's page is not tested in it")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield ChromiumPage(browser.new_page(viewport={"width": 1300, "height": 800}))
        browser.close()


def _fill(project: Project) -> None:
    """Write items of all formats: new ones, and such as have nothing of what others have."""
    root = project.root
    ticket_project(root)
    write_ticket(root, 1, body="# Bare\n")
    write_ticket(root, 2, status="Implemented", body="# Done\n\n- [x] Shown\n")
    plan(root, "[whole] All of it (started)\n-> part\n", "[part] Part of it (notstarted)\n")
    feature(root)
    for word in PROJECTS:
        make(word, root)
    project.spec("2026-01-22-008-txt", body="No title")
    task = "---\nid: TASK-8\ntitle: Paint the hull\nstatus: To Do\nlabels: ['demo:fail']\n---\n\n"
    boxes = "## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 It is blue\n<!-- AC:END -->\n"
    (root / "backlog" / "tasks" / "task-8 - Paint-the-hull.md").write_text(task + boxes, encoding="utf-8")


def _archived(root: Path) -> None:
    archive = root / ".chant" / "archive" / "2026-01-21"
    archive.mkdir(parents=True)
    text = "---\ntype: code\nstatus: completed\n---\n\n# Old\n\n## Acceptance Criteria\n\n- [x] Done\n"
    (archive / f"{ARCHIVED}.md").write_text(text, encoding="utf-8")
    behind = (
        f"---\ntype: code\nstatus: pending\ndepends_on:\n- {ARCHIVED}\n---\n\n# Behind the archived one\n"
    )
    (root / ".chant" / "specs" / f"{BEHIND}.md").write_text(behind, encoding="utf-8")


ITEM = "backlog:TASK-8"
KEYS = (
    f"chant:{FIRST}",
    f"chant:{SECOND}",
    "tickets:DEM-001",
    "vine:plan.vine#part",
    *(key for key, _ in TICKED.values()),
)


def _start_item_again(agents: AtWork, pages: Pages) -> None:
    """Have work on an item of another format fail, and start it again on the page."""
    agents("work", ITEM, "--wait", code=1)
    pages.look_around("an item whose work failed", (ITEM,))
    pages.go(f"item/{ITEM}")
    pages.until(lambda: "Start again" in pages.text())
    assert "Log" in pages.text()
    pages.page.run(
        "[...document.querySelectorAll('button')].find(one => one.textContent === 'Start again').click()"
    )
    pages.until(lambda: len(agents.json("runs", ITEM, "--all")["processes"]) == 2)
    agents.until(ITEM, "failed")


def _all_states(agents: AtWork, pages: Pages) -> None:
    root = agents.project.root
    pages.look_around("no run", KEYS)
    agents("work", FIRST)
    agents.until_waiting(FIRST)
    pages.look_around("live", KEYS[:1])
    pages.go("agents")
    assert "1 at work" in pages.text(), "the run that goes on is shown"
    agents.go(FIRST)
    agents.until(FIRST, "completed")
    agents("work", SECOND, "--wait", code=1)
    pages.look_around("ended and failed", KEYS[:2])
    _start_item_again(agents, pages)
    _archived(root)
    SpeckitFeatures(root).ask("Which database?")
    pages.look_around("archived dependencies and questions", (f"chant:{BEHIND}",))
    pages.go("inbox")
    assert "Which database?" in pages.text()
    # The records are gone, their copies for other programs are there.
    shutil.rmtree(state_folder(root))
    pages.look_around("history only", KEYS[:1])


@pytest.mark.parametrize("name", ["chromium", "firefox"])
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
            with page_in(name, tmp_path) as page:
                pages = Pages(page)
                pages.open(f"{board.url}/board#once={board.code}", "Log in")
                _all_states(agents, pages)
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
