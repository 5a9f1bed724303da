"""`chant_work_list` (seed chant 694-767)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:work_list:answer_has_processes_and_summary": Requirement(
        "The answer has `processes` and `summary` with `running`, `completed` and `failed`.", "seed chant:705"
    ),
    "chant:work_list:process_has_seven_keys": Requirement(
        "A process has `process_id`, `spec_id`, `pid`, `status` (`running`, `completed`, `failed`), "
        "`started_at`, `completed_at` and `mode`.",
        "seed chant:707",
    ),
    "chant:work_list:completed_at_is_null_while_running": Requirement(
        "`completed_at` is null while a process runs.", "seed chant:712"
    ),
    "chant:work_list:completed_ones_only_on_request": Requirement(
        "Ended processes are listed only with `include_completed`.", "seed chant:700"
    ),
    "chant:work_list:process_id_filters_by_substring": Requirement(
        "`process_id` lists only the processes whose ID contains that text.",
        "seed chant:699; decisions 3: Run records of chant 0.23",
    ),
    "chant:work_list:is_empty_without_runs": Requirement(
        "Without any run the list is empty and every count zero.", "issue: Seventeen tools"
    ),
    "chant:work_list:summary_counts_all_records_kept": Requirement(
        "`summary` counts all records kept, whatever the filter.", "decisions 3: Run records of chant 0.23"
    ),
    "chant:work_list:records_of_0_23_are_failed_and_stale": Requirement(
        "Process records of chant 0.23 are shown as failed and stale.",
        "decisions 3: Run records of chant 0.23",
    ),
    "chant:work_list:signals_nothing": Requirement(
        "Listing never signals a process.", "decisions 3: Run records of chant 0.23; decisions 4"
    ),
    "chant:work_list:deletes_nothing": Requirement("Listing deletes no record.", "reference chant 5.0"),
    "chant:work_list:extra_keys_are_kept": Requirement(
        "A process also has `stale`, `log_modified` and `branch`.", "reference chant 5.18 R"
    ),
    "chant:work_list:pid_is_checked_by_start_time": Requirement(
        "A reused PID does not make an ended process look alive.", "reference chant 5.18 R"
    ),
    "chant:work_list:tells_how_far_work_is": Requirement(
        "A run at work also tells its agent, worktree and the criteria of the copy that is worked on; a run "
        "of several how many specs it has and which run each began below.",
        "issue: A start that says started has started",
    ),
    "chant:work_list:records_are_kept_seven_days_or_200": Requirement(
        "Records of ended runs are kept for 7 days or up to 200.",
        "decisions 3: Run records of chant 0.23",
    ),
    "chant:work_list:records_and_logs_are_bounded_by_size": Requirement(
        "Records of ended runs come to at most 64 MiB, the logs of a checkout to 1,000 and 512 MiB; the"
        " newest stay, and those of runs that work or wait.",
        "issue 43: point 5",
    ),
}
