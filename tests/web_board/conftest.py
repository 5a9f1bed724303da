"""A browser, a fake server, and pages of the board on it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="Playwright is not installed")
from playwright.sync_api import sync_playwright
from web_board.fake_server import FakeBoard, ServedBoard
from web_board.looking import OpenBoard

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

_THREAD = pytest.StashKey[ThreadPoolExecutor]()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that has pages in the thread that has the browser.

    Playwright keeps a loop running in its thread; in the main one no asynchronous test could run beside it.
    """
    if "opened" not in pyfuncitem.fixturenames:
        return None
    names = pyfuncitem._fixtureinfo.argnames  # pyright: ignore[reportPrivateUsage]
    given = {name: pyfuncitem.funcargs[name] for name in names}
    pyfuncitem.config.stash[_THREAD].submit(pyfuncitem.obj, **given).result()
    return True


@pytest.fixture(scope="session")
def _thread(pytestconfig: pytest.Config) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(max_workers=1) as thread:
        pytestconfig.stash[_THREAD] = thread
        yield thread


@pytest.fixture(scope="session")
def _served() -> Iterator[ServedBoard]:
    served = ServedBoard(FakeBoard())
    yield served
    served.close()


@pytest.fixture(scope="session")
def _shared(
    _thread: ThreadPoolExecutor, _served: ServedBoard, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OpenBoard]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: the board's page is not tested")
    pages = _in_a_browser(CHROMIUM, _served.url, tmp_path_factory.mktemp("browser"))
    yield _thread.submit(next, pages).result()
    _thread.submit(next, pages, None).result()


def _in_a_browser(program: str, url: str, home: Path) -> Iterator[OpenBoard]:
    # As root Chromium has no sandbox of its own; its home is none of the user's.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    environment: dict[str, str | float | bool] = {**os.environ, "HOME": str(home)}
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=arguments, env=environment)
        yield OpenBoard(browser, url)
        browser.close()


@pytest.fixture
def board(_served: ServedBoard) -> FakeBoard:
    """What the server answers, as at the beginning."""
    _served.board.reset()
    return _served.board


@pytest.fixture
def opened(_shared: OpenBoard, _thread: ThreadPoolExecutor, board: FakeBoard) -> Iterator[OpenBoard]:
    """Opens pages of the board: mostly the same one again, since a new one costs a second."""
    yield _shared
    _thread.submit(_shared.finish).result()
