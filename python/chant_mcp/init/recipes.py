"""Recipes of the environment that fit the files of a project, as a person may take them over."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from chant_mcp.errors import GitError, RefusedError
from chant_mcp.init import config_text, files, json_text
from chant_mcp.init.repository import Repository

_NO_CHECKS: Mapping[str, list[str]] = {}
_MOST_PACKAGES = 50
"""Packages of a source tree that a recipe may have stand-ins for."""
_IN_FOLDER = ["sh", "-c", 'cd "$0" && exec "$@"']
"""Runs a command in the folder that comes first."""
_SAMPLES = frozenset(
    ("example", "examples", "fixtures", "test", "testdata", "tests", "third_party", "vendor")
)
"""Folders whose projects are no part of this one."""


@dataclass(frozen=True, slots=True)
class RecipeProposal:
    """A recipe that fits a file of the project."""

    name: str
    """What the recipe is called."""
    because: str
    """The file that asks for it."""
    inputs: list[str]
    steps: list[list[str]]
    outputs: list[str]
    tools: list[list[str]]
    stand_ins: list[str] = field(default_factory=list[str])
    variables: dict[str, str] = field(default_factory=dict[str, str])
    caches: list[str] = field(default_factory=list[str])
    language: str = ""
    folder: str = ""
    """The folder that it fits, from the project's root; the root if it is empty."""
    parts: tuple[RecipeProposal, ...] = ()
    """The recipes that it stands for, if there are several."""

    def in_folder(self, command: list[str]) -> list[str]:
        """Write a command that begins at the project's root so that it runs in the folder."""
        return [*_IN_FOLDER, self.folder, *command] if self.folder else command

    def lines(self) -> list[str]:
        """Write it as lines of the configuration, without indentation."""
        listed = {
            "inputs": self.inputs,
            "stand_ins": self.stand_ins,
            "steps": self.steps,
            "outputs": self.outputs,
            "caches": self.caches,
            "tools": self.tools,
        }
        lines = [f"{self.name}:  # because of {self.because}"]
        if self.folder:
            lines.append(f"  in: {json.dumps(self.folder)}")
        lines += [f"  {key}: {json.dumps(value)}" for key, value in listed.items() if value]
        if self.variables:
            lines.append(f"  variables: {json.dumps(self.variables)}")
        return lines


def proposals(root: Path, repository: Repository | None = None) -> list[RecipeProposal]:
    """Find the recipes that fit a project: one for each language at its root, and for each lock file below.

    What several folders keep in one cache is one recipe, since a variable of runs can name one cache alone.

    Args:
        root: The project's folder.
        repository: What lists the files below it; the root alone is looked at without.
    """
    found = _of_folder(root, "")
    for folder in _folders_below(repository):
        above = {one.language for one in found if not one.folder or folder.startswith(f"{one.folder}/")}
        of_folder = _of_folder(root / folder, folder)
        found += [one for one in of_folder if one.language not in above or _is_lock(root, one.because)]
    shared = {key: [one for one in found if one.caches and one.language == key] for key in _languages(found)}
    joined = {key: _joined(parts) for key, parts in shared.items() if len(parts) > 1}
    kept = [*(one for one in found if one.language not in joined), *joined.values()]
    return _with_own_names(kept)


def left_out(repository: Repository) -> list[str]:
    """Find the files of samples and of tests that say what to install: no recipe is proposed for them."""
    return [name for name in _files_below(repository) if _is_sample(name)]


def _is_sample(name: str) -> bool:
    return any(part.startswith(".") or part in _SAMPLES for part in PurePosixPath(name).parts[:-1])


def _folders_below(repository: Repository | None) -> list[str]:
    names = _files_below(repository) if repository else iter(())
    return sorted({PurePosixPath(name).parent.as_posix() for name in names if not _is_sample(name)})


def _files_below(repository: Repository) -> Iterator[str]:
    """Find the files in folders of a project that say what to install, but for those that git ignores.

    Without git, or outside of a repository, there are none.
    """
    patterns = [f":(glob)*/**/{pattern}" for languages in _KNOWN for pattern in languages]
    try:
        listed = repository.run(
            "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns
        )
    except GitError:
        return iter(())
    names = listed.stdout.decode("utf-8", errors="replace").split("\0") if listed.returncode == 0 else []
    return (name for name in names if (repository.folder / name).is_file())


