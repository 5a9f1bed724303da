"""Repositories that a worker reads for others, within what its owner offers."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path
from typing import TypedDict

from chant_mcp._core import read_repository, update_clone
from chant_mcp.cluster.read_offer import LARGEST_ITEMS, PlaceKind, ReadOffer
from chant_mcp.errors import ChantError, RefusedError

_CREDENTIALS = re.compile(r"://[^/\s@]*@")


class RepositoryAnswer(TypedDict):
    """A repository as it travels."""

    commit: str
    result: str
    """The name under which what it holds is kept."""
    items: str | None
    """What it holds, JSON; `None` where that was not asked for."""


class RepositoryReads:
    """Reads repositories; clones of addresses lie in a folder of the worker."""

    def __init__(self, offer: ReadOffer, folder: Path) -> None:
        """Take what is offered, and the folder of clones."""
        self._offer = offer
        self._folder = folder
        self._within = [os.path.realpath(one) for one in offer.folders]
        self._lock = threading.Lock()
        self._clones: dict[str, str] = {}

    def read(self, kind: PlaceKind, place: str, *, with_items: bool) -> RepositoryAnswer:
        """Read the newest commit of a repository.

        Args:
            kind: What the place is.
            place: A folder, or an address. An address is fetched when its items are not wanted; when they
                are, they are those of the commit that was fetched.
            with_items: Whether what the commit holds is wanted, too.

        Raises:
            RefusedError: It is not offered, or cannot be read.
        """
        if kind not in ("folder", "address") or not self._offer.covers(kind, place):
            raise RefusedError("its owner does not offer to read that place (see --reads)")
        try:
            if kind == "folder":
                within = None if self._offer.is_all else self._within
                read = read_repository(place, within=within, with_items=with_items)
            else:
                read = read_repository(self._clone(place, fetches=not with_items), with_items=with_items)
        except ChantError as error:
            # A configuration of git may put credentials into an address.
            raise RefusedError(_CREDENTIALS.sub("://", error.message)) from None
        commit, result, items = read
        if items is not None and len(items) > LARGEST_ITEMS:
            raise RefusedError(f"what it holds has more than {LARGEST_ITEMS} bytes")
        return RepositoryAnswer(commit=commit, result=result, items=items)

    def _clone(self, address: str, *, fetches: bool) -> str:
        with self._lock:
            known = self._clones.get(address)
        if fetches or known is None:
            known = str(update_clone(address, self._folder))
            with self._lock:
                self._clones[address] = known
        return known
