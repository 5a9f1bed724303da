"""`.mcp.json` and its like: what our entry says, and what else stays in the file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.init.json_text import with_value
from hypothesis import given
from hypothesis import strategies as st
from init.kit import Folder, tree

BY_NAME = {"type": "stdio", "command": "chant", "args": ["mcp"]}
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
    assert _entry(folder) == (BY_NAME if is_everywhere else BY_INTERPRETER), "an environment is left behind"
    assert folder.read(".mcp.json").startswith(
        '{\n  "mcpServers": {\n    "chant": {\n      "type": "stdio",\n'
    )
    assert result.stderr == ""
    (folder.root / ".mcp.json").unlink()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "chant").symlink_to(scripts / "chant")
    _put_first(monkeypatch, tmp_path / "bin")
    folder("--client", "claude")
    assert _entry(folder) == BY_NAME, "as tools that link scripts into one folder do it"


@pytest.mark.requirement("init:mcp_json:names_the_interpreter_when_chant_is_not_ours")
def test_the_entry_names_the_interpreter_when_chant_is_not_ours(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = folder.run("--client", "claude")
    assert _entry(folder) == BY_INTERPRETER, "no chant at all"
    assert result.stderr == ""
    (folder.root / ".mcp.json").unlink()
    _program(tmp_path / "bin" / "chant")
    _put_first(monkeypatch, tmp_path / "bin", SCRIPTS)
    result = folder.run("--client", "claude")
    assert _entry(folder) == BY_INTERPRETER
    assert f"`chant` on PATH is another program: {tmp_path}/bin/chant" in result.stderr


@pytest.mark.requirement("init:console_script:foreign_chant_is_warned_about")
def test_our_script_over_another_chant_is_warned_about(
    folder: Folder, scripts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(tmp_path / "bin" / "chant")
    _put_first(monkeypatch, scripts, tmp_path / "bin")
    result = folder.run("--client", "claude")
    assert f"stands over another program of that name: {tmp_path}/bin/chant" in result.stderr


@pytest.mark.requirement("init:mcp_json:names_the_interpreter_when_chant_is_not_ours")
def test_the_entry_starts_this_server(folder: Folder) -> None:
    folder("--client", "claude")
    entry = _entry(folder)
    done = subprocess.run(
        [entry["command"], *entry["args"]],
        input=b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n',
        capture_output=True,
        check=True,
    )
    assert b'"chant_ready"' in done.stdout


@pytest.mark.requirement("init:client:writes_host_configuration_only", "init:client:accepts_four_values")
@pytest.mark.parametrize(
    ("client", "files"),
    [
        ("claude", {".mcp.json": "mcpServers"}),
        ("cursor", {".cursor/mcp.json": "mcpServers"}),
        ("vscode", {".vscode/mcp.json": "servers"}),
        ("all", {".mcp.json": "mcpServers", ".cursor/mcp.json": "mcpServers", ".vscode/mcp.json": "servers"}),
    ],
)
def test_client_writes_host_configuration_only(folder: Folder, client: str, files: dict[str, str]) -> None:
    folder()
    before = tree(folder.root)
    folder("--client", client)
    written = {name for name, content in tree(folder.root).items() if content is not None} - before.keys()
    assert written == set(files)
    for name, key in files.items():
        assert json.loads(folder.read(name)) == {key: {"chant": BY_INTERPRETER}}


@pytest.mark.requirement("init:client:accepts_four_values")
def test_another_client_is_refused(folder: Folder) -> None:
    said = folder.refused("--client", "emacs", code=2)
    for name in ("'claude'", "'cursor'", "'vscode'", "'all'"):
        assert name in said
    folder("--client", "claude", "--client", "vscode")
    assert folder.has(".mcp.json")
    assert folder.has(".vscode/mcp.json")


OURS = json.dumps(BY_INTERPRETER, indent=2)


def _indented(unit: str, depth: int) -> str:
    return json.dumps(BY_INTERPRETER, indent=unit).replace("\n", "\n" + unit * depth)


@pytest.mark.requirement("init:mcp_json:existing_file_is_merged")
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
            '{"mcpServers":{"a":{}, "chant": ' + json.dumps(BY_INTERPRETER) + "}}",
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


@pytest.mark.requirement("init:mcp_json:existing_file_is_merged")
def test_line_ends_are_kept(folder: Folder) -> None:
    folder.write(".mcp.json", '{\r\n  "mcpServers": {\r\n    "a": {}\r\n  }\r\n}\r\n')
    folder("--client", "claude")
    text = folder.read(".mcp.json")
    assert "\n" not in text.replace("\r\n", "")
    assert list(json.loads(text)["mcpServers"]) == ["a", "chant"]


@pytest.mark.requirement("init:mcp_json:existing_file_is_merged")
def test_an_entry_of_ours_keeps_what_was_added_to_it(folder: Folder) -> None:
    own = {**BY_INTERPRETER, "args": [*BY_INTERPRETER["args"], "--read-only"], "env": {"X": "1"}}
    text = json.dumps({"mcpServers": {"chant": own}})
    folder.write(".mcp.json", text)
    folder("--client", "claude")
    assert folder.read(".mcp.json") == text, "it starts this server already"
    folder("--client", "claude", "--force-overwrite")
    assert _entry(folder) == {**BY_INTERPRETER, "env": {"X": "1"}}
    folder.write(".mcp.json", json.dumps({"mcpServers": {"chant": {"command": "old", "env": {"X": "1"}}}}))
    folder("--client", "claude")
    assert _entry(folder) == {"env": {"X": "1"}, **BY_INTERPRETER}


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
@pytest.mark.requirement("init:refusals:nothing_is_written")
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
@pytest.mark.requirement("init:mcp_json:existing_file_is_merged")
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
