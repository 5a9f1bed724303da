from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, final, overload

__all__ = [
    "Answer",
    "Changes",
    "ChantProject",
    "Columns",
    "Edges",
    "Export",
    "Items",
    "Layers",
    "Network",
    "Scores",
    "Selection",
    "SpeckitFeatures",
    "Table",
    "TicketProjects",
    "Transaction",
    "VineFiles",
    "Workspace",
    "body_section",
    "body_sections",
    "error_codes",
    "export_fields",
    "item_table",
    "merge_specs",
    "work_over_http",
]

@final
class Answer:
    @property
    def text(self) -> str: ...
    @property
    def json(self) -> str | None: ...
    @property
    def note(self) -> str | None: ...
    @property
    def data(self) -> Any: ...

@final
class ChantProject:
    def __new__(
        cls,
        root: str | PathLike[str],
        *,
        user_config: str | PathLike[str] | None = None,
        searched: list[str] = ...,
        environment: dict[str, str] = ...,
        program: list[str] = ...,
        prompts: str | PathLike[str] | None = None,
        state_home: str | PathLike[str] | None = None,
        events: bool = True,
        stop_at: str | None = None,
    ) -> ChantProject: ...
    @property
    def root(self) -> Path: ...
    @property
    def state_folder(self) -> Path | None: ...
    def state_part(self, part: str, *, shared: bool = False) -> Path: ...
    def take_over_earlier_release(self) -> int: ...
    def spec_list(
        self, status: str | None = None, *, approval: str | None = None, limit: int = 50, offset: int = 0
    ) -> Answer: ...
    def spec_get(self, id: str, *, offset: int = 0, max_chars: int = 40000) -> Answer: ...
    def ready(self, *, limit: int = 50, offset: int = 0) -> Answer: ...
    def status(self, *, brief: bool = False, include_activity: bool = False) -> Answer: ...
    def log(
        self, id: str, *, lines: int = 100, offset: int | None = None, since: str | None = None
    ) -> Answer: ...
    def search(
        self, query: str, status: str | None = None, *, limit: int = 50, offset: int = 0
    ) -> Answer: ...
    def diagnose(self, id: str) -> Answer: ...
    def lint(self, id: str | None = None, *, limit: int = 50, offset: int = 0) -> Answer: ...
    def verify(self, id: str) -> Answer: ...
    def spec_update(
        self,
        id: str,
        *,
        status: str | None = None,
        output: str | None = None,
        depends_on: list[str] | None = None,
        labels: list[str] | None = None,
        target_files: list[str] | None = None,
        model: str | None = None,
        check: list[str] = ...,
        uncheck: list[str] = ...,
        replace_body: bool = False,
        force: bool = False,
        expect_body: str | None = None,
    ) -> Answer: ...
    def add(
        self,
        description: str,
        *,
        prompt: str | None = None,
        criteria: list[str] = ...,
        depends_on: list[str] | None = None,
        labels: list[str] = ...,
        target_files: list[str] = ...,
        type: str | None = None,
        parent: str | None = None,
        needs_approval: bool = False,
    ) -> Answer: ...
    def finalize(self, id: str, *, force: bool = False) -> Answer: ...
    def reset(self, id: str) -> Answer: ...
    def cancel(self, id: str) -> Answer: ...
    def approve(self, id: str, *, by: str | None = None, reason: str | None = None) -> Answer: ...
    def reject(self, id: str, reason: str, *, by: str | None = None) -> Answer: ...
    def archive(self, id: str) -> Answer: ...
    def work_list(
        self, *, process_id: str | None = None, include_completed: bool = False, offset: int = 0
    ) -> Answer: ...
    def work_start(
        self,
        id: str,
        *,
        chain: bool = False,
        parallel: int | None = None,
        skip_criteria: bool = False,
        fresh: bool = False,
        agent: str | None = None,
        prompt: str | None = None,
        progress: Callable[[str], object] | None = None,
    ) -> Answer: ...
    def split(
        self,
        id: str,
        *,
        force: bool = False,
        recursive: bool = False,
        max_depth: int | None = None,
        fresh: bool = False,
        agreed: str | None = None,
        progress: Callable[[str], object] | None = None,
    ) -> Answer: ...
    def split_question(
        self, id: str, *, recursive: bool = False, max_depth: int | None = None, fresh: bool = False
    ) -> tuple[str, str] | None: ...
    def pause(self, id: str) -> Answer: ...
    def takeover(self, id: str, *, force: bool = False) -> Answer: ...
    def merge(self, id: str | None = None) -> Answer: ...
    def worktrees(self) -> Answer: ...
    def prune_worktrees(self) -> Answer: ...
    def watch_status(self) -> Answer: ...
    def watch_start(self) -> Answer: ...
    def watch_stop(self) -> Answer: ...
    def watch(
        self, *, once: bool = False, started: bool = False, tell: Callable[[str], object] | None = None
    ) -> None: ...
    def recover(self) -> list[str]: ...
    def run_work(self) -> str: ...

