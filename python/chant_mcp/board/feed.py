"""What the board shows, asked of the core again and again; knows nothing of a screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, TypeVar

from chant_mcp._core import Answer
from chant_mcp.commands.watch import listed, without_stamps
from chant_mcp.errors import ChantError, NotFoundError, NotInitializedError
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
    shown: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many cards of a column are wanted, by its state, where that is more than a page."""
    item: str | None = None
    feature: str | None = None
    """A feature beside the current one."""
    log: str | None = None
    """The spec whose log is read."""


@dataclass(frozen=True, slots=True)
class Log:
    """What is new in a log."""

    spec: str
    is_begun: bool
    """Whether it stands alone, rather than after what was seen before."""
    text: str


@dataclass(frozen=True, slots=True)
class BoardState:
    """Everything at one moment; parts that did not change are the very objects of the moment before."""

    board: Data
    dialect: str | None
    cards: Mapping[str, Data]
    item: Data | None
    context: Data | None
    features: list[Data]
    tasks: Data | None
    tasks_note: str
    """Why there are no tasks."""
    runs: list[Data]
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
        self._version = 0
        self._troubles: list[str] = []

    def look(self, wanted: FeedRequest) -> BoardState:
        """Ask for everything that a person looks at."""
        self._troubles = []
        board, dialect, cards = self._board(wanted)
        speckit = self._session.speckit
        context = self._kept_answer("context", lambda: speckit.context(wanted.feature), None)
        tasks, note = self._tasks(wanted, context)
        if (line := self._try(lambda: self._session.chant.untrusted_line(), None)) is not None:
            self._troubles.append(line)
        return BoardState(
            board=board,
            dialect=dialect,
            cards=cards,
            item=self._item(wanted.item, board),
            context=context,
            features=self._kept_answer("features", speckit.features, []),
            tasks=tasks,
            tasks_note=note,
            runs=self._runs(),
            log=self._new_in_log(wanted.log),
            questions=self._kept_answer("questions", speckit.questions, []),
            events=self._kept_answer("events", lambda: speckit.events(limit=_EVENTS), []),
            troubles=tuple(self._troubles),
        )

    def _try(self, ask: Callable[[], T], otherwise: T) -> T:
        try:
            return ask()
        except NotInitializedError:  # a project without this dialect
            return otherwise
        except ChantError as error:
            self._troubles.append(error.told())
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

    def _board(self, wanted: FeedRequest) -> tuple[Data, str | None, Mapping[str, Data]]:
        workspace = self._try(lambda: self._session.workspace, None)
        if workspace is None:
            return self._keep("board", None, _empty_board), None, self._keep("cards", None, dict[str, Data])
        version = self._version = self._try(workspace.version, 0)
        search = (version, wanted.search, wanted.bodies)

        def counts() -> Data:
            answer = self._try(lambda: workspace.board(wanted.search, bodies=wanted.bodies), None)
            return _empty_board() if answer is None else answer.data

        board = self._keep("board", search, counts)
        names = [of["dialect"] for of in board["dialects"]]
        dialect = wanted.dialect if wanted.dialect in names else next(iter(names), None)

        def cards() -> dict[str, Data]:
            shown = [of for of in board["dialects"] if of["dialect"] == dialect]
            return {column["status"]: page(column["status"]) for of in shown for column in of["columns"]}

        def page(status: str) -> Data:
            found: Data = {"items": [], "total": 0}
            offset: int | None = 0
            most = wanted.shown.get(status, PAGE)
            while offset is not None and offset < most:
                answer: Data = workspace.column(
                    dialect or "",
                    status,
                    wanted.search,
                    bodies=wanted.bodies,
                    limit=most - offset,
                    offset=offset,
                ).data
                found["items"] += answer["items"]
                found["total"], offset = answer["total"], answer.get("next_offset")
            return found

        key = (*search, dialect, tuple(sorted(wanted.shown.items())))
        return board, dialect, self._keep("cards", key, lambda: self._try(cards, {}))

    def _item(self, key: str | None, board: Data) -> Data | None:
        if key is None:
            return None
        workspace = self._session.workspace

        def item() -> Data | None:
            try:
                return {**workspace.show(key).data, "around": workspace.around(key).data}
            except NotFoundError:  # it was there when it was chosen
                return None

        return self._keep("item", (key, board["version"]), lambda: self._try(item, None))

    def _tasks(self, wanted: FeedRequest, context: Data | None) -> tuple[Data | None, str]:
        if context is None or (wanted.feature is None and context["spec_dir"] is None):
            return None, ""
        place = (self._version, context["root"], context["spec_dir"])
        known = self._kept.get("tasks")
        if known is not None and known[0][0] == place and self._is_versioned(context) and known[1]["tasks"]:
            return known[1], ""
        try:
            answer = self._session.speckit.tasks(wanted.feature)
        except ChantError as error:  # a feature that has no list yet
            return None, error.told()
        if known is not None and known[0][1] == answer.json:
            self._kept["tasks"] = ((place, answer.json), known[1])
        return self._keep("tasks", (place, answer.json), lambda: answer.data), ""

    def _is_versioned(self, context: Data) -> bool:
        """Whether the workspace's version changes with a feature's list of tasks."""
        directory = context["spec_dir"]
        is_here = context["root"] == str(self._session.place.root)
        return (
            is_here and directory is not None and not PurePath(directory).is_absolute() and self._version > 0
        )

    def _runs(self) -> list[Data]:
        text, found = self._try(lambda: listed(self._session.chant, ended=True), ("", {"processes": []}))
        return self._keep("runs", text, lambda: found["processes"])

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
            self._troubles.append(error.told())
            return None
        if offset is not None and page["byte_offset"] < offset:
            self._log = None  # begun anew
            return self._new_in_log(spec)
        self._log = (spec, page["byte_offset"])
        return Log(spec, offset is None, without_stamps(page["content"]))


def _empty_board() -> Data:
    return {"version": 0, "dialects": []}
