"""Runs on items of other formats as boards show them, and what people do about them there."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.board.acts import ItemAct, offered
from chant_mcp.errors import ConflictError, RefusedError
from chant_mcp.inbox import waiting_for_person
from chant_mcp.program import own_program
from chant_mcp.session import Place, Session
from chant_mcp.web_board.acts import perform
from chant_mcp.web_board.tools import board_diff, board_log, board_review, board_runs
from harness import user_config
from plans.projects import PROJECTS
from work.item_kit import COMMIT, WORK, Plans, ended, waiting
from writing import git

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")

ITEMS = {
    "openspec": "openspec:add-login#1.1",
    "kiro": "kiro:user-auth#1.1",
    "backlog": "backlog:TASK-1",
}


class Board:
    """What a board shows of one item."""

    def __init__(self, root: Path, key: str) -> None:
        """Open the project as boards do."""
        place = Place(root, (root,), start=root)
        self.session = Session(
            place,
            environment=dict(os.environ),
            user_config=user_config(),
            program=own_program(sys.executable),
        )
        self.key = key

    @property
    def item(self) -> Any:
        """The item, as of now."""
        return self.session.workspace.board_item(self.key).data

    @property
    def column(self) -> str:
        """The column that its card stands in."""
        columns = self.session.workspace.board_look().data["columns"]
        (found,) = (one["meaning"] for one in columns for card in one["items"] if card["key"] == self.key)
        return found

    @property
    def acts(self) -> dict[str, ItemAct]:
        """What a person can do."""
        return {act.label: act for act in offered(self.item, is_person=True)}

    @property
    def inbox(self) -> list[tuple[str, str]]:
        """What waits for a person, each with its command."""
        return [(entry["kind"], entry["command"]) for entry in waiting_for_person(self.session)["entries"]]

    def act(self, label: str, given: str = "") -> str:
        """Do what a person chose."""
        return self.acts[label].run(self.session, self.item, given).text


@pytest.mark.parametrize("word", ITEMS)
def test_a_run_on_an_item_is_seen_and_stopped_and_goes_on_by_keys_of_the_board(
    plans: Plans, word: str
) -> None:
    key = ITEMS[word]
    plans.begin(PROJECTS[word])
    board = Board(plans.root, key)
    assert board.column == "can_begin"
    sign = waiting(plans, key, tail="echo is at it\n")
    assert board.column == "being_worked_on"
    assert board.item["work"] == "in_progress"
    assert {"Pause", "Take over"} <= board.acts.keys()
    assert not {"Start", "Finish", "Finish as it is"} & board.acts.keys()
    assert f'"id": "{key}"' in board_runs(board.session)
    board.act("Pause")
    assert (board.column, board.item["why"]) == ("waits_for_you", "paused")
    assert board.inbox == [("pause", f"chant-mcp work '{key}'" if "#" in key else f"chant-mcp work {key}")]
    sign.touch()
    board.act("Go on")
    ended(plans, key)
    assert board.column == "done"
    assert board.item["work"] == "completed"
    assert "is at it" in board_log(board.session, key)
    assert board.inbox == []


def test_work_that_failed_waits_for_a_person_who_starts_it_again(plans: Plans) -> None:
    key = ITEMS["openspec"]
    plans.begin(PROJECTS["openspec"])
    plans.agent("exit 3")
    plans.run("work", key, "--wait")
    board = Board(plans.root, key)
    assert (board.column, board.item["why"]) == ("waits_for_you", "failed")
    assert board.inbox == [("failure", f"chant-mcp work '{key}'")]
    plans.agent(f"{WORK}{COMMIT}")
    board.act("Start again")
    ended(plans, key)
    assert board.column == "done"


def test_what_a_person_did_instead_of_a_run_that_failed_is_done(plans: Plans) -> None:
    key = ITEMS["openspec"]
    plans.begin(PROJECTS["openspec"])
    plans.agent("exit 3")
    plans.run("work", key, "--wait")
    board = Board(plans.root, key)
    plans("tick", key, "self")
    assert board.column == "done"


def signed(plans: Plans) -> Board:
    """Have an agent sign its work on an item where such work waits for approval."""
    plans.begin(PROJECTS["backlog"])
    git(plans.root, "config", "user.name", "Ada")
    git(plans.root, "config", "user.email", "ada@example.org")
    settings = user_config()
    asked = "---\napproval:\n  require_approval_for_agent_work: true\n"
    settings.write_text(settings.read_text("utf-8").replace("---\n", asked, 1), "utf-8")
    plans.agent(f"{WORK}git commit -qam Work --trailer 'Co-authored-by: Claude <noreply@anthropic.com>'")
    plans.run("work", ITEMS["backlog"], "--wait")
    return Board(plans.root, ITEMS["backlog"])


def test_work_is_read_approved_and_merged_on_the_board(plans: Plans) -> None:
    board = signed(plans)
    assert (board.column, board.item["why"]) == ("waits_for_you", "approve")
    assert board.inbox == [("approval", f"chant-mcp approve {board.key}")]
    assert "src/item.backlog" in board_diff(board.session, board.key)
    board.act("Comment", "Well done.")
    said = re.search(r'"(c-\w+)"', review := board_review(board.session, board.key))
    assert said is not None
    assert "Well done." in review
    board.act("Approve")
    assert (board.column, board.item["why"]) == ("waits_for_you", "merge")
    assert board.inbox == [("merge", f"chant-mcp review {board.key}")]
    perform(board.session, {"act": "review", "key": board.key, "resolve": said[1]})
    assert board.column == "done"
    assert "status: Done" in plans.landed("backlog/tasks/task-1 - Draw-the-form.md")


def test_a_decision_about_an_item_that_changed_meanwhile_is_refused(plans: Plans) -> None:
    board = signed(plans)
    seen, name = board.item["version"], board.item["path"]
    plans.write(name, plans.read(name).replace("Draw", "Paint"))
    for act in ({"act": "approve"}, {"act": "reject", "reason": "Too blue."}):
        with pytest.raises(ConflictError):
            perform(board.session, {"key": board.key, "version": seen, **act})
    assert board.item["why"] == "approve"
    with pytest.raises(RefusedError, match="This can be done for specs only"):
        perform(board.session, {"act": "finish", "key": board.key, "version": board.item["version"]})


def test_what_a_run_has_is_not_ready_nor_are_its_parts_and_its_holder(plans: Plans) -> None:
    plans.begin(PROJECTS["kiro"])
    board = Board(plans.root, "kiro:user-auth#1.1")

    def ready() -> list[str]:
        by_command = [item["key"] for item in plans.json("ready")["items"]]
        assert [item["key"] for item in board.session.workspace.ready().data["items"]] == by_command
        return by_command

    before = ready()
    assert before == ["kiro:user-auth", "kiro:user-auth#1.1", "kiro:user-auth#2"]
    sign = waiting(plans, board.key)
    assert ready() == ["kiro:user-auth#2"]
    board.key = "kiro:user-auth"
    assert board.column == "waits"
    board.key = "kiro:user-auth#1.1"
    plans("cancel", board.key)
    assert ready() == before
    assert board.column == "can_begin"
    sign.touch()
    plans("work", board.key, "--wait")
    assert ready() == ["kiro:user-auth", "kiro:user-auth#2"]
