"""`chant_spec_update` (seed chant 340-406)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:spec_update:status_is_set": Requirement(
        "`status` sets the spec's status in its file.", "seed chant:346"
    ),
    "chant:spec_update:output_is_appended_under_its_heading": Requirement(
        "`output` is appended to the body under an `## Output` heading.", "seed chant:355"
    ),
    "chant:spec_update:output_has_no_timestamp": Requirement(
        "Appended output carries no timestamp.", "seed chant:357"
    ),
    "chant:spec_update:output_is_not_truncated": Requirement(
        "Appended output is written in full, however long it is.", "seed chant:358"
    ),
    "chant:spec_update:output_is_plain_text": Requirement(
        "Appended output is not wrapped in a code block.", "seed chant:360"
    ),
    "chant:spec_update:front_matter_keys_are_set": Requirement(
        "`depends_on`, `labels`, `target_files` and `model` each set that key of the front matter.",
        "seed chant:348; seed chant:349; seed chant:350; seed chant:351",
    ),
    "chant:spec_update:status_and_output_in_one_call": Requirement(
        "One call can set the status and append output.", "seed chant:373"
    ),
    "chant:spec_update:answers_with_the_id": Requirement(
        "The answer is `Updated spec: <id>` with the full ID.", "seed chant:389"
    ),
    "chant:spec_update:invalid_status_names_all_nine": Requirement(
        "An invalid status gives `Invalid status: <s>. Must be one of: …` naming all nine statuses.",
        "seed chant:1652; reference chant 5.9, 8.1 D8, D9",
    ),
    "chant:spec_update:no_updates_specified": Requirement(
        "A call that changes nothing gives the error `No updates specified`, without a prefix.",
        "seed chant:1653; decisions 3: `No updates specified`",
    ),
    "chant:spec_update:completed_needs_criteria_met": Requirement(
        "`status: completed` is refused while a criterion is open, unless `force` is given.",
        "decisions 3: `chant_spec_update`",
    ),
    "chant:spec_update:completed_needs_members_done": Requirement(
        "`status: completed` is refused while a member is open, unless `force` is given.",
        "decisions 3: `chant_spec_update`",
    ),
    "chant:spec_update:completed_needs_no_log": Requirement(
        "A spec worked by hand can be set to completed without an agent log.", "decisions 3: Completion"
    ),
    "chant:spec_update:check_ticks_named_criteria": Requirement(
        "`check` ticks the criteria whose texts it lists.", "decisions 3: `chant_spec_update`"
    ),
    "chant:spec_update:uncheck_clears_named_criteria": Requirement(
        "`uncheck` clears the criteria whose texts it lists.", "decisions 3: `chant_spec_update`"
    ),
    "chant:spec_update:lists_replace": Requirement(
        "A given list replaces the list that was there.", "decisions 3: `chant_spec_update`"
    ),
    "chant:spec_update:failure_changes_nothing": Requirement(
        "When one part of an update fails, no part of it is written.", "reference chant 5.9"
    ),
    "chant:spec_update:illegal_transition_is_refused": Requirement(
        "A transition outside the table is refused unless `force` is given.", "reference chant 5.9"
    ),
    "chant:spec_update:force_skips_legality": Requirement(
        "With `force` every one of the 81 status pairs is accepted.", "reference chant 5.9, 10.8"
    ),
    "chant:spec_update:each_output_is_a_new_section": Requirement(
        "Every call with `output` adds a further `## Output` section.", "reference chant 5.9"
    ),
    "chant:spec_update:empty_output_is_no_update": Requirement(
        "An empty `output` alone counts as no update.", "reference chant 5.9"
    ),
    "chant:spec_update:replace_body_replaces_the_body": Requirement(
        "With `replace_body` the `output` replaces the body.",
        "reference chant 5.9; decisions 3: `chant_spec_update`",
    ),
    "chant:spec_update:replace_body_keeps_the_title": Requirement(
        "With `replace_body` the old title line stays in front when the new text has none.",
        "reference chant 5.9",
    ),
    "chant:spec_update:errors_are_prefixed": Requirement(
        "Its errors start with `Failed to update spec: `, but for resolution, invalid status and no updates.",
        "reference chant 5.9; decisions 3: `No updates specified`",
    ),
    "chant:spec_update:cycle_is_refused": Requirement(
        "A `depends_on` that closes a cycle through this spec is refused.", "reference chant 4.7"
    ),
    "chant:spec_update:foreign_cycle_does_not_matter": Requirement(
        "A cycle elsewhere in the project does not stop an update.", "reference chant 4.7 R"
    ),
    "chant:spec_update:unknown_dependencies_are_reported": Requirement(
        "`depends_on` entries that name no known spec are reported in the answer.", "reference chant 4.7 R"
    ),
    "chant:spec_update:last_member_completes_its_driver": Requirement(
        "Completing the last open member completes a pending or in_progress driver that has no open "
        "criteria.",
        "reference chant 4.6; decisions 3: Completion",
    ),
}
