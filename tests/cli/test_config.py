"""Configuration files with slips, and documents of which a merge left two versions, in every format."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from chant_mcp.errors import ConfigError
from chant_mcp.session import Place, Session
from cli.kit import Cli
from harness import user_config

ID = "2026-01-22-001-x7m"
TASKS = "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Create the project\n- [x] T002 Add linting\n"


@pytest.fixture
def kit(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A project with a spec, a plan, a feature and tickets."""
    root = cli.project.root
    cli.project.spec(ID, status="in_progress")
    write(root, "plan.vine", "vine 1.2.0\n---\n[a] One (planning)\nText.\n")
    write(root, ".specify/memory/constitution.md", "# Rules\n")
    write(root, "specs/001-a/spec.md", "# Spec\n")
    write(root, "specs/001-a/tasks.md", TASKS)
    write(root, ".mdt-config.toml", '[project]\ncode = "AB"\n')
    write(root, "docs/CRs/AB-001-a.md", "---\ncode: AB-001\ntitle: A\nstatus: Approved\n---\n\n# A\n\nText\n")
    monkeypatch.setenv("SPECIFY_FEATURE_DIRECTORY", "specs/001-a")
    return cli


def write(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def found(cli: Cli, code: int) -> list[tuple[str, int | None, str, str, bool]]:
    report = cli.json("config", "check", code=code)
    keys = ("file", "line", "key", "kind", "blocks")
    assert report["mistakes"] == sum(one["kind"] != "no_effect" for one in report["findings"])
    return [tuple(one[key] for key in keys) for one in report["findings"]]


def test_config_check_names_what_is_wrong_in_every_file(kit: Cli) -> None:
    root, user = kit.project.root, user_config()
    before = user.read_text(encoding="utf-8")
    assert found(kit, 0) == []
    kit.project.config("project: {name: x}\nlimts:\n  run_minutes: 5\nsite: {output: x}\nweather: fine\n")
    write(root, ".specify/chant-mcp.yml", "# Checks\nchek: {unit: [make]}\nstrict: {files: often}\n")
    write(
        root,
        ".chant/agents.md",
        "---\nparallel: {agents: [{name: a, wieght: 2}]}\nlimits: {tokens: 1}\n---\n",
    )
    write(root, ".mdt-config.toml", '[project]\ncode = "AB"\nstartNumbr = 4\n')
    user.write_text(before.replace("---\n", "---\nprovidrs: {}\n", 1), encoding="utf-8")
    assert found(kit, 1) == [
        (str(user), 2, "providrs", "unknown_key", True),
        (".chant/config.md", 3, "limts", "unknown_key", True),
        (".chant/config.md", 5, "site", "no_effect", False),
        (".chant/config.md", 6, "weather", "unknown_key", False),
        (".chant/agents.md", 2, "parallel.agents[0].wieght", "unknown_key", True),
        (".chant/agents.md", 3, "limits", "no_effect", False),
        (".specify/chant-mcp.yml", 2, "chek", "unknown_key", True),
        (".specify/chant-mcp.yml", 3, "strict.files", "wrong_value", False),
        (".mdt-config.toml", 3, "project.startNumbr", "unknown_key", False),
    ]
    text = kit("config", "check", code=1)
    assert ".specify/chant-mcp.yml:2: error: unknown key `chek`: did you mean `checks`?" in text
    assert "7 mistakes, 2 notes." in text
    assert ".chant/config.md:3:1: unknown key `limts`" in " ".join(kit("lint", code=1).split())
    report = kit.json("lint", code=1)["configuration"]
    assert [one["key"] for one in report if one["blocks"]] == [
        "providrs",
        "limts",
        "parallel.agents[0].wieght",
        "chek",
    ]
    problems = kit.json("tickets", "projects")["problems"]
    assert [one["why"].partition(":")[0] for one in problems] == ["line 3"]
    write(root, ".specify/chant-mcp.yml", "checks: [\n")
    user.write_text(before, encoding="utf-8")
    assert (".specify/chant-mcp.yml", 2, "", "unreadable", False) in found(kit, 1)


ACTS = {
    "start": ("work", ID),
    "split": ("split", ID),
    "watch": ("watch", "--once"),
    "merge": ("merge", ID),
    "finalize": ("finalize", ID),
    "complete": ("speckit", "complete", "T001"),
    "serve": ("serve", "--http", "127.0.0.1:0"),
}
"""What goes by a configuration."""


@pytest.mark.parametrize("act", ACTS)
def test_a_key_that_is_nearly_known_refuses_what_acts(kit: Cli, act: str) -> None:
    file = ".specify/chant-mcp.yml" if act == "complete" else ".chant/config.md"
    if act == "complete":
        write(kit.project.root, file, "chek: {unit: [make]}\n")
    else:
        kit.project.config("chek: {unit: [make]}\n")
    before = {path: path.read_bytes() for path in kit.project.root.rglob("*.md")}
    said = kit.run(*ACTS[act])
    assert said.exit_code == 1
    for part in (f"`chek` in {file}:", "nearly `checks`", "chant-mcp config check"):
        assert part in " ".join(said.stderr.split())
    assert {path: path.read_bytes() for path in kit.project.root.rglob("*.md")} == before
    for reads in (("list",), ("status",), ("speckit", "next"), ("speckit", "tasks")):
        kit(*reads)


def test_the_api_is_refused_with_the_key_as_data(kit: Cli) -> None:
    root = kit.project.root
    write(root, ".specify/chant-mcp.yml", "\nchek: {}\n")
    session = Session(Place(root, (root,)), environment=dict(os.environ), user_config=user_config())
    with pytest.raises(ConfigError) as caught:
        session.speckit.complete("T001")
    named = {key: caught.value.details[key] for key in ("file", "line", "key", "nearest")}
    assert named == {"file": ".specify/chant-mcp.yml", "line": 2, "key": "chek", "nearest": "checks"}


def test_other_keys_refuse_nothing_and_completion_says_that_there_are_no_checks(kit: Cli) -> None:
    kit.project.config("weather: fine\nsite: {output: x}\n")
    write(kit.project.root, ".specify/chant-mcp.yml", "weather: fine\n")
    assert "\nNo checks are configured.\n" in kit("speckit", "complete", "T001")
    assert "\nNo checks are configured.\n" in kit("finalize", ID)
    kit.project.spec(ID, status="in_progress")
    kit.project.config("checks: {unit: [make]}\n")
    assert "\nNo criterion names a check.\n" in kit("finalize", ID)


def test_keys_of_earlier_releases_of_chant_are_notes_and_refuse_nothing(kit: Cli) -> None:
    kit.project.config(
        "silent: true\ngit: {}\ndefaults: {branch: false, pr: false}\nparallel: {total_max: 4}\n"
    )
    config_file = ".chant/config.md"
    keys = ["silent", "git", "defaults.branch", "defaults.pr", "parallel.total_max"]
    assert [(file, key, problem) for file, _, key, problem, _ in found(kit, 0)] == [
        (config_file, key, "no_effect") for key in keys
    ]
    assert "\nNo checks are configured.\n" in kit("finalize", ID)


def test_files_that_cannot_be_read_are_a_row_each_on_the_first_page(kit: Cli) -> None:
    root = kit.project.root
    for number in range(3):
        kit.project.write(f"2026-01-23-00{number}-bad", "---\nstatus: [\n---\n")
        kit.project.spec(f"2026-01-24-00{number}-abc")
        write(root, f"docs/CRs/AB-01{number}-bad.md", "").write_bytes(b"\xff\xfe")
        write(root, f"docs/CRs/AB-02{number}-a.md", f"---\ncode: AB-02{number}\nstatus: Approved\n---\n# A\n")
    session = Session(Place(root, (root,)), environment=dict(os.environ), user_config=user_config())
    session.recovers = False
    specs = {f".chant/specs/2026-01-23-00{number}-bad.md" for number in range(3)}
    tickets = {f"docs/CRs/AB-01{number}-bad.md" for number in range(3)}
    chant, desk = session.chant, session.tickets
    listings = [
        (specs, lambda offset: chant.spec_list(limit=1, offset=offset)),
        (specs, lambda offset: chant.ready(limit=1, offset=offset)),
        (specs, lambda offset: chant.search("", limit=1, offset=offset)),
        (specs, lambda offset: chant.lint(limit=1, offset=offset)),
        (tickets, lambda offset: desk.list_crs(limit=1, offset=offset)),
        (tickets, lambda offset: desk.ready(None, limit=1, offset=offset)),
        (specs | tickets, lambda offset: session.workspace.list(limit=1, offset=offset)),
        (specs | tickets, lambda offset: session.workspace.ready(limit=1, offset=offset)),
    ]
    for expected, listing in listings:
        first, second = listing(0).data, listing(1).data
        assert [one["path"] for one in first["problems"]] == sorted(expected)
        assert not second.get("problems")


CLASH = "<<<<<<< HEAD\n{ours}\n=======\n{theirs}\n>>>>>>> topic\n"


def clash(ours: str, theirs: str) -> str:
    return CLASH.format(ours=ours, theirs=theirs)


CLASHING = {
    f".chant/specs/{ID}.md": (
        f"---\ntype: code\n{clash('status: in_progress', 'status: completed')}---\n# A\n",
        ("finalize", ID),
    ),
    "plan.vine": (
        "vine 1.2.0\n---\n" + clash("[a] One (planning)", "[a] One (complete)") + "Text.\n",
        ("vine", "set", "plan.vine", "a", "started"),
    ),
    "specs/001-a/tasks.md": (
        "# Tasks\n\n" + clash("- [ ] T001 Create", "- [x] T001 Create"),
        ("speckit", "complete", "T001"),
    ),
    "docs/CRs/AB-001-a.md": (
        "---\ncode: AB-001\nstatus: Approved\n---\n\n# A\n\n" + clash("One", "Two"),
        ("tickets", "status", "AB-001", "In Progress"),
    ),
}
"""Documents with two versions, and what would change each."""


@pytest.mark.parametrize("path", CLASHING)
def test_a_document_with_two_versions_is_a_problem_and_stays_as_it_is(kit: Cli, path: str) -> None:
    text, change = CLASHING[path]
    document = write(kit.project.root, path, text)
    line = text.splitlines().index("<<<<<<< HEAD") + 1
    for listing in ("list", "ready"):
        answer = kit.json(listing)
        assert path not in [item["path"] for item in answer["items"]]
        (problem,) = (one for one in answer["problems"] if one["path"] == path)
        assert "conflict markers" in problem["message"]
        assert f"{line}, {line + 2} and {line + 4}" in problem["message"]
    said = kit.run(*change)
    assert said.exit_code == 1
    assert "conflict markers" in " ".join(said.stderr.split())
    assert document.read_text(encoding="utf-8") == text
    if path.endswith("tasks.md"):
        (feature,) = kit.json("speckit", "features")
        assert feature["progress"] is None
        assert "conflict markers" in feature["problem"]


def test_an_underlined_heading_and_markers_in_a_fence_are_no_versions(kit: Cli) -> None:
    text = f"Title\n=======\n\n```\n{clash('One', 'Two')}```\n"
    kit.project.spec(ID, body=text)
    write(kit.project.root, "specs/001-a/tasks.md", f"{TASKS}\n{text}")
    write(kit.project.root, "docs/CRs/AB-001-a.md", f"---\ncode: AB-001\nstatus: Approved\n---\n\n{text}")
    answer = kit.json("list")
    assert not answer.get("problems")
    assert {item["dialect"] for item in answer["items"]} == {"chant", "vine", "speckit", "tickets"}


def test_no_change_writes_conflict_markers(kit: Cli) -> None:
    root = kit.project.root
    session = Session(Place(root, (root,)), environment=dict(os.environ), user_config=user_config())
    session.recovers = False
    text = clash("One", "Two")
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    for change in (
        lambda: session.chant.spec_update(ID, output=text),
        lambda: session.tickets.manage_cr_sections(None, "AB-001", "append", section="A", content=text),
        lambda: session.tickets.create_cr(None, "Bug Fix", {"title": "B", "content": text}),
    ):
        with pytest.raises(Exception, match="conflict markers"):
            change()
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before


def test_a_configuration_with_two_versions_cannot_be_read(kit: Cli) -> None:
    root = kit.project.root
    kit.project.config(clash("checks: {a: [make]}", "checks: {}"))
    write(root, ".specify/chant-mcp.yml", clash("strict: {}", "checks: {}"))
    write(root, ".mdt-config.toml", '[project]\ncode = "AB"\n' + clash("name = 'a'", "name = 'b'"))
    kinds = {(file, line): kind for file, line, _, kind, _ in found(kit, 1)}
    assert kinds == {
        (".chant/config.md", 2): "unreadable",
        (".specify/chant-mcp.yml", 1): "unreadable",
        (".mdt-config.toml", 3): "unreadable",
    }
    for words in (("speckit", "complete", "T001"), ("finalize", ID)):
        assert "conflict markers" in " ".join(kit.error(*words).split())
