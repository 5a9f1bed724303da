"""`log`: what an agent wrote while it worked on a spec, followed when wanted."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator

import click

from chant_mcp.commands.answers import json_option
from chant_mcp.commands.project_options import on_project
from chant_mcp.commands.remote_run import RemoteRun
from chant_mcp.commands.run_names import run_name
from chant_mcp.errors import NotFoundError
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import coloured, harmless, say, say_json

_PAUSE = 0.25
"""Seconds between two looks at a log that is followed."""

_PAGE = 1_000
"""Lines of a log that is followed, asked for at a time."""


@click.command()
@click.argument("id")
@click.option(
    "-n",
    "--lines",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    help="Show at most this many lines.",
)
@click.option("-f", "--follow", is_flag=True, help="Keep printing new lines until Ctrl-C.")
@click.option(
    "--since", metavar="TIME", help="Only lines stamped later than this, such as 2026-02-02T10:00:00Z."
)
@json_option
@on_project
def log(session: Session, id: str, lines: int, follow: bool, since: str | None, as_json: bool) -> None:
    """Print the last lines of a spec's log.

    With `-f` and `--json` each answer is printed on a line of its own. Of a spec that another clone works on
    `-f` shows its state and the last line of its log, as that clone tells them, until that has ended.
    """
    id = run_name(session, id)
    if not follow:
        answer = session.chant.log(id, lines=lines, since=since)
        if as_json:
            say_json(answer.text)
        else:
            _print_lines(answer.data)
        return
    try:
        id = session.chant.run_name(id)
        if (remote := RemoteRun.find(session.chant, id)) is not None:
            _follow_elsewhere(remote, as_json)
            return
        for page in _followed(session, id, lines, since):
            if as_json:
                say_json(json.dumps(page, ensure_ascii=False))
            else:
                _print_lines(page)
    except KeyboardInterrupt:
        pass  # the way to end it


def _follow_elsewhere(remote: RemoteRun, as_json: bool) -> None:
    """Print what another clone tells of its run, until that has ended."""
    first = remote.lease
    who = f"{first['orchestrator']} on {first['host']}"
    say(f"{who} works on {remote.spec_id}; its log is there. This is what it tells of it.", err=True)
    for lease in remote.moments():
        if as_json:
            say_json(json.dumps(lease, ensure_ascii=False))
        else:
            say(" ".join([lease["state"], *([lease["line"]] if lease.get("line") else [])]))


def _followed(session: Session, id: str, lines: int, since: str | None) -> Iterator[Data]:
    """Give a log's last lines, then what is added to it; a log that is not there yet is waited for."""
    offset: int | None = None
    while True:
        try:
            page: Data = session.chant.log(
                id, lines=lines if offset is None else _PAGE, offset=offset, since=since
            ).data
        except NotFoundError:
            session.chant.run_name(id)  # where the spec is gone, there is nothing to wait for
            if offset is None:
                say(f"No log for {id} yet; waiting for one.", err=True)
            # All of a log that begins now is new.
            offset = 0
            time.sleep(_PAUSE)
            continue
        if offset is not None and page["byte_offset"] < offset:
            offset = 0  # started again
            continue
        is_tail, offset = offset is None, page["byte_offset"]
        if page["line_count"]:
            yield page
        if is_tail or not page["has_more"]:
            time.sleep(_PAUSE)


def _print_lines(page: Data) -> None:
    if not page["line_count"]:
        return
    content: str = page["content"]
    click.echo(coloured(content) if sys.stdout.isatty() else harmless(content))
