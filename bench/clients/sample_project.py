"""A project of all four formats, under names that have to be escaped, and what changes in it."""

from __future__ import annotations

from pathlib import Path

SPEC = "2026-01-22-001-x7m"
SPEC_URI = f"chant://spec/{SPEC}"
PLAN = "plans/Größe & #1.vine"
_FEATURE = "001-käse & brot"
_NEW_SPEC = "2026-01-23-001-aaa"
NEW_SPEC_URI = f"chant://spec/{_NEW_SPEC}"

FURTHER_URIS = [f"chant://spec/2026-01-21-{number:03}-aaa" for number in range(1, 121)]
"""Specs that make the list of resources longer than a page."""

DOCUMENTS = {
    SPEC_URI: "# Ships sail",
    "vine://plan/plans/Gr%C3%B6%C3%9Fe%20%26%20%231.vine": "title: Big harbour",
    "vine://task/plans/Gr%C3%B6%C3%9Fe%20%26%20%231.vine?id=a": "Measure the quay",
    "speckit://feature/001-k%C3%A4se%20%26%20brot": "# Feature Specification: Cheese",
    "speckit://feature/001-k%C3%A4se%20%26%20brot/tasks": "T001 Slice",
    "ticket://MDT/MDT-001": "title: Late ferry",
}
"""What is said in documents, by their URIs."""

COMPLETIONS = {
    ("chant://spec/{id}", "id"): {"001-x7m": SPEC, "ships sail": SPEC},
    ("vine://plan/{+path}", "path"): {"größe": PLAN, "big harbour": PLAN},
    ("vine://task/{+path}{?id}", "id"): {"a": "a", "measure quay": "a"},
    ("speckit://feature/{name}", "name"): {"001": _FEATURE, "käse": _FEATURE},
    ("ticket://{project}/{id}", "id"): {"MDT-001": "MDT-001", "late": "MDT-001"},
}
"""By template and argument: an ID and a title, as they are typed, and the value they stand for."""

_FILES = {
    f".chant/specs/{SPEC}.md": "---\ntype: code\nstatus: pending\n---\n\n# Ships sail\n",
    PLAN: "vine 1.2.0\ntitle: Big harbour\n---\n[a] Measure the quay (started)\n",
    f"specs/{_FEATURE}/spec.md": "# Feature Specification: Cheese\n",
    f"specs/{_FEATURE}/tasks.md": "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Slice\n",
    ".mdt-config.toml": '[project]\nname = "Docks"\ncode = "MDT"\npath = "docs/CRs"\n',
    "docs/CRs/MDT-001-late.md": (
        "---\ncode: MDT-001\ntitle: Late ferry\nstatus: Approved\ntype: Bug Fix\npriority: High\n---\n"
    ),
}


class SampleProject:
    """The project in a folder; what changes there is done as other programs do it."""

    def __init__(self, root: Path) -> None:
        """Write the files."""
        self.root = root
        for name, text in _FILES.items():
            self._write(name, text)
        for uri in FURTHER_URIS:
            id = uri.rpartition("/")[2]
            self._write(f".chant/specs/{id}.md", "---\nstatus: pending\n---\n\n# Buoy\n")

    def change_spec(self, text: str) -> None:
        """Append a line to the spec, as an editor that saves by rename."""
        name = f".chant/specs/{SPEC}.md"
        self._write(name, f"{(self.root / name).read_text('utf-8')}\n{text}\n")

    def add_spec(self) -> None:
        """Add a spec."""
        self._write(f".chant/specs/{_NEW_SPEC}.md", _FILES[f".chant/specs/{SPEC}.md"])

    def remove_plan(self) -> None:
        """Remove the only plan, and with it the format."""
        (self.root / PLAN).unlink()

    def _write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f"{path.name}.new")
        new.write_text(text, encoding="utf-8")
        new.replace(path)
