"""The command line: the server's start, commands for specs, output (seed chant 33-56; issue: Newcomer)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "cli:serve:chant_mcp_starts_the_server": Requirement(
        "`chant mcp` serves MCP: requests are read from standard input and answered on standard output.",
        "seed chant:37",
    ),
    "cli:work:without_an_id_is_all_that_is_ready": Requirement(
        "`work` without an ID works on all specs that are ready: asked at a terminal, by --all elsewhere.",
        "issue: Ordinary repositories",
    ),
    "cli:scripts:both_are_installed": Requirement(
        "Installing the package provides the console scripts `chant-mcp` and `chant`.", "issue: Newcomer"
    ),
    "cli:serve:python_module_starts_the_server": Requirement(
        "`python -m chant_mcp` serves MCP right after `pip install`.", "issue: Newcomer"
    ),
    "cli:serve:hint_at_a_terminal": Requirement(
        "Started by hand at a terminal, the server explains itself with a hint on standard error.",
        "issue: Newcomer",
    ),
    "cli:serve:standard_error_is_quiet": Requirement(
        "Without a terminal the server is silent on standard error unless `--verbose` asks for its log.",
        "house: command line",
    ),
    "cli:serve:imports_only_what_it_needs": Requirement(
        "Serving imports nothing that only commands for people need.", "decisions 5"
    ),
    "cli:help:needs_no_project": Requirement(
        "`--version` and `--help` work in any folder.", "house: command line"
    ),
    "cli:project:found_as_the_server_finds_it": Requirement(
        "Commands find their project as the server does; `--project` may stand before or behind the command.",
        "decisions 3: Which project",
    ),
    "cli:config:users_own_file_is_read": Requirement(
        "Commands read the user's own configuration below `XDG_CONFIG_HOME`.", "reference chant 7"
    ),
    "cli:errors:sentence_and_exit_code_1": Requirement(
        "What is refused is a sentence on standard error and exit code 1; standard output stays empty.",
        "house: command line",
    ),
    "cli:errors:wrong_usage_is_exit_code_2": Requirement(
        "Wrong usage is reported on standard error with exit code 2, a mistyped command with a near name.",
        "house: command line",
    ),
    "cli:exit_codes:one_table": Requirement(
        "One table of the guide has the exit codes of all commands; a wrong option is exit code 2.",
        "issue: The daily hour 4",
    ),
    "cli:exit_codes:are_what_the_table_says": Requirement(
        "A command that answers with a finding ends with exit code 1 as the table says; `lint` on an error.",
        "issue: The daily hour 4",
    ),
    "cli:inbox:each_with_its_command": Requirement(
        "`inbox` lists what waits for a person, each with its reason and the command to type.",
        "issue: The daily hour 4",
    ),
    "cli:status:says_how_many_wait": Requirement(
        "`status` says how many things wait for a person.", "issue: The daily hour 4"
    ),
    "cli:archived:shown_and_searched": Requirement(
        "`show` finds archived specs, `search --all` looks through them.", "issue: The daily hour 4"
    ),
    "cli:archived:counts_as_done": Requirement(
        "An archived dependency is drawn as done.", "issue: The daily hour 4"
    ),
    "cli:json:one_envelope": Requirement(
        "`--json` prints one versioned envelope, `schema`, `command`, `ok` and `data`, with the same keys "
        "whatever formats the folder holds.",
        "issue: The daily hour 4",
    ),
    "cli:json:errors_are_in_it": Requirement(
        "With `--json` an error is in the envelope, too, with its code, message and details.",
        "issue: The daily hour 4",
    ),
    "cli:add:prints_the_path": Requirement(
        "`add` prints the path of the new spec.", "issue: The daily hour 4"
    ),
    "cli:add:refuses_what_would_be_broken": Requirement(
        "`add` refuses an unknown type, prompt or dependency, and writes nothing, unless `--force` is given.",
        "issue: The daily hour 4",
    ),
    "cli:output:plurals_are_right": Requirement(
        "One of something is written without a plural.", "issue: The daily hour 4"
    ),
    "cli:output:fits_eighty_columns": Requirement(
        "Tables stay within eighty columns and show every ID whole.", "house: command line"
    ),
    "cli:output:colours_only_at_a_terminal": Requirement(
        "Output is coloured at a terminal and nowhere else.", "house: command line"
    ),
    "cli:output:texts_of_specs_do_not_steer_the_terminal": Requirement(
        "Texts of specs and logs reach the terminal without control sequences and are not taken for markup.",
        "house: command line",
    ),
    "cli:output:surroundings_do_not_matter": Requirement(
        "Output does not depend on the locale, and a closed pipe or odd environment causes no traceback.",
        "house: command line",
    ),
    "cli:all:shows_what_a_page_leaves_out": Requirement(
        "A table that is cut says so, and `--all` shows everything.", "decisions 3: Size of a result"
    ),
    "cli:problems:told_below_the_table": Requirement(
        "Files that cannot be read are reported below the table.", "decisions 3: Unreadable files"
    ),
    "cli:list:prints_specs": Requirement("`list` prints the specs of the project.", "issue: Newcomer"),
    "cli:ready:prints_ready_specs": Requirement(
        "`ready` prints the specs that can be worked now.", "issue: Newcomer"
    ),
    "cli:show:prints_one_spec": Requirement("`show ID` prints one spec.", "issue: Newcomer"),
    "cli:status:prints_counts": Requirement("`status` prints the counts by status.", "issue: Newcomer"),
    "cli:lint:prints_findings": Requirement("`lint` prints the findings and scores.", "issue: Newcomer"),
    "cli:search:prints_matches": Requirement("`search TEXT` prints the specs that match.", "issue: Newcomer"),
    "cli:add:creates_a_spec": Requirement("`add TEXT` creates a spec and prints its ID.", "issue: Newcomer"),
    "cli:verify:prints_criteria": Requirement(
        "`verify ID` prints which criteria are met.", "issue: Newcomer"
    ),
    "cli:log:prints_the_log": Requirement("`log ID` prints the spec's execution log.", "issue: Newcomer"),
    "cli:log:follows_with_f": Requirement(
        "`log -f ID` keeps printing lines as they are added.", "issue: Newcomer"
    ),
    "cli:work:starts_an_agent": Requirement(
        "`work ID` starts an agent and says where it works, or why it cannot; it does not wait.",
        "issue: The work runtime",
    ),
    "cli:work:wait_tells_each_change": Requirement(
        "`work --wait` without a terminal prints a line for each change: a run begins, criteria are ticked, "
        "a run ends.",
        "issue: A start that says started has started",
    ),
    "cli:work:wait_ends_with_the_exit_code": Requirement(
        "`work --wait` ends with 0 when all was completed, else with 1, the reason and what to do on "
        "standard error.",
        "house: command line",
    ),
    "cli:work:wait_ends_when_the_runner_dies": Requirement(
        "`work --wait` ends when the runner is killed, and says that the work is lost.",
        "reference chant 8.2 W14",
    ),
    "cli:work:view_changes_at_a_terminal": Requirement(
        "At a terminal `work --wait` shows for each agent its spec, the time, its last line and a bar of "
        "criteria, and a bar of specs above several.",
        "issue: A start that says started has started",
    ),
    "cli:work:ctrl_c_leaves_the_work": Requirement(
        "Ctrl-C ends the watching and not the work, and says how to see it again and how to stop it.",
        "house: command line",
    ),
    "cli:work:view_costs_next_to_nothing": Requirement(
        "Watching agents that write nothing takes less than a tenth of a processor.", "house: command line"
    ),
    "cli:runs:lists_agents_at_work": Requirement(
        "`runs` lists the agents at work, `--all` also what ended and why; `-f` watches until the end.",
        "issue: The work runtime",
    ),
    "cli:pause:stops_work_until_later": Requirement(
        "`pause ID` stops the work; `work ID` goes on with it.", "issue: Pause, takeover, cancel, reset"
    ),
    "cli:takeover:shows_how_far_work_is": Requirement(
        "`takeover ID` stops the work and shows criteria, commits, worktree and the end of the log.",
        "issue: Pause, takeover, cancel, reset",
    ),
    "cli:merge:merges_work_of_people": Requirement(
        "`merge ID` judges and merges work that a person finished, `merge` all that waited.",
        "issue: Merging",
    ),
    "cli:merge:what_is_so_is_a_success": Requirement(
        "`merge ID` of merged work, and `work ID --wait` of a completed spec, say so and end with 0, also "
        "when the look before the command merged it.",
        "issue: A run works in a repository of its own, point 6",
    ),
    "cli:advice:can_be_followed": Requirement(
        "Advice can be followed as it is written: commands name commands and flags, and what to do with "
        "work whose folder is gone, or that waits, leads on.",
        "issue: A run works in a repository of its own, point 6",
    ),
    "cli:worktree:lists_and_prunes": Requirement(
        "`worktree list` says why each is kept, `worktree prune` removes those that nothing is lost with.",
        "issue: The work runtime",
    ),
    "cli:states:are_changed": Requirement(
        "`finalize`, `cancel`, `reset` and `archive` do what the tools do.", "decisions 3: CLI"
    ),
    "cli:diagnose:prints_checks": Requirement(
        "`diagnose ID` prints the checks and the diagnosis.", "issue: Newcomer"
    ),
    "cli:json:every_command_has_it": Requirement(
        "Each of these commands prints machine-readable JSON with `--json`.", "issue: Newcomer"
    ),
    "cli:dialect:commands_exist_under_chant": Requirement(
        "`chant-mcp chant …` runs the same commands on the chant dialect alone.", "decisions 3: CLI"
    ),
    "cli:workspace:commands_span_all_dialects": Requirement(
        "Top-level `list`, `ready` and `show` act on the specs, tasks and tickets of the whole workspace.",
        "decisions 3: CLI",
    ),
    "cli:workspace:specs_alone_look_as_before": Requirement(
        "In a project that holds specs alone `list`, `ready` and `show` are those of `chant-mcp chant`.",
        "house: scripts of users go on working",
    ),
    "cli:agents:list_and_show": Requirement(
        "`agents list` and `agents show` tell of each known agent whether it is installed, its release, "
        "its login, both "
        "ways to start it, what it is given, its state and its limits, and whether we ran it.",
        "issue: The first run, point 1",
    ),
    "cli:doctor:asks_agents": Requirement(
        "`doctor` tells of the agents that would work release, login, flags that the installed release "
        "does not know, "
        "and whether they start where runs work; a model is asked with `--live` alone, after a person "
        "agreed.",
        "issue: The first run, point 1; reference agents 11",
    ),
    "cli:edits:every_format": Requirement(
        "`edit`, `tick`, `untick`, `label`, `depend` and `reopen` change one item of any format that has "
        "such a thing, and nothing else in its file.",
        "issue: The daily hour, point 4",
    ),
    "cli:edits:refused_with_a_way": Requirement(
        "Where a format has no such thing, or a name does not exist, an edit is refused with what helps.",
        "issue: The daily hour, point 4",
    ),
    "cli:edits:archive": Requirement(
        "`archive --completed` moves all completed specs, names those that stay, and `unarchive` brings one "
        "back.",
        "issue: The daily hour, point 4",
    ),
    "cli:edits:open": Requirement(
        "`open` starts the user's editor on the file of an item, at its line.",
        "issue: The daily hour, point 4",
    ),
    "cli:completion:words": Requirement(
        "Completion offers commands, options, IDs and keys with titles, states and labels, from one table of "
        "the commands.",
        "issue: The daily hour, point 4",
    ),
    "cli:completion:shells": Requirement(
        "bash, zsh and fish complete by the script that `completion SHELL` prints; names from files are "
        "never commands.",
        "issue: The daily hour, point 4",
    ),
    "cli:completion:quick": Requirement(
        "Completion takes at most 80 ms of the processor at 10,000 items.", "issue: The daily hour, point 4"
    ),
    "cli:help:manual": Requirement(
        "`help COMMAND` prints the help of a command, and `man` a manual page of all.",
        "issue: The daily hour, point 4",
    ),
    "cli:archived:listed": Requirement(
        "`list --all` lists archived and cancelled specs, too.", "issue: The daily hour, point 4"
    ),
    "cli:json:schemas": Requirement(
        "Each command with `--json` has a JSON Schema, which its answers fit in projects of all formats.",
        "issue: The daily hour, point 4",
    ),
    "cli:pipes:one_line_an_item": Requirement(
        "Into a pipe or a file lists print one line an item, columns parted by tabs, never wrapped; notes go "
        "to standard error.",
        "issue: The daily hour, point 4",
    ),
    "cli:pipes:format": Requirement(
        "`--format` of lists names the fields that are printed, or chooses a table or tabs.",
        "issue: The daily hour, point 4",
    ),
}
