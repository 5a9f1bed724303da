"""Which tools and which project (decisions 3: Default tools, Which project)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "server:tools:chant_tools": Requirement(
        "The server offers the tools of the chant seed that are built.",
        "issue: Seventeen tools; seed chant:94",
    ),
    "server:tools:all_twenty_four_chant_tools": Requirement(
        "The server offers twenty-four chant tools, nine reading and fifteen mutating or process tools.",
        "seed chant:94",
    ),
    "server:tools:listed_in_seed_order": Requirement(
        "`tools/list` names the chant tools in the order of the seed's two tables.",
        "seed chant:100; decisions 3: Default tools",
    ),
    "server:annotations:query_tools_are_read_only": Requirement(
        "The query tools and `chant_work_list` carry a true read-only hint.",
        "seed chant:96; reference chant 5.0",
    ),
    "server:annotations:mutating_tools_are_not_read_only": Requirement(
        "The mutating tools carry a false read-only hint.", "seed chant:110; reference chant 5.0"
    ),
    "server:annotations:all_four_hints_are_set": Requirement(
        "Every tool states all four hints: read-only, destructive, idempotent and open world.",
        "issue: Seventeen tools",
    ),
    "server:schemas:no_any_of_and_no_titles": Requirement(
        "No input schema contains `anyOf` or a generated `title`.", "issue: Seventeen tools"
    ),
    "server:schemas:properties_are_those_of_the_seed": Requirement(
        "Each tool's input schema has the seed's properties, with its types, and requires the same ones.",
        "seed chant:1176; reference chant 5.0",
    ),
    "server:schemas:snapshots_are_committed": Requirement(
        "Each tool's `tools/list` entry equals its committed snapshot.", "issue: Seventeen tools"
    ),
    "server:schemas:wording_is_that_of_the_seed": Requirement(
        "Descriptions of parameters are worded as in the seed, those of tools begin so; `chant_work_list` "
        "as the reference quotes it. Words that people search for come behind that.",
        "seed chant:1172; reference chant 5.0; decisions 6: MCP listing",
    ),
    "server:schemas:chant_tools_average_480_bytes": Requirement(
        "The chant entries of `tools/list` take at most 480 bytes a tool on average.",
        "decisions 3: Default tools; decisions 6: MCP listing",
    ),
    "server:schemas:output_schema_only_for_one_shape": Requirement(
        "A tool publishes an output schema only when it always answers with that one shape.",
        "decisions 3: Default tools",
    ),
    "server:schemas:most_parameters_are_described": Requirement(
        "95 of the 136 parameters of the 42 tools are described; what the seed says of others stays, and "
        "so do the 26,000 bytes.",
        "issue: At home in every host and editor 3",
    ),
    "server:schemas:all_forty_two_take_26000_bytes": Requirement(
        "All 42 entries of `tools/list` together take at most 26,000 bytes.",
        "decisions 6: MCP listing; issue 23: point 9",
    ),
    "server:schemas:tickets_and_vine_write_stay_small": Requirement(
        "Ticket tools average at most 750 bytes; `vine_write` takes at most 3 KB, with one flat operation "
        "object and no `oneOf`.",
        "decisions 3: Default tools",
    ),
    "server:toolsets:auto_lists_the_dialects_found": Requirement(
        "By default only the tools of the dialects found in the project are listed.",
        "decisions 3: Default tools",
    ),
    "server:toolsets:auto_lists_all_when_none_is_found": Requirement(
        "In a project without any dialect every tool is listed.", "decisions 3: Default tools"
    ),
    "server:toolsets:flag_names_all_or_a_list": Requirement(
        "`--toolsets` takes `auto`, `all` or a comma-separated list of dialect names.",
        "decisions 3: Default tools",
    ),
    "server:toolsets:environment_variable_works": Requirement(
        "`CHANT_MCP_TOOLSETS` does what `--toolsets` does.", "decisions 3: Default tools"
    ),
    "server:toolsets:unlisted_tool_still_works_by_name": Requirement(
        "A tool that the chosen toolsets leave out of the list still works when it is called by name.",
        "decisions 3: Default tools",
    ),
    "server:toolsets:order_of_dialects": Requirement(
        "With several dialects the list runs chant, vine, speckit, tickets.",
        "decisions 3: Default tools",
    ),
    "server:read_only:lists_no_mutating_tool": Requirement(
        "With `--read-only` no mutating tool is listed, whatever `--toolsets` says.",
        "decisions 3: Default tools",
    ),
    "server:read_only:refuses_mutating_calls": Requirement(
        "With `--read-only` a mutating tool called by name is refused and changes nothing.",
        "decisions 3: Default tools; reference mcp 2",
    ),
    "server:project:flag_chooses_the_folder": Requirement(
        "`--project DIR`, also spelled `--cwd`, chooses the project.", "decisions 3: Which project"
    ),
    "server:project:environment_chooses_the_folder": Requirement(
        "`CHANT_PROJECT` chooses the project when no flag does.", "decisions 3: Which project"
    ),
    "server:project:one_for_lists_and_edits": Requirement(
        "One rule finds the project for what is listed and what is edited: in worktrees, submodules, nested "
        "repositories and monorepos, whether `.specify` is tracked, ignored or absent.",
        "issue: The daily hour 1",
    ),
    "server:project:stops_at_the_checkout": Requirement(
        "A project is looked for up to the top of the git checkout, never above it.",
        "issue: The daily hour 1",
    ),
    "server:project:nearest_chant_folder_upwards": Requirement(
        "Without flag or variable the nearest folder upwards in the checkout that holds `.chant` is the "
        "project.",
        "decisions 3: Which project; reference chant 1.3",
    ),
    "server:project:git_top_level_comes_next": Requirement(
        "Without any marker upwards the git top level is the project, else the working directory itself.",
        "decisions 3: Which project",
    ),
    "server:project:client_roots_when_the_folder_says_nothing": Requirement(
        "When the working directory says nothing, the project is found in the roots the client announces.",
        "decisions 3: Which project",
    ),
    "server:project:recovery_holds_nothing_up": Requirement(
        "While what dead runs left is looked after, calls that need no spec are answered.",
        "house: order of calls",
    ),
    "server:project:sub_folder_start_behaves_the_same": Requirement(
        "A server started in a sub-folder reads and writes config, logs, locks, process records and archive "
        "under the project's root.",
        "reference chant 1.3 R, 8.2 W19, 10.9.13; issue: Bad input",
    ),
    "server:project:markers_of_other_dialects": Requirement(
        "`.specify`, `.mdt-config.toml`, `docs/CRs` and `specs/NNN-*` also mark a project's root.",
        "decisions 3: Which project",
    ),
    "server:project:vine_files_are_found_by_a_walk": Requirement(
        "`.vine` files are found by a walk of depth 4 that honours ignore files.",
        "decisions 3: Which project",
    ),
    "server:not_initialised:text_is_that_of_the_seed": Requirement(
        "Without `.chant/specs` the first line of the tool error is ``Chant not initialized. Run `chant "
        "init` first.``",
        "seed chant:1764; decisions 3: Not initialised",
    ),
    "server:not_initialised:names_the_folders_searched": Requirement(
        "The second line of that error names the folders that were searched.", "decisions 3: Not initialised"
    ),
    "server:not_initialised:every_chant_tool_says_so": Requirement(
        "Every chant tool gives that error, the reading ones included.", "seed chant:1645"
    ),
    "tools:since:what_is_new": Requirement(
        "With `since` a tool names the items of its format that are new, others or gone since that"
        " cursor, at most"
        " 200, with their states and the next cursor.",
        "issue: A board in the browser, point 9",
    ),
    "tools:since:reset": Requirement(
        "A cursor that is unknown, too old or of another process, and items outside of the workspace, get"
        " the whole"
        " answer, a reset and a cursor.",
        "issue: A board in the browser, point 9",
    ),
    "tools:tokens:answers_are_held_to_them": Requirement(
        "With `max_tokens` text and data of a reading tool take at most four bytes for each token.",
        "issue: A board in the browser, point 9",
    ),
    "tools:tokens:without_them_nothing_is_another": Requirement(
        "An answer that fits its tokens, or was given none, is the same byte for byte.",
        "issue: A board in the browser, point 9",
    ),
    "tools:tokens:lists_lose_rows_from_the_end": Requirement(
        "A list that is too long loses rows from its end, says how many, and where the next page begins.",
        "issue: A board in the browser, point 9",
    ),
    "tools:tokens:documents_lose_sections": Requirement(
        "A document that is too long loses its least needed sections, and says which arguments read each.",
        "issue: A board in the browser, point 9",
    ),
}
