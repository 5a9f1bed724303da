"""How work becomes part of its target: merged, squashed or rewritten, signed, seen by the person's hooks."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from chant_mcp.errors import RefusedError
from work.kit import ID, OTHER, Record, Workshop
from writing import git

STYLES = ["merge", "squash", "rebase"]

SUBJECTS = {
    "merge": f"Merge chant/{ID}: Spec {ID}",
    "squash": f"Spec {ID} (chant/{ID})",
    "rebase": f"Complete chant/{ID}: Spec {ID}",
}
"""The first lines of the commits that are the person's."""

REWRITING = ["squash", "rebase"]
"""Those in which the agent's own commits do not land."""

ROBO = '--author="Robo <robo@example.org>" --date="2026-01-02T03:04:05 +0230"'

SCRIPT = f"""\
set -e
echo a > a.txt; git add -A; git commit -q {ROBO} -m "feat: first" -m "It has a body."
echo b > b.txt; git add -A; git commit -q {ROBO} -m "feat: second"
sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"; git commit -q -a -m "docs: tick"
"""

MEANWHILE = 'git -C "{root}" commit -q --allow-empty -m "Meanwhile"'


def agent(shop: Workshop, script: str = SCRIPT, more: str = "") -> None:
    """Have all work done by a script, under a configuration."""
    place = shop.root.parent / "agent.sh"
    place.write_text(script, encoding="utf-8")
    shop.configure(f"agents:\n  habit:\n    command: [sh, {place}]\n{more}", provider="habit")


def prepared(shop: Workshop, style: str, script: str = SCRIPT, more: str = "") -> str:
    """Make a project whose work lands in a style, and give its newest commit."""
    agent(shop, script, f"landing:\n  style: {style}\n{more}")
    shop.spec(ID)
    return shop.commit()


def done(shop: Workshop, id: str = ID) -> Record:
    """Have a spec worked on to its end."""
    shop.handle().work_start(id)
    return shop.ended(id)


def work(shop: Workshop, *words: str) -> subprocess.CompletedProcess[str]:
    """Call a command as a person does."""
    command = [sys.executable, "-m", "chant_mcp", *words]
    return subprocess.run(command, cwd=shop.root, capture_output=True, text=True, timeout=90)


def log(shop: Workshop, form: str, revisions: str = "main") -> list[str]:
    """Read commits, the oldest first."""
    return git(shop.root, "log", "--reverse", f"--format={form}", revisions, "--").splitlines()


def named(shop: Workshop, id: str = ID) -> list[str]:
    """Read the commits that a spec names."""
    return re.findall(r"""^- ["']?([0-9a-f]{7})["']?$""", shop.project.text(id), re.MULTILINE)


def check_sound(shop: Workshop, id: str = ID) -> None:
    """Check that a landing left a sound repository, a clean checkout, and a receipt that holds."""
    git(shop.root, "fsck", "--strict", "--no-dangling")
    # A conflict spec is a new file of a person's.
    changed = git(shop.root, "status", "--porcelain").splitlines()
    assert [line for line in changed if not re.fullmatch(r"\?\? .chant/specs/[^/]+\.md", line)] == []
    assert (shop.branches(), shop.worktrees()) == ([], [])
    (receipts,) = shop.handle().receipt_verify(id).data["specs"]
    assert receipts["verdict"] == "consistent", receipts
    assert shop.main(f".chant/specs/{id}.md") == shop.project.text(id)
    on_main = git(shop.root, "rev-list", "main").split()
    assert all(any(commit.startswith(name) for commit in on_main) for name in named(shop, id))
    assert set(shop.record(id)["merge"].get("landed", [])) <= set(on_main)
    diagnosis = shop.handle().diagnose(id).data
    assert all(check["passed"] for check in diagnosis["checks"]), diagnosis


def check_kept(shop: Workshop, record: Record) -> None:
    """Check that the agent's own commits are kept under the ref that the record names."""
    kept = git(shop.root, "rev-list", record["merge"]["kept"]).split()
    assert record["merge"]["kept"].startswith(f"refs/chant/landed/chant/{record['spec_id']}/")
    assert set(record["commits"]) <= set(kept)
    assert not set(record["commits"]) & set(git(shop.root, "rev-list", "main").split())


