"""Which projects a real server finds: registry, configuration, variables; all of it read and never written.

Each test is one process with an environment of its own; what it should see is put before it between calls
(seed tickets 487-501; reference 1 and 10).
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tickets.filing import Tickets
from writing import Wire, tree

Run = Callable[..., "subprocess.Popen[bytes]"]


@dataclass(frozen=True)
class Home:
    """A user's home folder, and a folder that is no project to start servers in."""

    root: Path
    run_server: Run

    def project(self, where: str, code: str, **keys: object) -> Tickets:
        """Make a project with one ticket."""
        tickets = Tickets(self.root / where, code)
        tickets.defines(**keys)
        tickets.ticket(1, f"Of {where.rsplit('/', 1)[-1]}")
        return tickets

    def put(self, where: str, text: str) -> Path:
        """Write a file below the home folder."""
        path = self.root / where
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def registers(self, name: str, text: str) -> Path:
        """Write a record of the registry."""
        return self.put(f".config/markdown-ticket/projects/{name}.toml", text)

    def server(self, start: str = "work", **variables: str) -> Wire:
        """Start a server in a folder, with these variables and no others of ours."""
        folder = self.root / start
        folder.mkdir(parents=True, exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if name != "XDG_CONFIG_HOME"}
        return Wire(self.run_server(folder, env={**kept, "HOME": str(self.root), **variables}))


@pytest.fixture
def home(tmp_path: Path, run_server: Run) -> Home:
    """A home folder without any file."""
    root = tmp_path / "home"
    root.mkdir()
    return Home(root, run_server)


def listed(wire: Wire) -> tuple[list[str], list[str]]:
    """Ask for the projects: their codes, and what was passed over."""
    found = json.loads(wire.text("list_projects"))
    told = [f"{problem['path']}: {problem['why']}" for problem in found.get("problems", [])]
    return [project["project"]["code"] for project in found["projects"]], told


def refusal(wire: Wire, tool: str, /, **arguments: Any) -> Any:
    """Call a tool that is refused and give the error object."""
    return json.loads(wire.error(tool, **arguments))


def test_every_form_of_a_record_of_the_registry(home: Home) -> None:
    wire = home.server()
    assert listed(wire) == ([], [])
    home.project("new", "NEW")
    home.registers("a", "projectPath = '~/new'\nactive = false\ndateRegistered = '2025-09-01'\n")
    assert listed(wire) == (["NEW"], [])
    old = Tickets(home.root / "old", "OLD", "tickets")
    old.ticket(1)
    home.put("old/old-config.toml", "[project]\nname = 'Old'\npath = 'tickets'\n")
    home.registers("b", f"[project]\npath = '{old.root}'\n")
    home.project("reference", "REF")
    metadata = "[metadata]\ndateRegistered = 2025-10-02\nlastAccessed = '2025-10-03'\nversion = '1.2.0'\n"
    home.registers("c", f"[project]\npath = '~/reference'\nactive = true\n{metadata}")
    whole = Tickets(home.root / "global", "GLO1", "work/crs")
    whole.ticket(7)
    home.registers(
        "d",
        "[project]\npath = '~/global'\nname = 'Global'\ncode = 'GLO1'\nid = 'glo'\nticketsPath = 'work/crs'\n"
        "startNumber = '40'\n[metadata]\nglobalOnly = true\n",
    )
    home.registers("e", "[project]\nname = 'no path'\n")
    home.registers("f", "[project]\npath = '~/gone'\n")
    home.registers("g", "[project\n")
    home.put(".config/markdown-ticket/projects/notes.txt", "not a record")
    before = tree(home.root)
    codes, told = listed(wire)
    assert codes == ["GLO1", "NEW", "OLD", "REF"]
    assert [Path(line.split(": ")[0]).name for line in told] == ["e.toml", "f.toml", "g.toml"]
    assert "`~/gone` does not exist" in told[1]
    assert "line 1 is not TOML" in told[2]
    projects = {p["project"]["code"]: p for p in json.loads(wire.text("list_projects"))["projects"]}
    assert projects["REF"]["metadata"] == {
        "dateRegistered": "2025-10-02",
        "lastAccessed": "2025-10-03",
        "version": "1.2.0",
    }
    assert projects["NEW"]["project"]["active"] is False
    assert projects["NEW"]["metadata"]["dateRegistered"] == "2025-09-01"
    assert (projects["OLD"]["project"]["name"], projects["OLD"]["project"]["path"]) == ("Old", "tickets")
    assert projects["GLO1"]["id"] == "glo"
    for code, number in (("NEW", 1), ("OLD", 1), ("REF", 1), ("GLO1", 7)):
        crs = json.loads(wire.text("list_crs", project=code))["crs"]
        assert [cr["code"] for cr in crs] == [f"{code}-{number:03}"]
    assert tree(home.root) == before, "reading writes nothing"
    made = json.loads(
        wire.text("create_cr", project="glo", type="Bug Fix", data={"title": "X", "content": "x"})
    )
    assert made["cr"]["code"] == "GLO1-040"
    assert json.loads(wire.text("list_crs", project="GLO1"))["total"] == 2
    after = tree(home.root)
    assert set(after) - set(before) == {"global/work/crs/GLO1-040-x.md", "global/.mdt-next"}
    assert {name: data for name, data in after.items() if name in before} == before
    home.registers("d", "[project]\npath = '~/new'\n")
    (home.root / ".config/markdown-ticket/projects/c.toml").unlink()
    assert listed(wire)[0] == ["NEW", "OLD"]


