"""Arguments of a call against a tool's schema, refused in the words of the seed (decisions 3).

The SDK's own check is lenient where we must not be (`"5"` for an integer, unknown names) and strict
where hosts are sloppy (`null` for an absent argument, `5.0` for an integer), so this one comes first.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, cast

_MOST = 2**53


class BadArguments(Exception):
    """Arguments that a tool does not take; the text says what is wrong with the first of them."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        """Say of each argument, by its name, what is wrong with it."""
        super().__init__(next(iter(fields.values())))
        self.fields = fields


def check(
    schema: Mapping[str, Any],
    arguments: Mapping[str, Any],
    missing: str = "Missing required parameter: {}",
    *,
    ill_typed_is_missing: bool = False,
) -> dict[str, Any]:
    """Give the arguments as the tool takes them.

    Args:
        schema: The tool's input schema: an object of strings, integers, booleans, objects, and lists of
            strings or objects. What objects hold is checked by the core, in the seeds' words.
        arguments: What the client sent.
        missing: What is said of an argument that is not there.
        ill_typed_is_missing: Whether that is also said of one that has to be there and is of a wrong type
            (seed speckit, "Validation Errors").

    Returns:
        The arguments that were given, whole floats as integers, `null` ones left out.

    Raises:
        BadArguments: For missing, unknown and ill-typed arguments, in this order.
    """
    properties: dict[str, dict[str, Any]] = schema.get("properties", {})
    given = {name: value for name, value in arguments.items() if value is not None}
    required: list[str] = schema.get("required", [])
    wrong = {name: missing.format(name) for name in required if name not in given}
    wrong |= {name: _unknown(name, list(properties)) for name in given if name not in properties}
    checked = {name: _checked(name, given[name], properties[name]) for name in given if name in properties}
    for name, value in checked.items():
        if not isinstance(value, BadArguments):
            continue
        wrong |= value.fields
        if ill_typed_is_missing and name in required:
            message = wrong[name].removeprefix(f"Invalid parameter '{name}': ")
            wrong[name] = f"{missing.format(name)}: {message}"
    if wrong:
        raise BadArguments(wrong)
    return checked


def _checked(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    """Give an argument as the tool takes it, or what is wrong with it."""
    try:
        return _value(name, value, schema)
    except BadArguments as error:
        return error


def _unknown(name: str, known: list[str]) -> str:
    nearest = difflib.get_close_matches(name[:100], known, n=1, cutoff=0)
    hint = f" Did you mean '{nearest[0]}'?" if nearest else " This tool takes no parameters."
    return f"Unknown parameter: {name}.{hint}"


def _value(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    wanted: str = schema["type"]
    if isinstance(wanted, list):
        return _key(name, value)
    if wanted == "integer":
        return _integer(name, value, schema.get("minimum"))
    if wanted == "boolean" and isinstance(value, bool):
        return value
    if wanted == "string" and isinstance(value, str):
        return _text(name, value)
    if wanted == "object" and isinstance(value, dict):
        return _unicode(name, cast(dict[str, Any], value))
    if wanted == "array":
        return _items(name, value, schema["items"]["type"])
    raise BadArguments({name: f"Invalid parameter '{name}': expected {wanted}, got {kind(value)}"})


def _key(name: str, value: Any) -> str:
    """Take a ticket's key: its code, or its number alone."""
    if isinstance(value, str):
        return _text(name, value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value % 1:
        raise BadArguments(
            {name: f"Invalid parameter '{name}': expected string or integer, got {kind(value)}"}
        )
    return str(_integer(name, value, 1))


def _integer(name: str, value: Any, minimum: int | None) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadArguments({name: f"Invalid parameter '{name}': expected integer, got {kind(value)}"})
    if minimum is not None and value < minimum:
        raise BadArguments(
            {name: f"Invalid parameter '{name}': expected integer of at least {minimum}, got {value}"}
        )
    if abs(value) > _MOST:
        raise BadArguments({name: f"Invalid parameter '{name}': expected integer of at most {_MOST}"})
    return value


def _items(name: str, items: Any, wanted: str) -> list[Any]:
    if not isinstance(items, list):
        raise BadArguments(
            {name: f"Invalid parameter '{name}': expected array of {wanted}s, got {kind(items)}"}
        )
    values = cast(list[Any], items)
    for at, item in enumerate(values):
        if kind(item) != wanted:
            got = f"{kind(item)} at index {at}"
            raise BadArguments({name: f"Invalid parameter '{name}': expected array of {wanted}s, got {got}"})
    return [_unicode(name, item) for item in values]


def _unicode(name: str, value: Any) -> Any:
    """Check every text inside a value."""
    if isinstance(value, str):
        return _text(name, value)
    if isinstance(value, list):
        return [_unicode(name, item) for item in cast(list[Any], value)]
    if isinstance(value, dict):
        pairs = cast(dict[str, Any], value).items()
        return {_text(name, key): _unicode(name, item) for key, item in pairs}
    return value


def _text(name: str, value: str) -> str:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise BadArguments(
            {name: f"Invalid parameter '{name}': expected Unicode text, got an unpaired surrogate"}
        ) from None
    return value


def kind(value: object) -> str:
    """Name the JSON type of a value."""
    names = {bool: "boolean", str: "string", int: "integer", float: "number", list: "array", dict: "object"}
    return next((name for python_type, name in names.items() if isinstance(value, python_type)), "null")
