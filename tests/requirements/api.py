"""The Python API (issue: Spec API in Python; decisions 3: Python handles)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    # chant: Python API
    "chant:python_api:every_tool_is_one_typed_call": Requirement(
        "Every tool is one call on a typed Python object.", "decisions 1"
    ),
    "chant:python_api:handles_are_snapshots": Requirement(
        "A handle is an immutable snapshot; an edit returns a new handle.",
        "decisions 3: Python handles",
    ),
    "chant:python_api:list_edits_apply_to_a_fresh_read": Requirement(
        "A list edit through an old handle keeps what others added meanwhile.",
        "decisions 3: Python handles",
    ),
    "chant:python_api:body_edit_conflict_is_raised": Requirement(
        "A body edit raises `ConflictError` when the body changed since the handle was read.",
        "decisions 3: Python handles",
    ),
    "chant:python_api:problems_are_listed": Requirement(
        "Unreadable files are listed as problems.", "decisions 3: Unreadable files"
    ),
    # The spec API in Python
    "api:open:finds_what_the_folder_holds": Requirement(
        "`chant_mcp.open` finds the project that a folder belongs to, as the commands do, with the files of "
        "all dialects in it.",
        "issue: Spec API in Python: Entry",
    ),
    "api:names:any_unambiguous_name": Requirement(
        "`ws[name]` gives the item that a key, an ID, a code or a part of an ID means; several or none are "
        "refused.",
        "issue: Spec API in Python: Entry",
    ),
    "api:handles:say_what_documents_say": Requirement(
        "Handles have attributes for what documents say: status, criteria, sections, body and the rest.",
        "issue: Spec API in Python: Entry",
    ),
    "api:pickle:all_answers": Requirement(
        "All answers of the Python API can be pickled: graphs and what they answer as their data, workspaces "
        "and handles as what is read again.",
        "issue 26.5",
    ),
    "api:handles:hash_compare_pickle": Requirement(
        "Handles are hashable, comparable by their keys, frozen, and read again when they are unpickled.",
        "issue: Spec API in Python: Entry",
    ),
    "api:lists:filters": Requirement(
        "Lists of handles have filters by state, label and readiness, and are as of their first look.",
        "issue: Spec API in Python: Entry",
    ),
    "api:lists:never_cut": Requirement(
        "Lists and texts that scripts get are whole, however long.", "issue: Spec API in Python: Entry"
    ),
    "api:threads:lose_nothing": Requirement(
        "Threads of one process that add, edit and read a project's items at once lose no edit, through one "
        "open project and through one each.",
        "issue 26.4",
    ),
    "api:threads:split_processes": Requirement(
        "A process that `os.fork` splits off asks an open project and gets answers; neither process hides a "
        "change from the other.",
        "issue 26.4",
    ),
    "api:import:is_light": Requirement(
        "`import chant_mcp` imports neither the SDK nor what only commands need.",
        "issue: Spec API in Python: Entry",
    ),
    "api:quiet:prints_nothing": Requirement("The API prints nothing.", "issue: Spec API in Python: Entry"),
    "api:parameters:one_spelling": Requirement(
        "Each parameter of a tool is spelled once in the core and once for Python, and both agree in both "
        "directions; a name or a type that is none is refused with the name.",
        "issue: The house in the field's words, point 3",
    ),
    "api:parameters:help": Requirement(
        "The help of a method that takes further keywords says where they are.",
        "issue: The house in the field's words, point 3",
    ),
    "api:documents:every_public_name": Requirement(
        "Every public name of the API is documented and typed.", "issue: Spec API in Python: Documents"
    ),
    "api:examples:run": Requirement(
        "The examples run as they are shown.", "issue: Spec API in Python: Documents"
    ),
    "api:transaction:all_or_none": Requirement(
        "Edits of specs, tickets, task graphs and features in a transaction see one another and are written "
        "together, or not at all.",
        "issue: Spec API in Python: Entry",
    ),
    "api:transaction:sees_across_dialects": Requirement(
        "Inside a transaction items follow those of other dialects that they wait for.",
        "issue: Spec API in Python: Entry",
    ),
    "api:transaction:two_at_once": Requirement(
        "Transactions over the same files, in whatever order, never wait for one another for good, and both "
        "arrive.",
        "issue: Spec API in Python: Entry; decisions 2",
    ),
    "api:transaction:decided_on_what_is_true_then": Requirement(
        "At its end a transaction is decided on the files as they are then: what others changed stays, or "
        "refuses all.",
        "issue: Spec API in Python: Entry; decisions 3: Python handles",
    ),
    "api:transaction:appends_never_conflict": Requirement(
        "Appends, ticks, lists and keys of a transaction are made on the texts as they are at its end; only"
        " a text that was written in the place of another one conflicts.",
        "issue: Refused means nothing happened 4",
    ),
    "api:lists:are_merged": Requirement(
        "A list that is set through a handle takes the place of the one that the handle shows: what others"
        " added or took out meanwhile stays so, in a transaction and outside of one.",
        "issue: Refused means nothing happened 4",
    ),
    "api:transaction:is_tried_again": Requirement(
        "`run_transaction` calls a function again when others were faster, so often at most, and for no"
        " other reason.",
        "issue: Refused means nothing happened 4",
    ),
    "api:transaction:crash_leaves_all_or_none": Requirement(
        "A crash while a transaction is written leaves all of its edits or none, whichever dialect is asked "
        "next.",
        "issue: Spec API in Python: Entry; decisions 2",
    ),
    "api:environment:changes_beside_calls": Requirement(
        "Variables of the process may change in one thread while calls start programs in others; programs"
        " get those of the moment at which a project was opened last.",
        "issue: never a crash",
    ),
    "api:transaction:refuses_what_cannot_be_undone": Requirement(
        "A transaction refuses edits that it could not take back or decide at its end, and says why.",
        "issue: Spec API in Python: Entry",
    ),
    "api:changes:tell_keys": Requirement(
        "`await ws.changes()` gives the keys of what was added, changed and removed since, or that more"
        " changed"
        " than is remembered.",
        "issue: Spec API in Python: Entry",
    ),
    "api:changes:wait_is_bounded": Requirement(
        "A wait for changes ends when it is given up.", "issue: Spec API in Python: Entry"
    ),
    "api:feed:tells_what_a_look_at_everything_finds": Requirement(
        "The feed of changes names exactly the items that a look at everything finds to be new, others or"
        " gone, in"
        " all four formats, with their states.",
        "issue: A board in the browser, point 8; decisions 6: Change feed",
    ),
    "api:feed:changes_are_merged": Requirement(
        "Several changes of an item are one; one that came and went is none.",
        "issue: A board in the browser, point 9",
    ),
    "api:feed:cursors_reset": Requirement(
        "A cursor that is unknown, of another process, or older than 4,096 changes is answered with a reset.",
        "issue: A board in the browser, point 9",
    ),
    "api:feed:costs_what_changed": Requirement(
        "A change costs what it concerns, however many items there are.",
        "issue: A board in the browser, point 8",
    ),
    "api:feed:waits_can_be_ended": Requirement(
        "A wait for changes can be ended from another thread, at once.",
        "issue: A board in the browser, point 8",
    ),
    "api:feed:surroundings": Requirement(
        "A wait may also end when the problems of files or the formats in a folder change.",
        "issue: A board in the browser, point 8",
    ),
    "api:answers:whole": Requirement(
        "What the core gives in pages is whole in scripts: texts, lists, changes.",
        "issue: Spec API in Python: Entry",
    ),
    "api:workspace:names": Requirement(
        "A name is in a workspace when something is called so; phases are items, not tasks.",
        "issue: Spec API in Python: Entry",
    ),
    "api:workspace:refusals": Requirement(
        "A value that is none is refused with an exception of the package.",
        "issue: Spec API in Python: Entry",
    ),
    "api:transaction:ends_with_its_block": Requirement(
        "What outlives the block of a transaction is no part of it.", "issue: Spec API in Python: Entry"
    ),
    "api:former_names:warn_and_give_the_same": Requirement(
        "A public name that changed is kept for a release: it warns once with a `DeprecationWarning` that "
        "has the new name, on the line of the script, and gives the same.",
        "decisions 6: Public Python names that change",
    ),
    "api:types:items_by_name": Requirement(
        "`ws.spec()`, `ws.task()`, `ws.ticket()`, `ws.vine()` and `ws.feature()` have the types of what they "
        "give, and `ws[key]` the union of them; a name of another kind is refused.",
        "issue 26.1",
    ),
    "api:types:hints_of_public_classes": Requirement(
        "`typing.get_type_hints` finds the types of every public name, of its methods and properties.",
        "issue 26.1",
    ),
    "api:graph:is_the_workspace": Requirement(
        "`ws.graph()` holds the items of all dialects with their keys and what waits for what.",
        "issue: Spec API in Python: Graph",
    ),
    "api:graph:as_of_a_revision": Requirement(
        "`graph.read_revision(revision)` gives the graph as git has it, which is compared and not written.",
        "issue: Spec API in Python: Graph",
    ),
    "api:graph:durations_known_then": Requirement(
        "Durations of a graph of a revision are learned from the runs that ended by the time of its commit.",
        "issue: The graph as a typed table, point 8",
    ),
    "api:workspace:recent_commits": Requirement(
        "`ws.recent_commits()` gives the last commits with their times, the newest first.",
        "issue: The graph as a typed table, point 8",
    ),
    "api:graph:learned_durations": Requirement(
        "A schedule counts learned durations, and their median for what has none.",
        "issue: Spec API in Python: Graph",
    ),
    "api:what_if:commit_writes_all_or_none": Requirement(
        "`what_if().commit()` writes its changes to the specs by the rules of the tools, all or none.",
        "issue: Spec API in Python: Graph",
    ),
}
