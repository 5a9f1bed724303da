"""What blocks a spec, what makes it ready, and why: one answer for every tool (reference 4, 10.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from chant.reading import DAY, LAW, ONE_ERA, archive, clear, drive, listed, ready, reasons
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio

DONE = ("completed", "cancelled")


# Reference 10.7, row by row


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


async def test_a_spec_that_depends_on_itself_is_blocked(call: Caller) -> None:
    call.project.spec("one", depends_on=["one"])

    assert (await listed(call))["one"] == "blocked"
    assert await ready(call) == []


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


async def test_an_active_spec_counts_before_an_archived_one_of_the_same_id(call: Caller) -> None:
    archive(call.project, f"{DAY}-001-old")
    call.project.spec(f"{DAY}-001-old", status="in_progress")
    call.project.spec("one", depends_on=[f"{DAY}-001-old"])

    assert (await listed(call))["one"] == "blocked"


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


@ONE_ERA
@pytest.mark.parametrize("status", ["in_progress", "completed", "needs_attention", "paused"])
async def test_approval_blocks_only_what_has_not_begun(call: Caller, status: str) -> None:
    call.project.spec("one", status=status, approval="{required: true}")

    assert (await listed(call))["one"] == status


async def test_a_stored_blocked_follows_its_reasons(call: Caller) -> None:
    call.project.spec("free", status="blocked")
    call.project.spec("asks", status="blocked", approval="{required: true}")
    call.project.spec("waits", status="blocked", depends_on=["asks"])

    assert await listed(call) == {"asks": "blocked", "free": "pending", "waits": "blocked"}
    assert await ready(call) == ["free"]
    assert call.project.status("free") == "blocked", "the file keeps what it says"


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


@ONE_ERA
@pytest.mark.parametrize("dependency", ["unknown", "broken", "old"])
async def test_what_cannot_be_found_blocks_members_too(call: Caller, dependency: str) -> None:
    call.project.write("broken", "---\nstatus: [\n---\n")
    archive(call.project, "old")
    call.project.spec("D", type="group", depends_on=[dependency])
    call.project.spec("D.1")

    assert (await listed(call))["D.1"] == ("pending" if dependency == "old" else "blocked")


async def test_a_driver_on_its_own_members_does_not_block_them(call: Caller) -> None:
    call.project.spec("D", type="group", depends_on=["D.1", "D.2", "D.2.1"])
    call.project.spec("D.1")
    call.project.spec("D.2", depends_on=[])
    call.project.spec("D.2.1")

    shown = await listed(call)
    assert shown == {"D": "blocked", "D.1": "pending", "D.2": "pending", "D.2.1": "pending"}
    assert "D.1" in await ready(call)


async def test_a_member_waits_for_lower_numbers_and_shows_pending(call: Caller) -> None:
    call.project.spec("D.1")
    call.project.spec("D.2")

    assert await listed(call) == {"D.1": "pending", "D.2": "pending"}
    assert await ready(call) == ["D.1"]
    assert any('"D.1"' in reason for reason in await reasons(call, "D.2"))


async def test_an_empty_depends_on_frees_a_member(call: Caller) -> None:
    call.project.spec("D.1")
    call.project.spec("D.9", depends_on=["done"])
    call.project.spec("D.10", depends_on=[])
    call.project.spec("done", status="completed")

    assert await ready(call) == ["D.1", "D.9", "D.10"]


async def test_absent_siblings_do_not_matter(call: Caller) -> None:
    call.project.spec("D.2")
    call.project.spec("D.4")

    assert await ready(call) == ["D.2"]
    call.project.spec("D.2", status="completed")
    assert await ready(call) == ["D.4"]
    archive(call.project, "D.3", status="completed")
    assert await ready(call) == ["D.4"]


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


async def test_members_of_other_drivers_are_no_siblings(call: Caller) -> None:
    call.project.spec("C.1", status="in_progress")
    call.project.spec("D", status="in_progress")
    call.project.spec("D.2")
    call.project.spec("DD.1", status="in_progress")

    assert await ready(call) == ["D.2"]


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


async def test_a_nested_member_does_not_wait_for_the_member_it_extends(call: Caller) -> None:
    call.project.spec("D", type="group")
    call.project.spec("D.1", type="group")
    call.project.spec("D.1.1")
    call.project.spec("D.1.2")

    assert await ready(call) == ["D.1.1"]


# One predicate


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


async def test_a_member_that_waits_for_a_sibling_is_pending_everywhere(call: Caller) -> None:
    call.project.spec("D.1")
    call.project.spec("D.2")

    assert (await call.data("chant_spec_get", id="D.2"))["status"] == "pending"
    assert (await call.data("chant_diagnose", id="D.2"))["status"] == "pending"
    assert (await call.data("chant_status"))["pending"] == 2
    assert list(await listed(call, status="ready")) == ["D.1"]
    assert "D.1" in str((await call.data("chant_diagnose", id="D.2"))["checks"])


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


@pytest.mark.requirement("chant:ready:lists_specs_without_unmet_dependencies")
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
