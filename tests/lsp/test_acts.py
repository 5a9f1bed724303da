"""What an editor has done by the language server: runs, their logs, and nothing below an agent."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from harness import started_process, user_config
from lsp.test_lsp import ScriptedEditor
from work.conftest import _nothing_is_left as _nothing_is_left
from work.conftest import shop as shop
from work.kit import ID, Workshop

PATH = f".chant/specs/{ID}.md"


@contextmanager
def editor_on(shop: Workshop, **variables: str) -> Iterator[ScriptedEditor]:
    """Start a server for the test's project as an editor does."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    words = [sys.executable, "-P", "-m", "chant_mcp", "lsp"]
    process = started_process(words, shop.root, env={**os.environ, **variables}, **pipes)
    try:
        yield ScriptedEditor(process, shop.root, {"window": {"showDocument": {"support": True}}})
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def commands(editor: ScriptedEditor) -> dict[str, Any]:
    """Give the commands of the lenses of the spec."""
    found = editor.ask("textDocument/codeLens", {"textDocument": {"uri": editor.uri(PATH)}})
    return {one["command"]["command"]: one["command"] for one in found}


def begin(editor: ScriptedEditor, command: dict[str, Any]) -> None:
    asked = {"command": command["command"], "arguments": command["arguments"]}
    editor.ask("workspace/executeCommand", asked)


def test_a_person_starts_a_run_from_a_lens_and_sees_its_log(shop: Workshop) -> None:
    shop.spec(ID)
    shop.commit()
    shop.handle().give_trust(shop.handle().trust_report()["hash"])
    with editor_on(shop) as editor:
        editor.open(PATH)
        offered = commands(editor)
        assert {"chant-mcp.start", "chant-mcp.split"} <= set(offered)
        assert not shop.records()
        begin(editor, offered["chant-mcp.start"])
        question = editor.request("window/showMessageRequest")
        assert ID in question["params"]["message"]
        assert not shop.records(), "nothing begins before the answer"
        editor.answer(question, {"title": "Yes"})
        said = editor.request("window/showMessage")["params"]
        assert (said["type"], ID in said["message"]) == (3, True), said
        shop.ended(ID)
        offered = commands(editor)
        asked = {"command": "chant-mcp.start", "arguments": offered["chant-mcp.start"]["arguments"]}
        why = editor.refusal("workspace/executeCommand", asked)
        assert f"save {PATH} first" in why, "what the editor holds is not what the run wrote"
        begin(editor, offered["chant-mcp.log"])
        shown = editor.request("window/showDocument")
        assert shown["params"]["uri"] == (shop.root / ".chant" / "logs" / f"{ID}.log").as_uri()
        editor.answer(shown, {"success": True})
        assert editor.end() == 0


@pytest.mark.parametrize("variable", ["CHANT_RUN", "CLAUDECODE", "CODEX_SANDBOX"])
def test_below_a_run_and_in_an_agents_shell_nothing_is_offered(shop: Workshop, variable: str) -> None:
    shop.spec(ID)
    shop.commit()
    shop.handle().give_trust(shop.handle().trust_report()["hash"])
    with editor_on(shop, **{variable: "1"}) as editor:
        assert "executeCommandProvider" not in editor.capabilities
        editor.open(PATH)
        assert set(commands(editor)) == {""}
        for act in ("start", "split", "pause", "log", "preview", "approve", "trust", "merge"):
            asked = {"command": f"chant-mcp.{act}", "arguments": [f"chant:{ID}", 1]}
            assert "not offered" in editor.refusal("workspace/executeCommand", asked)
    assert not shop.records()


def test_in_a_folder_that_is_not_trusted_nothing_is_offered(shop: Workshop) -> None:
    shop.spec(ID)
    shop.commit()
    user_config().write_text("---\n---\n", encoding="utf-8")
    with editor_on(shop) as editor:
        editor.open(PATH)
        assert set(commands(editor)) == {""}
        asked = {"command": "chant-mcp.start", "arguments": [f"chant:{ID}", 1]}
        assert "not offered" in editor.refusal("workspace/executeCommand", asked)
    assert not shop.records()
