"""Documents of plans in other formats, read and edited in place (issue 47)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "plans:edits:change_what_is_meant_alone": Requirement(
        "An edit of a plan changes the bytes of what is meant; all other items, sections and bytes "
        "stay, or nothing is written.",
        "issue 47: After each edit",
    ),
    "plans:openspec:changes_and_tasks_are_items": Requirement(
        "Each folder of `openspec/changes/` is an item that holds the tasks of its `tasks.md`, with "
        "the numbers, states and parts that the format's own program counts.",
        "issue 47: OpenSpec",
    ),
    "plans:openspec:edits_change_their_bytes": Requirement(
        "A tick of an OpenSpec task changes one character; a new task, a title and a section change "
        "their own lines.",
        "issue 47: OpenSpec",
    ),
    "plans:openspec:findings_are_those_of_its_program": Requirement(
        "Changes and main specs are checked by the rules of `openspec validate --strict`.",
        "issue 47: OpenSpec",
    ),
    "plans:openspec:archiving_is_left_to_its_program": Requirement(
        "What archiving a change would do is shown; the refusal names the command of the format's own "
        "program.",
        "issue 47: OpenSpec",
    ),
    "plans:openspec:what_acts_is_named": Requirement(
        "Keys of OpenSpec's configuration that instruct agents, and its schemas, count as acting.",
        "issue 47: OpenSpec",
    ),
    "plans:openspec:odd_lists_are_read": Requirement(
        "Odd boxes, numbers, names, metadata and documents of OpenSpec give the items that its "
        "program counts, and hide no other.",
        "issue 47: OpenSpec",
    ),
    "plans:kiro:specs_and_tasks_are_items": Requirement(
        "Each folder of `.kiro/specs/` with a list, requirements or a bug fix is an item that holds "
        "the tasks of its list, nested by their numbers; a spec is done with its required leaves.",
        "issue 47: Kiro",
    ),
    "plans:kiro:order_is_what_the_list_says": Requirement(
        "Waves alone, else `_Depends` and the order of a cc-sdd list with its `(P)`, say which tasks "
        "are ready; tasks that nobody approved wait for a person.",
        "issue 47: Kiro",
    ),
    "plans:kiro:requirements_are_statements": Requirement(
        "Criteria of requirements are statements by the numbers with which tasks name them.",
        "issue 47: Kiro",
    ),
    "plans:kiro:edits_change_their_bytes": Requirement(
        "A status of a Kiro task is one character; a new task has the form that the editor "
        "recognizes, with the next number of its holder.",
        "issue 47: Kiro",
    ),
    "plans:kiro:findings": Requirement(
        "Numbers, waves, dependencies, requirements and boxes of Kiro lists are checked.",
        "issue 47: Kiro",
    ),
    "plans:kiro:odd_lists_are_read": Requirement(
        "Odd stars, numbers, indents, fields, waves and line ends of Kiro lists are read as their "
        "table says, and hide no other task.",
        "issue 47: Kiro",
    ),
    "plans:backlog:tasks_are_items": Requirement(
        "Each file of a task is an item with its criteria, definition of done, dependencies and "
        "holder; front matter that is no YAML, such as `assignee: [@name]`, is read as its program "
        "repairs it.",
        "issue 47: Backlog.md",
    ),
    "plans:backlog:the_list_of_states_is_the_projects_own": Requirement(
        "The last word of the configured list and the folder `completed/` alone are done; a word "
        "outside of the list is a problem and never ready; the folder is the one that the "
        "configuration names.",
        "issue 47: Backlog.md",
    ),
    "plans:backlog:edits_change_their_bytes": Requirement(
        "A tick or a status changes its own value and `updated_date`; attributes, sections and "
        "criteria change in the style that is there; unknown keys and comments stay.",
        "issue 47: Backlog.md",
    ),
    "plans:backlog:new_tasks_have_free_numbers": Requirement(
        "A new task has the form of its program and a number that no task of any folder has.",
        "issue 47: Backlog.md",
    ),
    "plans:backlog:what_acts_is_named": Requirement(
        "Commands that its configuration or a task names count as acting and are never run.",
        "issue 47: Backlog.md",
    ),
    "plans:backlog:findings": Requirement(
        "States, dependencies, holders, dates, commands and criteria of tasks are checked.",
        "issue 47: Backlog.md",
    ),
    "plans:backlog:odd_files_are_read": Requirement(
        "Odd values, IDs, states, marks, criteria and line ends of tasks are read as their table "
        "says; what is no task is named, and hides no other.",
        "issue 47: Backlog.md",
    ),
    "plans:orders:enclose_what_an_item_needs": Requirement(
        "The work order of an item has its texts with their sources, its open boxes, the sentences "
        "that it names, and the documents that it may change.",
        "issue 47: the eight questions",
    ),
}
