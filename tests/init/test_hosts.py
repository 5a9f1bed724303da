"""`.mcp.json` and its like: what our entry says, and what else stays in the file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.init.json_text import with_value
from hypothesis import given
from hypothesis import strategies as st
from init.kit import Folder, tree

tomllib: Any = pytest.importorskip("tomllib")

BY_SHORT_NAME = {"type": "stdio", "command": "chant", "args": ["mcp"]}
BY_NAME = {"type": "stdio", "command": "chant-mcp", "args": ["mcp"]}
BY_INTERPRETER = {"type": "stdio", "command": sys.executable, "args": ["-E", "-P", "-m", "chant_mcp"]}
SCRIPTS = Path(sys.executable).parent


def _entry(folder: Folder) -> Any:
    return json.loads(folder.read(".mcp.json"))["mcpServers"]["chant"]


def _program(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    path.chmod(0o755)


def _put_first(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([*map(str, folders), os.environ["PATH"]]))


@pytest.fixture
def scripts() -> Path:
    """The folder with this installation's console scripts."""
    if not (SCRIPTS / "chant").exists():
        pytest.skip("the package is not installed with its scripts")
    return SCRIPTS


@pytest.mark.requirement("init:mcp_json:entry_has_the_documented_form")
def test_the_entry_has_the_documented_form_when_chant_is_ours(
    folder: Folder, scripts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _put_first(monkeypatch, scripts)
    result = folder.run("--agent", "claude")
    is_everywhere = sys.prefix == sys.base_prefix
    assert _entry(folder) == (BY_SHORT_NAME if is_everywhere else BY_NAME), "an environment is left behind"
    assert folder.read(".mcp.json").startswith(
        '{\n  "mcpServers": {\n    "chant": {\n      "type": "stdio",\n'
    )
    assert result.stderr == ""
    (folder.root / ".mcp.json").unlink()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "chant").symlink_to(scripts / "chant")
    _put_first(monkeypatch, tmp_path / "bin")
    said = folder("--client", "claude")
    assert _entry(folder) == BY_SHORT_NAME, "as tools that link scripts into one folder do it"
    assert "Note" not in said


