"""`chant_reset` and `chant_resume` (seed chant 117-118 and 1370)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:reset:failed_becomes_pending": Requirement(
        "`chant_reset` sets a failed spec back to pending.", "seed chant:117"
    ),
    "chant:reset:in_progress_is_allowed_without_process": Requirement(
        "An in_progress spec is reset when no process lives.",
        "decisions 3: `chant_reset` on `in_progress`; reference chant 8.1 D16",
    ),
    "chant:reset:refused_while_a_process_lives": Requirement(
        "A reset is refused, with nothing changed, while a process works on the spec.",
        "decisions 3: `chant_reset` on `in_progress`; reference chant 5.12 R",
    ),
    "chant:reset:branch_is_kept_as_backup": Requirement(
        "The spec's branch is kept under `refs/chant/backup/…`.",
        "decisions 3: `chant_reset` on `in_progress`",
    ),
    "chant:reset:unmerged_commits_stay_reachable": Requirement(
        "A reset never makes unmerged commits unreachable.",
        "decisions 3: `chant_reset` on `in_progress`; decisions 4",
    ),
    "chant:reset:uncommitted_changes_stay": Requirement(
        "A reset never deletes a worktree that holds uncommitted changes.", "decisions 4"
    ),
    "chant:reset:answers_with_the_id": Requirement(
        "The answer is `Reset spec '<id>' to pending`.", "reference chant 5.12"
    ),
    "chant:reset:other_statuses_are_refused": Requirement(
        "Another status gives `Failed to reset spec: Spec '<id>' is not in failed or in_progress state "
        "(current: <S>). …` and removes nothing.",
        "reference chant 5.12 R",
    ),
    "chant:reset:removes_a_dead_processs_lock": Requirement(
        "A reset removes the lock of the spec that a dead process left, and nothing of the project's own.",
        "reference chant 5.12; decisions 6: What is believed",
    ),
    "chant:reset:clears_fields_of_the_last_run": Requirement(
        "A reset removes `completed_at`, `commits`, `branch` and `retry_state` from the front matter.",
        "reference chant 3.3, 5.12 R",
    ),
    "chant:resume:does_what_reset_does": Requirement(
        "`chant_resume` takes the input and has the effect and answer of `chant_reset`.",
        "seed chant:118; decisions 3: `chant_resume`; reference chant 8.1 D1",
    ),
    "chant:resume:is_described_as_deprecated": Requirement(
        "The description of `chant_resume` calls it deprecated and names `chant_reset`.",
        "seed chant:118; decisions 3: `chant_resume`",
    ),
    "chant:reset:stops_running_work": Requirement(
        "A reset stops the work on its spec first.",
        "issue: The work runtime, part Pause",
    ),
    "chant:reset:keeps_uncommitted_work": Requirement(
        "What an agent had not committed is kept under the backup, too.",
        "reference chant 8.2 W6",
    ),
}
