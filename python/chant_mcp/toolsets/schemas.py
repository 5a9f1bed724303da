"""Schemas of tools' parameters, read off the annotations of their functions.

They are made of the standard library alone: a process that answers the first call of an agent in a run has no
time to import more.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from chant_mcp.parameters import ToolParameter, Unpack

_TYPES: dict[Any, str] = {str: "string", int: "integer", bool: "boolean", dict: "object", list: "array"}


def schema_of(run: Callable[..., Any]) -> dict[str, Any]:
    """Give the JSON Schema of a tool's arguments: an object with a property for each parameter.

    The first parameter is the session and none of the caller's. A parameter without a default is required;
    one that may be `None` is one that may be left out. Those of a `TypedDict` stand where it is unpacked.

    Args:
        run: The tool's function, its parameters annotated with `str`, `int`, `bool`, lists and dictionaries,
            or with an unpacked `TypedDict` of such.

    Returns:
        The schema, in the order of the parameters.

    Raises:
        TypeError: For a parameter of another type.
    """
    hints = get_type_hints(run, include_extras=True)
    own = list(inspect.signature(run).parameters.values())[1:]
    properties: dict[str, Any] = {}
    for one in own:
        hint = hints[one.name]
        group = get_args(hint)[0] if get_origin(hint) is Unpack else None
        found = {one.name: hint} if group is None else get_type_hints(group, include_extras=True)
        properties |= {name: _property(hint) for name, hint in found.items()}
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required := [one.name for one in own if one.default is one.empty and one.kind is not one.VAR_KEYWORD]:
        schema["required"] = required
    return schema


def published(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out lower bounds: a list is paid for by the byte, and a refusal names the bound."""
    properties = {
        name: {key: value for key, value in node.items() if key != "minimum"}
        for name, node in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def _property(hint: Any) -> dict[str, Any]:
    said = ToolParameter()
    if get_origin(hint) is Annotated:
        hint, *more = get_args(hint)
        said = next((one for one in more if isinstance(one, ToolParameter)), said)
    found = _of_type(hint) | dict(said.schema or {})
    if said.minimum is not None:
        found["minimum"] = said.minimum
    if said.description is not None:
        found["description"] = said.description
    return found


def _of_type(hint: Any) -> dict[str, Any]:
    if get_origin(hint) in (Union, types.UnionType):
        (hint,) = (arm for arm in get_args(hint) if arm is not types.NoneType)
    if get_origin(hint) is Annotated:
        return _property(hint)
    name = _TYPES.get(get_origin(hint) or hint)
    if name is None:
        raise TypeError(f"a tool's parameter cannot be {hint}")
    if name == "array":
        return {"type": name, "items": _of_type(get_args(hint)[0])}
    return {"type": name}
