"""What `init` is going to do, decided in full before the first byte is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from chant_mcp.errors import NotInitializedError, RefusedError
from chant_mcp.init import agents, config_text, files, hosts, layout, merge_driver, silent
from chant_mcp.init.console_script import Programs
from chant_mcp.init.repository import Repository, Setting
from chant_mcp.init.undo import read_record, record_path


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user asked for."""

    name: str | None = None
    provider: str | None = None
    """One of the names that are stored."""
    model: str | None = None
    agents: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    silent: bool = False
    minimal: bool = False
    force_overwrite: bool = False
    merge_driver: bool | None = None
    """Whether git merges specs by what they mean; none for what is usual."""
    start: str = "name"
    """What starts the server in files of hosts: `name`, `uvx`, or the `interpreter` of this machine."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What `init` has to know of where it runs."""

    interpreter: str
    programs: Programs
    environment: Mapping[str, str]
    today: date


@dataclass(slots=True)
class Plan:
    """Folders to make, files to write and settings of git."""

    root: Path
    was_initialized: bool
    folders: list[str] = field(default_factory=list[str])
    changes: list[tuple[Path, files.FileChange]] = field(default_factory=list[tuple[Path, files.FileChange]])
    """Each with the folder that its name is relative to and that it may not leave."""
    settings: list[Setting] = field(default_factory=list[Setting])
    notes: list[str] = field(default_factory=list[str])
    """What people should know of what is written."""
    kept: list[str] = field(default_factory=list[str])
    """What stays although ours would say something else, and what to do about it."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is to be done."""
        return not (self.folders or self.changes or self.settings)

    def names_to_stage(self, environment: Mapping[str, str]) -> list[str]:
        """Name what belongs into a commit: what is written here and git does not ignore, by its top."""
        written = dict.fromkeys(change.name for base, change in self.changes if base == self.root)
        repository = Repository(self.root, environment, wanted_by="init")
        if repository.exists:
            # What others shall not get is excluded, such as files with this machine's paths.
            written = {name: None for name in written if not repository.ignores(name)}
        return list(dict.fromkeys(name.partition("/")[0] for name in written))

    def add(self, changes: list[files.FileChange]) -> None:
        """Take over changes inside the project that change something."""
        self.changes += [(self.root, change) for change in changes if change.before != change.after]

    def carry_out(self, environment: Mapping[str, str]) -> None:
        """Write everything, and what it replaces into a record, by which it can be taken back.

        Raises:
            StorageError, GitError: When the disk or git refuses; what was written before stays.
        """
        self._record(environment)
        for folder in self.folders:
            files.make_folder(self.root, folder)
        for base, change in self.changes:
            files.write(base, change)
        for setting in self.settings:
            setting.write()

    def _record(self, environment: Mapping[str, str]) -> None:
        path = record_path(self.root, environment)
        if self.is_empty or path is None:
            return
        record = read_record(self.root, path)
        for folder in self.folders:
            record.add_missing_folders(folder)
        for base, change in self.changes:
            if base == self.root and "/" in change.name:
                record.add_missing_folders(change.name.rpartition("/")[0])
            record.add_file(base, change)
        for setting in self.settings:
            before = setting.repository.local_setting(setting.name)
            record.settings.append((setting.name, setting.value, before))
        record.write(path)


def plan(root: Path, wishes: Wishes, machine: Machine) -> Plan:
    """Decide what is to be done.

    Raises:
        ChantError: When one of the wishes cannot be met; then none is.
    """
    planned = Plan(root, layout.is_initialized(root))
    if not planned.was_initialized or wishes.force_overwrite:
        _plan_layout(planned, wishes)
    _plan_config(planned, wishes, machine)
    instructions = agents.changes(root, wishes.agents, wishes.force_overwrite)
    planned.add(instructions.changes)
    planned.kept += instructions.kept
    planned.notes += instructions.notes
    clients = tuple(dict.fromkeys((*wishes.clients, *agents.clients(wishes.agents))))
    _plan_hosts(planned, clients, wishes, machine)
    if wishes.silent:
        folder, change = silent.change(root, machine.environment)
        if change.before != change.after:
            planned.changes.append((folder, change))
    _plan_merge_driver(planned, wishes, machine)
    return planned


