"""The board as a whole: its views, its keys, and the look at the core twice a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import ClassVar, Literal

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.css.query import NoMatches
from textual.widgets import Footer, Input, OptionList, Static, TabbedContent, TabPane

from chant_mcp._core import Answer
from chant_mcp.board.columns import Bars, Columns
from chant_mcp.board.detail import Detail
from chant_mcp.board.feed import BoardState, Data, Feed, FeedRequest
from chant_mcp.board.listing import Listing
from chant_mcp.board.questions import AnswerDialog, Questions, Reply
from chant_mcp.board.runs import Runs
from chant_mcp.board.tasks import TaskList, Tasks
from chant_mcp.commands.display import plain
from chant_mcp.errors import ChantError
from chant_mcp.session import Session
from chant_mcp.terminal import harmless

_PAUSE = 0.5
"""Seconds between two looks."""

_BY = "board"
"""Who answers and completes, in the records."""

_VIEWS = {
    "board": "Board",
    "tasks": "Tasks",
    "agents": "Agents",
    "questions": "Questions",
    "problems": "Problems",
}

_NOTHING = """\
There is nothing to show in this folder yet.

`chant-mcp init` makes a project of it. As soon as there are any, you see
specs in .chant/specs, task graphs in .vine files, features below specs/
and tickets in docs/CRs."""


class Search(Input):
    """What is looked for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down", "app.keep_search", "Keep", key_display="⏎"),
        Binding("ctrl+t", "app.search_texts", "Titles / texts"),
        Binding("escape", "app.end_search", "Show all"),
    ]


