"""The API reference is built, and whatever is wrong with it is an error."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _built(folder: Path, script: Path = ROOT / "docs" / "reference.py") -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(script), str(folder)]
    return subprocess.run(words, capture_output=True, text=True, encoding="utf-8")


def test_the_reference_is_built_without_a_warning_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    done = _built(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    pages = {
        page.relative_to(tmp_path).as_posix(): page.read_text("utf-8") for page in tmp_path.rglob("*.html")
    }
    assert {"chant_mcp.html", "chant_mcp/graph.html", "chant_mcp/errors.html"} <= set(pages)
    assert "Returns the dependencies between tickets" in pages["chant_mcp.html"]  # said in Rust
    text = re.sub(r"<[^>]+>", "", pages["chant_mcp.html"])
    assert re.search(r"diagnose\(self, id: str\) -(>|&gt;) Answer", text)  # said in the stub
    names = {name: set(re.findall(r'id="([^"]+)"', text)) for name, text in pages.items()}
    for name, text in pages.items():
        for link, part in re.findall(r'href="([\w./]*)#([\w.]+)"', text):
            target = (Path(name).parent / link).as_posix() if link else name
            assert part in names[_plain(target)], f"{name}: {link}#{part}"


def _plain(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


@pytest.mark.parametrize(
    ("module", "complaint"),
    [
        ("def lost(): ...\n", "No docstring: lost.lost"),
        ('def lost(place: "Nowhere"):\n    """Go."""\n', "Nowhere"),
    ],
)
def test_what_is_wrong_fails_the_build(tmp_path: Path, module: str, complaint: str) -> None:
    (tmp_path / "lost.py").write_text(module, "utf-8")
    script = tmp_path / "reference.py"
    text = (ROOT / "docs" / "reference.py").read_text("utf-8")
    script.write_text(re.sub(r"MODULES = \(.*\)", 'MODULES = ("lost",)', text), "utf-8")
    done = _built(tmp_path / "out", script)
    assert done.returncode != 0
    assert complaint in done.stderr
