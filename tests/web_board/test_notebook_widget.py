"""The widget of notebooks in a browser, with the answers of the kernel behind it."""

from __future__ import annotations

import chant_mcp
import pytest
from chant_mcp.graph import Graph
from harness import Project
from playwright.sync_api import Page
from web_board.looking import OpenBoard, until
from web_board.notebook_page import show_widget

HOSTILE = "<img src=x onerror=window.pwned=1> \u202e'\"><script>window.pwned=1</script>"


_BESIDE_BOXES = """() => [...document.querySelectorAll(".figure text")].filter((text) => {
  const box = text.parentNode.querySelector(".box:not(:has(~ .box))").getBoundingClientRect();
  const { left, right } = text.getBoundingClientRect();
  return left < box.left || right > box.right;
}).map((text) => text.textContent)"""


def many(items: int) -> Graph:
    """A tree of specs, the first of which has a hostile name."""
    keys = [f"chant:s{at}" for at in range(items)]
    edges = [(keys[at // 3], keys[at]) for at in range(1, items)]
    titles = {key: f"Item {key[7:]}" for key in keys}
    return Graph.from_edges(edges, done=keys[:5], attributes={"title": {**titles, keys[0]: HOSTILE}})


def names(page: Page) -> list[str]:
    """What the list beside the picture says."""
    return page.locator(".side button").all_inner_texts()


def test_ten_thousand_items_are_explored_by_mouse_and_keys(opened: OpenBoard) -> None:
    page = opened.stranger().new_page()
    page.set_viewport_size({"width": 1100, "height": 640})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    show_widget(page, many(10_000), body='data-jp-theme-light="false"')
    page.wait_for_selector(".chant-graph svg")
    press = page.keyboard.press

    # Levels: what is drawn is bounded, and each figure has its button.
    assert page.locator("[data-key]").count() == len(names(page)) <= 40
    assert page.evaluate("document.querySelectorAll('*').length") < 1500
    assert "10,000 items: 5 done" in page.locator(".words").inner_text()
    picture = page.get_by_role("group", name="Picture of the graph")
    dark = page.evaluate("getComputedStyle(document.querySelector('.chant-graph')).backgroundColor")
    assert dark == "rgb(28, 32, 36)"

    # Letters of another font keep the width that was measured.
    page.add_style_tag(content=".picture text { font-family: monospace !important; letter-spacing: 2px }")
    assert page.evaluate(_BESIDE_BOXES) == []

    # Pan and zoom, by keys and by the wheel.
    view = "document.querySelector('.picture svg').viewBox.baseVal"
    width, x = page.evaluate(f"[{view}.width, {view}.x]")
    picture.focus()
    press("+")
    assert page.evaluate(f"{view}.width") == pytest.approx(width * 0.8, rel=0.01)
    press("ArrowRight")
    assert page.evaluate(f"{view}.x") > x
    page.mouse.move(300, 300)
    page.mouse.wheel(0, -100)
    until(page, f"{view}.width < {width * 0.75}")
    press("0")

    # A click chooses and brings out what is waited for and what is held up; another one opens.
    page.locator(".side button").nth(1).click()
    page.wait_for_selector(".has-chosen .is-chosen")
    said = page.locator(".side").inner_text()
    assert "Waits for" in said
    assert "holds up" in said
    assert page.locator(".figure.is-before, .figure.is-after").count() > 0
    assert page.locator(".edge.is-before, .edge.is-after").count() > 0
    assert page.evaluate("document.activeElement.tagName") == "H3"
    press("Escape")
    page.wait_for_selector(".has-chosen", state="detached")
    assert page.locator("[data-key]").count() == len(names(page))
    press("Enter")
    page.wait_for_selector(".has-chosen")
    page.get_by_role("button", name="Open", exact=True).press("Enter")
    until(page, "document.querySelectorAll('.crumbs li').length === 2")
    assert page.locator("[data-key]").count() == len(names(page)) <= 40

    # Search leads to the item's level; its hostile name is text everywhere.
    page.get_by_role("searchbox").fill("onerror")
    until(page, "document.querySelector('.words').textContent.startsWith('1 item found')")
    page.locator(".side button").press("Enter")
    until(page, "document.querySelector('.side h3')?.textContent.includes('onerror')")
    assert "chant:s0" in page.locator(".side").inner_text()
    assert page.locator(".is-chosen title").count() == 1
    page.get_by_role("button", name="All", exact=True).first.click()
    until(page, "document.querySelectorAll('.crumbs li').length === 1")
    assert page.evaluate("window.pwned") is None
    assert page.locator("main img, main script, main [onerror]").count() == 0
    assert errors == []

    # What is closed leaves nothing behind.
    assert page.evaluate("window.listeners.size") == 1
    page.evaluate("window.close_widget()")
    assert page.evaluate("[window.listeners.size, document.querySelector('main').childElementCount]") == [
        0,
        0,
    ]


def test_time_and_the_text_of_an_item(opened: OpenBoard, project: Project) -> None:
    first, second = "2026-01-22-001-aaa", "2026-01-22-002-bbb"
    project.spec(first, body="# First")
    project.repository()
    project.spec(second, body="# Second", depends_on=[first])
    project.git("add", ".")
    project.git("commit", "-q", "-m", "Both are planned")
    project.spec(first, body="# First", status="completed")
    page = opened.stranger().new_page()
    show_widget(page, chant_mcp.open(project.root).graph(), body='data-jp-theme-light="true"')
    page.wait_for_selector(".chant-graph svg")
    light = page.evaluate("getComputedStyle(document.querySelector('.chant-graph')).backgroundColor")
    assert light == "rgb(255, 255, 255)"
    slider = page.get_by_role("slider", name="Commit")
    assert slider.get_attribute("aria-valuetext") == "now"
    assert page.locator(".words").inner_text() == "2 items: 1 done, 1 ready"
    slider.press("ArrowLeft")
    until(page, "document.querySelector('.words').textContent === '2 items: 1 ready, 1 open'")
    assert (slider.get_attribute("aria-valuetext") or "").endswith("Both are planned")
    slider.press("Home")
    until(page, "document.querySelector('.absent')")
    assert "not there yet" in names(page)[1]
    slider.press("End")
    until(page, "document.querySelector('.words').textContent === '2 items: 1 done, 1 ready'")
    page.locator(".figure", has_text="Second").click()
    page.wait_for_selector(".side pre")
    assert "Second" in page.locator(".side pre").inner_text()
    assert page.locator(".is-before title").count() == 1
