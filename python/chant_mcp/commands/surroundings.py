"""Where a command runs: what `cli.py` read, handed on."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from chant_mcp.commands.persons import with_run_above
from chant_mcp.session import Session, find_place
from chant_mcp.user_folders import config_folder, home_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from chant_mcp.errors import Door


class Surroundings(NamedTuple):
    """What the program was started with."""

    environment: Mapping[str, str]
    working_directory: Path
    interpreter: str
    """The Python that runs this."""
    config_home: Path | None
    """The folder of the user's configuration files, of whatever program; it may not exist."""
    home: Path | None
    project: Path | None
    """The folder that a flag or the environment named."""
    toolsets: str | None
    read_only: bool
    verbose: bool

    @classmethod
    def of_process(
        cls,
        environment: Mapping[str, str],
        working_directory: Path,
        *,
        project: Path | None = None,
        toolsets: str | None = None,
        read_only: bool = False,
        verbose: bool = False,
    ) -> Surroundings:
        """Give those of this process.

        Args:
            environment: Its variables; those of a run above it are added.
            working_directory: Where it was started.
            project: The folder that a flag or the environment named.
            toolsets: The tools that were asked for.
            read_only: Whether nothing may be changed.
            verbose: Whether to log more.
        """
        home = home_folder()
        config_home = config_folder(environment, home)
        return cls(
            environment=with_run_above(environment),
            working_directory=working_directory,
            interpreter=sys.executable,
            config_home=Path(config_home) if config_home else None,
            home=Path(home) if home else None,
            project=project,
            toolsets=toolsets,
            read_only=read_only,
            verbose=verbose,
        )

    def session(self, *, may_leave: bool = True, door: Door = "people") -> Session:
        """Make a session on the project meant; nothing is opened yet.

        Args:
            may_leave: Whether an absolute path may name a task graph outside of the roots.
            door: Who asks, for the words of what may help.
        """
        place = find_place(self.working_directory, self.project)
        home = None if self.home is None else str(self.home)
        session = Session.of_process(place, self.environment, home, may_leave=may_leave, door=door)
        session.recovers = not self.read_only
        return session
