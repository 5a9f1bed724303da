"""What an agent inside a run may do by its tools, and in which folder each call is made.

The core's table says it for each tool; here it becomes a refusal in the words of an agent, or a session: on
the project, or on the run's own folder, whose changes land with the run's branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from chant_mcp._core import tool_right_in_run
from chant_mcp.errors import RefusedError
from chant_mcp.formats import is_item_key, key_of_work
from chant_mcp.session import Session, dialects_in
from chant_mcp.toolsets import ToolEntry, toolsets

_STATE = "speckit"
"""The part of the project's state that completed tasks are written down in."""


class RunRights:
    """The rights of one run, which its runner named; nothing that the agent says plays a part."""

    def __init__(self, session: Session, spec_id: str, worktree: Path) -> None:
        """Take the project, and what the runner says of the run.

        Args:
            session: A session on the project, whose environment names the run.
            spec_id: The spec that is worked on, or the order for an item of another format.
            worktree: The folder of the run.
        """
        self.project = session.of_run()
        self._key = self.project.chant.key_of_run(spec_id)
        self._worktree = worktree
        self._dialects = {entry.name: name for name, tools in toolsets().items() for entry in tools}

    @property
    def instructions(self) -> str:
        """The text that a model gets at the start."""
        if is_item_key(self._key):
            return (
                f"You work on {self._key} in a run of its own, and on nothing else: tick its boxes in its "
                "document or in the order that your prompt names, commit, and end; it is judged then, and "
                "its document is marked when your work lands. Change no other item, and no status."
            )
        return (
            f"You work on spec {self._name} in a run of its own: tick its criteria with "
            "chant_spec_update, commit, and end; it is judged and completed then. What you change in other "
            "specs, plans, tickets and features is changed in your folder: commit it, and it lands with your "
            "branch. chant_add adds specs to the project at once; parent and depends_on can name your "
            "spec and specs that you added."
        )

    @property
    def _name(self) -> str:
        return self._key.removeprefix("chant:")

    def refusal(self, name: str) -> str | None:
        """Say why a tool is not for an agent of a run, and what it can do instead; `None` where it is."""
        right, instead = tool_right_in_run(name)
        if right != "never":
            return None
        inside = f"an agent inside a run (you work on {self._name})"
        return f"{name} is not for {inside}: a person decides. {instead}"

    def refuse_log(self, name: str) -> None:
        """Refuse to show the log of another spec's runs.

        Raises:
            ChantError: When the name is that of another spec, or of none.
        """
        found: str = self.project.workspace.find(key_of_work(name)).data["key"]
        if found != self._key:
            other = found.removeprefix("chant:")
            inside = f"an agent inside a run (you work on {self._name})"
            raise RefusedError(f"The log of {other} is not for {inside}: read that of your own work.")

    def meant(self, entry: ToolEntry, arguments: Mapping[str, Any]) -> tuple[Session, Sequence[Path] | None]:
        """Give the session that a call is made in, and the folders that it may write in, where those are few.

        Raises:
            ChantError: When the folder of the run is gone.
        """
        right, _ = tool_right_in_run(entry.name)
        if right == "project":
            return self.project, None
        if self._dialects.get(entry.name) == "chant":
            # The core finds the copy of a spec by itself.
            return self.project, self._writes_in
        if entry.hints.read_only and self._is_in_project_alone(entry, arguments):
            return self.project, None
        return self._folder, self._writes_in

    def _is_in_project_alone(self, entry: ToolEntry, arguments: Mapping[str, Any]) -> bool:
        """Return whether what is read is not in the run's folder: git does not track it, or it is newer."""
        if names := [arguments[of] for of in entry.files if of in arguments]:
            return not all(map(self._folder.vine.finds, names))
        found = dialects_in(self._folder.place.root)
        if self._dialects.get(entry.name) == "items":
            return not found
        return self._dialects.get(entry.name) not in found

    @cached_property
    def _folder(self) -> Session:
        folder = self.project.chant.folder_of_run()
        return self.project.in_folder_of_run(folder or self._worktree)

    @cached_property
    def _writes_in(self) -> tuple[Path, ...]:
        return self._worktree, self.project.chant.state_part(_STATE, shared=True)
