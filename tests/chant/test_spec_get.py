"""`chant_spec_get`: one spec with its front matter, its body, its criteria and what it waits for."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from chant.reading import DAY, LAW, ONE_ERA, criteria, drive, reasons
from hypothesis import given
from hypothesis import strategies as st
from writing import answer_text

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio

KEYS = (
    "id",
    "title",
    "status",
    "type",
    "depends_on",
    "labels",
    "target_files",
    "context",
    "prompt",
    "branch",
    "commits",
    "completed_at",
    "model",
    "body",
)


@pytest.mark.requirement("chant:spec_get:answers_with_metadata_and_body")
async def test_a_bare_spec_has_every_key_and_null_for_what_is_absent(call: Caller) -> None:
    call.project.write(f"{DAY}-001-x7m", "# Add user authentication\n\n## Description\n\nImplement it.\n")

    data = await call.data("chant_spec_get", id="001")
    assert list(data)[: len(KEYS)] == list(KEYS)
    assert {key: data[key] for key in KEYS} == {
        **dict.fromkeys(KEYS),
        "id": f"{DAY}-001-x7m",
        "title": "Add user authentication",
        "status": "pending",
        "type": "code",
        "body": "# Add user authentication\n\n## Description\n\nImplement it.",
    }
    assert await call.text("chant_spec_get", id="001") == answer_text(data)


async def test_the_front_matter_is_shown_as_it_is(call: Caller) -> None:
    call.project.spec(
        "one",
        status="completed",
        type="research",
        depends_on=["a", "b"],
        labels=["x: y"],
        target_files=["src/a.py"],
        context=["docs/b.md"],
        prompt="standard",
        branch="chant/one",
        commits=["1a2b3c4", "'1234567'"],
        completed_at="2026-01-22T10:30:00Z",
        model="gpt-5",
    )
    call.project.write(
        "two", call.project.text("one").replace("- x: y", '- "x: y"').replace("'1234567'", '"1234567"')
    )

    data = await call.data("chant_spec_get", id="two")
    assert {key: data[key] for key in KEYS[2:-1]} == {
        "status": "completed",
        "type": "research",
        "depends_on": ["a", "b"],
        "labels": ["x: y"],
        "target_files": ["src/a.py"],
        "context": ["docs/b.md"],
        "prompt": "standard",
        "branch": "chant/one",
        "commits": ["1a2b3c4", "1234567"],
        "completed_at": "2026-01-22T10:30:00Z",
        "model": "gpt-5",
    }


@ONE_ERA
@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("tracks: [src/*.rs]", ["src/*.rs"]),
        ("informed_by: [a.md]", ["a.md"]),
        ("origin: [logs/*]", ["logs/*"]),
        ("schedule: weekly", "weekly"),
        ("source_branch: a", "a"),
        ("target_branch: b", "b"),
        ("conflicting_files: [x]", ["x"]),
        ("blocked_specs: [y]", ["y"]),
        ("original_spec: z", "z"),
        ("last_verified: '2026-01-22T10:00:00Z'", "2026-01-22T10:00:00Z"),
        ("verification_status: partial", "partial"),
        ("verification_failures: ['a — b']", ["a — b"]),
        ("replay_count: 3", 3),
        ("derived_fields: [labels]", ["labels"]),
        ("output_schema: schema.json", "schema.json"),
        ("public: false", False),
        (
            "retry_state: {attempts: 1, last_retry_time: 2, next_retry_time: 3}",
            {"attempts": 1, "last_retry_time": 2, "next_retry_time": 3},
        ),
    ],
)
async def test_the_remaining_keys_are_shown_too(call: Caller, yaml: str, value: object) -> None:
    call.project.write("one", f"---\n{yaml}\n---\n# One\n")

    data = await call.data("chant_spec_get", id="one")
    assert {**data, **data.get("further", {})}[yaml.split(":")[0]] == value


@ONE_ERA
async def test_a_driver_without_open_members_says_what_it_waits_for(call: Caller) -> None:
    call.project.spec("one", type="driver")
    call.project.spec("two", type="driver")
    call.project.spec("two.1", status="completed")
    for id, note in (("one", "it has no members yet"), ("two", "it waits to be finalized")):
        (waiting,) = (await call.data("chant_spec_get", id=id))["waiting_for"]
        assert (waiting["id"], waiting["reason"]) == (None, "members")
        assert note in waiting["note"]
        checks = (await call.data("chant_diagnose", id=id))["checks"]
        assert any(note in (check["details"] or "") for check in checks)
    call.project.spec("two.2")
    (waiting,) = (await call.data("chant_spec_get", id="two"))["waiting_for"]
    assert (waiting["id"], waiting["reason"]) == ("two.2", "member")


async def test_the_members_that_the_file_names_are_shown(call: Caller) -> None:
    call.project.spec("one", type="group", members=["one.1", "one.9"])
    call.project.spec("one.1")

    shown = json.dumps(await call.data("chant_spec_get", id="one"))
    assert '"one.1"' in shown
    assert '"one.9"' in shown
    data = await call.data("chant_spec_get", id="one")
    assert data["members"] == [{"id": "one.1", "status": "pending"}, {"id": "one.9", "status": None}]


@ONE_ERA
@pytest.mark.parametrize(
    ("yaml", "expected", "status"),
    [
        ("{}", {"required": False, "status": "pending", "by": None, "at": None}, "pending"),
        ("{required: true}", {"required": True, "status": "pending", "by": None, "at": None}, "blocked"),
        (
            "{required: true, status: approved, by: Ada, at: '2026-01-22T10:00:00Z'}",
            {"required": True, "status": "approved", "by": "Ada", "at": "2026-01-22T10:00:00Z"},
            "pending",
        ),
        (
            "{status: rejected, by: Ada}",
            {"required": False, "status": "rejected", "by": "Ada", "at": None},
            "pending",
        ),
    ],
)
async def test_approval_is_shown_with_its_defaults(
    call: Caller, yaml: str, expected: dict[str, Any], status: str
) -> None:
    call.project.write("one", f"---\napproval: {yaml}\n---\n# One\n")

    data = await call.data("chant_spec_get", id="one")
    assert data["approval"] == expected
    assert data["status"] == status


async def test_every_reason_for_being_blocked_is_shown(call: Caller) -> None:
    call.project.spec("one", depends_on=["open", "absent", "done"], approval="{required: true}")
    call.project.spec("open", status="in_progress")
    call.project.spec("done", status="completed")

    data = await call.data("chant_spec_get", id="one")
    assert data["status"] == "blocked"
    found = await reasons(call, "one")
    assert len(found) == 3
    assert any("approval" in reason for reason in found)
    assert any('"open"' in reason and "in_progress" in reason for reason in found)
    assert any('"absent"' in reason for reason in found)


async def test_a_free_spec_waits_for_nothing(call: Caller) -> None:
    call.project.spec("one", depends_on=["done"])
    call.project.spec("done", status="completed")

    data = await call.data("chant_spec_get", id="one")
    assert data["status"] == "pending"
    assert not data.get("waiting_for")


async def test_the_criteria_are_counted(call: Caller) -> None:
    call.project.spec("one", body=criteria("- [ ] a", "- [x] b", "- [X] c"))
    call.project.spec("two")

    data = await call.data("chant_spec_get", id="one")
    assert data["criteria"] == {"total": 3, "checked": 2, "unchecked": 1}
    data = await call.data("chant_spec_get", id="two")
    assert data["criteria"] == {"total": 0, "checked": 0, "unchecked": 0}


# A spec that is worked on a branch


def on_branch(project: Project, branch: str, body: str, *, status: str = "in_progress") -> None:
    """Commit another text of the spec on a branch and return to main."""
    project.git("checkout", "-q", "-B", branch)
    project.spec("one", status=status, body=body)
    project.git("add", "-A")
    project.git("commit", "-qm", f"Work on {branch}", "--allow-empty")
    project.git("checkout", "-q", "main")


@ONE_ERA
@pytest.mark.parametrize("key", [None, "feature/mine"])
async def test_a_spec_in_progress_is_shown_as_its_branch_has_it(call: Caller, key: str | None) -> None:
    call.project.spec(
        "one", status="in_progress", branch=key, body=criteria("- [ ] a", "- [ ] b", title="Main")
    )
    call.project.repository()
    on_branch(call.project, key or "chant/one", criteria("- [x] a", "- [ ] b", title="Branch"))

    data = await call.data("chant_spec_get", id="one")
    assert data["body"] == criteria("- [x] a", "- [ ] b", title="Branch")
    assert data["title"] == "Branch"
    assert data["criteria"] == {"total": 2, "checked": 1, "unchecked": 1}, "the body shown has one ticked"


async def test_the_branch_as_it_is_now_is_shown(call: Caller) -> None:
    call.project.spec("one", status="in_progress", body="# Main")
    call.project.repository()
    for n in range(3):
        on_branch(call.project, "chant/one", f"# Step {n}")
        assert (await call.data("chant_spec_get", id="one"))["body"] == f"# Step {n}"
    call.project.git("pack-refs", "--all")
    assert (await call.data("chant_spec_get", id="one"))["body"] == "# Step 2"
    on_branch(call.project, "chant/one", "# Packed")
    assert (await call.data("chant_spec_get", id="one"))["body"] == "# Packed"
    call.project.git("branch", "-qD", "chant/one")
    assert (await call.data("chant_spec_get", id="one"))["body"] == "# Main"


@ONE_ERA
@pytest.mark.parametrize("status", ["pending", "completed", "failed", "paused", "needs_attention"])
async def test_other_specs_are_shown_as_they_lie(call: Caller, status: str) -> None:
    call.project.spec("one", status=status, body="# Main")
    call.project.repository()
    on_branch(call.project, "chant/one", "# Branch")

    assert (await call.data("chant_spec_get", id="one"))["body"] == "# Main"


@ONE_ERA
@pytest.mark.parametrize("case", ["no file", "broken", "not text"])
async def test_a_branch_that_cannot_tell_changes_nothing(call: Caller, case: str) -> None:
    call.project.spec("one", status="in_progress", body="# Main")
    call.project.repository()
    call.project.git("checkout", "-q", "-b", "chant/one")
    if case == "no file":
        call.project.git("rm", "-q", ".chant/specs/one.md")
    else:
        call.project.write("one", b"\xff\xfe" if case == "not text" else "---\nstatus: [\n---\n")
    call.project.git("commit", "-qam", "On the branch")
    call.project.git("checkout", "-q", "main")

    assert (await call.data("chant_spec_get", id="one"))["body"] == "# Main"


@ONE_ERA
@pytest.mark.parametrize("branch", ["main", "chant/one"])
async def test_an_edit_on_the_branch_that_is_checked_out_is_seen(call: Caller, branch: str) -> None:
    call.project.spec("one", status="in_progress", branch=branch, body="# Committed")
    call.project.repository()
    if branch != "main":
        call.project.git("checkout", "-q", "-b", branch)
    call.project.spec("one", status="in_progress", branch=branch, body="# Not committed")

    assert (await call.data("chant_spec_get", id="one"))["body"] == "# Not committed"


async def test_the_branch_is_asked_for_the_path_of_the_spec(call: Caller) -> None:
    path = call.project.specs / "area" / "one.md"
    path.parent.mkdir()
    path.write_text("---\nstatus: in_progress\n---\n# Main\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", "-b", "main", str(call.project.root.parent)], check=True)
    call.project.git("add", "-A")
    call.project.git("commit", "-qm", "Begin")
    call.project.git("checkout", "-q", "-b", "chant/one")
    path.write_text("---\nstatus: in_progress\n---\n# Branch\n", encoding="utf-8")
    call.project.git("commit", "-qam", "Work")
    call.project.git("checkout", "-q", "main")

    assert (await call.data("chant_spec_get", id="one"))["body"] == "# Branch"


async def test_the_text_of_the_branch_is_never_the_base_of_a_write(call: Caller) -> None:
    call.project.spec("one", status="in_progress", body="# Main")
    call.project.repository()
    on_branch(call.project, "chant/one", "# Branch")
    assert (await call.data("chant_spec_get", id="one"))["body"] == "# Branch"
    await call.text("chant_spec_update", id="one", labels=["x"])

    assert "# Main" in call.project.text("one")
    assert "# Branch" not in call.project.text("one")


# Long bodies


async def pages(call: Caller, **arguments: Any) -> list[str]:
    """Read a body page by page, as the answers say."""
    found: list[str] = []
    offset: int | None = 0
    while offset is not None:
        result = await call("chant_spec_get", id="one", offset=offset, **arguments)
        assert result.structured_content is not None
        assert sum(len(block.text) for block in result.content if block.type == "text") < 50_000
        found.append(result.structured_content["body"])
        assert found[-1], "a page without progress"
        offset = result.structured_content.get("next_offset")
        assert offset is None or offset == sum(map(len, found))
    return found


@ONE_ERA
@pytest.mark.parametrize("unit", ["word and word\n", "日本語と絵文字🎉\n", "é", "e\u0301"])
@pytest.mark.parametrize("max_chars", [None, 1_000, 39_999])
async def test_pages_give_the_whole_body(call: Caller, unit: str, max_chars: int | None) -> None:
    body = "# Long\n" + unit * (90_000 // len(unit)) + "end"
    call.project.spec("one", body=body)
    arguments = {} if max_chars is None else {"max_chars": max_chars}

    found = await pages(call, **arguments)
    assert "".join(found) == body
    assert all(len(page) <= (max_chars or 40_000) for page in found)
    assert len(found) == -(-len(body) // (max_chars or 40_000))


@ONE_ERA
@pytest.mark.parametrize("unit", ['"', "\\", "\t", "x\r\n", "\u0001", "\u007f", "<&>", "\u2028"])
async def test_a_body_that_json_makes_longer_still_fits(call: Caller, unit: str) -> None:
    body = f"# Quotes\n\n{unit * 60_000}end"
    call.project.spec("one", body=body)

    assert "".join(await pages(call)) == body


async def test_max_chars_may_be_larger_than_an_answer(call: Caller) -> None:
    body = "# Long\n" + "x" * 200_000
    call.project.spec("one", body=body)

    assert "".join(await pages(call, max_chars=1_000_000)) == body


async def test_an_offset_past_the_end_gives_an_empty_body(call: Caller) -> None:
    call.project.spec("one", body="# Short")

    for offset in (7, 8, 10**9):
        data = await call.data("chant_spec_get", id="one", offset=offset)
        assert (data["body"], data["title"]) == ("", "Short")


@ONE_ERA
@pytest.mark.parametrize(
    "arguments", [{"max_chars": 0}, {"max_chars": -5}, {"offset": -1}, {"max_chars": "9"}]
)
async def test_a_page_that_cannot_be_is_refused(call: Caller, arguments: dict[str, Any]) -> None:
    call.project.spec("one")

    name = next(iter(arguments))
    assert (await call.error("chant_spec_get", id="one", **arguments)).startswith(
        f"Invalid parameter '{name}'"
    )


@ONE_ERA
@pytest.mark.parametrize("key", ["labels", "target_files", "commits", "depends_on", "tracks"])
async def test_long_front_matter_does_not_break_the_limit(call: Caller, key: str) -> None:
    entries = [f"entry-{n:05}" for n in range(5_000)]
    call.project.spec("one", **{key: entries}, body="# Body\n\ntext")

    text, data = await call.text("chant_spec_get", id="one"), await call.data("chant_spec_get", id="one")
    assert len(text) < 50_000
    assert data["body"] == "# Body\n\ntext"
    shown = text.count('"entry-')
    assert "5000" in text or str(5_000 - shown) in text, "what was left out is not said"
    assert {**data, **data.get("further", {})}[f"{key}_total"] == 5_000


@ONE_ERA
@pytest.mark.parametrize(
    "yaml",
    [
        f"labels: [{'l' * 100_000}]",
        f"prompt: {'p' * 100_000}",
        f"approval: {{required: false, by: {'b' * 100_000}}}",
        f"tracks: [{', '.join(['t' * 900] * 900)}]",
        "retry_state: {" + ", ".join(f"key{n}: {n}" for n in range(20_000)) + "}",
        "\n".join(
            f"{key}: [{', '.join(['x' * 500] * 300)}]"
            for key in ("labels", "tracks", "origin", "members", "commits", "context", "depends_on")
        ),
    ],
    ids=["label", "prompt", "approval", "tracks", "map", "many"],
)
async def test_whatever_is_long_the_answer_fits_and_says_so(call: Caller, yaml: str) -> None:
    call.project.write("one", f"---\n{yaml}\n---\n# Body\n\ntext\n")

    text, data = await call.text("chant_spec_get", id="one"), await call.data("chant_spec_get", id="one")
    assert len(text) < 50_000
    assert (data["title"], data["body"]) == ("Body", "# Body\n\ntext")
    assert "_total" in text or "characters)" in text, "what was left out is not said"
    assert json.loads(text) == data


async def test_what_fits_is_not_cut(call: Caller) -> None:
    call.project.spec("one", labels=[f"l{n}" for n in range(400)], body="# Body")

    data = await call.data("chant_spec_get", id="one")
    assert len(data["labels"]) == 400
    assert "_total" not in json.dumps(data)


@ONE_ERA
@pytest.mark.parametrize(
    "tool", ["chant_spec_get", "chant_spec_list", "chant_search", "chant_lint", "chant_verify"]
)
async def test_a_long_title_does_not_break_the_limit(call: Caller, tool: str) -> None:
    call.project.spec("one", body=f"# {'long ' * 20_000}\n\ntext")

    arguments = {"chant_search": {"query": "long"}, "chant_spec_list": {}}.get(tool, {"id": "one"})
    assert len(await call.text(tool, **arguments)) < 50_000


def test_any_pages_of_any_body_join_to_it(project: Project) -> None:
    server = project.server()

    @LAW
    @given(
        body=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=60),
        size=st.integers(1, 17),
    )
    def law(body: str, size: int) -> None:
        whole = f"# T{body}."
        project.spec("one", body=whole)

        async def example(call: Caller) -> None:
            found = ""
            for offset in range(0, len(whole) + size, size):
                data = await call.data("chant_spec_get", id="one", offset=offset, max_chars=size)
                assert data["body"] == whole[offset : offset + size]
                found += data["body"]
            assert found == whole

        drive(project, server, example)

    law()
