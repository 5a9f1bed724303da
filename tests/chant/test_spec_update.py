"""chant_spec_update: what each argument does to the file, and what is refused (seed; reference chant 5.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from chant.updating import CRITERIA, refused, updated
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
from writing import ID, OTHER, changed, tree

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio

TRICKY = [
    "plain",
    "two words",
    "a: b",
    "# no comment",
    "x #y",
    "- dash",
    "? mark",
    "[flow]",
    "{map: 1}",
    "a, b",
    "yes",
    "no",
    "on",
    "null",
    "~",
    "001",
    "1e3",
    "0x1f",
    "2026-01-22",
    "12:30:45",
    ".inf",
    "=",
    "<<",
    "&anchor",
    "*alias",
    "!tag",
    "!!str x",
    "%directive",
    "@at",
    "`tick`",
    "|",
    ">-",
    '"quoted"',
    "'single'",
    "it's",
    'say "hi"',
    "back\\slash",
    "tab\there",
    "line\nbreak",
    "cr\rhere",
    "crlf\r\nhere",
    " leading",
    "trailing ",
    "---",
    "...",
    "é ü 漢字 🦀",
    "\u00a0nbsp",
    "next\u0085line",
    "line\u2028separator",
    "bom\ufeff",
    "bell\x07",
    "x" * 500,
    "",
]


def updated_at(project: Project, place: str, /, **arguments: Any) -> list[str]:
    before = project.path(place).read_bytes()
    ChantProject(project.root).spec_update(ID, **arguments)
    return changed(before, project.path(place).read_bytes())


@pytest.mark.requirement("chant:spec_update:status_is_set", "chant:spec_update:answers_with_the_id")
async def test_the_status_is_set_and_the_full_id_is_answered(call: Caller) -> None:
    before = call.project.spec(ID).read_bytes()
    result = await call("chant_spec_update", id="x7m", status="in_progress")
    assert (await call.text("chant_spec_update", id="001", status="in_progress")) == f"Updated spec: {ID}"
    assert result.structured_content is None
    after = call.project.path(ID).read_bytes()
    assert changed(before, after) == ["-status: pending", "+status: in_progress"]


@pytest.mark.requirement(
    "chant:spec_update:status_and_output_in_one_call",
    "chant:spec_update:output_is_appended_under_its_heading",
    "chant:spec_update:answers_with_the_id",
)
async def test_the_example_of_the_seed(call: Caller) -> None:
    """Status and output in one call give the body the seed prints."""
    body = "# Feature Implementation\n\nSome initial content...\n"
    call.project.write(ID, f"---\ntype: code\nstatus: in_progress\n---\n\n{body}")
    output = "Implementation complete. All tests passing."
    text = await call.text("chant_spec_update", id="001", status="completed", output=output)
    assert text == f"Updated spec: {ID}"
    head = "---\ntype: code\nstatus: completed\n---\n\n"
    assert call.project.text(ID) == f"{head}{body}\n## Output\n\n{output}\n"


@pytest.mark.parametrize(
    "output",
    [
        "one line",
        "two\nlines",
        "ends in a line feed\n",
        "  indented, trailing blanks  ",
        "```\nan open fence",
        "---\nstatus: failed\n---",
        "tab\tand é 漢字 🦀",
        "a [link](x) and <b>html</b> <!-- comment",
        "\n\nblank lines around\n\n",
    ],
)
@pytest.mark.requirement(
    "chant:spec_update:output_is_appended_under_its_heading",
    "chant:spec_update:output_has_no_timestamp",
    "chant:spec_update:output_is_plain_text",
)
def test_output_is_appended_as_it_is(project: Project, output: str) -> None:
    before = project.spec(ID).read_text(encoding="utf-8")
    ChantProject(project.root).spec_update(ID, output=output)
    after = project.text(ID)
    assert after.startswith(before)
    added = after[len(before) :]
    assert added.startswith("\n## Output\n\n")
    assert added.removeprefix("\n## Output\n\n").rstrip("\n") == output.rstrip("\n")


@pytest.mark.parametrize("blanks", ["", "\n", "\n\n\n", "  ", "\t\n"])
@pytest.mark.requirement("chant:spec_update:output_is_appended_under_its_heading")
def test_the_heading_stands_on_a_line_of_its_own_however_the_body_ends(project: Project, blanks: str) -> None:
    project.write(ID, f"---\nstatus: pending\n---\n\n# Work\n\nLast words{blanks}")
    before = project.text(ID)
    ChantProject(project.root).spec_update(ID, output="Done.")
    after = project.text(ID)
    assert after.startswith(before)
    assert after.splitlines()[-4:] == ["", "## Output", "", "Done."]


@pytest.mark.parametrize("body", ["", "\n", "\n\n"])
@pytest.mark.requirement("chant:spec_update:output_is_appended_under_its_heading")
def test_output_reaches_a_spec_without_a_body(project: Project, body: str) -> None:
    project.write(ID, f"---\nstatus: in_progress\n---\n{body}")
    ChantProject(project.root).spec_update(ID, output="---\nstatus: completed\n---")
    project.write(OTHER, f"---\nlabels: [a]\n---\n{body}")
    ChantProject(project.root).spec_update(OTHER, output="---\nstatus: completed\n---")
    for id, status in ((ID, "in_progress"), (OTHER, "pending")):
        spec = ChantProject(project.root).spec_get(id).data
        assert spec["status"] == status
        assert spec["body"].startswith("## Output")


@pytest.mark.requirement("chant:spec_update:output_is_not_truncated")
async def test_a_megabyte_of_output_is_written_in_full(call: Caller) -> None:
    call.project.spec(ID)
    output = "".join(f"line {number} of a long report\n" for number in range(40_000))
    await call.text("chant_spec_update", id=ID, output=output)
    assert output in call.project.text(ID)


def test_each_output_is_a_new_section(project: Project) -> None:
    project.spec(ID)
    for text in ("first", "second", "first"):
        ChantProject(project.root).spec_update(ID, output=text)
    body = project.text(ID)
    assert body.endswith("## Output\n\nfirst\n\n## Output\n\nsecond\n\n## Output\n\nfirst\n")


@pytest.mark.requirement("chant:spec_update:front_matter_keys_are_set")
async def test_each_key_is_set_in_its_place_and_read_back(call: Caller) -> None:
    call.project.spec(ID)
    call.project.spec(OTHER)
    given = {
        "depends_on": [OTHER],
        "labels": ["api", "two words"],
        "target_files": ["src/a.py", "docs/ü.md"],
        "model": "gpt-5",
    }
    assert await call.text("chant_spec_update", id=ID, **given) == f"Updated spec: {ID}"
    spec = await call.data("chant_spec_get", id=ID)
    assert {key: spec[key] for key in given} == given
    front = call.project.text(ID).split("---\n")[1]
    keys = [line.split(":")[0] for line in front.splitlines() if line[0].isalpha()]
    assert keys == ["type", "status", "depends_on", "labels", "target_files", "model"]


@pytest.mark.parametrize("key", ["depends_on", "labels", "target_files"])
@pytest.mark.parametrize("old", [["a", "b"], ["a"], []])
@pytest.mark.parametrize("new", [["c"], ["b", "c", "a"], []])
def test_a_list_replaces_the_one_that_was_there(
    project: Project, key: str, old: list[str], new: list[str]
) -> None:
    before: dict[str, Any] = {key: old}
    after: dict[str, Any] = {key: new}
    project.spec(ID, **before)
    ChantProject(project.root).spec_update(ID, **after)
    assert ChantProject(project.root).spec_get(ID).data[key] == new


@pytest.mark.parametrize("layout", ["absent", "block", "flow", "crlf"])
@pytest.mark.parametrize("text", TRICKY, ids=ascii)
@pytest.mark.requirement("chant:spec_update:front_matter_keys_are_set")
def test_any_label_reads_back_as_it_was_given_or_is_refused(project: Project, text: str, layout: str) -> None:
    labels = {"absent": "", "block": "labels:\n- a\n", "flow": "labels: [a]\n", "crlf": "labels:\n- a\n"}
    source = f"---\nstatus: pending\n{labels[layout]}owner: ada\n---\n\n# Work\n"
    project.write(ID, source.replace("\n", "\r\n") if layout == "crlf" else source)
    before = project.path(ID).read_bytes()
    try:
        ChantProject(project.root).spec_update(ID, labels=["first", text, "last"], model=text or "m")
    except ChantError:
        assert not text.isprintable(), "only odd characters may be refused"
        assert project.path(ID).read_bytes() == before
        return
    spec = ChantProject(project.root).spec_get(ID).data
    assert spec["labels"] == ["first", text, "last"]
    assert spec["model"] == (text or "m")
    assert b"\nowner: ada" in project.path(ID).read_bytes()


@pytest.mark.requirement("chant:spec_update:invalid_status_names_all_nine")
async def test_an_invalid_status_names_all_nine(call: Caller) -> None:
    before = call.project.spec(ID).read_bytes()
    for status in ("done", "Pending", "", " pending"):
        error = await call.error("chant_spec_update", id=ID, status=status, labels=["x"], force=True)
        assert error == (
            f"Invalid status: {status}. Must be one of: pending, in_progress, paused, completed, failed, "
            "needs_attention, ready, blocked, cancelled"
        )
    assert call.project.path(ID).read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"output": ""},
        {"output": None},
        {"replace_body": True},
        {"force": True},
        {"output": "", "replace_body": True},
        {"check": [], "uncheck": []},
        {"status": None, "labels": None},
    ],
    ids=str,
)
@pytest.mark.requirement("chant:spec_update:no_updates_specified")
async def test_nothing_to_do_is_refused(call: Caller, arguments: dict[str, Any]) -> None:
    before = call.project.spec(ID).read_bytes()
    assert await call.error("chant_spec_update", id=ID, **arguments) == "No updates specified"
    assert call.project.path(ID).read_bytes() == before


def test_an_empty_output_beside_another_change_adds_no_section(project: Project) -> None:
    project.spec(ID)
    assert updated(project, labels=["a"], output="", replace_body=True) == ["+labels:", "+- a"]


async def test_check_and_uncheck_change_the_boxes_named(call: Caller) -> None:
    before = call.project.spec(ID, body=CRITERIA).read_bytes()
    await call.text("chant_spec_update", id=ID, check=["three, with `code`"], uncheck=["two"])
    after = call.project.path(ID).read_bytes()
    assert changed(before, after) == [
        "-- [x] two",
        "-- [ ] three, with `code`",
        "+- [ ] two",
        "+- [x] three, with `code`",
    ]
    verified = await call.data("chant_verify", id=ID)
    assert verified["criteria"] == {"total": 3, "checked": 1, "unchecked": 2}


BOXES = [
    ("- [ ] one", "- [x] one"),
    ("* [ ] one", "* [x] one"),
    ("+ [ ] one", "+ [x] one"),
    ("  - [ ] one", "  - [x] one"),
    ("- [ ]  one  ", "- [x]  one  "),
    ("- [ ] one <!-- check: unit -->", "- [x] one <!-- check: unit -->"),
    ("- [ ] **one** and `two`", "- [x] **one** and `two`"),
    ("- [ ] é 漢字 🦀", "- [x] é 漢字 🦀"),
    ("- [ ] one: two; three", "- [x] one: two; three"),
    ("- [ ] [x] one", "- [x] [x] one"),
    ("- [ ] - one", "- [x] - one"),
    ("- [ ] \\*args are parsed", "- [x] \\*args are parsed"),
    ("- [ ] _one_ & <b>two</b> &amp; [three](x)", "- [x] _one_ & <b>two</b> &amp; [three](x)"),
]


@pytest.mark.parametrize(("open_", "ticked"), BOXES)
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_a_box_is_one_byte_whatever_stands_around_it(
    project: Project, open_: str, ticked: str, eol: str
) -> None:
    text = f"---\nstatus: pending\n---\n\n# Work\n\n## Acceptance Criteria\n\n{open_}\n\nEnd"
    before = project.write(ID, text.replace("\n", eol)).read_bytes()
    name = ChantProject(project.root).verify(ID).data["unchecked_items"][0].removeprefix("- [ ] ")
    ChantProject(project.root).spec_update(ID, check=[name])
    after = project.path(ID).read_bytes()
    assert after == before.replace(open_.encode(), ticked.encode())
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1
    ChantProject(project.root).spec_update(ID, uncheck=[name])
    assert project.path(ID).read_bytes() == before


def test_a_criterion_that_is_not_there_is_refused_by_name(project: Project) -> None:
    fenced = "\n\n```\n- [ ] fenced\n```\n\n## Notes\n\n- [ ] elsewhere"
    project.spec(ID, body=CRITERIA + fenced)
    for text in ("four", "fenced", "elsewhere", "", "on", "one two"):
        words = refused(project, check=["one", text], status="in_progress", labels=["x"])
        assert words.startswith("Failed to update spec: ")
        assert text in words
        assert "three, with `code`" in words, "the criteria there are should be told"


def test_ticking_what_is_ticked_changes_nothing(project: Project) -> None:
    before = project.spec(ID, body=CRITERIA.replace("[x]", "[X]")).read_bytes()
    ChantProject(project.root).spec_update(ID, check=["two"], uncheck=["one"])
    assert project.path(ID).read_bytes() == before


FAILING: list[dict[str, Any]] = [
    {"status": "ready"},
    {"status": "completed"},
    {"depends_on": [ID]},
    {"depends_on": [OTHER]},
    {"check": ["no such thing"]},
    {"uncheck": ["no such thing"]},
    {"depends_on": [""]},
    {"depends_on": ["2026-01"]},
]


@pytest.mark.parametrize("fault", FAILING, ids=str)
async def test_when_one_part_fails_no_part_is_written(call: Caller, fault: dict[str, Any]) -> None:
    call.project.spec(ID, status="in_progress", body=CRITERIA)
    call.project.spec(OTHER, depends_on=[ID])
    before = tree(call.project.root)
    good = {"labels": ["x"], "target_files": ["y"], "model": "z", "check": ["one"], "output": "text"}
    error = await call.error("chant_spec_update", id=ID, **{**good, **fault})
    assert tree(call.project.root) == before
    if "depends_on" not in fault or fault["depends_on"] in ([ID], [OTHER]):
        assert error.startswith("Failed to update spec: ")


async def test_an_id_that_finds_nothing_or_too_much_is_told_without_prefix(call: Caller) -> None:
    call.project.spec(ID)
    call.project.spec(OTHER)
    before = tree(call.project.root)
    missing = await call.error("chant_spec_update", id="zzz", status="in_progress")
    assert missing.splitlines()[0] == "Spec not found: zzz"
    ambiguous = await call.error("chant_spec_update", id="2026", status="in_progress")
    assert ambiguous == f"Ambiguous spec ID '2026'. Matches: {ID}, {OTHER}"
    await call.error("chant_spec_update", id="", status="in_progress")
    assert tree(call.project.root) == before


async def test_replace_body_replaces_the_body_and_nothing_else(call: Caller) -> None:
    head = '---\n# why\nstatus: "pending"  # now\nlabels: [a]\n---\n'
    call.project.write(ID, f"{head}\n# Old\n\nOld text.\n\n## Output\n\nold\n")
    text = await call.text("chant_spec_update", id=ID, output="# New\n\nNew text.", replace_body=True)
    assert text == f"Updated spec: {ID}"
    after = call.project.text(ID)
    assert after.startswith(head)
    assert after.removeprefix(head).strip() == "# New\n\nNew text."
    assert after.endswith("\n")


@pytest.mark.parametrize(
    ("new", "title"),
    [
        ("New text.", "Old"),
        ("## Deeper\n\nNew text.", "Old"),
        ("#hashtag\n\nNew text.", "Old"),
        ("Text first.\n\n# New", "New"),
        ("# New", "New"),
        ("```sh\n# no title\n```", "Old"),
    ],
)
def test_the_old_title_stays_in_front_of_a_body_without_one(project: Project, new: str, title: str) -> None:
    project.spec(ID, body="# Old\n\nOld text.\n\n# Second heading")
    ChantProject(project.root).spec_update(ID, output=new, replace_body=True)
    spec = ChantProject(project.root).spec_get(ID).data
    assert spec["title"] == title
    assert spec["body"].rstrip("\n").endswith(new)
    kept = spec["body"].startswith("# Old\n")
    assert kept == (title == "Old")
    assert "Old text." not in spec["body"]
    assert "Second heading" not in spec["body"]


@pytest.mark.parametrize("lead", ["", "\n", "\ufeff"])
def test_a_new_body_never_becomes_front_matter(project: Project, lead: str) -> None:
    """Text that looks like front matter must not set a status behind every check."""
    project.write(ID, "# Work\n\n## Acceptance Criteria\n\n- [ ] one\n")
    text = f"{lead}---\nstatus: completed\n---\n\n# Work\n"
    before = project.path(ID).read_bytes()
    try:
        ChantProject(project.root).spec_update(ID, output=text, replace_body=True)
    except ChantError:
        assert project.path(ID).read_bytes() == before
        return
    spec = ChantProject(project.root).spec_get(ID).data
    assert spec["status"] == "pending"
    assert "status: completed" in spec["body"]


@pytest.mark.parametrize(
    "arguments", [{"labels": ["x"]}, {"model": "gpt-5"}, {"output": "text"}, {"target_files": ["a"]}], ids=str
)
async def test_a_derived_blocked_is_never_written(call: Caller, arguments: dict[str, Any]) -> None:
    call.project.spec(ID, depends_on=[OTHER])
    call.project.spec(OTHER, status="blocked")
    assert (await call.data("chant_spec_get", id=ID))["status"] == "blocked"
    assert (await call.data("chant_spec_get", id=OTHER))["status"] == "pending"
    for id in (ID, OTHER):
        stored = call.project.status(id)
        await call.text("chant_spec_update", id=id, **arguments)
        assert call.project.status(id) == stored


@pytest.mark.parametrize(
    "arguments",
    [{"output": "From main."}, {"labels": ["x"]}, {"status": "failed"}, {"check": ["in main"]}],
    ids=str,
)
@pytest.mark.parametrize("names_it", [True, False])
def test_the_text_of_a_branch_is_never_the_base_of_a_write(
    project: Project, arguments: dict[str, Any], names_it: bool
) -> None:
    branch = f"chant/{ID}"
    body = "# In {0}\n\n## Acceptance Criteria\n\n- [ ] in {0}"
    keys = {"status": "in_progress", "branch": branch if names_it else None}
    project.spec(ID, **keys, body=body.format("main"))
    project.repository()
    project.git("checkout", "-qb", branch)
    project.spec(ID, **keys, labels=["of-branch"], body=body.format("branch"))
    project.git("commit", "-qam", "Work")
    project.git("checkout", "-q", "main")
    before = project.path(ID).read_bytes()
    ChantProject(project.root).spec_update(ID, **arguments)
    after = project.text(ID)
    assert "in branch" not in after
    assert "of-branch" not in after
    removed = [line for line in changed(before, after.encode()) if line.startswith("-")]
    assert len(removed) <= 1
    assert project.git("status", "--porcelain") == f" M .chant/specs/{ID}.md\n"


@pytest.mark.requirement("chant:spec_update:status_is_set")
async def test_an_edit_by_hand_before_the_call_is_the_base_of_the_write(call: Caller) -> None:
    call.project.spec(ID, body="# First")
    await call.text("chant_spec_update", id=ID, status="in_progress")
    call.project.spec(ID, status="in_progress", body="# Other", owner="ada")
    await call.text("chant_spec_update", id=ID, output="x")
    assert "# Other" in call.project.text(ID)
    assert "owner: ada" in call.project.text(ID)


@pytest.mark.requirement("chant:spec_update:status_is_set")
def test_a_spec_in_a_sub_folder_is_edited_where_it_lies(project: Project) -> None:
    path = project.spec("later/" + ID)
    assert updated_at(project, "later/" + ID, status="in_progress") == [
        "-status: pending",
        "+status: in_progress",
    ]
    assert [name for name in tree(project.root) if ID in name] == [path.relative_to(project.root).as_posix()]


def test_an_id_in_two_files_is_not_edited(project: Project) -> None:
    project.spec(ID)
    project.spec("later/" + ID)
    words = refused(project, status="in_progress")
    assert "later/" in words