@final
class SpeckitFeatures:
    def __new__(
        cls,
        folder: str | PathLike[str],
        *,
        environment: dict[str, str] = ...,
        session: str = ...,
        state_home: str | PathLike[str] | None = None,
        stop_at: str | None = None,
    ) -> SpeckitFeatures: ...
    def context(self, feature: str | None = None) -> Answer: ...
    def read(
        self, artifact: str, *, feature: str | None = None, offset: int = 0, max_chars: int = 40000
    ) -> Answer: ...
    def complete(
        self,
        task_id: str,
        *,
        skip_validation: bool = False,
        feature: str | None = None,
        agent: str | None = None,
    ) -> Answer: ...
    def report_status(
        self,
        status: str,
        *,
        prompt: str | None = None,
        message: str | None = None,
        question: str | None = None,
        agent: str | None = None,
        progress: Callable[[str], object] | None = None,
        has_left: Callable[[], bool] | None = None,
    ) -> Answer: ...
    def ask(
        self, prompt: str | None = None, *, question: str | None = None, agent: str | None = None
    ) -> Answer: ...
    def wait(
        self,
        question: str,
        seconds: float,
        *,
        progress: Callable[[str], object] | None = None,
        has_left: Callable[[], bool] | None = None,
    ) -> Answer: ...
    def answer(self, question: str, text: str | None = None, *, by: str | None = None) -> Answer: ...
    def questions(self, *, all: bool = False) -> Answer: ...
    def events(self, *, limit: int = 50) -> Answer: ...
    def tasks(self, feature: str | None = None) -> Answer: ...
    def next(self, feature: str | None = None) -> Answer: ...
    def features(self) -> Answer: ...

@final
class TicketProjects:
    def __new__(
        cls,
        start: str | PathLike[str],
        *,
        config_folder: str | PathLike[str] | None = None,
        home: str | PathLike[str] | None = None,
        variables: dict[str, str] = ...,
        state_home: str | PathLike[str] | None = None,
        stop_at: str | None = None,
    ) -> TicketProjects: ...
    def list_projects(self) -> Answer: ...
    def get_project_info(self, key: str) -> Answer: ...
    def list_crs(
        self,
        project: str | None = None,
        *,
        filters: dict[str, Any] | None = None,
        limit: int = 20,
        offset: int = 0,
        fields: list[str] | None = None,
    ) -> Answer: ...
    def get_cr(
        self,
        project: str | None,
        key: str,
        *,
        mode: str = "full",
        offset: int = 0,
        max_chars: int = 40000,
    ) -> Answer: ...
    def create_cr(self, project: str | None, type: str, data: dict[str, Any]) -> Answer: ...
    def update_cr_attrs(self, project: str | None, key: str, attributes: dict[str, Any]) -> Answer: ...
    def update_cr_status(self, project: str | None, key: str, status: str) -> Answer: ...
    def delete_cr(self, project: str | None, key: str) -> Answer: ...
    def manage_cr_sections(
        self,
        project: str | None,
        key: str,
        operation: str,
        *,
        section: str | None = None,
        update_mode: str | None = None,
        content: str | None = None,
        expect: str | None = None,
        offset: int = 0,
        max_chars: int = 40000,
    ) -> Answer: ...
    def suggest_cr_improvements(self, project: str | None, key: str) -> Answer: ...
    def ticket(self, project: str | None, key: str) -> Answer: ...
    def ready(self, project: str | None = None, *, limit: int = 50, offset: int = 0) -> Answer: ...
    def graph(self, project: str | None = None, *, limit: int = 50, offset: int = 0) -> Answer: ...
    def picture(self, project: str | None = None, format: str = "tree", *, all: bool = False) -> Answer: ...

