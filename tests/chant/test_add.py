"""chant_add: a new spec appears whole, under an ID of its own, or not at all (seed; reference chant 5.10)."""

from __future__ import annotations

import re
import tempfile
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Place, Session
from chant_mcp.tool_calls import Offer
from harness import text_of, user_config
from hypothesis import example, given
from hypothesis import strategies as st
from laws import law
from mcp import Client
from writing import ID, OTHER, git, tree, untouched

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio

NEW_ID = re.compile(r"(\d{4}-\d{2}-\d{2})-([0-9a-z]{3,})-([0-9a-z]{3})")


def created(project: Project) -> Path:
    """Give the file of the only spec."""
    (path,) = project.specs.glob("*.md")
    return path


def added(project: Project, description: str = "Add a thing", /, **extras: Any) -> str:
    """Add a spec and give its ID."""
    first = ChantProject(project.root).add(description, **extras).text.splitlines()[0]
    assert first.startswith("Created spec: ")
    return first.removeprefix("Created spec: ")


def without_box(text: str) -> str:
    """Leave out the box that a criterion may be given with."""
    return re.sub(r"^\s*(?:[-*+]\s*)?\[[ xX]\]", "", text).strip()


def front(project: Project, id: str) -> dict[str, str]:
    """Read the one-line keys of a new spec."""
    head = project.text(id).split("---\n")[1]
    return dict(line.split(": ", 1) for line in head.splitlines() if ": " in line and line[0] != "-")


@pytest.mark.requirement("chant:add:answers_with_the_new_id", "chant:add:description_becomes_the_title")
async def test_the_example_of_the_seed(call: Caller) -> None:
    days = {date.today().isoformat()}
    result = await call("chant_add", description="Add user authentication", criteria=["Login works"])
    days.add(date.today().isoformat())
    assert not result.is_error
    assert result.structured_content is None
    text = text_of(result)
    first = text.splitlines()[0]
    assert first.startswith("Created spec: ")
    id = first.removeprefix("Created spec: ")
    match = NEW_ID.fullmatch(id)
    assert match
    assert match[1] in days
    assert match[2] == "001"
    assert not re.search(r"traffic|light|score|grade|confidence|splittab|ac_quality", text, re.I)
    file = call.project.text(id)
    assert file.startswith("---\ntype: code\nstatus: pending\n---\n")
    assert file.split("---\n", 2)[2].lstrip("\n").splitlines()[0] == "# Add user authentication"
    spec = await call.data("chant_spec_get", id=id)
    assert (spec["title"], spec["status"], spec["type"]) == ("Add user authentication", "pending", "code")


@pytest.mark.requirement("chant:add:answers_with_the_new_id")
def test_a_spec_without_findings_is_answered_with_one_line(project: Project) -> None:
    text = ChantProject(project.root).add("Fix the login", criteria=["Login works"]).text
    assert re.fullmatch(r"Created spec: \S+", text)


S84 = "x" * 41 + " " + "y" * 41 + "."
MANY = "é" * 41  # 82 bytes, 41 characters

CUTS: dict[str, tuple[str, str, str]] = {
    "short": ("Add a thing", "Add a thing", ""),
    "short with sentences": ("Add it. Then test it.", "Add it. Then test it.", ""),
    "80 bytes": ("a" * 38 + ". " + "b" * 40, "a" * 38 + ". " + "b" * 40, ""),
    "81 bytes": ("a" * 38 + ". " + "b" * 41, "a" * 38 + ".", "b" * 41),
    "80 characters, more bytes": (f"{MANY}. rest", f"{MANY}.", "rest"),
    "vector of the reference": (f"{S84} And then a second sentence.", S84, "And then a second sentence."),
    "newline wins over sentence": (f"One. Two{'x' * 80}\nThree.", f"One. Two{'x' * 80}", "Three."),
    "first newline": ("y" * 90 + "\nsecond\nthird", "y" * 90, "second\nthird"),
    "newline late": ("y" * 200 + ". z\nrest", "y" * 200 + ". z", "rest"),
    "no sentence end": ("z" * 100, "z" * 100, ""),
    "dot inside a word": ("v1.2.3 " + "z" * 80, "v1.2.3 " + "z" * 80, ""),
    "period at the end only": ("z" * 100 + ".", "z" * 100 + ".", ""),
    "period, then blanks only": ("z" * 100 + ".   ", "z" * 100 + ".", ""),
    "short with newline": ("Title\nbody", "Title", "body"),
    "short with blank line": ("Title\n\nbody\n\nmore", "Title", "body\n\nmore"),
    "windows newline": ("Title\r\nbody", "Title", "body"),
    "blanks around": ("  Title  ", "Title", ""),
    "newlines around": ("\n\nTitle\n", "Title", ""),
}


