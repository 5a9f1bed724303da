"""`chant_lint`: ten rules with thresholds from the configuration, and five scores (reference 5.8, 10.4)."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from chant.reading import DAY, ONE_ERA, archive, criteria, pretty, problem_of

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio

ID = f"{DAY}-001-x7m"
RULES = (
    "complexity",
    "coupling",
    "type",
    "model_waste",
    "approval",
    "output",
    "dependency",
    "required",
    "title",
    "parse",
)


async def findings(call: Caller, rule: str, id: str = ID) -> list[dict[str, Any]]:
    """Give a spec's diagnostics of one rule; the same whether it is linted alone or with all."""
    alone = (await call.data("chant_lint", id=id))["diagnostics"]
    together = (await call.data("chant_lint", limit=1000))["diagnostics"]
    assert alone == [found for found in together if found["spec_id"] == id]
    for found in together:
        assert list(found) == ["spec_id", "rule", "severity", "message", "suggestion"]
        assert found["rule"] in RULES
        assert found["severity"] in ("error", "warning")
    return [found for found in alone if found["rule"] == rule]


async def messages(call: Caller, rule: str, id: str = ID) -> list[str]:
    return [found["message"] for found in await findings(call, rule, id)]


async def score(call: Caller, id: str = ID) -> dict[str, Any]:
    (found,) = (await call.data("chant_lint", id=id))["scores"]
    assert found["id"] == id
    return found


# The answer


@pytest.mark.requirement(
    "chant:lint:answer_has_the_decided_keys",
    "chant:lint:score_has_the_documented_keys",
    "chant:lint:diagnostic_has_severity_rule_message_suggestion",
    "chant:lint:all_specs_without_id",
)
async def test_the_answer_has_the_decided_shape(call: Caller) -> None:
    call.project.spec(ID, body="no title", depends_on=["absent"])
    call.project.spec("clean", body="# Clean\n\n- add a\n- test b\n\n" + SECTION + "- [ ] add c\n- [ ] add d")

    data = await call.data("chant_lint")
    assert list(data)[:5] == ["specs_checked", "errors", "warnings", "diagnostics", "scores"]
    assert (data["specs_checked"], data["errors"], data["warnings"]) == (2, 2, 0)
    assert [(found["spec_id"], found["rule"], found["severity"]) for found in data["diagnostics"]] == [
        (ID, "dependency", "error"),
        (ID, "title", "error"),
    ] or [(found["spec_id"], found["rule"]) for found in data["diagnostics"]] == [
        (ID, "title"),
        (ID, "dependency"),
    ]
    assert [list(found) for found in data["scores"]] == [
        [
            "id",
            "title",
            "traffic_light",
            "complexity",
            "confidence",
            "splittability",
            "ac_quality",
            "isolation",
            "suggestions",
        ]
    ] * 2
    assert [found["title"] for found in data["scores"]] == [None, "Clean"]
    assert await call.text("chant_lint") == pretty(data)


SECTION = "## Acceptance Criteria\n\n"


@pytest.mark.requirement("chant:lint:one_spec_by_id")
async def test_one_spec_is_linted_by_a_part_of_its_id(call: Caller) -> None:
    call.project.spec(ID, body="no title")
    call.project.spec(f"{DAY}-002-abc", body="no title")
    call.project.write("broken", "---\nstatus: [\n---\n")

    data = await call.data("chant_lint", id="001")
    assert (data["specs_checked"], data["errors"]) == (1, 1)
    assert {found["spec_id"] for found in data["diagnostics"]} == {ID}
    assert [found["id"] for found in data["scores"]] == [ID]


@pytest.mark.requirement("chant:lint:all_specs_without_id")
async def test_an_empty_project_has_no_findings(call: Caller) -> None:
    data = await call.data("chant_lint")
    assert (data["specs_checked"], data["errors"], data["warnings"]) == (0, 0, 0)
    assert (data["diagnostics"], data["scores"]) == ([], [])


