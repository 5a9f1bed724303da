"""The keys of a spec: how their values are read, and what is wrong with them (reference 2.1, 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from chant.malformed import problem, refused
from chant.reading import ONE_ERA, STATUSES, ids, listed, problem_of

if TYPE_CHECKING:
    from harness import Caller

pytestmark = pytest.mark.anyio


@ONE_ERA
@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("depends_on: base", ["base"]),
        ("depends_on: [base]", ["base"]),
        ("depends_on:\n- base", ["base"]),
        ("depends_on:\n  - base # because\n  - 'other'", ["base", "other"]),
        ("depends_on: []", []),
        ("depends_on:", None),
        ("depends_on: null", None),
        ("depends_on: 'base'", ["base"]),
        ("depends_on: 123", ["123"]),
        ("depends_on: [123, 2026-01-22-001-abc]", ["123", "2026-01-22-001-abc"]),
        ("depends_on: [2026-01-22]", ["2026-01-22"]),
    ],
)
async def test_dependencies_are_a_list_or_one_string(
    call: Caller, yaml: str, value: list[str] | None
) -> None:
    call.project.write("one", f"---\n{yaml}\n---\n# One\n")

    assert (await call.data("chant_spec_get", id="one"))["depends_on"] == value


async def test_a_bare_string_as_labels_is_a_problem(call: Caller) -> None:
    await problem(call, "---\nlabels: urgent\n---\n# One\n", "labels")


@ONE_ERA
@pytest.mark.parametrize("key", ["labels", "target_files"])
async def test_an_edit_of_a_bare_string_makes_a_list(call: Caller, key: str) -> None:
    call.project.write("one", f"---\n{key}: urgent\n---\n# One\n")
    await call.text("chant_spec_update", id="one", **{key: ["x"]})

    assert (await call.data("chant_spec_get", id="one"))[key] == ["x"]


@ONE_ERA
@pytest.mark.parametrize(
    ("yaml", "key"),
    [
        ("labels: {a: b}", "labels"),
        ("labels: [[a]]", "labels"),
        ("labels: [{a: b}]", "labels"),
        ("target_files: src/a.py", "target_files"),
        ("target_files: 3", "target_files"),
        ("context: {}", "context"),
        ("commits: true", "commits"),
        ("depends_on: {a: b}", "depends_on"),
        ("depends_on: [[a]]", "depends_on"),
        ("prompt: [a]", "prompt"),
        ("branch: {a: b}", "branch"),
        ("status: [pending]", "status"),
        ("type: {a: b}", "type"),
        ("approval: yes please", "approval"),
        ("approval: [required]", "approval"),
        ("approval: {required: maybe}", "required"),
        ("members: all", "members"),
        ("model: [opus]", "model"),
        ("completed_at: [now]", "completed_at"),
        ("public: [1]", "public"),
        ("tracks: {a: b}", "tracks"),
        ("retry_state: never", "retry_state"),
    ],
)
async def test_a_value_of_the_wrong_type_is_a_problem_that_names_the_key(
    call: Caller, yaml: str, key: str
) -> None:
    await problem(call, f"---\n{yaml}\n---\n# One\n", key)


@ONE_ERA
@pytest.mark.parametrize(
    "yaml",
    [
        "labels: urgent",
        "context: {}",
        "prompt: [a]",
        "type: {a: b}",
        "members: all",
        "public: [1]",
        "tracks: 3",
    ],
)
async def test_a_wrong_value_that_decides_nothing_keeps_the_spec(call: Caller, yaml: str) -> None:
    await problem(call, f"---\nstatus: completed\n{yaml}\n---\n# Bad\n", yaml.split(":")[0])

    assert await listed(call) == {"bad": "completed", "good": "pending"}
    assert (await call.data("chant_spec_get", id="bad"))["title"] == "Bad"


@ONE_ERA
@pytest.mark.parametrize("yaml", ["status: [pending]", "depends_on: {a: b}", "approval: yes please"])
async def test_a_wrong_value_that_decides_makes_the_file_unreadable(call: Caller, yaml: str) -> None:
    await refused(call, f"---\n{yaml}\n---\n# Bad\n", yaml.split(":")[0])


@ONE_ERA
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("status", "done"),
        ("status", "Pending"),
        ("status", "COMPLETED"),
        ("status", "in-progress"),
        ("status", "inprogress"),
        ("status", "' pending'"),
        ("status", "''"),
        ("status", "1"),
        ("status", "true"),
        ("verification_status", "maybe"),
    ],
)
async def test_an_unknown_word_is_a_problem_that_names_it(call: Caller, key: str, value: str) -> None:
    await problem(call, f"---\n{key}: {value}\n---\n# One\n", value.strip("' "))


@ONE_ERA
@pytest.mark.parametrize(
    "yaml", ["status: Completed", "status: [completed]", "status: completed\nstatus: completed", "status: 1"]
)
async def test_a_status_that_cannot_be_read_satisfies_nobody(call: Caller, yaml: str) -> None:
    call.project.spec("waits", depends_on=["bad"])
    await refused(call, f"---\n{yaml}\n---\n# Bad\n")

    assert (await listed(call))["waits"] == "blocked"


@ONE_ERA
@pytest.mark.parametrize(
    "yaml",
    ["depends_on: {a: b}", "depends_on: [[good]]", "depends_on: [good, {a: b}]", "approval: [required]"],
)
async def test_a_spec_whose_conditions_cannot_be_read_is_not_ready(call: Caller, yaml: str) -> None:
    await problem(call, f"---\n{yaml}\n---\n# Bad\n")

    assert ids(await call.data("chant_ready")) == ["good"]


async def test_an_unknown_approval_status_is_a_problem_that_names_it(call: Caller) -> None:
    await problem(call, "---\napproval: {required: true, status: perhaps}\n---\n# One\n", "perhaps")
    assert ids(await call.data("chant_ready")) == ["good"]


@ONE_ERA
@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("form", ["{}", "'{}'", '"{}"', "{}   # why", "!!str {}"])
async def test_each_of_the_nine_statuses_is_read_and_kept(call: Caller, status: str, form: str) -> None:
    written = form.format(status)
    path = call.project.write("one", f"---\nstatus: {written}\n---\n# One\n")

    data = await call.data("chant_spec_get", id="one")
    assert data["status"] == ("pending" if status == "blocked" else status)
    await call.text("chant_spec_update", id="one", labels=["x"])
    assert f"status: {written}\n" in path.read_text(encoding="utf-8")


@ONE_ERA
@pytest.mark.parametrize(
    ("yaml", "key"),
    [
        ("status: pending\nstatus: completed", "status"),
        ("status: pending\ntype: code\n'status': failed", "status"),
        ("custom: 1\ncustom: 2", "custom"),
        ("labels: [a]\nlabels: [a]", "labels"),
        ("approval:\n  required: true\n  required: false", "required"),
        ("? status\n: pending\nstatus: failed", "status"),
    ],
)
async def test_a_duplicate_key_is_a_problem_that_names_it(call: Caller, yaml: str, key: str) -> None:
    await problem(call, f"---\n{yaml}\n---\n# One\n", key)


@ONE_ERA
@pytest.mark.parametrize(
    "yaml",
    [
        "status: [pending",
        "status: 'pending",
        "a: b: c",
        "\tstatus: pending",
        "- a\n- b",
        "just text",
        "42",
        "status: pending\n  indented: wrong",
        "status: *unknown",
        "status: &a [*a]",
        "%YAML 9.9",
        "status: pending\n...\nlabels: [x]",
        "key: !!binary 'not base64!'\nstatus: @x",
        "{{ template }}",
        "<<<<<<< HEAD\nstatus: pending\n=======\nstatus: completed\n>>>>>>> other",
    ],
)
async def test_malformed_front_matter_is_a_problem(call: Caller, yaml: str) -> None:
    await refused(call, f"---\n{yaml}\n---\n# One\n")


async def test_a_problem_names_its_line(call: Caller) -> None:
    call.project.write("bad", "---\ntype: code\nlabels: [a]\nstatus: nonsense\n---\n# One\n")

    problem = problem_of(await call.data("chant_spec_list"), "bad.md")
    assert problem["line"] == 4


async def test_a_mended_file_is_a_spec_again(call: Caller) -> None:
    call.project.write("one", "---\nstatus: nonsense\n---\n# One\n")
    assert problem_of(await call.data("chant_spec_list"), "one.md")
    call.project.write("one", "---\nstatus: completed\n---\n# One\n")

    data = await call.data("chant_spec_list")
    assert (ids(data), data.get("problems", [])) == (["one"], [])


async def test_many_broken_files_fit_an_answer(call: Caller) -> None:
    for n in range(500):
        call.project.write(f"bad-{n:03}", f"---\nstatus: {'nonsense' * 20}\n---\n")
    call.project.spec("good")

    for tool in ("chant_spec_list", "chant_status", "chant_ready", "chant_lint"):
        text = await call.text(tool)
        assert len(text) < 50_000
        assert "500" in text, "how many there are is not said"
        assert "good" in text or tool == "chant_status"


@ONE_ERA
@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("opus", "opus"),
        ("claude-opus-4-5-20251101", "opus"),
        ("Claude Sonnet 4", "sonnet"),
        ("HAIKU", "haiku"),
        ("anthropic/claude-3-5-haiku", "haiku"),
        ("gpt-5", "gpt-5"),
        ("'qwen:7b'", "qwen:7b"),
    ],
)
async def test_a_model_reads_as_its_family_and_the_file_keeps_it(
    call: Caller, written: str, shown: str
) -> None:
    path = call.project.spec("one", model=written)

    assert (await call.data("chant_spec_get", id="one"))["model"] == shown
    await call.text("chant_spec_update", id="one", labels=["x"])
    assert f"model: {written}\n" in path.read_text(encoding="utf-8")


async def test_title_and_id_keys_are_unknown_keys(call: Caller) -> None:
    call.project.write("one", "---\ntitle: From the key\nid: other\n---\nno heading\n")

    data = await call.data("chant_spec_get", id="one")
    assert (data["id"], data["title"]) == ("one", None)
    assert await call.error("chant_spec_get", id="other")
