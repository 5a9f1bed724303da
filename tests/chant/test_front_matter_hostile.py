"""Files that would do harm: huge, deep, or no text at all (reference 2.1, 2.2)."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from chant.malformed import LISTING, problem, refused
from chant.reading import ONE_ERA, ids, listed, problem_of

if TYPE_CHECKING:
    from harness import Caller

pytestmark = pytest.mark.anyio


async def test_ten_thousand_keys_are_read_in_reasonable_time(call: Caller) -> None:
    yaml = "".join(f"key_{n}: value {n}\n" for n in range(10_000))
    path = call.project.write("one", f"---\nstatus: completed\n{yaml}labels: [last]\n---\n# One\n")
    call.project.spec("good")
    began = time.process_time()
    data = await call.data("chant_spec_get", id="one")

    assert time.process_time() - began < 5
    assert (data["status"], data["labels"]) == ("completed", ["last"])
    assert len(await call.text("chant_spec_get", id="one")) < 50_000
    before = path.read_bytes()
    await call.text("chant_spec_update", id="one", model="haiku")
    assert path.read_bytes() == before.replace(b"labels: [last]\n", b"labels: [last]\nmodel: haiku\n")


def bomb(width: int) -> str:
    lines = ["a0: &a0 [lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, 12)]
    return "\n".join(lines)


@ONE_ERA
@pytest.mark.parametrize("width", [9, 100])
@pytest.mark.parametrize("key", ["labels", "depends_on", "approval", "status"])
async def test_an_alias_bomb_is_a_problem(call: Caller, width: int, key: str) -> None:
    began = time.process_time()
    await problem(call, f"---\n{bomb(width)}\n{key}: *a11\n---\n# Bomb\n")
    assert time.process_time() - began < 5


@ONE_ERA
@pytest.mark.parametrize("key", ["custom", "tracks", "retry_state"])
async def test_an_alias_bomb_in_keys_we_do_not_need_does_no_harm(call: Caller, key: str) -> None:
    text = f"---\n{bomb(100)}\n{key}: *a11\nstatus: pending\n---\n# Bomb\n"
    path = call.project.write("one", text)
    began = time.process_time()
    for tool, arguments in LISTING:
        await call.data(tool, **arguments)
    for tool in ("chant_spec_get", "chant_lint", "chant_verify", "chant_diagnose"):
        assert len((await call(tool, id="one")).content[0].model_dump_json()) < 50_000
    await call("chant_spec_update", id="one", model="haiku")

    assert path.read_text(encoding="utf-8").replace("model: haiku\n", "") == text
    assert time.process_time() - began < 5


async def test_anchors_and_merge_keys_in_reason_are_read(call: Caller) -> None:
    call.project.write("one", "---\nlabels: &l [a, b]\ntarget_files: *l\nstatus: &s completed\n---\n# One\n")

    data = await call.data("chant_spec_get", id="one")
    assert (data["labels"], data["target_files"], data["status"]) == (["a", "b"], ["a", "b"], "completed")


@ONE_ERA
@pytest.mark.parametrize("opener", ["[", "{a: ", "- ", "? "])
async def test_deep_nesting_is_a_problem_in_no_time(call: Caller, opener: str) -> None:
    began = time.process_time()
    await refused(call, f"---\nx: {opener * 20_000}\n---\n# Deep\n")
    assert time.process_time() - began < 1


@ONE_ERA
@pytest.mark.parametrize(
    "text",
    [
        "---\nstatus: pending\nlabels: ['a\0b']\n---\n# One\n",
        "---\nstatus: pend\0ing\n---\n# One\n",
        "\0---\nstatus: completed\n---\n# One\n",
        "---\nstatus: completed\n---\n# O\0ne\n\0\0\n",
        "\0" * 1_000,
    ],
)
async def test_nul_bytes_lose_nothing(call: Caller, text: str) -> None:
    path = call.project.write("one", text)
    call.project.spec("good")

    data = await call.data("chant_spec_list")
    assert "good" in ids(data)
    if "one" in ids(data):
        assert "\0" in json.dumps(await call.data("chant_spec_get", id="one")).encode().decode(
            "unicode_escape"
        )
        await call("chant_spec_update", id="one", model="haiku")
        assert path.read_bytes().replace(b"model: haiku\n", b"").count(b"\0") == text.count("\0")
    else:
        assert problem_of(data, "one.md")
        assert await call.error("chant_spec_update", id="one", model="haiku")
        assert path.read_bytes() == text.encode()


@ONE_ERA
@pytest.mark.parametrize(
    "text",
    [
        b"---\nstatus: pending\n---\n# One \xff\n",
        b"---\nlabels: ['\xe6\x97']\n---\n# One\n",
        b"\xff\xfe-\x00-\x00-\x00\n\x00",
        "---\nstatus: pending\n---\n# Größe\n".encode("latin-1"),
        b"\xed\xa0\x80",
    ],
)
async def test_a_file_that_is_not_utf8_is_a_problem(call: Caller, text: bytes) -> None:
    assert "UTF-8" in await refused(call, text)


async def test_a_spec_of_ten_megabytes_is_served_and_edited(call: Caller) -> None:
    body = "# Large\n\n## Acceptance Criteria\n\n- [ ] a\n\n## Notes\n\n" + "word é and word\n" * 600_000
    path = call.project.write("one", f"---\nstatus: pending\n---\n{body}")
    assert path.stat().st_size > 10_000_000

    assert await listed(call) == {"one": "pending"}
    data = await call.data("chant_spec_get", id="one")
    assert body.startswith(data["body"])
    assert data["criteria"] == {"total": 1, "checked": 0, "unchecked": 1}
    assert ids(await call.data("chant_search", query="É AND")) == ["one"]
    last = await call.data("chant_spec_get", id="one", offset=len(body.strip()) - 4)
    assert last["body"] == "word"
    assert (await call.data("chant_lint", id="one"))["scores"][0]["complexity"] == "D"
    await call.text("chant_spec_update", id="one", check=["a"], status="in_progress")
    assert path.read_bytes().decode() == f"---\nstatus: in_progress\n---\n{body}".replace("[ ]", "[x]")
