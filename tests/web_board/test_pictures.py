"""Static pictures as a browser shows them: whatever its fonts are, and whatever the theme of the page."""

from __future__ import annotations

import base64
from typing import Any

from chant_mcp.graph import Graph
from playwright.sync_api import Page
from web_board.looking import OpenBoard

TITLES = [
    "Wide MMMWWW titles @@@ %%%",
    "illi flit jilt",
    "日本語の長い題名",
    "שלום עולם ארוך",
    "مرحبا بالعالم الطويل",
    "Ünïcödé 👩‍💻 żółw",
    "A very long title that has to be cut somewhere because it does not fit at all",
]

_BREAKING_OUT = """() => {
  const found = [];
  const sides = (node) => node.getBoundingClientRect();
  for (const svg of document.querySelectorAll("svg")) {
    const all = sides(svg);
    for (const node of svg.querySelectorAll("text, path, rect, circle")) {
      const { left, right, top, bottom } = sides(node);
      const isBeside = left < all.left - 0.5 || right > all.right + 0.5;
      const isOut = isBeside || top < all.top - 0.5 || bottom > all.bottom + 1;
      if (isOut) found.push(node.outerHTML);
    }
    for (const text of svg.querySelectorAll("g > text")) {
      const box = text.parentNode.querySelector(":scope > :is(rect.b, rect.l)");
      const isOut = box && (sides(text).left < sides(box).left || sides(text).right > sides(box).right);
      if (isOut) found.push(text.textContent);
    }
  }
  return found;
}"""

_COLOURS_AT = """async ([png, points]) => {
  const image = new Image();
  image.src = "data:image/png;base64," + png;
  await image.decode();
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  canvas.canvas.width = image.width;
  canvas.canvas.height = image.height;
  canvas.drawImage(image, 0, 0);
  return points.map(([x, y]) => canvas.getImageData(x, y, 1, 1).data[0]);
}"""


def odd_graph() -> Graph:
    """Titles of all scripts and widths, in loops, chains and alone."""
    keys = [f"item-{at}" for at in range(28)]
    edges = [(keys[at], keys[(at * 5 + 3) % 20]) for at in range(20)]
    attributes: dict[str, dict[str, Any]] = {
        "title": {key: TITLES[at % len(TITLES)] for at, key in enumerate(keys)},
        "dialect": {key: ("chant", "vine")[at % 2] for at, key in enumerate(keys)},
    }
    return Graph.from_edges(edges, nodes=keys, done=keys[:6], attributes=attributes)


def test_texts_stay_in_their_boxes_in_each_font(opened: OpenBoard) -> None:
    graph = odd_graph()
    large = Graph.from_edges((str(at // 3), str(at)) for at in range(1, 1500))
    pictures = [
        graph.show(focus=["item-3"], name="A name").svg,
        graph.show(color={key: len(key) for key in graph}).svg,
        large.show(limit=1500).svg,
    ]
    page = opened.goto("/nothing")
    for font in ("system-ui", "serif", "monospace", "DejaVu Sans", "fantasy"):
        style = f"<style>svg, svg * {{ font-family: {font} !important }}</style>"
        page.set_content(style + "".join(pictures))
        assert page.evaluate(_BREAKING_OUT) == [], font
    page.set_content(f"<style>svg * {{ font-size: 15px; letter-spacing: 3px }}</style>{pictures[0]}")
    assert page.evaluate(_BREAKING_OUT) == [], "larger letters than those that were measured"


def test_a_picture_has_the_theme_of_its_page(opened: OpenBoard) -> None:
    picture = Graph.from_edges([("a", "b")]).show()
    image = picture._repr_mimebundle_()["text/html"]
    alone = f'<img src="data:image/svg+xml;base64,{base64.b64encode(picture.svg.encode()).decode()}">'
    page = opened.goto("/nothing")
    # What a page says about itself counts against the system's theme.
    pages: dict[Any, list[tuple[str, str]]] = {
        "light": [
            ("data-jp-theme-light", "false"),
            ("style", "color-scheme: dark"),
            ("class", "vscode-dark"),
        ],
        "dark": [("data-jp-theme-light", "true"), ("style", "color-scheme: light")],
    }
    for system, attributes in pages.items():
        page.emulate_media(color_scheme=system)
        page.set_content(f"<body>{picture.svg}{image}")
        for name, value in attributes:
            page.evaluate("([name, value]) => document.body.setAttribute(name, value)", [name, value])
            assert _are_dark(page) == [system == "light"] * 2, f"{name}={value} on {system}"
            page.evaluate("name => document.body.removeAttribute(name)", name)
        page.set_content(f'<body style="color-scheme: light dark">{alone}')
        assert _are_dark(page) == [system == "dark"], "a picture that stands alone has the system's theme"


def _are_dark(page: Page) -> list[bool]:
    """Whether the margins of the pictures are dark, as they are seen."""
    page.evaluate("Promise.all([...document.images].map((image) => image.decode()))")
    places = [place.bounding_box() for place in page.locator("svg, img").all()]
    points = [[int(place["x"]) + 6, int(place["y"]) + 20] for place in places if place]
    png = page.screenshot(clip={"x": 0, "y": 0, "width": 500, "height": 500})
    return [tone < 128 for tone in page.evaluate(_COLOURS_AT, [base64.b64encode(png).decode(), points])]