@pytest.mark.requirement("chant:lint:is_sorted_by_id")
async def test_findings_and_scores_are_in_the_order_of_ids(call: Caller) -> None:
    expected = [f"{DAY}-009-x", f"{DAY}-00a-x", f"{DAY}-00a-x.2", f"{DAY}-00a-x.10", f"{DAY}-010-x", "free"]
    for id in random.Random(5).sample(expected, len(expected)):
        call.project.spec(id, body="", depends_on=["absent"])
    call.project.write(f"{DAY}-00b-broken", "---\nstatus: [\n---\n")

    data = await call.data("chant_lint")
    assert [found["id"] for found in data["scores"]] == expected
    order = [found["spec_id"] for found in data["diagnostics"]]
    assert order == sorted(order, key=[*expected[:4], f"{DAY}-00b-broken", *expected[4:]].index)
    assert len(order) == 2 * len(expected) + 1


@pytest.mark.requirement("chant:lint:problems_are_listed", "chant:lint:unreadable_front_matter_is_an_error")
@ONE_ERA
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("---\nstatus: [\n---\n", "Invalid YAML frontmatter: "),
        ("---\nstatus: pending\nstatus: failed\n---\n", "Invalid YAML frontmatter: "),
        ("---\nlabels: urgent\n---\n# A\n", "labels"),
        ("---\ncustom: 1\ncustom: 2\n---\n# A\n", "custom"),
        (b"\xff\xfe", "UTF-8"),
    ],
)
async def test_unreadable_files_are_listed_as_problems(call: Caller, text: str | bytes, words: str) -> None:
    call.project.spec("good")
    call.project.write("bad", text)

    data = await call.data("chant_lint")
    assert words in problem_of(data, "bad.md")["message"]
    assert "good" in [found["id"] for found in data["scores"]]


@pytest.mark.requirement("chant:lint:unreadable_front_matter_is_an_error")
@ONE_ERA
@pytest.mark.parametrize("text", ["---\nstatus: [\n---\n", "---\n- a\n---\n", "---\na: b: c\n---\n"])
async def test_unreadable_front_matter_is_an_error_of_the_rule_parse(call: Caller, text: str) -> None:
    call.project.spec("good", body=criteria("- [ ] a"))
    call.project.write("bad", text)

    data = await call.data("chant_lint")
    (found,) = [found for found in data["diagnostics"] if found["spec_id"] == "bad"]
    assert (found["rule"], found["severity"]) == ("parse", "error")
    assert found["message"].startswith("Invalid YAML frontmatter: ")
    assert data["errors"] == 1


@pytest.mark.requirement("chant:lint:config_failure_is_worded")
@ONE_ERA
@pytest.mark.parametrize("text", ["---\nlint: [\n---\n", "---\nlint: 5\n---\n", "---\nproject: x\n"])
async def test_a_config_that_cannot_be_read_is_told(call: Caller, text: str) -> None:
    call.project.spec("one")
    (call.project.root / ".chant" / "config.md").write_text(text, encoding="utf-8")

    error = await call.error("chant_lint")
    assert error.startswith("Failed to load config: ")
    assert len(error.splitlines()[0]) > len("Failed to load config: ")


@pytest.mark.requirement("chant:lint:answer_has_the_decided_keys")
async def test_many_findings_fit_an_answer_and_can_be_paged(call: Caller) -> None:
    for n in range(120):
        call.project.spec(f"spec-{n:03}", body="", depends_on=[f"absent-{m}" for m in range(5)])

    text = await call.text("chant_lint")
    data = json.loads(text)
    assert len(text) < 50_000
    assert (data["specs_checked"], data["errors"]) == (120, 720)
    seen_scores: list[str] = []
    seen_findings: list[tuple[str, str]] = []
    offset: int | None = 0
    while offset is not None:
        text = await call.text("chant_lint", offset=offset, limit=300)
        page = json.loads(text)
        assert len(text) < 50_000
        assert page["errors"] == 720
        seen_scores += [found["id"] for found in page["scores"]]
        seen_findings += [(found["spec_id"], found["message"]) for found in page["diagnostics"]]
        assert page.get("next_offset", 10_000) > offset
        offset = page.get("next_offset")
    assert seen_scores == [f"spec-{n:03}" for n in range(120)]
    assert len(seen_findings) == len(set(seen_findings)) == 720


# Rules, one by one


@pytest.mark.requirement("chant:lint:missing_title_is_an_error")
@ONE_ERA
@pytest.mark.parametrize(("body", "count"), [("", 1), ("## Section", 1), ("#", 1), ("# Title", 0)])
async def test_title(call: Caller, body: str, count: int) -> None:
    call.project.spec(ID, body=body)

    found = await findings(call, "title")
    assert [(f["message"], f["severity"]) for f in found] == [("Missing title", "error")] * count


