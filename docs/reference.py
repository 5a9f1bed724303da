"""Builds the API reference from the docstrings: `python docs/reference.py [FOLDER]`.

Whatever the generator warns of is an error, and so is a public name without a docstring.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pdoc
import pdoc.render
from chant_mcp import Workspace
from chant_mcp.api import specs, tickets, vines
from pdoc.doc import Class, Doc, Module, Namespace

MODULES = ("chant_mcp", "chant_mcp.api", "chant_mcp.graph", "chant_mcp.what_if", "chant_mcp.picture")
"""What scripts may import, `chant_mcp.errors` among the first; all else may change without notice."""


def undocumented(namespace: Namespace[Any]) -> Iterator[str]:
    """Name what is public and has no docstring; constructors are described by their classes."""
    for module in namespace.submodules if isinstance(namespace, Module) else ():
        yield from undocumented(module)
    for member in namespace.members.values():
        if member.name.startswith("_") or _is_inherited(member, namespace):
            continue
        if not member.docstring:
            yield member.fullname
        if isinstance(member, Class):
            yield from undocumented(member)


def _is_inherited(member: Doc[Any], namespace: Namespace[Any]) -> bool:
    return isinstance(namespace, Class) and member.taken_from[1] != member.qualname


def build(folder: Path) -> None:
    """Write one page a module.

    Raises:
        SystemExit: Public names have no docstring.
        Warning: The generator finds fault with something.
    """
    missing = [name for module in MODULES for name in undocumented(Module(importlib.import_module(module)))]
    if missing:
        raise SystemExit("No docstring: " + ", ".join(missing))
    for module in (specs, tickets, vines):
        # The constructor that their handles inherit names these, and the generator looks for them here.
        vars(module).update(Mapping=Mapping, Workspace=Workspace)
    pdoc.render.configure(docformat="google", show_source=False)
    pdoc.pdoc(*MODULES, output_directory=folder)


if __name__ == "__main__":
    warnings.simplefilter("error")
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "reference")
