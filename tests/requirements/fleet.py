"""Many repositories as one set of tables (issue 26, point 2)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "fleet:tables:one_set": Requirement(
        "A fleet gives items and edges of many repositories in the tables of one, with keys "
        "`repo/dialect:id`; what one repository names so of another is the item there, and missing where "
        "there is none.",
        "issue 26.2",
    ),
    "fleet:objects:no_checkout": Requirement(
        "Each repository is read from the objects of the commit in HEAD, whatever its checkout holds.",
        "issue 26.2",
    ),
    "fleet:kept:costs_what_moved": Requirement(
        "What a commit holds is kept by the commit and our version: a second look reads only repositories "
        "that moved. Kept results that are damaged count as none.",
        "issue 26.2",
    ),
    "fleet:problems:rows": Requirement(
        "A repository or a file that cannot be read is a row in `problems` with the reason; the others are "
        "read.",
        "issue 26.2",
    ),
    "fleet:hostile:data_alone": Requirement(
        "Nothing of a repository acts while a fleet reads it; pipes in place of files, configurations that "
        "include others and objects borrowed from elsewhere are problems.",
        "issue 26.2",
    ),
    "fleet:hostile:bounded": Requirement(
        "A commit with more files, folders or bytes than is read of one is a problem.", "issue 26.2"
    ),
    "fleet:names:distinct": Requirement(
        "A repository counts once, by whatever paths and worktrees it is named, and has a name of its own.",
        "issue 26.2",
    ),
    "fleet:addresses:partial_clones": Requirement(
        "Addresses of a list are cloned bare and without what is not read, by no way that starts a program "
        "of theirs, and brought up to date by each look.",
        "issue 26.2",
    ),
    "fleet:runs:receipts": Requirement(
        "Runs of a fleet are those of the receipts in its repositories.", "issue 26.2"
    ),
    "fleet:on:refused": Requirement("A fleet on a cluster is refused before anything is read.", "issue 26.2"),
}
