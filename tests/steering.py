"""Texts that would steer a terminal, and what no terminal may get of them."""

from __future__ import annotations

import re

STEERING = (
    "\x1b[2J \x1b[5;47;30m \x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\ \x1b]0;t\x07 \x1bP1q\x1b\\ "
    "\x08 \x0b \x7f "
    "\x9b31m \x9d0;t\x9c \x85 \u202egnorw\u202c \u2066in\u2069 \u200e \u2028 \u2029 \u200b \u2060 \ufeff "
    "\U000e0041\U000e007f \U000e0100 [red]marked[/red] :smile:"
)
"""A piece of whatever a terminal, or the reader in front of it, falls for."""

FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)
