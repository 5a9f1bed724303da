"""Checks of a request in CI: what each found, as annotations, by the policy of the target branch."""

from __future__ import annotations

import json
import re
import secrets
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chant_mcp.errors import RefusedError
from chant_mcp.init.repository import Repository
from chant_mcp.paging import Data

CHECKS = ("fence", "receipts", "lint")
"""What can be asked for; nothing else is run."""

_POLICY = ".chant/config.md"
_BRANCH = re.compile(r"[A-Za-z0-9_][\w./-]{0,200}")


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """Something that a check found."""

    level: str
    """`error` or `warning`, as annotations call it."""
    title: str
    message: str
    file: str | None = None
    place: Data | None = None
    """Its line, columns and last line, as lint gives them."""

    def annotation(self) -> str:
        """Write it as the forge's runner reads it; texts of others can be no command of the runner's."""
        place = self.place or {}
        line, end = place.get("line") or 1, place.get("end_line") or 1
        where = f"file={_property(self.file)},line={line}," if self.file else ""
        if self.file and end > line:
            where += f"endLine={end},"
        elif self.file and place.get("column"):
            where += f"col={place['column']},endColumn={place['end_column']},"
        return f"::{self.level} {where}title={_property(self.title)}::{_data(self.message)}"


@dataclass(slots=True)
class CheckResult:
    """What became of one check."""

    name: str
    code: int
    findings: list[CheckFinding] = field(default_factory=list[CheckFinding])
    said: str = ""
    """What else it wrote."""


def check_request(
    root: Path,
    target: str,
    checks: Sequence[str],
    program: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
) -> list[CheckResult]:
    """Run checks on what is checked out, in a folder of their own with the configuration of the target.

    Args:
        root: The checkout of the request.
        target: The branch that the request is for, as the remote has it.
        checks: Which of `CHECKS`.
        program: Our own program.
        environment: Variables for it.
        folder: An empty folder, for the time of the checks.

    Raises:
        RefusedError: When the target is not there, or the checkout is none.
    """
    if _BRANCH.fullmatch(target) is None or ".." in target:
        raise RefusedError(f"`{target[:200]}` is no name of a branch.")
    repository = Repository(root, environment, wanted_by="ci")
    base, name = _commit_of(repository, target)
    copy = folder / "request"
    # Hooks of the runner's user do not run on a stranger's commit.
    no_hooks = ("-c", "core.hooksPath=/dev/null")
    repository.ask(*no_hooks, "worktree", "add", "--quiet", "--detach", str(copy), "HEAD")
    try:
        _use_policy(repository, base, copy)
        words: dict[str, list[str]] = {
            "fence": ["fence", "HEAD", "--target", target, "--json"],
            "receipts": ["receipt", "verify", "--all", "--target", name, "--json"],
            "lint": ["lint", "--json"],
        }
        readers: dict[str, Callable[[Data, Path], list[CheckFinding]]] = {
            "fence": _fence_findings,
            "receipts": _receipt_findings,
            "lint": _lint_findings,
        }
        return [
            _checked(name, [*program, *words[name]], copy, environment, readers[name])
            for name in CHECKS
            if name in checks
        ]
    finally:
        repository.run("worktree", "remove", "--force", str(copy))


def report(results: Sequence[CheckResult]) -> str:
    """Write annotations, and what else was said between marks that no text of others can end."""
    token = secrets.token_hex(16)
    lines: list[str] = []
    for result in results:
        lines += [finding.annotation() for finding in result.findings]
        if result.said.strip():
            lines += [f"::stop-commands::{token}", result.said.rstrip(), f"::{token}::"]
        lines.append(f"{result.name}: {'passes' if result.code == 0 else f'exit code {result.code}'}")
    return "\n".join(lines)


def summary(results: Sequence[CheckResult]) -> str:
    """Write a table for the page of the run."""
    rows = ["| Check | Result | Found |", "|---|---|---|"]
    for result in results:
        word = "passes" if result.code == 0 else "fails"
        rows.append(f"| {result.name} | {word} | {len(result.findings)} |")
    return "\n".join(rows) + "\n"


def _commit_of(repository: Repository, target: str) -> tuple[str, str]:
    for name in (f"origin/{target}", target):
        folder = "remotes" if name != target else "heads"
        done = repository.run("rev-parse", "--verify", "--quiet", f"refs/{folder}/{name}^{{commit}}")
        if done.returncode == 0:
            return done.stdout.decode().strip(), name
    raise RefusedError(f"The target `{target}` is not here: fetch it first, `git fetch origin {target}`.")


def _use_policy(repository: Repository, base: str, copy: Path) -> None:
    """Have the configuration of the target in the place of that of the request."""
    done = repository.run("cat-file", "blob", f"{base}:./{_POLICY}")
    path = copy / repository.ask("rev-parse", "--show-prefix") / _POLICY
    if path.is_symlink() or path.exists():
        path.unlink()
    if done.returncode == 0:
        if not path.parent.resolve().is_relative_to(copy.resolve()):
            raise RefusedError("`.chant` of the request is a link that leads out of it.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(done.stdout)


def _checked(
    name: str,
    words: Sequence[str],
    copy: Path,
    environment: Mapping[str, str],
    read: Callable[[Data, Path], list[CheckFinding]],
) -> CheckResult:
    done = subprocess.run(words, cwd=copy, env=dict(environment), capture_output=True, check=False)
    result = CheckResult(name, done.returncode, said=done.stderr.decode(errors="replace"))
    try:
        envelope: dict[str, Any] = json.loads(done.stdout)
        if envelope["ok"]:
            result.findings = read(envelope["data"], copy)
        else:
            result.findings = [CheckFinding("error", name, str(envelope["error"]["message"]))]
            result.code = result.code or 1
    except (ValueError, KeyError, TypeError):
        result.findings = [CheckFinding("error", name, "it gave no answer that can be read")]
        result.code = result.code or 1
    return result


def _fence_findings(data: Data, copy: Path) -> list[CheckFinding]:
    return [
        CheckFinding("error", "fence", f"{one['spec_id']}: {one['why']}", _file_of(copy, one["spec_id"]))
        for one in data["specs"]
        if not one["passes"]
    ]


def _receipt_findings(data: Data, copy: Path) -> list[CheckFinding]:
    return [
        CheckFinding(
            "error", f"receipt: {one['verdict']}", f"{one['spec_id']}: {text}", _file_of(copy, one["spec_id"])
        )
        for one in data["specs"]
        if not one["holds"]
        for text in [finding["text"] for finding in one["findings"]] or ["it does not hold"]
    ]


def _lint_findings(data: Data, copy: Path) -> list[CheckFinding]:
    found: list[CheckFinding] = []
    for one in data["diagnostics"]:
        file = one["path"] if (copy / one["path"]).is_file() else None
        message = one["message"] + (f" ({one['suggestion']})" if one["suggestion"] else "")
        level = "error" if one["severity"] == "error" else "warning"
        found.append(CheckFinding(level, f"lint: {one['rule']}", message, file, one))
    for one in data.get("configuration", ()):
        file = one["file"] if (copy / one["file"]).is_file() else None
        found.append(CheckFinding("error", "lint: configuration", one["message"], file, one))
    return found


def _file_of(copy: Path, id: str | None) -> str | None:
    name = f".chant/specs/{id}.md"
    return name if id and (copy / name).is_file() else None


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str | None) -> str:
    return _data(text or "").replace(":", "%3A").replace(",", "%2C")
