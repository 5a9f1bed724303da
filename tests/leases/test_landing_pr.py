"""Work that lands by requests which others merge, and the fence in front of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.kit import Cli, read_data
from leases.clones import TARGET, LeaseClone, SharedProject
from leases.remotes import Remote, run_git
from work.kit import ID, OTHER, PROGRAM, wait_for

BRANCH = f"refs/heads/chant/{ID}"
LEASE = f"refs/chant/leases/{ID}"
ADDRESS = "https://host.example/requests/1"
GUIDE = Path(__file__).parents[2] / "docs/guide/several-people-requests.md"

SETTINGS = (
    "leases: {{remote: origin, beat: 60s, ttl: 5m, push_interval: 200ms, landing: pr, propose: {propose}}}\n"
)

# Leaves its arguments, and the variables that it was given, beside itself.
_STAND_IN = """\
#!/bin/sh
here=$(dirname "$0")
printf '%s\\n' "$0" "$@" > "$here/arguments"
env > "$here/environment"
pwd > "$here/folder"
echo "Creating a request" >&2
echo "Warning: nothing"
{rest}
"""

MakeRemote = Callable[..., Remote]


class Host:
    """Programs that stand in for those of a host, on the PATH."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Put `gh` and `glab` there; they print the address of a request."""
        self.folder = folder
        folder.mkdir()
        path = f"{folder}:{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
        monkeypatch.setenv("PATH", path)
        for name in ("gh", "glab"):
            self.write(name, f"echo {ADDRESS}")

    def write(self, name: str, rest: str) -> None:
        """Write a program: what it does when it has left its arguments."""
        program = self.folder / name
        program.write_text(_STAND_IN.format(rest=rest), encoding="utf-8")
        program.chmod(0o755)

    def arguments(self) -> str:
        """Give the arguments of the last call, a line each."""
        return (self.folder / "arguments").read_text("utf-8")

    def environment(self) -> str:
        """Give the variables of the last call."""
        return (self.folder / "environment").read_text("utf-8")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    """The programs of a host."""
    return Host(tmp_path / "host", monkeypatch)


@pytest.fixture
def shared(tmp_path: Path, make_remote: MakeRemote, host: Host) -> SharedProject:
    """A project whose work is proposed by `gh`, with one spec."""
    assert host.folder.exists()
    return SharedProject(tmp_path, make_remote(), SETTINGS.format(propose=of_guide("gh")))


def of_guide(program: str, setting: str = "propose") -> str:
    """Give the command that the guide has for a program, as the configuration writes it."""
    text = GUIDE.read_text("utf-8")
    commands: list[str] = re.findall(rf"^  {setting}: (\[.*\])$", text, re.MULTILINE)
    (command,) = [argv for argv in commands if argv.startswith(f"[{program},")]
    return command


def proposed(shared: SharedProject) -> LeaseClone:
    """Have a clone work on the spec until its work is proposed."""
    shared.publish([ID])
    clone = shared.clone()
    clone.start(ID)
    record = clone.ended(ID)
    assert (record["end_state"], record["reason"]) == ("awaiting_merge", ADDRESS), record
    return clone


