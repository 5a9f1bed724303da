"""Folders of runs (issue: A run works in a repository of its own)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:run_folder:nothing_but_its_branch_comes_back": Requirement(
        "What an agent does to configuration, hooks, refs, index, stash and objects of the repository it"
        " works in changes nothing of the project; the commits of `chant/<id>` come back and are landed, and"
        " others are kept under refs of ours alone.",
        "issue: A run works in a repository of its own, 1",
    ),
    "chant:run:last_words": Requirement(
        "Where the work of an agent that ended well is not done, a question as its last line is given to a"
        " person as one, and `Nothing to change: REASON` without a commit waits for a person who accepts it.",
        "issue: Ordinary repositories, 9 and 10",
    ),
    "chant:run:submodules": Requirement(
        "The folders of runs and checks have the submodules that the checkout has, without network. What an"
        " agent commits in one and the project's commit names comes back as a branch of that submodule; what"
        " else lies there is kept and named.",
        "issue: Ordinary repositories, 5",
    ),
    "chant:run:state_out_of_the_way": Requirement(
        "While a run works, and after one that did not complete, the spec's file says so and git takes it for"
        " unchanged, so that pull, rebase, switch and merge go on. Where git puts its own version there, the"
        " state is written again; what a person writes is seen, and a person's decision stays.",
        "issue: Ordinary repositories, 7",
    ),
    "chant:run:nothing_unaccounted": Requirement(
        "Before a run's folder goes, what only it has is kept and named: commits on other refs, in the stash"
        " and on a detached HEAD under refs, repositories inside and ignored files beside the folder,"
        " but no caches and dependency folders. A folder that would be a commit of a repository that nobody"
        " has does not land by itself.",
        "issue: Ordinary repositories, 1",
    ),
    "chant:run_folder:commits_of_a_live_run_are_seen": Requirement(
        "`git log chant/<id>` in the project follows a run that lives.",
        "issue: A run works in a repository of its own, 1",
    ),
    "chant:run_folder:handed_over_clean": Requirement(
        "A folder that is given to a person has its repository made again from the commits that came back:"
        " the person's git runs nothing that the agent planned there or in folders below, and the files and"
        " what is not committed are as they were.",
        "issue: A run works in a repository of its own, 1",
    ),
    "chant:run_folder:ends_name_where_the_work_is": Requirement(
        "Work that an agent left on another branch or on a detached head is named at the end of the run.",
        "issue: A run works in a repository of its own, 3",
    ),
    "chant:run_folder:lost_folder_is_judged_by_what_came_back": Requirement(
        "An agent that removes its folder or its repository loses nothing that came back before, and its"
        " run's end is true.",
        "issue: A run works in a repository of its own, 3",
    ),
    "chant:run_folder:no_lock_outlives_a_run": Requirement(
        "Locks that a killed git left in the folder of a run stop neither its judging nor the next run.",
        "issue: A run works in a repository of its own, 1",
    ),
    "chant:run_folder:works_in_every_clone": Requirement(
        "Shallow clones, partial clones and files of Git LFS come back and land like all else.",
        "issue: A run works in a repository of its own, 1",
    ),
    "chant:run_folder:cut_off_making_loses_nothing": Requirement(
        "A folder or a repository whose making was cut off is made from the beginning: files that were never"
        " checked out are not taken for files that an agent removed.",
        "issue: A run works in a repository of its own, 1",
    ),
    "chant:run_folder:catches_up": Requirement(
        "A retry goes on where a person moved the branch of the work in the project.",
        "issue: A run works in a repository of its own, 1",
    ),
    "chant:run_folder:not_in_a_checkout": Requirement(
        "Folders of runs never lie in the user's checkout, whatever the configuration names.",
        "issue: A run works in a repository of its own, 1",
    ),
    "chant:run_folder:checks_see_the_judged_commit_only": Requirement(
        "Checks run on the files of the judged commit and on nothing else that the run wrote.",
        "issue: A run works in a repository of its own, 4",
    ),
}