@pytest.mark.parametrize("name", CUTS)
def test_a_description_becomes_title_and_body(project: Project, name: str) -> None:
    description, title, body = CUTS[name]
    id = added(project, description)
    spec = ChantProject(project.root).spec_get(id).data
    assert spec["title"] == title
    heading, _, rest = spec["body"].strip().partition("\n")
    assert heading == f"# {title}"
    assert rest.strip() == body


@pytest.mark.parametrize(
    "title", ["Rewrite it in C#", "Port it to F #", "#", "# Heading", "Mark it with ## ##"]
)
@pytest.mark.requirement("chant:add:description_becomes_the_title")
def test_hashes_are_part_of_the_title(project: Project, title: str) -> None:
    """The title is what follows the hash and the blank, to the end of the line (reference chant 2.4)."""
    id = added(project, title)
    assert f"# {title}" in project.text(id).splitlines()
    assert ChantProject(project.root).spec_get(id).data["title"] == title


@pytest.mark.parametrize("description", ["", " ", "\n\n", "\t \r\n", "\u00a0"])
async def test_an_empty_description_is_refused(call: Caller, description: str) -> None:
    error = await call.error("chant_add", description=description, criteria=["x"])
    assert "description" in error
    assert tree(call.project.root) == {}


@pytest.mark.parametrize(
    "arguments",
    [
        {"description": "nul \0 byte"},
        {"criteria": [""]},
        {"criteria": ["one", "  "]},
        {"criteria": ["two\nlines"]},
        {"criteria": ["nul \0"]},
        {"parent": "no-such-spec"},
        {"parent": ""},
        {"parent": "2026-01-22"},
        {"depends_on": [""]},
        {"depends_on": ["2026-01-22"]},
    ],
    ids=str,
)
async def test_a_refused_call_leaves_no_file(call: Caller, arguments: dict[str, Any]) -> None:
    call.project.spec(ID)
    call.project.spec(OTHER)
    before = tree(call.project.root)
    await call.error("chant_add", **{"description": "Add a thing", **arguments})
    assert tree(call.project.root) == before


PROMPTS = [
    "standard",
    "two words",
    "a: b",
    "x\nstatus: completed",
    "x\n---\n# Other",
    '"quoted"',
    "it's",
    "# comment",
    "x # comment",
    "[list]",
    "{map}",
    "yes",
    "null",
    "007",
    "2026-01-22",
    "- item",
    "&a",
    "*a",
    "!t",
    "%x",
    "@x",
    "`x`",
    "|",
    ">",
    "---",
    " lead",
    "trail ",
    "é 🦀",
    "tab\t",
]


@pytest.mark.parametrize("prompt", PROMPTS, ids=ascii)
@pytest.mark.requirement("chant:add:prompt_is_stored")
async def test_a_prompt_is_one_value_whatever_it_says(call: Caller, prompt: str) -> None:
    await call.text("chant_add", description="Add a thing", prompt=prompt)
    id = created(call.project).stem
    spec = await call.data("chant_spec_get", id=id)
    assert spec["prompt"] == prompt
    assert (spec["status"], spec["type"], spec["title"]) == ("pending", "code", "Add a thing")
    assert not (await call.data("chant_spec_list")).get("problems")


async def test_every_extra_reaches_the_file(call: Caller) -> None:
    call.project.spec(ID)
    given_ = {
        "labels": ["api", "a: b", "- c", "yes"],
        "target_files": ["src/a.py", "docs/with blank.md"],
        "depends_on": [ID],
        "type": "task",
        "prompt": "standard",
    }
    criteria = ["Login works", "`make test` passes: all of it", "- [x] odd", "# not a heading"]
    text = await call.text("chant_add", description="Add it", criteria=criteria, **given_)
    id = text.splitlines()[0].removeprefix("Created spec: ")
    spec = await call.data("chant_spec_get", id=id)
    assert {key: spec[key] for key in given_} == given_
    verified = await call.data("chant_verify", id=id)
    assert verified["criteria"] == {"total": 4, "checked": 0, "unchecked": 4}
    lines = call.project.text(id).splitlines()
    at = lines.index("## Acceptance Criteria")
    assert lines[at + 1 :] == ["", *(f"- [ ] {without_box(text)}" for text in criteria)]
    keys = [line.split(":")[0] for line in lines if re.match(r"[a-z_]+:", line)]
    assert keys == ["type", "status", "depends_on", "labels", "target_files", "prompt"]
    diagnosed = await call.data("chant_diagnose", id=id)
    assert "4 unchecked" in str(diagnosed["checks"])


