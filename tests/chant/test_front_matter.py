"""The physical form of a spec: fences, encodings, keys, and what is wrong with them (reference 2.1, 2.2)."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from chant.reading import LAW, ONE_ERA, STATUSES, drive, ids, listed, problem_of
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio


LISTING: list[tuple[str, dict[str, Any]]] = [
    ("chant_spec_list", {}),
    ("chant_status", {}),
    ("chant_ready", {}),
    ("chant_search", {"query": ""}),
]


async def problem(call: Caller, text: str | bytes, *words: str) -> str:
    """Check that a file has a problem record for every tool, and hides no other; give its message."""
    call.project.spec("good")
    path = call.project.write("bad", text)
    before = path.read_bytes()
    message = ""
    for tool, arguments in LISTING:
        data = await call.data(tool, **arguments)
        message = problem_of(data, "bad.md")["message"]
        assert all(word in message for word in words), message
        assert tool == "chant_status" or "good" in ids(data)
    assert (await call.data("chant_spec_get", id="good"))["id"] == "good"
    assert path.read_bytes() == before
    return message


async def refused(call: Caller, text: str | bytes, *words: str) -> str:
    """Check that a file has a problem record and is not served as a spec; give the message."""
    message = await problem(call, text, *words)
    before = call.project.path("bad").read_bytes()
    assert "bad" not in await listed(call)
    found = (await call.data("chant_lint"))["diagnostics"]
    assert [d["severity"] for d in found if d["spec_id"] == "bad" and d["rule"] == "parse"] == ["error"]
    for tool, arguments in (
        ("chant_spec_get", {}),
        ("chant_verify", {}),
        ("chant_spec_update", {"labels": ["x"]}),
    ):
        assert ".chant/specs/bad.md" in await call.error(tool, id="bad", **arguments)
    assert call.project.path("bad").read_bytes() == before
    return message


# Fences


@pytest.mark.requirement("chant:front_matter:leading_blank_lines_are_allowed")
@ONE_ERA
@pytest.mark.parametrize("lead", ["\n", "\n\n\n", "  \n\t\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_blank_lines_may_stand_before_the_fence_and_stay(call: Caller, lead: str, end: str) -> None:
    before = f"{lead}---\nstatus: completed\n---\n# One\n".replace("\n", end)
    path = call.project.write("one", before)

    assert await listed(call) == {"one": "completed"}
    await call.text("chant_spec_update", id="one", model="haiku")
    assert path.read_bytes().decode() == before.replace("completed", f"completed{end}model: haiku")


@pytest.mark.requirement("chant:front_matter:fence_is_a_line_of_its_own")
@ONE_ERA
@pytest.mark.parametrize(
    ("yaml", "labels"),
    [
        ("labels: [a---b]", ["a---b"]),
        ("labels:\n- a---b\n- '--- c'", ["a---b", "--- c"]),
        ("labels: # ---\n- x", ["x"]),
        ("prompt: |\n  text\n  ---\n  more\nlabels: [y]", ["y"]),
        ("note: x\n#---\nlabels: [z]", ["z"]),
    ],
)
async def test_only_a_line_of_three_dashes_is_a_fence(call: Caller, yaml: str, labels: list[str]) -> None:
    call.project.write("one", f"---\n{yaml}\nstatus: completed\n---\n# One\n\n---\n\nafter a rule\n")

    data = await call.data("chant_spec_get", id="one")
    assert (data["labels"], data["status"], data["title"]) == (labels, "completed", "One")
    assert data["body"] == "# One\n\n---\n\nafter a rule"


@pytest.mark.requirement("chant:front_matter:fence_is_a_line_of_its_own")
@ONE_ERA
@pytest.mark.parametrize("first", ["----", "--- yaml", "-- -", "---x"])
async def test_what_is_no_fence_begins_a_body(call: Caller, first: str) -> None:
    call.project.write("one", f"{first}\nstatus: completed\n---\n# One\n")

    assert await listed(call) == {"one": "pending"}


@pytest.mark.requirement("chant:front_matter:unclosed_fence_is_a_problem")
@ONE_ERA
@pytest.mark.parametrize(
    "text", ["---\nstatus: completed\n# Body\n", "---\n", "---", "---\nstatus: pending\n----\n# X\n"]
)
async def test_front_matter_that_is_not_closed_is_a_problem(call: Caller, text: str) -> None:
    await refused(call, text)


@pytest.mark.requirement("chant:front_matter:may_be_absent")
@ONE_ERA
@pytest.mark.parametrize(
    "text", ["# One\n", "", "\n\n", "plain text", "---\n---\n# One\n", "---\n# note\n---\n# One\n"]
)
async def test_without_front_matter_the_defaults_hold(call: Caller, text: str) -> None:
    call.project.write("one", text)

    data = await call.data("chant_spec_get", id="one")
    assert (data["type"], data["status"], data["depends_on"]) == ("code", "pending", None)


# Bytes


@pytest.mark.requirement("chant:front_matter:bom_is_ignored")
@ONE_ERA
@pytest.mark.parametrize("lead", ["", "\n"])
async def test_a_byte_order_mark_hides_nothing_and_stays(call: Caller, lead: str) -> None:
    path = call.project.write("one", f"\ufeff{lead}---\nstatus: completed\n---\n# One\n")

    assert await listed(call) == {"one": "completed"}
    assert (await call.data("chant_spec_get", id="one"))["title"] == "One"
    await call.text("chant_spec_update", id="one", model="haiku")
    assert path.read_bytes().decode() == f"\ufeff{lead}---\nstatus: completed\nmodel: haiku\n---\n# One\n"


@pytest.mark.requirement("chant:front_matter:bom_is_ignored")
async def test_a_byte_order_mark_before_a_body_is_no_part_of_the_title(call: Caller) -> None:
    call.project.write("one", "\ufeff# One\n")

    data = await call.data("chant_spec_get", id="one")
    assert (data["title"], data["body"]) == ("One", "# One")


@pytest.mark.requirement("chant:front_matter:crlf_is_kept")
async def test_windows_line_ends_are_read_and_stay(call: Caller) -> None:
    text = (
        "---\ntype: code\nstatus: completed\nlabels:\n- a\n- b\n---\n\n"
        "# One\n\n## Acceptance Criteria\n\n- [x] a\n"
    ).replace("\n", "\r\n")
    path = call.project.write("one", text)

    data = await call.data("chant_spec_get", id="one")
    assert (data["title"], data["labels"], data["status"]) == ("One", ["a", "b"], "completed")
    assert data["criteria"]["checked"] == 1
    await call.text("chant_spec_update", id="one", labels=["a", "c"], target_files=["x", "y"])
    after = path.read_bytes().decode()
    assert "\n" not in after.replace("\r\n", "")
    assert "- a\r\n- c\r\n" in after
    assert after.endswith(text[text.index("\r\n# One") :])


@pytest.mark.requirement("chant:front_matter:body_bytes_are_kept")
@ONE_ERA
@pytest.mark.parametrize(
    "body",
    [
        "# One",
        "# One\n",
        "\n\n# One\n\n\n",
        "# One  \n\ttab\n  ",
        "    indented code\n# One\n",
        "# One\r\nmixed\nends\rhere\r\n",
        "# One\n\x00\x0c\u2028\u0085 odd\n",
        "# One\n---\nstatus: failed\n---\n",
        "",
    ],
)
async def test_an_edit_of_the_front_matter_leaves_the_body(call: Caller, body: str) -> None:
    path = call.project.write("one", f"---\nstatus: pending\n---\n{body}")
    await call.text("chant_spec_update", id="one", status="in_progress", labels=["x"])

    head, _, rest = path.read_bytes().partition(b"---\n")[2].partition(b"---\n")
    assert b"in_progress" in head
    assert rest.decode() == body


DECORATED = """---
# the head comment
status:   pending   # set by hand
custom: {deep: [1, 2, {x: y}]}   # ours
'labels' : ["a", 'b',  c]  # flow
title: "Not: the title"
id: not-the-id

