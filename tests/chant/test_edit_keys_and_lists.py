"""Losslessness: where a new key goes, and how a list keeps its style and its comments (issue: Documents)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from chant_mcp import ChantProject
from writing import ID, OTHER, changed

if TYPE_CHECKING:
    from harness import Project


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
def test_a_spec_without_keys_gets_its_first(
    project: Project, lead: str, eol: str, front: str, body: str
) -> None:
    if not (front or body):
        pytest.skip("an empty file is no spec")
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


@pytest.mark.parametrize("items", [["a", "b"], []])
def test_the_comment_behind_one_text_stays_when_it_becomes_a_list(project: Project, items: list[str]) -> None:
    path = project.write(ID, "---\nstatus: pending\ndepends_on: foo  # keep\n---\n\n# Work\n")
    ChantProject(project.root).spec_update(ID, depends_on=items)
    first = next(line for line in path.read_text(encoding="utf-8").splitlines() if "depends_on" in line)
    assert first.endswith("  # keep")
