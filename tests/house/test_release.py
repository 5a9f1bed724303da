"""What a release is beside its wheels: the registry's entry, the bundle, the container."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import zipfile
from dataclasses import dataclass, replace
from importlib.metadata import entry_points, version
from pathlib import Path

import click
from chant_mcp.commands.serve import serve as serve_command
from harness import Project, started_process
from server.over_http import started
from server.pipes import Pipes, initialize

from release.bundle import manifest_of, manifest_problems, write_bundle
from release.registry import blockers, differences, entry_of
from release.settings import PLACEHOLDER, ROOT, read_settings

SETTINGS = read_settings()


# The registry


def test_all_places_say_what_the_settings_do() -> None:
    assert differences(SETTINGS, ROOT) == []
    entry = json.loads((ROOT / "server.json").read_text("utf-8"))
    [package] = entry["packages"]
    extension = json.loads((ROOT / "editors/vscode/package.json").read_text("utf-8"))
    assert entry["version"] == package["version"] == extension["version"] == version("chant-mcp")
    assert package["identifier"] == "chant-mcp"
    assert len(entry["description"]) <= 100
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text("utf-8")


def test_a_release_is_not_published_while_places_differ(tmp_path: Path) -> None:
    named = replace(SETTINGS, registry_name="io.github.ada/chant-mcp")
    (tmp_path / "server.json").write_text(json.dumps(entry_of(named)), encoding="utf-8")
    readme = tmp_path / "README.md"
    readme.write_text("# chant\n\n<!-- mcp-name: io.github.ada/chant-mcp -->\n", encoding="utf-8")
    assert blockers(named, tmp_path) == []
    assert len(blockers(replace(named, version="9.9.9"), tmp_path)) == 1
    assert len(blockers(replace(named, about="x" * 101), tmp_path)) == 2
    readme.write_text("# chant\n", encoding="utf-8")
    assert "README.md lacks" in blockers(named, tmp_path)[0]
    placeholder = replace(named, registry_name=f"io.github.{PLACEHOLDER}/chant-mcp")
    assert PLACEHOLDER in blockers(placeholder, tmp_path)[-1]


# The bundle


def test_the_bundle_starts_by_the_command_of_its_manifest(project: Project, tmp_path: Path) -> None:
    project.spec("2026-01-22-001-x7m")
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(write_bundle(SETTINGS, tmp_path / "dist")) as bundle:
        bundle.extractall(folder)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert (folder / manifest["server"]["entry_point"]).is_file()
    assert f'"chant-mcp=={version("chant-mcp")}"' in (folder / "pyproject.toml").read_text("utf-8")
    values = {"__dirname": str(folder), "user_config.project": str(project.root)}
    config = manifest["server"]["mcp_config"]
    words = [_filled(word, values) for word in (config["command"], *config["args"])]
    command = _stand_in(tmp_path / "bin", folder) + words[1:]
    assert words[0] == "uv"
    pipes = Pipes(started_process(command, tmp_path))
    try:
        assert pipes.ask(initialize(1))["result"]["serverInfo"]["name"] == "chant"
        listed = pipes.ask({"jsonrpc": "2.0", "id": 2, "method": "resources/list"})["result"]["resources"]
        assert "chant://spec/2026-01-22-001-x7m" in [one["uri"] for one in listed]
    finally:
        pipes.discard()


def _filled(word: str, values: dict[str, str]) -> str:
    """Put values in the place of placeholders, as a host does."""
    return re.sub(r"\$\{([^}]*)\}", lambda found: values[found[1]], word)


def _stand_in(folder: Path, bundle: Path) -> list[str]:
    """Give a program that stands for `uv`: it installs nothing, and runs our module as the script."""
    folder.mkdir()
    text = (
        "import os, sys\n"
        f"assert sys.argv[1:4] == ['run', '--directory', {str(bundle)!r}], sys.argv\n"
        "assert sys.argv[4] == 'chant-mcp', sys.argv\n"
        f"os.chdir({str(bundle)!r})\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'chant_mcp', *sys.argv[5:]])\n"
    )
    (folder / "uv.py").write_text(text, encoding="utf-8")
    return [sys.executable, str(folder / "uv.py")]


def test_what_hosts_would_refuse_is_named(tmp_path: Path) -> None:
    manifest = manifest_of(SETTINGS)
    assert manifest_problems(manifest) == []
    assert manifest_problems({}) != []
    assert manifest_problems({**manifest, "user_config": {}}) == ["${user_config.project} stands for nothing"]
    bare = {"project": {"type": "directory", "title": "Project"}}
    assert manifest_problems({**manifest, "user_config": bare}) == [
        "user_config.project.description is missing"
    ]
    first = write_bundle(SETTINGS, tmp_path / "first").read_bytes()
    assert first == write_bundle(SETTINGS, tmp_path / "second").read_bytes(), "a release is one bundle"


def test_the_script_is_named_as_the_package() -> None:
    scripts = entry_points(group="console_scripts", name="chant-mcp")
    assert {script.value for script in scripts} == {"chant_mcp.entry:main"}


# The container


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction of a Dockerfile."""

    name: str
    rest: str

    @property
    def words(self) -> list[str]:
        """The words of its exec form."""
        return json.loads(self.rest[self.rest.index("[") :])


