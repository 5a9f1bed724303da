"""`chant_work_start` and its runs (seed chant 769-793 and 1428; issue: The work runtime)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:work_start:returns_immediately": Requirement(
        "`chant_work_start` starts work in the background and returns at once.", "seed chant:771"
    ),
    "chant:work_start:base_is_the_current_branch": Requirement(
        "A run starts from the branch that is checked out and lands there, unless the caller or the "
        "configuration names another; start, list and end name it.",
        "issue: Ordinary repositories",
    ),
    "chant:work_start:answer_has_five_keys": Requirement(
        "The answer has `process_id`, `spec_id`, `pid`, `started_at` and `mode`.", "seed chant:782"
    ),
    "chant:work_start:mode_names_the_kind": Requirement(
        "`mode` is `single`, `chain` or `parallel(N)`.", "seed chant:786"
    ),
    "chant:work_start:chain_goes_on": Requirement(
        "With `chain` the next ready spec is worked after completion.", "seed chant:775"
    ),
    "chant:work_start:parallel_uses_n_workers": Requirement(
        "`parallel` works several ready specs with that many workers.", "seed chant:776"
    ),
    "chant:work_start:skip_criteria_skips_the_check": Requirement(
        "`skip_criteria` skips the criteria check before the start.", "seed chant:777"
    ),
    "chant:work_start:record_is_stored": Requirement(
        "The process is recorded in `.chant/processes/<process_id>.json`.", "seed chant:791"
    ),
    "chant:work_start:progress_is_in_the_log": Requirement(
        "`chant_log` with `offset` or `since` shows the progress of a run.", "seed chant:792"
    ),
    "chant:work_start:status_shows_the_run": Requirement(
        "`chant_status` with `include_activity` shows that the spec is being worked.", "seed chant:793"
    ),
    "chant:work_start:schema_has_five_parameters": Requirement(
        "The input schema requires `id` and has optional `chain`, `parallel`, `skip_criteria` and `on`.",
        "seed chant:1428",
    ),
    "chant:work_start:no_criteria_is_refused": Requirement(
        "Without criteria a start is refused unless `skip_criteria` is given.",
        "decisions 3: `chant_work_start` without criteria",
    ),
    "chant:work_start:red_gate_names_the_extras": Requirement(
        "A red quality gate refuses and names the extras of `chant_add`.",
        "decisions 3: `chant_work_start` without criteria",
    ),
    "chant:work_start:run_without_commit_never_completes": Requirement(
        "A run without a commit of the agent's own never completes by itself.", "decisions 3: Completion"
    ),
    "chant:work_start:ticks_before_the_start_are_recorded": Requirement(
        "Boxes that were ticked before the start are recorded as such.", "decisions 3: Completion"
    ),
    "chant:work_start:reworded_criteria_need_attention": Requirement(
        "A run that removes or rewords criteria ends in needs_attention.", "decisions 3: Completion"
    ),
    "chant:work_start:waiting_for_approval_needs_attention": Requirement(
        "A run that waits for approval ends in needs_attention with reason `awaiting_approval`.",
        "decisions 3: Completion",
    ),
    "chant:work_start:agent_sees_two_roots": Requirement(
        "The agent's own server edits its spec in the worktree's copy and everything else in main, and "
        "cannot finalize or start itself.",
        "decisions 3: The agent's own server",
    ),
    "chant:work_start:windows_is_refused": Requirement(
        "On Windows the tools of the work runtime answer that they are not supported there yet.",
        "decisions 3: Windows",
        built=False,
    ),
    "chant:work_start:state_may_forbid_it": Requirement(
        "A paused, completed or cancelled spec, and one in progress, is not started; what to do next is "
        "said.",
        "reference chant 5.17",
    ),
    "chant:work_start:refusals_leave_nothing": Requirement(
        "A refused start leaves no record, branch, worktree or process, and the spec as it was.",
        "issue: The work runtime, part A start; reference chant 8.2 W2",
    ),
    "chant:work_start:needs_a_repository": Requirement(
        "A start outside of a git repository, or before its first commit, is refused.",
        "issue: The work runtime, part A start",
    ),
    "chant:work_start:refused_start_restores_the_spec": Requirement(
        "When an agent cannot be started, the call says why, the record says failed, and the spec has its "
        "state back.",
        "issue: The work runtime, part A start; reference chant 8.2 W2",
    ),
    "chant:work_start:quality_warning": Requirement(
        "A red quality gate that is waived is reported as `quality_warning` with the grades.",
        "reference chant 5.17",
    ),
    "chant:work_start:one_run_of_a_spec": Requirement(
        "Of several starts of a spec, from whatever processes, exactly one begins.",
        "reference chant 10.9, 8.2 W13; issue: The work runtime, part One run",
    ),
    "chant:work_start:progress_is_told": Requirement(
        "A client that asks for progress gets each step of a start, in order.",
        "issue: The work runtime, part A start",
    ),
    "chant:work_start:runner_stands_alone": Requirement(
        "Runner and agent lead process groups of their own, the runner a session of its own.",
        "issue: The work runtime, part One run",
    ),
    "chant:work_start:outlives_the_server": Requirement(
        "A run completes although its server ends or is killed, and the next server knows it.",
        "issue: The work runtime, part One run",
    ),
    "chant:work_start:stdout_is_the_protocols": Requirement(
        "Nothing but messages stands on the server's standard output, whatever runs.",
        "reference chant 10.9, 8.2 W10",
    ),
    "chant:work_start:work_reaches_main": Requirement(
        "Proven work is merged into the main branch; branch and worktree go, the spec is completed with its"
        " commits.",
        "reference chant 8.2 W4; issue: The work runtime, part Merging",
    ),
    "chant:work_start:completion_needs_evidence": Requirement(
        "A run ends completed only with commits of the agent's own on its branch, the criteria ticked by "
        "it, and the work merged.",
        "reference chant 10.9, 8.2 W1; issue: The work runtime, part Completion",
    ),
    "chant:work_start:nothing_is_ticked_by_us": Requirement(
        "No run ticks a box that its agent did not tick.",
        "decisions 3: Completion; reference chant 8.2 W1",
    ),
    "chant:work_start:unproven_work_is_kept": Requirement(
        "Branch and worktree of work that is not proven stay.",
        "reference chant 8.2 W6",
    ),
    "chant:work_start:uncommitted_rest_is_kept": Requirement(
        "What an agent leaves uncommitted beside its work stays in its worktree, and the record says so.",
        "reference chant 8.2 W6",
    ),
    "chant:work_start:other_specs_stay_as_they_are": Requirement(
        "A merge alters no other spec's file.",
        "reference chant 10.9, 8.2 W3",
    ),
    "chant:work_start:other_specs_need_attention": Requirement(
        "A branch that changes or deletes other specs is not merged; the run needs attention.",
        "reference chant 8.2 W3; issue: The work runtime, part Completion",
    ),
    "chant:work_start:users_files_survive": Requirement(
        "The user's changed, staged and new files, their branch and their other specs survive a run byte "
        "for byte.",
        "reference chant 10.9; issue: The work runtime, part Isolation",
    ),
    "chant:work_start:one_line_for_one_key": Requirement(
        "A run changes the spec's own lines for what it says and the boxes that were ticked, and nothing "
        "else.",
        "reference chant 10.9, 8.2 W7",
    ),
    "chant:work_start:bad_files_hide_nothing": Requirement(
        "A malformed spec beside it is no obstacle to a run and stays as it is.",
        "reference chant 10.9",
    ),
    "chant:work_start:archived_dependency_satisfies": Requirement(
        "A completed dependency in the archive satisfies a start.",
        "reference chant 10.9",
    ),
    "chant:work_start:sub_folder_makes_no_difference": Requirement(
        "A server started in a sub-folder, or a project below the top of its repository, runs work all the "
        "same.",
        "reference chant 10.9",
    ),
    "chant:work_start:remotes_are_never_touched": Requirement(
        "A run touches no branch of a remote.",
        "reference chant 8.2 W22; issue: The work runtime, part Merging",
    ),
    "chant:work_start:failure_is_told_with_its_words": Requirement(
        "An agent that fails ends its run failed, with exit code or signal and the end of its standard "
        "error.",
        "reference chant 10.9; issue: The work runtime, part Agents",
    ),
    "chant:work_start:output_is_limited": Requirement(
        "An agent that writes more than the limit is ended, and its log stays small.",
        "reference chant 8.2 W22; issue: The work runtime, part Agents",
    ),
    "chant:work_start:log_has_whole_stamped_lines": Requirement(
        "A log has a header, and whatever an agent writes as whole lines with stamp and stream.",
        "reference chant 6.6; issue: The work runtime, part Agents",
    ),
    "chant:work_start:secrets_are_masked": Requirement(
        "Values of secret variables are masked in log, record, command line and answers.",
        "decisions 3: Secrets",
    ),
    "chant:work_start:nothing_lives_on": Requirement(
        "Nothing that an agent started lives on after its run.",
        "issue: The work runtime, part Pause",
    ),
    "chant:work_start:git_of_the_server_is_not_the_agents": Requirement(
        "Variables that tie a server's git to another repository do not reach runs.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:work_start:failed_work_goes_on": Requirement(
        "Another start of failed or lost work goes on in its branch and worktree, as the next attempt.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:work_start:fresh_keeps_earlier_work": Requirement(
        "A start afresh keeps the commits of earlier work under `refs/chant/backup/`.",
        "reference chant 8.2 W6; issue: The work runtime, part Isolation",
    ),
    "chant:work_start:dead_runner_is_noticed": Requirement(
        "A runner that was killed is noticed by who started it and by the next opening, list, diagnosis, "
        "start or stop: its agent is ended, its lock freed and its spec failed.",
        "reference chant 10.9",
    ),
    "chant:work_start:proven_work_of_a_dead_runner_is_merged": Requirement(
        "Work that was proven when its runner died is merged by the process that finds that.",
        "issue: The work runtime, part One run",
    ),
    "chant:work_start:ended_runner_ends_its_agent": Requirement(
        "A runner that is asked to end ends its agent first, and says so.",
        "issue: The work runtime, part Pause",
    ),
    "chant:work_start:driver_is_done_when_it_is": Requirement(
        "A run of a driver's members is completed when the driver is: while members or criteria of its own "
        "are open it needs attention and names them, and once its criteria are ticked it can be finalized.",
        "issue: A run works in a repository of its own, point 6",
    ),
    "chant:work_start:leaves_out_what_nobody_asked_for": Requirement(
        "Chains and work in parallel leave out specs that are no task for an agent, and merges that "
        "conflict, unless they were asked for; the end tells which.",
        "issue: The work runtime",
    ),
    "chant:work_start:failing_spec_is_tried_once": Requirement(
        "A spec that fails in a chain is tried once, and the chain goes on with the rest.",
        "reference chant 8.2 W11",
    ),
    "chant:work_start:retries_are_configured": Requirement(
        "A failure that matches a configured pattern is tried again as often as configured.",
        "reference chant 6.10; issue: The work runtime, part A start",
    ),
    "chant:work_start:agents_at_once_are_limited": Requirement(
        "No more agents work at once than the configuration allows, however they are started.",
        "reference chant 8.2 W22; issue: The work runtime, part Agents",
    ),
    "chant:work_start:dependents_follow_their_merge": Requirement(
        "In parallel work a spec starts after its dependencies are merged, on a branch that has them.",
        "reference chant 10.9; issue: The work runtime, part A start",
    ),
    "chant:work_start:same_file_is_merged_in_turn": Requirement(
        "Of two works that conflict the second waits, with a conflict spec that our own parser accepts.",
        "issue: The work runtime, part Merging",
    ),
}
