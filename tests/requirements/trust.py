"""Trust: what a folder asks for, and who says yes to it (the design of trust; decisions 6)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "trust:acting:comments_do_not_count": Requirement(
        "Comments and the order of keys in a configuration do not count: the folder stays trusted.",
        "issue 17: design 4",
    ),
    "trust:acting:harmless_keys_do_not_count": Requirement(
        "Keys that cannot run, send, read outside, merge or spend anything do not count.",
        "issue 17: design 4, R9",
    ),
    "trust:acting:one_byte_of_a_command_counts": Requirement(
        "One byte of a command is another hash: what would run it is refused.",
        "issue 17: design 11.4",
    ),
    "trust:acting:whatever_may_act_counts": Requirement(
        "Unknown keys, endpoints, prompts, agents' own files, git's settings, hooks and attributes count.",
        "issue 17: design R1, R8, R9",
    ),
    "trust:acting:git_is_asked_what_it_uses": Requirement(
        "The hooks and settings that git itself says it uses count, wherever they lie.",
        "issue: Hooks, includes and programs are asked from git itself",
    ),
    "trust:acting:own_configuration_of_git_is_trusted": Requirement(
        "What the user's own configuration of git names outside of the folder does not count.",
        "issue: Hooks, includes and programs are asked from git itself",
    ),
    "trust:acting:included_git_configuration_counts": Requirement(
        "Files that git's configuration includes count, whether their condition holds or not.",
        "issue 17: design R1",
    ),
    "trust:acting:agent_files_where_worktrees_begin_count": Requirement(
        "Agents' files count as the branch has them that worktrees begin at, too.",
        "issue 17: design R8",
    ),
    "trust:acting:links_are_named_and_followed": Requirement(
        "A link among files that act is named, and what lies behind it counts.",
        "issue 17: design R8",
    ),
    "trust:store:is_the_users_alone": Requirement(
        "Trust is kept in a private file; one that others could write, or that is damaged, is no trust.",
        "issue 17: design 4, 10",
    ),
    "trust:show:listing_is_plain_ascii": Requirement(
        "A listing is plain ASCII: nothing in it steers a terminal.",
        "issue 17: design R13",
    ),
    "trust:show:totals_first_and_hash_last": Requirement(
        "`trust --show` prints totals first, then every line, and ends in `hash: ...`.",
        "issue 17: design R13",
    ),
    "trust:acting:prompts_in_folders_count": Requirement(
        "Prompts in folders and texts that `prompt_extensions` names count and reach the agent.",
        "reference chant 6.4; issue 17",
    ),
    "trust:acting:prompts_are_those_that_were_looked_at": Requirement(
        "An agent gets the prompts that a person said yes to, also when the files are replaced meanwhile.",
        "issue 17: design I7",
    ),
    "trust:untrusted:nothing_is_started": Requirement(
        "In an untrusted folder no run, split or watch begins.",
        "issue 17: design I8",
    ),
    "trust:untrusted:documents_work": Requirement(
        "In an untrusted folder documents are read, checked and edited as ever.",
        "issue 17: design I8",
    ),
    "trust:untrusted:no_variable_is_read": Requirement(
        "In an untrusted folder no variable is read for a new spec; a warning says why.",
        "issue 17: design 11.3",
    ),
    "trust:untrusted:no_check_is_run": Requirement(
        "In an untrusted folder no check of a task is run, and the task is not ticked.",
        "issue 17: design 11.3",
    ),
    "trust:untrusted:no_other_repository_is_read": Requirement(
        "In an untrusted folder the roots of `repos:` are not read.",
        "issue 17: design I8",
    ),
    "trust:untrusted:nothing_is_merged_or_pruned": Requirement(
        "In an untrusted folder nothing is recovered, merged or pruned.",
        "issue 17: design I8",
    ),
    "trust:untrusted:runs_can_be_stopped": Requirement(
        "In an untrusted folder a run under way can be paused, taken over and cancelled; what it left stays.",
        "issue 17: closing note",
    ),
    "trust:status:says_that_it_is_not_trusted": Requirement(
        "`chant_status` and `chant_diagnose` say that a folder which asks for something is not trusted.",
        "issue 17: design 4",
    ),
    "trust:mcp:refusal_is_text_and_data": Requirement(
        "A tool that acts is refused in text, which says whom to ask, and in data: `needs` and `shown`.",
        "issue 17: design 4, R13",
    ),
    "trust:mcp:annotations_follow_the_table": Requirement(
        "Annotations of tools follow from the table of effects that the check of trust asks.",
        "decisions 6",
    ),
    "trust:python:hash_of_the_call": Requirement(
        "`chant_mcp.open(path, trust=HASH)` trusts what that hash stands for, and nothing is remembered.",
        "issue 17: design 4",
    ),
    "trust:python:exception_has_what_is_shown": Requirement(
        "Scripts are refused with `NotTrustedError`, whose `shown` lists what the folder asks for.",
        "issue 17: design 4",
    ),
    "trust:roots:trust_all_below": Requirement(
        "Folders at or below `trust.roots` of the user's own configuration are trusted whatever they hold.",
        "decisions 6: Trust",
    ),
    "trust:roots:count_in_the_users_file_only": Requirement(
        "`trust.roots` in a project is without effect.",
        "decisions 6: Trust",
    ),
    "trust:ask:acts_ask_at_a_terminal": Requirement(
        "At a terminal `work`, `split`, `merge`, `watch` and `speckit complete` show what the folder asks "
        "for, ask once, and go on after a yes.",
        "issue 17: design 4",
    ),
    "trust:ask:no_changes_nothing": Requirement(
        "The answer no changes nothing; exit code 1.",
        "issue 17: design 4",
    ),
    "trust:ask:a_change_is_shown_as_a_difference": Requirement(
        "Where another state of the folder was trusted, what is another since is shown.",
        "issue 17: design 4",
    ),
    "trust:ask:without_a_terminal_exit_code_2": Requirement(
        "Without a terminal an act is refused with exit code 2 and the commands for a person.",
        "issue 17: design 4",
    ),
    "trust:ask:not_below_a_run": Requirement(
        "Below a run no one is asked.",
        "issue 17: design R13",
    ),
    "trust:yes:needs_the_hash": Requirement(
        "`trust --yes` needs the hash that `trust --show` prints.",
        "issue 17: design R13",
    ),
    "trust:yes:agents_cannot": Requirement(
        "`trust --yes` is refused below a run and under the variables that known agents set.",
        "issue 17: design R13",
    ),
    "trust:yes:not_below_a_run": Requirement(
        "A process that takes the run's variable away is still below the run.",
        "issue 17: design R13",
    ),
    "trust:init:trusts_what_it_wrote": Requirement(
        "`init` trusts what it wrote where nothing asked for anything before, and never below a run.",
        "issue 17: design 4",
    ),
    "trust:place:switching_branches_asks_once_each": Requirement(
        "Several states of a folder are trusted at once: switching branches asks once for each.",
        "issue 17: design R5",
    ),
    "trust:place:copies_and_clones_are_not_trusted": Requirement(
        "A copy or clone of a trusted folder is not trusted.",
        "issue 17: design R5",
    ),
    "trust:place:a_git_file_lends_nothing": Requirement(
        "A `.git` file that points at a trusted repository gives nothing.",
        "issue 17: design R5",
    ),
    "trust:place:another_repository_is_another_folder": Requirement(
        "A trusted folder that gets another repository is not trusted.",
        "issue 17: design R5",
    ),
    "trust:place:a_folder_without_git_has_its_own": Requirement(
        "A folder without git is trusted by itself, and stays trusted with a repository of its own.",
        "issue 17: design 4",
    ),
    "trust:base:acting_files": Requirement(
        "A run starts from no branch whose files can run by themselves and differ from those of the "
        "checkout, which a person trusted; words for agents and settings may differ.",
        "issue 40: item 7",
    ),
    "trust:landing:a_change_of_what_acts_waits": Requirement(
        "Work that changes what runs by itself does not land: the run needs attention, with the "
        "difference in its record.",
        "issue 17: design I9",
    ),
    "trust:submodules:act_like_folders": Requirement(
        "Files in submodules are shown and wait for a person as if they lay in the project",
        "issue: Confinement and trust hold at their edges",
    ),
    "trust:submodules:their_settings_start_nothing": Requirement(
        "No program is run that the settings of a submodule's repository name",
        "issue: Confinement and trust hold at their edges",
    ),
    "trust:landing:instructions_wait": Requirement(
        "Work that changes files whose words agents obey waits for a person, and the reason names them.",
        "issue 40: item 7, acceptance 32",
    ),
    "trust:landing:users_allow_instructions": Requirement(
        "Instructions that `landing.allow` of the user's own configuration names land; a project's does not "
        "count, and nothing that acts is let through.",
        "issue 40: item 7",
    ),
    "trust:landing:neighbours_land": Requirement(
        "Files that nothing acts by land, whatever they are like.",
        "issue 40: acceptance 32",
    ),
    "trust:table:one_source": Requirement(
        "The guide's table of files that act is made from the table that trust and landing use.",
        "issue 40: item 7",
    ),
    "trust:table:starts_of_agents_are_known": Requirement(
        "A file of the project that an agent looks for and the table does not know is found in a trace.",
        "issue 40: item 7",
    ),
    "trust:acting:nested_agent_files_count": Requirement(
        "Agents' files count in any folder of the commit that worktrees begin at.",
        "issue 40: item 7",
    ),
    "trust:show:instructions_are_their_own_kind": Requirement(
        "Files whose words agents obey are shown by trust as a kind of their own, no part of the hash.",
        "issue 40: item 7, design 4",
    ),
    "trust:landing:a_chain_stops": Requirement(
        "A chain stops at such work.",
        "issue 17: design I9",
    ),
    "trust:landing:a_person_lands_it_and_trusts": Requirement(
        "`merge ID` at a terminal shows the difference, asks, lands it and renews trust.",
        "issue 17: design I9",
    ),
    "trust:landing:other_doors_refuse": Requirement(
        "Everywhere else such a merge is refused, naming that command.",
        "issue 17: design I9",
    ),
    "trust:landing:checks_are_those_of_the_start": Requirement(
        "A live run is judged by the checks of the configuration that it began with.",
        "issue 17: design 4",
    ),
    "trust:board:says_that_it_is_not_trusted": Requirement(
        "The board says that a folder is not trusted, and refuses what acts.",
        "issue 17",
    ),
}
