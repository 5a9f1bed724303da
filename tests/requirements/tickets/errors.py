"""tickets: errors (seed tickets 427-483)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "tickets:errors:object_has_three_keys": Requirement(
        "An error is `{error, code, details}` as text and structured content with `isError`.",
        "seed tickets:432; decisions 3: tickets errors; reference tickets 8.2: B25",
    ),
    "tickets:errors:project_not_found": Requirement(
        "`PROJECT_NOT_FOUND` names the project and the available ones.", "seed tickets:453"
    ),
    "tickets:errors:cr_not_found": Requirement(
        "`CR_NOT_FOUND` names the ticket and the available ones.",
        "seed tickets:444; reference tickets 10: Errors",
    ),
    "tickets:errors:validation_error": Requirement(
        "`VALIDATION_ERROR` names each bad field with its text.", "seed tickets:465"
    ),
    "tickets:errors:file_system_error": Requirement(
        "`FILE_SYSTEM_ERROR` is the code for a failed file operation, with its reason.", "seed tickets:446"
    ),
    "tickets:errors:template_error": Requirement(
        "`TEMPLATE_ERROR` is the code for a broken template.",
        "seed tickets:447; decisions 3: Ticket workflow, titles, dates, sections",
    ),
    "tickets:errors:section_not_found": Requirement(
        "`SECTION_NOT_FOUND` names the section and the available ones.", "seed tickets:477"
    ),
    "tickets:errors:duplicate_cr": Requirement(
        "`DUPLICATE_CR` refuses edits when two files have one code; reads list both paths.",
        "seed tickets:449; decisions 3: Ticket workflow, titles, dates, sections",
    ),
    "tickets:errors:invalid_transition": Requirement(
        "`INVALID_TRANSITION` has `from`, `to` and what is `allowed`.", "reference tickets 10: Errors"
    ),
    "tickets:errors:ambiguous_section": Requirement(
        "`AMBIGUOUS_SECTION` lists all sections that match, each by a name of its own.",
        "reference tickets 10: Errors",
    ),
    "tickets:errors:conflict": Requirement(
        "`CONFLICT` is the code for a file that somebody else keeps changing.", "reference tickets 10: Errors"
    ),
    "tickets:errors:choices_work": Requirement(
        "Every choice that an error lists works word for word in every operation.",
        "reference tickets 10: Errors; reference tickets 8.3: MDT-025",
    ),
    "tickets:errors:choices_are_limited": Requirement(
        "An error stays short: choices are cut at 50 and counted, giant values are cut.",
        "decisions 3: Size of a result",
    ),
}
