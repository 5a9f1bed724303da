"""Packages that are installed for one test, in a folder on the path of modules."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chant_mcp.plugins.installed import forget_plugins
from cli.kit import Cli
from harness import Project, user_config
from plugins.packages import write_wheel

Install = Callable[..., Path]


@pytest.fixture
def cli(project: Project, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command line in `project`, eighty columns wide."""
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("COLUMNS", "80")
    return Cli(project)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a module as the package `ferry-rules` with these entry points, in a group each."""

    def install(
        code: str, folder: Path | None = None, package: str = "ferry-rules", **groups: list[str]
    ) -> Path:
        site = folder or tmp_path / "site"
        site.mkdir(exist_ok=True)
        module = package.replace("-", "_")
        entries = {
            f"chant_mcp.{group}": {name: f"{module}:{name.replace('-', '_')}" for name in names}
            for group, names in groups.items()
        }
        project = {"name": package, "version": "1.0", "entry-points": entries}
        # What an installer does with a wheel that has no scripts.
        with zipfile.ZipFile(write_wheel(tmp_path, project, {f"{module}.py": code})) as wheel:
            wheel.extractall(site)
        monkeypatch.syspath_prepend(site)
        path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
        monkeypatch.setenv("PYTHONPATH", path)
        forget_plugins()
        return site

    forget_plugins()
    yield install
    forget_plugins()


@pytest.fixture
def choose() -> Callable[[str], None]:
    """Write the user's choice of plugins, beside the rest of their configuration."""

    def choose(block: str) -> None:
        settings = user_config()
        text = settings.read_text("utf-8").removesuffix("---\n")
        settings.write_text(f"{text}plugins: {block}\n---\n", "utf-8")

    return choose


@pytest.fixture
def distrust() -> None:
    """Take away what makes the folders of tests trusted."""
    user_config().write_text("", "utf-8")
