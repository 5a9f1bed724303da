"""The page's sources without comments and without the spaces that only people need.

Names stay as they are, so an error in a browser's console is found in the sources. The sources keep to a few
habits that make this simple: a comment of a script has lines of its own, a template holds no other template,
texts stand in double quotes, and every statement ends with a semicolon or a brace.
"""

from __future__ import annotations

import re

_SCRIPT_PARTS = re.compile(
    r"""
    (?P<kept> "(?:\\.|[^"\\\n])*" | `(?:\\.|[^`\\])*`
      | (?<=[\[(,=:!&|?;{}\n][ ]) / (?![/*]) (?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+ / [a-z]*
      | (?<=[\[(!]) / (?![/*]) (?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+ / [a-z]* )
  | (?P<space> \s+ )
    """,
    re.VERBOSE,
)
"""Texts, templates and regular expressions, and spaces; all else is code."""

_COMMENT = re.compile(r"^[ ]*(//[^\n]*$|/\*\*.*?\*/)", re.MULTILINE | re.DOTALL)

_WORD = re.compile(r"[\w$#]")


def squeeze_script(source: str) -> str:
    r"""Leave out comments and spaces of a script.

    Args:
        source: A script in the habits above.

    Returns:
        The same script, shorter.

    Example:
        >>> squeeze_script('// Adds.\nconst add = (a, b) => a + b;\n')
        'const add=(a,b)=>a+b;'
    """
    pieces: list[str] = []
    end = 0
    code = _COMMENT.sub("", source)
    for found in _SCRIPT_PARTS.finditer(code):
        pieces.append(code[end : found.start()])
        end = found.end()
        # Spaces are decided on when it is known what follows them.
        pieces.append(" " if found.lastgroup == "space" else found[0])
    return _join([*pieces, code[end:]])


def _join(pieces: list[str]) -> str:
    written = ""
    out: list[str] = []
    is_apart = False
    for piece in pieces:
        if piece == " ":
            is_apart = True
        elif piece:
            if is_apart and _needs_space(written, piece):
                out.append(" ")
            out.append(piece)
            written, is_apart = piece, False
    return "".join(out)


def _needs_space(before: str, after: str) -> bool:
    if not before:
        return False
    is_word = _WORD.match(before[-1]) and _WORD.match(after[0])
    # `a + +b` is not `a++b`.
    return bool(is_word) or (before[-1] == after[0] and after[0] in "+-")


def squeeze_style(source: str) -> str:
    r"""Leave out comments and spaces of a style sheet, but the spaces that a selector or a value needs.

    Args:
        source: A style sheet without quoted texts that hold braces.

    Returns:
        The same style sheet, shorter.

    Example:
        >>> squeeze_style("/* A box. */\n.box > a { margin: 0 1px; }\n")
        '.box>a{margin:0 1px}'
    """
    text = re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)
    text = re.sub(r"\s+", " ", text)
    return re.sub(r" ?([{};,>]) ?|(:) ", r"\1\2", text).replace(";}", "}").strip()