@pytest.mark.parametrize("kind", ["code", "task", "driver", "documentation", "research", "group"])
def test_each_type_is_accepted(project: Project, kind: str) -> None:
    id = added(project, type=kind)
    assert front(project, id)["type"] == kind
    assert ChantProject(project.root).spec_get(id).data["type"] == kind


def test_an_empty_depends_on_is_written_because_it_means_something(project: Project) -> None:
    assert "depends_on: []" in project.text(added(project, depends_on=[]))
    assert "depends_on" not in project.text(added(project))


# Bodies in which items appended below could hide from the gates.
HIDING = {
    "a section of its own": "Title\n\n## Acceptance Criteria\n\n- [ ] own",
    "open fence": "Title\n\n```\ncode",
    "open fence of tildes": "Title\n\n~~~\ncode",
    "own section, then an open fence": "Title\n\n## Acceptance Criteria\n\n- [ ] own\n\n```\ncode",
    "open comment": "Title\n\n<!-- todo",
    "own section, then an open comment": "Title\n\n## Acceptance Criteria\n\n- [ ] own\n\n<!-- todo",
    "open html block": "Title\n\n<script>",
    "list at the end": "Title\n\n- [ ] not a criterion",
    "text at the end": "Title\n\nsome text",
    "setext underline": "Title\n\ntext\n---",
}


@pytest.mark.parametrize("name", HIDING)
def test_every_gate_sees_the_criteria_whatever_the_description_says(project: Project, name: str) -> None:
    chant = ChantProject(project.root)
    try:
        chant.add(HIDING[name], criteria=["first", "second"])
    except ChantError:
        assert tree(project.root) == {}
        return
    id = created(project).stem
    unchecked = ChantProject(project.root).verify(id).data["unchecked_items"]
    own = ["- [ ] own"] if "own" in name else []
    assert unchecked == [*own, "- [ ] first", "- [ ] second"]


async def test_members_are_numbered_one_after_the_other(call: Caller) -> None:
    call.project.spec(ID, type="driver")
    names = []
    for _ in range(11):
        text = await call.text("chant_add", description="Part", parent="x7m")
        names.append(text.splitlines()[0].removeprefix("Created spec: "))
    assert names == [f"{ID}.{number}" for number in range(1, 12)]
    assert (await call.text("chant_add", description="Deeper", parent=f"{ID}.2")).startswith(
        f"Created spec: {ID}.2.1"
    )
    assert (await call.text("chant_add", description="Part", parent=ID)).startswith(f"Created spec: {ID}.12")


TAKEN = ("active", "in a sub-folder", "unreadable", "a folder", "a dangling link", "archived")


@pytest.mark.parametrize("kind", TAKEN)
def test_a_member_never_gets_an_id_that_is_taken(project: Project, kind: str) -> None:
    project.spec(ID, type="driver")
    project.spec(f"{ID}.1", status="completed")
    member = f"{ID}.2"
    if kind in ("active", "in a sub-folder"):
        project.spec(member if kind == "active" else f"later/{member}")
    elif kind == "unreadable":
        project.write(member, "---\nstatus: [\n---\n\n# Broken\n")
    elif kind == "a folder":
        project.path(member).mkdir()
    elif kind == "a dangling link":
        project.path(member).symlink_to("nowhere.md")
    else:
        archive = project.root / ".chant" / "archive" / ID[:10]
        archive.mkdir(parents=True)
        (archive / f"{member}.md").write_text("---\nstatus: completed\n---\n\n# Old\n", encoding="utf-8")
    before = tree(project.root)
    assert added(project, parent=ID) == f"{ID}.3"
    assert before.items() <= tree(project.root).items()


def test_a_file_that_cannot_be_read_keeps_its_sequence_number(project: Project) -> None:
    """The sequence counts files (reference chant 2.5), whatever is in them."""
    for day in (date.today(), date.today() + timedelta(days=1)):
        project.write(f"{day.isoformat()}-009-abc", "---\nstatus: [\n---\n\n# Broken\n")
    match = NEW_ID.fullmatch(added(project))
    assert match
    assert match[2] == "00a"


