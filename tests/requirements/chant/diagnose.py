"""`chant_diagnose` (seed chant 106 and 1282)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:diagnose:checks_file_log_lock_commit_criteria": Requirement(
        "`chant_diagnose` checks a spec's file, log, lock, commits and criteria.", "seed chant:1284"
    ),
    "chant:diagnose:answer_has_the_documented_keys": Requirement(
        "The answer has `spec_id`, `status`, `location`, `checks` (`name`, `passed`, `details`), `diagnosis` "
        "and `suggestion`.",
        "reference chant 5.7",
    ),
    "chant:diagnose:location_names_the_worktree": Requirement(
        "`location` is `main repository` or `worktree: <path>`, for a worktree of the spec's branch in any "
        "folder.",
        "reference chant 5.7",
    ),
    "chant:diagnose:spec_file_check": Requirement(
        "Check `Spec file` reports `Valid YAML`, `Invalid YAML: <e>` or `Cannot read: <e>`.",
        "reference chant 5.7",
    ),
    "chant:diagnose:log_file_check": Requirement(
        "Check `Log file` reports size and age in words, or `Does not exist`, and where it looked.",
        "reference chant 5.7",
    ),
    "chant:diagnose:lock_file_check": Requirement(
        "Check `Lock file` reports whether a lock is present, and where it looked.", "reference chant 5.7"
    ),
    "chant:diagnose:lock_age_and_owner_are_looked_at": Requirement(
        "A lock whose process is dead is distinguished from one that is held, by PID and age.",
        "reference chant 5.7 R",
    ),
    "chant:diagnose:git_commit_check": Requirement(
        "Check `Git commit` passes when the history has a message containing `chant(<id>)`, and names its "
        "short hash, else says `No matching commit found`.",
        "reference chant 5.7",
    ),
    "chant:diagnose:criteria_check": Requirement(
        "Check `Acceptance criteria` says `All satisfied` or `<n> unchecked items remaining`.",
        "reference chant 5.7",
    ),
    "chant:diagnose:in_progress_with_commit_is_inconsistent": Requirement(
        "An in_progress spec with a commit fails `Status consistency`.", "reference chant 5.7"
    ),
    "chant:diagnose:completed_without_evidence_is_inconsistent": Requirement(
        "A completed spec without a commit or with open criteria fails `Status consistency`.",
        "reference chant 5.7",
    ),
    "chant:diagnose:pending_with_commit_is_inconsistent": Requirement(
        "A pending spec with a commit fails `Status consistency`.", "reference chant 5.7"
    ),
    "chant:diagnose:other_statuses_get_a_remark": Requirement(
        "Paused, failed, needs_attention, blocked and cancelled specs pass `Status consistency` with a "
        "remark.",
        "reference chant 5.7",
    ),
    "chant:diagnose:healthy_spec_is_said_to_be": Requirement(
        "With no failed check the diagnosis is `All checks passed. Spec appears healthy.` and the suggestion "
        "null.",
        "reference chant 5.7",
    ),
    "chant:diagnose:unfinalized_spec_is_recognised": Requirement(
        "In progress with commit and criteria met: `Spec appears complete but wasn't finalized.`",
        "reference chant 5.7",
    ),
    "chant:diagnose:commit_with_open_criteria_is_recognised": Requirement(
        "In progress with commit and open criteria: `Spec has a commit but acceptance criteria not all "
        "satisfied.`",
        "reference chant 5.7",
    ),
    "chant:diagnose:other_failures_are_named": Requirement(
        "Other statuses with failed checks: `Spec has issues: <names>`.", "reference chant 5.7"
    ),
    "chant:diagnose:suggestions_name_tools_that_exist": Requirement(
        "A suggestion points to finalizing, the open criteria or the log, and names only commands that "
        "exist.",
        "reference chant 5.7",
    ),
    "chant:diagnose:fresh_pending_spec_is_healthy": Requirement(
        "A fresh pending spec is healthy without log and commit: checks are graded by status.",
        "reference chant 5.7 R",
    ),
    "chant:diagnose:dependency_reasons_are_named": Requirement(
        "For a blocked spec the reasons are named.", "reference chant 5.7 R; issue: Graph"
    ),
    "chant:diagnose:branch_merge_state_is_named": Requirement(
        "For a spec with a branch the answer says whether it is merged.", "reference chant 5.7 R"
    ),
    "chant:diagnose:failure_is_worded": Requirement(
        "A failure reads `Failed to diagnose spec: <e>`.", "reference chant 5.7", built=False
    ),
}
