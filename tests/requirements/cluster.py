"""Runs on other machines, and which spec they take next (issue 25)."""

from requirements import Requirement

_DISPATCH: dict[str, Requirement] = {
    "cluster:dispatch:shares_least_comes_next": Requirement(
        "Of equally urgent specs the one is started next that is expected to share least files with what is at "
        "work; no agent is idle for it.",
        "issue 25: 5",
    ),
    "cluster:dispatch:spare_holds_back": Requirement(
        "With `dispatch: spare` a spec that shares more than 2 expected files with what is at work waits while "
        "anything else runs.",
        "issue 25: 5",
    ),
    "cluster:dispatch:report_says_foreseen": Requirement(
        "The report of work in parallel and `chant_work_list` say how many conflicts were foreseen.",
        "issue 25: 7",
    ),
}

REQUIREMENTS: dict[str, Requirement] = {**_DISPATCH}