@pytest.mark.parametrize("moves", [False, True], ids=["still", "moved"])
@pytest.mark.parametrize("style", STYLES)
def test_work_lands_in_the_configured_style(shop: Workshop, style: str, moves: bool) -> None:
    more = "checks:\n  look: [test, -e, b.txt]\n"
    agent(shop, more=f"landing:\n  style: {style}\n{more}")
    shop.spec(ID, criteria=["Works <!-- check: look -->"])
    before = shop.commit()
    # The person of variables alone is unknown to what lands.
    git(shop.root, "config", "user.name", "Ada")
    git(shop.root, "config", "user.email", "ada@example.org")
    if moves:
        # The hand-shake is over when the agent begins.
        place = shop.root.parent / "agent.sh"
        go = shop.root / ".chant" / "demo-go" / "go"
        place.write_text(f"while [ ! -e {go} ]; do sleep 0.05; done\n{SCRIPT}", encoding="utf-8")
        shop.handle().work_start(ID)
        (shop.root / "person.txt").write_text("mine\n", encoding="utf-8")
        git(shop.root, "add", "person.txt")
        git(shop.root, "commit", "-q", "-m", "Meanwhile")
        before = git(shop.root, "rev-parse", "HEAD").strip()
        go.parent.mkdir(exist_ok=True)
        go.touch()
        record = shop.ended(ID)
    else:
        record = done(shop)
    assert record["end_state"] == "completed", record
    assert (shop.main("a.txt"), shop.main("b.txt")) == ("a\n", "b\n")
    assert "status: completed" in (shop.main(f".chant/specs/{ID}.md") or "")
    person = "Ada <ada@example.org>"
    new = log(shop, "%s|%an <%ae>|%cn <%ce>", f"{before}..main")
    message = f"{SUBJECTS[style]}|{person}|{person}"
    parents = git(shop.root, "rev-list", "--parents", f"{before}..main").splitlines()
    if style == "merge":
        assert new[-1] == message
        assert parents[0].split()[1:] == [before, record["commits"][-1]]
        assert "kept" not in record["merge"]
    else:
        check_kept(shop, record)
        assert all(len(line.split()) == 2 for line in parents)
        assert git(shop.root, "rev-list", "--count", f"{before}..main").strip() == str(len(new))
    if style == "squash":
        assert new == [message]
        assert parents == [f"{record['merge']['commit']} {before}"]
        assert named(shop) == []
        assert record["merge"]["landed"] == [record["merge"]["commit"]]
    if style == "rebase":
        by_robo = f"Robo <robo@example.org>|{person}"
        assert new == [f"feat: first|{by_robo}", f"feat: second|{by_robo}", message]
        assert log(shop, "%ad|%b", f"{before}..main~2")[:1] == [
            "Fri Jan 2 03:04:05 2026 +0230|It has a body."
        ]
        assert git(shop.root, "diff", "--name-only", "main~2", "main~1").split() == ["b.txt"]
        assert git(shop.root, "diff", "--name-only", "main~1", "main").split() == [f".chant/specs/{ID}.md"]
        assert [name[:7] for name in record["merge"]["landed"][:2]] == named(shop)
    check_sound(shop)
    receipts = shop.handle().receipt_verify(ID).data["specs"][0]["receipts"][0]
    derived = "\n".join(receipts["derived"])
    assert "check 'look' is said to have looked at" in derived
    assert (style in REWRITING) == (f"refs/chant/landed/chant/{ID}/1 keeps" in derived)


@pytest.mark.parametrize("style", REWRITING)
def test_a_spec_that_git_does_not_track_names_what_landed(shop: Workshop, style: str) -> None:
    prepared(shop, style)
    git(shop.root, "rm", "-q", "-r", "--cached", ".chant/specs")
    (shop.root / ".git" / "info" / "exclude").write_text(".chant/specs/\n.chant/demo-go/\n", encoding="utf-8")
    git(shop.root, "commit", "-q", "-m", "Silent")
    script = f"{SCRIPT.replace('git commit -q -a -m', 'true')}"
    (shop.root.parent / "agent.sh").write_text(script, encoding="utf-8")
    record = done(shop)
    assert record["end_state"] == "completed", record
    assert named(shop) == [commit[:7] for commit in record["merge"]["landed"]]
    subjects = {"squash": [f"Spec {ID} (chant/{ID})"], "rebase": ["feat: first", "feat: second"]}
    assert log(shop, "%s")[-len(subjects[style]) :] == subjects[style]
    assert git(shop.root, "status", "--porcelain") == ""
    assert shop.handle().receipt_verify(ID).data["specs"][0]["verdict"] == "consistent"
    check_kept(shop, record)


