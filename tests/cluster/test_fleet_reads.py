"""Fleets whose repositories the workers of a cluster read."""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from chant_mcp import Fleet, errors
from chant_mcp._core import ClusterLook
from chant_mcp.cluster import fleet_pipe, fleet_reads
from chant_mcp.cluster.fleet_pipe import FleetAnswers, read_answers
from chant_mcp.cluster.fleet_reads import AskedPlace, read_for_fleet
from chant_mcp.cluster.folder_use import is_in_use
from chant_mcp.cluster.read_offer import ReadOffer, holds_credentials, read_offer, received_offer
from chant_mcp.cluster.repository_reads import RepositoryReads
from chant_mcp.program import own_program
from chant_mcp.user_folders import state_home
from cluster.engine_kit import Grid, certificates, grid
from harness import Project
from work.kit import wait_for

FIRST = "2026-01-22-001-aaa"
COMMIT = "0123456789" * 4


def make(root: Path, **keys: Any) -> Path:
    """Make a repository with one spec."""
    project = Project(root)
    project.spec(FIRST, **{"labels": [root.name], **keys})
    project.repository()
    return root


@pytest.fixture
def local_cluster(tmp_path: Path) -> Iterator[None]:
    """End the cluster of this machine, which the test starts."""
    yield
    argv = [*own_program(sys.executable), "cluster", "down", "local"]
    subprocess.run(argv, cwd=tmp_path, capture_output=True, check=True)
    folder = Path(state_home(os.environ) or "") / "chant-mcp" / "local-cluster" / "worker"
    wait_for(lambda: not is_in_use(folder), lambda: "its end")


def tables(fleet: Fleet) -> dict[str, Any]:
    """All that a fleet gives."""
    shown = {"items": fleet.items(), "edges": fleet.edges(), "runs": fleet.runs(), "bad": fleet.problems}
    return {name: pa.table(one) for name, one in shown.items()} | {"repositories": fleet.repositories}


@pytest.mark.usefixtures("local_cluster")
def test_tables_are_those_of_a_local_read(tmp_path: Path) -> None:
    src = tmp_path / "src"
    make(src / "lib", status="completed")
    make(src / "app", depends_on=[f"lib/chant:{FIRST}", f"far/chant:{FIRST}", f"none/chant:{FIRST}"])
    broken = Project(make(src / "broken"))
    broken.write("bad", "---\nstatus: [\n---\n")
    broken.repository()
    (src / "notes").mkdir()
    far = make(tmp_path / "far")
    (tmp_path / "urls").write_text(f"file://{far}\n{src}/app\n")
    places = [f"{src}/*", tmp_path / "urls", tmp_path / "nowhere"]

    fleet = Fleet(places, on="local")
    there = tables(fleet)
    assert (fleet.read, fleet.refresh().read) == (4, 0)
    here = Fleet(places)
    # What workers read is not believed where no cluster is named.
    assert here.refresh().read == 4
    for name, table in tables(here).items():
        assert there[name] == table, name
    assert [row.name for row in fleet.repositories] == ["app", "broken", "lib", "far"]
    shutil.rmtree(Path(os.environ["HOME"]) / ".cache" / "chant-mcp" / "fleet" / "clusters")
    assert (fleet.refresh().read, tables(fleet)) == (0, there)


