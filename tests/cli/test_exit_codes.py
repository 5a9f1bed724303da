"""Exit codes: one table in the guide has those of all commands, and each is what the command ends with."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator

import click
import pytest
from chant_mcp.cli import program
from chant_mcp.commands.answers import EXIT_CODE_1
from cli.at_work import AtWork
from cli.kit import Cli
from docs.pages import CHECKOUT

FIRST = "2026-01-22-001-x7m"
PAGE = CHECKOUT / "docs" / "guide" / "commands.md"
MARKS = "<!-- exit-codes:begin -->\n", "<!-- exit-codes:end -->"


def _commands(group: click.Group, context: click.Context) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if command.hidden:
            continue
        if isinstance(command, click.Group):
            yield from (((name, *words), one) for words, one in _commands(command, context))
        else:
            yield (name,), command


COMMANDS = dict(_commands(program, click.Context(program)))
# Those below `chant` are the same ones.
REASONS = {
    " ".join(words): " ".join(command.help.partition(EXIT_CODE_1)[2].rstrip(".\n").split())
    for words, command in COMMANDS.items()
    if command.help and EXIT_CODE_1 in command.help and words[0] != "chant"
}


def test_the_guide_has_the_exit_codes_of_all_commands() -> None:
    rows = [f"| `{name}` | {reason} |\n" for name, reason in sorted(REASONS.items())]
    table = "".join(["| Command | Exit code 1 if |\n|---|---|\n", *rows])
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    wanted = f"{before}{MARKS[0]}{table}{MARKS[1]}{after}"
    if os.environ.get("UPDATE_SNAPS"):
        PAGE.write_text(wanted, encoding="utf-8")
    assert PAGE.read_text("utf-8") == wanted
    # What else says a number is no sentence of its own.
    helps = "\n".join(command.help or "" for command in COMMANDS.values())
    assert len(re.findall(r"exit code 1", helps, re.IGNORECASE)) == helps.count(EXIT_CODE_1)


def test_every_command_refuses_what_it_does_not_know_with_exit_code_2(cli: Cli) -> None:
    for words in COMMANDS:
        assert cli.run(*words, "--no-such-option").exit_code == 2, words
        assert cli.run(*words, "--help").exit_code == 0, words


def _lint(cli: Cli) -> None:
    cli.project.spec(FIRST, depends_on=["2026-01-22-099-nop"])


def _verify(cli: Cli) -> None:
    cli.project.spec(FIRST, body="# Work\n\n## Acceptance Criteria\n\n- [ ] Done\n")


def _config(cli: Cli) -> None:
    cli.project.config("defualts: {}\n")


def _unmet(cli: Cli) -> None:
    cli.project.spec(FIRST, status="completed", body="# Work\n\n## Acceptance Criteria\n\n- [ ] Done\n")


def _broken_graph(cli: Cli) -> None:
    (cli.project.root / "plan.vine").write_text("no graph\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (_lint, ["lint"]),
        (_lint, ["lint", "x7m"]),
        (_config, ["lint"]),
        (_verify, ["verify", "x7m"]),
        (_unmet, ["diagnose", "x7m"]),
        (_config, ["config", "check"]),
        (_config, ["doctor"]),
        (_broken_graph, ["vine", "validate", "plan.vine"]),
    ],
)
def test_a_finding_is_exit_code_1_and_none_is_0(
    cli: Cli, prepare: Callable[[Cli], None], words: list[str]
) -> None:
    prepare(cli)
    assert cli.run(*words).exit_code == 1
    if words[0] != "vine":
        assert json.loads(cli(*words, "--json", code=1))


def test_one_of_something_has_no_plural(cli: Cli) -> None:
    cli.project.spec(FIRST, depends_on=["2026-01-22-099-nop"])
    assert "1 checked: 1 error, 0 warnings;" in cli("lint", code=1)


def test_warnings_alone_are_exit_code_0(cli: Cli) -> None:
    cli.project.spec(FIRST, body="# Work\n\nAs in 2026-01-22-002-abc.\n")
    cli.project.spec("2026-01-22-002-abc", body="# Other\n")
    out = cli("lint", code=0)
    assert "0 errors, " in out
    assert "2 warnings" in out or "1 warning;" in out


def test_work_that_fails_is_exit_code_1(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in", "fail")
    agents.begin()
    agents("work", "x7m", "--wait", code=1)
    agents("runs", "x7m", "-f", code=1)
