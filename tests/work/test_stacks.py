"""Small projects of some stacks: what `env propose` writes, and the guide shows, suffices for a first check.

Nothing is fetched: what they depend on lies in them.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from chant_mcp.init import recipes
from confine.test_toolchains import rust_toolchains
from work.kit import ID, Workshop


@dataclass(frozen=True)
class Stack:
    """A small project, with the programs that it needs and a check that needs what its recipe installs."""

    programs: tuple[str, ...]
    check: list[str]
    page: str
    """The heading of the guide's section."""
    files: dict[str, str] = field(default_factory=dict[str, str])


GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "environment.md"
UNITTEST = {
    "test_ferry.py": "import unittest\n\n\nclass Ferry(unittest.TestCase):\n    def test(self): pass\n"
}
GREETS = "process.exit(require('greet').greet() === 'hello' ? 0 : 1)"
CARGO = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2021"\n'
LOCKED = '[[package]]\nname = "{}"\nversion = "0.1.0"\n'
NPM = {
    "name": "shop",
    "lockfileVersion": 3,
    "packages": {
        "": {"name": "shop", "workspaces": ["packages/*"]},
        "node_modules/greet": {"resolved": "packages/greet", "link": True},
        "packages/greet": {"version": "1.0.0"},
    },
}

STACKS = {
    "pip": Stack(
        ("python3",),
        [".venv/bin/python", "-c", "import sys; sys.exit(sys.prefix == sys.base_prefix)"],
        "Python with pip",
        {"requirements.txt": "# nothing yet\n", **UNITTEST},
    ),
    "uv": Stack(
        ("uv",),
        [".venv/bin/python", "-c", "import sys; sys.exit(sys.prefix == sys.base_prefix)"],
        "Python with uv",
        {
            **UNITTEST,
            "pyproject.toml": '[project]\nname = "shop"\nversion = "0.1.0"\nrequires-python = ">=3.10"\n',
            "uv.lock": 'version = 1\nrequires-python = ">=3.10"\n\n[[package]]\nname = "shop"\n'
            'version = "0.1.0"\nsource = { virtual = "." }\n',
        },
    ),
    "npm": Stack(
        ("node", "npm"),
        ["node", "-e", GREETS],
        "Node with npm",
        {
            "test.js": GREETS,
            "package.json": json.dumps(
                {"name": "shop", "workspaces": ["packages/*"], "scripts": {"test": "node test.js"}}
            ),
            "package-lock.json": json.dumps(NPM),
            "packages/greet/package.json": json.dumps({"name": "greet", "version": "1.0.0"}),
            "packages/greet/index.js": "exports.greet = () => 'hello';\n",
        },
    ),
    "pnpm": Stack(
        ("node", "pnpm"),
        ["node", "-e", GREETS],
        "Node with pnpm",
        {
            "test.js": GREETS,
            "package.json": json.dumps(
                {
                    "name": "shop",
                    "dependencies": {"greet": "workspace:*"},
                    "scripts": {"test": "node test.js"},
                }
            ),
            "pnpm-workspace.yaml": "packages: ['packages/*']\n",
            "pnpm-lock.yaml": "lockfileVersion: '9.0'\n\nimporters:\n  .:\n    dependencies:\n      greet:\n"
            "        specifier: workspace:*\n        version: link:packages/greet\n\n  packages/greet: {}\n",
            "packages/greet/package.json": json.dumps({"name": "greet", "version": "1.0.0"}),
            "packages/greet/index.js": "exports.greet = () => 'hello';\n",
        },
    ),
    "cargo": Stack(
        ("cargo",),
        ["cargo", "test", "--offline", "--quiet"],
        "Rust",
        {
            "Cargo.toml": CARGO.format("shop") + '\n[dependencies]\ngreet = { path = "greet" }\n',
            "Cargo.lock": "version = 3\n\n"
            + LOCKED.format("greet")
            + "\n"
            + LOCKED.format("shop")
            + 'dependencies = [\n "greet",\n]\n',
            "src/lib.rs": "#[test]\nfn greets() { assert_eq!(greet::greet(), 1); }\n",
            "greet/Cargo.toml": CARGO.format("greet"),
            "greet/src/lib.rs": "pub fn greet() -> u8 { 1 }\n",
            ".gitignore": "target/\n",
        },
    ),
    "go": Stack(
        ("go",),
        ["go", "test", "./..."],
        "Go",
        {
            "go.mod": "module example.org/shop\n\ngo 1.20\n",
            "shop.go": 'package shop\n\nfunc Greet() string { return "hello" }\n',
            "shop_test.go": 'package shop\n\nimport "testing"\n\n'
            'func TestGreet(t *testing.T) {\n\tif Greet() != "hello" {\n\t\tt.Fatal()\n\t}\n}\n',
        },
    ),
}


def shown(page: str) -> str:
    """Give the front matter of the configuration that a section of the guide shows."""
    section = GUIDE.read_text("utf-8").split(f"\n### {page}\n", 1)[1]
    return section.split("file=.chant/config.md\n---\n", 1)[1].split("---\n", 1)[0]


@pytest.mark.parametrize("is_of_guide", [False, True], ids=["proposed", "guide"])
@pytest.mark.parametrize("name", STACKS)
def test_a_clone_has_its_first_passing_check(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch, name: str, *, is_of_guide: bool
) -> None:
    stack = STACKS[name]
    if rust_toolchains().is_dir():
        monkeypatch.setenv("RUSTUP_HOME", str(rust_toolchains()))
    if missing := [program for program in stack.programs if shutil.which(program) is None]:
        pytest.skip(f"{name}: there is no {' and no '.join(missing)} here")
    for path, text in stack.files.items():
        file = shop.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    if is_of_guide:
        shop.configure(shown(stack.page))
    else:
        proposed = recipes.block(recipes.proposals(shop.root))
        shop.configure(f"checks:\n  tests: {json.dumps(stack.check)}\n{proposed}")
    shop.spec(ID, criteria=["Works <!-- check: tests -->"])
    shop.commit()
    shop.handle().work_start(ID)
    record = shop.ended(ID)
    assert record["end_state"] == "completed", (record["reason"], shop.log(ID))
    assert [check["exit"] for check in record["checks"]] == [0]
    assert len(record["environment"]) == 1
