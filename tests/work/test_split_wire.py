"""Splits over the protocol: the tool's answers, and the question to a person in both eras."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from harness import Caller, text_of
from mcp import Client
from mcp_types import ElicitResult
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

    async def answer(self, context: Any, params: Any) -> ElicitResult:
        """Answer a question."""
        self.asked.append(params.message)
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
    """Have a proposal made by a client that asks nobody, and give its record."""
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


@pytest.mark.requirement("chant:split:person_is_asked", "chant:split:stored_proposal_is_written")
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
@pytest.mark.requirement("chant:split:person_is_asked", "chant:split:nothing_before_consent")
async def test_who_does_not_agree_has_nothing_written(shop: Workshop, mode: str, person: Person) -> None:
    await proposed(shop)
    before = tree(shop.root / ".chant" / "specs")
    async with served(shop, mode, person) as client:
        answer = await client.call_tool("chant_split", {"id": ID})
    assert not answer.is_error
    assert "The proposal waits" in text_of(answer)
    assert tree(shop.root / ".chant" / "specs") == before
    assert len(shop.records()) == 1, "nor is an agent asked again"


@pytest.mark.requirement("chant:split:person_is_asked")
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


@pytest.mark.requirement("chant:split:nothing_before_consent")
async def test_a_client_that_cannot_ask_is_told_how_to_go_on(shop: Workshop, call: Caller) -> None:
    record = await proposed(shop)
    told = await call.data("chant_split", id=ID)
    assert told["reason"].endswith("nothing is written before chant_split with force: true.")
    assert told["proposal"] == record["proposal"]
    written = await call.data("chant_split", id=ID, force=True)
    assert written["reason"].startswith(f"Split '{ID}' into 3 members")