def test_waiting_for_work_that_is_proposed_ends_well(
    shared: SharedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared.publish([ID, OTHER])
    clone = shared.clone()
    monkeypatch.chdir(clone.root)
    cli = Cli(clone.project)
    cli("work", ID, "--wait")
    (run,) = clone.handle().work_list(include_completed=True).data["processes"]
    assert (run["end_state"], run["proposed"]) == ("awaiting_merge", True)
    cli("work", "--all", "--wait")
    assert {clone.record(id)["end_state"] for id in (ID, OTHER)} == {"awaiting_merge"}


def merge_as(clone: Path, how: str) -> None:
    """Merge the request as hosts do, and push the target."""
    run_git(clone, "fetch", "-q", "origin")
    run_git(clone, "checkout", "-q", "-B", "main", "origin/main")
    request = f"origin/chant/{ID}"
    if how == "squash":
        run_git(clone, "merge", "-q", "--squash", request)
        run_git(clone, "commit", "-q", "-m", "One commit (#1)")
    elif how == "rebase":
        run_git(clone, "checkout", "-q", "-B", "request", request)
        run_git(clone, "rebase", "-q", "main")
        run_git(clone, "checkout", "-q", "main")
        run_git(clone, "merge", "-q", "--ff-only", "request")
    else:
        run_git(clone, "merge", "-q", "--no-ff", "-m", "Merge request #1", request)
    run_git(clone, "push", "-q", "origin", "main")


def test_proven_work_becomes_a_request(
    shared: SharedProject, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GH_TOKEN", "of-the-host")
    monkeypatch.setenv("OTHER_TOKEN", "of-another")
    clone = proposed(shared)
    record = clone.record(ID)
    refs = shared.remote.refs()
    lease = shared.lease(ID)
    assert (lease["state"], lease["commit"], lease["request"]) == ("proposed", refs[BRANCH], ADDRESS)
    assert [BRANCH in push.refs and LEASE in push.refs for push in shared.remote.pushes()].count(True) == 1
    assert shared.completions(ID) == 0
    text = shared.shown(BRANCH, f".chant/specs/{ID}.md")
    assert "status: completed" in text
    assert f'run_token: "{record["token"]}"' in text
    assert record["lease"]["proposal"] == {"commit": refs[BRANCH], "request": ADDRESS}

    given = host.arguments().splitlines()
    words = ["pr", "create", "--head", f"chant/{ID}", "--base", "main", "--title", f"Spec {ID}", "--body"]
    assert given[:10] == [f"{host.folder}/gh", *words]
    assert {f"Spec: {ID}", "Run token: 1", f"Lease: {LEASE} on origin"} < set(given)
    assert "GH_TOKEN=of-the-host" in host.environment()
    assert "OTHER_TOKEN" not in host.environment()
    assert (host.folder / "folder").read_text("utf-8").strip() == str(clone.root)


@pytest.mark.parametrize("how", ["squash", "rebase", "merge"])
def test_what_others_merge_has_landed(shared: SharedProject, tmp_path: Path, how: str) -> None:
    clone = proposed(shared)
    other = shared.remote.clone(tmp_path / "other")
    (other / "news.txt").write_text("Meanwhile\n", encoding="utf-8")
    run_git(other, "add", "-A")
    run_git(other, "commit", "-q", "-m", "Other work")
    run_git(other, "push", "-q", "origin", "main")
    merge_as(other, how)
    if how == "squash":  # hosts remove the branch
        shared.remote.write_ref(BRANCH, None)
        # The clone that looks first moves the lease.
        third = shared.clone()
        third.project.path(ID).write_text(third.project.text(ID).replace("completed", "pending"), "utf-8")
        assert "is completed on the remote already" in third.refused(ID)
        lease = shared.lease(ID)
        assert (lease["state"], lease["request"]) == ("landed", ADDRESS)
    assert clone.handle().merge(ID).text == f"Merged the work on '{ID}': it is completed"
    record = clone.record(ID)
    tip = shared.remote.refs()[TARGET]
    assert (record["end_state"], record["reason"]) == ("completed", None)
    assert clone.tip() == tip
    assert clone.git("status", "--short") == ""
    assert clone.branches() == []
    wait_for(lambda: shared.lease(ID)["state"] == "landed", lambda: str(shared.lease(ID)))
    assert shared.lease(ID)["commit"] == tip


def test_a_second_request_for_one_spec_conflicts(shared: SharedProject, tmp_path: Path) -> None:
    proposed(shared)
    first = shared.remote.refs()[BRANCH]
    run_git(shared.remote.folder, "branch", "first", first)
    shared.write_lease(ID, state="free")
    second = shared.clone()
    second.start(ID)
    assert second.ended(ID)["end_state"] == "awaiting_merge"
    newest = shared.remote.refs()[BRANCH]
    other = shared.remote.clone(tmp_path / "other")
    run_git(other, "merge", "-q", "--squash", "origin/first")
    run_git(other, "commit", "-q", "-m", "The first")
    assert tried(other, "merge", newest).returncode == 1
    assert f"UU .chant/specs/{ID}.md" in run_git(other, "status", "--short")

    checkout = shared.remote.clone(tmp_path / "ci")
    report = fenced(checkout, 1, first)["specs"]
    assert [(spec["spec_id"], spec["token"], spec["passes"]) for spec in report] == [(ID, 1, False)]
    assert "the newest is token 2" in report[0]["why"]
    assert fenced(checkout, 0, newest)["passes"]


def test_work_that_acts_is_not_pushed(shared: SharedProject) -> None:
    shared.publish([ID], targets=[".github/workflows/ci.yml"])
    clone = shared.clone()
    clone.start(ID)
    record = clone.ended(ID)
    assert record["end_state"] == "needs_attention"
    assert record["reason"].startswith("changes what runs by itself: ")
    assert BRANCH not in shared.remote.refs()


def test_a_command_that_fails_leaves_the_lease(
    tmp_path: Path, make_remote: MakeRemote, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITLAB_TOKEN", "very-secret")
    host.write("glab", 'echo "cannot log in with $GITLAB_TOKEN" >&2; exit 4')
    shared = SharedProject(tmp_path, make_remote(), SETTINGS.format(propose=of_guide("glab")))
    shared.publish([ID])
    clone = shared.clone()
    clone.start(ID)
    record = clone.ended(ID)
    assert record["end_state"] == "needs_attention"
    assert "exit code 4" in record["reason"]
    assert "cannot log in with ***" in record["reason"]
    assert "very-secret" not in json.dumps(record) + clone.log(ID)
    lease = shared.lease(ID)
    assert (lease["state"], lease["commit"]) == ("proposed", shared.remote.refs()[BRANCH])

    host.write("glab", f"echo {ADDRESS}")
    with pytest.raises(Exception, match=re.escape(ADDRESS)):
        clone.handle().merge(ID)
    assert clone.record(ID)["end_state"] == "awaiting_merge"
    assert shared.lease(ID)["request"] == ADDRESS
    given = host.arguments().splitlines()
    words = ["mr", "create", "--source-branch", f"chant/{ID}", "--target-branch", "main"]
    assert (given[:7], given[-1]) == ([f"{host.folder}/glab", *words], "--yes")


def test_a_closed_request_goes_on_in_its_branch(shared: SharedProject, host: Host) -> None:
    clone = proposed(shared)
    first = shared.remote.refs()[BRANCH]
    clone.handle().work_start(ID)
    record = clone.ended(ID)
    assert (record["end_state"], record["token"], record["branch"]) == ("awaiting_merge", 2, f"chant/{ID}")
    newest = shared.remote.refs()[BRANCH]
    assert newest != first
    assert "Run token: 2" in host.arguments()

    shared.remote.write_ref(BRANCH, None)
    with pytest.raises(Exception, match="closed without being merged"):
        clone.handle().merge(ID)
    record = clone.record(ID)
    assert record["end_state"] == "needs_attention"
    assert ADDRESS in record["reason"]
    assert clone.project.status(ID) == "needs_attention"


_SEEN = f'case "$2" in create) echo {ADDRESS};; view) cat "$here/state";; esac'
"""What a host's program does that opens requests and says what became of them."""


@pytest.mark.parametrize(
    ("program", "arguments", "is_open", "then", "said"),
    [
        (
            "gh",
            ["pr", "view", ADDRESS, "--json", "state,reviewDecision"],
            '{"reviewDecision":"","state":"OPEN"}',
            '{"reviewDecision":"","state":"CLOSED"}',
            "was closed without being merged",
        ),
        (
            "glab",
            ["mr", "view", f"chant/{ID}", "--output", "json"],
            '{"detailed_merge_status":"mergeable","state":"opened"}',
            '{"detailed_merge_status":"requested_changes","state":"opened"}',
            "changes are asked for",
        ),
    ],
)
def test_what_the_host_says_of_a_request_needs_attention(
    tmp_path: Path,
    make_remote: MakeRemote,
    host: Host,
    program: str,
    arguments: list[str],
    is_open: str,
    then: str,
    said: str,
) -> None:
    commands = f"{of_guide(program)}, look: {of_guide(program, 'look')}"
    shared = SharedProject(tmp_path, make_remote(), SETTINGS.format(propose=commands))
    host.write(program, _SEEN)
    state = host.folder / "state"
    state.write_text(is_open, encoding="utf-8")
    clone = proposed(shared)
    with pytest.raises(Exception, match=re.escape(ADDRESS)):
        clone.handle().merge(ID)
    assert clone.record(ID)["end_state"] == "awaiting_merge"
    assert host.arguments().splitlines() == [f"{host.folder}/{program}", *arguments]
    state.write_text(then, encoding="utf-8")
    clone.handle().recover()
    assert clone.record(ID)["end_state"] == "awaiting_merge", "it was asked within a beat"
    with pytest.raises(Exception, match=said):
        clone.handle().merge(ID)
    record = clone.record(ID)
    assert record["end_state"] == "needs_attention"
    assert ADDRESS in record["reason"]
    assert BRANCH in shared.remote.refs()


def test_a_takeover_of_proposed_work_moves_its_branch_first(shared: SharedProject) -> None:
    clone = proposed(shared)
    proposal = shared.remote.refs()[BRANCH]
    other = shared.clone()
    other.handle().takeover(ID, force=True, from_clone=True)
    refs = shared.remote.refs()
    assert refs[BRANCH] == refs[TARGET]
    assert refs[f"refs/chant/runs/{ID}/1"] == proposal
    pushes = [push.refs for push in shared.remote.pushes() if LEASE in push.refs]
    assert BRANCH in pushes[-1], "in one push with the lease"
    assert (shared.lease(ID)["state"], shared.lease(ID)["token"]) == ("held", 2)
    with pytest.raises(Exception, match="Overtaken"):
        clone.handle().merge(ID)
    assert shared.remote.refs() == refs


def test_a_foreign_push_to_the_branch_of_a_request_is_not_overwritten(
    shared: SharedProject, tmp_path: Path
) -> None:
    clone = proposed(shared)
    reviewer = shared.remote.clone(tmp_path / "reviewer")
    run_git(reviewer, "checkout", "-q", f"chant/{ID}")
    run_git(reviewer, "commit", "-q", "--allow-empty", "-m", "A word of the reviewer")
    run_git(reviewer, "push", "-q", "origin", f"chant/{ID}")
    foreign = shared.remote.refs()[BRANCH]
    clone.handle().work_start(ID)
    record = clone.ended(ID)
    assert record["end_state"] == "needs_attention"
    assert foreign in record["reason"]
    assert "Take that commit into your own branch" in record["reason"]
    assert shared.remote.refs()[BRANCH] == foreign


def test_the_fence_says_in_words_what_passes(shared: SharedProject, tmp_path: Path) -> None:
    proposed(shared)
    checkout = shared.remote.clone(tmp_path / "ci")
    passing = said_by_fence(checkout, 0, f"origin/chant/{ID}")
    assert ID in passing
    shared.write_lease(ID, token=2)
    refused = said_by_fence(checkout, 1, f"origin/chant/{ID}")
    assert ID in refused
    assert "the newest is token 2" in refused


def test_the_fence_believes_the_target_alone(shared: SharedProject, tmp_path: Path) -> None:
    proposed(shared)
    group = shared.remote.clone(tmp_path / "group")
    run_git(group, "merge", "-q", "--squash", f"origin/chant/{ID}")
    run_git(group, "commit", "-q", "-m", "A group")
    assert fenced(group, 1)["passes"] is False
    assert fenced(group, 0, "--merge-group")["passes"]
    spec = group / ".chant" / "specs" / f"{ID}.md"
    spec.write_text(spec.read_text("utf-8") + "More\n", encoding="utf-8")
    run_git(group, "commit", "-q", "-a", "-m", "Another text")
    assert fenced(group, 1, "--merge-group")["passes"] is False

    checkout = tmp_path / "ci"
    branch = f"--branch=chant/{ID}"
    run_git(tmp_path, "clone", "-q", "--depth=1", branch, f"file://{shared.remote.folder}", str(checkout))
    report = fenced(checkout, 0)
    assert (report["target"], report["specs"][0]["passes"]) == ("origin/main", True)

    config = checkout / ".chant" / "config.md"
    config.write_text(
        config.read_text("utf-8").replace("origin,", "origin, namespace: refs/forged,"), "utf-8"
    )
    run_git(checkout, "commit", "-q", "-a", "-m", "Forged")
    forged = run_git(checkout, "rev-parse", "HEAD").strip()
    run_git(checkout, "push", "-q", "origin", f"HEAD:refs/heads/chant/{ID}")
    old = shared.remote.git("log", "-1", "--format=%s", LEASE)
    tree = shared.remote.git("hash-object", "-t", "tree", "-w", "/dev/null")
    line = json.dumps({**json.loads(old), "commit": forged})
    forged_lease = shared.remote.git("commit-tree", "-m", line, tree)
    shared.remote.write_ref(f"refs/forged/leases/{ID}", forged_lease)
    (spec,) = fenced(checkout, 1)["specs"]
    assert forged in spec["why"]


def tried(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run git, which may fail."""
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False)


def fenced(folder: Path, code: int, *words: str) -> dict[str, Any]:
    """Run the fence as CI does, where no folder is trusted, and give its report."""
    return read_data(said_by_fence(folder, code, "--json", *words))


def said_by_fence(folder: Path, code: int, *words: str) -> str:
    """Run the fence as CI does, and give what it prints."""
    command = [*PROGRAM, "fence", *words]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder / "none")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout
