"""A project whose agents work on a cluster that a stand-in for a placer plays."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from chant_mcp import resources
from chant_mcp._core import ChantProject
from chant_mcp.errors import ChantError
from chant_mcp.session import Place, Session
from cluster import stand_in_placer
from harness import Project, user_config
from state_folder import part
from work.kit import Record, Workshop, kill, lives, wait_for
from writing import git

ON = "trial"
"""The name of the cluster."""

ADDRESS = "tls://127.0.0.1:9"
"""The address of its scheduler, which is not there."""


class PlacedWorkshop(Workshop):
    """A workshop whose user has a cluster."""

    def __init__(self, project: Project, address: str, tls: Path) -> None:
        """Take an empty project, and configure the cluster."""
        super().__init__(project)
        settings = user_config()
        text = settings.read_text(encoding="utf-8")
        cluster = f"cluster: {{{ON}: {{address: '{address}', tls: {tls}}}}}\n---\n"
        settings.write_text(text.removesuffix("---\n") + cluster, encoding="utf-8")

    def placers(self) -> list[int]:
        """Give the processes of the placers that were started."""
        files = (self.root / ".git").glob("**/clusters/**/placer.json")
        return [json.loads(file.read_text(encoding="utf-8"))["pid"] for file in files]

    def close(self) -> None:
        """End the placers, in the project's folder."""
        pids = self.placers()
        kill(*pids)
        wait_for(lambda: not any(map(lives, pids)), "the end of the placer")


class HeadWorkshop(PlacedWorkshop):
    """A workshop with a cluster: `plan` says what happens there."""

    def __init__(self, project: Project) -> None:
        """Take an empty project, and configure a cluster for its user."""
        self.certificates = project.root.parent / "certificates"
        self.certificates.mkdir()
        super().__init__(project, ADDRESS, self.certificates)
        self.plan()

    def plan(self, **plan: Any) -> None:
        """Say what happens on the cluster."""
        told = {"mirror": str(self.certificates / "mirror.git"), **plan}
        new = self.certificates / "plan.new"
        new.write_text(json.dumps(told), encoding="utf-8")
        new.replace(self.certificates / "plan.json")

    def commit(self, message: str = "Specs") -> str:
        """Commit everything, and let machines of the cluster know it."""
        commit = super().commit(message)
        mirror = self.certificates / "mirror.git"
        if not mirror.exists():
            git(self.root, "clone", "-q", "--bare", str(self.root), str(mirror))
        return commit

    def let_go(self, id: str) -> None:
        """Let the job of a spec go on."""
        (self.certificates / f"go-{id}").touch()

    def handle(self, **variables: str) -> ChantProject:
        """Open the project with the program whose placer is a stand-in."""
        return ChantProject(
            self.root,
            user_config=user_config(),
            environment={**os.environ, **variables},
            program=[sys.executable, stand_in_placer.__file__],
            prompts=Path(resources.__file__).parent / "prompts",
        )

    def session(self) -> Session:
        """Open the project as a server does."""
        place = Place(self.root, (self.root,))
        return Session(place, environment=dict(os.environ), user_config=user_config())

    def start(self, id: str, **wish: Any) -> Record:
        """Start work on a spec on the cluster, and give its record."""
        wanted: dict[str, Any] = {"on": ON, **wish}
        self.handle().work_start(id, **wanted)
        return self.record(id)

    def done(self, id: str, **wish: Any) -> Record:
        """Have a spec worked on to the end of its run."""
        self.start(id, **wish)
        return self.ended(id)

    def cluster_folder(self) -> Path:
        """Name the folder of the cluster in our own state."""
        return part(self.root, "clusters", shared=True) / ON

    def asked(self, do: str) -> list[dict[str, Any]]:
        """Give what job clients asked the placer."""
        file = self.cluster_folder() / "placer" / "asked.jsonl"
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        # The last line may still be being written.
        *lines, _ = text.split("\n")
        return [asked for asked in map(json.loads, lines) if asked["do"] == do]

    def placed(self) -> list[str]:
        """Name the specs whose jobs were handed over, the first of them first.

        A run hands its job over once more when the machine that is to do it lacks commits.
        """
        return list(dict.fromkeys(asked["job"]["spec"] for asked in self.asked("place")))


@pytest.fixture
def head(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[HeadWorkshop]:
    """A project with a cluster whose placer ends with the test, in its folder."""
    monkeypatch.chdir(project.root)
    with closing(HeadWorkshop(project)) as workshop:
        yield workshop


def refused(head: HeadWorkshop, id: str, **wish: Any) -> str:
    """Give the words with which work on a spec is refused."""
    try:
        head.start(id, **wish)
    except ChantError as error:
        return str(error)
    raise AssertionError(f"work on {id} was started")
