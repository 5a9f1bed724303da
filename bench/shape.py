"""The shape of the code: sizes, names, documentation and circles of files, as one table.

`python -m bench.shape` prints it for the tree at hand. It reads the sources of the core and the bindings
without compiling them; tests inside of files are left out.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

import networkx

ROOT = Path(__file__).parents[1]
CRATES = ROOT / "rust"
BINDINGS = CRATES / "bindings" / "src"

_TYPE = re.compile(r"^\s*(?:pub(?:\([a-z ]+\))? )?(?:struct|enum|trait|type|union) ([A-Z]\w*)", re.M)
_PUBLIC_TYPE = re.compile(r"^pub(?:\(crate\))? (?:struct|enum|trait|type) ([A-Z]\w*)", re.M)
_FUNCTION = re.compile(r"^(\s*)(?:pub(?:\([a-z ]+\))? )?(?:const |async )*fn (\w+)")
_DOC = re.compile(r"^\s*//[/!] ?(.*)$")
_CRATE = re.compile(r"\bchant_([a-z_]+)::")
_NAMED = re.compile(r"\b(?:crate|super|self)(?:::\w+)+")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of Rust without its own tests."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        """Its path: the crate, then what is below its `src`."""
        return self.path.relative_to(CRATES).as_posix().replace("/src/", "/", 1)

    @property
    def module(self) -> tuple[str, ...]:
        """Its module, the crate first."""
        parts = tuple(self.name.removesuffix(".rs").split("/"))
        return parts[:-1] if parts[-1] in ("mod", "lib") else parts


def read_sources(top: Path) -> list[SourceFile]:
    """Read all files of Rust below a folder, each up to its tests."""
    return [
        SourceFile(path, path.read_text("utf-8").split("#[cfg(test)]\nmod tests")[0])
        for path in sorted(top.rglob("*.rs"))
    ]


def read_core() -> list[SourceFile]:
    """Read all crates but the bindings and what fuzzes them."""
    tops = sorted(manifest.parent / "src" for manifest in CRATES.glob("*/Cargo.toml"))
    return [file for top in tops if top != BINDINGS for file in read_sources(top)]


def find_arrows(files: Iterable[SourceFile]) -> set[tuple[str, str]]:
    """Give the crates that name another one, with that one."""
    pairs = ((file.module[0], named) for file in files for named in _CRATE.findall(file.text))
    return {(crate, named.replace("_", "-")) for crate, named in pairs}


def find_functions(file: SourceFile) -> Iterator[tuple[str, int]]:
    """Give the functions of a file with their length in lines, braces included."""
    lines = file.text.splitlines()
    for start, line in enumerate(lines):
        found = _FUNCTION.match(line)
        if not found:
            continue
        indent = found[1]
        ends = (at for at in range(start, len(lines)) if lines[at] in (f"{indent}}}", f"{indent}}},"))
        one_line = line.rstrip().endswith((";", "}"))
        yield found[2], 1 if one_line else next(ends, start) - start + 1


def find_duplicates(names: Iterable[str]) -> dict[str, int]:
    """Give the names that stand more than once, with how often."""
    return {name: count for name, count in Counter(names).items() if count > 1}


def find_public_types(files: Iterable[SourceFile]) -> list[str]:
    """Give the names of types that other files can name."""
    return [name for file in files for name in _PUBLIC_TYPE.findall(file.text)]


def is_one_word(name: str) -> bool:
    """Whether a name of a type or a function is a single word."""
    return len(re.findall(r"[A-Z][a-z0-9]*", name)) == 1 if name[0].isupper() else "_" not in name.strip("_")


def first_doc_lines(file: SourceFile) -> Iterator[str]:
    """Give the first line of each documentation comment."""
    before = False
    for line in file.text.splitlines():
        found = _DOC.match(line)
        if found and not before:
            yield found[1]
        before = bool(found)


def count_doc_examples(files: Iterable[SourceFile]) -> int:
    """Count the code blocks in documentation comments, each of which has two fences."""
    lines = (line.strip() for file in files for line in file.text.splitlines())
    return sum(line.startswith(("/// ```", "//! ```")) for line in lines) // 2


def find_circles(files: list[SourceFile]) -> list[set[str]]:
    """Give the groups of files that name each other in a circle, largest first."""
    by_module = {file.module: file for file in files}
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    for file in files:
        for named in _NAMED.findall(file.text):
            target = _resolve(file.module, named.split("::"), by_module)
            if target and target is not file:
                graph.add_edge(file.name, target.name)
    circles = [circle for circle in networkx.strongly_connected_components(graph) if len(circle) > 1]
    return sorted(circles, key=len, reverse=True)


def _resolve(
    module: tuple[str, ...], words: list[str], by_module: dict[tuple[str, ...], SourceFile]
) -> SourceFile | None:
    """Find the file that a path names, which is the longest beginning of it that is a module."""
    place = list(module)
    for word in words:
        match word:
            case "crate":
                place = [module[0]]
            case "super":
                place = place[:-1]
            case "self":
                pass
            case name if (*place, name) in by_module:
                place.append(name)
            case _:
                break
    return by_module.get(tuple(place))


def measure_shape() -> list[tuple[str, str]]:
    """Measure the tree at hand.

    Returns:
        Rows of a table: what is measured, and the figure.
    """
    files, bindings = read_core(), read_sources(BINDINGS)
    types = [name for file in files for name in _TYPE.findall(file.text)]
    public = find_public_types(files)
    shared = find_duplicates(types)
    functions = [entry for file in files for entry in find_functions(file)]
    lengths = sorted(length for _, length in functions)
    sizes = sorted(file.text.count("\n") for file in files)
    docs = [line for file in files for line in first_doc_lines(file)]
    openings = [line for line in docs if re.match(r"(What|Whether|Who|How|That)\b", line)]
    circles = find_circles(files)
    rows = [
        (
            "crates, and arrows between them",
            f"{len({f.module[0] for f in files})}, {len(find_arrows(files))}",
        ),
        ("files of the core", f"{len(files)}, {sum(sizes):,} lines without tests"),
        ("lines of a file: median / largest", f"{median(sizes):.0f} / {sizes[-1]}"),
        ("files above 600 lines", str(sum(size > 600 for size in sizes))),
        ("types that share their name", _share(sum(shared.values()), len(types))),
        ("public types that share their name", _share(sum(find_duplicates(public).values()), len(public))),
        ("one-word type names", _share(sum(map(is_one_word, types)), len(types))),
        ("one-word function names", _share(sum(is_one_word(name) for name, _ in functions), len(functions))),
        ("doc openings What/Whether/Who/How/That", _share(len(openings), len(docs))),
        ("code examples in doc comments", str(count_doc_examples([*files, *bindings]))),
        ("lines of a function: median / p90 / largest", _spread(lengths)),
        ("functions of the bindings: largest", str(max(n for f in bindings for _, n in find_functions(f)))),
        ("circles of files, of more than three", f"{len(circles)}, {sum(len(c) > 3 for c in circles)}"),
        ("files in the largest circle", str(len(circles[0]) if circles else 0)),
    ]
    return rows


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%} ({part} of {whole})"


def _spread(lengths: list[int]) -> str:
    return f"{median(lengths):.0f} / {quantiles(lengths, n=10)[-1]:.0f} / {lengths[-1]}"


def list_duplicates() -> list[str]:
    """Give a line for each public type whose name another one has: the name and its files."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for file in read_core():
        for name in _PUBLIC_TYPE.findall(file.text):
            places[name].append(file.name)
    shared = sorted(
        (entry for entry in places.items() if len(entry[1]) > 1), key=lambda entry: -len(entry[1])
    )
    return [f"{name}: {', '.join(files)}" for name, files in shared]


def main() -> None:
    """Print the table, and the names that stand more than once."""
    lines = ["| Measure | Value |", "|---|---|"]
    lines += [f"| {measure} | {value} |" for measure, value in measure_shape()]
    lines += ["", "Public types of one name:", *list_duplicates()]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
