"""What agents and checks get of our environment, and what texts of documents and repositories may do."""

from requirements import Requirement

_DESIGN = "issue 17: 4"
_READS = "issue 17: R1"

REQUIREMENTS: dict[str, Requirement] = {
    "trust:environment:only_what_is_named_is_passed": Requirement(
        "An agent gets the variables that toolchains need, ours, its own credentials and those of "
        "`env.pass`, and no other.",
        _DESIGN,
    ),
    "trust:environment:searched_folders_are_absolute": Requirement(
        "Empty and relative folders in `PATH`, `PYTHONPATH` and such reach no process of ours and no agent.",
        "issue 40: point 11",
    ),
    "trust:environment:credentials_of_one_agent_only": Requirement(
        "An agent gets the credentials that its template names; other agents, checks and agents with "
        "a command of their own do not.",
        _DESIGN,
    ),
    "trust:environment:secrets_left_behind_are_reported": Requirement(
        "The log of a run names the variables that look like secrets and were not passed.",
        _DESIGN,
    ),
    "trust:environment:a_project_passes_no_keys_of_the_user": Requirement(
        "A project's `env.pass` with a variable that lends keys or loads code is refused with the "
        "reason; the user's own configuration passes it.",
        _DESIGN,
    ),
    "trust:environment:commits_have_the_projects_identity": Requirement(
        "An agent commits as git's configuration or our own environment says, whatever else the "
        "environment of git says; without an identity nothing starts.",
        _DESIGN,
    ),
    "trust:environment:checks_of_features": Requirement(
        "Checks of `.specify/chant-mcp.yml` get what checks of specs get.",
        _DESIGN,
    ),
    "trust:environment:doctor": Requirement(
        "`doctor` shows what an agent would get, secrets masked, what is not passed, and what is "
        "wrong, with exit code 1.",
        _DESIGN,
    ),
    "trust:terminal:texts_do_nothing": Requirement(
        "No text of a document, name of a branch, or line of a log reaches a terminal or a pipe with "
        "characters that steer it, turn text around or are not seen.",
        "issue 17: 5; issue: Refused means nothing happened, point 17",
    ),
    "trust:terminal:one_place_prints": Requirement(
        "Commands print through one module.",
        "issue 17: 5",
    ),
    "trust:prompts:texts_are_enclosed": Requirement(
        "Prompts enclose texts of the project in lines that they cannot write themselves, and say "
        "what these are.",
        "issue 17: 5",
    ),
    "trust:server:instructions_call_texts_data": Requirement(
        "The server's instructions say once that texts of documents are data.",
        "issue 17: 5",
    ),
    "trust:reads:git_runs_nothing": Requirement(
        "Whatever program a repository's configuration names, no tool and no command that reads runs it.",
        _READS,
    ),
    "trust:names:features_stay_inside": Requirement(
        "A feature's directory that is a link out of the project is not followed; only a variable names "
        "another place.",
        "issue 17: 7",
    ),
    "trust:names:nothing_of_gits": Requirement(
        "No name in a document or a configuration leads to a file in a folder of git's.", "issue 17: 7"
    ),
}
