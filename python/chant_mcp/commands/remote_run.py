"""A run of another clone, as the remote that clones share tells of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from chant_mcp._core import ChantProject
from chant_mcp.errors import RefusedError
from chant_mcp.paging import Data

_SHOWN = ("state", "token", "orchestrator", "line")
"""What makes a moment differ from the one before."""

_OVER = ("landed", "free")
"""States of leases that nothing works under any more."""


@dataclass(frozen=True, slots=True)
class RemoteRun:
    """The run of another clone on a spec, followed by looks at the remote, one for each sign of life."""

    chant: ChantProject
    spec_id: str
    lease: Data
    """Its lease at first."""

    @classmethod
    def find(cls, chant: ChantProject, spec_id: str) -> RemoteRun | None:
        """Find the run of another clone on a spec; none where clones share nothing."""
        found = chant.work_list().data
        if "elsewhere" not in found or any(run["spec_id"] == spec_id for run in found["processes"]):
            return None
        lease = _lease(_looked(chant), spec_id)
        is_elsewhere = lease is not None and not lease["here"] and lease["state"] not in _OVER
        return cls(chant, spec_id, lease) if lease is not None and is_elsewhere else None

    def moments(self) -> Iterator[Data]:
        """Give its lease each time it differs, until no run works on the spec there any more."""
        lease, last = self.lease, {}
        while True:
            now = {key: lease.get(key) for key in _SHOWN}
            if now != last:
                yield lease
            last = now
            if lease["state"] in _OVER or lease["here"]:
                return
            found = self.chant.leases(all=True).data
            time.sleep(found["beat_seconds"])
            lease = _lease(_looked(self.chant), self.spec_id) or {**lease, "state": "free"}


def _looked(chant: ChantProject) -> Data:
    """List all leases after a look at the remote; as they were last seen where it cannot be looked at."""
    try:
        return chant.leases(look=True, all=True).data
    except RefusedError:
        return chant.leases(all=True).data


def _lease(found: Data, spec_id: str) -> Data | None:
    return next((lease for lease in found["leases"] if lease["spec_id"] == spec_id), None)