def test_merges_of_an_agent_become_ordinary_commits(shop: Workshop) -> None:
    script = (
        "set -e\ngit checkout -q -b side; echo s > s.txt; git add -A; git commit -q -m Side\n"
        f"git checkout -q chant/{ID}; echo own > own.txt; git add -A; git commit -q -m Own\n"
        "git merge -q --no-ff -m Joined side\n"
        'sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"; git commit -q -a -m Tick\n'
    )
    before = prepared(shop, "rebase", script)
    assert done(shop)["end_state"] == "completed"
    assert log(shop, "%s", f"{before}..main")[:2] == ["Own", "Joined"]
    assert shop.main("s.txt") == "s\n"
    assert log(shop, "%p", f"{before}..main") == [
        line.split()[0] for line in log(shop, "%p", f"{before}..main")
    ]
    check_sound(shop)


def test_commits_that_cannot_be_rewritten_wait_for_a_person(shop: Workshop) -> None:
    """The branch as a whole can be merged, but not its first commit."""
    (shop.root / "same.txt").write_text("1\n2\n3\n", encoding="utf-8")
    go = shop.root / ".chant" / "demo-go" / "go"
    script = (
        f"set -e\necho x > same.txt; git commit -q -a -m There\nwhile [ ! -e {go} ]; do sleep 0.05; done\n"
        "printf '1\\n2\\n3\\n' > same.txt; echo y > y.txt; git add -A; git commit -q -m 'And back'\n"
        'sed -i "s/\\[ \\]/[x]/" "$CHANT_SPEC_FILE"; git commit -q -a -m Tick\n'
    )
    prepared(shop, "rebase", script)
    shop.handle().work_start(ID)
    (shop.root / "same.txt").write_text("one\n2\n3\n", encoding="utf-8")
    git(shop.root, "commit", "-q", "-a", "-m", "Meanwhile")
    before = git(shop.root, "rev-parse", "main")
    go.parent.mkdir(exist_ok=True)
    go.touch()
    record = shop.ended(ID)
    assert record["end_state"] == "needs_attention", record
    assert '("There") cannot be rewritten onto the target: it is in conflict in same.txt' in record["reason"]
    assert git(shop.root, "rev-parse", "main") == before
    text = shop.project.root.joinpath(".chant/config.md").read_text("utf-8")
    (shop.root / ".chant" / "config.md").write_text(text.replace("rebase", "squash"), encoding="utf-8")
    git(shop.root, "commit", "-q", "-m", "Squash", "--", ".chant/config.md")
    merged = work(shop, "merge", ID)
    assert merged.returncode == 0, merged.stderr
    assert (shop.main("same.txt"), shop.main("y.txt")) == ("one\n2\n3\n", "y\n")
    check_sound(shop)


@pytest.mark.parametrize("style", REWRITING)
def test_a_settled_conflict_lands_in_the_style(shop: Workshop, style: str) -> None:
    shop.configure(f"landing:\n  style: {style}\n")
    for id in (ID, OTHER):
        shop.spec(id, "wait", "conflict", targets=["ferry.txt"])
    shop.commit()
    for id in (ID, OTHER):
        shop.handle().work_start(id)
        shop.said(id, "out waiting")
    for id, end in ((ID, "completed"), (OTHER, "awaiting_merge")):
        shop.go(id)
        assert shop.ended(id)["end_state"] == end
    (conflict,) = (path.stem for path in shop.project.specs.glob("*.md") if path.stem not in (ID, OTHER))
    assert f"- `main`: spec `{ID}`, commit " in shop.project.text(conflict)
    run = shop.handle().work_start(conflict).data
    record = shop.ended(run["process_id"])
    assert record["end_state"] == "completed", record
    original = shop.record(OTHER)
    assert original["end_state"] == "completed"
    assert original["merge"]["landed"] == record["merge"]["landed"]
    check_kept(shop, record)
    check_kept(shop, original)
    assert git(shop.root, "rev-list", "--merges", "main") == ""
    assert [shop.project.status(id) for id in (ID, OTHER, conflict)] == ["completed"] * 3
    for id in (ID, OTHER):
        check_sound(shop, id)


