"""Whether somebody is still at the other end of a pipe: the kernel knows before anything is read or written.

It needs only the standard library, and little of it, as `connect.py` does.
"""

from __future__ import annotations

import select


def has_writer(fd: int) -> bool:
    """Return whether somebody may still write what is read here; where that cannot be asked, yes."""
    # One side of a socket can be closed by itself; only Linux reports that.
    return not _has_events(fd, getattr(select, "POLLRDHUP", 0))


def has_reader(fd: int) -> bool:
    """Return whether somebody may still read what is written here; where that cannot be asked, yes."""
    return not _has_events(fd, 0)


def _has_events(fd: int, events: int) -> bool:
    if not hasattr(select, "poll"):
        return False
    waits = select.poll()
    waits.register(fd, events)
    return bool(waits.poll(0))
