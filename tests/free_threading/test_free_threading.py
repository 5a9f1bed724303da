"""Threads of one process get right answers, with the interpreter's lock and without it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from free_threading import parallel

ROOT = Path(__file__).resolve().parents[2]


def test_threads_get_the_answers_of_one_alone() -> None:
    parallel.ask_one_graph()
    parallel.walk_one_answer()
    parallel.build_of_one_list()


@pytest.mark.parametrize("is_shared", [True, False])
def test_threads_that_edit_one_project_lose_nothing(tmp_path: Path, is_shared: bool) -> None:
    parallel.edit_one_project(tmp_path, is_shared=is_shared)


def test_threads_that_read_one_open_project_get_the_answers_of_one_alone(tmp_path: Path) -> None:
    parallel.read_tables(tmp_path)


def free_threaded_interpreters() -> list[str]:
    """Find the free-threaded interpreters of this machine, by the names that they are installed with."""
    names = (f"python3.{minor}t" for minor in range(13, 30))
    return [found for name in names if (found := shutil.which(name))]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Build the wheel for each of them, before a test hides where this machine keeps its tools of Rust."""
    found = free_threaded_interpreters()
    if not found:
        pytest.skip("no free-threaded interpreter (python3.14t) is on the path")
    pytest.importorskip("maturin", reason="maturin is not installed: no wheel can be built")
    return {interpreter: build_wheel(interpreter, tmp_path_factory.mktemp("wheel")) for interpreter in found}


def build_wheel(interpreter: str, folder: Path) -> Path:
    """Build the wheel for an interpreter."""
    # Kept between tests, apart from the build for this interpreter, which another's would replace.
    target = ROOT / "target" / "free-threaded"
    words = [sys.executable, "-m", "maturin", "build", "--locked", "-i", interpreter, "--out", str(folder)]
    built = subprocess.run(
        words, cwd=ROOT, env={**os.environ, "CARGO_TARGET_DIR": str(target)}, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    [wheel] = folder.glob("*.whl")
    return wheel


def test_the_wheel_for_a_free_threaded_interpreter_works_without_its_lock(
    wheels: dict[str, Path], tmp_path: Path
) -> None:
    for number, (interpreter, wheel) in enumerate(wheels.items()):
        version, interface = wheel.name.split("-")[2:4]
        assert interface == f"{version}t", "it is for this interpreter alone"
        site, script = tmp_path / f"site-{number}", Path(parallel.__file__)
        zipfile.ZipFile(wheel).extractall(site)
        looked = subprocess.run(
            [interpreter, "-W", "error", str(script), str(tmp_path / f"tried-{number}")],
            env={**os.environ, "PYTHONPATH": str(site)},
            capture_output=True,
            text=True,
        )
        assert looked.returncode == 0, looked.stderr
        said = json.loads(looked.stdout)
        assert said["lock"] is False, "the core gives the interpreter its lock back"
        assert len(said["done"]) == 6
        assert Path(said["core"]).is_relative_to(site)
