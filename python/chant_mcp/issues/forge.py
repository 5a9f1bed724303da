"""Asking a forge by `gh`, with the user's own login; texts travel as variables of questions."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chant_mcp.errors import RefusedError
from chant_mcp.issues.repository_name import ForgeRepository

_SECONDS = 60.0
_PAGE = 50
"""Issues of one question."""

_FIELDS = (
    "id number title body state updatedAt labels(first: 20) { nodes { name } } "
    "blockedBy(first: 20) { nodes { number } }"
)


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue as the forge has it; its texts are written by others."""

    node: str
    number: int
    title: str
    body: str
    is_open: bool
    labels: tuple[str, ...]
    blocked_by: tuple[int, ...]
    changed_at: str
    """When something of it changed last, what was said among it."""


@dataclass(frozen=True, slots=True)
class IssueComment:
    """A comment of an issue."""

    node: str
    body: str
    is_by_user: bool
    author: str
    written_at: str


class Forge:
    """The issues of one repository."""

    def __init__(self, repository: ForgeRepository, root: Path, environment: Mapping[str, str]) -> None:
        """Look for `gh`.

        Args:
            repository: Whose issues.
            root: The project, in which no program is looked for.
            environment: Variables for `gh`, and where `PATH` is looked up.

        Raises:
            RefusedError: When there is no `gh` outside of the project.
        """
        self.repository = repository
        self._environment = dict(environment)
        self._program = _program(root, environment)
        self.calls = 0

    def issues(self, numbers: Sequence[int]) -> list[Issue]:
        """Give issues by their numbers; those that are none are left out."""
        found: list[Issue] = []
        for start in range(0, len(numbers), _PAGE):
            part = numbers[start : start + _PAGE]
            asked = " ".join(f"i{number}: issue(number: {number}) {{ {_FIELDS} }}" for number in part)
            answer = self._repository(asked, "", {}, may_miss=True)
            found += [_issue(one) for one in answer.values() if one]
        return found

    def search(self, labels: Sequence[str]) -> list[Issue]:
        """Give the open issues that have one of the labels; all of them without a label."""
        found: list[Issue] = []
        cursor: str | None = None
        while True:
            variables = {"labels": list(labels) or None, "after": cursor}
            question = (
                f"issues(first: {_PAGE}, states: OPEN, labels: $labels, after: $after) "
                f"{{ nodes {{ {_FIELDS} }} pageInfo {{ hasNextPage endCursor }} }}"
            )
            page = self._repository(question, ", $labels: [String!], $after: String", variables)["issues"]
            found += [_issue(one) for one in page["nodes"]]
            if not page["pageInfo"]["hasNextPage"]:
                return found
            cursor = page["pageInfo"]["endCursor"]

    def find(self, words: str) -> list[Issue]:
        """Give the open issues that the forge's own search finds; those of other repositories are left out.

        Raises:
            RefusedError: Where it finds more than a search gives.
        """
        fields = f"... on Issue {{ {_FIELDS} repository {{ nameWithOwner }} }}"
        query = (
            "query($words: String!) { search(query: $words, type: ISSUE, first: 100) "
            f"{{ issueCount nodes {{ {fields} }} }} }}"
        )
        own = f"{self.repository.owner}/{self.repository.name}"
        found = self._ask(query, {"words": f"repo:{own} is:issue is:open {words}"})["search"]
        if found["issueCount"] > len(found["nodes"]):
            raise RefusedError(f"{found['issueCount']} issues fit; a search gives 100. Say more precisely.")
        nodes = (one for one in found["nodes"] if one)
        return [_issue(one) for one in nodes if one["repository"]["nameWithOwner"].lower() == own.lower()]

    def labels(self, beginning: str) -> dict[str, str]:
        """Give the labels of the repository whose names begin so, with what the forge calls them."""
        question = "labels(first: 100, query: $named) { nodes { id name } }"
        answer = self._repository(question, ", $named: String", {"named": beginning})
        nodes: list[dict[str, str]] = answer["labels"]["nodes"]
        return {one["name"]: one["id"] for one in nodes if one["name"].startswith(beginning)}

    def change_labels(self, issue: str, added: Sequence[str], removed: Sequence[str]) -> None:
        """Put labels on an issue, and take others off."""
        for verb, labels in (("add", added), ("remove", removed)):
            if labels:
                preposition = "To" if verb == "add" else "From"
                given = {"labelableId": issue, "labelIds": list(labels)}
                name = f"Labels{preposition}Labelable"
                self._change(f"{verb}{name}", f"{verb.title()}{name}Input", given)

    def comments(self, number: int) -> list[IssueComment]:
        """Give all comments of an issue."""
        found: list[IssueComment] = []
        cursor: str | None = None
        while True:
            question = (
                "issue(number: $number) { comments(first: 100, after: $after) "
                "{ nodes { id body viewerDidAuthor createdAt author { login } } "
                "pageInfo { hasNextPage endCursor } } }"
            )
            variables = {"number": number, "after": cursor}
            answer = self._repository(question, ", $number: Int!, $after: String", variables)
            page = answer["issue"]["comments"]
            found += [_comment(one) for one in page["nodes"]]
            if not page["pageInfo"]["hasNextPage"]:
                return found
            cursor = page["pageInfo"]["endCursor"]

    def add_comment(self, issue: str, body: str) -> None:
        """Write a comment."""
        self._change("addComment", "AddCommentInput", {"subjectId": issue, "body": body})

    def edit_comment(self, comment: str, body: str) -> None:
        """Give a comment another text."""
        self._change("updateIssueComment", "UpdateIssueCommentInput", {"id": comment, "body": body})

    def close(self, issue: str) -> None:
        """Close an issue as completed."""
        self._change("closeIssue", "CloseIssueInput", {"issueId": issue, "stateReason": "COMPLETED"})

    def _change(self, name: str, kind: str, given: Mapping[str, Any]) -> None:
        self._ask(
            f"mutation($input: {kind}!) {{ {name}(input: $input) {{ clientMutationId }} }}", {"input": given}
        )

    def _repository(
        self, asked: str, declared: str, variables: Mapping[str, Any], *, may_miss: bool = False
    ) -> dict[str, Any]:
        question = (
            f"query($owner: String!, $name: String!{declared}) "
            f"{{ repository(owner: $owner, name: $name) {{ {asked} }} }}"
        )
        named = {"owner": self.repository.owner, "name": self.repository.name, **variables}
        data = self._ask(question, named, may_miss=may_miss)
        if not data.get("repository"):
            raise RefusedError(f"{self.repository.shown} is not there, or your login may not see it.")
        return data["repository"]

    def _ask(self, query: str, variables: Mapping[str, Any], *, may_miss: bool = False) -> dict[str, Any]:
        """Ask; texts travel as JSON on standard input, never in an argument.

        Raises:
            RefusedError: When `gh` or the forge refuses.
        """
        self.calls += 1
        words = [self._program, "api", "graphql", "--hostname", self.repository.host, "--input", "-"]
        with tempfile.TemporaryDirectory() as folder:
            try:
                done = subprocess.run(
                    words,
                    cwd=folder,  # not in the project: nothing of it is read
                    env=self._environment,
                    input=json.dumps({"query": query, "variables": variables}).encode(),
                    capture_output=True,
                    timeout=_SECONDS,
                    check=False,
                )
            except subprocess.TimeoutExpired as error:
                raise RefusedError(f"gh did not answer within {_SECONDS:.0f} s.") from error
            except OSError as error:
                raise RefusedError(f"gh cannot be run: {error.strerror}") from error
        try:
            answer: dict[str, Any] = json.loads(done.stdout)
            data: dict[str, Any] | None = answer.get("data")
            errors: list[dict[str, Any]] = answer.get("errors") or []
        except (ValueError, AttributeError):
            data, errors = None, []
        missing = all(one.get("type") == "NOT_FOUND" for one in errors) and may_miss
        if data is None or (errors and not missing) or (done.returncode and not missing):
            lines = [str(one.get("message")) for one in errors] or done.stderr.decode(
                errors="replace"
            ).splitlines()
            raise RefusedError(f"{self.repository.shown}: {(lines or ['gh gave no answer'])[0][:300]}")
        return data


