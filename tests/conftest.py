"""A project in a temporary folder, a sealed git, and clients of both eras on a server in memory."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import hermetic  # the first of ours: it seals this process
import pytest
from harness import Caller, Project, started_process, user_config
from hypothesis import settings
from mcp import Client
from memory_folder import memory_folder
from times import cost_report

# Each of the many processes that tests start, and each worker, would compile the same files again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Each step of a movement on the board draws a page that no test looks at. Textual reads this when imported.
os.environ["TEXTUAL_ANIMATIONS"] = "none"

# No law says how long a case takes: a busy machine must not make one fail.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

_CODE = [str(Path(__file__).resolve().parent), *(folder for folder in sys.path if Path(folder).is_absolute())]
"""Where the code of tests lies, and what it imports."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--times`."""
    parser.addoption("--times", action="store_true", help="print what the tests cost")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the tests' folders in memory, where there is room: a disk's flushes are half of what they cost.

    Tests about the disk (`tests/store`) go to the disk.
    """
    if "PYTEST_DEBUG_TEMPROOT" not in os.environ and (memory := memory_folder()):
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(memory)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Have one process of tests more than there are cores: a third of their time they wait for others.

    With two more, what waits in one test takes so much from the others that all of them end later.
    """
    return (os.cpu_count() or 1) + 1


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of every later collection of garbage: it stays.

    Whole collections come seldom then: what tests import and cache was looked through again and again.
    Servers of tests that ended stay until then, see `_collect_followers`.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 20)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what the tests cost, when it is asked for."""
    if not config.getoption("--times"):
        return
    reports = [
        report
        for found in terminalreporter.stats.values()
        for report in found
        if isinstance(report, pytest.TestReport)
    ]
    terminalreporter.section("what the tests cost")
    for line in cost_report(reports):
        terminalreporter.line(line)


_MOST_QUEUES = 16
"""Queues of the kernel's announcements that a process of tests may have when a test begins."""


@pytest.fixture(scope="session", autouse=True)
def _listens_to_ctrl_c() -> None:
    """Have programs listen to Ctrl-C, also where a shell runs the tests in its background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Names of folders that hold a home, one a test: pytest looks through all earlier ones for its own."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def _sealed(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, _homes: Iterator[Path]
) -> Iterator[None]:
    """Hide the machine's own settings: home folder, git configuration, our variables.

    The user trusts every folder of the tests, and lets runs read and write there, where the agents of tests
    leave their traces; tests of trust and of confinement take that away.
    """
    folder = next(_homes)
    for name in (*hermetic.hidden(), *hermetic.RUST):
        monkeypatch.delenv(name, raising=False)
    for name, value in hermetic.settings_at(folder).items():
        monkeypatch.setenv(name, value)
    settings = user_config()
    settings.parent.mkdir()
    # Runs write what lies in a home, and make nothing new beside secrets.
    (settings.parents[1] / "traces").mkdir()
    roots = [str(tmp_path_factory.getbasetemp()), tempfile.gettempdir()]
    confine = f"{{read: {[*roots, *_CODE]}, write: {roots}}}"
    settings.write_text(f"---\ntrust: {{roots: {roots}}}\nconfine: {confine}\n---\n", encoding="utf-8")
    yield
    # Homes hold what runs may not read, so that each start of an agent names everything beside them: with the
    # homes of all earlier tests there, the runs of the last ones took three times as long.
    shutil.rmtree(folder, ignore_errors=True)
    _collect_followers()


def _collect_followers() -> None:
    """Collect the servers of earlier tests when they follow many folders by the kernel's announcements.

    A process follows 64 that way, and all of its user 128. What is opened then looks at all files each time,
    and tests that count what is looked at fail.
    """
    listed = Path("/proc/self/fd")
    open_files = list(listed.iterdir()) if listed.is_dir() else []
    # Most processes have fewer open files in all.
    if len(open_files) > 2 * _MOST_QUEUES and sum(map(_is_queue, open_files)) >= _MOST_QUEUES:
        gc.collect()


def _is_queue(open_file: Path) -> bool:
    # One of them is the list itself, which is closed by now.
    with suppress(OSError):
        return str(open_file.readlink()) == "anon_inode:inotify"
    return False


@pytest.fixture
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio, as the server does."""
    return "asyncio"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty chant project."""
    root = tmp_path / "project"
    (root / ".chant" / "specs").mkdir(parents=True)
    return Project(root)


@pytest.fixture(params=["handshake", "modern"])
async def call(request: pytest.FixtureRequest, project: Project) -> AsyncIterator[Caller]:
    """A client on `project`, once in each era of the protocol."""
    mode = {"handshake": "legacy", "modern": "2026-07-28"}[request.param]
    async with Client(project.server(), mode=mode) as client:
        yield Caller(client, project)


@pytest.fixture
def run_server() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start real server processes; they are ended with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def run(root: Path, *words: str, **kwargs: Any) -> subprocess.Popen[bytes]:
        process = started_process([sys.executable, "-m", "chant_mcp", *words], root, **kwargs)
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