def plan_prompts(root: Path) -> Plan:
    """Decide which bundled prompts to add.

    Raises:
        NotInitializedError: Without a project.
    """
    if not (root / ".chant").is_dir():
        raise NotInitializedError(
            f"Chant not initialized. Run `chant init` first.\nLooked for .chant in: {root}"
        )
    planned = Plan(root, was_initialized=True)
    planned.add(layout.prompts(root))
    return planned


def _plan_layout(planned: Plan, wishes: Wishes) -> None:
    root = planned.root
    for folder in layout.FOLDERS:
        if not files.place(root, folder).is_dir():
            planned.folders.append(folder)
    planned.add([layout.ignore_file(root)])
    if not wishes.minimal:
        planned.add(layout.prompts(root))


def _plan_config(planned: Plan, wishes: Wishes, machine: Machine) -> None:
    root = planned.root
    implied = agents.provider(wishes.agents)
    if files.read(root, config_text.FILE) is None:
        provider = wishes.provider or implied
        name = wishes.name or layout.name(root)
        planned.add([layout.new_config(root, name, provider, wishes.model, machine.today)])
        return
    provider = wishes.provider
    if provider is None and implied is not None and not layout.configured_provider(root):
        provider = implied
    wanted = {
        ("project", "name"): wishes.name,
        ("defaults", "provider"): provider,
        ("defaults", "model"): wishes.model,
    }
    values = {place: value for place, value in wanted.items() if value is not None}
    if values:
        planned.add([layout.edited_config(root, values)])


def _plan_hosts(planned: Plan, clients: tuple[str, ...], wishes: Wishes, machine: Machine) -> None:
    if not clients:
        return
    is_short = machine.programs.is_ours_everywhere
    by_name = hosts.start_by_name(is_short)
    starts = {
        "name": by_name,
        "uvx": hosts.start_by_uvx(),
        "interpreter": hosts.start_by_interpreter(machine.interpreter),
    }
    found = hosts.changes(planned.root, clients, starts[wishes.start], wishes.force_overwrite)
    planned.add(found.changes)
    planned.kept += found.kept
    planned.notes += found.notes
    changed = [change.name for change in found.changes if change.before != change.after]
    if wishes.start == "interpreter":
        _keep_to_this_machine(planned, changed, machine)
    elif wishes.start == "name" and changed and not machine.programs.is_named_everywhere:
        planned.notes.append(
            f"hosts are told to start `{by_name[0]}`, which they find where chant-mcp is installed for every "
            "program (`pipx install chant-mcp`, `uv tool install chant-mcp`). Here it is not: for this "
            "machine alone, `--this-machine` names the Python of this environment"
        )


def _keep_to_this_machine(planned: Plan, names: list[str], machine: Machine) -> None:
    """Keep files with a path of this machine out of git.

    Raises:
        RefusedError: When git tracks one of them.
    """
    repository = Repository(planned.root, machine.environment, wanted_by="--this-machine")
    if not names or not repository.exists:
        return
    for name in names:
        if repository.tracks(name):
            raise RefusedError(
                f"--this-machine is refused: git tracks `{name}`, and others would get the path of this "
                "machine's Python.\nOmit it: then the file names `chant-mcp`, as each machine finds it."
            )
    change = silent.excluded(planned.root, names, repository)
    if change is not None:
        planned.changes.append(change)


def _plan_merge_driver(planned: Plan, wishes: Wishes, machine: Machine) -> None:
    repository = Repository(planned.root, machine.environment, wanted_by="--merge-driver")
    if wishes.merge_driver is False or (wishes.merge_driver is None and not repository.exists):
        return
    found = merge_driver.installation(
        repository,
        merge_driver.command(machine.interpreter, machine.programs.script),
        is_wanted=wishes.merge_driver or not planned.was_initialized,
        is_silent=wishes.silent,
    )
    planned.changes += found.changes
    planned.settings += found.settings
    planned.kept += found.kept
