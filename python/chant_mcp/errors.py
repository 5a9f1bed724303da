"""What can go wrong, one exception a kind.

Every exception carries the sentence a user sees, a `code` that never changes, and `details`: the
values in the sentence, by name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    Door = Literal["agents", "people", "scripts"]
else:
    # What `get_type_hints` finds: `typing` itself takes longer to import than background programs may.
    Any = object
    Door = str

__all__ = [
    "AmbiguousIdError",
    "ChantError",
    "ConfigError",
    "ConflictError",
    "CycleError",
    "GitError",
    "IllegalTransitionError",
    "InvalidArgumentError",
    "InvalidDocumentError",
    "NotFoundError",
    "NotInitializedError",
    "NotTrustedError",
    "RefusedError",
    "StorageError",
]


class ChantError(Exception):
    """Base of all errors of this package.

    Example:
        >>> try:
        ...     ws["nothing"]
        ... except chant_mcp.errors.ChantError as error:
        ...     print(error.code, error.message)
        NOT_FOUND Nothing is called 'nothing' here.
    """

    code: str = "ERROR"
    """The kind, in capitals, such as `NOT_FOUND`."""

    def __init__(
        self, message: str, details: str = "{}", object: str | None = None, hint: str | None = None
    ) -> None:
        """Take the message, and the details, the object and the hint as JSON."""
        import json

        super().__init__(message)
        self._hint: dict[str, Any] = {} if hint is None else json.loads(hint)
        self.details: dict[str, Any] = json.loads(details)
        """The values in the message, by name."""
        self.object: dict[str, Any] | None = None if object is None else json.loads(object)
        """The error as the tools of tickets answer it, `{error, code, details}`; `None` elsewhere."""

    @property
    def message(self) -> str:
        """What was wrong and what was expected, without what may help."""
        return str(self.args[0])

    @property
    def next_steps(self) -> list[dict[str, Any]]:
        """What may help, as data: for each step its name under `step`, and its argument."""
        return list(self._hint.get("steps", ()))

    def hint_at(self, door: Door) -> str:
        """What may help as a door words it, with what parts it from the message; empty for nothing.

        Args:
            door: `agents` for tools, `people` for commands, `scripts` for methods.
        """
        return str(self._hint.get(door, ""))

    def __str__(self) -> str:
        """The message and what may help, in the words of scripts."""
        return self.message + self.hint_at("scripts")

    def describe(self) -> str:
        """The message and what may help, in the words of people."""
        return self.message + self.hint_at("people")

    def describe_to_agents(self) -> str:
        """The message and what may help, in the words of agents."""
        return self.message + self.hint_at("agents")


class NotInitializedError(ChantError):
    """There is no project of that dialect here."""

    code = "NOT_INITIALIZED"


class NotFoundError(ChantError):
    """Nothing of that name exists."""

    code = "NOT_FOUND"


class AmbiguousIdError(ChantError):
    """Several things match; `details["matches"]` lists them."""

    code = "AMBIGUOUS_ID"


class InvalidArgumentError(ChantError):
    """An argument is not what it should be."""

    code = "INVALID_ARGUMENT"


class InvalidDocumentError(ChantError):
    """A document cannot be read, or not be edited without risk."""

    code = "INVALID_DOCUMENT"


class IllegalTransitionError(ChantError):
    """The item may not change from its state to the one wanted."""

    code = "ILLEGAL_TRANSITION"


class RefusedError(ChantError):
    """Something that has to be true first is not."""

    code = "REFUSED"


class NotTrustedError(ChantError):
    """The folder asks for something that no person said yes to; `lines_to_review` lists it."""

    code = "NOT_TRUSTED"

    @property
    def lines_to_review(self) -> list[str]:
        """What a person would look at: all that the folder asks for, or what is another than before."""
        return list(self.details.get("shown", ()))

    def describe_to_agents(self) -> str:
        """The message and, for agents, whom to ask: no agent may say yes for a person."""
        if "agreement" in self.details:
            asked = "Ask the person to do that. What reads or edits documents works meanwhile."
            return f"{super().describe_to_agents()}\n{asked}"
        return (
            f"{self.message}\nAsk the person to run `chant-mcp trust` in this folder: only a person can "
            "say yes. Everything that reads or edits documents works meanwhile."
        )


class CycleError(ChantError):
    """Items wait for one another, so that nothing can be put in order; `details["cycle"]` names them."""

    code = "CYCLE"


class ConflictError(ChantError):
    """Somebody else holds it, changed it, or took its name; the same on fresh texts may succeed.

    `Workspace.run_transaction` tries again for that reason.
    """

    code = "CONFLICT"


class StorageError(ChantError):
    """The disk or the system refused; nothing was changed, unless the sentence says that it is undecided."""

    code = "STORAGE"


class GitError(ChantError):
    """Git refused or failed."""

    code = "GIT"


class ConfigError(ChantError):
    """The configuration cannot be read."""

    code = "CONFIG"
