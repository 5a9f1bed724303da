"""The board as a whole: its screens, its keys, and the look at the core after each change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult, SuspendNotSupported, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static, TabbedContent, TabPane

from chant_mcp._core import Answer
from chant_mcp.board.act_flow import ActFlow
from chant_mcp.board.acts import ItemAct, offered
from chant_mcp.board.columns import Bars, Columns, MeaningStrip
from chant_mcp.board.detail import Detail
from chant_mcp.board.dialogs import ChoiceDialog, KeysScreen
from chant_mcp.board.editor import editor_of, file_of, open_in_editor
from chant_mcp.board.feed import BoardState, Data, Feed, FeedRequest
from chant_mcp.board.keys import BOUND, VIEWS
from chant_mcp.board.listing import Listing
from chant_mcp.board.questions import AnswerDialog, Questions, Reply
from chant_mcp.board.runs import Runs
from chant_mcp.board.tasks import TaskList, Tasks
from chant_mcp.change_watch import ChangeWatch
from chant_mcp.commands.rich_console import plain
from chant_mcp.errors import ChantError
from chant_mcp.formats import key_of_work
from chant_mcp.session import Session
from chant_mcp.terminal import harmless

_PAUSE = 1.0
"""Seconds after which runs, logs and questions are looked at, which no change of a file announces."""

_BY = "board"
"""Who answers and completes, in the records."""

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
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012 Textual types it so
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key.keys, key.action, key.label, show=key.is_at_foot, key_display=key.display or None)
        for key in BOUND
    ]

    def __init__(self, session: Session, *, is_read_only: bool = False, is_person: bool = False) -> None:
        """Take the project; nothing is asked of the core yet.

        Args:
            session: The project.
            is_read_only: Whether nothing can be changed from the board.
            is_person: Whether a person sits there, so that what only they may do is offered.
        """
        super().__init__()
        self._session = session
        self._is_read_only = is_read_only
        self._flow = ActFlow(self, session, is_person=is_person and not is_read_only)
        self._feed = Feed(session)
        self._changes = ChangeWatch(session, self._note_change)
        self._is_changed = True
        self._wanted = FeedRequest()
        self._seen: BoardState | None = None
        self._poke = asyncio.Event()
        self._is_open = False
        self._shown_head: Text | None = None

    def compose(self) -> ComposeResult:
        """Put the views below a line on the project."""
        yield Static(id="head")
        with TabbedContent(id="views"):
            for number, (name, title) in enumerate(VIEWS.items(), 1):
                with TabPane(f"{number} {title}", id=name):
                    yield from self._view(name)
        yield Static(id="acts")
        yield Footer(show_command_palette=False)

    def _view(self, name: str) -> ComposeResult:
        match name:
            case "board":
                yield Bars(id="bars")
                yield MeaningStrip(id="strip")
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
                with VerticalScroll(id="problem-scroll"):
                    yield Static(id="problem-list")

    def on_mount(self) -> None:
        """Begin to look."""
        self.query_one(TaskList).is_read_only = self._is_read_only
        self.query_one(Search).display = False
        self.query_one("#nothing").display = False
        self._event_loop = asyncio.get_running_loop()
        self._changes.begin()
        self._follow()

    def on_unmount(self) -> None:
        """Wait for changes no more."""
        self._changes.end()

    def _note_change(self) -> None:
        with suppress(RuntimeError):  # the board has ended, and its loop is closed
            self._event_loop.call_soon_threadsafe(self._look_at_all)

    def _look_at_all(self) -> None:
        self._is_changed = True
        self._poke.set()

    @work(group="follow")
    async def _follow(self) -> None:
        while True:
            self._poke.clear()
            wanted = self._wanted
            is_changed, self._is_changed = self._is_changed or not self._changes.is_active, False
            seen = await asyncio.to_thread(self._feed.look, wanted, is_changed=is_changed)
            # Log lines come once, so that they are shown whatever is wanted by now.
            try:
                await self._show(seen)
            except NoMatches:
                if self.is_running:
                    raise
                return  # the board ends, and its parts are gone before this is
            if wanted == self._wanted and not self._is_changed:
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._poke.wait(), _PAUSE)

    def _want(self, wanted: FeedRequest) -> None:
        if wanted != self._wanted:
            self._wanted = wanted
            self._poke.set()

    async def _show(self, seen: BoardState) -> None:
        before, self._seen = self._seen, seen
        await self._show_items(before, seen)
        if before is None or _of_tasks(before) != _of_tasks(seen):
            self.query_one(Tasks).fill(seen)
        if (
            before is None
            or before.runs is not seen.runs
            or before.load is not seen.load
            or any(run["status"] == "running" for run in seen.runs)
        ):
            self.query_one(Runs).fill(seen.runs, seen.load)
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

    async def _show_items(self, before: BoardState | None, seen: BoardState) -> None:
        if before is None or before.board is not seen.board:
            await self._show_board(seen)
        if before is None or before.problems is not seen.problems:
            self.query_one("#problem-list", Static).update(_problems(seen.problems))
        if before is None or before.item is not seen.item:
            self.query_one(Detail).fill(seen.item)
            self._show_acts()

    def _begin(self, seen: BoardState) -> None:
        if seen.board["dialects"]:
            self.query_one(Columns).take_keyboard()
        elif seen.tasks:
            self.action_view("tasks")
        if seen.questions and self._flow.is_person:
            self.notify(f"{len(seen.questions)} waiting for an answer: press a.", title="Questions")

    async def _show_board(self, seen: BoardState) -> None:
        self.query_one(Bars).fill(seen.board, seen.dialect)
        columns = self.query_one(Columns)
        had_keyboard = columns.is_in_use
        await columns.fill(seen.board["columns"])
        self.query_one(MeaningStrip).fill(seen.board["columns"])
        if had_keyboard and not columns.is_in_use:
            columns.take_keyboard()
        has_cards = any(column["count"] for column in seen.board["columns"])
        nothing = self.query_one("#nothing", Static)
        nothing.display = not has_cards
        nothing.update(plain(_no_match(seen, self._wanted.label) if seen.board["dialects"] else _NOTHING))
        self.query_one("#strip").display = bool(seen.board["dialects"])
        self.query_one("#plan").display = has_cards

    async def _show_questions(self, before: BoardState | None, seen: BoardState) -> None:
        self.query_one(Questions).fill(seen.questions)
        self.refresh_bindings()
        if before is None or not self._flow.is_person:
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
        counts = {
            "tasks": seen.tasks["progress"] if seen.tasks else "",
            "agents": str(running or ""),
            "questions": str(len(seen.questions) or ""),
            "problems": str(seen.problems["total"] or ""),
        }
        views = self.query_one(TabbedContent)
        views.get_tab("tasks").display = self._has_tasks()
        for number, (name, title) in enumerate(VIEWS.items(), 1):
            label = f"{number} {title} {counts.get(name, '')}".rstrip()
            tab = views.get_tab(name)
            if tab.label.plain != label:
                tab.label = label
        # An update lays the whole screen out again.
        head = self._head(seen)
        if head != self._shown_head:
            self._shown_head = head
            self.query_one("#head", Static).update(head)

    def _has_tasks(self) -> bool:
        seen = self._seen
        return seen is not None and bool(seen.features or (seen.context and seen.context["spec_dir"]))

    def _head(self, seen: BoardState) -> Text:
        text = Text.assemble(plain(self._session.place.root.name or "/", "bold"))
        if self._is_read_only:
            text.append_text(plain(" · read only", "yellow"))
        if seen.context is not None and seen.context["spec_dir"] is not None:
            text.append_text(plain(f" · {seen.context['spec_dir']} · {seen.context['phase']}", "dim"))
        if self._wanted.search:
            where = "texts" if self._wanted.bodies else "titles"
            text.append_text(plain(f" · {where} with “{self._wanted.search}”", "cyan"))
        if self._wanted.label is not None:
            text.append_text(plain(f" · label {self._wanted.label}", "cyan"))
        text.no_wrap, text.overflow = True, "ellipsis"
        return text

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done."""
        match action:
            case "answer":
                return bool(self._seen and self._seen.questions) and self._flow.is_person
            case "show_all":
                wanted = self._wanted
                return bool(wanted.search or wanted.label or wanted.dialect or self.screen.has_class("-open"))
            case "view":
                return parameters[0] != "tasks" or self._has_tasks()
            case "dialect":
                return self._seen is not None and len(self._seen.board["dialects"]) > 1
            case "label":
                return self._seen is not None and bool(self._seen.board["labels"] or self._wanted.label)
            case "act":
                return any(act.key == parameters[0] for act in self._offered())
            case "edit":
                return self._item_at_hand() is not None and not self._is_read_only
            case "undo":
                return self._flow.can_undo
            case "add":
                return not self._is_read_only
            case _:
                return True

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Give what can be done now, by name; of Textual's own commands the themes."""
        offered = {act.key: act.label for act in self._offered()}
        for key in BOUND:
            name, parameters = key.action.partition("(")[0], (key.keys,)
            if self.check_action(name, parameters):
                title = offered.get(key.keys, key.label)
                yield SystemCommand(title, f"{key.help} ({key.shown})", partial(self.run_action, key.action))
        yield SystemCommand("Theme", "Choose the colours", self.action_change_theme)

    def _item_at_hand(self) -> Data | None:
        """Give the item that the person sees as chosen."""
        item = self._seen.item if self._seen else None
        if item is None or item["key"] != self._wanted.item:
            return None
        return item if self.query_one(TabbedContent).active in ("board", "agents") else None

    def _offered(self) -> list[ItemAct]:
        item = self._item_at_hand()
        if item is None or self._is_read_only:
            return []
        return list(offered(item, is_person=self._flow.is_person))

    def _show_acts(self) -> None:
        line = Text(no_wrap=True, overflow="ellipsis")
        for act in self._offered():
            line.append_text(plain(f"{act.key} ", "bold")).append_text(plain(f"{act.label}  "))
        shown = self.query_one("#acts", Static)
        shown.update(line)
        shown.display = bool(line.plain)

    @work(group="acts")
    async def action_act(self, key: str) -> None:
        """Do to the chosen item what the key stands for."""
        item = self._item_at_hand()
        for act in self._offered():
            if act.key == key and item is not None:
                await self._flow.carry_out(act, item)
                self._look_at_all()

    @work(group="acts")
    async def action_add(self) -> None:
        """Add a spec."""
        await self._flow.add()
        self._look_at_all()

    @work(group="acts")
    async def action_undo(self) -> None:
        """Take the last act back."""
        await self._flow.undo()
        self._look_at_all()

    def action_keys(self) -> None:
        """Show all keys."""
        self.push_screen(KeysScreen())

    def action_edit(self) -> None:
        """Open the file of the chosen item in the person's editor; the board waits."""
        item = self._item_at_hand()
        argv = editor_of(self._session.environment)
        if item is None:
            return
        if not argv:
            self.notify(
                "No editor is named. Set VISUAL or EDITOR, and start the board again.", severity="error"
            )
            return
        try:
            file = file_of(self._session.place.root, item["path"])
            with self.suspend():
                code = open_in_editor(argv, file, self._session.environment)
        except (OSError, ChantError, SuspendNotSupported) as error:
            text = error.describe() if isinstance(error, ChantError) else f"The editor did not start: {error}"
            self.notify(harmless(text), severity="error", markup=False)
            return
        if code:
            self.notify(f"The editor ended with exit code {code}.", severity="warning")
        self._look_at_all()

    def action_view(self, name: str) -> None:
        """Show a view and bring the keyboard there."""
        self.query_one(TabbedContent).active = name
        if name == "board":
            self.query_one(Columns).take_keyboard()
            return
        lists = {"tasks": "#task-list", "agents": "#run-list", "questions": "#question-list"}
        self.query_one(lists.get(name, "#problem-scroll")).focus()

    def on_tabbed_content_tab_activated(self, event: TabbedContent.TabActivated) -> None:
        """Act on what is chosen on the screen that is seen now."""
        if event.pane.id == "agents":
            self._want_run(self.query_one(Runs).spec)
        self._show_acts()

    def _want_run(self, spec: str | None) -> None:
        item = None if spec is None else key_of_work(spec)
        self._want(replace(self._wanted, item=item))

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

    def action_show_all(self) -> None:
        """Clear what leaves items out: the filter, the label and the dialect."""
        if self.screen.has_class("-open"):
            self.action_close_detail()
            return
        self._want(replace(self._wanted, label=None, dialect=None))
        self.action_end_search()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look for what is typed."""
        if isinstance(event.input, Search):
            self._want(replace(self._wanted, search=event.value, shown={}))

    def action_dialect(self) -> None:
        """Show the next dialect alone, and all of them again after the last one."""
        if self._seen is None:
            return
        names = [None, *(of["dialect"] for of in self._seen.board["dialects"])]
        shown = self._seen.dialect
        following = names[(names.index(shown) + 1) % len(names)] if shown in names else None
        self._want(replace(self._wanted, dialect=following, shown={}, item=None))

    @work(group="label")
    async def action_label(self) -> None:
        """Ask for a label, and show only items that have it."""
        if self._seen is None:
            return
        labels = [(of["label"], f"{of['label']} ({of['count']})") for of in self._seen.board["labels"]]
        chosen = await self.push_screen_wait(ChoiceDialog("Label", [("", "All labels"), *labels]))
        if chosen is not None:
            self.action_view("board")
            self._want(replace(self._wanted, label=chosen or None, shown={}, item=None))

    def on_columns_chosen(self, event: Columns.Chosen) -> None:
        """Look at another item."""
        # There is none any more when the board is being left.
        for strip in self.query(MeaningStrip):
            strip.mark(event.meaning)
        if event.key is not None and event.key != self._wanted.item:
            self._want(replace(self._wanted, item=event.key))
            # There is none any more when the board is being left.
            for detail in self.query(Detail):
                detail.begin()

    def on_columns_short(self, event: Columns.Short) -> None:
        """Get more cards."""
        shown = {**self._wanted.shown, event.meaning: event.wanted}
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
        if self.query_one(TabbedContent).active == "agents":
            self._want_run(event.spec)

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
        if self._seen is None or not self._seen.questions or not self._flow.is_person:
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
            text, severity = error.describe(), "error"
        self.notify(harmless(text), severity=severity, markup=False)
        self._poke.set()


def _of_tasks(seen: BoardState) -> tuple[object, ...]:
    return (id(seen.context), id(seen.tasks), id(seen.features), seen.tasks_note)


def _no_match(seen: BoardState, label: str | None) -> str:
    if label is not None:
        return f"Nothing with the label {label} matches. Esc shows everything again."
    if seen.dialect is None:
        return "Nothing matches. Esc shows everything again."
    return f"Nothing in {seen.dialect} matches. d shows other formats, Esc shows everything again."


def _problems(of: Data) -> Text:
    problems: list[Data] = of["problems"]
    if not problems:
        return plain("All files can be read.", "green")
    text = Text()
    for problem in problems:
        line = f":{problem['line']}" if problem.get("line") else ""
        text.append_text(plain(f"{problem['path']}{line}", "bold"))
        text.append_text(plain(f"\n  {problem['message']}\n"))
    more = of["total"] - len(problems)
    return text.append_text(plain(f"… and {more} more\n", "dim")) if more else text
