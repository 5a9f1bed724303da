"""A person can always stop a run, also where what acts has changed since it began."""

from __future__ import annotations

import pytest
from chant_mcp import errors
from trust.kit import Folder
from work.checkouts import PROMPTS
from work.conftest import _nothing_is_left as _nothing_is_left
from work.conftest import shop as shop
from work.kit import ID, Workshop

_CHECK = "checks:\n  fine: ['{}']\n"


@pytest.fixture
def changed(shop: Workshop) -> Workshop:
    """A run that waits, in a folder whose configuration has become another one."""
    shop.configure(_CHECK.format("true"))
    shop.spec(ID, "wait")
    shop.commit()
    Folder(shop.project).trust()
    shop.handle().work_start(ID)
    shop.said(ID, "waiting")
    shop.configure(_CHECK.format("false"))
    assert not Folder(shop.project).is_trusted()
    return shop


@pytest.mark.parametrize("stop", ["pause", "takeover", "cancel"])
def test_a_run_is_stopped_and_nothing_of_it_lands(changed: Workshop, stop: str) -> None:
    before = changed.committed("main")
    answer = getattr(changed.handle(), stop)(ID)
    record = changed.ended(ID)
    assert record["end_state"] == {"cancel": "cancelled", "takeover": "taken_over"}.get(stop, "paused")
    if stop == "takeover":
        assert "Uncommitted changes were not checked" in answer.data["analysis"]
    assert changed.committed("main") == before
    assert changed.branches() == [f"chant/{ID}"]


def test_the_runner_goes_by_the_hash_that_its_starter_knew(shop: Workshop) -> None:
    shop.configure(_CHECK.format("true"))
    shop.spec(ID)
    shop.commit()
    folder = Folder(shop.project)
    folder.handle(trust=folder.handle().trust_report()["hash"], prompts=PROMPTS).work_start(ID)
    assert shop.ended(ID)["end_state"] == "completed"
    assert not folder.is_trusted()


def test_what_a_run_left_is_not_given_up(changed: Workshop) -> None:
    with pytest.raises(errors.NotTrustedError):
        changed.handle().reset(ID)
    assert changed.record(ID)["status"] == "running"
    changed.handle().takeover(ID)
    changed.ended(ID)
