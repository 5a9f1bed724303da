"""`chant_log`: the tail of a log, pages of it, and what came after a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from chant.reading import LAW, ONE_ERA, drive
from hypothesis import given
from hypothesis import strategies as st
from writing import answer_text

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio


def four(data: dict[str, Any]) -> dict[str, Any]:
    """Give the keys that the seed names, in the order of the answer; we may add others behind them."""
    assert list(data)[:4] == ["content", "byte_offset", "line_count", "has_more"]
    return {key: data[key] for key in list(data)[:4]}


def numbered(first: int, last: int) -> str:
    return "".join(f"line {n}\n" for n in range(first, last + 1))


@pytest.mark.requirement("chant:log:answer_has_four_keys")
async def test_a_short_log_is_given_whole(call: Caller) -> None:
    call.project.spec("2026-01-22-001-x7m")
    call.project.log("2026-01-22-001-x7m", "first\n\nthird with ünïcode\n")

    expected = {
        "content": "first\n\nthird with ünïcode",
        "byte_offset": 28,
        "line_count": 3,
        "has_more": False,
    }
    data = await call.data("chant_log", id="001")
    assert four(data) == expected
    assert await call.text("chant_log", id="001") == answer_text(data)


@pytest.mark.requirement("chant:log:default_is_the_last_100_lines")
@ONE_ERA
@pytest.mark.parametrize(
    ("there", "lines", "first", "more"),
    [
        (250, None, 151, True),
        (101, None, 2, True),
        (100, None, 1, False),
        (99, None, 1, False),
        (250, 3, 248, True),
        (250, 250, 1, False),
        (250, 249, 2, True),
        (250, 100_000, 1, False),
    ],
)
async def test_without_an_offset_the_last_lines_are_given(
    call: Caller, there: int, lines: int | None, first: int, more: bool
) -> None:
    call.project.spec("one")
    call.project.log("one", numbered(1, there))

    data = await call.data("chant_log", id="one", **({} if lines is None else {"lines": lines}))
    assert four(data) == {
        "content": numbered(first, there).rstrip("\n"),
        "byte_offset": len(numbered(1, there)),
        "line_count": there - first + 1,
        "has_more": more,
    }


async def test_a_missing_log_is_explained(call: Caller) -> None:
    call.project.spec("one")

    assert await call.error("chant_log", id="one") == (
        "No log file found for spec 'one'. Logs are created when a spec is executed with `chant work`."
    )


@pytest.mark.requirement("chant:log:answer_has_four_keys")
async def test_an_empty_log_is_empty(call: Caller) -> None:
    call.project.spec("one")
    call.project.log("one", "")

    expected = {"content": "", "byte_offset": 0, "line_count": 0, "has_more": False}
    assert four(await call.data("chant_log", id="one")) == expected
    assert four(await call.data("chant_log", id="one", offset=0)) == expected


@pytest.mark.requirement("chant:log:offset_starts_at_a_byte")
async def test_an_offset_gives_what_follows_it(call: Caller) -> None:
    call.project.spec("one")
    call.project.log("one", "aaa\nbbb\nccc\n")

    data = await call.data("chant_log", id="one", offset=4)
    assert four(data) == {"content": "bbb\nccc", "byte_offset": 12, "line_count": 2, "has_more": False}
    data = await call.data("chant_log", id="one", offset=0, lines=1)
    assert four(data) == {"content": "aaa", "byte_offset": 4, "line_count": 1, "has_more": True}
    data = await call.data("chant_log", id="one", offset=4, lines=1)
    assert four(data) == {"content": "bbb", "byte_offset": 8, "line_count": 1, "has_more": True}
    data = await call.data("chant_log", id="one", offset=8, lines=1)
    assert four(data) == {"content": "ccc", "byte_offset": 12, "line_count": 1, "has_more": False}


@pytest.mark.requirement("chant:log:offset_starts_at_a_byte")
async def test_an_offset_beyond_the_end_tells_that_the_log_was_begun_anew(call: Caller) -> None:
    call.project.spec("one")
    call.project.log("one", "old\n" * 10)
    old = (await call.data("chant_log", id="one"))["byte_offset"]
    assert "note" not in await call.data("chant_log", id="one", offset=old)
    call.project.log("one", "new\n")

    data = await call.data("chant_log", id="one", offset=old)
    assert four(data) == {"content": "", "byte_offset": 4, "line_count": 0, "has_more": False}
    assert "started again" in data["note"]
    assert "offset 0" in data["note"]
    assert "note" not in await call.data("chant_log", id="one", offset=4)


@pytest.mark.requirement("chant:log:polling_returns_only_new_content")
async def test_polling_gives_only_what_was_added(call: Caller) -> None:
    call.project.spec("one")
    path = call.project.log("one", numbered(1, 150))
    at = (await call.data("chant_log", id="one"))["byte_offset"]
    assert (await call.data("chant_log", id="one", offset=at))["content"] == ""
    for n in range(151, 156):
        with path.open("a", encoding="utf-8") as log:
            log.write(f"line {n}\n")
        data = await call.data("chant_log", id="one", offset=at)
        assert (data["content"], data["line_count"]) == (f"line {n}", 1)
        at = data["byte_offset"]


async def test_an_incomplete_last_line_is_given_once_it_is_complete(call: Caller) -> None:
    call.project.spec("one")
    path = call.project.log("one", "whole\nhal")

    tail = await call.data("chant_log", id="one")
    assert (tail["content"], tail["byte_offset"], tail["line_count"]) == ("whole", 6, 1)
    page = await call.data("chant_log", id="one", offset=6)
    assert (page["content"], page["byte_offset"], page["line_count"]) == ("", 6, 0)
    with path.open("a", encoding="utf-8") as log:
        log.write("f\n")
    page = await call.data("chant_log", id="one", offset=6)
    assert (page["content"], page["byte_offset"], page["line_count"]) == ("half", 11, 1)


async def test_a_log_of_one_incomplete_line_is_empty_so_far(call: Caller) -> None:
    call.project.spec("one")
    call.project.log("one", "no newline yet")

    data = await call.data("chant_log", id="one")
    assert (data["content"], data["byte_offset"], data["line_count"]) == ("", 0, 0)


@ONE_ERA
@pytest.mark.parametrize("offset", [8, 9, 10**6, 2**53])
async def test_an_offset_at_or_past_the_end_gives_nothing(call: Caller, offset: int) -> None:
    call.project.spec("one")
    call.project.log("one", "aaa\nbbb\n")

    data = await call.data("chant_log", id="one", offset=offset)
    assert (data["content"], data["line_count"], data["has_more"]) == ("", 0, False)


async def test_a_log_that_began_anew_can_be_followed(call: Caller) -> None:
    call.project.spec("one")
    call.project.log("one", numbered(1, 50))
    at = (await call.data("chant_log", id="one"))["byte_offset"]
    call.project.log("one", "new\n")

    data = await call.data("chant_log", id="one", offset=at)
    assert data["content"] == ""
    assert data["byte_offset"] <= 4, "the next call would wait past the end of the new log"


@pytest.mark.requirement("chant:log:offset_starts_at_a_byte")
@ONE_ERA
@pytest.mark.parametrize("arguments", [{"offset": -1}, {"lines": -1}, {"offset": "4"}, {"lines": 1.5}])
async def test_a_negative_or_ill_typed_number_is_refused(call: Caller, arguments: dict[str, Any]) -> None:
    call.project.spec("one")
    call.project.log("one", "x\n")

    name = next(iter(arguments))
    assert (await call.error("chant_log", id="one", **arguments)).startswith(f"Invalid parameter '{name}'")


async def test_no_lines_asked_for_gives_none_and_skips_none(call: Caller) -> None:
    call.project.spec("one")
    call.project.log("one", "aaa\nbbb\n")

    data = await call.data("chant_log", id="one", lines=0, offset=4)
    assert four(data) == {"content": "", "byte_offset": 4, "line_count": 0, "has_more": True}
    data = await call.data("chant_log", id="one", lines=0)
    assert (data["content"], data["line_count"], data["has_more"]) == ("", 0, True)


@ONE_ERA
@pytest.mark.parametrize("text", ["日本\nnext\n", "🎉🎉\nnext\n", "é\nnext\n"])
async def test_an_offset_inside_a_character_is_safe(call: Caller, text: str) -> None:
    call.project.spec("one")
    call.project.log("one", text)

    for offset in range(len(text.encode()) + 2):
        data = await call.data("chant_log", id="one", offset=offset)
        assert ("next" in data["content"]) == (offset <= len(text.encode()) - 5)
        assert data["byte_offset"] == max(len(text.encode()), data["byte_offset"])


async def test_bytes_that_are_no_text_are_replaced(call: Caller) -> None:
    call.project.spec("one")
    log = b"good\n\xff\xfe bad\n\x00nul\x1b[31m\n\xe6\x97\n"
    call.project.log("one", log)

    data = await call.data("chant_log", id="one")
    assert data["content"] == "good\n\ufffd\ufffd bad\n\x00nul\x1b[31m\n\ufffd"
    assert (data["byte_offset"], data["line_count"]) == (len(log), 4)
    data = await call.data("chant_log", id="one", offset=5)
    assert data["content"].startswith("\ufffd\ufffd bad")


# since


STAMPED = (
    "# Agent Log: one\n"
    "2026-02-02T09:59:59.999Z out before\n"
    "2026-02-02T10:00:00.000Z out at\n"
    "a line without a stamp\n"
    "2026-02-02T10:00:00.001Z err after\n"
    "2026-02-02T12:00:00.000+02:00 out at, elsewhere\n"
    "2026-02-02T12:00:01+02:00 out after, elsewhere\n"
    "2026-02-02T11:00:00Z out whole seconds\n"
    "日本語日本語日本語日本語 not a stamp\n"
    "short\n"
)


@pytest.mark.requirement("chant:log:since_drops_older_lines")
@ONE_ERA
@pytest.mark.parametrize(
    "since", ["2026-02-02T10:00:00Z", "2026-02-02T11:00:00+01:00", "2026-02-02T10:00:00.000Z"]
)
async def test_since_drops_lines_that_are_not_later(call: Caller, since: str) -> None:
    call.project.spec("one")
    call.project.log("one", STAMPED)

    data = await call.data("chant_log", id="one", since=since)
    assert data["content"].splitlines() == [
        "# Agent Log: one",
        "a line without a stamp",
        "2026-02-02T10:00:00.001Z err after",
        "2026-02-02T12:00:01+02:00 out after, elsewhere",
        "2026-02-02T11:00:00Z out whole seconds",
        "日本語日本語日本語日本語 not a stamp",
        "short",
    ]
    assert (data["line_count"], data["has_more"]) == (7, False)
    assert data["byte_offset"] == len(STAMPED.encode())


@pytest.mark.requirement("chant:log:since_drops_older_lines", "chant:log:default_is_the_last_100_lines")
async def test_since_and_lines_work_together(call: Caller) -> None:
    call.project.spec("one")
    minutes = [f"2026-02-02T10:{n:02}:00Z out {n}\n" for n in range(60)]
    call.project.log("one", "".join(minutes))

    data = await call.data("chant_log", id="one", since="2026-02-02T10:50:00Z", lines=3)
    assert data["content"] == "".join(minutes[57:]).rstrip("\n")
    assert data["has_more"] is True
    data = await call.data("chant_log", id="one", since="2026-02-02T10:50:00Z", lines=9)
    assert (data["line_count"], data["has_more"]) == (9, False)
    data = await call.data("chant_log", id="one", since="2026-02-02T10:50:00Z", offset=0, lines=2)
    assert data["content"] == "".join(minutes[51:53]).rstrip("\n")
    assert data["byte_offset"] == len("".join(minutes[:53]))
    assert data["has_more"] is True


@pytest.mark.requirement("chant:log:since_drops_older_lines")
async def test_since_after_everything_gives_nothing(call: Caller) -> None:
    call.project.spec("one")
    call.project.log("one", "2026-02-02T10:00:00Z out x\n")

    data = await call.data("chant_log", id="one", since="2030-01-01T00:00:00Z")
    assert four(data) == {"content": "", "byte_offset": 27, "line_count": 0, "has_more": False}


@ONE_ERA
@pytest.mark.parametrize(
    "since", ["yesterday", "", "10:00", "2026-13-40T99:00:00Z", "2026-02-02T10:00:00 and more"]
)
async def test_a_since_that_is_no_time_is_refused(call: Caller, since: str) -> None:
    call.project.spec("one")
    call.project.log("one", STAMPED)

    error = await call.error("chant_log", id="one", since=since)
    assert error.startswith("Invalid parameter 'since'")
    assert "before" not in error


# Size


@ONE_ERA
@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([f"{n} " + "x" * 3_000 for n in range(100)], id="long lines"),
        pytest.param([f'{n} "\\\t' * 400 for n in range(60)], id="much to escape"),
        pytest.param(["short", "y" * 120_000, "short again"], id="a line larger than an answer"),
        pytest.param(["é" * 70_000, "日" * 70_000], id="large characters"),
    ],
)
async def test_pages_of_a_large_log_fit_an_answer_and_lose_nothing(call: Caller, lines: list[str]) -> None:
    call.project.spec("one")
    whole = "".join(f"{line}\n" for line in lines)
    call.project.log("one", whole)

    tail = await call.text("chant_log", id="one", lines=1_000)
    assert len(tail) < 50_000
    assert json.loads(tail)["has_more"] is True
    at, found = 0, b""
    while True:
        text = await call.text("chant_log", id="one", offset=at, lines=1_000)
        assert len(text) < 50_000
        data = json.loads(text)
        if not data["content"] and not data["has_more"]:
            break
        assert data["byte_offset"] > at, "a page without progress"
        found += data["content"].encode()
        if whole.encode()[: data["byte_offset"]].endswith(b"\n"):
            found += b"\n"
        at = data["byte_offset"]
    assert found.decode() == whole


@pytest.mark.requirement("chant:log:default_is_the_last_100_lines")
async def test_the_tail_of_a_huge_log_is_given(call: Caller) -> None:
    call.project.spec("one")
    call.project.log("one", numbered(1, 400_000))

    data = await call.data("chant_log", id="one", lines=2)
    assert (data["content"], data["has_more"]) == ("line 399999\nline 400000", True)
    assert data["byte_offset"] == len(numbered(1, 400_000))


@pytest.mark.requirement("chant:log:answer_has_four_keys")
async def test_windows_line_ends_are_taken_as_line_ends(call: Caller) -> None:
    call.project.spec("one")
    call.project.log("one", "one\r\ntwo\r\n")

    data = await call.data("chant_log", id="one")
    assert data["content"].split("\n") in (["one", "two"], ["one\r", "two\r"])
    assert (data["byte_offset"], data["line_count"]) == (10, 2)


@ONE_ERA
@pytest.mark.parametrize("kind", ["folder", "dangling", "outside"])
async def test_a_log_that_is_no_file_of_the_project_is_not_read(call: Caller, kind: str) -> None:
    call.project.spec("one")
    path = call.project.log("other", "x\n").with_name("one.log")
    outside = call.project.root.parent / "secret.txt"
    outside.write_text("the secret\n", encoding="utf-8")
    if kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(outside if kind == "outside" else "nowhere")

    error = await call.error("chant_log", id="one")
    assert "secret" not in error.replace("secret.txt", "")


def test_pages_cover_any_log_in_order(project: Project) -> None:
    server = project.server()
    project.spec("one")

    @LAW
    @given(chunks=st.lists(st.text("ab é\n日", max_size=9), min_size=1, max_size=5), lines=st.integers(1, 3))
    def law(chunks: list[str], lines: int) -> None:
        async def example(call: Caller) -> None:
            written, found, at = "", "", 0
            path = project.log("one", "")
            for chunk in chunks:
                written += chunk
                with path.open("a", encoding="utf-8", newline="") as log:
                    log.write(chunk)
                while True:
                    data = await call.data("chant_log", id="one", offset=at, lines=lines)
                    assert data["line_count"] <= lines
                    at = data["byte_offset"]
                    if data["line_count"]:
                        found += data["content"] + "\n"
                    if not data["has_more"]:
                        break
                assert found == written[: written.rfind("\n") + 1]
                assert at == len(found.encode())

        drive(project, server, example)

    law()