def _is_lock(root: Path, name: str) -> bool:
    """Whether a file stands for an installation of its own, even below one of the same language."""
    file = PurePosixPath(name).name
    return (file == "go.mod" and not (root / "go.work").is_file()) or "lock" in file


def _of_folder(place: Path, folder: str) -> list[RecipeProposal]:
    found: list[RecipeProposal] = []
    for languages in _KNOWN:
        fitting = (
            make(place, name) for pattern, make in languages.items() for name in _named(place, pattern)
        )
        for one in [one for one in fitting if one is not None][:1]:
            because = f"{folder}/{one.because}" if folder else one.because
            found.append(replace(one, because=because, language=one.name, folder=folder))
    return found


def _languages(found: list[RecipeProposal]) -> list[str]:
    return list(dict.fromkeys(one.language for one in found))


def _joined(parts: list[RecipeProposal]) -> RecipeProposal:
    def below(key: str) -> list[str]:
        paths = ((one.folder, path) for one in parts for path in getattr(one, key))
        return list(dict.fromkeys(f"{folder}/{path}" if folder else path for folder, path in paths))

    return replace(
        parts[0],
        because=", ".join(one.because for one in parts),
        inputs=below("inputs"),
        stand_ins=below("stand_ins"),
        outputs=below("outputs"),
        steps=[one.in_folder(step) for one in parts for step in one.steps],
        folder="",
        parts=tuple(_with_own_names(parts)),
    )


def _with_own_names(found: list[RecipeProposal]) -> list[RecipeProposal]:
    """Name recipes after their folders, where these can be told apart by letters that names may have."""
    names: dict[str, RecipeProposal] = {}
    for one in found:
        folder = re.sub(r"[^A-Za-z0-9_]+", "-", one.folder).strip("-")
        name = usual = f"{folder}-{one.language}" if folder else one.language
        while name in names:
            name = f"{usual}-{len(names) + 1}"
        names[name] = replace(one, name=name)
    return list(names.values())


def _named(root: Path, pattern: str) -> list[str]:
    """Find the first file at the root of a project that a pattern names."""
    return sorted(path.name for path in root.glob(pattern) if path.is_file())[:1]


def block(found: list[RecipeProposal], checks: Mapping[str, list[str]] = _NO_CHECKS) -> str:
    """Write recipes, and checks by their names, as blocks of the configuration."""
    lines = ["environment:", "  recipes:"]
    for proposal in found:
        lines += [f"    {line}" for line in proposal.lines()]
    if checks:
        lines += ["checks:", *(f"  {name}: {json.dumps(words)}" for name, words in checks.items())]
    return "\n".join(lines) + "\n"


def written(
    root: Path, found: list[RecipeProposal], checks: Mapping[str, list[str]] = _NO_CHECKS
) -> files.FileChange:
    """Plan the project's configuration with recipes and checks added; nothing else of it changes.

    Raises:
        RefusedError: There is no configuration, or it has an environment already.
    """
    before = files.read(root, config_text.FILE)
    if before is None:
        raise RefusedError(f"There is no `{config_text.FILE}`. Run `chant-mcp init` first.")
    lines = before.decode("utf-8-sig", errors="strict").splitlines(keepends=True)
    ends = [at for at, line in enumerate(lines) if line.rstrip() == "---"]
    if len(ends) < 2 or ends[0] != 0:
        raise RefusedError(f"`{config_text.FILE}` has no front matter. Paste what `env propose` shows.")
    if any(line.startswith("environment:") for line in lines[: ends[1]]):
        raise RefusedError(
            f"`{config_text.FILE}` has an `environment` already. Paste what `env propose` shows into it."
        )
    lines.insert(ends[1], block(found, checks))
    return files.FileChange(config_text.FILE, before, "".join(lines).encode())


def _uv(root: Path, because: str) -> RecipeProposal:
    own = _own_package(root)
    return RecipeProposal(
        "python",
        because,
        inputs=list(
            dict.fromkeys(["pyproject.toml", "uv.lock", ".python-version", "**/pyproject.toml", *own.inputs])
        ),
        stand_ins=own.stand_ins,
        steps=[["uv", "sync", "--frozen"]],
        outputs=[".venv", *own.outputs],
        tools=[["uv", "--version"]],
        variables={"UV_LINK_MODE": "copy"},
    )


