"""`edit`, `tick`, `untick`, `label`, `depend`, `reopen` and `move`: a person changes one item.

They use the handles of scripts, so that an edit has the same rules wherever it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import IO, Any, TypeAlias

import click

from chant_mcp.api.features import FeatureTask
from chant_mcp.api.handles import Handle, refuse_open
from chant_mcp.api.plans import PlanItem
from chant_mcp.api.specs import Spec, own_id
from chant_mcp.api.tickets import Ticket
from chant_mcp.api.vines import Task
from chant_mcp.api.workspace import Workspace
from chant_mcp.commands.answers import json_option
from chant_mcp.commands.asking import asks_for_trust
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.errors import InvalidArgumentError, NotFoundError, RefusedError
from chant_mcp.paging import Data, written
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json

Item: TypeAlias = Spec | Task | FeatureTask | Ticket | PlanItem
"""An item that commands change."""

_NOUNS: dict[type[Handle], str] = {
    Spec: "a spec",
    Task: "a task of a task graph",
    FeatureTask: "a spec-kit task",
    Ticket: "a ticket",
    PlanItem: "an item of a plan",
}

_AGENT = "command line"
"""Who ticks, in the log of a feature."""

_force_option = click.option("--force", is_flag=True, help="Skip the rules; name what does not exist.")


def find_item(session: Session, name: str) -> Item:
    """Find the item that a name means.

    Raises:
        InvalidArgumentError: It is a whole file, a feature or a phase.
    """
    found: Any = Workspace(session)[name]
    if isinstance(found, (Spec, Task, FeatureTask, Ticket, PlanItem)):
        return found
    raise InvalidArgumentError(
        f"'{name}' is no single item. Name a spec, a task or a ticket; `chant-mcp list` shows their keys."
    )


def refused(item: Item, what: str, instead: str) -> RefusedError:
    """Make the refusal of what a format has no place for."""
    return RefusedError(f"{item.key} is {_NOUNS[type(item)]}, which {what}. {instead}")


def edited(item: Handle, as_json: bool, word: str = "Changed") -> None:
    """Print an item as it is after an edit, and what the edit warns of."""
    warnings = [line for line in item.response.splitlines() if line.startswith("Warning: ")]
    if as_json:
        say_json(written(_edit_data(item, warnings)))
        return
    say("\n".join([f"{word} {item.key} ({item.status}): {item.title}", *warnings]))


def _edit_data(item: Handle, warnings: Sequence[str]) -> Data:
    return {
        "key": item.key,
        "id": item.id,
        "title": item.title,
        "status": item.status,
        "path": item.path,
        "depends_on": list(item.depends_on),
        "warnings": [line.removeprefix("Warning: ") for line in warnings],
    }


def _open_with(item: Item) -> str:
    return f"`chant-mcp open {item.key}` opens its file at its line."


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--title", metavar="TEXT", help="New title.")
@click.option("--status", metavar="STATUS", help="New state, in the words of its format.")
@click.option("--type", "kind", metavar="TYPE", help="New type of a spec.")
@click.option("--priority", metavar="PRIORITY", help="New priority of a spec or a ticket.")
@click.option("--assignee", metavar="NAME", help="Who is to do it; of a spec or a ticket.")
@click.option("--model", metavar="NAME", help="Model for the work on a spec.")
@click.option(
    "--body", type=click.File("rb"), metavar="FILE", help="File with a new text; `-` is standard input."
)
@click.option("--add-criterion", "added", multiple=True, metavar="TEXT", help="Criterion to add; repeatable.")
@click.option(
    "--remove-criterion", "removed", multiple=True, metavar="TEXT", help="Criterion to remove; repeatable."
)
@_force_option
@json_option
@on_project
@changes_files
def edit(
    session: Session,
    name: str,
    title: str | None,
    status: str | None,
    kind: str | None,
    priority: str | None,
    assignee: str | None,
    model: str | None,
    body: IO[bytes] | None,
    added: tuple[str, ...],
    removed: tuple[str, ...],
    force: bool,
    as_json: bool,
) -> None:
    """Change the title, the state or other attributes of a spec, a task or a ticket.

    All options are applied, or none is. An empty value removes an attribute. `open` opens the file itself.
    """
    criteria = {"add_criteria": list(added) or None, "remove_criteria": list(removed) or None}
    given: Data = {
        "title": title,
        "status": status,
        "type": kind,
        "priority": priority,
        "assignee": assignee,
        "model": model,
        "body": None if body is None else _text(body),
        **criteria,
    }
    given = {key: value for key, value in given.items() if value is not None}
    if not given:
        raise click.UsageError("Nothing is to be changed. Give an option such as --title, or use `open`.")
    item = find_item(session, name)
    edited(_EDITORS[type(item)](item, given, force), as_json)


def _text(file: IO[bytes]) -> str:
    try:
        return file.read().decode()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"The new text is not UTF-8: {error.reason}.") from error


def _refuse_others(item: Item, given: Data, possible: Sequence[str]) -> None:
    flags = {"add_criteria": "--add-criterion", "remove_criteria": "--remove-criterion"}
    if wrong := [flags.get(name, f"--{name}") for name in given if name not in possible]:
        known = ", ".join(f"--{name}" for name in possible) or "no option of this command"
        raise refused(item, f"does not have {', '.join(wrong)}", f"It takes {known}. {_open_with(item)}")


def _edit_spec(item: Spec, given: Data, force: bool) -> Handle:
    if "body" in given:
        given = {**given, "output": given["body"], "replace_body": True}
        del given["body"]
    return item.update(**given, force=force, refuse_broken=not force)


def _edit_task(item: Task, given: Data, force: bool) -> Handle:
    _refuse_others(item, given, ("title", "status", "body"))
    return item.update(name=given.get("title"), status=given.get("status"), description=given.get("body"))


def _edit_ticket(item: Ticket, given: Data, force: bool) -> Handle:
    _refuse_others(item, given, ("title", "status", "priority", "assignee"))
    return item.update(**given)


def _edit_plan_item(item: PlanItem, given: Data, force: bool) -> Handle:
    _refuse_others(item, given, ("title", "status", "priority", "assignee", "add_criteria"))
    edits: Data = {name: given[name] for name in ("title", "status", "add_criteria") if name in given}
    attributes = {name: given[name] for name in ("priority", "assignee") if name in given}
    if attributes:
        edits["set"] = attributes
    return item.edit(**edits)


def _edit_feature_task(item: FeatureTask, given: Data, force: bool) -> Handle:
    _refuse_others(item, given, ())
    return item


_EDITORS: dict[type, Callable[[Any, Data, bool], Handle]] = {
    Spec: _edit_spec,
    Task: _edit_task,
    Ticket: _edit_ticket,
    FeatureTask: _edit_feature_task,
    PlanItem: _edit_plan_item,
}

_name_argument = click.argument("name", metavar="NAME")
_boxes_argument = click.argument("boxes", nargs=-1, metavar="[CRITERION]...")
_section_option = click.option(
    "--section", metavar="NAME", help="Section of a ticket in which the boxes are; else its criteria."
)


@click.command()
@_name_argument
@_boxes_argument
@click.option("--all", "all_boxes", is_flag=True, help="Tick all criteria of a spec.")
@_section_option
@click.option("--skip-validation", is_flag=True, help="Complete a spec-kit task without its checks.")
@json_option
@on_project
@changes_files
@asks_for_trust
def tick(
    session: Session,
    name: str,
    boxes: tuple[str, ...],
    all_boxes: bool,
    section: str | None,
    skip_validation: bool,
    as_json: bool,
) -> None:
    """Tick criteria of a spec or a ticket, a spec-kit task after its checks, or an item of another plan.

    CRITERION is the text of a criterion or its number, of a ticket the text alone.
    """
    item = find_item(session, name)
    if isinstance(item, PlanItem):
        done: Handle = item.tick(*boxes)
    elif isinstance(item, FeatureTask):
        _refuse_boxes(item, boxes)
        done = item.complete(skip_validation=skip_validation, agent=_AGENT)
    else:
        done = _tick(item, boxes, all_boxes, section, "check")
    edited(done, as_json, "Ticked")


@click.command()
@_name_argument
@_boxes_argument
@click.option("--all", "all_boxes", is_flag=True, help="Untick all criteria of a spec.")
@_section_option
@json_option
@on_project
@changes_files
def untick(
    session: Session, name: str, boxes: tuple[str, ...], all_boxes: bool, section: str | None, as_json: bool
) -> None:
    """Untick criteria of a spec or a ticket, a spec-kit task, or an item of another plan.

    CRITERION is the text of a criterion or its number, of a ticket the text alone.
    """
    item = find_item(session, name)
    if isinstance(item, PlanItem):
        done: Handle = item.untick(*boxes)
    elif isinstance(item, FeatureTask):
        _refuse_boxes(item, boxes)
        done = item.reopen(agent=_AGENT)
    else:
        done = _tick(item, boxes, all_boxes, section, "uncheck")
    edited(done, as_json, "Unticked")


def _refuse_boxes(item: FeatureTask, boxes: Sequence[str]) -> None:
    if boxes:
        raise refused(
            item, "is ticked as a whole", f"Leave the criteria out, or edit them. {_open_with(item)}"
        )


def _tick(
    item: Spec | Task | Ticket, boxes: Sequence[str], all_boxes: bool, section: str | None, mode: str
) -> Handle:
    if isinstance(item, Task):
        status = "complete" if mode == "check" else "notstarted"
        set_it = f"`chant-mcp edit {item.key} --status {status}`"
        raise refused(item, "has no boxes", f"{set_it} changes its state.")
    if isinstance(item, Ticket):
        if not boxes or all_boxes:
            raise click.UsageError("Give the text of each box of the ticket; `show` prints them.")
        change = item.check if mode == "check" else item.uncheck
        return change(*boxes, section=section)
    if section is not None:
        raise refused(item, "has its boxes under Acceptance Criteria", "Leave --section out.")
    change = item.check if mode == "check" else item.uncheck
    return change(*_criteria(item, boxes, all_boxes))


def _criteria(item: Spec, boxes: Sequence[str], all_boxes: bool) -> list[str]:
    texts = [criterion.text for criterion in item.criteria]
    numbered = "\n".join(f"  {number}. {text}" for number, text in enumerate(texts, 1))
    if all_boxes:
        if not texts:
            raise refused(
                item, "has no criteria here", f"`chant-mcp edit {item.id} --add-criterion TEXT` adds one."
            )
        return texts
    if not boxes:
        raise InvalidArgumentError(
            f"{item.key} has these criteria; give texts or numbers, or --all:\n{numbered}"
            if texts
            else f"{item.key} has no criteria. `chant-mcp edit {item.id} --add-criterion TEXT` adds one."
        )
    chosen: list[str] = []
    for box in boxes:
        is_number = box.isdecimal() and box not in texts
        if is_number and not 1 <= int(box) <= len(texts):
            raise InvalidArgumentError(f"{item.key} has no criterion {box}; it has these:\n{numbered}")
        chosen.append(texts[int(box) - 1] if is_number else box)
    return chosen


@click.command()
@_name_argument
@click.argument("labels", nargs=-1, metavar="[LABEL]...")
@click.option("--remove", "removed", multiple=True, metavar="LABEL", help="Label to remove; repeatable.")
@json_option
@on_project
@changes_files
def label(
    session: Session, name: str, labels: tuple[str, ...], removed: tuple[str, ...], as_json: bool
) -> None:
    """Add labels to a spec or an item of a plan, or remove them."""
    if not labels and not removed:
        raise click.UsageError("Give labels to add, or --remove LABEL.")
    item = find_item(session, name)
    if isinstance(item, Ticket):
        instead = f"`chant-mcp tickets set {item.id} phaseEpic=TEXT` groups it."
        raise refused(item, "has no labels", instead)
    if isinstance(item, FeatureTask):
        raise refused(item, "has its labels in its line, as [US1]", _open_with(item))
    if isinstance(item, Task):
        raise refused(item, "has no labels", _open_with(item))
    _refuse_missing(item, "label", removed, item.labels)
    kept = [one for one in item.labels if one not in removed]
    if isinstance(item, PlanItem):
        wanted = [*kept, *(one for one in labels if one not in kept)]
        edited(item.set("labels", wanted), as_json)
        return
    edited(item.update(labels=[*kept, *(one for one in labels if one not in kept)]), as_json)


@click.command()
@_name_argument
@click.argument("dependencies", nargs=-1, metavar="[ID]...")
@click.option("--remove", "removed", multiple=True, metavar="ID", help="Dependency to remove; repeatable.")
@_force_option
@json_option
@on_project
@changes_files
def depend(
    session: Session,
    name: str,
    dependencies: tuple[str, ...],
    removed: tuple[str, ...],
    force: bool,
    as_json: bool,
) -> None:
    """Add dependencies to an item, or remove them.

    ID is a key, an ID or a ticket's code. Without --force an unknown ID and a cycle are refused.
    """
    if not dependencies and not removed:
        raise click.UsageError("Give IDs that it is to wait for, or --remove ID.")
    item = find_item(session, name)
    if isinstance(item, FeatureTask):
        raise refused(item, "names in its text what it waits for: (depends on T001)", _open_with(item))
    edited(_depend(session, item, dependencies, removed, force), as_json)


def _depend(
    session: Session,
    item: Spec | Task | Ticket | PlanItem,
    added: Sequence[str],
    removed: Sequence[str],
    force: bool,
) -> Handle:
    if isinstance(item, PlanItem):
        own = [one.removeprefix(f"{item.dialect}:") for one in item.depends_on]
        gone = [_named(session, one, own, item) for one in removed]
        kept = [one for one in own if one not in gone]
        names = [one.removeprefix(f"{item.dialect}:") for one in added]
        return item.set("dependencies", [*kept, *(one for one in names if one not in kept)])
    if isinstance(item, Task):
        prefix = f"vine:{item.path}#"
        own = [one.removeprefix(prefix) for one in item.depends_on]
        gone = [_named(session, one, own, item).removeprefix(prefix) for one in removed]
        return item.update(
            add_dependencies=[one.removeprefix(prefix) for one in added], remove_dependencies=gone
        )
    prefix = "tickets:" if isinstance(item, Ticket) else "chant:"
    now = [one.removeprefix(prefix) for one in item.depends_on]
    gone = [_named(session, one, now, item) for one in removed]
    kept = [one for one in now if one not in gone]
    if isinstance(item, Ticket):
        return item.update(depends_on=[*kept, *(one.removeprefix(prefix) for one in added)])
    names = [_name_in_spec(session, one) for one in added]
    wanted = [*kept, *(one for one in names if one not in kept)]
    return item.update(depends_on=wanted, force=force, refuse_broken=not force)


def _name_in_spec(session: Session, name: str) -> str:
    """Give what a spec calls an item that it waits for; a name that no item has stays."""
    try:
        return own_id(session.workspace.handle(name)["key"])
    except NotFoundError:
        return own_id(name)


def _named(session: Session, name: str, there: Sequence[str], item: Item) -> str:
    """Give what a dependency that is to be removed is called in the document."""
    short = name.partition(":")[2] or name
    meant = [one for one in there if one in (name, short)] or [one for one in there if one.endswith(short)]
    if len(meant) != 1:
        _refuse_missing(item, "dependency", [name], meant or there)
    return meant[0] if meant else name


def _refuse_missing(item: Item, noun: str, wanted: Sequence[str], there: Sequence[str]) -> None:
    for one in wanted:
        if list(there).count(one) != 1:
            has = ", ".join(there) or "none"
            raise InvalidArgumentError(
                f"{item.key} has no {noun} '{one}' that means only one; it has: {has}."
            )


@click.command()
@_name_argument
@json_option
@on_project
@changes_files
def reopen(session: Session, name: str, as_json: bool) -> None:
    """Reopen a completed or cancelled item; what is ticked stays ticked.

    `reset` is for a spec that failed or is in work.
    """
    item = find_item(session, name)
    refuse_open(item)
    edited(item.reopen(), as_json, "Reopened")


@click.command()
@_name_argument
@click.argument("folder", metavar="FOLDER")
@json_option
@on_project
@changes_files
def move(session: Session, name: str, folder: str, as_json: bool) -> None:
    """Move an item of a plan to another folder of its format, such as `completed`.

    Formats that leave this to their own program name its command.
    """
    item = find_item(session, name)
    if not isinstance(item, PlanItem):
        raise refused(item, "stays in its folder", "`chant-mcp archive` moves completed specs.")
    edited(item.move(folder), as_json, "Moved")
