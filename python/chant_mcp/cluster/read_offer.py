"""Which repositories a worker reads for others: nothing, unless its owner says so."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal

from chant_mcp.cluster.received import as_items, as_table
from chant_mcp.errors import InvalidArgumentError

PlaceKind = Literal["folder", "address"]

LARGEST_ITEMS = 64 * 1024 * 1024
"""The bytes of what one repository holds, as they travel."""

_MOST_AT_ONCE = 64
_MOST_PLACES = 100
_LONGEST_PLACE = 4096
_BELOW = re.compile(r"[\w.~+-]+(?:/[\w.~+-]+)*/?", re.ASCII)
_NAMES_A_USER = re.compile(r"[a-z0-9+.-]+://[^/]*@", re.IGNORECASE)
_NAMES_AN_SSH_USER = re.compile(r"(?:git\+)?ssh://[^/:]*@", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReadOffer:
    """Places whose repositories a worker reads.

    A folder stands for itself and all below it. An address that ends with `/` or `:` stands for what
    begins with it, another one for itself.
    """

    folders: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    is_all: bool = False
    """Whether it reads whatever this user may read: the worker is the user's own."""
    at_once: int = 0

    def covers(self, kind: PlaceKind, place: str) -> bool:
        """Say whether a place is one of these, as it is written."""
        if self.is_all:
            return True
        if kind == "folder":
            path = PurePath(place)
            return ".." not in path.parts and any(path.is_relative_to(folder) for folder in self.folders)
        return any(_is_below(place, offered) for offered in self.addresses)

    def as_data(self) -> dict[str, Any]:
        """The offer as it travels."""
        return {
            "folders": list(self.folders),
            "addresses": list(self.addresses),
            "all": self.is_all,
            "at_once": self.at_once,
        }


NOTHING_READ = ReadOffer()
"""The offer of a worker whose owner says nothing."""


def read_offer(places: Iterable[str], *, is_all: bool = False) -> ReadOffer:
    """Read what an owner names: absolute folders, and addresses or beginnings of addresses.

    Raises:
        InvalidArgumentError: One is neither, or holds a password.
    """
    folders: list[str] = []
    addresses: list[str] = []
    for place in places:
        if PurePath(place).is_absolute():
            folders.append(os.path.normpath(place))
        elif holds_credentials(place):
            raise InvalidArgumentError(
                "An address of --reads holds a user or a password, and others see what is offered. "
                "Name it without; git asks its credential helper."
            )
        elif ":" in place and not place.startswith("-"):
            addresses.append(place)
        else:
            raise InvalidArgumentError(
                f"--reads {place} is neither an absolute folder nor an address such as https://host/team/."
            )
    offers = is_all or bool(folders or addresses)
    at_once = min(os.cpu_count() or 1, _MOST_AT_ONCE) if offers else 0
    return ReadOffer(tuple(folders), tuple(addresses), is_all, at_once)


def received_offer(value: object) -> ReadOffer:
    """Read the offer of a worker as data, bounded; without one nothing is offered."""
    sent: Mapping[str, Any] = as_table(value) or {}
    at_once = sent.get("at_once")
    at_once = at_once if isinstance(at_once, int) and not isinstance(at_once, bool) else 0
    return ReadOffer(
        folders=_places(sent.get("folders")),
        addresses=_places(sent.get("addresses")),
        is_all=sent.get("all") is True,
        at_once=max(0, min(at_once, _MOST_AT_ONCE)),
    )


def holds_credentials(address: str) -> bool:
    """Say whether an address holds a user or a password, but for the user of SSH."""
    return _NAMES_A_USER.match(address) is not None and _NAMES_AN_SSH_USER.match(address) is None


def _places(value: object) -> tuple[str, ...]:
    texts = (one for one in as_items(value)[:_MOST_PLACES] if isinstance(one, str))
    return tuple(text for text in texts if len(text) <= _LONGEST_PLACE)


def _is_below(place: str, offered: str) -> bool:
    if place == offered:
        return True
    if not offered.endswith(("/", ":")) or not place.startswith(offered):
        return False
    # What a server or a client would take for another folder is none below.
    rest = place[len(offered) :]
    return _BELOW.fullmatch(rest) is not None and not {".", ".."} & set(rest.split("/"))
