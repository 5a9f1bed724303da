"""`speckit context`, `features`, `tasks`, `next`, `read`, `complete`, `questions`, `events`, and `answer`."""

from __future__ import annotations

from typing import Any

import click

from chant_mcp._core import Answer
from chant_mcp.commands.answers import json_option, limited_to, say_message
from chant_mcp.commands.asking import asks_for_trust
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.paging import EVERYTHING, Data, pieces
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json

_BY = "command line"
"""Who answers, in the record."""

_feature_option = click.option(
    "--feature", metavar="NAME", help="A feature other than the current one, by directory or number."
)


@click.command()
@_feature_option
@json_option
@on_project
def context(session: Session, feature: str | None, as_json: bool) -> None:
    """Show which feature is current, and why."""
    answer = session.speckit.context(feature)
    found: Data = answer.data
    if as_json:
        from chant_mcp.paging import written

        say_json(written(found))
        return
    from chant_mcp.commands import display, speckit_display

    display.console().print(speckit_display.context_fields(found))


@click.command()
@json_option
@on_project
def features(session: Session, as_json: bool) -> None:
    """List all features of the project; the current one is marked."""
    answer = session.speckit.features()
    _show(answer.text, answer.data, as_json, "feature_table", "No features found.")


@click.command()
@_feature_option
@json_option
@on_project
def tasks(session: Session, feature: str | None, as_json: bool) -> None:
    """List the tasks of a feature, phase by phase."""
    answer = session.speckit.tasks(feature)
    _show(answer.text, answer.data, as_json, "task_list", "")


@click.command("next")
@_feature_option
@json_option
@on_project
def next_tasks(session: Session, feature: str | None, as_json: bool) -> None:
    """List the tasks that can be done now, all at once, and what the others wait for."""
    answer = session.speckit.next(feature)
    _show(answer.text, answer.data, as_json, "next_tasks", "")


@click.command()
@click.argument("artifact", type=click.Choice(["spec", "plan", "tasks", "checklist", "analysis"]))
@_feature_option
@on_project
def read(session: Session, artifact: str, feature: str | None) -> None:
    """Print a document of a feature."""

    def piece(offset: int) -> Answer:
        return session.speckit.read(artifact, feature=feature, offset=offset, max_chars=EVERYTHING)

    for text in pieces(piece):
        say(text, nl=False)
    say("")


@click.command()
@click.argument("task_id")
@click.option("--skip-validation", is_flag=True, help="Complete it without validation; that is recorded.")
@_feature_option
@json_option
@changes_files
@on_project
@asks_for_trust
def complete(
    session: Session, task_id: str, skip_validation: bool, feature: str | None, as_json: bool
) -> None:
    """Tick a task, after the project's checks."""
    answer = session.speckit.complete(task_id, skip_validation=skip_validation, feature=feature, agent=_BY)
    if as_json:
        from chant_mcp.paging import written

        say_json(written(answer.data))
        return
    say(answer.text)


@click.command()
@click.option("--all", "show_all", is_flag=True, help="Also those that were answered, cancelled or expired.")
@json_option
@on_project
def questions(session: Session, show_all: bool, as_json: bool) -> None:
    """List the questions of agents that wait for an answer, the oldest first."""
    answer = session.speckit.questions(all=show_all)
    _show(answer.text, answer.data, as_json, "question_list", "No questions.")


@click.command()
@limited_to(50, "of the last events")
@json_option
@on_project
def events(session: Session, limit: int, as_json: bool) -> None:
    """Show what agents reported and did, the newest last."""
    answer = session.speckit.events(limit=limit)
    _show(answer.text, answer.data, as_json, "event_table", "No events.")


@click.command()
@click.argument("question")
@click.argument("text", nargs=-1)
@click.option("--cancel", is_flag=True, help="Cancel the question; the agent gets no answer.")
@json_option
@changes_files
@on_project
def answer(session: Session, question: str, text: tuple[str, ...], cancel: bool, as_json: bool) -> None:
    """Answer a question that an agent asked; `speckit questions` lists them."""
    if cancel == bool(text):
        raise click.UsageError("Give either an answer or --cancel.")
    answer = session.speckit.answer(question, None if cancel else " ".join(text), by=_BY)
    say_message(answer.text, as_json)
    if answer.note is not None:
        say(answer.note, err=True)


def _show(text: str, data: Any, as_json: bool, shape: str, when_none: str) -> None:
    if as_json:
        say_json(text)
        return
    if not data:
        say(when_none)
        return
    from chant_mcp.commands import display, speckit_display

    display.print_parts(getattr(speckit_display, shape)(data))
