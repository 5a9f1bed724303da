"""`python -m bench.torture.managers`: published managers of hooks and filters, in runs of a scratch project.

Husky with commitlint, lint-staged and the tests; pre-commit; nbstripout; git-crypt. Each is installed as its
own guide says, runs get it by the recipe that `env propose` writes, and what a scripted agent does has to
land as the manager would have it. One that cannot be installed is listed as not run. Downloads some 100 MB.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from bench.wire import OURS

_MINUTES = 10 * 60
_NOTEBOOK: dict[str, Any] = {
    "cells": [
        {
            "cell_type": "code",
            "execution_count": 3,
            "id": "a",
            "metadata": {},
            "outputs": [{"name": "stdout", "output_type": "stream", "text": ["secret\n"]}],
            "source": ["1"],
        }
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
_WORK = """\
set -e
{deeds}
git add -A
git commit -q -m "feat: add what was asked for"
sed -i 's/\\[ \\]/[x]/' "$CHANT_SPEC_FILE"
git commit -q -a -m "docs: tick"
"""


class NotInstalledError(Exception):
    """A manager cannot be had on this machine."""


@dataclass(frozen=True)
class ScratchProject:
    """A project in a folder of its own, with a home of its own."""

    folder: Path

    @property
    def root(self) -> Path:
        """Where its files are."""
        return self.folder / "project"

    def run(self, *words: str, needed: bool = True) -> str:
        """Run a program in it, and give what it prints."""
        home = self.folder / "home"
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        kept |= {
            name: value for name, value in os.environ.items() if name.lower().startswith(("pip_", "npm_"))
        }
        done = subprocess.run(
            words,
            cwd=self.root,
            env={**kept, "HOME": str(home)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_MINUTES,
            check=False,
        )
        if needed and done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def write(self, name: str, text: str) -> None:
        """Write a file of it."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def commit(self, message: str) -> None:
        """Commit everything as a person does."""
        self.run("git", "add", "-A")
        self.run("git", "commit", "-q", "-m", message)

    def work(self, deeds: str, style: str) -> str:
        """Set chant up by its own commands, have a scripted agent work, and give what `work --wait` says."""
        agent = self.folder / "agent.sh"
        agent.write_text(_WORK.format(deeds=deeds), encoding="utf-8")
        own = self.folder / "home" / ".config" / "chant" / "config.md"
        own.parent.mkdir(parents=True)
        trust = f"trust: {{roots: ['{self.folder}']}}\nconfine: {{read: ['{agent}']}}"
        own.write_text(f"---\n{trust}\n---\n", encoding="utf-8")
        self.run(*OURS, "init")
        self.run(*OURS, "env", "propose", "--write", needed=False)
        config = self.root / ".chant" / "config.md"
        agents = f"agents: {{habit: {{command: [sh, '{agent}']}}}}\nlanding: {{style: {style}}}\n"
        text = config.read_text("utf-8").replace("defaults:\n", f"{agents}defaults:\n  provider: habit\n", 1)
        config.write_text(text, encoding="utf-8")
        self.run(*OURS, "add", "Add what was asked for", "--criterion", "It is there")
        self.commit("chore: set chant up")
        return self.run(*OURS, "work", "001", "--wait")


def husky(project: ScratchProject, style: str) -> None:
    """Husky's hooks run commitlint, lint-staged and the tests; prettier's changes land."""
    need("npm")
    scripts = {"prepare": "husky", "test": "node test.js"}
    package = {
        "name": "p",
        "version": "1.0.0",
        "scripts": scripts,
        "lint-staged": {"*.js": "prettier --write"},
    }
    project.write("package.json", json.dumps(package))
    project.write("test.js", "console.log('ok');\n")
    project.write(".gitignore", "node_modules\n")
    project.write("commitlint.config.mjs", "export default {extends: ['@commitlint/config-conventional']}\n")
    wanted = [
        "husky@9",
        "@commitlint/cli@19",
        "@commitlint/config-conventional@19",
        "lint-staged@15",
        "prettier@3",
    ]
    project.run("npm", "install", "--silent", "-D", *wanted)
    project.run("npx", "husky")
    project.write(".husky/commit-msg", 'npx --no -- commitlint --edit "$1"\n')
    checks = "npx lint-staged\nnpm test\n"
    project.write(".husky/pre-commit", checks)
    project.write(".husky/pre-merge-commit", "npm test\n")
    project.commit("feat: start")
    project.work('echo "const  a = 1 ;console.log( a )" > new.js', style)
    landed = project.run("git", "show", "main:new.js")
    formatted = "const a = 1;\nconsole.log(a);\n"
    check(landed == formatted or style == "merge", landed)


