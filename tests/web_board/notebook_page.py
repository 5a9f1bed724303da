"""A page that shows the widget of notebooks as a notebook does, with the real answers behind it."""

from __future__ import annotations

import base64
import json
from typing import Any

from chant_mcp.graph import Graph
from chant_mcp.notebook.explorer import GraphExplorer
from chant_mcp.notebook.widget import read_script, read_style
from playwright.sync_api import Page

_HOST = """
async ([script, opening]) => {
  const listeners = new Set();
  window.heard = [];
  const model = {
    get: (name) => ({ opening })[name],
    on: (name, listener) => name === "msg:custom" && listeners.add(listener),
    off: (name, listener) => listeners.delete(listener),
    send: async (question) => {
      window.heard.push(question);
      const reply = JSON.parse(await window.ask(JSON.stringify(question)));
      for (const listener of listeners) listener(reply);
    },
  };
  const module = await import("data:text/javascript;base64," + script);
  window.close_widget = module.default.render({ model, el: document.querySelector("main") });
  window.listeners = listeners;
}
"""


def show_widget(page: Page, graph: Graph, *, body: str = "") -> GraphExplorer:
    """Show the widget of a graph; `window.heard` has what it asked.

    Args:
        page: An empty page.
        graph: The graph.
        body: Attributes of the page's body, as notebooks name their theme there.
    """
    explorer = GraphExplorer(graph)

    def ask(text: str) -> str:
        question: dict[str, Any] = json.loads(text)
        return json.dumps({"id": question["id"], "answer": explorer.answer(question)})

    page.expose_function("ask", ask)
    page.set_content(f"<body {body}><style>{read_style()}</style><main></main></body>")
    script = base64.b64encode(read_script().encode()).decode()
    opening = {"view": explorer.answer({"ask": "look"}), "commits": explorer.commits}
    page.evaluate(_HOST, [script, opening])
    return explorer
