"""What the demo agent reads in a spec, held against what the core reads, and what it changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from chant_mcp import ChantProject
from chant_mcp.demo.document import Document
from chant_mcp.demo.task import DemoTask
from hypothesis import assume, example, given
from hypothesis import strategies as st
from laws import law

ID = "2026-01-22-001-x7m"

LAWS = law(150)

BLOCKS = [
    "text\n",
    "text with blanks  \n- [ ] follows a text\n",
    "- [ ] open\n",
    "- [x] ticked\n* [X] so, too\n+ [ ] any bullet\n",
    "1. [ ] numbered\n2) [ ] otherwise\n",
    "- [ ] parent\n  - [ ] child\n    1. [ ] grandchild\n",
    "- [ ] parent\n    - [ ] child with four blanks\n",
    "-\t[ ] tab\n\t- [ ] nested by a tab\n",
    "- - [ ] two bullets\n",
    "-   [ ]   spaced out  \n\n    goes on\n",
    "- [ ]\n- [ ] behind one without text\n",
    "- [ ]no blank\n- [] empty\n- [-] other\n- \\[ ] escaped\n",
    "- text - [ ] within\n",
    "- no box\n  [ ] on the next line\n",
    "```\n- [ ] fenced\n```\n",
    "````md\n```\n- [ ] fenced\n```\n## Acceptance Criteria\n````\n",
    "~~~ md\n- [ ] fenced\n```\n~~~\n",
    "``` `no fence`\n- [ ] open\n",
    "- [ ] example:\n  ```\n  - [ ] fenced in an item\n  ```\n- [ ] next\n",
    "- [ ] not closed:\n  ```\n  - [ ] fenced\n- [ ] next\n",
    "\n    - [ ] indented code\n",
    "- [ ] a\n\n      - [ ] code in an item\n",
    "-     [ ] code behind a bullet\n",
    "<!-- - [ ] commented -->\n",
    "<!--\n- [ ] commented\n## Acceptance Criteria\n-->\n",
    "- [ ] a\n  <!--\n  - [ ] commented\n  -->\n- [ ] b\n",
    "- # no heading\n- [ ] a\n  ## Notes\n  - [ ] b\n",
    "    ## indented code\n",
    "#hashtag\n",
    "####### seven\n",
    "\\## escaped\n",
    "- [ ] ü 🙂\u2028x\u00a0\n",
    "\n***\n",
    " \t\n",
]
"""What a spec may hold; each ends its line."""

HEADINGS = [
    "# Title",
    "# ",
    "## Acceptance Criteria",
    "### acceptance criteria (more) ##",
    "  ##\tAcceptance Criteria",
    "# Acceptance Criteria",
    "## Acceptance",
    "## Notes",
    "### Deeper",
    "###### Deepest",
    "##",
]

PARTS = st.tuples(st.sampled_from(HEADINGS), st.lists(st.sampled_from(BLOCKS), max_size=4))
BODIES = st.lists(PARTS, max_size=5).map(
    # Without blank lines between them a paragraph could go on over blocks that the agent tells apart.
    lambda parts: "".join(f"{heading}\n" + "\n".join(blocks) + "\n" for heading, blocks in parts)
)
ENDS = st.sampled_from(["\n", "\r\n"])
FRONTS = st.sampled_from(["---\nstatus: pending\n---\n", "\n---  \ntype: code\n---\t\n\n", ""])


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The specs folder of a project."""
    folder = tmp_path_factory.mktemp("project") / ".chant" / "specs"
    folder.mkdir(parents=True)
    return folder


def core(specs: Path, text: str) -> ChantProject:
    """Give the project with a spec of that text."""
    (specs / f"{ID}.md").write_bytes(text.encode())
    return ChantProject(specs.parents[1], events=False)


