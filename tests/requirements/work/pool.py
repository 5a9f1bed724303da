"""Folders for runs that are made before they are asked for."""

from requirements import Requirement

_SOURCE = "issue: A run works in a repository of its own, 2"

REQUIREMENTS: dict[str, Requirement] = {
    "chant:pool:made_for_the_next_run": Requirement(
        "In a project of many files a started run has a folder made for the next one, if another spec "
        "is open; the next run takes it, and its record says so.",
        _SOURCE,
    ),
    "chant:pool:taken_folder_is_as_a_new_one": Requirement(
        "A folder that was made in advance has the files, index, refs and settings of one that is made when "
        "it is asked for, whatever changed since; a file changed in it meanwhile is put right.",
        _SOURCE,
    ),
    "chant:pool:unfit_folders_are_not_taken": Requirement(
        "No folder is taken, or made in advance, whose files depend on more than commit and settings, whose "
        "settings or attributes changed since, or that another user could have written.",
        _SOURCE,
    ),
    "chant:pool:bounded": Requirement(
        "No more folders are made in advance than configured by number and size, none of small projects; "
        "those that are too many, old or unfit are removed.",
        _SOURCE,
    ),
    "chant:pool:bounds_are_the_users": Requirement(
        "`runs.pool` of the user's configuration gives room for folders made in advance; a project's takes "
        "room away and never gives more.",
        _SOURCE,
    ),
    "chant:pool:cut_off_is_thrown_away": Requirement(
        "A folder that was cut off while it was made, renewed, removed or taken is thrown away.", _SOURCE
    ),
    "chant:pool:one_taker_and_one_filler": Requirement(
        "Of several starts at once one takes a folder, and one process at a time makes folders.", _SOURCE
    ),
    "chant:pool:renewed": Requirement(
        "Who makes folders brings those of an earlier commit to the newest one.", _SOURCE
    ),
    "chant:pool:no_agent_touched_it": Requirement(
        "An agent neither reads nor writes a folder that was made in advance, and the next run finds nothing "
        "that another one left.",
        _SOURCE,
    ),
    "chant:pool:no_server_fills_it": Requirement(
        "Folders are made in advance by work that began, never by a server, and not for runs that nothing "
        "holds.",
        _SOURCE,
    ),
    "chant:pool:counted": Requirement(
        "`worktree list` counts the folders made in advance with their size; `worktree prune` removes those "
        "that no run will take and counts the others.",
        _SOURCE,
    ),
}
