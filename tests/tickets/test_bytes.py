"""Losslessness on disk: an edit changes the lines it means and no other byte (reference 2.9, 2.10, 10)."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
from chant_mcp._core import TicketProjects
from tickets.filing import Tickets, refusal_of
from writing import changed, leftovers

RICH = """\
# Reviewed by Ada.   trailing blanks \t
code: MDT-001
status: "Approved"   # set by hand; status: not this one

title:   'It''s rich'
type:    Bug Fix
priority: Low # for now
owner: &who {name: "Ada: L.", status: Proposed}
reviewer: *who
relatedTickets: [MDT-002,   MDT-003]  # flow
dependsOn:
  # first the schema
  - MDT-002   # main
  - "MDT-003"

blocks: []
"quoted key": yes
notes: |
  status: Rejected
  priority: High
  # no comment
long: >-
  folded
  assignee: not this one
estimate: 001
lastModified: '2025-09-08'
# last comment
"""

BODY = """\

# It's rich

status: Rejected
lastModified: never

---

## Setup

```sh
# install
priority: High
```

| a | b |
|---|---|
| 1 | `|` |

- [ ] one
-   [ ]   spaced   out  \t

## Scope

Text with trailing blanks   \t

### Detail

~~~
## no header
~~~

## References

End with trailing blanks   """

NAME = "MDT-001-rich"

Edit = tuple[str, dict[str, Any], list[str]]

EDITS: dict[str, Edit] = {
    "status": (
        "update_cr_status",
        {"status": "In Progress"},
        [
            '-status: "Approved"   # set by hand; status: not this one',
            '+status: "In Progress"   # set by hand; status: not this one',
        ],
    ),
    "priority": (
        "update_cr_attrs",
        {"priority": "High"},
        ["-priority: Low # for now", "+priority: High # for now"],
    ),
    "title": (
        "update_cr_attrs",
        {"title": "A 'new': one"},
        ["-title:   'It''s rich'", "+title:   'A ''new'': one'", "-# It's rich", "+# A 'new': one"],
    ),
    "flow list": (
        "update_cr_attrs",
        {"relatedTickets": "MDT-002,MDT-004"},
        [
            "-relatedTickets: [MDT-002,   MDT-003]  # flow",
            "+relatedTickets: [MDT-002, MDT-004]  # flow",
        ],
    ),
    "no flow list": (
        "update_cr_attrs",
        {"relatedTickets": ""},
        ["-relatedTickets: [MDT-002,   MDT-003]  # flow"],
    ),
    "block list": ("update_cr_attrs", {"dependsOn": [2, 3, 4]}, ["+  - MDT-004"]),
    "shorter block list": ("update_cr_attrs", {"dependsOn": [2]}, ['-  - "MDT-003"']),
    "empty list": ("update_cr_attrs", {"blocks": "MDT-004"}, ["-blocks: []", "+blocks: [MDT-004]"]),
    "new key": ("update_cr_attrs", {"assignee": "Bob: #2"}, ['+assignee: "Bob: #2"']),
    "two new keys": (
        "update_cr_attrs",
        {"implementationDate": "2025-10-02", "phaseEpic": "Phase A"},
        ["+phaseEpic: Phase A", "+implementationDate: 2025-10-02"],
    ),
    "append": (
        "append",
        {"section": "## Scope", "content": "More.\n\nAnd more."},
        ["+", "+More.", "+", "+And more."],
    ),
    "append behind a table": ("append", {"section": "Setup", "content": "More."}, ["+", "+More."]),
    "append at the end": ("append", {"section": "References", "content": "More."}, ["+", "+More."]),
    "prepend": ("prepend", {"section": "Scope", "content": "First."}, ["+First.", "+"]),
    "replace": (
        "replace",
        {"section": "Detail", "content": "~~~\n# other\n~~~"},
        ["-## no header", "+# other"],
    ),
    "rename": ("replace", {"section": "Scope", "content": "## Range\n"}, ["-## Scope", "+## Range"]),
}


def apply(handle: TicketProjects, tool: str, arguments: dict[str, Any], key: str = "1") -> Any:
    """Make an edit and give what is answered."""
    if tool == "update_cr_status":
        return handle.update_cr_status(None, key, arguments["status"]).data
    if tool == "update_cr_attrs":
        return handle.update_cr_attrs(None, key, arguments).data
    section, content = arguments["section"], arguments["content"]
    return handle.manage_cr_sections(None, key, tool, section=section, content=content).data


def plain(lines: list[str]) -> list[str]:
    """Leave out how wide the gaps of a flow list are, and the date."""
    kept = [re.sub(r", +", ", ", line) for line in lines]
    return sorted(line for line in kept if not line[1:].startswith("lastModified: '20"))


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("eol", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("lead", ["", "\ufeff"], ids=["", "bom"])
@pytest.mark.parametrize("fence", ["---", "---  \t"], ids=["", "blanks"])
def test_an_edit_changes_its_own_lines_and_the_date(
    tickets: Tickets, edit: str, eol: str, lead: str, fence: str
) -> None:
    tool, arguments, expected = EDITS[edit]
    for number in (2, 3, 4):
        tickets.ticket(number)
    text = f"{lead}{fence}\n{RICH}{fence}\n{BODY}".replace("\n", eol)
    before = tickets.write(NAME, text).read_bytes()
    found = apply(tickets.handle(), tool, arguments)
    after = tickets.bytes(NAME)
    edits = changed(before.replace(b"\r\n", b"\n"), after.replace(b"\r\n", b"\n"))
    now = found.get("lastModified") or found["cr"]["lastModified"]
    dates = [line for line in edits if line[1:].startswith("lastModified: '20")]
    assert dates == ["-lastModified: '2025-09-08'", f"+lastModified: '{now}'"]
    assert plain(edits) == plain(expected)
    assert after.count(b"\n") == after.count(eol.encode()), "line ends are all alike"
    assert after.startswith(lead.encode())
    assert after.endswith(b"More." if edit == "append at the end" else b"blanks   ")
    assert leftovers(tickets.root) == []
    again = tickets.path(NAME).stat()
    if tool in ("update_cr_attrs", "update_cr_status"):
        apply(tickets.handle(), tool, arguments)
        assert tickets.bytes(NAME) == after
        assert tickets.path(NAME).stat().st_ino == again.st_ino


def test_a_file_keeps_its_rights_and_its_name(tickets: Tickets) -> None:
    path = tickets.write(NAME, f"---\n{RICH}---\n{BODY}")
    path.chmod(0o640)
    handle = tickets.handle()
    for tool, arguments, _ in EDITS.values():
        if "Scope" not in str(arguments) or tool != "replace":
            apply(handle, tool, arguments)
    assert path.stat().st_mode & 0o777 == 0o640
    assert tickets.names() == [NAME]


# Front matter as people write it (reference 2.9)


VARIETY: dict[str, tuple[str, dict[str, Any]]] = {
    "quoted scalars": ("---\ncode: 'MDT-001'\nstatus: \"Approved\"\n---\n# T\n", {}),
    "comments behind values": (
        "---\ncode: MDT-001 # c\nstatus: Approved # c\nassignee: ada #1\n---\n# T\n",
        {"assignee": "ada"},
    ),
    "block scalar": (
        "---\ncode: MDT-001\nstatus: Approved\nphaseEpic: |\n  Phase A\nnotes: |\n  status: x\n---\n# T\n",
        {"phaseEpic": "Phase A", "notes": "status: x\n"},
    ),
    "folded scalar": (
        "---\ncode: MDT-001\nstatus: Approved\nassignee: >-\n  ada\n  bob\n---\n# T\n",
        {"assignee": "ada bob"},
    ),
    "lines of comments": (
        "---\n# code: MDT-009\ncode: MDT-001\n# status: Rejected\nstatus: Approved\n---\n# T\n",
        {},
    ),
    "block list": (
        "---\ncode: MDT-001\nstatus: Approved\ndependsOn:\n- MDT-2\n- MDT-3\n---\n# T\n",
        {"dependsOn": ["MDT-2", "MDT-3"]},
    ),
    "flow list": (
        "---\ncode: MDT-001\nstatus: Approved\nblocks: [MDT-2, 'MDT-3']\n---\n# T\n",
        {"blocks": ["MDT-2", "MDT-3"]},
    ),
    "comma text": (
        "---\ncode: MDT-001\nstatus: Approved\nblocks: MDT-2 , MDT-3,\n---\n# T\n",
        {"blocks": ["MDT-2", "MDT-3"]},
    ),
    "placeholders": (
        "---\ncode: MDT-001\nstatus: Approved\nblocks: none\ndependsOn: N/A, null\n---\n# T\n",
        {"blocks": [], "dependsOn": []},
    ),
    "empty values": (
        "---\ncode: MDT-001\nstatus: Approved\nblocks:\nassignee: \nphaseEpic: ''\n---\n# T\n",
        {"blocks": [], "assignee": None, "phaseEpic": None},
    ),
    "byte order mark": ("\ufeff---\ncode: MDT-001\nstatus: Approved\n---\n# T\n", {}),
    "crlf": ("---\r\ncode: MDT-001\r\nstatus: Approved\r\n---\r\n# T\r\n", {}),
    "blanks behind the fences": ("--- \t\ncode: MDT-001\nstatus: Approved\n---  \n# T\n", {}),
    "duplicate key": ("---\ncode: MDT-001\nstatus: Rejected\nstatus: Approved\n---\n# T\n", {}),
    "no yaml in one line": (
        "---\ncode: MDT-001\nstatus: Approved\nassignee: @ada\nnote: a: b\n---\n# T\n",
        {"assignee": "@ada"},
    ),
    "tabs": ("---\ncode:\tMDT-001\nstatus:\tApproved\n---\n# T\n", {}),
    "lower case code": ("---\ncode: mdt-1\nstatus: Approved\n---\n# T\n", {}),
    "unpadded code": ("---\ncode: MDT-1\nstatus: approved\n---\n# T\n", {"status": "approved"}),
    "older dates": (
        "---\ncode: MDT-001\nstatus: Approved\ndateCreated: 2025-09-07\n---\n# T\n",
        {"dateCreated": "2025-09-07"},
    ),
    "date as yaml time": (
        "---\ncode: MDT-001\nstatus: Approved\ndateCreated: 2025-09-07T10:00:00Z\n---\n# T\n",
        {"dateCreated": "2025-09-07T10:00:00Z"},
    ),
    "nothing behind the front matter": ("---\ncode: MDT-001\nstatus: Approved\ntitle: T\n---", {}),
    "removed keys": (
        '---\ncode: MDT-001\nstatus: Approved\ndescription: "a\\nb"\nrationale: c\n---\n# T\n',
        {"description": "a\nb", "rationale": "c"},
    ),
    "numbers and words of yaml": (
        "---\ncode: MDT-001\nstatus: Approved\nassignee: 007\nphaseEpic: no\n---\n# T\n",
        {"assignee": "007", "phaseEpic": "no"},
    ),
}


@pytest.mark.parametrize("name", VARIETY)
def test_front_matter_is_read_and_changed_as_people_write_it(tickets: Tickets, name: str) -> None:
    text, expected = VARIETY[name]
    before = tickets.write("MDT-001-x", text).read_bytes()
    handle = tickets.handle()
    found: Any = handle.get_cr(None, "1", mode="attributes").data
    values = {"code": "MDT-001", "title": "T", "status": "Approved", **expected}
    assert {key: found[key] for key in values} == values
    assert handle.get_cr(None, "1").text == text.split("---", 2)[2].lstrip(" \t").partition("\n")[2]
    answered: Any = handle.update_cr_status(None, "1", "In Progress").data
    edits = [line.removesuffix("\r") for line in changed(before, tickets.bytes("MDT-001-x"))]
    now = answered["cr"]["lastModified"]
    stamped = f"+lastModified: {now}"
    assert stamped in edits
    others = [line for line in edits if line != stamped]
    assert [line[0] for line in others] == ["-", "+"]
    assert others[1][1:] == re.sub("approved", "In Progress", others[0][1:], flags=re.IGNORECASE)
    again: Any = tickets.handle().get_cr(None, "1", mode="attributes").data
    assert {key: again[key] for key in values} == {**values, "status": "In Progress"}


def test_files_without_front_matter_are_tickets_by_name_and_get_some(tickets: Tickets) -> None:
    for text in ("# T\n\n## A\n", "---\n---\n# T\n", "\n\n# T\n", "words\n"):
        tickets.write("MDT-001-some-words", text)
        handle = tickets.handle()
        found: Any = handle.get_cr(None, "1", mode="attributes").data
        assert (found["code"], found["status"]) == ("MDT-001", "Proposed")
        assert found["title"] == ("T" if "T" in text else "some words")
        answered: Any = handle.update_cr_status(None, "1", "Approved").data
        now = answered["cr"]["lastModified"]
        after = tickets.text("MDT-001-some-words")
        front, body = after.removeprefix("---\n").split("---\n", 1)
        lines = front.splitlines()
        assert {"status: Approved", f"lastModified: {now}"} <= set(lines)
        assert body.lstrip("\n") == text.removeprefix("---\n---\n").lstrip("\n")
        again: Any = tickets.handle().get_cr(None, "1", mode="attributes").data
        assert (again["code"], again["status"]) == ("MDT-001", "Approved")
        tickets.path("MDT-001-some-words").rename(tickets.root / tickets.folder / "renamed.md")
        moved: Any = tickets.handle().list_crs().data
        assert [row["code"] for row in moved["crs"]] == (["MDT-001"] if "code" in front else [])
        (tickets.root / tickets.folder / "renamed.md").unlink()


def test_other_files_of_the_folder_are_left_alone(tickets: Tickets) -> None:
    tickets.ticket(1)
    tickets.write("README", "# Index\n\n- MDT-002\n")
    tickets.write("MDT", "no number\n")
    tickets.write("API-001-of-another", "# By its name of another project\n")
    folder = tickets.root / tickets.folder
    (folder / "MDT-002-text.txt").write_text("---\ncode: MDT-002\n---\n", encoding="utf-8")
    (folder / "sub").mkdir()
    (folder / "sub" / "MDT-003-x.md").write_text("---\ncode: MDT-003\n---\n", encoding="utf-8")
    (folder / ".MDT-004-hidden.md").write_text("---\ncode: MDT-004\n---\n", encoding="utf-8")
    listed: Any = tickets.handle().list_crs().data
    assert [row["code"] for row in listed["crs"]] == ["MDT-001"]
    assert "problems" not in listed


# Attributes cannot inject


NASTY = [
    "x\nstatus: Rejected",
    "x\r\nstatus: Rejected",
    "x\rstatus: Rejected",
    "x\u2028status: Rejected",
    "x\u0085status: Rejected",
    "x\x0bstatus: Rejected",
    "---",
    "--- # end",
    "x # status: Rejected",
    "status: Rejected",
    "{status: Rejected}",
    "[a, b",
    "*alias",
    "!!python/object x",
    "'; status: 'Rejected",
    '"; status: "Rejected',
    "a: b: c",
    "\ufeffx",
    "- x",
    "? x",
    "%TAG",
    "`x`",
    "\\n status: Rejected",
    "> x",
    "|",
    "~",
    "true",
    "0x1F",
    "1e3",
    "2025-01-01",
    "ü 🙂",
    "x" * 2000,
]


@pytest.mark.parametrize("style", ["plain", "single", "double", "block", "absent"])
def test_no_value_becomes_a_key_whatever_style_it_replaces(tickets: Tickets, style: str) -> None:
    """A value is stored so that it reads as it was given, or refused; nothing else of the file changes."""
    old = {
        "plain": "assignee: x",
        "single": "assignee: 'x'",
        "double": 'assignee: "x"',
        "block": "assignee: |\n  x",
    }
    line = f"{old[style]}\n" if style in old else ""
    text = f"---\ncode: MDT-001\nstatus: Approved\nlastModified: x\n{line}zone: end\n---\n# T\n"
    handle = tickets.handle()
    stored = 0
    for value in NASTY:
        before = tickets.write("MDT-001-x", text).read_bytes()
        refusal = refusal_of(lambda value=value: handle.update_cr_attrs(None, "1", {"assignee": value}))
        if refusal is not None:
            assert list(refusal["details"]) == ["assignee"]
            assert tickets.bytes("MDT-001-x") == before
            continue
        stored += 1
        found: Any = tickets.handle().get_cr(None, "1", mode="attributes").data
        assert found["assignee"] == value.strip()
        assert (found["code"], found["status"], found["zone"]) == ("MDT-001", "Approved", "end")
        assert "problems" not in found
        assert list(found) == [*list(found)[:12], "zone"]
    assert stored == len([value for value in NASTY if value.isprintable() or "\ufeff" in value])


def test_of_a_key_that_stands_twice_the_last_is_read_and_changed(tickets: Tickets) -> None:
    text = "---\ncode: MDT-001\npriority: Low\nstatus: Rejected\npriority: High\nstatus: Approved\n---\n# T\n"
    before = tickets.write("MDT-001-x", text).read_bytes()
    handle = tickets.handle()
    handle.update_cr_attrs(None, "1", {"priority": "Critical"})
    edits = changed(before, tickets.bytes("MDT-001-x"))
    assert [line for line in edits if "priority" in line] == ["-priority: High", "+priority: Critical"]
    found: Any = tickets.handle().get_cr(None, "1", mode="attributes").data
    assert (found["priority"], found["status"]) == ("Critical", "Approved")
    (row,) = found_list(tickets)
    assert (row["priority"], row["status"]) == ("Critical", "Approved")


def found_list(tickets: Tickets) -> list[dict[str, Any]]:
    """List all tickets."""
    listed: Any = tickets.handle().list_crs().data
    return listed["crs"]


def test_dates_of_files_stand_in_for_absent_ones(tickets: Tickets) -> None:
    path = tickets.ticket(1, dateCreated=None)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    (row,) = found_list(tickets)
    assert row["lastModified"] == "2023-11-14T22:13:20.000Z"
    tickets.ticket(1, dateCreated="2025-09-07", lastModified="2025-09-08T01:02:03+02:00")
    (row,) = found_list(tickets)
    assert (row["dateCreated"], row["lastModified"]) == ("2025-09-07", "2025-09-08T01:02:03+02:00")
