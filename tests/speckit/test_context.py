"""`rstn_get_context` and `rstn_read_spec`: which feature is current, and what its documents say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import Caller, text_of
from mcp_types import TextContent
from speckit.features import NAME, Features, named
from writing import tree

pytestmark = pytest.mark.anyio

NONE = '{"feature_number":null,"feature_name":null,"branch":null,"phase":null,"spec_dir":null}'
HERE = (
    '{"feature_number":"060","feature_name":"mcp","branch":"060-mcp","phase":"implement",'
    '"spec_dir":"specs/060-mcp"}'
)


async def context(features: Features, folder: Path | None = None, **environment: str) -> dict[str, Any]:
    """Ask for the context as seen from a folder."""
    async with features.seen(folder, environment=environment) as call:
        return await call.data("rstn_get_context")


@pytest.mark.requirement("speckit:get_context:all_null_outside_a_feature")
async def test_vector_1_outside_a_feature_all_is_null(tmp_path: Path, mode: str) -> None:
    root = tmp_path / "other"
    root.mkdir()
    other = Features(root)
    other.project.git("init", "-q", "-b", "main")
    async with other.seen(mode=mode) as call:
        result = await call("rstn_get_context")
        assert not result.is_error
        assert text_of(result) == NONE
        assert result.structured_content is not None
        assert list(result.structured_content)[:5] == list(json.loads(NONE))
        assert await call.error("rstn_read_spec", artifact="spec") == (
            "Artifact 'spec' not found. Feature context: None"
        )


@pytest.mark.requirement(
    "speckit:get_context:answer_has_five_keys",
    "speckit:get_context:takes_no_parameters",
    "speckit:get_context:phase_is_one_of_four",
)
async def test_vector_2_a_branch_names_its_feature_from_any_subfolder(features: Features, mode: str) -> None:
    below = features.root / "src" / "deep"
    below.mkdir(parents=True)
    async with features.seen(below, mode=mode) as call:
        result = await call("rstn_get_context")
        assert text_of(result) == HERE
        assert result.structured_content is not None
        assert {**result.structured_content, **json.loads(HERE)} == result.structured_content
        assert result.structured_content["why"]["feature"] == "branch"
        refused = await call("rstn_get_context", feature="060")
        assert text_of(refused).startswith("Error: Unknown parameter: feature.")


async def test_vector_3_feature_json_is_followed_and_the_branch_warned_of(call: Caller) -> None:
    features = Features(call.project.root)
    features.write("specs/002-other/spec.md", "# Other\n")
    named(features, "specs/002-other")
    result = await call("rstn_get_context")
    assert json.loads(text_of(result))["feature_number"] == "002"
    warning = "branch '060-mcp' means specs/060-mcp, but .specify/feature.json names specs/002-other"
    note = result.content[1]
    assert isinstance(note, TextContent)
    assert note.text.startswith(f"Warning: {warning}")
    assert result.structured_content is not None
    assert result.structured_content["warnings"][0].startswith(warning)


@pytest.mark.parametrize(
    ("branch", "expected"),
    [
        ("feat/060-mcp", f"specs/{NAME}"),
        ("jdoe/web/060_mcp", f"specs/{NAME}"),
        ("060-another-name", f"specs/{NAME}"),
        ("1060-mcp", None),
        ("60-mcp", None),
        ("main", None),
    ],
)
async def test_branches_are_matched_by_their_last_part(
    features: Features, branch: str, expected: str | None
) -> None:
    features.project.git("switch", "-qc", branch)
    assert (await context(features))["spec_dir"] == expected


async def test_a_worktree_has_its_own_branch_and_a_detached_head_none(
    features: Features, tmp_path: Path
) -> None:
    features.write("specs/061-next/spec.md", "# Next\n")
    features.project.git("add", "-A")
    features.project.git("commit", "-qm", "Next")
    features.project.git("worktree", "add", "-qb", "061-next", str(tmp_path / "tree"))
    found = await context(features, tmp_path / "tree" / "specs")
    assert (found["branch"], found["spec_dir"]) == ("061-next", "specs/061-next")
    assert (await context(features))["spec_dir"] == f"specs/{NAME}"
    features.project.git("switch", "-q", "--detach")
    assert (await context(features))["spec_dir"] is None
    named(features, f"specs/{NAME}")
    found = await context(features)
    assert (found["branch"], found["spec_dir"]) == (None, f"specs/{NAME}")


async def test_the_environment_names_a_feature_before_all_else(features: Features) -> None:
    features.write("specs/061-next/spec.md", "# Next\n")
    found = await context(features, SPECIFY_FEATURE_DIRECTORY="specs/061-next")
    assert (found["spec_dir"], found["why"]["feature"]) == ("specs/061-next", "SPECIFY_FEATURE_DIRECTORY")
    assert (await context(features, SPECIFY_FEATURE="061"))["spec_dir"] == "specs/061-next"


# Documents


@pytest.mark.requirement(
    "speckit:read_spec:reads_an_artifact",
    "speckit:read_spec:answers_with_the_text",
    "speckit:read_spec:spec_is_spec_md",
    "speckit:read_spec:plan_is_plan_md",
    "speckit:read_spec:tasks_is_tasks_md",
    "speckit:read_spec:checklist_is_checklist_md",
    "speckit:read_spec:analysis_is_analysis_md",
    "speckit:read_spec:changes_nothing",
)
@pytest.mark.parametrize("artifact", ["spec", "plan", "tasks", "checklist", "analysis"])
async def test_each_artifact_is_read_as_it_is(call: Caller, artifact: str) -> None:
    features = Features(call.project.root)
    features.write(f"specs/{NAME}/{artifact}.md", f"\ufeff# {artifact} 日本\r\n\r\nno end")
    before = tree(features.root)
    result = await call("rstn_read_spec", artifact=artifact)
    assert text_of(result) == f"# {artifact} 日本\r\n\r\nno end"
    assert (len(result.content), result.structured_content) == (1, None)
    assert tree(features.root) == before


@pytest.mark.requirement(
    "speckit:read_spec:not_found_is_an_error", "speckit:read_spec:no_feature_is_an_error"
)
async def test_vector_4_what_is_not_there_is_told_with_what_makes_it(call: Caller) -> None:
    features = Features(call.project.root)
    features.folder.joinpath("plan.md").unlink()
    result = await call("rstn_read_spec", artifact="plan")
    assert result.is_error
    assert [block.text for block in result.content if isinstance(block, TextContent)] == [
        "Artifact 'plan' not found. Feature context: 060-mcp",
        "/speckit.plan writes specs/060-mcp/plan.md.",
    ]
    features.project.git("switch", "-qc", "main")
    said = await call.error("rstn_read_spec", artifact="spec")
    assert said == "Artifact 'spec' not found. Feature context: None"


async def test_checklists_are_read_from_their_folder(call: Caller) -> None:
    features = Features(call.project.root)
    features.write(f"specs/{NAME}/checklists/ux.md", "- [ ] CHK001 b\n")
    assert await call.text("rstn_read_spec", artifact="checklist") == "- [ ] CHK001 b\n"
    features.write(f"specs/{NAME}/checklists/requirements.md", "- [x] CHK001 a\n")
    assert await call.text("rstn_read_spec", artifact="checklist") == (
        "<!-- checklists/requirements.md -->\n- [x] CHK001 a\n\n<!-- checklists/ux.md -->\n- [ ] CHK001 b\n"
    )
    assert (await call.data("rstn_get_context"))["checklists"] == {"open": 1, "total": 2}


@pytest.mark.requirement(
    "speckit:read_spec:artifact_is_one_of_five", "speckit:read_spec:unknown_artifact_is_refused"
)
@pytest.mark.parametrize("artifact", ["SPEC", "../spec", "spec.md", ""])
async def test_other_artifacts_are_refused(call: Caller, artifact: str) -> None:
    assert await call.error("rstn_read_spec", artifact=artifact) == (
        f"Error: Invalid artifact: {artifact}. Expected spec, plan, tasks, checklist or analysis"
    )


async def test_a_long_document_comes_in_pieces(call: Caller) -> None:
    features = Features(call.project.root)
    text = "".join(f"line {n} é\n" for n in range(9000))
    features.write(f"specs/{NAME}/spec.md", text)
    read, offset = "", 0
    while True:
        result = await call("rstn_read_spec", artifact="spec", offset=offset)
        piece = text_of(result)
        assert 0 < len(piece) < 50_000
        read, offset = read + piece, offset + len(piece)
        note = result.content[1]
        assert isinstance(note, TextContent)
        if "offset=" not in note.text:
            break
        assert f"offset={offset} gives the next ones" in note.text
    assert read == text


async def test_bytes_that_are_no_text_are_shown_as_such(call: Caller) -> None:
    Features(call.project.root).write(f"specs/{NAME}/spec.md", b"# a\xff\n")
    assert await call.text("rstn_read_spec", artifact="spec") == "# a\N{REPLACEMENT CHARACTER}\n"
