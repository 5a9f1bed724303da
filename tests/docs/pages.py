"""Pages of the guide, whose blocks are run in the order in which they stand.

What a block is, its first line says: `python` is run in one namespace a page, `bash` in a shell of its own,
`bash server` until the server says that it is there. `file=NAME` is written to a file, other `json` has to be
JSON. `text`, and whatever is marked `output`, is what the block before it prints; `...` in it stands for
anything.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import select
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

PATIENCE = 60.0
_MATCHES = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block."""

    language: str
    marks: tuple[str, ...]
    text: str
    line: int
    """The line of its fence, counted from 1."""

    @property
    def is_output(self) -> bool:
        """Whether it is what the block before it prints."""
        return self.language == "text" or "output" in self.marks

    @property
    def file(self) -> str | None:
        """The file that it is written to."""
        return next((mark.removeprefix("file=") for mark in self.marks if mark.startswith("file=")), None)


def blocks(page: Path) -> list[Block]:
    """Read the blocks of a page."""
    found: list[Block] = []
    for token in MarkdownIt().parse(page.read_text("utf-8")):
        if token.type == "fence":
            assert token.map
            language, *marks = token.info.split() or [""]
            found.append(Block(language, tuple(marks), token.content, token.map[0] + 1))
    return found


@dataclass(slots=True)
class Reader:
    """Somebody who does what a page says, in a project of their own."""

    root: Path
    environment: Mapping[str, str]
    names: dict[str, Any] = field(default_factory=dict[str, Any])

    def follow(self, page: Path) -> dict[int, str]:
        """Run a page; give what was printed otherwise than it says, by the lines of output blocks."""
        wrong: dict[int, str] = {}
        printed = ""
        for block in blocks(page):
            place = f"{page.name}:{block.line}"
            if block.is_output:
                if not doctest.OutputChecker().check_output(block.text, printed, _MATCHES):
                    wrong[block.line] = printed
            elif block.file:
                (self.root / block.file).write_text(block.text, "utf-8")
            elif block.language == "python":
                printed = self._python(block, page)
            elif block.language == "json":
                json.loads(block.text)
            elif block.language == "bash":
                printed = self._serve(block) if "server" in block.marks else self._shell(block, place)
            else:
                raise AssertionError(f"{place}: nobody tries a block of {block.language!r}")
        return wrong

    def _python(self, block: Block, page: Path) -> str:
        code = compile("\n" * block.line + block.text, str(page), "exec")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, self.names)
        return printed.getvalue()

    def _shell(self, block: Block, place: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block.text],
            cwd=self.root,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            encoding="utf-8",
        )
        assert done.returncode == 0, f"{place}: exit code {done.returncode}\n{done.stdout}"
        return done.stdout

    def _serve(self, block: Block) -> str:
        """Start a server on any free port, stop it as a user does, and give its first line."""
        command = "exec " + block.text.replace("--http", "--http 0", 1)
        process = subprocess.Popen(
            ["bash", "-c", command],
            cwd=self.root,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        try:
            assert process.stdout
            assert select.select([process.stdout], [], [], PATIENCE)[0], f"nothing came of {block.text!r}"
            line = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            rest, _ = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, line + rest
            return line
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()


def accept(page: Path, wrong: Mapping[int, str]) -> None:
    """Write what was printed into the page."""
    lines = page.read_text("utf-8").split("\n")
    for start in sorted(wrong, reverse=True):
        end = next(index for index in range(start, len(lines)) if lines[index].startswith("```"))
        lines[start:end] = [line.rstrip() for line in wrong[start].rstrip().split("\n")]
    page.write_text("\n".join(lines), "utf-8")


def environment(home: Path, programs: Path) -> dict[str, str]:
    """Variables for whoever follows a page: our programs first, nothing of this machine's settings."""
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {
        **os.environ,
        "PATH": path,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "COLUMNS": "100",
    }
