"""`chant-mcp lsp` over pipes: what an editor sees, and what nobody else does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import started_process
from plans.projects import make

SPEC = ".chant/specs/2026-01-22-001-x7m.md"

FORMATS: dict[str, tuple[str, str, str, str]] = {
    "chant": (
        SPEC,
        "---\ntype: code\nstatus: pending\n---\n# Log in\n\n## Acceptance Criteria\n\n- [ ] It works\n",
        "status: pending",
        "status: pendign",
    ),
    "vine": (
        "plan.vine",
        "vine 1.0.0\n---\n[root] Shop (planning)\n-> build\n---\n[build] Build it (notstarted)\n",
        "-> build",
        "-> biuld",
    ),
    "speckit": (
        "specs/060-name/tasks.md",
        "# Tasks\n\n- [ ] T001 First\n- [ ] T002 Second (depends on T001)\n",
        "- [ ] T002",
        "- [?] T002",
    ),
    "tickets": (
        "docs/CRs/SHOP-001-first.md",
        "---\ncode: SHOP-001\ntitle: First\nstatus: Approved\ntype: Bug Fix\npriority: Low\n---\n\n# First\n",
        "priority: Low",
        "priority: Low\ndependsOn: SHOP-009",
    ),
    "kiro": (".kiro/specs/user-auth/tasks.md", "", "_Requirements: 1.1_", "_Requirements: 7.9_"),
    "backlog": ("backlog/tasks/task-2 - Keep-the-session.md", "", "[TASK-1]", "[TASK-9]"),
    "openspec": (
        "openspec/changes/add-login/specs/auth/spec.md",
        "",
        "#### Scenario: Right",
        "### Scenario: Right",
    ),
}
"""By format a document, its text where no sample has one, a sound part of it, and a faulty one."""


class ScriptedEditor:
    """A client that sends one message behind the other and reads what comes."""

    def __init__(
        self, process: subprocess.Popen[bytes], root: Path, abilities: dict[str, Any] | None = None
    ) -> None:
        """Begin with a server on a folder."""
        self.process = process
        self.root = root
        self.number = 0
        self.diagnostics: dict[str, list[Any]] = {}
        self.asked: list[Any] = []
        given = {"processId": None, "rootUri": root.as_uri(), "capabilities": abilities or {}}
        self.capabilities = self.ask("initialize", given)["capabilities"]
        self.tell("initialized", {})

    def tell(self, method: str, params: Any, **more: Any) -> None:
        """Send a notification; with an `id` a request."""
        self.send({**more, "method": method, "params": params})

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def read(self) -> Any:
        """Read the next message."""
        out = self.process.stdout
        assert out is not None
        length = int(out.readline().removeprefix(b"Content-Length: "))
        assert out.readline() == b"\r\n"
        message = json.loads(out.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics[params["uri"]] = params["diagnostics"]
        elif "method" in message:
            self.asked.append(message)
        return message

    def response(self, method: str, params: Any) -> Any:
        """Send a request and give all that is answered."""
        self.number += 1
        self.tell(method, params, id=self.number)
        while (message := self.read()).get("id") != self.number:
            pass
        return message

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and give its answer."""
        message = self.response(method, params)
        assert "error" not in message, message
        return message["result"]

    def refusal(self, method: str, params: Any) -> str:
        """Send a request that is refused, and give the reason."""
        return self.response(method, params)["error"]["message"]

    def request(self, method: str) -> Any:
        """Wait for a message of the server of one kind."""
        while not (found := [one for one in self.asked if one["method"] == method]):
            self.read()
        self.asked.remove(found[0])
        return found[0]

    def answer(self, question: Any, result: Any) -> None:
        """Answer what the server asked."""
        self.send({"id": question["id"], "result": result})

    def uri(self, path: str) -> str:
        """Name a file as editors do."""
        return (self.root / path).as_uri()

    def open(self, path: str) -> str:
        """Open a file, and give its text."""
        text = (self.root / path).read_bytes().decode()
        document = {"uri": self.uri(path), "languageId": "markdown", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return text

    def replace(self, path: str, text: str, version: int) -> None:
        """Have a document say another text."""
        document = {"uri": self.uri(path), "version": version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def wait(self, path: str, is_wanted: Any) -> list[Any]:
        """Read until the findings of a document are as wanted."""
        while not is_wanted(found := self.diagnostics.get(self.uri(path), [])):
            self.read()
        return found

    def end(self) -> int:
        """End in order, and give the exit code."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.process.wait(20)


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[ScriptedEditor]:
    """An editor on a folder with plans of all formats."""
    root = tmp_path / "work"
    root.mkdir()
    for word in ("openspec", "kiro", "backlog"):
        make(word, root)
    for path, text, _, _ in FORMATS.values():
        if text:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())
    (root / ".mdt-config.toml").write_text('[project]\nname = "Shop"\ncode = "SHOP"\n', "utf-8")
    process = started_process(
        [sys.executable, "-P", "-m", "chant_mcp", "lsp"],
        root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield ScriptedEditor(process, root)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def test_a_fault_of_every_format_is_found_in_the_text_of_the_editor_and_seen_by_nobody_else(
    editor: ScriptedEditor,
) -> None:
    for word, (path, _, sound, faulty) in FORMATS.items():
        text = editor.open(path)
        assert sound in text, word
        broken = text.replace(sound, faulty)
        before = len(editor.wait(path, lambda _: True))
        editor.replace(path, broken, 2)
        found = editor.wait(path, lambda found, before=before: len(found) > before)
        lines = broken.split("\n")
        for one in found:
            start, end = one["range"]["start"], one["range"]["end"]
            assert start != end, (word, one)
            assert end["line"] < len(lines), (word, one)
        assert (editor.root / path).read_bytes().decode() == text
        editor.replace(path, text, 3)
        editor.wait(path, lambda found, before=before: len(found) <= before)
    assert editor.end() == 0


def test_the_command_line_sees_only_what_is_saved(editor: ScriptedEditor) -> None:
    text = editor.open(SPEC)
    editor.replace(SPEC, text.replace("# Log in", "# Unsaved title"), 2)
    place = {"textDocument": {"uri": editor.uri(SPEC)}, "position": {"line": 4, "character": 3}}
    hover = editor.ask("textDocument/hover", place)
    assert "Unsaved title" in hover["contents"]["value"]
    process = started_process([sys.executable, "-P", "-m", "chant_mcp", "list", "--json"], editor.root)
    out, _ = process.communicate(timeout=60)
    assert b"Log in" in out
    assert b"Unsaved title" not in out


def test_a_tick_below_an_unsaved_text_is_told_and_both_stay(editor: ScriptedEditor) -> None:
    held = editor.open(SPEC).replace("# Log in", "# Log in at night")
    editor.replace(SPEC, held, 2)
    position = {"line": 4, "character": 3}
    place = {"textDocument": {"uri": editor.uri(SPEC)}, "position": position}
    editor.ask("textDocument/hover", place)
    process = started_process([sys.executable, "-P", "-m", "chant_mcp", "tick", "x7m", "1"], editor.root)
    process.communicate(timeout=60)
    assert process.returncode == 0
    file = editor.root / SPEC
    assert "- [x] It works" in file.read_text("utf-8")

    def of_disk(found: list[Any]) -> list[Any]:
        return [one for one in found if one["code"] == "disk"]

    [told] = of_disk(editor.wait(SPEC, of_disk))
    assert told["message"].startswith("Changed on disk: 'It works' was ticked")
    context = {"textDocument": {"uri": editor.uri(SPEC)}, "range": told["range"]}
    actions = editor.ask("textDocument/codeAction", {**context, "context": {"diagnostics": [told]}})
    [edit] = next(one for one in actions if one["title"] == "Take in what changed on disk")["edit"][
        "changes"
    ][editor.uri(SPEC)]
    assert edit["newText"] == "x"
    lines = held.splitlines(keepends=True)
    start, end = edit["range"]["start"], edit["range"]["end"]
    line = lines[start["line"]]
    lines[start["line"]] = line[: start["character"]] + "x" + line[end["character"] :]
    merged = "".join(lines)
    assert "# Log in at night" in merged
    assert "- [x] It works" in merged
    editor.replace(SPEC, merged, 3)
    editor.wait(SPEC, lambda found: not of_disk(found))


def test_the_end_of_input_ends_it(editor: ScriptedEditor) -> None:
    editor.open(SPEC)
    assert editor.process.stdin is not None
    editor.process.stdin.close()
    assert editor.process.wait(20) == 1
