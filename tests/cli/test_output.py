"""What commands print is readable at eighty columns, without a terminal, and does nothing to one."""

from __future__ import annotations

import pytest
from chant_mcp import terminal
from chant_mcp.commands import display
from cli.kit import Cli, Start
from rich.console import Console

FIRST = "2026-01-22-001-x7m"
STEERING = "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b1m \u202egnorw"


def test_lines_stay_within_eighty_columns_and_ids_are_whole(cli: Cli) -> None:
    long = "2026-01-22-00a-k3f.12.3"
    cli.project.spec(FIRST, status="needs_attention", body="# " + "many words " * 20, type="documentation")
    cli.project.spec(long, body=f"# {'x' * 200}", depends_on=["2026-01-22-009-zzz"], labels=["l" * 50])
    for words in (["list"], ["ready"], ["lint"], ["status", "--activity"], ["search", "x"], ["show", FIRST]):
        lines = cli.run(*words).stdout.splitlines()
        assert max(map(len, lines)) <= 80, words
    text = cli("list")
    assert f"\n{FIRST} " in text
    assert f"\n{long} " in text
    assert "…" not in text


def test_an_id_too_long_for_a_line_is_folded_not_cut(cli: Cli) -> None:
    id = "an-" + "unusually-" * 12 + "long-name"
    cli.project.spec(id)
    cells = "".join(line.split(" ")[0] for line in cli("list").splitlines())
    assert id in cells


def test_there_are_no_colours_without_a_terminal(cli: Cli) -> None:
    cli.project.spec(FIRST, status="failed")
    assert "\x1b" not in cli("list") + cli("status") + cli("lint") + cli("show", FIRST)


def test_statuses_are_coloured_at_a_terminal() -> None:
    spec = {"id": FIRST, "status": "failed", "type": "code", "title": "T"}
    out = Console(force_terminal=True, color_system="standard", width=80)
    with out.capture() as printed:
        out.print(display.spec_table([spec]))
    assert "\x1b[31mfailed" in printed.get()


def test_texts_of_specs_do_not_steer_the_terminal(cli: Cli) -> None:
    cli.project.spec(FIRST, body=f"# {STEERING}\n\n{STEERING} needle\n\n- [ ] {STEERING}", labels=["l"])
    cli.project.write("2026-01-22-003-bad", f"---\nlabels: [{STEERING}\n---\n")
    for words in (["list"], ["show", FIRST], ["search", "needle"], ["lint"], ["verify", FIRST]):
        text = cli.run(*words).stdout
        assert not any(character in text for character in "\x1b\x07\x9b\u202e"), words
    assert "\N{REPLACEMENT CHARACTER}[31mred" in cli("list")


def test_texts_of_specs_are_not_taken_for_markup(cli: Cli) -> None:
    cli.project.spec(FIRST, body="# Keep [bold]brackets[/bold] and :smile:")
    assert "Keep [bold]brackets[/bold] and :smile:" in cli("list")


def test_a_log_at_a_terminal_keeps_its_colours_and_nothing_else() -> None:
    assert terminal.coloured("\x1b[31mred\x1b[0m\x1b[2J\x07") == "\x1b[31mred\x1b[0m\ufffd[2J\ufffd\x1b[0m"
    assert terminal.coloured("plain") == "plain"


def test_output_is_utf8_whatever_the_locale_says(
    cli: Cli, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.project.spec(FIRST, body="# Fähre nach Rømø 🛳")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    for words in (["list"], ["list", "--json"], ["show", "--raw", FIRST]):
        out, err = start(cli.project.root, *words).end()
        assert "Fähre nach Rømø 🛳" in out
        assert err == ""


def test_a_closed_pipe_ends_a_command_without_a_trace(cli: Cli, start: Start) -> None:
    for number in range(1_000):
        cli.project.spec(f"2026-01-22-{number:03}-abc", body=f"# {'words ' * 20}")
    for words in (["list", "--all"], ["list", "--all", "--json"], ["lint", "--all"]):
        running = start(cli.project.root, *words)
        assert running.line()
        assert running.stop_reading() == "", words


def test_an_environment_that_is_no_text_does_not_matter(
    cli: Cli, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.project.spec(FIRST)
    monkeypatch.setenv("STRANGE", "\udcff")
    out, err = start(cli.project.root, "list").end()
    assert FIRST in out
    assert err == ""
