"""`env`: recipes that fit a project, written and built."""

from __future__ import annotations

import json

import pytest
from chant_mcp.init import recipes
from cli.at_work import AtWork

FILES = {
    "uv.lock": ("python", ".venv"),
    "poetry.lock": ("python", ".venv"),
    "requirements.txt": ("python", ".venv"),
    "package-lock.json": ("node", "node_modules"),
    "pnpm-lock.yaml": ("node", "node_modules"),
    "yarn.lock": ("node", "node_modules"),
    "bun.lock": ("node", "node_modules"),
    "Gemfile.lock": ("ruby", "vendor/bundle"),
    "composer.lock": ("php", "vendor"),
    "Cargo.lock": ("rust", None),
    "go.mod": ("go", None),
    "pom.xml": ("java", None),
    "settings.gradle.kts": ("java", ".gradle"),
    "App.csproj": ("dotnet", "**/obj"),
}


@pytest.mark.parametrize("name", FILES)
def test_each_lock_file_has_a_recipe_that_is_accepted(agents: AtWork, name: str) -> None:
    agents.begin()
    (agents.project.root / name).write_text("", encoding="utf-8")
    assert agents("env", "propose", "--write").startswith("Wrote 1 recipe into .chant/config.md.")
    (recipe,) = agents.json("env", "show")["recipes"]
    language, made = FILES[name]
    assert (recipe["name"], next(iter(recipe["outputs"]), None)) == (language, made)
    assert "has an `environment` already" in agents.error("env", "propose", "--write")
    assert not (agents.project.root / (made or "target")).exists(), "nothing is run"


PACKAGE = {"scripts": {"test": "jest"}}
TESTED = {
    "python-tests": (
        {"requirements.txt": "pytest==8.0\n"},
        [".venv/bin/python", "-m", "pytest"],
    ),
    "node-tests": ({"package-lock.json": "{}", "package.json": json.dumps(PACKAGE)}, ["npm", "test"]),
    "ruby-tests": ({"Gemfile.lock": "    rspec (3.13.0)\n"}, ["bundle", "exec", "rspec"]),
    "php-tests": ({"composer.lock": '{"name": "phpunit/phpunit"}'}, ["vendor/bin/phpunit"]),
    "rust-tests": ({"Cargo.lock": ""}, ["cargo", "test", "--locked"]),
    "go-tests": ({"go.mod": ""}, ["go", "test", "./..."]),
    "java-tests": ({"mvnw": "", "pom.xml": ""}, ["sh", "mvnw", "--batch-mode", "--offline", "test"]),
    "dotnet-tests": ({"App.csproj": ""}, ["dotnet", "test", "--no-restore"]),
}


def test_the_tests_of_each_language_are_proposed_as_a_check(agents: AtWork) -> None:
    agents.begin()
    root = agents.project.root
    for files, _ in TESTED.values():
        for name, text in files.items():
            (root / name).write_text(text, encoding="utf-8")
    shown = agents("env", "propose")
    assert (
        "checks:\n" + "".join(f"  {name}: {json.dumps(words)}\n" for name, (_, words) in TESTED.items())
        in shown
    )
    said = agents("env", "propose", "--write")
    assert "Wrote the check `go-tests`, which a criterion names: chant-mcp add TITLE --check go-tests" in said
    made = agents.json("add", "Ferries", "--check", "go-tests")
    text = (root / made["path"]).read_text("utf-8")
    assert "- [ ] The check `go-tests` passes <!-- check: go-tests -->" in text


def test_a_project_without_tests_or_with_checks_gets_none(agents: AtWork) -> None:
    agents.begin()
    root = agents.project.root
    placeholder = {"scripts": {"test": 'echo "Error: no test specified" && exit 1'}}
    for name, text in {"package-lock.json": "{}", "package.json": json.dumps(placeholder)}.items():
        (root / name).write_text(text, encoding="utf-8")
    (root / "requirements.txt").write_text("click\n", encoding="utf-8")
    assert "checks:" not in agents("env", "propose")
    (root / "go.mod").write_text("", encoding="utf-8")
    agents.project.config("checks:\n  own: ['true']\n")
    assert "go test" not in agents("env", "propose", "--write")
    assert (root / ".chant" / "config.md").read_text("utf-8").count("checks:") == 1


