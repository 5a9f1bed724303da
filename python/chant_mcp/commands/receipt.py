"""`receipt`: what completions left, whether it holds, and how it comes to other clones."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chant_mcp.commands.answers import exit_code_1, json_option
from chant_mcp.commands.asking import asks_for_trust
from chant_mcp.commands.groups import SentenceGroup
from chant_mcp.commands.persons import agent_above, run_above
from chant_mcp.commands.project_options import changes_files, on_project, refuse_read_only
from chant_mcp.commands.receipt_key import key_of_machine, line_of_signer
from chant_mcp.commands.run_names import run_name
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import counted, say, say_json

if TYPE_CHECKING:
    from chant_mcp.commands.text_layout import Shown

target_option = click.option(
    "--target",
    metavar="BRANCH",
    help="The branch that work has to be on and whose configuration counts; name it in CI: origin/main.",
)


@click.group(cls=SentenceGroup)
def receipt() -> None:
    """See, check and exchange the receipts of completed specs."""


@receipt.command()
@click.argument("id", required=False)
@json_option
@on_project
def show(session: Session, id: str | None, as_json: bool) -> None:
    """Show the receipts of a spec, or of all, oldest first."""
    answer = session.chant.receipt_show(id and run_name(session, id))
    found: Data = answer.data
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display

    out = display.console()
    for one in found["receipts"]:
        for line in _shown(one):
            out.print(line, soft_wrap=True)
    if not found["receipts"]:
        out.print("No receipts.")
    if "receipts_total" in found:
        total = f"The newest {len(found['receipts'])} of {found['receipts_total']} are shown."
        out.print(total, style="dim")


@receipt.command()
@click.argument("id", required=False)
@click.option("--all", "all_specs", is_flag=True, help="Check all completed specs, archived ones included.")
@target_option
@click.option("--rerun", is_flag=True, help="Run the checks again, confined, on the files that landed.")
@json_option
@on_project
@click.pass_context
@exit_code_1("a completed spec has no valid receipt")
def verify(
    context: click.Context,
    session: Session,
    id: str | None,
    all_specs: bool,
    target: str | None,
    rerun: bool,
    as_json: bool,
) -> None:
    """Check receipts against the repository.

    Works in any clone, offline, and runs no check unless --rerun is given. Distinguishes what the
    repository proves from what is only claimed, and says who signed it.
    """
    if (id is None) != all_specs:
        raise click.UsageError("Give the ID of a spec, or --all.")
    session.recovers = False
    if rerun:
        refuse_read_only(context)
    report = _verified(session, id, target, rerun, as_json)
    context.exit(0 if report["holds"] else 1)


@receipt.command()
@click.argument("id", required=False)
@click.option("--all", "all_specs", is_flag=True, help="Sign the receipts of all completed specs.")
@click.option(
    "--key",
    type=click.Path(dir_okay=False, exists=True, resolve_path=True),
    help="The SSH key to sign with; else the one that your git signs commits with.",
)
@click.option(
    "--rerun", is_flag=True, help="Run the checks again first, confined; needed for others' receipts."
)
@target_option
@json_option
@on_project
@changes_files
@asks_for_trust
@exit_code_1("a receipt does not hold, which is then not signed")
def sign(
    session: Session,
    id: str | None,
    all_specs: bool,
    key: str | None,
    rerun: bool,
    target: str | None,
    as_json: bool,
) -> None:
    """Sign receipts that hold with your SSH key; each signature lies beside its receipt.

    Only those are signed that this machine wrote, or whose checks it ran again. A signature says that your
    machine judged so, not that it is honest. Whose signatures count is said by .chant/allowed_signers on the
    target.
    """
    if (id is None) != all_specs:
        raise click.UsageError("Give the ID of a spec, or --all.")
    _refuse_agents(session)
    answer = session.chant.receipt_sign(
        id and run_name(session, id), key=key or _key_of_git(session.environment), target=target, reruns=rerun
    )
    found: Data = answer.data
    if as_json:
        say_json(answer.text)
    else:
        new, known = len(found["signed"]), found["known"]
        if "key" not in found and not found["refused"]:
            say("No spec is completed: nothing is signed.")
        elif "key" in found:
            say(f"{counted(new, 'receipt')} signed with {found['key']}, {known} signed before.")
        for one in found["refused"]:
            say(f"{one['spec_id']}: not signed; {one['why']}", err=True)
    if found["refused"]:
        click.get_current_context().exit(1)


@receipt.command("key")
@on_project
@changes_files
def key(session: Session) -> None:
    """Make a key for a machine without a person, such as one of CI, and say who has to know it.

    It lies in your own state folder, has no passphrase and is made once.
    """
    _refuse_agents(session)
    file = key_of_machine(session.environment)
    say("Let it sign, by a line in .chant/allowed_signers of the target:")
    say(f"  {line_of_signer(file, session.environment)}")
    say("Sign what lands on this machine, by your own configuration:")
    say(f"  landing: {{signing_key: {json.dumps(str(file))}}}")
    say(f"Or sign by hand: chant-mcp receipt sign --all --key {shlex.quote(str(file))}")


def _refuse_agents(session: Session) -> None:
    above = run_above(session.environment) or agent_above(session.environment)
    if above:
        raise click.UsageError(f"A signature is a person's, and an agent asks for it here: {above}.")


def _key_of_git(environment: Mapping[str, str]) -> str:
    """Give the key that the user's own git signs with; what a repository says does not count."""

    def setting(name: str, *kind: str) -> str:
        words = ["git", "config", "--global", "--includes", *kind, "--get", name]
        found = subprocess.run(words, env=dict(environment), capture_output=True, check=False)
        return found.stdout.decode(errors="replace").strip()

    try:
        key = setting("user.signingkey", "--type=path") if setting("gpg.format") == "ssh" else ""
    except OSError:
        key = ""
    if not Path(key).is_absolute():
        raise click.UsageError(
            "Which key? Name it with --key, such as --key ~/.ssh/id_ed25519. (Your git names the file of "
            "none: its settings gpg.format and user.signingkey.)"
        )
    return key


