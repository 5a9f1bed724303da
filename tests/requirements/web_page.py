"""The page of the board in the browser and in a host (issue 23)."""

from requirements import Requirement

_ISSUE = "issue 23: A board in the browser"


def _promise(sentence: str) -> Requirement:
    return Requirement(sentence, _ISSUE)


REQUIREMENTS: dict[str, Requirement] = {
    "web_page:real:acts_reach_the_files": _promise(
        "The page on the real server shows changes of files without a reload; what a person does is in them."
    ),
    "web_page:real:every_screen_in_every_state": _promise(
        "No screen of the page shows `undefined`, `null`, `NaN` or `0 h`, or has an error on the console: "
        "before a run, while one is running, after it ended or failed, with history alone, with archived "
        "dependencies and questions."
    ),
    "web_page:board:five_columns": _promise(
        "Items of all formats stand in five columns by what they mean to a person."
    ),
    "web_page:board:only_rows_in_sight": _promise(
        "Of 20,000 items only those in sight have nodes; further pages are loaded when they are scrolled to."
    ),
    "web_page:board:filters_and_lanes": _promise(
        "The board is filtered by format and label, and divided into lanes by label or parent."
    ),
    "web_page:board:an_empty_project_begins": _promise("The page of an empty project makes its first item."),
    "web_page:live:focus_and_scroll_stay": _promise(
        "When something changes elsewhere, the page follows; the chosen row stays chosen and where it is."
    ),
    "web_page:keys:all_without_a_mouse": _promise(
        "Lists, columns, screens, search, an item and the way back are reached by keys."
    ),
    "web_page:keys:letters_can_be_switched_off": _promise(
        "Single letters as keys can be switched off, and stay off."
    ),
    "web_page:look:narrow_and_dark": _promise(
        "At 360 px nothing scrolls sideways on any screen, in the dark theme, too."
    ),
    "web_page:item:text_criteria_waits": _promise(
        "An item shows its text, its criteria to tick, what it waits for and what it holds up."
    ),
    "web_page:item:log_and_diff": _promise(
        "An item shows the log of its run as it grows, and what its branch changes."
    ),
    "web_page:item:edit_with_a_visible_conflict": _promise(
        "When somebody was faster than an edit, nothing is written and both texts are shown."
    ),
    "web_page:acts:undo": _promise(
        "A tick, a status, a priority and an edit are undone by a key or a button."
    ),
    "web_page:acts:boxes_of_tickets": _promise("Acceptance criteria of a ticket are ticked on the page."),
    "web_page:acts:add_tasks": _promise(
        "A task is added to a plan, where the open task of it waits for the new one, and to a feature."
    ),
    "web_page:acts:merge_is_agreed_to": _promise(
        "A merge that changes what runs by itself is shown, and done when the person agrees to just that."
    ),
    "web_page:acts:reading_only": _promise("A board for reading only offers no act."),
    "web_page:graph:pan_zoom_hover_click": _promise(
        "The graph is moved and zoomed by pointer and keys, and leads to items."
    ),
    "web_page:graph:critical_path_and_list": _promise(
        "Beside the graph stand its items as a list, with slack; the critical path can be shown alone."
    ),
    "web_page:timeline:past_and_planned": _promise(
        "Past and planned work stand along one axis, planned work from now on."
    ),
    "web_page:agents:cost_load_and_acts": _promise(
        "Each run shows agent, age, criteria, cost and its last lines; it is paused and taken over there."
    ),
    "web_page:inbox:a_person_decides": _promise(
        "Questions, approvals, merges and trust are decided in the inbox."
    ),
    "web_page:inbox:a_stale_act_is_refused_visibly": _promise(
        "An act on what has changed since is refused, and says so."
    ),
    "web_page:session:code_becomes_a_key": _promise(
        "The code leaves the address before it is used; the key lies in the tab's session storage."
    ),
    "web_page:session:tabs_share_it": _promise(
        "Other tabs of the board ask the first one for its session; other profiles get nothing."
    ),
    "web_page:walls:hostile_texts_stay_text": _promise(
        "Hostile titles, texts, IDs, labels, logs and drawings stay text on every screen."
    ),
    "web_page:walls:links_of_a_closed_list": _promise(
        "Links lead to http, https, mailto and items, and nowhere else."
    ),
    "web_page:walls:no_html_from_strings": _promise(
        "No source makes HTML from strings, and the browser refuses to."
    ),
    "web_page:app:works_in_a_sandboxed_frame": _promise(
        "In a host's sandboxed frame the page works through the host, and takes over its theme."
    ),
    "web_page:app:no_act_of_a_person": _promise(
        "In a host the page has no button of what only a person may do."
    ),
    "web_page:size:below_eighty_kilobytes": _promise(
        "Document, script and style together stay below 80 kB as sent."
    ),
    "web_page:size:squeezing_changes_no_meaning": _promise(
        "What is sent is the sources without comments and needless spaces, and nothing else is changed."
    ),
    "web_page:real:attributes_are_edited": Requirement(
        "A person edits title, labels, dependencies and criteria of items in the browser.",
        "issue: The daily hour, point 6",
    ),
    "web_page:palette:finds_everything": Requirement(
        "Ctrl+K or ⌘K opens a palette that finds screens, acts and items by a few letters.",
        "issue: The daily hour, point 6",
    ),
    "web_page:look:theme_is_chosen": Requirement(
        "A person chooses the theme of the system, light or dark; the browser keeps the choice.",
        "issue: The daily hour, point 6",
    ),
    "web_page:real:items_are_added_with_all": Requirement(
        "A person adds a spec with labels, dependencies and criteria; an unknown dependency is refused.",
        "issue: The daily hour, point 6",
    ),
    "web_page:lists:done_newest_first": Requirement(
        "Done shows the newest first, cards show who is on them, and a phone opens on the first column that "
        "holds something.",
        "issue: The daily hour, point 6",
    ),
}
