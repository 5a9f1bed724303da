"""`chant_spec_list` (seed chant 130-173)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:spec_list:lists_every_spec_of_the_project": Requirement(
        "`chant_spec_list` lists the specs of the current project.", "seed chant:132"
    ),
    "chant:spec_list:status_filters": Requirement(
        "With `status` only specs of that status are listed, by the status that blocking derives.",
        "seed chant:135; reference chant 5.1",
    ),
    "chant:spec_list:all_nine_statuses_filter": Requirement(
        "`status` accepts each of the nine statuses, `ready` and `blocked` included.",
        "seed chant:1185; reference chant 8.1 D3",
    ),
    "chant:spec_list:default_limit_is_50": Requirement(
        "At most 50 specs are listed when no `limit` is given.", "seed chant:136"
    ),
    "chant:spec_list:answer_has_specs_total_limit_returned": Requirement(
        "The answer is an object with `specs`, `total` (all matches, before the limit), `limit` (as applied) "
        "and `returned`.",
        "seed chant:139; seed chant:140; seed chant:141; seed chant:142; reference chant 8.1 D2",
    ),
    "chant:spec_list:spec_has_id_title_status_type": Requirement(
        "Each listed spec has `id`, `title`, `status` and `type`.", "seed chant:167"
    ),
    "chant:spec_list:problems_are_listed": Requirement(
        "Unreadable files are listed as `problems` beside the specs.",
        "decisions 3: Unreadable files; reference chant 10.9.12",
    ),
    "chant:spec_list:spec_has_depends_on_and_labels": Requirement(
        "Each listed spec also has `depends_on` and `labels`, null when absent.", "reference chant 5.1"
    ),
    "chant:spec_list:cancelled_are_left_out_unless_asked": Requirement(
        "Cancelled specs are left out unless `status` is `cancelled`.", "reference chant 5.1, 8.1 D4"
    ),
    "chant:spec_list:unknown_status_is_refused": Requirement(
        "An unknown `status` is refused instead of being ignored.", "reference chant 8.1 D3, 8.2 W23"
    ),
    "chant:spec_list:limit_zero_gives_an_empty_list": Requirement(
        "`limit: 0` gives an empty list with the full `total`.", "reference chant 5.1"
    ),
    "chant:spec_list:negative_limit_is_refused": Requirement(
        "A negative or fractional `limit` is refused.", "reference chant 5.1, 8.2 W23"
    ),
}
