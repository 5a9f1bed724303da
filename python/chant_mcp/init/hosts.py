"""Configuration of hosts: our server among the servers of a project."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, cast

from chant_mcp.errors import InvalidDocumentError
from chant_mcp.init import files, json_text
from chant_mcp.program import own_program

Entry = dict[str, Any]
"""How a host starts a server."""

TOKEN_VARIABLE = "CHANT_MCP_TOKEN"
"""The variable in which a person hands the token of a running server to a host."""


class HostFile(NamedTuple):
    """The file of a project in which a host lists servers."""

    file: str
    """The file, relative to the project."""
    key: str
    """The key under which it lists servers."""
    token: str | None = None
    """How it refers to a token that stands elsewhere: in a variable, or VS Code asks for the input `NAME`."""
    has_comments: bool = False
    """Whether the host reads comments and trailing commas there."""
    is_toml: bool = False
    names_kind: bool = False
    """Whether an entry says that the host talks to it over pipes."""
    is_list: bool = False
    """Whether program and arguments are one list."""
    reads_instructions: str | None = None
    """The setting that names the files of instructions, where `AGENTS.md` is none without it."""

    def entry(self, words: Sequence[str]) -> Entry:
        """Give the entry that starts a server by these words."""
        if self.is_list:
            return {"type": "local", "command": list(words), "enabled": True}
        kind = {"type": "stdio"} if self.names_kind else {}
        return {**kind, "command": words[0], "args": list(words[1:])}


_HOSTS = {
    "claude": HostFile(".mcp.json", "mcpServers", f"${{{TOKEN_VARIABLE}}}", names_kind=True),
    "codex": HostFile(".codex/config.toml", "mcp_servers", is_toml=True),
    "copilot": HostFile(".github/mcp.json", "mcpServers", names_kind=True),
    "cursor": HostFile(".cursor/mcp.json", "mcpServers", f"${{env:{TOKEN_VARIABLE}}}", names_kind=True),
    "vscode": HostFile(".vscode/mcp.json", "servers", "${input:NAME}", has_comments=True, names_kind=True),
    "gemini": HostFile(
        ".gemini/settings.json", "mcpServers", has_comments=True, reads_instructions="context.fileName"
    ),
    "qwen": HostFile(".qwen/settings.json", "mcpServers", has_comments=True),
    "opencode": HostFile("opencode.json", "mcp", has_comments=True, is_list=True),
    "zed": HostFile(".zed/settings.json", "context_servers", has_comments=True),
}

_OUTSIDE = {"windsurf": "~/.codeium/windsurf/mcp_config.json"}
"""Hosts that read servers from a file of the user's alone, which `init` does not write."""

CLIENTS = (*_HOSTS, *_OUTSIDE, "all")
"""What `--client` takes."""

REGISTERED = (*(name for name, host in _HOSTS.items() if host.token is not None), "all")
"""What `serve --register` takes: hosts that can refer to a token."""

NAME = "chant"
"""What our server is called among those of a host."""

_KEEPS_OUT = re.compile("-[A-Za-z]*[PI][A-Za-z]*")
"""An option of Python that keeps the working folder off the search path of modules."""


def start_by_name(chant_is_ours: bool) -> tuple[str, ...]:
    """Give the words that start a server on every machine where this package is installed.

    Args:
        chant_is_ours: Whether the program `chant` that a host finds here is this installation's.
    """
    return ("chant" if chant_is_ours else "chant-mcp", "mcp")


def start_by_uvx() -> tuple[str, ...]:
    """Give the words that install this release for the one start."""
    return ("uvx", f"chant-mcp=={version('chant-mcp')}", "mcp")


def start_by_interpreter(interpreter: str) -> tuple[str, ...]:
    """Give the words that start this installation, on this machine alone."""
    return own_program(interpreter)


def entry(words: Sequence[str]) -> Entry:
    """Give an entry as most hosts read it."""
    return {"type": "stdio", "command": words[0], "args": list(words[1:])}


