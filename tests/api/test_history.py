"""The past of a workspace: its commits, what was known at each, and how sure plans were."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import chant_mcp
import pyarrow as pa
import pytest
import state_folder
from chant_mcp import Graph, Workspace, errors
from harness import Project

FIRST, SECOND = "2026-01-22-001-aaa", "2026-01-22-002-bbb"


def record(spec: str, ended: str, **more: Any) -> dict[str, Any]:
    """A run that took ten minutes until a time of day and completed its spec."""
    times = {"started_at": f"2026-01-23T{ended}:00Z", "updated_at": f"2026-01-23T{ended}:10Z"}
    run = {"schema": 1, "process_id": f"{spec}-9", "spec_id": spec, "pid": 9, "status": "completed"}
    return {**run, "mode": "single", "generation": 1, **times, "completed_at": times["updated_at"], **more}


@pytest.fixture
def past(project: Project, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A project with a run before its first commit, and one between it and the second."""
    for id in (FIRST, SECOND):
        project.spec(id, status="completed")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-23T10:00:00Z")
    project.repository()
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-23T12:00:00+01:00")
    project.git("commit", "-qm", "Go on\n\nAnd on.", "--allow-empty")
    state_folder.put_record(project.root, record(FIRST, "09:00"))
    state_folder.put_record(project.root, record(SECOND, "10:30"))
    return chant_mcp.open(project.root, environment={})


def test_the_last_commits_have_their_times(past: Workspace, project: Project) -> None:
    newest, oldest = past.recent_commits()
    assert newest.id == project.git("rev-parse", "HEAD").strip()
    assert (newest.subject, oldest.subject) == ("Go on", "Begin")
    assert newest.time == datetime(2026, 1, 23, 11, tzinfo=timezone.utc)
    assert past.recent_commits(1) == (newest,)
    with pytest.raises(errors.InvalidArgumentError, match="`most`"):
        past.recent_commits(-1)


def test_there_are_no_commits_outside_of_git(project: Project) -> None:
    assert chant_mcp.open(project.root).recent_commits() == ()


def test_a_graph_of_the_past_knows_the_runs_of_its_time(past: Workspace) -> None:
    newest, oldest = past.recent_commits()
    then, later = past.graph_at(oldest.id), past.graph_at(newest.id)
    assert [graph.learned["runs"] for graph in (then, later, past.graph())] == [1, 2, 2]
    assert then.attribute_column("duration") == [10.0, None]
    assert later.attribute_column("duration") == [10.0, 10.0]
    assert past.graph().read_revision(oldest.id).learned["runs"] == 1


def test_a_schedule_gives_quantiles_of_its_rounds() -> None:
    plan = Graph.from_edges([("a", "b")]).schedule(1, rounds=50)
    assert len(plan.ends) == 50
    assert list(plan.ends) == sorted(plan.ends)
    assert (plan.quantile(0.5), plan.quantile(0.9)) == (plan.p50, plan.p90)
    assert (plan.quantile(0), plan.quantile(1)) == (plan.ends[0], plan.ends[-1])
    assert sum(end <= (plan.quantile(0.8) or 0) for end in plan.ends) == 40
    for wrong in (-0.1, 1.1, "half"):
        with pytest.raises(errors.InvalidArgumentError, match="`share`"):
            plan.quantile(wrong)  # type: ignore[arg-type]


def test_a_schedule_without_rounds_has_no_quantiles() -> None:
    plan = Graph.from_edges([("a", "b")]).schedule(1, rounds=0)
    assert (plan.ends, plan.quantile(0.5)) == ((), None)


def test_the_table_of_runs_says_what_they_used(past: Workspace) -> None:
    usage = {"input_tokens": 100, "cached_tokens": 20, "cost_usd": 0.25}
    state_folder.put_record(past.root, record(SECOND, "10:30", usage=usage))
    table = pa.table(past.graph().runs)
    used = {row["key"]: (row["tokens"], row["cost_usd"]) for row in table.to_pylist()}
    assert used == {f"chant:{FIRST}": (None, None), f"chant:{SECOND}": (120.0, 0.25)}
    units = [table.schema.field(name).metadata for name in ("tokens", "cost_usd")]
    assert units == [{b"unit": b"tokens"}, {b"unit": b"USD"}]
