"""What the board shows, asked of the core again and again; knows nothing of a screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, TypeVar

from chant_mcp._core import Answer, Workspace
from chant_mcp.commands.watch import listed, without_stamps
from chant_mcp.errors import ChantError, NotFoundError, NotInitializedError
from chant_mcp.load_words import load_lines
from chant_mcp.session import Session

Data = dict[str, Any]

T = TypeVar("T")

PAGE = 100
"""Cards of a column that are asked for at a time."""

_EVENTS = 200
"""Events shown, the last ones."""

_TAIL = 500
"""Lines of a log shown when it is opened."""


@dataclass(frozen=True, slots=True)
class FeedRequest:
    """What a person looks at."""

    search: str = ""
    bodies: bool = False
    """Whether the search looks through the texts, too."""
    dialect: str | None = None
    """One dialect alone; all of them where it is none."""
    label: str | None = None
    """Items with this label alone; all where it is none."""
    shown: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many cards of a column are wanted, by its meaning, where that is more than a page."""
    item: str | None = None
    feature: str | None = None
    """A feature beside the current one."""
    log: str | None = None
    """The spec whose log is read."""


@dataclass(frozen=True, slots=True)
class Log:
    """What is new in a log."""

    spec: str
    has_started: bool
    """Whether it stands alone, rather than after what was seen before."""
    text: str


@dataclass(frozen=True, slots=True)
class BoardState:
    """Everything at one moment; parts that did not change are the very objects of the moment before."""

    board: Data
    """The five columns with their cards, the dialects and the labels."""
    dialect: str | None
    problems: Data
    item: Data | None
    context: Data | None
    features: list[Data]
    tasks: Data | None
    tasks_note: str
    """Why there are no tasks."""
    runs: list[Data]
    load: list[str]
    """How busy accounts and machines are, in lines; empty where there are none."""
    log: Log | None
    questions: list[Data]
    events: list[Data]
    troubles: tuple[str, ...]
    """What the core refused, in its own words."""


