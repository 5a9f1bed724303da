"""chant: types, titles, IDs (reference chant 2.3-2.6)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:types:six_are_known": Requirement(
        "The types are `code`, `task`, `driver`, `documentation`, `research` and `group`.",
        "reference chant 2.3, 8.1 D30",
    ),
    "chant:types:unknown_type_is_read_tolerantly": Requirement(
        "A spec with another type, such as `feature` or `conflict`, is still listed, with that type.",
        "seed chant:167; reference chant 8.1 D30",
    ),
    "chant:title:first_level_1_heading": Requirement(
        "The title is the first level-1 heading of the body, or null without one.", "reference chant 2.4"
    ),
    "chant:title:fenced_lines_do_not_count": Requirement(
        "A `# ` line inside fenced code is not the title.", "reference chant 2.4"
    ),
    "chant:title:empty_heading_is_null": Requirement(
        "An empty heading gives a null title.", "reference chant 2.4"
    ),
    "chant:ids:are_file_names": Requirement(
        "A spec's ID is its file name without `.md`; any stem is accepted.", "reference chant 2.5"
    ),
    "chant:ids:extension_is_case_sensitive": Requirement(
        "A file ending in `.MD` is no spec.", "reference chant 2.5"
    ),
    "chant:ids:generated_form": Requirement(
        "A generated ID is the local date, a base-36 sequence of at least three digits and three random "
        "base-36 characters.",
        "reference chant 2.5",
    ),
    "chant:ids:sequence_follows_the_highest": Requirement(
        "The sequence is one more than the highest of that day, in base 36: after `009` comes `00a`, after "
        "`00z` comes `010`.",
        "reference chant 2.5",
    ),
    "chant:ids:members_extend_the_driver": Requirement(
        "Member IDs are `<driver>.N`, nested ones `<driver>.N.M`.", "reference chant 2.5"
    ),
    "chant:order:date_sequence_suffix": Requirement(
        "Specs are sorted by date, then numerically by sequence, then by suffix.", "reference chant 2.5, 10.2"
    ),
    "chant:order:driver_before_members_by_number": Requirement(
        "A driver stands before its members, which go by number: `.2` before `.10`.",
        "reference chant 2.5, 10.2",
    ),
    "chant:order:nested_members_have_a_fixed_place": Requirement(
        "Nested members have a fixed place whatever the folder's order.", "reference chant 2.5"
    ),
    "chant:order:free_names_compare_as_text": Requirement(
        "IDs without five parts compare as plain text.", "reference chant 2.5, 10.2"
    ),
    "chant:order:short_five_part_id_is_safe": Requirement(
        "A file named `a-b-c-d-e.md` is sorted without a crash.",
        "reference chant 2.5, 8.2 W9; issue: Bad input",
    ),
    "chant:resolve:full_id_first": Requirement(
        "An equal full ID wins over every partial match.", "reference chant 2.6"
    ),
    "chant:resolve:unique_suffix": Requirement(
        "A suffix of exactly one ID finds it.", "reference chant 2.6, 10.1"
    ),
    "chant:resolve:three_characters_mean_today": Requirement(
        "Three characters find the one spec of today with that sequence.", "reference chant 2.6"
    ),
    "chant:resolve:unique_substring": Requirement(
        "A substring of exactly one ID finds it.", "reference chant 2.6, 10.1"
    ),
    "chant:resolve:is_case_sensitive": Requirement(
        "Partial IDs are case-sensitive.", "reference chant 2.6, 10.1"
    ),
    "chant:resolve:ambiguous_names_the_matches": Requirement(
        "Several matches give `Ambiguous spec ID '<text>'. Matches: <id>, <id>, …`, sorted and capped.",
        "reference chant 2.6 R",
    ),
    "chant:resolve:none_is_not_found": Requirement(
        "No match gives the tool error `Spec not found: <text>`.", "reference chant 2.6"
    ),
    "chant:resolve:archived_id_is_told": Requirement(
        "When only an archived spec matches, the error says that the ID is archived.", "reference chant 2.6 R"
    ),
    "chant:resolve:empty_id_is_refused": Requirement(
        "An empty ID is refused.", "reference chant 2.6 R, 10.1"
    ),
}
