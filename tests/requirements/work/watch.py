"""`watch` and `chant_watch_status`, `_start` and `_stop` (seed chant 1022-1161; issue: Watch)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:watch:a_death_is_noticed_at_once": Requirement(
        "The daemon is woken by the end of a runner, not by its poll alone.", "issue: Watch"
    ),
    "chant:watch:merges_what_waited": Requirement(
        "The daemon merges work that waited when what was in its way is gone.", "issue: Watch"
    ),
    "chant:watch:retries_with_backoff": Requirement(
        "The daemon tries failed work again as often and as late as `watch.failure` says, and only where the "
        "log holds one of its patterns.",
        "issue: Watch; reference chant 6.10",
    ),
    "chant:watch:ends_when_idle": Requirement(
        "The daemon ends when nothing was to be done for `watch.idle_timeout_minutes`.",
        "reference chant 6.10",
    ),
    "chant:watch:spares_work_by_hand": Requirement(
        "`watch --once` removes what the dead left, and leaves specs alone that somebody set in_progress.",
        "issue: Watch; reference chant 8.2 W14",
    ),
    "chant:watch:removes_worktrees_nobody_needs": Requirement(
        "The daemon removes worktrees of runs that ended whose work is on main and that hold nothing else.",
        "issue: Watch",
    ),
    "chant:watch:commands": Requirement(
        "`chant-mcp watch` watches, also once or in the background, and tells and ends who does.",
        "issue: Watch",
    ),
    "chant:watch_status:answer_has_three_keys": Requirement(
        "The answer has `watch_running`, `worktrees` and `worktree_count`.", "seed chant:1022"
    ),
    "chant:watch_status:worktree_has_six_keys": Requirement(
        "A worktree has `spec_id`, `path`, `status`, `updated_at`, `error` and `commits`, null when unknown.",
        "seed chant:1025; reference chant 8.1 D22",
    ),
    "chant:watch_status:status_is_one_of_four": Requirement(
        "A worktree is `working`, `done`, `failed` or `unknown`.", "seed chant:1051"
    ),
    "chant:watch_start:spawns_watch": Requirement(
        "`chant_watch_start` starts watch in the background and answers `Started watch process (PID: "
        "<pid>)`.",
        "seed chant:1088",
    ),
    "chant:watch_start:already_running_is_refused": Requirement(
        "When watch runs already the error is `Watch is already running`.", "seed chant:1104"
    ),
    "chant:watch_start:reports_all_ends": Requirement(
        "The watch reports each end of a run, also of one that began and ended between two of its looks.",
        "issue: Watch",
    ),
    "chant:watch_stop:sends_the_signal": Requirement(
        "`chant_watch_stop` answers `Sent stop signal to watch process (PID: <pid>)`.", "seed chant:1145"
    ),
    "chant:watch_stop:not_running_is_refused": Requirement(
        "When watch does not run the error is `Watch is not running`.", "seed chant:1161"
    ),
    "chant:watch_stop:shutdown_is_graceful": Requirement(
        "Watch removes its PID file and cleans up on SIGTERM.", "seed chant:1122"
    ),
}
