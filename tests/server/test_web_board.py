"""The walls of the board in the browser, met with any kind of request; tests/web_board tries its page."""

from __future__ import annotations

import base64
import hashlib
import http.client
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import Project
from server.over_http import TOKEN, enveloped, modern_headers
from server.pipes import ID, PATIENCE, call
from server.web_board_process import WebBoardProcess, start_web_board

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

WAITING = "2026-01-22-002-a1b"


def project_at(folder: Path) -> Project:
    project = Project(folder)
    project.spec(ID, body="# One\n\n## Acceptance Criteria\n\n- [ ] Done")
    project.spec(WAITING, body="# Two\n\n## Acceptance Criteria\n\n- [ ] Done", approval="\n  required: true")
    project.repository()
    project.git("config", "user.name", "Ada")
    project.git("config", "user.email", "ada@example.org")
    return project


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebBoardProcess]:
    """The board of a project, opened by a person."""
    process = start_web_board(project_at(tmp_path_factory.mktemp("board")).root)
    process.open()
    yield process
    process.discard()


def test_a_second_use_of_the_code_ends_the_session(tmp_path: Path) -> None:
    board = start_web_board(project_at(tmp_path).root)
    try:
        first = board.code
        board.open()
        assert board.tool("board_look")["columns"]
        status, answer = board.post("/board/session", {"code": first})
        assert (status, answer["error"]["kind"]) == (401, "UNAUTHORIZED")
        assert board.act("approve", key=f"chant:{WAITING}", version="")[0] == 401
        board.listening.line("opened a second time")
        os.write(board.terminal, b"\n")
        other = board.listening.line(f"#once=(?!{re.escape(first)})(\\S+)")[1]
        assert board.post("/board/session", {"code": other})[0] == 200
        assert board.post("/board/session", {"code": "guessed"})[0] == 401
    finally:
        board.discard()


def test_the_page_holds_no_secret_and_its_policy_fits_it(board: WebBoardProcess) -> None:
    status, headers, html = board.listening.ask("GET", "/board")
    assert status == 200
    assert "set-cookie" not in headers
    assert board.key.encode() not in html
    policy = headers["content-security-policy"]
    for tag in ("script", "style"):
        (text,) = re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>".encode(), html, re.S)
        digest = base64.b64encode(hashlib.sha256(text).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert len(html) <= 80_000


def test_no_one_else_acts(board: WebBoardProcess) -> None:
    project = Project(board.listening.root)
    before = project.text(WAITING)
    seen = board.tool("board_item", key=f"chant:{WAITING}")["version"]
    body = {"act": "approve", "key": f"chant:{WAITING}", "version": seen}
    own, key = board.url, board.key
    refused = [
        (401, {"origin": own}),
        (401, {"origin": own, "authorization": f"Bearer {TOKEN}"}),
        (401, {"origin": own, "authorization": f"Bearer {key}"}),
        (401, {"origin": own, "x_chant_person": key[:-1]}),
        (403, {"x_chant_person": key}),
        (403, {"x_chant_person": key, "origin": "null"}),
        (403, {"x_chant_person": key, "origin": "http://127.0.0.1:1"}),
        (403, {"x_chant_person": key, "origin": "https://example.org"}),
        (421, {"x_chant_person": key, "origin": own, "host": "example.org"}),
    ]
    for expected, headers in refused:
        assert board.ask("POST", "/board/person", body, **headers)[0] == expected, headers
    for path in ("/board/person", "/board/session"):
        assert board.ask("GET", path, x_chant_person=key)[0] == 405
    assert board.ask("GET", "/board/events")[0] == 401
    message = enveloped(call(1, "chant_status"))
    assert board.ask("POST", "/mcp", message, **modern_headers(message))[0] == 401
    assert board.ask("POST", "/mcp", message, **modern_headers(message, x_chant_person="no"))[0] == 401
    assert project.text(WAITING) == before


def test_a_person_decides_about_what_they_saw(tmp_path: Path) -> None:
    project = project_at(tmp_path)
    board = start_web_board(project.root)
    try:
        board.open()
        key = f"chant:{WAITING}"
        assert [entry["kind"] for entry in board.tool("board_inbox")["entries"]] == ["approval"]
        seen = board.tool("board_item", key=key)["version"]
        project.write(WAITING, project.text(WAITING) + "\nMore.\n")
        changed = project.text(WAITING)
        status, answer = board.act("approve", key=key, version=seen)
        assert (status, answer["error"]["kind"]) == (409, "CONFLICT")
        assert project.text(WAITING) == changed
        seen = board.tool("board_item", key=key)["version"]
        status, answer = board.act("reject", key=key, version=seen, reason=" ")
        assert (status, answer["error"]["kind"]) == (400, "INVALID_ARGUMENT")
        assert project.text(WAITING) == changed
        status, answer = board.act("approve", key=key, version=seen)
        assert status == 200, answer
        assert "status: approved" in project.text(WAITING)
        status, answer = board.act("erase", key=key)
        assert status == 400
        assert "approve" in answer["error"]["message"]
    finally:
        board.discard()


def test_a_board_to_look_at_changes_nothing(tmp_path: Path) -> None:
    project = project_at(tmp_path)
    board = start_web_board(project.root, "--read-only")
    try:
        board.open()
        before = project.text(WAITING)
        seen = board.tool("board_item", key=f"chant:{WAITING}")["version"]
        assert board.act("approve", key=f"chant:{WAITING}", version=seen)[0] == 400
        message = enveloped(call(1, "chant_add", description="New"))
        headers = modern_headers(message, x_chant_person=board.key, origin=board.url)
        assert board.listening.answer(message, **headers)["result"]["isError"]
        assert project.text(WAITING) == before
    finally:
        board.discard()


def test_a_change_reaches_an_open_page(board: WebBoardProcess) -> None:
    project = Project(board.listening.root)
    host, port = board.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=PATIENCE)
    try:
        connection.request("GET", "/board/events", headers={"x-chant-person": board.key})
        stream = connection.getresponse()
        assert stream.status == 200
        assert stream.headers["content-type"].startswith("text/event-stream")
        versions = (line for line in stream if line.startswith(b"data:"))
        first = next(versions)  # from which on nothing is missed
        project.spec("2026-01-23-001-new", body="# New")
        assert next(versions) != first
    finally:
        connection.close()


def test_without_a_person_at_a_terminal_it_does_not_start(tmp_path: Path) -> None:
    project_at(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "chant_mcp", "board", "--web", "--port", "0"],
        cwd=tmp_path,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 1
    assert "terminal" in done.stderr
