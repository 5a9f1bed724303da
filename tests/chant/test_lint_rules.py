"""`chant_lint`: the rules and their thresholds; `output` has a file of its own (reference 5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from chant.linting import BAD, RULES, SECTION, body, findings, messages, with_schema
from chant.reading import DAY, ONE_ERA, archive, criteria
from writing import ID

if TYPE_CHECKING:
    from harness import Caller

pytestmark = pytest.mark.anyio


# Rules, one by one


@pytest.mark.requirement("chant:lint:missing_title_is_an_error")
@ONE_ERA
@pytest.mark.parametrize(("body", "count"), [("", 1), ("## Section", 1), ("#", 1), ("# Title", 0)])
async def test_title(call: Caller, body: str, count: int) -> None:
    call.project.spec(ID, body=body)

    found = await findings(call, "title")
    assert [(f["message"], f["severity"]) for f in found] == [("Missing title", "error")] * count


@pytest.mark.requirement("chant:lint:unknown_dependency_is_an_error")
async def test_dependency(call: Caller) -> None:
    call.project.spec(ID, depends_on=["there", "absent", "old", '"elsewhere:x"', "001"])
    call.project.spec("there")
    archive(call.project, "old")

    found = await findings(call, "dependency")
    assert all(f["severity"] == "error" for f in found)
    assert [f["message"].split(":")[0] for f in found] == [
        "Unknown dependency 'absent'",
        "Unknown dependency 'elsewhere",
        "Unknown dependency '001'",
    ]
    assert found[0]["message"] == "Unknown dependency 'absent'"


@pytest.mark.requirement("chant:lint:unknown_dependency_is_an_error")
async def test_a_dependency_found_in_another_repository_is_known(call: Caller) -> None:
    other = call.project.root.parent / "other"
    (other / ".chant" / "specs").mkdir(parents=True)
    (other / ".chant" / "specs" / "far.md").write_text("---\nstatus: pending\n---\n# Far\n", encoding="utf-8")
    call.project.config(f"repos:\n- name: other\n  path: {other}\n")
    call.project.spec(ID, depends_on=['"other:far"', '"other:absent"'])

    (found,) = await messages(call, "dependency")
    assert found.startswith("Unknown dependency 'other:absent'")


async def test_a_dependency_that_cannot_be_read_is_not_called_unknown(call: Caller) -> None:
    call.project.write("broken", "---\nstatus: [\n---\n")
    call.project.spec(ID, depends_on=["broken"])

    assert not [message for message in await messages(call, "dependency") if message.startswith("Unknown")]


@ONE_ERA
@pytest.mark.parametrize(
    ("edges", "on_a_cycle"),
    [
        ({"a": ["b"], "b": ["a"], "c": ["a"]}, "a b"),
        ({"a": ["b", "c"], "b": ["a"], "c": ["a"]}, "a b c"),
        ({"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": ["b"]}, "a b c d"),
        ({"a": ["a", "b"], "b": ["a"], "c": ["a"]}, "a b"),
        ({"D": ["x"], "D.1": [], "D.2": [], "x": ["D.2"]}, "D.2 x"),
    ],
)
async def test_a_cycle_is_told_alike_whether_one_or_all_are_linted(
    call: Caller, edges: dict[str, list[str]], on_a_cycle: str
) -> None:
    for id, depends_on in edges.items():
        call.project.spec(id, depends_on=depends_on)

    told = {id for id in edges if any("ircular" in m for m in await messages(call, "dependency", id))}
    assert sorted(told) == on_a_cycle.split()


async def test_members_that_are_not_there_are_told(call: Caller) -> None:
    call.project.spec(ID, type="group", members=[f"{ID}.1", f"{ID}.2", f"{ID}.3"])
    call.project.spec(f"{ID}.1")
    archive(call.project, f"{ID}.3")

    assert await messages(call, "dependency") == [f"Unknown member spec '{ID}.2'"]


@pytest.mark.requirement("chant:lint:required_field_is_an_error")
@ONE_ERA
@pytest.mark.parametrize(
    ("required", "keys", "missing"),
    [
        ("[labels, prompt]", {}, ["labels", "prompt"]),
        ("[labels, prompt]", {"labels": ["x"], "prompt": "standard"}, []),
        ("[ticket]", {"ticket": "AB-1"}, []),
        ("[ticket]", {}, ["ticket"]),
        ("[status, type]", {}, []),
        ("[]", {}, []),
    ],
)
async def test_required(call: Caller, required: str, keys: dict[str, Any], missing: list[str]) -> None:
    call.project.config(f"enterprise:\n  required: {required}\n")
    call.project.spec(ID, **keys)

    found = await findings(call, "required")
    assert [f["message"] for f in found] == [f"Missing required field '{name}'" for name in missing]
    assert all(f["severity"] == "error" for f in found)


@ONE_ERA
@pytest.mark.parametrize(
    ("keys", "missing"),
    [
        ({}, ["tracks", "target_files"]),
        ({"tracks": ["src/*"]}, ["target_files"]),
        ({"target_files": ["a.md"]}, ["tracks"]),
        ({"tracks": ["src/*"], "target_files": ["a.md"]}, []),
    ],
)
async def test_documentation(call: Caller, keys: dict[str, Any], missing: list[str]) -> None:
    call.project.spec(ID, type="documentation", **keys)

    found = await findings(call, "type")
    assert [f["message"] for f in found] == [f"Documentation spec missing '{f}' field" for f in missing]
    assert all(f["severity"] == "warning" for f in found)


@ONE_ERA
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (
            {},
            [
                "Research spec missing both 'informed_by' and 'origin' fields",
                "Research spec missing 'target_files' field",
            ],
        ),
        ({"informed_by": ["a"]}, ["Research spec missing 'target_files' field"]),
        ({"origin": ["a"], "target_files": ["b"]}, []),
        (
            {"target_files": ["b"]},
            ["Research spec missing both 'informed_by' and 'origin' fields"],
        ),
    ],
)
async def test_research(call: Caller, keys: dict[str, Any], expected: list[str]) -> None:
    call.project.spec(ID, type="research", **keys)

    found = await findings(call, "type")
    assert [f["message"] for f in found] == expected
    assert all(f["severity"] == "warning" for f in found)


@ONE_ERA
@pytest.mark.parametrize("type", ["driver", "group"])
@pytest.mark.parametrize(("members", "count"), [([], 1), ([f"{ID}.1"], 0), (None, 0)])
async def test_containers(call: Caller, type: str, members: list[str] | None, count: int) -> None:
    call.project.spec(ID, type=type, members=members)
    call.project.spec(f"{ID}.1")

    found = await findings(call, "type")
    expected = [("Driver/group spec has empty 'members' array", "warning")] * count
    assert [(f["message"], f["severity"]) for f in found] == expected


@pytest.mark.requirement("chant:lint:invalid_type_names_the_allowed_ones")
@ONE_ERA
@pytest.mark.parametrize("type", ["feature", "bug", "Code"])
async def test_an_invalid_type_is_an_error(call: Caller, type: str) -> None:
    call.project.spec(ID, type=type)

    (found,) = await findings(call, "type")
    assert found["severity"] == "error"
    assert found["message"] == (
        f"Invalid spec type '{type}'. Must be one of: code, task, driver, documentation, research, group"
    )


@pytest.mark.requirement("chant:lint:missing_type_is_reported")
@ONE_ERA
@pytest.mark.parametrize(("text", "count"), [("status: pending\n", 1), ("type: code\n", 0)])
async def test_a_missing_type_is_reported(call: Caller, text: str, count: int) -> None:
    call.project.write(ID, f"---\n{text}---\n# A\n")

    found = await findings(call, "type")
    assert len(found) == count
    assert all("issing" in f["message"] and "type" in f["message"] for f in found)


@pytest.mark.requirement(
    "chant:lint:complexity_warns_about_criteria", "chant:lint:complexity_suggests_splitting"
)
@ONE_ERA
@pytest.mark.parametrize(("items", "config"), [(10, ""), (11, ""), (3, "3"), (4, "3"), (1, "0")])
async def test_too_many_criteria(call: Caller, items: int, config: str) -> None:
    if config:
        call.project.config(f"lint:\n  thresholds:\n    complexity_criteria: {config}\n")
    call.project.spec(ID, body=body(items, 60))
    threshold = int(config or 10)

    found = await findings(call, "complexity")
    assert len(found) == (items > threshold)
    for f in found:
        assert f["severity"] == "warning"
        assert f"{items} acceptance criteria" in f["message"]
        assert f"(>{threshold})" in f["message"] or f"(threshold: {threshold})" in f["message"]
        assert "split" in f["suggestion"].lower()
        assert "'chant split" not in f["suggestion"], "no such command"


@pytest.mark.requirement("chant:lint:complexity_warns_about_files")
@ONE_ERA
@pytest.mark.parametrize(("files", "config"), [(5, ""), (6, ""), (2, "1"), (1, "1")])
async def test_too_many_files(call: Caller, files: int, config: str) -> None:
    if config:
        call.project.config(f"lint:\n  thresholds:\n    complexity_files: {config}\n")
    call.project.spec(ID, target_files=[f"f{n}" for n in range(files)])
    threshold = int(config or 5)

    found = await messages(call, "complexity")
    assert len(found) == (files > threshold)
    for message in found:
        assert message.startswith(f"Spec touches {files} files ")
        assert f"(>{threshold})" in message or f"(threshold: {threshold})" in message


@pytest.mark.requirement("chant:lint:complexity_warns_about_words")
@ONE_ERA
@pytest.mark.parametrize(
    ("words", "config", "threshold"),
    [
        (500, "", None),
        (500, "lint:\n  thresholds:\n    complexity_words: 10\n", None),
        (151, "lint:\n  disable: []\n", 150),
        (150, "lint:\n  disable: []\n", None),
        (151, "lint:\n  disable: [coupling]\n", 150),
        (21, "lint:\n  disable: []\n  thresholds:\n    complexity_words: 20\n", 20),
        (500, "lint:\n  disable: [complexity_words]\n", None),
    ],
)
async def test_too_many_words(call: Caller, words: int, config: str, threshold: int | None) -> None:
    if config:
        call.project.config(config)
    call.project.spec(ID, body=body(0, words))

    found = await messages(call, "complexity")
    if threshold is None:
        assert found == []
    else:
        assert len(found) == 1
        assert f"{words} words" in found[0]
        assert str(threshold) in found[0]


@pytest.mark.requirement("chant:lint:coupling_names_other_specs_in_the_body")
@ONE_ERA
@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"see {DAY}-002-abc", [f"{DAY}-002-abc"]),
        (f"see {DAY}-002-abc and {DAY}-003-def.1", [f"{DAY}-002-abc", f"{DAY}-003-def.1"]),
        (f"see {DAY}-002-abc, {DAY}-002-abc again", [f"{DAY}-002-abc"]),
        (f"({DAY}-002-abc)", [f"{DAY}-002-abc"]),
        (f"ends with {DAY}-002-abc.", [f"{DAY}-002-abc"]),
        (f"日本{DAY}-002-abc日本", [f"{DAY}-002-abc"]),
        ("no ID: 2026-01-22 or 12-34", []),
        (f"upper {DAY}-00A-ABC", []),
    ],
)
async def test_coupling(call: Caller, text: str, named: list[str]) -> None:
    call.project.spec(ID, body=f"# T\n\n{text}\n")

    found = await findings(call, "coupling")
    assert len(found) == bool(named)
    for f in found:
        assert f["severity"] == "warning"
        assert f["message"] == (
            f"Spec references other spec ID(s) in body: {', '.join(named)} - use depends_on for dependencies"
        )
        assert "depends_on" in f["suggestion"]


@ONE_ERA
@pytest.mark.parametrize("type", ["driver", "group"])
async def test_coupling_skips_containers(call: Caller, type: str) -> None:
    call.project.spec(ID, type=type, members=[f"{ID}.1"], body=f"# T\n\n{DAY}-002-abc {ID}.1")
    call.project.spec(f"{ID}.1")

    assert await findings(call, "coupling") == []


async def test_coupling_skips_the_family_but_tells_of_siblings(call: Caller) -> None:
    call.project.spec(ID, body=f"# T\n\n{ID} and {ID}.1 and {ID}.2")
    call.project.spec(f"{ID}.1", body=f"# T\n\nPart of {ID}, as {ID}.1")
    call.project.spec(f"{ID}.2", body=f"# T\n\nAfter {ID}.1 and {ID}.3")
    call.project.spec(f"{ID}.3", body=f"# T\n\nSee {DAY}-009-abc")

    assert await messages(call, "coupling") == []
    assert await messages(call, "coupling", f"{ID}.1") == []
    (found,) = await findings(call, "coupling", f"{ID}.2")
    assert found["message"] == (
        f"Spec references sibling spec(s): {ID}.1, {ID}.3 - member specs should be independent"
    )
    assert "depends_on" in found["suggestion"]
    assert await messages(call, "coupling", f"{ID}.3") == [
        f"Spec references other spec ID(s) in body: {DAY}-009-abc - use depends_on for dependencies"
    ]


@ONE_ERA
@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
async def test_coupling_skips_fenced_code(call: Caller, fence: str) -> None:
    call.project.spec(ID, body=f"# T\n\n{fence}\n{DAY}-002-abc\n{fence}\n")

    assert await findings(call, "coupling") == []


@pytest.mark.requirement("chant:lint:model_waste_warns_about_costly_models")
@ONE_ERA
@pytest.mark.parametrize(
    ("keys", "text", "message"),
    [
        ({"model": "opus"}, "# Fix it", "Spec uses 'opus' but appears simple (0 criteria, 0 files, 3 words)"),
        (
            {"model": "claude-sonnet-4", "target_files": ["a"]},
            "# T",
            "Spec uses 'sonnet' but appears simple (0 criteria, 1 files, 2 words)",
        ),
        ({"model": "haiku"}, "# T", None),
        ({}, "# T", None),
        ({"model": "opus", "target_files": ["a", "b"]}, "# T", None),
        ({"model": "opus"}, "# Four words are too many", None),
        ({"model": "opus"}, f"# T\n\n{SECTION}- [ ] a\n- [ ] b", None),
        ({"model": "opus", "type": "driver"}, "# T", None),
        ({"model": "opus", "type": "group"}, "# T", None),
        ({"model": "opus", "type": "research"}, "# T", None),
        ({"model": "opus", "type": "task"}, "# T", "Spec uses 'opus' but appears simple"),
    ],
)
async def test_model_waste(call: Caller, keys: dict[str, Any], text: str, message: str | None) -> None:
    call.project.spec(ID, body=text, **keys)

    found = await findings(call, "model_waste")
    assert len(found) == (message is not None)
    for f in found:
        assert f["severity"] == "warning"
        assert f["message"].replace("claude-sonnet-4", "sonnet").startswith(message or "")
        assert f["message"].endswith(" - consider haiku")


@ONE_ERA
@pytest.mark.parametrize(
    ("config", "count"),
    [
        ("simple_criteria: 2\n    simple_files: 2\n    simple_words: 100", 1),
        ("simple_files: 2\n    simple_words: 100", 0),
        ("simple_criteria: 2\n    simple_words: 100", 0),
        ("simple_criteria: 2\n    simple_files: 2", 0),
    ],
)
async def test_what_is_simple_is_configured(call: Caller, config: str, count: int) -> None:
    call.project.config(f"lint:\n  thresholds:\n    {config}\n")
    call.project.spec(ID, model="opus", target_files=["a", "b"], body=criteria("- [ ] a", "- [ ] b"))

    assert len(await findings(call, "model_waste")) == count


@pytest.mark.requirement("chant:lint:approval_inconsistency_is_an_error")
@ONE_ERA
@pytest.mark.parametrize(
    ("approval", "expected"),
    [
        ("{required: true}", []),
        ("{required: true, status: approved, by: Ada, at: x}", []),
        ("{required: true, status: rejected, by: Ada, at: x}", []),
        ("{status: approved, at: x}", ["Approval status is Approved but 'by' field is missing"]),
        ("{status: rejected, by: Ada}", ["Approval status is Rejected but 'at' timestamp is missing"]),
        (
            "{status: approved}",
            [
                "Approval status is Approved but 'by' field is missing",
                "Approval status is Approved but 'at' timestamp is missing",
            ],
        ),
        ("{required: true, by: Ada}", ["Approval has 'by' field set but status is still 'pending'"]),
        (
            "{status: pending, by: Ada, at: x}",
            ["Approval has 'by' field set but status is still 'pending'"],
        ),
    ],
)
async def test_approval(call: Caller, approval: str, expected: list[str]) -> None:
    call.project.spec(ID, approval=approval)

    found = await findings(call, "approval")
    assert [f["message"].lower() for f in found] == [message.lower() for message in expected]
    assert all(f["severity"] == "error" for f in found)


NESTED = """\
# Write the guide

