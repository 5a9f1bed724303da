"""Pages of the documents, whose blocks are run in the order in which they stand, from an empty folder.

The first line of a block says what it is. `python` runs in one namespace a page, `bash` in a shell of its
own that begins in the folder where the one before ended, `bash server` until the server says that it is
there, `bash terminal` in a terminal until `q` ends it. `bash checkout` is for a checkout of this project: its
commands have to exist. `file=NAME` is written to a file; other `json` has to be JSON. `text`, and every block
that is marked `output`, is what the block before it prints; `...` in it stands for anything. What a
`bash install` block installs from a folder is a package from then on, outside of the page's folder.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from plugins.packages import build_wheel

PATIENCE = 60.0
CHECKOUT = Path(__file__).parents[2]
SAMPLE = "chant-mcp demo --sample ferry\ncd ferry\n"
"""The block with which a page makes the sample project."""
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
    """A newcomer who does what a page says, beginning in a folder of their own."""

    root: Path
    """Where the next block is run; moves as the shell does."""
    environment: Mapping[str, str]
    sample: Path | None = None
    """What the block `SAMPLE` made once; a page gets a copy."""
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
                file = self.root / block.file
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block.text, "utf-8")
            elif block.language == "python":
                printed = self._python(block, page)
            elif block.language == "json":
                json.loads(block.text)
            elif block.language == "bash":
                printed = self._run(block, place)
            else:
                raise AssertionError(f"{place}: no test runs a block of {block.language!r}")
        return wrong

    def _python(self, block: Block, page: Path) -> str:
        code = compile("\n" * block.line + block.text, str(page), "exec")
        before = Path.cwd()
        os.chdir(self.root)
        try:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(code, self.names)
        finally:
            os.chdir(before)
        return printed.getvalue()

    def _run(self, block: Block, place: str) -> str:
        if "elsewhere" in block.marks:
            return ""  # a test of its own runs it, which has what it needs
        if "checkout" in block.marks:
            check_commands(block, place)
            return ""
        if "server" in block.marks:
            return self._serve(block)
        if "install" in block.marks:
            return self._install(block)
        if "terminal" in block.marks:
            return self._quit(block, place)
        if block.text == SAMPLE and self.sample:
            self.root = Path(shutil.copytree(self.sample, self.root / "ferry", symlinks=True))
            return ""
        return self._shell(block, place)

    def _install(self, block: Block) -> str:
        """Install the package of a folder as `pip install FOLDER` does; nothing is fetched to build it."""
        (folder,) = re.fullmatch(r"pip install \./(\S+)\n", block.text).groups()  # type: ignore[union-attr]
        site = self.root.with_name("site")
        wheel = build_wheel(self.root / folder, self.root.parent)
        options = ["--quiet", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", str(site)]
        subprocess.run([sys.executable, "-m", "pip", "install", *options, str(wheel)], check=True)
        path = os.pathsep.join(filter(None, [str(site), self.environment.get("PYTHONPATH")]))
        self.environment = {**self.environment, "PYTHONPATH": path}
        return ""

    def _shell(self, block: Block, place: str) -> str:
        reader, writer = os.pipe()
        with os.fdopen(reader, encoding="utf-8") as where:
            try:
                done = subprocess.run(
                    ["bash", "-euo", "pipefail", "-c", f"{block.text}\npwd >&{writer}"],
                    cwd=self.root,
                    env=self.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    pass_fds=(writer,),
                    timeout=PATIENCE,
                    encoding="utf-8",
                )
            finally:
                os.close(writer)
            assert done.returncode == 0, f"{place}: exit code {done.returncode}\n{done.stdout}"
            # A program in the background may hold the pipe open, so only a line is read.
            self.root = Path(where.readline().rstrip("\n"))
        return done.stdout

    def _quit(self, block: Block, place: str) -> str:
        """Run a program of the terminal, press `q` when it shows something, and see it end well."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            ["bash", "-c", "exec " + block.text],
            cwd=self.root,
            env={**self.environment, "TERM": "xterm-256color"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        shown = b""
        try:
            with contextlib.suppress(OSError):  # the program has ended
                while select.select([ours], [], [], PATIENCE)[0] and (got := os.read(ours, 65_536)):
                    shown += got
                    os.write(ours, b"q")
            assert process.wait(PATIENCE) == 0, f"{place}: {shown[-2_000:]!r}"
            assert shown, f"{place} shows nothing"
            return ""
        finally:
            os.close(ours)
            if process.poll() is None:
                process.kill()
                process.wait()

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


def check_commands(block: Block, place: str) -> None:
    """Check that the commands for a checkout of this project are there, without building it once more."""
    targets = set(re.findall(r"^([a-z-]+):", (CHECKOUT / "Makefile").read_text("utf-8"), re.M))
    extras = set(metadata("chant_mcp").get_all("Provides-Extra") or ())
    for line in block.text.splitlines():
        match shlex.split(line, comments=True):
            case ["make", target]:
                assert target in targets, f"{place}: the Makefile has no {target!r}"
            case ["pip", "install", package]:
                found = re.fullmatch(r"\.(?:\[([a-z,]+)\])?", package)
                assert found, f"{place}: {package!r} is no checkout"
                assert set((found[1] or "").split(",")) <= extras | {""}, f"{place}: no extra {package!r}"
            case [program]:
                assert os.access(CHECKOUT / program, os.X_OK), f"{place}: {program!r} is no program"
            case other:
                raise AssertionError(f"{place}: no test knows how to check {other}")


def accept(page: Path, wrong: Mapping[int, str]) -> None:
    """Write what was printed into the page."""
    lines = page.read_text("utf-8").split("\n")
    for start in sorted(wrong, reverse=True):
        end = next(index for index in range(start, len(lines)) if lines[index].startswith("```"))
        lines[start:end] = [line.rstrip() for line in wrong[start].rstrip().split("\n")]
    page.write_text("\n".join(lines), "utf-8")


def environment(home: Path, programs: Path) -> dict[str, str]:
    """Variables for a newcomer who follows a page: our programs first, nothing of this machine's settings."""
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {
        **os.environ,
        "PATH": path,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "COLUMNS": "100",
    }
