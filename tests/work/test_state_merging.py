"""Work comes to the main branch: what waits and goes on, what conflicts, and specs merged by meaning."""

from __future__ import annotations

import os
import stat
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.errors import ChantError, RefusedError
from state_folder import part
from work.checkouts import BODY, ID, OTHER, TARGET, Checkout, made
from work.kit import PROGRAM, THIRD, wait_for
from writing import git


def worktree(checkout: Checkout, id: str = ID) -> Path:
    """Give the folder in which a spec is worked on."""
    return Path(checkout.record(id)["worktree"])


def tick(path: Path) -> None:
    """Tick all criteria, as a person does."""
    path.write_bytes(path.read_bytes().replace(b"- [ ]", b"- [x]"))


def replace(path: Path, old: str, new: str) -> None:
    """Change a place of a file, which has to be there."""
    text = path.read_bytes()
    assert old.encode() in text
    path.write_bytes(text.replace(old.encode(), new.encode()))


def scripted(folder: Path, script: str) -> Checkout:
    """Make a checkout whose agent `hand` is a script, which works in the worktree."""
    path = folder / "hand.sh"
    end = 'sed -i "s/- \\[ \\]/- [x]/" "$CHANT_SPEC_FILE"\ngit add -A\ngit commit -qm Work\n'
    path.write_text(f"set -e\n{script}\n{end}", encoding="utf-8")
    return made(folder, config=f"agents:\n  hand:\n    command: [sh, {path}]\n")


def by_merge_of_it(checkout: Checkout) -> None:
    """Merge a spec by its ID."""
    said = checkout.chant().merge(ID).text
    assert said.startswith(f"Merged the work on '{ID}': it is completed")


def by_merge_of_all(checkout: Checkout) -> None:
    """Merge all that waits."""
    assert checkout.chant().merge().text == f"{ID}: completed"


def by_opening(checkout: Checkout) -> None:
    """Open the project, as a server does."""
    assert checkout.chant().recover() == []


def by_a_command(checkout: Checkout) -> None:
    """Have another process open the project for something else."""
    subprocess.run(
        [*PROGRAM, "--project", str(checkout.project.root), "list"],
        check=True,
        capture_output=True,
        timeout=60,
    )


# Work that cannot be merged yet


@pytest.mark.parametrize("go_on", [by_merge_of_it, by_merge_of_all, by_opening, by_a_command])
def test_work_that_waits_goes_on_when_the_users_change_is_gone(go_on: Any, tmp_path: Path) -> None:
    checkout = made(tmp_path)
    checkout.write(TARGET, "changed by the user\n")
    assert checkout.run()["end_state"] == "awaiting_merge"
    with pytest.raises(RefusedError, match=f"was not merged .awaiting_merge.: .*{TARGET}"):
        checkout.chant().merge(ID)
    assert checkout.chant().merge().text.startswith(f"{ID}: awaiting_merge: ")
    checkout.git("checkout", "--", TARGET)
    go_on(checkout)
    record = checkout.record()
    assert (record["end_state"], record["merge"]["state"]) == ("completed", "merged")
    assert record["merge"]["blocked_by"] == []
    assert checkout.project.status(ID) == "completed"
    assert checkout.status(checkout.top) == [""]
    assert checkout.worktrees() == []
    checkout.check_sound()


def test_work_that_waits_goes_on_when_the_users_merge_has_ended(tmp_path: Path) -> None:
    checkout = made(tmp_path)
    for branch, text in (("side", "aside\n"), ("main", "main\n")):
        checkout.git("checkout", "-q", *(("-b", branch) if branch == "side" else (branch,)))
        checkout.write("kept.txt", text)
        checkout.git("commit", "-qam", branch)
    git(checkout.top, "merge", "side", check=False)
    checkout.run()
    checkout.write("kept.txt", "settled\n")
    checkout.git("add", "kept.txt")
    checkout.git("commit", "-qm", "Settled")
    settled = checkout.tip()
    assert checkout.chant().recover() == []
    assert checkout.project.status(ID) == "completed"
    assert checkout.git("rev-parse", "main^1").strip() == settled
    checkout.check_sound()


def test_commit_of_the_waiting_change_is_merged_with_the_work(tmp_path: Path) -> None:
    checkout = made(tmp_path)
    checkout.write(TARGET, "zero\none\ntwo\nthree\n")
    checkout.run()
    checkout.git("commit", "-qm", "The user's", "--", TARGET)
    by_merge_of_it(checkout)
    text = (checkout.top / TARGET).read_text("utf-8")
    assert text == f"zero\none\ntwo\nthree\n# Row across ({ID})\n"
    checkout.check_sound()


