"""Documents and house rules (issues: Documents, House)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "docs:agents:table_says_what_was_run": Requirement(
        "The guide lists the known agents with the release that we ran, or call them untested.",
        "issue: The first run, points 1 and 5",
    ),
    "docs:readme:agents_can_be_configured_as_shown": Requirement(
        "The configuration of agents in the guide is accepted, and every placeholder it names is filled in.",
        "house: newcomers",
    ),
    "docs:reference:is_built_from_docstrings": Requirement(
        "The API reference is built from the docstrings; a warning, or a public name without one, is an "
        "error.",
        "issue: The spec API in Python",
    ),
    "docs:docstrings:examples_do_what_they_say": Requirement(
        "What a script begins with has an example in its docstring, and the examples give what they show.",
        "issue: The house in the field's words, point 6",
    ),
    "docs:guide:blocks_do_what_they_say": Requirement(
        "Every command, configuration and block of Python in the guide runs, page by page from an empty "
        "folder, and prints what it says.",
        "issue: Nothing is skipped in silence, class 5",
    ),
    "docs:readme:commands_run_in_an_empty_folder": Requirement(
        "The README has at most 2,000 words, and its commands and snippets run in their order from an empty "
        "folder.",
        "issue: Nothing is skipped in silence, class 5",
    ),
    "docs:guide:everyday_tasks_are_counted": Requirement(
        "The guide has ten everyday tasks with the commands and keystrokes that each takes.",
        "issue: The daily hour, proof",
    ),
    "docs:guide:links_lead_somewhere": Requirement(
        "Links of the guide and the README lead to files that exist; its first page leads to all others.",
        "house: newcomers",
    ),
    "docs:architecture:is_short_and_names_every_file": Requirement(
        "ARCHITECTURE.md has at most 1,200 words and names only what is there; docs/tree.md has a line for "
        "every source file, made of what the file says of itself.",
        "issue: The house in the field's words, point 6",
    ),
    "house:names:each_public_type_has_its_own": Requirement(
        "No two public types of the core have one name.",
        "issue: The house in the field's words, point 2",
    ),
    "house:files:name_each_other_in_no_large_circle": Requirement(
        "Among files of specs and of their runs no more than three name each other in a circle, and none is "
        "longer than 600 lines.",
        "issue: The house in the field's words, point 1",
    ),
    "house:names:are_found_by_a_search": Requirement(
        "Less than a tenth of the names of public types is a single word.",
        "issue: The house in the field's words, point 2",
    ),
    "house:comments:say_what_a_thing_is": Requirement(
        "Comments on code say what a thing is or does; less than one in a hundred opens with What, Whether, "
        "Who, How or That.",
        "issue: The house in the field's words, point 8",
    ),
    "core:diagnostics:off_by_default": Requirement(
        "Nothing is written about what goes on inside unless CHANT_MCP_LOG turns it on; a value that means "
        "nothing is reported in one line.",
        "issue: The house in the field's words, point 4",
    ),
    "core:diagnostics:follow_a_run": Requirement(
        "CHANT_MCP_LOG writes the decisions about a run to standard error, those of its runner too, and "
        "nothing of them to standard output.",
        "issue: The house in the field's words, point 4",
    ),
    "docs:notebooks:give_the_same_again": Requirement(
        "The example notebooks, run by a Jupyter kernel, give the outputs that they are stored with.",
        "issue: The spec API in Python",
    ),
    "docs:studies:page_says_what_notebooks_print": Requirement(
        "The guide's page of studies prints lines of its notebooks, says numbers that they print, and shows "
        "their pictures.",
        "issue: The graph as a typed table, point 8",
    ),
    "docs:readme:example_is_a_real_answer": Requirement(
        "The README shows one call with the answer that the server really gives.", "issue: The house"
    ),
    "docs:rust:core_builds_without_python": Requirement(
        "The Rust core depends on nothing of Python.", "issue: The house"
    ),
    "docs:readme:tool_table_is_generated": Requirement(
        "The guide's tool table equals what the server lists.", "issue: House"
    ),
    "docs:stub:matches_the_binary": Requirement(
        "The stub describes the compiled module as it is.", "issue: House"
    ),
    "docs:licences:dependencies_are_checked": Requirement(
        "The licences of all dependencies are checked.", "issue: House"
    ),
    "docs:licences:product_is_mit_or_apache": Requirement(
        "The package declares `MIT OR Apache-2.0`.", "decisions 3: Licence"
    ),
    "docs:rust:minimum_version_is_declared": Requirement(
        "The Rust workspace declares `rust-version` 1.89.", "decisions 3: Licence"
    ),
    "docs:platforms:limits_are_stated": Requirement(
        "The documents say that macOS and Windows are compiled and tested in the workflow files only.",
        "decisions 3: Windows",
    ),
    "house:tests:promises_are_proven": Requirement(
        "Every built promise is proven by a test, and every Python test names the promises it proves.",
        "house: tests",
    ),
    "house:tests:see_no_machine": Requirement(
        "Tests, their fixtures of any scope and their modules see no home, git identity, language or time "
        "zone of the machine.",
        "issue 40.0",
    ),
    "house:tests:stand_on_checked_tables": Requirement(
        "Tables and moments of a crash that tests stand on are checked themselves.", "house: tests"
    ),
}
