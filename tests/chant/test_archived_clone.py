"""A clone of a project whose specs are all archived is a project: git keeps no empty folders."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from chant_mcp._core import ChantProject
from harness import Caller, Project
from writing import git

pytestmark = pytest.mark.anyio

ID = "2026-01-22-001-x7m"


@pytest.fixture
def clone(project: Project, tmp_path: Path) -> Path:
    """Make the clone, whose folder of active specs was empty when it was committed."""
    project.spec(ID, status="completed")
    ChantProject(project.root).archive(ID)
    project.config("defaults:\n  provider: demo\n")
    project.repository()
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(project.root), str(clone))
    assert not (clone / ".chant" / "specs").exists()
    return clone


def test_its_tools_answer_and_a_spec_can_be_added(clone: Path) -> None:
    chant = ChantProject(clone)
    assert chant.spec_list().data["specs"] == []
    assert chant.status().data
    assert not (clone / ".chant" / "specs").exists(), "a read writes nothing"
    added = chant.add("Sell tickets").text.splitlines()[0].removeprefix("Created spec: ")
    assert [spec["id"] for spec in chant.spec_list().data["specs"]] == [added]


async def test_a_folder_of_specs_that_is_lost_is_named_all_the_same(call: Caller) -> None:
    call.project.spec(ID)
    call.project.config("defaults:\n  provider: demo\n")
    call.project.repository()
    shutil.rmtree(call.project.root / ".chant" / "specs")
    error = await call.error("chant_status")
    assert ".chant/specs" in error
