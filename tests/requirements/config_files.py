"""Configuration files: which keys they may have, and what follows from a slip; texts with two versions."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "config:keys:one_table": Requirement(
        "The keys of each configuration file stand in one table: what reads a file and what checks it know "
        "the same ones.",
        "issue 21",
    ),
    "config:keys:unknown_key_is_named": Requirement(
        "An unknown key of a configuration file is a finding with file, line and the nearest known key.",
        "issue 21",
    ),
    "config:keys:near_key_refuses": Requirement(
        "While a key that is nearly a known one is unknown, nothing acts by the configuration: no work "
        "is started, no task or spec is completed, nothing is served over HTTP; reading goes on.",
        "issue 21",
    ),
    "config:keys:other_keys_refuse_nothing": Requirement(
        "An unknown key that is near to no known one is a finding and refuses nothing.",
        "issue 21; reference chant 7",
    ),
    "config:keys:known_without_effect": Requirement(
        "A key that other programs know, or that counts in another file, is a note that says that it has no "
        "effect.",
        "issue 21; reference chant 7; reference tickets 1.2",
    ),
    "config:keys:check_lists_every_file": Requirement(
        "`chant-mcp config check` lists each configuration file that applies with its findings, and ends "
        "with 1 where there is a mistake: an unknown key, a wrong value, a file that cannot be read.",
        "issue 21",
    ),
    "config:keys:lint_names_mistakes": Requirement(
        "`lint` and `chant_lint` name mistakes in the configuration, on the first page.",
        "issue 21",
    ),
    "config:keys:tickets_problems": Requirement(
        "Unknown keys of a ticket project's configuration are `problems` of `list_projects`, with their "
        "lines.",
        "issue 21",
    ),
    "complete:checks:says_that_there_are_none": Requirement(
        "What completes a task or a spec says so where no checks are configured.",
        "issue 21",
    ),
    "problems:pages:a_row_each_on_the_first_page": Requirement(
        "Files that cannot be read are a row each in `problems`, on the first page and on no other.",
        "issue 21",
    ),
    "text:clash:full_set_alone": Requirement(
        "Conflict markers count where all three stand in their order and the first is in no fence: an "
        "underlined heading alone is none.",
        "issue 21",
    ),
    "text:clash:is_a_problem": Requirement(
        "A spec, plan, task list, ticket or configuration with conflict markers is a problem that names file "
        "and line; neither version counts.",
        "issue 21",
    ),
    "text:clash:refuses_edits": Requirement(
        "A document with conflict markers is not changed, and no change writes any.",
        "issue 21",
    ),
}