def test_the_entry_names_no_path_when_chant_is_not_ours(
    folder: Folder, scripts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = folder.run("--client", "claude")
    assert _entry(folder) == BY_NAME, "no chant at all"
    assert "`--this-machine` names the Python of this environment" in " ".join(result.stdout.split())
    assert result.stderr == ""
    (folder.root / ".mcp.json").unlink()
    _program(tmp_path / "bin" / "chant")
    (tmp_path / "bin" / "chant-mcp").symlink_to(scripts / "chant-mcp")
    _put_first(monkeypatch, tmp_path / "bin", SCRIPTS)
    result = folder.run("--client", "claude")
    assert _entry(folder) == BY_NAME
    assert "Note" not in result.stdout, "hosts find it by its long name"
    assert f"`chant` on PATH is another program: {tmp_path}/bin/chant" in result.stderr


def test_no_file_of_any_host_holds_a_path_of_this_machine(folder: Folder, home: Path) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    folder("--agent", "all", "--client", "all")
    written = {name: content for name, content in tree(folder.root).items() if content is not None}
    assert len([name for name in written if not name.startswith(".chant/")]) > 15
    for name, content in written.items():
        for path in (sys.prefix, str(home), str(folder.root)):
            assert path.encode() not in content, name


def test_the_start_of_this_machine_is_kept_out_of_git(folder: Folder) -> None:
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout

    git("init", "-q")
    folder("--client", "all", "--this-machine", "--no-merge-driver")
    assert _entry(folder) == BY_INTERPRETER
    assert [
        line for line in git("status", "--porcelain", "-uall").splitlines() if ".chant/" not in line
    ] == []
    folder("--undo")
    assert not folder.has(".mcp.json")
    assert "mcp.json" not in folder.read(".git/info/exclude")
    folder.write(".mcp.json", "{}")
    git("add", ".mcp.json")
    assert "git tracks `.mcp.json`" in folder.refused("--client", "claude", "--this-machine")


def test_uvx_names_this_release(folder: Folder) -> None:
    folder("--client", "claude", "--uvx")
    command, *args = _entry(folder)["command"], *_entry(folder)["args"]
    assert (command, args) == ("uvx", [f"chant-mcp=={version('chant-mcp')}", "mcp"])


def test_our_script_over_another_chant_is_warned_about(
    folder: Folder, scripts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(tmp_path / "bin" / "chant")
    _put_first(monkeypatch, scripts, tmp_path / "bin")
    result = folder.run("--client", "claude")
    assert f"stands over another program of that name: {tmp_path}/bin/chant" in result.stderr


def test_the_entry_starts_this_server(folder: Folder) -> None:
    folder("--client", "claude", "--this-machine")
    entry = _entry(folder)
    done = subprocess.run(
        [entry["command"], *entry["args"]],
        input=b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n',
        capture_output=True,
        check=True,
    )
    assert b'"chant_ready"' in done.stdout


PLAIN = {"command": "chant-mcp", "args": ["mcp"]}

HOSTS: dict[str, tuple[str, Any]] = {
    "claude": (".mcp.json", {"mcpServers": {"chant": BY_NAME}}),
    "codex": (".codex/config.toml", {"mcp_servers": {"chant": PLAIN}}),
    "copilot": (".github/mcp.json", {"mcpServers": {"chant": BY_NAME}}),
    "cursor": (".cursor/mcp.json", {"mcpServers": {"chant": BY_NAME}}),
    "vscode": (".vscode/mcp.json", {"servers": {"chant": BY_NAME}}),
    "gemini": (
        ".gemini/settings.json",
        {"mcpServers": {"chant": PLAIN}, "context": {"fileName": ["AGENTS.md", "GEMINI.md"]}},
    ),
    "qwen": (".qwen/settings.json", {"mcpServers": {"chant": PLAIN}}),
    "opencode": (
        "opencode.json",
        {"mcp": {"chant": {"type": "local", "command": ["chant-mcp", "mcp"], "enabled": True}}},
    ),
    "zed": (".zed/settings.json", {"context_servers": {"chant": PLAIN}}),
}
"""What each host's file holds."""


def _parsed(folder: Folder, name: str) -> Any:
    text = folder.read(name)
    return tomllib.loads(text) if name.endswith(".toml") else json.loads(text)


@pytest.mark.parametrize("client", [*HOSTS, "all"])
def test_client_writes_host_configuration_only(folder: Folder, client: str) -> None:
    folder()
    before = tree(folder.root)
    folder("--client", client)
    wanted = dict(HOSTS.values()) if client == "all" else dict([HOSTS[client]])
    written = {name for name, content in tree(folder.root).items() if content is not None} - before.keys()
    assert written == set(wanted)
    assert {name: _parsed(folder, name) for name in wanted} == wanted
    after = tree(folder.root)
    folder("--client", client)
    assert tree(folder.root) == after, "twice is once"
    folder("--undo")
    assert not set(tree(folder.root)) & set(wanted)


def test_a_host_with_a_file_of_the_user_alone_is_told_the_lines(folder: Folder, home: Path) -> None:
    folder()
    before = tree(folder.root)
    said = folder("--client", "windsurf")
    assert "~/.codeium/windsurf/mcp_config.json" in said
    assert '"command": "chant-mcp"' in said
    assert tree(folder.root) == before
    assert not (home / ".codeium").exists()


def test_another_client_is_refused(folder: Folder) -> None:
    said = folder.refused("--client", "emacs", code=2)
    for name in (*HOSTS, "windsurf", "all"):
        assert f"'{name}'" in said
    folder("--client", "claude", "--client", "vscode")
    assert folder.has(".mcp.json")
    assert folder.has(".vscode/mcp.json")


TABLE = '[mcp_servers.chant]\ncommand = "chant-mcp"\nargs = ["mcp"]\n'


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "before", ['model = "x" # mine\n', "a = 1\n# last", '[mcp_servers.other]\ncommand = "y"\n']
)
def test_the_table_for_codex_stands_behind_what_is_there(folder: Folder, before: str, line_end: str) -> None:
    before = before.replace("\n", line_end)
    folder.write(".codex/config.toml", before)
    folder("--client", "codex")
    after = folder.read(".codex/config.toml")
    assert after.startswith(before)
    assert after.endswith(line_end + TABLE.replace("\n", line_end))
    folder("--undo")
    assert folder.read(".codex/config.toml") == before


@pytest.mark.parametrize(
    "before", ['mcp_servers = {a = {command = "x"}}\n', '[mcp_servers.chant]\ncommand = "x"\n', "not toml"]
)
def test_a_file_of_codex_that_cannot_be_extended_is_kept_and_the_lines_are_printed(
    folder: Folder, before: str
) -> None:
    folder.write(".codex/config.toml", before)
    said = folder("--client", "codex")
    assert "Kept .codex/config.toml" in said
    assert TABLE in said
    assert folder.read(".codex/config.toml") == before


COMMENTED = [
    '{\n  // mine\n  "a": 1, // one\n  /* "b": 2, */\n}\n',
    '{\n  "KEY": {\n    // of others\n    "x": {"command": "y"},\n  },\n}\n',
    "{ // nothing yet\n}\n",
    '{"KEY": {"a": {"command": "// no comment", "args": ["/*", "*/", ",]"]}}}',
    '\ufeff{\r\n  // ours\r\n  "a": [1, 2,],\r\n}\r\n',
]


@pytest.mark.parametrize("text", COMMENTED)
@pytest.mark.parametrize("client", ["vscode", "gemini", "qwen", "opencode", "zed"])
def test_comments_stay_where_a_host_reads_them(folder: Folder, client: str, text: str) -> None:
    name, document = HOSTS[client]
    before = text.replace("KEY", next(iter(document)))
    folder.write(name, before)
    folder("--client", client)
    after = folder.read(name)
    rest = iter(after)
    assert all(one in rest for one in before), "each character that was there still is, in its order"
    assert '"chant": {' in after
    folder("--client", client)
    assert folder.read(name) == after
    folder("--undo")
    assert folder.read(name) == before


OURS = json.dumps(BY_NAME, indent=2)


def _indented(unit: str, depth: int) -> str:
    return json.dumps(BY_NAME, indent=unit).replace("\n", "\n" + unit * depth)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '{\n  "note": 1.50,\n  "mcpServers": {\n    "b": {"x": [1,2]},\n    "a": {}'
            '\n  },\n  "é": "\\u00e9"\n}\n',
            '{\n  "note": 1.50,\n  "mcpServers": {\n    "b": {"x": [1,2]},\n    "a": {},\n    "chant": '
            + _indented("  ", 2)
            + '\n  },\n  "é": "\\u00e9"\n}\n',
        ),
        (
            '{\n\t"mcpServers": {}\n}',
            '{\n\t"mcpServers": {\n\t\t"chant": ' + _indented("\t", 2) + "\n\t}\n}",
        ),
        (
            '{\n    "other": true\n}\n',
            '{\n    "other": true,\n    "mcpServers": {\n        "chant": '
            + _indented("    ", 2)
            + "\n    }\n}\n",
        ),
        ("{}\n", '{\n  "mcpServers": {\n    "chant": ' + _indented("  ", 2) + "\n  }\n}\n"),
        ("", '{\n  "mcpServers": {\n    "chant": ' + _indented("  ", 2) + "\n  }\n}\n"),
        (
            '{"mcpServers":{"a":{}}}',
            '{"mcpServers":{"a":{}, "chant": ' + json.dumps(BY_NAME) + "}}",
        ),
        (
            '\ufeff{\n  "mcpServers": {\n    "chant": null\n  }\n}',
            '\ufeff{\n  "mcpServers": {\n    "chant": ' + _indented("  ", 2) + "\n  }\n}",
        ),
    ],
)
def test_everything_else_in_the_file_stays_byte_for_byte(folder: Folder, before: str, after: str) -> None:
    folder.write(".mcp.json", before)
    folder("--client", "claude")
    assert folder.read(".mcp.json") == after
    folder("--client", "claude")
    assert folder.read(".mcp.json") == after


