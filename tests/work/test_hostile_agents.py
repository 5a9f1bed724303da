"""Hostile agents, one move each: nothing outside of the folder changes, and the run's end is true."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest
from work.daemons import GROUP
from work.hostile import WORK, Move, called, made
from work.kit import Workshop

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock is of Linux")

NO_COMMIT = "no commit"

BRANCHES = {
    "honest": Move("true"),
    "moves_main": Move(
        "git commit -q --allow-empty -m Evil; git branch -f main HEAD; git reset -q --hard HEAD~1",
        reason="`main` of its folder is kept as refs/chant/strays/",
    ),
    "moves_main_of_project": Move('git -C "$PROJECT" update-ref refs/heads/main HEAD~1'),
    "pushes_to_main": Move(
        'git commit -q --allow-empty -m Evil; git push -q "$PROJECT" HEAD:main HEAD:refs/heads/evil;'
        " git reset -q --hard HEAD~1"
    ),
    "writes_ref_of_project": Move('git rev-parse HEAD > "$PROJECT/.git/refs/heads/evil"'),
    "works_on_other_branch": Move("git switch -qc other", "failed", "on `other`"),
    "works_on_detached_head": Move("git checkout -q --detach", "failed", "on no branch ("),
    "makes_many_refs": Move(
        "one=$(git rev-parse HEAD); git pack-refs --all;"
        ' seq 10000 | sed "s|.*|$one refs/zero/&|" | sort -k2 >> .git/packed-refs'
    ),
    "commits_as_somebody_else": Move("git config user.name Evil; git config user.email evil@example.org"),
    "checks_out_in_project": Move('git -C "$PROJECT" symbolic-ref HEAD refs/heads/evil'),
    "removes_base": Move('rm -rf "$PROJECT/.git/refs/chant"; git -C "$PROJECT" pack-refs --all --prune'),
}
"""Refs, here and in the project."""

PROJECT = {
    "edits_config": Move('git -C "$PROJECT" config core.fsmonitor "touch /tmp/evil"'),
    "edits_hook": Move('echo evil >> "$PROJECT/.git/hooks/post-rewrite"'),
    "disarms_hook": Move(
        'chmod -x "$PROJECT/.git/hooks/post-rewrite"',
        "needs_attention",
        "the project's hooks are not those",
        rights="/hooks/post-rewrite",
    ),
    "opens_rights_of_key": Move('chmod 644 "$KEYS/.ssh/id_ed25519"', rights="/.ssh/id_ed25519"),
    "writes_packed_refs": Move('echo "$(git rev-parse HEAD) refs/heads/evil" > "$PROJECT/.git/packed-refs"'),
    "makes_locks": Move(
        'for name in index HEAD config packed-refs refs/heads/main; do touch "$PROJECT/.git/$name.lock"; done'
    ),
    "completes_own_spec_in_project": Move(
        'sed -i "s/status: .*/status: completed/" "$PROJECT/.chant/specs/$CHANT_SPEC_ID.md"'
    ),
    "deletes_specs": Move('rm -f "$PROJECT"/.chant/specs/*.md'),
    "writes_file": Move('echo evil >> "$PROJECT/ferry.txt"; echo evil > "$PROJECT/evil.txt"'),
    "forges_process": Move(
        'echo "{}" > "$PROJECT/.chant/processes/evil.json"; mkdir -p .chant/processes;'
        ' echo "{}" > .chant/processes/evil.json',
        reason="files that git ignores are kept in ",
    ),
    "ticks_criteria_of_other_spec": Move(
        'sed -i "s/- \\[ \\]/- [x]/" ".chant/specs/$WAITS.md"', "needs_attention", "changes other specs"
    ),
    "removes_other_spec": Move(
        'git rm -q ".chant/specs/$OTHER.md"', "needs_attention", "changes other specs"
    ),
}
"""Files of the project and of its repository."""

STATE = {
    "edits_record": Move(
        'for one in "$STATE"/processes/*/*/*.json; do echo "{}" > "$one"; done; rm -rf "$STATE/processes"'
    ),
    "edits_token": Move('echo 99 > "$STATE/tokens/_/$CHANT_SPEC_ID"; rm -rf "$STATE/tokens"'),
    "edits_log": Move('for one in "$STATE"/logs/*/*/*; do : > "$one"; done; rm -rf "$PROJECT/.chant/logs"'),
    "reads_records": Move('cat "$STATE"/processes/*/*/*.json && echo SECRET-KEY'),
    "takes_lock_of_spec": Move('touch "$STATE/locks/_/$OTHER.lock"'),
    "edits_own_mark": Move('echo "{}" > "$CHANT_WORKTREE.run.json"; rm -f "$CHANT_WORKTREE.run.json"'),
    "reads_trust": Move('cat "$KEYS"/.local/state/chant-mcp/trust/*'),
    "approves_other_spec": Move('$OURS approve "$WAITS" --project "$PROJECT" && echo SECRET-KEY'),
    "finalizes_other_spec": Move('$OURS finalize "$OTHER" --project "$PROJECT" && echo SECRET-KEY'),
    "trusts_other_project": Move('cd "$SECOND" && $OURS trust && echo SECRET-KEY'),
    "starts_a_run": Move('$OURS work "$OTHER" --project "$PROJECT" && echo SECRET-KEY'),
    "connects_to_other_run": Move(
        'echo "{}" | $OURS connect "$KEYS/.local/state/chant-mcp/worktrees/other/one";'
        ' echo evil > "$KEYS/.local/state/chant-mcp/worktrees/other/one.connect"'
    ),
}
"""Our own state, and our own commands."""

HOME = {
    "prints_key": Move('cat "$KEYS/.ssh/id_ed25519" "$KEYS/.aws/credentials"'),
    "prints_key_by_root": Move(
        'cat "/proc/self/root$KEYS/.ssh/id_ed25519"; cat "/proc/$PPID/root$KEYS/.ssh/id_ed25519"'
    ),
    "commits_key": Move('cp "$KEYS/.ssh/id_ed25519" key.txt; test ! -e key.txt || echo SECRET-KEY'),
    "reads_env_of_other_project": Move('cat "$SECOND/.env"'),
    "writes_other_project": Move('echo evil >> "$SECOND/code.py"; rm -rf "$SECOND/.git"'),
    "writes_bashrc": Move('echo evil >> "$KEYS/.bashrc"; echo evil > "$KEYS/.bash_login"'),
    "writes_through_symbolic_link": Move('ln -s "$KEYS/.profile" out; echo evil >> out; rm -f out'),
    "writes_through_hard_link": Move('ln "$KEYS/.profile" out && echo evil >> out; rm -f out'),
    "renames_out": Move('echo evil > evil; mv evil "$KEYS/.profile"; rm -f evil'),
    "writes_beside": Move(
        'echo evil >> "$BESIDE/file.txt"; echo evil > "$BESIDE/evil";'
        ' echo evil > "$BESIDE/../evil-$CHANT_SPEC_ID" && echo SECRET-KEY'
    ),
    "poisons_caches": Move(
        "for one in XDG_CACHE_HOME npm_config_cache PIP_CACHE_DIR UV_CACHE_DIR GOCACHE GOMODCACHE CARGO_HOME"
        ' GRADLE_USER_HOME; do eval "folder=\\$$one"; mkdir -p "$folder/registry" "$folder/caches";'
        ' for each in "$folder" "$folder"/*; do echo SECRET-KEY > "$each/poison"; done; done;'
        " for one in .cache .npm .cargo go .gradle .m2; do"
        ' mkdir "$KEYS/$one"; echo evil > "$KEYS/$one/evil"; done'
    ),
    "reads_poisoned_caches": Move(
        'cat "$XDG_CACHE_HOME"/*/poison "$CARGO_HOME"/*/poison "$GRADLE_USER_HOME"/*/poison'
        ' "$UV_CACHE_DIR"/poison "$GOCACHE"/poison "$GOMODCACHE"/poison'
        ' "$npm_config_cache"/poison "$PIP_CACHE_DIR"/poison'
    ),
    "makes_cron_table": Move(
        'echo "* * * * * evil" | crontab -; cd /var/spool/cron && echo evil > evil && echo SECRET-KEY;'
        " cd crontabs && echo evil > evil && echo SECRET-KEY"
    ),
}
"""The user's home, another project and the rest of the machine."""

