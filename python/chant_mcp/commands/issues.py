"""`issue`: issues of a forge as specs, and what becomes of them told there; from a person's shell alone."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec

import click

from chant_mcp.commands.persons import agent_above, run_above
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.commands.watch import listed
from chant_mcp.errors import RefusedError
from chant_mcp.init.repository import Repository
from chant_mcp.issues.forge import Forge, Issue
from chant_mcp.issues.issue_specs import (
    LinkedSpec,
    linked_specs,
    number_of,
    rewrite,
    with_link,
    without_approval,
    write_source,
)
from chant_mcp.issues.repository_name import find_repository
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import counted, harmless, say

P = ParamSpec("P")

_MARK_START = "<!-- chant-mcp:"
_MARK = f"{_MARK_START}{{id}} -->"
"""What our comment begins with; the forge says besides whether the user wrote it."""

_LABEL = "chant:"
"""What the labels for states begin with; they are used where the repository has them."""

_TOKENS = ("input_tokens", "cached_tokens", "output_tokens")

_repository = click.option(
    "--repository", metavar="OWNER/NAME", help="The repository, where several remotes are one of a forge."
)


def _on_forge(run: Callable[Concatenate[Session, Forge, P], None]) -> Callable[..., None]:
    """Give a command the forge, where a person asks."""

    @_repository
    @on_project
    @wraps(run)
    def with_forge(session: Session, repository: str | None, *args: P.args, **kwargs: P.kwargs) -> None:
        above = run_above(session.environment) or agent_above(session.environment)
        if above is not None:
            raise RefusedError(f"`issue` is for a person: it uses your login at the forge, and {above}.")
        root = session.place.root
        found = find_repository(root, session.environment, repository)
        run(session, Forge(found, root, session.environment), *args, **kwargs)

    return with_forge


@click.group()
def issue() -> None:
    """Bring issues of a forge in as specs, and tell there how far they are."""


@issue.command("import")
@click.argument("numbers", nargs=-1, type=click.IntRange(1, 999_999_999), metavar="[NUMBER]...")
@click.option("--label", "labels", multiple=True, metavar="LABEL", help="Open issues with it; repeatable.")
@click.option("--search", metavar="WORDS", help="Open issues that the forge finds for these words.")
@_on_forge
@changes_files
def import_issues(
    session: Session, forge: Forge, numbers: tuple[int, ...], labels: tuple[str, ...], search: str | None
) -> None:
    """Bring issues in as specs; one that is here already gets what changed there.

    By numbers, labels or a search, or all that are open. Their texts are written by others: each spec waits
    for your approval before an agent begins.
    """
    if sum(map(bool, (numbers, labels, search))) > 1:
        raise click.UsageError("Give numbers, labels or a search, one of these.")
    issues = forge.issues(numbers) if numbers else forge.find(search) if search else forge.search(labels)
    missing = sorted(set(numbers) - {one.number for one in issues})
    if missing:
        raise RefusedError(f"{forge.repository.shown} has no issue {', '.join(map(str, missing))}.")
    _bring_in(session, forge, issues)


@issue.command()
@_on_forge
@changes_files
def pull(session: Session, forge: Forge) -> None:
    """Take over what changed in the issues that were imported.

    Texts are compared three ways: what was changed here and there is named and stays. A spec whose text
    changes waits for approval again; one that a run works on is not changed.
    """
    numbers = sorted({one.number for one in _linked(session, forge)})
    if not numbers:
        say("No spec here comes from an issue.")
        return
    _bring_in(session, forge, forge.issues(numbers))


@issue.command()
@click.argument("id")
@click.argument("number", type=click.IntRange(1, 999_999_999))
@_on_forge
@changes_files
def link(session: Session, forge: Forge, id: str, number: int) -> None:
    """Say in a spec which issue it is; nothing is brought in and nothing sent."""
    _set_link(session, forge, id, number)
    say(f"{id} is issue {forge.repository.shown}#{number}.")


@issue.command()
@click.argument("id")
@_on_forge
@changes_files
def unlink(session: Session, forge: Forge, id: str) -> None:
    """Take out of a spec which issue it is."""
    _set_link(session, forge, id, None)
    say(f"{id} is no issue any more.")


@issue.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--dry-run", is_flag=True, help="Show what would be written; write nothing.")
@click.option("--close", is_flag=True, help="Close the issues whose specs are completed.")
@click.option("--cost", is_flag=True, help="Say what the runs of each spec cost, too.")
@_on_forge
def push(
    session: Session, forge: Forge, ids: tuple[str, ...], dry_run: bool, close: bool, cost: bool
) -> None:
    """Tell issues how far their specs are: one comment of yours each, edited from then on.

    Nothing is written where somebody else's comment, or two of yours, carry our mark. An issue gets the
    label that holds, of `chant:ready`, `chant:running`, `chant:waiting` and `chant:done`, if there is one.
    """
    linked = _linked(session, forge)
    if ids:
        wanted = {session.chant.spec_get(id).data["id"] for id in ids}
        linked = [one for one in linked if one.id in wanted]
    if not linked:
        say("No spec here is an issue; `issue link ID NUMBER` says which it is.")
        return
    present = {one.number: one for one in forge.issues([one.number for one in linked])}
    # All is read before the first word is written.
    planned = [
        (one, found, *_planned_comment(session, forge, one, found, with_cost=cost))
        for one in linked
        if (found := present.get(one.number)) is not None
    ]
    states = forge.labels(_LABEL)
    for one, found, write, what in planned:
        if write is not None and not dry_run:
            write()
        say(f"#{one.number} {one.id}: {f'would be {what}' if dry_run and write else what}")
        spec: Data = session.chant.spec_get(one.id).data
        wanted = _label_of(spec)
        old = [states[name] for name in found.labels if name in states and name != wanted]
        new = [states[wanted]] if wanted in states and wanted not in found.labels else []
        if old or new:
            if not dry_run:
                forge.change_labels(found.node, new, old)
            say(f"#{one.number} {one.id}: {'would be labelled' if dry_run else 'labelled'} {wanted}")
        is_done = spec["status"] == "completed"
        if close and is_done and found.is_open:
            if not dry_run:
                forge.close(found.node)
            say(f"#{one.number} {one.id}: {'would be closed' if dry_run else 'closed'}")


@issue.command()
@click.argument("id")
@click.option("--comments", is_flag=True, help="What was said there since the last pull, too.")
@click.option("--all", "with_all", is_flag=True, help="With --comments: what was said before, too.")
@_on_forge
def show(session: Session, forge: Forge, id: str, comments: bool, with_all: bool) -> None:
    """Show the issue that a spec is, as it is there now; its words are by others."""
    found = session.chant.spec_get(id).data["id"]
    for one in (one for one in _linked(session, forge) if one.id == found):
        for issue in forge.issues([one.number]):
            state = "open" if issue.is_open else "closed"
            say(f"#{one.number} {one.id} ({state}): {' '.join(harmless(issue.title).split())}")
        said = forge.comments(one.number) if comments else []
        said = [comment for comment in said if _MARK_START not in comment.body]
        pulled = "" if with_all else _pulled(session).get(f"{forge.repository}#{one.number}", "")
        if earlier := sum(comment.written_at <= pulled for comment in said):
            say(f"{counted(earlier, 'comment')} from before the last pull: `--all` shows them, too.")
        for comment in (comment for comment in said if comment.written_at > pulled):
            say(f"\n{harmless(comment.author)}, {comment.written_at[:10]}:")
            say("\n".join(f"  {line}" for line in harmless(comment.body).splitlines()))
        return
    raise RefusedError(f"{found} is no issue of {forge.repository.shown}; `issue link ID NUMBER` says which.")


@issue.command()
@_on_forge
def status(session: Session, forge: Forge) -> None:
    """List the specs that are issues, and where the two differ."""
    linked = _linked(session, forge)
    present = {one.number: one for one in forge.issues([one.number for one in linked])}
    for one in linked:
        spec: Data = session.chant.spec_get(one.id).data
        found = present.get(one.number)
        if found is None:
            say(f"#{one.number} {one.id}: the issue is not there")
            continue
        is_done = spec["status"] in ("completed", "cancelled")
        state = f"spec {spec['status']}, issue {'open' if found.is_open else 'closed'}"
        say(f"#{one.number} {one.id}: {state}{' (differ)' if is_done == found.is_open else ''}")
    if not linked:
        say("No spec here is an issue.")


def _linked(session: Session, forge: Forge) -> list[LinkedSpec]:
    """Give the specs that are issues of the repository that the user named; others are not looked at."""
    return [one for one in linked_specs(session.place.root) if one.repository == forge.repository]


def _bring_in(session: Session, forge: Forge, issues: list[Issue]) -> None:
    root = session.place.root
    with tempfile.TemporaryDirectory() as folder:
        write_source(Path(folder), forge.repository, issues)
        named = root / str(forge.repository)
        import_specs = session.workspace.import_specs
        looked = import_specs(folder, source="chant", named=named, update=True, dry_run=True).data
        for one in looked["updated"]:
            _withdraw_approval(root, one["id"])
        found: Data = import_specs(folder, source="chant", named=named, update=True).data
    times = {f"{forge.repository}#{issue.number}": issue.changed_at for issue in issues}
    _note_pulls(session, times)
    for one in found["created"]:
        number = number_of(one["from"])
        say(f"#{number} {one['id']}: imported; `chant-mcp approve {one['id']}` lets work begin")
    for one in found["updated"]:
        number = number_of(one["from"])
        say(f"#{number} {one['id']}: {', '.join(one['changed'])} taken over; approve it again")
    for one in found["conflicts"]:
        number = number_of(one["from"])
        say(f"#{number} {one['id']}: {one['key']} was changed here and there; what is here stays")
    closed = [issue.number for issue in issues if not issue.is_open]
    if closed:
        say(f"Closed there: {', '.join(f'#{number}' for number in closed)}; their specs stay as they are.")
    untouched = len(found["present"]) - len(found["updated"])
    imported = counted(len(found["created"]), "spec")
    say(f"{imported} imported, {untouched} as before ({forge.repository.shown}).")


def _pulls_file(session: Session) -> Path:
    return session.chant.state_part("issues") / "pulled.json"


def _note_pulls(session: Session, times: dict[str, str]) -> None:
    file = _pulls_file(session)
    beside = file.with_suffix(f".{os.getpid()}")
    beside.write_text(json.dumps({**_pulled(session), **times}), "utf-8")
    beside.replace(file)


def _pulled(session: Session) -> dict[str, str]:
    """Say when each issue had changed last, by the forge's clock, when it was brought in."""
    try:
        return json.loads(_pulls_file(session).read_text("utf-8"))
    except (OSError, ValueError):
        return {}  # then comments are shown once more


