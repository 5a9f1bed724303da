"""State that acts: where it lies, whose it is, and what is believed of runs."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "trust:state:lies_where_a_clone_carries_nothing": Requirement(
        "Our own state of a project lies in `<git common dir>/chant-mcp/`, without git in the user's own "
        "state folder, for its owner alone; what a folder holds under such a name is not looked at.",
        "issue: A folder is data until a person trusts it; decisions 6: What is believed",
    ),
    "trust:state:no_one_else_reads_it": Requirement(
        "Whatever we write in state folders and beside the folders of runs has 0600 in folders of 0700.",
        "issue 40: item 11",
    ),
    "trust:state:a_project_made_again_begins_anew": Requirement(
        "A project that was removed and made again at its place starts the same specs; the folders of its"
        " runs from before are kept, and named.",
        "issue 40: item 11",
    ),
    "trust:state:nowhere_to_keep_it_refuses_acts_only": Requirement(
        "Where neither XDG_STATE_HOME nor HOME is set, reading and edits of one file work, and what needs"
        " state is refused with what to set.",
        "issue: A folder is data until a person trusts it",
    ),
    "trust:state:a_copy_is_not_believed": Requirement(
        "State in a copied repository, an unpacked archive, or signed by another user counts as empty, "
        "and is set aside when something is written; a moved repository keeps its own.",
        "issue: A folder is data until a person trusts it",
    ),
    "trust:state:links_and_rights_of_others": Requirement(
        "State that is a link, has links in it, or that others may write is not believed.",
        "issue: A folder is data until a person trusts it",
    ),
    "trust:state:a_pointer_to_a_repository_gives_nothing": Requirement(
        "A `.git` file or link that points at a repository gives a folder nothing of its state.",
        "issue: A folder is data until a person trusts it",
    ),
    "trust:state:earlier_releases_wait_for_a_person": Requirement(
        "State of an earlier release is believed from when a person trusts the folder, and not before; "
        "then the newest run of each spec goes on, once.",
        "issue: A folder is data until a person trusts it",
    ),
    "trust:state:what_a_project_says_of_runs_is_history": Requirement(
        "What lies in `.chant/processes`, `.chant/.locks`, `.chant/pids` and `.chant/watch.pid` is at the"
        " most shown, as failed and stale: nothing follows from it.",
        "decisions 6: Run records; issue: A folder is data until a person trusts it",
    ),
    "trust:state:nothing_of_a_project_is_removed": Requirement(
        "Nothing that a project's own files say of work has a file removed or a process signalled.",
        "issue: A folder is data until a person trusts it",
    ),
    "trust:state:records_are_checked_when_read": Requirement(
        "A record of ours is believed only under its own name, with legal IDs and states, as a file of "
        "this user that others cannot write; else it is set aside and reported. Branch, target and worktree"
        " are derived again, and a record that tells of others is left alone.",
        "issue: A folder is data until a person trusts it",
    ),
    "trust:state:a_merge_counts_when_git_agrees": Requirement(
        "A record that says its work was merged completes nothing when the commit is not on the target.",
        "issue: A folder is data until a person trusts it",
    ),
    "trust:state:copies_are_written_for_others": Requirement(
        "Records and logs of runs are copied into `.chant/processes` and `.chant/logs`, never through a "
        "link; what becomes of the copies changes nothing.",
        "decisions 6: Run records",
    ),
    "trust:state:only_marked_folders_are_removed": Requirement(
        "A worktree is removed only below our own folder, on its spec's branch, with our mark beside it.",
        "issue: A folder is data until a person trusts it",
    ),
}