```markdown
## Example
```bash
make
```
more
```

## Acceptance Criteria

- [ ] first
- [x] second
"""


@ONE_ERA
async def test_a_fence_that_takes_in_criteria_is_named(call: Caller) -> None:
    path = call.project.spec(ID, body=NESTED)
    line = path.read_text().splitlines().index("## Acceptance Criteria") - 1
    said = f"the fence on line {line} is never closed: 1 heading and 2 boxes in it count as code"
    rows = {found["message"]: found for found in await findings(call, "fence")}
    assert rows[said]["severity"] == "error"
    assert [found["severity"] for found in rows.values()] == ["warning", "error"]
    verified = await call.data("chant_verify", id=ID)
    assert verified["verified"] is False
    assert said in verified["verification_notes"]
    diagnosed = await call.data("chant_diagnose", id=ID)
    (check,) = [check for check in diagnosed["checks"] if check["name"] == "Acceptance criteria"]
    assert check["passed"] is False
    assert said in check["details"]
    refusal = await call.error("chant_work_start", id=ID)
    assert said in refusal
    assert "Close it with a line of the same characters" in refusal
    call.project.spec(ID, body=NESTED.replace("```m", "````m").replace("more\n```", "more\n````"))
    assert await findings(call, "fence") == []
    assert "fence" not in (await call.data("chant_verify", id=ID))["verification_notes"]


# Rules by configuration


@ONE_ERA
@pytest.mark.parametrize("rule", RULES)
async def test_any_rule_can_be_turned_off(call: Caller, rule: str) -> None:
    call.project.config("enterprise:\n  required: [owner]\n")
    with_schema(call.project, BAD)
    call.project.spec(
        ID,
        status="completed",
        type="nonsense",
        model="opus",
        depends_on=["absent"],
        approval="{status: approved}",
        output_schema=".chant/schemas/out.json",
        body=f"{DAY}-009-abc",
    )
    body = f"# Many\n\n{SECTION}- [] b\n\n```\n- [ ] a"
    call.project.spec("many", target_files=[f"f{n}" for n in range(9)], body=body)
    call.project.write("broken", "---\nstatus: [\n---\n")
    before = (await call.data("chant_lint"))["diagnostics"]
    assert {found["rule"] for found in before} == set(RULES)
    call.project.config(f"enterprise:\n  required: [owner]\nlint:\n  disable: [{rule}]\n")
    after = (await call.data("chant_lint"))["diagnostics"]

    assert rule not in {found["rule"] for found in after}
    assert [found for found in before if found["rule"] != rule] == [
        found for found in after if "words" not in found["message"] or found["rule"] != "complexity"
    ]


@ONE_ERA
@pytest.mark.parametrize("name", ["chant", "vine", "speckit", "tickets"])
async def test_a_repository_named_like_a_dialect_is_an_error(call: Caller, name: str) -> None:
    other = call.project.root.parent / "other" / ".chant" / "specs"
    other.mkdir(parents=True)
    (other / "x.md").write_text("---\nstatus: completed\n---\n# X\n", encoding="utf-8")
    call.project.config(f"repos:\n- name: {name}\n  path: ../other\n- name: fine\n  path: ../other\n")
    call.project.spec(ID, depends_on=[f'"{name}:x"', '"fine:x"'])

    (found,) = await findings(call, "dependency")
    assert found["severity"] == "error"
    assert name in found["message"]
    assert "repository" in found["message"]


@ONE_ERA
async def test_a_line_that_looks_like_a_criterion_and_is_not_read_is_named(call: Caller) -> None:
    path = call.project.spec(ID, body=criteria("- [x] first", "- [] second", "-[ ] third"))
    line = path.read_text().splitlines().index("- [] second") + 1
    said = f"lines {line} and {line + 1} look like criteria and are not read"
    (found,) = await findings(call, "criteria")
    assert (found["message"], found["severity"]) == (said, "error")
    assert "`- [ ] what is to be true`" in found["suggestion"]
    verified = await call.data("chant_verify", id=ID)
    assert verified["verified"] is False
    assert verified["verification_notes"].startswith(
        f"All acceptance criteria that are read are met; {said}. "
    )
    diagnosed = await call.data("chant_diagnose", id=ID)
    (check,) = [check for check in diagnosed["checks"] if check["name"] == "Acceptance criteria"]
    assert check["passed"] is False
    assert said in check["details"]
    assert said in await call.error("chant_work_start", id=ID)
    call.project.spec(ID, body=criteria("- [] only"))
    assert "looks like a criterion and is not read" in await call.error("chant_work_start", id=ID)
    call.project.spec(ID, body=criteria("- [x] first", "- [x] second", "- [ ] third"))
    assert await findings(call, "criteria") == []
    assert (await call.data("chant_verify", id=ID))["criteria"]["total"] == 3


@ONE_ERA
async def test_a_box_that_an_underline_takes_into_a_heading_is_named(call: Caller) -> None:
    call.project.spec(ID, body=criteria("- [x] first", "", "words", "      - [ ] second", "---"))
    (found,) = await findings(call, "criteria")
    assert "looks like a criterion and is not read" in found["message"]
