"""`chant_lint`: the rule `output` holds the log of a completed spec against its schema (reference 5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from chant.linting import BAD, GOOD, findings, messages, with_schema
from chant.reading import ONE_ERA
from writing import ID

if TYPE_CHECKING:
    from harness import Caller

pytestmark = pytest.mark.anyio


@pytest.mark.requirement("chant:lint:output_schema_is_checked")
@ONE_ERA
@pytest.mark.parametrize(
    ("log", "is_valid"),
    [
        (GOOD, True),
        (BAD, False),
        (f"text\n```json\n{GOOD}\n```\nmore\n", True),
        (f"text\n```json\n{BAD}\n```\nmore\n", False),
        (f"```\n{GOOD}\n```\n```json\n{BAD}\n```\n", False),  # a `json` fence before any other
        (f"```json\n{GOOD}\n```\n{BAD}\n", True),
        (f"```\n{GOOD}\n```\n", True),
        (f"~~~json\n{GOOD}\n~~~\n", True),
        (f"The result is {GOOD} as asked.\n", True),
        (f"The result is {BAD} as asked.\n", False),
        ('Braces in text: "{" then {"name": "a } b"}\n', True),
        ('Nested {"name": "x", "deep": {"a": [1, {"b": 2}]}} end\n', True),
        ("[1, 2]\n", False),
        ("no JSON at all\n", False),
        ("", False),
    ],
)
async def test_the_output_of_a_completed_spec_is_checked(call: Caller, log: str, is_valid: bool) -> None:
    with_schema(call.project, log)

    found = await findings(call, "output")
    assert len(found) == (not is_valid)
    for f in found:
        assert f["severity"] == "error"
        assert f["message"].startswith(("Output validation failed: ", "Failed to validate output: "))


@pytest.mark.requirement("chant:lint:output_schema_is_checked")
async def test_every_violation_is_named(call: Caller) -> None:
    with_schema(call.project, BAD)

    (message,) = await messages(call, "output")
    assert message.startswith("Output validation failed: ")
    assert "name" in message
    assert "; " in message


async def test_an_array_is_found_in_the_log(call: Caller) -> None:
    with_schema(call.project, "The list: [1, 2, 3] is it.\n", type="array", required=[])

    assert await findings(call, "output") == []


@pytest.mark.requirement("chant:lint:output_schema_is_checked")
async def test_a_missing_schema_file_is_told(call: Caller) -> None:
    call.project.spec(ID, status="completed", output_schema="schemas/absent.json")
    call.project.log(ID, GOOD)

    (found,) = await findings(call, "output")
    assert found["message"] == "Output schema file not found: schemas/absent.json"
    assert found["severity"] == "error"


@pytest.mark.requirement("chant:lint:output_schema_is_checked")
@ONE_ERA
@pytest.mark.parametrize("text", ["{", '{"type": 5}', "", '{"$ref": "file:///etc/passwd"}'])
async def test_a_broken_schema_is_told(call: Caller, text: str) -> None:
    with_schema(call.project, GOOD)
    (call.project.root / ".chant" / "schemas" / "out.json").write_text(text, encoding="utf-8")

    (message,) = await messages(call, "output")
    assert message.startswith(("Failed to validate output: ", "Output validation failed: "))
    assert "root:" not in message


@pytest.mark.requirement("chant:lint:output_schema_is_checked")
@ONE_ERA
@pytest.mark.parametrize("where", ["absolute", "upwards", "link"])
async def test_a_schema_outside_the_project_is_not_read(call: Caller, where: str) -> None:
    outside = call.project.root.parent / "outside.json"
    outside.write_text("{}", encoding="utf-8")
    path = {"absolute": str(outside), "upwards": "../outside.json", "link": "link.json"}[where]
    (call.project.root / "link.json").symlink_to(outside)
    call.project.spec(ID, status="completed", output_schema=path)
    call.project.log(ID, GOOD)

    assert len(await findings(call, "output")) == 1


async def test_without_a_log_there_is_nothing_to_check(call: Caller) -> None:
    with_schema(call.project, None)

    assert await findings(call, "output") == []


@pytest.mark.requirement("chant:lint:output_schema_is_checked")
@ONE_ERA
@pytest.mark.parametrize("status", ["pending", "in_progress", "failed", "cancelled"])
async def test_only_completed_specs_have_output_to_check(call: Caller, status: str) -> None:
    with_schema(call.project, BAD, status=status)

    assert await findings(call, "output") == []