def test_without_a_cluster_nothing_of_it_is_imported(tmp_path: Path) -> None:
    app = make(tmp_path / "app")
    script = (
        "import sys, chant_mcp; assert len(chant_mcp.Fleet(sys.argv[1]).items()) == 1; "
        "sys.exit(any(name.startswith(('distributed', 'dask', 'chant_mcp.cluster')) for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script, app], check=False).returncode == 0


def test_clusters_that_are_none_are_refused(tmp_path: Path) -> None:
    app = make(tmp_path / "app")
    with pytest.raises(errors.InvalidArgumentError, match="tls://head:8786"):
        Fleet(app, on="")
    with pytest.raises(errors.InvalidArgumentError, match="got 'big'"):
        Fleet(app, on="big").refresh()
    with pytest.raises(errors.RefusedError, match="does not speak TLS"):
        Fleet(app, on="tcp://head:8786").refresh()
    tls = Path(os.environ["XDG_CONFIG_HOME"]) / "chant-mcp" / "tls"
    certificates(tls)
    with pytest.raises(errors.RefusedError, match=r"127\.0\.0\.1:1 does not answer"):
        Fleet(app, on="tls://127.0.0.1:1").refresh()


def test_an_address_with_a_password_is_not_sent(tmp_path: Path) -> None:
    (tmp_path / "urls").write_text("https://ada:secret@host/app.git\n")
    [row] = pa.table(Fleet(tmp_path / "urls", on="big").problems).to_pylist()
    assert "holds a user or a password" in row["reason"]
    assert not holds_credentials("ssh://git@host/app.git")
    with pytest.raises(errors.InvalidArgumentError, match="credential helper"):
        read_offer(["https://token@host/team/"])


@pytest.mark.parametrize(
    ("kind", "place", "is_offered"),
    [
        ("folder", "/srv/code", True),
        ("folder", "/srv/code/app", True),
        ("folder", "/srv/codes", False),
        ("folder", "/srv/code/../keys", False),
        ("address", "https://host/team/app.git", True),
        ("address", "https://host/team/deep/app", True),
        ("address", "https://host/team/../keys", False),
        ("address", "https://host/team/%2e%2e/keys", False),
        ("address", "https://host/team/app?x", False),
        ("address", "https://host.evil/team/app", False),
        ("address", "git@host:one.git", True),
        ("address", "git@host:one.git/two", False),
        ("address", "/srv/code/app", False),
    ],
)
def test_offers_cover_what_they_name(kind: Any, place: str, is_offered: bool) -> None:
    offer = read_offer(["/srv/code/", "https://host/team/", "git@host:one.git"])
    assert offer.covers(kind, place) == is_offered
    assert received_offer(offer.as_data()).covers(kind, place) == is_offered
    assert not received_offer({"folders": "/", "all": 1, "at_once": 10**9}).covers(kind, place)
    assert not read_offer([]).covers(kind, place)


def test_a_worker_reads_what_its_owner_offers_wherever_files_lead(tmp_path: Path) -> None:
    secret = make(tmp_path / "secret")
    offered = tmp_path / "offered"
    make(offered / "app")
    (offered / "link").symlink_to(secret)
    (offered / "led").mkdir()
    (offered / "led" / ".git").write_text(f"gitdir: {secret}/.git\n")
    (make(offered / "lends") / ".git" / "objects").rename(tmp_path / "objects")
    (offered / "lends" / ".git" / "objects").symlink_to(tmp_path / "objects")
    reads = RepositoryReads(read_offer([str(offered)]), tmp_path / "clones")
    answer = reads.read("folder", str(offered / "app"), with_items=True)
    assert FIRST in str(answer["items"])
    for name in ("link", "led", "lends"):
        with pytest.raises(errors.RefusedError, match="offers no reading"):
            reads.read("folder", str(offered / name), with_items=True)
    for kind, place in (("folder", secret), ("address", f"file://{secret}"), ("other", offered / "app")):
        with pytest.raises(errors.RefusedError, match="does not offer"):
            reads.read(kind, str(place), with_items=False)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates of this module."""
    return certificates(tmp_path_factory.mktemp("tls") / "tls")


@pytest.fixture
async def cluster(tmp_path: Path, tls: Path) -> AsyncIterator[Grid]:
    """A scheduler, and what tests add to it."""
    async with grid(tmp_path, tls) as made:
        yield made


async def heard(
    cluster: Grid, places: list[AskedPlace], known: frozenset[str] = frozenset()
) -> dict[int, Any]:
    """What is heard of places, by their numbers."""
    lines: list[dict[str, Any]] = []
    await read_for_fleet(cluster.scheduler.address, cluster.tls, places, known, lines.append)
    assert len(lines) == len(places)
    return {line["at"]: line for line in lines}


@pytest.mark.anyio
async def test_each_place_goes_to_a_worker_that_offers_it(
    cluster: Grid, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet_reads, "_LOOK_SECONDS", 0.1)
    app, lib, odd = (make(tmp_path / name) for name in ("app", "lib", "odd"))
    address = f"file://{app}"
    await cluster.worker("silent")
    await cluster.worker("one", offers={"reads": read_offer([str(app), address])})
    two: Any = await cluster.worker("two", offers={"reads": read_offer([str(lib), str(odd)])})
    begun, ends = threading.Event(), threading.Event()
    real = two.reads.read

    def read(kind: Any, place: str, *, with_items: bool) -> Any:
        if place != str(odd):
            return real(kind, place, with_items=with_items)
        begun.set()
        ends.wait(10)
        return {"commit": 1}

    monkeypatch.setattr(two.reads, "read", read)
    places = [
        AskedPlace(0, "folder", str(app)),
        AskedPlace(1, "folder", str(lib)),
        AskedPlace(2, "address", address),
        AskedPlace(3, "folder", str(tmp_path)),
    ]
    found = await heard(cluster, places)
    assert [found[at].get("worker") for at in range(4)] == ["one", "two", "one", None]
    assert "no worker of the cluster offers to read it" in found[3]["why"]
    known = frozenset({found[2]["result"]})
    assert (await heard(cluster, places[2:3], known))[2]["items"] is None
    ends.set()
    asked = [AskedPlace(0, "folder", str(odd))]
    assert (await heard(cluster, asked))[0]["why"] == "worker two: it sent no answer that can be read"
    begun.clear()
    ends.clear()
    waits = asyncio.create_task(heard(cluster, asked))
    await asyncio.to_thread(begun.wait, 10)
    # In peace, so that the engine would wait for its return.
    await cluster.scheduler.remove_worker(two.address, stimulus_id="test", expected=True, close=False)
    assert "worker two is gone" in (await waits)[0]["why"]
    ends.set()


def answers(*lines: Any, numbers: int = 2) -> tuple[FleetAnswers, bool]:
    """Read lines as those of the process that speaks to the engine."""
    texts = [line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines]
    return read_answers(io.BytesIO(b"".join(texts)), set(range(numbers)))


def test_answers_are_bounded_data(monkeypatch: pytest.MonkeyPatch) -> None:
    good = {"at": 0, "worker": "w", "commit": COMMIT, "result": COMMIT, "items": None}
    read, is_whole = answers(good, {"at": 1, "why": "a\nb\x1b[2J"}, {"done": True})
    assert (read.read, read.failed, is_whole) == ([(0, "w", COMMIT, COMMIT, None)], [(1, "a b [2J")], True)
    for bad in (b"garbage\n", b"[]\n", good, {**good, "at": 7}, {**good, "at": True}, b"[" * 99_999 + b"\n"):
        assert answers(good, bad, {"done": True})[1] is False
    for key, value in (("commit", 1), ("result", "x" * 9999), ("items", {}), ("items", "\ud800")):
        read, _ = answers({**good, key: value}, {"done": True})
        assert (read.read, len(read.failed)) == ([], 1), key
    monkeypatch.setattr(fleet_pipe, "LONGEST_LINE", 200)
    assert answers({**good, "items": "x" * 200}, {"done": True})[1] is False
    monkeypatch.setattr(fleet_pipe, "MAX_BYTES", 150)
    assert answers(good, {**good, "at": 1}, {"done": True})[1] is False


def test_an_answer_decides_neither_names_nor_other_repositories(tmp_path: Path) -> None:
    app, lib = make(tmp_path / "app"), make(tmp_path / "lib")
    reads = RepositoryReads(ReadOffer(is_all=True), tmp_path / "clones")
    read = {str(one): reads.read("folder", str(one), with_items=True) for one in (app, lib)}

    def finish(answer: Any, **more: Any) -> Any:
        look = ClusterLook([app, lib], [], cluster="big", cache=tmp_path / "cache")
        own = read[str(lib)]
        right = (1, "w", own["commit"], own["result"], own["items"])
        taken = {"commit": answer["commit"], "result": answer["result"], "items": answer["items"], **more}
        wrong = (0, "evil", taken["commit"], taken["result"], taken["items"])
        return look.finish([wrong, right], [])

    for more in ({"items": "{}"}, {"items": None}, {"commit": COMMIT, "result": COMMIT}):
        fleet = finish(read[str(app)], **more)
        assert [name for name, _, _ in fleet.repositories()] == ["lib"], more
        [row] = fleet.problems()
        assert (row[1], "worker evil" in row[4]) == (str(app), True)
        shutil.rmtree(tmp_path / "cache")
    assert len(finish(read[str(app)]).repositories()) == 2
