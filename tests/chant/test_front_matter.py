"""The physical form of a spec: fences, encodings, and bytes that stay (reference 2.1)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from chant.malformed import refused
from chant.reading import LAW, ONE_ERA, drive, listed
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio


# Fences


@ONE_ERA
@pytest.mark.parametrize("lead", ["\n", "\n\n\n", "  \n\t\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_blank_lines_may_stand_before_the_fence_and_stay(call: Caller, lead: str, end: str) -> None:
    before = f"{lead}---\nstatus: completed\n---\n# One\n".replace("\n", end)
    path = call.project.write("one", before)

    assert await listed(call) == {"one": "completed"}
    await call.text("chant_spec_update", id="one", model="haiku")
    assert path.read_bytes().decode() == before.replace("completed", f"completed{end}model: haiku")


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


@ONE_ERA
@pytest.mark.parametrize("first", ["----", "--- yaml", "-- -", "---x"])
async def test_what_is_no_fence_begins_a_body(call: Caller, first: str) -> None:
    call.project.write("one", f"{first}\nstatus: completed\n---\n# One\n")

    assert await listed(call) == {"one": "pending"}


@ONE_ERA
@pytest.mark.parametrize(
    "text", ["---\nstatus: completed\n# Body\n", "---\n", "---", "---\nstatus: pending\n----\n# X\n"]
)
async def test_front_matter_that_is_not_closed_is_a_problem(call: Caller, text: str) -> None:
    await refused(call, text)


@ONE_ERA
async def test_front_matter_whose_lines_end_in_carriage_returns_alone_is_a_problem(call: Caller) -> None:
    """Read as no front matter, a completed spec would be pending, and an edit would add a second one."""
    await refused(call, "---\rstatus: completed\r---\r# One\r")


@ONE_ERA
async def test_a_body_of_two_versions_is_a_problem_until_one_is_chosen(call: Caller) -> None:
    left = "---\nstatus: pending\n---\n# One\n\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> side\n"
    await refused(call, left)
    assert (await call.data("chant_spec_list"))["problems"][0]["line"] == 6
    call.project.write("one", f"---\nstatus: pending\n---\n# One\n\n```text\n{left}```\n")
    assert (await call.data("chant_spec_get", id="one"))["status"] == "pending"


@ONE_ERA
@pytest.mark.parametrize(
    "text", ["# One\n", "\n\n-\n", "plain text", "---\n---\n# One\n", "---\n# note\n---\n# One\n"]
)
async def test_without_front_matter_the_defaults_hold(call: Caller, text: str) -> None:
    call.project.write("one", text)

    data = await call.data("chant_spec_get", id="one")
    assert (data["type"], data["status"], data["depends_on"]) == ("code", "pending", None)


# Bytes


@ONE_ERA
@pytest.mark.parametrize("lead", ["", "\n"])
async def test_a_byte_order_mark_hides_nothing_and_stays(call: Caller, lead: str) -> None:
    path = call.project.write("one", f"\ufeff{lead}---\nstatus: completed\n---\n# One\n")

    assert await listed(call) == {"one": "completed"}
    assert (await call.data("chant_spec_get", id="one"))["title"] == "One"
    await call.text("chant_spec_update", id="one", model="haiku")
    assert path.read_bytes().decode() == f"\ufeff{lead}---\nstatus: completed\nmodel: haiku\n---\n# One\n"


async def test_a_byte_order_mark_before_a_body_is_no_part_of_the_title(call: Caller) -> None:
    call.project.write("one", "\ufeff# One\n")

    data = await call.data("chant_spec_get", id="one")
    assert (data["title"], data["body"]) == ("One", "# One")


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


async def test_a_flow_list_keeps_the_entries_that_stay(call: Caller) -> None:
    path = call.project.write("one", DECORATED)
    await call.text("chant_spec_update", id="one", labels=["a", "b", "c", "d"])

    before, after = DECORATED.splitlines(), path.read_text(encoding="utf-8").splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 1
    assert changed[0][1].startswith("'labels' : [\"a\", 'b', ")
    assert changed[0][1].endswith("# flow")
    assert (await call.data("chant_spec_get", id="one"))["labels"] == ["a", "b", "c", "d"]


async def test_a_decorated_file_is_read_right(call: Caller) -> None:
    call.project.write("one", DECORATED)

    data = await call.data("chant_spec_get", id="one")
    assert (data["id"], data["title"], data["labels"]) == ("one", "The title", ["a", "b", "c"])
    assert (data["target_files"], data["model"]) == (["src/a.py", "src/b.py"], "opus")
    assert (data["status"], data["type"]) == ("pending", "code")


_SCALAR = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)


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
