"""JSON Schemas of what commands print with `--json`: the envelope, and the `data` of each command.

The schemas of `data` are in a file. `UPDATE_SNAPS=1 pytest tests/cli/test_json_schemas.py` writes it from
what the commands print in projects of all kinds, and the same test checks that each answer fits.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

Schema = dict[str, Any]

SCHEMA_FILE = Path(__file__).parent / "resources" / "json_schemas.json"

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_KEYED_BY_DATA = frozenset({"accounts", "agents", "changed"})
"""Objects whose keys are names that people gave, not words of ours."""

_ERROR: Schema = {
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "message": {"type": "string"},
        "details": {"type": "object"},
    },
    "required": ["code", "message", "details"],
    "additionalProperties": False,
}


def schema_of(command: str) -> Schema | None:
    """Give the schema of a command's envelope; `None` for one without `--json`.

    Args:
        command: Its name, such as `tickets list`.
    """
    data = read_schemas().get(command)
    if data is None and command.startswith("chant "):
        # What stands below `chant` and above it is one command, unless it has a schema of its own.
        data = read_schemas().get(command.removeprefix("chant "))
    if data is None:
        return None
    head: Schema = {"schema": {"const": 1}, "command": {"const": command}}
    answer: Schema = {
        "properties": {**head, "ok": {"const": True}, "data": data},
        "required": ["schema", "command", "ok", "data"],
        "additionalProperties": False,
    }
    refusal: Schema = {
        "properties": {**head, "ok": {"const": False}, "error": _ERROR},
        "required": ["schema", "command", "ok", "error"],
        "additionalProperties": False,
    }
    return {"$schema": DIALECT, "type": "object", "oneOf": [answer, refusal]}


def read_schemas() -> dict[str, Schema]:
    """Read the schemas of `data` by the names of commands."""
    return json.loads(SCHEMA_FILE.read_bytes())


def infer_schema(values: list[Any], *, is_top: bool = True) -> Schema:
    """Make the schema of some values: types, and of objects the keys that all of them have.

    Args:
        values: The values.
        is_top: Whether they are answers themselves; those without a common key are different forms.
    """
    forms = _forms(values) if is_top else []
    if len(forms) > 1:
        return {"anyOf": [infer_schema(form) for form in forms]}
    types = sorted({_type_of(value) for value in values})
    if types == ["null"]:
        return {}  # its values are of a type that was not met
    if "number" in types and "integer" in types:
        types.remove("integer")
    schema: Schema = {"type": types[0] if len(types) == 1 else types}
    objects: list[dict[str, Any]] = [value for value in values if isinstance(value, dict)]
    if objects:
        names = sorted({name for one in objects for name in one})
        schema["properties"] = {
            name: _infer_property(name, [one[name] for one in objects if name in one]) for name in names
        }
        schema["required"] = [name for name in names if all(_is_always_there(name, one) for one in objects)]
    lists: list[list[Any]] = [value for value in values if isinstance(value, list)]
    items = [item for one in lists for item in one]
    if items:
        schema["items"] = infer_schema(items, is_top=False)
    return schema


def _is_always_there(name: str, one: dict[str, Any]) -> bool:
    # The last line of a log comes when its agent says something.
    return name in one and not (name == "line" and isinstance(one[name], str))


def _infer_property(name: str, values: list[Any]) -> Schema:
    objects: list[dict[str, Any]] = [value for value in values if isinstance(value, dict)]
    if name in _KEYED_BY_DATA and objects and len(objects) == len(values):
        inner = [value for one in objects for value in one.values()]
        return {"type": "object", "additionalProperties": infer_schema(inner, is_top=False)}
    return infer_schema(values, is_top=False)


def _forms(values: list[Any]) -> list[list[Any]]:
    """Part answers that have no key in common, such as those of `work` with and without `--wait`."""
    forms: list[tuple[set[str], list[Any]]] = []
    for value in values:
        keys: set[str] = set(cast("dict[str, Any]", value)) if isinstance(value, dict) else {""}
        shared = [form for form in forms if form[0] & keys]
        forms = [form for form in forms if not form[0] & keys]
        forms.append((keys.union(*(form[0] for form in shared)), [*(v for f in shared for v in f[1]), value]))
    return [found for _, found in forms]


def _type_of(value: Any) -> str:
    names = {
        bool: "boolean",
        int: "integer",
        float: "number",
        str: "string",
        list: "array",
        dict: "object",
        type(None): "null",
    }
    return names[type(value)]