def _poetry(_: Path, because: str) -> RecipeProposal:
    return RecipeProposal(
        "python",
        because,
        inputs=["pyproject.toml", "poetry.lock"],
        steps=[["poetry", "install", "--no-root", "--no-interaction"]],
        outputs=[".venv"],
        tools=[["poetry", "--version"], ["python3", "--version"]],
        variables={"POETRY_VIRTUALENVS_IN_PROJECT": "true"},
    )


def _pip(root: Path, because: str) -> RecipeProposal:
    named = (root / because).read_text("utf-8", errors="replace")
    installs_itself = re.search(r"^\s*(-e|--editable)?[ =]*\.(\[|/?\s*$)", named, re.MULTILINE)
    own = _own_package(root) if installs_itself else _OwnPackage()
    return RecipeProposal(
        "python",
        because,
        inputs=["requirements*.txt", "constraints*.txt", *own.inputs],
        stand_ins=own.stand_ins,
        steps=[
            ["python3", "-m", "venv", ".venv"],
            [".venv/bin/python", "-m", "pip", "install", "--no-compile", "-r", because],
        ],
        outputs=[".venv", *own.outputs],
        tools=[["python3", "--version"]],
    )


@dataclass(frozen=True, slots=True)
class _NodeInstaller:
    """A program that installs what a package of Node.js depends on."""

    lock: str
    install: list[str]
    without_scripts: list[list[str]]
    """The steps that run no scripts of the package itself, but those of packages that it depends on,
    where the program tells them apart."""
    remove: str | None = None
    """What the installation leaves beside its outputs, and nobody needs afterwards."""
    variables: dict[str, str] = field(default_factory=dict[str, str])
    own_inputs: tuple[str, ...] = ()
    """Files of the program itself that a repository may have."""
    own_outputs: tuple[str, ...] = ()

    def __call__(self, root: Path, because: str) -> RecipeProposal:
        """Make the recipe of a project."""
        package = _package_json(root)
        shared = ["pnpm-workspace.yaml", ".npmrc", ".yarnrc.yml"]
        has_workspaces = (root / "pnpm-workspace.yaml").is_file() or bool(package.get("workspaces"))
        inside = ["**/package.json"] if has_workspaces else []
        has_scripts = not _SCRIPTS_OF_INSTALLATION.isdisjoint(
            json_text.as_object(package.get("scripts")) or {}
        )
        return RecipeProposal(
            "node",
            because,
            inputs=[
                "package.json",
                self.lock,
                *(name for name in shared if (root / name).is_file()),
                *(f"{name}/**" for name in self.own_inputs if (root / name).is_dir()),
                *inside,
            ],
            steps=[
                *(self.without_scripts if has_scripts else [self.install]),
                *([["rm", "-rf", self.remove]] if self.remove else []),
            ],
            outputs=["**/node_modules" if inside else "node_modules", *self.own_outputs],
            tools=[["node", "--version"], [self.install[0], "--version"]],
            variables=self.variables,
        )


_SCRIPTS_OF_INSTALLATION = frozenset(
    ("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare")
)
"""Scripts of a package that its own installation runs. They want its sources, or set up hooks of git."""

_NPM = _NodeInstaller(
    "package-lock.json", ["npm", "ci"], [["npm", "ci", "--ignore-scripts"], ["npm", "rebuild"]]
)
# pnpm puts its store into a project that lies on another file system than the home, and links files to it.
_STORE = ".pnpm-store"
_PNPM_INSTALL = ["pnpm", "install", "--frozen-lockfile", "--store-dir", _STORE]
_PNPM = _NodeInstaller(
    "pnpm-lock.yaml",
    _PNPM_INSTALL,
    [[*_PNPM_INSTALL, "--ignore-scripts"], ["pnpm", "rebuild"]],
    remove=_STORE,
)
_YARN_1 = _NodeInstaller(
    "yarn.lock",
    ["yarn", "install", "--frozen-lockfile"],
    [["yarn", "install", "--frozen-lockfile", "--ignore-scripts"], ["npm", "rebuild"]],
)
_YARN = _NodeInstaller(
    "yarn.lock",
    ["yarn", "install", "--immutable"],
    [["yarn", "install", "--immutable", "--mode=skip-build"]],
    remove=".yarn/cache",
    # The cache of the user's home is not to be written, nor its copies of what is fetched.
    variables={"YARN_ENABLE_GLOBAL_CACHE": "false", "YARN_ENABLE_MIRROR": "false"},
    own_inputs=(".yarn/releases", ".yarn/plugins", ".yarn/patches"),
    own_outputs=(".yarn/install-state.gz",),
)
_BUN = _NodeInstaller(
    "bun.lock",
    ["bun", "install", "--frozen-lockfile"],
    [["bun", "install", "--frozen-lockfile", "--ignore-scripts"]],
)


