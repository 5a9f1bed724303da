"""`lint`, `verify` and `diagnose`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from chant_mcp.api.plans import PlanItem
from chant_mcp.commands.answers import all_option, exit_code_1, json_option
from chant_mcp.commands.drift import show_drift
from chant_mcp.commands.plan_findings import has_error, plan_findings, say_findings, show_findings
from chant_mcp.commands.project_options import on_project
from chant_mcp.commands.receipt import show_report, target_option
from chant_mcp.commands.run_names import run_name, spec_name
from chant_mcp.formats import is_item_key, plan_formats_in
from chant_mcp.paging import EVERYTHING, Data, gathered, written
from chant_mcp.session import Session
from chant_mcp.terminal import counted, say_json

_SHOWN = 50
"""Findings and grades shown without `--all`."""


@click.command()
@click.argument("id", required=False)
@all_option
@json_option
@on_project
@click.pass_context
@exit_code_1("it finds an error in a spec, a plan, the configuration or a lease")
def lint(context: click.Context, session: Session, id: str | None, show_all: bool, as_json: bool) -> None:
    """Check one spec or all specs for problems, and grade them.

    Plans of other formats are checked by the rules of their own programs; ID may be the key of their item.
    """
    from chant_mcp.plugins.lint import lint_specs

    if id is not None and is_item_key(id := run_name(session, id)):
        context.exit(_say_plans(_findings_of(session, id), as_json))
    has_plans = id is None and bool(plan_formats_in(session.place.root))
    plans = plan_findings(session) if has_plans else []
    if has_plans and not (session.place.root / ".chant").is_dir():
        context.exit(_say_plans(plans, as_json))

    text, report = gathered(
        lambda limit, offset: lint_specs(session, id, limit=limit, offset=offset, places=True),
        EVERYTHING if show_all else _SHOWN,
        "diagnostics",
        "scores",
    )
    if as_json:
        say_json(written(_with_plans(report, plans)) if plans else text)
    else:
        _show_lint(report, is_one=id is not None)
        if plans:
            show_findings(plans)
    is_wrong = report["errors"] or report.get("configuration") or report.get("leases") or has_error(plans)
    context.exit(1 if is_wrong else 0)


_NO_SPECS: Data = {
    "specs_checked": 0,
    "diagnostics": [],
    "scores": [],
    **dict.fromkeys(("errors", "warnings", "green", "yellow", "red"), 0),
}
"""What is said of specs where there are none."""


def _with_plans(report: Data, findings: list[Data]) -> Data:
    """Add findings of plans to a report, named by their places instead of specs."""
    rows = [{"spec_id": f"{one['path']}:{one['line']}", "suggestion": None, **one} for one in findings]
    counts = {
        f"{name}s": report[f"{name}s"] + sum(one["severity"] == name for one in findings)
        for name in ("error", "warning")
    }
    return {**report, **counts, "diagnostics": [*report["diagnostics"], *rows]}


def _say_plans(findings: list[Data], as_json: bool) -> int:
    """Print findings in plans alone, and give the exit code."""
    if as_json:
        say_json(written(_with_plans(_NO_SPECS, findings)))
    else:
        show_findings(findings)
    return 1 if has_error(findings) else 0


def _findings_of(session: Session, key: str) -> list[Data]:
    """Find what is wrong in the documents of an item.

    Raises:
        RefusedError: Its format has no rules.
    """
    from chant_mcp.commands.edits import find_item, refused

    item = find_item(session, key)
    if not isinstance(item, PlanItem):
        raise refused(item, "has no rules to check", f"`chant-mcp show {key}` names what could not be read.")
    return [one for one in plan_findings(session) if one["path"] in item.documents]


def _show_lint(report: Data, is_one: bool) -> None:
    from chant_mcp.commands import display

    out = display.console()
    say_findings(report["diagnostics"])
    for about, sentence in _beside_specs(report):
        out.print(display.plain(f"{about}: ", "red") + display.plain(sentence))
    if report["scores"]:
        out.print(display.scores_table(report["scores"]))
    for score in report["scores"] if is_one else ():
        for suggestion in score["suggestions"]:
            out.print(display.plain(f"→ {suggestion}"))
    out.print(
        f"{report['specs_checked']} checked: {counted(report['errors'], 'error')}, "
        f"{counted(report['warnings'], 'warning')}; "
        f"{report['green']} green, {report['yellow']} yellow, {report['red']} red."
    )
    if report.get("next_offset") is not None:
        out.print("Not all findings and grades are shown; --all shows the rest.", style="dim")
    if (problems := display.problems_block(report)) is not None:
        out.print(problems)


def _beside_specs(report: Data) -> Iterator[tuple[str, str]]:
    """Say what is wrong beside specs, and with what."""
    for finding in report.get("configuration", ()):
        parts = (finding["file"], finding["line"], finding.get("column"))
        place = ":".join(str(part) for part in parts if part is not None)
        yield "configuration", f"{place}: {finding['message']}"
    for about in ("leases", "plugins"):
        for sentence in report.get(about, ()):
            yield about, sentence


@click.command()
@click.argument("id", required=False)
@click.option(
    "--all", "all_specs", is_flag=True, help="Check the receipts of all completed specs, as the target asks."
)
@click.option(
    "--drift", is_flag=True, help="Compare the lines of completed work with the target, as it is now."
)
@click.option("--exit", "exits", is_flag=True, help="With --drift: give exit code 1 if any spec is stale.")
@target_option
@json_option
@on_project
@click.pass_context
@exit_code_1(
    "a criterion is not met; with --all: a completed spec has no valid receipt, and the configuration of the "
    "target branch says `receipts: required` or `signed`; with --drift --exit: a spec is stale"
)
def verify(
    context: click.Context,
    session: Session,
    id: str | None,
    all_specs: bool,
    drift: bool,
    exits: bool,
    target: str | None,
    as_json: bool,
) -> None:
    """Check whether a spec's acceptance criteria are met.

    With --all: whether completed specs have receipts. With --drift: whether the lines of code and tests that
    completed work wrote still stand, of one spec or of all.
    """
    if drift:
        if id is not None and all_specs:
            raise click.UsageError("Give the ID of a spec, or --all.")
        session.recovers = False
        is_stale = show_drift(session, id, target, as_json)
        context.exit(1 if is_stale and exits else 0)
    if exits:
        raise click.UsageError("--exit stands beside --drift.")
    if (id is None) != all_specs or (target is not None and id is not None):
        raise click.UsageError("Give the ID of a spec, or --all, with which --target may stand.")
    if id is None:
        session.recovers = False
        receipts = session.chant.receipt_verify(target=target)
        show_report(receipts.text, receipts.data, as_json)
        context.exit(0 if receipts.data["holds"] or not receipts.data["required"] else 1)
    what = "is checked by what landed"
    id = spec_name(session, id, what, "`chant-mcp receipt verify {key}` checks its work.")
    answer = session.chant.verify(id)
    found: Data = answer.data
    if as_json:
        say_json(answer.text)
    else:
        from chant_mcp.commands import display

        out = display.console()
        word = (
            display.plain("verified", "green") if found["verified"] else display.plain("not verified", "red")
        )
        out.print(display.plain(f"{found['spec_id']}: ", "bold") + word)
        out.print(display.plain("Criteria: ") + display.criteria_text(found["criteria"]))
        for item in found["unchecked_items"]:
            out.print(display.plain(f"  {item}"))
        out.print(display.plain(found["verification_notes"]))
    context.exit(0 if found["verified"] else 1)


@click.command()
@click.argument("id")
@json_option
@on_project
@click.pass_context
@exit_code_1("a check fails")
def diagnose(context: click.Context, session: Session, id: str, as_json: bool) -> None:
    """Check a spec's file, log, lock, commits and criteria."""
    answer = session.chant.diagnose(run_name(session, id))
    found: Data = answer.data
    if as_json:
        say_json(answer.text)
    else:
        from chant_mcp.commands import display

        out = display.console()
        out.print(
            display.plain(f"{found['spec_id']} ", "bold")
            + display.status_text(found["status"])
            + display.plain(f" in {found['location']}")
        )
        out.print(display.checks_table(found["checks"]))
        out.print(display.plain(found["diagnosis"], "bold"))
        if found["suggestion"]:
            out.print(display.plain(f"→ {found['suggestion']}"))
    context.exit(0 if all(check["passed"] for check in found["checks"]) else 1)
