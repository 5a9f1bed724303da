"""Worktrees (issue: The work runtime)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:worktrees:list_tells_whose_they_are": Requirement(
        "The list of worktrees tells for each its spec, branch and run, what is not committed, and why it"
        " is kept.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:worktrees:prune_keeps_what_is_not_merged": Requirement(
        "`prune` keeps worktrees with commits or files that are nowhere else, and those whose run goes on"
        " or waits.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:worktrees:prune_removes_what_is_merged": Requirement(
        "`prune` removes worktrees that hold nothing of their own, with branch and files beside them.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:worktrees:users_own_are_left_alone": Requirement(
        "Worktrees that no run was given are neither listed nor removed.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:worktrees:retry_goes_on_or_keeps_a_backup": Requirement(
        "A retry goes on in branch and worktree of the run before, or starts afresh and keeps that branch"
        " under `refs/chant/backup/`.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:worktrees:fresh_start_keeps_uncommitted_work": Requirement(
        "A fresh start keeps what was not committed in the worktree with the backup.",
        "issue: The work runtime, part Isolation",
    ),
}