@LAWS
@given(front=FRONTS, body=BODIES, end=ENDS, mark=st.sampled_from(["", "\ufeff"]))
@example(
    front="", body="## Acceptance Criteria\n" + "".join(f"{block}\n" for block in BLOCKS), end="\n", mark=""
)
def test_it_ticks_what_the_core_counts_and_changes_nothing_else(
    specs: Path, front: str, body: str, end: str, mark: str
) -> None:
    text = mark + (front + body).replace("\n", end)
    # A file without words is no spec.
    assume(text.strip("\ufeff").strip())
    before = core(specs, text).verify(ID).data["criteria"]
    document = Document(text)
    ticked = document.ticked().text
    changed = [at for at, (old, new) in enumerate(zip(text, ticked, strict=True)) if old != new]
    assert all(text[at - 1 : at + 2] == "[ ]" and ticked[at] == "x" for at in changed)
    assert (len(document.criteria), len(changed)) == (before["total"], before["unchecked"])
    assert core(specs, ticked).verify(ID).data["criteria"]["unchecked"] == 0


@LAWS
@given(
    st.lists(
        st.one_of(
            st.sampled_from([*BLOCKS, *(f"{heading}\n" for heading in HEADINGS)]).map(str.encode), st.binary()
        ),
        max_size=12,
    )
)
@example([b"- [ ] \xff\xfe\x00\r\n", b"* [ ] x\r- [ ] y\n\r\n- [ ] \xe2\x82"])
def test_whatever_bytes_a_spec_holds_only_those_in_boxes_change(specs: Path, pieces: list[bytes]) -> None:
    file = specs / f"{ID}.md"
    before = b"\xef\xbb\xbf---\r\nowner: \xff\r\n---\n## Acceptance Criteria\n- [ ] one\n" + b"\n".join(
        pieces
    )
    file.write_bytes(before)
    environment = {**os.environ, "CHANT_SPEC_ID": ID, "CHANT_SPEC_FILE": str(file)}
    DemoTask.given(environment, specs.parents[1]).tick()
    after = file.read_bytes()
    changed = [at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert changed[0] == before.index(b"[ ]") + 1
    assert all((before[at - 1 : at + 2], after[at - 1 : at + 2]) == (b"[ ]", b"[x]") for at in changed)


@pytest.mark.parametrize(
    "value",
    [
        "[a.txt, b.txt]",
        "[ a.txt , 'it''s, b.txt', \"c ] d.txt\", e f.txt ]  # [g]",
        "[]",
        "[a.txt,]",
        "[\n  a.txt,  # first, and #more\n  # 'not this',\n  \"b.txt\"\n]",
        "\n- a.txt\n- b.txt",
        "\n  - a.txt\n\n  # not this\n  -   b c.txt   # nor this\n  - d,e[1].txt",
        "  # a list\n- 'it''s.txt'\n- \"q\\\"uo\\\\te \\u00fc.txt\"  # so\n- a#b.txt",
        "\n- ü\u00a0x.txt\n- 🙂",
        "\nlabels:\n- a",
        " ",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lists_are_read_as_the_core_reads_them(specs: Path, value: str, end: str) -> None:
    front = f"type: code\nnotes: |\n  target_files: [no]\ntarget_files: {value}\nmodel: x\n"
    text = f"---\n{front}---\n# T\n".replace("\n", end)
    found = Document(text).values("target_files")
    assert found == (core(specs, text).spec_get(ID).data["target_files"] or [])


@pytest.mark.parametrize(
    "body", ["# Title  \n# No\n", "## No\n\n  #\ttitle #\n", "```\n# No\n```\n# A `b`\n", "#\n# No\n", "no\n"]
)
def test_the_title_is_read_as_the_core_reads_it(specs: Path, body: str) -> None:
    text = f"---\ntype: code\n---\n{body}"
    assert Document(text).title == core(specs, text).spec_get(ID).data["title"]


@pytest.mark.parametrize(
    ("front", "changed"),
    [
        ("type: code\nstatus : pending # so\n", "type: code\nstatus: completed\n"),
        ("type: code\n", "status: completed\ntype: code\n"),
        ("notes: |\n  status: x\nstatus: paused\n", "notes: |\n  status: x\nstatus: completed\n"),
    ],
)
def test_the_status_is_changed_in_the_front_matter_alone(front: str, changed: str) -> None:
    body = "# T\n\nstatus: pending\n"
    assert Document(f"---\n{front}---\n{body}").with_status("completed").text == f"---\n{changed}---\n{body}"
