"""Every promise of the documents we implement, with its source: "done" is a query over this table.

`python tests/requirements.py` prints it: how many promises there are, and what is not proven.
`proofs.py` finds the tests that name them, `test_requirements.py` checks both directions.
"""

import sys
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Requirement:
    """One observable behaviour."""

    sentence: str  # present tense, what a user sees, testable; our own words
    source: str  # "seed chant:412", "decisions 3: Unknown tool", "reference chant 5.9"; joined by "; "
    built: bool = True  # False: not in the product yet, mostly with its whole tool or dialect


REQUIREMENTS: dict[str, Requirement] = {
    # Setup (seed chant 9-31): init
    "init:wizard:choosing_claude_writes_mcp_json": Requirement(
        "Choosing Claude in the interactive `chant init` writes `.mcp.json` into the project.",
        "seed chant:17",
    ),
    "init:wizard:takes_what_is_chosen": Requirement(
        "The wizard proposes name and provider, and takes what is typed and chosen.", "house: newcomers"
    ),
    "init:wizard:asks_only_what_can_be_added": Requirement(
        "On an initialised project the wizard asks only what can be added.", "house: newcomers"
    ),
    "init:wizard:breaking_off_writes_nothing": Requirement(
        "Ctrl-C at any question ends the wizard and writes nothing.", "house: newcomers"
    ),
    "init:mcp_json:entry_has_the_documented_form": Requirement(
        'The `.mcp.json` entry is `mcpServers.chant` with type `stdio`, command `chant` and args `["mcp"]` '
        "when the `chant` on PATH is ours.",
        "seed chant:21; decisions 3: Console script `chant`",
    ),
    "init:agent:claude_needs_no_questions": Requirement(
        "`chant init --agent claude` sets Claude up without asking anything.", "seed chant:31"
    ),
    "init:mcp_json:names_the_interpreter_when_chant_is_not_ours": Requirement(
        "When the `chant` on PATH is missing or another program, `.mcp.json` names the Python interpreter "
        "with `-m chant_mcp`.",
        "decisions 3: Console script `chant`",
    ),
    "init:console_script:foreign_chant_is_warned_about": Requirement(
        "`init` warns when our console script stands over another program named `chant`.",
        "decisions 3: Console script `chant`",
    ),
    "init:agent:writes_instruction_files": Requirement(
        "`init --agent` writes instruction files, and `.mcp.json` only for claude.",
        "decisions 3: `init` flags",
    ),
    "init:client:writes_host_configuration_only": Requirement(
        "`init --client` writes the host's configuration and no instruction file.",
        "decisions 3: `init` flags",
    ),
    "init:client:accepts_four_values": Requirement(
        "`init --client` accepts `claude`, `cursor`, `vscode` and `all`, and refuses anything else.",
        "issue: Newcomer",
    ),
    "init:mcp_json:existing_file_is_merged": Requirement(
        "An existing `.mcp.json` keeps its other servers and keys when `init` adds ours.", "issue: Newcomer"
    ),
    "init:files:nothing_outside_the_project": Requirement(
        "`init` creates and changes files inside the project only; nothing under the home folder is touched.",
        "issue: Newcomer; reference chant 1.2 R, 8.1 D26",
    ),
    "init:files:links_inside_are_followed": Requirement(
        "A link that stays inside the project is followed; the project itself may be reached through one.",
        "decisions 2: Locks",
    ),
    "init:files:replaced_whole_with_their_rights": Requirement(
        "`init` replaces a file whole or not at all, with its permissions; new files have the usual ones.",
        "decisions 1",
    ),
    "init:refusals:nothing_is_written": Requirement(
        "When `init` refuses something, it says why and writes nothing at all.", "house: newcomers"
    ),
    "init:project:is_that_of_the_checkout": Requirement(
        "In a sub-folder `init` means the project of that checkout; one above the checkout is left alone.",
        "decisions 3: Which project",
    ),
    "init:layout:creates_the_six_folders": Requirement(
        "`init` creates `.chant/` with `specs`, `prompts`, `logs`, `processes`, `.locks` and `.store`.",
        "reference chant 1.2",
    ),
    "init:layout:missing_folders_come_back": Requirement(
        "In a fresh clone `init` restores the folders that git does not keep and leaves the config as it is.",
        "house: newcomers",
    ),
    "init:config:has_name_and_standard_prompt": Requirement(
        "`init` writes `.chant/config.md` with `project.name` and `defaults.prompt: standard` in its front "
        "matter.",
        "reference chant 1.2",
    ),
    "init:config:body_names_the_day": Requirement(
        "The body of the new `.chant/config.md` names the day of its creation.", "reference chant 1.2"
    ),
    "init:flags:provider_and_model_reach_the_config": Requirement(
        "`--provider` and `--model` write `defaults.provider` and `defaults.model` into the new config.",
        "reference chant 1.2, 7",
    ),
    "init:prompts:five_are_bundled": Requirement(
        "`init` writes the prompts `standard`, `split`, `verify`, `merge-conflict` and `ollama`.",
        "reference chant 1.2",
    ),
    "init:prompts:say_what_their_purpose_asks_for": Requirement(
        "Each bundled prompt names the steps, formats or tools of its purpose.", "reference chant 6.4"
    ),
    "init:prompts:existing_files_are_kept": Requirement(
        "`init` never replaces a prompt file that already exists.", "reference chant 1.2"
    ),
    "init:flags:minimal_writes_no_prompts": Requirement(
        "`init --minimal` writes no prompt file.", "reference chant 1.2"
    ),
    "init:flags:prompts_adds_missing_ones_only": Requirement(
        "`init prompts` adds the bundled prompts that are missing and changes nothing else.",
        "reference chant 1.2",
    ),
    "init:gitignore:lists_local_state": Requirement(
        "`.chant/.gitignore` lists `.locks/`, `.store/`, `store/`, `logs/`, `processes/` and `agents.md`.",
        "reference chant 1.2",
    ),
    "init:gitignore:lists_run_leftovers_too": Requirement(
        "`.chant/.gitignore` also lists `pids/`, `tmp/`, `watch.pid`, status files and lock databases.",
        "reference chant 1.2 R",
    ),
    "init:gitignore:own_lines_are_kept": Requirement(
        "An existing `.chant/.gitignore` keeps its own lines and gets the missing ones.", "house: newcomers"
    ),
    "init:name:is_found_in_documented_order": Requirement(
        "The project's name comes from `--name`, else `package.json`, `Cargo.toml`, the last path segment of "
        "the module in `go.mod`, else the folder.",
        "reference chant 1.2",
    ),
    "init:agent:accepts_five_values": Requirement(
        "`--agent` is repeatable and accepts `claude`, `cursor`, `kiro`, `generic` and `all`.",
        "reference chant 1.2",
    ),
    "init:agent:implies_a_provider": Requirement(
        "An agent's name decides the provider when `--provider` is not given.", "reference chant 1.2"
    ),
    "init:provider:spellings_are_normalised": Requirement(
        "`--provider` accepts the documented spellings (`claude-cli`, `local`, `gpt`, `kiro-cli-chat`, "
        "`kiro`) and stores the one canonical name.",
        "reference chant 1.2",
    ),
    "init:flags:provider_on_existing_project_edits_one_key": Requirement(
        "`--provider` or `--model` on an initialised project changes that key's line only and keeps "
        "comments.",
        "reference chant 1.2",
    ),
    "init:again:changes_nothing": Requirement(
        "Running `init` again without flags and without a terminal prints `Chant already initialized.` and "
        "changes nothing.",
        "reference chant 1.2",
    ),
    "init:silent:excludes_the_folder_locally": Requirement(
        "`init --silent` adds `.chant/` to `.git/info/exclude`.", "reference chant 1.2"
    ),
    "init:silent:refused_when_config_is_tracked": Requirement(
        "`init --silent` is refused when git tracks `.chant/config.md`.", "reference chant 1.2"
    ),
    "init:force_overwrite:keeps_everything_people_made": Requirement(
        "`init --force-overwrite` keeps specs, archive, config, prompts, templates, logs, locks and "
        "`agents.md`.",
        "reference chant 1.2",
    ),
    "init:agent:claude_md_section_is_replaced_in_place": Requirement(
        "The part of `CLAUDE.md` between `<!-- chant:begin -->` and `<!-- chant:end -->` is replaced in "
        "place; the rest stays byte for byte.",
        "reference chant 1.2",
    ),
    "init:agent:claude_md_section_is_appended_when_absent": Requirement(
        "A `CLAUDE.md` without our markers keeps its text and gets the section at the end.",
        "reference chant 1.2",
    ),
    "init:agent:whole_files_only_when_absent_or_forced": Requirement(
        "`.cursorrules`, `.kiro/rules.md` and `.ai-instructions` are written only when absent or forced.",
        "reference chant 1.2",
    ),
    "init:agent:skill_file_per_agent": Requirement(
        "`--agent` claude, cursor or kiro writes `SKILL.md` into that agent's `skills/chant/` folder.",
        "reference chant 1.2",
    ),
    "init:agent:changed_skill_is_kept": Requirement(
        "A `SKILL.md` that was changed by hand is kept.", "house: newcomers"
    ),
    "init:merge_driver:is_registered": Requirement(
        "In git `init` registers the merge driver for spec files: two lines in `.gitattributes`, name and "
        "command in the repository's own configuration.",
        "reference chant 1.2, 6.9, 9",
    ),
    "init:merge_driver:again_changes_nothing": Requirement(
        "Registering the merge driver again changes nothing.", "reference chant 1.2; issue: The work runtime"
    ),
    "init:merge_driver:can_be_declined": Requirement(
        "`--no-merge-driver` leaves the merge driver out, `--merge-driver` adds it to a project that exists.",
        "issue: The work runtime",
    ),
    "init:merge_driver:needs_a_repository": Requirement(
        "Outside git `init` does without the merge driver; `--merge-driver` is refused there.",
        "issue: The work runtime",
    ),
    "init:merge_driver:other_lines_are_kept": Requirement(
        "`.gitattributes` keeps its other lines, byte order mark, line ends and final newline; what somebody "
        "said of the merging of specs is kept and told.",
        "issue: The work runtime; decisions 1",
    ),
    "init:merge_driver:foreign_one_is_kept": Requirement(
        "A merge driver of that name that is another program is kept and told.",
        "issue: The work runtime; decisions 4",
    ),
    "init:merge_driver:own_one_is_renewed": Requirement(
        "`--merge-driver` replaces the command of another installation of ours.", "issue: The work runtime"
    ),
    "init:merge_driver:clones_register_it": Requirement(
        "In a clone whose `.gitattributes` asks for the merge driver `init` registers it and changes no file "
        "of the project.",
        "house: newcomers",
    ),
    "init:merge_driver:silent_is_for_this_clone": Requirement(
        "With `--silent` the attributes stand in `.git/info/attributes`.", "issue: The work runtime"
    ),
    "init:wizard:offers_the_merge_driver": Requirement(
        "In git the wizard proposes the merge driver for a new project and offers it to one that lacks it.",
        "house: newcomers",
    ),
    "init:gitignore:writing_a_log_restores_its_line": Requirement(
        "Folders that runs make hide themselves from git, whatever `.chant/.gitignore` says.",
        "reference chant 1.2",
    ),
    # Usage (seed chant 33-56): the command line
    "cli:serve:chant_mcp_starts_the_server": Requirement(
        "`chant mcp` serves MCP: requests are read from standard input and answered on standard output.",
        "seed chant:37",
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
        "Wrong usage is told on standard error with exit code 2, a mistyped command with the nearest name.",
        "house: command line",
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
        "Files that cannot be read are told below the table.", "decisions 3: Unreadable files"
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
    "workspace:list:filters": Requirement(
        "Items are filtered by state in the words of any dialect, by label, by dialect and by readiness; a "
        "word that is none is refused with those there are.",
        "decisions 3: CLI",
    ),
    "workspace:names:resolve_across_dialects": Requirement(
        "A name means an item by its key, its ID or a part of a spec's ID; several meanings are refused with "
        "their keys.",
        "decisions 2: workspace.rs",
    ),
    "workspace:problems:never_hide_the_rest": Requirement(
        "Files of any dialect that cannot be read are told beside the items of all others.",
        "decisions 3: Unreadable files",
    ),
    "workspace:graph:pictures": Requirement(
        "The graph of all dialects is drawn as tree, Mermaid or DOT, or listed as nodes and edges; loops "
        "across dialects are named.",
        "decisions 3: CLI",
    ),
    "workspace:index:changes_are_seen": Requirement(
        "After any change of any dialect's files the joined graph is as if it were read anew.",
        "decisions 2: store/index.rs",
    ),
    "workspace:python:pieces": Requirement(
        "`Workspace.export` gives a script the text in pieces.", "issue: Providers, split, approval: Export"
    ),
    "workspace:network:says_what_lists_say": Requirement(
        "`Workspace.network` holds the items of all dialects and those only named, waits for what lists "
        "say, and tells in columns what is known of each.",
        "issue: Spec API in Python: Graph",
    ),
    "workspace:network:durations_are_learned_from_runs": Requirement(
        "Beside the network stand the seconds of runs that completed their specs, their median and the "
        "spread of their logarithms.",
        "issue: Spec API in Python: Graph",
    ),
    "workspace:network:as_of_a_commit": Requirement(
        "`Workspace.network_at` gives the network as a commit has it, read from git without a checkout; a "
        "clean checkout is as its commit.",
        "issue: Spec API in Python: Graph",
    ),
    "workspace:features:tasks_join_the_graph": Requirement(
        "The tasks of all spec-kit features are items of the workspace; phases stand between them in the "
        "graph alone.",
        "decisions 2: workspace.rs; issue: Spec-kit features: Tasks",
    ),
    "workspace:features:surplus_is_told": Requirement(
        "Of features and of task graphs the first 1,000 are looked at; that there are more is told as a "
        "problem.",
        "issue: Spec-kit features: Tasks",
    ),
    "workspace:features:dependencies_lead_out_and_in": Requirement(
        "Specs, task graphs and tickets may wait for `speckit:060-name#T001` or a phase, and tasks of "
        "features for items of all dialects.",
        "decisions 2: workspace.rs",
    ),
    "speckit:tasks:other_dialects_hold_a_task_up": Requirement(
        "`(depends on chant:ID)` holds a task up until that item is done; completing it is refused "
        "meanwhile.",
        "decisions 2: workspace.rs",
    ),
    "export:formats:hold_every_item": Requirement(
        "`export` writes the items of every dialect as JSON, RFC 4180 CSV or a Markdown table, with filters "
        "and fields.",
        "issue: Providers, split, approval: Export",
    ),
    "export:file:a_refused_one_can_be_saved_elsewhere": Requirement(
        "A save that was refused takes nothing of an export; one that is saved is not saved again.",
        "issue: Providers, split, approval: Export; decisions 4",
    ),
    "export:fields:are_told_by_the_help": Requirement(
        "`export --help` names every field.", "issue: Providers, split, approval: Export"
    ),
    "export:file:appears_whole_and_replaces_by_force_only": Requirement(
        "The file of an export appears whole or not at all, and replaces another by `--force` only.",
        "issue: Providers, split, approval: Export; decisions 4",
    ),
    "import:beads:maps_issues": Requirement(
        "Issues of beads become specs with their states, labels, criteria, members and dependencies; what "
        "does not map is told.",
        "issue: Providers, split, approval: Export",
    ),
    "import:backlog:maps_tasks": Requirement(
        "Tasks of Backlog.md become specs with their sections and criteria.",
        "issue: Providers, split, approval: Export",
    ),
    "import:vine:maps_tasks": Requirement(
        "Tasks of a `.vine` file become specs with their decisions and attachments.",
        "issue: Providers, split, approval: Export",
    ),
    "import:chant:maps_specs": Requirement(
        "Specs of another project keep their texts but for the keys that have to change.",
        "issue: Providers, split, approval: Export",
    ),
    "import:again:brings_only_what_is_new": Requirement(
        "A second import of a source brings only what is new there, also after specs were archived.",
        "issue: Providers, split, approval: Export",
    ),
    "import:dry_run:writes_nothing": Requirement(
        "`import --dry-run` writes nothing and tells the same.", "issue: Providers, split, approval: Export"
    ),
    "import:source:is_told_when_it_is_none": Requirement(
        "A path that holds nothing to import is refused with what was expected.",
        "issue: Providers, split, approval: Export",
    ),
    "import:writing:all_or_none": Requirement(
        "An import becomes specs all or none, also when the process dies meanwhile.",
        "issue: Providers, split, approval: Export; decisions 2",
    ),
    "import:writing:makes_no_loop": Requirement(
        "Dependencies and parts with which specs would wait for one another in a circle, those that were "
        "there included, are left out and told.",
        "issue: Providers, split, approval: Export; reference chant 4.3",
    ),
    "cli:graph:draws_the_workspace": Requirement(
        "Top-level `graph` shows the dependency graph of the whole workspace.",
        "decisions 3: CLI",
    ),
    "cli:dialect:commands_exist_for_the_others": Requirement(
        "`chant-mcp vine`, `speckit` and `tickets` run the commands on that dialect alone.",
        "decisions 3: CLI",
    ),
    "cli:tickets:list_prints_tickets": Requirement(
        "`tickets list` prints code, status, priority, title and type of the tickets in columns, the highest "
        "number first, and below them which files cannot be read.",
        "reference tickets 9; seed tickets:75",
    ),
    "cli:tickets:list_filters": Requirement(
        "`tickets list` takes `--status`, `--type`, `--priority`, `--assignee` and `--phase-epic`, each more "
        "than once, and refuses a word that nothing knows with the words there are.",
        "reference tickets 9; seed tickets:81",
    ),
    "cli:tickets:list_says_what_it_leaves_out": Requirement(
        "`tickets list` shows 20 tickets unless `--limit` or `--all` says otherwise, and how many there are.",
        "reference tickets 9; decisions 3: Size of a result",
    ),
    "cli:tickets:ready_prints_what_can_be_begun": Requirement(
        "`tickets ready` prints the tickets that are approved and wait for nothing.",
        "reference tickets 9: Dependency graph",
    ),
    "cli:tickets:show_prints_a_ticket": Requirement(
        "`tickets show KEY` prints every attribute, what the ticket waits for, who waits for it, its file "
        "and its whole body rendered, `--raw` the body as it is written.",
        "reference tickets 9; seed tickets:118",
    ),
    "cli:tickets:sections_are_listed_and_shown": Requirement(
        "`tickets sections KEY` lists the sections with their sizes; with a name, as `tickets show KEY "
        "--section NAME`, it prints that one.",
        "seed tickets:295",
    ),
    "cli:tickets:graph_draws_what_waits": Requirement(
        "`tickets graph` draws what waits for what as a tree, says how many tickets it leaves out, and with "
        "`--all` draws all of them.",
        "reference tickets 9: Dependency graph",
    ),
    "cli:tickets:graph_tells_loops": Requirement(
        "`tickets graph` names the tickets that wait for one another in a circle.",
        "reference tickets 9: Dependency graph",
    ),
    "cli:tickets:graph_prints_mermaid_and_dot": Requirement(
        "`tickets graph --format mermaid|dot` prints the same for Mermaid and Graphviz.",
        "reference tickets 9: Dependency graph",
    ),
    "cli:tickets:advice_prints_the_score": Requirement(
        "`tickets advice KEY` prints the score, its parts, what to do and why, and what is good.",
        "seed tickets:389",
    ),
    "cli:tickets:projects_are_listed": Requirement(
        "`tickets projects` lists the projects and what was passed over; with a code it prints one with its "
        "counts by status.",
        "reference tickets 9; seed tickets:17",
    ),
    "cli:tickets:project_is_named_by_code_or_folder": Requirement(
        "The commands of tickets take `--project` with a project's code or a folder; without it the key or "
        "the place says which is meant.",
        "reference tickets 9: Single-project mode; decisions 3: Which project",
    ),
    "cli:tickets:add_creates_a_ticket": Requirement(
        "`tickets add TITLE` creates a ticket with the attributes given, its body from `--content` or the "
        "template of its type, and prints its code and file.",
        "reference tickets 9; seed tickets:182",
    ),
    "cli:tickets:set_changes_attributes": Requirement(
        "`tickets set KEY NAME=VALUE...` changes all attributes named or none, and prints what each was and "
        "is.",
        "reference tickets 9; seed tickets:231",
    ),
    "cli:tickets:status_moves_a_ticket": Requirement(
        "`tickets status KEY STATUS` moves a ticket along the workflow and prints from where to where.",
        "seed tickets:259",
    ),
    "cli:tickets:delete_asks": Requirement(
        "`tickets delete KEY` names the ticket and who needs it and deletes it only after a yes; `--yes` "
        "asks nothing.",
        "reference tickets 9; seed tickets:276",
    ),
    "cli:vine:show_prints_the_plan": Requirement(
        "`vine show FILE` prints title, root, totals, a progress bar, the statuses that occur and a table of "
        "all tasks and references.",
        "reference vine 11; reference vine 5.1",
    ),
    "cli:vine:show_prints_one_task": Requirement(
        "`vine show FILE --task ID` prints all of one task: rendered description, decisions, attachments, "
        "what it depends on with statuses, and who needs it.",
        "reference vine 5.1",
    ),
    "cli:vine:list_filters": Requirement(
        "`vine list FILE` prints a table of the tasks of a `--status` that hold a `--query`, or "
        "`No tasks found.`",
        "reference vine 11",
    ),
    "cli:vine:next_says_what_to_do": Requirement(
        "`vine next FILE` prints what can be acted on in sections with what to do, and how far the plan is.",
        "reference vine 5.2; reference vine 11",
    ),
    "cli:vine:next_says_what_is_waited_for": Requirement(
        "When nothing can be done, `vine next` says so and what is waited for.", "reference vine W6"
    ),
    "cli:vine:validate_says_valid": Requirement(
        "`vine validate FILE` prints `✓ Valid — <n> task(s).` for a valid file, with a warning where a "
        "complete root stands over unfinished tasks.",
        "reference vine 11; reference vine W17",
    ),
    "cli:vine:validate_points_at_each_problem": Requirement(
        "For each violation and parse error `vine validate` prints file, line, column, rule and message, "
        "with the line and the piece meant marked, and exits with 1.",
        "reference vine 11; reference vine W13",
    ),
    "cli:vine:validate_takes_files_and_folders": Requirement(
        "`vine validate` checks several files to the end, and all `.vine` files below a folder.",
        "reference vine 11",
    ),
    "cli:vine:validate_prints_json": Requirement(
        "`vine validate --json` prints the files and all their problems with their places.",
        "reference vine 11",
    ),
    "cli:vine:problems_have_places": Requirement(
        "The error of an invalid file lists under `problems` everything that is wrong, each thing with "
        "constraint, message, line and column.",
        "reference vine 3",
    ),
    "cli:vine:graph_draws_a_tree": Requirement(
        "`vine graph FILE` draws a tree from the root; a task met again stands there as `↑`.",
        "reference vine 11",
    ),
    "cli:vine:graph_prints_mermaid_and_dot": Requirement(
        "`vine graph --format mermaid|dot` prints the graph for Mermaid and Graphviz.", "reference vine 11"
    ),
    "cli:vine:graph_leaves_out_other_statuses": Requirement(
        "`vine graph --status` draws tasks of these statuses alone; dashed arrows lead over the others.",
        "reference vine 11",
    ),
    "cli:vine:names_break_no_picture": Requirement(
        "No name breaks the syntax of a Mermaid or DOT text, or shows as something else.", "reference vine 11"
    ),
    "cli:vine:set_prints_old_and_new": Requirement(
        "`vine set FILE ID STATUS …` sets all statuses or none and prints `✓ <id>: <old> → <new>` for each.",
        "reference vine 11",
    ),
    "cli:vine:set_dry_run_shows_the_diff": Requirement(
        "`vine set --dry-run` shows what would change in the file, and writes nothing.", "reference vine W12"
    ),
    "cli:vine:claim_shows_what_it_builds_on": Requirement(
        "`vine claim FILE ID` takes a task, for `--owner` where given, and prints it with what it builds on.",
        "reference vine 11; reference vine W4",
    ),
    "cli:vine:expand_replaces_a_reference": Requirement(
        "`vine expand FILE REF_ID [CHILD]` puts the tasks of the other file in the place of a reference.",
        "reference vine 11; reference vine 7",
    ),
    "cli:vine:changes_obey_read_only": Requirement(
        "With `--read-only` `vine set`, `claim` and `expand` are refused.", "house: command line"
    ),
    "cli:vine:spec_prints_the_texts": Requirement(
        "`vine spec` prints the brief text of the format, `--full` the full one.", "reference vine 9.3"
    ),
    "cli:vine:json_is_the_answer": Requirement(
        "`--json` of the vine commands prints what the core or the tool answers.", "house: command line"
    ),
    "cli:vine:files_resolve_as_in_the_tools": Requirement(
        "The vine commands find files as the tools do: from the working folder, then the project, with "
        "`.vine` left out or not.",
        "reference vine 8.1",
    ),
    "cli:speckit:context_says_why": Requirement(
        "`speckit context` shows the current feature and what decided.", "house: command line"
    ),
    "cli:speckit:features_are_listed": Requirement(
        "`speckit features` lists all; `--feature` means another than the current one.", "house: command line"
    ),
    "cli:speckit:next_lists_what_can_be_done_at_once": Requirement(
        "`speckit next` lists the tasks that can be done now, all at once.", "issue 8"
    ),
    "cli:speckit:complete_ticks": Requirement(
        "`speckit complete` ticks a task and says what is next.", "house: command line"
    ),
    "cli:speckit:read_prints_a_document": Requirement(
        "`speckit read` prints a document whole.", "house: command line"
    ),
    "cli:answer:replies_to_a_question": Requirement(
        "`chant-mcp answer` answers a question that an agent left, `--cancel` gives none.",
        "decisions 3: `rstn_report_status needs_input`",
    ),
    "demo:make:demo_runs": Requirement(
        "`make demo` runs the sample project from a fresh checkout.", "issue: Newcomer"
    ),
    "demo:make:test_runs": Requirement(
        "`make test` runs the tests from a fresh checkout.", "issue: Newcomer"
    ),
    "demo:command:keeps_the_project_when_asked": Requirement(
        "`demo --keep` leaves the sample project and says where it is.", "house: newcomers"
    ),
    "demo:answers:are_checked": Requirement(
        "The demo fails when an answer is not what it should be.", "decisions 1"
    ),
    "demo:git:absence_is_told": Requirement(
        "Without git the demo says that git cannot be run.", "house: newcomers"
    ),
    "demo:sample:has_something_of_everything": Requirement(
        "The sample project has every status and type, a problem, an archive and a tagged commit.",
        "house: newcomers",
    ),
    # Which tools and which project
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
        "Tool and parameter descriptions are worded as in the seed; `chant_work_list` as the reference "
        "quotes it.",
        "seed chant:1172; reference chant 5.0",
    ),
    "server:schemas:chant_tools_average_450_bytes": Requirement(
        "The chant entries of `tools/list` take at most 450 bytes a tool on average.",
        "decisions 3: Default tools",
    ),
    "server:schemas:output_schema_only_for_one_shape": Requirement(
        "A tool publishes an output schema only when it always answers with that one shape.",
        "decisions 3: Default tools",
    ),
    "server:schemas:all_forty_two_fit_26_kb": Requirement(
        "All 42 entries of `tools/list` together take at most 26 KB.",
        "decisions 3: Default tools",
        built=False,
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
    "server:project:nearest_chant_folder_upwards": Requirement(
        "Without flag or variable the nearest folder upwards that holds `.chant` is the project.",
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
    # Arguments of a call
    "server:arguments:missing_id_is_named": Requirement(
        "A call without a required `id` gives the tool error `Missing required parameter: id`.",
        "seed chant:1646; decisions 3: Missing or ill-typed argument",
    ),
    "server:arguments:any_missing_parameter_is_named": Requirement(
        "Any other required parameter that is absent is named the same way: `query`, `description`.",
        "decisions 3: Missing or ill-typed argument",
    ),
    "server:arguments:wrong_type_is_named": Requirement(
        "A wrong type, also of an optional argument, gives a tool error such as `Invalid parameter 'limit': "
        "expected integer, got string`.",
        "decisions 3: Missing or ill-typed argument; seed chant:1709; reference chant 5.0 R, 8.2 W23",
    ),
    "server:arguments:bad_arguments_are_never_protocol_errors": Requirement(
        "Bad arguments are answered with `isError: true`, never with a JSON-RPC error.",
        "decisions 3: Missing or ill-typed argument",
    ),
    "server:arguments:null_means_absent": Requirement(
        "An argument given as `null` counts as absent.", "decisions 3: Missing or ill-typed argument"
    ),
    "server:arguments:whole_float_is_an_integer": Requirement(
        "`5.0` is accepted where an integer is expected.", "decisions 3: Missing or ill-typed argument"
    ),
    "server:arguments:digit_string_is_not_an_integer": Requirement(
        '`"5"` is refused where an integer is expected.', "decisions 3: Missing or ill-typed argument"
    ),
    "server:arguments:unknown_argument_is_refused": Requirement(
        "An unknown argument is refused, and the nearest known name is suggested.",
        "decisions 3: Missing or ill-typed argument",
    ),
    "server:arguments:arbitrary_json_never_crashes_a_tool": Requirement(
        "Whatever JSON object a tool is given, it answers or gives a tool error; it never crashes.",
        "issue: Bad input",
    ),
    "server:call:absent_arguments_are_an_empty_object": Requirement(
        "A `tools/call` without `arguments` is treated as one with `{}`.",
        "decisions 3: `tools/call` details; seed chant:1649",
    ),
    "server:call:missing_name_is_a_tool_error": Requirement(
        "A `tools/call` without a name, or with one that is not a string, gives the tool error `Missing tool "
        "name`.",
        "seed chant:1648; decisions 3: `tools/call` details",
    ),
    "server:call:unknown_tool_is_a_tool_error": Requirement(
        "An unknown tool gives the tool error `Unknown tool: <name>`.",
        "seed chant:1651; decisions 3: Unknown tool",
    ),
    "server:call:unknown_tool_suggests_the_nearest": Requirement(
        "The error for an unknown tool names the nearest known tool.", "decisions 3: Unknown tool"
    ),
    "server:call:crash_gives_a_reference_number": Requirement(
        "A crash inside one call is a tool error with a reference number.",
        "issue: Protocol; decisions 3: `tools/call` details; seed chant:1596",
    ),
    "server:call:reference_number_is_in_the_log": Requirement(
        "The reference number of a crash is found in the server's log with the trace.", "issue: Protocol"
    ),
    # Shape and size of an answer
    "server:result:json_is_indented_by_two": Requirement(
        "A JSON answer is one text block of JSON indented by two blanks.",
        "seed chant:167; decisions 3: Tool result",
    ),
    "server:result:structured_content_equals_the_text": Requirement(
        "A JSON answer carries the same object as structured content.",
        "issue: Seventeen tools; decisions 3: Tool result",
    ),
    "server:result:prose_has_no_structured_content": Requirement(
        "An answer that the seed shows as prose is text only.", "decisions 3: Tool result"
    ),
    "server:result:arrays_are_wrapped_in_structured_content": Requirement(
        'An array answer is the array as text and `{"result", "total", "returned"}` as structured content.',
        "decisions 3: Tool result",
    ),
    "server:result:cut_arrays_say_so_in_a_second_block": Requirement(
        "When an array answer is cut, a second text block says so.",
        "decisions 3: Tool result",
    ),
    "server:result:no_banner": Requirement(
        "No answer is wrapped in banner lines.", "decisions 3: Tool result; reference chant 5.0 R, 8.1 D6"
    ),
    "server:result:keys_keep_the_order_of_the_seed": Requirement(
        "The keys of a JSON answer stand in the order in which the seed lists them.",
        "decisions 3: Keys order in JSON",
    ),
    "server:result:statuses_are_underscored": Requirement(
        "Every answer spells `in_progress` and `needs_attention` with an underscore.",
        "decisions 3: Statuses in JSON; reference chant 3 R, 8.1 D5",
    ),
    "server:sizes:text_stays_under_50000_characters": Requirement(
        "The text block of any answer stays under 50,000 characters.", "decisions 3: Size of a result"
    ),
    "server:sizes:spec_get_takes_offset_and_max_chars": Requirement(
        "`chant_spec_get` takes `offset` and `max_chars`, which is 40,000 unless given.",
        "decisions 3: Size of a result",
    ),
    "server:sizes:lists_take_limit_and_offset": Requirement(
        "`chant_spec_list`, `chant_ready`, `chant_lint` and `chant_search` take `limit` and `offset`, "
        "`chant_work_list`, of which at most 200 records are kept, `offset`.",
        "decisions 3: Size of a result",
    ),
    "server:sizes:cut_answers_say_how_to_go_on": Requirement(
        "An answer that leaves something out says what, and how to get it.", "decisions 3: Size of a result"
    ),
    "server:sizes:other_lists_page_too": Requirement(
        "`vine_next` takes `limit` and `offset`; `list_crs` shows 20 tickets unless told otherwise.",
        "decisions 3: Size of a result",
    ),
    "server:times:are_utc": Requirement("Times that we write into files are UTC.", "reference chant 8.2 W23"),
    # Protocol (seed chant 1550-1699)
    "protocol:stdio:json_rpc_one_object_per_line": Requirement(
        "Requests and answers are JSON-RPC 2.0 objects, one a line, on standard input and output.",
        "seed chant:1552; reference chant 5.0",
    ),
    "protocol:stdio:blank_lines_are_skipped": Requirement(
        "Blank lines on standard input are skipped without an answer.", "reference chant 5.0"
    ),
    "protocol:bare_requests:tools_list_without_handshake": Requirement(
        "A single piped `tools/list` without a handshake is answered with the tools.",
        "seed chant:46; decisions 3: Bare requests on stdio",
    ),
    "protocol:bare_requests:initialize_without_params": Requirement(
        "A single piped `initialize` without params is answered.",
        "seed chant:49; decisions 3: Bare requests on stdio",
    ),
    "protocol:bare_requests:tools_call_without_handshake": Requirement(
        "A single piped `tools/call` without a handshake is answered with the tool's result.",
        "seed chant:52; decisions 3: Bare requests on stdio",
    ),
    "protocol:bare_requests:later_initialize_still_works": Requirement(
        "After a bare first request or `ping`, a real `initialize` on the same connection still works.",
        "reference mcp 9",
    ),
    "protocol:one_shot:all_requests_are_answered_before_the_end": Requirement(
        "When the input ends at once, every request read so far is answered before the process ends.",
        "issue: Protocol; reference mcp 9",
    ),
    "protocol:one_shot:waiting_is_bounded": Requirement(
        "After the end of input the server waits at most a bounded time for unanswered requests.",
        "reference mcp 9",
    ),
    "protocol:one_shot:cancelled_requests_do_not_delay_the_end": Requirement(
        "Cancelled requests and open subscriptions do not delay the end of the process.", "reference mcp 9"
    ),
    "protocol:initialize:version_2024_11_05_without_params": Requirement(
        "`initialize` without params agrees on protocol version `2024-11-05`.",
        "seed chant:1573; reference mcp 9",
    ),
    "protocol:initialize:advertises_tools": Requirement(
        "The `initialize` answer advertises the `tools` capability.", "seed chant:1574"
    ),
    "protocol:initialize:server_is_named_chant": Requirement(
        "`serverInfo.name` is `chant`.", "seed chant:1578"
    ),
    "protocol:initialize:reports_the_package_version": Requirement(
        "`serverInfo.version` is the version of our package.", "seed chant:1579; reference chant 8.1 D31"
    ),
    "protocol:revisions:four_by_handshake": Requirement(
        "A client can agree on 2024-11-05, 2025-03-26, 2025-06-18 or 2025-11-25 by handshake.",
        "issue: Protocol; decisions 3: Protocol revisions",
    ),
    "protocol:revisions:2026_07_28_by_envelope": Requirement(
        "A client can speak revision 2026-07-28 by the envelope of each request.",
        "issue: Protocol; decisions 3: Protocol revisions",
    ),
    "protocol:tools:list_advertises_them": Requirement(
        "`tools/list` describes every tool with name, description and input schema of type `object`.",
        "seed chant:1554",
    ),
    "protocol:tools:call_runs_one": Requirement(
        "`tools/call` with a name and arguments runs that tool.", "seed chant:1555"
    ),
    "protocol:errors:invalid_json_is_32700": Requirement(
        "A line that is not JSON is answered with code -32700.", "seed chant:1594; issue: Protocol"
    ),
    "protocol:errors:invalid_json_has_null_id": Requirement(
        "The answer to a line that is not JSON has `id: null`.",
        "seed chant:1727; decisions 3: Bare requests on stdio",
    ),
    "protocol:errors:invalid_json_names_the_place": Requirement(
        "For `invalid json` the message is `Parse error: expected value at line 1 column 1`.",
        "seed chant:1725",
    ),
    "protocol:errors:wrong_version_is_32600": Requirement(
        'A `jsonrpc` other than `"2.0"` is answered with -32600 `Invalid JSON-RPC version`.',
        "seed chant:1595; issue: Protocol",
    ),
    "protocol:errors:wrong_version_echoes_the_id": Requirement(
        "The answer to a wrong `jsonrpc` echoes the request's id.", "reference mcp 9; reference chant 5.0"
    ),
    "protocol:errors:batch_is_32600": Requirement(
        "A batch (a JSON array) is answered with -32600.", "reference mcp 9"
    ),
    "protocol:errors:unknown_method_is_32601": Requirement(
        "An unknown method is answered with -32601 and `Method not found`.",
        "seed chant:1650; issue: Protocol; reference chant 5.0 R",
    ),
    "protocol:errors:object_has_code_and_message": Requirement(
        'A protocol error has `jsonrpc: "2.0"`, an integer `error.code`, a readable `error.message` and '
        "the request's id.",
        "seed chant:1605",
    ),
    "protocol:errors:tool_errors_are_results": Requirement(
        "An error of a tool is a result with `isError: true` and its text as content, without an `error` "
        "member.",
        "seed chant:1623",
    ),
    "protocol:results:content_is_a_list_of_text": Requirement(
        "A successful result has `content`, a list whose entries have type `text`.", "seed chant:1676"
    ),
    "protocol:results:id_is_echoed": Requirement(
        'Every answer carries `jsonrpc: "2.0"` and the id of its request.', "seed chant:1679"
    ),
    "protocol:notifications:are_not_answered": Requirement(
        "A message without an `id` is never answered.", "seed chant:1683"
    ),
    "protocol:notifications:initialized_is_accepted": Requirement(
        "`notifications/initialized` is accepted silently.", "seed chant:1693"
    ),
    "protocol:notifications:null_or_fractional_id_is_one": Requirement(
        "A message with `id: null` or a fractional id is read as a notification.", "reference mcp 12"
    ),
    "protocol:flight:several_requests_at_once": Requirement(
        "A slow call does not hold back the answers to requests sent after it.", "issue: Protocol"
    ),
    "protocol:flight:calls_take_effect_in_their_order": Requirement(
        "Calls that change something take effect in the order in which they came, and a call sees what "
        "those before it changed.",
        "reference chant 5.0",
    ),
    "protocol:flight:cancellation_is_honoured": Requirement(
        "A cancelled request is not answered, and the server stays usable.", "issue: Protocol"
    ),
    "protocol:stdio:stdout_carries_messages_only": Requirement(
        "Every byte on standard output belongs to a JSON-RPC message; stray prints go to standard error.",
        "issue: Protocol; decisions 4; reference chant 10.9.14; reference mcp 9",
    ),
    "protocol:stdio:children_read_end_of_file": Requirement(
        "A child process of the server cannot read the protocol's input: it sees end of file.",
        "reference mcp 9",
    ),
    "protocol:stdio:megabyte_arguments_work": Requirement(
        "A request with arguments of a megabyte is served.", "reference mcp 9"
    ),
    "protocol:exit:sigterm_ends_cleanly": Requirement(
        "SIGTERM ends the process at once, with clean-up and exit code 0.", "issue: Protocol; reference mcp 9"
    ),
    "protocol:exit:ctrl_c_ends_cleanly": Requirement(
        "Ctrl-C ends the process at once, with clean-up and exit code 0.", "reference mcp 9"
    ),
    "protocol:exit:closed_input_ends_cleanly": Requirement(
        "Closed standard input ends the process at once when no answer is owed.", "issue: Protocol"
    ),
    # Security (seed chant 1794-1799) and what we never do
    "server:security:opens_no_network_port": Requirement(
        "The stdio server listens on no network port.", "seed chant:1796"
    ),
    "server:security:uses_the_permissions_of_its_parent": Requirement(
        "The server acts with the file permissions of the process that started it and asks for no others.",
        "seed chant:1797",
    ),
    "server:security:ids_cannot_leave_the_project": Requirement(
        "An id or name with `/`, `\\` or `..` is refused and never reaches a file outside the project.",
        "seed chant:1798; decisions 4; reference chant 8.1 D32",
    ),
    "server:security:front_matter_paths_are_confined": Requirement(
        "Files named by `context` or `output_schema` are read inside the project only.",
        "reference chant 8.1 D32",
    ),
    "server:security:symlink_out_of_the_project_is_refused": Requirement(
        "A spec that is a symbolic link out of the project is neither read nor written; it is listed as a "
        "problem.",
        "issue: Bad input; decisions 4",
    ),
    "server:security:no_credentials_in_answers": Requirement(
        "No answer contains credentials from the environment or the user's configuration.", "seed chant:1799"
    ),
    "server:security:captured_output_masks_secrets": Requirement(
        "Values of variables named like `*KEY*`, `*TOKEN*`, `*SECRET*` or `*PASSWORD*` are masked in "
        "everything captured.",
        "decisions 3: Secrets",
    ),
    "server:security:text_of_a_spec_is_never_run": Requirement(
        "No text of a spec is ever run as a command.",
        "decisions 3: Commands named in specs",
    ),
    "server:security:named_checks_come_from_config": Requirement(
        "`<!-- check: NAME -->` runs only the argument list of that name in the project's config.",
        "decisions 3: Commands named in specs",
    ),
    "server:files:written_only_in_the_project": Requirement(
        "Tools write only inside the project's root and `<git common dir>/chant-mcp/`.",
        "decisions 3: Files we write",
    ),
    "server:files:other_places_are_few": Requirement(
        "Outside the project only worktrees under `$XDG_STATE_HOME/chant-mcp/worktrees/`, registered ticket "
        "projects and absolute `.vine` paths are written.",
        "decisions 3: Files we write",
    ),
    # chant_spec_list (seed chant 130-173)
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
    # chant_spec_get (seed chant 175-211)
    "chant:spec_get:partial_id_works": Requirement(
        "`chant_spec_get` finds a spec by its full ID or a part of it, such as `001`.",
        "seed chant:180; seed chant:101",
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
    # chant_ready (seed chant 213-239)
    "chant:ready:lists_specs_without_unmet_dependencies": Requirement(
        "`chant_ready` lists the specs that can be worked now, those with unmet dependencies left out.",
        "seed chant:215",
    ),
    "chant:ready:default_limit_is_50": Requirement(
        "At most 50 ready specs are listed when no `limit` is given.", "seed chant:218"
    ),
    "chant:ready:answer_has_the_keys_of_spec_list": Requirement(
        "The answer has `specs`, `total` (before the limit), `limit` and `returned`.",
        "seed chant:221; seed chant:222",
    ),
    "chant:ready:is_in_ascending_id_order": Requirement(
        "Ready specs stand in ascending order of their IDs.", "reference chant 5.3"
    ),
    "chant:ready:failed_specs_are_flagged": Requirement(
        "A failed spec that could be retried is listed and recognisable by its status.",
        "reference chant 4.2, 8.1 D33",
    ),
    "chant:ready:containers_are_not_listed": Requirement(
        "Specs of type `group` or `driver` are not listed as ready.", "reference chant 4.2"
    ),
    # chant_status (seed chant 241-338)
    "chant:status:counts_by_status": Requirement(
        "The answer has `total`, `pending`, `in_progress`, `completed`, `failed`, `blocked`, `cancelled` and "
        "`needs_attention`.",
        "seed chant:270",
    ),
    "chant:status:brief_is_one_line": Requirement(
        "With `brief` the answer is one line such as `3 pending | 2 in_progress | 15 completed`.",
        "seed chant:301",
    ),
    "chant:status:brief_names_what_occurs_in_order": Requirement(
        "The brief line names only the statuses that occur, in the order of the full answer.",
        "seed chant:301; reference chant 5.4, 10.6",
    ),
    "chant:status:activity_is_added_on_request": Requirement(
        "With `include_activity` the answer gains `in_progress_activity`, one entry for each spec in "
        "progress.",
        "seed chant:247",
    ),
    "chant:status:activity_entry_has_five_keys": Requirement(
        "An activity entry has `id`, `title`, `spec_modified`, `log_modified` and `has_log`.",
        "seed chant:332",
    ),
    "chant:status:activity_times_have_the_documented_form": Requirement(
        "Activity times read `YYYY-MM-DD HH:MM:SS`, in local time.", "seed chant:332; reference chant 5.4"
    ),
    "chant:status:problems_are_listed": Requirement(
        "Unreadable files are listed as `problems` in the full answer.", "decisions 3: Unreadable files"
    ),
    "chant:status:brief_says_no_specs": Requirement(
        "The brief line of an empty project is `No specs`.", "reference chant 5.4, 10.6"
    ),
    "chant:status:brief_wins_over_activity": Requirement(
        "With both `brief` and `include_activity` the brief line is the answer.", "reference chant 5.4"
    ),
    "chant:status:counts_effective_statuses": Requirement(
        "The counts go by the status that blocking derives, over all active specs.", "reference chant 5.4"
    ),
    "chant:status:ready_and_paused_are_counted_in": Requirement(
        "A stored `ready` counts as pending, a stored `paused` as in_progress.", "reference chant 5.4"
    ),
    "chant:status:activity_leaves_paused_out": Requirement(
        "`in_progress_activity` does not name paused specs.", "reference chant 5.4"
    ),
    "chant:status:log_modified_is_null_without_log": Requirement(
        "`log_modified` is null and `has_log` false for a spec without a log.", "reference chant 5.4"
    ),
    "chant:status:activity_has_utc_beside": Requirement(
        "An activity entry carries each time also as UTC in RFC 3339.", "reference chant 5.4 R"
    ),
    # chant_spec_update (seed chant 340-406)
    "chant:spec_update:status_is_set": Requirement(
        "`status` sets the spec's status in its file.", "seed chant:346"
    ),
    "chant:spec_update:output_is_appended_under_its_heading": Requirement(
        "`output` is appended to the body under an `## Output` heading.", "seed chant:355"
    ),
    "chant:spec_update:output_has_no_timestamp": Requirement(
        "Appended output carries no timestamp.", "seed chant:357"
    ),
    "chant:spec_update:output_is_not_truncated": Requirement(
        "Appended output is written in full, however long it is.", "seed chant:358"
    ),
    "chant:spec_update:output_is_plain_text": Requirement(
        "Appended output is not wrapped in a code block.", "seed chant:360"
    ),
    "chant:spec_update:front_matter_keys_are_set": Requirement(
        "`depends_on`, `labels`, `target_files` and `model` each set that key of the front matter.",
        "seed chant:348; seed chant:349; seed chant:350; seed chant:351",
    ),
    "chant:spec_update:status_and_output_in_one_call": Requirement(
        "One call can set the status and append output.", "seed chant:373"
    ),
    "chant:spec_update:answers_with_the_id": Requirement(
        "The answer is `Updated spec: <id>` with the full ID.", "seed chant:389"
    ),
    "chant:spec_update:invalid_status_names_all_nine": Requirement(
        "An invalid status gives `Invalid status: <s>. Must be one of: …` naming all nine statuses.",
        "seed chant:1652; reference chant 5.9, 8.1 D8, D9",
    ),
    "chant:spec_update:no_updates_specified": Requirement(
        "A call that changes nothing gives the error `No updates specified`, without a prefix.",
        "seed chant:1653; decisions 3: `No updates specified`",
    ),
    "chant:spec_update:completed_needs_criteria_met": Requirement(
        "`status: completed` is refused while a criterion is open, unless `force` is given.",
        "decisions 3: `chant_spec_update`",
    ),
    "chant:spec_update:completed_needs_members_done": Requirement(
        "`status: completed` is refused while a member is open, unless `force` is given.",
        "decisions 3: `chant_spec_update`",
    ),
    "chant:spec_update:completed_needs_no_log": Requirement(
        "A spec worked by hand can be set to completed without an agent log.", "decisions 3: Completion"
    ),
    "chant:spec_update:check_ticks_named_criteria": Requirement(
        "`check` ticks the criteria whose texts it lists.", "decisions 3: `chant_spec_update`"
    ),
    "chant:spec_update:uncheck_clears_named_criteria": Requirement(
        "`uncheck` clears the criteria whose texts it lists.", "decisions 3: `chant_spec_update`"
    ),
    "chant:spec_update:lists_replace": Requirement(
        "A given list replaces the list that was there.", "decisions 3: `chant_spec_update`"
    ),
    "chant:spec_update:failure_changes_nothing": Requirement(
        "When one part of an update fails, no part of it is written.", "reference chant 5.9"
    ),
    "chant:spec_update:illegal_transition_is_refused": Requirement(
        "A transition outside the table is refused unless `force` is given.", "reference chant 5.9"
    ),
    "chant:spec_update:force_skips_legality": Requirement(
        "With `force` every one of the 81 status pairs is accepted.", "reference chant 5.9, 10.8"
    ),
    "chant:spec_update:each_output_is_a_new_section": Requirement(
        "Every call with `output` adds a further `## Output` section.", "reference chant 5.9"
    ),
    "chant:spec_update:empty_output_is_no_update": Requirement(
        "An empty `output` alone counts as no update.", "reference chant 5.9"
    ),
    "chant:spec_update:replace_body_replaces_the_body": Requirement(
        "With `replace_body` the `output` replaces the body.",
        "reference chant 5.9; decisions 3: `chant_spec_update`",
    ),
    "chant:spec_update:replace_body_keeps_the_title": Requirement(
        "With `replace_body` the old title line stays in front when the new text has none.",
        "reference chant 5.9",
    ),
    "chant:spec_update:errors_are_prefixed": Requirement(
        "Its errors start with `Failed to update spec: `, but for resolution, invalid status and no updates.",
        "reference chant 5.9; decisions 3: `No updates specified`",
    ),
    "chant:spec_update:cycle_is_refused": Requirement(
        "A `depends_on` that closes a cycle through this spec is refused.", "reference chant 4.7"
    ),
    "chant:spec_update:foreign_cycle_does_not_matter": Requirement(
        "A cycle elsewhere in the project does not stop an update.", "reference chant 4.7 R"
    ),
    "chant:spec_update:unknown_dependencies_are_reported": Requirement(
        "`depends_on` entries that name no known spec are reported in the answer.", "reference chant 4.7 R"
    ),
    "chant:spec_update:last_member_completes_its_driver": Requirement(
        "Completing the last open member completes a pending or in_progress driver that has no open "
        "criteria.",
        "reference chant 4.6; decisions 3: Completion",
    ),
    # chant_add (seed chant 408-490)
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
    # chant_log (seed chant 492-577)
    "chant:log:default_is_the_last_100_lines": Requirement(
        "The last `lines` lines are returned, 100 unless given.", "seed chant:498"
    ),
    "chant:log:offset_starts_at_a_byte": Requirement(
        "`offset` starts the answer at that byte of the log.", "seed chant:499"
    ),
    "chant:log:since_drops_older_lines": Requirement(
        "`since` drops lines whose stamp is not later than that time.", "seed chant:500; reference chant 5.5"
    ),
    "chant:log:answer_has_four_keys": Requirement(
        "The answer has `content`, `byte_offset`, `line_count` and `has_more`.", "seed chant:505"
    ),
    "chant:log:polling_returns_only_new_content": Requirement(
        "Calling again with the returned `byte_offset` returns only what was added since.", "seed chant:512"
    ),
    "chant:log:offset_pages_forward_in_whole_lines": Requirement(
        "With `offset` the lines after it are returned in order, whole lines only.",
        "decisions 3: `chant_log` with `offset`; reference chant 5.5 R",
    ),
    "chant:log:byte_offset_is_where_to_continue": Requirement(
        "`byte_offset` is the end of the last returned line, so that no line is skipped or repeated.",
        "decisions 3: `chant_log` with `offset`; reference chant 5.5 R",
    ),
    "chant:log:incomplete_last_line_waits": Requirement(
        "A last line without its newline is returned only when it is complete.", "reference chant 5.5 R"
    ),
    "chant:log:has_more_says_that_lines_were_cut": Requirement(
        "`has_more` is true when lines were cut by the limit.", "reference chant 5.5"
    ),
    "chant:log:offset_at_or_past_the_end_is_empty": Requirement(
        "An `offset` at or past the end gives empty content.", "reference chant 5.5"
    ),
    "chant:log:offset_inside_a_character_is_safe": Requirement(
        "An `offset` inside a multi-byte character gives an answer and no crash.",
        "reference chant 5.5, 8.2 W9; issue: Bad input",
    ),
    "chant:log:invalid_utf8_is_read_lossily": Requirement(
        "A log with invalid UTF-8 is answered with replacement characters.", "reference chant 5.5 R"
    ),
    "chant:log:lines_without_stamp_are_kept": Requirement(
        "With `since`, lines without a stamp are kept.", "reference chant 5.5"
    ),
    "chant:log:unreadable_since_is_refused": Requirement(
        "A `since` that is no timestamp is refused.", "reference chant 8.2 W23"
    ),
    "chant:log:content_joins_lines_without_final_newline": Requirement(
        "`content` joins the lines by newline, without one at the end.", "reference chant 5.5"
    ),
    "chant:log:missing_log_is_explained": Requirement(
        "Without a log the error is ``No log file found for spec '<id>'. Logs are created when a spec is "
        "executed with `chant work`.``",
        "reference chant 5.5",
    ),
    # chant_verify (seed chant 579-631)
    "chant:verify:answer_has_the_documented_keys": Requirement(
        "The answer has `spec_id`, `verified`, `criteria` (`total`, `checked`, `unchecked`), "
        "`unchecked_items` and `verification_notes`.",
        "seed chant:609",
    ),
    "chant:verify:all_met_is_verified": Requirement(
        "With every criterion ticked `verified` is true and the note `All acceptance criteria met`.",
        "seed chant:609",
    ),
    "chant:verify:open_items_are_listed": Requirement(
        "`unchecked_items` lists each open item as `- [ ] text`.", "seed chant:625"
    ),
    "chant:verify:open_items_are_counted_in_the_note": Requirement(
        "With open criteria `verified` is false and the note `2 criteria not yet checked`, with their "
        "number.",
        "seed chant:625",
    ),
    "chant:verify:no_criteria_is_not_verified": Requirement(
        "A spec without criteria is not verified; the note is `No acceptance criteria found`.",
        "reference chant 5.16",
    ),
    "chant:verify:executes_nothing": Requirement(
        "`chant_verify` counts only; it executes nothing and changes nothing.", "reference chant 5.16"
    ),
    "chant:verify:counts_agree": Requirement(
        "`total` is always `checked` plus `unchecked`.", "reference chant 5.16, 8.2 W15"
    ),
    # chant_lint (seed chant 432-442 and 633-666)
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
    # chant_work_list (seed chant 694-767)
    "chant:work_list:answer_has_processes_and_summary": Requirement(
        "The answer has `processes` and `summary` with `running`, `completed` and `failed`.", "seed chant:705"
    ),
    "chant:work_list:process_has_seven_keys": Requirement(
        "A process has `process_id`, `spec_id`, `pid`, `status` (`running`, `completed`, `failed`), "
        "`started_at`, `completed_at` and `mode`.",
        "seed chant:707",
    ),
    "chant:work_list:completed_at_is_null_while_running": Requirement(
        "`completed_at` is null while a process runs.", "seed chant:712"
    ),
    "chant:work_list:completed_ones_only_on_request": Requirement(
        "Ended processes are listed only with `include_completed`.", "seed chant:700"
    ),
    "chant:work_list:process_id_filters_by_substring": Requirement(
        "`process_id` lists only the processes whose ID contains that text.",
        "seed chant:699; decisions 3: Run records of chant 0.23",
    ),
    "chant:work_list:is_empty_without_runs": Requirement(
        "Without any run the list is empty and every count zero.", "issue: Seventeen tools"
    ),
    "chant:work_list:summary_counts_all_records_kept": Requirement(
        "`summary` counts all records kept, whatever the filter.", "decisions 3: Run records of chant 0.23"
    ),
    "chant:work_list:records_of_0_23_are_failed_and_stale": Requirement(
        "Process records of chant 0.23 are shown as failed and stale.",
        "decisions 3: Run records of chant 0.23",
    ),
    "chant:work_list:signals_nothing": Requirement(
        "Listing never signals a process.", "decisions 3: Run records of chant 0.23; decisions 4"
    ),
    "chant:work_list:deletes_nothing": Requirement("Listing deletes no record.", "reference chant 5.0"),
    "chant:work_list:extra_keys_are_kept": Requirement(
        "A process also has `stale`, `log_modified` and `branch`.", "reference chant 5.18 R"
    ),
    "chant:work_list:pid_is_checked_by_start_time": Requirement(
        "A reused PID does not make an ended process look alive.", "reference chant 5.18 R"
    ),
    "chant:work_list:tells_how_far_work_is": Requirement(
        "A run at work also tells its agent, worktree and the criteria of the copy that is worked on; a run "
        "of several how many specs it has and which run each began below.",
        "issue: A start that says started has started",
    ),
    "chant:work_list:records_are_kept_seven_days_or_200": Requirement(
        "Records of ended runs are kept for 7 days or up to 200.",
        "decisions 3: Run records of chant 0.23",
    ),
    # chant_search (seed chant 105 and 1265)
    "chant:search:looks_in_title_and_body": Requirement(
        "`chant_search` finds specs by their title and body.", "seed chant:105"
    ),
    "chant:search:ignores_case": Requirement(
        "The query matches as a substring, whatever its case.", "seed chant:1272"
    ),
    "chant:search:status_filters": Requirement(
        "`status` limits the matches to that status.", "seed chant:1276"
    ),
    "chant:search:answers_like_spec_list": Requirement(
        "The answer is the object of `chant_spec_list`.", "decisions 3: Tool result"
    ),
    "chant:search:empty_query_matches_all": Requirement(
        "An empty query matches every spec.", "reference chant 5.6"
    ),
    "chant:search:cancelled_are_found": Requirement("Cancelled specs are found too.", "reference chant 5.6"),
    "chant:search:archive_is_not_searched": Requirement(
        "Archived specs are not found.", "reference chant 5.6"
    ),
    "chant:search:unknown_status_is_refused": Requirement(
        "An unknown `status` is refused.", "reference chant 5.6, 8.2 W23"
    ),
    "chant:search:results_are_limited": Requirement(
        "The number of matches shown is limited.", "reference chant 5.6 R, 8.2 W23"
    ),
    # chant_diagnose (seed chant 106 and 1282)
    "chant:diagnose:checks_file_log_lock_commit_criteria": Requirement(
        "`chant_diagnose` checks a spec's file, log, lock, commits and criteria.", "seed chant:1284"
    ),
    "chant:diagnose:answer_has_the_documented_keys": Requirement(
        "The answer has `spec_id`, `status`, `location`, `checks` (`name`, `passed`, `details`), `diagnosis` "
        "and `suggestion`.",
        "reference chant 5.7",
    ),
    "chant:diagnose:location_names_the_worktree": Requirement(
        "`location` is `main repository` or `worktree: <path>`, for a worktree of the spec's branch in any "
        "folder.",
        "reference chant 5.7",
    ),
    "chant:diagnose:spec_file_check": Requirement(
        "Check `Spec file` reports `Valid YAML`, `Invalid YAML: <e>` or `Cannot read: <e>`.",
        "reference chant 5.7",
    ),
    "chant:diagnose:log_file_check": Requirement(
        "Check `Log file` reports size and age in words, or `Does not exist`, and where it looked.",
        "reference chant 5.7",
    ),
    "chant:diagnose:lock_file_check": Requirement(
        "Check `Lock file` reports whether a lock is present, and where it looked.", "reference chant 5.7"
    ),
    "chant:diagnose:lock_age_and_owner_are_looked_at": Requirement(
        "A lock whose process is dead is told from one that is held, by PID and age.", "reference chant 5.7 R"
    ),
    "chant:diagnose:git_commit_check": Requirement(
        "Check `Git commit` passes when the history has a message containing `chant(<id>)`, and names its "
        "short hash, else says `No matching commit found`.",
        "reference chant 5.7",
    ),
    "chant:diagnose:criteria_check": Requirement(
        "Check `Acceptance criteria` says `All satisfied` or `<n> unchecked items remaining`.",
        "reference chant 5.7",
    ),
    "chant:diagnose:in_progress_with_commit_is_inconsistent": Requirement(
        "An in_progress spec with a commit fails `Status consistency`.", "reference chant 5.7"
    ),
    "chant:diagnose:completed_without_evidence_is_inconsistent": Requirement(
        "A completed spec without a commit or with open criteria fails `Status consistency`.",
        "reference chant 5.7",
    ),
    "chant:diagnose:pending_with_commit_is_inconsistent": Requirement(
        "A pending spec with a commit fails `Status consistency`.", "reference chant 5.7"
    ),
    "chant:diagnose:other_statuses_get_a_remark": Requirement(
        "Paused, failed, needs_attention, blocked and cancelled specs pass `Status consistency` with a "
        "remark.",
        "reference chant 5.7",
    ),
    "chant:diagnose:healthy_spec_is_said_to_be": Requirement(
        "With no failed check the diagnosis is `All checks passed. Spec appears healthy.` and the suggestion "
        "null.",
        "reference chant 5.7",
    ),
    "chant:diagnose:unfinalized_spec_is_recognised": Requirement(
        "In progress with commit and criteria met: `Spec appears complete but wasn't finalized.`",
        "reference chant 5.7",
    ),
    "chant:diagnose:commit_with_open_criteria_is_recognised": Requirement(
        "In progress with commit and open criteria: `Spec has a commit but acceptance criteria not all "
        "satisfied.`",
        "reference chant 5.7",
    ),
    "chant:diagnose:other_failures_are_named": Requirement(
        "Other statuses with failed checks: `Spec has issues: <names>`.", "reference chant 5.7"
    ),
    "chant:diagnose:suggestions_name_tools_that_exist": Requirement(
        "A suggestion points to finalizing, the open criteria or the log, and names only commands that "
        "exist.",
        "reference chant 5.7",
    ),
    "chant:diagnose:fresh_pending_spec_is_healthy": Requirement(
        "A fresh pending spec is healthy without log and commit: checks are graded by status.",
        "reference chant 5.7 R",
    ),
    "chant:diagnose:dependency_reasons_are_named": Requirement(
        "For a blocked spec the reasons are named.", "reference chant 5.7 R; issue: Graph"
    ),
    "chant:diagnose:branch_merge_state_is_named": Requirement(
        "For a spec with a branch the answer says whether it is merged.", "reference chant 5.7 R"
    ),
    "chant:diagnose:failure_is_worded": Requirement(
        "A failure reads `Failed to diagnose spec: <e>`.", "reference chant 5.7", built=False
    ),
    # chant_finalize (seed chant 116 and 1356)
    "chant:finalize:marks_a_spec_completed": Requirement(
        "`chant_finalize` marks a spec as completed.", "seed chant:116"
    ),
    "chant:finalize:refuses_open_criteria": Requirement(
        "With open criteria: `Spec '<id>' has <n> unchecked acceptance criteria. All criteria must be "
        "checked before finalization.`",
        "seed chant:1357; reference chant 5.11",
    ),
    "chant:finalize:hand_work_needs_no_log_and_no_commit": Requirement(
        "A spec without a run record is finalized with neither log nor commit.", "decisions 3: Completion"
    ),
    "chant:finalize:names_the_commits_found": Requirement(
        "The answer names the commits found, or says that there are none.", "decisions 3: Completion"
    ),
    "chant:finalize:run_needs_log_and_commit": Requirement(
        "A spec with a run record is finalized only with its log and a commit of the agent.",
        "decisions 3: Completion; reference chant 5.11",
    ),
    "chant:finalize:force_does_not_skip_criteria": Requirement(
        "`force` is accepted, and even with it open criteria refuse.",
        "reference chant 5.11, 8.1 D15; decisions 3: Completion",
    ),
    "chant:finalize:needs_a_fitting_status": Requirement(
        "Any status but in_progress, completed or failed is refused and named: `Current status: <S>`.",
        "reference chant 5.11",
    ),
    "chant:finalize:refuses_a_dirty_worktree": Requirement(
        "Uncommitted changes in the spec's worktree refuse with `Cannot finalize: uncommitted changes in "
        "worktree. Commit your changes first.`",
        "reference chant 5.11",
    ),
    "chant:finalize:refuses_open_members": Requirement(
        "Open members refuse: `Cannot complete driver spec '<id>' while <n> member spec(s) are incomplete: "
        "<ids>`.",
        "reference chant 5.11",
    ),
    "chant:finalize:cancelled_members_do_not_matter": Requirement(
        "A driver whose members are all completed or cancelled can be finalized.", "reference chant 4.6"
    ),
    "chant:finalize:later_errors_are_prefixed": Requirement(
        "Errors about worktree, members, log and commits start with `Failed to finalize spec: `; that the "
        "configuration cannot be read is told as it is.",
        "reference chant 5.11",
    ),
    "chant:finalize:answers_with_the_id": Requirement(
        "The answer starts with `Finalized spec: <id>`.", "reference chant 5.11"
    ),
    "chant:finalize:writes_completed_at": Requirement(
        "`completed_at` is written as UTC `YYYY-MM-DDTHH:MM:SSZ`.", "reference chant 5.11, 2.2"
    ),
    "chant:finalize:writes_commits_oldest_first": Requirement(
        "`commits` lists short hashes, oldest first, from `branch` when it has any, else from the current "
        "branch.",
        "reference chant 5.11",
    ),
    "chant:finalize:fills_an_absent_model": Requirement(
        "An absent `model` is filled from `CHANT_MODEL`, else `ANTHROPIC_MODEL`, else `defaults.model`.",
        "reference chant 5.11",
    ),
    "chant:finalize:keeps_the_model_of_the_spec": Requirement(
        "A `model` that the spec names is neither overwritten nor erased.",
        "reference chant 3.3, 5.11, 8.2 W7",
    ),
    "chant:finalize:asks_claude_for_the_model": Requirement(
        "As last resort the model is read from the parenthesis of `claude --version`.",
        "reference chant 5.11",
        built=False,
    ),
    "chant:finalize:accepts_a_spec_without_criteria": Requirement(
        "A spec without criteria can be finalized.", "reference chant 5.11"
    ),
    "chant:finalize:again_refreshes": Requirement(
        "Finalizing a completed spec again refreshes its record.", "reference chant 5.11"
    ),
    "chant:finalize:merges_nothing": Requirement(
        "`chant_finalize` merges no branch.", "reference chant 5.11"
    ),
    "chant:finalize:is_on_disk_when_it_answers": Requirement(
        "When the answer is sent, the completed status can be read back from the file.",
        "reference chant 5.11; decisions 1",
    ),
    "chant:finalize:last_member_completes_its_driver": Requirement(
        "Finalizing the last open member completes a pending or in_progress driver that has no open "
        "criteria.",
        "reference chant 4.6, 5.11; decisions 3: Completion",
    ),
    "chant:finalize:ai_coauthor_asks_for_approval": Requirement(
        "With `approval.require_approval_for_agent_work`, a commit whose co-author trailer names an AI makes "
        "finalize ask for approval.",
        "reference chant 4.4",
    ),
    # chant_reset and chant_resume (seed chant 117-118 and 1370)
    "chant:reset:failed_becomes_pending": Requirement(
        "`chant_reset` sets a failed spec back to pending.", "seed chant:117"
    ),
    "chant:reset:in_progress_is_allowed_without_process": Requirement(
        "An in_progress spec is reset when no process lives.",
        "decisions 3: `chant_reset` on `in_progress`; reference chant 8.1 D16",
    ),
    "chant:reset:refused_while_a_process_lives": Requirement(
        "A reset is refused, with nothing changed, while a process works on the spec.",
        "decisions 3: `chant_reset` on `in_progress`; reference chant 5.12 R",
    ),
    "chant:reset:branch_is_kept_as_backup": Requirement(
        "The spec's branch is kept under `refs/chant/backup/…`.",
        "decisions 3: `chant_reset` on `in_progress`",
    ),
    "chant:reset:unmerged_commits_stay_reachable": Requirement(
        "A reset never makes unmerged commits unreachable.",
        "decisions 3: `chant_reset` on `in_progress`; decisions 4",
    ),
    "chant:reset:uncommitted_changes_stay": Requirement(
        "A reset never deletes a worktree that holds uncommitted changes.", "decisions 4"
    ),
    "chant:reset:answers_with_the_id": Requirement(
        "The answer is `Reset spec '<id>' to pending`.", "reference chant 5.12"
    ),
    "chant:reset:other_statuses_are_refused": Requirement(
        "Another status gives `Failed to reset spec: Spec '<id>' is not in failed or in_progress state "
        "(current: <S>). …` and removes nothing.",
        "reference chant 5.12 R",
    ),
    "chant:reset:removes_lock_and_pid_file": Requirement(
        "A reset removes the stale lock and PID file of the spec.", "reference chant 5.12"
    ),
    "chant:reset:clears_fields_of_the_last_run": Requirement(
        "A reset removes `completed_at`, `commits`, `branch` and `retry_state` from the front matter.",
        "reference chant 3.3, 5.12 R",
    ),
    "chant:resume:does_what_reset_does": Requirement(
        "`chant_resume` takes the input and has the effect and answer of `chant_reset`.",
        "seed chant:118; decisions 3: `chant_resume`; reference chant 8.1 D1",
    ),
    "chant:resume:is_described_as_deprecated": Requirement(
        "The description of `chant_resume` calls it deprecated and names `chant_reset`.",
        "seed chant:118; decisions 3: `chant_resume`",
    ),
    "chant:reset:stops_running_work": Requirement(
        "A reset stops the work on its spec first.",
        "issue: The work runtime, part Pause",
    ),
    "chant:reset:keeps_uncommitted_work": Requirement(
        "What an agent had not committed is kept under the backup, too.",
        "reference chant 8.2 W6",
    ),
    # chant_cancel (seed chant 119 and 1384)
    "chant:cancel:sets_cancelled": Requirement(
        "`chant_cancel` sets a spec's status to cancelled.", "seed chant:1385"
    ),
    "chant:cancel:answers_with_the_id": Requirement(
        "The answer is `Cancelled spec: <id>`, first line.", "reference chant 5.14"
    ),
    "chant:cancel:already_cancelled_is_refused": Requirement(
        "Cancelling twice gives `Spec '<id>' is already cancelled`.", "reference chant 5.14"
    ),
    "chant:cancel:illegal_source_is_refused": Requirement(
        "From another status: `Failed to transition spec to Cancelled: Invalid transition from <S> to "
        "Cancelled`.",
        "reference chant 5.14",
    ),
    "chant:cancel:never_leaves_an_agent_running": Requirement(
        "A spec with a living process is not cancelled behind its back: the call stops it or refuses.",
        "reference chant 5.14 R",
    ),
    "chant:cancel:dependents_are_named": Requirement(
        "The answer names the specs that depend on the cancelled one, and its open members.",
        "reference chant 5.14 R",
    ),
    # chant_archive (seed chant 120 and 1398)
    "chant:archive:moves_a_completed_spec": Requirement(
        "`chant_archive` moves a completed spec to the archive folder.", "seed chant:1399"
    ),
    "chant:archive:folder_is_the_day_of_the_id": Requirement(
        "The file moves to `.chant/archive/<first ten characters of the ID>/<id>.md`.", "reference chant 5.15"
    ),
    "chant:archive:cancelled_is_accepted": Requirement(
        "A cancelled spec can be archived too.", "reference chant 5.15 R, 8.1 D29"
    ),
    "chant:archive:open_spec_is_refused": Requirement(
        "Any other status refuses: `Spec '<id>' must be completed to archive (current: <S>)`.",
        "reference chant 5.15",
    ),
    "chant:archive:unmerged_branch_is_refused": Requirement(
        "A spec whose branch exists and is not merged is refused; the error names spec, branch and main "
        "branch.",
        "reference chant 5.15",
    ),
    "chant:archive:tracked_file_is_moved_in_the_git_index": Requirement(
        "A tracked file's move is staged, not committed.", "reference chant 5.15"
    ),
    "chant:archive:untracked_file_is_renamed": Requirement(
        "An untracked file is moved by a plain rename.", "reference chant 5.15"
    ),
    "chant:archive:answers_with_the_path": Requirement(
        "The answer is `Archived spec: <argument as given> -> <relative path>`.", "reference chant 5.15"
    ),
    "chant:archive:member_may_go_alone": Requirement(
        "A member can be archived by itself.", "reference chant 5.15 R"
    ),
    "chant:archive:driver_waits_for_its_members": Requirement(
        "A driver with a member that is neither completed nor cancelled is not archived.",
        "reference chant 5.15 R",
    ),
    "chant:archive:driver_takes_its_members_along": Requirement(
        "Archiving a driver moves its members first, in number order, then the driver.",
        "reference chant 5.15 R",
    ),
    "chant:archive:short_id_is_safe": Requirement(
        "Archiving an ID shorter than ten bytes gives an answer or a tool error, and the server lives on.",
        "reference chant 5.15, 8.2 W9; issue: Bad input",
    ),
    "chant:archive:existing_target_is_kept": Requirement(
        "An archive file of the same name is never overwritten.", "decisions 4"
    ),
    # chant work runtime (seed chant 668-692 and 769-1168): watch and split are not part of the product yet
    "chant:work_start:returns_immediately": Requirement(
        "`chant_work_start` starts work in the background and returns at once.", "seed chant:771"
    ),
    "chant:work_start:answer_has_five_keys": Requirement(
        "The answer has `process_id`, `spec_id`, `pid`, `started_at` and `mode`.", "seed chant:782"
    ),
    "chant:work_start:mode_names_the_kind": Requirement(
        "`mode` is `single`, `chain` or `parallel(N)`.", "seed chant:786"
    ),
    "chant:work_start:chain_goes_on": Requirement(
        "With `chain` the next ready spec is worked after completion.", "seed chant:775"
    ),
    "chant:work_start:parallel_uses_n_workers": Requirement(
        "`parallel` works several ready specs with that many workers.", "seed chant:776"
    ),
    "chant:work_start:skip_criteria_skips_the_check": Requirement(
        "`skip_criteria` skips the criteria check before the start.", "seed chant:777"
    ),
    "chant:work_start:record_is_stored": Requirement(
        "The process is recorded in `.chant/processes/<process_id>.json`.", "seed chant:791"
    ),
    "chant:work_start:progress_is_in_the_log": Requirement(
        "`chant_log` with `offset` or `since` shows the progress of a run.", "seed chant:792"
    ),
    "chant:work_start:status_shows_the_run": Requirement(
        "`chant_status` with `include_activity` shows that the spec is being worked.", "seed chant:793"
    ),
    "chant:work_start:schema_has_four_parameters": Requirement(
        "The input schema requires `id` and has optional `chain`, `parallel` and `skip_criteria`.",
        "seed chant:1428",
    ),
    "chant:work_start:no_criteria_is_refused": Requirement(
        "Without criteria a start is refused unless `skip_criteria` is given.",
        "decisions 3: `chant_work_start` without criteria",
    ),
    "chant:work_start:red_gate_names_the_extras": Requirement(
        "A red quality gate refuses and names the extras of `chant_add`.",
        "decisions 3: `chant_work_start` without criteria",
    ),
    "chant:work_start:run_without_commit_never_completes": Requirement(
        "A run without a commit of the agent's own never completes by itself.", "decisions 3: Completion"
    ),
    "chant:work_start:ticks_before_the_start_are_recorded": Requirement(
        "Boxes that were ticked before the start are recorded as such.", "decisions 3: Completion"
    ),
    "chant:work_start:reworded_criteria_need_attention": Requirement(
        "A run that removes or rewords criteria ends in needs_attention.", "decisions 3: Completion"
    ),
    "chant:work_start:waiting_for_approval_needs_attention": Requirement(
        "A run that waits for approval ends in needs_attention with reason `awaiting_approval`.",
        "decisions 3: Completion",
    ),
    "chant:work_start:agent_sees_two_roots": Requirement(
        "The agent's own server edits its spec in the worktree's copy and everything else in main, and "
        "cannot finalize or start itself.",
        "decisions 3: The agent's own server",
    ),
    "chant:work_start:windows_is_refused": Requirement(
        "On Windows the tools of the work runtime answer that they are not supported there yet.",
        "decisions 3: Windows",
        built=False,
    ),
    "chant:work_start:state_may_forbid_it": Requirement(
        "A paused, completed or cancelled spec, and one in progress, is not started; what to do next is "
        "said.",
        "reference chant 5.17",
    ),
    "chant:work_start:refusals_leave_nothing": Requirement(
        "A refused start leaves no record, branch, worktree or process, and the spec as it was.",
        "issue: The work runtime, part A start; reference chant 8.2 W2",
    ),
    "chant:work_start:needs_a_repository": Requirement(
        "A start outside of a git repository, or before its first commit, is refused.",
        "issue: The work runtime, part A start",
    ),
    "chant:work_start:refused_start_restores_the_spec": Requirement(
        "When an agent cannot be started, the call says why, the record says failed, and the spec has its "
        "state back.",
        "issue: The work runtime, part A start; reference chant 8.2 W2",
    ),
    "chant:work_start:quality_warning": Requirement(
        "A red quality gate that is waived is told as `quality_warning` with the grades.",
        "reference chant 5.17",
    ),
    "chant:work_start:one_run_of_a_spec": Requirement(
        "Of several starts of a spec, from whatever processes, exactly one begins.",
        "reference chant 10.9, 8.2 W13; issue: The work runtime, part One run",
    ),
    "chant:work_start:progress_is_told": Requirement(
        "A client that asks for progress is told each step of a start, in order.",
        "issue: The work runtime, part A start",
    ),
    "chant:work_start:runner_stands_alone": Requirement(
        "Runner and agent lead process groups of their own, the runner a session of its own.",
        "issue: The work runtime, part One run",
    ),
    "chant:work_start:outlives_the_server": Requirement(
        "A run completes although its server ends or is killed, and the next server knows it.",
        "issue: The work runtime, part One run",
    ),
    "chant:work_start:stdout_is_the_protocols": Requirement(
        "Nothing but messages stands on the server's standard output, whatever runs.",
        "reference chant 10.9, 8.2 W10",
    ),
    "chant:work_start:work_reaches_main": Requirement(
        "Proven work is merged into the main branch; branch and worktree go, the spec is completed with its"
        " commits.",
        "reference chant 8.2 W4; issue: The work runtime, part Merging",
    ),
    "chant:work_start:completion_needs_evidence": Requirement(
        "A run ends completed only with commits of the agent's own on its branch, the criteria ticked by "
        "it, and the work merged.",
        "reference chant 10.9, 8.2 W1; issue: The work runtime, part Completion",
    ),
    "chant:work_start:nothing_is_ticked_by_us": Requirement(
        "No run ticks a box that its agent did not tick.",
        "decisions 3: Completion; reference chant 8.2 W1",
    ),
    "chant:work_start:unproven_work_is_kept": Requirement(
        "Branch and worktree of work that is not proven stay.",
        "reference chant 8.2 W6",
    ),
    "chant:work_start:uncommitted_rest_is_kept": Requirement(
        "What an agent leaves uncommitted beside its work stays in its worktree, and the record says so.",
        "reference chant 8.2 W6",
    ),
    "chant:work_start:other_specs_stay_as_they_are": Requirement(
        "A merge alters no other spec's file.",
        "reference chant 10.9, 8.2 W3",
    ),
    "chant:work_start:other_specs_need_attention": Requirement(
        "A branch that changes or deletes other specs is not merged; the run needs attention.",
        "reference chant 8.2 W3; issue: The work runtime, part Completion",
    ),
    "chant:work_start:users_files_survive": Requirement(
        "The user's changed, staged and new files, their branch and their other specs survive a run byte "
        "for byte.",
        "reference chant 10.9; issue: The work runtime, part Isolation",
    ),
    "chant:work_start:one_line_for_one_key": Requirement(
        "A run changes the spec's own lines for what it says and the boxes that were ticked, and nothing "
        "else.",
        "reference chant 10.9, 8.2 W7",
    ),
    "chant:work_start:bad_files_hide_nothing": Requirement(
        "A malformed spec beside it is no obstacle to a run and stays as it is.",
        "reference chant 10.9",
    ),
    "chant:work_start:archived_dependency_satisfies": Requirement(
        "A completed dependency in the archive satisfies a start.",
        "reference chant 10.9",
    ),
    "chant:work_start:sub_folder_makes_no_difference": Requirement(
        "A server started in a sub-folder, or a project below the top of its repository, runs work all the "
        "same.",
        "reference chant 10.9",
    ),
    "chant:work_start:remotes_are_never_touched": Requirement(
        "A run touches no branch of a remote.",
        "reference chant 8.2 W22; issue: The work runtime, part Merging",
    ),
    "chant:work_start:failure_is_told_with_its_words": Requirement(
        "An agent that fails ends its run failed, with exit code or signal and the end of its standard "
        "error.",
        "reference chant 10.9; issue: The work runtime, part Agents",
    ),
    "chant:work_start:output_is_limited": Requirement(
        "An agent that writes more than the limit is ended, and its log stays small.",
        "reference chant 8.2 W22; issue: The work runtime, part Agents",
    ),
    "chant:work_start:log_has_whole_stamped_lines": Requirement(
        "A log has a header, and whatever an agent writes as whole lines with stamp and stream.",
        "reference chant 6.6; issue: The work runtime, part Agents",
    ),
    "chant:work_start:secrets_are_masked": Requirement(
        "Values of secret variables are masked in log, record, command line and answers.",
        "decisions 3: Secrets",
    ),
    "chant:work_start:nothing_lives_on": Requirement(
        "Nothing that an agent started lives on after its run.",
        "issue: The work runtime, part Pause",
    ),
    "chant:work_start:git_of_the_server_is_not_the_agents": Requirement(
        "Variables that tie a server's git to another repository do not reach runs.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:work_start:failed_work_goes_on": Requirement(
        "Another start of failed or lost work goes on in its branch and worktree, as the next attempt.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:work_start:fresh_keeps_earlier_work": Requirement(
        "A start afresh keeps the commits of earlier work under `refs/chant/backup/`.",
        "reference chant 8.2 W6; issue: The work runtime, part Isolation",
    ),
    "chant:work_start:dead_runner_is_noticed": Requirement(
        "A runner that was killed is noticed by who started it and by the next opening, list, diagnosis, "
        "start or stop: its agent is ended, its lock freed and its spec failed.",
        "reference chant 10.9",
    ),
    "chant:work_start:proven_work_of_a_dead_runner_is_merged": Requirement(
        "Work that was proven when its runner died is merged by whoever finds that.",
        "issue: The work runtime, part One run",
    ),
    "chant:work_start:ended_runner_ends_its_agent": Requirement(
        "A runner that is told to end ends its agent first, and says so.",
        "issue: The work runtime, part Pause",
    ),
    "chant:work_start:leaves_out_what_nobody_asked_for": Requirement(
        "Chains and work in parallel leave out specs that are no task for an agent, and merges that "
        "conflict, unless they were asked for; the end tells which.",
        "issue: The work runtime",
    ),
    "chant:work_start:failing_spec_is_tried_once": Requirement(
        "A spec that fails in a chain is tried once, and the chain goes on with the rest.",
        "reference chant 8.2 W11",
    ),
    "chant:work_start:retries_are_configured": Requirement(
        "A failure that matches a configured pattern is tried again as often as configured.",
        "reference chant 6.10; issue: The work runtime, part A start",
    ),
    "chant:work_start:agents_at_once_are_limited": Requirement(
        "No more agents work at once than the configuration allows, whoever starts them.",
        "reference chant 8.2 W22; issue: The work runtime, part Agents",
    ),
    "chant:work_start:dependents_follow_their_merge": Requirement(
        "In parallel work a spec starts after its dependencies are merged, on a branch that has them.",
        "reference chant 10.9; issue: The work runtime, part A start",
    ),
    "chant:work_start:same_file_is_merged_in_turn": Requirement(
        "Of two works that conflict the second waits, with a conflict spec that our own parser accepts.",
        "issue: The work runtime, part Merging",
    ),
    "chant:pause:stops_the_agent": Requirement(
        "`chant_pause` stops the agent that works on the spec.", "seed chant:866"
    ),
    "chant:pause:status_is_in_progress": Requirement(
        "After a pause the spec is `in_progress`, its work kept, and not failed.", "seed chant:867"
    ),
    "chant:pause:answers_with_the_id": Requirement(
        "The answer is `Successfully paused work for spec '<id>'`.", "seed chant:894"
    ),
    "chant:pause:needs_a_process": Requirement(
        "Without a process: `Failed to pause work for spec '<id>': No running process found`.",
        "seed chant:910",
    ),
    "chant:pause:record_says_paused": Requirement(
        "The record of a paused run says `paused`, and a later start continues in the kept worktree.",
        "decisions 3: `chant_pause`",
    ),
    "chant:pause:signals_only_its_own_process": Requirement(
        "No process is signalled whose start time differs from its record.", "decisions 4"
    ),
    "chant:pause:meets_the_end_of_the_work": Requirement(
        "A stop that meets the end of the work leaves record, spec and main branch in agreement.",
        "reference chant 8.2 W13",
    ),
    "chant:pause:ends_a_chain": Requirement(
        "A pause of the spec that a chain is at, or began with, ends the chain.",
        "decisions 3: `chant_pause`; issue: The work runtime, part A start",
    ),
    "chant:takeover:stops_the_agent": Requirement(
        "`chant_takeover` stops the agent if one runs.", "seed chant:928"
    ),
    "chant:takeover:answer_has_five_keys": Requirement(
        "The answer has `spec_id`, `analysis`, `log_tail`, `suggestion` and `worktree_path`.",
        "seed chant:939",
    ),
    "chant:takeover:tail_has_20_lines": Requirement(
        "`log_tail` holds the last 20 lines of the log.", "seed chant:941; decisions 3: `chant_takeover`"
    ),
    "chant:takeover:worktree_path_may_be_null": Requirement(
        "`worktree_path` is null when the worktree is gone.", "seed chant:947"
    ),
    "chant:takeover:needs_a_process_or_force": Requirement(
        "Without a process and `force`: `Failed to take over spec '<id>': Spec not currently being worked`.",
        "seed chant:1004",
    ),
    "chant:takeover:writes_nothing_into_the_spec": Requirement(
        "The spec's body stays as it was, its status `in_progress`, and the record says `taken_over`.",
        "decisions 3: `chant_takeover`",
    ),
    "chant:takeover:tells_how_far_the_work_is": Requirement(
        "The answer adds branch, commits, how much they change, uncommitted files and open criteria.",
        "issue: The work runtime, part Pause",
    ),
    "chant:torture:nothing_is_lost": Requirement(
        "Whatever dies at whatever moment, one look by `watch --once` later no commit is lost, nothing is "
        "completed without evidence, and no process, lock or worktree is left; with two servers among the "
        "victims, writes that fail and a calendar that jumps.",
        "issue: Watch, recovery and torture",
    ),
    "chant:work:failing_writes_lose_nothing": Requirement(
        "Whichever write of a run fails, its start, its end or the landing of its merge: the checkout is "
        "whole, no commit is lost, and when the disk is well again the work is completed.",
        "issue: Watch, recovery and torture",
    ),
    "chant:clock:jumps_change_nothing": Requirement(
        "A calendar that is set hours or days ahead or back prunes no record, stops no run, hastens or "
        "delays no retry, sweeps nothing that is in use, and keeps the lines of a log in order.",
        "issue: Watch, recovery and torture",
    ),
    "chant:recovery:others_recovery_is_waited_for": Requirement(
        "A start while another process looks after the spec's dead run waits for that, five seconds at most.",
        "issue: Watch, recovery and torture",
    ),
    "chant:watch:a_death_is_noticed_at_once": Requirement(
        "The daemon is woken by the end of a runner, not by its poll alone.", "issue: Watch"
    ),
    "chant:watch:merges_what_waited": Requirement(
        "The daemon merges work that waited when what was in its way is gone.", "issue: Watch"
    ),
    "chant:watch:retries_with_backoff": Requirement(
        "The daemon tries failed work again as often and as late as `watch.failure` says, and only where the "
        "log holds one of its patterns.",
        "issue: Watch; reference chant 6.10",
    ),
    "chant:watch:ends_when_idle": Requirement(
        "The daemon ends when nothing was to be done for `watch.idle_timeout_minutes`.",
        "reference chant 6.10",
    ),
    "chant:watch:spares_work_by_hand": Requirement(
        "`watch --once` removes what the dead left, and leaves specs alone that somebody set in_progress.",
        "issue: Watch; reference chant 8.2 W14",
    ),
    "chant:watch:removes_worktrees_nobody_needs": Requirement(
        "The daemon removes worktrees of runs that ended whose work is on main and that hold nothing else.",
        "issue: Watch",
    ),
    "chant:watch:commands": Requirement(
        "`chant-mcp watch` watches, also once or in the background, and tells and ends who does.",
        "issue: Watch",
    ),
    "chant:watch_status:answer_has_three_keys": Requirement(
        "The answer has `watch_running`, `worktrees` and `worktree_count`.", "seed chant:1022"
    ),
    "chant:watch_status:worktree_has_six_keys": Requirement(
        "A worktree has `spec_id`, `path`, `status`, `updated_at`, `error` and `commits`, null when unknown.",
        "seed chant:1025; reference chant 8.1 D22",
    ),
    "chant:watch_status:status_is_one_of_four": Requirement(
        "A worktree is `working`, `done`, `failed` or `unknown`.", "seed chant:1051"
    ),
    "chant:watch_start:spawns_watch": Requirement(
        "`chant_watch_start` starts watch in the background and answers `Started watch process (PID: "
        "<pid>)`.",
        "seed chant:1088",
    ),
    "chant:watch_start:already_running_is_refused": Requirement(
        "When watch runs already the error is `Watch is already running`.", "seed chant:1104"
    ),
    "chant:watch_stop:sends_the_signal": Requirement(
        "`chant_watch_stop` answers `Sent stop signal to watch process (PID: <pid>)`.", "seed chant:1145"
    ),
    "chant:watch_stop:not_running_is_refused": Requirement(
        "When watch does not run the error is `Watch is not running`.", "seed chant:1161"
    ),
    "chant:watch_stop:shutdown_is_graceful": Requirement(
        "Watch removes its PID file and cleans up on SIGTERM.", "seed chant:1122"
    ),
    "chant:split:makes_member_specs": Requirement(
        "`chant_split` splits a spec into smaller member specs with AI analysis.", "seed chant:670"
    ),
    "chant:split:force_skips_questions": Requirement(
        "`force` skips the confirmation: the proposal is written, by the run itself where none waits.",
        "seed chant:674; decisions 3: `chant_split`",
    ),
    "chant:split:recursive_goes_deeper": Requirement(
        "`recursive` splits members that are still too complex; one that cannot be split stays whole.",
        "seed chant:675",
    ),
    "chant:split:max_depth_is_3": Requirement(
        "`max_depth` limits the recursion and is 3 unless given.", "seed chant:676"
    ),
    "chant:split:returns_its_record": Requirement(
        'The record with `mode: "split"` is returned at once and keeps the proposal until it is accepted.',
        "decisions 3: `chant_split`",
    ),
    "chant:split:nothing_before_consent": Requirement(
        "Nothing is written into specs before `force` or an accepted question; a call without them tells the "
        "proposal that waits.",
        "decisions 3: `chant_split`; issue: Providers, split, approval, conflicts",
    ),
    "chant:split:person_is_asked": Requirement(
        "A client that can ask a person does so when a proposal waits, in both eras of the protocol; only "
        "who agrees has it written.",
        "decisions 3: `chant_split`",
    ),
    "chant:split:consent_is_to_one_proposal": Requirement(
        "Who agrees agrees to the proposal they saw: when another one waits by then, or none, nothing is "
        "written and no agent is asked.",
        "house: consent",
    ),
    "chant:split:asking_holds_nothing_up": Requirement(
        "While a person is asked about a proposal no other call of their client waits.",
        "house: order of calls",
    ),
    "chant:split:stored_proposal_is_written": Requirement(
        "`force` writes the proposal that waits without asking an agent again, unless it is passed over.",
        "decisions 3: `chant_split`",
    ),
    "chant:split:changed_spec_is_split_anew": Requirement(
        "A proposal for a spec that changed since is not written; without `force` an agent is asked anew.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:split:runs_like_work": Requirement(
        "A split is a run with record, log and limits: `chant_work_list` shows it, and it counts as an agent "
        "at work.",
        "decisions 3: `chant_split`; reference chant 8.2 W2",
    ),
    "chant:split:can_be_stopped": Requirement(
        "Pause and cancel stop a split; one that dies is found, and leaves nothing behind.",
        "reference chant 8.2 W2",
    ),
    "chant:split:has_the_spec_to_itself": Requirement(
        "Work on a spec and a split of it exclude each other.", "reference chant 8.2 W13"
    ),
    "chant:split:refusals_leave_nothing": Requirement(
        "What forbids a split (state, group, approval, coupling, agent, depth) is told at once, and nothing "
        "is begun.",
        "reference chant 5.24, 6.11, 8.2 W2",
    ),
    "chant:split:harms_no_checkout": Requirement(
        "The agent looks at a copy of the committed files that git knows nothing of, and that goes with the "
        "run.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:split:asks_with_its_prompt": Requirement(
        "The agent gets the prompt `split`, the project's own first.", "reference chant 6.11"
    ),
    "chant:split:model_is_chosen_in_order": Requirement(
        "The model is that of CHANT_SPLIT_MODEL, of `defaults.split_model`, that of a run, or `sonnet`.",
        "reference chant 6.11, 7",
    ),
    "chant:split:understands_markdown": Requirement(
        "An answer is JSON in a fenced block, or the markdown of the reference, read without loss.",
        "reference chant 6.11, 8.2 W12",
    ),
    "chant:split:bad_answers_are_refused": Requirement(
        "An answer without members, of another form, with stubs or without criteria fails the run, which "
        "says why.",
        "reference chant 6.11",
    ),
    "chant:split:loops_are_broken": Requirement(
        "Dependencies on the member itself, on none, or that close a circle are left out and told.",
        "reference chant 6.11",
    ),
    "chant:split:members_are_canonical": Requirement(
        "Members have their criteria as boxes under `## Acceptance Criteria` and explicit dependencies.",
        "reference chant 6.11, 8.2 W12",
    ),
    "chant:split:members_of_members": Requirement(
        "A member that is split itself is written as a group of members `<id>.1.1` and holds no boxes.",
        "reference chant 6.11",
    ),
    "chant:split:ids_are_free": Requirement(
        "Members get numbers that no member has or had, archived ones included.", "reference chant 2.5, 6.11"
    ),
    "chant:split:all_or_none": Requirement(
        "Members and their group are written all or none, also after a crash.", "reference chant 6.11"
    ),
    "cli:split:shows_and_asks": Requirement(
        "`split` shows the proposal and asks at a terminal whether to write it; elsewhere `--force` does.",
        "house: command line",
    ),
    "cli:split:waits": Requirement(
        "`split --wait` watches the run, shows its proposal, and fails when there is none.",
        "house: command line",
    ),
    # Agents, checks and outputs of runs (reference chant 6.5)
    "chant:agents:prompt_is_handed_over": Requirement(
        "An agent gets the prompt of the project by standard input, by an absolute path, or as an argument "
        "that no shell sees.",
        "reference chant 6.5, 8.2 W5; issue: The work runtime, part Agents",
    ),
    "chant:agents:placeholders_are_filled": Requirement(
        "Placeholders of a command are filled once; words whose placeholder has no value are left out.",
        "issue: The work runtime, part Agents",
    ),
    "chant:agents:model_is_chosen_in_order": Requirement(
        "The model is that of the spec, of CHANT_MODEL, of ANTHROPIC_MODEL, of the agent, or the configured"
        " one.",
        "reference chant 6.5",
    ),
    "chant:agents:environment_tells_of_the_run": Requirement(
        "The environment names spec, spec file, project, worktree and branch, all paths absolute.",
        "reference chant 6.5",
    ),
    "chant:agents:permissions_are_skipped_only_when_configured": Requirement(
        "Built-in agents are told to skip permission checks only when the configuration says so.",
        "reference chant 8.2 W22; issue: The work runtime, part Agents",
    ),
    "chant:checks:have_to_pass": Requirement(
        "A check that a criterion names has to pass in the worktree; exit code, duration and tree are "
        "recorded.",
        "issue: The work runtime, part Completion; decisions 3: Commands named in specs",
    ),
    "chant:checks:look_at_what_is_committed": Requirement(
        "Checks are run on committed work that lacks no other evidence.",
        "issue: The work runtime, part Completion",
    ),
    "chant:checks:are_those_of_the_start": Requirement(
        "Checks and criteria are those of the spec at the start; an agent changes neither.",
        "issue: The work runtime, part Completion",
    ),
    "chant:checks:are_stopped_with_the_run": Requirement(
        "Whoever stops a run stops its check, too.",
        "issue: The work runtime, part Pause",
    ),
    "chant:outputs:have_to_fit": Requirement(
        "The output of a run has to fit the schema that its spec names.",
        "issue: The work runtime, part Completion",
    ),
    # Work runtime: the user's checkout (issue: The work runtime)
    "chant:checkout:merge_changes_only_the_works_files": Requirement(
        "A merge changes the files that the work changed and its spec, in the checkouts that stand on the"
        " main branch only; every other file, index entry, branch, stash and setting stays, and the main "
        "branch gets one commit with two parents.",
        "issue: The work runtime, parts Isolation and Merging",
    ),
    "chant:checkout:stopped_work_leaves_it_as_it_was": Requirement(
        "Pause, takeover, cancel, reset, failure and the death of a runner change nothing in the user's "
        "checkout but the spec.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:checkout:merge_waits_for_local_changes": Requirement(
        "Where a local change, an untracked or ignored file, or a merge, rebase, cherry-pick, revert or "
        "bisection of the user's is in the way, the merge waits, names what is in the way and touches "
        "nothing.",
        "issue: The work runtime, part Merging",
    ),
    "chant:checkout:hooks_and_signing_apply_to_the_merge": Requirement(
        "The user's commit hooks look at a merge outside of the checkout, and it is signed where the user"
        " signs.",
        "decisions 3: git",
    ),
    "chant:checkout:start_needs_a_commit": Requirement(
        "A start without a commit, or without the main branch, is refused and leaves no trace.",
        "issue: The work runtime, part A start that says started has started",
    ),
    # Work runtime: merging (issue: The work runtime)
    "chant:merge:waiting_work_goes_on_when_the_way_is_free": Requirement(
        "Work that waits is merged by `merge`, with or without an ID, and by the next opening, as soon as"
        " nothing is in its way.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:commits_of_the_user_meanwhile_are_merged": Requirement(
        "Commits on the main branch since the start of the work are merged with it.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:locked_index_is_waited_for": Requirement(
        "A lock that another program holds on the index is waited for and left alone.",
        "issue: The work runtime, part Merging",
    ),
    # Approval and conflicts (reference chant 4.4, 6.9, 7 and 9)
    "chant:approve:records_the_decision": Requirement(
        "`approve` and `reject` set `approval` to required, with status, `by` and `at`, and add date, "
        "name, decision and reason to `## Approval Discussion`.",
        "reference chant 4.4 and 9",
    ),
    "chant:approve:by_is_gits_user": Requirement(
        "Who decides is git's user unless `--by` names somebody.", "reference chant 9"
    ),
    "chant:approve:unknown_committer_is_warned_of": Requirement(
        "A name or address that made no commit of the repository is warned of.", "reference chant 9"
    ),
    "chant:approve:spares_all_other_bytes": Requirement(
        "A decision changes the entries of `approval` and the discussion, and no other byte; what would "
        "be lost stops it.",
        "decisions 1",
    ),
    "chant:approve:discussion_is_kept_in_order": Requirement(
        "Decisions follow one another in the discussion; nothing in a reason counts as a heading or "
        "criterion.",
        "reference chant 9",
    ),
    "chant:approve:again_changes_nothing": Requirement(
        "The same decision again says so and changes nothing.", "issue: Providers, split, approval, conflicts"
    ),
    "chant:approve:refuses_what_is_past": Requirement(
        "A cancelled spec, one that asked for no approval and is completed, and approved work that is "
        "done are past deciding.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:agents_cannot": Requirement(
        "No tool decides, no run's own agent does, and what an agent writes of it into its copy counts "
        "for nothing.",
        "reference chant 4.4; issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:not_while_somebody_works": Requirement(
        "Nobody decides about a spec while an agent is at work on it.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:nothing_is_committed": Requirement(
        "A decision is an edit of the spec's file: nothing is committed or staged by it.",
        "reference chant 6.2 R, 8.2 W6",
    ),
    "chant:approve:waiting_work_is_merged": Requirement(
        "Approving work that waits merges it and completes record, spec and branch.",
        "decisions 3: Completion",
    ),
    "chant:approve:waiting_work_is_shown": Requirement(
        "`chant_diagnose` says of work that waits for approval who decides and how.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:by_hand_in_the_file_counts": Requirement(
        "An approval that a person writes into the file, or whose process died before the merge, is "
        "merged by the next opening, `approve` and watch.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:merge_may_wait": Requirement(
        "Approved work whose merge has to wait is merged when its way is free.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:work_needs_it_again": Requirement(
        "Work that was rejected needs approval again before it is merged.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:approve:discussion_and_branch_are_merged": Requirement(
        "The discussion is merged with whatever the agent wrote into its copy of the spec.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:reject:needs_a_reason": Requirement(
        "A rejection without a reason is refused.", "reference chant 9"
    ),
    "chant:reject:manual_does_nothing_else": Requirement(
        "With `manual` a rejection writes its own spec and nothing else; a rejected plan is not started.",
        "reference chant 4.4 and 7",
    ),
    "chant:reject:dependency_makes_a_fix_spec": Requirement(
        "With `dependency` a spec for what has to be mended is made, and the rejected one is blocked "
        "until it is done.",
        "reference chant 7",
    ),
    "chant:reject:group_makes_members": Requirement(
        "With `group` each criterion becomes a member, and the spec their driver.",
        "reference chant 2.3 and 7",
    ),
    "chant:reject:all_or_none": Requirement(
        "What a rejection writes is written all or none, also through a crash.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:reject:action_is_one_of_three": Requirement(
        "An unknown `approval.rejection_action` is told, and nothing is written.", "reference chant 7"
    ),
    "chant:reject:completed_work_needs_attention": Requirement(
        "A completed spec that waits for approval needs attention when it is rejected.", "reference chant 4.4"
    ),
    "chant:reject:waiting_work_is_gone_on_with": Requirement(
        "Rejected work stays on its branch, and a start goes on with it in the same worktree.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:reject:feedback_is_in_the_prompt": Requirement(
        "The agent that goes on with rejected work is given the discussion.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:settled_by_an_agent_completes_both": Requirement(
        "An agent's run on a conflict spec merges the waiting work with its own, in one commit, and both "
        "specs are completed.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:nothing_is_left_over": Requirement(
        "Of a settled conflict no branch, worktree or uncommitted change is left.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:dependents_become_ready": Requirement(
        "What waited for the work in conflict is ready when that is settled.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:names_both_sides": Requirement(
        "A conflict spec names branches, files, the specs or commits of both sides, open specs on the "
        "same files, and what to do.",
        "issue: Providers, split, approval, conflicts; reference chant 6.9",
    ),
    "chant:conflict:target_may_move_on": Requirement(
        "When the target moves on while a conflict is settled, no second conflict spec is written; work "
        "on the first goes on.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:closed_when_nothing_is_left": Requirement(
        "A conflict spec is closed when its work is merged in another way, cancelled or reset: completed "
        "only with ticked criteria, else cancelled with what happened.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:unwanted_work_is_not_merged": Requirement(
        "Work that was given up while its conflict was settled is not merged.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:needs_both_sides": Requirement(
        "A run on a conflict spec whose branch does not contain the waiting work fails.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:finalize_resumes_what_waited": Requirement(
        "Finalizing a conflict spec merges what waited, if it can be merged.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:conflict:crash_is_completed": Requirement(
        "A crash after the merge of a settled conflict is completed for both specs by the next look.",
        "issue: Providers, split, approval, conflicts",
    ),
    "chant:demo_agent:resolve_keeps_both_sides": Requirement(
        "On a conflict spec the demo agent merges both branches and keeps the lines of both sides.",
        "issue: Providers, split, approval, conflicts",
    ),
    "cli:approve:decides": Requirement(
        "`approve ID` and `reject ID --reason TEXT` decide, and say what became of it.", "reference chant 9"
    ),
    "cli:approve:read_only_refuses": Requirement(
        "With `--read-only` nobody decides.", "issue: Providers, split, approval, conflicts"
    ),
    "cli:list:by_approval": Requirement(
        "`list --approval` shows the specs whose approval is pending, approved or rejected.",
        "reference chant 9",
    ),
    "cli:show:shows_approval": Requirement("`show` shows the approval and who decided.", "reference chant 9"),
    "cli:add:needs_approval": Requirement(
        "`add --needs-approval` makes a spec that waits for approval.", "reference chant 9"
    ),
    "chant:merge:conflict_becomes_a_spec": Requirement(
        "A conflict becomes one spec of type `conflict` that names branches, files and what to do, reads "
        "without errors, and is not written twice.",
        "issue: The work runtime, part Merging; reference chant 8.2 W17",
    ),
    "chant:merge:settled_conflict_is_merged": Requirement(
        "A conflict that a person has settled in the worktree is merged by `merge` and by the next opening.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:spec_edits_of_both_survive": Requirement(
        "What the user writes into the spec while the agent works survives beside the agent's ticks: "
        "title, lists, keys, comments, order, line ends and words.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:added_criterion_is_not_taken_for_done": Requirement(
        "A criterion that is added to the spec while the agent works needs attention; nothing is merged "
        "before it is ticked.",
        "decisions 3: Completion",
    ),
    "chant:merge:same_line_needs_attention": Requirement(
        "A line of the spec that user and agent changed differently needs attention, and nothing is written.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:cancelled_by_hand_is_not_merged": Requirement(
        "Work on a spec that was cancelled by hand meanwhile is not merged.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:new_loop_is_refused": Requirement(
        "Work that closes a loop of dependencies is not merged.", "issue: The work runtime, part Merging"
    ),
    "chant:merge:other_specs_need_permission": Requirement(
        "Work that changes another spec needs attention, unless `defaults.allow_other_specs` permits it.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:specs_never_vanish": Requirement(
        "Work that removes specs is not merged, whatever is permitted.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:late_result_of_an_older_run_is_refused": Requirement(
        "A run that ends after a newer run of its spec was begun is not merged.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:persons_commits_and_ticks_count": Requirement(
        "After a takeover, `merge` counts the commits and ticks that a person made in the worktree.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:nothing_unproven_is_merged_by_hand": Requirement(
        "`merge` refuses work without commits or with open criteria, and keeps it.",
        "issue: The work runtime, part Merging; decisions 3: Completion",
    ),
    "chant:merge:kinds_of_files_come_along": Requirement(
        "Modes, links, moves, removals and folders in the place of files come along with a merge.",
        "issue: The work runtime, part Merging",
    ),
    # Work runtime: recovery (issue: The work runtime)
    "chant:recovery:death_before_the_work_is_a_failure": Requirement(
        "A runner that dies before its agent has worked leaves a failed run, a spec that can be started, "
        "and nothing else.",
        "issue: The work runtime, part Proof",
    ),
    "chant:recovery:death_of_the_starter_leaves_nothing": Requirement(
        "A starter that dies leaves no run and no process behind, and the next start works.",
        "issue: The work runtime, part Proof",
    ),
    "chant:recovery:proven_work_is_merged": Requirement(
        "Work that was proven when its runner died is merged by the next opening, at whatever moment of "
        "the merge it died.",
        "issue: The work runtime, part Proof",
    ),
    "chant:recovery:unproven_work_is_kept": Requirement(
        "Commits of a run that died are kept on its branch or a backup, and can be gone on with.",
        "issue: The work runtime, part Proof",
    ),
    "chant:recovery:index_lock_of_a_dead_run_is_freed": Requirement(
        "A lock of the index that a dead run left is freed.", "issue: The work runtime, part Proof"
    ),
    "chant:recovery:every_opening_recovers": Requirement(
        "A server, a command and a start look after what dead runners left.",
        "issue: The work runtime, part Proof",
    ),
    "chant:recovery:files_of_dead_processes_are_removed": Requirement(
        "PID files and locks of dead processes are removed; those of living ones stay.",
        "issue: The work runtime, part Proof; reference chant 8.2 W14",
    ),
    "chant:recovery:openings_at_once_agree": Requirement(
        "Several openings at once put a run that died, or work that waited, right once.",
        "issue: The work runtime, part Proof",
    ),
    "chant:recovery:hand_set_in_progress_is_left_alone": Requirement(
        "A spec that a person set in progress is left alone.",
        "issue: The work runtime, part Proof; reference chant 8.2 W14",
    ),
    "chant:recovery:wanted_stop_is_finished": Requirement(
        "A stop whose caller died is finished by the next opening.",
        "issue: The work runtime, part Proof; reference chant 8.2 W13",
    ),
    # Work runtime: worktrees (issue: The work runtime)
    "chant:worktrees:list_tells_whose_they_are": Requirement(
        "The list of worktrees tells for each its spec, branch and run, what is not committed, and why it"
        " is kept.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:worktrees:prune_keeps_what_is_not_merged": Requirement(
        "`prune` keeps worktrees with commits or files that are nowhere else, and those whose run goes on"
        " or waits.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:worktrees:prune_removes_what_is_merged": Requirement(
        "`prune` removes worktrees that hold nothing of their own, with branch and files beside them.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:worktrees:users_own_are_left_alone": Requirement(
        "Worktrees that no run was given are neither listed nor removed.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:worktrees:retry_goes_on_or_keeps_a_backup": Requirement(
        "A retry goes on in branch and worktree of the run before, or starts afresh and keeps that branch"
        " under `refs/chant/backup/`.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:worktrees:fresh_start_keeps_uncommitted_work": Requirement(
        "A fresh start keeps what was not committed in the worktree with the backup.",
        "issue: The work runtime, part Isolation",
    ),
    # chant merge driver (reference chant 6.9)
    "chant:merge_driver:merges_by_meaning": Requirement(
        "Where both sides of a git merge changed a spec, the more advanced status is taken, lists are "
        "united, ticks of both sides stand, and bodies are merged line by line.",
        "reference chant 6.9; issue: The work runtime",
    ),
    "chant:merge_driver:marks_only_what_is_left": Requirement(
        "What both sides changed differently stands between conflict markers, named and as long as git asks, "
        "and is told in a sentence; everything else in the file is merged.",
        "reference chant 6.9; issue: The work runtime",
    ),
    "chant:merge_driver:loses_no_line": Requirement(
        "In a conflict no line that either side wrote is missing from the file.", "decisions 1"
    ),
    "chant:merge_driver:bytes_are_kept": Requirement(
        "A merge keeps our line ends, byte order mark and final newline or its absence.",
        "issue: Documents; decisions 1",
    ),
    "chant:merge_driver:unreadable_is_merged_as_text": Requirement(
        "Versions that cannot be read as specs, or are no UTF-8, are merged line by line, and always left to "
        "a person.",
        "issue: The work runtime; decisions 1",
    ),
    "chant:merge_driver:binary_stays_as_ours": Requirement(
        "When a version is no text, ours stays and the merge is a conflict, as with git's binary driver.",
        "issue: The work runtime; decisions 1",
    ),
    "chant:merge_driver:works_in_every_merge": Requirement(
        "The driver serves merge, rebase, cherry-pick and stash, renamed and archived specs, linked "
        "worktrees, criss-cross histories and projects below the top of a checkout.",
        "reference chant 6.9; issue: The work runtime",
    ),
    "chant:merge_driver:missing_program_is_gits_own_merge": Requirement(
        "Where the driver is not registered, or its program is gone or broken, git merges specs line by "
        "line.",
        "issue: The work runtime; decisions 1",
    ),
    "chant:merge_driver:checkout_cannot_replace_it": Requirement(
        "Modules of the checkout are not run in place of the driver.", "decisions 4; issue: The work runtime"
    ),
    "chant:merge_driver:failure_leaves_the_file": Requirement(
        "When the driver cannot do its work, the file stays as it was and git is told by an exit code above "
        "128.",
        "issue: The work runtime",
    ),
    "chant:merge_driver:needs_no_project": Requirement(
        "The driver opens no project and loads nothing of the server.", "decisions 5; issue: The work runtime"
    ),
    "chant:merge_driver:is_no_command_for_people": Requirement(
        "`merge-driver` explains itself with `--help` and is not listed among the commands.",
        "house: command line",
    ),
    "chant:agents:a_killed_git_holds_nothing": Requirement(
        "A lock that a git left in the worktree when it was killed with its agent does not outlive the run.",
        "issue: The work runtime; issue: Watch, recovery and torture",
    ),
    "chant:agents:messages_are_logged_as_lines": Requirement(
        "Of agents that tell what they do as JSON messages the log holds texts, the use of tools and "
        "failures, a line each.",
        "reference chant 6.5; issue: The work runtime, part Agents",
    ),
    # The demo agent, whom runs are tried with
    "chant:demo_agent:proposes_members": Requirement(
        "Asked to divide a spec, the demo agent proposes members of its criteria and changes nothing; labels "
        "`demo:split-…` make it answer badly.",
        "house: demo agent",
    ),
    "chant:demo_agent:does_the_work": Requirement(
        "`chant-mcp demo-agent` adds a line to each target file or to `demo/<id>.txt`, ticks the criteria "
        "and commits that as `chant(<id>): <title>`.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:says_what_it_does": Requirement(
        "The demo agent says in short whole lines what it does.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:knows_what_a_criterion_is": Requirement(
        "The demo agent ticks the criteria that the core counts.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:reads_lists_as_the_core_does": Requirement(
        "The demo agent reads title and lists of a spec as the core does, in block and in flow style.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:ticks_spare_bytes": Requirement(
        "Ticking by the demo agent changes the marks in open boxes of criteria and no other byte.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:target_files_keep_their_form": Requirement(
        "The line added to a target file has the line end of the file, and stands on a line of its own.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:target_files_are_confined": Requirement(
        "A target file outside of the project or in git's own folder is refused with exit code 2 before "
        "anything is done.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:spec_outside_of_git_is_only_ticked": Requirement(
        "A spec that git does not track is ticked by the demo agent and not committed.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:project_may_be_a_part_of_the_checkout": Requirement(
        "The demo agent works in the project's root where that is a sub-folder of the checkout.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:names_an_author_only_where_there_is_none": Requirement(
        "The demo agent commits as the configured person, and under a name of its own only where nobody "
        "is configured.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:hooks_run": Requirement(
        "The user's hooks run on commits of the demo agent, and may refuse them.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:failures_are_told": Requirement(
        "What the demo agent cannot do or is not given is told in a sentence, with exit code 1 or 2.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:never_waits_for_its_prompt": Requirement(
        "The demo agent does not wait for its standard input, whatever is written there.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:starts_at_once": Requirement(
        "The demo agent imports neither the MCP SDK nor what only people need.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:is_a_hidden_command": Requirement(
        "The command `demo-agent` is not listed in the help and obeys `--read-only`.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:labels_choose": Requirement(
        "Labels `demo:<behaviour>` choose what precedes the work and one way of working; others are "
        "refused with exit code 2.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:slow_takes_its_time": Requirement(
        "`demo:slow` takes DEMO_SECONDS or those of `demo:seconds=N`, and says something now and then.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:wait_goes_on_when_told": Requirement(
        "`demo:wait` prints `waiting` until the file `.chant/demo-go/<id>` appears in the user's checkout.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:grandchildren_are_left_behind": Requirement(
        "`demo:grandchildren` leaves two processes behind with the output open: one in a session of its "
        "own, one deaf to SIGTERM.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:binary_writes_what_is_no_text": Requirement(
        "`demo:binary` writes bytes that are no UTF-8 and a line of a million bytes.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:secret_tells_on_the_environment": Requirement(
        "`demo:secret` prints the variables with KEY, TOKEN, SECRET or PASSWORD in their names.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:fail_exits_with_3": Requirement(
        "`demo:fail` complains on standard error and exits with 3.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:crash_ends_by_a_signal": Requirement(
        "`demo:crash` ends by SIGABRT.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:hang_waits_for_ever": Requirement(
        "`demo:hang` does nothing until it is told to end.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:stubborn_has_to_be_killed": Requirement(
        "`demo:stubborn` hangs and does not hear SIGTERM.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:flood_writes_without_end": Requirement(
        "`demo:flood` writes without end.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:nothing_changes_nothing": Requirement(
        "`demo:nothing` succeeds without a change.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:lie_commits_only_the_spec": Requirement(
        "`demo:lie` ticks, commits the spec alone and claims that all is done.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:empty_commits_nothing": Requirement(
        "`demo:empty` makes an empty commit.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:unticked_ticks_nothing": Requirement(
        "`demo:unticked` works, commits and ticks nothing.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:partly_ticks_the_first": Requirement(
        "`demo:partly` works, commits and ticks only the first criterion.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:reword_changes_a_criterion": Requirement(
        "`demo:reword` changes the text of a criterion.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:remove_deletes_a_criterion": Requirement(
        "`demo:remove` deletes a criterion.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:others_changes_another_spec": Requirement(
        "`demo:others` changes another spec, too.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:delete_others_removes_all_other_specs": Requirement(
        "`demo:delete-others` deletes all other specs in its commit.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:uncommitted_commits_nothing": Requirement(
        "`demo:uncommitted` works and ticks without a commit.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:dirty_leaves_a_change": Requirement(
        "`demo:dirty` works, commits and leaves another change.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:switch_works_on_another_branch": Requirement(
        "`demo:switch` works on a branch that it makes, not on the run's.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:status_is_set_to_completed": Requirement(
        "`demo:status` sets the status in its copy of the spec to completed, too.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:conflict_changes_the_first_line": Requirement(
        "`demo:conflict` changes the first line of the target files, so that two of them conflict.",
        "issue: The work runtime, part Agents",
    ),
    "chant:demo_agent:output_ends_in_an_object": Requirement(
        "`demo:output` prints a JSON object as its last line.",
        "issue: The work runtime, part Agents",
    ),
    # Provider integration (seed chant 1773-1792)
    "chant:provider:config_is_written_before_the_run": Requirement(
        "A provider's MCP configuration is written before its agent starts.", "seed chant:1775"
    ),
    "chant:provider:agent_reaches_the_tools": Requirement(
        "The agent that was started connects to `chant mcp` for its tools.", "seed chant:1783"
    ),
    "chant:provider:output_is_captured": Requirement(
        "The agent's output is captured and the spec updated.", "seed chant:1785"
    ),
    "chant:provider:config_is_never_committed": Requirement(
        "The agent's MCP configuration lies beside the worktree and is never committed.",
        "decisions 3: The agent's own server",
    ),
    # chant: front matter (reference chant 2.1, 2.2)
    "chant:front_matter:leading_blank_lines_are_allowed": Requirement(
        "Blank lines before the opening fence are allowed and kept by edits.", "reference chant 2.1"
    ),
    "chant:front_matter:fence_is_a_line_of_its_own": Requirement(
        "Only a line that is exactly `---` is a fence, so `labels: [a---b]` is read whole.",
        "issue: Documents; reference chant 2.1 R",
    ),
    "chant:front_matter:unclosed_fence_is_a_problem": Requirement(
        "Front matter without a closing fence is reported as a problem.", "reference chant 2.1 R"
    ),
    "chant:front_matter:lone_returns_are_a_problem": Requirement(
        "Front matter whose lines end in carriage returns alone is reported as a problem.",
        "house: true answers",
    ),
    "chant:body:conflict_markers_are_a_problem": Requirement(
        "A spec in whose body a merge left conflict markers is reported as a problem, not worked on.",
        "house: true answers",
    ),
    "chant:front_matter:may_be_absent": Requirement(
        "A spec without front matter has the defaults: type `code`, status `pending`.",
        "reference chant 2.1, 2.2",
    ),
    "chant:front_matter:bom_is_ignored": Requirement(
        "A byte order mark does not hide the front matter.", "issue: Documents; reference chant 2.1 R"
    ),
    "chant:front_matter:crlf_is_kept": Requirement(
        "A file with CRLF line ends keeps them through every edit.", "issue: Documents; reference chant 2.1 R"
    ),
    "chant:front_matter:body_bytes_are_kept": Requirement(
        "An edit of the front matter leaves every byte of the body as it was, the final newline or its "
        "absence included.",
        "reference chant 2.1 R, 8.2 W7",
    ),
    "chant:front_matter:unknown_keys_are_kept": Requirement(
        "Keys we do not know survive every edit.", "issue: Documents; reference chant 2.1 R"
    ),
    "chant:front_matter:comments_order_and_quotes_are_kept": Requirement(
        "Comments, key order, quoting and flow lists survive every edit.",
        "issue: Documents; reference chant 2.1 R",
    ),
    "chant:front_matter:duplicate_key_is_a_problem": Requirement(
        "A duplicate key makes a problem record that names it.", "issue: Documents; reference chant 2.1 R"
    ),
    "chant:front_matter:unknown_enum_value_is_a_problem": Requirement(
        "An unknown status or other enum value makes a problem record that names it.",
        "issue: Documents; reference chant 2.1 R",
    ),
    "chant:front_matter:wrong_type_is_a_problem": Requirement(
        "A value of the wrong type makes a problem record that names its key; the spec is still served "
        "unless the key is `status`, `depends_on` or `approval`.",
        "reference chant 2.1 R",
    ),
    "chant:front_matter:bad_file_hides_no_other": Requirement(
        "A malformed file never hides another spec.", "decisions 3: Unreadable files; reference chant 10.9.12"
    ),
    "chant:front_matter:depends_on_may_be_one_string": Requirement(
        "`depends_on` may be a list of IDs or one string.", "reference chant 2.2"
    ),
    "chant:front_matter:labels_must_be_a_list": Requirement(
        "A bare string as `labels` is a type error.", "reference chant 2.2"
    ),
    "chant:front_matter:model_is_read_by_family": Requirement(
        "A `model` containing opus, sonnet or haiku in any case reads as that word, while the file keeps its "
        "text.",
        "reference chant 2.2, 8.2 W7",
    ),
    "chant:front_matter:approval_defaults_to_pending": Requirement(
        "`approval` without `status` is pending and without `required` not required.", "reference chant 2.2"
    ),
    "chant:front_matter:title_key_is_not_the_title": Requirement(
        "A `title:` or `id:` key is an unknown key and changes neither title nor ID.", "reference chant 2.2"
    ),
    "chant:edit:status_changes_one_line": Requirement(
        "Changing a status changes that line only.", "issue: Documents; reference chant 10.9.11"
    ),
    "chant:edit:list_keeps_its_style": Requirement(
        "Setting a list key keeps the block or flow style it had.", "issue: Documents"
    ),
    "chant:edit:absent_key_goes_to_its_place": Requirement(
        "A key that was absent is inserted in the documented order.", "issue: Documents; reference chant 2.2"
    ),
    "chant:edit:new_list_is_block_style": Requirement(
        "A list key that was absent is written in block style.", "reference chant 2.1"
    ),
    "chant:edit:result_is_read_back_first": Requirement(
        "An edit that would not read back as intended is refused, and the file stays as it was.",
        "issue: Documents",
    ),
    "chant:edit:odd_front_matter_is_edited_where_it_is_safe": Requirement(
        "Only front matter that cannot be edited without risk is refused; odd block mappings are edited.",
        "house: documents",
    ),
    "chant:edit:derived_blocked_is_never_stored": Requirement(
        "A status that blocking derived is never written into the file.", "reference chant 3, 8.2 W7"
    ),
    "chant:edit:text_of_a_branch_is_never_written_back": Requirement(
        "The text of a spec on its branch is never the base of a write in the main tree.",
        "reference chant 2.8 R, 8.2 W7",
    ),
    # chant: types, titles, IDs (reference chant 2.3-2.6)
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
    # chant: acceptance criteria (reference chant 2.7, 10.3)
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
    # chant: loading (reference chant 2.8)
    "chant:loading:sub_folders_are_read": Requirement(
        "Specs in sub-folders of `.chant/specs` are read.", "reference chant 2.8"
    ),
    "chant:loading:edits_stay_in_the_sub_folder": Requirement(
        "A spec in a sub-folder is edited where it lies; no second file appears.", "reference chant 2.8"
    ),
    "chant:loading:orphaned_members_are_warned_about": Requirement(
        "A member whose driver is missing is loaded and warned about.", "reference chant 2.8"
    ),
    "chant:loading:branch_text_is_shown": Requirement(
        "An in_progress spec is shown as its branch has it: `branch`, else `chant/<id>`, when that branch "
        "exists.",
        "reference chant 2.8 R",
    ),
    # chant: status machine (reference chant 3)
    "chant:status_machine:nine_values": Requirement(
        "The statuses are pending, in_progress, paused, completed, failed, needs_attention, ready, blocked "
        "and cancelled.",
        "reference chant 3",
    ),
    "chant:status_machine:values_are_exact": Requirement(
        "A status in a file is lower case and exact; other spellings are problems.", "reference chant 3"
    ),
    "chant:status_machine:paused_is_read_and_kept": Requirement(
        "A stored `paused` is read and survives edits of other keys.", "decisions 3: `chant_pause`"
    ),
    "chant:status_machine:legal_pairs": Requirement(
        "Unforced, each of the 81 pairs of statuses is legal or illegal as documented.",
        "reference chant 3.1, 10.8",
    ),
    "chant:status_machine:self_transition_is_legal": Requirement(
        "A transition to the same status is legal.", "reference chant 3.1"
    ),
    "chant:status_machine:mended_pairs_are_legal_too": Requirement(
        "Legal too: failed and needs_attention to cancelled, in_progress and paused to pending, completed to "
        "needs_attention.",
        "reference chant 3.1 R, 8.2 W18",
    ),
    "chant:status_machine:illegal_pair_is_worded": Requirement(
        "An illegal pair reads `Invalid transition from <From> to <To>`, with names such as `InProgress`.",
        "reference chant 3.1",
    ),
    # Graph: blocked, ready, siblings, approval, cycles (reference chant 4)
    "graph:blocked:open_dependency_blocks": Requirement(
        "A pending spec is blocked while a dependency is neither completed nor cancelled.",
        "reference chant 4.1, 10.7",
    ),
    "graph:blocked:cancelled_dependency_satisfies": Requirement(
        "A cancelled dependency satisfies.", "reference chant 4.1, 10.7"
    ),
    "graph:blocked:unknown_dependency_blocks_with_a_reason": Requirement(
        "An unknown, misspelt or partial dependency blocks, and the reason names it.",
        "reference chant 4.1, 8.2 W8, 10.7",
    ),
    "graph:blocked:unreadable_dependency_is_named_as_such": Requirement(
        "A dependency whose file cannot be read blocks, and the reason says that it cannot be read.",
        "reference chant 8.2 W8",
    ),
    "graph:blocked:archived_dependency_satisfies": Requirement(
        "An archived completed or cancelled dependency satisfies.",
        "issue: Graph; decisions 3: Archived and cross-repository dependencies; reference chant 4.1 R, "
        "10.9.10",
    ),
    "graph:blocked:member_inherits_open_driver_dependency": Requirement(
        "A member is blocked by an open dependency of its driver.", "issue: Graph; reference chant 4.1, 10.7"
    ),
    "graph:blocked:driver_on_own_members_does_not_block_them": Requirement(
        "A driver that depends on its own members is blocked, while its first member is not.",
        "reference chant 4.1, 10.7",
    ),
    "graph:blocked:stored_blocked_is_derived_again": Requirement(
        "A stored `blocked` whose reasons are gone shows as pending.", "reference chant 4.1"
    ),
    "graph:blocked:stored_blocked_by_approval_stays": Requirement(
        "A stored `blocked` that still waits for approval shows as blocked.", "reference chant 4.1"
    ),
    "graph:repos:completed_elsewhere_satisfies": Requirement(
        "`repo:<id>` is looked up in the configured repository and its archive; completed or cancelled there "
        "satisfies.",
        "issue: Graph; decisions 3: Archived and cross-repository dependencies; reference chant 4.1 R",
    ),
    "graph:repos:unknown_repository_blocks_with_a_reason": Requirement(
        "An unknown repository or an unreadable path blocks with a reason that names it.",
        "reference chant 4.1 R",
    ),
    "graph:workspace:keys_join_the_dialects": Requirement(
        "A dependency may name an item of another dialect by its qualified key, such as "
        "`vine:plan.vine#task`.",
        "decisions 2: workspace.rs",
    ),
    "graph:workspace:lookups_are_truthful": Requirement(
        "A named item of another dialect that is not there blocks with the reason, and lint names it.",
        "decisions 2: workspace.rs; decisions 3: Unreadable files",
    ),
    "graph:workspace:archived_items_count": Requirement(
        "Archived specs, and graphs deeper than is searched, count as done when they are.",
        "decisions 3: Archived and cross-repository dependencies",
    ),
    "vine:needs:other_dialects_hold_a_task_up": Requirement(
        "`@needs(chant:ID)` holds a task up until that item is done; `claim` refuses it meanwhile, unless by "
        "force.",
        "decisions 2: workspace.rs",
    ),
    "tickets:relations:other_dialects_are_waited_for": Requirement(
        "A ticket that names an item of another dialect waits until that is done.",
        "decisions 2: workspace.rs",
    ),
    "graph:analytics:measures_are_exact": Requirement(
        "Critical path, layers, impact, redundant edges, betweenness and PageRank are exact unless a sample "
        "is asked for.",
        "decisions 2: graph/",
    ),
    "graph:layers:an_item_waits_only_for_earlier_layers": Requirement(
        "Each item stands in the layer after the last one that it waits for.", "issue 9: graph"
    ),
    "graph:frontier:free_items_and_reasons_of_the_others": Requirement(
        "`frontier` lists open items that wait for nothing open, `blocked` the others with the reasons.",
        "issue 9: graph",
    ),
    "graph:critical_path:no_row_of_open_items_weighs_more": Requirement(
        "The critical path is the row of open items that weighs most.", "issue 9: graph"
    ),
    "graph:critical_path:weights_by_attribute_mapping_or_function": Requirement(
        "Weights come from an attribute, from numbers by key, or from a function.", "issue 9: graph"
    ),
    "graph:slack:an_item_may_be_that_late": Requirement(
        "An item that is late by its slack delays nothing; any more, and the end of all is later.",
        "issue 9: graph",
    ),
    "graph:impact:all_that_hang_on_an_item": Requirement(
        "`impact` is all that waits for an item over any number of others; `ancestors` all it waits for.",
        "issue 9: graph",
    ),
    "graph:redundant_edges:another_way_says_the_same": Requirement(
        "An edge is redundant if and only if another way leads from the one item to the other.",
        "issue 9: graph",
    ),
    "graph:betweenness:share_of_shortest_ways": Requirement(
        "Betweenness is the share of shortest ways between two others that lead over an item.",
        "issue 9: graph",
    ),
    "graph:schedule:nothing_begins_before_what_it_waits_for": Requirement(
        "A schedule has each open item once; no agent does two at once, and nothing begins too early.",
        "issue 9: graph",
    ),
    "graph:schedule:agents_finish_and_certainty": Requirement(
        "A schedule says who does what when, the end, the utilisation, and P50 and P90 of the end; the same "
        "seed gives the same answer.",
        "issue 9: graph",
    ),
    "graph:what_if:changes_a_copy_and_tells_the_delta": Requirement(
        "`what_if` finishes, adds, splits, drops and re-depends items of a copy, and tells what that means "
        "for frontier, critical path and finish.",
        "issue 9: graph",
    ),
    "graph:cycles:lists_all_loops": Requirement(
        "`cycles` lists all groups of items that wait for one another.", "issue 9: graph"
    ),
    "graph:errors:say_what_was_asked_for": Requirement(
        "Questions without answer are exceptions with fields: unknown keys with similar ones, loops with "
        "their items, weights that are none.",
        "issue 9: entry",
    ),
    "graph:interchange:other_libraries_read_it": Requirement(
        "networkx, rustworkx, JSON, and over Arrow polars, pandas, duckdb and pyarrow take nodes and edges, "
        "without being dependencies.",
        "issue 9: interchange",
    ),
    "graph:picture:nothing_overlaps": Requirement(
        "No figure of a picture lies on another, no arrow leads through one, and each leads forward from box "
        "to box unless it closes a loop.",
        "issue 9: Notebook",
    ),
    "graph:picture:clipped_and_counted": Requirement(
        "Of a large graph a picture shows what is in focus or matters most; each other item is counted in a "
        "`+N more` that is joined to what it hangs on.",
        "issue 9: Notebook",
    ),
    "graph:picture:names_are_text": Requirement(
        "No name, title or label breaks out of a picture or a table.", "issue 9: Notebook"
    ),
    "graph:picture:stands_alone": Requirement(
        "An SVG picture needs nothing from elsewhere, disturbs no other on the page, tells in words what it "
        "shows, and is the same each time.",
        "issue 9: Notebook",
    ),
    "graph:picture:states_differ_without_colours": Requirement(
        "States differ in symbol and border, not only in colour.", "issue 9: Notebook"
    ),
    "graph:picture:texts_for_mermaid_and_dot": Requirement(
        "The same pictures as texts for Mermaid and Graphviz.", "issue 9: Interchange"
    ),
    "graph:picture:wrong_words_are_refused": Requirement(
        "What is said about items has to fit them; else the error says what was expected.",
        "issue 9: Notebook",
    ),
    "graph:picture:lists_as_tables": Requirement(
        "A list of items is a table of at most 50 rows, in HTML and as text, with the number of the others.",
        "issue 9: Notebook",
    ),
    "graph:show:what_a_notebook_shows": Requirement(
        "A notebook shows a graph as a static SVG picture and as text; `show` chooses colour, focus and "
        "depth; Mermaid and DOT are there as texts.",
        "issue 9: notebook",
    ),
    "graph:sequences:keys_are_made_when_asked_for": Requirement(
        "Answers are sequences over the items that make keys when they are asked for.", "issue 9: speed"
    ),
    "graph:long_questions:progress_and_interruption": Requirement(
        "Long questions tell their progress; an exception of the callback or a signal stops them.",
        "issue 9: graph",
    ),
    "graph:long_questions:the_interpreter_is_free": Requirement(
        "Other threads work while a question is answered; a sample is drawn by its seed.", "issue 9: entry"
    ),
    "graph:ready:pending_or_failed_and_unblocked": Requirement(
        "A spec is ready when it is pending or failed and nothing blocks it.", "reference chant 4.2"
    ),
    "graph:ready:stored_ready_is_not_ready": Requirement(
        "A stored `ready` does not make a spec ready.", "reference chant 4.2"
    ),
    "graph:ready:failed_spec_needs_approval_too": Requirement(
        "A failed spec whose required approval is missing is not ready.", "reference chant 4.2"
    ),
    "graph:ready:spec_with_open_members_waits": Requirement(
        "A spec with members is not ready while one of them is open.", "reference chant 4.2"
    ),
    "graph:ready:cancelled_member_counts_as_done": Requirement(
        "A cancelled member does not keep its driver from being ready.", "reference chant 4.2"
    ),
    "graph:siblings:member_waits_for_lower_numbers": Requirement(
        "Member `D.N` without `depends_on` is not ready before every existing `D.1` … `D.(N-1)` is completed "
        "or cancelled.",
        "reference chant 4.3, 10.7",
    ),
    "graph:siblings:absent_siblings_do_not_matter": Requirement(
        "`D.4` does not wait for an absent `D.3`, but for a pending `D.2`.", "reference chant 4.3, 10.7"
    ),
    "graph:siblings:any_depends_on_switches_it_off": Requirement(
        "Any `depends_on`, even `[]`, frees a member from waiting for its siblings.",
        "reference chant 4.3, 10.7",
    ),
    "graph:siblings:waiting_member_shows_pending": Requirement(
        "A member that only waits for siblings shows as pending.", "reference chant 4.3, 10.7"
    ),
    "graph:siblings:nested_members_wait_for_their_own": Requirement(
        "`D.2.2` waits for `D.2.1`, and `D.2.1` for `D.1`.", "reference chant 4.3"
    ),
    "graph:approval:required_approval_blocks": Requirement(
        "A pending spec whose approval is required and not `approved` is blocked.",
        "issue: Graph; reference chant 4.1, 4.4, 10.7",
    ),
    "graph:approval:start_without_it_is_refused": Requirement(
        "A start gives `Spec '<id>' requires approval before work can begin.` and says how a person "
        "approves.",
        "reference chant 4.4",
    ),
    "graph:approval:rejected_start_is_refused": Requirement(
        "A start of a rejected spec gives `Cannot work on spec '<id>' - it has been rejected by <name>. …`",
        "reference chant 4.4",
    ),
    "graph:approval:waiting_spec_is_not_merged": Requirement(
        "Work on a spec that waits for approval is not merged, whoever did it.", "reference chant 4.4"
    ),
    "graph:predicate:one_for_every_tool": Requirement(
        "List, ready, status, get and diagnose give the same verdict on a spec, with the same reasons.",
        "issue: Graph; reference chant 4.5 R",
    ),
    "graph:predicate:start_of_work_uses_it_too": Requirement(
        "A start refuses exactly what the same predicate blocks: `Spec '<id>' is blocked by dependencies: "
        "<ids>`.",
        "reference chant 4.5 R",
    ),
    "graph:groups:driver_is_worked_member_by_member": Requirement(
        "Working a driver works its members in ID order.", "reference chant 4.6"
    ),
    "graph:groups:empty_driver_is_refused": Requirement(
        "Working a driver without members gives `Driver spec '<id>' has no member specs. Cannot execute an "
        "empty driver.`",
        "reference chant 4.6",
    ),
    "graph:cycles:text_shows_the_path": Requirement(
        "A cycle reads `Circular dependency detected: <id> -> <id>`, closing node not repeated; a "
        "self-reference prints one ID.",
        "reference chant 4.7",
    ),
    "graph:cycles:implied_edges_count": Requirement(
        "Cycles through edges implied by drivers and siblings are found and reported as a readable path.",
        "issue: Graph; reference chant 4.7 R",
    ),
    # chant: configuration (reference chant 7)
    "chant:config:project_wins_over_user": Requirement(
        "`.chant/config.md` wins over `~/.config/chant/config.md`, key by key in `project` and `defaults`, "
        "else by block.",
        "reference chant 7",
    ),
    "chant:config:defaults_hold_without_a_file": Requirement(
        "Without the project's file the documented defaults hold: a folder of specs is a project.",
        "reference chant 7",
    ),
    "chant:config:project_name_is_not_inherited": Requirement(
        "`project.name` is taken from the project's file only.", "reference chant 7"
    ),
    "chant:config:unknown_keys_are_ignored": Requirement(
        "Unknown configuration keys are ignored.", "reference chant 7"
    ),
    "chant:config:default_config_warns_about_nothing": Requirement(
        "Loading a default configuration prints no warning.", "reference chant 5.0"
    ),
    "chant:config:lint_thresholds_are_honoured": Requirement(
        "`lint.thresholds` changes the limits of the lint rules; absent ones are 10, 5, 150, 1, 1 and 3.",
        "reference chant 7",
    ),
    "chant:config:complexity_words_is_off_by_default": Requirement(
        "`lint.disable` is `[complexity_words]` unless configured.", "reference chant 7"
    ),
    "chant:config:main_branch_and_prefix_are_honoured": Requirement(
        "`defaults.main_branch` (`main`) and `defaults.branch_prefix` (`chant/`) are used where branches are "
        "looked at.",
        "reference chant 7",
    ),
    "chant:config:derivation_rules": Requirement(
        "A derived field comes from branch, path, environment or git user; `labels` and `context` are "
        "filled, others become `derived_<k>=<v>`.",
        "reference chant 7",
    ),
    "chant:config:derivation_misses_only_warn": Requirement(
        "A derived value outside its enum only warns.", "reference chant 7"
    ),
    "chant:config:parallel_and_watch_settings": Requirement(
        "`parallel.*`, `watch.*` and `providers.*` have the documented defaults and steer the work runtime.",
        "reference chant 7",
    ),
    # Models over HTTP (reference chant 6.5)
    "chant:http:a_split_is_a_question": Requirement(
        "A model over HTTP that is asked to split a spec looks at files and answers with text.", "issue 7"
    ),
    "chant:http:tool_loop": Requirement(
        "The providers `ollama` and `openai` have a model work by `read_file`, `write_file`, `run_command`, "
        "`list_files` and `task_complete`.",
        "reference chant 6.5",
    ),
    "chant:http:paths_are_confined": Requirement(
        "Tools of a model over HTTP touch nothing outside the worktree and nothing that is git's own.",
        "reference chant 6.5; decisions 4",
    ),
    "chant:http:results_are_cut": Requirement(
        "Long files come in pages, long outputs are cut, and the model is told.", "issue 7"
    ),
    "chant:http:bad_calls_are_told_to_the_model": Requirement(
        "A call with bad arguments, of an unknown tool, or for a file that is no text is told to the model, "
        "which goes on.",
        "issue 7",
    ),
    "chant:http:trouble_that_may_pass_is_tried_again": Requirement(
        "429, 500, 502, 503, 504, refused connections and answers that break off are tried again "
        "`max_retries` times, after `retry_delay_ms` doubled each time, or when the server says.",
        "reference chant 6.5",
    ),
    "chant:http:refusals_are_told_at_once": Requirement(
        "Any other refusal of a server ends the run at once, with the server's words.", "issue 7"
    ),
    "chant:http:rounds_are_bounded": Requirement("A model over HTTP has 50 rounds.", "reference chant 6.5"),
    "chant:http:text_alone_is_answered_once": Requirement(
        "A model that calls no tool is reminded once; text alone after that ends the run, nothing fails it.",
        "issue 7",
    ),
    "chant:http:endpoints_are_checked": Requirement(
        "An endpoint that is no address, or that holds a password, is refused.", "issue 7"
    ),
    "chant:http:talk_is_logged": Requirement(
        "What a model over HTTP says, the tools that it calls and the beginnings of their results are lines "
        "of the log.",
        "reference chant 6.5",
    ),
    "chant:http:key_stays_with_the_agent": Requirement(
        "`OPENAI_API_KEY` reaches neither the commands of a model nor the log nor the record.",
        "decisions 3: Secrets",
    ),
    "chant:http:is_stopped_like_any_agent": Requirement(
        "Pausing ends a model's answer in the middle and the command that it runs, and keeps the worktree.",
        "issue 7",
    ),
    "chant:http:what_is_missing_is_told": Requirement(
        "A start and `chant_diagnose` name the endpoint, model or key that a provider over HTTP lacks.",
        "issue 7",
    ),
    "chant:http:providers_block": Requirement(
        "`providers.ollama` and `providers.openai` are read from the user's and the project's configuration, "
        "key by key, and used.",
        "reference chant 7",
    ),
    "chant:http:certificates": Requirement(
        "An `https` endpoint has to prove who it is; `SSL_CERT_FILE` names further authorities.", "issue 7"
    ),
    "chant:http:proxies": Requirement(
        "The proxy that the environment names is used, but never for this machine.", "house: networks"
    ),
    "chant:rotation:weight_and_capacity": Requirement(
        "`rotation_strategy` `random` and `round_robin` choose among `parallel.agents` by weight; none of "
        "them works on more specs than its `max_concurrent`, whoever started the runs.",
        "reference chant 7",
    ),
    "chant:rotation:single_starts_take_turns": Requirement(
        "With a rotation strategy, starts that name no agent take the agents of `parallel.agents` in turn.",
        "reference chant 6.5",
    ),
    "chant:parallel:starts_are_staggered": Requirement(
        "Between starts of work in parallel passes `stagger_delay_ms`, more or less by `stagger_jitter_ms`; "
        "who stops the work does not wait for that.",
        "reference chant 7",
    ),
    "init:provider:can_be_started": Requirement(
        "Every provider that `init` takes can be started.", "issue 7"
    ),
    # Store: writing
    "store:write:replace_is_atomic_and_durable": Requirement(
        "A file is replaced by a synced temporary file, a rename and a sync of the folder.",
        "issue: Store; decisions 1",
    ),
    "store:write:crash_leaves_old_or_new": Requirement(
        "A crash at any moment leaves the old file or the new one, never a part.", "decisions 1"
    ),
    "store:write:taken_back_stays_so": Requirement(
        "A change of several files that was taken back, or done, is not carried out later, whatever of its "
        "record cannot be removed.",
        "decisions 1",
    ),
    "store:write:no_temporary_file_stays": Requirement(
        "A write that fails leaves no temporary file behind.", "issue: Store"
    ),
    "store:write:full_disk_loses_nothing": Requirement(
        "On a full disk a write gives a clear error and the old file stays whole.", "issue: Bad input"
    ),
    "store:write:every_failing_write_is_survived": Requirement(
        "Whichever write of a change fails (a file, its flush, a folder, a name): all of it or nothing is "
        "done, the error names what could not be written and why, and a later try succeeds.",
        "issue: Watch, recovery and torture",
    ),
    "store:write:read_only_folder_is_a_clear_error": Requirement(
        "In a read-only folder a write gives a clear error and changes nothing.", "issue: Bad input"
    ),
    "store:write:link_inside_the_project_is_followed": Requirement(
        "A link to a file inside the project stays a link; its target is replaced.", "decisions 2: Locks"
    ),
    "store:write:foreign_edit_is_never_overwritten": Requirement(
        "A file that another program changed between our read and our rename is not overwritten.",
        "decisions 2: Locks; reference chant 5.9 R, 8.2 W13",
    ),
    "store:lock:dies_with_its_process": Requirement(
        "A lock ends with the process that holds it, also after kill -9.", "issue: Store"
    ),
    "store:lock:writers_of_one_spec_lose_nothing": Requirement(
        "N processes appending to one spec at once lose none of the texts.", "issue: Store"
    ),
    "store:lock:edits_start_from_a_fresh_read": Requirement(
        "An edit reads the file inside the lock, not before it.", "issue: Store"
    ),
    "store:lock:two_projects_share_the_lock_of_a_document": Requirement(
        "Two servers that reach one document through different roots exclude each other.",
        "decisions 2: Locks",
    ),
    "store:journal:several_files_all_or_none": Requirement(
        "A change of several files is replayed or undone as a whole at the next opening.",
        "decisions 2: Our own state",
    ),
    "store:state:lies_beside_git": Requirement(
        "State that git must not see lies in `<git common dir>/chant-mcp/`, without git in `.chant-mcp/` "
        "with an ignore file.",
        "decisions 2: Our own state",
    ),
    "store:state:records_carry_schema_and_unknown_keys": Requirement(
        "Every record of ours carries `schema: 1` and keeps unknown keys.",
        "decisions 2: Our own state",
        built=False,
    ),
    # Store: the index
    "store:index:write_before_the_call_is_seen": Requirement(
        "An edit made by any other process before the call is always seen.",
        "issue: Index; decisions 2: store/index.rs",
    ),
    "store:index:same_size_edit_at_once_is_seen": Requirement(
        "An edit of the same length right after a reading is seen.", "decisions 2: store/index.rs"
    ),
    "store:index:deleted_file_is_gone": Requirement(
        "A deleted spec is gone from the next answer.", "issue: Index"
    ),
    "store:index:renamed_file_has_its_new_id": Requirement(
        "A renamed spec appears under its new ID only.", "issue: Index"
    ),
    "store:index:replaced_file_is_read_again": Requirement(
        "A file replaced by a rename is read again, even with its old time and size.", "issue: Index"
    ),
    "store:index:truncated_file_is_survived": Requirement(
        "A truncated file is answered as it is now.", "issue: Index"
    ),
    "store:index:unreadable_file_becomes_a_problem": Requirement(
        "A file made unreadable becomes a problem, and a spec again when it is readable.", "issue: Index"
    ),
    "store:index:overflow_is_survived": Requirement(
        "After more changes than the event queue holds, the next answer is right.",
        "decisions 2: store/index.rs",
    ),
    "store:index:untrusted_file_systems_are_scanned": Requirement(
        "Where change events cannot be trusted, the stamps of all files are compared before each answer.",
        "decisions 2: store/index.rs",
    ),
    "store:index:only_changed_files_are_read": Requirement(
        "A repeated call reads only the files that changed.",
        "decisions 1; decisions 2: store/index.rs; reference chant 8.2 W20",
    ),
    "store:index:holds_at_100000_specs": Requirement("All this holds at 100,000 specs.", "issue: Index"),
    # Store: bad input
    "store:bad_input:ten_megabyte_spec": Requirement(
        "A spec of 10 MB is served, and its edit changes what it means to change.", "issue: Bad input"
    ),
    "store:bad_input:ten_thousand_keys": Requirement(
        "Front matter with 10,000 keys is read in reasonable time, or is a problem.", "issue: Bad input"
    ),
    "store:bad_input:yaml_alias_bomb": Requirement(
        "A YAML alias bomb becomes a problem record without exhausting memory.", "issue: Bad input"
    ),
    "store:bad_input:nul_bytes": Requirement(
        "A spec with NUL bytes gives a clear answer and loses nothing.", "issue: Bad input"
    ),
    "store:bad_input:invalid_utf8_file": Requirement(
        "A spec that is not UTF-8 is a problem record, is not edited and loses nothing.", "issue: Bad input"
    ),
    "store:bad_input:folder_named_like_a_spec": Requirement(
        "A folder named `x.md` is a problem record and disturbs no other spec.", "issue: Bad input"
    ),
    "store:bad_input:dangling_link": Requirement(
        "A dangling link in the specs folder is a problem record and disturbs no other spec.",
        "issue: Bad input",
    ),
    # git
    "git:reads:need_no_git_program_per_spec": Requirement(
        "Specs in progress cost no git process a call.", "decisions 3: git; reference chant 8.2 W20"
    ),
    "git:reads:reftable_repository": Requirement(
        "Commits are found in a repository with reftable storage.", "decisions 3: git"
    ),
    "git:reads:sha256_repository": Requirement(
        "Commits are found in a SHA-256 repository.", "decisions 3: git"
    ),
    "git:reads:partial_clone": Requirement("Commits are found in a partial clone.", "decisions 3: git"),
    "git:program:environment_is_cleaned": Requirement(
        "The git program runs in a cleaned environment, so a caller's `GIT_DIR` changes nothing.",
        "decisions 3: git",
    ),
    "git:commits:no_tool_commits": Requirement(
        "`chant_spec_update`, `chant_add`, `chant_finalize` and `chant_archive` make no git commit.",
        "reference chant 5.9, 5.10, 5.11, 5.15",
    ),
    "git:safety:users_changes_stay": Requirement(
        "No tool touches uncommitted or staged changes that are the user's.",
        "decisions 4; reference chant 8.2 W6",
    ),
    # chant: Python API
    "chant:python_api:every_tool_is_one_typed_call": Requirement(
        "Every tool is one call on a typed Python object.", "decisions 1"
    ),
    "chant:python_api:handles_are_snapshots": Requirement(
        "A handle is an immutable snapshot; an edit returns a new handle.",
        "decisions 3: Python handles",
    ),
    "chant:python_api:list_edits_apply_to_a_fresh_read": Requirement(
        "A list edit through an old handle keeps what others added meanwhile.",
        "decisions 3: Python handles",
    ),
    "chant:python_api:body_edit_conflict_is_raised": Requirement(
        "A body edit raises `ConflictError` when the body changed since the handle was read.",
        "decisions 3: Python handles",
    ),
    "chant:python_api:problems_are_listed": Requirement(
        "Unreadable files are listed as problems.", "decisions 3: Unreadable files"
    ),
    # The spec API in Python
    "api:open:finds_what_the_folder_holds": Requirement(
        "`chant_mcp.open` finds the project that a folder belongs to, as the commands do, with the files of "
        "all dialects in it.",
        "issue: Spec API in Python: Entry",
    ),
    "api:names:any_unambiguous_name": Requirement(
        "`ws[name]` gives the item that a key, an ID, a code or a part of an ID means; several or none are "
        "refused.",
        "issue: Spec API in Python: Entry",
    ),
    "api:handles:say_what_documents_say": Requirement(
        "Handles have attributes for what documents say: status, criteria, sections, body and the rest.",
        "issue: Spec API in Python: Entry",
    ),
    "api:handles:hash_compare_pickle": Requirement(
        "Handles are hashable, comparable by their keys, frozen, and read anew when they are unpickled.",
        "issue: Spec API in Python: Entry",
    ),
    "api:lists:filters": Requirement(
        "Lists of handles have filters by state, label and readiness, and are as of their first look.",
        "issue: Spec API in Python: Entry",
    ),
    "api:lists:never_cut": Requirement(
        "Lists and texts that scripts get are whole, however long.", "issue: Spec API in Python: Entry"
    ),
    "api:import:is_light": Requirement(
        "`import chant_mcp` imports neither the SDK nor what only commands need.",
        "issue: Spec API in Python: Entry",
    ),
    "api:quiet:prints_nothing": Requirement("The API prints nothing.", "issue: Spec API in Python: Entry"),
    "api:documents:every_public_name": Requirement(
        "Every public name of the API is documented and typed.", "issue: Spec API in Python: Documents"
    ),
    "api:examples:run": Requirement(
        "The examples run as they are shown.", "issue: Spec API in Python: Documents"
    ),
    "api:transaction:all_or_none": Requirement(
        "Edits of specs, tickets, task graphs and features in a transaction see one another and are written "
        "together, or not at all.",
        "issue: Spec API in Python: Entry",
    ),
    "api:transaction:sees_across_dialects": Requirement(
        "Inside a transaction items follow those of other dialects that they wait for.",
        "issue: Spec API in Python: Entry",
    ),
    "api:transaction:two_at_once": Requirement(
        "Transactions over the same files, in whatever order, never wait for one another for good, and both "
        "arrive.",
        "issue: Spec API in Python: Entry; decisions 2",
    ),
    "api:transaction:decided_on_what_is_true_then": Requirement(
        "At its end a transaction is decided on the files as they are then: what others changed stays, or "
        "refuses all.",
        "issue: Spec API in Python: Entry; decisions 3: Python handles",
    ),
    "api:transaction:crash_leaves_all_or_none": Requirement(
        "A crash while a transaction is written leaves all of its edits or none, whichever dialect is asked "
        "next.",
        "issue: Spec API in Python: Entry; decisions 2",
    ),
    "api:transaction:refuses_what_cannot_be_undone": Requirement(
        "A transaction refuses edits that it could not take back or decide at its end, and says why.",
        "issue: Spec API in Python: Entry",
    ),
    "api:changes:tell_keys": Requirement(
        "`await ws.changes()` gives the keys of what was added, changed and removed since.",
        "issue: Spec API in Python: Entry",
    ),
    "api:changes:wait_is_bounded": Requirement(
        "A wait for changes ends when it is given up.", "issue: Spec API in Python: Entry"
    ),
    "api:answers:whole": Requirement(
        "What the core gives in pages is whole in scripts: texts, lists, changes.",
        "issue: Spec API in Python: Entry",
    ),
    "api:workspace:names": Requirement(
        "A name is in a workspace when something is called so; phases are items, not tasks.",
        "issue: Spec API in Python: Entry",
    ),
    "api:workspace:refusals": Requirement(
        "A value that is none is refused with an exception of the package.",
        "issue: Spec API in Python: Entry",
    ),
    "api:transaction:ends_with_its_block": Requirement(
        "What outlives the block of a transaction is no part of it.", "issue: Spec API in Python: Entry"
    ),
    "api:graph:is_the_workspace": Requirement(
        "`ws.graph()` holds the items of all dialects with their keys and what waits for what.",
        "issue: Spec API in Python: Graph",
    ),
    "api:graph:as_of_a_revision": Requirement(
        "`graph.at(revision)` gives the graph as git has it, which is compared and not written.",
        "issue: Spec API in Python: Graph",
    ),
    "api:graph:learned_durations": Requirement(
        "A schedule counts learned durations, and their median for what has none.",
        "issue: Spec API in Python: Graph",
    ),
    "api:what_if:commit_writes_all_or_none": Requirement(
        "`what_if().commit()` writes its changes to the specs by the rules of the tools, all or none.",
        "issue: Spec API in Python: Graph",
    ),
    # Documents and house rules
    "docs:readme:agents_can_be_configured_as_shown": Requirement(
        "The configuration of agents in the README is accepted, and every placeholder it names is filled in.",
        "house: newcomers",
    ),
    "docs:reference:is_built_from_docstrings": Requirement(
        "The API reference is built from the docstrings; a warning, or a public name without one, is an "
        "error.",
        "issue: The spec API in Python",
    ),
    "docs:guide:blocks_do_what_they_say": Requirement(
        "Every command and every block of Python in the guide runs in the sample project, and prints what it "
        "says.",
        "issue: The spec API in Python",
    ),
    "docs:guide:links_lead_somewhere": Requirement(
        "Links of the guide and the README lead to files that exist; its first page leads to all others.",
        "house: newcomers",
    ),
    "docs:notebooks:give_the_same_again": Requirement(
        "The example notebooks, run by a Jupyter kernel, give the outputs that they are stored with.",
        "issue: The spec API in Python",
    ),
    "docs:readme:example_is_a_real_answer": Requirement(
        "The README shows one call with the answer that the server really gives.", "issue: The house"
    ),
    "docs:rust:core_builds_without_python": Requirement(
        "The Rust core depends on nothing of Python.", "issue: The house"
    ),
    "docs:readme:tool_table_is_generated": Requirement(
        "The README's tool table equals what the server lists.", "issue: House"
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
    "house:tests:stand_on_checked_tables": Requirement(
        "Tables and moments of a crash that tests stand on are checked themselves.", "house: tests"
    ),
    # vine (seed 003)
    "vine:server:speaks_json_rpc_on_stdio": Requirement(
        "The vine tools are served as JSON-RPC over standard input and output.", "seed vine:9"
    ),
    "vine:server:cwd_flag_sets_folder_and_root": Requirement(
        "`--cwd DIR` sets the folder for relative paths and counts as a root.", "seed vine:19"
    ),
    "vine:resources:brief_spec": Requirement(
        "`vine://spec/brief` is the short format description with execution guide and tool reference.",
        "seed vine:27",
    ),
    "vine:resources:full_spec": Requirement(
        "`vine://spec/full` is the complete VINE v1.2.0 specification with grammar, expansion and examples.",
        "seed vine:31",
    ),
    "vine:resources:are_named_and_typed": Requirement(
        "Both texts are listed with name, title, description and MIME type, and read with their MIME type.",
        "reference vine 9.3",
    ),
    "vine:resources:brief_is_short": Requirement(
        "The brief takes about 3,000 tokens and 200 lines.",
        "seed vine:27; reference vine 9.3",
    ),
    "vine:resources:samples_hold": Requirement(
        "Every sample in both texts is read, refused, changed or answered as they say.",
        "reference vine 9.3, D10",
    ),
    "vine:tools:four_take_a_file": Requirement(
        "Four tools exist, and each takes `file`, absolute or relative to the working folder and the roots.",
        "seed vine:39",
    ),
    "vine:tools:extension_is_appended": Requirement(
        "A relative path without extension is tried with `.vine` appended.", "seed vine:39"
    ),
    "vine:tools:state_what_they_change": Requirement(
        "Reading tools are marked read-only, `vine_write` alone as destructive.",
        "reference vine 9.2",
    ),
    "vine:tools:schema_of_write_stays_small": Requirement(
        "`vine_write` is published with one flat kind of operation, in at most 3 KB.",
        "decisions 3: Default tools",
    ),
    "vine:tools:chains_of_100000_tasks_are_no_trouble": Requirement(
        "A chain of 100,000 tasks is read, asked about and changed like any other plan.",
        "reference vine W5, W10",
    ),
    "vine:format:is_read_as_the_vectors_say": Requirement(
        "Files are read or refused as the vectors say, with line and message.",
        "reference vine 1.10, 12.3",
    ),
    "vine:format:blank_segments_are_skipped": Requirement(
        "Blank lines around delimiters and trailing delimiters are harmless.",
        "reference vine W15",
    ),
    "vine:format:newer_files_are_read_not_written": Requirement(
        "A newer minor version is read and not written, another major version is refused.",
        "reference vine 1.3 R, D14",
    ),
    "vine:read:file_and_action_are_required": Requirement(
        "`vine_read` requires `file` and `action`.", "seed vine:47"
    ),
    "vine:read:eight_actions": Requirement(
        "`action` is one of `summary`, `list`, `task`, `context`, `descendants`, `search`, `refs`, "
        "`validate`.",
        "seed vine:48",
    ),
    "vine:read:id_is_required_for_task": Requirement(
        '`task` and `descendants` require `id`: `id is required for action "task".`',
        "seed vine:49; decisions 3: Missing or ill-typed argument",
    ),
    "vine:read:list_filters_by_status": Requirement("`list` filters by `status`.", "seed vine:50"),
    "vine:read:list_filters_by_query": Requirement("`list` filters by `query`.", "seed vine:51"),
    "vine:read:validate": Requirement("`validate` answers `Valid — <n> task(s).`", "seed vine:57"),
    "vine:read:summary": Requirement(
        "`summary` answers with the root task, total and leaf counts and a breakdown by status, as text.",
        "seed vine:58",
    ),
    "vine:read:list": Requirement("`list` answers with an array of task objects.", "seed vine:59"),
    "vine:read:task": Requirement("`task` answers with the full task object.", "seed vine:60"),
    "vine:read:context": Requirement(
        "`context` adds `resolved_dependencies` (status, decisions, attachments) and `dependant_tasks` to "
        "the task.",
        "seed vine:61",
    ),
    "vine:read:descendants": Requirement(
        "`descendants` answers with the transitive dependants as `{id, shortName}`.", "seed vine:62"
    ),
    "vine:read:search": Requirement(
        "`search` finds tasks by name and description, whatever the case.", "seed vine:63"
    ),
    "vine:read:refs": Requirement(
        "`refs` answers with the reference nodes as `{id, shortName, vine, dependencies}`.", "seed vine:64"
    ),
    "vine:read:keys_stand_in_the_order_of_the_reference": Requirement(
        "Keys of nodes and answers stand in the order of the reference; ours follow.",
        "decisions 3: Keys order in JSON; reference vine 5",
    ),
    "vine:read:lists_are_texts_beside_a_structure": Requirement(
        "A list is the array as text, and `{result, total, returned}` structured.",
        "decisions 3: Tool result",
    ),
    "vine:read:cut_lists_say_so": Requirement(
        "Lists take `limit` and `offset`; one that was cut says so in a second text, with the next offset.",
        "decisions 3: Tool result, Size of a result",
    ),
    "vine:read:errors_name_what_is_missing": Requirement(
        "`context` and `dependencies` need an `id`, `search` a `query`; an unknown status or action is told "
        "with those there are.",
        "reference vine 5.1, D5",
    ),
    "vine:read:search_looks_into_ids": Requirement(
        "`search` and the query of `list` look into IDs, too.",
        "reference vine D6",
    ),
    "vine:read:validate_warns_of_open_tasks": Requirement(
        "`validate` warns when the root is complete and others are not.",
        "reference vine W17",
    ),
    "vine:read:dependencies": Requirement(
        "`dependencies` answers with all that a node needs, directly or not.",
        "reference vine W12",
    ),
    "vine:read:meta": Requirement(
        "`meta` answers with version, title, prefix, delimiter and the git hash of the text.",
        "reference vine W3, W12",
    ),
    "vine:next:file_is_required": Requirement("`vine_next` requires `file`.", "seed vine:74"),
    "vine:next:ready_to_start": Requirement(
        "`ready_to_start` lists notstarted and planning tasks whose dependencies are all complete or "
        "reviewing.",
        "seed vine:80",
    ),
    "vine:next:ready_to_complete": Requirement(
        "`ready_to_complete` lists reviewing tasks whose output a dependant has started to use.",
        "seed vine:81",
    ),
    "vine:next:needs_expansion": Requirement(
        "`needs_expansion` lists the reference nodes on the frontier.", "seed vine:82"
    ),
    "vine:next:blocked": Requirement(
        "`blocked` lists blocked tasks whose dependencies are all satisfied.", "seed vine:83"
    ),
    "vine:next:progress": Requirement(
        "`progress` has `total`, `complete`, `percentage`, `ready_count`, `root_id`, `root_status` and "
        "`by_status`.",
        "seed vine:84",
    ),
    "vine:next:in_progress": Requirement(
        "`in_progress` lists started tasks.",
        "reference vine W6",
    ),
    "vine:next:waiting": Requirement(
        "When the seed's four lists are empty and work is left, `waiting` says who waits for what.",
        "reference vine W6",
    ),
    "vine:next:root_is_complete_with_the_last_of_the_others": Requirement(
        "A reviewing root is ready to complete when all others are reviewing or complete.",
        "reference vine 5.2",
    ),
    "vine:next:percentage_is_100_only_when_all_is_complete": Requirement(
        "`percentage` is rounded half up, and 100 only when all is complete.",
        "reference vine 5.2, W17",
    ),
    "vine:next:takes_limit_and_offset": Requirement(
        "Lists of `vine_next` hold 50 entries unless `limit` says otherwise; `<key>_total` counts those of "
        "a cut one.",
        "decisions 3: Size of a result, vine answers on large graphs",
    ),
    "vine:next:sees_every_edit_made_before": Requirement(
        "An answer is as of the file at the moment of the call, whoever changed it.",
        "decisions 2: store/index.rs",
    ),
    "vine:write:operations_are_atomic": Requirement(
        "`vine_write` applies all operations in order, or none.", "seed vine:92"
    ),
    "vine:write:at_least_one_operation": Requirement(
        "`file` and at least one operation are required.", "seed vine:97"
    ),
    "vine:write:create": Requirement(
        "`create` makes a new file and must be the first operation.", "seed vine:103"
    ),
    "vine:write:add_task": Requirement(
        "`add_task` adds a task with `id`, `name` and optional `status`, `description`, `dependsOn`, "
        "`annotations`.",
        "seed vine:104",
    ),
    "vine:write:remove_task": Requirement("`remove_task` removes a task and its edges.", "seed vine:105"),
    "vine:write:set_status": Requirement("`set_status` changes a task's status.", "seed vine:106"),
    "vine:write:update": Requirement(
        "`update` changes `name`, `description`, `decisions`, `attachments` or `annotations`.",
        "seed vine:107",
    ),
    "vine:write:claim": Requirement(
        "`claim` sets a task to started and answers with its dependency context.", "seed vine:108"
    ),
    "vine:write:claim_refuses_what_cannot_start": Requirement(
        "`claim` refuses a task that is started, complete or unsatisfied, naming why; `force: true` "
        "overrides.",
        "decisions 3: vine `claim`",
    ),
    "vine:write:extract_to_ref": Requirement(
        "`extract_to_ref` moves a task into a child file and leaves a reference.", "seed vine:109"
    ),
    "vine:write:add_dep": Requirement("`add_dep` adds an edge from `taskId` to `depId`.", "seed vine:110"),
    "vine:write:remove_dep": Requirement("`remove_dep` removes that edge.", "seed vine:111"),
    "vine:write:add_ref": Requirement(
        "`add_ref` adds a reference node with `id`, `name`, `vine` and optional fields.", "seed vine:112"
    ),
    "vine:write:update_ref_uri": Requirement(
        "`update_ref_uri` changes a reference node's URI.", "seed vine:113"
    ),
    "vine:write:validation_runs_once_at_the_end": Requirement(
        "A task may be added and wired in the same batch, since validation runs after all operations.",
        "seed vine:115",
    ),
    "vine:write:answer_has_summary_and_frontier": Requirement(
        "The answer has `summary`, `progress`, `ready_to_start`, `ready_to_complete`, `blocked` and "
        "`needs_expansion`.",
        "seed vine:121",
    ),
    "vine:write:answer_has_claimed": Requirement(
        "After a `claim` the answer has `claimed`, the task with its dependency context.", "seed vine:127"
    ),
    "vine:write:frontier_is_capped": Requirement(
        "Frontier lists after a write show 50 entries, with the full counts in `progress`; `limit` raises "
        "it.",
        "decisions 3: vine answers on large graphs",
    ),
    "vine:write:round_trip_keeps_the_graph": Requirement(
        "Writing and reading a graph preserves its structure.", "seed vine:208"
    ),
    "vine:write:duplicate_id_is_an_error": Requirement("A duplicate ID is an error.", "seed vine:259"),
    "vine:write:root_cannot_be_removed": Requirement("Removing the root is an error.", "seed vine:260"),
    "vine:write:invalid_status_is_an_error": Requirement("An invalid status is an error.", "seed vine:261"),
    "vine:write:unknown_task_is_an_error": Requirement("An unknown task ID is an error.", "seed vine:262"),
    "vine:write:shapes_are_checked_first": Requirement(
        "Every operation's shape is checked before a file is touched: unknown fields and wrong types are "
        "refused by number, operation and field.",
        "reference vine 6.2 R, W13",
    ),
    "vine:write:refusals_number_the_operation": Requirement(
        "An operation that cannot be carried out is told in the seed's words, and its number and name on "
        "the next line.",
        "reference vine W13",
    ),
    "vine:write:texts_the_format_cannot_carry_are_refused": Requirement(
        "What the format cannot carry is refused by the name of its field.",
        "reference vine W1",
    ),
    "vine:write:strict_order": Requirement(
        "Operations take effect in their order, extraction included.",
        "reference vine D4",
    ),
    "vine:write:version_covers_what_comes_in": Requirement(
        "The file's version is raised to the lowest that covers what an operation brings.",
        "reference vine D19",
    ),
    "vine:write:claim_names_an_owner": Requirement(
        "`claim` may name an owner, who is kept as an annotation and told to those who come later.",
        "reference vine W4, W18",
    ),
    "vine:write:adds_beside_what_is_there": Requirement(
        "`addDecisions`, `addAttachments` and `removeAttachments` leave what others wrote.",
        "reference vine W12",
    ),
    "vine:write:rename_task": Requirement(
        "`rename_task` gives a node another ID in all dependencies.",
        "reference vine W12",
    ),
    "vine:write:move_task": Requirement(
        "`move_task` puts a node before another or at the end; the first node is the root.",
        "reference vine W12",
    ),
    "vine:write:set_meta": Requirement(
        "`set_meta` sets title, prefix and delimiter.",
        "reference vine W12",
    ),
    "vine:write:dry_run": Requirement(
        "`dry_run: true` answers what would be, with a diff, and writes nothing.",
        "reference vine W12",
    ),
    "vine:write:expect": Requirement(
        "`expect` refuses when the file is another than the caller has read.",
        "reference vine W3",
    ),
    "vine:edit:only_the_lines_meant_change": Requirement(
        "A change of an existing file touches the lines it means and no other byte.",
        "reference vine 4 R, W9",
    ),
    "vine:edit:line_ends_and_mark_stay": Requirement(
        "CRLF, a byte order mark and a missing last line end stay as they are.",
        "reference vine W9",
    ),
    "vine:edit:unknown_metadata_stays": Requirement(
        "Unknown keys and remarks of the preamble stay.",
        "reference vine D12",
    ),
    "vine:edit:own_version_is_kept": Requirement(
        "A file keeps its version as it is written there.",
        "reference vine D19",
    ),
    "vine:edit:rights_and_links_stay": Requirement(
        "A replaced file keeps its permissions, and a link to it stays a link.",
        "reference vine W2",
    ),
    "vine:edit:refused_batches_leave_every_byte": Requirement(
        "After any refusal all files are byte for byte as they were.",
        "reference vine 6.1",
    ),
    "vine:edit:refused_or_reads_back": Requirement(
        "A batch is refused, or whoever reads the file next finds what the answer told.",
        "reference vine W1, D20",
    ),
    "vine:edit:readers_see_whole_files": Requirement(
        "Who reads a file while it is changed sees the old text or the new one.",
        "reference vine W2",
    ),
    "vine:edit:a_crash_leaves_all_or_nothing": Requirement(
        "After a crash between two files the next opening finds both changed or none.",
        "decisions 2: Our own state; reference vine W2",
    ),
    "vine:lock:two_servers_lose_no_write": Requirement(
        "Servers that write one file at once lose nothing.",
        "decisions 1; reference vine W3",
    ),
    "vine:lock:one_of_two_claims_succeeds": Requirement(
        "Of two servers that claim one task, or make one file, exactly one succeeds.",
        "decisions 3: vine `claim`; reference vine W4",
    ),
    "vine:loop:agents_carry_out_a_nested_plan": Requirement(
        "Agents that follow the documented loop complete a plan of several files, every time.",
        "reference vine 9.3, W6",
    ),
    "vine:expand:inlines_the_child": Requirement(
        "`vine_expand` replaces the reference `ref_id` by the tasks of `child_file`.", "seed vine:133"
    ),
    "vine:expand:answers_with_the_id": Requirement(
        'The answer is `Ref "<ref_id>" expanded.`', "seed vine:141"
    ),
    "vine:expand:prefixes_child_ids": Requirement(
        "Child task IDs are prefixed with the reference's ID.", "seed vine:249"
    ),
    "vine:expand:rewires_dependencies": Requirement(
        "Dependencies are re-wired to the inlined tasks.", "seed vine:250"
    ),
    "vine:expand:annotations_are_united": Requirement(
        "Annotations are united, the reference's value wins, and the child's relative URIs are rebased.",
        "decisions 3: vine expansion",
    ),
    "vine:expand:child_file_may_be_left_out": Requirement(
        "Without `child_file` the reference's own URI is used, relative to the parent's folder.",
        "reference vine 7 R",
    ),
    "vine:expand:the_child_stays_as_it_is": Requirement(
        "The child file is only read.",
        "reference vine 7",
    ),
    "vine:expand:places_are_seen_from_the_parent": Requirement(
        "Relative places that come from the child are rewritten for the parent's folder.",
        "decisions 3: vine expansion; reference vine W7",
    ),
    "vine:expand:version_is_raised": Requirement(
        "The parent's version is raised to the lowest that covers what came in.",
        "reference vine W7",
    ),
    "vine:expand:collisions_name_both": Requirement(
        "An ID that exists already is refused with its name in the parent and in the child.",
        "reference vine 7",
    ),
    "vine:expand:circles_are_refused": Requirement(
        "References that lead back to the parent or to the child are refused.",
        "reference vine 7 R, W7",
    ),
    "vine:expand:warns_while_the_reference_waits": Requirement(
        "Expanding a reference that still waits is answered with a warning that says for what.",
        "reference vine 7 R, W7",
    ),
    "vine:expand:takes_a_delimiter_that_no_line_equals": Requirement(
        "Where a description of the child has a line like the parent's delimiter, the parent gets another "
        "one.",
        "reference vine W1",
    ),
    "vine:expand:errors_name_the_child": Requirement(
        "What is wrong with the child names the child.",
        "reference vine D9",
    ),
    "vine:paths:absolute_path_first": Requirement(
        "An absolute path that exists is used as it is.", "seed vine:161"
    ),
    "vine:paths:working_folder_before_roots": Requirement(
        "A relative path is tried in the working folder, then in each root.", "seed vine:162"
    ),
    "vine:paths:falls_back_to_the_working_folder": Requirement(
        "A path found nowhere is resolved against the working folder.", "seed vine:165"
    ),
    "vine:paths:absolute_only_for_vine_files": Requirement(
        "On stdio absolute paths may lead elsewhere, to files ending in `.vine`.",
        "decisions 3: Absolute paths (vine)",
    ),
    "vine:paths:client_roots_are_fetched": Requirement(
        "At the first tool call the client's roots are fetched when it offers them, and used for paths.",
        "seed vine:190",
    ),
    "vine:paths:exact_name_before_extension": Requirement(
        "A name as it stands is looked for everywhere before one with `.vine`.",
        "reference vine 8.1",
    ),
    "vine:paths:folders_are_no_files": Requirement(
        "A folder hides no file, and is said to be one where nothing else is found.",
        "reference vine 8.1, D8",
    ),
    "vine:paths:nothing_outside_of_the_roots": Requirement(
        "No relative name leads out of the working folder, the project and the client's folders.",
        "decisions 4; reference vine W8",
    ),
    "vine:paths:links_stay_inside": Requirement(
        "No link leads out of them either.",
        "decisions 4",
    ),
    "vine:paths:new_files_lie_in_the_working_folder": Requirement(
        "New files lie in the working folder, folders on the way are made; in the client's first folder "
        "where the working folder belongs to no project.",
        "reference vine 8.2, W14",
    ),
    "vine:paths:new_files_lie_beside_their_plan": Requirement(
        "The file of an extracted task is named relative to the plan's folder.",
        "reference vine W14",
    ),
    "vine:paths:http_stays_inside_the_roots": Requirement(
        "Over HTTP an absolute path must lie inside the roots.",
        "decisions 3: Absolute paths (vine)",
    ),
    "vine:roots:are_asked_for_when_a_name_is_not_found": Requirement(
        "The client is asked for its folders whenever a name is not found, in both eras of the protocol.",
        "reference vine W16",
    ),
    "vine:roots:foreign_ones_are_passed_over": Requirement(
        "Roots that are no folders of this machine are passed over one by one, in both eras.",
        "reference vine W16",
    ),
    "vine:roots:cwd_wins": Requirement(
        "A folder given by `--cwd` or `--project` is the only one; the client is not asked.",
        "reference vine 8.3",
    ),
    "vine:errors:parse_error": Requirement(
        "A parse error reads `Parse error (line <n>): <message>`, once, detail on the next line.",
        "seed vine:177; decisions 3: vine errors",
    ),
    "vine:errors:validation_error": Requirement(
        "A validation error reads `Validation error [<constraint>]: <message>`.", "seed vine:178"
    ),
    "vine:errors:other_graph_errors": Requirement(
        "Other graph errors show their message alone.", "seed vine:179"
    ),
    "vine:errors:missing_file": Requirement(
        "A missing file reads `File not found: <path>`.", "seed vine:180"
    ),
    "vine:errors:no_permission": Requirement(
        "A forbidden file reads `Permission denied: <path>`.", "seed vine:181"
    ),
    "vine:errors:are_tool_errors": Requirement("All errors are text with `isError: true`.", "seed vine:184"),
    "vine:errors:arguments_are_told_in_the_projects_words": Requirement(
        "Missing, unknown and ill-typed arguments of the vine tools are told as in all other tools.",
        "decisions 3: Missing or ill-typed argument",
    ),
    "vine:errors:all_violations_are_told": Requirement(
        "A validation error has details and a line, and names every further violation.",
        "reference vine 3 R, D2",
    ),
    "vine:errors:not_utf8": Requirement(
        "A file that is not UTF-8 is refused with the place of the first wrong byte.",
        "reference vine W9",
    ),
    # speckit (seed 001; reference rstn)
    "speckit:tools:four_exist": Requirement(
        "The tools `rstn_report_status`, `rstn_read_spec`, `rstn_get_context` and `rstn_complete_task` "
        "exist.",
        "seed speckit:7",
    ),
    "speckit:report_status:reports_to_the_control_plane": Requirement(
        "`rstn_report_status` reports the task's status to the control plane.", "seed speckit:21"
    ),
    "speckit:report_status:status_is_one_of_three": Requirement(
        "`status` is required and one of `needs_input`, `completed`, `error`.", "seed speckit:36"
    ),
    "speckit:report_status:prompt_is_for_needs_input": Requirement(
        "`prompt` is the optional question for `needs_input`.", "seed speckit:39"
    ),
    "speckit:report_status:message_is_for_error": Requirement(
        "`message` is the optional text for `error`.", "seed speckit:43"
    ),
    "speckit:report_status:answers_with_the_status": Requirement(
        "The answer is `Status '<status>' reported successfully`.", "seed speckit:92"
    ),
    "speckit:report_status:needs_input_asks_the_user": Requirement(
        "`needs_input` asks the user and keeps the work going.", "seed speckit:101"
    ),
    "speckit:report_status:needs_input_is_durable": Requirement(
        "The question is a durable record; the call waits a bounded time and then returns the question's id.",
        "decisions 3: `rstn_report_status needs_input`",
    ),
    "speckit:report_status:answer_is_returned": Requirement(
        "An answered question gives `User response: …`.",
        "decisions 3: `rstn_report_status needs_input`",
    ),
    "speckit:report_status:question_re_attaches": Requirement(
        "`question`, or the same prompt in the same session, re-attaches to an open question.",
        "decisions 3: `rstn_report_status needs_input`",
    ),
    "speckit:report_status:completed_marks_done": Requirement(
        "`completed` marks the work as done and updates the shown status.", "seed speckit:102"
    ),
    "speckit:report_status:error_is_shown": Requirement(
        "`error` marks the work as done and shows the error.", "seed speckit:103"
    ),
    "speckit:report_status:never_completes_a_run": Requirement(
        "A status is linked to the run of `CHANT_SPEC_ID` and never completes it.",
        "decisions 3: `rstn_report_status needs_input`",
    ),
    "speckit:read_spec:reads_an_artifact": Requirement(
        "`rstn_read_spec` reads a document of the current feature.", "seed speckit:110"
    ),
    "speckit:read_spec:artifact_is_one_of_five": Requirement(
        "`artifact` is required and one of `spec`, `plan`, `tasks`, `checklist`, `analysis`.",
        "seed speckit:122",
    ),
    "speckit:read_spec:spec_is_spec_md": Requirement("`spec` reads `spec.md`.", "seed speckit:140"),
    "speckit:read_spec:plan_is_plan_md": Requirement("`plan` reads `plan.md`.", "seed speckit:141"),
    "speckit:read_spec:tasks_is_tasks_md": Requirement("`tasks` reads `tasks.md`.", "seed speckit:142"),
    "speckit:read_spec:checklist_is_checklist_md": Requirement(
        "`checklist` reads `checklist.md`.", "seed speckit:143"
    ),
    "speckit:read_spec:analysis_is_analysis_md": Requirement(
        "`analysis` reads `analysis.md`.", "seed speckit:144"
    ),
    "speckit:read_spec:answers_with_the_text": Requirement(
        "The answer is the text of the document.", "seed speckit:169"
    ),
    "speckit:read_spec:not_found_is_an_error": Requirement(
        "A missing document gives `Artifact '<a>' not found. Feature context: <c>` with `isError`.",
        "seed speckit:183",
    ),
    "speckit:read_spec:no_feature_is_an_error": Requirement(
        "Outside a feature the call is an error.", "seed speckit:192"
    ),
    "speckit:read_spec:unknown_artifact_is_refused": Requirement(
        "An unknown artifact name is a validation error.", "seed speckit:194"
    ),
    "speckit:read_spec:changes_nothing": Requirement("`rstn_read_spec` only reads.", "seed speckit:436"),
    "speckit:get_context:takes_no_parameters": Requirement(
        "`rstn_get_context` takes no parameters.", "seed speckit:215"
    ),
    "speckit:get_context:answer_has_five_keys": Requirement(
        "The answer has `feature_number`, `feature_name`, `branch`, `phase` and `spec_dir`, as compact JSON.",
        "seed speckit:221; decisions 3: Tool result",
    ),
    "speckit:get_context:phase_is_one_of_four": Requirement(
        "`phase` is `specify`, `plan`, `tasks` or `implement`.", "seed speckit:236"
    ),
    "speckit:get_context:all_null_outside_a_feature": Requirement(
        "Outside a feature every field is null and the call is no error.", "seed speckit:262"
    ),
    "speckit:get_context:feature_order": Requirement(
        "The feature comes from `SPECIFY_FEATURE_DIRECTORY`, `.specify/feature.json`, the branch, then the "
        "folder.",
        "decisions 3: speckit feature",
    ),
    "speckit:get_context:conflict_warns": Requirement(
        "Disagreeing sources of the feature give a warning in the answer.",
        "decisions 3: speckit feature",
    ),
    "speckit:complete_task:task_id_is_required": Requirement(
        "`rstn_complete_task` requires `task_id`, such as `T001`.", "seed speckit:308"
    ),
    "speckit:complete_task:skip_validation_is_false": Requirement(
        "`skip_validation` is optional and false unless given.", "seed speckit:309"
    ),
    "speckit:complete_task:answers_with_the_id": Requirement(
        "The answer is `Task <id> marked for completion. Processing...` and the progress, such as `3/10 "
        "tasks complete`.",
        "seed speckit:335; decisions 3: `rstn_complete_task`",
    ),
    "speckit:complete_task:finds_the_task_by_id": Requirement(
        "The task is found by its ID in the feature's `tasks.md`.", "seed speckit:344"
    ),
    "speckit:complete_task:ticks_one_box": Requirement(
        "`- [ ] T001` becomes `- [x] T001`: one character changes.",
        "seed speckit:345; decisions 3: `rstn_complete_task`",
    ),
    "speckit:complete_task:is_saved_when_it_answers": Requirement(
        "`tasks.md` is saved when the answer is sent.",
        "seed speckit:346; decisions 3: `rstn_complete_task`",
    ),
    "speckit:complete_task:unknown_task": Requirement(
        "An unknown task gives `Task T999 not found`, with its ID.", "seed speckit:354"
    ),
    "speckit:complete_task:no_task_list": Requirement(
        "Without a task list the error is `No task list loaded`.", "seed speckit:355"
    ),
    "speckit:complete_task:no_feature": Requirement(
        "Outside a feature the error is `No feature context`.", "seed speckit:356"
    ),
    "speckit:complete_task:open_subtasks_refuse": Requirement(
        "Open subtasks and open `(depends on …)` tasks refuse unless validation is skipped.",
        "decisions 3: `rstn_complete_task` validation",
    ),
    "speckit:complete_task:phase_order_warns": Requirement(
        "Phase order and missing files only warn, unless configured strict.",
        "decisions 3: `rstn_complete_task` validation",
    ),
    "speckit:discovery:http_endpoint": Requirement(
        "A client can reach the server over HTTP with server-sent events, by default at port 19560.",
        "seed speckit:368",
    ),
    "speckit:discovery:client_file_is_written": Requirement(
        "The client's server list gets an entry for the server.",
        "seed speckit:373",
    ),
    "speckit:errors:missing_field": Requirement(
        "A missing field gives `Error: Missing 'status' field`, with its name.",
        "seed speckit:386",
    ),
    "speckit:errors:internal": Requirement(
        "An internal failure gives `Error: …` with `isError: true`.", "seed speckit:402"
    ),
    "speckit:tools:are_those_of_the_seed": Requirement(
        "Descriptions, parameters and their descriptions are those of the seed; ours come behind them.",
        "seed speckit:19",
    ),
    "speckit:tools:are_found_by_their_files": Requirement(
        "`.specify`, or a numbered directory in `specs`, makes a folder a spec-kit project.",
        "decisions 3: Default tools",
    ),
    "speckit:tools:read_only_drops_what_writes": Requirement(
        "A read-only server offers `rstn_read_spec` and `rstn_get_context` only.",
        "decisions 3: Default tools",
    ),
    "speckit:tools:instructions_mention_them": Requirement(
        "A model is told at the start what the tools are for, where there are features.",
        "house: instructions",
    ),
    "speckit:python:is_the_same_core": Requirement(
        "`SpeckitFeatures` gives scripts the answers of the tools.", "house: scripts"
    ),
    "speckit:get_context:same_from_everywhere": Requirement(
        "The answer is the same from every subfolder; each worktree has its own branch's feature.",
        "issue 8; reference rstn 6.2",
    ),
    "speckit:get_context:nested_projects": Requirement(
        "The nearest `.specify` decides in a repository of several projects.", "reference rstn 1.4"
    ),
    "speckit:get_context:feature_json_of_any_kind": Requirement(
        "`feature.json` may name an absolute path; broken, empty or leading outside it warns.",
        "reference rstn 5.6",
    ),
    "speckit:get_context:several_candidates_refuse": Requirement(
        "Several directories of one number are an error that names them.", "reference rstn 1.4"
    ),
    "speckit:get_context:phase_from_content": Requirement(
        "The phase comes from what the documents say: an untouched template says nothing.",
        "reference rstn 1.4",
    ),
    "speckit:get_context:branches_of_every_form": Requirement(
        "A branch is matched by its last part: name, else number.", "reference rstn 1.4"
    ),
    "speckit:read_spec:checklists_of_today": Requirement(
        "`checklist` reads `checklists/*.md` where there is no `checklist.md`.", "reference rstn 5.3"
    ),
    "speckit:read_spec:pages": Requirement(
        "A long document comes in pieces that say how to get the next one.", "decisions 3: Tool result"
    ),
    "speckit:read_spec:bytes_that_are_no_text": Requirement(
        "Bytes that are no UTF-8 are shown as replacement characters.", "reference rstn 2.2"
    ),
    "speckit:read_spec:stays_inside_the_feature": Requirement(
        "A link that leads out of the project is not read.", "reference rstn 6.3"
    ),
    "speckit:tasks:any_bullet_box_and_id": Requirement(
        "Tasks are read with any bullet, box, indentation and wrapping of their ID; a line with another sign "
        "in its box is none, and a problem.",
        "reference rstn 2.6",
    ),
    "speckit:tasks:false_ones_are_none": Requirement(
        "Boxes without an ID, and IDs without a number, are no tasks.", "reference rstn 2.5"
    ),
    "speckit:tasks:fences_and_comments_are_ignored": Requirement(
        "Fenced code and comments hold no tasks.", "reference rstn 2.6"
    ),
    "speckit:tasks:markers_and_paths": Requirement(
        "Brackets behind the ID are markers; files are what looks like a path.", "reference rstn 2.6"
    ),
    "speckit:tasks:parts_criteria_and_continuations": Requirement(
        "Deeper tasks are parts, boxes without an ID criteria, deeper lines go on with the description.",
        "reference rstn 2.6",
    ),
    "speckit:tasks:phases_and_groups": Requirement(
        "Headings are phases and groups, with number, story, priority and checkpoint.", "reference rstn 2.6"
    ),
    "speckit:tasks:dependencies_are_named": Requirement(
        "`(depends on T012, T013)` names dependencies, ranges too; so do `**Depends on**: T012` "
        "and its like.",
        "reference rstn 2.6",
    ),
    "speckit:tasks:progress_leaves_out_skipped": Requirement(
        "Skipped tasks and criteria do not count.", "reference rstn 2.6"
    ),
    "speckit:next:parallel_tasks_at_once": Requirement(
        "Tasks marked `[P]` can be done at once, the others in turn.", "issue 8; reference rstn 6.3"
    ),
    "speckit:next:stories_after_the_phases_before": Requirement(
        "Stories wait for the phases before them, not for one another; other phases for all before.",
        "reference rstn 5.5",
    ),
    "speckit:next:parts_come_first": Requirement(
        "The parts of a task come before it, and wait their turn with it.", "reference rstn 2.6"
    ),
    "speckit:next:says_what_is_waited_for": Requirement(
        "What cannot be done yet says what it waits for.", "reference rstn 6.3"
    ),
    "speckit:next:keys_of_a_workspace": Requirement(
        "Tasks carry the keys of a workspace, such as `speckit:060-name#T001`.", "decisions 2"
    ),
    "speckit:complete_task:follows_the_files_ticks": Requirement(
        "The tick is the `x` or `X` that most of the file's ticks are.", "reference rstn 2.6"
    ),
    "speckit:complete_task:event_is_recorded": Requirement(
        "Completing is recorded with session, agent, feature and time.", "issue 8"
    ),
    "speckit:complete_task:duplicates_are_refused": Requirement(
        "An ID that stands twice is refused with its lines.", "reference rstn 2.4"
    ),
    "speckit:complete_task:checks_have_to_pass": Requirement(
        "Configured checks have to pass before a box is ticked, unless validation is skipped.",
        "reference rstn 6.4",
    ),
    "speckit:complete_task:evidence_is_recorded": Requirement(
        "How checks ended is recorded, secrets masked.", "reference rstn 6.3"
    ),
    "speckit:complete_task:checks_are_limited": Requirement(
        "A check that takes too long, or cannot be run, has not passed.", "reference rstn 6.3"
    ),
    "speckit:complete_task:concurrent_ones_lose_nothing": Requirement(
        "Tasks completed at once, by threads or processes, are all ticked.", "issue 8; reference rstn 6.4"
    ),
    "speckit:complete_task:hundreds_without_a_board": Requirement(
        "Hundreds of completions in a row hang nowhere, and whoever looks later sees them.",
        "reference rstn 6.4",
    ),
    "speckit:report_status:answers_stay_out_of_logs": Requirement(
        "An answer is in the question's record and in no log.", "issue 8"
    ),
    "speckit:refusals:say_what_to_do": Requirement(
        "A question that is closed, cancelled or unknown and a configuration that cannot be read are refused "
        "with one safe next step.",
        "issue: Spec-kit features: Questions",
    ),
    "speckit:report_status:a_written_record_is_no_failure": Requirement(
        "A question or an answer that was written counts; an event that could not be recorded is a warning.",
        "decisions 3: `rstn_report_status`",
    ),
    "speckit:report_status:cancelled_is_an_error": Requirement(
        "A cancelled question gives `Input request was cancelled` with `isError`.", "reference rstn 2.1"
    ),
    "speckit:report_status:a_form_without_text_is_no_answer": Requirement(
        "A form that comes back without a text, or ill-formed, leaves the question open.", "house: consent"
    ),
    "speckit:report_status:questions_expire": Requirement(
        "A question that nobody answers expires, after a week unless configured.", "issue 8"
    ),
    "speckit:report_status:an_answer_wakes_the_call": Requirement(
        "An answer wakes the call that waits for it.", "issue 8"
    ),
    "speckit:report_status:a_call_that_ends_leaves_the_question": Requirement(
        "A call that the client cancels leaves its question open, and the answer unheard.", "issue 8"
    ),
    "speckit:report_status:questions_are_bounded": Requirement(
        "No more than a hundred questions wait at once.", "house: bounds"
    ),
    "speckit:report_status:client_asks_its_user": Requirement(
        "A client that can ask its user does, in both eras of the protocol.",
        "decisions 3: `rstn_report_status needs_input`",
    ),
    "speckit:report_status:first_answer_counts": Requirement(
        "Whoever answers first is heard; the client's form is given up then.", "issue 8"
    ),
    "speckit:report_status:several_wait_at_once": Requirement(
        "Several questions wait at once, listed the oldest first.", "issue 8"
    ),
    "speckit:report_status:a_restart_loses_none": Requirement(
        "Questions survive the end of the server.", "issue 8"
    ),
    "speckit:report_status:others_need_not_wait": Requirement(
        "A call that waits for a person holds up no other.", "house: order of calls"
    ),
    "speckit:events:survive_torn_lines": Requirement(
        "An event after a line that a crash tore stands on its own.", "house: durability"
    ),
    # tickets: tools and projects (seed tickets 17-73)
    "tickets:tools:parameters_are_the_seeds": Requirement(
        "The ten tools take the parameters of the seed, with `project` optional.",
        "seed tickets:15; reference tickets 10: `project`",
    ),
    "tickets:tools:work_with_seeds_arguments": Requirement(
        "Every tool is served with the arguments of the seed.", "seed tickets:15; decisions 1"
    ),
    "tickets:arguments:wrong_types_are_told": Requirement(
        "An argument of a wrong type is refused with its name, what was expected and what came.",
        "decisions 3: Missing or ill-typed argument",
    ),
    "tickets:arguments:unknown_ones_are_told": Requirement(
        "Unknown and missing arguments are refused, all at once, unknown ones with the nearest known name.",
        "decisions 3: Missing or ill-typed argument",
    ),
    "tickets:answers:text_is_the_structured_part": Requirement(
        "An answer that is data is the same JSON as text and as structured content, in the seed's order of "
        "keys.",
        "decisions 3: Tool result",
    ),
    "tickets:answers:are_as_of_the_call": Requirement(
        "Every answer is as of the call, whoever changed the files before it.",
        "decisions 2; reference tickets 8.2: B3; reference tickets 7.3",
    ),
    "tickets:answers:read_only_what_changed": Requirement(
        "A repeated call reads only the files that changed.", "decisions 2; reference tickets 8.2: B24"
    ),
    "tickets:list_projects:takes_no_parameters": Requirement(
        "`list_projects` takes no parameters.", "seed tickets:20"
    ),
    "tickets:list_projects:answer_has_projects": Requirement(
        "Each project has `id`, `project` (`name`, `code`, `path`, `active`, `description`) and `metadata`.",
        "seed tickets:25",
    ),
    "tickets:list_projects:metadata": Requirement(
        "`metadata` has `dateRegistered`, `lastAccessed` and `version`.", "seed tickets:35"
    ),
    "tickets:get_project_info:key_is_required": Requirement(
        "`get_project_info` requires `key`, the project's key.", "seed tickets:49"
    ),
    "tickets:get_project_info:answer_has_project_and_stats": Requirement(
        "The answer has the project and `stats` with `totalCRs` and `byStatus`.", "seed tickets:54"
    ),
    "tickets:get_project_info:says_where_it_lies": Requirement(
        "The project is told with its root, first number, counter file and repository besides.",
        "reference tickets 3.4",
    ),
    "tickets:project:left_out_where_derivable": Requirement(
        "`project` may be left out where the key, the folder of the server, the filter or being the only "
        "one says it; else the codes are listed.",
        "reference tickets 10: `project`; reference tickets 8.3: MDT-121",
    ),
    "tickets:project:named_by_code_or_id": Requirement(
        "A project is named by its code in any case of letters, however long, or by its ID.",
        "reference tickets 1.6",
    ),
    "tickets:projects:nearest_is_meant": Requirement(
        "The nearest project around the folder of the server is meant, not an outer one.",
        "reference tickets 8.3: MDT-147",
    ),
    "tickets:projects:shared_codes_are_told": Requirement(
        "Of two projects of one code one is used and the other told with both paths.",
        "reference tickets 8.3: MDT-123",
    ),
    "tickets:projects:folder_without_configuration": Requirement(
        "A folder of tickets without configuration is a project of the code of its files.",
        "decisions 3: Which project; issue",
    ),
    "tickets:projects:changes_are_seen_at_the_next_call": Requirement(
        "A project made, renamed or removed after the start is seen so at the next call.",
        "reference tickets 7.2; issue",
    ),
    # tickets: list_crs (seed tickets 75-117)
    "tickets:list_crs:project_is_required": Requirement(
        "`list_crs` requires `project` where nothing else says which is meant.",
        "seed tickets:79; reference tickets 10: `project`",
    ),
    "tickets:list_crs:filters_by_status": Requirement(
        "`filters.status` takes a status or a list of them.", "seed tickets:81"
    ),
    "tickets:list_crs:filters_by_type": Requirement(
        "`filters.type` takes a type or a list of them.", "seed tickets:82"
    ),
    "tickets:list_crs:filters_by_priority": Requirement(
        "`filters.priority` takes a priority or a list of them.", "seed tickets:83"
    ),
    "tickets:list_crs:filters_match_whole_words": Requirement(
        "Filters match whole values in any case of letters, also such that only files have.",
        "reference tickets 10: Filters",
    ),
    "tickets:list_crs:unknown_values_are_refused": Requirement(
        "A filter or value that there is not is refused with those there are.",
        "reference tickets 10: Filters",
    ),
    "tickets:list_crs:ticket_has_nine_keys": Requirement(
        "A ticket has `code`, `title`, `status`, `type`, `priority`, `dateCreated`, `lastModified`, "
        "`assignee` and `phaseEpic`.",
        "seed tickets:102",
    ),
    "tickets:list_crs:totals": Requirement(
        "`total` counts the tickets of the project, `filtered` those that match.",
        "seed tickets:113; reference tickets 10: `total` / `filtered`",
    ),
    "tickets:list_crs:newest_first": Requirement(
        "Tickets are listed by number, the highest first.", "reference tickets 3.5"
    ),
    "tickets:list_crs:pages": Requirement(
        "`limit` and `offset` page through the tickets; `returned` and `next_offset` say how to get the "
        "rest.",
        "decisions 3: Size of a result; issue",
    ),
    "tickets:list_crs:fields": Requirement("`fields` chooses the keys of each ticket.", "issue"),
    "tickets:list_crs:default_is_under_10_kb": Requirement(
        "The default list of 1,000 tickets is under 10 KB; long values are cut and say so.",
        "decisions 3: Size of a result; issue",
    ),
    "tickets:list_crs:problems_are_told": Requirement(
        "Files that cannot be read are told beside the tickets and hide none.",
        "reference tickets 8.3: MDT-209; decisions 3: Unreadable files",
    ),
    # tickets: get_cr (seed tickets 119-176)
    "tickets:get_cr:project_and_key_are_required": Requirement(
        "`get_cr` requires `key`, and `project` where nothing else says which is meant.",
        "seed tickets:122; reference tickets 10: `project`",
    ),
    "tickets:get_cr:mode_is_full": Requirement("`mode` is `full` unless given.", "seed tickets:124"),
    "tickets:get_cr:full_is_plain_markdown": Requirement(
        "`full` answers with the markdown alone.", "seed tickets:125"
    ),
    "tickets:get_cr:full_is_byte_for_byte": Requirement(
        "`full` is the body byte for byte.", "reference tickets 10: `full` mode; reference tickets 8.2: B5"
    ),
    "tickets:get_cr:pieces_make_up_the_whole": Requirement(
        "`offset` and `max_chars` give pieces of a long body that make up the whole.",
        "decisions 3: Size of a result",
    ),
    "tickets:get_cr:attributes_is_the_front_matter": Requirement(
        "`attributes` answers with the attributes, `dependsOn`, `blocks` and `relatedTickets` as lists.",
        "seed tickets:126; reference tickets 2.3",
    ),
    "tickets:get_cr:metadata_has_the_path": Requirement(
        "`metadata` answers with the basic keys and `filePath`.", "seed tickets:127"
    ),
    "tickets:get_cr:light_modes_are_light": Requirement(
        "The light modes cost a tenth of a usual ticket or less.", "seed tickets:176"
    ),
    "tickets:keys:may_be_integers": Requirement(
        "Ticket keys may be given as integers.", "decisions 3: Missing or ill-typed argument"
    ),
    "tickets:keys:spellings": Requirement(
        "`DEM-1`, `dem-001`, `1` and `001` mean `DEM-001`.", "reference tickets 10: Keys"
    ),
    "tickets:keys:are_never_parts_of_others": Requirement(
        "A key means the ticket of exactly that code, never one that contains it.",
        "reference tickets 10: Keys; reference tickets 8.2: B7",
    ),
    "tickets:keys:codes_of_files": Requirement(
        "A ticket's code is what its front matter says, padded or not, else what its file's name begins "
        "with.",
        "reference tickets 2.9",
    ),
    "tickets:duplicates:reads_agree": Requirement(
        "Of two files of one code, and of two lines of one key, all tools show the same.",
        "reference tickets 8.2: B18; reference tickets 2.8",
    ),
    # tickets: create_cr (seed tickets 180-228)
    "tickets:create_cr:project_type_data_are_required": Requirement(
        "`create_cr` requires `type` and `data`, and `project` where nothing else says which is meant.",
        "seed tickets:186; reference tickets 10: `project`",
    ),
    "tickets:create_cr:title_is_required": Requirement("`data.title` is required.", "seed tickets:189"),
    "tickets:create_cr:priority_is_medium": Requirement(
        "`data.priority` is `Medium` unless given.", "seed tickets:190"
    ),
    "tickets:create_cr:optional_data": Requirement(
        "`data` takes `phaseEpic`, `assignee`, `relatedTickets`, `dependsOn` and `blocks`.",
        "seed tickets:191",
    ),
    "tickets:create_cr:lists_are_comma_separated": Requirement(
        "`relatedTickets`, `dependsOn` and `blocks` are comma-separated.", "seed tickets:193"
    ),
    "tickets:create_cr:content_overrides_the_template": Requirement(
        "`data.content` replaces the template.", "seed tickets:196"
    ),
    "tickets:create_cr:content_is_kept": Requirement(
        "Content is stored as given, code and backslashes included; front matter in it is refused.",
        "reference tickets 8.2: B5; reference tickets 3.7",
    ),
    "tickets:create_cr:uses_a_template": Requirement(
        "A new ticket is made from its type's template.", "seed tickets:183"
    ),
    "tickets:create_cr:answer_has_the_ticket": Requirement(
        "The answer has `cr` with its new `code`, status `Proposed`, dates and `filePath`.",
        "seed tickets:216",
    ),
    "tickets:create_cr:success_is_true": Requirement(
        "A ticket that is reported as created is on disk and can be read; one that is refused is not.",
        "reference tickets 8.2: B10; reference tickets 8.3: MDT-011",
    ),
    "tickets:create_cr:slug_of_any_script": Requirement(
        "The file's name has the words of the title in ASCII, whatever script it is in.",
        "reference tickets 8.2: B23; reference tickets 2.1",
    ),
    "tickets:create_cr:stays_in_the_project": Requirement(
        "Nothing is read or written outside of the project, whatever titles, paths and links say.",
        "reference tickets 8.2: B9; decisions 4",
    ),
    "tickets:numbers:above_all_that_ever_were": Requirement(
        "A new number is above those of all names, codes and the counter, and not below `startNumber`.",
        "reference tickets 10: Numbering; reference tickets 2.7",
    ),
    "tickets:numbers:never_again_after_delete": Requirement(
        "The number of a deleted ticket does not come again.",
        "reference tickets 8.2: B17; reference tickets 10: Numbering",
    ),
    "tickets:numbers:counter_is_kept": Requirement(
        "The project's own counter file is kept up; one that holds no number is left alone and told.",
        "reference tickets 10: Numbering; reference tickets 8.3: MDT-071",
    ),
    "tickets:templates:six_types": Requirement(
        "There is a template for each of the five types of the seed and for `Research`, with numbered "
        "sections.",
        "reference tickets 10: Templates",
    ),
    # tickets: attributes, status, delete (seed tickets 230-290)
    "tickets:update_cr_attrs:parameters_are_required": Requirement(
        "`update_cr_attrs` requires `key` and `attributes`, and `project` where nothing else says which is "
        "meant.",
        "seed tickets:235; reference tickets 10: `project`",
    ),
    "tickets:update_cr_attrs:changes_attributes": Requirement(
        "`title`, `priority`, `phaseEpic`, `assignee`, `relatedTickets`, `dependsOn` and `blocks` can be "
        "changed.",
        "seed tickets:238",
    ),
    "tickets:update_cr_attrs:answer_has_what_changed": Requirement(
        "The answer has `cr` and `changed` with each value before and after.",
        "reference tickets 10: Result; reference tickets 8.2: B16",
    ),
    "tickets:update_cr_attrs:empty_takes_out": Requirement(
        "An empty text or list takes an attribute out, `null` leaves it.", "reference tickets 3.8"
    ),
    "tickets:update_cr_attrs:what_is_so_already_is_not_written": Requirement(
        "Values that are so already are not written, and not reported as changed.",
        "reference tickets 8.2: B16; reference tickets 3.8",
    ),
    "tickets:update_cr_attrs:excludes_status": Requirement(
        "The status cannot be changed through `update_cr_attrs`.", "seed tickets:232"
    ),
    "tickets:attributes:are_checked": Requirement(
        "Priorities, dates and relations are checked when they are given.",
        "reference tickets 8.2: B15; reference tickets 8.2: B26",
    ),
    "tickets:attributes:unknown_ones_are_refused": Requirement(
        "Unknown attributes are refused with those there are.", "reference tickets 8.3: MDT-050"
    ),
    "tickets:attributes:cannot_inject": Requirement(
        "No value becomes a key or a line of its own; those with line breaks are refused.",
        "reference tickets 8.2: B8; reference tickets 10: Frontmatter",
    ),
    "tickets:attributes:lists_in_every_spelling": Requirement(
        "Relations are given and read as text with commas, lists and numbers.",
        "reference tickets 10: Frontmatter; reference tickets 8.2: B14",
    ),
    "tickets:attributes:lists_stay_as_they_were": Requirement(
        "A YAML list stays one when it is changed; other relations are stored as text with commas.",
        "reference tickets 10: Frontmatter",
    ),
    "tickets:relations:are_checked": Requirement(
        "A ticket cannot name itself or close a loop; relations that lead nowhere are warned about.",
        "reference tickets 8.2: B26; reference tickets 8.3: MDT-188",
    ),
    "tickets:relations:other_dialects": Requirement(
        "A relation may name an item of another dialect by its key.", "decisions 2"
    ),
    "tickets:titles:first_heading_outside_code": Requirement(
        "The title is the first H1 outside of code, else the front matter's, else the file name's words.",
        "reference tickets 10: Title; reference tickets 8.2: B5",
    ),
    "tickets:titles:change_in_every_place": Requirement(
        "A title changes in every place that holds it; the file keeps its name.",
        "reference tickets 10: Title; reference tickets 8.3: MDT-064",
    ),
    "tickets:dates:create_writes_both": Requirement(
        "`create_cr` writes both dates.", "reference tickets 10: Dates"
    ),
    "tickets:dates:every_write_is_dated": Requirement(
        "Every change sets `lastModified` and no other text; a call that changes nothing does not.",
        "reference tickets 10: Dates; reference tickets 8.2: B16; reference tickets 8.3: MDT-146",
    ),
    "tickets:dates:absent_ones_are_the_files": Requirement(
        "For dates that a file does not say those of the file stand in.", "reference tickets 2.2"
    ),
    "tickets:update_cr_status:parameters_are_required": Requirement(
        "`update_cr_status` requires `key` and a status, and `project` where nothing else says which is "
        "meant.",
        "seed tickets:263; reference tickets 10: `project`",
    ),
    "tickets:update_cr_status:workflow_is_checked": Requirement(
        "A status change that the workflow does not allow is refused.", "seed tickets:260"
    ),
    "tickets:update_cr_status:the_transitions": Requirement(
        "The workflow has the documented transitions, and `Partially Implemented` from `In Progress`.",
        "reference tickets 10: Status; reference tickets 3.9",
    ),
    "tickets:update_cr_status:same_is_no_change": Requirement(
        "The status that a ticket has already is accepted and changes nothing.",
        "reference tickets 10: Status",
    ),
    "tickets:update_cr_status:unknown_may_become_any": Requirement(
        "From a status that is not documented a ticket may go to any.",
        "reference tickets 10: Status; reference tickets 8.3: MDT-148",
    ),
    "tickets:delete_cr:parameters_are_required": Requirement(
        "`delete_cr` requires `key`, and `project` where nothing else says which is meant.",
        "seed tickets:280; reference tickets 10: `project`",
    ),
    "tickets:delete_cr:answers_with_message_and_file": Requirement(
        "The answer has `message` (`CR <key> deleted successfully`) and `deletedFile`.", "seed tickets:286"
    ),
    "tickets:delete_cr:tells_what_is_left": Requirement(
        "Tickets that name the deleted one and a folder of its name are told.", "reference tickets 10: Delete"
    ),
    # tickets: sections (seed tickets 294-383)
    "tickets:sections:parameters_are_required": Requirement(
        "`manage_cr_sections` requires `key` and `operation`, and what the operation needs.",
        "seed tickets:299; reference tickets 10: `project`",
    ),
    "tickets:sections:operation_is_one_of_three": Requirement(
        "`operation` is `list`, `get` or `update`.", "seed tickets:301"
    ),
    "tickets:sections:section_by_name": Requirement(
        "A section is found by its simple name.", "seed tickets:306"
    ),
    "tickets:sections:section_by_header": Requirement(
        "A section is found by its markdown header.", "seed tickets:307"
    ),
    "tickets:sections:section_by_path": Requirement(
        "A duplicate section is found by its hierarchical path, whole or its end.",
        "seed tickets:308; reference tickets 10: Sections",
    ),
    "tickets:sections:update_mode_is_one_of_three": Requirement(
        "`update` requires `content` and `updateMode`: `replace`, `append` or `prepend`.", "seed tickets:309"
    ),
    "tickets:sections:both_spellings_mean_the_same": Requirement(
        "A mode may be given as the operation itself and means the same.",
        "reference tickets 8.2: B6; reference tickets 10: Section writes",
    ),
    "tickets:sections:list_shows_the_tree": Requirement(
        "`list` shows the tree of sections with their lengths.", "seed tickets:321"
    ),
    "tickets:sections:get_shows_the_content": Requirement(
        "`get` shows a section's content and length.", "seed tickets:344"
    ),
    "tickets:sections:update_says_what_it_did": Requirement(
        "`update` says section, operation, length, title, time and file.", "seed tickets:372"
    ),
    "tickets:sections:structured_part_is_complete": Requirement(
        "The structured part of `manage_cr_sections` holds the whole content.", "decisions 3: Tool result"
    ),
    "tickets:sections:in_the_order_of_the_document": Requirement(
        "Sections are listed in the order of the document.",
        "reference tickets 10: Sections; reference tickets 4.4",
    ),
    "tickets:sections:headers_in_code_are_text": Requirement(
        "Lines in code fences and comments are no headers.",
        "reference tickets 8.2: B5; reference tickets 8.3: MDT-081",
    ),
    "tickets:sections:headers_are_those_of_markdown": Requirement(
        "Headers are those of CommonMark: closed, underlined, indented a little, with blanks behind.",
        "reference tickets 4.1; reference tickets 10: Sections",
    ),
    "tickets:sections:exact_names_win": Requirement(
        "A name that is a header's own goes before headers that only contain it; one of several is "
        "ambiguous.",
        "reference tickets 8.2: B11; reference tickets 10: Sections",
    ),
    "tickets:sections:choices_work_everywhere": Requirement(
        "Every name that a list or a refusal prints means one section, word for word, in every operation.",
        "reference tickets 8.2: B11; reference tickets 8.3: MDT-114",
    ),
    "tickets:sections:text_goes_where_it_belongs": Requirement(
        "`replace` takes the place of all below the header, `append` comes behind it, `prepend` directly "
        "below.",
        "seed tickets:309; reference tickets 4.6",
    ),
    "tickets:sections:nothing_outside_changes": Requirement(
        "Nothing outside of the section changes.", "reference tickets 4.6"
    ),
    "tickets:sections:blank_lines_and_final_newline": Requirement(
        "One blank line stands around headers, and the end of the file stays as it was.",
        "reference tickets 8.2: B12; reference tickets 10: Section writes",
    ),
    "tickets:sections:leading_header_names_the_section": Requirement(
        "A header that content begins with is left out when it is the section's own, and else renames it "
        "when replacing.",
        "reference tickets 10: Section writes; reference tickets 8.3: MDT-066",
    ),
    "tickets:sections:later_headers_are_content": Requirement(
        "Headers further on in content are content, and cost no character of it.", "reference tickets 8.2: B4"
    ),
    "tickets:sections:content_is_kept": Requirement(
        "Content is stored as given, backslashes and `$&` included.",
        "reference tickets 3.7; reference tickets 4.6",
    ),
    "tickets:sections:replace_tells_what_went": Requirement(
        "`replace` names the sub-sections that it removed.", "reference tickets 10: Section writes"
    ),
    "tickets:sections:open_fences_are_refused": Requirement(
        "Content that leaves a fence or comment open before another section is refused.",
        "reference tickets 8.3: MDT-075",
    ),
    "tickets:sections:pieces_make_up_the_whole": Requirement(
        "Long sections and long lists come in pieces that make up the whole.", "decisions 3: Size of a result"
    ),
    # tickets: suggest_cr_improvements (seed tickets 387-425)
    "tickets:suggest:parameters_are_required": Requirement(
        "`suggest_cr_improvements` requires `key`, and `project` where nothing else says which is meant.",
        "seed tickets:393; reference tickets 10: `project`",
    ),
    "tickets:suggest:suggestion_has_four_keys": Requirement(
        "A suggestion has `category`, `priority`, `suggestion` and `reason`.", "seed tickets:401"
    ),
    "tickets:suggest:answer_has_score_strengths_weaknesses": Requirement(
        "The answer has `suggestions`, `overallScore`, `strengths` and `weaknesses`.", "seed tickets:413"
    ),
    "tickets:suggest:is_deterministic": Requirement(
        "The same ticket gets the same advice each time.", "reference tickets 10: Advisor"
    ),
    "tickets:suggest:score_is_explained": Requirement(
        "The score is the sum of parts that say what each loss comes from.", "reference tickets 10: Advisor"
    ),
    "tickets:suggest:a_good_ticket_has_ten": Requirement(
        "A ticket without a flaw has 10 and no suggestion; each flaw costs something.",
        "reference tickets 10: Advisor; reference tickets 8.2: B22",
    ),
    "tickets:suggest:any_case_of_letters": Requirement(
        "Sections are known by their headers in any case of letters, not by words in text or code.",
        "reference tickets 8.2: B22",
    ),
    "tickets:suggest:relations_are_looked_up": Requirement(
        "Relations are looked up, also in other projects.", "reference tickets 10: Advisor"
    ),
    "tickets:suggest:names_tools_and_tickets_that_are_there": Requirement(
        "Advice names only tools and sections that there are.", "reference tickets 8.2: B22"
    ),
    # tickets: errors (seed tickets 427-483)
    "tickets:errors:object_has_three_keys": Requirement(
        "An error is `{error, code, details}` as text and structured content with `isError`.",
        "seed tickets:432; decisions 3: tickets errors; reference tickets 8.2: B25",
    ),
    "tickets:errors:project_not_found": Requirement(
        "`PROJECT_NOT_FOUND` names the project and the available ones.", "seed tickets:453"
    ),
    "tickets:errors:cr_not_found": Requirement(
        "`CR_NOT_FOUND` names the ticket and the available ones.",
        "seed tickets:444; reference tickets 10: Errors",
    ),
    "tickets:errors:validation_error": Requirement(
        "`VALIDATION_ERROR` names each bad field with its text.", "seed tickets:465"
    ),
    "tickets:errors:file_system_error": Requirement(
        "`FILE_SYSTEM_ERROR` is the code for a failed file operation, with its reason.", "seed tickets:446"
    ),
    "tickets:errors:template_error": Requirement(
        "`TEMPLATE_ERROR` is the code for a broken template.",
        "seed tickets:447; decisions 3: Ticket workflow, titles, dates, sections",
    ),
    "tickets:errors:section_not_found": Requirement(
        "`SECTION_NOT_FOUND` names the section and the available ones.", "seed tickets:477"
    ),
    "tickets:errors:duplicate_cr": Requirement(
        "`DUPLICATE_CR` refuses edits when two files have one code; reads list both paths.",
        "seed tickets:449; decisions 3: Ticket workflow, titles, dates, sections",
    ),
    "tickets:errors:invalid_transition": Requirement(
        "`INVALID_TRANSITION` has `from`, `to` and what is `allowed`.", "reference tickets 10: Errors"
    ),
    "tickets:errors:ambiguous_section": Requirement(
        "`AMBIGUOUS_SECTION` lists all sections that match, each by a name of its own.",
        "reference tickets 10: Errors",
    ),
    "tickets:errors:conflict": Requirement(
        "`CONFLICT` is the code for a file that somebody else keeps changing.", "reference tickets 10: Errors"
    ),
    "tickets:errors:choices_work": Requirement(
        "Every choice that an error lists works word for word in every operation.",
        "reference tickets 10: Errors; reference tickets 8.3: MDT-025",
    ),
    "tickets:errors:choices_are_limited": Requirement(
        "An error stays short: choices are cut at 50 and counted, giant values are cut.",
        "decisions 3: Size of a result",
    ),
    # tickets: files (reference tickets 2)
    "tickets:files:only_what_is_meant_changes": Requirement(
        "An edit changes the lines it means and no other byte.",
        "reference tickets 10: Frontmatter; reference tickets 2.10; decisions 1",
    ),
    "tickets:files:bom_crlf_and_blanks": Requirement(
        "Files with a byte order mark, CRLF or blanks behind `---` are read and edited like others.",
        "reference tickets 8.2: B13; reference tickets 2.9",
    ),
    "tickets:files:keep_their_rights": Requirement(
        "An edited file keeps its rights and its name.", "decisions 1"
    ),
    "tickets:links:stay_links": Requirement(
        "A link inside the project is followed, its target edited, and stays a link.", "decisions 2"
    ),
    "tickets:front_matter:is_yaml": Requirement(
        "Quotes, comments, lists and block scalars are read as YAML and survive edits.",
        "reference tickets 8.2: B14; reference tickets 8.3: MDT-192",
    ),
    "tickets:front_matter:as_people_write_it": Requirement(
        "Front matter is read in all the ways in which people write it.", "reference tickets 2.9"
    ),
    "tickets:front_matter:absent_is_made": Requirement(
        "A file without front matter is a ticket by its name and gets some when it is changed.",
        "reference tickets 2.9; issue",
    ),
    "tickets:front_matter:other_keys_are_shown": Requirement(
        "Other keys of the file are shown with their values.", "reference tickets 3.6"
    ),
    "tickets:front_matter:unknown_words_are_kept": Requirement(
        "Words that are not documented are shown as the file has them.", "reference tickets 2.6"
    ),
    "tickets:front_matter:values_are_quoted_where_needed": Requirement(
        "What YAML would read otherwise is quoted when it is written.", "reference tickets 10: Frontmatter"
    ),
    "tickets:front_matter:unclear_ones_are_not_edited": Requirement(
        "Front matter that cannot be edited without risk is left alone, and that is told.",
        "decisions 1; issue",
    ),
    # tickets: configuration and concurrency (seed tickets 487-516)
    "tickets:config:global_file": Requirement(
        "Settings come from `~/.config/markdown-ticket/mcp-server.toml`, then from `config.toml`.",
        "seed tickets:492; reference tickets 10: Config",
    ),
    "tickets:config:config_home": Requirement(
        "`XDG_CONFIG_HOME` and `CONFIG_DIR` say where the configuration lies.", "reference tickets 1.1"
    ),
    "tickets:config:project_filter": Requirement(
        "`MCP_PROJECT_FILTER` limits the server to one project code.", "seed tickets:498"
    ),
    "tickets:config:scan_paths": Requirement("`MCP_SCAN_PATHS` lists the paths to scan.", "seed tickets:499"),
    "tickets:config:config_path": Requirement(
        "`MCP_CONFIG_PATH` names another configuration file.", "seed tickets:500"
    ),
    "tickets:config:log_level": Requirement("`MCP_LOG_LEVEL` sets the logging level.", "seed tickets:501"),
    "tickets:config:scan_settings_are_honoured": Requirement(
        "`scanPaths`, `searchPaths`, `~`, depth and exclusions are honoured.",
        "reference tickets 8.2: B21; reference tickets 10: Config; reference tickets 8.3: MDT-100",
    ),
    "tickets:config:is_never_written": Requirement(
        "No file of a user's configuration or of a project's is ever written.",
        "reference tickets 8.2: B20; reference tickets 10: Config; reference tickets 1.7",
    ),
    "tickets:config:templates": Requirement(
        "Templates come from `<project>/.mdt-templates/`, then from the user's configuration folder.",
        "seed tickets:493; decisions 3: Ticket workflow, titles, dates, sections",
    ),
    "tickets:registry:every_form": Requirement(
        "Records of the registry are read in every form there is; those that lead nowhere are told.",
        "reference tickets 1.3",
    ),
    "tickets:registry:global_only": Requirement(
        "A project that only the registry defines is listed, read and written like others.",
        "reference tickets 8.2: B19",
    ),
    "tickets:concurrency:edits_of_one_ticket_are_queued": Requirement(
        "Edits of one project wait for each other, with one write lock and no rate limit.",
        "seed tickets:512; decisions 3: Ticket workflow, titles, dates, sections",
    ),
    "tickets:concurrency:creates_get_numbers_of_their_own": Requirement(
        "Creates at the same time get numbers and files of their own.",
        "reference tickets 8.2: B1; reference tickets 10: Numbering",
    ),
    "tickets:concurrency:no_change_is_lost": Requirement(
        "Changes of one ticket at the same time all arrive, from whichever server.",
        "reference tickets 8.2: B2; reference tickets 8.2: B3",
    ),
    "tickets:concurrency:decides_on_what_is_true_then": Requirement(
        "A change is decided on what is on disk when it is made.", "reference tickets 10: Writes"
    ),
    "tickets:concurrency:crash_leaves_old_or_new": Requirement(
        "A crash at any moment leaves the old file or the new one, and hinders nobody.",
        "decisions 1; reference tickets 10: Writes",
    ),
    # HTTP (issue 8; seed speckit, tool discovery)
    "http:transports:all_tools_on_all_of_them": Requirement(
        "Streamable HTTP at `/mcp` and the SSE transport at `/` and `/sse` serve all tools.",
        "issue 8: HTTP; seed speckit:368",
    ),
    "http:arguments:same_results_as_on_stdio": Requirement(
        "Missing and ill-typed arguments are the same tool results as on standard input and output.",
        "decisions 3: Missing or ill-typed argument",
    ),
    "http:revisions:all_of_them": Requirement(
        "Every revision from 2024-11-05 to 2025-11-25 is spoken by handshake, 2026-07-28 by "
        "envelope; DELETE ends a session.",
        "decisions 3: Protocol revisions",
    ),
    "http:sessions:missed_events_are_sent_again": Requirement(
        "A client whose connection broke gets what it missed of its own session.",
        "issue 8: HTTP",
    ),
    "http:questions:reach_the_client_that_called": Requirement(
        "A question of a tool reaches the client that called it.",
        "issue 8: Status and questions",
    ),
    "http:questions:need_no_stream_of_their_own": Requirement(
        "A question comes on the stream of the call it belongs to, so that a client needs no other one.",
        "issue 8: Status and questions",
    ),
    "http:progress:reaches_the_client_that_called": Requirement(
        "Progress reaches the client that called.",
        "issue 8: HTTP",
    ),
    "http:cancel:by_disconnect_where_there_are_no_sessions": Requirement(
        "Closing the connection cancels a call of revision 2026-07-28; a call of a session goes on.",
        "reference mcp 1",
    ),
    "http:clients:do_not_hold_each_other_up": Requirement(
        "A slow call holds no other client up.",
        "issue 8: HTTP",
    ),
    "http:clients:each_has_its_own_folders": Requirement(
        "The folders of a client say which project and which files it means, and nothing to the others.",
        "decisions 3: Which project",
    ),
    "http:options:are_those_of_stdio": Requirement(
        "`--read-only`, `--toolsets` and `--project` mean the same as on standard input and output.",
        "issue 8: HTTP",
    ),
    "http:options:need_http": Requirement(
        "Options of a server over HTTP are refused without `--http`.",
        "house: command line",
    ),
    "http:servers:many_on_one_project": Requirement(
        "Several servers on one project have ports and entries of their own and lose no change.",
        "issue 8: HTTP",
    ),
    "http:end:calls_in_flight_are_answered": Requirement(
        "SIGTERM and Ctrl-C let calls in flight be answered and end the server with exit code 0.",
        "issue 8: HTTP",
    ),
    "http:end:is_bounded": Requirement(
        "A call that does not end does not hold the end up.",
        "issue 8: HTTP",
    ),
    "http:token:asked_for_everywhere": Requirement(
        "Without the token nobody comes in: 401 with `WWW-Authenticate`; with it every client does.",
        "issue 8: HTTP",
    ),
    "http:token:never_logged": Requirement(
        "The token is in no log, and is not taken from a URL.",
        "issue 8: HTTP",
    ),
    "http:token:found_by_its_owner": Requirement(
        "A new token is in a file for its owner alone, named at the start and gone at the end.",
        "house: command line",
    ),
    "http:token:file_of_ones_own": Requirement(
        "`--token-file` brings a token along or makes one; a file that others may read is refused.",
        "house: command line",
    ),
    "http:no_auth:on_this_machine_alone": Requirement(
        "`--no-auth` is refused where other machines reach the server.",
        "issue 8: HTTP",
    ),
    "http:health:needs_no_token": Requirement(
        "`/health` answers without a token and tells nothing of the project.",
        "reference rstn 3.4",
    ),
    "http:rebinding:foreign_hosts_are_refused": Requirement(
        "A request with a foreign `Host` is refused.",
        "issue 8: HTTP",
    ),
    "http:rebinding:foreign_origins_are_refused": Requirement(
        "A request with a foreign `Origin` is refused.",
        "issue 8: HTTP",
    ),
    "http:rebinding:own_names_are_answered": Requirement(
        "The server answers to its own names with its port, and to those that the user allows.",
        "issue 8: HTTP",
    ),
    "http:rebinding:names_of_a_proxy_are_answered": Requirement(
        "A name that the user allows is answered without a port and with the listener's, over HTTPS, too.",
        "house: HTTP behind a proxy",
    ),
    "http:rebinding:no_other_page_reads": Requirement(
        "No answer allows pages of other origins to read it.",
        "reference rstn 3.4",
    ),
    "http:requests:what_is_wrong_is_said": Requirement(
        "Bad JSON, other kinds of content, unknown paths, wrong methods are told by status, without "
        "a traceback.",
        "issue 8: HTTP",
    ),
    "http:requests:have_a_limit": Requirement(
        "Requests of more than 4 MiB are refused.",
        "issue 8: HTTP",
    ),
    "http:address:default_and_forms": Requirement(
        "`--http` takes nothing, PORT, HOST or HOST:PORT; the usual address is 127.0.0.1:19560.",
        "seed speckit:368; issue 8: HTTP",
    ),
    "http:address:hosts_of_others_are_refused": Requirement(
        "A host that is none of this machine is refused by name.",
        "house: command line",
    ),
    "http:port:free_one_when_the_usual_is_taken": Requirement(
        "When the usual port is taken, a free one is used and told.",
        "issue 8: HTTP",
    ),
    "http:port:a_taken_one_that_was_asked_for_is_an_error": Requirement(
        "A port that was asked for and is taken is an error with one safe next step.",
        "issue 8: HTTP",
    ),
    "http:speed:answers_go_out_at_once": Requirement(
        "An answer does not wait for the other side to acknowledge the one before.", "decisions 5"
    ),
    "http:entries:lead_to_the_server": Requirement(
        "`--register` writes entries that lead to the server and let one in; a new file is for its "
        "owner alone.",
        "issue 8: HTTP",
    ),
    "http:entries:gone_at_the_end": Requirement(
        "At the end the files of hosts are again what they were.",
        "issue 8: HTTP",
    ),
    "http:entries:removed_only_if_ours": Requirement(
        "An entry that somebody else wrote or changed stays.",
        "issue 8: HTTP",
    ),
    "http:entries:after_a_kill_the_next_start_replaces_it": Requirement(
        "The next server takes out what a killed one left.",
        "issue 8: HTTP",
    ),
    "http:entries:projects_have_their_own": Requirement(
        "Entries in other projects stay as they are.",
        "issue 8: HTTP",
    ),
    "http:entries:no_token_without_auth": Requirement(
        "The entry of a server without a token has no header.",
        "issue 8: HTTP",
    ),
    "http:entries:a_broken_file_is_told": Requirement(
        "A file that cannot be edited is told, and nothing is changed.",
        "issue 8: HTTP",
    ),
    "http:entries:a_file_that_git_sees_is_told": Requirement(
        "A file with the token that git does not ignore is warned of.",
        "house: command line",
    ),
    "http:entries:a_file_that_others_can_read_is_told": Requirement(
        "A file with the token that other users may read is warned of.",
        "house: command line",
    ),
    "http:entries:what_is_left_is_told_and_tried_again": Requirement(
        "An entry of a killed server that cannot be taken out is told at each start, until it can.",
        "house: durability",
    ),
    "http:entries:bytes_around_them_stay": Requirement(
        "Taking an entry out leaves every other byte.",
        "issue 8: HTTP",
    ),
    # The board (issue 8)
    "board:plan:columns_by_state": Requirement(
        "Items stand in a column for each state of their dialect, with their count; those done come last.",
        "issue 8: The board",
    ),
    "board:plan:progress_of_dialects": Requirement(
        "Each dialect of the folder has a bar of how much is done.",
        "issue 8: The board",
    ),
    "board:plan:every_dialect": Requirement(
        "Specs, task graphs, features and tickets are shown, each alone and all together.",
        "issue 8: The board",
    ),
    "board:plan:one_item_with_its_graph": Requirement(
        "The chosen item is shown with what it waits for and what waits for it, near and far.",
        "issue 8: The board",
    ),
    "board:plan:filter_and_search": Requirement(
        "A filter looks at IDs, titles and labels in any case of letters, a search at texts, too.",
        "issue 8: The board",
    ),
    "board:plan:changes_of_others_within_a_second": Requirement(
        "What another process changes is seen within a second.",
        "issue 8: The board",
    ),
    "board:plan:selection_stays_and_scrolls": Requirement(
        "What is chosen stays chosen and in sight, whatever comes before it.",
        "reference rstn 4.6; issue 8: The board",
    ),
    "board:plan:large_projects": Requirement(
        "Cards of a large project are loaded page by page as they come into sight.",
        "issue 8: The board",
    ),
    "board:plan:nothing_drawn_when_nothing_changed": Requirement(
        "Lists are not drawn anew while nothing changes.",
        "issue 8: The board",
    ),
    "board:plan:an_empty_folder_says_how_to_begin": Requirement(
        "In an empty folder the board says how to begin, and shows what comes.",
        "issue 8: The board",
    ),
    "board:problems:files_that_cannot_be_read": Requirement(
        "Files that cannot be read are listed with the reason.",
        "issue 8: The board",
    ),
    "board:files:looking_writes_nothing": Requirement(
        "Looking at a project changes none of its files.",
        "issue 8: The board",
    ),
    "board:keys:at_the_foot": Requirement(
        "The keys that do something are shown at the foot.",
        "issue 8: The board",
    ),
    "board:keys:typing_is_typing": Requirement(
        "While a text is typed every letter belongs to it; no question interrupts.",
        "reference rstn 4.6; issue 8: The board",
    ),
    "board:agents:runs_with_live_logs": Requirement(
        "Runs are listed, and the log of the chosen one grows as its agent writes.",
        "issue 8: The board",
    ),
    "board:questions:answered_in_a_dialog": Requirement(
        "A question opens a dialog; what is typed, in any script, reaches the agent as it is.",
        "issue 8: The board",
    ),
    "board:questions:cancelled_or_left": Requirement(
        "A question can be left for later or cancelled.",
        "issue 8: The board",
    ),
    "board:questions:closed_by_others": Requirement(
        "A dialog closes when somebody else closes its question.",
        "issue 8: The board",
    ),
    "board:questions:what_was_missed": Requirement(
        "A board that was started late shows what agents reported before.",
        "reference rstn 4.6; issue 8: The board",
    ),
    "board:tasks:ticked_by_the_core": Requirement(
        "Completing a task changes one character; what others tick meanwhile stays.",
        "issue 8: The board",
    ),
    "board:tasks:no_feature_says_why": Requirement(
        "Without a feature the board says where it looked for one.",
        "reference rstn 4.6; issue 8: The board",
    ),
    "board:errors:told_not_crashed": Requirement(
        "What the core refuses is told, and the board goes on.",
        "issue 8: The board",
    ),
    "board:read_only:offers_no_changes": Requirement(
        "With `--read-only` nothing can be completed or answered.",
        "issue 8: The board",
    ),
    "board:command:names_its_extra": Requirement(
        "Without Textual the command names the extra to install and ends with code 1.",
        "issue 8: The board",
    ),
    "board:command:needs_a_terminal": Requirement(
        "Without a terminal the command says so and ends with code 1.",
        "issue 8: The board",
    ),
    "board:proof:agent_and_person_meet": Requirement(
        "An agent asks over HTTP, its server is killed and started again, a person answers on the board, "
        "and the agent gets the answer and completes tasks.",
        "issue 8: Proof",
    ),
    "board:picture:stands_in_the_readme": Requirement(
        "The picture in the README is what one sees.",
        "issue 8: The board",
    ),
    "board:picture:usable_at_80_by_24": Requirement(
        "At 80 × 24 everything can be used; larger screens show more.",
        "issue 8: The board",
    ),
}


def _print_query() -> None:
    """Print how many promises are built and proven, and those that are not."""
    from proofs import python_tests, rust_tests

    proven = {id for test in (*python_tests(), *rust_tests()) for id in test.ids}
    built = [id for id, requirement in REQUIREMENTS.items() if requirement.built]
    unproven = [id for id in built if id not in proven]
    groups: dict[str, list[int]] = {}
    for id, requirement in REQUIREMENTS.items():
        counts = groups.setdefault(id.split(":")[0], [0, 0, 0])
        counts[0] += 1
        counts[1] += requirement.built
        counts[2] += requirement.built and id in proven
    for group, (all_of_it, of_them_built, of_them_proven) in groups.items():
        line = f"{group}: {all_of_it} promises, {of_them_built} built, {of_them_proven} proven\n"
        sys.stdout.write(line)
    proven_count = len(built) - len(unproven)
    sys.stdout.write(f"all: {len(REQUIREMENTS)} promises, {len(built)} built, {proven_count} proven\n")
    for id in unproven:
        sys.stdout.write(f"not proven: {id} ({REQUIREMENTS[id].source})\n  {REQUIREMENTS[id].sentence}\n")


if __name__ == "__main__":
    _print_query()
