"""The user's checkout and merging into it (issue: The work runtime)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    # Work runtime: the user's checkout (issue: The work runtime)
    "chant:checkout:merge_changes_only_the_works_files": Requirement(
        "A merge changes the files that the work changed and its spec, in the checkouts that stand on the"
        " main branch only; every other file, index entry, branch, stash and setting stays, and the main "
        "branch gets one commit with two parents.",
        "issue: The work runtime, parts Isolation and Merging",
    ),
    "chant:checkout:stopped_work_leaves_it_as_it_was": Requirement(
        "Pause, takeover, cancel, reset, failure and the death of a runner change nothing in the user's "
        "checkout but the spec.",
        "issue: The work runtime, part Isolation",
    ),
    "chant:checkout:merge_waits_for_local_changes": Requirement(
        "Where a local change, an untracked or ignored file, or a merge, rebase, cherry-pick, revert or "
        "bisection of the user's blocks it, the merge waits, names the blocker and touches "
        "nothing.",
        "issue: The work runtime, part Merging",
    ),
    "chant:checkout:hooks_and_signing_apply_to_the_merge": Requirement(
        "The user's commit hooks look at a merge outside of the checkout, and it is signed where the user"
        " signs.",
        "decisions 3: git",
    ),
    "chant:checkout:start_needs_a_commit": Requirement(
        "A start without a commit, or without the main branch, is refused and leaves no trace.",
        "issue: The work runtime, part A start that says started has started",
    ),
    # Work runtime: merging (issue: The work runtime)
    "chant:merge:waiting_work_goes_on_when_the_way_is_free": Requirement(
        "Work that waits is merged by `merge`, with or without an ID, and by the next opening, as soon as"
        " nothing is in its way.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:commits_of_the_user_meanwhile_are_merged": Requirement(
        "Commits on the main branch since the start of the work are merged with it.",
        "issue: The work runtime, part Merging",
    ),
    "chant:merge:locked_index_is_waited_for": Requirement(
        "A lock that another program holds on the index is waited for and left alone.",
        "issue: The work runtime, part Merging",
    ),
}
