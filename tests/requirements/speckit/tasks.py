"""speckit: tasks, what is next, completing (reference rstn 2.4-2.6, 5.5, 6.3, 6.4)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "speckit:tasks:negated_dependencies_are_none": Requirement(
        "`(does not depend on T003)` and its like are no dependencies.", "issue: The daily hour 3"
    ),
    "speckit:tasks:numbers_without_zeros": Requirement(
        "`T6` stands for `T006` where there is no `T6`.", "issue: The daily hour 3"
    ),
    "speckit:tasks:any_bullet_box_and_id": Requirement(
        "Tasks are read with any bullet, box, indentation and wrapping of their ID; a line with another sign "
        "in its box is none, and a problem.",
        "reference rstn 2.6",
    ),
    "speckit:tasks:false_ones_are_none": Requirement(
        "Boxes without an ID, and IDs without a number, are no tasks.", "reference rstn 2.5"
    ),
    "speckit:tasks:fences_and_comments_are_ignored": Requirement(
        "Fenced code and comments hold no tasks.", "reference rstn 2.6"
    ),
    "speckit:tasks:headings_are_tasks": Requirement(
        "A heading with an ID and a box is a task; one with boxes below it is as far as these; one above "
        "the list that has its task is a heading.",
        "issue 21",
    ),
    "speckit:tasks:summaries_stand_for_nothing": Requirement(
        "A summary never stands for the tasks above it: what it repeats is no task, and the tasks above "
        "count.",
        "issue 21",
    ),
    "speckit:tasks:other_words_for_phases_and_stories": Requirement(
        "Phases, stories and priorities are known in several languages, and `[US1-US5]` is five stories.",
        "issue 21",
    ),
    "speckit:tasks:other_ids": Requirement(
        "`T-001`, `T2-001`, `T_5` and `TASK-003` are IDs, also where tasks depend on them.", "issue 21"
    ),
    "speckit:tasks:what_looks_like_one_is_named": Requirement(
        "What looks like a task and is not read is named with its line and why; a problem says what to "
        "write, once for all lines of one reason.",
        "issue 21",
    ),
    "speckit:tasks:swallowed_ones_are_named": Requirement(
        "A fence that is never closed, or that another one inside it closes, is a problem of the list "
        "where headings or boxes stand in it.",
        "issue 21",
    ),
    "speckit:complete_task:the_last_box_below_a_heading": Requirement(
        "A heading's task without a box is completed by the last open box below it; with several open "
        "ones it is refused with their lines.",
        "issue 21",
    ),
    "speckit:tasks:markers_and_paths": Requirement(
        "Brackets behind the ID are markers; files are what looks like a path.", "reference rstn 2.6"
    ),
    "speckit:tasks:parts_criteria_and_continuations": Requirement(
        "Deeper tasks are parts, boxes without an ID criteria, deeper lines go on with the description.",
        "reference rstn 2.6",
    ),
    "speckit:tasks:phases_and_groups": Requirement(
        "Headings are phases and groups, with number, story, priority and checkpoint.", "reference rstn 2.6"
    ),
    "speckit:tasks:dependencies_are_named": Requirement(
        "`(depends on T012, T013)` names dependencies, ranges too; so do `**Depends on**: T012` "
        "and its like.",
        "reference rstn 2.6",
    ),
    "speckit:tasks:progress_leaves_out_skipped": Requirement(
        "Skipped tasks and criteria do not count.", "reference rstn 2.6"
    ),
    "speckit:next:parallel_tasks_at_once": Requirement(
        "Tasks marked `[P]` can be done at once, the others in turn.", "issue 8; reference rstn 6.3"
    ),
    "speckit:next:stories_after_the_phases_before": Requirement(
        "Stories wait for the phases before them, not for one another; other phases for all before.",
        "reference rstn 5.5",
    ),
    "speckit:next:parts_come_first": Requirement(
        "The parts of a task come before it, and wait their turn with it.", "reference rstn 2.6"
    ),
    "speckit:next:says_what_is_waited_for": Requirement(
        "What cannot be done yet says what it waits for.", "reference rstn 6.3"
    ),
    "speckit:next:keys_of_a_workspace": Requirement(
        "Tasks carry the keys of a workspace, such as `speckit:060-name#T001`.", "decisions 2"
    ),
    "speckit:complete_task:follows_the_files_ticks": Requirement(
        "The tick is the `x` or `X` that most of the file's ticks are.", "reference rstn 2.6"
    ),
    "speckit:complete_task:event_is_recorded": Requirement(
        "Completing is recorded with session, agent, feature and time.", "issue 8"
    ),
    "speckit:complete_task:duplicates_are_refused": Requirement(
        "An ID that stands twice is refused with its lines.", "reference rstn 2.4"
    ),
    "speckit:complete_task:checks_have_to_pass": Requirement(
        "Configured checks have to pass before a box is ticked, unless validation is skipped.",
        "reference rstn 6.4",
    ),
    "speckit:complete_task:evidence_is_recorded": Requirement(
        "How checks ended is recorded, secrets masked.", "reference rstn 6.3"
    ),
    "speckit:complete_task:checks_are_limited": Requirement(
        "A check that takes too long, or cannot be run, has not passed.", "reference rstn 6.3"
    ),
    "speckit:complete_task:concurrent_ones_lose_nothing": Requirement(
        "Tasks completed at once, by threads or processes, are all ticked.", "issue 8; reference rstn 6.4"
    ),
    "speckit:complete_task:hundreds_without_a_board": Requirement(
        "Hundreds of completions in a row hang nowhere, and later calls see them.",
        "reference rstn 6.4",
    ),
}
