"""All keys of the board in one table: for the bindings, for the screen of keys, and for the palette."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BoardKey:
    """A key, or keys that do one thing."""

    keys: str
    """The keys as they are bound, separated by commas; empty where a list binds them itself."""
    action: str
    label: str
    help: str
    display: str = ""
    """The keys as people read them, where that differs."""
    is_at_foot: bool = False

    @property
    def shown(self) -> str:
        """The keys as people read them."""
        return self.display or self.keys.replace(",", " ")


VIEWS = {
    "board": "Board",
    "tasks": "Tasks",
    "agents": "Agents",
    "questions": "Questions",
    "problems": "Problems",
}
"""The screens, in the order of their numbers."""

_SCREENS = tuple(
    BoardKey(str(number), f"view('{name}')", title, f"Show the screen {title.lower()}")
    for number, (name, title) in enumerate(VIEWS.items(), 1)
)

_MOVING = (
    BoardKey("", "", "Move", "Up and down, and to the next column", "↑ ↓ ← → h j k l"),
    BoardKey("", "", "Page", "A page up or down", "PgUp PgDn"),
    BoardKey("", "", "Ends", "The first and the last row", "Home End g G"),
    BoardKey("", "", "Open", "Open the item, or answer the question", "Enter"),
    BoardKey("", "", "Back", "Back to where you were; leave a dialog", "Esc"),
)

_FINDING = (
    BoardKey("slash", "search(False)", "Filter", "Filter by ID, title or label", "/", is_at_foot=True),
    BoardKey("s", "search(True)", "Search", "Search the texts, too", is_at_foot=True),
    BoardKey("d", "dialect", "Dialect", "All dialects, or one after the other", is_at_foot=True),
    BoardKey("L", "label", "Label", "Show items with one label, or all of them again"),
    BoardKey("escape", "show_all", "Show all", "Clear the filter, the label and the format", "Esc"),
)

_OF_ITEMS = (
    BoardKey("w", "act('w')", "Start", "Start an agent on it, go on, or start again"),
    BoardKey("p", "act('p')", "Pause", "Pause the agent"),
    BoardKey("t", "act('t')", "Take over", "Stop the agent and go on yourself"),
    BoardKey("m", "act('m')", "Merge", "Merge work that waits for it"),
    BoardKey("y", "act('y')", "Approve", "Show what would be approved, then approve it"),
    BoardKey("n", "act('n')", "Reject", "Reject it, with a reason"),
    BoardKey("c", "act('c')", "Comment", "Comment on its work: PATH:LINE and a text, or a text alone"),
    BoardKey("C", "act('C')", "Send", "Send your comments to its agent, in a new run"),
    BoardKey("F", "act('F')", "Finish", "Finish it, also with open boxes"),
    BoardKey("x", "act('x')", "Tick", "Tick a criterion by hand or take the tick back; complete a task"),
    BoardKey("S", "act('S')", "Status", "Choose the status of a task of a plan"),
    BoardKey("P", "act('P')", "Priority", "Choose the priority of a ticket"),
    BoardKey("e", "edit", "Edit", "Open its file in $VISUAL or $EDITOR"),
    BoardKey("u", "undo", "Undo", "Take the last tick, status or priority back"),
    BoardKey("plus", "add", "Add", "Add a spec", "+"),
)

_ELSEWHERE = (
    BoardKey("a", "answer", "Answer", "Answer the chosen question, else the oldest", is_at_foot=True),
    BoardKey("", "", "Cancel", "In the answer: cancel the question", "Ctrl+X"),
    BoardKey("", "", "Feature", "On tasks: the next feature", "f"),
    BoardKey("", "", "Palette", "Everything by name, and themes", "Ctrl+P"),
    BoardKey("question_mark", "keys", "Keys", "Show all keys", "?", is_at_foot=True),
    BoardKey("q", "quit", "Quit", "Leave the board", is_at_foot=True),
)

GROUPS = {
    "Screens": _SCREENS,
    "Moving": _MOVING,
    "Finding": _FINDING,
    "The chosen item": _OF_ITEMS,
    "Everywhere": _ELSEWHERE,
}
"""All keys by what they are for."""

BOUND = tuple(key for group in GROUPS.values() for key in group if key.keys)
"""Those that the board itself binds."""
