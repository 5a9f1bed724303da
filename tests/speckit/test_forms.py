"""Task lists as people and models write them: what looks like a task is read, or named."""

from __future__ import annotations

from typing import Any

import pytest
from chant_mcp.errors import ChantError
from harness import Caller
from mcp_types import TextContent
from speckit.features import Features
from speckit.mixtures import lines, looks_like, mixture

pytestmark = pytest.mark.anyio


def counted(features: Features, text: str) -> tuple[dict[str, Any], int]:
    """Read a list; give it, and how many of its lines are read or named."""
    features.tasks(text)
    read: dict[str, Any] = features.core.tasks().data
    criteria = sum(len(task["criteria"]) for task in read["tasks"])
    return read, len(read["tasks"]) + criteria + len(read.get("unread", []))


def test_every_bullet_box_and_id_is_read_or_named(features: Features) -> None:
    forms = list(lines())
    text = "".join(f"{line}\n\n" for line, _ in forms)
    read, total = counted(features, text)
    places = {task["line"] for task in read["tasks"]}
    assert places == {2 * at + 1 for at, (_, is_task) in enumerate(forms) if is_task}
    assert total == len(forms) == len(looks_like(text))
    assert sorted(places | {line["line"] for line in read["unread"]}) == looks_like(text)


def test_mixtures_lose_no_line(features: Features) -> None:
    for seed in range(150):
        text = mixture(seed)
        read, total = counted(features, text)
        assert total == len(looks_like(text)), (seed, read, text)


@pytest.mark.requirement("speckit:complete_task:ticks_one_box")
def test_a_task_of_any_form_is_ticked_by_one_byte(features: Features) -> None:
    text = "\n".join(line for line, is_task in lines() if is_task and "[ ]" in line) + "\n"
    text += "\n### T9000: Above\n\n- [x] one\n- [ ] two\n\n### T9001: Open\n- [ ] a\n- [ ] b\n"
    path = features.tasks(text)
    core = features.core
    ids = [task["id"] for task in core.tasks().data["tasks"]]
    for name in [*ids[:-2:9], "T9000"]:
        before = path.read_bytes()
        core.complete(name, skip_validation=True)
        after = path.read_bytes()
        differing = [at for at in range(len(before)) if before[at] != after[at]]
        assert (len(after), len(differing)) == (len(before), 1), name
        assert (before[differing[0]], after[differing[0]]) == (ord(" "), ord("x")), name
    assert path.read_text().endswith("- [x] two\n\n### T9001: Open\n- [ ] a\n- [ ] b\n")
    lines_of_boxes = [at for at, line in enumerate(text.splitlines(), 1) if line in ("- [ ] a", "- [ ] b")]
    with pytest.raises(ChantError, match=f"lines {lines_of_boxes[0]}-{lines_of_boxes[1]}"):
        core.complete("T9001", skip_validation=True)


async def test_what_is_not_read_is_said_where_progress_is(call: Caller) -> None:
    features = Features(call.project.root)
    features.tasks("## A\n- [ ] T001 a\n\n## B\n- [x] b\n- [x] c\n\n```sh\nls\n\n## C\n- [ ] T002 d\n")
    context = await call("rstn_get_context")
    text = "\n".join(block.text for block in context.content if isinstance(block, TextContent))
    lost = "2 lines look like tasks and are not read: they have a box and no ID (lines 5-6)"
    fence = "the fence on line 8 is never closed: 1 heading and 1 box in it count as code"
    assert lost in text
    assert fence in text
    done = await call.data("rstn_complete_task", task_id="T001")
    assert [lost in done["warnings"][0], fence in done["warnings"][1]] == [True, True]
    features.tasks("- [ ] first\n- [ ] second\n")
    assert await call.error("rstn_complete_task", task_id="T001") == "No task list loaded"
    with pytest.raises(ChantError) as refused:
        features.core.tasks()
    assert "lines 1-2" in refused.value.details["hint"]
