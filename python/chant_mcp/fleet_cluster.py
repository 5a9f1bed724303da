"""Repositories of a fleet that the workers of a cluster read."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from chant_mcp._core import ChantProject, ClusterLook, FleetGraph
from chant_mcp.cluster.extra import require_cluster_extra
from chant_mcp.cluster.fleet_pipe import FleetAnswers, ask_workers
from chant_mcp.cluster.read_offer import holds_credentials
from chant_mcp.errors import NotFoundError
from chant_mcp.fleet_places import FoundPlaces
from chant_mcp.program import own_program
from chant_mcp.user_folders import config_folder, state_home, text_variables, user_config_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from chant_mcp.paging import Data

__all__ = ["read_on_cluster"]

_LOCAL = "local"
_PASSWORD = (
    "its address holds a user or a password, which no machine of a cluster gets. Name it without: a worker "
    "uses its own credentials"
)


def read_on_cluster(
    found: FoundPlaces, cache: Path | None, on: str, environment: Mapping[str, str]
) -> FleetGraph:
    """Have the workers of a cluster read what is not known of places.

    The engine is not imported here: the process that speaks to it is another, and confined.

    Args:
        found: The places.
        cache: Our part of the user's cache folder.
        on: `local`, the name of a cluster of the user's configuration, or the address of a scheduler.
        environment: The variables of this process.

    Raises:
        RefusedError: The extra `cluster` is missing, or the scheduler does not answer.
        InvalidArgumentError: There is no such cluster.
    """
    require_cluster_extra()
    look = ClusterLook(found.folders, found.addresses, cluster=on, cache=cache)
    asked = [place for place in look.asked if not holds_credentials(place[2])]
    answers = _ask(on, environment, asked, look.known) if asked else FleetAnswers()
    secret = [(number, _PASSWORD) for number, _, place in look.asked if holds_credentials(place)]
    return look.finish(answers.read, [*answers.failed, *secret])


def _ask(
    on: str, environment: Mapping[str, str], asked: list[tuple[int, str, str]], known: list[str]
) -> FleetAnswers:
    variables = text_variables(environment)
    program = own_program(sys.executable)
    place = _cluster_place(on, variables, program)
    return ask_workers(place, asked, known, program=program, environment=variables)


def _cluster_place(on: str, variables: dict[str, str], program: tuple[str, ...]) -> tuple[str, Path]:
    """Find where a cluster is spoken to; `local` is started where it is not up."""
    home = variables.get("HOME") or variables.get("USERPROFILE")
    state = state_home(variables)
    if state is None:
        raise NotFoundError("There is no home folder for the state of clusters. Set HOME.")
    config = config_folder(variables, home)
    # Clusters are the user's own: the folder stands for no project at all.
    with tempfile.TemporaryDirectory(prefix="chant-fleet-") as folder:
        project = ChantProject(
            folder,
            user_config=config and user_config_file(variables, home),
            environment=variables,
            state_home=state,
        )
        clusters: dict[str, Data] = project.clusters().data or {}
        settings = clusters.get(on, {})
        if on == _LOCAL and not settings.get("address"):
            from chant_mcp.cluster.local_cluster import ensure_local_cluster

            return ensure_local_cluster(
                Path(state) / "chant-mcp", program, variables, slots=settings.get("slots")
            )
        address, tls = project.cluster_target(on)
    return address, Path(tls)
