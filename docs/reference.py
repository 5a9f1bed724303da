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

import pdoc.render
from chant_mcp import Workspace
from chant_mcp.api import specs, tickets, vines
from pdoc.doc import Class, Doc, Function, Module, Namespace, Variable
from pdoc.extract import walk_specs

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


def take_types(page: Module, core: Module) -> None:
    """Give classes of the core the types of its stub, which the generator knows in their own module only."""
    for shown in page.classes:
        known = core.get(shown.name)
        if isinstance(known, Class) and known.obj is shown.obj:
            for name, typed in known.members.items():
                member = shown.members[name]
                if isinstance(member, Function) and isinstance(typed, Function):
                    member.signature = typed.signature
                elif isinstance(member, Variable) and isinstance(typed, Variable):
                    member.annotation = typed.annotation


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
    pages = {name: Module.from_name(name) for name in walk_specs(MODULES)}
    # On no page; its method `list` hides the type of that name from the generator.
    warnings.filterwarnings("ignore", r".* for chant_mcp\._core\.Workspace\.")
    core = Module.from_name("chant_mcp._core")
    for page in pages.values():
        take_types(page, core)
    pdoc.render.configure(docformat="google", show_source=False)
    for page in pages.values():
        file = folder / f"{page.fullname.replace('.', '/')}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(pdoc.render.html_module(page, pages), "utf-8")
    (folder / "index.html").write_text(pdoc.render.html_index(pages), "utf-8")
    (folder / "search.js").write_text(pdoc.render.search_index(pages), "utf-8")


if __name__ == "__main__":
    warnings.simplefilter("error")
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "reference")
