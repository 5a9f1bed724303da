"""`chant_spec_get` (seed chant 175-211)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:spec_get:partial_id_works": Requirement(
        "`chant_spec_get` finds a spec by its full ID or a part of it, such as `001`.",
        "seed chant:180; seed chant:101",
    ),
    "chant:spec_get:a_driver_says_what_it_waits_for": Requirement(
        "A driver that is to be done and cannot be worked on says so in `waiting_for`: it has no members, "
        "or all of them are done.",
        "issue 21",
    ),
    "chant:spec_get:answers_with_metadata_and_body": Requirement(
        "The answer has `id`, `title`, `status`, `type` and the `body`.", "seed chant:205"
    ),
    "chant:spec_get:answers_with_the_front_matter": Requirement(
        "The answer also has `depends_on`, `labels`, `target_files`, `context`, `prompt`, `branch`, "
        "`commits`, `completed_at`, `model`; absent ones null.",
        "reference chant 5.2",
    ),
    "chant:spec_get:remaining_keys_are_shown": Requirement(
        "The answer also shows the front-matter keys that this list does not name, such as `approval` or "
        "`members`.",
        "reference chant 5.2 R",
    ),
    "chant:spec_get:blocking_reasons_are_shown": Requirement(
        "The answer says why a spec is blocked.", "reference chant 5.2 R; issue: Graph"
    ),
    "chant:spec_get:criteria_counts_are_shown": Requirement(
        "The answer counts the spec's acceptance criteria.", "reference chant 5.2 R"
    ),
    "chant:spec_get:long_body_is_paged": Requirement(
        "A body longer than `max_chars` is cut between characters, and the next `offset` continues it "
        "without loss.",
        "decisions 3: Size of a result",
    ),
}
