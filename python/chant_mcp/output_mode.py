"""How the running command prints: noted where its options are read, asked where something is printed."""

from __future__ import annotations


class OutputMode:
    """The options that the output of a command depends on."""

    __slots__ = ("command", "has_width", "line_format", "prints_json")

    def __init__(self) -> None:
        """Begin without options."""
        self.begin(has_width=False)

    def begin(self, *, has_width: bool) -> None:
        """Begin a command.

        Args:
            has_width: Whether COLUMNS says how wide the output is, as if a terminal read it.
        """
        self.command = ""
        self.prints_json = False
        self.line_format: str | None = None
        self.has_width = has_width

    def print_json(self, command: str) -> None:
        """Print answers and errors of this command in the envelope, which names it."""
        self.command = command
        self.prints_json = True


MODE = OutputMode()
"""That of this process, which runs one command at a time."""
