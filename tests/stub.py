"""The methods of the core as the stub spells them, keyword arguments of groups included."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chant_mcp
from chant_mcp import parameters

STUB = Path(chant_mcp.__file__).parent / "_core.pyi"

_EXAMPLES: dict[str, Any] = {"str": "x", "float": 1.0, "Sequence[Mapping[str, Any]]": []}


@dataclass(frozen=True)
class StubMethod:
    """A method of a class of the core."""

    owner: str
    name: str
    required: dict[str, Any]
    """A value for each parameter without a default."""
    own: tuple[str, ...]
    """The parameters that it spells itself."""
    group: str | None
    """The class of `chant_mcp.parameters` that has the others."""

    @property
    def group_names(self) -> tuple[str, ...]:
        """The parameters of that class, those of its bases first."""
        return () if self.group is None else tuple(getattr(parameters, self.group).__annotations__)

    @property
    def names(self) -> set[str]:
        """All parameters."""
        return {*self.own, *self.group_names}


def stub_methods(path: Path = STUB) -> Iterator[StubMethod]:
    """Read all methods of all classes but constructors."""
    for owner in ast.parse(path.read_text("utf-8")).body:
        if not isinstance(owner, ast.ClassDef):
            continue
        for node in owner.body:
            if (
                isinstance(node, ast.FunctionDef)
                and not node.name.startswith("__")
                and not node.decorator_list
            ):
                yield _method(owner.name, node)


def _method(owner: str, node: ast.FunctionDef) -> StubMethod:
    positional = node.args.args[1:]
    required = positional[: len(positional) - len(node.args.defaults)]
    pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    required = [*required, *(one for one, default in pairs if default is None)]
    examples = {one.arg: _EXAMPLES.get(ast.unparse(one.annotation or one)) for one in required}
    own = tuple(one.arg for one in (*positional, *node.args.kwonlyargs))
    others = node.args.kwarg
    group = others and ast.unparse(others.annotation or others).removeprefix("Unpack[").removesuffix("]")
    return StubMethod(owner, node.name, examples, own, group)
