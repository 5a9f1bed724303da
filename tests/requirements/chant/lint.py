"""`chant_lint` (seed chant 432-442 and 633-666)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:lint:one_spec_by_id": Requirement("With `id` only that spec is linted.", "seed chant:638"),
    "chant:lint:all_specs_without_id": Requirement("Without `id` every spec is linted.", "seed chant:638"),
    "chant:lint:diagnostic_has_severity_rule_message_suggestion": Requirement(
        "A diagnostic has `severity` (`error` or `warning`), `rule`, `message` and `suggestion`, beside its "
        "`spec_id`.",
        "seed chant:418; reference chant 5.8.2",
    ),
    "chant:lint:complexity_warns_about_criteria": Requirement(
        "`complexity` warns when the criteria exceed the threshold; the message names number and threshold.",
        "seed chant:433; seed chant:484; reference chant 5.8.2",
    ),
    "chant:lint:complexity_warns_about_files": Requirement(
        "`complexity` warns when the target files exceed the threshold: `Spec touches <n> files (>5) - "
        "consider splitting`.",
        "seed chant:433; reference chant 5.8.2",
    ),
    "chant:lint:complexity_warns_about_words": Requirement(
        "`complexity` warns when the words exceed 150, once `complexity_words` is no longer disabled.",
        "seed chant:433; reference chant 5.8.2",
    ),
    "chant:lint:complexity_suggests_splitting": Requirement(
        "A `complexity` finding suggests splitting the spec.", "seed chant:484; reference chant 5.8.2"
    ),
    "chant:lint:coupling_names_other_specs_in_the_body": Requirement(
        "`coupling` warns about IDs of other specs in the body, names them and suggests `depends_on`.",
        "seed chant:434; reference chant 5.8.2",
    ),
    "chant:lint:invalid_type_names_the_allowed_ones": Requirement(
        "`type` reports an invalid spec type as an error that names the allowed types.",
        "seed chant:435; seed chant:484; reference chant 8.1 D30",
    ),
    "chant:lint:missing_type_is_reported": Requirement(
        "`type` reports front matter without a spec type.", "seed chant:435"
    ),
    "chant:lint:model_waste_warns_about_costly_models": Requirement(
        "`model_waste` warns when a simple spec asks for an opus or sonnet model.",
        "seed chant:436; reference chant 5.8.2",
    ),
    "chant:lint:approval_inconsistency_is_an_error": Requirement(
        "`approval` reports a decision without `by` or `at`, and a pending one with `by`.",
        "seed chant:437; reference chant 5.8.2",
    ),
    "chant:lint:output_schema_is_checked": Requirement(
        "`output` reports, for a completed spec, a missing schema file and output that does not satisfy it.",
        "seed chant:438; reference chant 5.8.2",
    ),
    "chant:lint:unknown_dependency_is_an_error": Requirement(
        "`dependency` reports `Unknown dependency '<id>'`.", "seed chant:439; reference chant 5.8.2"
    ),
    "chant:lint:required_field_is_an_error": Requirement(
        "`required` reports `Missing required field '<f>'` for each key of `enterprise.required` that is "
        "absent.",
        "seed chant:440; reference chant 5.8.2",
    ),
    "chant:lint:missing_title_is_an_error": Requirement(
        "`title` reports `Missing title`.", "seed chant:441; reference chant 5.8.2"
    ),
    "chant:lint:unreadable_front_matter_is_an_error": Requirement(
        "`parse` reports unreadable front matter as `Invalid YAML frontmatter: <e>`.",
        "seed chant:442; reference chant 5.8.2",
    ),
    "chant:lint:answer_has_the_decided_keys": Requirement(
        "The answer has `specs_checked`, `errors`, `warnings`, `diagnostics` and `scores`.",
        "decisions 3: `chant_lint`",
    ),
    "chant:lint:is_sorted_by_id": Requirement(
        "Diagnostics and scores are sorted by spec ID.", "decisions 3: `chant_lint`; reference chant 8.2 W23"
    ),
    "chant:lint:problems_are_listed": Requirement(
        "Unreadable files are listed as `problems`.", "decisions 3: Unreadable files; reference chant 10.9.12"
    ),
    "chant:lint:dialect_prefix_beats_repository_name": Requirement(
        "A configured repository named like a dialect is a lint error, since the dialect's prefix wins.",
        "decisions 2: workspace.rs",
    ),
    "chant:lint:swallowing_fences_are_errors": Requirement(
        "A fence that is never closed, or that a fence inside it closes, is an error where boxes stand in "
        "it, and a warning where only headings do.",
        "issue 21",
    ),
    "chant:criteria:what_looks_like_one_is_named": Requirement(
        "A line of the acceptance criteria that looks like an item with a box and is none (`- [] `, `[ ] `, "
        "a box in a paragraph, an underlined heading, HTML or indented code) is an error of `chant_lint`, "
        "and named with its line by `chant_verify`, `chant_diagnose` and the refusal of `chant_work_start`; "
        "such a spec is not verified.",
        "reference chant 2.7 R, 10.3",
    ),
    "chant:fences:are_named_everywhere": Requirement(
        "`chant_lint`, `chant_verify`, `chant_diagnose` and the refusal of `chant_work_start` name such a "
        "fence with its line, how much it takes in, and what to do.",
        "issue 21",
    ),
    "chant:lint:config_failure_is_worded": Requirement(
        "A config that cannot be read gives `Failed to load config: <e>`.", "reference chant 5.8"
    ),
    "chant:lint:score_has_the_documented_keys": Requirement(
        "A score has `id`, `title`, `traffic_light`, `complexity`, `confidence`, `splittability`, "
        "`ac_quality`, `isolation` and `suggestions`.",
        "reference chant 5.8",
    ),
    "chant:lint:complexity_grade": Requirement(
        "The complexity grade follows the thresholds for criteria, files and words.", "reference chant 5.8.1"
    ),
    "chant:lint:confidence_grade": Requirement(
        "The confidence grade follows bullet ratio, share of verbs and vague words.", "reference chant 5.8.1"
    ),
    "chant:lint:vague_words_are_whole_words": Requirement(
        "`fetch` does not count as the vague word `etc`.", "reference chant 5.8.1"
    ),
    "chant:lint:splittability_grade": Requirement(
        "The splittability grade follows headings and files; coupling words make it D.",
        "reference chant 5.8.1",
    ),
    "chant:lint:members_and_single_criteria_are_c": Requirement(
        "Members and specs with exactly one criterion have splittability C before anything else is looked "
        "at.",
        "reference chant 5.8.1",
    ),
    "chant:lint:ac_quality_grade": Requirement(
        "The criteria grade is D for none, C for 1, B for 2 or 3, A for 4 or more.", "reference chant 5.8.1"
    ),
    "chant:lint:isolation_grade": Requirement(
        "Isolation is graded for specs with members only, else null; a single member gives A.",
        "reference chant 5.8.1",
    ),
    "chant:lint:light_is_red_for_any_d": Requirement(
        "The light is red when complexity, confidence or ac_quality is D.", "reference chant 5.8.1"
    ),
    "chant:lint:light_is_green_for_a_and_b": Requirement(
        "The light is green when complexity, confidence and ac_quality are all A or B, else yellow.",
        "reference chant 5.8.1",
    ),
    "chant:lint:suggestions_follow_the_grades": Requirement(
        "Each bad grade adds its documented suggestion; suggestions are sorted and unique.",
        "reference chant 5.8.1",
    ),
    "chant:lint:title_only_scores_red": Requirement(
        "A spec with only a title scores A, D, C, D: red.", "reference chant 10.4"
    ),
    "chant:lint:verbs_and_criteria_score_green": Requirement(
        "Two verb bullets and four verb criteria without files score B, A, C, A: green.",
        "reference chant 10.4",
    ),
    "chant:lint:small_member_scores_yellow": Requirement(
        "A member with one criterion `Add z` scores A, A, C, C: yellow.", "reference chant 10.4"
    ),
    "chant:lint:coupled_spec_scores_green": Requirement(
        "Three files, three headings, two criteria and `tightly coupled` score B, A, D, B: green.",
        "reference chant 10.4",
    ),
    "chant:lint:unknown_member_is_an_error": Requirement(
        "`dependency` reports a `members` entry without a spec as `Unknown member spec '<id>'`.",
        "reference chant 5.8.2",
    ),
    "chant:lint:single_spec_run_knows_all_specs": Requirement(
        "Linting one spec does not call its dependencies unknown when they exist.", "reference chant 5.8.2"
    ),
    "chant:lint:documentation_needs_tracks_and_target_files": Requirement(
        "`type` warns about documentation specs without `tracks` or `target_files`.", "reference chant 5.8.2"
    ),
    "chant:lint:research_needs_sources": Requirement(
        "`type` warns about research specs without both `informed_by` and `origin`, and about missing "
        "`target_files`.",
        "reference chant 5.8.2",
    ),
    "chant:lint:container_needs_members": Requirement(
        "`type` warns about a driver or group whose `members` list is empty.", "reference chant 5.8.2"
    ),
    "chant:lint:coupling_skips_containers_and_family": Requirement(
        "`coupling` skips drivers and groups, and IDs of the spec itself, its driver and its members.",
        "reference chant 5.8.2",
    ),
    "chant:lint:coupling_skips_fenced_code": Requirement(
        "`coupling` ignores IDs inside fenced code.", "reference chant 5.8.2"
    ),
    "chant:lint:coupling_words_sibling_references": Requirement(
        "A member that names a sibling gets the message about sibling specs.", "reference chant 5.8.2"
    ),
    "chant:lint:model_waste_needs_all_three_small": Requirement(
        "`model_waste` needs criteria, files and words all within the simple thresholds, and no driver, "
        "group or research type.",
        "reference chant 5.8.2",
    ),
    "chant:lint:output_is_found_in_the_log": Requirement(
        "The output to check is looked for as fenced `json`, any fence, the whole text, then the first "
        "balanced braces or brackets.",
        "reference chant 5.8.2",
    ),
    "chant:lint:output_needs_a_log": Requirement(
        "A completed spec without a log has no `output` finding.", "reference chant 5.8.2"
    ),
    "chant:lint:disable_honours_every_rule": Requirement(
        "`lint.disable` turns off any rule it names.", "reference chant 5.8.2"
    ),
}
