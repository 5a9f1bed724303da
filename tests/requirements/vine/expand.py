"""`vine_expand` (seed vine 133-250; reference vine 7)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "vine:expand:inlines_the_child": Requirement(
        "`vine_expand` replaces the reference `ref_id` by the tasks of `child_file`.", "seed vine:133"
    ),
    "vine:expand:answers_with_the_id": Requirement(
        'The answer is `Ref "<ref_id>" expanded.`', "seed vine:141"
    ),
    "vine:expand:prefixes_child_ids": Requirement(
        "Child task IDs are prefixed with the reference's ID.", "seed vine:249"
    ),
    "vine:expand:rewires_dependencies": Requirement(
        "Dependencies are re-wired to the inlined tasks.", "seed vine:250"
    ),
    "vine:expand:annotations_are_united": Requirement(
        "Annotations are united, the reference's value wins, and the child's relative URIs are rebased.",
        "decisions 3: vine expansion",
    ),
    "vine:expand:child_file_may_be_left_out": Requirement(
        "Without `child_file` the reference's own URI is used, relative to the parent's folder.",
        "reference vine 7 R",
    ),
    "vine:expand:the_child_stays_as_it_is": Requirement(
        "The child file is only read.",
        "reference vine 7",
    ),
    "vine:expand:places_are_seen_from_the_parent": Requirement(
        "Relative places that come from the child are rewritten for the parent's folder.",
        "decisions 3: vine expansion; reference vine W7",
    ),
    "vine:expand:version_is_raised": Requirement(
        "The parent's version is raised to the lowest that covers what came in.",
        "reference vine W7",
    ),
    "vine:expand:collisions_name_both": Requirement(
        "An ID that exists already is refused with its name in the parent and in the child.",
        "reference vine 7",
    ),
    "vine:expand:circles_are_refused": Requirement(
        "References that lead back to the parent or to the child are refused.",
        "reference vine 7 R, W7",
    ),
    "vine:expand:warns_while_the_reference_waits": Requirement(
        "Expanding a reference that still waits is answered with a warning that says for what.",
        "reference vine 7 R, W7",
    ),
    "vine:expand:takes_a_delimiter_that_no_line_equals": Requirement(
        "Where a description of the child has a line like the parent's delimiter, the parent gets another "
        "one.",
        "reference vine W1",
    ),
    "vine:expand:errors_name_the_child": Requirement(
        "What is wrong with the child names the child.",
        "reference vine D9",
    ),
}
