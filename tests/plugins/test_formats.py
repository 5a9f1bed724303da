"""Exporters and importers of packages, over tables of items."""

from __future__ import annotations

from pathlib import Path

from cli.kit import Cli
from harness import Project
from plugins.conftest import Install

A, B = "2026-01-22-001-aaa", "2026-01-22-002-bbb"
FORMATS = """
def lines(items):
    rows = zip(items.column("key"), items.column("title"))
    return "".join(f"{key} {title}\\n" for key, title in rows)

def notes(path):
    rows = [line.split(" ", 1) for line in path.read_text().splitlines()]
    before = [[], *([row[0]] for row in rows)]
    return [{"key": key, "title": title, "depends_on": on} for (key, title), on in zip(rows, before)]

def arrow(path):
    import pyarrow
    return pyarrow.table({"title": path.read_text().splitlines()})

def nothing(items):
    return None
"""


def test_an_exporter_gets_a_table_of_what_the_filters_leave(
    project: Project, cli: Cli, install: Install, tmp_path: Path
) -> None:
    install(FORMATS, exporters=["lines", "nothing"])
    project.spec(A, body="# Sail")
    project.spec(B, body="# Land", status="failed")
    assert cli("export", "--format", "lines") == f"chant:{A} Sail\nchant:{B} Land\n"
    file = tmp_path / "out.txt"
    cli("export", "--format", "lines", "--status", "failed", "-o", str(file))
    assert file.read_text() == f"chant:{B} Land\n"
    assert "is there already" in cli.error("export", "--format", "lines", "-o", str(file))
    cli("export", "--format", "lines", "-o", str(file), "--force")
    assert file.read_text().count("\n") == 2
    garbage = "The exporter `nothing` of ferry-rules 1.0 gave `NoneType` where a text was expected."
    assert garbage in cli.error("export", "--format", "nothing", "-o", str(tmp_path / "none"))
    assert [path.name for path in tmp_path.glob("*none*") if path.suffix != ".whl"] == []
    formats = "Formats are: json, csv, markdown, lines, nothing."
    assert formats in cli.error("export", "--format", "line", code=2)


def test_rows_of_an_importer_become_specs(
    project: Project, cli: Cli, install: Install, tmp_path: Path
) -> None:
    install(FORMATS, importers=["notes", "arrow"])
    source = tmp_path / "notes.txt"
    source.write_text("one Sail\ntwo Land\n")
    assert "2 would be imported" in cli("import", "--from", "arrow", "--dry-run", str(source))
    assert list(project.specs.iterdir()) == []
    assert "2 imported" in cli("import", "--from", "notes", str(source))
    first, second = sorted(project.specs.iterdir())
    assert "imported_from: csv:../notes.txt#notes:one\n" in first.read_text()
    assert f"depends_on:\n- {first.stem}\n" in second.read_text()
    assert "0 imported, 2 were here before" in cli("import", "--from", "notes", str(source))
    source.write_text("no-title\n")
    assert "The importer `notes` of ferry-rules 1.0 raised ValueError" in cli.error(
        "import", "--from", "notes", str(source)
    )