@pytest.mark.requirement(
    "chant:lint:unknown_dependency_is_an_error", "chant:lint:single_spec_run_knows_all_specs"
)
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


@pytest.mark.requirement(
    "chant:lint:unknown_dependency_is_an_error", "graph:repos:completed_elsewhere_satisfies"
)
async def test_a_dependency_found_in_another_repository_is_known(call: Caller) -> None:
    other = call.project.root.parent / "other"
    (other / ".chant" / "specs").mkdir(parents=True)
    (other / ".chant" / "specs" / "far.md").write_text("---\nstatus: pending\n---\n# Far\n", encoding="utf-8")
    call.project.config(f"repos:\n- name: other\n  path: {other}\n")
    call.project.spec(ID, depends_on=['"other:far"', '"other:absent"'])

    (found,) = await messages(call, "dependency")
    assert found.startswith("Unknown dependency 'other:absent'")


@pytest.mark.requirement("graph:blocked:unreadable_dependency_is_named_as_such")
async def test_a_dependency_that_cannot_be_read_is_not_called_unknown(call: Caller) -> None:
    call.project.write("broken", "---\nstatus: [\n---\n")
    call.project.spec(ID, depends_on=["broken"])

    assert not [message for message in await messages(call, "dependency") if message.startswith("Unknown")]


@pytest.mark.requirement("graph:cycles:implied_edges_count", "graph:predicate:one_for_every_tool")
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


@pytest.mark.requirement("chant:lint:unknown_member_is_an_error")
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


@pytest.mark.requirement("chant:lint:documentation_needs_tracks_and_target_files")
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


@pytest.mark.requirement("chant:lint:research_needs_sources")
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


@pytest.mark.requirement("chant:lint:container_needs_members")
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


def body(items: int, words: int, *lines: str) -> str:
    """Make a body with so many criteria and white-space words."""
    text = criteria(*(f"- [ ] c{n}" for n in range(items)), title="T") + "\n" + "\n".join(lines)
    more = words - len(text.split())
    assert more >= 0, len(text.split())
    return text + "\n" + " ".join(["w"] * more)


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


@pytest.mark.requirement(
    "chant:lint:complexity_warns_about_files", "chant:config:lint_thresholds_are_honoured"
)
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


@pytest.mark.requirement(
    "chant:lint:complexity_warns_about_words",
    "chant:config:complexity_words_is_off_by_default",
    "chant:lint:disable_honours_every_rule",
)
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


@pytest.mark.requirement("chant:lint:coupling_skips_containers_and_family")
@ONE_ERA
@pytest.mark.parametrize("type", ["driver", "group"])
async def test_coupling_skips_containers(call: Caller, type: str) -> None:
    call.project.spec(ID, type=type, members=[f"{ID}.1"], body=f"# T\n\n{DAY}-002-abc {ID}.1")
    call.project.spec(f"{ID}.1")

    assert await findings(call, "coupling") == []


@pytest.mark.requirement(
    "chant:lint:coupling_skips_containers_and_family", "chant:lint:coupling_words_sibling_references"
)
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


@pytest.mark.requirement("chant:lint:coupling_skips_fenced_code")
@ONE_ERA
@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
async def test_coupling_skips_fenced_code(call: Caller, fence: str) -> None:
    call.project.spec(ID, body=f"# T\n\n{fence}\n{DAY}-002-abc\n{fence}\n")

    assert await findings(call, "coupling") == []


@pytest.mark.requirement(
    "chant:lint:model_waste_warns_about_costly_models", "chant:lint:model_waste_needs_all_three_small"
)
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


@pytest.mark.requirement(
    "chant:config:lint_thresholds_are_honoured", "chant:lint:model_waste_needs_all_three_small"
)
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


# output


SCHEMA = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
}


def with_schema(project: Project, log: str | None, *, status: str = "completed", **schema: Any) -> None:
    path = project.root / ".chant" / "schemas" / "out.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**SCHEMA, **schema}), encoding="utf-8")
    project.spec(ID, status=status, output_schema=".chant/schemas/out.json")
    if log is not None:
        project.log(ID, log)


