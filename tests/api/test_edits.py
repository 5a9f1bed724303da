"""Handles are snapshots; their methods are the tools' own operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from api.projects import FIRST
from chant_mcp import Workspace, errors
from harness import Project


def test_an_edit_gives_a_new_handle_and_leaves_the_old_one(ws: Workspace) -> None:
    before = ws.spec("aaa")
    after = before.update(labels=["api", "core"], model="opus")
    assert (before.labels, before.model) == (("api",), None)
    assert (after.labels, after.model) == (("api", "core"), "opus")
    assert after.response == f"Updated spec: {FIRST}"
    assert before.reload().labels == after.labels


def test_list_edits_through_an_old_handle_keep_what_others_changed(ws: Workspace, project: Project) -> None:
    old = ws.spec("aaa")
    text = project.text(FIRST)
    project.write(FIRST, text.replace("# First", "# First of all").replace("- api", "- api\n- theirs"))
    ticked = old.check("Tests added")
    assert (ticked.title, ticked.labels) == ("First of all", ("api", "theirs"))
    unticked = old.uncheck("Written down")
    assert [criterion.checked for criterion in unticked.criteria] == [True, False]
    assert old.update(target_files=["a.py"]).title == "First of all"
    # The document is as it was but for the boxes and the key.
    assert "What it is about." in project.text(FIRST)


@pytest.mark.parametrize("replaces", [False, True])
def test_a_body_edit_through_an_old_handle_is_refused(
    ws: Workspace, project: Project, replaces: bool
) -> None:
    old = ws.spec("aaa")
    project.write(FIRST, project.text(FIRST).replace("What it is about.", "Theirs."))
    text = project.text(FIRST)
    with pytest.raises(errors.ConflictError, match="changed since it was read") as caught:
        old.update(output="Mine.", replace_body=replaces, labels=["mine"])
    assert caught.value.details["id"] == FIRST
    assert project.text(FIRST) == text
    edited = old.reload().update(output="Mine.", replace_body=replaces)
    assert "Mine." in edited.body


def test_a_section_edit_is_refused_when_the_section_changed_and_only_then(ws: Workspace) -> None:
    old = ws.ticket("DEM-7")
    ws.ticket("DEM-7").section("Plan").append("Theirs.")
    with pytest.raises(errors.ConflictError, match="changed since it was read"):
        old.section("Plan").append("Mine.")
    edited = old.section("Today").replace("None are guests.")
    assert (edited.section("Plan").text, edited.section("Today").text) == ("Theirs.", "None are guests.")
    assert edited.section("Plan").prepend("First.").section("Plan").text == "First.\n\nTheirs."


def test_a_description_edit_is_refused_when_the_description_changed_and_only_then(ws: Workspace) -> None:
    old = ws.vine("plan").task("log")
    ws.vine("plan").claim("log", owner="ada")
    mine = old.update(description="Mine.")
    assert (mine.description, mine.status, mine.owner) == ("Mine.", "started", "ada")
    with pytest.raises(errors.ConflictError, match="changed since it was read"):
        old.update(description="Mine again.")
    assert old.update(name="Write the log").title == "Write the log"


def test_a_refusal_changes_nothing_and_says_why(ws: Workspace, project: Project) -> None:
    spec = ws.spec("aaa").update(status="in_progress")
    text = project.text(FIRST)
    with pytest.raises(errors.RefusedError, match="Tests added") as refused:
        spec.update(status="completed", labels=["x"])
    assert refused.value.code == "REFUSED"
    with pytest.raises(errors.NotFoundError):
        spec.check("No such criterion")
    with pytest.raises(errors.IllegalTransitionError):
        ws.spec("bbb").finalize()
    assert project.text(FIRST) == text
    done = spec.check("Tests added").finalize()
    assert (done.status, done.is_done, done.completed_at is None) == ("completed", True, False)
    assert "Archived spec" in done.archive()
    with pytest.raises(errors.NotFoundError, match="aaa"):
        done.reload()


def test_tickets_tasks_and_features_are_edited(ws: Workspace) -> None:
    ticket = ws.add_ticket("Log out", priority="High", dependsOn=["DEM-007"])
    assert (ticket.id, ticket.priority, ticket.depends_on) == ("DEM-008", "High", ("tickets:DEM-007",))
    ticket = ticket.update(assignee="ada", blocks=[], status="Approved")
    assert (ticket.assignee, ticket.status) == ("ada", "Approved")
    with pytest.raises(errors.IllegalTransitionError):
        ticket.update(status="Implemented").update(status="Proposed")
    ticket.delete()
    assert "DEM-008" not in ws
    vine = ws.vine("plan")
    task = vine.add("test", "Test it", depends_on="log", needed_by="ship", annotations={"owner": ["bob"]})
    assert (task.depends_on, task.owner) == (("vine:plan.vine#log",), "bob")
    assert vine.set({"log": "complete", "test": "started"}).progress["complete"] == 1
    assert task.rename("check").id == "check"
    assert ws.vine("plan").task("check").remove().tasks.keys() == [
        "vine:plan.vine#ship",
        "vine:plan.vine#log",
    ]
    assert ws.add_vine("more", [{"op": "add_task", "id": "a", "name": "A"}]).path == "more.vine"
    feature = ws.feature("060-login")
    done = feature.task("T001").complete(skip_validation=True)
    assert (done.status, done.is_done, feature.task("T002").status) == ("done", True, "open")
    assert [one.id for one in feature.next()] == ["T002"]


def test_edits_of_a_transaction_are_made_together(ws: Workspace, project: Project) -> None:
    with ws.transaction() as transaction:
        spec = ws.spec("aaa").check("Tests added").update(status="in_progress")
        done = spec.update(status="completed")
        new = ws.add("Third", depends_on=[done.id], parent=None)
        other = ws.spec("bbb").update(depends_on=[new.key])
        assert (done.status, ws.spec("aaa").status, ws[new.id].title) == ("completed", "completed", "Third")
        assert (len(transaction), project.status(FIRST)) == (5, "pending")
        assert not project.path(new.id).exists()
        assert other.depends_on == (new.key,)
    assert transaction.ids[-1] == other.id
    assert len(transaction) == 5
    assert (project.status(FIRST), ws.spec("bbb").waits_for) == ("completed", (new.key,))
    assert ws.spec(new.id).waits_for == ()


def test_an_exception_discards_the_edits_of_a_transaction(ws: Workspace, project: Project) -> None:
    text = project.text(FIRST)

    def fail() -> None:
        with ws.transaction():
            ws.spec("aaa").check("Tests added")
            ws.add("Never")
            ws.spec("bbb").update(status="completed")

    with pytest.raises(errors.IllegalTransitionError):
        fail()
    assert project.text(FIRST) == text
    assert len(ws.specs) == 2
    assert ws.spec("aaa").check("Tests added").criteria[0].checked


def test_what_others_changed_meanwhile_stays_or_refuses_all(ws: Workspace, project: Project) -> None:
    with ws.transaction():
        ws.spec("aaa").check("Tests added")
        project.write(FIRST, project.text(FIRST).replace("# First", "# Theirs"))
    assert ws.spec("aaa").title == "Theirs"
    assert ws.spec("aaa").criteria[0].checked

    def write() -> None:
        with ws.transaction():
            ws.spec("bbb").update(labels=["mine"])
            ws.spec("aaa").update(output="Mine.", replace_body=True)
            project.write(FIRST, project.text(FIRST).replace("# Theirs", "# Other"))

    with pytest.raises(errors.ConflictError):
        write()
    assert ws.spec("bbb").labels == ()


@pytest.mark.parametrize(
    "edit",
    [
        lambda ws: ws.spec("aaa").finalize(),
        lambda ws: ws.spec("aaa").archive(),
        lambda ws: ws.spec("aaa").start(),
        lambda ws: ws.ticket("DEM-7").delete(),
        lambda ws: ws.vine("plan").expand("log"),
        lambda ws: ws.vine("plan").write([{"op": "set_meta", "title": "x"}], dry_run=True),
        lambda ws: ws.vine("plan").write([{"op": "extract_to_ref", "id": "log", "vine": "log.vine"}]),
        lambda ws: ws.add_vine("more", [{"op": "add_task", "id": "a", "name": "A"}]),
        lambda ws: ws.import_specs("elsewhere"),
        lambda ws: ws.transaction().__enter__(),
    ],
)
def test_a_transaction_refuses_what_it_could_not_take_back(
    ws: Workspace, edit: Callable[[Workspace], Any]
) -> None:
    def inside() -> None:
        with ws.transaction():
            edit(ws)

    with pytest.raises(errors.RefusedError, match="transaction"):
        inside()


def test_a_member_that_ends_completes_its_driver_in_a_transaction_too(
    ws: Workspace, project: Project
) -> None:
    driver = ws.add("Whole", type="driver")
    parts = [ws.add(f"Part {number}", parent=driver.id) for number in range(2)]
    with ws.transaction():
        for part in parts:
            part.update(status="in_progress").update(status="completed")
        assert ws.spec(driver.id).status == "completed"
    assert project.status(driver.id) == "completed"
    assert driver.reload().members == (parts[0].id, parts[1].id)
