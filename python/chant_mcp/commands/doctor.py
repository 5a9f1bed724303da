"""`doctor`: what runs of agents would find here, and what they would be given."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from chant_mcp.commands.answers import exit_code_1, json_option
from chant_mcp.commands.plan_findings import plan_findings
from chant_mcp.commands.project_options import on_project
from chant_mcp.commands.text_layout import Shown
from chant_mcp.paging import Data
from chant_mcp.safe_path import relative_elements
from chant_mcp.session import Session, dialects_in
from chant_mcp.terminal import counted, say_json

_SEVERITIES = ("error", "warning", "hint")

_READS_INSTRUCTIONS = {"claude": (2, 1, 277)}
"""The first release of an agent that reads `AGENTS.md`, where earlier ones are still about."""


@click.command()
@click.option("--live", is_flag=True, help="Ask each agent's model for one answer, which costs a little.")
@click.option("--yes", is_flag=True, help="Skip the question.")
@click.option(
    "--deep", is_flag=True, help="Look for damage in all that is kept, against git, and for nothing else."
)
@click.option("--repair", is_flag=True, help="With --deep: repair what can be repaired.")
@json_option
@on_project
@click.pass_context
@exit_code_1("it finds a problem")
def doctor(
    context: click.Context, session: Session, live: bool, yes: bool, deep: bool, repair: bool, as_json: bool
) -> None:
    """Show what agents would find here: git, their programs, their environment.

    The agents that would work are started for their release, their help and their login, and once where runs
    work. No model is asked without `--live`. Values that may be secrets are not shown. A remote that clones
    share is tried with refs of its own, which are removed; nothing else is changed.

    With `--deep` receipts, refs, records, journals, locks and specs are held against git instead; `--repair`
    repairs what can be, and never removes what is whole.
    """
    session.recovers = False
    if repair and not deep:
        raise click.UsageError("--repair goes with --deep, which says what there is to repair.")
    if deep:
        context.exit(_look_deep(session, repair=repair, as_json=as_json))
    if live and not yes:
        click.confirm("Each configured agent asks its model once, which costs. Go on?", abort=True, err=True)
    found: Data = session.chant.doctor(live=live).data
    found["dialects"] = list(dialects_in(session.chant.root))
    from chant_mcp.init.host_check import check_hosts

    found["servers"] = _figures_of_servers(session)
    findings = plan_findings(session)
    found["plans"] = {f"{word}s": sum(one["severity"] == word for one in findings) for word in _SEVERITIES}
    checks = check_hosts(Path(session.chant.root), sys.executable, session.environment)
    found["hosts"] = [check.data() for check in checks]
    found["problems"] += [check.problem for check in checks if check.problem]
    found["problems"] += filter(None, map(_too_old_for_instructions, found["agents"]))
    if relative := relative_elements(session.environment.get("PYTHONPATH", "")):
        named = ", ".join(repr(place) for place in relative)
        found["problems"].append(
            f"PYTHONPATH has elements that are empty or relative ({named}): Python programs that you start "
            "in a folder run modules of that folder. Remove these elements."
        )
    if as_json:
        from chant_mcp.paging import written

        say_json(written(found))
    else:
        from chant_mcp.commands import display

        display.print_parts(_parts(found), soft_wrap=True)
    context.exit(1 if found["problems"] else 0)


def _too_old_for_instructions(agent: Data) -> str | None:
    """Say that an agent's release does not read `AGENTS.md`, in which `init` writes."""
    release = re.search(r"\d+(?:\.\d+)+", agent.get("version") or "")
    first = _READS_INSTRUCTIONS.get(agent["name"])
    if first is None or release is None or tuple(map(int, release[0].split("."))) >= first:
        return None
    wanted = ".".join(map(str, first))
    return f"Agent '{agent['name']}' {release[0]} does not read AGENTS.md: install {wanted} or later."


def _figures_of_servers(session: Session) -> list[Data]:
    """Ask the user's own servers that run in this project for their figures."""
    from chant_mcp.init.running_servers import read_figures
    from chant_mcp.user_folders import state_home

    state = state_home(session.environment)
    if state is None:
        return []
    return read_figures(Path(state) / "chant-mcp" / "servers", Path(session.chant.root))


