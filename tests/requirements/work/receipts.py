"""Receipts of completed specs (issue: The first run of a real agent, point 4)."""

from requirements import Requirement

_SOURCE = "issue: The first run of a real agent, part Receipts"

REQUIREMENTS: dict[str, Requirement] = {
    "receipts:left:by_a_run_that_landed": Requirement(
        "A run that landed leaves one receipt under `refs/chant/receipts/<spec>/<token>`: canonical "
        "JSON with the criteria as they were judged, commit, tree, target, checks with command, exit "
        "code, time and tree, agent, times and confinement. A run that did not land leaves none.",
        _SOURCE,
    ),
    "receipts:left:after_a_crash": Requirement(
        "A crash between the landing and the receipt is repaired by recovery; a run never has two receipts.",
        _SOURCE,
    ),
    "receipts:left:by_hand": Requirement(
        "A completion by hand leaves a receipt that says that no check was run; none without git or a "
        "commit.",
        _SOURCE,
    ),
    "receipts:left:failure_is_reported": Requirement(
        "A receipt that cannot be written undoes no completion, and the answer says so; completing the "
        "spec once more leaves it.",
        _SOURCE,
    ),
    "receipts:verify:names_what_does_not_hold": Requirement(
        "`receipt verify` holds a receipt against the repository and names what does not hold: a commit "
        "that is gone, another tree, reworded or open criteria, a check that is not configured or was "
        "not run, a name of another, a file that is no receipt.",
        _SOURCE,
    ),
    "receipts:verify:squash_and_rebase_keep_it": Requirement(
        "A receipt holds when a commit with the same tree is in the target's history, and when later "
        "work landed.",
        _SOURCE,
    ),
    "receipts:verify:holds_under_all_styles": Requirement(
        "A receipt of work that was merged, squashed or rewritten at its landing is consistent; what checks"
        " looked at before is derived where the agent's own commits are kept, and claimed elsewhere.",
        "issue: Ordinary repositories, 3",
    ),
    "receipts:verify:says_derived_and_claimed_apart": Requirement(
        "The report says apart what follows from the repository and what the receipt only claims, and "
        "calls nothing more than consistent.",
        _SOURCE + "; decisions 6: What is believed",
    ),
    "receipts:verify:offline_without_trust": Requirement(
        "Receipts are verified in any clone, offline, without trust; nothing that the folder names is run.",
        _SOURCE,
    ),
    "receipts:verify:reruns_when_asked": Requirement(
        "`--rerun` runs the checks again, held, in a fresh folder with the files that landed; it needs "
        "trust.",
        _SOURCE,
    ),
    "receipts:verify:policy_of_the_target": Requirement(
        "`verify --all` fails where a completed spec has no receipt that holds and the configuration "
        "committed on the target says `receipts: required`; what the branch under test says does not "
        "count.",
        _SOURCE + "; decisions 6: What is believed",
    ),
    "receipts:exchange:never_replaced": Requirement(
        "`receipt push` and `receipt fetch` bring receipts to other clones; one that is another on the "
        "other side is reported and replaced nowhere, and what cannot be a receipt is not taken.",
        _SOURCE,
    ),
    "receipts:kept:by_archive_cancel_and_prune": Requirement(
        "Nothing deletes receipts: they hold for archived specs, too.",
        _SOURCE,
    ),
}
