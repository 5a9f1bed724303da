"""Nothing that lies in a project is taken for a part of our program when it is started there."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.init import merge_driver
from chant_mcp.program import own_program
from cli.kit import Cli, read_data
from harness import Project
from init.kit import Folder

SCRIPT = Path(sys.executable).with_name("chant-mcp")

MODULES = (
    *("anyio.py", "json.py", "mcp/__init__.py", "click/__init__.py", "rich.py", "pathlib.py", "typing.py"),
    *("sitecustomize.py", "usercustomize.py"),
)
"""Files of a project that have the names of what we import."""

OURS = "chant_mcp/__init__.py"

RELATIVE = os.pathsep.join(["", ".", "./x"])
"""A value of PYTHONPATH of which each element leads into the working folder."""

OLD = {"type": "stdio", "command": sys.executable, "args": ["-m", "chant_mcp"]}
"""What earlier releases wrote."""


class HostileFolder:
    """A project with modules that leave a mark when they are imported."""

    def __init__(self, root: Path) -> None:
        self.folder = Folder(root)
        self.mark = root.parent / "imported"
        self.add(*MODULES, OURS)

    def add(self, *names: str) -> None:
        """Add modules."""
        for name in names:
            text = f"with open({str(self.mark)!r}, 'a') as mark:\n    mark.write({name!r} + ' ')\n"
            self.folder.write(name, text)
        self.folder.write("chant_mcp/__main__.py", "print('not ours')\n")

    def start(self, *command: str, path: str = "", words: tuple[str, ...] = ()) -> str:
        """Start a program in the project, which answers, and say what of the project was imported."""
        self.mark.unlink(missing_ok=True)
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(
            [*command, *words],
            cwd=self.folder.root,
            env=environment,
            input=b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n',
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr.decode()
        assert done.stdout
        return self.mark.read_text("utf-8") if self.mark.exists() else ""


@pytest.fixture
def hostile(tmp_path: Path) -> HostileFolder:
    """A project that has modules of our names."""
    root = tmp_path / "project"
    root.mkdir()
    return HostileFolder(root)


def _entries(folder: Folder) -> Iterator[list[str]]:
    for name, key in (
        (".mcp.json", "mcpServers"),
        (".cursor/mcp.json", "mcpServers"),
        (".vscode/mcp.json", "servers"),
    ):
        entry = json.loads(folder.read(name))[key]["chant"]
        yield [entry["command"], *entry["args"]]


def test_what_init_writes_for_hosts_imports_nothing_of_the_project(
    hostile: HostileFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile.folder.root)
    monkeypatch.setenv("PYTHONPATH", RELATIVE)
    hostile.folder("--client", "all", "--this-machine")
    first, *others = _entries(hostile.folder)
    assert others == [first, first]
    assert hostile.start(*first, path=RELATIVE) == ""


def test_our_own_programs_import_nothing_of_the_project(
    hostile: HostileFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", RELATIVE)
    driver = merge_driver.command(sys.executable, None).split(" merge-driver ")[0]
    for program in (own_program(sys.executable), shlex.split(driver)):
        assert hostile.start(*program, words=("--version",), path=RELATIVE) == ""


def test_the_script_and_the_shown_commands_import_nothing_of_the_project(hostile: HostileFolder) -> None:
    if not SCRIPT.exists():
        pytest.skip("the package is not installed with its scripts")
    assert hostile.start(str(SCRIPT), words=("mcp",)) == ""
    assert hostile.start(sys.executable, "-P", "-m", "chant_mcp", words=("--version",)) == ""


def test_the_module_leaves_out_what_else_lies_in_the_project(hostile: HostileFolder) -> None:
    shutil.rmtree((hostile.folder.root / OURS).parent)
    assert hostile.start(sys.executable, "-m", "chant_mcp") == ""
    # Python has imported these before any program begins.
    early = {"sitecustomize.py", "usercustomize.py"}
    found = hostile.start(sys.executable, "-m", "chant_mcp", words=("--version",), path=RELATIVE)
    assert set(found.split()) <= early


def test_packages_that_a_variable_names_are_still_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert "-E" in own_program(sys.executable)
    (tmp_path / "more-1.0.dist-info").mkdir()
    assert "-E" not in own_program(sys.executable)


GIVEN = [[], ["mcp"], ["--read-only", "mcp"]]


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize(
    "start",
    [["-m", "chant_mcp"], ["-mchant_mcp"], ["-u", "-m", "chant_mcp"], ["-X", "dev", "-m", "chant_mcp"]],
)
def test_an_unsafe_start_is_corrected_and_nothing_else_in_the_file(
    folder: Folder, start: list[str], given: list[str]
) -> None:
    others = {"git": {"command": "x", "args": ["-m", "chant"]}}
    ours: dict[str, Any] = {**OLD, "args": [*start, *given], "env": {"X": "1"}, "disabled": True}
    before = (
        json.dumps({"a": [1, 2], "mcpServers": {**others, "chant": ours, "mine": ours}}, indent=3) + "\n\n"
    )
    folder.write(".mcp.json", before)
    folder("--client", "claude", "--this-machine")
    safe = {**ours, "args": ["-E", "-P", "-m", "chant_mcp", *given]}
    after = folder.read(".mcp.json")
    assert json.loads(after) == {"a": [1, 2], "mcpServers": {**others, "chant": safe, "mine": safe}}
    assert after.endswith("}\n\n")
    assert after.startswith(before[: before.index('"args": [\n            "-m",\n            "chant"')])
    folder("--client", "claude", "--this-machine")
    assert folder.read(".mcp.json") == after


SAFE: list[dict[str, Any]] = [
    {**OLD, "args": ["-P", "-m", "chant_mcp"]},
    {**OLD, "args": ["-I", "-m", "chant_mcp"]},
    {**OLD, "args": ["-sP", "-m", "chant_mcp"]},
    {**OLD, "env": {"PYTHONSAFEPATH": "1"}},
    {"command": "chant-mcp", "args": ["mcp"]},
    {"command": sys.executable, "args": ["-m", "other", "chant_mcp"]},
]


@pytest.mark.parametrize("entry", SAFE)
def test_a_safe_start_of_another_name_stays(folder: Folder, entry: dict[str, Any]) -> None:
    folder.write(".mcp.json", json.dumps({"mcpServers": {"mine": entry}}))
    folder("--client", "claude")
    assert json.loads(folder.read(".mcp.json"))["mcpServers"]["mine"] == entry


def test_doctor_finds_an_unsafe_start_and_init_corrects_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    hostile = HostileFolder(project.root)
    hostile.folder.write(".mcp.json", json.dumps({"mcpServers": {"mine": OLD}}))
    cli = Cli(project)
    found = read_data(cli.run("doctor", "--json").stdout)
    [problem] = [one for one in found["problems"] if ".mcp.json" in one]
    assert "`chant-mcp init --client all`" in problem
    assert not hostile.mark.exists(), "doctor started it"
    assert OURS in hostile.start(OLD["command"], *OLD["args"]), "it imports the project's"
    hostile.folder("--client", "claude", "--this-machine")
    found = read_data(cli.run("doctor", "--json").stdout)
    assert not [one for one in found["problems"] if "mcp.json" in one]
    assert {host["works"] for host in found["hosts"]} == {True}


def test_doctor_reports_a_search_path_that_depends_on_the_folder(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    for value, is_told in ((":/x", True), ("/x:lib", True), ("/x", False), ("", False)):
        monkeypatch.setenv("PYTHONPATH", value)
        found = read_data(Cli(project).run("doctor", "--json").stdout)
        assert any("PYTHONPATH" in one for one in found["problems"]) is is_told, value
