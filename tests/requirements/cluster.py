"""Runs on other machines, and which spec they take next (issue 25)."""

from requirements import Requirement

_DISPATCH: dict[str, Requirement] = {
    "cluster:dispatch:shares_least_comes_next": Requirement(
        "Of equally urgent specs the one is started next that is expected to share least files with what is "
        "at work; no agent is idle for it.",
        "issue 25: 5",
    ),
    "cluster:dispatch:spare_holds_back": Requirement(
        "With `dispatch: spare` a spec that shares more than 2 expected files with what is at work waits "
        "while anything else runs.",
        "issue 25: 5",
    ),
    "cluster:dispatch:report_says_foreseen": Requirement(
        "The report of work in parallel and `chant_work_list` say how many conflicts were foreseen.",
        "issue 25: 7",
    ),
}

_ACCOUNTS: dict[str, Requirement] = {
    "cluster:accounts:most_room_is_taken": Requirement(
        "A run takes the account with most room among those of its agent whose variables are set; `max` "
        "counts over all runs of the clone, a start beyond it is refused, and the record names the account.",
        "issue 25: 5",
    ),
    "cluster:accounts:variables_come_from_ours": Requirement(
        "The agent gets the account's variables with the values of ours that it names, masked in the log.",
        "issue 25: 8",
    ),
    "cluster:accounts:use_is_shown": Requirement(
        "`runs`, `chant_work_list` and `doctor` say how many runs use each account, and how many may.",
        "issue 25: 7",
    ),
    "cluster:accounts:rate_limit_halves": Requirement(
        "A rate limit halves the number of its account, or of the agent without one; it grows by one a "
        "minute, and the run waits inside and does not fail.",
        "issue 25: 5",
    ),
    "cluster:accounts:projects_name_none": Requirement(
        "Only the user's own configuration names accounts; in a project's the key does nothing.",
        "issue 25: 8",
    ),
}

REQUIREMENTS: dict[str, Requirement] = {**_DISPATCH, **_ACCOUNTS}
