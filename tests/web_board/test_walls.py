"""Hostile texts stay text, in the board's own page and in a host."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import chant_mcp
from chant_mcp.web_board.assemble import assemble_later, assemble_page
from web_board.fake_server import FakeBoard
from web_board.items import Data, card, ferry, picture
from web_board.looking import OpenBoard, comes_to, until

HOSTILE = [
    "<img src=x onerror='window.pwned=1'>",
    "<script>window.pwned=1</script>",
    '"><svg onload=window.pwned=1>',
    "'-alert(window.pwned=1)-'",
    "${window.pwned=1}",
    "<iframe srcdoc='<script>parent.pwned=1</script>'>",
    "\x1b]8;;javascript:window.pwned=1\x07x\x1b]8;;\x07\u202egnp.exe",
]
LINKS = [
    "javascript:window.pwned=1",
    " jAvAsCrIpT:window.pwned=1",
    "java\nscript:window.pwned=1",
    "data:text/html,<script>window.pwned=1</script>",
    "vbscript:x",
    "//evil.example/x",
    "/board/person",
    "blob:x",
    "#once=abc",
]
BAD = " ".join(HOSTILE)
NO_TEXT: Any = {"innerHTML": HOSTILE[0], "onclick": "window.pwned=1", "outerHTML": HOSTILE[0]}
"""An object where a text is expected."""
PAGE = Path(chant_mcp.__file__).parent / "web_board" / "page"
CATCH = "() => { try { return %s } catch (error) { return error.name } }"


def hostile_items() -> list[Data]:
    """Make items of which every text is an attack."""
    found = [
        card(
            "can_begin", f"chant:{text}", text, text, {"labels": HOSTILE, "parent": text, "priority": NO_TEXT}
        )
        for text in HOSTILE
    ]
    waiting = card("waits_for_you", f"vine:a.vine#{BAD}", BAD, BAD, {"why": BAD, "kind": BAD})
    # A picture needs keys it knows.
    return [*found, waiting, *({**one, "title": BAD} for one in ferry())]


def hostile_detail(key: str) -> Data:
    """Make a document of links that lead nowhere good, and of tags that are none."""
    tree: list[Any] = [
        ["p", *(["a", address, f"link {number}"] for number, address in enumerate(LINKS))],
        ["script", "window.pwned=1"],
        ["img", "x"],
        ["p", ["onclick", BAD], {"onclick": "window.pwned=1"}, ["h2", BAD]],
        ["pre", BAD],
        ["a", ["javascript:window.pwned=1"], "odd"],
        ["task_open", BAD],
    ]
    row = {"depth": 0, "key": key, "title": BAD, "status": BAD, "symbol": BAD, "leads": BAD}
    return {
        "document": tree,
        "sections": [{"name": BAD, "level": 2}],
        "path": BAD,
        "assignee": NO_TEXT,
        "labels": HOSTILE,
        "around": {"waits_for": [row], "needed_by": [row]},
        "criteria": [{"text": BAD, "done": False, "line": 1}],
        "children": [{"key": BAD, "title": BAD, "meaning": BAD}],
        "parent": BAD,
    }


def hostile_scene(scene: list[Any]) -> list[Any]:
    """Add what a drawing must not hold."""
    more = [
        ["script", {}, ["window.pwned=1"]],
        ["foreignObject", {}, [["div", {}, [BAD]]]],
        ["a", {"href": "javascript:window.pwned=1"}, [["text", {}, [BAD]]]],
        ["image", {"href": "x", "onerror": "window.pwned=1"}, []],
        ["rect", {"onload": "window.pwned=1", "style": "fill:url(x)", "id": "screen", "class": BAD}, []],
        ["use", {"href": "#x"}, []],
    ]
    return [scene[0], scene[1], [*scene[2], *more]]


def attack(board: FakeBoard) -> str:
    """Fill the board with attacks; give the key of an item."""
    board.reset(hostile_items())
    key = "chant:2026-11-20-002-boo"
    board.details[key] = hostile_detail(key)
    found = picture(board.items)
    board.graph = {**found, "scene": hostile_scene(found["scene"])}
    board.log = BAD + "\n"
    run = {
        "id": key,
        "title": BAD,
        "agent": BAD,
        "state": BAD,
        "age_s": 1,
        "cost": BAD,
        "tokens": 1,
        "branch": BAD,
        "tail": HOSTILE,
        "can": [BAD],
    }
    board.runs = {"runs": [run], "load": {"running": 1, "limit": 2}}
    kinds = ["question", "approval", "conflict", "failure", "merge", "trust", BAD]
    board.inbox = [
        {
            "kind": kind,
            "key": key,
            "id": BAD,
            "hash": BAD,
            "title": BAD,
            "text": BAD,
            "options": HOSTILE,
            "since": BAD,
            "listing": [{BAD: BAD}, BAD],
        }
        for kind in kinds
    ]
    board.problems = {"problems": [{"path": BAD, "line": 1, "message": BAD, "fix": BAD}], "total": 1}
    board.timeline = {
        **board.timeline,
        "past": [{**run, "title": BAD, "outcome": BAD} for run in board.timeline["past"]],
    }
    hunk = {"head": BAD, "lines": [["+", BAD], [BAD, BAD]]}
    board.diff = {
        "base": BAD,
        "files": [{"path": BAD, "added": 1, "removed": 0, "hunks": [hunk]}],
        "cut": True,
    }
    return key


def test_hostile_texts_stay_text_on_every_screen(opened: OpenBoard, board: FakeBoard) -> None:
    key = attack(board)
    page = opened.page()
    page.on("dialog", lambda dialog: opened.errors.append("a dialog"))
    shown = page.locator(".column.can_begin .card-title").all_inner_texts()
    assert HOSTILE[0] in shown
    for lane in ("label", "parent"):
        page.get_by_label("Lanes").select_option(lane)
        page.wait_for_selector(".lane")
    for address in ("graph", "timeline", "agents", "inbox", "problems", f"item/{key}"):
        page.evaluate("address => { location.hash = address }", address)
        page.wait_for_selector("#drawer-title" if "/" in address else f"[href='#{address}'][aria-current]")
        page.locator(
            {"graph": "svg", "timeline": ".timeline .row"}.get(address, ".entry, .drawer")
        ).first.wait_for()
    for tab in ("Criteria", "Dependencies", "Log", "Diff", "Text"):
        page.get_by_role("tab", name=tab).click()
        until(page, "document.querySelector('.drawer-panel').textContent.includes('<img src=x')")
    links = page.locator(".document a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert links == []
    assert (
        page.locator(
            "script:not([type=module]), img, iframe, foreignObject, [onclick], [onload], svg a"
        ).count()
        == 0
    )
    comes_to(page, lambda: page.locator("#screen").count(), 1)
    addresses = page.locator("a").evaluate_all("links => links.map(link => link.protocol)")
    assert set(addresses) == {"http:"}
    # What turns the direction of writing would show another name than the file has.
    assert "\u202e" not in page.locator("body").inner_text()
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("window.refused") == []


def test_html_from_strings_is_refused(opened: OpenBoard) -> None:
    page = opened.page()
    for source in HOSTILE:
        threw = """text => {
            try { document.body.insertAdjacentHTML("beforeend", text); return false } catch { return true }
        }"""
        assert page.evaluate(threw, source)
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("window.refused.every(one => one === 'require-trusted-types-for')")


def test_as_an_app_the_page_has_no_act_of_a_person(opened: OpenBoard, board: FakeBoard) -> None:
    page = opened.goto("/host")
    frame = page.frame_locator("#app")
    frame.locator(".row").first.wait_for()
    root = frame.locator("html")
    assert root.evaluate("root => root.style.colorScheme") == "dark"
    assert frame.locator(".top").evaluate("bar => getComputedStyle(bar).backgroundColor") == "rgb(17, 34, 51)"
    assert root.evaluate(CATCH % "sessionStorage.length") == "SecurityError"
    heard = page.evaluate("window.heard")
    assert heard[:3] == ["ui/initialize", "ui/notifications/initialized", "ui/notifications/size-changed"]

    frame.get_by_text("Timetable with tides").click()
    frame.locator("#drawer-title").wait_for()
    assert frame.get_by_role("button", name=re.compile("Approve|Reject")).count() == 0
    frame.get_by_role("link", name="the prices").click()
    until(page, "window.heard.includes('ui/open-link')")
    page.keyboard.press("Escape")
    frame.get_by_role("link", name="Inbox").click()
    frame.locator(".entry").first.wait_for()
    assert frame.get_by_role("button", name=re.compile("Approve|Reject|Merge|Trust|Send|DKK")).count() == 0
    assert frame.get_by_text("Only a person decides these").is_visible()
    comes_to(page, lambda: frame.get_by_role("button", name="Start again").count(), 1)

    # A host loads nothing later: what adds and finds is in the page.
    frame.get_by_role("button", name="+ Add").click()
    frame.get_by_role("textbox", name="Title").fill("From the host")
    frame.get_by_label("Labels, with commas").fill("web")
    frame.get_by_label("Depends on: IDs, with commas").fill("x7m, k3f")
    page.keyboard.press("Enter")
    wanted = {"description": "From the host", "criteria": [], "labels": ["web"], "depends_on": ["x7m", "k3f"]}
    comes_to(page, lambda: board.asked("chant_add"), [wanted])
    frame.locator("#drawer-title", has_text="From the host").wait_for()
    assert frame.get_by_label("Theme").count() == 0
    page.keyboard.press("Escape")

    # What the model has just read is opened; a host's question that is not known is answered.
    result = {"structuredContent": {"id": "2026-11-20-002-boo", "body": "x"}}
    page.evaluate("result => send({ method: 'ui/notifications/tool-result', params: result })", result)
    frame.locator("#drawer-title", has_text="Book a crossing").wait_for()
    page.evaluate("send({ id: 77, method: 'ui/unknown' })")
    page.evaluate("send({ id: 78, method: 'ui/resource-teardown' })")
    until(page, "window.heard.filter((method) => method === 'answer').length === 2")
    assert root.evaluate(CATCH % "document.body.insertAdjacentHTML('beforeend', '<b>')") == "TypeError"
    assert board.acts == []
    asked = {name for name, _ in board.calls}
    assert {"board_look", "board_item", "board_inbox"} <= asked


def test_the_sources_are_plain_small_and_complete() -> None:
    sent = assemble_page().html
    assert len(sent.encode()) < 80_000
    later = assemble_later()
    loaded_later = ("change.js", "adding.js", "review.js", "palette.js")
    for file in PAGE.glob("*.js"):
        names = re.findall(r"^(?:export )?(?:const|function) (\w+)", file.read_text("utf-8"), re.M)
        assert names[-1] in (later if file.name in loaded_later else sent), file.name
    for file in PAGE.glob("*.css"):
        assert re.findall(r"^(\.[\w-]+) ", file.read_text("utf-8"), re.M)[-1] in sent, file.name
    makes_html = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|Function\(|setHTML|srcdoc"
    )
    for file in PAGE.glob("*.[jhc]*"):
        text = file.read_text("utf-8")
        assert not re.findall(makes_html, text), file.name
        assert len(text.splitlines()) < 400, file.name
    html = (PAGE / "board.html").read_text("utf-8")
    assert not re.search(r"\son\w+=|\sstyle=|src=|https?:", html)
