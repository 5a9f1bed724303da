"""How hosts find a server over HTTP: entries in their files, as long as it runs (issue 8, HTTP)."""

from __future__ import annotations

import json
import re
import signal
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.init import json_text
from cli.kit import Cli, read_data
from harness import Project
from server.over_http import Listen, Listening
from server.pipes import call, initialize, text_of

FILES = {".mcp.json": "mcpServers", ".cursor/mcp.json": "mcpServers", ".vscode/mcp.json": "servers"}


@pytest.fixture(autouse=True)
def _state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep records of servers in a folder of the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def records(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "state" / "chant-mcp" / "servers").glob("*.json"))


def servers(root: Path, file: str = ".mcp.json") -> dict[str, Any]:
    return json.loads((root / file).read_text("utf-8"))[FILES[file]]


def token(server: Listening) -> str:
    """Read the token where the server says it is."""
    record = Path(server.line(r"Token: in (.*)\n")[1])
    return json.loads(record.read_text("utf-8"))["token"]


def works(server: Listening, entry: dict[str, Any]) -> bool:
    """Return whether an entry leads to a server that lets one in, once the token stands for the reference."""
    assert entry["url"] == f"{server.url}/mcp"
    given = re.sub(r"\$\{[^}]*\}", token(server), entry["headers"]["Authorization"])
    assert given != entry["headers"]["Authorization"], "the token itself"
    return server.ask("POST", "/mcp", initialize(1), authorization=given)[0] == 200


@pytest.mark.requirement("speckit:discovery:client_file_is_written")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_entries_lead_to_the_server_while_it_runs(
    listen: Listen, project: Project, tmp_path: Path, how: signal.Signals
) -> None:
    old = '{\n   "mcpServers" : {"other": {"command": "x", "args": []}} }'
    (project.root / ".mcp.json").write_text(old, encoding="utf-8")
    (project.root / ".mcp.json").chmod(0o640)
    server = listen(project.root, "--register", "all")
    server.line("Token: in")
    for file in FILES:
        entry = servers(project.root, file)["chant-mcp"]
        assert entry["type"] == "http"
        assert works(server, entry)
        expected = 0o640 if file == ".mcp.json" else 0o600
        assert stat.S_IMODE((project.root / file).stat().st_mode) == expected
    (question,) = json.loads((project.root / ".vscode/mcp.json").read_text("utf-8"))["inputs"]
    assert (question["id"], question["password"]) == ("chant-mcp-token", True)
    assert (
        (project.root / ".mcp.json")
        .read_text("utf-8")
        .startswith('{\n   "mcpServers" : {"other": {"command"')
    )
    assert server.stop(how) == 0
    assert (project.root / ".mcp.json").read_text("utf-8") == old
    assert [file for file in FILES if (project.root / file).exists()] == [".mcp.json"]
    assert records(tmp_path) == []


def test_the_token_is_where_the_server_says(listen: Listen, project: Project, tmp_path: Path) -> None:
    server = listen(project.root)
    record = Path(server.line(r"Token: in (.*)\n")[1])
    assert records(tmp_path) == [record]
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert stat.S_IMODE(record.parent.stat().st_mode) == 0o700
    told = json.loads(record.read_text("utf-8"))
    assert told["url"] == f"{server.url}/mcp"
    assert server.ask("POST", "/mcp", initialize(1), authorization=f"Bearer {told['token']}")[0] == 200
    assert told["token"] not in server.errors
    assert server.stop() == 0
    assert records(tmp_path) == []


