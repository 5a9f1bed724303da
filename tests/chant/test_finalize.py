"""chant_finalize: a spec is completed on evidence that is there (seed; reference chant 5.11; decisions)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
from writing import ID, OTHER, Wire, changed, commit, git, tree, untouched

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from harness import Caller, Project

pytestmark = pytest.mark.anyio

FILE = f".chant/specs/{ID}.md"
BRANCH = f"chant/{ID}"
CRITERIA = "# Work\n\n## Acceptance Criteria\n\n- [x] one\n- [ ] two\n- [ ] three"


def finalized(project: Project, id: str = ID, /, **arguments: Any) -> str:
    """Finalize and give the answer."""
    environment = arguments.pop("environment", {})
    return ChantProject(project.root, environment=environment).finalize(id, **arguments).text


def refused(project: Project, id: str = ID, /, **arguments: Any) -> str:
    """Give the words of a refusal that leaves every file as it was."""
    before = tree(project.root)
    with pytest.raises(ChantError) as error:
        ChantProject(project.root).finalize(id, **arguments)
    assert tree(project.root) == before
    return str(error.value)


def key(project: Project, name: str, id: str = ID) -> Any:
    return ChantProject(project.root).spec_get(id).data[name]


@pytest.mark.parametrize("status", ["in_progress", "completed", "failed"])
@pytest.mark.requirement("chant:finalize:marks_a_spec_completed")
async def test_work_by_hand_is_finalized_outside_git_too(call: Caller, status: str) -> None:
    before = call.project.spec(ID, status=status, owner="ada").read_bytes()
    start = datetime.now(timezone.utc).replace(microsecond=0)
    result = await call("chant_finalize", id="001")
    assert not result.is_error
    assert result.structured_content is None
    text = await call.text("chant_finalize", id=ID)
    after = call.project.path(ID).read_bytes()
    assert call.project.status(ID) == "completed"
    first, *rest = text.splitlines()
    assert first == f"Finalized spec: {ID}"
    assert re.search(r"commits?\b.*\bnone|no .*commits?", "\n".join(rest), re.I), (
        "it says that there are none"
    )
    lines = changed(before, after)
    stamps = [line.removeprefix("+completed_at: ") for line in lines if "completed_at" in line]
    assert len(stamps) == 1
    stamp = stamps[0].strip("'\"")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stamp)
    moment = datetime.fromisoformat(stamp.replace("Z", "+00:00"))
    assert start <= moment <= datetime.now(timezone.utc) + timedelta(seconds=1)
    others = [line for line in lines if "completed_at" not in line]
    assert others == ([] if status == "completed" else [f"-status: {status}", "+status: completed"])


@pytest.mark.requirement("chant:finalize:refuses_open_criteria")
@pytest.mark.parametrize("arguments", [{}, {"force": True}], ids=["", "force"])
async def test_open_criteria_refuse_even_with_force(call: Caller, arguments: dict[str, Any]) -> None:
    before = call.project.spec(ID, status="in_progress", body=CRITERIA).read_bytes()
    call.project.log(ID, "worked\n")
    error = await call.error("chant_finalize", id=ID, **arguments)
    assert error.splitlines()[0] == (
        f"Spec '{ID}' has 2 unchecked acceptance criteria. All criteria must be checked before finalization."
    )
    assert call.project.path(ID).read_bytes() == before
    await call.text("chant_spec_update", id=ID, check=["two", "three"])
    await call.text("chant_finalize", id=ID, **arguments)
    assert call.project.text(ID).count("[x]") == 3


HIDDEN = {
    "nested": "## Acceptance Criteria\n\n- [x] a\n  - [ ] b",
    "other bullet": "## Acceptance Criteria\n\n* [x] a\n+ [ ] b",
    "first of two": "## Acceptance Criteria\n\n- [ ] a\n\n## More\n\n## Acceptance Criteria\n\n- [x] b",
    "deeper heading": "### Acceptance Criteria\n\n- [ ] a",
    "sub-heading": "## Acceptance Criteria\n\n- [x] a\n\n### Also\n\n- [ ] b",
}


@pytest.mark.parametrize("where", HIDDEN)
@pytest.mark.requirement("chant:finalize:refuses_open_criteria")
def test_an_open_criterion_is_found_wherever_it_stands(project: Project, where: str) -> None:
    project.spec(ID, status="in_progress", body=f"# Work\n\n{HIDDEN[where]}")
    assert refused(project).startswith(f"Spec '{ID}' has 1 unchecked acceptance criteria.")


@pytest.mark.parametrize(
    ("status", "name"),
    [
        ("pending", "Pending"),
        ("paused", "Paused"),
        ("needs_attention", "NeedsAttention"),
        ("ready", "Ready"),
        ("blocked", "Blocked"),
        ("cancelled", "Cancelled"),
    ],
)
async def test_another_status_is_refused_and_named(call: Caller, status: str, name: str) -> None:
    waits = [OTHER] if status == "blocked" else None
    before = call.project.spec(ID, status=status, depends_on=waits).read_bytes()
    for force in (False, True):
        error = await call.error("chant_finalize", id=ID, force=force)
        assert error.splitlines()[0] == (
            f"Spec '{ID}' must be in_progress, completed, or failed to finalize. Current status: {name}"
        )
    assert call.project.path(ID).read_bytes() == before


def worktree(project: Project, branch: str = BRANCH) -> Any:
    path = project.root.parent / "worktree"
    project.git("worktree", "add", "-q", "-b", branch, str(path))
    return path


@pytest.mark.parametrize("dirt", ["untracked", "modified", "staged", "deleted"])
@pytest.mark.parametrize("names_it", [True, False])
def test_uncommitted_changes_in_the_specs_worktree_refuse(
    project: Project, dirt: str, names_it: bool
) -> None:
    branch = "feature/x" if names_it else BRANCH
    project.spec(ID, status="in_progress", branch=branch if names_it else None)
    (project.root / "code.txt").write_text("old\n", encoding="utf-8")
    project.repository()
    path = worktree(project, branch)
    if dirt == "deleted":
        (path / "code.txt").unlink()
    else:
        (path / ("new.txt" if dirt == "untracked" else "code.txt")).write_text("new\n", encoding="utf-8")
    if dirt == "staged":
        git(path, "add", "-A")
    status = git(path, "status", "--porcelain")
    for force in (False, True):
        error = refused(project, force=force)
        words = (
            "Failed to finalize spec: Cannot finalize: uncommitted changes in worktree. "
            "Commit your changes first."
        )
        assert error.splitlines()[0].startswith(words)
        assert str(path) in error
    assert git(path, "status", "--porcelain") == status


@pytest.mark.parametrize(
    "case", ["clean", "ignored files", "another branch's", "main checkout", "folder gone"]
)
def test_other_changes_do_not_refuse(project: Project, case: str) -> None:
    project.spec(ID, status="in_progress")
    (project.root / ".gitignore").write_text("*.log\n", encoding="utf-8")
    (project.root / "code.txt").write_text("old\n", encoding="utf-8")
    project.repository()
    path = worktree(project, "feature/other" if case == "another branch's" else BRANCH)
    if case == "ignored files":
        (path / "out.log").write_text("x", encoding="utf-8")
    elif case == "another branch's":
        (path / "code.txt").write_text("new", encoding="utf-8")
    elif case == "folder gone":
        path.rename(path.with_name("elsewhere"))
    (project.root / "code.txt").write_text("mine\n", encoding="utf-8")
    (project.root / "staged.txt").write_text("mine\n", encoding="utf-8")
    project.git("add", "staged.txt")
    with untouched(project.root, but=[FILE]):
        finalized(project)
    assert project.status(ID) == "completed"


MEMBERS = [
    ({".1": "completed", ".2": "pending", ".10": "failed"}, [".2", ".10"]),
    ({".1": "in_progress"}, [".1"]),
    ({".1": "completed", ".1.1": "pending"}, [".1.1"]),
    ({".1": "paused", ".2": "needs_attention", ".3": "ready", ".4": "blocked"}, [".1", ".2", ".3", ".4"]),
]


@pytest.mark.parametrize(("members", "open_"), MEMBERS, ids=str)
def test_open_members_refuse_and_are_named_in_order(
    project: Project, members: dict[str, str], open_: list[str]
) -> None:
    project.spec(ID, type="driver", status="in_progress")
    for number, status in members.items():
        project.spec(f"{ID}{number}", status=status)
    names = ", ".join(f"{ID}{number}" for number in open_)
    words = (
        f"Failed to finalize spec: Cannot complete driver spec '{ID}' "
        f"while {len(open_)} member spec(s) are incomplete: {names}"
    )
    assert refused(project).splitlines()[0] == words
    assert refused(project, force=True).splitlines()[0] == words


def test_a_driver_whose_members_are_done_is_finalized(project: Project) -> None:
    project.spec(ID, type="driver", status="in_progress")
    project.spec(f"{ID}.1", status="completed")
    project.spec(f"{ID}.2", status="cancelled")
    finalized(project)
    assert project.status(ID) == "completed"


def test_a_config_that_cannot_be_read_refuses_in_its_own_words(project: Project) -> None:
    """Only the texts of steps 4 to 7 have the prefix, and the configuration is step 3."""
    project.spec(ID, status="in_progress")
    project.config("defaults: [\n")
    assert refused(project).startswith("Failed to load config: ")


async def test_commits_with_the_tag_are_listed_oldest_first(call: Caller) -> None:
    call.project.spec(ID, status="in_progress")
    call.project.repository()
    root = call.project.root
    shorts = []
    for message in ("first", "second", "third"):
        commit(root, f"chant({ID}): {message}")
        shorts.append(git(root, "log", "-1", "--format=%h").strip())
        commit(root, f"Unrelated {message}")
    text = await call.text("chant_finalize", id=ID)
    assert (await call.data("chant_spec_get", id=ID))["commits"] == shorts
    assert [word for word in re.findall(r"[0-9a-f]{7,}", text.partition("\n")[2]) if word in shorts] == shorts


OTHERS_TAGS = [
    f"chant({ID}.1): a member's",
    f"chant(x{ID}): longer",
    f"chant({ID[:-1]}): shorter",
    f"chant({ID.upper()}): other case",
    f"chant({ID}) no colon",
    f"{ID}: no tag",
    f"chant( {ID} ): blanks",
]


def test_only_the_specs_own_tag_counts(project: Project) -> None:
    project.spec(ID, status="in_progress")
    project.repository()
    for message in OTHERS_TAGS:
        commit(project.root, message)
    own = [
        commit(project.root, f"chant({ID}): own"),
        commit(project.root, f"Merge it\n\nchant({ID}): in the text"),
    ]
    finalized(project)
    found = key(project, "commits")
    assert [full.startswith(short) for full, short in zip(own, found, strict=True)] == [True, True]


def test_a_dot_in_an_id_is_a_dot(project: Project) -> None:
    project.spec("a.b", status="in_progress")
    project.repository()
    commit(project.root, "chant(axb): another")
    finalized(project, "a.b")
    assert not key(project, "commits", "a.b")


@pytest.mark.parametrize("length", [None, "12", "5"])
def test_hashes_are_as_short_as_git_prints_them(project: Project, length: str | None) -> None:
    project.spec(ID, status="in_progress")
    project.repository()
    if length:
        project.git("config", "core.abbrev", length)
    for number in range(30):
        commit(project.root, f"filler {number}")
    commit(project.root, f"chant({ID}): work")
    expected = project.git("log", "--oneline", "-1").split()[0]
    finalized(project)
    assert key(project, "commits") == [expected]


BRANCHES = [
    # branch named, commits with the tag on it, on HEAD, which are taken
    (True, 2, 1, "branch"),
    (True, 0, 1, "head"),
    (False, 2, 1, "head"),
    (False, 2, 0, "none"),
    (True, 0, 0, "none"),
]


@pytest.mark.parametrize(("names_it", "on_branch", "on_head", "taken"), BRANCHES)
def test_commits_come_from_the_branch_when_it_has_any(
    project: Project, names_it: bool, on_branch: int, on_head: int, taken: str
) -> None:
    project.spec(ID, status="in_progress", branch="feature/x" if names_it else None)
    project.repository()
    project.git("checkout", "-qb", "feature/x")
    branch = [commit(project.root, f"chant({ID}): branch {number}") for number in range(on_branch)]
    project.git("checkout", "-q", "main")
    head = [commit(project.root, f"chant({ID}): head {number}", "other.txt") for number in range(on_head)]
    expected = {"branch": branch, "head": head, "none": []}[taken]
    with untouched(project.root, but=[FILE]):
        finalized(project)
    found = key(project, "commits") or []
    assert len(found) == len(expected)
    assert all(full.startswith(short) for full, short in zip(expected, found, strict=True))


@pytest.mark.parametrize("state", ["branch gone", "detached", "unborn", "merged"])
def test_unusual_histories_are_read(project: Project, state: str) -> None:
    project.spec(ID, status="in_progress", branch="feature/x" if state != "detached" else None)
    if state == "unborn":
        project.git("init", "-q", "-b", "main")
        finalized(project)
        assert project.status(ID) == "completed"
        return
    project.repository()
    first = commit(project.root, f"chant({ID}): first")
    expected = [first]
    if state == "detached":
        project.git("checkout", "-q", "--detach")
    if state == "merged":
        project.git("checkout", "-qb", "feature/y")
        expected.append(commit(project.root, f"chant({ID}): second", "b.txt"))
        project.git("checkout", "-q", "main")
        commit(project.root, "Other", "c.txt")
        project.git("merge", "-q", "--no-ff", "-m", "Merge", "feature/y")
    finalized(project)
    found = key(project, "commits")
    assert [full.startswith(short) for full, short in zip(expected, found, strict=True)] == [True] * len(
        expected
    )


MODELS = [
    ({"CHANT_MODEL": "gpt-5", "ANTHROPIC_MODEL": "gpt-6"}, "gpt-7", None, "gpt-5"),
    ({"ANTHROPIC_MODEL": "gpt-6"}, "gpt-7", None, "gpt-6"),
    ({"CHANT_MODEL": "", "ANTHROPIC_MODEL": "gpt-6"}, "gpt-7", None, "gpt-6"),
    ({}, "gpt-7", None, "gpt-7"),
    ({}, None, None, None),
    ({"CHANT_MODEL": "gpt-5"}, "gpt-7", "o3", "o3"),
    ({}, None, "Claude-Opus-4", "opus"),
    ({"CHANT_MODEL": "claude-sonnet-4-5"}, None, None, "sonnet"),
]


@pytest.mark.parametrize(("environment", "default", "own", "model"), MODELS)
def test_a_model_is_filled_in_where_there_is_none(
    project: Project, environment: dict[str, str], default: str | None, own: str | None, model: str | None
) -> None:
    project.spec(ID, status="in_progress", model=own)
    if default:
        project.config(f"defaults:\n  model: {default}\n")
    finalized(project, environment=environment)
    assert key(project, "model") == model
    if own:
        assert f"\nmodel: {own}\n" in project.text(ID)


def test_finalizing_again_refreshes_the_record(project: Project) -> None:
    project.spec(ID, status="in_progress", model="o3")
    project.repository()
    commit(project.root, f"chant({ID}): first")
    finalized(project)
    first = key(project, "commits")
    old = project.text(ID)
    stamp = key(project, "completed_at")
    project.write(ID, old.replace(stamp, "2020-01-01T00:00:00Z"))
    commit(project.root, f"chant({ID}): second")
    finalized(project)
    commits = key(project, "commits")
    assert len(commits) == 2
    assert commits[:1] == first
    assert key(project, "completed_at") > "2026"
    assert project.status(ID) == "completed"
    assert key(project, "model") == "o3"


def test_exactly_the_documented_keys_are_written_in_their_places(project: Project) -> None:
    text = (
        "---\n# top\ntype: code\nstatus: 'in_progress' # now\nprompt: standard\nbranch: main\n# odd\n"
        "owner: ada\napproval:\n  required: false\nretry_state: {attempts: 1}\n---\n# Work\n\nstatus: x"
    )
    before = project.write(ID, text).read_bytes()
    project.repository()
    commit(project.root, f"chant({ID}): work")
    short = project.git("log", "-1", "--format=%h").strip()
    finalized(project, environment={"CHANT_MODEL": "gpt-5"})
    stamp = key(project, "completed_at")
    assert changed(before, project.path(ID).read_bytes()) == [
        "-status: 'in_progress' # now",
        "+status: 'completed' # now",
        "+commits:",
        f"+- {short}",
        f"+completed_at: {stamp}",
        "+model: gpt-5",
    ]


TRAILERS = [
    ("Co-authored-by: Claude <noreply@anthropic.com>", True),
    ("Co-Authored-By: Claude Opus 4 <x@example.org>", True),
    ("co-authored-by: GPT-5 <x@example.org>", True),
    ("Co-authored-by: GitHub Copilot <x@example.org>", True),
    ("Co-authored-by: Gemini <x@example.org>", True),
    ("Co-authored-by: Cursor <x@example.org>", True),
    ("Co-authored-by: Bot <bot@anthropic.com>", True),
    ("Co-authored-by: Bot <bot@openai.com>", True),
    ("Co-authored-by: Some AI <x@example.org>", True),
    ("Co-authored-by: Coding Assistant <x@example.org>", True),
    ("Co-authored-by: Grace <grace@example.org>", False),
    ("Co-authored-by: Bob Stone <bob@gmail.com>", False),
    ("Co-authored-by: Maya Aiken <maya@mail.example.org>", False),
    ("Signed-off-by: Claude <noreply@anthropic.com>", False),
    ("As Claude said, this works.", False),
    ("Reviewed-by: GPT <x@example.org>", False),
]


@pytest.mark.parametrize(("trailer", "is_agent"), TRAILERS)
def test_a_co_author_that_is_an_ai_asks_for_approval(project: Project, trailer: str, is_agent: bool) -> None:
    project.spec(ID, status="in_progress")
    project.config("approval:\n  require_approval_for_agent_work: true\n")
    project.repository()
    commit(project.root, f"chant({ID}): work\n\nSome text.\n\n{trailer}")
    commit(project.root, f"chant({OTHER}): work\n\nCo-authored-by: Claude <noreply@anthropic.com>")
    finalized(project)
    assert project.status(ID) == "completed"
    head = project.text(ID).split("---\n")[1]
    if is_agent:
        assert re.search(r"^approval:\n  required: true\n  status: pending$", head, re.M)
    else:
        assert "approval" not in head


APPROVALS = [
    ("", "approval:\n  required: true\n  status: pending\n"),
    ("approval:\n  required: false\n", "approval:\n  required: true\n  status: pending\n"),
    ("approval:\n  required: true\n", None),
    ("approval:\n  required: true\n  status: approved\n  by: ada\n  at: 2026-01-22T10:00:00Z\n", None),
    ("approval:\n  required: true\n  status: rejected\n  by: ada\n  at: 2026-01-22T10:00:00Z\n", None),
]


@pytest.mark.parametrize(("before", "after"), APPROVALS, ids=["none", "not required", "pending", "yes", "no"])
def test_what_people_decided_on_approval_is_kept(project: Project, before: str, after: str | None) -> None:
    """A spec that needed none so far needs it now; a decision of a person stays."""
    project.write(ID, f"---\nstatus: in_progress\n{before}---\n\n# Work\n")
    project.config("approval:\n  require_approval_for_agent_work: true\n")
    project.repository()
    commit(project.root, f"chant({ID}): work\n\nCo-authored-by: Claude <noreply@anthropic.com>")
    finalized(project)
    assert (before if after is None else after) in project.text(ID)


def test_without_the_setting_nobody_is_asked(project: Project) -> None:
    project.spec(ID, status="in_progress")
    project.repository()
    commit(project.root, f"chant({ID}): work\n\nCo-authored-by: Claude <noreply@anthropic.com>")
    finalized(project)
    assert "approval" not in project.text(ID)


async def test_nothing_of_the_users_repository_moves(call: Caller) -> None:
    call.project.spec(ID, status="in_progress", branch="feature/x")
    call.project.repository()
    root = call.project.root
    git(root, "checkout", "-qb", "feature/x")
    commit(root, f"chant({ID}): work")
    git(root, "checkout", "-qb", "mine", "main")
    (root / "kept.txt").write_text("stashed\n", encoding="utf-8")
    git(root, "stash", "push", "-q", "-u")
    (root / "staged.txt").write_text("staged\n", encoding="utf-8")
    git(root, "add", "staged.txt")
    (root / "staged.txt").write_text("and changed\n", encoding="utf-8")
    (root / "untracked.txt").write_text("untracked\n", encoding="utf-8")
    with untouched(root, but=[FILE]):
        await call.text("chant_finalize", id=ID)
        index = git(root, "diff", "--cached", "--name-only").split()
        assert index == ["staged.txt"], "the spec's change is not staged"
    assert call.project.status(ID) == "completed"


def test_the_criteria_of_main_decide_and_its_text_is_edited(project: Project) -> None:
    body = "# {0}\n\n## Acceptance Criteria\n\n- [{1}] one"
    project.spec(ID, status="in_progress", branch=BRANCH, body=body.format("Main", "x"))
    project.repository()
    project.git("checkout", "-qb", BRANCH)
    project.spec(ID, status="in_progress", branch=BRANCH, body=body.format("Branch", "x"), labels=["b"])
    project.git("commit", "-qam", f"chant({ID}): work")
    project.git("checkout", "-q", "main")
    finalized(project)
    text = project.text(ID)
    assert "# Main" in text
    assert "labels" not in text


@pytest.mark.parametrize("kind", ["reftable", "sha256", "partial clone", "shallow clone", "below the top"])
def test_commits_are_found_in_every_kind_of_repository(project: Project, kind: str) -> None:
    project.spec(ID, status="in_progress")
    root = project.root
    if kind in ("reftable", "sha256"):
        option = "--ref-format=reftable" if kind == "reftable" else "--object-format=sha256"
        git(root, "init", "-q", "-b", "main", option)
    elif kind == "below the top":
        git(root.parent, "init", "-q", "-b", "main")
    else:
        source = root.parent / "source"
        source.mkdir()
        git(source, "init", "-q", "-b", "main")
        git(source, "config", "uploadpack.allowFilter", "true")
        commit(source, f"chant({ID}): in the source")
        commit(source, "Later")
        how = "--filter=blob:none" if kind == "partial clone" else "--depth=1"
        git(root.parent, "clone", "-q", "--no-local", how, source.as_uri(), str(root.parent / "clone"))
        (root.parent / "clone" / ".git").rename(root / ".git")
    own = commit(root, f"chant({ID}): own")
    finalized(project)
    commits = key(project, "commits")
    assert own.startswith(commits[-1])
    assert len(commits) == (2 if kind == "partial clone" else 1)


def test_a_caller_inside_a_git_hook_gets_the_right_repository(
    project: Project, run_server: Callable[..., subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    project.spec(ID, status="in_progress")
    project.repository()
    own = commit(project.root, f"chant({ID}): own")
    other = project.root.parent / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    commit(other, f"chant({ID}): foreign")
    before = tree(other)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    wire = Wire(run_server(project.root))
    text = wire.text("chant_finalize", id=ID)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name)
    assert own[:7] in text
    assert tree(other) == before
