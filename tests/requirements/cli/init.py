"""`init`: setting a project up (seed chant 9-31)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "init:next:stages_what_it_names": Requirement(
        "The `git add` that `init` proposes covers every file that it wrote in the project and git may have.",
        "issue: The daily hour 4",
    ),
    "init:trust:stays_after_git_init": Requirement(
        "A folder that `init` trusted stays trusted when it becomes a git repository.",
        "issue: The daily hour 4",
    ),
    "init:trust:names_what_is_open": Requirement(
        "Where other things than those `init` wrote ask for trust, its next steps name them and `trust`"
        " before `work`; where files say what to install, `env propose`.",
        "issue: Ordinary repositories, 12",
    ),
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
    "init:agents:one_is_proposed": Requirement(
        "`init` looks which agents are installed, takes the first that is logged in and says so, or says "
        "how to get "
        "one; at a terminal it asks. A program of the folder itself is none, and what is asked for wins.",
        "issue: The first run, point 5",
    ),
    "init:agent:claude_needs_no_questions": Requirement(
        "`chant init --agent claude` sets Claude up without asking anything.", "seed chant:31"
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
    "init:hosts:the_project_is_no_part_of_our_program": Requirement(
        "No command line that we write, show or start ourselves imports a module of the project that it is "
        "started in, also with an empty or relative element in PYTHONPATH.",
        "issue: Python does not run the project",
    ),
    "init:hosts:an_unsafe_start_is_corrected": Requirement(
        "`doctor` reports entries of hosts that start our package so that modules of the project are "
        "imported, and `init --client` replaces their start and nothing else in the file.",
        "issue: Python does not run the project",
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
        "The project's name comes from `--name`, else `package.json`, `Cargo.toml`, the last path segment "
        "of the module in `go.mod`, else the folder.",
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
    "init:agent:skill_file_per_agent": Requirement(
        "`--agent` writes `SKILL.md` into the folder where that agent looks for skills.",
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
        "`.gitattributes` keeps its other lines, byte order mark, line ends and final newline; what "
        "somebody said of the merging of specs is kept and reported.",
        "issue: The work runtime; decisions 1",
    ),
    "init:merge_driver:foreign_one_is_kept": Requirement(
        "A merge driver of that name that is another program is kept and reported.",
        "issue: The work runtime; decisions 4",
    ),
    "init:merge_driver:own_one_is_renewed": Requirement(
        "`--merge-driver` replaces the command of another installation of ours.", "issue: The work runtime"
    ),
    "init:merge_driver:clones_register_it": Requirement(
        "In a clone whose `.gitattributes` asks for the merge driver `init` registers it and changes no "
        "file of the project.",
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
    "init:agents_md:is_a_section": Requirement(
        "`--agent` writes our section of `AGENTS.md` between two marks, at most 40 lines; outside of it no "
        "byte changes, and marks in a block of code are none.",
        "issue: At home in every host 1",
    ),
    "init:agents_md:claude_md_is_never_created": Requirement(
        "`init` creates no `CLAUDE.md`: with one, Claude Code reads no `AGENTS.md`.",
        "issue: At home in every host 1",
    ),
    "init:agents_md:claude_md_imports_it": Requirement(
        "A `CLAUDE.md` that does not import `AGENTS.md` gets the line that does; a link to it counts as "
        "import, and one above the project is named.",
        "issue: At home in every host 1",
    ),
    "init:agents_md:a_changed_section_is_kept": Requirement(
        "A section that somebody changed, or whose marks enclose no section, stays, and our lines are "
        "printed.",
        "issue: At home in every host 1",
    ),
    "init:undo:gives_the_old_bytes": Requirement(
        "`init --undo` gives each file that was not changed since its old bytes, and removes what `init` "
        "made.",
        "issue: At home in every host 1",
    ),
    "init:undo:only_what_is_ours": Requirement(
        "Of what was changed since `init --undo` takes out our section or entry as we wrote it; specs and "
        "their project stay.",
        "issue: At home in every host 1",
    ),
    "init:undo:works_in_a_clone": Requirement(
        "In a clone `init --undo` takes out sections, entries and skills as we write them.",
        "issue: At home in every host 1",
    ),
    "init:agent:accepts_each_agent": Requirement(
        "`--agent` is repeatable and takes claude, codex, copilot, cursor, gemini, qwen, opencode, zed, "
        "windsurf, kiro, generic and all.",
        "issue: At home in every host 1",
    ),
    "init:client:accepts_each_host": Requirement(
        "`--client` writes the file of each host that reads one of the project, prints the lines for the "
        "other, and refuses anything else.",
        "issue: At home in every host 1",
    ),
    "init:hosts:files_hold_no_path_of_this_machine": Requirement(
        "What hosts' files say works in a teammate's clone: a program by its name, or `uvx` with a release.",
        "issue: At home in every host 1",
    ),
    "init:hosts:this_machine_is_kept_out_of_git": Requirement(
        "`--this-machine` names this Python with `-P`, in files that it keeps out of git; one that git "
        "tracks is refused.",
        "issue: At home in every host 1",
    ),
    "init:hosts:comments_stay": Requirement(
        "Files that hosts read with comments, and TOML, keep them; what cannot be extended stays, and the "
        "lines are printed.",
        "issue: At home in every host 1",
    ),
}
