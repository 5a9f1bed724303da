"""What we stand on may be used as we do."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

ALLOWED = {
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    # Of single files: who changes these publishes them. Used as it is.
    "MPL-2.0",
    "MPL-2.0+",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}


@pytest.fixture(scope="module")
def metadata() -> Any:
    words = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline"]
    done = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True, encoding="utf-8")
    return json.loads(done.stdout)


def _is_allowed(expression: str) -> bool:
    """Decide an SPDX expression: one allowed alternative of each part is enough."""
    expression = expression.replace(" / ", " OR ").replace("/", " OR ")
    parts = re.sub(r"[()]", "", expression).split(" AND ")
    return all(any(name.strip() in ALLOWED for name in part.split(" OR ")) for part in parts)


def test_every_crate_has_a_licence_we_allow(metadata: Any) -> None:
    refused = {
        package["name"]: package["license"]
        for package in metadata["packages"]
        if not _is_allowed(package["license"] or "none")
    }
    assert refused == {}
    assert not _is_allowed("GPL-3.0")
    assert not _is_allowed("MIT AND GPL-3.0")


def test_the_list_for_cargo_deny_allows_nothing_more() -> None:
    text = (ROOT / "deny.toml").read_text("utf-8")
    listed = re.search(r"allow = \[(.*?)\]", text, re.S)
    assert listed
    assert set(re.findall(r'"([^"]+)"', listed.group(1))) <= ALLOWED


def test_the_core_does_not_depend_on_python(metadata: Any) -> None:
    nodes = {node["id"]: node["dependencies"] for node in metadata["resolve"]["nodes"]}
    names = {package["id"]: package["name"] for package in metadata["packages"]}
    open_ids = [id for id, name in names.items() if name == "chant-workspace"]
    seen: set[str] = set()
    while open_ids:
        id = open_ids.pop()
        if id not in seen:
            seen.add(id)
            open_ids += nodes[id]
    reached = {names[id] for id in seen}
    assert "git2" in reached
    assert not {name for name in reached if name.startswith("pyo3")}


def test_the_package_declares_its_licence_and_its_oldest_toolchain(metadata: Any) -> None:
    own = [package for package in metadata["packages"] if package["name"].startswith("chant-")]
    assert {package["license"] for package in own} == {"MIT OR Apache-2.0"}
    assert {package["rust_version"] for package in own} == {"1.89"}
    assert (ROOT / "LICENSE-MIT").exists()
    assert (ROOT / "LICENSE-APACHE").exists()
    assert 'license = "MIT OR Apache-2.0"' in (ROOT / "pyproject.toml").read_text("utf-8")
