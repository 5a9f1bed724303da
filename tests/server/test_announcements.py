"""What changed is announced, in both eras and over both transports, and nothing else is."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest
from chant_mcp.server import publisher as publishing
from chant_mcp.server.changed_uris import uris_of
from chant_mcp.server.clients import OneClient
from chant_mcp.server.project_watch import News, ProjectWatch
from chant_mcp.server.publisher import ChangePublisher
from chant_mcp.session import Place, Session
from chant_mcp.tool_calls import Offer, OfferedTools
from harness import Project, seconds_here
from mcp.server.subscriptions import ResourcesListChanged, ResourceUpdated
from server.listening import KINDS, listener_of
from server.over_http import Listen
from server.pipes import ID, Serve, modern, notification, promises_in, request

pytestmark = pytest.mark.anyio

URI = f"chant://spec/{ID}"

PLAN = "vine 1.2.0\n---\n[root] Ship (notstarted)\n"

AT_ONCE = 1.0
"""Seconds in which a change is announced."""


def write_plan(project: Project) -> Path:
    path = project.root / "plan.vine"
    path.write_text(PLAN, encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", KINDS)
async def test_a_file_from_outside_is_announced_as_promised(
    project: Project, serve: Serve, listen: Listen, kind: str
) -> None:
    project.spec(ID)
    async with listener_of(kind, project.root, serve, listen) as listener:
        promised = set(promises_in(listener.capabilities))
        before = await listener.tools()
        start = time.monotonic()
        write_plan(project)
        heard = await listener.hears("tools", "resources")
        assert time.monotonic() - start < seconds_here(AT_ONCE)
        assert {*await listener.tools()} - {*before} >= {"vine_read", "vine_next"}
        await listener.subscribe(URI)
        project.spec(ID, status="in_progress")
        heard += await listener.hears(URI)
    words = {"tools": "tools.listChanged", "resources": "resources.listChanged", URI: "resources.subscribe"}
    assert {words[word] for word in heard} == promised


async def test_many_changes_are_announced_together(project: Project, serve: Serve, listen: Listen) -> None:
    project.spec(ID)
    async with listener_of("pipes-2025", project.root, serve, listen) as listener:
        await listener.subscribe(URI)
        for number in range(60):
            project.spec(f"2026-01-23-{number:03}-abc")
        project.spec(ID, status="in_progress")
        heard = await listener.hears(URI)
        assert heard.count("resources") <= 5, heard


async def test_who_sent_no_initialized_hears_of_no_list(project: Project, serve: Serve) -> None:
    project.spec(ID)
    pipes = serve(project.root)
    pipes.ask(request(1, "tools/list"))
    pipes.ask(request(2, "resources/subscribe", {"uri": URI}))
    write_plan(project)
    project.spec(ID, status="in_progress")
    event = pipes.receive()
    assert (event["method"], event["params"]["uri"]) == ("notifications/resources/updated", URI)
    pipes.ask(request(3, "resources/unsubscribe", {"uri": URI}))
    # Once it says so itself, it hears of lists; of the resource it hears no more.
    pipes.send(notification("notifications/initialized"))
    pipes.ask(request(4, "resources/list"))
    project.spec(ID, status="pending")
    project.spec("2026-01-23-001-abc")
    assert pipes.receive()["method"] == "notifications/resources/list_changed"


async def test_a_stream_is_answered_when_the_input_ends(project: Project, serve: Serve) -> None:
    project.spec(ID)
    pipes = serve(project.root)
    pipes.send(modern(request(7, "subscriptions/listen", {"notifications": {"toolsListChanged": True}})))
    assert pipes.receive()["params"]["notifications"] == {"toolsListChanged": True}
    ended = pipes.finish()
    assert ended.answer(7)["result"]["resultType"] == "complete"
    assert (ended.code, ended.errors) == (0, "")


class FakeSession:
    """A connection; `takes` says whether it takes what is sent."""

    def __init__(self, *, takes: bool = True) -> None:
        self.taken: list[str] = []
        self._takes = takes

    async def send_tool_list_changed(self) -> None:
        """Take that event."""
        await self._take("tools")

    async def send_resource_list_changed(self) -> None:
        """Take that event."""
        await self._take("resources")

    async def send_resource_updated(self, uri: str) -> None:
        """Take that event."""
        await self._take(uri)

    async def _take(self, word: str) -> None:
        if not self._takes:
            await anyio.sleep_forever()
        self.taken.append(word)


def publisher_of(project: Project) -> ChangePublisher:
    session = Session(Place(project.root, (project.root,)))
    return ChangePublisher(OneClient(session), OfferedTools(session, Offer(["auto"])), ())


def connection(made: ChangePublisher, name: str, session: Any) -> Any:
    """Put a connection among those that are notified, as a handshake would."""
    listener = publishing._Listener(session, made._clients.of_request(None), hears_lists=True)  # pyright: ignore[reportPrivateUsage]
    made._listeners[name] = listener  # pyright: ignore[reportPrivateUsage]
    return listener


async def test_one_that_takes_nothing_is_dropped_and_holds_up_no_other(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "_UNREAD", 0.05)
    made = publisher_of(project)
    stuck, other = FakeSession(takes=False), FakeSession()
    connection(made, "stuck", stuck)
    connection(made, "other", other)
    session = made._offered.session  # pyright: ignore[reportPrivateUsage]
    await made._publish(session, News(come_or_go=True))  # pyright: ignore[reportPrivateUsage]
    assert other.taken == ["resources"]
    assert list(made._listeners) == ["other"]  # pyright: ignore[reportPrivateUsage]


async def test_of_many_changes_the_list_alone_is_announced() -> None:
    events = publishing._resource_events  # pyright: ignore[reportPrivateUsage]
    keys = [f"chant:{number}" for number in range(101)]
    assert events(News(keys)) == []
    assert len(events(News(keys[:100]))) == 100
    assert events(News(keys[:1], unknown=True)) == []
    assert events(News(["vine:a.vine#x", "vine:a.vine#y"])) == [
        ResourceUpdated("vine://plan/a.vine"),
        ResourceUpdated("vine://task/a.vine?id=x"),
        ResourceUpdated("vine://task/a.vine?id=y"),
    ]


async def test_more_than_a_hundred_items_make_the_list_another(project: Project) -> None:
    made = publisher_of(project)
    session = made._offered.session  # pyright: ignore[reportPrivateUsage]
    news = News([f"chant:{number}" for number in range(101)])
    found = await made._list_events(session, news)  # pyright: ignore[reportPrivateUsage]
    assert found == [ResourcesListChanged()]
    assert await made._list_events(session, News(["chant:a"])) == []  # pyright: ignore[reportPrivateUsage]


async def test_items_are_announced_by_the_uris_of_their_documents() -> None:
    for key, expected in {
        "chant:2026-01-22-001-x7m": ["chant://spec/2026-01-22-001-x7m"],
        "vine:plans/a b.vine#x/1": ["vine://plan/plans/a%20b.vine", "vine://task/plans/a%20b.vine?id=x%2F1"],
        "speckit:060-é#T001": ["speckit://feature/060-%C3%A9", "speckit://feature/060-%C3%A9/tasks"],
        "tickets:MY-PROJ-007": ["ticket://MY-PROJ/MY-PROJ-007"],
    }.items():
        assert list(uris_of(key)) == expected, json.dumps(key)


class StoppedChanges:
    """Changes of a project, one of which comes when the test says so."""

    def __init__(self) -> None:
        self.come = threading.Event()

    def wait(self, timeout: float, *, around: bool) -> dict[str, Any] | None:
        """Give the one change to who waits for long, and nothing to who looks for more."""
        if not timeout or not self.come.wait(timeout):
            return None
        self.come.clear()
        return {"changes": [{"key": URI}], "added": [], "removed": [], "reset": False, "around": False}

    def stop(self) -> None:
        """End a wait."""
        self.come.set()


async def test_what_is_handed_over_at_the_end_begins_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    changes, is_handed = StoppedChanges(), threading.Event()
    hand_over = asyncio.run_coroutine_threadsafe

    def hand_over_and_tell(announced: Any, loop: asyncio.AbstractEventLoop) -> Any:
        done = hand_over(announced, loop)
        is_handed.set()
        return done

    announced: list[News] = []

    async def announce(news: News) -> None:
        announced.append(news)

    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", hand_over_and_tell)
    session = SimpleNamespace(place=None, workspace_as_it_is=SimpleNamespace(changes=lambda: changes))
    watch = ProjectWatch(cast(Session, session), announce)
    await watch.started()
    changes.come.set()
    # The loop is busy until the change is in it, and the server ends before the loop comes to it.
    assert is_handed.wait(10)
    watch.end()
    for _ in range(5):
        await asyncio.sleep(0)
    assert announced == []
