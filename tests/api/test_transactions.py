"""Transactions over work files of all four dialects."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chant_mcp
import pytest
from api.projects import FIRST, PLAN, SECOND, fill
from chant_mcp import ChantProject, Workspace, errors
from chant_mcp._core import TicketProjects
from harness import Project

TASKS = "specs/060-login/tasks.md"


def files(project: Project) -> dict[str, bytes]:
    """All work files of a project."""
    found = [
        path
        for path in project.root.rglob("*")
        if path.is_file() and not {".git", ".chant-mcp"}.intersection(path.relative_to(project.root).parts)
    ]
    return {str(path.relative_to(project.root)): path.read_bytes() for path in found}


def edit_all(ws: Workspace) -> None:
    """Edit an item of each dialect."""
    ws.spec("aaa").check("Tests added")
    ws.ticket("DEM-7").update(assignee="ada", status="In Progress")
    ws.vine("plan").claim("log", owner="ada")
    ws.feature("060-login").complete("T001")
    ws.add("Third")
    ws.add_ticket("Log out")


def replace(path: Path, old: str, new: str) -> None:
    """Change a file as somebody else would."""
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new).encode())


def ticket_file(project: Project) -> Path:
    """The file of the ticket."""
    return next((project.root / "docs" / "CRs").glob("DEM-007*"))


def test_edits_of_all_dialects_are_made_together(ws: Workspace, project: Project) -> None:
    before = files(project)
    with ws.transaction() as transaction:
        edit_all(ws)
        assert files(project) == before
        assert ws.spec("aaa").criteria[0].checked
        assert (ws.ticket("DEM-007").assignee, ws.ticket("DEM-007").status) == ("ada", "In Progress")
        assert (ws.vine("plan").task("log").owner, ws.vine("plan").task("log").status) == ("ada", "started")
        assert ws.feature("060-login").task("T001").is_done
        assert ws.ticket("DEM-008").title == "Log out"
        # What is new can be edited at once.
        assert ws.ticket("DEM-008").update(assignee="bob").assignee == "bob"
        assert len(transaction) == 7
    new = transaction.ids[4]
    ids = [FIRST, "DEM-007", "plan.vine#log", "060-login#T001", new, "DEM-008", "DEM-008"]
    assert (transaction.ids, transaction.warnings) == (ids, [])
    assert ws.spec("aaa").criteria[0].checked
    assert (ws.ticket("DEM-007").assignee, ws.ticket("DEM-007").status) == ("ada", "In Progress")
    assert (ws.vine("plan").task("log").owner, ws.vine("plan").task("log").status) == ("ada", "started")
    assert ws.feature("060-login").task("T001").is_done
    assert (ws.spec(new).title, ws.ticket("DEM-008").title, ws.ticket("DEM-008").assignee) == (
        "Third",
        "Log out",
        "bob",
    )
    assert [event["task"] for event in ws.session.speckit.events().data] == ["T001"]
    # A number that was given is not given again.
    ws.ticket("DEM-008").delete()
    assert ws.add_ticket("Again").id == "DEM-009"


def test_a_refusal_leaves_everything_as_it_was(ws: Workspace, project: Project) -> None:
    before = files(project)

    def fail(last: Callable[[], object]) -> None:
        with ws.transaction():
            edit_all(ws)
            last()

    refusals: list[tuple[Callable[[], object], type[Exception]]] = [
        (lambda: ws.spec("bbb").update(status="completed"), errors.IllegalTransitionError),
        (lambda: ws.ticket("DEM-007").update(priority="None such"), errors.InvalidArgumentError),
        (lambda: ws.vine("plan").claim("log"), errors.RefusedError),
        (lambda: ws.feature("060-login").complete("T009"), errors.NotFoundError),
    ]
    for last, kind in refusals:
        with pytest.raises(kind):
            fail(last)
        assert files(project) == before


def test_the_block_goes_on_where_a_refusal_is_caught(ws: Workspace, project: Project) -> None:
    with ws.transaction() as transaction:
        ws.vine("plan").set({"log": "complete"})
        with pytest.raises(errors.IllegalTransitionError):
            ws.ticket("DEM-007").update(assignee="ada", status="Proposed")
        assert ws.ticket("DEM-007").assignee is None
        with pytest.raises(errors.ChantError):
            ws.vine("plan").write([{"op": "remove_task", "id": "log"}, {"op": "remove_task", "id": "gone"}])
        ws.ticket("DEM-007").update(priority="Low")
    assert transaction.ids == ["plan.vine#log", "DEM-007"]
    assert (ws.ticket("DEM-007").assignee, ws.ticket("DEM-007").priority) == (None, "Low")
    assert ws.vine("plan").task("log").is_done


def test_what_waits_for_an_item_of_another_dialect_follows_inside(ws: Workspace, project: Project) -> None:
    ws.ticket("DEM-007").update(depends_on=[f"chant:{FIRST}"])
    ws.vine("plan").task("log").update(annotations={"needs": ["tickets:DEM-007"]})
    replace(project.root / TASKS, "T001 Make", "T001 (depends on vine:plan.vine#log) Make")
    ws.spec("bbb").update(depends_on=["speckit:060-login#T001"])
    with pytest.raises(errors.RefusedError):
        ws.feature("060-login").complete("T001")
    with ws.transaction():
        assert ws.ticket("DEM-007").waits_for == (f"chant:{FIRST}",)
        spec = ws.spec("aaa").check("Tests added").update(status="in_progress")
        assert not ws.ticket("DEM-007").is_ready
        with pytest.raises(errors.RefusedError):
            ws.vine("plan").claim("log")
        spec.update(status="completed")
        assert (ws.ticket("DEM-007").is_ready, ws.ticket("DEM-007").waits_for) == (True, ())
        ws.ticket("DEM-007").update(status="In Progress").update(status="Implemented")
        assert ws.vine("plan").task("log").is_ready
        ws.vine("plan").claim("log")
        ws.vine("plan").set({"log": "complete"})
        assert [ws.spec("bbb").status, ws.spec("bbb").is_ready] == ["blocked", False]
        ws.feature("060-login").complete("T001")
        assert [ws.spec("bbb").status, ws.spec("bbb").is_ready] == ["pending", True]
    assert (ws.spec("aaa").is_done, ws.ticket("DEM-007").is_done, ws.spec("bbb").is_ready) == (
        True,
        True,
        True,
    )
    assert (ws.vine("plan").task("log").is_done, ws.task("speckit:060-login#T001").is_done) == (True, True)


def test_what_others_changed_in_any_file_stays(ws: Workspace, project: Project) -> None:
    plan, tasks, ticket = project.root / "plan.vine", project.root / TASKS, ticket_file(project)
    for path in (plan, tasks, ticket, project.path(FIRST)):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    with ws.transaction():
        edit_all(ws)
        ws.ticket("DEM-007").section("Plan").append("Mine.")
        replace(plan, "Words.", "Their words.")
        replace(tasks, "T002 Fill it", "T002 Fill it, they say <!-- a note -->")
        replace(ticket, "status: ", "theirs: 1 # a note\r\nstatus: ")
        replace(project.path(FIRST), "# First", "# Theirs")
    assert (ws.vine("plan").task("log").owner, ws.vine("plan").task("log").body) == ("ada", "Their words.")
    assert b"T002 Fill it, they say <!-- a note -->\r\n" in tasks.read_bytes()
    assert ws.task("speckit:060-login#T001").is_done
    assert b"theirs: 1 # a note\r\n" in ticket.read_bytes()
    assert (ws.ticket("DEM-007").assignee, "Mine." in ws.ticket("DEM-007").body) == ("ada", True)
    assert (ws.spec("aaa").title, ws.spec("aaa").criteria[0].checked) == ("Theirs", True)
    for path in (plan, tasks, ticket, project.path(FIRST)):
        text = path.read_bytes()
        assert text.count(b"\r\n") == text.count(b"\n"), path


def test_a_text_that_others_changed_meanwhile_refuses_all(ws: Workspace, project: Project) -> None:
    plan, ticket = project.root / "plan.vine", ticket_file(project)
    tasks = project.root / TASKS

    def write(edit: Callable[[], object], change: Callable[[], object]) -> None:
        with ws.transaction():
            ws.spec("bbb").update(labels=["mine"])
            ws.vine("plan").set({"log": "started"})
            edit()
            change()

    plan_blob = ws.vine("plan").blob
    clashes: list[tuple[Callable[[], object], Callable[[], object], type[Exception]]] = [
        (
            lambda: ws.ticket("DEM-007").section("Plan").replace("Mine."),
            lambda: ws.session.tickets.manage_cr_sections(
                None, "DEM-7", "append", section="Plan", content="Theirs."
            ),
            errors.ConflictError,
        ),
        (
            lambda: ws.vine("plan").task("log").update(description="Mine."),
            lambda: replace(plan, "Words.", "Theirs."),
            errors.ConflictError,
        ),
        (
            lambda: ws.vine("plan").write([{"op": "set_meta", "title": "Mine"}], expect=ws.vine("plan").blob),
            lambda: replace(plan, "Theirs.", "Words, too."),
            errors.ConflictError,
        ),
        (
            lambda: ws.feature("060-login").complete("T002"),
            lambda: replace(tasks, "T002 ", "T003 "),
            errors.NotFoundError,
        ),
        (lambda: ws.add_ticket("Mine"), lambda: ticket_of_others(project, 8), errors.ConflictError),
    ]
    assert ws.vine("plan").blob == plan_blob
    for edit, change, kind in clashes:
        with pytest.raises(kind):
            write(edit, change)
        assert (ws.spec("bbb").labels, ws.vine("plan").task("log").status) == ((), "notstarted")
    assert b"Mine" not in plan.read_bytes() + ticket.read_bytes()
    with ws.transaction():
        assert ws.add_ticket("Mine").id == "DEM-009"


def ticket_of_others(project: Project, number: int) -> None:
    """Write a ticket as another program would."""
    path = project.root / "docs" / "CRs" / f"DEM-{number:03}-theirs.md"
    path.write_text(f"---\ncode: DEM-{number:03}\n---\n\n# Theirs\n", encoding="utf-8")


def test_an_expected_text_is_that_which_the_edits_before_made(ws: Workspace) -> None:
    with ws.transaction():
        vine = ws.vine("plan")
        vine = vine.write([{"op": "set_meta", "title": "One"}], expect=vine.blob)
        assert vine.title == "One"
        vine.write([{"op": "set_meta", "title": "Two"}], expect=vine.blob)
        task = ws.vine("plan").task("log").update(description="More.")
        task.update(description="Still more.")
    assert (ws.vine("plan").title, ws.vine("plan").task("log").body) == ("Two", "Still more.")


def test_tasks_are_added_renamed_and_removed_inside(ws: Workspace) -> None:
    with ws.transaction() as transaction:
        task = ws.vine("plan").add("test", "Test it", depends_on="log", needed_by="ship")
        assert (task.depends_on, ws.vine("plan").progress["total"]) == (("vine:plan.vine#log",), 3)
        assert task.rename("check").id == "check"
        with pytest.raises(errors.NotFoundError):
            ws.vine("plan").task("test")
        ws.vine("plan").task("log").remove()
    assert transaction.ids == ["plan.vine#test", "plan.vine#check", "plan.vine#log"]
    assert ws.vine("plan").tasks.keys() == ["vine:plan.vine#ship", "vine:plan.vine#check"]


def test_tickets_and_task_graphs_need_no_specs(tmp_path: Path) -> None:
    (tmp_path / "plan.vine").write_text(PLAN, encoding="utf-8")
    (tmp_path / "docs" / "CRs").mkdir(parents=True)
    (tmp_path / ".mdt-config.toml").write_text('[project]\nname = "Demo"\ncode = "DEM"\n', encoding="utf-8")
    ws = chant_mcp.open(tmp_path)
    with ws.transaction() as transaction:
        first = ws.add_ticket("First")
        second = ws.add_ticket("Second", dependsOn=[first.id, "DEM-099"])
        ws.vine("plan").set({"log": "complete"})
        with pytest.raises(errors.NotInitializedError):
            ws.add("No")
        assert second.depends_on == ("tickets:DEM-001", "tickets:DEM-099")
    assert transaction.ids == ["DEM-001", "DEM-002", "plan.vine#log"]
    assert transaction.warnings == ["dependsOn names DEM-099, which does not exist"]
    assert ws.ticket("DEM-2").waits_for == ("tickets:DEM-001", "tickets:DEM-099")


def test_checks_and_files_elsewhere_are_refused_inside(ws: Workspace, project: Project) -> None:
    config = project.root / ".specify" / "chant-mcp.yml"
    config.write_text("checks:\n  tests: ['true']\n", encoding="utf-8")
    (project.root.parent / "elsewhere.vine").write_text(PLAN, encoding="utf-8")
    with ws.transaction():
        with pytest.raises(errors.RefusedError, match="check 'tests' would run"):
            ws.feature("060-login").complete("T001")
        with pytest.raises(errors.RefusedError, match=r"is not in .* before or after the transaction"):
            chant_mcp.api.vines.Vine.read(ws, "../elsewhere.vine").set({"log": "started"})
        assert ws.feature("060-login").complete("T001", skip_validation=True).is_done
    assert ws.feature("060-login").task("T001").is_done


def run_writers(write: Callable[[str], None], names: str, at_the_end: threading.Barrier) -> None:
    """Let each writer work in a thread of its own; where one fails, all end and its error is shown."""
    failed: list[BaseException] = []

    def run_writer(name: str) -> None:
        try:
            write(name)
        except BaseException as error:
            failed.append(error)
            at_the_end.abort()

    threads = [threading.Thread(target=run_writer, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []


def test_transactions_over_the_same_files_in_opposite_orders_both_arrive(project: Project) -> None:
    fill(project)
    rounds, at_the_end = 5, threading.Barrier(2, timeout=30)

    def edits(ws: Workspace, name: str) -> list[Callable[[], Any]]:
        return [
            lambda: ws.spec("aaa").update(labels=[*ws.spec("aaa").labels, name]),
            lambda: ws.ticket("DEM-007").update(assignee=name),
            lambda: ws.vine("plan").task("log").update(add_decisions=[name]),
            lambda: ws.spec("bbb").update(model=name),
        ]

    def write(name: str) -> None:
        ws = chant_mcp.open(project.root)
        for number in range(rounds):
            with ws.transaction():
                each = edits(ws, f"{name}{number}")
                for edit in reversed(each) if name == "b" else each:
                    edit()
                at_the_end.wait()

    run_writers(write, "ab", at_the_end)
    ws = chant_mcp.open(project.root)
    decisions = set(ws.vine("plan").task("log").decisions)
    assert decisions == {f"{name}{number}" for name in "ab" for number in range(rounds)}
    last = {f"a{rounds - 1}", f"b{rounds - 1}"}
    # The last writer was the last in every file.
    assert ws.ticket("DEM-007").assignee == ws.spec(SECOND).model
    assert ws.ticket("DEM-007").assignee in last


def test_three_writers_who_append_tick_and_set_keys_are_never_refused(project: Project) -> None:
    fill(project)
    rounds, names = 4, "abc"
    at_the_end = threading.Barrier(len(names), timeout=30)

    def write(name: str) -> None:
        ws = chant_mcp.open(project.root)
        for number in range(rounds):
            with ws.transaction():
                ws.spec("aaa").update(output=f"From {name}{number}.", check="Tests added", model=name)
                plan = ws.ticket("DEM-007").section("Plan")
                plan.append(f"After {name}{number}.")
                plan.prepend(f"Before {name}{number}.")
                ws.ticket("DEM-007").update(assignee=name)
                at_the_end.wait()

    run_writers(write, names, at_the_end)
    ws = chant_mcp.open(project.root)
    written = [f"{name}{number}." for name in names for number in range(rounds)]
    plan = ws.ticket("DEM-007").section("Plan").text
    assert [ws.spec("aaa").body.count(f"From {one}") for one in written] == [1] * len(written)
    assert [plan.count(f"After {one}") for one in written] == [1] * len(written)
    assert [plan.count(f"Before {one}") for one in written] == [1] * len(written)


@pytest.mark.parametrize("is_together", [True, False], ids=["in a transaction", "alone"])
def test_a_list_that_others_changed_meanwhile_is_merged(
    ws: Workspace, project: Project, is_together: bool
) -> None:
    spec, ticket = ws.spec("bbb"), ws.ticket("DEM-007")
    spec = spec.update(labels=["a", "b"], target_files=["one"])
    ticket = ticket.update(related_tickets=["DEM-001", "DEM-002"])

    def of_others() -> None:
        ChantProject(project.root).spec_update(SECOND, labels=["b", "theirs"], depends_on=[])
        tickets = TicketProjects(project.root, variables={})
        tickets.update_cr_attrs(None, "DEM-007", {"relatedTickets": ["DEM-002", "DEM-003"]})

    def mine() -> None:
        spec.update(labels=["a", "mine"], depends_on=["aaa", "docs:x"], target_files=["one", "two"])
        ticket.update(related_tickets=["DEM-001", "DEM-004"])

    if is_together:
        with ws.transaction():
            mine()
            of_others()
    else:
        of_others()
        mine()
    assert ws.spec("bbb").labels == ("theirs", "mine")
    assert ws.spec("bbb").target_files == ("one", "two")
    assert 'depends_on: ["docs:x"]\n' in project.text(SECOND)
    assert ws.ticket("DEM-007").related_tickets == ("DEM-003", "DEM-004")


def test_a_transaction_is_tried_again_while_others_are_faster(ws: Workspace, project: Project) -> None:
    calls: list[int] = []

    def add(faster: int) -> str:
        def edits(transaction: chant_mcp.api.Transaction) -> str:
            assert len(transaction) == 0
            ws.spec("bbb").update(labels=["mine"])
            calls.append(0)
            ticket = ws.add_ticket("Mine")
            if len(calls) <= faster:
                ticket_of_others(project, int(ticket.id.removeprefix("DEM-")))
            return ticket.id

        calls.clear()
        return ws.run_transaction(edits, attempts=3)

    assert (add(2), len(calls), ws.spec("bbb").labels) == ("DEM-010", 3, ("mine",))
    with pytest.raises(errors.ConflictError):
        add(3)
    assert (len(calls), len(ws.tickets)) == (3, 7)
    with pytest.raises(errors.NotFoundError):
        ws.run_transaction(lambda _: [calls.append(0), ws.spec("none")])
    assert len(calls) == 4, "what cannot be helped by trying again is not tried again"
    with pytest.raises(errors.InvalidArgumentError, match="expected 1 or more"):
        ws.run_transaction(lambda _: None, attempts=0)


def test_the_log_of_a_feature_tells_only_of_what_was_written(ws: Workspace) -> None:
    def fail() -> None:
        with ws.transaction():
            ws.feature("060-login").complete("T001")
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - it is our own
        fail()
    assert ws.session.speckit.events().data == []