class BoardApp(App[None]):
    """What a project holds, who works on it, and what agents ask."""

    CSS_PATH = "board.tcss"
    TITLE = "chant-mcp"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012 Textual types it so
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number), f"view('{name}')", f"View: {title}", show=False)
            for number, (name, title) in enumerate(_VIEWS.items(), 1)
        ),
        Binding("slash", "search(False)", "Filter", key_display="/"),
        Binding("s", "search(True)", "Search texts"),
        Binding("d", "dialect", "Dialect"),
        Binding("a", "answer", "Answer"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, session: Session, *, is_read_only: bool = False) -> None:
        """Take the project; nothing is asked of the core yet.

        Args:
            session: The project.
            is_read_only: Whether nothing can be changed from the board.
        """
        super().__init__()
        self._session = session
        self._is_read_only = is_read_only
        self._feed = Feed(session)
        self._wanted = FeedRequest()
        self._seen: BoardState | None = None
        self._poke = asyncio.Event()
        self._is_open = False
        self._shown_head: Text | None = None

    def compose(self) -> ComposeResult:
        """Put the views below a line on the project."""
        yield Static(id="head")
        with TabbedContent(id="views"):
            for number, (name, title) in enumerate(_VIEWS.items(), 1):
                with TabPane(f"{number} {title}", id=name):
                    yield from self._view(name)
        yield Footer(show_command_palette=False)

    def _view(self, name: str) -> ComposeResult:
        match name:
            case "board":
                yield Bars(id="bars")
                yield Search(placeholder="Filter by ID, title or label", id="search")
                yield Static(id="nothing")
                with Horizontal(id="plan"):
                    yield Columns(id="columns")
                    yield Detail(id="detail")
            case "tasks":
                yield Tasks()
            case "agents":
                yield Runs(id="runs")
            case "questions":
                yield Questions()
            case _:
                with Vertical():
                    yield Static(id="problem-list")

    def on_mount(self) -> None:
        """Begin to look."""
        self.query_one(TaskList).is_read_only = self._is_read_only
        self.query_one(Search).display = False
        self.query_one("#nothing").display = False
        self._follow()

    @work(group="follow")
    async def _follow(self) -> None:
        while True:
            self._poke.clear()
            wanted = self._wanted
            seen = await asyncio.to_thread(self._feed.look, wanted)
            # Log lines come once, so that they are shown whatever is wanted by now.
            try:
                await self._show(seen)
            except NoMatches:
                if self.is_running:
                    raise
                return  # the board ends, and its parts are gone before this is
            if wanted == self._wanted:
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._poke.wait(), _PAUSE)

    def _want(self, wanted: FeedRequest) -> None:
        if wanted != self._wanted:
            self._wanted = wanted
            self._poke.set()

    async def _show(self, seen: BoardState) -> None:
        before, self._seen = self._seen, seen
        if before is None or before.board is not seen.board or before.cards is not seen.cards:
            await self._show_board(seen)
        if before is None or before.item is not seen.item:
            self.query_one(Detail).fill(seen.item)
        if before is None or _of_tasks(before) != _of_tasks(seen):
            self.query_one(Tasks).fill(seen)
        if (
            before is None
            or before.runs is not seen.runs
            or any(run["status"] == "running" for run in seen.runs)
        ):
            self.query_one(Runs).fill(seen.runs)
        self.query_one(Runs).write(seen.log)
        if before is None or before.questions is not seen.questions:
            await self._show_questions(before, seen)
        if before is None or before.events is not seen.events:
            self.query_one(Questions).tell(seen.events)
        for trouble in seen.troubles:
            if before is None or trouble not in before.troubles:
                self.notify(harmless(trouble), severity="error", markup=False)
        self._show_names(seen)
        if before is None:
            self._begin(seen)

    def _begin(self, seen: BoardState) -> None:
        if seen.board["dialects"]:
            self.query_one(Columns).take_keyboard()
        elif seen.tasks:
            self.action_view("tasks")
        if seen.questions:
            self.notify(f"{len(seen.questions)} waiting for an answer: press a.", title="Questions")

    async def _show_board(self, seen: BoardState) -> None:
        self.query_one(Bars).fill(seen.board, seen.dialect)
        columns = self.query_one(Columns)
        had_keyboard = columns.is_in_use
        headings = [of["columns"] for of in seen.board["dialects"] if of["dialect"] == seen.dialect]
        await columns.fill(headings[0] if headings else [], seen.cards)
        if had_keyboard and not columns.is_in_use:
            columns.take_keyboard()
        is_empty = not seen.board["dialects"]
        has_cards = any(page["total"] for page in seen.cards.values())
        nothing = self.query_one("#nothing", Static)
        nothing.display = not has_cards
        nothing.update(plain(_NOTHING if is_empty else _no_match(seen)))
        self.query_one("#plan").display = has_cards
        problems = seen.board.get("problems", [])
        self.query_one("#problem-list", Static).update(_problems(problems, seen.board))

    async def _show_questions(self, before: BoardState | None, seen: BoardState) -> None:
        self.query_one(Questions).fill(seen.questions)
        self.refresh_bindings()
        if before is None or self._is_read_only:
            return
        if isinstance(self.screen, AnswerDialog):
            open_ones = [one["id"] for one in seen.questions]
            if self.screen.question["id"] not in open_ones:
                await self.screen.dismiss(None)
                self.notify("Somebody else closed the question.", severity="warning")
            return
        known = [one["id"] for one in before.questions]
        new = [one for one in seen.questions if one["id"] not in known]
        if new and not isinstance(self.focused, Input):
            self._ask(new[0])
        elif new:
            self.notify("An agent asks a question: press a.", title="Question")

    def _show_names(self, seen: BoardState) -> None:
        running = sum(run["status"] == "running" and not run["stale"] for run in seen.runs)
        problems = seen.board.get("problems_total") or len(seen.board.get("problems", []))
        counts = {
            "tasks": seen.tasks["progress"] if seen.tasks else "",
            "agents": str(running or ""),
            "questions": str(len(seen.questions) or ""),
            "problems": str(problems or ""),
        }
        views = self.query_one(TabbedContent)
        for number, (name, title) in enumerate(_VIEWS.items(), 1):
            label = f"{number} {title} {counts.get(name, '')}".rstrip()
            tab = views.get_tab(name)
            if tab.label.plain != label:
                tab.label = label
        # An update lays the whole screen out again.
        head = self._head(seen)
        if head != self._shown_head:
            self._shown_head = head
            self.query_one("#head", Static).update(head)

    def _head(self, seen: BoardState) -> Text:
        text = Text.assemble(plain(self._session.place.root.name or "/", "bold"))
        if self._is_read_only:
            text.append_text(plain(" · read only", "yellow"))
        if seen.context is not None and seen.context["spec_dir"] is not None:
            text.append_text(plain(f" · {seen.context['spec_dir']} · {seen.context['phase']}", "dim"))
        if self._wanted.search:
            where = "texts" if self._wanted.bodies else "titles"
            text.append_text(plain(f" · {where} with “{self._wanted.search}”", "cyan"))
        text.no_wrap, text.overflow = True, "ellipsis"
        return text

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done."""
        match action:
            case "answer":
                return bool(self._seen and self._seen.questions) and not self._is_read_only
            case "dialect":
                return self._seen is not None and len(self._seen.board["dialects"]) > 1
            case _:
                return True

    def action_view(self, name: str) -> None:
        """Show a view and bring the keyboard there."""
        self.query_one(TabbedContent).active = name
        if name == "board":
            self.query_one(Columns).take_keyboard()
            return
        lists = {"tasks": "#task-list", "agents": "#run-list", "questions": "#question-list"}
        if name in lists:
            self.query_one(lists[name]).focus()
        else:
            self.set_focus(None)

    def action_search(self, bodies: bool) -> None:
        """Ask what to look for."""
        self.query_one(TabbedContent).active = "board"
        search = self.query_one(Search)
        search.display = True
        self._search_in(bodies)
        search.focus()

    def _search_in(self, bodies: bool) -> None:
        what = "Search IDs, titles, labels and texts" if bodies else "Filter by ID, title or label"
        self.query_one(Search).placeholder = what
        self._want(replace(self._wanted, bodies=bodies, shown={}))

    def action_search_texts(self) -> None:
        """Look through the texts, too, or no more."""
        self._search_in(not self._wanted.bodies)

    def action_keep_search(self) -> None:
        """Go on with what was found."""
        search = self.query_one(Search)
        search.display = bool(search.value)
        self.query_one(Columns).take_keyboard()

    def action_end_search(self) -> None:
        """Show everything again."""
        search = self.query_one(Search)
        search.value = ""
        search.display = False
        self._want(replace(self._wanted, search="", bodies=False, shown={}))
        self.query_one(Columns).take_keyboard()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look for what is typed."""
        if isinstance(event.input, Search):
            self._want(replace(self._wanted, search=event.value, shown={}))

    def action_dialect(self) -> None:
        """Show the next dialect."""
        if self._seen is None:
            return
        names = [of["dialect"] for of in self._seen.board["dialects"]]
        if self._seen.dialect in names:
            following = names[(names.index(self._seen.dialect) + 1) % len(names)]
            self._want(replace(self._wanted, dialect=following, shown={}, item=None))

    def on_columns_chosen(self, event: Columns.Chosen) -> None:
        """Look at another item."""
        if event.key is not None and event.key != self._wanted.item:
            self._want(replace(self._wanted, item=event.key))
            # There is none any more when the board is being left.
            for detail in self.query(Detail):
                detail.begin()

    def on_columns_short(self, event: Columns.Short) -> None:
        """Get more cards."""
        shown = {**self._wanted.shown, event.status: event.wanted}
        self._want(replace(self._wanted, shown=shown))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open what was chosen: an item, or a question."""
        if event.option_list.id == "question-list":
            self._answer(self.query_one("#question-list", Listing).key or "")
        elif event.option_list in self.query("Cards"):
            self.screen.add_class("-open")
            self.query_one(Detail).focus()

    def action_close_detail(self) -> None:
        """Go back to the columns."""
        self.screen.remove_class("-open")
        self.query_one(Columns).take_keyboard(self._wanted.item)

    def on_runs_chosen(self, event: Runs.Chosen) -> None:
        """Read another log."""
        self._want(replace(self._wanted, log=event.spec))

    def on_task_list_next_feature(self) -> None:
        """Show the tasks of the next feature."""
        if self._seen is None or not self._seen.features:
            return
        names: list[str] = [feature["spec_dir"] for feature in self._seen.features]
        shown = self._seen.context["spec_dir"] if self._seen.context else None
        at = names.index(shown) + 1 if shown in names else 0
        self._want(replace(self._wanted, feature=names[at % len(names)]))

    def on_task_list_done(self, event: TaskList.Done) -> None:
        """Complete a task; checks of the project may take a while."""
        self.notify(f"Completing {event.task} …", timeout=2, markup=False)
        speckit = self._session.speckit
        self._change(lambda: speckit.complete(event.task, feature=event.feature, agent=_BY))

    def action_answer(self) -> None:
        """Answer the question that is chosen, else the oldest."""
        chosen = self.query_one("#question-list", Listing).key
        views = self.query_one(TabbedContent)
        self._answer(chosen if chosen is not None and views.active == "questions" else "")

    def _answer(self, id: str) -> None:
        if self._seen is None or not self._seen.questions or self._is_read_only:
            return
        matching = [one for one in self._seen.questions if one["id"] == id]
        self._ask((matching or self._seen.questions)[0])

    def _ask(self, question: Data) -> None:
        questions = self._seen.questions if self._seen else [question]
        place = f"{questions.index(question) + 1} of {len(questions)}"
        self.push_screen(AnswerDialog(question, place), self._reply)

    def _reply(self, reply: Reply | None) -> None:
        if reply is not None:
            speckit = self._session.speckit
            self._change(lambda: speckit.answer(reply.question, reply.text, by=_BY))

    @work(group="changes")
    async def _change(self, change: Callable[[], Answer]) -> None:
        severity: Literal["information", "error"] = "information"
        try:
            text = (await asyncio.to_thread(change)).text
        except ChantError as error:
            text, severity = error.told(), "error"
        self.notify(harmless(text), severity=severity, markup=False)
        self._poke.set()


def _of_tasks(seen: BoardState) -> tuple[object, ...]:
    return (id(seen.context), id(seen.tasks), id(seen.features), seen.tasks_note)


def _no_match(seen: BoardState) -> str:
    counts = {of["dialect"]: sum(one["count"] for one in of["columns"]) for of in seen.board["dialects"]}
    others = [f"{dialect} {count}" for dialect, count in counts.items() if count]
    text = f"Nothing in {seen.dialect} matches."
    return f"{text} Elsewhere: {', '.join(others)}; d goes there." if others else text


def _problems(problems: list[Data], board: Data) -> Text:
    if not problems:
        return plain("All files can be read.", "green")
    text = Text()
    for problem in problems:
        line = f":{problem['line']}" if problem.get("line") else ""
        text.append_text(plain(f"{problem['path']}{line}", "bold"))
        text.append_text(plain(f"\n  {problem['message']}\n"))
    more = board.get("problems_total", len(problems)) - len(problems)
    return text.append_text(plain(f"… and {more} more\n", "dim")) if more else text
