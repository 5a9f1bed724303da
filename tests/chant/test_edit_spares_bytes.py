"""Losslessness: an edit changes the bytes it means to change and no others (issue: Documents)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
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
    "carriage returns": "notes: a\rb\n" + TWO,
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
    hard |= {"carriage returns", "next line characters", "line separator"}
    refused = set()
    for number, name in enumerate(EXOTIC):
        id = f"2026-01-22-{number:03}-odd"
        project.write(id, f"---\n{EXOTIC[name]}---\n\n# Work\n")
        try:
            ChantProject(project.root).spec_update(id, status="failed", force=True)
        except ChantError:
            refused.add(name)
    assert refused <= hard


@pytest.mark.parametrize("tail", ["---", "---  \t", "---\r"], ids=ascii)
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


def test_rights_of_the_file_stay(project: Project) -> None:
    path = project.spec(ID)
    for mode in (0o600, 0o640, 0o664, 0o755):
        path.chmod(mode)
        chant = ChantProject(project.root)
        chant.spec_update(ID, output="x")
        assert path.stat().st_mode & 0o777 == mode