def unsafe_start(entry: Entry) -> int | None:
    """Say how many words of an entry start our package in a way that takes modules of the project for ours.

    Hosts start servers in the project, and `python -m` looks for modules there first. `-P`, `-I` and
    PYTHONSAFEPATH keep Python from that.

    Returns:
        How many of the words, from the program on, say that our package is started; none for any other entry.
    """
    words = words_of(entry)
    for at, word in enumerate(words[1:], 1):
        is_start = word == "-mchant_mcp" or words[at : at + 2] == ["-m", "chant_mcp"]
        if is_start and not any(map(_KEEPS_OUT.fullmatch, words[1:at])):
            variables = json_text.as_object(entry.get("env")) or {}
            return None if variables.get("PYTHONSAFEPATH") else at + 1 + (word == "-m")
    return None


def words_of(entry: Entry) -> list[str]:
    """Give the program that an entry starts, with its arguments."""
    command, args = entry.get("command", ""), entry.get("args")
    if isinstance(command, list):
        return [str(word) for word in cast("list[object]", command)]
    listed = cast("list[object]", args) if isinstance(args, list) else []
    return [str(command), *map(str, listed)]


def block(ours: Entry) -> str:
    """Write a whole configuration with our server alone."""
    return json.dumps({"mcpServers": {NAME: ours}}, indent=2, ensure_ascii=False)


def entry_over_http(url: str, token: str | None) -> Entry:
    """Give the entry that leads to a server which runs already.

    Args:
        url: Where it serves.
        token: What it asks for, or a reference to that; nothing where it asks for none.
    """
    headers = {} if token is None else {"headers": {"Authorization": f"Bearer {token}"}}
    return {"type": "http", "url": url, **headers}


def token_reference(file: str, name: str) -> str:
    """Say how a host's file refers to the token of a server.

    The token itself stands in no file of a project: git may track it, and agents' runs can read it.

    Args:
        file: The host's file.
        name: The server's name in it.
    """
    host = next(host for host in _HOSTS.values() if host.file == file)
    return (host.token or "").replace("NAME", _question_id(name))


def with_running(text: str, key: str, name: str, entry: Entry, file: str) -> str:
    """Give the text of a host's file with a server that runs; where the host asks for the token, with that.

    Raises:
        InvalidDocumentError: When it is no plain JSON object.
    """
    after = with_entry(text, (key, name), entry, file)
    if not _asks(entry):
        return after
    question = {
        "type": "promptString",
        "id": _question_id(name),
        "description": f"Token of the server {name}; `chant-mcp serve` says where it is",
        "password": True,
    }
    others = _other_questions(after, name, file)
    return json_text.with_value(after, ("inputs",), [*others, question], file)


def without_running(text: str, key: str, name: str, file: str) -> str:
    """Give the text of a host's file without a server and what was asked for it.

    Raises:
        InvalidDocumentError: When it is no plain JSON object.
    """
    entry = json_text.as_object(json_text.value_at(text, (key, name), file)) or {}
    after = json_text.without(text, (key, name), file)
    if not _asks(entry):
        return after
    others = _other_questions(after, name, file)
    if others:
        return json_text.with_value(after, ("inputs",), others, file)
    return json_text.without(after, ("inputs",), file)


def _asks(entry: Entry) -> bool:
    return "${input:" in json.dumps(entry)


def _question_id(name: str) -> str:
    return f"{name}-token"


def _other_questions(text: str, name: str, file: str) -> list[object]:
    """Give what a host asks for beside the token of a server."""
    listed = json_text.value_at(text, ("inputs",), file)
    if listed is None:
        return []
    if not isinstance(listed, list):
        raise InvalidDocumentError(f"`inputs` in `{file}` is not a JSON list. Nothing was changed.")
    ours = _question_id(name)
    return [one for one in cast("list[object]", listed) if (json_text.as_object(one) or {}).get("id") != ours]


def places(clients: tuple[str, ...]) -> list[tuple[str, str]]:
    """Give each host's file that can list a server over HTTP, and the key under which it lists servers."""
    return [(host.file, host.key) for host in host_files(clients) if host.token is not None]