class Feed:
    """Asks the core; one call at a time."""

    def __init__(self, session: Session) -> None:
        """Remember the project; nothing is asked yet."""
        self._session = session
        self._kept: dict[str, tuple[Any, Any]] = {}
        self._log: tuple[str, int] | None = None
        self._changes = 0
        """How often something changed so far."""
        self._around: tuple[object, object] = (None, None)
        """Runs and questions of the last look: what items mean depends on them."""
        self._troubles: list[str] = []

    def look(self, wanted: FeedRequest, *, is_changed: bool = True) -> BoardState:
        """Ask for everything that a person looks at.

        Args:
            wanted: What that is.
            is_changed: Whether files may have changed since the last look. Runs, questions and what is said
                of the current feature are looked at in any case.
        """
        self._troubles = []
        speckit = self._session.speckit
        runs, load = self._runs()
        questions = self._kept_answer("questions", speckit.questions, [])
        if is_changed or runs is not self._around[0] or questions is not self._around[1]:
            self._changes += 1
        self._around = (runs, questions)
        board, dialect = self._board(wanted)
        context = self._kept_answer("context", lambda: speckit.context(wanted.feature), None)
        tasks, note = self._tasks(wanted, context)
        if (line := self._try(lambda: self._session.chant.untrusted_line(), None)) is not None:
            self._troubles.append(line)
        return BoardState(
            board=board,
            dialect=dialect,
            problems=self._problems(),
            item=self._item(wanted.item),
            context=context,
            features=self._kept_answer("features", speckit.features, []),
            tasks=tasks,
            tasks_note=note,
            runs=runs,
            load=load,
            log=self._new_in_log(wanted.log),
            questions=questions,
            events=self._kept_answer("events", lambda: speckit.events(limit=_EVENTS), []),
            troubles=tuple(self._troubles),
        )

    def _try(self, ask: Callable[[], T], otherwise: T) -> T:
        try:
            return ask()
        except NotInitializedError:  # a project without this dialect
            return otherwise
        except ChantError as error:
            self._troubles.append(error.describe())
            return otherwise

    def _kept_answer(self, name: str, ask: Callable[[], Answer], otherwise: Any) -> Any:
        answer = self._try(ask, None)
        json = answer.json if answer is not None else None
        return self._keep(name, json, lambda: answer.data if answer is not None else otherwise)

    def _keep(self, name: str, key: Any, make: Callable[[], T]) -> T:
        known = self._kept.get(name)
        if known is None or known[0] != key:
            known = (key, make())
            self._kept[name] = known
        return known[1]

    def _board(self, wanted: FeedRequest) -> tuple[Data, str | None]:
        workspace = self._try(lambda: self._session.workspace, None)
        if workspace is None:
            return self._keep("board", None, lambda: (_empty_board(), None))

        def look(dialect: str | None) -> Data:
            answer: Data = workspace.board_look(
                wanted.search, bodies=wanted.bodies, dialect=dialect, label=wanted.label, limit=PAGE
            ).data
            for column in answer["columns"]:
                self._add_rows(workspace, wanted, dialect, column)
            return answer

        def board() -> tuple[Data, str | None]:
            found = look(wanted.dialect)
            if wanted.dialect is None or wanted.dialect in [of["dialect"] for of in found["dialects"]]:
                return found, wanted.dialect
            return look(None), None  # its last item is gone

        key = (
            self._changes,
            wanted.search,
            wanted.bodies,
            wanted.dialect,
            wanted.label,
            tuple(sorted(wanted.shown.items())),
        )
        return self._keep("board", key, lambda: self._try(board, (_empty_board(), None)))

    def _add_rows(self, workspace: Workspace, wanted: FeedRequest, dialect: str | None, column: Data) -> None:
        offset: int | None = column.pop("next_offset", None)
        most = wanted.shown.get(column["meaning"], PAGE)
        while offset is not None and offset < most:
            page: Data = workspace.board_rows(
                column["meaning"],
                wanted.search,
                bodies=wanted.bodies,
                dialect=dialect,
                label=wanted.label,
                limit=most - offset,
                offset=offset,
            ).data
            column["items"] += page["items"]
            offset = page.get("next_offset")

    def _item(self, key: str | None) -> Data | None:
        if key is None:
            return None

        def item() -> Data | None:
            try:
                return self._session.workspace.board_item(key).data
            except NotFoundError:  # it was there when it was chosen
                return None

        return self._keep("item", (key, self._changes), lambda: self._try(item, None))

    def _problems(self) -> Data:
        def problems() -> Data:
            return self._session.workspace.board_problems().data

        otherwise: Data = {"problems": [], "total": 0}
        return self._keep("problems", self._changes, lambda: self._try(problems, otherwise))

    def _tasks(self, wanted: FeedRequest, context: Data | None) -> tuple[Data | None, str]:
        if context is None or (wanted.feature is None and context["spec_dir"] is None):
            return None, ""
        place = (self._changes, context["root"], context["spec_dir"])
        known = self._kept.get("tasks")
        if known is not None and known[0][0] == place and self._is_versioned(context) and known[1]["tasks"]:
            return known[1], ""
        try:
            answer = self._session.speckit.tasks(wanted.feature)
        except ChantError as error:  # a feature that has no list yet
            return None, error.describe()
        if known is not None and known[0][1] == answer.json:
            self._kept["tasks"] = ((place, answer.json), known[1])
        return self._keep("tasks", (place, answer.json), lambda: answer.data), ""

    def _is_versioned(self, context: Data) -> bool:
        """Whether changes of a feature's list of tasks are reported as changes of the workspace."""
        directory = context["spec_dir"]
        is_here = context["root"] == str(self._session.place.root)
        return is_here and directory is not None and not PurePath(directory).is_absolute()

    def _runs(self) -> tuple[list[Data], list[str]]:
        text, found = self._try(lambda: listed(self._session.chant, ended=True), ("", {"processes": []}))
        runs = self._keep("runs", text, lambda: found["processes"])
        return runs, self._keep("load", text, lambda: load_lines(found))

    def _new_in_log(self, spec: str | None) -> Log | None:
        if spec is None:
            self._log = None
            return None
        offset = self._log[1] if self._log is not None and self._log[0] == spec else None
        try:
            page: Data = self._session.chant.log(spec, lines=_TAIL, offset=offset).data
        except (NotFoundError, NotInitializedError):  # its agent has written nothing yet
            self._log = None
            return Log(spec, True, "")
        except ChantError as error:
            self._troubles.append(error.describe())
            return None
        if offset is not None and page["byte_offset"] < offset:
            self._log = None  # started again
            return self._new_in_log(spec)
        self._log = (spec, page["byte_offset"])
        return Log(spec, offset is None, without_stamps(page["content"]))


def _empty_board() -> Data:
    return {"columns": [], "dialects": [], "labels": []}
