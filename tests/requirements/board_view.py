"""The board by meaning, as the core answers for pages (issue 23)."""

from requirements import Requirement

_SOURCE = "issue 23: point 2"

REQUIREMENTS: dict[str, Requirement] = {
    "board:meaning:one_of_five": Requirement(
        "Every item of every dialect but a cancelled spec means exactly one of: can begin, being worked "
        "on, waits for you, waits, done.",
        _SOURCE,
    ),
    "board:meaning:says_why_it_waits_for_you": Requirement(
        "What waits for a person says for which act: approve, rejected, attention, failed, merge, "
        "conflict, paused or question; runs and open questions count as soon as they are recorded.",
        _SOURCE,
    ),
    "board:meaning:pages_are_the_column": Requirement(
        "The pages of a column are its items, each once, in the order of lists, also under a search, "
        "dialect or label.",
        _SOURCE,
    ),
    "board:meaning:kept_up_to_date": Requirement(
        "After any changes of files, runs and questions the kept columns are those that a first look "
        "would find.",
        "issue 23: point 5",
    ),
    "board:meaning:only_columns_that_changed": Requirement(
        "A look with the cursor of the one before gives the items of columns that are others since then; "
        "with a cursor of another process it gives all.",
        "issue 23: point 5",
    ),
    "board:meaning:costs_the_change": Requirement(
        "A look at the board after a change visits what changed and what waits for it, not all items.",
        "issue 23: point 5",
    ),
    "board:item:text_as_a_tree": Requirement(
        "An item's text comes as a bounded tree of a closed list of names; markup of the document is "
        "text, and only harmless addresses are links.",
        "issue 23: point 4",
    ),
    "board:item:all_of_it": Requirement(
        "An item comes with its meaning, the version of its document, criteria with their lines, "
        "sections, what stands around it, and its parts.",
        _SOURCE,
    ),
    "board:graph:elements_of_a_closed_list": Requirement(
        "A picture comes as elements of listed tags and attributes with a class for each meaning, at most"
        " 60 items, and the same items as a list with slack and critical path.",
        "issue 23: points 2 and 4",
    ),
    "board:timeline:past_and_planned": Requirement(
        "Runs that ended and open items as they could be worked on come in seconds.",
        _SOURCE,
    ),
    "board:waiting:acts_of_people": Requirement(
        "Approvals, conflicts, merges and failures come in one list, with the version of the document "
        "each is about.",
        _SOURCE,
    ),
    "board:diff:branch_of_a_run": Requirement(
        "The branch of a run comes as bounded differences from the commit it began with; what is no text "
        "is only named.",
        _SOURCE,
    ),
}