def instructions() -> list[Instruction]:
    """Read the Dockerfile: comments left out, lines that go on joined."""
    lines = (ROOT / "Dockerfile").read_text("utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#")).replace("\\\n", " ")
    found = [line.split(maxsplit=1) for line in text.splitlines() if line.strip()]
    return [Instruction(name, rest) for name, rest in found]


def test_the_container_is_pinned_and_not_run_by_root() -> None:
    found = instructions()
    known = ["FROM", "RUN", "COPY", "WORKDIR", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"]
    assert {one.name for one in found} <= set(known)
    images = [one.rest.split() for one in found if one.name == "FROM"]
    assert all(re.fullmatch(r"[a-z]+:[\d.]+-[a-z-]+", image[0]) for image in images), "no image floats"
    for one in (one for one in found if one.name == "RUN" and "apt-get install" in one.rest):
        assert "--no-install-recommends" in one.rest
        assert "rm -rf /var/lib/apt/lists/*" in one.rest
    last = found[max(at for at, one in enumerate(found) if one.name == "FROM") :]
    [user] = [one.rest for one in last if one.name == "USER"]
    assert user not in ("root", "0")
    names = [one.name for one in last]
    assert names.index("USER") < names.index("ENTRYPOINT")
    kept = (ROOT / ".dockerignore").read_text("utf-8").replace("*", "").split()
    for one in (one for one in found if one.name == "COPY" and "--from" not in one.rest):
        for source in shlex.split(one.rest)[:-1]:
            assert (ROOT / source).exists(), source
            assert f"!{source}".startswith(tuple(kept)), source
    rust = re.search(r'rust-version = "([^"]+)"', (ROOT / "Cargo.toml").read_text("utf-8"))
    assert rust is not None
    assert images[0][0].startswith(f"rust:{rust[1]}-")


def test_the_containers_command_is_one_and_its_health_check_works(project: Project) -> None:
    by_name = {one.name: one for one in instructions()}
    assert by_name["ENTRYPOINT"].words == ["chant-mcp"]
    words = by_name["CMD"].words
    with click.Context(serve_command) as context:
        words = [word.replace("/project", str(project.root)) for word in words[1:]]
        serve_command.parse_args(context, words)
        assert context.params["at"] == f"0.0.0.0:{by_name['EXPOSE'].rest}"
    check = by_name["HEALTHCHECK"].words
    assert check[0] == "python"
    server = started(project.root, "--no-auth")
    try:
        here = [word.replace(by_name["EXPOSE"].rest, str(server.port)) for word in check[1:]]
        assert subprocess.run([sys.executable, *here], check=False, stderr=subprocess.PIPE).returncode == 0
    finally:
        server.discard()
    assert subprocess.run([sys.executable, *here], check=False, stderr=subprocess.PIPE).returncode != 0