@pytest.mark.requirement("tickets:config:global_file")
def test_the_configuration_files_and_their_scan_paths(home: Home) -> None:
    wire = home.server()
    home.project("one/a", "AA")
    home.project("one/a/inner", "IN")
    home.project("two/1/2/3/4", "DEEP")
    home.project("two/1/2/3/4/5", "DEEPER")
    for passed_over in ("node_modules", "target", ".hidden"):
        home.project(f"two/{passed_over}/x", "NOT")
    home.put("two/tool/other-config.toml", "[project]\ncode = 'TOOL'\n")
    settings = ".config/markdown-ticket/mcp-server.toml"
    other = ".config/markdown-ticket/config.toml"
    home.put(other, "[discovery]\nsearchPaths = ['~/two']\n")
    assert listed(wire) == (["DEEP"], [])
    home.put(settings, "[discovery]\nscanPaths = ['~/one', '../one']\n")
    assert listed(wire) == (["AA", "IN"], []), "the seed's file goes first"
    home.put(settings, "# only the depth\n[discovery]\nmaxDepth = 5\nexcludePaths = ['target', '1/2']\n")
    assert listed(wire) == (["NOT"], []), "key by key, and node_modules is not excluded any more"
    home.put(settings, "[discovery]\nmaxDepth = 5\n")
    assert listed(wire)[0] == ["DEEP", "DEEPER"]
    home.put(settings, "[discovery]\nautoDiscover = false\n")
    assert listed(wire) == ([], [])
    home.put(settings, "[discovery]\nmaxDepth = 'deep'\nscanPaths = ['~/gone', '~/one']\n")
    codes, told = listed(wire)
    assert codes == ["AA", "IN"]
    assert "`discovery.maxDepth` is left out: expected a whole number" in told[0]
    assert told[1].endswith("gone` is no folder; fix or remove it")
    home.put(settings, "[discovery\n")
    before = tree(home.root)
    codes, told = listed(wire)
    assert codes == ["DEEP"]
    assert "mcp-server.toml: line 1 is not TOML" in told[0]
    assert tree(home.root) == before


@pytest.mark.requirement("tickets:config:global_file")
def test_the_configuration_lies_where_xdg_says(home: Home) -> None:
    home.project("one/a", "AA")
    home.project("two/b", "BB")
    home.put(".config/markdown-ticket/mcp-server.toml", "[discovery]\nscanPaths = ['~/one']\n")
    home.put("xdg/markdown-ticket/mcp-server.toml", "[discovery]\nscanPaths = ['~/two']\n")
    home.put("xdg/markdown-ticket/templates/bug-fix.md", "# {title}\n\nof the user\n")
    wire = home.server(XDG_CONFIG_HOME=str(home.root / "xdg"))
    assert listed(wire) == (["BB"], [])
    made = json.loads(wire.text("create_cr", type="Bug Fix", data={"title": "T"}))
    assert wire.text("get_cr", key=made["cr"]["code"]) == "\n# T\n\nof the user\n"
    assert listed(home.server(XDG_CONFIG_HOME="relative")) == (["AA"], []), "a relative one counts as none"


