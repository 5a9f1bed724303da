"""Opening the board's page, and looking at it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, Page
from web_board.fake_server import CODE

_WATCH = """
window.refused = [];
document.addEventListener("securitypolicyviolation", (event) => window.refused.push(event.violatedDirective));
"""


class OpenBoard:
    """Pages that tests have opened, with what went wrong in them."""

    def __init__(self, browser: Browser, url: str) -> None:
        """Open none yet."""
        self.url = url
        self.errors: list[str] = []
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self._page = self._watched(self._profile())

    def _profile(self) -> BrowserContext:
        context = self._browser.new_context(viewport={"width": 1400, "height": 800})
        context.set_default_timeout(10_000)
        context.add_init_script(_WATCH)
        return context

    def _watched(self, context: BrowserContext) -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return page

    def stranger(self) -> BrowserContext:
        """Make another profile."""
        context = self._profile()
        self._contexts.append(context)
        return context

    def page(self, address: str = "", width: int = 1400, theme: Literal["light", "dark"] = "light") -> Page:
        """Open the board with a fresh code, then go to an address of it."""
        self._page.set_viewport_size({"width": width, "height": 800})
        self._page.emulate_media(color_scheme=theme)
        page = self.goto(f"/board#once={CODE}")
        page.wait_for_selector(".row, .first, .lane")
        if address:
            page.evaluate("address => { location.hash = address }", address)
        return page

    def goto(self, path: str, context: BrowserContext | None = None) -> Page:
        """Open a path of the server; in another profile, or a tab of the same, if one is given."""
        page = self._page if context is None else self._watched(context)
        # A change of the fragment alone would not load the page.
        page.goto("about:blank")
        page.goto(self.url + path)
        return page

    def tab(self, path: str) -> Page:
        """Open a second tab beside the page."""
        return self.goto(path, self._page.context)

    def finish(self) -> None:
        """Close all pages but the shared one; what went wrong in a page is the test's failure."""
        for context in self._contexts:
            context.close()
        self._contexts.clear()
        for page in self._page.context.pages:
            if page is not self._page:
                page.close()
        # What a test leaves behind is none of the next one's: the page forgets its session and its choices.
        self._page.evaluate("(() => { try { localStorage.clear(); sessionStorage.clear() } catch {} })()")
        self._page.goto("about:blank")
        errors, self.errors = self.errors, []
        assert errors == []


def active_row(page: Page) -> str:
    """Give the text of the row that the focused list has chosen."""
    id = page.evaluate("document.activeElement.getAttribute('aria-activedescendant')")
    return page.evaluate("id => document.getElementById(id)?.textContent ?? ''", id)


def focused(page: Page) -> str:
    """Give the accessible name of what has the focus."""
    return page.evaluate("document.activeElement.getAttribute('aria-label')")


def until(page: Page, expression: str) -> Any:
    """Wait until an expression of the page is true; the page's policy forbids `wait_for_function`."""
    for _ in range(1000):
        if found := page.evaluate(expression):
            return found
        page.wait_for_timeout(20)
    raise AssertionError(f"never true: {expression}")


def comes_to(page: Page, read: Callable[[], Any], wanted: Any) -> None:
    """Wait until something is as wanted: a page shows what it was asked for when it has it."""
    found: Any = None
    for _ in range(1000):
        with suppress(LookupError):
            found = read()
        if found == wanted:
            return
        page.wait_for_timeout(20)
    assert found == wanted
