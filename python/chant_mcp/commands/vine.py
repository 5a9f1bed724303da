"""`vine show`, `list`, `next`, `graph` and `spec`."""

from __future__ import annotations

import shlex

import click

from chant_mcp import resources
from chant_mcp.commands.answers import format_option, json_option, limited_to, picture_option
from chant_mcp.commands.project_options import on_project
from chant_mcp.commands.vine_files import file_argument, file_meant
from chant_mcp.paging import Data, written
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json

_NOTHING_FOUND = "No tasks found."

_statuses_option = click.option(
    "-s",
    "--status",
    "statuses",
    multiple=True,
    metavar="STATUS",
    help="Only tasks in this state, such as started; `ref` for references. Repeatable.",
)


@click.command()
@file_argument
@click.option("--task", "id", metavar="ID", help="Show this task alone, with everything around it.")
@json_option
@on_project
def show(session: Session, file: str | None, id: str | None, as_json: bool) -> None:
    """Show a task graph: how far it is, and its tasks."""
    file = file_meant(session, file)
    answer = session.vine.plan(file) if id is None else session.vine.task(file, id)
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, vine_display

    out = display.console()
    found: Data = answer.data
    if id is None:
        out.print(vine_display.plan_fields(found))
        out.print()
        out.print(vine_display.task_table(found["nodes"]))
        return
    vine_display.show_task(out, found)


@click.command("list")
@file_argument
@_statuses_option
@click.option(
    "-q", "--query", default="", metavar="TEXT", help="Only tasks that hold this text, in any case."
)
@format_option
@json_option
@on_project
def list_tasks(
    session: Session, file: str | None, statuses: tuple[str, ...], query: str, as_json: bool
) -> None:
    """List the tasks and references of a task graph."""
    file = file_meant(session, file)
    nodes: list[Data] = session.vine.plan(file, statuses=statuses, query=query).data["nodes"]
    if as_json:
        say_json(written(nodes))
        return
    from chant_mcp.commands import display, vine_display

    if not nodes:
        say(_NOTHING_FOUND)
    elif not display.print_rows(nodes):
        display.console().print(vine_display.task_table(nodes))


@click.command("next")
@file_argument
@limited_to(50, "entries of each list")
@json_option
@on_project
@click.pass_context
def next_tasks(context: click.Context, session: Session, file: str | None, limit: int, as_json: bool) -> None:
    """List what can be done now in a task graph, and how."""
    file = file_meant(session, file)
    if as_json:
        say_json(session.vine.next(file, limit=limit).text)
        return
    from chant_mcp.commands import display, vine_display

    plan: Data = session.vine.plan(file).data
    command = f"{context.find_root().info_name} vine {{}} {shlex.quote(file)}"
    display.print_parts(vine_display.frontier(plan, limit, command))


@click.command()
@file_argument
@picture_option
@_statuses_option
@on_project
def graph(session: Session, file: str | None, form: str, statuses: tuple[str, ...]) -> None:
    """Draw a task graph: what each task depends on stands below it, or where its arrows end.

    With `--status`, dashed arrows lead over tasks that are left out.
    """
    file = file_meant(session, file)
    answer = session.vine.picture(file, form, statuses=statuses)
    rows: list[Data] | None = answer.data
    if rows is None:
        say(answer.text, nl=False)
        return
    if not rows:
        say(_NOTHING_FOUND)
        return
    from chant_mcp.commands import display, trees, vine_display

    statuses = (*vine_display.STATUSES, "ref")
    display.print_parts(trees.drawn(rows, id="id", name="shortName", statuses=statuses))


@click.command()
@click.option("--full", is_flag=True, help="The whole format, not the brief one.")
def spec(full: bool) -> None:
    """Print the description of the format and the tools that agents read."""
    say(resources.text(f"vine/{'full' if full else 'brief'}.md"), nl=False)
