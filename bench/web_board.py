"""Times of the board's page on its real server: `python -m bench.web_board [SPECS …]`; see README.md."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from rich.console import Console

from bench.corpus import Corpus, kept
from bench.rows import Limits, Row, absolute
from bench.run import table
from bench.wire import OURS

_LOADS, _CHANGES = 15, 40

_FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"

_WATCH = """
addEventListener("DOMContentLoaded", () => {
  const painted = (then) => requestAnimationFrame(() => requestAnimationFrame(then));
  const isThere = () => document.querySelectorAll(".column .row").length > 0;
  let isNoted = false;
  window.awaited = null;
  new MutationObserver(() => {
    if (!isNoted && isThere()) { isNoted = true; painted(() => (window.rowsAt = performance.now())); }
    if (window.awaited && document.body.textContent.includes(window.awaited)) {
      window.awaited = null;
      painted(() => (window.seenAt = Date.now()));
    }
  }).observe(document.documentElement, { subtree: true, childList: true, characterData: true });
});
"""
"""Notes when the first rows stand on the screen, and when an awaited text does."""


@contextmanager
def _served(root: Path) -> Generator[str]:
    """Serve the board as at a person's terminal; gives the address that works once."""
    terminal, its_end = pty.openpty()
    process = subprocess.Popen(
        [*OURS, "board", "--web", "--port", "0"],
        cwd=root,
        stdin=its_end,
        stdout=its_end,
        stderr=its_end,
    )
    os.close(its_end)
    said = ""
    while not (found := re.search(r"(http://\S+/board#once=[\w-]+)", said)):
        said += os.read(terminal, 4096).decode()
    try:
        yield found[1]
    finally:
        process.kill()
        process.wait()
        os.close(terminal)


def _measured(page: Page, address: str, corpus: Corpus) -> Iterator[Row]:
    page.add_init_script(_WATCH)
    page.goto(address)
    _value(page, "window.rowsAt")
    paints: list[float] = []
    rows: list[float] = []
    for _ in range(_LOADS):
        page.reload()
        rows.append(_value(page, "window.rowsAt") / 1000)
        paints.append(_value(page, _FIRST_PAINT) / 1000)
    size = corpus.specs
    yield absolute("first contentful paint", size, paints, Limits(0.5, 0.5))
    yield absolute("rows of all columns painted", size, rows, Limits(None))
    changes = list(_changes(page, corpus))
    name, promise = "a change of a file, until it is painted", "≤ 300 ms (p90)"
    yield Row(name, size, changes, promise=promise, most=0.3, is_of_p90=True)
    if size >= 20_000:
        yield Row("jump to row 3,000 of a column", size, list(_jumps(page)))


def _changes(page: Page, corpus: Corpus) -> Iterator[float]:
    """Change the title of the first item that can begin, again and again."""
    short = page.locator(".can_begin .row .card-id").first.inner_text()
    path = next((corpus.root / ".chant" / "specs").rglob(f"*{short}.md"))
    text = path.read_text("utf-8")
    try:
        for number in range(_CHANGES):
            title = f"Round {number} of {_CHANGES}"
            page.evaluate("title => { window.awaited = title; window.seenAt = 0 }", title)
            time.sleep(0.4)
            changed = re.sub(r"^# .*$", f"# {title}", text, count=1, flags=re.M)
            begin = time.time()
            path.write_text(changed, encoding="utf-8")
            yield _value(page, "window.seenAt") / 1000 - begin
    finally:
        path.write_text(text, encoding="utf-8")


def _jumps(page: Page) -> Iterator[float]:
    """Scroll to rows that were not loaded yet."""
    for number in range(10):
        place = 3_000 + 200 * number
        begin = time.perf_counter()
        page.evaluate("place => { document.querySelector('.done .rows').scrollTop = place * 78 }", place)
        row = f".done [aria-posinset='{place + 1}'] .card-title"
        shown = f'document.querySelector("{row}") !== null'
        while not page.evaluate(shown):
            time.sleep(0.005)
        yield time.perf_counter() - begin


def _value(page: Page, name: str) -> float:
    """Wait for a number that the page notes."""
    for _ in range(2_000):
        if found := page.evaluate(f"{name} ?? 0"):
            return float(found)
        time.sleep(0.01)
    raise RuntimeError(f"the page never noted `{name}`")


def main() -> None:
    """Measure at each size, in the projects that `bench.run` keeps."""
    folder = Path(tempfile.gettempdir()) / "chant-mcp-bench"
    folder.mkdir(parents=True, exist_ok=True)
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    rows: list[Row] = []
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=arguments)
        for specs in map(int, sys.argv[1:] or ("20000",)):
            corpus = kept(folder, specs)
            page = browser.new_page(viewport={"width": 1400, "height": 800})
            with _served(corpus.root) as address:
                rows += _measured(page, address, corpus)
        browser.close()
    Console(width=140).print(table(rows, markdown=True))


if __name__ == "__main__":
    main()
