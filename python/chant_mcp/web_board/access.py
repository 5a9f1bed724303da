"""The person at the board: a code that opens a page once, and the key that the page then shows.

Neither is a cookie: cookies know no ports, so any other server on this machine would get them. The server
keeps only hashes, and compares them in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

CODE_SECONDS = 60.0
"""Seconds for which a code opens the board."""

KEY_SECONDS = 12 * 3600.0
"""Seconds for which a key is valid."""

_BYTES = 16
"""Random bytes of a code and of a key: 128 bits."""


@dataclass(slots=True)
class _IssuedCode:
    hash: bytes
    expires: float
    key: bytes | None = None
    """The hash of the key that was given for it; none while it is unused."""


@dataclass(frozen=True, slots=True)
class PersonKey:
    """The key that a page shows with each request of a person."""

    text: str
    seconds: float
    """Seconds for which it is valid."""


class PersonAccess:
    """Codes and keys of one server.

    Example:
        >>> access = PersonAccess()
        >>> key = access.exchange_code(access.issue_code())
        >>> key is not None and access.admits(key.text)
        True
        >>> access.admits("something else")
        False
    """

    def __init__(
        self, *, now: Callable[[], float] = time.monotonic, on_reuse: Callable[[], object] | None = None
    ) -> None:
        """Issue nothing yet.

        Args:
            now: A clock, in seconds.
            on_reuse: Called when a used code is shown again: somebody else may have read it.
        """
        self._now = now
        self._on_reuse = on_reuse
        self._codes: list[_IssuedCode] = []
        self._keys: dict[bytes, float] = {}
        self._lock = threading.Lock()

    def issue_code(self) -> str:
        """Make a code that opens the board once, within a minute; unused ones before it become invalid."""
        code = secrets.token_urlsafe(_BYTES)
        with self._lock:
            expires = self._now() + CODE_SECONDS
            self._codes = [one for one in self._codes if one.key in self._keys]
            self._codes.append(_IssuedCode(_hash(code), expires))
        return code

    def exchange_code(self, code: str) -> PersonKey | None:
        """Give a key for a code.

        A code that was used before ends the session that it opened, since two parties know it.

        Returns:
            The key; none for a code that is unknown, used or too old.
        """
        with self._lock:
            issued = self._find(_hash(code))
            if issued is None or (issued.key is None and issued.expires < self._now()):
                return None
            if issued.key is None:
                text = secrets.token_urlsafe(_BYTES)
                issued.key = _hash(text)
                self._keys[issued.key] = self._now() + KEY_SECONDS
                return PersonKey(text, KEY_SECONDS)
            was_open = self._keys.pop(issued.key, None) is not None
        if was_open and self._on_reuse is not None:
            self._on_reuse()
        return None

    def admits(self, key: str) -> bool:
        """Return true for a key that is valid now."""
        sought = _hash(key)
        with self._lock:
            now = self._now()
            self._keys = {hash: expires for hash, expires in self._keys.items() if expires >= now}
            # Every key is compared, so that the time says nothing about which one it is.
            return sum(hmac.compare_digest(sought, hash) for hash in self._keys) > 0

    def _find(self, sought: bytes) -> _IssuedCode | None:
        found = [one for one in self._codes if hmac.compare_digest(sought, one.hash)]
        return found[0] if found else None


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
