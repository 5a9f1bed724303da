"""tickets: configuration and concurrency (seed tickets 487-516)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "tickets:config:global_file": Requirement(
        "Settings come from `~/.config/markdown-ticket/mcp-server.toml`, then from `config.toml`.",
        "seed tickets:492; reference tickets 10: Config",
    ),
    "tickets:config:config_home": Requirement(
        "`XDG_CONFIG_HOME` and `CONFIG_DIR` say where the configuration lies.", "reference tickets 1.1"
    ),
    "tickets:config:project_filter": Requirement(
        "`MCP_PROJECT_FILTER` limits the server to one project code.", "seed tickets:498"
    ),
    "tickets:config:scan_paths": Requirement("`MCP_SCAN_PATHS` lists the paths to scan.", "seed tickets:499"),
    "tickets:config:config_path": Requirement(
        "`MCP_CONFIG_PATH` names another configuration file.", "seed tickets:500"
    ),
    "tickets:config:log_level": Requirement("`MCP_LOG_LEVEL` sets the logging level.", "seed tickets:501"),
    "tickets:config:scan_settings_are_honoured": Requirement(
        "`scanPaths`, `searchPaths`, `~`, depth and exclusions are honoured.",
        "reference tickets 8.2: B21; reference tickets 10: Config; reference tickets 8.3: MDT-100",
    ),
    "tickets:config:is_never_written": Requirement(
        "No file of a user's configuration or of a project's is ever written.",
        "reference tickets 8.2: B20; reference tickets 10: Config; reference tickets 1.7",
    ),
    "tickets:config:templates": Requirement(
        "Templates come from `<project>/.mdt-templates/`, then from the user's configuration folder.",
        "seed tickets:493; decisions 3: Ticket workflow, titles, dates, sections",
    ),
    "tickets:registry:every_form": Requirement(
        "Records of the registry are read in every form there is; those that lead nowhere are reported.",
        "reference tickets 1.3",
    ),
    "tickets:registry:global_only": Requirement(
        "A project that only the registry defines is listed, read and written like others.",
        "reference tickets 8.2: B19",
    ),
    "tickets:concurrency:edits_of_one_ticket_are_queued": Requirement(
        "Edits of one project wait for each other, with one write lock and no rate limit.",
        "seed tickets:512; decisions 3: Ticket workflow, titles, dates, sections",
    ),
    "tickets:concurrency:creates_get_numbers_of_their_own": Requirement(
        "Creates at the same time get numbers and files of their own.",
        "reference tickets 8.2: B1; reference tickets 10: Numbering",
    ),
    "tickets:concurrency:no_change_is_lost": Requirement(
        "Changes of one ticket at the same time all arrive, from whichever server.",
        "reference tickets 8.2: B2; reference tickets 8.2: B3",
    ),
    "tickets:concurrency:decides_on_what_is_true_then": Requirement(
        "A change is decided on what is on disk when it is made.", "reference tickets 10: Writes"
    ),
    "tickets:concurrency:crash_leaves_old_or_new": Requirement(
        "A crash at any moment leaves the old file or the new one, and blocks no one.",
        "decisions 1; reference tickets 10: Writes",
    ),
}
