"""Several edits of work files, all of them or none."""

from __future__ import annotations

from contextlib import suppress
from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import chant_mcp
from chant_mcp import _core
from chant_mcp.errors import ConflictError, InvalidArgumentError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

_open: ContextVar[tuple[Transaction, ...]] = ContextVar("open_transactions", default=())


class Transaction:
    """Edits that are tried when they are asked for and written together at the end.

    These write nothing inside its `with` block: `update`, `check`, `uncheck` and `cancel` of specs and
    `Workspace.add`; `update` of tickets, changes of their sections and `Workspace.add_ticket`; changes of
    task graphs that are there and of their tasks; `complete` of a feature's task that has to pass no
    checks. Each is decided on what the ones before it made, and gives a handle of what the item would
    be, which the workspace gives, too, when it is asked for by name; who waits for it follows. Items
    that are not edited are as they were at the beginning of the block, and lists show what is on disk.

    At the end all edits are decided once more on what is true then, under the locks of their files: keys,
    lists, boxes and appended texts are changed in the files as they are then, and only a text that was
    written for another one (a body, a section, a description that is replaced) refuses all with
    `ConflictError`; `Workspace.run_transaction` tries again then. They are written through a journal: a
    crash leaves all or none. An exception discards them; an edit that
    is refused leaves the others, where the block goes on. What does more than edit files, as the start of
    an agent, is refused inside, and so are edits of files outside of the workspace's folder.
    """

    def __init__(self, workspace: chant_mcp.Workspace) -> None:
        """Remember the workspace; the files are read at the beginning of the block."""
        self.workspace = workspace
        """Where the items lie."""
        self.ids: list[str] = []
        """What was changed or made, an ID for each edit; empty before the end.

        Of a spec its ID, of a ticket its code, of a task graph `plan.vine#task` with the task that the
        first operation is about, of a feature's task `060-name#T001`.
        """
        self.warnings: list[str] = []
        """What was not right and refused nothing, such as tickets that name one there is not."""
        self._staged: _core.Transaction | None = None
        self._token: Token[tuple[Transaction, ...]] | None = None

    @property
    def staged(self) -> _core.Transaction:
        """What the core knows of the edits so far.

        Raises:
            RefusedError: The block has not started.
        """
        if self._staged is None:
            raise RefusedError("The transaction has not started; use it in a `with` statement.")
        return self._staged

    @property
    def is_open(self) -> bool:
        """Whether its block has started and not ended; a task started in the block may outlive it."""
        return self._staged is not None

    def __enter__(self) -> Transaction:
        if within(self.workspace) is not None:
            raise RefusedError("A transaction is open already; put all edits into that one.")
        self._staged = self.workspace.core.transaction()
        self._token = _open.set((*_open.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._token is not None:
            _open.reset(self._token)
        if error is None:
            self.ids, self.warnings = self.staged.commit()
        self._staged = self._token = None

    def __len__(self) -> int:
        """How many edits there are so far, all of them afterwards."""
        return len(self.ids) if self._staged is None else len(self._staged)

    def __repr__(self) -> str:
        return f"<Transaction of {len(self)} edits>"


def attempted(
    workspace: chant_mcp.Workspace, function: Callable[[Transaction], Result], attempts: int
) -> Result:
    """Call a function inside of transactions until its edits are written.

    Raises:
        ConflictError: Others were faster each time.
        InvalidArgumentError: It is not to be called at all.
    """
    if attempts < 1:
        raise InvalidArgumentError(f"`attempts` is {attempts}; expected 1 or more.")

    def once() -> Result:
        with Transaction(workspace) as transaction:
            result = function(transaction)
        return result

    for _ in range(attempts - 1):
        with suppress(ConflictError):
            return once()
    return once()


def within(workspace: chant_mcp.Workspace) -> Transaction | None:
    """The transaction that is open where this is called."""
    return next((one for one in _open.get() if one.is_open and one.workspace == workspace), None)


def refuse_within(
    workspace: chant_mcp.Workspace, what: str, why: str = "it does more than edit files"
) -> None:
    """Refuse an edit that a transaction cannot decide at its end.

    Raises:
        RefusedError: A transaction is open.
    """
    if within(workspace) is not None:
        raise RefusedError(
            f"{what} cannot be part of a transaction: {why}. Do it before or after the transaction."
        )


def staged(workspace: chant_mcp.Workspace, name: str) -> dict[str, Any] | None:
    """An item as the open transaction would leave it; none when none is open.

    Raises:
        NotFoundError: Nothing is called so.
        AmbiguousIdError: Several items are.
    """
    transaction = within(workspace)
    return None if transaction is None else transaction.staged.handle(name)
