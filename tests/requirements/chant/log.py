"""`chant_log` (seed chant 492-577)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:log:default_is_the_last_100_lines": Requirement(
        "The last `lines` lines are returned, 100 unless given.", "seed chant:498"
    ),
    "chant:log:offset_starts_at_a_byte": Requirement(
        "`offset` starts the answer at that byte of the log.", "seed chant:499"
    ),
    "chant:log:since_drops_older_lines": Requirement(
        "`since` drops lines whose stamp is not later than that time.", "seed chant:500; reference chant 5.5"
    ),
    "chant:log:answer_has_four_keys": Requirement(
        "The answer has `content`, `byte_offset`, `line_count` and `has_more`.", "seed chant:505"
    ),
    "chant:log:polling_returns_only_new_content": Requirement(
        "Calling again with the returned `byte_offset` returns only what was added since.", "seed chant:512"
    ),
    "chant:log:offset_pages_forward_in_whole_lines": Requirement(
        "With `offset` the lines after it are returned in order, whole lines only.",
        "decisions 3: `chant_log` with `offset`; reference chant 5.5 R",
    ),
    "chant:log:byte_offset_is_where_to_continue": Requirement(
        "`byte_offset` is the end of the last returned line, so that no line is skipped or repeated.",
        "decisions 3: `chant_log` with `offset`; reference chant 5.5 R",
    ),
    "chant:log:incomplete_last_line_waits": Requirement(
        "A last line without its newline is returned only when it is complete.", "reference chant 5.5 R"
    ),
    "chant:log:has_more_says_that_lines_were_cut": Requirement(
        "`has_more` is true when lines were cut by the limit.", "reference chant 5.5"
    ),
    "chant:log:offset_at_or_past_the_end_is_empty": Requirement(
        "An `offset` at or past the end gives empty content.", "reference chant 5.5"
    ),
    "chant:log:offset_inside_a_character_is_safe": Requirement(
        "An `offset` inside a multi-byte character gives an answer and no crash.",
        "reference chant 5.5, 8.2 W9; issue: Bad input",
    ),
    "chant:log:invalid_utf8_is_read_lossily": Requirement(
        "A log with invalid UTF-8 is answered with replacement characters.", "reference chant 5.5 R"
    ),
    "chant:log:lines_without_stamp_are_kept": Requirement(
        "With `since`, lines without a stamp are kept.", "reference chant 5.5"
    ),
    "chant:log:unreadable_since_is_refused": Requirement(
        "A `since` that is no timestamp is refused.", "reference chant 8.2 W23"
    ),
    "chant:log:content_joins_lines_without_final_newline": Requirement(
        "`content` joins the lines by newline, without one at the end.", "reference chant 5.5"
    ),
    "chant:log:missing_log_is_explained": Requirement(
        "Without a log the error is ``No log file found for spec '<id>'. Logs are created when a spec is "
        "executed with `chant work`.``",
        "reference chant 5.5",
    ),
}