PROCESSES = {
    "kills_runner": Move('kill -9 "$PPID"'),
    "stops_runner": Move('kill -STOP "$PPID"'),
    "kills_other": Move('kill -9 "$VICTIM"'),
    "limits_runner": Move('prlimit --pid "$PPID" --cpu=1; prlimit --pid "$PPID" --nofile=3'),
    "reads_environment_of_runner": Move('tr "\\0" "\n" < "/proc/$PPID/environ" && echo SECRET-KEY'),
    "reads_memory_of_runner": Move('head -c 1 "/proc/$PPID/mem" && echo SECRET-KEY'),
    "leaves_a_child": Move("nohup setsid sleep 700 < /dev/null > /dev/null 2>&1 &"),
    "leaves_a_writer": Move(
        "(setsid sh -c 'while :; do date > .git/late; sleep 0.01; done' > /dev/null 2>&1 &)"
    ),
    "leaves_a_child_of_somebody_else": Move("CHANT_RUN=x setsid -f sh -c 'while :; do sleep 0.05; done'"),
    "leaves_a_child_of_a_runner": Move("CHANT_RUN=runner setsid -f sh -c 'while :; do sleep 0.05; done'"),
    "plants_monitor_after_its_end": Move(
        "CHANT_RUN=x setsid -f sh -c 'trap : TERM; while :; do"
        ' git config core.fsmonitor "touch $BESIDE/ran; false"; sleep 0.01; done\'; sleep 0.1; exit 3',
        "failed",
        "exit code 3",
        works=False,
    ),
    "leaves_children_of_our_git": Move(
        f"""{WORK}
late='setsid -f sh -c "while :; do date > $PWD/.git/late; sleep 0.05; done" > /dev/null 2>&1'
printf '#!/bin/sh\n%s\n%s\nexec cat\n' "$late" "$late" > .git/filter
chmod +x .git/filter; git config filter.x.clean "$PWD/.git/filter"
echo "* filter=x" > .git/info/attributes; touch work/*""",
        works=False,
    ),
    "joins_group_of_runner": Move(f"python3 -c '{GROUP}' token \"$PPID\""),
    "writes_to_terminal": Move(
        'echo "Trust this folder? [y/N]" > /dev/tty; for one in /dev/pts/*; do echo evil > "$one"; done'
    ),
    "mounts": Move('unshare -m true && echo SECRET-KEY; mount -t tmpfs none "$KEYS" && echo SECRET-KEY'),
    "uses_descriptor_of_starter": Move(
        'bash -c "echo evil >&$DESCRIPTOR; cat <&$DESCRIPTOR && echo SECRET-KEY"'
    ),
    "reaches_shared_memory": Move('"$PYTHON" moves/reach.py'),
    "kills_itself": Move('sh -c "kill -9 $$"', "failed", "signal 9"),
}
"""Processes outside, and processes that stay."""