def _withdraw_approval(root: Path, id: str) -> None:
    """Have a spec wait for a person again, before it gets another text."""
    path = root / ".chant" / "specs" / f"{id}.md"
    before = path.read_text("utf-8")
    rewrite(root, id, before, without_approval(before))


def _set_link(session: Session, forge: Forge, id: str, number: int | None) -> None:
    found: Data = session.chant.spec_get(id).data
    root = session.place.root
    text = (root / found["path"]).read_bytes().decode()
    rewrite(root, found["id"], text, with_link(text, forge.repository, number))


def _planned_comment(
    session: Session, forge: Forge, one: LinkedSpec, issue: Issue, *, with_cost: bool
) -> tuple[Callable[[], None] | None, str]:
    """Say what becomes of our comment on an issue, and give what does it."""
    mark = _MARK.format(id=one.id)
    marked = [comment for comment in forge.comments(one.number) if _MARK_START in comment.body]
    if any(not comment.is_by_user for comment in marked):
        return None, "left alone: a comment that is not yours carries our mark"
    if len(marked) > 1:
        return None, "left alone: several comments of yours carry our mark"
    text = _comment(session, one, mark, with_cost=with_cost)
    if not marked:
        return lambda: forge.add_comment(issue.node, text), "told by a new comment"
    [comment] = marked
    if comment.body.strip() == text.strip():
        return None, "told already"
    return lambda: forge.edit_comment(comment.node, text), "told by the comment of before"


