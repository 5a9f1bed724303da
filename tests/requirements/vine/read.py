"""`vine_read` (seed vine 47-64; reference vine 5.1)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "vine:read:file_and_action_are_required": Requirement(
        "`vine_read` requires `file` and `action`.", "seed vine:47"
    ),
    "vine:read:eight_actions": Requirement(
        "`action` is one of `summary`, `list`, `task`, `context`, `descendants`, `search`, `refs`, "
        "`validate`.",
        "seed vine:48",
    ),
    "vine:read:pages_are_as_large_as_fits": Requirement(
        "A page of a list has as many entries as its text holds, an entry a line where not all fit; "
        "`fields` names the keys of entries, and status and query hold together.",
        "issue 21",
    ),
    "vine:read:id_is_required_for_task": Requirement(
        '`task` and `descendants` require `id`: `id is required for action "task".`',
        "seed vine:49; decisions 3: Missing or ill-typed argument",
    ),
    "vine:read:list_filters_by_status": Requirement("`list` filters by `status`.", "seed vine:50"),
    "vine:read:list_filters_by_query": Requirement("`list` filters by `query`.", "seed vine:51"),
    "vine:read:validate": Requirement("`validate` answers `Valid — <n> task(s).`", "seed vine:57"),
    "vine:read:summary": Requirement(
        "`summary` answers with the root task, total and leaf counts and a breakdown by status, as text.",
        "seed vine:58",
    ),
    "vine:read:list": Requirement("`list` answers with an array of task objects.", "seed vine:59"),
    "vine:read:task": Requirement("`task` answers with the full task object.", "seed vine:60"),
    "vine:read:context": Requirement(
        "`context` adds `resolved_dependencies` (status, decisions, attachments) and `dependant_tasks` to "
        "the task.",
        "seed vine:61",
    ),
    "vine:read:descendants": Requirement(
        "`descendants` answers with the transitive dependants as `{id, shortName}`.", "seed vine:62"
    ),
    "vine:read:search": Requirement(
        "`search` finds tasks by name and description, whatever the case.", "seed vine:63"
    ),
    "vine:read:refs": Requirement(
        "`refs` answers with the reference nodes as `{id, shortName, vine, dependencies}`.", "seed vine:64"
    ),
    "vine:read:keys_stand_in_the_order_of_the_reference": Requirement(
        "Keys of nodes and answers stand in the order of the reference; ours follow.",
        "decisions 3: Keys order in JSON; reference vine 5",
    ),
    "vine:read:lists_are_texts_beside_a_structure": Requirement(
        "A list is the array as text, and `{result, total, returned}` structured.",
        "decisions 3: Tool result",
    ),
    "vine:read:cut_lists_say_so": Requirement(
        "Lists take `limit` and `offset`; one that was cut says so in a second text, with the next offset.",
        "decisions 3: Tool result, Size of a result",
    ),
    "vine:read:errors_name_what_is_missing": Requirement(
        "`context` and `dependencies` need `id`, `search` needs `query`; unknown statuses or actions are "
        "reported with those there are.",
        "reference vine 5.1, D5",
    ),
    "vine:read:search_looks_into_ids": Requirement(
        "`search` and the query of `list` look into IDs, too.",
        "reference vine D6",
    ),
    "vine:read:validate_warns_of_open_tasks": Requirement(
        "`validate` warns when the root is complete and others are not.",
        "reference vine W17",
    ),
    "vine:read:dependencies": Requirement(
        "`dependencies` answers with all that a node needs, directly or not.",
        "reference vine W12",
    ),
    "vine:read:meta": Requirement(
        "`meta` answers with version, title, prefix, delimiter and the git hash of the text.",
        "reference vine W3, W12",
    ),
}