def _yarn(root: Path, because: str) -> RecipeProposal | None:
    if (root / ".pnp.cjs").exists():
        return None
    return (_YARN if (root / ".yarnrc.yml").is_file() else _YARN_1)(root, because)


def _bundler(_: Path, because: str) -> RecipeProposal:
    return RecipeProposal(
        "ruby",
        because,
        inputs=["Gemfile", "Gemfile.lock", ".ruby-version", "*.gemspec"],
        steps=[["bundle", "config", "set", "--local", "path", "vendor/bundle"], ["bundle", "install"]],
        outputs=["vendor/bundle", ".bundle"],
        tools=[["ruby", "--version"], ["bundle", "--version"]],
    )


def _composer(_: Path, because: str) -> RecipeProposal:
    return RecipeProposal(
        "php",
        because,
        inputs=["composer.json", "composer.lock"],
        steps=[["composer", "install", "--no-interaction", "--no-scripts"]],
        outputs=["vendor"],
        tools=[["php", "--version"], ["composer", "--version"]],
    )


def _cargo(root: Path, because: str) -> RecipeProposal:
    manifests = [path for path in root.glob("**/Cargo.toml") if "target" not in path.parts]
    return RecipeProposal(
        "rust",
        because,
        inputs=[
            "**/Cargo.toml",
            because,
            *_present(root, "rust-toolchain.toml", "rust-toolchain", ".cargo/config.toml"),
        ],
        # Without the files of its targets cargo reads no manifest.
        stand_ins=sorted(
            path.relative_to(root).as_posix()
            for manifest in manifests[:_MOST_PACKAGES]
            for pattern in _TARGETS_OF_CARGO
            for path in manifest.parent.glob(pattern)
            if path.is_file()
        ),
        steps=[["cargo", "fetch", "--locked"]],
        outputs=[],
        caches=["cargo"],
        tools=[["cargo", "--version"]],
        variables={"CARGO_HOME": "{cache.cargo}"},
    )


_TARGETS_OF_CARGO = (
    "build.rs",
    "src/lib.rs",
    "src/main.rs",
    "src/bin/*.rs",
    "src/bin/*/main.rs",
    *(f"{folder}/{name}" for folder in ("benches", "examples", "tests") for name in ("*.rs", "*/main.rs")),
)
"""Files from which cargo knows the targets of a package."""


def _go(root: Path, because: str) -> RecipeProposal:
    return RecipeProposal(
        "go",
        because,
        inputs=["**/go.mod", "**/go.sum", *_present(root, "go.work", "go.work.sum")],
        steps=[["go", "mod", "download"]],
        outputs=[],
        caches=["modules"],
        tools=[["go", "version"]],
        variables={"GOMODCACHE": "{cache.modules}"},
    )


def _maven(root: Path, because: str) -> RecipeProposal:
    has_wrapper = (root / "mvnw").is_file()
    maven = ["sh", "mvnw"] if has_wrapper else ["mvn"]
    return RecipeProposal(
        "java",
        because,
        inputs=[
            "**/pom.xml",
            *_present(root, "mvnw", ".mvn/wrapper/maven-wrapper.properties", ".mvn/maven.config"),
        ],
        steps=[[*maven, "--batch-mode", "--quiet", "dependency:go-offline"]],
        outputs=[],
        caches=["maven"],
        tools=[["java", "-version"]] if has_wrapper else [["mvn", "--version"]],
        variables={"MAVEN_OPTS": "-Dmaven.repo.local={cache.maven}"},
    )


def _gradle(root: Path, because: str) -> RecipeProposal:
    gradle = ["sh", "gradlew"] if (root / "gradlew").is_file() else ["gradle"]
    return RecipeProposal(
        "java",
        because,
        inputs=[
            "**/*.gradle",
            "**/*.gradle.kts",
            *_present(root, "gradlew", "gradle.properties"),
            *(f"{name}/**" for name in ("gradle", "buildSrc", "build-logic") if (root / name).is_dir()),
        ],
        steps=[[*gradle, "--no-daemon", "--console=plain", "dependencies"]],
        outputs=[".gradle"],
        caches=["gradle"],
        tools=[["java", "-version"]],
        variables={"GRADLE_USER_HOME": "{cache.gradle}"},
    )