def _label_of(spec: Data) -> str:
    """Name the label for how far a spec is."""
    if spec["status"] in ("completed", "cancelled"):
        return f"{_LABEL}done"
    if spec["status"] == "in_progress":
        return f"{_LABEL}running"
    is_ready = spec["status"] in ("pending", "ready") and not spec["waiting_for"]
    return f"{_LABEL}ready" if is_ready else f"{_LABEL}waiting"


def _runs(session: Session, id: str) -> list[Data]:
    """Give the runs of a spec, ended ones among them."""
    _, data = listed(session.chant, ended=True)
    return [run for run in data["processes"] if run["spec_id"] == id]


def cost_words(session: Session, id: str) -> str:
    """Write what the runs of a spec cost, as far as their agents said."""
    used = [run["usage"] for run in _runs(session, id) if run.get("usage")]
    known = [usage["cost_usd"] for usage in used if usage.get("cost_usd") is not None]
    tokens = sum(usage.get(key) or 0 for usage in used for key in _TOKENS)
    amount = f"${sum(known):.2f}" if known else "not reported"
    return f"Cost: {amount}, {tokens} tokens in {counted(len(used), 'run')}"


def _run_lines(session: Session, id: str) -> list[str]:
    """Say how the newest run of a spec stands, and what its receipt bears out."""
    newest = max(_runs(session, id), key=lambda run: run["started_at"] or "", default=None)
    lines = [f"Run: {newest['process_id']}, {newest['status']}"] if newest else []
    receipts: list[Data] = session.chant.receipt_show(id).data["receipts"]
    for entry in receipts[-1:]:
        checks: list[Data] = entry.get("receipt", {}).get("checks", [])
        passed = [check["name"] for check in checks if check["exit"] == 0]
        lines += [f"Checks: {', '.join(passed)} passed"] if passed else []
        repository = Repository(session.place.root, session.environment, wanted_by="issue push")
        lines.append(f"Receipt: `{repository.ask('rev-parse', '--verify', entry['ref'])}`")
    return lines


def _comment(session: Session, one: LinkedSpec, mark: str, *, with_cost: bool) -> str:
    spec: Data = session.chant.spec_get(one.id).data
    counts = spec["criteria"]
    lines = [f"State: {spec['status']}", f"Criteria: {counts['checked']} of {counts['total']} hold"]
    if spec["branch"]:
        lines.append(f"Branch: `{spec['branch']}`")
    if spec["commits"]:
        lines.append(f"Commits: {', '.join(str(commit)[:12] for commit in spec['commits'][:10])}")
    lines += _run_lines(session, one.id)
    if with_cost:
        lines.append(cost_words(session, one.id))
    return "\n".join([mark, f"**chant** {one.id}", "", *(f"- {line}" for line in lines)])
