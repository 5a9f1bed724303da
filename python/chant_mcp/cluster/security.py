"""Mutual TLS between all processes of a cluster: who reaches a scheduler runs code."""

from __future__ import annotations

import ssl
import stat
from pathlib import Path
from urllib.parse import urlsplit

from distributed import Security

from chant_mcp.cluster.certificates import TlsFiles, head_files, worker_files
from chant_mcp.errors import InvalidArgumentError, NotFoundError, RefusedError


def head_security(folder: Path) -> Security:
    """Give the settings of scheduler and placer.

    Args:
        folder: Where `ca.pem`, `head.pem` and `head-key.pem` lie.

    Raises:
        NotFoundError: One of them is missing.
        RefusedError: Others may read the key.
    """
    return _security(head_files(folder))


def worker_security(folder: Path) -> Security:
    """Give the settings of a worker, which needs `ca.pem`, `worker.pem` and `worker-key.pem`.

    Raises:
        NotFoundError: One of them is missing.
        RefusedError: Others may read the key.
    """
    return _security(worker_files(folder))


def check_address(address: str) -> str:
    """Return the address of a scheduler as it is used.

    Raises:
        InvalidArgumentError: It names no host and port.
        RefusedError: It does not begin with `tls://`.
    """
    parts = urlsplit(address)
    if parts.scheme != "tls":
        raise RefusedError(
            f"The scheduler at {address} does not speak TLS. Agents' work is code: refusing. "
            "Give an address such as tls://head:8786."
        )
    try:
        has_port = parts.port is not None
    except ValueError:
        has_port = False
    if not parts.hostname or not has_port or parts.path or parts.query or parts.username:
        raise InvalidArgumentError(
            f"{address} is no address of a scheduler. Expected host and port, such as tls://head:8786."
        )
    return address


def _security(files: TlsFiles) -> Security:
    for path in files:
        if not path.is_file():
            raise NotFoundError(
                f"{path} is missing. Make the files with `chant-mcp cluster certs {path.parent}`, or copy "
                "those of your cluster there."
            )
    if stat.S_IMODE(files.key.stat().st_mode) & 0o077:
        raise RefusedError(f"Others may read {files.key}. Close it first: chmod 600 {files.key}")
    certificate, key = str(files.certificate), str(files.key)
    return Security(
        require_encryption=True,
        tls_ca_file=str(files.authority),
        tls_min_version=ssl.TLSVersion.TLSv1_3,
        tls_ciphers=None,
        **{
            f"tls_{role}_{what}": path
            for role in ("client", "scheduler", "worker")
            for what, path in (("cert", certificate), ("key", key))
        },
    )
