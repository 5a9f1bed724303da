"""Graph: blocked, ready, siblings, approval, cycles, questions, pictures (reference chant 4; issue 9)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "graph:tables:every_library_by_its_constructor": Requirement(
        "`pandas.DataFrame`, `polars.DataFrame`, `pyarrow.table` and duckdb make a table's columns.",
        "issue: The daily hour 5",
    ),
    "graph:filter:says_use_two_equals": Requirement(
        "A filter with a single `=` is refused with `use ==`.", "issue: The daily hour 5"
    ),
    "api:repr:fits_a_screen": Requirement(
        "The text of lists, tables and graphs fits a screen.", "issue: The daily hour 5"
    ),
    "graph:blocked:open_dependency_blocks": Requirement(
        "A pending spec is blocked while a dependency is neither completed nor cancelled.",
        "reference chant 4.1, 10.7",
    ),
    "graph:blocked:cancelled_dependency_satisfies": Requirement(
        "A cancelled dependency satisfies.", "reference chant 4.1, 10.7"
    ),
    "graph:blocked:unknown_dependency_blocks_with_a_reason": Requirement(
        "An unknown, misspelt or partial dependency blocks, and the reason names it.",
        "reference chant 4.1, 8.2 W8, 10.7",
    ),
    "graph:blocked:unreadable_dependency_is_named_as_such": Requirement(
        "A dependency whose file cannot be read blocks, and the reason says that it cannot be read.",
        "reference chant 8.2 W8",
    ),
    "graph:blocked:archived_dependency_satisfies": Requirement(
        "An archived completed or cancelled dependency satisfies.",
        "issue: Graph; decisions 3: Archived and cross-repository dependencies; reference chant 4.1 R, "
        "10.9.10",
    ),
    "graph:blocked:member_inherits_open_driver_dependency": Requirement(
        "A member is blocked by an open dependency of its driver.", "issue: Graph; reference chant 4.1, 10.7"
    ),
    "graph:blocked:driver_on_own_members_does_not_block_them": Requirement(
        "A driver that depends on its own members is blocked, while its first member is not.",
        "reference chant 4.1, 10.7",
    ),
    "graph:blocked:stored_blocked_is_derived_again": Requirement(
        "A stored `blocked` whose reasons are gone shows as pending.", "reference chant 4.1"
    ),
    "graph:blocked:stored_blocked_by_approval_stays": Requirement(
        "A stored `blocked` that still waits for approval shows as blocked.", "reference chant 4.1"
    ),
    "graph:repos:completed_elsewhere_satisfies": Requirement(
        "`repo:<id>` is looked up in the configured repository and its archive; completed or cancelled there "
        "satisfies.",
        "issue: Graph; decisions 3: Archived and cross-repository dependencies; reference chant 4.1 R",
    ),
    "graph:repos:unknown_repository_blocks_with_a_reason": Requirement(
        "An unknown repository or an unreadable path blocks with a reason that names it.",
        "reference chant 4.1 R",
    ),
    "graph:workspace:keys_join_the_dialects": Requirement(
        "A dependency may name an item of another dialect by its qualified key, such as "
        "`vine:plan.vine#task`.",
        "decisions 2: workspace.rs",
    ),
    "graph:workspace:lookups_are_truthful": Requirement(
        "A named item of another dialect that is not there blocks with the reason, and lint names it.",
        "decisions 2: workspace.rs; decisions 3: Unreadable files",
    ),
    "graph:workspace:archived_items_count": Requirement(
        "Archived specs, and graphs deeper than is searched, count as done when they are.",
        "decisions 3: Archived and cross-repository dependencies",
    ),
    "vine:needs:other_dialects_hold_a_task_up": Requirement(
        "`@needs(chant:ID)` holds a task up until that item is done; `claim` refuses it meanwhile, unless by "
        "force.",
        "decisions 2: workspace.rs",
    ),
    "tickets:relations:other_dialects_are_waited_for": Requirement(
        "A ticket that names an item of another dialect waits until that is done.",
        "decisions 2: workspace.rs",
    ),
    "graph:analytics:measures_are_exact": Requirement(
        "Critical path, layers, impact, redundant edges, betweenness and PageRank are exact unless a sample "
        "is asked for.",
        "decisions 2: graph/",
    ),
    "graph:layers:an_item_waits_only_for_earlier_layers": Requirement(
        "Each item stands in the layer after the last one that it waits for.", "issue 9: graph"
    ),
    "graph:frontier:free_items_and_reasons_of_the_others": Requirement(
        "`frontier` lists open items that wait for nothing open, `blocked` the others with the reasons.",
        "issue 9: graph",
    ),
    "graph:critical_path:no_row_of_open_items_weighs_more": Requirement(
        "The critical path is the row of open items that weighs most.", "issue 9: graph"
    ),
    "graph:critical_path:weights_by_attribute_mapping_or_function": Requirement(
        "Weights come from an attribute, from numbers by key, or from a function.", "issue 9: graph"
    ),
    "graph:slack:an_item_may_be_that_late": Requirement(
        "An item that is late by its slack delays nothing; any more, and the end of all is later.",
        "issue 9: graph",
    ),
    "graph:impact:all_that_hang_on_an_item": Requirement(
        "`impact` is all that waits for an item over any number of others; `ancestors` all it waits for.",
        "issue 9: graph",
    ),
    "graph:redundant_edges:another_way_says_the_same": Requirement(
        "An edge is redundant if and only if another way leads from the one item to the other.",
        "issue 9: graph",
    ),
    "graph:betweenness:share_of_shortest_ways": Requirement(
        "Betweenness is the share of shortest ways between two others that lead over an item.",
        "issue 9: graph",
    ),
    "graph:schedule:nothing_begins_before_what_it_waits_for": Requirement(
        "A schedule has each open item once; no agent does two at once, and nothing begins too early.",
        "issue 9: graph",
    ),
    "graph:schedule:agents_finish_and_certainty": Requirement(
        "A schedule says who does what when, the end, the utilisation, and P50 and P90 of the end; the same "
        "seed gives the same answer.",
        "issue 9: graph",
    ),
    "graph:schedule:ends_of_rounds": Requirement(
        "A schedule has the end of each round and gives any quantile of them; P50 and P90 are two of these.",
        "issue: The graph as a typed table, point 8",
    ),
    "graph:threads:others_go_on": Requirement(
        "While a graph is made of many pairs, and while it gives them, other threads go on.",
        "issue 26.4",
    ),
    "graph:threads:answers_of_one": Requirement(
        "Threads that build, ask and walk at the same moment get the answers that one alone gets.",
        "issue 26.4",
    ),
    "graph:components:strongly_connected": Requirement(
        "`components` gives the strongly connected components, those of networkx, in an order of work.",
        "issue 26.4",
    ),
    "graph:answers:as_arrays": Requirement(
        "Items, edges, scores and layers are arrays of numpy by `to_numpy()`: numbers of items, pairs of "
        "them, values, and for each item the number of its layer.",
        "issue 26.4",
    ),
    "graph:schedule:p90_is_kept_by_nine_in_ten": Requirement(
        "Of plans whose durations are learned, 85 to 95 % end by their P90, with two runs known as with "
        "twenty, for log-normal and gamma durations, two humps, and one long run in ten.",
        "issue 26.3",
    ),
    "graph:units:one_for_schedules_and_what_if": Requirement(
        "Schedules, what-if, critical paths, slack and pictures count the same: seconds where durations are "
        "known, else weights; each answer says under `unit` what its numbers count.",
        "issue: True numbers; issue 26.3",
    ),
    "graph:names:in_mappings": Requirement(
        "Mappings of weights, durations, colours and attributes name items as everything else does; a name "
        "that means none is refused with those like it.",
        "issue: True numbers",
    ),
    "graph:what_if:changes_a_copy_and_tells_the_delta": Requirement(
        "`what_if` finishes, adds, splits, drops and re-depends items of a copy, and tells what that means "
        "for frontier, critical path and finish.",
        "issue 9: graph",
    ),
    "graph:cycles:lists_all_loops": Requirement(
        "`cycles` lists all groups of items that wait for one another.", "issue 9: graph"
    ),
    "graph:errors:say_what_was_asked_for": Requirement(
        "Questions without answer are exceptions with fields: unknown keys with similar ones, cycles with "
        "their items, weights that are none.",
        "issue 9: entry",
    ),
    "graph:interchange:other_libraries_read_it": Requirement(
        "networkx, rustworkx, JSON, and over Arrow polars, pandas, duckdb and pyarrow take nodes and edges, "
        "without being dependencies.",
        "issue 9: interchange",
    ),
    "graph:tables:fixed_schema": Requirement(
        "Tables of nodes, edges, runs and lists of handles have the same typed columns for every project, "
        "with values or without: numbers with their unit, time stamps in UTC. Parquet keeps the schema.",
        "issue 26.1",
    ),
    "graph:tables:means_of_runs": Requirement(
        "The table of runs has the tokens and the dollars that agents reported, null where they did not.",
        "issue: The graph as a typed table, point 8",
    ),
    "graph:tables:repositories": Requirement(
        "Tables of nodes, edges, runs and lists of handles name the repository of each item, edges those of "
        "both ends: the folder's name, or what the key `repo/dialect:id` says. Words are dictionaries.",
        "issue 26.1",
    ),
    "graph:union:dependencies_resolve": Requirement(
        "Where several repositories are open together, keys are `repo/dialect:id`, and what waits for "
        "another repository's item waits for the item there.",
        "issue 26.2",
    ),
    "graph:union:every_format": Requirement(
        "Every format can name an item of another repository as `repo/dialect:id`; alone it waits for it.",
        "issue 26.2",
    ),
    "graph:union:unknown_repository": Requirement(
        "An item of a repository that is not open is a missing item under that repository's name.",
        "issue 26.2",
    ),
    "graph:union:names": Requirement(
        "Repositories whose folders have the same name get names that differ.", "issue 26.2"
    ),
    "graph:union:any_graph": Requirement(
        "`Graph.union` puts any graphs together: under the names that are given, else by their keys.",
        "issue 26.2",
    ),
    "graph:numbers:every_array": Requirement(
        "A graph is made of arrays of whole numbers, of whatever library, without a text for any item.",
        "issue 26.2",
    ),
    "graph:numbers:refusals": Requirement(
        "Numbers of no item, ends that differ in number and other values are refused.", "issue 26.2"
    ),
    "graph:tables:libraries_take_them": Requirement(
        "polars, pyarrow, pandas and duckdb take tables of nodes, edges, runs and lists of handles as they "
        "are.",
        "issue 26.1",
    ),
    "graph:tables:read_back": Requirement(
        "`Graph.from_arrow` makes the same graph of tables of nodes and edges, also after Parquet files of "
        "any of these libraries and of several projects together; a table that does not fit is refused with "
        "its column, its row and what was expected.",
        "issue 26.1",
    ),
    "graph:tables:own_attributes": Requirement(
        "An own attribute of a graph has the type of its values, also under a name that workspaces use; "
        "without any value it is null.",
        "issue 26.1",
    ),
    "graph:picture:nothing_overlaps": Requirement(
        "No figure of a picture lies on another, no arrow leads through one, and each leads forward from box "
        "to box unless it closes a cycle.",
        "issue 9: Notebook",
    ),
    "graph:picture:clipped_and_counted": Requirement(
        "Of a large graph a picture shows what is in focus or matters most; each other item is counted in a "
        "`+N more` that is joined to what it hangs on.",
        "issue 9: Notebook",
    ),
    "graph:picture:names_are_text": Requirement(
        "No name, title or label breaks out of a picture or a table.", "issue 9: Notebook"
    ),
    "graph:picture:stands_alone": Requirement(
        "An SVG picture needs nothing from elsewhere, disturbs no other on the page, tells in words what it "
        "shows, and is the same each time.",
        "issue 9: Notebook",
    ),
    "graph:picture:states_differ_without_colours": Requirement(
        "States differ in symbol and border, not only in colour.", "issue 9: Notebook"
    ),
    "graph:picture:texts_for_mermaid_and_dot": Requirement(
        "The same pictures as texts for Mermaid and Graphviz.", "issue 9: Interchange"
    ),
    "graph:picture:wrong_words_are_refused": Requirement(
        "What is said about items has to fit them; else the error says what was expected.",
        "issue 9: Notebook",
    ),
    "graph:picture:lists_as_tables": Requirement(
        "A list of items is a table of at most 50 rows, in HTML and as text, with the number of the others.",
        "issue 9: Notebook",
    ),
    "graph:picture:texts_keep_their_width": Requirement(
        "Texts of a picture stay inside their boxes in whatever font the machine has, and nothing is cut "
        "at the sides.",
        "issue 26: 6",
    ),
    "graph:picture:follows_the_page": Requirement(
        "A static picture has the colours of the page around it, not of the system: inline, as an image "
        "of a page with a colour scheme, and in exported notebooks, light and dark.",
        "issue 26: 6",
    ),
    "graph:picture:clusters": Requirement(
        "Thousands of items give a picture of at most 40 clusters by plan, by links and by layers; each "
        "says how many items it has in which state, and can be divided again until items are alone.",
        "issue 26: 6",
    ),
    "graph:explore:questions_are_answered_within_bounds": Requirement(
        "Levels, searches, what an item waits for and holds up, its text and its former state are "
        "answered in bounded size, however large the graph; what is wrong with a question is an error in "
        "words.",
        "issue 26: 6",
    ),
    "graph:explore:history": Requirement(
        "The time slider has the last commits of the checkout; a level shows the states of a commit, and "
        "what was not there yet.",
        "issue 26: 6",
    ),
    "graph:explore:widget": Requirement(
        "`graph.explore()` is an anywidget beside the static picture; without the extra it says how to "
        "install it.",
        "issue 26: 6",
    ),
    "graph:explore:page": Requirement(
        "The widget pans, zooms, opens clusters of 10,000 items, searches, shows an item's text, brings "
        "out what it waits for and holds up, and goes through time, by mouse and by keys alone, light and"
        " dark; texts of items stay texts, and it leaves nothing behind when it is closed.",
        "issue 26: 6",
    ),
    "graph:show:what_a_notebook_shows": Requirement(
        "A notebook shows a graph as a static SVG picture and as text; `show` chooses colour, focus and "
        "depth; Mermaid and DOT are there as texts.",
        "issue 9: notebook",
    ),
    "graph:sequences:keys_are_made_when_asked_for": Requirement(
        "Answers are sequences over the items that make keys when they are asked for.", "issue 9: speed"
    ),
    "graph:parts:subgraph_and_filter": Requirement(
        "`subgraph` takes items with the edges between them, `filter` those that an expression keeps, in the "
        "syntax of Python and the same for graphs and lists of handles; what is no such expression is "
        "refused and nothing of it runs.",
        "issue 26.5",
    ),
    "graph:protocols:keywords_of_networkx": Requirement(
        "Arguments of methods that networkx has, too, are called as there; former names warn for a release.",
        "issue 26.5",
    ),
    "graph:protocols:sequences_and_mappings": Requirement(
        "`Items`, `Edges` and `Layers` are sequences, `Scores` is a mapping, as `collections.abc` means it: "
        "they are registered, and compare by what they say.",
        "issue 26.5",
    ),
    "graph:long_questions:progress_and_interruption": Requirement(
        "Long questions tell their progress; an exception of the callback or a signal stops them.",
        "issue 9: graph",
    ),
    "graph:long_questions:the_interpreter_is_free": Requirement(
        "Other threads work while a question is answered; a sample is drawn by its seed.", "issue 9: entry"
    ),
    "graph:ready:pending_or_failed_and_unblocked": Requirement(
        "A spec is ready when it is pending or failed and nothing blocks it.", "reference chant 4.2"
    ),
    "graph:ready:stored_ready_is_not_ready": Requirement(
        "A stored `ready` does not make a spec ready.", "reference chant 4.2"
    ),
    "graph:ready:failed_spec_needs_approval_too": Requirement(
        "A failed spec whose required approval is missing is not ready.", "reference chant 4.2"
    ),
    "graph:ready:spec_with_open_members_waits": Requirement(
        "A spec with members is not ready while one of them is open.", "reference chant 4.2"
    ),
    "graph:ready:cancelled_member_counts_as_done": Requirement(
        "A cancelled member does not keep its driver from being ready.", "reference chant 4.2"
    ),
    "graph:siblings:member_waits_for_lower_numbers": Requirement(
        "Member `D.N` without `depends_on` is not ready before every existing `D.1` … `D.(N-1)` is completed "
        "or cancelled.",
        "reference chant 4.3, 10.7",
    ),
    "graph:siblings:absent_siblings_do_not_matter": Requirement(
        "`D.4` does not wait for an absent `D.3`, but for a pending `D.2`.", "reference chant 4.3, 10.7"
    ),
    "graph:siblings:any_depends_on_switches_it_off": Requirement(
        "Any `depends_on`, even `[]`, frees a member from waiting for its siblings.",
        "reference chant 4.3, 10.7",
    ),
    "graph:siblings:waiting_member_shows_pending": Requirement(
        "A member that only waits for siblings shows as pending.", "reference chant 4.3, 10.7"
    ),
    "graph:siblings:nested_members_wait_for_their_own": Requirement(
        "`D.2.2` waits for `D.2.1`, and `D.2.1` for `D.1`.", "reference chant 4.3"
    ),
    "graph:approval:required_approval_blocks": Requirement(
        "A pending spec whose approval is required and not `approved` is blocked.",
        "issue: Graph; reference chant 4.1, 4.4, 10.7",
    ),
    "graph:approval:start_without_it_is_refused": Requirement(
        "A start gives `Spec '<id>' requires approval before work can begin.` and says how a person "
        "approves.",
        "reference chant 4.4",
    ),
    "graph:approval:rejected_start_is_refused": Requirement(
        "A start of a rejected spec gives `Cannot work on spec '<id>' - it has been rejected by <name>. …`",
        "reference chant 4.4",
    ),
    "graph:approval:waiting_spec_is_not_merged": Requirement(
        "Work on a spec that waits for approval is not merged, whatever the door.", "reference chant 4.4"
    ),
    "graph:predicate:one_for_every_tool": Requirement(
        "List, ready, status, get and diagnose give the same verdict on a spec, with the same reasons.",
        "issue: Graph; reference chant 4.5 R",
    ),
    "graph:predicate:start_of_work_uses_it_too": Requirement(
        "A start refuses exactly what the same predicate blocks: `Spec '<id>' is blocked by dependencies: "
        "<ids>`.",
        "reference chant 4.5 R",
    ),
    "graph:groups:driver_is_worked_member_by_member": Requirement(
        "Working a driver works its members in ID order.", "reference chant 4.6"
    ),
    "graph:groups:empty_driver_is_refused": Requirement(
        "Working a driver without members gives `Driver spec '<id>' has no member specs. Cannot execute an "
        "empty driver.`",
        "reference chant 4.6",
    ),
    "graph:cycles:text_shows_the_path": Requirement(
        "A cycle reads `Circular dependency detected: <id> -> <id>`, closing node not repeated; a "
        "self-reference prints one ID.",
        "reference chant 4.7",
    ),
    "graph:cycles:implied_edges_count": Requirement(
        "Cycles through edges implied by drivers and siblings are found and reported as a readable path.",
        "issue: Graph; reference chant 4.7 R",
    ),
}
