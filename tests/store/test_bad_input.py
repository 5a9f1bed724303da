"""Bad files: a clear answer, nothing lost, no one else disturbed (issue: Bad input)."""

from __future__ import annotations

import os
import resource
import socket
import time
from typing import TYPE_CHECKING, Any

import pytest
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
from writing import ID, OTHER, changed, leftovers, run_python, tree

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio

TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("chant_spec_update", {"status": "failed", "force": True}),
    ("chant_spec_update", {"output": "x"}),
    ("chant_spec_update", {"output": "x", "replace_body": True}),
    ("chant_finalize", {}),
    ("chant_cancel", {}),
    ("chant_reset", {}),
    ("chant_archive", {}),
]


def test_a_spec_of_ten_megabytes_is_edited_like_any_other(project: Project) -> None:
    boxes = "".join(f"- [ ] criterion {number}\n" for number in range(1000))
    filler = "A line of a very long log that somebody pasted.\n" * 220_000
    text = (
        f"---\nstatus: pending # so\n---\n\n# Work\n\n## Acceptance Criteria\n\n{boxes}\n## Log\n\n{filler}"
    )
    before = project.write(ID, text).read_bytes()
    assert len(before) > 10_000_000
    start = time.process_time()
    chant = ChantProject(project.root)
    chant.spec_update(ID, status="in_progress", check=["criterion 500"])
    after = project.path(ID).read_bytes()
    assert len(after) == len(before) + len("in_progress") - len("pending")
    head, tail = after.split(b"\n## Log\n", 1)
    assert tail == before.split(b"\n## Log\n", 1)[1]
    assert changed(before.split(b"\n## Log\n", 1)[0], head) == [
        "-status: pending # so",
        "+status: in_progress # so",
        "-- [ ] criterion 500",
        "+- [x] criterion 500",
    ]
    chant.spec_update(ID, output="The end.")
    assert project.path(ID).read_bytes() == after + b"\n## Output\n\nThe end.\n"
    assert chant.verify(ID).data["criteria"]["checked"] == 1
    assert time.process_time() - start < 20, "reasonable time"


def test_an_edit_never_makes_a_spec_too_large_to_be_read(project: Project) -> None:
    """There is a largest size that is read; an edit beyond it is refused, or still read."""
    project.write(ID, "---\nstatus: pending\n---\n\n# Work\n\n" + "x" * (31 * 1024 * 1024) + "\n")
    before = project.path(ID).stat().st_size
    chant = ChantProject(project.root)
    assert chant.spec_list().data["total"] == 1
    try:
        chant.spec_update(ID, output="y" * (2 * 1024 * 1024))
    except ChantError:
        assert project.path(ID).stat().st_size == before
    listed = ChantProject(project.root).spec_list().data
    assert not listed.get("problems")
    assert listed["total"] == 1


def test_ten_thousand_keys_are_edited_in_reasonable_time(project: Project) -> None:
    keys = "".join(f"key_{number}: value {number}\n" for number in range(10_000))
    before = project.write(ID, f"---\n{keys}status: pending\n---\n\n# Work\n").read_bytes()
    start = time.process_time()
    chant = ChantProject(project.root)
    listed = chant.spec_list().data
    if listed.get("problems"):
        with pytest.raises(ChantError):
            chant.spec_update(ID, status="in_progress")
        assert project.path(ID).read_bytes() == before
    else:
        chant.spec_update(ID, status="in_progress")
        lines = changed(before[-100:], project.path(ID).read_bytes()[-104:])
        assert lines[-2:] == ["-status: pending", "+status: in_progress"]
        assert len(project.path(ID).read_bytes()) == len(before) + 4
        chant.spec_update(ID, labels=["a"], target_files=["b"], model="m", depends_on=[])
        assert ChantProject(project.root).spec_get(ID).data["labels"] == ["a"]
    assert time.process_time() - start < 20, "reasonable time"


BOMBS = {
    "lists": "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)),
    "maps": "a0: &a0 {x: y}\n"
    + "".join(f"a{n}: &a{n} {{{', '.join(f'k{m}: *a{n - 1}' for m in range(10))}}}\n" for n in range(1, 10)),
    "merges": "a0: &a0 {x: y}\n"
    + "".join(f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10)),
    "under a known key": "x0: &x0 [a, a, a, a, a, a, a, a, a, a]\n"
    + "".join(f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 10)}]\n" for n in range(1, 10))
    + "labels: *x9\n",
    "depth": "deep: " + "[" * 20_000 + "]" * 20_000 + "\n",
    "block depth": "deep:\n" + "".join(f"{' ' * n}k:\n" for n in range(1, 3000)),
}

BOMB = """\
import sys, resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
chant = ChantProject(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
listed = chant.spec_list().data
assert "2026-01-22-002-abc" in [spec["id"] for spec in listed["specs"]], listed
for id in ("2026-01-22-001-x7m", "2026-01-22-002-abc"):
    try:
        chant.spec_update(id, labels=["a"])
        print("edited", id)
    except ChantError as error:
        print("refused", id)
chant.lint()
used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
assert used < 300_000, f"{used} KiB more memory"
print("problems", [problem["path"] for problem in chant.spec_list().data.get("problems") or []])
"""


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_does_not_go_off(project: Project, name: str) -> None:
    data = project.write(ID, f"---\nstatus: pending\n{BOMBS[name]}---\n\n# Work\n").read_bytes()
    project.spec(OTHER)
    done = run_python(BOMB, project.root, preexec_fn=_little_memory)
    assert done.returncode == 0, done.stderr[-2000:]
    assert f"edited {OTHER}" in done.stdout
    if f"refused {ID}" in done.stdout:
        assert project.path(ID).read_bytes() == data
        assert ID in done.stdout.split("problems")[1]
    else:
        assert name in ("merges", "block depth", "depth", "lists", "maps"), "labels cannot hold a bomb"


