"""What many threads of one process do at once, beside what one alone does.

Needs the package and nothing else, so that it also looks at a wheel that was just built, in any interpreter:

    python parallel.py FOLDER

does all of it in a new folder, and prints one JSON object: `lock` says whether the interpreter has its lock
when all is done, `done` what was tried. It ends with an error where threads get other answers than one alone.
"""

from __future__ import annotations

import json
import pickle
import random
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import chant_mcp
from chant_mcp.graph import Graph

THREADS = 6

Found = TypeVar("Found")


def in_threads(work: Callable[[int], Found], threads: int = THREADS) -> list[Found]:
    """Have each of some threads do a work at the same moment, and give what each found.

    Raises:
        Exception: What the first thread raised that raised anything.
    """
    begin = threading.Barrier(threads)
    found: dict[int, Found] = {}
    raised: list[BaseException] = []

    def run(number: int) -> None:
        begin.wait()
        try:
            found[number] = work(number)
        except BaseException as error:
            raised.append(error)

    workers = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if raised:
        raise raised[0]
    return [found[number] for number in range(threads)]


def has_lock() -> bool:
    """Return whether the interpreter runs one thread at a time."""
    return getattr(sys, "_is_gil_enabled", lambda: True)()


def pairs_of(items: int, seed: int) -> list[tuple[str, str]]:
    """Draw edges between items, without loops."""
    drawn = random.Random(seed)
    return [
        (f"item-{drawn.randrange(item)}", f"item-{item}")
        for item in range(1, items)
        for _ in range(drawn.randrange(1, 4))
    ]


def questions_of(graph: Graph) -> list[Any]:
    """Ask a graph of everything that it makes rows or numbers for; answers are plain values."""
    some = [graph.key(f"item-{number}") for number in (0, 7, 150)]
    return [
        list(graph),
        list(graph.edges),
        [list(layer) for layer in graph.layers()],
        [list(layer) for layer in graph.components()],
        [list(graph.descendants(key)) for key in some],
        [list(graph.ancestors(key)) for key in some],
        [list(graph.before(key)) + list(graph.after(key)) for key in some],
        list(graph.critical_path().items),
        dict(graph.slack().items()),
        dict(graph.pagerank().items()),
        list(graph.redundant_edges()),
        list(graph.frontier()),
        graph.to_mermaid(),
    ]


def ask_one_graph() -> None:
    """Threads that are the first to ask a graph, at once, get the answers that one alone gets."""
    for seed in range(3):
        pairs = pairs_of(300, seed)
        expected = questions_of(Graph.from_edges(pairs))
        shared = Graph.from_edges(pairs)
        for answers in in_threads(lambda _, shared=shared: questions_of(shared)):
            assert answers == expected


def walk_one_answer() -> None:
    """Threads that walk one list of an answer each see all of it, and copies of it are equal."""
    graph = Graph.from_edges(pairs_of(400, 4))
    items, scores, layers = graph.descendants("item-0"), graph.pagerank(), graph.layers()
    expected = (list(items), dict(scores.items()), [list(layer) for layer in layers])

    def walk(_: int) -> Any:
        copied = pickle.loads(pickle.dumps((items, scores, layers)))
        assert copied[0] == items
        return [
            (list(few), dict(marks.items()), [list(row) for row in rows])
            for few, marks, rows in ((items, scores, layers), copied)
        ]

    for walked in in_threads(walk):
        assert walked == [expected, expected]


def build_of_one_list() -> None:
    """Threads that build graphs of one list of pairs, and of arrays, build the same graph."""
    pairs = pairs_of(2_000, 5)
    expected = list(Graph.from_edges(pairs).edges)
    numbers = [(int(before[5:]), int(after[5:])) for before, after in pairs]

    def build(_: int) -> tuple[Any, Any]:
        arrays = Graph.from_arrays(2_000, [one for one, _ in numbers], [other for _, other in numbers])
        return list(Graph.from_edges(pairs).edges), sorted(arrays.edges)

    of_numbers = sorted({(str(one), str(other)) for one, other in numbers})
    for by_keys, by_numbers in in_threads(build):
        assert by_keys == expected
        assert by_numbers == of_numbers


def a_project(folder: Path) -> Path:
    """Make a project with one spec that has a criterion for each thread."""
    specs = folder / ".chant" / "specs"
    specs.mkdir(parents=True)
    boxes = "".join(f"- [ ] Part {number}\n" for number in range(THREADS))
    text = f"---\ntype: code\nstatus: pending\n---\n\n# Shared\n\n## Acceptance Criteria\n\n{boxes}"
    (specs / "2026-01-22-001-aaa.md").write_text(text, encoding="utf-8")
    return folder


def edit_one_project(folder: Path, *, is_shared: bool) -> None:
    """Threads that add and edit specs, in one open project or one each, lose nothing; files are whole."""
    root = a_project(folder)
    shared = chant_mcp.open(root)

    def edit(number: int) -> list[str]:
        ws = shared if is_shared else chant_mcp.open(root)
        ids: list[str] = []
        for turn in range(4):
            ids.append(ws.add(f"Words of {number}, {turn}").id)
            ws.spec(ids[-1]).update(labels=[f"of-{number}"])
            assert {spec.status for spec in ws.specs} == {"pending"}
        ws.spec("aaa").check(f"Part {number}")
        return ids

    added: Iterable[list[str]] = in_threads(edit)
    ids = [id for of_thread in added for id in of_thread]
    assert len(set(ids)) == 4 * THREADS
    for ws in (shared, chant_mcp.open(root)):
        assert {spec.id for spec in ws.specs} == {*ids, "2026-01-22-001-aaa"}
        assert all(criterion.checked for criterion in ws.spec("aaa").criteria)
        for number, of_thread in enumerate(added):
            assert all(ws.spec(id).labels == (f"of-{number}",) for id in of_thread)


def read_tables(folder: Path) -> None:
    """Threads that read the tables and the graph of one open project get those that one alone gets."""
    ws = chant_mcp.open(a_project(folder))
    for number in range(20):
        ws.add(f"Words {number}", depends_on=["aaa"] if number % 2 else [])

    def read(_: int) -> Any:
        graph = ws.graph()
        columns = {name: list(graph.attribute_column(name)) for name in ("title", "status")}
        return columns, list(graph.edges), [item.title for item in ws.items], [item.id for item in ws.ready]

    expected = read(0)
    assert len(expected[1]) == 10
    for found in in_threads(read):
        assert found == expected


def try_all(folder: Path) -> list[str]:
    """Try each of these in a new folder, and give their names."""
    folder.mkdir(parents=True)
    ask_one_graph()
    walk_one_answer()
    build_of_one_list()
    edit_one_project(folder / "one", is_shared=True)
    edit_one_project(folder / "each", is_shared=False)
    read_tables(folder / "tables")
    return ["questions", "walks", "builds", "edits through one", "edits through each", "tables"]


if __name__ == "__main__":
    tried = try_all(Path(sys.argv[1]))
    said = {"lock": has_lock(), "done": tried, "core": chant_mcp._core.__file__}
    sys.stdout.write(json.dumps(said) + "\n")