GOOD, BAD = '{"name": "x", "count": 2}', '{"count": 0}'


@pytest.mark.requirement("chant:lint:output_schema_is_checked", "chant:lint:output_is_found_in_the_log")
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


@pytest.mark.requirement("chant:lint:output_is_found_in_the_log")
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


@pytest.mark.requirement("chant:lint:output_needs_a_log")
async def test_without_a_log_there_is_nothing_to_check(call: Caller) -> None:
    with_schema(call.project, None)

    assert await findings(call, "output") == []


@pytest.mark.requirement("chant:lint:output_schema_is_checked")
@ONE_ERA
@pytest.mark.parametrize("status", ["pending", "in_progress", "failed", "cancelled"])
async def test_only_completed_specs_have_output_to_check(call: Caller, status: str) -> None:
    with_schema(call.project, BAD, status=status)

    assert await findings(call, "output") == []


# Rules by configuration


@pytest.mark.requirement("chant:lint:disable_honours_every_rule")
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
    call.project.spec("many", target_files=[f"f{n}" for n in range(9)])
    call.project.write("broken", "---\nstatus: [\n---\n")
    before = (await call.data("chant_lint"))["diagnostics"]
    assert {found["rule"] for found in before} == set(RULES)
    call.project.config(f"enterprise:\n  required: [owner]\nlint:\n  disable: [{rule}]\n")
    after = (await call.data("chant_lint"))["diagnostics"]

    assert rule not in {found["rule"] for found in after}
    assert [found for found in before if found["rule"] != rule] == [
        found for found in after if "words" not in found["message"] or found["rule"] != "complexity"
    ]


@pytest.mark.requirement("chant:lint:dialect_prefix_beats_repository_name")
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


# Scores: the documented vectors (reference 10.4)


VERBS = "# T\n\n- add a thing\n- test a thing\n\n"


@pytest.mark.requirement("chant:lint:title_only_scores_red")
async def test_a_title_alone_scores_red(call: Caller) -> None:
    call.project.spec(ID, body="# Only a title")

    found = await score(call)
    assert grades(found) == "A D C D -"
    assert found["traffic_light"] == "refine"


def grades(found: dict[str, Any]) -> str:
    keys = ("complexity", "confidence", "splittability", "ac_quality", "isolation")
    return " ".join(found[key] or "-" for key in keys)


@pytest.mark.requirement("chant:lint:verbs_and_criteria_score_green")
async def test_verbs_and_criteria_score_green(call: Caller) -> None:
    items = [f"- [ ] {verb} it" for verb in ("add", "test", "update", "remove")]
    call.project.spec(ID, body=VERBS + SECTION + "\n".join(items))

    found = await score(call)
    assert grades(found) == "B A C A -"
    assert found["traffic_light"] == "ready"


@pytest.mark.requirement("chant:lint:small_member_scores_yellow")
async def test_a_small_member_scores_yellow(call: Caller) -> None:
    call.project.spec(f"{ID}.1", body=f"# T\n\n{SECTION}- [ ] Add z")

    found = await score(call, f"{ID}.1")
    assert grades(found) == "A A C C -"
    assert found["traffic_light"] == "review"


@pytest.mark.requirement("chant:lint:coupled_spec_scores_green")
async def test_a_coupled_spec_scores_green(call: Caller) -> None:
    text = (
        "# T\n\n## One\n\n- add a part that is tightly coupled\n- test it\n\n## Two\n\n- update it\n\n"
        + SECTION
        + "- [ ] add a\n- [ ] add b"
    )
    call.project.spec(ID, target_files=["a", "b", "c"], body=text)

    found = await score(call)
    assert grades(found) == "B A D B -"
    assert found["traffic_light"] == "ready"


# Scores, limit by limit


@pytest.mark.requirement("chant:lint:complexity_grade")
@ONE_ERA
@pytest.mark.parametrize(
    ("items", "files", "words", "grade"),
    [
        (3, 2, 199, "A"),
        (4, 0, 60, "B"),
        (0, 3, 60, "B"),
        (0, 0, 200, "B"),
        (5, 3, 399, "B"),
        (6, 0, 60, "C"),
        (0, 4, 60, "C"),
        (0, 0, 400, "C"),
        (7, 4, 599, "C"),
        (8, 0, 60, "D"),
        (0, 5, 60, "D"),
        (0, 0, 600, "D"),
        (8, 5, 600, "D"),
    ],
)
async def test_complexity(call: Caller, items: int, files: int, words: int, grade: str) -> None:
    call.project.spec(ID, target_files=[f"f{n}" for n in range(files)], body=body(items, words))

    assert (await score(call))["complexity"] == grade


