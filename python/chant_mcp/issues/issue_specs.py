"""Issues as specs: how their texts are written down, and where a spec says which issue it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from chant_mcp.init import files
from chant_mcp.init.config_text import scalar
from chant_mcp.issues.forge import Issue
from chant_mcp.issues.repository_name import ForgeRepository, repository_named
from chant_mcp.terminal import harmless

_BOX = re.compile(r"\s*[-*+] \[[ xX]\] (.+)")
_FENCE = re.compile(r"\s*(```|~~~)")
_LINK = re.compile(r"""issue: ["']?([^\s"'#]+)#(\d{1,9})["']?\s*""")
_MAX_LABEL = 50


@dataclass(frozen=True, slots=True)
class LinkedSpec:
    """A spec that says which issue it is."""

    id: str
    repository: ForgeRepository
    number: int


def write_source(folder: Path, repository: ForgeRepository, issues: Iterable[Issue]) -> None:
    """Write issues as specs of a project that is imported then.

    Each waits for a person's approval: its text is written by others.
    """
    specs = folder / ".chant" / "specs"
    specs.mkdir(parents=True)
    listed = list(issues)
    known = {issue.number for issue in listed}
    for issue in listed:
        (specs / f"{_id(issue.number)}.md").write_text(_document(repository, issue, known), "utf-8")


def number_of(origin: str) -> int:
    """Give the number of the issue that an imported spec comes from."""
    return int(origin.rpartition("#")[2].split("-")[3])


def linked_specs(root: Path) -> Iterator[LinkedSpec]:
    """Give the specs of a project that say which issue they are."""
    for path in sorted((root / ".chant" / "specs").glob("*.md")):
        for line in _front_matter(path.read_text("utf-8", "replace")):
            found = _LINK.fullmatch(line)
            repository = repository_named(found[1]) if found else None
            if found is not None and repository is not None:
                yield LinkedSpec(path.stem, repository, int(found[2]))


def with_link(text: str, repository: ForgeRepository, number: int | None) -> str:
    """Give the text of a spec that says which issue it is; that of none without a number."""
    line_end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    end = len(_front_matter(text)) + 1
    kept = [line for line in lines[1:end] if not line.startswith("issue:")]
    added = [] if number is None else [f"issue: {repository.shown}#{number}{line_end}"]
    return "".join([*lines[:1], *kept, *added, *lines[end:]])


def without_approval(text: str) -> str:
    """Give the text of a spec with an approval that waits for a person again."""
    lines = text.splitlines(keepends=True)
    inside = False
    for at, line in enumerate(lines[: len(_front_matter(text)) + 1]):
        if re.match(r"\S", line):
            inside = line.startswith("approval:")
            lines[at] = re.sub(r"(status: *)(approved|rejected)", r"\1pending", line) if inside else line
        elif inside:
            lines[at] = re.sub(r"^(\s+status: *)(approved|rejected)", r"\1pending", line)
    return "".join(lines)


def rewrite(root: Path, id: str, before: str, after: str) -> None:
    """Write the text of a spec, if it still says what was read.

    Raises:
        StorageError: When the disk refuses.
    """
    name = f".chant/specs/{id}.md"
    present = files.read(root, name)
    if present is not None and present == before.encode():
        files.write(root, files.FileChange(name, present, after.encode()))


def _id(number: int) -> str:
    return f"2000-01-01-{number:03}-iss"


def _document(repository: ForgeRepository, issue: Issue, known: set[int]) -> str:
    body, criteria = _body(issue.body)
    labels = [label for name in issue.labels if (label := " ".join(harmless(name).split())[:_MAX_LABEL])]
    blockers = [_id(number) for number in issue.blocked_by if number in known and number != issue.number]
    lines = [
        "---",
        "type: code",
        "status: pending",
        *_list("labels", labels),
        *_list("depends_on", blockers),
        f"issue: {repository.shown}#{issue.number}",
        "approval:",
        "  required: true",
        "  status: pending",
        "---",
        "",
        f"# {_title(issue)}",
        "",
        *([body, ""] if body else []),
    ]
    if criteria:
        lines += ["## Acceptance Criteria", "", *(f"- [ ] {one}" for one in criteria), ""]
    return "\n".join(lines)


def _title(issue: Issue) -> str:
    return _escaped(" ".join(harmless(issue.title).split())).lstrip("#").strip() or f"Issue {issue.number}"


def _body(text: str) -> tuple[str, list[str]]:
    """Split a text into what is told and what can be ticked; nothing of it steers us."""
    told: list[str] = []
    criteria: list[str] = []
    fence: str | None = None
    for line in harmless(text).replace("\r\n", "\n").split("\n"):
        mark = _FENCE.match(line)
        if mark is not None:
            fence = None if fence == mark[1] else fence or mark[1]
        box = _BOX.fullmatch(line) if fence is None else None
        if box is not None:
            criteria.append(_escaped(box[1].strip()))
        else:
            told.append(_escaped(line.rstrip()))
    shown = "\n".join(told).strip()
    # A heading of ours in a text of others would make it a section of ours.
    shown = re.sub(r"^(#{1,6})(?=\s)", r"#\1", shown, flags=re.MULTILINE)
    return shown + ("\n```" if fence == "```" else "\n~~~" if fence else ""), criteria


def _escaped(text: str) -> str:
    return text.replace("<!--", "&lt;!--").replace("-->", "--&gt;")


def _list(key: str, values: Sequence[str]) -> list[str]:
    return [f"{key}:", *(f"- {_value(value)}" for value in values)] if values else []


def _value(text: str) -> str:
    return scalar(text) if text.isascii() else json.dumps(text, ensure_ascii=False)


def _front_matter(text: str) -> list[str]:
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---":
        return []
    end = next((at for at in range(1, len(lines)) if lines[at].strip() == "---"), 1)
    return lines[1:end]
