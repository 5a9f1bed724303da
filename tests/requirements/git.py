"""Git (decisions 3: git)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "git:reads:need_no_git_program_per_spec": Requirement(
        "Specs in progress cost no git process a call.", "decisions 3: git; reference chant 8.2 W20"
    ),
    "git:reads:reftable_repository": Requirement(
        "Commits are found in a repository with reftable storage.", "decisions 3: git"
    ),
    "git:reads:sha256_repository": Requirement(
        "Commits are found in a SHA-256 repository.", "decisions 3: git"
    ),
    "git:reads:partial_clone": Requirement(
        "Commits are found in a partial clone; what it lacks is fetched by acts and by no look.",
        "decisions 3: git",
    ),
    "git:program:environment_is_cleaned": Requirement(
        "The git program runs in a cleaned environment, so a caller's `GIT_DIR` changes nothing.",
        "decisions 3: git",
    ),
    "git:commits:no_tool_commits": Requirement(
        "`chant_spec_update`, `chant_add`, `chant_finalize` and `chant_archive` make no git commit.",
        "reference chant 5.9, 5.10, 5.11, 5.15",
    ),
    "git:safety:users_changes_stay": Requirement(
        "No tool touches uncommitted or staged changes that are the user's.",
        "decisions 4; reference chant 8.2 W6",
    ),
}