@pytest.mark.parametrize("style", REWRITING)
def test_a_branch_that_stayed_counts_as_landed(shop: Workshop, style: str) -> None:
    """Ancestry does not show it, a ref of ours does; of another commit it says nothing."""
    prepared(shop, style)
    record = done(shop)
    branch = f"chant/{ID}"
    git(shop.root, "branch", branch, record["merge"]["kept"] + "^2")
    checks = {check["name"]: check["details"] for check in shop.handle().diagnose(ID).data["checks"]}
    assert checks["Branch"] == f"{branch} is merged"
    git(shop.root, "switch", "-q", branch)
    git(shop.root, "commit", "-q", "--allow-empty", "-m", "More")
    git(shop.root, "switch", "-q", "main")
    with pytest.raises(RefusedError, match="is not merged into main"):
        shop.handle().archive(ID)
    git(shop.root, "branch", "-q", "-f", branch, record["merge"]["kept"] + "^2")
    assert ID in shop.handle().archive(ID).text


@pytest.mark.parametrize("style", REWRITING)
def test_a_style_that_leases_cannot_follow_is_refused_at_the_start(shop: Workshop, style: str) -> None:
    prepared(shop, style, more="leases:\n  remote: origin\n")
    with shop.nothing_begins(), pytest.raises(RefusedError, match=f"`landing.style: {style}` and `leases`"):
        shop.handle().work_start(ID)
    assert "do not go together" in work(shop, "work", ID, "--dry-run").stderr


def test_an_unknown_style_is_named(shop: Workshop) -> None:
    prepared(shop, "octopus")
    said = work(shop, "work", ID).stderr
    assert "octopus" in said
    assert "squash" in said


# Signatures


@pytest.fixture
def signing(shop: Workshop) -> Path:
    """Let the person sign with a key of this test, and give the file that has the key."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("no ssh-keygen here")
    key = shop.root.parent / "key"
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(key)]
    subprocess.run(words, check=True, timeout=30)
    return key


def sign(shop: Workshop, key: Path) -> None:
    """Have git sign with a key, and believe it."""
    email = git(shop.root, "log", "-1", "--format=%ae").strip()
    allowed = key.with_name("allowed")
    public = key.with_suffix(".pub").read_text("utf-8")
    allowed.write_text(f"{email} {public}", encoding="utf-8")
    for name, value in (
        ("gpg.format", "ssh"),
        ("user.signingKey", str(key)),
        ("commit.gpgSign", "true"),
        ("gpg.ssh.allowedSignersFile", str(allowed)),
    ):
        git(shop.root, "config", name, value)


@pytest.mark.parametrize("style", STYLES)
def test_what_lands_is_signed_or_the_start_says_that_it_is_not(
    shop: Workshop, signing: Path, style: str
) -> None:
    before = prepared(shop, style)
    sign(shop, signing)
    trial = " ".join(work(shop, "work", ID, "--dry-run").stdout.split())
    started = work(shop, "work", ID, "--wait")
    assert started.returncode == 0, started.stdout + started.stderr
    note = "The agent's own commits will be unsigned, although `commit.gpgsign` is set"
    for said in (trial, started.stderr):
        assert (note in said) == (style == "merge")
        assert ("`landing.style: squash` or `rebase`" in said) == (style == "merge")
    signatures = log(shop, "%G?", f"{before}..main")
    assert signatures[-1] == "G"
    assert (set(signatures) == {"G"}) == (style in REWRITING)
    check_sound(shop)


@pytest.mark.parametrize("style", STYLES)
def test_a_landing_that_cannot_be_signed_waits_for_the_person(
    shop: Workshop, signing: Path, style: str
) -> None:
    before = prepared(shop, style)
    sign(shop, signing)
    away = signing.with_name("away")
    for path in (signing, signing.with_suffix(".pub")):
        path.rename(path.with_name(path.name.replace("key", away.name)))
    record = done(shop)
    assert record["end_state"] == "needs_attention", record
    assert "git could not sign what was to land, as `commit.gpgsign` asks: " in record["reason"]
    assert str(signing) in record["reason"]
    assert git(shop.root, "rev-parse", "main").strip() == before
    assert git(shop.root, "status", "--porcelain", "--", ".", ":!.chant/specs") == ""
    assert git(shop.root, "for-each-ref", "refs/chant/landed") == ""
    for path in (away, away.with_suffix(".pub")):
        path.rename(path.with_name(path.name.replace(away.name, "key")))
    merged = work(shop, "merge", ID)
    assert merged.returncode == 0, merged.stderr
    assert log(shop, "%G?", f"{before}..main")[-1] == "G"
    check_sound(shop)


# Hooks


def test_nothing_is_said_of_hooks_and_signatures_where_there_are_none(shop: Workshop) -> None:
    prepared(shop, "merge")
    started = shop.handle().work_start(ID).data
    assert "landing_note" not in started
    shop.ended(ID)
