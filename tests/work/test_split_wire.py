"""Splits over the protocol: the tool's answers, and the question to a person in both eras."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from chant_mcp.server import clients
from harness import Caller, text_of
from mcp import Client, MCPDeprecationWarning
from mcp_types import ElicitResult, ListRootsResult, Root
from pydantic import FileUrl
from server.conftest import listen as listen
from server.over_http import Listen, client_of
from server.pipes import PATIENCE
from server.pipes import call as request
from work.kit import ID, Workshop
from writing import tree

pytestmark = pytest.mark.anyio

EIGHT = [f"Part {letter} answers" for letter in "abcdefgh"]


class Person:
    """Somebody at the client, who answers questions."""

    def __init__(self, action: Any, **content: Any) -> None:
        """Answer like this."""
        self.reply = ElicitResult(action=action, content=content or None)
        self.asked: list[str] = []
        self.meanwhile: Callable[[], object] = bool
        """What happens while they think about their first question."""

    async def answer(self, context: Any, params: Any) -> ElicitResult:
        """Answer a question."""
        self.asked.append(params.message)
        if len(self.asked) == 1:
            await anyio.to_thread.run_sync(self.meanwhile)
        return self.reply


@asynccontextmanager
async def served(shop: Workshop, mode: Any, person: Person) -> AsyncIterator[Client]:
    """Connect a client that asks a person."""
    async with Client(shop.server(), mode=mode, elicitation_callback=person.answer) as client:
        yield client


@pytest.fixture(params=["legacy", "2026-07-28"])
def mode(request: pytest.FixtureRequest) -> str:
    """An era of the protocol."""
    return request.param


async def proposed(shop: Workshop) -> dict[str, Any]:
    """Have a proposal made by a client that asks no one, and give its record."""
    shop.spec(ID, criteria=EIGHT)
    shop.commit()
    async with shop.client() as call:
        started = await call.data("chant_split", id=ID)
        assert list(started)[:7] == [
            "process_id",
            "spec_id",
            "pid",
            "status",
            "started_at",
            "mode",
            "options",
        ]
        return shop.ended(started["process_id"])


async def test_who_agrees_has_the_proposal_written(shop: Workshop, mode: str) -> None:
    record = await proposed(shop)
    person = Person("accept", agree=True)
    async with served(shop, mode, person) as client:
        answer = await client.call_tool("chant_split", {"id": "x7m"})
    [question] = person.asked
    assert question.splitlines() == [
        f"Write these 3 members of '{ID}'?",
        "",
        f"1. Spec {ID}: part 1 (3 criteria)",
        f"2. Spec {ID}: part 2 (3 criteria, after 1)",
        f"3. Spec {ID}: part 3 (2 criteria, after 1)",
    ]
    assert answer.structured_content is not None
    assert answer.structured_content["process_id"] == record["process_id"]
    assert answer.structured_content["proposal"]["written"] == [f"{ID}.{number}" for number in (1, 2, 3)]
    assert shop.project.path(f"{ID}.3").exists()


@pytest.mark.parametrize(
    "person",
    [Person("decline"), Person("cancel"), Person("accept", agree=False), Person("accept")],
    ids=["declines", "dismisses", "says no", "says nothing"],
)
async def test_who_does_not_agree_has_nothing_written(shop: Workshop, mode: str, person: Person) -> None:
    await proposed(shop)
    before = tree(shop.root / ".chant" / "specs")
    async with served(shop, mode, person) as client:
        answer = await client.call_tool("chant_split", {"id": ID})
    assert not answer.is_error
    assert "The proposal waits" in text_of(answer)
    assert tree(shop.root / ".chant" / "specs") == before
    assert len(shop.records()) == 1, "nor is an agent asked again"


async def test_nobody_is_asked_where_there_is_nothing_to_decide(shop: Workshop, mode: str) -> None:
    person = Person("accept", agree=True)
    async with served(shop, mode, person) as client:
        refused = await client.call_tool("chant_split", {"id": "nothing"})
        assert text_of(refused).startswith("Spec not found: nothing")
        shop.spec(ID, criteria=EIGHT)
        shop.commit()
        started = await client.call_tool("chant_split", {"id": ID})
        assert started.structured_content is not None
        shop.ended(started.structured_content["process_id"])
        await client.call_tool("chant_split", {"id": ID, "force": True})
    assert person.asked == []
    assert shop.project.path(f"{ID}.3").exists()


async def test_a_client_that_cannot_ask_is_told_how_to_go_on(shop: Workshop, call: Caller) -> None:
    record = await proposed(shop)
    told = await call.data("chant_split", id=ID)
    assert told["reason"].endswith("Nothing is written before chant_split with force: true.")
    assert told["proposal"] == record["proposal"]
    written = await call.data("chant_split", id=ID, force=True)
    assert written["reason"].startswith(f"Split '{ID}' into 3 members")


# While a person thinks


async def test_another_proposal_is_not_what_was_agreed_to(shop: Workshop) -> None:
    first = await proposed(shop)
    person = Person("accept", agree=True)
    person.meanwhile = lambda: proposed_anew(shop)
    before = tree(shop.root / ".chant" / "specs")
    async with served(shop, "legacy", person) as client:
        answer = await client.call_tool("chant_split", {"id": ID})
    assert answer.is_error
    second = shop.records()[-1]
    assert second["process_id"] != first["process_id"]
    assert text_of(answer) == (
        f"The proposal of run '{first['process_id']}' for spec '{ID}' is no longer open: that of run "
        f"'{second['process_id']}' waits now. Nothing was written. Look again with chant_split, without "
        "force."
    )
    assert tree(shop.root / ".chant" / "specs") == before


async def test_a_later_call_asks_anew_about_another_proposal(shop: Workshop) -> None:
    first = await proposed(shop)
    person = Person("accept", agree=True)
    person.meanwhile = lambda: proposed_anew(shop)
    async with served(shop, "2026-07-28", person) as client:
        answer = await client.call_tool("chant_split", {"id": ID})
    assert len(person.asked) == 2, "once about each"
    assert answer.structured_content is not None
    assert answer.structured_content["process_id"] != first["process_id"]
    assert answer.structured_content["proposal"]["written"]


async def test_consent_to_what_does_not_wait_any_more_starts_nothing(shop: Workshop) -> None:
    record = await proposed(shop)
    spec = shop.project.text(ID)
    person = Person("accept", agree=True)

    def written_and_taken_back() -> None:
        shop.handle().split(ID, force=True)
        for member in (1, 2, 3):
            shop.project.path(f"{ID}.{member}").unlink()
        shop.project.write(ID, spec)

    person.meanwhile = written_and_taken_back
    async with served(shop, "legacy", person) as client:
        answer = await client.call_tool("chant_split", {"id": ID})
    assert answer.is_error
    assert "is no longer open: no proposal waits now. Nothing was written." in text_of(answer)
    assert [one["process_id"] for one in shop.records()] == [record["process_id"]]
    assert shop.project.text(ID) == spec


def proposed_anew(shop: Workshop) -> None:
    """Have another proposal put in the place of the one that waits."""
    shop.ended(shop.handle().split(ID, fresh=True).data["process_id"])


async def test_other_calls_go_on_while_a_person_thinks(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "_HELD_UP", 10 * PATIENCE)
    await proposed(shop)
    asked, added = anyio.Event(), anyio.Event()
    told: list[str] = []

    async def think(context: Any, params: Any) -> ElicitResult:
        asked.set()
        await added.wait()
        return ElicitResult(action="accept", content={"agree": True})

    async with (
        Client(shop.server(), mode="legacy", elicitation_callback=think) as client,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(client.call_tool, "chant_split", {"id": ID})
        with anyio.fail_after(PATIENCE):
            await asked.wait()
            told.append(text_of(await client.call_tool("chant_add", {"description": "Something else"})))
            added.set()
    assert told[0].startswith("Created spec: ")
    assert shop.project.path(f"{ID}.3").exists()


# Over HTTP


async def test_a_client_with_no_stream_of_its_own_is_asked(shop: Workshop, listen: Listen) -> None:
    await proposed(shop)
    server = listen(shop.root, "--no-auth")
    session = server.begin("2025-11-25", {"elicitation": {}})
    asked: list[str] = []

    def agree(question: dict[str, Any]) -> dict[str, Any]:
        asked.append(question["method"])
        return {"action": "accept", "content": {"agree": True}}

    answer = server.talked(request(1, "chant_split", id=ID), agree, **session)
    assert asked == ["elicitation/create"]
    assert answer["result"]["structuredContent"]["proposal"]["written"]


@pytest.mark.filterwarnings(f"ignore::{MCPDeprecationWarning.__module__}.MCPDeprecationWarning")
@pytest.mark.parametrize("kind", ["streamable", "modern"])
async def test_a_person_is_asked_about_the_project_of_their_client(
    shop: Workshop, listen: Listen, tmp_path: Path, kind: str
) -> None:
    await proposed(shop)
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    server = listen(nowhere, "--no-auth", "--toolsets", "chant")
    person = Person("accept", agree=True)

    async def roots(_: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=FileUrl(shop.root.as_uri()))])

    async with client_of(
        server.url, kind, list_roots_callback=roots, elicitation_callback=person.answer
    ) as client:
        answer = await client.call_tool("chant_split", {"id": ID})
    assert len(person.asked) == 1
    assert not answer.is_error, text_of(answer)
    assert shop.project.path(f"{ID}.3").exists()