def test_lock_that_somebody_holds_on_the_index_is_waited_for(tmp_path: Path) -> None:
    checkout = made(tmp_path)
    checkout.label("wait")
    checkout.start()
    lock = checkout.top / ".git" / "index.lock"
    lock.write_text("", encoding="utf-8")
    before = checkout.files(checkout.top)
    ended = threading.Thread(target=checkout.go)
    ended.start()
    wait_for(lambda: checkout.record()["merge"]["begun"], "the attempt to merge")
    assert checkout.record()["status"] == "running"
    assert lock.read_bytes() == b""
    assert checkout.files(checkout.top) == before
    lock.unlink()
    ended.join()
    assert checkout.record()["end_state"] == "completed"
    checkout.check_sound()


# Two runs that change the same places


@pytest.fixture
def conflicting(tmp_path: Path) -> Checkout:
    """A checkout in which one of two such runs is merged and the other one waits."""
    checkout = made(tmp_path)
    checkout.project.spec(THIRD, body=BODY, labels="[auth]", target_files=[TARGET])
    for id in (ID, THIRD):
        checkout.label("wait", "conflict", id=id)
    checkout.git("add", "-A")
    checkout.git("commit", "-qm", "Two specs")
    for id in (THIRD, ID):
        checkout.start(id)
    assert checkout.go(THIRD)["end_state"] == "completed"
    return checkout


def test_conflict_is_written_down_as_a_spec_that_tells_what_to_do(conflicting: Checkout) -> None:
    old, before = conflicting.tip(), conflicting.files(conflicting.top)
    record = conflicting.go()
    assert record["end_state"] == "awaiting_merge", record["reason"]
    assert record["merge"]["blocked_by"] == [TARGET]
    assert conflicting.tip() == old
    (path,) = (path for path in conflicting.project.specs.glob("*.md") if path.stem not in (ID, OTHER, THIRD))
    assert path.stem in record["reason"]
    after = conflicting.files(conflicting.top)
    del after[f".chant/specs/{path.name}"]
    assert after == before
    chant = conflicting.chant()
    spec = chant.spec_get(path.stem).data
    assert (spec["type"], spec["status"]) == ("conflict", "pending")
    text = path.read_text("utf-8")
    for words in (
        f"source_branch: chant/{ID}",
        "target_branch: main",
        f"original_spec: {ID}",
        f"conflicting_files:\n- {TARGET}",
        f"- `{TARGET}`: both sides changed the same lines",
        "git merge main",
        f"chant-mcp merge {ID}",
        str(worktree(conflicting)),
    ):
        assert words in text
    errors = [d for d in chant.lint(path.stem).data["diagnostics"] if d["severity"] == "error"]
    assert errors == []
    # Looked at again, nothing new is written.
    assert chant.recover() == []
    with pytest.raises(RefusedError, match="awaiting_merge"):
        chant.merge(ID)
    assert conflicting.files(conflicting.top).keys() == {*before, f".chant/specs/{path.name}"}
    conflicting.check_sound()


@pytest.mark.parametrize("go_on", [by_merge_of_it, by_opening])
def test_conflict_is_merged_when_a_person_has_settled_it(go_on: Any, conflicting: Checkout) -> None:
    conflicting.go()
    tree = worktree(conflicting)
    git(tree, "merge", "main", check=False)
    (tree / TARGET).write_text("both\ntwo\nthree\n", encoding="utf-8")
    git(tree, "commit", "-qam", "Settled")
    settled = git(tree, "rev-parse", "HEAD").strip()
    go_on(conflicting)
    assert conflicting.project.status(ID) == "completed"
    assert (conflicting.top / TARGET).read_text("utf-8") == "both\ntwo\nthree\n"
    assert git(conflicting.top, "merge-base", "--is-ancestor", settled, "main") == ""
    assert conflicting.git("diff", "HEAD", "--name-only") == ""
    conflicting.check_sound()


# The worked spec, which the user edits while the agent works on a copy of it


