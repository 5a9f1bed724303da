"""A plugin with a format: lines of `todo.txt`, `x ` before one that is done, words `id:` and `after:`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

_LINE = re.compile(r"(?P<mark>x )?(?P<title>[^\r\n]+)")


class Todo:
    """What `[project.entry-points."chant_mcp.formats"]` names."""

    scope: ClassVar = {
        "word": "todo",
        "title": "todo.txt",
        "noun": "todo",
        "plural": "todos",
        "markers": ["todo.txt"],
        "documents": ["todo.txt"],
        "intents": ["tick", "status", "title", "add"],
        "statuses": ["open", "done"],
        "example": "paint",
    }

    def read(self, path: str, text: str) -> Iterator[dict[str, Any]]:
        """Give the items of a text; places are letters of it."""
        for number, line in enumerate(_LINE.finditer(text), 1):
            words = line["title"].split()
            done = line["mark"] is not None
            yield {
                "id": next((word[3:] for word in words if word.startswith("id:")), f"l{number}"),
                "title": line["title"],
                "status": "done" if done else "open",
                "done": done,
                "span": line.span(),
                "mark": (line.start(), line.start() + 2 * done),
                "title_span": line.span("title"),
                "labels": [word[1:] for word in words if word.startswith("+")],
                "depends_on": [word[6:] for word in words if word.startswith("after:")],
            }

    def edit(self, path: str, text: str, item: str | None, intent: dict[str, Any]) -> dict[str, Any]:
        """Give what replaces which letters; an error is a refusal."""
        items = list(self.read(path, text))
        if intent["kind"] == "add":
            before = "" if not text or text.endswith("\n") else "\n"
            waits = "".join(f" after:{name}" for name in intent["depends_on"])
            line = f"{before}{intent['title']}{waits}\n"
            return {"edits": [(len(text), len(text), line)], "added": f"l{len(items) + 1}"}
        (found,) = (one for one in items if one["id"] == item)
        if intent["kind"] == "title":
            return {"edits": [(*found["title_span"], intent["text"])]}
        wanted = intent["on"] if intent["kind"] == "tick" else intent["word"] == "done"
        if wanted == found["done"]:
            return {"edits": []}
        return {"edits": [(*found["mark"], "x " if wanted else "")]}


todo = Todo()