@receipt.command()
@click.argument("remote", required=False)
@json_option
@on_project
@changes_files
@asks_for_trust
@exit_code_1("another receipt is there under the same name")
def push(session: Session, remote: str | None, as_json: bool) -> None:
    """Bring all receipts to a remote; a different one there stays."""
    answer = session.chant.receipt_push(remote)
    _exchanged(answer.text, answer.data, as_json, "brought to")


@receipt.command()
@click.argument("remote", required=False)
@json_option
@on_project
@changes_files
@asks_for_trust
@exit_code_1("another receipt is here under the same name")
def fetch(session: Session, remote: str | None, as_json: bool) -> None:
    """Take missing receipts from a remote; a different one here stays."""
    answer = session.chant.receipt_fetch(remote)
    _exchanged(answer.text, answer.data, as_json, "taken from")


@asks_for_trust
def _verified(session: Session, id: str | None, target: str | None, rerun: bool, as_json: bool) -> Data:
    answer = session.chant.receipt_verify(id and run_name(session, id), target=target, reruns=rerun)
    show_report(answer.text, answer.data, as_json)
    return answer.data


def show_report(text: str, report: Data, as_json: bool) -> None:
    """Print what receipts came to."""
    if as_json:
        say_json(text)
        return
    from chant_mcp.commands import display

    out = display.console()
    for spec in report["specs"]:
        for line in _judged(spec):
            out.print(line, soft_wrap=True)
    failing = [spec for spec in report["specs"] if not spec["holds"]]
    asked = "asks for receipts" if report["required"] else "does not ask for receipts"
    out.print(
        display.plain(f"{len(report['specs'])} checked, {len(failing)} without a receipt that holds; ")
        + display.plain(f"{report['target']} {asked}."),
        soft_wrap=True,
    )


def _shown(one: Data) -> Iterator[Shown]:
    from chant_mcp.commands.display import plain

    yield plain(one["ref"], "bold")
    if "problem" in one:
        yield plain(f"  ✗ {one['problem']}", "red")
        return
    said: Data = one["receipt"]
    how = "by a run" if said["completed"] == "run" else "by hand"
    on = f" on {said['target']}" if "target" in said else ""
    yield plain(f"  completed {how}{on}, {said['ended_at']}")
    yield plain(f"  commit {said['commit']}  tree {said['tree']}")
    yield plain(f"  {said['criteria']['ticked']} of {said['criteria']['count']} criteria ticked")
    for check in said["checks"]:
        yield plain(f"  check {check['name']}: exit code {check['exit']} after {check['ms']} ms")
    who = [f"{key} {said[key]}" for key in ("agent", "model") if key in said]
    if who:
        yield plain(f"  {', '.join(who)}")
    for what, number in sorted(said.get("cost", {}).items()):
        yield plain(f"  cost, {what}: {number}")


def _judged(spec: Data) -> Iterator[Shown]:
    from chant_mcp.commands.display import plain

    style = "green" if spec["holds"] else "red"
    signed = f", signed by {', '.join(spec['signed_by'])}" if "signed_by" in spec else ""
    yield plain(f"{spec['spec_id']}: ", "bold") + plain(spec["verdict"] + signed, style)
    for finding in spec.get("findings", ()):
        yield plain(f"  ✗ {finding['text']}", "red")
    for one in spec["receipts"]:
        yield plain(f"  {one['ref']}")
        for line in one["derived"]:
            yield plain("    ✓ ", "green") + plain(line)
        for line in one.get("run_again", ()):
            yield plain("    ↻ ", "cyan") + plain(f"run again now: {line}")
        for line in one["claimed"]:
            yield plain(f"    ? claimed: {line}", "dim")
        for signature in one.get("signatures", ()):
            yield _signed(signature)
        for finding in one["findings"]:
            yield plain(f"    ✗ {finding['text']}", "red")


def _signed(signature: Data) -> Shown:
    from chant_mcp.commands.display import plain

    key = f" ({signature['key']})" if "key" in signature else ""
    if "by" in signature:
        return plain("    ✓ ", "green") + plain(f"signed by {signature['by']}{key}")
    return plain(f"    ? a signature{key}: {signature['why']}", "dim")


def _exchanged(text: str, found: Data, as_json: bool, how: str) -> None:
    if as_json:
        say_json(text)
    else:
        new, known = len(found["new"]), found["known"]
        say(f"Receipts {how} {found['remote']}: {new} new, {known} there already.")
        for one in found["refused"]:
            say(f"{one['ref']} stayed: {one['why']}", err=True)
    if found["refused"]:
        click.get_current_context().exit(1)
