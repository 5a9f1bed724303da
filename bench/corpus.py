"""Makes projects to measure on: specs in a layered dependency graph, with logs and a git history.

The same number and seed give the same bytes on every machine. `python -m bench.corpus 10000 DIR`
writes one project; `bench.run` keeps its own in the system's temporary folder.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

VERSION = 1
"""Raised when the generator makes other bytes than before; kept corpora are then made again."""

RARE_WORD = "quokka"
"""Stands in seven bodies."""
COMMON_WORD = "timeout"
"""Stands in about half of the bodies."""
ABSENT_WORD = "xylophone"
"""Stands nowhere."""

COMMITS = 10_000
LOG_BYTES = {"small": 50_000, "large": 50_000_000}

_LAYERS = 40
_A_DAY = 250
"""Specs made on one day."""
_FIRST_DAY = date(2025, 1, 1)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_SOURCES = 60
"""Source files that commits and `target_files` speak of."""

_AREAS = (
    "parser",
    "scheduler",
    "cache",
    "journal",
    "importer",
    "exporter",
    "session",
    "index",
    "renderer",
    "watcher",
)
_VERBS = ("Add", "Remove", "Rework", "Guard", "Document", "Mend", "Split", "Test", "Rename", "Log")
_NOUNS = (
    "retries",
    "limits",
    "errors",
    "names",
    "paths",
    "locks",
    "batches",
    "headers",
    "tables",
    "defaults",
)
_LABELS = ("backend", "cli", "docs", "perf", "refactor", "security", "tests", "ui")
_MODELS = ("claude-sonnet-4-5", "opus", "haiku", "gpt-5-codex")
_SENTENCES = (
    "The {area} keeps its {noun} in memory until the last reader is gone, which takes too long.",
    "A {other} that fails half way must leave the {noun} as they were before it began.",
    "Measured on a laptop, the {area} spends most of its time waiting for the {other}.",
    "Callers of the {area} may pass `None` where they mean the default {noun}.",
    "See the discussion in *{other} and {noun}* — the naïve way was tried and given up.",
    "Nothing outside the {area} may know how {noun} are stored; the {other} asks for them by name.",
    "When a {timeout} happens the {area} retries three times and then tells the {other}.",
    "The error names the file, the line and what was expected instead of the {noun}.",
    "Keep the old {noun} readable: files of earlier releases are still around.",
    "Two {other} processes at once are normal, so {noun} are written under a lock.",
)
_CODE = (
    "```rust\nfn {area}_{noun}(limit: usize) -> Result<Vec<Entry>, Error> {{\n"
    "    let found = self.{area}.iter().take(limit).cloned().collect();\n    Ok(found)\n}}\n```",
    '```python\ndef {area}_{noun}(limit: int = 50) -> list[str]:\n    """List the {noun}."""\n'
    "    return [name for name in {area}.names()][:limit]\n```",
    "```sh\nmake {area} && ./target/{area} --{noun} 3 | sort -u\n```",
)
_CRITERIA = (
    "`{area}` has no {noun} left after a run",
    "An error in the {other} names the {noun} concerned",
    "Tests cover {noun} of size zero, one and many",
    "The documentation of the {area} shows the new {noun}",
    "No call of the {other} is slower than before",
    "Old {noun} are read as before",
)


@dataclass(frozen=True, slots=True)
class Corpus:
    """A project on disk and what a measurement needs to know of it."""

    root: Path
    specs: int
    commits: int
    sample: Sequence[str]
    """IDs from all over the project, of pending specs that name what they wait for."""
    tagged: Sequence[str]
    """IDs of completed specs that commits carry the tag of."""
    branched: Sequence[str]
    """IDs of specs in progress with a branch of their own."""
    small_log: str
    """ID of a spec with a log of 50 KB."""
    large_log: str
    """ID of a spec with a log of 50 MB."""

    def path(self, id: str) -> Path:
        """The file of a spec."""
        return self.root / ".chant" / "specs" / f"{id}.md"


@dataclass(slots=True)
class _Spec:
    id: str
    layer: int
    kind: str = "code"
    status: str = "pending"
    depends_on: list[str] | None = None
    title: str = ""


def build(root: Path, specs: int, *, commits: int = COMMITS, seed: int = 1) -> Corpus:
    """Write a project.

    Args:
        root: A folder that is not there yet or empty.
        specs: How many specs, members of drivers included.
        commits: How many commits its git repository has; none without.
        seed: Other seeds give other projects of the same kind.

    Returns:
        The project.
    """
    chance = random.Random(seed)
    graph = _graph(specs, chance)
    folder = root / ".chant" / "specs"
    folder.mkdir(parents=True)
    rare = {graph[at * len(graph) // 7].id for at in range(7)}
    for spec in graph:
        text = _text(spec, chance, is_rare=spec.id in rare)
        (folder / f"{spec.id}.md").write_bytes(text)
    config = "---\nproject:\n  name: corpus\ndefaults:\n  main_branch: main\n---\n\n# Configuration\n"
    (root / ".chant" / "config.md").write_text(config, encoding="utf-8")
    (root / ".chant" / ".gitignore").write_text("logs/\nprocesses/\n.locks/\n", encoding="utf-8")
    sample = _spread(spec.id for spec in graph if spec.status == "pending" and spec.depends_on)
    tagged = _spread(spec.id for spec in graph if spec.status == "completed")
    branched = _spread(spec.id for spec in graph if spec.status == "in_progress")
    logs = root / ".chant" / "logs"
    logs.mkdir()
    for id, size in zip(sample, LOG_BYTES.values(), strict=False):
        _write_log(logs / f"{id}.log", size)
    if commits:
        _make_history(root, commits, tagged, branched, chance)
    return Corpus(root, specs, commits, sample, tagged, branched, *sample[:2])


def _spread(ids: Iterable[str]) -> tuple[str, ...]:
    """Sixteen of many IDs, evenly spread."""
    found = list(ids)
    return tuple(found[at * len(found) // 16] for at in range(min(16, len(found))))


def kept(folder: Path, specs: int) -> Corpus:
    """Give the project of this size that is kept in a folder; make it first where there is none.

    A project that a measurement left half changed, or that another version of the generator made, is
    made again.
    """
    root = folder / f"specs-{specs}"
    note = folder / f"specs-{specs}.json"
    if note.exists():
        known: dict[str, Any] = json.loads(note.read_text(encoding="utf-8"))
        if known.pop("version") == VERSION:
            known["root"] = root
            return Corpus(**known)
    note.unlink(missing_ok=True)
    shutil.rmtree(root, ignore_errors=True)
    corpus = build(root, specs)
    keep(corpus, note)
    return corpus


def keep(corpus: Corpus, note: Path) -> None:
    """Note that a project is whole."""
    known = {**asdict(corpus), "root": None, "version": VERSION}
    note.write_text(json.dumps(known), encoding="utf-8")


def note_of(corpus: Corpus) -> Path:
    """The file that says that a kept project is whole; it is removed before the project changes."""
    return corpus.root.with_suffix(".json")


def _graph(count: int, chance: random.Random) -> list[_Spec]:
    """Lay specs out in layers, in the order of their IDs; each names some of the layers below."""
    layers: list[list[str]] = [[]]
    specs: list[_Spec] = []
    number = 0
    while len(specs) < count:
        layer = len(specs) * _LAYERS // count
        while len(layers) <= layer:
            layers.append([])
        spec = _Spec(_id(number, chance), layer)
        number += 1
        below = layers[layer - 1] if layer else []
        further = layers[max(layer - 3, 0)] if layer else []
        wanted = chance.choices((0, 1, 2, 3), (15, 35, 35, 15))[0]
        pool = [chance.choice(below if chance.random() < 0.8 else further) for _ in range(wanted) if below]
        spec.depends_on = sorted(set(pool)) or None
        spec.status = _status(layer, chance)
        spec.kind = chance.choices(("code", "task", "documentation", "research"), (80, 10, 7, 3))[0]
        specs.append(spec)
        layers[layer].append(spec.id)
        if chance.random() < 0.03:
            specs.extend(_members(spec, min(chance.randint(3, 6), count - len(specs)), chance))
    for spec in specs:
        spec.title = f"{chance.choice(_VERBS)} {chance.choice(_NOUNS)} of the {chance.choice(_AREAS)}"
    return specs


def _members(driver: _Spec, count: int, chance: random.Random) -> Iterator[_Spec]:
    """Make a spec a driver; its members wait for each other in turn unless they name what they need."""
    if not count:
        return
    driver.kind = "driver"
    for number in range(1, count + 1):
        member = _Spec(f"{driver.id}.{number}", driver.layer, status=driver.status)
        if number > 1 and chance.random() < 0.3:
            member.depends_on = [f"{driver.id}.1"]
        yield member


def _id(number: int, chance: random.Random) -> str:
    day = _FIRST_DAY + timedelta(days=number // _A_DAY)
    sequence, rest = "", number % _A_DAY + 1
    while rest:
        sequence, rest = _DIGITS[rest % 36] + sequence, rest // 36
    suffix = "".join(chance.choice(_DIGITS) for _ in range(3))
    return f"{day}-{sequence:0>3}-{suffix}"


def _status(layer: int, chance: random.Random) -> str:
    """The lower half is done, the upper half is not started, work goes on in between."""
    if layer < _LAYERS * 0.5:
        return chance.choices(("completed", "cancelled"), (97, 3))[0]
    if layer < _LAYERS * 0.6:
        words = ("completed", "pending", "in_progress", "failed", "needs_attention")
        return chance.choices(words, (35, 50, 9, 4, 2))[0]
    return "pending"


def _text(spec: _Spec, chance: random.Random, *, is_rare: bool) -> bytes:
    text = f"---\n{_front(spec, chance)}---\n\n# {spec.title}\n\n{_body(spec, chance, is_rare=is_rare)}"
    line_end = "\r\n" if chance.random() < 0.01 else "\n"
    return text.replace("\n", line_end).encode()


def _front(spec: _Spec, chance: random.Random) -> str:
    """Front matter as people and programs write it: block and flow lists, quotes, comments, odd keys."""
    lines = [f"type: {spec.kind}", f"status: {spec.status}"]
    style = chance.choice(("block", "block", "indented", "flow", "quoted"))
    lists: dict[str, Sequence[str]] = {
        "depends_on": spec.depends_on or [],
        "labels": chance.sample(_LABELS, chance.randint(0, 3)),
        "target_files": [f"src/{_source(chance)}.rs" for _ in range(chance.randint(0, 4))],
    }
    for key, items in lists.items():
        if items:
            lines += _list(key, items, style)
    if chance.random() < 0.1:
        lines.append("prompt: standard")
    if spec.status == "completed":
        commits = [f"{chance.getrandbits(28):07x}" for _ in range(chance.randint(1, 2))]
        lines += _list("commits", commits, style if style != "flow" else "quoted")
        lines.append(f'completed_at: "2026-0{chance.randint(1, 9)}-1{chance.randint(0, 9)}T10:00:00Z"')
        lines.append(f"model: {chance.choice(_MODELS)}")
    if spec.status in ("in_progress", "failed"):
        lines.append(f"branch: chant/{spec.id}")
    if chance.random() < 0.02:
        lines.append("approval:\n  required: true\n  status: approved\n  by: ada")
    if chance.random() < 0.1:
        lines.insert(chance.randint(1, len(lines)), "# agreed in the weekly meeting")
    if chance.random() < 0.05:
        lines.append(f"estimate: {chance.randint(1, 8)}h  # kept, though no program knows the key")
    return "".join(f"{line}\n" for line in lines)


def _list(key: str, items: Sequence[str], style: str) -> list[str]:
    match style:
        case "flow":
            return [f"{key}: [{', '.join(items)}]"]
        case "indented":
            return [f"{key}:", *(f"  - {item}" for item in items)]
        case "quoted":
            return [f"{key}:", *(f"- '{item}'" for item in items)]
        case _:
            return [f"{key}:", *(f"- {item}" for item in items)]


def _body(spec: _Spec, chance: random.Random, *, is_rare: bool) -> str:
    """A body of 1 to 3 KB: paragraphs, now and then code, criteria that are ticked when it is done."""

    def filled(template: str) -> str:
        return template.format(
            area=chance.choice(_AREAS),
            other=chance.choice(_AREAS),
            noun=chance.choice(_NOUNS),
            timeout=COMMON_WORD if has_common_word else "failure",
        )

    has_common_word = chance.random() < 0.6
    wanted = chance.randint(1_000, 3_000) - 420
    parts: list[str] = [f"Nobody expects a {RARE_WORD} here."] if is_rare else []
    size = 0
    while size < wanted:
        if chance.random() < 0.08:
            part = filled(chance.choice(_CODE))
        else:
            part = " ".join(filled(chance.choice(_SENTENCES)) for _ in range(chance.randint(2, 4)))
        if parts and chance.random() < 0.15:
            part = f"## {filled('{noun}').title()}\n\n{part}"
        parts.append(part)
        size += len(part) + 2
    box = "x" if spec.status == "completed" else " "
    texts = chance.sample(_CRITERIA, chance.randint(3, 6))
    criteria = "\n".join(f"- [{box}] {filled(text)}" for text in texts)
    return "\n\n".join([*parts, "## Acceptance Criteria", criteria]) + "\n"


def _source(chance: random.Random) -> str:
    return f"{chance.choice(_AREAS)}{chance.randrange(_SOURCES // len(_AREAS))}"


def _write_log(path: Path, size: int) -> None:
    """A log of stamped lines, about as many bytes as wanted, whole lines only."""
    block = "".join(
        f"2026-02-02T10:{at // 60 % 60:02d}:{at % 60:02d}.{at % 1000:03d}Z out step {at}: "
        f"{'reading and comparing ' * (1 + at % 4)}done\n"
        for at in range(600)
    ).encode()
    lines = block.splitlines(keepends=True)
    with path.open("wb") as log:
        for _ in range(size // len(block)):
            log.write(block)
        rest = size % len(block)
        for line in lines:
            rest -= len(line)
            if rest < 0:
                break
            log.write(line)


def _make_history(
    root: Path, commits: int, tagged: Sequence[str], branched: Sequence[str], chance: random.Random
) -> None:
    """Make the project a repository: one commit of all specs, then many small ones, and branches."""
    git = ("git", "-C", str(root), "-c", "core.hooksPath=/dev/null", "-c", "core.autocrlf=false")
    subprocess.run([*git, "init", "-q", "-b", "main", "--template="], check=True)
    with subprocess.Popen([*git, "fast-import", "--quiet"], stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        for piece in _stream(root, commits, tagged, branched, chance):
            importer.stdin.write(piece)
    if importer.returncode:
        raise RuntimeError(f"git fast-import failed with {importer.returncode}")
    subprocess.run([*git, "reset", "-q", "--hard"], check=True)


def _stream(
    root: Path, commits: int, tagged: Sequence[str], branched: Sequence[str], chance: random.Random
) -> Iterator[bytes]:
    """What `git fast-import` reads. A fifth of the commits carries a tag `chant(<id>)`."""
    done = [path.stem for path in sorted((root / ".chant" / "specs").glob("*.md"))][: commits // 2]
    done = [*tagged, *(id for id in done if id not in set(tagged))]
    for number in range(commits):
        message = f"{chance.choice(_VERBS)} {chance.choice(_NOUNS)} of the {chance.choice(_AREAS)}\n"
        if number % 5 == 4:
            id = done[number // 5 % len(done)]
            message = f"chant({id}): {message}\nAll criteria are met; tests were added.\n"
        yield _commit("main", number, message)
        if number == 0:
            for path in (*sorted((root / ".chant").rglob("*.md")), root / ".chant" / ".gitignore"):
                yield f"M 100644 inline {path.relative_to(root).as_posix()}\n".encode()
                yield _data(path.read_bytes())
        yield f"M 100644 inline src/{_source(chance)}.rs\n".encode()
        yield _data(f"// revision {number}\n".encode())
    for at, id in enumerate(branched):
        yield _commit(f"chant/{id}", commits + at, f"chant({id}): Begin\n")
        yield f"from :{max(commits - 40 * at, 1)}\nM 100644 inline src/branch{at}.rs\n".encode()
        yield _data(b"// started\n")


def _commit(branch: str, number: int, message: str) -> bytes:
    moment = 1_735_725_600 + 600 * number  # from 2025-01-01 10:00 UTC on
    head = f"commit refs/heads/{branch}\nmark :{number + 1}\ncommitter Ada <ada@example.org> {moment} +0000\n"
    return head.encode() + _data(message.encode())


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)


def main() -> None:
    """Write the project that the command line asks for."""
    if len(sys.argv) != 3:
        sys.exit("usage: python -m bench.corpus N DIR")
    corpus = build(Path(sys.argv[2]), int(sys.argv[1]))
    sys.stdout.write(f"{corpus.specs} specs, {corpus.commits} commits in {corpus.root}\n")


if __name__ == "__main__":
    main()