def host_files(clients: tuple[str, ...]) -> list[HostFile]:
    """Give the file of each host named."""
    return [host for name, host in _HOSTS.items() if name in clients or "all" in clients]


@dataclass(slots=True)
class HostPlan:
    """What becomes of the files of hosts."""

    changes: list[files.FileChange] = field(default_factory=list[files.FileChange])
    kept: list[str] = field(default_factory=list[str])
    """What stays although it lacks our server, and the lines to add."""
    notes: list[str] = field(default_factory=list[str])


def changes(root: Path, clients: tuple[str, ...], words: Sequence[str], force: bool) -> HostPlan:
    """Plan what a host's file shall hold, for each of the hosts named.

    Everything in the file but our server stays byte for byte, comments too. An entry of ours keeps keys
    such as `env`, and is not touched at all when it starts the same program, unless `force` is given. Of
    one that starts our package unsafely, whatever its name, only the start is replaced: what is given to it
    stays.

    Args:
        root: The project.
        clients: The hosts.
        words: What starts the server.
        force: Whether an entry of ours is replaced also where it starts the same.

    Raises:
        InvalidDocumentError: When a file is no JSON object, or has comments that its host does not read.
    """
    planned = HostPlan()
    for host in host_files(clients):
        if host.is_toml:
            _plan_toml(planned, root, host, words)
        else:
            planned.changes.append(_change(root, host, words, force))
    for name, file in _OUTSIDE.items():
        if name in clients:
            lines = json.dumps({"mcpServers": {NAME: _HOSTS["qwen"].entry(words)}}, indent=2)
            planned.notes.append(f"{name} reads servers from {file} alone. Add these lines there:\n{lines}")
    return planned


def _change(root: Path, host: HostFile, words: Sequence[str], force: bool) -> files.FileChange:
    name, key, ours = host.file, host.key, host.entry(words)
    before = files.read(root, name)
    text = text_of(before or b"", name)
    comments = host.has_comments
    servers = listed(text, key, name, has_comments=comments)
    is_left = False
    for server, entry in servers.items():
        kept = json_text.as_object(entry) or {}
        safe = _started_safely(kept, words)
        if safe is None or (force and server == NAME):
            continue
        for word in ("command", "args"):
            if word in safe and safe[word] != kept.get(word):
                path = (key, server, word)
                text = json_text.with_value(text, path, safe[word], name, has_comments=comments)
        is_left |= server == NAME
    kept = json_text.as_object(servers.get(NAME)) or {}
    is_left |= _starts_the_same(kept, words)
    if before is None or force or not is_left:
        path = (key, NAME)
        text = with_entry(text, path, {**kept, **ours}, name, has_comments=comments)
    return files.FileChange(name, before, _with_instructions(text, host).encode())


def _with_instructions(text: str, host: HostFile) -> str:
    """Give the text of a host's file with the setting that makes `AGENTS.md` be read."""
    if host.reads_instructions is None:
        return text
    path = tuple(host.reads_instructions.split("."))
    if json_text.value_at(text, path, host.file, has_comments=host.has_comments) is not None:
        return text
    return json_text.with_value(text, path, INSTRUCTION_FILES, host.file, has_comments=host.has_comments)


INSTRUCTION_FILES = ["AGENTS.md", "GEMINI.md"]
"""What Gemini is told to read."""


def without_instructions(text: str, host: HostFile) -> str:
    """Give the text of a host's file without the setting that `init` wrote for instructions.

    Raises:
        InvalidDocumentError: When it is no JSON object.
    """
    path = tuple((host.reads_instructions or "").split("."))
    comments = host.has_comments
    if not host.reads_instructions:
        return text
    if json_text.value_at(text, path, host.file, has_comments=comments) != INSTRUCTION_FILES:
        return text
    return json_text.without(text, path, host.file, has_comments=comments)


def is_written_by_us(entry: Entry, host: HostFile) -> bool:
    """Whether an entry is as `init` writes it, by whichever start, and nothing was added to it."""
    words = words_of(entry)
    is_ours = (
        words in ([*start_by_name(True)], [*start_by_name(False)])
        or (words[:1] == ["uvx"] and words[2:] == ["mcp"] and words[1].startswith("chant-mcp=="))
        or (words[-2:] == ["-m", "chant_mcp"] and unsafe_start(entry) is None)
    )
    return is_ours and entry == (host.entry(words) if not host.is_toml else _plain_entry(words))