@pytest.fixture
def working(tmp_path: Path) -> Checkout:
    """A checkout in which an agent works until it is asked to go on."""
    checkout = made(tmp_path)
    checkout.label("wait")
    checkout.start()
    return checkout


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# Row across", "# Row far across"),
        ("labels: [", "labels: [river, "),
        ("type: code\n", "# first of all\ntype: code # always\n"),
        ("target_files:\n- ferry.txt\n", "priority: 7\ntarget_files:\n- ferry.txt\n- oar.txt\n"),
        ("The river is wide.", "The river is wide.\n\nAnd cold.\n"),
        ("Carry people over the river.", "Carry people and sheep over the river."),
    ],
    ids=["title", "label", "comment", "keys", "notes", "description"],
)
def test_spec_keeps_what_the_user_wrote_and_what_the_agent_ticked(
    old: str, new: str, working: Checkout
) -> None:
    replace(working.project.path(ID), old, new)
    record = working.go()
    assert (record["end_state"], record["reason"]) == ("completed", None)
    text = working.project.text(ID)
    assert new in text
    assert text.count("- [x]") == 2
    assert working.git("show", f"main:{working.spec}") == text
    working.check_sound()


def test_spec_keeps_the_users_order_of_keys_and_line_ends(working: Checkout) -> None:
    path = working.project.path(ID)
    head, body = path.read_text("utf-8").removeprefix("---\n").split("---\n", 1)
    keys = [line for line in head.splitlines() if not line.startswith("- ")]
    moved = [line for key in reversed(keys) for line in (key, *(["- ferry.txt"] if "files" in key else []))]
    text = "\n".join(["---", *moved, "---", body]).replace("\n", "\r\n")
    path.write_bytes(text.encode())
    record = working.go()
    assert (record["end_state"], record["reason"]) == ("completed", None)
    after = working.project.text(ID)
    assert after.count("\n") == after.count("\r\n")
    order = [line.split(":")[0] for line in after.split("---")[1].splitlines() if ":" in line]
    users = [key.split(":")[0] for key in reversed(keys)]
    assert [key for key in order if key in users] == users
    assert after.count("- [x]") == 2


def test_criterion_that_the_user_adds_meanwhile_keeps_the_spec_open(working: Checkout) -> None:
    old = working.tip()
    replace(working.project.path(ID), "- [ ] People arrive\n", "- [ ] People arrive\n- [ ] Dry\n")
    record = working.go()
    assert "- [ ] Dry" in working.project.text(ID)
    assert (record["end_state"], working.project.status(ID)) == ("needs_attention", "needs_attention")
    assert "'Dry'" in record["reason"]
    assert working.tip() == old
    # Started again, the agent sees it.
    working.label("work")
    assert working.run()["end_state"] == "completed"
    assert "- [x] Dry" in working.project.text(ID)


def test_line_that_both_changed_needs_attention_and_nothing_is_written(tmp_path: Path) -> None:
    script = (
        'while [ ! -e "$CHANT_PROJECT/.chant/demo-go/$CHANT_SPEC_ID" ]; do sleep 0.02; done\n'
        'sed -i "s/is wide/is deep/" "$CHANT_SPEC_FILE"; echo work > work.txt'
    )
    checkout = scripted(tmp_path, script)
    checkout.start(agent="hand")
    path = checkout.project.path(ID)
    replace(path, "is wide", "is cold")
    copy, old, before = checkout.project.text(ID), checkout.tip(), checkout.seen()
    record = checkout.go()
    assert record["end_state"] == "needs_attention"
    assert "the project" in record["reason"]
    assert "the branch" in record["reason"]
    assert checkout.project.text(ID) == copy.replace("status: in_progress", "status: needs_attention")
    assert (checkout.tip(), checkout.seen()) == (old, before)
    # A person makes both agree; then it is merged.
    replace(path, "is cold", "is deep")
    by_merge_of_it(checkout)
    assert "is deep" in checkout.project.text(ID)
    checkout.check_sound()


def test_spec_that_is_cancelled_by_hand_is_not_merged(working: Checkout) -> None:
    old, before = working.tip(), working.seen()
    replace(working.project.path(ID), "status: in_progress", "status: cancelled")
    record = working.go()
    assert record["end_state"] == "needs_attention"
    assert "was made cancelled while the agent worked" in record["reason"]
    assert working.project.status(ID) == "cancelled"
    assert (working.tip(), working.seen()) == (old, before)
    assert working.git("rev-list", "--count", f"main..chant/{ID}").strip() == "2"
    working.check_sound()


