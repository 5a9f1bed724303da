"""What `typing.get_type_hints` says of public classes, as data classes' tools and notebooks ask it."""

from __future__ import annotations

import subprocess
import sys
import typing
from collections.abc import Iterator
from typing import Any

import chant_mcp
import pytest


def annotated(public: type) -> Iterator[Any]:
    """A class, its methods and the functions behind its properties."""
    yield public
    for base in public.__mro__:
        for member in vars(base).values():
            function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if getattr(function, "__annotations__", None) and function.__module__.startswith("chant_mcp"):
                yield function


@pytest.mark.requirement("api:types:hints_of_public_classes")
@pytest.mark.parametrize("name", chant_mcp.__all__)
def test_type_hints_of_public_names_are_found(name: str) -> None:
    public = getattr(chant_mcp, name)
    for function in annotated(public) if isinstance(public, type) else [public]:
        typing.get_type_hints(function)


@pytest.mark.requirement("api:types:hints_of_public_classes")
def test_type_hints_are_found_whatever_was_imported_before() -> None:
    code = "import typing; from chant_mcp import Graph; print(typing.get_type_hints(Graph.__init__))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "chant_mcp.api.workspace.Workspace" in done.stdout
