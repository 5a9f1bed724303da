"""What an editor is told about runs."""

from __future__ import annotations

import subprocess
import sys

from harness import started_process
from lsp.test_lsp import ScriptedEditor
from work.conftest import _nothing_is_left as _nothing_is_left
from work.conftest import shop as shop
from work.kit import ID, Workshop


def test_a_hover_says_how_the_newest_run_stands(shop: Workshop) -> None:
    shop.spec(ID)
    shop.commit()
    shop.handle().work_start(ID)
    record = shop.ended(ID)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = started_process([sys.executable, "-P", "-m", "chant_mcp", "lsp"], shop.root, **pipes)
    editor = ScriptedEditor(process, shop.root)
    path = f".chant/specs/{ID}.md"
    text = editor.open(path)
    line = text[: text.index("\n# ") + 1].count("\n")
    place = {"textDocument": {"uri": editor.uri(path)}, "position": {"line": line, "character": 3}}
    said = editor.ask("textDocument/hover", place)["contents"]["value"]
    ended = str(record["completed_at"])
    assert f"run completed since {ended[:10]} {ended[11:16]} UTC" in said.replace("\\", ""), said
    assert editor.end() == 0
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
