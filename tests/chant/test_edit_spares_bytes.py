"""Losslessness: an edit changes the bytes it means to change and no others (issue: Documents)."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
from hypothesis import given, settings
from hypothesis import strategies as st
from writing import ID, OTHER, changed, leftovers

if TYPE_CHECKING:
    from harness import Caller, Project

RICH = """\
# Reviewed by Ada.   trailing blanks \t
status: "pending"   # set by hand; status: not this one

type:    code
owner: &who {name: "Ada: L.", status: pending}
reviewer: *who
labels: [api,   "two words", 'it''s']  # flow
"quoted key": yes
notes: |
  status: failed
  labels: [no]
  # no comment
target_files:
  # first the code
  - src/a.py   # main
  - "docs/ü.md"

depends_on: []
model: 'Claude Opus 4'
priority: 001
long: >-
  folded
  model: not this one
approval:
  required: false
  status: approved
  by: ada
  at: 2026-01-22
# last comment
---

# Title  \t

status: pending
labels: [api]

---

## Acceptance Criteria

- [ ] one
-   [ ]   spaced   out  \t
* [x] two

```yaml
---
status: pending
- [ ] fenced
```

End with trailing blanks   """

EDITS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "status": (
        {"status": "in_progress"},
        [
            '-status: "pending"   # set by hand; status: not this one',
            '+status: "in_progress"   # set by hand; status: not this one',
        ],
    ),
    "labels": (
        {"labels": ["api", "new", "it's"]},
        [
            "-labels: [api, \"two words\", 'it''s']  # flow",
            "+labels: [api, new, 'it''s']  # flow",
        ],
    ),
    "no labels": (
        {"labels": []},
        ["-labels: [api, \"two words\", 'it''s']  # flow", "+labels: []  # flow"],
    ),
    "target_files": (
        {"target_files": ["src/a.py", "docs/ü.md", "src/b.py"]},
        ["+  - src/b.py"],
    ),
    "fewer target_files": (
        {"target_files": ["docs/ü.md"]},
        ["-  # first the code", "-  - src/a.py   # main"],
    ),
    "depends_on": ({"depends_on": [OTHER]}, ["-depends_on: []", f"+depends_on: [{OTHER}]"]),
    "model": ({"model": "gpt-5"}, ["-model: 'Claude Opus 4'", "+model: 'gpt-5'"]),
    "check": (
        {"check": ["one", "spaced out"]},
        [
            "-- [ ] one",
            "--   [ ]   spaced   out  \t",
            "+- [x] one",
            "+-   [x]   spaced   out  \t",
        ],
    ),
    "uncheck": ({"uncheck": ["two"]}, ["-* [x] two", "+* [ ] two"]),
}


def plain(lines: list[str]) -> list[str]:
    """Leave out carriage returns, and how wide the gaps of a flow list are."""
    return [re.sub(r", +", ", ", line.removesuffix("\r")) for line in lines]


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("eol", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("lead", ["", "\ufeff", "\n \n", "\ufeff\n"], ids=["", "bom", "blank", "bom+blank"])
@pytest.mark.parametrize("final", ["", "\n", "\n\n\n"], ids=["no-newline", "newline", "newlines"])
@pytest.mark.requirement(
    "chant:edit:status_changes_one_line",
    "chant:edit:list_keeps_its_style",
    "chant:spec_update:lists_replace",
    "chant:spec_update:check_ticks_named_criteria",
)
def test_exactly_the_lines_meant_differ(project: Project, edit: str, eol: str, lead: str, final: str) -> None:
    arguments, expected = EDITS[edit]
    project.spec(OTHER)
    text = f"{lead}---\n{RICH}{final}".replace("\n", eol)
    before = project.write(ID, text.encode()).read_bytes()
    ChantProject(project.root).spec_update(ID, **arguments)
    after = project.path(ID).read_bytes()
    lines = changed(before, after)
    assert plain(lines) == expected
    assert [line.endswith("\r") for line in lines] == [eol == "\r\n"] * len(lines)
    listed = ChantProject(project.root).spec_list().data
    assert not listed.get("problems")


@pytest.mark.parametrize("eol", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("final", ["", "\n"], ids=["no-newline", "newline"])
@pytest.mark.requirement("chant:spec_update:output_is_appended_under_its_heading")
def test_an_appended_section_uses_the_line_ends_of_the_file(project: Project, eol: str, final: str) -> None:
    before = project.write(ID, f"---\n{RICH}{final}".replace("\n", eol).encode()).read_bytes()
    ChantProject(project.root).spec_update(ID, output="first\nsecond\r\nthird")
    after = project.path(ID).read_bytes()
    assert after.startswith(before)
    gap = "" if final else "\n"
    section = f"{gap}\n## Output\n\nfirst\nsecond\nthird\n"
    added = after.removeprefix(before).decode()
    if eol == "\n":
        section = section.replace("second\n", "second\r\n") if "second\r\n" in added else section
    assert added == section.replace("\n", eol)


@pytest.mark.parametrize("eol", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.requirement("chant:spec_update:replace_body_replaces_the_body")
def test_a_replaced_body_leaves_every_byte_of_the_front_matter(project: Project, eol: str) -> None:
    before = project.write(ID, f"\ufeff---\n{RICH}".replace("\n", eol).encode()).read_bytes()
    front = before[: before.index(b"# last comment") + len(f"# last comment{eol}---{eol}")]
    ChantProject(project.root).spec_update(ID, output="New\ntext.", replace_body=True)
    after = project.path(ID).read_bytes()
    assert after.startswith(front)
    assert after.removeprefix(front).decode().strip().replace(eol, "\n") == "# Title\n\nNew\ntext."
    assert after.count(b"\n") == after.count(eol.encode())


STATUS_LINES = [
    "status: pending",
    "status:   pending   ",
    "status:\tpending",
    "status : pending",
    "status: pending # comment",
    "status: pending\t# comment",
    "status: 'pending'",
    'status: "pending"',
    'status: "pend\\u0069ng"',
    '"status": pending',
    "'status': pending",
    "status:\n  pending",
    "status: >-\n  pending",
    "status: |-\n  pending",
    "status: !!str pending",
]


@pytest.mark.parametrize("line", STATUS_LINES, ids=ascii)
@pytest.mark.parametrize("place", ["first", "middle", "last"])
@pytest.mark.requirement("chant:edit:status_changes_one_line", "chant:edit:result_is_read_back_first")
def test_a_status_is_found_however_it_is_written(project: Project, line: str, place: str) -> None:
    around = {"first": ("", "a: 1\nb: 2\n"), "middle": ("a: 1\n", "b: 2\n"), "last": ("a: 1\nb: 2\n", "")}
    head, tail = (f"---\n{around[place][0]}", f"{around[place][1]}---\n# Work\n\nstatus: pending\n")
    project.write(ID, f"{head}{line}\n{tail}")
    ChantProject(project.root).spec_update(ID, status="in_progress")
    after = project.text(ID)
    assert after.startswith(head)
    assert after.endswith(f"\n{tail}")
    block = after[len(head) : len(after) - len(tail)]
    assert block.count("status") == 1
    assert "in_progress" in block
    if "# comment" in line:
        assert block.rstrip("\n").endswith("# comment")
    if "\n" not in line:
        assert block.count("\n") == 1
    spec = ChantProject(project.root).spec_get(ID).data
    assert spec["status"] == "in_progress"


# Front matter that a line scan could misjudge: an edit is right in every key, or refused.
TWO = "status: pending\nprompt: pending\n"
EXOTIC = {
    "anchor on the status, used elsewhere": "status: &s pending\nprompt: *s\n",
    "status is an alias": "prompt: &s pending\nstatus: *s\n",
    "flow mapping": "{status: pending, prompt: pending}\n",
    "flow mapping over lines": "{\n  status: pending,\n  prompt: pending\n}\n",
    "indented mapping": "  status: pending\n  prompt: pending\n",
    "explicit keys": "? status\n: pending\n? prompt\n: pending\n",
    "status in a block scalar above": "notes: |\n  a\n" + TWO,
    "status in a block scalar at the margin": "notes: |2\n  status: failed\n" + TWO,
    "status in a quoted text over lines": 'notes: "a\n  status: failed\n  b"\n' + TWO,
    "status at the margin of a quoted text": 'notes: "a\nstatus: failed\nb"\n' + TWO,
    "status in a plain text over lines": "notes: a\n  status failed\n" + TWO,
    "status in a flow list over lines": "notes: [a,\nstatus: failed,\nb]\n" + TWO,
    "apostrophe in a plain text": "notes: it's\n" + TWO,
    "bracket in a plain text": "notes: a [b\n" + TWO,
    "quote in a comment": "notes: a # it's\n" + TWO,
    "bracket in a comment": "notes: a # [b\n" + TWO,
    "merge key": "base: &b\n  status: failed\n<<: *b\n" + TWO,
    "nested status": "base:\n  status: failed\n" + TWO,
    "list of maps": "steps:\n- status: failed\n- {status: failed}\n" + TWO,
    "key with a colon": '"a: status": failed\na:status: failed\n' + TWO,
    "comment that looks like it": "# status: failed\nstatus: pending\n#status: x\nprompt: pending\n",
    "directive end inside": "notes: a---b\n" + TWO,
    "document end": "status: pending\nprompt: pending\n...\n",
    "tag": "!!map\n" + TWO,
    "carriage returns alone": "notes: a\rb\n" + TWO,
    "next line characters": "notes: a\u0085status: failed\n" + TWO,
    "line separator": "notes: a\u2028status: failed\n" + TWO,
    "unicode key": "статус: failed\n" + TWO,
    "blank lines": "\n\nstatus: pending\n\n\nprompt: pending\n\n",
    "comment only": "# nothing\n",
}


@pytest.mark.parametrize("name", EXOTIC)
@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"status": "failed", "force": True}, "status"),
        ({"labels": ["a", "b"]}, "labels"),
        ({"model": "gpt-5"}, "model"),
    ],
    ids=["status", "labels", "model"],
)
@pytest.mark.requirement("chant:edit:result_is_read_back_first", "chant:spec_update:failure_changes_nothing")
def test_odd_front_matter_is_edited_right_or_not_at_all(
    project: Project, name: str, arguments: dict[str, Any], key: str
) -> None:
    before = project.write(ID, f"---\n{EXOTIC[name]}---\n\n# Work\n").read_bytes()
    chant = ChantProject(project.root)
    if chant.spec_list().data["total"] == 0:
        with pytest.raises(ChantError):
            chant.spec_update(ID, **arguments)
        assert project.path(ID).read_bytes() == before
        return
    was = chant.spec_get(ID).data
    try:
        chant.spec_update(ID, **arguments)
    except ChantError:
        assert project.path(ID).read_bytes() == before
        return
    now = ChantProject(project.root).spec_get(ID).data
    assert now[key] == arguments[key]
    assert {k: v for k, v in now.items() if k != key} == {k: v for k, v in was.items() if k != key}
    gone = [line for line in changed(before, project.path(ID).read_bytes()) if line.startswith("-")]
    assert len(gone) <= 1


@pytest.mark.requirement("chant:edit:odd_front_matter_is_edited_where_it_is_safe")
def test_most_odd_front_matter_is_edited_after_all(project: Project) -> None:
    """Refusing is for what cannot be edited safely; plain block mappings can."""
    hard = {
        "anchor on the status, used elsewhere",
        "explicit keys",
        "flow mapping",
        "flow mapping over lines",
    }
    hard |= {"indented mapping", "document end", "tag", "status in a flow list over lines"}
    # YAML breaks lines at these, which makes the file a problem record before any edit.
    hard |= {"carriage returns alone", "next line characters", "line separator"}
    refused = set()
    for number, name in enumerate(EXOTIC):
        id = f"2026-01-22-{number:03}-odd"
        project.write(id, f"---\n{EXOTIC[name]}---\n\n# Work\n")
        try:
            ChantProject(project.root).spec_update(id, status="failed", force=True)
        except ChantError:
            refused.add(name)
    assert refused <= hard


# Reference chant 2.2, in write order; values that parse.
ORDER = {
    "type": "code",
    "status": "in_progress",
    "depends_on": "[]",
    "labels": "[a]",
    "target_files": "[a]",
    "context": "[a]",
    "prompt": "standard",
    "branch": "chant/x",
    "commits": "[abc]",
    "completed_at": "2026-01-22T10:00:00Z",
    "model": "gpt-5",
    "tracks": "[a]",
    "informed_by": "[a]",
    "origin": "[a]",
    "schedule": "daily",
    "source_branch": "a",
    "target_branch": "a",
    "conflicting_files": "[a]",
    "blocked_specs": "[a]",
    "original_spec": "a",
    "last_verified": "2026-01-22T10:00:00Z",
    "verification_status": "passed",
    "verification_failures": "[a]",
    "replayed_at": "a",
    "replay_count": "1",
    "original_completed_at": "a",
    "derived_fields": "[a]",
    "approval": "{required: false}",
    "members": "[]",
    "output_schema": "a.json",
    "public": "true",
    "retry_state": "{attempts: 1, last_retry_time: 1, next_retry_time: 1}",
}

SETTABLE: dict[str, Any] = {
    "status": "failed",
    "depends_on": [OTHER],
    "labels": ["x"],
    "target_files": ["x"],
    "model": "gpt-6",
}


def keys_of(text: str) -> list[str]:
    front = text.split("---\n")[1]
    return [line.split(":")[0] for line in front.splitlines() if line[:1].isalpha()]


@pytest.mark.parametrize("key", SETTABLE)
@pytest.mark.parametrize("others", ["all", "before", "after", "ends", "unknown", "none"])
@pytest.mark.requirement("chant:edit:absent_key_goes_to_its_place")
def test_an_absent_key_goes_to_its_documented_place(project: Project, key: str, others: str) -> None:
    names = list(ORDER)
    at = names.index(key)
    present = {
        "all": [name for name in names if name != key],
        "before": names[:at],
        "after": names[at + 1 :],
        "ends": [name for name in ("type", "retry_state") if name != key],
        "unknown": [name for name in names if name != key],
        "none": [],
    }[others]
    front = "".join(f"{name}: {ORDER[name]}\n" for name in present)
    if others == "unknown":
        front = f"aaa: 1\n{front}zzz: 2\n"
    project.spec(OTHER)
    before = project.write(ID, f"---\n{front}---\n\n# Work\n").read_bytes()
    ChantProject(project.root).spec_update(ID, **{key: SETTABLE[key]}, force=True)
    assert all(line.startswith("+") for line in changed(before, project.path(ID).read_bytes()))
    found = [name for name in keys_of(project.text(ID)) if name in ORDER]
    assert found == sorted([*present, key], key=names.index)
    assert ChantProject(project.root).spec_get(ID).data[key] == SETTABLE[key]


@pytest.mark.parametrize("key", ["depends_on", "labels", "target_files"])
@pytest.mark.parametrize(
    "others", ["", "context: [a, b]\n", "tracks:\n  - a\n"], ids=["", "flow", "indented"]
)
@pytest.mark.requirement("chant:edit:new_list_is_block_style")
def test_a_list_that_was_absent_is_written_in_block_style(project: Project, key: str, others: str) -> None:
    project.spec(OTHER)
    before = project.write(ID, f"---\ntype: code\nstatus: pending\n{others}---\n\n# Work\n").read_bytes()
    update: dict[str, Any] = {key: [OTHER, ID + ".1"]}
    ChantProject(project.root).spec_update(ID, **update, force=True)
    lines = changed(before, project.path(ID).read_bytes())
    assert [line.replace("  -", "-") for line in lines] == [f"+{key}:", f"+- {OTHER}", f"+- {ID}.1"]


COMMENTS = {
    "below, indented": "labels:\n- a\n- b\n  # kept\n",
    "below, like the items": "labels:\n  - a\n  - b\n  # kept\n",
    "below, at the margin": "labels:\n- a\n- b\n# kept\n",
    "below, after a blank line": "labels:\n- a\n- b\n\n  # kept\n",
    "of the key": "labels: # kept\n- a\n- b\n",
    "above the first item": "labels:\n# kept\n- b\n- a\n",
    "of an item that stays": "labels:\n- a\n- b # kept\n",
    "of a flow list": "labels: [a, b] # kept\n",
    "under a flow list": "labels: [a, b]\n  # kept\n",
}


@pytest.mark.parametrize("place", COMMENTS)
@pytest.mark.parametrize("labels", [["b"], ["b", "new"], ["new", "b"]], ids=str)
@pytest.mark.requirement("chant:spec_update:lists_replace", "chant:edit:list_keeps_its_style")
def test_a_comment_that_is_not_of_a_removed_item_survives(
    project: Project, place: str, labels: list[str]
) -> None:
    head, tail = "---\nstatus: pending\n", "owner: ada\n---\n\n# Work\n"
    project.write(ID, f"{head}{COMMENTS[place]}{tail}")
    ChantProject(project.root).spec_update(ID, labels=labels)
    after = project.text(ID)
    assert after.startswith(head)
    assert after.endswith(tail)
    assert "# kept" in after
    assert ChantProject(project.root).spec_get(ID).data["labels"] == labels


LIST_STYLES = {
    "flow": ("labels: [a, b]", "labels: [b, new]"),
    "flow, no blanks": ("labels: [a,b]", "labels: [b,new]"),
    "flow, padded": ("labels: [ a, b ]", "labels: [ b, new ]"),
    "flow, quoted": ("labels: ['a', \"b\"]", 'labels: ["b", new]'),
    "flow, comment": ("labels: [a, b] # why", "labels: [b, new] # why"),
    "flow, over lines": ("labels: [\n  a,\n  b\n]", "labels: [\n  b,\n  new\n]"),
    "block": ("labels:\n- a\n- b", "labels:\n- b\n- new"),
    "block, indented": ("labels:\n  - a\n  - b", "labels:\n  - b\n  - new"),
    "block, deep": ("labels:\n      - a\n      - b", "labels:\n      - b\n      - new"),
    "block, quoted": ("labels:\n- 'a'\n- \"b\"", 'labels:\n- "b"\n- new'),
    "block, comments": ("labels: # these\n- a # one\n- b # two", "labels: # these\n- b # two\n- new"),
}


@pytest.mark.parametrize("style", LIST_STYLES)
@pytest.mark.parametrize("eol", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.requirement("chant:edit:list_keeps_its_style", "chant:spec_update:lists_replace")
def test_a_list_keeps_the_style_it_had(project: Project, style: str, eol: str) -> None:
    old, new = LIST_STYLES[style]
    text = "---\nstatus: pending\n{0}\n# about the owner\nowner: ada\n---\n\n# Work\n"
    project.write(ID, text.format(old).replace("\n", eol))
    ChantProject(project.root).spec_update(ID, labels=["b", "new"])
    assert project.text(ID) == text.format(new).replace("\n", eol)


@pytest.mark.parametrize(
    "old", ["depends_on: alone", "depends_on:", "depends_on: ~", "depends_on: [] # none"]
)
@pytest.mark.parametrize("new", [[], [OTHER], [OTHER, ID + ".1"]])
@pytest.mark.requirement("chant:spec_update:lists_replace", "chant:edit:list_keeps_its_style")
def test_a_list_takes_the_place_of_one_word_or_none(project: Project, old: str, new: list[str]) -> None:
    project.spec(OTHER)
    head, tail = "---\nstatus: pending\n", "owner: ada\n---\n\n# Work\n"
    project.write(ID, f"{head}{old}\n{tail}")
    ChantProject(project.root).spec_update(ID, depends_on=new)
    after = project.text(ID)
    assert after.startswith(head)
    assert after.endswith(tail)
    assert ("# none" in after) == ("# none" in old)
    assert ChantProject(project.root).spec_get(ID).data["depends_on"] == new


@pytest.mark.parametrize("lead", ["", "\ufeff", "\n\n"], ids=["", "bom", "blank"])
@pytest.mark.parametrize("eol", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize(
    "front", ["", "---\n---\n", "---\n\n# nothing yet\n---\n"], ids=["none", "empty", "comment"]
)
@pytest.mark.parametrize("body", ["", "# Work\n\nText", "\n# Work\n", "- [ ] x\n\n---\n\nafter a rule\n"])
@pytest.mark.requirement("chant:edit:absent_key_goes_to_its_place", "chant:edit:result_is_read_back_first")
def test_a_spec_without_keys_gets_its_first(
    project: Project, lead: str, eol: str, front: str, body: str
) -> None:
    before = project.write(ID, f"{lead}{front}{body}".replace("\n", eol)).read_bytes()
    ChantProject(project.root).spec_update(ID, status="in_progress")
    after = project.path(ID).read_bytes()
    assert after.endswith(body.replace("\n", eol).encode())
    bom = "\ufeff".encode()
    assert after.startswith(bom) == (lead == "\ufeff")
    lines = changed(before.removeprefix(bom), after.removeprefix(bom))
    assert all(line.startswith("+") for line in lines if line.strip("-\r"))
    if eol == "\r\n" and (front or "\n" in body or "\n" in lead):
        assert after.count(b"\n") == after.count(b"\r\n")
    spec = ChantProject(project.root).spec_get(ID).data
    assert spec["status"] == "in_progress"
    assert not ChantProject(project.root).spec_list().data.get("problems")


@pytest.mark.parametrize("tail", ["---", "---  \t", "---\r"], ids=ascii)
@pytest.mark.requirement("chant:edit:status_changes_one_line")
def test_a_file_that_ends_with_its_fence_is_edited(project: Project, tail: str) -> None:
    before = project.write(ID, f"---\nstatus: pending\n{tail}").read_bytes()
    try:
        ChantProject(project.root).spec_update(ID, status="in_progress", labels=["x"])
    except ChantError:
        assert project.path(ID).read_bytes() == before
        assert tail != "---"
        return
    assert project.path(ID).read_bytes().endswith(tail.encode())
    assert ChantProject(project.root).spec_get(ID).data["labels"] == ["x"]


BROKEN = {
    "unclosed": "---\nstatus: pending\n\n# Work\n",
    "bad yaml": "---\nstatus: [pending\n---\n\n# Work\n",
    "duplicate status": "---\nstatus: pending\nstatus: failed\n---\n\n# Work\n",
    "unknown status": "---\nstatus: doing\n---\n\n# Work\n",
    "status is a map": "---\nstatus: {a: 1}\n---\n\n# Work\n",
    "depends_on is a map": "---\nstatus: pending\ndepends_on: {a: 1}\n---\n\n# Work\n",
    "front matter is a list": "---\n- status\n---\n\n# Work\n",
    "tab indentation": "---\na:\n\tstatus: pending\n---\n\n# Work\n",
    "not utf-8": b"---\nstatus: pending\nowner: \xff\n---\n\n# Work\n",
    "not utf-8 in the body": b"---\nstatus: pending\n---\n\n# W\xf6rk\n",
}


@pytest.mark.anyio
@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.requirement("chant:edit:result_is_read_back_first", "store:bad_input:invalid_utf8_file")
async def test_a_file_that_cannot_be_read_is_never_edited(call: Caller, name: str) -> None:
    data = BROKEN[name]
    call.project.write(ID, data)
    call.project.spec(OTHER)
    for tool, arguments in [
        ("chant_spec_update", {"status": "failed", "force": True}),
        ("chant_spec_update", {"labels": ["x"], "force": True}),
        ("chant_spec_update", {"output": "x"}),
        ("chant_spec_update", {"output": "x", "replace_body": True}),
        ("chant_finalize", {}),
        ("chant_cancel", {}),
        ("chant_reset", {}),
        ("chant_archive", {}),
    ]:
        error = await call.error(tool, id=ID, **arguments)
        assert ID in error
    assert call.project.path(ID).read_bytes() == (data if isinstance(data, bytes) else data.encode())
    listed = await call.data("chant_spec_list")
    assert [spec["id"] for spec in listed["specs"]] == [OTHER]
    assert ID in str(listed["problems"])
    assert leftovers(call.project.root) == []


@pytest.mark.requirement("chant:edit:status_changes_one_line")
def test_rights_of_the_file_stay(project: Project) -> None:
    path = project.spec(ID)
    for mode in (0o600, 0o640, 0o664, 0o755):
        path.chmod(mode)
        chant = ChantProject(project.root)
        chant.spec_update(ID, output="x")
        assert path.stat().st_mode & 0o777 == mode


# Laws, on front matter put together from blocks whose bytes are known.

ITEM = st.sampled_from(
    ["a", "b", "two words", "a: b", "# x", "it's", "[x]", "yes", "001", "ü", "", " pad ", "---"]
)
NEW_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
UNKNOWN = st.sampled_from(
    [
        "owner: ada",
        'quote: "status: x"',
        "text: |\n  status: x\n  - labels",
        "fold: >-\n  a\n\n  b",
        "map:\n  status: x\n  labels: [y]",
        "flow: {status: x,\n  labels: [y]}",
        "seq:\n- status: x\n-   - y",
        "anchor: &a 1\nalias: *a",
        "nothing:",
        "long: a\n  b",
        "'it''s': 1",
        "url: http://x/#y",
        "# comment: with colon",
        "",
        "  # indented comment",
    ]
)


def write_scalar(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from([text, f"'{text}'", json.dumps(text)])


@st.composite
def list_block(draw: st.DrawFn, key: str) -> str:
    items = draw(st.lists(st.sampled_from(["a", "b", "c", "d e"]), max_size=4))
    comment = draw(st.sampled_from(["", " # why"]))
    written = [draw(write_scalar(item)) for item in items]
    key = draw(st.sampled_from([key, key, f"'{key}'", f'"{key}"', f"{key} "]))
    if not items or draw(st.booleans()):
        separator, edge = draw(st.sampled_from([(", ", ""), (",", ""), (",  ", " "), (",\n  ", "\n")]))
        end = "" if "\n" in edge else comment
        return f"{key}: [{edge}{'  ' if end != comment else ''}{separator.join(written)}{edge}]{end}"
    indent = draw(st.sampled_from(["", "  ", "    "]))
    tails = [draw(st.sampled_from(["", " # item", f"\n{indent}  # below", "\n"])) for _ in written]
    rows = [f"\n{indent}- {item}{tail}" for item, tail in zip(written, tails, strict=True)]
    return f"{key}:{comment}{''.join(rows)}"


@st.composite
def document(draw: st.DrawFn) -> list[str]:
    """Blocks of front matter, each with its key first where it has one of ours."""
    blocks = [f"status: {draw(write_scalar('pending'))}{draw(st.sampled_from(['', ' # now']))}"]
    keys = [key for key in ("depends_on", "labels", "target_files") if draw(st.booleans())]
    blocks += [draw(list_block(key)) for key in keys]
    if draw(st.booleans()):
        blocks.append(f"model: {draw(write_scalar('gpt-5'))}")
    blocks += draw(st.lists(UNKNOWN, max_size=4, unique=True))
    return draw(st.permutations(blocks))


CHANGES = st.one_of(
    st.tuples(st.just("status"), st.sampled_from(["failed", "in_progress", "needs_attention"])),
    st.tuples(st.sampled_from(["labels", "target_files"]), st.lists(ITEM | NEW_TEXT, max_size=5)),
    st.tuples(
        st.just("depends_on"), st.lists(st.sampled_from(["nowhere-1", "nowhere-2", "repo:z"]), unique=True)
    ),
    st.tuples(st.just("model"), NEW_TEXT.filter(bool)),
)

LAWS = settings(max_examples=100, deadline=None, derandomize=True, database=None)


@LAWS
@given(
    blocks=document(),
    change=CHANGES,
    eol=st.sampled_from(["\n", "\r\n"]),
    lead=st.sampled_from(["", "\ufeff", "\n"]),
    body=st.sampled_from(["", "# Work", "\n# Work\n\nstatus: pending\n\n---\nlabels: [a]\n"]),
)
@pytest.mark.requirement(
    "chant:edit:result_is_read_back_first",
    "chant:edit:status_changes_one_line",
    "chant:spec_update:lists_replace",
    "chant:spec_update:front_matter_keys_are_set",
)
def test_an_update_reads_back_and_changes_no_byte_of_another_key(
    blocks: list[str], change: tuple[str, Any], eol: str, lead: str, body: str
) -> None:
    key, value = change
    with tempfile.TemporaryDirectory() as folder:
        specs = Path(folder) / ".chant" / "specs"
        specs.mkdir(parents=True)
        path = specs / f"{ID}.md"
        own = re.compile(rf"[\"']?{key}[\"']? *:")
        at = next((n for n, block in enumerate(blocks) if own.match(block)), None)
        cut = len(blocks) if at is None else at
        parts = [f"{lead}---\n", *(f"{block}\n" for block in blocks), f"---\n{body}"]
        before = "".join(parts).replace("\n", eol)
        path.write_bytes(before.encode())
        chant = ChantProject(folder)
        assert not chant.spec_list().data.get("problems")
        try:
            chant.spec_update(ID, **{key: value}, force=True)
        except ChantError:
            texts = value if isinstance(value, list) else [value]
            assert not all(text.isprintable() for text in texts), "only odd characters may be refused"
            assert path.read_bytes() == before.encode()
            return
        after = path.read_bytes().decode()
        now = ChantProject(folder).spec_get(ID).data[key]
        families = [word for word in ("opus", "sonnet", "haiku") if word in str(value).lower()]
        assert now == (families[0] if key == "model" and families else value)
        if at is None:
            common = 0
            while common < len(before) and before[common] == after[common]:
                common += 1
            assert after.endswith(before[common:]), "a new key is put in, nothing else differs"
            return
        head = "".join(parts[: cut + 1]).replace("\n", eol)
        tail = "".join(parts[cut + 2 :]).replace("\n", eol)
        assert after.startswith(head)
        assert after.endswith(tail)
        if "\n" not in blocks[cut] or key == "status":
            assert after[len(head) : len(after) - len(tail)].count("\n") == 1
        if isinstance(value, str) and " # now" in blocks[cut]:
            assert " # now" in after


TITLE = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=20)


@st.composite
def checklist(draw: st.DrawFn) -> list[tuple[str, str, str]]:
    """Criteria as bullet, mark and text; texts differ when blanks are folded."""
    texts = draw(
        st.lists(
            TITLE.map(lambda text: " ".join(text.split())).filter(bool),
            min_size=1,
            max_size=8,
            unique=True,
        )
    )
    bullets = st.sampled_from(["- ", "* ", "+ ", "-  "])
    return [(draw(bullets), draw(st.sampled_from(" xX")), text) for text in texts]


@LAWS
@given(
    items=checklist(),
    eol=st.sampled_from(["\n", "\r\n"]),
    final=st.booleans(),
    data=st.data(),
)
@pytest.mark.requirement(
    "chant:spec_update:check_ticks_named_criteria", "chant:spec_update:uncheck_clears_named_criteria"
)
def test_check_and_uncheck_touch_one_byte_an_item(
    items: list[tuple[str, str, str]], eol: str, final: bool, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        specs = Path(folder) / ".chant" / "specs"
        specs.mkdir(parents=True)
        path = specs / f"{ID}.md"
        rows = [f"{bullet}[{mark}] {text}" for bullet, mark, text in items]
        text = "\n\n".join(["---\nstatus: pending\n---\n\n# Work\n\n## Acceptance Criteria", *rows])
        path.write_bytes(f"{text}{eol if final else ''}".replace("\n", eol).replace("\r\r", "\r").encode())
        before = path.read_bytes()
        chant = ChantProject(folder)
        # What counts as a criterion is the parser's business; its answer is the list to choose from.
        seen = chant.verify(ID).data
        if seen["criteria"]["total"] != len(items):
            return
        check = data.draw(st.lists(st.sampled_from([i[2] for i in items]), unique=True))
        uncheck = data.draw(st.lists(st.sampled_from([i[2] for i in items if i[2] not in check] or [""])))
        uncheck = [name for name in dict.fromkeys(uncheck) if name]
        if not check and not uncheck:
            return
        chant.spec_update(ID, check=check, uncheck=uncheck)
        after = path.read_bytes()
        assert len(after) == len(before)
        flips = sum(
            (mark == " " and name in check) or (mark != " " and name in uncheck) for _, mark, name in items
        )
        assert sum(a != b for a, b in zip(before, after, strict=True)) == flips
        met = sum(name in check or (mark != " " and name not in uncheck) for _, mark, name in items)
        assert ChantProject(folder).verify(ID).data["criteria"]["checked"] == met
