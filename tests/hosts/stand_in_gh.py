"""A program that answers as `gh api graphql` does, from a file with a forge's issues; written for tests."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

_PROGRAM = """#!{python}
import json, os, re, sys
state_file = {state!r}
asked = json.load(sys.stdin)
state = json.load(open(state_file))
state["calls"].append({{"words": sys.argv[1:], "folder": os.listdir("."), **asked}})
fails = state.get("fails_at") == len(state["calls"])
query, variables = asked["query"], asked["variables"]
issues = {{one["number"]: one for one in state["issues"]}}

def shown(one):
    return {{"id": f"I_{{one['number']}}", "number": one["number"], "title": one["title"],
        "body": one["body"], "state": one.get("state", "OPEN"),
        "updatedAt": max(c.get("at", "2026-01-31T10:00:00Z") for c in [{{}}, *one.get("comments", [])]),
        "labels": {{"nodes": [{{"name": n}} for n in one.get("labels", [])]}},
        "blockedBy": {{"nodes": [{{"number": n}} for n in one.get("blocked_by", [])]}}}}

errors = []
if query.startswith("mutation"):
    given = variables["input"]
    if not fails:
        if "addComment" in query:
            number = int(given["subjectId"][2:])
            issues[number].setdefault("comments", []).append({{"body": given["body"], "mine": True}})
        elif "updateIssueComment" in query:
            _, number, at = given["id"].split("_")
            issues[int(number)]["comments"][int(at)]["body"] = given["body"]
        elif "LabelsToLabelable" in query:
            issues[int(given["labelableId"][2:])].setdefault("labels", []).extend(
                one[2:] for one in given["labelIds"])
        elif "LabelsFromLabelable" in query:
            one = issues[int(given["labelableId"][2:])]
            one["labels"] = [name for name in one["labels"] if f"L_{{name}}" not in given["labelIds"]]
        elif "closeIssue" in query:
            issues[int(given["issueId"][2:])]["state"] = "CLOSED"
    data = {{"done": {{}}}}
elif "comments(" in query:
    one = issues[variables["number"]]
    nodes = [{{"id": f"C_{{one['number']}}_{{at}}", "body": c["body"], "viewerDidAuthor": c["mine"],
        "createdAt": c.get("at", "2026-01-31T10:00:00Z"),
        "author": c.get("author") and {{"login": c["author"]}}}}
        for at, c in enumerate(one.get("comments", []))]
    data = {{"repository": {{"issue": {{"comments": {{"nodes": nodes, "pageInfo": {{"hasNextPage": False,
        "endCursor": None}}}}}}}}}}
elif "search(" in query:
    repository, _, rest = variables["words"].partition(" ")
    words = [word for word in rest.split() if ":" not in word]
    found = [one for one in state["issues"] if all(word in one["title"] + one["body"] for word in words)]
    owner = {{"repository": {{"nameWithOwner": repository[5:]}}}}
    stranger = {{**shown({{"number": 666, "title": "evil", "body": ""}}),
        "repository": {{"nameWithOwner": "evil/repo"}}}}
    nodes = [*({{**shown(one), **owner}} for one in found), {{}}, stranger][:100]
    data = {{"search": {{"issueCount": len(found) + 2, "nodes": nodes}}}}
elif "labels(first: 100" in query:
    data = {{"repository": {{"labels": {{"nodes": [
        {{"id": f"L_{{name}}", "name": name}} for name in state.get("labels", [])]}}}}}}
elif "issues(" in query:
    listed = [one for one in state["issues"] if one.get("state", "OPEN") == "OPEN"
        and (not variables["labels"] or set(variables["labels"]) & set(one.get("labels", [])))]
    start = int(variables["after"] or 0)
    page = listed[start : start + 50]
    more = start + 50 < len(listed)
    data = {{"repository": {{"issues": {{"nodes": [shown(one) for one in page],
        "pageInfo": {{"hasNextPage": more, "endCursor": str(start + 50)}}}}}}}}
else:
    numbers = [int(n) for n in re.findall(r"i(\\d+): issue", query)]
    data = {{"repository": {{f"i{{n}}": shown(issues[n]) if n in issues else None for n in numbers}}}}
    errors = [{{"type": "NOT_FOUND", "message": "no issue"}} for n in numbers if n not in issues]
json.dump(state, open(state_file, "w"))
if fails:
    sys.stderr.write("HTTP 502\\n")
    sys.exit(1)
json.dump({{"data": data, **({{"errors": errors}} if errors else {{}})}}, sys.stdout)
sys.exit(1 if errors else 0)
"""


class StandInGh:
    """A forge of one repository, and the program that reaches it."""

    def __init__(self, folder: Path) -> None:
        """Write the program into a folder of its own."""
        self.folder = folder
        self._state = folder / "state.json"
        folder.mkdir()
        self.save({"issues": [], "calls": []})
        program = folder / "gh"
        program.write_text(_PROGRAM.format(python=sys.executable, state=str(self._state)), "utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def load(self) -> dict[str, Any]:
        """Give what the forge holds, and what it was asked."""
        return json.loads(self._state.read_text("utf-8"))

    def save(self, state: dict[str, Any]) -> None:
        """Have the forge hold something else."""
        self._state.write_text(json.dumps(state), "utf-8")

    def issue(self, number: int, title: str, body: str = "", **more: Any) -> None:
        """Add an issue, or replace it."""
        state = self.load()
        state["issues"] = [one for one in state["issues"] if one["number"] != number]
        state["issues"].append({"number": number, "title": title, "body": body, **more})
        self.save(state)

    def of(self, number: int) -> dict[str, Any]:
        """Give an issue."""
        return next(one for one in self.load()["issues"] if one["number"] == number)

    @property
    def calls(self) -> list[dict[str, Any]]:
        """What it was asked."""
        return self.load()["calls"]

    def forget_calls(self, **more: Any) -> None:
        """Begin to count anew; `fails_at` is the number of a call that fails."""
        state = self.load()
        state.pop("fails_at", None)
        self.save({**state, "calls": [], **more})