def _dotnet(root: Path, because: str) -> RecipeProposal:
    kinds = ("*.sln", "*.slnx", "**/*.csproj", "**/*.fsproj", "**/*.vbproj", "**/packages.lock.json")
    shared = (
        "global.json",
        "nuget.config",
        "NuGet.config",
        "Directory.Build.props",
        "Directory.Packages.props",
    )
    found = [kind for kind in kinds if next(root.glob(kind), None)]
    locked = ["--locked-mode"] if "**/packages.lock.json" in found else []
    return RecipeProposal(
        "dotnet",
        because,
        inputs=[*found, *_present(root, *shared)],
        steps=[["dotnet", "restore", *locked]],
        outputs=["**/obj"],
        caches=["nuget"],
        tools=[["dotnet", "--version"]],
        variables={"NUGET_PACKAGES": "{cache.nuget}"},
    )


def _present(root: Path, *names: str) -> list[str]:
    """Keep the names of files that are there."""
    return [name for name in names if (root / name).is_file()]


_KNOWN: tuple[dict[str, Callable[[Path, str], RecipeProposal | None]], ...] = (
    {"uv.lock": _uv, "poetry.lock": _poetry, "requirements-dev.txt": _pip, "requirements.txt": _pip},
    {"pnpm-lock.yaml": _PNPM, "package-lock.json": _NPM, "yarn.lock": _yarn, "bun.lock": _BUN},
    {"Gemfile.lock": _bundler},
    {"composer.lock": _composer},
    {"Cargo.lock": _cargo},
    {"go.mod": _go},
    {
        "pom.xml": _maven,
        "settings.gradle": _gradle,
        "settings.gradle.kts": _gradle,
        "build.gradle": _gradle,
        "build.gradle.kts": _gradle,
    },
    {"*.sln": _dotnet, "*.slnx": _dotnet, "*.csproj": _dotnet, "*.fsproj": _dotnet},
)
"""Files that say what to install, by language; the first that is there counts."""


def _package_json(root: Path) -> dict[str, object]:
    try:
        return json_text.as_object(json.loads((root / "package.json").read_bytes())) or {}
    except (OSError, ValueError, RecursionError):
        return {}


@dataclass(frozen=True, slots=True)
class _OwnPackage:
    """What an installation of the project itself looks for, and what it makes."""

    inputs: list[str] = field(default_factory=list[str])
    stand_ins: list[str] = field(default_factory=list[str])
    outputs: list[str] = field(default_factory=list[str])


def _own_package(root: Path) -> _OwnPackage:
    """Find what an installation of the project itself looks for; nothing where it is no package.

    A version that is read from the sources makes them inputs; else empty files stand in for them.
    """
    texts = {name: root / name for name in ("pyproject.toml", "setup.py", "setup.cfg")}
    found = {
        name: path.read_text("utf-8", errors="replace") for name, path in texts.items() if path.is_file()
    }
    project = found.get("pyproject.toml", "")
    is_built = re.search(r"^\[build-system\]", project, re.MULTILINE)
    if not is_built and "setup.py" not in found:
        return _OwnPackage()
    outside = {"tests", "test", "docs", "examples"}
    packages = [*root.glob("src/*/__init__.py"), *root.glob("*/__init__.py")]
    modules = sorted(path for path in packages if path.parent.name not in outside)[:_MOST_PACKAGES]
    versions = [path for one in modules for path in sorted(one.parent.glob("*version*.py")) if path.is_file()]
    reads_version = not is_built or re.search(r"^dynamic\s*=\s*\[[^\]]*version", project, re.MULTILINE)
    beside = [path for path in sorted(root.iterdir()) if re.match(r"(?i)readme|licen[cs]e|notice", path.name)]

    def names(paths: Iterable[Path]) -> list[str]:
        return [path.relative_to(root).as_posix() for path in paths if path.is_file()]

    made = ["**/*.egg-info"] if "setuptools" in project or not is_built else []
    if reads_version:
        return _OwnPackage([*found, *names([*modules, *versions])], names(beside), made)
    return _OwnPackage([*found], names([*beside, *modules]), made)