def bullets(good: int, verbless: int = 0, prose: int = 0, *more: str) -> str:
    lines = ["# T", *["- add it"] * good, *["* thing"] * verbless, *["prose line"] * prose, *more]
    return "\n".join(lines)


@pytest.mark.requirement("chant:lint:confidence_grade")
@ONE_ERA
@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("", "D"),
        (bullets(0, 0, 3), "D"),
        (bullets(1, 0, 10), "D"),  # 0.09
        (bullets(1, 0, 9), "C"),  # 0.10
        (bullets(3, 0, 7), "C"),  # 0.30 is not above 0.30
        (bullets(4, 0, 9), "B"),  # 0.307
        (bullets(6, 0, 4), "B"),  # 0.60 is not above 0.60
        (bullets(7, 0, 4), "A"),  # 0.636
        (bullets(4, 1, 0), "B"),  # verbs 0.80 are not above 0.80
        (bullets(5, 1, 0), "A"),  # verbs 0.83
        (bullets(1, 1, 0), "C"),  # verbs 0.50
        (bullets(2, 1, 0), "B"),  # verbs 0.67
        (bullets(5, 0, 1, "- add etc"), "B"),  # one vague word
        (bullets(5, 0, 0, "- add improve etc"), "B"),  # two
        (bullets(5, 0, 0, "- add improve etc similar"), "C"),  # three
        (bullets(9, 0, 0, "- add " + "etc " * 8), "C"),
        (bullets(9, 0, 0, "- add " + "etc " * 9), "D"),
        (bullets(5, 0, 0, "- add it as needed"), "B"),
        (bullets(5, 0, 0, "- add it and related work"), "B"),
        ("# T\n- [ ] Add a\n- [x] IMPLEMENT b\n* [X] test: c", "A"),
        ("# T\n- add a\n```\nprose\nprose\nprose\nprose\n- thing\n```\n- test b", "A"),
        ("# T\n- add a\n## Heading lines are no prose\n### Nor this\n- test b", "A"),
    ],
)
async def test_confidence(call: Caller, text: str, grade: str) -> None:
    call.project.spec(ID, body=text)

    assert (await score(call))["confidence"] == grade


VERB_LIST = """implement add create update fix remove delete refactor test verify ensure validate configure
setup install deploy build run execute check document write read parse handle process calculate compute
convert transform migrate upgrade downgrade"""


@pytest.mark.requirement("chant:lint:confidence_grade")
async def test_every_documented_verb_counts(call: Caller) -> None:
    verbs = VERB_LIST.split()
    for n, verb in enumerate(verbs):
        call.project.spec(f"s{n:02}", body=f"# T\n\n- {verb.title()} it\n")
    call.project.spec("zz", body="# T\n\n- Consider it\n")

    found = {score["id"]: score for score in (await call.data("chant_lint", limit=100))["scores"]}
    assert {verb: found[f"s{n:02}"]["confidence"] for n, verb in enumerate(verbs)} == dict.fromkeys(
        verbs, "A"
    )
    assert found["zz"]["confidence"] == "C"


@pytest.mark.requirement("chant:lint:vague_words_are_whole_words")
@ONE_ERA
@pytest.mark.parametrize(
    ("word", "is_vague"),
    [
        ("fetch", False),
        ("sketch", False),
        ("dissimilarity", False),
        ("similarly", False),
        ("improvement", False),
        ("etc", True),
        ("etc.", True),
        ("Etc", True),
        ("(similar)", True),
        ("improve,", True),
        ("étc", False),
    ],
)
async def test_vague_words_are_whole_words(call: Caller, word: str, is_vague: bool) -> None:
    call.project.spec(ID, body=bullets(5, 0, 0, f"- add {word} it"))

    assert (await score(call))["confidence"] == ("B" if is_vague else "A")


HEADINGS = "# T\n\n## A\n\ntext\n\n## B\n\ntext\n\n### C\n\n"


