"""`list_crs` (seed tickets 75-117)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "tickets:list_crs:project_is_required": Requirement(
        "`list_crs` requires `project` where nothing else says which is meant.",
        "seed tickets:79; reference tickets 10: `project`",
    ),
    "tickets:list_crs:filters_by_status": Requirement(
        "`filters.status` takes a status or a list of them.", "seed tickets:81"
    ),
    "tickets:list_crs:filters_by_type": Requirement(
        "`filters.type` takes a type or a list of them.", "seed tickets:82"
    ),
    "tickets:list_crs:filters_by_priority": Requirement(
        "`filters.priority` takes a priority or a list of them.", "seed tickets:83"
    ),
    "tickets:list_crs:filters_match_whole_words": Requirement(
        "Filters match whole values in any case of letters, also such that only files have.",
        "reference tickets 10: Filters",
    ),
    "tickets:list_crs:unknown_values_are_refused": Requirement(
        "A filter or value that there is not is refused with those there are.",
        "reference tickets 10: Filters",
    ),
    "tickets:list_crs:ticket_has_nine_keys": Requirement(
        "A ticket has `code`, `title`, `status`, `type`, `priority`, `dateCreated`, `lastModified`, "
        "`assignee` and `phaseEpic`.",
        "seed tickets:102",
    ),
    "tickets:list_crs:totals": Requirement(
        "`total` counts the tickets of the project, `filtered` those that match.",
        "seed tickets:113; reference tickets 10: `total` / `filtered`",
    ),
    "tickets:list_crs:newest_first": Requirement(
        "Tickets are listed by number, the highest first.", "reference tickets 3.5"
    ),
    "tickets:list_crs:pages": Requirement(
        "`limit` and `offset` page through the tickets; `returned` and `next_offset` say how to get the "
        "rest.",
        "decisions 3: Size of a result; issue",
    ),
    "tickets:list_crs:fields": Requirement("`fields` chooses the keys of each ticket.", "issue"),
    "tickets:list_crs:default_is_under_10_kb": Requirement(
        "The default list of 1,000 tickets is under 10 KB; long values are cut and say so.",
        "decisions 3: Size of a result; issue",
    ),
    "tickets:list_crs:problems_are_told": Requirement(
        "Files that cannot be read are reported beside the tickets and hide none.",
        "reference tickets 8.3: MDT-209; decisions 3: Unreadable files",
    ),
}
