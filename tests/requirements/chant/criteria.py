"""chant: acceptance criteria (reference chant 2.7, 10.3)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:criteria:one_parser_everywhere": Requirement(
        "Every tool counts the same criteria for the same spec.", "issue: Criteria; reference chant 8.2 W15"
    ),
    "chant:criteria:section_of_any_level": Requirement(
        "The section `Acceptance Criteria`, in any case, may be a heading of level 2 to 6.",
        "reference chant 2.7 R, 10.3",
    ),
    "chant:criteria:sub_headings_belong": Requirement(
        "A deeper heading inside the section does not end it; one of the same or a higher level does.",
        "reference chant 2.7, 10.3",
    ),
    "chant:criteria:any_bullet_counts": Requirement(
        "Task items count with any bullet: `-`, `*` or `+`.", "reference chant 2.7 R"
    ),
    "chant:criteria:both_cases_of_x_count": Requirement(
        "`[x]` and `[X]` both count as ticked.", "reference chant 2.7 R, 10.3"
    ),
    "chant:criteria:nested_items_count": Requirement("Nested items count.", "reference chant 2.7, 10.3"),
    "chant:criteria:fenced_items_do_not_count": Requirement(
        "Items inside fences of backticks or tildes do not count.", "reference chant 2.7 R, 10.3"
    ),
    "chant:criteria:mid_line_boxes_do_not_count": Requirement(
        "`- [ ]` in the middle of a line does not count.", "reference chant 2.7 R, 10.3"
    ),
    "chant:criteria:all_sections_count": Requirement(
        "With two such sections an open item of the first one is not overlooked.",
        "reference chant 5.16, 8.2 W15, 10.3",
    ),
    "chant:criteria:only_check_ticks": Requirement(
        "No tool but `chant_spec_update` with `check` ever ticks a criterion.", "decisions 3: Completion"
    ),
}