@pytest.mark.requirement("tickets:config:project_filter")
def test_a_filter_leaves_one_project(home: Home) -> None:
    for code in ("AA", "BB"):
        project = home.project(code.lower(), code)
        home.registers(code, f"[project]\npath = '{project.root}'\n")
    start = home.project("work", "MDT")
    wire = home.server(MCP_PROJECT_FILTER="bb")
    assert listed(wire) == (["BB"], [])
    assert json.loads(wire.text("list_crs"))["crs"][0]["code"] == "BB-001", "it is the only one there is"
    before = tree(home.root)
    for tool, arguments in [
        ("get_cr", {"key": "AA-1"}),
        ("get_cr", {"project": "MDT", "key": 1}),
        ("create_cr", {"project": "AA", "type": "Bug Fix", "data": {"title": "T"}}),
        ("delete_cr", {"key": "MDT-1"}),
    ]:
        error = refusal(wire, tool, **arguments)
        assert error["code"] == "PROJECT_NOT_FOUND"
        assert error["details"]["availableProjects"] == ["BB"]
    assert tree(home.root) == before
    assert start.names() == ["MDT-001-of-work"]
    none = home.server(MCP_PROJECT_FILTER="ZZ")
    assert listed(none) == (
        [],
        ["MCP_PROJECT_FILTER: no project has the code `ZZ`; there are: AA, BB, MDT"],
    )


@pytest.mark.requirement("tickets:config:scan_paths")
def test_scan_paths_of_the_environment(home: Home) -> None:
    home.project("one/a", "AA")
    home.project("two/b", "BB")
    home.project("three/c", "CC")
    home.put(
        ".config/markdown-ticket/mcp-server.toml",
        "[discovery]\nscanPaths = ['~/three']\nautoDiscover = false\n",
    )
    wire = home.server(MCP_SCAN_PATHS=f" ~/one,../two,, {home.root}/gone ")
    codes, told = listed(wire)
    assert codes == ["AA", "BB"], "they take the place of the configured ones"
    assert told == [f"MCP_SCAN_PATHS: the scan path `{home.root}/gone` is no folder; fix or remove it"]
    later = home.project("gone/later", "LATE")
    assert listed(wire) == (["AA", "BB", "LATE"], []), "made after the start"
    assert json.loads(wire.text("get_project_info", key="LATE"))["project"]["stats"]["totalCRs"] == 1
    later.defines(name="Renamed")
    assert json.loads(wire.text("get_project_info", key="LATE"))["project"]["project"]["name"] == "Renamed"
    (later.root / ".mdt-config.toml").unlink()
    assert refusal(wire, "get_cr", key="LATE-1")["code"] == "PROJECT_NOT_FOUND"


@pytest.mark.requirement("tickets:config:config_path")
def test_another_configuration_file(home: Home) -> None:
    home.project("one/a", "AA")
    home.project("two/b", "BB")
    home.put(".config/markdown-ticket/mcp-server.toml", "[discovery]\nscanPaths = ['~/one']\n")
    wire = home.server(MCP_CONFIG_PATH="~/mine.toml")
    missing = f"MCP_CONFIG_PATH: the configuration `{home.root}/mine.toml` does not exist; "
    codes, told = listed(wire)
    assert codes == []
    assert told == [f"{missing}name another file or unset the variable"]
    home.put("mine.toml", "[discovery]\nscanPaths = ['~/two']\n")
    assert listed(wire) == (["BB"], [])
    assert listed(home.server(MCP_CONFIG_PATH=" ")) == (["AA"], []), "an empty one counts as unset"


def test_another_folder_of_configuration(home: Home) -> None:
    """`CONFIG_DIR` as later releases of the seed's server have it."""
    home.project("one/a", "AA")
    home.put("other/projects/a.toml", "projectPath = '~/one/a'\n")
    wire = home.server(CONFIG_DIR="~/other")
    assert listed(wire) == (["AA"], [])


