"""What a scheduler says of itself to a person, and the word that ends it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

from distributed.core import rpc

from chant_mcp.cluster.engine import configure_engine
from chant_mcp.cluster.placement import WorkerView, worker_view
from chant_mcp.cluster.placer_status import SILENT_SECONDS
from chant_mcp.cluster.security import check_address, head_security
from chant_mcp.errors import RefusedError

_SECONDS = 10


def list_workers(address: str, tls: Path) -> list[dict[str, Any]]:
    """List the workers of a scheduler, as data. Its answer is unpickled: only a confined process asks.

    Raises:
        RefusedError: The scheduler does not answer.
    """
    listed: Any = asyncio.run(_asked(address, tls, ends=False))
    return [_worker(view) for one in listed if (view := worker_view(one)) is not None]


def _worker(view: WorkerView) -> dict[str, Any]:
    agents = {name: {"slots": slots, "busy": view.busy(name)} for name, slots in view.slots.items()}
    silent = view.silent > SILENT_SECONDS
    accounts = {name: view.charged.get(name, 0) for name in view.accounts}
    return {
        "name": view.name,
        "host": view.host,
        "agents": agents,
        "accounts": accounts,
        "silent": silent,
        "labels": list(view.labels),
        "trusted": list(view.trusted),
        "trusts_any": view.trusts_any,
        "release": view.release,
    }


def end_scheduler(address: str, tls: Path) -> None:
    """End a scheduler, and with it its workers and their jobs.

    Raises:
        RefusedError: It does not answer.
    """
    asyncio.run(_asked(address, tls, ends=True))


async def _asked(address: str, tls: Path, *, ends: bool) -> Any:
    configure_engine()
    security: Any = head_security(tls)
    arguments = security.get_connection_args("client")
    scheduler: Any = rpc(check_address(address), connection_args=arguments, timeout=_SECONDS)
    try:
        async with scheduler:
            listed = await asyncio.wait_for(scheduler.chant_workers(), _SECONDS)
            if ends:
                with suppress(OSError):  # it hangs up before it answers
                    await asyncio.wait_for(scheduler.terminate(), _SECONDS)
            return listed
    except (OSError, asyncio.TimeoutError) as error:
        raise RefusedError(f"The scheduler at {address} does not answer: {error or 'too late'}.") from error
