"""What a person does on the board by keys, how that is asked before, and who is offered what."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from board import scene
from board.changing import plan
from board.showing import Board, shown
from chant_mcp._core import ChantProject
from chant_mcp.board import acts
from chant_mcp.board.act_flow import ActFlow
from chant_mcp.board.acts import ActOutcome, ItemAct
from chant_mcp.board.columns import Cards
from chant_mcp.board.editor import editor_of, file_of
from chant_mcp.board.keys import BOUND
from chant_mcp.errors import NotTrustedError, RefusedError
from cli.ticket_files import ticket_project, write_ticket
from harness import Project
from textual.widgets import Input, TabbedContent
from writing import tree

pytestmark = pytest.mark.anyio

APPROVED, REJECTED = "2026-02-01-001-aaa", "2026-02-01-002-bbb"
BODY = "# {title}\n\n## Acceptance Criteria\n\n- [ ] Ships are named\n- [ ] Times are local\n"


def item(**keys: Any) -> dict[str, Any]:
    """An item as the core gives it."""
    base = {
        "dialect": "chant",
        "meaning": "waits",
        "status": "pending",
        "criteria": [],
        "title": "",
        "key": "",
    }
    found = {**base, **keys}
    # A spec says itself how work on it stands.
    return {"work": found["status"], **found} if found["dialect"] == "chant" else found


OPEN, MET = [{"text": "A", "done": False, "line": 1}], [{"text": "A", "done": True, "line": 1}]
AT_WORK = {"meaning": "being_worked_on", "status": "in_progress"}

OFFERED: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({"meaning": "can_begin"}, "w Start", ""),
    ({"meaning": "waits"}, "", ""),
    ({**AT_WORK, "criteria": MET}, "p Pause, t Take over, F Finish, x Tick", ""),
    ({**AT_WORK, "criteria": OPEN}, "p Pause, t Take over, x Tick", "F Finish as it is"),
    ({**AT_WORK, "why": "paused"}, "w Go on, t Take over, F Finish", ""),
    ({**AT_WORK, "why": "merge"}, "", "m Merge, c Comment, C Send comments"),
    ({**AT_WORK, "why": "conflict"}, "", "m Merge, c Comment, C Send comments"),
    ({"why": "approve"}, "", "y Approve, n Reject"),
    ({"why": "rejected"}, "", "y Approve"),
    (
        {"why": "failed", "status": "failed", "criteria": OPEN},
        "w Start again, x Tick",
        "F Finish as it is, c Comment, C Send comments",
    ),
    ({"why": "attention", "status": "needs_attention"}, "w Start again", "c Comment, C Send comments"),
    ({"dialect": "tickets", "why": "approve"}, "P Priority", ""),
    ({"dialect": "tickets", "criteria": OPEN}, "x Tick, P Priority", ""),
    ({"dialect": "speckit", "meaning": "can_begin"}, "w Start, x Complete", ""),
    ({"dialect": "speckit", "meaning": "done"}, "", ""),
    ({"dialect": "vine", "meaning": "can_begin", "type": "task"}, "w Start, S Status", ""),
    ({"dialect": "vine", "meaning": "waits", "type": "ref"}, "", ""),
    ({"dialect": "kiro", "work": "in_progress"}, "p Pause, t Take over", ""),
    ({"dialect": "kiro", "work": "in_progress", "why": "paused"}, "w Go on, t Take over", ""),
    ({"dialect": "kiro", "work": "failed", "why": "failed"}, "w Start again", "c Comment, C Send comments"),
    (
        {"dialect": "kiro", "work": "in_progress", "why": "approve"},
        "",
        "y Approve, n Reject, c Comment, C Send comments",
    ),
    (
        {"dialect": "kiro", "work": "in_progress", "why": "merge"},
        "",
        "m Merge, c Comment, C Send comments",
    ),
    ({"dialect": "kiro", "work": "completed", "meaning": "done"}, "", ""),
)
"""An item, the acts that agents may do, too, and those of a person alone."""


@pytest.mark.parametrize("is_person", [False, True])
def test_acts_are_offered_by_the_state_of_an_item_and_by_who_asks(is_person: bool) -> None:
    for keys, of_all, of_person in OFFERED:
        found = {f"{act.key} {act.label}" for act in acts.offered(item(**keys), is_person=is_person)}
        expected = {*of_all.split(", "), *(of_person.split(", ") if is_person else ())} - {""}
        assert found == expected, keys
    assert {act.key for act in acts._ACTS} <= {key.keys for key in BOUND}, "each act has its key"


async def chosen(board: Board, spec: str) -> None:
    """Wait until acts are on that spec."""
    await board.until(lambda: (board.app._item_at_hand() or {}).get("id") == spec, spec)


async def test_a_person_decides_ticks_and_adds_by_keys(root: Path) -> None:
    project = Project(root)
    for spec in (APPROVED, REJECTED):
        project.spec(spec, body=BODY.format(title=f"Spec {spec}"), approval="\n  required: true")
    project.repository()
    project.git("config", "user.name", "Ada")
    project.git("config", "user.email", "ada@example.org")
    async with shown(root) as board:
        await chosen(board, APPROVED)
        await board.sees("approve?", "y Approve", "n Reject")
        await board.press("y")
        await board.sees("Approve: Spec", "[ ] Ships are named")
        project.spec(APPROVED, body=BODY.format(title="Another"), approval="\n  required: true")
        await board.press("enter")
        await board.until(
            lambda: any("changed after you opened it" in one.message for one in board.app._notifications)
        )
        assert "status: approved" not in project.text(APPROVED)
        await board.sees("Another")
        await board.press("y")
        await board.sees("Approve: Another")
        await board.press("enter")
        await board.until(lambda: "status: approved" in project.text(APPROVED), "approved")
        await chosen(board, REJECTED)
        await board.press("n")
        await board.sees("What has to change?")
        await board.press("enter")
        await board.type("q naïve")
        await board.press("enter")
        await board.until(lambda: "q naïve" in project.text(REJECTED), "rejected with the reason")
        await board.press("x")
        await board.sees("[ ] Times are local")
        await board.until(lambda: board.app.focused is not None and board.app.focused.id == "choices")
        await board.press("down", "enter")
        await board.until(lambda: "- [x] Times are local" in project.text(REJECTED), "ticked")
        await board.until(lambda: board.app._flow.can_undo)
        await board.press("u")
        await board.until(lambda: "- [x]" not in project.text(REJECTED), "the tick is taken back")
        await board.press("plus")
        await board.sees("What has to be done?")
        await board.type("Paint the ship")
        await board.press("enter")
        await board.sees("Can begin 2")
    assert any("Paint the ship" in path.read_text("utf-8") for path in project.specs.iterdir())


async def test_a_person_comments_on_work_by_a_key(root: Path) -> None:
    project = Project(root)
    project.spec(APPROVED, body=BODY.format(title="Log in"), status="needs_attention")
    project.repository()
    chant = ChantProject(root)
    async with shown(root) as board:
        await chosen(board, APPROVED)
        await board.press("c")
        await board.sees("What has to change?")
        await board.type("Say who logs in.")
        await board.press("enter")
        await board.until(lambda: len(chant.review_show(APPROVED).data["threads"]) == 1, "commented")
    (thread,) = chant.review_show(APPROVED).data["threads"]
    assert (thread["kind"], thread["weight"], thread["text"]) == ("person", "must", "Say who logs in.")


@pytest.mark.parametrize("is_read_only", [False, True])
async def test_who_is_no_person_or_only_reads_is_offered_no_decision(root: Path, is_read_only: bool) -> None:
    Project(root).spec(APPROVED, body=BODY.format(title="One"), approval="\n  required: true")
    before = tree(root)
    async with shown(root, is_read_only=is_read_only, is_person=is_read_only) as board:
        await chosen(board, APPROVED)
        await board.press("y", "n", "m", "F", *(("x", "e", "plus", "w") if is_read_only else ()))
        await board.pilot.pause()
        assert (len(board.app.screen_stack), "Approve" in board.text) == (1, False)
        assert ("x Tick" in board.text) is not is_read_only
    assert tree(root) == before


async def test_a_priority_is_chosen_and_keys_and_commands_are_found_by_name(root: Path) -> None:
    scene.tickets(root)
    async with shown(root) as board:
        await board.press("right")
        await board.until(lambda: (board.app._item_at_hand() or {}).get("id") == "FER-001")
        await board.press("P")
        await board.sees("Critical")
        await board.until(lambda: board.app.focused is not None and board.app.focused.id == "choices")
        await board.press("G", "enter")
        ticket = next((root / "docs/CRs").glob("FER-001*"))
        await board.until(lambda: "priority: Critical" in ticket.read_text("utf-8"), "the priority")
        await board.press("question_mark")
        await board.sees("Screens", "Page: A page up or down")
        await board.press("G")
        await board.sees("Leave the board")
        await board.press("escape", "ctrl+p")
        await board.until(lambda: isinstance(board.app.focused, Input))
        await board.type("problems")
        await board.sees("Show the screen problems")
        await board.press("enter")
        await board.until(lambda: board.app.query_one(TabbedContent).active == "problems")
        titles = {command.title for command in board.app.get_system_commands(board.app.screen)}
        assert {"Theme", "Undo", "Add"} <= titles
        assert "Priority" not in titles, "nothing is chosen on this screen"


async def test_page_keys_move_and_an_empty_column_is_only_its_heading(root: Path) -> None:
    project = Project(root)
    for number in range(30):
        project.spec(f"2026-02-02-{number:03}-abc", body=f"# Spec number {number}.")
    async with shown(root) as board:
        await board.sees("Can begin 30", "Being worked on 0", "Done 0")
        assert len(board.app.query("Column")) == 1
        cards = board.app.query(Cards).first()
        places: list[int] = []
        for key in ("pagedown", "pageup", "G", "home", "end", "g"):
            await board.press(key)
            places.append(cards.highlighted or 0)
        assert (0 < places[0] < 29, places[1:]) == (True, [0, 29, 0, 29, 0])


async def test_an_item_opens_in_the_editor_that_the_environment_names(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Project(root).spec(APPROVED, body=BODY.format(title="One"))
    ran: list[list[str]] = []
    async with shown(root) as board:
        await chosen(board, APPROVED)
        await board.press("e")
        await board.sees("No editor is named")
        variables = {"EDITOR": "other", "VISUAL": "'my editor' --wait; rm"}
        monkeypatch.setattr(board.app._session, "_environment", variables)
        await board.press("e")
        await board.sees("The editor did not start")
        monkeypatch.setattr(board.app, "suspend", nullcontext)
        monkeypatch.setattr(
            "subprocess.run", lambda argv, **_: (ran.append(argv), SimpleNamespace(returncode=0))[1]
        )
        await board.press("e")
        await board.until(lambda: ran)
    assert ran == [["my editor", "--wait;", "rm", str(path.resolve())]]
    assert (editor_of({"EDITOR": "vi"}), editor_of({"EDITOR": "'vi"}), editor_of({})) == (["vi"], [], [])
    (root / "link.md").symlink_to(tmp_path / "outside.md")
    (tmp_path / "outside.md").touch()
    for name in ("../outside.md", "link.md", ".", "gone.md"):
        with pytest.raises(RefusedError):
            file_of(root, name)


async def test_a_box_of_a_ticket_and_the_status_of_a_task_are_changed_and_taken_back(root: Path) -> None:
    ticket_project(root)
    ticket = write_ticket(root, 1, body="## 4. Acceptance Criteria\n\n- [ ] It is shown\n", status="Approved")
    plan(root, "[build] Build it (started)\n")
    async with shown(root) as board:
        await chosen(board, "DEM-001")
        await board.press("x")
        await board.until(lambda: board.app.focused is not None and board.app.focused.id == "choices")
        await board.press("enter")
        await board.until(lambda: "- [x] It is shown" in ticket.read_text("utf-8"), "ticked")
        await board.until(lambda: board.app._flow.can_undo)
        await board.press("u")
        await board.until(lambda: "- [ ] It is shown" in ticket.read_text("utf-8"), "the tick is taken back")
        await board.press("right")
        await chosen(board, "build")
        await board.press("S")
        await board.until(lambda: board.app.focused is not None and board.app.focused.id == "choices")
        await board.press("G", "enter")
        file = root / "plan.vine"
        await board.until(lambda: "Build it (complete)" in file.read_text("utf-8"), "complete")
        await board.until(lambda: board.app._flow.can_undo)
        await board.press("u")
        await board.until(lambda: "Build it (started)" in file.read_text("utf-8"), "started again")


async def test_items_of_one_label_are_shown_alone(root: Path) -> None:
    project = Project(root)
    for number, label in enumerate(["sea", "sea", "land"]):
        project.spec(f"2026-02-02-{number:03}-abc", body=f"# On {label} {number}", labels=[label])
    async with shown(root) as board:
        await board.sees("Can begin 3")
        await board.press("L")
        await board.sees("All labels", "sea (2)", "land (1)")
        await board.until(lambda: board.app.focused is not None and board.app.focused.id == "choices")
        await board.press("down", "enter")
        await board.sees("Can begin 2", "label sea")
        await board.sees_no("On land")
        for number in range(2):
            project.spec(f"2026-02-02-{number:03}-abc", body="# Sunk")
        await board.sees("Nothing with the label sea matches. Esc shows")
        await board.press("escape")
        await board.sees("Can begin 3")
        await board.sees_no("label sea")


async def test_esc_clears_a_filter_that_was_kept(root: Path) -> None:
    project = Project(root)
    for number, label in enumerate(["sea", "land"]):
        project.spec(f"2026-02-02-{number:03}-abc", body=f"# On {label}")
    async with shown(root) as board:
        await board.press("slash")
        await board.type("sea")
        await board.press("enter")
        await board.sees("Can begin 1")
        await board.sees_no("On land")
        # The keyboard is in the columns by now; the first press closes what is open.
        await board.press("enter")
        await board.until(lambda: board.app.screen.has_class("-open"))
        await board.press("escape")
        await board.until(lambda: not board.app.screen.has_class("-open"))
        assert "On land" not in board.text
        await board.press("escape")
        await board.sees("Can begin 2", "On land")


async def test_the_chosen_card_stays_in_sight_when_a_column_comes(root: Path) -> None:
    project = Project(root)
    for spec in (APPROVED, REJECTED):
        project.spec(spec, body=BODY.format(title=f"Spec {spec}"), approval="\n  required: true")
    project.spec("2026-02-01-003-ccc", status="in_progress")
    project.repository()
    project.git("config", "user.name", "Ada")
    project.git("config", "user.email", "ada@example.org")
    async with shown(root, (60, 24)) as board:
        await board.press("right")
        await chosen(board, APPROVED)
        await board.press("y")
        await board.sees("Approve: Spec")
        await board.press("enter")
        await board.sees("Begin 1")
        columns = board.app.query_one("#columns")
        await board.until(
            lambda: (
                board.app.focused is not None and columns.region.contains_region(board.app.focused.region)
            ),
            "the column of the keyboard is seen whole",
        )
        await board.until(lambda: board.app._wanted.item is not None)
        assert board.app._wanted.item is not None
        await board.sees(board.app._wanted.item[-3:])


class AskedApp:
    """A board that agrees or not, and what it showed."""

    def __init__(self, *, agrees: bool) -> None:
        self.agrees = agrees
        self.shown: list[str] = []

    async def push_screen_wait(self, dialog: Any) -> bool:
        """Note what a dialog shows, and answer."""
        self.shown.append("\n".join([dialog._title, *dialog._lines]))
        return self.agrees

    def notify(self, text: str, **_: Any) -> None:
        """Note a message."""
        self.shown.append(text)


@pytest.mark.parametrize(("agrees", "is_person"), [(True, True), (False, True), (True, False)])
async def test_what_has_to_be_agreed_to_is_shown_and_agreed_to_by_a_person(
    agrees: bool, is_person: bool
) -> None:
    trusted: list[str] = []
    project = SimpleNamespace(give_trust=trusted.append)
    session: Any = SimpleNamespace(project_in=lambda _: project)
    given: list[str] = []

    def merge(_: Any, __: Any, agreed: str) -> ActOutcome:
        given.append(agreed)
        if len(given) == 1:
            details = {"folder": "/p", "hash": "h1", "shown": ["runs make"], "is_difference": False}
            raise NotTrustedError("Not trusted.", json.dumps(details))
        if len(given) == 2:
            raise RefusedError(
                "It changes what runs by itself.", json.dumps({"agreement": "a1", "shown": ".envrc"})
            )
        return ActOutcome("Merged.")

    app: Any = AskedApp(agrees=agrees)
    act = ItemAct("m", "Merge", lambda _: True, merge)
    await ActFlow(app, session, is_person=is_person).carry_out(act, item())
    if agrees and is_person:
        assert (given, trusted) == (["", "", "a1"], ["h1"])
        assert "runs make" in app.shown[0]
        assert ".envrc" in app.shown[1]
        assert app.shown[-1] == "Merged."
    else:
        assert (given, trusted) == ([""], [])
