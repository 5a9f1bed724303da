"""`chant_add` (seed chant 408-490)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:add:description_becomes_the_title": Requirement(
        "`description` becomes the title of the new spec.", "seed chant:413"
    ),
    "chant:add:prompt_is_stored": Requirement(
        "`prompt` is stored as the spec's prompt template name.", "seed chant:414"
    ),
    "chant:add:answers_with_the_new_id": Requirement("The answer is `Created spec: <id>`.", "seed chant:468"),
    "chant:add:findings_follow_the_id": Requirement(
        "A new spec is linted; findings follow after a blank line and `Lint diagnostics:`, each as `  "
        "[WARNING] rule: message` or `  [ERROR] rule: message`.",
        "seed chant:426; seed chant:484",
    ),
    "chant:add:suggestion_follows_its_finding": Requirement(
        "A finding's suggestion follows on the next line as `    → suggestion`.",
        "seed chant:484; seed chant:429",
    ),
    "chant:add:scores_are_left_to_lint": Requirement(
        "The answer shows no scores.", "decisions 3: `chant_add` text"
    ),
    "chant:add:extras_are_written": Requirement(
        "`criteria`, `depends_on`, `labels`, `target_files`, `type` and `parent` reach the new file.",
        "decisions 3: `chant_add` extras",
    ),
    "chant:add:criteria_are_open_items_of_the_section": Requirement(
        "`criteria` become open items under `## Acceptance Criteria`, where every gate sees them.",
        "decisions 3: `chant_add` extras",
    ),
    "chant:add:parent_makes_a_member": Requirement(
        "With `parent` the new spec gets the next free member ID of that driver.",
        "decisions 3: `chant_add` extras; reference chant 2.5",
    ),
    "chant:add:file_starts_as_pending_code": Requirement(
        "The new file has `type: code` and `status: pending`, then the title as a level-1 heading.",
        "reference chant 5.10",
    ),
    "chant:add:long_description_is_cut_at_the_newline": Requirement(
        "A description over 80 bytes with a newline is cut there into title and body.",
        "reference chant 5.10, 10.5",
    ),
    "chant:add:long_description_is_cut_after_the_sentence": Requirement(
        "A description over 80 bytes without a newline is cut after its first sentence; the title keeps the "
        "period.",
        "reference chant 5.10, 10.5",
    ),
    "chant:add:uncuttable_description_is_the_title": Requirement(
        "A long description with nothing after its first sentence is the title as a whole.",
        "reference chant 5.10",
    ),
    "chant:add:short_description_is_unchanged": Requirement(
        "A single-line description of 80 bytes or fewer is the heading unchanged.",
        "reference chant 5.10, 10.5",
    ),
    "chant:add:short_description_with_newline_gives_title_and_body": Requirement(
        "A short description with a newline gives its first line as title and the rest as body.",
        "reference chant 5.10",
    ),
    "chant:add:empty_description_is_refused": Requirement(
        "An empty or blank description is refused and no file is made.", "reference chant 8.2 W16"
    ),
    "chant:add:prompt_is_quoted_where_yaml_needs_it": Requirement(
        "A `prompt` with YAML syntax in it is quoted, so it cannot add keys or break the file.",
        "reference chant 5.10, 8.2 W16",
    ),
    "chant:add:failure_leaves_no_file": Requirement(
        "A call that fails leaves no new file behind.", "reference chant 5.10, 8.2 W16"
    ),
    "chant:add:creation_is_exclusive": Requirement(
        "Many processes adding at once get different IDs, and no file is overwritten.",
        "issue: Store; reference chant 5.10 R",
    ),
    "chant:add:derived_values_are_added": Requirement(
        "Values from the config's derivation rules are written into the new spec.", "reference chant 5.10, 7"
    ),
    "chant:add:errors_are_worded": Requirement(
        "Failures read `Failed to load config: …`, `Failed to create spec: …` or `Failed to load specs: …`.",
        "reference chant 5.10",
    ),
}