@pytest.mark.requirement("chant:lint:splittability_grade", "chant:lint:members_and_single_criteria_are_c")
@ONE_ERA
@pytest.mark.parametrize(
    ("text", "files", "grade"),
    [
        (HEADINGS, 3, "A"),
        (HEADINGS, 9, "A"),
        (HEADINGS, 2, "C"),
        (HEADINGS, 1, "C"),
        ("# T\n\n## A\n\n## B\n", 3, "C"),
        ("# T\n\n## A\n\n## B\n", 2, "B"),
        ("# T\n\n## A\n", 2, "B"),
        ("# T\n", 2, "C"),
        ("# T\n", 0, "C"),
        (HEADINGS + "These parts are tightly coupled.", 3, "D"),
        (HEADINGS + "The parts depends on each other.", 3, "D"),
        (HEADINGS + "TIGHTLY COUPLED", 3, "D"),
        ("# T\n\n## A\n\ntightly coupled\n", 2, "D"),
        ("# T\n\ntightly coupled\n", 0, "C"),
        (HEADINGS + SECTION + "- [ ] only one", 3, "C"),
        (HEADINGS + SECTION + "- [ ] only one\n\ntightly coupled", 3, "C"),
        (HEADINGS + SECTION + "- [ ] one\n- [ ] two", 4, "A"),
        ("# T\n\n```\n## A\n## B\n## C\n```\n", 3, "C"),
    ],
)
async def test_splittability(call: Caller, text: str, files: int, grade: str) -> None:
    call.project.spec(ID, target_files=[f"f{n}" for n in range(files)], body=text)

    assert (await score(call))["splittability"] == grade


@pytest.mark.requirement("chant:lint:members_and_single_criteria_are_c")
@ONE_ERA
@pytest.mark.parametrize("more", ["", "tightly coupled"])
async def test_members_are_c_before_anything_else(call: Caller, more: str) -> None:
    call.project.spec(f"{ID}.1", target_files=["a", "b", "c"], body=HEADINGS + more)

    assert (await score(call, f"{ID}.1"))["splittability"] == "C"


@pytest.mark.requirement("chant:lint:ac_quality_grade")
@ONE_ERA
@pytest.mark.parametrize(("items", "grade"), [(0, "D"), (1, "C"), (2, "B"), (3, "B"), (4, "A"), (9, "A")])
@pytest.mark.parametrize("section", [SECTION, ""])
async def test_ac_quality(call: Caller, items: int, grade: str, section: str) -> None:
    lines = "\n".join(f"- [{' x'[n % 2]}] item {n}" for n in range(items))
    call.project.spec(ID, body=f"# T\n\n{section}{lines}\n\n```\n- [ ] fenced\n```\n")

    assert (await score(call))["ac_quality"] == grade


@pytest.mark.requirement("chant:lint:isolation_grade")
@ONE_ERA
@pytest.mark.parametrize(
    ("members", "grade"),
    [
        ([], "-"),
        ([("text", ["a"])], "A"),
        ([("member 2 does it", ["a"])], "A"),
        ([("text", ["a"]), ("text", ["b"])], "A"),
        ([("text", []), ("text", [])], "A"),
        ([("after Member  1", ["a"]), ("text", ["b"])], "D"),  # 50 %
        ([("text", ["a"])] * 2 + [("member 1", ["b"])], "C"),  # 67 % isolated, a shared: 50 %
        ([("text", [f"f{n}"]) for n in range(3)] + [("member 1", ["x"])], "B"),  # 75 %
        ([("text", [f"f{n}"]) for n in range(9)] + [("member 1", ["x"])], "B"),  # 90 % is not above 90 %
        ([("text", [f"f{n}"]) for n in range(10)] + [("member 1", ["x"])], "A"),  # 91 %
        ([("text", ["a"]), ("text", ["a"])], "D"),  # all files shared
        ([("text", ["a", "b"]), ("text", ["a", "c"])], "B"),  # a third shared
        ([("text", ["a", "b", "c", "d"]), ("text", ["a", "e"])], "B"),  # 20 % is not below 20 %
        ([("text", ["a", "b", "c", "d"]), ("text", ["a", "e", "f"])], "A"),  # 17 %
        ([("remember 12", ["a"]), ("members 3", ["b"])], "A"),
    ],
)
async def test_isolation(call: Caller, members: list[tuple[str, list[str]]], grade: str) -> None:
    call.project.spec(ID, body="# T")
    for n, (text, files) in enumerate(members, 1):
        call.project.spec(f"{ID}.{n}", target_files=files, body=f"# T\n\n{text}\n")

    assert ((await score(call))["isolation"] or "-") == grade


