"""How an agent inside a run reaches our tools, and what they do for it (design of trust, section 7)."""

from requirements import Requirement

_ISSUE = "issue: A run works in a repository of its own, point 5"
_DESIGN = "issue: design of trust, section 7"

REQUIREMENTS: dict[str, Requirement] = {
    "run:connect:tools_act_through_the_runner": Requirement(
        "The MCP configuration of an agent names `chant-mcp connect`, which reaches a server that the runner"
        " starts outside.",
        f"{_ISSUE}; {_DESIGN}",
    ),
    "run:connect:holds_no_secret": Requirement(
        "Nothing in that configuration is a secret: which folder is asked in says which run asks.",
        f"{_DESIGN}, R4, I16",
    ),
    "run:connect:several_at_once": Requirement(
        "Several connections of one run work at once, at most 16, by one server process.", _DESIGN
    ),
    "run:connect:ends_with_the_run": Requirement(
        "The server ends with the run, also when the runner is killed, and `connect` with it; a connection"
        " that ends by itself ends with exit code 0.",
        _DESIGN,
    ),
    "run:connect:refusals_are_one_line": Requirement(
        "`connect` says in one line, with exit code 1, that there is no run or that it is over.", _DESIGN
    ),
    "run:connect:other_runs_are_out_of_reach": Requirement(
        "What comes in through a run's folder is done for that run's spec, whatever variables say.",
        f"{_DESIGN}, I16",
    ),
    "run:connect:only_pipes_are_opened": Requirement(
        "The server opens no link and nothing but pipes of its own user in the folder of connections.",
        f"{_DESIGN}, R12",
    ),
    "run:connect:answers_are_the_same_without_the_library": Requirement(
        "The handshake, the list of tools and plain calls are answered without importing the protocol's"
        " library, byte for byte in meaning as that would answer them; with anything else it takes the"
        " connection over, and what was said before holds.",
        "issue: A run works in a repository of its own, point 2 (0.1 s more when it connects to our tools)",
    ),
    "run:rights:every_tool_has_one": Requirement(
        "One table says of each tool what it does from inside a run; a tool without a row is refused.", _ISSUE
    ),
    "run:rights:never_a_persons_decision": Requirement(
        "From inside a run nothing is deleted, finalized, reset, cancelled, archived, started, paused, taken"
        " over or split; such tools are not listed, and the refusal says what the agent can do.",
        _ISSUE,
    ),
    "run:rights:reads_everything": Requirement(
        "From inside a run all of the project is read, the run's own spec as its folder has it, and plans,"
        " tickets and features that are in its folder as they are there.",
        _ISSUE,
    ),
    "run:rights:own_folder_is_written": Requirement(
        "What is written to plans, tickets, features and specs goes to the copies in the run's folder, and"
        " lands with its branch.",
        _ISSUE,
    ),
    "run:rights:specs_are_added": Requirement(
        "Specs that an agent adds are in the project at once, and `found_by` names the spec it works on.",
        _ISSUE,
    ),
    "run:rights:asks_and_reports": Requirement(
        "Reports and questions of an agent reach the project's own questions and events.", _ISSUE
    ),
    "run:rights:other_specs_keep_state_and_criteria": Requirement(
        "From inside a run status and criteria of other specs cannot be changed.",
        "issue: design of trust, R6",
    ),
    "run:rights:no_command_runs_outside": Requirement(
        "Checks of features are not run by the server of a run; the refusal says how the agent goes on.",
        "issue: design of trust, I13",
    ),
    "run:rights:added_specs_touch_no_other": Requirement(
        "A spec that a run adds names as parent and dependencies only the run's own spec and specs that it"
        " added and that wait for a person.",
        "issue 40: item 10",
    ),
    "run:rights:added_specs_are_bounded": Requirement(
        "Specs that runs of a spec added and that wait for a person are bounded in number and size, over all"
        " connections; the refusal names the limit.",
        "issue 40: item 10",
    ),
    "run:rights:reports_are_bounded": Requirement(
        "Reports and open questions of a run are bounded, so that those of others stay.", "issue 40: item 10"
    ),
    "run:rights:links_lead_nowhere": Requirement(
        "What an agent puts in the place of a file in its folder (a link, a pipe, a giant) is neither read"
        " nor written through.",
        "issue: design of trust, R12",
    ),
}
