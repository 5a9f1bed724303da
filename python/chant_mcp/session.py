"""Which project is meant, and its handles, each opened when it is first needed."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property

from chant_mcp._core import ChantProject, SpeckitFeatures, TicketProjects, VineFiles, Workspace
from chant_mcp.formats import plan_formats_in
from chant_mcp.program import own_program
from chant_mcp.project_place import Place as Place
from chant_mcp.project_place import find_in_roots as find_in_roots
from chant_mcp.project_place import find_place as find_place
from chant_mcp.project_place import holds_work_files as holds_work_files
from chant_mcp.project_place import may_have_features as may_have_features
from chant_mcp.user_folders import (
    config_folder,
    names_formats,
    state_home,
    text_variables,
    user_config_file,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from chant_mcp.errors import Door
    from chant_mcp.paging import Data
    from chant_mcp.plugins.session_notifier import SessionNotifier
    from chant_mcp.remote_looks import RemoteLooks

_PROMPTS = os.path.join(os.path.dirname(__file__), "resources", "prompts")
"""The prompts that need not be in a project."""


def dialects_in(root: str | Path) -> tuple[str, ...]:
    """Name the dialects whose files a folder holds, in the order of the toolsets."""
    found = {
        "chant": os.path.isdir(os.path.join(root, ".chant")),
        "vine": bool(VineFiles.found(root, most=1)),
        "speckit": may_have_features(root),
        "tickets": os.path.isfile(os.path.join(root, ".mdt-config.toml"))
        or os.path.isdir(os.path.join(root, "docs", "CRs")),
    }
    return (*(name for name, is_there in found.items() if is_there), *plan_formats_in(root))


class Session:
    """One project and its handles; shared by all calls of a server."""

    def __init__(
        self,
        place: Place,
        *,
        environment: Mapping[str, str] | None = None,
        user_config: str | Path | None = None,
        config_home: str | Path | None = None,
        home: str | Path | None = None,
        program: Sequence[str] = (),
        trust: str | None = None,
        stop_at: str | None = None,
        may_leave: bool = True,
        door: Door = "agents",
    ) -> None:
        """Remember where the project is; nothing is opened yet.

        Args:
            place: The project's root and where it was looked for.
            environment: Variables that configuration may refer to; those that are no text are left out.
            user_config: The user's own configuration file.
            config_home: The folder of the user's configuration files, of whatever program.
            home: What `~` stands for in them.
            program: Our own program with the arguments before a command's name: runs are started with it.
            trust: The hash of what may act in the project, from a caller that knows it.
            stop_at: Name of the moment at which the process is to crash, for tests.
            may_leave: Whether an absolute path may name a task graph outside of the roots.
            door: Who asks, for the words of what may help.
        """
        self.place = place
        self._door: Door = door
        self.name = os.urandom(6).hex()
        """What this session is called in what its agents report and ask."""
        self._environment = text_variables(environment or {})
        self._user_config = user_config
        self._config_home = config_home
        self._home = home
        self._program = tuple(program)
        self._state_home = state_home(self._environment)
        self.recovers = True
        """Whether what dead runs left is looked after when the project is opened."""
        self.looks: RemoteLooks | None = None
        """Looks at the remote that clones share, while this session is used; servers and boards have them."""
        self.notifier: SessionNotifier | None = None
        """Hands changes to notifiers while this session is used; servers and boards have one."""
        self._trust = trust
        self._stop_at = stop_at
        self._may_leave = may_leave
        self.is_of_run = False
        """Whether an agent of a run asks, whose changes of specs land with its branch."""
        self._is_folder_of_run = False
        self.found_by_rules: tuple[tuple[Place, str | None], Data] | None = None
        """What lint rules of plugins found last, and of what, for the next page of it."""
        self._opening = threading.Lock()
        """Held for as long as it takes to open a handle, by the call that needs one."""
        self._recovering = threading.Lock()
        """Held while what dead runs left is looked after, which may take long; what needs no run goes on."""
        self._recovered: ChantProject | None = None
        self._roots: tuple[str | Path, ...] = ()

    @classmethod
    def of_process(
        cls,
        place: Place,
        environment: Mapping[str, str],
        home: str | None,
        *,
        trust: str | None = None,
        may_leave: bool = True,
        door: Door = "people",
    ) -> Session:
        """Make a session with the settings and the formats that the variables of a process name."""
        session = cls(
            place,
            environment=environment,
            user_config=user_config_file(environment, home),
            config_home=config_folder(environment, home),
            home=home or None,
            program=own_program(sys.executable),
            trust=trust,
            stop_at=environment.get("CHANT_STOP_AT"),
            may_leave=may_leave,
            door=door,
        )
        session.admit_formats()
        return session

    def admit_formats(self) -> None:
        """Take the formats of plans that plugins bring, if the user's configuration names some."""
        # Most people have none: then nothing is imported, and no package is looked for.
        if names_formats(self._user_config):
            from chant_mcp.plugins.admitted_formats import admit_formats

            admit_formats(self)

    def move_to(self, place: Place) -> None:
        """Mean another project from now on; calls under way end in the one they began in."""
        with self._opening:
            if place != self.place:
                self.place = place
                self._forget("_chant", "_vine", "_speckit", "_tickets", "_workspace", "_enclosed")

    def look_in(self, roots: Sequence[Path]) -> None:
        """Look for files in these folders of the client, too."""
        with self._opening:
            if tuple(roots) != self._roots:
                self._roots = tuple(roots)
                self._forget("_vine", "_workspace")

    def elsewhere(self, place: Place, roots: Sequence[Path] = ()) -> Session:
        """Make a session with the same settings on another project; this one stays where it is.

        Args:
            place: The project.
            roots: Folders of the client to look for files in, too.
        """
        import copy

        other = copy.copy(self)
        other._opening, other._recovering = threading.Lock(), threading.Lock()
        other._recovered = None
        other.looks = None if self.looks is None else self.looks.for_new_session()
        other.notifier = None
        other._forget(
            *(name for name, member in vars(Session).items() if isinstance(member, cached_property))
        )
        other.place, other._roots = place, tuple(roots)
        return other

    def of_run(self) -> Session:
        """Make a session for an agent of the run that the environment names, on the same project."""
        other = self.elsewhere(self.place)
        other.is_of_run, other.recovers, other._may_leave = True, False, False
        other.looks = None
        other._config_home = None  # other projects are none of its business
        return other

    def in_folder_of_run(self, folder: Path) -> Session:
        """Make a session on the folder of that run, where the agent writes at the same time."""
        other = self.elsewhere(Place(folder, (folder,), is_given=True))
        of_run = ("CHANT_SPEC_ID", "CHANT_WORKTREE")
        other._environment = {name: value for name, value in self._environment.items() if name not in of_run}
        other._is_folder_of_run = True
        return other

    @property
    def enclosed(self) -> Session:
        """The same project where nothing outside of its folder is read, whatever the user's settings name."""
        with self._opening:
            return self._enclosed

    @cached_property
    def _enclosed(self) -> Session:
        root = self.place.root
        other = self.elsewhere(Place(root, (root,), is_given=True))
        other._may_leave, other._config_home, other.recovers, other.looks = False, None, False, None
        return other

    def _forget(self, *handles: str) -> None:
        for handle in handles:
            self.__dict__.pop(handle, None)

    @property
    def chant(self) -> ChantProject:
        """The chant specs of the project, as they are when what dead runs left is looked after."""
        with self._opening:
            project = self._chant
        self._look_after(project)
        return project

    @cached_property
    def _chant(self) -> ChantProject:
        return ChantProject(
            self.place.folder,
            user_config=self._user_config,
            searched=list(self.place.searched),
            environment=self._environment,
            program=list(self._program),
            prompts=_PROMPTS,
            trust=self._trust,
            state_home=self._state_home,
            stop_at=self._stop_at,
            door=self._door,
        )

    def project_in(self, folder: Path) -> ChantProject:
        """Open the project of a folder, such as one that an act was refused in; nothing is recovered."""
        if folder == self.place.root.resolve():
            with self._opening:
                return self._chant
        return ChantProject(
            folder, user_config=self._user_config, environment=self._environment, trust=self._trust
        )

    def trust_named(self, hash: str | None) -> None:
        """Use the hash that this process was started with; before anything is opened."""
        self._trust = hash

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables that it was started with."""
        return self._environment

    def prepare_cluster(self, on: str) -> None:
        """Have a cluster ready that a start names: the engine is installed, and `local` is up.

        Raises:
            RefusedError: The extra `cluster` is missing, or a process of the local cluster ended at once.
        """
        from chant_mcp.cluster.extra import require_cluster_extra

        require_cluster_extra()
        clusters: dict[str, Data] = self.chant.clusters().data or {}
        settings = clusters.get(on, {})
        if on == "local" and self._state_home is not None and not settings.get("address"):
            from pathlib import Path

            from chant_mcp.cluster.local_cluster import ensure_local_cluster

            folder = Path(self._state_home) / "chant-mcp"
            report = self.chant.trust_report()
            # The start itself is refused there, and says why.
            if report["trusted"]:
                slots, trusted = settings.get("slots"), [report["hash_of_commits"]]
                ensure_local_cluster(folder, self._program, self._environment, slots=slots, trusted=trusted)

    def _look_after(self, project: ChantProject) -> None:
        self._recover_once(project)
        if self.looks is not None and self.recovers:
            self.looks.note_use(project)
        if self.notifier is not None:
            self.notifier.note_use(self, project)

    def _recover_once(self, project: ChantProject) -> None:
        with self._recovering:
            if project is not self._recovered:
                self._look_after_runs(project)
                self._recovered = project

    def look_after_runs(self) -> None:
        """Do what is left to do for runs that died, and for work that waits."""
        self._look_after_runs(self.chant)

    def _look_after_runs(self, project: ChantProject) -> None:
        for problem in project.recover() if self.recovers else ():
            import logging  # commands that people wait for seldom need it

            logging.getLogger("chant_mcp").warning("%s", problem)

    @property
    def vine(self) -> VineFiles:
        """The task graphs of the project and of the client's folders."""
        with self._opening:
            return self._vine

    @cached_property
    def _vine(self) -> VineFiles:
        place = self.place
        # Where nothing says that this is a project, new files belong to the client's folders.
        own = () if place.is_guess and self._roots else (place.folder,)
        return VineFiles(
            place.start or place.folder,
            roots=[*own, *self._roots],
            may_leave=self._may_leave,
            state_home=self._state_home,
            stop_at=self._stop_at,
            of_run=self._is_folder_of_run,
        )

    @property
    def speckit(self) -> SpeckitFeatures:
        """The spec-kit features of the project, and what agents report and ask there."""
        with self._opening:
            return self._speckit

    @cached_property
    def _speckit(self) -> SpeckitFeatures:
        return SpeckitFeatures(
            self.place.start or self.place.folder,
            root=self.place.folder,
            environment=self._environment,
            session=self.name,
            user_config=self._user_config,
            trust=self._trust,
            state_home=self._state_home,
            stop_at=self._stop_at,
            of_run=self._is_folder_of_run,
            door=self._door,
        )

    @property
    def tickets(self) -> TicketProjects:
        """The tickets of the project and of all others that the user's configuration names."""
        with self._opening:
            return self._tickets

    @cached_property
    def _tickets(self) -> TicketProjects:
        return TicketProjects(
            self.place.folder,
            config_folder=self._config_home and os.path.join(self._config_home, "markdown-ticket"),
            home=self._home,
            variables=self._environment,
            state_home=self._state_home,
            stop_at=self._stop_at,
            of_run=self._is_folder_of_run,
            user_config=self._user_config,
            trust=self._trust,
        )

    @property
    def workspace(self) -> Workspace:
        """Everything in the project, of whatever dialect."""
        with self._opening:
            workspace, project = self._workspace, self._chant
        self._look_after(project)
        return workspace

    @property
    def workspace_as_it_is(self) -> Workspace:
        """The same, without a look after what dead runs left: for who only watches."""
        with self._opening:
            return self._workspace

    @cached_property
    def _workspace(self) -> Workspace:
        return Workspace(
            self.place.folder,
            chant=self._chant,
            vine=self._vine,
            speckit=self._speckit,
            tickets=self._tickets,
            stop_at=self._stop_at,
        )
