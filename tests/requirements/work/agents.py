"""Agents, checks and outputs of runs (reference chant 6.5)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
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
        "Where nothing holds them, built-in agents are started to skip permission checks only when the "
        "configuration "
        "says so.",
        "reference chant 8.2 W22; issue: The work runtime, part Agents",
    ),
    "chant:agents:held_agents_do_not_ask": Requirement(
        "In a run that is held a built-in agent is started with the switch that stops it from asking.",
        "decisions 6: Agents' permissions; issue: The first run, point 1",
    ),
    "chant:agents:others_are_guarded_or_refused": Requirement(
        "Where nothing holds a run, a built-in agent bounds itself, or is refused with the reason and a "
        "next step.",
        "decisions 6: Agents' permissions; issue: The first run, point 1",
    ),
    "chant:agents:state_is_private": Requirement(
        "A held agent has a state of its own that goes with the run, with nothing of the user's in it but "
        "the login; "
        "what it changes there changes nothing of the user's.",
        "issue: The first run, point 1; reference agents 1 to 8",
    ),
    "chant:agents:built_in_commands": Requirement(
        "Command lines, variables and files of each built-in agent are as its documents say, in both forms.",
        "reference agents 9; issue: The first run, point 1",
    ),
    "chant:agents:one_is_found_without_configuration": Requirement(
        "Without a configured agent the first one works that is installed and logged in, else the first "
        "that is "
        "installed; without any the answer says how to get one. A configured one always wins.",
        "issue: The first run, point 5",
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
        "Stopping a run stops its check, too.",
        "issue: The work runtime, part Pause",
    ),
    "chant:outputs:have_to_fit": Requirement(
        "The output of a run has to fit the schema that its spec names.",
        "issue: The work runtime, part Completion",
    ),
    "run:login:no_refresh_token": Requirement(
        "A confined run gets a login without refresh tokens, and the access token that the user renews"
        " meanwhile; one that has ended, or is about to, is refused before the start.",
        "issue 40: point 6",
    ),
    "run:login:nothing_comes_back": Requirement(
        "Nothing that an agent writes into its copy of a login reaches the user's file or another run.",
        "issue 40: point 6",
    ),
    "run:login:named": Requirement(
        "doctor says what runs get of a login file and what to use instead; a start says when it ends first.",
        "issue 40: point 6",
    ),
}
