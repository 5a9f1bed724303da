"""What Kubernetes is given: certificates as secrets, and a cluster for Dask's operator."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chant_mcp.cluster.certificates import TlsFiles, head_files, worker_files
from chant_mcp.errors import InvalidArgumentError, NotFoundError

if TYPE_CHECKING:
    from chant_mcp.cluster.deployers import ClusterPlan

PORT = 8786
"""The scheduler's port in its pod."""

_TLS = "/var/run/chant-mcp/tls"

Manifest = dict[str, Any]


def cluster_manifests(plan: ClusterPlan) -> Manifest:
    """Give the manifests as one list.

    Workers get their own certificate and not the head's.

    Raises:
        InvalidArgumentError: No image is named.
        NotFoundError: A certificate is missing.
    """
    if plan.image is None:
        raise InvalidArgumentError(
            f"cluster.{plan.name} names no `image` with chant-mcp, its extra cluster, and the agents."
        )
    secrets = [_secret(plan, "head", head_files(plan.tls)), _secret(plan, "worker", worker_files(plan.tls))]
    return {"apiVersion": "v1", "kind": "List", "items": [*secrets, _cluster(plan)]}


def _secret(plan: ClusterPlan, side: str, files: TlsFiles) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": _metadata(plan, f"{plan.name}-{side}"),
        "type": "Opaque",
        "data": {path.name: base64.b64encode(_content(path)).decode() for path in files},
    }


def _cluster(plan: ClusterPlan) -> Manifest:
    service = f"{plan.name}-scheduler"
    address = f"tls://{service}.{plan.namespace}.svc:{PORT}"
    scheduler = ["cluster", "scheduler", f"tls://0.0.0.0:{PORT}", "--tls", _TLS]
    # The operator names each worker by a variable, which Kubernetes puts in.
    worker = ["worker", address, "--name", "$(DASK_WORKER_NAME)", "--tls", _TLS, *plan.offer_options()]
    return {
        "apiVersion": "kubernetes.dask.org/v1",
        "kind": "DaskCluster",
        "metadata": _metadata(plan, plan.name),
        "spec": {
            "worker": {"replicas": plan.workers, "spec": _pod(plan, "worker", worker)},
            "scheduler": {
                "spec": _pod(plan, "scheduler", scheduler),
                "service": {
                    "type": plan.service,
                    "selector": {"dask.org/cluster-name": plan.name, "dask.org/component": "scheduler"},
                    "ports": [
                        {"name": "tls-comm", "protocol": "TCP", "port": PORT, "targetPort": "tls-comm"}
                    ],
                },
            },
        },
    }


def _pod(plan: ClusterPlan, component: str, arguments: list[str]) -> Manifest:
    side = "head" if component == "scheduler" else "worker"
    container: Manifest = {
        "name": component,
        "image": plan.image,
        "command": [plan.program],
        "args": arguments,
        "volumeMounts": [{"name": "tls", "mountPath": _TLS, "readOnly": True}],
    }
    if component == "scheduler":
        # Nothing but the port itself can be asked: there is no page for health.
        container["ports"] = [{"name": "tls-comm", "containerPort": PORT, "protocol": "TCP"}]
        container["readinessProbe"] = {"tcpSocket": {"port": "tls-comm"}}
    return {
        "containers": [container],
        "volumes": [{"name": "tls", "secret": {"secretName": f"{plan.name}-{side}", "defaultMode": 0o400}}],
    }


def _metadata(plan: ClusterPlan, name: str) -> Manifest:
    return {"name": name, "namespace": plan.namespace, "labels": {"app.kubernetes.io/part-of": "chant-mcp"}}


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise NotFoundError(
            f"{path} cannot be read: {error.strerror}. Make it with `chant-mcp cluster certs {path.parent}`."
        ) from error
