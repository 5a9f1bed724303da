"""Plans of other formats at all doors (issue 47)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "plans:formats:are_listed": Requirement(
        "`formats()` names every format with its words, markers, edits, states and an example of a key.",
        "issue 47: formats()",
    ),
    "plans:store:discovery": Requirement(
        "Documents are found by exact patterns below the root, never in another checkout; copies, empty and "
        "unreadable documents, those in conflict and too large ones are named and hide no other.",
        "issue 47: Finding documents",
    ),
    "plans:store:links": Requirement(
        "A link that leads out of the project is named and not followed; a document that is reached by two "
        "ways counts once.",
        "issue 47: Finding documents",
    ),
    "plans:store:changes": Requirement(
        "Only documents that changed are read again, and only their units.", "issue 47: speed"
    ),
    "plans:store:limits": Requirement(
        "More units or items than are read are named.", "issue 47: Finding documents"
    ),
    "plans:store:edits": Requirement(
        "Edits are tried one after the other and written together; a format that would change more than was "
        "meant is stopped.",
        "issue 47: After each edit",
    ),
    "plans:everywhere:commands": Requirement(
        "`list`, `ready`, `show`, `search`, `graph`, `export`, `tick`, `untick`, `edit` and `add --to` work "
        "for items of every format.",
        "issue 47: Everywhere at once",
    ),
    "plans:everywhere:no_folder_of_ours": Requirement(
        "Reading a project of another format leaves no file of ours in it.", "issue 47: init"
    ),
    "plans:everywhere:scripts": Requirement(
        "Items of formats without a class of their own are `PlanItem`s.", "issue 47: Python"
    ),
    "plans:everywhere:transactions": Requirement(
        "Edits of such items take part in transactions: all or none.", "issue 47: transactions"
    ),
    "plans:everywhere:changes": Requirement(
        "Changes of such items are announced like those of others.", "issue 47: since, watch"
    ),
    "plans:everywhere:boards": Requirement(
        "Boards show such items by what they mean, with the edits that their format takes as acts.",
        "issue 47: boards",
    ),
    "plans:tools:five": Requirement(
        "Five tools list, show, choose, change and add items of every format.", "issue 47: Five tools"
    ),
    "plans:writers:no_tick_is_lost": Requirement(
        "Ticks of several servers in one list are all there, and no other byte changed",
        "issue: Any plan, where it lies: Proof",
    ),
    "plans:writers:no_number_twice": Requirement(
        "New tasks of several servers have numbers of their own",
        "issue: Any plan, where it lies: Proof",
    ),
    "plans:writers:transactions": Requirement(
        "A transaction over plans of several formats is all or nothing, whenever its process dies",
        "issue: Any plan, where it lies: Proof",
    ),
    "plans:backlog:locks_of_its_program": Requirement(
        "Edits of Backlog tasks take the locks of Backlog.md's own program where it has some",
        "issue: Any plan, where it lies: Backlog.md",
    ),
    "plans:backlog:numbers_of_branches": Requirement(
        "New Backlog tasks get numbers that no branch has",
        "issue: Any plan, where it lies: Backlog.md",
    ),
    "plans:documents:resources": Requirement(
        "Items of plans and their documents are resources, listed and completed, and no other file is one",
        "issue: Any plan, where it lies: Everywhere at once",
    ),
    "plans:documents:prompts": Requirement(
        "The prompts of hosts' menus take items of every format",
        "issue: Any plan, where it lies: Everywhere at once",
    ),
    "plans:tools:order": Requirement(
        "The order of the next item encloses its texts with document and lines, statements and boxes.",
        "issue 47: Five tools",
    ),
    "plans:tools:listing": Requirement(
        "The five tools take at most 3,200 bytes; `auto` lists them where such a format is, `all` never.",
        "issue 47: Five tools",
    ),
    "plans:tools:own_tools_are_named": Requirement(
        "Items of formats with tools of their own are read by the five, too; an edit is refused and names "
        "the tool.",
        "issue 47: Five tools",
    ),
    "plans:init:needs_none": Requirement(
        "`init` in a project with plans of another format writes nothing unless asked and says what can be "
        "done.",
        "issue 47: init",
    ),
    "plans:house:fewer_places": Requirement(
        "Places outside of their crates that name a format only get fewer.", "issue 47: house test"
    ),
}