@final
class VineFiles:
    def __new__(
        cls,
        folder: str | PathLike[str],
        *,
        roots: Sequence[str | PathLike[str]] = ...,
        may_leave: bool = True,
        state_home: str | PathLike[str] | None = None,
        stop_at: str | None = None,
    ) -> VineFiles: ...
    @staticmethod
    def found(folder: str | PathLike[str], *, depth: int = 4, most: int = 1000) -> list[str]: ...
    def finds(self, file: str) -> bool: ...
    def locate(self, file: str) -> Path: ...
    @property
    def folder(self) -> Path: ...
    def read(
        self,
        file: str,
        action: str,
        *,
        id: str | None = None,
        status: str | None = None,
        query: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Answer: ...
    def next(self, file: str, *, limit: int = 50, offset: int = 0) -> Answer: ...
    def plan(self, file: str, *, statuses: Sequence[str] = ..., query: str = "") -> Answer: ...
    def task(self, file: str, id: str) -> Answer: ...
    def picture(self, file: str, format: str = "tree", *, statuses: Sequence[str] = ...) -> Answer: ...
    def write(
        self,
        file: str,
        operations: Sequence[Mapping[str, Any]],
        *,
        dry_run: bool = False,
        expect: str | None = None,
        expect_description: tuple[str, str] | None = None,
        limit: int = 50,
    ) -> Answer: ...
    def expand(self, file: str, ref_id: str, child_file: str | None = None) -> Answer: ...

_Laid: TypeAlias = "tuple[Network, Columns, dict[str, float | None]]"

@final
class Columns:
    @staticmethod
    def names() -> list[str]: ...
    def column(self, name: str) -> list[Any]: ...

@final
class Workspace:
    def __new__(
        cls,
        root: str | PathLike[str],
        *,
        chant: ChantProject,
        vine: VineFiles,
        speckit: SpeckitFeatures,
        tickets: TicketProjects,
        stop_at: str | None = None,
    ) -> Workspace: ...
    @property
    def root(self) -> Path: ...
    def dialects(self) -> list[str]: ...
    def list(
        self,
        *,
        statuses: Sequence[str] = ...,
        labels: Sequence[str] = ...,
        dialects: Sequence[str] = ...,
        ready: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> Answer: ...
    def ready(
        self,
        *,
        labels: Sequence[str] = ...,
        dialects: Sequence[str] = ...,
        limit: int = 50,
        offset: int = 0,
    ) -> Answer: ...
    def find(self, name: str) -> Answer: ...
    def select(
        self,
        *,
        statuses: Sequence[str] = ...,
        labels: Sequence[str] = ...,
        dialects: Sequence[str] = ...,
        ready: bool = False,
        path: str | None = None,
    ) -> Selection: ...
    def handle(self, name: str) -> dict[str, Any]: ...
    def problems(self) -> Sequence[Mapping[str, Any]]: ...
    def transaction(self) -> Transaction: ...
    def changes(self) -> Changes: ...
    def show(self, name: str) -> Answer: ...
    def graph(
        self,
        format: str = "json",
        *,
        statuses: Sequence[str] = ...,
        labels: Sequence[str] = ...,
        dialects: Sequence[str] = ...,
        ready: bool = False,
        all: bool = False,
    ) -> Answer: ...
    def network(self) -> _Laid: ...
    def network_at(self, revision: str) -> _Laid: ...
    def version(self) -> int: ...
    def board(self, search: str = "", *, bodies: bool = False) -> Answer: ...
    def column(
        self,
        dialect: str,
        status: str,
        search: str = "",
        *,
        bodies: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> Answer: ...
    def around(self, name: str) -> Answer: ...
    def import_specs(
        self, path: str | PathLike[str], *, source: str | None = None, dry_run: bool = False
    ) -> Answer: ...
    def export(
        self,
        format: str = "json",
        *,
        fields: Sequence[str] = ...,
        statuses: Sequence[str] = ...,
        labels: Sequence[str] = ...,
        dialects: Sequence[str] = ...,
        ready: bool = False,
    ) -> Export: ...

@final
class Export:
    def __iter__(self) -> Export: ...
    def __next__(self) -> str: ...
    def save(self, path: str | PathLike[str], *, force: bool = False) -> int: ...

@final
class Selection:
    def __len__(self) -> int: ...
    def keys(self) -> list[str]: ...
    def at(self, place: int) -> dict[str, Any]: ...

@final
class Transaction:
    def __len__(self) -> int: ...
    def update(
        self,
        id: str,
        *,
        status: str | None = None,
        output: str | None = None,
        depends_on: list[str] | None = None,
        labels: list[str] | None = None,
        target_files: list[str] | None = None,
        model: str | None = None,
        check: list[str] = ...,
        uncheck: list[str] = ...,
        replace_body: bool = False,
        force: bool = False,
        expect_body: str | None = None,
    ) -> dict[str, Any]: ...
    def add(
        self,
        description: str,
        *,
        prompt: str | None = None,
        criteria: list[str] = ...,
        depends_on: list[str] | None = None,
        labels: list[str] = ...,
        target_files: list[str] = ...,
        type: str | None = None,
        parent: str | None = None,
        needs_approval: bool = False,
    ) -> dict[str, Any]: ...
    def update_ticket(
        self, key: str, attributes: Mapping[str, Any], status: str | None = None
    ) -> dict[str, Any]: ...
    def change_section(
        self, key: str, mode: str, section: str, content: str, expect: str | None
    ) -> dict[str, Any]: ...
    def add_ticket(
        self, type: str, data: Mapping[str, Any], project: str | None = None
    ) -> dict[str, Any]: ...
    def write(
        self,
        file: str,
        operations: Sequence[Mapping[str, Any]],
        *,
        expect: str | None = None,
        expect_description: tuple[str, str] | None = None,
    ) -> None: ...
    def complete(
        self,
        feature: str,
        task_id: str,
        *,
        session: str,
        skip_validation: bool = False,
        agent: str | None = None,
    ) -> dict[str, Any]: ...
    def handle(self, name: str) -> dict[str, Any]: ...
    def plan(self, path: str) -> Answer | None: ...
    def commit(self) -> tuple[list[str], list[str]]: ...

@final
class Changes:
    def wait(self, seconds: float) -> dict[str, list[str]] | None: ...

def body_sections(body: str) -> list[tuple[int, str, str, str]]: ...
def body_section(body: str, name: str, key: str) -> tuple[str, str]: ...
def error_codes() -> list[str]: ...
def work_over_http(
    prompt: str,
    *,
    is_question: bool,
    provider: str,
    endpoint: str,
    model: str,
    folder: str | PathLike[str],
    environment: Mapping[str, str],
    retries: int,
    retry_delay_ms: int,
    tell: Callable[[str], object],
) -> None: ...
def export_fields() -> list[str]: ...
def merge_specs(
    base: bytes,
    ours: bytes,
    theirs: bytes,
    *,
    our_name: str = "ours",
    their_name: str = "theirs",
    marker_size: int = 7,
) -> tuple[bytes, list[str]]: ...
def item_table(
    rows: Sequence[tuple[str, str, str, Sequence[str]]], total: int | None = None
) -> tuple[str, str]: ...

@final
class Network:
    def __new__(
        cls,
        edges: Iterable[tuple[str, str]],
        *,
        nodes: Iterable[str] | None = None,
        done: Iterable[str] | None = None,
        elsewhere: Iterable[str] | None = None,
    ) -> Network: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: object, /) -> bool: ...
    def nodes(self) -> Items: ...
    def edges(self) -> Edges: ...
    def edge_count(self) -> int: ...
    def index(self, key: str) -> int: ...
    def done(self) -> Items: ...
    def elsewhere(self) -> Items: ...
    def node_table(self, columns: Sequence[tuple[str, Sequence[Any]]] = ...) -> Table: ...
    def edge_table(self) -> Table: ...
    def is_done(self, key: str) -> bool: ...
    def before(self, key: str) -> Items: ...
    def after(self, key: str) -> Items: ...
    def unmet(self, key: str) -> Items: ...
    def frontier(self) -> Items: ...
    def blocked(self) -> Items: ...
    def cycles(self) -> list[Items]: ...
    def layers(self) -> Layers: ...
    def critical_path(self, weights: Sequence[float] | None = None) -> tuple[Items, float]: ...
    def times(self, weights: Sequence[float] | None = None) -> tuple[Scores, Scores, Scores, float]: ...
    def impact(self, keys: Sequence[str]) -> Items: ...
    def ancestors(self, keys: Sequence[str]) -> Items: ...
    def betweenness(
        self,
        *,
        sample: int | None = None,
        seed: int = 0,
        normalized: bool = True,
        progress: Callable[[int, int], object] | None = None,
    ) -> Scores: ...
    def pagerank(
        self, *, damping: float = 0.85, tolerance: float = 1e-6, rounds: int = 100, reverse: bool = False
    ) -> Scores: ...
    def redundant_edges(self, *, progress: Callable[[int, int], object] | None = None) -> Edges: ...
    def schedule(
        self,
        durations: Sequence[float],
        *,
        spread: float,
        agents: int,
        rounds: int,
        seed: int,
        progress: Callable[[int, int], object] | None = None,
    ) -> tuple[list[tuple[str, int, float, float]], Items, float, float, float | None, float | None]: ...
    def clip(
        self,
        limit: int = 60,
        *,
        focus: Sequence[str] = ...,
        depth: int | None = None,
        first: Sequence[str] = ...,
    ) -> Items: ...
    def svg(
        self,
        items: Sequence[str] | None = None,
        *,
        labels: Sequence[str] = ...,
        states: Sequence[str] = ...,
        groups: Sequence[str] = ...,
        titles: Sequence[str] = ...,
        heat: Sequence[float | None] = ...,
        heat_name: str = ...,
        heat_ends: tuple[str, str] = ...,
        focus: Sequence[str] = ...,
        critical: Sequence[str] = ...,
        theme: str = "auto",
        name: str = ...,
    ) -> str: ...
    def mermaid(
        self, items: Sequence[str] | None = None, *, labels: Sequence[str] = ..., states: Sequence[str] = ...
    ) -> str: ...
    def dot(
        self, items: Sequence[str] | None = None, *, labels: Sequence[str] = ..., states: Sequence[str] = ...
    ) -> str: ...
    def changed(self, changes: Sequence[tuple[Any, ...]]) -> Network: ...
    def difference(self, newer: Network) -> dict[str, Any]: ...

@final
class Items:
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    @overload
    def __getitem__(self, index: int, /) -> str: ...
    @overload
    def __getitem__(self, index: slice, /) -> Items: ...
    def __contains__(self, key: object, /) -> bool: ...
    def keys(self) -> list[str]: ...
    def indices(self) -> list[int]: ...

@final
class Edges:
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[tuple[str, str]]: ...
    @overload
    def __getitem__(self, index: int, /) -> tuple[str, str]: ...
    @overload
    def __getitem__(self, index: slice, /) -> Edges: ...
    def pairs(self) -> list[tuple[str, str]]: ...
    def indices(self) -> list[tuple[int, int]]: ...

@final
class Scores:
    def __len__(self) -> int: ...
    def __getitem__(self, key: str, /) -> float: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, key: object, /) -> bool: ...
    def keys(self) -> Items: ...
    def values(self) -> list[float]: ...
    def items(self) -> list[tuple[str, float]]: ...
    def top(self, count: int = 10) -> list[tuple[str, float]]: ...

@final
class Layers:
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Items]: ...
    def __getitem__(self, index: int, /) -> Items: ...
    def order(self) -> Items: ...

@final
class Table:
    def __len__(self) -> int: ...
    def columns(self) -> list[str]: ...
    def column(self, name: str) -> list[Any]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
