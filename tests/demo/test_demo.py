"""The demo runs anywhere, leaves nothing behind, and fails when an answer is not right."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import chant_mcp
import pytest
from chant_mcp import ChantProject
from chant_mcp.demo import specs
from chant_mcp.demo.sample import SampleProject
from writing import tree

_NO_NETWORK = """\
import os, socket, sys

def refuse(event, arguments):
    if event in ("socket.bind", "socket.connect", "socket.getaddrinfo"):
        if event == "socket.getaddrinfo" or arguments[0].family != getattr(socket, "AF_UNIX", None):
            os.write(2, b"the network was used\\n")
            os._exit(9)

sys.addaudithook(refuse)
"""


def _run(
    temporary: Path, *words: str, code: int = 0, environment: dict[str, str] | None = None
) -> tuple[str, str]:
    """Run a Python program in which temporary files go to a folder of the test."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=temporary.parent,
        env={**os.environ, "TMPDIR": str(temporary), "COLUMNS": "80", **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """An empty folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def test_the_demo_shows_a_session_and_leaves_nothing_behind(temporary: Path, tmp_path: Path) -> None:
    # The demo trusts its own project, not because somebody trusts everything.
    shutil.rmtree(Path(os.environ["HOME"]) / ".config")
    (tmp_path / "seal").mkdir()
    (tmp_path / "seal" / "sitecustomize.py").write_text(_NO_NETWORK, encoding="utf-8")
    # Variables that would lead astray: the demo is about its own project.
    astray = {"CHANT_PROJECT": str(tmp_path), "GIT_DIR": str(tmp_path / "nowhere")}
    environment = {"PYTHONPATH": str(tmp_path / "seal"), **astray}
    out, err = _run(temporary, "-m", "chant_mcp.demo", environment=environment)
    assert err == ""
    assert "\x1b" not in out
    before, _, rest = out.partition("this is how people watch:\n")
    watched, rule, after = rest.partition(". What became of it? ──")
    assert max(map(len, [*before.splitlines(), *(rule + after).splitlines()])) <= 80
    tools = ["spec_list", "spec_get", "lint", "finalize", "work_start", "log", "verify", "ready", "status"]
    at = [out.rindex(f"→ chant_{tool} ") for tool in tools]
    assert at == sorted(at)
    for id in specs.WORKED:
        assert f"\n✓ {id} " in watched
    assert f"\n✗ {specs.FAILING} " in watched
    assert "  The demo agent was asked to fail" in after
    assert f"Merge chant/{specs.WORKED[-1]}" in after
    assert '"mcpServers"' in out.split("All answers were as they should be.")[1]
    assert list(temporary.iterdir()) == []
    assert list(Path(os.environ["HOME"]).iterdir()) == []


def test_the_command_keeps_the_project_when_asked(temporary: Path) -> None:
    out, _ = _run(temporary, "-m", "chant_mcp", "demo", "--keep")
    (folder,) = temporary.iterdir()
    root = folder / "ferry"
    assert f"The sample project stays in {root}" in out
    project = ChantProject(root)
    assert project.status().data["total"] == len(specs.SPECS)
    assert {project.spec_get(id).data["status"] for id in specs.WORKED} == {"completed"}
    assert project.spec_get("2026-02-02-002-d7v").data["status"] == "completed", "its members all are"
    git = ["git", "-C", str(root)]
    log = subprocess.run([*git, "log", "--format=%s"], check=True, capture_output=True, text=True)
    assert f"chant({specs.CHOSEN}): Mail travellers a day before they sail" in log.stdout
    status = subprocess.run(
        [*git, "status", "--porcelain", "-uno"], check=True, capture_output=True, text=True
    )
    assert status.stdout == " M .chant/specs/2026-02-02-002-d7v.md\n", "a final state that no merge carries"
    _kept_runs(root)


def _kept_runs(root: Path) -> None:
    session = chant_mcp.open(root)
    runs = session.runs(include_completed=True)["processes"]
    ends = {run["spec_id"]: run["end_state"] for run in runs if "parent" in run}
    assert ends == {**dict.fromkeys(specs.WORKED, "completed"), specs.FAILING: "failed"}
    assert ChantProject(root, environment=dict(os.environ)).trust_report()["trusted"]


def test_the_sample_alone_is_written_into_a_new_folder(temporary: Path) -> None:
    root = temporary.parent / "ferry"
    assert _run(temporary, "-m", "chant_mcp", "demo", "--sample", "ferry")[0] == (
        f"The sample project is in {root}\n"
    )
    assert ChantProject(root).status().data["total"] == len(specs.SPECS)
    assert not list(temporary.iterdir()), "no agent worked"
    before = tree(root)
    _, refusal = _run(temporary, "-m", "chant_mcp", "demo", "--sample", "ferry", code=1)
    assert "Name a folder that does not exist yet." in refusal
    assert tree(root) == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("run.READY = ()", "Unexpected ready specs:"),
        ("run.WORKED = run.READY", "Unexpected ends of runs:"),
        ("run._AT_ONCE = 0", "Unexpected error of chant_work_start:"),
        ("run._PART = 'nope'", "Unexpected error of chant_spec_get: Spec not found: nope"),
    ],
)
def test_it_fails_when_an_answer_is_not_what_it_should_be(temporary: Path, change: str, said: str) -> None:
    code = f"import chant_mcp.demo.run as run; {change}; from chant_mcp.cli import main; main('demo')"
    out, err = _run(temporary, "-c", code, code=1)
    assert err.startswith(said)
    assert "Traceback" not in err
    assert "All answers were as they should be." not in out
    assert list(temporary.iterdir()) == []


def test_without_git_it_says_so(temporary: Path) -> None:
    _, err = _run(temporary, "-m", "chant_mcp.demo", code=1, environment={"PATH": str(temporary)})
    assert err.startswith("git cannot be run: ")


def test_the_sample_project_has_something_of_everything(tmp_path: Path) -> None:
    SampleProject(tmp_path, os.environ).build(sys.executable)
    project = ChantProject(tmp_path)
    listed = project.spec_list(limit=100).data["specs"]
    assert 28 <= len(listed) + 3 <= 36
    everything = [*listed, *project.spec_list("cancelled").data["specs"]]
    wanted = {
        "pending",
        "in_progress",
        "paused",
        "completed",
        "failed",
        "needs_attention",
        "ready",
        "blocked",
    }
    assert {spec["status"] for spec in everything} == wanted | {"cancelled"}
    kinds = {spec["type"] for spec in everything}
    assert kinds >= {"code", "task", "driver", "documentation", "research"}
    driver = project.spec_get("2026-02-02-002-d7v").data
    assert [member["status"] for member in driver["members"]] == [
        "completed",
        "completed",
        "pending",
        "pending",
    ]
    assert len(project.status().data["problems"]) == 1
    assert list((tmp_path / ".chant" / "archive").rglob("*.md"))
    assert sum(bool(spec["labels"]) for spec in everything) > 20
    assert sum(bool(spec["depends_on"]) for spec in everything) > 10
    completed = project.spec_get("2026-01-22-001-x7m").data
    assert completed["criteria"] == {"total": 2, "checked": 2, "unchecked": 0}
    assert all(check["passed"] for check in project.diagnose("2026-01-22-001-x7m").data["checks"])
    status = subprocess.run(["git", "status", "--porcelain"], cwd=tmp_path, check=True, capture_output=True)
    assert status.stdout == b""
