"""Laws of losslessness, on tickets put together from blocks whose bytes are known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest
from chant_mcp._core import TicketProjects
from hypothesis import given
from hypothesis import strategies as st
from tickets.filing import LAW, PRIORITIES, Tickets, refusal_of

BLOCK = st.sampled_from(
    [
        "text\n",
        "text with blanks  \n",
        "two\nlines\n",
        "\n",
        "\n\n",
        " \t\n",
        "```sh\n# comment\n## A\n```\n",
        "~~~\n```\n# x\n~~~\n",
        "| a | b |\n|---|---|\n| # | `|` |\n",
        "- item\n  # no header\n",
        "- [ ] open\n- [x] done\n",
        "> ## quoted\n",
        "<!--\n## commented\n-->\n\n",
        "    # indented\n",
        "\\## escaped\n",
        "#hashtag\n",
        "status: Rejected\n",
        "\n---\n\n",
        "ü 🙂\u2028x\u00a0\n",
        "[link]: # (x)\n",
    ]
)
"""What can stand below a header without being one; each ends its line."""

TITLES = ["A", "B", "1. Scope", "Notes", "A / B", "Ä 🙂", "`code`"]


@dataclass(frozen=True)
class Part:
    """A header and what stands below it."""

    level: int
    title: str
    blocks: tuple[str, ...]

    @property
    def header(self) -> str:
        """The line of the header."""
        return f"{'#' * self.level} {self.title}\n"

    @property
    def text(self) -> str:
        """All of it; a blank line keeps the next header from being part of a paragraph."""
        return self.header + "".join(self.blocks) + "\n"


PARTS = st.lists(
    st.builds(Part, st.integers(1, 4), st.sampled_from(TITLES), st.lists(BLOCK, max_size=4).map(tuple)),
    min_size=1,
    max_size=6,
)

FRONT = st.lists(
    st.sampled_from(
        [
            "priority: Low # c",
            "assignee: 'x'",
            "# comment: a",
            "owner: {a: 1,\n  b: [2]}",
            "notes: |\n  status: x\n  # y",
            "dependsOn:\n- MDT-7\n-   MDT-8 # c",
            "relatedTickets: MDT-7, MDT-8",
            "blocks: [ MDT-9 ]",
            'phaseEpic: "a # b"',
            "",
            "url: http://x/#y",
            "long: a\n  b",
        ]
    ),
    unique=True,
    max_size=7,
)

CONTENT = st.sampled_from(
    [
        "new",
        "new\nlines",
        "##### Deeper\n\nx",
        "- [ ] x",
        "```\n# y\n```",
        "| a |\n|---|",
        "    code",
        "$& \\1 \\n",
        "é",
    ]
)
"""Nothing here opens what it does not close, or begins with a header of a higher level."""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tickets, TicketProjects]:
    """A project that lives through all examples."""
    tickets = Tickets(tmp_path_factory.mktemp("shelf"))
    tickets.defines()
    return tickets, tickets.handle()


def stamped(text: str) -> tuple[str, str]:
    """Split a ticket into its front matter without the date of the change, and its body."""
    front, body = text.split("\n---\n", 1)
    return re.sub(r"\nlastModified: \S+", "", front), body


def fill(tickets: Tickets, parts: list[Part], front: list[str], eol: str, *, final: bool) -> tuple[str, str]:
    """Write a ticket and give its front matter and its body, with plain line ends."""
    head = "\n".join(["---", "code: MDT-001", *front, "status: Approved"])
    body = "\n" + "".join(part.text for part in parts)
    if not final:
        body = body.rstrip("\n \t")
    tickets.write("MDT-001-x", f"{head}\n---\n{body}".replace("\n", eol))
    return head, body


@LAW
@given(
    PARTS,
    FRONT,
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.data(),
    st.sampled_from(["replace", "append", "prepend"]),
    CONTENT,
)
def test_nothing_outside_of_the_section_changes(
    shelf: tuple[Tickets, TicketProjects],
    parts: list[Part],
    front: list[str],
    eol: str,
    final: bool,
    data: st.DataObject,
    mode: str,
    content: str,
) -> None:
    tickets, handle = shelf
    head, body = fill(tickets, parts, front, eol, final=final)
    listed: Any = handle.manage_cr_sections(None, "1", "list").data
    assert [(section["level"], section["header"]) for section in listed["sections"]] == [
        (part.level, part.header.rstrip()) for part in parts
    ], "no line in code, a comment or a list is a section"
    at = data.draw(st.integers(0, len(parts) - 1), label="section")
    end = next((n for n in range(at + 1, len(parts)) if parts[n].level <= parts[at].level), len(parts))
    path = listed["sections"][at]["path"]
    handle.manage_cr_sections(None, "1", mode, section=path, content=content)
    written = tickets.bytes("MDT-001-x").decode()
    assert written.count("\n") == written.count(eol)
    after_front, after = stamped(written.replace("\r\n", "\n"))
    assert after_front == head
    before = "\n" + "".join(part.text for part in parts[:at]) + parts[at].header
    behind = "".join(part.text for part in parts[end:])
    if not final and behind:
        behind = behind.rstrip("\n \t")
    assert after.startswith(before.rstrip("\n"))
    assert after.endswith(behind)
    inside = after[len(before.rstrip("\n")) : len(after) - len(behind)]
    assert inside.count(content) >= 1
    old = body[len(before.rstrip("\n")) : len(body) - len(behind)]
    if mode == "append":
        assert inside.startswith(old.rstrip("\n \t")), "what stood there stays, its indentation, too"
    elif mode == "prepend":
        assert inside.rstrip("\n").endswith(old.strip("\n")) or not old.strip()
    else:
        assert inside.strip("\n") == content
    if behind:
        assert inside.endswith("\n\n"), "a blank line stands before the next header"
    again: Any = handle.manage_cr_sections(None, "1", "list").data
    outside = [*parts[: at + 1], *parts[end:]]
    headers = [section["header"] for section in again["sections"]]
    kept = headers[: at + 1] + headers[len(headers) - (len(parts) - end) :]
    assert kept == [part.header.rstrip() for part in outside]


VALUES = st.sampled_from(
    ["x", "a: b", "# c", "it's", "[x]", "yes", "007", "ü", "- x", '"q"', "a # b", "{x}", "~"]
)

CHANGES = st.one_of(
    st.tuples(st.just("priority"), st.sampled_from(PRIORITIES)),
    st.tuples(
        st.sampled_from(["assignee", "phaseEpic", "implementationNotes"]), VALUES | st.text(max_size=12)
    ),
    st.tuples(
        st.sampled_from(["relatedTickets", "dependsOn", "blocks"]),
        st.lists(st.sampled_from(["MDT-007", "MDT-008", "API-001", "chant:x"]), unique=True, max_size=3),
    ),
)


@LAW
@given(FRONT, st.sampled_from(["\n", "\r\n"]), CHANGES)
def test_a_change_of_one_key_spares_all_others(
    shelf: tuple[Tickets, TicketProjects], front: list[str], eol: str, change: tuple[str, Any]
) -> None:
    tickets, handle = shelf
    parts = [Part(1, "T", ("text\n",))]
    head, body = fill(tickets, parts, front, eol, final=True)
    before: Any = handle.get_cr(None, "1", mode="attributes").data
    key, value = change
    refusal = refusal_of(lambda: handle.update_cr_attrs(None, "1", {key: value}))
    if refusal is not None:
        assert list(refusal["details"]) == [key]
        assert tickets.bytes("MDT-001-x").decode() == f"{head}\n---\n{body}".replace("\n", eol)
        return
    written = tickets.bytes("MDT-001-x").decode()
    assert written.count("\n") == written.count(eol)
    after_front, after_body = stamped(written.replace("\r\n", "\n"))
    assert after_body == body
    others = [entry for entry in front if not entry.startswith(f"{key}:")]
    lines = after_front.split("\n")
    kept = iter(lines)
    expected_lines = "\n".join(["---", "code: MDT-001", *others, "status: Approved"]).split("\n")
    assert all(line in kept for line in expected_lines), "all others stay, in their order"
    for line in expected_lines:
        lines.remove(line)
    assert all(line.startswith((f"{key}:", "-")) for line in lines), "nothing but the key came in"
    after: Any = handle.get_cr(None, "1", mode="attributes").data
    expected = value if isinstance(value, list) else value.strip() or None
    if key == "implementationNotes" and expected is None:
        assert key not in after
    else:
        assert after[key] == expected
    untouched = {
        name: found for name, found in before.items() if name not in (key, "lastModified", "dateCreated")
    }
    assert {name: after.get(name) for name in untouched} == untouched
    assert set(after) - set(before) <= {key}
