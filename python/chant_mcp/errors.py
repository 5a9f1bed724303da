"""What can go wrong, one exception a kind.

Every exception carries the sentence a user sees, a `code` that never changes, and `details`: the
values in the sentence, by name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

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
    """Base of all errors of this package."""

    code: ClassVar[str] = "ERROR"
    """The kind, in capitals, such as `NOT_FOUND`."""

    def __init__(self, message: str, details: str = "{}", object: str | None = None) -> None:
        """Take the message, and the details and the object as JSON."""
        import json

        super().__init__(message)
        self.details: dict[str, Any] = json.loads(details)
        """The values in the message, by name."""
        self.object: dict[str, Any] | None = None if object is None else json.loads(object)
        """The error as the tools of tickets answer it, `{error, code, details}`; `None` elsewhere."""

    def told(self) -> str:
        """The message and, on a line of its own, what to do, in the words of people."""
        from chant_mcp.advice import in_commands

        hint = self.details.get("hint")
        return in_commands(f"{self}\n{hint}" if hint else str(self))


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
    """The folder asks for something that no person said yes to; `shown` lists it, a line each."""

    code = "NOT_TRUSTED"

    @property
    def shown(self) -> list[str]:
        """What a person would look at: all that the folder asks for, or what is another than before."""
        return list(self.details.get("shown", ()))

    def told(self) -> str:
        """The message and, for people, what to do."""
        if "agreement" in self.details:
            return str(self)
        return f"{self}\nLook at what it asks for with `chant-mcp trust --show`, then `chant-mcp trust`."

    def told_to_agents(self) -> str:
        """The message and, for agents, whom to ask: no agent may say yes for a person."""
        if "agreement" in self.details:
            return f"{self}\nAsk the person to do that. What reads or edits documents works meanwhile."
        return (
            f"{self}\nAsk the person to run `chant-mcp trust` in this folder: only a person can say yes. "
            "Everything that reads or edits documents works meanwhile."
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