def test_line_ends_are_kept(folder: Folder) -> None:
    folder.write(".mcp.json", '{\r\n  "mcpServers": {\r\n    "a": {}\r\n  }\r\n}\r\n')
    folder("--client", "claude")
    text = folder.read(".mcp.json")
    assert "\n" not in text.replace("\r\n", "")
    assert list(json.loads(text)["mcpServers"]) == ["a", "chant"]


def test_an_entry_of_ours_keeps_what_was_added_to_it(folder: Folder) -> None:
    own = {**BY_NAME, "args": [*BY_NAME["args"], "--read-only"], "env": {"X": "1"}}
    text = json.dumps({"mcpServers": {"chant": own}})
    folder.write(".mcp.json", text)
    folder("--client", "claude")
    assert folder.read(".mcp.json") == text, "it starts this server already"
    folder("--client", "claude", "--force-overwrite")
    assert _entry(folder) == {**BY_NAME, "env": {"X": "1"}}
    folder.write(".mcp.json", json.dumps({"mcpServers": {"chant": {"command": "old", "env": {"X": "1"}}}}))
    folder("--client", "claude")
    assert _entry(folder) == {"env": {"X": "1"}, **BY_NAME}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n  // ours\n  "mcpServers": {}\n}', "`.mcp.json` is not plain JSON (line 2)"),
        ('{"mcpServers": {},}', "is not plain JSON"),
        ("[]", "`.mcp.json` is not a JSON object"),
        ('{"mcpServers": []}', "`mcpServers` in `.mcp.json` is not a JSON object"),
        ('{"mcpServers": null}', "`mcpServers` in `.mcp.json` is not a JSON object"),
        ('{"mcpServers": {}, "mcpServers": {}}', "`mcpServers` stands twice in `.mcp.json`"),
        ('{"mcpServers": {"chant": 1, "chant": 2}}', "`chant` stands twice in `.mcp.json`"),
        ("[" * 100_000, "is not plain JSON"),
        (b'{"a": "\xff"}', "is not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_merged_is_refused_and_nothing_is_written(
    folder: Folder, text: str | bytes, said: str
) -> None:
    folder.write(".mcp.json", text)
    refusal = folder.refused("--client", "claude", "--agent", "generic")
    assert said in refusal
    assert "Nothing was changed." in refusal


def _documents() -> st.SearchStrategy[Any]:
    names = st.text(st.characters(codec="utf-8"), max_size=5)
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | names,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
        max_leaves=8,
    )
    servers = st.dictionaries(names, values, max_size=3)
    return st.builds(
        lambda rest, servers: {**rest, **servers},
        st.dictionaries(names, values, max_size=3),
        st.just({}) | st.fixed_dictionaries({"mcpServers": servers}),
    )


@given(_documents(), st.sampled_from([None, 1, 2, 4, "\t"]), st.booleans())
def test_setting_a_value_changes_nothing_else(document: Any, indent: Any, is_ascii: bool) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=is_ascii)
    after = with_value(text, ("mcpServers", "chant"), {"new": [1]}, "f")
    read = json.loads(after)
    assert read["mcpServers"]["chant"] == {"new": [1]}
    wanted = dict(document)
    wanted["mcpServers"] = {**document.get("mcpServers", {}), "chant": {"new": [1]}}
    assert read == wanted
    assert list(read) == list(wanted)
    assert with_value(after, ("mcpServers", "chant"), {"new": [1]}, "f") == after
