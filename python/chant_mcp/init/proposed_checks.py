"""Checks that fit the files of a project: the tests that it has, run as its own tools run them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from chant_mcp.init import config_text, files, json_text
from chant_mcp.init.recipes import RecipeProposal

_NO_TESTS = "no test specified"
"""What npm writes as the script of a new package."""


def proposed_checks(root: Path, recipes: Iterable[RecipeProposal]) -> dict[str, list[str]]:
    """Find the commands that run the tests of a project; languages without a sign of tests have none.

    A project whose configuration has checks gets no more.

    Args:
        root: The project's folder.
        recipes: What is to be installed, by language.

    Returns:
        Command lines by the names of checks.
    """
    if any(line.startswith("checks:") for line in _front_matter(root)):
        return {}
    parts = (part for recipe in recipes for part in recipe.parts or (recipe,))
    found = {
        part.name: part.in_folder(check) for part in parts if (check := _check(root / part.folder, part))
    }
    return {"tests" if len(found) == 1 else f"{name}-tests": check for name, check in found.items()}


def _check(root: Path, recipe: RecipeProposal) -> list[str] | None:
    program = recipe.steps[0][0]
    wrapper = recipe.steps[0][: 2 if program == "sh" else 1]
    match recipe.language:
        case "python" if _names(
            root, "pytest", "pyproject.toml", "setup.cfg", "tox.ini", "requirements*.txt"
        ):
            return [".venv/bin/python", "-m", "pytest"]
        case "node" if _NO_TESTS not in (script := _script_of_tests(root)) and script:
            return [program, *(["run"] if program == "bun" else []), "test"]
        case "ruby" if _names(root, "rspec", "Gemfile.lock"):
            return ["bundle", "exec", "rspec"]
        case "php" if _names(root, "phpunit/phpunit", "composer.lock"):
            return ["vendor/bin/phpunit"]
        case "rust":
            return ["cargo", "test", "--locked"]
        case "go":
            return ["go", "test", "./..."]
        case "java" if "--batch-mode" in recipe.steps[0]:
            return [*wrapper, "--batch-mode", "--offline", "test"]
        case "java":
            return [*wrapper, "--no-daemon", "--offline", "test"]
        case "dotnet":
            return ["dotnet", "test", "--no-restore"]
        case _:
            return None


def _front_matter(root: Path) -> list[str]:
    text = (files.read(root, config_text.FILE) or b"").decode("utf-8-sig", errors="replace")
    return text.removeprefix("---").partition("\n---")[0].splitlines()


def _names(root: Path, word: str, *patterns: str) -> bool:
    """Whether a file at the top of a project has a word."""
    files = (path for pattern in patterns for path in root.glob(pattern) if path.is_file())
    return any(word in path.read_text("utf-8", errors="replace") for path in files)


def _script_of_tests(root: Path) -> str:
    try:
        package = json_text.as_object(json.loads((root / "package.json").read_bytes())) or {}
    except (OSError, ValueError, RecursionError):
        return ""
    scripts = json_text.as_object(package.get("scripts")) or {}
    return str(scripts.get("test", ""))