def _look_deep(session: Session, *, repair: bool, as_json: bool) -> int:
    """Print the damage, and what became of it; return 1 where some is left."""
    found: Data = session.chant.deep_look(repair=repair).data
    left = [one for one in found["damages"] if not one["repaired"]]
    if as_json:
        from chant_mcp.paging import written

        say_json(written(found))
        return 1 if left else 0
    from chant_mcp.commands import display
    from chant_mcp.commands.display import plain

    out = display.console()
    for one in found["damages"]:
        sign = plain("✓ ", "green") if one["repaired"] else plain("✗ ", "red")
        out.print(sign + plain(f"{one['kind']}: {one['place']}"), soft_wrap=True)
        done = "repaired" if one["repaired"] else one.get("failed") or "not repaired"
        out.print(plain(f"  {one['repair']} ({done})", "dim"), soft_wrap=True)
    if not found["damages"]:
        out.print(plain("No damage was found."))
    elif left and not repair:
        out.print(plain("→ `chant-mcp doctor --deep --repair` repairs what can be repaired.", "dim"))
    return 1 if left else 0


def _parts(found: Data) -> Iterator[Shown]:
    from chant_mcp.commands.display import fields_table, lines, plain
    from chant_mcp.load_words import account_words

    git, environment = found["git"], found["environment"]
    agents = (line for one in found["agents"] for line in _agent(one))
    accounts = [account_words(one) for one in found.get("accounts", ())]
    yield fields_table(
        [
            ("Version", plain(found["version"])),
            ("Project", plain(found["root"], "bold")),
            ("Trust", plain(found["trust"])),
            ("Runs", plain(found["confinement"])),
            *([("File system", plain(found["file_system"]))] if "file_system" in found else []),
            ("Holds", plain(", ".join(found["dialects"]) or "nothing yet")),
            *([("Plans", plain(words))] if (words := _plan_words(found["plans"])) else []),
            ("Git", plain(git["program"] or "not found", "" if git["program"] else "red")),
            ("Repository", plain(git["common_dir"] or "none")),
            ("Commits by", plain(git["commits_by"] or "no one")),
            *([("Shared by", plain(found["remote"]))] if "remote" in found else []),
            ("Agents", lines(agents)),
            *([("Accounts", lines(map(plain, accounts)))] if accounts else []),
            ("Hosts", lines(_host(host) for host in found["hosts"])),
            *([("Servers", lines(map(_server, found["servers"])))] if found["servers"] else []),
            ("Also here", plain(", ".join(found["others"]) or "no other known agent")),
        ]
    )
    yield plain("\nAn agent would get these variables:", "bold")
    yield fields_table((one["name"], plain(one["shown"])) for one in environment["passed"])
    if environment["withheld"]:
        yield plain("\nNot passed, though they look like secrets:", "bold")
        yield plain(", ".join(environment["withheld"]))
        yield plain("→ `env: {pass: [NAME]}` in the configuration passes one to agents and checks.", "dim")
    for problem in found["problems"]:
        yield plain("\n✗ ", "red") + plain(problem)


def _plan_words(counts: Data) -> str:
    words = [counted(counts[f"{word}s"], word) for word in _SEVERITIES[:2] if counts[f"{word}s"]]
    return f"{', '.join(words)}; `chant-mcp lint` lists them" if words else ""


def _server(one: Data) -> str:
    if "problem" in one:
        return f"{one['url']}: {one['problem']}"
    words = [counted(one[name], name.removesuffix("s")) for name in ("sessions", "calls", "threads")]
    if "descriptors" in one:
        words += [counted(one["descriptors"], "descriptor"), f"{one['memory_megabytes']} MB"]
    return f"{one['url']}: {', '.join(words)}"


def _host(one: Data) -> str:
    how = {True: "answers", False: f"does not answer: {one['why']}", None: one["why"]}[one["works"]]
    return f"{one['file']}: {one['command']} ({how})"


def _agent(one: Data) -> Iterator[str]:
    yield f"{one['name']}: {one['path'] or one['program'] + ' (not found)'}"
    if "hello" not in one:
        return
    tested = one["tested_release"]
    yield f"  release: {one['version'] or 'not known'} ({f'run by us: {tested}' if tested else 'untested'})"
    login = {True: f"by {one['login']}", False: f"none, says {one['login']}", None: "not known"}
    yield f"  login: {login[one['logged_in']]}"
    if of_runs := one.get("login_of_runs"):
        yield f"  login of runs: {of_runs}"
    yield f"  given: {', '.join(one['passed']) or 'only what every agent gets'}"
    unknown = one["unknown_flags"]
    flags = "not known, it has no help" if unknown is None else ", ".join(unknown) or "none"
    yield f"  flags unknown to it: {flags}"
    hello = one["hello"]
    what = "answers where runs work" if hello["is_live"] else "starts where runs work"
    yield f"  {what}: {'yes' if hello['works'] else 'no: ' + hello['told']}"