def test_commits_of_the_user_on_the_main_branch_are_merged_with_the_work(working: Checkout) -> None:
    path = working.project.path(ID)
    replace(path, "is wide", "is cold")
    working.write("kept.txt", "committed meanwhile\n")
    working.git("commit", "-qam", "Meanwhile")
    meanwhile = working.tip()
    assert working.go()["end_state"] == "completed"
    assert working.git("rev-parse", "main^1").strip() == meanwhile
    assert "is cold" in working.project.text(ID)
    assert working.git("status", "--porcelain") == ""
    working.check_sound()


# Work that is not merged, whatever its evidence


def test_dependency_that_closes_a_loop_is_refused(tmp_path: Path) -> None:
    checkout = scripted(
        tmp_path,
        f'sed -i "s/^type: code/type: code\\ndepends_on: [{OTHER}]/" "$CHANT_SPEC_FILE"\n'
        "echo work > work.txt",
    )
    path = checkout.project.path(OTHER)
    replace(path, "type: code", f"type: code\ndepends_on: [{ID}]")
    old, others = checkout.tip(), checkout.others()
    record = checkout.run(agent="hand")
    assert record["end_state"] == "needs_attention"
    assert f"the work would close a cycle: {ID} -> {OTHER}" in record["reason"]
    assert (checkout.tip(), checkout.others()) == (old, others)
    assert not (checkout.top / "work.txt").exists()


@pytest.mark.parametrize("is_allowed", [False, True])
def test_change_of_another_spec_needs_permission(is_allowed: bool, tmp_path: Path) -> None:
    checkout = made(tmp_path, config="  allow_other_specs: true\n" if is_allowed else "")
    checkout.label("others")
    old, others = checkout.tip(), checkout.others()
    record = checkout.run()
    if is_allowed:
        assert (record["end_state"], record["reason"]) == ("completed", None)
        assert "Changed by the agent of another spec." in checkout.project.text(OTHER)
        assert checkout.git("status", "--porcelain") == ""
    else:
        assert record["end_state"] == "needs_attention"
        assert f"{OTHER}.md" in record["reason"]
        assert (checkout.tip(), checkout.others()) == (old, others)
    checkout.check_sound()


def test_a_spec_that_a_branch_brings_waits_for_a_person_and_chooses_nothing(tmp_path: Path) -> None:
    new = "2026-02-02-009-new"
    checkout = scripted(
        tmp_path,
        f'cat > "$(dirname "$CHANT_SPEC_FILE")/{new}.md" <<END\n---\ntype: code\nstatus: completed\n'
        "approval: {required: true, status: approved, by: Ada}\nprompt: evil\nmodel: big\n"
        "context: [~/.ssh/id]\nlimits: {run: 9h}\nagent: evil\nlabels: [mine]\n---\n\n"
        "# Found on the way\n\n## Acceptance Criteria\n\n- [ ] Done\nEND",
    )
    config = checkout.project.root / ".chant" / "config.md"
    replace(config, "defaults:\n", "defaults:\n  allow_other_specs: true\n")
    assert checkout.run(agent="hand")["end_state"] == "completed"
    front = checkout.project.text(new).split("---\n")[1]
    assert front == (
        "type: code\nstatus: pending\napproval:\n  required: true\n  status: pending\nlabels: [mine]\n"
    )
    with pytest.raises(RefusedError, match="requires approval before work can begin"):
        checkout.chant().work_start(new)


