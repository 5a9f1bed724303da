"""Several edits of specs, all of them or none."""

from __future__ import annotations

from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING, Any

from chant_mcp import _core
from chant_mcp.errors import RefusedError

if TYPE_CHECKING:
    from chant_mcp.api.workspace import Workspace

_open: ContextVar[tuple[Transaction, ...]] = ContextVar("open_transactions", default=())


class Transaction:
    """Edits of specs that are tried when they are asked for and written together at the end.

    Inside its `with` block `update`, `check`, `uncheck` and `cancel` of specs and `Workspace.add` write
    nothing; each is decided on what the ones before it made, and gives a handle of what the spec would
    be, which the workspace gives, too, when it is asked for by that ID. Lists of specs show what is on
    disk. At the end all edits are decided once more on what is true then, under the locks of their
    files, and are written through a journal: a crash leaves all or none. An exception discards them.

    Nothing else can be undone, so that every other edit is refused inside.
    """

    def __init__(self, workspace: Workspace) -> None:
        """Remember the workspace; the specs are read at the beginning of the block."""
        self.workspace = workspace
        """Where the specs lie."""
        self.ids: list[str] = []
        """The specs that were changed or made, an ID for each edit; empty before the end."""
        self._staged: _core.Transaction | None = None
        self._token: Token[tuple[Transaction, ...]] | None = None

    @property
    def staged(self) -> _core.Transaction:
        """What the core knows of the edits so far.

        Raises:
            RefusedError: The block has not begun.
        """
        if self._staged is None:
            raise RefusedError("The transaction has not begun; use it in a `with` statement.")
        return self._staged

    @property
    def is_open(self) -> bool:
        """Whether its block has begun and not ended; a task begun in the block may outlive it."""
        return self._staged is not None

    def __enter__(self) -> Transaction:
        if within(self.workspace) is not None:
            raise RefusedError("A transaction is open already; put all edits into that one.")
        self._staged = self.workspace.core.transaction()
        self._token = _open.set((*_open.get(), self))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._token is not None:
            _open.reset(self._token)
        if error is None:
            self.ids = self.staged.commit()
        self._staged = self._token = None

    def __len__(self) -> int:
        """How many edits there are so far, all of them afterwards."""
        return len(self.ids) if self._staged is None else len(self._staged)

    def __repr__(self) -> str:
        return f"<Transaction of {len(self)} edits>"


def within(workspace: Workspace) -> Transaction | None:
    """The transaction that is open where this is called."""
    return next((one for one in _open.get() if one.is_open and one.workspace == workspace), None)


def refuse_within(workspace: Workspace, what: str) -> None:
    """Refuse an edit that a transaction could not take back.

    Raises:
        RefusedError: A transaction is open.
    """
    if within(workspace) is not None:
        raise RefusedError(
            f"{what} cannot be part of a transaction: only update, check, uncheck, cancel and add of specs "
            "can. Do it before the transaction or behind it."
        )


def staged(workspace: Workspace, name: str) -> dict[str, Any] | None:
    """A spec as the open transaction would leave it."""
    transaction = within(workspace)
    return None if transaction is None else transaction.staged.spec(name.removeprefix("chant:"))