def _program(root: Path, environment: Mapping[str, str]) -> str:
    found = shutil.which("gh", path=environment.get("PATH", ""))
    if found is None:
        raise RefusedError(
            "Issues are reached by `gh`, which is not on the PATH. Install it, then `gh auth login`."
        )
    program = Path(found).resolve()
    if program.is_relative_to(root.resolve()) or not Path(found).is_absolute():
        raise RefusedError(f"`gh` on the PATH lies in the project: {found}. No program of a project is run.")
    return str(program)


def _comment(read: Mapping[str, Any]) -> IssueComment:
    # The author of a removed account is nobody.
    author: Mapping[str, Any] = read.get("author") or {}
    is_own = bool(read["viewerDidAuthor"])
    return IssueComment(
        read["id"], read["body"], is_own, str(author.get("login") or "ghost"), read.get("createdAt") or ""
    )


def _issue(read: Mapping[str, Any]) -> Issue:
    names: Iterable[Mapping[str, Any]] = read["labels"]["nodes"]
    relation: Mapping[str, Any] = read.get("blockedBy") or {}
    blockers: Iterable[Mapping[str, Any]] = relation.get("nodes") or ()
    return Issue(
        node=str(read["id"]),
        number=int(read["number"]),
        title=str(read["title"]),
        body=str(read["body"] or ""),
        is_open=read["state"] == "OPEN",
        labels=tuple(str(one["name"]) for one in names),
        blocked_by=tuple(int(one["number"]) for one in blockers),
        changed_at=str(read.get("updatedAt") or ""),
    )
