"""A project with one feature, and clients of both eras on a server in memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import Project
from server.conftest import serve as serve
from speckit.features import Features, made


@pytest.fixture
def features(tmp_path: Path) -> Features:
    """A repository on the branch of its one feature; calls do not wait for answers."""
    root = tmp_path / "kit"
    root.mkdir()
    return made(root)


@pytest.fixture
def project(features: Features) -> Project:
    """Its folder, as `call` serves it."""
    return features.project


@pytest.fixture(params=["legacy", "2026-07-28"])
def mode(request: pytest.FixtureRequest) -> str:
    """An era of the protocol."""
    return request.param