@pytest.mark.parametrize(
    ("level", "shown"),
    [("error", []), ("info", ["INFO"]), ("DEBUG", ["INFO"]), ("loud", []), (None, [])],
)
@pytest.mark.requirement("tickets:config:log_level")
def test_the_level_of_the_log(home: Home, level: str | None, shown: list[str]) -> None:
    """What is logged goes to standard error; a word that is no level is no reason not to start."""
    home.project("work", "MDT")
    wire = home.server(**({} if level is None else {"MCP_LOG_LEVEL": level}))
    assert listed(wire)[0] == ["MDT"]
    output, errors = wire.process.communicate()
    assert output == b""
    found = [line for line in errors.decode().splitlines() if line.startswith("INFO:chant_mcp:serving ")]
    assert [line.split(":")[0] for line in found] == shown
    assert not (level == "error" and errors)


def test_the_project_around_the_start_is_meant(home: Home) -> None:
    outer = home.project("outer", "OUT")
    inner = home.project("outer/packages/inner", "INN")
    (inner.root / "src").mkdir()
    before = tree(home.root)
    for start, code in (("outer", "OUT"), ("outer/packages", "OUT"), ("outer/packages/inner/src", "INN")):
        wire = home.server(start)
        assert listed(wire) == ([code], [])
        assert json.loads(wire.text("list_crs"))["crs"][0]["code"] == f"{code}-001"
        wire.process.kill()
    assert tree(home.root) == before, "no registry, no record, no counter was made by starting"
    legacy = outer.root / ".mdt-config.toml"
    legacy.write_text("# mine\n[project]\ncode = \"OUT\"   # the code\npath = 'docs/CRs'\n", encoding="utf-8")
    kept = legacy.read_bytes()
    wire = home.server("outer")
    info = json.loads(wire.text("get_project_info", key="OUT"))["project"]["project"]
    assert (info["path"], info["root"]) == ("docs/CRs", str(outer.root))
    wire.text("create_cr", type="Bug Fix", data={"title": "T"})
    assert legacy.read_bytes() == kept, "older keys are read as they are"


def test_of_two_projects_of_one_code_one_is_used_and_the_other_told(home: Home) -> None:
    first = home.project("work", "MDT")
    clone = home.project("clone", "mdt")
    home.put(".config/markdown-ticket/mcp-server.toml", "[discovery]\nscanPaths = ['~']\n")
    wire = home.server()
    codes, told = listed(wire)
    assert codes == ["MDT"]
    assert told == [
        f"{clone.root}: its code `mdt` is that of the project `{first.root}`, which is used; "
        "give one of them another code"
    ]
    wire.text("create_cr", project="mdt", type="Bug Fix", data={"title": "T"})
    assert len(first.names()) == 2
    assert len(clone.names()) == 1


def test_a_folder_of_tickets_needs_no_configuration(home: Home) -> None:
    bare = Tickets(home.root / "work", "P2")
    bare.ticket(3)
    wire = home.server()
    assert listed(wire) == (["P2"], [])
    assert json.loads(wire.text("create_cr", type="Research", data={"title": "T"}))["cr"]["code"] == "P2-004"
    Tickets(bare.root, "MDT").ticket(1)
    codes, told = listed(wire)
    assert codes == []
    assert "its tickets carry several codes: MDT, P2" in told[0]
    assert ".mdt-config.toml" in told[0]


def test_a_session_of_every_tool_writes_tickets_and_counters_only(home: Home) -> None:
    project = home.project("work", "MDT", name="Mine")
    record = home.registers("mine", f"# mine\n[project]\npath = '{project.root}'   # here\n")
    home.put(".config/markdown-ticket/config.toml", "# mine\n[discovery]\nscanPaths = []\n")
    before = tree(home.root)
    wire = home.server(MCP_LOG_LEVEL="debug")
    wire.text("list_projects")
    wire.text("get_project_info", key="MDT")
    wire.text("create_cr", type="Bug Fix", data={"title": "Two"})
    wire.text("update_cr_attrs", key=2, attributes={"title": "Three"})
    wire.text("update_cr_status", key=2, status="Approved")
    wire.text("manage_cr_sections", key=2, operation="append", section="References", content="x")
    wire.text("suggest_cr_improvements", key=2)
    wire.text("get_cr", key=2)
    wire.text("delete_cr", key=1)
    wire.error("get_cr", key=1)
    after = tree(home.root)
    assert set(after) ^ set(before) == {
        "work/docs/CRs/MDT-001-of-work.md",
        "work/docs/CRs/MDT-002-two.md",
        "work/.mdt-next",
    }
    assert all(after[name] == data for name, data in before.items() if name in after)
    assert record.exists()
