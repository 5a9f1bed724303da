"""Approval and conflicts (reference chant 4.4, 6.9, 7 and 9)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:approve:records_the_decision": Requirement(
        "`approve` and `reject` set `approval` to required, with status, `by` and `at`, and add date, "
        "name, decision and reason to `## Approval Discussion`.",
        "reference chant 4.4 and 9",
    ),
    "chant:approve:by_is_gits_user": Requirement(
        "Who decides is git's user unless `--by` names somebody.", "reference chant 9"
    ),
    "chant:approve:unknown_committer_is_warned_of": Requirement(
        "A name or address that made no commit of the repository is warned of.", "reference chant 9"
    ),
    "chant:approve:spares_all_other_bytes": Requirement(
        "A decision changes the entries of `approval` and the discussion, and no other byte; what would "
        "be lost stops it.",
        "decisions 1",
    ),
    "chant:approve:discussion_is_kept_in_order": Requirement(
        "Decisions follow one another in the discussion; nothing in a reason counts as a heading or "
        "criterion.",
        "reference chant 9",
    ),
    "chant:approve:again_changes_nothing": Requirement(
        "The same decision again says so and changes nothing.", "issue: Providers, split, approval, conflicts"
    ),
    "chant:approve:refuses_what_is_past": Requirement(
        "A cancelled spec, one that asked for no approval and is completed, and approved work that is "
        "done are past deciding.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:agents_cannot": Requirement(
        "No tool decides, no run's own agent does, and what an agent writes of it into its copy counts "
        "for nothing.",
        "reference chant 4.4; issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:not_while_somebody_works": Requirement(
        "No one decides about a spec while an agent is at work on it.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:nothing_is_committed": Requirement(
        "A decision is an edit of the spec's file: nothing is committed or staged by it.",
        "reference chant 6.2 R, 8.2 W6",
    ),
    "chant:approve:waiting_work_is_merged": Requirement(
        "Approving work that waits merges it and completes record, spec and branch.",
        "decisions 3: Completion",
    ),
    "chant:approve:waiting_work_is_shown": Requirement(
        "`chant_diagnose` says of work that waits for approval who decides and how.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:by_hand_in_the_file_counts": Requirement(
        "An approval that a person writes into the file, or whose process died before the merge, is "
        "merged by the next opening, `approve` and watch.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:merge_may_wait": Requirement(
        "Approved work whose merge has to wait is merged when its way is free.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:work_needs_it_again": Requirement(
        "Work that was rejected needs approval again before it is merged.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:discussion_and_branch_are_merged": Requirement(
        "The discussion is merged with whatever the agent wrote into its copy of the spec.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:rejected_means_changed": Requirement(
        "Work that a person rejected counts as done only after a commit that changes more than the spec's"
        " file.",
        "issue: Ordinary repositories, 8",
    ),
    "chant:landing:message": Requirement(
        "The message of a landing is the configured template, else of the conventional form where most"
        " commits of the target have it, else the usual one.",
        "issue: Ordinary repositories, 3",
    ),
    "chant:landing:style": Requirement(
        "`landing.style: merge | squash | rebase` says how work becomes part of its target. Squashed"
        " it is one commit of the person's; rewritten it is the agent's commits on top of the target,"
        " authors kept, the spec's final state in a last one. The agent's own commits are kept under a"
        " ref that the record names, and the commits that a spec names are on the target.",
        "issue: Ordinary repositories, 3",
    ),
    "chant:landing:style_after_a_crash": Requirement(
        "Work that landed squashed or rewritten is found as landed by recovery, whatever moment its"
        " runner died at, and lands once.",
        "issue: Ordinary repositories, 3",
    ),
    "chant:landing:style_and_leases": Requirement(
        "A style other than `merge` is refused at the start where the configuration has `leases`,"
        " with the choice.",
        "issue: Ordinary repositories, 3",
    ),
    "chant:landing:signed": Requirement(
        "With `commit.gpgsign` all that lands squashed or rewritten is signed by the person's key;"
        " with `merge` start and `--dry-run` say that the agent's commits will be unsigned. Where"
        " signing fails nothing lands, and the work waits for the person with git's words.",
        "issue: Ordinary repositories, 4",
    ),
    "chant:landing:hooks": Requirement(
        "The hooks that git runs at a person's own merge or commit look at what lands; one that"
        " refuses keeps it from landing, with its words. The start says which hooks look at it, and"
        " that agents' own commits run none.",
        "issue: Ordinary repositories, 3",
    ),
    "chant:landing:hooks_confined": Requirement(
        "Where no person merges, hooks run confined as checks are, in a folder of their own with what recipes"
        " install and the hooks of the person's checkout; `landing.hooks: user` in the user's own"
        " configuration, or a merge by a person, gives them the rights of the user.",
        "issue: Ordinary repositories, 3",
    ),
    "chant:filters:of_environment": Requirement(
        "A filter of git whose program a recipe installs is that of the run's folder, also where the"
        " setting names the one of the checkout.",
        "issue: Ordinary repositories, 6",
    ),
    "chant:filters:git_crypt": Requirement(
        "A checkout that is unlocked for git-crypt is worked on, and the work lands encrypted.",
        "issue: Ordinary repositories, 6",
    ),
    "chant:filters:broken_is_named": Requirement(
        "A filter that fails in the run's folder is named before the agent starts, with its words and the"
        " way.",
        "issue: Ordinary repositories, 6",
    ),
    "chant:landing:concerns": Requirement(
        "New secrets, large files and folders of dependencies in a run's work wait for a person, with their"
        " names; the user's own `landing` says what lands all the same.",
        "issue: Ordinary repositories, 11",
    ),
    "chant:reject:needs_a_reason": Requirement(
        "A rejection without a reason is refused.", "reference chant 9"
    ),
    "chant:reject:manual_does_nothing_else": Requirement(
        "With `manual` a rejection writes its own spec and nothing else; a rejected plan is not started.",
        "reference chant 4.4 and 7",
    ),
    "chant:reject:dependency_makes_a_fix_spec": Requirement(
        "With `dependency` a spec for what has to be fixed is made, and the rejected one is blocked "
        "until it is done.",
        "reference chant 7",
    ),
    "chant:reject:group_makes_members": Requirement(
        "With `group` each criterion becomes a member, and the spec their driver.",
        "reference chant 2.3 and 7",
    ),
    "chant:reject:all_or_none": Requirement(
        "What a rejection writes is written all or none, also through a crash.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:reject:action_is_one_of_three": Requirement(
        "An unknown `approval.rejection_action` is reported, and nothing is written.", "reference chant 7"
    ),
    "chant:reject:completed_work_needs_attention": Requirement(
        "A completed spec that waits for approval needs attention when it is rejected.", "reference chant 4.4"
    ),
    "chant:reject:waiting_work_is_gone_on_with": Requirement(
        "Rejected work stays on its branch, and a start goes on with it in the same worktree.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:reject:feedback_is_in_the_prompt": Requirement(
        "The agent that goes on with rejected work is given the discussion.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:settled_by_an_agent_completes_both": Requirement(
        "An agent's run on a conflict spec merges the waiting work with its own, in one commit, and both "
        "specs are completed.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:nothing_is_left_over": Requirement(
        "Of a settled conflict no branch, worktree or uncommitted change is left.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:dependents_become_ready": Requirement(
        "What waited for the work in conflict is ready when that is settled.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:names_both_sides": Requirement(
        "A conflict spec names branches, files, the specs or commits of both sides, open specs on the "
        "same files, and what to do.",
        "issue: Providers, split, approval, conflicts; reference chant 6.9",
    ),
    "chant:conflict:target_may_move_on": Requirement(
        "When the target moves on while a conflict is settled, no second conflict spec is written; work "
        "on the first goes on.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:closed_when_nothing_is_left": Requirement(
        "A conflict spec is closed when its work is merged in another way, cancelled or reset: completed "
        "only with ticked criteria, else cancelled with what happened.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:unwanted_work_is_not_merged": Requirement(
        "Work that was given up while its conflict was settled is not merged.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:needs_both_sides": Requirement(
        "A run on a conflict spec whose branch does not contain the waiting work fails.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:finalize_resumes_what_waited": Requirement(
        "Finalizing a conflict spec merges what waited, if it can be merged.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:crash_is_completed": Requirement(
        "A crash after the merge of a settled conflict is completed for both specs by the next look.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:demo_agent:resolve_keeps_both_sides": Requirement(
        "On a conflict spec the demo agent merges both branches and keeps the lines of both sides.",
        "issue: Providers, split, approval, conflicts",
    ),
    "cli:approve:decides": Requirement(
        "`approve ID` and `reject ID --reason TEXT` decide, and say what became of it.", "reference chant 9"
    ),
    "cli:approve:read_only_refuses": Requirement(
        "With `--read-only` no one decides.", "issue: Providers, split, approval, conflicts"
    ),
    "cli:list:by_approval": Requirement(
        "`list --approval` shows the specs whose approval is pending, approved or rejected.",
        "reference chant 9",
    ),
    "cli:show:shows_approval": Requirement("`show` shows the approval and who decided.", "reference chant 9"),
    "cli:add:needs_approval": Requirement(
        "`add --needs-approval` makes a spec that waits for approval.", "reference chant 9"
    ),
    "chant:merge:conflict_becomes_a_spec": Requirement(
        "A conflict becomes one spec of type `conflict` that names branches, files and what to do, reads "
        "without errors, and is not written twice.",
        "issue: The work runtime, part Merging; reference chant 8.2 W17",
    ),
    "chant:merge:settled_conflict_is_merged": Requirement(
        "A conflict that a person has settled in the worktree is merged by `merge` and by the next opening.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:spec_edits_of_both_survive": Requirement(
        "What the user writes into the spec while the agent works survives beside the agent's ticks: "
        "title, lists, keys, comments, order, line ends and words.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:added_criterion_is_not_taken_for_done": Requirement(
        "A criterion that is added to the spec while the agent works needs attention; nothing is merged "
        "before it is ticked.",
        "decisions 3: Completion",
    ),
    "chant:merge:same_line_needs_attention": Requirement(
        "A line of the spec that user and agent changed differently needs attention, and nothing is written.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:cancelled_by_hand_is_not_merged": Requirement(
        "Work on a spec that was cancelled by hand meanwhile is not merged.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:new_loop_is_refused": Requirement(
        "Work that closes a cycle of dependencies is not merged.", "issue: The work runtime, part Merging"
    ),
    "chant:merge:other_specs_need_permission": Requirement(
        "Work that changes another spec needs attention, unless `defaults.allow_other_specs` permits it.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:specs_never_vanish": Requirement(
        "Work that removes specs is not merged, whatever is permitted.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:late_result_of_an_older_run_is_refused": Requirement(
        "A run that ends after a newer run of its spec was started is not merged.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:persons_commits_and_ticks_count": Requirement(
        "After a takeover, `merge` counts the commits and ticks that a person made in the worktree.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:nothing_unproven_is_merged_by_hand": Requirement(
        "`merge` refuses work without commits or with open criteria, and keeps it.",
        "issue: The work runtime, part Merging; decisions 3: Completion",
    ),
    "chant:merge:kinds_of_files_come_along": Requirement(
        "Modes, links, moves, removals and folders in the place of files come along with a merge.",
        "issue: The work runtime, part Merging",
    ),
}
