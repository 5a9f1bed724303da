from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, final

__all__ = [
    "Answer",
    "ChantProject",
    "SpeckitFeatures",
    "TicketProjects",
    "VineFiles",
    "error_codes",
    "merge_specs",
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
        events: bool = True,
        stop_at: str | None = None,
    ) -> ChantProject: ...
    @property
    def root(self) -> Path: ...
    def spec_list(self, status: str | None = None, *, limit: int = 50, offset: int = 0) -> Answer: ...
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
    ) -> Answer: ...
    def finalize(self, id: str, *, force: bool = False) -> Answer: ...
    def reset(self, id: str) -> Answer: ...
    def cancel(self, id: str) -> Answer: ...
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
    def items(self) -> Answer: ...

@final
class TicketProjects:
    def __new__(
        cls,
        start: str | PathLike[str],
        *,
        config_folder: str | PathLike[str] | None = None,
        home: str | PathLike[str] | None = None,
        variables: dict[str, str] = ...,
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
        limit: int = 50,
    ) -> Answer: ...
    def expand(self, file: str, ref_id: str, child_file: str | None = None) -> Answer: ...

def error_codes() -> list[str]: ...
def merge_specs(
    base: bytes,
    ours: bytes,
    theirs: bytes,
    *,
    our_name: str = "ours",
    their_name: str = "theirs",
    marker_size: int = 7,
) -> tuple[bytes, list[str]]: ...
