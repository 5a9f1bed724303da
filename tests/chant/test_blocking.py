"""What blocks a spec, what makes it ready, and why: one answer for every tool (reference 4, 10.7)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from chant.reading import DAY, LAW, ONE_ERA, archive, clear, drive, listed, ready, reasons
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Caller, Project

pytestmark = pytest.mark.anyio

DONE = ("completed", "cancelled")


# Reference 10.7, row by row


@pytest.mark.requirement(
    "graph:blocked:open_dependency_blocks", "graph:blocked:cancelled_dependency_satisfies"
)
@ONE_ERA
@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("pending", "blocked"),
        ("in_progress", "blocked"),
        ("paused", "blocked"),
        ("failed", "blocked"),
        ("needs_attention", "blocked"),
        ("ready", "blocked"),
        ("blocked", "blocked"),
        ("completed", "pending"),
        ("cancelled", "pending"),
    ],
)
@pytest.mark.parametrize("stored", ["pending", "blocked"])
async def test_a_dependency_blocks_until_it_is_done(
    call: Caller, status: str, expected: str, stored: str
) -> None:
    call.project.spec("base", status=status)
    call.project.spec("one", status=stored, depends_on=["base"])

    shown = {**await listed(call), **await listed(call, status="cancelled")}
    assert shown["one"] == expected
    assert ("one" in await ready(call)) == (expected == "pending")
    if expected == "blocked":
        (reason,) = await reasons(call, "one")
        assert '"base"' in reason
    else:
        assert await reasons(call, "one") == []


@pytest.mark.requirement("graph:blocked:unknown_dependency_blocks_with_a_reason")
@ONE_ERA
@pytest.mark.parametrize(
    "name",
    [
        "nothing",
        "001",
        f"{DAY}-001",
        "001-aaa",
        f"{DAY}-001-AAA",
        f"{DAY}-001-aaa.md",
        "aaa",
        f"{DAY}-001-aab",
    ],
)
async def test_an_unknown_misspelt_or_partial_dependency_blocks(call: Caller, name: str) -> None:
    call.project.spec(f"{DAY}-001-aaa", status="completed")
    call.project.spec("one", depends_on=[f'"{name}"'])

    assert (await listed(call))["one"] == "blocked"
    (reason,) = await reasons(call, "one")
    assert f'"{name}"' in reason


@pytest.mark.requirement("graph:blocked:open_dependency_blocks")
async def test_a_spec_that_depends_on_itself_is_blocked(call: Caller) -> None:
    call.project.spec("one", depends_on=["one"])

    assert (await listed(call))["one"] == "blocked"
    assert await ready(call) == []


@pytest.mark.requirement("graph:blocked:archived_dependency_satisfies")
@ONE_ERA
@pytest.mark.parametrize(
    ("status", "expected"),
    [("completed", "pending"), ("cancelled", "pending"), ("failed", "blocked"), ("in_progress", "blocked")],
)
async def test_an_archived_dependency_satisfies_when_it_is_done(
    call: Caller, status: str, expected: str
) -> None:
    archive(call.project, f"{DAY}-001-old", status=status)
    call.project.spec("one", depends_on=[f"{DAY}-001-old"])

    assert (await listed(call))["one"] == expected
    lint = await call.data("chant_lint", id="one")
    assert not [found for found in lint["diagnostics"] if "Unknown" in found["message"]]


@pytest.mark.requirement("graph:blocked:archived_dependency_satisfies")
async def test_an_active_spec_counts_before_an_archived_one_of_the_same_id(call: Caller) -> None:
    archive(call.project, f"{DAY}-001-old")
    call.project.spec(f"{DAY}-001-old", status="in_progress")
    call.project.spec("one", depends_on=[f"{DAY}-001-old"])

    assert (await listed(call))["one"] == "blocked"


@pytest.mark.requirement(
    "graph:blocked:archived_dependency_satisfies", "store:index:write_before_the_call_is_seen"
)
async def test_archiving_by_another_program_is_seen(call: Caller) -> None:
    path = call.project.spec(f"{DAY}-001-old", status="completed")
    call.project.spec("one", depends_on=[f"{DAY}-001-old"])
    assert (await listed(call))["one"] == "pending"
    path.unlink()
    assert (await listed(call))["one"] == "blocked"
    target = archive(call.project, f"{DAY}-001-old")
    assert await listed(call) == {"one": "pending"}
    target.write_text(target.read_text(encoding="utf-8").replace("completed", "failed"), encoding="utf-8")
    assert await listed(call) == {"one": "blocked"}


@pytest.mark.requirement("graph:blocked:unreadable_dependency_is_named_as_such")
@ONE_ERA
@pytest.mark.parametrize("text", ["---\nstatus: [\n---\n", "---\nstatus: nonsense\n---\n", b"\xff\xfe"])
async def test_a_dependency_that_cannot_be_read_blocks_and_is_named(call: Caller, text: str | bytes) -> None:
    call.project.write("broken", text)
    call.project.spec("one", depends_on=["broken"])
    call.project.spec("two", depends_on=["missing"])

    assert await listed(call) == {"one": "blocked", "two": "blocked"}
    (unreadable,) = await reasons(call, "one")
    (missing,) = await reasons(call, "two")
    assert '"broken"' in unreadable
    assert "cannot be read" in unreadable
    assert "cannot be read" not in missing


@pytest.mark.requirement("graph:approval:required_approval_blocks")
@ONE_ERA
@pytest.mark.parametrize(
    ("approval", "expected"),
    [
        ("{required: true}", "blocked"),
        ("{required: true, status: pending}", "blocked"),
        ("{required: true, status: rejected, by: Ada, at: x}", "blocked"),
        ("{required: true, status: approved, by: Ada, at: x}", "pending"),
        ("{required: false, status: pending}", "pending"),
        ("{}", "pending"),
    ],
)
async def test_required_approval_blocks(call: Caller, approval: str, expected: str) -> None:
    call.project.spec("one", approval=approval)

    assert (await listed(call))["one"] == expected
    found = await reasons(call, "one")
    assert len(found) == (expected == "blocked")
    assert all("approval" in reason for reason in found)


@pytest.mark.requirement("graph:approval:required_approval_blocks")
@ONE_ERA
@pytest.mark.parametrize("status", ["in_progress", "completed", "needs_attention", "paused"])
async def test_approval_blocks_only_what_has_not_begun(call: Caller, status: str) -> None:
    call.project.spec("one", status=status, approval="{required: true}")

    assert (await listed(call))["one"] == status


@pytest.mark.requirement(
    "graph:blocked:stored_blocked_by_approval_stays", "graph:blocked:stored_blocked_is_derived_again"
)
async def test_a_stored_blocked_follows_its_reasons(call: Caller) -> None:
    call.project.spec("free", status="blocked")
    call.project.spec("asks", status="blocked", approval="{required: true}")
    call.project.spec("waits", status="blocked", depends_on=["asks"])

    assert await listed(call) == {"asks": "blocked", "free": "pending", "waits": "blocked"}
    assert await ready(call) == ["free"]
    assert call.project.status("free") == "blocked", "the file keeps what it says"


@pytest.mark.requirement("graph:blocked:member_inherits_open_driver_dependency")
@ONE_ERA
@pytest.mark.parametrize("member", ["D.1", "D.2", "D.1.1", "D.2.7"])
@pytest.mark.parametrize("depends_on", [None, "[]", "[done]"])
async def test_a_member_inherits_an_open_dependency_of_its_driver(
    call: Caller, member: str, depends_on: str | None
) -> None:
    call.project.spec("outside", status="in_progress")
    call.project.spec("done", status="completed")
    call.project.spec("D", type="group", depends_on=["outside", "D.1"])
    call.project.spec(member, depends_on=depends_on)

    assert (await listed(call))[member] == "blocked"
    assert member not in await ready(call)
    assert any('"outside"' in reason for reason in await reasons(call, member))


@pytest.mark.requirement("graph:blocked:member_inherits_open_driver_dependency")
@ONE_ERA
@pytest.mark.parametrize("dependency", ["unknown", "broken", "old"])
async def test_what_cannot_be_found_blocks_members_too(call: Caller, dependency: str) -> None:
    call.project.write("broken", "---\nstatus: [\n---\n")
    archive(call.project, "old")
    call.project.spec("D", type="group", depends_on=[dependency])
    call.project.spec("D.1")

    assert (await listed(call))["D.1"] == ("pending" if dependency == "old" else "blocked")


@pytest.mark.requirement("graph:blocked:driver_on_own_members_does_not_block_them")
async def test_a_driver_on_its_own_members_does_not_block_them(call: Caller) -> None:
    call.project.spec("D", type="group", depends_on=["D.1", "D.2", "D.2.1"])
    call.project.spec("D.1")
    call.project.spec("D.2", depends_on=[])
    call.project.spec("D.2.1")

    shown = await listed(call)
    assert shown == {"D": "blocked", "D.1": "pending", "D.2": "pending", "D.2.1": "pending"}
    assert "D.1" in await ready(call)


@pytest.mark.requirement(
    "graph:siblings:member_waits_for_lower_numbers", "graph:siblings:waiting_member_shows_pending"
)
async def test_a_member_waits_for_lower_numbers_and_shows_pending(call: Caller) -> None:
    call.project.spec("D.1")
    call.project.spec("D.2")

    assert await listed(call) == {"D.1": "pending", "D.2": "pending"}
    assert await ready(call) == ["D.1"]
    assert any('"D.1"' in reason for reason in await reasons(call, "D.2"))


@pytest.mark.requirement("graph:siblings:any_depends_on_switches_it_off")
async def test_an_empty_depends_on_frees_a_member(call: Caller) -> None:
    call.project.spec("D.1")
    call.project.spec("D.9", depends_on=["done"])
    call.project.spec("D.10", depends_on=[])
    call.project.spec("done", status="completed")

    assert await ready(call) == ["D.1", "D.9", "D.10"]


@pytest.mark.requirement("graph:siblings:absent_siblings_do_not_matter")
async def test_absent_siblings_do_not_matter(call: Caller) -> None:
    call.project.spec("D.2")
    call.project.spec("D.4")

    assert await ready(call) == ["D.2"]
    call.project.spec("D.2", status="completed")
    assert await ready(call) == ["D.4"]
    archive(call.project, "D.3", status="completed")
    assert await ready(call) == ["D.4"]


@pytest.mark.requirement("graph:siblings:member_waits_for_lower_numbers")
@ONE_ERA
@pytest.mark.parametrize(
    ("status", "waits"),
    [
        ("pending", True),
        ("in_progress", True),
        ("failed", True),
        ("needs_attention", True),
        ("paused", True),
        ("completed", False),
        ("cancelled", False),
    ],
)
@pytest.mark.parametrize("before", ["D.1", "D.9", "D.09"])
async def test_which_siblings_are_waited_for(call: Caller, status: str, waits: bool, before: str) -> None:
    call.project.spec(before, status=status)
    call.project.spec("D.10")

    assert ("D.10" in await ready(call)) == (not waits)


@pytest.mark.requirement("graph:siblings:member_waits_for_lower_numbers")
async def test_members_of_other_drivers_are_no_siblings(call: Caller) -> None:
    call.project.spec("C.1", status="in_progress")
    call.project.spec("D", status="in_progress")
    call.project.spec("D.2")
    call.project.spec("DD.1", status="in_progress")

    assert await ready(call) == ["D.2"]


@pytest.mark.requirement("graph:siblings:nested_members_wait_for_their_own")
@ONE_ERA
@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ({"D.1": "pending", "D.2.1": "pending", "D.2.2": "pending"}, ["D.1"]),
        ({"D.1": "completed", "D.2.1": "pending", "D.2.2": "pending"}, ["D.2.1"]),
        ({"D.1": "completed", "D.2.1": "completed", "D.2.2": "pending"}, ["D.2.2"]),
        ({"D.1": "completed", "D.2.1": "failed", "D.2.2": "pending"}, ["D.2.1"]),
    ],
)
async def test_nested_members_wait_for_their_own_siblings(
    call: Caller, statuses: dict[str, str], expected: list[str]
) -> None:
    for id, status in statuses.items():
        call.project.spec(id, status=status)

    assert await ready(call) == expected


@pytest.mark.requirement("graph:siblings:nested_members_wait_for_their_own")
async def test_a_nested_member_does_not_wait_for_the_member_it_extends(call: Caller) -> None:
    call.project.spec("D", type="group")
    call.project.spec("D.1", type="group")
    call.project.spec("D.1.1")
    call.project.spec("D.1.2")

    assert await ready(call) == ["D.1.1"]


# Other repositories


def repository(project: Project, name: str = "other") -> Path:
    """Make another project beside this one."""
    root = project.root.parent / name
    (root / ".chant" / "specs").mkdir(parents=True, exist_ok=True)
    return root


def foreign(root: Path, id: str, status: str, folder: str = "specs") -> Path:
    path = root / ".chant" / folder / f"{id}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\ntype: code\nstatus: {status}\n---\n# Foreign\n", encoding="utf-8")
    return path


@pytest.mark.requirement("graph:repos:completed_elsewhere_satisfies")
@ONE_ERA
@pytest.mark.parametrize("folder", ["specs", f"archive/{DAY}"])
@pytest.mark.parametrize("form", ["absolute", "relative"])
@pytest.mark.parametrize(
    ("status", "expected"), [("completed", "pending"), ("cancelled", "pending"), ("in_progress", "blocked")]
)
async def test_a_dependency_in_another_repository(
    call: Caller, folder: str, form: str, status: str, expected: str
) -> None:
    root = repository(call.project)
    foreign(root, f"{DAY}-001-far", status, folder)
    path = root if form == "absolute" else "../other"
    call.project.config(f"repos:\n- name: other\n  path: {path}\n")
    call.project.spec("one", depends_on=[f'"other:{DAY}-001-far"'])

    assert await listed(call) == {"one": expected}
    if expected == "blocked":
        (reason,) = await reasons(call, "one")
        assert f"other:{DAY}-001-far" in reason
        assert "in_progress" in reason


@pytest.mark.requirement(
    "graph:repos:completed_elsewhere_satisfies", "store:index:write_before_the_call_is_seen"
)
async def test_a_change_in_another_repository_is_seen(call: Caller) -> None:
    root, far = repository(call.project), f"{DAY}-001-far"
    path = foreign(root, far, "in_progress")
    call.project.config(f"repos:\n- name: other\n  path: {root}\n")
    call.project.spec("one", depends_on=[f'"other:{far}"'])
    for status, expected in [("completed", "pending"), ("in_review", "blocked"), ("cancelled", "pending")]:
        foreign(root, far, status)
        assert await listed(call) == {"one": expected}
    path.unlink()
    assert await listed(call) == {"one": "blocked"}
    foreign(root, far, "completed", f"archive/{DAY}")
    assert await listed(call) == {"one": "pending"}


@pytest.mark.requirement("graph:repos:unknown_repository_blocks_with_a_reason")
@ONE_ERA
@pytest.mark.parametrize("case", ["unknown", "no folder", "a file", "no chant", "no spec", "broken spec"])
async def test_what_cannot_be_found_elsewhere_blocks_with_a_reason(call: Caller, case: str) -> None:
    root = repository(call.project)
    (call.project.root.parent / "file").write_text("x", encoding="utf-8")
    (call.project.root.parent / "bare").mkdir()
    foreign(root, "broken", "[")
    path = {"no folder": "../nowhere", "a file": "../file", "no chant": "../bare"}.get(case, root)
    call.project.config(f"repos:\n- name: other\n  path: {path}\n")
    dependency = {"unknown": "elsewhere:far", "broken spec": "other:broken"}.get(case, "other:far")
    call.project.spec("one", depends_on=[f'"{dependency}"'])
    call.project.spec("two")

    assert await listed(call) == {"one": "blocked", "two": "pending"}
    (reason,) = await reasons(call, "one")
    assert dependency.split(":")[0] in reason
    assert re.search(r'"note": "\w+', reason), "the reason says nothing"


@pytest.mark.requirement("graph:repos:unknown_repository_blocks_with_a_reason")
@ONE_ERA
@pytest.mark.parametrize(
    "id", ["../../secret", "..", "../specs/far", "/etc/passwd", "sub/../far", "\\\\far", ""]
)
async def test_an_id_elsewhere_never_leads_out_of_its_folder(call: Caller, id: str) -> None:
    root = repository(call.project)
    foreign(root, "far", "completed")
    (root / "secret.md").write_text("---\nstatus: completed\n---\n", encoding="utf-8")
    call.project.config(f"repos:\n- name: other\n  path: {root}\n")
    call.project.spec("one", depends_on=[f'"other:{id}"'])

    assert await listed(call) == {"one": "blocked"}


@pytest.mark.requirement("graph:repos:completed_elsewhere_satisfies")
async def test_repositories_come_from_the_configuration_as_it_is_now(call: Caller) -> None:
    root = repository(call.project)
    foreign(root, "far", "completed")
    call.project.spec("one", depends_on=['"other:far"'])
    assert await listed(call) == {"one": "blocked"}
    call.project.config(f"repos:\n- name: other\n  path: {root}\n")
    assert await listed(call) == {"one": "pending"}
    call.project.config("repos: []\n")
    assert await listed(call) == {"one": "blocked"}


@pytest.mark.requirement(
    "graph:repos:completed_elsewhere_satisfies", "chant:lint:dialect_prefix_beats_repository_name"
)
async def test_the_prefix_of_the_dialect_means_this_project(call: Caller) -> None:
    root = repository(call.project)
    foreign(root, "base", "completed")
    call.project.config(f"repos:\n- name: chant\n  path: {root}\n")
    call.project.spec("base", status="in_progress")
    call.project.spec("one", depends_on=['"chant:base"'])

    assert (await listed(call))["one"] == "blocked"
    call.project.spec("base", status="completed")
    (root / ".chant" / "specs" / "base.md").unlink()
    assert (await listed(call))["one"] == "pending"


# One predicate


@pytest.mark.requirement("graph:predicate:one_for_every_tool")
async def test_every_tool_gives_the_same_verdict_and_reasons(call: Caller) -> None:
    call.project.spec("base", status="in_progress")
    call.project.spec("D", type="group", depends_on=["base"])
    call.project.spec("D.1", approval="{required: true}")
    call.project.spec("D.2", depends_on=["nothing"])

    for id, wanted in [("D.1", ["base", "approval"]), ("D.2", ["base", "nothing"]), ("D", ["base"])]:
        assert (await listed(call))[id] == "blocked"
        assert id in await listed(call, status="blocked")
        assert id not in await listed(call, status="ready")
        assert id not in await ready(call)
        assert (await call.data("chant_spec_get", id=id))["status"] == "blocked"
        assert (await call.data("chant_search", query=f"Spec {id}"))["specs"][0]["status"] == "blocked"
        diagnosis = await call.data("chant_diagnose", id=id)
        assert diagnosis["status"] == "blocked"
        told = str(diagnosis)
        assert all(word in told for word in wanted)
        reason = " ".join(await reasons(call, id))
        assert all(word in reason for word in wanted)
    assert (await call.data("chant_status"))["blocked"] == 3


@pytest.mark.requirement("graph:predicate:one_for_every_tool", "graph:siblings:waiting_member_shows_pending")
async def test_a_member_that_waits_for_a_sibling_is_pending_everywhere(call: Caller) -> None:
    call.project.spec("D.1")
    call.project.spec("D.2")

    assert (await call.data("chant_spec_get", id="D.2"))["status"] == "pending"
    assert (await call.data("chant_diagnose", id="D.2"))["status"] == "pending"
    assert (await call.data("chant_status"))["pending"] == 2
    assert list(await listed(call, status="ready")) == ["D.1"]
    assert "D.1" in str((await call.data("chant_diagnose", id="D.2"))["checks"])


# Cycles


@pytest.mark.requirement("graph:cycles:text_shows_the_path")
@ONE_ERA
@pytest.mark.parametrize(
    ("edges", "edit", "path"),
    [
        ({}, ("a", ["a"]), "a"),
        ({"b": ["a"]}, ("a", ["b"]), "a -> b"),
        ({"b": ["c"], "c": ["a"]}, ("a", ["b"]), "a -> b -> c"),
        ({"b": ["c"], "c": ["a"], "x": ["x"], "y": ["z"], "z": ["y"]}, ("a", ["x", "b"]), "a -> b -> c"),
    ],
)
async def test_a_cycle_is_told_as_a_path(
    call: Caller, edges: dict[str, list[str]], edit: tuple[str, list[str]], path: str
) -> None:
    for id in "abcxyz":
        call.project.spec(id, depends_on=edges.get(id, []))
    before = call.project.text("a")
    error = await call.error("chant_spec_update", id=edit[0], depends_on=edit[1])

    assert f"Circular dependency detected: {path}" in error
    assert error.split("detected: ")[1].splitlines()[0] == path
    assert call.project.text("a") == before


@pytest.mark.requirement("graph:cycles:text_shows_the_path")
async def test_a_cycle_elsewhere_does_not_matter(call: Caller) -> None:
    call.project.spec("x", depends_on=["y"])
    call.project.spec("y", depends_on=["x"])
    call.project.spec("a")
    call.project.spec("b")

    await call.text("chant_spec_update", id="a", depends_on=["b"])
    await call.text("chant_spec_update", id="b", depends_on=["x"])


@pytest.mark.requirement("graph:cycles:implied_edges_count")
@ONE_ERA
@pytest.mark.parametrize(
    ("specs", "edit"),
    [
        # A member inherits what its driver waits for, and that waits for the member.
        ({"D": None, "D.1": [], "x": ["D.1"]}, ("D", ["x"])),
        ({"D": ["x"], "D.1": [], "x": []}, ("x", ["D.1"])),
        # The second member waits for the first, which waits for the second.
        ({"D.1": [], "D.2": None}, ("D.1", ["D.2"])),
        ({"D.1": [], "D.2": None, "x": ["D.2"]}, ("D.1", ["x"])),
        # A spec with members waits for them, and one of them waits for it.
        ({"D": [], "D.1": [], "x": ["D"]}, ("D.1", ["x"])),
        ({"D": [], "D.1": []}, ("D.1", ["D"])),
    ],
)
async def test_cycles_through_implied_edges_are_found(
    call: Caller, specs: dict[str, list[str] | None], edit: tuple[str, list[str]]
) -> None:
    for id, depends_on in specs.items():
        call.project.spec(id, depends_on=depends_on)
    before = call.project.text(edit[0])
    error = await call.error("chant_spec_update", id=edit[0], depends_on=edit[1])

    found = re.search(r"Circular dependency detected: (.+)", error)
    assert found, error
    steps = [re.match(r"[\w.]+", step) for step in found[1].split(" -> ")]
    assert {edit[0], *edit[1]} <= {step[0] for step in steps if step}
    assert len(steps) <= len(specs) + 1
    assert call.project.text(edit[0]) == before


@pytest.mark.requirement("graph:cycles:implied_edges_count")
@ONE_ERA
@pytest.mark.parametrize(
    ("specs", "edit"),
    [
        ({"D": None, "D.1": [], "D.2": None, "D.3": None}, ("D", ["D.1", "D.2", "D.3"])),
        ({"D.1": None, "D.2": None}, ("D.2", ["D.1"])),
        ({"D": ["x"], "D.1": [], "x": []}, ("D.1", ["x"])),
        ({"D": ["D.1"], "D.1": None, "E": None, "E.1": None}, ("E", ["D"])),
        ({"D": None, "D.1": None, "D.1.1": None, "D.2": None}, ("D.1.1", [])),
        ({"done": ["a"], "a": []}, ("a", ["b"])),
    ],
)
async def test_what_only_looks_like_a_cycle_is_accepted(
    call: Caller, specs: dict[str, list[str] | None], edit: tuple[str, list[str]]
) -> None:
    call.project.spec("b")
    for id, depends_on in specs.items():
        call.project.spec(id, depends_on=depends_on)

    await call.text("chant_spec_update", id=edit[0], depends_on=edit[1])


@pytest.mark.requirement("graph:cycles:implied_edges_count", "chant:diagnose:dependency_reasons_are_named")
@ONE_ERA
@pytest.mark.parametrize(
    ("specs", "member", "path"),
    [
        ({"a": ["b"], "b": ["c"], "c": ["a"]}, "a", ["a", "b", "c"]),
        ({"a": ["a"]}, "a", ["a"]),
        ({"D": ["x"], "D.1": [], "x": ["D.1"]}, "x", ["x", "D.1"]),
        ({"D.1": ["D.2"], "D.2": None}, "D.1", ["D.1", "D.2"]),
    ],
)
async def test_reading_tools_name_a_cycle_that_is_there(
    call: Caller, specs: dict[str, list[str] | None], member: str, path: list[str]
) -> None:
    for id, depends_on in specs.items():
        call.project.spec(id, depends_on=depends_on)

    lint = await call.data("chant_lint")
    told = [found for found in lint["diagnostics"] if "ircular" in found["message"]]
    assert told, "chant_lint says nothing of the cycle"
    assert all(found["rule"] == "dependency" and found["severity"] == "error" for found in told)
    assert any(all(id in found["message"] for id in path) for found in told)
    assert member not in await ready(call)


@pytest.mark.requirement("graph:cycles:text_shows_the_path")
async def test_a_long_cycle_and_a_long_chain_are_no_trouble(call: Caller) -> None:
    count = 3_000
    for n in range(count):
        call.project.spec(f"s{n:04}", depends_on=[f"s{n + 1:04}"] if n + 1 < count else [])

    assert await ready(call) == [f"s{count - 1:04}"]
    error = await call.error("chant_spec_update", id=f"s{count - 1:04}", depends_on=["s0000"])
    assert "Circular dependency detected: " in error
    assert len(error) < 50_000


# The law


Model = dict[str, dict[str, Any]]
_IDS = ["a", "b", "c", "D", "D.1", "D.2", "D.3"]
_SPEC = st.fixed_dictionaries(
    {
        "status": st.sampled_from(
            ["pending"] * 4 + ["completed"] * 2 + ["blocked", "failed", "cancelled", "in_progress"]
        ),
        "depends_on": st.none() | st.lists(st.sampled_from([*_IDS, "old", "gone"]), max_size=2, unique=True),
        "approval": st.sampled_from(
            [None, None, None, "{required: true}", "{required: true, status: approved}"]
        ),
    }
)


@dataclass(frozen=True)
class Naive:
    """Reference 4.1 to 4.3, as slowly as it reads."""

    specs: Model

    def is_done(self, id: str) -> bool:
        """Whether an ID is completed or cancelled; `old` is in the archive."""
        return id == "old" or (id in self.specs and self.specs[id]["status"] in DONE)

    def is_unmet(self, id: str) -> bool:
        """Whether a dependency of the spec or of its driver is open."""
        names = list(self.specs[id]["depends_on"] or [])
        driver = id.split(".")[0]
        if "." in id and driver in self.specs:
            inherited = self.specs[driver]["depends_on"] or []
            names += [name for name in inherited if not name.startswith(f"{driver}.")]
        return any(not self.is_done(name) for name in names)

    def is_unapproved(self, id: str) -> bool:
        """Whether somebody has to agree first."""
        return self.specs[id]["approval"] == "{required: true}"

    def waits_for_siblings(self, id: str) -> bool:
        """Whether a member without a list of its own has an open sibling before it."""
        if "." not in id or self.specs[id]["depends_on"] is not None:
            return False
        driver, number = id.split(".")
        before = [f"{driver}.{n}" for n in range(1, int(number))]
        return any(name in self.specs and not self.is_done(name) for name in before)

    def waits_for_members(self, id: str) -> bool:
        """Whether a member of the spec is open."""
        return any(name.startswith(f"{id}.") and not self.is_done(name) for name in self.specs)

    def blocked(self) -> set[str]:
        """Give what shows as blocked."""
        waiting = [id for id, spec in self.specs.items() if spec["status"] in ("pending", "blocked")]
        return {id for id in waiting if self.is_unmet(id) or self.is_unapproved(id)}

    def ready(self) -> set[str]:
        """Give what can be worked now."""
        hindrances = (self.is_unmet, self.is_unapproved, self.waits_for_siblings, self.waits_for_members)
        waiting = [
            id for id, spec in self.specs.items() if spec["status"] in ("pending", "blocked", "failed")
        ]
        return {id for id in waiting if not any(hinders(id) for hinders in hindrances)}


@pytest.mark.requirement(
    "graph:predicate:one_for_every_tool",
    "graph:blocked:open_dependency_blocks",
    "graph:ready:pending_or_failed_and_unblocked",
    "chant:ready:lists_specs_without_unmet_dependencies",
)
def test_blocked_and_ready_agree_with_the_rules_read_literally(project: Project) -> None:
    server = project.server()

    @LAW
    @given(steps=st.lists(st.dictionaries(st.sampled_from(_IDS), _SPEC), min_size=1, max_size=3))
    def law(steps: list[Model]) -> None:
        async def example(call: Caller) -> None:
            clear(project)
            archive(project, "old")
            specs: Model = {}
            for step in steps:  # every further step edits the same project
                specs |= step
                for id, spec in step.items():
                    project.spec(id, **spec)
                blocked, frontier = Naive(specs).blocked(), Naive(specs).ready()
                shown = {**await listed(call), **await listed(call, status="cancelled")}
                assert {id for id, status in shown.items() if status == "blocked"} == blocked
                assert set(await ready(call)) == frontier
                assert set(await listed(call, status="ready")) == frontier
                assert (await call.data("chant_status"))["blocked"] == len(blocked)
                for id in specs:
                    is_open = specs[id]["status"] in ("pending", "blocked", "failed")
                    if is_open:
                        assert (await reasons(call, id) == []) == (id in frontier)

        drive(project, server, example)

    law()
