"""Many repositories as one set of tables, whatever they are like."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from chant_mcp import Fleet
from chant_mcp._core import repository_names
from harness import Project

FIRST = "2026-01-22-001-aaa"


@pytest.fixture
def src(tmp_path: Path) -> Path:
    """Two repositories and a folder that is none."""
    for name in ("app", "lib"):
        make(tmp_path / "src" / name, status="pending" if name == "app" else "completed")
    (tmp_path / "src" / "notes").mkdir()
    return tmp_path / "src"


def make(root: Path, *, commit: bool = True, **keys: Any) -> Project:
    """Make a repository with one spec, and a commit that no other one has."""
    project = Project(root)
    project.spec(FIRST, **{"labels": [root.name], **keys})
    if commit:
        project.repository()
    return project


def run_git(folder: Path, *words: str, given: str = "") -> list[str]:
    """Give the lines that git prints."""
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(
        command, input=given, capture_output=True, check=True, text=True
    ).stdout.splitlines()


def rows(table: Any) -> list[dict[str, Any]]:
    return pa.table(table).to_pylist()


def problems(fleet: Fleet) -> dict[str, str]:
    """What could not be read, by the name of the folder."""
    return {Path(row["place"]).name: row["reason"] for row in rows(fleet.problems)}


def keys(fleet: Fleet) -> list[str]:
    return [row["key"] for row in rows(fleet.items())]


def test_items_of_many_repositories_stand_in_the_tables_of_one(src: Path) -> None:
    make(src / "app", depends_on=[f"lib/chant:{FIRST}", f"far/chant:{FIRST}"])
    fleet = Fleet([f"{src}/*"])

    items = {row["key"]: row for row in rows(fleet.items())}
    assert items[f"app/chant:{FIRST}"]["repo"] == "app"
    assert items[f"lib/chant:{FIRST}"]["status"] == "completed"
    assert items[f"far/chant:{FIRST}"]["elsewhere"]
    assert items[f"far/chant:{FIRST}"]["repo"] == "far"
    pairs = {(row["before"], row["after"]) for row in rows(fleet.edges())}
    assert pairs == {(f"{name}/chant:{FIRST}", f"app/chant:{FIRST}") for name in ("lib", "far")}
    one = make(src / "own").root
    schema = pa.table(Fleet(one).items()).schema
    assert schema.equals(pa.table(fleet.items()).schema, check_metadata=True)
    assert pl.DataFrame(fleet.items()).height == 3
    assert [row.name for row in fleet.repositories] == ["app", "lib"]


def test_what_is_not_committed_is_not_seen(src: Path) -> None:
    Project(src / "app").spec("2026-01-22-002-bbb")
    shutil.rmtree(src / "lib" / ".chant")

    assert keys(Fleet(f"{src}/*")) == [f"app/chant:{FIRST}", f"lib/chant:{FIRST}"]


def test_only_repositories_that_moved_are_read_again(src: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Fleet(f"{src}/*").read == 2
    fleet = Fleet(f"{src}/*")
    assert (fleet.read, len(fleet.items())) == (0, 2)
    app = Project(src / "app")
    app.spec("2026-01-22-002-bbb")
    app.repository()
    assert len(fleet.items()) == 2
    assert (fleet.refresh().read, len(fleet.items())) == (1, 3)
    app.git("pack-refs", "--all")
    assert fleet.refresh().read == 0
    cache = Path(os.environ["HOME"]) / ".cache" / "chant-mcp" / "fleet" / "commits"
    for path in cache.iterdir():
        path.write_text("damaged\n")
    assert (fleet.refresh().read, len(fleet.items())) == (2, 3)
    monkeypatch.delenv("HOME")
    assert fleet.refresh().read == 2


def test_what_cannot_be_read_is_a_row(src: Path, tmp_path: Path) -> None:
    make(src / "unborn", commit=False).git("init", "-q")
    damaged = make(src / "damaged").root / ".git" / "objects"
    shutil.rmtree(damaged)
    damaged.mkdir()
    make(src / "broken")
    Project(src / "broken").write("bad", "---\nstatus: [\n---\n")
    Project(src / "broken").repository()

    fleet = Fleet([f"{src}/*", tmp_path / "nowhere"])
    assert keys(fleet) == [f"{name}/chant:{FIRST}" for name in ("app", "broken", "lib")]
    found = problems(fleet)
    assert set(found) == {"notes", "unborn", "damaged", "broken", "nowhere"}
    assert "no git repository" in found["notes"]
    assert "no commit yet" in found["unborn"]
    [row] = [row for row in rows(fleet.problems) if row["repo"]]
    assert (row["repo"], row["path"]) == ("broken", ".chant/specs/bad.md")


def test_nothing_of_a_repository_acts(src: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    app = Project(src / "app")
    (src / "app" / ".gitattributes").write_text("* filter=x\n")
    app.repository()
    for key in ("core.fsmonitor", "filter.x.smudge", "core.sshCommand", "core.pager", "diff.external"):
        app.git("config", key, f"touch {trap}; false")
    app.git("pack-refs", "--all")
    (src / "app" / ".git" / "packed-refs").touch()
    pipe = make(src / "pipe").root / ".git"
    (pipe / "packed-refs").unlink(missing_ok=True)
    os.mkfifo(pipe / "packed-refs")
    objects = make(src / "objects").root / ".git" / "objects" / "aa"
    objects.mkdir(exist_ok=True)
    os.mkfifo(objects / ("0" * 38))
    secret = make(src.parent / "secret").root
    subprocess.run(["git", "clone", "-q", "--shared", secret, src / "borrows"], check=True)
    make(src / "includes").git("config", "include.path", "/dev/zero")

    fleet = Fleet(f"{src}/*")
    assert keys(fleet) == [f"{name}/chant:{FIRST}" for name in ("app", "lib")]
    found = problems(fleet)
    assert "packed-refs" in found["pipe"]
    assert "no file" in found["objects"]
    assert "borrows objects" in found["borrows"]
    assert "includes other files" in found["includes"]
    assert not trap.exists()


def test_a_tree_that_names_itself_a_billion_times_is_refused(src: Path) -> None:
    app = src / "app"
    [blob] = run_git(app, "hash-object", "-w", "--stdin", given="x")
    lines = [f"100644 blob {blob}\tx.md"]
    for names in [[f"t{number}" for number in range(10)]] * 10 + [["specs"], [".chant"]]:
        [tree] = run_git(app, "mktree", given="\n".join(lines))
        lines = [f"040000 tree {tree}\t{name}" for name in names]
    [tree] = run_git(app, "mktree", given="\n".join(lines))
    [commit] = run_git(app, "commit-tree", tree, "-m", "Bomb")
    run_git(app, "update-ref", "HEAD", commit)

    fleet = Fleet([src / "app", src / "lib"])
    assert keys(fleet) == [f"lib/chant:{FIRST}"]
    assert "to look at" in problems(fleet)["app"]


def test_a_repository_counts_once_and_has_a_name_of_its_own(src: Path, tmp_path: Path) -> None:
    Project(src / "app").git("worktree", "add", "-q", str(src / "more"))
    make(tmp_path / "old" / "lib")
    subprocess.run(["git", "clone", "-q", "--bare", src / "app", tmp_path / "bare.git"], check=True)

    places = [
        src / "app",
        src / "app",
        src / "more",
        src / "lib",
        tmp_path / "old" / "lib",
        tmp_path / "bare.git",
    ]
    fleet = Fleet(places)
    assert keys(fleet) == [f"{name}/chant:{FIRST}" for name in ("app", "src/lib", "old/lib", "bare")]
    assert [row["repo"] for row in rows(fleet.items())] == ["app", "src/lib", "old/lib", "bare"]
    assert repository_names(["https://h/me/x.git", "/me/x"]) == ["h/me/x", "me/x"]


def test_addresses_of_a_list_are_cloned_bare(src: Path, tmp_path: Path) -> None:
    for name in ("app", "lib"):
        Project(src / name).git("config", "uploadpack.allowFilter", "true")
        Project(src / name).git("config", "uploadpack.allowAnySHA1InWant", "true")
        (src / name / "large.bin").write_bytes(os.urandom(4096))
        Project(src / name).repository()
    addresses = [f"file://{src}/app", f"file://{src}/gone", "ext::sh -c 'touch /tmp/x'", "--upload-pack=x"]
    listed = tmp_path / "urls.txt"
    listed.write_text("\n".join(["# ours", "", *addresses, "src/lib"]) + "\n")

    fleet = Fleet(listed)
    assert sorted(keys(fleet)) == [f"{name}/chant:{FIRST}" for name in ("app", "lib")]
    assert {row["place"] for row in rows(fleet.problems)} == set(addresses[1:])
    app = Project(src / "app")
    app.spec("2026-01-22-002-bbb")
    app.repository()
    assert (fleet.refresh().read, len(fleet.items())) == (1, 3)
    [clone] = (Path(os.environ["HOME"]) / ".cache/chant-mcp/fleet/clones").glob("*/*.git/refs/heads/newest")
    listed_objects = run_git(clone.parents[2], "rev-list", "--objects", "--missing=print", "newest")
    assert [line for line in listed_objects if line.startswith("?")]


def test_runs_that_landed_are_known_by_their_receipts(src: Path) -> None:
    app = Project(src / "app")
    commit, tree = app.git("rev-parse", "HEAD", "HEAD^{tree}").split()
    receipt = {
        "agent": "claude",
        "checks": [],
        "commit": commit,
        "completed": "run",
        "criteria": {"count": 0, "hash": "0", "ticked": 0},
        "ended_at": "2026-01-22T10:01:30.500Z",
        "format": 1,
        "spec": FIRST,
        "started_at": "2026-01-22T10:00:00.000Z",
        "target": "main",
        "token": "3",
        "tree": tree,
    }
    assert len(Fleet(src / "app").runs()) == 0
    text = json.dumps(receipt, separators=(",", ":"), sort_keys=True)
    [kept] = run_git(app.root, "hash-object", "-w", "--stdin", given=text)
    run_git(app.root, "update-ref", f"refs/chant/receipts/{FIRST}/3", kept)

    [run] = rows(Fleet(src / "app").runs())
    assert (run["key"], run["repo"], run["run"]) == (f"app/chant:{FIRST}", "app", f"{FIRST}/3")
    assert (run["agent"], run["duration"], run["status"]) == ("claude", 90.5, "completed")