def test_an_existing_file_is_never_overwritten(project: Project) -> None:
    """Whatever lies under the next name, the new spec gets another one."""
    project.spec(ID, type="driver")
    project.path(f"{ID}.1").mkdir()
    project.path(f"{ID}.2").symlink_to("nowhere.md")
    project.path(f"{ID}.3").write_bytes(b"\xff")
    project.write(f"{ID}.4", "")
    before = tree(project.root)
    id = added(project, parent=ID)
    assert {name: data for name, data in tree(project.root).items() if id not in name} == before
    assert project.text(id).startswith("---\n")


@pytest.mark.requirement("chant:add:findings_follow_the_id", "chant:add:suggestion_follows_its_finding")
async def test_findings_follow_in_the_form_of_the_seed(call: Caller) -> None:
    text = await call.text(
        "chant_add",
        description="Study it",
        type="feature",
        depends_on=["2026-01-22-0zz-zzz"],
        criteria=[f"criterion {number}" for number in range(15)],
    )
    lines = text.splitlines()
    id = lines[0].removeprefix("Created spec: ")
    assert lines[1:3] == ["", "Lint diagnostics:"]
    findings = [line for line in lines[3:] if not line.startswith("    → ")]
    assert all(re.fullmatch(r"  \[(WARNING|ERROR)\] [a-z_]+: \S.*", line) for line in findings)
    assert not any(re.match(r"    → ", line) for line in lines[:4])
    rules = {match[2]: match[1] for match in re.finditer(r"\[(\w+)\] (\w+):", text)}
    assert rules["complexity"] == "WARNING"
    assert rules["dependency"] == "ERROR"
    assert "type" in rules
    at = next(n for n, line in enumerate(lines) if "complexity" in line)
    assert "15" in lines[at]
    assert "10" in lines[at]
    assert lines[at + 1].startswith("    → ")
    linted = await call.data("chant_lint", id=id)
    assert len(linted["diagnostics"]) == len(findings)
    for finding in linted["diagnostics"]:
        assert f"  [{finding['severity'].upper()}] {finding['rule']}: {finding['message']}" in findings


async def test_a_config_that_cannot_be_read_is_told_and_nothing_is_made(call: Caller) -> None:
    call.project.config("defaults: [\n")
    before = tree(call.project.root)
    error = await call.error("chant_add", description="Add a thing")
    assert error.startswith("Failed to load config: ")
    assert tree(call.project.root) == before


def test_a_failed_creation_says_so(project: Project) -> None:
    """The ID of a member would be longer than a file system takes names."""
    parent = ID + "x" * (200 - len(ID))
    project.spec(parent, type="driver")
    before = tree(project.root)
    with pytest.raises(ChantError, match=r"^Failed to create spec: "):
        ChantProject(project.root).add("Part", parent=parent)
    assert tree(project.root) == before


ENTERPRISE = """\
enterprise:
  derived:
    labels: {from: branch, pattern: "^feature/([A-Z]+-\\\\d+)"}
    context: {from: env, pattern: TEAM_FILE}
    component: {from: env, pattern: COMPONENT, validate: {type: enum, values: [api, ui]}}
    author: {from: git_user, pattern: email}
    where: {from: path, pattern: "([^/]+)$"}
    absent: {from: env, pattern: NOT_SET}
"""


async def test_derived_values_reach_the_new_spec(project: Project) -> None:
    project.repository()
    project.git("checkout", "-qb", "feature/PROJ-12-login")
    project.git("config", "user.email", "grace@example.org")
    project.git("config", "user.name", "Grace")
    project.config(ENTERPRISE)
    place = Place(project.root, (project.root,))
    environment = {"TEAM_FILE": "docs/team.md", "COMPONENT": "db"}
    server = ChantServer(Session(place, environment=environment, user_config=user_config()), Offer(["auto"]))
    async with Client(server) as client:
        result = await client.call_tool("chant_add", {"description": "Add it", "labels": ["own"]})
    assert "db" in text_of(result), "a value outside the enum only warns"  # type: ignore[arg-type]
    id = created(project).stem
    spec = ChantProject(project.root).spec_get(id).data
    assert spec["labels"] == ["own", "PROJ-12"]
    assert sorted(spec["context"]) == [
        "derived_author=grace@example.org",
        "derived_component=db",
        "derived_where=project",
        "docs/team.md",
    ]
    head = project.text(id).split("---\n")[1]
    assert "derived_fields:" in head
    assert "absent" not in head


