"""tickets: attributes, status, delete (seed tickets 230-290)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "tickets:update_cr_attrs:parameters_are_required": Requirement(
        "`update_cr_attrs` requires `key` and `attributes`, and `project` where nothing else says which is "
        "meant.",
        "seed tickets:235; reference tickets 10: `project`",
    ),
    "tickets:update_cr_attrs:changes_attributes": Requirement(
        "`title`, `priority`, `phaseEpic`, `assignee`, `relatedTickets`, `dependsOn` and `blocks` can be "
        "changed.",
        "seed tickets:238",
    ),
    "tickets:update_cr_attrs:answer_has_what_changed": Requirement(
        "The answer has `cr` and `changed` with each value before and after.",
        "reference tickets 10: Result; reference tickets 8.2: B16",
    ),
    "tickets:update_cr_attrs:empty_takes_out": Requirement(
        "An empty text or list takes an attribute out, `null` leaves it.", "reference tickets 3.8"
    ),
    "tickets:update_cr_attrs:what_is_so_already_is_not_written": Requirement(
        "Values that are so already are not written, and not reported as changed.",
        "reference tickets 8.2: B16; reference tickets 3.8",
    ),
    "tickets:update_cr_attrs:excludes_status": Requirement(
        "The status cannot be changed through `update_cr_attrs`.", "seed tickets:232"
    ),
    "tickets:attributes:are_checked": Requirement(
        "Priorities, dates and relations are checked when they are given.",
        "reference tickets 8.2: B15; reference tickets 8.2: B26",
    ),
    "tickets:attributes:impact_areas": Requirement(
        "`impactAreas` is an attribute: a list of texts, kept in the front matter.",
        "issue 21; reference tickets 3.7",
    ),
    "tickets:attributes:unknown_ones_are_refused": Requirement(
        "Unknown attributes are refused with those there are.", "reference tickets 8.3: MDT-050"
    ),
    "tickets:attributes:cannot_inject": Requirement(
        "No value becomes a key or a line of its own; those with line breaks are refused.",
        "reference tickets 8.2: B8; reference tickets 10: Frontmatter",
    ),
    "tickets:attributes:lists_in_every_spelling": Requirement(
        "Relations are given and read as text with commas, lists and numbers.",
        "reference tickets 10: Frontmatter; reference tickets 8.2: B14",
    ),
    "tickets:attributes:lists_stay_as_they_were": Requirement(
        "A YAML list stays one when it is changed; other relations are stored as text with commas.",
        "reference tickets 10: Frontmatter",
    ),
    "tickets:relations:are_checked": Requirement(
        "A ticket cannot name itself or close a cycle; relations that lead nowhere are warned about.",
        "reference tickets 8.2: B26; reference tickets 8.3: MDT-188",
    ),
    "tickets:relations:other_dialects": Requirement(
        "A relation may name an item of another dialect by its key.", "decisions 2"
    ),
    "tickets:titles:first_heading_outside_code": Requirement(
        "The title is the first H1 outside of code, else the front matter's, else the file name's words.",
        "reference tickets 10: Title; reference tickets 8.2: B5",
    ),
    "tickets:titles:change_in_every_place": Requirement(
        "A title changes in every place that holds it; the file keeps its name.",
        "reference tickets 10: Title; reference tickets 8.3: MDT-064",
    ),
    "tickets:dates:create_writes_both": Requirement(
        "`create_cr` writes both dates.", "reference tickets 10: Dates"
    ),
    "tickets:dates:every_write_is_dated": Requirement(
        "Every change sets `lastModified` and no other text; a call that changes nothing does not.",
        "reference tickets 10: Dates; reference tickets 8.2: B16; reference tickets 8.3: MDT-146",
    ),
    "tickets:dates:absent_ones_are_the_files": Requirement(
        "For dates that a file does not say those of the file stand in.", "reference tickets 2.2"
    ),
    "tickets:update_cr_status:parameters_are_required": Requirement(
        "`update_cr_status` requires `key` and a status, and `project` where nothing else says which is "
        "meant.",
        "seed tickets:263; reference tickets 10: `project`",
    ),
    "tickets:update_cr_status:workflow_is_checked": Requirement(
        "A status change that the workflow does not allow is refused.", "seed tickets:260"
    ),
    "tickets:update_cr_status:the_transitions": Requirement(
        "The workflow has the documented transitions, and `Partially Implemented` from `In Progress`.",
        "reference tickets 10: Status; reference tickets 3.9",
    ),
    "tickets:update_cr_status:same_is_no_change": Requirement(
        "The status that a ticket has already is accepted and changes nothing.",
        "reference tickets 10: Status",
    ),
    "tickets:update_cr_status:unknown_may_become_any": Requirement(
        "From a status that is not documented a ticket may go to any.",
        "reference tickets 10: Status; reference tickets 8.3: MDT-148",
    ),
    "tickets:delete_cr:parameters_are_required": Requirement(
        "`delete_cr` requires `key`, and `project` where nothing else says which is meant.",
        "seed tickets:280; reference tickets 10: `project`",
    ),
    "tickets:delete_cr:answers_with_message_and_file": Requirement(
        "The answer has `message` (`CR <key> deleted successfully`) and `deletedFile`.", "seed tickets:286"
    ),
    "tickets:delete_cr:tells_what_is_left": Requirement(
        "Tickets that name the deleted one and a folder of its name are reported.",
        "reference tickets 10: Delete",
    ),
}
