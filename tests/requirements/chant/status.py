"""`chant_status` (seed chant 241-338)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:status:counts_by_status": Requirement(
        "The answer has `total`, `pending`, `in_progress`, `completed`, `failed`, `blocked`, `cancelled` and "
        "`needs_attention`.",
        "seed chant:270",
    ),
    "chant:status:brief_is_one_line": Requirement(
        "With `brief` the answer is one line such as `3 pending | 2 in_progress | 15 completed`.",
        "seed chant:301",
    ),
    "chant:status:brief_names_what_occurs_in_order": Requirement(
        "The brief line names only the statuses that occur, in the order of the full answer.",
        "seed chant:301; reference chant 5.4, 10.6",
    ),
    "chant:status:activity_is_added_on_request": Requirement(
        "With `include_activity` the answer gains `in_progress_activity`, one entry for each spec in "
        "progress.",
        "seed chant:247",
    ),
    "chant:status:activity_entry_has_five_keys": Requirement(
        "An activity entry has `id`, `title`, `spec_modified`, `log_modified` and `has_log`.",
        "seed chant:332",
    ),
    "chant:status:activity_times_have_the_documented_form": Requirement(
        "Activity times read `YYYY-MM-DD HH:MM:SS`, in local time.", "seed chant:332; reference chant 5.4"
    ),
    "chant:status:problems_are_listed": Requirement(
        "Unreadable files are listed as `problems` in the full answer.", "decisions 3: Unreadable files"
    ),
    "chant:status:brief_says_no_specs": Requirement(
        "The brief line of an empty project is `No specs`.", "reference chant 5.4, 10.6"
    ),
    "chant:status:brief_wins_over_activity": Requirement(
        "With both `brief` and `include_activity` the brief line is the answer.", "reference chant 5.4"
    ),
    "chant:status:counts_effective_statuses": Requirement(
        "The counts go by the status that blocking derives, over all active specs.", "reference chant 5.4"
    ),
    "chant:status:ready_and_paused_are_counted_in": Requirement(
        "A stored `ready` counts as pending, a stored `paused` as in_progress.", "reference chant 5.4"
    ),
    "chant:status:activity_leaves_paused_out": Requirement(
        "`in_progress_activity` does not name paused specs.", "reference chant 5.4"
    ),
    "chant:status:log_modified_is_null_without_log": Requirement(
        "`log_modified` is null and `has_log` false for a spec without a log.", "reference chant 5.4"
    ),
    "chant:status:activity_has_utc_beside": Requirement(
        "An activity entry carries each time also as UTC in RFC 3339.", "reference chant 5.4 R"
    ),
}