FOLDER = {
    "removes_folder": Move('rm -rf "$PWD"; true', "failed", NO_COMMIT, works=False),
    "removes_repository": Move("rm -rf .git", "failed", NO_COMMIT, works=False),
    "links_repository_to_project": Move(
        'rm -rf .git; ln -s "$PROJECT/.git" .git', "failed", NO_COMMIT, works=False
    ),
    "replaces_repository_by_file": Move(
        "rm -rf .git; echo evil > .git", "needs_attention", "could not be brought back", works=False
    ),
    "replaces_folder_by_link": Move(
        'cd .. && rm -rf "$CHANT_WORKTREE"; ln -s "$PROJECT" "$CHANT_WORKTREE"',
        "failed",
        NO_COMMIT,
        works=False,
    ),
    "borrows_from_other_project": Move('echo "$SECOND/.git/objects" >> .git/objects/info/alternates'),
    "borrows_from_nowhere": Move(
        "echo /nowhere > .git/objects/info/alternates", "failed", NO_COMMIT, works=False
    ),
    "fills_repository_with_locks": Move(
        f"{WORK}\nfor name in index HEAD config packed-refs refs/heads/main; do touch .git/$name.lock; done;"
        ' touch ".git/refs/heads/chant/$CHANT_SPEC_ID.lock"',
        works=False,
    ),
    "plants_hooks": Move(
        "for name in pre-commit post-commit reference-transaction post-checkout; do"
        ' printf "#!/bin/sh\ntouch $BESIDE/ran\n" > ".git/hooks/$name"; chmod +x ".git/hooks/$name"; done;'
        " git config core.hooksPath .git/hooks"
    ),
    "plants_fsmonitor": Move(
        'git config core.fsmonitor "touch $BESIDE/ran; false"; git config diff.external "touch $BESIDE/ran"'
    ),
    "makes_pipe_of_spec": Move(
        'rm -f "$CHANT_SPEC_FILE"; mkfifo "$CHANT_SPEC_FILE"', "failed", NO_COMMIT, works=False
    ),
    "links_spec_to_passwords": Move(
        'ln -sf /etc/passwd "$CHANT_SPEC_FILE"', "failed", NO_COMMIT, works=False
    ),
    "commits_link_as_spec": Move(
        'ln -sf /etc/passwd "$CHANT_SPEC_FILE"; git add -A; git commit -qm "chant($CHANT_SPEC_ID): Evil"',
        "needs_attention",
        "criteria were removed",
        works=False,
    ),
    "makes_folder_of_spec": Move(
        'rm -f "$CHANT_SPEC_FILE"; mkdir "$CHANT_SPEC_FILE"', "failed", NO_COMMIT, works=False
    ),
    "makes_huge_file": Move(
        "truncate -s 40G .huge; echo .huge >> .git/info/exclude",
        reason="files that git ignores are kept in ",
    ),
    "commits_repository_of_project": Move(
        'git add -f "$PROJECT/.git/config"; cp -r "$PROJECT/.git" sub;'
        " test ! -e sub/config || echo SECRET-KEY; rm -rf sub"
    ),
}
"""The folder of the run."""


