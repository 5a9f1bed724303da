"""Lists that the core gives in pages, put together again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from chant_mcp.paging import gathered


@dataclass
class Page:
    """An answer of the core: so many of ten numbers, at most four at a time."""

    limit: int
    offset: int
    text: str = "one page"
    data: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        end = min(10, self.offset + min(4, self.limit))
        self.data = {"numbers": list(range(self.offset, end)), "next_offset": end if end < 10 else None}


@pytest.mark.parametrize("wanted", [1, 4, 6, 8, 10, 99])
def test_as_much_comes_as_is_wanted(wanted: int) -> None:
    _, data = gathered(Page, wanted, "numbers")  # type: ignore[arg-type]
    assert data["numbers"] == list(range(min(wanted, 10)))
    assert (data.get("next_offset") is None) == (wanted >= 10)
