"""Certificates of a cluster: an authority of its own, and what it signed for head and workers.

The authority's key is used once and never written: nothing can be signed later that the cluster believes.
"""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import NamedTuple

from chant_mcp.cluster.extra import require_cluster_extra
from chant_mcp.cluster.private_files import write_new_file
from chant_mcp.errors import ConflictError, StorageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

VALID = datetime.timedelta(days=730)
"""How long certificates hold."""

_CLOCKS_DIFFER = datetime.timedelta(hours=1)


class TlsFiles(NamedTuple):
    """The files of one side of a connection."""

    authority: Path
    certificate: Path
    key: Path


def head_files(folder: Path) -> TlsFiles:
    """Name the files of the head: scheduler and placer."""
    return TlsFiles(folder / "ca.pem", folder / "head.pem", folder / "head-key.pem")


def worker_files(folder: Path) -> TlsFiles:
    """Name the files of a worker."""
    return TlsFiles(folder / "ca.pem", folder / "worker.pem", folder / "worker-key.pem")


def make_certificates(folder: Path) -> tuple[Path, ...]:
    """Make an authority, and certificates and keys for head and workers.

    The folder is made if it is missing (mode 0700). Files are for their owner alone (0600) and never
    overwritten: others may hold the old ones.

    Returns:
        The five files.

    Raises:
        ConflictError: One of them is there already; then none is written.
        RefusedError: The extra `cluster` is not installed.
        StorageError: The folder cannot be written.
    """
    require_cluster_extra()
    head, worker = head_files(folder), worker_files(folder)
    files = (head.authority, head.certificate, head.key, worker.certificate, worker.key)
    there = next((path for path in files if os.path.lexists(path)), None)
    if there is not None:
        raise ConflictError(
            f"{there} is there already, and certificates are never overwritten. Name another folder, or "
            "remove these files once no machine uses them."
        )
    key, authority = _authority()
    texts = [_certificate_text(authority)]
    for name in ("head", "worker"):
        texts += _signed(name, key, authority)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path, text in zip(files, texts, strict=True):
            write_new_file(path, text)
    except OSError as error:
        raise StorageError(f"{folder} cannot be written: {error.strerror}.") from error
    return files


def _authority() -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("chant-mcp cluster")
    certificate = (
        _builder(name, name, key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    return key, certificate


def _signed(
    name: str, authority_key: ec.EllipticCurvePrivateKey, authority: x509.Certificate
) -> tuple[bytes, bytes]:
    """Make a certificate and its key, as texts."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    key = ec.generate_private_key(ec.SECP256R1())
    both_sides = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key())
    certificate = (
        _builder(_name(name), authority.subject, key.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage(both_sides), critical=False)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(issuer, critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return _certificate_text(certificate), text


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    from cryptography import x509

    now = datetime.datetime.now(datetime.timezone.utc)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCKS_DIFFER)
        .not_valid_after(now + VALID)
    )


def _name(name: str) -> x509.Name:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _certificate_text(certificate: x509.Certificate) -> bytes:
    from cryptography.hazmat.primitives import serialization

    return certificate.public_bytes(serialization.Encoding.PEM)
