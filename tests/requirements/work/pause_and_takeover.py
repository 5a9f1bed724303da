"""`chant_pause` and `chant_takeover` (seed chant 866-1004; issue: The work runtime, part Pause)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:work_start:decides_about_the_status": Requirement(
        "While a run works on a spec, no tool gives the spec another status; the refusal names the run.",
        "decisions 6: What is believed",
    ),
    "chant:takeover:nothing_in_the_folder_delays_it": Requirement(
        "Whatever an agent left in its folder, a stop and a takeover are answered soon; what is too large"
        " to be read is named.",
        "issue 40: item 11",
    ),
    "chant:pause:stops_the_agent": Requirement(
        "`chant_pause` stops the agent that works on the spec.", "seed chant:866"
    ),
    "chant:pause:status_is_in_progress": Requirement(
        "After a pause the spec is `in_progress`, its work kept, and not failed.", "seed chant:867"
    ),
    "chant:pause:answers_with_the_id": Requirement(
        "The answer is `Successfully paused work for spec '<id>'`.", "seed chant:894"
    ),
    "chant:pause:needs_a_process": Requirement(
        "Without a process: `Failed to pause work for spec '<id>': No running process found`.",
        "seed chant:910",
    ),
    "chant:pause:record_says_paused": Requirement(
        "The record of a paused run says `paused`, and a later start continues in the kept worktree.",
        "decisions 3: `chant_pause`",
    ),
    "chant:pause:signals_only_its_own_process": Requirement(
        "No process is signalled whose start time differs from its record.", "decisions 4"
    ),
    "chant:pause:meets_the_end_of_the_work": Requirement(
        "A stop that meets the end of the work leaves record, spec and main branch in agreement.",
        "reference chant 8.2 W13",
    ),
    "chant:pause:ends_a_chain": Requirement(
        "A pause of the spec that a chain is at, or began with, ends the chain.",
        "decisions 3: `chant_pause`; issue: The work runtime, part A start",
    ),
    "chant:pause:never_says_failed": Requirement(
        "Nothing that was asked to stop says that it failed: not the run, not the spec, not the run above; "
        "a spec whose work had not started is as it was.",
        "issue: A run works in a repository of its own, point 6",
    ),
    "chant:takeover:stops_the_agent": Requirement(
        "`chant_takeover` stops the agent if one runs.", "seed chant:928"
    ),
    "chant:takeover:answer_has_five_keys": Requirement(
        "The answer has `spec_id`, `analysis`, `log_tail`, `suggestion` and `worktree_path`.",
        "seed chant:939",
    ),
    "chant:takeover:tail_has_20_lines": Requirement(
        "`log_tail` holds the last 20 lines of the log.", "seed chant:941; decisions 3: `chant_takeover`"
    ),
    "chant:takeover:worktree_path_may_be_null": Requirement(
        "`worktree_path` is null when the worktree is gone.", "seed chant:947"
    ),
    "chant:takeover:needs_a_process_or_force": Requirement(
        "Without a process and `force`: `Failed to take over spec '<id>': Spec not currently being worked`.",
        "seed chant:1004",
    ),
    "chant:takeover:writes_nothing_into_the_spec": Requirement(
        "The spec's body stays as it was, its status `in_progress`, and the record says `taken_over`.",
        "decisions 3: `chant_takeover`",
    ),
    "chant:takeover:tells_how_far_the_work_is": Requirement(
        "The answer adds branch, commits, how much they change, uncommitted files and open criteria.",
        "issue: The work runtime, part Pause",
    ),
}
