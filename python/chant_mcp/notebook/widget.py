"""The widget itself: one script and one style, and the questions that it sends to the kernel."""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from chant_mcp._core import page_themes
from chant_mcp.errors import RefusedError
from chant_mcp.notebook.explorer import GraphExplorer
from chant_mcp.web_board.squeeze import squeeze_script, squeeze_style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chant_mcp.graph import Graph

__all__ = ["make_widget", "read_script", "read_style"]

_SCRIPTS = (
    "web_board/page/nodes.js",
    "web_board/page/words.js",
    "web_board/page/picture.js",
    "notebook/page/widget.js",
)
_STYLES = ("web_board/page/picture.css", "notebook/page/widget.css")
_DARK, _LIGHT = ".dark-page", ".light-page"
"""What stands in the style for the selectors of dark and light pages."""


@functools.cache
def read_script() -> str:
    """The widget's script, one ES module whose default export has `render({ model, el })`."""
    return squeeze_script("\n".join(_read(name) for name in _SCRIPTS)) + "\nexport default { render };\n"


@functools.cache
def read_style() -> str:
    """The widget's style; it chooses nothing outside of the widget."""
    dark, light = page_themes()
    style = squeeze_style("\n".join(_read(name) for name in _STYLES))
    return style.replace(_DARK, f":is({dark})").replace(_LIGHT, f":is({light})")


def make_widget(graph: Graph, revisions: Sequence[str] | None = None) -> Any:
    """Make the widget of a graph, an `anywidget.AnyWidget`.

    Args:
        graph: The graph.
        revisions: The commits of the time slider, the oldest first; the last 40 without them.

    Raises:
        RefusedError: anywidget is not installed.
    """
    kind = _widget_class()
    return kind(GraphExplorer(graph, revisions), graph)


@functools.cache
def _widget_class() -> Any:
    """The class, made when it is first wanted: anywidget is there with the extra `notebook` only."""
    try:
        import anywidget  # pyright: ignore
        import traitlets
    except ImportError as error:
        raise RefusedError(
            "The widget needs anywidget, which is not installed. Install it with the extra: "
            "pip install 'chant-mcp[notebook]'. `show` draws the graph without it."
        ) from error

    class GraphWidget(anywidget.AnyWidget):  # pyright: ignore
        """A graph that can be touched."""

        _esm = read_script()
        _css = read_style()
        opening = traitlets.Dict().tag(sync=True)  # pyright: ignore
        """What is shown at first, so that a saved notebook shows it without a kernel."""

        def __init__(self, explorer: GraphExplorer, graph: Graph) -> None:
            view = explorer.answer({"ask": "look"})
            super().__init__(opening={"view": view, "commits": explorer.commits})  # pyright: ignore
            self._graph = graph
            self.on_msg(lambda _widget, content, _buffers: self._reply(explorer, content))  # pyright: ignore

        def _reply(self, explorer: GraphExplorer, question: dict[str, Any]) -> None:
            answer = explorer.answer(question)
            self.send({"id": question.get("id"), "answer": answer})  # pyright: ignore

        def _repr_mimebundle_(self, **given: Any) -> Any:
            """The widget, and the static picture for readers that have no widgets."""
            bundle = super()._repr_mimebundle_(**given)  # pyright: ignore
            data, more = bundle if isinstance(bundle, tuple) else (bundle, {})  # pyright: ignore
            static = self._graph._repr_mimebundle_()  # pyright: ignore
            return {**static, **(data or {})}, more  # pyright: ignore

    return GraphWidget


def _read(name: str) -> str:
    return (files("chant_mcp") / name).read_text("utf-8")
