"""How answers look to people: tables that stay whole at eighty columns and without colours."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from chant_mcp.commands.text_layout import Group, Shown, Table, Text
from chant_mcp.load_words import load_lines
from chant_mcp.output_mode import MODE
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import counted, harmless, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any

    from rich.console import Console


_LONG_ID = 40
"""Characters up to which an ID stands on one line, whatever else has to be wrapped for it."""

_STATUS = {
    "pending": "cyan",
    "ready": "bright_cyan",
    "in_progress": "yellow",
    "paused": "yellow",
    "completed": "green",
    "failed": "red",
    "needs_attention": "bold red",
    "blocked": "magenta",
    "cancelled": "dim",
    # runs
    "running": "yellow",
    "awaiting_merge": "magenta",
    "awaiting_approval": "magenta",
    "taken_over": "yellow",
    "lost": "red",
    "stale": "red",
    # tasks of task graphs
    "complete": "green",
    "reviewing": "bright_green",
    "started": "yellow",
    "planning": "cyan",
    "ref": "blue",
    # change requests
    "proposed": "cyan",
    "approved": "bright_cyan",
    "in progress": "yellow",
    "partially implemented": "yellow",
    "implemented": "green",
    "rejected": "dim",
    "on hold": "magenta",
}

_LINE_WIDTH = 80
"""Columns of a line for another program that is made to fit."""

_GRADE = {"A": "green", "B": "green", "C": "yellow", "D": "red"}

_SEVERITY = {"error": "red", "warning": "yellow"}


class Output:
    """Where a command prints: lines for another program, or what rich draws on a terminal."""

    def __init__(self, *, is_error: bool, prints_lines: bool) -> None:
        """Print to standard output or error."""
        self._is_error = is_error
        self._prints_lines = prints_lines

    def print(self, shown: Shown = "", *, style: str = "", soft_wrap: bool = False) -> None:
        """Print something, harmless whatever it holds; as lines, without wraps and styles."""
        if not self._prints_lines:
            self.terminal.print(shown, style=style or None, soft_wrap=soft_wrap)
        elif isinstance(shown, Group):
            for part in shown.parts:
                self.print(part)
        elif isinstance(shown, Table):
            for line in shown.lines():
                say(line, err=self._is_error)
        elif isinstance(shown, (Text, str)):
            say(str(shown), err=self._is_error)
        else:
            self.terminal.print(shown, soft_wrap=True)

    @property
    def is_terminal(self) -> bool:
        """Whether what was printed can be drawn again."""
        return not self._prints_lines and self.terminal.is_terminal

    @property
    def width(self) -> int:
        """How many columns a line has that is not wrapped."""
        return _LINE_WIDTH if self._prints_lines else self.terminal.width

    @cached_property
    def terminal(self) -> Console:
        """The console of rich on the same stream."""
        from chant_mcp.commands.rich_console import make_console

        return make_console(is_error=self._is_error, prints_lines=self._prints_lines)


def console(*, for_errors: bool = False) -> Output:
    """Make the output of a command; on standard error, lines are for who reads it from a pipe or a file."""
    return Output(is_error=for_errors, prints_lines=prints_lines(for_errors=for_errors))


def print_parts(parts: Iterable[Shown], *, soft_wrap: bool = False) -> None:
    """Print the parts of an answer, one below the other."""
    out = console()
    for part in parts:
        out.print(part, soft_wrap=soft_wrap)


def show_picture(answer: Any, parts: Callable[[Data], Iterable[Shown]]) -> None:
    """Print a picture as the text that it is, or the parts that its data become for the terminal."""
    if answer.data is not None:
        print_parts(parts(answer.data))
        return
    say(answer.text, nl=False)
    if answer.note is not None:
        say(answer.note, err=True)


def notes_console() -> Output:
    """Make the output for notes on a list: standard error, if another program reads the list."""
    return console(for_errors=prints_lines())


def prints_lines(*, for_errors: bool = False) -> bool:
    """Return whether rows are printed as lines: for a pipe or a file, unless COLUMNS gives a width."""
    if MODE.line_format is not None and not for_errors:
        return MODE.line_format != "table"
    return not (MODE.has_width or (sys.stderr if for_errors else sys.stdout).isatty())


def print_rows(rows: Sequence[Data]) -> bool:
    """Print rows by the template of `--format`, a line each.

    Returns:
        Whether there is a template.

    Raises:
        click.UsageError: It names a field that the rows do not have.
    """
    form = MODE.line_format
    if form is None or form in ("table", "tsv"):
        return False
    import re

    template = form.replace("\\t", "\t").replace("\\n", "\n")
    for row in rows:

        def field(found: re.Match[str], row: Data = row) -> str:
            if found[1] not in row:
                known = ", ".join(sorted(row))
                import click

                raise click.UsageError(f"There is no field '{found[1]}'. Fields are: {known}.")
            return _field(row[found[1]])

        say(re.sub(r"\{(\w+)\}", field, template))
    return True


def _field(value: Any) -> str:
    values: list[object] = value
    if isinstance(value, list):
        return ",".join(map(_field, values))
    if isinstance(value, (dict, bool)):
        import json

        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else " ".join(str(value).split())


def rendered(text: str) -> Shown:
    """Render markdown for the terminal; for another program it stays as it is."""
    if prints_lines():
        return plain(text)
    from chant_mcp.commands.rich_console import markdown

    return markdown(text)


def plain(value: object, style: str = "") -> Text:
    """Make a cell of a value."""
    return Text(harmless(str(value)), style=style)


def mention_text(*names: str) -> Text:
    """Write whose an item is; a name that is written with an `@` of its own has that one alone."""
    return plain(f" @{', '.join(name.removeprefix('@') for name in names)}", "dim")


def status_style(status: str) -> str:
    """Give the style in which a status is written."""
    return _STATUS.get(status.lower(), "")


def status_text(status: str) -> Text:
    """Make a cell of a status, coloured."""
    return plain(status, status_style(status))


def spec_table(specs: Sequence[Data]) -> Table:
    """Make a table of specs as lists and searches give them."""
    table = Table()
    id_column(table, "ID", (spec["id"] for spec in specs))
    table.add_column("Status", no_wrap=True)
    table.add_column("Title", overflow="fold", ratio=1)
    for spec in specs:
        title = plain(spec["title"]) if spec["title"] else plain("(no title)", "dim")
        if spec["type"] != "code":
            title.append_text(plain(f" ({spec['type']})", "dim"))
        for label in spec.get("labels") or ():
            title.append_text(plain(f" #{label}", "dim"))
        if spec.get("excerpt"):
            title.append_text(plain(f"\n{spec['excerpt']}", "italic dim"))
        if (there := remote_word(spec)) is not None:
            title.append_text(there)
        table.add_row(plain(spec["id"], "bold"), status_text(spec["status"]), title)
    return table


def remote_word(row: Data) -> Text | None:
    """Say what the remote that clones share says of an item, where its file here does not say so."""
    there = row.get("on_remote")
    return None if there is None else plain(f" (on the remote: {there.replace('_', ' ')})", "yellow")


def counts_table(counts: Data) -> Table:
    """Make a table of how many specs are in each state."""
    table = Table()
    table.add_column("Status", no_wrap=True)
    table.add_column("Specs", justify="right")
    for status in _STATUS:
        if status in counts:
            table.add_row(status_text(status), plain(counts[status], "" if counts[status] else "dim"))
    if held := counts.get("held_elsewhere"):
        table.add_row(plain("held by other clones"), plain(held))
    if completed := counts.get("completed_on_remote"):
        table.add_row(plain("completed on the remote"), plain(completed))
    if doubtful := counts.get("doubtful_leases"):
        table.add_row(plain("with doubtful leases", "red"), plain(doubtful))
    table.add_section()
    table.add_row(plain("total", "bold"), plain(counts["total"], "bold"))
    return table


def activity_table(activity: Sequence[Data]) -> Table:
    """Make a table of when something last happened to specs in progress."""
    table = Table()
    id_column(table, "In progress", (entry["id"] for entry in activity))
    table.add_column("Spec changed", no_wrap=True)
    table.add_column("Log changed", no_wrap=True)
    table.add_column("Title", overflow="fold", ratio=1)
    for entry in activity:
        log = entry["log_modified"] or "no log"
        row = (entry["id"], entry["spec_modified"] or "", log, entry["title"] or "")
        table.add_row(*map(plain, row))
    return table


def finding_text(found: Data) -> Text:
    """Write a finding behind its place, as compilers do; behind its spec where no place was asked for."""
    place = found.get("path") or found["spec_id"]
    if found.get("line"):
        place = f"{place}:{found['line']}:{found['column']}"
    severity = found["severity"]
    head = plain(f"{place}: ", "bold") + plain(f"{severity} {found['rule']}", _SEVERITY.get(severity, "dim"))
    advice = f"\n  → {found['suggestion']}" if found.get("suggestion") else ""
    return head + plain(f": {found['message']}") + plain(advice, "dim")


def plugins_table(plugins: Sequence[Data]) -> Table:
    """Make a table of what other packages add."""
    table = Table()
    table.add_column("Kind", no_wrap=True)
    table.add_column("Name", no_wrap=True)
    table.add_column("Package", overflow="fold")
    table.add_column("Asked", overflow="fold", ratio=1)
    for one in plugins:
        package = f"{one['package']} {one['version']}" if one["package"] else ""
        asked = plain("yes", "green") if one["on"] else plain(f"no: {one['why_off']}", "dim")
        kind = one["kind"].replace("_", " ").removesuffix("s")
        table.add_row(plain(kind), plain(one["name"], "bold"), plain(package), asked)
    return table


def scores_table(scores: Sequence[Data]) -> Table:
    """Make a table of grades."""
    table = Table()
    id_column(table, "ID", (score["id"] for score in scores))
    headings = {"complexity": "Complexity", "confidence": "Confidence", "splittability": "Split"}
    headings["ac_quality"] = "Criteria"
    if any(score["isolation"] for score in scores):
        headings["isolation"] = "Alone"
    table.add_column("Light", no_wrap=True, min_width=6)
    for heading in headings.values():
        table.add_column(heading, overflow="fold")
    for score in scores:
        light = score["traffic_light"]
        grades = [score[key] or "-" for key in headings]
        table.add_row(
            plain(score["id"], "bold"),
            plain(light, light),
            *(plain(grade, _GRADE.get(grade, "dim")) for grade in grades),
        )
    return table


def checks_table(checks: Sequence[Data]) -> Table:
    """Make a table of a diagnosis' checks."""
    table = Table()
    table.add_column("Check", no_wrap=True)
    table.add_column("Result", no_wrap=True)
    table.add_column("Found", overflow="fold", ratio=1)
    for check in checks:
        result = plain("passed", "green") if check["passed"] else plain("failed", "bold red")
        table.add_row(plain(check["name"]), result, plain(check["details"] or ""))
    return table


