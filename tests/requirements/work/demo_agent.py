"""The demo agent, whom runs are tried with (issue: The work runtime, part Agents)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:demo_agent:proposes_members": Requirement(
        "Asked to divide a spec, the demo agent proposes members of its criteria and changes nothing; labels "
        "`demo:split-…` make it answer badly.",
        "house: demo agent",
    ),
    "chant:demo_agent:does_the_work": Requirement(
        "`chant-mcp demo-agent` adds a line to each target file or to `demo/<id>.txt`, ticks the criteria "
        "and commits that as `chant(<id>): <title>`.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:says_what_it_does": Requirement(
        "The demo agent says in short whole lines what it does.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:knows_what_a_criterion_is": Requirement(
        "The demo agent ticks the criteria that the core counts.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:reads_lists_as_the_core_does": Requirement(
        "The demo agent reads title and lists of a spec as the core does, in block and in flow style.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:ticks_spare_bytes": Requirement(
        "Ticking by the demo agent changes the marks in open boxes of criteria and no other byte.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:target_files_keep_their_form": Requirement(
        "The line added to a target file has the line end of the file, and stands on a line of its own.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:target_files_are_confined": Requirement(
        "A target file outside of the project or in git's own folder is refused with exit code 2 before "
        "anything is done.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:spec_outside_of_git_is_only_ticked": Requirement(
        "A spec that git does not track is ticked by the demo agent and not committed.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:project_may_be_a_part_of_the_checkout": Requirement(
        "The demo agent works in the project's root where that is a sub-folder of the checkout.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:names_an_author_only_where_there_is_none": Requirement(
        "The demo agent commits as the configured person, and under a name of its own only where no one "
        "is configured.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:hooks_run": Requirement(
        "The user's hooks run on commits of the demo agent, and may refuse them.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:failures_are_told": Requirement(
        "What the demo agent cannot do or is not given is reported in a sentence, with exit code 1 or 2.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:never_waits_for_its_prompt": Requirement(
        "The demo agent does not wait for its standard input, whatever is written there.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:starts_at_once": Requirement(
        "The demo agent imports neither the MCP SDK nor what only people need.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:is_a_hidden_command": Requirement(
        "The command `demo-agent` is not listed in the help and obeys `--read-only`.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:labels_choose": Requirement(
        "Labels `demo:<behaviour>` choose what precedes the work and one way of working; others are "
        "refused with exit code 2.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:slow_takes_its_time": Requirement(
        "`demo:slow` takes DEMO_SECONDS or those of `demo:seconds=N`, and says something now and then.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:wait_goes_on_when_told": Requirement(
        "`demo:wait` prints `waiting` until the file `.chant/demo-go/<id>` appears in the user's checkout.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:grandchildren_are_left_behind": Requirement(
        "`demo:grandchildren` leaves two processes behind with the output open: one in a session of its "
        "own, one deaf to SIGTERM.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:binary_writes_what_is_no_text": Requirement(
        "`demo:binary` writes bytes that are no UTF-8 and a line of a million bytes.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:secret_tells_on_the_environment": Requirement(
        "`demo:secret` prints the variables with KEY, TOKEN, SECRET or PASSWORD in their names.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:fail_exits_with_3": Requirement(
        "`demo:fail` complains on standard error and exits with 3.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:crash_ends_by_a_signal": Requirement(
        "`demo:crash` ends by SIGABRT.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:hang_waits_for_ever": Requirement(
        "`demo:hang` does nothing until it is asked to end.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:stubborn_has_to_be_killed": Requirement(
        "`demo:stubborn` hangs and does not hear SIGTERM.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:flood_writes_without_end": Requirement(
        "`demo:flood` writes without end.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:nothing_changes_nothing": Requirement(
        "`demo:nothing` succeeds without a change.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:lie_commits_only_the_spec": Requirement(
        "`demo:lie` ticks, commits the spec alone and claims that all is done.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:empty_commits_nothing": Requirement(
        "`demo:empty` makes an empty commit.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:unticked_ticks_nothing": Requirement(
        "`demo:unticked` works, commits and ticks nothing.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:partly_ticks_the_first": Requirement(
        "`demo:partly` works, commits and ticks only the first criterion.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:reword_changes_a_criterion": Requirement(
        "`demo:reword` changes the text of a criterion.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:remove_deletes_a_criterion": Requirement(
        "`demo:remove` deletes a criterion.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:others_changes_another_spec": Requirement(
        "`demo:others` changes another spec, too.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:delete_others_removes_all_other_specs": Requirement(
        "`demo:delete-others` deletes all other specs in its commit.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:uncommitted_commits_nothing": Requirement(
        "`demo:uncommitted` works and ticks without a commit.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:dirty_leaves_a_change": Requirement(
        "`demo:dirty` works, commits and leaves another change.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:switch_works_on_another_branch": Requirement(
        "`demo:switch` works on a branch that it makes, not on the run's.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:status_is_set_to_completed": Requirement(
        "`demo:status` sets the status in its copy of the spec to completed, too.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:conflict_changes_the_first_line": Requirement(
        "`demo:conflict` changes the first line of the target files, so that two of them conflict.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:output_ends_in_an_object": Requirement(
        "`demo:output` prints a JSON object as its last line.",
        "issue: The work runtime, part Agents",
    ),
}