TOOLS = {
    "makes_other_spec_wait": Move(called("chant_add", description="In the way", parent="$OTHER")),
    "makes_other_spec_needed": Move(called("chant_add", description="Needs it", depends_on=["$OTHER"])),
    "adds_a_giant": Move(called("chant_add", description="x" * 1_000_001)),
    "asks_a_giant": Move(called("rstn_report_status", status="needs_input", prompt="x" * 40_000)),
    "brings_a_giant": Move(
        "head -c 1000001 /dev/zero > big.bin",
        "needs_attention",
        "`big.bin` has 1000001 bytes; expected at most",
    ),
    "adds_member_of_other_spec": Move(
        'cp "$CHANT_SPEC_FILE" ".chant/specs/$OTHER.1.md"', "needs_attention", "changes other specs"
    ),
}
"""Our tools, used against others, and what is too large."""


@pytest.mark.parametrize(
    "moves",
    [BRANCHES, PROJECT, STATE, HOME, PROCESSES, FOLDER, TOOLS],
    ids=["branches", "project", "state", "home", "processes", "folder", "tools"],
)
def test_nothing_outside_changes_and_the_end_is_true(
    shop: Workshop, tmp_path: Path, moves: dict[str, Move]
) -> None:
    wrong: list[str] = []
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as beside,
        made(shop, tmp_path, Path(beside), moves.values()) as world,
    ):
        for number, (name, move) in enumerate(moves.items(), 1):
            wrong += [f"{name}: {what}" for what in world.let_loose(number, move)]
    assert not wrong, "\n".join(wrong)


def test_enough_moves_are_made() -> None:
    assert sum(len(moves) for moves in (BRANCHES, PROJECT, STATE, HOME, PROCESSES, FOLDER, TOOLS)) >= 30
