"""Chant specs as handles."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chant_mcp._core import Answer, ChantProject
from chant_mcp.api.handles import Handle, refuse_open, words
from chant_mcp.api.reviews import Review
from chant_mcp.api.transactions import refuse_within, within
from chant_mcp.paging import EVERYTHING, gathered

if TYPE_CHECKING:
    from chant_mcp.parameters import SpecUpdateOfHandle
    from chant_mcp.session import Session


@dataclass(frozen=True, slots=True)
class Criterion:
    """An acceptance criterion."""

    text: str
    """What has to be true."""
    checked: bool
    """Whether it is ticked."""


@dataclass(frozen=True, slots=True)
class Approval:
    """Whether a person has to agree before work begins."""

    required: bool
    """Whether one is needed."""
    status: str
    """`pending`, `approved` or `rejected`."""
    by: str | None
    """Who decided."""
    decided_at: str | None
    """When."""


@dataclass(init=False, frozen=True, slots=True, eq=False, repr=False)
class Spec(Handle):
    """A chant spec. Its methods are the tools of that name, with their rules and their errors.

    Example:
        >>> spec = ws["aaa"].check("Tests added")
        >>> [criterion.checked for criterion in spec.criteria]
        [True, True]
        >>> spec.update(labels=["api", "login"]).labels
        ('api', 'login')
    """

    @property
    def type(self) -> str:
        """What kind of work it is: `code`, `task`, `driver` or another word."""
        return self._data["type"]

    @property
    def labels(self) -> tuple[str, ...]:
        """Its labels."""
        return tuple(self._data["labels"])

    @property
    def target_files(self) -> tuple[str, ...]:
        """The files that the work touches."""
        return tuple(self._data["target_files"])

    @property
    def context(self) -> tuple[str, ...]:
        """The files that an agent is shown."""
        return tuple(self._data["context"])

    @property
    def prompt(self) -> str | None:
        """The name of its prompt template."""
        return self._data["prompt"]

    @property
    def branch(self) -> str | None:
        """The branch that it says carries its work."""
        return self._data["branch"]

    @property
    def commits(self) -> tuple[str, ...]:
        """Short hashes of the commits that did the work."""
        return tuple(self._data["commits"])

    @property
    def completed_at(self) -> str | None:
        """When it was completed, UTC."""
        return self._data["completed_at"]

    @property
    def model(self) -> str | None:
        """The model that does or did the work."""
        return self._data["model"]

    @property
    def assignee(self) -> str | None:
        """Who is on it, where its front matter says so."""
        return self._data["assignee"]

    @property
    def priority(self) -> str | None:
        """How pressing it is, where its front matter says so."""
        return self._data["priority"]

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """Its acceptance criteria, in the order of the document."""
        return tuple(Criterion(*criterion) for criterion in self._data["criteria"])

    @property
    def members(self) -> tuple[str, ...]:
        """The IDs of what is inside it, nested ones included."""
        return tuple(self._data["members"])

    @property
    def approval(self) -> Approval | None:
        """What its front matter says about approval."""
        row = self._data["approval"]
        if row is None:
            return None
        return Approval(row["required"], row["status"], row["by"], row["at"])

    def update(
        self,
        *,
        status: str | None = None,
        output: str | None = None,
        replace_body: bool = False,
        depends_on: Iterable[str] | None = None,
        labels: Iterable[str] | None = None,
        target_files: Iterable[str] | None = None,
        model: str | None = None,
        check: str | Iterable[str] = (),
        uncheck: str | Iterable[str] = (),
        force: bool = False,
        refuse_broken: bool = False,
        title: str | None = None,
        type: str | None = None,
        assignee: str | None = None,
        priority: str | None = None,
        add_criteria: str | Iterable[str] = (),
        remove_criteria: str | Iterable[str] = (),
    ) -> Spec:
        """Change what is given, all of it or nothing (`chant_spec_update`).

        Keys and boxes are changed in the file as it is now, so that what others changed meanwhile stays.
        `output` is written for the body that this handle shows; inside a transaction only one that takes the
        place of the body is, and one that is appended is appended to whatever stands there at the end.

        Args:
            status: The new state.
            output: A text to append as a section `## Output`.
            replace_body: Whether `output` takes the place of the body.
            depends_on: IDs or keys that it waits for, in place of those that this handle shows; what others
                added or took out since stays so, and likewise with the other lists.
            labels: Labels, in place of those shown.
            target_files: Files, in place of those shown.
            model: The model; an empty text takes the key out.
            check: Criteria to tick, by their texts.
            uncheck: Criteria to untick, by their texts.
            force: Skip the rules about states, criteria, members and cycles.
            refuse_broken: Whether an unknown type or dependency is refused.
            title: The new title.
            type: The new kind of work.
            assignee: The person who is on it; an empty text takes the key out.
            priority: The priority; an empty text takes the key out.
            add_criteria: Criteria to add behind the last one.
            remove_criteria: Criteria to take out, by their texts.

        Returns:
            The spec as it is then; inside a transaction, as it would be.

        Raises:
            ConflictError: There is an `output`, and the body is another one than this handle shows; inside a
                transaction with `replace_body` alone.
            IllegalTransitionError: The state may not change like that.
            RefusedError: Criteria or members are open, or dependencies would close a cycle.
            NotFoundError: No criterion reads like that, or the spec is gone.
            InvalidArgumentError: Nothing is to be changed, or a word names no state.
        """
        transaction = within(self.workspace)
        is_for_this_body = bool(output) and (replace_body or transaction is None)
        changes: SpecUpdateOfHandle = {
            "status": status,
            "output": output,
            "replace_body": replace_body,
            "depends_on": None if depends_on is None else [own_id(name) for name in words(depends_on)],
            "labels": None if labels is None else words(labels),
            "target_files": None if target_files is None else words(target_files),
            "model": model,
            "check": words(check),
            "uncheck": words(uncheck),
            "force": force,
            "refuse_broken": refuse_broken,
            "title": title,
            "type": type,
            "assignee": assignee,
            "priority": priority,
            "add_criteria": words(add_criteria),
            "remove_criteria": words(remove_criteria),
            "expect_body": self.body if is_for_this_body else None,
            "seen_lists": {
                "depends_on": [own_id(name) for name in self.depends_on],
                "labels": list(self.labels),
                "target_files": list(self.target_files),
            },
        }
        if transaction is not None:
            return Spec(self.workspace, transaction.staged.update(self.id, **changes))
        return self.reload(self._tools.spec_update(self.id, **changes))

    def check(self, *texts: str) -> Spec:
        """Tick criteria, by their texts.

        Raises:
            NotFoundError: No criterion reads like that.
        """
        return self.update(check=texts)

    def uncheck(self, *texts: str) -> Spec:
        """Untick criteria, by their texts.

        Raises:
            NotFoundError: No criterion reads like that.
        """
        return self.update(uncheck=texts)

    def reopen(self) -> Spec:
        """Make a completed or cancelled one pending again; what is ticked stays so.

        Raises:
            IllegalTransitionError: It is neither.
        """
        refuse_open(self)
        return self.update(status="pending")

    def cancel(self) -> Spec:
        """Give it up (`chant_cancel`); nothing waits for it any more.

        Raises:
            IllegalTransitionError: It is done already.
        """
        if within(self.workspace) is not None:
            return self.update(status="cancelled")
        return self.reload(self._tools.cancel(self.id))

    def finalize(self, *, force: bool = False, already_done: bool = False) -> Spec:
        """Complete it on evidence (`chant_finalize`).

        Args:
            force: Whether a missing log is no obstacle for a spec that an agent worked on.
            already_done: Whether its work was done before, as you say: open criteria are ticked, no commit is
                asked for.

        Raises:
            IllegalTransitionError: It was not started.
            RefusedError: Criteria or members are open, or the evidence is missing.
        """
        self._alone("finalize")
        return self.reload(self._tools.finalize(self.id, force=force, already_done=already_done))

    def reset(self) -> Spec:
        """Make a failed one pending again (`chant_reset`); its branch is kept as a backup.

        Raises:
            IllegalTransitionError: It is neither failed nor in progress.
        """
        self._alone("reset")
        return self.reload(self._tools.reset(self.id))

    def archive(self) -> str:
        """Move it out of the way when it is done (`chant_archive`).

        Returns:
            Where it went, in words; the workspace has no handle of what is archived.

        Raises:
            IllegalTransitionError: It is not done.
            RefusedError: Members are open, or its branch is not merged.
        """
        self._alone("archive")
        return self._tools.archive(self.id).text

    def approve(self, *, by: str | None = None, reason: str | None = None) -> Spec:
        """Agree to it, or to the work that was done.

        Args:
            by: Who agrees; what git calls the user otherwise.
            reason: Why.
        """
        self._alone("approve")
        return self.reload(self._tools.approve(self.id, by=by, reason=reason))

    def reject(self, reason: str, *, by: str | None = None) -> Spec:
        """Disagree, and say why."""
        self._alone("reject")
        return self.reload(self._tools.reject(self.id, reason, by=by))

    def review(self, *, since: str = "all") -> Review:
        """Give the review of its work: hunks, criteria and comments, as of now.

        Args:
            since: `all` hunks, those not marked as seen (`look`), or those that are new since comments were
                sent (`turn`).
        """
        self._alone("review")
        return Review(self, self._tools.review_show(self.id, since=since).data)

    def start(
        self,
        *,
        chain: bool = False,
        parallel: int | None = None,
        skip_criteria: bool = False,
        fresh: bool = False,
        base: str | None = None,
        agent: str | None = None,
        prompt: str | None = None,
        offline: bool = False,
        bare: bool = False,
        on: str | None = None,
        progress: Callable[[str], object] | None = None,
    ) -> dict[str, Any]:
        """Start an agent on it and return at once (`chant_work_start`).

        Args:
            chain: Go on with the next ready spec.
            parallel: So many workers at once.
            skip_criteria: Do not ask for criteria.
            fresh: Start again, without the work of earlier runs.
            base: The branch to start from and land on, instead of the configured or the present one.
            agent: The agent of that name in the configuration.
            prompt: The prompt of that name.
            offline: Claim it on no remote, where clones share specs; it lands here only.
            bare: Give its folder the files of the commit alone, without what recipes install.
            on: The cluster on which agents work: `local`, a name of your configuration, or `tls://host:port`.
            progress: Called with a few words on each step.

        Returns:
            The run: `process_id`, `pid`, `spec_id`, `mode`, `branch`, `target`, `worktree`, `log`.

        Raises:
            RefusedError: It waits for something, is in work, or is not to be worked.
            ConfigError: No agent is configured.
        """
        self._alone("start")
        if on:
            self.workspace.session.prepare_cluster(on)
        answer = self._tools.work_start(
            self.id,
            chain=chain,
            parallel=parallel,
            skip_criteria=skip_criteria,
            fresh=fresh,
            base=base,
            agent=agent,
            prompt=prompt,
            offline=offline,
            bare=bare,
            on=on,
            progress=progress,
        )
        return answer.data

    def forecast(
        self,
        *,
        chain: bool = False,
        parallel: int | None = None,
        skip_criteria: bool = False,
        agent: str | None = None,
    ) -> dict[str, Any]:
        """Say what `start` would work on, take and cost, by earlier runs; nothing is started.

        Args:
            chain: Go on with the next ready spec.
            parallel: So many workers at once.
            skip_criteria: Do not ask for criteria.
            agent: The agent of that name in the configuration.

        Returns:
            `specs`, `agents`, `known_runs`, and `duration_seconds`, `tokens` and `cost_usd`, each with `p50`
            and `p90`, or None where too few runs are known.

        Raises:
            RefusedError: It could not be started.
        """
        answer = self._tools.work_forecast(
            self.id, chain=chain, parallel=parallel, skip_criteria=skip_criteria, agent=agent
        )
        return answer.data

    def pause(self) -> Spec:
        """Pause the run that works on it (`chant_pause`); another clone that works on it is asked to."""
        self._alone("pause")
        return self.reload(self._tools.pause(self.id))

    def takeover(self, *, force: bool = False) -> dict[str, Any]:
        """Stop the run that works on it and say how far it came (`chant_takeover`).

        Another clone that works on it is asked to stop.

        Args:
            force: Also where no process is found; from another clone it is taken at once, whose work cannot
                land any more.
        """
        self._alone("takeover")
        return self._tools.takeover(self.id, force=force, from_clone=force).data

    def free(self) -> str:
        """Give its lease back, when you know that the clone that holds it is dead.

        Returns:
            What was done, in words.

        Raises:
            RefusedError: No clone holds it, a run of this clone works on it, or the remote does not answer.
        """
        self._alone("free")
        return self._tools.free_lease(self.id).text

    def split(
        self,
        *,
        force: bool = False,
        recursive: bool = False,
        max_depth: int | None = None,
        fresh: bool = False,
        progress: Callable[[str], object] | None = None,
    ) -> dict[str, Any]:
        """Ask an agent for members and write them (`chant_split`).

        Args:
            force: Write without asking, and over the members that an agent wrote before.
            recursive: Split members that are still too complex, too.
            max_depth: How deep.
            fresh: Ask again where an answer waits.
            progress: Called with a few words on each step.

        Returns:
            The run and what became of its answer.
        """
        self._alone("split")
        answer = self._tools.split(
            self.id, force=force, recursive=recursive, max_depth=max_depth, fresh=fresh, progress=progress
        )
        return answer.data

    def merge(self) -> Spec:
        """Merge its work into the main branch."""
        self._alone("merge")
        return self.reload(self._tools.merge(self.id))

    def log(self, *, lines: int = 100, offset: int | None = None, since: str | None = None) -> dict[str, Any]:
        """Read its log (`chant_log`).

        Args:
            lines: Most lines: the last ones, or with `offset` those from there on.
            offset: The byte to begin at, as an earlier answer's `byte_offset` says.
            since: Only lines after this ISO timestamp.

        Returns:
            `content`, `byte_offset`, `line_count`, `has_more`, `start_offset`.

        Raises:
            NotFoundError: There is no log.
        """
        return self._tools.log(self.id, lines=lines, offset=offset, since=since).data

    def diagnose(self) -> dict[str, Any]:
        """Look for what is wrong with it: file, log, locks, commits, criteria (`chant_diagnose`)."""
        self.workspace.session.look_after_runs()
        return self._tools.diagnose(self.id).data

    def lint(self) -> dict[str, Any]:
        """Look how well it is written (`chant_lint`)."""
        return linted(self.workspace.session, self.id)

    def verify(self) -> dict[str, Any]:
        """Count its criteria (`chant_verify`)."""
        return self._tools.verify(self.id).data

    def receipts(self) -> list[dict[str, Any]]:
        """Give what its completions left, oldest first.

        Returns:
            Of each receipt `ref` and `receipt`, or `ref` and `problem` where it cannot be read. What a
            receipt says is a claim; `chant-mcp receipt verify` says what the repository bears out.

        Raises:
            RefusedError: The project is in no git repository.
        """
        return self._tools.receipt_show(self.id).data["receipts"]

    @property
    def _tools(self) -> ChantProject:
        return self.workspace.session.chant

    def _alone(self, what: str) -> None:
        refuse_within(self.workspace, f"`{what}`")


def linted(session: Session, id: str | None) -> dict[str, Any]:
    """What lint finds of one spec or of all, whole."""
    from chant_mcp.plugins.lint import lint_specs

    def page(limit: int, offset: int) -> Answer:
        return lint_specs(session, id, limit=limit, offset=offset)

    return gathered(page, EVERYTHING, "diagnostics", "scores")[1]


def own_id(name: str) -> str:
    """An ID or key as front matter names it: specs without their dialect."""
    return name.removeprefix("chant:")