def _little_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (4 * 1024**3, 4 * 1024**3))


NULS = {
    "in the body": b"---\nstatus: in_progress\n---\n\n# W\0rk\n\n\0\0\n",
    "in a value": b"---\nstatus: in_progress\nowner: a\0da\n---\n\n# Work\n",
    "in the status": b"---\nstatus: in_\0progress\n---\n\n# Work\n",
    "in a comment": b"---\nstatus: in_progress # \0\n---\n\n# Work\n",
    "only": b"\0" * 100,
    "at the end": b"---\nstatus: in_progress\n---\n\n# Work\n\0",
}


@pytest.mark.parametrize("where", NULS)
async def test_nul_bytes_in_a_file_lose_nothing(call: Caller, where: str) -> None:
    data = NULS[where]
    call.project.write(ID, data)
    call.project.spec(OTHER)
    listed = await call.data("chant_spec_list")
    assert OTHER in [spec["id"] for spec in listed["specs"]]
    result = await call("chant_spec_update", id=ID, status="failed", force=True)
    after = call.project.path(ID).read_bytes()
    if result.is_error:
        assert after == data
        assert ID in str(listed.get("problems")) or ID in str(result.content)
        return
    assert after.count(b"\0") == data.count(b"\0")
    lines = changed(data, after)
    assert all(line.startswith(("-status", "+", "-\0")) for line in lines)
    assert (await call.data("chant_spec_get", id=ID))["status"] == "failed"


@pytest.mark.parametrize(
    "arguments",
    [
        {"output": "a\0b"},
        {"output": "a\0b", "replace_body": True},
        {"model": "a\0b"},
        {"labels": ["a\0b"]},
        {"target_files": ["a\0b"]},
        {"depends_on": ["a\0b"]},
        {"check": ["a\0b"]},
        {"status": "pend\0ing"},
    ],
    ids=str,
)
async def test_nul_bytes_in_an_argument_are_refused_or_read_back(
    call: Caller, arguments: dict[str, Any]
) -> None:
    call.project.spec(ID)
    before = tree(call.project.root)
    result = await call("chant_spec_update", id=ID, **arguments)
    if result.is_error:
        assert tree(call.project.root) == before
        return
    spec = await call.data("chant_spec_get", id=ID)
    (key,) = arguments
    assert spec[key] == arguments[key]
    assert b"\0" not in call.project.path(ID).read_bytes()


@pytest.mark.parametrize("where", ["front matter", "body", "one byte", "utf-16", "cut character"])
async def test_a_file_that_is_not_utf8_is_told_and_kept(call: Caller, where: str) -> None:
    data = {
        "front matter": b"---\nstatus: in_progress\nowner: \xff\xfe\n---\n\n# Work\n",
        "body": b"---\nstatus: completed\n---\n\n# W\xf6rk\n",
        "one byte": b"\x80",
        "utf-16": "---\nstatus: pending\n---\n\n# Work\n".encode("utf-16"),
        "cut character": "---\nstatus: failed\n---\n\n# é".encode()[:-1],
    }[where]
    call.project.write(ID, data)
    call.project.spec(OTHER)
    before = tree(call.project.root)
    for tool, arguments in TOOLS:
        error = await call.error(tool, id=ID, **arguments)
        assert ID in error
        assert "UTF-8" in error
    assert tree(call.project.root) == before
    listed = await call.data("chant_spec_list")
    assert [spec["id"] for spec in listed["specs"]] == [OTHER]
    assert "UTF-8" in str(listed["problems"])
    assert leftovers(call.project.root) == []


@pytest.mark.parametrize("is_full", [True, False])
async def test_a_folder_named_like_a_spec_disturbs_nobody(call: Caller, is_full: bool) -> None:
    folder = call.project.path(ID)
    folder.mkdir()
    if is_full:
        (folder / f"{OTHER}.md").write_text("---\nstatus: in_progress\n---\n\n# Inner\n", encoding="utf-8")
    else:
        call.project.spec(OTHER, status="in_progress")
    before = tree(call.project.root)
    listed = await call.data("chant_spec_list")
    assert [spec["id"] for spec in listed["specs"]] == [OTHER]
    assert ID in str(listed["problems"])
    for tool, arguments in TOOLS:
        await call.error(tool, id=ID, **arguments)
    assert tree(call.project.root) == before
    await call.text("chant_spec_update", id=OTHER, status="failed")
    assert folder.is_dir()


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_what_is_no_file_at_all_is_never_waited_for(project: Project, kind: str) -> None:
    path = project.path(ID)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as end:
            here = os.open(project.specs, os.O_RDONLY)
            end.bind(f"/proc/self/fd/{here}/{path.name}")
            os.close(here)
    else:
        path.symlink_to("/dev/zero")
    project.spec(OTHER)
    chant = ChantProject(project.root)
    listed = chant.spec_list().data
    assert [spec["id"] for spec in listed["specs"]] == [OTHER]
    assert ID in str(listed["problems"])
    with pytest.raises(ChantError):
        chant.spec_update(ID, output="x")
    chant.spec_update(OTHER, output="x")