def test_doctor_shows_the_figures_of_the_servers_of_a_project(
    listen: Listen, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = listen(project.root)
    record = Path(server.line(r"Token: in (.*)\n")[1])
    token = json.loads(record.read_text("utf-8"))["token"]
    server.ask("POST", "/mcp", initialize(1), authorization=f"Bearer {token}")
    assert server.ask("GET", "/figures")[0] == 401
    monkeypatch.chdir(project.root)
    cli = Cli(project)
    (shown,) = read_data(cli.run("doctor", "--json").stdout)["servers"]
    assert (shown["url"], shown["sessions"], shown["calls"]) == (f"{server.url}/mcp", 1, 1)
    if sys.platform == "linux":
        assert shown["descriptors"] > 3
        assert 10 < shown["memory_megabytes"] < 500
    assert "1 session, 1 call, " in " ".join(cli.run("doctor").stdout.split())
    # A folder that others may write is not believed, nor is a server that is gone.
    record.parent.chmod(0o777)
    assert read_data(cli.run("doctor", "--json").stdout)["servers"] == []
    record.parent.chmod(0o700)
    server.process.kill()
    server.process.wait()
    assert read_data(cli.run("doctor", "--json").stdout)["servers"] == []


def test_entries_of_a_server_without_a_token_have_none(listen: Listen, project: Project) -> None:
    server = listen(project.root, "--register", "claude", "--no-auth")
    server.line("Listed as")
    entry = servers(project.root)["chant-mcp"]
    assert entry == {"type": "http", "url": f"{server.url}/mcp"}
    assert text_of(server.answer(call(1, "chant_status", brief=True), **server.begin())) == "No specs"


def test_after_a_kill_the_next_start_replaces_the_entry(
    listen: Listen, project: Project, tmp_path: Path
) -> None:
    first = listen(project.root, "--register", "claude")
    first.line("Token: in")
    old = servers(project.root)["chant-mcp"]
    first.stop(signal.SIGKILL)
    assert servers(project.root) == {"chant-mcp": old}
    second = listen(project.root, "--register", "claude")
    second.line("Token: in")
    entries = servers(project.root)
    assert list(entries) == ["chant-mcp"]
    assert entries["chant-mcp"]["url"] == f"{second.url}/mcp"
    assert works(second, entries["chant-mcp"])
    assert len(records(tmp_path)) == 1
    second.stop()
    assert servers(project.root) == {}


def test_after_a_kill_the_entry_goes_at_a_start_that_lists_nothing(
    listen: Listen, project: Project, tmp_path: Path
) -> None:
    first = listen(project.root, "--register", "claude")
    first.line("Token: in")
    first.stop(signal.SIGKILL)
    assert servers(project.root)
    assert listen(project.root, "--no-auth").url
    assert servers(project.root) == {}
    assert records(tmp_path) == []


def test_what_somebody_else_changed_stays(listen: Listen, project: Project) -> None:
    server = listen(project.root, "--register", "all")
    server.line("Token: in")
    entry = servers(project.root)["chant-mcp"]
    theirs = {**entry, "url": "http://127.0.0.1:1/mcp"}
    changed = json.dumps({"mcpServers": {"chant-mcp": theirs}})
    (project.root / ".mcp.json").write_text(changed, encoding="utf-8")
    (project.root / ".vscode/mcp.json").write_text("{ this is broken", encoding="utf-8")
    (project.root / ".cursor/mcp.json").unlink()
    assert server.stop() == 0
    assert (project.root / ".mcp.json").read_text("utf-8") == changed
    assert (project.root / ".vscode/mcp.json").read_text("utf-8") == "{ this is broken"
    assert not (project.root / ".cursor/mcp.json").exists()
    assert "`.vscode/mcp.json` is not plain JSON" in server.errors
    assert "Traceback" not in server.errors


def test_servers_that_start_at_once_have_an_entry_each(listen: Listen, project: Project) -> None:
    foreign = {"chant-mcp": {"command": "mine"}}
    (project.root / ".mcp.json").write_text(json.dumps({"mcpServers": foreign}), encoding="utf-8")
    running = [listen(project.root, "--register", "claude") for _ in range(3)]
    for server in running:
        server.line("Token: in")
    entries = servers(project.root)
    assert set(entries) == {"chant-mcp", "chant-mcp-2", "chant-mcp-3", "chant-mcp-4"}
    by_url = {entry.get("url"): entry for entry in entries.values()}
    assert all(works(server, by_url[f"{server.url}/mcp"]) for server in running)
    assert running[0].stop() == 0
    left = servers(project.root)
    assert f"{running[0].url}/mcp" not in [entry.get("url") for entry in left.values()]
    assert len(left) == 3
    for server in running[1:]:
        server.process.send_signal(signal.SIGTERM)
    assert [server.ended() for server in running[1:]] == [0, 0]
    assert servers(project.root) == foreign


def test_entries_of_other_projects_stay(listen: Listen, tmp_path: Path) -> None:
    one, two = Project(tmp_path / "one"), Project(tmp_path / "two")
    for project in (one, two):
        project.specs.mkdir(parents=True)
    killed = listen(one.root, "--register", "claude")
    killed.line("Token: in")
    killed.stop(signal.SIGKILL)
    other = listen(two.root, "--register", "claude")
    other.line("Token: in")
    assert set(servers(one.root)) == set(servers(two.root)) == {"chant-mcp"}
    next_one = listen(one.root)
    next_one.line("Token: in")  # also one that is not listed itself
    assert servers(one.root) == {}
    assert works(other, servers(two.root)["chant-mcp"])


def test_a_file_that_cannot_be_edited_is_told_and_stays(
    listen: Listen, project: Project, tmp_path: Path
) -> None:
    (project.root / ".mcp.json").write_text("{ // mine\n}", encoding="utf-8")
    server = listen(project.root, "--register", "all")
    assert server.ended() == 1
    assert "`.mcp.json` is not plain JSON" in server.errors
    assert (project.root / ".mcp.json").read_text("utf-8") == "{ // mine\n}"
    assert not (project.root / ".cursor").exists() or not any((project.root / ".cursor").iterdir())
    assert records(tmp_path) == []


def test_no_file_of_the_project_holds_the_token(listen: Listen, project: Project) -> None:
    server = listen(project.root, "--register", "all")
    secret = token(server)
    server.line("set CHANT_MCP_TOKEN to it")
    found = {
        path.name: path.read_text("utf-8", "replace") for path in project.root.rglob("*") if path.is_file()
    }
    assert len(found) >= len(FILES) - 1
    assert [name for name, text in found.items() if secret in text] == []
    by_file = {file: servers(project.root, file)["chant-mcp"]["headers"] for file in FILES}
    assert by_file == {
        ".mcp.json": {"Authorization": "Bearer ${CHANT_MCP_TOKEN}"},
        ".cursor/mcp.json": {"Authorization": "Bearer ${env:CHANT_MCP_TOKEN}"},
        ".vscode/mcp.json": {"Authorization": "Bearer ${input:chant-mcp-token}"},
    }


def test_what_else_a_host_asks_for_stays(listen: Listen, project: Project) -> None:
    file = project.root / ".vscode" / "mcp.json"
    file.parent.mkdir()
    own = {"inputs": [{"id": "mine"}, 7], "servers": {}}
    file.write_text(json.dumps(own), encoding="utf-8")
    server = listen(project.root, "--register", "vscode")
    server.line("Token: in")
    told = json.loads(file.read_text("utf-8"))
    assert [one["id"] if isinstance(one, dict) else one for one in told["inputs"]] == [
        "mine",
        7,
        "chant-mcp-token",
    ]
    file.write_text(json.dumps({**told, "also": 1}), encoding="utf-8")
    server.stop()
    assert json.loads(file.read_text("utf-8")) == {**own, "also": 1}
    file.write_text(json.dumps({"inputs": "mine"}), encoding="utf-8")
    assert "`inputs` in `.vscode/mcp.json` is not a JSON list" in _errors_of(listen, project)
    assert json.loads(file.read_text("utf-8")) == {"inputs": "mine"}


def _errors_of(listen: Listen, project: Project) -> str:
    server = listen(project.root, "--register", "vscode")
    assert server.ended() == 1
    return server.errors


def test_an_entry_of_an_earlier_release_that_was_killed_goes(
    listen: Listen, project: Project, tmp_path: Path
) -> None:
    first = listen(project.root, "--register", "claude")
    secret = token(first)
    first.stop(signal.SIGKILL)
    file = project.root / ".mcp.json"
    file.write_text(file.read_text("utf-8").replace("${CHANT_MCP_TOKEN}", secret), encoding="utf-8")
    listen(project.root, "--register", "cursor").line("Token: in")
    assert servers(project.root) == {}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_an_entry_that_could_not_be_taken_out_goes_when_it_can(
    listen: Listen, project: Project, tmp_path: Path, how: signal.Signals
) -> None:
    first = listen(project.root, "--register", "claude")
    first.line("Token: in")
    whole = (project.root / ".mcp.json").read_text("utf-8")
    broken = whole.replace("{", "{ // mine\n", 1)
    (project.root / ".mcp.json").write_text(broken, encoding="utf-8")
    first.stop(how)
    for _ in range(2):
        later = listen(project.root, "--register", "cursor")
        later.line("Warning: the entry of a stopped server is still there. `.mcp.json` is not plain JSON")
        later.stop()
        assert len(records(tmp_path)) == 1
    (project.root / ".mcp.json").write_text(whole, encoding="utf-8")
    last = listen(project.root)
    last.line("Token: in")
    assert servers(project.root) == {}
    assert "Warning" not in last.errors
    last.stop()
    assert records(tmp_path) == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"s": {"a": 1, "x": {}, "b": 2}}', '{"s": {"a": 1, "b": 2}}'),
        ('{"s": {"x": {}, "b": 2}}', '{"s": {"b": 2}}'),
        ('{"s": {"a": 1, "x": {}}}', '{"s": {"a": 1}}'),
        ('{"s": {"x": {}}}', '{"s": {}}'),
        ('{\n\t"s" : {\n\t\t"x": {"y": [1]},\r\n\t\t"b":2 }\n}', '{\n\t"s" : {\n\t\t"b":2 }\n}'),
        ('{"t": {"x": 1}}', '{"t": {"x": 1}}'),
        ('\ufeff{"s": {"x": 1}, "t": 0}', '\ufeff{"s": {}, "t": 0}'),
    ],
)
def test_a_member_is_taken_out_of_a_text(text: str, left: str) -> None:
    assert json_text.without(text, ("s", "x"), "f") == left


def test_without_a_home_only_a_token_of_ones_own_works(
    listen: Listen, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    (tmp_path / "file").touch()
    server = listen(project.root)
    assert server.ended() == 1
    assert "Cannot write" in server.errors
    assert "Traceback" not in server.errors
    assert listen(project.root, "--token-file", str(tmp_path / "token")).url
