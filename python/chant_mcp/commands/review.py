"""`comment` and `review`: what people say of the work on specs, and what they decide about it.

There is no tool for that: what a person says comes from a person's door.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chant_mcp.commands.answers import json_option, say_message
from chant_mcp.commands.asking import asks_for_trust
from chant_mcp.commands.project_options import changes_files, on_project, refuse_read_only
from chant_mcp.commands.run_names import run_name
from chant_mcp.commands.work_start import steps
from chant_mcp.paging import Data, written
from chant_mcp.session import Session
from chant_mcp.terminal import counted, say, say_json

if TYPE_CHECKING:
    from chant_mcp.parameters import CommentInput, ReviewAct

_SHOWN_SPECS = 200


def _weight_options(command: Callable[..., None]) -> Callable[..., None]:
    helps = {
        "should": "It should be done; this stops no landing.",
        "question": "It wants an answer; this stops no landing.",
        "note": "It wants nothing.",
    }
    for weight, text in reversed(helps.items()):
        command = click.option(f"--{weight}", "weight", flag_value=weight, help=text)(command)
    return command


@click.command()
@click.argument("id")
@click.argument("words", nargs=-1, required=True, metavar="[PATH:LINE|THREAD] TEXT")
@click.option("--criterion", type=click.IntRange(min=1), metavar="N", help="It is about this criterion.")
@click.option("--old", is_flag=True, help="PATH:LINE is a line that the work removes.")
@_weight_options
@click.option("--draft", is_flag=True, help="Keep it as a draft until `review ID --send`.")
@json_option
@on_project
@changes_files
def comment(
    session: Session,
    id: str,
    words: tuple[str, ...],
    criterion: int | None,
    old: bool,
    weight: str | None,
    draft: bool,
    as_json: bool,
) -> None:
    """Comment on work on a spec: on lines (PATH:FIRST-LAST), a file, a criterion, or all of it.

    Without --should, --question or --note it has to be done: the work does not land before a person resolves
    the comment. With the ID of a comment in the place of PATH:LINE the text is a reply to it.
    """
    if len(words) > 2:
        raise click.UsageError("Put the text in quotes: comment ID [PATH:LINE] TEXT.")
    *place, text = list(words)
    about = place[0] if place else None
    said: CommentInput = {
        "about": about,
        "criterion": criterion,
        "old": old,
        "weight": weight,
        "draft": draft,
    }
    say_message(session.chant.comment(run_name(session, id), text, **said).text, as_json)


@click.command()
@click.argument("id", required=False)
@click.option(
    "--since",
    type=click.Choice(["all", "look", "turn"]),
    default="all",
    show_default=True,
    help="Show all hunks, those not marked as seen, or those that are new since comments were sent.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "quickfix"]),
    default="text",
    show_default=True,
    help="How it is printed: quickfix is `path:line:column: text`, for editors.",
)
@click.option("--seen", multiple=True, metavar="HUNK", help="Mark a hunk as seen, by its number; or all.")
@click.option("--resolve", multiple=True, metavar="THREAD", help="Close a comment; or all.")
@click.option("--reopen", multiple=True, metavar="THREAD", help="Open a comment again.")
@click.option("--withdraw", multiple=True, metavar="THREAD", help="Take your comment back.")
@click.option("--send", is_flag=True, help="Send drafts and open comments to the agent, in a new run.")
@click.option("--approve", is_flag=True, help="Approve of the work as it is, of its newest commit.")
@click.option("--unseen", is_flag=True, help="With --approve: also of hunks not marked as seen.")
@click.option("--tip", metavar="COMMIT", help="Act only if this still is the newest commit of the work.")
@click.option(
    "--exchange", "remote", metavar="REMOTE", help="Take comments of other clones from a remote, bring yours."
)
@click.option(
    "--export", "export", type=click.Path(dir_okay=False, path_type=Path), help="Write it as Markdown."
)
@json_option
@on_project
@click.pass_context
def review(
    context: click.Context,
    session: Session,
    id: str | None,
    since: str,
    form: str,
    seen: tuple[str, ...],
    resolve: tuple[str, ...],
    reopen: tuple[str, ...],
    withdraw: tuple[str, ...],
    send: bool,
    approve: bool,
    unseen: bool,
    tip: str | None,
    remote: str | None,
    export: Path | None,
    as_json: bool,
) -> None:
    """Show the review of a spec: criteria, hunks and comments. Without ID, what waits to be read.

    Comments that have to be done stop the landing until a person resolves them here.
    """
    if remote is not None:
        refuse_read_only(context)
        _exchange(session, remote, as_json)
        if id is None:
            return
    acts = bool(seen or resolve or reopen or withdraw or send or approve)
    if id is None:
        if acts or export:
            raise click.UsageError("Name the spec that is meant.")
        _say_queue(session, as_json)
        return
    id = run_name(session, id)
    if acts:
        refuse_read_only(context)
        done: ReviewAct = {
            "seen": list(seen),
            "resolve": list(resolve),
            "reopen": list(reopen),
            "withdraw": list(withdraw),
            "send": send,
            "approve": approve,
            "tip": tip,
            "unseen": unseen,
        }
        _act(session, id, done, as_json)
        return
    answer = session.chant.review_show(id, since=since)
    found: Data = answer.data
    if export is not None:
        export.write_text("\n".join(_markdown(found)) + "\n", encoding="utf-8")
    if as_json:
        say_json(written(found))
    else:
        _say_as(found, form, export)


def _say_as(found: Data, form: str, export: Path | None) -> None:
    if export is not None:
        say(f"Wrote {export}.")
    elif form == "quickfix":
        for line in _quickfix(found):
            say(line)
    else:
        _say_review(found)


@asks_for_trust
def _act(session: Session, id: str, done: ReviewAct, as_json: bool) -> None:
    with steps() as step:
        text = session.chant.review_act(id, progress=step, **done).text
    say_message(text, as_json)


@asks_for_trust
def _exchange(session: Session, remote: str, as_json: bool) -> None:
    say_message(session.chant.review_exchange(remote).text, as_json)


def _say_queue(session: Session, as_json: bool) -> None:
    found: Data = session.chant.review_queue().data
    if as_json:
        say_json(written(found))
        return
    from chant_mcp.commands.display import console, plain
    from chant_mcp.commands.text_layout import Table

    out = console()
    entries: list[Data] = found["entries"]
    if not entries:
        out.print("Nothing waits to be read.")
    else:
        table = Table()
        table.add_column("Spec", no_wrap=True)
        table.add_column("Risk", no_wrap=True)
        table.add_column("Why", overflow="fold", ratio=1)
        for name in ("Hunks", "New", "Open", "Holds up"):
            table.add_column(name, justify="right", no_wrap=True)
        for entry in entries[:_SHOWN_SPECS]:
            counts = (plain(str(entry[key])) for key in ("hunks", "new", "open", "holds_up"))
            table.add_row(
                plain(entry["spec_id"], "bold"), plain(entry["risk"]["band"]), plain(_why(entry)), *counts
            )
        out.print(table)
        out.print(plain(f"{counted(found['new_hunks'], 'hunk')} to read."))
        out.print(plain(_PARTIAL, "dim"), soft_wrap=True)
    for problem in found["problems"]:
        say(problem, err=True)


_PARTIAL = "The risk is partial: it counts names, sizes and the run's record, and no measured evidence."


def _why(entry: Data) -> str:
    said: list[str] = []
    if entry["asked"]:
        said.append(f"its agent asks {counted(entry['asked'], 'question')}")
    if entry["not_delivered"]:
        said.append("comments were sent and not delivered")
    if entry["stops"]:
        said.append(f"{counted(entry['stops'], 'comment')} to be done")
    if reasons := entry["risk"]["reasons"]:
        said.append(reasons[0]["text"])
    return "; ".join(said) or entry["why"] or ""


def _say_review(found: Data) -> None:
    from chant_mcp.commands.display import console, plain

    out = console()
    for text, style in _lines(found):
        out.print(plain(text, style), soft_wrap=True)


def _lines(found: Data) -> Iterator[tuple[str, str]]:
    yield f"{found['spec_id']}: {found['title'] or '(no title)'} ({found['status']})", "bold"
    if found["tip"]:
        yield f"{found['branch'] or 'landed'} at {found['tip'][:12]}, against {found['base'][:12]}", "dim"
    risk: Data = found["risk"]
    yield f"Risk {risk['band']} ({risk['points']} of 100, partial)", ""
    for reason in risk["reasons"][:5]:
        yield f"  {reason['points']:>3}  {reason['text']}", ""
    yield "\nCriteria", "bold"
    for one in found["criteria"]:
        checks = ", ".join(one["checks"]) or "no check"
        talked = f"  {', '.join(one['threads'])}" if one["threads"] else ""
        yield f"  {one['number']:>2} {'✓' if one['checked'] else '–'} {one['text']} ({checks}){talked}", ""
    yield from _hunks(found)
    for text in _threads(found):
        yield text, ""
    for draft in found["drafts"]:
        yield f"draft ({draft['weight']}) {draft['about']}: {draft['text']}", "dim"
    for one in found["set_aside"]:
        yield f"set aside: {one}", "yellow"
    if stops := len(found["stops"]):
        yield f"\n{counted(stops, 'comment')} {'stops' if stops == 1 else 'stop'} the landing.", "red"


def _hunks(found: Data) -> Iterator[tuple[str, str]]:
    yield f"\nHunks ({found['scope']}): {len(found['hunks'])}, {found['folded']} folded", "bold"
    if found["gone"]:
        yield f"  No more in the work: {counted(found['gone'], 'hunk')} that you saw.", "yellow"
    for hunk in found["hunks"]:
        mark = "seen" if hunk["seen"] else "new"
        yield f"[{hunk['number']}] {hunk['path']} {hunk['head']} {mark}", "bold"
        for text in hunk["lines"]:
            yield text, {"+": "green", "-": "red"}.get(text[:1], "")
    for path in found["unreadable"]:
        yield f"{path}: no lines that could be shown", "yellow"
    if found["files_left_out"]:
        yield f"Not shown: {counted(found['files_left_out'], 'more file')}.", "yellow"


def _threads(found: Data) -> Iterator[str]:
    if found["threads"]:
        yield "\nComments"
    for thread in found["threads"]:
        origin = f", {thread['origin']}" if thread["origin"] else ""
        sent = ", sent" if thread["sent"] else ""
        yield f"{thread['id']} {thread['weight']} {thread['state']}{sent}: {_place(thread)}"
        yield _indented(f"{thread['author']} ({thread['kind']}{origin}): {thread['text']}")
        for reply in thread["replies"]:
            answer = f" {reply['answer']}" if reply["answer"] else ""
            yield _indented(f"{reply['author']} ({reply['kind']}){answer}: {reply['text']}")
        for claim in thread["claims"]:
            yield f"    {claim['commit'][:12]}: {claim['shown']}"


def _place(thread: Data) -> str:
    if place := thread["place"]:
        lines = (
            f"{place['first']}" if place["first"] == place["last"] else f"{place['first']}-{place['last']}"
        )
        mark = f" ({place['mark']})" if place["mark"] else ""
        also = f", also {', '.join(map(str, place['others']))}" if place["others"] else ""
        return f"{place['path']}:{lines}{mark}{also}"
    if thread["outdated"]:
        words = " / ".join(thread["commented"][:3])
        return f"outdated, {thread['outdated']}: {words}"
    return "all of the work"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _quickfix(found: Data) -> Iterator[str]:
    """Give the open comments that stand on a line, as editors read them."""
    for thread in found["threads"]:
        place = thread["place"]
        if place is None or thread["state"] not in ("open", "claimed") or place["side"] != "new":
            continue
        first = (thread["text"].splitlines() or [""])[0]
        yield f"{place['path']}:{place['first']}:1: [{thread['weight']} {thread['id']}] {first}"


def _markdown(found: Data) -> Iterator[str]:
    yield f"# Review of {found['spec_id']}: {found['title'] or '(no title)'}"
    if found["tip"]:
        yield f"\nNewest commit: {found['tip']}"
    for thread in found["threads"]:
        yield f"\n## {thread['id']} ({thread['weight']}, {thread['state']})\n\n{_place(thread)}\n"
        yield _quoted(thread["author"], thread["text"])
        for reply in thread["replies"]:
            yield _quoted(reply["author"], reply["text"])
        for claim in thread["claims"]:
            yield f"- {claim['commit'][:12]}: {claim['shown']}"


def _quoted(author: str, text: str) -> str:
    lines = [f"> {line}".rstrip() for line in text.splitlines()]
    return "\n".join([f"{author}:\n", *lines, ""])


def send_words(session: Session, id: str, text: str, as_json: bool) -> None:
    """Say something about all of the work on a spec and send it to the agent: `work ID --say`."""
    session.chant.comment(id, text)
    _act(session, id, {"send": True}, as_json)
