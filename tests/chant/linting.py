"""What the tests of `chant_lint` share: findings of one rule, bodies of a size, output with a schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from chant.reading import criteria
from writing import ID

if TYPE_CHECKING:
    from harness import Caller, Project

RULES = (
    "complexity",
    "coupling",
    "type",
    "model_waste",
    "approval",
    "output",
    "dependency",
    "required",
    "title",
    "fence",
    "criteria",
    "parse",
)

SECTION = "## Acceptance Criteria\n\n"

SCHEMA = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
}

GOOD, BAD = '{"name": "x", "count": 2}', '{"count": 0}'


async def findings(call: Caller, rule: str, id: str = ID) -> list[dict[str, Any]]:
    """Give a spec's diagnostics of one rule; the same whether it is linted alone or with all."""
    alone = (await call.data("chant_lint", id=id))["diagnostics"]
    together = (await call.data("chant_lint", limit=1000))["diagnostics"]
    assert alone == [found for found in together if found["spec_id"] == id]
    for found in together:
        assert list(found) == ["spec_id", "rule", "severity", "message", "suggestion"]
        assert found["rule"] in RULES
        assert found["severity"] in ("error", "warning")
    return [found for found in alone if found["rule"] == rule]


async def messages(call: Caller, rule: str, id: str = ID) -> list[str]:
    return [found["message"] for found in await findings(call, rule, id)]


def body(items: int, words: int, *lines: str) -> str:
    """Make a body with so many criteria and white-space words."""
    text = criteria(*(f"- [ ] c{n}" for n in range(items)), title="T") + "\n" + "\n".join(lines)
    more = words - len(text.split())
    assert more >= 0, len(text.split())
    return text + "\n" + " ".join(["w"] * more)


def with_schema(project: Project, log: str | None, *, status: str = "completed", **schema: Any) -> None:
    path = project.root / ".chant" / "schemas" / "out.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**SCHEMA, **schema}), encoding="utf-8")
    project.spec(ID, status=status, output_schema=".chant/schemas/out.json")
    if log is not None:
        project.log(ID, log)