def pre_commit(project: ScratchProject, style: str) -> None:
    """The hook of pre-commit names the checkout's interpreter; what it refuses does not land."""
    prepared(project, "pre-commit")
    hook = "{id: syntax, name: syntax, entry: python3 -m py_compile, language: system, files: '\\.py$'}"
    project.write(".pre-commit-config.yaml", f"repos:\n- repo: local\n  hooks:\n  - {hook}\n")
    project.run(".venv/bin/pre-commit", "install", "-t", "pre-commit", "-t", "pre-merge-commit")
    project.commit("feat: start")
    project.work("echo 'y = 2' > b.py", style)
    check(project.run("git", "show", "main:b.py") == "y = 2\n", "b.py did not land")
    project.run(*OURS, "add", "Break it", "--criterion", "It is there")
    project.commit("chore: a spec")
    (project.folder / "agent.sh").write_text(_WORK.format(deeds="echo 'def' > c.py"), encoding="utf-8")
    said = project.run(*OURS, "work", "002", "--wait", needed=False)
    check("refused what was to land" in said, said)


def nbstripout(project: ScratchProject, style: str) -> None:
    """The filter names the checkout's interpreter; outputs of a notebook are in no commit."""
    prepared(project, "nbstripout")
    project.run(".venv/bin/nbstripout", "--install", "--attributes", ".gitattributes")
    project.write("a.ipynb", json.dumps(_NOTEBOOK))
    project.commit("feat: start")
    project.work(f"cat > b.ipynb <<'END'\n{json.dumps(_NOTEBOOK)}\nEND", style)
    check("secret" not in project.run("git", "show", "main:b.ipynb"), "the output landed")


def git_crypt(project: ScratchProject, style: str) -> None:
    """An unlocked checkout has unlocked runs; what lands is encrypted."""
    need("git-crypt")
    project.write(".gitattributes", "*.key filter=git-crypt diff=git-crypt\n")
    project.run("git-crypt", "init")
    project.write("a.key", "plain\n")
    project.commit("feat: start")
    project.work("grep -q plain a.key; echo secret > b.key", style)
    check((project.root / "b.key").read_text("utf-8") == "secret\n", "it is not readable in the checkout")
    check("not encrypted" not in project.run("git-crypt", "status", "b.key"), "it landed as it is")


def prepared(project: ScratchProject, package: str) -> None:
    """Give a project an environment of Python with a package."""
    project.write("requirements.txt", f"{package}\n")
    project.write(".gitignore", ".venv\n__pycache__\n")
    project.run(sys.executable, "-m", "venv", ".venv")
    project.run(".venv/bin/python", "-m", "pip", "install", "-q", "-r", "requirements.txt")


def need(program: str) -> None:
    """Leave a trial out where its program is missing."""
    if shutil.which(program) is None:
        raise NotInstalledError(program)


def check(holds: bool, said: str) -> None:
    """Fail a trial that does not hold."""
    if not holds:
        raise AssertionError(said)


TRIALS: dict[str, Callable[[ScratchProject, str], None]] = {
    "husky": husky,
    "pre-commit": pre_commit,
    "nbstripout": nbstripout,
    "git-crypt": git_crypt,
}


def main() -> None:
    """Try each manager in each style of landing; end with 1 if anything is wrong."""
    is_wrong = False
    for name, trial in TRIALS.items():
        for style in ("merge", "squash"):
            with tempfile.TemporaryDirectory(prefix="chant-managers-") as folder:
                project = ScratchProject(Path(folder).resolve())
                project.root.mkdir()
                (project.folder / "home").mkdir()
                project.run("git", "init", "-q", "-b", "main")
                project.run("git", "config", "user.name", "Ada")
                project.run("git", "config", "user.email", "ada@example.org")
                try:
                    trial(project, style)
                    said = "as in the person's own commits"
                except NotInstalledError as missing:
                    said = f"not run: there is no {missing}"
                except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
                    is_wrong, said = True, f"WRONG: {error}"
            click.echo(f"{name}, {style}: {said}")
    sys.exit(is_wrong)


if __name__ == "__main__":
    main()
