"""Security (seed chant 1794-1799) and what we never do."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "server:security:opens_no_network_port": Requirement(
        "The stdio server listens on no network port.", "seed chant:1796"
    ),
    "server:security:uses_the_permissions_of_its_parent": Requirement(
        "The server acts with the file permissions of the process that started it and asks for no others.",
        "seed chant:1797",
    ),
    "server:security:ids_cannot_leave_the_project": Requirement(
        "An id or name with `/`, `\\` or `..` is refused and never reaches a file outside the project.",
        "seed chant:1798; decisions 4; reference chant 8.1 D32",
    ),
    "server:security:front_matter_paths_are_confined": Requirement(
        "Files named by `context` or `output_schema` are read inside the project only.",
        "reference chant 8.1 D32",
    ),
    "server:security:symlink_out_of_the_project_is_refused": Requirement(
        "A spec that is a symbolic link out of the project is neither read nor written; it is listed as a "
        "problem.",
        "issue: Bad input; decisions 4",
    ),
    "server:security:no_credentials_in_answers": Requirement(
        "No answer contains credentials from the environment or the user's configuration.", "seed chant:1799"
    ),
    "server:security:captured_output_masks_secrets": Requirement(
        "Values of variables named like `*KEY*`, `*TOKEN*`, `*SECRET*` or `*PASSWORD*` are masked in "
        "everything captured.",
        "decisions 3: Secrets",
    ),
    "server:security:text_of_a_spec_is_never_run": Requirement(
        "No text of a spec is ever run as a command.",
        "decisions 3: Commands named in specs",
    ),
    "server:security:named_checks_come_from_config": Requirement(
        "`<!-- check: NAME -->` runs only the argument list of that name in the project's config.",
        "decisions 3: Commands named in specs",
    ),
    "server:files:written_only_in_the_project": Requirement(
        "Tools write only inside the project's root and `<git common dir>/chant-mcp/`.",
        "decisions 3: Files we write",
    ),
    "server:files:other_places_are_few": Requirement(
        "Outside the project only worktrees under `$XDG_STATE_HOME/chant-mcp/worktrees/`, registered ticket "
        "projects and absolute `.vine` paths are written.",
        "decisions 3: Files we write",
    ),
}
