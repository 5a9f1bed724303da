"""The proof that no test of clusters leaves a process behind."""

from __future__ import annotations

from work.conftest import _nothing_is_left as _nothing_is_left