async def test_nothing_is_committed_or_staged(call: Caller) -> None:
    call.project.repository()
    (call.project.root / "mine.txt").write_text("mine\n", encoding="utf-8")
    git(call.project.root, "add", "mine.txt")
    before = set(tree(call.project.root))
    with untouched(call.project.root, but=[".chant/specs/*"]):
        await call.text("chant_add", description="Add a thing")
        new = set(tree(call.project.root)) - before
        assert len(new) == 1
        (call.project.root / new.pop()).unlink()
    assert git(call.project.root, "stash", "list") == ""


# Without the four separators that Python takes for blanks and Unicode does not.
TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x1c\x1d\x1e\x1f"), min_size=1, max_size=120
)
LAWS = law(100)


def squeezed(text: str) -> str:
    return "".join(text.split())


@LAWS
@given(TEXT)
@example("# already a heading")
@example("Heading with hashes ##")
@example("a\rb")
@example("a\u2028b")
@example("---\nstatus: completed\n---\n# Fake")
@example("=\n=")
@example("text\n===")
@example("- [ ] box")
@example("x" * 81 + "\n```\n")
@pytest.mark.requirement("chant:add:description_becomes_the_title")
def test_any_description_is_kept_whole_or_refused(description: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        specs = Path(folder) / ".chant" / "specs"
        specs.mkdir(parents=True)
        chant = ChantProject(folder)
        try:
            chant.add(description)
        except ChantError:
            assert list(specs.iterdir()) == []
            assert "\0" in description or not description.strip()
            return
        (path,) = specs.iterdir()
        listed = ChantProject(folder).spec_list().data
        assert not listed.get("problems")
        spec = ChantProject(folder).spec_get(path.stem).data
        assert spec["status"] == "pending"
        title, body = spec["title"], path.read_bytes().decode().split("---\n", 2)[2]
        assert squeezed(body) == squeezed("#" + description), "no word is lost or added"
        first = re.split(r"\r\n|\n", description.strip())[0]
        assert squeezed(first).startswith(squeezed(title or ""))
        if len(description.encode()) <= 80 and "\n" not in description.strip():
            assert f"# {description.strip()}" in body.split("\n")


@LAWS
@given(st.lists(TEXT, min_size=1, max_size=5), st.lists(TEXT, max_size=3), TEXT)
@example(["```", "after a fence"], [], "p")
@example(["<!-- open", "after a comment"], [], "p")
@example(["[x] ticked?"], [], "p")
@example(["    indented"], [], "p")
@example(["\\*escaped"], [], "p")
@example(["[ref]: http://x", "after a reference"], [], "p")
def test_any_extras_read_back_or_are_refused(criteria: list[str], labels: list[str], prompt: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        specs = Path(folder) / ".chant" / "specs"
        specs.mkdir(parents=True)
        chant = ChantProject(folder)
        try:
            chant.add("Work", criteria=criteria, labels=labels, target_files=labels, prompt=prompt)
        except ChantError:
            assert list(specs.iterdir()) == []
            texts = [*criteria, *labels, prompt]
            assert not all(text.isprintable() and text.strip() for text in texts), "a plain text is refused"
            return
        (path,) = specs.iterdir()
        chant = ChantProject(folder)
        spec = chant.spec_get(path.stem).data
        assert spec["labels"] == (list(dict.fromkeys(labels)) or None) or spec["labels"] == (labels or None)
        assert spec["target_files"] == spec["labels"]
        assert spec["prompt"] == prompt
        verified = chant.verify(path.stem).data
        assert verified["criteria"] == {"total": len(criteria), "checked": 0, "unchecked": len(criteria)}
        rows = path.read_bytes().decode().split("## Acceptance Criteria\n\n")[1].split("\n")[:-1]
        assert rows == [f"- [ ] {without_box(text)}" for text in criteria]


async def test_criteria_may_be_given_with_their_boxes(call: Caller) -> None:
    id = added(call.project, "Boxes", criteria=["- [ ] one", "[x] two", "three [ ] four"])
    text = call.project.text(id)
    assert "\n- [ ] one\n- [ ] two\n- [ ] three [ ] four\n" in text
    await call.text("chant_spec_update", id=id, check=["one", "- [ ] two"])


@pytest.mark.parametrize(("status", "warns"), [("completed", True), ("cancelled", True), ("pending", False)])
async def test_a_member_of_what_is_done_is_told(call: Caller, status: str, warns: bool) -> None:
    call.project.spec(ID, type="driver", status=status)
    answer = await call.text("chant_add", description="One more", parent=ID)
    assert answer.startswith(f"Created spec: {ID}.1")
    assert ("Warning: its driver" in answer) == warns
