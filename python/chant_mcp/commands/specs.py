"""`list`, `ready`, `show`, `status`, `search` and `add`."""

from __future__ import annotations

import click

from chant_mcp.commands.answers import (
    all_option,
    format_option,
    json_option,
    limit_option,
    list_all_option,
    search_all_option,
)
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.commands.spec_answers import show_found, show_list, show_ready, show_spec, show_status
from chant_mcp.paging import written
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json

_status_option = click.option(
    "--status", metavar="STATUS", help="Only specs in this state, such as pending or in_progress."
)


approval_option = click.option(
    "--approval",
    type=click.Choice(["pending", "approved", "rejected"]),
    help="Only specs with this state of approval.",
)


@click.command("list")
@_status_option
@approval_option
@limit_option
@list_all_option
@format_option
@json_option
@on_project
def list_specs(
    session: Session, status: str | None, approval: str | None, limit: int, show_all: bool, as_json: bool
) -> None:
    """List specs; cancelled ones only with `--status cancelled` or `--all`, archived ones with `--all`."""
    show_list(session, status, approval, limit, show_all, as_json)


held_option = click.option(
    "--held", "include_held", is_flag=True, help="Also list specs that another clone works on."
)


@click.command()
@held_option
@limit_option
@all_option
@format_option
@json_option
@on_project
def ready(session: Session, include_held: bool, limit: int, show_all: bool, as_json: bool) -> None:
    """List the specs that can be worked on now."""
    show_ready(session, include_held, limit, show_all, as_json)


@click.command()
@click.argument("query")
@_status_option
@limit_option
@search_all_option
@format_option
@json_option
@on_project
def search(
    session: Session, query: str, status: str | None, limit: int, show_all: bool, as_json: bool
) -> None:
    """Search titles and bodies for a text; upper and lower case are the same."""
    show_found(session, query, status, limit, show_all, as_json)


@click.command()
@click.argument("id")
@click.option("--raw", is_flag=True, help="Print the body alone, as it is written.")
@json_option
@on_project
def show(session: Session, id: str, raw: bool, as_json: bool) -> None:
    """Show one spec; a part of its ID is enough when it fits only one."""
    show_spec(session, id, raw, as_json)


@click.command()
@click.option("--activity", is_flag=True, help="Also show when something last happened in running work.")
@json_option
@on_project
def status(session: Session, activity: bool, as_json: bool) -> None:
    """Count the specs in each state."""
    show_status(session, activity, as_json)


@click.command()
@click.argument("description")
@click.option("--prompt", metavar="NAME", help="Prompt template to work with.")
@click.option(
    "--criterion", "criteria", multiple=True, metavar="TEXT", help="Acceptance criterion; repeatable."
)
@click.option(
    "--check", "checks", multiple=True, metavar="NAME", help="Configured check that has to pass; repeatable."
)
@click.option("--depends-on", multiple=True, metavar="ID", help="Spec it waits for; repeatable.")
@click.option("--label", "labels", multiple=True, metavar="TEXT", help="Label; repeatable.")
@click.option(
    "--target-file", "target_files", multiple=True, metavar="PATH", help="File the work touches; repeatable."
)
@click.option(
    "--type", "kind", metavar="TYPE", help="code (the default), task, driver, documentation, research, group."
)
@click.option("--parent", metavar="ID", help="Spec it becomes a member of.")
@click.option(
    "--to",
    "plan",
    metavar="PARENT",
    help="Add it to another plan: an item, ITEM#HEADING, or a format's word.",
)
@click.option("--needs-approval", is_flag=True, help="Work begins only when a person has approved it.")
@click.option("--force", is_flag=True, help="Add it with a type, prompt or dependency that does not exist.")
@json_option
@on_project
@changes_files
def add(
    session: Session,
    description: str,
    prompt: str | None,
    criteria: tuple[str, ...],
    checks: tuple[str, ...],
    depends_on: tuple[str, ...],
    labels: tuple[str, ...],
    target_files: tuple[str, ...],
    kind: str | None,
    parent: str | None,
    plan: str | None,
    needs_approval: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Create a spec; the description becomes its title, and its body when it is long.

    With `--to` it becomes an item of another plan, such as a task of an OpenSpec change.
    """
    criteria += tuple(f"The check `{name}` passes <!-- check: {name} -->" for name in checks)
    if plan is not None:
        from chant_mcp.api.workspace import Workspace
        from chant_mcp.commands.edits import edited

        title, _, text = description.partition("\n")
        made = Workspace(session).add_item(
            title, parent=plan, text=text.strip(), criteria=criteria, depends_on=depends_on, labels=labels
        )
        if as_json:
            message = f"Added {made.key}"
            say_json(written({"spec_id": made.key, "path": made.path, "message": message}))
            return
        edited(made, as_json, "Added")
        return
    answer = session.chant.add(
        description,
        prompt=prompt,
        criteria=list(criteria),
        depends_on=list(depends_on) or None,
        labels=list(labels),
        target_files=list(target_files),
        type=kind,
        parent=parent,
        needs_approval=needs_approval,
        refuse_broken=not force,
    )
    # The tool answers in words, whose first line ends with the ID.
    first, _, rest = answer.text.partition("\n")
    id = first.removeprefix("Created spec: ")
    path: str = session.chant.spec_get(id, max_chars=1).data["path"]
    if as_json:
        say_json(written({"spec_id": id, "path": path, "message": answer.text}))
        return
    say("\n".join([first, f"File: {path}", *([rest] if rest else [])]))