def test_workspaces_and_packages_are_seen(agents: AtWork) -> None:
    root = agents.project.root
    (root / "package-lock.json").write_text("{}", encoding="utf-8")
    (root / "package.json").write_text(json.dumps({"workspaces": ["packages/*"]}), encoding="utf-8")
    (root / "pyproject.toml").write_text("[build-system]\nrequires = []\n", encoding="utf-8")
    (root / "uv.lock").write_text("", encoding="utf-8")
    (root / "src" / "app").mkdir(parents=True)
    (root / "src" / "app" / "__init__.py").write_text("", encoding="utf-8")
    python, node = recipes.proposals(root)
    assert python.stand_ins == ["src/app/__init__.py"]
    (root / "pyproject.toml").write_text(
        "[build-system]\nrequires = ['setuptools']\n[project]\ndynamic = ['version']\n", encoding="utf-8"
    )
    (root / "src" / "app" / "__version__.py").write_text("", encoding="utf-8")
    (root / "uv.lock").unlink()
    (root / "requirements.txt").write_text("-e .[test]\n", encoding="utf-8")
    itself, _ = recipes.proposals(root)
    sources = ["pyproject.toml", "src/app/__init__.py", "src/app/__version__.py"]
    assert (itself.inputs[2:], itself.stand_ins) == (sources, [])
    assert itself.outputs == [".venv", "**/*.egg-info"]
    assert ("**/package.json" in node.inputs, node.outputs) == (True, ["**/node_modules"])


MONOREPO = {
    "uv.lock": "",
    "web/package-lock.json": "{}",
    "web/package.json": json.dumps(PACKAGE),
    "web/ui/yarn.lock": "",
    "docs/requirements.txt": "sphinx",
    "go/ferry/go.mod": "",
    "go/pier/go.mod": "",
    "tests/samples/Cargo.lock": "",
    "ignored/package-lock.json": "{}",
    ".gitignore": "ignored/\n",
}


def test_each_lock_file_of_a_monorepo_has_a_recipe_in_its_folder(agents: AtWork) -> None:
    agents.begin()
    for name, text in MONOREPO.items():
        write(agents, name, text)
    said = agents.run("env", "propose").stderr
    assert "# Left out, as files of samples or tests: tests/samples/Cargo.lock\n" in said
    assert agents("env", "propose", "--write").startswith("Wrote 4 recipes")
    shown = {one["name"]: one for one in agents.json("env", "show")["recipes"]}
    assert {name: one["folder"] for name, one in shown.items()} == {
        "python": "",
        "web-node": "web",
        "web-ui-node": "web/ui",
        "go": "",
    }
    in_folder = 'sh -c cd "$0" && exec "$@" '
    assert shown["go"]["steps"] == [
        f"{in_folder}{folder} go mod download" for folder in ("go/ferry", "go/pier")
    ], "one cache is filled by one recipe"
    text = (agents.project.root / ".chant" / "config.md").read_text("utf-8")
    assert 'web-node-tests: ["sh", "-c", "cd \\"$0\\" && exec \\"$@\\"", "web", "npm", "test"]' in text
    assert "go-ferry-go-tests:" in text


@pytest.mark.parametrize("name", ["package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"])
def test_scripts_of_the_package_itself_are_left_out(agents: AtWork, name: str) -> None:
    """As `prepare: husky`: a recipe sees no sources, and hooks are the person's."""
    root = agents.project.root
    (root / name).write_text("", encoding="utf-8")
    (root / "package.json").write_text(json.dumps({"scripts": {"test": "x"}}), encoding="utf-8")
    (plain,) = recipes.proposals(root)
    (root / "package.json").write_text(json.dumps({"scripts": {"prepare": "husky"}}), encoding="utf-8")
    (without,) = recipes.proposals(root)
    left = {"pnpm-lock.yaml": [["rm", "-rf", ".pnpm-store"]]}.get(name, [])
    assert plain.steps[1:] == left
    assert without.steps[0] == [*plain.steps[0], "--ignore-scripts"]


def test_a_new_yarn_keeps_nothing_in_the_home_and_is_taken_from_the_repository(agents: AtWork) -> None:
    for name in ("yarn.lock", ".yarnrc.yml", ".yarn/releases/yarn-4.5.0.cjs"):
        write(agents, name, "")
    (yarn,) = recipes.proposals(agents.project.root)
    assert yarn.inputs[-1] == ".yarn/releases/**"
    assert (yarn.outputs, yarn.steps[-1]) == (
        ["node_modules", ".yarn/install-state.gz"],
        ["rm", "-rf", ".yarn/cache"],
    )
    assert yarn.variables == {"YARN_ENABLE_GLOBAL_CACHE": "false", "YARN_ENABLE_MIRROR": "false"}


