"""Laws of losslessness, on front matter put together from blocks whose bytes are known."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from writing import ID

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

LAWS = law(100)


@LAWS
@given(
    blocks=document(),
    change=CHANGES,
    eol=st.sampled_from(["\n", "\r\n"]),
    lead=st.sampled_from(["", "\ufeff", "\n"]),
    body=st.sampled_from(["", "# Work", "\n# Work\n\nstatus: pending\n\n---\nlabels: [a]\n"]),
)
@pytest.mark.requirement("chant:spec_update:front_matter_keys_are_set")
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
