"""One envelope for what `--json` prints: the same keys whatever a folder holds, errors included."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cli.kit import Cli
from cli.ticket_files import ticket_project, write_ticket

FIRST, DONE = "2026-01-22-001-x7m", "2026-01-22-002-abc"


def _mix(cli: Cli, mix: str) -> None:
    cli.project.spec(FIRST, body="# Log in\n\n## Acceptance Criteria\n\n- [ ] Works\n")
    cli.project.spec(DONE, status="completed")
    if "tickets" in mix:
        ticket_project(cli.project.root)
        write_ticket(cli.project, 1)
    if "vine" in mix:
        text = "vine 1.2.0\n---\n[a] All of it (started)\n"
        (cli.project.root / "plan.vine").write_text(text, encoding="utf-8")
    if "features" in mix:
        folder = cli.project.root / "specs" / "060-login"
        folder.mkdir(parents=True)
        (folder / "tasks.md").write_text("- [ ] T001 Begin\n", encoding="utf-8")


MIXES = ("specs", "specs, tickets", "specs, vine", "specs, vine, features, tickets")
COMMANDS = (
    ["list"],
    ["ready"],
    ["show", FIRST],
    ["status"],
    ["search", "log"],
    ["graph"],
    ["inbox"],
    ["lint"],
    ["verify", DONE],
    ["diagnose", FIRST],
    ["runs"],
    ["config", "check"],
    ["plugins"],
)


def _envelope(cli: Cli, words: list[str]) -> dict[str, Any]:
    result = cli.run(*words, "--json")
    assert result.exit_code in (0, 1), result.output
    return json.loads(result.stdout)


def test_the_keys_are_the_same_whatever_a_folder_holds(
    cli: Cli, tmp_path_factory: pytest.TempPathFactory
) -> None:
    keys: dict[str, set[str]] = {}
    for mix in MIXES:
        root = tmp_path_factory.mktemp("mix") / "project"
        with pytest.MonkeyPatch.context() as patch:
            other = Cli(type(cli.project)(root))
            _mix(other, mix)
            patch.chdir(root)
            for words in COMMANDS:
                found = _envelope(other, words)
                assert list(found) == ["schema", "command", "ok", "data"], words
                name = next(part for part in (" ".join(words), words[0]) if part == found["command"])
                assert (found["schema"], found["ok"]) == (1, True), words
                assert keys.setdefault(name, set(found["data"])) == set(found["data"]), (mix, words)


@pytest.mark.parametrize(
    "words",
    [
        ["show", "nope"],
        ["archive", FIRST],
        ["reset", DONE],
        ["finalize", FIRST],
        ["merge", FIRST],
        ["pause", FIRST],
        ["tickets", "show", "7"],
        ["vine", "show", "none.vine"],
    ],
)
def test_an_error_is_in_the_envelope(cli: Cli, words: list[str]) -> None:
    _mix(cli, "specs, tickets")
    result = cli.run(*words, "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert list(found) == ["schema", "command", "ok", "error"]
    assert found["ok"] is False
    assert found["command"] == " ".join(words[: 2 if words[0] in ("tickets", "vine") else 1])
    assert set(found["error"]) == {"code", "message", "details"}
    assert found["error"]["message"].split()[0] in result.stderr


def test_what_changes_a_spec_answers_in_the_envelope(cli: Cli) -> None:
    _mix(cli, "specs")
    assert cli.json("archive", DONE)["message"].startswith("Archived")
    assert "cancel" in cli.json("cancel", FIRST)["message"].lower()
