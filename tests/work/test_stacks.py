"""Small projects of some stacks: what `env propose` writes is enough for a first check that passes.

Nothing is fetched: what they depend on lies in them.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field

import pytest
from chant_mcp.init import recipes
from confine.test_toolchains import rust_toolchains
from work.kit import ID, Workshop


@dataclass(frozen=True)
class Stack:
    """A small project, with the programs that it needs and a check that needs what its recipe installs."""

    programs: tuple[str, ...]
    check: list[str]
    files: dict[str, str] = field(default_factory=dict[str, str])


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
        {"requirements.txt": "# nothing yet\n"},
    ),
    "uv": Stack(
        ("uv",),
        [".venv/bin/python", "-c", "import sys; sys.exit(sys.prefix == sys.base_prefix)"],
        {
            "pyproject.toml": '[project]\nname = "shop"\nversion = "0.1.0"\nrequires-python = ">=3.10"\n',
            "uv.lock": 'version = 1\nrequires-python = ">=3.10"\n\n[[package]]\nname = "shop"\n'
            'version = "0.1.0"\nsource = { virtual = "." }\n',
        },
    ),
    "npm": Stack(
        ("node", "npm"),
        ["node", "-e", "process.exit(require('greet').greet() === 'hello' ? 0 : 1)"],
        {
            "package.json": json.dumps({"name": "shop", "workspaces": ["packages/*"]}),
            "package-lock.json": json.dumps(NPM),
            "packages/greet/package.json": json.dumps({"name": "greet", "version": "1.0.0"}),
            "packages/greet/index.js": "exports.greet = () => 'hello';\n",
        },
    ),
    "cargo": Stack(
        ("cargo",),
        ["cargo", "test", "--offline", "--quiet"],
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
        {
            "go.mod": "module example.org/shop\n\ngo 1.20\n",
            "shop.go": 'package shop\n\nfunc Greet() string { return "hello" }\n',
            "shop_test.go": 'package shop\n\nimport "testing"\n\n'
            'func TestGreet(t *testing.T) {\n\tif Greet() != "hello" {\n\t\tt.Fatal()\n\t}\n}\n',
        },
    ),
}


@pytest.mark.parametrize("name", STACKS)
def test_a_clone_has_its_first_passing_check_by_what_is_proposed(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch, name: str
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
    proposed = recipes.block(recipes.proposals(shop.root))
    shop.configure(f"checks:\n  tests: {json.dumps(stack.check)}\n{proposed}")
    shop.spec(ID, criteria=["Works <!-- check: tests -->"])
    shop.commit()
    shop.handle().work_start(ID)
    record = shop.ended(ID)
    assert record["end_state"] == "completed", (record["reason"], shop.log(ID))
    assert [check["exit"] for check in record["checks"]] == [0]
    assert len(record["environment"]) == 1