@pytest.mark.parametrize(
    ("change", "is_merged"),
    [
        ("s/^status: .*/status: completed/", True),
        ("s/^type: code/type: code\\nprompt: evil\\napproval: {required: false}/", True),
        ("s/^# .*/# Another title/", True),
        ("s/- .x. Other is done/- [ ] Other is done/", False),
        ("$ a - [ ] And more", False),
    ],
)
def test_work_leaves_to_people_what_they_decide_about_other_specs(
    tmp_path: Path, change: str, is_merged: bool
) -> None:
    checkout = scripted(
        tmp_path, f'sed -i \'{change}\' "$(dirname "$CHANT_SPEC_FILE")/{OTHER}.md"\necho x > x'
    )
    config = checkout.project.root / ".chant" / "config.md"
    replace(config, "defaults:\n", "defaults:\n  allow_other_specs: true\n")
    checkout.project.spec(OTHER, body="# Other\n\n## Acceptance Criteria\n\n- [x] Other is done")
    checkout.git("add", "-A")
    checkout.git("commit", "-qm", "Other")
    before = checkout.project.text(OTHER)
    record = checkout.run(agent="hand")
    if is_merged:
        assert record["end_state"] == "completed", record["reason"]
        assert checkout.project.text(OTHER) == before.replace(
            "# Other", "# Another title" if "title" in change else "# Other"
        )
    else:
        assert record["end_state"] == "needs_attention"
        assert "changes what people decide about another spec" in record["reason"]
        assert checkout.project.text(OTHER) == before
    assert (checkout.top / "x").exists() == is_merged


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ('chmod -x "{hook}"', "commit-msg in {folder} can no longer be run"),
        ('rm "{hook}"', "commit-msg in {folder} can no longer be run"),
        ('git -C "{top}" config core.hooksPath /nowhere', "hooks lay in {folder} and lie in /nowhere now"),
        ('chmod +x "{folder}/pre-push"', "these are others now: git hook in hooks/pre-push"),
        ('touch "{folder}/notes.sample"', None),
    ],
)
def test_work_does_not_land_past_hooks_that_were_silenced_meanwhile(
    tmp_path: Path, deed: str, said: str | None
) -> None:
    folder = (tmp_path / "hooks").resolve()
    hook = folder / "commit-msg"
    deed = deed.format(hook=hook, folder=folder, top=tmp_path / "checkout")
    checkout = scripted(tmp_path, f"{deed}\necho x > x")
    folder.mkdir()
    for name in ("commit-msg", "pre-push"):
        (folder / name).write_text("#!/bin/sh\nexit 0\n", "utf-8")
    hook.chmod(0o755)
    checkout.git("config", "core.hooksPath", str(folder))
    record = checkout.run(agent="hand")
    if said is None:
        assert record["end_state"] == "completed", record["reason"]
        return
    assert record["end_state"] == "needs_attention"
    assert said.format(folder=folder) in record["reason"]
    assert not (checkout.top / "x").exists()
    by_merge_of_it(checkout)
    assert (checkout.top / "x").exists()


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ("printf '#!/bin/sh\\ntouch \"%s\"\\n' '{mark}' > '{hook}'", "git hook in hooks/commit-msg"),
        ("git -C '{top}' config filter.x.clean evil", "git setting in git configuration: filter.x.clean"),
        ("git -C '{top}' config core.hooksPath evil", "hooks lay in {folder} and lie in {top}/evil now"),
    ],
)
def test_work_does_not_land_past_hooks_or_settings_that_were_swapped_meanwhile(
    tmp_path: Path, deed: str, said: str
) -> None:
    names = {"top": tmp_path / "checkout", "mark": tmp_path / "ran"}
    names["folder"] = names["top"].resolve() / ".git" / "hooks"
    names["hook"] = names["folder"] / "commit-msg"
    checkout = scripted(tmp_path, f"{deed.format(**names)}\necho x > x")
    names["folder"].mkdir(exist_ok=True)
    names["hook"].write_text("#!/bin/sh\nexit 0\n", "utf-8")
    names["hook"].chmod(0o755)
    record = checkout.run(agent="hand")
    assert record["end_state"] == "needs_attention"
    assert said.format(**names) in record["reason"]
    assert not (checkout.top / "x").exists()
    assert not names["mark"].exists()
    by_merge_of_it(checkout)
    assert (checkout.top / "x").exists()


@pytest.mark.parametrize("hook", ["commit-msg", "post-index-change", "reference-transaction"])
@pytest.mark.parametrize("is_of_user", [True, False], ids=["the user's", "the clone's"])
def test_hooks_that_a_branch_brings_do_not_run_at_its_merge(
    tmp_path: Path, hook: str, is_of_user: bool
) -> None:
    mark = tmp_path / "ran"
    script = (
        f"mkdir -p tools\nprintf '#!/bin/sh\\ntouch \"%s\"\\n' '{mark}' > tools/{hook}\nchmod +x tools/{hook}"
    )
    checkout = scripted(tmp_path, script)
    if hook != "commit-msg":
        (checkout.top / "tools").mkdir()
        (checkout.top / "tools" / "commit-msg").write_text("#!/bin/sh\nexit 0\n", "utf-8")
        (checkout.top / "tools" / "commit-msg").chmod(0o755)
        checkout.git("add", "tools")
        checkout.git("commit", "-qm", "Hooks")
    where = ["-f", os.environ["GIT_CONFIG_GLOBAL"]] if is_of_user else ["--local"]
    checkout.git("config", *where, "core.hooksPath", "tools")
    record = checkout.run(agent="hand")
    assert record["reason"] == f"changes what runs by itself: tools/{hook}"
    assert not mark.exists()