model: Claude-Opus-4 # kept
target_files:   # block
    # about a
  - "src/a.py"
  - 'src/b.py'   # b
folded: >-
  some
  text
type: "code"
# the last comment
---

# The title

text
"""


@pytest.mark.requirement(
    "chant:front_matter:unknown_keys_are_kept", "chant:front_matter:comments_order_and_quotes_are_kept"
)
@ONE_ERA
@pytest.mark.parametrize(
    ("arguments", "old", "new"),
    [
        ({"status": "in_progress"}, "status:   pending ", "status:   in_progress "),
        ({"model": "haiku"}, "model: Claude-Opus-4 ", "model: haiku "),
        (
            {"target_files": ["src/a.py", "src/b.py", "src/c.py"]},
            "  - 'src/b.py'   # b\n",
            "  - 'src/b.py'   # b\n  - src/c.py\n",
        ),
    ],
)
async def test_an_edit_changes_one_line_of_a_decorated_file(
    call: Caller, arguments: dict[str, object], old: str, new: str
) -> None:
    path = call.project.write("one", DECORATED)
    await call.text("chant_spec_update", id="one", **arguments)

    assert DECORATED.count(old) == 1
    changed = path.read_bytes().decode()
    if "target_files" in arguments:
        assert changed.replace('"src/c.py"', "src/c.py").replace("'src/c.py'", "src/c.py") == (
            DECORATED.replace(old, new)
        )
    else:
        assert changed == DECORATED.replace(old, new)


@pytest.mark.requirement("chant:front_matter:comments_order_and_quotes_are_kept")
async def test_a_flow_list_keeps_the_entries_that_stay(call: Caller) -> None:
    path = call.project.write("one", DECORATED)
    await call.text("chant_spec_update", id="one", labels=["a", "b", "c", "d"])

    before, after = DECORATED.splitlines(), path.read_text(encoding="utf-8").splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 1
    assert changed[0][1].startswith("'labels' : [\"a\", 'b', ")
    assert changed[0][1].endswith("# flow")
    assert (await call.data("chant_spec_get", id="one"))["labels"] == ["a", "b", "c", "d"]


@pytest.mark.requirement(
    "chant:front_matter:title_key_is_not_the_title", "chant:front_matter:model_is_read_by_family"
)
async def test_a_decorated_file_is_read_right(call: Caller) -> None:
    call.project.write("one", DECORATED)

    data = await call.data("chant_spec_get", id="one")
    assert (data["id"], data["title"], data["labels"]) == ("one", "The title", ["a", "b", "c"])
    assert (data["target_files"], data["model"]) == (["src/a.py", "src/b.py"], "opus")
    assert (data["status"], data["type"]) == ("pending", "code")


# Values


@pytest.mark.requirement("chant:front_matter:depends_on_may_be_one_string")
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


@pytest.mark.requirement("chant:front_matter:labels_must_be_a_list")
async def test_a_bare_string_as_labels_is_a_problem(call: Caller) -> None:
    await problem(call, "---\nlabels: urgent\n---\n# One\n", "labels")


@pytest.mark.requirement("chant:front_matter:labels_must_be_a_list")
@ONE_ERA
@pytest.mark.parametrize("key", ["labels", "target_files"])
async def test_an_edit_of_a_bare_string_makes_a_list(call: Caller, key: str) -> None:
    call.project.write("one", f"---\n{key}: urgent\n---\n# One\n")
    await call.text("chant_spec_update", id="one", **{key: ["x"]})

    assert (await call.data("chant_spec_get", id="one"))[key] == ["x"]


@pytest.mark.requirement("chant:front_matter:wrong_type_is_a_problem")
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


@pytest.mark.requirement("chant:front_matter:wrong_type_is_a_problem")
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


@pytest.mark.requirement("chant:front_matter:wrong_type_is_a_problem")
@ONE_ERA
@pytest.mark.parametrize("yaml", ["status: [pending]", "depends_on: {a: b}", "approval: yes please"])
async def test_a_wrong_value_that_decides_makes_the_file_unreadable(call: Caller, yaml: str) -> None:
    await refused(call, f"---\n{yaml}\n---\n# Bad\n", yaml.split(":")[0])


@pytest.mark.requirement(
    "chant:front_matter:unknown_enum_value_is_a_problem", "chant:status_machine:values_are_exact"
)
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


@pytest.mark.requirement(
    "chant:status_machine:values_are_exact", "chant:front_matter:wrong_type_is_a_problem"
)
@ONE_ERA
@pytest.mark.parametrize(
    "yaml", ["status: Completed", "status: [completed]", "status: completed\nstatus: completed", "status: 1"]
)
async def test_a_status_that_cannot_be_read_satisfies_nobody(call: Caller, yaml: str) -> None:
    call.project.spec("waits", depends_on=["bad"])
    await refused(call, f"---\n{yaml}\n---\n# Bad\n")

    assert (await listed(call))["waits"] == "blocked"


@pytest.mark.requirement("chant:front_matter:wrong_type_is_a_problem")
@ONE_ERA
@pytest.mark.parametrize(
    "yaml",
    ["depends_on: {a: b}", "depends_on: [[good]]", "depends_on: [good, {a: b}]", "approval: [required]"],
)
async def test_a_spec_whose_conditions_cannot_be_read_is_not_ready(call: Caller, yaml: str) -> None:
    await problem(call, f"---\n{yaml}\n---\n# Bad\n")

    assert ids(await call.data("chant_ready")) == ["good"]


@pytest.mark.requirement("chant:front_matter:unknown_enum_value_is_a_problem")
async def test_an_unknown_approval_status_is_a_problem_that_names_it(call: Caller) -> None:
    await problem(call, "---\napproval: {required: true, status: perhaps}\n---\n# One\n", "perhaps")
    assert ids(await call.data("chant_ready")) == ["good"]


@pytest.mark.requirement("chant:status_machine:nine_values", "chant:status_machine:paused_is_read_and_kept")
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


@pytest.mark.requirement("chant:front_matter:duplicate_key_is_a_problem")
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


@pytest.mark.requirement("chant:front_matter:bad_file_hides_no_other")
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


@pytest.mark.requirement("chant:front_matter:bad_file_hides_no_other")
async def test_a_problem_names_its_line(call: Caller) -> None:
    call.project.write("bad", "---\ntype: code\nlabels: [a]\nstatus: nonsense\n---\n# One\n")

    problem = problem_of(await call.data("chant_spec_list"), "bad.md")
    assert problem["line"] == 4


@pytest.mark.requirement("chant:front_matter:bad_file_hides_no_other")
async def test_a_mended_file_is_a_spec_again(call: Caller) -> None:
    call.project.write("one", "---\nstatus: nonsense\n---\n# One\n")
    assert problem_of(await call.data("chant_spec_list"), "one.md")
    call.project.write("one", "---\nstatus: completed\n---\n# One\n")

    data = await call.data("chant_spec_list")
    assert (ids(data), data.get("problems", [])) == (["one"], [])


@pytest.mark.requirement("chant:front_matter:bad_file_hides_no_other")
async def test_many_broken_files_fit_an_answer(call: Caller) -> None:
    for n in range(500):
        call.project.write(f"bad-{n:03}", f"---\nstatus: {'nonsense' * 20}\n---\n")
    call.project.spec("good")

    for tool in ("chant_spec_list", "chant_status", "chant_ready", "chant_lint"):
        text = await call.text(tool)
        assert len(text) < 50_000
        assert "500" in text, "how many there are is not said"
        assert "good" in text or tool == "chant_status"


@pytest.mark.requirement("chant:front_matter:model_is_read_by_family")
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


@pytest.mark.requirement("chant:front_matter:title_key_is_not_the_title")
async def test_title_and_id_keys_are_unknown_keys(call: Caller) -> None:
    call.project.write("one", "---\ntitle: From the key\nid: other\n---\nno heading\n")

    data = await call.data("chant_spec_get", id="one")
    assert (data["id"], data["title"]) == ("one", None)
    assert await call.error("chant_spec_get", id="other")


# Hostile input


@pytest.mark.requirement("store:bad_input:ten_thousand_keys")
async def test_ten_thousand_keys_are_read_in_reasonable_time(call: Caller) -> None:
    yaml = "".join(f"key_{n}: value {n}\n" for n in range(10_000))
    path = call.project.write("one", f"---\nstatus: completed\n{yaml}labels: [last]\n---\n# One\n")
    call.project.spec("good")
    began = time.monotonic()
    data = await call.data("chant_spec_get", id="one")

    assert time.monotonic() - began < 5
    assert (data["status"], data["labels"]) == ("completed", ["last"])
    assert len(await call.text("chant_spec_get", id="one")) < 50_000
    before = path.read_bytes()
    await call.text("chant_spec_update", id="one", model="haiku")
    assert path.read_bytes() == before.replace(b"labels: [last]\n", b"labels: [last]\nmodel: haiku\n")


def bomb(width: int) -> str:
    lines = ["a0: &a0 [lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, 12)]
    return "\n".join(lines)


@pytest.mark.requirement("store:bad_input:yaml_alias_bomb")
@ONE_ERA
@pytest.mark.parametrize("width", [9, 100])
@pytest.mark.parametrize("key", ["labels", "depends_on", "approval", "status"])
async def test_an_alias_bomb_is_a_problem(call: Caller, width: int, key: str) -> None:
    began = time.monotonic()
    await problem(call, f"---\n{bomb(width)}\n{key}: *a11\n---\n# Bomb\n")
    assert time.monotonic() - began < 5


@pytest.mark.requirement("store:bad_input:yaml_alias_bomb", "chant:front_matter:unknown_keys_are_kept")
@ONE_ERA
@pytest.mark.parametrize("key", ["custom", "tracks", "retry_state"])
async def test_an_alias_bomb_in_keys_we_do_not_need_does_no_harm(call: Caller, key: str) -> None:
    text = f"---\n{bomb(100)}\n{key}: *a11\nstatus: pending\n---\n# Bomb\n"
    path = call.project.write("one", text)
    began = time.monotonic()
    for tool, arguments in LISTING:
        await call.data(tool, **arguments)
    for tool in ("chant_spec_get", "chant_lint", "chant_verify", "chant_diagnose"):
        assert len((await call(tool, id="one")).content[0].model_dump_json()) < 50_000
    await call("chant_spec_update", id="one", model="haiku")

    assert path.read_text(encoding="utf-8").replace("model: haiku\n", "") == text
    assert time.monotonic() - began < 5


@pytest.mark.requirement("store:bad_input:yaml_alias_bomb")
async def test_anchors_and_merge_keys_in_reason_are_read(call: Caller) -> None:
    call.project.write("one", "---\nlabels: &l [a, b]\ntarget_files: *l\nstatus: &s completed\n---\n# One\n")

    data = await call.data("chant_spec_get", id="one")
    assert (data["labels"], data["target_files"], data["status"]) == (["a", "b"], ["a", "b"], "completed")


@pytest.mark.requirement("store:bad_input:yaml_alias_bomb", "store:bad_input:ten_thousand_keys")
@ONE_ERA
@pytest.mark.parametrize("opener", ["[", "{a: ", "- ", "? "])
async def test_deep_nesting_is_a_problem_in_no_time(call: Caller, opener: str) -> None:
    began = time.monotonic()
    await refused(call, f"---\nx: {opener * 20_000}\n---\n# Deep\n")
    assert time.monotonic() - began < 1


@pytest.mark.requirement("store:bad_input:nul_bytes")
@ONE_ERA
@pytest.mark.parametrize(
    "text",
    [
        "---\nstatus: pending\nlabels: ['a\0b']\n---\n# One\n",
        "---\nstatus: pend\0ing\n---\n# One\n",
        "\0---\nstatus: completed\n---\n# One\n",
        "---\nstatus: completed\n---\n# O\0ne\n\0\0\n",
        "\0" * 1_000,
    ],
)
async def test_nul_bytes_lose_nothing(call: Caller, text: str) -> None:
    path = call.project.write("one", text)
    call.project.spec("good")

    data = await call.data("chant_spec_list")
    assert "good" in ids(data)
    if "one" in ids(data):
        assert "\0" in json.dumps(await call.data("chant_spec_get", id="one")).encode().decode(
            "unicode_escape"
        )
        await call("chant_spec_update", id="one", model="haiku")
        assert path.read_bytes().replace(b"model: haiku\n", b"").count(b"\0") == text.count("\0")
    else:
        assert problem_of(data, "one.md")
        assert await call.error("chant_spec_update", id="one", model="haiku")
        assert path.read_bytes() == text.encode()


@pytest.mark.requirement("store:bad_input:invalid_utf8_file")
@ONE_ERA
@pytest.mark.parametrize(
    "text",
    [
        b"---\nstatus: pending\n---\n# One \xff\n",
        b"---\nlabels: ['\xe6\x97']\n---\n# One\n",
        b"\xff\xfe-\x00-\x00-\x00\n\x00",
        "---\nstatus: pending\n---\n# Größe\n".encode("latin-1"),
        b"\xed\xa0\x80",
    ],
)
async def test_a_file_that_is_not_utf8_is_a_problem(call: Caller, text: bytes) -> None:
    assert "UTF-8" in await refused(call, text)


@pytest.mark.requirement("store:bad_input:ten_megabyte_spec")
async def test_a_spec_of_ten_megabytes_is_served_and_edited(call: Caller) -> None:
    body = "# Large\n\n## Acceptance Criteria\n\n- [ ] a\n\n## Notes\n\n" + "word é and word\n" * 600_000
    path = call.project.write("one", f"---\nstatus: pending\n---\n{body}")
    assert path.stat().st_size > 10_000_000

    assert await listed(call) == {"one": "pending"}
    data = await call.data("chant_spec_get", id="one")
    assert body.startswith(data["body"])
    assert data["criteria"] == {"total": 1, "checked": 0, "unchecked": 1}
    assert ids(await call.data("chant_search", query="É AND")) == ["one"]
    last = await call.data("chant_spec_get", id="one", offset=len(body.strip()) - 4)
    assert last["body"] == "word"
    assert (await call.data("chant_lint", id="one"))["scores"][0]["complexity"] == "D"
    await call.text("chant_spec_update", id="one", check=["a"], status="in_progress")
    assert path.read_bytes().decode() == f"---\nstatus: in_progress\n---\n{body}".replace("[ ]", "[x]")


_SCALAR = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)


@pytest.mark.requirement("chant:front_matter:unknown_keys_are_kept", "chant:front_matter:body_bytes_are_kept")
def test_any_labels_and_any_body_survive_an_edit_of_another_key(project: Project) -> None:
    server = project.server()

    @LAW
    @given(
        labels=st.lists(_SCALAR, max_size=4),
        body=st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
        custom=_SCALAR,
    )
    def law(labels: list[str], body: str, custom: str) -> None:
        flow = json.dumps(labels, ensure_ascii=False)
        head = f"custom: {json.dumps(custom, ensure_ascii=False)}\nlabels: {flow}\n"

        async def example(call: Caller) -> None:
            path = project.write("one", f"---\nstatus: pending\n{head}---\n{body}")
            assert (await call.data("chant_spec_get", id="one"))["labels"] == labels
            await call.text("chant_spec_update", id="one", status="in_progress")
            assert path.read_bytes().decode() == f"---\nstatus: in_progress\n{head}---\n{body}"

        drive(project, server, example)

    law()
