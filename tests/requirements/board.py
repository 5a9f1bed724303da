"""The board (issue 8)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "board:plan:columns_by_meaning": Requirement(
        "Items of all dialects stand in five columns by what they mean to a person, titles before IDs; a "
        "strip names all columns with their counts, and one without items takes no more room than that.",
        "issue 23: point 7",
    ),
    "board:plan:columns_by_state": Requirement(
        "The core gives a column for each state of a dialect, with its count; those done come last.",
        "issue 8: The board",
    ),
    "board:plan:progress_of_dialects": Requirement(
        "Each dialect of the folder has a bar of how much is done.",
        "issue 8: The board",
    ),
    "board:plan:every_dialect": Requirement(
        "Specs, task graphs, features and tickets are shown, each alone and all together.",
        "issue 8: The board",
    ),
    "board:plan:one_item_with_its_graph": Requirement(
        "The chosen item is shown with what it waits for and what waits for it, near and far.",
        "issue 8: The board",
    ),
    "board:plan:filter_and_search": Requirement(
        "A filter looks at IDs, titles and labels in any case of letters, a search at texts, too.",
        "issue 8: The board",
    ),
    "board:plan:columns_end_at_words": Requirement(
        "On screens of each width titles in columns end at a word, and the line above them has all counts.",
        "issue: The daily hour 6",
    ),
    "board:plan:esc_clears_a_filter": Requirement(
        "Esc closes what is open; then it clears the filter, the label and the format.",
        "issue: The daily hour 6",
    ),
    "board:plan:what_keys_act_on_is_seen": Requirement(
        "The column that keys act on stays in sight when other columns come and go.",
        "issue: The daily hour 6",
    ),
    "board:tasks:hidden_without_features": Requirement(
        "Without a spec-kit feature there is no screen of tasks.", "issue: The daily hour 6"
    ),
    "board:plan:changes_of_others_within_a_second": Requirement(
        "What another process changes is seen within a second.",
        "issue 8: The board",
    ),
    "board:plan:selection_stays_and_scrolls": Requirement(
        "What is chosen stays chosen and in sight, whatever comes before it.",
        "reference rstn 4.6; issue 8: The board",
    ),
    "board:plan:large_projects": Requirement(
        "Cards of a large project are loaded page by page as they come into sight.",
        "issue 8: The board",
    ),
    "board:plan:nothing_drawn_when_nothing_changed": Requirement(
        "Lists are not drawn again while nothing changes.",
        "issue 8: The board",
    ),
    "board:plan:an_empty_folder_says_how_to_begin": Requirement(
        "In an empty folder the board says how to begin, and shows what comes.",
        "issue 8: The board",
    ),
    "board:problems:files_that_cannot_be_read": Requirement(
        "Files that cannot be read are listed with the reason.",
        "issue 8: The board",
    ),
    "board:files:looking_writes_nothing": Requirement(
        "Looking at a project changes none of its files.",
        "issue 8: The board",
    ),
    "board:keys:at_the_foot": Requirement(
        "The keys that do something are shown at the foot.",
        "issue 8: The board",
    ),
    "board:keys:all_on_one_screen": Requirement(
        "`?` shows all keys by what they are for, from the table that binds them.",
        "issue 23: point 7",
    ),
    "board:keys:palette": Requirement(
        "The command palette has what can be done now, by name, and the themes.",
        "issue 23: point 7",
    ),
    "board:keys:pages": Requirement(
        "Page Up and Page Down, Home and End, `g` and `G` move through a column.",
        "issue 23: point 7",
    ),
    "board:keys:own_editor": Requirement(
        "`e` opens the file of the chosen item, if it lies in the project, in the editor that the person's "
        "environment names, without a shell.",
        "issue 23: point 7",
    ),
    "board:acts:by_key": Requirement(
        "Start, pause, take over, merge, approve, reject, finish, tick, complete and add have a key each, "
        "which is offered where the state of the chosen item allows it.",
        "issue 23: points 3 and 7",
    ),
    "board:acts:priority_of_a_ticket": Requirement(
        "The priority of a ticket is chosen from a list.",
        "issue 23: points 3 and 7",
    ),
    "board:acts:tick_a_ticket": Requirement(
        "A box of a ticket's acceptance criteria is ticked from a list.", "issue 23: points 3 and 7"
    ),
    "board:acts:status_of_a_task": Requirement(
        "The status of a task of a plan is chosen from a list.", "issue 23: points 3 and 7"
    ),
    "board:plan:filter_by_label": Requirement(
        "Items of one label are shown alone, which the first line says; another choice shows all again.",
        "issue 23: points 2 and 7",
    ),
    "board:acts:undo": Requirement(
        "A tick, a status or a priority is taken back by a key.",
        "issue 23: point 3",
    ),
    "board:acts:only_of_a_person": Requirement(
        "What only a person may do (approve, reject, merge, finish with open boxes, answer, trust) is "
        "offered only where a person sits at the terminal, and not on a board that only reads.",
        "issue 23: points 3 and 7",
    ),
    "board:acts:asked_before": Requirement(
        "What starts, stops, decides or trusts shows first what it is about; Enter does it, Esc leaves it.",
        "issue 23: points 3 and 7",
    ),
    "board:acts:as_it_was_looked_at": Requirement(
        "A decision about a spec whose document is another by now than the one shown is refused.",
        "issue 23: point 3",
    ),
    "board:idle:waits_for_changes": Requirement(
        "Columns are asked for after a change only; nothing asks for them while nothing changes.",
        "issue 23: point 7",
    ),
    "board:keys:typing_is_typing": Requirement(
        "While a text is typed every letter belongs to it; no question interrupts.",
        "reference rstn 4.6; issue 8: The board",
    ),
    "board:agents:runs_with_live_logs": Requirement(
        "Runs are listed, and the log of the chosen one grows as its agent writes.",
        "issue 8: The board",
    ),
    "board:questions:answered_in_a_dialog": Requirement(
        "A question opens a dialog; what is typed, in any script, reaches the agent as it is.",
        "issue 8: The board",
    ),
    "board:questions:cancelled_or_left": Requirement(
        "A question can be left for later or cancelled.",
        "issue 8: The board",
    ),
    "board:questions:closed_by_others": Requirement(
        "A dialog closes when somebody else closes its question.",
        "issue 8: The board",
    ),
    "board:questions:what_was_missed": Requirement(
        "A board that was started late shows what agents reported before.",
        "reference rstn 4.6; issue 8: The board",
    ),
    "board:tasks:ticked_by_the_core": Requirement(
        "Completing a task changes one character; what others tick meanwhile stays.",
        "issue 8: The board",
    ),
    "board:tasks:no_feature_says_why": Requirement(
        "Without a current feature the board says where it looked for one.",
        "reference rstn 4.6; issue 8: The board",
    ),
    "board:errors:told_not_crashed": Requirement(
        "What the core refuses is reported, and the board goes on.",
        "issue 8: The board",
    ),
    "board:read_only:offers_no_changes": Requirement(
        "With `--read-only` nothing can be completed or answered.",
        "issue 8: The board",
    ),
    "board:command:names_its_extra": Requirement(
        "Without Textual the command names the extra to install and ends with code 1.",
        "issue 8: The board",
    ),
    "board:command:needs_a_terminal": Requirement(
        "Without a terminal the command says so and ends with code 1.",
        "issue 8: The board",
    ),
    "board:proof:agent_and_person_meet": Requirement(
        "An agent asks over HTTP, its server is killed and started again, a person answers on the board, "
        "and the agent gets the answer and completes tasks.",
        "issue 8: Proof",
    ),
    "board:picture:stands_in_the_readme": Requirement(
        "The picture in the README is what one sees.",
        "issue 8: The board",
    ),
    "board:picture:usable_at_80_by_24": Requirement(
        "At 80 × 24 everything can be used; larger screens show more.",
        "issue 8: The board",
    ),
}