def test_removal_of_other_specs_is_refused_even_with_permission(tmp_path: Path) -> None:
    checkout = made(tmp_path, config="  allow_other_specs: true\n")
    checkout.label("delete-others")
    old, others = checkout.tip(), checkout.others()
    record = checkout.run()
    assert record["end_state"] == "needs_attention"
    assert f"the work would remove specs: .chant/specs/{OTHER}.md" in record["reason"]
    assert (checkout.tip(), checkout.others()) == (old, others)


def test_late_result_of_an_older_run_is_refused(tmp_path: Path) -> None:
    checkout = made(tmp_path)
    checkout.label("wait")
    record = checkout.start()
    token = part(checkout.project.root, "tokens", shared=True) / ID
    assert token.read_text("utf-8").strip() == str(record["token"])
    # As another machine's start of the spec would.
    token.write_text(f"{record['token'] + 1}\n", encoding="utf-8")
    old, before = checkout.tip(), checkout.seen()
    record = checkout.go()
    assert record["end_state"] == "failed"
    assert "a newer run works on the spec; this work was not merged" in record["reason"]
    assert (checkout.tip(), checkout.seen()) == (old, before)
    assert checkout.git("rev-list", "--count", f"main..chant/{ID}").strip() == "2"


# Work that a person went on with after an agent


@pytest.fixture
def taken_over(tmp_path: Path) -> Checkout:
    """A checkout in which an agent's work was taken over."""
    checkout = made(tmp_path)
    checkout.label("wait")
    checkout.start()
    checkout.chant().takeover(ID)
    return checkout


def test_commits_and_ticks_of_a_person_count(taken_over: Checkout) -> None:
    tree = worktree(taken_over)
    (tree / TARGET).write_text("by hand\n", encoding="utf-8")
    tick(tree / taken_over.spec)
    git(tree, "commit", "-qam", "By hand")
    by_merge_of_it(taken_over)
    record = taken_over.record()
    assert (record["end_state"], record["agent"]) == ("completed", None)
    assert taken_over.project.status(ID) == "completed"
    assert (taken_over.top / TARGET).read_text("utf-8") == "by hand\n"
    assert taken_over.chant().merge(ID).text == f"The work on spec '{ID}' is merged already."
    taken_over.check_sound()


@pytest.mark.parametrize("is_committed", [False, True])
def test_work_by_hand_without_proof_is_refused_and_kept(is_committed: bool, taken_over: Checkout) -> None:
    tree, old, before = worktree(taken_over), taken_over.tip(), taken_over.seen()
    (tree / TARGET).write_text("by hand\n", encoding="utf-8")
    if is_committed:
        git(tree, "commit", "-qam", "By hand")
    with pytest.raises(ChantError, match=r"was not merged .*(commit|Boat floats)"):
        taken_over.chant().merge(ID)
    assert (taken_over.tip(), taken_over.seen()) == (old, before)
    assert (tree / TARGET).read_text("utf-8") == "by hand\n"
    assert taken_over.worktrees() == [ID]


def test_spec_that_nobody_worked_on_has_nothing_to_merge(tmp_path: Path) -> None:
    checkout = made(tmp_path)
    with pytest.raises(RefusedError, match="has no run whose work could be merged"):
        checkout.chant().merge(ID)
    assert checkout.chant().merge().text == "Nothing waits for a merge."


def test_modes_links_moves_and_removals_of_the_agent_come_along(tmp_path: Path) -> None:
    checkout = scripted(
        tmp_path,
        "chmod +x kept.txt; ln -s kept.txt link; git mv more/kept.txt moved.txt; rm ferry.txt\n"
        "mkdir ferry.txt; echo deep > ferry.txt/inside.txt; printf 'a\\000b' > raw.bin\n"
        "ln -s nowhere dangling",
    )
    checkout.write("notes.txt", "mine\n")
    record = checkout.run(agent="hand")
    assert (record["end_state"], record["reason"]) == ("completed", None)
    top = checkout.top
    assert (top / "kept.txt").stat().st_mode & stat.S_IXUSR
    assert (top / "link").readlink() == Path("kept.txt")
    assert (top / "dangling").readlink() == Path("nowhere")
    assert (top / "moved.txt").read_bytes() == b"kept, too\n"
    assert not (top / "more").exists()
    assert (top / "ferry.txt/inside.txt").read_bytes() == b"deep\n"
    assert (top / "raw.bin").read_bytes() == b"a\0b"
    assert checkout.status(top) == ["?? notes.txt", ""]
    checkout.check_sound()