@pytest.mark.requirement("chant:lint:light_is_red_for_any_d", "chant:lint:light_is_green_for_a_and_b")
@ONE_ERA
@pytest.mark.parametrize(
    ("text", "files", "light"),
    [
        (VERBS + SECTION + "- [ ] add a\n- [ ] add b", 0, "ready"),
        (VERBS + SECTION + "- [ ] add a\n- [ ] add b", 3, "ready"),
        (VERBS + SECTION + "- [ ] add a\n- [ ] add b", 4, "review"),  # complexity C
        (VERBS + SECTION + "- [ ] add a\n- [ ] add b", 5, "refine"),  # complexity D
        (VERBS + SECTION + "- [ ] add a", 0, "review"),  # ac_quality C
        (VERBS, 0, "refine"),  # ac_quality D
        ("# T\n\n" + "prose\n" * 3 + SECTION + "- [ ] it\n- [ ] that", 0, "review"),  # confidence C
        ("# T\n\n" + "prose\n" * 30 + SECTION + "- [ ] add a\n- [ ] add b", 0, "refine"),  # confidence D
        (VERBS + "tightly coupled\n\n## X\n\n" + SECTION + "- [ ] add a\n- [ ] add b", 2, "ready"),
    ],
)
async def test_the_light(call: Caller, text: str, files: int, light: str) -> None:
    call.project.spec(ID, target_files=[f"f{n}" for n in range(files)], body=text)

    assert (await score(call))["traffic_light"] == light


SUGGESTIONS = {
    ("complexity", "D"): "Reduce criteria count or split spec into smaller pieces",
    ("complexity", "C"): "Consider reducing scope or splitting into subtasks",
    ("confidence", "D"): (
        "Use bullet points instead of prose paragraphs; "
        "avoid vague words like 'improve', 'as needed', 'etc', 'similar'"
    ),
    ("confidence", "C"): (
        "Increase bullet-to-prose ratio (>50%); start bullets with imperative verbs; reduce vague language"
    ),
    ("ac_quality", "D"): "Add at least 1 acceptance criteria checkbox",
    ("ac_quality", "C"): "Add at least 2 acceptance criteria checkboxes",
    ("ac_quality", "B"): "Add at least 4 acceptance criteria checkboxes for Grade A",
    ("splittability", "D"): "Remove coupling keywords ('tightly coupled', 'depends on each other')",
    ("splittability", "C"): (
        "Add target_files and organize with ## section headers to improve splittability"
    ),
    ("isolation", "D"): "Reduce cross-references between group members to improve isolation",
    ("isolation", "C"): "Consider reducing coupling between group members",
}


@pytest.mark.requirement("chant:lint:suggestions_follow_the_grades")
async def test_suggestions_follow_the_grades(call: Caller) -> None:
    words = ["", "tightly coupled", "prose " * 450, "prose " * 700]
    for n in range(48):
        items = "\n".join(f"- [ ] add {m}" for m in range((0, 1, 2, 4, 6, 8)[n % 6]))
        files = [f"f{m}" for m in range(n % 7)]
        call.project.spec(
            f"s{n:02}", target_files=files, body=f"{HEADINGS}{words[n % 4]}\n\n{SECTION}{items}"
        )
    for n in range(4):
        call.project.spec(f"big{n}", body=VERBS)
        for m in range(1, 4):
            call.project.spec(f"big{n}.{m}", target_files=["same"], body=VERBS + "member 1" * (m <= n))

    seen = set()
    for found in (await call.data("chant_lint", limit=1000))["scores"]:
        keys = {(key, found[key]) for key in ("complexity", "confidence", "ac_quality")}
        keys |= {("splittability", found["splittability"]), ("isolation", found["isolation"])}
        assert found["suggestions"] == sorted(SUGGESTIONS[key] for key in keys if key in SUGGESTIONS)
        seen |= keys
    assert len(seen & set(SUGGESTIONS)) >= 9
