"""vine: errors (seed vine 177-184)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "vine:errors:parse_error": Requirement(
        "A parse error reads `Parse error (line <n>): <message>`, once, detail on the next line.",
        "seed vine:177; decisions 3: vine errors",
    ),
    "vine:errors:validation_error": Requirement(
        "A validation error reads `Validation error [<constraint>]: <message>`.", "seed vine:178"
    ),
    "vine:errors:other_graph_errors": Requirement(
        "Other graph errors show their message alone.", "seed vine:179"
    ),
    "vine:errors:missing_file": Requirement(
        "A missing file reads `File not found: <path>`.", "seed vine:180"
    ),
    "vine:errors:no_permission": Requirement(
        "A forbidden file reads `Permission denied: <path>`.", "seed vine:181"
    ),
    "vine:errors:are_tool_errors": Requirement("All errors are text with `isError: true`.", "seed vine:184"),
    "vine:errors:arguments_are_told_in_the_projects_words": Requirement(
        "Missing, unknown and ill-typed arguments of the vine tools are reported as in all other tools.",
        "decisions 3: Missing or ill-typed argument",
    ),
    "vine:errors:all_violations_are_told": Requirement(
        "A validation error has details and a line, and names every further violation.",
        "reference vine 3 R, D2",
    ),
    "vine:errors:not_utf8": Requirement(
        "A file that is not UTF-8 is refused with the place of the first wrong byte.",
        "reference vine W9",
    ),
}
