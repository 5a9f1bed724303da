"""`vine_next` (seed vine 74-84; reference vine 5.2)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
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
        "An answer is as of the file at the moment of the call, whatever changed it.",
        "decisions 2: store/index.rs",
    ),
}
