"""`chant_finalize` (seed chant 116 and 1356)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:finalize:marks_a_spec_completed": Requirement(
        "`chant_finalize` marks a spec as completed.", "seed chant:116"
    ),
    "chant:finalize:already_done": Requirement(
        "A person may complete a spec whose work was done before: open criteria are ticked, no commit is"
        " asked for, and the receipt has the words of the agent that found nothing to change.",
        "issue: Ordinary repositories, 9",
    ),
    "chant:finalize:refuses_open_criteria": Requirement(
        "With open criteria: `Spec '<id>' has <n> unchecked acceptance criteria. All criteria must be "
        "checked before finalization.`",
        "seed chant:1357; reference chant 5.11",
    ),
    "chant:finalize:hand_work_needs_no_log_and_no_commit": Requirement(
        "A spec without a run record is finalized with neither log nor commit.", "decisions 3: Completion"
    ),
    "chant:finalize:names_the_commits_found": Requirement(
        "The answer names the commits found, or says that there are none.", "decisions 3: Completion"
    ),
    "chant:finalize:run_needs_log_and_commit": Requirement(
        "A spec with a run record is finalized only with its log and a commit of the agent.",
        "decisions 3: Completion; reference chant 5.11",
    ),
    "chant:finalize:force_does_not_skip_criteria": Requirement(
        "`force` is accepted, and even with it open criteria refuse.",
        "reference chant 5.11, 8.1 D15; decisions 3: Completion",
    ),
    "chant:finalize:needs_a_fitting_status": Requirement(
        "Any status but in_progress, completed or failed is refused and named: `Current status: <S>`.",
        "reference chant 5.11",
    ),
    "chant:finalize:refuses_a_dirty_worktree": Requirement(
        "Uncommitted changes in the spec's worktree refuse with `Cannot finalize: uncommitted changes in "
        "worktree. Commit your changes first.`",
        "reference chant 5.11",
    ),
    "chant:finalize:refuses_open_members": Requirement(
        "Open members refuse: `Cannot complete driver spec '<id>' while <n> member spec(s) are incomplete: "
        "<ids>`.",
        "reference chant 5.11",
    ),
    "chant:finalize:cancelled_members_do_not_matter": Requirement(
        "A driver whose members are all completed or cancelled can be finalized.", "reference chant 4.6"
    ),
    "chant:finalize:later_errors_are_prefixed": Requirement(
        "Errors about worktree, members, log and commits start with `Failed to finalize spec: `; that the "
        "configuration cannot be read is reported as it is.",
        "reference chant 5.11",
    ),
    "chant:finalize:answers_with_the_id": Requirement(
        "The answer starts with `Finalized spec: <id>`.", "reference chant 5.11"
    ),
    "chant:finalize:writes_completed_at": Requirement(
        "`completed_at` is written as UTC `YYYY-MM-DDTHH:MM:SSZ`.", "reference chant 5.11, 2.2"
    ),
    "chant:finalize:writes_commits_oldest_first": Requirement(
        "`commits` lists short hashes, oldest first, from `branch` when it has any, else from the current "
        "branch.",
        "reference chant 5.11",
    ),
    "chant:finalize:fills_an_absent_model": Requirement(
        "An absent `model` is filled from `CHANT_MODEL`, else `ANTHROPIC_MODEL`, else `defaults.model`.",
        "reference chant 5.11",
    ),
    "chant:finalize:keeps_the_model_of_the_spec": Requirement(
        "A `model` that the spec names is neither overwritten nor erased.",
        "reference chant 3.3, 5.11, 8.2 W7",
    ),
    "chant:finalize:asks_claude_for_the_model": Requirement(
        "As last resort the model is read from the parenthesis of `claude --version`.",
        "reference chant 5.11",
        built=False,
    ),
    "chant:finalize:accepts_a_spec_without_criteria": Requirement(
        "A spec without criteria can be finalized.", "reference chant 5.11"
    ),
    "chant:finalize:again_refreshes": Requirement(
        "Finalizing a completed spec again refreshes its record.", "reference chant 5.11"
    ),
    "chant:finalize:merges_nothing": Requirement(
        "`chant_finalize` merges no branch.", "reference chant 5.11"
    ),
    "chant:finalize:is_on_disk_when_it_answers": Requirement(
        "When the answer is sent, the completed status can be read back from the file.",
        "reference chant 5.11; decisions 1",
    ),
    "chant:finalize:last_member_completes_its_driver": Requirement(
        "Finalizing the last open member completes a pending or in_progress driver that has no open "
        "criteria.",
        "reference chant 4.6, 5.11; decisions 3: Completion",
    ),
    "chant:finalize:ai_coauthor_asks_for_approval": Requirement(
        "With `approval.require_approval_for_agent_work`, a commit whose co-author trailer names an AI makes "
        "finalize ask for approval.",
        "reference chant 4.4",
    ),
}
