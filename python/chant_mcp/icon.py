"""The server's icon: a checked box between two that wait for it, for light and dark backgrounds."""

from __future__ import annotations

import base64
from typing import Any

_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    "<style>g{fill:none;stroke:#1f4e79;stroke-width:2.5;stroke-linecap:round;stroke-linejoin:round}"
    "@media(prefers-color-scheme:dark){g{stroke:#9cc9f5}}</style>"
    '<g><rect x="3" y="11" width="11" height="11" rx="2"/><path d="m5.5 16.5 2.5 2.5 4-5"/>'
    '<path d="M14 16.5h4M18 16.5V8h3M18 16.5V25h3"/><rect x="21" y="4" width="8" height="8" rx="2"/>'
    '<rect x="21" y="21" width="8" height="8" rx="2"/></g></svg>'
)

ICON: dict[str, Any] = {
    "mimeType": "image/svg+xml",
    "sizes": ["any"],
    "src": "data:image/svg+xml;base64," + base64.b64encode(_SVG.encode()).decode(),
}
"""One picture for both backgrounds, as the protocol has it."""