def criteria_text(criteria: Data) -> Text:
    """Say how many criteria are met."""
    total, checked = criteria["total"], criteria["checked"]
    if total == 0:
        return plain("none", "dim")
    return plain(f"{checked} of {total} met", "green" if checked == total else "yellow")


def fields_table(rows: Iterable[tuple[str, Shown | None]]) -> Table:
    """Make a table of named values; those that are absent are left out."""
    table = Table(has_headings=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    for name, value in rows:
        if value is not None:
            table.add_row(name, value)
    return table


def spec_fields(spec: Data) -> Table:
    """Make a table of what one spec says beside its body."""

    def text(key: str) -> Text | None:
        return None if spec.get(key) is None else plain(spec[key])

    def each(key: str) -> Text | None:
        return lines(spec[key] or ())

    approval = spec.get("approval")
    return fields_table(
        [
            ("ID", plain(spec["id"], "bold")),
            ("Status", status_text(spec["status"])),
            ("Type", text("type")),
            ("Criteria", criteria_text(spec["criteria"])),
            ("Waiting for", lines(_wait(wait) for wait in spec["waiting_for"])),
            ("Depends on", each("depends_on")),
            (
                "Members",
                lines(
                    f"{member['id']} ({member['status'] or 'no active spec'})"
                    for member in spec.get("members", ())
                ),
            ),
            ("Labels", plain(", ".join(spec["labels"])) if spec["labels"] else None),
            ("Target files", each("target_files")),
            ("Context", each("context")),
            ("Approval", None if approval is None else plain(_approval(approval))),
            ("Prompt", text("prompt")),
            ("Model", text("model")),
            ("Branch", text("branch")),
            ("Commits", each("commits")),
            ("Completed at", text("completed_at")),
            *((key, value_text(value)) for key, value in spec.get("further", {}).items()),
            ("File", text("path")),
            ("Body from", text("body_from")),
        ]
    )


def value_text(value: Any) -> Text | None:
    """Make a cell of a value that answers know nothing of."""
    values: list[object] = value
    if isinstance(value, list):
        return lines(values)
    if isinstance(value, str):
        return plain(value)
    import json

    return plain(json.dumps(value, ensure_ascii=False))


def _wait(wait: Data) -> str:
    reason = wait["reason"].replace("_", " ")
    if wait["id"] is None:
        return reason
    via = f" of {wait['via']}" if wait.get("via") else ""
    known = [wait[key] for key in ("status", "note") if wait.get(key)]
    return f"{wait['id']} ({', '.join([reason + via, *known])})"


def _approval(approval: Data) -> str:
    by = f" by {approval['by']}" if approval["by"] else ""
    return ("required, " if approval["required"] else "") + approval["status"] + by


def lines(values: Iterable[object]) -> Text | None:
    """Make a cell with a line for each value; none without values."""
    texts = [plain(value) for value in values]
    return Text("\n").join(texts) if texts else None


def print_list(data: Data, noun: str, table: Callable[[list[Data]], Shown], when_none: str) -> None:
    """Print the rows that an answer has under a noun, what it leaves out and which files cannot be read."""
    rows: list[Data] = data[noun]
    notes = notes_console()
    if rows and not print_rows(rows):
        console().print(table(rows))
    elif data["total"] == 0:
        notes.print(when_none)
    for note in left_out(data, noun, len(rows)):
        notes.print(note, style="dim")
    if (problems := problems_block(data)) is not None:
        notes.print(problems)


def left_out(data: Data, noun: str, shown: int) -> Iterator[str]:
    """Say what a list does not show and how to get it."""
    if shown < (total := data.get("total", shown)):
        yield f"{shown} of {total} {noun} shown; --all shows the rest."
    yield from left_to_others(data)


def left_to_others(data: Data) -> Iterator[str]:
    """Say what a list leaves out because of the remote that clones share."""
    if held := data.get("held_elsewhere"):
        yield f"Other clones work on {held} more; `--held` shows them, `chant-mcp leases` says who."
    if completed := data.get("completed_on_remote"):
        yield f"Other clones completed {completed} more; `chant-mcp leases --pull` brings them here."
    if doubtful := data.get("doubtful_leases"):
        yield f"The leases of {doubtful} more cannot be read or believed; `chant-mcp leases` says why."


def problems_block(data: Data) -> Shown | None:
    """Say which files cannot be read, where an answer names some."""
    problems: list[Data] = data.get("problems") or []
    if not problems:
        return None
    said = [plain("Problems:", "bold yellow")]
    for problem in problems:
        place = f"{problem['path']}:{problem['line']}" if problem.get("line") else problem["path"]
        said.append(plain(f"  {place}: ", "yellow") + plain(problem["message"]))
    if data.get("problems_total"):
        said.append(plain(f"  … {data['problems_total']} in all", "dim"))
    return Group(*said)


def load_text(answer: Data) -> Text:
    """Say how busy accounts and machines are, a line for each; empty where there are none."""
    return plain("\n".join(load_lines(answer)), "dim")


def waiting_line(session: Session) -> Text | None:
    """Say how many things wait for a person; nothing where none does."""
    from chant_mcp.inbox import count_waiting

    count = count_waiting(session)
    if not count:
        return None
    verb = "waits" if count == 1 else "wait"
    return plain(f"{counted(count, 'thing')} {verb} for you: `chant-mcp inbox` lists them.", "bold")


def id_column(table: Table, heading: str, ids: Iterable[str]) -> None:
    """Add a column that shows IDs whole, on one line where that is possible."""
    longest = max((len(id) for id in ids), default=0)
    if longest <= _LONG_ID:
        table.add_column(heading, no_wrap=True, min_width=longest)
    else:
        table.add_column(heading, overflow="fold", min_width=_LONG_ID)