def _plain_entry(words: list[str]) -> Entry:
    return {"command": words[0], "args": words[1:]}


def _plan_toml(planned: HostPlan, root: Path, host: HostFile, words: Sequence[str]) -> None:
    before = files.read(root, host.file)
    text = text_of(before or b"", host.file)
    present = servers_of(text, host).get(NAME)
    if present is not None:
        if words_of(json_text.as_object(present) or {})[: len(words)] != list(words):
            planned.kept.append(
                f"{host.file}, whose server {NAME} is started otherwise. Ours is:\n{toml_table(words)}"
            )
        return
    line_end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else line_end if text.endswith("\n") else line_end * 2
    after = text + gap + toml_table(words).replace("\n", line_end)
    if NAME not in servers_of(after, host):
        planned.kept.append(f"{host.file}, which cannot be extended here. Add:\n{toml_table(words)}")
        return
    planned.changes.append(files.FileChange(host.file, before, after.encode()))


def toml_table(words: Sequence[str]) -> str:
    """Write the table of our server as Codex reads it."""
    command, *args = map(json.dumps, words)
    return f"[mcp_servers.{NAME}]\ncommand = {command}\nargs = [{', '.join(args)}]\n"


def servers_of(text: str, host: HostFile) -> dict[str, Any]:
    """Give the servers that a host's file lists; none of a TOML file that cannot be read.

    Raises:
        InvalidDocumentError: When a file of JSON is no object.
    """
    if not host.is_toml:
        return listed(text, host.key, host.file, has_comments=host.has_comments)
    if sys.version_info < (3, 11):
        return {NAME: None} if f"[{host.key}.{NAME}]" in text else {}
    import tomllib

    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}
    return json_text.as_object(read.get(host.key)) or {}


def _started_safely(entry: Entry, words: Sequence[str]) -> Entry | None:
    """Give an entry that starts our package unsafely as it starts this installation; none for any other."""
    length = unsafe_start(entry)
    if length is None:
        return None
    start = [word for word in words if word != "mcp"]
    given = words_of(entry)[length:]
    # A program that is found by its name is told what to do.
    told = ["mcp"] if "mcp" in words and "mcp" not in given else []
    first, *others = [*start, *given, *told]
    if isinstance(entry.get("command"), list):
        return {**entry, "command": [first, *others]}
    return {**entry, "command": first, "args": others}


def listed(text: str, key: str, name: str, *, has_comments: bool = False) -> dict[str, Any]:
    """Give the servers that a host's file lists under a key; none of an empty file.

    Raises:
        InvalidDocumentError: When it is no plain JSON object.
    """
    if not text.strip():
        return {}
    return json_text.as_object(json_text.value_at(text, (key,), name, has_comments=has_comments)) or {}


def with_entry(
    text: str, path: tuple[str, str], entry: Entry, name: str, *, has_comments: bool = False
) -> str:
    """Give the text of a host's file with a server's entry; an empty file becomes a whole configuration.

    Args:
        text: What the file says.
        path: The key under which the host lists servers, and the server's name.
        entry: How it is started or reached.
        name: The file.
        has_comments: Whether its host reads comments there.

    Raises:
        InvalidDocumentError: When it is no plain JSON object.
    """
    if text.strip():
        return json_text.with_value(text, path, entry, name, has_comments=has_comments)
    key, server = path
    return json.dumps({key: {server: entry}}, indent=2, ensure_ascii=False) + "\n"


def text_of(content: bytes, name: str) -> str:
    """Give what a host's file says.

    Raises:
        InvalidDocumentError: When it is no UTF-8.
    """
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidDocumentError(f"`{name}` is not UTF-8. Nothing was changed.") from error


def _starts_the_same(present: Entry, words: Sequence[str]) -> bool:
    return words_of(present)[: len(words)] == list(words)
