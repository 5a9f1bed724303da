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
    "fleet:on:same_tables": Requirement(
        "With `on=` the workers of a cluster read the repositories, and the tables are those of a read here; "
        "what is kept is not read again.",
        "issue 26.2",
    ),
    "fleet:on:kept_apart": Requirement(
        "What workers read is kept apart for each cluster, and is not believed where no cluster is named.",
        "issue 26.2",
    ),
    "fleet:on:offered_alone": Requirement(
        "A worker reads folders and addresses that its owner offers (`worker --reads`) and no others, "
        "wherever links and files of a repository lead; without an offer it reads none. The worker of "
        "`local` reads what its user may read.",
        "issue 26.2",
    ),
    "fleet:on:answers_are_data": Requirement(
        "What workers send is bounded data: what is none is a problem of the place that was asked for, which "
        "names the worker. Names, places and the commits of folders are never taken from it.",
        "issue 26.2; issue 25.2",
    ),
    "fleet:on:lost_workers": Requirement(
        "Repositories of a worker that leaves are problems that name it; the others are given.", "issue 26.2"
    ),
    "fleet:on:no_secret_leaves": Requirement(
        "An address with a user or a password is sent to no worker, and offered by none.", "issue 26.2"
    ),
    "fleet:on:bad_targets": Requirement(
        "A cluster that is none, does not answer or has no TLS is refused with a sentence.", "issue 26.2"
    ),
    "fleet:on:no_engine_without": Requirement(
        "A fleet without `on=` imports nothing of clusters.", "issue 26.2"
    ),
}
