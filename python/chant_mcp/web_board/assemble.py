"""The page as it is sent: one document with its style and its script, and the policy that fits them."""

from __future__ import annotations

import base64
import functools
import hashlib
from dataclasses import dataclass
from importlib.resources import files

from chant_mcp.web_board.squeeze import squeeze_script, squeeze_style

_STYLE, _SCRIPT = "/*{style}*/", "/*{script}*/"
"""Where the parts stand in `board.html`."""

_STYLES = ("frame", "columns", "panels", "picture")

_SCRIPTS = (
    "nodes",
    "words",
    "person",
    "transport",
    "live",
    "rows",
    "acts",
    "dialogs",
    "columns",
    "filters",
    "item",
    "runs",
    "edit",
    "picture",
    "graph",
    "timeline",
    "inbox",
    "keys",
    "start",
)
"""The scripts, in the order in which they are joined to one module."""

_LATER_SCRIPTS = ("change", "adding", "review", "palette")
"""The scripts of the module that is loaded on demand."""


@dataclass(frozen=True, slots=True)
class BoardPage:
    """The board's document."""

    html: str
    policy: str
    """The content security policy for the page at its own address."""


@functools.cache
def assemble_page() -> BoardPage:
    """Put the page together, once in a process.

    Example:
        >>> page = assemble_page()
        >>> "'unsafe-inline'" in page.policy
        False
    """
    style = squeeze_style("\n".join(_read(f"{name}.css") for name in _STYLES))
    script = squeeze_script("\n".join(_read(f"{name}.js") for name in _SCRIPTS))
    html = _read("board.html").replace(_STYLE, style).replace(_SCRIPT, script)
    return BoardPage(html, _policy(script, style))


@functools.cache
def assemble_app() -> str:
    """Give the page for hosts, which load nothing later: all scripts are in it."""
    later = assemble_later().replace("export function makeLater", "function makeLater")
    page = assemble_page().html
    start = '<script type="module">'
    return page.replace(start, f"{start}{later}\n", 1)


@functools.cache
def assemble_later() -> str:
    """Give the script that the page loads when a person first adds, edits or finds something."""
    return squeeze_script("\n".join(_read(f"{name}.js") for name in _LATER_SCRIPTS))


def _read(name: str) -> str:
    return (files("chant_mcp.web_board") / "page" / name).read_text("utf-8")


def _policy(script: str, style: str) -> str:
    rules = {
        "default-src": "'none'",
        "script-src": f"{_hash(script)} 'self'",
        "style-src": _hash(style),
        "img-src": "data:",
        "connect-src": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