def test_files_of_targets_stand_in_for_sources_of_cargo(agents: AtWork) -> None:
    for name in ("Cargo.lock", "Cargo.toml", "src/main.rs", "crates/a/Cargo.toml", "crates/a/src/lib.rs"):
        write(agents, name, "")
    write(agents, "target/package/a/Cargo.toml", "")
    write(agents, "crates/a/benches/speed.rs", "")
    (rust,) = recipes.proposals(agents.project.root)
    assert rust.stand_ins == ["crates/a/benches/speed.rs", "crates/a/src/lib.rs", "src/main.rs"]
    assert (rust.caches, rust.variables) == (["cargo"], {"CARGO_HOME": "{cache.cargo}"})


def test_a_project_without_lock_files_is_told_so(agents: AtWork) -> None:
    agents.begin()
    assert agents("env", "propose").startswith("No file here says what to install.")
    assert agents("env", "show").startswith("There are no recipes.")
    assert agents("env", "build").startswith("There are no recipes.")
    assert agents("env", "verify") == "There are no layers.\n"
    assert agents("env", "prune") == "Nothing to remove.\n"


def write(agents: AtWork, name: str, text: str) -> None:
    """Write a file of the project."""
    path = agents.project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


FOREIGN = {
    ".cursor/environment.json": (
        '{"install": "npm ci", "terminals": [{"name": "web", "command": "npm run dev"}]}'
    ),
    "conductor.json": '{"scripts": {"setup": "./setup.sh", "run": "make dev"}}',
    ".devcontainer/devcontainer.json": """{
  // What the container runs.
  "image": "mcr.example/base", "initializeCommand": "rm -rf ~",
  "postCreateCommand": ["pip", "install", "-e", "."],
  "forwardPorts": [3000, 5432],
}
""",
    ".worktreeinclude": "# secrets\n.env\n",
    ".github/workflows/copilot-setup-steps.yml": """jobs:
  copilot-setup-steps:
    steps:
      - uses: actions/setup-node@v4
      - run: |
          npm ci
""",
}

SAID = [
    ".cursor/environment.json:1: install: npm ci",
    ".cursor/environment.json:1: terminals.name: web",
    ".cursor/environment.json:1: terminals.command: npm run dev",
    "conductor.json:1: scripts.setup: ./setup.sh",
    "conductor.json:1: scripts.run: make dev",
    ".devcontainer/devcontainer.json:4: postCreateCommand: pip install -e .",
    ".devcontainer/devcontainer.json:5: forwardPorts: 3000 5432",
    ".worktreeinclude:2: copied file: .env",
    ".github/workflows/copilot-setup-steps.yml:4: uses: actions/setup-node@v4",
    ".github/workflows/copilot-setup-steps.yml:5: run: npm ci",
]


def test_what_files_of_other_tools_ask_for_is_shown_and_not_followed(agents: AtWork) -> None:
    agents.begin()
    for name, text in FOREIGN.items():
        write(agents, name, text)
    write(agents, "package-lock.json", "{}")
    said = agents.run("env", "propose").stderr
    assert [line.removeprefix("#   ") for line in said.splitlines() if line.startswith("#   ")] == SAID
    assert "rm -rf" not in said
    assert "mcr.example" not in said


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '"x"', "[" * 100_000, '{"install": "\\u001b[31mred\\nline"}', '{"install": {"a": null}}'],
)
def test_a_broken_or_hostile_file_of_another_tool_is_data(agents: AtWork, text: str) -> None:
    agents.begin()
    write(agents, ".cursor/environment.json", text)
    said = agents.run("env", "propose").stderr
    assert "\x1b" not in said
    assert all(line.startswith("#") for line in said.splitlines())


def test_the_log_of_a_build_in_advance_is_shown(agents: AtWork) -> None:
    agents.begin()
    assert agents("env", "log").startswith("No recipe was built in advance here")
    steps = "echo a long story; exit 3"
    recipe = f"  recipes: {{x: {{inputs: [in.txt], outputs: [out], steps: [[sh, -c, '{steps}']]}}}}\n"
    write(agents, "in.txt", "")
    config = agents.project.root / ".chant" / "config.md"
    text = config.read_text("utf-8")
    config.write_text(text.replace("---\n", f"---\nenvironment:\n{recipe}", 1), encoding="utf-8")
    agents.project.git("add", "-A")
    agents.project.git("commit", "-qm", "A recipe")
    assert "`chant-mcp env log` has its whole output" in agents.error("env", "build")
    assert "a long story" in agents("env", "log")
