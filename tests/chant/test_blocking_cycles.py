"""Cycles: refused with their path, reported where they are, and no trouble to others (reference 4, 10.7)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from chant.reading import ONE_ERA, ready

if TYPE_CHECKING:
    from harness import Caller

pytestmark = pytest.mark.anyio


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


async def test_a_cycle_elsewhere_does_not_matter(call: Caller) -> None:
    call.project.spec("x", depends_on=["y"])
    call.project.spec("y", depends_on=["x"])
    call.project.spec("a")
    call.project.spec("b")

    await call.text("chant_spec_update", id="a", depends_on=["b"])
    await call.text("chant_spec_update", id="b", depends_on=["x"])


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


async def test_a_long_cycle_and_a_long_chain_are_no_trouble(call: Caller) -> None:
    count = 3_000
    for n in range(count):
        call.project.spec(f"s{n:04}", depends_on=[f"s{n + 1:04}"] if n + 1 < count else [])

    assert await ready(call) == [f"s{count - 1:04}"]
    error = await call.error("chant_spec_update", id=f"s{count - 1:04}", depends_on=["s0000"])
    assert "Circular dependency detected: " in error
    assert len(error) < 50_000
