"""`vine_write`: operations, edited bytes, locks, the loop of agents (seed vine 92-262; reference vine)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "vine:write:operations_are_atomic": Requirement(
        "`vine_write` applies all operations in order, or none.", "seed vine:92"
    ),
    "vine:write:at_least_one_operation": Requirement(
        "`file` and at least one operation are required.", "seed vine:97"
    ),
    "vine:write:create": Requirement(
        "`create` makes a new file and must be the first operation.", "seed vine:103"
    ),
    "vine:write:add_task": Requirement(
        "`add_task` adds a task with `id`, `name` and optional `status`, `description`, `dependsOn`, "
        "`annotations`.",
        "seed vine:104",
    ),
    "vine:write:remove_task": Requirement("`remove_task` removes a task and its edges.", "seed vine:105"),
    "vine:write:set_status": Requirement("`set_status` changes a task's status.", "seed vine:106"),
    "vine:write:update": Requirement(
        "`update` changes `name`, `description`, `decisions`, `attachments` or `annotations`.",
        "seed vine:107",
    ),
    "vine:write:claim": Requirement(
        "`claim` sets a task to started and answers with its dependency context.", "seed vine:108"
    ),
    "vine:write:claim_refuses_what_cannot_start": Requirement(
        "`claim` refuses a task that is started, complete or unsatisfied, naming why; `force: true` "
        "overrides.",
        "decisions 3: vine `claim`",
    ),
    "vine:write:extract_to_ref": Requirement(
        "`extract_to_ref` moves a task into a child file and leaves a reference.", "seed vine:109"
    ),
    "vine:write:add_dep": Requirement("`add_dep` adds an edge from `taskId` to `depId`.", "seed vine:110"),
    "vine:write:remove_dep": Requirement("`remove_dep` removes that edge.", "seed vine:111"),
    "vine:write:add_ref": Requirement(
        "`add_ref` adds a reference node with `id`, `name`, `vine` and optional fields.", "seed vine:112"
    ),
    "vine:write:update_ref_uri": Requirement(
        "`update_ref_uri` changes a reference node's URI.", "seed vine:113"
    ),
    "vine:write:validation_runs_once_at_the_end": Requirement(
        "A task may be added and wired in the same batch, since validation runs after all operations.",
        "seed vine:115",
    ),
    "vine:write:answer_has_summary_and_frontier": Requirement(
        "The answer has `summary`, `progress`, `ready_to_start`, `ready_to_complete`, `blocked` and "
        "`needs_expansion`.",
        "seed vine:121",
    ),
    "vine:write:answer_has_claimed": Requirement(
        "After a `claim` the answer has `claimed`, the task with its dependency context.", "seed vine:127"
    ),
    "vine:write:frontier_is_capped": Requirement(
        "Frontier lists after a write show 50 entries, with the full counts in `progress`; `limit` raises "
        "it.",
        "decisions 3: vine answers on large graphs",
    ),
    "vine:write:round_trip_keeps_the_graph": Requirement(
        "Writing and reading a graph preserves its structure.", "seed vine:208"
    ),
    "vine:write:duplicate_id_is_an_error": Requirement("A duplicate ID is an error.", "seed vine:259"),
    "vine:write:root_cannot_be_removed": Requirement("Removing the root is an error.", "seed vine:260"),
    "vine:write:invalid_status_is_an_error": Requirement("An invalid status is an error.", "seed vine:261"),
    "vine:write:unknown_task_is_an_error": Requirement("An unknown task ID is an error.", "seed vine:262"),
    "vine:write:shapes_are_checked_first": Requirement(
        "Every operation's shape is checked before a file is touched: unknown fields and wrong types are "
        "refused by number, operation and field.",
        "reference vine 6.2 R, W13",
    ),
    "vine:write:refusals_number_the_operation": Requirement(
        "An operation that cannot be carried out is reported in the seed's words, and its number and name on "
        "the next line.",
        "reference vine W13",
    ),
    "vine:write:texts_the_format_cannot_carry_are_refused": Requirement(
        "What the format cannot carry is refused by the name of its field.",
        "reference vine W1",
    ),
    "vine:write:strict_order": Requirement(
        "Operations take effect in their order, extraction included.",
        "reference vine D4",
    ),
    "vine:write:version_covers_what_comes_in": Requirement(
        "The file's version is raised to the lowest that covers what an operation brings.",
        "reference vine D19",
    ),
    "vine:write:claim_names_an_owner": Requirement(
        "`claim` may name an owner, who is kept as an annotation and reported to those who come later.",
        "reference vine W4, W18",
    ),
    "vine:write:adds_beside_what_is_there": Requirement(
        "`addDecisions`, `addAttachments` and `removeAttachments` leave what others wrote.",
        "reference vine W12",
    ),
    "vine:write:rename_task": Requirement(
        "`rename_task` gives a node another ID in all dependencies.",
        "reference vine W12",
    ),
    "vine:write:move_task": Requirement(
        "`move_task` puts a node before another or at the end; the first node is the root.",
        "reference vine W12",
    ),
    "vine:write:set_meta": Requirement(
        "`set_meta` sets title, prefix and delimiter.",
        "reference vine W12",
    ),
    "vine:write:dry_run": Requirement(
        "`dry_run: true` answers what would be, with a diff, and writes nothing.",
        "reference vine W12",
    ),
    "vine:write:expect": Requirement(
        "`expect` refuses when the file is another than the caller has read.",
        "reference vine W3",
    ),
    "vine:edit:only_the_lines_meant_change": Requirement(
        "A change of an existing file touches the lines it means and no other byte.",
        "reference vine 4 R, W9",
    ),
    "vine:edit:line_ends_and_mark_stay": Requirement(
        "CRLF, a byte order mark and a missing last line end stay as they are.",
        "reference vine W9",
    ),
    "vine:edit:unknown_metadata_stays": Requirement(
        "Unknown keys and remarks of the preamble stay.",
        "reference vine D12",
    ),
    "vine:edit:own_version_is_kept": Requirement(
        "A file keeps its version as it is written there.",
        "reference vine D19",
    ),
    "vine:edit:rights_and_links_stay": Requirement(
        "A replaced file keeps its permissions, and a link to it stays a link.",
        "reference vine W2",
    ),
    "vine:edit:refused_batches_leave_every_byte": Requirement(
        "After any refusal all files are byte for byte as they were.",
        "reference vine 6.1",
    ),
    "vine:edit:refused_or_reads_back": Requirement(
        "A batch is refused, or the next reader of the file finds what the answer said.",
        "reference vine W1, D20",
    ),
    "vine:edit:readers_see_whole_files": Requirement(
        "Who reads a file while it is changed sees the old text or the new one.",
        "reference vine W2",
    ),
    "vine:edit:a_crash_leaves_all_or_nothing": Requirement(
        "After a crash between two files the next opening finds both changed or none.",
        "decisions 2: Our own state; reference vine W2",
    ),
    "vine:lock:two_servers_lose_no_write": Requirement(
        "Servers that write one file at once lose nothing.",
        "decisions 1; reference vine W3",
    ),
    "vine:lock:one_of_two_claims_succeeds": Requirement(
        "Of two servers that claim one task, or make one file, exactly one succeeds.",
        "decisions 3: vine `claim`; reference vine W4",
    ),
    "vine:loop:agents_carry_out_a_nested_plan": Requirement(
        "Agents that follow the documented loop complete a plan of several files, every time.",
        "reference vine 9.3, W6",
    ),
}
